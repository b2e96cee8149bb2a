"""`/oauth/logout` with an app's ID token: it ends the app for its user alone, who is signed in there (contract §5.8, §7)."""

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
