"""What a service is asked on each of its roads, one request after another; `instructions.py` counts what each costs."""

import contextlib
import functools
import http.client
import secrets
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import provider  # Before the end-to-end tests' folder, which has a module of that name, is looked into.

# isort: split
import clock
import exchange
import native
import oauth
import signing
import wire
from instance import ISSUE, REDEEM
from server import Drawbridge

#: Longer than a browser's session may lie unused by default.
UNUSED = 31 * 60
#: Whose browsers and apps these are, where a password is needed.
PERSON = "alice"


@dataclass(frozen=True)
class Ask:
    method: str
    target: str
    headers: dict
    form: dict | str | None = None
    status: int = 200


#: Makes ready what its first request needs, then gives each request and takes the answer.
Walk = Generator[Ask, wire.Answer, None]


def issue(load: "Load", number: int) -> Walk:
    yield load.issue(f"user-{number}")


def issue_sid(load: "Load", number: int) -> Walk:
    """To a trusted issuer's bearer that names a session of that issuer's, each another one."""
    yield load.issue(f"user-{number}", f"session-{number}")


def issue_own(load: "Load", _: int) -> Walk:
    """To an access token of the service's own, each of a session of its own, all of one user."""
    yield load.issue_to(oauth.sign_in(load.instance, PERSON, browser=load.person)["access_token"])


def redeem(load: "Load", number: int) -> Walk:
    yield load.redemption(f"user-{number}", {})


def redeem_sid(load: "Load", number: int) -> Walk:
    """Of a link that was issued to a trusted issuer's bearer with a session."""
    yield load.redemption(f"user-{number}", {}, f"session-{number}")


def redeem_again(load: "Load", number: int) -> Walk:
    """In a browser in which the same user has signed in."""
    yield load.redemption(load.subject, {"Cookie": load.left[number]})


def check(load: "Load", _: int) -> Walk:
    yield Ask("GET", "/auth/check", load.browser)


def check_token(load: "Load", _: int) -> Walk:
    """By an access token in its cookie."""
    yield Ask("GET", "/auth/check", load.web_view)


def session(load: "Load", _: int) -> Walk:
    yield Ask("GET", "/session", load.browser)


def refresh(load: "Load", _: int) -> Walk:
    """Each in a session of its own."""
    held = oauth.sign_in(load.instance, PERSON, browser=load.person)
    yield Ask("POST", "/oauth/token", {}, {
        "grant_type": "refresh_token", "refresh_token": held["refresh_token"], "client_id": "demo-app"})


def introspect(load: "Load", _: int) -> Walk:
    yield Ask("POST", "/oauth/introspect", load.basic, {"token": load.access_token})


def exchanges(load: "Load", _: int) -> Walk:
    yield Ask("POST", "/oauth/token", {}, load.exchange)


def authorize(load: "Load", _: int) -> Walk:
    """Of a user who is signed in: the question whether an app may, the answer to it, and the tokens for the code."""
    verifier = secrets.token_urlsafe(48)
    query = urlencode({
        "response_type": "code", "client_id": "demo-app", "redirect_uri": oauth.APP_REDIRECT,
        "scope": "openid profile offline_access", "state": secrets.token_urlsafe(8),
        "code_challenge": signing.challenge(verifier), "code_challenge_method": "S256"})
    cookies = dict(load.person.cookies)
    page = yield Ask("GET", f"/oauth/authorize?{query}", {**wire.NAVIGATION, **wire.cookies(cookies)})
    cookies |= {name: cookie.value for name, cookie in page.cookies.items()}
    form = oauth.Forms(page.text).forms[0]
    own = {**wire.NAVIGATION, "Origin": load.service.base, "Sec-Fetch-Site": "same-origin", **wire.cookies(cookies)}
    answer = yield Ask("POST", form["action"], own, form["fields"], status=303)
    [code] = parse_qs(urlsplit(answer.header("Location")).query)["code"]
    yield Ask("POST", "/oauth/token", {}, {
        "grant_type": "authorization_code", "code": code, "redirect_uri": oauth.APP_REDIRECT, "client_id": "demo-app",
        "code_verifier": verifier})


@dataclass(frozen=True)
class Road:
    name: str
    walk: Callable[["Load", int], Walk]
    #: How long ago the browsers were left that it needs, in seconds.
    left: int | None = None


ROADS = {
    "issue": Road("an issue", issue),
    "issue-sid": Road("an issue to a bearer with a session", issue_sid),
    "issue-own": Road("an issue to an access token of the service", issue_own),
    "redeem": Road("a redemption in a fresh browser", redeem),
    "redeem-sid": Road("a redemption of a link with a session, in a fresh browser", redeem_sid),
    "redeem-again": Road("a redemption in the browser of its user's sign-in", redeem_again, left=0),
    "redeem-closed": Road("a redemption in a browser whose session lay unused", redeem_again, left=UNUSED),
    "check": Road("a check by cookie", check),
    "check-token": Road("a check by an access token's cookie", check_token),
    "session": Road("a look at the session", session),
    "refresh": Road("a refresh", refresh),
    "introspect": Road("an introspection", introspect),
    "exchange": Road("an exchange to cookies", exchanges),
    "authorize": Road("an authorization, its consent and tokens", authorize),
}


#: Requests before any is counted: connections, prepared statements and pools are there then.
FIRST = 60


def spent(walks: list[Callable[[], None]], counts: Callable[[], dict[str, int]], idle: float = 4) -> dict[str, float]:
    """What one of these cost but the first, by what `counts` has counted so far; less what timers do in that time."""
    for walk in walks[:FIRST]:
        walk()
    marks = [(time.monotonic(), counts())]
    time.sleep(idle)
    marks.append((time.monotonic(), counts()))
    for walk in walks[FIRST:]:
        walk()
    marks.append((time.monotonic(), counts()))
    (rest, first), (begin, before), (end, after) = marks

    def one(what: str) -> float:
        timers = (before[what] - first[what]) / (begin - rest) * (end - begin)
        return (after[what] - before[what] - timers) / (len(walks) - FIRST)

    return {what: one(what) for what in after}


def left_browsers(binary: Path, data: Path, road: str, count: int, database: str | None = None) -> list[str]:
    """The cookies of browsers in which a person has signed in, as long ago as the road needs it."""
    ago = ROADS[road].left
    if ago is None:
        return []
    data.parent.mkdir(exist_ok=True)
    script = data.parent / "earlier"
    script.write_text(f"#!/bin/sh\nexec {' '.join(clock.shifted_by(-ago))} {binary.resolve()} \"$@\"\n")
    script.chmod(0o755)
    with Drawbridge(script, data, database) as service:
        person = exchange.Apps(service).user(PERSON)
        return [sign_in(native.Browser(service.base), person) for _ in range(count)]


def sign_in(browser: native.Browser, person: dict) -> str:
    page = browser.send("GET", "/sign-in")
    answer = browser.submit(page, "/sign-in", username=person["username"], password=person["password"])
    if answer.status != 303:
        raise RuntimeError(f"a sign-in answers {answer.status}")
    return wire.cookies(browser.jar)["Cookie"]


class Load:
    """One connection to a service, with everything that a road needs of it, made when first asked for."""

    def __init__(self, service: Drawbridge, left: list[str]):
        self.service, self.left = service, left
        self.instance = provider.Instance(service)
        self.connection = http.client.HTTPConnection(service.base.removeprefix("http://"))
        self.subject = self.instance.user(PERSON)["sub"]

    def walks(self, road: str, count: int) -> list[Callable[[], None]]:
        """Made ready, all but their requests."""
        return [self._walk(ROADS[road].walk(self, number)) for number in range(count)]

    def _walk(self, walk: Walk) -> Callable[[], None]:
        first = next(walk)

        def run():
            ask = first
            with contextlib.suppress(StopIteration):
                while True:
                    ask = walk.send(self.answer(ask))

        return run

    def answer(self, ask: Ask) -> wire.Answer:
        body = urlencode(ask.form) if isinstance(ask.form, dict) else ask.form
        kind = {"Content-Type": wire.FORM} if body else {}
        self.connection.request(ask.method, ask.target, body, {**kind, **ask.headers})
        response = self.connection.getresponse()
        answer = wire.Answer(response.status, response.getheaders(), response.read())
        if answer.status != ask.status:
            raise RuntimeError(f"{ask.method} {urlsplit(ask.target).path} answers {answer.status}: {answer.text[:500]}")
        return answer

    def issue(self, subject: str, session: str | None = None) -> Ask:
        return self.issue_to(self.service.bearer(subject, session))

    def issue_to(self, bearer: str) -> Ask:
        return Ask("POST", ISSUE, {"Authorization": f"Bearer {bearer}"})

    def redemption(self, subject: str, headers: dict, session: str | None = None) -> Ask:
        token = self.answer(self.issue(subject, session)).json()["token"]
        return Ask("GET", f"{REDEEM}?{urlencode({'token': token})}", {**wire.NAVIGATION, **headers}, status=303)

    @functools.cached_property
    def browser(self) -> dict:
        """The cookie of a browser that a link has signed in."""
        return {"Cookie": self.answer(self.redemption(self.subject, {})).session_cookie}

    @functools.cached_property
    def person(self) -> oauth.Browser:
        """A browser in which a person signed in by password, once: hashing it is none of what is counted."""
        browser = oauth.Browser(self.instance)
        oauth.sign_in(self.instance, PERSON, browser=browser)
        return browser

    @functools.cached_property
    def access_token(self) -> str:
        return oauth.sign_in(self.instance, PERSON, browser=self.person)["access_token"]

    @functools.cached_property
    def basic(self) -> dict:
        return oauth.basic(self.instance, "demo-admin")

    @functools.cached_property
    def exchange(self) -> str:
        """What an app that is signed in may repeat."""
        return exchange.form(exchange.Apps(self.service), PERSON)

    @functools.cached_property
    def web_view(self) -> dict:
        """The cookies of an app's web view."""
        return native.cookie_header(self.answer(Ask("POST", "/oauth/token", {}, self.exchange)))
