"""`/account` and the passwords of it in headless Chromium, with and without scripts, and the support desk's side of it."""

import json
from urllib.parse import urlencode

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import totp
import wire
from accounts import NEW_PASSWORD, OLD_PASSWORD
from admin import Admin
from browsers import NEEDS_CHROMIUM
from console import open_console
from pages import fill, path_of, press, shoot, sign_in, text_of, wait_for_path, wait_for_text
from waiting import wait

pytestmark = NEEDS_CHROMIUM


def change(browser, old: str, new: str, again: str | None = None):
    fill(browser, password=old, new_password=new, again=again or new)
    browser.find_element(By.CSS_SELECTOR, "form.entry button[type=submit]").click()


def focused(browser, name: str):
    """The element with this id, once it has the focus: a page gives that with its first picture, which may come later
    than the page."""
    return wait(browser).until(
        lambda it: (found := it.switch_to.active_element).get_attribute("id") == name and found, f"no focus on {name}")


def test_the_account_says_who_and_where_and_what_happened(demo, browser, person):
    browser.get(demo.base + "/account")
    assert path_of(browser).startswith("/sign-in?redirect="), "who is not signed in is led there"
    sign_in(browser, demo, person)
    wait_for_path(browser, "/account")
    assert browser.find_element(By.ID, "who").text == "Pat Person"
    happened = browser.find_element(By.CSS_SELECTOR, ".happenings").text
    assert "Signed in" in happened and "Chrome on Linux" in happened and "127.0.0.0/24" in happened
    browser.find_element(By.ID, "devices").click()
    wait_for_path(browser, "/account/devices")
    here = browser.find_element(By.CSS_SELECTOR, ".places li[aria-current]")
    assert "Chrome on Linux" in here.text and "You are here" in here.text
    shoot(browser, "account-devices")


def test_the_account_says_where_it_shows_the_latest_events_only(demo, browser, person):
    sign_in(browser, demo, person)
    wait_for_path(browser, "/account")
    assert "The latest" not in text_of(browser)
    for is_locked in [True, False] * 10:
        changed = Admin(demo).send("PATCH", f"users/{person['sub']}", json.dumps({"disabled": is_locked}),
                                   {"Content-Type": "application/json"})
        assert changed.status == 200, changed.body
    sign_in(browser, demo, person)
    wait_for_path(browser, "/account")
    assert len(browser.find_elements(By.CSS_SELECTOR, ".happenings > li")) == 20
    assert "The latest 20. Something here that was not you?" in text_of(browser)


@pytest.mark.parametrize("page, says", [
    ("account", "You sign in elsewhere, and change there how you do so."),
    ("account/devices", "so it is all that is shown here."), ("account/passkeys", "Set up your passkeys there."),
    ("account/consents", "so nothing is shown here."),
    ("account/password", "You sign in elsewhere"), ("account/second-factor", "Set up your second factor there.")])
def test_who_has_no_account_here_is_not_told_to_sign_in_here(demo, page, says):
    session = demo.sign_in("guest-of-a-trusted-issuer")
    shown = demo.send("GET", f"/{page}", {**wire.NAVIGATION, "Accept": "text/html", "Cookie": session})
    assert shown.status == 200 and says in shown.text, (shown.status, shown.text)
    assert 'id="again"' not in shown.text and "/sign-in" not in shown.text
    # Whoever has an account is.
    own = demo.send("GET", "/account", {**wire.NAVIGATION, "Cookie": demo.sign_in("alice")})
    assert 'id="again"' in own.text


def test_the_devices_lead_to_the_account_and_not_to_some_of_its_parts(demo, browser, person):
    sign_in(browser, demo, person, to="/account/devices")
    wait_for_path(browser, "/account/devices")
    links = [it.get_attribute("href") for it in browser.find_elements(By.CSS_SELECTOR, "main a")]
    assert links == [f"{demo.base}/account"]


def test_an_attempt_that_was_refused_is_not_told_as_a_change(demo, browser, person):
    sign_in(browser, demo, person, to="/account/second-factor")
    secret = wait(browser).until(lambda it: it.find_elements(By.ID, "secret"))[0].text
    fill(browser, code="000001" if totp.code(secret) == "000000" else "000000")
    browser.find_element(By.CSS_SELECTOR, "form button[type=submit]").click()
    wait(browser).until(lambda it: it.find_elements(By.CSS_SELECTOR, "#code[aria-invalid]"))
    focused(browser, "code")
    browser.get(demo.base + "/account")
    happened = browser.find_element(By.CSS_SELECTOR, ".happenings").text
    assert "A wrong code was entered for the second factor" in happened
    assert "Second factor changed" not in happened


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_a_password_is_changed_and_everything_else_ends(demo, open_browser, person, scripts):
    elsewhere, here = open_browser(), open_browser(scripts=scripts)
    sign_in(elsewhere, demo, person)
    wait_for_path(elsewhere, "/account")
    sign_in(here, demo, person, to="/account/password")
    wait_for_path(here, "/account/password")
    for old, new, again, words, wrong in [
            ("wrong", NEW_PASSWORD, NEW_PASSWORD, "not right", ["password"]),
            (OLD_PASSWORD, "password1", "password1", "Many people", ["new_password"]),
            (OLD_PASSWORD, OLD_PASSWORD, OLD_PASSWORD, "This is the current", ["new_password"]),
            (OLD_PASSWORD, NEW_PASSWORD, "another pudding", "two different ways", ["new_password", "again"])]:
        change(here, old, new, again)
        wait_for_text(here, words)
        assert here.title.startswith("Error: ")
        assert [it.get_attribute("id") for it in here.find_elements(By.CSS_SELECTOR, "[aria-invalid]")] == wrong
        focused(here, wrong[0])
    change(here, OLD_PASSWORD, NEW_PASSWORD)
    wait_for_path(here, "/account/password?changed")
    assert "everything else is signed out" in text_of(here)
    elsewhere.get(demo.base + "/account")
    assert path_of(elsewhere).startswith("/sign-in")
    here.get(demo.base + "/account")
    assert path_of(here) == "/account"
    event = Admin(demo).events(type="user.password_changed", sub=person["sub"])[0]
    assert event["reason"] == "by the user"
    assert OLD_PASSWORD not in json.dumps(event) and NEW_PASSWORD not in json.dumps(event)


#: The colour of an element's border, and its contrast to what it encloses (WCAG 2.2, 1.4.11).
BORDER = """
const style = getComputedStyle(document.querySelector(arguments[0]));
const light = (colour) => colour.match(/[\\d.]+/g).slice(0, 3).map((it) => it / 255)
    .map((it) => it <= 0.04045 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4)
    .reduce((sum, it, place) => sum + it * [0.2126, 0.7152, 0.0722][place], 0.05);
const ratio = light(style.borderTopColor) / light(style.backgroundColor);
return [style.borderTopColor, Math.max(ratio, 1 / ratio)];
"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_wrong_and_done_are_seen_by_borders(demo, open_browser, person, dark):
    browser = open_browser(dark=dark)
    sign_in(browser, demo, person, to="/account/password")
    wait_for_path(browser, "/account/password")
    change(browser, "wrong", NEW_PASSWORD)
    wait_for_text(browser, "not right")
    wrong, field, other = (browser.execute_script(BORDER, it) for it in ["#notice", "#password", "#new_password"])
    assert wrong[0] == field[0] != other[0] and wrong[1] >= 3 and field[1] >= 3
    change(browser, OLD_PASSWORD, NEW_PASSWORD)
    wait_for_path(browser, "/account/password?changed")
    done = browser.execute_script(BORDER, "#notice")
    assert done[0] not in (wrong[0], other[0]) and done[1] >= 3


def test_the_keyboard_alone_signs_in_and_changes_the_password(demo, browser, person):
    browser.get(f"{demo.base}/sign-in?redirect=/account/password")
    focused(browser, "username").send_keys(person["username"], Keys.TAB)
    browser.switch_to.active_element.send_keys(OLD_PASSWORD, Keys.ENTER)
    wait_for_path(browser, "/account/password")

    def to(name: str):
        body = browser.find_element(By.TAG_NAME, "body")
        for _ in range(12):
            focused = browser.switch_to.active_element
            if focused.get_attribute("id") == name:
                return focused
            (focused if focused.tag_name != "body" else body).send_keys(Keys.TAB)
        raise AssertionError(f"the keyboard does not reach {name}")

    to("password").send_keys(OLD_PASSWORD)
    to("new_password").send_keys(NEW_PASSWORD)
    to("again").send_keys(NEW_PASSWORD)
    to("show").send_keys(Keys.SPACE)
    assert browser.find_element(By.ID, "again").get_attribute("type") == "text"
    browser.switch_to.active_element.send_keys(Keys.TAB)
    browser.switch_to.active_element.send_keys(Keys.ENTER)
    wait_for_path(browser, "/account/password?changed")


def test_a_foreign_page_changes_no_password(demo, browser, person):
    def open_page(who: dict, password: str) -> tuple[str, str]:
        """The token of this person's form, and the cookies of the browser."""
        browser.delete_all_cookies()
        sign_in(browser, demo, who, password, to="/account/password")
        wait_for_path(browser, "/account/password")
        jar = "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in browser.get_cookies())
        return browser.find_element(By.NAME, "form_token").get_attribute("value"), jar

    # Who writes the foreign page has an account here, and may put a good form of it there.
    attacker = demo.user("bob")
    theirs, _ = open_page(attacker, attacker["password"])
    own, cookies = open_page(person, OLD_PASSWORD)

    def send(token: str) -> int:
        body = urlencode({"password": OLD_PASSWORD, "new_password": NEW_PASSWORD, "again": NEW_PASSWORD, "form_token": token})
        return demo.send("POST", "/account/password", {
            "Cookie": cookies, "Origin": "https://evil.example", "Content-Type": "application/x-www-form-urlencoded"},
            body).status

    assert send(theirs) == 400 and send("") == 400
    assert not Admin(demo).events(type="user.password_changed", sub=person["sub"])
    # The same bytes with the token of the person's own page do it: nothing else stood in the way.
    assert send(own) == 303
    assert len(Admin(demo).events(type="user.password_changed", sub=person["sub"])) == 1


def open_user(browser, demo, person):
    open_console(browser, demo, "/admin/users?q=" + person["username"][3:-2])
    link = browser.find_element(By.CSS_SELECTOR, "tbody td a")
    assert link.text == "Pat Person"
    link.click()
    wait(browser).until(lambda it: path_of(it).startswith("/admin/users/"))


def section(browser, summary: str):
    """Opens what a summary hides, and gives its form."""
    details = next(it for it in browser.find_elements(By.CSS_SELECTOR, "details")
                   if it.find_element(By.TAG_NAME, "summary").text == summary)
    details.find_element(By.TAG_NAME, "summary").click()
    return details.find_element(By.TAG_NAME, "form")


def test_the_support_desk_finds_renames_and_sends_a_link_that_works_once(demo, open_browser, person):
    desk, own = open_browser(), open_browser()
    open_user(desk, demo, person)
    shoot(desk, "console-user")
    form = section(desk, "Rename")
    name = form.find_element(By.NAME, "display_name")
    name.clear()
    name.send_keys("Pat Renamed")
    form.find_element(By.NAME, "reason").send_keys("married")
    form.find_element(By.TAG_NAME, "button").click()
    wait(desk).until(lambda it: it.find_element(By.TAG_NAME, "h1").text == "Pat Renamed")
    form = section(desk, "Make a set-up link")
    form.find_element(By.NAME, "reason").send_keys("forgotten")
    form.find_element(By.TAG_NAME, "button").click()
    wait_for_text(desk, "shown this once")
    link = desk.find_element(By.ID, "set-up-link").text
    events = {kind: Admin(demo).events(type=kind, sub=person["sub"])[0]
              for kind in ("user.renamed", "user.set_up_link_made")}
    assert events["user.renamed"]["reason"] == "married"
    assert events["user.set_up_link_made"]["reason"] == "forgotten"
    assert link.split("link=")[1] not in json.dumps(events)
    own.get(link)
    assert own.find_element(By.ID, "username").get_attribute("value") == person["username"]
    fill(own, new_password=NEW_PASSWORD, again=NEW_PASSWORD)
    own.find_element(By.CSS_SELECTOR, "form.entry button[type=submit]").click()
    wait(own).until(lambda it: path_of(it).startswith("/sign-in"))
    wait_for_text(own, "Your password is set.")
    fill(own, username=person["username"], password=NEW_PASSWORD)
    own.find_element(By.CSS_SELECTOR, "form.entry button[type=submit]").click()
    wait_for_path(own, "/account")
    own.get(link)
    wait_for_text(own, "used before")
    assert not own.find_elements(By.NAME, "new_password")
    own.get(demo.base + "/account")
    happened = own.find_element(By.CSS_SELECTOR, ".happenings").text
    assert happened.count("Password changed") == 1
    assert happened.count("Somebody tried to change the password; it was refused") == 1


def test_recovery_codes_are_printed_with_their_name_and_without_what_is_pressed(demo, open_browser, person):
    own = open_browser()
    sign_in(own, demo, person, to="/account/second-factor")
    secret = wait(own).until(lambda it: it.find_elements(By.ID, "secret"))[0].text
    fill(own, code=totp.code(secret))
    own.find_element(By.CSS_SELECTOR, "form button[type=submit]").click()
    wait(own).until(lambda it: it.find_elements(By.ID, "codes"))
    assert own.find_element(By.ID, "whose").text == person["username"]
    parts = [own.find_element(By.CSS_SELECTOR, part) for part in ("#codes", "#whose", "#next", "footer.site")]
    assert all(part.is_displayed() for part in parts)
    own.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert [part.is_displayed() for part in parts] == [True, True, False, False]


def test_the_support_desk_sets_a_password_and_resets_a_second_factor(demo, open_browser, person):
    desk, own = open_browser(), open_browser()
    sign_in(own, demo, person, to="/account/second-factor")
    secret = wait(own).until(lambda it: it.find_elements(By.ID, "secret"))[0].text
    fill(own, code=totp.code(secret))
    own.find_element(By.CSS_SELECTOR, "form button[type=submit]").click()
    wait(own).until(lambda it: it.find_elements(By.ID, "codes"))
    open_user(desk, demo, person)
    form = section(desk, "Set a password")
    form.find_element(By.NAME, "password").send_keys(NEW_PASSWORD)
    form.find_element(By.NAME, "reason").send_keys("forgotten")
    form.find_element(By.TAG_NAME, "button").click()
    wait(desk).until(lambda it: not it.find_element(By.ID, "set-password").get_property("open"))
    sign_in(own, demo, person)
    wait(own).until(lambda it: it.find_elements(By.CSS_SELECTOR, "#password[aria-invalid]"))
    sign_in(own, demo, person, NEW_PASSWORD)
    wait(own).until(lambda it: it.find_elements(By.NAME, "code"), "a new password takes no second factor away")
    form = section(desk, "Reset the second factor")
    form.find_element(By.NAME, "reason").send_keys("the phone is gone")
    form.find_element(By.TAG_NAME, "button").click()
    wait(desk).until(lambda it: not it.find_elements(By.ID, "reset-factor"))
    sign_in(own, demo, person, NEW_PASSWORD)
    wait_for_path(own, "/account")
    events = [Admin(demo).events(type=kind, sub=person["sub"])[0]["reason"]
              for kind in ("user.password_changed", "user.second_factor_changed")]
    assert events == ["forgotten", "the phone is gone"]


def test_the_support_desk_adds_a_user_and_says_what_is_wrong(demo, open_browser):
    browser = open_browser()
    open_console(browser, demo, "/admin/new-user")
    fill(browser, username="alice", reason="new here")
    press(browser, "Add")
    wait_for_text(browser, "There is an account with this user name.")
    assert browser.find_element(By.NAME, "username").get_attribute("value") == "alice"
    fill(browser, username="newcomer")
    press(browser, "Add")
    wait_for_text(browser, "shown this once")
    assert Admin(demo).get("users", q="NEWCOM").json()["items"][0]["username"] == "newcomer"


def test_a_client_is_registered_by_form_and_its_secret_shown_once(demo, open_browser):
    browser = open_browser()
    open_console(browser, demo, "/admin/register-client?type=web")
    form = browser.find_element(By.ID, "client-form")
    for name, value in [("client_id", "by-form"), ("return_paths", "no path"), ("client_name", "By form")]:
        form.find_element(By.NAME, name).send_keys(value)
    form.find_element(By.CSS_SELECTOR, "button").click()
    wait_for_text(browser, "return_paths")
    paths = browser.find_element(By.ID, "f-return_paths")
    assert paths.get_attribute("aria-invalid") == "true" and paths.get_attribute("value") == "no path"
    paths.clear()
    paths.send_keys("/home\n/account/*")
    browser.find_element(By.ID, "f-default_return_path").send_keys("/home")
    browser.find_element(By.ID, "f-backchannel_logout_uri").send_keys("https://rp.example/logout")
    browser.find_element(
        By.NAME, "grant_types.urn:ietf:params:oauth:grant-type:device_code").click()
    browser.find_element(By.CSS_SELECTOR, "#client-form button").click()
    wait_for_text(browser, "Saved")
    assert browser.find_element(By.ID, "secret-value").text.startswith("dbc_")
    document = Admin(demo).get("clients/by-form").json()
    assert document["return_paths"] == ["/home", "/account/*"]
    assert document["backchannel_logout_uri"] == "https://rp.example/logout"
    assert "urn:ietf:params:oauth:grant-type:device_code" in document["grant_types"]
    browser.get(demo.base + "/admin/clients/by-form")
    assert "dbc_" not in text_of(browser)
    browser.find_element(By.ID, "f-client_name").send_keys(" and changed")
    browser.find_element(By.CSS_SELECTOR, "#client-form button").click()
    wait_for_text(browser, "Saved")
    changed = Admin(demo).get("clients/by-form").json()
    assert changed == {**document, "client_name": "By form and changed"}


def test_an_app_without_a_name_is_not_registered_and_one_without_a_redirect_address_is_told_of(
        demo, open_browser):
    browser = open_browser()
    open_console(browser, demo, "/admin/register-client?type=native")
    before = len(Admin(demo).get("clients", limit=500).json()["items"])
    browser.find_element(By.CSS_SELECTOR, "#client-form button").click()
    wait_for_text(browser, "A name is needed.")
    assert browser.find_element(By.ID, "f-client_name").get_attribute("aria-invalid") == "true"
    assert len(Admin(demo).get("clients", limit=500).json()["items"]) == before
    browser.find_element(By.ID, "f-client_name").send_keys("An app")
    browser.find_element(By.CSS_SELECTOR, "#client-form button").click()
    wait_for_text(browser, "Saved")
    assert browser.find_element(By.ID, "lacks-redirect")
    browser.find_element(By.ID, "f-redirect_uris").send_keys("org.example.app:/signed-in")
    browser.find_element(By.CSS_SELECTOR, "#client-form button").click()
    wait(browser).until(lambda it: not it.find_elements(By.ID, "lacks-redirect"))
    assert "Saved" in text_of(browser)


def test_verification_goes_on_by_itself_and_a_bearer_is_explained(demo, open_browser):
    browser = open_browser()
    open_console(browser, demo, "/admin/nodes")
    press(browser, "Verify the whole log")
    wait_for_text(browser, "The log is whole.")
    whole = browser.find_element(By.CSS_SELECTOR, ".notice.whole")
    # An alert of what other tests did to this node may stand above.
    others = browser.find_elements(By.CSS_SELECTOR, ".notice:not(.whole):not(.alarm)")
    assert "The log is whole." in whole.text and not others
    browser.get(demo.base + "/admin/explain")
    browser.find_element(By.ID, "bearer").send_keys("not.a.token")
    press(browser, "Explain the bearer")
    wait_for_text(browser, "It does not pass")
    token = demo.bearer("alice")
    browser.find_element(By.ID, "bearer").send_keys(token)
    press(browser, "Explain the bearer")
    wait_for_text(browser, "It passes")
    assert token not in browser.page_source
