"""Contract §13: probes, metrics, logs, signals, settings, slow and greedy clients, proxies, TLS."""

import asyncio
import contextlib
import html
import http.client
import http.server
import json
import os
import re
import resource
import shlex
import signal
import socket
import sqlite3
import ssl
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import alert_rules
import instance
import landing
import oauth
import proofs
import signing
import wire
from instance import REDEEM, wait_until
from servers import Postgres
from simultaneous import Connection
from skips import NEEDS_POSTGRES
from stub import Asked, Stub
from tls import certificate

# Probes and metrics


def test_probes_answer_on_the_management_listener_only(demo):
    for path in ["/livez", "/readyz", "/metrics"]:
        assert wire.send(demo.management, "GET", path).status == 200, path
        assert demo.send("GET", path).status == 404, path


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/metrics", "/nope"])
def test_contract_11_every_answer_of_the_management_listener_has_a_request_id(demo, path):
    answer = wire.send(demo.management, "GET", path)
    assert re.fullmatch(r"[A-Za-z0-9_-]{20}", answer.header("X-Request-Id"))
    assert answer.header("X-Content-Type-Options") == "nosniff"


@pytest.mark.parametrize("path", ["/livez", "/readyz", "/metrics"])
def test_contract_11_the_management_listener_answers_every_method(demo, path):
    head = wire.send(demo.management, "HEAD", path)
    assert (head.status, head.body) == (200, b"")
    for method, status in [("POST", 405), ("OPTIONS", 204)]:
        answer = wire.send(demo.management, method, path)
        assert (answer.status, answer.header("Allow")) == (status, "GET, HEAD, OPTIONS"), method
    for method, target, code in [("POST", path, "method_not_allowed"), ("GET", "/healthz", "not_found")]:
        answer = wire.send(demo.management, method, target)
        error = answer.json()
        assert (error["error"], error["request_id"]) == (code, answer.header("X-Request-Id"))
        assert error["error_uri"] == f"{demo.base}/errors/{code}"
    for line, status in [(f"FOO {path} HTTP/1.1", 501), (f"GET {path}\xff HTTP/1.1", 400)]:
        answer = said_to_management(demo, line)
        error = answer.json()
        assert (answer.status, error["error"], error["request_id"]) == (
            status, "invalid_request", answer.header("X-Request-Id")), line
        assert answer.header("X-Content-Type-Options") == "nosniff", line


def said_to_management(demo, line: str) -> wire.Answer:
    """The answer to a request line that no client would write."""
    with socket.create_connection((urlsplit(demo.management).hostname, urlsplit(demo.management).port), 10) as connection:
        connection.sendall(f"{line}\r\nHost: localhost\r\n\r\n".encode("latin-1"))
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        return wire.Answer(answer.status, answer.getheaders(), answer.read())


def test_metrics_are_prometheus_text_and_count(demo):
    def total(name: str) -> float:
        return sum(value for series, value in demo.metrics().items() if series.startswith(name))

    answer = wire.send(demo.management, "GET", "/metrics")
    assert answer.header("Content-Type").startswith("text/plain")
    sample = re.compile(r'[a-zA-Z_:][a-zA-Z0-9_:]*(\{([a-zA-Z_]\w*="([^"\\]|\\.)*",?)*\})? [-+0-9.eEInfNa]+( \d+)?')
    lines = answer.text.splitlines()
    assert lines and all(line.startswith("#") or not line or sample.fullmatch(line) for line in lines)
    explained = {line.split()[2] for line in lines if line.startswith("# HELP ") and len(line.split()) > 5}
    assert {line.split()[2] for line in lines if line.startswith("# TYPE ")} == explained
    counted = ["drawbridge_redemptions_total", 'drawbridge_writer_seconds_count{work="requests"}']
    before = [total(name) for name in counted]
    demo.sign_in()
    assert all(total(name) > count for name, count in zip(counted, before))
    assert total('drawbridge_writer_longest_seconds{work="requests"}') > 0


def test_a_login_token_is_counted_in_whichever_way_it_is_brought(demo):
    def opened() -> float:
        return demo.metrics()['drawbridge_redemptions_total{outcome="opened"}']

    rp = landing.RP(demo, "counted")
    ways = {
        "a browser": demo.sign_in,
        "an authorization request": lambda: landing.code(rp.visit(login_token=rp.token()["token"])),
        "the website's server": lambda: oauth.token(demo, {
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "subject_token": rp.token()["token"],
            "subject_token_type": "urn:drawbridge:params:oauth:token-type:login-token"}, rp.basic()).json()["access_token"]}
    for way, bring in ways.items():
        before = opened()
        assert bring(), way
        assert opened() == before + 1, way


def test_an_event_that_never_happened_is_counted_as_0(demo):
    """An alert on its rise would miss the first of them otherwise."""
    demo.wait_for_metric('drawbridge_audit_events_total{outcome="failure",type="audit.contradicted"}', 0)


def test_an_event_is_counted_on_the_next_page_of_metrics(demo):
    """Not only some seconds after the answer that it belongs to."""
    def count() -> float:
        return demo.metrics()['drawbridge_audit_events_total{outcome="failure",type="login_token.refused"}']

    before = count()
    for more in range(1, 4):
        assert demo.redeem("nonsense").status == 400
        assert count() == before + more


# Their values are times, and the alerts compare them with now: without a restore, or a certificate, there is none.
ONLY_WHERE_THERE_IS_ONE = {("drawbridge_database_restored_timestamp_seconds", ""),
                           ("drawbridge_tls_certificate_expiry_timestamp_seconds", "")}


def named_series(expression: str) -> set[tuple[str, str]]:
    """Each metric of ours with each type of event that a rule wants of it (empty: any)."""
    found = set()
    for name, _, labels in re.findall(r"(drawbridge_[a-z_]+)({([^}]*)})?", expression):
        types = re.search(r'\btype=~?"([^"]*)"', labels)
        found |= {(name, kind) for kind in (types[1].split("|") if types else [""])}
    return found


def test_every_series_that_an_alert_names_is_there_before_anything_happens(serve):
    """Of a counter that its first event makes, `increase` does not see that event."""
    named = set().union(*(named_series(rule["expr"]) for rule in alert_rules.RULES))
    assert len(named) > 15
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        server = serve(f"audit_forwarders:\n  - {{name: siem, url: 'tcp://127.0.0.1:{closed.getsockname()[1]}'}}\n")
        # Requests are counted by their status, which cannot be known before.
        server.send("GET", "/session")

        def missing() -> set[tuple[str, str]]:
            metrics = server.metrics()
            return {(name, kind) for name, kind in named - ONLY_WHERE_THERE_IS_ONE if not any(
                series.partition("{")[0] == name and (not kind or f'type="{kind}"' in series) for series in metrics)}

        deadline = time.monotonic() + 30
        while missing() and time.monotonic() < deadline:
            time.sleep(0.1)
        assert missing() == set()


def test_metrics_say_when_what_the_audit_log_signs_cannot_be_kept(serve):
    """As `/readyz` does, which no alert reads; and no rule that says that Redis is away takes it for that."""
    part = "audit_checkpoints"

    def said() -> tuple[bool, float]:
        return part in server.readiness().degraded, server.metrics()[f'drawbridge_degraded{{part="{part}"}}']

    server = serve()
    assert said() == (False, 0)
    server.stop()
    kept = server.data / "audit-checkpoints"
    kept.rename(server.data / "aside")
    kept.mkdir()
    server.start()
    assert said() == (True, 1)
    kept.rmdir()
    (server.data / "aside").rename(kept)
    server.stop()
    server.start()
    assert said() == (False, 0)
    assert alert_rules.alerts_about_part(part) == ["DrawbridgeAuditCheckpoints"]


@NEEDS_POSTGRES
def test_metrics_say_that_the_server_is_not_ready_and_that_it_is_again():
    """A load balancer sends it nothing then, so that no failed request would tell."""
    storage = 'drawbridge_ready{check="storage"}'
    with Postgres() as postgres:
        server = instance.Served(f"database: {postgres.create('away')}\n")
        try:
            assert server.metrics()[storage] == 1
            postgres.stop(signal.SIGINT)
            server.wait_for_metric(storage, 0)
            assert server.readiness().status == 503
            postgres.start()
            server.wait_for_metric(storage, 1)
        finally:
            assert server.stop() == 0
    assert alert_rules.alerts_about("drawbridge_ready") == ["DrawbridgeNotReady"]


# The log

def access_lines(process) -> list[dict]:
    return [line for line in process.json_lines() if "status" in line and "base_url" not in line]


def test_one_json_line_a_request_with_route_status_and_time_but_no_query(start_demo):
    demo = start_demo("--no-limits")
    token = demo.issue()
    demo.redeem(token["token"], redirect="/account/x?private=1")
    demo.send("GET", f"/api/auth/sso-tokens/{token['id']}", demo.authorization())
    answer = demo.send("GET", "/nowhere/at/all?private=1")
    wait_until(lambda: len(access_lines(demo)) >= 4, 30, "access log lines")
    lines = {line.get("request_id"): line for line in access_lines(demo)}
    assert answer.header("X-Request-Id") in lines
    text = "\n".join(line for line in demo.output.splitlines() if "base_url" not in line)
    assert "private" not in text and "token=" not in text and token["token"] not in text
    assert "{id}" in text or ":id" in text, "the route's template, not the id"
    assert token["id"] not in "".join(json.dumps(line) for line in access_lines(demo))
    assert REDEEM in text
    statuses = sorted(int(line["status"]) for line in lines.values())
    assert statuses == sorted([200, 303, 200, 404])


def test_every_line_of_output_is_json(start_demo):
    demo = start_demo()
    demo.sign_in()
    demo.redeem("abc")
    assert demo.stop() == 0
    for line in demo.output.splitlines():
        json.loads(line)


# Stopping

def half_a_request(port: int, body: bytes) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), timeout=15)
    head = (f"POST {REDEEM} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUser-Agent: {wire.SAFARI}\r\n"
            f"Content-Type: {wire.FORM}\r\nContent-Length: {len(body)}\r\n\r\n")
    connection.sendall(head.encode() + body[:10])
    return connection


def read_all(connection: socket.socket) -> bytes:
    answer = b""
    while chunk := connection.recv(65536):
        answer += chunk
    return answer


def test_sigterm_finishes_what_is_in_flight(start_demo):
    demo = start_demo()
    body = f"token={demo.issue()['token']}".encode()
    connection = half_a_request(demo.port, body)
    wait_until(lambda: demo.send("GET", "/session").status == 200)  # the server has seen the half request by now
    demo.signal(signal.SIGTERM)

    def refuses_connections() -> bool:
        try:
            socket.create_connection(("127.0.0.1", demo.port), timeout=1).close()
            return False
        except ConnectionRefusedError:
            return True

    wait_until(refuses_connections, 30, "the end of listening")
    assert demo.popen.poll() is None
    connection.sendall(body[10:])
    answer = read_all(connection)
    assert answer.startswith(b"HTTP/1.1 303") and wire.SESSION_COOKIE.encode() in answer
    assert demo.popen.wait(15) == 0


def test_a_stop_answers_what_comes_on_a_connection_that_is_kept_and_says_that_it_ends(start_demo):
    # nginx may not repeat a POST: a connection that was closed without a word is a visitor's 502.
    demo = start_demo("--no-limits")
    bearer = demo.bearer("alice")
    connection = http.client.HTTPConnection("127.0.0.1", demo.port, timeout=15)

    def issue() -> http.client.HTTPResponse:
        connection.request("POST", "/api/auth/create-sso-token", headers={"Authorization": f"Bearer {bearer}"})
        answer = connection.getresponse()
        answer.read()
        return answer

    assert issue().getheader("Connection") is None
    kept = connection.sock
    demo.signal(signal.SIGTERM)
    answer = issue()
    while answer.getheader("Connection") is None:
        assert answer.status == 200 and connection.sock is kept
        answer = issue()
    assert (answer.status, answer.getheader("Connection")) == (200, "close")
    assert demo.popen.wait(15) == 0


def test_a_stop_among_new_connections_is_a_clean_one(start_demo):
    # What was accepted while the listener closed once ended the process, and with it all that was in flight.
    demo = start_demo()
    over = threading.Event()

    def knock():
        while not over.is_set():
            try:
                socket.create_connection(("127.0.0.1", demo.port), timeout=5).close()
            except OSError:
                pass

    visitors = [threading.Thread(target=knock, daemon=True) for _ in range(4)]
    for visitor in visitors:
        visitor.start()
    wait_until(lambda: demo.send("GET", "/session").status == 200)
    try:
        assert demo.stop() == 0, demo.output[:4000]
    finally:
        over.set()
        for visitor in visitors:
            visitor.join()


def test_sigterm_does_not_wait_for_idle_connections(serve):
    server = serve("shutdown_grace: 60s\n")
    idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(5)]
    server.send("GET", "/session")
    assert server.stop(40) == 0, "less than the grace"
    for connection in idle:
        connection.close()


def test_a_stop_and_a_start_on_the_same_folder_keep_everything(start_demo, tmp_path):
    # The port is part of the issuer, and so of every token.
    place = {"data": tmp_path / "data", "port": instance.free_port()}
    first = start_demo(**place)
    cookie = first.sign_in("alice")
    used = first.issue()
    first.redeem(used["token"])
    pending = first.issue()
    sub, secret = first.user("alice")["sub"], first.facts["trusted_issuer"]["hmac_secret"]
    assert first.stop() == 0
    second = start_demo(**place)
    assert (second.user("alice")["sub"], second.facts["trusted_issuer"]["hmac_secret"]) == (sub, secret)
    assert second.session(cookie)["authenticated"] is True
    assert second.redeem(used["token"], wire.OTHER_BROWSER).status == 400
    assert second.redeem(pending["token"]).status == 303


def test_who_writes_while_another_process_holds_the_database_is_told_soon_however_many_wait(start_demo):
    demo = start_demo("--no-limits")
    answers = []

    def issue(pause: float):
        time.sleep(pause)
        begun = time.monotonic()
        answer = demo.post_issue()
        answers.append((answer.status, answer.header("Retry-After") is not None, time.monotonic() - begun < 14))

    demo.issue()
    with sqlite3.connect(demo.data / "drawbridge.sqlite", isolation_level=None, timeout=10) as database:
        database.execute("BEGIN IMMEDIATE")
        # Each may wait for five seconds: one after the other, the last would for half a minute.
        threads = [threading.Thread(target=issue, args=(pause,)) for pause in (0, 1, 2, 4, 6, 7, 8, 9)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        database.execute("ROLLBACK")
    assert answers == [(503, True, True)] * 8, answers
    assert demo.redeem(demo.issue()["token"]).status == 303


def test_a_demo_leaves_the_database_of_a_service_alone(serve):
    server = serve()
    assert server.stop() == 0
    before = sorted(path.name for path in server.data.iterdir())
    done = instance.run("demo", "--listen", "127.0.0.1:0", "--management-listen", "127.0.0.1:0", "--data", str(server.data),
                        check=False)
    assert done.returncode == 1 and b"is not a demo's" in done.stderr, done.stderr
    assert sorted(path.name for path in server.data.iterdir()) == before
    assert instance.query(server.data, "SELECT count(*) FROM account") == [(0,)]


# Open files

def with_open_files(soft: int, hard: int | None = None) -> list[str]:
    """What runs a program with these limits; the hard one stays as it is without a number."""
    limits = f"ulimit -S -n {soft}" + (f" && ulimit -H -n {hard}" if hard else "")
    return ["bash", "-c", f'{limits} && exec "$@"', "bash"]


def open_file_limits(server) -> tuple[int, int]:
    """The soft limit and the hard one."""
    return resource.prlimit(server.popen.pid, resource.RLIMIT_NOFILE)


@contextlib.contextmanager
def idle_connections(server, count: int):
    """So many connections that send nothing; those that are not accepted wait in the listener's queue."""
    with contextlib.ExitStack() as stack:
        for _ in range(count):
            connection = stack.enter_context(socket.socket())
            connection.settimeout(5)
            connection.connect(("127.0.0.1", server.port))
        yield


@pytest.fixture
def many_files():
    """Leave for this process to have some thousands of connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard < 12_000:
        pytest.skip("this account may not open that many files")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 4096), hard))
    yield hard
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


FEWER = "connections are served at once, not 10000"


def test_a_low_soft_limit_of_open_files_is_raised(start_demo, many_files):
    demo = start_demo(prefix=with_open_files(1024))
    assert open_file_limits(demo) == (many_files, many_files)
    assert FEWER not in demo.output
    with idle_connections(demo, 1100):
        assert wire.send(demo.management, "GET", "/livez").status == 200
        # They are all served: one more is answered.
        assert demo.send("GET", "/session").status == 200


def test_no_more_connections_are_served_than_there_are_files_for(start_demo, many_files):
    demo = start_demo(prefix=with_open_files(1024, 1024))
    assert open_file_limits(demo) == (1024, 1024)
    [line] = [line for line in demo.json_lines() if FEWER in line.get("message", "")]
    assert line["level"] == "warning" and "may open 1024 files" in line["message"]
    with idle_connections(demo, 1100):
        for path in ["/livez", "/readyz"]:
            assert wire.send(demo.management, "GET", path).status == 200
        assert len(os.listdir(f"/proc/{demo.popen.pid}/fd")) < 1000
    wait_until(lambda: demo.send("GET", "/session").status == 200, what="an answer once they are gone")


def test_check_config_warns_where_there_are_too_few_files(tmp_path):
    settings = tmp_path / "drawbridge.yaml"
    settings.write_text("public_origin: https://www.example.com\n")
    command = [instance.binary(), "check-config", "--config", settings]
    done = subprocess.run(
        [*with_open_files(1024, 1024), *command], capture_output=True, text=True, env=instance.environment())
    assert done.returncode == 0 and f"{FEWER}: this process may open 1024 files" in done.stderr
    settings.write_text("public_origin: https://www.example.com\nhttp: {max_connections: 100}\n")
    done = subprocess.run(
        [*with_open_files(1024, 1024), *command], capture_output=True, text=True, env=instance.environment())
    assert done.returncode == 0 and "served at once, not" not in done.stderr


# SIGHUP

def test_a_broken_file_at_sighup_keeps_the_running_settings(serve):
    server = serve()
    whole = server.settings.read_bytes()
    server.settings.write_bytes(b"{")
    server.signal(signal.SIGHUP)
    wait_until(lambda: re.search(r'"level":"(error|warning)"', server.output), 30, "a line in the log")
    token = server.issue()
    assert server.redeem(token["token"]).status == 303
    server.settings.write_bytes(whole)


@NEEDS_POSTGRES
def test_a_sighup_during_a_start_is_carried_out_after_it():
    def reloads(server) -> int:
        return sum(1 for line in server.json_lines() if line.get("message", "").startswith("reloaded "))

    def traps_sighup(server) -> bool:
        server.alive_or_fail()
        [caught] = re.findall(r"^SigCgt:\s*(\w+)$", Path(f"/proc/{server.popen.pid}/status").read_text(), re.M)
        return int(caught, 16) & 1 << signal.SIGHUP - 1 != 0

    with Postgres() as postgres:
        server = instance.Served(f"database: {postgres.create('early')}\nnode: early\n")
        try:
            assert server.stop() == 0
            # The start waits for it, with its settings already read.
            postgres.freeze()
            instance.Process.__init__(
                server, [instance.binary(), "serve", "--config", str(server.settings)], server.scratch)
            wait_until(lambda: traps_sighup(server), 30, "the trap")
            server.signal(signal.SIGHUP)
            postgres.thaw()
            server.wait_until_ready()
            wait_until(lambda: reloads(server) == 1, 30, "the reload that was asked for during the start")
            server.signal(signal.SIGHUP)
            wait_until(lambda: reloads(server) == 2, 30, "another reload")
        finally:
            postgres.thaw()
            assert server.stop() == 0


def test_a_sighup_takes_in_no_settings_that_no_server_would_start_with(serve):
    server = serve()
    whole = server.settings.read_text()
    server.settings.write_text(whole.replace("default_web_client: web", "default_web_client: gone"))
    server.signal(signal.SIGHUP)
    [line] = wait_until(lambda: [line for line in server.json_lines() if "could not reload" in line.get("message", "")], 30,
                        "a line in the log")
    assert "default_web_client" in json.dumps(line) and "is not a client of the file or the database" in json.dumps(line)
    assert server.redeem(server.issue()["token"]).status == 303
    server.settings.write_text(whole)


def test_a_sighup_names_the_settings_that_it_does_not_take_in(serve):
    server = serve()
    whole = server.settings.read_text()
    changed = whole.replace("audience: drawbridge", "audience: another")
    assert changed != whole
    server.settings.write_text(changed + "trusted_proxies: [192.0.2.7]\n")
    server.signal(signal.SIGHUP)
    wait_until(lambda: "trusted_issuers, trusted_proxies changed; that counts after a restart" in [
        line.get("message") for line in server.json_lines() if line.get("level") == "warning"], 30, "the warning")
    server.issue()
    server.settings.write_text(whole)


def test_a_client_of_the_settings_file_that_changes_is_in_the_audit_log_and_in_the_services(serve):
    server = serve()

    def told() -> list[tuple]:
        return [(row["type"], row["client_id"], json.loads(row["detail"])) for row in instance.audit_rows(server.data)
                if row["type"].startswith("client.")]

    began = wait_until(lambda: len(told()) == 2 and told(), 30, "the clients of the first start")
    assert began == [("client.created", name, {"actor": "settings"}) for name in ("app", "web")]
    whole = server.settings.read_text()
    wider = whole.replace('"/account/*"]', '"/account/*", "/evil/*"]')
    assert wider != whole
    server.settings.write_text(wider)
    server.signal(signal.SIGHUP)
    changed = ("client.changed", "web", {"actor": "settings", "fields": ["return_paths"]})
    assert wait_until(lambda: len(told()) == 3 and told(), 30, "the change")[2] == changed
    assert "clients of the settings file changed: web (return_paths)" in [
        line.get("message") for line in server.json_lines()]
    server.signal(signal.SIGHUP)
    wait_until(lambda: server.output.count("reloaded clients") == 2, 30, "a reload without a change")
    assert server.stop() == 0
    # What was changed while nothing ran is told at the start.
    server.settings.write_text(whole)
    server.start()
    assert wait_until(lambda: len(told()) == 4 and told(), 30, "the change back")[3] == changed
    assert "/evil" not in json.dumps(told())


def test_a_shared_secret_that_is_replaced_counts_from_the_sighup_on(serve):
    server = serve()
    secret = server.scratch / "issuer-secret"
    old = {"Authorization": f"Bearer {server.bearer()}"}
    # Verified, and remembered.
    server.issue(headers=old)
    server.hmac_key = b"n" * 32
    secret.write_bytes(server.hmac_key + b"\n")
    new = {"Authorization": f"Bearer {server.bearer()}"}
    assert server.send("POST", instance.ISSUE, new).status == 401
    server.signal(signal.SIGHUP)
    wait_until(lambda: server.send("POST", instance.ISSUE, new).status == 200, 30, "the new secret")
    wait_until(lambda: server.send("POST", instance.ISSUE, old).status == 401, 30, "the end of the old one")
    # One that is too short is none: the secret of before stays, and the log says whose it is.
    secret.write_bytes(b"short")
    server.signal(signal.SIGHUP)
    [line] = wait_until(
        lambda: [line for line in server.json_lines() if "could not reload issuers' key files" in line.get("message", "")], 30,
        "a line in the log")
    assert server.ISSUER in json.dumps(line) and "hmac.secret_file" in json.dumps(line)
    server.issue()


# Slow and greedy clients

def closed_after(connection: socket.socket, started: float, feed=None) -> float:
    """How long after `started` the server ends the connection while the client drips bytes."""
    connection.settimeout(0.5)
    while time.monotonic() - started < 30:
        try:
            if feed:
                connection.sendall(feed)
            if connection.recv(65536) == b"":
                return time.monotonic() - started
        except TimeoutError:
            continue
        except OSError:
            return time.monotonic() - started
    raise AssertionError("still open after 30 s")


def test_slow_clients_are_cut_off_while_others_are_served(serve):
    server = serve("http: {header_timeout: 4s, body_timeout: 2s}")
    # Before the server's clocks begin to run.
    started = time.monotonic()
    header = socket.create_connection(("127.0.0.1", server.port))
    header.sendall(b"GET /session HTTP/1.1\r\nHost: x\r\n")
    body = half_a_request(server.port, b"token=" + b"a" * 5000)
    silent = socket.create_connection(("127.0.0.1", server.port))
    with ThreadPoolExecutor() as pool:
        closed = [pool.submit(closed_after, header, started, feed=b"X-A: b\r\n"),
                  pool.submit(closed_after, body, started, feed=b"a"), pool.submit(closed_after, silent, started)]
        assert server.send("GET", "/session").status == 200
        after = [connection.result() for connection in closed]
    assert after[0] >= 3 and after[1] >= 1 and after[2] >= 3, "none is cut off at once"


def asks_and_never_reads(port: int) -> socket.socket:
    """A connection that has asked for more than it and the system take."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", port))
    connection.settimeout(2)
    with contextlib.suppress(OSError):  # the server takes no more, or has ended the connection
        for _ in range(10_000):
            connection.sendall(b"GET /sign-in HTTP/1.1\r\nHost: x\r\n\r\n" * 10)
    return connection


def test_whoever_asks_and_never_reads_holds_no_connection_for_long(serve):
    server = serve("http: {header_timeout: 1s, max_connections: 4}")
    with ThreadPoolExecutor() as pool, contextlib.ExitStack() as stack:
        for connection in pool.map(lambda _: asks_and_never_reads(server.port), range(4)):
            stack.enter_context(connection)
        assert wire.send(server.base, "GET", "/session", timeout=25).status == 200


def test_idle_connections_do_not_silence_the_management_listener_for_long(start_demo):
    demo = start_demo()
    address = urlsplit(demo.management)
    with contextlib.ExitStack() as stack:
        for _ in range(120):  # it holds 100
            stack.enter_context(socket.create_connection((address.hostname, address.port), timeout=10))
        for path in ["/livez", "/readyz"]:
            assert wire.send(demo.management, "GET", path, timeout=20).status == 200, path


def test_bodies_and_headers_have_limits(demo):
    big = demo.send("POST", REDEEM, {"User-Agent": wire.SAFARI}, "token=" + "a" * 200_000)
    assert big.status in (400, 413)
    with socket.create_connection(("127.0.0.1", demo.port), timeout=10) as endless:
        endless.sendall(b"GET /session HTTP/1.1\r\nHost: x\r\n")
        for _ in range(8):
            endless.sendall(b"X-Filler: " + b"a" * 8000 + b"\r\n")
        assert endless.recv(1000).startswith(b"HTTP/1.1 431 "), "an answer before the header ends"
    assert demo.send("GET", "/session").status == 200


def test_what_a_requests_header_may_hold_is_what_the_settings_say(serve):
    server = serve("http: {max_header_size: 4096}")
    for size, status in [(3000, 200), (6000, 431)]:
        assert server.send("GET", "/session", {"X-Filler": "a" * size}).status == status


def test_rfc_9110_9_3_2_nothing_follows_the_answer_to_head_on_a_connection_that_is_kept(demo):
    targets = {"/session": 200, "/oauth/token": 405, "/oauth/authorize": 405, "/nope": 404, "/api/admin/users": 401}

    async def ask():
        async with Connection(demo.port) as connection:
            for target, status in targets.items():
                answer = await connection.request("HEAD", target, {})
                assert answer.status == status, target
                assert b"\r\ncontent-length: 0\r\n" not in answer.head.lower(), "it says what GET would be answered with"
                assert (await connection.request("GET", "/session", {})).json() == {"authenticated": False}, target

    asyncio.run(ask())


def waits_before_its_body(demo, length: int) -> socket.socket:
    """A connection on which only the header of a form is sent, as a client does that asks first."""
    connection = socket.create_connection(("127.0.0.1", demo.port), timeout=8)  # the server waits for 10 s
    connection.sendall(
        f"POST /oauth/token HTTP/1.1\r\nHost: 127.0.0.1:{demo.port}\r\nContent-Type: {wire.FORM}\r\n"
        f"Content-Length: {length}\r\nExpect: 100-continue\r\n\r\n".encode())
    return connection


def test_rfc_9110_10_1_1_who_asks_before_a_body_is_told_to_go_on(demo):
    body = b"grant_type=refresh_token"
    with waits_before_its_body(demo, len(body)) as connection:
        told = b""
        while not told.endswith(b"\r\n\r\n") and (more := connection.recv(4096)):
            told += more
        assert told.startswith(b"HTTP/1.1 100 ") and told.count(b"HTTP/1.1 ") == 1, told
        connection.sendall(body)
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        assert 400 <= answer.status < 500 and answer.getheader("Connection") != "close"
        assert json.loads(answer.read())["error"].startswith("invalid_"), "and the body was read"
        connection.sendall(b"GET /session HTTP/1.1\r\nHost: a\r\n\r\n")
        following = http.client.HTTPResponse(connection)
        following.begin()
        assert (following.status, json.loads(following.read())) == (200, {"authenticated": False})


def test_rfc_9110_10_1_1_a_body_that_is_too_long_is_refused_without_being_asked_for(demo):
    with waits_before_its_body(demo, 70_000) as connection:
        answer = read_all(connection)
    assert answer.startswith(b"HTTP/1.1 413 ") and answer.count(b"HTTP/1.1 ") == 1, answer
    assert b"\r\nconnection: close\r\n" in answer.lower(), "another request would be read as the body"


def test_nonsense_on_the_wire_is_answered_or_cut_but_never_fatal(demo):
    for garbage in [b"\x16\x03\x01\x02\x00\x01", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\r\n" * 100,
                    b"GET /\x00 HTTP/1.1\r\nHost: x\r\n\r\n", b"POST /login-with-token HTTP/1.1\r\nHost: x\r\n"
                    b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                    b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
                    b"GET /%zz?%zz=%zz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
                    b"GET http://evil.example/login-with-token?token=abc HTTP/1.1\r\nHost: x\r\n"
                    b"Connection: close\r\n\r\n"]:
        with socket.create_connection(("127.0.0.1", demo.port), timeout=5) as connection:
            connection.sendall(garbage)
            connection.shutdown(socket.SHUT_WR)
            try:
                answer = read_all(connection)
            except OSError:
                answer = b""
            assert answer == b"" or answer.startswith(b"HTTP/1.1 "), garbage
            assert not answer.startswith(b"HTTP/1.1 5") or answer.startswith(b"HTTP/1.1 501"), (garbage, answer[:200])
    assert demo.send("GET", "/session").status == 200


#: Bodies whose end nobody can tell: the coding, and what comes as the body.
BAD_BODIES = {"no size": ("chunked", b"ZZ\r\nhello\r\n0\r\n\r\n"),
              "a bare line feed": ("chunked", b"5;a\nhello\r\n0\r\n\r\n"),
              "an unknown coding": ("xchunked", b"5\r\nhello\r\n0\r\n\r\n"), "no chunks at all": ("gzip", b"hello")}


def answer_to_body(demo, target: str, name: str) -> bytes:
    coding, body = BAD_BODIES[name]
    head = f"POST {target} HTTP/1.1\r\nHost: 127.0.0.1:{demo.port}\r\nContent-Type: {wire.FORM}\r\n"
    with socket.create_connection(("127.0.0.1", demo.port), timeout=10) as connection:
        connection.sendall(f"{head}Transfer-Encoding: {coding}\r\n\r\n".encode() + body)
        return read_all(connection)


@pytest.mark.parametrize("name", BAD_BODIES)
@pytest.mark.parametrize("target", ["/oauth/token", REDEEM, "/session/logout"])
def test_contract_11_a_body_that_is_not_well_formed_is_the_senders_fault(demo, target, name):
    answer = answer_to_body(demo, target, name)
    assert answer.startswith(b"HTTP/1.1 400") and answer.count(b"HTTP/1.1 ") == 1, answer
    assert b"\r\nconnection: close\r\n" in answer.lower(), "where the next request begins, nobody knows"
    assert "HTTPParserError" not in demo.output


@pytest.mark.parametrize("name", BAD_BODIES)
@pytest.mark.parametrize("target", [instance.ISSUE, "/auth/check"])
def test_rfc_9112_one_request_has_one_answer_though_its_body_is_not_well_formed(demo, target, name):
    """Both answer without reading a body: of a second answer a proxy would make the next visitor's."""
    answer = answer_to_body(demo, target, name)
    assert answer.startswith(b"HTTP/1.1 4") and answer.count(b"HTTP/1.1 ") == 1, answer


# Proxies

def recorded_address(server, token_id: str, kind: str = "login_token.issued") -> str:
    [(address,)] = instance.query(
        server.data, "SELECT address FROM audit_event WHERE type = $1 AND token_id = $2", kind, token_id)
    return address


def test_forwarded_addresses_count_only_from_trusted_proxies(serve):
    server = serve("trusted_proxies: [127.0.0.1/32, 10.0.0.0/8]\n")

    def issued_from(forwarded: list[str], source: str) -> str:
        headers = [("Authorization", f"Bearer {server.bearer(f'user-{time.monotonic_ns()}')}")]
        headers += [("X-Forwarded-For", value) for value in forwarded]
        answer = server.send("POST", instance.ISSUE, headers, source=source)
        assert answer.status == 200, answer.body
        return recorded_address(server, answer.json()["id"])

    assert issued_from(["203.0.113.7"], "127.0.0.1") == "203.0.113.7"
    assert issued_from(["203.0.113.7"], "127.0.0.2") == "127.0.0.2", "that one is no proxy"
    assert issued_from(["1.2.3.4, 203.0.113.7, 10.1.1.1"], "127.0.0.1") == "203.0.113.7", "right-most untrusted"
    assert issued_from(["1.2.3.4", "203.0.113.7"], "127.0.0.1") == "203.0.113.7", "two lines are one list"
    assert issued_from([], "127.0.0.1") == "127.0.0.1"
    assert issued_from(["nonsense"], "127.0.0.1") == "127.0.0.1"
    assert issued_from(["203.0.113.7, nonsense"], "127.0.0.1") == "127.0.0.1"
    assert issued_from(["2001:db8::7"], "127.0.0.1") == "2001:db8::7"
    assert issued_from(["203.0.113.7:4711"], "127.0.0.1") == "203.0.113.7", "some proxies add the port"
    assert issued_from(["[2001:db8::7]:443"], "127.0.0.1") == "2001:db8::7"
    assert issued_from(["[2001:db8::7]"], "127.0.0.1") == "2001:db8::7"
    assert issued_from(["203.0.113.7:99999"], "127.0.0.1") == "127.0.0.1"

    def told() -> list[dict]:
        return [line for line in server.json_lines() if "X-Forwarded-For" in line.get("message", "")]

    wait_until(told, what="the warning of an entry that is no address")
    assert [line["level"] for line in told()] == ["warning"], "once, however many there were"
    assert "nonsense" not in server.output


# TLS

def served_name(port: int) -> str:
    pem = ssl.get_server_certificate(("127.0.0.1", port))
    done = subprocess.run(
        ["openssl", "x509", "-noout", "-subject"], input=pem.encode(), capture_output=True, check=True)
    return done.stdout.decode().rpartition("=")[2].strip()


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion:DeprecationWarning")
def test_tls_in_process_and_a_certificate_that_is_replaced(serve, tmp_path):
    first, second = certificate(tmp_path, "first"), certificate(tmp_path, "second")
    live = tmp_path / "live.pem", tmp_path / "live.key"
    for source, target in zip(first, live):
        target.touch(mode=0o600)
        target.write_bytes(source.read_bytes())
    server = serve(tls=live)
    answer = server.redeem(server.issue(cafile=first[0])["token"], cafile=first[0])
    assert answer.status == 303 and answer.header("Location") == f"{server.base}/contacts"
    page = server.redeem("abc", cafile=first[0])
    assert "max-age=" in page.header("Strict-Transport-Security")
    assert served_name(server.port) == "first"
    for source, target in zip(second, live):
        target.write_bytes(source.read_bytes())
    server.signal(signal.SIGHUP)
    wait_until(lambda: served_name(server.port) == "second", 30, "the other certificate")
    # A certificate that does not fit its key is refused, and the one in force stays.
    live[1].write_bytes(first[1].read_bytes())
    server.signal(signal.SIGHUP)
    wait_until(lambda: re.search(r'"level":"(error|warning)"', server.output), 30, "a line in the log")
    assert served_name(server.port) == "second"
    old = ssl.create_default_context(cafile=second[0])
    old.minimum_version = old.maximum_version = ssl.TLSVersion.TLSv1_1
    with pytest.raises(OSError), socket.create_connection(("127.0.0.1", server.port)) as plain:
        old.wrap_socket(plain, server_hostname="localhost")


def test_tls_files_that_cannot_be_used_are_problems_of_the_settings(tmp_path):
    pem, key = certificate(tmp_path, "first")
    _, other = certificate(tmp_path, "second")
    text = tmp_path / "text.pem"
    text.write_text("bad\n")
    text.chmod(0o600)
    settings = tmp_path / "drawbridge.yaml"
    for files, told in [((text, key), f'tls.certificate = "{text}"'), ((pem, text), f'tls.private_key = "{text}"'),
                        ((pem, other), f'tls.private_key = "{other}"')]:
        settings.write_text(f"public_origin: https://www.example.com\ndata_directory: {tmp_path}/data\n"
                            f"tls: {{certificate: {files[0]}, private_key: {files[1]}}}\n")
        for command, status in [("check-config", 1), ("serve", 78)]:
            done = instance.run(command, "--config", str(settings), check=False)
            assert done.returncode == status and told in done.stderr.decode(), (command, done.stderr)


def test_tls_files_of_redis_and_receivers_are_named_under_their_own_settings(tmp_path):
    pem, key = certificate(tmp_path, "first")
    _, other = certificate(tmp_path, "second")
    text, missing = tmp_path / "text.pem", tmp_path / "missing.pem"
    text.write_text("bad\n")
    text.chmod(0o600)
    settings = tmp_path / "drawbridge.yaml"

    def told(ca, pem, key) -> str:
        files = f"{{ca_file: {ca}, certificate: {pem}, private_key: {key}}}"
        settings.write_text(f"public_origin: https://www.example.com\ndata_directory: {tmp_path}/data\n"
                            f"redis: {{url: 'rediss://redis.example', tls: {files}}}\n"
                            f"audit_forwarders: [{{name: siem, url: 'tls://siem.example', {files[1:-1]}}}]\n")
        done = instance.run("check-config", "--config", str(settings), check=False)
        return done.stderr.decode()

    assert told(pem, pem, key) == "The settings are accepted.\n"
    for files, field, wrong in [((missing, pem, key), "ca_file", missing), ((text, pem, key), "ca_file", text),
                                ((pem, text, key), "certificate", text), ((pem, pem, text), "private_key", text),
                                ((pem, pem, other), "private_key", other)]:
        said = told(*files)
        for place in ("redis.tls", "audit_forwarders[0]"):
            assert f'{place}.{field} = "{wrong}" (settings file' in said, said
        assert said.count("\n") == 3, said
        assert not any(word in said for word in ("noSuch", ".build", "Error", "NIO")), said


def test_a_certificate_that_expires_soon_is_told_by_check_config_and_at_a_start(serve, tmp_path):
    files = certificate(tmp_path, days=3)
    server = serve(tls=files)
    [line] = [line for line in server.json_lines() if "tls.certificate: the certificate in" in line.get("message", "")]
    assert line["level"] == "warning" and f"{files[0]} expires on 2" in line["message"]
    done = instance.run("check-config", "--config", str(server.settings))
    assert f"warning: tls.certificate: the certificate in {files[0]} expires on 2" in done.stderr.decode()


def expiry_of(pem: Path) -> int:
    done = subprocess.run(["openssl", "x509", "-noout", "-enddate", "-in", pem], capture_output=True, check=True, text=True)
    return int(ssl.cert_time_to_seconds(done.stdout.strip().removeprefix("notAfter=")))


def test_metrics_say_when_the_certificate_in_use_expires(serve, tmp_path):
    expiry = "drawbridge_tls_certificate_expiry_timestamp_seconds"
    first, second = certificate(tmp_path, "first", days=20), certificate(tmp_path, "second", days=60)
    live = tmp_path / "live.pem", tmp_path / "live.key"
    for source, target in zip(first, live):
        target.touch(mode=0o600)
        target.write_bytes(source.read_bytes())
    server = serve(tls=live)
    assert server.metrics()[expiry] == expiry_of(first[0])
    for source, target in zip(second, live):
        target.write_bytes(source.read_bytes())
    assert server.metrics()[expiry] == expiry_of(first[0]), "not of the file"
    server.signal(signal.SIGHUP)
    server.wait_for_metric(expiry, expiry_of(second[0]))


def test_check_config_online_tries_the_master_key_on_the_database(serve, tmp_path):
    server = serve()
    said = instance.run("check-config", "--online", "--config", str(server.settings), check=False).stdout.decode()
    assert f"ok    master key: {server.data}/master-key" in said
    assert server.stop() == 0
    server.data.joinpath("master-key").rename(tmp_path / "of-before")
    instance.run("keys", "init", "--config", str(server.settings))
    done = instance.run("check-config", "--online", "--config", str(server.settings), check=False)
    assert done.returncode == 1
    assert "FAIL  master key: The master key" in done.stdout.decode() and "does not open the key" in done.stdout.decode()


def test_check_config_online_tells_a_proxy_that_does_not_pass_host_on_and_another_websites_answer(serve, tmp_path):
    """Such a proxy gets 404 for every page of an instance whose origins are apart."""
    answers = {}

    def answer(asked: Asked) -> tuple:
        if answers["now"]:
            return answers["now"]
        passed_on = wire.send(server.base, "GET", asked.target, {"Host": answers["host"]})
        return passed_on.status, passed_on.body

    proxy = Stub(answer)
    origin = proxy.base
    server = serve("issuer: http://127.0.0.1:1\n", origin=origin)

    def said() -> str:
        ran = instance.run("check-config", "--online", "--config", str(server.settings), check=False)
        [line] = [line for line in ran.stdout.decode().splitlines() if line[6:].startswith(f"origin {origin}: ")]
        return line.replace(f"origin {origin}: ", "")

    advice = "`proxy_set_header Host $http_host`"
    for host, now, words in [
            (f"127.0.0.1:{proxy.port}", None, "ok    answers"), ("127.0.0.1", None, advice),
            ("drawbridge", None, advice), ("", (200, b"<!doctype html>hello"), "FAIL  something else answers"),
            ("", (200, b"{}"), "FAIL  something else answers"), ("", (502, b""), "note  answers with 502"),
            ("", (403, b""), "note  answers with 403: a gate"),
            ("", (302, b""), "note  answers with 302: a gate")]:
        answers.update(host=host, now=now)
        line = said()
        if words == advice:
            assert line.startswith("FAIL  reaches a server") and advice in line, line
        else:
            assert line.startswith(words), line

    def told() -> list[dict]:
        return [line for line in server.json_lines() if "its Host is no origin" in line.get("message", "")]

    wait_until(told, what="the line in the log")
    assert [(line["level"], line["host"]) for line in told()] == [("warning", "127.0.0.1")], "once a minute"
    proxy.close()


def test_a_request_that_the_service_log_tells_of_is_found_by_its_answers_request_id_in_both_logs(serve):
    server = serve()
    asked = server.send("GET", "/auth/check?website=nobody").header("X-Request-Id")

    def lines() -> list[dict]:
        return [line for line in server.json_lines() if line.get("request_id") == asked]

    wait_until(lambda: len(lines()) == 2, what="a line in each log")
    [told] = [line for line in lines() if "message" in line]
    assert "asked /auth/check about a website" in told["message"] and told["website"] == "nobody"
    assert "hb.request.id" not in told


def test_check_config_online_reads_the_keys_of_issuers_and_providers(tmp_path):
    documents, codes, refusal = {}, [], (400, {"error": "invalid_grant"})

    def answer(asked: Asked) -> int | tuple:
        if asked.target == "/token":
            codes.append(asked.form)
            return refusal
        document = documents.get(asked.target)
        return 404 if document is None else (200, document)

    website = Stub(answer)
    origin = website.base
    documents["/.well-known/openid-configuration"] = {
        "issuer": origin, "authorization_endpoint": f"{origin}/authorize", "token_endpoint": f"{origin}/token",
        "jwks_uri": f"{origin}/jwks"}
    secret, settings = tmp_path / "secret", tmp_path / "drawbridge.yaml"
    secret.touch(mode=0o600)
    secret.write_text("s" * 40 + "\n")
    settings.write_text(f"""public_origin: http://127.0.0.1:1
data_directory: {tmp_path}/data
trusted_issuers:
  - {{issuer: {origin}, audience: a, subject_prefix: 'a:', clients: [a], discovery: true}}
  - {{issuer: 'https://b.example', audience: b, subject_prefix: 'b:', clients: [b], jwks_uri: {origin}/jwks}}
clients:
  - {{client_id: a, client_type: native}}
  - {{client_id: b, client_type: native}}
upstream_providers:
  - {{id: up, name: Up, issuer: '{origin}', client_id: us, client_secret_file: {secret}}}
""")

    def said() -> list[str]:
        ran = instance.run("check-config", "--online", "--config", str(settings), check=False)
        lines = ran.stdout.decode().splitlines()
        return [line for line in lines if line[6:].startswith(("trusted issuer ", "provider "))]

    names = [f"trusted issuer {origin}", "trusted issuer https://b.example", f"provider {origin}"]
    jwk = proofs.Key().jwk
    none = "has no key for any of the allowed algorithms"
    for document, words in [(None, "answers with 404"), ({"keys": []}, none),
                            ({"keys": [{"kty": "oct", "k": "c2VjcmV0"}]}, none),
                            ({"keys": [jwk] * 65}, "its key set has too many keys"), ([], "its keys are no JWK set"),
                            ({"keys": [jwk], "more": "a" * 300_000}, "answers with too much")]:
        documents["/jwks"] = document
        for line, name in zip(said(), names, strict=True):
            assert line.startswith(f"FAIL  {name}: ") and line.endswith(words), line
    documents["/jwks"] = {"keys": [jwk]}
    assert said() == [f"ok    {names[0]}: 1 keys at {origin}/jwks", f"ok    {names[1]}: 1 keys at {origin}/jwks",
                      f"ok    {names[2]}: metadata, and 1 keys; {origin}/token accepts us as us"]
    assert codes[0]["redirect_uri"] == "http://127.0.0.1:1/sign-in/callback/up"
    refusal = 401, {"error": "invalid_client"}
    assert said()[2] == (f"FAIL  {names[2]}: {origin}/token answers with 401 (invalid_client): "
                         "client_id or client_secret_file is wrong")
    website.close()


def test_an_issuers_file_without_keys_is_told_before_a_start_and_stops_it_as_settings_do(tmp_path):
    keys = tmp_path / "keys.json"
    settings = tmp_path / "drawbridge.yaml"
    settings.write_text(f"""public_origin: http://127.0.0.1:1
data_directory: {tmp_path}/data
trusted_issuers:
  - {{issuer: 'https://a.example', audience: a, subject_prefix: 'a:', clients: [a], jwks_file: {keys}}}
""")
    instance.run("keys", "init", "--config", str(settings))
    for content, problem in [(None, "cannot be read"), ("junk", "is not a JWK set"),
                             ('{"keys": []}', "has no key for any of the allowed algorithms")]:
        if content:
            keys.write_text(content)
        checked = instance.run("check-config", "--online", "--config", str(settings), check=False)
        assert checked.returncode == 1
        assert f"FAIL  trusted issuer https://a.example: {keys}: {problem}\n" in checked.stdout.decode(), checked.stdout
        served = instance.run("serve", "--config", str(settings), check=False)
        assert served.returncode == 78
        assert f"trusted_issuers[https://a.example].jwks_file: {keys}: {problem}\n" in served.stderr.decode(), served.stderr


def test_an_audit_signing_key_that_is_none_is_told_with_its_path(tmp_path):
    settings = tmp_path / "drawbridge.yaml"
    settings.write_text(f"public_origin: http://127.0.0.1:1\ndata_directory: {tmp_path}/data\n")
    instance.run("keys", "init", "--config", str(settings))
    key = tmp_path / "data/audit-signing-key"
    key.write_text("junk\n")
    checked = instance.run("check-config", "--online", "--config", str(settings), check=False)
    assert f"FAIL  audit signing key: the audit signing key {key} is malformed" in checked.stdout.decode()
    served = instance.run("serve", "--config", str(settings), check=False)
    assert served.returncode == 1 and f"The audit signing key {key} is malformed" in served.stderr.decode()


# Settings

BROKEN = """
public_origin: http://www.example.com
listen: 0.0.0.0:8080
sesion: {lifetime: 1h}
login_token: {lifetime: 90s}
limits: {issue: {user_burst: many}}
clients:
  - {client_id: app, colour: blue}
"""


@pytest.mark.parametrize("command", ["serve", "check-config"])
def test_a_broken_settings_file_stops_the_start_with_all_problems_at_once(tmp_path, command):
    settings = tmp_path / "drawbridge.yaml"
    settings.write_text(BROKEN)
    done = instance.run(command, "--config", str(settings), check=False, timeout=20)
    assert done.returncode != 0
    said = done.stderr.decode() + done.stdout.decode()
    for word in ["public_origin", "sesion", "login_token.lifetime", "limits.issue.user_burst", "colour"]:
        assert word in said, (word, said)


def test_an_unknown_flag_and_an_unknown_environment_setting_stop_the_start(tmp_path, monkeypatch):
    assert instance.run("serve", "--no-such-setting", "1", check=False).returncode != 0
    monkeypatch.setenv("DRAWBRIDGE_SESION_LIFETIME", "1h")
    done = instance.run("check-config", "--public-origin", "http://127.0.0.1:8080", check=False)
    assert done.returncode != 0 and b"SESION" in done.stderr.upper()


@pytest.fixture
def with_a_database(tmp_path):
    """A settings file that names a database, of a server that does not answer."""
    settings = tmp_path / "drawbridge.yaml"
    settings.write_text(f"public_origin: http://127.0.0.1:8080\ndata_directory: {tmp_path / 'data'}\n"
                        "database: postgres://drawbridge@127.0.0.1:1/drawbridge\n")
    return settings


@pytest.mark.parametrize("layer", ["secret file", "variable"])
def test_an_empty_secret_file_or_variable_does_not_hide_the_database_of_the_settings(
        with_a_database, tmp_path, monkeypatch, layer):
    """The unit makes such a file where there is none, and each node then wrote to a database of its own."""
    words = ["--config", str(with_a_database)]
    if layer == "variable":
        monkeypatch.setenv("DRAWBRIDGE_DATABASE", "")
    else:
        (tmp_path / "secrets").mkdir()
        (tmp_path / "secrets/database").write_text(" ")
        words += ["--secrets-directory", str(tmp_path / "secrets")]
    assert "database: 127.0.0.1/drawbridge  # settings file, line 3" in instance.run("check-config", *words).stdout.decode()
    listed = instance.run("users", "list", *words, check=False)
    assert listed.returncode == 1 and "The database 127.0.0.1/drawbridge cannot be opened" in listed.stderr.decode(), listed


def test_a_database_that_the_command_line_names_as_nothing_is_refused(with_a_database):
    config = ["--config", str(with_a_database)]
    for command, status in [("serve", 78), ("check-config", 1)]:
        done = instance.run(command, *config, "--database", "", check=False, timeout=20)
        assert done.returncode == status and "--database: needs a value: a postgres:// URL" in done.stderr.decode(), done
    done = instance.run("users", "list", *config, "--database", "", check=False)
    assert done.returncode == 1 and "The database address cannot be read: it is empty" in done.stderr.decode(), done


def test_check_config_prints_what_is_in_force_and_never_a_secret(serve):
    server = serve("session: {lifetime: 1h}\n")
    said = instance.run("check-config", "--config", str(server.settings)).stdout.decode()
    assert "session.lifetime: 1h" in said and "login_token.lifetime: 60s" in said
    for secret in [server.hmac_key.decode("latin-1"), server.hmac_key.hex(), signing.b64url(server.hmac_key)]:
        assert secret not in said


def test_commands_list_what_there_is_and_refuse_what_would_have_no_effect(tmp_path):
    settings = tmp_path / "drawbridge.yaml"
    line = instance.run("clients", "secret").stdout.decode().splitlines()[-1]
    settings.write_text(f"""
public_origin: http://127.0.0.1:8080
data_directory: {tmp_path / "data"}
clients:
  - {{client_id: shop, client_type: web, redirect_uris: [https://shop.example.com/cb], may_reach: [nosuch], {line}}}
""")

    def run(*words: str, **more):
        return instance.run(*words[:2], "--config", str(settings), *words[2:], **more)

    assert "There is no database yet" in run("keys", "list").stderr.decode()
    assert "There is no master key" in run("keys", "rotate", check=False).stderr.decode()
    run("keys", "init")
    run("keys", "rotate", "--activate-in", "3h")
    keys = json.loads(run("keys", "list", "--format", "json").stdout)
    assert {key["algorithm"] for key in keys} == {"HS256", "ES256", "RS256", "EdDSA"}, keys
    assert {key["state"] for key in keys} >= {"waiting", "signing"}, keys
    assert run("keys", "list").stdout.startswith(b"KID ")
    run("users", "add", "alice", "--admin", stdin=b"correct horse battery\n")
    heading, alice = (line.split() for line in run("users", "list").stdout.decode().splitlines())
    assert heading[:3] == ["SUB", "USERNAME", "ROLE"] and alice[1:4] == ["alice", "admin", "no"]
    warned = instance.run("check-config", "--config", str(settings))
    assert b"warning: clients[0].may_reach names nosuch" in warned.stderr
    for words, told in [
        (["clients", "add", "nofile.json"], "Cannot read nofile.json: no such file or directory."),
        (["clients", "add", "-"], "The settings file has a client shop"),
        (["users", "claims", "alice", "-"], '"client_id" is not a claim'),
    ]:
        done = run(*words, stdin=b'{"client_id": "shop", "client_type": "web"}', check=False)
        assert done.returncode == 1 and told in done.stderr.decode(), (words, done.stderr)


def test_who_looks_in_the_database_for_a_client_of_the_settings_is_told_where_it_is(serve):
    def run(*words: str, **more):
        return instance.run("clients", words[0], "--config", str(server.settings), *words[1:], **more)

    server = serve()
    listed = run("list")
    assert listed.stdout == b"CLIENT ID  CLIENT TYPE  CLIENT NAME\n"
    assert "drawbridge check-config lists them" in listed.stderr.decode()
    shown = run("show", "web", check=False)
    assert shown.returncode == 1 and "drawbridge check-config lists it" in shown.stderr.decode(), shown.stderr
    checked = instance.run("check-config", "--config", str(server.settings)).stdout.decode()
    assert "clients: app (native)" in checked and "clients: web (web)" in checked
    assert "check-config" not in run("show", "nosuch", check=False).stderr.decode()
    removed = run("remove", "web", check=False)
    assert removed.returncode == 1 and "delete its lines there and send SIGHUP" in removed.stderr.decode(), removed.stderr


@pytest.mark.parametrize("words", ["password SUBJECT", "role SUBJECT admin", "passkeys list SUBJECT",
                                   "second-factor remove SUBJECT"])
def test_who_names_an_issuers_user_to_a_command_for_accounts_is_told_who_signs_that_user_in(serve, words):
    server = serve(issuer='subject_prefix: "login:"')
    server.issue()
    line = words.replace("SUBJECT", "login:alice").split()
    told = instance.run("users", *line, "--config", str(server.settings), stdin=b"another good one\n", check=False)
    assert told.returncode == 1
    assert told.stderr.decode().startswith("Error: login:alice has no account here"), told.stderr
    assert f"{server.ISSUER} signs this user in" in told.stderr.decode()


# The record

def test_the_audit_commands_verify_export_and_search_what_a_stopped_server_left(start_demo):
    demo = start_demo("--no-limits")
    token = demo.issue("carol")
    demo.redeem(token["token"])
    assert demo.stop() == 0
    data = ["--data", str(demo.data)]
    verdict = json.loads(instance.run("audit", "verify", *data).stdout)
    assert {"valid", "events", "checkpoints", "problems"} <= set(verdict) and verdict["valid"] is True
    assert verdict["events"] >= 3 and verdict["checkpoints"] >= 1, "a checkpoint at the clean stop"
    lines = [json.loads(line) for line in instance.run("audit", "export", *data).stdout.splitlines()]
    assert any("checkpoint" in line for line in lines), "so that the export can be verified by itself"
    exported = [line for line in lines if "checkpoint" not in line]
    types = [event["type"] for event in exported if event.get("token_id") == token["id"]]
    assert types[:1] == ["login_token.issued"] and "login_token.redeemed" in types
    for name in ["id", "at", "type", "outcome", "request_id", "node", "hash", "previous_hash"]:
        assert name in exported[0], exported[0]


def test_the_audit_commands_look_for_an_address_as_the_api_does(demo):
    def run(word: str, address: str):
        return instance.run("audit", word, "--data", str(demo.data), "--ip", address, "--type", "login_token.issued",
                            "--format", "jsonl", check=False)

    token = demo.issue("carol")
    for word in ["search", "export"]:
        for address in ["127.0.0.1", "127.0.0.1/32", "127.0.0.0/8", "127.0.0.0/9"]:
            assert token["id"] in run(word, address).stdout.decode(), (word, address)
        assert run(word, "192.0.2.0/24").stdout == b""
        for rubbish in ["127.0.0", "127.0.0.1/33", "300.1.1.1", "localhost", ""]:
            done = run(word, rubbish)
            assert done.returncode == 64 and not done.stdout, (word, rubbish)
            assert "--ip must be an address or a network such as 203.0.113.0/24." in done.stderr.decode(), done.stderr


@pytest.mark.parametrize("tamper, kind", [
    ("UPDATE audit_event SET subject = 'mallory' WHERE sequence = 2", "changed"),
    ("DELETE FROM audit_event WHERE sequence = 2", "removed"),
    ("DELETE FROM audit_event WHERE sequence = (SELECT max(sequence) FROM audit_event)", "cut off at the end"),
])
def test_tampering_with_the_record_is_found(start_demo, tamper, kind):
    demo = start_demo("--no-limits")
    for _ in range(3):
        demo.sign_in()
    assert demo.stop() == 0
    with sqlite3.connect(demo.data / "drawbridge.sqlite") as connection:
        assert connection.execute(tamper).rowcount == 1
    done = instance.run("audit", "verify", "--data", str(demo.data), check=False)
    verdict = json.loads(done.stdout)
    assert done.returncode == 1 and verdict["valid"] is False and verdict["problems"], kind


def test_ios_learns_which_apps_may_end_their_sign_in_at_this_host(serve):
    """ASWebAuthenticationSession takes an https address where the host says so under `webcredentials`, not `applinks`."""
    apps = serve(settings="app_links: {apple_sign_in: [ABCDE12345.com.example.app]}\n")
    answer = apps.send("GET", "/.well-known/apple-app-site-association")
    assert answer.status == 200 and answer.header("Content-Type") == "application/json"
    assert answer.json() == {"webcredentials": {"apps": ["ABCDE12345.com.example.app"]}}, "its links open in the browser"
    assert serve().send("GET", "/.well-known/apple-app-site-association").status == 404


def runbook(section: str, **given: str) -> list[list[str]]:
    """The commands that a section of docs/operations.md names, with what stands for the reader's own filled in."""
    page = (instance.ROOT / "docs/operations.md").read_text()
    text = page.split(f"\n### {section}\n", 1)[1].split("\n#", 1)[0]
    commands = [shlex.split(command) for command in re.findall(r"`drawbridge ([^`]+)`", text)]
    return [[given.get(word, word) for word in command] for command in commands]


def test_the_runbook_finds_who_opened_a_session_and_from_which_link(serve):
    server = serve()
    link = server.issue("alice")
    assert server.redeem(link["token"]).status == 303
    [opened] = [row for row in instance.audit_rows(server.data) if row["type"] == "web_session.opened"]
    section = "Who opened a session, and from which link"
    first, *_ = runbook(section, FILE=str(server.settings), SID=opened["session_id"])
    token = re.search(r"web_session\.opened .* token=(\S+)", instance.run(*first).stdout.decode())[1]
    _, second, *others = runbook(section, FILE=str(server.settings), TOKEN=token)
    events = {row["type"]: row for row in map(json.loads, instance.run(*second).stdout.splitlines())}
    assert events["login_token.issued"]["client_id"] == "app" and events["login_token.issued"]["sub"] == "alice"
    assert events["login_token.redeemed"]["user_agent"] == wire.NAVIGATION["User-Agent"]
    assert others
    for command in others:
        instance.run(*command)


def test_the_runbook_for_a_lost_phone_has_commands_that_work(serve):
    server = serve(users={"carol": "a long enough passphrase"})
    given = {"FILE": str(server.settings), "SUBJECT": "carol", "PASSKEY": "AAAA"}
    said = [instance.run(*command, check=False) for command in runbook("A phone is lost", **given)]
    # There is no passkey and no second factor to remove: two commands say so, and none is misspelt.
    assert [done.returncode for done in said] == [0, 1, 1], [done.stderr for done in said]


def test_the_command_on_the_page_of_an_error_works_as_it_stands(serve):
    server = serve()
    refused = server.send("POST", instance.ISSUE, {"Authorization": "Bearer rubbish"}).json()
    page = server.send("GET", urlsplit(refused["error_uri"]).path).text
    text = html.unescape(re.sub(r"<[^>]+>", "", re.search(r'<code id="command">(.*?)</code>', page)[1]))
    given = {"FILE": str(server.settings), "REQUEST_ID": refused["request_id"]}
    command = [given.get(word, word) for word in shlex.split(text.removeprefix("drawbridge "))]
    assert "bearer.refused" in instance.run(*command).stdout.decode()


def test_a_command_without_settings_says_how_to_name_them():
    done = instance.run("audit", "search", check=False)
    assert done.returncode == 78
    assert "no settings file is named: give --config FILE, or set DRAWBRIDGE_CONFIG" in done.stderr.decode()
