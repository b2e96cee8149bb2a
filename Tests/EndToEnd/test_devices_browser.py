"""`/account/devices` in headless Chromium: what a person sees, reaches by keyboard, and ends."""

import re
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import wire
from browsers import NEEDS_CHROMIUM
from native import App, Browser as Cookies
from pages import assert_fits, inject, path_of, shoot, take_over, text_of, wait_for_path
from waiting import wait

pytestmark = NEEDS_CHROMIUM

PAGE = "/account/devices"


class People:
    """A user with two devices, several apps and web views; the browser is the one that the first app signed in by."""

    def __init__(self, demo, user: str):
        self.demo = demo
        self.here, self.lost = App(demo, user=user), App(demo, user=user)
        self.own = Cookies(demo.base)
        self.here.sign_in(browser=self.own)
        self.lost.sign_in(headers={"User-Agent": "OldPhone/1.0"})
        self.here.native_sso()
        self.lost.cookies()
        demo.sign_in(user)
        self.view = self.here.cookies()

    def open(self, browser, view: wire.Answer | None = None):
        browser.get(f"{self.demo.base}/errors/invalid_token")
        if view is None:
            take_over(browser, self.demo, self.own)
        else:
            inject(browser, self.demo, view)
        browser.get(f"{self.demo.base}{PAGE}")
        assert browser.find_elements(By.CSS_SELECTOR, ".places li")


@pytest.fixture
def own(start_demo):
    """An instance of one test's own, so that nobody else signs in."""
    return start_demo("--no-limits")


def places(browser, kind: str | None = None) -> list:
    return browser.find_elements(By.CSS_SELECTOR, f".places li[id^='{kind}-']" if kind else ".places li")


def ids(browser) -> set[str]:
    return {place.get_attribute("id") for place in places(browser)}


def accessible(browser) -> list[dict]:
    """Role, name and description of everything that a screen reader meets, in order."""
    nodes = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    return [{"role": node["role"]["value"], "name": node.get("name", {}).get("value", ""),
             "description": node.get("description", {}).get("value", "")}
            for node in nodes if not node.get("ignored") and "role" in node]


def test_names_places_times_and_this_one_are_shown(own, browser):
    people = People(own, "alice")
    people.open(browser)
    assert browser.title.startswith("Your devices and sessions")
    assert [heading.text for heading in browser.find_elements(By.TAG_NAME, "h2")] == [
        "Devices", "Apps", "Browsers and web views"]
    assert (len(places(browser, "device")), len(places(browser, "app"))) == (2, 3)
    for place in places(browser):
        assert "127.0.0.0/24" in place.text, place.text
        times = place.find_elements(By.TAG_NAME, "time")
        assert times and all(re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", time.text) for time in times)
    [marked] = browser.find_elements(By.CSS_SELECTOR, ".places li[aria-current='true']")
    assert marked.get_attribute("id").startswith("browser-") and "You are here" in marked.text
    assert any("ExampleApp/3.1" in device.text for device in places(browser, "device"))


def test_a_session_that_an_app_opened_is_shown_and_ended_alone(own, browser):
    """Contract §16: it is for the websites that the app may open, and not for the rest of its user's."""
    people = People(own, "alice")
    people.open(browser, people.view)
    [place] = places(browser)
    assert place.get_attribute("aria-current") == "true" and place.get_attribute("id").startswith("browser-")
    assert "so it is all that is shown here" in text_of(browser) and not browser.find_elements(By.ID, "end-others")
    assert browser.find_element(By.ID, "again").get_attribute("href").endswith("/sign-in?redirect=%2Faccount%2Fdevices")
    place.find_element(By.TAG_NAME, "summary").click()
    place.find_element(By.TAG_NAME, "button").click()
    wait_for_path(browser, f"{PAGE}?ended")
    assert not places(browser)
    assert people.here.cookies().status == 200, "the app goes on"


def test_times_are_those_of_the_readers_place(own, browser):
    browser.execute_cdp_cmd("Emulation.setTimezoneOverride", {"timezoneId": "Asia/Tokyo"})
    People(own, "alice").open(browser)
    shown = browser.find_elements(By.CSS_SELECTOR, ".places time")
    assert shown
    for time in shown:
        at = datetime.fromisoformat(time.get_attribute("datetime")).astimezone(ZoneInfo("Asia/Tokyo"))
        assert time.text == f"{at:%Y-%m-%d %H:%M} GMT+9" and time.get_attribute("title").endswith(" UTC")


def test_a_screen_reader_tells_the_buttons_apart(own, browser):
    people = People(own, "alice")
    people.open(browser)
    nodes = accessible(browser)
    asks = [node for node in nodes if node["role"] == "DisclosureTriangle" and "Language" not in node["name"]]
    assert not [node for node in nodes if node["role"] == "button"], "everything asks first"
    assert len(asks) == len(places(browser)) + 1
    assert {node["name"] for node in asks} == {
        "End ExampleApp/3.1", "End OldPhone/1.0", "End Demo app", "End Demo app B", "End Demo web view", "End Demo website",
        "End everything except this session"}
    for node in asks:
        if node["name"] == "End everything except this session":
            continue
        assert "Signed in" in node["description"], "which of several with one name"
    lists = [node["name"] for node in nodes if node["role"] == "list"]
    assert lists == ["Devices", "Apps", "Browsers and web views"]
    assert any(node["role"] == "main" for node in nodes)


def test_everything_is_reached_and_pressed_by_keyboard(own, browser):
    people = People(own, "alice")
    people.open(browser)
    count = len(places(browser))
    reached, body = [], browser.find_element(By.TAG_NAME, "body")
    for _ in range(count + 1):
        (browser.switch_to.active_element if reached else body).send_keys(Keys.TAB)
        focused = browser.switch_to.active_element
        outline = browser.execute_script("return getComputedStyle(arguments[0]).outlineWidth", focused)
        assert focused.tag_name in ("button", "summary") and float(outline.removesuffix("px")) >= 2, "focus is seen"
        reached.append(focused)
    assert reached[0].get_attribute("id") == "end-others", "before the lists, however long they are"
    # The last of the list: somebody else's browser.
    gone = places(browser)[-1].get_attribute("id")
    reached[-1].send_keys(Keys.ENTER)
    assert gone in ids(browser), "it asks first"
    reached[-1].send_keys(Keys.TAB)
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    wait(browser).until(lambda it: gone not in ids(it) and places(it))


def test_ending_a_device_ends_what_hangs_below_it_and_says_so(own, browser):
    people = People(own, "alice")
    people.open(browser)
    before = ids(browser)
    lost = next(place for place in places(browser, "device") if "OldPhone/1.0" in place.text)
    lost.find_element(By.TAG_NAME, "summary").click()
    assert "sign in again" in lost.text, "it asks first"
    lost.find_element(By.TAG_NAME, "button").click()
    wait_for_path(browser, f"{PAGE}?ended")
    assert "Ended." in browser.find_element(By.CSS_SELECTOR, "[role=status]").text
    assert len(before - ids(browser)) == 3, "the device, its app and its web view"
    assert people.lost.refresh().json()["error"] == "invalid_grant"
    assert people.here.cookies().status == 200
    browser.get(f"{own.base}{PAGE}")
    assert not browser.find_elements(By.CSS_SELECTOR, "[role=status]")


def test_ending_all_others_leaves_this_one(own, browser):
    people = People(own, "alice")
    people.open(browser)
    kept = {place.get_attribute("id") for place in browser.find_elements(By.CSS_SELECTOR, "li[aria-current='true']")}
    everything = ids(browser)
    browser.find_element(By.ID, "end-others").click()
    assert ids(browser) == everything, "it asks first"
    browser.find_element(By.ID, "end-others-now").click()
    wait_for_path(browser, f"{PAGE}?ended_others")
    assert "Everything else is ended." in browser.find_element(By.ID, "notice").text
    assert ids(browser) == kept and len(kept) == 1
    assert not browser.find_elements(By.ID, "end-others")
    for app in [people.lost, people.here]:
        assert app.refresh().json()["error"] == "invalid_grant"


def test_ending_this_one_signs_out(own, browser):
    people = People(own, "alice")
    people.open(browser)
    [here] = browser.find_elements(By.CSS_SELECTOR, "li[aria-current='true']")
    here.find_element(By.TAG_NAME, "summary").click()
    assert "signed out in this browser" in here.text and places(browser), "it asks first"
    here.find_element(By.TAG_NAME, "button").click()
    wait_for_path(browser, f"{PAGE}?ended")
    assert not places(browser)
    assert "Sign in to see" in text_of(browser)
    assert people.here.cookies().status == 200, "the app goes on"


def test_nobodys_others_are_shown_or_ended(own, browser):
    alice, bob = People(own, "alice"), People(own, "bob")
    alice.open(browser)
    form = {name: browser.find_element(By.CSS_SELECTOR, f".places input[name={name}]").get_attribute("value")
            for name in ("form_token", "kind")}
    assert bob.here.tokens["device_secret"] not in browser.page_source
    browser.delete_all_cookies()
    bob.open(browser)
    theirs = ids(browser)
    browser.delete_all_cookies()
    alice.open(browser)
    assert not theirs & ids(browser)
    # Alice names Bob's device in a form of her own.
    other = ".places li:not([aria-current])"
    device = next(place for place in theirs if place.startswith("device-")).removeprefix("device-")
    browser.execute_script("arguments[0].value = arguments[1]",
                           browser.find_element(By.CSS_SELECTOR, f"{other} input[name=id]"), device)
    browser.find_element(By.CSS_SELECTOR, f"{other} summary").click()
    browser.find_element(By.CSS_SELECTOR, f"{other} button").click()
    wait(browser).until(lambda it: path_of(it).startswith(PAGE))
    assert bob.here.cookies().status == 200, form


def test_it_works_without_scripts(own, open_browser):
    people = People(own, "alice")
    browser = open_browser(scripts=False)
    people.open(browser)
    browser.find_element(By.ID, "end-others").click()
    browser.find_element(By.ID, "end-others-now").click()
    wait_for_path(browser, f"{PAGE}?ended_others")
    assert len(places(browser)) == 1


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [(390, 844), (1280, 800)], ids=["phone", "desktop"])
def test_the_page_fits_the_screen_in_light_and_dark(demo, open_browser, size, dark):
    browser = open_browser(size=size, dark=dark)
    People(demo, "bob").open(browser)
    assert_fits(browser, "devices")
    shown = [it for it in browser.find_elements(By.CSS_SELECTOR, ".places .button") if it.is_displayed()]
    assert len(shown) == len(places(browser))
    for button in shown:
        assert button.size["height"] >= 44 and button.size["width"] >= 44, "a finger finds it"
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": size[0], "height": browser.execute_script("return document.documentElement.scrollHeight"),
        "deviceScaleFactor": 1, "mobile": size[0] < 500})
    shoot(browser, f"devices-{size[0]}-{'dark' if dark else 'light'}")
    browser.delete_all_cookies()
    browser.get(f"{demo.base}{PAGE}")
    assert_fits(browser, "devices, signed out")
    shoot(browser, f"devices-signed-out-{size[0]}-{'dark' if dark else 'light'}")
