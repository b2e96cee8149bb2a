"""The main road in headless Chromium: what a person sees, and what their browser keeps."""

import pytest
from selenium.webdriver.common.by import By

import instance
import wire
from browsers import NEEDS_CHROMIUM
from pages import (
    assert_fits,
    assert_signed_in,
    open_as_bob_in_alices_browser,
    path_of,
    press,
    session_in,
    shoot,
    text_of,
    wait_for_path,
)
from stub import Stub
from waiting import wait

pytestmark = NEEDS_CHROMIUM


def sessions_of(demo, token: dict) -> int:
    return demo.query("SELECT count(*) FROM web_session WHERE login_token_id = $1", token["id"])[0][0]


@pytest.fixture
def elsewhere():
    """A page of another site that links to us."""
    pages: dict[str, str] = {}

    with Stub(lambda asked: (200, pages.get(asked.target, ""), {"Content-Type": "text/html; charset=utf-8"})) as stub:
        # 127.0.0.1 and localhost are different sites to a browser.
        yield f"http://localhost:{stub.port}", pages


def test_the_login_url_lands_signed_in(demo, browser):
    browser.get(demo.issue("alice")["login_url"])
    assert_signed_in(browser, "alice")
    assert "token=" not in browser.current_url
    cookies = {cookie["name"]: cookie for cookie in browser.execute_cdp_cmd("Network.getAllCookies", {})["cookies"]}
    session = cookies[wire.SESSION_COOKIE]
    assert session["httpOnly"] and session["secure"] and session["sameSite"] == "Lax" and session["path"] == "/"
    assert not cookies["drawbridge_info"]["httpOnly"]
    assert demo.session(session_in(browser))["authenticated"] is True


def test_a_named_page_is_landed_on(demo, browser):
    browser.get(demo.issue("alice", redirect="/account/settings")["login_url"])
    assert_signed_in(browser, "alice", "/account/settings")


def test_back_reload_and_second_open_stay_signed_in_with_one_session(demo, browser):
    token = demo.issue("alice")
    browser.get(f"{demo.base}/")
    browser.get(token["login_url"])
    assert_signed_in(browser, "alice")
    cookie = session_in(browser)
    browser.refresh()
    assert_signed_in(browser, "alice")
    browser.back()
    wait_for_path(browser, "/")
    browser.forward()
    assert_signed_in(browser, "alice")
    browser.get(token["login_url"])
    assert_signed_in(browser, "alice")
    browser.switch_to.new_window("tab")
    browser.get(token["login_url"])
    assert_signed_in(browser, "alice")
    assert session_in(browser) == cookie
    assert sessions_of(demo, token) == 1
    assert demo.session(cookie)["authenticated"] is True


def test_another_browser_is_refused_and_ends_the_first_ones_session(demo, browser, open_browser):
    token = demo.issue("alice")
    browser.get(token["login_url"])
    assert_signed_in(browser, "alice")
    thief = open_browser(user_agent=wire.SAFARI)
    thief.get(token["login_url"])
    assert session_in(thief) is None
    assert "alice" not in text_of(thief).lower()
    assert "sign in" in text_of(thief).lower(), "the refusal page links to the normal login"
    browser.refresh()
    assert "alice" not in text_of(browser).lower()
    assert demo.session(session_in(browser))["authenticated"] is False
    assert demo.audit("login_token.replayed", token_id=token["id"])


def test_prefetch_preview_and_head_do_not_burn_the_link(demo, browser):
    token = demo.issue("alice")
    link = token["login_url"].removeprefix(demo.base)
    demo.send("GET", link, {**wire.NAVIGATION, "Sec-Purpose": "prefetch;prerender"})
    demo.send("GET", link, {"User-Agent": "WhatsApp/2.23.20.0"})
    demo.send("HEAD", link, wire.NAVIGATION)
    browser.get(token["login_url"])
    assert_signed_in(browser, "alice")


def test_a_real_prefetch_by_the_browser_does_not_burn_the_link(demo, browser):
    token = demo.issue("alice")
    browser.get(f"{demo.base}/session")
    browser.execute_async_script("""
        const [url, done] = arguments;
        const link = document.createElement('link');
        link.rel = 'prefetch'; link.href = url; link.onload = link.onerror = () => done();
        (document.head || document.documentElement).append(link);""", token["login_url"])
    assert demo.status(token["id"]) == "pending"
    browser.get(token["login_url"])
    assert_signed_in(browser, "alice")


def test_a_token_in_the_fragment_lands_signed_in_on_its_page_once(demo, browser):
    token = demo.issue("alice")
    browser.get(f"{demo.base}{instance.REDEEM}#token={token['token']}&redirect=%2Faccount%2Fplan")
    assert_signed_in(browser, "alice", "/account/plan")
    assert sessions_of(demo, token) == 1


def test_a_link_on_another_site_asks_first(demo, browser, elsewhere):
    site, pages = elsewhere
    token = demo.issue("alice")
    pages["/"] = f'<a id="link" href="{token["login_url"].replace("&", "&amp;")}">open</a>'
    browser.get(f"{site}/")
    browser.find_element(By.ID, "link").click()
    wait(browser).until(lambda it: it.current_url.startswith(demo.base))
    # The page must not submit by itself on a cross-site visit: give its script the time to be wrong.
    wait(browser).until(lambda it: it.execute_script("return document.readyState") == "complete")
    browser.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => setTimeout(done, 300))")
    assert demo.status(token["id"]) == "pending"
    shoot(browser, "confirm")
    press(browser, "continue")
    assert_signed_in(browser, "alice")


def test_without_scripts_a_click_gets_through(demo, open_browser, elsewhere):
    site, pages = elsewhere
    token = demo.issue("alice", redirect="/account/plan")
    pages["/"] = f'<a id="link" href="{token["login_url"].replace("&", "&amp;")}">open</a>'
    browser = open_browser(scripts=False)
    browser.get(f"{site}/")
    browser.find_element(By.ID, "link").click()
    wait(browser).until(lambda it: it.current_url.startswith(demo.base))
    assert demo.status(token["id"]) == "pending"
    press(browser, "continue")
    assert_signed_in(browser, "alice", "/account/plan")


def test_without_scripts_the_fragment_page_says_what_to_do(demo, open_browser):
    browser = open_browser(scripts=False)
    browser.get(f"{demo.base}{instance.REDEEM}#token={demo.issue('alice')['token']}")
    assert browser.find_element(By.CSS_SELECTOR, "h1").is_displayed() is False, "no button that does nothing"
    assert "needs JavaScript" in text_of(browser) and "Continue" not in text_of(browser)
    assert session_in(browser) is None


def test_a_link_without_its_token_says_so_and_leads_on(demo, browser):
    browser.get(f"{demo.base}{instance.REDEEM}")
    wait(browser).until(lambda it: "This link is incomplete" in it.find_element(By.ID, "incomplete").text)
    assert browser.title.startswith("This link is incomplete · ") and "Continue" not in text_of(browser)
    assert browser.find_element(By.CSS_SELECTOR, "#incomplete a.button").is_displayed()
    # Nobody is sent from a wrong address to a sign-in that does not help: back comes first.
    browser.get(f"{demo.base}/no/such/page")
    browser.find_element(By.CSS_SELECTOR, "[data-goes-back]").click()
    wait(browser).until(lambda it: path_of(it) == instance.REDEEM)


def test_the_page_of_two_accounts_loaded_again_says_so_and_offers_to_stay(demo, browser):
    token = open_as_bob_in_alices_browser(demo, browser)
    browser.refresh()
    wait(browser).until(lambda it: "or this page was loaded again" in it.find_element(By.ID, "incomplete").text)
    assert browser.title.startswith("This link is incomplete · ")
    stay = browser.find_element(By.ID, "stay")
    assert stay.text.startswith("Stay signed in as")
    stay.click()
    assert_signed_in(browser, "alice")
    assert demo.status(token["id"], "bob") == "pending", "nothing was used up"


def test_account_switch_no_keeps_the_first(demo, browser):
    token = open_as_bob_in_alices_browser(demo, browser)
    shoot(browser, "switch")
    cookie = session_in(browser)
    press(browser, "alice")
    assert_signed_in(browser, "alice")
    assert session_in(browser) == cookie and demo.session(cookie)["sub"] == demo.user("alice")["sub"]
    assert sessions_of(demo, token) == 0


def test_account_switch_yes_changes_over(demo, browser):
    token = open_as_bob_in_alices_browser(demo, browser)
    before = session_in(browser)
    press(browser, "bob")
    assert_signed_in(browser, "bob")
    assert session_in(browser) != before
    assert demo.session(session_in(browser))["sub"] == demo.user("bob")["sub"]
    assert demo.session(before)["authenticated"] is False, "alice's session in this browser has ended"
    assert demo.audit("web_session.switched")
    assert sessions_of(demo, token) == 1


def test_the_demo_front_page_walks_the_whole_road(demo, browser):
    browser.get(f"{demo.base}/")
    shoot(browser, "front")
    edges = [browser.execute_script("return document.querySelector(arguments[0]).getBoundingClientRect().right", it)
             for it in (".phone", ".below")]
    assert abs(edges[0] - edges[1]) <= 1, "the phone ends where the card below it ends"
    press(browser, "on the web")
    wait(browser).until(lambda it: session_in(it) is not None)
    instance.wait_until(lambda: any(name in text_of(browser).lower() for name in ("alice", "bob")), 30, "a name")


def test_signing_out_on_the_page(demo, browser):
    browser.get(demo.issue("alice")["login_url"])
    assert_signed_in(browser, "alice")
    cookie = session_in(browser)
    browser.get(f"{demo.base}/session/logout")
    shoot(browser, "sign-out")
    press(browser, "sign out")
    instance.wait_until(lambda: demo.session(cookie)["authenticated"] is False, 15, "the end of the session")
    instance.wait_until(lambda: session_in(browser) is None, 30, "no cookie")
    shoot(browser, "signed-out")
    browser.get(f"{demo.base}/contacts")
    assert "alice" not in text_of(browser).lower()


def test_no_page_complains_in_the_console(demo, browser):
    """A blocked script or style would show here as a violation of the content security policy."""
    for target in ["/", "/contacts", instance.REDEEM, f"{instance.REDEEM}?token=abc", "/session/logout"]:
        browser.get(f"{demo.base}{target}")
        errors = [entry["message"] for entry in browser.get_log("browser")
                  if "favicon" not in entry["message"] and "400 (Bad Request)" not in entry["message"]]
        assert not errors, (target, errors)


# Looks

SIZES = {"desktop": (1280, 800), "phone": (390, 844)}


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", SIZES)
def test_pages_fit_the_screen_in_light_and_dark(demo, open_browser, size, dark):
    browser = open_browser(size=SIZES[size], dark=dark)
    pages = {
        "front": "/", "contacts-signed-out": "/contacts", "refusal": f"{instance.REDEEM}?token=abc",
        "fragment": instance.REDEEM, "logout": "/session/logout",
    }
    for name, target in pages.items():
        browser.get(f"{demo.base}{target}")
        assert_fits(browser, name)
        shoot(browser, f"{size}-{'dark' if dark else 'light'}-{name}")
    browser.get(demo.issue("alice")["login_url"])
    assert_fits(browser, "contacts")
    shoot(browser, f"{size}-{'dark' if dark else 'light'}-contacts")
    browser.get(demo.issue("bob")["login_url"])
    assert_fits(browser, "switch")
    shoot(browser, f"{size}-{'dark' if dark else 'light'}-switch")


@pytest.mark.parametrize("width", [320, 360])
def test_no_option_of_a_command_is_broken_on_a_narrow_screen(demo, open_browser, width):
    browser = open_browser(size=(width, 800))
    browser.get(f"{demo.base}/errors/invalid_token")
    assert_fits(browser, "error")
    lines = browser.execute_script(
        "return [...document.querySelectorAll('#command span')].map((it) => [it.textContent, it.getClientRects().length])")
    assert lines == [["--config FILE", 1], ["--request REQUEST_ID", 1]]
