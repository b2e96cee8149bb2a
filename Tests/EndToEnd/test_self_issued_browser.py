"""Signing in with a phone's key in headless Chromium: the page that asks, the page that the answer comes back to."""

import re
from pathlib import Path
from urllib.parse import urlencode

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import totp
import wire
from accounts import OLD_PASSWORD
from browsers import NEEDS_CHROMIUM
from pages import SCREENSHOTS, press, session_in, text_of, wait_for_path
from selfissued import Browser, Phone, asked, comes_back
from waiting import wait

pytestmark = NEEDS_CHROMIUM


@pytest.fixture
def phone(demo):
    made, owner = Phone(), Browser(demo)
    owner.sign_in("alice")
    owner.link(made)
    return made


def shot(browser, name: str, tmp_path):
    folder = Path(SCREENSHOTS or tmp_path)
    height = browser.execute_script("return document.documentElement.scrollHeight")
    width = browser.execute_script("return window.innerWidth")
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})
    browser.save_screenshot(str(folder / f"self-issued-{name}.png"))
    # Nothing sticks out to the side.
    assert browser.execute_script("return document.documentElement.scrollWidth <= window.innerWidth"), name


def test_without_scripts_the_return_page_does_not_say_that_it_checks_an_answer(demo, open_browser):
    browser = open_browser(scripts=False)
    browser.get(f"{demo.base}/self-issued/callback#state=x")
    said = text_of(browser)
    assert "needs JavaScript" in said and "being checked" not in said


def test_a_phone_signs_in_through_the_return_page(demo, browser, phone):
    browser.get(f"{demo.base}/self-issued/start?return=%2Faccount%2Fprofile")
    link = browser.find_element(By.ID, "open-app").get_attribute("href")
    assert link.startswith(f"{demo.base}/self-issued/open?request_uri=")
    comes_back(browser, demo, phone.answer(asked(browser, demo)))
    wait_for_path(browser, "/account/profile")
    assert demo.session(session_in(browser))["origin"] == "self_issued"
    # The answer is nowhere in the history: going back leads past the return page's address as it was.
    entries = browser.execute_cdp_cmd("Page.getNavigationHistory", {})["entries"]
    assert not any("id_token" in entry["url"] for entry in entries), entries


def test_an_answer_in_another_browser_says_so_and_signs_nobody_in(demo, open_browser, phone):
    first, second = open_browser(), open_browser()
    first.get(f"{demo.base}/self-issued/start")
    comes_back(second, demo, phone.answer(asked(first, demo)))
    wait(second).until(lambda it: "another browser" in text_of(it))
    assert second.current_url == f"{demo.base}/self-issued/callback" and session_in(second) is None


def test_declining_is_said_in_plain_words(demo, browser):
    for where in "#?":
        browser.get(f"{demo.base}/self-issued/start")
        state = asked(browser, demo)["state"]
        browser.get(f"{demo.base}/self-issued/callback{where}{urlencode({'error': 'user_cancelled', 'state': state})}")
        wait(browser).until(lambda it: "You declined on your phone" in text_of(it))
        assert browser.current_url == f"{demo.base}/self-issued/callback"


def test_who_has_to_wait_is_told_how_long(demo, browser):
    browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
        window.fetch = async () =>
            new Response('{"error": "rate_limited"}', {status: 429, headers: {"Retry-After": "601"}});"""})
    browser.get(f"{demo.base}/self-issued/callback#state=x")
    wait(browser).until(lambda it: "Please wait 11 min, then try again." in text_of(it))


def test_what_comes_in_the_fragment_is_never_markup(demo, browser):
    browser.get(f"{demo.base}/self-issued/callback#error=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E&state=x")
    wait(browser).until(lambda it: "is over" in text_of(it))
    assert not browser.find_elements(By.CSS_SELECTOR, "main img")


def test_who_is_new_chooses_by_keyboard_alone(demo, browser):
    browser.get(f"{demo.base}/self-issued/start")
    comes_back(browser, demo, Phone().answer(asked(browser, demo), told={"name": "Ada"}))
    wait_for_path(browser, "/self-issued/choice")
    for _ in range(10):
        browser.switch_to.active_element.send_keys(Keys.TAB)
        if browser.switch_to.active_element.get_attribute("id") == "new":
            break
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    wait_for_path(browser, "/contacts")
    assert demo.session(session_in(browser))["authenticated"]


def test_who_does_not_want_to_choose_signs_in_another_way(demo, browser):
    browser.get(f"{demo.base}/self-issued/start?return=%2Faccount%2Fprofile")
    comes_back(browser, demo, Phone().answer(asked(browser, demo)))
    wait_for_path(browser, "/self-issued/choice?redirect=%2Faccount%2Fprofile")
    browser.find_element(By.ID, "other").click()
    wait_for_path(browser, "/sign-in?redirect=%2Faccount%2Fprofile")


def test_an_account_that_has_no_name_is_not_called_by_its_id(demo, browser):
    stranger = Phone()
    browser.get(f"{demo.base}/self-issued/start")
    comes_back(browser, demo, stranger.answer(asked(browser, demo)))
    wait_for_path(browser, "/self-issued/choice")
    press(browser, "I am new here")
    wait_for_path(browser, "/contacts")
    subject = demo.session(session_in(browser))["sub"]
    browser.get(f"{demo.base}/account")
    assert browser.find_element(By.ID, "who").text == "Account without a name"
    assert browser.find_element(By.ID, "subject").text == subject
    browser.delete_all_cookies()
    browser.get(f"{demo.base}/self-issued/start")
    answers_elsewhere(demo, stranger.answer(asked(browser, demo)))
    wait(browser, 15).until(lambda it: "Was that you?" in text_of(it))
    assert browser.find_element(By.ID, "account").text == "Account without a name"
    assert subject in text_of(browser)


def test_who_typed_a_wrong_code_may_type_at_once_and_no_is_not_as_loud_as_yes(demo, person, browser):
    made, owner = Phone(), Browser(demo)
    owner.submit(owner.request("GET", "/sign-in"), username=person["username"], password=OLD_PASSWORD)
    owner.link(made)
    page = owner.request("GET", "/account/second-factor")
    key = re.search(r'<pre id="secret"[^>]*>([A-Z2-7 ]+)<', page.text)[1]
    assert owner.submit(page, code=totp.code(key)).status == 200
    browser.get(f"{demo.base}/self-issued/start")
    answers_elsewhere(demo, made.answer(asked(browser, demo)))
    field = wait(browser, 15).until(lambda it: it.find_element(By.ID, "code"))
    assert browser.switch_to.active_element == field
    field.send_keys("000000", Keys.ENTER)
    wait(browser).until(lambda it: it.find_elements(By.ID, "notice"))
    wait(browser).until(lambda it: it.switch_to.active_element.get_attribute("id") == "code")
    looks = [browser.find_element(By.ID, name).get_attribute("class") for name in ("confirm", "decline")]
    assert looks == ["button", "button second"]


def answers_elsewhere(server, answer: dict):
    posted = server.send("POST", "/self-issued/post", {"Content-Type": wire.FORM}, urlencode(answer))
    assert posted.status == 200, posted.text


@pytest.mark.parametrize("scripts", [True, False])
def test_the_browser_beside_a_phone_that_answers_is_asked_whether_that_was_its_user(demo, open_browser, phone, scripts):
    browser = open_browser(scripts=scripts)
    browser.get(f"{demo.base}/self-issued/start")
    answers_elsewhere(demo, phone.answer(asked(browser, demo)))
    if not scripts:
        press(browser, "I have answered")
    wait(browser, 15).until(lambda it: "Was that you?" in text_of(it))
    assert session_in(browser) is None
    press(browser, "Yes")
    wait_for_path(browser, "/contacts")
    assert demo.session(session_in(browser))["origin"] == "device_code"


def decline_elsewhere(browser):
    """The sign-in of this page is declined, as in another tab of the browser."""
    browser.execute_async_script("""
        const fields = new URLSearchParams(new FormData(document.getElementById("wait")));
        fields.set("what", "decline");
        fetch("/self-issued/continue", {method: "POST", body: fields}).then(arguments[0], arguments[0]);""")


def test_the_page_that_only_waits_says_by_itself_that_the_sign_in_is_over(demo, browser):
    browser.get(f"{demo.base}/self-issued/start")
    press(browser, "I have answered")
    wait(browser).until(lambda it: "Waiting for your phone" in text_of(it))
    decline_elsewhere(browser)
    wait(browser, 15).until(lambda it: "This sign-in is over" in text_of(it))
    assert browser.find_element(By.LINK_TEXT, "Go to sign-in")


def test_the_code_goes_when_its_sign_in_is_over(demo, browser):
    browser.get(f"{demo.base}/self-issued/start")
    decline_elsewhere(browser)
    wait(browser, 15).until(lambda it: "This code has expired" in text_of(it))
    assert not browser.find_element(By.ID, "qr").is_displayed() and "cookies" not in text_of(browser)


def test_without_cookies_the_page_with_the_code_says_so_and_not_that_the_code_has_expired(demo, open_browser):
    browser = open_browser(cookies=False)
    browser.get(f"{demo.base}/self-issued/start")
    wait(browser, 15).until(lambda it: "Your browser keeps no cookies from this site." in text_of(it))
    assert not browser.find_element(By.ID, "qr").is_displayed() and "expired" not in text_of(browser)


def test_the_return_page_whose_sign_in_is_over_does_not_go_on_saying_that_it_signs_in(demo, browser):
    browser.get(f"{demo.base}/self-issued/callback#state=x")
    wait(browser).until(lambda it: "is over" in text_of(it))
    assert browser.find_element(By.TAG_NAME, "h1").text == "That did not work"
    assert browser.title.startswith("That did not work · ") and "Signing you in" not in text_of(browser)


@pytest.mark.parametrize("size,dark", [((375, 812), False), ((375, 812), True), ((1280, 800), False), ((1280, 800), True)])
def test_every_page_of_a_sign_in_by_phone_can_be_pictured_at_both_widths_light_and_dark(
        demo, open_browser, phone, size, dark, tmp_path):
    name = f"{size[0]}-{'dark' if dark else 'light'}"
    browser = open_browser(size=size, dark=dark)
    browser.get(f"{demo.base}/sign-in")
    shot(browser, f"sign-in-{name}", tmp_path)
    browser.get(f"{demo.base}/self-issued/start")
    shot(browser, f"start-{name}", tmp_path)
    request = asked(browser, demo)
    browser.get(browser.find_element(By.ID, "open-app").get_attribute("href"))
    shot(browser, f"open-{name}", tmp_path)
    comes_back(browser, demo, {**phone.answer(request), "state": "x"})
    wait(browser).until(lambda it: "is over" in text_of(it))
    shot(browser, f"return-{name}", tmp_path)
    browser.get(f"{demo.base}/self-issued/start")
    comes_back(browser, demo, Phone().answer(asked(browser, demo), told={"name": "Ada", "email": "ada@example.com"}))
    wait_for_path(browser, "/self-issued/choice")
    shot(browser, f"choice-{name}", tmp_path)
    browser.get(f"{demo.base}/self-issued/start")
    request = asked(browser, demo)
    press(browser, "I have answered")
    wait(browser).until(lambda it: "Waiting for your phone" in text_of(it))
    shot(browser, f"wait-{name}", tmp_path)
    demo.send("POST", "/self-issued/post", {"Content-Type": wire.FORM}, urlencode(phone.answer(request)))
    wait(browser, 15).until(lambda it: "Was that you?" in text_of(it))
    shot(browser, f"confirm-{name}", tmp_path)
    press(browser, "Yes")
    wait_for_path(browser, "/contacts")
    browser.get(f"{demo.base}/account/phone-keys")
    shot(browser, f"keys-stale-{name}", tmp_path)
    browser.delete_all_cookies()
    browser.get(f"{demo.base}/self-issued/start")
    comes_back(browser, demo, phone.answer(asked(browser, demo)))
    wait_for_path(browser, "/contacts")
    browser.get(f"{demo.base}/account/phone-keys")
    shot(browser, f"keys-{name}", tmp_path)
