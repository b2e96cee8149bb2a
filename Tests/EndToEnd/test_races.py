"""One token, many at once: the durable store decides, and decides once."""

import asyncio
import json
from collections import Counter

import pytest

import instance
import signing
import simultaneous
import wire
from clock import shifted_by


def sessions_of(demo, token: dict) -> int:
    [(count,)] = demo.query("SELECT count(*) FROM web_session WHERE login_token_id = $1", token["id"])
    return count


def redeem_with(token: dict, user_agent):
    return lambda connection: connection.redeem(token["token"], user_agent)


def test_1000_at_once_from_one_browser_open_one_session(demo):
    token = demo.issue("racer")
    answers = asyncio.run(simultaneous.at_once(demo.port, [redeem_with(token, wire.FIREFOX)] * 1000))
    opened = [answer.session_cookie for answer in answers if answer.session_cookie]
    assert len(opened) == 1, Counter(answer.status for answer in answers)
    assert sessions_of(demo, token) == 1
    # Same address and user agent within three seconds: a double tap, sent on without cookies (contract §4.3).
    assert {answer.status for answer in answers} <= {303, 400}
    assert len(demo.audit("login_token.redeemed", token_id=token["id"])) == 1
    assert len(demo.audit("web_session.opened", token_id=token["id"])) <= 1


def test_1000_at_once_from_many_browsers_open_one_session_which_the_replay_ends(demo):
    token = demo.issue("racer")
    requests = [redeem_with(token, f"Browser/{number}") for number in range(1000)]
    answers = asyncio.run(simultaneous.at_once(demo.port, requests))
    opened = [answer.session_cookie for answer in answers if answer.session_cookie]
    assert len(opened) == 1
    assert Counter(answer.status for answer in answers) == {303: 1, 400: 999}
    assert sessions_of(demo, token) == 1
    assert demo.session(opened[0]) == {"authenticated": False}
    assert demo.audit("login_token.replayed", token_id=token["id"])


@pytest.mark.parametrize("round", range(30))
def test_revoke_against_redeem_has_one_winner(demo, round):
    token = demo.issue("racer")
    headers = demo.authorization("racer")

    async def revoke(connection):
        return await connection.request("DELETE", f"/api/auth/sso-tokens/{token['id']}", headers)

    requests = [revoke, redeem_with(token, wire.FIREFOX)]
    answers = asyncio.run(simultaneous.at_once(demo.port, requests if round % 2 else requests[::-1]))
    revoked, redeemed = answers if round % 2 else answers[::-1]
    outcome = (revoked.status, redeemed.status, bool(redeemed.session_cookie))
    assert outcome in {(204, 400, False), (409, 303, True)}, outcome
    assert sessions_of(demo, token) == (1 if redeemed.session_cookie else 0)
    assert demo.status(token["id"], "racer") == ("revoked" if revoked.status == 204 else "redeemed")


def test_one_idempotency_key_at_once_makes_one_token(demo):
    headers = {**demo.authorization("racer"), "Idempotency-Key": "race-1"}

    async def issue(connection):
        return await connection.request("POST", "/api/auth/create-sso-token", headers)

    before = len(demo.audit("login_token.issued"))
    answers = asyncio.run(simultaneous.at_once(demo.port, [issue] * 50))
    assert {answer.status for answer in answers} == {200}
    assert len({json.loads(answer.body)["token"] for answer in answers}) == 1
    assert len(demo.audit("login_token.issued")) == before + 1


def test_wrong_verifiers_at_once_never_pass_the_limit_of_five(demo):
    verifier = "v" * 50
    token = demo.issue("racer", code_challenge=signing.challenge(verifier), code_challenge_method="S256")

    def attempt(number):
        target = f"/login-with-token?token={token['token']}&code_verifier={number:043d}"
        return lambda connection: connection.request("GET", target, wire.NAVIGATION)

    answers = asyncio.run(simultaneous.at_once(demo.port, [attempt(number) for number in range(20)]))
    assert {answer.status for answer in answers} == {400}
    assert demo.redeem(token["token"], code_verifier=verifier).status == 400, "burnt by the fifth"


def test_writes_at_once_wait_for_each_other_by_a_clock_that_nobody_sets():
    """The kernel's time of day is five minutes behind the process's, as after a clock was set back in the middle of a wait."""
    def issue(bearer: str):
        return lambda connection: connection.post_issue(bearer)

    demo = instance.Demo("--no-limits", prefix=shifted_by(300))
    try:
        for _ in range(5):
            issues = [issue(demo.bearer(f"racer-{number}")) for number in range(30)]
            # A client gives up after half a minute.
            answers = asyncio.run(simultaneous.at_once(demo.port, issues))
            assert {answer.status for answer in answers} == {200}
    finally:
        demo.kill()
