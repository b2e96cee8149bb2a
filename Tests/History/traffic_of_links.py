"""Clients that use links and sessions at several nodes at once, at random, and write down what they saw."""

import asyncio
import random
import time
from dataclasses import dataclass, field

import simultaneous
from checker import Operation


@dataclass
class Link:
    """What one client knows of a link; nobody else touches it but its own tasks."""

    id: str
    token: str
    user: str
    cookie: str | None = None
    opened: asyncio.Event = field(default_factory=asyncio.Event)


class Witness:
    def __init__(self, nodes: list, seed: int):
        self.nodes = nodes
        self.random = random.Random(seed)
        self.history: list[Operation] = []
        self.lost = 0

    async def ask(self, node: int, method: str, target: str, headers: dict, send=None):
        """An answer, or None where none came or the node could not decide: it may have happened all the same."""
        try:
            async with simultaneous.Connection(self.nodes[node].port) as connection:
                answer = await (send(connection) if send else connection.request(method, target, headers))
        except simultaneous.Lost:
            answer = None
        if answer is None or answer.status >= 500:
            self.lost += 1
            return None
        return answer

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

        answer = await self.note(link, "redeem", node, self.ask(
            node, "", "", {}, lambda connection: connection.redeem(link.token, browser)), read, browser)
        if answer is not None and answer.session_cookie:
            link.cookie = answer.session_cookie
            link.opened.set()

    async def revoke(self, link: Link, node: int):
        await self.note(link, "revoke", node, self.ask(
            node, "DELETE", f"/api/auth/sso-tokens/{link.id}", self.nodes[node].authorization(link.user)),
            lambda answer: {204: "revoked", 409: "late"}[answer.status])

    async def status(self, link: Link, node: int):
        await self.note(link, "status", node, self.ask(
            node, "GET", f"/api/auth/sso-tokens/{link.id}", self.nodes[node].authorization(link.user)),
            lambda answer: answer.json()["status"])

    async def check(self, link: Link, node: int):
        await self.note(link, "check", node, self.ask(node, "GET", "/session", {"Cookie": link.cookie}),
                        lambda answer: "yes" if answer.json()["authenticated"] else "no")

    async def leave(self, link: Link, node: int):
        headers = {"Cookie": link.cookie, "Origin": self.nodes[node].facts["issuer"], "Sec-Fetch-Site": "same-origin"}
        await self.note(link, "leave", node, self.ask(node, "POST", "/session/logout", headers),
                        lambda answer: {204: "left"}[answer.status])

    async def one(self, link: Link, kind: str):
        await asyncio.sleep(self.random.random() * 0.03)
        node = self.random.randrange(len(self.nodes))
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

    async def life_of_a_link(self, number: int):
        """Everything that may happen to one link, at once and at several nodes."""
        user = f"witness-{number}"
        node = self.random.randrange(len(self.nodes))
        answer = await self.ask(
            node, "", "", {}, lambda connection: connection.post_issue(self.nodes[node].bearer(user)))
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
        await asyncio.gather(self.status(link, 0), self.status(link, len(self.nodes) - 1))
        if link.cookie:
            await asyncio.gather(*(self.check(link, node) for node in range(len(self.nodes))))

    async def watch(self, links: int, at_once: int):
        gate = asyncio.Semaphore(at_once)

        async def one(number: int):
            async with gate:
                await self.life_of_a_link(number)

        await asyncio.gather(*(one(number) for number in range(links)))
