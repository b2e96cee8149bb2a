"""An OpenID Provider of somebody else, in this process: it answers for whomever the test names, at once."""

import base64
import json
import secrets
import time
from urllib.parse import parse_qs, urlencode, urlsplit

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

import wire
from signing import b64url, challenge
from stub import Asked, Stub

LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout"


class Provider(Stub):
    """`subject` is who signs in next; `token_claims` and `answer` change what is told of them."""

    #: What it gave Drawbridge.
    SECRET = "upstream-secret"

    def settings(self, folder, name: str = "other", title: str | None = None) -> str:
        """What a settings file says of it; the secret is kept in `folder`."""
        secret = folder / "upstream-secret"
        secret.touch(mode=0o600)
        secret.write_text(f"{self.SECRET}\n")
        shown = f"\n    name: {title}" if title else ""
        return f"""
upstream_providers:
  - id: {name}{shown}
    issuer: {self.issuer}
    client_id: drawbridge
    client_secret_file: {secret}
"""

    def __init__(self):
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.subject, self.token_claims, self.answer = "77", {}, {}
        self.codes: dict[str, dict] = {}
        self.requests: list[dict] = []
        super().__init__(self._answer_to)
        self.issuer = self.base

    def _answer_to(self, asked: Asked) -> tuple:
        if asked.path == "/authorize":
            return 303, b"", {"Location": self.authorize(parse_qs(urlsplit(asked.target).query))}
        if asked.method == "GET":
            document = self.documents().get(asked.path)
        else:
            document = self.exchange(parse_qs(asked.body.decode()), asked.headers.get("Authorization", ""))
        return (200, document) if document else (400, {"error": "invalid_grant"})

    def documents(self) -> dict:
        numbers = self.key.public_key().public_numbers()
        point = {"x": b64url(numbers.x.to_bytes(32, "big")), "y": b64url(numbers.y.to_bytes(32, "big"))}
        return {
            "/.well-known/openid-configuration": {
                "issuer": self.issuer, "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token", "jwks_uri": f"{self.issuer}/keys",
                "authorization_response_iss_parameter_supported": True},
            "/keys": {"keys": [{"kty": "EC", "crv": "P-256", "kid": "k", "use": "sig", "alg": "ES256", **point}]},
        }

    def authorize(self, query: dict) -> str:
        request = {name: values[0] for name, values in query.items()}
        self.requests.append(request)
        code = f"code-{len(self.requests)}"
        self.codes[code] = request
        answer = {"code": code, "state": request["state"], "iss": self.issuer, **self.answer}
        return f"{request['redirect_uri']}?{urlencode({k: v for k, v in answer.items() if v is not None})}"

    def exchange(self, form: dict, authorization: str) -> dict | None:
        request = self.codes.pop(form["code"][0], None)
        secret = base64.b64encode(f"drawbridge:{self.SECRET}".encode()).decode()
        verifier = form.get("code_verifier", [""])[0]
        if not request or authorization != f"Basic {secret}" \
                or challenge(verifier) != request["code_challenge"]:
            return None
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": "drawbridge", "sub": self.subject, "iat": now, "exp": now + 300,
                  "auth_time": now, "nonce": request["nonce"], "name": "Up Stream", "email": "alice@example.com",
                  **self.token_claims}
        return {"access_token": "a", "token_type": "Bearer", "id_token": self.sign(claims)}

    def logout_token(self, **changes) -> str:
        """Says that `subject` has signed out here; a claim that is None is left out."""
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": "drawbridge", "sub": self.subject, "iat": now, "exp": now + 120,
                  "jti": secrets.token_urlsafe(12), "events": {LOGOUT_EVENT: {}}, **changes}
        return self.sign({name: value for name, value in claims.items() if value is not None}, "logout+jwt")

    def sign(self, claims: dict, kind: str = "JWT") -> str:
        header = b64url(json.dumps({"alg": "ES256", "kid": "k", "typ": kind}).encode())
        body = f"{header}.{b64url(json.dumps(claims).encode())}"
        r, s = decode_dss_signature(self.key.sign(body.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{body}.{b64url(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


class Follower:
    """Cookies and nothing else."""

    def __init__(self, server):
        self.server, self.cookies = server, {}

    def get(self, url: str) -> wire.Answer:
        base = self.server.base
        if url.startswith("http") and not url.startswith(base):
            parts = url.split("/", 3)
            return wire.send("/".join(parts[:3]), "GET", "/" + parts[3])
        headers = {"Cookie": "; ".join(f"{k}={v}" for k, v in self.cookies.items())} if self.cookies else {}
        answer = self.server.send("GET", url.removeprefix(base), headers)
        for name, cookie in answer.cookies.items():
            self.cookies[name] = cookie.value
        return answer

    def follow(self, url: str, hops: int = 3) -> wire.Answer:
        for _ in range(hops):
            answer = self.get(url)
            if answer.status != 303:
                return answer
            url = answer.header("Location")
        return answer

    @property
    def session(self) -> dict:
        return self.get("/session").json()
