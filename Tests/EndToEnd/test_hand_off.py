"""From one domain to another, signed in (contract §4.6): the portal's side and the website's, and what a thief makes of it."""

import base64
import html
import re
import secrets
from contextlib import ExitStack, contextmanager
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

import instance
import wire
from admin import admin, change, changed
from hand_off import CROSS_SITE, HAND_OFF, OTHER, THIRD, Portal, new_state
from native import App, Browser


def test_a_browser_that_is_signed_in_here_lands_signed_in_on_another_domain(portal):
    state = new_state()
    sent = portal.follow(portal.person(), state, redirect="/account/1?a=b")
    assert sent.status == 303 and sent.header("Cache-Control") == "no-store"
    landed = portal.land(sent.header("Location"), state)
    assert landed.status == 303 and landed.header("Location") == f"https://{OTHER}/account/1?a=b"
    assert landed.cookies["__Host-drawbridge_handoff"].value == "", "the nonce has done its work"
    session = portal.at(OTHER, "/session", cookie=landed.session_cookie).json()
    assert session["sub"] == portal.demo.user("alice")["sub"] and session["origin"] == "hand_off"
    assert portal.at(OTHER, "/auth/check", cookie=landed.session_cookie).status == 200
    assert portal.at(THIRD, "/auth/check", cookie=landed.session_cookie).status == 401, "it opens that website alone"


@pytest.mark.parametrize("nonce", [None, "another"])
def test_without_the_nonce_of_this_browser_a_click_is_asked_for_and_nothing_is_used_up(portal, nonce):
    """Login CSRF: a thief's own link in the victim's browser."""
    sent = portal.follow(portal.person("bob"), new_state())
    page = portal.land(sent.header("Location"), new_state() if nonce else None)
    assert page.status == 200 and not page.session_cookie and "data-submit" not in page.text
    assert portal.status(sent.header("Location")) == "pending"


def test_ahead_of_the_visitor_nothing_is_used_up(portal):
    state = new_state()
    sent = portal.follow(portal.person(), state)
    page = portal.land(sent.header("Location"), state, {**CROSS_SITE, "Sec-Purpose": "prefetch;prerender"})
    assert page.status == 200 and portal.status(sent.header("Location")) == "pending"
    page = portal.land(sent.header("Location"), state, {**CROSS_SITE, "Sec-Fetch-Dest": "iframe"})
    assert page.status == 200 and portal.status(sent.header("Location")) == "pending"


def test_a_link_for_a_page_asks_for_a_click_whatever_the_browser_holds(portal):
    browser = portal.person()
    made = portal.make(browser, client_id="other", redirect="/account/2")
    assert made.status == 200 and list(made.json()) == ["login_url"], made.text
    url = made.json()["login_url"]
    page = portal.land(url, new_state())
    assert page.status == 200 and portal.status(url) == "pending"
    # The click.
    fields = dict(re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', page.text))
    fields = {name: html.unescape(value) for name, value in fields.items()}
    binding = page.cookies["__Host-drawbridge_form"].value
    landed = portal.demo.send("POST", "/login-with-token", {
        **wire.NAVIGATION, "Host": OTHER, "Origin": f"https://{OTHER}", "Sec-Fetch-Site": "same-origin",
        "Cookie": f"__Host-drawbridge_form={binding}"}, urlencode(fields))
    assert landed.status == 303 and landed.header("Location") == f"https://{OTHER}/account/2", landed.text
    assert landed.session_cookie


def test_a_handed_on_session_hands_nothing_on(portal):
    """Whatever it may reach: no chains."""
    state = new_state()
    landed = portal.land(portal.follow(portal.person(), state).header("Location"), state)
    again = portal.at(OTHER, f"{HAND_OFF}?client_id=other&state={new_state()}", cookie=landed.session_cookie)
    assert again.status == 403 and again.header("Location") is None
    linked = portal.demo.sign_in("alice")
    refused = portal.demo.send("GET", f"{HAND_OFF}?client_id=other&state={new_state()}",
                               {**wire.NAVIGATION, "Cookie": linked, "Accept": "application/json"})
    assert (refused.status, refused.json()["error"]) == (403, "unauthorized_client"), refused.text


def test_who_came_by_a_link_signs_in_and_goes_on_to_the_other_website(portal):
    """To such a visitor it is as if nobody were signed in, as at the authorization endpoint: no error without a way out."""
    linked, user, state = portal.demo.sign_in("alice"), portal.demo.user("alice"), new_state()
    browser = Browser(portal.demo.base)
    browser.jar[wire.SESSION_COOKIE] = linked.partition("=")[2]
    page = portal.follow(browser, state)
    assert page.status == 403 and page.header("WWW-Authenticate") is None and 'name="password"' in page.text, page.text
    told = portal.demo.audit("login_token.refused")[-1]
    assert (told["reason"], told["subject"]) == ("chained_session", user["sub"])
    back = browser.submit(page, "/sign-in", username=user["username"], password=user["password"])
    assert back.status == 303 and HAND_OFF in back.header("Location"), back.text
    sent = browser.send("GET", back.header("Location"))
    assert portal.land(sent.header("Location"), state).status == 303


def test_it_ends_with_the_session_that_it_came_from(portal):
    state, browser = new_state(), portal.person()
    landed = portal.land(portal.follow(browser, state).header("Location"), state)
    out = browser.send("POST", "/session/logout", {"Origin": portal.demo.base, "Sec-Fetch-Site": "same-origin"})
    assert out.status == 204
    instance.wait_until(lambda: portal.at(OTHER, "/auth/check", cookie=landed.session_cookie).status == 401, 15, "its end")


def test_a_link_dies_with_the_session_that_it_came_from(portal):
    state, browser = new_state(), portal.person()
    sent = portal.follow(browser, state)
    browser.send("POST", "/session/logout", {"Origin": portal.demo.base, "Sec-Fetch-Site": "same-origin"})
    refused = portal.land(sent.header("Location"), state)
    assert refused.status == 400 and not refused.session_cookie


def test_it_goes_on_when_its_user_signs_in_again_in_the_same_browser_and_ends_with_that(portal):
    state, browser = new_state(), portal.person()
    landed = portal.land(portal.follow(browser, state).header("Location"), state)
    user = portal.demo.user("alice")
    browser.submit(browser.send("GET", "/sign-in"), "/sign-in", username=user["username"], password=user["password"])
    assert portal.at(OTHER, "/auth/check", cookie=landed.session_cookie).status == 200
    browser.send("POST", "/session/logout", {"Origin": portal.demo.base, "Sec-Fetch-Site": "same-origin"})
    instance.wait_until(lambda: portal.at(OTHER, "/auth/check", cookie=landed.session_cookie).status == 401, 15, "its end")


@pytest.mark.parametrize("query, status, error", [
    ({"client_id": "third"}, 403, "unauthorized_client"),
    ({"client_id": "nobody"}, 400, "invalid_target"),
    ({"client_id": "demo-app"}, 400, "invalid_target"),
    ({}, 400, "invalid_request"),
    ({"client_id": "other", "redirect": "https://evil.example/"}, 400, "invalid_redirect"),
    ({"client_id": "other", "redirect": "/admin"}, 400, "invalid_redirect"),
    ({"client_id": "other", "state": "short"}, 400, "invalid_request"),
    ({"client_id": "other", "state": ""}, 400, "invalid_request"),
    ({"client_id": "other", "state": "a b" * 10}, 400, "invalid_request"),
])
def test_what_a_portal_refuses(portal, query, status, error):
    query = {"state": new_state(), **query}
    answer = portal.person().send("GET", f"{HAND_OFF}?{urlencode(query)}", {**CROSS_SITE, "Accept": "application/json"})
    assert (answer.status, answer.json()["error"]) == (status, error), answer.text


def test_11_what_a_portal_refuses_a_browser_is_a_page(portal):
    """A navigation needs to say nothing of what it accepts."""
    assert not any(name.lower() == "accept" for name in CROSS_SITE)
    for person, state, status in [(portal.person(), "short", 400), (Browser(portal.demo.base), new_state(), 401)]:
        answer = portal.follow(person, state)
        assert (answer.status, answer.header("Content-Type").split(";")[0]) == (status, "text/html"), answer.text
    query = urlencode({"client_id": "third", "state": new_state()})
    answer = portal.person().send("GET", f"{HAND_OFF}?{query}", CROSS_SITE)
    assert (answer.status, answer.header("Content-Type").split(";")[0]) == (403, "text/html"), answer.text


def test_a_member_that_nobody_reads_is_named(portal):
    answer = portal.make(portal.person(), clientid="other")
    assert (answer.status, answer.json()["error"]) == (400, "invalid_request")
    assert answer.json()["error_description"] == '"clientid" is not a member of this body; known: client_id, redirect'


def test_a_website_that_is_no_portal_hands_nobody_on(portal):
    change(portal.demo, "demo-web", portal=False)
    try:
        answer = portal.make(portal.person(), client_id="other")
        assert (answer.status, answer.json()["error"]) == (403, "unauthorized_client")
    finally:
        change(portal.demo, "demo-web", portal=True)


@pytest.mark.parametrize("headers", [
    {**CROSS_SITE, "Sec-Fetch-Dest": "iframe"}, {**CROSS_SITE, "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"},
    {**CROSS_SITE, "Sec-Purpose": "prefetch"}, {**CROSS_SITE, "Purpose": "prefetch"}])
def test_a_frame_or_a_prefetch_gets_no_link(portal, headers):
    before = len(portal.demo.audit("login_token.issued"))
    answer = portal.follow(portal.person(), new_state(), headers=headers)
    assert answer.status == 403 and answer.header("Location") is None
    assert len(portal.demo.audit("login_token.issued")) == before


@pytest.mark.parametrize("headers, status", [
    ({"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}, 403), ({"Sec-Fetch-Site": "same-site"}, 403),
    ({"Content-Type": wire.FORM}, 415)])
def test_another_websites_page_makes_no_link(portal, headers, status):
    assert portal.make(portal.person(), headers, client_id="other").status == status


def test_whoever_is_signed_in_nowhere_gets_no_link(portal):
    refused = portal.make(Browser(portal.demo.base), client_id="other")
    assert (refused.status, refused.json()["error"]) == (401, "invalid_token")
    assert refused.json()["error_description"] == "this takes the session of a browser that is signed in here"


def test_whoever_is_not_signed_in_yet_goes_by_the_sign_in_page(portal):
    browser, state = Browser(portal.demo.base), new_state()
    page = portal.follow(browser, state, redirect="/account/3")
    assert page.status == 401
    policy = page.header("Content-Security-Policy")
    assert "form-action" not in policy, "Chromium holds the redirects after the form against it"
    user = portal.demo.user("alice")
    back = browser.submit(page, "/sign-in", username=user["username"], password=user["password"])
    assert back.status == 303 and urlsplit(back.header("Location")).path == HAND_OFF
    sent = browser.send("GET", back.header("Location"))
    landed = portal.land(sent.header("Location"), state)
    assert landed.header("Location") == f"https://{OTHER}/account/3"


def test_a_long_page_is_not_lost_on_the_way_by_the_sign_in_page(portal):
    """Its own 1,024 bytes count, and not those of the request around it, where each may be an escape of three."""
    browser, state = Browser(portal.demo.base), new_state()
    wanted = "/account/" + "x" * 502 + "?q=" + "%D1%8F" * 81
    assert len(wanted) == 1000
    page, user = portal.follow(browser, state, redirect=wanted), portal.demo.user("alice")
    back = browser.submit(page, "/sign-in", username=user["username"], password=user["password"])
    assert back.status == 303 and urlsplit(back.header("Location")).path == HAND_OFF, back.header("Location")
    landed = portal.land(browser.send("GET", back.header("Location")).header("Location"), state)
    assert landed.header("Location") == f"https://{OTHER}{wanted}"


def test_rfc_9110_15_5_2_the_page_for_whoever_is_not_signed_in_has_a_challenge(portal):
    page = portal.follow(Browser(portal.demo.base), new_state())
    assert (page.status, page.header("WWW-Authenticate")) == (401, "Bearer"), "the same as a script gets"
    assert portal.make(Browser(portal.demo.base), client_id="other").header("WWW-Authenticate") == "Bearer"


def test_a_website_that_keeps_no_cookie_gets_a_page_and_no_loop(portal):
    browser = portal.person()
    assert portal.follow(browser, new_state()).status == 303
    stuck = portal.follow(browser, new_state())
    assert stuck.status == 200 and stuck.header("Location") is None and "cookies" in stuck.text
    event = portal.demo.audit("login_token.refused")[-1]
    assert (event["reason"], event["target_client_id"]) == ("hand_off_stuck", "other")
    assert portal.follow(portal.person(), new_state()).status == 303, "another browser is not concerned"


def test_attack_portals_that_lead_to_each_other_end_after_one_round(portal):
    """`other` and `third` as portals to each other: who was handed on is handed on nowhere, so nobody goes in circles."""
    change(portal.demo, "other", portal=True, may_reach=["third"])
    try:
        state = new_state()
        landed = portal.land(portal.follow(portal.person(), state).header("Location"), state)
        for website in ["third", "other"]:
            query = urlencode({"client_id": website, "state": new_state()})
            again = portal.at(OTHER, f"{HAND_OFF}?{query}", {**CROSS_SITE, "Accept": "application/json"},
                              landed.session_cookie)
            assert (again.status, again.json()["error"], again.header("Location")) == (403, "unauthorized_client", None)
    finally:
        change(portal.demo, "other", portal=False, may_reach=[])


def test_attack_a_portal_that_leads_to_itself_gains_nothing(portal):
    change(portal.demo, "demo-web", may_reach=["demo-web", "other"])
    try:
        browser, state = portal.person(), new_state()
        sent = portal.follow(browser, state, "demo-web")
        assert sent.status == 303
        url = urlsplit(sent.header("Location"))
        browser.jar["__Host-drawbridge_handoff"] = state
        landed = browser.send("GET", f"{url.path}?{url.query}", CROSS_SITE)
        assert landed.status == 303 and urlsplit(landed.header("Location")).path == "/contacts", landed.text
        assert browser.send("GET", "/session").json()["origin"] == "authorize", "the sign-in stays what it was"
        assert portal.demo.query("SELECT count(*) FROM web_session WHERE parent_id = id")[0][0] == 0
    finally:
        change(portal.demo, "demo-web", may_reach=["other"])


def test_attack_a_website_that_drops_the_nonce_gets_no_session_and_no_loop(portal):
    """The cookie was set and never came back: a page with a button, and no redirect that could go round."""
    browser = portal.person()
    sent = portal.follow(browser, new_state())
    page = portal.land(sent.header("Location"), None)
    assert page.status == 200 and not page.session_cookie and page.header("Location") is None
    assert portal.status(sent.header("Location")) == "pending"


@pytest.mark.parametrize("profile", [{}, {"cookie_profile": "tokens", "cookie_prefix": "other_"}], ids=["session", "tokens"])
@pytest.mark.parametrize("home", [
    {"may_reach": ["other"]}, {"may_reach": ["demo-web", "other", "third"]}, {"may_reach": ["demo-web", "other", "third"],
                                                                             "public_origin": "its own"}],
    ids=["nameless", "nameless, reaching itself", "named, reaching itself"])
@pytest.mark.parametrize("edge", ["hand_off", "token_exchange", "login_token"])
class TestAttackAWebsiteTakesItsVisitorsCookiesElsewhere:
    """Its server sees them. They count at its own origin alone, as a visit, and open nothing of the user's account."""

    @pytest.fixture
    def seen(self, portal, profile, home, edge):
        """The cookies of a visitor who was handed on, whose app got them, or who came by a link, as the website's server has
        them."""
        own = {"public_origin": portal.demo.base} if "public_origin" in home else {}
        # Links of a relying party are at its own domain where it says so.
        page = {"redemption_page": "/login-with-token"} if edge == "login_token" else {}
        with ExitStack() as self.stack:
            self.stack.enter_context(changed(portal.demo, "demo-web", **{**home, **own}))
            for website, host, more in [("other", OTHER, {**profile, **page}), ("third", THIRD, {})]:
                self.stack.enter_context(changed(
                    portal.demo, website, first_party=True, redirect_uris=[f"https://{host}/callback"], **more))
            self.portal, self.person = portal, portal.person()
            self.home = urlsplit(portal.demo.base).netloc
            given = {"hand_off": self.handed_on, "token_exchange": self.viewed, "login_token": self.linked}[edge]()
            yield "; ".join(f"{name}={cookie.value}" for name, cookie in given.cookies.items() if cookie.value)
        assert self.person.send("GET", "/auth/check").status == 200, "the person's own sign-in lives"

    def handed_on(self) -> wire.Answer:
        state = new_state()
        return self.portal.land(self.portal.follow(self.person, state).header("Location"), state)

    def viewed(self) -> wire.Answer:
        return self.stack.enter_context(in_a_web_view(self.portal.demo))

    def linked(self) -> wire.Answer:
        """By an app that may open every website."""
        self.stack.enter_context(changed(self.portal.demo, "demo-app", may_reach=["demo-web", "other", "third"]))
        landed = self.portal.land(login_link(self.portal, "other")["login_url"], None, wire.NAVIGATION)
        assert landed.status == 303 and landed.cookies, landed.text
        return landed

    def test_attack_to_be_let_in_elsewhere(self, seen, edge):
        assert self.portal.at(OTHER, "/auth/check", cookie=seen).status == 200
        assert self.portal.at(OTHER, "/session", cookie=seen).json()["origin"] == edge
        for host in [self.home, "drawbridge.internal", THIRD]:
            assert self.portal.at(host, "/auth/check", cookie=seen).status == 401, host
            assert self.portal.at(host, "/session", cookie=seen).json()["authenticated"] is False, host

    def test_attack_to_see_or_end_what_is_the_users(self, seen):
        for host in [self.home, OTHER]:
            assert self.portal.at(host, "/account", cookie=seen).status == 303, host
            assert "/account/devices/end" not in self.portal.at(host, "/account/devices", cookie=seen).text, host
            password = self.portal.at(host, "/account/password", cookie=seen)
            assert password.status == 303 and "/sign-in?" in password.header("Location"), host
        assert "/account/devices/end" in self.person.send("GET", "/account/devices").text

    def test_attack_to_be_granted_something_in_it(self, seen, edge, profile):
        for website, origin in [("other", OTHER), ("third", THIRD)]:
            query = urlencode({"response_type": "code", "client_id": website, "scope": "openid profile", "prompt": "none",
                               "redirect_uri": f"https://{origin}/callback", "state": "s", "nonce": "n",
                               "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
                               "code_challenge_method": "S256"})
            for host in [self.home, OTHER, THIRD]:
                answer = self.portal.at(host, f"/oauth/authorize?{query}", cookie=seen)
                # A link's website gets what it asks for itself: its server could redeem the token too (contract §4.5).
                # Cookies of the profile `tokens` sign nobody in there, whosever they are.
                is_own = (edge, website) == ("login_token", "other") and not profile
                assert ("code=" if is_own else "error=login_required") in answer.header("Location"), (website, host)

    def test_attack_to_end_an_apps_device_by_its_id_token(self, seen):
        app = App(self.portal.demo)
        tokens = app.sign_in()
        thief = Browser(self.portal.demo.base)
        thief.jar.update(pair.split("=", 1) for pair in seen.split("; "))
        page = thief.send("GET", f"/oauth/logout?{urlencode({'id_token_hint': tokens['id_token']})}")
        assert thief.submit(page, "/oauth/logout").status == 303
        assert app.refresh().status == 200

    def test_attack_to_pass_for_an_app_of_the_users(self, seen, profile):
        """At the VA's paths a first-party client's token would end everything of the user."""
        for host in [self.home, OTHER]:
            assert self.portal.at(host, "/v0/sign_in/user_info", cookie=seen).status == 401, host
        token = re.search("other_access_token=([^;]+)", seen)
        assert bool(token) == bool(profile)
        bearer = {"Authorization": f"Bearer {token[1] if token else re.split('[=;]', seen)[1]}"}
        assert self.portal.demo.send("GET", "/v0/sign_in/user_info", bearer).status == 401
        assert self.portal.demo.send("POST", "/v0/sign_in/revoke_all_sessions", bearer).status == 401

    def test_at_the_website_itself_they_are_renewed_and_taken_away_as_ever(self, seen, profile):
        own = {"Origin": f"https://{OTHER}", "Sec-Fetch-Site": "same-origin", "Host": OTHER}
        if profile:
            held = dict(pair.split("=", 1) for pair in seen.split("; "))
            renewed = self.portal.demo.send("POST", "/session/refresh", {
                **own, "Cookie": seen, "X-CSRF-Token": held["other_anti_csrf_token"]})
            assert renewed.status == 200, renewed.text
            seen = wire.cookie_header(renewed)
        assert self.portal.at(OTHER, "/session", cookie=seen).json()["authenticated"] is True
        assert self.portal.demo.send("POST", "/session/logout", {**own, "Cookie": seen}).status == 204
        assert self.portal.at(OTHER, "/session", cookie=seen).json()["authenticated"] is False


def login_link(portal, website: str) -> dict:
    """What an app gets for a link of its user's."""
    app = App(portal.demo)
    app.sign_in()
    issued = portal.demo.send(
        "POST", instance.ISSUE, {"Authorization": f"Bearer {app.tokens['access_token']}"}, {"client_id": website})
    assert issued.status == 200, issued.text
    return issued.json()


@pytest.mark.parametrize("fields", [
    {"public_origin": "https://www.server.example", "redemption_page": "/in"},
    {"public_origin": "https://www.server.example", "redirect_uris": ["https://www.server.example/callback"]},
    {"redirect_uris": ["https://www.server.example/callback"]}],
    ids=["a page of its own", "a relying party", "a relying party that does not say where it is"])
def test_attack_a_websites_server_sends_its_access_token_as_a_visitors_cookie(portal, fields):
    """What it redeemed a login token for (contract §4.4) is no cookie but at the website itself."""
    demo, name = portal.demo, f"server-{secrets.token_hex(3)}"
    made = admin(demo, "POST", "/api/admin/clients", {
        "client_id": name, "client_type": "web", "return_paths": ["/contacts"], "default_return_path": "/contacts",
        "cookie_profile": "tokens", "cookie_prefix": f"{name}_", **fields})
    assert made.status == 201, made.text
    change(demo, "demo-app", may_reach=["demo-web", "other", "third", name])
    try:
        basic = base64.b64encode(f"{name}:{made.json()['client_secret']}".encode()).decode()
        redeemed = demo.send("POST", "/oauth/token", {"Authorization": f"Basic {basic}"}, urlencode({
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange",
            "subject_token": login_link(portal, name)["token"],
            "subject_token_type": "urn:drawbridge:params:oauth:token-type:login-token"}))
        assert redeemed.status == 200, redeemed.text
        token = redeemed.json()["access_token"]
        cookie, home = f"{name}_access_token={token}", urlsplit(demo.base).netloc
        for host in [home, "drawbridge.internal", OTHER, THIRD]:
            assert portal.at(host, "/auth/check", cookie=cookie).status == 401, host
            assert portal.at(host, "/session", cookie=cookie).json()["authenticated"] is False, host
            assert portal.at(host, "/account", cookie=cookie).status == 303, host
            assert "/account/devices/end" not in portal.at(host, "/account/devices", cookie=cookie).text, host
        if "public_origin" in fields:
            assert portal.at("www.server.example", "/auth/check", cookie=cookie).status == 200, "at the website itself"
        # It is what it was given for.
        assert demo.send("GET", "/oauth/userinfo", {"Authorization": f"Bearer {token}"}).status == 200
    finally:
        change(demo, "demo-app", may_reach=["demo-web"])
        assert admin(demo, "DELETE", f"/api/admin/clients/{name}", **{"If-Match": made.header("ETag")}).status == 204


@contextmanager
def in_a_web_view(demo):
    """What an app gets for the web view of `other`; meanwhile the app may open every website besides."""
    reached = {"share_with": ["demo-app-b", "demo-webview", "other"], "may_reach": ["demo-web", "other", "third"]}
    with changed(demo, "demo-app", **reached):
        with changed(demo, "other", delivery="cookies", token_endpoint_auth_method="none"):
            app = App(demo)
            app.sign_in()
            given = app.cookies(client_id="other")
            assert given.status == 200 and given.cookies, given.text
        yield given


@pytest.mark.parametrize("own", [None, "its own"], ids=["nameless", "named"])
@pytest.mark.parametrize("profile", ["session", "tokens"])
def test_attack_a_web_views_cookies_are_carried_to_another_website(portal, profile, own):
    """Those of a web view at our own origin, which its app alone holds: they reach what the app may open, and no more."""
    demo, home = portal.demo, urlsplit(portal.demo.base).netloc
    change(demo, "demo-web", public_origin=demo.base if own else None)
    change(demo, "demo-webview", cookie_profile=profile)
    # Our own website is where they were given to, and needs no word in it.
    change(demo, "demo-app", may_reach=["other"])
    try:
        app = App(demo)
        app.sign_in()
        view = wire.cookie_header(app.cookies())
        found = {host: portal.at(host, "/auth/check", cookie=view).status for host in [home, OTHER, THIRD]}
        assert found == {home: 200, OTHER: 200, THIRD: 401}
        assert portal.at(home, "/v0/sign_in/user_info", cookie=view).status == 200
    finally:
        change(demo, "demo-web", public_origin=None)
        change(demo, "demo-webview", cookie_profile="tokens")
        change(demo, "demo-app", may_reach=["demo-web"])


def test_the_cookies_of_a_domain_count_at_its_hosts(portal):
    """The VA's shape: pages at one host of a domain, and their scripts and proxies at others (contract §6)."""
    names = {"cookie_profile": "tokens", "cookie_prefix": "other_", "cookie_domain": ".other.example"}
    with changed(portal.demo, "other", **names), in_a_web_view(portal.demo) as given:
        view = wire.cookie_header(given)
        hosts = [OTHER, "other.example", "API.other.example:8443", "another.example", urlsplit(portal.demo.base).netloc]
        found = [portal.at(host, "/auth/check", cookie=view).status for host in hosts]
        assert found == [200, 200, 200, 401, 401]


def test_attack_a_website_that_is_gone_keeps_its_visitors_cookies(portal):
    """Nobody knows any more where it was, so they count nowhere."""
    made = admin(portal.demo, "POST", "/api/admin/clients", {
        "client_id": "gone", "client_type": "web", "public_origin": "https://www.gone.example",
        "return_paths": ["/contacts"], "default_return_path": "/contacts"})
    with changed(portal.demo, "demo-web", may_reach=["other", "gone"]):
        person, state = portal.person(), new_state()
        url = urlsplit(portal.follow(person, state, "gone").header("Location"))
        landed = portal.at(url.netloc, f"{url.path}?{url.query}", CROSS_SITE, f"__Host-drawbridge_handoff={state}")
        assert portal.at(url.netloc, "/auth/check", cookie=landed.session_cookie).status == 200
    assert admin(portal.demo, "DELETE", "/api/admin/clients/gone", **{"If-Match": made.header("ETag")}).status == 204
    for host in [url.netloc, urlsplit(portal.demo.base).netloc]:
        assert portal.at(host, "/auth/check", cookie=landed.session_cookie).status == 401, host


def test_a_hand_off_is_for_browsers_alone(portal):
    """No authorization request and no website's server can leave out the click."""
    made = admin(portal.demo, "POST", "/api/admin/clients", {
        "client_id": f"rp-{secrets.token_hex(3)}", "client_type": "web", "first_party": True,
        "redirect_uris": ["https://rp.example.com/callback"], "require_pkce": False,
        "return_paths": ["/x"], "default_return_path": "/x"}).json()
    with changed(portal.demo, "demo-web", may_reach=["other", made["client_id"]]):
        url = portal.make(portal.person(), client_id=made["client_id"]).json()["login_url"]
    token = parse_qs(urlsplit(url).query)["token"][0]
    query = urlencode({"response_type": "code", "client_id": made["client_id"], "scope": "openid",
                       "redirect_uri": "https://rp.example.com/callback", "login_token": token})
    answer = portal.demo.send("GET", f"/oauth/authorize?{query}", wire.NAVIGATION)
    assert "/sign-in?journey=" in answer.header("Location")

    basic = base64.b64encode(f"{made['client_id']}:{made['client_secret']}".encode()).decode()
    refused = portal.demo.send("POST", "/oauth/token", {"Authorization": f"Basic {basic}"}, urlencode({
        "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "subject_token": token,
        "subject_token_type": "urn:drawbridge:params:oauth:token-type:login-token"}))
    assert (refused.status, refused.json()["error"]) == (400, "invalid_grant")
    assert portal.status(url) == "pending"


def test_hand_offs_count_as_issues():
    portal = Portal()
    try:
        browser = portal.person()
        found = [portal.make(browser, client_id="other").status for _ in range(6)]
        assert found == [200] * 5 + [429]
        assert portal.demo.send("POST", instance.ISSUE, {**portal.demo.authorization("alice")}).status == 429
    finally:
        assert portal.demo.stop() == 0


def test_a_hand_off_that_cannot_be_read_counts_as_well():
    portal = Portal()
    try:
        browser = portal.person()
        assert [portal.make(browser, clientid="other").status for _ in range(4)] == [400] * 4
        assert portal.follow(browser, "short").status == 400
        assert [event["reason"] for event in portal.demo.audit("login_token.refused")] == ["invalid_request"] * 5
        assert portal.make(browser, clientid="other").status == 429
        limited = portal.follow(browser, new_state())
        assert limited.status == 429 and "There were too many attempts. Please wait" in limited.text
    finally:
        assert portal.demo.stop() == 0


def test_attack_a_website_uses_up_its_visitors_limits():
    """What a handed-on session may not do counts against nobody, and fills no log."""
    portal = Portal()
    try:
        browser, state = portal.person(), new_state()
        seen = portal.land(portal.follow(browser, state).header("Location"), state).session_cookie
        for _ in range(20):
            refused = portal.at(OTHER, f"{HAND_OFF}?client_id=other&state={new_state()}", cookie=seen)
            assert refused.status == 403, refused.text
        told = [event for event in portal.demo.audit("login_token.refused") if event["reason"] == "chained_session"]
        assert len(told) == 3
        assert portal.make(browser, client_id="other").status == 200
        assert portal.demo.send("POST", instance.ISSUE, {**portal.demo.authorization("alice")}).status == 200
    finally:
        assert portal.demo.stop() == 0


@pytest.mark.parametrize("fields", [
    {"public_origin": "https://rp.example.com", "landing": "initiate_login",
     "initiate_login_uri": "https://rp.example.com/login", "redirect_uris": ["https://rp.example.com/callback"]},
    {}], ids=["a relying party, whose link is at the issuer", "a website of the portal's own origin"])
def test_a_hand_off_that_arrives_at_the_portal_itself_leaves_the_sign_in_as_it_is(portal, fields):
    made = admin(portal.demo, "POST", "/api/admin/clients", {
        "client_id": f"near-{secrets.token_hex(3)}", "client_type": "web", "return_paths": ["/x"],
        "default_return_path": "/x", **fields}).json()
    with changed(portal.demo, "demo-web", may_reach=["other", made["client_id"]]):
        browser = portal.person()
        for _ in range(2):
            link = portal.make(browser, client_id=made["client_id"])
            assert link.status == 200, link.text
            url = link.json()["login_url"]
            landed = browser.submit(browser.send("GET", url), "/login-with-token")
            target = fields.get("initiate_login_uri", f"{portal.demo.base}/x")
            assert landed.status == 303 and landed.header("Location").startswith(target), landed.text
            assert browser.send("GET", "/session").json()["origin"] == "authorize"
            assert portal.status(url) == "revoked", "the link is used up"
            assert landed_again(portal, url).status == 400, "for everybody else"
    assert portal.follow(browser, new_state()).status == 303, "the portal hands on as before"
    assert portal.demo.query("SELECT count(*) FROM web_session WHERE parent_id = id") == [(0,)]


def landed_again(portal, url: str) -> wire.Answer:
    """A thief's own click on the link."""
    thief = Browser(portal.demo.base)
    page = thief.send("GET", url)
    return thief.submit(page, "/login-with-token") if page.status == 200 else page


# The website's side: where its proxy sends whoever is not signed in


def test_the_websites_visitor_is_sent_to_the_portal_with_a_nonce_and_comes_back_to_his_page(portal):
    browser = portal.person()
    asked = portal.at(OTHER, "/session/sign-in?" + urlencode({"redirect": "/account/4?x=1&y=2"}))
    assert asked.status == 303
    location = asked.header("Location")
    assert location.startswith(f"{portal.demo.facts['issuer']}{HAND_OFF}?")
    cookie = asked.cookies["__Host-drawbridge_handoff"]
    query = parse_qs(urlsplit(location).query)
    assert query["state"] == [cookie.value] and len(cookie.value) >= 22
    assert {"secure", "httponly"} <= set(cookie.attributes) and cookie.attributes["path"] == "/"
    assert cookie.attributes["max-age"] == "300" and "domain" not in cookie.attributes
    sent = browser.send("GET", location, CROSS_SITE)
    landed = portal.land(sent.header("Location"), cookie.value)
    assert landed.header("Location") == f"https://{OTHER}/account/4?x=1&y=2"


def test_a_path_that_is_passed_on_as_it_came_is_read_whole(portal):
    raw = portal.at(OTHER, "/session/sign-in?redirect=/account/5?x=1&y=2")
    assert parse_qs(urlsplit(raw.header("Location")).query)["redirect"] == ["/account/5?x=1&y=2"]
    foreign = portal.at(OTHER, "/session/sign-in?redirect=https://evil.example/x")
    assert "redirect" not in parse_qs(urlsplit(foreign.header("Location")).query)


def test_a_website_that_no_portal_reaches_is_in_the_service_log_once_a_minute(portal):
    """Its visitors sign in where they are signed in already, again and again."""
    for _ in range(2):
        asked = portal.at(THIRD, "/session/sign-in?redirect=%2Fcontacts")
        assert asked.status == 303
        assert asked.header("Location") == f"{portal.demo.facts['issuer']}/sign-in?redirect=%2Fcontacts"
    instance.wait_until(lambda: "signs nobody in at the website" in portal.demo.output, what="the line in the log")
    assert portal.demo.output.count("signs nobody in at the website") == 1
    assert f"https://{THIRD}" in portal.demo.output


def test_at_the_portal_itself_the_way_is_its_own_sign_in_page(portal):
    asked = portal.demo.send("GET", "/session/sign-in?redirect=%2Faccount%2F6", wire.NAVIGATION)
    assert asked.status == 303 and not asked.cookies
    assert asked.header("Location") == f"{portal.demo.base}/sign-in?redirect=%2Faccount%2F6"
    browser, user = Browser(portal.demo.base), portal.demo.user("alice")
    back = browser.submit(browser.send("GET", asked.header("Location")), "/sign-in", username=user["username"],
                          password=user["password"])
    assert back.header("Location") == f"{portal.demo.base}/account/6"


@pytest.mark.parametrize("headers, status", [
    (wire.NAVIGATION, 302), ({"Accept": "text/html,*/*;q=0.8"}, 302), ({"Accept": "application/json"}, 401), ({}, 401),
    ({**wire.NAVIGATION, "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty", "Accept": "text/html"}, 401),
    ({**wire.NAVIGATION, "Sec-Fetch-Dest": "iframe"}, 401), ({**wire.NAVIGATION, "X-Forwarded-Method": "POST"}, 401)])
def test_the_check_tells_a_page_from_a_script(portal, headers, status):
    answer = portal.demo.send("GET", "/auth/check?redirect=%2Faccount%2F7", headers)
    assert answer.status == status and answer.body == b""
    if status == 302:
        assert answer.header("Location") == f"{portal.demo.base}/sign-in?redirect=%2Faccount%2F7"
    assert portal.demo.send("GET", "/auth/check", headers).status == 401, "no redirect that nobody asked for"


def test_the_check_takes_the_page_from_the_proxys_word(portal):
    answer = portal.demo.send("GET", "/auth/check?redirect=", {**wire.NAVIGATION, "X-Forwarded-Uri": "/account/8?a=b&c"})
    assert answer.header("Location") == f"{portal.demo.base}/sign-in?redirect=%2Faccount%2F8%3Fa%3Db%26c"
    for evil in ["//evil.example", "https://evil.example/", "/\\evil.example"]:
        answer = portal.demo.send("GET", "/auth/check?redirect=", {**wire.NAVIGATION, "X-Forwarded-Uri": evil})
        assert answer.header("Location") == f"{portal.demo.base}/sign-in", evil


def test_a_step_up_goes_by_the_sign_in_page_and_back_to_the_page(portal):
    browser = portal.person()
    asked = browser.send("GET", "/auth/check?max_age=0&redirect=%2Faccount%2F9")
    assert asked.status == 302, asked.text
    user = portal.demo.user("alice")
    back = browser.submit(browser.send("GET", asked.header("Location")), "/sign-in", username=user["username"],
                          password=user["password"])
    assert back.header("Location") == f"{portal.demo.base}/account/9"
    assert browser.send("GET", "/auth/check?max_age=300&redirect=%2Faccount%2F9").status == 200
    script = browser.send("GET", "/auth/check?max_age=0&redirect=%2F", {"Sec-Fetch-Mode": "cors"})
    assert script.status == 401 and "insufficient_user_authentication" in script.header("WWW-Authenticate")


def test_a_step_up_on_another_domain_asks_for_the_password_first(portal):
    state = new_state()
    landed = portal.land(portal.follow(portal.person(), state).header("Location"), state)
    asked = portal.at(OTHER, "/auth/check?max_age=0&redirect=%2Faccount%2F1", cookie=landed.session_cookie)
    url = urlsplit(asked.header("Location"))
    assert url.path == "/sign-in" and parse_qs(url.query)["redirect"][0].startswith(f"{HAND_OFF}?")


def test_name_and_address_go_to_the_website_where_its_scope_has_them(portal):
    browser = portal.person()
    plain = browser.send("GET", "/auth/check")
    assert plain.header("X-Auth-Name") is None and plain.header("X-Auth-Email") is None
    told = browser.send("GET", "/auth/check?identity=name,email")
    assert told.header("X-Auth-Name") == "Alice" and told.header("X-Auth-Email") == "alice@example.com"
    change(portal.demo, "demo-web", scope="openid email")
    try:
        told = browser.send("GET", "/auth/check?identity=name,email")
        assert told.header("X-Auth-Name") is None and told.header("X-Auth-Email") == "alice@example.com"
    finally:
        change(portal.demo, "demo-web", scope="openid profile email address phone offline_access")
    assert browser.send("GET", "/auth/check?identity=password").status == 400


@pytest.mark.parametrize(("claims", "told"), [
    ({}, None), ({"email_verified": False}, None), ({"email_verified": True}, "dora@example.com")])
def test_an_address_that_nobody_has_checked_is_not_said(portal, claims, told):
    """A website takes it for who somebody is, so anybody could be whoever they say (contract §16)."""
    name, password = f"dora-{secrets.token_hex(4)}", "a password of this test"
    made = admin(portal.demo, "POST", "/api/admin/users", {
        "username": name, "password": password, "display_name": "Dora", "email": "dora@example.com", "claims": claims})
    assert made.status == 201, made.text
    browser = Browser(portal.demo.base)
    browser.submit(browser.send("GET", "/sign-in"), "/sign-in", username=name, password=password)
    check = browser.send("GET", "/auth/check?identity=name,email")
    assert (check.status, check.header("X-Auth-Name"), check.header("X-Auth-Email")) == (200, "Dora", told)


def test_a_name_that_no_field_can_hold_is_percent_encoded(portal):
    made = admin(portal.demo, "POST", "/api/admin/users", {
        "username": "bob-of-kyiv", "password": "a password of this test", "display_name": "Боб 100%"})
    assert made.status == 201, made.text
    browser = Browser(portal.demo.base)
    browser.submit(browser.send("GET", "/sign-in"), "/sign-in", username="bob-of-kyiv", password="a password of this test")
    assert browser.send("GET", "/auth/check?identity=name").header("X-Auth-Name") == "%D0%91%D0%BE%D0%B1%20100%25"
