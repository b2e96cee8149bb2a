"""What an answer that brings nothing means (contract §11)."""

import email.utils
import math
import re

from .checks import is_text
from .configuration import Configuration
from .encoding import json_object
from .errors import DrawbridgeError, refused
from .http1 import Answer, is_request_id


def failure(answer: Answer, what: str, configuration: Configuration) -> DrawbridgeError:
    body = json_object(answer.text) or {}
    # Every answer has it in its header, a refusal's body besides (contract §11).
    said = body.get("request_id")
    request_id, page = said if is_request_id(said) else answer.request_id, configuration.page(body.get("error_uri"))
    if answer.status in (429, 502, 503, 504):
        seconds = _wait(answer.headers.get("retry-after"), configuration.now)
        return DrawbridgeError("come_back_later", seconds=seconds, request_id=request_id, page=page)
    if 400 <= answer.status < 500:
        if not is_text(body.get("error")) and (answer.challenge or answer.status == 401):
            body = {"error": answer.challenge or "invalid_token"}
        if is_text(body.get("error")):
            # How strong and how fresh a sign-in would do (RFC 9470 §3).
            levels, age = challenge(answer, "acr_values", 1024), challenge(answer, "max_age")
            return refused(body, request_id, page, (levels or "").split() or None,
                           int(age) if age and re.fullmatch("[0-9]{1,9}", age) else None)
    return DrawbridgeError("unexpected_answer", f"{what} answered {answer.status}", request_id=request_id, page=page)


def unexpected(answer: Answer, what: str) -> DrawbridgeError:
    return DrawbridgeError("unexpected_answer", what, request_id=answer.request_id)


def challenge(answer: Answer, name: str, longest: int = 64) -> str | None:
    """What `WWW-Authenticate` says under this name."""
    found = re.search(rf'\b{name}="([^"]{{1,{longest}}})"', answer.headers.get("www-authenticate", ""))
    return found[1] if found else None


def _wait(text: str | None, now) -> int | None:
    """Seconds of `Retry-After`, which is a number or a date (RFC 9110 §10.2.3)."""
    if text is None:
        return None
    if re.fullmatch(r"[0-9]{1,9}", text.strip()):
        return int(text)
    if not re.match(r"[A-Z][a-z]{2,8}, ", text):
        return None
    try:
        date = email.utils.parsedate_to_datetime(text).timestamp()
    except (ValueError, TypeError, OverflowError):
        return None
    return max(0, math.ceil(date - now()))
