"""The administrator's side of one instance."""

import contextlib
import http.client
import json
import re
import socket
import threading
from urllib.parse import quote, urlencode, urlsplit

import oauth
import wire


class Admin:
    def __init__(self, demo):
        self.demo = demo
        self.headers = {"Authorization": f"Bearer {demo.facts['admin_token']}"}

    def send(self, method: str, path: str, body=None, headers: dict | None = None):
        return self.demo.send(method, f"/api/admin/{path}", {**self.headers, **(headers or {})}, body)

    def get(self, path: str, **query):
        query = {name.rstrip("_"): value for name, value in query.items()}
        return self.send("GET", f"{path}?{urlencode(query)}" if query else path)

    def events(self, **query) -> list[dict]:
        answer = self.get("audit-events", **query)
        assert answer.status == 200, (answer.status, answer.body)
        return answer.json()["items"]

    def pages(self, limit: int, **query) -> list[list[dict]]:
        """Every page of a search."""
        pages, cursor = [], None
        while True:
            body = self.get("audit-events", limit=limit, **query, **({"cursor": cursor} if cursor else {})).json()
            pages.append(body["items"])
            cursor = body["next_cursor"]
            if cursor is None:
                return pages

    def sessions(self, subject: str) -> list[dict]:
        answer = self.get(f"users/{quote(subject, safe='')}/sessions", limit=500)
        assert answer.status == 200, (answer.status, answer.body)
        return answer.json()["items"]

    def follow(self, last_event_id: str | None = None, query: str = "") -> "Stream":
        return Stream(self.demo.base, self.headers, last_event_id, query)


class Console:
    """The console, opened with the administrator's token and used as a browser without scripts would."""

    def __init__(self, demo):
        self.demo = demo
        page = demo.send("GET", "/admin/sign-in")
        form = wire.PageForm(page.text).forms[0]
        opened = demo.send("POST", "/admin/sign-in", {"Cookie": wire.cookie_header(page)},
                           wire.encode({**form["fields"], "token": demo.facts["admin_token"]}))
        self.cookie = {"Cookie": f"__Host-drawbridge_admin={opened.cookies['__Host-drawbridge_admin'].value}"}

    def get(self, path: str):
        answer = self.demo.send("GET", path, self.cookie)
        assert answer.status == 200, (answer.status, answer.body)
        return answer

    def explained(self, kind: str, **fields) -> tuple[bool, str | None]:
        """What the form of this kind is answered with: whether it passes, and else why not."""
        form = next(form for form in wire.PageForm(self.get("/admin/explain").text).forms
                    if form["fields"].get("kind") == kind)
        assert set(fields) <= set(form["fields"]), "the page has these fields"
        answer = self.demo.send("POST", "/admin/explain", self.cookie, wire.encode({**form["fields"], **fields}))
        assert answer.status == 200, (answer.status, answer.body)
        assert not any(value in answer.text for value in fields.values()), "nothing secret is shown again"
        return self._decision(answer.text)

    @staticmethod
    def _decision(page: str) -> tuple[bool, str | None]:
        heading = re.search(r'<h2 id="answer">(.*?)</h2>', page, re.S).group(1)
        reason = re.search(r"<code>(.*?)</code>", heading)
        return "It passes" in heading, reason and reason.group(1)


class Stream:
    """Server-sent events, read by a thread of its own."""

    def __init__(self, base: str, headers: dict, last_event_id: str | None, query: str):
        url = urlsplit(base)
        self.connection = http.client.HTTPConnection(url.hostname, url.port, timeout=60)
        more = {"Last-Event-ID": last_event_id} if last_event_id else {}
        self.connection.request("GET", f"/api/admin/audit-events/stream{query}", headers={**headers, **more})
        self.response = self.connection.getresponse()
        self.events: list[dict] = []
        self.last_id: str | None = None
        self.lines = 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        try:
            for line in self.response:
                line = line.decode().rstrip("\n")
                self.lines += 1
                if line.startswith("id: "):
                    self.last_id = line[4:]
                elif line.startswith("data: "):
                    self.events.append(json.loads(line[6:]))
        except (OSError, ValueError, AttributeError, http.client.HTTPException):
            pass  # closed by the test

    def close(self):
        # Closed alone it would wait for the reader, and that for the next line. The server may have been quicker.
        with contextlib.suppress(OSError):
            self.connection.sock and self.connection.sock.shutdown(socket.SHUT_RDWR)
        self.connection.close()


def admin(demo, method: str, path: str, body: dict | None = None, **headers: str) -> wire.Answer:
    """One request with the administrator's token."""
    return wire.send(
        demo.base, method, path,
        {"Authorization": f"Bearer {demo.facts['admin_token']}", "Content-Type": "application/json", **headers},
        json.dumps(body).encode() if body is not None else None)


def change(demo, client_id: str, **fields):
    """Changes fields of a client's document."""
    path = f"/api/admin/clients/{client_id}"
    tag = admin(demo, "GET", path).header("ETag")
    answer = admin(demo, "PATCH", path, fields, **{"If-Match": tag})
    assert answer.status == 200, answer.text


@contextlib.contextmanager
def changed(demo, client_id: str, **fields):
    """Changes fields of a client's document for a while, and puts back what they were."""
    before = admin(demo, "GET", f"/api/admin/clients/{client_id}").json()
    change(demo, client_id, **fields)
    try:
        yield
    finally:
        change(demo, client_id, **{name: before.get(name) for name in fields})


def reach(demo, client_id: str, app: str = "demo-app"):
    """Lets the app open a website."""
    document = admin(demo, "GET", f"/api/admin/clients/{app}").json()
    change(demo, app, may_reach=sorted({*document["may_reach"], client_id}))


def register(demo, client_id: str, **document) -> None:
    """A client of this id."""
    answer = admin(demo, "POST", "/api/admin/clients", {"client_id": client_id, **document})
    assert answer.status == 201, answer.text


def signed_in(demo, name: str = "admin") -> oauth.Browser:
    """A browser in which this user has signed in at our own page."""
    browser = oauth.Browser(demo)
    person = demo.user(name)
    answer = browser.submit(browser.request("GET", "/sign-in?redirect=%2Fadmin%2F"), username=person["username"],
                            password=person["password"])
    assert answer.status == 303, answer.text
    return browser


def form_token(browser: oauth.Browser, page: str = "/admin/keys") -> str:
    """What a form of this page proves itself with."""
    answer = browser.request("GET", page)
    assert answer.status == 200, (answer.status, answer.headers)
    return next(form["fields"]["form_token"] for form in oauth.Forms(answer.text).forms if form["fields"])
