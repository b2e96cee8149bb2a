"""HS256 in a few lines, written apart from the service so that the two can disagree."""

import base64
import hashlib
import hmac
import json
import secrets
import zlib


def b64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64url(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def jwt(claims: dict, key: bytes, header: dict) -> str:
    signed = ".".join(b64url(json.dumps(part, separators=(",", ":")).encode()) for part in (header, claims))
    return signed + "." + b64url(hmac.new(key, signed.encode(), hashlib.sha256).digest())


def claims_of(token: str) -> dict:
    """What a JWT says; nobody checks it here."""
    return json.loads(unb64url(token.split(".")[1]))


def header_of(token: str) -> dict:
    return json.loads(unb64url(token.split(".")[0]))


def parts(token: str) -> tuple[dict, dict]:
    """Header and claims."""
    header, claims, _ = token.split(".")
    return json.loads(unb64url(header)), json.loads(unb64url(claims))


def half_hash(text: str) -> str:
    """The claims `at_hash`, `c_hash` and `ds_hash` for what is signed with SHA-256."""
    return b64url(hashlib.sha256(text.encode()).digest()[:16])


def challenge(verifier: str) -> str:
    """PKCE's, by S256."""
    return b64url(hashlib.sha256(verifier.encode()).digest())


def client_secret() -> tuple[str, str]:
    """A client's password and the digest of it that a settings file holds."""
    body = "dbc_" + b64url(secrets.token_bytes(32))
    text = body + b64url(zlib.crc32(body.encode()).to_bytes(4, "big"))
    return text, b64url(hashlib.sha256(text.encode()).digest())
