"""A website's back-channel logout endpoint."""

import socket
import threading
from urllib.parse import parse_qs

from stub import Asked, Stub


class Receiver(Stub):
    """Keeps what it was sent; answers with the `statuses` in turn, then with 200."""

    def __init__(self, statuses: list[int] | None = None):
        self.tokens: list[str] = []
        self.bodies: list[dict] = []
        self._statuses = list(statuses or [])
        super().__init__(self._take)
        self.uri = f"{self.base}/logout"

    def _take(self, asked: Asked) -> int:
        body = parse_qs(asked.body.decode())
        self.bodies.append(body)
        self.tokens.append(body["logout_token"][0])
        return self._statuses.pop(0) if self._statuses else 200


def is_over(connection: socket.socket) -> bool:
    """Whether the other side has closed it; what it sent before is read."""
    try:
        while connection.recv(65_536, socket.MSG_DONTWAIT):
            pass
    except BlockingIOError:
        return False
    except ConnectionError:
        return True
    return True


class Silent:
    """A website that takes connections and answers nobody."""

    def __init__(self):
        self.connections: list[socket.socket] = []
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.uri = f"http://127.0.0.1:{self.socket.getsockname()[1]}/logout"
        threading.Thread(target=self._take, daemon=True).start()

    def _take(self):
        while True:
            try:
                self.connections.append(self.socket.accept()[0])
            except OSError:
                return

    @property
    def given_up(self) -> int:
        """How many who asked do not wait for an answer any more."""
        return sum(is_over(connection) for connection in self.connections)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for open_socket in [self.socket, *self.connections]:
            open_socket.close()
