"""The pages in every language, on a narrow phone: chosen in the menu, nothing cut off, Arabic from right to left."""

import json
from pathlib import Path

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.support.expected_conditions import staleness_of

import totp
import wire
from admin import Admin
from axe import MEMBER, STRANGER
from browsers import NEEDS_CHROMIUM
from console import open_console
from pages import fill, path_of, shoot, sign_in, wait_for_path
from waiting import wait

pytestmark = NEEDS_CHROMIUM

TEXTS = {path.stem: json.loads(path.read_text())
         for path in (Path(__file__).parents[2] / "public" / "texts").glob("*.json")}
NARROW = (320, 640)

CUT_OFF = """
const wide = document.documentElement.scrollWidth - window.innerWidth;
const cut = [...document.querySelectorAll("button, .button, label, h1, h2, summary, input[type=submit]")]
    .filter((it) => it.checkVisibility() && it.scrollWidth > it.clientWidth + 1 && getComputedStyle(it).display != "inline")
    .map((it) => it.outerHTML.slice(0, 120));
return [wide, cut];
"""


def choose(browser, language: str):
    page = browser.find_element(By.TAG_NAME, "html")
    browser.find_element(By.CSS_SELECTOR, "details.languages summary").click()
    browser.find_element(By.CSS_SELECTOR, f"details.languages button[value='{language}']").click()
    # Another page, not only one in this language: it may have been in it before, and is still under way then.
    wait(browser).until(staleness_of(page))
    wait(browser).until(
        lambda it: it.find_element(By.TAG_NAME, "html").get_attribute("lang") == language)


@pytest.mark.parametrize("scripts", [True, False])
def test_a_visitor_chooses_a_language_and_keeps_it(demo, open_browser, scripts):
    browser = open_browser(size=NARROW, scripts=scripts)
    browser.get(f"{demo.base}/sign-in?redirect=/account")
    for language, texts in TEXTS.items():
        choose(browser, language)
        assert browser.current_url == f"{demo.base}/sign-in?redirect=/account"
        assert browser.find_element(By.TAG_NAME, "h1").text == texts["sign_in"]["title"]
        html = browser.find_element(By.TAG_NAME, "html")
        assert (html.get_attribute("lang"), html.get_attribute("dir")) == (language, "rtl" if language == "ar" else "")
    choose(browser, "ar")
    browser.get(f"{demo.base}/session/signed-out")
    assert browser.find_element(By.TAG_NAME, "h1").text == TEXTS["ar"]["signed_out"]["title"]


@pytest.mark.parametrize("language", sorted(TEXTS))
def test_no_page_is_cut_off_at_320_pixels(demo, open_browser, language):
    browser = open_browser(size=NARROW)
    browser.get(f"{demo.base}/sign-in")
    choose(browser, language)
    faults = {}

    def look(path: str):
        browser.get(demo.base + path)
        assert browser.find_element(By.TAG_NAME, "html").get_attribute("lang") == language, path
        wide, cut = browser.execute_script(CUT_OFF)
        shoot(browser, f"language-{language}-{path.strip('/').replace('/', '-').replace('?', '-')[:40]}")
        if wide > 0 or cut:
            faults[path] = (wide, cut)

    for path in STRANGER:
        if path != "/":
            look(path)
    sign_in(browser, demo, demo.user("alice"), demo.user("alice")["password"])
    wait_for_path(browser, "/account")
    for path in MEMBER:
        if path != "/contacts":
            look(path)
            assert not path_of(browser).startswith("/sign-in"), path
    assert faults == {}


@pytest.mark.parametrize("language", sorted(TEXTS))
def test_recovery_codes_are_not_cut_off_at_320_pixels(demo, open_browser, person, language):
    browser = open_browser(size=NARROW)
    browser.get(f"{demo.base}/sign-in")
    choose(browser, language)
    sign_in(browser, demo, person, to="/account/second-factor")
    secret = wait(browser).until(lambda it: it.find_elements(By.ID, "secret"))[0].text
    fill(browser, code=totp.code(secret))
    browser.find_element(By.CSS_SELECTOR, "form button[type=submit]").click()
    wait(browser).until(lambda it: it.find_elements(By.ID, "codes"))
    assert browser.find_element(By.TAG_NAME, "h1").text == TEXTS[language]["recovery_codes"]["title"]
    shoot(browser, f"language-{language}-recovery-codes")
    assert browser.execute_script(CUT_OFF) == [0, []]
    # What is kept elsewhere can be copied.
    copy = browser.find_element(By.CSS_SELECTOR, "[data-copies]")
    assert copy.is_displayed() and copy.text == TEXTS[language]["recovery_codes"]["copy"]


def test_the_console_speaks_the_language_that_its_own_menu_chose_and_refuses_in_it(demo, open_browser):
    browser = open_browser()
    open_console(browser, demo, "/admin/new-user")
    choose(browser, "de")
    assert browser.current_url == f"{demo.base}/admin/new-user", "the same page again"
    assert browser.find_element(By.TAG_NAME, "h1").text == "Benutzer anlegen"
    browser.find_element(By.NAME, "username").send_keys("alice")
    browser.find_element(By.NAME, "reason").send_keys("neu hier")
    browser.find_element(By.CSS_SELECTOR, "form.values button").click()
    problem = wait(browser).until(lambda it: it.find_element(By.ID, "problem"))
    assert problem.text == "Nicht ausgeführt. Es gibt schon ein Konto mit diesem Benutzernamen."
    # What the rules for clients say is theirs, and marked as what it is.
    browser.get(f"{demo.base}/admin/register-client")
    browser.find_element(By.ID, "f-client_name").send_keys("Laden")
    browser.find_element(By.ID, "f-return_paths").send_keys("no path")
    browser.find_element(By.CSS_SELECTOR, "#client-form button").click()
    detail = wait(browser).until(lambda it: it.find_element(By.CSS_SELECTOR, "#problem-return_paths[lang=en]"))
    assert detail.text.startswith("return_paths holds")
    # The log has one name for a thing in every language.
    browser.get(f"{demo.base}/admin/events?type=user.created")
    assert browser.find_element(By.CSS_SELECTOR, "h1").text == "Ereignisse"
    assert Admin(demo).get("users", q="alice").json()["items"], "and the API goes on as before"


def test_in_arabic_the_consoles_fields_show_paths_and_addresses_in_their_own_direction(demo, open_browser):
    browser = open_browser()
    open_console(browser, demo, "/admin/events?ip=2001:db8::/32&q=/a")
    choose(browser, "ar")
    for field in ["f-ip", "f-q"]:
        shown = browser.find_element(By.ID, field)
        assert (shown.value_of_css_property("unicode-bidi"), shown.value_of_css_property("text-align")) == (
            "plaintext", "right"), field


def test_every_language_is_offered_to_apps(demo):
    metadata = wire.send(demo.base, "GET", "/.well-known/openid-configuration").json()
    assert sorted(metadata["ui_locales_supported"]) == sorted(TEXTS)
