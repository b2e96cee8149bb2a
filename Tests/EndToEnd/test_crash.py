"""`kill -9` in the middle of load, a disk that is full: what was acknowledged stays, nothing is half done."""

import asyncio
import json
import os
import random
import shutil
import sqlite3
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import instance
import simultaneous
import wire
from skips import can_mount

ROUNDS = int(os.environ.get("CRASH_ROUNDS", "20"))
CONNECTIONS = 8
#: Redemptions of a round; fewer would mean nothing.
LEAST = 10


@dataclass
class Acknowledged:
    """What clients were told, and so what must be true after any crash."""

    issued: set = field(default_factory=set)
    #: token id -> (token, session cookie)
    redeemed: dict = field(default_factory=dict)
    ended: set = field(default_factory=set)


async def one_client(demo, number: int, told: Acknowledged):
    """Issues and redeems, and now and then signs out, until the server is gone."""
    bearer = demo.bearer(f"user-{number}")
    try:
        async with simultaneous.Connection(demo.port) as connection:
            while True:
                token = await connection.issue(bearer)
                told.issued.add(token["id"])
                answer = await connection.redeem(token["token"])
                assert answer.status == 303 and answer.session_cookie, answer
                told.redeemed[token["id"]] = (token["token"], answer.session_cookie)
                if len(told.redeemed) % 10 == 0:
                    headers = {"Cookie": answer.session_cookie, "Origin": demo.base, "Sec-Fetch-Site": "same-origin"}
                    told.ended.add(token["id"])  # from here on either is right, until it is acknowledged
                    await connection.request("POST", "/session/logout", headers)
    except simultaneous.Lost:
        return


async def load_and_kill(demo, told: Acknowledged, seconds: float):
    async def kill():
        await asyncio.sleep(seconds)
        # A machine with other things to do may have begun hardly anything by then.
        deadline = time.monotonic() + 60
        while len(told.redeemed) <= LEAST and time.monotonic() < deadline:
            await asyncio.sleep(0.01)
        demo.kill()

    await asyncio.gather(kill(), *(one_client(demo, number, told) for number in range(CONNECTIONS)))


async def look_again(demo, told: Acknowledged):
    """Every session that was handed out still answers; every used token is refused to another browser."""
    async with simultaneous.Connection(demo.port) as connection:
        for token_id, (_, cookie) in told.redeemed.items():
            answer = await connection.request("GET", "/session", {"Cookie": cookie})
            if token_id not in told.ended:
                assert json.loads(answer.body)["authenticated"] is True, f"lost the session of {token_id}"
        for token_id, (token, _) in list(told.redeemed.items())[-50:]:
            again = await connection.redeem(token, wire.SAFARI)
            assert again.status == 400 and not again.session_cookie, f"{token_id} redeemed twice: {again}"


def test_kill_9_loses_nothing_that_was_acknowledged(tmp_path):
    chance = random.Random(20261121)
    data = tmp_path / "data"
    port = instance.free_port()  # part of the issuer, and so of every token
    everything = Acknowledged()
    for round in range(ROUNDS):
        demo = instance.Demo("--no-limits", data=data, port=port)
        told = Acknowledged()
        asyncio.run(load_and_kill(demo, told, chance.uniform(0.15, 0.9)))
        assert demo.popen.returncode == -9
        if round % 5 == 4:
            assert_chain_is_whole(data)

        demo = instance.Demo("--no-limits", data=data, port=port)
        try:
            asyncio.run(look_again(demo, told))
            assert_written_down(data, told)
        finally:
            demo.kill()
        everything.issued |= told.issued
        everything.redeemed |= told.redeemed
    assert len(everything.redeemed) > LEAST * ROUNDS, "too little load to mean anything"
    assert_chain_is_whole(data)
    [(twice,)] = instance.query(data, "SELECT count(*) FROM (SELECT login_token_id FROM web_session "
                                      "WHERE login_token_id IS NOT NULL GROUP BY 1 HAVING count(*) > 1)")
    assert twice == 0
    demo = instance.Demo("--no-limits", data=data, port=port)
    assert demo.stop() == 0
    assert_chain_is_whole(data)


def assert_written_down(data: Path, told: Acknowledged):
    rows = instance.query(data, "SELECT type, token_id FROM audit_event WHERE token_id IS NOT NULL")
    issued = {token_id for kind, token_id in rows if kind == "login_token.issued"}
    redeemed = {token_id for kind, token_id in rows if kind == "login_token.redeemed"}
    assert told.issued <= issued, f"{len(told.issued - issued)} acknowledged issues have no event"
    assert set(told.redeemed) <= redeemed, f"{len(set(told.redeemed) - redeemed)} redemptions have no event"


def assert_chain_is_whole(data: Path):
    done = instance.run("audit", "verify", "--data", str(data), check=False)
    verdict = json.loads(done.stdout)
    assert done.returncode == 0 and verdict["valid"] is True, verdict


# A disk that is full


@pytest.fixture
def small_disk(tmp_path):
    """An instance whose data folder is a file system of its own, mounted where only that process sees it."""
    if not can_mount():
        pytest.skip("needs root and leave to mount a tmpfs")
    data = tmp_path / "data"
    mount = f"mount -t tmpfs -o size=8m tmpfs '{data}' && exec \"$@\""
    demo = instance.Demo("--no-limits", data=data, prefix=["unshare", "-m", "sh", "-c", mount, "sh"])
    inside = Path(f"/proc/{demo.popen.pid}/root{data}")
    assert (inside / "drawbridge.sqlite").exists()
    yield demo, inside
    assert demo.stop() == 0, demo.output[-3000:]


def fill(folder: Path) -> Path:
    """Takes all the space there is."""
    ballast = folder / "ballast"
    with open(ballast, "wb", buffering=0) as file:
        for size in (65536, 4096, 512):
            try:
                while True:
                    file.write(b"\0" * size)
            except OSError:
                continue
    return ballast


def test_a_full_disk_is_503_with_nothing_half_done_and_it_recovers(small_disk):
    demo, folder = small_disk
    waiting = [demo.issue() for _ in range(20)]
    cookie = demo.sign_in()
    ballast = fill(folder)
    issue = instance.wait_until(lambda: (answer := demo.post_issue()).status != 200 and answer, 30, "a full disk")
    assert issue.status == 503, (issue.status, issue.body)
    assert issue.json()["error"] == "temporarily_unavailable"
    assert int(issue.header("Retry-After")) >= 1
    refused = []
    for token in waiting:
        answer = demo.redeem(token["token"])
        assert answer.status in (303, 503), (answer.status, answer.text[:300])
        if answer.status == 503:
            assert int(answer.header("Retry-After")) >= 1
            assert set(answer.cookies) <= {"__Host-drawbridge_retry"}, "no session"
            refused.append(token)
    assert refused, "no redemption met the full disk"
    assert demo.session(cookie)["authenticated"] is True, "reading still works"
    assert wire.send(demo.management, "GET", "/livez").status == 200
    # The row that readiness writes in place may fit where nothing else does.
    instance.wait_until(lambda: demo.readiness().checks["storage"] == "failed", what="/readyz to say so")
    codes = [entry["code"] for entry in demo.json_lines() if entry.get("message") == "the database cannot be written"]
    assert len(codes) == 1 and codes[0].startswith("SQLite "), codes

    ballast.unlink()
    instance.wait_until(lambda: demo.post_issue().status == 200, what="recovery")
    recovered = time.monotonic()
    instance.wait_until(lambda: demo.readiness().checks["storage"] == "ok", what="/readyz to be well again")
    # The outage is over when a write succeeds and none has failed for ten seconds. One is enough: the disk is small.
    instance.wait_until(lambda: time.monotonic() > recovered + 10, what="ten seconds without a failure")
    assert demo.post_issue().status == 200
    instance.wait_until(lambda: "the database can be written again" in demo.output, what="the log's word of the end")
    assert demo.output.count("the database cannot be written") == 1
    for token in refused:
        assert demo.status(token["id"]) == "pending", "nothing half done"
        answer = demo.redeem(token["token"])
        assert answer.status == 303 and answer.session_cookie, (answer.status, answer.text[:300])
    rows = demo_rows(folder, "SELECT login_token_id, count(*) FROM web_session GROUP BY 1 HAVING count(*) > 1")
    assert rows == []
    events = demo_rows(folder, "SELECT count(*) FROM audit_event WHERE type = 'login_token.redeemed'")
    sessions = demo_rows(folder, "SELECT count(*) FROM web_session WHERE login_token_id IS NOT NULL")
    assert events == sessions


def demo_rows(folder: Path, sql: str) -> list[tuple]:
    """A copy is read: SQLite's shared memory file does not like to be opened across mount namespaces."""
    with tempfile.TemporaryDirectory() as copy:
        for name in ("drawbridge.sqlite", "drawbridge.sqlite-wal"):
            if (folder / name).exists():
                shutil.copy(folder / name, copy)
        with sqlite3.connect(f"{copy}/drawbridge.sqlite") as connection:
            return connection.execute(sql).fetchall()


def test_a_read_only_data_folder_stops_the_start_with_a_reason(tmp_path):
    if not can_mount():
        pytest.skip("needs root and leave to mount a tmpfs")
    data = tmp_path / "data"
    data.mkdir()
    mount = f"mount -t tmpfs -o ro tmpfs '{data}' && exec \"$@\""
    command = ["unshare", "-m", "sh", "-c", mount, "sh", instance.binary(), "demo", "--listen", "127.0.0.1:0",
               "--print-json", "--data", str(data)]
    done = subprocess.run(command, capture_output=True, timeout=60)
    assert done.returncode not in (0, -11, -4, -6) and done.returncode < 128, (done.returncode, done.stderr)
    assert str(data).encode() in done.stderr + done.stdout, "says which folder"
    assert b"base_url" not in done.stdout
