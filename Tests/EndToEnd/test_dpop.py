"""Tokens that are bound to a key: RFC 9449 from the authorization request to the resource (contract §3, §5)."""

import json
import secrets
import time
from urllib.parse import urlencode

import pytest

import instance
import native
import proofs
import signing
import wire
from admin import change
from native import App
from proofs import BoundApp

ALGORITHMS = ["ES256", "EdDSA", "RS256", "PS256"]


@pytest.fixture(scope="module")
def app(demo) -> BoundApp:
    # Of a user of its own: alice signs in more often here than she may have devices.
    app = BoundApp(demo, user="bob")
    app.sign_in()
    return app


def refused(answer: wire.Answer, error: str, status: int = 400):
    assert (answer.status, answer.json().get("error")) == (status, error), answer.text


def introspect(demo, token: str) -> dict:
    client = demo.client("demo-admin")
    return wire.send(
        demo.base, "POST", "/oauth/introspect", {"Content-Type": wire.FORM},
        urlencode({"token": token, "client_id": "demo-admin", "client_secret": client["client_secret"]}).encode()).json()


# Token endpoint


def test_metadata_lists_the_algorithms(demo):
    for name in ("openid-configuration", "oauth-authorization-server"):
        found = demo.send("GET", f"/.well-known/{name}").json()
        assert sorted(found["dpop_signing_alg_values_supported"]) == sorted(ALGORITHMS)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_a_code_with_a_proof_gives_tokens_that_are_bound(demo, algorithm):
    app = BoundApp(demo, proofs.Key(algorithm))
    tokens = app.sign_in()
    assert tokens["token_type"] == "DPoP"
    assert signing.claims_of(tokens["access_token"])["cnf"] == {"jkt": app.key.thumbprint}
    assert app.call("/oauth/userinfo").json()["sub"] == app.user["sub"]


def test_introspection_tells_resource_servers_of_the_key(demo, app):
    for token in (app.tokens["access_token"], app.tokens["device_secret"]):
        found = introspect(demo, token)
        assert found["active"] and found["cnf"] == {"jkt": app.key.thumbprint}
    assert introspect(demo, app.tokens["access_token"])["token_type"] == "DPoP"


def test_every_answer_to_a_proof_brings_a_nonce_that_works(demo):
    app = BoundApp(demo)
    answer = app.token(grant_type="authorization_code", code="nonsense")
    refused(answer, "invalid_grant")
    nonce = answer.header("DPoP-Nonce")
    exposed = answer.header("Access-Control-Expose-Headers").split(", ")
    assert {"DPoP-Nonce", "WWW-Authenticate", "Retry-After", "X-Request-Id"} == set(exposed)
    # With a nonce the clock of the app may be off by minutes.
    answer = app.token(
        {"DPoP": app.proof(nonce=nonce, iat=int(time.time()) - 600)}, grant_type="authorization_code",
        code=app.code(), redirect_uri=app.callback, code_verifier=app.verifier)
    assert answer.status == 200 and answer.json()["token_type"] == "DPoP"
    stale = app.token({"DPoP": app.proof(nonce="made-up")}, grant_type="refresh_token", refresh_token="x")
    refused(stale, "use_dpop_nonce")
    assert stale.header("DPoP-Nonce")


def test_a_request_without_a_proof_hears_nothing_of_all_this(demo):
    answer = App(demo).token(grant_type="authorization_code", code="nonsense")
    assert answer.header("DPoP-Nonce") is None


def header(**changes):
    return lambda app: app.proof(header=changes)


def claim(**changes):
    return lambda app: app.proof(**changes)


WRONG = {
    "no typ": header(typ=None),
    "wrong typ": header(typ="JWT"),
    "no alg": header(alg=None),
    "alg none": header(alg="none"),
    "symmetric alg": header(alg="HS256"),
    "alg of another kind of key": header(alg="RS256"),
    "no jwk": header(jwk=None),
    "private jwk": lambda app: app.proof(header={"jwk": proofs.private_jwk(app.key)}),
    "another key": lambda app: app.proof(header={"jwk": proofs.Key().jwk}),
    "bad signature": lambda app: app.proof()[:-6] + "AAAAAA",
    "no signature": lambda app: app.proof().rsplit(".", 1)[0] + ".",
    "no jti": claim(jti=None),
    "no htm": claim(htm=None),
    "wrong htm": claim(htm="GET"),
    "no htu": claim(htu=None),
    "wrong htu": claim(htu="https://attacker.example/oauth/token"),
    "htu of another endpoint": lambda app: app.proof(htu=app.demo.base + "/oauth/par"),
    "no iat": claim(iat=None),
    "iat an hour ago": lambda app: app.proof(iat=int(time.time()) - 3600),
    "iat in an hour": lambda app: app.proof(iat=int(time.time()) + 3600),
    "expired": lambda app: app.proof(exp=int(time.time()) - 60),
    "not yet valid": lambda app: app.proof(nbf=int(time.time()) + 60),
    "nonsense": lambda app: "nonsense",
    "empty": lambda app: ".",
}


@pytest.mark.parametrize("name", WRONG)
def test_a_proof_that_does_not_hold_is_refused_and_the_code_stays_good(demo, name):
    app = BoundApp(demo)
    parameters = {
        "grant_type": "authorization_code", "code": app.code(), "redirect_uri": app.callback,
        "code_verifier": app.verifier}
    refused(app.token({"DPoP": WRONG[name](app)}, **parameters), "invalid_dpop_proof")
    assert app.token(**parameters).status == 200


RIGHT = {
    "query and fragment in htu": lambda app: app.proof(htu=app.demo.base + "/oauth/token?x=1#y"),
    "scheme and host in upper case": lambda app: app.proof(
        htu=app.demo.base.replace("http", "HTTP") + "/oauth/token"),
    "members that nobody knows": lambda app: app.proof(extra={"a": 1}),
    "ten seconds ago": lambda app: app.proof(iat=int(time.time()) - 10),
    "in nine seconds": lambda app: app.proof(iat=int(time.time()) + 9),
    "ath where no token is": lambda app: app.proof(token="x"),
}


@pytest.mark.parametrize("name", RIGHT)
def test_a_proof_that_is_written_otherwise_is_taken(demo, name):
    app = BoundApp(demo)
    tokens = app.sign_in(headers={"DPoP": RIGHT[name](app)})
    assert tokens["token_type"] == "DPoP"


def test_a_proof_is_taken_once(demo):
    app = BoundApp(demo)
    proof = app.proof()
    good = {"grant_type": "refresh_token", "refresh_token": app.sign_in(headers={"DPoP": proof})["refresh_token"]}
    refused(app.token({"DPoP": proof}, **good), "invalid_dpop_proof")
    # The same id once more, under another time.
    id = signing.claims_of(proof)["jti"]
    again = app.proof(jti=id, iat=int(time.time()) + 5)
    refused(app.token({"DPoP": again}, **good), "invalid_dpop_proof")
    # Beside what is not good a proof is not kept: anybody can make some (RFC 9449 §11.1).
    refused(app.token({"DPoP": again}, grant_type="refresh_token", refresh_token="x"), "invalid_grant")


def test_a_refusal_stands_in_the_audit_log_with_its_reason(demo):
    app = BoundApp(demo)
    answer = app.token({"DPoP": app.proof(htm="GET")}, grant_type="refresh_token", refresh_token="x")
    refused(answer, "invalid_dpop_proof")
    events = demo.send(
        "GET", f"/api/admin/audit-events?request_id={answer.header('X-Request-Id')}",
        {"Authorization": f"Bearer {demo.facts['admin_token']}"}).json()["items"]
    assert [(event["type"], event["reason"]) for event in events] == [("token_request.refused", "proof_method")]


def test_a_public_clients_refresh_token_needs_its_key(demo, app):
    other = proofs.Key()
    wrong = app.token(
        {"DPoP": other.proof("POST", demo.base + "/oauth/token")}, grant_type="refresh_token",
        refresh_token=app.tokens["refresh_token"])
    refused(wrong, "invalid_grant")
    bare = App(demo)
    bare.tokens = app.tokens
    refused(bare.refresh(), "invalid_grant")
    fresh = app.refresh(device_secret=app.tokens["device_secret"])
    assert fresh.status == 200, fresh.text
    assert signing.claims_of(fresh.json()["access_token"])["cnf"] == {"jkt": app.key.thumbprint}
    app.tokens = {**app.tokens, **fresh.json()}


def test_a_refresh_with_a_proof_binds_a_public_clients_refresh_token(demo):
    unbound = App(demo, user="bob")
    unbound.sign_in()
    parent = unbound.tokens["refresh_token"]
    app, thief = BoundApp(demo, user="bob"), BoundApp(demo, user="bob")
    app.tokens = unbound.tokens
    answer = app.refresh()
    assert (answer.status, answer.json()["token_type"]) == (200, "DPoP"), answer.text
    app.tokens = thief.tokens = unbound.tokens = answer.json()
    refused(thief.refresh(), "invalid_grant")
    refused(unbound.refresh(), "invalid_grant")
    # The answer was lost: the same key gets the same successor.
    again = app.token(grant_type="refresh_token", refresh_token=parent)
    assert again.json()["refresh_token"] == app.tokens["refresh_token"]
    # Another key is somebody else's, who has the parent too.
    refused(thief.token(grant_type="refresh_token", refresh_token=parent), "invalid_grant")
    refused(app.refresh(), "invalid_grant")


# Authorization request


def authorize(app: App, **more: str) -> dict:
    """Tokens of an authorization request with more parameters."""
    original = native.urlencode
    native.urlencode = lambda pairs, *rest: original({**pairs, **more} if "response_type" in pairs else pairs, *rest)
    try:
        return {"grant_type": "authorization_code", "code": app.code(), "redirect_uri": app.callback,
                "code_verifier": app.verifier}
    finally:
        native.urlencode = original


def test_dpop_jkt_ties_the_code_to_the_key(demo):
    app, thief = BoundApp(demo), BoundApp(demo)
    parameters = authorize(app, dpop_jkt=app.key.thumbprint)
    refused(thief.token(**parameters), "invalid_grant")
    refused(App(demo).token(**parameters), "invalid_grant")
    assert app.token(**parameters).json()["token_type"] == "DPoP"


def pushed(app: BoundApp, **more: str) -> wire.Answer:
    app.verifier = secrets.token_urlsafe(32)
    return app.post(
        "/oauth/par", response_type="code", redirect_uri=app.callback, scope=native.SCOPE,
        code_challenge=signing.challenge(app.verifier), code_challenge_method="S256", **more)


def test_a_proof_with_a_pushed_request_ties_the_code_to_its_key(demo):
    app, thief = BoundApp(demo), BoundApp(demo)
    answer = pushed(app)
    assert answer.status == 201, answer.text
    query = urlencode({"client_id": "demo-app", "request_uri": answer.json()["request_uri"]})
    location = native.Browser(demo.base).sign_in(f"/oauth/authorize?{query}", app.user)
    parameters = {
        "grant_type": "authorization_code", "code": native.parse_qs(native.urlsplit(location).query)["code"][0],
        "redirect_uri": app.callback, "code_verifier": app.verifier}
    refused(thief.token(**parameters), "invalid_grant")
    assert app.token(**parameters).status == 200


def test_a_pushed_request_must_not_name_another_key(demo):
    app = BoundApp(demo)
    refused(pushed(app, dpop_jkt=proofs.Key().thumbprint), "invalid_dpop_proof")
    assert pushed(app, dpop_jkt=app.key.thumbprint).status == 201


@pytest.mark.parametrize("thumbprint, status", [
    # No encoder ends like this, and no key fits; still it is 43 characters of base64url.
    ("a" * 43, 201), ("a" * 42, 400), ("a" * 44, 400), ("a" * 42 + "=", 400)])
def test_dpop_jkt_has_the_form_of_a_thumbprint(demo, thumbprint, status):
    assert pushed(App(demo), dpop_jkt=thumbprint).status == status


# Resources


def issue(app: BoundApp, **more) -> wire.Answer:
    return app.call(instance.ISSUE, "POST", **more)


RESOURCES = {
    "userinfo": ("GET", "/oauth/userinfo", 200),
    "login tokens": ("POST", instance.ISSUE, 200),
    "a login token's state": ("GET", "/api/auth/sso-tokens/unknown", 404),
    "the VA's user_info": ("GET", "/v0/sign_in/user_info", 200),
}


@pytest.mark.parametrize("name", RESOURCES)
def test_a_bound_token_opens_a_resource_with_its_proof_only(demo, app, name):
    method, path, status = RESOURCES[name]
    answer = app.call(path, method)
    assert answer.status == status, answer.text
    assert answer.header("DPoP-Nonce")
    token = app.tokens["access_token"]
    for why, presented, error in [
        ("as a bearer", app.call(path, method, scheme="Bearer", proof=None), "invalid_token"),
        ("as a bearer, with a proof", app.call(path, method, scheme="Bearer"), "invalid_token"),
        ("without a proof", app.call(path, method, proof=None), "invalid_dpop_proof"),
        ("without ath", app.call(path, method, proof=app.proof(path, method)), "invalid_dpop_proof"),
        ("ath of another token", app.call(path, method, proof=app.proof(path, method, token="x")), "invalid_dpop_proof"),
        ("another key", app.call(path, method, proof=proofs.Key().proof(method, demo.base + path, token=token)),
         "invalid_token"),
        ("another resource", app.call(path, method, proof=app.proof("/other", method, token=token)),
         "invalid_dpop_proof"),
    ]:
        assert presented.status == 401, (why, presented.status, presented.text)
        if not path.startswith("/v0"):
            assert presented.json()["error"] == error, why
            challenge = presented.header("WWW-Authenticate")
            assert challenge.startswith(f'DPoP error="{error}", algs="'), (why, challenge)
            assert all(algorithm in challenge for algorithm in ALGORITHMS)


def test_a_proof_at_a_resource_is_taken_once(app):
    proof = app.proof("/oauth/userinfo", "GET", token=app.tokens["access_token"])
    assert app.call("/oauth/userinfo", proof=proof).status == 200
    refused(app.call("/oauth/userinfo", proof=proof), "invalid_dpop_proof", 401)


def test_a_proof_at_the_administration_is_taken_once(demo):
    key, path = proofs.Key(), "/api/admin/users"
    token = wire.send(
        demo.base, "POST", "/oauth/token",
        {"Content-Type": wire.FORM, "DPoP": key.proof("POST", demo.base + "/oauth/token")},
        urlencode({
            "grant_type": "client_credentials", "client_id": "demo-admin",
            "client_secret": demo.client("demo-admin")["client_secret"]}).encode()).json()["access_token"]
    headers = {"Authorization": f"DPoP {token}", "DPoP": key.proof("GET", demo.base + path, token=token)}
    assert demo.send("GET", path, headers).status == 200
    refused(demo.send("GET", path, headers), "invalid_dpop_proof", 401)


@pytest.mark.parametrize("path", ["/oauth/userinfo", "/api/admin/users"])
def test_a_proof_of_another_key_takes_no_room_in_the_memory_of_proofs(app, path):
    """Who shows it has proved nothing: it is not kept, so the second one is refused as the first one was."""
    foreign = proofs.Key().proof("GET", app.demo.base + path, token=app.tokens["access_token"])
    for _ in range(2):
        refused(app.call(path, proof=foreign), "invalid_token", 401)


def test_the_administration_asks_for_a_proof_as_other_resources_do(app):
    path, token = "/api/admin/users", app.tokens["access_token"]
    for proof in [None, app.proof(path, "POST", token=token), app.proof(path, "GET")]:
        answer = app.call(path, proof=proof)
        refused(answer, "invalid_dpop_proof", 401)
        assert answer.header("WWW-Authenticate").startswith('DPoP error="invalid_dpop_proof", algs="')
    for answer in [app.call(path, proof=proofs.Key().proof("GET", app.demo.base + path, token=token)),
                   app.call(path, scheme="Bearer", proof=None)]:
        refused(answer, "invalid_token", 401)
        assert answer.header("WWW-Authenticate").startswith('DPoP error="invalid_token", algs="')


def test_the_scheme_is_for_bound_tokens(demo):
    app = BoundApp(demo)
    app.tokens = App(demo).sign_in()
    refused(app.call("/oauth/userinfo"), "invalid_token", 401)


def test_a_trusted_issuers_token_that_is_bound_needs_the_proof_too(demo):
    key = proofs.Key()
    issuer = demo.facts["trusted_issuer"]
    now = int(time.time())
    token = signing.jwt(
        {"iss": issuer["issuer"], "aud": issuer["audience"], "sub": "bound-user", "client_id": "demo-app", "iat": now,
         "exp": now + 300, "cnf": {"jkt": key.thumbprint}},
        signing.unb64url(issuer["hmac_secret"]), {"alg": "HS256", "kid": issuer["kid"], "typ": "JWT"})
    app = BoundApp(demo, key)
    app.tokens = {"access_token": token}
    refused(issue(app, scheme="Bearer", proof=None), "invalid_token", 401)
    refused(issue(app, proof=proofs.Key().proof("POST", demo.base + instance.ISSUE, token=token)), "invalid_token", 401)
    answer = issue(app)
    assert answer.status == 200, answer.text


# Token exchange


def test_the_device_secret_is_bound_to_the_key(demo, app):
    other = {"DPoP": proofs.Key().proof("POST", demo.base + "/oauth/token")}
    refused(app.native_sso(headers=other), "invalid_grant")
    bare = App(demo)
    bare.tokens = app.tokens
    refused(bare.native_sso(), "invalid_grant")
    good = app.native_sso()
    assert good.status == 200, good.text
    assert good.json()["token_type"] == "DPoP"
    assert signing.claims_of(good.json()["access_token"])["cnf"] == {"jkt": app.key.thumbprint}


def test_cookies_for_a_web_view_take_the_key_of_secret_and_token(demo, app):
    assert app.cookies().status == 200
    bare = App(demo)
    bare.tokens = app.tokens
    refused(bare.cookies(), "invalid_grant")
    refused(app.cookies({"DPoP": proofs.Key().proof("POST", demo.base + "/oauth/token")}), "invalid_grant")


def test_cookies_for_a_web_view_take_the_key_of_the_token_also_where_the_secret_has_none(demo):
    """RFC 9449 §7: an app came to use keys after its device secret was given."""
    app = App(demo, user="bob")
    app.sign_in()
    keyed = BoundApp(demo, user="bob")
    keyed.tokens = {**app.tokens}
    # With another scope it would get a device of its own, whose secret is bound.
    renewed = keyed.refresh(scope="openid profile")
    assert renewed.status == 200 and renewed.json()["token_type"] == "DPoP", renewed.text
    assert "device_secret" not in renewed.json()
    app.tokens["access_token"] = keyed.tokens["access_token"] = renewed.json()["access_token"]
    for answer in [app.cookies(), app.cookies({"DPoP": proofs.Key().proof("POST", demo.base + "/oauth/token")})]:
        refused(answer, "invalid_token")
        assert demo.audit("device_secret.refused")[-1]["reason"] == "subject_token_wrong_key"
    assert keyed.cookies().status == 200


def test_a_bound_access_token_gives_a_login_token_to_the_holder_of_its_key_only(demo, app):
    order = {
        "grant_type": native.EXCHANGE, "subject_token": app.tokens["access_token"],
        "subject_token_type": native.ACCESS_TOKEN, "requested_token_type": native.LOGIN_TOKEN}
    refused(App.post(App(demo), "/oauth/token", **order), "invalid_request")
    refused(BoundApp(demo).token(**order), "invalid_request")
    answer = app.token(**order)
    assert answer.status == 200 and answer.json()["token_type"] == "N_A", answer.text


def test_a_website_that_redeems_with_a_proof_gets_a_bound_token(demo, app):
    token = issue(app).json()["token"]
    website, key = demo.client("demo-web"), proofs.Key()
    answer = wire.send(
        demo.base, "POST", "/oauth/token",
        {"Content-Type": wire.FORM, "DPoP": key.proof("POST", demo.base + "/oauth/token")},
        urlencode({
            "grant_type": native.EXCHANGE, "subject_token": token, "subject_token_type": native.LOGIN_TOKEN,
            "client_id": "demo-web", "client_secret": website["client_secret"]}).encode())
    assert answer.status == 200, answer.text
    assert answer.json()["token_type"] == "DPoP"
    assert signing.claims_of(answer.json()["access_token"])["cnf"] == {"jkt": key.thumbprint}


@pytest.mark.parametrize(("key", "status"), [(None, 200), (proofs.Key(), 401)], ids=["unbound", "bound"])
def test_a_bound_token_is_no_cookie(start_demo, key, status):
    """A cookie brings no proof, so whoever stole the token could show it there."""
    demo = start_demo("--no-limits")
    change(demo, "demo-web", cookie_profile="tokens", cookie_prefix="web_")
    answer = wire.send(
        demo.base, "POST", "/oauth/token",
        {"Content-Type": wire.FORM, **({"DPoP": key.proof("POST", demo.base + "/oauth/token")} if key else {})},
        urlencode({
            "grant_type": native.EXCHANGE, "subject_token": demo.issue()["token"],
            "subject_token_type": native.LOGIN_TOKEN, "client_id": "demo-web",
            "client_secret": demo.client("demo-web")["client_secret"]}).encode())
    assert (answer.status, answer.json()["token_type"]) == (200, "DPoP" if key else "Bearer"), answer.text
    cookie = {"Cookie": f"web_access_token={answer.json()['access_token']}"}
    assert demo.send("GET", "/auth/check", cookie).status == status
    # Nor is its session one of this browser's, which signing out would end.
    out = demo.send("POST", "/session/logout", {**cookie, "Origin": demo.base, "Sec-Fetch-Site": "same-origin"})
    assert out.status == 204
    assert len(demo.audit("web_session.ended")) == (0 if key else 1)


# Clients and settings


def test_a_client_that_is_registered_so_gets_no_token_without_a_proof(start_demo):
    demo = start_demo("--no-limits")
    admin = {"Authorization": f"Bearer {demo.facts['admin_token']}", "Content-Type": "application/json"}
    address = "/api/admin/clients/demo-app"
    document = wire.send(demo.base, "GET", address, admin)
    changed = wire.send(
        demo.base, "PATCH", address, {**admin, "If-Match": document.header("ETag")},
        json.dumps({"dpop_bound_access_tokens": True}).encode())
    assert changed.status == 200, changed.text
    assert changed.json()["dpop_bound_access_tokens"] is True
    app = BoundApp(demo)
    parameters = {
        "grant_type": "authorization_code", "code": app.code(), "redirect_uri": app.callback,
        "code_verifier": app.verifier}
    refused(App(demo).token(**parameters), "invalid_dpop_proof")
    assert app.token(**parameters).status == 200


def test_where_nonces_are_required_the_first_answer_brings_one(serve):
    served = serve("dpop:\n  require_nonce: true\n")
    key = proofs.Key()
    token = served.bearer(cnf={"jkt": key.thumbprint})

    def ask(nonce: str | None) -> wire.Answer:
        proof = key.proof("POST", served.base + instance.ISSUE, token=token, nonce=nonce)
        return wire.send(served.base, "POST", instance.ISSUE, {"Authorization": f"DPoP {token}", "DPoP": proof})

    first = ask(None)
    refused(first, "use_dpop_nonce", 401)
    assert first.header("WWW-Authenticate").startswith('DPoP error="use_dpop_nonce"')
    assert ask(first.header("DPoP-Nonce")).status == 200
