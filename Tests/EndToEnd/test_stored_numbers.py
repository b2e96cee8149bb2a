"""A database whose numbers somebody else has written: nothing that stands there may end the process."""

import re
import shutil
import sqlite3
from pathlib import Path
from urllib.parse import urlencode

import pytest

import instance
import wire
from admin import Admin
from native import EXCHANGE, App, Browser

EXTREMES = [-2**63, -1, 2**63 - 1]
#: What belongs to the migrations decides whether a database is opened at all.
EXCLUDED = {"schema_migration", "sqlite_sequence"}


@pytest.fixture(scope="module")
def lived(tmp_path_factory):
    """An instance whose tables all hold what they can; and what its users and apps have in hand."""
    data = tmp_path_factory.mktemp("numbers") / "data"
    demo = instance.Demo("--no-limits", data=data)
    app, browser = App(demo), Browser(demo.base)
    tokens = app.sign_in(browser=browser)
    admin = Admin(demo)
    changed = admin.send(
        "PATCH", "clients/demo-web", {"webhook_uri": "https://127.0.0.1:1/hook", "webhook_secret_file": "none"},
        {"If-Match": admin.get("clients/demo-web").header("ETag"), "Content-Type": "application/merge-patch+json"})
    assert changed.status == 200, changed.text
    held = {"refresh": tokens["refresh_token"], "device": tokens["device_secret"], "id": tokens["id_token"],
            "cookie": demo.sign_in("alice"), "pending": demo.issue("alice")["token"], "code": app.code(browser=browser),
            "jar": dict(browser.jar)}
    App(demo).code()
    demo.send("POST", "/session/logout", {"Cookie": demo.sign_in("bob"), "Origin": demo.base})
    assert demo.stop() == 0
    return data, demo.port, held


def integer_columns(data: Path) -> dict[str, list[str]]:
    with sqlite3.connect(data / "drawbridge.sqlite") as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {table: [row[1] for row in connection.execute(f"PRAGMA table_info({table})") if row[2] == "BIGINT"]
                for table in tables if table not in EXCLUDED and not table.startswith("sqlite_")
                and connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]}


def visit_everything(demo: instance.Demo, held: dict) -> set[int]:
    """Whatever looks at what is stored; what it answers is not the question, that it does is."""
    statuses = set()

    def send(*arguments):
        statuses.add(demo.send(*arguments).status)

    def token(**fields):
        send("POST", "/oauth/token", {"Content-Type": wire.FORM}, urlencode({"client_id": "demo-app", **fields}))

    cookie = {"Cookie": held["cookie"]}
    jar = {"Cookie": "; ".join(f"{name}={value}" for name, value in held["jar"].items())}
    bearer = {"Authorization": f"Bearer {demo.facts['admin_token']}"}
    for headers in (cookie, jar):
        for path in ["/session", "/auth/check?max_age=5", "/account/devices", "/account/second-factor"]:
            send("GET", path, headers)
    token(grant_type="refresh_token", refresh_token=held["refresh"])
    token(grant_type="authorization_code", code=held["code"], redirect_uri="https://app.example.com/callback",
          code_verifier="x" * 43)
    token(grant_type=EXCHANGE, audience=demo.facts["issuer"], scope="openid", subject_token=held["id"],
          subject_token_type="urn:ietf:params:oauth:token-type:id_token", actor_token=held["device"],
          actor_token_type="urn:openid:params:token-type:device-secret")
    send("GET", f"/login-with-token?token={held['pending']}", wire.NAVIGATION)
    send("GET", "/oauth/authorize?client_id=demo-app&response_type=code&max_age=1", jar)
    send("GET", "/.well-known/jwks.json")
    subject = demo.user("alice")["sub"]
    for path in ["users", f"users/{subject}", f"users/{subject}/sessions", f"users/{subject}/device-secrets", "clients",
                 "keys", "audit-events", "audit-events.csv", "audit/verify", "settings/native-sso"]:
        send("GET", f"/api/admin/{path}", bearer)
    for path in ["", "?hours=168", "users", f"users/{subject}", "events", "keys", "nodes?verify=1", "clients", "live"]:
        send("GET", f"/admin/{path}", bearer)
    send("POST", "/api/auth/create-sso-token", demo.authorization(), {})
    send("POST", "/api/admin/keys/rotate", {**bearer, "Content-Type": "application/json"}, {"reason": "numbers"})
    send("POST", "/oauth/introspect", {"Content-Type": wire.FORM}, urlencode({
        "token": held["refresh"], "client_id": "demo-rp", "client_secret": demo.client("demo-rp")["client_secret"]}))
    return statuses


@pytest.mark.parametrize("extreme", EXTREMES)
def test_no_stored_number_ends_the_process(lived, tmp_path, extreme):
    data, port, held = lived
    tables = integer_columns(data)
    assert len(tables) >= 15 and sum(map(len, tables.values())) > 40
    refused = set()
    for table, columns in tables.items():
        if not columns:
            continue
        # What SQLite makes again by itself may go while it is copied.
        copy = Path(shutil.copytree(data, tmp_path / table, ignore=shutil.ignore_patterns("*-shm")))
        with sqlite3.connect(copy / "drawbridge.sqlite", isolation_level=None) as connection:
            connection.execute("PRAGMA ignore_check_constraints = ON")
            for column in columns:
                try:
                    connection.execute(f"UPDATE {table} SET {column} = ?", [extreme])
                except sqlite3.IntegrityError:
                    # Of a key one row has the number.
                    connection.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = 1" if has_rowid(connection, table)
                                       else f"UPDATE OR IGNORE {table} SET {column} = ?", [extreme])
        try:
            demo = instance.Demo("--no-limits", data=copy, port=port)
        except AssertionError as failure:
            # It may refuse to start, in words; a trap ends it by a signal.
            assert re.match("ended with [1-9]", str(failure)), (table, str(failure)[-2000:])
            refused.add(table)
            continue
        visit_everything(demo, held)
        demo.alive_or_fail()
        assert demo.send("GET", "/session").status == 200, table
        assert demo.stop() == 0, (table, demo.output[-2000:])
    # The lease of a time that far is another's for ever.
    assert refused <= {"node_lease"}


def has_rowid(connection: sqlite3.Connection, table: str) -> bool:
    [(sql,)] = connection.execute("SELECT sql FROM sqlite_master WHERE name = ?", [table])
    return "WITHOUT ROWID" not in sql
