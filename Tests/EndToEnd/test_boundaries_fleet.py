"""Two nodes, one truth about what has ended (contract §4.3, §16.5, §16.11), whatever stops in between."""

import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

import boundaries
import instance
import oauth
import signing
import wire
from boundaries import World, is_alive, is_signed_in
from clock import shifted_by
from link import Link
from native import Browser
from receiver import Receiver
from servers import Redis
from skips import NEEDS_STORES

pytestmark = NEEDS_STORES

#: How long an end may take to the other node. It asks twice a second; if it did not, it would believe what it has looked
#: up for thirty seconds.
SOON = 15


@pytest.fixture
def nodes(postgres):
    """Starts nodes with a Redis each can be given a way of its own to."""
    with ExitStack() as running:
        database = postgres.create(f"boundaries_{time.monotonic_ns()}")
        # The first one is where browsers come to.
        ports = [instance.free_port()]
        issuer = f"http://127.0.0.1:{ports[0]}"

        def start(redis: int, prefix: Sequence[str] = ()) -> instance.Demo:
            node = instance.Demo(
                "--no-limits", "--database", database, "--issuer", issuer, "--redis", f"redis://127.0.0.1:{redis}",
                prefix=prefix, port=ports.pop() if ports else 0)
            running.callback(node.stop)
            node.database = database.rsplit("/", 1)[1]
            return node

        yield start


@pytest.fixture
def redis():
    with Redis() as server:
        yield server


def known_to(nodes: list, count: int) -> list[str]:
    """Sessions that every node has looked up, and so remembers."""
    cookies = [nodes[0].sign_in("alice") for _ in range(count)]
    for node in nodes:
        assert all(node.session(cookie)["authenticated"] for cookie in cookies)
    return cookies


def sign_out(node, cookie: str) -> bool:
    """Whether the node said that it is done."""
    try:
        answer = node.send("POST", "/session/logout", {
            "Cookie": cookie, "Origin": node.facts["issuer"], "Sec-Fetch-Site": "same-origin"}, timeout=60)
    except OSError:
        return False
    return answer.status == 204


def still_signed_in(node, cookies: list[str]) -> list[str]:
    return [cookie for cookie in cookies if node.session(cookie)["authenticated"]]


def wait_for_ends(node, cookies: list[str]):
    """Keeps asking, as a user's browser would: a session that is looked at is one that is remembered."""
    instance.wait_until(lambda: not still_signed_in(node, cookies), SOON, "the ends to reach the other node")


# §16.11: the order of commits


def test_16_11_an_end_is_not_lost_when_its_node_stands_still_before_the_commit(nodes, postgres, redis):
    """A sign-out has arrived; then Redis dies and the node stops for longer than any look back by the clock."""
    first, second = nodes(redis.port), nodes(redis.port)
    cookies = known_to([first, second], 30)
    redis.kill()
    blocker = subprocess.Popen(
        [f"{postgres.programs}/psql", "-XqAt", "-h", "127.0.0.1", "-p", str(postgres.port), "-U", "drawbridge", "-d",
         first.database], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        print("BEGIN; LOCK TABLE web_session IN SHARE MODE; SELECT 'locked';", file=blocker.stdin, flush=True)
        assert instance.next_line(blocker) == "locked"
        with ThreadPoolExecutor(len(cookies)) as pool:
            answers = [pool.submit(sign_out, first, cookie) for cookie in cookies]
            waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
            instance.wait_until(lambda: int(postgres.query(waiting, first.database)[0][0]) > 0, 30, "a commit that waits")
            first.freeze()
            print("ROLLBACK;", file=blocker.stdin, flush=True)
            assert still_signed_in(second, cookies) == cookies
            time.sleep(6.5)  # the node stands still; nothing else tells it so
            assert still_signed_in(second, cookies) == cookies
            first.signal(signal.SIGCONT)
            done = [cookie for cookie, answer in zip(cookies, answers) if answer.result(60)]
    finally:
        blocker.kill()
    assert len(done) >= 20, f"only {len(done)} sign-outs were acknowledged"
    wait_for_ends(second, done)
    assert not still_signed_in(first, done)


@pytest.mark.parametrize("seconds", [-10, 10])
def test_16_11_an_end_at_a_node_with_a_wrong_clock_reaches_the_other(nodes, redis, seconds):
    # The first one makes the keys, which no clock that is behind would believe.
    shifts = sorted([0, seconds])
    started = {shift: nodes(redis.port, prefix=shifted_by(shift)) for shift in shifts}
    right, wrong = started[0], started[seconds]
    cookies = known_to([right], 10)
    assert still_signed_in(wrong, cookies) == cookies
    redis.kill()
    assert all(sign_out(wrong, cookie) for cookie in cookies[:5])
    assert all(sign_out(right, cookie) for cookie in cookies[5:])
    wait_for_ends(right, cookies)
    wait_for_ends(wrong, cookies)


def test_16_11_a_node_that_is_cut_off_from_redis_alone_hears_of_every_end(nodes, redis):
    with Link(redis.port) as link:
        first, second = nodes(redis.port), nodes(link.port)
        cookies = known_to([first, second], 20)
        link.cut()
        assert all(sign_out(first, cookie) for cookie in cookies[:10])
        wait_for_ends(second, cookies[:10])
        assert all(sign_out(second, cookie) for cookie in cookies[10:])
        wait_for_ends(first, cookies[10:])


def test_16_11_ends_during_a_restart_of_postgresql_reach_the_other_node(nodes, postgres, redis):
    first, second = nodes(redis.port), nodes(redis.port)
    cookies = known_to([first, second], 20)
    redis.kill()
    assert all(sign_out(first, cookie) for cookie in cookies[:10])
    postgres.crash()
    rest = list(cookies[10:])

    def is_done() -> bool:
        rest[:] = [cookie for cookie in rest if not sign_out(first, cookie)]
        return not rest

    instance.wait_until(is_done, 60, "the sign-outs")

    def is_ended() -> bool:
        answers = [second.send("GET", "/session", {"Cookie": cookie}) for cookie in cookies]
        return all(answer.status == 200 and not answer.json()["authenticated"] for answer in answers)

    instance.wait_until(is_ended, 20, "the ends to reach the other node")


# §4.3: a 503 is never a replay


@pytest.mark.parametrize("how", ["stands still", "is gone"])
def test_4_3_the_same_browser_tries_again_after_an_outage_and_is_signed_in_once(nodes, postgres, redis, how):
    node = nodes(redis.port)
    links = [node.issue("alice")["token"] for _ in range(240)]
    browsers = [Browser(node.base) for _ in links]
    refused, statuses = [], []
    outage = threading.Event()

    def visit(number: int):
        if number >= len(links) / 2:
            assert outage.wait(60)
        for _ in range(200):
            answer = browsers[number].send("GET", f"/login-with-token?token={links[number]}")
            statuses.append(answer.status)
            if answer.status != 503:
                break
            assert answer.header("Retry-After")
            time.sleep(0.2)  # a person's patience, shortened
        if answer.status != 303:
            refused.append((number, answer.status))

    with ThreadPoolExecutor(12) as pool:
        visits = [pool.submit(visit, number) for number in range(len(links))]
        instance.wait_until(lambda: len(statuses) >= 40, 30, "redemptions to be under way")
        if how == "is gone":
            postgres.stop(signal.SIGQUIT)
        else:
            postgres.freeze()
        outage.set()
        # However slow the machine: the outage lasts until somebody was turned away.
        instance.wait_until(lambda: 503 in statuses, 60, "the outage to be noticed")
        if how == "is gone":
            postgres.start()
        else:
            postgres.thaw()
        for done in visits:
            done.result(60)

    assert not refused
    assert all(is_signed_in(browser) for browser in browsers)
    twice = "SELECT login_token_id, count(*) FROM web_session GROUP BY 1 HAVING count(*) > 1"
    assert not postgres.query(twice, node.database), "a link opened two sessions"
    assert not postgres.query("SELECT 1 FROM audit_event WHERE type = 'login_token.replayed'", node.database)


# §16.5: the stolen link, on two nodes


def test_the_stolen_link_story(nodes, redis):
    """The thief is first and takes all that can be had; the owner comes second, at the other node."""
    first, second = nodes(redis.port), nodes(redis.port)
    receiver = Receiver()
    world = World(first, second, backchannel_logout_uri=receiver.uri)
    app = world.app()
    link = world.login_token(app)["token"]

    thief = Browser(first.base)
    assert thief.send("GET", f"/login-with-token?token={link}").status == 303
    granted = world.tokens(thief, world.website, "openid profile")
    pending = world.code(thief, world.website)
    assert "refresh_token" not in granted
    for client, scope in [(world.app_client, "openid"), (world.app_client, "openid offline_access device_sso"),
                          (world.website, "openid offline_access"), (world.stranger, "openid")]:
        assert boundaries.asks_to_sign_in(world.authorize(thief, client, scope)), (client["client_name"], scope)
    assert boundaries.issue(app, access_token=granted["access_token"]).status == 403
    for node in [first, second]:
        assert is_signed_in(thief, node) and is_alive(node, granted["access_token"])
    for token_type in [oauth_type for oauth_type in ("access_token", "id_token")]:
        exchanged = oauth.token(first, {
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "client_id": "demo-webview",
            "subject_token": granted[token_type],
            "subject_token_type": f"urn:ietf:params:oauth:token-type:{token_type}",
            "actor_token": app.tokens["device_secret"], "actor_token_type": boundaries.native.DEVICE_SECRET})
        assert exchanged.status in (400, 401, 403), exchanged.body

    owner = wire.send(second.base, "GET", f"/login-with-token?token={link}", wire.OTHER_BROWSER)
    noticed = time.monotonic()
    assert owner.status == 400 and not owner.session_cookie

    def is_dead(node) -> bool:
        return not is_signed_in(thief, node) and not is_alive(node, granted["access_token"])

    for node in [second, first]:
        instance.wait_until(lambda: is_dead(node), SOON, "everything that came from the link to be dead")
    print(f"dead on both nodes after {time.monotonic() - noticed:.3f} s")
    for node in [first, second]:
        assert world.redeem_code(world.website, pending, node).json()["error"] == "invalid_grant"
    instance.wait_until(lambda: receiver.tokens, SOON, "the website to hear of it")
    assert app.refresh().status == 200
    assert signing.claims_of(receiver.tokens[0])["sid"] == signing.claims_of(granted["id_token"])["sid"]
    receiver.close()
    assert len(receiver.tokens) == 1
