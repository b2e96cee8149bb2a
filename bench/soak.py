#!/usr/bin/env python3
"""Hours of mixed load at a steady, small rate: does anything grow that should not?

    bench/soak.py --seconds 3600 --rate 60                 # embedded database
    bench/soak.py --seconds 3600 --rate 60 --postgres      # PostgreSQL and Redis
    bench/soak.py --seconds 900 --remembered 500           # smaller caches: full in a minute, so what grows after is no cache

Samples resident memory, file descriptors, threads, the size of the write-ahead log and the 99th percentile of answers,
and fits a line through each after the first fifth, which is warming up. A slope is printed with its standard error:
one of less than two errors is no growth that can be told from chance.
"""

import argparse
import asyncio
import contextlib
import json
import math
import os
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Tests/EndToEnd"))

import instance
import simultaneous
from servers import Postgres, Redis


def slope(points: list[tuple[float, float]]) -> tuple[float, float]:
    """Least squares: the slope, and its standard error."""
    count = len(points)
    if count < 3:
        return math.nan, math.nan
    middle = sum(x for x, _ in points) / count
    mean = sum(y for _, y in points) / count
    width = sum((x - middle) ** 2 for x, _ in points)
    found = sum((x - middle) * (y - mean) for x, y in points) / width
    rest = sum((y - mean - found * (x - middle)) ** 2 for x, y in points)
    return found, math.sqrt(rest / (count - 2) / width)


class Load:
    """One hand-off after another, with what a website asks in between, from a few connections that stay open."""

    def __init__(self, server: instance.Served, rate: float, again: float):
        self.server, self.pause, self.again = server, 1 / rate, again
        self.times: list[float] = []
        self.errors = self.requests = self.sign_ins = 0

    async def ask(self, connection, *arguments):
        began = time.monotonic()
        answer = await arguments[0](connection) if callable(arguments[0]) else await connection.request(*arguments)
        self.times.append(time.monotonic() - began)
        self.requests += 1
        self.errors += answer.status >= 500
        return answer

    async def client(self, number: int, clients: int, until: float):
        chances = random.Random(number)
        async with simultaneous.Connection(self.server.port) as connection:
            while time.monotonic() < until:
                bearer = self.server.bearer(f"soak-{chances.randrange(1000)}")
                issued = await self.ask(connection, lambda c: c.issue_answer(bearer))
                token = issued.json()["token"]
                opened = await self.ask(connection, lambda c: c.redeem(token, f"Browser/{number}"))
                cookie = {"Cookie": opened.session_cookie}
                for _ in range(4):
                    await asyncio.sleep(self.pause * clients * chances.random() * 2)
                    await self.ask(connection, "GET", "/auth/check", cookie)
                self.sign_ins += 1
                if chances.random() < self.again:
                    await self.ask(connection, lambda c: c.redeem(token, "Thief/1"))
                elif chances.random() < 0.5:
                    await self.ask(connection, "POST", "/session/logout", {
                        **cookie, "Origin": self.server.base, "Sec-Fetch-Site": "same-origin"})


async def issue_answer(connection, bearer: str):
    return await connection.post_issue(bearer)


simultaneous.Connection.issue_answer = issue_answer


def sample(server: instance.Served, load: Load) -> dict:
    status = Path(f"/proc/{server.popen.pid}/status").read_text()
    field = dict(line.split(":", 1) for line in status.splitlines())
    log = server.data / "drawbridge.sqlite-wal"
    times, load.times = sorted(load.times), []
    # Resident memory has the pages of the program's file in it, which come in as code is run for the first time.
    return {"resident, MiB": int(field["VmRSS"].split()[0]) / 1024,
            "of these its own": int(field["RssAnon"].split()[0]) / 1024,
            "descriptors": len(os.listdir(f"/proc/{server.popen.pid}/fd")),
            "threads": int(field["Threads"]), "log, MiB": log.stat().st_size / 2**20 if log.exists() else 0,
            "p99, ms": 1000 * times[int(len(times) * 0.99)] if times else math.nan}


async def soak(server: instance.Served, options) -> tuple[list, Load]:
    load = Load(server, options.rate, options.again)
    began = time.monotonic()
    until = began + options.seconds
    clients = [asyncio.create_task(load.client(number, options.clients, until)) for number in range(options.clients)]
    samples = []
    while time.monotonic() < until:
        await asyncio.sleep(options.every)
        samples.append((time.monotonic() - began, sample(server, load)))
        if options.samples:
            with open(options.samples, "a") as file:
                file.write(json.dumps([*samples[-1], load.sign_ins]) + "\n")
    await asyncio.gather(*clients)
    return samples, load


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--rate", type=float, default=60, help="requests a second, about")
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--again", type=float, default=0.2, help="share of links that a thief opens as well")
    parser.add_argument("--every", type=float, default=5, help="seconds between samples")
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--remembered", type=int, help="sessions and bearers that the server keeps in memory, at most")
    parser.add_argument("--samples", metavar="FILE", help="write each sample there, a line each")
    options = parser.parse_args()
    with contextlib.ExitStack() as running:
        settings = "limits: {enabled: false}\n"
        if options.remembered:
            settings += f"session: {{cache_size: {options.remembered}}}\nbearer: {{cache_size: {options.remembered}}}\n"
        if options.postgres:
            settings += (f"database: {running.enter_context(Postgres()).create('soak')}\nnode: soak\n"
                         f"redis: {{url: '{running.enter_context(Redis()).url}'}}\n")
        server = instance.Served(settings)
        running.callback(server.stop)
        samples, load = asyncio.run(soak(server, options))
    settled = [(at, values) for at, values in samples if at > options.seconds / 5]
    print(f"{load.requests} requests and {load.sign_ins} sign-ins in {options.seconds:.0f} s, {load.errors} answered with 5xx")
    print("| what | first | last | highest | slope per hour | standard error | grows |\n|---|---|---|---|---|---|---|")
    for name in settled[0][1]:
        points = [(at / 3600, values[name]) for at, values in settled if not math.isnan(values[name])]
        found, error = slope(points)
        verdict = "yes" if found > 2 * error > 0 else "no"
        print(f"| {name} | {points[0][1]:.1f} | {points[-1][1]:.1f} | {max(y for _, y in points):.1f} | {found:+.2f} | "
              f"{error:.2f} | {verdict} |")
    return 1 if load.errors else 0


if __name__ == "__main__":
    sys.exit(main())
