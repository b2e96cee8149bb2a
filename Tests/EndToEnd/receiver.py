"""A website's back-channel logout endpoint."""

import http.server
import socket
import threading
from urllib.parse import parse_qs


class Receiver:
    """Keeps what it was sent; answers with the `statuses` in turn, then with 200."""

    def __init__(self, statuses: list[int] | None = None):
        self.tokens: list[str] = []
        self.bodies: list[dict] = []
        statuses = list(statuses or [])
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                receiver.bodies.append(parse_qs(body))
                receiver.tokens.append(parse_qs(body)["logout_token"][0])
                self.send_response(statuses.pop(0) if statuses else 200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.uri = f"http://127.0.0.1:{self.server.server_port}/logout"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


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
