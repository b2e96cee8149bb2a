"""Who is signed in as header fields say it: X-Auth-* of a proxy, or of an answer of /auth/check."""

import contextlib
import re

from .claims import is_text
from .jws import Refused
from .outage import Unavailable
from .request import Request


def identity(said: Request, wanted: tuple) -> dict:
    """As far as the setting wants it. What it does not want, a proxy need not take away from visitors."""
    found = {name: text(said, f"x-auth-{name}") for name in ("name", "email") if name in wanted}
    if "groups" in wanted:
        found["groups"] = _texts(said, "x-auth-groups")
    return found


def said_of_check(headers: list) -> tuple:
    """An answer of /auth/check, and whom it names. One that names nobody, or cannot be read, is not Drawbridge's."""
    said = Request("GET", "/", headers)
    with contextlib.suppress(Refused):
        if (subject := text(said, "x-auth-subject")) is not None:
            return said, subject
    raise Unavailable("/auth/check answers with something else")


def text(request: Request, name: str) -> str | None:
    values = request.values(name)
    if not values or values == [""]:
        return None
    # Servers join repeated fields with a comma, so a comma may be a second voice.
    if len(values) > 1 or "," in values[0]:
        raise Refused("repeated")
    found = _decoded(values[0])
    if found is None or not is_text(found):
        raise Refused("malformed")
    return found


def _texts(request: Request, name: str) -> tuple:
    """Commas are between the texts; within one they are encoded."""
    values = request.values(name)
    if not values or values == [""]:
        return ()
    if len(values) > 1:
        raise Refused("repeated")
    texts = tuple(map(_decoded, values[0].split(",")))
    if not all(map(is_text, texts)):
        raise Refused("malformed")
    return texts


def _decoded(value: str) -> str | None:
    """Drawbridge percent-encodes whatever is not visible ASCII."""
    if not re.fullmatch(r"(?:[\x21-\x24\x26-\x7e]|%[0-9A-Fa-f]{2})*", value):
        return None
    try:
        return re.sub(rb"%(..)", lambda match: bytes.fromhex(match[1].decode()), value.encode()).decode("utf-8")
    except UnicodeDecodeError:
        return None
