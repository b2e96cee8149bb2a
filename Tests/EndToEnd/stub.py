"""An HTTP server in this process that answers as a test says."""

import contextlib
import http.server
import json
import ssl
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from email.message import Message
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Asked:
    """One request."""

    method: str
    target: str
    headers: Message
    body: bytes
    #: The other end of the connection.
    client: tuple

    @property
    def path(self) -> str:
        return urlsplit(self.target).path

    @property
    def query(self) -> dict[str, str]:
        return {name: values[0] for name, values in parse_qs(urlsplit(self.target).query).items()}

    @property
    def form(self) -> dict[str, str]:
        return {name: values[0] for name, values in parse_qs(self.body.decode()).items()}


def _whole(status: int, body=b"", headers: dict | None = None) -> tuple:
    return status, body, headers or {}


class Stub:
    """Silent, on a free port of loopback, until it is closed.

    `answer` makes of each request a status, or status and body, or status, body and headers; a body that is neither bytes nor
    text goes out as JSON. None is no answer: the connection ends."""

    def __init__(self, answer: Callable[[Asked], int | tuple | None], port: int = 0, tls: ssl.SSLContext | None = None,
                 protocol: str = "HTTP/1.0"):
        self.respond, self.protocol = answer, protocol
        stub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            @property
            def protocol_version(self):
                return stub.protocol

            def do_GET(self):
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                given = stub.respond(Asked(self.command, self.path, self.headers, body, self.client_address))
                # Who has gone away meanwhile needs no answer.
                with contextlib.suppress(OSError):
                    self.give(given)

            do_POST = do_GET

            def give(self, given: int | tuple | None):
                if given is None:
                    self.close_connection = True
                    return
                status, body, headers = _whole(*(given if isinstance(given, tuple) else (given,)))
                if isinstance(body, str):
                    body = body.encode()
                elif not isinstance(body, bytes):
                    body, headers = json.dumps(body).encode(), {"Content-Type": "application/json", **headers}
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            # The queue of five that it has otherwise is short for a burst.
            request_queue_size = 128

            def handle_error(self, *arguments):
                if not isinstance(sys.exception(), OSError):
                    super().handle_error(*arguments)

        self.server = Server(("127.0.0.1", port), Handler)
        if tls:
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        self.port = self.server.server_address[1]
        self.base = f"http{'s' if tls else ''}://127.0.0.1:{self.port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
