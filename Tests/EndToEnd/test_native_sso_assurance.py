"""Consent, the strength of a sign-in and what an administrator is told about an exchange (contract §5.4, §8, RFC 9470)."""

import json
import time

import pytest

import instance
import native
import signing
import wire
from admin import admin
from native import App, Browser, session


@pytest.fixture(scope="module")
def demo():
    """An instance of this file's own: its tests change clients."""
    server = instance.Demo("--no-limits")
    yield server
    assert server.stop() == 0


@pytest.fixture
def change(demo):
    """Changes a client's document, and changes it back in the end."""
    before: dict[str, dict] = {}

    def patch(client_id: str, fields: dict) -> wire.Answer:
        path = f"/api/admin/clients/{client_id}"
        current = admin(demo, "GET", path)
        for name in fields:
            before.setdefault(client_id, {}).setdefault(name, current.json().get(name))
        answer = admin(demo, "PATCH", path, fields, **{"If-Match": current.header("ETag")})
        assert answer.status == 200, answer.text
        return answer

    yield patch
    for client_id, fields in list(before.items()):
        patch(client_id, fields)


def explain(demo, app: App, asking: str, **changes) -> dict:
    answer = admin(demo, "POST", "/api/admin/explain", {
        "kind": "exchange", "client_id": asking, "subject_token": app.tokens["id_token"],
        "subject_token_type": native.ID_TOKEN, "actor_token": app.tokens["device_secret"],
        "actor_token_type": native.DEVICE_SECRET, **changes})
    assert answer.status == 200, answer.text
    for secret in app.tokens.values():
        assert not isinstance(secret, str) or len(secret) < 40 or secret not in answer.text, "echoed"
    return answer.json()


# Consent (draft-07 §4.3)


def test_an_app_that_the_user_never_agreed_to_is_sent_to_the_browser(demo, change):
    change("demo-app-b", {"first_party": False})
    app = App(demo, user="bob")
    app.sign_in()
    refused = app.native_sso()
    assert (refused.status, refused.json()["error"]) == (400, "interaction_required")
    assert "access_token" not in refused.json()
    # The user agrees where users are asked; from then on the exchange is silent.
    App(demo, "demo-app-b", user="bob").sign_in(browser=Browser(demo.base))
    assert app.native_sso().status == 200
    # Consent is for what was asked: more of it takes another question.
    wider = App(demo, user="bob")
    wider.sign_in("openid profile email offline_access device_sso")
    answer = wider.native_sso(scope="openid profile email")
    assert (answer.status, answer.json()["error"]) == (400, "interaction_required")
    assert wider.native_sso(scope="openid profile").status == 200


def test_an_app_of_the_same_maker_is_not_asked_about(demo):
    app = App(demo)
    app.sign_in()
    assert demo.client("demo-app-b")["first_party"] is True
    assert app.native_sso().status == 200


# Too weak, or too old (RFC 9470 §3)


@pytest.mark.parametrize("fields, expected", [
    ({"min_acr": "aal2"}, {"acr_values": "aal2"}),
    ({"max_auth_age": 0}, {"max_age": "0"}),
    ({"min_acr": "aal2", "max_auth_age": 60}, {"acr_values": "aal2", "max_age": "60"}),
], ids=["too weak", "too old", "both told, one failed"])
@pytest.mark.parametrize("asking", ["demo-app-b", "demo-webview"])
def test_a_sign_in_that_is_not_enough_for_the_client_is_challenged(demo, change, asking, fields, expected):
    app = App(demo)
    app.sign_in()
    change(asking, fields)
    if fields.get("max_auth_age") == 0:
        signed_in = signing.claims_of(app.tokens["id_token"])["auth_time"]
        instance.wait_until(lambda: time.time() > signed_in + 1, 3, "an age above zero")
    answer = app.native_sso() if asking == "demo-app-b" else app.cookies()
    assert (answer.status, answer.json()["error"]) == (401, "insufficient_user_authentication"), answer.text
    assert not answer.cookies
    challenge = answer.header("WWW-Authenticate")
    assert challenge.startswith('Bearer error="insufficient_user_authentication"')
    told = dict(part.split("=", 1) for part in challenge.split(", ")[1:])
    assert {name: value.strip('"') for name, value in told.items()} == expected


def test_a_proxy_may_ask_for_more_than_the_session_has(demo):
    app = App(demo)
    app.sign_in()
    view = app.cookies()
    cookies = {"Cookie": wire.cookie_header(view)}
    assert demo.send("GET", "/auth/check?acr=aal1&max_age=600", cookies).status == 200
    refused = demo.send("GET", "/auth/check?acr=aal2&max_age=600", cookies)
    assert refused.status == 401
    assert refused.header("WWW-Authenticate") == (
        'Bearer error="insufficient_user_authentication", acr_values="aal2", max_age="600"')


def test_the_strength_of_the_sign_in_goes_along_the_whole_chain_and_never_grows(demo):
    app = App(demo)
    signed_in = signing.claims_of(app.sign_in()["id_token"])
    second = App(demo, "demo-app-b")
    second.tokens = {**app.native_sso().json(), "device_secret": app.tokens["device_secret"]}
    for token in [second.tokens["id_token"], second.tokens["access_token"]]:
        said = signing.claims_of(token)
        assert (said["acr"], said["amr"], said["auth_time"]) == (
            signed_in["acr"], signed_in["amr"], signed_in["auth_time"])
    for view in [app.cookies(), second.cookies()]:
        found = session(demo, view)
        assert (found["acr"], found["amr"]) == (signed_in["acr"], signed_in["amr"])
        assert signing.claims_of(view.cookies["vagov_access_token"].value)["auth_time"] == signed_in["auth_time"]


# Explain (contract §8)


def test_an_exchange_is_explained_check_by_check_without_being_made(demo):
    app = App(demo)
    app.sign_in()
    uses = admin(demo, "GET", f"/api/admin/users/{app.user['sub']}/device-secrets").json()["items"][0]["use_count"]
    found = explain(demo, app, "demo-app-b")
    assert found["passes"] is True, found
    assert {"device secret is known", "ds_hash fits the device secret", "session lives"} <= {
        step["check"] for step in found["steps"]}
    devices = admin(demo, "GET", f"/api/admin/users/{app.user['sub']}/device-secrets").json()["items"]
    assert devices[0]["use_count"] == uses
    assert app.native_sso().status == 200


@pytest.mark.parametrize("changes, reason", [
    ({"actor_token": "ds_nonsense"}, "secret_unknown"),
    ({"client_id": "nobody"}, "unknown_client"),
    ({"subject_token": "a.b.c"}, "subject_token_invalid"),
    ({"audience": "https://elsewhere.example"}, "wrong_audience"),
    ({"resource": "https://elsewhere.example"}, "wrong_resource"),
    ({"scope": "profile"}, "scope_without_openid"),
    ({"actor_token_type": "urn:x"}, "actor_token_type"),
    ({"subject_token_type": "urn:x"}, "subject_token_type"),
    ({"requested_token_type": native.LOGIN_TOKEN}, "requested_token_type"),
    ({"actor_token": None}, "missing_actor_token"),
    ({"grant_type": "refresh_token"}, "grant_type"),
])
def test_an_exchange_that_would_be_refused_is_explained_by_what_decides(demo, changes, reason):
    app = App(demo)
    app.sign_in()
    found = explain(demo, app, changes.pop("client_id", "demo-app-b"), **changes)
    assert (found["passes"], found["reason"]) == (False, reason), json.dumps(found)


def test_a_login_tokens_issue_and_its_redemption_by_a_server_are_explained_as_the_endpoint_decides_them(demo):
    app = App(demo)
    app.sign_in()
    nobody = {"actor_token": None, "actor_token_type": None}
    order = {"subject_token": app.tokens["access_token"], "subject_token_type": native.ACCESS_TOKEN,
             "requested_token_type": native.LOGIN_TOKEN}
    assert explain(demo, app, "demo-app", **order, **nobody)["passes"] is True
    assert explain(demo, app, "demo-app-b", **order, **nobody)["reason"] == "other_client"
    token = app.token(grant_type=native.EXCHANGE, **order).json()["access_token"]
    found = {"subject_token": token, "subject_token_type": native.LOGIN_TOKEN}
    events = len(demo.audit())
    for _ in range(2):
        assert explain(demo, app, "demo-web", **found, **nobody)["passes"] is True
    assert explain(demo, app, "demo-rp", **found, **nobody)["reason"] == "wrong_website"
    assert explain(demo, app, "demo-app", **found, **nobody)["reason"] == "wrong_website"
    assert len(demo.audit()) == events
    # To an app, which keeps no secret, it is no valid token, and it stays good for its website (contract §4.4).
    refused = app.token(grant_type=native.EXCHANGE, **found)
    assert (refused.status, refused.json()["error"]) == (400, "invalid_grant")
    website = demo.client("demo-web")
    redeemed = app.token(grant_type=native.EXCHANGE, client_id=website["client_id"],
                         client_secret=website["client_secret"], **found)
    assert redeemed.status == 200, redeemed.text
    assert explain(demo, app, "demo-web", **found, **nobody)["reason"] == "replayed"


def test_every_flaw_of_an_exchange_is_in_its_explanation(demo, change):
    change("demo-app-b", {"first_party": False, "min_acr": "aal2"})
    app = App(demo, user="admin")
    app.sign_in()
    app.post("/oauth/revoke", token=app.tokens["device_secret"])
    found = explain(demo, app, "demo-app-b", audience="https://elsewhere.example")
    failed = {step["outcome"].removeprefix("failed: ") for step in found["steps"]}
    assert {"secret_revoked", "session_ended", "wrong_audience", "consent_needed", "authentication_too_weak"} <= failed
    assert found["reason"] == "secret_revoked", "the first by rank is what the app is told"
