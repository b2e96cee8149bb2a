"""`make history`: watches a fleet for a while, with faults, and decides afterwards whether its answers were right.

Three nodes over PostgreSQL and Redis. While clients live through stories and use links at random, nodes are killed,
stopped and cut off, Redis is killed, emptied and replaced by a replica that lacks the tail, and PostgreSQL is crashed,
stopped, left without disk, and at last replaced as Redis was. Prints figures, and every flaw.
"""

import argparse
import asyncio
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "EndToEnd")]

from faults import Faults, Ground  # noqa: E402
from lineage import NEWS  # noqa: E402
from watching import Watch, judged, prepare  # noqa: E402


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--skew", type=int, default=0, metavar="SECONDS", help="how far two nodes' clocks are off, one ahead")
    parser.add_argument("--faults", nargs="*", choices=Ground.KINDS, help="these alone; none for none")
    parser.add_argument("--fail-over", action="store_true", help="end with a failover of PostgreSQL that loses its tail")
    parser.add_argument("--keep", metavar="FILE", help="write the history there, a line each")
    parser.add_argument("--judge", metavar="FILE", help="watch nothing, and judge what was kept there")
    options = parser.parse_args()
    if options.judge:
        return tell(judged(options.judge, NEWS, 2 * options.skew), {}, "not asked")
    with Ground("history", options.skew, follows=options.fail_over) as ground:
        prepare(ground.nodes[0])
        # Of two nodes each may be off the other way.
        watched = Watch(ground.nodes, options.seed, skew=2 * options.skew, keep=options.keep)
        faults = Faults(ground, options.seed, options.faults)
        if options.faults != []:
            faults.start()
        asyncio.run(watched.until(time.monotonic() + options.seconds))
        if faults.is_alive():
            faults.stop()
        if options.fail_over:
            asyncio.run(through_a_failover(watched, faults))
        # What a failover has lost is missing from the chains, and said there.
        chains = "not asked" if options.fail_over else "good" if ground.fleet.verify()["valid"] else "BROKEN"
        return tell(watched.seen, dict(faults.done), chains)


def tell(seen, faults: dict, chains: str) -> int:
    print(f"{seen.line()}; faults: {faults or 'none'}; audit chains: {chains}")
    print(", ".join(f"{kind}: {number}" for kind, number in sorted(seen.kinds.items())))
    for flaw in seen.flaws:
        print(f"FLAW {flaw.clause}: {flaw.what} ({flaw.link})")
    return 1 if seen.flaws or chains == "BROKEN" else 0


async def through_a_failover(watched: Watch, faults: Faults):
    """Stories go on while the standby takes over, and after it."""
    watched.may_forget = True

    async def fail_over():
        await asyncio.sleep(2)
        await asyncio.to_thread(faults.fail_over)
        faults.done["fail_over"] += 1

    await asyncio.gather(watched.stories(3), fail_over())


if __name__ == "__main__":
    sys.exit(main())
