"""Chromium for tests. To start and end one costs seconds of processor time, so a worker keeps those that its tests are done
with, and empties one before another test gets it."""

import os
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

from waiting import Chromium

CHROMIUM = os.environ.get("CHROMIUM_BINARY", "/usr/bin/chromium")
CHROMEDRIVER = os.environ.get("CHROMEDRIVER", "/usr/bin/chromedriver")

NEEDS_CHROMIUM = pytest.mark.skipif(
    not Path(CHROMIUM).exists() or not Path(CHROMEDRIVER).exists(), reason="needs Chromium and chromedriver")


class Browsers:
    """Chromium by what can be set at its start alone; everything else is a page's, and goes with the page."""

    def __init__(self, profiles):
        """`profiles` makes a new folder each time that it is asked."""
        self._profiles = profiles
        self._idle: dict[tuple, list[Chromium]] = {}

    def take(self, *kind) -> Chromium:
        """One that holds nothing, of a kind as `start` understands it."""
        idle = self._idle.get(kind)
        return idle.pop() if idle else start(self._profiles(), *kind)

    def give_back(self, driver: Chromium, *kind):
        try:
            empty(driver)
        except Exception:
            # Whatever is the matter with it or its driver, it is of no use to a test.
            driver.quit()
        else:
            self._idle.setdefault(kind, []).append(driver)

    def quit(self):
        for driver in sum(self._idle.values(), []):
            driver.quit()


def start(profile: Path, user_agent: str | None, scripts: bool, cookies: bool, trusting: str | None) -> Chromium:
    """`trusting` is the digest of a server's public key whose certificate is the test's own."""
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
                     f"--user-data-dir={profile}", "--window-size=1280,800", "--lang=en"]:
        options.add_argument(argument)
    # Websites of tests have no address: nobody's name server is asked for one, and its answer waited for.
    options.add_argument("--host-resolver-rules=MAP *.example.com ~NOTFOUND")
    if user_agent:
        options.add_argument(f"--user-agent={user_agent}")
    if trusting:
        options.add_argument(f"--ignore-certificate-errors-spki-list={trusting}")
    blocked = [name for name, allowed in (("javascript", scripts), ("cookies", cookies)) if not allowed]
    if blocked:
        options.add_experimental_option(
            "prefs", {f"profile.managed_default_content_settings.{name}": 2 for name in blocked})
    return Chromium(options=options, service=Service(CHROMEDRIVER))


def empty(driver: Chromium):
    """Takes away all that a test left: its pages with what was set for them, and what the browser keeps of websites."""
    pages = driver.window_handles
    driver.switch_to.new_window("tab")
    fresh = driver.current_window_handle
    for page in pages:
        driver.switch_to.window(page)
        driver.close()
    driver.switch_to.window(fresh)
    # A new tab's user is about to type an address: it is not the page that has the focus.
    driver.execute_cdp_cmd("Page.bringToFront", {})
    driver.execute_cdp_cmd("Network.clearBrowserCache", {})
    driver.execute_cdp_cmd("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"})
    driver.execute_cdp_cmd("Browser.resetPermissions", {})
    # The driver keeps what pages complained about until somebody reads it.
    driver.get_log("browser")
