"""Rows that cannot be read, in front of the real program: reported, marked, passed by, and in the way of nothing."""

import csv
import io
import json
import sqlite3

import pytest

import auditlog
import instance
from admin import Admin
from instance import wait_until

#: As a thief would leave a row, by what is then unreadable.
DAMAGES = {
    "an unknown outcome": ("outcome", "'maybe'"), "a text for a time": ("at", "'yesterday'"),
    "a time before the year 0": ("at", "-62167219200001"), "the earliest number": ("at", "-9223372036854775808"),
    "a time after the year 9999": ("at", "253402300800000"), "bytes for a type": ("type", "x'ff00'"),
    "text that is no UTF-8": ("user_agent", "CAST(x'ff' AS TEXT)"),
    "a sequence without end": ("sequence", "9223372036854775807"),
    "a negative sequence": ("sequence", "-5"), "a node of bytes": ("node", "x'fe'"),
    "a huge text": ("detail", "hex(zeroblob(2000000))"),
}


@pytest.fixture(scope="module")
def demo():
    server = instance.Demo("--no-limits")
    yield server
    server.alive_or_fail()
    assert server.stop() == 0


@pytest.fixture
def damaged(demo, request):
    """One event of a running server, changed by SQL, and mended afterwards."""
    column, value = DAMAGES[request.param]
    demo.sign_in("alice")
    with sqlite3.connect(demo.data / "drawbridge.sqlite", timeout=10, isolation_level=None) as connection:
        [row] = connection.execute(
            "SELECT * FROM audit_event WHERE node = 'demo' AND type = 'login_token.issued' ORDER BY sequence DESC LIMIT 1")
        names = [name for name, *_ in connection.execute("SELECT * FROM audit_event LIMIT 0").description]
        record = dict(zip(names, row))
        where = f"node = 'demo' AND sequence = {record['sequence']}"
        assert connection.execute(f"UPDATE audit_event SET {column} = {value} WHERE {where}").rowcount == 1
        try:
            yield record | {"damaged_column": column}
        finally:
            connection.execute("DELETE FROM audit_event WHERE hash = ?", [record["hash"]])
            connection.execute(f"INSERT INTO audit_event VALUES ({', '.join('?' * len(row))})", row)


every_damage = pytest.mark.parametrize("damaged", DAMAGES, indirect=True)


@every_damage
def test_everything_goes_on_past_it(demo, damaged):
    admin = Admin(demo)
    # Verification names it, by API and command.
    report = admin.get("audit/verify").json()
    place = {("demo", damaged["sequence"])}
    assert report["valid"] is False and place & {(p["node"], p["sequence"]) for p in report["problems"]}
    assert auditlog.kinds(report) & {"unreadable"}
    assert auditlog.kinds(auditlog.verify(demo.data)) == auditlog.kinds(report)
    # Searches mark it.
    pages = admin.pages(20)
    marked = [item for page in pages for item in page if "damaged" in item]
    assert len(marked) == 1 and marked[0]["part"] == "event" and marked[0]["damaged"]
    assert admin.get("audit-events", q="alice").status == 200
    # Pages show it.
    for path, text in [("events", "cannot be read"), ("", "Live sessions"), ("nodes?verify=1", "Audit chains")]:
        page = demo.send("GET", f"/admin/{path}", admin.headers)
        assert page.status == 200 and text in page.text, (path, page)
    page = demo.send("GET", f"/admin/events/demo-{damaged['sequence']}", admin.headers)
    # Damage to what an event's page is found by leaves nothing in its place.
    is_lost = damaged["damaged_column"] in ["node", "sequence"]
    assert (page.status, "cannot be read" in page.text) == ((404, False) if is_lost else (200, True))
    # Exports pass it by, with a line that says so.
    lines = [json.loads(line) for line in admin.get("audit-events.jsonl").body.splitlines()]
    assert len([line for line in lines if "damaged" in line]) == 1
    ocsf = [json.loads(line) for line in admin.get("audit-events.ocsf.jsonl").body.splitlines()]
    [base] = [line for line in ocsf if line["class_uid"] == 0]
    assert base["unmapped"]["damaged"] == marked[0]["damaged"] and base["type_uid"] == 99
    table = list(csv.reader(io.StringIO(admin.get("audit-events.csv").body.decode(), newline="")))
    assert {len(row) for row in table} == {18} and len([row for row in table if row[2] == "damaged"]) == 1
    # The header, and the event of the export itself.
    assert len(ocsf) == len(table) - 2
    # Commands print it.
    for command in ["tail", "search"]:
        done = instance.run("audit", command, "--data", str(demo.data))
        assert done.stdout
    # And it is written on.
    token = demo.issue("bob")
    assert demo.redeem(token["token"]).status == 303
    assert {event["type"] for event in admin.events(token_id=token["id"])} >= {"login_token.issued", "login_token.redeemed"}


@pytest.mark.parametrize("damaged", ["an unknown outcome", "a text for a time", "a node of bytes"], indirect=True)
def test_a_stream_goes_on_past_it(demo, damaged):
    stream = Admin(demo).follow()
    wait_until(lambda: stream.last_id, what="the stream's first line")
    token = demo.issue("carol")
    wait_until(lambda: any(event.get("token_id") == token["id"] for event in stream.events), what="the event")


@pytest.mark.parametrize("time", ["0000-01-01T00:00:00.000+01:00", "9999-12-31T23:59:60.000Z", "-001-01-01T00:00:00.000Z"])
def test_a_time_out_of_all_years_ends_no_process(demo, tmp_path, time):
    demo.sign_in("alice")
    admin = Admin(demo)
    with sqlite3.connect(demo.data / "drawbridge.sqlite", timeout=10, isolation_level=None) as connection:
        key = auditlog.Key(demo.data / "audit-signing-key")
        [(digest,)] = connection.execute("SELECT hash FROM audit_event WHERE node = 'demo' AND sequence = 2").fetchall()
        note = key.checkpoint("demo", 2, digest, 0).replace("1970-01-01T00:00:00.000Z", time)
        connection.execute("INSERT INTO audit_checkpoint VALUES ('demo', 2, 0, ?, ?)", [digest, note])
        try:
            report = admin.get("audit/verify").json()
            assert report["valid"] is False and "checkpoint_malformed" in auditlog.kinds(report)
            export, public = tmp_path / "evil.jsonl", tmp_path / "audit.pub"
            export.write_bytes(admin.get("audit-events.jsonl").body)
        finally:
            connection.execute("DELETE FROM audit_checkpoint WHERE node = 'demo' AND size = 2")
    public.write_bytes(instance.run("audit", "public-key", "--data", str(demo.data)).stdout)
    done = instance.run("audit", "verify", "--export", str(export), "--public-key", str(public), check=False)
    assert done.returncode == 1 and "checkpoint_malformed" in auditlog.kinds(json.loads(done.stdout))
    lines = export.read_text().splitlines(keepends=True)
    lines[0] = lines[0].replace("1970-01-01T00:00:00.000Z", time, 1)
    export.write_text("".join(lines))
    done = instance.run("audit", "verify", "--export", str(export), "--public-key", str(public), check=False)
    [told] = [problem for problem in json.loads(done.stdout)["problems"] if problem.get("line")]
    assert done.returncode == 1 and (told["node"], told["sequence"], told["line"]) == ("demo", 2, 1)


def test_a_line_of_an_export_that_cannot_be_read_is_a_problem_and_the_rest_is_verified(demo, tmp_path):
    """Contract §8: what cannot be parsed is a problem with its place, never an error."""
    demo.sign_in("alice")
    export, public = tmp_path / "export.jsonl", tmp_path / "audit.pub"
    public.write_bytes(instance.run("audit", "public-key", "--data", str(demo.data)).stdout)
    whole = instance.run("audit", "export", "--data", str(demo.data)).stdout.splitlines()
    events = [number for number, line in enumerate(whole) if line.startswith(b'{"id"')]

    def verify(lines: list[bytes], end: bytes = b"\n") -> dict:
        export.write_bytes(b"\n".join(lines) + end)
        done = instance.run("audit", "verify", "--export", str(export), "--public-key", str(public), check=False)
        report = json.loads(done.stdout)
        assert done.returncode == (0 if report["valid"] else 1)
        assert all({"node", "sequence", "id", "kind"} <= set(problem) for problem in report["problems"])
        return report

    assert verify(whole)["valid"]
    middle = events[1]
    for bad in [b"not json", b"", b"{", b"\xff\x00", b"[]", b"x" * (1 << 20) + b"x"]:
        report = verify([*whole[:middle], bad, *whole[middle + 1:]])
        assert report["events"] == len(events) - 1, bad[:9]
        [told] = [problem for problem in report["problems"] if problem["kind"] == "unreadable"]
        assert told["line"] == middle + 1 and (told["node"], told["sequence"], told["id"]) == (None, None, None)
        # That the event is gone is told with its place.
        assert "missing" in auditlog.kinds(report)
    known = json.loads(whole[middle])
    report = verify([*whole[:middle], whole[middle].replace(b'"outcome":', b'"outcomes":'), *whole[middle + 1:]])
    [told] = report["problems"]
    assert told == {"node": known["node"], "sequence": known["sequence"], "id": known["id"], "kind": "unreadable",
                    "field": "outcome", "line": middle + 1}
    report = verify([*whole[:-1], whole[-1][:-9]], end=b"")
    assert [problem["field"] for problem in report["problems"] if problem.get("line") == len(whole)] == ["end"]
