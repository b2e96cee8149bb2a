"""The app's store: under which names it keeps what, with which locks, and what its failures become."""

import contextlib
import json

from .configuration import Configuration
from .encoding import json_object
from .errors import DrawbridgeError


class Vault:
    def __init__(self, configuration: Configuration, store):
        self._configuration, self._store = configuration, store

    @property
    def item(self) -> str:
        return f"drawbridge:{self._configuration.client_id}:{self._configuration.issuer}"

    @property
    def cookie_item(self) -> str:
        return f"{self.item}:cookies"

    @property
    def shared_item(self) -> str:
        return f"drawbridge-shared:{self._configuration.group}"

    @property
    def common_item(self) -> str:
        """That of all apps of the group, or of this one where there is none."""
        return self.item if self._configuration.group is None else self.shared_item

    def read(self, name: str) -> str | None:
        return guarded(self._store.get, name)

    def read_object(self, name: str) -> dict | None:
        return json_object(self.read(name) or "")

    def write(self, name: str, value):
        guarded(self._store.set, name, json.dumps(value))

    def remove(self, name: str):
        guarded(self._store.remove, name)

    def renewing(self):
        """The lock of renewals: they may replace the device secret, which is that of all apps of the group (contract §5.4)."""
        return self.locked(f"renew {self.common_item}")

    def sharing(self):
        """Keeps renewals of the maker's apps away from work with what they share; such a lock is not to be taken in it."""
        return contextlib.nullcontext() if self._configuration.group is None else self.renewing()

    @contextlib.contextmanager
    def locked(self, name: str):
        """Throws `secret_store` when the store's lock does not work, and lets everything else through."""
        lock = guarded(self._store.lock, name)
        guarded(lock.__enter__)
        try:
            yield
        finally:
            guarded(lock.__exit__, None, None, None)


def guarded(work, *arguments):
    try:
        return work(*arguments)
    except DrawbridgeError:
        raise
    except Exception as error:
        # Its name alone: the text may hold what was to be kept.
        raise DrawbridgeError("secret_store", type(error).__name__) from None
