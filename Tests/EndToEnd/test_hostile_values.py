"""What anybody may send: numbers at and beyond the ends of what a machine word holds, and `Accept` headers of old clients."""

import secrets
from urllib.parse import urlencode

import pytest

import oauth
import signing
import wire

NUMBERS = ["-1e17", "-1e300", "1e300", "1e18", "-1", "9223372036854775807", "-9223372036854775808", "9223372036854776",
           "9223372036854775808", "99999999999999999999999"]
#: Every parameter that is taken apart somewhere.
PARAMETERS = ["journey", "pending", "draft", "form_token", "max_age", "id_token_hint", "token", "client_assertion",
              "subject_token", "actor_token", "access_token", "request_uri", "redirect", "code", "ttl", "hours", "before",
              "after", "limit", "cursor", "state"]
PAGES = ["/oauth/authorize", "/sign-in", "/oauth/logout", "/login-with-token", "/session", "/session/logout", "/auth/check",
         "/account/devices", "/account/second-factor", "/admin/", "/admin/events"]
FORMS = ["/oauth/authorize", "/oauth/consent", "/sign-in", "/sign-in/code", "/oauth/token", "/oauth/par", "/oauth/revoke",
         "/oauth/introspect", "/oauth/userinfo", "/oauth/logout", "/login-with-token", "/session/logout",
         "/account/second-factor", "/account/devices/end", "/admin/sign-in"]


def unsigned(claims: str, header: str) -> str:
    """A JWT whose JSON is written by hand: no encoder writes such numbers."""
    return ".".join(signing.b64url(part.encode()) for part in (header, claims, "no signature"))


def values(number: str, issuer: str, client: str) -> list[str]:
    times = ",".join(f'"{name}":{number}' for name in ("exp", "iat", "nbf", "auth_time"))
    claims = f'{{"iss":"{client}","sub":"{client}","aud":"{issuer}","jti":"{secrets.token_hex(8)}",{times}}}'
    headers = ['{"alg":"ES256"}', '{"alg":"HS256","typ":"login+jwt","kid":"demo"}',
               '{"alg":"ES256","typ":"dpop+jwt","jwk":{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}}']
    return [number, f"{number}.AA.AA", *(unsigned(claims, header) for header in headers)]


@pytest.fixture(scope="module")
def signing_client(demo):
    """A client that signs its assertions; they are looked at before anything is verified."""
    key = {"kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
           "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}
    answer = demo.send(
        "POST", "/api/admin/clients", {"Authorization": f"Bearer {demo.facts['admin_token']}"},
        {"client_id": f"signing-{secrets.token_hex(4)}", "client_name": "Signs", "client_type": "service",
         "token_endpoint_auth_method": "private_key_jwt", "jwks": {"keys": [key]}})
    assert answer.status == 201, answer.body
    return answer.json()["client_id"]


@pytest.mark.parametrize("number", NUMBERS)
def test_no_number_ends_the_process(demo, signing_client, number):
    statuses = set()
    for value in values(number, demo.facts["issuer"], signing_client):
        form = urlencode({
            **{name: value for name in PARAMETERS}, "grant_type": "client_credentials", "client_id": signing_client,
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"})
        bearing = {"Authorization": f"Bearer {value}", "DPoP": value}
        for path in PAGES:
            # By itself, too: a client that is known takes another way than a journey that is resumed.
            for query in (form, f"journey={value}", f"max_age={value}"):
                statuses.add(demo.send("GET", f"{path}?{query}", wire.NAVIGATION).status)
        for path in FORMS:
            statuses.add(demo.send("POST", path, {"Content-Type": wire.FORM}, form).status)
            statuses.add(demo.send("POST", path, {"Content-Type": wire.FORM, **bearing}, "token=x").status)
        statuses.add(demo.send("GET", "/oauth/userinfo", bearing).status)
        statuses.add(demo.send("POST", "/api/auth/create-sso-token", bearing, {}).status)
    assert not {status for status in statuses if status >= 500}, statuses
    assert demo.send("GET", "/session").status == 200


@pytest.mark.parametrize("number", [float("1e300"), -1e17, 2**63 - 1, -2**63, 2**63, 10**23])
def test_no_number_of_a_trusted_issuer_ends_the_process(demo, number):
    for changes in ({"exp": number}, {"iat": number}, {"nbf": number}, {"auth_time": number}):
        answer = demo.send("POST", "/api/auth/create-sso-token", demo.authorization(**changes), {})
        assert answer.status in (200, 401), (changes, answer.body)
    assert demo.send("GET", "/session").status == 200


@pytest.mark.parametrize("path", ["/oauth/token", "/oauth/revoke", "/oauth/introspect", "/oauth/par", "/oauth/userinfo"])
@pytest.mark.parametrize("method,form", [("POST", "client_id=nobody&token=x"), ("POST", "grant_type=%zz"), ("PUT", "")])
def test_rfc_6749_5_2_endpoints_for_programs_answer_errors_in_json_whatever_the_client_accepts(demo, path, method, form):
    answer = demo.send(method, path, {"Accept": "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2",
                                      "Content-Type": wire.FORM}, form)
    assert 400 <= answer.status < 500
    assert answer.json()["error"] and answer.header("Cache-Control") == "no-store"
    if path != "/oauth/userinfo":
        assert answer.header("Pragma") == "no-cache"


@pytest.mark.parametrize("uri", ["myapp:/cb", "http://example.com/cb", "com.example.app://cb", "https://a.example/../b"])
def test_native_oauth_c_3_a_redirect_that_can_never_be_safe_is_refused_by_name_at_registration(demo, uri):
    answer = demo.send(
        "POST", "/api/admin/clients", {"Authorization": f"Bearer {demo.facts['admin_token']}"},
        {"client_id": f"unsafe-{secrets.token_hex(4)}", "client_name": "x", "client_type": "native", "redirect_uris": [uri]})
    assert (answer.status, answer.json()["error"]) == (400, "invalid_redirect_uri")
    assert "redirect_uris" in answer.json()["error_description"]


def test_contract_7_another_user_in_the_browser_ends_what_a_website_was_granted(demo):
    browser = oauth.Browser(demo)
    first = oauth.sign_in(demo, "alice", browser=browser, scope="openid profile")
    assert demo.send("GET", "/oauth/userinfo", {"Authorization": f"Bearer {first['access_token']}"}).status == 200
    oauth.sign_in(demo, "bob", browser=browser, scope="openid profile", prompt="login")
    refreshed = oauth.token(demo, {"grant_type": "refresh_token", "refresh_token": first["refresh_token"],
                                   "client_id": "demo-app"})
    assert (refreshed.status, refreshed.json()["error"]) == (400, "invalid_grant")
