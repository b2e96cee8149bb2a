#!/usr/bin/env python3
"""A database of the first version, with a long audit log, brought over by the first start of this one while people sign in:
how long the start takes, what the sealing of old events costs those who wait, a `kill -9` in its middle, and how long the
one connection that writes was held at most.

    bench/brought_over.py --drawbridge .build/release/drawbridge [--events 1000000]
"""

import argparse
import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
import time
import urllib.request
from contextlib import closing
from pathlib import Path

from audit_fill import fill_sqlite
from audit_rows import NODE, Chain
from server import Drawbridge, machine, wrk

FIXTURE = Path(__file__).parents[1] / "Tests/EndToEnd/upgrades/41b9169-sqlite"
SEGMENT = 8_192
ISSUE = "/api/auth/create-sso-token"


def first_version(data: Path, events: int):
    shutil.copytree(FIXTURE / "data", data)
    data.chmod(0o700)
    for path in data.iterdir():
        path.chmod(0o600)
    with closing(sqlite3.connect(data / "drawbridge.sqlite")) as database:
        database.executescript((FIXTURE / "drawbridge.sql").read_text())
    (data / "drawbridge.sqlite").chmod(0o600)
    fill_sqlite(f"{data}/drawbridge.sqlite", Chain(events, int(time.time() * 1000)))
    # Else the service's first flush would be that of everything that was filled in.
    os.sync()


def query(data: Path, text: str):
    with closing(sqlite3.connect(f"file:{data}/drawbridge.sqlite?mode=ro", uri=True)) as database:
        return database.execute(text).fetchall()


def sealed(data: Path) -> int:
    return query(data, f"SELECT count(*) FROM audit_segment WHERE node = '{NODE}'")[0][0]


def writer(service: Drawbridge) -> dict[str, tuple[int, float, float]]:
    """What held the writer: how often, how long in the mean and at most, in milliseconds."""
    text = urllib.request.urlopen(service.facts["management_url"] + "/metrics").read().decode()
    found: dict[str, dict[str, float]] = {}
    for line in text.splitlines():
        name, _, rest = line.partition("{")
        if name in ("drawbridge_writer_seconds_sum", "drawbridge_writer_seconds_count", "drawbridge_writer_longest_seconds"):
            work = rest.partition('work="')[2].partition('"')[0]
            what = name.rpartition("_")[2] if "longest" not in name else "longest"
            found.setdefault(work, {})[what] = float(rest.split()[-1])
    return {work: (int(values["count"]), values["sum"] / max(1, values["count"]) * 1000, values["longest"] * 1000)
            for work, values in found.items()}


def load(service: Drawbridge, scratch: Path, seconds: float, connections: int) -> dict:
    bearers = scratch / "bearers"
    bearers.write_text("".join(service.bearer(f"user-{number}") + "\n" for number in range(20_000)))
    return wrk(service, "post", ISSUE, seconds, connections, BEARERS=str(bearers))


def line(what: str, result: dict) -> str:
    failed = result["failures"] + result["not_2xx_3xx"] + result["socket_errors"]
    return (f"| {what} | {result['per_second']:,.0f} | {result['p50_ms']:.1f} | {result['p99_ms']:.1f} | "
            f"{result['p999_ms']:.1f} | {result['max_ms']:.0f} | {result['cpu_us']:.0f} | {failed} |")


def held(what: str, service: Drawbridge) -> str:
    parts = [f"{work} {count:,} times, mean {mean:.2f}, longest {longest:.1f} ms"
             for work, (count, mean, longest) in sorted(writer(service).items())]
    return f"The writer was held, {what}: " + "; ".join(parts) + "."


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--drawbridge", type=Path, required=True)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=3, help="of one round of load")
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--scratch", default=os.environ.get("BENCH_SCRATCH"),
                        help="folder for the data; must be on a real disk")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="brought-over-", dir=arguments.scratch) as folder:
        scratch = Path(folder)
        data = scratch / "data"
        first_version(data, arguments.events)
        print(
            f"{machine()}. {arguments.events:,} events of the first version's schema, {arguments.connections} connections.\n")
        # The last segment may be that of a chain that still grows.
        full = arguments.events // SEGMENT - 1
        print("| issue | requests/s | p50 ms | p99 ms | p99.9 ms | longest ms | server CPU µs | failed |\n"
              "|---|---:|---:|---:|---:|---:|---:|---:|")
        notes = []
        begun = time.monotonic()
        with Drawbridge(arguments.drawbridge, data) as service:
            notes.append(f"First start {(time.monotonic() - begun) * 1000:.0f} ms until ready, tables brought over in it.")
            while sealed(data) < full // 2:
                print(line(f"while sealed, {sealed(data)} segments of {full} at first",
                           load(service, scratch, arguments.seconds, arguments.connections)), flush=True)
            notes.append(held("until then", service))
            service.process.kill()
            service.process.wait()
            left = sealed(data)
            notes.append(f"`kill -9` with {left} segments sealed.")
        begun = time.monotonic()
        with Drawbridge(arguments.drawbridge, data) as service:
            notes.append(f"Next start {(time.monotonic() - begun) * 1000:.0f} ms; {sealed(data)} segments.")
            while (now := sealed(data)) < full:
                print(line(f"while sealed, {now} segments at first",
                           load(service, scratch, arguments.seconds, arguments.connections)), flush=True)
            notes.append(held("since the kill", service))
            print(line("all sealed", load(service, scratch, arguments.seconds, arguments.connections)), flush=True)
            notes.append(held("since the kill and until the end", service))
        verdict = json.loads(subprocess.run([arguments.drawbridge, "audit", "verify", "--data", data],
                                            capture_output=True).stdout)
        user = query(data, f"SELECT subject FROM audit_event WHERE node = '{NODE}' AND subject IS NOT NULL LIMIT 1")[0][0]
        expected = query(data, f"SELECT count(*) FROM audit_event WHERE subject = '{user}'")[0][0]
        found = subprocess.run([arguments.drawbridge, "audit", "export", "--data", data, "--sub", user], capture_output=True)
        notes.append(f"{verdict['events']:,} events verified, valid: {verdict['valid']}. A search for one user finds "
                     f"{len(found.stdout.splitlines())} of {expected}.")
        print("\n" + "\n".join(notes))


if __name__ == "__main__":
    main()
