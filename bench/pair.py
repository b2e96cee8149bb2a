#!/usr/bin/env python3
"""Compares two builds in alternating rounds: issue and redeem with many users seen once or twice, then what follows a
sign-in: check, refresh, introspection, exchange.

    bench/pair.py --before OLD/drawbridge --after .build/release/drawbridge

What tracing costs, with one build as both, and a collector that takes every span and reads none:

    bench/pair.py --before .build/release/drawbridge --after .build/release/drawbridge --trace-share 0.01
"""

import argparse
import statistics
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

import provider  # Before the end-to-end tests' folder, which has a module of that name, is looked into.

# isort: split
import exchange
import oauth  # (in the end-to-end tests' folder)
from run import cookie_of, redeem_round
from server import Drawbridge, counts, wrk

ROADS = ["issue", "redeem", "check", "introspection", "refresh", "exchange"]


class Side:
    """One of the two builds, with everything that the load needs."""

    def __init__(self, running: ExitStack, binary: Path, scratch: Path, arguments, options: tuple[str, ...]):
        scratch.mkdir()
        self.scratch, self.arguments = scratch, arguments
        self.service = running.enter_context(Drawbridge(binary, scratch / "data", options=options))
        self.instance = provider.Instance(self.service)
        self.bearers = self.lines("bearers", [self.service.bearer(f"user-{n}") for n in range(arguments.users)])

    def lines(self, name: str, lines: list[str]) -> Path:
        path = self.scratch / name
        path.write_text("".join(line + "\n" for line in lines))
        return path

    def run(self, road: str) -> dict:
        return getattr(self, road)(self.arguments.seconds, self.arguments.connections)

    def issue(self, seconds: float, connections: int) -> dict:
        path = "/api/auth/create-sso-token"
        return wrk(self.service, "post", path, seconds, connections, BEARERS=str(self.bearers))

    def redeem(self, seconds: float, connections: int) -> dict:
        return redeem_round(self.service, self.bearers, self.scratch, seconds, connections)[0]

    def check(self, seconds: float, connections: int) -> dict:
        if not (cookies := self.scratch / "cookies").exists():
            tokens = self.scratch / "some"
            wrk(self.service, "post", "/api/auth/create-sso-token", 1, BEARERS=str(self.bearers), SAVE=str(tokens))
            self.lines("cookies", [cookie_of(self.service, token) for token in tokens.read_text().split()[:200]])
        return wrk(self.service, "get", "/auth/check", seconds, connections, COOKIES=str(cookies))

    def introspection(self, seconds: float, connections: int) -> dict:
        basic = oauth.basic(self.instance, "demo-admin")["Authorization"]
        token = oauth.sign_in(self.instance)["access_token"]
        lines = self.lines("introspection", [f"{basic}\ttoken={token}"])
        return wrk(self.service, "call", "/oauth/introspect", seconds, connections, LINES=str(lines), EXPECT='"active":true')

    def refresh(self, seconds: float, _: int) -> dict:
        return provider.refresh_round(self.service, self.instance, self.scratch, seconds)

    def exchange(self, seconds: float, connections: int) -> dict:
        if not (forms := self.scratch / "forms").exists():
            apps = exchange.Apps(self.service)
            self.lines("forms", [exchange.form(apps, ("alice", "bob")[n % 2]) for n in range(8)])
        return wrk(self.service, "form", "/oauth/token", seconds, connections, FORMS=str(forms))


#: A collector of spans, in a process of its own.
COLLECTOR = """
import http.server
class Collector(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector)
print(server.server_port, flush=True)
server.serve_forever()
"""


def collector(running: ExitStack) -> str:
    process = subprocess.Popen([sys.executable, "-c", COLLECTOR], stdout=subprocess.PIPE, text=True)
    running.callback(process.kill)
    return f"http://127.0.0.1:{process.stdout.readline().strip()}/v1/traces"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path, required=True)
    parser.add_argument("--after", type=Path, required=True)
    parser.add_argument("--trace-share", type=float, help="the share of its requests that the second sends spans of")
    parser.add_argument("--roads", nargs="+", choices=ROADS, default=ROADS)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--users", type=int, default=20_000)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--scratch", help="folder for the data; must be on a real disk")
    arguments = parser.parse_args()
    found: dict[tuple[str, str], list[dict]] = {}
    with ExitStack() as running:
        scratch = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="pair-", dir=arguments.scratch)))
        traced = () if arguments.trace_share is None else (
            "--traces", collector(running), "--trace-share", str(arguments.trace_share))
        sides = {name: Side(running, binary, scratch / name, arguments, options)
                 for name, binary, options in [("before", arguments.before, ()), ("after", arguments.after, traced)]}
        for number in range(arguments.rounds):
            for road in arguments.roads:
                # Who goes first changes, so that neither always finds the machine as the other left it.
                for name in list(sides)[::1 if number % 2 == 0 else -1]:
                    result = sides[name].run(road)
                    found.setdefault((road, name), []).append(result)
                    failures = sum(result.get(what, 0) for what in ("failures", "not_2xx_3xx", "socket_errors"))
                    print(f"round {number + 1}  {name:<6} {road:<13} {result['per_second']:>7.0f}/s  "
                          f"p99 {result['p99_ms']:>7.2f} ms  cpu {result['cpu_us']:>7.1f} µs  {counts(result)}  "
                          f"failures {failures}", flush=True)
    for road in arguments.roads:
        for field, unit in [("per_second", "requests/s"), ("cpu_us", "server CPU"), ("bytes", "bytes of write"),
                            ("writes", "calls of write"), ("switches", "context switches")]:
            pairs = [after[field] / before[field]
                     for before, after in zip(found[road, "before"], found[road, "after"]) if before[field]]
            if pairs:
                print(f"{road}: {unit} after/before {statistics.median(pairs):.3f} "
                      f"({min(pairs):.3f} to {max(pairs):.3f} in {len(pairs)} pairs)")


if __name__ == "__main__":
    main()
