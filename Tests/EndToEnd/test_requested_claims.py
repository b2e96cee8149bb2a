"""The `claims` parameter (OpenID Connect Core §5.5): by name nobody learns more than by scope (contract §14, §16)."""

import base64
import json
from urllib.parse import parse_qs, urlsplit

import pytest

import oauth
import signing
import wire
from admin import Admin
from boundaries import RP_CALLBACK, World, authorize_target, error, is_signed_in, redirect_uri
from native import App, Browser

WISH = json.dumps({"id_token": {"email": {"essential": True}, "name": None}, "userinfo": {"email": None, "name": None}})
PERSONAL = {"email", "name"}
BARE = "openid device_sso offline_access"


@pytest.fixture(scope="module")
def world(demo) -> World:
    return World(demo)


def told(demo, tokens: dict) -> set[str]:
    """What ID token and userinfo say of the person besides `sub`."""
    return PERSONAL & {*signing.claims_of(tokens["id_token"]), *oauth.userinfo(demo, tokens["access_token"]).json()}


def third_party(world: World, scope: str) -> dict:
    return world.client({"client_type": "web", "client_name": "Third party", "redirect_uris": [RP_CALLBACK],
                         "require_pkce": False, "scope": scope})


def signed_in(demo, user: str = "alice") -> Browser:
    browser = Browser(demo.base)
    App(demo, user=user).sign_in(browser=browser)
    return browser


def agree(browser: Browser, client: dict, **more) -> tuple[wire.Answer, dict]:
    """The consent page, and what the code of a yes gives."""
    page = browser.send("GET", authorize_target(client, **more))
    assert page.status == 200 and 'action="/oauth/consent"' in page.text, page.text
    answer = browser.submit(page, "/oauth/consent")
    assert answer.header("Location").startswith(redirect_uri(client)), answer.text
    return page, parse_qs(urlsplit(answer.header("Location")).query)


def redeemed(world: World, client: dict, code: str) -> dict:
    answer = world.redeem_code(client, code)
    assert answer.status == 200, answer.body
    return answer.json()


def test_a_sign_in_of_the_persons_own_tells_by_name_what_it_would_tell_by_scope(demo, world):
    tokens = world.tokens(signed_in(demo), world.website, claims=WISH)
    assert tokens["scope"] == "openid" and told(demo, tokens) == PERSONAL


def test_a_hand_off_tells_by_name_no_more_than_its_app_was_granted(demo, world):
    for scope, known in [(BARE, set()), (f"{BARE} email", {"email"})]:
        browser = world.handed_off(world.app(scope=scope))
        assert told(demo, world.tokens(browser, world.website, scope="openid profile email")) == known
        assert told(demo, world.tokens(browser, world.website, claims=WISH)) == known


def test_a_hand_off_by_a_narrowed_bearer_tells_by_name_what_the_bearer_has(demo, world):
    app = world.app(scope=f"{BARE} profile email")
    app.tokens |= app.refresh(scope="openid").json()
    assert told(demo, world.tokens(world.handed_off(app), world.website, claims=WISH)) == set()


def test_a_pushed_request_tells_by_name_no_more_either(demo, world):
    browser = world.handed_off(world.app(scope=BARE))
    site = world.website
    secret = base64.b64encode(f"{site['client_id']}:{site['client_secret']}".encode()).decode()
    pushed = demo.send("POST", "/oauth/par", {"Content-Type": wire.FORM, "Authorization": f"Basic {secret}"},
                       urlsplit(authorize_target(site, claims=WISH)).query)
    assert pushed.status == 201, pushed.text
    assert told(demo, world.tokens(browser, site, request_uri=pushed.json()["request_uri"])) == set()


def test_a_client_gets_by_name_nothing_that_its_document_does_not_name(demo, world):
    client = third_party(world, "openid")
    browser = signed_in(demo)
    page, answer = agree(browser, client, claims=WISH)
    assert "see your e-mail address" not in page.text
    assert told(demo, redeemed(world, client, answer["code"][0])) == set()
    silent = world.tokens(browser, client, prompt="none", claims=WISH)
    assert told(demo, silent) == set()


def test_what_is_asked_for_by_name_is_asked_of_the_person(demo, world):
    client = third_party(world, "openid profile email")
    browser = signed_in(demo, "bob")
    page, _ = agree(browser, client)
    assert "see your e-mail address" not in page.text
    for name in ["email", "name"]:
        for place in ["id_token", "userinfo"]:
            one = json.dumps({place: {name: None}})
            assert error(world.authorize(browser, client, prompt="none", claims=one)) == "consent_required"
    page, answer = agree(browser, client, claims=WISH)
    assert "see your e-mail address" in page.text and "see your name and user name" in page.text
    assert told(demo, redeemed(world, client, answer["code"][0])) == PERSONAL
    # It is remembered as what it was: the scopes that open it.
    assert told(demo, world.tokens(browser, client, prompt="none", claims=WISH)) == PERSONAL


def test_a_client_that_loses_a_scope_while_its_consent_page_is_open_is_not_told_by_name(demo, world):
    client = third_party(world, "openid profile email")
    browser = signed_in(demo)
    page = browser.send("GET", authorize_target(client, claims=WISH))
    path = f"clients/{client['client_id']}"
    tag = Admin(demo).get(path).header("ETag")
    assert Admin(demo).send("PATCH", path, {"scope": "openid"}, {"If-Match": tag}).status == 200
    location = browser.submit(page, "/oauth/consent").header("Location")
    tokens = redeemed(world, client, parse_qs(urlsplit(location).query)["code"][0])
    assert told(demo, tokens) == set() and is_signed_in(browser)
