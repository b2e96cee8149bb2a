#!/usr/bin/env python3
"""Compares two builds on the main road: issue and redeem in alternating rounds, with many users seen once or twice.

    bench/pair.py --before OLD/drawbridge --after .build/release/drawbridge
"""

import argparse
import statistics
import tempfile
from contextlib import ExitStack
from pathlib import Path

from run import redeem_round
from server import Drawbridge, counts, wrk


def start(running: ExitStack, binary: Path, scratch: Path, users: int) -> tuple[Drawbridge, Path, Path]:
    scratch.mkdir()
    service = running.enter_context(Drawbridge(binary, scratch / "data", None, None))
    bearers = scratch / "bearers"
    bearers.write_text("".join(service.bearer(f"user-{number}") + "\n" for number in range(users)))
    return service, bearers, scratch


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path, required=True)
    parser.add_argument("--after", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--users", type=int, default=20_000)
    parser.add_argument("--scratch", help="folder for the data; must be on a real disk")
    arguments = parser.parse_args()
    found: dict[tuple[str, str], list[dict]] = {}
    with ExitStack() as running:
        scratch = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="pair-", dir=arguments.scratch)))
        sides = {name: start(running, binary, scratch / name, arguments.users)
                 for name, binary in [("before", arguments.before), ("after", arguments.after)]}
        for number in range(arguments.rounds):
            # Who goes first changes, so that neither always finds the machine as the other left it.
            for name in list(sides)[::1 if number % 2 == 0 else -1]:
                service, bearers, folder = sides[name]
                results = {
                    "issue": wrk(service, "post", "/api/auth/create-sso-token", arguments.seconds, BEARERS=str(bearers)),
                    "redeem": redeem_round(service, bearers, folder, arguments.seconds)[0]}
                for what, result in results.items():
                    found.setdefault((what, name), []).append(result)
                    print(f"round {number + 1}  {name:<6} {what:<6} {result['per_second']:>7.0f}/s  "
                          f"p99 {result['p99_ms']:>7.2f} ms  cpu {result['cpu_us']:>7.1f} µs  {counts(result)}  failures "
                          f"{result['failures'] + result['not_2xx_3xx'] + result['socket_errors']}", flush=True)
    for what in ("issue", "redeem"):
        for field, unit in [("per_second", "requests/s"), ("cpu_us", "server CPU"), ("bytes", "bytes of write"),
                            ("writes", "calls of write"), ("switches", "context switches")]:
            pairs = [after[field] / before[field] for before, after in zip(found[what, "before"], found[what, "after"])]
            print(f"{what}: {unit} after/before {statistics.median(pairs):.3f} "
                  f"({min(pairs):.3f} to {max(pairs):.3f} in {len(pairs)} pairs)")


if __name__ == "__main__":
    main()
