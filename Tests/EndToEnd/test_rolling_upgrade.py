"""Three nodes under load are replaced one after another: nothing is lost, nobody is signed out, nobody sees an error.

The program that is replaced is `DRAWBRIDGE_OLDER_BINARY`, an earlier version that somebody has built (docs/proof.md says how).
Without it nodes of this version replace each other: that tries the restart, and not the mix.
"""

import asyncio
import random
import threading
import time
from collections import Counter
from dataclasses import dataclass, field

import pytest

import instance
import simultaneous
import wire
from fleet import Fleet
from native import App
from servers import Postgres, Redis
from skips import NEEDS_STORES

pytestmark = NEEDS_STORES

CLIENTS = 6


@dataclass
class Seen:
    """What visitors were told through nginx."""

    #: Session cookies by what has to become of them; of those that were left, with the link that opened them.
    alive: list = field(default_factory=list)
    over: list = field(default_factory=list)
    statuses: Counter = field(default_factory=Counter)
    wrong: list = field(default_factory=list)
    rounds: int = 0


class Visitors(threading.Thread):
    """Open links and come back with their cookies, through nginx, until told to stop."""

    def __init__(self, fleet: Fleet):
        super().__init__(daemon=True)
        self.fleet, self.seen, self.over = fleet, Seen(), threading.Event()
        self.failure: BaseException | None = None

    def run(self):
        try:
            asyncio.run(self._all())
        except BaseException as failure:
            self.failure = failure

    async def _all(self):
        async with asyncio.TaskGroup() as group:
            for number in range(CLIENTS):
                group.create_task(self._visitor(number))

    async def _visitor(self, number: int):
        chances = random.Random(number)
        bearer = self.fleet.nodes[0].bearer(f"visitor-{number}")
        while not self.over.is_set():
            # One for each: nginx closes a connection after a thousand requests, which is no answer that is missing.
            async with simultaneous.Connection(self.fleet.port) as connection:
                await self._round(connection, bearer, chances)
            self.seen.rounds += 1

    async def _ask(self, request, *expected: int) -> simultaneous.Raw:
        answer = await request
        self.seen.statuses[answer.status] += 1
        if answer.status not in expected:
            self.seen.wrong.append((answer.status, answer.head[:300], answer.body[:300]))
        return answer

    async def _round(self, connection: simultaneous.Connection, bearer: str, chances: random.Random):
        seen = self.seen
        issued = await self._ask(connection.post_issue(bearer), 200)
        if issued.status != 200:
            return
        token = issued.json()["token"]
        opened = await self._ask(connection.redeem(token), 303)
        if not opened.session_cookie:
            return
        cookie = opened.session_cookie
        if chances.random() < 0.3:
            headers = {"Cookie": cookie, "Origin": self.fleet.base, "Sec-Fetch-Site": "same-origin"}
            await self._ask(connection.request("POST", "/session/logout", headers), 204)
            seen.over.append((token, cookie))
        else:
            seen.alive.append(cookie)
        # Somebody who was let in before, by whichever node and program.
        for earlier in chances.sample(seen.alive, min(3, len(seen.alive))):
            await self._ask(connection.request("GET", "/auth/check", {"Cookie": earlier}), 200)

    def go_on(self, rounds: int = 25):
        """Until so many more rounds were made."""
        wanted = self.seen.rounds + rounds
        instance.wait_until(lambda: self.failure or self.seen.rounds >= wanted, 60, "more visitors")

    def end(self) -> Seen:
        self.over.set()
        self.join(60)
        if self.failure:
            raise self.failure
        return self.seen


class Front:
    """What an app knows of the fleet: the one address of all nodes."""

    def __init__(self, fleet: Fleet):
        self.base, self.user = fleet.base, fleet.nodes[0].user


@pytest.fixture(scope="module")
def rolled():
    """A fleet of the older program, under load until every node is of this version."""
    with Postgres() as postgres, Redis() as redis, Fleet(
            postgres.create("rolling"), redis.url, "--no-limits", program=instance.older_binary()) as fleet:
        app = App(Front(fleet))
        app.sign_in()
        visitors = Visitors(fleet)
        visitors.start()
        try:
            visitors.go_on()
            refreshed = []
            for number in range(3):
                assert fleet.nodes[number].stop(30) == 0, fleet.nodes[number].output[-4000:]
                visitors.go_on()
                fleet.restart(number)
                # Both versions answer now: what one has written the other reads.
                visitors.go_on()
                answer = app.refresh()
                if answer.status == 200:
                    app.tokens |= answer.json()
                refreshed += [answer.status, app.native_sso().status]
        finally:
            seen = visitors.end()
        yield fleet, seen, refreshed


def test_visitors_met_no_error_and_no_sign_in(rolled):
    _, seen, _ = rolled
    assert not seen.wrong, (seen.statuses, seen.wrong[:5])
    assert seen.statuses[303] > 100 and seen.statuses[200] > 300, seen.statuses


def test_who_was_signed_in_is_everywhere_and_who_has_left_is_nowhere(rolled):
    fleet, seen, _ = rolled
    assert len(seen.alive) > 50 and len(seen.over) > 10
    # News of the last ends.
    time.sleep(1)
    for node in fleet.nodes:
        assert all(node.session(cookie)["authenticated"] for cookie in random.Random(1).sample(seen.alive, 50))
        assert not any(node.session(cookie)["authenticated"] for _, cookie in seen.over[-20:])


def test_an_app_went_on_with_its_tokens_and_its_device(rolled):
    _, _, refreshed = rolled
    assert refreshed == [200] * 6


def test_links_that_were_used_before_open_nothing(rolled):
    fleet, seen, _ = rolled
    for token, _ in [*seen.over[:3], *seen.over[-3:]]:
        assert fleet.nodes[1].redeem(token, wire.OTHER_BROWSER).status == 400


def test_the_log_of_every_node_goes_on_where_it_ended(rolled):
    fleet, seen, _ = rolled
    report = fleet.verify()
    assert report["valid"], report["problems"]
    assert report["events"] > 2 * (len(seen.alive) + len(seen.over))
