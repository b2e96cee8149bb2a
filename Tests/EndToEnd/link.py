"""A network link that can be cut: a relay on loopback between one node and one server."""

import select
import socket
import threading


class Link:
    def __init__(self, port: int):
        """`port` is where the server listens."""
        self._server = port
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self._listener.getsockname()[1]
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._lock = threading.Lock()
        self._is_cut = False
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self):
        """Nothing gets through from here on, and nobody is told: as when a cable is pulled."""
        with self._lock:
            self._is_cut = True

    def mend(self):
        """What was connected is gone; new connections go through."""
        with self._lock:
            self._is_cut = False
            for pair in self._pairs:
                for end in pair:
                    end.close()
            self._pairs = []

    def _accept(self):
        while True:
            try:
                here = self._listener.accept()[0]
            except OSError:
                return
            try:
                there = socket.create_connection(("127.0.0.1", self._server))
            except OSError:
                # Nobody listens there just now; whoever comes later is let through again.
                here.close()
                continue
            with self._lock:
                self._pairs.append((here, there))
            threading.Thread(target=self._relay, args=(here, there), daemon=True).start()

    def _relay(self, here: socket.socket, there: socket.socket):
        other = {here: there, there: here}
        try:
            while True:
                for ready in select.select([here, there], [], [])[0]:
                    content = ready.recv(65536)
                    if self._is_cut:
                        continue
                    if not content:
                        return
                    other[ready].sendall(content)
        except (OSError, ValueError):
            return
        finally:
            for end in (here, there):
                end.close()

    def close(self):
        self._listener.close()
        self.mend()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
