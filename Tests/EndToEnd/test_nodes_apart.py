"""Nodes whose key files are not the same: what commands spare them, what they say of it, and the way back."""

import re
import shutil
import signal
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

import instance
from fleet import ServedNode
from instance import run, wait_until


class Apart(instance.Served):
    """One more node of a first one's database, with a data folder and keys of its own; not started yet."""

    def __init__(self, first: instance.Served, folder: Path, name: str):
        self.scratch, self.data, self.settings = folder, folder / "data", folder / "drawbridge.yaml"
        self.hmac_key = first.hmac_key
        port, management_port = instance.free_port(), instance.free_port()
        self.base, self.management = f"http://127.0.0.1:{port}", f"http://127.0.0.1:{management_port}"
        text = first.settings.read_text()
        for key, value in {"data_directory": self.data, "listen": f"127.0.0.1:{port}",
                           "management_listen": f"127.0.0.1:{management_port}", "node": name}.items():
            text, count = re.subn(rf"^{key}: .*$", f"{key}: {value}", text, flags=re.M)
            assert count == 1, key
        self.settings.write_text(text)
        run("keys", "init", "--config", str(self.settings))

    def take(self, name: str, first: instance.Served):
        shutil.copy(first.data / name, self.data / name)

    def findings(self) -> list[str]:
        done = run("check-config", "--online", "--config", str(self.settings), check=False)
        return done.stdout.decode().splitlines()


@pytest.fixture
def nodes(postgres):
    """Two that share their keys."""
    with ExitStack() as running:
        database = postgres.create(f"apart_{time.monotonic_ns()}")
        first = instance.Served(f"database: {database}\nnode: a\n")
        running.callback(first.stop)
        second = ServedNode(first, "b")
        running.callback(second.stop)
        yield first, second


@contextmanager
def started(node: Apart):
    node.start()
    try:
        yield
    finally:
        assert node.stop() == 0


def test_new_keys_under_another_master_key_are_refused_beside_servers_that_run(nodes, tmp_path):
    third = Apart(nodes[0], tmp_path, "c")
    where = ["--config", str(third.settings)]
    told = run("serve", *where, check=False).stderr.decode()
    assert told.index("another server of it has the file") < told.index("stop every server first")
    assert told.index("stop every server first") < told.index("drawbridge keys retire --all --now")
    before = run("keys", "list", *where).stdout
    for words in [["--all"], ["--all", "--now"]]:
        done = run("keys", "retire", *where, *words, check=False)
        refused = done.stderr.decode()
        assert done.returncode == 1 and "Nothing was changed." in refused and ": a, b. " in refused, refused
    assert run("keys", "list", *where).stdout == before
    for node in nodes:
        assert node.readiness().status == 200 and node.redeem(node.issue()["token"]).status == 303

    third.take("master-key", nodes[0])
    preview = run("keys", "retire", *where, "--all", check=False)
    assert "These servers take it in within a second: a, b." in preview.stdout.decode()
    assert b"Add --now" in preview.stderr
    run("keys", "retire", *where, "--all", "--now")
    for node in nodes:
        wait_until(lambda: node.redeem(node.issue(f"after-{time.monotonic_ns()}")["token"]).status == 303, 30, "new keys")
        assert node.readiness().status == 200


def test_a_node_with_an_audit_signing_key_of_its_own_is_told_of_at_its_start_and_before(nodes, tmp_path):
    first, _ = nodes
    # A stop signs for what there is.
    assert first.stop() == 0
    first.start()
    third = Apart(first, tmp_path, "c")
    third.take("master-key", first)
    message = "other nodes sign the audit log with another key: give all the same one, unless it was just replaced"

    def warnings() -> list[dict]:
        return [line for line in third.json_lines() if line.get("message") == message]

    [finding] = [line for line in third.findings() if line[6:].startswith("audit signing key: ")]
    assert finding.startswith("note  ") and "is not the key that other nodes sign the audit log with (a" in finding
    with started(third):
        [line] = warnings()
    assert line["level"] == "warning" and "a" in line["nodes"].split(", ") and line["file"].endswith("/audit-signing-key")

    third.take("audit-signing-key", first)
    assert f"ok    audit signing key: {third.data}/audit-signing-key" in third.findings()
    with started(third):
        assert warnings() == []


def test_the_runbook_helps_a_server_whose_keys_another_master_key_sealed(serve, tmp_path):
    server = serve()
    where = ["--config", str(server.settings)]
    master = server.data / "master-key"
    of_before = shutil.copy(master, tmp_path / "of-before")
    # As by a server that was cut off: the command takes this one for stopped.
    (server.data / "drawbridge.sqlite.main.lock").unlink()
    master.unlink()
    run("keys", "init", *where)
    run("keys", "retire", *where, "--all", "--now")
    server.wait_until_unready()
    assert server.readiness().checks["login_token_key"] == "failed"

    page = (instance.ROOT / "docs/operations.md").read_text()
    [row] = [line for line in page.splitlines() if line.startswith('| `"login_token_key":"failed"` | ')]
    assert any(f"`{message}`" in row for message in {line.get("message") for line in server.json_lines()}), row
    assert "check-config --config FILE --online" in row and "SIGHUP does not reread it" in row
    of_now = shutil.copy(master, tmp_path / "of-now")
    shutil.copy(of_before, master)
    found = run("check-config", "--online", *where, check=False).stdout.decode()
    assert re.search(r"^FAIL  master key: ", found, re.M), found

    shutil.copy(of_now, master)
    server.signal(signal.SIGHUP)
    wait_until(lambda: any(line.get("message", "").startswith("reloaded ") for line in server.json_lines()), 30, "a reload")
    assert server.readiness().status == 503
    assert server.stop() == 0
    server.start()
    assert server.redeem(server.issue()["token"]).status == 303
