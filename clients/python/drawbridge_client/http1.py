"""One request: no redirects, no cookies, no proxy, bounded in time and size."""

import contextlib
import http.client
import re
import socket
import ssl
import threading
import time
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

from .errors import DrawbridgeError

#: More than any answer of a provider has, in bytes.
LARGEST = 1 << 20
#: Seconds for an address that is not the last one: two packets may be lost on the way.
LONGEST_TRY = 4


@dataclass(repr=False)
class Answer:
    status: int
    headers: dict
    text: str
    challenge: str | None = None
    wants_nonce: bool = False

    @property
    def request_id(self) -> str | None:
        """To find the request in the provider's log: every answer has one (contract §11)."""
        return _request_id(self.headers.get("x-request-id"))

    @property
    def type(self) -> str:
        return self.headers.get("content-type", "").split(";")[0].strip().lower()


def is_request_id(value) -> bool:
    """One that a line of a log can hold, for people to pass on."""
    return isinstance(value, str) and re.fullmatch(r"[!-~]{1,128}", value) is not None


def _request_id(value) -> str | None:
    return value if is_request_id(value) else None


def _reached(place: tuple, seconds: float, _=None) -> socket.socket:
    """A connection to one of the host's addresses. All of them together have the time: one that drops what comes, as IPv6
    that leads nowhere does, leaves the others their share."""
    end = time.monotonic() + seconds
    found = socket.getaddrinfo(*place, type=socket.SOCK_STREAM)
    for others, (family, kind, protocol, _, address) in zip(reversed(range(len(found))), found):
        left = end - time.monotonic()
        try:
            with contextlib.ExitStack() as unless_connected:
                one = unless_connected.enter_context(socket.socket(family, kind, protocol))
                one.settimeout(max(0.001, min(left / (others + 1), LONGEST_TRY) if others else left))
                one.connect(address)
                one.settimeout(seconds)
                unless_connected.pop_all()
                return one
        except OSError:
            if not others:
                raise
    raise OSError("the host has no address")


def _connection(address: str, seconds: float) -> tuple[SplitResult, http.client.HTTPConnection]:
    """The parts of the address, and a connection to its host that is not open yet."""
    try:
        url = urlsplit(address)
        if url.scheme == "https":
            own = http.client.HTTPSConnection(url.hostname, url.port, timeout=seconds, context=ssl.create_default_context())
        else:
            own = http.client.HTTPConnection(url.hostname, url.port, timeout=seconds)
    except (ValueError, http.client.HTTPException):
        # Brackets around what is no IPv6 address, which its characters alone do not show.
        raise DrawbridgeError("unreachable", "no host can have this address") from None
    # http.client gives each address the whole timeout. A Python without this hook keeps that.
    own._create_connection = _reached
    return url, own


def _obstacle(problem: Exception) -> str:
    """Why no whole answer came, in words for whoever runs the program; asking again mends no certificate."""
    if isinstance(problem, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted: {problem.verify_message}"
    # One that ends within TLS broke off.
    if isinstance(problem, ssl.SSLError) and not isinstance(problem, (ssl.SSLEOFError, ssl.SSLZeroReturnError)):
        return "it speaks no TLS, or none in common with this program"
    return "no connection, or it broke"


def _whole(response: http.client.HTTPResponse) -> bytes:
    """The body, all of it, as far as any answer of a provider goes."""
    too_long = DrawbridgeError(
        "unexpected_answer", "it is too long", request_id=_request_id(response.headers.get("x-request-id")))
    if int(response.headers.get("content-length") or 0) > LARGEST:
        raise too_long
    parts, length = [], 0
    while part := response.read1(65536):
        length += len(part)
        if length > LARGEST:
            raise too_long
        parts.append(part)
    if response.length:
        raise http.client.IncompleteRead(b"")
    return b"".join(parts)


def send(method: str, address: str, headers: dict, body: bytes | None, seconds: float,
         connecting: float | None = None) -> Answer:
    """Throws `unreachable` unless a whole answer comes within these seconds.

    With `connecting`, a connection may take as long as that, and `seconds` run from when it stands: nothing is used up by the
    way there.
    """
    wait = seconds if connecting is None else connecting
    url, connection = _connection(address, wait)
    late = threading.Event()

    def stop():
        # A timeout of the socket begins anew with every byte.
        late.set()
        if connection.sock:
            try:
                connection.sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def within(limit: float) -> threading.Timer:
        timer = threading.Timer(limit, stop)
        timer.daemon = True
        timer.start()
        return timer

    timer = within(wait)
    try:
        connection.connect()
        if late.is_set():
            # Nothing is sent whose answer would not be waited for: a refresh token would be used up by it.
            raise TimeoutError
        if connecting is not None:
            timer.cancel()
            connection.sock.settimeout(seconds)
            timer = within(seconds)
        connection.request(method, (url.path or "/") + (f"?{url.query}" if url.query else ""), body, headers)
        # `connection` lets go of its socket when the answer is the last one; the timer must still get at it.
        own = connection.sock
        response = connection.getresponse()
        connection.sock = own
        whole = _whole(response)
        if late.is_set():
            raise TimeoutError
        found: dict = {}
        for name, value in response.getheaders():
            found.setdefault(name.lower(), value)
        return Answer(response.status, found, whole.decode("utf-8", "replace"))
    except DrawbridgeError:
        raise
    except (OSError, http.client.HTTPException, ValueError, AttributeError) as problem:
        # The last two are what reading from a connection comes to that the timer has closed.
        raise DrawbridgeError("unreachable", "it takes too long" if late.is_set() else _obstacle(problem)) from None
    finally:
        timer.cancel()
        connection.close()
