"""Signing in with a phone where website and issuer have hosts of their own (ADR-0077), and where a phone is offered at all:
only where what it opens may be enough."""

import re
import secrets
from html import unescape
from urllib.parse import parse_qs, quote, urlencode, urlsplit

import pytest

import instance
import native
import oauth
import signing
import wire
from computer import PAGE, Computer
from hand_off import CROSS_SITE, HAND_OFF, new_state
from native import Browser

WEBSITE, ISSUER, SHOP = "www.example.com", "auth.example.com", "www.shop.example"
STRICT = "www.strict.example"
NOT_ENOUGH = "answer is not enough for this"


class Apart(instance.Served):
    """Website and issuer on hosts of their own; `mine` is the app that approves, and may not open `shop`."""

    def __init__(self):
        super().__init__(
            f"issuer: https://{ISSUER}\ncross_device: {{enabled: true}}\nself_issued: {{enabled: true}}\n"
            "sign_in_url: /session/sign-in\nlimits: {issue: {device_burst: 30, user_burst: 30}}\n",
            clients=[
                {"client_id": "mine", "client_type": "native", "first_party": True, "redirect_uris": [native.CALLBACK],
                 "can_issue_login_tokens": True, "may_reach": ["web", "strict"]},
                {"client_id": "shop", "client_type": "web", "public_origin": f"https://{SHOP}", "return_paths": ["/news"],
                 "default_return_path": "/news"},
                {"client_id": "strict", "client_type": "web", "public_origin": f"https://{STRICT}",
                 "return_paths": ["/news"], "default_return_path": "/news", "min_acr": "aal2"}],
            users={"alice": "correct horse battery", "bob": "correct horse staple"}, origin=f"https://{WEBSITE}",
            website="portal: true, may_reach: [web, shop, strict]")
        self.tokens = self.sign_in_to_app()

    def at(self, host: str, method: str, target: str, headers: dict | None = None, body=None) -> wire.Answer:
        return self.send(method, target, {**(headers or {}), "Host": host}, body)

    def post(self, target: str, headers: dict | None = None, **fields: str) -> wire.Answer:
        return self.at(ISSUER, "POST", target, {"Content-Type": wire.FORM, **(headers or {})}, urlencode(fields))

    def sign_in_to_app(self) -> dict:
        verifier = secrets.token_urlsafe(32)
        location = Visitor(self).sign_in("/oauth/authorize?" + urlencode({
            "response_type": "code", "client_id": "mine", "redirect_uri": native.CALLBACK, "state": new_state(),
            "scope": "openid offline_access", "code_challenge": signing.challenge(verifier),
            "code_challenge_method": "S256"}), self.user("alice"))
        answer = self.post("/oauth/token", grant_type="authorization_code", client_id="mine", code_verifier=verifier,
                           code=parse_qs(urlsplit(location).query)["code"][0], redirect_uri=native.CALLBACK)
        assert answer.status == 200, answer.text
        return answer.json()

    def digits(self, computer: Computer) -> str:
        """What the app shows whose user approves."""
        bearer = {"Authorization": f"Bearer {self.tokens['access_token']}"}
        scanned = self.post(f"/api/xd/{computer.id}/scan", bearer)
        assert scanned.status == 200, scanned.text
        approved = self.post(f"/api/xd/{computer.id}/approve", bearer, txn=scanned.json()["txn"])
        assert approved.status == 200, approved.text
        return approved.json()["confirm_code"]


class Visitor(Computer):
    """A browser, as the issuer sees it."""

    def __init__(self, server: Apart):
        super().__init__(f"https://{ISSUER}")
        self.server = server

    def carry(self, method, target, headers, body) -> wire.Answer:
        return self.server.at(ISSUER, method, target, headers, body)

    def comes_from_website(self) -> wire.Answer:
        """By the website's own sign-in, which leaves a nonce at the website; the page that it leads to."""
        begun = self.server.at(WEBSITE, "GET", "/session/sign-in?redirect=/contacts", wire.NAVIGATION)
        self.nonce = begun.cookies["__Host-drawbridge_handoff"].value
        page = self.send("GET", begun.header("Location"), CROSS_SITE)
        # Whose session hands nothing on is somebody all the same.
        assert page.status == (403 if wire.SESSION_COOKIE in self.jar else 401) and 'name="password"' in page.text, page.text
        return page

    def approved(self) -> wire.Answer:
        """By the app on the phone, from the page that the website's sign-in leads to."""
        self.page = self.send("GET", phone_link(self.comes_from_website()))
        return self.confirm(self.server.digits(self))

    def lands(self, link: str, nonce: str | None) -> wire.Answer:
        url = urlsplit(link)
        assert (url.netloc, url.path) == (WEBSITE, "/login-with-token"), link
        cookie = {"Cookie": f"__Host-drawbridge_handoff={nonce}"} if nonce else {}
        return self.server.at(WEBSITE, "GET", f"{url.path}?{url.query}", {**CROSS_SITE, **cookie})


@pytest.fixture(scope="module")
def apart():
    server = Apart()
    yield server
    assert server.stop() == 0


def phone_link(page: wire.Answer) -> str | None:
    """Where "Sign in with the app on your phone" leads."""
    link = re.search(r'id="phone" href="([^"]+)"', page.text)
    return unescape(link[1]) if link else None


def key_link(page: wire.Answer) -> str | None:
    """Where "Sign in with a phone's key" leads."""
    link = re.search(r'id="self-issued" href="([^"]+)"', page.text)
    return unescape(link[1]) if link else None


def test_who_comes_from_the_website_signs_in_with_the_phone_and_is_signed_in_there(apart):
    visitor = Visitor(apart)
    sent = visitor.approved()
    assert sent.status == 303 and sent.header("Cache-Control") == "no-store", sent.text
    assert "__Host-xd" not in visitor.jar and wire.SESSION_COOKIE not in visitor.jar
    landed = visitor.lands(sent.header("Location"), visitor.nonce)
    assert (landed.status, landed.header("Location")) == (303, f"https://{WEBSITE}/contacts"), landed.text
    cookie = {"Cookie": landed.session_cookie}
    session = apart.at(WEBSITE, "GET", "/session", cookie).json()
    assert session["authenticated"] and session["origin"] == "login_token"
    assert apart.at(WEBSITE, "GET", "/auth/check", cookie).status == 200
    # With the app's session it is over.
    assert apart.post("/oauth/revoke", token=apart.tokens["refresh_token"], client_id="mine").status == 200
    apart.tokens = apart.sign_in_to_app()
    instance.wait_until(lambda: apart.at(WEBSITE, "GET", "/auth/check", cookie).status == 401, 15, "its end")


def test_attack_a_link_from_an_approval_in_another_browser_asks_for_a_click(apart):
    visitor = Visitor(apart)
    link = visitor.approved().header("Location")
    for nonce in [None, new_state()]:
        page = visitor.lands(link, nonce)
        assert page.status == 200 and not page.session_cookie and "data-submit" not in page.text
    assert visitor.lands(link, visitor.nonce).status == 303, "nothing was used up"


def test_to_a_website_that_no_app_may_open_the_phone_is_not_offered(apart):
    visitor = Visitor(apart)
    page = visitor.send("GET", f"{HAND_OFF}?client_id=shop&state={new_state()}", CROSS_SITE)
    assert page.status == 401 and 'name="password"' in page.text and phone_link(page) is None


def test_a_phones_key_on_another_device_is_not_offered_on_the_way_to_the_website(apart):
    """On this device it is the user's own sign-in."""
    visitor = Visitor(apart)
    page = visitor.send("GET", key_link(visitor.comes_from_website()))
    assert page.status == 200 and 'id="open-app"' in page.text and 'id="qr"' not in page.text


def test_what_a_phone_opened_here_is_told_that_it_is_not_enough_and_the_password_leads_on(apart):
    visitor = Visitor(apart).open()
    assert visitor.confirm(apart.digits(visitor)).status == 303 and wire.SESSION_COOKIE in visitor.jar
    page = visitor.comes_from_website()
    assert NOT_ENOUGH in page.text
    back = visitor.submit(page, "/sign-in", **apart.user("alice"))
    sent = visitor.send("GET", back.header("Location"))
    assert sent.status == 303 and visitor.lands(sent.header("Location"), visitor.nonce).status == 303, sent.text


def signed_in(apart: Apart, name: str) -> Visitor:
    """At the issuer, by password."""
    visitor = Visitor(apart)
    visitor.submit(visitor.send("GET", "/sign-in"), "/sign-in", **apart.user(name))
    assert wire.SESSION_COOKIE in visitor.jar
    return visitor


def hand_off(website: str) -> str:
    return f"{HAND_OFF}?client_id={website}&state={new_state()}"


@pytest.mark.parametrize("name, stays", [("alice", True), ("bob", False)])
def test_attack_whom_an_approval_leads_on_finds_no_other_user_in_the_browser_later(apart, name, stays):
    """Alice approves; a session that somebody has planted would be the website's next sign-in."""
    visitor = signed_in(apart, name)
    before = dict(visitor.jar)
    visitor.open("?" + urlencode({"redirect": hand_off("web")}))
    sent = visitor.confirm(apart.digits(visitor))
    assert sent.status == 303 and urlsplit(sent.header("Location")).netloc == WEBSITE, sent.text
    assert (wire.SESSION_COOKIE in visitor.jar) == stays
    visitor.jar = before
    assert visitor.send("GET", hand_off("web"), CROSS_SITE).status == (303 if stays else 401)
    switched = [row for row in instance.audit_rows(apart.data) if row["type"] == "web_session.switched"]
    assert bool(switched) != stays


def test_an_approval_that_leads_nowhere_leaves_the_users_own_sign_in(apart):
    visitor = signed_in(apart, "alice").open("?" + urlencode({"redirect": hand_off("strict")}))
    told = visitor.confirm(apart.digits(visitor))
    assert NOT_ENOUGH in told.text and "__Host-xd" not in visitor.jar, told.text
    assert visitor.send("GET", hand_off("web"), CROSS_SITE).status == 303


def at_sign_in(browser: Browser, target: str) -> wire.Answer:
    """The sign-in page that a visit leads to."""
    page = browser.send("GET", target)
    for _ in range(3):
        if page.status == 303:
            page = browser.send("GET", page.header("Location"))
    assert 'action="/sign-in' in page.text, page.text
    return page


def request(client: str, redirect: str, **more: str) -> str:
    return "/oauth/authorize?" + urlencode({
        "response_type": "code", "client_id": client, "redirect_uri": redirect, "scope": "openid", "state": new_state(),
        "nonce": new_state(), "code_challenge": signing.challenge(secrets.token_urlsafe(32)),
        "code_challenge_method": "S256", **more})


@pytest.mark.parametrize("target, is_offered", [
    ("/sign-in?redirect=%2Fcontacts", True), ("/sign-in?redirect=%2Faccount", True),
    ("/sign-in?redirect=%2Faccount%2Fdevices", True), ("/device", False), ("/account/password", False),
    ("/account/second-factor", False), ("/account/passkeys", False), ("/account/phone-keys", False),
    pytest.param(request("demo-app", native.CALLBACK), False, id="an app's request"),
    pytest.param(request("demo-rp", oauth.RP_REDIRECT), False, id="a website's request"),
])
def test_another_device_is_offered_where_what_it_opens_may_be_enough(demo, target, is_offered):
    browser = Browser(demo.base)
    page = at_sign_in(browser, target)
    assert (phone_link(page) is not None) == is_offered
    # What is not shown on plain http can be asked for all the same.
    suffix = re.search(r'action="/sign-in(?:\?([^"]*))?"', page.text)[1]
    started = browser.send("GET", "/self-issued/start?" + unescape(suffix).replace("redirect=", "return="))
    assert started.status == 200 and ('id="qr"' in started.text) == is_offered, started.text


def test_whom_a_phone_signed_in_for_a_website_that_takes_more_is_told_so(demo):
    """As where the app lost its right meanwhile: the page would just come again."""
    computer = Computer(demo.base)
    page = at_sign_in(computer, request("demo-rp", oauth.RP_REDIRECT))
    [journey] = re.findall(r'name="journey" value="([^"]+)"', page.text)
    computer.open(f"?journey={quote(unescape(journey), safe='')}")
    bearer = {"Authorization": f"Bearer {native.App(demo).sign_in('openid')['access_token']}", "Content-Type": wire.FORM}
    scanned = demo.send("POST", f"/api/xd/{computer.id}/scan", bearer).json()
    approved = demo.send("POST", f"/api/xd/{computer.id}/approve", bearer, urlencode({"txn": scanned["txn"]})).json()
    opened = computer.confirm(approved["confirm_code"])
    assert opened.status == 303, opened.text
    told = at_sign_in(computer, opened.header("Location"))
    assert NOT_ENOUGH in told.text and PAGE not in told.text
