"""Both sides of ours: `drawbridge-phone` answers a Drawbridge that is the website, over TLS, in each form."""

from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest

import phone
from phone import handle
from selfissued import SETTINGS, Browser, Trusted, link_of


@pytest.fixture
def website(serve, tmp_path):
    authority = phone.Authority(tmp_path)
    server = serve(settings=SETTINGS, tls=authority.issue("127.0.0.1", "localhost"))
    return Trusted(server, authority.path)


@pytest.fixture
def demo_website(start_demo, tmp_path):
    authority = phone.Authority(tmp_path)
    certificate, key = authority.issue("127.0.0.1", "localhost")
    return Trusted(start_demo("--tls-certificate", str(certificate), "--tls-key", str(key)), authority.path)


@pytest.mark.parametrize("form", ["seed", "core", "v2"])
def test_our_phone_signs_in_at_our_website_and_is_known_the_second_time(website, tmp_path, form):
    subjects = []
    for _ in range(2):
        browser = Browser(website)
        browser.start(f"?form={form}")
        done = handle(website, link_of(browser.page.text, "open-scheme"), tmp_path / "store")
        assert done.returncode == 0, done.stderr
        address, _, fragment = done.stdout.strip().partition("#")
        assert address == website.base + "/self-issued/callback"
        answer = browser.respond(fragment)
        assert answer.status == 200, answer.body
        if answer.json()["location"] == "/self-issued/choice":
            browser.submit(browser.request("GET", "/self-issued/choice"), 0)
        subjects.append(browser.session()["sub"])
    assert subjects[0] == subjects[1]


def test_our_phone_declines_and_our_website_says_so(website, tmp_path):
    browser = Browser(website)
    browser.start()
    done = handle(website, link_of(browser.page.text, "open-app"), tmp_path / "store", consent="--deny")
    assert done.returncode == 10, done.stderr
    answer = browser.respond(done.stdout.strip().partition("#")[2])
    assert answer.status == 400 and answer.json()["error"] == "op_error"
    browser.start()
    scanned = link_of(browser.page.text, "open-app") + "&response_mode=direct_post"
    done = handle(website, scanned, tmp_path / "store", "--across-devices", consent="--deny")
    assert (done.returncode, done.stdout) == (10, ""), done.stderr


def test_our_phone_answers_the_code_on_another_screen(website, tmp_path):
    """Nobody's key first, which is refused there; then a key that is linked."""
    browser = Browser(website)
    browser.start()
    scanned = link_of(browser.page.text, "open-app") + "&response_mode=direct_post"
    assert handle(website, scanned, tmp_path / "store", "--across-devices").returncode == 3
    browser.start()
    done = handle(website, link_of(browser.page.text, "open-app"), tmp_path / "store")
    browser.respond(done.stdout.strip().partition("#")[2])
    browser.submit(browser.request("GET", "/self-issued/choice"), 0)
    waiting = Browser(website)
    waiting.start()
    page = waiting.page
    done = handle(website, link_of(page.text, "open-app") + "&response_mode=direct_post", tmp_path / "store",
                  "--across-devices")
    assert done.returncode == 0, done.stderr
    answer = waiting.submit(waiting.submit(page), 0)
    assert answer.status == 303 and waiting.session()["origin"] == "device_code"


def test_our_phone_signs_in_at_the_demo_as_its_guide_says(demo_website, tmp_path):
    website = demo_website
    assert website.base.startswith("https://127.0.0.1:")
    browser = Browser(website)
    browser.start("?return=%2Fcontacts")
    done = handle(website, link_of(browser.page.text, "open-scheme"), tmp_path / "store")
    assert done.returncode == 0, done.stderr
    browser.respond(done.stdout.strip().partition("#")[2])
    answer = browser.submit(browser.request("GET", "/self-issued/choice"), 0)
    assert answer.header("Location") == website.base + "/contacts"
    assert browser.session()["origin"] == "self_issued"
    assert "signed in" in browser.request("GET", "/contacts").text.lower()


def test_attack_our_phone_does_not_answer_at_a_page_of_ours_that_leads_to_a_relying_party(demo_website, tmp_path):
    """Of the attacker's own sign-in: a browser would carry the answer on to a redirect address of the attacker's."""
    attacker = Browser(demo_website)
    attacker.start("?form=v2")
    honest = link_of(attacker.page.text, "open-scheme")
    redirector = "/oauth/authorize?" + urlencode({
        "client_id": "demo-rp", "redirect_uri": "https://rp.example.com/callback", "response_type": "token"})
    led = Browser(demo_website).request("GET", redirector)
    assert led.status == 303 and led.header("Location").startswith("https://rp.example.com/callback?error=")
    asked = dict(parse_qsl(urlsplit(honest).query)) | {"redirect_uri": demo_website.base + redirector}
    done = handle(demo_website, "openid://?" + urlencode(asked), tmp_path / "store")
    assert (done.returncode, done.stdout) == (4, ""), done.stderr
    assert "return_uri_foreign: " in done.stderr
    assert handle(demo_website, honest, tmp_path / "store").returncode == 0
