"""An OpenID Provider of somebody else, in this process: it answers for whomever the test names, at once."""

import base64
import hashlib
import http.server
import json
import secrets
import threading
import time
from urllib.parse import parse_qs, urlencode, urlsplit

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature


LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout"


def unpadded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


class Provider:
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
        provider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                parts = urlsplit(self.path)
                if parts.path == "/authorize":
                    self.send_response(303)
                    self.send_header("Location", provider.authorize(parse_qs(parts.query)))
                    self.end_headers()
                else:
                    self.send(provider.documents().get(parts.path))

            def do_POST(self):
                form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
                self.send(provider.exchange(form, self.headers.get("Authorization", "")))

            def send(self, document: dict | None):
                self.send_response(200 if document else 400)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(json.dumps(document or {"error": "invalid_grant"}).encode())

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.issuer = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()

    def documents(self) -> dict:
        numbers = self.key.public_key().public_numbers()
        point = {"x": unpadded(numbers.x.to_bytes(32, "big")), "y": unpadded(numbers.y.to_bytes(32, "big"))}
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
                or unpadded(hashlib.sha256(verifier.encode()).digest()) != request["code_challenge"]:
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
        header = unpadded(json.dumps({"alg": "ES256", "kid": "k", "typ": kind}).encode())
        body = f"{header}.{unpadded(json.dumps(claims).encode())}"
        r, s = decode_dss_signature(self.key.sign(body.encode(), ec.ECDSA(hashes.SHA256())))
        return f"{body}.{unpadded(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"
