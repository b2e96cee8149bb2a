"""The system's browser, with an answer that comes back on loopback (RFC 8252 §7.3)."""

import http.server
import time
import webbrowser
from urllib.parse import parse_qs, urlsplit

from .errors import DrawbridgeError

PAGE = b"<!doctype html><meta charset=utf-8><title>Done</title><p>You may close this window and go back to the app."


class LoopbackBrowser:
    """One sign-in at a time. `open_address` is what opens an address; the system's browser unless given."""

    def __init__(self, path: str = "/callback", seconds: float = 300, open_address=webbrowser.open):
        self._path, self._seconds, self._open = path, seconds, open_address
        self._server: http.server.HTTPServer | None = None

    def prepare(self) -> str:
        """Where the answer will come: a port that is free."""
        self.close()
        self._server = http.server.HTTPServer(("127.0.0.1", 0), _Handler)
        self._server.path, self._server.state, self._server.answer = self._path, None, None
        return f"http://127.0.0.1:{self._server.server_port}{self._path}"

    def open(self, address: str) -> str:
        server = self._server
        server.state = parse_qs(urlsplit(address).query).get("state")
        try:
            if not self._open(address):
                raise DrawbridgeError("configuration", "there is no browser to open; use sign_in_by_device")
            end = time.monotonic() + self._seconds
            while server.answer is None:
                server.timeout = end - time.monotonic()
                if server.timeout <= 0:
                    raise DrawbridgeError("timed_out")
                server.handle_request()
            return f"http://127.0.0.1:{server.server_port}{server.answer}"
        finally:
            self.close()

    def close(self):
        if self._server:
            self._server.server_close()
            self._server = None


class _Handler(http.server.BaseHTTPRequestHandler):
    # A program that connects and says nothing must not hold the sign-in up.
    timeout = 5

    def do_GET(self):
        parts = urlsplit(self.path)
        # Any program of this machine can come here: one that does not know the state changes nothing.
        ours = (parts.path == self.server.path and parse_qs(parts.query).get("state") == self.server.state
                and self.headers.get("Host") == f"127.0.0.1:{self.server.server_port}")
        if ours:
            self.server.answer = self.path
        self.send_response(200 if ours else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
        self.end_headers()
        self.wfile.write(PAGE if ours else b"")

    def log_message(self, *_):
        """Nothing: the line would hold the code."""


def open_in_browser(link) -> bool:
    """Opens a login link at once. Other users of this machine can see the browser's command line while it starts; the
    link works once, for a minute, and a second use ends what the first opened."""
    return webbrowser.open(link.url)
