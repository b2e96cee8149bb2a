"""The paths and answers of the VA's sign-in service, and none of its known defects (docs/va-sign-in.md)."""

import json
import secrets
from urllib.parse import parse_qs, unquote, urlencode, urlsplit

import pytest

import instance
import native
import oauth
import signing
import wire
from native import Browser, cookie_header
from va import BASE, VAApp, is_signed_in, post


@pytest.fixture(scope="module")
def app(demo) -> VAApp:
    app = VAApp(demo)
    app.sign_in()
    return app


def test_the_way_of_the_mobile_app_from_sign_in_to_a_page_in_a_web_view(demo, app):
    assert {"access_token", "refresh_token", "device_secret"} <= set(app.tokens)
    answer = app.web_cookies()
    assert (answer.status, answer.json()) == (200, {})
    expected = {
        "vagov_access_token": ("/", True), "vagov_refresh_token": ("/v0/sign_in/refresh", True),
        "vagov_anti_csrf_token": ("/", True), "vagov_info_token": ("/", False)}
    assert {
        name: (cookie.attributes["path"], cookie.attributes.get("httponly", False))
        for name, cookie in answer.cookies.items()} == expected
    assert is_signed_in(demo, answer)
    page = wire.send(demo.base, "GET", "/contacts", {**wire.NAVIGATION, **cookie_header(answer)})
    assert f'id="subject">{app.user["sub"]}<' in page.text


@pytest.mark.parametrize("change, text", [
    ({"subject_token": "nonsense"}, "subject token is invalid"),
    ({"subject_token_type": "urn:x"}, "subject token type is invalid"),
    ({"subject_token_type": "urn:ietf:params:oauth:token-type:id_token"}, "subject token type is invalid"),
    ({"actor_token": "ds_nonsense"}, "actor token is invalid"),
    ({"actor_token_type": "urn:x"}, "actor token type is invalid"),
    ({"client_id": "nobody"}, "client configuration not found"),
    ({"subject_token": ""}, "Subject token can't be blank"),
    ({"actor_token": ""}, "Actor token can't be blank"),
])
def test_the_services_own_sentences_for_what_is_wrong(app, change, text):
    answer = app.web_cookies(**change)
    assert 400 <= answer.status < 500
    assert answer.json()["errors"] == text


def test_a_web_session_of_an_old_app_session_is_never_born_expired(demo, app):
    """VA defect 1: its end was counted from the app's sign-in, not from now."""
    info = json.loads(unquote(app.web_cookies().cookies["vagov_info_token"].value))
    assert set(info) == {"access_token_expiration", "refresh_token_expiration"}
    assert info["refresh_token_expiration"] > info["access_token_expiration"] > "2026"


def test_the_device_secret_survives_a_refresh(demo):
    """VA defect 2: the refreshed access token had lost it."""
    app = VAApp(demo)
    first = app.sign_in()
    fresh = post(demo, "refresh", refresh_token=first["refresh_token"])
    assert fresh.status == 200, fresh.text
    app.tokens = {**fresh.json()["data"], "device_secret": first["device_secret"]}
    assert app.web_cookies().status == 200


def test_a_session_that_is_gone_is_a_clean_error(demo):
    """VA defect: a missing session row was a 500."""
    app = VAApp(demo)
    app.sign_in()
    assert post(demo, "revoke", refresh_token=app.tokens["refresh_token"]).status == 200
    answer = app.web_cookies()
    assert (answer.status, answer.json()["errors"]) == (400, "subject token is invalid")
    assert post(demo, "revoke", refresh_token=app.tokens["refresh_token"]).status == 401
    assert post(demo, "revoke").json()["errors"] == "Refresh token can't be blank"


@pytest.mark.parametrize("path", ["logout", "revoke_all_sessions"])
def test_a_get_never_ends_anything(demo, app, path):
    """VA defect: GET with a Lax cookie let any site sign the user out."""
    answer = app.web_cookies()
    page = wire.send(demo.base, "GET", f"{BASE}/{path}", {**wire.NAVIGATION, **cookie_header(answer)})
    assert page.status == 200 and "<form" in page.text
    foreign = post(demo, path, {**cookie_header(answer), "Origin": "https://evil.example",
                                "Sec-Fetch-Site": "cross-site"})
    assert foreign.status == 403
    assert is_signed_in(demo, answer)


def test_the_anti_csrf_value_is_not_proved_by_the_cookie_alone(demo, app):
    """VA defect: the browser supplied the proof itself."""
    answer = app.web_cookies()
    assert post(demo, "refresh", cookie_header(answer)).status == 403
    proof = answer.cookies["vagov_anti_csrf_token"].value
    renewed = post(demo, "refresh", {**cookie_header(answer), "X-CSRF-Token": proof})
    assert renewed.status == 200
    assert renewed.cookies["vagov_refresh_token"].attributes["path"] == "/v0/sign_in/refresh"


def test_a_web_view_is_revoked_by_its_refresh_cookie_with_the_anti_csrf_value(demo, app):
    view = app.web_cookies()
    token, proof = (view.cookies[f"vagov_{name}_token"].value for name in ["refresh", "anti_csrf"])
    assert post(demo, "revoke", refresh_token=token).status == 403
    assert post(demo, "revoke", refresh_token=token, anti_csrf_token=proof,
                device_secret=app.tokens["device_secret"]).status == 401
    assert is_signed_in(demo, view)
    assert post(demo, "revoke", refresh_token=token, anti_csrf_token=proof).status == 200
    assert not is_signed_in(demo, view)
    assert post(demo, "revoke", refresh_token=token, anti_csrf_token=proof).status == 401


def test_revoking_with_the_device_secret_ends_everything_it_spawned_and_without_it_the_session_alone(demo):
    app = VAApp(demo)
    app.sign_in()
    view = app.web_cookies()
    assert post(
        demo, "revoke", refresh_token=app.tokens["refresh_token"],
        device_secret=app.tokens["device_secret"]).status == 200
    assert not is_signed_in(demo, view)
    assert post(demo, "refresh", refresh_token=app.tokens["refresh_token"]).status == 401
    assert not oauth.introspect(demo, app.tokens["device_secret"])["active"]
    left = VAApp(demo)
    left.sign_in()
    view = left.web_cookies()
    assert post(demo, "revoke", refresh_token=left.tokens["refresh_token"]).status == 200
    assert not is_signed_in(demo, view)
    assert oauth.introspect(demo, left.tokens["device_secret"])["active"], "the device goes on"


@pytest.mark.parametrize("query, location", [
    ("", None), ("?client_id=nobody", None), ("?client_id=demo-rp", "https://rp.example.com/signed-out")])
def test_signing_out_takes_a_page_of_ours_and_leads_on(demo, app, query, location):
    """To the address that the named client has registered for it, and to no other."""
    browser = Browser(demo.base)
    view = app.web_cookies()
    browser.jar = {name: cookie.value for name, cookie in view.cookies.items()}
    page = browser.send("GET", f"{BASE}/logout{query}")
    stays = "form-action 'self';" in page.header("Content-Security-Policy")
    assert stays == (location is None), "Chromium holds every redirect after the form against it"
    out = browser.submit(page, f"{BASE}/logout")
    assert (out.status, out.header("Location")) == (303, location or f"{demo.base}/session/signed-out")
    assert not is_signed_in(demo, view)


def test_all_sessions_of_the_user_end_at_once(demo):
    app = VAApp(demo, "demo-app-b", user="bob")
    app.sign_in()
    view = app.web_cookies()
    ended = post(demo, "revoke_all_sessions", {"Authorization": f"Bearer {app.tokens['access_token']}"})
    assert ended.status == 200
    assert not is_signed_in(demo, view)
    assert post(demo, "refresh", refresh_token=app.tokens["refresh_token"]).status == 401


def test_user_info_for_apps_and_web_views(demo, app):
    bearer = {"Authorization": f"Bearer {app.tokens['access_token']}"}
    for headers in [bearer, cookie_header(app.web_cookies())]:
        answer = wire.send(demo.base, "GET", f"{BASE}/user_info", headers)
        assert (answer.status, answer.json()["sub"]) == (200, app.user["sub"])
    for bearer in ({}, {"Authorization": "Bearer nonsense"}):
        refused = wire.send(demo.base, "GET", f"{BASE}/user_info", bearer)
        assert (refused.status, refused.json()["error"]) == (401, "invalid_token")
        assert refused.header("WWW-Authenticate").startswith("Bearer"), "contract §11"
    refused = post(demo, "revoke", refresh_token="nonsense")
    assert (refused.status, refused.json()["error"]) == (401, "invalid_token")
    assert refused.header("WWW-Authenticate") == 'Bearer error="invalid_token"'


def test_what_is_wrong_with_a_request_is_written_down_as_at_our_own_endpoint(start_demo):
    demo = start_demo("--no-limits")
    app = {"client_id": "demo-app"}
    for path, query, reason in [
            ("authorize", {"client_id": "nobody"}, "unknown_client"),
            ("authorize", {**app, "redirect_uri": "https://thief.example/"}, "unregistered_redirect"),
            ("authorize", {**app, "operation": "sign_up"}, "invalid_operation"),
            ("authorize", {**app, "acr": "loa9"}, "invalid_acr"),
            ("authorize_sso", {**app, "type": "nobody"}, "invalid_type"),
            ("authorize_sso", {**app, "code_challenge_method": "plain"}, "native_app_or_challenge"),
            ("authorize_sso", [*app.items(), ("state", "1"), ("state", "2")], "repeated_parameter")]:
        assert wire.send(demo.base, "GET", f"{BASE}/{path}?{urlencode(query)}").status == 400, reason
        event = demo.audit("authorization_request.refused")[-1]
        assert (event["reason"], event["client_id"]) == (reason, None if reason == "unknown_client" else "demo-app")


@pytest.mark.parametrize(("query", "credentials"), [("", ["Basic YTpi", "Basic YTpi"]), ("?a=%zz", [])])
def test_a_token_request_that_cannot_be_read_is_written_down_as_at_our_own_endpoint(start_demo, query, credentials):
    demo = start_demo("--no-limits")
    headers = [("Content-Type", wire.FORM), *(("Authorization", value) for value in credentials)]
    form = urlencode({"grant_type": "refresh_token", "client_id": "demo-app", "refresh_token": "x"})
    assert wire.send(demo.base, "POST", f"{BASE}/token{query}", headers, form).status == 400
    assert [event["reason"] for event in demo.audit("token_request.refused")] == ["invalid_request"]


@pytest.mark.parametrize("path", ["authorize", "authorize_sso"])
@pytest.mark.parametrize("name", ["nonce", "state", "acr"])
def test_a_parameter_that_is_no_text_is_refused_and_not_lost(start_demo, path, name):
    # One of its own: refusals are written down to a bound, which those of other tests may have reached.
    demo = start_demo("--no-limits")
    query = urlencode({"client_id": "demo-app", "code_challenge": "c" * 43, "code_challenge_method": "S256", name: b"\xff"})
    answer = wire.send(demo.base, "GET", f"{BASE}/{path}?{query}")
    assert (answer.status, answer.json()["errors"]) == (400, "a parameter is not UTF-8")
    [event] = demo.audit("authorization_request.refused")
    assert (event["reason"], event["client_id"]) == ("invalid_request", "demo-app")


@pytest.mark.parametrize("name", ["idme", "logingov", "dslogon", "mhv"])
def test_contract_5_the_vas_own_types_sign_in_as_usual_where_no_provider_has_the_name(demo, name):
    query = {"client_id": "demo-app", "acr": "min", "code_challenge": "c" * 43, "code_challenge_method": "S256",
             "state": "s" * 22, "type": name}
    for path in ["authorize", "authorize_sso"]:
        answer = wire.send(demo.base, "GET", f"{BASE}/{path}?{urlencode(query)}")
        assert answer.status == 303, answer.text
        location = urlsplit(answer.header("Location"))
        assert (location.path, parse_qs(location.query)["state"]) == ("/oauth/authorize", ["s" * 22])
        assert "provider" not in parse_qs(location.query)


def test_neither_head_nor_a_prefetch_makes_a_code_for_the_app(demo, app):
    target, session = f"{BASE}/authorize_sso?client_id=demo-app", cookie_header(app.web_cookies())
    before = len(demo.audit("authorization_code.issued"))
    assert wire.send(demo.base, "HEAD", target, session).status == 405
    assert wire.send(demo.base, "GET", target, {**session, "Sec-Purpose": "prefetch"}).status == 403
    assert len(demo.audit("authorization_code.issued")) == before


# The website and the sign-in service on hosts of their own, of one domain

WEBSITE, ISSUER = "www.example.com", "auth.example.com"
APART = [
    {"client_id": "vamobile", "client_type": "native", "first_party": True, "redirect_uris": [native.CALLBACK],
     "native_sso_enabled": True, "share_with": ["vaweb"]},
    {"client_id": "vaweb", "client_type": "web", "token_endpoint_auth_method": "none", "delivery": "cookies",
     "cookie_profile": "tokens", "cookie_prefix": "vagov_", "cookie_domain": ".example.com",
     "public_origin": f"https://{WEBSITE}"}]


class Apart(instance.Served):
    """An app is signed in; what it fetches for a web view it may fetch at either host."""

    def __init__(self):
        alice = {"username": "alice", "password": "correct horse battery"}
        super().__init__(
            f"issuer: https://{ISSUER}\ncompatibility: {{va_sign_in: true}}\nnative_sso: {{enabled: true}}\n", clients=APART,
            users={alice["username"]: alice["password"]}, origin=f"https://{WEBSITE}")
        server = self

        class AtIssuer(Browser):
            def carry(self, method: str, target: str, headers: dict, body: bytes | None) -> wire.Answer:
                return server.at(ISSUER, method, target, headers, body)

        verifier = secrets.token_urlsafe(32)
        location = AtIssuer(f"https://{ISSUER}").sign_in(f"{BASE}/authorize?" + urlencode({
            "client_id": "vamobile", "scope": "device_sso", "state": "s" * 22,
            "code_challenge": signing.challenge(verifier), "code_challenge_method": "S256"}), alice)
        code = parse_qs(urlsplit(location).query)["code"][0]
        answer = self.form(ISSUER, f"{BASE}/token", grant_type="authorization_code", code=code, code_verifier=verifier)
        assert answer.status == 200, answer.text
        self.tokens = answer.json()["data"]

    def at(self, host: str, method: str, target: str, headers: dict | None = None, body=None) -> wire.Answer:
        return self.send(method, target, {**(headers or {}), "Host": host}, body)

    def form(self, host: str, path: str, headers: dict | None = None, **fields: str) -> wire.Answer:
        return self.at(host, "POST", path, {"Content-Type": wire.FORM, **(headers or {})}, urlencode(fields))

    def fetch(self, host: str, path: str, headers: dict | None = None) -> wire.Answer:
        answer = self.form(
            host, path, headers, grant_type=native.EXCHANGE, client_id="vaweb", subject_token=self.tokens["access_token"],
            subject_token_type=native.ACCESS_TOKEN, actor_token=self.tokens["device_secret"],
            actor_token_type=native.OLD_DEVICE_SECRET)
        assert answer.status == 200, answer.text
        return answer

    def renew(self, path: str, jar: dict[str, str], proof: str) -> wire.Answer:
        """As the website's page does."""
        return self.at(WEBSITE, "POST", path, {
            "Cookie": "; ".join(f"{name}={value}" for name, value in jar.items()), "X-CSRF-Token": proof,
            "Origin": f"https://{WEBSITE}", "Sec-Fetch-Site": "same-origin"})

    def is_signed_in(self, jar: dict[str, str]) -> bool:
        cookies = "; ".join(f"{name}={value}" for name, value in jar.items())
        return self.at(WEBSITE, "GET", "/session", {"Cookie": cookies}).json()["authenticated"]


@pytest.fixture(scope="module")
def apart():
    served = Apart()
    yield served
    assert served.stop() == 0, served.output[-4000:]


@pytest.mark.parametrize("host, kept", [
    (WEBSITE, {"vagov_access_token", "vagov_info_token", "vagov_refresh_token", "vagov_anti_csrf_token"}),
    (ISSUER, {"vagov_access_token", "vagov_info_token"})])
def test_a_web_view_renews_the_cookies_that_its_app_fetched_at_the_websites_own_host(apart, host, kept):
    """Of those that it fetched at the issuer's, the two that renew are that host's alone."""
    given = apart.fetch(host, f"{BASE}/token").cookies
    # What a cookie store that goes by the answer's host sends to the website.
    jar = {name: cookie.value for name, cookie in given.items() if host == WEBSITE or "domain" in cookie.attributes}
    assert set(jar) == kept
    assert apart.is_signed_in(jar)
    renewed = apart.renew(f"{BASE}/refresh", jar, given["vagov_anti_csrf_token"].value)
    assert (renewed.status == 200) == (host == WEBSITE), renewed.text


def test_the_description_names_the_websites_host_wherever_it_was_fetched(apart):
    answer = apart.fetch(ISSUER, "/oauth/token", {"Accept": "application/vnd.drawbridge.cookies+json"})
    cookies = json.loads(answer.body)["cookies"]
    assert {cookie.get("host") or cookie["domain"] for cookie in cookies} == {WEBSITE, ".example.com"}
    jar = {cookie["name"]: cookie["value"] for cookie in cookies}
    assert apart.is_signed_in(jar)
    assert apart.renew("/session/refresh", jar, jar["vagov_anti_csrf_token"]).status == 200


def test_the_front_door_is_at_the_issuers_origin_alone(apart):
    query = urlencode({"application": "vamobile", "oauth": "true", "scope": "device_sso", "code_challenge": "c" * 43,
                       "code_challenge_method": "S256"})
    assert apart.at(ISSUER, "GET", f"/sign-in?{query}", wire.NAVIGATION).status == 303
    assert apart.at(WEBSITE, "GET", f"/sign-in?{query}", wire.NAVIGATION).status == 404
