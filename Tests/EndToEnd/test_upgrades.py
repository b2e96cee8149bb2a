"""Databases of earlier versions, in both engines, start under this one: nothing is lost, nobody is signed out.

The fixtures were written by those versions' own programs (upgrades/make.py). Their times are moved to now, as if the
old program had run until a minute ago; the audit log's are not, since its chain is over them.
"""

import json
import re
import shutil
import time
from pathlib import Path

import pytest

import instance
import native
from admin import admin, change
from earlier_versions import FIXTURES, PostgreSQL, SQLite

NAMES = sorted(path.name for path in FIXTURES.iterdir() if (path / "facts.json").exists())


#: What a table's rows went into when it was given up.
TAKEN_OVER = {"first_signing_key": "signing_key"}
#: What runs out within minutes, by design.
PASSING = re.compile("replay|pending|request|code|node|heartbeat|lease|dpop")
#: Milliseconds since 1970 between 2025 and 2030: what times look like.
TIME = range(1_735_000_000_000, 1_893_000_000_000)


class Upgraded:
    """The database and the folder of an earlier version, and this version's program on them."""

    def __init__(self, name: str, folder: Path, request):
        fixture = FIXTURES / name
        self.facts = json.loads((fixture / "facts.json").read_text())
        self.data = folder / "data"
        shutil.copytree(fixture / "data", self.data)
        self.data.chmod(0o700)
        for path in self.data.iterdir():
            path.chmod(0o600)
        dump = (fixture / "drawbridge.sql").read_text()
        self.store = SQLite(self.data, dump) if name.endswith("sqlite") else PostgreSQL(
            request.getfixturevalue("postgres"), name, dump)
        self.move_to_now()
        self.before = self.rows()
        self.chain = self.store.query("SELECT node, sequence, hash FROM audit_event ORDER BY node, sequence")
        self.demo = instance.Demo(
            "--no-limits", "--issuer", self.facts["issuer"], *self.store.flags, data=self.data)

    def move_to_now(self):
        columns = [(table, column) for table, column in self.store.columns() if not table.startswith(("audit_", "sqlite_"))]
        latest = max(int(time) for [time] in self.store.query(" UNION ALL ".join(
            f"SELECT coalesce(max(created_at), 0) FROM {table}" for table, column in columns if column == "created_at")))
        moved = int(time.time() * 1000) - 60_000 - latest
        self.store.change([
            f"UPDATE {table} SET {column} = {column} + {moved} WHERE {column} BETWEEN {TIME.start} AND {TIME.stop}"
            for table, column in columns])

    def rows(self) -> dict:
        tables = sorted({table for table, _ in self.store.columns() if not table.startswith("sqlite_")})
        counts = self.store.query(" UNION ALL ".join(f"SELECT '{table}', count(*) FROM {table}" for table in tables))
        return {table: int(count) for table, count in counts}


@pytest.fixture(scope="module", params=NAMES)
def upgraded(request, tmp_path_factory):
    upgraded = Upgraded(request.param, tmp_path_factory.mktemp(request.param), request)
    yield upgraded
    assert upgraded.demo.stop() == 0, upgraded.demo.output[-4000:]


def test_every_earlier_version_has_a_fixture_of_both_engines():
    versions = {name.partition("-")[0] for name in NAMES}
    assert len(versions) >= 3
    assert set(NAMES) == {f"{version}-{engine}" for version in versions for engine in ("sqlite", "postgres")}


def test_no_row_is_lost(upgraded):
    after = upgraded.rows()
    lost = {table: (count, after.get(table)) for table, count in upgraded.before.items()
            if not PASSING.search(table) and after.get(TAKEN_OVER.get(table, table), 0) < count}
    assert not lost
    assert upgraded.before["web_session"] >= 2 and upgraded.before["audit_event"] > 10


def test_the_chain_goes_on_where_it_ended(upgraded):
    where = ["--database", upgraded.store.flags[1]] if upgraded.store.flags else ["--data", str(upgraded.data)]
    report = json.loads(instance.run("audit", "verify", *where, check=False).stdout)
    assert not report["problems"], report
    assert report["events"] > len(upgraded.chain)
    now = upgraded.store.query("SELECT node, sequence, hash FROM audit_event ORDER BY node, sequence")
    assert all(row in now for row in upgraded.chain)


def test_who_was_signed_in_is_and_who_was_not_is_not(upgraded):
    assert upgraded.demo.session(upgraded.facts["session"])["authenticated"]
    assert not upgraded.demo.session(upgraded.facts["replayed_session"])["authenticated"]


def test_what_became_of_a_link_is_remembered(upgraded):
    carol = upgraded.facts
    assert upgraded.demo.status(carol["redeemed"], "carol") == "redeemed"
    assert upgraded.demo.status(carol["revoked"], "carol") == "revoked"


def test_sessions_have_the_indexes_that_purges_of_both_versions_go_by(upgraded):
    is_file = isinstance(upgraded.store, SQLite)
    indexes = {name for [name] in upgraded.store.query(
        "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = 'web_session'" if is_file
        else "SELECT indexname FROM pg_indexes WHERE tablename = 'web_session'")}
    assert {"web_session_living", "web_session_ended"} <= indexes
    # Older nodes purge by the third while a fleet is replaced; a file has no fleet.
    assert ("web_session_expiry" in indexes) == (not is_file)


def test_an_app_goes_on_with_its_tokens_and_its_device(upgraded):
    app = native.App(upgraded.demo)
    app.tokens = dict(upgraded.facts["app"])
    refreshed = app.refresh()
    assert refreshed.status == 200, refreshed.text
    app.tokens |= refreshed.json()
    exchanged = app.native_sso()
    assert exchanged.status == 200, exchanged.text
    app.tokens["refresh_token"] = upgraded.facts["revoked_refresh_token"]
    assert app.refresh().status == 400


def test_a_client_that_it_stored_can_be_changed(upgraded):
    """Of the fields that there are today its document has those of that time."""
    change(upgraded.demo, "demo-rp", client_name="Bookshop")
    assert admin(upgraded.demo, "GET", "/api/admin/clients/demo-rp").json()["client_name"] == "Bookshop"
