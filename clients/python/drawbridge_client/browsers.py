"""The system's browser, with an answer that comes back on loopback (RFC 8252 §7.3)."""

import contextlib
import http.server
import socket
import socketserver
import threading
import webbrowser
from urllib.parse import parse_qs, urlsplit

from .errors import DrawbridgeError

PAGE = b"<!doctype html><meta charset=utf-8><title>Done</title><p>You may close this window and go back to the app."
#: Of a refusal, whatever its reason: the app has it, and says it.
REFUSAL = (b"<!doctype html><meta charset=utf-8><title>You are not signed in</title>"
           b"<p>Go back to the app: it says what happened.")
#: Seconds after which what opens addresses is the browser itself, which runs in the foreground.
STARTS_WITHIN = 2


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
        with contextlib.ExitStack() as ending:
            ending.callback(self._forget, server)
            _beside(server.serve_forever, 0.1)
            ending.callback(server.shutdown)
            # Beside the waiting: a browser that runs in the foreground gets its page, and its answer is heard.
            _beside(self._show, address, server)
            if not server.is_over.wait(self._seconds):
                raise DrawbridgeError("timed_out")
            if server.problem:
                raise server.problem
            return f"http://{server.place}{server.answer}"

    def _show(self, address: str, server: "_Server"):
        try:
            problem = None if self._open(address) else "there is no browser to open; use sign_in_by_device"
        except Exception as error:
            # Its name alone: the text may hold the address.
            problem = f"the browser failed: {type(error).__name__}"
        if problem:
            server.end(problem=DrawbridgeError("configuration", problem))

    def _forget(self, server: "_Server"):
        server.server_close()
        with self._lock:
            if self._server is server:
                self._server = None

    def close(self, redirect: str | None = None):
        """Ends the sign-in that is under way, if there is one; with `redirect`, only the one whose answer comes there."""
        self._put(None, redirect)

    def _put(self, server: "_Server | None", redirect: str | None = None):
        """In the place of the one that is there, if its answer comes to `redirect`, or wherever it comes."""
        with self._lock:
            before = self._server
            if before and redirect not in (None, before.redirect):
                return
            self._server = server
        if before:
            before.cancel()


def _beside(work, *arguments):
    threading.Thread(target=work, args=arguments, daemon=True).start()


class _Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    # A program that connects and is slow or silent holds up itself alone, and the app's end not at all.
    daemon_threads = True
    # On some systems another program could take the port beside us (RFC 8252 appendix B.3, B.5).
    allow_reuse_address = False
    allow_reuse_port = False

    def server_bind(self):
        if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        # That of `HTTPServer` would ask the network for the name of this machine, which may take its time.
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]

    def __init__(self, host: str, path: str):
        is_ipv6 = ":" in host
        self.address_family = socket.AF_INET6 if is_ipv6 else socket.AF_INET
        super().__init__((host, 0), _Handler)
        self.place = f"[{host}]:{self.server_port}" if is_ipv6 else f"{host}:{self.server_port}"
        self.redirect = f"http://{self.place}{path}"
        self.path, self.state, self.answer = path, None, None
        self.is_awaited, self.problem = False, None
        self.is_over, self._ending = threading.Event(), threading.Lock()

    def end(self, answer: str | None = None, problem: DrawbridgeError | None = None):
        """The first end counts."""
        with self._ending:
            if not self.is_over.is_set():
                self.answer, self.problem = answer, problem
                self.is_over.set()

    def cancel(self):
        self.end(problem=DrawbridgeError("cancelled"))
        if not self.is_awaited:
            self.server_close()

    def handle_error(self, *_):
        """Nothing: it would print what came, and a browser that goes away is no error."""


class _Handler(http.server.BaseHTTPRequestHandler):
    timeout = 5

    def do_GET(self):
        parts = urlsplit(self.path)
        query = parse_qs(parts.query)
        # Any program of this machine can come here: one that does not know the state changes nothing.
        ours = (parts.path == self.server.path and query.get("state") == self.server.state
                and self.headers.get("Host") == self.server.place)
        try:
            self._answer(ours, REFUSAL if "error" in query else PAGE)
        finally:
            # Once the page is sent: the app may end with the answer. A browser that did not wait for it has answered.
            if ours:
                self.server.end(answer=self.path)

    def _answer(self, ours: bool, page: bytes):
        self.send_response(200 if ours else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Cache-Control", "no-store")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
        self.end_headers()
        self.wfile.write(page if ours else b"")

    def log_message(self, *_):
        """Nothing: the line would hold the code."""


def open_in_browser(link) -> bool:
    """Opens a login link at once. Other users of this machine can see the browser's command line while it starts; the
    link works once, for a minute, and a second use ends what the first opened. A browser that runs in the foreground is not
    waited for. A link whose token is in a header is none that a browser could be given: `configuration`."""
    if link.headers:
        raise DrawbridgeError("configuration", "a browser sends no header of ours; make the link with carrier=\"query\"")
    opened: list = []

    def try_to_open():
        with contextlib.suppress(webbrowser.Error, OSError):
            opened.append(webbrowser.open(link.url))

    opening = threading.Thread(target=try_to_open, daemon=True)
    opening.start()
    opening.join(STARTS_WITHIN)
    return opened[0] if opened else opening.is_alive()
