"""How `drawbridge-phone` fares on networks that are not in order."""

import contextlib
import socket
import ssl
import threading

import pytest

from judge import check_answer


@pytest.mark.parametrize("dead", ["silent", "closed"])
def test_an_address_of_a_website_that_is_out_of_reach_leaves_time_for_the_next(website, phone, dead):
    with contextlib.ExitStack() as stack:
        if dead == "silent":
            # Nobody accepts there, and once its queue is full it does not answer at all.
            full = stack.enter_context(socket.create_server(("127.0.0.2", website.port), backlog=0))
            for _ in range(4):
                waiting = stack.enter_context(socket.socket())
                waiting.setblocking(False)
                waiting.connect_ex(full.getsockname())
        phone.flags.insert(0, f"--resolve={website.host}=127.0.0.2")
        assert check_answer(website, phone.answer(website.link()))["form"] == "seed2012"


@pytest.mark.parametrize("answer", [
    None, b"", b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{", b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{}",
], ids=["in the handshake", "before the answer", "in the answer", "where only the end says how long the answer is"])
def test_a_connection_that_breaks_is_unreachable_and_no_certificate_is_blamed(authority, phone, answer):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*authority.issue("rp.example"))

    def serve_once():
        connection, _ = server.accept()
        if answer is None:
            connection.recv(65_536)
        else:
            connection = context.wrap_socket(connection, server_side=True)
            connection.recv(65_536)
            connection.sendall(answer)
        connection.close()  # without the word of TLS that it is over

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=serve_once, daemon=True).start()
        address = f"https://rp.example:{server.getsockname()[1]}/f"
        done = phone.run(
            "handle", f"openid://authz?request_uri={address}&nonce=12345678", *phone.flags, "--yes", status=3)
    assert "drawbridge-phone: unreachable: rp.example hung up" in done.stderr and done.stdout == ""
