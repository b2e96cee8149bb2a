"""What expired is removed, also where something else cannot be."""

import sqlite3

import alert_rules
import instance

HOUR = 3_600_000
DEGRADED = 'drawbridge_degraded{part="purge"}'


def change(server, *statements: str) -> None:
    database = sqlite3.connect(server.data / "drawbridge.sqlite", timeout=30)
    for statement in statements:
        database.execute(statement)
    database.commit()
    database.close()


def count(server, table: str) -> int:
    [(rows,)] = instance.query(server.data, f"SELECT count(*) FROM {table}")
    return rows


def warnings(server) -> list[str]:
    return [line["error"] for line in server.json_lines() if line.get("message") == "could not purge"]


def test_a_table_that_cannot_be_purged_is_named_and_the_others_are_purged(serve):
    server = serve("purge: {interval: 1s}\n")
    assert server.metrics()[DEGRADED] == 0
    change(server, "CREATE TRIGGER kept BEFORE DELETE ON login_token_use BEGIN SELECT RAISE(ABORT, 'damaged'); END")
    server.issue()
    # Long gone: a login token, and a mark of what counts once, which comes later in a purge.
    change(server, f"UPDATE login_token_use SET expires_at = expires_at - {2 * HOUR}",
           "INSERT INTO client_assertion_use (digest, expires_at) VALUES ('used', 0)")
    server.wait_for_metric(DEGRADED, 1, 20)
    instance.wait_until(lambda: count(server, "client_assertion_use") == 0, 20, "what can be purged")
    assert count(server, "login_token_use") == 1
    [told] = instance.wait_until(lambda: warnings(server), 20, "the line in the log")
    assert told.startswith("login tokens: ") and ";" not in told
    change(server, "DROP TRIGGER kept")
    instance.wait_until(
        lambda: server.metrics()[DEGRADED] == 0 and count(server, "login_token_use") == 0, 20, "the rest")
    assert len(warnings(server)) == 1, "told once"


def test_no_rule_about_redis_takes_a_purge_that_fails_for_an_outage_of_it():
    assert alert_rules.alerts_about_part("purge") == ["DrawbridgePurge"]
