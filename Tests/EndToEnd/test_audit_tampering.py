"""Everything that a thief of the database does to the audit log, against the real program: with the signed notes that lie
outside of the database, and without."""

import getpass
import json
import shutil
import sqlite3
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

import pytest

import auditlog
import instance
import wire
from auditlog import Key, Log, kinds, verify
from instance import wait_until

DAY = 86_400_000


@pytest.fixture(scope="module")
def original(tmp_path_factory) -> Path:
    """The data of an instance that was started three times: three signed checkpoints, some dozen events."""
    data = tmp_path_factory.mktemp("audit") / "data"
    for _ in range(3):
        demo = instance.Demo("--no-limits", data=data)
        for name in ["alice", "bob"]:
            demo.sign_in(name)
        assert demo.stop() == 0
    return data


@pytest.fixture
def copy(original, tmp_path) -> Path:
    return Path(shutil.copytree(original, tmp_path / "copy"))


def middle(log: Log) -> int:
    return len(log.rows("demo")) // 2


def edit(log: Log, key: Key):
    assert log.run("UPDATE audit_event SET subject = 'mallory' WHERE node = 'demo' AND sequence = ?", middle(log))


def edit_with_right_hash(log: Log, key: Key):
    place = middle(log)
    row = {**log.rows("demo")[place - 1], "subject": "mallory"}
    log.run("UPDATE audit_event SET subject = 'mallory', hash = ? WHERE node = 'demo' AND sequence = ?",
            auditlog.event_hash(row), place)


def delete(log: Log, key: Key):
    assert log.run("DELETE FROM audit_event WHERE node = 'demo' AND sequence = ?", middle(log))


def insert(log: Log, key: Key):
    place = middle(log)
    log.run("UPDATE audit_event SET sequence = -sequence WHERE node = 'demo' AND sequence > ?", place)
    log.run("UPDATE audit_event SET sequence = 1 - sequence WHERE node = 'demo' AND sequence < 0")
    before = log.rows("demo")[place - 1]
    row = {**before, "sequence": place + 1, "type": "user.enabled", "previous_hash": before["hash"]}
    log.insert({**row, "hash": auditlog.event_hash(row)})


def reorder(log: Log, key: Key):
    place = middle(log)
    for old, new in [(place, -1), (place + 1, place), (-1, place + 1)]:
        assert log.run("UPDATE audit_event SET sequence = ? WHERE node = 'demo' AND sequence = ?", new, old)


def cut_in_the_middle(log: Log, key: Key):
    place = middle(log)
    assert log.run("DELETE FROM audit_event WHERE node = 'demo' AND sequence BETWEEN ? AND ?", place - 3, place + 3) == 7


def cut_at_the_end(log: Log, key: Key):
    assert log.run("DELETE FROM audit_event WHERE node = 'demo' AND sequence > ?", middle(log))


def cut_at_the_end_with_checkpoints(log: Log, key: Key):
    first = log.checkpoints("demo")[0]["size"]
    assert log.run("DELETE FROM audit_checkpoint WHERE node = 'demo' AND size > ?", first) == 2
    assert log.run("DELETE FROM audit_event WHERE node = 'demo' AND sequence > ?", first)


def everything_gone(log: Log, key: Key):
    log.run("DELETE FROM audit_event")
    log.run("DELETE FROM audit_checkpoint")


def cut_by_an_event_that_says_so(log: Log, key: Key):
    """The first version believed this: all history gone, and one event in the form of what retention writes."""
    last = log.rows("demo")[-1]
    log.run("DELETE FROM audit_event WHERE node = 'demo'")
    row = {**dict.fromkeys(auditlog.COLUMNS), "node": "demo", "sequence": last["sequence"] + 1, "at": last["at"],
           "type": "audit.purged", "outcome": "success", "reason": "retention",
           "detail": json.dumps({"node": "demo", "through": last["sequence"]}, separators=(",", ":")),
           "previous_hash": last["hash"]}
    log.insert({**row, "hash": auditlog.event_hash(row)})


def cut_at_a_checkpoint(log: Log) -> dict:
    checkpoint = log.checkpoints("demo")[1]
    log.run("DELETE FROM audit_event WHERE node = 'demo' AND sequence <= ?", checkpoint["size"])
    return checkpoint


def unsigned_cut(log: Log, key: Key):
    checkpoint = cut_at_a_checkpoint(log)
    log.put_cut("demo", checkpoint["size"], auditlog.cut_text(
        f"{key.name}/demo", checkpoint["size"], checkpoint["hash"], 86_400, auditlog.now()))


def cut_by_another_key(log: Log, key: Key):
    checkpoint = cut_at_a_checkpoint(log)
    log.put_cut("demo", checkpoint["size"], Key.stranger().cut(
        "demo", checkpoint["size"], checkpoint["hash"], 0, auditlog.now()))


def checkpoint_for_a_cut(log: Log, key: Key):
    checkpoint = cut_at_a_checkpoint(log)
    log.put_cut("demo", checkpoint["size"], checkpoint["note"])


def cut_that_reaches_too_far(log: Log, key: Key):
    """With the key, but against what it says itself: the events were hours old, not a day."""
    checkpoint = cut_at_a_checkpoint(log)
    log.put_cut("demo", checkpoint["size"], key.cut(
        "demo", checkpoint["size"], checkpoint["hash"], 86_400, auditlog.now()))


def chain_made_anew(log: Log, key: Key):
    """Every hash is right, and what would show it is gone."""
    log.chain_anew("demo", lambda row: {**row, "subject": "mallory"} if row["subject"] else row)
    log.run("DELETE FROM audit_checkpoint")


def chain_made_anew_under_old_checkpoints(log: Log, key: Key):
    log.chain_anew("demo", lambda row: {**row, "subject": "mallory"} if row["subject"] else row)


def chain_made_anew_with_the_key(log: Log, key: Key):
    log.chain_anew("demo", lambda row: {**row, "subject": "mallory"} if row["subject"] else row)
    log.sign_anew("demo", key)


@dataclass
class Attack:
    run: Callable[[Log, Key], None]
    #: What shows it in the database alone; empty when nothing can.
    alone: set[str]
    #: What shows it beside notes that were kept elsewhere.
    kept: set[str] = field(default_factory=set)


ATTACKS = [
    Attack(edit, {"edited"}), Attack(edit_with_right_hash, {"unlinked"}), Attack(delete, {"missing"}),
    Attack(insert, {"edited", "unlinked"}), Attack(reorder, {"edited"}), Attack(cut_in_the_middle, {"missing"}),
    Attack(cut_at_the_end, {"truncated"}), Attack(cut_at_the_end_with_checkpoints, set(), {"truncated"}),
    Attack(everything_gone, set(), {"truncated"}), Attack(cut_by_an_event_that_says_so, {"missing"}),
    Attack(unsigned_cut, {"cut_malformed", "missing"}), Attack(cut_by_another_key, {"cut_unknown_key", "missing"}),
    Attack(checkpoint_for_a_cut, {"cut_malformed", "missing"}),
    Attack(cut_that_reaches_too_far, {"cut_too_far", "missing"}), Attack(chain_made_anew, set(), {"checkpoint_mismatch"}),
    Attack(chain_made_anew_under_old_checkpoints, {"checkpoint_mismatch"}),
    Attack(chain_made_anew_with_the_key, set(), {"checkpoint_mismatch"}),
]


def test_an_untouched_log_is_valid_and_compared_with_what_is_kept(copy):
    report = verify(copy)
    assert report["valid"] and report["cuts"] == []
    assert report["checkpoints"] == 3 and report["kept_notes"] == 3
    assert (copy / "audit-checkpoints").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.run.__name__)
def test_the_attack_is_found(copy, tmp_path, attack):
    elsewhere = tmp_path / "kept-elsewhere"
    shutil.copy(copy / "audit-checkpoints", elsewhere)
    with Log(copy) as log:
        attack.run(log, Key(copy / "audit-signing-key"))
    # Beside the notes that lie with the key.
    assert attack.alone | attack.kept <= kinds(verify(copy))
    # In the database alone: what it cannot show is written in docs/audit-format.md.
    (copy / "audit-checkpoints").unlink()
    assert attack.alone <= kinds(verify(copy)) and (attack.alone or verify(copy)["valid"])
    # Beside notes that somebody kept elsewhere.
    report = verify(copy, "--checkpoint", str(elsewhere))
    assert attack.alone | attack.kept <= kinds(report) and report["kept_notes"] == 3


def test_a_line_of_a_kept_file_that_is_no_note_is_named_and_the_others_count(copy, tmp_path):
    torn, whole = tmp_path / "torn", tmp_path / "whole"
    first, *others = (copy / "audit-checkpoints").read_text().splitlines(keepends=True)
    torn.write_text('{"checkpoint":{"note":"x"}}\n' + first + '{"cut":\n')
    whole.write_text("".join(others))
    (copy / "audit-checkpoints").unlink()

    def unreadable(line: int) -> dict:
        return {"node": None, "sequence": None, "id": None, "kind": "unreadable", "line": line, "file": str(torn)}

    report = verify(copy, "--checkpoint", str(torn), str(whole))
    assert report["problems"] == [unreadable(1), unreadable(3)] and report["kept_notes"] == 3
    with Log(copy) as log:
        cut_at_the_end_with_checkpoints(log, Key(copy / "audit-signing-key"))
    report = verify(copy, "--checkpoint", str(torn), str(whole))
    assert kinds(report) == {"unreadable", "truncated"} and report["kept_notes"] == 3


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.run.__name__)
def test_an_export_shows_what_the_database_does(copy, tmp_path, attack):
    elsewhere, export, public = tmp_path / "kept-elsewhere", tmp_path / "export.jsonl", tmp_path / "audit.pub"
    shutil.copy(copy / "audit-checkpoints", elsewhere)
    public.write_bytes(instance.run("audit", "public-key", "--data", str(copy)).stdout)
    with Log(copy) as log:
        attack.run(log, Key(copy / "audit-signing-key"))
    export.write_bytes(instance.run("audit", "export", "--data", str(copy)).stdout)

    def verify(*options: str) -> subprocess.CompletedProcess:
        return instance.run("audit", "verify", "--export", str(export), "--public-key", str(public), *options, check=False)

    def report(*options: str) -> dict:
        done = verify(*options)
        report = json.loads(done.stdout)
        assert done.returncode == (0 if report["valid"] else 1)
        return report

    if export.read_bytes():
        assert attack.alone <= kinds(report()) and (attack.alone or report()["valid"])
    else:
        refused = verify()
        assert refused.returncode == 1 and b"holds no events" in refused.stderr
    assert attack.alone | attack.kept <= kinds(report("--checkpoint", str(elsewhere)))


def test_our_own_reading_of_the_format_is_the_programs(original):
    with Log(original) as log:
        key = Key(original / "audit-signing-key")
        previous = auditlog.GENESIS
        for row in log.rows("demo"):
            assert row["previous_hash"] == previous and row["hash"] == auditlog.event_hash(row)
            previous = row["hash"]
        for row in log.checkpoints("demo"):
            assert row["note"] == key.checkpoint("demo", row["size"], row["hash"], row["at"])


# What retention does

@pytest.fixture
def aged(serve, tmp_path) -> instance.Served:
    """A stopped server whose first events, and the checkpoint over them, are three days old."""
    server = serve("audit: {retention: 2d}\npurge: {interval: 1s}\npassword: {passes: 1}\n")
    for _ in range(3):
        server.issue()
    assert server.stop() == 0
    key = Key(server.data / "audit-signing-key")
    with Log(server.data) as log:
        log.chain_anew("main", lambda row: {**row, "at": row["at"] - 3 * DAY})
        for old in log.checkpoints("main"):
            log.run("UPDATE audit_checkpoint SET at = at - ? WHERE node = 'main' AND size = ?", 3 * DAY, old["size"])
        log.sign_anew("main", key)
    (server.data / "audit-checkpoints").unlink()
    return server


def report_of(server: instance.Served, *options: str) -> dict:
    done = instance.run("audit", "verify", "--config", str(server.settings), *options, check=False)
    report = json.loads(done.stdout)
    assert done.returncode == (0 if report["valid"] else 1)
    return report


def first_sequence(server: instance.Served) -> int:
    return instance.query(server.data, "SELECT min(sequence) FROM audit_event WHERE node = 'main'")[0][0]


def degraded(server) -> list[str]:
    return json.loads(wire.send(server.management, "GET", "/readyz").body)["degraded"]


def test_retention_signs_what_it_removes(aged, tmp_path):
    aged.start()
    wait_until(lambda: first_sequence(aged) > 1, 20, "the cut")
    assert degraded(aged) == []
    assert aged.stop() == 0
    report = report_of(aged, "--retention", "2d")
    assert report["valid"] is True
    [cut] = report["cuts"]
    assert cut["node"] == "main" and cut["through"] == first_sequence(aged) - 1
    assert cut["retention"] == 2 * 86_400 and cut["adopted"] is False
    assert kinds(report_of(aged, "--retention", "3d")) == {"retention_too_short", "missing"}
    # The statement is in the log of the service and beside the key as well.
    kept = tmp_path / "service.log"
    kept.write_text(aged.stderr_path.read_text())
    with sqlite3.connect(aged.data / "drawbridge.sqlite") as connection:
        [(note,)] = connection.execute("SELECT note FROM audit_cut").fetchall()
        assert connection.execute("DELETE FROM audit_cut").rowcount == 1
    assert json.dumps(note, ensure_ascii=False) in kept.read_text()
    assert report_of(aged)["cuts"] == [cut], "the file beside the key still has it"
    (aged.data / "audit-checkpoints").unlink()
    assert kinds(report_of(aged)) == {"missing"}
    assert report_of(aged, "--checkpoint", str(kept))["cuts"] == [cut]


def test_what_the_first_version_removed_is_signed_for_at_the_next_start(aged):
    with Log(aged.data) as log:
        checkpoint = log.checkpoints("main")[-1]
        # As it left a log: an event that says so, and no table of signed cuts.
        last = log.rows("main")[-1]
        rows = []
        for number in [1, 2]:
            row = {**dict.fromkeys(auditlog.COLUMNS), "node": "main", "sequence": last["sequence"] + number,
                   "at": auditlog.now() - DAY // 2, "type": "audit.purged", "outcome": "success", "reason": "retention",
                   "detail": json.dumps({"node": "main", "through": checkpoint["size"]}, separators=(",", ":")),
                   "previous_hash": (rows or [last])[-1]["hash"]}
            rows.append({**row, "hash": auditlog.event_hash(row)})
        for row in rows:
            log.insert(row)
        log.run("DELETE FROM audit_event WHERE node = 'main' AND sequence <= ?", checkpoint["size"])
        log.run("DROP TABLE audit_cut")
        log.run("ALTER TABLE audit_forward DROP COLUMN checkpoint_size")
        log.run("ALTER TABLE audit_forward DROP COLUMN cut_through")
        log.run("DELETE FROM schema_migration WHERE version = 12")
    aged.start()
    assert degraded(aged) == []
    assert aged.stop() == 0
    report = report_of(aged, "--retention", "2d")
    assert report["valid"] is True
    assert [(cut["through"], cut["adopted"]) for cut in report["cuts"]] == [(checkpoint["size"], True)]
    assert "adopted a cut of the audit log" in aged.output


# What the server says of it

def copied_demo(copy: Path, start_demo) -> instance.Demo:
    return start_demo("--no-limits", data=copy)


def problems(demo: instance.Demo) -> float:
    text = wire.send(demo.management, "GET", "/metrics").body.decode()
    return float(next(line.split()[1] for line in text.splitlines() if line.startswith("drawbridge_audit_log_problems ")))


def test_a_start_compares_the_database_with_the_notes_beside_the_key(copy, start_demo):
    with Log(copy) as log:
        cut_at_the_end_with_checkpoints(log, Key(copy / "audit-signing-key"))
        first = len(log.rows("demo")) + 1
    demo = copied_demo(copy, start_demo)
    ready = wire.send(demo.management, "GET", "/readyz")
    assert ready.status == 200 and json.loads(ready.body)["degraded"] == ["audit_log"]
    assert problems(demo) == 1
    # That the database is not as it was left is an error too, and names no event.
    errors = [line for line in demo.json_lines() if line.get("level") == "error" and "kind" in line]
    assert [(line["id"], line["kind"]) for line in errors] == [(f"demo-{first}", "truncated")]
    [event] = demo.audit("audit.contradicted")
    assert event["reason"] == "truncated" and json.loads(event["detail"])["id"] == f"demo-{first}"
    assert demo.sign_in(), "nobody is locked out for it"
    demo.stop()
    # It goes on saying so, until somebody takes the log as it is.
    demo = copied_demo(copy, start_demo)
    assert degraded(demo) == ["audit_log"]
    demo.stop()
    assert not verify(copy)["valid"]
    done = instance.run("audit", "accept", "--data", str(copy), "--reason", "restored a backup")
    assert b"Accepted." in done.stdout
    [aside] = copy.glob("audit-checkpoints.accepted-*")
    assert verify(copy)["valid"]
    assert not verify(copy, "--checkpoint", str(aside))["valid"], "what was kept still shows what happened"
    demo = copied_demo(copy, start_demo)
    assert degraded(demo) == [] and problems(demo) == 0
    [event] = demo.audit("audit.accepted")
    detail = json.loads(event["detail"])
    assert detail["said"] == "restored a backup" and detail["actor"] == f"login:{getpass.getuser()}"


def test_there_is_nothing_to_accept_in_a_log_that_contradicts_nothing(copy):
    before = (copy / "audit-checkpoints").read_bytes()
    done = instance.run("audit", "accept", "--data", str(copy), "--reason", "why not")
    assert b"nothing to accept" in done.stdout
    assert (copy / "audit-checkpoints").read_bytes().startswith(before) and not list(copy.glob("*accepted*"))


def test_a_beginning_that_was_stolen_can_be_accepted_but_not_vouched_for(copy, start_demo):
    with Log(copy) as log:
        cut_at_a_checkpoint(log)
    demo = copied_demo(copy, start_demo)
    assert degraded(demo) == ["audit_log"]
    demo.stop()
    instance.run("audit", "accept", "--data", str(copy), "--reason", "the disk lost it")
    report = verify(copy)
    assert report["valid"] and [(cut["adopted"], cut["retention"]) for cut in report["cuts"]] == [(True, 0)]
    assert kinds(verify(copy, "--retention", "1d")) == {"retention_too_short", "missing"}


def test_a_node_that_cannot_keep_its_notes_says_so_and_goes_on(copy, start_demo):
    (copy / "audit-checkpoints").unlink()
    (copy / "audit-checkpoints").mkdir()
    demo = copied_demo(copy, start_demo)
    demo.sign_in()
    assert demo.stop() == 0
    assert any("cannot be kept outside of the database" in line.get("message", "") for line in demo.json_lines())


def test_every_checkpoint_is_in_the_service_log(original, start_demo, tmp_path):
    data = Path(shutil.copytree(original, tmp_path / "logged"))
    demo = copied_demo(data, start_demo)
    demo.sign_in()
    assert demo.stop() == 0
    notes = [line["note"] for line in demo.json_lines() if line.get("message") == "audit checkpoint"]
    with Log(data) as log:
        assert notes == [row["note"] for row in log.checkpoints("demo")[3:]]


def test_misuse_of_the_options_is_told(copy, tmp_path):
    nothing = tmp_path / "nothing"
    nothing.write_text("no note at all\n")
    for options, words in [(["--checkpoint", str(nothing)], "holds no signed note"),
                           (["--checkpoint", str(tmp_path / "missing")], "cannot be read"),
                           (["--retention", "forever"], "--retention must be a duration")]:
        done = instance.run("audit", "verify", "--data", str(copy), *options, check=False)
        assert done.returncode != 0 and words in done.stderr.decode(), done
