"""axe-core over every page and view of the console in six languages; nothing may be found.

Both widths, light and dark, for one language of each direction: colours and boxes are the same in the others, of which every
page is looked at once, and at both widths, and with large text on a phone, for what stands outside of it.
"""

from pathlib import Path
from urllib.parse import urlencode

import pytest
from selenium.webdriver.common.by import By

import computer
import selfissued
import wire
from axe import MEMBER, STRANGER, look_at_this
from browsers import NEEDS_CHROMIUM
from console import LONG_NAME, PAGES
from pages import OnScreen, fill, path_of, press, text_of, wait_for_path
from selfissued import asked, comes_back
from waiting import wait

pytestmark = NEEDS_CHROMIUM

LANGUAGES = sorted(path.stem for path in (Path(__file__).parents[2] / "public" / "texts").glob("*.json"))

CONSOLE = [f"/admin/{page}" for page in PAGES if page] + [
    "/admin/", "/admin/new-user", "/admin/users?q=ali", "/admin/users/alice?ended",
    "/admin/register-client?type=native", "/admin/register-client?type=service",
    f"/admin/users?q={LONG_NAME[:20]}"]


def speak(browser, base: str, language: str):
    """As the menu of languages does it."""
    browser.get(base + "/session/signed-out")
    browser.add_cookie({
        "name": "__Host-drawbridge_language", "value": language, "path": "/", "secure": True, "httpOnly": True})


def look(browser, base: str, path: str, faults: dict, language: str):
    """What axe finds on a page, at both widths and in both schemes, and what does not fit."""
    browser.get(base + path)
    # The description of the API has one language, which is said to be it.
    assert path == "/contacts" or browser.find_element(By.TAG_NAME, "html").get_attribute("lang") == language, path
    look_at_this(browser, path, faults, language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_axe_finds_nothing_on_the_pages_of_strangers(demo, open_browser, language):
    browser, faults = open_browser(), {}
    speak(browser, demo.base, language)
    for path in STRANGER:
        if path != "/" or language == "en":
            look(browser, demo.base, path, faults, language)
    assert faults == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_axe_finds_nothing_on_the_pages_of_an_account_and_of_the_console(
        demo, busy, open_browser, language):
    browser, faults = open_browser(), {}
    speak(browser, demo.base, language)
    browser.get(f"{demo.base}/sign-in?redirect=/account")
    person = demo.user("admin")
    fill(browser, username=person["username"], password="wrong")
    browser.find_element(By.CSS_SELECTOR, "form.entry button[type=submit]").click()
    wait(browser).until(lambda it: it.find_elements(By.CSS_SELECTOR, "#password[aria-invalid]"))
    fill(browser, username=person["username"], password=person["password"])
    browser.find_element(By.CSS_SELECTOR, "form.entry button[type=submit]").click()
    wait_for_path(browser, "/account")
    for path in MEMBER + CONSOLE:
        # The demo's own pages are English.
        if path != "/contacts" or language == "en":
            look(browser, demo.base, path, faults, language)
            assert not path_of(browser).startswith("/sign-in"), path
    assert faults == {}


def test_axe_finds_nothing_on_the_pages_of_phones_in_any_state(demo, open_browser):
    browser, faults, phone = open_browser(), {}, selfissued.Phone()

    def state(name: str, words: str):
        wait(browser, 15).until(lambda it: words in text_of(it))
        look_at_this(browser, name, faults, "en")

    for path in ["/signin/code", "/x/AAAAAAAAAAAAAAAAAAAAAA", "/self-issued/callback"]:
        look(browser, demo.base, path, faults, "en")
    browser.get(f"{demo.base}/self-issued/start")
    link = browser.find_element(By.ID, "open-app").get_attribute("href").removeprefix(demo.base)
    for path in [link, link + "&response_mode=direct_post"]:
        look(browser, demo.base, path, faults, "en")
    browser.get(f"{demo.base}/self-issued/start")
    comes_back(browser, demo, phone.answer(asked(browser, demo), told={"name": "Ada", "email": "ada@example.com"}))
    state("choice", "We do not know this phone yet")
    press(browser, "I am new here")
    wait_for_path(browser, "/contacts")
    browser.delete_all_cookies()
    browser.get(f"{demo.base}/self-issued/start")
    request = asked(browser, demo)
    press(browser, "I have answered")
    state("wait", "Waiting for your phone")
    posted = demo.send("POST", "/self-issued/post", {"Content-Type": wire.FORM}, urlencode(phone.answer(request)))
    assert posted.status == 200
    state("confirm", "Was that you?")
    app = computer.Phone(demo)
    browser.get(demo.base + computer.PAGE)
    page = OnScreen(browser)
    app.digits(page)
    state("approved", "Sign in")
    assert app.post(f"{page.id}/deny").status == 204
    state("denied", "declined on the phone")
    assert faults == {}
