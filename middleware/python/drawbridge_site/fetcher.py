"""One question to Drawbridge."""

import contextlib
import http.client
import socket
import ssl
import threading
import time
from urllib.parse import urlsplit

from .outage import Unavailable
from .settings import Settings


class Fetcher:
    """Asks Drawbridge: no redirects, three seconds for all of it, 256 KiB."""

    def __init__(self, settings: Settings, seconds: float = 3):
        self._seconds = seconds
        self._url = urlsplit(settings.drawbridge or settings.origin)
        # Drawbridge knows its origins by Host: the browser's, not the name of the machine.
        self._host = urlsplit(settings.origin).netloc
        self._tls = ssl.create_default_context() if self._url.scheme == "https" else None

    def __call__(self, path: str, headers: dict) -> tuple:
        url = self._url
        connection = http.client.HTTPConnection(url.hostname, url.port or (443 if self._tls else 80))
        late = threading.Event()

        def stop():
            # A timeout of the socket begins anew with every byte.
            late.set()
            if own:
                with contextlib.suppress(OSError):
                    own[0].shutdown(socket.SHUT_RDWR)

        own: list = []
        timer = threading.Timer(self._seconds, stop)
        timer.daemon = True
        timer.start()
        try:
            connection.sock = self._reached(connection.host, connection.port)
            if self._tls:
                connection.sock = self._tls.wrap_socket(
                    connection.sock, server_hostname=url.hostname, do_handshake_on_connect=False)
            own.append(connection.sock)
            if late.is_set():
                raise TimeoutError
            if self._tls:
                connection.sock.do_handshake()
            connection.request("GET", url.path + path, headers={"Host": self._host, **headers})
            response = connection.getresponse()
            body = response.read(262_145)
            if len(body) > 262_144:
                raise Unavailable("Drawbridge's answer is too large")
            if late.is_set():
                raise TimeoutError
            # Of a body of a stated length that is cut off, http.client gives what came.
            if response.length:
                raise http.client.IncompleteRead(body, response.length)
            return response.status, response.getheaders(), body
        except (OSError, http.client.HTTPException, ValueError, AttributeError) as error:
            # The last two are what reading from a connection comes to that the timer has closed.
            raise Unavailable(f"Drawbridge does not answer: {type(error).__name__}") from None
        finally:
            timer.cancel()
            connection.close()

    def _reached(self, host: str, port: int) -> socket.socket:
        """By the first of the host's addresses that can be reached; one of two is often out of a network's reach."""
        end = time.monotonic() + self._seconds
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        for others, (family, kind, protocol, _, address) in zip(reversed(range(len(found))), found):
            own = socket.socket(family, kind, protocol)
            try:
                own.settimeout(max(0.001, (end - time.monotonic()) / (others + 1)))
                own.connect(address)
                own.settimeout(self._seconds)
                return own
            except OSError:
                own.close()
                if not others:
                    raise
        raise OSError("no address")
