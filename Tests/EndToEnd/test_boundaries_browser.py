"""A stolen login link as two people with Chromium see it (contract §16.5)."""

from urllib.parse import parse_qs, urlsplit

from selenium.common.exceptions import WebDriverException

import instance
import wire
from boundaries import RP_CALLBACK, World, authorize_target, is_alive
from browsers import NEEDS_CHROMIUM
from pages import assert_signed_in, path_of, session_in, text_of

pytestmark = NEEDS_CHROMIUM


def code_for(thief, demo, website: dict) -> str:
    """What the website is sent through the browser, without a question on the way."""
    try:
        thief.get(demo.base + authorize_target(website))
    except WebDriverException as unreachable:  # the website has no address
        assert "net::ERR" in unreachable.msg
    assert thief.current_url.startswith(RP_CALLBACK), thief.current_url
    return parse_qs(urlsplit(thief.current_url).query)["code"][0]


def test_16_5_when_the_owner_opens_a_stolen_link_all_that_the_thief_made_of_it_is_dead(demo, browser, open_browser):
    world = World(demo)
    app = world.app()
    link = world.login_token(app)["login_url"]

    browser.get(link)
    assert_signed_in(browser, "alice")
    stolen = session_in(browser)
    answer = world.redeem_code(world.website, code_for(browser, demo, world.website))
    assert answer.status == 200 and is_alive(demo, answer.json()["access_token"])
    pending = code_for(browser, demo, world.website)
    browser.get(demo.base + authorize_target(world.app_client, "openid offline_access device_sso"))
    assert path_of(browser).startswith("/sign-in?"), "an app's grant takes a password, not a link"

    owner = open_browser(user_agent=wire.SAFARI)
    owner.get(link)
    assert session_in(owner) is None
    assert "sign in" in text_of(owner).lower(), "the page says how to go on"

    browser.get(f"{demo.base}/contacts")
    assert "alice" not in text_of(browser).lower()
    assert demo.session(stolen)["authenticated"] is False
    instance.wait_until(lambda: not is_alive(demo, answer.json()["access_token"]), what="the website's token to die")
    assert world.redeem_code(world.website, pending).json()["error"] == "invalid_grant"
    assert app.refresh().status == 200, "the owner's app was no part of it"
