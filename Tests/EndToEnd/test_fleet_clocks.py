"""Nodes whose clock is not that of the database which they share (ADR-0010)."""

import re
import subprocess

import pytest

import alert_rules
import instance
import oauth
from admin import Admin
from clock import shifted_by
from fleet import ServedNode

DAY = 86_400
DEGRADED = 'drawbridge_degraded{part="clock"}'


def errors_about_clocks(server) -> list[dict]:
    return [line for line in server.json_lines() if "the database's" in line.get("message", "")]


def wait_for_a_purge(postgres, name: str) -> None:
    """Until a purge that began after this has gone through every step: the next one is past the step that is seen."""
    for number in range(2):
        postgres.query(f"INSERT INTO client_assertion_use (digest, expires_at) VALUES ('{number}', {number})", name)
        instance.wait_until(
            lambda: postgres.query("SELECT count(*) FROM client_assertion_use", name) == [["0"]], 30, "a purge")


def test_a_node_that_starts_with_a_clock_a_month_ahead_removes_nothing_that_is_not_over(postgres):
    name = "month_ahead"
    first = instance.Served(f"database: {postgres.create(name)}\naudit: {{retention: 30d}}\npurge: {{interval: 1s}}\n")
    assert first.redeem(first.issue()["token"]).status == 303
    # What was signed at this end can be cut when more has come after it.
    assert first.stop() == 0
    first.start()
    assert (first.readiness().checks["clock"], first.metrics()[DEGRADED], errors_about_clocks(first)) == ("ok", 0, [])
    assert first.stop() == 0

    def kept() -> list[str]:
        return postgres.query("SELECT (SELECT count(*) FROM web_session), (SELECT count(*) FROM login_token_use), "
                              "(SELECT count(*) FROM audit_event WHERE node = 'main')", name)[0]

    before = kept()
    assert before[:2] == ["1", "1"] and int(before[2]) > 3
    ahead = ServedNode(first, "ahead", shifted_by(31 * DAY))
    try:
        wait_for_a_purge(postgres, name)
        assert kept() == before
        said = ahead.readiness()
        assert said.status == 200 and "clock" in said.degraded
        assert ahead.metrics()[DEGRADED] == 1
        [told] = errors_about_clocks(ahead)
        assert told["level"] == "error" and told["message"].startswith("the clock is ahead of the database's")
        assert 31 * DAY - 60 < int(told["seconds"]) <= 31 * DAY
    finally:
        assert ahead.stop() == 0


def test_a_node_that_starts_with_a_clock_that_is_behind_says_so(postgres):
    behind = instance.Demo("--database", postgres.create("behind"), prefix=shifted_by(-3600))
    try:
        said = behind.readiness()
        assert said.status == 200 and "clock" in said.degraded
        assert behind.metrics()[DEGRADED] == 1
        [told] = errors_about_clocks(behind)
        assert told["level"] == "error" and told["message"].startswith("the clock is behind the database's")
    finally:
        assert behind.stop() == 0


def test_a_node_whose_clock_is_far_ahead_adds_no_keys_for_all(postgres):
    database = postgres.create("node_rotates")
    right = instance.Demo("--database", database)
    try:
        issued = oauth.token(right, {"grant_type": "client_credentials"}, oauth.basic(right, "demo-admin")).json()
        assert Admin(right).send("POST", "keys/rotate").status == 200

        def keys() -> set[str]:
            return {key["kid"] for key in Admin(right).get("keys").json()["items"]}

        before = keys()
        ahead = instance.Demo("--database", database, "--issuer", right.base, prefix=shifted_by(100 * DAY))
        try:
            answer = Admin(ahead).send("POST", "keys/rotate")
            assert answer.status == 409 and answer.json()["error"] == "conflict", answer.body
        finally:
            assert ahead.stop() == 0
        assert keys() == before
        # It was signed with a key that is long over by that clock.
        assert right.send("GET", "/api/admin/keys", {"Authorization": f"Bearer {issued['access_token']}"}).status == 200
    finally:
        assert right.stop() == 0


def configured(folder, database: str) -> list[str]:
    """The option that names the settings file of a server which has its key files and has not started yet."""
    settings = folder / "drawbridge.yaml"
    settings.write_text(f"public_origin: http://127.0.0.1:1\ndata_directory: {folder}/data\ndatabase: {database}\n"
                        "audit: {retention: 30d}\n")
    option = ["--config", str(settings)]
    instance.run("keys", "init", *option)
    instance.run("migrate", *option)
    return option


def command(seconds: int, *arguments: str) -> subprocess.CompletedProcess:
    """A command on a machine whose clock is so much ahead."""
    return subprocess.run([*shifted_by(seconds), instance.binary(), *arguments], capture_output=True, text=True, timeout=60,
                          env=instance.environment())


@pytest.mark.parametrize("days, way", [(100, "ahead of"), (-1, "behind")])
def test_a_command_whose_clock_is_wrong_adds_no_keys(postgres, tmp_path, days, way):
    name = f"command_rotates_{abs(days)}"
    option = configured(tmp_path, postgres.create(name))
    assert command(0, "keys", "rotate", *option).returncode == 0
    keys = "SELECT id, signs_from, retires_at FROM signing_key ORDER BY id"
    before = postgres.query(keys, name)
    done = command(days * DAY, "keys", "rotate", *option)
    assert done.returncode == 1 and f"s {way} the database's" in " ".join(done.stderr.split()), done.stderr
    assert postgres.query(keys, name) == before


def test_a_migration_by_a_clock_that_is_ahead_goes_by_the_databases(postgres, tmp_path):
    option = configured(tmp_path, postgres.create("migrates_ahead"))
    done = command(100 * DAY, "migrate", *option)
    assert done.returncode == 0 and "the clock is ahead of the database's" in " ".join(done.stderr.split()), done.stderr


@pytest.mark.parametrize("seconds, line", [
    (0, "ok    clock of the database: agrees with ours"),
    (12, r"note  clock of the database: 1[12] s behind ours; the clocks of nodes are to be within 5 s of each other"),
    (-90, r"FAIL  clock of the database: \d\d s ahead of ours; let both follow a time server")])
def test_check_config_online_compares_the_clock_with_the_databases(postgres, tmp_path, seconds, line):
    option = configured(tmp_path, postgres.create(f"clock_{abs(seconds)}"))
    done = command(seconds, "check-config", "--online", *option)
    [told] = [text for text in done.stdout.splitlines() if text[6:].startswith("clock of the database")]
    assert re.fullmatch(line, told), told
    assert done.returncode == (1 if told.startswith("FAIL") else 0), done.stdout


def test_no_rule_about_redis_takes_a_wrong_clock_for_an_outage_of_it():
    assert alert_rules.alerts_about_part("clock") == ["DrawbridgeClock"]
