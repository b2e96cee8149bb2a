"""Ends in the audit log: who asked for them (docs/audit-format.md, contract §13)."""

import json

import pytest

import signing
import wire
from native import App, Browser
from va import VAApp, end_all, end_all_by_cookies, post

ENDS = ("app_session.ended", "web_session.ended", "device_secret.revoked", "login_token.revoked")


@pytest.fixture
def demo(start_demo):
    # Of its own: whatever else ends must not be among what is looked at.
    return start_demo("--no-limits")


def session_of(app: App) -> str:
    return signing.claims_of(app.tokens["access_token"])["sid"]


def ended(demo, act) -> list[dict]:
    """The events of what `act` ends."""
    known = len(demo.audit())
    answer = act()
    assert answer.status in (200, 204, 303), answer.text
    events = [row for row in demo.audit()[known:] if row["type"] in ENDS]
    assert events
    return events


def askers(events: list[dict]) -> set[tuple]:
    """The client and the session that each was asked for by."""
    details = [json.loads(event["detail"] or "{}") for event in events]
    return {(detail.get("by_client"), detail.get("by_sid")) for detail in details}


def signed_in(demo) -> tuple[App, Browser, str]:
    """An app, the browser that it signed in by, and the session there."""
    app, browser = App(demo), Browser(demo.base)
    app.sign_in(browser=browser)
    return app, browser, demo.audit("web_session.opened")[-1]["session_id"]


def test_a_device_that_another_app_ends_names_that_app_and_not_only_the_apps_that_lose_by_it(demo):
    app = App(demo)
    app.sign_in()
    assert app.native_sso().status == 200
    other = App(demo, "demo-app-b")
    events = ended(demo, lambda: other.post("/oauth/revoke", token=app.tokens["device_secret"]))
    assert {event["type"] for event in events} == {"device_secret.revoked", "app_session.ended"}
    assert {event["client_id"] for event in events} == {"demo-app", "demo-app-b"}
    assert askers(events) == {("demo-app-b", None)}


@pytest.mark.parametrize("path", ["/oauth/revoke", "/v0/sign_in/revoke"])
def test_an_app_that_signs_its_user_out_is_named_with_the_session_that_it_had(demo, path):
    app = App(demo)
    app.sign_in()
    assert app.native_sso().status == 200
    if path == "/oauth/revoke":
        events = ended(demo, lambda: app.post(path, token=app.tokens["refresh_token"]))
    else:
        events = ended(demo, lambda: post(
            demo, "revoke", refresh_token=app.tokens["refresh_token"], device_secret=app.tokens["device_secret"]))
        assert "device_secret.revoked" in {event["type"] for event in events}
    assert askers(events) == {("demo-app", session_of(app))}


def test_a_program_that_signs_a_web_view_out_is_named_as_the_cookies_own_client_with_its_session(demo):
    app = VAApp(demo)
    app.sign_in()
    view = app.web_cookies()
    session = demo.audit("web_session.opened")[-1]["session_id"]
    token, proof = (view.cookies[f"vagov_{name}_token"].value for name in ["refresh", "anti_csrf"])
    events = ended(demo, lambda: post(demo, "revoke", refresh_token=token, anti_csrf_token=proof))
    assert askers(events) == {("demo-webview", session)}


def test_an_app_that_ends_everything_of_its_user_is_named_in_each_of_the_events(demo):
    app, _, _ = signed_in(demo)
    assert app.native_sso().status == 200
    own = App(demo, "demo-app-b")
    own.sign_in()
    events = ended(demo, lambda: end_all(demo, own))
    assert {event["type"] for event in events} == {"app_session.ended", "web_session.ended", "device_secret.revoked"}
    assert {"demo-app", "demo-app-b"} <= {event["client_id"] for event in events}
    assert askers(events) == {("demo-app-b", session_of(own))}


def test_a_browser_that_ends_everything_of_its_user_is_named_by_its_session(demo):
    _, browser, session = signed_in(demo)
    cookies = {"Cookie": "; ".join(f"{name}={value}" for name, value in browser.jar.items())}
    events = ended(demo, lambda: end_all_by_cookies(demo, cookies))
    assert session in {event["session_id"] for event in events}
    assert askers(events) == {(None, session)}


@pytest.mark.parametrize("what", ["one device", "everything else"])
def test_what_a_user_ends_at_account_devices_is_put_to_the_browser_in_which_it_was_ended(demo, what):
    _, browser, session = signed_in(demo)
    other = App(demo)
    other.sign_in()
    page = browser.send("GET", "/account/devices")
    if what == "one device":
        # The first form of the page ends everything else at once; the first of the list is that of a device.
        page = wire.Answer(page.status, page.headers, page.body[page.body.index(b'<ul class="places"'):])
    events = ended(demo, lambda: browser.submit(page, "/account/devices/end"))
    assert "device_secret.revoked" in {event["type"] for event in events}
    assert askers(events) == {(None, session)}


def test_a_browser_that_signs_out_ends_its_own_session_and_nobody_is_named_beside_it(demo):
    _, browser, session = signed_in(demo)
    headers = {"Origin": demo.base, "Sec-Fetch-Site": "same-origin"}
    events = ended(demo, lambda: browser.send("POST", "/session/logout", headers))
    assert session in {event["session_id"] for event in events}
    assert askers(events) == {(None, None)}
