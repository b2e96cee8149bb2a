"""What is remembered of ended sessions and of notices."""

import threading


class Memory:
    """Remembers texts until their time is over. When it has no room left, the oldest make room: one account that signs in and
    out in a loop must not keep a website from hearing of the others."""

    def __init__(self, limit: int = 100_000):
        self.limit = limit
        #: The oldest first.
        self._until: dict = {}
        #: The latest time of those that made room before it was over; 0 while none has.
        self.forgotten: float = 0
        self._lock = threading.Lock()

    def add(self, text: str, until: float, now: float) -> str:
        """`new`, `known` or, of a store that forgets nothing early, `full`."""
        with self._lock:
            if self._until.get(text, now) > now:
                return "known"
            self._until.pop(text, None)
            while self._until and len(self._until) >= self.limit:
                end = self._until.pop(next(iter(self._until)))
                if end > now:
                    self.forgotten = max(self.forgotten, end)
            if len(self._until) >= self.limit:
                return "full"
            self._until[text] = until
            return "new"

    def has(self, text: str, now: float) -> bool:
        with self._lock:
            return self._until.get(text, now) > now

    def forget(self, text: str):
        with self._lock:
            self._until.pop(text, None)
