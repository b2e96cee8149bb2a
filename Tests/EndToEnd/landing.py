"""A website that an app opens by a login link, and that asks for a code there."""

import base64
import secrets
from urllib.parse import parse_qs, urlencode, urlsplit

import oauth
import signing
import wire
from admin import admin, reach

CALLBACK = "https://rp.example.com/callback"
VERIFIER = secrets.token_urlsafe(48)


class RP:
    """A relying party of the demo, which the demo's app may open."""

    def __init__(self, demo, name: str, **fields):
        self.demo, self.id = demo, f"{name}-{secrets.token_hex(4)}"
        document = {
            "client_id": self.id, "client_type": "web", "redirect_uris": [CALLBACK], "first_party": True,
            "return_paths": ["/contacts", "/account/*"], "default_return_path": "/contacts",
            "public_origin": "https://rp.example.com", **fields}
        made = admin(demo, "POST", "/api/admin/clients", {
            name: value for name, value in document.items() if value is not None})
        assert made.status == 201, made.text
        self.secret = made.json()["client_secret"]
        reach(demo, self.id)

    def basic(self) -> dict:
        return {"Authorization": "Basic " + base64.b64encode(f"{self.id}:{self.secret}".encode()).decode()}

    def query(self, **more) -> dict:
        query = {"response_type": "code", "client_id": self.id, "redirect_uri": CALLBACK, "scope": "openid profile",
                 "state": secrets.token_urlsafe(8), "nonce": secrets.token_urlsafe(8),
                 "code_challenge": signing.challenge(VERIFIER), "code_challenge_method": "S256", **more}
        return {name: value for name, value in query.items() if value is not None}

    def visit(self, cookie: str | None = None, headers: dict | None = None, **more) -> wire.Answer:
        return self.visit_query(urlencode(self.query(**more)), cookie, headers)

    def visit_query(self, query: str, cookie: str | None = None, headers: dict | None = None) -> wire.Answer:
        headers = {**(wire.NAVIGATION if headers is None else headers), **({"Cookie": cookie} if cookie else {})}
        return self.demo.send("GET", f"/oauth/authorize?{query}", headers)

    def redeem(self, code: str) -> wire.Answer:
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": CALLBACK, "code_verifier": VERIFIER}
        return oauth.token(self.demo, form, self.basic())

    def token(self, sub: str = "alice", **fields) -> dict:
        return self.demo.issue(sub, client_id=self.id, **fields)


def code(answer: wire.Answer) -> str:
    assert answer.status == 303, (answer.status, answer.text)
    location = answer.header("Location")
    assert location.startswith(CALLBACK + "?"), location
    return parse_qs(urlsplit(location).query)["code"][0]


def view_of(demo, name: str, prefix: str, **fields) -> RP:
    """A website whose pages are here, with cookies of the profile `tokens`."""
    return RP(demo, name, cookie_profile="tokens", cookie_prefix=prefix, public_origin=None, **fields)
