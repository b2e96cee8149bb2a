"""The console in Chromium."""

from selenium.webdriver.common.by import By

from pages import press
from waiting import wait

#: A user whose name is one word, longer than a line.
LONG_NAME = "w" * 200
PAGES = ["", "events", "events?outcome=failure", f"events?sub={LONG_NAME[:60]}", "live", "users", "users/alice",
         "sessions", "clients", "clients/demo-web", "register-client", "explain", "keys", "settings",
         "settings/native-sso", "nodes?verify=1"]


def open_console(browser, demo, path: str = "/admin/"):
    browser.get(demo.base + path)
    browser.find_element(By.NAME, "token").send_keys(demo.facts["admin_token"])
    press(browser, "Open the console")
    wait(browser).until(lambda it: "/sign-in" not in it.current_url)
