"""Refusals in the audit log: whom they name, and that none goes unseen (contract §8, §12, §13)."""

import json
from urllib.parse import urlencode

import pytest

import oauth
import signing
import wire
from admin import Admin
from apps import outsider
from native import App
from va import BASE, END_ALL, post

HAND_OFF = "/session/hand-off"
ELSEWHERE = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site", "Content-Type": wire.FORM}


@pytest.fixture
def demo(start_demo):
    # Of its own: refusals are told up to bounds that other tests use up.
    return start_demo("--no-limits")


def session_of(app: App) -> str:
    return signing.claims_of(app.tokens["access_token"])["sid"]


def told(demo, type: str = "token_request.refused") -> list[tuple]:
    """Why, who sent it, and whose what they sent is."""
    return [(row["reason"], row["client_id"], row["subject"], row["session_id"]) for row in demo.audit(type)]


def test_a_refresh_token_that_another_app_sends_is_put_to_the_user_and_the_session_that_it_is_of(demo):
    app, other = outsider(demo)
    refused = oauth.refresh(demo, app.tokens["refresh_token"], other.client_id)
    assert oauth.error(refused) == (400, "invalid_grant")
    mine = ("other_client", other.client_id, app.user["sub"], session_of(app))
    assert told(demo) == [mine]
    found = [Admin(demo).events(type="token_request.refused", **by) for by in (
        {"sub": app.user["sub"]}, {"sid": session_of(app)}, {"client_id": other.client_id})]
    assert [[json.loads(event["detail"]) for event in events] for events in found] == [
        [{"issued_to": app.client_id}]] * 3
    assert app.tokens["refresh_token"] not in json.dumps(demo.audit())


def test_a_refresh_token_of_a_session_that_has_ended_says_whose_it_was_three_times_and_is_counted_then(demo):
    app = App(demo)
    app.sign_in()
    assert app.post("/oauth/revoke", token=app.tokens["refresh_token"]).status == 200
    for _ in range(6):
        assert oauth.error(app.refresh()) == (400, "invalid_grant")
    assert told(demo) == [("session_ended", app.client_id, app.user["sub"], session_of(app))] * 3
    # Another app that has it is another matter.
    assert oauth.error(oauth.refresh(demo, app.tokens["refresh_token"], "demo-app-b")) == (400, "invalid_grant")
    assert told(demo)[3:] == [("other_client", "demo-app-b", app.user["sub"], session_of(app))]


@pytest.mark.parametrize("name", ["refresh_token", "access_token", "device_secret"])
def test_who_revokes_what_another_app_was_given_is_told_of_with_whose_it_is(demo, name):
    app, other = outsider(demo)
    assert oauth.error(other.post("/oauth/revoke", token=app.tokens[name])) == (400, "invalid_grant")
    assert told(demo) == [("other_client", other.client_id, app.user["sub"], session_of(app))]
    [event] = demo.audit("token_request.refused")
    device = oauth.introspect(demo, app.tokens["device_secret"])["device_secret_id"]
    named = {"device_secret_id": device} if name == "device_secret" else {}
    assert json.loads(event["detail"]) == {**named, "issued_to": app.client_id}
    assert event["token_id"] == (signing.claims_of(app.tokens[name])["jti"] if name == "access_token" else None)
    assert app.refresh().status == 200


def test_the_old_paths_say_whose_session_was_to_end_and_which_app_sends_too_little(demo):
    app = App(demo)
    app.sign_in()
    assert app.post("/oauth/revoke", token=app.tokens["refresh_token"]).status == 200
    refused = post(demo, "revoke", refresh_token=app.tokens["refresh_token"])
    assert (refused.status, refused.json()["errors"]) == (401, "Refresh token is not valid")
    assert told(demo) == [("session_ended", app.client_id, app.user["sub"], session_of(app))]
    short = [("token", {}, "missing_grant_type"), ("token", {"grant_type": "authorization_code"}, "missing_code"),
             ("refresh", {}, "missing_refresh_token"), ("revoke", {}, "missing_refresh_token")]
    for path, fields, _ in short:
        assert post(demo, path, client_id="demo-app", **fields).status == 400, path
    assert told(demo)[1:] == [(reason, "demo-app", None, None) for _, _, reason in short]
    assert post(demo, "revoke", client_id="nobody-has-this").status == 400
    assert told(demo)[-1] == ("missing_refresh_token", None, None, None)
    assert post(demo, "revoke", client_id="demo-admin").status == 400
    assert told(demo)[-1] == ("missing_refresh_token", None, None, None), "that anybody may have sent"
    assert json.loads(demo.audit("token_request.refused")[-1]["detail"]) == {"named_client": "demo-admin"}
    for path in ["token", "refresh", "revoke"]:
        twice = wire.send(demo.base, "POST", f"{BASE}/{path}", {"Content-Type": wire.FORM}, "scope=a&scope=b")
        assert twice.status == 400 and told(demo)[-1][0] == "repeated_parameter", path


PROOF = "grant_type=client_credentials"
MIXED_UP = [
    (f"{PROOF}&client_secret=s", True, "several_proofs", None, "demo-admin"),
    (f"{PROOF}&client_id=demo-app", True, "client_id", "demo-app", None),
    (f"{PROOF}&client_id=demo-app&client_assertion=a", False, "assertion_type", "demo-app", None),
    (f"{PROOF}&client_id=demo-app&state=a&state=b", False, "repeated_parameter", "demo-app", None),
    (f"{PROOF}&client_id=demo-admin&state=a&state=b", False, "repeated_parameter", None, "demo-admin"),
    (f"{PROOF}&client_id=%zz", False, "invalid_request", None, None),
    ({"client_id": "demo-app"}, False, "invalid_request", None, None),
]


def test_mixed_up_credentials_and_what_is_no_form_are_told_of_wherever_clients_authenticate(demo):
    for path in ["token", "revoke", "introspect", "par", "device_authorization"]:
        for body, has_header, reason, client, named in MIXED_UP:
            known = len(demo.audit())
            headers = oauth.basic(demo, "demo-admin") if has_header else {}
            refused = demo.send("POST", f"/oauth/{path}", headers, body)
            assert oauth.error(refused) == (400, "invalid_request"), (path, body)
            events = demo.audit()[known:]
            assert [(row["type"], row["reason"], row["client_id"]) for row in events] == [
                ("token_request.refused", reason, client)], (path, body)
            assert events[0]["detail"] == (f'{{"named_client":"{named}"}}' if named else None), (path, body)


@pytest.mark.parametrize("path", ["/oauth/userinfo", f"{BASE}/user_info"])
def test_a_token_that_was_granted_too_little_to_say_whose_it_is_is_told_of_by_name(demo, path):
    app = App(demo)
    app.sign_in()
    narrow = app.refresh(scope="profile").json()["access_token"]
    for token in [narrow, demo.facts["admin_token"]]:
        refused = demo.send("GET", path, {"Authorization": f"Bearer {token}"})
        assert refused.status == 403, refused.text
    assert told(demo, "bearer.refused") == [
        ("insufficient_scope", app.client_id, app.user["sub"], session_of(app)),
        ("insufficient_scope", "demo-admin", None, None)]
    assert [row["token_id"] for row in demo.audit("bearer.refused")] == [
        signing.claims_of(token)["jti"] for token in (narrow, demo.facts["admin_token"])]


def test_junk_that_costs_nothing_hides_no_refusal_that_names_a_user(start_demo):
    demo = start_demo()
    app, other = outsider(demo)
    narrow = app.refresh(scope="profile").json()
    for _ in range(80):
        assert demo.send("POST", "/oauth/introspect", {}, "client_id=%zz").status == 400
        assert demo.send("GET", "/oauth/userinfo", {"Authorization": "Bearer nonsense"}).status == 401
    assert oauth.error(oauth.refresh(demo, narrow["refresh_token"], other.client_id)) == (400, "invalid_grant")
    assert demo.send("GET", "/oauth/userinfo", {"Authorization": f"Bearer {narrow['access_token']}"}).status == 403
    user, session = app.user["sub"], session_of(app)
    assert told(demo)[-1] == ("other_client", other.client_id, user, session)
    assert told(demo, "bearer.refused")[-1] == ("insufficient_scope", app.client_id, user, session)
    assert max(len(told(demo)), len(told(demo, "bearer.refused"))) < 80, "the junk itself is told of up to a bound"


def test_a_page_of_another_origin_that_would_sign_its_visitor_out_is_told_of(demo):
    cookie = demo.sign_in("alice")
    session = demo.audit("web_session.opened")[-1]["session_id"]
    paths = ["/session/logout", f"{BASE}/logout", END_ALL, HAND_OFF]
    for path in paths:
        assert demo.send("POST", path, {**ELSEWHERE, "Cookie": cookie}, urlencode({"a": "b"})).status == 403, path
    events = demo.audit("web_session.refused")
    assert [(row["reason"], row["subject"], row["target_client_id"], row["session_id"]) for row in events] == [
        ("foreign_page", "alice", "demo-web", session)] * len(paths)
    assert demo.session(cookie)["authenticated"]
    assert demo.send("POST", "/session/logout", ELSEWHERE, "").status == 403
    assert told(demo, "web_session.refused")[-1] == ("foreign_page", None, None, None)
    for _ in range(20):
        demo.send("POST", "/session/logout", ELSEWHERE, "")
    assert len(demo.audit("web_session.refused")) < 15, "ten a minute"


def test_an_export_says_what_was_taken_out_of_the_log_and_repeats_no_secret(demo):
    app = App(demo)
    app.sign_in()
    admin, secret = Admin(demo), app.tokens["refresh_token"]
    for query in [{}, {"limit": 5}, {"sub": app.user["sub"], "type": "app_session.opened"}, {"q": secret}]:
        assert admin.get("audit-events.jsonl", **query).status == 200
    taken = [json.loads(row["detail"]) for row in demo.audit("audit.exported")]
    plain = {"actor": "client:demo-admin", "format": "jsonl"}
    assert taken == [
        plain, {**plain, "limit": "5"},
        {**plain, "filter_sub": app.user["sub"], "filter_type": "app_session.opened"},
        {**plain, "filter_q": "<redacted>"}]
    assert secret not in json.dumps(demo.audit())
