"""Browsers that tests pass on to each other."""


import pytest
from selenium.webdriver.support.ui import WebDriverWait

from browsers import NEEDS_CHROMIUM
from stub import Asked, Stub

pytestmark = NEEDS_CHROMIUM


PLAIN = (None, True, True, None)
# Whatever a page can leave in a browser, and whatever a test can set for a page.
LEAVE = """
const done = arguments[arguments.length - 1];
localStorage.setItem("left", "1");
sessionStorage.setItem("left", "1");
document.cookie = "left=1; path=/; max-age=600";
navigator.serviceWorker.register("/worker.js")
  .then(() => caches.open("left")).then(cache => cache.put("/left", new Response("1")))
  .then(() => new Promise(opened => { indexedDB.open("left").onsuccess = opened; }))
  .then(() => fetch("/kept")).then(() => done(true), why => done(String(why)));
"""
FOUND = """
const done = arguments[arguments.length - 1];
Promise.all([navigator.serviceWorker.getRegistrations(), caches.keys(), indexedDB.databases()]).then(kept => done([
  localStorage.length, sessionStorage.length, document.cookie, ...kept.map(each => each.length), innerWidth,
  matchMedia("(prefers-color-scheme: dark)").matches, window.planted === undefined, history.length, document.hasFocus(),
]));
"""


@pytest.fixture
def site():
    """A page, a worker for it, and something that a browser keeps for an hour; and which paths were asked for."""
    asked: list[str] = []

    def answer(request: Asked) -> tuple:
        asked.append(request.target)
        is_worker = request.target == "/worker.js"
        return 200, "" if is_worker else "<!doctype html><title>Page</title>", {
            "Content-Type": "text/javascript" if is_worker else "text/html", "Set-Cookie": "served=1; Path=/; HttpOnly",
            "Cache-Control": "max-age=3600" if request.target == "/kept" else "no-store"}

    with Stub(answer) as stub:
        yield stub.base, asked


def test_a_browser_that_one_test_gave_back_holds_nothing_for_the_next(browsers, site):
    base, asked = site
    first = browsers.take(*PLAIN)
    first.get(f"{base}/")
    clean = first.execute_async_script(FOUND)
    first.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": "window.planted = 1"})
    first.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": 320, "height": 600, "deviceScaleFactor": 1, "mobile": True})
    first.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    first.get(f"{base}/again")
    assert first.execute_async_script(LEAVE) is True
    first.switch_to.new_window("tab")
    first.get(f"{base}/".replace("127.0.0.1", "localhost"))
    first.get(f"{base}/")
    full = first.execute_async_script(FOUND)
    assert [left for left, none in zip(full, clean) if left != none], "the test left something"
    assert full[0] == 1 and full[3:6] == [1, 1, 1] and "left=1" in full[2]
    first.execute_script("console.error('left')")
    browsers.give_back(first, *PLAIN)

    second = browsers.take(*PLAIN)
    assert second is first and len(second.window_handles) == 1
    assert second.execute_cdp_cmd("Network.getAllCookies", {})["cookies"] == []
    second.get(f"{base}/")
    assert second.execute_async_script(FOUND) == clean
    assert second.get_log("browser") == []
    asked.clear()
    second.get(f"{base}/kept")
    WebDriverWait(second, 10).until(lambda _: "/kept" in asked)
    browsers.give_back(second, *PLAIN)


def test_a_browser_that_is_gone_is_not_given_to_another_test(browsers):
    lost = browsers.take(*PLAIN)
    lost.quit()
    browsers.give_back(lost, *PLAIN)
    found = browsers.take(*PLAIN)
    assert found is not lost and found.window_handles
    browsers.give_back(found, *PLAIN)
