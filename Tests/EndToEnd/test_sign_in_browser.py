"""A native app's sign-in in headless Chromium: system browser, PKCE, loopback redirect (RFC 8252 §7.3)."""

from pathlib import Path

import pytest
from selenium.webdriver.common.by import By

import instance
from browsers import NEEDS_CHROMIUM
from loopback import LoopbackApp
from pages import SCREENSHOTS, assert_moves_nothing, assert_signed_in, press, session_in, text_of, type_password
from waiting import wait

pytestmark = NEEDS_CHROMIUM


@pytest.fixture
def further(demo):
    """Another website: a listener of the same kind is another origin."""
    with LoopbackApp(demo) as made:
        yield made


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


def test_the_way_back_moves_nothing_above_it_when_it_appears(demo, browser):
    browser.get(f"{demo.base}/sign-in")
    browser.get(f"{demo.base}/nowhere")
    assert browser.find_element(By.CSS_SELECTOR, "[data-goes-back]").is_displayed()
    assert_moves_nothing(browser, "[data-goes-back]", above="h1")


def test_links_below_a_form_are_high_enough_for_a_thumb(demo, browser):
    browser.get(f"{demo.base}/signin/code")
    links = browser.find_elements(By.CSS_SELECTOR, ".entry ~ p a")
    assert len(links) == 2 and all(link.size["height"] >= 24 for link in links), [link.size for link in links]


def test_the_link_to_another_account_is_as_wide_as_its_words(demo, browser):
    browser.get(f"{demo.base}/device")
    type_password(browser, demo)
    wait(browser).until(lambda it: it.find_elements(By.ID, "user_code"))
    link, words = browser.execute_script("""
        const link = document.getElementById("other"), words = document.createRange();
        words.selectNodeContents(link);
        return [link.getBoundingClientRect().width, words.getBoundingClientRect().width];""")
    assert link <= words + 1


def test_an_app_gets_its_tokens_by_the_system_browser(demo, loopback_app, browser):
    browser.get(loopback_app.url())
    type_password(browser, demo)
    wait(browser).until(lambda it: it.find_elements(By.ID, "allow"))
    assert "Demo app" in text_of(browser) and "Alice" in text_of(browser)
    press(browser, "allow")
    wait(browser).until(lambda _: loopback_app.answers)
    answer = loopback_app.answers[0]
    assert answer["state"] == loopback_app.state and answer["iss"] == demo.facts["issuer"]
    tokens = loopback_app.redeem(answer["code"])
    assert tokens.status == 200 and tokens.json()["token_type"] == "Bearer"
    assert "access_token" in tokens.json() and "id_token" in tokens.json()


def test_a_form_is_sent_once_however_often_its_button_is_pressed(demo, loopback_app, browser):
    browser.get(loopback_app.url())
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


def test_no_is_told_to_the_app(demo, loopback_app, browser):
    browser.get(loopback_app.url())
    type_password(browser, demo)
    press(browser, "do not allow")
    wait(browser).until(lambda _: loopback_app.answers)
    assert loopback_app.answers[0]["error"] == "access_denied" and "code" not in loopback_app.answers[0]


def test_it_works_without_scripts(demo, loopback_app, open_browser):
    browser = open_browser(scripts=False)
    browser.get(loopback_app.url())
    type_password(browser, demo)
    press(browser, "allow")
    wait(browser).until(lambda _: loopback_app.answers)
    assert "code" in loopback_app.answers[0]


@pytest.mark.parametrize("scripts", [True, False])
def test_an_answer_is_posted_by_the_page_or_by_its_button(demo, loopback_app, open_browser, scripts):
    browser = open_browser(scripts=scripts)
    browser.get(loopback_app.url(response_mode="form_post"))
    type_password(browser, demo)
    press(browser, "allow")
    if not scripts:
        wait(browser).until(lambda it: it.find_elements(By.ID, "form-post"))
        assert "127.0.0.1" in text_of(browser) and not loopback_app.answers
        press(browser, "continue")
    wait(browser).until(lambda _: loopback_app.answers)
    answer = loopback_app.answers[0]
    assert answer["posted"] and answer["state"] == loopback_app.state and answer["iss"] == demo.facts["issuer"]
    wait(browser).until(lambda it: it.current_url == loopback_app.redirect)
    assert loopback_app.redeem(answer["code"]).status == 200


@pytest.mark.parametrize("mode", ["query", "form_post"])
def test_the_apps_callback_may_lead_on_to_another_website(demo, loopback_app, further, browser, mode):
    """Chromium holds every redirect after a form against the policy of the form's page."""
    loopback_app.onward = further.redirect
    browser.get(loopback_app.url(response_mode=mode))
    type_password(browser, demo)
    press(browser, "allow")
    wait(browser).until(lambda it: it.current_url == further.redirect)
    assert loopback_app.redeem(loopback_app.answers[0]["code"]).status == 200


def test_a_visitor_signs_in_and_is_back_on_the_page(demo, browser):
    browser.get(f"{demo.base}/account/profile")
    browser.find_element(By.ID, "sign-in").click()
    type_password(browser, demo)
    assert_signed_in(browser, "alice", "/account/profile")
    assert demo.session(session_in(browser))["origin"] == "authorize"


@pytest.mark.parametrize("size,dark", [((390, 844), False), ((390, 844), True), ((1280, 800), False), ((1280, 800), True)])
def test_the_sign_in_page_says_what_was_wrong_at_both_widths_light_and_dark(
        demo, loopback_app, open_browser, size, dark, tmp_path):
    folder = Path(SCREENSHOTS or tmp_path)
    browser = open_browser(size=size, dark=dark)
    name = f"{size[0]}-{'dark' if dark else 'light'}"
    browser.get(loopback_app.url())
    browser.save_screenshot(str(folder / f"sign-in-{name}.png"))
    type_password(browser, demo, password="wrong password")
    wait(browser).until(lambda it: it.find_elements(By.ID, "notice"))
    assert "not right" in browser.find_element(By.ID, "notice").text
    browser.save_screenshot(str(folder / f"sign-in-wrong-{name}.png"))
    type_password(browser, demo)
    browser.save_screenshot(str(folder / f"consent-{name}.png"))
