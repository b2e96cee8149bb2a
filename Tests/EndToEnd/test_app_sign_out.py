"""An app is signed out: by `/oauth/logout` with its ID token, for its user alone, who is signed in there (contract §5.8);
and by the bearer of another issuer, for what that opened (contract §7)."""

from urllib.parse import urlencode

import pytest

import wire
from admin import Admin
from boundaries import is_alive, is_signed_in
from native import CALLBACK, App, Browser

SIGNED_OUT = "com.example.demo:/signed-out"


def signed_in(demo, user: str = "alice", browser: Browser | None = None) -> App:
    app = App(demo, user=user)
    app.sign_in(browser=browser)
    return app


def target(app: App) -> str:
    return "/oauth/logout?" + urlencode(
        {"id_token_hint": app.tokens["id_token"], "post_logout_redirect_uri": SIGNED_OUT})


def test_its_user_signs_the_app_out_of_its_device(demo):
    browser = Browser(demo.base)
    app = signed_in(demo, browser=browser)
    left = browser.send("GET", target(app))
    left = left if left.status == 303 else browser.submit(left, "/oauth/logout")
    assert left.status == 303 and left.header("Location") == SIGNED_OUT
    assert app.refresh().json()["error"] == "invalid_grant"
    assert app.native_sso().json()["error"] == "invalid_grant"


def test_attack_whoever_has_an_id_token_alone_signs_no_app_out(demo):
    """An app that is left by itself revokes its device secret, which is a secret; an ID token is seen by many."""
    app = signed_in(demo)
    left = Browser(demo.base).send("GET", target(app), {"Sec-Fetch-Site": "cross-site"})
    assert left.status == 303 and left.header("Location") == SIGNED_OUT
    assert is_alive(demo, app.tokens["access_token"])


def test_attack_a_form_that_no_page_of_ours_made_ends_no_app(demo):
    app = signed_in(demo)
    form = {"id_token_hint": app.tokens["id_token"], "form_token": "made-up"}
    headers = {"Content-Type": wire.FORM, "Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    assert Browser(demo.base).send("POST", "/oauth/logout", headers, urlencode(form).encode()).status == 303
    assert is_alive(demo, app.tokens["access_token"])


def test_attack_whoever_is_signed_in_as_somebody_else_ends_his_own_session_and_no_others_app(demo):
    app = signed_in(demo)
    browser = Browser(demo.base)
    signed_in(demo, "bob", browser)
    page = browser.send("GET", target(app))
    assert browser.submit(page, "/oauth/logout").status == 303
    assert not is_signed_in(browser)
    assert is_alive(demo, app.tokens["access_token"])


@pytest.mark.parametrize("address", [
    "http://[::1]:51004/out", "http://127.0.0.1:51004/out", "com.example.out:/done", "https://out.example.com/done"])
def test_the_page_that_asks_lets_its_form_lead_where_the_sign_out_leads(demo, address):
    client = Admin(demo).send("POST", "clients", {
        "client_type": "native", "client_name": "Leaves", "first_party": True, "redirect_uris": [CALLBACK],
        "post_logout_redirect_uris": [address], "scope": "openid"})
    assert client.status == 201, client.body
    app = App(demo, client.json()["client_id"])
    app.sign_in("openid")
    browser = Browser(demo.base)
    signed_in(demo, "bob", browser)
    page = browser.send("GET", "/oauth/logout?" + urlencode(
        {"id_token_hint": app.tokens["id_token"], "post_logout_redirect_uri": address}))
    assert "form-action" not in page.header("Content-Security-Policy"), "Chromium holds redirects after the form against it"


def leave(demo, user: str, client: str = "demo-app", **more: str):
    """An app whose users another issuer signs in says that one has signed out."""
    form = {"token": demo.bearer(user, client, **more), "client_id": client}
    answer = demo.send("POST", "/oauth/revoke", None, wire.encode(form))
    assert answer.status == 200, answer.body


def test_attack_an_app_that_signs_out_in_a_loop_leaves_other_apps_links(demo):
    link = demo.issue("leaves-by-another")
    for number in range(3):
        leave(demo, "leaves-by-another", "demo-app-b")
        leave(demo, "leaves-by-another", "demo-app-b", sid=f"x-{number}")
    assert demo.status(link["id"], "leaves-by-another") == "pending"
    assert demo.redeem(link["token"]).status == 303


def test_7_an_app_that_signs_out_in_one_session_keeps_the_link_of_another(demo):
    user = "leaves-a-tablet"
    issued = demo.post_issue(sub=user, headers=demo.authorization(user, sid="phone"))
    assert issued.status == 200, issued.body
    link = issued.json()
    leave(demo, user, sid="tablet")
    assert demo.status(link["id"], user) == "pending"
    leave(demo, user, sid="phone")
    assert demo.status(link["id"], user) == "revoked" and demo.redeem(link["token"]).status == 400


def test_7_an_app_that_signs_out_without_a_session_ends_the_links_of_all_its_sessions(demo):
    user = "leaves-everywhere"
    issued = [demo.post_issue(sub=user, headers=demo.authorization(user, **more)) for more in ({}, {"sid": "phone"})]
    assert [answer.status for answer in issued] == [200, 200]
    leave(demo, user)
    assert [demo.redeem(answer.json()["token"]).status for answer in issued] == [400, 400]
