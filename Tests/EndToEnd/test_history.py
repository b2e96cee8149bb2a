"""The history checker: it finds what was planted, lets pass what is right, and judges a fleet of two nodes."""

import asyncio
import random
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "History"))

import signing
from checker import Operation, flaws, is_possible, step
from providing import CREDENTIALS, ManyAtOnce
from served import ServedFleet
from servers import Postgres, Redis
from skips import NEEDS_STORES
from watching import Watch, prepare


def operation(kind, answer, began, ended, node=0, browser="A") -> Operation:
    return Operation("link", kind, node, began, ended, answer, browser if kind == "redeem" else "")


OPENED = operation("redeem", "opened", 0, 1)
LEFT = operation("leave", "left", 2, 3)

PLANTED = {
    "a link is used twice": [OPENED, operation("redeem", "opened", 0.5, 1.5, 1, "B")],
    "a link is used twice, long after": [OPENED, operation("redeem", "opened", 9, 10, 1)],
    "a link that was taken back opens": [operation("revoke", "revoked", 0, 1), operation("redeem", "opened", 2, 3)],
    "a link that opened is taken back": [OPENED, operation("revoke", "revoked", 2, 3)],
    "a fresh link is refused": [operation("redeem", "refused", 0, 1)],
    "both are refused": [operation("redeem", "refused", 0, 1), operation("redeem", "refused", 0, 1, 1, "B")],
    "a use is forgotten": [OPENED, operation("status", "pending", 2, 3, 1)],
    "a use is told before it was": [operation("status", "redeemed", 0, 1), replace(OPENED, began=2, ended=3)],
    "a taking back is forgotten": [operation("revoke", "revoked", 0, 1), operation("status", "pending", 2, 3)],
    "it was too late for nothing": [operation("revoke", "late", 0, 1), replace(OPENED, began=2, ended=3)],
    "a session outlives its end on that node": [OPENED, LEFT, operation("check", "yes", 3.1, 3.2)],
    "a session outlives its end elsewhere": [OPENED, LEFT, operation("check", "yes", 4.5, 4.6, 1)],
    "a session outlives a replay": [
        OPENED, operation("redeem", "refused", 2, 3, 0, "B"), operation("check", "yes", 4.5, 4.6, 1)],
    "a session is gone that nobody ended": [OPENED, operation("check", "no", 2, 3)],
    "a session comes back": [
        OPENED, LEFT, operation("check", "no", 3.5, 3.6, 1), operation("check", "yes", 5, 5.1, 1)],
    "a double tap of another browser": [OPENED, operation("redeem", "passed", 1.1, 1.2, 1, "B")],
    "a double tap too late": [OPENED, operation("redeem", "passed", 9, 10)],
    "a double tap of an unused link": [operation("redeem", "passed", 0, 1)],
    "a session that an unknown use cannot have ended": [
        OPENED, operation("check", "no", 2, 3), operation("leave", None, 4, 5)],
    "an answer got lost and two others opened": [
        operation("redeem", None, 0, 1), replace(OPENED, began=2, ended=3),
        operation("redeem", "opened", 4, 5, 1, "B")],
}

RIGHT = {
    "one use, one replay, and its end": [
        OPENED, operation("redeem", "refused", 0.5, 1.5, 1, "B"), operation("check", "no", 2, 3)],
    "a replay and a check at once": [
        OPENED, operation("redeem", "refused", 2, 3, 1, "B"), operation("check", "yes", 2.1, 2.9),
        operation("check", "no", 2.1, 2.9, 1)],
    "news take a moment": [OPENED, LEFT, operation("check", "yes", 3.5, 3.6, 1), operation("check", "no", 3.1, 3.2)],
    "an answer got lost, and it had opened": [
        operation("redeem", None, 0, 1), operation("redeem", "refused", 2, 3, 1, "B"),
        operation("status", "redeemed", 4, 5)],
    "an answer got lost, and it had not": [operation("redeem", None, 0, 1), replace(OPENED, began=2, ended=3)],
    "taken back or used, whichever was first": [
        operation("revoke", "late", 0, 2), replace(OPENED, began=0, ended=2), operation("status", "pending", 0, 1)],
    "a double tap": [OPENED, operation("redeem", "passed", 1.1, 1.2, 1)],
    "taken back twice": [operation("revoke", "revoked", 0, 1), operation("revoke", "revoked", 2, 3),
                         operation("redeem", "refused", 4, 5)],
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_fault_is_found(name):
    assert flaws(PLANTED[name]), name


@pytest.mark.parametrize("name", RIGHT)
def test_a_history_that_is_right_passes(name):
    assert not flaws(RIGHT[name]), name


def simulated(chances: random.Random) -> list[Operation]:
    """What a service that does one thing after another answers, seen by clients with waits before and after."""
    state, now, history = ("pending", ""), 0.0, []
    for _ in range(chances.randrange(3, 9)):
        now += 2 + chances.random()
        kind = chances.choice(["redeem", "redeem", "revoke", "status", "check", "leave"])
        asked = operation(kind, None, now - chances.random(), now + chances.random(), chances.randrange(2),
                          chances.choice("AB"))
        possible = [(answer, after) for answer in sorted(answers(kind)) if (after := step(state, asked, answer))]
        # Nobody has a session to ask about before there is one, and a tap this late is a replay.
        possible = [(answer, after) for answer, after in possible if answer != "passed"]
        if possible:
            answer, state = chances.choice(possible)
            history.append(replace(asked, answer=answer))
    return history


def answers(kind: str) -> set:
    from checker import KINDS
    return KINDS[kind]


def test_whatever_an_orderly_service_answers_passes_and_a_changed_answer_often_does_not():
    chances = random.Random(7)
    found = tried = 0
    for _ in range(400):
        history = simulated(chances)
        assert not flaws(history), history
        for index, one in enumerate(history):
            for other in sorted(answers(one.kind) - {one.answer}):
                tried += 1
                found += bool(flaws([*history[:index], replace(one, answer=other), *history[index + 1:]]))
    assert tried > 2000 and found / tried > 0.8, (found, tried)


def test_the_search_agrees_with_trying_every_order():
    from itertools import permutations
    chances = random.Random(11)
    for _ in range(300):
        history = [operation(kind, chances.choice(sorted(answers(kind))), began := chances.random(),
                             began + chances.random(), 0, chances.choice("AB"))
                   for kind in chances.choices(["redeem", "revoke", "status", "check", "leave"], k=4)]
        expected = any(explains(order) for order in permutations(history))
        assert is_possible(history) == expected, history


def explains(order) -> bool:
    if any(later.ended < earlier.began for index, earlier in enumerate(order) for later in order[index + 1:]):
        return False
    state = ("pending", "")
    for one in order:
        state = state and step(state, one, one.answer)
    return bool(state)


def test_a_code_of_the_provider_of_histories_is_good_once_and_a_wrong_verifier_leaves_it_good():
    provider = ManyAtOnce()
    try:
        asked = {"redirect_uri": ["https://www.example.com/back"], "state": ["s"], "nonce": ["n"], "user": ["somebody"],
                 "code_challenge": [signing.challenge("right")]}
        code = parse_qs(urlsplit(provider.authorize(asked)).query)["code"]
        form = {"code": code, "redirect_uri": asked["redirect_uri"]}

        def exchange(verifier: str) -> bool:
            return bool(provider.exchange({**form, "code_verifier": [verifier]}, f"Basic {CREDENTIALS}"))

        assert not exchange("wrong")
        with ThreadPoolExecutor(8) as browsers:
            assert sum(browsers.map(exchange, ["right"] * 64)) == 1
    finally:
        provider.close()


#: A judge that sees none of a kind has nothing to say of it.
DONE = {f"{kind} done" for kind in [
    "refresh", "renew", "exchange", "view", "issue", "redeem link", "hand off", "land", "confirm", "type digits",
    "answer", "poll", "come back"]}


@NEEDS_STORES
def test_two_nodes_answer_as_one_would():
    with Postgres() as postgres, Redis() as redis, ServedFleet(
            postgres.create("history"), redis.url, "--no-limits", size=2, nginx=False) as fleet:
        prepare(fleet.nodes[0])

        async def watched() -> Watch:
            # The second within which news travel is for `make history`: here nothing may hang on who shares the machine.
            watch = Watch(fleet.nodes, seed=19, at_once=6, news=10)
            await watch.links(40)
            await watch.stories(5)
            # Chance decides what is done in a story, and so does the order of the answers: what was not done by now is
            # done in a few more.
            for _ in range(20):
                if DONE <= watch.seen.kinds.keys():
                    break
                await watch.stories()
            return watch

        seen = asyncio.run(watched()).seen
        assert not seen.flaws
        assert seen.links == 40 and seen.stories >= 30 and seen.operations > 1500
        assert DONE <= seen.kinds.keys()
        assert fleet.verify()["valid"]
