#!/usr/bin/env python3
"""Measures exchange → cookies: each request verifies an access token and a device secret, writes a web session, its refresh
cookie and two audit events durably, and signs an access token with ES256."""

import argparse
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlencode

from server import Drawbridge, Hello, first_line, machine, wrk

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Tests/EndToEnd"))
import native

#: The least ratio to the baseline.
GOAL = 0.08


class Apps:
    """What `native.App` wants to know of an instance."""

    def __init__(self, service: Drawbridge):
        self.base, self.facts = service.base, service.facts

    def user(self, name: str) -> dict:
        return next(user for user in self.facts["users"] if user["username"] == name)


def form(apps: Apps, user: str) -> str:
    """Signs an app in on a device of its own; the exchange that it may repeat."""
    app = native.App(apps, user=user)
    tokens = app.sign_in()
    return urlencode({
        "grant_type": native.EXCHANGE, "client_id": "demo-webview", "subject_token": tokens["access_token"],
        "subject_token_type": native.ACCESS_TOKEN, "actor_token": tokens["device_secret"],
        "actor_token_type": native.DEVICE_SECRET})


def exchange(service: Drawbridge, forms: Path, seconds: float) -> dict:
    before = service.sessions()
    result = wrk(service, "form", "/oauth/token", seconds, FORMS=str(forms))
    good = result["requests"] - result["not_2xx_3xx"] - result["socket_errors"]
    opened = service.sessions() - before
    # Answers that were on their way when wrk stopped have opened sessions too, at most one a connection.
    if not 0 <= opened - good <= 64:
        raise RuntimeError(f"{good} exchanges but {opened} sessions in the database")
    return result


def measure(arguments) -> dict[str, list[dict]]:
    found: dict[str, list[dict]] = {"hello POST": [], "exchange": []}
    with ExitStack() as running:
        scratch = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="bench-", dir=arguments.scratch)))
        hello = running.enter_context(Hello(arguments.hello))
        service = running.enter_context(Drawbridge(
            arguments.drawbridge, scratch / "data", arguments.database, arguments.redis))
        forms = scratch / "forms"
        # Half of them each, since a user has ten devices at most.
        users = [("alice", "bob")[number % 2] for number in range(arguments.apps)]
        forms.write_text("".join(form(Apps(service), user) + "\n" for user in users))
        wrk(hello, "post", "/hello", 1)
        exchange(service, forms, 1)
        for number in range(arguments.rounds):
            for name, result in [
                ("hello POST", wrk(hello, "post", "/hello", arguments.seconds)),
                ("exchange", exchange(service, forms, arguments.seconds)),
            ]:
                found[name].append(result)
                print(f"round {number + 1}  {name:<10} {result['per_second']:>8.0f}/s  p50 {result['p50_ms']:>6.2f} ms  "
                      f"p99 {result['p99_ms']:>6.2f} ms  cpu {result['cpu_us']:>6.1f} µs  failed {failed(result)}",
                      flush=True)
    return found


def failed(result: dict) -> int:
    return result["not_2xx_3xx"] + result["socket_errors"]


def table(found: dict, arguments) -> str:
    ratio = statistics.median(
        mine["per_second"] / base["per_second"] for mine, base in zip(found["exchange"], found["hello POST"]))
    database = "PostgreSQL" if arguments.database else "SQLite WAL, `synchronous=FULL`"
    lines = [
        f"\n## {time.strftime('%Y-%m-%d %H:%M')} exchange → cookies {arguments.note}\n",
        f"{machine()}. {first_line(['swift', '--version'])}. wrk `-t1 -c64` on the same machine; {arguments.rounds} "
        f"alternating rounds of {arguments.seconds:g} s, medians; {arguments.apps} devices; {database}, data on disk.\n",
        "| | requests/s | p50 ms | p99 ms | server CPU µs/request | ratio | goal | failed |",
        "|---|---:|---:|---:|---:|---:|---|---:|",
    ]
    for name, results in found.items():
        middle = {key: statistics.median(result[key] for result in results)
                  for key in ("per_second", "p50_ms", "p99_ms", "cpu_us")}
        share, goal = (f"{ratio:.2f}", f"≥ {GOAL}") if name == "exchange" else ("", "")
        lines.append(
            f"| {name} | {middle['per_second']:,.0f} | {middle['p50_ms']:.2f} | {middle['p99_ms']:.2f} | "
            f"{middle['cpu_us']:.0f} | {share} | {goal} | {sum(failed(result) for result in results)} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--drawbridge", type=Path, required=True)
    parser.add_argument("--hello", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--apps", type=int, default=8, choices=range(1, 21), metavar="1…20")
    parser.add_argument("--scratch", help="folder for the data; must be on a real disk")
    parser.add_argument("--database", help="a PostgreSQL database instead of the embedded one")
    parser.add_argument("--redis", help="share the replay guard and the news of ended sessions through this Redis")
    parser.add_argument("--note", default="")
    parser.add_argument("--results", type=Path, help="appends the table to this file")
    arguments = parser.parse_args()
    found = measure(arguments)
    text = table(found, arguments)
    print(text)
    if arguments.results:
        with open(arguments.results, "a") as results:
            results.write(text)
    sys.exit(1 if any(failed(result) for results in found.values() for result in results) else 0)


if __name__ == "__main__":
    main()
