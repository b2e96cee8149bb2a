"""`drawbridge-app` with headless Chromium: sign-in by loopback redirect, pages opened signed in, one sign-in for two apps."""

import json
import re
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

import desktop
import instance
import native
from admin import Admin
from browsers import NEEDS_CHROMIUM
from desktop import assert_answered, sign_in_by_hand
from pages import assert_signed_in, press, session_in, text_of, type_password
from waiting import wait

pytestmark = NEEDS_CHROMIUM


#: A value that begins so: within other secrets any three letters come up by chance. What is kept of an ID token has a
#: `ds_hash`, which is no secret.
DEVICE_SECRET = re.compile(r"(?<![\w.-])ds_(?!hash)")


@pytest.fixture
def user(demo, tmp_path):
    """A person's desktop where nobody is signed in."""
    return desktop.Desktop(demo, tmp_path)


def everything_kept(user) -> str:
    return "\n".join(path.read_text() for path in user.secrets.iterdir())


@pytest.mark.parametrize("family", ["ipv4", "ipv6"])
def test_sign_in_through_the_browser_then_open_lands_signed_in(demo, user, open_browser, family):
    running = user.start("sign-in", "--loopback", family)
    browser = open_browser()
    browser.get(user.address())
    type_password(browser, demo)
    press(browser, "allow")
    wait(browser, 20).until(lambda it: "You can go back to the app" in text_of(it))
    host = {"ipv4": "127.0.0.1", "ipv6": "[::1]"}[family]
    assert browser.current_url.startswith(f"http://{host}:") and browser.current_url.endswith("/callback")
    assert "code=" not in browser.execute_script("return document.documentElement.outerHTML + location.href")
    errors = [line["message"] for line in browser.get_log("browser") if "favicon" not in line["message"]]
    assert not errors, "the page's own policy lets its style and script be"
    assert running.end() == "Signed in as Alice.\n", "by name, not by the subject that nobody knows themselves by"
    assert json.loads(user.run("whoami", "--json"))["preferred_username"] == "alice"

    # Another browser, so that nothing of the sign-in is there already.
    other = open_browser()
    other.get(f"{demo.base}/contacts")
    assert session_in(other) is None and "alice" not in text_of(other).lower()
    user.start("open", "/contacts").end()
    other.get(user.address())
    assert_signed_in(other, "alice")
    assert demo.session(session_in(other))["origin"] == "login_token"
    assert "token=" not in other.current_url


def test_a_second_app_signs_in_without_asking_and_opens_a_page(demo, user, browser):
    sign_in_by_hand(demo, user)
    assert user.run("whoami", "--app", "demo-app-b", status=3)
    assert user.run("sign-in", "--silent", "--app", "demo-app-b") == "Signed in as Alice, without asking.\n"
    who = json.loads(user.run("whoami", "--json", "--app", "demo-app-b"))
    assert (who["preferred_username"], who["app"]) == ("alice", "demo-app-b")
    user.start("open", "/account/plan", "--app", "demo-app-b").end()
    browser.get(user.address())
    assert_signed_in(browser, "alice", "/account/plan")


def test_cookies_open_a_page_in_a_web_view(demo, user, browser):
    sign_in_by_hand(demo, user)
    cookies = json.loads(user.run("cookies", f"{demo.base}/contacts"))["cookies"]
    assert {cookie["name"]: cookie["httpOnly"] for cookie in cookies} == {
        "vagov_access_token": True, "vagov_refresh_token": True, "vagov_anti_csrf_token": True,
        "vagov_info_token": False}
    browser.get(f"{demo.base}/session")
    assert json.loads(text_of(browser))["authenticated"] is False
    browser.execute_cdp_cmd("Network.setCookies", {"cookies": cookies})
    browser.get(f"{demo.base}/session")
    session = json.loads(text_of(browser))
    assert (session["authenticated"], session["sub"]) == (True, demo.user("alice")["sub"])
    assert session["origin"] == "token_exchange"
    user.run("sign-out")
    instance.wait_until(lambda: signed_out(browser, demo), 15, "the end of the web view's session")


def signed_out(browser, demo) -> bool:
    browser.get(f"{demo.base}/session")
    return json.loads(text_of(browser))["authenticated"] is False


def test_cookies_are_for_the_providers_own_pages(demo, user):
    sign_in_by_hand(demo, user)
    assert "do not reach" in user.run("cookies", demo.base.replace("127.0.0.1", "localhost"), status=1)
    assert "https pages alone" in user.run("cookies", "http://evil.example/", status=1)


def test_signing_out_ends_apps_and_pages(demo, user, browser):
    sign_in_by_hand(demo, user)
    user.run("sign-in", "--silent", "--app", "demo-app-b")
    user.start("open", "/contacts").end()
    browser.get(user.address())
    assert_signed_in(browser, "alice")
    cookie = session_in(browser)
    kept = everything_kept(user)
    assert user.run("sign-out") == "Signed out.\n"
    instance.wait_until(lambda: demo.session(cookie)["authenticated"] is False, 15, "the end of the web session")
    browser.get(f"{demo.base}/contacts")
    assert "alice" not in text_of(browser).lower()
    user.run("whoami", status=3)
    user.run("sign-in", "--silent", status=3)
    # The second app has its tokens still; the provider does not take them.
    assert DEVICE_SECRET.search(kept) and not DEVICE_SECRET.search(everything_kept(user))
    user.run("whoami", "--app", "demo-app-b", status=3)


def test_a_second_app_that_signs_out_alone_leaves_the_first(demo, user):
    sign_in_by_hand(demo, user)
    user.run("sign-in", "--silent", "--app", "demo-app-b")
    user.run("sign-out", "--this-app", "--app", "demo-app-b")
    user.run("whoami", "--app", "demo-app-b", status=3)
    user.run("whoami")
    user.run("sign-in", "--silent", "--app", "demo-app-b")


def test_a_secret_that_was_revoked_falls_back_to_the_browser(demo, user):
    sign_in_by_hand(demo, user)
    admin = Admin(demo)
    for device in admin.get(f"users/{demo.user('alice')['sub']}/device-secrets").json()["items"]:
        admin.send("DELETE", f"device-secrets/{device['id']}", {"reason": "lost"})
    said = user.run("sign-in", "--silent", "--app", "demo-app-b", status=3)
    assert "invalid_grant" in said and "drawbridge-app sign-in" in said
    user.run("whoami", status=3)
    sign_in_by_hand(demo, user)
    user.run("sign-in", "--silent", "--app", "demo-app-b")


def test_tokens_are_renewed_and_rotated(demo, user):
    def devices() -> int:
        return len(Admin(demo).get(f"users/{demo.user('alice')['sub']}/device-secrets").json()["items"])

    sign_in_by_hand(demo, user)
    before = devices()
    own = next(path for path in user.secrets.iterdir() if path.read_text().startswith("{"))
    seen = set()
    for _ in range(4):
        kept = json.loads(own.read_text())
        seen.add((kept["accessToken"], kept["refreshToken"]))
        # As if its time had come.
        own.write_text(json.dumps({**kept, "expiresAt": 0}))
        user.run("whoami")
    assert len({access for access, _ in seen}) == 4 and len({refresh for _, refresh in seen}) == 4
    assert devices() == before, "the device stays one device"
    user.run("sign-in", "--silent", "--app", "demo-app-b")


def test_a_person_who_says_no_is_told_so_in_both_places(demo, user, browser):
    running = user.start("sign-in")
    browser.get(user.address())
    type_password(browser, demo)
    press(browser, "do not allow")
    wait(browser, 20).until(lambda it: "You are not signed in" in text_of(it))
    assert "cancelled" in running.end(status=4)
    user.run("whoami", status=3)


def test_secrets_are_in_files_of_the_user_alone_and_in_no_output(demo, user):
    said = sign_in_by_hand(demo, user) + user.run("whoami") + user.run("sign-in", "--silent", "--app", "demo-app-b")
    everything = list(user.secrets.iterdir())
    assert {stat.S_IMODE(path.stat().st_mode) for path in everything} == {0o600}
    # What keeps two processes apart is empty, and stays.
    files = [path for path in everything if not path.name.startswith("lock")]
    assert len(files) == 4 and not any(path.stat().st_size for path in set(everything) - set(files))
    assert stat.S_IMODE(user.secrets.stat().st_mode) == 0o700
    for secret in [path.read_text() for path in files]:
        values = json.loads(secret).values() if secret.startswith("{") else [secret]
        for value in (value for value in values if isinstance(value, str) and len(value) > 20):
            assert value not in said


def test_the_desktops_secret_service_is_used_when_it_answers(demo, tmp_path):
    if not all(map(shutil.which, ["secret-tool", "gnome-keyring-daemon", "dbus-run-session"])):
        pytest.skip("needs libsecret-tools, gnome-keyring and dbus")
    # One session bus for everything: the keyring lives as long as it does.
    script = tmp_path / "session"
    script.write_text("""#!/bin/sh
        printf unlocked | gnome-keyring-daemon --unlock --components=secrets > /dev/null 2>&1
        "$APP" sign-in || exit 10
        "$APP" whoami --json || exit 11
        "$APP" sign-in --silent --app demo-app-b || exit 12
        secret-tool search --all account device_secret 2>&1 | grep -q access_group || exit 13
        "$APP" sign-out || exit 14
        secret-tool search --all account device_secret 2>&1 | grep -q access_group && exit 15
        "$APP" whoami && exit 16
        exit 0
        """)
    script.chmod(0o755)
    user = desktop.Desktop(demo, tmp_path, store="auto")
    runtime = tmp_path / "runtime"
    runtime.mkdir(mode=0o700)
    user.environment |= {"APP": desktop.binary(), "XDG_RUNTIME_DIR": str(runtime)}
    with open(tmp_path / "said", "w+") as said:
        session = subprocess.Popen(
            ["dbus-run-session", "--", str(script)], env=user.environment, stdin=subprocess.DEVNULL, stdout=said,
            stderr=said)
        assert_answered(native.Browser(demo.base).sign_in(user.address(), demo.user("alice")))
        status = session.wait(60)
        said.seek(0)
        assert status == 0, (status, said.read())
    assert not user.secrets.exists(), "no file when there is a secret service"


class Registered(instance.Served):
    """`drawbridge serve` with what docs/apps.md says that its settings need, and the account that it adds."""

    def __init__(self, scratch, block: str):
        port, management_port = instance.free_port(), instance.free_port()
        self.base, self.management = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{management_port}"
        self.facts, self.alice = {"issuer": self.base}, {"username": "alice", "password": "a long enough passphrase"}
        self.scratch, self.settings = scratch, scratch / "drawbridge.yaml"
        self.settings.write_text(f"""
public_origin: {self.base}
listen: 127.0.0.1:{port}
management_listen: 127.0.0.1:{management_port}
data_directory: {scratch / "server"}
{block}""")
        instance.run("keys", "init", "--config", str(self.settings))
        instance.run("users", "add", "--config", str(self.settings), "alice", stdin=self.alice["password"].encode() + b"\n")
        self.start()


def test_the_settings_and_commands_of_the_page_do_what_it_says(tmp_path):
    page = (instance.ROOT / "docs/apps.md").read_text()
    [settings], [commands] = (re.findall(rf"^```{kind}\n(.*?)^```", page, re.M | re.S) for kind in ["yaml", "sh"])
    server = Registered(tmp_path, settings)
    try:
        user = desktop.Desktop(server, tmp_path)
        user.environment["PATH"] = f"{Path(desktop.binary()).parent}:{user.environment['PATH']}"
        assert commands.count("http://127.0.0.1:8080") == 2
        shell = subprocess.Popen(
            ["sh", "-ec", commands.replace("http://127.0.0.1:8080", server.base)], env=user.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        asked = user.address()
        user.opened.unlink()
        assert_answered(native.Browser(server.base).sign_in(asked, server.alice))
        said, complaint = shell.communicate(timeout=60)
        assert shell.returncode == 0, (said, complaint)
        cookies = json.loads(said[said.index("{"):])["cookies"]
        view = {"Cookie": "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in cookies)}
        assert server.send("GET", "/session", view).json()["origin"] == "token_exchange"
        browser = native.Browser(server.base)
        landed = browser.send("GET", user.address())
        assert landed.status == 303 and landed.header("Location").endswith("/contacts"), landed.text
        assert browser.send("GET", "/session").json()["authenticated"] is True
    finally:
        assert server.stop() == 0


@pytest.mark.parametrize("arguments,status,words", [
    (["sign-in", "--issuer", "http://id.example.com"], 64, "http:// on this machine alone"),
    (["sign-in", "--timeout", "1"], 5, "in time"), (["whoami"], 3, "try: drawbridge-app sign-in"),
    (["open", "/contacts"], 3, "nobody is signed in"), (["sign-out"], 3, "nobody is signed in"),
    (["sign-in", "--silent"], 3, "no app of this device"), (["sign-in", "--nonsense"], 64, "Unknown option"),
    (["sign-in", "--issuer", "http://127.0.0.1:1"], 6, "no connection"),
])
def test_the_exit_status_says_what_happened(user, arguments, status, words):
    assert words in user.run(*arguments, status=status)


def test_the_version_is_the_librarys(user):
    source = (instance.ROOT / "clients/swift/Sources/DrawbridgeClient/SignIn/Drawbridge.swift").read_text()
    assert user.run("--version") == re.search(r'static let version = "([^"]+)"', source)[1] + "\n"


def test_a_silent_sign_in_tells_a_server_that_is_down_from_a_person_who_is_needed(start_demo, tmp_path):
    demo = start_demo("--no-limits")
    user = desktop.Desktop(demo, tmp_path)
    sign_in_by_hand(demo, user)
    assert "sign-in --app demo-app-b" in user.run("whoami", "--app", "demo-app-b", status=3), "the hint repeats the option"
    assert demo.stop() == 0
    said = user.run("sign-in", "--silent", "--app", "demo-app-b", status=6)
    assert "does not answer" in said and "try:" not in said


def test_a_page_that_is_not_on_the_list_is_refused_where_it_is_seen(demo, user):
    sign_in_by_hand(demo, user)
    assert "invalid_redirect" in user.run("open", "//evil.example", status=4)
