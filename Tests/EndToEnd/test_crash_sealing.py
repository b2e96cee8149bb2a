"""`kill -9` in the middle of sealing a segment of the audit log: the log stays whole, and its searches find everything."""

import asyncio
import json
import random
import sqlite3
import time

import instance
import simultaneous

#: Events of a segment, and more than that: what is left over is in the open one.
EVENTS = 8192 + 300
CONNECTIONS = 16
ROUNDS = 8


async def fill(demo):
    """Issues, for a few users in turn, until there are enough events."""
    async def one(number: int):
        async with simultaneous.Connection(demo.port) as connection:
            for turn in range(EVENTS // CONNECTIONS + 1):
                await connection.issue(demo.bearer(f"user-{(number + turn) % 40}"))

    await asyncio.gather(*(one(number) for number in range(CONNECTIONS)))


def unseal(data):
    """As if nothing were sealed yet; the index may be thrown away at any time."""
    with sqlite3.connect(data / "drawbridge.sqlite") as connection:
        connection.execute("DELETE FROM audit_segment")
        connection.execute("DELETE FROM audit_index")


def sealed(connection) -> tuple[int, int]:
    """Rows of the index, and segments that count."""
    return connection.execute(
        "SELECT (SELECT count(*) FROM audit_index), (SELECT count(*) FROM audit_segment)").fetchone()


def kill_while_sealing(demo, chance: random.Random) -> bool:
    """Whether it was half done by then."""
    connection = sqlite3.connect(f"file:{demo.data}/drawbridge.sqlite?mode=ro", uri=True, isolation_level=None)
    try:
        rows = chance.choice([1, 1, 8, 20])
        deadline = time.monotonic() + 60
        # Without a pause: a quick machine has sealed a segment within a hundredth of a second.
        while sealed(connection)[0] < rows:
            assert time.monotonic() < deadline, "sealing did not begin"
        demo.kill()
        return sealed(connection)[1] == 0
    finally:
        connection.close()


def found(data, *filter: str) -> set[str]:
    done = instance.run("audit", "export", "--data", str(data), *filter)
    return {json.loads(line)["id"] for line in done.stdout.splitlines()}


def assert_log_is_whole(data):
    verdict = json.loads(instance.run("audit", "verify", "--data", str(data)).stdout)
    assert verdict["valid"] is True, verdict
    rows = instance.query(data, "SELECT node || '-' || sequence, subject, token_id FROM audit_event")
    for user in ("user-0", "user-17", "user-39"):
        assert found(data, "--sub", user) == {row[0] for row in rows if row[1] == user}, user
    place, _, token = next(row for row in rows if row[2])
    assert place in found(data, "--token", token)


def test_kill_9_while_a_segment_is_sealed_loses_no_event_and_no_search_misses_one(tmp_path):
    chance = random.Random(20261122)
    data = tmp_path / "data"
    demo = instance.Demo("--no-limits", data=data)
    asyncio.run(fill(demo))
    demo.kill()
    half_done = rounds = 0
    # On a machine with other things to do the kill may come too late again and again.
    while rounds < ROUNDS or not half_done and rounds < 8 * ROUNDS:
        rounds += 1
        unseal(data)
        demo = instance.Demo("--no-limits", data=data)
        half_done += kill_while_sealing(demo, chance)
        # As the crash left it, before anybody mends anything.
        assert_log_is_whole(data)
    assert half_done > 0, "every segment was done before the kill"

    unseal(data)
    demo = instance.Demo("--no-limits", data=data)
    try:
        instance.wait_until(
            lambda: instance.query(data, "SELECT count(*) FROM audit_segment")[0][0] > 0, 30, "the segment")
        assert demo.metrics()['drawbridge_writer_seconds_count{work="upkeep"}'] >= 1
        assert_log_is_whole(data)
    finally:
        assert demo.stop() == 0
