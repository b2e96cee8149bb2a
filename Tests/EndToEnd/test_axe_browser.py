"""axe-core over every page and view of the console in six languages; nothing may be found.

Both widths, light and dark, for one language of each direction: colours and boxes are the same in the others, of which every
page is looked at once, and at both widths, and with large text on a phone, for what stands outside of it.
"""

from pathlib import Path
from urllib.parse import urlencode

import pytest

import selenium_axe_python
from selenium.webdriver.common.by import By

import computer
import selfissued
import wire

from test_account_browser import fill
from test_console import LONG_NAME, PAGES, busy  # noqa: F401 (fixture)
from test_cross_device_browser import OnScreen
from test_main_road_browser import (  # noqa: F401 (fixtures)
    open_browser, path_of, press, pytestmark, shoot, text_of, wait_for_path)
from test_self_issued_browser import asked, comes_back
from waiting import wait

LANGUAGES = sorted(path.stem for path in (Path(__file__).parents[2] / "public" / "texts").glob("*.json"))
AXE = (Path(selenium_axe_python.__file__).parent / "axe-core" / "axe.min.js").read_text()
WIDTHS = (375, 1280)
#: What 400 % leaves of a screen (WCAG 2.2, 1.4.10), where buttons may break, but nothing stands outside of its page.
NARROWEST = 320
#: A phone, and how large its text may be made (WCAG 2.2, 1.4.4).
PHONE, LARGE_TEXT = 360, "200%"
#: One of each direction of writing.
LOOKED_AT_IN_FULL = ("en", "ar")

STRANGER = ["/sign-in", "/login-with-token", "/login-with-token?token=x", "/session/logout", "/device", "/signin/phone",
            "/nowhere", "/errors", "/errors/invalid_token", "/errors/invalid_grant", "/account/set-up?link=x",
            "/account/devices", "/self-issued/start", "/admin/sign-in", "/"]
MEMBER = ["/account", "/account/password", "/account/devices", "/account/second-factor", "/account/passkeys", "/account/phone-keys",
          "/session/logout", "/contacts"]
CONSOLE = [f"/admin/{page}" for page in PAGES if page] + [
    "/admin/", "/admin/new-user", "/admin/users?q=ali", "/admin/users/alice?ended",
    "/admin/register-client?type=native", "/admin/register-client?type=service",
    f"/admin/users?q={LONG_NAME[:20]}"]

RUN = """
const done = arguments[1];
// What passes is not described: that would take longer than the checks.
const options = {resultTypes: ["violations"], selectors: false, ...arguments[0]};
axe.run(document, options).then((found) => done(found.violations.map((it) =>
    `${it.id}: ${it.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(" | ")}`)), (error) => done([String(error)]));
"""


# Nothing stands outside of its page or of its card, no tab, no count and no button of the console breaks, nor any word of a
# button, on a desk every column of a list is in sight, and no text was asked for that the catalogue does not have.
FITS = """
const found = [];
const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
if (wide > 0) {
    const right = document.documentElement.clientWidth;
    const out = [...document.querySelectorAll("main *")].filter((it) => it.getBoundingClientRect().right > right + 1);
    found.push(`scrolls sideways by ${wide}: ${out.slice(0, 4).map((it) => `${it.tagName}.${it.className}`)}`);
}
const kept = ".sections a, table.bars td" + (document.documentElement.clientWidth > arguments[0] ? ", body.console .button" : "");
for (const tab of document.querySelectorAll(kept)) {
    const text = document.createRange();
    text.selectNodeContents(tab);
    // What is closed is laid out too, in whatever width.
    if (tab.checkVisibility() && text.getClientRects().length > 1) found.push(`${tab.innerText} breaks`);
}
const words = new Intl.Segmenter(document.documentElement.lang, {granularity: "word"});
for (const button of document.querySelectorAll(".button")) {
    const texts = document.createTreeWalker(button, NodeFilter.SHOW_TEXT);
    while (button.checkVisibility() && texts.nextNode()) {
        for (const {segment, index} of words.segment(texts.currentNode.data)) {
            const word = document.createRange();
            word.setStart(texts.currentNode, index);
            word.setEnd(texts.currentNode, index + segment.length);
            // Where it has a soft hyphen, it may.
            const mayBreak = !segment.trim() || segment.includes("\\u00ad");
            if (!mayBreak && word.getClientRects().length > 1) found.push(`${segment} breaks in ${button.innerText}`);
        }
    }
}
for (const card of document.querySelectorAll(".card")) {
    const edges = card.getBoundingClientRect();
    const parts = document.createTreeWalker(card, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    while (parts.nextNode()) {
        const part = parts.currentNode, element = part.nodeType === Node.TEXT_NODE ? part.parentElement : part;
        // What scrolls, or is drawn, is wider than what shows it.
        const isInside = part.parentElement.closest(".scroll, pre, svg, select");
        if (isInside || element.closest(".visually-hidden") || !element.checkVisibility()) continue;
        const text = document.createRange();
        text.selectNode(part);
        const {left, right, width} = (part === element ? part : text).getBoundingClientRect();
        if (width && (left < edges.left - 1 || right > edges.right + 1)) {
            found.push(`${part.outerHTML?.slice(0, 80) ?? part.data} is outside of its card`);
        }
    }
}
for (const list of document.querySelectorAll(".scroll")) {
    const hidden = list.checkVisibility() ? list.scrollWidth - list.clientWidth : 0;
    if (innerWidth >= 1280 && hidden > 0) found.push(`${hidden} of ${list.getAttribute("aria-label")} out of sight`);
}
const missing = document.body.innerText.match(/\\b(?:console(?:_[a-z_]+)?|client_fields)\\.[a-z_]+/);
if (missing) found.push(`no text for ${missing[0]}`);
return found;
"""


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


def look_at_this(browser, path: str, faults: dict, language: str):
    browser.execute_script(AXE)
    for width in (NARROWEST, *WIDTHS):
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500})
        # Only colours differ by the scheme.
        for scheme, options in [("light", {}), ("dark", {"runOnly": ["color-contrast"]})]:
            browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
                "features": [{"name": "prefers-color-scheme", "value": scheme},
                             {"name": "prefers-reduced-motion", "value": "reduce"}]})
            found = []
            if width in WIDTHS and (language in LOOKED_AT_IN_FULL or (width, scheme) == (WIDTHS[0], "light")):
                found += browser.execute_async_script(RUN, options)
            if scheme == "light":
                found += browser.execute_script(FITS, NARROWEST)
            name = path.strip("/").replace("/", "-").replace("?", "-") or "front"
            shoot(browser, f"axe-{language}-{name[:40]}-{width}-{scheme}")
            if found:
                faults[f"{path} {width} {scheme}"] = found
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": PHONE, "height": 900, "deviceScaleFactor": 1, "mobile": True})
    browser.execute_script("document.documentElement.style.fontSize = arguments[0]", LARGE_TEXT)
    found = browser.execute_script(FITS, PHONE)
    shoot(browser, f"axe-{language}-{name[:40]}-{PHONE}-{LARGE_TEXT.rstrip('%')}")
    browser.execute_script("document.documentElement.style.fontSize = ''")
    if found:
        faults[f"{path} {PHONE} {LARGE_TEXT}"] = found


@pytest.mark.parametrize("language", LANGUAGES)
def test_axe_finds_nothing_on_the_pages_of_strangers(demo, open_browser, language):  # noqa: F811
    browser, faults = open_browser(), {}
    speak(browser, demo.base, language)
    for path in STRANGER:
        if path != "/" or language == "en":
            look(browser, demo.base, path, faults, language)
    assert faults == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_axe_finds_nothing_on_the_pages_of_an_account_and_of_the_console(
        demo, busy, open_browser, language):  # noqa: F811
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


def test_axe_finds_nothing_on_the_pages_of_phones_in_any_state(demo, open_browser):  # noqa: F811
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
