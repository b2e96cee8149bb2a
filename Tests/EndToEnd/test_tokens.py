"""The token side of the OAuth provider (contract §5, §7), against a running demo."""

import base64
import json
import secrets
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

import instance
import oauth
import signing
import wire
from admin import Admin, admin
from devices import GRANT as DEVICE_GRANT, Device, Visitor
from instance import wait_until
from native import App
from receiver import Receiver
from websites import registered_rp, sign_in


def error(answer) -> tuple[int, str]:
    return answer.status, answer.json()["error"]


def fresh_code(demo, **more) -> tuple[str, str]:
    verifier = secrets.token_urlsafe(48)
    return oauth.Browser(demo).authorize(verifier=verifier, **more)["code"], verifier


# Metadata and keys

@pytest.mark.parametrize("name", ["openid-configuration", "oauth-authorization-server"])
def test_both_documents_describe_the_same_provider(demo, name):
    answer = demo.send("GET", f"/.well-known/{name}")
    document = answer.json()
    assert document["issuer"] == demo.facts["issuer"]
    assert answer.header("Cache-Control") == "public, max-age=3600"
    assert answer.header("Access-Control-Allow-Origin") == "*"
    assert document["token_endpoint"] == demo.facts["issuer"] + "/oauth/token"
    assert document["code_challenge_methods_supported"] == ["S256"]
    assert {"RS256", "ES256", "EdDSA"} <= set(document["id_token_signing_alg_values_supported"])
    assert document["native_sso_supported"] is True and document["backchannel_logout_supported"] is True
    assert "authorization_code" in document["grant_types_supported"]


def test_published_keys_are_public_and_named(demo):
    keys = demo.send("GET", "/.well-known/jwks.json").json()["keys"]
    assert {key["alg"] for key in keys} == {"ES256", "RS256", "EdDSA"}
    assert len({key["kid"] for key in keys}) == len(keys)
    assert not {"d", "p", "q", "k"} & {member for key in keys for member in key}


# authorization_code

def test_a_code_becomes_tokens(demo):
    tokens = oauth.sign_in(demo, nonce="n-1")
    assert tokens["token_type"] == "Bearer" and 0 < tokens["expires_in"] <= 3600
    header, access = signing.parts(tokens["access_token"])
    assert header["typ"] == "at+jwt" and header["alg"] == "ES256"
    assert access["iss"] == demo.facts["issuer"] == access["aud"] and access["client_id"] == "demo-app"
    assert access["sub"] == demo.user("alice")["sub"]
    header, claims = signing.parts(tokens["id_token"])
    assert claims["at_hash"] == signing.half_hash(tokens["access_token"])
    assert claims["nonce"] == "n-1" and claims["sid"] == access["sid"] and claims["aud"] == "demo-app"
    assert abs(claims["auth_time"] - time.time()) < 60 and claims["amr"] and claims["acr"]
    assert "name" not in claims


def test_answers_are_kept_by_no_cache(demo):
    code, verifier = fresh_code(demo)
    answer = oauth.redeem(demo, code, verifier)
    assert answer.header("Cache-Control") == "no-store" and answer.header("Pragma") == "no-cache"


@pytest.mark.parametrize("change", [
    {"verifier": None}, {"verifier": "x" * 43}, {"verifier": "short"}, {"redirect": "http://127.0.0.1:1/callback"},
    {"client": "demo-app-b"},
])
def test_a_code_is_bound_and_survives_a_failed_try(demo, change):
    code, verifier = fresh_code(demo)
    assert error(oauth.redeem(demo, **{"code": code, "verifier": verifier, **change})) == (400, "invalid_grant")
    assert oauth.redeem(demo, code, verifier).status == 200


def test_the_third_failed_try_uses_a_code_up(demo):
    code, verifier = fresh_code(demo)
    for _ in range(3):
        assert error(oauth.redeem(demo, code, "y" * 43)) == (400, "invalid_grant")
    assert error(oauth.redeem(demo, code, verifier)) == (400, "invalid_grant")


def test_a_code_used_twice_ends_what_it_opened(demo):
    code, verifier = fresh_code(demo)
    tokens = oauth.redeem(demo, code, verifier).json()
    assert oauth.userinfo(demo, tokens["access_token"]).status == 200
    assert error(oauth.redeem(demo, code, verifier)) == (400, "invalid_grant")
    wait_until(lambda: oauth.userinfo(demo, tokens["access_token"]).status == 401, 1.2, "the access token's end")
    assert error(oauth.refresh(demo, tokens["refresh_token"])) == (400, "invalid_grant")


def test_of_a_hundred_redeemers_one_wins_and_loses_it_again(demo):
    code, verifier = fresh_code(demo)
    with ThreadPoolExecutor(100) as pool:
        answers = list(pool.map(lambda _: oauth.redeem(demo, code, verifier), range(100)))
    winners = [answer for answer in answers if answer.status == 200]
    assert len(winners) == 1
    assert {error(answer) for answer in answers if answer.status != 200} == {(400, "invalid_grant")}
    tokens = winners[0].json()
    assert error(oauth.refresh(demo, tokens["refresh_token"])) == (400, "invalid_grant")
    wait_until(lambda: oauth.userinfo(demo, tokens["access_token"]).status == 401, 1.2, "the access token's end")
    assert oauth.introspect(demo, tokens["access_token"]) == {"active": False}


def test_a_verifier_without_a_challenge_is_a_downgrade(demo):
    code = oauth.Browser(demo).authorize(client="demo-rp", redirect=oauth.RP_REDIRECT, scope="openid")["code"]
    answer = oauth.redeem(demo, code, "z" * 43, redirect=oauth.RP_REDIRECT, headers=oauth.basic(demo, "demo-rp"))
    assert error(answer) == (400, "invalid_request")


# Client authentication and the shape of requests

def test_a_wrong_secret_is_answered_in_kind(demo):
    wrong = {"Authorization": "Basic " + base64.b64encode(b"demo-admin:wrong").decode()}
    answer = oauth.token(demo, {"grant_type": "client_credentials"}, wrong)
    assert error(answer) == (401, "invalid_client")
    assert answer.header("WWW-Authenticate").startswith("Basic")


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer abc"}], ids=["none", "Bearer"])
@pytest.mark.parametrize("path", ["token", "revoke", "introspect", "par", "device_authorization"])
def test_rfc_9110_15_5_2_every_client_that_is_not_believed_gets_a_challenge(demo, path, headers):
    form = {"grant_type": "client_credentials", "token": "x", "client_id": "demo-admin", "client_secret": "wrong"}
    answer = oauth.post(demo, f"/oauth/{path}", form, headers)
    assert error(answer) == (401, "invalid_client")
    assert answer.header("WWW-Authenticate") == 'Basic realm="token"'


@pytest.mark.parametrize("credentials", ["Zm9v", "!!!", "Zm9vOmJhcg", "JTp4"],
                         ids=["no colon", "no Base64", "no padding", "a broken escape"])
@pytest.mark.parametrize("path", ["token", "revoke", "introspect", "par", "device_authorization"])
def test_rfc_6749_5_2_credentials_that_cannot_be_read_have_failed(demo, path, credentials):
    answer = oauth.post(demo, f"/oauth/{path}", "grant_type=client_credentials&token=x&client_id=demo-admin",
                        {"Authorization": f"Basic {credentials}"})
    assert error(answer) == (401, "invalid_client")
    assert answer.header("WWW-Authenticate") == 'Basic realm="token"'


@pytest.mark.parametrize("name", ["redirect_uri", "code_verifier", "scope", "client_secret", "unheard_of", "%FF"])
@pytest.mark.parametrize("path", ["/oauth/token", "/oauth/revoke", "/oauth/introspect", "/v0/sign_in/token"])
def test_rfc_6749_b_what_is_not_utf_8_is_refused_and_not_taken_for_absent(demo, path, name):
    form = f"client_id=demo-app&grant_type=refresh_token&refresh_token=x&token=x&{name}=%FF"
    assert error(oauth.post(demo, path, form)) == (400, "invalid_request")


@pytest.mark.parametrize(("form", "expected"), [
    ("grant_type=client_credentials&grant_type=refresh_token", (400, "invalid_request")),
    ("grant_type=password&username=a&password=b", (400, "unsupported_grant_type")),
    ("grant_type=authorization_code&code=x", (400, "unauthorized_client")),
    ("grant_type=client_credentials&scope=admin+more", (400, "invalid_scope")),
    ("scope=admin", (400, "invalid_request")),
    ("grant_type=client_credentials&client_secret=x", (400, "invalid_request")),
])
def test_bad_requests_have_their_codes(demo, form, expected):
    assert error(oauth.token(demo, form, oauth.basic(demo, "demo-admin"))) == expected


def test_a_public_client_that_sends_a_secret_is_refused(demo):
    answer = oauth.token(demo, {"grant_type": "refresh_token", "refresh_token": "x", "client_id": "demo-app",
                                "client_secret": "hunter2"})
    assert error(answer) == (401, "invalid_client")


def test_only_forms_of_a_bounded_size_are_read(demo):
    assert error(demo.send("POST", "/oauth/token", None, {"grant_type": "client_credentials"})) == (
        400, "invalid_request")
    assert oauth.token(demo, "x=" + "a" * 65_536).status == 413
    assert demo.send("GET", "/oauth/token").status == 405


def test_scripts_of_any_origin_may_call_the_token_endpoint_but_not_authorize(demo):
    answer = demo.send("OPTIONS", "/oauth/token", {"Origin": "https://spa.example"})
    assert answer.status == 204 and answer.header("Access-Control-Allow-Origin") == "*"
    assert "POST" in answer.header("Access-Control-Allow-Methods")
    assert answer.header("Access-Control-Allow-Credentials") is None
    assert oauth.token(demo, {}).header("Access-Control-Allow-Origin") == "*"
    assert demo.send("OPTIONS", "/oauth/authorize").header("Access-Control-Allow-Origin") is None


@pytest.mark.parametrize("path", ["/.well-known/openid-configuration", "/oauth/userinfo", "/oauth/token"])
def test_rfc_9110_10_2_1_allow_of_a_preflight_is_that_of_the_405(demo, path):
    refused, preflight = demo.send("DELETE", path), demo.send("OPTIONS", path, {"Origin": "https://spa.example"})
    assert (refused.status, preflight.status) == (405, 204)
    assert preflight.header("Allow") == refused.header("Allow")
    assert ("HEAD" in preflight.header("Allow").split(", ")) is (path != "/oauth/token")


# refresh_token

def test_a_refresh_rotates_and_its_parent_gives_the_same_once_more(demo):
    tokens = oauth.sign_in(demo)
    first = oauth.refresh(demo, tokens["refresh_token"]).json()
    assert first["refresh_token"] != tokens["refresh_token"]
    assert first["access_token"] != tokens["access_token"] and first["id_token"]
    again = oauth.refresh(demo, tokens["refresh_token"]).json()
    assert again["refresh_token"] == first["refresh_token"]


def test_a_grandparent_revokes_the_family(demo):
    tokens = oauth.sign_in(demo)
    second = oauth.refresh(demo, tokens["refresh_token"]).json()
    third = oauth.refresh(demo, second["refresh_token"]).json()
    assert error(oauth.refresh(demo, tokens["refresh_token"])) == (400, "invalid_grant")
    assert error(oauth.refresh(demo, third["refresh_token"])) == (400, "invalid_grant")
    wait_until(lambda: oauth.userinfo(demo, third["access_token"]).status == 401, 1.2, "the access token's end")
    assert demo.audit("refresh_token.reused")


def test_fifty_refreshes_at_once_have_one_successor(demo):
    tokens = oauth.sign_in(demo)
    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(lambda _: oauth.refresh(demo, tokens["refresh_token"]), range(50)))
    assert {answer.status for answer in answers} == {200}
    assert len({answer.json()["refresh_token"] for answer in answers}) == 1


def test_a_refresh_token_belongs_to_its_client_and_scope(demo):
    tokens = oauth.sign_in(demo, scope="openid profile")
    assert error(oauth.refresh(demo, tokens["refresh_token"], client="demo-app-b")) == (400, "invalid_grant")
    assert error(oauth.refresh(demo, tokens["refresh_token"], scope="openid email")) == (400, "invalid_scope")
    narrowed = oauth.refresh(demo, tokens["refresh_token"], scope="openid").json()
    assert narrowed["scope"] == "openid"
    assert oauth.refresh(demo, narrowed["refresh_token"]).json()["scope"] == "openid profile"


# What a token is for: this server, whatever `resource` asks for (RFC 8707)

ELSEWHERE = "https://api.example.com/"


def where(demo, *resources: str, path: str = "/oauth/authorize?") -> dict:
    """How an authorization request with these resources is answered, as far as that is said without a sign-in."""
    query = urlencode([
        ("response_type", "code"), ("client_id", "demo-app"), ("redirect_uri", oauth.APP_REDIRECT), ("scope", "openid"),
        ("state", "s-8707"), ("prompt", "none"), ("code_challenge", signing.challenge(secrets.token_urlsafe(48))),
        ("code_challenge_method", "S256"), *(("resource", resource) for resource in resources)])
    location = demo.send("GET", path + query).header("Location")
    assert location.startswith(oauth.APP_REDIRECT), location
    return {name: values[0] for name, values in parse_qs(urlsplit(location).query).items()}


def test_rfc_8707_an_authorization_request_for_another_resource_is_refused_at_the_client(demo):
    issuer = demo.facts["issuer"]
    for resources in [(ELSEWHERE,), (issuer, ELSEWHERE), (issuer + "/",), ("demo-web",)]:
        answer = where(demo, *resources)
        assert (answer["error"], answer["state"], answer["iss"]) == ("invalid_target", "s-8707", issuer), resources
    for resources in [(), (issuer,), (issuer, issuer), ("",)]:
        assert where(demo, *resources)["error"] == "login_required", resources


def test_rfc_8707_a_pushed_request_is_judged_with_its_resource_and_so_is_the_address_that_names_it(demo):
    issuer = demo.facts["issuer"]
    form = {"response_type": "code", "client_id": "demo-app", "redirect_uri": oauth.APP_REDIRECT, "scope": "openid",
            "code_challenge": signing.challenge(secrets.token_urlsafe(48)), "code_challenge_method": "S256"}
    for resources in [[ELSEWHERE], [issuer, ELSEWHERE]]:
        refused = oauth.post(demo, "/oauth/par", urlencode({**form, "resource": resources}, doseq=True))
        assert error(refused) == (400, "invalid_target"), refused.text
    pushed = oauth.post(demo, "/oauth/par", urlencode({**form, "resource": [issuer, issuer]}, doseq=True))
    assert pushed.status == 201, pushed.text
    query = {"client_id": "demo-app", "request_uri": pushed.json()["request_uri"]}
    refused = demo.send("GET", "/oauth/authorize?" + urlencode({**query, "resource": ELSEWHERE}))
    assert "error=invalid_target" in refused.header("Location")
    assert "/sign-in?journey=" in demo.send("GET", "/oauth/authorize?" + urlencode(query)).header("Location")


def test_rfc_8707_no_grant_gives_a_token_for_another_resource_and_nothing_is_used_up(start_demo):
    # Of its own: what other tests were refused a moment ago may have used up what is written down in a second.
    demo = start_demo("--no-limits")
    issuer = demo.facts["issuer"]

    def asks(form: dict, headers: dict | None = None):
        refused = oauth.token(demo, {**form, "resource": ELSEWHERE}, headers)
        assert error(refused) == (400, "invalid_target"), refused.text
        told = demo.audit("token_request.refused")[-1]
        assert told["reason"] == "wrong_resource", told
        answer = oauth.token(demo, {**form, "resource": issuer}, headers)
        assert answer.status == 200, answer.text
        return answer.json()

    code, verifier = fresh_code(demo)
    tokens = asks({"grant_type": "authorization_code", "code": code, "client_id": "demo-app", "code_verifier": verifier,
                   "redirect_uri": oauth.APP_REDIRECT})
    asks({"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"], "client_id": "demo-app"})
    asks({"grant_type": "client_credentials"}, oauth.basic(demo, "demo-admin"))
    device = Device(demo)
    Visitor(demo).let_in(device)
    asks({"grant_type": DEVICE_GRANT, "device_code": device.facts["device_code"], "client_id": "demo-app"})


# client_credentials, introspection, userinfo

def test_the_administration_acts_for_itself(demo):
    answer = oauth.token(demo, {"grant_type": "client_credentials"}, oauth.basic(demo, "demo-admin")).json()
    assert answer["scope"] == "admin" and "refresh_token" not in answer
    facts = oauth.introspect(demo, answer["access_token"])
    assert facts["active"] is True and facts["client_id"] == "demo-admin" and facts["scope"] == "admin"
    assert oauth.introspect(demo, demo.facts["admin_token"])["scope"] == "admin"


def test_access_and_refresh_tokens_do_not_outlive_their_client(start_demo):
    demo = start_demo()
    tokens = App(demo, "demo-app-b", callback="com.example.demob:/callback").sign_in()
    presented = [tokens["access_token"], tokens["refresh_token"]]
    assert all(oauth.introspect(demo, token)["active"] for token in presented)
    admin = Admin(demo)
    tag = admin.get("clients/demo-app-b").header("ETag")
    assert admin.send("DELETE", "clients/demo-app-b", headers={"If-Match": tag}).status == 204
    assert [oauth.introspect(demo, token) for token in presented] == [{"active": False}] * 2


def test_introspection_says_nothing_of_what_does_not_count(demo):
    tokens = oauth.sign_in(demo)
    facts = oauth.introspect(demo, tokens["access_token"])
    assert facts["active"] and facts["sub"] == demo.user("alice")["sub"] and facts["username"] == "alice"
    for presented in ["nonsense", tokens["id_token"], tokens["access_token"][:-4] + "AAAA"]:
        assert oauth.introspect(demo, presented) == {"active": False}
    # A refresh token is nobody's business but its client's.
    assert oauth.introspect(demo, tokens["refresh_token"], client="demo-rp") == {"active": False}
    answer = oauth.post(demo, "/oauth/introspect", {"token": tokens["access_token"], "client_id": "demo-app"})
    assert error(answer) == (401, "invalid_client")


def test_userinfo_answers_three_ways(demo):
    access = oauth.sign_in(demo)["access_token"]
    bearer = {"Authorization": f"Bearer {access}"}
    answers = [oauth.userinfo(demo, access), demo.send("POST", "/oauth/userinfo", bearer),
               oauth.post(demo, "/oauth/userinfo", {"access_token": access})]
    assert [answer.json()["sub"] for answer in answers] == [demo.user("alice")["sub"]] * 3
    assert answers[0].json()["name"]
    both = oauth.post(demo, "/oauth/userinfo", {"access_token": access}, bearer)
    assert error(both) == (400, "invalid_request"), "RFC 6750 §2: one way at a time"


@pytest.mark.parametrize("path", ["/oauth/userinfo", "/v0/sign_in/user_info"])
def test_a_clients_own_token_is_refused_for_want_of_a_user(demo, path):
    client = f"job-{secrets.token_hex(4)}"
    made = admin(demo, "POST", "/api/admin/clients", {
        "client_id": client, "client_type": "service", "grant_types": ["client_credentials"], "scope": "x openid"})
    assert made.status == 201, made.text
    granted = oauth.token(demo, {"grant_type": "client_credentials", "client_id": client,
                                 "client_secret": made.json()["client_secret"], "scope": "x openid"}).json()
    assert set(granted["scope"].split()) == {"x", "openid"}
    answer = demo.send("GET", path, {"Authorization": f"Bearer {granted['access_token']}"})
    assert answer.status == 403 and "no user behind it" in answer.text, answer.text


def test_an_id_token_is_no_access_token(demo):
    tokens = oauth.sign_in(demo)
    answer = oauth.userinfo(demo, tokens["id_token"])
    assert answer.status == 401 and "invalid_token" in answer.header("WWW-Authenticate")
    assert demo.send("GET", "/oauth/userinfo").header("WWW-Authenticate") == "Bearer"
    assert oauth.userinfo(demo, demo.facts["admin_token"]).status == 403


def forged(demo, access: str) -> list[str]:
    header, claims = signing.parts(access)
    key = next(key for key in demo.send("GET", "/.well-known/jwks.json").json()["keys"] if key["alg"] == "ES256")
    public = signing.unb64url(key["x"]) + signing.unb64url(key["y"])
    unsigned = signing.b64url(json.dumps({**header, "alg": "none"}).encode())
    body = access.split(".")[1]
    return [f"{unsigned}.{body}.", f"{unsigned}.{body}.{access.split('.')[2]}",
            signing.jwt(claims, public, {**header, "alg": "HS256"}),
            signing.jwt(claims, json.dumps(key).encode(), {**header, "alg": "HS256"})]


def test_alg_none_and_a_public_key_as_a_secret_are_refused(demo):
    access = oauth.sign_in(demo)["access_token"]
    for token in forged(demo, access):
        assert oauth.userinfo(demo, token).status == 401
        assert oauth.introspect(demo, token) == {"active": False}
        assert demo.send("POST", instance.ISSUE, {"Authorization": f"Bearer {token}"}).status == 401


# Revocation and the login token under a session

def test_revoking_a_refresh_token_ends_its_session(demo):
    tokens = oauth.sign_in(demo)
    other = oauth.post(demo, "/oauth/revoke", {"token": tokens["refresh_token"], "client_id": "demo-app-b"})
    assert error(other) == (400, "invalid_grant")
    answer = oauth.post(demo, "/oauth/revoke", {"token": tokens["refresh_token"], "client_id": "demo-app"})
    assert answer.status == 200 and answer.body == b""
    wait_until(lambda: oauth.userinfo(demo, tokens["access_token"]).status == 401, 1.2, "the access token's end")
    assert oauth.post(demo, "/oauth/revoke", {"token": "unknown", "client_id": "demo-app"}).status == 200


def test_revoking_an_access_token_leaves_the_session(demo):
    tokens = oauth.sign_in(demo)
    oauth.userinfo(demo, tokens["access_token"])
    assert oauth.post(
        demo, "/oauth/revoke", {"token": tokens["access_token"], "client_id": "demo-app"}).status == 200
    assert oauth.userinfo(demo, tokens["access_token"]).status == 401
    assert oauth.refresh(demo, tokens["refresh_token"]).status == 200
    answer = oauth.post(demo, "/oauth/revoke", {"token": tokens["id_token"], "client_id": "demo-app"})
    assert error(answer) == (400, "unsupported_token_type")


def issue_with(demo, access: str, **fields):
    return demo.send("POST", instance.ISSUE, {"Authorization": f"Bearer {access}"}, fields or None)


def test_an_access_token_of_ours_issues_login_tokens_until_its_session_ends(demo):
    tokens = oauth.sign_in(demo)
    sid = signing.parts(tokens["access_token"])[1]["sid"]
    first = issue_with(demo, tokens["access_token"]).json()
    assert signing.parts(first["token"])[1]["sid"] == sid
    landed = demo.redeem(first["token"])
    assert landed.status == 303
    cookie = landed.session_cookie
    assert demo.session(cookie)["sub"] == demo.user("alice")["sub"]
    pending = issue_with(demo, tokens["access_token"]).json()
    oauth.post(demo, "/oauth/revoke", {"token": tokens["refresh_token"], "client_id": "demo-app"})
    wait_until(lambda: not demo.session(cookie)["authenticated"], 1.2, "the web session's end")
    wait_until(lambda: issue_with(demo, tokens["access_token"]).status == 401, 1.2, "no more login tokens")
    assert demo.redeem(pending["token"], headers=oauth.wire.OTHER_BROWSER).status == 400


# Logout

def logout_url(**parameters) -> str:
    return "/oauth/logout?" + urlencode(parameters)


def rp_sign_in(demo, browser) -> dict:
    code = browser.authorize(client="demo-rp", redirect=oauth.RP_REDIRECT, scope="openid")["code"]
    return oauth.redeem(
        demo, code, None, redirect=oauth.RP_REDIRECT, headers=oauth.basic(demo, "demo-rp")).json()


def test_a_websites_sign_out_keeps_what_its_user_granted_for_later(demo):
    browser = oauth.Browser(demo)
    code = browser.authorize(client="demo-rp", redirect=oauth.RP_REDIRECT, scope="openid offline_access",
                             prompt="consent")["code"]
    tokens = oauth.redeem(
        demo, code, None, redirect=oauth.RP_REDIRECT, headers=oauth.basic(demo, "demo-rp")).json()
    assert browser.request("GET", logout_url(id_token_hint=tokens["id_token"])).status == 303
    assert oauth.wire.SESSION_COOKIE not in browser.cookies
    renewed = oauth.token(demo, {"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]},
                          oauth.basic(demo, "demo-rp"))
    assert renewed.status == 200, renewed.text


@pytest.mark.parametrize("named", [{}, {"client_id": "demo-rp"}], ids=["by the hint", "by its client too"])
def test_a_website_with_a_hint_signs_out_at_once(demo, named):
    browser = oauth.Browser(demo)
    tokens = rp_sign_in(demo, browser)
    state = "s" * 128
    answer = browser.request("GET", logout_url(
        id_token_hint=tokens["id_token"], post_logout_redirect_uri="https://rp.example.com/signed-out", state=state,
        **named))
    assert answer.status == 303
    assert answer.header("Location") == f"https://rp.example.com/signed-out?state={state}"
    assert oauth.userinfo(demo, tokens["access_token"]).status == 401
    assert "prompt" not in browser.cookies and oauth.wire.SESSION_COOKIE not in browser.cookies


@pytest.mark.parametrize("spoil", [
    lambda hint: {"id_token_hint": hint, "post_logout_redirect_uri": "https://rp.example.com/elsewhere"},
    lambda hint: {"id_token_hint": hint, "post_logout_redirect_uri": "https://rp.example.com/signed-out?foo=bar"},
    lambda hint: {"id_token_hint": hint[:-4] + "AAAA", "post_logout_redirect_uri": "https://rp.example.com/signed-out"},
    lambda hint: {"id_token_hint": hint, "client_id": "demo-web",
                  "post_logout_redirect_uri": "https://rp.example.com/signed-out"},
    lambda hint: {"post_logout_redirect_uri": "https://rp.example.com/signed-out"},
    lambda hint: {},
])
def test_a_bad_logout_request_leads_nowhere_else(demo, spoil):
    browser = oauth.Browser(demo)
    tokens = rp_sign_in(demo, browser)
    answer = browser.request("GET", logout_url(**spoil(tokens["id_token"])))
    if answer.status == 200:
        assert demo.session(f"{oauth.wire.SESSION_COOKIE}={browser.cookies[oauth.wire.SESSION_COOKIE]}")["authenticated"]
        answer = browser.submit(answer)
    assert answer.status == 303 and answer.header("Location") == demo.base + "/session/signed-out"
    assert oauth.userinfo(demo, tokens["access_token"]).status == 401


def test_a_websites_post_is_sent_round_to_a_get_that_shows_no_token(demo):
    browser = oauth.Browser(demo)
    tokens = rp_sign_in(demo, browser)
    fields = {"id_token_hint": tokens["id_token"], "state": "a b",
              "post_logout_redirect_uri": "https://rp.example.com/signed-out"}
    answer = demo.send("POST", "/oauth/logout", None, urlencode(fields))
    location = answer.header("Location")
    assert answer.status == 303 and location.startswith(demo.base + "/oauth/logout?request=")
    assert "id_token" not in location and not any(part in location for part in tokens["id_token"].split("."))
    assert "rp.example.com" not in location
    answer = browser.request("GET", location.removeprefix(demo.base))
    assert answer.status == 303
    assert answer.header("Location") == "https://rp.example.com/signed-out?state=a%20b"
    assert oauth.userinfo(demo, tokens["access_token"]).status == 401


def test_neither_head_nor_a_prefetch_signs_out(demo):
    browser = oauth.Browser(demo)
    tokens = rp_sign_in(demo, browser)
    url = logout_url(id_token_hint=tokens["id_token"])
    assert browser.request("HEAD", url).status == 405
    cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    answer = demo.send("GET", url, {**wire.NAVIGATION, "Cookie": cookies, "Sec-Purpose": "prefetch"})
    assert answer.status == 200 and "form_token" in answer.text
    assert oauth.userinfo(demo, tokens["access_token"]).status == 200


def test_a_post_that_brings_our_cookie_signs_out_at_once(demo):
    """From another host of the same site, or a browser that knows no SameSite (contract §5)."""
    browser = oauth.Browser(demo)
    tokens = rp_sign_in(demo, browser)
    answer = browser.request("POST", "/oauth/logout", {
        "id_token_hint": tokens["id_token"], "post_logout_redirect_uri": "https://rp.example.com/signed-out"})
    assert answer.status == 303 and answer.header("Location") == "https://rp.example.com/signed-out"
    assert oauth.userinfo(demo, tokens["access_token"]).status == 401


@pytest.mark.parametrize("more,state", [
    ("&state=100%", "100%25"), ("&state=s1&utm_campaign=50%off", "s1"), ("&state=s1&%zz=1", "s1"), ("&state=%ff", None),
])
def test_a_broken_escape_keeps_nobody_signed_in(demo, more, state):
    for method in ("GET", "POST"):
        browser = oauth.Browser(demo)
        tokens = rp_sign_in(demo, browser)
        query = urlencode({"id_token_hint": tokens["id_token"],
                           "post_logout_redirect_uri": "https://rp.example.com/signed-out"}) + more
        cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
        headers = {**wire.NAVIGATION, "Cookie": cookies, "Sec-Fetch-Site": "same-origin"}
        answer = demo.send("GET", f"/oauth/logout?{query}", headers) if method == "GET" else demo.send(
            "POST", "/oauth/logout", headers, query)
        assert answer.status == 303, answer.text
        assert answer.header("Location") == "https://rp.example.com/signed-out" + (f"?state={state}" if state else "")
        assert oauth.userinfo(demo, tokens["access_token"]).status == 401


def test_a_sign_out_that_cannot_be_read_asks_the_user(demo):
    browser = oauth.Browser(demo)
    tokens = rp_sign_in(demo, browser)
    many = "&".join(f"p{number}=1" for number in range(70))
    hint = urlencode({"id_token_hint": tokens["id_token"]})
    for method, target in (("GET", f"/oauth/logout?{hint}&{many}"), ("POST", "/oauth/logout")):
        answer = browser.request(method, target)
        assert answer.status == 200 and "form_token" in answer.text, answer.text
    assert browser.submit(answer).status == 303
    assert oauth.userinfo(demo, tokens["access_token"]).status == 401


def test_a_post_that_brings_our_cookie_and_no_hint_of_its_session_ends_nothing(demo):
    other = rp_sign_in(demo, oauth.Browser(demo))
    browser = oauth.Browser(demo)
    tokens = rp_sign_in(demo, browser)
    for fields in ({"state": "x"}, {"id_token_hint": other["id_token"]}, {"id_token_hint": "nonsense"}):
        answer = browser.request("POST", "/oauth/logout", fields)
        assert answer.status == 200 and "form_token" in answer.text, "the user is asked"
    assert oauth.userinfo(demo, tokens["access_token"]).status == 200


def test_a_websites_post_for_somebody_else_shows_the_question(demo):
    other = rp_sign_in(demo, oauth.Browser(demo))
    browser = oauth.Browser(demo)
    rp_sign_in(demo, browser)
    answer = demo.send("POST", "/oauth/logout", None, urlencode({"id_token_hint": other["id_token"]}))
    answer = browser.request("GET", answer.header("Location").removeprefix(demo.base))
    assert answer.status == 200 and "form_token" in answer.text
    answer = browser.submit(answer)
    assert answer.status == 303 and answer.header("Location") == demo.base + "/session/signed-out"


@pytest.mark.parametrize("query", ["request=nonsense", "request=1.a.b", "request=a&request=b"])
def test_a_sealed_logout_that_does_not_open_is_one_without_parameters(demo, query):
    browser = oauth.Browser(demo)
    rp_sign_in(demo, browser)
    assert browser.request("GET", "/oauth/logout?" + query).status == 200


def test_a_website_hears_of_a_sign_out_once(demo):
    receiver = Receiver()
    browser = oauth.Browser(demo)
    tokens = sign_in(demo, registered_rp(demo, receiver), browser, scope="openid")
    browser.request("GET", logout_url(id_token_hint=tokens["id_token"]))
    wait_until(lambda: receiver.tokens, what="the logout token")
    header, claims = signing.parts(receiver.tokens[0])
    identity = signing.parts(tokens["id_token"])[1]
    assert header["typ"] == "logout+jwt" and header["alg"] == "RS256"
    assert (claims["sub"], claims["sid"], claims["aud"]) == (identity["sub"], identity["sid"], identity["aud"])
    assert claims["events"] == {"http://schemas.openid.net/event/backchannel-logout": {}} and "nonce" not in claims
    assert list(receiver.bodies[0]) == ["logout_token"]
    wait_until(lambda: demo.audit("logout_notice.sent"), what="the record")
    receiver.close()
    assert len(receiver.tokens) == 1


def test_a_logout_notice_survives_a_restart(start_demo):
    receiver = Receiver([500] * 2)
    first = start_demo("--no-limits")
    browser = oauth.Browser(first)
    tokens = sign_in(first, registered_rp(first, receiver), browser, scope="openid")
    browser.request("GET", logout_url(id_token_hint=tokens["id_token"]))

    def tried():
        """And noted it: killed within the try, the whole lease of a try would be waited for."""
        ((due,),) = first.query("SELECT next_attempt_at FROM logout_notice")
        return receiver.tokens and due < (time.time() + 10) * 1000

    wait_until(tried, what="the first try")
    first.kill()
    second = start_demo("--no-limits", data=first.data, port=first.port)
    wait_until(lambda: second.audit("logout_notice.sent"), 90, "the delivery")
    assert len(receiver.tokens) == 3
    receiver.close()


# A second start

def test_a_second_start_keeps_secrets_keys_and_sessions(start_demo):
    first = start_demo("--no-limits")
    tokens = oauth.sign_in(first)
    keys = first.send("GET", "/.well-known/jwks.json").json()
    port = first.port
    first.stop()
    second = start_demo("--no-limits", data=first.data, port=port)
    assert second.client("demo-rp")["client_secret"] == first.client("demo-rp")["client_secret"]
    assert second.send("GET", "/.well-known/jwks.json").json() == keys
    assert oauth.userinfo(second, tokens["access_token"]).status == 200
    assert oauth.refresh(second, tokens["refresh_token"]).status == 200
