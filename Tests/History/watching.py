"""Watches a fleet: links and stories in turn, each judged as soon as it is over."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from collections import Counter
from dataclasses import dataclass, field

import checker
import lineage
from from_elsewhere import FromElsewhere
from handing_on import OTHER
from nodes import Nodes, Person, people
from stories import Story
from traffic_of_links import Witness


@dataclass
class Seen:
    """What was done, what came of it, and what was wrong."""

    operations: int = 0
    links: int = 0
    stories: int = 0
    unanswered: int = 0
    kinds: Counter = field(default_factory=Counter)
    flaws: list = field(default_factory=list)

    def add(self, other: Seen):
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    def line(self) -> str:
        return (f"{self.operations} operations in {self.stories} stories and on {self.links} links, "
                f"{self.unanswered} without an answer")


def prepare(node):
    """A portal with a website on another domain, and device secrets that rotate."""
    def send(method: str, path: str, body: dict | None = None, **more):
        answer = node.send(method, f"/api/admin/{path}", {"Authorization": f"Bearer {node.facts['admin_token']}", **more},
                           body)
        assert answer.status in (200, 201), (path, answer.status, answer.body)
        return answer

    send("POST", "clients", {"client_id": "other", "client_type": "web", "public_origin": f"https://{OTHER}",
                             "return_paths": ["/contacts"], "default_return_path": "/contacts"})
    tag = send("GET", "clients/demo-web").header("ETag")
    send("PATCH", "clients/demo-web", {"portal": True, "may_reach": ["other"]}, **{"If-Match": tag})
    send("PUT", "settings/native-sso", {"rotateDeviceSecrets": True})


class Watch:
    """One person for each story that is told at a time, so that no story touches another; and links beside them."""

    #: How many stories are told of one person, before another comes: nobody signs in a thousand times in an hour.
    STORIES_EACH = 40
    #: How many of all stories begin at a provider of others.
    ELSEWHERE = 0.25

    def __init__(self, nodes: list, seed: int, at_once: int = 8, news: float = lineage.NEWS, skew: float = 0,
                 keep: str | None = None, keeps_all: bool = True):
        """`keep` is a file for the histories, or for those alone in which something is wrong."""
        self.nodes, self.seed, self.at_once, self.news, self.skew = Nodes(nodes), seed, at_once, news, skew
        self.keep, self.keeps_all = keep, keeps_all
        self.seen = Seen()
        self.people: list = []
        self.number = 0
        self.flawed = asyncio.Event()
        #: From here on the database may have forgotten what it had acknowledged.
        self.may_forget = False

    async def links(self, count: int):
        self.number += 1
        witness = Witness(self.nodes, self.seed * 1_000_003 + self.number)
        await witness.watch(count, self.at_once)
        self.seen.links += count
        flaws = [] if self.may_forget else checker.flaws(witness.history, self.news, self.skew)
        self._take(witness.history, "link", flaws)

    async def stories(self, rounds: int = 1):
        """Each person tells so many stories, one after another."""
        await self._gather_people()
        for _ in range(rounds):
            await asyncio.gather(*(self._tell(person) for person in self.people))

    async def until(self, is_over, stops_at_a_flaw: bool = False):
        """Stories and links side by side, until `is_over()`, or something is wrong."""
        await self._gather_people()

        async def links():
            while not is_over():
                await self.links(5 * self.at_once)

        async def stories(person):
            while not is_over():
                for _ in range(self.STORIES_EACH):
                    if is_over():
                        return
                    await self._tell(person)
                [person] = await people(self.nodes, 1)

        work = asyncio.gather(links(), *(stories(person) for person in self.people))
        flawed = asyncio.create_task(self.flawed.wait())
        await asyncio.wait([work, flawed] if stops_at_a_flaw else [work], return_when=asyncio.FIRST_COMPLETED)
        flawed.cancel()
        if not work.done():
            work.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await work
        else:
            work.result()

    async def _gather_people(self):
        if not self.people:
            self.people = await people(self.nodes, self.at_once)

    async def _tell(self, person):
        self.number += 1
        history: list[lineage.Act] = []
        forgetful = self.may_forget
        teller = self._teller(person, self.seed * 1_000_003 + self.number, history)
        await teller.tell()
        self.seen.stories += 1
        forgetful = forgetful or self.may_forget
        flaws = lineage.flaws(history, self.news, self.skew, forgetful)
        if not forgetful and (events := await teller.events()) is not None:
            flaws += lineage.unrecorded(history, events)
        self._take(history, "story", flaws)

    def _teller(self, person: Person, seed: int, history: list[lineage.Act]) -> Story:
        if random.Random(f"where {seed}").random() >= self.ELSEWHERE:
            return Story(self.nodes, person, seed, history)
        person.elsewhere = person.elsewhere or Person(f"{person.name}-elsewhere", "", "")
        return FromElsewhere(self.nodes, person.elsewhere, seed, history)

    def _take(self, history: list, kind: str, flaws: list):
        self.seen.operations += len(history)
        self.seen.unanswered = self.nodes.lost
        self.seen.kinds.update(f"{operation.kind} {operation.answer}" for operation in history)
        self.seen.flaws += flaws
        if flaws:
            self.flawed.set()
        if self.keep and (self.keeps_all or flaws):
            with open(self.keep, "a") as file:
                file.writelines(json.dumps({"of": kind, **vars(operation)}, default=vars_of) + "\n" for operation in history)


def vars_of(value):
    """For JSON: sets in order, and what is made of fields."""
    return sorted(value) if isinstance(value, (set, frozenset)) else vars(value)


def judged(path: str, news: float, skew: float) -> Seen:
    """A kept history, judged again; without the audit log, which is not in it."""
    seen = Seen()
    operations, acts = [], []
    with open(path) as file:
        for line in file:
            fields = json.loads(line)
            seen.operations += 1
            seen.unanswered += fields["answer"] is None
            if fields.pop("of") == "link":
                operations.append(checker.Operation(**fields))
            else:
                acts.append(act_of(fields))
    seen.links = len({operation.link for operation in operations})
    seen.stories = len({act.story for act in acts})
    seen.flaws = checker.flaws(operations, news, skew) + lineage.flaws(acts, news, skew)
    return seen


def act_of(fields: dict) -> lineage.Act:
    made = tuple(lineage.Made(**{**one, "under": tuple(one["under"]), "outlives": tuple(one["outlives"]),
                                 "says": said(one["says"])}) for one in fields["made"])
    return lineage.Act(**{**fields, "shows": tuple(fields["shows"]), "made": made, "says": said(fields["says"]),
                          "replaces": tuple(fields.get("replaces", ()))})


def said(fields: dict) -> dict:
    """Scopes are compared as sets, and everything else as it is."""
    return {name: set(value) if name == "scope" else value for name, value in fields.items()}
