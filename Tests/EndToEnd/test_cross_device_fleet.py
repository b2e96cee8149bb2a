"""A phone signs a computer's browser in over three nodes: each step on another one, with nodes and Redis that die."""

import contextlib
import http.client
import secrets
import signal
import threading

import pytest

import instance
import wire
from computer import PAGE, Computer, Phone, Question, wrong
from fleet import Fleet, OfFleet, again_if_redis_was_late, fleet_of_its_own
from servers import Redis
from skips import NEEDS_STORES

pytestmark = NEEDS_STORES


@pytest.fixture
def redis():
    with Redis() as server:
        yield server


@pytest.fixture
def fleet(postgres, redis):
    with Fleet(postgres.create(f"phones_{secrets.token_hex(4)}"), redis.url) as fleet:
        yield fleet


@contextlib.contextmanager
def watched_fleet(postgres):
    """Nodes that are asked all the time how they are: of a phone's sign-in, which nothing else keeps, no log says that Redis
    was late for it."""
    ended = threading.Event()

    def watch(nodes: list[instance.Demo]):
        while not ended.wait(0.05):
            for node in nodes:
                with contextlib.suppress(OSError, http.client.HTTPException):  # One that a test has ended.
                    wire.send(node.management, "GET", "/metrics")

    with fleet_of_its_own(postgres) as fleet:
        watcher = threading.Thread(target=watch, args=(fleet.nodes,))
        watcher.start()
        try:
            yield fleet
        finally:
            ended.set()
            watcher.join()


def phone_at(fleet: Fleet, node) -> Phone:
    """A phone that signed in at the issuer's address, behind which all nodes are, and talks to one of them."""
    phone = Phone(OfFleet(fleet))
    phone.demo = node
    return phone


def at(computer: Computer, node) -> Computer:
    """The same browser, whose next request another node answers."""
    computer.base = node.base
    return computer


@again_if_redis_was_late
def test_page_phone_and_poll_on_three_nodes(postgres):
    with watched_fleet(postgres) as fleet:
        phone = phone_at(fleet, fleet.nodes[1])
        computer = Computer(fleet.nodes[0].base).open()
        question = Question(at(computer, fleet.nodes[2]), fleet.nodes[2])
        phone.scan(computer)
        assert question.answer().json()["state"] == "scanned"
        digits = phone.digits(computer)
        assert computer.confirm(digits).status == 303
        assert at(computer, fleet.nodes[1]).session["origin"] == "device_code"


@again_if_redis_was_late
def test_the_node_that_showed_the_page_is_killed_in_the_middle(postgres):
    with watched_fleet(postgres) as fleet:
        phone = phone_at(fleet, fleet.nodes[1])
        computer = Computer(fleet.nodes[0].base).open()
        digits = phone.digits(computer)
        fleet.nodes[0].signal(signal.SIGKILL)
        fleet.nodes[0].popen.wait()
        assert at(computer, fleet.nodes[2]).confirm(digits).status == 303
        assert computer.session["authenticated"]


@again_if_redis_was_late
def test_attack_brute_force_over_several_nodes(postgres):
    """Three wrong digits, five wrong letters and ten pages are counted together."""
    with watched_fleet(postgres) as fleet:
        phone = phone_at(fleet, fleet.nodes[1])
        computer = Computer(fleet.nodes[0].base).open()
        digits = phone.digits(computer)
        for node in fleet.nodes:
            last = at(computer, node).confirm(wrong(digits))
        assert 'data-state="locked"' in last.text
        assert 'data-state="locked"' in at(computer, fleet.nodes[0]).confirm(digits).text
        for number in range(5):
            assert phone.post("by-code", fleet.nodes[number % 3], user_code="BCDF-BCDF").status == 404
        assert phone.post("by-code", fleet.nodes[2], user_code="BCDF-BCDF").status == 429
        # One node gives its pages away; of the other two, which have shown none, nobody gets ten more.
        first = [Computer(fleet.nodes[0].base).send("GET", PAGE).status for _ in range(24)]
        assert set(first) == {200, 429}
        for node in fleet.nodes[1:]:
            # Every six seconds one more page is allowed, whichever node is asked.
            assert 429 in [Computer(node.base).send("GET", PAGE).status for _ in range(5)]


def test_redis_lost_in_the_middle(fleet, redis):
    """A clear page, nothing opened; and when it is back, it begins anew."""
    phone = phone_at(fleet, fleet.nodes[1])
    computer = Computer(fleet.nodes[0].base).open()
    digits = phone.digits(computer)
    redis.stop()
    refused = at(computer, fleet.nodes[2]).confirm(digits)
    assert refused.status == 503 and refused.header("Retry-After") and "<h1>" in refused.text
    assert computer.send("GET", PAGE).status == 503
    assert phone.post(f"{computer.id}/scan").status == 503
    assert computer.status("approved").status == 503
    redis.start()

    def begins() -> bool:
        page = Computer(fleet.nodes[2].base).send("GET", PAGE)
        return page.status == 200

    instance.wait_until(begins, 60, "a new page")
    # What Redis held is gone; the digits that it knew open nothing.
    assert 'data-state="expired"' in computer.confirm(digits, computer.page).text
    assert not computer.session["authenticated"]


@again_if_redis_was_late
def test_a_node_that_stops_sends_its_waiting_pages_on(postgres):
    with watched_fleet(postgres) as fleet:
        question = Question(Computer(fleet.nodes[0].base).open(), fleet.nodes[0])
        assert fleet.nodes[0].stop() == 0
        answer = question.answer()
        assert answer.status == 200 and answer.json()["state"] == "created"
