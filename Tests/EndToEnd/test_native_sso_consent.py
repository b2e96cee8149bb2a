"""What counts as consent to an exchange, and when `device_sso` is granted (contract §5.1, §5.4, draft-07 §3, §4.3)."""

import json
import secrets
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

import instance
import native
import signing
import wire
from admin import admin
from native import SETTINGS, App, Browser

LOOPBACK = "http://127.0.0.1/callback"
PASSWORD = "correct horse battery"


@pytest.fixture(scope="module")
def demo():
    """An instance of this file's own: its tests register clients that share users."""
    server = instance.Demo("--no-limits")
    yield server
    assert server.stop() == 0


def app(demo, user: str, **fields) -> App:
    """An app that the user is asked about, and that only its redirect tells apart."""
    client = f"app-{secrets.token_hex(3)}"
    made = admin(demo, "POST", "/api/admin/clients", {
        "client_id": client, "client_type": "native", "redirect_uris": [LOOPBACK], "native_sso_enabled": True, **fields})
    assert made.status == 201, made.text
    return App(demo, client, user=user, callback=LOOPBACK)


def pair(demo, user: str) -> tuple[App, App]:
    """An app whose users are shared, and the one that gets in by them."""
    guest = app(demo, user)
    source = app(demo, user, first_party=True, share_with=[guest.client_id])
    source.sign_in("openid profile email offline_access device_sso")
    return source, guest


def test_who_has_agreed_on_this_device_is_not_sent_to_the_browser_again(demo):
    source, guest = pair(demo, "alice")
    assert source.native_sso(guest.client_id).json()["error"] == "interaction_required", "nobody was asked yet"
    guest.sign_in(device_secret=source.tokens["device_secret"])
    answer = source.native_sso(guest.client_id, scope="openid profile")
    assert answer.status == 200, answer.text
    assert signing.claims_of(answer.json()["id_token"])["aud"] == guest.client_id
    # Consent is for what was asked: more of it takes another question.
    wider = source.native_sso(guest.client_id, scope="openid email")
    assert (wider.status, wider.json()["error"]) == (400, "interaction_required")


def test_consent_ends_with_the_session_that_it_was_given_in(demo):
    source, guest = pair(demo, "alice")
    guest.sign_in(device_secret=source.tokens["device_secret"])
    opened = source.native_sso(guest.client_id, scope="openid profile")
    assert opened.status == 200, opened.text
    assert guest.post("/oauth/revoke", token=guest.tokens["refresh_token"]).status == 200
    # The session that the exchange opened lives on, and gives nobody's consent.
    refused = source.native_sso(guest.client_id, scope="openid profile")
    assert (refused.status, refused.json()["error"]) == (400, "interaction_required")


def test_consent_on_another_device_or_of_another_user_is_none(demo):
    source, guest = pair(demo, "alice")
    # An impostor at the same redirect that has no secret of this device gets a device of its own (RFC 8252 §8.6).
    guest.sign_in()
    assert guest.tokens["device_secret"] != source.tokens["device_secret"]
    assert source.native_sso(guest.client_id).json()["error"] == "interaction_required"
    other = App(demo, guest.client_id, user="bob", callback=LOOPBACK)
    other.sign_in(device_secret=source.tokens["device_secret"])
    assert source.native_sso(guest.client_id).json()["error"] == "interaction_required"


# Whether the scope is granted at all


def off(serve, **more):
    return serve("native_sso: {enabled: false}\ncompatibility: {va_sign_in: true}\n", clients=[
        {"client_id": "notes", "client_type": "native", "redirect_uris": [LOOPBACK], "native_sso_enabled": True, **more}],
        users={"alice": PASSWORD})


class Notes(App):
    """The app of a server with settings of the test's own."""

    def __init__(self, server):
        self.demo, self.client_id, self.callback = server, "notes", LOOPBACK
        self.user = {"username": "alice", "password": PASSWORD}
        self.tokens = {}


def metadata(demo) -> dict:
    return wire.send(demo.base, "GET", "/.well-known/openid-configuration").json()


def consent_page(server, user: dict, target: str, browser: Browser | None = None) -> wire.Answer:
    browser = browser or Browser(server.base)

    def follow(page: wire.Answer) -> wire.Answer:
        while page.status == 303:
            page = browser.send("GET", page.header("Location"))
        return page

    page = follow(browser.send("GET", target))
    page = follow(browser.submit(page, "/sign-in", username=user["username"], password=user["password"]))
    assert 'action="/oauth/consent"' in page.text, page.text
    return page


@pytest.mark.parametrize("more", [{}, {"device_secret_without_scope": True}])
def test_while_native_sso_is_off_nothing_of_it_is_asked_granted_or_reported(serve, more):
    server = off(serve, **more)
    notes = Notes(server)
    tokens = notes.sign_in("openid device_sso offline_access")
    assert tokens["scope"].split() == ["openid", "offline_access"]
    assert "device_secret" not in tokens and signing.claims_of(tokens["access_token"])["scope"] == tokens["scope"]
    request = {"response_type": "code", "client_id": "notes", "redirect_uri": LOOPBACK, "state": "s",
               "scope": "openid device_sso", "code_challenge": signing.challenge("v" * 43), "code_challenge_method": "S256"}
    pushed = server.send("POST", "/oauth/par", {"Content-Type": wire.FORM}, urlencode(request).encode())
    assert pushed.status == 201, pushed.body
    by_reference = urlencode({"client_id": "notes", "request_uri": pushed.json()["request_uri"]})
    for target in [f"/oauth/authorize?{urlencode(request)}", f"/oauth/authorize?{by_reference}",
                   f"/v0/sign_in/authorize?{urlencode(request)}"]:
        assert "other apps" not in consent_page(server, notes.user, target).text, target
    renewed = notes.refresh()
    assert renewed.status == 200 and "device_sso" not in renewed.json()["scope"].split()


def test_a_request_for_nothing_but_what_is_off_is_told_so(serve):
    server = off(serve)
    target = "/oauth/authorize?" + urlencode({
        "response_type": "code", "client_id": "notes", "redirect_uri": LOOPBACK, "state": "s", "scope": "device_sso",
        "code_challenge": signing.challenge("v" * 43), "code_challenge_method": "S256"})
    location = Browser(server.base).send("GET", target).header("Location")
    assert location.startswith(LOOPBACK) and "error=invalid_scope" in location
    [refused] = [row for row in instance.audit_rows(server.data) if row["type"] == "authorization_request.refused"]
    assert (refused["reason"], refused["client_id"]) == ("invalid_scope", "notes")
    assert json.loads(refused["detail"]) == {"description": "the client may have none of these scopes"}


def test_a_client_whose_scope_names_it_without_the_right_is_not_asked_about_it(demo):
    guest = app(demo, "alice", native_sso_enabled=False, scope="openid device_sso")
    request = {"response_type": "code", "client_id": guest.client_id, "redirect_uri": LOOPBACK, "state": "s",
               "code_challenge": signing.challenge("v" * 43), "code_challenge_method": "S256"}
    asked = consent_page(demo, guest.user, f"/oauth/authorize?{urlencode({**request, 'scope': 'openid device_sso'})}")
    assert "other apps" not in asked.text
    location = Browser(demo.base).send(
        "GET", f"/oauth/authorize?{urlencode({**request, 'scope': 'device_sso'})}").header("Location")
    assert location.startswith(LOOPBACK) and "error=invalid_scope" in location


def test_a_session_that_was_granted_it_has_its_secret_back_once_native_sso_is_on_again(demo):
    guest = app(demo, "alice", first_party=True)
    guest.sign_in()
    assert admin(demo, "PUT", SETTINGS, {"enabled": False}).status == 200
    try:
        instance.wait_until(lambda: not metadata(demo)["native_sso_supported"])
        answer = guest.refresh()
        assert answer.status == 200 and "device_secret" not in answer.json()
        assert "device_sso" not in answer.json()["scope"].split(), "what is said is what is given"
        guest.tokens = answer.json()
    finally:
        assert admin(demo, "DELETE", SETTINGS).status == 200
    instance.wait_until(lambda: metadata(demo)["native_sso_supported"])
    again = guest.refresh().json()
    assert again["device_secret"] and "device_sso" in again["scope"].split()


def test_what_the_consent_page_did_not_say_is_not_granted_when_native_sso_goes_on_meanwhile(start_demo):
    demo = start_demo("--no-limits")
    guest = app(demo, "alice")
    assert admin(demo, "PUT", SETTINGS, {"enabled": False}).status == 200
    instance.wait_until(lambda: not metadata(demo)["native_sso_supported"])
    guest.verifier, browser = "v" * 43, Browser(demo.base)
    page = consent_page(demo, guest.user, "/oauth/authorize?" + urlencode({
        "response_type": "code", "client_id": guest.client_id, "redirect_uri": LOOPBACK, "state": "s",
        "scope": native.SCOPE, "code_challenge": signing.challenge(guest.verifier), "code_challenge_method": "S256"}), browser)
    assert admin(demo, "DELETE", SETTINGS).status == 200
    instance.wait_until(lambda: metadata(demo)["native_sso_supported"])
    location = browser.submit(page, "/oauth/consent").header("Location")
    tokens = guest.token(
        grant_type="authorization_code", code=parse_qs(urlsplit(location).query)["code"][0], redirect_uri=LOOPBACK,
        code_verifier=guest.verifier).json()
    assert "device_sso" not in tokens["scope"].split() and "device_secret" not in tokens
    # Who is asked again is asked about it.
    assert guest.sign_in()["device_secret"]


def test_past_the_limit_of_devices_the_answer_does_not_report_the_scope(start_demo):
    demo = start_demo("--no-limits")
    assert admin(demo, "PUT", SETTINGS, {"maxDeviceSecretsPerUser": 1, "maxSecretsBehavior": "reject"}).status == 200
    first = App(demo).sign_in()
    assert first["device_secret"] and "device_sso" in first["scope"].split()
    second = App(demo)
    refused = second.sign_in()
    assert "device_secret" not in refused and "device_sso" not in refused["scope"].split()
    assert "device_sso" not in signing.claims_of(refused["access_token"])["scope"].split()
    # Once there is room, the session that was granted it gets its secret with its next refresh.
    assert second.post("/oauth/revoke", token=first["device_secret"]).status == 200
    renewed = second.refresh().json()
    assert renewed["device_secret"] and "device_sso" in renewed["scope"].split()


# Words


def test_an_unknown_website_is_told_without_a_parameter_that_was_not_sent(demo):
    source = App(demo)
    source.sign_in()
    order = {"grant_type": native.EXCHANGE, "subject_token": source.tokens["access_token"],
             "subject_token_type": native.ACCESS_TOKEN, "requested_token_type": native.LOGIN_TOKEN}
    for fields in [{"audience": "nope"}, {"resource": "nope", "audience": "nope"}]:
        answer = source.token(**order, **fields)
        assert (answer.status, answer.json()["error"]) == (400, "invalid_target")
        assert answer.json()["error_description"] == "no registered website has this name"
    answer = wire.send(demo.base, "POST", "/api/auth/create-sso-token",
                       {"Authorization": f"Bearer {source.tokens['access_token']}", "Content-Type": "application/json"},
                       b'{"client_id": "nope"}')
    assert (answer.json()["error"], answer.json()["error_description"]) == (
        "invalid_target", "no registered website has this name")


def test_every_prompt_that_is_honoured_is_in_the_metadata(demo):
    assert metadata(demo)["prompt_values_supported"] == ["none", "login", "consent", "select_account"]
