"""Where secrets are kept: `get`, `set`, `remove`, and `lock`, which keeps other users of a name out meanwhile."""

import contextlib
import errno
import hashlib
import os
import pathlib
import stat
import tempfile
import threading

from .errors import DrawbridgeError


class MemoryStore:
    """As long as the process lives."""

    def __init__(self):
        self._kept: dict = {}
        self._locks: dict = {}
        self._guard = threading.Lock()

    def get(self, name: str) -> str | None:
        return self._kept.get(name)

    def set(self, name: str, value: str):
        self._kept[name] = value

    def remove(self, name: str):
        self._kept.pop(name, None)

    @contextlib.contextmanager
    def lock(self, name: str):
        with self._guard:
            lock = self._locks.setdefault(name, threading.Lock())
        with lock:
            yield


class FileStore(MemoryStore):
    """Files of mode 0600 in a folder of mode 0700; a folder that others can look into is refused.

    That keeps other users out, not other programs of the same user.
    """

    def __init__(self, folder: str | os.PathLike):
        super().__init__()
        self._folder = pathlib.Path(folder).expanduser()
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            found = os.lstat(self._folder)
        except OSError as error:
            raise DrawbridgeError("secret_store", f"{self._folder}: {error.strerror}") from None
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o077:
            raise DrawbridgeError("secret_store", f"{self._folder} is not a folder of mode 0700 of this user")

    def _path(self, name: str) -> pathlib.Path:
        # Names hold addresses: none may lead out of the folder.
        return self._folder / hashlib.sha256(name.encode()).hexdigest()

    def get(self, name: str) -> str | None:
        try:
            descriptor = os.open(self._path(name), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        with os.fdopen(descriptor, encoding="utf-8") as file:
            return file.read()

    def set(self, name: str, value: str):
        with self._writing(name):
            self._sweep(name)
            # Whole or not at all: a power cut must not leave half a refresh token.
            descriptor, path = tempfile.mkstemp(dir=self._folder, prefix=f"{self._path(name).name}.")
            try:
                with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                    file.write(value)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(path, self._path(name))
                self._synchronize()
            except BaseException:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(path)
                raise

    def remove(self, name: str):
        with contextlib.ExitStack() as held:
            # A disk may be too full for a lock, and what is to leave leaves all the same.
            with contextlib.suppress(OSError):
                held.enter_context(self._writing(name))
            is_there = self._sweep(name)
            try:
                self._path(name).unlink()
            except FileNotFoundError:
                if not is_there:
                    return
            self._synchronize()

    def _writing(self, name: str):
        """Beside no other writer of the item, whose draft is its own to take away."""
        return FileStore.lock(self, f"write {name}")

    def _sweep(self, name: str) -> bool:
        """Takes away what a process that was killed had written of the item. Whether there was something."""
        drafts = list(self._folder.glob(f"{self._path(name).name}.*"))
        for draft in drafts:
            draft.unlink(missing_ok=True)
        return bool(drafts)

    def _synchronize(self):
        """The name too is on the disk then: after a power cut the token that is used up would be back, and its next use be
        taken for a theft (contract §5.2). Some file systems take no such call, and what was written is written."""
        descriptor = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.ENOTSUP):
                raise
        finally:
            os.close(descriptor)

    @contextlib.contextmanager
    def lock(self, name: str):
        import fcntl
        with super().lock(name):
            descriptor = os.open(self._path("lock " + name), os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                yield
            finally:
                os.close(descriptor)


class KeyringStore(FileStore):
    """The desktop's keyring, by the package `keyring`; the folder is for the locks alone."""

    def __init__(self, service: str, folder: str | os.PathLike):
        super().__init__(folder)
        import keyring
        self._keyring, self._service = keyring, service

    def get(self, name: str) -> str | None:
        return self._keyring.get_password(self._service, name)

    def set(self, name: str, value: str):
        self._keyring.set_password(self._service, name, value)

    def remove(self, name: str):
        try:
            self._keyring.delete_password(self._service, name)
        except self._keyring.errors.PasswordDeleteError:
            # Keyrings say it of what is not there, and some of what they do not let go of.
            if self.get(name) is not None:
                raise
