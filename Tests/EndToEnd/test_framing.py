"""Where an answer ends, and whether its connection goes on."""

import asyncio
import contextlib
import json
import os
import socket
from pathlib import Path

import pytest

from admin import Admin
from simultaneous import Connection

#: Answers of the API for administrators that are sent as they are read.
STREAMED = ["audit-events.csv", "audit-events.jsonl", "audit-events.ocsf.jsonl", "audit-events/stream"]


def ended(demo, request: bytes) -> tuple[bytes, bytes]:
    """Head and body of what is answered until the server ends the connection, as it has to at once."""
    with socket.create_connection(("127.0.0.1", demo.port), timeout=30) as connection:
        connection.sendall(request)
        head, _, body = b"".join(iter(lambda: connection.recv(65536), b"")).partition(b"\r\n\r\n")
    return head.lower() + b"\r\n", body


@pytest.mark.parametrize("path", STREAMED)
def test_rfc_9110_8_6_head_says_no_length_of_what_is_streamed(demo, path):
    answer = Admin(demo).send("HEAD", path)
    assert answer.status == 200 and answer.header("Content-Length") is None


def test_rfc_9112_6_3_nothing_follows_the_answer_to_head_of_what_is_streamed(demo):
    async def ask():
        async with Connection(demo.port) as connection:
            for path in STREAMED:
                answer = await connection.request("HEAD", f"/api/admin/{path}", Admin(demo).headers)
                assert answer.status == 200 and b"\r\ncontent-length:" not in answer.head.lower(), path
                assert (await connection.request("GET", "/session", {})).json() == {"authenticated": False}, path

    asyncio.run(ask())


@pytest.mark.parametrize("request_", [
    b"GET /session HTTP/1.0\r\n\r\n", b"GET /session HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    b"GET /session HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    b"GET /session HTTP/1.1\r\nHost: a\r\nConnection: TE, Close\r\n\r\n",
    # What comes after the last request is not read.
    b"GET /session HTTP/1.0\r\n\r\nGET /session HTTP/1.0\r\n\r\n"])
def test_rfc_9112_9_3_a_connection_that_is_not_kept_ends_with_the_answer_which_says_so(demo, request_):
    head, body = ended(demo, request_)
    assert head.startswith(b"http/1.1 200 ") and b"\r\nconnection: close\r\n" in head
    assert json.loads(body) == {"authenticated": False}


def test_rfc_9112_6_1_http_1_0_gets_no_chunks(demo):
    authorization = Admin(demo).headers["Authorization"].encode()
    head, body = ended(
        demo, b"GET /api/admin/audit-events.csv HTTP/1.0\r\nAuthorization: " + authorization + b"\r\n\r\n")
    assert b"\r\ntransfer-encoding:" not in head and b"\r\nconnection: close\r\n" in head
    assert body.startswith(b"id,at,type,"), body[:40]
    head, body = ended(
        demo, b"HEAD /api/admin/audit-events.csv HTTP/1.0\r\nAuthorization: " + authorization + b"\r\n\r\n")
    assert b"\r\ntransfer-encoding:" not in head and body == b""


def test_nonsense_after_the_last_request_of_a_connection_takes_nothing_from_its_answer(demo):
    """The answer to it is empty, and says that the connection ends, as the server's own to nonsense does."""
    head, body = ended(demo, b"GET /account HTTP/1.0\r\n\r\nNONSENSE\r\n\r\n")
    assert head.startswith(b"http/1.1 303 ") and b"\r\nlocation: " in head and body == b""


@pytest.mark.parametrize("request_", [
    b"GET /session HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
    b"HTTP2-Settings: AAMAAABk\r\n\r\n",
    b"GET /session HTTP/1.1\r\nHost: a\r\nProxy-Connection: upgrade\r\nUpgrade: x\r\n\r\n",
    b"POST /session HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\nContent-Length: 1\r\n\r\na",
    b"CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n"], ids=["h2c", "proxy's", "with a body", "CONNECT"])
def test_rfc_9110_7_8_a_connection_that_should_change_its_protocol_ends_with_the_answer(demo, request_):
    """The parser reads nothing after such a request: on a connection that went on nobody would be answered."""
    head, _ = ended(demo, request_)
    assert head.startswith(b"http/1.1 ") and b"\r\nconnection: close\r\n" in head


def test_what_follows_a_change_of_protocol_is_not_kept(demo):
    def resident() -> int:
        return int(Path(f"/proc/{demo.popen.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    before = resident()
    with socket.create_connection(("127.0.0.1", demo.port), timeout=30) as connection:
        connection.sendall(b"GET /session HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n")
        with contextlib.suppress(OSError):  # the server may end the connection
            for _ in range(1600):
                connection.sendall(b"x" * 65536)
        assert resident() - before < 40_000_000, "of 100 MB"


@pytest.mark.parametrize("codings", [
    b"Transfer-Encoding: gzip, chunked", b"Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked"])
def test_rfc_9112_6_1_a_transfer_coding_that_is_not_understood_is_refused(demo, codings):
    head, body = ended(demo, b"POST /oauth/token HTTP/1.1\r\nHost: a\r\n" + codings + b"\r\n\r\n1\r\na\r\n0\r\n\r\n")
    assert head.startswith(b"http/1.1 400 ") and json.loads(body)["error"] == "invalid_request"


def test_rfc_9110_8_6_head_says_no_length_of_the_page_that_confirms(demo):
    async def ask():
        async with Connection(demo.port) as connection:
            answer = await connection.request("HEAD", "/login-with-token?token=a", {})
            assert answer.status == 200 and b"\r\ncontent-length:" not in answer.head.lower()
            assert (await connection.request("GET", "/session", {})).json() == {"authenticated": False}

    asyncio.run(ask())
