"""The admin API over the wire (contract §8, §13): who gets in, what it finds, what it changes."""

import csv
import io
import json
import re
import socket
import time
from datetime import datetime, timedelta, timezone
from html import unescape
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

import instance
import oauth
import signing
import wire
from admin import Admin
from instance import wait_until
from native import App


@pytest.fixture
def admin(demo):
    return Admin(demo)


ROUTES = [
    ("GET", "audit-events"), ("GET", "audit-events.csv"), ("GET", "audit-events.jsonl"),
    ("GET", "audit-events.ocsf.jsonl"), ("GET", "audit-events/stream"), ("GET", "audit-events/demo-1"),
    ("GET", "audit/verify"), ("GET", "clients"), ("POST", "clients"), ("GET", "clients/demo-web"),
    ("PUT", "clients/demo-web"), ("PATCH", "clients/demo-web"), ("DELETE", "clients/demo-web"),
    ("POST", "clients/demo-web/secret"), ("GET", "users"), ("POST", "users"), ("GET", "users/alice"),
    ("PATCH", "users/alice"), ("GET", "users/alice/sessions"), ("DELETE", "users/alice/sessions"),
    ("DELETE", "sessions/x"), ("GET", "keys"), ("POST", "keys/rotate"), ("POST", "explain"),
]


@pytest.mark.parametrize("method, path", ROUTES)
def test_every_route_refuses_whoever_is_no_administrator(demo, method, path):
    cookie = demo.sign_in("bob")
    for headers, status, challenge in [
        ({}, 401, "Bearer"),
        ({"Authorization": "Bearer nonsense"}, 401, 'Bearer error="invalid_token"'),
        ({"Authorization": "Basic YWxpY2U6eA=="}, 401, "Bearer"),
        ({"Authorization": f"Bearer {demo.facts['admin_token'][:-1]}x"}, 401, 'Bearer error="invalid_token"'),
        ({"Authorization": f"Bearer {demo.bearer('alice', exp=int(time.time()) - 60)}"}, 401,
         'Bearer error="invalid_token"'),
        ({"Authorization": f"Bearer {demo.bearer('alice')}"}, 403, 'Bearer error="insufficient_scope", scope="admin"'),
        ({"Cookie": cookie}, 403, 'Bearer error="insufficient_scope", scope="admin"'),
    ]:
        answer = demo.send(method, f"/api/admin/{path}", headers)
        assert (answer.status, answer.header("WWW-Authenticate")) == (status, challenge), (headers, answer.body)
        assert answer.json()["request_id"] == answer.header("X-Request-Id")


@pytest.fixture(scope="module")
def replay(demo):
    """One login whose token was used twice, and what it left in the log."""
    issued = demo.issue("alice")
    first = demo.redeem(issued["token"])
    assert first.status == 303
    assert demo.redeem(issued["token"], wire.OTHER_BROWSER).status == 400
    return issued


def test_a_search_finds_by_every_filter(admin, replay):
    found = admin.events(token_id=replay["id"])
    assert [event["type"] for event in found] == [
        "web_session.ended", "login_token.replayed", "web_session.opened", "login_token.redeemed", "login_token.issued"]
    replayed = next(event for event in found if event["type"] == "login_token.replayed")
    assert set(replayed) >= {
        "id", "at", "type", "outcome", "reason", "sub", "client_id", "target_client_id", "sid", "token_id", "ip",
        "user_agent", "request_id", "node", "hash", "previous_hash"}
    for name, value in [
        ("type", "login_token.replayed"), ("sub", replayed["sub"]), ("client_id", "demo-app"),
        ("client_id", "demo-web"), ("ip", "127.0.0.1"), ("ip", "127.0.0.0/8"), ("ip", "127.0.0.0/9"),
        ("request_id", replayed["request_id"]), ("sid", replayed["sid"]), ("outcome", "failure"),
        ("reason", "replayed"), ("q", "REPLAY"), ("q", "demo-web"), ("q", "safari"),
    ]:
        both = {"token_id": replay["id"], name: value}
        assert replayed in admin.events(**both), (name, value)
        if name != "q":
            assert replayed in admin.events(**{name: value}, limit=500), (name, value)
    for name, value in [
        ("type", "login_token.issued"), ("sub", "nobody"), ("client_id", "other"), ("ip", "192.0.2.1"),
        ("ip", "10.0.0.0/8"), ("request_id", "x"), ("sid", "x"), ("outcome", "success"), ("reason", "expired"),
        ("q", "nowhere"), ("from", "2099-01-01T00:00:00Z"), ("to", "2000-01-01T00:00:00Z"),
    ]:
        assert replayed not in admin.events(**{"token_id": replay["id"], name: value}), (name, value)


def test_an_event_is_found_by_its_time(admin, replay):
    event = admin.events(token_id=replay["id"], type="login_token.replayed")[0]
    at = datetime.fromisoformat(event["at"])
    before, after = at - timedelta(milliseconds=1), at + timedelta(milliseconds=1)
    assert event in admin.events(from_=before.isoformat(), to=after.isoformat())
    assert event in admin.events(from_=event["at"])
    assert event not in admin.events(to=event["at"], limit=500)
    zone = at.astimezone(timezone(timedelta(hours=5, minutes=30))).isoformat()
    assert event in admin.events(from_=zone, to=after.isoformat())


@pytest.mark.parametrize("query", [
    "from=yesterday", "to=2026-13-01T00:00:00Z", "from=2026-11-21", "type=replayed", "type=login_token.%2A",
    "outcome=maybe", "ip=300.1.1.1", "ip=10.0.0.0/33", "limit=0", "limit=501", "limit=-1", "limit=x", "cursor=x",
    "cursor=!!", "unknown=1", "sub=a&sub=b", "sub=%ff", "q=%zz", "from=2026-11-22T00:00:00Z&to=2026-11-21T00:00:00Z",
])
def test_a_filter_that_is_not_understood_is_refused(admin, query):
    for path in ["audit-events", "audit-events.csv"]:
        if path.endswith("csv") and query == "limit=501":
            continue
        answer = admin.send("GET", f"{path}?{query}")
        assert answer.status == 400, (path, answer.body)
        assert answer.json()["error"] == "invalid_request"


@pytest.mark.parametrize("name", [
    "from", "to", "type", "outcome", "reason", "sub", "client_id", "sid", "token_id", "ip", "request_id", "q"])
@pytest.mark.parametrize("path", ["", ".csv", ".jsonl", ".ocsf.jsonl", "/stream"])
def test_an_empty_filter_lets_nothing_through_and_is_named(admin, path, name):
    answer = admin.send("GET", f"audit-events{path}?{name}=")
    assert answer.status == 400, answer.body
    assert answer.json()["error_description"].startswith(f"{name} is empty")


@pytest.mark.parametrize("query", ["?limit=", "?cursor=", ".csv?limit=", ".jsonl?limit=", ".ocsf.jsonl?limit="])
def test_an_empty_limit_or_cursor_is_refused(admin, query):
    answer = admin.send("GET", f"audit-events{query}")
    assert answer.status == 400 and answer.json()["error"] == "invalid_request", answer.body


@pytest.mark.parametrize("path", [
    "audit-events", "users", "users?q=a", "clients", "keys", "users/alice/sessions", "users/alice/device-secrets"])
def test_13_an_empty_cursor_is_refused_in_every_list(admin, path):
    """Whoever sends it after the last page would get the first one again, for ever."""
    answer = admin.send("GET", f"{path}{'&' if '?' in path else '?'}cursor=")
    assert answer.status == 400 and answer.json()["error_description"] == "cursor is empty", answer.body


def test_pages_neither_repeat_nor_lose_an_event_while_new_ones_come(admin, demo):
    for _ in range(6):
        demo.issue("pager")
    want = [event["id"] for event in admin.events(sub="pager", limit=500)]
    seen, cursor = [], None
    while True:
        body = admin.get("audit-events", sub="pager", limit=2, **({"cursor": cursor} if cursor else {})).json()
        seen += [event["id"] for event in body["items"]]
        cursor = body["next_cursor"]
        if cursor is None:
            break
        demo.issue("pager")
    assert seen == want


def test_one_event_by_its_id(admin, replay):
    event = admin.events(token_id=replay["id"])[0]
    assert admin.get(f"audit-events/{event['id']}").json() == event
    assert admin.get("audit-events/demo-999999999").status == 404
    assert admin.get("audit-events/nonsense").status == 404
    assert admin.send("GET", f"audit-events/{event['id']}?x=1").status == 400


def test_contract_8_an_export_takes_the_limit_that_the_search_takes(admin, demo):
    for _ in range(3):
        demo.issue("exporter")
    newest = [event["id"] for event in admin.events(sub="exporter", limit=2)]
    lines = admin.get("audit-events.jsonl", sub="exporter", limit=2).text.splitlines()
    assert [json.loads(line)["id"] for line in lines] == newest
    table = list(csv.DictReader(io.StringIO(admin.get("audit-events.csv", sub="exporter", limit=2).text)))
    assert [row["id"] for row in table] == newest
    assert len(admin.get("audit-events.ocsf.jsonl", limit=1).text.splitlines()) == 1
    assert len(admin.get("audit-events.jsonl", sub="exporter", limit=1000000).text.splitlines()) >= 3
    assert admin.get("audit-events.csv", limit=1000001).status == 400


def test_a_table_has_the_ids_and_hashes_of_the_log_itself(admin, demo):
    # One in 64 begins with a dash, as formulas do.
    for _ in range(100):
        demo.issue("table")
    table = list(csv.DictReader(io.StringIO(admin.get("audit-events.csv", sub="table").text)))
    want = [event for page in admin.pages(limit=500, sub="table") for event in page]
    names = ["id", "sub", "token_id", "hash", "previous_hash"]
    assert [[row[name] for name in names] for row in table] == [[event[name] or "" for name in names] for event in want]
    assert len(table) >= 100


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_attack_a_user_agent_is_a_formula_for_no_reader_of_a_table(admin, demo, delimiter):
    formula = "=cmd|'/C calc'!A0"
    agents = [f"Mozilla{separator}{formula};x" for separator in [";", "; ", ';"', ';""', "\t", ";\t", ';" ";']] + [formula]
    for agent in agents:
        assert demo.post_issue(sub="formula", headers={"User-Agent": agent}).status == 200, agent
    table = admin.get("audit-events.csv", sub="formula").text
    assert table.count("=cmd|") >= len(agents)
    for row in csv.reader(io.StringIO(table, newline=""), delimiter=delimiter):
        for cell in row:
            assert not cell.lstrip(' "').startswith(("=", "+", "@", "-cmd")), (delimiter, cell)


def test_exports_hold_what_a_search_finds(admin, replay):
    want = admin.events(token_id=replay["id"], limit=500)
    lines = admin.get("audit-events.jsonl", token_id=replay["id"])
    assert lines.header("Content-Disposition").startswith("attachment")
    assert [json.loads(line) for line in lines.text.splitlines()] == want
    table = list(csv.DictReader(io.StringIO(admin.get("audit-events.csv", token_id=replay["id"]).text)))
    assert [row["id"] for row in table] == [event["id"] for event in want]
    ocsf = [json.loads(line) for line in admin.get("audit-events.ocsf.jsonl", token_id=replay["id"]).text.splitlines()]
    assert [item["metadata"]["uid"] for item in ocsf] == [event["id"] for event in want]
    for item, event in zip(ocsf, want):
        assert (item["class_uid"], item["category_uid"]) == (3002, 3)
        assert item["type_uid"] == 300200 + item["activity_id"]
        assert item["status_id"] == (1 if event["outcome"] == "success" else 2)
        assert item["time"] == int(datetime.fromisoformat(event["at"]).timestamp() * 1000 + 0.5)
        assert item["user"]["uid"] == event["sub"]
        assert item["src_endpoint"]["ip"] == event["ip"]
    replayed = next(item for item in ocsf if item["message"] == "login_token.replayed")
    assert (replayed["activity_id"], replayed["severity_id"]) == (1, 4)
    exports = admin.events(type="audit.exported")
    assert json.loads(exports[0]["detail"]) == {
        "actor": "client:demo-admin", "format": "ocsf.jsonl", "filter_token_id": replay["id"]}
    for format in ["csv", "jsonl", "ocsf.jsonl"]:
        assert admin.send("HEAD", f"audit-events.{format}").status == 200
    assert admin.events(type="audit.exported") == exports, "nothing was sent"


def test_an_export_of_everything_verifies_without_the_database(admin, demo, tmp_path):
    export, key = tmp_path / "audit.jsonl", tmp_path / "audit.pub"
    export.write_bytes(admin.get("audit-events.jsonl").body)
    key.write_bytes(instance.run("audit", "public-key", "--data", str(demo.data)).stdout)
    done = instance.run("audit", "verify", "--export", str(export), "--public-key", str(key))
    assert json.loads(done.stdout)["valid"] is True
    lines = export.read_text().splitlines(keepends=True)
    events = [number for number, line in enumerate(lines) if '"checkpoint"' not in line[:20]]
    del lines[events[len(events) // 2]]
    export.write_text("".join(lines))
    done = instance.run("audit", "verify", "--export", str(export), "--public-key", str(key), check=False)
    assert done.returncode == 1
    assert json.loads(done.stdout)["problems"][0]["kind"] == "missing"


def test_the_log_verifies(admin):
    report = admin.get("audit/verify").json()
    assert report["valid"] is True and report["events"] > 0 and report["problems"] == []


def test_a_stream_brings_events_and_resumes(admin, demo):
    stream = admin.follow()
    assert stream.response.status == 200
    assert stream.response.getheader("Content-Type") == "text/event-stream"
    wait_until(lambda: stream.last_id, what="the stream's first line")
    first = demo.issue("streamer")
    event = wait_until(
        lambda: next((event for event in stream.events if event["token_id"] == first["id"]), None), what="the event")
    assert event == admin.events(token_id=first["id"])[0]
    last = stream.last_id
    stream.close()
    missed = demo.issue("streamer")
    again = admin.follow(last)
    wait_until(lambda: any(event["token_id"] == missed["id"] for event in again.events), what="what was missed")
    assert not any(event["token_id"] == first["id"] for event in again.events)
    again.close()
    narrow = admin.follow(last, "?type=login_token.revoked")
    wait_until(lambda: narrow.last_id, what="the stream's first line")
    revoked = demo.send("DELETE", f"/api/auth/sso-tokens/{missed['id']}", demo.authorization("streamer"))
    assert revoked.status == 204, revoked.text
    wait_until(lambda: narrow.events, what="the event")
    assert {event["type"] for event in narrow.events} == {"login_token.revoked"}
    narrow.close()
    for unknown in ["x y", "nowhere-1", "demo-99999999"]:
        assert admin.send("GET", "audit-events/stream", headers={"Last-Event-ID": unknown}).status == 400


def test_a_stream_resumes_after_an_events_own_id(admin, demo):
    first, missed = demo.issue("streamer"), demo.issue("streamer")
    event = admin.events(token_id=first["id"])[0]
    for stream in [admin.follow(event["id"]), admin.follow(query=f"?last_event_id={event['id']}")]:
        assert stream.response.status == 200
        wait_until(lambda: any(event["token_id"] == missed["id"] for event in stream.events), what="what was missed")
        assert not any(seen["token_id"] == first["id"] for seen in stream.events)
        stream.close()


def test_contract_8_fifty_streams_are_open_at_once_and_what_nobody_reads_is_none(start_demo):
    admin = Admin(start_demo("--no-limits"))
    request = (f"GET /api/admin/audit-events/stream HTTP/1.1\r\nHost: {urlsplit(admin.demo.base).netloc}\r\n"
               f"Authorization: {admin.headers['Authorization']}\r\n\r\n").encode()

    def ask() -> tuple[int, socket.socket]:
        connection = socket.create_connection(("127.0.0.1", admin.demo.port), timeout=15)
        connection.sendall(request)
        return int(connection.recv(4096).split()[1]), connection

    def opens() -> bool:
        status, connection = ask()
        connection.close()
        return status == 200

    for _ in range(51):
        assert admin.send("HEAD", "audit-events/stream").status == 200
    streams = [ask() for _ in range(50)]
    assert {status for status, _ in streams} == {200}
    refused = admin.get("audit-events/stream")
    assert (refused.status, refused.header("Retry-After")) == (429, "10")
    for _, connection in streams:
        connection.close()
    # The service finds out at its next line, which it writes twice a second, that nobody is there any more.
    wait_until(opens, 30, "a place for a stream")


def test_the_website_that_apps_open_by_default_is_not_deleted(admin):
    tag = admin.get("clients/demo-web").header("ETag")
    refused = admin.send("DELETE", "clients/demo-web", headers={"If-Match": tag})
    assert refused.status == 409 and "default_web_client" in refused.json()["error_description"]
    assert admin.get("clients/demo-web").status == 200


def test_clients_are_registered_changed_and_deleted(admin):
    document = {"client_name": "Shop", "client_type": "web", "token_endpoint_auth_method": "client_secret_basic",
                "return_paths": ["/home", "/account/*"], "default_return_path": "/home"}
    made = admin.send("POST", "clients", document)
    assert made.status == 201, made.body
    secret = made.json()["client_secret"]
    client_id = made.json()["client_id"]
    path = f"clients/{client_id}"
    shown = admin.get(path)
    tag = shown.header("ETag")
    assert tag == made.header("ETag")
    assert "client_secret" not in shown.json() and secret not in shown.text
    assert shown.json()["client_name"] == "Shop"
    assert client_id in [item["client_id"] for item in admin.get("clients", limit=500).json()["items"]]

    assert admin.send("PATCH", path, {"client_name": "Other"}).status == 428
    assert admin.send("PATCH", path, {"client_name": "Other"}, {"If-Match": '"stale"'}).status == 412
    patched = admin.send("PATCH", path, {"client_name": "Other"}, {"If-Match": tag})
    assert patched.status == 200, patched.body
    assert patched.json()["client_name"] == "Other" and patched.json()["return_paths"] == ["/home", "/account/*"]
    assert "client_secret" not in patched.json()
    assert admin.send("PATCH", path, {"client_name": "Lost"}, {"If-Match": tag}).status == 412

    tag = patched.header("ETag")
    replaced = admin.send("PUT", path, document, {"If-Match": tag})
    assert replaced.status == 200 and replaced.json()["client_name"] == "Shop"
    assert admin.send("PUT", path, {**document, "client_id": "another"}, {"If-Match": replaced.header("ETag")}
                      ).status == 400
    assert admin.send("DELETE", path).status == 428
    assert admin.send("DELETE", path, headers={"If-Match": tag}).status == 412
    assert admin.send("DELETE", path, {"reason": "test over"}, {"If-Match": replaced.header("ETag")}).status == 204
    assert admin.get(path).status == 404
    events = admin.events(client_id=client_id)
    assert [event["type"] for event in events] == [
        "client.deleted", "client.changed", "client.changed", "client.created"]
    assert events[0]["reason"] == "test over" and json.loads(events[0]["detail"])["actor"] == "client:demo-admin"
    assert [json.loads(event["detail"])["fields"] for event in events[1:3]] == [["client_name"], ["client_name"]]
    assert secret not in json.dumps(events)


def test_a_new_secret_is_told_from_a_new_name_and_brings_its_reason(admin):
    made = admin.send("POST", "clients", {"client_type": "service", "grant_types": ["client_credentials"]})
    path, tag = f"clients/{made.json()['client_id']}", {"If-Match": made.header("ETag")}
    for body, said in [({"reason": 7}, "reason"), ({"reson": "leak"}, "reson")]:
        refused = admin.send("POST", f"{path}/secret", body, tag)
        assert refused.status == 400 and said in refused.json()["error_description"], refused.text
    renewed = admin.send("POST", f"{path}/secret", {"reason": "leak"}, tag)
    assert renewed.status == 200 and renewed.json()["client_secret"], renewed.text
    assert admin.send("POST", f"{path}/secret", headers={"If-Match": renewed.header("ETag")}).status == 200
    plain, told, _ = admin.events(client_id=made.json()["client_id"])
    assert [event["reason"] for event in (told, plain)] == ["leak", "administrator"]
    assert json.loads(told["detail"])["fields"] == ["client_secret"]


@pytest.mark.parametrize("document, field", [
    ({"client_typ": "web"}, "client_typ"), ({"client_type": "website"}, "client_type"),
    ({"client_type": "web", "redeem": "maybe"}, "redeem"), ({"client_name": 7}, "client_name"),
    *(({"client_type": "web", "client_name": f"a{mark}b"}, "client_name") for mark in "\n\0\x1b\u202e\u2029"),
    ({"client_type": "web", "return_paths": ["/a"]}, "default_return_path"),
    ({"client_type": "web", "default_return_path": "x"}, "default_return_path"),
    ({"client_type": "web", "default_return_path": "/x"}, "return_paths is missing"),
    ({"client_type": "web", "session_lifetime": 1}, "session_lifetime"),
    ({"client_type": "web", "session_lifetime": 900.5}, "session_lifetime"), ({"client_secret": "mine"}, "client_secret"),
    ({"client_id": "a b"}, "client_id"), ({"may_reach": "demo-web"}, "may_reach"),
])
def test_a_document_that_is_wrong_is_refused_by_the_field(admin, document, field):
    answer = admin.send("POST", "clients", document)
    assert answer.status == 400, answer.body
    assert field in answer.json()["error_description"]


def test_a_whole_number_that_is_written_as_a_double_is_that_number(admin):
    """As some JSON writers send it; to the published schema it is an integer."""
    made = admin.send("POST", "clients", {"client_type": "web", "session_lifetime": 900.0})
    assert (made.status, made.json()["session_lifetime"]) == (201, 900), made.text
    path = f"clients/{made.json()['client_id']}"
    changed = admin.send("PATCH", path, {"session_lifetime": 600.0}, {"If-Match": "*"})
    assert [changed.json()[name] for name in ("session_lifetime", "session_idle")] == [600, 600], changed.text


@pytest.mark.parametrize("written", [{}, {"session_lifetime": 600}, {"session_idle": 900}], ids=str)
def test_14_a_patch_of_the_lifetime_alone_takes_the_idle_life_with_it(admin, written):
    """`session_idle` is shown whether or not anybody has written it (§13: `PATCH` merges)."""
    made = admin.send("POST", "clients", {"client_type": "web", **written})
    path = f"clients/{made.json()['client_id']}"

    def patch(**members):
        answer = admin.send("PATCH", path, members, {"If-Match": "*"})
        return answer.status, answer.json().get("session_lifetime"), answer.json().get("session_idle")

    assert patch(session_lifetime=300) == (200, 300, 300)
    assert patch(session_lifetime=3600) == (200, 3600, 300), "a longer one leaves the idle life as it is"
    assert patch(session_lifetime=200, session_idle=201)[0] == 400, "what is written together is checked together"
    assert patch(session_lifetime=90000, session_idle=80000) == (200, 90000, 80000)
    assert patch(session_lifetime=None) == (200, 43200, 1800)
    assert patch(session_idle=43201)[0] == 400


@pytest.mark.parametrize("domain", [".other.org", "127.0.0.1", ".a.www.example.com", ".xample.com"])
def test_14_a_cookie_domain_that_does_not_cover_the_website_is_refused(admin, domain):
    """Browsers drop such cookies, so each link would be used up with nobody signed in."""
    document = {"client_type": "web", "return_paths": ["/a"], "default_return_path": "/a",
                "cookie_profile": "tokens", "public_origin": "https://www.example.com"}
    refused = admin.send("POST", "clients", {**document, "cookie_domain": domain})
    assert refused.status == 400 and "cookie_domain" in refused.json()["error_description"], refused.text
    made = admin.send("POST", "clients", {**document, "cookie_domain": ".example.com"})
    assert made.status == 201, made.text
    path, match = f"clients/{made.json()['client_id']}", {"If-Match": "*"}
    refused = admin.send("PATCH", path, {"cookie_domain": domain}, match)
    assert refused.status == 400 and "cookie_domain" in refused.json()["error_description"], refused.text
    assert admin.send("PATCH", path, {"cookie_domain": "www.example.com"}, match).status == 200


def test_a_client_id_is_taken_once(admin):
    assert admin.send("POST", "clients", {"client_id": "demo-web", "client_type": "web"}).status == 409


def test_a_change_of_a_client_counts_at_once(start_demo):
    demo = start_demo("--no-limits")
    admin = Admin(demo)
    tag = admin.get("clients/demo-web").header("ETag")
    changed = admin.send("PATCH", "clients/demo-web", {"redeem": "confirm"}, {"If-Match": tag})
    assert changed.status == 200, changed.body
    answer = demo.redeem(demo.issue("alice")["token"])
    assert answer.status == 200 and "form_token" in answer.text


def test_sessions_are_listed_and_ended(admin, demo):
    demo.sign_in("seven")
    cookie = demo.sign_in("seven")
    listed = admin.sessions("seven")
    assert len(listed) == 2 and all(item["kind"] == "web" and item["active"] for item in listed)
    assert set(listed[0]) >= {"id", "kind", "parent", "client_id", "created_at", "expires_at", "origin"}
    check = demo.send("GET", "/auth/check", {"Cookie": cookie})
    own = check.header("X-Auth-Session")
    assert own in [item["id"] for item in listed]
    assert admin.send("DELETE", f"sessions/{own}", {"reason": "lost phone"}).status == 204
    assert demo.send("GET", "/auth/check", {"Cookie": cookie}).status == 401
    assert admin.send("DELETE", f"sessions/{own}").status == 404
    event = admin.events(sid=own, type="web_session.ended")[0]
    assert event["reason"] == "lost phone" and json.loads(event["detail"])["actor"] == "client:demo-admin"
    assert admin.send("DELETE", "users/seven/sessions").status == 204
    assert not any(item["active"] for item in admin.sessions("seven"))


@pytest.mark.parametrize("method, path", [
    ("GET", "users/a%00b"), ("GET", "users/a%00b/sessions"), ("PATCH", "users/a%00b"), ("DELETE", "users/a%00b/sessions"),
    ("DELETE", "sessions/a%00b"), ("GET", "users/a%00b/device-secrets"), ("DELETE", "device-secrets/a%00b"),
    ("GET", "clients/a%00b")])
def test_an_id_with_a_zero_byte_is_nobodys(admin, method, path):
    answer = admin.send(method, path, {}) if method != "GET" else admin.get(path)
    assert answer.status == 404, answer.body


@pytest.mark.parametrize("method, path", [
    ("GET", "users/nobody-at-all"), ("GET", "users/nobody-at-all/sessions"), ("DELETE", "users/nobody-at-all/sessions"),
    ("GET", "users/nobody-at-all/device-secrets")])
def test_what_belongs_to_nobody_is_not_found(admin, demo, method, path):
    assert admin.send(method, path).status == 404
    demo.issue("only-a-token")
    known = admin.send(method, path.replace("nobody-at-all", "only-a-token"))
    assert known.status == (204 if method == "DELETE" else 200), "a trusted issuer's user is known from the first token on"


@pytest.mark.parametrize("query", [{"retention": "x"}, {"foo": "1"}])
def test_a_verification_that_is_not_offered_is_refused(admin, query):
    answer = admin.get("audit/verify", **query)
    assert (answer.status, answer.json()["error"]) == (400, "invalid_request")


@pytest.mark.parametrize("query, words", [
    ({"cursor": "0" * 4097}, "cursor must be text of at most 4096 bytes"), ({"q": "0" * 513}, "q must be text of at most 512"),
    ({"q": "a\0b"}, "q must be text"), ({"limit": "501"}, "limit")])
def test_a_value_of_a_query_that_no_list_can_take_is_refused(admin, query, words):
    answer = admin.get("users", **query)
    assert answer.status == 400 and words in answer.json()["error_description"]


@pytest.mark.parametrize("query", ["limit=0", "limit=501", "limit=x", "cursor=x", "unknown=1"])
def test_a_query_that_the_list_of_keys_does_not_take_is_refused(admin, query):
    """Contract §13: it is a list like any other."""
    assert admin.send("GET", f"keys?{query}").status == 400


def test_the_list_of_keys_comes_in_pages(admin):
    whole = admin.get("keys").json()
    assert whole["next_cursor"] is None and len(whole["items"]) > 2
    pages = [admin.get("keys", limit=2).json()]
    while cursor := pages[-1]["next_cursor"]:
        pages.append(admin.get("keys", limit=2, cursor=cursor).json())
    assert [key for page in pages for key in page["items"]] == whole["items"]
    assert all(len(page["items"]) == 2 for page in pages[:-1]) and len(pages) > 1


@pytest.mark.parametrize("cursor", ["~", "nobody", "demo-app", "e30", "eyJ1c2VycyI6Ilx1MDAwMCJ9", "eyJzdWJqZWN0IjoiYSJ9"])
@pytest.mark.parametrize("path", ["/api/admin/users", "/api/admin/users?q=a", "/api/admin/clients", "/admin/users"])
def test_13_what_is_no_cursor_of_a_list_of_users_or_clients_is_refused(admin, demo, path, cursor):
    """It was answered with an empty page, as if everything had been seen."""
    answer = demo.send("GET", f"{path}{'&' if '?' in path else '?'}cursor={cursor}", admin.headers)
    assert answer.status == 400
    if path.startswith("/api/"):
        assert answer.json()["error_description"] == "cursor is not one of this list"


def test_13_the_lists_of_users_and_clients_come_in_pages_also_of_those_that_go(start_demo):
    # Of its own, with few of either.
    demo = start_demo("--no-limits")
    admin = Admin(demo)
    for number in range(3):
        demo.issue(f"paged-{number}")
    gone = [admin.send("POST", "clients", {"client_type": "native", "client_id": f"paged-{number}"})
            for number in range(3)]
    assert [answer.status for answer in gone] == [201] * 3
    for path, name in [("users", "sub"), ("clients", "client_id")]:
        whole = [item[name] for item in admin.get(path, limit=500).json()["items"]]
        pages = [admin.get(path, limit=2).json()]
        while cursor := pages[-1]["next_cursor"]:
            pages.append(admin.get(path, limit=2, cursor=cursor).json())
        assert [item[name] for page in pages for item in page["items"]] == whole and len(pages) > 1
    seen, cursor = [], {}
    while cursor is not None:
        page = admin.get("clients", limit=1, **cursor).json()
        seen += [item["client_id"] for item in page["items"]]
        for item in page["items"]:
            if item["client_id"].startswith("paged-"):
                tag = admin.get(f"clients/{item['client_id']}").header("ETag")
                assert admin.send("DELETE", f"clients/{item['client_id']}", headers={"If-Match": tag}).status == 204
        cursor = {"cursor": page["next_cursor"]} if page["next_cursor"] else None
    assert seen == whole
    assert admin.get("users", cursor=admin.get("clients", limit=1).json()["next_cursor"]).status == 400


@pytest.mark.parametrize("name", ["", "x y", "x" * 129, "x" * 2049])
def test_a_client_id_is_told_its_own_bound(admin, name):
    answer = admin.send("POST", "clients", {"client_id": name, "client_type": "native"})
    assert answer.status == 400 and "client_id must be 1 to 128 letters" in answer.json()["error_description"]


@pytest.mark.parametrize("prefix", ["__Host-", "__host-shop_", "__Http-", "__Host-Http-"])
def test_14_a_prefix_whose_cookies_browsers_refuse_is_refused(admin, prefix):
    site = {"client_type": "web", "cookie_profile": "tokens", "cookie_prefix": prefix}
    answer = admin.send("POST", "clients", site)
    assert answer.status == 400 and "cookie_prefix must not begin with __Host-" in answer.json()["error_description"]
    made = admin.send("POST", "clients", {**site, "cookie_prefix": "__Secure-shop_"})
    assert made.status == 201, made.body
    path, match = f"clients/{made.json()['client_id']}", {"If-Match": made.header("ETag")}
    assert admin.send("PATCH", path, {"cookie_prefix": prefix}, match).status == 400
    assert admin.send("DELETE", path, headers=match).status == 204


def test_a_page_of_events_goes_on_after_a_node_with_the_longest_name(admin):
    """A row that somebody wrote into the database must not hide those before it."""
    cursor = signing.b64url(b"9999999999999 1 " + b"n" * 1024)
    assert admin.get("audit-events", cursor=cursor).json()["items"]
    zero = signing.b64url(b"9999999999999 1 a\0")
    assert admin.get("audit-events", cursor=zero).status == 400


def test_a_sorted_page_goes_on_after_the_longest_name(demo, admin):
    place = json.dumps({"subject": "s" * 255, "text": "<" * 255}).replace("<", "\\u003c")
    cursor = signing.b64url(place.encode())
    answer = demo.send("GET", f"/admin/users?sort=user&cursor={cursor}", admin.headers)
    assert answer.status == 200 and len(cursor) > 2048


def test_a_list_of_sessions_does_not_end_at_a_cursor_that_is_gone(admin, demo):
    demo.sign_in("pages")
    (session,) = admin.sessions("pages")
    assert admin.get("users/pages/sessions", cursor=session["id"]).json()["items"] == []
    assert admin.get("users/pages/sessions", cursor="nobody").status == 400
    demo.sign_in("others")
    assert admin.get("users/others/sessions", cursor=session["id"]).status == 400


def test_a_list_of_sessions_has_as_many_as_were_asked_for_and_goes_from_apps_on_to_browsers(start_demo):
    demo = start_demo("--no-limits")
    app = App(demo)
    for _ in range(3):
        app.sign_in()
    path = f"users/{app.user['sub']}/sessions"
    whole = Admin(demo).get(path, limit=500).json()
    assert [it["kind"] for it in whole["items"]] == ["app"] * 3 + ["web"] * 3 and whole["next_cursor"] is None
    for limit in [1, 2, 3]:
        walked, cursor = [], {}
        while cursor is not None:
            page = Admin(demo).get(path, limit=limit, **cursor).json()
            assert len(page["items"]) <= limit
            walked += [it["id"] for it in page["items"]]
            cursor = {"cursor": page["next_cursor"]} if page["next_cursor"] else None
        assert walked == [it["id"] for it in whole["items"]], limit


@pytest.mark.parametrize("member", ["display_name", "email"])
def test_a_name_of_an_account_is_one_line(admin, member):
    answer = admin.send("POST", "users",
                        json.dumps({"username": "oneline", "password": "plum duff at noon", member: "a\0b\n"}),
                        {"Content-Type": "application/json"})
    assert answer.status == 400 and member in answer.json()["error_description"]


def test_a_user_is_disabled_and_enabled(admin, demo):
    cookie = demo.sign_in("eve")
    shown = admin.get("users/eve").json()
    assert (shown["sub"], shown["disabled"]) == ("eve", False)
    changed = admin.send("PATCH", "users/eve", {"disabled": True, "reason": "asked to"})
    assert changed.status == 200 and changed.json()["disabled"] is True
    assert demo.send("GET", "/auth/check", {"Cookie": cookie}).status == 401
    # Standing is remembered for a second (contract §7).
    wait_until(lambda: demo.post_issue(None, "eve").status in (400, 401, 403), 15, "a refusal")
    assert admin.send("PATCH", "users/eve", {"disabled": False}).json()["disabled"] is False
    assert admin.events(sub="eve", type="user.disabled")[0]["reason"] == "asked to"
    assert admin.get("users/unheard-of").status == 404
    assert admin.send("PATCH", "users/eve", {"disabled": "yes"}).status == 400
    assert admin.send("PATCH", "users/eve", {"name": "x"}).status == 400


def test_an_account_is_made_and_its_password_set(admin):
    made = admin.send("POST", "users", {"username": "Carla", "password": "correct horse battery"})
    assert made.status == 201, made.body
    user = made.json()
    assert user["username"] == "Carla" and "password" not in made.text
    assert admin.send("POST", "users", {"username": "carla", "password": "correct horse battery"}).status == 409
    assert admin.send("POST", "users", {"username": "dora", "password": "short"}).status == 400
    changed = admin.send("PATCH", f"users/{user['id']}", {"password": "another good one"})
    assert changed.status == 200, changed.body
    assert [event["type"] for event in admin.events(sub=user["sub"])] == ["user.password_changed", "user.created"]


def test_a_password_may_be_long_and_of_any_characters(admin, demo):
    long = "p\u00e4ss word \U0001f511 " * 20
    assert admin.send("POST", "users", {"username": "lena", "password": long}).status == 201
    for typed, status in [(long[:-1], 400), (long.upper(), 400), (long, 303)]:
        browser = oauth.Browser(demo)
        answer = browser.submit(browser.request("GET", "/sign-in"), username="lena", password=typed)
        assert answer.status == status, typed


def test_users_are_listed_page_by_page(admin, demo):
    for name in ["page-a", "page-b", "page-c"]:
        demo.issue(name)
    seen, cursor = [], None
    while True:
        body = admin.get("users", limit=2, **({"cursor": cursor} if cursor else {})).json()
        seen += [item["sub"] for item in body["items"]]
        cursor = body["next_cursor"]
        if cursor is None:
            break
    assert seen == sorted(seen) and len(seen) == len(set(seen)) and {"page-a", "page-b", "page-c"} <= set(seen)


def test_keys_rotate_and_break_nothing(start_demo):
    demo = start_demo("--no-limits")
    admin = Admin(demo)
    before = {key["kid"] for key in admin.get("keys").json()["items"] if key["use"] == "login_token"}
    issued = demo.issue("alice")
    rotated = admin.send("POST", "keys/rotate", {"reason": "yearly"})
    assert rotated.status == 200, rotated.body
    after = [key for key in rotated.json()["keys"] if key["use"] == "login_token"]
    assert len(after) == len(before) + 1
    assert [key["state"] for key in after if key["kid"] not in before] == ["signing"]
    assert demo.redeem(issued["token"]).status == 303
    assert demo.redeem(demo.issue("alice")["token"]).status == 303
    events = [event for event in admin.events(type="key.rotated") if event["reason"] == "yearly"]
    assert events and all(json.loads(event["detail"])["actor"] == "client:demo-admin" for event in events)


def test_a_reason_has_500_characters_in_any_script_and_is_found_by_all_of_them(admin):
    made = admin.send("POST", "users", {"username": "reasoned", "password": "correct horse battery"}).json()["id"]
    reason = "理由" * 250
    assert admin.send("PATCH", f"users/{made}", {"disabled": True, "reason": reason + "x"}).status == 400
    assert admin.send("PATCH", f"users/{made}", {"disabled": True, "reason": reason}).status == 200
    assert {event["reason"] for event in admin.events(reason=reason)} == {reason}


def test_explain_says_which_rule_decides_and_changes_nothing(admin, demo):
    def ask(**question) -> dict:
        answer = admin.send("POST", "explain", question)
        assert answer.status == 200, answer.body
        assert set(answer.json()) >= {"passes", "rule", "steps"}
        return answer.json()

    assert ask(kind="redirect", client_id="demo-web", redirect="/account/profile")["passes"] is True
    refused = ask(kind="redirect", client_id="demo-web", redirect="//evil.example")
    assert refused["passes"] is False and refused["reason"]
    assert ask(kind="redirect", client_id="nobody", redirect="/")["reason"] == "unknown_client"
    # A parameter without a value counts as absent (contract §3): nothing allows it.
    empty = ask(kind="redirect", client_id="demo-web", redirect="")
    assert empty["passes"] is False and {"check": "redirect", "outcome": "absent"} in empty["steps"]
    landing = demo.redeem(demo.issue("alice")["token"], redirect="").header("Location")
    assert empty["steps"][-1] == {"check": "lands on", "outcome": landing}

    def written() -> list[str]:
        # How many refusals were left out before is told whenever its time has come.
        return [event["id"] for event in admin.events(limit=100) if event["type"] != "audit.suppressed"][:50]

    issued = demo.issue("alice")
    before = written()
    explained = ask(kind="redemption", token=issued["token"], ip="127.0.0.1")
    assert explained["passes"] is True and issued["token"] not in json.dumps(explained)
    assert written() == before
    assert demo.redeem(issued["token"]).status == 303
    assert ask(kind="redemption", token=issued["token"])["reason"] == "replayed"
    assert ask(kind="redemption", token="x.y.z")["reason"] == "malformed"
    for wrong in [{}, {"kind": "magic"}, {"kind": "redirect"}, {"kind": "redemption"},
                  {"kind": "redirect", "client_id": "demo-web", "redirect": "/", "more": 1}]:
        assert admin.send("POST", "explain", wrong).status == 400, wrong


@pytest.mark.parametrize("why, words, is_for_another", [
    ("not_administrator", "Sign in with another account", True), ("idle", "Sign in with an account", False)])
def test_who_may_not_administer_is_led_to_another_account(demo, why, words, is_for_another):
    page = demo.send("GET", f"/admin/sign-in?why={why}&next=%2Fadmin%2Fkeys").text
    href, label = re.search(r'id="account" href="([^"]+)">([^<]+)<', page).groups()
    query = dict(parse_qsl(urlsplit(unescape(href)).query))
    assert query == {"redirect": "/admin/keys", **({"account": "another"} if is_for_another else {})}
    assert label == words


def test_a_browser_session_of_an_administrator_needs_the_form_token_to_change_anything(demo, admin):
    page = demo.send("GET", "/admin/sign-in")
    form = wire.PageForm(page.text).forms[0]
    fields = {**form["fields"], "token": demo.facts["admin_token"]}
    opened = demo.send("POST", "/admin/sign-in", {"Cookie": wire.cookie_header(page)}, wire.encode(fields))
    assert opened.status == 303, opened.body
    cookie = opened.cookies["__Host-drawbridge_admin"]
    assert cookie.attributes.get("samesite") == "Strict" and cookie.attributes.get("httponly")
    headers = {"Cookie": f"__Host-drawbridge_admin={cookie.value}"}
    assert demo.send("GET", "/api/admin/audit-events", headers).status == 200
    assert demo.send("POST", "/api/admin/keys/rotate", headers).status == 403
    assert demo.send("POST", "/admin/keys/rotate", headers, "reason=x").status == 403
    keys = wire.PageForm(demo.send("GET", "/admin/keys", headers).text)
    token = next(f["fields"]["form_token"] for f in keys.forms if f["action"] == "/admin/keys/rotate")
    assert demo.send("POST", "/api/admin/keys/rotate", {**headers, "X-CSRF-Token": token}).status == 200
    foreign = {**headers, "X-CSRF-Token": token, "Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    assert demo.send("POST", "/api/admin/keys/rotate", foreign).status == 403
    out = demo.send("POST", "/admin/sign-out", headers, wire.encode({"form_token": token}))
    assert out.status == 303
    assert demo.send("GET", "/api/admin/audit-events", headers).status == 401
    assert [event["type"] for event in admin.events(limit=200) if event["type"].startswith("admin.signed")][:2] == [
        "admin.signed_out", "admin.signed_in"]


def test_contract_13_a_person_who_administers_is_recorded_when_they_sign_in(demo, admin):
    password = "watchful horse battery"
    subjects = {}
    for name, role in [("watchful", "admin"), ("watched", None)]:
        fields = {"username": name, "password": password, **({"role": role} if role else {})}
        subjects[name] = admin.send("POST", "users", fields).json()["sub"]
        browser = oauth.Browser(demo)
        assert browser.submit(browser.request("GET", "/sign-in"), username=name, password=password).status == 303
    assert admin.events(type="admin.signed_in", sub=subjects["watched"]) == []
    signed_in, = admin.events(type="admin.signed_in", sub=subjects["watchful"])
    beside, = admin.events(type="user.signed_in", sub=subjects["watchful"])
    assert signed_in["sid"] == beside["sid"] and signed_in["at"] == beside["at"] and signed_in["ip"] == beside["ip"]
    assert json.loads(signed_in["detail"])["actor"] == f"account:{subjects['watchful']}"


def test_no_admin_token_is_ever_written_down(demo, admin):
    admin.events()
    assert demo.facts["admin_token"] not in demo.stderr_path.read_text()
    for name in ["drawbridge.sqlite", "drawbridge.sqlite-wal"]:
        path = Path(demo.data) / name
        if path.exists():
            assert demo.facts["admin_token"].encode() not in path.read_bytes()
