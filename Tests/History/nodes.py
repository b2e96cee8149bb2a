"""The nodes of a fleet as clients of every kind see them, and the people who come there."""

import asyncio
import hashlib
import json
import re
import secrets
import time
from datetime import datetime
from html import unescape
from urllib.parse import urlencode

import oauth
import simultaneous
import wire
from connections import Connections


def hidden(page: str, action: str) -> dict:
    """What a page's form holds already."""
    form = re.search(rf'<form[^>]*action="{re.escape(action)}(?:\?[^"]*)?".*?</form>', page, re.S)
    return {unescape(name): unescape(value) for name, value in re.findall(
        r'<input type="hidden" name="([^"]*)" value="([^"]*)"', form.group(0))} if form else {}


def cookies(answer: simultaneous.Raw) -> dict:
    found = {}
    for line in answer.head.decode().split("\r\n"):
        name, _, value = line.partition(": ")
        if name.lower() == "set-cookie":
            key, _, text = value.split(";")[0].partition("=")
            found[key] = text
    return {key: text for key, text in found.items() if text}


def location(answer: simultaneous.Raw) -> str:
    return next((line.partition(": ")[2] for line in answer.head.decode().split("\r\n")
                 if line.lower().startswith("location:")), "")


def moment(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


def fingerprint(kind: str, secret: str) -> str:
    """What a history calls a secret: the secret itself is nobody's business."""
    return f"{kind}-{hashlib.sha256(secret.encode()).hexdigest()[:12]}"


class Nodes:
    """Sends to nodes; an answer that did not come, or a 503, is None: it may have happened all the same."""

    def __init__(self, nodes: list):
        self.nodes = nodes
        self.connections = Connections()
        self.lost = 0
        #: The administrator's token, and until when it is used: one of an hour's histories would end in the middle.
        self.token, self.renewal = "", 0.0

    @property
    def issuer(self) -> str:
        return self.nodes[0].facts["issuer"]

    async def ask(self, node: int, send):
        """What `send(connection)` gives, over a connection to that node."""
        answer = await self.connections.ask(self.nodes[node].port, send)
        if answer is None:
            self.lost += 1
            return None
        assert answer.status != 429, (answer.head, answer.body)
        return answer

    async def send(self, node: int, method: str, target: str, headers: dict, form=None, body=None):
        if form is not None:
            headers, data = {**headers, "Content-Type": wire.FORM}, urlencode(form).encode()
        elif body is not None:
            headers, data = {**headers, "Content-Type": "application/json"}, json.dumps(body).encode()
        else:
            data = b""
        return await self.ask(node, lambda connection: connection.request(method, target, headers, data))

    async def administer(self, node: int, method: str, path: str, body=None):
        if time.monotonic() > self.renewal:
            answer = await self.send(
                node, "POST", "/oauth/token", oauth.basic(self.nodes[node], "demo-admin"),
                {"grant_type": "client_credentials"})
            if answer is None:
                return None
            self.token, self.renewal = answer.json()["access_token"], time.monotonic() + 120
        return await self.send(node, method, f"/api/admin/{path}", {"Authorization": f"Bearer {self.token}"}, body=body)


class Person:
    """An account that one story after another belongs to."""

    def __init__(self, name: str, password: str, sub: str):
        self.name, self.password, self.sub = name, password, sub
        #: What holds a key of this account's own, once one is linked.
        self.phone = None
        #: The same person's account that a provider of others signs in, once a story is told of it.
        self.elsewhere: Person | None = None


async def people(nodes: Nodes, count: int) -> list[Person]:
    """As many accounts; where no answer came, another name is tried."""
    found = []
    while len(found) < count:
        name, password = f"person-{secrets.token_hex(6)}", "a password of these histories"
        made = await nodes.administer(0, "POST", "users", {"username": name, "password": password})
        if made is None:
            await asyncio.sleep(0.3)
            continue
        assert made.status == 201, made
        found.append(Person(name, password, made.json()["id"]))
    return found
