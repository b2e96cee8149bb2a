#!/usr/bin/env python3
"""The main road at an empty database and at one that has held much for long: seldom-seen users, p99.9, the longest wait,
and what a request costs in bytes, calls, waits and, over PostgreSQL and Redis, in log and in the CPU time of all three.

    bench/filled.sh [--sessions 1000000] [--events 10000000] [--users 20000] [--seconds 8] [--shared]
"""

import argparse
import gc
import hashlib
import os
import signal
import socket
import sqlite3
import statistics
import subprocess
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from audit_fill import fill_postgres, fill_sqlite
from audit_rows import Chain, b64
from run import cookie_of, redeem_round
from server import TICKS, Drawbridge, Server, counts, machine, wrk

BATCH = 50_000
SESSION_COLUMNS = ("id", "secret_digest", "subject", "client_id", "app_client_id", "login_token_id", "opening", "created_at",
                   "expires_at", "idle_lifetime", "last_seen_at", "login_token_issued_at")


def session_rows(sessions: int, users: int, now: int):
    """As the service writes them, opened over the last ten hours, all alive."""
    for number in range(sessions):
        at = now - 36_000_000 + number * 36_000_000 // sessions
        digest = hashlib.sha256(b"%d" % number).digest()
        token = b64(at.to_bytes(6, "big") + digest[:10])
        yield (b64(at.to_bytes(6, "big") + digest[10:20]), b64(digest), f"user-{number % users}", "demo-web", "demo-app",
               token,
               "login_token", at, now + 36_000_000, 36_000_000, now, at)


def fill(data: Path, database: str | None, sessions: int, events: int, users: int):
    """Past the service, which is stopped meanwhile: minutes instead of hours."""
    now = int(time.time() * 1000)
    columns = ", ".join(SESSION_COLUMNS)
    rows = session_rows(sessions, users, now)
    if database:
        copy = subprocess.Popen(["psql", "-Xq", "-v", "ON_ERROR_STOP=1", database, "-c",
                                 f"COPY web_session ({columns}) FROM STDIN"],
                                stdin=subprocess.PIPE, text=True)
        for row in rows:
            copy.stdin.write("\t".join(map(str, row)) + "\n")
        copy.stdin.close()
        if copy.wait():
            raise RuntimeError("COPY failed")
        fill_postgres(database, Chain(events, now))
        return
    path = f"{data}/drawbridge.sqlite"
    connection = sqlite3.connect(path, isolation_level=None)
    # Whoever writes next wants no write-ahead log, and could not have it changed under another's eyes.
    for setting in ("journal_mode = DELETE", "synchronous = OFF", "cache_size = -400000"):
        connection.execute(f"PRAGMA {setting}").fetchall()
    connection.execute("BEGIN")
    places = ", ".join("?" * len(SESSION_COLUMNS))
    connection.executemany(f"INSERT INTO web_session ({columns}) VALUES ({places})", rows)
    connection.execute("COMMIT")
    connection.close()
    fill_sqlite(path, Chain(events, now))


class Shared:
    """What PostgreSQL and Redis spend, beside the node."""

    def __init__(self, database: str, processes: list[int]):
        self.database, self.processes = database, processes

    def cpu_seconds(self) -> float:
        """Of the processes and all that they started, also such as have ended."""
        total = 0
        for process in self._family():
            try:
                fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            total += int(fields[11]) + int(fields[12])
        return total / TICKS

    def _family(self) -> list[int]:
        children: dict[int, list[int]] = {}
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                except OSError:
                    continue
                children.setdefault(parent, []).append(int(entry.name))
        found = list(self.processes)
        for process in found:
            found += children.get(process, [])
        return found

    def log(self) -> tuple[int, int, int]:
        """Bytes of write-ahead log, how often it was written, and how often flushed, so far."""
        time.sleep(1.1)  # its processes report once a second
        text = "SELECT pg_current_wal_lsn() - '0/0'::pg_lsn, wal_write, wal_sync FROM pg_stat_wal"
        done = subprocess.run(["psql", "-XqAt", "-F", " ", self.database, "-c", text], check=True, capture_output=True,
                              text=True)
        return tuple(int(part) for part in done.stdout.split())


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def starts(binary: Path, data: Path, scratch: Path, rounds: int = 7) -> tuple[float, float]:
    """Milliseconds, and those of CPU time, from the start of `serve` until its port takes connections."""
    port, management = free_port(), free_port()
    settings = scratch / "drawbridge.yaml"
    settings.write_text(f"public_origin: http://127.0.0.1:{port}\nlisten: 127.0.0.1:{port}\n"
                        f"management_listen: 127.0.0.1:{management}\ndata_directory: {data}\n")
    found = []
    for _ in range(rounds):
        begun = time.monotonic()
        server = Server([str(binary), "serve", "--config", str(settings)], stdout=subprocess.DEVNULL)
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                if server.process.poll() is not None:
                    raise RuntimeError(f"serve did not start: see {server.log.name}") from None
                time.sleep(0.001)
        found.append(((time.monotonic() - begun) * 1000, server.cpu_seconds() * 1000))
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(30)
        os.unlink(server.log.name)
    return tuple(statistics.median(values) for values in zip(*found))


def measured(shared: Shared | None, body) -> dict:
    if shared is None:
        return body()
    log, cpu = shared.log(), shared.cpu_seconds()
    result = body()
    spent = shared.cpu_seconds() - cpu
    requests = max(1, result["requests"])
    result["others_us"] = spent * 1e6 / requests
    for name, before, after in zip(("wal", "wal_writes", "wal_syncs"), log, shared.log()):
        result[name] = (after - before) / requests
    return result


def road(service: Drawbridge, scratch: Path, users: int, seconds: float, shared: Shared | None) -> dict[str, dict]:
    bearers, cookies, tokens = scratch / "bearers", scratch / "cookies", scratch / "some"
    bearers.write_text("".join(service.bearer(f"user-{number}") + "\n" for number in range(users)))
    wrk(service, "post", "/api/auth/create-sso-token", 1, BEARERS=str(bearers), SAVE=str(tokens))
    cookies.write_text("".join(cookie_of(service, token) + "\n" for token in tokens.read_text().split()[:200]))
    return {
        "issue": measured(shared, lambda: wrk(service, "post", "/api/auth/create-sso-token", seconds, BEARERS=str(bearers))),
        "redeem": redeem_round(service, bearers, scratch, seconds, around=lambda body: measured(shared, body))[0],
        "check": measured(shared, lambda: wrk(service, "get", "/auth/check", seconds, COOKIES=str(cookies))),
    }


def sign_in(name: str, found: dict[str, dict]) -> str:
    """What an issue, a redemption and a check spend together, in the node and in what it shares with others."""
    total = sum(result["cpu_us"] + result["others_us"] for result in found.values())
    log, writes = (sum(result[what] for result in found.values()) for what in ("wal", "wal_writes"))
    return f"\nA sign-in, {name}: {total:.0f} µs of node, PostgreSQL and Redis; {log:,.0f} B of log in {writes:.2f} writes.\n"


def lines(name: str, found: dict[str, dict]) -> str:
    text = ""
    for what, result in found.items():
        failed = result["failures"] + result["not_2xx_3xx"] + result["socket_errors"]
        text += (f"| {name} | {what} | {result['per_second']:,.0f} | {result['p50_ms']:.1f} | {result['p99_ms']:.1f} | "
                 f"{result['p999_ms']:.1f} | {result['max_ms']:.0f} | {result['cpu_us']:.0f} | {counts(result)}")
        if "wal" in result:
            text += (f"; PostgreSQL and Redis {result['others_us']:.0f} µs, log {result['wal']:,.0f} B in "
                     f"{result['wal_writes']:.2f} writes, {result['wal_syncs']:.2f} flushes")
        text += f" | {failed} |\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--drawbridge", type=Path, required=True)
    parser.add_argument("--sessions", type=int, default=1_000_000)
    parser.add_argument("--events", type=int, default=10_000_000)
    parser.add_argument("--users", type=int, default=20_000)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--database")
    parser.add_argument("--redis")
    parser.add_argument("--process", type=int, action="append", default=[], help="whose CPU time counts, with its children's")
    parser.add_argument("--scratch", default=os.environ.get("BENCH_SCRATCH"),
                        help="folder for the data; must be on a real disk")
    parser.add_argument("--note", default="")
    parser.add_argument("--results", type=Path, default=Path(__file__).parent / "RESULTS.md")
    arguments = parser.parse_args()
    shared = Shared(arguments.database, arguments.process) if arguments.database else None
    stores = "PostgreSQL and Redis" if shared else "embedded store, `synchronous=FULL`"
    text = (f"\n## {time.strftime('%Y-%m-%d %H:%M')} a filled database, {stores}\n\n{machine()}. {arguments.users:,} users, "
            f"64 connections, load generator on the same machine (`bench/filled.sh`). {arguments.note}\n\n")
    text += ("| | what | requests/s | p50 ms | p99 ms | p99.9 ms | longest ms | server CPU µs | a request | failed |\n"
             "|---|---|---:|---:|---:|---:|---:|---:|---|---:|\n")
    with ExitStack() as running:
        scratch = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="filled-", dir=arguments.scratch)))
        data = scratch / "data"
        with Drawbridge(arguments.drawbridge, data, arguments.database, arguments.redis) as service:
            roads = {"empty": road(service, scratch, arguments.users, arguments.seconds, shared)}
        # Connections of the counting that nobody closed would be in the way.
        gc.collect()
        begun = time.monotonic()
        fill(data, arguments.database, arguments.sessions, arguments.events, arguments.users)
        filled = time.monotonic() - begun
        begun = time.monotonic()
        with Drawbridge(arguments.drawbridge, data, arguments.database, arguments.redis) as service:
            started = time.monotonic() - begun
            at_start = service.memory_mib("VmRSS")
            name = f"{arguments.sessions:,} sessions, {arguments.events:,} events"
            roads[name] = road(service, scratch, arguments.users, arguments.seconds, shared)
            resident, peak = service.memory_mib("VmRSS"), service.memory_mib()
        serve = None if shared else starts(arguments.drawbridge, data, scratch)
    text += "".join(lines(name, found) for name, found in roads.items())
    if shared:
        text += "".join(sign_in(name, found) for name, found in roads.items())
    text += (f"\nFilled in {filled:.0f} s. Start {started * 1000:.0f} ms until the demo is ready; resident "
             f"{at_start:.0f} MiB then, {resident:.0f} MiB after the load, peak {peak:.0f} MiB.\n")
    if serve:
        text += (f"\n`serve` on the same data: {serve[0]:.0f} ms until it takes connections, {serve[1]:.0f} of CPU time "
                 "(median of 7).\n")
    print(text)
    with open(arguments.results, "a") as results:
        results.write(text)


if __name__ == "__main__":
    main()
