"""The comparison of secrets."""

import hashlib
import hmac


def same(one: str, other: str) -> bool:
    """In a time that tells neither where nor how long."""
    digests = (hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest() for text in (one, other))
    return hmac.compare_digest(*digests)
