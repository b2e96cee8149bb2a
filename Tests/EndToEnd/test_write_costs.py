"""What a request makes the process write, counted by the kernel. Counts, never times: a slow machine has nearly the same.

Nearly, because timers write as well, by the second and not by the request: what they cost while nobody asks anything is
taken off.
"""

import contextlib
import struct
import time
from pathlib import Path

import pytest

import instance
from servers import Postgres
from skips import NEEDS_POSTGRES, skip_by

ROUNDS = 100
#: Bytes and calls of write, and waits of threads, that one issue and one redemption may cost when nobody shares a commit
#: with them: pages of 4 KB in the write-ahead log, the answer, and a share of the checkpoints. Every index with a key of its
#: own costs a page, and every thread that a request is handed to a wait.
LIMITS = {"issue": (32_000, 23, 40), "redeem": (58_000, 37, 40)}


@pytest.fixture(scope="module")
def demo():
    server = instance.Demo("--no-limits")
    yield server
    server.alive_or_fail()
    assert server.stop() == 0


def spent_by(demo) -> tuple[int, int, int]:
    """Bytes and calls of write, and waits of the threads that there are, so far."""
    process = Path(f"/proc/{demo.popen.pid}")
    lines = (process / "io").read_text().splitlines()
    counts = {name: int(count) for name, count in (line.split(": ") for line in lines)}
    waits = 0
    for thread in (process / "task").iterdir():
        lines = []
        # One may end in the middle of the look.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            lines = (thread / "status").read_text().splitlines()
        waits += sum(int(line.split()[1]) for line in lines if line.startswith("voluntary_ctxt_switches:"))
    return counts["wchar"], counts["syscw"], waits


def spent_per(rounds: int, demo, quiet: list[float], work) -> tuple[list[float], list]:
    """What each of so many rounds of `work` cost, less what timers do in that time; and what the work gave."""
    began, before = time.monotonic(), spent_by(demo)
    result = work()
    after, seconds = spent_by(demo), time.monotonic() - began
    return [(new - old - rate * seconds) / rounds for old, new, rate in zip(before, after, quiet)], result


def test_an_issue_and_a_redemption_write_few_pages(demo):
    users = [f"user-{number}" for number in range(ROUNDS)]
    # Users, connections and prepared statements are there before anything is counted.
    for user in users:
        assert demo.redeem(demo.issue(user)["token"]).status == 303
    began, before = time.monotonic(), spent_by(demo)
    time.sleep(4)
    after, seconds = spent_by(demo), time.monotonic() - began
    quiet = [(new - old) / seconds for old, new in zip(before, after)]
    costs = {what: [] for what in LIMITS}
    # Three times, and the lowest count: what comes once in a while, such as a copy of the log, is the cost of no request.
    for _ in range(3):
        spent, tokens = spent_per(ROUNDS, demo, quiet, lambda: [demo.issue(user)["token"] for user in users])
        costs["issue"].append(spent)
        spent, statuses = spent_per(ROUNDS, demo, quiet, lambda: {demo.redeem(token).status for token in tokens})
        costs["redeem"].append(spent)
        assert statuses == {303}
    for what, limits in LIMITS.items():
        spent = [min(counts) for counts in zip(*costs[what])]
        print(f"{what}: {spent[0]:.0f} bytes in {spent[1]:.1f} calls of write, {spent[2]:.1f} waits")
        assert all(count <= limit for count, limit in zip(spent, limits)), (what, spent, limits)


def commits(demo) -> tuple[list[int], int]:
    """What names the present run of the write-ahead log, and its commits since that began: frames that say how large the
    database is after them."""
    log = Path(demo.data, "drawbridge.sqlite-wal").read_bytes()
    size, _, *salts = struct.unpack(">4I", log[8:24])
    frames = (struct.unpack(">4I", log[place:place + 16]) for place in range(32, len(log) - size - 23, size + 24))
    count = 0
    for _, pages, *found in frames:
        if found != salts:
            break
        count += pages > 0
    return salts, count


def test_the_first_token_of_a_user_is_one_commit(demo):
    # The log begins anew after some hundreds of writes; right after that there is room for all of one round.
    for attempt in range(3):
        salts, before = commits(demo)
        for number in range(ROUNDS):
            demo.issue(f"new-{attempt}-{number}")
        now, after = commits(demo)
        if now == salts:
            break
    assert now == salts
    spent = after - before
    print(f"{spent} commits for {ROUNDS} users")
    # Timers write as well.
    assert ROUNDS <= spent <= 1.5 * ROUNDS, spent


#: Bytes of write-ahead log, and flushes of it, that one of each may cost on PostgreSQL when nobody shares a commit with it.
#: What a page costs that is written whole after a checkpoint is not in it: there is none meanwhile. Leases and other timers
#: flush as well.
POSTGRES_LIMITS = {"issue": (2_500, 4), "redeem": (5_000, 4)}


@pytest.fixture(scope="module")
def shared():
    skip_by(NEEDS_POSTGRES)
    with Postgres() as server:
        node = instance.Demo("--no-limits", "--database", server.create("costs"))
        yield server, node
        node.alive_or_fail()
        assert node.stop() == 0


def logged(server) -> tuple[int, int]:
    """Bytes of write-ahead log so far, and how often it was flushed."""
    # The server counts what its processes report, and those do after a moment.
    server.query("SELECT pg_stat_clear_snapshot()")
    time.sleep(1)
    row = server.query("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn, wal_sync FROM pg_stat_wal")[0]
    return int(row[0]), int(row[1])


def test_an_issue_and_a_redemption_log_little_on_postgresql(shared):
    server, node = shared
    users = [f"user-{number}" for number in range(ROUNDS)]
    for user in users:
        assert node.redeem(node.issue(user)["token"]).status == 303
    # Pages that were written whole by now are not again before the next checkpoint.
    marks = [logged(server)]
    tokens = [node.issue(user)["token"] for user in users]
    marks.append(logged(server))
    for token in tokens:
        assert node.redeem(token).status == 303
    marks.append(logged(server))
    for (what, limits), before, after in zip(POSTGRES_LIMITS.items(), marks, marks[1:]):
        spent = [(new - old) / ROUNDS for old, new in zip(before, after)]
        print(f"PostgreSQL, {what}: {spent[0]:.0f} bytes of log, {spent[1]:.1f} flushes")
        assert all(count <= limit for count, limit in zip(spent, limits)), (what, spent, limits)
