"""Services that prove themselves by a key of their own (RFC 7523)."""

import json
import secrets
import time
from urllib.parse import urlencode

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

import oauth
import signing
import wire
from admin import Admin

JWT_BEARER = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"


def assertion_claims(demo, client: str) -> dict:
    now = int(time.time())
    return {"iss": client, "sub": client, "aud": demo.facts["issuer"], "iat": now, "exp": now + 60,
            "jti": secrets.token_urlsafe(16)}


def present(demo, client: str, assertion: str):
    return oauth.token(demo, {"grant_type": "client_credentials", "client_id": client,
                              "client_assertion_type": JWT_BEARER, "client_assertion": assertion})


def es256(claims: dict, key: ec.EllipticCurvePrivateKey, **header) -> str:
    signed = ".".join(signing.b64url(json.dumps(part).encode()) for part in ({"alg": "ES256", **header}, claims))
    r, s = utils.decode_dss_signature(key.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
    return f"{signed}.{signing.b64url(r.to_bytes(32) + s.to_bytes(32))}"


class Machine:
    """A service that proves itself by its own key."""

    def __init__(self, demo, **fields):
        self.demo = demo
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.id = "machine-" + secrets.token_hex(4)
        numbers = self.key.public_key().public_numbers()
        jwk = {"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig",
               "x": signing.b64url(numbers.x.to_bytes(32)), "y": signing.b64url(numbers.y.to_bytes(32))}
        made = Admin(demo).send("POST", "clients", {
            "client_id": self.id, "client_type": "service", "grant_types": ["client_credentials"], "scope": "read",
            "token_endpoint_auth_method": "private_key_jwt", "jwks": {"keys": [jwk]}, **fields})
        assert made.status == 201, made.body

    def assertion(self, audience=None, **changes) -> str:
        now = int(time.time())
        claims = {"iss": self.id, "sub": self.id, "aud": audience or self.demo.facts["issuer"],
                  "jti": secrets.token_hex(8), "iat": now, "exp": now + 60, **changes}
        claims = {name: value for name, value in claims.items() if value is not None}
        return es256(claims, self.key)

    def token(self, assertion: str) -> wire.Answer:
        return self.demo.send("POST", "/oauth/token", body=urlencode({
            "grant_type": "client_credentials", "client_assertion": assertion,
            "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"}))
