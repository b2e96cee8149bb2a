"""A website's looks on the pages on the way to it, in headless Chromium: light and dark, with axe-core."""

import pytest
from selenium.webdriver.common.by import By

import instance
import wire
from axe import AXE, RUN
from browsers import NEEDS_CHROMIUM
from pages import press, shoot, text_of, wait_for_path
from waiting import wait

pytestmark = NEEDS_CHROMIUM

LIGHT, DARK = (122, 31, 92), (255, 154, 213)
LOGO = ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="16" fill="#7a1f5c"/>'
        '<path d="M9 23 23 9" stroke="#fff" stroke-width="3"/></svg>')
THEME = {"theme_name": "Needle & Thread", "theme_logo": "needle.svg", "theme_accent": "#7a1f5c",
         "theme_accent_dark": "#ff9ad5"}
PASSWORD = "a password of this test alone"


def themed(serve, tmp_path, **more) -> instance.Served:
    assets = tmp_path / "public/assets"
    assets.mkdir(parents=True)
    (assets / "needle.svg").write_text(LOGO)
    paths = {"return_paths": ["/contacts"], "default_return_path": "/contacts"}
    clients = [
        {"client_id": "sewing", "client_name": "Sewing", "client_type": "web", "redeem": "confirm", **paths, **THEME},
        {"client_id": "shop", "client_type": "web", "public_origin": "http://localhost", **paths, "theme_name": "The Shop"},
        {"client_id": "club", "client_name": "Club", "client_type": "web", "client_secret_digest":
         "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU", "redirect_uris": ["https://club.example/callback"],
         "require_pkce": False, **THEME}]
    return serve(f"public_directory: {tmp_path}/public\nsign_in_url: /sign-in\n", clients=clients,
                 users={"alice": PASSWORD, "bob": PASSWORD}, reach=["web", "sewing", "shop"], **more)


def colour(browser, selector: str, name: str) -> tuple:
    value = browser.find_element(By.CSS_SELECTOR, selector).value_of_css_property(name)
    return tuple(int(part) for part in value[value.index("(") + 1:-1].split(",")[:3])


def inspect(browser, name: str, *, button: str | None = ".button"):
    """Both schemes and widths: the colours are the website's, its picture is there, and axe finds nothing."""
    browser.execute_script(AXE)
    for scheme, accent in [("light", LIGHT), ("dark", DARK)]:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme},
                         # A button's colour must not be seen on its way from one scheme to the other.
                         {"name": "prefers-reduced-motion", "value": "reduce"}]})
        for width in (375, 1280):
            browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500})
            shoot(browser, f"theme-{name}-{width}-{scheme}")
            assert browser.execute_async_script(RUN, {}) == [], (name, scheme, width)
        if button:
            assert colour(browser, button, "background-color") == accent, (name, scheme)
    picture = browser.find_element(By.CSS_SELECTOR, ".brand img")
    assert picture.get_attribute("src").endswith("/assets/needle.svg")
    assert browser.execute_script("return arguments[0].naturalWidth", picture) > 0
    assert browser.find_element(By.CSS_SELECTOR, ".brand").text == "Needle & Thread"


def test_the_way_to_a_website_has_its_looks_and_other_pages_do_not(serve, tmp_path, open_browser):
    server = themed(serve, tmp_path)
    browser = open_browser()
    # The page with the button
    browser.get(server.base + "/login-with-token?token=" + server.issue("alice", {"client_id": "sewing"})["token"])
    inspect(browser, "confirm")
    press(browser, "continue")
    # Under way still, it would take the next page's place.
    wait_for_path(browser, "/contacts")
    # The question whose account goes on: keeping the old one is the first choice
    browser.get(server.base + "/login-with-token?token=" + server.issue("bob", {"client_id": "sewing"})["token"])
    press(browser, "continue")
    wait(browser).until(lambda it: it.find_elements(By.NAME, "confirm_switch"))
    inspect(browser, "switch")
    first, second = browser.find_elements(By.CSS_SELECTOR, ".actions .button")
    assert "alice" in first.text and "bob" in second.text
    assert "second" in second.get_attribute("class")
    # The sign-in on the way to a relying party
    other = open_browser()
    other.get(server.base + "/oauth/authorize?response_type=code&client_id=club&scope=openid&state=s&nonce=n"
              "&redirect_uri=https%3A%2F%2Fclub.example%2Fcallback")
    inspect(other, "sign-in")
    assert "Club" in text_of(other)
    other.find_element(By.NAME, "username").send_keys("alice")
    other.find_element(By.NAME, "password").send_keys(PASSWORD)
    press(other, "sign in")
    wait(other).until(lambda it: it.find_elements(By.ID, "allow"))
    inspect(other, "consent", button=None)
    assert "Club" in text_of(other)
    # A page of nobody's
    other.get(server.base + "/sign-in")
    assert "Needle" not in text_of(other)


def luminance(rgb) -> float:
    """WCAG 2.2, relative luminance."""
    red, green, blue = ((part / 255 / 12.92) if part <= 10 else ((part / 255 + 0.055) / 1.055) ** 2.4 for part in rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_where_a_second_button_ends_is_seen(demo, open_browser, dark):
    """WCAG 2.2, 1.4.11."""
    browser = open_browser(dark=dark)
    browser.get(f"{demo.base}/sign-in")
    edge = colour(browser, ".button.second", "border-top-color")
    darker, lighter = sorted(luminance(it) for it in (edge, colour(browser, ".card", "background-color")))
    assert (lighter + 0.05) / (darker + 0.05) >= 3, edge


def test_a_refusal_looks_as_the_place_does_and_alike_for_every_token(serve, tmp_path):
    server = themed(serve, tmp_path)
    token = server.issue(fields={"client_id": "sewing"})["token"]

    def refusal(shown: str, host: str | None = None) -> str:
        headers = {**wire.NAVIGATION, **({"Host": host} if host else {})}
        page = server.send("GET", f"/login-with-token?token={shown}", headers)
        assert page.status == 400, page.body
        return page.text.replace(page.header("X-Request-Id"), "")

    forged = token[:-4] + "AAAA"
    assert refusal(forged) == refusal("x.y.z")
    assert "Needle" not in refusal(forged)
    assert "The Shop</span>" in refusal("x.y.z", "localhost")


def test_looks_that_nobody_can_read_or_find_stop_the_start(serve, tmp_path):
    server = themed(serve, tmp_path)
    text = server.settings.read_text()
    for old, new, said in [
        ("#7a1f5c", "#ffcc00",
         "theme_accent (settings file, line {line}): has a contrast of 1.38 to 1 on #f3f5f9, and text needs 4.5 to 1"),
        ("needle.svg", "thread.svg",
         'theme_logo = "thread.svg" (settings file, line {line}): is not a file in the folder assets of public_directory'),
        ("needle.svg", "https://cdn.example/needle.svg",
         "theme_logo (settings file, line {line}): must be the name of a picture in the assets of public_directory"),
    ]:
        server.settings.write_text(text.replace(old, new, 1))
        line = next(number for number, words in enumerate(server.settings.read_text().splitlines(), 1) if new in words)
        done = instance.run("check-config", "--config", str(server.settings), check=False)
        assert done.returncode == 1
        assert "clients[2]." + said.format(line=line) in done.stderr.decode()
    server.settings.write_text(text)


def test_the_policy_of_a_page_is_the_same_with_and_without_looks(serve, tmp_path):
    server = themed(serve, tmp_path)

    def page(website: str) -> wire.Answer:
        # A prefetch is answered by the page, whatever the website's mode is.
        token = server.issue(fields={"client_id": website})["token"]
        return server.redeem(token, {"Sec-Purpose": "prefetch"})

    plain, dressed = page("web"), page("sewing")
    assert "Needle &amp; Thread" in dressed.text and "Needle" not in plain.text
    for name in ["Content-Security-Policy", "X-Frame-Options", "Referrer-Policy", "Cross-Origin-Opener-Policy"]:
        assert dressed.header(name) == plain.header(name)
    assert " style=" not in dressed.text and "<style" not in dressed.text
