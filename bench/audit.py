"""Fills one engine with audit events and measures searching, exporting and verifying them; see audit.sh."""

import argparse
import http.client
import json
import random
import subprocess
import sys
import time
from datetime import datetime, timezone
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from audit_fill import fill_postgres, fill_sqlite
from audit_rows import Chain
from server import Drawbridge, machine


def stamp(milliseconds: int) -> str:
    return datetime.fromtimestamp(milliseconds / 1000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def filters(chain: Chain):
    """Every filter of the console: a name, and a query made from an event that is there (or from none)."""
    day = 86_400_000
    return [
        ("none", lambda row: {}),
        ("time, one hour", lambda row: {"from": stamp(row[0]), "to": stamp(row[0] + 3_600_000)}),
        ("time, before", lambda row: {"to": stamp(row[0])}),
        ("type, frequent", lambda row: {"type": "web_session.opened"}),
        ("type, rare", lambda row: {"type": "login_token.replayed"}),
        ("type, rare, of a day",
         lambda row: {"type": "login_token.replayed", "from": stamp(row[0]), "to": stamp(row[0] + day)}),
        ("type, unknown", lambda row: {"type": "nothing.happened"}),
        ("outcome", lambda row: {"outcome": "failure"}),
        ("reason", lambda row: {"reason": "already_used"}),
        ("reason, unknown", lambda row: {"reason": "no_such_reason"}),
        ("user", lambda row: {"sub": row[4]}),
        ("user and outcome", lambda row: {"sub": row[4], "outcome": "failure"}),
        ("user, unknown", lambda row: {"sub": f"nobody-{row[0]}"}),
        ("app", lambda row: {"client_id": row[5]}),
        ("app, unknown", lambda row: {"client_id": "no-such-app"}),
        ("address", lambda row: {"ip": row[9]}),
        ("network /24", lambda row: {"ip": network(row[9])}),
        ("network, unknown", lambda row: {"ip": "198.51.100.0/24"}),
        ("session", lambda row: {"sid": row[7] or "none"}),
        ("login token", lambda row: {"token_id": row[8] or "none"}),
        ("request", lambda row: {"request_id": row[11]}),
        ("text, frequent", lambda row: {"q": "firefox"}),
        ("text, a user", lambda row: {"q": row[4]}),
        ("text, unknown", lambda row: {"q": "no such text"}),
        ("user, type, time, text", lambda row: {"sub": row[4], "type": row[1], "to": stamp(row[0] + day), "q": "mozilla"}),
    ]


def network(address: str) -> str:
    return address.rpartition(":")[0] + ":/64" if ":" in address else address.rpartition(".")[0] + ".0/24"


def search(server: Drawbridge, chain: Chain, requests: int) -> list[str]:
    url = urlsplit(server.base)
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=60)
    headers = {"Authorization": f"Bearer {server.facts['admin_token']}"}
    pick, late = random.Random(3), []
    print(f"\n| filter, {requests} requests, 50 events a page | p50 ms | p99 ms | longest ms | events a page |\n"
          "|---|---:|---:|---:|---:|")
    for name, make in filters(chain):
        times, found = [], 0
        for number in range(requests):
            query = {**make(pick.choice(chain.samples)), "limit": 50}
            # The next page too: it must not take longer than the first.
            for _ in range(1 + number % 2):
                started = time.perf_counter()
                connection.request("GET", f"/api/admin/audit-events?{urlencode(query)}", headers=headers)
                answer = connection.getresponse()
                body = answer.read()
                times.append((time.perf_counter() - started) * 1000)
                if answer.status != 200:
                    sys.exit(f"{name}: {answer.status} {body[:200]}")
                page = json.loads(body)
                found += len(page["items"])
                if not page["next_cursor"]:
                    break
                query["cursor"] = page["next_cursor"]
        times.sort()
        p99 = times[min(len(times) - 1, int(len(times) * 0.99))]
        if p99 > 50:
            late.append(name)
        print(f"| {name} | {times[len(times) // 2]:.1f} | {p99:.1f} | {times[-1]:.1f} | {found / len(times):.1f} |",
              flush=True)
    connection.close()
    return late


def run(command: list[str], count_lines: bool = False) -> tuple[float, float, bytes]:
    """Seconds, peak resident MiB, output (or its lines' number)."""
    started, peak = time.perf_counter(), 0.0
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    counter = subprocess.Popen(["wc", "-l"] if count_lines else ["cat"], stdin=process.stdout, stdout=subprocess.PIPE)
    process.stdout.close()
    # Not from wait4: the kernel would count in what this script had in memory when it started the process.
    while process.poll() is None:
        peak = max(peak, memory(process.pid))
        time.sleep(0.02)
    seconds = time.perf_counter() - started
    output = counter.communicate()[0]
    if process.returncode:
        sys.exit(f"{' '.join(command)}: status {process.returncode}: {output[:500]!r}")
    return seconds, peak, output


def memory(process: int) -> float:
    """The most it ever had resident, in MiB."""
    try:
        return next(int(line.split()[1]) / 1024 for line in Path(f"/proc/{process}/status").read_text().splitlines()
                    if line.startswith("VmHWM:"))
    except (OSError, StopIteration):
        return 0.0


def download(server: Drawbridge, form: str) -> tuple[float, int]:
    """Seconds and lines of an export over the API."""
    url = urlsplit(server.base)
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=600)
    started, lines = time.perf_counter(), 0
    connection.request("GET", f"/api/admin/audit-events.{form}",
                       headers={"Authorization": f"Bearer {server.facts['admin_token']}"})
    answer = connection.getresponse()
    while piece := answer.read(1 << 20):
        lines += piece.count(b"\n")
    connection.close()
    return time.perf_counter() - started, lines


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--drawbridge", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--database")
    parser.add_argument("--events", type=int, required=True)
    parser.add_argument("--requests", type=int, required=True)
    parser.add_argument("--offline", action="store_true")
    options = parser.parse_args()
    name = "PostgreSQL" if options.database else "SQLite"
    print(f"## {name}, {options.events:,} events\n\n{machine()}.", flush=True)

    def serve() -> Drawbridge:
        for _ in range(9):
            try:
                return Drawbridge(options.drawbridge, options.data, options.database)
            except RuntimeError:
                # A port that was free a moment ago was taken by another process.
                continue
        return Drawbridge(options.drawbridge, options.data, options.database)

    with serve():
        pass
    chain = Chain(options.events, int(time.time() * 1000))
    started = time.perf_counter()
    if options.database:
        fill_postgres(options.database, chain)
    else:
        fill_sqlite(str(options.data / "drawbridge.sqlite"), chain)
    print(f"Filled in {time.perf_counter() - started:.0f} s.", flush=True)
    with serve() as server:
        late = search(server, chain, options.requests)
        print(f"\nThe server's peak resident memory meanwhile: {server.memory_mib():.0f} MiB.")
    print(f"Filters whose p99 is over 50 ms: {', '.join(late) or 'none'}.\n\n"
          "| | rows/s | seconds | peak MiB |\n|---|---:|---:|---:|")
    place = ["--database", options.database] if options.database else ["--data", str(options.data)]
    for form in ("jsonl", "csv", "ocsf.jsonl"):
        command = [str(options.drawbridge), "audit", "export", *place, "--format", form]
        seconds, peak, output = run(command, count_lines=True)
        if int(output) < options.events:
            sys.exit(f"{form}: only {int(output)} lines")
        print(f"| export, {form} | {options.events / seconds:,.0f} | {seconds:.1f} | {peak:.0f} |", flush=True)
    with serve() as server:
        seconds, lines = download(server, "jsonl")
        if lines < options.events:
            sys.exit(f"the API's export: only {lines} lines")
        print(f"| export, jsonl, over the API | {options.events / seconds:,.0f} | {seconds:.1f} | {server.memory_mib():.0f} |",
              flush=True)
    seconds, peak, output = run([str(options.drawbridge), "audit", "verify", *place])
    report = json.loads(output)
    if not report["valid"] or report["events"] < options.events:
        sys.exit(f"verify: {output[:500]!r}")
    print(
        f"| verify, {report['checkpoints']:,} checkpoints | {report['events'] / seconds:,.0f} | {seconds:.1f} | {peak:.0f} |",
        flush=True)
    if options.offline:
        offline(options, place)


def offline(options, place: list[str]):
    """Verification of an export with only the public key."""
    export, key = options.data / "export.jsonl", options.data / "audit.pub"
    with open(export, "wb") as file:
        subprocess.run([str(options.drawbridge), "audit", "export", *place, "--format", "jsonl"], stdout=file, check=True)
    # A demo's key is in its folder, whatever its database.
    key.write_bytes(subprocess.run([str(options.drawbridge), "audit", "public-key", "--data", str(options.data)],
                                   stdout=subprocess.PIPE, check=True).stdout)
    seconds, peak, output = run([str(options.drawbridge), "audit", "verify", "--export", str(export), "--public-key",
                                 str(key)])
    report = json.loads(output)
    if not report["valid"] or report["events"] < options.events:
        sys.exit(f"verify --export: {output[:500]!r}")
    print(f"| verify an export offline | {report['events'] / seconds:,.0f} | {seconds:.1f} | {peak:.0f} |")
    export.unlink()


main()
