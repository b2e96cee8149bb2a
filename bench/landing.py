#!/usr/bin/env python3
"""How long a landing takes, from the app's request for a link to the website's own page, over every hop.

    bench/landing.py [--landings 200] [--binary PATH]

Starts `drawbridge demo --no-limits` and a relying party of the smallest kind in a process of its own (Flask with Authlib,
as docs/recipes/flask.md), and walks: issue, redeem, the website's sign-in, authorize, the callback with its token request
and its look at the keys, and the page. One at a time, a fresh browser each, on connections of their own, so the sum is what a
person waits for on an idle server beside the network. Goal: p50 of the whole at most 60 ms.
"""

import argparse
import os
import statistics
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Tests/EndToEnd"))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--landings", type=int, default=200)
    arguments.add_argument("--binary")
    asked = arguments.parse_args()
    if asked.binary:
        os.environ["DRAWBRIDGE_BINARY"] = asked.binary
    import instance
    from admin import admin, reach
    from relying_parties import Flask, Traveller

    class Timed(Traveller):
        """Says of each hop how long it took."""

        def __init__(self, party):
            super().__init__(party)
            self.hops: list[tuple[str, float]] = []

        def get(self, url: str, more: Mapping[str, str] = {}):
            begun = time.perf_counter()
            answer = super().get(url, more)
            where = "website" if url.startswith(self.party.origin) else "drawbridge"
            self.hops.append((f"{where} {urlsplit(url).path}", (time.perf_counter() - begun) * 1000))
            return answer

    demo = instance.Demo("--no-limits")
    try:
        with Flask() as party:
            document = party.document()
            made = admin(demo, "POST", "/api/admin/clients", document)
            assert made.status == 201, made.text
            party.start(demo, document["client_id"], made.json()["client_secret"])
            reach(demo, document["client_id"])
            totals, hops = [], {}
            for number in range(asked.landings + 10):
                visitor = Timed(party)
                begun = time.perf_counter()
                link = demo.issue("alice", client_id=document["client_id"], redirect=party.page)["login_url"]
                issued = (time.perf_counter() - begun) * 1000
                answer = visitor.go(link)
                total = (time.perf_counter() - begun) * 1000
                assert answer.status == 200 and visitor.seen[-1] == party.origin + party.page, visitor.seen
                if number < 10:
                    continue  # Metadata and keys are fetched, pages compiled.
                totals.append(total)
                for name, took in [("drawbridge issue", issued), *visitor.hops]:
                    hops.setdefault(name, []).append(took)
    finally:
        demo.stop()
    cuts = statistics.quantiles(totals, n=100)
    print(f"{len(totals)} landings: p50 {cuts[49]:.1f} ms, p90 {cuts[89]:.1f} ms, p99 {cuts[98]:.1f} ms; "
          "goal: p50 at most 60 ms")
    for name, values in hops.items():
        print(f"  {name}: p50 {statistics.median(values):.1f} ms")
    own = sum(statistics.median(values) for name, values in hops.items() if name.startswith("drawbridge"))
    print(f"  of it Drawbridge's own answers: {own:.1f} ms")


if __name__ == "__main__":
    main()
