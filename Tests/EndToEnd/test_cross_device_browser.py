"""`/signin/phone` in headless Chromium, with `drawbridge-app` for the phone: seen, read, typed, by keyboard, without
script."""

import re
import shutil
import subprocess

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.expected_conditions import staleness_of

import desktop
from browsers import NEEDS_CHROMIUM
from computer import PAGE, Phone
from desktop import assert_answered
from devices import Device
from native import Browser
from pages import OnScreen, assert_fits, press, session_in, shoot, text_of, wait_for_path
from waiting import wait

pytestmark = NEEDS_CHROMIUM


@pytest.fixture(scope="module")
def phone(demo) -> Phone:
    return Phone(demo)


@pytest.fixture
def app(demo, tmp_path):
    """`drawbridge-app`, signed in as alice."""
    made = desktop.Desktop(demo, tmp_path)
    running = made.start("sign-in")
    assert_answered(Browser(demo.base).sign_in(made.address(), demo.user("alice")))
    running.end()
    return made


def open_page(browser, demo, query: str = "") -> OnScreen:
    browser.get(f"{demo.base}{PAGE}{query}")
    return OnScreen(browser)


def test_the_desktop_app_plays_the_phone(demo, browser, app):
    browser.get(f"{demo.base}/sign-in?redirect=%2Fcontacts")
    press(browser, "the app on your phone")
    page = OnScreen(browser)
    assert not browser.find_element(By.ID, "code").is_displayed(), "nothing to type into yet"
    said = app.run("approve", "--answer", "yes", page.link)
    assert "Chrom" in said and "Linux" in said and "your network" in said
    digits = re.search(r"^  (\d{6})$", said, re.M).group(1)
    field = page.wait_for_field()
    assert browser.switch_to.active_element == field, "a keyboard's user may type at once"
    field.send_keys(digits, Keys.ENTER)
    wait_for_path(browser, "/contacts")
    assert "alice" in text_of(browser).lower() and session_in(browser)


def test_the_desktop_app_declines_by_letters_and_shows_digits(demo, browser, app):
    page = open_page(browser, demo)
    assert "Declined" in app.run("approve", "--answer", "no", page.letters)
    wait(browser).until(lambda it: "declined on the phone" in text_of(it))
    assert browser.switch_to.active_element.get_attribute("id") == "again"
    browser.get(f"{demo.base}/signin/code")
    digits = re.search(r"^  (\d{6})$", app.run("digits"), re.M).group(1)
    browser.find_element(By.ID, "username").send_keys("alice")
    browser.find_element(By.ID, "code").send_keys(digits, Keys.ENTER)
    wait_for_path(browser, "/contacts")


def test_the_desktop_app_follows_no_other_hosts_link(app):
    said = app.run("approve", "--answer", "yes", "https://evil.example/x/AAAAAAAAAAAAAAAAAAAAAA", status=1)
    assert "not the provider's" in said


@pytest.mark.skipif(not shutil.which("zbarimg"), reason="needs zbarimg")
def test_a_camera_reads_the_code(demo, browser, tmp_path):
    page = open_page(browser, demo)
    picture = tmp_path / "code.png"
    browser.save_screenshot(str(picture))
    read = subprocess.run(["zbarimg", "-q", "--raw", str(picture)], capture_output=True, text=True)
    assert read.stdout.strip() == page.link, read


def test_a_page_that_cannot_be_kept_waiting_asks_again_when_the_server_says(serve, browser):
    server = serve("cross_device: {enabled: true, held_pages: 0}")
    noted = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
        window.pauses = [];
        const real = window.setTimeout;
        window.setTimeout = (what, pause) => { window.pauses.push(pause); return real(what, pause); };"""})
    try:
        open_page(browser, server)
        wait(browser).until(lambda it: it.execute_script("return pauses"))
        assert browser.execute_script("return pauses") == [10_000]
        assert not browser.find_element(By.ID, "trouble").is_displayed()
    finally:
        browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", noted)


def test_a_page_that_is_not_kept_waiting_and_was_opened_again_in_another_tab_says_that_it_is_over(serve, browser):
    server = serve("cross_device: {enabled: true, held_pages: 0}")
    open_page(browser, server)
    first = browser.current_window_handle
    browser.switch_to.new_window("tab")
    try:
        open_page(browser, server)
        assert browser.find_element(By.ID, "qr").is_displayed()
    finally:
        browser.close()
        browser.switch_to.window(first)
    # It asks every ten seconds.
    wait(browser).until(lambda it: "opened again in another tab" in text_of(it))
    assert not browser.find_element(By.ID, "qr").is_displayed()
    assert browser.find_element(By.ID, "again").is_displayed()


def test_a_page_that_does_not_say_which_it_is_goes_on_waiting(demo, browser, phone):
    """A site's own template may know nothing of it."""
    noted = browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
        document.addEventListener("readystatechange", () =>
            document.getElementById("phone")?.removeAttribute("data-tab"));"""})
    try:
        page = open_page(browser, demo)
        assert browser.find_element(By.ID, "phone").get_attribute("data-tab") is None
        phone.scan(page)
        page.wait_for_field()
    finally:
        browser.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", noted)


def test_what_was_wrong_before_is_not_said_of_what_comes_after(demo, browser, phone):
    page = open_page(browser, demo)
    scanned = phone.scan(page)
    number = page.id
    page.wait_for_field().send_keys("000000", Keys.ENTER)
    wait(browser).until(lambda it: "shows no digits yet" in text_of(it))
    assert browser.title.startswith("Error: ")
    phone.approve(page_of(number), scanned)
    wait(browser).until(lambda it: "You have approved it" in text_of(it))
    assert "shows no digits yet" not in text_of(browser)
    assert browser.title.startswith("Sign in with the app on your phone")


def test_on_the_phone_itself_another_way_to_sign_in_comes_before_the_code(demo, open_browser):
    browser = open_browser(size=(390, 844))
    browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 1})
    try:
        page = open_page(browser, demo, "?redirect=%2Fcontacts")
        ways = [way for way in browser.find_elements(By.LINK_TEXT, "Sign in another way") if way.is_displayed()]
        assert [way.get_attribute("class") for way in ways] == ["button"], "one, and the first thing to do"
        assert ways[0].get_attribute("href") == f"{demo.base}/sign-in?redirect=%2Fcontacts"
        assert ways[0].location["y"] < browser.find_element(By.ID, "qr").location["y"]
        assert "Is the app on this phone?" in text_of(browser) and page.letters, "tablets have phones beside them"
        assert_fits(browser, "phone-on-itself")
        shoot(browser, "phone-on-itself")
    finally:
        browser.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})


def test_beside_the_phone_nothing_is_said_of_the_phone_itself(demo, browser):
    open_page(browser, demo)
    assert "Is the app on this phone?" not in text_of(browser)
    [way] = [way for way in browser.find_elements(By.LINK_TEXT, "Sign in another way") if way.is_displayed()]
    assert way.get_attribute("class") == "button second"


def test_wrong_digits_are_told_and_the_third_ends_it(demo, browser, phone):
    page = open_page(browser, demo)
    digits = phone.digits(page)
    for _ in range(2):
        field = page.wait_for_field()
        field.send_keys("000000" if digits != "000000" else "000001", Keys.ENTER)
        # The page before has the same notice, the second time.
        wait(browser).until(staleness_of(field))
        wait(browser).until(lambda it: it.find_elements(By.ID, "notice"))
        assert "not right" in browser.find_element(By.CSS_SELECTOR, "[role=alert]").text
    page.wait_for_field().send_keys("000000" if digits != "000000" else "000001", Keys.ENTER)
    wait(browser).until(lambda it: "three times" in text_of(it))
    assert session_in(browser) is None
    assert browser.title.startswith("Error: ")
    assert "three times" in browser.find_element(By.CSS_SELECTOR, "[role=alert]").text


def test_without_script_the_page_goes_on_by_itself(demo, open_browser, phone):
    browser = open_browser(scripts=False)
    page = open_page(browser, demo)
    before = page.id
    wait(browser, 15).until(lambda it: "seen=" in it.current_url)
    phone.scan(page_of(before))
    wait(browser, 15).until(
        lambda it: it.find_element(By.ID, "phone").get_attribute("data-state") == "scanned")
    digits = phone.approve(page_of(before), phone.scan(page_of(before)))
    browser.find_element(By.ID, "code").send_keys(digits, Keys.ENTER)
    wait_for_path(browser, "/contacts")
    assert session_in(browser)


def page_of(number: str):
    return type("Page", (), {"id": number})


def test_everything_is_reached_by_keyboard(demo, browser, phone):
    page = open_page(browser, demo)
    phone.scan(page)
    page.wait_for_field()
    reached = []
    for _ in range(2):
        browser.switch_to.active_element.send_keys(Keys.TAB)
        focused = browser.switch_to.active_element
        assert float(browser.execute_script(
            "return getComputedStyle(arguments[0]).outlineWidth", focused).removesuffix("px")) >= 2, "focus is seen"
        reached.append(focused.text)
    assert reached == ["Sign in", "Sign in another way"]


def test_a_screen_reader_hears_what_happens(demo, browser, phone):
    page = open_page(browser, demo)
    nodes = browser.execute_cdp_cmd("Accessibility.getFullAXTree", {})["nodes"]
    named = {(node["role"]["value"], node.get("name", {}).get("value")) for node in nodes if not node.get("ignored")
             and "role" in node}
    assert any(role in ("image", "img") and name == "Code to scan with your phone" for role, name in named)
    assert not any(role == "textbox" for role, _ in named), "nothing to type into yet"
    phone.scan(page)
    wait(browser).until(
        lambda it: "six digits" in it.find_element(By.CSS_SELECTOR, "#news[role=status]").get_attribute("textContent"))


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [(375, 812), (1280, 900)], ids=["phone", "desktop"])
def test_the_pages_fit_the_screen_in_light_and_dark(demo, open_browser, phone, size, dark):
    browser = open_browser(size=size, dark=dark)
    name = f"{size[0]}-{'dark' if dark else 'light'}"

    def look(what: str):
        assert_fits(browser, what)
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": size[0], "height": browser.execute_script("return document.documentElement.scrollHeight"),
            "deviceScaleFactor": 1, "mobile": size[0] < 500})
        shoot(browser, f"{what}-{name}")

    page = open_page(browser, demo)
    look("phone-created")
    phone.scan(page)
    page.wait_for_field()
    look("phone-scanned")
    right = phone.approve(page, phone.scan(page))
    for tries, what in enumerate(["phone-wrong-digits", None, "phone-over"], 1):
        field = page.wait_for_field()
        field.send_keys("000000" if right != "000000" else "000001", Keys.ENTER)
        # The page before has the same notice, the second time.
        wait(browser).until(staleness_of(field))
        wait(browser).until(lambda it: ("three times" if tries == 3 else "not right") in text_of(it))
        if what:
            look(what)
    page = open_page(browser, demo)
    phone.scan(page)
    page.wait_for_field()
    phone.post(f"{page_of_browser(browser)}/deny")
    wait(browser).until(lambda it: "declined on the phone" in text_of(it))
    look("phone-denied")
    for path, what in (("/signin/code", "sign-in-code"), ("/x/AAAAAAAAAAAAAAAAAAAAAA", "phone-help"),
                       ("/sign-in", "sign-in-phone")):
        browser.get(f"{demo.base}{path}")
        look(what)
    browser.get(f"{demo.base}/device")
    alice = demo.user("alice")
    browser.find_element(By.NAME, "username").send_keys(alice["username"])
    browser.find_element(By.NAME, "password").send_keys(alice["password"], Keys.ENTER)
    wait_for_path(browser, "/device")
    look("device")
    browser.get(f"{demo.base}/device?user_code={Device(demo).user_code}")
    look("device-question")
    browser.find_element(By.ID, "allow").click()
    wait(browser).until(lambda it: not it.find_elements(By.ID, "allow"))
    look("device-answered")


def page_of_browser(browser) -> str:
    return OnScreen(browser).id
