"""What becomes of questions while Drawbridge is away."""

import threading

#: Seconds for which nobody asks again after Drawbridge failed.
OUTAGE_PAUSE = 2
#: How many answers of 500 and above in a row are an outage. One alone may be about one visitor.
_OUTAGE_ANSWERS = 3


class Unavailable(Exception):
    """Nobody can say now who this is: answer 503, never "signed out" and never "signed in"."""


class Outage:
    """Asks Drawbridge. After a failure nobody waits for it for two seconds, and then one at a time, until it answers."""

    def __init__(self, fetch, now):
        self._fetch, self._now = fetch, now
        #: When Drawbridge failed last; None while it is not away.
        self._failed: float | None = None
        #: Answers of 500 and above in a row; no answer at all counts for as many as are an outage.
        self._bad = 0
        self._counting = threading.Lock()
        self._probe = threading.Lock()

    def __call__(self, path: str, headers: dict) -> tuple:
        if self._failed is None:
            return self._asked(path, headers)
        if not self._probe.acquire(blocking=False):
            raise Unavailable("somebody is asking Drawbridge whether it is back")
        try:
            failed = self._failed
            # A clock that was set back keeps nobody away.
            if failed is not None and 0 <= self._now() - failed < OUTAGE_PAUSE:
                raise Unavailable("Drawbridge did not answer just now")
            return self._asked(path, headers)
        finally:
            self._probe.release()

    def _asked(self, path: str, headers: dict) -> tuple:
        counts = _OUTAGE_ANSWERS
        try:
            answer = self._fetch(path, headers)
            counts = int(answer[0] >= 500)
            return answer
        finally:
            with self._counting:
                self._bad = self._bad + counts if counts else 0
                self._failed = self._now() if self._bad >= _OUTAGE_ANSWERS else None
