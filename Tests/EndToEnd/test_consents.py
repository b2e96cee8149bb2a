"""What a user agreed to: seen and taken back at `/account/consents`, and by administrators (docs/asvs.md 10.7.3)."""

import base64
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

import wire
from accounts import somebody_with_an_address
from admin import Admin
from boundaries import World, error, is_alive, is_signed_in
from native import App, Browser

PAGE = "/account/consents"
WISH = "openid email offline_access"


@pytest.fixture(scope="module")
def world(demo) -> World:
    """Its website is somebody else's, so that its users are asked."""
    return World(demo, first_party=False)


def signed_in(world: World, user: str) -> tuple[Browser, App]:
    """The user's own sign-in in a browser, and the app of the operator's own that it was for."""
    browser = Browser(world.demo.base)
    return browser, world.app(user, browser=browser)


def agree(world: World, browser: Browser) -> dict:
    page = world.authorize(browser, world.website, WISH)
    assert page.status == 200 and 'action="/oauth/consent"' in page.text, page.text
    location = browser.submit(page, "/oauth/consent").header("Location")
    answer = world.redeem_code(world.website, parse_qs(urlsplit(location).query)["code"][0])
    assert answer.status == 200, answer.text
    return answer.json()


def refresh(world: World, tokens: dict) -> wire.Answer:
    secret = f"{world.website['client_id']}:{world.website['client_secret']}"
    return world.demo.send(
        "POST", "/oauth/token",
        {"Content-Type": wire.FORM, "Authorization": "Basic " + base64.b64encode(secret.encode()).decode()},
        urlencode({"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]}).encode())


def silently(world: World, browser: Browser) -> str | None:
    """What is wrong when the website asks without showing a page; `None` when it gets its code."""
    return error(world.authorize(browser, world.website, "openid", prompt="none"))


def test_10_7_3_a_user_sees_what_was_agreed_to_and_takes_it_back(demo, world):
    user = somebody_with_an_address(demo)
    browser, app = signed_in(world, user)
    tokens = agree(world, browser)
    tokens = refresh(world, tokens).json()
    held = world.code(browser, world.website, prompt="none")
    assert f'href="{PAGE}"' in browser.send("GET", "/account").text
    page = browser.send("GET", PAGE)
    assert "Reached" in page.text and "see your e-mail address" in page.text, page.text
    taken = browser.submit(page, PAGE)
    assert (taken.status, taken.header("Location")) == (303, f"{demo.base}{PAGE}?withdrawn"), taken.text
    after = browser.send("GET", f"{PAGE}?withdrawn").text
    assert "Taken back." in after and "Reached" not in after
    # The website is asked about again, and what it had of the user is over, a code that it kept too.
    assert silently(world, browser) == "consent_required"
    assert 'action="/oauth/consent"' in world.authorize(browser, world.website).text
    assert not is_alive(demo, tokens["access_token"])
    assert (again := refresh(world, tokens)).status == 400 and again.json()["error"] == "invalid_grant"
    assert world.redeem_code(world.website, held).status == 400
    # The browser and the other app go on.
    assert is_signed_in(browser) and is_alive(demo, app.tokens["access_token"])
    [event] = Admin(demo).events(type="consent.withdrawn", sub=demo.user(user)["sub"])
    assert (event["target_client_id"], event["reason"]) == (world.website["client_id"], "by the user")
    assert "What an app was allowed was taken back" in browser.send("GET", "/account").text


def test_10_7_3_a_browser_of_a_link_sees_no_consents_and_takes_none_back(demo, world):
    user = somebody_with_an_address(demo)
    browser, app = signed_in(world, user)
    agree(world, browser)
    linked = world.handed_off(app)
    page = linked.send("GET", PAGE)
    assert page.status == 200 and "so nothing is shown here." in page.text
    assert "Reached" not in page.text and f'action="{PAGE}"' not in page.text
    assert f'href="{PAGE}"' not in linked.send("GET", "/account").text
    assert silently(world, browser) is None


def test_10_7_3_a_form_without_its_pages_token_takes_nothing_back(demo, world):
    browser, _ = signed_in(world, somebody_with_an_address(demo))
    agree(world, browser)
    form = urlencode({"client_id": world.website["client_id"]}).encode()
    answer = browser.send("POST", PAGE, {"Content-Type": wire.FORM}, form)
    assert answer.status == 400 and "nothing was taken back" in answer.text
    assert silently(world, browser) is None


def test_10_7_3_an_app_of_the_operators_own_is_not_listed_because_it_asks_nobody(demo, world):
    browser, _ = signed_in(world, somebody_with_an_address(demo))
    page = world.authorize(browser, world.stranger, prompt="consent")
    assert browser.submit(page, "/oauth/consent").status == 303
    assert "None." in browser.send("GET", PAGE).text


def test_8_an_administrator_sees_what_a_user_agreed_to_and_takes_it_back(demo, world):
    user = somebody_with_an_address(demo)
    browser, _ = signed_in(world, user)
    tokens = agree(world, browser)
    admin, path = Admin(demo), f"users/{demo.user(user)['sub']}/consents"
    [consent] = admin.get(path).json()["items"]
    assert (consent["client_id"], consent["scope"]) == (world.website["client_id"], "email offline_access openid")
    one = f"{path}/{world.website['client_id']}"
    assert admin.send("DELETE", one, {"reason": "ticket 4711"}).status == 204
    assert admin.send("DELETE", one).status == 404 and admin.get(path).json()["items"] == []
    assert silently(world, browser) == "consent_required" and not is_alive(demo, tokens["access_token"])
    [event] = admin.events(type="consent.withdrawn", sub=demo.user(user)["sub"])
    assert (event["target_client_id"], event["reason"]) == (world.website["client_id"], "ticket 4711")
