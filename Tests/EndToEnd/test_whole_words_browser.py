"""What must be read whole, told apart or found on our pages: codes in large text, lines of a chart, columns beyond an edge."""

import pytest
from selenium.webdriver.common.by import By

import totp
from admin import Admin
from browsers import NEEDS_CHROMIUM
from console import open_console
from devices import Device
from pages import fill, press, shoot, sign_in, text_of, type_password, wait_for_path
from waiting import wait

pytestmark = NEEDS_CHROMIUM

PHONE, LARGE = (360, 800), "200%"
HIDDEN = """
document.documentElement.style.fontSize = arguments[1];
const shown = document.querySelector(arguments[0]);
return [shown.scrollWidth - shown.clientWidth, document.documentElement.scrollWidth - document.documentElement.clientWidth];
"""
STYLE = "return getComputedStyle(document.querySelector(arguments[0]), arguments[1])[arguments[2]]"


def test_recovery_codes_are_whole_in_large_text_and_each_begins_further_out_than_it_goes_on(demo, open_browser, person):
    browser = open_browser(size=PHONE)
    sign_in(browser, demo, person, to="/account/second-factor")
    secret = wait(browser).until(lambda it: it.find_elements(By.ID, "secret"))[0].text
    fill(browser, code=totp.code(secret))
    browser.find_element(By.CSS_SELECTOR, "form button[type=submit]").click()
    codes = wait(browser).until(lambda it: it.find_elements(By.ID, "codes"))[0]
    assert browser.execute_script(HIDDEN, "#codes", LARGE) == [0, 0]
    shoot(browser, "recovery-codes-large")
    # Copied as they are read: one a line.
    assert [len(code) for code in codes.get_property("innerText").split("\n")] == [19] * 10
    lines = browser.execute_script("""
        return [...document.querySelectorAll("#codes span")].map((code) => {
            const text = document.createRange();
            text.selectNodeContents(code);
            return [...text.getClientRects()].map(({left}) => Math.round(left));
        });""")
    assert len(lines) == 10 and all(len(code) > 1 and min(code[1:]) > code[0] for code in lines), lines


def test_the_code_of_a_device_is_whole_in_large_text(demo, open_browser):
    browser, device = open_browser(size=PHONE), Device(demo)
    browser.get(f"{demo.base}/device?user_code={device.user_code}")
    type_password(browser, demo)
    shown = wait(browser).until(lambda it: it.find_elements(By.CSS_SELECTOR, "pre#user-code"))[0]
    assert shown.text == device.user_code
    assert browser.execute_script(HIDDEN, "pre#user-code", LARGE) == [0, 0]
    shoot(browser, "device-question-large")


def test_lines_that_lie_over_each_other_are_told_apart_without_their_colours(demo, busy, open_browser):
    browser = open_browser()
    open_console(browser, demo)
    wait(browser).until(lambda it: it.find_elements(By.CSS_SELECTOR, ".chart .line.c"))
    lines = [browser.execute_script(STYLE, f".chart .line.{name}", None, "strokeDasharray") for name in "abc"]
    swatches = [browser.execute_script(STYLE, f".legend .{name}", "::before", "maskImage") for name in "abc"]
    assert len(set(lines)) == len(set(swatches)) == 3 and lines[0] == swatches[0] == "none", (lines, swatches)
    figure = browser.find_element(By.CSS_SELECTOR, ".chart .tick")
    assert figure.size["height"] >= 10
    shoot(browser, "chart-lines")


@pytest.mark.parametrize("path, selector", [("/admin/sessions", ".scroll"), ("/admin/", ".sections")])
def test_what_lies_beyond_an_edge_is_shaded_and_not_in_forced_colours(demo, busy, open_browser, path, selector):
    browser = open_browser(size=PHONE)
    open_console(browser, demo, path)
    wait(browser).until(lambda it: it.find_elements(By.CSS_SELECTOR, selector))
    assert browser.execute_script(STYLE, selector, None, "backgroundImage").count("linear-gradient") == 4
    shoot(browser, f"beyond-the-edge-{selector[1:]}")
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "forced-colors", "value": "active"}]})
    assert browser.execute_script(STYLE, selector, None, "backgroundImage") == "none"


def test_a_link_in_a_field_for_ids_is_not_searched_for_and_explain_finds_its_token(demo, busy, open_browser):
    browser = open_browser()
    open_console(browser, demo, "/admin/events")
    field = wait(browser).until(lambda it: it.find_elements(By.NAME, "token_id"))[0]
    field.send_keys(busy["token"]["login_url"])
    press(browser, "Search")
    assert field.get_property("validationMessage") and busy["token"]["token"] not in browser.current_url
    browser.get(demo.base + "/admin/explain")
    browser.find_element(By.ID, "token").send_keys(busy["token"]["login_url"])
    press(browser, "Explain the token")
    wait(browser).until(lambda it: it.find_elements(By.ID, "events-of-token"))[0].click()
    wait_for_path(browser, f"/admin/events?token_id={busy['token']['id']}")
    assert "login_token.redeemed" in text_of(browser)


def test_the_live_page_names_who_administers_as_the_list_does(demo, person, open_browser):
    browser = open_browser()
    open_console(browser, demo, "/admin/live?type=user.disabled")
    wait(browser).until(lambda it: "Connected" in text_of(it))
    changed = Admin(demo).send("PATCH", f"users/{person['sub']}", {"disabled": True, "reason": "on leave"})
    assert changed.status == 200, changed.body
    rows = wait(browser).until(
        lambda it: [row for row in it.find_elements(By.CSS_SELECTOR, "tr.fresh") if person["sub"] in row.text])
    assert "on leave · client:demo-admin" in rows[0].text
    browser.get(f"{demo.base}/admin/events?type=user.disabled&q=client%3Ademo-admin")
    assert "on leave · client:demo-admin" in text_of(browser)
