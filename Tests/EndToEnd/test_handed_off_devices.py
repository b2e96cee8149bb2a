"""What a session that came over an edge may see and end of its user's: itself (contract §16, §16.3)."""

from urllib.parse import urlencode

import pytest

import instance
import native
import oauth
import wire
from admin import admin
from boundaries import World, is_alive, is_signed_in, issue
from native import App, Browser
from va import end_all_by_cookies

PAGE, END = "/account/devices", "/account/devices/end"


def form_token(page: wire.Answer) -> str:
    return next(form for form in oauth.Forms(page.text).forms if form["action"] == END)["fields"]["form_token"]


class Person:
    """Alice at her own browser and in an app of the operator's, and somebody who holds what the app handed on."""

    def __init__(self, world: World, edge: str):
        self.world = world
        self.demo = world.demo
        self.browser = Browser(self.demo.base)
        self.app = world.app(browser=self.browser)
        self.held = Browser(self.demo.base)
        if edge == "link":
            self.held = world.handed_off(self.app)
        elif edge == "web view":
            view = self.app.cookies()
            self.held.jar = {name: cookie.value for name, cookie in view.cookies.items()}
        else:
            cookie = self.demo.sign_in("alice")
            self.held.jar = dict([cookie.split("=", 1)])
        assert is_signed_in(self.held)

    def page(self) -> wire.Answer:
        return self.held.send("GET", PAGE)

    def post(self, **fields: str) -> wire.Answer:
        token = form_token(self.page())
        headers = {"Content-Type": wire.FORM, "Origin": self.demo.base, "Sec-Fetch-Site": "same-origin"}
        return self.held.send("POST", END, headers, urlencode({"form_token": token, **fields}).encode())

    def places(self, browser: Browser) -> set[tuple[str, str]]:
        forms = [form["fields"] for form in oauth.Forms(browser.send("GET", PAGE).text).forms if form["action"] == END]
        return {(fields["kind"], fields["id"]) for fields in forms if "kind" in fields}

    def is_untouched(self) -> bool:
        return is_signed_in(self.browser) and self.app.refresh().status == 200


@pytest.fixture(scope="module")
def world(demo) -> World:
    return World(demo)


@pytest.fixture(params=["link", "web view", "link of a trusted issuer's bearer"])
def person(request, world) -> Person:
    return Person(world, request.param)


def test_attack_to_see_what_else_the_user_has(person):
    mine = person.places(person.browser)
    assert {kind for kind, _ in mine} == {"device", "app", "browser"}
    [(kind, only)] = person.places(person.held)
    assert kind == "browser" and ("browser", only) in mine
    page = person.page().text
    assert 'value="others"' not in page and "it is all that is shown here" in page
    assert 'href="/sign-in?redirect=%2Faccount%2Fdevices"' in page


def test_attack_to_end_what_else_the_user_has(person):
    other = person.places(person.browser) - person.places(person.held)
    for fields in [{"what": "others"}, *({"kind": kind, "id": id} for kind, id in sorted(other))]:
        refused = person.post(**fields)
        assert refused.status == 303
        assert refused.header("Location") == f"{person.demo.base}/sign-in?redirect=%2Faccount%2Fdevices", fields
    assert is_signed_in(person.held) and person.is_untouched()
    assert other <= person.places(person.browser)


def test_a_form_without_a_session_leads_to_the_page_which_says_that_nothing_was_ended(demo):
    browser, said = Browser(demo.base), "You were signed out meanwhile; nothing was ended."
    answer = browser.send("POST", END, {"Content-Type": wire.FORM, "Origin": demo.base, "Sec-Fetch-Site": "same-origin"},
                          urlencode({"form_token": "x", "what": "others"}).encode())
    assert (answer.status, answer.header("Location")) == (303, f"{demo.base}{PAGE}?lost"), answer.text
    assert said in browser.send("GET", f"{PAGE}?lost").text
    asked = browser.send("GET", PAGE).text
    assert said not in asked and "Sign in to see where you are signed in." in asked


def test_it_ends_itself(person):
    [(kind, id)] = person.places(person.held)
    ended = person.post(kind=kind, id=id)
    assert ended.header("Location").endswith("?ended")
    assert not is_signed_in(person.held) and person.is_untouched()


def test_who_signs_in_there_sees_and_ends_the_rest(world):
    person = Person(world, "link")
    oauth_browser = oauth.Browser(person.demo)
    oauth_browser.cookies = dict(person.held.jar)
    page = oauth_browser.request("GET", "/sign-in?redirect=%2Faccount%2Fdevices")
    user = person.demo.user("alice")
    landed = oauth_browser.submit(page, username=user["username"], password=user["password"])
    assert landed.header("Location").endswith(PAGE)
    page = oauth_browser.request("GET", PAGE)
    assert 'value="others"' in page.text
    ended = oauth_browser.request(
        "POST", END, {"form_token": form_token(page), "what": "others"}, site="same-origin")
    assert ended.header("Location").endswith("?ended_others"), ended
    refused = person.app.refresh()
    assert (refused.status, refused.json()["error"]) == (400, "invalid_grant")
    assert not is_signed_in(person.browser)


# The VA's way to end everything


def own(browser: Browser) -> tuple[str, str]:
    """Whose a browser's session is, and which: the only one that it may see."""
    forms = [form["fields"] for form in oauth.Forms(browser.send("GET", PAGE).text).forms if form["action"] == END]
    [only] = [fields["id"] for fields in forms if "kind" in fields]
    return browser.send("GET", "/session").json()["sub"], only


def cookies(browser: Browser) -> dict:
    return {"Cookie": "; ".join(f"{name}={value}" for name, value in browser.jar.items())}


@pytest.mark.parametrize("edge", ["link", "link of a trusted issuer's bearer"])
def test_attack_to_end_everything_by_a_link(world, edge):
    person = Person(world, edge)
    known = len(person.demo.audit("web_session.refused"))
    assert end_all_by_cookies(person.demo, cookies(person.held)).status == 403
    event = person.demo.audit("web_session.refused")[known]
    assert event["reason"] == "chained_session"
    assert (event["subject"], event["session_id"]) == own(person.held)
    assert is_signed_in(person.held) and person.is_untouched()


def test_attack_to_end_everything_by_the_token_of_a_website_that_a_link_signed_in(world):
    person = Person(world, "link")
    token = world.tokens(person.held, world.website)["access_token"]
    refused = end_all_by_cookies(person.demo, {"Authorization": f"Bearer {token}"})
    assert (refused.status, refused.json()["error"]) == (403, "insufficient_scope")
    assert person.is_untouched()


def test_a_web_view_ends_what_its_app_may(start_demo):
    world = World(start_demo("--no-limits"))
    other = App(world.demo)
    other.sign_in()
    view = other.cookies()
    held = Browser(world.demo.base)
    held.jar = {name: cookie.value for name, cookie in view.cookies.items()}
    # The demo's app is somebody else's, and so is the value of its view's cookie.
    assert end_all_by_cookies(world.demo, cookies(held)).status == 403
    bearer = {"Authorization": f"Bearer {held.jar['vagov_access_token']}"}
    assert end_all_by_cookies(world.demo, bearer).status == 403
    person = Person(world, "web view")
    assert end_all_by_cookies(world.demo, cookies(person.held)).status == 303
    assert not is_signed_in(person.held) and not is_signed_in(person.browser) and other.refresh().status == 400


# An app of somebody else's reaches nobody who may (§16: nothing grows along an edge)


class Foreign:
    """An app of somebody else's, whose users an exchange takes to the operator's own app, website and web view."""

    def __init__(self, world: World):
        self.world = world
        app = {"client_type": "native", "native_sso_enabled": True, "redirect_uris": [native.CALLBACK],
               "grant_types": ["authorization_code", "refresh_token", native.EXCHANGE],
               "scope": "openid offline_access device_sso"}
        self.view = world.client({
            "client_name": "Web view", "client_type": "web", "token_endpoint_auth_method": "none",
            "grant_types": [native.EXCHANGE], "native_sso_enabled": True, "delivery": "cookies",
            "cookie_profile": "session"})["client_id"]
        self.own_app = world.client({
            **app, "client_name": "The operator's", "first_party": True, "share_with": [self.view]})
        self.client = world.client({
            **app, "client_name": "Somebody else's", "may_reach": [world.website["client_id"]],
            "share_with": [self.own_app["client_id"], self.view]})
        instance.wait_until(lambda: world.is_known_at(world.demo), 30, "the clients to be known")
        self.app = App(world.demo, self.client["client_id"])
        self.app.sign_in("openid offline_access device_sso")

    def exchanged(self) -> App:
        """The operator's own app, that this one signed in."""
        opened = self.app.native_sso(self.own_app["client_id"])
        assert opened.status == 200, opened.text
        own = App(self.world.demo, self.own_app["client_id"])
        own.tokens = {"device_secret": self.app.tokens["device_secret"], **opened.json()}
        return own


def view(app: App, client: str) -> Browser:
    answer = app.cookies(client_id=client)
    assert answer.status == 200, answer.text
    held = Browser(app.demo.base)
    held.jar = {name: cookie.value for name, cookie in answer.cookies.items()}
    return held


def refuses_to_end_all(app: App, headers: dict) -> bool:
    answer = end_all_by_cookies(app.demo, headers)
    return answer.status == 403 and is_alive(app.demo, app.tokens["access_token"])


@pytest.fixture(scope="module")
def foreign(world) -> Foreign:
    return Foreign(world)


def bearer(tokens: dict) -> dict:
    return {"Authorization": f"Bearer {tokens['access_token']}"}


def test_attack_somebody_elses_app_ends_everything_by_a_website_in_its_web_view(foreign):
    held = view(foreign.app, foreign.view)
    assert refuses_to_end_all(foreign.app, cookies(held))
    tokens = foreign.world.tokens(held, foreign.world.website)
    assert refuses_to_end_all(foreign.app, bearer(tokens))


def test_attack_somebody_elses_app_ends_everything_by_the_operators_own_app(foreign):
    own = foreign.exchanged()
    assert refuses_to_end_all(foreign.app, bearer(own.tokens))
    # Nor by the cookies of a web view of that one.
    assert refuses_to_end_all(foreign.app, cookies(view(own, foreign.view)))


def test_attack_somebody_elses_app_opens_by_the_operators_own_app_what_it_may_not_open_itself(world):
    """An app says its `client_id` and proves nothing by it, so whoever has the device secret chooses which app asks."""
    app = {"client_type": "native", "native_sso_enabled": True, "redirect_uris": [native.CALLBACK], "first_party": True,
           "grant_types": ["authorization_code", "refresh_token", native.EXCHANGE], "can_issue_login_tokens": True,
           "scope": "openid offline_access device_sso"}
    bank = world.website["client_id"]
    own = world.client({**app, "client_name": "The operator's", "may_reach": ["demo-web", bank]})["client_id"]
    client = world.client({**app, "client_name": "A partner's", "may_reach": ["demo-web"], "share_with": [own]})
    instance.wait_until(lambda: world.is_known_at(world.demo), 30, "the clients to be known")
    partner = App(world.demo, client["client_id"])
    partner.sign_in("openid offline_access device_sso")
    opened = partner.native_sso(own)
    assert opened.status == 200, opened.text
    token = opened.json()["access_token"]
    assert issue(partner, client_id=bank).status == 403
    refused = issue(partner, access_token=token, client_id=bank)
    assert (refused.status, refused.json()["error"]) == (403, "unauthorized_client")
    assert issue(partner, access_token=token, client_id="demo-web").status == 200
    explained = admin(world.demo, "POST", "/api/admin/explain", {"kind": "bearer", "token": token, "client_id": bank})
    assert explained.json()["reason"] == "target_not_reachable_above", explained.text


def test_the_operators_own_app_ends_everything_that_another_own_app_signed_in(start_demo):
    demo = start_demo("--no-limits")
    world = World(demo)
    second = world.client({
        "client_name": "Second", "client_type": "native", "first_party": True, "native_sso_enabled": True,
        "grant_types": ["authorization_code", "refresh_token", native.EXCHANGE], "redirect_uris": [native.CALLBACK],
        "scope": "openid offline_access device_sso"})
    path = f"/api/admin/clients/{world.app_client['client_id']}"
    tag = admin(demo, "GET", path).header("ETag")
    shared = admin(demo, "PATCH", path, {"share_with": [second["client_id"]]}, **{"If-Match": tag})
    assert shared.status == 200, shared.text
    app = world.app()
    opened = app.native_sso(second["client_id"])
    assert opened.status == 200, opened.text
    assert end_all_by_cookies(world.demo, bearer(opened.json())).status == 200
    assert app.refresh().status == 400
