"""What access tokens are signed with: the client's field `access_token_signed_response_alg` (contract §5, §6)."""

import json

import jwt
import pytest

import instance
import oauth
import signing
import wire
from admin import Admin, change
from native import App, cookie_header, session
from oauth import introspect as introspect_bound
from proofs import BoundApp
from va import REFRESH, TOKEN
from websites import basic, register, sign_in

ALGORITHMS = ["ES256", "RS256", "EdDSA"]


@pytest.fixture(scope="module")
def signed():
    """An instance whose app and web view have RS256."""
    demo = instance.Demo("--no-limits")
    for client in ["demo-app", "demo-webview"]:
        change(demo, client, access_token_signed_response_alg="RS256")
    yield demo
    assert demo.stop() == 0


def verified(demo, token: str) -> str:
    """The algorithm of a token that verifies by the published set alone, as a resource server does it."""
    header, said = signing.parts(token)
    jwk = next(key for key in demo.send("GET", "/.well-known/jwks.json").json()["keys"] if key["kid"] == header["kid"])
    assert jwk["alg"] == header["alg"] and header["typ"] == "at+jwt"
    issuer = demo.facts["issuer"]
    assert jwt.decode(token, jwt.PyJWK(jwk), algorithms=[jwk["alg"]], audience=issuer, issuer=issuer) == said
    return header["alg"]


def under(token: str, algorithm: str) -> str:
    """The token with another algorithm in its header."""
    head, rest = token.split(".", 1)
    header = {**json.loads(signing.unb64url(head)), "alg": algorithm}
    return signing.b64url(json.dumps(header, separators=(",", ":")).encode()) + "." + rest


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_access_tokens_are_signed_as_the_client_wants_and_count_everywhere(demo, algorithm):
    client = register(
        demo, access_token_signed_response_alg=algorithm, grant_types=["authorization_code", "refresh_token"])
    tokens = sign_in(demo, client)
    renewed = oauth.token(
        demo, {"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]}, basic(client)).json()
    for token in [tokens["access_token"], renewed["access_token"]]:
        assert verified(demo, token) == algorithm
        assert oauth.userinfo(demo, token).json()["sub"] == demo.user("alice")["sub"]
        assert oauth.introspect(demo, token)["client_id"] == client["client_id"]
        assert oauth.post(demo, "/oauth/revoke", {"token": token}, basic(client)).status == 200
        assert oauth.introspect(demo, token) == {"active": False}
        assert oauth.userinfo(demo, token).status == 401
    # What the ID token is signed with is another field's.
    assert signing.parts(tokens["id_token"])[0]["alg"] == "ES256"


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_an_access_token_under_another_algorithm_is_refused(demo, algorithm):
    client = register(demo, access_token_signed_response_alg=algorithm)
    token = sign_in(demo, client)["access_token"]
    for other in {*ALGORITHMS, "PS256", "RS512", "HS256", "Ed25519", "none"} - {algorithm}:
        swapped = under(token, other)
        assert oauth.userinfo(demo, swapped).status == 401, other
        assert oauth.introspect(demo, swapped) == {"active": False}, other
        assert demo.send("POST", instance.ISSUE, {"Authorization": f"Bearer {swapped}"}).status == 401, other
    assert oauth.userinfo(demo, token).status == 200


def test_a_machines_token_is_signed_as_it_wants_and_opens_the_administration(demo):
    client = register(
        demo, client_type="service", redirect_uris=[], grant_types=["client_credentials"], scope="admin",
        access_token_signed_response_alg="RS256")
    token = oauth.token(demo, {"grant_type": "client_credentials"}, basic(client)).json()["access_token"]
    assert verified(demo, token) == "RS256"
    assert demo.send("GET", "/api/admin/clients", {"Authorization": f"Bearer {token}"}).status == 200
    swapped = under(token, "ES256")
    assert demo.send("GET", "/api/admin/clients", {"Authorization": f"Bearer {swapped}"}).status == 401


def test_the_field_is_read_back_and_changes_what_comes_next(demo):
    admin = Admin(demo)
    client = register(
        demo, access_token_signed_response_alg="EdDSA", grant_types=["authorization_code", "refresh_token"])
    assert client["access_token_signed_response_alg"] == "EdDSA"
    tokens = sign_in(demo, client)
    change(demo, client["client_id"], access_token_signed_response_alg=None)
    assert "access_token_signed_response_alg" not in admin.send("GET", f"clients/{client['client_id']}").json()
    form = {"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]}
    instance.wait_until(
        lambda: verified(demo, oauth.token(demo, form, basic(client)).json()["access_token"]) == "ES256", what="ES256")
    # Who has one of before goes on with it.
    assert oauth.userinfo(demo, tokens["access_token"]).status == 200
    refused = demo.send(
        "POST", "/api/admin/clients", {"Authorization": f"Bearer {demo.facts['admin_token']}"},
        {"client_type": "web", "access_token_signed_response_alg": "PS256"})
    assert refused.status == 400 and "access_token_signed_response_alg" in refused.text


def test_an_apps_token_bound_to_a_key_is_signed_with_rs256_and_still_bound(signed):
    app = BoundApp(signed, user="bob")
    token = app.sign_in()["access_token"]
    assert verified(signed, token) == "RS256" and signing.claims_of(token)["cnf"] == {"jkt": app.key.thumbprint}
    assert app.call("/oauth/userinfo").json()["sub"] == app.user["sub"]
    assert app.call("/oauth/userinfo", scheme="Bearer", proof=None).status == 401
    assert introspect_bound(signed, token)["cnf"] == {"jkt": app.key.thumbprint}


def test_a_web_views_access_token_is_signed_with_rs256_and_passes_the_check(signed):
    app = App(signed)
    app.sign_in()
    first = app.cookies(path=TOKEN)
    proof = first.cookies["vagov_anti_csrf_token"].value
    again = wire.send(signed.base, "POST", REFRESH, {**cookie_header(first), "X-CSRF-Token": proof})
    for answer in [first, again]:
        token = answer.cookies["vagov_access_token"].value
        assert verified(signed, token) == "RS256" and signing.claims_of(token)["client_id"] == "demo-webview"
        check = wire.send(signed.base, "GET", "/auth/check", cookie_header(answer))
        assert check.status == 200 and check.header("X-Auth-Session") == signing.claims_of(token)["sid"]
        assert session(signed, answer)["authenticated"]
        swapped = {"Cookie": f"vagov_access_token={under(token, 'ES256')}"}
        assert wire.send(signed.base, "GET", "/auth/check", swapped).status == 401
    assert signed.send("POST", instance.ISSUE, {"Authorization": f"Bearer {app.tokens['access_token']}"}).status == 200
