"""Passkeys in headless Chromium, with an authenticator that its driver plays: added, used and removed as people do it."""

import json

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.common.virtual_authenticator import VirtualAuthenticatorOptions

import instance
import oauth
from axe import look_at_this
from browsers import NEEDS_CHROMIUM
from pages import assert_fits, assert_moves_nothing, fill, path_of, shoot, text_of, wait_for_path, wait_for_text
from waiting import wait

pytestmark = NEEDS_CHROMIUM

PASSWORD = "plum duff at noon"
PEOPLE = ["ada", "bea", "cas", "dan", "eve", "fay", "gil", "root"]


@pytest.fixture(scope="module")
def server():
    # Browsers have passkeys for names alone, and without TLS for this one.
    served = instance.Served(host="localhost", users={name: PASSWORD for name in PEOPLE})
    instance.run("users", "role", "--config", str(served.settings), "root", "admin")
    yield served
    served.stop()


def plug_in(browser, verifies: bool = True, fills_in: bool = False):
    """An authenticator that asks for a finger, and gets it. What a browser offers to fill in, this one takes at once: so
    that a button is there to be pressed, the page hears that the browser offers nothing."""
    if not fills_in:
        browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {
            "source": "PublicKeyCredential.isConditionalMediationAvailable = async () => false"})
    options = VirtualAuthenticatorOptions()
    options.protocol = VirtualAuthenticatorOptions.Protocol.CTAP2
    options.transport = VirtualAuthenticatorOptions.Transport.INTERNAL
    options.has_resident_key = True
    options.has_user_verification = True
    options.is_user_verified = verifies
    options.is_user_consenting = True
    browser.add_virtual_authenticator(options)


def sign_in(browser, server, name: str, to: str = "/account"):
    browser.get(f"{server.base}/sign-in?redirect={to}")
    fill(browser, username=name, password=PASSWORD)
    browser.find_element(By.CSS_SELECTOR, "form.entry button[type=submit]").click()
    wait_for_path(browser, to)


def add(browser, server, name: str = "My thumb"):
    browser.get(server.base + "/account/passkeys")
    fill(browser, name=name)
    browser.find_element(By.CSS_SELECTOR, "#add button").click()
    wait_for_path(browser, "/account/passkeys?added")


def sign_out(browser):
    browser.delete_all_cookies()


def use(browser, server, to: str = "/account"):
    browser.get(f"{server.base}/sign-in?redirect={to}")
    browser.find_element(By.CSS_SELECTOR, "#passkey button").click()


def remove(browser, server):
    browser.get(server.base + "/account/passkeys")
    details = browser.find_element(By.CSS_SELECTOR, ".places details")
    details.find_element(By.TAG_NAME, "summary").click()
    details.find_element(By.TAG_NAME, "button").click()
    wait_for_path(browser, "/account/passkeys?removed")


def session(browser, server) -> dict:
    jar = "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in browser.get_cookies())
    return server.send("GET", "/session", {"Cookie": jar}).json()


def reasons(server, kind: str) -> list[str]:
    return [row["reason"] for row in instance.audit_rows(server.data) if row["type"] == kind]


def test_an_address_that_can_have_no_passkeys_says_why(demo):
    browser = oauth.Browser(demo)
    oauth.sign_in(demo, "bob", browser)
    page = browser.request("GET", "/account/passkeys").text
    assert 'id="no-host"' in page and "an https address with a host name" in page and 'id="add"' not in page


def test_a_passkey_is_added_signs_in_and_is_removed(server, browser):
    plug_in(browser)
    sign_in(browser, server, "ada")
    assert "None yet" in text_of(browser)
    browser.find_element(By.ID, "passkeys").click()
    wait_for_path(browser, "/account/passkeys")
    assert browser.find_element(By.ID, "name").get_attribute("value") == "Chrome on Linux"
    add(browser, server)
    assert "The passkey is added" in text_of(browser) and "My thumb" in text_of(browser)
    credential = browser.get_credentials()[0]
    assert credential.is_resident_credential and credential.rp_id == "localhost"
    sign_out(browser)
    use(browser, server)
    wait_for_path(browser, "/account")
    assert "Passkey added" in text_of(browser)
    opened = session(browser, server)
    assert opened["acr"] == "aal2" and opened["amr"] == ["pop", "user", "mfa"]
    handle, subject = credential.user_handle, opened["sub"]
    assert subject not in handle and "ada" not in handle
    browser.get(server.base + "/account/passkeys")
    assert "Last used" in text_of(browser)
    remove(browser, server)
    assert "The passkey is removed" in text_of(browser) and "None yet" in text_of(browser)
    assert session(browser, server)["sub"] == subject, "what it signed in goes on"
    sign_out(browser)
    use(browser, server)
    wait_for_text(browser, "does not sign you in here")
    assert path_of(browser).startswith("/sign-in/passkey")
    assert reasons(server, "user.sign_in_failed") == ["passkey_unknown"]
    fill(browser, username="ada", password=PASSWORD)
    browser.find_element(By.CSS_SELECTOR, "form.entry button[type=submit]").click()
    wait_for_path(browser, "/account")


def test_a_browser_that_fills_names_in_offers_passkeys_among_them(server, browser):
    plug_in(browser, fills_in=True)
    sign_in(browser, server, "fay")
    add(browser, server)
    sign_out(browser)
    browser.get(server.base + "/sign-in?redirect=/account")
    wait_for_path(browser, "/account")
    assert session(browser, server)["amr"] == ["pop", "user", "mfa"]


def test_who_declines_a_passkey_at_the_button_is_offered_passkeys_among_the_names_again(server, browser):
    browser.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": """
        window.asked = [];
        PublicKeyCredential.isConditionalMediationAvailable = async () => true;
        navigator.credentials.get = ({mediation, signal}) => {
            asked.push(mediation);
            return new Promise((_, no) => {
                if (mediation !== "conditional") no(new DOMException("", "NotAllowedError"));
                signal.addEventListener("abort", () => no(signal.reason));
            });
        };"""})
    use(browser, server)
    wait_for_text(browser, "That did not work")
    wait(browser).until(lambda it: it.execute_script("return asked.length") == 3)
    assert browser.execute_script("return asked") == ["conditional", "optional", "conditional"]


def test_the_button_for_passkeys_moves_nothing_above_it_when_it_appears(server, browser):
    browser.get(server.base + "/sign-in?redirect=/account")
    assert browser.find_element(By.CSS_SELECTOR, "#passkey button").is_displayed()
    assert_moves_nothing(browser, "#passkey", above="#username")


def test_a_browser_makes_no_second_passkey_in_one_authenticator(server, browser):
    plug_in(browser)
    sign_in(browser, server, "bea")
    add(browser, server)
    assert "The passkey is added" in browser.find_element(By.ID, "notice").text
    browser.find_element(By.CSS_SELECTOR, "#add button").click()
    wait_for_text(browser, "has a passkey for an account here already")
    assert "The passkey is added" not in text_of(browser), "of one answer at a time"
    assert len(browser.get_credentials()) == 1


def test_the_keyboard_alone_adds_a_passkey_and_signs_in_with_it(server, browser):
    plug_in(browser)
    sign_in(browser, server, "cas", to="/account/passkeys")

    def to(selector: str):
        wanted = browser.find_element(By.CSS_SELECTOR, selector)
        for _ in range(20):
            focused = browser.switch_to.active_element
            if focused == wanted:
                return focused
            focused.send_keys(Keys.TAB)
        raise AssertionError(f"the keyboard does not reach {selector}")

    to("#name").send_keys(Keys.ENTER)
    wait_for_path(browser, "/account/passkeys?added")
    to(".places summary").send_keys(Keys.SPACE)
    assert browser.find_element(By.CSS_SELECTOR, ".places details").get_attribute("open")
    sign_out(browser)
    browser.get(server.base + "/sign-in?redirect=/account")
    to("#passkey button").send_keys(Keys.ENTER)
    wait_for_path(browser, "/account")


def test_an_authenticator_that_does_not_ask_who_touches_it_makes_no_passkey(server, browser):
    plug_in(browser, verifies=False)
    sign_in(browser, server, "dan", to="/account/passkeys")
    browser.find_element(By.CSS_SELECTOR, "#add button").click()
    wait_for_text(browser, "No passkey was made")
    assert not browser.get_credentials()


def test_without_scripts_nothing_of_passkeys_is_shown_that_does_not_work(server, open_browser):
    plain = open_browser(scripts=False)
    plain.get(server.base + "/sign-in?redirect=/account")
    assert "passkey" not in text_of(plain)
    sign_in(plain, server, "eve")
    plain.get(server.base + "/account/passkeys")
    assert "This browser cannot make passkeys here" in text_of(plain)
    assert not plain.find_element(By.ID, "add").is_displayed()


def test_an_administrator_opens_the_console_with_a_passkey(server, browser):
    plug_in(browser)
    sign_in(browser, server, "root")
    add(browser, server)
    sign_out(browser)
    use(browser, server, to="/admin/")
    wait_for_path(browser, "/admin/")
    assert browser.find_element(By.TAG_NAME, "h1").text


def test_an_administrator_takes_somebodys_passkey_away_and_says_why(server, browser, open_browser):
    theirs = open_browser()
    plug_in(theirs)
    sign_in(theirs, server, "gil")
    add(theirs, server, name="The phone I lost")
    subject = session(theirs, server)["sub"]
    plug_in(browser)
    sign_in(browser, server, "root")
    add(browser, server, name="My desk")
    sign_out(browser)
    use(browser, server, to="/admin/")
    wait_for_path(browser, "/admin/")
    browser.get(f"{server.base}/admin/users/{subject}")
    shown = browser.find_element(By.CSS_SELECTOR, "section[aria-labelledby=passkeys]")
    assert "The phone I lost" in shown.text
    shown.find_element(By.TAG_NAME, "summary").click()
    shown.find_element(By.NAME, "reason").send_keys("lost in a train")
    shown.find_element(By.CSS_SELECTOR, "form button").click()
    wait(browser).until(lambda browser: not browser.find_elements(By.ID, "passkeys"))
    assert reasons(server, "user.passkey_removed")[-1] == "lost in a train"
    assert session(theirs, server)["sub"] == subject, "what it signed in goes on"
    sign_out(theirs)
    use(theirs, server)
    wait_for_text(theirs, "does not sign you in here")


def test_where_they_are_switched_off_nothing_shows_them_and_nothing_takes_them(browser):
    plain = instance.Served(host="localhost", users={"ada": PASSWORD}, settings="provider:\n  passkeys: false\n")
    try:
        plug_in(browser)
        sign_in(browser, plain, "ada")
        assert not browser.find_elements(By.ID, "passkeys")
        sign_out(browser)
        browser.get(plain.base + "/sign-in?redirect=/account")
        assert "passkey" not in browser.page_source
        for path in ("/account/passkeys", "/sign-in/passkey"):
            assert plain.send("GET", path).status == 404
            assert plain.send("POST", path, {"Content-Type": "application/x-www-form-urlencoded"}).status == 404
    finally:
        plain.stop()


@pytest.mark.parametrize("size", [(375, 800), (1280, 800)], ids=["phone", "desktop"])
def test_the_pages_fit_and_axe_finds_nothing(server, open_browser, size):
    browser = open_browser(size=size)
    browser.get(server.base + "/sign-in?redirect=/account")
    shoot(browser, f"passkey-sign-in-{size[0]}")
    assert browser.find_element(By.CSS_SELECTOR, "#passkey button").is_displayed()
    assert_fits(browser, "page")
    plug_in(browser)
    sign_in(browser, server, "eve")
    add(browser, server, name=f"A phone with quite a long name that I gave it, {size[0]}")
    browser.get(server.base + "/account/passkeys")
    shoot(browser, f"passkeys-{size[0]}")
    assert_fits(browser, "page")
    faults: dict = {}
    look_at_this(browser, "/account/passkeys", faults, "en")
    browser.get(server.base + "/account")
    shoot(browser, f"passkey-account-{size[0]}")
    sign_out(browser)
    browser.remove_virtual_authenticator()
    browser.get(server.base + "/sign-in?redirect=/account")
    look_at_this(browser, "/sign-in", faults, "en")
    assert not faults, json.dumps(faults, indent=1)
