"""A provider of others for many browsers at once, which is told with each sign-in who it is, and what to do wrong."""

from __future__ import annotations

import base64
import copy
import secrets
import threading
import time
from urllib.parse import urlencode

from cryptography.hazmat.primitives.asymmetric import ec

import signing
from provider_of_others import Provider

#: Its name in the nodes' settings, and the secret that they have there.
PROVIDER, SECRET = "elsewhere", "upstream-secret"
CREDENTIALS = base64.b64encode(f"drawbridge:{SECRET}".encode()).decode()
#: What it can do wrong at one sign-in: answer another request than it was asked, sign with a key that it never
#: published, or make the ID token for somebody else.
WRONGS = ("nonce", "key", "audience")
#: How users authenticate there.
METHODS = ["hwk", "otp", "mfa"]


class ManyAtOnce(Provider):
    """A code is good once, whoever brings it first; one with a wrong verifier is not used up."""

    #: Those that nobody fetches are forgotten, the oldest first.
    CODES = 20_000

    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()
        #: Signs in this one's name, with a key that is not published.
        self.forger = copy.copy(self)
        self.forger.key = ec.generate_private_key(ec.SECP256R1())
        # The queue of five that it has otherwise is short for three nodes.
        self.server.socket.listen(256)

    def authorize(self, query: dict) -> str:
        """`user` and `wrong` are the browser's own: what its user types and presses there."""
        request = {name: values[0] for name, values in query.items()}
        code = secrets.token_urlsafe(16)
        with self.lock:
            self.codes[code] = request
            while len(self.codes) > self.CODES:
                del self.codes[next(iter(self.codes))]
        answer = {"code": code, "state": request["state"], "iss": self.issuer}
        return f"{request['redirect_uri']}?{urlencode(answer)}"

    def exchange(self, form: dict, authorization: str) -> dict | None:
        code, verifier = form["code"][0], form.get("code_verifier", [""])[0]
        challenge = signing.challenge(verifier)
        with self.lock:
            request = self.codes.get(code)
            if not request or authorization != f"Basic {CREDENTIALS}" or challenge != request["code_challenge"] \
                    or form["redirect_uri"] != [request["redirect_uri"]]:
                return None
            del self.codes[code]
        now, wrong = int(time.time()), request.get("wrong")
        claims = {"iss": self.issuer, "aud": "somebody" if wrong == "audience" else "drawbridge", "sub": request["user"],
                  "iat": now, "exp": now + 300, "auth_time": now, "amr": METHODS,
                  "nonce": secrets.token_urlsafe(16) if wrong == "nonce" else request["nonce"]}
        signer = self.forger if wrong == "key" else self
        return {"access_token": "a", "token_type": "Bearer", "id_token": signer.sign(claims)}
