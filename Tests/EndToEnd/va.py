"""The paths of the VA's sign-in service, and an app that speaks to them (docs/va-sign-in.md)."""

import secrets
from urllib.parse import parse_qs, urlencode, urlsplit

import signing
import wire
from native import App, Browser, cookie_header

BASE = "/v0/sign_in"
TOKEN, REFRESH, END_ALL = f"{BASE}/token", f"{BASE}/refresh", f"{BASE}/revoke_all_sessions"
SAME_ORIGIN = {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"}


class VAApp(App):
    """Speaks to `/v0/sign_in` as the VA's mobile app does: no redirect_uri, no response_type, scope device_sso."""

    def sign_in(self, **more) -> dict:
        self.verifier = secrets.token_urlsafe(32)
        challenge = signing.challenge(self.verifier)
        query = urlencode({
            "client_id": self.client_id, "application": "vamobile", "oauth": "true", "scope": "device_sso",
            "code_challenge": challenge, "code_challenge_method": "S256", "state": secrets.token_urlsafe(24)})
        location = Browser(self.demo.base).sign_in(f"{BASE}/authorize?{query}", self.user)
        code = parse_qs(urlsplit(location).query)["code"][0]
        answer = wire.send(
            self.demo.base, "POST", TOKEN, {"Content-Type": wire.FORM},
            urlencode({"grant_type": "authorization_code", "code": code, "code_verifier": self.verifier}).encode())
        assert answer.status == 200, answer.text
        self.tokens = answer.json()["data"]
        return self.tokens

    def web_cookies(self, **more) -> wire.Answer:
        return self.cookies(path=TOKEN, **more)


def is_signed_in(demo, answer: wire.Answer) -> bool:
    return wire.send(demo.base, "GET", "/session", cookie_header(answer)).json()["authenticated"]


def post(demo, path: str, headers: dict | None = None, **fields: str) -> wire.Answer:
    return wire.send(
        demo.base, "POST", f"{BASE}/{path}", {"Content-Type": wire.FORM, **(headers or {})}, urlencode(fields).encode())


def query(verifier: str = "v" * 43, **more) -> str:
    return urlencode({
        "code_challenge": signing.challenge(verifier), "code_challenge_method": "S256", "state": "s" * 22,
        "scope": "device_sso",
        **more})


def end_all(demo, app: App) -> wire.Answer:
    return demo.send("POST", END_ALL, {"Authorization": f"Bearer {app.tokens['access_token']}"})


def end_all_by_cookies(demo, headers: dict) -> wire.Answer:
    return demo.send("POST", END_ALL, {**headers, **SAME_ORIGIN, "Origin": demo.base, "Content-Type": wire.FORM}, "")
