"""Browsers that keep their cookies for longer than they are used: what was granted there goes on, and ends when a person
signs out or somebody else signs in there (contract §4.3, §5.8, §6, §7)."""

import time
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

import boundaries
import clock
import instance
import signing
import wire
from admin import Admin, change
from boundaries import World
from hand_off import CROSS_SITE, OTHER, Portal, new_state
from landing import RP, code, view_of
from native import App, Browser
from receiver import Receiver

OUT = "https://reached.example.com/out"
#: Longer than a browser's session may lie unused by default.
HALF_AN_HOUR = 31 * 60
#: A key's last day is over when its successor has signed for a day.
TWO_DAYS = 48 * 3600
PAGE = {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"}


def restarted(first: instance.Demo, seconds: int) -> instance.Demo:
    """The same service, so much later."""
    assert first.stop() == 0, first.output[-4000:]
    later = instance.Demo("--no-limits", data=first.data, port=first.port, prefix=clock.shifted_by(seconds))
    later.facts = {**later.facts, "users": first.facts["users"]}
    later.ahead = seconds
    return later


def link(demo: instance.Demo, sub: str) -> str:
    now = int(time.time()) + demo.ahead
    issued = demo.post_issue({}, sub, demo.authorization(sub, iat=now, exp=now + 600))
    assert issued.status == 200, issued.text
    return f"{instance.REDEEM}?{urlencode({'token': issued.json()['token']})}"


def sign_in(demo: instance.Demo, browser: Browser, user: str):
    person = demo.user(user)
    page = browser.send("GET", "/sign-in")
    answer = browser.submit(page, "/sign-in", username=person["username"], password=person["password"])
    assert answer.status == 303 and boundaries.is_signed_in(browser), answer.text


class Left:
    """A browser in which alice signed in for an app and a website, and that nobody has used since."""

    def __init__(self, world: World):
        self.world = world
        self.browser = Browser(world.demo.base)
        self.app = App(world.demo, world.app_client["client_id"])
        # Without offline access, so that all of it ends with the browser's session.
        self.app.sign_in(scope="openid profile device_sso", browser=self.browser)
        self.website = world.tokens(self.browser, world.website)

    def lives(self) -> tuple[bool, bool]:
        """What the website was granted, and the app."""
        return tuple(boundaries.is_alive(self.world.demo, held["access_token"]) for held in (self.website, self.app.tokens))

    def leave(self, hint: str, browser: Browser | None = None) -> wire.Answer:
        """As a website sends its user here."""
        query = urlencode({"id_token_hint": hint, "post_logout_redirect_uri": OUT})
        return (browser or self.browser).send("GET", f"/oauth/logout?{query}", {"Sec-Fetch-Site": "cross-site"})


class Past:
    """Browsers of before, each for one test."""

    def __init__(self, number: int):
        first = instance.Demo("--no-limits")
        world = World(first, post_logout_redirect_uris=[OUT], access_token_lifetime=7200)
        change(first, world.app_client["client_id"], access_token_lifetime=7200)
        self.ready = [Left(world) for _ in range(number)]
        self.demo = world.demo = restarted(first, HALF_AN_HOUR)
        for left in self.ready:
            left.app.demo = self.demo

    def take(self) -> Left:
        left = self.ready.pop()
        assert left.lives() == (True, True), "to lie unused is no end"
        assert not boundaries.is_signed_in(left.browser), "and closes the session"
        return left

    def sign_in(self, browser: Browser, user: str):
        sign_in(self.demo, browser, user)


@pytest.fixture(scope="module")
def past():
    found = Past(9)
    yield found
    assert found.demo.stop() == 0


@pytest.fixture
def left(past):
    return past.take()


def test_a_websites_hint_signs_out_of_a_session_that_lay_unused(left):
    answer = left.leave(left.website["id_token"])
    assert (answer.status, answer.header("Location")) == (303, OUT)
    assert left.lives() == (False, False)


def test_an_apps_hint_ends_its_device_where_the_session_lay_unused(left):
    device = {"client_id": left.app.client_id, "token": left.app.tokens["device_secret"]}
    left.leave(left.app.tokens["id_token"])
    assert left.lives() == (False, False)
    revoked = left.world.demo.audit("device_secret.revoked")
    assert revoked and revoked[-1]["reason"] == "signed_out", device


def test_a_sign_out_ends_what_was_granted_in_a_session_that_lay_unused(left):
    page = left.browser.send("GET", "/session/logout")
    assert "Do you want to sign out?" in page.text
    assert left.lives() == (True, True), "a question ends nothing"
    assert left.browser.submit(page, "/session/logout").status == 303
    assert left.lives() == (False, False) and not left.browser.jar.get(wire.SESSION_COOKIE)


def test_without_a_hint_the_provider_asks_first_where_the_session_lay_unused(left):
    page = left.browser.send("GET", "/oauth/logout", {"Sec-Fetch-Site": "cross-site"})
    assert page.status == 200 and left.lives() == (True, True)
    assert left.browser.submit(page, "/oauth/logout").status == 303
    assert left.lives() == (False, False)


def test_another_users_sign_in_ends_what_was_granted_in_a_session_that_lay_unused(past, left):
    past.sign_in(left.browser, "bob")
    instance.wait_until(lambda: left.lives() == (False, False), what="the ends")


def test_another_users_link_ends_what_was_granted_in_a_session_that_lay_unused(past, left):
    assert left.browser.send("GET", link(past.demo, "bob")).status == 303, "nobody is signed in who could be asked about"
    instance.wait_until(lambda: left.lives() == (False, False), what="the ends")


@pytest.mark.parametrize("way", ["sign-in", "link"])
def test_what_was_granted_goes_on_under_the_same_users_next_session_and_ends_with_it(past, left, way):
    if way == "link":
        assert left.browser.send("GET", link(past.demo, "alice")).status == 303
    else:
        past.sign_in(left.browser, "alice")
    assert left.lives() == (True, True)
    assert boundaries.sign_out(left.browser).status == 204
    assert left.lives() == (False, False)


def test_attack_a_hint_ends_nothing_without_the_cookie_of_its_own_browser(past, left):
    stranger = Browser(past.demo.base)
    assert left.leave(left.website["id_token"], stranger).status == 303
    past.sign_in(stranger, "alice")
    asked = left.leave(left.website["id_token"], stranger)
    assert asked.status == 200 and left.lives() == (True, True)


def test_a_websites_hint_reaches_what_a_link_took_over_whose_app_has_ended_its_session(demo):
    """The link's session took a sign-in's place, and ended with the app; what was granted before goes on until its user
    leaves the browser."""
    world = World(demo, post_logout_redirect_uris=[OUT])
    for how in ["hint", "sign-out", "sign-in"]:
        left = Left(world)
        issuer = world.app()
        assert left.browser.send("GET", f"{instance.REDEEM}?token={world.login_token(issuer)['token']}").status == 303
        assert boundaries.revoke_device_secret(issuer).status == 200
        assert not boundaries.is_signed_in(left.browser) and left.lives() == (True, True)
        if how == "hint":
            left.leave(left.website["id_token"])
        elif how == "sign-out":
            boundaries.sign_out(left.browser)
        else:
            sign_in(demo, left.browser, "bob")
        instance.wait_until(lambda: left.lives() == (False, False), what=f"the ends by a {how}")


@pytest.mark.parametrize("how", ["sign-in", "sign-out", "link", "authorization"])
def test_what_a_websites_own_cookies_were_left_ends_when_their_user_leaves(demo, how):
    """As above, where the website has cookies of its own names."""
    prefix = f"left-{how}_"
    world = World(demo, cookie_profile="tokens", cookie_prefix=prefix, return_paths=["/"], default_return_path="/")
    browser, kept, issuer, bobs = Browser(demo.base), world.app(), world.app(), world.app("bob")

    def token(app: App) -> str:
        return world.login_token(app, client_id=world.website["client_id"])["token"]

    def opened(app: App) -> str:
        location = world.authorize(browser, world.website, login_token=token(app)).header("Location")
        return parse_qs(urlsplit(location).query)["code"][0]

    granted = world.redeem_code(world.website, opened(kept)).json()
    assert opened(issuer) and boundaries.revoke_device_secret(issuer).status == 200
    assert not boundaries.is_signed_in(browser) and boundaries.is_alive(demo, granted["access_token"])
    if how == "sign-in":
        sign_in(demo, browser, "bob")
    elif how == "sign-out":
        assert boundaries.sign_out(browser).status == 204
    elif how == "link":
        assert browser.send("GET", f"{instance.REDEEM}?token={token(bobs)}").status == 303
    else:
        assert opened(bobs)
    instance.wait_until(lambda: not boundaries.is_alive(demo, granted["access_token"]), what="the end")
    if how in ("sign-in", "sign-out"):
        assert not [name for name in browser.jar if name.startswith(prefix)]
    else:
        assert boundaries.session(browser)["sub"] == demo.user("bob")["sub"], "with cookies of the same names"


def test_7_clients_with_offline_access_hear_of_a_sign_out_by_an_apps_hint_too(demo):
    with Receiver() as website:
        world = World(demo, backchannel_logout_uri=website.uri)
        browser, app = Browser(demo.base), App(demo, world.app_client["client_id"])
        app.sign_in(browser=browser)
        offline = world.tokens(browser, world.website, scope="openid offline_access")
        plain = world.tokens(browser, world.website)
        assert browser.send("GET", f"{instance.REDEEM}?token={world.login_token(app)['token']}").status == 303
        hint = urlencode({"id_token_hint": app.tokens["id_token"]})
        assert browser.send("GET", f"/oauth/logout?{hint}", CROSS_SITE).status == 303
        wanted = {signing.claims_of(tokens["id_token"])["sid"] for tokens in (offline, plain)}
        instance.wait_until(lambda: wanted <= {signing.claims_of(token)["sid"] for token in website.tokens})
        assert boundaries.is_alive(demo, offline["access_token"])
        assert not boundaries.is_alive(demo, plain["access_token"])


def test_attack_a_copy_of_a_cookie_ends_nothing_once_its_user_has_signed_in_anew(demo):
    world = World(demo)
    for how in ["sign-out", "sign-in", "link"]:
        left = Left(world)
        copy = Browser(demo.base)
        copy.jar = dict(left.browser.jar)
        sign_in(demo, left.browser, "alice")
        assert not boundaries.is_signed_in(copy)
        if how == "sign-out":
            assert boundaries.sign_out(copy).status == 204
        elif how == "sign-in":
            sign_in(demo, copy, "bob")
        else:
            bobs = world.login_token(world.app("bob"))["token"]
            assert copy.send("GET", f"{instance.REDEEM}?token={bobs}").status == 303
        assert left.lives() == (True, True) and boundaries.is_signed_in(left.browser), how
        assert boundaries.sign_out(left.browser).status == 204
        assert left.lives() == (False, False), how


def test_nobody_is_asked_about_a_session_that_has_ended(demo):
    left = Left(World(demo))
    mine = boundaries.session(left.browser)["sub"]
    for held in Admin(demo).sessions(mine):
        if held["kind"] == "web" and held["id"] == left.browser.send("GET", "/auth/check").header("X-Auth-Session"):
            Admin(demo).send("DELETE", f"sessions/{held['id']}", {"reason": "asked for"})
    assert left.lives() == (False, False)
    answer = left.browser.send("GET", "/oauth/logout", {"Sec-Fetch-Site": "cross-site"})
    assert (answer.status, answer.header("Location")) == (303, f"{demo.base}/session/signed-out")
    assert "You are not signed in" in left.browser.send("GET", "/session/logout").text


def test_a_portals_sign_out_reaches_the_website_that_it_handed_on_to_though_its_own_session_lay_unused():
    portal = Portal("--no-limits")
    change(portal.demo, "other", session_idle=7200)
    browser, state = portal.person(), new_state()
    landed = portal.land(portal.follow(browser, state).header("Location"), state, CROSS_SITE)
    cookie = landed.session_cookie
    assert cookie, landed
    portal.demo = restarted(portal.demo, HALF_AN_HOUR)
    try:
        assert not boundaries.is_signed_in(browser)
        assert portal.at(OTHER, "/auth/check", cookie=cookie).status == 200
        assert boundaries.sign_out(browser).status == 204
        assert portal.at(OTHER, "/auth/check", cookie=cookie).status == 401
    finally:
        assert portal.demo.stop() == 0


# Access tokens in cookies, whose keys go before them


def view(app: App) -> Browser:
    """A web view, with the cookies that it sends to most paths."""
    browser = Browser(app.demo.base)
    browser.jar = {name: cookie.value for name, cookie in app.cookies().cookies.items()}
    browser.refresh_cookie = browser.jar.pop("vagov_refresh_token")
    return browser


def renew(browser: Browser, proof: str | None) -> wire.Answer:
    cookies = {**browser.jar, "vagov_refresh_token": browser.refresh_cookie}
    return wire.send(browser.base, "POST", "/session/refresh", {
        **PAGE, "Origin": browser.base, "X-CSRF-Token": proof or "",
        "Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())})


@pytest.fixture(scope="module")
def rotated():
    """Two days after an ordinary rotation of the keys, and web views of before it."""
    first = instance.Demo("--no-limits")
    change(first, "demo-webview", session_lifetime=30 * 86_400, session_idle=20 * 86_400)
    app = App(first)
    app.sign_in()
    views = [view(app) for _ in range(3)]
    assert Admin(first).send("POST", "keys/rotate", {"reason": "every month"}).status == 200
    later = restarted(first, TWO_DAYS)
    yield later, views
    assert later.stop() == 0


def test_a_web_view_renews_its_cookies_when_the_key_of_its_access_token_has_gone(rotated):
    _, views = rotated
    browser = views.pop()
    said = boundaries.session(browser)
    assert said == {"authenticated": False, "anti_csrf_token": browser.jar["vagov_anti_csrf_token"]}
    renewed = renew(browser, said["anti_csrf_token"])
    assert renewed.status == 200
    browser.jar |= {name: cookie.value for name, cookie in renewed.cookies.items()}
    assert boundaries.is_signed_in(browser)


def test_a_sign_out_ends_a_web_views_session_when_the_key_of_its_access_token_has_gone(rotated):
    _, views = rotated
    browser = views.pop()
    kept = Browser(browser.base)
    kept.jar, kept.refresh_cookie = dict(browser.jar), browser.refresh_cookie
    assert boundaries.sign_out(browser).status == 204
    assert renew(kept, kept.jar["vagov_anti_csrf_token"]).status == 401


def test_another_users_link_is_asked_about_when_the_key_of_the_access_token_has_gone(rotated):
    later, views = rotated
    browser = views.pop()
    asked = browser.send("GET", link(later, "bob"))
    assert asked.status == 200 and "alice" in asked.text.lower()
    assert renew(browser, browser.jar["vagov_anti_csrf_token"]).status == 200, "nothing ends before the answer"


def test_a_web_view_renews_its_cookies_after_their_key_was_retired(start_demo):
    demo = start_demo("--no-limits")
    app = App(demo)
    app.sign_in()
    browser, other = view(app), view(app)
    retired = signing.header_of(browser.jar["vagov_access_token"])["kid"]
    assert Admin(demo).send("POST", f"keys/{retired}/retire", {"reason": "leaked"}).status == 200
    instance.wait_until(lambda: not boundaries.is_signed_in(browser), what="the key to be retired")
    proof = boundaries.session(browser)["anti_csrf_token"]
    renewed = renew(browser, proof)
    assert renewed.status == 200
    browser.jar |= {name: cookie.value for name, cookie in renewed.cookies.items()}
    assert boundaries.is_signed_in(browser)
    # Whose the other one's are nobody can tell: they go with the next user's link.
    demo.ahead = 0
    landed = other.send("GET", link(demo, "bob"))
    assert landed.status == 303 and not [name for name in other.jar if name.startswith("vagov_")]
    assert boundaries.session(other)["sub"] == demo.user("bob")["sub"]


def test_cookies_whose_user_nobody_can_tell_go_with_an_authorization_request_that_brings_a_link(start_demo):
    demo = start_demo("--no-limits")
    site, party = view_of(demo, "site", "site_"), RP(demo, "party")
    browser = Browser(demo.base)
    assert browser.send("GET", f"{instance.REDEEM}?token={site.token('alice')['token']}").status == 303
    bobs = party.token("bob")["token"]
    retired = signing.header_of(browser.jar["site_access_token"])["kid"]
    assert Admin(demo).send("POST", f"keys/{retired}/retire", {"reason": "leaked"}).status == 200
    instance.wait_until(lambda: not boundaries.is_signed_in(browser), what="the key to be retired")
    answer = browser.send("GET", f"/oauth/authorize?{urlencode(party.query(login_token=bobs))}")
    assert code(answer) and boundaries.session(browser)["sub"] == demo.user("bob")["sub"]
    assert not [name for name in browser.jar if name.startswith("site_")]
    browser.jar.pop(wire.SESSION_COOKIE)
    assert boundaries.session(browser) == {"authenticated": False}, "nothing brings alice back"


@pytest.mark.parametrize("token", ["no.such.token", "g6NVNy6KfcRe9leYLN8u7A"])
def test_attack_an_access_token_that_nobody_can_read_tells_no_value_but_the_browsers_own(demo, token):
    browser = Browser(demo.base)
    browser.jar = {"vagov_access_token": token}
    assert boundaries.session(browser) == {"authenticated": False}
    browser.jar["vagov_anti_csrf_token"] = "mine"
    assert boundaries.session(browser) == {"authenticated": False, "anti_csrf_token": "mine"}
    assert boundaries.sign_out(browser).status == 204 and not browser.jar
