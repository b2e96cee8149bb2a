"""Forced colours, a system's high contrast: what colour alone tells elsewhere is told by lines, and nothing vanishes."""

import pytest
from selenium.webdriver.common.by import By

from browsers import NEEDS_CHROMIUM
from console import open_console
from pages import shoot, sign_in, wait_for_path

pytestmark = NEEDS_CHROMIUM


STYLES = """
return [...document.querySelectorAll(arguments[0])].map((it) => {
    const style = getComputedStyle(it, arguments[1]);
    return {text: it.innerText, current: it.hasAttribute("aria-current"), color: style.color,
            background: style.backgroundColor, edge: style.borderBottomColor, outline: style.outlineStyle,
            width: style.borderBottomWidth};
});
"""


@pytest.fixture
def contrast(open_browser):
    browser = open_browser()
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
        {"name": "forced-colors", "value": "active"}, {"name": "prefers-color-scheme", "value": "dark"}]})
    browser.get("data:text/html,<p>")
    assert browser.execute_script("return matchMedia('(forced-colors: active)').matches"), "the browser forces no colours"
    return browser


def styles(browser, selector: str, part: str | None = None) -> list[dict]:
    found = browser.execute_script(STYLES, selector, part)
    assert found, selector
    return found


def test_the_present_tab_and_span_are_told_by_lines(demo, busy, contrast):
    open_console(contrast, demo, "/admin/")
    shoot(contrast, "forced-colours-overview")
    tabs = styles(contrast, ".sections a")
    (present,) = {tab["edge"] for tab in tabs if tab["current"]}
    assert present not in {tab["edge"] for tab in tabs if not tab["current"]}
    spans = styles(contrast, ".choice a")
    assert [span["outline"] == "solid" for span in spans] == [span["current"] for span in spans]


def test_the_lines_of_a_chart_keep_their_colours_and_are_a_table_as_well(demo, busy, contrast):
    open_console(contrast, demo, "/admin/")
    swatches = [swatch["background"] for swatch in styles(contrast, ".legend li", "::before")]
    assert len(set(swatches)) == len(swatches) == 3, swatches
    ground = styles(contrast, "body")[0]["background"]
    assert ground not in swatches
    assert [it.get_attribute("textContent") for it in contrast.find_elements(By.CSS_SELECTOR, ".legend li")] == [
        it.get_attribute("textContent")
        for it in contrast.find_elements(By.CSS_SELECTOR, "details table.narrow thead th")][1:4]


def test_buttons_cards_and_the_place_where_one_is_have_edges(demo, contrast):
    person = demo.user("bob")
    sign_in(contrast, demo, person, person["password"], to="/account/devices")
    wait_for_path(contrast, "/account/devices")
    shoot(contrast, "forced-colours-devices")
    ground = styles(contrast, "body")[0]["background"]
    for selector in [".button", ".card", ".places li"]:
        for found in styles(contrast, selector):
            assert found["width"] != "0px" and found["edge"] != ground, (selector, found)
    places = styles(contrast, ".places li")
    assert any(place["current"] for place in places)
    assert all((place["outline"] == "solid") == place["current"] for place in places)
