"""What a website answers instead of its page."""

import json
import re
from dataclasses import dataclass, field

#: What a person reads whose form came without a sign-in. No script and no style: a website's own policy may forbid them.
_UNSENT = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Not signed in</title>
<h1>You are not signed in</h1>
<p>What you sent was not accepted. <a href="{}" target="_blank" rel="noopener">Sign in</a> (this opens a new tab), \
then come back to this tab, go back to the form and send it again.</p>
"""


@dataclass(frozen=True)
class Answer:
    """What the website answers instead of its page."""

    status: int
    headers: list = field(default_factory=list)
    body: bytes = b""


def redirect(location: str, *more: tuple) -> Answer:
    return Answer(303, [("Location", location), ("Cache-Control", "no-store"), *more])


def refusal(challenge: str, error: str) -> Answer:
    headers = [("WWW-Authenticate", challenge), ("Cache-Control", "no-store"), ("Content-Type", "application/json")]
    return Answer(401, headers, json.dumps({"error": error}).encode())


def unsent(sign_in: str, *more: tuple) -> Answer:
    """Of a form: a redirect would lose what somebody has typed, so the way to the sign-in is beside it."""
    address = re.sub("[&<>\"']", lambda found: f"&#{ord(found[0])};", sign_in)
    return Answer(401, [("WWW-Authenticate", "Bearer"), ("Cache-Control", "no-store"),
                        ("Content-Type", "text/html; charset=utf-8"), *more], _UNSENT.format(address).encode())


def away() -> Answer:
    return Answer(503, [("Retry-After", "5"), ("Cache-Control", "no-store")])


def told(status: int, word: str) -> Answer:
    """To Drawbridge, of a notice."""
    headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
    return Answer(status, headers, json.dumps({"result": word}).encode())
