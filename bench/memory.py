#!/usr/bin/env python3
"""Opens a million sessions over the wire, then says how much memory the server holds."""

import argparse
import tempfile
import time
from pathlib import Path

from run import MEMORY_GOAL_MIB, SUBJECTS
from server import Drawbridge, machine, wrk


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--drawbridge", type=Path, required=True)
    parser.add_argument("--sessions", type=int, default=1_000_000)
    parser.add_argument("--scratch", help="folder for the data; must be on a real disk")
    parser.add_argument("--results", type=Path, default=Path(__file__).parent / "RESULTS.md")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-", dir=arguments.scratch) as scratch:
        text = measure(arguments, Path(scratch))
    print(text)
    with open(arguments.results, "a") as results:
        results.write(text)


def measure(arguments, scratch: Path) -> str:
    bearers, data = scratch / "bearers", scratch / "data"
    started = time.monotonic()
    with Drawbridge(arguments.drawbridge, data) as service:
        at_start = service.memory_mib("VmRSS")
        opened = 0
        while opened < arguments.sessions:
            bearers.write_text("".join(service.bearer(f"user-{number}") + "\n" for number in range(SUBJECTS)))
            result = wrk(service, "flow", "/", 20, BEARERS=str(bearers), CHECKS="0")
            if result["failures"] + result["not_2xx_3xx"] + result["socket_errors"]:
                raise RuntimeError(f"failures: {result}")
            opened = service.sessions()
            print(f"{opened:>9,} sessions, resident {service.memory_mib('VmRSS'):.0f} MiB, "
                  f"{result['per_second']:,.0f} requests/s, p99 {result['p99_ms']:.1f} ms", flush=True)
        resident, peak = service.memory_mib("VmRSS"), service.memory_mib()
    size = sum(file.stat().st_size for file in data.iterdir()) / 2**20
    return (f"\n## {time.strftime('%Y-%m-%d %H:%M')} memory\n\n{machine()}. {opened:,} sessions opened over the wire in "
            f"{time.monotonic() - started:.0f} s, each with its token, its events and its row: resident "
            f"{resident:.0f} MiB ({at_start:.0f} at the start), peak {peak:.0f} MiB, data folder {size:,.0f} MiB. "
            f"Goal: {MEMORY_GOAL_MIB} MiB.\n")


if __name__ == "__main__":
    main()
