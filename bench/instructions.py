#!/usr/bin/env python3
"""Counts the instructions that an issue takes, in two builds: a figure that no other work on the machine disturbs.

    bench/instructions.py --before OLD/drawbridge --after .build/release/drawbridge

One request after another, each of a user whose bearer was never seen, under valgrind's callgrind. The kernel's share is not in
it, and every commit is one request's alone, which under load it is not: compare ratios, not with times.

    bench/instructions.py --after .build/release/drawbridge --road redeem check --counts FOLDER

Other roads, of one build, each in a process of its own; what callgrind wrote stays in the folder, for `callgrind_annotate`.
With --written the kernel counts what the program writes instead, without valgrind: bytes and calls.
"""

import argparse
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from roads import FIRST, ROADS, Load, left_browsers, spent
from server import Drawbridge


def wrapper(binary: Path, scratch: Path) -> Path:
    """A program that runs another under callgrind, which cannot read the debug information of Swift's."""
    stripped, script = scratch / "drawbridge", scratch / "counted"
    subprocess.run(["strip", "--strip-debug", "-o", str(stripped), str(binary)], check=True)
    script.write_text("#!/bin/sh\nexec valgrind -q --tool=callgrind --instr-atstart=no "
                      f"--callgrind-out-file={scratch}/counts {stripped} \"$@\"\n")
    script.chmod(0o755)
    return script


def counting(service: Drawbridge, word: str):
    subprocess.run(["callgrind_control", "-i", word, str(service.process.pid)], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(1)


def instructions(binary: Path, road: str, requests: int, kept: Path | None) -> float:
    """Of one request, after some that nobody counts."""
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        left = left_browsers(binary, scratch / "data", road, FIRST + requests)
        with Drawbridge(wrapper(binary, scratch), scratch / "data") as service:
            walks = Load(service, left).walks(road, FIRST + requests)
            for walk in walks[:FIRST]:
                walk()
            counting(service, "on")
            for walk in walks[FIRST:]:
                walk()
            counting(service, "off")
        text = (scratch / "counts").read_text(errors="replace")
        if kept:
            kept.mkdir(parents=True, exist_ok=True)
            (kept / f"{road}.out").write_text(text)
    counted = int(re.search(r"^totals: (\d+)", text, re.MULTILINE)[1])
    if not counted:
        sys.exit("callgrind counted nothing")
    return counted / requests


def written(binary: Path, road: str, requests: int) -> dict[str, float]:
    """Bytes and calls of write of one request, the answer's among them."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        left = left_browsers(binary, data, road, FIRST + requests)
        with Drawbridge(binary, data) as service:
            return spent(Load(service, left).walks(road, FIRST + requests), service.counts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path, help="left out, the other build is counted alone")
    parser.add_argument("--after", type=Path, required=True)
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--road", nargs="+", choices=ROADS, default=["issue"])
    parser.add_argument("--counts", type=Path, help="folder for what callgrind wrote, by build and road")
    parser.add_argument("--written", action="store_true", help="bytes and calls of write instead of instructions")
    arguments = parser.parse_args()
    builds = {name: binary for name, binary in [("before", arguments.before), ("after", arguments.after)] if binary}
    for road in arguments.road:
        if arguments.written:
            found = [written(binary, road, arguments.requests) for binary in builds.values()]
            print(f"{ROADS[road].name}: " + " and ".join(
                f"{one['bytes']:,.0f} bytes in {one['writes']:.1f} calls" for one in found), flush=True)
            continue
        counts = [instructions(binary, road, arguments.requests, arguments.counts and arguments.counts / name)
                  for name, binary in builds.items()]
        share = f", {counts[1] / counts[0]:.3f} of it" if len(counts) == 2 else ""
        print(f"{ROADS[road].name}: " + " and ".join(f"{count:,.0f}" for count in counts) + f" instructions{share}",
              flush=True)


if __name__ == "__main__":
    main()
