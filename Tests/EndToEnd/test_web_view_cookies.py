"""The cookies of a web view, attribute for attribute (contract §6, profile `tokens`; docs/native-sso.md)."""

import json
import re
import time
from email.utils import parsedate_to_datetime
from urllib.parse import unquote, urlencode

import pytest

import instance
import native
import signing
import wire
from admin import admin, change
from native import App, cookie_header, session
from va import REFRESH, TOKEN


@pytest.fixture(scope="module")
def va():
    """An instance whose web view client is the VA's website: cookies `vagov_*` on `.va.gov`."""
    demo = instance.Demo("--no-limits")
    change(demo, "demo-webview", cookie_domain=".va.gov", session_idle=1800, access_token_lifetime=300)
    yield demo
    assert demo.stop() == 0


@pytest.fixture(scope="module")
def app(va) -> App:
    app = App(va)
    app.sign_in()
    return app


def described(answer: wire.Answer) -> dict:
    """Each cookie without its value and its times."""
    return {name: {key: value for key, value in cookie.attributes.items() if key not in ("expires", "max-age")}
            for name, cookie in answer.cookies.items()}


#: What the VA's token_serializer sets (docs/native-sso.md, "The VA's cookies"): all Secure and Lax, two of them for the whole
#: domain.
EXPECTED = {
    "vagov_access_token": {"path": "/", "domain": ".va.gov", "secure": True, "httponly": True, "samesite": "Lax"},
    "vagov_refresh_token": {"path": REFRESH, "secure": True, "httponly": True, "samesite": "Lax"},
    "vagov_anti_csrf_token": {"path": "/", "secure": True, "httponly": True, "samesite": "Lax"},
    "vagov_info_token": {"path": "/", "domain": ".va.gov", "secure": True, "samesite": "Lax"},
}


def test_the_vas_four_cookies_come_out_attribute_for_attribute(app):
    answer = app.cookies(path=TOKEN)
    assert (answer.status, answer.json()) == (200, {})
    assert described(answer) == EXPECTED
    assert answer.header("Cache-Control") == "no-store"


def test_at_the_token_endpoint_only_the_refresh_cookies_path_differs(app):
    expected = {**EXPECTED, "vagov_refresh_token": {**EXPECTED["vagov_refresh_token"], "path": "/session/refresh"}}
    assert described(app.cookies()) == expected


def test_all_four_expire_together_with_the_session_that_is_not_used(app):
    before = time.time()
    answer = app.cookies(path=TOKEN)
    after = time.time()
    ends = {parsedate_to_datetime(cookie.attributes["expires"]).timestamp() for cookie in answer.cookies.values()}
    assert len(ends) == 1
    assert before + 1800 - 2 <= ends.pop() <= after + 1800 + 2
    assert {cookie.attributes["max-age"] for cookie in answer.cookies.values()} == {"1800"}


def test_the_readable_cookie_tells_two_times_and_nothing_else(app):
    answer = app.cookies(path=TOKEN)
    text = unquote(answer.cookies["vagov_info_token"].value)
    info = json.loads(text)
    assert set(info) == {"access_token_expiration", "refresh_token_expiration"}
    stamp = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
    assert all(re.fullmatch(stamp, value) for value in info.values())
    assert app.user["sub"] not in text
    assert signing.claims_of(answer.cookies["vagov_access_token"].value)["exp"] - time.time() <= 300


def test_the_access_cookie_is_a_signed_token_of_this_session_and_grants_no_scope(va, app):
    said = signing.claims_of(app.cookies(path=TOKEN).cookies["vagov_access_token"].value)
    assert (said["sub"], said["client_id"], said["iss"]) == (app.user["sub"], "demo-webview", va.facts["issuer"])
    assert said["sid"] and "scope" not in said


def test_a_refresh_on_the_vas_path_sets_the_same_four_again(va, app):
    first = app.cookies(path=TOKEN)
    proof = first.cookies["vagov_anti_csrf_token"].value
    again = wire.send(va.base, "POST", REFRESH, {**cookie_header(first), "X-CSRF-Token": proof})
    assert again.status == 200
    assert described(again) == EXPECTED
    assert again.cookies["vagov_refresh_token"].value != first.cookies["vagov_refresh_token"].value
    assert again.cookies["vagov_anti_csrf_token"].value != proof
    assert session(va, again)["authenticated"]


def test_16_4_a_web_views_cookies_make_no_hand_off(va, app):
    headers = {**cookie_header(app.cookies(path=TOKEN)), "Origin": va.base, "Sec-Fetch-Site": "same-origin",
               "Content-Type": "application/json"}
    assert wire.send(va.base, "GET", "/session", headers).json()["origin"] == "token_exchange"
    refused = wire.send(va.base, "POST", "/session/hand-off", headers, b'{"client_id": "demo-web"}')
    assert (refused.status, refused.json()["error"]) == (403, "unauthorized_client"), refused.text


@pytest.mark.parametrize("path, form", [("/session/logout", False), ("/v0/sign_in/logout", True)])
def test_signing_out_takes_all_four_away_from_the_domain_that_they_were_set_on(va, app, path, form):
    view = app.cookies(path=TOKEN)
    headers = {**cookie_header(view), "Origin": va.base, "Sec-Fetch-Site": "same-origin"}
    out = wire.send(va.base, "POST", path, {**headers, **({"Content-Type": wire.FORM} if form else {})}, b"")
    assert out.status in (204, 303)
    taken = {name: cookie for name, cookie in out.cookies.items() if name.startswith("vagov_")}
    assert set(taken) == set(EXPECTED)
    for name, cookie in taken.items():
        assert (cookie.value, cookie.attributes["max-age"]) == ("", "0"), name
        assert cookie.attributes.get("domain") == EXPECTED[name].get("domain"), name
    assert not session(va, view)["authenticated"]


def test_the_description_names_the_domain_where_there_is_one(app):
    answer = app.cookies({"Accept": "application/vnd.drawbridge.cookies+json"}, path=TOKEN)
    found = {cookie["name"]: cookie for cookie in json.loads(answer.body)["cookies"]}
    assert {name: cookie.get("domain") for name, cookie in found.items()} == {
        name: attributes.get("domain") for name, attributes in EXPECTED.items()}
    assert found["vagov_refresh_token"]["path"] == REFRESH
    assert {cookie["same_site"] for cookie in found.values()} == {"Lax"}


def test_the_profile_session_takes_the_same_way_with_its_own_cookies(start_demo):
    demo = start_demo("--no-limits")
    change(demo, "demo-webview", cookie_profile="session")
    app = App(demo)
    app.sign_in()
    answer = app.cookies()
    assert (answer.status, answer.json()) == (200, {})
    assert set(answer.cookies) == {wire.SESSION_COOKIE, "drawbridge_info"}
    attributes = answer.cookies[wire.SESSION_COOKIE].attributes
    assert "domain" not in attributes and attributes["path"] == "/" and attributes["httponly"] is True
    assert session(demo, answer)["origin"] == "token_exchange"


def checked(demo, cookies: str, path: str = "/auth/check") -> int:
    return wire.send(demo.base, "GET", path, {"Cookie": cookies}).status


def test_5_6_a_revoked_access_token_is_no_cookie_either(va, app):
    """At once at the node that was told, where it had been good a moment before."""
    view, other = app.cookies(), app.cookies()
    token = view.cookies["vagov_access_token"].value
    paths = ["/auth/check", f"{TOKEN.removesuffix('token')}user_info"]
    for path in paths:
        assert checked(va, wire.cookie_header(view), path) == 200
    assert app.post("/oauth/revoke", client_id="demo-webview", token=token).status == 200
    for path in paths:
        assert checked(va, wire.cookie_header(view), path) == 401
        assert checked(va, wire.cookie_header(other), path) == 200, "nothing but that token was revoked"
    proof = view.cookies["vagov_anti_csrf_token"].value
    # The session lives, so that a page may renew its cookies, as where the token has run out.
    assert session(va, view) == {"authenticated": False, "anti_csrf_token": proof}
    renewed = wire.send(va.base, "POST", "/session/refresh", {**cookie_header(view), "X-CSRF-Token": proof})
    assert renewed.status == 200
    assert session(va, renewed)["authenticated"] and checked(va, wire.cookie_header(renewed)) == 200
    assert checked(va, wire.cookie_header(view)) == 401, "and with that the revoked one is not good again"


def test_5_6_a_browser_with_a_revoked_access_token_can_still_sign_out(va, app):
    view = app.cookies()
    token, proof = (view.cookies[f"vagov_{name}"].value for name in ("access_token", "anti_csrf_token"))
    assert app.post("/oauth/revoke", client_id="demo-webview", token=token).status == 200
    headers = {**cookie_header(view), "Origin": va.base, "Sec-Fetch-Site": "same-origin"}
    assert wire.send(va.base, "POST", "/session/logout", headers, b"").status == 204
    assert session(va, view) == {"authenticated": False}
    refused = wire.send(va.base, "POST", "/session/refresh", {**cookie_header(view), "X-CSRF-Token": proof})
    assert refused.status == 401, "its session has ended"


def test_an_access_token_of_a_website_with_the_profile_session_is_no_cookie(va):
    """Its server got it by the back channel; under the name of another website's cookie it opens nothing."""
    website = va.client("demo-web")
    answer = wire.send(va.base, "POST", "/oauth/token", {"Content-Type": wire.FORM}, urlencode({
        "grant_type": native.EXCHANGE, "subject_token": va.issue()["token"], "subject_token_type": native.LOGIN_TOKEN,
        "client_id": "demo-web", "client_secret": website["client_secret"]}).encode())
    assert answer.status == 200, answer.text
    cookie = f"vagov_access_token={answer.json()['access_token']}"
    assert checked(va, cookie) == 401
    change(va, "demo-web", cookie_profile="tokens")
    try:
        assert checked(va, cookie) == 200, "it is the profile alone that it fails by"
    finally:
        change(va, "demo-web", cookie_profile="session")
    assert checked(va, cookie) == 401


@pytest.mark.parametrize("domain", ["va.gov/", "https://va.gov", "va.gov; Path=/", ".", "va gov", "vä.gov"])
def test_a_domain_that_would_break_the_header_is_not_registered(va, domain):
    path = "/api/admin/clients/demo-webview"
    tag = admin(va, "GET", path).header("ETag")
    answer = admin(va, "PATCH", path, {"cookie_domain": domain}, **{"If-Match": tag})
    assert answer.status == 400 and "cookie_domain" in answer.json()["error_description"]


def test_a_session_never_outlives_the_sign_in_it_hangs_below(va):
    """Counted from now, capped by the parent's absolute end (contract §6)."""
    app = App(va)
    app.sign_in()
    parent = next(item for item in admin(va, "GET", f"/api/admin/users/{app.user['sub']}/sessions").json()["items"]
                  if item["id"] == signing.claims_of(app.tokens["id_token"])["sid"])
    found = session(va, app.cookies(path=TOKEN))
    assert found["expires_at"] <= parent["expires_at"]
    assert found["idle_expires_at"] <= found["expires_at"]


def test_a_page_may_renew_cookies_whose_access_token_has_run_out_while_their_session_lives(start_demo):
    """As long as the shortest access token lives: the one thing here that only time does."""
    demo = start_demo("--no-limits")
    change(demo, "demo-webview", access_token_lifetime=60)
    app = App(demo)
    app.sign_in()
    view, other = app.cookies(), app.cookies()
    assert session(demo, view)["authenticated"]
    ends = signing.claims_of(view.cookies["vagov_access_token"].value)["exp"]
    instance.wait_until(lambda: time.time() > ends + 1, 120, "the end of the access token")
    assert wire.send(demo.base, "GET", "/auth/check", cookie_header(view)).status == 401
    proof = view.cookies["vagov_anti_csrf_token"].value
    assert session(demo, view) == {"authenticated": False, "anti_csrf_token": proof}
    renewed = wire.send(demo.base, "POST", "/session/refresh", {**cookie_header(view), "X-CSRF-Token": proof})
    assert renewed.status == 200 and session(demo, renewed)["authenticated"]
    # Of a session that is over there is nothing to renew.
    assert app.post("/oauth/revoke", token=app.tokens["device_secret"]).status == 200
    assert session(demo, other) == {"authenticated": False}
