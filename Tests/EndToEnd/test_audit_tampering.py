"""Everything that a thief of the database does to the audit log, against the real program: with the signed notes that lie
outside of the database, and without."""

import getpass
import json
import secrets
import shutil
import sqlite3
import subprocess
from contextlib import closing
from dataclasses import dataclass, field
from itertools import product
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


#: What those who hand out a service log make of a line that a server wrote.
WRAPPERS: dict[str, Callable[[str], str]] = {
    "journalctl": lambda line: f"Nov 30 08:00:00 host drawbridge[123]: {line}",
    "journalctl -o json": lambda line: json.dumps({"__CURSOR": "s=1", "MESSAGE": line, "_PID": "123"}),
    "journalctl -o json, not printable": lambda line: json.dumps({"MESSAGE": list(line.encode()), "_PID": "123"}),
    "containerd": lambda line: f"2026-11-30T08:00:00.000000000Z stderr F {line}",
    "docker": lambda line: json.dumps({"log": f"{line}\n", "stream": "stderr", "time": "2026-11-30T08:00:00Z"}),
    "docker compose logs": lambda line: f"node-a-1  | {line}",
    "journalctl, forwarded as json": lambda line: json.dumps({"MESSAGE": f"Nov 30 08:00:00 host drawbridge: {line}"}),
}


@pytest.fixture(scope="module")
def logged(original, tmp_path_factory) -> tuple[Path, list[str], str]:
    """One more life of the instance, without its end and the notes beside its key; that life's log, and its last note."""
    data = Path(shutil.copytree(original, tmp_path_factory.mktemp("logged") / "data"))
    demo = instance.Demo("--no-limits", data=data)
    demo.sign_in("carol")
    assert demo.stop() == 0
    lines = demo.stderr_path.read_text().splitlines()
    with Log(data) as log:
        last = log.checkpoints("demo")[-2]["size"]
        note = log.checkpoints("demo")[-1]["note"]
        assert log.run("DELETE FROM audit_event WHERE node = 'demo' AND sequence > ?", last)
        assert log.run("DELETE FROM audit_checkpoint WHERE node = 'demo' AND size > ?", last)
    (data / "audit-checkpoints").unlink()
    assert verify(data)["valid"], "nothing in the database shows it"
    return data, lines, note


def notes_in(lines: list[str]) -> int:
    return len([line for line in lines if '"note":"' in line])


@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_the_service_log_shows_what_is_gone_as_systemd_kubernetes_and_compose_hand_it_out(logged, tmp_path, wrapper):
    data, lines, _ = logged
    kept = tmp_path / "service.log"
    kept.write_text("".join(f"{WRAPPERS[wrapper](line)}\n" for line in lines))
    report = verify(data, "--checkpoint", str(kept))
    assert kinds(report) == {"truncated"} and report["kept_notes"] == notes_in(lines) > 0


#: Forms in which a note cannot be read, and which must not pass for a log without one.
UNREADABLE: dict[str, Callable[[str], str]] = {
    "another member": lambda line: json.dumps({"host": "a", "event": {"original": line}}),
    "written anew": lambda line: "node-a " + json.dumps(json.loads(line)),
    "cut off": lambda line: f"2026-11-30T08:00:00Z stderr P {line[:-20]}",
    "the words of a terminal": lambda line: "08:00:00 notice: audit checkpoint note=" + json.dumps(json.loads(line)["note"]),
}


@pytest.mark.parametrize("form", UNREADABLE)
def test_a_note_in_a_form_that_cannot_be_read_is_named_although_others_can_be(logged, tmp_path, form):
    data, lines, note = logged
    unknown = [UNREADABLE[form](line) for line in lines if '"note":"' in line]
    kept = tmp_path / "service.log"
    with Log(data) as log:
        kept.write_text(log.checkpoints("demo")[0]["note"] + "".join(f"{line}\n" for line in unknown))
    report = verify(data, "--checkpoint", str(kept))
    assert kinds(report) == {"unreadable"} and report["kept_notes"] == 1
    assert len(report["problems"]) == len(unknown)


def test_a_quoted_signed_note_is_named_too(logged, tmp_path):
    data, _, note = logged
    kept = tmp_path / "mail"
    kept.write_text("".join(f"> {line}\n" for line in note.splitlines()))
    assert kinds(verify(data, "--checkpoint", str(kept))) == {"unreadable"}


def test_what_a_browser_calls_itself_is_no_note(start_demo, tmp_path):
    demo = start_demo("--no-limits")
    agent = '"note":"' + json.dumps({"note": "x"})
    assert demo.redeem(demo.issue()["token"], {**wire.NAVIGATION, "User-Agent": agent}).status == 303
    assert demo.stop() == 0
    export = instance.run("audit", "export", "--data", str(demo.data)).stdout.decode()
    assert json.dumps(agent)[1:-1] in export
    lines = [*export.splitlines(), *demo.stderr_path.read_text().splitlines()]
    kept = tmp_path / "kept"
    kept.write_text("".join(f"{line}\n" + "".join(f"{wrap(line)}\n" for wrap in WRAPPERS.values()) for line in lines))
    assert verify(demo.data, "--checkpoint", str(kept))["valid"]


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


def test_an_export_in_a_pipe_is_refused_and_notes_in_one_are_read(copy, tmp_path):
    public = tmp_path / "audit.pub"
    public.write_bytes(instance.run("audit", "public-key", "--data", str(copy)).stdout)
    export = instance.run("audit", "export", "--data", str(copy)).stdout
    trusting = ["audit", "verify", "--public-key", str(public)]
    done = instance.run(*trusting, "--export", "/dev/stdin", stdin=export, check=False)
    assert (done.returncode, done.stdout) == (1, b"")
    assert b"Cannot verify /dev/stdin: it is a pipe or a device" in done.stderr
    notes = (copy / "audit-checkpoints").read_bytes()
    done = instance.run(*trusting, "--data", str(copy), "--checkpoint", "/dev/stdin", stdin=notes)
    assert json.loads(done.stdout)["kept_notes"] == 6


def test_our_own_reading_of_the_format_is_the_programs(original):
    with Log(original) as log:
        key = Key(original / "audit-signing-key")
        previous = auditlog.GENESIS
        for row in log.rows("demo"):
            assert row["previous_hash"] == previous and row["hash"] == auditlog.event_hash(row)
            previous = row["hash"]
        for row in log.checkpoints("demo"):
            assert row["note"] == key.checkpoint("demo", row["size"], row["hash"], row["at"])


@pytest.mark.parametrize("adopted, retention, checkpoint, days, least", list(product(
    [False, True], [0, 86_400], [True, False], [0, 2], [0, 86_400])))
def test_a_cut_stands_where_the_format_says_so(copy, adopted, retention, checkpoint, days, least):
    """Also one that an administrator accepted, which has no retention and may have no checkpoint."""
    with Log(copy) as log:
        key = Key(copy / "audit-signing-key")
        place = cut_at_a_checkpoint(log)
        cut = {**place, "at": place["at"] + days * DAY, "retention": retention, "adopted": adopted}
        if not checkpoint:
            log.run("DELETE FROM audit_checkpoint WHERE node = 'demo' AND size <= ?", place["size"])
        log.put_cut("demo", place["size"], key.cut("demo", place["size"], cut["hash"], retention, cut["at"], adopted))
    (copy / "audit-checkpoints").unlink()
    report = verify(copy, *(["--retention", f"{least}s"] if least else []))
    stands = auditlog.cut_stands(cut, place if checkpoint else None, least)
    assert report["valid"] is stands and len(report["cuts"]) == (1 if stands else 0), report


# Checkpoints that the database has lost

def test_checkpoints_that_were_removed_are_shown_by_those_kept_elsewhere(copy, tmp_path):
    elsewhere = tmp_path / "kept-elsewhere"
    shutil.copy(copy / "audit-checkpoints", elsewhere)
    with Log(copy) as log:
        first = log.checkpoints("demo")[0]["size"]
        assert log.run("DELETE FROM audit_checkpoint") == 3
    lost = [{"node": "demo", "sequence": first, "id": f"demo-{first}", "kind": "checkpoint_missing"}]
    assert verify(copy)["problems"] == lost
    (copy / "audit-checkpoints").unlink()
    assert verify(copy)["valid"], "nothing in the database shows it"
    assert verify(copy, "--checkpoint", str(elsewhere))["problems"] == lost


def test_checkpoints_that_were_removed_can_be_accepted(copy):
    with Log(copy) as log:
        first = log.checkpoints("demo")[0]["size"]
        assert log.run("DELETE FROM audit_checkpoint") == 3
    done = instance.run("audit", "accept", "--data", str(copy), "--reason", "ticket 7")
    assert f"Checkpoints from demo-{first} on are gone from the database".encode() in done.stdout
    [aside] = copy.glob("audit-checkpoints.accepted-*")
    assert verify(copy)["valid"]
    assert kinds(verify(copy, "--checkpoint", str(aside))) == {"checkpoint_missing"}
    with Log(copy) as log:
        [event] = [row for row in log.rows("main-cli") if row["type"] == "audit.accepted"]
    assert event["reason"] == "checkpoint_missing" and json.loads(event["detail"])["said"] == "ticket 7"


def test_an_earlier_state_of_the_database_lacks_the_checkpoint_over_its_end_and_is_whole(copy):
    with Log(copy) as log:
        assert log.run("DELETE FROM audit_checkpoint WHERE size = ?", log.checkpoints("demo")[-1]["size"]) == 1
    report = verify(copy)
    assert report["valid"] and report["checkpoints"] == 2 and report["kept_notes"] == 3


def test_backups_made_between_an_event_and_its_checkpoint_leave_a_whole_log_when_they_are_restored(
        copy, tmp_path, start_demo):
    lost = set()
    for life in range(2):
        # What such a backup has: the events, and not yet the checkpoint over them that the file has.
        with Log(copy) as log:
            last = log.checkpoints("demo")[-1]["size"]
            assert log.rows("demo")[-1]["sequence"] == last
            assert log.run("DELETE FROM audit_checkpoint WHERE node = 'demo' AND size = ?", last) == 1
        lost.add(last)
        folder = tmp_path / f"backup-{life}"
        instance.run("backup", str(folder), "--data", str(copy))
        assert b"contradicts nothing" in instance.run("restore", str(folder), "--data", str(copy)).stdout
        assert verify(copy)["valid"]
        demo = copied_demo(copy, start_demo)
        demo.sign_in("carol")
        assert demo.stop() == 0
        assert verify(copy)["valid"]
    kept = {json.loads(line)["checkpoint"]["size"] for line in (copy / "audit-checkpoints").read_text().splitlines()
            if json.loads(line)["checkpoint"]["node"] == "demo"}
    with Log(copy) as log:
        assert kept - {row["size"] for row in log.checkpoints("demo")} == lost, "the database lacks both for good"


def test_a_crash_before_a_note_is_in_the_file_leaves_a_whole_log(copy, start_demo):
    notes = copy / "audit-checkpoints"
    notes.write_text("".join(notes.read_text().splitlines(keepends=True)[:-1]))
    report = verify(copy)
    assert report["valid"] and report["checkpoints"] == 3 and report["kept_notes"] == 2
    demo = copied_demo(copy, start_demo)
    demo.sign_in("carol")
    demo.kill()
    assert verify(copy)["valid"]
    demo = copied_demo(copy, start_demo)
    assert demo.stop() == 0
    assert verify(copy)["valid"]


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


def test_retention_signs_what_it_removes(aged, tmp_path):
    aged.start()
    wait_until(lambda: first_sequence(aged) > 1, 20, "the cut")
    assert aged.readiness().degraded == []
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
    assert aged.readiness().degraded == []
    assert aged.stop() == 0
    report = report_of(aged, "--retention", "2d")
    assert report["valid"] is True
    assert [(cut["through"], cut["adopted"]) for cut in report["cuts"]] == [(checkpoint["size"], True)]
    assert "adopted a cut of the audit log" in aged.output


# What the server says of it

def copied_demo(copy: Path, start_demo) -> instance.Demo:
    return start_demo("--no-limits", data=copy)


def problems(demo: instance.Demo) -> float:
    return demo.metrics()["drawbridge_audit_log_problems"]


def test_a_start_compares_the_database_with_the_notes_beside_the_key(copy, start_demo):
    with Log(copy) as log:
        cut_at_the_end_with_checkpoints(log, Key(copy / "audit-signing-key"))
        first = len(log.rows("demo")) + 1
    demo = copied_demo(copy, start_demo)
    said = demo.readiness()
    assert said.status == 200 and said.degraded == ["audit_log"]
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
    assert demo.readiness().degraded == ["audit_log"]
    demo.stop()
    assert not verify(copy)["valid"]
    done = instance.run("audit", "accept", "--data", str(copy), "--reason", "restored a backup")
    assert b"Accepted." in done.stdout
    [aside] = copy.glob("audit-checkpoints.accepted-*")
    assert verify(copy)["valid"]
    assert not verify(copy, "--checkpoint", str(aside))["valid"], "what was kept still shows what happened"
    demo = copied_demo(copy, start_demo)
    assert demo.readiness().degraded == [] and problems(demo) == 0
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
    assert demo.readiness().degraded == ["audit_log"]
    demo.stop()
    instance.run("audit", "accept", "--data", str(copy), "--reason", "the disk lost it")
    report = verify(copy)
    assert report["valid"] and [(cut["adopted"], cut["retention"]) for cut in report["cuts"]] == [(True, 0)]
    assert kinds(verify(copy, "--retention", "1d")) == {"retention_too_short", "missing"}


@dataclass
class Tables:
    """A server, and the tables of its audit log as whoever has the database's password sees them."""
    server: instance.Served
    run: Callable[[str], list]

    def audit(self, *words: str) -> subprocess.CompletedProcess:
        return instance.run("audit", *words, "--config", str(self.server.settings))

    def live(self, issues: int):
        """Ends with a checkpoint."""
        self.server.start()
        for _ in range(issues):
            self.server.issue()
        assert self.server.stop() == 0

    def checkpoints(self) -> list[tuple[int, str]]:
        rows = self.run("SELECT size, hash FROM audit_checkpoint WHERE node = 'main' ORDER BY size")
        return [(int(size), digest) for size, digest in rows]

    def details(self, kind: str) -> list[dict]:
        return [json.loads(detail) for (detail,) in self.run(
            f"SELECT detail FROM audit_event WHERE type = '{kind}' ORDER BY node, sequence")]


@pytest.fixture(params=["sqlite", "postgres"])
def tables(request, serve) -> Tables:
    """Those of a server that has lived twice and is stopped."""
    if request.param == "sqlite":
        server = serve("limits: {enabled: false}\n")

        def run(sql: str) -> list:
            with closing(sqlite3.connect(server.data / "drawbridge.sqlite")) as connection, connection:
                return connection.execute(sql).fetchall()
    else:
        postgres = request.getfixturevalue("postgres")
        database = f"audit_{secrets.token_hex(4)}"
        server = serve(f"database: {postgres.create(database)}\nlimits: {{enabled: false}}\n")

        def run(sql: str) -> list:
            return postgres.query(sql, database)
    assert server.stop() == 0
    tables = Tables(server, run)
    tables.live(3)
    return tables


def remove_end(tables: Tables, through: int):
    """With the checkpoints over it, so that nothing in the database shows it."""
    tables.run(f"DELETE FROM audit_event WHERE node = 'main' AND sequence > {through}")
    tables.run(f"DELETE FROM audit_checkpoint WHERE node = 'main' AND size > {through}")


def test_a_beginning_that_the_key_before_this_one_signed_for_hides_no_end_that_is_gone(tables, tmp_path):
    server, key, public = tables.server, Key(tables.server.data / "audit-signing-key"), tmp_path / "audit.pub"

    def add_public_key():
        with public.open("ab") as file:
            file.write(tables.audit("public-key").stdout)

    # As retention does it.
    size, digest = tables.checkpoints()[0]
    note = key.cut("main", size, digest, 0, auditlog.now())
    tables.run(f"INSERT INTO audit_cut (node, through, note) VALUES ('main', {size}, '{note}')")
    tables.run(f"DELETE FROM audit_event WHERE node = 'main' AND sequence <= {size}")
    with (server.data / "audit-checkpoints").open("a") as file:
        file.write(json.dumps({"cut": {"note": note}}) + "\n")
    # As the runbook has it.
    add_public_key()
    assert report_of(server, "--public-key", str(public))["valid"]
    (server.data / "audit-signing-key").rename(tmp_path / "leaked")
    instance.run("keys", "init", "--config", str(server.settings))
    add_public_key()
    tables.live(1)
    end = tables.checkpoints()[-1][0]
    tables.live(40)
    assert report_of(server, "--public-key", str(public))["valid"]
    assert all("truncated" not in str(detail) for detail in tables.details("audit.contradicted"))

    remove_end(tables, end)
    server.start()
    assert server.readiness().degraded == ["audit_log"]
    told = {(line["kind"], line["id"]) for line in server.json_lines() if line.get("level") == "error" and "kind" in line}
    assert server.stop() == 0
    assert {("missing", "main-1"), ("cut_unknown_key", f"main-{size}")} < told
    assert {kind for kind, _ in told} == {"missing", "cut_unknown_key", "truncated"}
    assert set(tables.details("audit.contradicted")[-1]["problems"]) == {f"{place} {kind}" for kind, place in told}

    said = tables.audit("accept", "--reason", "key replaced, ticket 7").stdout.decode()
    assert "main-1: missing\n" in said and f"main-{size}: cut_unknown_key\n" in said and "ends before main-" in said
    # What only the whole verification finds: the database's own checkpoints are by two keys.
    assert f"main-{size}: checkpoint_unknown_key\n" in said
    [accepted] = tables.details("audit.accepted")
    named = [problem.split()[1] for problem in accepted["problems"]]
    assert {"missing", "truncated", "cut_unknown_key", "checkpoint_unknown_key"} <= set(named)
    assert accepted["count"] == len(named) <= 20 and accepted["said"] == "key replaced, ticket 7"
    assert report_of(server, "--public-key", str(public))["valid"]
    [aside] = server.data.glob("audit-checkpoints.accepted-*")
    assert kinds(report_of(server, "--public-key", str(public), "--checkpoint", str(aside))) == {"truncated"}


def test_both_ends_that_are_gone_are_named_when_they_are_accepted(tables):
    tables.live(3)
    sizes = [size for size, _ in tables.checkpoints()]
    tables.run(f"DELETE FROM audit_event WHERE node = 'main' AND sequence <= {sizes[0]}")
    remove_end(tables, sizes[1])
    said = tables.audit("accept", "--reason", "the disk lost it").stdout.decode()
    assert "main-1: missing\n" in said and f"ends before main-{sizes[1] + 1}: " in said
    [accepted] = tables.details("audit.accepted")
    assert accepted["problems"] == ["main-1 missing", f"main-{sizes[1] + 1} truncated"]
    assert report_of(tables.server)["valid"]


def test_a_node_that_cannot_keep_its_notes_says_so_and_goes_on(copy, start_demo):
    (copy / "audit-checkpoints").unlink()
    (copy / "audit-checkpoints").mkdir()
    demo = copied_demo(copy, start_demo)
    demo.sign_in()
    assert demo.stop() == 0
    assert any("cannot be kept outside of the database" in line.get("message", "") for line in demo.json_lines())


def test_a_command_that_cannot_keep_its_notes_says_so_and_is_done_all_the_same(copy):
    (copy / "audit-checkpoints").unlink()
    (copy / "audit-checkpoints").mkdir()
    done = instance.run("users", "add", "newcomer", "--data", str(copy), stdin=b"a password of theirs\n")
    assert done.stdout.startswith(b"Added newcomer ")
    told = done.stderr.decode()
    assert "audit checkpoints cannot be kept outside of the database" in told and f"{copy}/audit-checkpoints" in told, told


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
                           (["--checkpoint", str(tmp_path / "missing")], "missing: no such file or directory."),
                           (["--retention", "forever"], "--retention must be a duration")]:
        done = instance.run("audit", "verify", "--data", str(copy), *options, check=False)
        assert done.returncode != 0 and words in done.stderr.decode(), done
