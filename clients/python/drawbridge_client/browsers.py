"""The system's browser, with an answer that comes back on loopback (RFC 8252 §7.3)."""

import contextlib
import http.server
import socket
import time
import webbrowser
from urllib.parse import parse_qs, urlsplit

from .errors import DrawbridgeError

PAGE = b"<!doctype html><meta charset=utf-8><title>Done</title><p>You may close this window and go back to the app."


class LoopbackBrowser:
    """One sign-in at a time, at 127.0.0.1, or at ::1 where that is all there is: register both. `open_address` is what opens
    an address; the system's browser unless given."""

    def __init__(self, path: str = "/callback", seconds: float = 300, open_address=webbrowser.open):
        self._path, self._seconds, self._open = path, seconds, open_address
        self._server: _Server | None = None

    def prepare(self) -> str:
        """Where the answer will come: a port that is free."""
        self.close()
        for host in ["127.0.0.1", "::1"]:
            with contextlib.suppress(OSError):
                self._server = _Server(host, self._path)
                return f"http://{self._server.place}{self._path}"
        raise DrawbridgeError("configuration", "no port of this machine can be listened on")

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
            return f"http://{server.place}{server.answer}"
        finally:
            self.close()

    def close(self):
        if self._server:
            self._server.server_close()
            self._server = None


class _Server(http.server.HTTPServer):
    # On some systems another program could take the port beside us (RFC 8252 appendix B.3, B.5).
    allow_reuse_address = False
    allow_reuse_port = False

    def server_bind(self):
        if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        super().server_bind()

    def __init__(self, host: str, path: str):
        is_ipv6 = ":" in host
        self.address_family = socket.AF_INET6 if is_ipv6 else socket.AF_INET
        super().__init__((host, 0), _Handler)
        self.place = f"[{host}]:{self.server_port}" if is_ipv6 else f"{host}:{self.server_port}"
        self.path, self.state, self.answer = path, None, None


class _Handler(http.server.BaseHTTPRequestHandler):
    # A program that connects and says nothing must not hold the sign-in up.
    timeout = 5

    def do_GET(self):
        parts = urlsplit(self.path)
        # Any program of this machine can come here: one that does not know the state changes nothing.
        ours = (parts.path == self.server.path and parse_qs(parts.query).get("state") == self.server.state
                and self.headers.get("Host") == self.server.place)
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
