"""The modules of the Basic OP plan: code flow, `client_secret_basic`, static clients; one test for each."""

import secrets
import time

import pytest

import conditions
import jose
import signing
from op import CALLBACK, POST, SECOND, Website

module = pytest.mark.module


@pytest.fixture(autouse=True)
def later(reused):
    """Begun with the first module."""
    return reused


def after(seconds: float):
    """Waits as the suite does, so that times in whole seconds differ."""
    time.sleep(seconds)


# The flow

@module("oidcc-server")
def test_oidcc_server(website, report):
    login = website.log_in()
    report.must(len(login.code) * 8 >= 128, "the code is long enough")
    report.must(conditions.entropy(login.code) >= 96, "the code is random enough")
    report.should("expires_in" in login.tokens, "expires_in is recommended")
    conditions.check_at_hash(report, login.claims, login.tokens["access_token"])
    report.should("name" not in login.claims, "the ID token has a name that nobody asked for")
    surplus = set(login.claims) - conditions.ID_TOKEN_CLAIMS
    report.should(not surplus, f"the ID token has claims that nobody asked for: {sorted(surplus)}")
    report.must("sign-in" in login.shown, "the person signed in")


@module("oidcc-response-type-missing")
def test_oidcc_response_type_missing(website):
    website.expect_error({"invalid_request", "unsupported_response_type"}, response_type=None)


@module("oidcc-idtoken-signature")
def test_oidcc_idtoken_signature(website, report):
    login = website.log_in()
    header, _ = signing.parts(login.tokens["id_token"])
    report.must(header.get("alg") == "RS256" and bool(header.get("kid")), "RS256, with a kid")
    report.not_applicable("needs dynamic registration; a client registered for RS256 gets it, with a kid")


@module("oidcc-idtoken-unsigned")
def test_oidcc_idtoken_unsigned(op, report):
    report.must("none" not in op.metadata["id_token_signing_alg_values_supported"], "`none` is not offered")
    report.not_applicable("needs dynamic registration; `none` is not among the algorithms")


@pytest.mark.parametrize("how", [
    pytest.param("get", marks=module("oidcc-userinfo-get")),
    pytest.param("header", marks=module("oidcc-userinfo-post-header")),
    pytest.param("body", marks=module("oidcc-userinfo-post-body")),
])
def test_oidcc_userinfo(website, report, how):
    login = website.log_in()
    conditions.check_userinfo(report, website.userinfo(login.tokens["access_token"], how), login.claims["sub"])


@module("oidcc-ensure-request-without-nonce-succeeds-for-code-flow")
def test_oidcc_ensure_request_without_nonce_succeeds_for_code_flow(website, report):
    login = website.log_in(nonce=None)
    report.must("nonce" not in login.claims, "there is no nonce where none was sent")


# Claims

def check_scopes(website, report, scope: str, **changes):
    login = website.log_in(scope=scope, **changes)
    claims = conditions.check_userinfo(report, website.userinfo(login.tokens["access_token"]), login.claims["sub"])
    expected = set().union(*(conditions.SCOPE_CLAIMS[name] for name in scope.split()))
    missing = sorted(expected - set(claims))
    report.should(not missing, f"not in userinfo: {', '.join(missing)}")
    report.must(set(claims) <= expected, f"userinfo has nothing else: {sorted(set(claims) - expected)}")
    return login, claims


@pytest.mark.parametrize("scope", [
    pytest.param("openid profile", marks=module("oidcc-scope-profile")),
    pytest.param("openid email", marks=module("oidcc-scope-email")),
    pytest.param("openid address", marks=module("oidcc-scope-address")),
    pytest.param("openid phone", marks=module("oidcc-scope-phone")),
    pytest.param("openid email phone address profile", marks=module("oidcc-scope-all")),
])
def test_oidcc_scope(website, report, scope):
    check_scopes(website, report, scope)


@module("oidcc-alternate-happy-flow")
def test_oidcc_alternate_happy_flow(website, report, monkeypatch):
    in_order = website.request
    monkeypatch.setattr(website, "request", lambda **changes: dict(reversed(in_order(**changes).items())))
    check_scopes(website, report, "email openid")


@module("oidcc-claims-essential")
def test_oidcc_claims_essential(website, report):
    login = website.log_in(claims='{"userinfo":{"name":{"essential":true}}}')
    claims = conditions.check_userinfo(report, website.userinfo(login.tokens["access_token"]), login.claims["sub"])
    report.should("name" in claims, "name was essential")
    report.should("name" not in login.claims, "the ID token has the name too")


# Parameters that must not hurt

@pytest.mark.parametrize("parameters", [
    pytest.param({"display": "page"}, marks=module("oidcc-display-page")),
    pytest.param({"display": "popup"}, marks=module("oidcc-display-popup")),
    pytest.param({"extra": "foobar"}, marks=module("oidcc-ensure-request-with-unknown-parameter-succeeds")),
    pytest.param({"login_hint": "buffy@127.0.0.1"}, marks=module("oidcc-login-hint")),
    pytest.param({"ui_locales": "se"}, marks=module("oidcc-ui-locales")),
    pytest.param({"claims_locales": "se"}, marks=module("oidcc-claims-locales")),
])
def test_oidcc_parameter(website, parameters):
    website.log_in(**parameters)


@module("oidcc-ensure-request-with-acr-values-succeeds")
def test_oidcc_ensure_request_with_acr_values_succeeds(op, website, report):
    values = op.metadata["acr_values_supported"]
    login = website.log_in(acr_values=" ".join(values))
    report.should(login.claims.get("acr") in values, "acr is one of those asked for")


@module("oidcc-ensure-post-request-succeeds")
def test_oidcc_ensure_post_request_succeeds(website):
    website.log_in(method="POST")


# Signing in again, or not

@module("oidcc-prompt-login")
def test_oidcc_prompt_login(website, report):
    first = website.log_in()
    after(1)
    second = website.log_in(prompt="login")
    report.must("sign-in" in second.shown, "the person signs in again")
    report.must(second.claims["auth_time"] > first.claims["auth_time"], "auth_time is later")
    report.review("a picture of the second sign-in page")


@module("oidcc-prompt-none-not-logged-in")
def test_oidcc_prompt_none_not_logged_in(website):
    website.expect_error(conditions.NEEDS_A_PERSON, prompt="none", state=secrets.token_urlsafe(96))


def silently_again(website, report, first, **parameters):
    second = website.log_in(**parameters)
    report.must(second.shown == [], f"nobody is asked: {second.shown}")
    report.must(second.claims["auth_time"] == first.claims["auth_time"], "auth_time stays")
    report.must(second.claims["sub"] == first.claims["sub"], "sub stays")


@module("oidcc-prompt-none-logged-in")
def test_oidcc_prompt_none_logged_in(website, report):
    silently_again(website, report, website.log_in(), prompt="none")


@module("oidcc-id-token-hint")
def test_oidcc_id_token_hint(website, report):
    first = website.log_in()
    silently_again(website, report, first, prompt="none", id_token_hint=first.tokens["id_token"])


@module("oidcc-max-age-1")
def test_oidcc_max_age_1(website, report):
    first = website.log_in()
    after(2)
    second = website.log_in(max_age="1")
    report.must("sign-in" in second.shown, "the person signs in again")
    report.must(second.claims["auth_time"] > first.claims["auth_time"], "auth_time is later")
    report.must(second.claims["auth_time"] > time.time() - conditions.SKEW - 1, "auth_time is recent")
    report.review("a picture of the second sign-in page")


@module("oidcc-max-age-10000")
def test_oidcc_max_age_10000(website, report):
    first = website.log_in(max_age="15000")
    report.must("auth_time" in first.claims, "auth_time is there for max_age")
    silently_again(website, report, first, max_age="10000")


# Codes and redirects

@module("oidcc-codereuse")
def test_oidcc_codereuse(website, report):
    login = website.log_in()
    second = website.redeem(login.code, login.request)
    report.should(second.status != 200, "a code was taken twice")
    if second.status != 200:
        conditions.check_token_error(report, second, "invalid_grant")


@module("oidcc-ensure-registered-redirect-uri")
def test_oidcc_ensure_registered_redirect_uri(website, report):
    website.expect_page(redirect_uri=f"{CALLBACK}/{secrets.token_urlsafe(8)}")
    report.review("a picture of the error page")


# Client authentication and request objects

@module("oidcc-server-client-secret-post")
def test_oidcc_server_client_secret_post(op, report):
    report.must("client_secret_post" in op.metadata["token_endpoint_auth_methods_supported"], "it is in the metadata")
    Website(op, report, POST).log_in(authentication="post")


def refused_back(website, error: str, request: dict) -> dict:
    landing = website.authorize(request)
    assert landing.location and landing.location.startswith(CALLBACK), landing
    website.report.must(landing.answer["error"] == error, f"{error}: {landing.answer}")
    return landing.answer


@module("oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported")
def test_oidcc_request_uri_unsigned_supported_correctly_or_rejected_as_unsupported(website, report):
    request = website.request(request_uri="https://suite.example.com/request.jwt#fragment", state=None, nonce=None)
    refused_back(website, "request_uri_not_supported", request)
    report.not_applicable("needs dynamic registration; the answer is request_uri_not_supported")


def with_object(website, redirect_uri: str) -> dict:
    """All parameters in an unsigned object, what OAuth demands outside as well."""
    request = website.request()
    outside = {name: request[name] for name in ["client_id", "response_type", "scope"]}
    return {**outside, "redirect_uri": redirect_uri,
            "request": jose.unsigned({**request, "iss": website.client, "aud": website.op.issuer})}


@module("oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported")
def test_oidcc_unsigned_request_object_supported_correctly_or_rejected_as_unsupported(website, report):
    refused_back(website, "request_not_supported", with_object(website, CALLBACK))
    report.skip("the answer is request_not_supported, which is permitted")


@module("oidcc-ensure-request-object-with-redirect-uri")
def test_oidcc_ensure_request_object_with_redirect_uri(website, report):
    landing = website.authorize(with_object(website, f"{CALLBACK}_invalid"))
    report.must(landing.location is None and landing.page.status == 400, f"an error page, no redirect: {landing}")
    report.review("a picture of the error page")


# Refresh tokens and PKCE

def refreshed(website, report, login, **more) -> dict:
    """One refresh, checked against the first tokens."""
    first = login.tokens["refresh_token"]
    report.must(all(0x20 <= ord(character) <= 0x7E for character in first), "the refresh token has allowed characters")
    answer = website.token({"grant_type": "refresh_token", "refresh_token": first, **more})
    tokens, _ = website.check_tokens(answer, signing.parts(answer.json()["id_token"])[1].get("nonce"))
    report.must("no-store" in answer.header("Cache-Control"), "no cache keeps the answer")
    report.must(tokens["token_type"].lower() == "bearer", "the token type is Bearer")
    report.must(tokens["access_token"] != login.tokens["access_token"], "the access token is another one")
    report.must(conditions.entropy(tokens["access_token"]) >= 96, "the access token is random enough")
    report.should("expires_in" in tokens, "expires_in is recommended")
    newest = tokens.get("refresh_token", first)
    report.must(len(newest) * 8 >= 128 and conditions.entropy(newest) >= 96, "the refresh token is random enough")
    _, claims = signing.parts(tokens["id_token"])
    for name in ["iss", "sub", "aud", "auth_time", "azp"]:
        report.must(claims.get(name) == login.claims.get(name), f"{name} of the ID token stays")
    report.must(claims["iat"] != login.claims["iat"], "iat of the ID token is new")
    report.must(website.userinfo(tokens["access_token"]).status == 200, "the new access token works")
    return tokens


@module("oidcc-refresh-token")
def test_oidcc_refresh_token(op, website, report):
    report.must("refresh_token" in op.metadata["grant_types_supported"], "it is in the metadata")
    asked = {"scope": "openid offline_access", "prompt": "consent"}
    first = website.log_in(**asked)
    other = Website(op, report, SECOND)
    second = other.log_in(**asked, nonce=secrets.token_urlsafe(32)[:43])
    after(1)
    refreshed(website, report, first, scope="openid offline_access")
    tokens = refreshed(other, report, second)
    stolen = website.token({"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]})
    conditions.check_token_error(report, stolen, "invalid_grant")


@module("oidcc-ensure-request-with-valid-pkce-succeeds")
def test_oidcc_ensure_request_with_valid_pkce_succeeds(website):
    verifier = secrets.token_urlsafe(48)
    website.log_in(verifier=verifier, code_challenge=signing.challenge(verifier), code_challenge_method="S256")


# Last, because it takes half a minute from the first module.

@module("oidcc-codereuse-30seconds")
def test_oidcc_codereuse_30seconds(later, website, report):
    later = later[report.mode]
    later.thread.join(45)
    assert later.userinfo, "the second use was not made"
    conditions.check_token_error(report, later.second, "invalid_grant")
    report.should(400 <= later.userinfo.status < 500, "the access token works after the code's second use")
