"""A website that takes self-issued answers: another implementation of the rules, over another one of JOSE, joserfc.

It makes the checks of docs/self-issued.md ("What is checked, in order"), whoever sends the answer.
"""

import base64
import hashlib
import json
import math
import re
import time

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from joserfc import jwk, jws
from joserfc.errors import JoseError

URN = "urn:ietf:params:oauth:jwk-thumbprint:sha-256:"
CORE, LEGACY = "https://self-issued.me", "https://self-issued.me/v2"
MAXIMUM_LENGTH, MAXIMUM_DEPTH = 16_384, 16
TOLERANCE, MAXIMUM_AGE = 60, 600
# The key decides, never the token: `none` and HMAC are nobody's (RFC 8725 section 3.1).
ALGORITHMS = {"EC": "ES256", "RSA": "RS256", "OKP": "EdDSA"}
MEMBERS = {"EC": ["crv", "kty", "x", "y"], "RSA": ["e", "kty", "n"], "OKP": ["crv", "kty", "x"]}
CURVES = {"EC": "P-256", "OKP": "Ed25519"}
PRIVATE = {"d", "p", "q", "dp", "dq", "qi", "oth", "k"}
FIELD_25519 = 2**255 - 19
# The y coordinate of the points of order 8 on edwards25519; the others of small order have 0, 1 and -1.
ORDER_EIGHT = 0x05FC536D880238B13933C6D305ACDFD5F098EFF289F4C345B027B2C28F95E826
PEM = re.compile(r"-----BEGIN PUBLIC KEY-----([^-]+)-----END PUBLIC KEY-----")


class Refused(Exception):
    """`names` has the name of the refusal first, and then those that the rules leave as good as it."""

    def __init__(self, *names: str):
        super().__init__(names[0])
        self.names = names


class Unreadable(Exception):
    """A text is not in the one spelling that it may have."""


def check(parameters: dict, client_ids: list[str], nonce: str, now: float | None = None) -> dict:
    """What a website does with an answer; form, thumbprint, alg and claims, or `Refused`."""
    now = time.time() if now is None else now
    # RFC 6749 section 3.1: what is empty is absent; and a form holds texts alone.
    given = {name: value for name, value in parameters.items() if isinstance(value, str) and value}
    if "error" in given:
        raise Refused("op_error")
    try:
        token = Token(given.get("id_token", ""))
    except Unreadable:
        raise Refused("malformed") from None
    claims = token.claims
    if token.header.get("alg") not in ALGORITHMS.values():
        raise Refused("alg_not_allowed")
    form = _form(claims)
    key = Key.of_issuer(claims["iss"]) if form == "seed2012" else Key(claims.get("sub_jwk"))
    if token.header["alg"] != key.algorithm:
        raise Refused("alg_not_allowed")
    _check_subject(token, form, key)
    if not key.signed(token):
        raise Refused("signature_invalid")
    _check_audience(claims, client_ids)
    _check_times(claims, now)
    if not isinstance(claims.get("nonce"), str) or not claims["nonce"]:
        raise Refused("nonce_missing")
    if claims["nonce"] != nonce:
        raise Refused("nonce_mismatch")
    if "at_hash" in claims and "access_token" in given:
        half = hashlib.sha256(given["access_token"].encode("utf-8", "surrogatepass")).digest()[:16]
        if claims["at_hash"] != _base64url(half):
            raise Refused("at_hash_mismatch")
    told = claims
    if "userinfo_token" in given:
        told = _userinfo(given["userinfo_token"], key, claims, client_ids, nonce, now)
    return {"form": form, "thumbprint": key.thumbprint, "alg": key.algorithm, "claims": claims, "told": told}


def _form(claims: dict) -> str:
    iss, sub, user_id = (claims.get(name) for name in ("iss", "sub", "user_id"))
    if not isinstance(iss, str):
        raise Refused("not_self_issued")
    if user_id != iss and isinstance(sub, str) and sub.startswith("did:") and "sub_jwk" not in claims:
        raise Refused("subject_type_not_supported")
    if iss == CORE:
        return "core7"
    if iss == LEGACY:
        return "siopv2-legacy"
    if user_id == iss:
        return "seed2012"
    if sub == iss:
        return "siopv2"
    raise Refused("not_self_issued")


def _check_subject(token: "Token", form: str, key: "Key"):
    names = [key.thumbprint] if form == "core7" else [key.thumbprint, URN + key.thumbprint]
    if form == "seed2012":
        names.append(token.claims["iss"])
    if form != "seed2012" or "sub" in token.claims:
        if token.claims.get("sub") not in names:
            raise Refused("subject_mismatch")
    # The same key once more, wherever it is repeated.
    for part in ([token.claims["sub_jwk"]] if "sub_jwk" in token.claims else []) + (
            [token.header["jwk"]] if "jwk" in token.header else []):
        if Key(part).thumbprint != key.thumbprint:
            raise Refused("subject_mismatch")


def _check_audience(claims: dict, client_ids: list[str]):
    audience = claims.get("aud")
    listed = [audience] if isinstance(audience, str) else audience
    if not isinstance(listed, list) or not all(isinstance(name, str) for name in listed):
        raise Refused("aud_mismatch")
    if not set(listed) & set(client_ids):
        raise Refused("aud_mismatch")


def _check_times(claims: dict, now: float):
    if not _is_number(claims.get("exp")) or not _is_number(claims.get("iat")):
        raise Refused("malformed")
    if "nbf" in claims and not _is_number(claims["nbf"]):
        raise Refused("malformed")
    if now >= claims["exp"] + TOLERANCE:
        raise Refused("expired")
    if not now - MAXIMUM_AGE - TOLERANCE <= claims["iat"] <= now + TOLERANCE:
        raise Refused("iat_out_of_range")
    if claims.get("nbf", now) > now + TOLERANCE:
        raise Refused("iat_out_of_range")


def _userinfo(text: str, key: "Key", claims: dict, client_ids: list[str], nonce: str, now: float) -> dict:
    try:
        token = Token(text)
    except Unreadable:
        raise Refused("userinfo_signature_invalid", "malformed") from None
    if token.header.get("alg") != key.algorithm:
        raise Refused("userinfo_signature_invalid", "alg_not_allowed")
    if not key.signed(token):
        raise Refused("userinfo_signature_invalid")
    told = token.claims
    for name in ("iss", "user_id", "sub"):
        known = [claims.get(name)]
        if name == "sub" and name not in claims:  # as one of 2012 may
            known = [key.thumbprint, URN + key.thumbprint, claims["iss"]]
        if name in told and not (isinstance(told[name], str) and told[name] in known):
            raise Refused("userinfo_subject_mismatch")
    _check_audience(told, client_ids)
    if told.get("nonce", nonce) != nonce:
        raise Refused("nonce_mismatch")
    if "exp" in told and not _is_number(told["exp"]):
        raise Refused("expired", "malformed")
    if now >= told.get("exp", now) + TOLERANCE:
        raise Refused("expired")
    return told


class Token:
    """A JWS in its compact form, taken apart but not verified; `Unreadable` where it is none."""

    def __init__(self, text: str):
        parts = text.split(".")
        if len(text) > MAXIMUM_LENGTH or len(parts) != 3:
            raise Unreadable
        header, payload, self.signature = (_bytes(part) for part in parts)
        self.message = text.rpartition(".")[0].encode()
        self.header, self.claims = _json(header), _json(payload)
        if not isinstance(self.header, dict) or not isinstance(self.claims, dict) or "crit" in self.header:
            raise Unreadable


class Key:
    """The public key of a phone: a bare JWK, or a set of one."""

    def __init__(self, value):
        if isinstance(value, dict) and "keys" in value:
            listed = value["keys"]
            value = listed[0] if isinstance(listed, list) and len(listed) == 1 and "kty" not in value else None
        if not isinstance(value, dict):
            raise Refused("key_invalid")
        if PRIVATE & set(value):
            raise Refused("key_private")
        kind, use = value.get("kty"), value.get("use")
        if {"x5c", "x5u"} & set(value) or kind not in list(MEMBERS) or isinstance(use, str) and use != "sig":
            raise Refused("key_invalid")
        bare = {name: value.get(name) for name in MEMBERS[kind]}
        try:
            self._check_numbers(kind, bare)
            self.key = jwk.import_key(bare)
            self.thumbprint = self.key.thumbprint()
            self.key.get_op_key("verify")
        except (Unreadable, JoseError, ValueError, TypeError, KeyError, UnsupportedAlgorithm):
            raise Refused("key_invalid") from None
        self.algorithm = ALGORITHMS[kind]

    @staticmethod
    def _check_numbers(kind: str, bare: dict):
        numbers = {name: _bytes(text) for name, text in bare.items() if name not in ("kty", "crv")}
        if kind == "RSA":
            modulus = int.from_bytes(numbers["n"], "big")
            if bare["e"] != "AQAB" or numbers["n"][:1] in (b"", b"\0") or modulus % 2 == 0:
                raise Unreadable
            if not 2048 <= modulus.bit_length() <= 8192:
                raise Unreadable
            return
        if bare["crv"] != CURVES[kind] or {len(number) for number in numbers.values()} != {32}:
            raise Unreadable
        if kind == "OKP":
            # Under a point of small order anybody signs anything.
            height = (int.from_bytes(numbers["x"], "little") & (2**255 - 1)) % FIELD_25519
            if height in (0, 1, FIELD_25519 - 1, ORDER_EIGHT, FIELD_25519 - ORDER_EIGHT):
                raise Unreadable

    @classmethod
    def of_issuer(cls, text: str) -> "Key":
        """A key that is written out as `iss`: as JWK, or in X.509's form as PEM or base64 of either alphabet."""
        try:
            if text.startswith("{"):
                return cls(_json(text.encode()))
            armoured = PEM.fullmatch(text.replace("\r", "").replace("\n", ""))
            return cls(_jwk_of_x509(_base64_of_either_alphabet(armoured[1] if armoured else text)))
        except (Unreadable, ValueError, UnsupportedAlgorithm):
            # What is no key could as well be called no issuer of this kind.
            raise Refused("key_invalid", "not_self_issued") from None

    def signed(self, token: Token) -> bool:
        # Not `deserialize_compact`, which holds the rest of the header to rules of its own.
        try:
            return jws.JWSRegistry.algorithms[self.algorithm].verify(token.message, token.signature, self.key)
        except ValueError:
            return False


def _jwk_of_x509(der: bytes) -> dict:
    key = serialization.load_der_public_key(der)
    form = serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    if key.public_bytes(*form) != der:
        raise Unreadable
    for kind in (jwk.ECKey, jwk.RSAKey, jwk.OKPKey):
        try:
            return kind(key, key).as_dict(private=False)
        except (JoseError, AttributeError, KeyError, TypeError):
            continue
    raise Unreadable


def _base64_of_either_alphabet(text: str) -> bytes:
    bare = text.rstrip("=")
    padding = len(text) - len(bare)
    if padding and (padding > 2 or len(text) % 4) or len(text) > MAXIMUM_LENGTH:
        raise Unreadable
    if "-" not in bare and "_" not in bare:
        bare = bare.replace("+", "-").replace("/", "_")
    return _bytes(bare)


def _base64url(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def _bytes(text) -> bytes:
    """The bytes of base64url in its one spelling: no padding, no other alphabet, no stray low bits."""
    if not isinstance(text, str) or not re.fullmatch(r"[A-Za-z0-9_-]*", text) or len(text) % 4 == 1:
        raise Unreadable
    value = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if _base64url(value) != text:
        raise Unreadable
    return value


def _json(text: bytes):
    """RFC 8259, strictly: UTF-8 without a byte order mark, no member twice, nothing deeper than 16."""
    try:
        # Numbers as doubles: whole ones of thousands of digits are numbers too, and Python refuses them.
        value = json.loads(
            text.decode(), object_pairs_hook=_members, parse_int=float, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise Unreadable from None
    _check_depth(value, MAXIMUM_DEPTH)
    return value


def _members(pairs: list) -> dict:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError
    return members


def _no_constant(_):
    raise ValueError


def _check_depth(value, left: int):
    if isinstance(value, str):
        # Half a pair of surrogates is no character.
        if not value.isascii() and any(0xD800 <= ord(character) <= 0xDFFF for character in value):
            raise Unreadable
        return
    inner = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else None
    if inner is not None:
        if left == 0:
            raise Unreadable
        for item in inner:
            _check_depth(item, left - 1)


def _is_number(value) -> bool:
    return isinstance(value, float) and math.isfinite(value)


def check_answer(website, answer, nonce="4f8921ce98f89") -> dict:
    """What a website of ours makes of a phone's answer to `Website.link`."""
    assert answer.address == website.return_uri
    assert answer.parameters["state"] == "a_f2fkEx"
    return check(answer.parameters, [website.client_id, website.return_uri], nonce)
