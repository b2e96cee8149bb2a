"""The system's browser, with an answer that comes back on loopback (RFC 8252 §7.3)."""

import contextlib
import http.server
import socket
import threading
import time
import webbrowser
from urllib.parse import parse_qs, urlsplit

from .errors import DrawbridgeError

PAGE = b"<!doctype html><meta charset=utf-8><title>Done</title><p>You may close this window and go back to the app."


class LoopbackBrowser:
    """One sign-in at a time, at 127.0.0.1, or at ::1 where that is all there is: register both. A second one ends the
    first, which is `cancelled`. `open_address` is what opens an address; the system's browser unless given."""

    def __init__(self, path: str = "/callback", seconds: float = 300, open_address=webbrowser.open):
        self._path, self._seconds, self._open = path, seconds, open_address
        self._lock = threading.Lock()
        self._server: _Server | None = None

    def prepare(self) -> str:
        """Where the answer will come: a port that is free."""
        # A second sign-in takes the place of the first, which nobody looks at any longer.
        self.close()
        for host in ["127.0.0.1", "::1"]:
            with contextlib.suppress(OSError):
                server = _Server(host, self._path)
                self._put(server)
                return server.redirect
        raise DrawbridgeError("configuration", "no port of this machine can be listened on")

    def open(self, address: str) -> str:
        query = parse_qs(urlsplit(address).query)
        with self._lock:
            server = self._server
            # Prepared, and then another one took its place: its own port is closed.
            if not server or server.is_awaited or query.get("redirect_uri", [server.redirect]) != [server.redirect]:
                raise DrawbridgeError("cancelled")
            server.state, server.is_awaited = query.get("state"), True
        try:
            if not self._open(address):
                raise DrawbridgeError("configuration", "there is no browser to open; use sign_in_by_device")
            end = time.monotonic() + self._seconds
            while server.answer is None:
                if server.is_cancelled:
                    raise DrawbridgeError("cancelled")
                server.timeout = end - time.monotonic()
                if server.timeout <= 0:
                    raise DrawbridgeError("timed_out")
                server.handle_request()
            return f"http://{server.place}{server.answer}"
        finally:
            server.server_close()
            with self._lock:
                if self._server is server:
                    self._server = None

    def close(self):
        """Ends the sign-in that is under way, if there is one."""
        self._put(None)

    def _put(self, server: "_Server | None"):
        with self._lock:
            before, self._server = self._server, server
        if before:
            before.cancel()


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
        self.redirect = f"http://{self.place}{path}"
        self.path, self.state, self.answer = path, None, None
        self.is_awaited = self.is_cancelled = False

    def cancel(self):
        if not self.is_awaited:
            self.server_close()
            return
        self.is_cancelled = True
        # Who waits looks up at the next connection; closing the socket here would not wake it.
        with contextlib.suppress(OSError):
            socket.create_connection(self.server_address[:2], timeout=1).close()


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
