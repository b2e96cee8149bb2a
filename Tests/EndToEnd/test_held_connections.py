"""Connections whose peers do not go, and peers that go too early."""

import contextlib
import http.client
import json
import socket
import ssl
import struct
import time

import pytest

import computer
import wire
from computer import Computer
from giving_up import request, sent_whole
from instance import REDEEM, wait_until
from tls import certificate

KEPT = b"GET /session HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
NEXT = b"GET /session HTTP/1.1\r\nHost: a\r\n\r\n"
#: The first is the last request of its connection by our own word; a parser that goes by the request alone reads on.
TWO = {"GET": KEPT + KEPT, "HEAD": KEPT.replace(b"GET", b"HEAD") * 2}


def connected(port: int, sent: bytes) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=30)
    connection.sendall(sent)
    return connection


@pytest.mark.parametrize("sent", TWO.values(), ids=TWO)
def test_whoever_sends_more_after_the_last_request_holds_no_connection_for_long(serve, sent):
    server = serve("http: {header_timeout: 60s, max_connections: 6}")
    with contextlib.ExitStack() as stack:
        for _ in range(8):
            stack.enter_context(connected(server.port, sent))
        assert wire.send(server.base, "GET", "/session", timeout=30).status == 200


def test_a_request_that_comes_after_the_last_answer_holds_none_either(serve):
    server = serve("http: {header_timeout: 60s, max_connections: 1}")
    with connected(server.port, KEPT) as connection:
        assert connection.recv(65536).startswith(b"HTTP/1.1 200 ")
        with contextlib.suppress(OSError):  # the server may have ended the connection
            for _ in range(3):
                connection.sendall(NEXT)
                time.sleep(0.1)
        assert wire.send(server.base, "GET", "/session", timeout=30).status == 200


def test_a_body_that_turns_out_malformed_holds_none_either(serve):
    server = serve("http: {header_timeout: 60s, max_connections: 1}")
    head = f"POST /oauth/token HTTP/1.1\r\nHost: a\r\nContent-Type: {wire.FORM}\r\nTransfer-Encoding: chunked\r\n\r\n"
    with connected(server.port, f"{head}no number\r\n".encode()) as connection:
        assert connection.recv(65536).startswith(b"HTTP/1.1 400 ")
        assert wire.send(server.base, "GET", "/session", timeout=30).status == 200


def test_with_tls_it_is_no_different(serve, tmp_path):
    certificate_file, key = certificate(tmp_path)
    server = serve("http: {header_timeout: 60s, max_connections: 4}", tls=(certificate_file, key))
    context = ssl.create_default_context(cafile=certificate_file)
    with contextlib.ExitStack() as stack:
        for _ in range(4):
            plain = stack.enter_context(socket.create_connection(("127.0.0.1", server.port), timeout=30))
            stack.enter_context(context.wrap_socket(plain, server_hostname="localhost")).sendall(KEPT + KEPT)
        assert wire.send(server.base, "GET", "/session", timeout=30, cafile=str(certificate_file)).status == 200


def test_the_management_listener_is_not_silenced_by_it(serve):
    server = serve()
    port = int(server.management.rsplit(":", 1)[1])
    with contextlib.ExitStack() as stack:
        for _ in range(120):  # it holds 100
            stack.enter_context(connected(port, KEPT.replace(b"/session", b"/livez") * 2))
        assert wire.send(server.management, "GET", "/livez", timeout=30).status == 200


def test_a_stop_does_not_wait_for_such_connections(serve):
    server = serve("shutdown_grace: 60s\n")
    with contextlib.ExitStack() as stack:
        for _ in range(3):
            connection = stack.enter_context(connected(server.port, KEPT + KEPT))
            assert connection.recv(65536).startswith(b"HTTP/1.1 200 ")
        assert server.stop(40) == 0, "less than the grace"


def question(opened: Computer, seen: str = "") -> bytes:
    """What the page asks, as its browser sends it."""
    host = opened.base.removeprefix("http://")
    jar = "; ".join(f"{name}={value}" for name, value in opened.jar.items())
    return f"GET {computer.PAGE}/status?seen={seen} HTTP/1.1\r\nHost: {host}\r\nCookie: {jar}\r\n\r\n".encode()


def test_a_request_behind_a_phone_pages_question_holds_no_connection(demo):
    opened = Computer(demo.base).open()
    with connected(demo.port, question(opened) + NEXT) as connection:
        # Unless the server ends the connection, this waits for 30 s.
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    assert answer.startswith(b"HTTP/1.1 200 ") and b"\r\nconnection: close\r\n" in answer.lower()


def answered(server) -> list[str]:
    """The series that count answers, by route, method and status."""
    return [series for series in server.metrics() if series.startswith("drawbridge_http_request_duration_seconds_count{")]


def counted(server, route: str, status: int) -> bool:
    return any(f'route="{route}"' in series and f'status="{status}"' in series for series in answered(server))


def failures(server) -> list[str]:
    return [series for series in answered(server) if 'status="5' in series]


def test_leaving_the_phone_page_is_no_failure(start_demo):
    demo = start_demo()
    opened = Computer(demo.base).open()
    with connected(demo.port, question(opened, "created")):
        wait_until(lambda: computer.waiting_pages(demo) > 0, 20, "a page that waits")
    wait_until(lambda: counted(demo, f"{computer.PAGE}/status", 204), 20, "the end of the wait")
    assert failures(demo) == []


def test_an_upload_that_is_cut_off_is_no_failure(start_demo):
    demo = start_demo()
    head = (f"POST /oauth/token HTTP/1.1\r\nHost: 127.0.0.1:{demo.port}\r\nContent-Type: {wire.FORM}\r\n"
            "Expect: 100-continue\r\nContent-Length: 1000\r\n\r\n")
    with connected(demo.port, head.encode()) as connection:
        assert connection.recv(65536).startswith(b"HTTP/1.1 100 "), "the body is waited for"
        connection.sendall(b"grant_type=")
        # The end is a reset, and no orderly one.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    wait_until(lambda: counted(demo, "/oauth/token", 400), 20, "the end of the upload")
    assert failures(demo) == [] and "request failed" not in demo.output


# A client that ends its own direction with the request, and reads on (RFC 9112 §9.6)


def read_on(demo, *asked) -> tuple[int, bytes]:
    with sent_whole(demo.port, request(demo.port, *asked)) as connection:
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        return answer.status, answer.read()


def test_whoever_ends_his_direction_is_told_that_nothing_was_used_up(demo):
    issued = demo.issue()
    status, page = read_on(demo, "GET", f"{REDEEM}?token={issued['token']}", wire.NAVIGATION)
    assert status == 400 and b"invalid_request" in page
    form = {"grant_type": "authorization_code", "code": "unknown", "client_id": "demo-app"}
    status, body = read_on(demo, "POST", "/oauth/token", {}, form)
    assert status == 400 and json.loads(body)["error"] == "invalid_request", body
    assert "closed" in json.loads(body)["error_description"]
    assert demo.status(issued["id"]) == "pending"
    assert demo.redeem(issued["token"]).session_cookie


def test_what_uses_nothing_up_is_answered_to_him_as_ever(demo):
    status, body = read_on(demo, "GET", "/session")
    assert (status, json.loads(body)) == (200, {"authenticated": False})
