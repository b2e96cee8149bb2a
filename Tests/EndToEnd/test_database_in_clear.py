"""docs/postgresql.md, "The address": a password goes in clear to no server that may be on another machine."""

from __future__ import annotations

import socket
import struct
import subprocess
import threading

import pytest

import instance

#: The first message of a client that would like TLS (PostgreSQL's protocol, SSLRequest).
SSL_REQUEST = struct.pack("!II", 8, 80877103)


class ServerWithoutTLS:
    """Says that it knows no TLS, and asks whoever goes on for the password in clear."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.passwords: list[bytes] = []
        self.asked_for_tls = threading.Event()
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                connection.settimeout(5)
                try:
                    if connection.recv(8) == SSL_REQUEST:
                        self.asked_for_tls.set()
                        connection.sendall(b"N")
                    if connection.recv(4096):
                        connection.sendall(b"R" + struct.pack("!II", 8, 3))
                        self.passwords.append(connection.recv(4096)[5:].rstrip(b"\0"))
                except OSError:
                    pass


@pytest.fixture
def server():
    server = ServerWithoutTLS()
    yield server
    server.listener.close()


def migrate(address: str, folder, variables: dict) -> None:
    settings = folder / "settings.yaml"
    settings.write_text(f"public_origin: https://id.example\ndata_directory: {folder}\nnode: a\n")
    done = subprocess.run([instance.binary(), "migrate", "--config", str(settings), "--database", address],
                          capture_output=True, text=True, timeout=60, env={**instance.environment(), **variables})
    assert done.returncode != 0 and "hunter2" not in done.stdout + done.stderr


@pytest.mark.parametrize("variable", [False, True])
def test_a_service_is_no_server_of_this_machine(server, tmp_path, variable):
    # Where it leads is written in a file that says something else tomorrow.
    services = tmp_path / "services"
    services.write_text(f"[far]\nhost=127.0.0.1\nport={server.port}\n")
    address = "user=u password=hunter2 dbname=d" + ("" if variable else " service=far")
    migrate(address, tmp_path, {"PGSERVICEFILE": str(services)} | ({"PGSERVICE": "far"} if variable else {}))
    assert server.asked_for_tls.is_set() and server.passwords == []


def test_a_host_that_is_local_beside_an_address_that_may_not_be_is_none(server, tmp_path):
    # libpq reads the short form of an address as 127.0.0.1; what only it can read counts as remote.
    migrate(f"host=localhost hostaddr=127.1 port={server.port} user=u password=hunter2 dbname=d", tmp_path, {})
    migrate(f"host=localhost port={server.port} user=u password=hunter2 dbname=d", tmp_path, {"PGHOSTADDR": "127.1"})
    assert server.asked_for_tls.is_set() and server.passwords == []


def test_a_server_of_this_machine_is_spoken_to_without_tls(server, tmp_path):
    migrate(f"host=localhost hostaddr=127.0.0.1 port={server.port} user=u password=hunter2 dbname=d", tmp_path, {})
    assert server.passwords[0] == b"hunter2"
