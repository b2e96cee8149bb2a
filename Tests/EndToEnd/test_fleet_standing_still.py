"""A node that stands still, or whose writes do, while its visitors go elsewhere, and then finds what they gave up
(ADR-0087)."""

import signal
import subprocess
from contextlib import contextmanager
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
def standing_still(node, route: str):
    """The node finds when it goes on what it was sent meanwhile; this waits until it has handled it."""
    before = handled(node, route)
    node.freeze()
    try:
        yield
    finally:
        node.signal(signal.SIGCONT)
    instance.wait_until(lambda: handled(node, route) > before, 30, "what was given up")


@contextmanager
def writes_held(postgres, fleet, node, route: str):
    """What the node was asked for meanwhile is at its write by then, which waits: somebody's transaction holds what each
    of them asks for first. This ends once it has been handled."""
    before, name = handled(node, route), f"demo-{node.port}"
    with subprocess.Popen(
            [f"{postgres.programs}/psql", "-XqAt", "-h", "127.0.0.1", "-p", str(postgres.port), "-U", "drawbridge", "-d",
             fleet.name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        try:
            print(f"BEGIN; SELECT node FROM node_lease WHERE node = '{name}' FOR UPDATE;", file=holder.stdin, flush=True)
            assert instance.next_line(holder) == name
            yield
        finally:
            holder.kill()
    instance.wait_until(lambda: handled(node, route) > before, 30, "what was given up")


def give_up_waiting(node, method: str, target: str, headers: dict | None = None, form: dict | None = None):
    """Closes the connection when there is no answer after half a second; a write waits for three for a lock."""
    with pytest.raises(TimeoutError):
        node.send(method, target, headers, urlencode(form) if form is not None else None, timeout=0.5)


def app_at(node, fleet, kind=App) -> App:
    """Signed in behind nginx, while both nodes answer; asks the one node from then on."""
    app = kind(OfFleet(fleet))
    app.sign_in()
    app.demo.base = node.base
    return app


def proven(cookies: wire.Answer) -> dict:
    return {**native.cookie_header(cookies), "X-CSRF-Token": cookies.cookies["vagov_anti_csrf_token"].value}


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_link_that_was_given_up_is_not_used_twice(fleet, method):
    still, other = fleet.nodes
    token = other.issue()["token"]
    with standing_still(still, REDEEM):
        # From another browser: no double tap, however short the pause is.
        if method == "GET":
            give_up(still, "GET", f"{REDEEM}?token={token}", wire.OTHER_BROWSER)
        else:
            give_up(still, "POST", REDEEM, {"User-Agent": wire.SAFARI}, {"token": token})
        opened = other.redeem(token)
        assert opened.status == 303, opened.text
    assert other.session(opened.session_cookie)["authenticated"]


def test_a_link_that_was_given_up_before_anybody_used_it_stays_good(fleet):
    still, other = fleet.nodes
    issued = other.issue()
    with standing_still(still, REDEEM):
        give_up(still, "GET", f"{REDEEM}?token={issued['token']}", wire.NAVIGATION)
    assert other.status(issued["id"]) == "pending"
    assert other.redeem(issued["token"]).session_cookie


def test_a_websites_server_that_gave_up_ends_nothing_of_the_browsers(fleet):
    still, other = fleet.nodes
    token, website = other.issue()["token"], other.client("demo-web")
    with standing_still(still, TOKEN):
        give_up(still, "POST", TOKEN, form={
            "grant_type": native.EXCHANGE, "subject_token": token, "subject_token_type": native.LOGIN_TOKEN,
            "client_id": website["client_id"], "client_secret": website["client_secret"]})
        opened = other.redeem(token)
        assert opened.status == 303, opened.text
    assert other.session(opened.session_cookie)["authenticated"]


def test_a_code_that_was_given_up_ends_no_session_of_the_app(fleet):
    still, other = fleet.nodes
    app = App(OfFleet(fleet))
    form = {"grant_type": "authorization_code", "code": app.code(), "redirect_uri": app.callback,
            "code_verifier": app.verifier, "client_id": app.client_id}
    app.demo.base = other.base
    with standing_still(still, TOKEN):
        give_up(still, "POST", TOKEN, form=form)
        answer = app.token(**form)
        assert answer.status == 200, answer.text
    app.tokens = answer.json()
    assert app.refresh().status == 200


def test_a_refresh_that_was_given_up_is_no_theft(fleet):
    still, other = fleet.nodes
    app = app_at(other, fleet)
    with standing_still(still, TOKEN):
        give_up(still, "POST", TOKEN, form={
            "grant_type": "refresh_token", "refresh_token": app.tokens["refresh_token"], "client_id": app.client_id})
        # Once its successor was used, the old one is a thief's.
        for _ in range(2):
            answer = app.refresh()
            assert answer.status == 200, answer.text
            app.tokens = answer.json()
    assert app.refresh().status == 200


def test_a_refresh_at_the_vas_path_that_was_given_up_is_no_theft(fleet):
    still, other = fleet.nodes
    app = app_at(other, fleet, va.VAApp)

    def refresh() -> wire.Answer:
        return va.post(other, "refresh", refresh_token=app.tokens["refresh_token"])

    with standing_still(still, va.REFRESH):
        give_up(still, "POST", va.REFRESH, form={"refresh_token": app.tokens["refresh_token"]})
        for _ in range(2):
            answer = refresh()
            assert answer.status == 200, answer.text
            app.tokens = answer.json()["data"]
    assert refresh().status == 200


def test_a_renewal_of_a_web_views_cookies_that_was_given_up_is_no_theft(fleet):
    still, other = fleet.nodes
    delivered = app_at(other, fleet).cookies()
    assert delivered.status == 200, delivered.text
    with standing_still(still, "/session/refresh"):
        give_up(still, "POST", "/session/refresh", proven(delivered), {})
        for _ in range(2):
            delivered = other.send("POST", "/session/refresh", proven(delivered))
            assert delivered.status == 200, delivered.text
    assert other.send("POST", "/session/refresh", proven(delivered)).status == 200


def test_a_link_whose_redemption_waited_to_be_written_is_not_used_twice(fleet, stores):
    still, other = fleet.nodes
    token = other.issue()["token"]
    with writes_held(stores[0], fleet, still, REDEEM):
        give_up_waiting(still, "GET", f"{REDEEM}?token={token}", wire.OTHER_BROWSER)
        opened = other.redeem(token)
        assert opened.status == 303, opened.text
    assert other.session(opened.session_cookie)["authenticated"]


def test_nor_is_one_whose_websites_server_gave_up_on_the_write(fleet, stores):
    still, other = fleet.nodes
    token, website = other.issue()["token"], other.client("demo-web")
    with writes_held(stores[0], fleet, still, TOKEN):
        give_up_waiting(still, "POST", TOKEN, form={
            "grant_type": native.EXCHANGE, "subject_token": token, "subject_token_type": native.LOGIN_TOKEN,
            "client_id": website["client_id"], "client_secret": website["client_secret"]})
        opened = other.redeem(token)
        assert opened.status == 303, opened.text
    assert other.session(opened.session_cookie)["authenticated"]


def test_a_code_whose_redemption_waited_to_be_written_ends_no_session_of_the_app(fleet, stores):
    still, other = fleet.nodes
    app = App(OfFleet(fleet))
    form = {"grant_type": "authorization_code", "code": app.code(), "redirect_uri": app.callback,
            "code_verifier": app.verifier, "client_id": app.client_id}
    app.demo.base = other.base
    with writes_held(stores[0], fleet, still, TOKEN):
        give_up_waiting(still, "POST", TOKEN, form=form)
        answer = app.token(**form)
        assert answer.status == 200, answer.text
    app.tokens = answer.json()
    assert app.refresh().status == 200


def test_a_refresh_that_waited_to_be_written_is_no_theft(fleet, stores):
    still, other = fleet.nodes
    app = app_at(other, fleet)
    with writes_held(stores[0], fleet, still, TOKEN):
        give_up_waiting(still, "POST", TOKEN, form={
            "grant_type": "refresh_token", "refresh_token": app.tokens["refresh_token"], "client_id": app.client_id})
        for _ in range(2):
            answer = app.refresh()
            assert answer.status == 200, answer.text
            app.tokens = answer.json()
    assert app.refresh().status == 200


def test_a_renewal_of_a_web_views_cookies_that_waited_to_be_written_is_no_theft(fleet, stores):
    still, other = fleet.nodes
    delivered = app_at(other, fleet).cookies()
    assert delivered.status == 200, delivered.text
    with writes_held(stores[0], fleet, still, "/session/refresh"):
        give_up_waiting(still, "POST", "/session/refresh", proven(delivered), {})
        for _ in range(2):
            delivered = other.send("POST", "/session/refresh", proven(delivered))
            assert delivered.status == 200, delivered.text
    assert other.send("POST", "/session/refresh", proven(delivered)).status == 200
