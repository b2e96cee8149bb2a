"""An app that waits for its browser on loopback (RFC 8252 §7.3)."""

import secrets
from urllib.parse import urlencode

import signing
import wire
from stub import Asked, Stub


class LoopbackApp(Stub):
    """The app's side: a loopback listener on a free port, and a verifier that never leaves it."""

    def __init__(self, demo):
        self.demo, self.answers = demo, []
        #: Where the listener sends its visitor on.
        self.onward: str | None = None
        super().__init__(self._take)
        self.redirect = f"{self.base}/callback"
        self.verifier, self.state = secrets.token_urlsafe(40), secrets.token_urlsafe(16)

    def _take(self, asked: Asked) -> tuple:
        self.answers.append({"posted": True, **asked.form} if asked.method == "POST" else asked.query)
        return 303 if self.onward else 200, "You can go back to the app.", {"Location": self.onward} if self.onward else {}

    def url(self, **more) -> str:
        parameters = {
            "response_type": "code", "client_id": "demo-app", "redirect_uri": self.redirect,
            "scope": "openid profile", "state": self.state,
            "code_challenge": signing.challenge(self.verifier),
            "code_challenge_method": "S256", **more}
        return f"{self.demo.base}/oauth/authorize?{urlencode(parameters)}"

    def redeem(self, code: str) -> wire.Answer:
        return self.demo.send(
            "POST", "/oauth/token", {"Content-Type": wire.FORM},
            urlencode({"grant_type": "authorization_code", "code": code, "redirect_uri": self.redirect,
                       "client_id": "demo-app", "code_verifier": self.verifier}).encode())
