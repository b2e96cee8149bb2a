"""`make history`: watches a fleet for a while, with faults, and decides afterwards whether its answers were right.

Three nodes over PostgreSQL and Redis. While clients live through stories and use links at random, nodes are killed,
stopped and cut off, Redis is killed, emptied and replaced by a replica that lacks the tail, and PostgreSQL is crashed,
stopped, left without disk, and at last replaced as Redis was. Prints figures, and every flaw.
"""

import argparse
import asyncio
import multiprocessing
import subprocess
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "EndToEnd"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from checker import Flaw
from faults import Faults, Ground
from lineage import NEWS
from watching import Seen, Watch, judged, prepare

#: Watchers share nothing but their count: what each sees is judged by itself.
PROCESSES = multiprocessing.get_context("fork")


class Watcher:
    """One process that lives through stories and links, and judges them."""

    def __init__(self, ground: Ground, options: argparse.Namespace, number: int, progress: "Progress"):
        # Of two nodes each may be off the other way.
        self.watch = Watch(ground.nodes, 1000 * options.seed + number, options.at_once, skew=2 * options.skew,
                           keep=options.keep or options.keep_flawed, keeps_all=bool(options.keep))
        self.fails_over, self.progress = options.fail_over, progress
        self.near, far = PROCESSES.Pipe(duplex=False)
        self.process = PROCESSES.Process(target=self._run, args=(far,))
        self.process.start()
        far.close()

    def _run(self, pipe):
        try:
            asyncio.run(self._live())
        except BaseException as error:
            # The others wait for everybody, and what was seen until then counts.
            self.progress.everybody.abort()
            traceback.print_exc()
            self.watch.seen.flaws.append(Flaw("none", "no clause", f"a watcher failed: {error!r}"))
        pipe.send(self.watch.seen)

    async def _live(self):
        await self.watch.until(lambda: self.progress.is_over(self.watch.seen))
        if self.fails_over:
            await asyncio.to_thread(self.progress.everybody.wait)
            # Stories go on while the standby takes over, and after it.
            self.watch.may_forget = True
            await self.watch.stories(3)

    def seen(self) -> Seen:
        """At its end. Says every minute how far all are."""
        while not self.near.poll(60):
            self.progress.say()
        try:
            seen = self.near.recv()
        except EOFError:
            seen = Seen(flaws=[Flaw("none", "no clause", "a watcher was killed")])
        self.process.join()
        return seen


class Progress:
    """How far all of them are."""

    def __init__(self, options: argparse.Namespace):
        self.deadline = time.monotonic() + options.seconds
        self.operations, self.total = options.operations, PROCESSES.Value("q", 0)
        self.known = self.flaws = 0
        self.flawed = PROCESSES.Value("q", 0)
        self.began = time.monotonic()
        #: Passed when nobody watches any more but for a failover.
        self.everybody = PROCESSES.Barrier(options.watchers + 1, timeout=options.seconds + 600)

    def is_over(self, seen: Seen) -> bool:
        with self.total.get_lock():
            self.total.value += seen.operations - self.known
            self.known = seen.operations
            self.flawed.value += len(seen.flaws) - self.flaws
            self.flaws = len(seen.flaws)
            return time.monotonic() > self.deadline or 0 < self.operations <= self.total.value

    def say(self):
        print(f"{time.monotonic() - self.began:.0f} s: {self.total.value} operations, {self.flawed.value} flaws",
              file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--operations", type=int, default=0, help="end after so many, if that is earlier")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--watchers", type=int, default=1, help="processes that watch")
    parser.add_argument("--at-once", type=int, default=8, help="stories and links at once, for each of them")
    parser.add_argument("--skew", type=int, default=0, metavar="SECONDS", help="how far two nodes' clocks are off, one ahead")
    parser.add_argument("--faults", nargs="*", choices=Ground.KINDS, help="these alone; none for none")
    parser.add_argument("--pause", type=float, default=2, metavar="SECONDS", help="between two faults, on average")
    parser.add_argument("--disk", type=int, default=600, metavar="MB", help="for the database: some 1.5 KB for each operation")
    parser.add_argument("--fail-over", action="store_true", help="end with a failover of PostgreSQL that loses its tail")
    parser.add_argument("--keep", metavar="FILE", help="write the history there, a line each")
    parser.add_argument("--keep-flawed", metavar="FILE", help="write there what something is wrong with")
    parser.add_argument("--judge", metavar="FILE", help="watch nothing, and judge what was kept there")
    options = parser.parse_args()
    if options.judge:
        return tell(judged(options.judge, NEWS, 2 * options.skew), {}, "not asked")
    with Ground("history", options.skew, follows=options.fail_over, disk=options.disk) as ground:
        prepare(ground.nodes[0])
        progress = Progress(options)
        watchers = [Watcher(ground, options, number, progress) for number in range(options.watchers)]
        faults = Faults(ground, options.seed, options.faults, options.pause)
        if options.faults != []:
            faults.start()
        seen = Seen()
        try:
            if options.fail_over:
                progress.everybody.wait()
                if faults.ident:
                    faults.stop()
                time.sleep(2)
                faults.fail_over()
                faults.done["fail_over"] += 1
        except BaseException as error:
            seen.flaws.append(Flaw("none", "no clause", f"there was no failover: {error!r}"))
        for watcher in watchers:
            seen.add(watcher.seen())
        took = time.monotonic() - progress.began
        if faults.ident:
            try:
                faults.stop()
            except BaseException as error:
                seen.flaws.append(Flaw("none", "no clause", f"the faults ended early: {error!r}"))
        # What a failover has lost is missing from the chains, and said there.
        print(seen.line(), "; faults: ", dict(faults.done), sep="", file=sys.stderr, flush=True)
        chains = "not asked" if options.fail_over else verified(ground.fleet)
        return tell(seen, dict(faults.done), chains, took)


def tell(seen, faults: dict, chains: str, took: float = 0) -> int:
    print(f"{f'{took:.0f} s: ' if took else ''}{seen.line()}; faults: {faults or 'none'}; audit chains: {chains}")
    print(", ".join(f"{kind}: {number}" for kind, number in sorted(seen.kinds.items())))
    for flaw in seen.flaws:
        print(f"FLAW {flaw.clause}: {flaw.what} ({flaw.link})")
    return 1 if seen.flaws or chains.startswith("BROKEN") else 0


def verified(fleet) -> str:
    try:
        report = fleet.verify(timeout=1800)
    except (AssertionError, subprocess.TimeoutExpired) as error:
        return f"BROKEN: {error}"
    return f"good, {report['events']} events"


if __name__ == "__main__":
    sys.exit(main())
