"""A node's name belongs to one process: also after that one slept, through a pooler, and on disks whose locks are none."""

import asyncio
import random
import shutil
import signal
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import instance
import simultaneous
import wire
from fleet import ServedNode
from servers import PgBouncer
from skips import NEEDS_POSTGRES

pytestmark = NEEDS_POSTGRES


class Twin(ServedNode):
    """Another process on the same settings, that is: with the same name."""

    def __init__(self, first):
        super().__init__(first, "main")


@pytest.fixture
def first(postgres):
    database = postgres.create(f"lease_{time.monotonic_ns()}")
    server = instance.Served(f"database: {database}\nnode: main\nlimits:\n  enabled: false\n")
    yield server
    if server.popen.poll() is None:
        server.signal(signal.SIGCONT)
    server.stop()


def verify(*where: str):
    done = instance.run("audit", "verify", *where, check=False)
    assert done.returncode == 0, done


def post_issue(node, sub: str = "alice") -> int:
    return node.send("POST", instance.ISSUE, {"Authorization": f"Bearer {node.bearer(sub)}"}, {}).status


def test_a_node_that_slept_through_its_lease_writes_nothing_when_it_wakes_up(first):
    assert post_issue(first) == 200
    first.freeze()
    second = Twin(first)
    try:
        assert second.redeem(second.issue()["token"]).status == 303
        first.signal(signal.SIGCONT)
        # It may have what it verified before in its memory, and still writes nothing.
        for _ in range(20):
            assert post_issue(first) == 503
        assert first.readiness().status == 503
        # Whether the batch or the renewal of the lease was first to find it out.
        words = [line.get("message") for line in first.json_lines()]
        assert words.count("another process has taken over as this node") == 1 and "lost the node's lease" not in words
        assert first.metrics()["drawbridge_node_lease_held"] == 0
        metrics = second.metrics()
        assert metrics["drawbridge_node_lease_held"] == 1 and metrics["drawbridge_node_lease_epoch"] > 1
        assert post_issue(second) == 200
        verify("--config", str(first.settings))
    finally:
        assert second.stop() == 0
    # The name is free again, and the first may go on where the second stopped.
    instance.wait_until(lambda: post_issue(first) == 200, 30, "the name")
    # Its answer is kept for a second.
    first.wait_until_ready()
    assert first.metrics()["drawbridge_node_lease_held"] == 1
    verify("--config", str(first.settings))


def test_a_node_that_sleeps_in_the_middle_of_its_batches_forks_no_chain(first):
    """Frozen under load, at a moment of chance: between statements of a transaction as well."""
    stop = threading.Event()
    answered: list[int] = []

    async def client(number: int):
        while not stop.is_set():
            try:
                async with simultaneous.Connection(first.port) as connection:
                    while not stop.is_set():
                        await connection.issue(first.bearer(f"user-{number}"))
                        answered.append(number)
            except (simultaneous.Lost, AssertionError, KeyError):
                await asyncio.sleep(0.05)

    async def load():
        await asyncio.gather(*(client(number) for number in range(8)))

    thread = threading.Thread(target=lambda: asyncio.run(load()))
    thread.start()
    try:
        for _ in range(2):
            enough = len(answered) + random.randint(100, 300)
            instance.wait_until(lambda: len(answered) >= enough, 60, "load")
            first.freeze()
            second = Twin(first)
            try:
                assert post_issue(second) == 200
                first.signal(signal.SIGCONT)
                for _ in range(10):
                    assert post_issue(second) == 200
            finally:
                assert second.stop() == 0
            instance.wait_until(lambda: post_issue(first) == 200, 30, "the name")
    finally:
        stop.set()
        first.signal(signal.SIGCONT)
        thread.join(20)
    verify("--config", str(first.settings))


def test_a_second_process_with_the_name_is_refused_and_the_first_goes_on(first):
    done = instance.run("serve", "--config", str(first.settings), "--listen", f"127.0.0.1:{instance.free_port()}",
                        "--management-listen", f"127.0.0.1:{instance.free_port()}", check=False)
    assert done.returncode != 0
    assert b"Another process" in done.stderr, done.stderr
    assert post_issue(first) == 200
    verify("--config", str(first.settings))


def test_commands_that_run_at_the_same_time_wait_for_one_another(first):
    def add(name: str):
        password = b"correct horse battery\n"
        return instance.run("users", "add", "--config", str(first.settings), name, stdin=password, check=False)

    # All of them write as the same node.
    names = [f"user-{number}" for number in range(8)]
    with ThreadPoolExecutor(len(names)) as pool:
        done = list(pool.map(add, names))
    assert [each.stderr for each in done if each.returncode != 0] == []
    listed = instance.run("users", "list", "--config", str(first.settings)).stdout.decode()
    assert all(name in listed for name in names), listed
    verify("--config", str(first.settings))


def test_nodes_work_through_a_pooler_that_pools_by_transaction(postgres):
    postgres.create("pooled")
    with PgBouncer(postgres) as pooler:
        url = pooler.url("pooled")
        # Migrations, too, go through it.
        one = instance.Demo("--database", url, "--no-limits")
        two = instance.Demo("--database", url, "--no-limits", "--issuer", one.base)
        try:
            for number in range(40):
                token = one.issue(f"user-{number}")["token"]
                landed = two.redeem(token)
                assert landed.status == 303, (landed.status, landed.body)
                again = one.redeem(token, {**wire.NAVIGATION, "User-Agent": "somebody else"})
                assert again.status == 400, "used on the other node"
            cookie = two.sign_in("bob")
            assert one.session(cookie)["authenticated"]
            headers = {"Cookie": cookie, "Origin": one.base, "Sec-Fetch-Site": "same-origin"}
            assert two.send("POST", "/session/logout", headers).status == 204
            # No word of it comes through a pooler; it is asked for, so that whoever comes a second later is told of it.
            time.sleep(1)
            assert not one.session(cookie)["authenticated"], "the end on the other node"
            assert "LISTEN" not in {row[0] for row in postgres.query(
                "SELECT query FROM pg_stat_activity WHERE query LIKE 'LISTEN%'")}
            assert "behind a pooler" in one.output
            # What a session sets, the next one's user would get.
            leaked = postgres.query("SELECT count(*) FROM pg_prepared_statements", "pooled")
            assert leaked == [["0"]]
            assert int(postgres.query(
                "SELECT count(*) FROM pg_stat_activity WHERE datname = 'pooled'")[0][0]) > 1
            for line in one.json_lines() + two.json_lines():
                assert line.get("level") != "error", line
        finally:
            assert [one.stop(), two.stop()] == [0, 0]
        verify("--database", url)


def test_a_node_behind_a_pooler_gets_over_a_restart_of_the_server(postgres):
    postgres.create("pooled_restart")
    with PgBouncer(postgres) as pooler:
        node = instance.Demo("--database", pooler.url("pooled_restart"), "--no-limits")
        try:
            token = node.issue()["token"]
            postgres.restart()
            instance.wait_until(lambda: node.post_issue().status == 200, 40, "recovery")
            assert node.redeem(token).status == 303, "nothing was lost, so nothing is refused"
        finally:
            node.stop()


#: What a file system without locks says: yes to everyone.
NO_LOCKS = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
int flock(int descriptor, int operation) { return 0; }
static int answer(int descriptor, int command, void *argument) {
    static int (*real)(int, int, ...) = 0;
    if (command == F_SETLK || command == F_SETLKW) return 0;
    if (command == F_GETLK || command == F_OFD_GETLK) { ((struct flock *)argument)->l_type = F_UNLCK; return 0; }
    if (!real) real = dlsym(RTLD_NEXT, "fcntl");
    return real(descriptor, command, argument);
}
int fcntl(int descriptor, int command, ...) {
    va_list rest; va_start(rest, command); void *argument = va_arg(rest, void *); va_end(rest);
    return answer(descriptor, command, argument);
}
int fcntl64(int descriptor, int command, ...) {
    va_list rest; va_start(rest, command); void *argument = va_arg(rest, void *); va_end(rest);
    return answer(descriptor, command, argument);
}
"""


def test_a_disk_whose_locks_are_none_is_refused_in_words(tmp_path):
    compiler = shutil.which("cc") or shutil.which("clang")
    source, library = tmp_path / "locks.c", tmp_path / "locks.so"
    source.write_text(NO_LOCKS)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    command = [instance.binary(), "demo", "--listen", "127.0.0.1:0", "--print-json", "--data", str(data)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30,
                          env={**instance.environment(), "LD_PRELOAD": str(library)})
    assert done.returncode != 0
    assert "does not keep locks" in done.stderr, done.stderr


def test_two_processes_on_one_data_folder_are_refused(tmp_path):
    first = instance.Demo(data=tmp_path / "data")
    try:
        command = [instance.binary(), "demo", "--listen", "127.0.0.1:0", "--print-json", "--data", str(first.data)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=30)
        assert done.returncode != 0 and "Another process" in done.stderr, done.stderr
        # Nor does it help to take the lock's file away: the epoch is in the database.
        for lock in first.data.glob("*.lock"):
            lock.unlink()
        second = instance.Demo(data=first.data)
        try:
            assert second.redeem(second.issue()["token"]).status == 303
            assert first.post_issue().status == 503
            assert first.readiness().status == 503
        finally:
            second.stop()
        done = instance.run("audit", "verify", "--data", str(first.data), check=False)
        assert done.returncode == 0, done.stdout
    finally:
        first.stop()
