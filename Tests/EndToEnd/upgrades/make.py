"""Writes the fixtures that test_upgrades.py starts with: what an earlier version's demo left behind.

    DRAWBRIDGE_BINARY=/path/to/that/version python3 Tests/EndToEnd/upgrades/make.py NAME

makes `NAME-sqlite` and `NAME-postgres` beside this file. Done once for each version, with that version's program; what
is in them are secrets of a demo that nobody runs any more.
"""

import json
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import instance
import wire
from native import App
from servers import Postgres

HERE = Path(__file__).parent
#: Every fixture's demo called itself so; the test's own listens elsewhere.
PORT = 18080
#: What is neither a secret of the demo nor wanted again.
PASSING = ("drawbridge.sqlite", ".lock", ".port", ".log")


def live(demo: instance.Demo) -> dict:
    """A little of everything, and what somebody would still hold after an upgrade."""
    facts = {"issuer": demo.base}
    facts["session"] = demo.sign_in("alice")
    replayed = demo.issue("carol")
    victim = demo.redeem(replayed["token"]).session_cookie
    assert demo.redeem(replayed["token"], wire.OTHER_BROWSER).status == 400
    assert not demo.session(victim)["authenticated"]
    facts["replayed_session"] = victim
    facts["redeemed"] = replayed["id"]
    revoked = demo.issue("carol")
    assert demo.send("DELETE", f"/api/auth/sso-tokens/{revoked['id']}", demo.authorization("carol")).status == 204
    facts["revoked"] = revoked["id"]
    app = App(demo)
    app.sign_in()
    used = app.tokens["refresh_token"]
    app.tokens |= app.refresh().json()
    facts["app"] = {name: app.tokens[name] for name in ("refresh_token", "device_secret")}
    other = App(demo)
    other.sign_in()
    assert other.post("/oauth/revoke", token=other.tokens["refresh_token"]).status == 200
    facts["revoked_refresh_token"] = other.tokens["refresh_token"]
    facts["used_refresh_token"] = used
    return facts


def keep(folder: Path, demo: instance.Demo, facts: dict, dump: str):
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "data").mkdir(parents=True)
    for path in demo.data.iterdir():
        if path.is_file() and not any(part in path.name for part in PASSING) and path.stat().st_size < 20_000:
            shutil.copy(path, folder / "data" / path.name)
    (folder / "facts.json").write_text(json.dumps(facts, indent=1) + "\n")
    (folder / "drawbridge.sql").write_text(dump)


def main(name: str):
    demo = instance.Demo("--no-limits", port=PORT)
    facts = live(demo)
    demo.stop()
    with closing(sqlite3.connect(demo.data / "drawbridge.sqlite")) as database:
        keep(HERE / f"{name}-sqlite", demo, facts, "\n".join(database.iterdump()) + "\n")
    with Postgres() as postgres:
        url = postgres.create("upgraded")
        demo = instance.Demo("--no-limits", "--database", url, port=PORT)
        facts = live(demo)
        demo.stop()
        dump = subprocess.run(
            [f"{postgres.programs}/pg_dump", "--inserts", "--no-owner", "--no-privileges", "--dbname", url],
            check=True, capture_output=True, text=True).stdout
        # Orders to psql itself, which not every psql knows.
        lines = [line for line in dump.splitlines() if not line.startswith("\\")]
        keep(HERE / f"{name}-postgres", demo, facts, "\n".join(lines) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
