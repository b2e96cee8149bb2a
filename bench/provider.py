#!/usr/bin/env python3
"""Measures the provider's token side against a hello server of the same stack, in alternating rounds."""

import argparse
import sqlite3
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

from run import failures, median, report
from server import Drawbridge, Hello, first_line, machine, wrk

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Tests" / "EndToEnd"))
import oauth
import wire

#: The least ratio to the baseline (issue "the provider").
GOALS = {"refresh": 0.1, "introspection": 0.5, "userinfo": 0.5, "client_credentials": 0.2}
BASELINE = {"refresh": "hello POST", "introspection": "hello POST", "userinfo": "hello GET",
            "client_credentials": "hello POST"}
#: More than wrk has connections, so that a rotated token is always at hand.
SESSIONS = 128


class Instance:
    """What the end-to-end tests' browser needs to know of a server."""

    def __init__(self, server: Drawbridge):
        self.facts, self.base = server.facts, server.base

    def send(self, method, target, headers=None, body=None, **more):
        return wire.send(self.base, method, target, headers, body, **more)

    def user(self, name: str) -> dict:
        return next(user for user in self.facts["users"] if user["username"] == name)

    def client(self, name: str) -> dict:
        return next(client for client in self.facts["clients"] if client["client_id"] == name)


def sign_ins(instance: Instance) -> list[dict]:
    """The tokens of as many sessions of an app."""
    def some(count: int) -> list[dict]:
        # One password a browser: hashing it is what a sign-in costs, and is not what is measured here.
        browser = oauth.Browser(instance)
        return [oauth.sign_in(instance, browser=browser) for _ in range(count)]

    with ThreadPoolExecutor(4) as pool:
        return [tokens for part in pool.map(some, [SESSIONS // 4] * 4) for tokens in part]


def rotations(server: Drawbridge) -> int:
    with sqlite3.connect(f"file:{server.data}/drawbridge.sqlite?mode=ro", uri=True) as connection:
        text = "SELECT count(*) FROM audit_event WHERE type = 'refresh_token.rotated'"
        return connection.execute(text).fetchone()[0]


def refresh_round(server: Drawbridge, instance: Instance, scratch: Path, seconds: float) -> dict:
    """Rotates fresh sessions' tokens; as many rotations are in the audit log as answers came."""
    tokens = scratch / "refresh-tokens"
    tokens.write_text("".join(found["refresh_token"] + "\n" for found in sign_ins(instance)))
    before = rotations(server)
    result = wrk(server, "refresh", "/oauth/token", seconds, LINES=str(tokens), CLIENT="demo-app")
    recorded = rotations(server) - before
    # Answers that were on their way when wrk stopped have rotated too, at most one a connection.
    if not 0 <= recorded - (result["requests"] - result["failures"]) <= 64:
        raise RuntimeError(f"{result['requests']} refreshes but {recorded} rotations in the audit log")
    return result


def measure(arguments) -> dict[str, list[dict]]:
    found: dict[str, list[dict]] = {}
    with ExitStack() as running:
        scratch = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="bench-", dir=arguments.scratch)))
        hello = running.enter_context(Hello(arguments.hello)) if arguments.hello.exists() else None
        server = running.enter_context(Drawbridge(arguments.drawbridge, scratch / "data"))
        instance = Instance(server)
        machine_client = oauth.basic(instance, "demo-admin")["Authorization"]
        access = [tokens["access_token"] for tokens in sign_ins(instance)]
        files = {
            "introspection": [f"{machine_client}\ttoken={token}" for token in access],
            "userinfo": [f"Bearer {token}\t" for token in access],
            "client_credentials": [f"{machine_client}\tgrant_type=client_credentials&scope=admin"],
        }
        for name, lines in files.items():
            (scratch / name).write_text("\n".join(lines) + "\n")
        calls = {"introspection": ("/oauth/introspect", '"active":true'), "userinfo": ("/oauth/userinfo", '"sub":'),
                 "client_credentials": ("/oauth/token", '"access_token":')}
        for number in range(arguments.rounds):
            results = {}
            if hello:
                results["hello GET"] = wrk(hello, "get", "/hello", arguments.seconds)
                results["hello POST"] = wrk(hello, "post", "/hello", arguments.seconds)
            for name, (path, expected) in calls.items():
                results[name] = wrk(
                    server, "call", path, arguments.seconds, LINES=str(scratch / name), EXPECT=expected)
            results["refresh"] = refresh_round(server, instance, scratch, arguments.seconds)
            for name, result in results.items():
                found.setdefault(name, []).append(result)
                report(number, name, result)
    return found


def table(found: dict, arguments) -> str:
    lines = [
        f"\n## {time.strftime('%Y-%m-%d %H:%M')} The provider's token side {arguments.note}\n",
        f"{machine()}. {first_line(['swift', '--version'])}. `wrk -t1 -c64` on the same machine as the servers; "
        f"{arguments.rounds} alternating rounds of {arguments.seconds:g} s, medians. SQLite WAL, `synchronous=FULL`, data "
        f"on disk; {SESSIONS} sessions, refresh tokens rotated by every request.\n",
        "| | requests/s | p50 ms | p99 ms | server CPU µs/request | ratio | goal | failed |",
        "|---|---:|---:|---:|---:|---:|---|---:|",
    ]
    for name in ["hello GET", "hello POST", *GOALS]:
        if name not in found:
            continue
        share, goal = "", ""
        base = BASELINE.get(name)
        if base in found:
            shares = sorted(mine["per_second"] / other["per_second"] for mine, other in zip(found[name], found[base]))
            share, goal = f"{shares[len(shares) // 2]:.2f}", f"≥ {GOALS[name]}"
        lines.append(
            f"| {name} | {median(found, name, 'per_second'):,.0f} | {median(found, name, 'p50_ms'):.2f} | "
            f"{median(found, name, 'p99_ms'):.2f} | {median(found, name, 'cpu_us'):.0f} | {share} | {goal} | "
            f"{failures(found, name)} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--drawbridge", type=Path, required=True)
    parser.add_argument("--hello", type=Path, required=True, help="the baseline; left out when there is none")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--scratch", help="folder for the data; must be on a real disk")
    parser.add_argument("--note", default="")
    parser.add_argument("--results", type=Path, default=Path(__file__).parent / "RESULTS.md", help="- writes nothing")
    arguments = parser.parse_args()
    found = measure(arguments)
    text = table(found, arguments)
    print(text)
    if str(arguments.results) != "-":
        with open(arguments.results, "a") as results:
            results.write(text)
    sys.exit(1 if any(failures(found, name) for name in found) else 0)


if __name__ == "__main__":
    main()
