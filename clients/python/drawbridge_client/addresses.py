"""Addresses that secrets may be sent to, and those that an answer may come back to."""

import re
from dataclasses import dataclass

_ADDRESS = re.compile(
    r"(https?)://(\[[0-9a-f:.]+\]|[A-Za-z0-9][A-Za-z0-9.-]*)(?::([1-9][0-9]{0,4}))?(?=[/?]|\Z)[!$-./0-;=?A-Z\[\]_a-z~]*\Z")


@dataclass(frozen=True)
class Address:
    text: str
    host: str
    is_loopback: bool


def secure_address(text) -> Address | None:
    """An address that secrets may be sent to. The odd ones are refused before any parser sees them."""
    found = _ADDRESS.match(text) if isinstance(text, str) and len(text) <= 2048 else None
    if not found or int(found[3] or 1) > 65535:
        return None
    host, is_loopback = found[2].lower(), found[1] == "http"
    if is_loopback and host not in ("127.0.0.1", "[::1]", "localhost"):
        return None
    return Address(text, host, is_loopback)


def is_private_use(text: str) -> bool:
    """`com.example.app:/callback`: a domain turned round, then one slash (RFC 8252 §7.1)."""
    return re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+:/(?!/)[!-~]*", text) is not None and "#" not in text


def origin(address: str) -> str:
    return "/".join(address.split("/")[:3])
