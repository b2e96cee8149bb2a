#!/usr/bin/env python3
"""Says how many lines of OAuth2 and Bridge the Swift tests run, and fails when it is too few.

Reads what `swift test --enable-code-coverage` (or `llvm-cov export -summary-only`) has written. The other targets are
left out: what they do shows only against real servers and browsers, which Tests/EndToEnd does.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path

SOURCES = Path(__file__).resolve().parent.parent / "Sources"
TARGETS = ("OAuth2", "Bridge")
LEAST = 95.0


def lines_by_target(report):
    """(file, covered lines, lines) of every source file of a target, by target."""
    found = defaultdict(list)
    for file in report["data"][0]["files"]:
        for target in TARGETS:
            path = Path(file["filename"])
            if path.is_relative_to(SOURCES / target):
                lines = file["summary"]["lines"]
                found[target].append((str(path.relative_to(SOURCES)), lines["covered"], lines["count"]))
    return found


def percent(covered, count):
    return 100 * covered / count if count else 100.0


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        found = lines_by_target(json.load(file))
    enough = True
    for target in TARGETS:
        files = found[target]
        covered, count = sum(f[1] for f in files), sum(f[2] for f in files)
        enough = enough and count > 0 and percent(covered, count) >= LEAST
        print(f"{target:8} {covered:6} of {count:6} lines  {percent(covered, count):6.2f} %")
    missed = sorted((f for t in TARGETS for f in found[t] if f[1] < f[2]), key=lambda f: f[1] - f[2])
    print("\nlines missed")
    for name, covered, count in missed:
        print(f"{count - covered:6}  {percent(covered, count):6.2f} %  {name}")
    if not enough:
        sys.exit(f"\nless than {LEAST:.0f} % of a target's lines are covered")


if __name__ == "__main__":
    main()
