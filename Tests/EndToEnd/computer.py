"""A computer's browser and a phone that signs it in: the pages by their forms, the phone by its API."""

import json
import re
import threading
import time
from html import unescape

import instance
import wire
from native import App, Browser

PAGE = "/signin/phone"
SCOPE = "openid profile"


class Computer(Browser):
    """A browser that opens the page and types what the phone shows."""

    def __init__(self, base: str, **headers: str):
        super().__init__(base)
        self.headers = headers
        self.page: wire.Answer | None = None

    def send(self, method, target, headers=None, body=None) -> wire.Answer:
        return super().send(method, target, {**self.headers, **(headers or {})}, body)

    def open(self, query: str = "") -> "Computer":
        self.page = self.send("GET", PAGE + query)
        assert self.page.status == 200, self.page.text
        return self

    @property
    def link(self) -> str:
        return unescape(re.search(r'data-link="([^"]+)"', self.page.text).group(1))

    @property
    def id(self) -> str:
        return self.link.rsplit("/", 1)[1]

    @property
    def tab(self) -> str:
        return re.search(r'data-tab="([^"]+)"', self.page.text).group(1)

    @property
    def letters(self) -> str:
        return re.search(r'id="user-code">([^<]+)<', self.page.text).group(1)

    def status(self, seen: str = "", on: str = "") -> wire.Answer:
        """- on: which page asks; without that nothing is said of it, as an old page does."""
        return self.send("GET", f"{PAGE}/status?seen={seen}" + (f"&tab={on}" if on else ""))

    def state(self) -> str:
        """How it stands; a page that asks too often is told to wait."""
        while (answer := self.status()).status == 429:
            time.sleep(int(answer.header("Retry-After")))
        assert answer.status == 200, answer.text
        return answer.json()["state"]

    def confirm(self, code: str, page: wire.Answer | None = None) -> wire.Answer:
        return self.submit(page or self.page, f"{PAGE}/confirm", code=code)

    @property
    def session(self) -> dict:
        return wire.send(
            self.base, "GET", "/session",
            {"Cookie": "; ".join(f"{name}={value}" for name, value in self.jar.items())}).json()


class Phone:
    """A signed-in app."""

    def __init__(self, demo, user: str = "alice", app: str = "demo-app", token: str | None = None):
        self.demo = demo
        self.app = App(demo, app, user=user)
        self.token = token or self.app.sign_in(SCOPE)["access_token"]

    def post(self, path: str, node=None, **body) -> wire.Answer:
        return wire.send(
            (node or self.demo).base, "POST", f"/api/xd/{path}",
            {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}, json.dumps(body).encode())

    def scan(self, computer: Computer, node=None) -> dict:
        answer = self.post(f"{computer.id}/scan", node)
        assert answer.status == 200, answer.text
        return answer.json()

    def approve(self, computer: Computer, scanned: dict, node=None) -> str:
        answer = self.post(f"{computer.id}/approve", node, txn=scanned["txn"])
        assert answer.status == 200, answer.text
        return answer.json()["confirm_code"]

    def digits(self, computer: Computer, node=None) -> str:
        return self.approve(computer, self.scan(computer, node), node)


class Question(threading.Thread):
    """A page's question for news, held by a node."""

    def __init__(self, computer: Computer, node, seen: str = "created"):
        super().__init__(daemon=True)
        self.computer, self.seen = computer, seen
        self.start()
        instance.wait_until(lambda: waiting_pages(node) > 0, 20, "a page that waits")

    def run(self):
        self.found = self.computer.status(self.seen)

    def answer(self) -> wire.Answer:
        """Long before the 25 s after which a node answers with what it had."""
        self.join(15)
        assert not self.is_alive(), "nobody told the page"
        return self.found


def waiting_pages(node) -> float:
    return node.metrics().get("drawbridge_phone_sign_in_waiting", 0)


# What somebody sends who has typed nothing, or not yet all.
NO_DIGITS = ["", "   ", "12 34", "1234567", "abcdef"]


def wrong(digits: str) -> str:
    return "000001" if digits == "000000" else "000000"
