"""A scope that was taken out of a client's document counts no longer, whenever it was granted (contract §5, §9)."""


import pytest

import oauth
import signing
from admin import change
from apps import WHOLE, app_of
from devices import GRANT as DEVICE_GRANT, Device, Visitor
from native import App
from va import BASE, end_all, end_all_by_cookies
from wire import jar

ENDING = "openid offline_access device_sso revoke_all_sessions"


@pytest.fixture
def app(demo) -> App:
    app = app_of(demo)
    app.sign_in(WHOLE)
    return app


def test_5_2_a_refresh_gives_what_the_document_names_now_and_what_it_is_given_back(demo, app):
    change(demo, app.client_id, scope="openid profile offline_access")
    cut = app.refresh().json()
    assert cut["scope"] == signing.claims_of(cut["access_token"])["scope"] == "openid profile offline_access"
    app.tokens |= cut
    change(demo, app.client_id, scope=WHOLE)
    assert app.refresh().json()["scope"] == WHOLE


def test_5_2_a_refresh_of_which_nothing_is_left_is_refused_and_uses_nothing_up(demo, app):
    change(demo, app.client_id, scope="phone")
    refused = app.refresh()
    assert (refused.status, refused.json()["error"]) == (400, "invalid_scope")
    [event] = [row for row in demo.audit("token_request.refused") if row["client_id"] == app.client_id]
    assert event["reason"] == "scope_taken_away"
    change(demo, app.client_id, scope="openid")
    again = app.refresh()
    assert (again.status, again.json()["scope"]) == (200, "openid")


def test_5_1_a_code_opens_no_more_than_the_document_names_when_it_is_redeemed(demo):
    app = app_of(demo)
    code = app.code(WHOLE)
    change(demo, app.client_id, scope="openid")
    answer = app.token(
        grant_type="authorization_code", code=code, redirect_uri=app.callback, code_verifier=app.verifier)
    assert answer.status == 200, answer.text
    assert answer.json()["scope"] == signing.claims_of(answer.json()["access_token"])["scope"] == "openid"


def test_9_a_device_gets_no_more_than_the_document_names_when_it_fetches_what_was_granted(demo):
    app = app_of(demo, grant_types=["authorization_code", DEVICE_GRANT])
    device = Device(demo, app.client_id, "openid profile email")
    Visitor(demo).let_in(device, app.user["username"])
    change(demo, app.client_id, scope="openid email")
    assert device.tokens()["scope"] == "openid email"


def test_5_6_introspection_tells_the_scope_that_counts_now(demo, app):
    for scope in [WHOLE, "openid offline_access", WHOLE]:
        change(demo, app.client_id, scope=scope)
        for token in ["access_token", "refresh_token"]:
            assert oauth.introspect(demo, app.tokens[token])["scope"] == scope, token


def test_5_9_userinfo_tells_with_a_token_of_before_what_the_document_names_now(demo, app):
    bearer = {"Authorization": f"Bearer {app.tokens['access_token']}"}
    for path in ["/oauth/userinfo", f"{BASE}/user_info"]:
        change(demo, app.client_id, scope=WHOLE)
        assert {"name", "email"} <= set(demo.send("GET", path, bearer).json()), path
        change(demo, app.client_id, scope="openid email offline_access")
        told = demo.send("GET", path, bearer).json()
        assert "name" not in told and told["email"] == f"{app.user['username']}@example.com", path


def test_5_4_an_exchange_by_id_token_gives_no_more_than_the_document_of_its_app_names_now(demo):
    app = app_of(demo, WHOLE, native_sso_enabled=True, share_with=["demo-webview", "demo-app-b"], may_reach=["demo-web"])
    app.sign_in(f"{WHOLE} device_sso")
    whole = set(app.native_sso().json()["scope"].split())
    assert {"openid", "offline_access", "device_sso"} <= whole
    for document, hidden in [(WHOLE, set()), ("openid email offline_access", {"profile"}),
                             ("openid profile offline_access", {"email"}), (WHOLE, set())]:
        change(demo, app.client_id, scope=document)
        assert set(app.native_sso().json()["scope"].split()) == whole - hidden, document
        view = app.native_sso("demo-webview")
        assert view.status == 200, view.text
        checked = demo.send("GET", "/auth/check?identity=name,email", jar(view))
        assert bool(checked.header("X-Auth-Name")) == ("profile" not in hidden), document
        assert bool(checked.header("X-Auth-Email")) == ("email" not in hidden), document
        told = demo.send("GET", f"{BASE}/user_info", jar(view)).json()
        assert ("name" in told, "email" in told) == ("profile" not in hidden, "email" not in hidden), document


@pytest.fixture
def chain(demo) -> tuple[App, App]:
    """An app, and another one that its sign-in signed in."""
    first = app_of(demo, WHOLE, native_sso_enabled=True, share_with=["demo-app-b"])
    first.sign_in(f"{WHOLE} device_sso")
    second = App(demo, "demo-app-b")
    answer = first.native_sso(second.client_id)
    assert answer.status == 200, answer.text
    second.tokens = answer.json()
    return first, second


def test_5_2_an_app_that_was_signed_in_by_another_loses_what_this_one_loses(demo, chain):
    first, second = chain
    change(demo, first.client_id, scope="openid offline_access")
    cut = second.refresh()
    assert cut.status == 200, cut.text
    assert set(cut.json()["scope"].split()) == {"openid", "offline_access", "device_sso"}
    told = demo.send("GET", "/oauth/userinfo", {"Authorization": f"Bearer {cut.json()['access_token']}"}).json()
    assert not {"name", "email"} & set(told)


@pytest.mark.parametrize("fields", [{"share_with": []}, {"native_sso_enabled": False}], ids=str)
def test_5_2_an_app_that_is_shared_with_no_longer_gets_no_more_tokens(demo, chain, fields):
    first, second = chain
    change(demo, first.client_id, **fields)
    refused = second.refresh()
    assert (refused.status, refused.json()["error"]) == (400, "invalid_grant"), refused.text
    events = [row for row in demo.audit("token_request.refused") if row["reason"] == "shared_no_longer"]
    assert second.client_id in {row["client_id"] for row in events}
    change(demo, first.client_id, native_sso_enabled=True, share_with=[second.client_id])
    assert second.refresh().status == 200


def test_5_10_an_app_that_lost_the_scope_for_it_ends_no_sessions(demo):
    app = app_of(demo, "openid offline_access revoke_all_sessions")
    app.sign_in("openid offline_access revoke_all_sessions")
    change(demo, app.client_id, scope="openid offline_access")
    refused = end_all(demo, app)
    assert refused.status == 403 and 'error="insufficient_scope"' in refused.header("WWW-Authenticate")
    change(demo, app.client_id, scope="openid offline_access revoke_all_sessions")
    assert end_all(demo, app).status == 200
    assert app.refresh().status == 400


def test_5_10_neither_does_its_web_view(demo):
    app = app_of(demo, ENDING, native_sso_enabled=True, share_with=["demo-webview"], may_reach=["demo-web"])
    app.sign_in(ENDING)
    view = app.cookies()
    assert view.status == 200, view.text
    change(demo, app.client_id, scope="openid offline_access")
    assert end_all_by_cookies(demo, jar(view)).status == 403
    change(demo, app.client_id, scope=ENDING)
    assert end_all_by_cookies(demo, jar(view)).status == 303
    assert app.refresh().status == 400
