"""The main road in Firefox: what its cookies, its history and its own ideas about requests make of it."""

import pytest

import instance
import wire
from firefox import FIREFOX, Firefox

pytestmark = pytest.mark.skipif(not FIREFOX, reason="needs Firefox")


@pytest.fixture(scope="module")
def firefox():
    browser = Firefox()
    yield browser
    browser.close()


def landed(person, demo, path: str):
    instance.wait_until(lambda: person.url == f"{demo.base}{path}" and person.says("document.readyState") == "complete",
                        20, f"landing: {person.url}")


def session(person) -> str:
    return person.cookies()[wire.SESSION_COOKIE]["value"]["value"]


def test_a_link_lands_signed_in_in_firefox_and_survives_reload_back_and_second_open(demo, firefox):
    person = firefox.person()
    issued = demo.issue("alice")
    person.open(issued["login_url"], wait="none")
    landed(person, demo, "/contacts")
    assert demo.user("alice")["sub"] in person.text or "alice" in person.text.lower()
    cookie, first = person.cookies()[wire.SESSION_COOKIE], session(person)
    assert (cookie["secure"], cookie["httpOnly"], cookie["sameSite"], cookie["path"]) == (True, True, "lax", "/")
    person.reload()
    landed(person, demo, "/contacts")
    person.open(f"{demo.base}/account/1")
    person.back()
    landed(person, demo, "/contacts")
    person.open(issued["login_url"], wait="none")
    landed(person, demo, "/contacts")
    assert session(person) == first, "one session all the while"
    assert demo.session(f"{wire.SESSION_COOKIE}={first}")["authenticated"]
    assert demo.status(issued["id"]) == "redeemed" and not demo.audit("login_token.replayed", token_id=issued["id"])


def test_the_same_link_opens_nothing_in_another_persons_firefox(demo, firefox):
    """Right after the first use it may pass for a double tap, which gets no cookies; later it is refused."""
    owner, thief = firefox.person(), firefox.person()
    issued = demo.issue("bob")
    owner.open(issued["login_url"])
    landed(owner, demo, "/contacts")
    thief.open(issued["login_url"])
    assert wire.SESSION_COOKIE not in thief.cookies() and "bob" not in thief.text.lower()


def test_a_link_in_the_fragment_lands_in_firefox(demo, firefox):
    person = firefox.person()
    person.open(f"{demo.base}/login-with-token#token={demo.issue('alice')['token']}&redirect=%2Faccount%2F1", wait="none")
    landed(person, demo, "/account/1")
    assert demo.session(f"{wire.SESSION_COOKIE}={session(person)}")["authenticated"]


def test_a_link_on_another_site_asks_first_in_firefox(demo, firefox):
    """Firefox says `cross-site` of a link that a page of another site holds."""
    person = firefox.person()
    issued = demo.issue("alice")
    person.open(demo.base.replace("127.0.0.1", "localhost") + "/errors/invalid_grant")
    person.script(f"location.href = {instance.json.dumps(issued['login_url'])}")
    instance.wait_until(lambda: person.url.startswith(f"{demo.base}/login-with-token"), 20, f"the page: {person.url}")
    assert demo.status(issued["id"]) == "pending" and wire.SESSION_COOKIE not in person.cookies()
    instance.wait_until(lambda: person.says("!!document.querySelector('form button[type=submit]')"), 20, "the button")
    person.script("document.querySelector('form button[type=submit]').click()")
    landed(person, demo, "/contacts")
    assert demo.session(f"{wire.SESSION_COOKIE}={session(person)}")["authenticated"]


def test_signing_out_in_firefox_takes_the_cookie_away(demo, firefox):
    person = firefox.person()
    person.open(demo.issue("bob")["login_url"])
    landed(person, demo, "/contacts")
    before = session(person)
    person.open(f"{demo.base}/session/logout")
    person.script("document.querySelector('form button[type=submit]').click()")
    instance.wait_until(lambda: wire.SESSION_COOKIE not in person.cookies(), 20, "the cookie's end")
    assert demo.session(f"{wire.SESSION_COOKIE}={before}") == {"authenticated": False}
