"""A browser that is signed in, but not well enough for the app that asks: it is asked for what is missing only."""

from pathlib import Path
from urllib.parse import urlencode

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import instance
import signing
import totp
import wire
from browsers import NEEDS_CHROMIUM
from loopback import LoopbackApp
from pages import SCREENSHOTS, assert_fits, press, session_in, text_of
from second_factor import enrolled
from waiting import wait

pytestmark = NEEDS_CHROMIUM

PASSWORD = "correct horse battery"
REDIRECT = "http://127.0.0.1/callback"


class Asker(LoopbackApp):
    """An app of the server's own clients."""

    def __init__(self, server, client: str):
        super().__init__(server)
        self.client = client

    def url(self, **more) -> str:
        return super().url(client_id=self.client, **more)

    def redeem(self, code: str) -> wire.Answer:
        return self.demo.send(
            "POST", "/oauth/token", {"Content-Type": wire.FORM},
            urlencode({"grant_type": "authorization_code", "code": code, "redirect_uri": self.redirect,
                       "client_id": self.client, "code_verifier": self.verifier}).encode())

    def answer(self, browser) -> dict:
        """What the browser brought back. It asks the app for its icon, too, with no parameters."""
        wait(browser).until(lambda _: any("state" in answer for answer in self.answers))
        answer = next(answer for answer in self.answers if "state" in answer)
        self.answers.clear()
        return answer

    def claims(self, browser) -> dict:
        """What the ID token says, once the user has agreed."""
        press(browser, "allow")
        answer = self.answer(browser)
        assert "code" in answer, answer
        tokens = self.redeem(answer["code"])
        assert tokens.status == 200, tokens.body
        return signing.claims_of(tokens.json()["id_token"])


@pytest.fixture
def server(serve):
    def client(name: str, **more) -> dict:
        return {"client_id": name, "client_name": f"The {name}", "client_type": "native",
                "redirect_uris": [REDIRECT], "scope": "openid profile", **more}
    return serve(clients=[client("notes"), client("vault", min_acr="aal2")], users={"alice": PASSWORD, "bob": PASSWORD})


@pytest.fixture
def asker(server):
    made = []

    def make(client: str) -> Asker:
        made.append(Asker(server, client))
        return made[-1]

    yield make
    for one in made:
        one.close()


def there(browser, name: str):
    return wait(browser).until(lambda it: next(iter(it.find_elements(By.ID, name)), None))


def focused(browser):
    return browser.switch_to.active_element


def is_ready_to_type(browser, name: str):
    """A page's `autofocus` is heeded when the page is first drawn, which may be a moment after it is there."""
    wait(browser).until(lambda it: focused(it).get_attribute("id") == name)


def sign_in(browser, name: str = "alice"):
    there(browser, "username").send_keys(name)
    browser.find_element(By.ID, "password").send_keys(PASSWORD + Keys.ENTER)


def signed_in(browser, asker) -> dict:
    """Signs Alice in for the app that takes any sign-in; what its ID token says."""
    notes = asker("notes")
    browser.get(notes.url())
    sign_in(browser)
    return notes.claims(browser)


def asks_for_code_alone(browser):
    there(browser, "code")
    assert not browser.find_elements(By.ID, "password")
    assert browser.find_element(By.ID, "known").text == "Alice"
    is_ready_to_type(browser, "code")


def asks_for_password_alone(browser):
    there(browser, "known")
    assert browser.find_element(By.ID, "known").text == "Alice"
    name = browser.find_element(By.ID, "username")
    assert name.get_attribute("readonly") and name.get_attribute("value") == "alice"
    assert name.get_attribute("autocomplete") == "username"
    is_ready_to_type(browser, "password")


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no-scripts"])
def test_where_two_factors_are_wanted_only_the_code_is_asked_for(server, asker, open_browser, scripts):
    browser = open_browser(scripts=scripts)
    weak = signed_in(browser, asker)
    assert (weak["acr"], weak["amr"]) == ("aal1", ["pwd"])
    key, _ = enrolled(server, "alice")
    before = session_in(browser)
    vault = asker("vault")
    browser.get(vault.url())
    asks_for_code_alone(browser)
    assert "to continue to The vault" in text_of(browser)
    focused(browser).send_keys("000000" + Keys.ENTER)
    there(browser, "notice")
    asks_for_code_alone(browser)
    focused(browser).send_keys(totp.code(key) + Keys.ENTER)
    strong = vault.claims(browser)
    assert strong["acr"] == "aal2" and set(strong["amr"]) == {"pwd", "otp", "mfa"}
    assert strong["auth_time"] == weak["auth_time"] and strong["sub"] == weak["sub"]
    assert session_in(browser) != before
    # The session of before opens nothing any more, and the new one is asked for nothing.
    assert server.send("GET", "/session", {"Cookie": before}).json()["authenticated"] is False
    browser.get(vault.url())
    assert vault.claims(browser)["acr"] == "aal2"
    reasons = [row["reason"] for row in instance.audit_rows(server.data) if row["type"] == "user.signed_in"]
    assert reasons == [None, "second_factor"]


def test_an_app_that_was_challenged_for_two_factors_gets_them(server, asker, browser):
    """RFC 9470 §4: the app sends the `acr_values` of the challenge; who has no second factor is let through without."""
    weak = signed_in(browser, asker)
    notes = asker("notes")
    browser.get(notes.url(acr_values="aal2"))
    assert notes.claims(browser)["acr"] == "aal1"
    key, _ = enrolled(server, "alice")
    browser.get(notes.url(acr_values="aal2"))
    asks_for_code_alone(browser)
    focused(browser).send_keys(totp.code(key) + Keys.ENTER)
    strong = notes.claims(browser)
    assert strong["acr"] == "aal2" and strong["auth_time"] == weak["auth_time"]


def test_a_sign_in_that_is_too_old_is_renewed_with_the_password_alone(asker, browser):
    old = signed_in(browser, asker)
    notes = asker("notes")
    browser.get(notes.url(max_age="0"))
    asks_for_password_alone(browser)
    focused(browser).send_keys("wrong password" + Keys.ENTER)
    assert there(browser, "notice").text == "This password is not right. Please try again."
    asks_for_password_alone(browser)
    focused(browser).send_keys(PASSWORD + Keys.ENTER)
    new = notes.claims(browser)
    assert new["sub"] == old["sub"] and new["auth_time"] >= old["auth_time"]


def test_somebody_else_gets_to_the_complete_page_by_keyboard(asker, browser):
    alice = signed_in(browser, asker)
    notes = asker("notes")
    browser.get(notes.url(prompt="login"))
    asks_for_password_alone(browser)
    focused(browser).send_keys(Keys.TAB)
    assert focused(browser).tag_name == "button"
    focused(browser).send_keys(Keys.TAB)
    assert focused(browser).text == "Not you? Sign in as somebody else"
    focused(browser).send_keys(Keys.ENTER)
    wait(browser).until(lambda it: not it.find_elements(By.ID, "known"))
    sign_in(browser, "bob")
    assert notes.claims(browser)["sub"] != alice["sub"]


def test_the_session_that_was_signed_out_meanwhile_is_not_raised(server, asker, browser):
    signed_in(browser, asker)
    key, _ = enrolled(server, "alice")
    vault = asker("vault")
    browser.get(vault.url())
    asks_for_code_alone(browser)
    server.send("POST", "/session/logout", {"Cookie": session_in(browser), "Origin": server.base,
                                            "Sec-Fetch-Site": "same-origin"})
    focused(browser).send_keys(totp.code(key) + Keys.ENTER)
    assert "open for too long" in there(browser, "notice").text
    sign_in(browser)
    there(browser, "code").send_keys(totp.code(key) + Keys.ENTER)
    assert vault.claims(browser)["acr"] == "aal2"


def test_who_has_no_second_factor_is_refused_and_not_sent_round_in_circles(asker, browser):
    signed_in(browser, asker)
    vault = asker("vault")
    browser.get(vault.url())
    sign_in(browser)
    assert vault.answer(browser)["error"] == "access_denied"


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("size,dark", [((390, 844), True), ((1280, 800), False)], ids=["phone-dark", "desk-light"])
def test_the_pages_fit_the_screen(server, asker, open_browser, size, dark, language):
    browser = open_browser(size=size, dark=dark)
    signed_in(browser, asker)
    enrolled(server, "alice")
    for page, address in [("code", asker("vault").url(ui_locales=language)),
                          ("password", asker("notes").url(max_age="0", ui_locales=language))]:
        browser.get(address)
        there(browser, "known")
        assert browser.find_element(By.TAG_NAME, "html").get_attribute("lang") == language
        assert_fits(browser, page)
        if SCREENSHOTS:
            browser.save_screenshot(str(Path(SCREENSHOTS) / f"missing-{page}-{language}-{size[0]}.png"))
