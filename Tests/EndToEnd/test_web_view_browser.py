"""A web view with injected cookies in headless Chromium: the VA's whole way, and the browser-side script's view of it."""

import json

import pytest
from selenium.webdriver.common.by import By

import instance
import wire
from browsers import NEEDS_CHROMIUM
from native import App
from pages import inject, wait_for_path
from va import REFRESH, TOKEN, VAApp, post
from waiting import wait

pytestmark = NEEDS_CHROMIUM

REFRESH_PATHS = [REFRESH, "/session/refresh"]

#: Where an app fetches the cookies decides where they are renewed.
wherever_they_were_fetched = pytest.mark.parametrize("path", ["/oauth/token", TOKEN])


@pytest.fixture
def app(demo) -> VAApp:
    app = VAApp(demo)
    app.sign_in()
    return app


def cookies_in(browser) -> dict:
    return {cookie["name"]: cookie for cookie in browser.execute_cdp_cmd("Network.getAllCookies", {})["cookies"]}


def state(browser) -> dict | None:
    """The script's state once it has asked."""
    wait(browser).until(lambda it: it.execute_script("return self.drawbridge?.session() ?? null"))
    return browser.execute_script("return drawbridge.session()")


def has_session(browser) -> bool:
    return browser.execute_script("return drawbridge.hasSession()")


def come_back(browser):
    """The page hears what it hears when a person looks at it again."""
    browser.execute_script("document.dispatchEvent(new Event('visibilitychange'))")


def open_signed_in(browser, demo, app, path: str = "/contacts") -> wire.Answer:
    view = app.web_cookies()
    assert (view.status, view.json()) == (200, {})
    browser.get(f"{demo.base}/errors/invalid_token")
    inject(browser, demo, view)
    browser.get(f"{demo.base}{path}")
    assert browser.find_element(By.ID, "subject").text == app.user["sub"]
    return view


def test_injected_cookies_open_a_protected_page_and_the_script_sees_the_session(demo, app, browser):
    browser.get(f"{demo.base}/contacts")
    assert not browser.find_elements(By.ID, "subject")
    assert state(browser) == {"authenticated": False} and not has_session(browser)
    open_signed_in(browser, demo, app)
    found = state(browser)
    assert (found["authenticated"], found["sub"], found["origin"]) == (True, app.user["sub"], "token_exchange")
    assert has_session(browser)
    # What a page's scripts can read says when, not who.
    readable = browser.execute_script("return document.cookie")
    assert readable.startswith("vagov_info_token=") and app.user["sub"] not in readable


def test_the_script_knows_of_a_session_before_it_has_asked(demo, app, browser):
    """As the VA's website goes by `localStorage.hasSession`, which its app sets; here the readable cookie says it."""
    open_signed_in(browser, demo, app)
    assert browser.execute_script("""
        const script = document.createElement("script");
        script.src = "/assets/drawbridge.js";
        return new Promise((done) => {
            script.addEventListener("load", () => done([drawbridge.session(), drawbridge.hasSession()]));
            document.head.append(script);
        });""") == [None, True]


def test_the_flag_that_a_website_goes_by_is_there_while_somebody_is_signed_in(demo, app, browser):
    """S4.15: the VA's website asks `localStorage.hasSession`; here no app has to inject it."""
    flag = "return localStorage.getItem('hasSession')"
    load = """
        const script = document.createElement("script");
        script.src = "/assets/drawbridge.js";
        script.dataset.sessionFlag = "hasSession";
        return new Promise((done) => {
            script.addEventListener("load", () => done(localStorage.getItem("hasSession")));
            document.head.append(script);
        });"""
    browser.get(f"{demo.base}/contacts")
    browser.execute_script("localStorage.setItem('hasSession', 'true')")
    assert browser.execute_script(load) is None, "left by a session that ended while no page was open"
    open_signed_in(browser, demo, app)
    assert browser.execute_script(flag) is None, "a page that does not ask for a flag gets none"
    assert browser.execute_script(load) == "true", "before the script has asked"
    assert state(browser)["authenticated"] and browser.execute_script(flag) == "true"
    assert post(demo, "revoke", refresh_token=app.tokens["refresh_token"],
                device_secret=app.tokens["device_secret"]).status == 200
    # The page's own watch, which knows of no flag, has not looked yet: it would load the page anew.
    assert browser.execute_script("return drawbridge.refresh()") == {"authenticated": False}
    assert browser.execute_script(flag) is None


def test_revoking_the_device_ends_the_page_that_is_open(demo, app, browser):
    view = open_signed_in(browser, demo, app)
    assert has_session(browser)
    browser.execute_script("""
        self.heard = [];
        drawbridge.addEventListener("signed-out", (event) => sessionStorage.setItem("heard", JSON.stringify(event.detail)));
        """)
    assert state(browser)["authenticated"]
    assert post(demo, "revoke", refresh_token=app.tokens["refresh_token"],
                device_secret=app.tokens["device_secret"]).status == 200
    # The page that is on the screen cannot go on.
    answer = browser.execute_async_script(
        "const done = arguments[0]; fetch('/auth/check').then((answer) => done(answer.status))")
    assert answer == 401
    # Looked at again it says so, and gives what it held away.
    come_back(browser)
    # Not when the subject has gone: so it has from a page that is not there yet.
    wait(browser).until(lambda it: it.find_elements(By.ID, "sign-in"))
    assert not browser.find_elements(By.ID, "subject")
    assert json.loads(browser.execute_script("return sessionStorage.getItem('heard')")) == {"authenticated": False}
    state(browser)
    assert not has_session(browser)
    assert wire.send(demo.base, "GET", "/session", {"Cookie": wire.cookie_header(view)}).json() == {
        "authenticated": False}


def test_a_touch_after_a_while_is_enough_to_hear_of_the_end(demo, app, browser):
    open_signed_in(browser, demo, app)
    state(browser)
    assert app.post("/oauth/revoke", token=app.tokens["device_secret"]).status == 200
    # Half a minute later by the page's clock, without waiting for it.
    browser.execute_script("const real = performance.now.bind(performance); performance.now = () => real() + 31000")
    browser.find_element(By.TAG_NAME, "h1").click()
    wait(browser).until(lambda it: not it.find_elements(By.ID, "subject"))


def test_signing_out_in_the_web_view_leaves_the_app_signed_in(demo, app, browser):
    open_signed_in(browser, demo, app)
    browser.find_element(By.CSS_SELECTOR, 'form[action="/session/logout"] button').click()
    wait_for_path(browser, "/session/signed-out")
    left = [name for name, cookie in cookies_in(browser).items()
            if name.startswith("vagov_") and cookie["path"] not in REFRESH_PATHS]
    assert left == []
    browser.get(f"{demo.base}/contacts")
    assert not browser.find_elements(By.ID, "subject")
    assert app.web_cookies().status == 200


@wherever_they_were_fetched
def test_the_script_renews_the_cookies_before_they_run_out(demo, browser, path):
    app = App(demo)
    app.sign_in()
    view = app.cookies(path=path)
    browser.get(f"{demo.base}/errors/invalid_token")
    inject(browser, demo, view)
    # A page that is opened when the access token is about to run out, by its clock.
    minutes = 15 * 60_000 - 20_000
    browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {
        "source": f"const now = Date.now.bind(Date); Date.now = () => now() + {minutes}"})
    browser.get(f"{demo.base}/contacts")
    before = view.cookies["vagov_access_token"].value
    instance.wait_until(lambda: cookies_in(browser)["vagov_access_token"]["value"] != before, what="new cookies")
    renewed = cookies_in(browser)
    assert renewed["vagov_refresh_token"]["value"] != view.cookies["vagov_refresh_token"].value
    assert state(browser)["authenticated"]
    # Once, however wrong the page's clock is.
    come_back(browser)
    assert browser.execute_async_script("const done = arguments[0]; drawbridge.refresh().then((it) => done(it.sub))")
    assert cookies_in(browser)["vagov_refresh_token"]["value"] == renewed["vagov_refresh_token"]["value"]


@wherever_they_were_fetched
def test_two_tabs_renew_once_and_lose_nothing(demo, browser, path):
    """A refresh cookie is used once; two tabs that both used it would look like a theft."""
    app = App(demo)
    app.sign_in()
    view = app.cookies(path=path)
    browser.get(f"{demo.base}/errors/invalid_token")
    inject(browser, demo, view)
    browser.get(f"{demo.base}/contacts")
    assert state(browser)["authenticated"]
    frames = browser.execute_async_script("""
        const done = arguments[0];
        const late = () => { const now = Date.now.bind(Date); Date.now = () => now() + 15 * 60000 - 20000; };
        late();
        Promise.all([1, 2, 3, 4].map(() => drawbridge.refresh())).then((states) => done(states.map((it) => it.authenticated)));
        """)
    assert frames == [True] * 4
    browser.switch_to.new_window("tab")
    browser.get(f"{demo.base}/contacts")
    assert browser.find_element(By.ID, "subject").text == app.user["sub"]


def test_no_script_complains(demo, app, browser):
    open_signed_in(browser, demo, app)
    state(browser)
    errors = [entry["message"] for entry in browser.get_log("browser") if "favicon" not in entry["message"]]
    assert errors == []
