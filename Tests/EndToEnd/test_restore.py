"""A database that was put back, or lost its tail: what was used since is never accepted again."""

import getpass
import hashlib
import json
import re
import shutil
import signal
import sqlite3
import stat
import subprocess
import time
from pathlib import Path

import pytest

import instance
import oauth
import signing
import wire
from admin import Admin
from oauth import error
from receiver import Receiver
from servers import Postgres, Standby
from services import assertion_claims, es256, present
from skips import NEEDS_POSTGRES
from websites import registered_rp, sign_in


def again(demo: instance.Demo, *flags: str) -> instance.Demo:
    return instance.Demo("--no-limits", *flags, data=demo.data, port=demo.port)


def refusal(demo: instance.Demo, token: dict) -> str:
    """Why it was refused; the status alone would not tell it from one that expired."""
    answer = demo.redeem(token["token"])
    assert answer.status == 400, (answer.status, answer.headers)
    assert not answer.session_cookie
    return demo.audit("login_token.refused", token_id=token["id"])[-1]["reason"]


def backup(demo: instance.Demo, folder: Path) -> Path:
    done = instance.run("backup", str(folder), "--data", str(demo.data))
    assert b"Not in it: master-key and audit-signing-key" in done.stdout
    return folder


def say_whole(folder: Path):
    """Has a backup say that its database, which somebody changed, is as it was made."""
    said = json.loads(folder.joinpath("backup.json").read_text())
    said["database_sha256"] = hashlib.sha256(folder.joinpath("drawbridge.sqlite").read_bytes()).hexdigest()
    folder.joinpath("backup.json").write_text(json.dumps(said))


def restore(demo: instance.Demo, folder: Path, *flags: str) -> subprocess.CompletedProcess:
    return instance.run("restore", str(folder), "--data", str(demo.data), *flags, check=False)


def put_back_by_hand(demo: instance.Demo, folder: Path):
    """As a page from years ago says: copy the file over."""
    for ending in ["-wal", "-shm"]:
        demo.data.joinpath(f"drawbridge.sqlite{ending}").unlink(missing_ok=True)
    shutil.copy(folder / "drawbridge.sqlite", demo.data / "drawbridge.sqlite")


class Ages:
    """A server, backups of several ages, and tokens in every state around each of them."""

    def __init__(self, folder: Path):
        self.demo = instance.Demo("--no-limits", data=folder / "data")
        self.backups: list[Path] = []
        self.used: list[dict] = []
        self.unused: list[dict] = []
        for number in range(3):
            before = [self.demo.issue(f"user-{number}-{which}") for which in range(3)]
            self.backups.append(backup(self.demo, folder / f"backup-{number}"))
            after = [self.demo.issue(f"user-{number}-{which}") for which in range(3)]
            for token in before[:2] + after[:2]:
                assert self.demo.redeem(token["token"]).status == 303
            self.used += before[:2] + after[:2]
            self.unused += before[2:] + after[2:]

    def check(self, demo: instance.Demo):
        for token in self.used + self.unused:
            # By another browser: the one that used it first may tap twice, where the backup knows of that.
            answer = demo.redeem(token["token"], {**wire.NAVIGATION, "User-Agent": "somebody else"})
            assert answer.status == 400 and not answer.session_cookie, (answer.status, answer.headers)
        fresh = demo.issue("somebody")
        assert demo.redeem(fresh["token"]).status == 303, "what is issued now is good"


@pytest.mark.parametrize("which", [0, 1, 2])
def test_no_token_of_before_is_good_after_a_restore(tmp_path, which):
    ages = Ages(tmp_path)
    assert ages.demo.stop() == 0
    done = restore(ages.demo, ages.backups[which])
    assert done.returncode == 0, done.stderr
    demo = again(ages.demo)
    try:
        ages.check(demo)
        # Not because it had expired: its minute was not over.
        assert refusal(demo, ages.used[-1]) == "revoked" and refusal(demo, ages.unused[-1]) == "revoked"
        restored = demo.audit("database.restored")
        assert [event["reason"] for event in restored] == ["restored"]
        assert instance.run("audit", "verify", "--data", str(demo.data), check=False).returncode == 0
    finally:
        assert demo.stop() == 0


@pytest.mark.parametrize("end", ["stop", "kill"])
@pytest.mark.parametrize("which", [0, 2])
def test_a_database_that_was_copied_back_by_hand_is_found_out(tmp_path, which, end):
    ages = Ages(tmp_path)
    getattr(ages.demo, end)()
    put_back_by_hand(ages.demo, ages.backups[which])
    demo = again(ages.demo)
    try:
        ages.check(demo)
        assert refusal(demo, ages.used[-1]) == "revoked"
        instance.wait_until(lambda: demo.audit("database.restored"), what="the event")
        assert demo.audit("database.restored")[-1]["reason"] == "events_missing"
        assert "the database is not as it was left" in demo.output
    finally:
        demo.stop()


def test_a_copy_of_the_whole_folder_is_found_out(tmp_path):
    demo = instance.Demo("--no-limits", data=tmp_path / "data")
    token = demo.issue()
    assert demo.stop() == 0
    shutil.copytree(demo.data, tmp_path / "copy")
    demo = again(demo)
    assert demo.redeem(token["token"]).status == 303
    assert demo.stop() == 0
    shutil.rmtree(demo.data)
    shutil.copytree(tmp_path / "copy", demo.data)
    demo = again(demo)
    try:
        assert refusal(demo, token) == "revoked"
        assert demo.redeem(demo.issue()["token"]).status == 303
    finally:
        demo.stop()


def test_a_start_after_a_stop_or_a_crash_ends_nothing(tmp_path):
    demo = instance.Demo("--no-limits", data=tmp_path / "data")
    for end in ["stop", "kill", "kill"]:
        tokens = [demo.issue(f"user-{number}") for number in range(5)]
        getattr(demo, end)()
        demo = again(demo)
        for token in tokens:
            assert demo.redeem(token["token"]).status == 303
    assert not demo.audit("database.restored")
    demo.stop()


def test_the_answer_of_an_idempotency_key_is_not_a_second_chance(tmp_path):
    demo = instance.Demo("--no-limits", data=tmp_path / "data")
    first = demo.post_issue(headers={"Idempotency-Key": "one"}).json()
    folder = backup(demo, tmp_path / "backup")
    assert demo.redeem(first["token"]).status == 303
    demo.stop()
    assert restore(demo, folder).returncode == 0
    demo = again(demo)
    try:
        answer = demo.post_issue(headers={"Idempotency-Key": "one"}).json()
        assert answer["id"] != first["id"]
        assert refusal(demo, first) == "revoked"
        assert demo.redeem(answer["token"]).status == 303
    finally:
        demo.stop()


def test_a_wrong_verifier_does_not_bring_a_forgotten_token_to_life(tmp_path):
    """Counting a miss writes a row for a token that is not on record."""
    challenge = signing.challenge("v" * 43)
    demo = instance.Demo("--no-limits", data=tmp_path / "data")
    folder = backup(demo, tmp_path / "backup")
    token = demo.issue(code_challenge=challenge, code_challenge_method="S256")
    assert demo.redeem(token["token"], code_verifier="v" * 43).status == 303
    demo.stop()
    assert restore(demo, folder).returncode == 0
    demo = again(demo)
    try:
        assert demo.redeem(token["token"], code_verifier="w" * 43).status == 400
        assert demo.redeem(token["token"], code_verifier="v" * 43).status == 400
    finally:
        demo.stop()


def test_sessions_end_with_a_restore_unless_they_are_kept(tmp_path):
    demo = instance.Demo("--no-limits", data=tmp_path / "data")
    stays, ended = demo.sign_in("alice"), demo.sign_in("bob")
    folder = backup(demo, tmp_path / "backup")
    headers = {"Cookie": ended, "Origin": demo.base, "Sec-Fetch-Site": "same-origin"}
    assert demo.send("POST", "/session/logout", headers).status == 204
    demo.stop()
    assert restore(demo, folder).returncode == 0
    demo = again(demo)
    assert not demo.session(ended)["authenticated"], "its owner had ended it"
    assert not demo.session(stays)["authenticated"], "nobody can tell it from the other"
    demo.stop()
    assert restore(demo, folder, "--keep-sessions").returncode == 0
    demo = again(demo)
    assert demo.session(stays)["authenticated"]
    demo.stop()


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """Is stopped, restored and started by the test that takes it."""
    demo = instance.Demo("--no-limits", data=tmp_path_factory.mktemp("once") / "data")
    yield demo
    demo.stop()


def test_what_counts_once_besides_tokens_is_over_after_a_restore(tmp_path, demo, keyed_client):
    client, key, _ = keyed_client
    alice = demo.user("alice")["sub"]
    enrolled = instance.run("users", "second-factor", "enrol", "--data", str(demo.data), "alice")
    assert len(re.findall(r"^  [a-z2-7]{4}-", enrolled.stdout.decode(), re.M)) == 10
    with sqlite3.connect(demo.data / "drawbridge.sqlite") as database:
        now = int(time.time() * 1000)
        database.execute(
            "INSERT INTO account (subject, username, username_key, role, created_at, password_changed_at) "
            "SELECT 'phone-only', 'phone-only', 'phone-only', role, created_at, password_changed_at FROM account "
            "WHERE subject = ?", (alice,))
        for thumbprint, subject in [("of-alice", alice), ("only-way-in", "phone-only")]:
            database.execute("INSERT INTO linked_key (thumbprint, subject, algorithm, origin, created_at) "
                             "VALUES (?, ?, 'ES256', 'linked', ?)", (thumbprint, subject, now))
    folder = backup(demo, tmp_path / "backup")
    assertion = es256(assertion_claims(demo, client), key, typ="JWT", kid="k")
    assert present(demo, client, assertion).status == 200
    demo.stop()
    done = restore(demo, folder)
    assert done.returncode == 0, done.stderr
    said = done.stdout.decode()
    assert "Ended recovery codes: 10" in said and "Ended phone keys: 1" in said, said
    assert "user phone-only, key only-way-in" in said and "of-alice" not in said, said
    # A code of a second factor may have been used since: none counts of before this time.
    restored = instance.query(demo.data, "SELECT restored_at FROM restore_point")[0][0]
    assert abs(restored / 1000 - time.time()) < 30
    node = again(demo)
    try:
        assert error(present(node, client, assertion)) == (401, "invalid_client")
        keys = node.query("SELECT thumbprint FROM linked_key WHERE revoked_at IS NULL")
        assert keys == [("only-way-in",)]
    finally:
        node.stop()


def test_websites_hear_of_the_sessions_that_a_restore_ends(tmp_path):
    receiver = Receiver()
    demo = instance.Demo("--no-limits", data=tmp_path / "data")
    tokens = sign_in(demo, registered_rp(demo, receiver), oauth.Browser(demo), scope="openid")
    folder = backup(demo, tmp_path / "backup")
    demo.stop()
    assert restore(demo, folder).returncode == 0
    demo = again(demo)
    try:
        instance.wait_until(lambda: receiver.tokens, what="the logout token")
        assert signing.parts(receiver.tokens[0])[1]["sid"] == signing.parts(tokens["id_token"])[1]["sid"]
    finally:
        demo.stop()
        receiver.close()


def in_place(data: Path, *flags: str) -> subprocess.CompletedProcess:
    return instance.run("restore", "--in-place", "--reason", "the snapshot of noon", "--data", str(data), *flags, check=False)


def test_a_folder_that_was_put_back_whole_is_told_by_hand(tmp_path):
    demo = instance.Demo("--no-limits", data=tmp_path / "data")
    cookie, token = demo.sign_in("alice"), demo.issue("bob")
    done = in_place(demo.data)
    assert done.returncode != 0 and b"stop it first" in done.stderr, done.stderr
    demo.stop()
    done = in_place(demo.data)
    assert done.returncode == 0 and b"Ended web sessions: 1" in done.stdout, (done.stdout, done.stderr)
    demo = again(demo)
    try:
        assert refusal(demo, token) == "revoked" and not demo.session(cookie)["authenticated"]
        assert demo.redeem(demo.issue()["token"]).status == 303
        assert [event["reason"] for event in demo.audit("database.restored")] == ["restored"]
        detail = json.loads(demo.audit("database.restored")[0]["detail"])
        assert detail["said"] == "the snapshot of noon" and detail["actor"] == f"login:{getpass.getuser()}"
        assert instance.run("audit", "verify", "--data", str(demo.data), check=False).returncode == 0
    finally:
        demo.stop()


def test_a_backup_is_private_whole_and_without_the_keys(tmp_path):
    demo = instance.Demo("--no-limits", data=tmp_path / "data")
    for number in range(20):
        demo.sign_in(f"user-{number}")
    folder = backup(demo, tmp_path / "backup")
    demo.sign_in("later")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    names = {path.name for path in folder.iterdir()}
    assert {"drawbridge.sqlite", "backup.json"} <= names
    assert not names & {"master-key", "audit-signing-key"}
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in folder.iterdir())
    said = json.loads(folder.joinpath("backup.json").read_text())
    assert said["events"] == len(instance.audit_rows(folder))
    done = instance.run("backup", str(folder), "--data", str(demo.data), check=False)
    assert done.returncode != 0 and b"not an empty folder" in done.stderr
    for path in folder.iterdir():
        assert demo.data.joinpath("master-key").read_bytes().strip() not in path.read_bytes()
    demo.stop()


@pytest.mark.parametrize("beginning", ["there", "gone"])
def test_a_restore_does_not_accept_what_is_changed_before_the_end_of_its_log(tmp_path, beginning):
    demo = instance.Demo("--no-limits", data=tmp_path / "data")
    for number in range(5):
        demo.sign_in(f"user-{number}")
    demo.stop()
    # Once more, so that what is in the backup is signed about beside the database.
    demo = again(demo)
    folder = backup(demo, tmp_path / "backup")
    demo.sign_in("later")
    demo.stop()
    with sqlite3.connect(folder / "drawbridge.sqlite") as database:
        [(node, end)] = database.execute(
            "SELECT node, max(sequence) FROM audit_event WHERE node NOT LIKE '%-cli' GROUP BY node").fetchall()
        database.execute("UPDATE audit_event SET hash = previous_hash WHERE node = ?", (node,))
        if beginning == "gone":
            # It may have its reason, and explains nothing of what is after it.
            database.execute("DELETE FROM audit_event WHERE node = ? AND sequence <= 2", (node,))
        database.execute("DELETE FROM audit_checkpoint")
        database.commit()
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    say_whole(folder)
    done = restore(demo, folder)
    assert done.returncode == 1 and b"checkpoint_mismatch" in done.stderr, (done.stdout, done.stderr)
    assert b"drawbridge audit accept" in done.stderr and b"Accepted" not in done.stdout
    assert b"What was there before is now" in done.stdout
    assert (demo.data / "audit-checkpoints").exists() and not list(demo.data.glob("*accepted*"))


def on_a_new_machine(demo: instance.Demo, folder: Path) -> Path:
    """The folder of one that has nothing yet but a demo's keys."""
    folder.mkdir(mode=0o700)
    for name in ["master-key", "audit-signing-key"]:
        shutil.copy(demo.data / name, folder / name)
        folder.joinpath(name).chmod(0o600)
    return folder


def test_a_new_machine_gets_what_the_backup_has_of_notes_about_the_log_and_of_retired_keys(tmp_path):
    demo = instance.Demo("--no-limits", data=tmp_path / "data")
    demo.sign_in("somebody")
    instance.run("keys", "retire", "--all", "--now", "--data", str(demo.data))
    demo.stop()
    folder = backup(demo, tmp_path / "backup")
    data = on_a_new_machine(demo, tmp_path / "new")
    done = instance.run("restore", str(folder), "--data", str(data), check=False)
    assert done.returncode == 0, (done.stdout, done.stderr)
    kept = folder.joinpath("audit-checkpoints").read_text().splitlines()
    now = data.joinpath("audit-checkpoints").read_text().splitlines()
    assert kept and now[:len(kept)] == kept and len(now) > len(kept), "and behind them what the restore has signed"
    assert set(folder.joinpath("retired-keys").read_text().split()) <= set(data.joinpath("retired-keys").read_text().split())
    verified = instance.run("audit", "verify", "--data", str(data))
    assert json.loads(verified.stdout)["kept_notes"] == len(now)


def test_a_new_machine_that_has_no_place_for_the_notes_in_the_backup_keeps_what_it_has(tmp_path):
    demo = instance.Demo("--no-limits", data=tmp_path / "data")
    demo.sign_in("somebody")
    demo.stop()
    folder = backup(demo, tmp_path / "backup")
    data = on_a_new_machine(demo, tmp_path / "new")
    # What a full disk does, for whoever is root too.
    (data / "audit-checkpoints.restoring" / "in-the-way").mkdir(parents=True)
    done = instance.run("restore", str(folder), "--data", str(data), check=False)
    assert done.returncode == 1 and b"audit-checkpoints" in done.stderr, (done.stdout, done.stderr)
    assert not data.joinpath("drawbridge.sqlite").exists() and not data.joinpath("audit-checkpoints").exists()


def test_a_new_machine_does_not_accept_a_log_that_the_notes_in_the_backup_contradict(tmp_path):
    demo = instance.Demo("--no-limits", data=tmp_path / "data")
    demo.sign_in("somebody")
    demo.stop()
    folder = backup(demo, tmp_path / "backup")
    with sqlite3.connect(folder / "drawbridge.sqlite") as database:
        database.execute("UPDATE audit_event SET hash = previous_hash")
        database.execute("DELETE FROM audit_checkpoint")
        database.commit()
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    say_whole(folder)
    data = on_a_new_machine(demo, tmp_path / "new")
    done = instance.run("restore", str(folder), "--data", str(data), check=False)
    assert done.returncode == 1 and b"checkpoint_mismatch" in done.stderr, (done.stdout, done.stderr)
    assert b"Accepted" not in done.stdout


def test_a_command_after_the_backup_and_a_second_restore_are_explained_by_the_restore(tmp_path):
    demo = instance.Demo("--no-limits", data=tmp_path / "data")
    demo.sign_in("somebody")
    folder = backup(demo, tmp_path / "backup")
    demo.stop()
    # Each leaves one event in the chain of commands, where the restore leaves its own.
    instance.run("users", "add", "--data", str(demo.data), "zoe", stdin=b"a password of zoe's\n")
    for _ in range(2):
        done = restore(demo, folder)
        assert done.returncode == 0 and b"Accepted" in done.stdout, (done.stdout, done.stderr)
    assert instance.run("audit", "verify", "--data", str(demo.data), check=False).returncode == 0


def test_a_stream_that_comes_back_after_a_restore_misses_nothing_of_what_is_written_then(tmp_path):
    demo = instance.Demo("--no-limits", data=tmp_path / "data")
    folder = backup(demo, tmp_path / "backup")
    for number in range(25):
        demo.issue(f"lost-{number}")
    stream = Admin(demo).follow()
    place = instance.wait_until(lambda: stream.last_id, what="the stream's place")
    stream.close()
    demo.stop()
    done = restore(demo, folder)
    assert done.returncode == 0, (done.stdout, done.stderr)
    demo = again(demo)

    def follow(tokens: set[str]):
        stream = Admin(demo).follow(place)
        assert stream.response.status == 200
        instance.wait_until(lambda: tokens <= {event["token_id"] for event in stream.events}, what="what came since")
        assert any(event["type"] == "database.restored" for event in stream.events)
        stream.close()

    try:
        # Once while the log is shorter than it was, once when it has passed the stream's place.
        first = demo.issue("first")["id"]
        follow({first})
        follow({first, *(demo.issue(f"since-{number}")["id"] for number in range(40))})
    finally:
        demo.stop()


def test_a_tail_that_follows_goes_on_with_the_database_that_a_restore_puts_there(tmp_path):
    demo = instance.Demo("--no-limits", data=tmp_path / "data")
    folder = backup(demo, tmp_path / "backup")
    for number in range(5):
        demo.issue(f"lost-{number}")
    tail = subprocess.Popen(
        [instance.binary(), "audit", "tail", "--data", str(demo.data), "--follow", "--format", "jsonl"],
        stdout=subprocess.PIPE, env=instance.environment())
    try:
        for _ in range(5):
            assert instance.next_line(tail), "the newest events"
        demo.stop()
        done = restore(demo, folder)
        assert done.returncode == 0, (done.stdout, done.stderr)
        demo = again(demo)
        since = demo.issue("since")["id"].encode()
        types = []
        while since not in (line := instance.next_line(tail)):
            assert line, ("nothing came of what was written since", types)
            types.append(json.loads(line)["type"])
        assert "database.restored" in types
    finally:
        tail.kill()
        tail.wait()
        demo.stop()


def test_a_restore_that_a_signal_ends_leaves_no_part_of_a_copy(tmp_path):
    demo = instance.Demo("--no-limits", data=tmp_path / "data")
    demo.issue("alice")
    folder = backup(demo, tmp_path / "backup")
    demo.stop()
    # On a busy machine one may be over before the signal comes.
    for _ in range(5):
        before = demo.data.joinpath("drawbridge.sqlite").read_bytes()
        process = subprocess.Popen(
            [instance.binary(), "restore", str(folder), "--data", str(demo.data)], env=instance.environment(),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        # Without a pause: what is copied is in its place a tenth of a second after somebody writes to it.
        while not list(demo.data.glob("*.restoring.*.lock")) and process.poll() is None:
            pass
        # Not SIGINT, which a shell's background jobs ignore.
        process.send_signal(signal.SIGTERM)
        _, errors = process.communicate(timeout=30)
        if process.returncode:
            break
    assert process.returncode == 128 + signal.SIGTERM, (process.returncode, errors)
    assert not list(demo.data.glob("*.restoring*"))
    assert demo.data.joinpath("drawbridge.sqlite").read_bytes() == before


def test_a_restore_is_refused_over_a_server_that_runs_and_of_what_is_no_backup(tmp_path):
    demo = instance.Demo("--no-limits", data=tmp_path / "data")
    folder = backup(demo, tmp_path / "backup")
    done = restore(demo, folder)
    assert done.returncode != 0 and b"stop it first" in done.stderr, done.stderr
    assert demo.redeem(demo.issue()["token"]).status == 303
    demo.stop()
    with folder.joinpath("drawbridge.sqlite").open("ab") as file:
        file.write(b"more")
    done = restore(demo, folder)
    assert done.returncode != 0 and b"digest" in done.stderr, done.stderr
    done = restore(demo, tmp_path)
    assert done.returncode != 0 and b"is not a backup" in done.stderr, done.stderr
    demo = again(demo)
    assert not demo.audit("database.restored")
    demo.stop()


@NEEDS_POSTGRES
def test_a_failover_that_loses_the_tail_gives_no_token_a_second_use():
    with Postgres() as primary:
        database = primary.create("lost_tail")
        with Standby(primary) as standby:
            both = database.replace(f":{primary.port}/", f":{primary.port},127.0.0.1:{standby.port}/")
            one = instance.Demo("--database", both, "--no-limits")
            two = instance.Demo("--database", both, "--no-limits", "--issuer", one.base)
            reasons = "SELECT reason FROM audit_event WHERE type = 'database.restored' ORDER BY at"

            def refused(node: instance.Demo, token: dict) -> bool:
                answer = node.redeem(token["token"])
                return answer.status == 400 and not answer.session_cookie

            try:
                known = one.issue("alice")
                standby.catch_up()
                standby.fall_behind()
                unknown = one.issue("bob")
                for token in [known, unknown]:
                    assert one.redeem(token["token"]).status == 303
                # The node whose events are lost sleeps until the other one has counted the failover.
                one.freeze()
                primary.stop(signal.SIGQUIT)
                standby.promote()
                instance.wait_until(lambda: two.post_issue().status == 200, what="the new server")
                between = two.issue("dora")
                assert refused(two, known) and refused(two, unknown)
                one.signal(signal.SIGCONT)
                instance.wait_until(lambda: one.post_issue().status == 200, what="the new server")
                for node in [two, one]:
                    assert refused(node, known) and refused(node, unknown)
                # What the second one misses went with the first one's failover: it says so, and ends nothing more.
                instance.wait_until(lambda: len(standby.query(reasons, "lost_tail")) == 2, 30, "the events of both")
                [first], [second] = standby.query(reasons, "lost_tail")
                # A node that was slow enough to write an event or to renew its lease in the lost time misses that.
                assert first in ("other_server", "events_missing", "transactions_missing") and second == "events_missing"
                assert standby.query("SELECT number FROM restore_point", "lost_tail") == [["1"]]
                assert one.redeem(between["token"]).status == 303
                assert two.redeem(one.issue("carol")["token"]).status == 303
            finally:
                one.stop()
                two.stop()


@NEEDS_POSTGRES
def test_a_dump_that_was_loaded_again_is_found_out(tmp_path):
    with Postgres() as server:
        database = server.create("dumped")
        demo = instance.Demo("--database", database, "--no-limits")
        tokens = [demo.issue("alice")]
        target = ["-h", "127.0.0.1", "-p", str(server.port), "-U", "drawbridge"]
        dump = tmp_path / "dump"
        subprocess.run([f"{server.programs}/pg_dump", *target, "--format=custom", f"--file={dump}", "dumped"], check=True)
        tokens.append(demo.issue("bob"))
        for token in tokens:
            assert demo.redeem(token["token"]).status == 303
        demo.stop()
        subprocess.run([f"{server.programs}/pg_restore", *target, "--clean", "-d", "dumped", dump], check=True)
        demo = instance.Demo("--database", database, "--no-limits", data=demo.data, port=demo.port)
        try:
            for token in tokens:
                assert demo.redeem(token["token"]).status == 400
            assert demo.redeem(demo.issue()["token"]).status == 303
        finally:
            demo.stop()


@NEEDS_POSTGRES
def test_a_restore_that_was_told_by_hand_counts_once_whichever_nodes_start_after_it(tmp_path):
    with Postgres() as server:
        database = server.create("told_once")
        one = instance.Demo("--database", database, "--no-limits")
        two = instance.Demo("--database", database, "--no-limits", "--issuer", one.base)
        target = ["-h", "127.0.0.1", "-p", str(server.port), "-U", "drawbridge"]
        dump = tmp_path / "dump"
        token = one.issue("alice")
        subprocess.run([f"{server.programs}/pg_dump", *target, "--format=custom", f"--file={dump}", "told_once"], check=True)
        assert one.redeem(token["token"]).status == 303
        two.issue("bob")
        one.stop()
        two.stop()
        # As docs/postgresql.md has it.
        subprocess.run([f"{server.programs}/pg_restore", *target, "--clean", "--if-exists", "--single-transaction",
                        "-d", "told_once", dump], check=True)
        # The dump has the leases of its moment, and is only seconds old.
        live = "SELECT 1 FROM node_lease WHERE expires_at > extract(epoch FROM clock_timestamp()) * 1000"
        instance.wait_until(lambda: not server.query(live, "told_once"), 30, "the end of the leases")
        done = in_place(one.data, "--database", database)
        assert b"Done. Login tokens of before" in done.stdout, (done.stdout, done.stderr)
        number = server.query("SELECT number FROM restore_point", "told_once")
        one = instance.Demo("--database", database, "--no-limits", data=one.data, port=one.port)
        try:
            since = one.issue("dora")
            two = instance.Demo("--database", database, "--no-limits", "--issuer", one.base, data=two.data, port=two.port)
            for node in [one, two]:
                answer = node.redeem(token["token"])
                assert answer.status == 400 and not answer.session_cookie
            assert two.redeem(since["token"]).status == 303, "it was issued after the restore"
            assert server.query("SELECT number FROM restore_point", "told_once") == number
            for node in [one, two]:
                assert "ends nothing again" in node.output and "not as it was left" not in node.output
        finally:
            one.stop()
            two.stop()


@NEEDS_POSTGRES
def test_backup_and_restore_leave_postgresql_to_its_own_means(tmp_path):
    with Postgres() as server:
        database = server.create("means")
        demo = instance.Demo("--database", database, "--no-limits")
        try:
            done = instance.run("backup", str(tmp_path / "b"), "--data", str(demo.data), "--database", database, check=False)
            assert done.returncode != 0 and b"pg_dump" in done.stderr
            assert not (tmp_path / "b").exists()
            done = instance.run("restore", "--in-place", "--data", str(demo.data), "--database", database, check=False)
            assert done.returncode != 0 and b"Servers are running" in done.stderr, done.stderr
        finally:
            demo.stop()


@NEEDS_POSTGRES
def test_a_postgresql_that_was_put_back_is_told_by_hand():
    with Postgres() as server:
        database = server.create("by_hand")
        demo = instance.Demo("--database", database, "--no-limits")
        cookie, token = demo.sign_in("alice"), demo.issue("bob")
        demo.stop()
        done = in_place(demo.data, "--database", database)
        assert done.returncode == 0 and b"Ended web sessions: 1" in done.stdout, (done.stdout, done.stderr)
        demo = instance.Demo("--database", database, "--no-limits", data=demo.data, port=demo.port)
        try:
            answer = demo.redeem(token["token"])
            assert answer.status == 400 and not answer.session_cookie
            assert not demo.session(cookie)["authenticated"]
            assert demo.redeem(demo.issue()["token"]).status == 303
            reasons = "SELECT reason FROM audit_event WHERE type = 'database.restored'"
            assert server.query(reasons, "by_hand") == [["restored"]]
        finally:
            demo.stop()
