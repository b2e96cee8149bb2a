"""A node that stands still, or whose writes do, while its visitors go elsewhere, and then finds what they gave up
(ADR-0087)."""

import signal
import subprocess
from contextlib import contextmanager
from functools import partial
from urllib.parse import urlencode

import pytest

import instance
import native
import va
import wire
from fleet import Fleet, OfFleet
from giving_up import give_up
from instance import REDEEM
from native import App
from skips import NEEDS_STORES

pytestmark = NEEDS_STORES

TOKEN = "/oauth/token"
RENEWAL = "/session/refresh"


@pytest.fixture(scope="module")
def fleet(stores):
    """Two nodes behind nginx: the one that stands still, and the other one."""
    postgres, redis = stores
    with Fleet(postgres.create("still"), redis.url, "--no-limits", size=2) as fleet:
        yield fleet
        assert fleet.verify()["valid"]
        seconds = "SELECT type FROM audit_event WHERE type LIKE '%.reused' OR type = 'login_token.replayed'"
        assert postgres.query(seconds, fleet.name) == [], "nothing was used twice"


def handled(node, route: str) -> int:
    return sum(line.get("route") == route for line in node.json_lines())


@contextmanager
def standing_still(node):
    """The node finds when it goes on what it was sent meanwhile."""
    node.freeze()
    try:
        yield
    finally:
        node.signal(signal.SIGCONT)


@contextmanager
def writes_held(postgres, database: str, node):
    """What the node is asked for waits at its write: somebody's transaction holds what each of them asks for first."""
    name = f"demo-{node.port}"
    with subprocess.Popen(
            [f"{postgres.programs}/psql", "-XqAt", "-h", "127.0.0.1", "-p", str(postgres.port), "-U", "drawbridge", "-d",
             database], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        try:
            print(f"BEGIN; SELECT node FROM node_lease WHERE node = '{name}' FOR UPDATE;", file=holder.stdin, flush=True)
            assert instance.next_line(holder) == name
            yield
        finally:
            holder.kill()


def give_up_waiting(node, method: str, target: str, headers: dict | None = None, form: dict | None = None):
    """Closes the connection when there is no answer after half a second; a write waits for three for a lock."""
    with pytest.raises(TimeoutError):
        node.send(method, target, headers, urlencode(form) if form is not None else None, timeout=0.5)


@contextmanager
def given_up(node, hold, send, method: str, target: str, headers: dict | None = None, form: dict | None = None):
    """A request that the node cannot carry out while it is held, and whose sender is gone by then. What is done in this
    block is done meanwhile; at its end the node has handled the request."""
    route = target.partition("?")[0]
    before = handled(node, route)
    with hold(node):
        send(node, method, target, headers, form)
        yield
    instance.wait_until(lambda: handled(node, route) > before, 30, "what was given up")


@pytest.fixture
def given_up_while_still(fleet):
    return partial(given_up, fleet.nodes[0], standing_still, give_up)


@pytest.fixture
def given_up_at_its_write(fleet, stores):
    return partial(given_up, fleet.nodes[0], partial(writes_held, stores[0], fleet.name), give_up_waiting)


@pytest.fixture
def other(fleet):
    """The node that answers meanwhile."""
    return fleet.nodes[1]


def accepted(answer: wire.Answer) -> wire.Answer:
    assert answer.status == 200, answer.text
    return answer


def opened(node, token: str) -> str:
    """The cookie of the session that the link opens."""
    answer = node.redeem(token)
    assert answer.status == 303, answer.text
    return answer.session_cookie


def exchange_by_website(node, token: str) -> dict:
    """What a website's server sends that opens a link itself."""
    website = node.client("demo-web")
    return {"grant_type": native.EXCHANGE, "subject_token": token, "subject_token_type": native.LOGIN_TOKEN,
            "client_id": website["client_id"], "client_secret": website["client_secret"]}


def app_at(node, fleet, kind=App) -> App:
    """Signed in behind nginx, while both nodes answer; asks the one node from then on."""
    app = kind(OfFleet(fleet))
    app.sign_in()
    app.demo.base = node.base
    return app


def app_with_a_code(node, fleet) -> tuple[App, dict]:
    """One that has a code, and what redeems it; asks the one node from then on."""
    app = App(OfFleet(fleet))
    form = {"grant_type": "authorization_code", "code": app.code(), "redirect_uri": app.callback,
            "code_verifier": app.verifier, "client_id": app.client_id}
    app.demo.base = node.base
    return app, form


def refresh_by_app(app: App) -> dict:
    """What refreshes the tokens that the app has."""
    return {"grant_type": "refresh_token", "refresh_token": app.tokens["refresh_token"], "client_id": app.client_id}


def refresh_twice(app: App):
    """Once the successor of a refresh token was used, the old one is a thief's."""
    for _ in range(2):
        app.tokens = accepted(app.refresh()).json()


def cookies_of_a_web_view(node, fleet) -> wire.Answer:
    return accepted(app_at(node, fleet).cookies())


def proven(cookies: wire.Answer) -> dict:
    return {**native.cookie_header(cookies), "X-CSRF-Token": cookies.cookies["vagov_anti_csrf_token"].value}


def renewed(node, cookies: wire.Answer) -> wire.Answer:
    return accepted(node.send("POST", RENEWAL, proven(cookies)))


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_link_that_was_given_up_is_not_used_twice(other, given_up_while_still, method):
    token = other.issue()["token"]
    # From another browser: no double tap, however short the pause is.
    request = {"GET": ("GET", f"{REDEEM}?token={token}", wire.OTHER_BROWSER),
               "POST": ("POST", REDEEM, {"User-Agent": wire.SAFARI}, {"token": token})}[method]
    with given_up_while_still(*request):
        cookie = opened(other, token)
    assert other.session(cookie)["authenticated"]


def test_a_link_that_was_given_up_before_anybody_used_it_stays_good(other, given_up_while_still):
    issued = other.issue()
    with given_up_while_still("GET", f"{REDEEM}?token={issued['token']}", wire.NAVIGATION):
        pass
    assert other.status(issued["id"]) == "pending"
    assert other.redeem(issued["token"]).session_cookie


def test_a_websites_server_that_gave_up_ends_nothing_of_the_browsers(other, given_up_while_still):
    token = other.issue()["token"]
    with given_up_while_still("POST", TOKEN, form=exchange_by_website(other, token)):
        cookie = opened(other, token)
    assert other.session(cookie)["authenticated"]


def test_a_code_that_was_given_up_ends_no_session_of_the_app(fleet, other, given_up_while_still):
    app, form = app_with_a_code(other, fleet)
    with given_up_while_still("POST", TOKEN, form=form):
        app.tokens = accepted(app.token(**form)).json()
    accepted(app.refresh())


def test_a_refresh_that_was_given_up_is_no_theft(fleet, other, given_up_while_still):
    app = app_at(other, fleet)
    with given_up_while_still("POST", TOKEN, form=refresh_by_app(app)):
        refresh_twice(app)
    accepted(app.refresh())


def test_a_refresh_at_the_vas_path_that_was_given_up_is_no_theft(fleet, other, given_up_while_still):
    app = app_at(other, fleet, va.VAApp)

    def refresh() -> dict:
        return accepted(va.post(other, "refresh", refresh_token=app.tokens["refresh_token"])).json()["data"]

    with given_up_while_still("POST", va.REFRESH, form={"refresh_token": app.tokens["refresh_token"]}):
        for _ in range(2):
            app.tokens = refresh()
    refresh()


def test_a_renewal_of_a_web_views_cookies_that_was_given_up_is_no_theft(fleet, other, given_up_while_still):
    delivered = cookies_of_a_web_view(other, fleet)
    with given_up_while_still("POST", RENEWAL, proven(delivered), {}):
        again = renewed(other, renewed(other, delivered))
    renewed(other, again)


def test_a_link_whose_redemption_waited_to_be_written_is_not_used_twice(other, given_up_at_its_write):
    token = other.issue()["token"]
    with given_up_at_its_write("GET", f"{REDEEM}?token={token}", wire.OTHER_BROWSER):
        cookie = opened(other, token)
    assert other.session(cookie)["authenticated"]


def test_nor_is_one_whose_websites_server_gave_up_on_the_write(other, given_up_at_its_write):
    token = other.issue()["token"]
    with given_up_at_its_write("POST", TOKEN, form=exchange_by_website(other, token)):
        cookie = opened(other, token)
    assert other.session(cookie)["authenticated"]


def test_a_code_whose_redemption_waited_to_be_written_ends_no_session_of_the_app(fleet, other, given_up_at_its_write):
    app, form = app_with_a_code(other, fleet)
    with given_up_at_its_write("POST", TOKEN, form=form):
        app.tokens = accepted(app.token(**form)).json()
    accepted(app.refresh())


def test_a_refresh_that_waited_to_be_written_is_no_theft(fleet, other, given_up_at_its_write):
    app = app_at(other, fleet)
    with given_up_at_its_write("POST", TOKEN, form=refresh_by_app(app)):
        refresh_twice(app)
    accepted(app.refresh())


def test_a_renewal_of_a_web_views_cookies_that_waited_to_be_written_is_no_theft(fleet, other, given_up_at_its_write):
    delivered = cookies_of_a_web_view(other, fleet)
    with given_up_at_its_write("POST", RENEWAL, proven(delivered), {}):
        again = renewed(other, renewed(other, delivered))
    renewed(other, again)
