"""Hashes of secrets, and their comparison."""

import hashlib
import hmac

from .encoding import b64


def sha256(text: str) -> str:
    return b64(_digest(text))


def half_hash(text: str) -> str:
    """`at_hash` and `ds_hash`: the left half of the SHA-256."""
    return b64(_digest(text)[:16])


def same(one: str, other: str) -> bool:
    # JSON may hold halves of characters, which are of no encoding.
    return hmac.compare_digest(one.encode("utf-8", "surrogatepass"), other.encode("utf-8", "surrogatepass"))


def _digest(text: str) -> bytes:
    # JSON may hold halves of characters: a token with one is not the provider's, and is nothing to fail at here.
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()
