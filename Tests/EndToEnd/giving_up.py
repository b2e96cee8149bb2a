"""Requests whose sender does not wait for the answer."""

import socket
from urllib.parse import urlencode

import wire


def request(port: int, method: str, target: str, headers: dict | None = None, form: dict | None = None) -> bytes:
    body = urlencode(form).encode() if form is not None else b""
    fields = {"Host": f"127.0.0.1:{port}", **(headers or {})}
    if form is not None:
        fields |= {"Content-Type": wire.FORM, "Content-Length": str(len(body))}
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
    return "\r\n".join([*lines, "", ""]).encode() + body


def sent_whole(port: int, sent: bytes) -> socket.socket:
    """A connection whose own direction ends with the request. Both travel together, so that a server never sees the one
    without the other."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=30)
    connection.send(sent, socket.MSG_MORE)
    connection.shutdown(socket.SHUT_WR)
    return connection


def give_up(node, method: str, target: str, headers: dict | None = None, form: dict | None = None):
    """Sends a request, and closes the connection."""
    sent_whole(node.port, request(node.port, method, target, headers, form)).close()
