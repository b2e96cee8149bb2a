"""Our pages in Chromium: what they say, what is pressed and typed there, and how they look."""

import os
from pathlib import Path

from selenium.common.exceptions import TimeoutException
from selenium.webdriver.common.by import By

import wire
from accounts import OLD_PASSWORD
from waiting import wait

SCREENSHOTS = os.environ.get("E2E_SCREENSHOTS")


def session_in(browser) -> str | None:
    """The session cookie this browser holds, as a request would carry it."""
    for cookie in browser.execute_cdp_cmd("Network.getAllCookies", {})["cookies"]:
        if cookie["name"] == wire.SESSION_COOKIE:
            return f"{cookie['name']}={cookie['value']}"
    return None


def text_of(browser) -> str:
    """What the page says. One that goes away in the middle of the question is asked again, as the next one."""
    return wait(browser).until(lambda it: (it.find_element(By.TAG_NAME, "body").text,))[0]


def assert_moves_nothing(browser, appears: str, above: str):
    """What comes late to a page, by its selector, leaves what stands above it where that was."""
    with_it, without = browser.execute_script("""
        const place = () => document.querySelector(arguments[1]).getBoundingClientRect().top;
        const seen = place();
        document.querySelector(arguments[0]).hidden = true;
        return [seen, place()];""", appears, above)
    assert with_it == without


def path_of(browser) -> str:
    return "/" + browser.current_url.split("/", 3)[3]


def wait_for_path(browser, path: str):
    wait(browser).until(lambda it: path_of(it) == path, f"at {browser.current_url}, not {path}")


def press(browser, words: str):
    """Presses the button or link whose text contains the words, once the page that has it is there."""
    def pressed(it) -> bool:
        for element in it.find_elements(By.CSS_SELECTOR, "button, a, input[type=submit]"):
            if words.lower() in (element.text or element.get_attribute("value") or "").lower():
                element.click()
                return True
        return False

    try:
        # The page before may be going away meanwhile.
        wait(browser).until(pressed)
    except TimeoutException:
        raise AssertionError(f"nothing to press says {words!r} in: {text_of(browser)}") from None


def assert_signed_in(browser, name: str, path: str = "/contacts"):
    wait_for_path(browser, path)
    assert name in text_of(browser).lower()


def open_as_bob_in_alices_browser(demo, browser) -> dict:
    browser.get(demo.issue("alice")["login_url"])
    assert_signed_in(browser, "alice")
    token = demo.issue("bob")
    browser.get(token["login_url"])
    assert "bob" in text_of(browser).lower() and "alice" in text_of(browser).lower(), text_of(browser)
    assert demo.status(token["id"], "bob") == "pending"
    assert token["token"] not in browser.current_url, "the page's form has it, the address bar no more"
    return token


def shoot(browser, name: str):
    if SCREENSHOTS:
        Path(SCREENSHOTS).mkdir(parents=True, exist_ok=True)
        browser.save_screenshot(str(Path(SCREENSHOTS) / f"{name}.png"))


def assert_fits(browser, name: str):
    wide = browser.execute_script("return document.documentElement.scrollWidth - window.innerWidth")
    assert wide <= 0, f"{name} is {wide} px wider than the screen"
    assert browser.title, f"{name} has no title"
    light = browser.execute_script("""
        const style = getComputedStyle(document.body), root = getComputedStyle(document.documentElement);
        const clear = 'rgba(0, 0, 0, 0)';
        const color = style.backgroundColor === clear ? root.backgroundColor : style.backgroundColor;
        const dark = matchMedia('(prefers-color-scheme: dark)').matches;
        const channels = color.match(/[0-9.]+/g).slice(0, 3).map(Number);
        const bright = channels.reduce((a, b) => a + b, 0) / 3;
        return [dark, color === clear, bright];""")
    dark, clear, bright = light
    if dark:
        assert not clear and bright < 90, f"{name} is not dark in dark mode: {light}"
    else:
        assert clear or bright > 180, f"{name} is not light in light mode: {light}"


def fill(browser, **fields):
    for name, value in fields.items():
        box = browser.find_element(By.NAME, name)
        if box.get_attribute("readonly") is None:
            box.clear()
            box.send_keys(value)


def sign_in(browser, demo, person, password: str = OLD_PASSWORD, to: str = "/account"):
    browser.get(f"{demo.base}/sign-in?redirect={to}")
    fill(browser, username=person["username"], password=password)
    browser.find_element(By.CSS_SELECTOR, "form.entry button[type=submit]").click()


def wait_for_text(browser, words: str):
    """Until the page that comes after a click says this; the one before may be going away meanwhile."""
    wait(browser).until(
        lambda it: words in text_of(it), f"nothing says {words!r}")


def type_password(browser, demo, name: str = "alice", password: str | None = None):
    # The page before may be going away still.
    field = wait(browser).until(lambda it: it.find_element(By.ID, "username"))
    field.clear()
    field.send_keys(name)
    browser.find_element(By.ID, "password").send_keys(password or demo.user(name)["password"])
    press(browser, "sign in")


def inject(browser, demo, answer: wire.Answer):
    """What a web view's cookie store does with `Set-Cookie` of an answer that it did not fetch itself."""
    for name, cookie in answer.cookies.items():
        done = browser.execute_cdp_cmd("Network.setCookie", {
            "name": name, "value": cookie.value, "url": demo.base, "path": cookie.attributes["path"],
            "secure": cookie.attributes.get("secure", False), "httpOnly": cookie.attributes.get("httponly", False),
            "sameSite": cookie.attributes["samesite"]})
        assert done["success"], name


def take_over(browser, demo, jar):
    """The cookies of the host's own that another browser has."""
    for name, value in jar.jar.items():
        done = browser.execute_cdp_cmd("Network.setCookie", {
            "name": name, "value": value, "url": demo.base, "path": "/", "secure": name.startswith("__Host-"),
            "httpOnly": name.startswith("__Host-"), "sameSite": "Lax"})
        assert done["success"], name


class OnScreen:
    """The page in a real browser, as the phone's helpers know a computer."""

    def __init__(self, browser):
        self.browser = browser

    @property
    def link(self) -> str:
        return self.browser.find_element(By.ID, "qr").get_attribute("data-link")

    @property
    def id(self) -> str:
        return self.link.rsplit("/", 1)[1]

    @property
    def letters(self) -> str:
        return self.browser.find_element(By.ID, "user-code").text

    def wait_for_field(self):
        field = self.browser.find_element(By.ID, "code")
        wait(self.browser).until(lambda _: field.is_displayed())
        return field
