"""Base64url, forms, queries and JSON."""

import base64
import json
import re
from urllib.parse import quote, unquote_to_bytes


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_b64(text: str) -> bytes | None:
    """None for anything that `b64` would not have written: a token has one spelling."""
    if not re.fullmatch(r"[A-Za-z0-9_-]*", text) or len(text) % 4 == 1:
        return None
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return data if b64(data) == text else None


def form(members: dict) -> str:
    return "&".join(f"{quote(name, safe='')}={quote(str(value), safe='', errors='replace')}"
                    for name, value in members.items() if value is not None)


def parameters(query: str) -> list | None:
    """The parameters of a query in order, or None when an escape is broken."""
    if re.search(r"%(?![0-9A-Fa-f]{2})", query):
        return None
    try:
        return [tuple(unquote_to_bytes(part.replace("+", " ")).decode("utf-8") for part in pair.partition("=")[::2])
                for pair in query.split("&") if pair]
    except UnicodeDecodeError:
        return None


def json_object(text: str) -> dict | None:
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _no_constant(name: str):
    raise ValueError(name)
