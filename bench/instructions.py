#!/usr/bin/env python3
"""Counts the instructions that an issue takes, in two builds: a figure that no other work on the machine disturbs.

    bench/instructions.py --before OLD/drawbridge --after .build/release/drawbridge

One request after another, each of a user whose bearer was never seen, under valgrind's callgrind. The kernel's share is not in
it, and every commit is one request's alone, which under load it is not: compare ratios, not with times.
"""

import argparse
import http.client
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from server import Drawbridge

PATH = "/api/auth/create-sso-token"


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


def instructions(binary: Path, requests: int) -> float:
    """Of one request, after sixty that nobody counts."""
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        with Drawbridge(wrapper(binary, scratch), scratch / "data") as service:
            connection = http.client.HTTPConnection(service.base.removeprefix("http://"))

            def issue(subject: str):
                connection.request("POST", PATH, headers={"Authorization": f"Bearer {service.bearer(subject)}"})
                answer = connection.getresponse()
                if answer.read() is None or answer.status != 200:
                    sys.exit(f"an issue answers {answer.status}")

            for number in range(60):
                issue(f"first-{number}")
            counting(service, "on")
            for number in range(requests):
                issue(f"user-{number}")
            counting(service, "off")
            connection.close()
        text = (scratch / "counts").read_text(errors="replace")
    counted = int(re.search(r"^totals: (\d+)", text, re.MULTILINE)[1])
    if not counted:
        sys.exit("callgrind counted nothing")
    return counted / requests


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path, required=True)
    parser.add_argument("--after", type=Path, required=True)
    parser.add_argument("--requests", type=int, default=200)
    arguments = parser.parse_args()
    before = instructions(arguments.before, arguments.requests)
    after = instructions(arguments.after, arguments.requests)
    print(f"an issue: {before:,.0f} and {after:,.0f} instructions, {after / before:.3f} of it")


if __name__ == "__main__":
    main()
