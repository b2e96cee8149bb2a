"""Every flow with the keyboard alone: what is to be pressed is reached by Tab, with its focus to be seen, and pressed by a
key.

Changing the password, devices, the phone's sign-in and linking a phone have their own such tests.
"""

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import totp
from accounts import OLD_PASSWORD
from admin import Admin
from browsers import NEEDS_CHROMIUM
from devices import Device
from pages import assert_signed_in, open_as_bob_in_alices_browser, session_in, text_of, wait_for_path
from waiting import wait

pytestmark = NEEDS_CHROMIUM

FURTHEST = 40


def tab_to(browser, css: str):
    """Tabs on, from where the focus is, until it is on what the selector names."""
    for _ in range(FURTHEST):
        focused = browser.switch_to.active_element
        if focused.tag_name != "body" and browser.execute_script(
                "return arguments[0].matches(arguments[1])", focused, css):
            seen = browser.execute_script(
                "const style = getComputedStyle(arguments[0]);"
                "return style.outlineStyle != 'none' && parseFloat(style.outlineWidth) >= 2", focused)
            assert seen, f"the focus on {css} is not seen"
            return focused
        focused.send_keys(Keys.TAB)
    raise AssertionError(f"the keyboard does not reach {css} on {browser.current_url}")


def type_into(browser, css: str, text: str):
    tab_to(browser, css).send_keys(text)


def press(browser, css: str, key: str = Keys.ENTER):
    """Presses what a key presses, and waits for the page after it."""
    page = browser.find_element(By.TAG_NAME, "html")
    tab_to(browser, css).send_keys(key)
    wait(browser).until(lambda it: page.id != it.find_element(By.TAG_NAME, "html").id)


def sign_in(browser, name: str, password: str):
    type_into(browser, "#username", name)
    type_into(browser, "#password", password)
    press(browser, "form.entry button[type=submit]")


def test_an_app_is_allowed(demo, loopback_app, browser):
    browser.get(loopback_app.url())
    sign_in(browser, "alice", demo.user("alice")["password"])
    press(browser, "#allow")
    wait(browser).until(lambda _: loopback_app.answers)
    assert "code" in loopback_app.answers[0]


def test_an_app_is_declined(demo, loopback_app, browser):
    browser.get(loopback_app.url())
    sign_in(browser, "alice", demo.user("alice")["password"])
    press(browser, "#deny")
    wait(browser).until(lambda _: loopback_app.answers)
    assert loopback_app.answers[0]["error"] == "access_denied"


@pytest.mark.parametrize("who,css", [("alice", "main a.button"), ("bob", "main form button")])
def test_one_of_two_accounts_is_chosen(demo, browser, who, css):
    open_as_bob_in_alices_browser(demo, browser)
    before = session_in(browser)
    press(browser, css)
    assert_signed_in(browser, who)
    assert (session_in(browser) == before) is (who == "alice")


def test_a_second_factor_is_set_up_and_asked_for_and_the_browser_signs_out(demo, browser, person):
    browser.get(f"{demo.base}/sign-in?redirect=/account")
    sign_in(browser, person["username"], OLD_PASSWORD)
    wait_for_path(browser, "/account")
    press(browser, "a[href='/account/second-factor']")
    secret = browser.find_element(By.ID, "secret").text
    # A `pre` by itself may have no name.
    assert browser.find_element(By.ID, "secret").get_attribute("role") == "group"
    type_into(browser, "input[name=code]", totp.code(secret))
    press(browser, "form button[type=submit]")
    assert browser.find_element(By.ID, "codes").text
    press(browser, "#next")
    browser.get(f"{demo.base}/session/logout")
    press(browser, "main form button[type=submit]")
    wait_for_path(browser, "/session/signed-out")
    browser.get(f"{demo.base}/sign-in?redirect=/account")
    sign_in(browser, person["username"], OLD_PASSWORD)
    # A code is good once: the next one comes within its thirty seconds, and is taken already.
    type_into(browser, "input[name=code]", totp.code(secret, 1))
    press(browser, "form button[type=submit]")
    wait_for_path(browser, "/account")


def test_a_device_is_let_in_by_its_code(demo, browser):
    device = Device(demo)
    browser.get(f"{demo.base}/device")
    sign_in(browser, "alice", demo.user("alice")["password"])
    wait_for_path(browser, "/device")
    type_into(browser, "input[name=user_code]", device.user_code)
    press(browser, "main form button[type=submit]")
    press(browser, "#allow")
    assert device.tokens()["access_token"]


def test_another_language_is_chosen(demo, browser):
    browser.get(f"{demo.base}/sign-in")
    tab_to(browser, "details.languages summary").send_keys(Keys.ENTER)
    press(browser, "details.languages button[value=fr]")
    assert browser.find_element(By.TAG_NAME, "html").get_attribute("lang") == "fr"


def test_in_the_console_somebody_is_found_renamed_and_signed_out(demo, browser, person):
    token = demo.issue(person["sub"])
    demo.redeem(token["token"])
    browser.get(f"{demo.base}/admin/users")
    type_into(browser, "#token", demo.facts["admin_token"])
    press(browser, "main form button[type=submit]")
    wait_for_path(browser, "/admin/users")
    # The first thing that the keyboard reaches leads past the navigation.
    browser.switch_to.active_element.send_keys(Keys.TAB)
    assert browser.switch_to.active_element.get_attribute("href").endswith("#main")
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    type_into(browser, "#q", person["username"])
    press(browser, "form[role=search] button")
    press(browser, "tbody td a")
    tab_to(browser, "#rename summary").send_keys(Keys.ENTER)
    name = tab_to(browser, "#display_name")
    name.send_keys(Keys.CONTROL, "a")
    name.send_keys("Pat by key")
    type_into(browser, "#names-reason", "asked by telephone")
    press(browser, "#rename button")
    wait(browser).until(lambda it: it.find_element(By.TAG_NAME, "h1").text == "Pat by key")
    tab_to(browser, "ul.sessions li summary").send_keys(Keys.ENTER)
    type_into(browser, "ul.sessions li input[name=reason]", "lost")
    press(browser, "ul.sessions li button")
    event = Admin(demo).events(type="web_session.ended", sub=person["sub"])[0]
    assert event["reason"] == "lost" or "lost" in event["detail"]
    press(browser, "a[href='/admin/explain']")
    type_into(browser, "#redirect", "//evil.example/")
    press(browser, "form:has(#redirect) button")
    assert "It does not pass" in text_of(browser)
