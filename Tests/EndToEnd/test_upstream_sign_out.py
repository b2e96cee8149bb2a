"""Signing out at somebody else's OpenID Provider: it says so, and the session here is over."""

import base64
import json
import secrets
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

import instance
import oauth
import provider_of_others
import signing
import wire

SECRET, DIGEST = signing.client_secret()


@pytest.fixture
def upstream():
    provider = provider_of_others.Provider()
    yield provider
    provider.close()


@pytest.fixture
def served(serve, upstream, tmp_path):
    return serve(upstream.settings(tmp_path), clients=[{
               "client_id": "rp", "client_type": "web", "first_party": True, "redirect_uris": [oauth.RP_REDIRECT],
               "client_secret_digest": DIGEST, "require_pkce": False}])


def signed_in(served, upstream, subject: str = "77", session: str | None = None) -> oauth.Browser:
    """A browser that came by the provider."""
    upstream.subject, upstream.token_claims = subject, {"sid": session} if session else {}
    browser = oauth.Browser(served)
    there = browser.request("GET", "/sign-in/with/other").header("Location")
    back = wire.send(upstream.issuer, "GET", there.removeprefix(upstream.issuer)).header("Location")
    assert browser.request("GET", back.removeprefix(served.base)).status == 303
    assert is_signed_in(browser)
    return browser


def is_signed_in(browser: oauth.Browser) -> bool:
    status = browser.request("GET", "/auth/check").status
    assert status in (200, 401)
    return status == 200


def granted(served, browser: oauth.Browser) -> str:
    """The access token of a website that the browser's user signs in to."""
    query = {"response_type": "code", "client_id": "rp", "redirect_uri": oauth.RP_REDIRECT, "scope": "openid",
             "state": secrets.token_urlsafe(8)}
    location = browser.request("GET", "/oauth/authorize?" + urlencode(query)).header("Location")
    code = parse_qs(urlsplit(location).query)["code"][0]
    basic = base64.b64encode(f"rp:{SECRET}".encode()).decode()
    answer = oauth.redeem(served, code, None, "rp", oauth.RP_REDIRECT, {"Authorization": f"Basic {basic}"})
    assert answer.status == 200, answer.text
    return answer.json()["access_token"]


def user_info(served, token: str) -> int:
    return served.send("GET", "/oauth/userinfo", {"Authorization": f"Bearer {token}"}).status


def tell(served, token: str, provider: str = "other") -> wire.Answer:
    answer = oauth.post(served, f"/sign-in/logout/{provider}", {"logout_token": token})
    assert answer.header("Cache-Control") == "no-store"
    return answer


def refusals(served) -> list[str]:
    return [row["reason"] for row in instance.audit_rows(served.data) if row["type"] == "logout_token.refused"]


def test_a_sign_out_at_the_provider_ends_the_session_and_what_was_granted_in_it(served, upstream):
    others, browser = signed_in(served, upstream, "78"), signed_in(served, upstream)
    token, others_token = granted(served, browser), granted(served, others)
    assert (user_info(served, token), user_info(served, others_token)) == (200, 200)
    upstream.subject = "77"
    answer = tell(served, upstream.logout_token())
    assert (answer.status, answer.body) == (200, b"")
    assert not is_signed_in(browser) and user_info(served, token) == 401
    assert is_signed_in(others) and user_info(served, others_token) == 200
    ends = [row for row in instance.audit_rows(served.data) if row["type"].endswith("_session.ended")]
    assert {(row["type"], row["reason"]) for row in ends} == {
        ("web_session.ended", "upstream_signed_out"), ("app_session.ended", "upstream_signed_out")}


def test_the_provider_ends_one_of_a_users_sessions_by_its_sid(served, upstream):
    phone, desk = signed_in(served, upstream, session="s1"), signed_in(served, upstream, session="s2")
    assert tell(served, upstream.logout_token(sid="s1")).status == 200
    assert not is_signed_in(phone) and is_signed_in(desk)
    assert tell(served, upstream.logout_token(sub=None, sid="s2")).status == 200
    assert not is_signed_in(desk)


def test_a_logout_token_counts_once(served, upstream):
    signed_in(served, upstream)
    token = upstream.logout_token()
    assert tell(served, token).status == 200
    back = signed_in(served, upstream)
    assert tell(served, token).status == 400
    assert is_signed_in(back) and refusals(served) == ["replayed"]


@pytest.mark.parametrize("changes, reason", [
    ({"iss": "https://evil.example"}, "wrong_issuer"), ({"aud": "somebody"}, "wrong_audience"), ({"exp": 1}, "expired"),
    ({"iat": 1}, "too_old"), ({"events": {}}, "no_logout_event"), ({"nonce": "n"}, "has_nonce"),
    ({"sub": None}, "nobody_named"), ({"jti": None}, "without_id"),
])
def test_a_token_that_says_something_else_signs_nobody_out(served, upstream, changes, reason):
    browser = signed_in(served, upstream)
    answer = tell(served, upstream.logout_token(**changes))
    assert answer.status == 400 and answer.json()["error"] == "invalid_request"
    assert is_signed_in(browser) and refusals(served) == [reason]


def test_a_token_that_the_provider_did_not_sign_signs_nobody_out(served, upstream):
    browser = signed_in(served, upstream)
    good, upstream.key = upstream.key, provider_of_others.ec.generate_private_key(provider_of_others.ec.SECP256R1())
    forged = upstream.logout_token()
    upstream.key = good
    head, body, _ = upstream.logout_token().split(".")
    header = signing.b64url(json.dumps({"alg": "none", "typ": "logout+jwt"}).encode())
    for token in [forged, f"{header}.{body}.", f"{head}.{body}.", "token"]:
        assert tell(served, token).status == 400
    assert refusals(served) == ["bad_signature", "wrong_algorithm", "bad_signature", "malformed"]
    assert tell(served, upstream.logout_token(), "nobody").status == 404
    assert is_signed_in(browser)


def test_an_id_token_of_the_provider_is_no_logout_token(served, upstream):
    tokens = []
    sign = upstream.sign
    upstream.sign = lambda claims: tokens.append(sign(claims)) or tokens[-1]
    browser = signed_in(served, upstream)
    assert tell(served, tokens[0]).status == 400 and is_signed_in(browser)


def test_while_the_providers_keys_are_away_it_is_asked_to_send_again(served, upstream):
    documents = upstream.documents()
    del documents["/keys"]
    upstream.documents = lambda: documents
    answer = tell(served, upstream.logout_token())
    assert answer.status == 503 and answer.header("Retry-After")
    assert refusals(served) == []
