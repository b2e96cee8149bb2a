"""Proof of possession (RFC 9449)."""

import json
import re
import secrets
import threading

from .addresses import origin
from .checks import is_text
from .configuration import Configuration
from .digests import sha256
from .encoding import b64, from_b64
from .errors import hosted, wrong
from .vault import Vault


class Proofs:
    """Makes proofs with one key, and knows the nonce that each server wants in them."""

    def __init__(self, configuration: Configuration, vault: Vault):
        self._configuration, self._vault = configuration, vault
        self._nonces: dict = {}
        self._key: Key | None = None
        self._lock = threading.Lock()
        if configuration.dpop is True:
            Key.check()

    def key(self) -> "Key":
        with self._lock:
            if self._key is None:
                own = self._configuration.dpop
                self._key = self._kept() if own is True else hosted("the proof key", lambda: Key(own.public_key, own.sign))
            return self._key

    def _kept(self) -> "Key":
        name = f"{self._vault.common_item}:key"
        with self._vault.locked(f"key {name}"):
            key = Key.of(self._vault.read_object(name))
            if not key:
                made = Key.make()
                self._vault.write(name, made)
                key = Key.of(made)
        return key

    def proof(self, method: str, address: str, token: str | None) -> str:
        key = self.key()
        claims = {"jti": secrets.token_urlsafe(16), "htm": method, "htu": address.split("?")[0],
                  "iat": int(self._configuration.now())}
        if nonce := self._nonces.get(origin(address)):
            claims["nonce"] = nonce
        if token:
            claims["ath"] = sha256(token)
        header = {"typ": "dpop+jwt", "alg": "ES256", "jwk": key.public}
        text = ".".join(b64(json.dumps(part).encode()) for part in (header, claims))
        return f"{text}.{hosted('the proof key', lambda: b64(key.sign(text.encode())))}"

    def remember(self, address: str, nonce: str):
        if re.fullmatch(r"[!-~]{1,1024}", nonce):
            self._nonces[origin(address)] = nonce


class Key:
    """A P-256 key, which `cryptography` makes and signs with, or that is the app's own."""

    def __init__(self, public: dict, sign):
        self.public = {"crv": "P-256", "kty": "EC", "x": public["x"], "y": public["y"]}
        self.sign = sign

    @property
    def thumbprint(self) -> str:
        """RFC 7638."""
        return sha256(json.dumps(self.public, sort_keys=True, separators=(",", ":")))

    @staticmethod
    def check():
        try:
            import cryptography.hazmat.primitives.asymmetric.ec  # noqa: F401
        except ImportError:
            raise wrong("dpop=True needs the package cryptography; or give a key of your own") from None

    @staticmethod
    def make() -> dict:
        from cryptography.hazmat.primitives.asymmetric import ec
        private = ec.generate_private_key(ec.SECP256R1()).private_numbers()
        point = private.public_numbers
        return {name: b64(value.to_bytes(32, "big")) for name, value in
                {"d": private.private_value, "x": point.x, "y": point.y}.items()}

    @classmethod
    def of(cls, kept: dict | None) -> "Key | None":
        """None of what is not there or damaged: no token can be proved by it, so a new key takes its place."""
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec, utils
        numbers = [from_b64(kept[name]) if kept and is_text(kept.get(name)) else None for name in ("d", "x", "y")]
        if not all(number and len(number) == 32 for number in numbers):
            return None
        d, x, y = (int.from_bytes(number, "big") for number in numbers)
        try:
            private = ec.derive_private_key(d, ec.SECP256R1())
        except ValueError:
            return None
        if private.public_key().public_numbers() != ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()):
            return None

        def sign(message: bytes) -> bytes:
            r, s = utils.decode_dss_signature(private.sign(message, ec.ECDSA(hashes.SHA256())))
            return r.to_bytes(32, "big") + s.to_bytes(32, "big")

        return cls(kept, sign)
