"""A server that answers one connection with fixed bytes, whatever is asked."""

import contextlib
import socket


def answer_once(server: socket.socket, answer: bytes):
    """What is asked is read to its end: a socket that is closed with bytes unread resets its connection, and the other side
    may lose an answer that it has not read yet."""
    with server.accept()[0] as connection, contextlib.suppress(ConnectionError):
        connection.recv(65536)
        connection.sendall(answer)
        connection.shutdown(socket.SHUT_WR)
        while connection.recv(65536):
            pass
