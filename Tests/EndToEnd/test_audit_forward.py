"""The audit log forwarded: to real receivers over TCP, TLS and HTTP, with `kill -9` on either side in between."""

import datetime
import ipaddress
import json
import re
import socket
import sqlite3
import ssl
import struct
import threading
import time
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

import instance
from instance import wait_until
from stub import Asked, Stub
from tls import only_tls_1_1


class Receiver:
    """A syslog server that keeps what it read; it can go away as a crashed one does, and come back."""

    def __init__(self, port: int | None = None, tls: ssl.SSLContext | None = None):
        self.messages: list[bytes] = []
        self.tls = tls
        # None that the system hands out: while the receiver is away it would give that to a connection.
        self.port = port or instance.free_port()
        self.connections: list[socket.socket] = []
        self.start()

    def start(self):
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(("127.0.0.1", self.port))
        self.listener.listen()
        threading.Thread(target=self._accept, args=[self.listener], daemon=True).start()

    def go(self):
        """With a reset, and with whatever was not read."""
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for connection in self.connections:
            self._reset(connection)
        self.connections.clear()

    @staticmethod
    def _reset(connection: socket.socket):
        try:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            connection.close()
        except OSError:
            pass

    def _accept(self, listener):
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            if self.tls:
                try:
                    connection = self.tls.wrap_socket(connection, server_side=True)
                except OSError:  # Whoever does not trust us leaves by an alert, or by a reset.
                    continue
            self.connections.append(connection)
            if listener.fileno() < 0:  # It went between the two, and knew nothing of this one.
                return self._reset(connection)
            threading.Thread(target=self._read, args=[connection], daemon=True).start()

    def _read(self, connection):
        """RFC 6587 §3.4.1: a count, a space, so many bytes."""
        held = b""
        while True:
            try:
                piece = connection.recv(65536)
            except (OSError, ssl.SSLError):
                return
            if not piece:
                return
            held += piece
            while match := re.match(rb"([1-9][0-9]{0,5}) ", held):
                end = match.end() + int(match[1])
                if len(held) < end:
                    break
                self.messages.append(held[match.end():end])
                held = held[end:]

    def items(self) -> list[dict]:
        """What came: events, and what nodes have signed."""
        return [parse(message) for message in list(self.messages)]

    def records(self) -> list[dict]:
        return [item for item in self.items() if "type" in item]

    def notes(self) -> list[dict]:
        return [next(iter(item.values())) for item in self.items() if "type" not in item]


HEADER = re.compile(
    r'<(\d{1,3})>1 (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z) ([!-~]{1,255}) drawbridge - ([!-~]{1,32}) '
    r'((?:\[[!-~]{1,32}(?: [!-~]{1,32}="(?:[^"\\\]]|\\["\\\]])*")*\])+) (\{.*\})', re.DOTALL)


def parse(message: bytes) -> dict:
    match = HEADER.fullmatch(message.decode())
    assert match, message
    record = json.loads(match[6])
    if "checkpoint" in record:
        note = record["checkpoint"]
        assert match[4] == "audit.checkpoint" and match[2] == note["at"] and match[3] == note["node"]
        assert f'id="{note["node"]}-{note["size"]}"' in match[5]
        return record
    assert match[4] == record["type"] and match[2] == record["at"] and match[3] == record["node"]
    assert f'id="{record["id"]}"' in match[5]
    return record


def in_order_without_gaps(records: list[dict], node: str):
    """At least once: repeated events are allowed, missing ones and new ones out of order are not."""
    last = 0
    for sequence in [record["sequence"] for record in records if record["node"] == node]:
        assert sequence <= last + 1, f"{sequence} after {last}"
        last = max(last, sequence)
    return last


def authority(folder: Path):
    """A CA, a server's certificate for 127.0.0.1 and a client's; paths of the PEM files."""
    now = datetime.datetime.now(datetime.timezone.utc)
    ca_key = ec.generate_private_key(ec.SECP256R1())
    ca_name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test authority")])

    def certificate(name, key, more):
        builder = (x509.CertificateBuilder().subject_name(name).issuer_name(ca_name).public_key(key.public_key())
                   .serial_number(x509.random_serial_number()).not_valid_before(now - datetime.timedelta(hours=1))
                   .not_valid_after(now + datetime.timedelta(days=1)))
        for extension in more:
            builder = builder.add_extension(extension, critical=False)
        return builder.sign(ca_key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)

    def pem(key):
        return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())

    def write(name: str, data: bytes) -> Path:
        path = folder / name
        path.touch(mode=0o600)
        path.write_bytes(data)
        return path

    paths = {"ca": write("ca.pem", certificate(ca_name, ca_key, [x509.BasicConstraints(ca=True, path_length=None)]))}
    for role in ("server", "client"):
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, role)])
        address = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
        paths[role] = write(f"{role}.pem", certificate(name, key, [address]))
        paths[f"{role}_key"] = write(f"{role}.key", pem(key))
    return paths


@pytest.fixture
def certificates(tmp_path):
    return authority(tmp_path)


def server_side(paths, asks_for_certificate=False) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(paths["server"], paths["server_key"])
    if asks_for_certificate:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(paths["ca"])
    return context


def metric(server: instance.Served, name: str) -> float:
    return server.metrics().get(f'drawbridge_audit_forward_{name}{{target="siem"}}', -1)


def last_event(server: instance.Served) -> int:
    return max(row["sequence"] for row in instance.audit_rows(server.data) if row["node"] == "main")


def caught_up(server: instance.Served, receiver: Receiver) -> bool:
    """Whether the receiver has what the log holds now."""
    last = last_event(server)
    return any(record["sequence"] >= last for record in receiver.records() if record["node"] == "main")


def is_noted(server: instance.Served) -> bool:
    """Whether the server has noted that everything is delivered; its metrics say how that was at its last look."""
    sql = "SELECT max(sequence) FROM audit_forward WHERE target = 'siem' AND node = 'main'"
    return instance.query(server.data, sql) == [(last_event(server),)]


# Many events and many starts: without limits, and with passwords that cost little to prepare for.
QUICK = "limits: {enabled: false}\npassword: {passes: 1}\n"


def forwarding_to(receiver: Receiver, scheme: str = "tcp", more: str = "") -> str:
    return f"{QUICK}audit_forwarders:\n  - {{name: siem, url: '{scheme}://127.0.0.1:{receiver.port}'{more}}}\n"


def test_every_event_arrives_in_order_with_its_hashes(serve):
    receiver = Receiver()
    server = serve(forwarding_to(receiver))
    for _ in range(20):
        server.redeem(server.issue()["token"], {"User-Agent": 'Zoë "]\\ 😀'.encode()})
    wait_until(lambda: caught_up(server, receiver), 30, "all events")
    records = receiver.records()
    rows = {(row["node"], row["sequence"]): row for row in instance.audit_rows(server.data)}
    assert in_order_without_gaps(records, "main") >= 60
    for record in records:
        row = rows[record["node"], record["sequence"]]
        assert (record["hash"], record["previous_hash"], record["user_agent"]) == (
            row["hash"], row["previous_hash"], row["user_agent"])
    wait_until(lambda: metric(server, "lag_events") == 0, 30, "no lag")
    assert metric(server, "connected") == 1 and metric(server, "sent_total") >= 60


def test_events_of_commands_beside_the_server_arrive_too(serve):
    receiver = Receiver()
    server = serve(forwarding_to(receiver))
    instance.run("users", "add", "--config", str(server.settings), "carol", stdin=b"a long enough passphrase\n")
    wait_until(lambda: any(record["node"] == "main-cli" for record in receiver.records()), 30, "the command's event")


def test_a_receiver_that_is_killed_and_comes_back_misses_nothing(serve):
    receiver = Receiver()
    server = serve(forwarding_to(receiver))
    for _ in range(4):
        for _ in range(5):
            server.issue()
        receiver.go()
        for _ in range(5):
            server.issue()
        wait_until(lambda: metric(server, "connected") == 0, 30, "the loss to be noticed")
        # What it said within the last second holds that long.
        wait_until(lambda: "audit_forwarder_siem" in server.readiness().degraded, 30, "the readiness to name it")
        assert server.readiness().status == 200
        receiver.start()
        wait_until(lambda: metric(server, "connected") == 1, 30, "a new connection")
    wait_until(lambda: caught_up(server, receiver), 30, "all events")
    assert in_order_without_gaps(receiver.records(), "main") >= 40
    assert metric(server, "failures_total") >= 4


def test_a_server_that_is_killed_again_and_again_misses_nothing(serve):
    receiver = Receiver()
    server = serve(forwarding_to(receiver))
    for round in range(5):
        for _ in range(10):
            server.issue()
        # Sometimes before, sometimes after it was sent, settled or noted.
        time.sleep(0.3 * round)
        server.kill()
        if round % 2:
            receiver.go()
            receiver.start()
        server.start()
    server.issue()
    wait_until(lambda: caught_up(server, receiver), 30, "all events")
    assert in_order_without_gaps(receiver.records(), "main") >= 50


def test_it_begins_where_it_was_after_a_clean_stop(serve):
    receiver = Receiver()
    server = serve(forwarding_to(receiver))
    for _ in range(10):
        server.issue()
    wait_until(lambda: caught_up(server, receiver) and is_noted(server), 30, "everything to be there and noted")
    before = len(receiver.records())
    assert server.stop() == 0
    server.start()
    wait_until(lambda: caught_up(server, receiver), 30, "the start's event")
    assert [record["type"] for record in receiver.records()[before:]] == ["node.stopped", "node.started"]


def test_what_the_node_signed_arrives_and_proves_what_the_database_lost(serve, tmp_path):
    receiver = Receiver()
    server = serve(forwarding_to(receiver))
    for _ in range(5):
        server.issue()
    assert server.stop() == 0
    server.start()
    # Those of commands may come before it.
    note = wait_until(
        lambda: [note for note in receiver.notes() if note["node"] == "main"], 30, "the checkpoint of the stop")[-1]
    rows = {row["sequence"]: row for row in instance.audit_rows(server.data) if row["node"] == "main"}
    assert note["hash"] == rows[note["size"]]["hash"]
    assert server.stop() == 0
    kept = tmp_path / "siem.log"
    kept.write_bytes(b"".join(b"2026-11-21T07:00:00Z host " + message + b"\n" for message in receiver.messages))
    verify = ["audit", "verify", "--config", str(server.settings), "--checkpoint", str(kept)]
    assert json.loads(instance.run(*verify).stdout)["valid"] is True
    with sqlite3.connect(server.data / "drawbridge.sqlite") as connection:
        connection.execute("DELETE FROM audit_checkpoint WHERE node = 'main'")
        connection.execute("DELETE FROM audit_event WHERE node = 'main' AND sequence > 3")
    (server.data / "audit-checkpoints").unlink()
    assert json.loads(instance.run(*verify[:-2]).stdout)["valid"] is True, "the database alone says nothing"
    done = instance.run(*verify, check=False)
    assert done.returncode == 1
    assert {"node": "main", "sequence": 4, "id": "main-4", "kind": "truncated"} in json.loads(done.stdout)["problems"]


@pytest.mark.parametrize("asks", [False, True], ids=["server verified", "both verified"])
def test_over_tls_every_event_arrives_in_order_whether_or_not_the_receiver_asks_for_a_certificate(serve, certificates, asks):
    receiver = Receiver(tls=server_side(certificates, asks))
    own = f", certificate: {certificates['client']}, private_key: {certificates['client_key']}" if asks else ""
    server = serve(forwarding_to(receiver, "tls", f", ca_file: {certificates['ca']}{own}"))
    for _ in range(10):
        server.issue()
    wait_until(lambda: caught_up(server, receiver), 30, "all events")
    assert in_order_without_gaps(receiver.records(), "main") >= 10


def test_a_receiver_that_cannot_prove_who_it_is_gets_nothing(serve, certificates, tmp_path):
    (tmp_path / "other").mkdir()
    other = authority(tmp_path / "other")
    receiver = Receiver(tls=server_side(certificates))
    server = serve(forwarding_to(receiver, "tls", f", ca_file: {other['ca']}"))
    server.issue()
    wait_until(lambda: metric(server, "failures_total") >= 1, 30, "a failure")
    assert receiver.messages == []
    assert metric(server, "lag_events") >= 1
    assert "CERTIFICATE_VERIFY_FAILED" in server.output


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
def test_a_receiver_that_speaks_no_safe_tls_gets_nothing(serve, certificates):
    receiver = Receiver(tls=only_tls_1_1(server_side(certificates)))
    server = serve(forwarding_to(receiver, "tls", f", ca_file: {certificates['ca']}"))
    server.issue()
    wait_until(lambda: metric(server, "failures_total") >= 1, 30, "a failure")
    assert receiver.messages == [] and receiver.connections == []
    assert metric(server, "lag_events") >= 1


def test_json_lines_wait_for_the_answer(serve, tmp_path):
    token = tmp_path / "token"
    token.touch(mode=0o600)
    token.write_text("Bearer of-the-receiver\n")
    posts: list[tuple[str, list[dict]]] = []
    answers = [500, 503]

    def answer(asked: Asked) -> int:
        status = answers.pop() if answers else 204
        if status == 204:
            assert asked.headers["Content-Type"] == "application/x-ndjson"
            posts.append((asked.headers["Authorization"], [json.loads(line) for line in asked.body.splitlines()]))
        return status

    receiver = Stub(answer)
    server = serve(f"{QUICK}audit_forwarders:\n  - {{name: siem, url: '{receiver.base}/in', "
                   f"authorization_file: {token}}}\n")
    for _ in range(10):
        server.issue()

    def received():
        return [record for _, records in posts for record in records if "type" in record]

    wait_until(lambda: len([record for record in received() if record["type"] == "login_token.issued"]) >= 10, 30, "events")
    assert {authorization for authorization, _ in posts} == {"Bearer of-the-receiver"}
    sequences = [record["sequence"] for record in received() if record["node"] == "main"]
    assert sequences == list(range(1, 1 + len(sequences))), "acknowledged, so never twice"
    assert "of-the-receiver" not in server.output
    receiver.close()


def test_check_config_says_who_gets_the_events(tmp_path):
    settings = tmp_path / "drawbridge.yaml"
    settings.write_text("public_origin: https://www.example.com\naudit_forwarders:\n"
                        "  - {name: siem, url: 'tls://siem.example.com'}\n")
    done = instance.run("check-config", "--config", str(settings), check=False)
    assert b"audit_forwarders: siem, tls://siem.example.com:6514" in done.stdout, done
