"""The whole of it: Chromium, a Drawbridge over TLS with an authority of the test's own, and `drawbridge-phone`."""

import base64
import hashlib
import shutil
import subprocess

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import instance
import phone
from browsers import NEEDS_CHROMIUM
from pages import press, session_in, text_of, wait_for_path
from phone import handle
from selfissued import SETTINGS, Trusted
from waiting import wait

pytestmark = NEEDS_CHROMIUM

PASSWORD = "a long enough passphrase"


@pytest.fixture(scope="module")
def website(tmp_path_factory):
    authority = phone.Authority(tmp_path_factory.mktemp("authority"))
    tls = authority.issue("127.0.0.1", "localhost")
    server = instance.Served(settings=SETTINGS, tls=tls, users={"carol": PASSWORD})
    key = x509.load_pem_x509_certificate(tls[0].read_bytes()).public_key()
    trusted = Trusted(server, authority.path)
    trusted.digest = base64.b64encode(
        hashlib.sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).digest()).decode()
    yield trusted
    assert server.stop() == 0


@pytest.fixture
def browser(open_browser, website):
    return open_browser(trusting=website.digest)


@pytest.fixture
def store(tmp_path):
    """Of one phone."""
    return tmp_path / "phone"


def begin(browser, website, query: str = "", link: str = "open-scheme") -> str:
    browser.get(f"{website.base}/self-issued/start{query}")
    return browser.find_element(By.ID, link).get_attribute("href")


def answered(website, link: str, store, *flags: str) -> str:
    """Where the phone has its answer opened."""
    done = handle(website, link, store, *flags)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def session(browser) -> dict:
    return browser.execute_async_script(
        "const done = arguments[0]; fetch('/session').then((answer) => answer.json()).then(done)")


def become_new(browser, website, store):
    """An account for the phone's key, and a browser that nobody is signed in to."""
    browser.get(answered(website, begin(browser, website), store))
    wait_for_path(browser, "/self-issued/choice")
    press(browser, "I am new here")
    wait_for_path(browser, "/contacts")
    subject = session(browser)["sub"]
    browser.delete_all_cookies()
    return subject


@pytest.mark.parametrize("form", ["seed", "core", "v2"])
def test_a_phone_is_new_and_known_the_second_time_in_each_form(browser, website, store, form):
    browser.get(answered(website, begin(browser, website, f"?form={form}"), store))
    wait_for_path(browser, "/self-issued/choice")
    press(browser, "I am new here")
    wait_for_path(browser, "/contacts")
    first = session(browser)
    assert first["origin"] == "self_issued"
    browser.delete_all_cookies()
    browser.get(answered(website, begin(browser, website, f"?form={form}"), store))
    wait_for_path(browser, "/contacts")
    assert session(browser)["sub"] == first["sub"]


def test_a_phone_is_linked_to_an_account_and_signs_in_to_it(browser, website, store):
    browser.get(f"{website.base}/sign-in?redirect=%2Faccount%2Fphone-keys")
    browser.find_element(By.ID, "username").send_keys("carol")
    browser.find_element(By.ID, "password").send_keys(PASSWORD, Keys.ENTER)
    wait_for_path(browser, "/account/phone-keys")
    carol = session(browser)["sub"]
    press(browser, "Link a phone")
    wait_for_path(browser, "/self-issued/start?link=1")
    browser.get(answered(website, browser.find_element(By.ID, "open-app").get_attribute("href"), store))
    wait_for_path(browser, "/account/phone-keys?linked")
    assert "is linked to your account" in text_of(browser)
    browser.delete_all_cookies()
    browser.get(f"{website.base}/sign-in?redirect=%2Faccount%2Fprofile")
    press(browser, "with a phone's key")
    wait_for_path(browser, "/self-issued/start?return=%2Faccount%2Fprofile")
    browser.get(answered(website, browser.find_element(By.ID, "open-app").get_attribute("href"), store))
    wait_for_path(browser, "/account/profile")
    assert session(browser)["sub"] == carol


@pytest.mark.skipif(not shutil.which("zbarimg"), reason="needs zbarimg")
def test_a_camera_reads_the_code_and_the_phone_answers_for_the_other_screen(browser, website, store, tmp_path):
    subject = become_new(browser, website, store)
    begin(browser, website)
    picture = tmp_path / "code.png"
    # Three pixels for a module, and a bit, are few for a camera; on a phone's screen there are more.
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": 1280, "height": 800, "deviceScaleFactor": 3, "mobile": False})
    assert browser.find_element(By.ID, "qr").screenshot(str(picture))
    read = subprocess.run(["zbarimg", "-q", "--raw", str(picture)], capture_output=True, text=True)
    assert read.stdout.startswith(f"{website.base}/self-issued/open?"), (read.stdout, read.stderr)
    assert answered(website, read.stdout.strip(), store, "--across-devices") == ""
    wait(browser, 15).until(lambda it: "Was that you?" in text_of(it))
    assert session_in(browser) is None
    press(browser, "Yes")
    wait_for_path(browser, "/contacts")
    found = session(browser)
    assert (found["origin"], found["sub"]) == ("device_code", subject)


def test_who_declines_on_the_phone_is_told_so_and_signed_in_nowhere(browser, website, store):
    done = subprocess.run(
        [phone.binary(), "handle", begin(browser, website), "--ca", str(website.authority), "--allow-private",
         "--store", str(store), "--deny"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 10, done.stderr
    browser.get(done.stdout.strip())
    wait(browser).until(lambda it: "You declined on your phone" in text_of(it))
    assert session_in(browser) is None


def test_an_answer_that_opens_in_another_browser_signs_nobody_in(browser, open_browser, website, store):
    become_new(browser, website, store)
    other = open_browser(trusting=website.digest)
    other.get(answered(website, begin(browser, website), store))
    wait(other).until(lambda it: "another browser" in text_of(it))
    assert session_in(other) is None and session_in(browser) is None
