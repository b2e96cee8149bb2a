#!/usr/bin/env python3
"""Measures the main road against a hello server of the same stack, in alternating rounds, and writes RESULTS.md."""

import argparse
import statistics
import sys
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import ExitStack
from pathlib import Path

from server import Drawbridge, Hello, counts, first_line, machine, wrk

#: The least ratio to the baseline and the most CPU microseconds: on the embedded stores, and with PostgreSQL and Redis.
GOALS = {"check": (0.85, 35), "issue": (0.35, 90), "redeem": (0.25, 130), "flow": (None, None)}
SHARED_GOALS = {"check": (0.7, None), "issue": (0.12, None), "redeem": (0.08, None), "flow": (None, None)}
BASELINE = {"check": "hello GET", "issue": "hello POST", "redeem": "hello GET", "flow": "hello GET"}
P99_GOAL_MS = 20
MEMORY_GOAL_MIB = 120
SUBJECTS = 200


def cookie_of(service: Drawbridge, token: str) -> str:
    """Opens one session, as a browser would."""
    class Stay(urllib.request.HTTPRedirectHandler):
        def redirect_request(self, *_):
            return None

    headers = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document", "Sec-Fetch-Site": "none", "User-Agent": "bench"}
    request = urllib.request.Request(f"{service.base}/login-with-token?token={token}", headers=headers)
    try:
        urllib.request.build_opener(Stay).open(request)
    except urllib.error.HTTPError as answer:
        for line in answer.headers.get_all("Set-Cookie") or []:
            if line.startswith("__Host-drawbridge_session="):
                return line.partition(";")[0]
    raise RuntimeError("no session")


def redeem_round(
        service: Drawbridge, bearers: Path, scratch: Path, seconds: float, connections: int = 64,
        around=lambda body: body()) -> tuple[dict, dict]:
    """Mints tokens and redeems each once, within the minute that they live; ``around`` measures the second alone."""
    tokens = scratch / "tokens"
    # Issuing is the faster half, but saving costs the load generator; so it gets more time than redeeming.
    wrk(service, "post", "/api/auth/create-sso-token", seconds * 3, connections, BEARERS=str(bearers),
        SAVE=str(tokens))
    minted = sum(1 for _ in open(tokens))
    before = service.sessions()
    result = around(lambda: wrk(service, "redeem", "/", seconds, connections, TOKENS=str(tokens)))
    if result["requests"] > minted:
        raise RuntimeError(f"{result['requests']} redemptions, but only {minted} tokens: mint longer")
    opened = service.sessions() - before
    # Answers that were on their way when wrk stopped have opened sessions too, at most one a connection.
    if not 0 <= opened - (result["requests"] - result["failures"]) <= 64:
        raise RuntimeError(f"{result['requests']} redemptions but {opened} sessions in the database")
    return result, {"minted": minted, "opened": opened}


def measure(arguments) -> dict[str, list[dict]]:
    found: dict[str, list[dict]] = {}
    with ExitStack() as running:
        scratch = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="bench-", dir=arguments.scratch)))
        hello = running.enter_context(Hello(arguments.hello))
        service = running.enter_context(Drawbridge(
            arguments.drawbridge, scratch / "data", arguments.database, arguments.redis))
        bearers, cookies, tokens = scratch / "bearers", scratch / "cookies", scratch / "tokens"
        bearers.write_text("".join(service.bearer(f"user-{number}") + "\n" for number in range(SUBJECTS)))
        wrk(service, "post", "/api/auth/create-sso-token", 1, BEARERS=str(bearers), SAVE=str(tokens))
        some = tokens.read_text().split()[:SUBJECTS]
        cookies.write_text("".join(cookie_of(service, token) + "\n" for token in some))
        wrk(hello, "get", "/hello", 1)
        for number in range(arguments.rounds):
            seconds = arguments.seconds
            results = {
                "hello GET": wrk(hello, "get", "/hello", seconds),
                "check": wrk(service, "get", "/auth/check", seconds, COOKIES=str(cookies)),
                "hello POST": wrk(hello, "post", "/hello", seconds),
                "issue": wrk(service, "post", "/api/auth/create-sso-token", seconds, BEARERS=str(bearers)),
                "redeem": redeem_round(service, bearers, scratch, seconds)[0],
                "flow": wrk(service, "flow", "/", seconds, BEARERS=str(bearers)),
            }
            for name, result in results.items():
                found.setdefault(name, []).append(result)
                report(number, name, result)
        found["memory"] = [{"mib": service.memory_mib()}]
        found["sessions"] = [{"count": service.sessions()}]
    return found


def report(number: int, name: str, result: dict):
    print(f"round {number + 1}  {name:<10} {result['per_second']:>8.0f}/s  p50 {result['p50_ms']:>6.2f} ms  "
          f"p99 {result['p99_ms']:>6.2f} ms  cpu {result['cpu_us']:>6.1f} µs  {counts(result)}  failures "
          f"{result['failures'] + result['not_2xx_3xx'] + result['socket_errors']} {result['first_failure']}", flush=True)


def median(found: dict, name: str, field: str) -> float:
    return statistics.median(result[field] for result in found[name])


def ratio(found: dict, name: str) -> float:
    """The median of the rounds' own ratios: each round compares with the baseline measured beside it."""
    return statistics.median(mine["per_second"] / base["per_second"]
                             for mine, base in zip(found[name], found[BASELINE[name]]))


def failures(found: dict, name: str) -> int:
    return sum(result["failures"] + result["not_2xx_3xx"] + result["socket_errors"] for result in found[name])


def table(found: dict, arguments) -> str:
    lines = [
        f"\n## {time.strftime('%Y-%m-%d %H:%M')} {arguments.note}\n",
        f"{machine()}. {first_line(['swift', '--version'])}. {first_line(['wrk', '-v']).split(' Copyright')[0]}, "
        f"`-t1 -c64`, on the same machine as the servers; {arguments.rounds} alternating rounds of "
        f"{arguments.seconds:g} s, medians. {stores(arguments)}, data on disk.\n",
        "| | requests/s | p50 ms | p99 ms | server CPU µs/request | ratio | goal | failed |",
        "|---|---:|---:|---:|---:|---:|---|---:|",
    ]
    for name in ["hello GET", "hello POST", "check", "issue", "redeem", "flow"]:
        goal = ""
        share = ""
        if name in BASELINE:
            share = f"{ratio(found, name):.2f}"
            least, most = (SHARED_GOALS if arguments.database else GOALS)[name]
            goal = ", ".join([*([f"≥ {least}"] if least else []), *([f"≤ {most} µs"] if most else [])])
        lines.append(
            f"| {name} | {median(found, name, 'per_second'):,.0f} | {median(found, name, 'p50_ms'):.2f} | "
            f"{median(found, name, 'p99_ms'):.2f} | {median(found, name, 'cpu_us'):.0f} | {share} | {goal} | "
            f"{failures(found, name)} |")
    lines.append(f"\nPeak resident memory {found['memory'][0]['mib']:.0f} MiB after {found['sessions'][0]['count']:,} "
                 f"sessions. Goal for p99: {P99_GOAL_MS} ms.\n")
    return "\n".join(lines)


def stores(arguments) -> str:
    database = "PostgreSQL, `synchronous_commit=on`" if arguments.database else "SQLite WAL, `synchronous=FULL`"
    return f"{database}; replay guard in Redis" if arguments.redis else database


def main():
    here = Path(__file__).parent
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--drawbridge", type=Path, required=True)
    parser.add_argument("--hello", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--scratch", help="folder for the data; must be on a real disk")
    parser.add_argument("--database", help="a PostgreSQL database instead of the embedded one")
    parser.add_argument("--redis", help="share the replay guard and the news of ended sessions through this Redis")
    parser.add_argument("--note", default="")
    parser.add_argument("--results", type=Path, default=here / "RESULTS.md")
    arguments = parser.parse_args()
    found = measure(arguments)
    text = table(found, arguments)
    print(text)
    with open(arguments.results, "a") as results:
        results.write(text)
    sys.exit(1 if any(failures(found, name) for name in found if name not in ("memory", "sessions")) else 0)


if __name__ == "__main__":
    main()
