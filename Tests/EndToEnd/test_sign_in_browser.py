"""A native app's sign-in in headless Chromium: system browser, PKCE, loopback redirect (RFC 8252 §7.3)."""

import base64
import hashlib
import http.server
import os
import secrets
import threading
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from selenium.webdriver.common.by import By

import instance
import wire
from test_main_road_browser import (  # noqa: F401 (fixtures)
    assert_signed_in, browser, open_browser, press, pytestmark, session_in, text_of)
from waiting import wait

SCREENSHOTS = os.environ.get("E2E_SCREENSHOTS")


class App:
    """The app's side: a loopback listener on a free port, and a verifier that never leaves it."""

    def __init__(self, demo):
        self.demo, self.answers = demo, []
        #: Where the listener sends its visitor on.
        self.onward: str | None = None
        app = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                app.answers.append({k: v[0] for k, v in parse_qs(urlsplit(self.path).query).items()})
                self.answer()

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                app.answers.append({"posted": True, **{k: v[0] for k, v in parse_qs(body).items()}})
                self.answer()

            def answer(self):
                self.send_response(303 if app.onward else 200)
                if app.onward:
                    self.send_header("Location", app.onward)
                self.end_headers()
                self.wfile.write(b"You can go back to the app.")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.redirect = f"http://127.0.0.1:{self.server.server_port}/callback"
        self.verifier, self.state = secrets.token_urlsafe(40), secrets.token_urlsafe(16)

    def url(self, **more) -> str:
        digest = hashlib.sha256(self.verifier.encode()).digest()
        parameters = {
            "response_type": "code", "client_id": "demo-app", "redirect_uri": self.redirect,
            "scope": "openid profile", "state": self.state,
            "code_challenge": base64.urlsafe_b64encode(digest).rstrip(b"=").decode(),
            "code_challenge_method": "S256", **more}
        return f"{self.demo.base}/oauth/authorize?{urlencode(parameters)}"

    def redeem(self, code: str) -> wire.Answer:
        return self.demo.send(
            "POST", "/oauth/token", {"Content-Type": wire.FORM},
            urlencode({"grant_type": "authorization_code", "code": code, "redirect_uri": self.redirect,
                       "client_id": "demo-app", "code_verifier": self.verifier}).encode())


@pytest.fixture
def app(demo):
    made = App(demo)
    yield made
    made.server.shutdown()


@pytest.fixture
def further(demo):
    """Another website: a listener of the same kind is another origin."""
    made = App(demo)
    yield made
    made.server.shutdown()


def type_password(browser, demo, name: str = "alice", password: str | None = None):
    # The page before may be going away still.
    field = wait(browser).until(lambda it: it.find_element(By.ID, "username"))
    field.clear()
    field.send_keys(name)
    browser.find_element(By.ID, "password").send_keys(password or demo.user(name)["password"])
    press(browser, "sign in")


def test_a_browser_that_keeps_no_cookies_is_told_so(demo, open_browser):
    browser, words = open_browser(cookies=False), "Your browser keeps no cookies from this site."
    browser.get(f"{demo.base}/sign-in")
    type_password(browser, demo)
    assert wait(browser).until(lambda it: it.find_elements(By.ID, "notice"))[0].text.startswith(words)
    browser.get(f"{demo.base}/admin/sign-in")
    wait(browser).until(lambda it: it.find_element(By.ID, "token")).send_keys("any")
    press(browser, "open the console")
    assert wait(browser).until(lambda it: it.find_elements(By.CLASS_NAME, "notice"))[0].text.startswith(words)
    browser.get(f"{demo.base}/signin/phone")
    instance.wait_until(lambda: words in text_of(browser), 15, "what is wrong")
    assert "is over" not in text_of(browser) and not browser.find_element(By.ID, "qr").is_displayed()


def test_an_app_gets_its_tokens_by_the_system_browser(demo, app, browser):
    browser.get(app.url())
    type_password(browser, demo)
    wait(browser).until(lambda it: it.find_elements(By.ID, "allow"))
    assert "Demo app" in text_of(browser) and "Alice" in text_of(browser)
    press(browser, "allow")
    wait(browser).until(lambda _: app.answers)
    answer = app.answers[0]
    assert answer["state"] == app.state and answer["iss"] == demo.facts["issuer"]
    tokens = app.redeem(answer["code"])
    assert tokens.status == 200 and tokens.json()["token_type"] == "Bearer"
    assert "access_token" in tokens.json() and "id_token" in tokens.json()


def test_a_form_is_sent_once_however_often_its_button_is_pressed(demo, app, browser):
    browser.get(app.url())
    times = browser.execute_script("""
        let times = 0;
        addEventListener("submit", (event) => {
            if (!event.defaultPrevented) times += 1;
            event.preventDefault();
        });
        const form = document.querySelector("form[method=post]");
        form.noValidate = true;
        form.requestSubmit();
        form.requestSubmit();
        const once = times;
        // Whoever comes back to the page may press again.
        dispatchEvent(new PageTransitionEvent("pageshow", {persisted: true}));
        form.requestSubmit();
        return [once, times];""")
    assert times == [1, 2]


def test_no_is_told_to_the_app(demo, app, browser):
    browser.get(app.url())
    type_password(browser, demo)
    press(browser, "do not allow")
    wait(browser).until(lambda _: app.answers)
    assert app.answers[0]["error"] == "access_denied" and "code" not in app.answers[0]


def test_it_works_without_scripts(demo, app, open_browser):
    browser = open_browser(scripts=False)
    browser.get(app.url())
    type_password(browser, demo)
    press(browser, "allow")
    wait(browser).until(lambda _: app.answers)
    assert "code" in app.answers[0]


@pytest.mark.parametrize("scripts", [True, False])
def test_an_answer_is_posted_by_the_page_or_by_its_button(demo, app, open_browser, scripts):
    browser = open_browser(scripts=scripts)
    browser.get(app.url(response_mode="form_post"))
    type_password(browser, demo)
    press(browser, "allow")
    if not scripts:
        wait(browser).until(lambda it: it.find_elements(By.ID, "form-post"))
        assert "127.0.0.1" in text_of(browser) and not app.answers
        press(browser, "continue")
    wait(browser).until(lambda _: app.answers)
    answer = app.answers[0]
    assert answer["posted"] and answer["state"] == app.state and answer["iss"] == demo.facts["issuer"]
    wait(browser).until(lambda it: it.current_url == app.redirect)
    assert app.redeem(answer["code"]).status == 200


@pytest.mark.parametrize("mode", ["query", "form_post"])
def test_the_apps_callback_may_lead_on_to_another_website(demo, app, further, browser, mode):
    """Chromium holds every redirect after a form against the policy of the form's page."""
    app.onward = further.redirect
    browser.get(app.url(response_mode=mode))
    type_password(browser, demo)
    press(browser, "allow")
    wait(browser).until(lambda it: it.current_url == further.redirect)
    assert app.redeem(app.answers[0]["code"]).status == 200


def test_a_visitor_signs_in_and_is_back_on_the_page(demo, browser):
    browser.get(f"{demo.base}/account/profile")
    browser.find_element(By.ID, "sign-in").click()
    type_password(browser, demo)
    assert_signed_in(browser, "alice", "/account/profile")
    assert demo.session(session_in(browser))["origin"] == "authorize"


@pytest.mark.parametrize("size,dark", [((390, 844), False), ((390, 844), True), ((1280, 800), False), ((1280, 800), True)])
def test_screenshots(demo, app, open_browser, size, dark, tmp_path):
    folder = Path(SCREENSHOTS or tmp_path)
    browser = open_browser(size=size, dark=dark)
    name = f"{size[0]}-{'dark' if dark else 'light'}"
    browser.get(app.url())
    browser.save_screenshot(str(folder / f"sign-in-{name}.png"))
    type_password(browser, demo, password="wrong password")
    wait(browser).until(lambda it: it.find_elements(By.ID, "notice"))
    assert "not right" in browser.find_element(By.ID, "notice").text
    browser.save_screenshot(str(folder / f"sign-in-wrong-{name}.png"))
    type_password(browser, demo)
    browser.save_screenshot(str(folder / f"consent-{name}.png"))
