"""DPoP proofs (RFC 9449), made with another library than the service's."""

import hashlib
import json
import secrets
import time

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils

import wire
from native import App
from signing import b64url


def number(value: int, length: int | None = None) -> str:
    return b64url(value.to_bytes(length or (value.bit_length() + 7) // 8, "big"))


class Key:
    """An app's key."""

    def __init__(self, algorithm: str = "ES256"):
        self.algorithm = algorithm
        if algorithm == "ES256":
            self.private = ec.generate_private_key(ec.SECP256R1())
            public = self.private.public_key().public_numbers()
            self.jwk = {"kty": "EC", "crv": "P-256", "x": number(public.x, 32), "y": number(public.y, 32)}
        elif algorithm == "EdDSA":
            self.private = ed25519.Ed25519PrivateKey.generate()
            self.jwk = {"kty": "OKP", "crv": "Ed25519", "x": b64url(self.private.public_key().public_bytes_raw())}
        else:
            self.private = rsa.generate_private_key(65537, 2048)
            public = self.private.public_key().public_numbers()
            self.jwk = {"kty": "RSA", "n": number(public.n), "e": number(public.e)}

    @property
    def thumbprint(self) -> str:
        """RFC 7638."""
        return b64url(hashlib.sha256(json.dumps(self.jwk, sort_keys=True, separators=(",", ":")).encode()).digest())

    def sign(self, message: bytes) -> bytes:
        if self.algorithm == "ES256":
            r, s = utils.decode_dss_signature(self.private.sign(message, ec.ECDSA(hashes.SHA256())))
            return r.to_bytes(32, "big") + s.to_bytes(32, "big")
        if self.algorithm == "EdDSA":
            return self.private.sign(message)
        if self.algorithm == "PS256":
            return self.private.sign(message, padding.PSS(padding.MGF1(hashes.SHA256()), 32), hashes.SHA256())
        return self.private.sign(message, padding.PKCS1v15(), hashes.SHA256())

    def proof(
        self, method: str, url: str, token: str | None = None, nonce: str | None = None, header: dict | None = None,
        **changes,
    ) -> str:
        """A right proof but for the changes; a change to None takes a member away."""
        claims = {"jti": secrets.token_urlsafe(16), "htm": method, "htu": url, "iat": int(time.time())}
        if token:
            claims["ath"] = b64url(hashlib.sha256(token.encode()).digest())
        if nonce:
            claims["nonce"] = nonce
        head = {"typ": "dpop+jwt", "alg": self.algorithm, "jwk": self.jwk, **(header or {})}
        parts = [
            b64url(json.dumps({k: v for k, v in part.items() if v is not None}, separators=(",", ":")).encode())
            for part in (head, {**claims, **changes})
        ]
        signed = ".".join(parts)
        return signed + "." + b64url(self.sign(signed.encode()))


def private_jwk(key: Key) -> dict:
    """An EC key with its private member, as no proof may hold it."""
    return {**key.jwk, "d": number(key.private.private_numbers().private_value, 32)}


class BoundApp(App):
    """An app that shows its key with everything it sends to the token endpoint."""

    def __init__(self, demo, key: Key | None = None, **more):
        super().__init__(demo, **more)
        self.key = key or Key()

    def proof(self, path: str = "/oauth/token", method: str = "POST", **more) -> str:
        return self.key.proof(method, self.demo.base + path, **more)

    def post(self, path: str, headers: dict | None = None, **parameters: str) -> wire.Answer:
        return super().post(path, {"DPoP": self.proof(path), **(headers or {})}, **parameters)

    def call(self, path: str, method: str = "GET", scheme: str = "DPoP", proof: str | None = "", **more) -> wire.Answer:
        """Presents the access token; `proof` is made when it is empty and left out when it is None."""
        token = self.tokens["access_token"]
        headers = {"Authorization": f"{scheme} {token}"}
        if proof is not None:
            headers["DPoP"] = proof or self.proof(path, method, token=token)
        return wire.send(self.demo.base, method, path, {**headers, **more})
