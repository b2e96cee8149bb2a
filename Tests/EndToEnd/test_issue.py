"""Contract §3: issue, status, revoke before use, idempotency, and the errors a developer sees."""

import json
import math
import re
import time
import uuid
from datetime import datetime, timezone
from urllib.parse import parse_qs, urlsplit

import pytest

import instance
import oauth
import signing
import wire
from native import App

CHALLENGE = signing.challenge("v" * 43)


def assert_error(answer: wire.Answer, status: int, code: str):
    assert answer.status == status, (answer.status, answer.body)
    error = answer.json()
    assert set(error) == {"error", "error_description", "error_uri", "request_id"}, error
    assert error["error"] == code, error
    assert error["request_id"] == answer.header("X-Request-Id")
    assert answer.header("Cache-Control") == "no-store"
    return error


def test_answer_has_the_contract_shape(demo):
    answer = demo.post_issue({"redirect": "/account/settings?tab=2"})
    assert answer.status == 200
    assert answer.header("Cache-Control") == "no-store"
    body = answer.json()
    assert set(body) == {"token", "token_type", "id", "expires_at", "expires_in", "login_url"}
    assert body["token_type"] == "urn:drawbridge:params:oauth:token-type:login-token"
    assert body["expires_in"] == 60
    expires = datetime.fromisoformat(body["expires_at"].replace("Z", "+00:00"))
    assert body["expires_at"].endswith("Z")
    assert 55 < (expires - datetime.now(timezone.utc)).total_seconds() < 62
    url = urlsplit(body["login_url"])
    assert f"{url.scheme}://{url.netloc}" == demo.base
    assert url.path == instance.REDEEM
    assert parse_qs(url.query)["token"] == [body["token"]]
    assert parse_qs(url.query)["redirect"] == ["/account/settings?tab=2"]


def test_token_is_a_login_jwt_and_says_who_but_not_what(demo):
    body = demo.post_issue(headers=demo.authorization(
        "alice", sid="parent-1", auth_time=1_700_000_000, acr="aal2", amr=["pwd", "otp"])).json()
    header = signing.header_of(body["token"])
    assert header["alg"] == "HS256" and header["typ"] == "login+jwt" and header["kid"]
    claims = signing.claims_of(body["token"])
    assert claims["iss"] == demo.facts["issuer"]
    assert claims["aud"] == "demo-web"
    assert claims["sub"] == demo.user("alice")["sub"]
    assert claims["client_id"] == "demo-app"
    assert claims["jti"] == body["id"] and len(signing.unb64url(claims["jti"])) == 16
    assert 0 < claims["exp"] - claims["iat"] <= 60
    assert (claims["sid"], claims["auth_time"], claims["acr"], claims["amr"]) == (
        "parent-1", 1_700_000_000, "aal2", ["pwd", "otp"])
    assert set(claims) <= {"iss", "aud", "sub", "iat", "exp", "jti", "client_id", "sid", "auth_time", "acr", "amr",
                           "tgt", "cnf"}


def test_claims_that_the_bearer_lacks_are_left_out(demo):
    claims = signing.claims_of(demo.issue()["token"])
    assert not {"auth_time", "acr", "amr"} & set(claims)


def test_a_clients_own_token_is_no_apps_with_a_user_and_the_client_is_told_that(start_demo):
    # Of its own, since refusals are told up to a bound that others use up.
    demo = start_demo()
    bearer = {"Authorization": f"Bearer {demo.facts['admin_token']}"}
    for method, path in [("POST", instance.ISSUE), ("GET", "/api/auth/sso-tokens/x"), ("DELETE", "/api/auth/sso-tokens/x")]:
        error = assert_error(demo.send(method, path, bearer), 403, "unauthorized_client")
        assert "no user behind it" in error["error_description"]
        assert demo.audit("bearer.refused")[-1]["reason"] == "clients_own_token"


@pytest.mark.parametrize("body, headers", [
    ({"ttl": 5}, {}),
    ("ttl=5", {}),
    ("ttl=5", {"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"}),
    ({"ttl": 5, "client_id": "demo-web", "redirect": "", "code_challenge": ""}, {}),
], ids=["json", "form", "form with charset", "empty values count as absent"])
def test_a_body_as_json_or_as_a_form_is_taken_and_empty_values_count_as_absent(demo, body, headers):
    answer = demo.post_issue(body, headers=headers)
    assert answer.status == 200, answer.body
    assert answer.json()["expires_in"] == 5


@pytest.mark.parametrize("body, status, code", [
    ({"ttl": 0}, 400, "invalid_request"),
    ({"ttl": 61}, 400, "invalid_request"),
    ({"ttl": -1}, 400, "invalid_request"),
    ({"ttl": 1.5}, 400, "invalid_request"),
    ({"ttl": "soon"}, 400, "invalid_request"),
    ("ttl=5&ttl=6", 400, "invalid_request"),
    ({"colour": "blue"}, 400, "invalid_request"),
    ({"code_challenge": CHALLENGE}, 400, "invalid_request"),
    ({"code_challenge_method": "S256"}, 400, "invalid_request"),
    ({"code_challenge": CHALLENGE, "code_challenge_method": "plain"}, 400, "invalid_request"),
    ({"code_challenge": "short", "code_challenge_method": "S256"}, 400, "invalid_request"),
    ({"bind": "planet"}, 400, "invalid_request"),
    ({"client_id": "nobody"}, 400, "invalid_target"),
    ({"client_id": "demo-app"}, 400, "invalid_target"),
    ({"redirect": "https://evil.example/"}, 400, "invalid_redirect"),
    ({"redirect": "//evil.example/"}, 400, "invalid_redirect"),
    ({"redirect": "/admin"}, 400, "invalid_redirect"),
    ({"redirect": 7}, 400, "invalid_request"),
    (b"{", 400, "invalid_request"),
    (b"[1]", 400, "invalid_request"),
    (b'{"ttl":5,"ttl":6}', 400, "invalid_request"),
    (b"\xff\xfe", 400, "invalid_request"),
    (b'{"redirect":"' + b"a" * 17_000 + b'"}', 413, "content_too_large"),
], ids=lambda value: str(value)[:60])
def test_a_body_that_is_malformed_or_asks_for_too_much_is_refused_by_name(demo, body, status, code):
    headers = {"Content-Type": "application/json"} if isinstance(body, bytes) else {}
    assert_error(demo.post_issue(body, headers=headers), status, code)


def test_a_redirect_that_is_no_path_is_told_from_one_that_is_not_listed(demo):
    for redirect, words in [("https://evil.example/", "must be a path"), ("/notlisted", "its return_paths say what is")]:
        answer = demo.post_issue({"redirect": redirect})
        assert_error(answer, 400, "invalid_redirect")
        assert words in answer.json()["error_description"], redirect


def test_an_empty_body_is_none_by_the_types_that_libraries_give_it(demo):
    kinds = ["application/octet-stream", "application/json", wire.FORM, "text/plain;charset=UTF-8",
             "multipart/form-data; boundary=x", "text/html", "*/*", ""]
    for kind in kinds:
        answer = demo.send("POST", instance.ISSUE, {**demo.authorization(), "Content-Type": kind}, b"")
        assert answer.status == 200, (kind, answer.text)


def test_other_content_types_are_415(demo):
    assert_error(demo.post_issue(b"<ttl>5</ttl>", headers={"Content-Type": "text/xml"}), 415, "unsupported_media_type")


def bearer_cases(demo):
    good = demo.bearer()
    now = int(time.time())
    issuer = {"alg": "HS256", "typ": "JWT", "kid": "demo"}
    none = ".".join([signing.b64url(b'{"alg":"none","kid":"demo"}'), good.split(".")[1], ""])
    return {
        # No three letters: an answer holds a random id, where they come up by chance.
        "not a token": "x" * 24,
        "tampered payload": good.replace(".", ".A", 1),
        "tampered signature": good[:-6] + ("AAAAAA" if good[-6:] != "AAAAAA" else "BBBBBB"),
        "other key": signing.jwt(demo.claims(), b"k" * 32, issuer),
        "unknown kid": signing.jwt(demo.claims(), demo.hmac_key, {**issuer, "kid": "other"}),
        "alg none": none,
        "alg HS384 named": signing.jwt(demo.claims(), demo.hmac_key, {**issuer, "alg": "HS384"}),
        "expired": demo.bearer(exp=now - 120),
        "not yet valid": demo.bearer(nbf=now + 600),
        "other issuer": demo.bearer(iss="https://evil.example"),
        "other audience": demo.bearer(aud="somebody-else"),
        "no subject": demo.bearer(**{demo.facts["trusted_issuer"]["subject_claim"]: None}),
        "no expiry": demo.bearer(exp=None),
    }


def test_bearers_that_are_not_good_are_401_invalid_token(demo):
    for name, bearer in bearer_cases(demo).items():
        answer = demo.send("POST", instance.ISSUE, {"Authorization": f"Bearer {bearer}"})
        assert answer.status == 401, (name, answer.status, answer.body)
        assert_error(answer, 401, "invalid_token")
        assert re.match(r'Bearer .*error="invalid_token"', answer.header("WWW-Authenticate")), (name, answer.headers)
        assert bearer not in answer.text + str(answer.headers)


def test_a_refused_bearer_is_recorded_with_the_known_issuer_that_it_names_and_with_no_text_of_its_own(start_demo):
    # Of its own, since refusals are told up to a bound that others use up.
    demo = start_demo()
    issuer, now = demo.facts["trusted_issuer"]["issuer"], int(time.time())

    def recorded(bearer: str) -> tuple:
        assert_error(demo.send("POST", instance.ISSUE, {"Authorization": f"Bearer {bearer}"}), 401, "invalid_token")
        event = demo.audit("bearer.refused")[-1]
        return event["reason"], event["detail"] and json.loads(event["detail"])

    # A clock that is ahead at the issuer: whose it is has to be known.
    assert recorded(demo.bearer(nbf=now + 600)) == ("not_yet_valid", {"issuer": issuer})
    assert recorded(demo.bearer(iss="https://evil.example")) == ("unknown_issuer", None)
    assert recorded("x" * 40)[1] is None
    reason, detail = recorded(demo.facts["admin_token"][:-8] + "AAAAAAAA")
    assert reason == "bad_signature" and detail == {"issuer": demo.facts["issuer"]}


def test_a_refused_issue_says_for_which_website_it_was(start_demo):
    # Of its own, since refusals are told up to a bound that others use up.
    demo = start_demo("--no-limits")
    for fields in [{"client_id": "demo-webview"}, {"client_id": "demo-rp"}, {"client_id": "nobody-has-this"},
                   {"ttl": 61}]:
        assert demo.post_issue(fields).status in (400, 403), fields
    told = [(event["reason"], event["target_client_id"], json.loads(event["detail"]))
            for event in demo.audit("login_token.refused")]
    assert told == [
        ("target_not_reachable", "demo-webview", {"at": "issue"}), ("target_not_reachable", "demo-rp", {"at": "issue"}),
        ("unknown_target", None, {"at": "issue", "target": "nobody-has-this"}),
        ("invalid_request", "demo-web", {"at": "issue", "description": "ttl must be between 1 and 60 seconds"})]


def test_a_user_whom_an_issuer_numbers_is_the_one_that_the_digits_name(serve):
    server = serve(issuer="subject_prefix: 'backend:'\n    subject_claim: user_id")

    def issued(**claims) -> wire.Answer:
        return server.send("POST", instance.ISSUE, {"Authorization": f"Bearer {server.bearer(**claims)}"})

    for user in (42, "42"):
        answer = issued(user_id=user)
        assert answer.status == 200, answer.text
        assert signing.claims_of(answer.json()["token"])["sub"] == "backend:42"
    for other in (42.5, 42.0, 4.2e30, 2 ** 63, True, [42]):
        assert_error(issued(user_id=other), 401, "invalid_token")
        assert [row for row in instance.audit_rows(server.data)
                if row["type"] == "bearer.refused"][-1]["reason"] == "malformed"


def test_a_missing_bearer_gets_a_bare_challenge(demo):
    answer = demo.send("POST", instance.ISSUE)
    assert answer.status == 401
    assert answer.header("WWW-Authenticate").startswith("Bearer")
    assert "error=" not in answer.header("WWW-Authenticate")


def test_a_login_token_is_no_bearer(demo):
    token = demo.issue()["token"]
    assert_error(demo.send("POST", instance.ISSUE, {"Authorization": f"Bearer {token}"}), 401, "invalid_token")


@pytest.mark.parametrize("client", ["demo-web", "demo-rp", "nobody"])
def test_a_client_without_the_right_is_403(demo, client):
    answer = demo.send("POST", instance.ISSUE, demo.authorization(client=client))
    assert_error(answer, 403, "unauthorized_client")


@pytest.mark.parametrize("body", [{"colour": "blue"}, b"{", {"ttl": 61, "client_id": "nobody"}], ids=str)
def test_of_several_flaws_the_apps_right_comes_first(demo, body):
    headers = {**demo.authorization(client="demo-web"), "Content-Type": "application/json"}
    assert_error(demo.send("POST", instance.ISSUE, headers, body), 403, "unauthorized_client")


@pytest.mark.parametrize("more", [
    {"ttl": 61}, {"ttl": 0}, {"bind": "planet"}, {"code_challenge": "short", "code_challenge_method": "S256"}])
@pytest.mark.parametrize("wrong", [{"client_id": "nobody"}, {"redirect": "/admin"}], ids=["target", "redirect"])
def test_of_several_flaws_what_is_malformed_comes_before_the_website(demo, more, wrong):
    assert_error(demo.post_issue({**wrong, **more}), 400, "invalid_request")


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_other_methods_open_nothing(demo, method):
    answer = demo.send(method, instance.ISSUE, demo.authorization())
    assert answer.status == 405
    assert answer.header("X-Request-Id")


def test_error_uri_is_a_page_that_this_service_serves(demo):
    error = assert_error(demo.post_issue({"ttl": 0}), 400, "invalid_request")
    uri = urlsplit(error["error_uri"])
    assert f"{uri.scheme}://{uri.netloc}" == demo.base
    page = demo.send("GET", uri.path + (f"?{uri.query}" if uri.query else ""))
    assert page.status == 200 and page.header("Content-Type").startswith("text/html")


# Idempotency-Key

def test_same_key_and_body_give_the_same_answer(demo):
    headers = {"Idempotency-Key": str(uuid.uuid4())}
    first = demo.post_issue({"ttl": 30}, headers=headers)
    again = demo.post_issue({"ttl": 30}, headers=headers)
    assert first.status == again.status == 200
    assert {**first.json(), "expires_in": 0} == {**again.json(), "expires_in": 0}
    assert len(demo.audit("login_token.issued", token_id=first.json()["id"])) == 1


def test_same_key_with_another_body_is_422(demo):
    headers = {"Idempotency-Key": str(uuid.uuid4())}
    assert demo.post_issue({"ttl": 30}, headers=headers).status == 200
    answer = demo.post_issue({"ttl": 31}, headers=headers)
    assert answer.status == 422
    assert set(answer.json()) == {"error", "error_description", "error_uri", "request_id"}


def test_a_key_belongs_to_its_subject(demo):
    headers = {"Idempotency-Key": str(uuid.uuid4())}
    alice = demo.post_issue(headers=headers, sub="alice").json()
    bob = demo.post_issue(headers=headers, sub="bob").json()
    assert alice["id"] != bob["id"]
    assert signing.claims_of(bob["token"])["sub"] == demo.user("bob")["sub"]


def test_attack_a_bearer_that_was_narrowed_gets_no_token_of_a_wider_one(demo):
    tokens = oauth.sign_in(demo, scope="openid profile offline_access")
    narrow = oauth.refresh(demo, tokens["refresh_token"], scope="openid").json()

    def issue(bearer: dict):
        return demo.send("POST", instance.ISSUE,
                         {"Authorization": f"Bearer {bearer['access_token']}", "Idempotency-Key": "narrowed"})

    assert issue(tokens).status == 200
    assert issue(tokens).status == 200
    refused = issue(narrow)
    assert (refused.status, refused.json().get("error")) == (422, "idempotency_key_reused"), refused.text


# Status and DELETE

def token_route(token: dict) -> str:
    return f"/api/auth/sso-tokens/{token['id']}"


def test_status_follows_the_token(demo):
    token = demo.issue()
    pending = demo.send("GET", token_route(token), demo.authorization()).json()
    assert pending == {"id": token["id"], "status": "pending", "expires_at": pending["expires_at"]}
    assert demo.redeem(token["token"]).status == 303
    redeemed = demo.send("GET", token_route(token), demo.authorization()).json()
    assert redeemed["status"] == "redeemed" and redeemed["redeemed_at"].endswith("Z")


def test_status_of_an_expired_token(demo):
    token = demo.issue(ttl=1)
    instance.wait_until(lambda: demo.status(token["id"]) == "expired", 5, "expiry")
    assert demo.send("DELETE", token_route(token), demo.authorization()).status == 204
    assert demo.status(token["id"]) == "expired"
    assert not demo.audit("login_token.revoked", token_id=token["id"])


@pytest.mark.parametrize("kind", ["device_secret", "refresh_token"])
def test_status_of_a_token_whose_session_has_ended_is_revoked(demo, kind):
    app = App(demo)
    app.sign_in()
    token = demo.post_issue(headers={"Authorization": f"Bearer {app.tokens['access_token']}"}).json()
    assert demo.status(token["id"]) == "pending"
    assert app.post("/oauth/revoke", token=app.tokens[kind]).status == 200
    assert demo.status(token["id"]) == "revoked"
    assert demo.send("DELETE", token_route(token), demo.authorization()).status == 204
    assert not demo.audit("login_token.revoked", token_id=token["id"])


def test_a_revoked_token_opens_nothing(demo):
    token = demo.issue()
    revoked = demo.send("DELETE", token_route(token), demo.authorization())
    assert (revoked.status, revoked.body) == (204, b"")
    assert demo.status(token["id"]) == "revoked"
    answer = demo.redeem(token["token"])
    assert answer.status == 400 and not answer.session_cookie
    assert demo.audit("login_token.revoked", token_id=token["id"])


def test_a_revocation_by_the_app_names_the_app_the_website_and_the_user(demo):
    token = demo.issue()
    assert demo.send("DELETE", token_route(token), demo.authorization()).status == 204
    [issued] = demo.audit("login_token.issued", token_id=token["id"])
    [revoked] = demo.audit("login_token.revoked", token_id=token["id"])
    told = ("client_id", "target_client_id", "subject")
    assert [revoked[name] for name in told] == [issued[name] for name in told]
    assert (revoked["client_id"], revoked["target_client_id"]) == ("demo-app", "demo-web")


def test_delete_after_redemption_is_409(demo):
    token = demo.issue()
    demo.redeem(token["token"])
    assert demo.send("DELETE", token_route(token), demo.authorization()).status == 409


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_only_the_same_subject_and_app_sees_a_token(demo, method):
    token = demo.issue("alice")
    assert demo.send(method, token_route(token), demo.authorization("bob")).status == 404
    assert demo.send(method, token_route(token), demo.authorization("alice", client="demo-app-b")).status == 404
    assert demo.send(method, "/api/auth/sso-tokens/AAAAAAAAAAAAAAAAAAAAAA", demo.authorization()).status == 404
    assert demo.send(method, token_route(token)).status == 401
    assert demo.status(token["id"]) == "pending"


# Limits (§12), on an instance that has them

def test_issue_limit_per_user_is_429_with_retry_after(start_demo):
    demo = start_demo()
    answers = [demo.post_issue(sub="eve") for _ in range(6)]
    assert [answer.status for answer in answers] == [200] * 5 + [429]
    assert_error(answers[-1], 429, "rate_limited")
    assert 1 <= int(answers[-1].header("Retry-After")) <= 66
    assert demo.post_issue(sub="mallory").status == 200, "another user's bucket is full"
    assert demo.audit("rate_limit.exceeded")


def test_what_cannot_be_read_counts_against_the_limit_and_is_recorded(start_demo):
    demo = start_demo()
    # With a key as well: nobody can tell whether such a request repeats another.
    headers = {"Idempotency-Key": "k1"}
    assert [demo.post_issue({"x": 1}, sub="eve", headers=headers).status for _ in range(5)] == [400] * 5
    assert [event["reason"] for event in demo.audit("login_token.refused")] == ["invalid_request"] * 5
    for body, kind in [(b"{", "application/json"), (b"x", "text/plain"), (b"x" * 17_000, "application/json")]:
        assert demo.post_issue(body, sub="eve", headers={"Content-Type": kind}).status == 429, kind
    exchange = {"grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "ttl": "abc", "client_id": "demo-app",
                "subject_token": demo.bearer("eve"), "subject_token_type": "urn:ietf:params:oauth:token-type:access_token",
                "requested_token_type": "urn:drawbridge:params:oauth:token-type:login-token"}
    answer = oauth.post(demo, "/oauth/token", exchange)
    assert (answer.status, answer.json()["error"]) == (429, "slow_down"), answer.text


def test_a_repeated_key_does_not_count_against_the_limit(start_demo):
    demo = start_demo()
    headers = {"Idempotency-Key": "k1"}
    assert [demo.post_issue(sub="eve", headers=headers).status for _ in range(8)] == [200] * 8


def test_failed_redemptions_are_limited_but_a_good_token_is_never_held_back(start_demo):
    demo = start_demo()
    good = demo.issue()["token"]
    began = time.monotonic()
    statuses = [demo.redeem(f"bad{n}").status for n in range(70)]
    assert statuses[:60] == [400] * 60 and set(statuses) <= {400, 429}
    # One a second comes back.
    assert statuses.count(400) <= 60 + math.ceil(time.monotonic() - began)
    last = instance.wait_until(lambda: (it := demo.redeem("bad")).status == 429 and it, 60, "a refusal")
    assert int(last.header("Retry-After")) >= 1
    assert last.header("Content-Type").startswith("text/html")
    # 127.0.1.0/24 is another prefix.
    other = demo.send("GET", f"{instance.REDEEM}?token=bad", wire.NAVIGATION, source="127.0.1.9")
    assert other.status == 400
    answer = demo.redeem(good)
    assert answer.status == 303 and answer.session_cookie
