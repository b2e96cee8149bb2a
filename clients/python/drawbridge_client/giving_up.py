"""The end of a sign-in that nobody waits for any longer."""

import contextlib
import threading

from .errors import DrawbridgeError


def unless_set(cancelled: threading.Event | None):
    if cancelled and cancelled.is_set():
        raise DrawbridgeError("cancelled")


class GivenUp(threading.Event):
    """Set for a sign-in that nobody waits for any longer: its browser is closed then, as long as it is open for it."""

    def __init__(self):
        super().__init__()
        self._guard, self._close = threading.Lock(), None

    def set(self):
        with self._guard:
            super().set()
            if self._close:
                self._close()

    def closes(self, close):
        """What to do from here on; None for nothing."""
        with self._guard:
            self._close = close


@contextlib.contextmanager
def closed_by(cancelled: threading.Event | None, browser, redirect: str):
    """While this sign-in's browser is open: the same one may be another sign-in's before and afterwards."""
    def close():
        # What it raises helps nobody who has given up.
        with contextlib.suppress(Exception):
            browser.close(redirect)

    closing = close if hasattr(browser, "close") else None
    if isinstance(cancelled, GivenUp):
        cancelled.closes(closing)
    try:
        try:
            unless_set(cancelled)
        except DrawbridgeError:
            if closing:
                closing()
            raise
        yield
    finally:
        if isinstance(cancelled, GivenUp):
            cancelled.closes(None)
