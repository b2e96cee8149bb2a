"""What a website answers instead of its page."""

import json
from dataclasses import dataclass, field


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


def away() -> Answer:
    return Answer(503, [("Retry-After", "5"), ("Cache-Control", "no-store")])


def told(status: int, word: str) -> Answer:
    """To Drawbridge, of a notice."""
    headers = [("Content-Type", "application/json"), ("Cache-Control", "no-store")]
    return Answer(status, headers, json.dumps({"result": word}).encode())
