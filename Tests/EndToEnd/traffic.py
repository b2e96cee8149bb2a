"""Clients that go on while servers are disturbed, and remember what they were told."""

import asyncio
import threading
import time
from collections import Counter
from dataclasses import dataclass, field

import simultaneous
import wire


@dataclass
class Told:
    """What the answers said; whatever else happens, this must be true afterwards."""

    issued: set = field(default_factory=set)
    #: token id -> session cookies that were handed out for it
    redeemed: dict = field(default_factory=dict)
    #: token id -> (token, where it may be tried again)
    undecided: dict = field(default_factory=dict)
    statuses: Counter = field(default_factory=Counter)
    unclear: list = field(default_factory=list)
    last_failure: float = 0.0

    def take(self, answer: simultaneous.Raw, expected: set) -> simultaneous.Raw:
        self.statuses[answer.status] += 1
        if answer.status == 503:
            self.last_failure = time.monotonic()
            if b"\r\nretry-after:" not in answer.head.lower():
                self.unclear.append(f"503 without Retry-After: {answer.head!r}")
        elif answer.status not in expected:
            self.unclear.append(f"{answer.status}: {answer.head!r} {answer.body[:300]!r}")
        return answer


class Traffic:
    """Each client issues at one node, redeems at two at once, and then replays at the next."""

    def __init__(self, nodes: list, clients: int = 9):
        self.nodes = nodes
        self.told = Told()
        self._clients = clients
        self._ending = threading.Event()
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._run)

    def __enter__(self) -> Told:
        self._thread.start()
        return self.told

    def __exit__(self, *_):
        self._ending.set()
        self._thread.join(60)
        if self._failure:
            raise self._failure

    def _run(self):
        try:
            asyncio.run(self._all())
        except BaseException as failure:
            self._failure = failure

    async def _all(self):
        async with asyncio.TaskGroup() as group:
            for number in range(self._clients):
                group.create_task(self._client(number))

    async def _client(self, number: int):
        nodes = self.nodes[number % len(self.nodes):] + self.nodes[:number % len(self.nodes)]
        bearer = nodes[0].bearer(f"traffic-{number}")
        connections = [simultaneous.Connection(node.port) for node in nodes]
        for connection in connections:
            await connection.open()
        try:
            while not self._ending.is_set():
                await self._round(connections, bearer)
        finally:
            for connection in connections:
                connection.writer.close()

    async def _round(self, connections: list, bearer: str):
        told = self.told
        first, second, third = connections
        answer = told.take(await first.post_issue(bearer), {200})
        if answer.status != 200:
            await asyncio.sleep(0.1)
            return
        token = answer.json()
        told.issued.add(token["id"])
        cookies = told.redeemed.setdefault(token["id"], [])
        answers = await asyncio.gather(first.redeem(token["token"]), second.redeem(token["token"], wire.SAFARI))
        answers.append(await third.redeem(token["token"], "Replayer/1.0"))
        for answer in answers:
            told.take(answer, {303, 400})
            if answer.session_cookie:
                cookies.append(answer.session_cookie)
        if not cookies:
            told.undecided[token["id"]] = token["token"]


def wait_for_rest(told: Told, seconds: float = 1.5, within: float = 30):
    """Until no request has failed for a while."""
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        if time.monotonic() - told.last_failure > seconds:
            return
        time.sleep(0.05)
    raise AssertionError(f"still failing after {within} s: {told.statuses}")


def check(told: Told, postgres, database: str):
    """Nothing was redeemed twice, nothing that was acknowledged is lost."""
    assert not told.unclear, told.unclear[:3]
    twice = [token for token, cookies in told.redeemed.items() if len(cookies) > 1]
    assert not twice, f"redeemed twice: {twice}"
    acknowledged = {token for token, cookies in told.redeemed.items() if cookies}
    sessions = Counter(row[0] for row in postgres.query(
        "SELECT login_token_id FROM web_session WHERE login_token_id IS NOT NULL", database))
    assert all(count == 1 for count in sessions.values())
    events = {kind: set(row[0] for row in postgres.query(
        f"SELECT token_id FROM audit_event WHERE type = '{kind}'", database))
        for kind in ["login_token.issued", "login_token.redeemed"]}
    assert told.issued <= events["login_token.issued"], "an acknowledged token has no event"
    assert acknowledged <= sessions.keys(), "an acknowledged session is gone"
    assert acknowledged <= events["login_token.redeemed"]
    assert len(acknowledged) > 10, told.statuses
