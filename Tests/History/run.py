"""`make history`: watches a fleet for a while, with faults, and decides afterwards whether its answers were right.

Three nodes over PostgreSQL and Redis. While clients use links at random, a node is killed and started again, Redis is
emptied, stood still and killed, and PostgreSQL is crashed and stood still. Prints figures, and every flaw.
"""

import argparse
import asyncio
import json
import random
import sys
import threading
import time
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "EndToEnd")]

from checker import flaws  # noqa: E402
from fleet import Fleet  # noqa: E402
from servers import Postgres, Redis  # noqa: E402
from traffic_of_links import Witness  # noqa: E402


class Faults(threading.Thread):
    """One after another, with a pause between them, until told to stop."""

    def __init__(self, fleet: Fleet, postgres: Postgres, redis: Redis, seed: int):
        super().__init__(daemon=True)
        self.fleet, self.postgres, self.redis = fleet, postgres, redis
        self.random = random.Random(seed)
        self.over = threading.Event()
        self.done: Counter = Counter()

    def kill_a_node(self):
        number = self.random.randrange(len(self.fleet.nodes))
        self.fleet.nodes[number].kill()
        self.fleet.restart(number)

    def stop_a_node(self):
        node = self.random.choice(self.fleet.nodes)
        node.freeze()
        self.over.wait(0.3)
        node.signal(18)

    def empty_redis(self):
        self.redis.cli("FLUSHALL")

    def crash_postgres(self):
        self.postgres.crash()

    def freeze_postgres(self):
        self.postgres.freeze()
        self.over.wait(0.5)
        self.postgres.thaw()

    def run(self):
        faults = [self.kill_a_node, self.stop_a_node, self.empty_redis, self.crash_postgres, self.freeze_postgres]
        while not self.over.wait(1 + 2 * self.random.random()):
            fault = self.random.choice(faults)
            fault()
            self.done[fault.__name__] += 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-faults", action="store_true")
    parser.add_argument("--keep", metavar="FILE", help="write the history there, a line each")
    options = parser.parse_args()
    found, count, links, lost, kinds = [], 0, 0, 0, Counter()
    with Postgres() as postgres, Redis() as redis, Fleet(
            postgres.create("history"), redis.url, "--no-limits", nginx=False) as fleet:
        faults = Faults(fleet, postgres, redis, options.seed)
        if not options.no_faults:
            faults.start()
        began = time.monotonic()
        while time.monotonic() < began + options.seconds:
            witness = Witness(fleet.nodes, options.seed * 1_000_003 + links)
            asyncio.run(witness.watch(100, 12))
            found += flaws(witness.history)
            count, links, lost = count + len(witness.history), links + 100, lost + witness.lost
            kinds.update(f"{operation.kind} {operation.answer}" for operation in witness.history)
            if options.keep:
                with open(options.keep, "a") as file:
                    file.writelines(json.dumps(operation.as_dict()) + "\n" for operation in witness.history)
        faults.over.set()
        if faults.is_alive():
            faults.join(60)
        report = fleet.verify()
    print(f"{count} operations on {links} links, {lost} without an answer; faults: {dict(faults.done) or 'none'}; "
          f"audit chains: {'good' if report['valid'] else 'BROKEN'}")
    print(", ".join(f"{kind}: {number}" for kind, number in sorted(kinds.items())))
    for flaw in found:
        print(f"FLAW {flaw.clause}: {flaw.what} (link {flaw.link})")
    return 1 if found or not report["valid"] else 0


if __name__ == "__main__":
    sys.exit(main())
