"""Authlib as a client: what a library that knows nothing of us makes of our answers."""

import secrets
from urllib.parse import urlencode

import pytest
from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.base_client.sync_app import BaseApp, OAuth2Mixin
from authlib.integrations.base_client.sync_openid import OpenIDMixin
from authlib.integrations.requests_client import OAuth2Session
from joserfc.errors import InvalidClaimError, JoseError

import oauth
from instance import wait_until

SCOPE = "openid profile email offline_access"


class App(OAuth2Mixin, OpenIDMixin, BaseApp):
    """Authlib's client as its web frameworks have it, without a framework."""

    client_cls = OAuth2Session

    def __init__(self, demo, client_id: str, redirect_uri: str):
        secret = demo.client(client_id).get("client_secret")
        super().__init__(
            framework=None, name="drawbridge", client_id=client_id, client_secret=secret,
            server_metadata_url=f"{demo.base}/.well-known/openid-configuration",
            client_kwargs={"scope": SCOPE, "code_challenge_method": "S256",
                           "token_endpoint_auth_method": "client_secret_basic" if secret else "none"})
        self.demo, self.redirect_uri = demo, redirect_uri
        self.browser = oauth.Browser(demo)

    def begin(self, **more) -> tuple[dict, str]:
        """What the library keeps of its request, and where the browser came back to."""
        kept = self.create_authorization_url(self.redirect_uri, **more)
        return kept, self.browser.go(kept["url"].removeprefix(self.demo.base), "alice")

    def finish(self, kept: dict, location: str) -> dict:
        return self.fetch_access_token(
            redirect_uri=self.redirect_uri, code_verifier=kept["code_verifier"], authorization_response=location,
            state=kept["state"])

    def sign_in(self, **more) -> tuple[dict, dict]:
        kept, location = self.begin(**more)
        return kept, self.finish(kept, location)

    def _on_update_token(self, token, refresh_token=None, access_token=None):
        """Where a web framework would store the new tokens."""

    def session(self, token: dict) -> OAuth2Session:
        session = self._get_oauth_client()
        session.token = token
        return session


@pytest.fixture(params=["demo-app", "demo-rp"])
def app(demo, request) -> App:
    """A public native client, and a confidential website that authenticates by Basic."""
    if request.param == "demo-app":
        return App(demo, "demo-app", "http://127.0.0.1:49200/callback")
    return App(demo, "demo-rp", oauth.RP_REDIRECT)


def test_a_code_with_pkce_becomes_tokens(app):
    _, token = app.sign_in()
    assert token["token_type"] == "Bearer" and token["refresh_token"]
    assert set(token["scope"].split()) == set(SCOPE.split())


def test_the_id_token_is_valid_for_the_library_and_for_this_sign_in_alone(app):
    kept, token = app.sign_in()
    claims = app.parse_id_token(token, kept["nonce"])
    assert claims["sub"] == app.demo.user("alice")["sub"] and claims["aud"] == app.client_id
    with pytest.raises(InvalidClaimError):
        app.parse_id_token(token, "another nonce")
    with pytest.raises(InvalidClaimError):
        app.parse_id_token({**token, "access_token": "another"}, kept["nonce"])
    with pytest.raises(JoseError):
        app.parse_id_token({**token, "id_token": token["id_token"][:-4] + "AAAA"}, kept["nonce"])


def test_userinfo_and_id_token_name_the_same_user(app):
    kept, token = app.sign_in()
    userinfo = app.userinfo(token=token)
    assert userinfo["sub"] == app.parse_id_token(token, kept["nonce"])["sub"]
    assert userinfo["name"] == "Alice" and userinfo["email"] == "alice@example.com"


def test_a_refresh_gives_tokens_that_work_and_an_id_token_of_the_same_sign_in(app):
    kept, token = app.sign_in()
    first = app.parse_id_token(token, kept["nonce"])
    session = app.session(token)
    fresh = session.refresh_token(app.server_metadata["token_endpoint"], refresh_token=token["refresh_token"])
    assert fresh["access_token"] != token["access_token"]
    again = app.parse_id_token(fresh, None)
    for name in ["sub", "aud", "iss", "auth_time"]:
        assert again[name] == first[name], name
    assert app.userinfo(token=fresh)["sub"] == first["sub"]


def test_a_revoked_token_is_refused_and_the_library_says_so(app):
    _, token = app.sign_in()
    session = app.session(token)
    answer = session.revoke_token(app.server_metadata["revocation_endpoint"], token["refresh_token"], "refresh_token")
    assert answer.status_code == 200
    with pytest.raises(OAuthError, match="invalid_grant"):
        session.refresh_token(app.server_metadata["token_endpoint"], refresh_token=token["refresh_token"])
    wait_until(lambda: session.get(app.server_metadata["userinfo_endpoint"]).status_code == 401, 15, "the access token's end")


def test_another_verifier_gets_nothing(app):
    kept, location = app.begin()
    with pytest.raises(OAuthError, match="invalid_grant"):
        app.finish({**kept, "code_verifier": secrets.token_urlsafe(48)}, location)


def test_the_librarys_logout_url_signs_out(app):
    _, token = app.sign_in()
    target = app.create_logout_url(id_token_hint=token["id_token"])["url"]
    answer = app.browser.request("GET", target.removeprefix(app.demo.base))
    assert answer.status == 303
    query = urlencode({"response_type": "code", "client_id": "demo-rp", "redirect_uri": oauth.RP_REDIRECT,
                       "scope": "openid", "prompt": "none"})
    assert "error=login_required" in app.browser.request("GET", f"/oauth/authorize?{query}").header("Location")
