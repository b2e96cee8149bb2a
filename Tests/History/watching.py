"""Watches a fleet: links and stories in turn, each judged as soon as it is over."""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter
from dataclasses import dataclass, field

import checker
import lineage

from handing_on import OTHER
from nodes import Nodes, people
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
    """One person for each story that is told at a time, so that no story touches another."""

    def __init__(self, nodes: list, seed: int, at_once: int = 8, news: float = lineage.NEWS, skew: float = 0,
                 keep: str | None = None):
        self.nodes, self.seed, self.at_once, self.news, self.skew, self.keep = nodes, seed, at_once, news, skew, keep
        self.seen = Seen()
        self.people: list = []
        self.number = 0
        #: From here on the database may have forgotten what it had acknowledged.
        self.may_forget = False

    async def links(self, count: int):
        witness = Witness(self.nodes, self.seed * 1_000_003 + self.number)
        await witness.watch(count, 12)
        self.seen.links += count
        self._take(witness.history, "link", witness.lost)
        if not self.may_forget:
            self.seen.flaws += checker.flaws(witness.history, self.news, self.skew)

    async def stories(self, rounds: int = 1, stops_at_a_flaw: bool = False):
        """Each person tells so many stories, one after another."""
        nodes = Nodes(self.nodes)
        if not self.people:
            self.people = await people(nodes, self.at_once)
        telling = {asyncio.create_task(self._tell(nodes, person, rounds)) for person in self.people}
        while telling:
            told, telling = await asyncio.wait(telling, return_when=asyncio.FIRST_COMPLETED)
            for task in told:
                task.result()
            if stops_at_a_flaw and self.seen.flaws:
                for task in telling:
                    task.cancel()
                break
        self.seen.unanswered += nodes.lost

    async def _tell(self, nodes: Nodes, person, rounds: int):
        for _ in range(rounds):
            self.number += 1
            history: list[lineage.Act] = []
            forgetful = self.may_forget
            teller = Story(nodes, person, self.seed * 1_000_003 + self.number, history)
            await teller.tell()
            self.seen.stories += 1
            self._take(history, "story", 0)
            forgetful = forgetful or self.may_forget
            self.seen.flaws += lineage.flaws(history, self.news, self.skew, forgetful)
            if not forgetful and (events := await teller.events()):
                self.seen.flaws += lineage.unrecorded(history, events)

    def _take(self, history: list, kind: str, lost: int):
        self.seen.operations += len(history)
        self.seen.unanswered += lost
        self.seen.kinds.update(f"{operation.kind} {operation.answer}" for operation in history)
        if self.keep:
            with open(self.keep, "a") as file:
                file.writelines(json.dumps({"of": kind, **vars(operation)}, default=vars_of) + "\n" for operation in history)

    async def until(self, deadline: float, stops_at_a_flaw: bool = False):
        while time.monotonic() < deadline:
            await self.stories(stops_at_a_flaw=stops_at_a_flaw)
            if stops_at_a_flaw and self.seen.flaws:
                break
            await self.links(60)
            if stops_at_a_flaw and self.seen.flaws:
                break


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
    return lineage.Act(**{**fields, "shows": tuple(fields["shows"]), "made": made, "says": said(fields["says"])})


def said(fields: dict) -> dict:
    """Scopes are compared as sets, and everything else as it is."""
    return {name: set(value) if name == "scope" else value for name, value in fields.items()}
