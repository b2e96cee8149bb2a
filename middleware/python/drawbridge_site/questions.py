"""What Drawbridge is asked of a visitor."""

import calendar
import contextlib
import re
import time

from . import fields, jws
from .claims import is_text
from .jws import Refused
from .outage import Outage, Unavailable
from .settings import Settings
from .user import User

#: Of each own question. A request with it is one that this website, asked in place of Drawbridge, sent itself.
QUESTION_FIELD = "Drawbridge-Question"


class Questions:
    def __init__(self, settings: Settings, fetch, now):
        self._settings, self._fetch = settings, fetch
        self.ask = Outage(self.ask_at_once, now)

    def ask_at_once(self, path: str, headers: dict) -> tuple:
        """Also during an outage."""
        return self._fetch(path, {**headers, QUESTION_FIELD: "1"})

    def user(self, cookie: str) -> User:
        """Whom Drawbridge knows by its own cookies."""
        status, _, body = self.ask("/session", {"Cookie": cookie})
        if status != 200:
            raise Unavailable(f"/session answers {status}")
        try:
            said = jws.json_object(body)
        except Refused:
            raise Unavailable("/session does not answer with JSON") from None
        if said.get("authenticated") is not True:
            raise Refused("missing")
        acr, amr = said.get("acr"), said.get("amr") or []
        if not is_text(said.get("sub")) or not (acr is None or is_text(acr)) or not isinstance(amr, list):
            raise Unavailable("/session answers with something else")
        identity = self._identity(cookie, said["sub"]) if self._settings.identity else {}
        return User(said["sub"], None, acr, tuple(amr), _seconds(said.get("auth_time")), **identity)

    def _identity(self, cookie: str, subject: str) -> dict:
        wanted = self._settings.identity
        status, headers, _ = self.ask("/auth/check?identity=" + ",".join(wanted), {"Cookie": cookie})
        # It ended since the first question.
        if status == 401:
            raise Refused("missing")
        if status != 200:
            raise Unavailable(f"/auth/check answers {status}")
        said, named = fields.said_of_check(headers)
        if named == subject:
            with contextlib.suppress(Refused):
                return fields.identity(said, wanted)
        raise Unavailable("/auth/check answers with something else")


def _seconds(value) -> int | None:
    """Of an RFC 3339 time in UTC, as Drawbridge writes it."""
    if not isinstance(value, str) or not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", value):
        return None
    return calendar.timegm(time.strptime(value[:19], "%Y-%m-%dT%H:%M:%S"))
