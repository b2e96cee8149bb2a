"""A website that wants two factors (`min_acr`), or whose proxy asks for them, by every way to it (docs/clients.md)."""

import re
import secrets
from urllib.parse import parse_qs, quote, urlencode, urlsplit

import pytest

import instance
import native
import oauth
import signing
import tls
import totp
import wire
from accounts import PASSWORD
from admin import admin, change
from hand_off import CROSS_SITE, HAND_OFF, OTHER, new_state
from native import App
from second_factor import enrolled, password
from selfissued import Browser, Phone, Trusted

CONTACTS = "/sign-in?redirect=%2Fcontacts"


def shown(browser, answer: wire.Answer) -> wire.Answer:
    """The page that a redirect leads to."""
    assert answer.status in (302, 303), answer.text
    return browser.request("GET", answer.header("Location").removeprefix(browser.demo.base))


@pytest.fixture
def site(serve):
    return serve(website="min_acr: aal2", users={"petra": PASSWORD, "quentin": PASSWORD})


# At the sign-in page and the check


def test_who_signs_in_here_with_one_factor_is_not_let_into_a_website_that_wants_two(site):
    browser = oauth.Browser(site)
    signed_in = password(browser, "petra", CONTACTS)
    assert signed_in.status == 303 and signed_in.header("Location") == site.base + CONTACTS
    page = shown(browser, signed_in)
    assert page.status == 200 and 'id="second-factor" href="/account/second-factor"' in page.text
    checked = browser.request("GET", "/auth/check")
    assert checked.status == 401 and checked.header("X-Auth-Subject") is None
    assert checked.header("WWW-Authenticate") == (
        'Bearer error="insufficient_user_authentication", acr_values="aal2"')
    sent = browser.request("GET", "/auth/check?redirect=%2Fcontacts")
    assert sent.header("Location") == f"{site.base}{CONTACTS}&wanted_acr=aal2"
    # The account's own pages are open, or nobody could do anything about it.
    assert browser.request("GET", "/account/second-factor").status == 200


@pytest.mark.parametrize(("query", "lacking"), [
    ("", 'acr_values="aal2"'), ("?max_age=600", 'acr_values="aal2"'), ("?acr=aal1", 'acr_values="aal2"'),
    ("?acr=aal3", 'acr_values="aal3"'), ("?acr=aal3&max_age=600", 'acr_values="aal3", max_age="600"')])
def test_rfc_9470_the_challenge_of_a_check_names_what_is_lacking_and_nothing_else(serve, query, lacking):
    site = serve(website="min_acr: aal2, max_auth_age: 0", users={"petra": PASSWORD})
    browser = oauth.Browser(site)
    password(browser, "petra", "/sign-in")
    checked = browser.request("GET", "/auth/check" + query)
    assert checked.header("WWW-Authenticate") == f'Bearer error="insufficient_user_authentication", {lacking}'


def test_who_has_a_second_factor_is_asked_for_the_code_alone_and_then_let_in(site):
    browser = oauth.Browser(site)
    password(browser, "petra", CONTACTS)
    key, _ = enrolled(site, "petra")
    page = shown(browser, browser.request("GET", "/auth/check?redirect=%2Fcontacts"))
    fields = oauth.Forms(page.text).forms[0]["fields"]
    assert "code" in fields and "password" not in fields
    signed_in = browser.submit(page, code=totp.code(key))
    assert signed_in.status == 303 and signed_in.header("Location") == f"{site.base}/contacts"
    assert browser.request("GET", "/auth/check?redirect=%2Fcontacts").header("X-Auth-Acr") == "aal2"


def test_the_password_and_the_code_lead_to_the_website_at_once(site):
    key, _ = enrolled(site, "quentin")
    browser = oauth.Browser(site)
    page = password(browser, "quentin", CONTACTS)
    signed_in = browser.submit(page, code=totp.code(key))
    assert signed_in.status == 303 and signed_in.header("Location") == f"{site.base}/contacts"
    assert browser.request("GET", "/auth/check").status == 200


def test_an_old_sign_in_is_no_matter_of_the_check_unless_the_proxy_asks(serve):
    """`max_auth_age` says how old a sign-in may be when it is handed over (docs/clients.md)."""
    site = serve(website="max_auth_age: 0", users={"petra": PASSWORD})
    browser = oauth.Browser(site)
    assert password(browser, "petra", CONTACTS).header("Location") == f"{site.base}/contacts"
    assert browser.request("GET", "/auth/check").status == 200
    asked = browser.request("GET", "/auth/check?max_age=0&redirect=%2Fcontacts")
    assert asked.header("Location") == f"{site.base}{CONTACTS}&fresh=1"


def test_a_strength_that_nobody_has_ends_at_a_page_that_says_so(serve):
    site = serve(users={"petra": PASSWORD})
    browser = oauth.Browser(site)
    password(browser, "petra", CONTACTS)
    page = shown(browser, browser.request("GET", "/auth/check?acr=gold&redirect=%2Fcontacts"))
    assert 'id="notice"' in page.text and 'id="second-factor"' not in page.text
    again = browser.submit(page, username="petra", password=PASSWORD)
    assert again.header("Location") == f"{site.base}{CONTACTS}&wanted_acr=gold"
    assert 'id="notice"' in shown(browser, again).text


# What was issued before the website wanted more


def test_a_login_link_from_before_a_website_wanted_two_factors_is_refused_and_not_used_up(start_demo):
    demo = start_demo("--no-limits")
    issued = demo.issue()
    change(demo, "demo-web", min_acr="aal2")
    refused = demo.redeem(issued["token"])
    assert refused.status == 400 and refused.session_cookie is None
    assert [row["reason"] for row in demo.audit("login_token.refused", token_id=issued["id"])] == [
        "authentication_too_weak"]
    change(demo, "demo-web", min_acr=None)
    assert demo.redeem(issued["token"]).status == 303


def test_a_web_views_cookies_are_not_renewed_once_its_website_wants_two_factors(start_demo):
    demo = start_demo("--no-limits")
    app = App(demo)
    app.sign_in()
    view = app.cookies()
    headers = {"Cookie": wire.cookie_header(view), "X-CSRF-Token": view.cookies["vagov_anti_csrf_token"].value}
    change(demo, "demo-webview", min_acr="aal2")
    assert demo.send("POST", "/session/refresh", headers).status == 401
    assert [row["reason"] for row in demo.audit("refresh_token.refused")] == ["authentication_too_weak"]
    assert demo.send("GET", "/auth/check", {"Cookie": headers["Cookie"]}).status == 401
    change(demo, "demo-webview", min_acr=None)
    assert demo.send("POST", "/session/refresh", headers).status == 200


def test_a_used_link_that_comes_again_once_its_website_wants_two_factors_is_a_replay(start_demo):
    demo = start_demo("--no-limits")
    issued = demo.issue()
    cookie = demo.redeem(issued["token"]).session_cookie
    change(demo, "demo-web", min_acr="aal2")
    assert demo.redeem(issued["token"], {**wire.NAVIGATION, "User-Agent": "a thief's"}).status == 400
    assert [row["reason"] for row in demo.audit("login_token.replayed", token_id=issued["id"])] == ["replayed"]
    assert demo.session(cookie)["authenticated"] is False, "what the first use opened ends"


# At an origin that websites share


def test_attack_a_weak_session_of_a_neighbour_opens_no_website_that_wants_two_factors_at_the_same_origin(start_demo):
    demo = start_demo("--no-limits")
    app = App(demo)
    app.sign_in()
    made = admin(demo, "POST", "/api/admin/clients", {
        "client_id": "near", "client_type": "web", "return_paths": ["/x"], "default_return_path": "/x"})
    assert made.status == 201, made.text
    reach = admin(demo, "GET", "/api/admin/clients/demo-app").json().get("may_reach") or []
    change(demo, "demo-app", may_reach=[*reach, "near"])
    cookies = {
        "a web view's": wire.cookie_header(app.cookies()),
        "a link's": demo.redeem(demo.issue(client_id="near")["token"]).session_cookie}
    assert all(demo.send("GET", "/auth/check", {"Cookie": cookie}).status == 200 for cookie in cookies.values())
    change(demo, "demo-web", min_acr="aal2")
    for whose, cookie in cookies.items():
        checked = demo.send("GET", "/auth/check", {"Cookie": cookie})
        assert checked.status == 401 and checked.header("X-Auth-Subject") is None, whose
        assert 'acr_values="aal2"' in checked.header("WWW-Authenticate"), whose


# From a portal to a website of another domain (contract §4.6)


def visitor(portal, name: str) -> native.Browser:
    """A new user, signed in at the portal with a password alone."""
    made = admin(portal.demo, "POST", "/api/admin/users", {"username": name, "password": PASSWORD})
    assert made.status == 201, made.text
    browser = native.Browser(portal.demo.base)
    signed_in = browser.submit(browser.send("GET", "/sign-in"), "/sign-in", username=name, password=PASSWORD)
    assert signed_in.status == 303, signed_in.text
    return browser


def new_name() -> str:
    return f"rosa-{secrets.token_hex(4)}"


def test_attack_two_websites_of_one_origin_are_closed_to_what_is_too_weak_for_either(portal):
    browser, state = visitor(portal, new_name()), new_state()
    cookie = portal.land(portal.follow(browser, state).header("Location"), state).session_cookie
    assert portal.at(OTHER, "/auth/check", cookie=cookie).status == 200
    made = admin(portal.demo, "POST", "/api/admin/clients", {
        "client_id": "twin", "client_type": "web", "public_origin": f"https://{OTHER}", "min_acr": "aal2",
        "return_paths": ["/contacts"], "default_return_path": "/contacts"})
    assert made.status == 201, made.text
    try:
        assert portal.at(OTHER, "/auth/check", cookie=cookie).status == 401
    finally:
        gone = admin(portal.demo, "DELETE", "/api/admin/clients/twin", **{"If-Match": made.header("ETag")})
        assert gone.status == 204, gone.text


def test_whoever_is_signed_in_too_weakly_for_a_website_of_another_domain_is_asked_for_the_rest_on_the_way(portal):
    name = new_name()
    browser, state = visitor(portal, name), new_state()
    change(portal.demo, "other", min_acr="aal2")
    try:
        page = portal.follow(browser, state, redirect="/account/4")
        assert page.status == 401 and 'acr_values="aal2"' in page.header("WWW-Authenticate"), page.text
        assert 'id="second-factor" href="/account/second-factor"' in page.text
        script = portal.follow(browser, state, headers={**CROSS_SITE, "Accept": "application/json"})
        assert (script.status, script.json()["error"]) == (401, "insufficient_user_authentication")
        printed = instance.run("users", "second-factor", "enrol", "--data", str(portal.demo.data), name).stdout.decode()
        key = re.search(r"^Key: (\S+)$", printed, re.M)[1]
        page = portal.follow(browser, state, redirect="/account/4")
        assert page.status == 401 and 'name="code"' in page.text and 'name="password"' not in page.text
        back = browser.submit(page, "/sign-in/code", code=totp.code(key))
        assert back.status == 303 and urlsplit(back.header("Location")).path == HAND_OFF, back.text
        landed = portal.land(browser.send("GET", back.header("Location")).header("Location"), state)
        assert landed.header("Location") == f"https://{OTHER}/account/4"
        checked = portal.at(OTHER, "/auth/check", cookie=landed.session_cookie)
        assert (checked.status, checked.header("X-Auth-Acr")) == (200, "aal2")
    finally:
        change(portal.demo, "other", min_acr=None)


def test_whose_sign_in_is_too_old_for_a_website_of_another_domain_signs_in_again_and_goes_on(portal):
    name = new_name()
    browser, state = visitor(portal, name), new_state()
    change(portal.demo, "other", max_auth_age=10)
    try:
        instance.wait_until(lambda: portal.follow(browser, state).status == 401, 60, "a sign-in that is too old")
        page = portal.follow(browser, state, redirect="/account/5")
        assert page.status == 401 and 'max_age="10"' in page.header("WWW-Authenticate"), page.text
        back = browser.submit(page, "/sign-in", username=name, password=PASSWORD)
        assert back.status == 303 and urlsplit(back.header("Location")).path == HAND_OFF, back.text
        landed = portal.land(browser.send("GET", back.header("Location")).header("Location"), state)
        assert landed.header("Location") == f"https://{OTHER}/account/5"
    finally:
        change(portal.demo, "other", max_auth_age=None)


def test_a_website_that_takes_no_sign_in_of_before_is_reached_by_no_hand_off_and_nobody_goes_in_circles(portal):
    browser, state = visitor(portal, new_name()), new_state()
    change(portal.demo, "other", max_auth_age=0)
    try:
        refused = portal.follow(browser, state)
        assert refused.status == 401 and refused.header("Location") is None
        assert 'action="/sign-in' not in refused.text
    finally:
        change(portal.demo, "other", max_auth_age=None)


# After a phone's key


@pytest.fixture
def owner(start_demo, tmp_path):
    """A demo over TLS; Alice's phone, and the key of her second factor."""
    certificate, private_key = tls.certificate(tmp_path)
    demo = Trusted(
        start_demo("--no-limits", "--tls-certificate", str(certificate), "--tls-key", str(private_key)), certificate)
    phone, browser = Phone(), Browser(demo)
    browser.sign_in("alice")
    browser.link(phone)
    page = browser.request("GET", "/account/second-factor")
    key = re.search(r'<pre id="secret"[^>]*>([A-Z2-7 ]+)<', page.text)[1]
    assert browser.submit(page, code=totp.code(key)).status in (200, 303)
    return demo, phone, key


def with_the_rest(browser, page: wire.Answer, key: str) -> wire.Answer:
    """Types the password that a page asks the known user for, and the code after it."""
    assert page.status == 200 and 'id="known"' in page.text, page.text
    page = browser.submit(page, password=browser.demo.user("alice")["password"])
    # The step of now was used to set it up.
    return browser.submit(page, code=totp.code(key, later=1))


def test_a_check_that_wants_two_factors_is_met_after_a_phones_key_and_does_not_go_in_circles(owner):
    demo, phone, key = owner
    browser, check = Browser(demo), "/auth/check?acr=aal2&redirect=%2Fcontacts"
    assert 'id="self-issued"' in browser.request("GET", CONTACTS).text
    offered = shown(browser, browser.request("GET", check))
    assert 'id="self-issued"' not in offered.text, "one factor is not enough"
    answer = browser.respond(phone.answer(browser.start("?return=%2Fcontacts")))
    assert answer.json()["location"] == "/contacts", answer.body
    signed_in = with_the_rest(browser, shown(browser, browser.request("GET", check)), key)
    assert signed_in.status == 303 and signed_in.header("Location") == f"{demo.base}/contacts"
    assert browser.request("GET", check).status == 200


def test_an_app_that_requires_two_factors_is_answered_after_a_phones_key_the_password_and_the_code(owner):
    demo, phone, key = owner
    browser = Browser(demo)
    page = shown(browser, browser.request("GET", "/oauth/authorize?" + urlencode({
        "response_type": "code", "client_id": "demo-app", "redirect_uri": oauth.APP_REDIRECT, "scope": "openid",
        "state": "s", "code_challenge": signing.challenge("v" * 43), "code_challenge_method": "S256",
        "claims": '{"id_token":{"acr":{"essential":true,"value":"aal2"}}}'})))
    assert 'id="self-issued"' not in page.text
    journey = oauth.Forms(page.text).forms[0]["fields"]["journey"]
    answer = browser.respond(phone.answer(browser.start("?journey=" + quote(journey, safe=""))))
    back = browser.request("GET", answer.json()["location"].removeprefix(demo.base))
    signed_in = with_the_rest(browser, shown(browser, back), key)
    ended = browser.go(signed_in.header("Location").removeprefix(demo.base), "alice")
    assert ended.startswith(oauth.APP_REDIRECT) and "code" in parse_qs(urlsplit(ended).query), ended
    assert not [row for row in instance.audit_rows(demo.server.data) if row["type"] == "authorization_request.refused"]
