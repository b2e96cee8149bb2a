"""The VA's front door: what its app asks for is kept to the code, or refused by name (contract §5, §16.7)."""

import secrets
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

import native
import oauth
import signing
import totp
import wire
from accounts import PASSWORD
from native import Browser
from provider_of_others import Follower
from second_factor import add, enrolled
from va import BASE, post, query


def words(answer: wire.Answer) -> tuple:
    body = answer.json()
    return answer.status, body.get("errors") or body.get("error_description")


@pytest.mark.parametrize("name", ["application", "client_id"])
def test_an_app_that_opens_the_sign_in_page_gets_its_code_and_its_device_secret(demo, name):
    verifier = secrets.token_urlsafe(32)
    target = "/sign-in?" + query(verifier, oauth="true", **{name: "demo-app"})
    location = Browser(demo.base).sign_in(target, demo.user("alice"))
    assert location.startswith(native.CALLBACK), location
    found = parse_qs(urlsplit(location).query)
    assert found["state"] == ["s" * 22]
    answer = post(demo, "token", grant_type="authorization_code", code=found["code"][0], code_verifier=verifier)
    assert answer.status == 200, answer.text
    assert {"access_token", "refresh_token", "device_secret"} <= set(answer.json()["data"])


def test_the_front_door_is_the_sign_in_page_for_everybody_else(demo):
    for target in ("/sign-in", "/sign-in?application=demo-app", "/sign-in?oauth=true", "/sign-in?redirect=%2Fcontacts"):
        answer = demo.send("GET", target)
        assert answer.status == 200 and 'name="password"' in answer.text


def test_the_front_door_is_shut_where_the_paths_are_off(serve):
    server = serve()
    assert server.send("GET", "/sign-in?" + query(oauth="true", application="app")).status == 200


@pytest.mark.parametrize("port", ["", ":1", ":5555", ":65535"])
def test_a_loopback_address_may_have_any_port(demo, port):
    redirect = f"http://127.0.0.1{port}/callback"
    verifier = secrets.token_urlsafe(32)
    location = Browser(demo.base).sign_in(
        f"{BASE}/authorize?" + query(verifier, client_id="demo-app", redirect_uri=redirect), demo.user("alice"))
    assert location.startswith(redirect + "?"), location


@pytest.mark.parametrize("redirect", [
    "http://127.0.0.1:5555/other", "http://localhost:5555/callback", "http://127.0.0.1:99999/callback",
    "http://127.0.0.1.evil.example/callback", "https://app.example.com:8443/callback"])
def test_any_other_address_may_not(demo, redirect):
    answer = demo.send("GET", f"{BASE}/authorize?" + query(client_id="demo-app", redirect_uri=redirect))
    assert answer.status == 400


@pytest.mark.parametrize("fields, name", [
    ({"acr": "ial3"}, "acr"), ({"acr": ""}, None), ({"type": "nobody"}, "type"), ({"operation": "sign_up"}, "operation"),
    ({"operation": "interstitial_signup"}, "operation"), ({"operation": "verify_cta_authenticated"}, "operation"),
    ({"acr": "min"}, None), ({"acr": "loa1"}, None), ({"acr": "ial1"}, None), ({"operation": "authorize"}, None)])
def test_what_is_not_honoured_is_refused_by_name(demo, fields, name):
    answer = demo.send("GET", f"{BASE}/authorize?" + query(client_id="demo-app", **fields))
    if name is None:
        assert answer.status == 303 and "claims" not in parse_qs(urlsplit(answer.header("Location")).query)
    else:
        assert answer.status == 400 and words(answer)[1] == f"Invalid params: {name}"


@pytest.mark.parametrize("acr", ["loa3", "ial2", "aal2"])
def test_a_strong_sign_in_is_asked_for(demo, acr):
    location = demo.send("GET", f"{BASE}/authorize?" + query(client_id="demo-app", acr=acr)).header("Location")
    asked = parse_qs(urlsplit(location).query)["claims"][0]
    assert asked == '{"id_token":{"acr":{"essential":true,"value":"aal2"}}}'
    # Somebody without a second factor is not let through.
    location = Browser(demo.base).sign_in(location, demo.user("bob"))
    assert parse_qs(urlsplit(location).query)["error"] == ["access_denied"]


#: An app and a website that share sign-ins, as the VA's do.
SHARING = [{"client_id": "vamobile", "client_type": "native", "redirect_uris": ["https://app.example.com/callback"],
            "native_sso_enabled": True, "share_with": ["web"], "first_party": True}]


def test_a_strong_sign_in_that_was_asked_for_is_had(serve):
    server = serve("compatibility: {va_sign_in: true}\nnative_sso: {enabled: true}\n", clients=SHARING)
    add(server, "root")
    key, _ = enrolled(server, "root")
    verifier = secrets.token_urlsafe(32)
    browser = oauth.Browser(server)

    def follow(answer: wire.Answer) -> wire.Answer:
        while answer.status == 303 and not answer.header("Location").startswith("https://app.example.com/"):
            answer = browser.request("GET", answer.header("Location").removeprefix(server.base))
        return answer

    page = follow(browser.request("GET", "/sign-in?" + query(verifier, oauth="true", application="vamobile", acr="loa3")))
    page = follow(browser.submit(page, username="root", password=PASSWORD))
    assert "one-time-code" in page.text, page.text
    answer = follow(browser.submit(page, code=totp.code(key)))
    code = parse_qs(urlsplit(answer.header("Location")).query)["code"][0]
    tokens = post(server, "token", grant_type="authorization_code", code=code, code_verifier=verifier)
    assert tokens.status == 200, tokens.text
    assert signing.claims_of(tokens.json()["data"]["access_token"])["acr"] == "aal2"


def test_a_websites_own_code_brings_tokens_and_no_cookie_though_its_exchanges_bring_cookies(serve):
    server = serve("compatibility: {va_sign_in: true}\nnative_sso: {enabled: true}\n", clients=[{
        "client_id": "vaweb", "client_type": "web", "token_endpoint_auth_method": "none", "delivery": "cookies",
        "cookie_profile": "tokens", "cookie_prefix": "vagov_", "redirect_uris": ["https://www.example.com/callback"],
        "first_party": True}], users={"alice": PASSWORD})
    verifier = secrets.token_urlsafe(32)
    location = Browser(server.base).sign_in(
        f"{BASE}/authorize?" + query(verifier, client_id="vaweb"), {"username": "alice", "password": PASSWORD})
    fields = {"grant_type": "authorization_code", "client_id": "vaweb", "code_verifier": verifier,
              "code": parse_qs(urlsplit(location).query)["code"][0]}
    foreign = post(server, "token", {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}, **fields)
    assert foreign.status == 400, "another website's page gets neither, and uses nothing up"
    answer = post(server, "token", **fields)
    assert answer.status == 200, answer.text
    assert "access_token" in answer.json()["data"] and not answer.cookies


def test_a_session_in_the_browser_does_not_hide_what_is_not_honoured(serve):
    server = serve("compatibility: {va_sign_in: true}\nnative_sso: {enabled: true}\n", clients=SHARING,
                   users={"alice": PASSWORD})
    browser = Browser(server.base)
    browser.sign_in(f"{BASE}/authorize?" + query(client_id="vamobile"), {"username": "alice", "password": PASSWORD})
    wanted = f"{BASE}/authorize_sso?"
    answer = browser.send("GET", wanted + query(client_id="vamobile"))
    assert "code=" in answer.header("Location"), "the session answers"
    for fields, name in [({"type": "nobody"}, "type"), ({"acr": "ial3"}, "acr"), ({"operation": "sign_up"}, "operation")]:
        answer = browser.send("GET", wanted + query(client_id="vamobile", **fields))
        assert (answer.status, words(answer)[1]) == (400, f"Invalid params: {name}"), answer.headers


def test_the_type_leads_straight_to_that_provider(serve, upstream, tmp_path):
    provider = upstream.settings(tmp_path, "logingov", "Login.gov")
    server = serve(f"compatibility: {{va_sign_in: true}}\n{provider}", clients=[{
               "client_id": "vamobile", "client_type": "native", "redirect_uris": ["https://app.example.com/callback"],
               "first_party": True}])
    browser = Follower(server)
    answer = browser.get("/sign-in?" + query(oauth="true", application="vamobile", type="logingov"))
    passed = []
    for _ in range(10):
        location = answer.header("Location")
        passed.append(location)
        if answer.status != 303 or location.startswith("https://app.example.com"):
            break
        answer = browser.get(location)
    assert any("/sign-in/with/logingov?journey=" in one for one in passed), passed
    assert passed[-1].startswith("https://app.example.com/callback?code="), passed


def test_app_sessions_and_refresh_tokens_may_last_45_days(serve):
    server = serve("""
provider:
  app_session_lifetime: 45d
  refresh_token_idle: 45d
""", clients=[{"client_id": "notes", "client_type": "native", "redirect_uris": ["http://127.0.0.1/callback"]}],
        users={"alice": "correct horse battery"})
    verifier = secrets.token_urlsafe(32)
    location = Browser(server.base).sign_in("/oauth/authorize?" + urlencode({
        "response_type": "code", "client_id": "notes", "redirect_uri": "http://127.0.0.1/callback",
        "scope": "openid offline_access", "code_challenge": signing.challenge(verifier), "code_challenge_method": "S256"}),
        {"username": "alice", "password": "correct horse battery"})
    answer = server.send("POST", "/oauth/token", {"Content-Type": wire.FORM}, urlencode({
        "grant_type": "authorization_code", "client_id": "notes", "redirect_uri": "http://127.0.0.1/callback",
        "code": parse_qs(urlsplit(location).query)["code"][0], "code_verifier": verifier}).encode())
    assert answer.status == 200, answer.body
    import instance
    (session, refresh), = instance.query(server.data, """
        SELECT s.expires_at - s.created_at, r.expires_at - r.issued_at
        FROM app_session s JOIN refresh_token r ON r.session_id = s.id""")
    assert (session, refresh) == (45 * 86_400_000,) * 2
