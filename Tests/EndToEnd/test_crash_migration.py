"""`kill -9` in the middle of bringing a database of the first version over: it is as it was or as it should be, and the next
start makes it whole."""

import shutil
import sqlite3
import subprocess
import time
from contextlib import closing

import pytest

import instance
from earlier_versions import FIXTURES, PostgreSQL, SQLite

#: Sessions that are over, so that the steps that go through all of them take a moment.
MORE = 100_000
ROUNDS = 3
#: Databases, for a machine that has other things to do and looks away for as long as a migration takes.
TRIES = 5


def first_version(engine: str, tmp_path, request, number: int):
    fixture = FIXTURES / f"41b9169-{engine}"
    data = tmp_path / f"data-{number}"
    shutil.copytree(fixture / "data", data)
    data.chmod(0o700)
    for path in data.iterdir():
        path.chmod(0o600)
    dump = (fixture / "drawbridge.sql").read_text()
    if engine == "sqlite":
        store = SQLite(data, dump)
        numbers = f"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {MORE})"
    else:
        store = PostgreSQL(request.getfixturevalue("postgres"), f"migration{number}-postgres", dump)
        numbers = f"WITH n(i) AS (SELECT * FROM generate_series(1, {MORE}))"
    store.query(f"""
        {numbers} INSERT INTO web_session (id, secret_digest, subject, client_id, opening, created_at, expires_at,
            idle_lifetime, last_seen_at, ended_at)
        SELECT 'more-' || i, 'digest-' || i, 'nobody', 'demo-web', 'authorize', 1, 9000000000000, 1, 1, 2 FROM n""")
    return data, store


def steps(store) -> list:
    return [row[0] for row in store.query("SELECT version FROM schema_migration ORDER BY version")]


def sqlite_is_writing(path) -> bool:
    """Whether somebody's transaction keeps ours out."""
    with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as database:
        try:
            database.execute("BEGIN IMMEDIATE")
            database.execute("ROLLBACK")
        except sqlite3.OperationalError:
            return True
    return False


def is_migrating(store) -> bool:
    if isinstance(store, SQLite):
        return sqlite_is_writing(store.path)
    return store.query("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted") != [["0"]]


@pytest.mark.parametrize("engine", ["sqlite", "postgres"])
def test_kill_9_during_a_migration_leaves_the_old_tables_or_the_new_ones(engine, tmp_path, request):
    for number in range(TRIES):
        data, store = first_version(engine, tmp_path, request, number)
        before = steps(store)
        events = store.query("SELECT node, sequence, hash FROM audit_event ORDER BY node, sequence")
        if killed_within(data, store, before):
            break
    else:
        pytest.fail("every migration was done before the kill")
    # What was killed left nothing that stands in the way.
    instance.run("migrate", "--data", str(data), *store.flags)
    after = steps(store)
    assert set(before) < set(after)
    assert store.query("SELECT count(*) FROM web_session WHERE id LIKE 'more-%'") == [[str(MORE)]]
    kept = store.query("SELECT node, sequence, hash FROM audit_event ORDER BY node, sequence")
    assert [row for row in kept if row in events] == events
    done = instance.run("audit", "verify", "--data", str(data), *store.flags, check=False)
    assert done.returncode == 0, done.stdout


def killed_within(data, store, before: list) -> int:
    """How many migrations of some were killed before they were done."""
    killed = 0
    for _ in range(ROUNDS):
        migration = subprocess.Popen(
            [instance.binary(), "migrate", "--data", str(data), *store.flags],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 30
        while migration.poll() is None and not is_migrating(store):
            assert time.monotonic() < deadline, "the migration did not begin"
        migration.kill()
        migration.wait()
        killed += steps_settled(store) == before
    return killed


def steps_settled(store) -> list:
    """The steps once the server has noticed that its client is gone."""
    instance.wait_until(lambda: not is_migrating(store), 30, "the end of the killed one's transaction")
    return steps(store)
