"""Administrators' acts over the wire: no more is done than was asked for, and all of it is recorded (contract §8)."""

import json

import pytest

import wire
from admin import Admin
from instance import wait_until
from native import App


@pytest.fixture
def admin(demo):
    return Admin(demo)


def caused(admin, answer) -> list[dict]:
    """The events of one request."""
    return admin.events(request_id=answer.header("X-Request-Id"))


def test_8_an_end_of_all_sessions_that_finds_login_tokens_alone_is_recorded(admin, demo):
    tokens = [demo.issue("links-alone") for _ in range(2)]
    ended = admin.send("DELETE", "users/links-alone/sessions", {"reason": "theft"})
    assert ended.status == 204, ended.body
    assert [demo.status(token["id"], "links-alone") for token in tokens] == ["revoked", "revoked"]
    [event] = caused(admin, ended)
    assert (event["type"], event["outcome"], event["reason"]) == ("login_token.revoked", "success", "theft")
    assert event["sub"] == "links-alone" and event["token_id"] is None
    assert json.loads(event["detail"]) == {"actor": "client:demo-admin", "login_tokens": 2}
    assert caused(admin, admin.send("DELETE", "users/links-alone/sessions")) == [], "there was nothing left to revoke"


def test_8_login_tokens_that_end_with_sessions_are_one_event_beside_theirs(admin, demo):
    demo.sign_in("two-ends")
    demo.issue("two-ends")
    ended = admin.send("DELETE", "users/two-ends/sessions", {"reason": "lost phone"})
    events = caused(admin, ended)
    assert sorted(event["type"] for event in events) == ["login_token.revoked", "web_session.ended"]
    assert {event["reason"] for event in events} == {"lost phone"}


def test_8_neither_used_nor_expired_tokens_are_counted_as_revoked(admin, demo):
    short = demo.issue("counted-links", ttl=1)
    demo.redeem(demo.issue("counted-links")["token"])
    wait_until(lambda: demo.status(short["id"], "counted-links") == "expired", 30, "expiry")
    ended = admin.send("DELETE", "users/counted-links/sessions")
    assert [event["type"] for event in caused(admin, ended)] == ["web_session.ended"]


def test_8_a_token_that_ended_with_its_session_is_not_revoked_once_more(start_demo):
    # Of its own, since others issue tokens to its users as well.
    demo = start_demo("--no-limits")
    admin, app = Admin(demo), App(demo)
    app.sign_in()
    bearer = {"Authorization": f"Bearer {app.tokens['access_token']}"}
    subject = demo.send("GET", "/oauth/userinfo", bearer).json()["sub"]
    issued = demo.post_issue(headers=bearer)
    assert issued.status == 200, issued.body
    assert app.post("/oauth/revoke", token=app.tokens["refresh_token"]).status == 200
    ended = admin.send("DELETE", f"users/{subject}/sessions")
    assert "login_token.revoked" not in [event["type"] for event in caused(admin, ended)]


def test_8_an_app_that_signs_its_user_out_revokes_the_links_on_the_record(admin, demo):
    demo.issue("link-leaver")
    bearer = demo.bearer("link-leaver")
    left = demo.send("POST", "/oauth/revoke", None, wire.encode({"token": bearer, "client_id": "demo-app"}))
    assert left.status == 200, left.body
    [event] = caused(admin, left)
    assert (event["type"], event["reason"]) == ("login_token.revoked", "signed_out_in_app")
    assert (event["sub"], event["client_id"]) == ("link-leaver", "demo-app")
    assert json.loads(event["detail"]) == {"by_client": "demo-app", "login_tokens": 1}


def test_8_a_refusal_names_the_user_the_client_and_the_session_of_what_was_verified(start_demo):
    # Of its own: refusals are told up to a bound that others use up.
    demo = start_demo("--no-limits")
    admin = Admin(demo)
    bearer = demo.send("GET", "/api/admin/users", demo.authorization("refused-user"))
    [event] = caused(admin, bearer)
    assert (event["type"], event["reason"]) == ("admin.refused", "not_administrator")
    assert (event["sub"], event["client_id"]) == ("refused-user", "demo-app")

    cookie = demo.sign_in("linked-user")
    [session] = admin.sessions("linked-user")
    [event] = caused(admin, demo.send("GET", "/api/admin/users", {"Cookie": cookie}))
    assert (event["reason"], event["sub"], event["sid"]) == ("not_signed_in_here", "linked-user", session["id"])
    assert (event["client_id"], event["target_client_id"]) == ("demo-app", "demo-web")
    assert event["id"] in [found["id"] for found in admin.events(sub="linked-user", type="admin.refused")]


def test_8_a_refusal_names_nobody_where_nothing_was_verified(start_demo):
    # Of its own: refusals are told up to a bound that others use up.
    demo = start_demo("--no-limits")
    admin = Admin(demo)
    unsigned = demo.bearer("alice")[:-4] + "AAAA"
    [event] = caused(admin, demo.send("GET", "/api/admin/users", {"Authorization": f"Bearer {unsigned}"}))
    assert event["reason"] == "invalid"
    assert [event[name] for name in ("sub", "client_id", "target_client_id", "sid")] == [None] * 4


ACTS = [
    ("DELETE", "users/kept/sessions"), ("DELETE", "sessions/x"), ("DELETE", "device-secrets/x"),
    ("DELETE", "users/kept/phone-keys/x"), ("DELETE", "users/kept/consents/x"),
    ("DELETE", "clients/demo-web"), ("DELETE", "settings/native-sso"),
    ("POST", "keys/rotate"), ("POST", "keys/x/retire"), ("POST", "clients/demo-web/secret"),
]


@pytest.mark.parametrize("method, path", ACTS)
@pytest.mark.parametrize("query, body", [("dry_run=true", None), ("dry_run=true", {"reason": "x"}), ("reason=x", None),
                                         ("", {"fields": ["enabled"]}), ("", {"reason": "x", "reson": "y"})])
def test_13_an_act_that_takes_a_reason_alone_refuses_everything_else(admin, method, path, query, body):
    answer = admin.send(method, f"{path}?{query}" if query else path, body)
    assert (answer.status, answer.json()["error"]) == (400, "invalid_request"), answer.body
    unknown = query.partition("=")[0] or ("fields" if "fields" in body else "reson")
    assert f'"{unknown}" is not a ' in answer.json()["error_description"]


def test_13_nothing_is_done_of_an_act_that_is_refused(admin, demo):
    cookie = demo.sign_in("kept")
    keys = admin.get("keys").json()
    assert admin.send("DELETE", "users/kept/sessions?dry_run=true").status == 400
    assert admin.send("PATCH", "users/kept?dry_run=true", {"disabled": True}).status == 400
    assert admin.send("POST", "keys/rotate?dry_run=true").status == 400
    assert demo.session(cookie)["authenticated"] and admin.get("keys").json() == keys
    assert not admin.get("users/kept").json()["disabled"]


def test_13_a_reset_of_the_settings_does_no_more_than_it_says_and_records_the_reason(start_demo):
    demo = start_demo("--no-limits")
    admin = Admin(demo)
    changed = admin.send("PUT", "settings/native-sso", {"deviceSecretTTLDays": 45, "enabled": False})
    assert changed.status == 200, changed.body
    for path, body in [("?field=enabled", None), ("", {"fields": ["deviceSecretTTLDays"]})]:
        assert admin.send("DELETE", f"settings/native-sso{path}", body).status == 400
    assert admin.send("PUT", "settings/native-sso?dry_run=true", {"deviceSecretTTLDays": 50}).status == 400
    found = admin.get("settings/native-sso").json()["settings"]
    assert (found["enabled"]["value"], found["deviceSecretTTLDays"]["value"]) == (False, 45)
    reset = admin.send("DELETE", "settings/native-sso", {"reason": "ticket 4711"})
    assert reset.status == 200, reset.body
    [event] = caused(admin, reset)
    assert event["type"] == "setting.changed" and json.loads(event["detail"])["reason"] == "ticket 4711"


@pytest.mark.parametrize("name", [".", ".."])
def test_14_a_client_has_an_address_of_its_own(admin, name):
    """Browsers and most programs take such a segment out of a path before they send it (RFC 3986 §5.2.4)."""
    answer = admin.send("POST", "clients", {"client_id": name, "client_type": "native"})
    assert answer.status == 400 and "client_id must not be . or .." in answer.json()["error_description"]


@pytest.mark.parametrize("method", ["PATCH", "PUT"])
def test_13_a_change_of_a_client_that_changes_nothing_is_no_event(admin, method):
    document = {"client_type": "native", "client_name": "Same"}
    made = admin.send("POST", "clients", document)
    path, tag = f"clients/{made.json()['client_id']}", {"If-Match": made.header("ETag")}
    same = admin.send(method, path, {} if method == "PATCH" else document, tag)
    assert (same.status, same.header("ETag")) == (200, tag["If-Match"]), same.body
    assert caused(admin, same) == []
    other = admin.send(method, path, {**document, "client_name": "Other"}, tag)
    assert other.status == 200, other.body
    assert [json.loads(event["detail"])["fields"] for event in caused(admin, other)] == [["client_name"]]
