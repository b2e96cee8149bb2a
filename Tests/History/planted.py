"""`make planted`: builds a copy of the program with bugs on purpose; says of each whether its histories give it away.

    planted.py build            make the copy and build it; the first time takes as long as any first build
    planted.py find [NAME...]   try each for a while, two nodes over PostgreSQL and Redis; prints a table

What is planted, and where: `planted_faults.py`. It ends with status 1 where more than one in thirty is not found, or a flaw
is found where nothing was planted.
"""

import argparse
import asyncio
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "EndToEnd"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import instance
import planted_faults
from faults import Faults
from served import ServedFleet
from servers import Postgres, Redis
from watching import Watch, prepare

PLACE = instance.ROOT / ".build" / "planted"
BINARY = PLACE / "build" / "debug" / "drawbridge"
#: What is only seen when a server goes down.
NEEDS = {"commit-is-not-durable": ["crash_postgres"]}
#: How many of the faults may stay unfound: one in thirty.
TOLERATED = len(planted_faults.FAULTS) // 30


def build():
    """Sources that are as they were keep their time, so that a second build is short."""
    tree = PLACE / "tree"
    parts = ["Package.swift", "Sources", "Tests", "clients/swift", "bench/storage", "fuzz/Targets"]
    names = subprocess.run(["git", "ls-files", "-z", *parts], cwd=instance.ROOT, capture_output=True, check=True,
                           text=True).stdout.split("\0")
    fresh = PLACE / "fresh"
    shutil.rmtree(fresh, ignore_errors=True)
    for name in filter(None, names):
        (fresh / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(instance.ROOT / name, fresh / name, follow_symlinks=False)
    planted_faults.plant(fresh)
    files = {path.relative_to(fresh) for path in fresh.rglob("*") if path.is_file()}
    for path in tree.rglob("*"):
        if path.is_file() and path.relative_to(tree) not in files:
            path.unlink()
    for name in files:
        old, new = tree / name, fresh / name
        if not old.exists() or old.read_bytes() != new.read_bytes():
            old.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(new, old)
    shutil.rmtree(fresh)
    subprocess.run(["swift", "build", "--package-path", tree, "--scratch-path", PLACE / "build",
                    "--product", "drawbridge"], check=True)


def find(name: str, seconds: float, seed: int, postgres: Postgres, redis: Redis) -> tuple[Watch, float]:
    """Watches a fleet with one fault, until that gives itself away."""
    redis.cli("FLUSHALL")
    os.environ["PLANTED_FAULT"] = name
    database = postgres.create(f"planted_{name.replace('-', '_')}_{time.monotonic_ns()}")
    with ServedFleet(database, redis.url, "--no-limits", size=2, nginx=False) as fleet:
        prepare(fleet.nodes[0])
        watch = Watch(fleet.nodes, seed, at_once=4)
        ground = SimpleNamespace(fleet=fleet, nodes=fleet.nodes, postgres=postgres, redis=redis, disk=None, standby=None)
        faults = Faults(ground, seed, NEEDS[name]) if name in NEEDS else None
        began = time.monotonic()
        if faults:
            faults.start()
        asyncio.run(watch.until(lambda: time.monotonic() > began + seconds, stops_at_a_flaw=True))
        took = time.monotonic() - began
        if faults:
            faults.stop()
    return watch, took


def row(name: str, watch: Watch, took: float) -> str:
    flaw = watch.seen.flaws[0] if watch.seen.flaws else None
    found = f"{flaw.clause}: {flaw.what}" if flaw else "nothing"
    return f"| {name} | {watch.seen.operations} | {took:.0f} s | {found} |"


def search(names: list[str], seconds: float, seed: int) -> int:
    print("| planted | operations | after | found |\n|---|---|---|---|", flush=True)
    missed = []
    with Postgres() as postgres, Redis() as redis:
        for name in names:
            watch, took = find(name, seconds, seed, postgres, redis)
            print(row(name, watch, took), flush=True)
            if bool(watch.seen.flaws) == (name == "none"):
                missed.append(name)
    print(f"{len(names) - len(missed)} of {len(names)} as they should be; not: {', '.join(missed) or 'none'}")
    return 0 if "none" not in missed and len(missed) <= TOLERATED else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("build")
    finding = commands.add_parser("find")
    finding.add_argument("names", nargs="*", metavar="NAME", help="of planted_faults.py, or none for no fault; all of them")
    finding.add_argument("--seconds", type=float, default=90, help="for each")
    finding.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.command == "build":
        build()
        return 0
    os.environ.setdefault("DRAWBRIDGE_BINARY", str(BINARY))
    return search(options.names or ["none", *planted_faults.FAULTS], options.seconds, options.seed)


if __name__ == "__main__":
    sys.exit(main())
