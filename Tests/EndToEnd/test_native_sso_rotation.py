"""Rotation of device secrets, and many at once with one secret (draft-07 §6; docs/native-sso.md says each outcome)."""

import asyncio
import json
import time
from collections import Counter
from urllib.parse import urlencode

import pytest

import instance
import native
import signing
import simultaneous
import wire
from admin import admin
from apps import outsider
from native import SETTINGS, App, Browser, session
from simultaneous import exchange_request, revocation_request, token_request

COUNT = 100


@pytest.fixture(scope="module")
def rotating():
    """An instance whose device secrets are replaced at every refresh that shows one."""
    demo = instance.Demo("--no-limits")
    changed = admin(demo, "PUT", SETTINGS, {"rotateDeviceSecrets": True})
    assert changed.status == 200, changed.text
    yield demo
    assert demo.stop() == 0


def refreshed(app: App, secret: str) -> dict:
    """The app's next tokens, with a secret shown; the refresh token goes on in any case."""
    answer = app.refresh(device_secret=secret)
    assert answer.status == 200, answer.text
    tokens = answer.json()
    app.tokens = {**app.tokens, **tokens}
    return tokens


def devices(demo, user: str = "alice", **query) -> list[dict]:
    path = f"/api/admin/users/{demo.user(user)['sub']}/device-secrets?" + urlencode(query)
    return admin(demo, "GET", path).json()["items"]


def cookie_header(answer: simultaneous.Raw) -> dict:
    pairs = [line.split(b":", 1)[1].strip().split(b";")[0].decode() for line in answer.head.split(b"\r\n")
             if line.lower().startswith(b"set-cookie:")]
    return {"Cookie": "; ".join(pairs)} if pairs else {}


def is_signed_in(demo, answer: simultaneous.Raw) -> bool:
    return wire.send(demo.base, "GET", "/session", cookie_header(answer)).json()["authenticated"]


# One after another


def test_a_refresh_that_shows_its_secret_gets_another_with_an_id_token_that_fits(rotating):
    app = App(rotating)
    first = app.sign_in()["device_secret"]
    fresh = refreshed(app, first)
    assert fresh["device_secret"] != first
    assert signing.claims_of(fresh["id_token"])["ds_hash"] == signing.half_hash(fresh["device_secret"])
    assert app.native_sso().status == 200
    assert app.cookies().status == 200


def test_the_secret_before_works_once_more_within_the_overlap(rotating):
    app = App(rotating)
    first = app.sign_in()["device_secret"]
    refreshed(app, first)
    # The answer was lost: the app still has what it had.
    once = app.cookies(actor_token=first)
    assert once.status == 200, once.text
    assert session(rotating, once)["authenticated"]
    assert app.cookies().status == 200, "and the new one is untouched by that"


def test_a_second_use_of_a_replaced_secret_ends_the_device_and_all_below_it(rotating):
    app = App(rotating)
    first = app.sign_in()["device_secret"]
    refreshed(app, first)
    view = app.cookies()
    other = App(rotating, "demo-app-b")
    other.tokens = app.native_sso().json()
    assert app.cookies(actor_token=first).status == 200
    replay = app.cookies(actor_token=first)
    assert (replay.status, replay.json()["error"]) == (400, "invalid_grant")
    # The thief and the owner cannot be told apart: nothing of the device goes on.
    assert not session(rotating, view)["authenticated"]
    assert app.cookies().json()["error"] in ("invalid_grant", "invalid_token")
    assert app.refresh(device_secret=app.tokens["device_secret"]).json()["error"] == "invalid_grant"
    assert other.refresh().json()["error"] == "invalid_grant"
    (event, *_) = admin(rotating, "GET", "/api/admin/audit-events?type=device_secret.revoked").json()["items"]
    assert (event["reason"], event["sub"]) == ("replayed", app.user["sub"])


def test_attack_an_app_that_a_device_is_not_shared_with_replaces_nobodys_secret(rotating):
    """It would get the successor, and the device would end with the next use by those who have the old one."""
    app, other = outsider(rotating)
    secret = app.tokens["device_secret"]
    other.sign_in()
    assert refreshed(other, secret)["device_secret"] != secret
    for _ in range(2):
        assert app.native_sso().status == 200, "it is not replaced"
    fresh = refreshed(app, secret)
    assert signing.claims_of(fresh["id_token"])["ds_hash"] == signing.half_hash(fresh["device_secret"])


def test_a_replaced_secret_that_a_refresh_shows_once_too_often_ends_the_device(rotating):
    app = App(rotating)
    first = app.sign_in()["device_secret"]
    refreshed(app, first)
    refreshed(app, first)
    replay = app.refresh(device_secret=first)
    assert (replay.status, replay.json()["error"]) == (400, "invalid_grant")
    assert app.cookies().status in (400, 401), "the device is over"


def test_without_an_overlap_the_first_use_of_a_replaced_secret_is_a_replay(start_demo):
    demo = start_demo("--no-limits")
    assert admin(demo, "PUT", SETTINGS, {"rotateDeviceSecrets": True, "rotationOverlapSeconds": 0}).status == 200
    app = App(demo)
    first = app.sign_in()["device_secret"]
    refreshed(app, first)
    answer = app.native_sso(actor_token=first)
    assert (answer.status, answer.json()["error"]) == (400, "invalid_grant")
    assert app.cookies().status in (400, 401), "the device is over"
    assert devices(demo) == []


def test_a_rotated_secret_in_anothers_hands_ends_nothing_of_others(rotating):
    """Replay ends that device, and no other of the same user."""
    stolen, bystander = App(rotating), App(rotating)
    first = stolen.sign_in()["device_secret"]
    bystander.sign_in()
    refreshed(stolen, first)
    assert [stolen.cookies(actor_token=first).status for _ in range(2)] == [200, 400]
    assert bystander.cookies().status == 200
    assert bystander.native_sso().status == 200


def test_a_rotation_is_in_the_audit_log_without_either_secret(rotating):
    app = App(rotating)
    first = app.sign_in()["device_secret"]
    second = refreshed(app, first)["device_secret"]
    answer = admin(rotating, "GET", "/api/admin/audit-events?type=device_secret.rotated")
    (event, *_) = answer.json()["items"]
    assert (event["sub"], event["client_id"]) == (app.user["sub"], "demo-app")
    assert first not in answer.text and second not in answer.text
    assert first not in rotating.output and second not in rotating.output


# At once


def test_100_exchanges_of_one_secret_at_once_all_succeed_with_a_session_each(demo):
    app = App(demo)
    app.sign_in()
    answers = asyncio.run(simultaneous.at_once(demo.port, [exchange_request(app)] * COUNT))
    assert Counter(answer.status for answer in answers) == {200: COUNT}
    assert len({cookie_header(answer)["Cookie"] for answer in answers}) == COUNT
    assert all(is_signed_in(demo, answer) for answer in answers)
    assert app.post("/oauth/revoke", token=app.tokens["device_secret"]).status == 200
    assert not any(is_signed_in(demo, answer) for answer in answers)


def apps_of_one_device(demo, count: int) -> list[App]:
    """Sign-ins of their own, each with its refresh token, that share one device secret."""
    browser = Browser(demo.base)
    apps = [App(demo, user="bob") for _ in range(count)]
    secret = apps[0].sign_in(browser=browser)["device_secret"]
    for app in apps[1:]:
        assert app.sign_in(browser=browser, device_secret=secret)["device_secret"] == secret
    return apps


def test_of_100_rotations_at_once_one_wins_one_is_the_overlaps_and_the_third_ends_the_device(rotating):
    apps = apps_of_one_device(rotating, COUNT)
    secret = apps[0].tokens["device_secret"]
    answers = asyncio.run(simultaneous.at_once(rotating.port, [
        token_request(grant_type="refresh_token", client_id="demo-app", device_secret=secret,
                      refresh_token=app.tokens["refresh_token"]) for app in apps]))
    statuses = Counter(answer.status for answer in answers)
    assert statuses[200] == 2 and statuses == {200: 2, 400: COUNT - 2}
    assert {answer.json()["error"] for answer in answers if answer.status == 400} == {"invalid_grant"}
    sessions = {signing.claims_of(app.tokens["id_token"])["sid"] for app in apps}
    events = admin(rotating, "GET", "/api/admin/audit-events?type=device_secret.rotated&limit=500").json()["items"]
    assert len([event for event in events if event["sid"] in sessions]) == 2, "the winner, and the one of the overlap"
    # Whatever came out of it: nothing below that device goes on, and no other device has come in its place.
    assert devices(rotating, "bob") == []
    (device,) = devices(rotating, "bob", include_revoked="true")
    assert device["revoke_reason"] == "replayed"
    for app, answer in zip(apps, answers):
        if answer.status == 200:
            app.tokens = answer.json()
            assert app.cookies().status == 400 and app.native_sso().status == 400
        assert app.refresh().json()["error"] == "invalid_grant"


def test_a_refresh_that_is_sent_twice_at_once_gives_two_answers_that_both_work(rotating):
    """An app that repeats a request is no thief: the refresh token's grace and the secret's overlap are for it."""
    app = App(rotating)
    secret = app.sign_in()["device_secret"]
    answers = asyncio.run(simultaneous.at_once(rotating.port, [
        token_request(grant_type="refresh_token", client_id="demo-app", device_secret=secret,
                      refresh_token=app.tokens["refresh_token"])] * 2))
    assert Counter(answer.status for answer in answers) == {200: 2}
    for answer in answers:
        app.tokens = answer.json()
        assert app.cookies().status == 200, "both answers hold a secret that works"


@pytest.mark.parametrize("round", range(10))
def test_an_exchange_against_a_revocation_leaves_nothing_alive(demo, round):
    app = App(demo)
    app.sign_in()
    exchanges = [exchange_request(app), exchange_request(app), exchange_request(app)]
    requests = [*exchanges[:round % 4], revocation_request(app), *exchanges[round % 4:]]
    answers = asyncio.run(simultaneous.at_once(demo.port, requests))
    revoked = answers.pop(round % 4)
    assert revoked.status == 200
    for answer in answers:
        assert answer.status in (200, 400), answer
        if answer.status == 400:
            assert answer.json()["error"] in ("invalid_grant", "invalid_token")
        # Opened before the end, or not at all; every node, this one too, knows of an end within a second.
        if is_signed_in(demo, answer):
            time.sleep(1)
            assert not is_signed_in(demo, answer), "the session ends with its device"


def test_an_exchange_between_apps_against_a_revocation_leaves_no_refresh_token(demo):
    for order in (0, 1):
        app = App(demo)
        app.sign_in()
        exchange = token_request(
            grant_type=native.EXCHANGE, client_id="demo-app-b", subject_token=app.tokens["id_token"],
            subject_token_type=native.ID_TOKEN, actor_token=app.tokens["device_secret"],
            actor_token_type=native.DEVICE_SECRET)
        answers = asyncio.run(simultaneous.at_once(
            demo.port, [exchange, revocation_request(app)][::1 if order else -1]))
        exchanged = answers[0 if order else 1]
        if exchanged.status == 200:
            second = App(demo, "demo-app-b")
            second.tokens = exchanged.json()
            assert second.refresh().json()["error"] == "invalid_grant"
        else:
            assert json.loads(exchanged.body)["error"] == "invalid_grant"
