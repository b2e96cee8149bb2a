"""Drawbridge's public keys."""

import threading

from . import jws
from .jws import Refused
from .outage import OUTAGE_PAUSE, Unavailable
from .settings import Settings


class Keys:
    """Drawbridge's public keys: fetched when needed, used for five minutes, and fetched again for an unknown `kid`
    at most every half minute, whoever sends what. While there are none to do with, they are asked for as soon as after any
    failure."""

    def __init__(self, settings: Settings, fetch, now):
        self._settings, self._fetch, self._now = settings, fetch, now
        self._keys: dict = {}
        self._fetched: float | None = None
        #: When the last question ended: the pause begins once nobody waits for its answer.
        self._tried: float | None = None
        self._lock = threading.Lock()
        #: Of whoever asks Drawbridge, which may take three seconds. The other lock is never held for so long.
        self._asking = threading.Lock()

    def key(self, kid: str, now: float):
        self._heed_clock()
        keys, fetched = self._known()
        if fetched is None or now - fetched >= self._settings.keys_fresh:
            self._renew(waits=not (self._holds(fetched, now) and kid in keys))
            keys, fetched = self._known()
        if not self._holds(fetched, now):
            raise Unavailable("Drawbridge's keys cannot be had")
        if kid not in keys:
            self._renew(waits=True)
            keys, fetched = self._known()
        if kid not in keys:
            # Asked before and not now: meanwhile it may be there.
            raise Refused("unknown_key", is_final=fetched >= now)
        return keys[kid]

    def _known(self) -> tuple:
        with self._lock:
            return self._keys, self._fetched

    def _holds(self, fetched: float | None, now: float) -> bool:
        return fetched is not None and now - fetched <= self._settings.keys_stale

    def _heed_clock(self):
        with self._lock:
            now = self._now()
            # By more than a second: of two who come at once, one has looked at the clock a little earlier.
            if any(at is not None and at > now + 1 for at in (self._fetched, self._tried)):
                # The clock was set back. How old the keys are is not known: they are due, and hold for an hour from now
                # at most.
                due = now - self._settings.keys_fresh
                self._fetched, self._tried = None if self._fetched is None else min(self._fetched, due), None

    def _renew(self, waits: bool):
        """One asks. Of the others those wait for the answer who cannot do without."""
        if not self._asking.acquire(blocking=waits):
            return
        try:
            self._heed_clock()
            # Anew: whoever waited has come seconds ago, and would ask again what has just failed.
            now = self._now()
            with self._lock:
                pause = self._settings.keys_pause if self._holds(self._fetched, now) else OUTAGE_PAUSE
                if self._tried is not None and now - self._tried < pause:
                    return
            self._ask(now)
        finally:
            self._asking.release()

    def _ask(self, now: float):
        try:
            status, _, body = self._fetch("/.well-known/jwks.json", {})
            if status == 200:
                keys = jws.keys(body)
                with self._lock:
                    self._keys, self._fetched = keys, now
        except (Unavailable, Refused):
            pass
        finally:
            with self._lock:
                self._tried = self._now()
