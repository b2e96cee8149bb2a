"""Clients that use links and sessions at several nodes at once, at random, and write down what they saw."""

import asyncio
import random
import time
from dataclasses import dataclass, field

from checker import Operation
from nodes import Nodes

#: A day's: almost every bearer is seen once or twice.
USERS = 20_000


@dataclass
class Link:
    """What one client knows of a link; nobody else touches it but its own tasks."""

    id: str
    token: str
    user: str
    cookie: str | None = None
    opened: asyncio.Event = field(default_factory=asyncio.Event)


class Witness:
    def __init__(self, nodes: Nodes, seed: int):
        self.nodes = nodes
        self.random = random.Random(seed)
        self.history: list[Operation] = []
        self.count = len(nodes.nodes)

    def authorization(self, node: int, link: Link) -> dict:
        return self.nodes.nodes[node].authorization(link.user)

    async def note(self, link: Link, kind: str, node: int, asking, read, browser: str = ""):
        began = time.monotonic()
        answer = await asking
        ended = time.monotonic()
        said = None if answer is None else read(answer)
        self.history.append(Operation(link.id, kind, node, began, ended, said, browser))
        return answer

    async def redeem(self, link: Link, node: int, browser: str):
        def read(answer):
            if answer.status == 303:
                return "opened" if answer.session_cookie else "passed"
            assert answer.status == 400, answer.status
            return "refused"

        answer = await self.note(link, "redeem", node, self.nodes.ask(
            node, lambda connection: connection.redeem(link.token, browser)), read, browser)
        if answer is not None and answer.session_cookie:
            link.cookie = answer.session_cookie
            link.opened.set()

    async def revoke(self, link: Link, node: int):
        await self.note(link, "revoke", node, self.nodes.send(
            node, "DELETE", f"/api/auth/sso-tokens/{link.id}", self.authorization(node, link)),
            lambda answer: {204: "revoked", 409: "late"}[answer.status])

    async def status(self, link: Link, node: int):
        await self.note(link, "status", node, self.nodes.send(
            node, "GET", f"/api/auth/sso-tokens/{link.id}", self.authorization(node, link)),
            lambda answer: answer.json()["status"])

    async def check(self, link: Link, node: int):
        await self.note(link, "check", node, self.nodes.send(node, "GET", "/session", {"Cookie": link.cookie}),
                        lambda answer: "yes" if answer.json()["authenticated"] else "no")

    async def leave(self, link: Link, node: int):
        headers = {"Cookie": link.cookie, "Origin": self.nodes.issuer, "Sec-Fetch-Site": "same-origin"}
        await self.note(link, "leave", node, self.nodes.send(node, "POST", "/session/logout", headers),
                        lambda answer: {204: "left"}[answer.status])

    async def one(self, link: Link, kind: str):
        await asyncio.sleep(self.random.random() * 0.03)
        node = self.random.randrange(self.count)
        if kind in ("check", "leave"):
            try:
                await asyncio.wait_for(link.opened.wait(), 0.5)
            except TimeoutError:
                return
            await getattr(self, kind)(link, node)
        elif kind == "redeem":
            await self.redeem(link, node, f"Browser/{self.random.randrange(3)}")
        else:
            await getattr(self, kind)(link, node)

    async def life_of_a_link(self):
        """Everything that may happen to one link, at once and at several nodes."""
        user = f"witness-{self.random.randrange(USERS)}"
        node = self.random.randrange(self.count)
        bearer = self.nodes.nodes[node].bearer(user)
        answer = await self.nodes.ask(node, lambda connection: connection.post_issue(bearer))
        if answer is None or answer.status != 200:
            # Where nothing answers there is nothing to see either.
            await asyncio.sleep(0.2)
            return
        issued = answer.json()
        link = Link(issued["id"], issued["token"], user)
        kinds = ["redeem"] + self.random.choices(
            ["redeem", "revoke", "status", "check", "leave"], [3, 1, 2, 4, 1], k=self.random.randrange(2, 9))
        self.random.shuffle(kinds)
        await asyncio.gather(*(self.one(link, kind) for kind in kinds))
        # What is settled by now stays so.
        await asyncio.gather(self.status(link, 0), self.status(link, self.count - 1))
        if link.cookie:
            await asyncio.gather(*(self.check(link, node) for node in range(self.count)))

    async def watch(self, links: int, at_once: int):
        gate = asyncio.Semaphore(at_once)

        async def one():
            async with gate:
                await self.life_of_a_link()

        await asyncio.gather(*(one() for _ in range(links)))
