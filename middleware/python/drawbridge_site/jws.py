"""Compact JWS (RFC 7515) with ES256 and RS256, verified on the standard library alone.

Verifying handles nothing secret, so plain arithmetic gives nothing away. Where the package `cryptography` is installed,
it does the arithmetic, some thirty times faster.
"""

import base64
import hashlib
import json
import re

try:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils
except ImportError:  # The arithmetic below does it.
    ec = None

LONGEST = 8192
#: What keys verify here, each the one that its kind says.
ALGORITHMS = ("ES256", "RS256")
_ALPHABET = re.compile(r"[A-Za-z0-9_-]*\Z")


class Refused(Exception):
    """A token, header or post that must not be believed; `reason` is one short word for the log. One that is not final
    may be believed later."""

    def __init__(self, reason: str, is_final: bool = True):
        super().__init__(reason)
        self.reason, self.is_final = reason, is_final


def decode(text: str) -> bytes:
    """Base64url without padding, and nothing else (RFC 7515 §2)."""
    if not _ALPHABET.match(text) or len(text) % 4 == 1:
        raise Refused("malformed")
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    # Two texts must not stand for the same bytes.
    if base64.urlsafe_b64encode(data).rstrip(b"=").decode() != text:
        raise Refused("malformed")
    return data


def json_object(data: bytes) -> dict:
    try:
        value = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        raise Refused("malformed") from None
    if not isinstance(value, dict):
        raise Refused("malformed")
    return value


class Token:
    """What a token says, before anything of it is believed."""

    def __init__(self, text: str):
        parts = text.split(".") if len(text) <= LONGEST else []
        if len(parts) != 3:
            raise Refused("malformed")
        self.header = json_object(decode(parts[0]))
        self.claims = json_object(decode(parts[1]))
        self.signature = decode(parts[2])
        self.signed = f"{parts[0]}.{parts[1]}".encode()
        # RFC 7515 §4.1.11: what must be understood and is not.
        if "crit" in self.header:
            raise Refused("malformed")

    def check_kind(self, type_: str, algorithms: tuple):
        """The algorithm and the type are ours to say, never the token's (RFC 8725 §3.1, §3.11)."""
        if self.header.get("alg") not in algorithms:
            raise Refused("algorithm")
        own = self.header.get("typ")
        if not isinstance(own, str) or own.lower().removeprefix("application/") != type_:
            raise Refused("type")
        if not isinstance(self.header.get("kid"), str):
            raise Refused("unknown_key")


def keys(document: bytes) -> dict:
    """The usable keys of a JWK set, by `kid`. A key's kind says the one algorithm that it verifies."""
    members = json_object(document).get("keys")
    if not isinstance(members, list) or len(members) > 100:
        raise Refused("malformed")
    found: dict = {}
    for jwk in members:
        key = _key(jwk) if isinstance(jwk, dict) else None
        if key and jwk["kid"] not in found:
            found[jwk["kid"]] = key
    return found


def _key(jwk: dict):
    if not isinstance(jwk.get("kid"), str) or jwk.get("use", "sig") != "sig":
        return None
    try:
        if jwk.get("kty") == "EC" and jwk.get("crv") == "P-256" and jwk.get("alg", "ES256") == "ES256":
            x, y = decode(jwk["x"]), decode(jwk["y"])
            point = (int.from_bytes(x, "big"), int.from_bytes(y, "big"))
            return ("ES256", point) if len(x) == len(y) == 32 and _on_curve(point) else None
        if jwk.get("kty") == "RSA" and jwk.get("alg", "RS256") == "RS256":
            n, e = int.from_bytes(decode(jwk["n"]), "big"), int.from_bytes(decode(jwk["e"]), "big")
            return ("RS256", (n, e)) if 2048 <= n.bit_length() <= 8192 and e in (3, 65537) else None
    except (KeyError, TypeError, Refused):
        return None
    return None


def verify(token: Token, key: tuple):
    """Throws `Refused("signature")` unless this key made the token's signature."""
    algorithm, material = key
    if algorithm != token.header["alg"]:
        raise Refused("algorithm")
    holds = _es256 if algorithm == "ES256" else _rs256
    if not holds(material, token.signed, token.signature):
        raise Refused("signature")


# P-256 (SEC 2, §2.4.2)

_P = 0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF
_N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
_B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
_G = (0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
      0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5)


def _on_curve(point: tuple) -> bool:
    x, y = point
    return x < _P and y < _P and (y * y - (x * x * x - 3 * x + _B)) % _P == 0


def _es256(point: tuple, message: bytes, signature: bytes) -> bool:
    if len(signature) != 64:
        return False
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    if not (0 < r < _N and 0 < s < _N):
        return False
    if ec is not None:
        try:
            ec.EllipticCurvePublicNumbers(*point, ec.SECP256R1()).public_key().verify(
                utils.encode_dss_signature(r, s), message, ec.ECDSA(hashes.SHA256()))
            return True
        except InvalidSignature:
            return False
    # FIPS 186-5 §6.4.2
    digest = int.from_bytes(hashlib.sha256(message).digest(), "big")
    inverse = pow(s, -1, _N)
    x = _sum_of_multiples(digest * inverse % _N, _G, r * inverse % _N, point)
    return x is not None and x % _N == r


def _sum_of_multiples(a: int, first: tuple, b: int, second: tuple):
    """The x of a·first + b·second; None at infinity. Both multiples in one walk over the bits."""
    one, two = (*first, 1), (*second, 1)
    table = {(1, 0): one, (0, 1): two, (1, 1): _add(one, two)}
    total = None
    for bit in range(max(a.bit_length(), b.bit_length()) - 1, -1, -1):
        total = _double(total)
        step = (a >> bit & 1, b >> bit & 1)
        if step != (0, 0):
            total = _add(total, table[step])
    if total is None:
        return None
    x, _, z = total
    return x * pow(z, -2, _P) % _P


def _double(point):
    """In Jacobian coordinates, as the next."""
    if point is None or point[1] == 0:
        return None
    x, y, z = point
    square = y * y % _P
    s = 4 * x * square % _P
    m = 3 * (x - z * z) * (x + z * z) % _P
    new_x = (m * m - 2 * s) % _P
    return new_x, (m * (s - new_x) - 8 * square * square) % _P, 2 * y * z % _P


def _add(one, two):
    if one is None or two is None:
        return one or two
    x1, y1, z1 = one
    x2, y2, z2 = two
    zz1, zz2 = z1 * z1 % _P, z2 * z2 % _P
    u1, u2 = x1 * zz2 % _P, x2 * zz1 % _P
    s1, s2 = y1 * zz2 * z2 % _P, y2 * zz1 * z1 % _P
    h, r = (u2 - u1) % _P, (s2 - s1) % _P
    if h == 0:
        return _double(one) if r == 0 else None
    hh = h * h % _P
    hhh, v = h * hh % _P, u1 * hh % _P
    x = (r * r - hhh - 2 * v) % _P
    return x, (r * (v - x) - s1 * hhh) % _P, h * z1 * z2 % _P


#: DigestInfo of SHA-256 (RFC 8017 §9.2, note 1).
_SHA256 = bytes.fromhex("3031300d060960864801650304020105000420")


def _rs256(material: tuple, message: bytes, signature: bytes) -> bool:
    n, e = material
    length = (n.bit_length() + 7) // 8
    value = int.from_bytes(signature, "big")
    if len(signature) != length or value >= n:
        return False
    if ec is not None:
        try:
            rsa.RSAPublicNumbers(e, n).public_key().verify(signature, message, padding.PKCS1v15(), hashes.SHA256())
            return True
        except InvalidSignature:
            return False
    # The whole block is made and compared: nothing of the signature is parsed (RFC 8017 §8.2.2).
    content = _SHA256 + hashlib.sha256(message).digest()
    expected = b"\x00\x01" + b"\xff" * (length - len(content) - 3) + b"\x00" + content
    return pow(value, e, n).to_bytes(length, "big") == expected
