"""Consent in a browser that came by a link: for what its session can give, and no more (contract §16)."""

from urllib.parse import parse_qs, urlsplit

import pytest

import instance
import wire
from accounts import somebody_with_an_address
from boundaries import World, asks_to_sign_in, authorize_target, error, is_signed_in
from native import Browser

WISH = "openid profile email"


@pytest.fixture(scope="module")
def world(demo) -> World:
    """Its website is somebody else's, so that its users are asked."""
    return World(demo, first_party=False)


def agree(world: World, browser: Browser) -> tuple[str, dict]:
    """What the consent page says, and what a yes gives."""
    page = browser.send("GET", authorize_target(world.website, WISH))
    assert page.status == 200 and 'action="/oauth/consent"' in page.text, page.text
    location = browser.submit(page, "/oauth/consent").header("Location")
    answer = world.redeem_code(world.website, parse_qs(urlsplit(location).query)["code"][0])
    assert answer.status == 200, answer.text
    return page.text, answer.json()


def signed_in(world: World, user: str) -> Browser:
    """The user's own sign-in in a browser."""
    browser = Browser(world.demo.base)
    world.app(user, browser=browser)
    return browser


def test_16_a_yes_in_a_browser_of_a_link_is_to_what_its_session_can_give(demo, world):
    user = somebody_with_an_address(demo)
    app = world.app(user)
    app.tokens |= app.refresh(scope="openid").json()
    linked = world.handed_off(app)
    said, tokens = agree(world, linked)
    assert "see your e-mail address" not in said and "see your name and user name" not in said
    assert tokens["scope"] == "openid"
    own = signed_in(world, user)
    said, tokens = agree(world, own)
    assert "see your e-mail address" in said and tokens["scope"] == WISH
    assert world.tokens(own, world.website, WISH, prompt="none")["scope"] == WISH
    # What the user agreed to counts there as well, and what that session cannot give is not missed.
    assert world.tokens(linked, world.website, WISH, prompt="none")["scope"] == "openid"


def test_16_3_a_yes_in_a_browser_of_a_link_counts_for_its_code_alone(demo, world):
    user = somebody_with_an_address(demo)
    linked = world.handed_off(world.app(user))
    agree(world, linked)
    for browser in linked, signed_in(world, user):
        assert error(world.authorize(browser, world.website, WISH, prompt="none")) == "consent_required"


def test_16_a_session_that_can_give_nothing_of_what_is_asked_for_leads_to_the_sign_in_page(demo, world):
    app = world.app(somebody_with_an_address(demo))
    app.tokens |= app.refresh(scope="openid").json()
    linked = world.handed_off(app)
    assert asks_to_sign_in(world.authorize(linked, world.website, "email"))
    assert error(world.authorize(linked, world.website, "email", prompt="none")) == "login_required"


def test_16_3_a_yes_does_not_outlive_the_replay_of_the_link_whose_browser_it_was_given_in(demo, world):
    user = somebody_with_an_address(demo)
    link = f"{instance.REDEEM}?token={world.login_token(world.app(user))['token']}"
    linked = Browser(demo.base)
    assert linked.send("GET", link).session_cookie
    agree(world, linked)
    assert wire.send(demo.base, "GET", link, wire.OTHER_BROWSER).status == 400
    assert not is_signed_in(linked)
    own = signed_in(world, user)
    assert error(world.authorize(own, world.website, prompt="none")) == "consent_required"
