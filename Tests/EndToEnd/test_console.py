"""The console in headless Chromium (contract §8): a replayed token is found, its session ended, the finding exported."""

import json
import re
from urllib.parse import parse_qsl, quote, urlsplit

import pytest
from selenium.webdriver.common.by import By

import wire
from admin import Admin, Console
from browsers import NEEDS_CHROMIUM
from console import PAGES, open_console
from native import App
from pages import path_of, press, shoot, text_of, wait_for_text
from waiting import wait

pytestmark = NEEDS_CHROMIUM


def test_a_replay_is_found_by_address_and_dealt_with(demo, busy, open_browser):
    browser = open_browser()
    browser.get(demo.base + "/admin/")
    assert path_of(browser) == "/admin/sign-in"
    shoot(browser, "console-sign-in")
    browser.find_element(By.NAME, "token").send_keys("dbt_wrong")
    press(browser, "Open the console")
    wait_for_text(browser, "not valid")
    assert browser.title.startswith("Error: ")
    wrong = browser.find_element(By.CSS_SELECTOR, "#token[aria-invalid]").get_attribute("aria-describedby")
    assert "not valid" in browser.find_element(By.ID, wrong).text
    open_console(browser, demo)
    assert path_of(browser) == "/admin/"
    assert browser.find_elements(By.CSS_SELECTOR, "svg.chart polyline")
    assert "login_token.replayed" in text_of(browser)
    shoot(browser, "console-overview")
    # What was refused is a table, each line of which leads to its events.
    lines = browser.find_elements(By.CSS_SELECTOR, "table.bars tr")
    assert lines and all(int(line.find_element(By.TAG_NAME, "td").text) > 0 for line in lines)
    onward = next(line for line in browser.find_elements(By.CSS_SELECTOR, "table.bars a") if "too_many" not in line.text)
    kind, reason = onward.text.split(": ")
    searched = dict(parse_qsl(urlsplit(onward.get_attribute("href")).query))
    assert (searched.pop("outcome"), searched.pop("type"), searched.pop("reason")) == ("failure", kind, reason)
    assert list(searched) == ["from"], "since the span begins"

    # The replay, by address.
    browser.find_element(By.LINK_TEXT, "Events").click()
    browser.find_element(By.NAME, "ip").send_keys("127.0.0.1")
    browser.find_element(By.NAME, "type").send_keys("login_token.replayed")
    press(browser, "Search")
    wait(browser).until(lambda it: "type=" in it.current_url)
    assert "ip=127.0.0.1" in browser.current_url and "type=login_token.replayed" in browser.current_url
    rows = browser.find_elements(By.CSS_SELECTOR, "table.events tbody tr")
    assert any("alice" in row.text for row in rows)
    shoot(browser, "console-events")
    next(row for row in rows if "alice" in row.text).find_element(By.CSS_SELECTOR, "td a").click()
    wait_for_text(browser, "Its place in the chain")
    shoot(browser, "console-event")
    # Both events of the token: the first use and the second.
    browser.find_element(By.LINK_TEXT, busy["token"]["id"]).click()
    wait(browser).until(lambda it: "token_id=" in it.current_url)
    found = text_of(browser)
    assert "login_token.redeemed" in found and "login_token.replayed" in found and "web_session.ended" in found

    # The user, and an end to what is still open.
    browser.find_element(By.LINK_TEXT, "alice").click()
    wait(browser).until(lambda it: path_of(it) == "/admin/users/alice")
    shoot(browser, "console-user")
    checked = demo.send("GET", "/auth/check", {"Cookie": busy["live"]})
    assert checked.status == 200
    # The app's own session and the sign-in behind it are live too, and those of other tests.
    question = (By.CSS_SELECTOR, f"summary[aria-label='End the session {checked.header('X-Auth-Session')}']")
    row = next(row for row in browser.find_elements(By.CSS_SELECTOR, "ul.sessions li") if row.find_elements(*question))
    assert row.find_elements(By.CSS_SELECTOR, ".badge.good")
    row.find_element(By.TAG_NAME, "summary").click()
    assert "End this session" in row.text, "it asks first"
    row.find_element(By.CSS_SELECTOR, "form button").click()
    wait(browser).until(lambda it: it.find_elements(By.CSS_SELECTOR, "ul.sessions") and not it.find_elements(*question))
    assert demo.send("GET", "/auth/check", {"Cookie": busy["live"]}).status == 401
    assert json.loads(Admin(demo).events(sub="alice", type="web_session.ended")[0]["detail"])[
        "actor"] == "client:demo-admin"

    # What was found, taken along.
    browser.get(f"{demo.base}/admin/events?token_id={quote(busy['token']['id'])}")
    link = browser.find_element(By.LINK_TEXT, "JSON Lines").get_attribute("href")
    lines = browser.execute_async_script(
        "const done = arguments[1]; fetch(arguments[0]).then(a => a.text()).then(done)", link)
    types = {json.loads(line)["type"] for line in lines.splitlines()}
    assert {"login_token.issued", "login_token.redeemed", "login_token.replayed"} <= types
    press(browser, "Sign out")
    wait(browser).until(lambda it: path_of(it) == "/admin/sign-in")


def test_events_appear_as_they_happen(demo, open_browser):
    browser = open_browser()
    open_console(browser, demo, "/admin/live")
    wait(browser).until(lambda it: "Connected" in it.find_element(By.ID, "live-state").text)
    pause = browser.find_element(By.ID, "live-pause")
    pause.click()
    issued = demo.issue("lively")
    wait(browser).until(lambda it: "Go on (" in pause.text)
    assert "lively" not in text_of(browser), "what one reads stays where it is"
    pause.click()
    wait(browser).until(lambda it: "lively" in text_of(it))
    row = browser.find_element(By.CSS_SELECTOR, "table.events tbody tr")
    assert "login_token.issued" in row.text
    row.find_element(By.CSS_SELECTOR, "td a").click()
    wait_for_text(browser, issued["id"])


def test_live_events_can_be_narrowed_to_a_type(demo, open_browser):
    browser = open_browser()
    open_console(browser, demo, "/admin/live?type=login_token.redeemed")
    wait(browser).until(lambda it: "Connected" in it.find_element(By.ID, "live-state").text)
    demo.sign_in("narrow")
    wait(browser).until(lambda it: "narrow" in it.find_element(By.CSS_SELECTOR, "table.events").text)
    assert {row.text for row in browser.find_elements(By.CSS_SELECTOR, "table.events tbody td:nth-child(2)")} == {
        "login_token.redeemed"}


def test_filters_offer_what_there_is_and_take_a_date(demo, busy, open_browser):
    browser = open_browser(size=(390, 844))
    open_console(browser, demo, "/admin/events")
    finder = browser.find_element(By.CSS_SELECTOR, "details.finder")
    assert not finder.get_property("open"), "on a phone the events come first"
    finder.find_element(By.TAG_NAME, "summary").click()
    assert [option.text for option in browser.find_elements(By.CSS_SELECTOR, "select#f-outcome option")] == [
        "any", "succeeded", "failed"]
    types = browser.find_elements(By.CSS_SELECTOR, "#list-type option")
    assert "login_token.replayed" in [option.get_attribute("value") for option in types]
    assert browser.find_element(By.ID, "f-from").get_attribute("type") == "datetime-local"
    browser.get(f"{demo.base}/admin/events?type=login_token.replayed&from=2026-01-01T00:00")
    assert browser.find_elements(By.CSS_SELECTOR, "table.events tbody tr")
    browser.get(f"{demo.base}/admin/events?type=login_token.replayed&to=2026-01-01T00:00")
    assert not browser.find_elements(By.CSS_SELECTOR, "table.events tbody td a")


@pytest.mark.parametrize("path", ["events?outcome=failure", "live?outcome=failure"])
def test_on_a_phone_what_was_found_comes_before_the_filters_that_found_it(demo, busy, open_browser, path):
    browser = open_browser(size=(360, 740))
    open_console(browser, demo, f"/admin/{path}")
    finder = browser.find_element(By.CSS_SELECTOR, "details.finder")
    assert not finder.get_property("open")
    assert finder.find_element(By.TAG_NAME, "summary").text.split() == ["Filters", "Outcome", "failed"]
    assert browser.find_element(By.CSS_SELECTOR, "table.events tbody").location["y"] < 740
    browser.find_element(By.ID, "clear").click()
    wait(browser).until(lambda it: "outcome" not in it.current_url)


def test_on_a_phone_a_filter_that_was_not_understood_is_open_to_be_mended(demo, open_browser):
    browser = open_browser(size=(360, 740))
    open_console(browser, demo, "/admin/events?type=nothing.known")
    assert browser.find_element(By.CSS_SELECTOR, "details.finder").get_property("open")


def test_a_users_sessions_are_a_tree_from_the_device_down(demo, open_browser):
    app = App(demo)
    app.sign_in()
    view = {"Cookie": wire.cookie_header(app.cookies())}
    subject = demo.send("GET", "/session", view).json()["sub"]
    browser = open_browser()
    open_console(browser, demo, f"/admin/users/{subject}")
    tree = browser.find_element(By.CSS_SELECTOR, "ul.sessions")
    # The session of the browser in which the app's user signed in stands beside them.
    shown = " ".join(row.get_attribute("class").split()[0] for row in tree.find_elements(By.CSS_SELECTOR, "li"))
    assert "device depth-1 depth-2" in shown, shown
    assert "127.0.0.1" in tree.find_element(By.CSS_SELECTOR, ".depth-2").text


@pytest.mark.parametrize("page", ["", "sessions", "nodes"])
def test_on_a_phone_the_present_section_is_in_sight(demo, open_browser, page):
    browser = open_browser(size=(375, 812))
    open_console(browser, demo, f"/admin/{page}")
    left, right = browser.execute_script(
        "const it = document.querySelector('.sections [aria-current]').getBoundingClientRect(); return [it.left, it.right];")
    assert 0 <= left < right <= 375


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_on_a_phone_sections_beyond_the_edge_are_hinted_at_by_a_shade_and_no_bar(demo, open_browser, dark):
    browser = open_browser(size=(390, 844), dark=dark)
    open_console(browser, demo)
    layers = browser.execute_script(
        "return getComputedStyle(document.querySelector('.sections')).backgroundImage").split("linear-gradient")[1:]
    # Two covers that scroll with the sections, then the two shades that they uncover.
    colours = [re.search(r"rgba?\(([^)]*)\)", layer).group(1).split(", ") for layer in layers]
    assert [len(colour) for colour in colours] == [3, 3, 4, 4], layers
    assert all(0.1 <= float(colour[3]) <= 0.3 for colour in colours[2:]), layers


@pytest.mark.parametrize("width", [320, 390])
def test_on_a_phone_what_why_who_and_where_of_an_event_are_in_sight(demo, busy, open_browser, width):
    browser = open_browser(size=(width, 800))
    open_console(browser, demo, "/admin/events?type=web_session.opened&reason=login_token")
    [row, *_] = browser.find_elements(By.CSS_SELECTOR, ".events tbody tr")
    cells = [cell for cell in row.find_elements(By.TAG_NAME, "td") if cell.text]
    assert len(cells) == 6, row.text
    for cell in cells:
        left, right = browser.execute_script(
            "const it = arguments[0].getBoundingClientRect(); return [it.left, it.right];", cell)
        assert 0 <= left < right <= width, cell.text
    assert row.size["height"] < 160, "a block, and no column as high as the longest"


def test_programs_hear_where_and_with_what_a_session_was_opened(demo):
    opened = demo.redeem(demo.issue("somewhere")["token"], {**wire.NAVIGATION, "User-Agent": "Curious/7"})
    assert opened.status == 303
    (session,) = [it for it in Admin(demo).get("users/somewhere/sessions").json()["items"] if it["kind"] == "web"]
    assert session["ip"] == "127.0.0.1" and session["user_agent"] == "Curious/7"


def test_an_alarm_leads_to_its_events_and_goes_when_somebody_has_seen_it(start_demo, open_browser):
    demo = start_demo("--no-limits")
    for _ in range(5):
        issued = demo.issue("alice")
        demo.redeem(issued["token"])
        demo.redeem(issued["token"], wire.OTHER_BROWSER)
    browser = open_browser()
    open_console(browser, demo)

    def alarm(browser):
        browser.refresh()
        return browser.find_elements(By.CSS_SELECTOR, ".alarm")

    # Every ten seconds a server looks what has come about.
    shown = wait(browser, 40).until(alarm)[0]
    assert "Tokens were used twice" in shown.text
    # Every type that the alert counts has a link, so that a burst of reused refresh tokens is found too.
    links = [link.get_attribute("href") for link in shown.find_elements(By.TAG_NAME, "a")]
    assert [link.rpartition("/admin/events?type=")[2] for link in links] == [
        "authorization_code.reused", "device_code.reused", "login_token.replayed", "refresh_token.reused"]
    shown.find_element(By.TAG_NAME, "button").click()
    wait(browser).until(lambda it: not it.find_elements(By.CSS_SELECTOR, ".alarm"))
    assert not alarm(browser)
    assert len(Admin(demo).events(type="alert.acknowledged")) == 1


def test_a_client_is_edited_with_its_faults_named(demo, open_browser):
    browser = open_browser()
    open_console(browser, demo, "/admin/register-client")
    box = browser.find_element(By.ID, "document")
    box.clear()
    box.send_keys('{"client_type": "web", "redeem": "maybe"}')
    press(browser, "Save")
    wait_for_text(browser, "redeem must be one of")
    assert '"maybe"' in browser.find_element(By.ID, "document").get_attribute("value")
    box = browser.find_element(By.ID, "document")
    box.clear()
    box.send_keys('{"client_id": "console-made", "client_type": "web", '
                  '"token_endpoint_auth_method": "client_secret_basic"}')
    press(browser, "Save")
    wait_for_text(browser, "Saved")
    assert "dbc_" in text_of(browser)
    browser.get(demo.base + "/admin/clients/console-made")
    assert "dbc_" not in text_of(browser)
    shoot(browser, "console-client")
    press_when_asked(browser, "delete")
    wait(browser).until(lambda it: path_of(it) == "/admin/clients?done")
    assert "console-made" not in text_of(browser)


def test_the_live_sessions_of_a_client_are_listed_until_they_end(demo, busy, open_browser):
    browser = open_browser()
    open_console(browser, demo, "/admin/clients/demo-web")
    browser.find_element(By.PARTIAL_LINK_TEXT, "Live sessions").click()
    wait(browser).until(lambda it: path_of(it) == "/admin/sessions?client_id=demo-web")
    cookie = demo.sign_in("listed-user")
    browser.refresh()
    row = next(it for it in browser.find_elements(By.CSS_SELECTOR, "tbody tr") if "listed-user" in it.text)
    assert "Firefox on Linux" in row.text and "127.0.0.1" in row.text and "demo-web" in row.text
    shoot(browser, "console-sessions")
    row.find_element(By.LINK_TEXT, "listed-user").click()
    wait(browser).until(lambda it: path_of(it).startswith("/admin/users/listed-user?session="))
    here = browser.find_element(By.CSS_SELECTOR, "li:target")
    assert "demo-web" in here.text and here.find_elements(By.TAG_NAME, "summary")
    press_when_asked(browser, "end-all")
    wait(browser).until(lambda it: not it.find_elements(By.CSS_SELECTOR, "ul.sessions .badge.good"))
    assert demo.send("GET", "/auth/check", {"Cookie": cookie}).status == 401
    browser.get(f"{demo.base}/admin/sessions?client_id=demo-web")
    assert "listed-user" not in text_of(browser)
    browser.get(f"{demo.base}/admin/sessions?kind=app")
    assert "demo-app" in text_of(browser)
    browser.get(f"{demo.base}/admin/sessions?kind=nonsense")
    assert browser.title.startswith("Error: Sessions") and "kind must be web or app" in text_of(browser)


@pytest.mark.parametrize("page", ["users", "sessions", "keys", "nodes"])
def test_times_of_a_list_are_utc_and_show_the_readers_own(demo, busy, open_browser, page):
    browser = open_browser()
    open_console(browser, demo, f"/admin/{page}")
    assert "(UTC)" in browser.find_element(By.TAG_NAME, "thead").text
    wait(browser).until(lambda it: it.find_elements(By.CSS_SELECTOR, "tbody time[title]"))
    assert not browser.find_elements(By.CSS_SELECTOR, "tbody time:not([title])")


def test_explain_answers_in_the_page(demo, open_browser):
    browser = open_browser()
    open_console(browser, demo, "/admin/explain")
    browser.find_element(By.ID, "redirect").send_keys("//evil.example/")
    press(browser, "Explain the redirect")
    wait_for_text(browser, "It does not pass")
    shoot(browser, "console-explain")


def test_explain_begins_with_the_website_that_apps_open_by_default(demo):
    page = Console(demo).get("/admin/explain").text
    website = re.search(r'<select id="client".*?</select>', page, re.S).group(0)
    assert re.findall(r"<option selected>([^<]*)</option>", website) == ["demo-web"]


def test_the_way_in_for_people_comes_first(demo):
    page = demo.send("GET", "/admin/sign-in").text
    assert page.index('id="account"') < page.index('id="token"')
    assert re.search(r'<a class="button" id="account"', page) and "autofocus" not in page


def test_an_exchange_is_explained_in_the_page(demo, open_browser):
    app = App(demo)
    app.sign_in()
    browser = open_browser()
    open_console(browser, demo, "/admin/explain")
    for secret, answer in [(app.tokens["device_secret"], "It passes"), ("ds_nonsense", "It does not pass")]:
        browser.find_element(By.CSS_SELECTOR, "#asking option[value='demo-app-b'], #asking").send_keys("demo-app-b")
        browser.find_element(By.ID, "subject-token").send_keys(app.tokens["id_token"])
        browser.find_element(By.ID, "device-secret").send_keys(secret)
        press(browser, "Explain the exchange")
        wait_for_text(browser, answer)
        assert secret not in browser.page_source and app.tokens["id_token"] not in browser.page_source
    assert "secret_unknown" in text_of(browser)
    assert app.native_sso().status == 200, "asking used nothing up"


def test_a_mistake_in_a_form_of_explain_is_said_beside_it_and_what_is_no_secret_stays(demo, open_browser):
    browser = open_browser()
    open_console(browser, demo, "/admin/explain")
    press(browser, "Explain the sign-in")
    wait_for_text(browser, "Not done. token, and link or user_code, or one of them is needed")
    assert browser.title.startswith("Error: Explain") and path_of(browser) == "/admin/explain"
    wait(browser).until(lambda it: it.switch_to.active_element.get_attribute("id") == "cross-shown")
    browser.find_element(By.ID, "subject-type").send_keys("Access token")
    browser.find_element(By.ID, "subject-token").send_keys("a.subject.token")
    browser.find_element(By.ID, "device-secret").send_keys("ds_secret")
    browser.find_element(By.ID, "scope").send_keys("openid  email")
    press(browser, "Explain the exchange")
    wait_for_text(browser, "Not done. scope is malformed")
    wait(browser).until(lambda it: it.switch_to.active_element.get_attribute("id") == "scope")
    kept = {name: browser.find_element(By.ID, name).get_attribute("value") for name in ["scope", "audience", "subject-type"]}
    assert kept == {"scope": "openid  email", "audience": demo.base,
                    "subject-type": "urn:ietf:params:oauth:token-type:access_token"}
    assert "a.subject.token" not in browser.page_source and "ds_secret" not in browser.page_source


def test_a_device_is_found_and_revoked_with_a_reason(demo, open_browser):
    app = App(demo, user="bob")
    app.sign_in(device_name="Bob's phone")
    browser = open_browser()
    open_console(browser, demo, "/admin/users/" + quote(app.user["sub"]))
    section = browser.find_element(By.CSS_SELECTOR, "section[aria-labelledby=devices]")
    live = len(section.find_elements(By.CSS_SELECTOR, ".badge.good"))
    assert live >= 1 and "demo-app" in section.text
    section.find_element(By.CSS_SELECTOR, ".asks summary").click()
    section.find_element(By.CSS_SELECTOR, "input[name=reason]").send_keys("lost on a train")
    section.find_element(By.CSS_SELECTOR, "form button").click()
    wait_for_text(browser, "lost on a train")
    section = browser.find_element(By.CSS_SELECTOR, "section[aria-labelledby=devices]")
    assert len(section.find_elements(By.CSS_SELECTOR, ".badge.good")) == live - 1
    shoot(browser, "console-devices")
    assert app.native_sso().status == 400
    event = Admin(demo).events(type="device_secret.revoked", sub=app.user["sub"])[0]
    assert event["reason"] == "lost on a train"
    assert json.loads(event["detail"])["actor"] == "client:demo-admin"


def test_native_sso_settings_are_changed_within_their_ranges_and_taken_back(start_demo, open_browser):
    demo = start_demo("--no-limits")
    browser = open_browser()
    open_console(browser, demo, "/admin/settings/native-sso")

    def fill(name: str, value: str):
        box = browser.find_element(By.ID, name)
        box.clear()
        box.send_keys(value)

    def values() -> dict:
        return Admin(demo).get("settings/native-sso").json()["settings"]

    assert "1 to 90" in text_of(browser) and "from configuration" in text_of(browser)
    fill("deviceSecretTTLDays", "91")
    fill("maxDeviceSecretsPerUser", "5")
    fill("reason", "shorter lives")
    press(browser, "Save")
    wait_for_text(browser, "Nothing was saved")
    assert browser.title.startswith("Error: ")
    assert browser.find_element(By.ID, "deviceSecretTTLDays").get_attribute("aria-invalid") == "true"
    wait(browser).until(lambda it: it.switch_to.active_element.get_attribute("id") == "deviceSecretTTLDays")
    assert browser.find_element(By.ID, "maxDeviceSecretsPerUser").get_attribute("value") == "5"
    shoot(browser, "console-native-sso-refused")
    assert values()["maxDeviceSecretsPerUser"]["source"] == "default"
    fill("deviceSecretTTLDays", "45")
    press(browser, "Save")
    wait_for_text(browser, "Saved.")
    assert values()["deviceSecretTTLDays"] == {"value": 45, "source": "admin", "minimum": 1, "maximum": 90}
    assert values()["enabled"]["source"] == "configuration", "what was left keeps its provenance"
    event = Admin(demo).events(type="setting.changed")[0]
    detail = json.loads(event["detail"])
    assert detail["reason"] == "shorter lives" and detail["actor"] == "client:demo-admin"
    assert detail["fields"] == ["deviceSecretTTLDays", "maxDeviceSecretsPerUser"]
    press_when_asked(browser, "reset-values")
    wait_for_text(browser, "comes from the configuration")
    assert values()["deviceSecretTTLDays"]["source"] == "default"


def test_on_a_phone_no_figure_beside_the_chart_is_cut_off(demo, open_browser):
    browser = open_browser(size=(375, 812))
    open_console(browser, demo)
    wait(browser).until(lambda it: it.find_elements(By.CSS_SELECTOR, ".chart .tick.end"))
    overflow, left = browser.execute_script("""
        const figure = document.querySelector(".chart .tick.end");
        figure.textContent = "10000";
        return [getComputedStyle(figure.ownerSVGElement).overflow, figure.getBoundingClientRect().left];""")
    assert overflow == "visible" and left >= 0


def test_an_account_with_the_role_admin_opens_the_console(demo, open_browser):
    browser = open_browser()
    browser.get(demo.base + "/sign-in?redirect=/admin/")
    person = demo.user("admin")
    browser.find_element(By.NAME, "username").send_keys(person["username"])
    browser.find_element(By.NAME, "password").send_keys(person["password"])
    browser.find_element(By.CSS_SELECTOR, "form button[type=submit]").click()
    wait(browser).until(lambda it: "/sign-in" not in it.current_url)
    assert path_of(browser) == "/admin/", text_of(browser)
    assert browser.find_elements(By.CSS_SELECTOR, "svg.chart")


RULES = """
const problems = [];
const name = (e) => e.outerHTML.slice(0, 120);
if (!document.documentElement.lang) problems.push("no language");
if (!document.title) problems.push("no title");
if (document.querySelectorAll("h1").length !== 1) problems.push("not one h1");
if (!document.querySelector("main")) problems.push("no main");
for (const e of document.querySelectorAll("input:not([type=hidden]), select, textarea"))
    if (!(e.labels && e.labels.length) && !e.getAttribute("aria-label")) problems.push("no label: " + name(e));
for (const e of document.querySelectorAll("a, button"))
    if (!e.textContent.trim() && !e.getAttribute("aria-label")) problems.push("no name: " + name(e));
for (const e of document.querySelectorAll("img")) if (!e.hasAttribute("alt")) problems.push("no alt: " + name(e));
for (const e of document.querySelectorAll("svg[role=img]")) if (!e.getAttribute("aria-label")) problems.push("no label: svg");
for (const e of document.querySelectorAll("th")) if (!e.getAttribute("scope")) problems.push("no scope: " + name(e));
const ids = [...document.querySelectorAll("[id]")].map(e => e.id);
for (const id of ids) if (ids.indexOf(id) !== ids.lastIndexOf(id)) problems.push("twice: #" + id);
for (const e of document.querySelectorAll("[aria-labelledby], [aria-describedby]"))
    for (const id of ((e.getAttribute("aria-labelledby") || "") + " " + (e.getAttribute("aria-describedby") || "")).split(" "))
        if (id && !document.getElementById(id)) problems.push("points nowhere: " + id);
const channel = (c) => { c /= 255; return c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
const luminance = (rgb) => 0.2126 * channel(rgb[0]) + 0.7152 * channel(rgb[1]) + 0.0722 * channel(rgb[2]);
const parse = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
const ground = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor);
    if (c.length === 3 || c[3] === 1) return c; } return [255, 255, 255]; };
for (const e of document.querySelectorAll("main *, nav *, header *, footer *")) {
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()) || !e.getClientRects().length) continue;
    if (e.closest(".over, option, [hidden]")) continue;
    const style = getComputedStyle(e);
    const [a, b] = [luminance(parse(e.closest("svg") ? style.fill : style.color)), luminance(ground(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) problems.push("contrast " + ratio.toFixed(2) + ": " + name(e));
}
const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
if (wide > 0) problems.push("scrolls sideways by " + wide);
return problems;
"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_every_page_keeps_the_rules(demo, busy, open_browser, width, dark):
    browser = open_browser(size=(width, 900), dark=dark)
    open_console(browser, demo)
    for page in PAGES:
        browser.get(f"{demo.base}/admin/{page}")
        assert browser.execute_script(RULES) == [], page
        name = (page.split("?")[0] or "overview").replace("/", "-")
        shoot(browser, f"console-{width}-{'dark' if dark else 'light'}-{name}")
    assert not [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


def test_the_console_works_without_scripts(demo, busy, open_browser):
    browser = open_browser(scripts=False)
    open_console(browser, demo, "/admin/events?type=login_token.replayed")
    assert path_of(browser) == "/admin/events?type=login_token.replayed"
    assert "alice" in text_of(browser)
    browser.get(demo.base + "/admin/keys")
    press_when_asked(browser, "rotate-now")
    wait_for_text(browser, "verifying")
    demo.sign_in("without-scripts")
    browser.get(demo.base + "/admin/users/without-scripts")
    row = browser.find_element(By.CSS_SELECTOR, "ul.sessions li")
    assert not row.find_element(By.TAG_NAME, "button").is_displayed()
    row.find_element(By.TAG_NAME, "summary").click()
    row.find_element(By.NAME, "reason").send_keys("lost")
    row.find_element(By.TAG_NAME, "button").click()
    wait(browser).until(lambda it: not it.find_elements(By.CSS_SELECTOR, "ul.sessions .badge.good"))
    assert Admin(demo).events(sub="without-scripts", type="web_session.ended")[0]["reason"] == "lost"
    demo.sign_in("without-scripts")
    browser.refresh()
    press_when_asked(browser, "end-all")
    wait(browser).until(lambda it: not it.find_elements(By.CSS_SELECTOR, "ul.sessions .badge.good"))
    press_when_asked(browser, "disable")
    wait(browser).until(lambda it: it.find_elements(By.CSS_SELECTOR, ".headline .badge.bad"))
    press(browser, "Enable")
    wait(browser).until(lambda it: it.find_elements(By.ID, "disable"))


def press_when_asked(browser, question: str):
    """Presses a button that is there only after its question was opened; no script has a part in it."""
    wait(browser).until(lambda it: it.find_elements(By.ID, question))
    asking = browser.find_element(By.ID, question)
    button = asking.find_element(By.TAG_NAME, "button")
    assert not button.is_displayed()
    asking.find_element(By.TAG_NAME, "summary").click()
    assert asking.find_element(By.TAG_NAME, "p").is_displayed()
    button.click()


def shown(browser) -> list[str]:
    return [cell.text for cell in browser.find_elements(By.CSS_SELECTOR, "tbody td:first-child")]


def test_lists_are_sorted_by_their_headings(demo, busy, open_browser):
    browser = open_browser()
    open_console(browser, demo, "/admin/users?q=user")
    for page, heading, direction in [
            ("users?q=user", "User", "ascending"), ("users?q=user", "First seen (UTC)", "descending"),
            ("clients", "Name", "ascending"), ("keys", "Age", "ascending"), ("nodes", "Events", "descending")]:
        browser.get(f"{demo.base}/admin/{page}")
        before = shown(browser)
        browser.find_element(By.TAG_NAME, "thead").find_element(By.LINK_TEXT, heading).click()
        wait(browser).until(lambda it: "sort=" in it.current_url)
        sorted_by = browser.find_element(By.CSS_SELECTOR, "th[aria-sort]")
        assert (sorted_by.text, sorted_by.get_attribute("aria-sort")) == (heading, direction)
        assert sorted(shown(browser)) == sorted(before), page
        assert browser.find_element(By.ID, "count").text
    browser.get(f"{demo.base}/admin/users?q=user&sort=user")
    names = shown(browser)
    assert names == sorted(names, key=str.lower) and len(names) >= 6
    browser.get(f"{demo.base}/admin/users?q=user&sort=first_seen")
    assert shown(browser).index("user5") < shown(browser).index("user0"), "the newest first"
    browser.get(f"{demo.base}/admin/keys?sort=nonsense")
    assert browser.title.startswith("Error: Keys") and "sort must be one of" in text_of(browser)


@pytest.mark.parametrize("path, back, section", [
    ("users/nobody-here", "/admin/users", "Users"), ("clients/none", "/admin/clients", "Clients"),
    ("events/demo-999999999", "/admin/events", "Events"), ("sessions/none", "/admin/sessions", "Sessions"),
    ("users/alice/nothing", "/admin/users", "Users"), ("nothing", "/admin/", "Overview"),
])
def test_what_is_not_there_is_said_in_the_console_with_a_way_back(demo, path, back, section):
    browser = {**wire.NAVIGATION, "Accept": "text/html"}
    answer = demo.send("GET", f"/admin/{path}", {**browser, **Console(demo).cookie})
    assert answer.status == 404
    page = wire.PageForm(answer.text)
    assert any(form["action"] == "/admin/sign-out" for form in page.forms), "the console's frame"
    assert "There is no such page" in answer.text and "/sign-in" not in answer.text
    assert re.search(rf'<a [^>]*href="{back}"[^>]*>Back to “{section}”</a>', answer.text)
    assert ('aria-current="page"' in answer.text) == (section != "Overview"), "an unknown address is in no section"
    # Who is no administrator learns nothing, and sees nothing of the console.
    other = demo.send("GET", f"/admin/{path}", browser)
    assert other.status in (303, 404) and "/admin/sign-out" not in other.text


def test_a_form_about_what_is_gone_is_answered_in_the_console(demo):
    console = Console(demo)
    form = next(form for form in wire.PageForm(console.get("/admin/").text).forms
                if form["action"] == "/admin/sign-out")
    answer = demo.send("POST", "/admin/clients/none/delete", console.cookie,
                       wire.encode({**form["fields"], "reason": "gone"}))
    assert answer.status == 404 and "/admin/sign-out" in answer.text and "Back to “Clients”" in answer.text


def test_a_page_carries_a_strict_policy_and_nothing_inline(demo, busy):
    admin = demo.send("GET", "/admin/sign-in")
    form = wire.PageForm(admin.text).forms[0]
    opened = demo.send("POST", "/admin/sign-in", {"Cookie": wire.cookie_header(admin)},
                       wire.encode({**form["fields"], "token": demo.facts["admin_token"]}))
    cookie = {"Cookie": f"__Host-drawbridge_admin={opened.cookies['__Host-drawbridge_admin'].value}"}
    for page in PAGES:
        answer = demo.send("GET", f"/admin/{page}", cookie)
        assert answer.status == 200, (page, answer.status)
        policy = answer.header("Content-Security-Policy")
        assert "unsafe" not in policy and "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
        parsed = wire.PageForm(answer.text)
        assert parsed.inline_scripts == 0 and parsed.inline_handlers == [], page
    for path in ["https://evil.example/", "//evil.example", "/admin/\\evil", "/other"]:
        answer = demo.send("POST", "/admin/sign-in", {"Cookie": wire.cookie_header(admin)},
                           wire.encode({**form["fields"], "next": path, "token": demo.facts["admin_token"]}))
        assert answer.header("Location") == demo.base + "/admin/", path
