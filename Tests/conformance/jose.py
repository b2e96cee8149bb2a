"""Signed tokens, read and verified with the provider's published keys."""

import json

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from signing import b64url, unb64url

#: Members of a JWK that a published key must not have.
SECRET_MEMBERS = {"d", "p", "q", "dp", "dq", "qi", "oth", "k"}


def without_signature(token: str) -> str:
    """The same claims with `alg` none."""
    return f"{b64url(json.dumps({'alg': 'none'}).encode())}.{token.split('.')[1]}."


def unsigned(claims: dict) -> str:
    return f"{b64url(json.dumps({'alg': 'none'}).encode())}.{b64url(json.dumps(claims).encode())}."


def public_key(jwk: dict):
    """The key, or an error for one that cannot be used."""
    if jwk["kty"] == "EC":
        assert jwk["crv"] == "P-256", jwk
        x, y = (int.from_bytes(unb64url(jwk[name]), "big") for name in "xy")
        return ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()
    if jwk["kty"] == "RSA":
        n, e = (int.from_bytes(unb64url(jwk[name]), "big") for name in "ne")
        return rsa.RSAPublicNumbers(e, n).public_key()
    assert (jwk["kty"], jwk["crv"]) == ("OKP", "Ed25519"), jwk
    return ed25519.Ed25519PublicKey.from_public_bytes(unb64url(jwk["x"]))


def is_signed_by(jwk: dict, token: str) -> bool:
    key = public_key(jwk)
    body, _, signature = token.rpartition(".")
    signature = unb64url(signature)
    try:
        if isinstance(key, rsa.RSAPublicKey):
            key.verify(signature, body.encode(), padding.PKCS1v15(), hashes.SHA256())
        elif isinstance(key, ec.EllipticCurvePublicKey):
            r, s = (int.from_bytes(half, "big") for half in (signature[:32], signature[32:]))
            key.verify(encode_dss_signature(r, s), body.encode(), ec.ECDSA(hashes.SHA256()))
        else:
            key.verify(signature, body.encode())
    except InvalidSignature:
        return False
    return True
