"""Contract §4.3, §12: servers that share a Redis, and what they do while it is away."""

import signal
import subprocess
import time
from contextlib import contextmanager

import pytest

import instance
import oauth
import wire
from fleet import again_if_redis_was_late, unless_redis_is_late
from servers import Redis
from skips import NEEDS_REDIS

pytestmark = NEEDS_REDIS


@pytest.fixture
def redis():
    with Redis() as server:
        yield server


@contextmanager
def demos_of_a_redis_of_their_own(start_demo, count: int):
    with Redis() as redis:
        demos = [start_demo("--redis", redis.url) for _ in range(count)]
        with unless_redis_is_late(demos):
            yield redis, demos


def degraded(demo) -> bool:
    said = demo.readiness()
    assert said.status == 200, said
    return said.degraded == ["redis"]


@again_if_redis_was_late
def test_keys_hold_no_user_and_go_by_themselves(start_demo):
    with demos_of_a_redis_of_their_own(start_demo, 1) as (redis, [demo]):
        demo.sign_in("alice")
        # In one look: some keys live for three seconds.
        lines = redis.cli("EVAL", """
            local found = {}
            for number, key in ipairs(redis.call('KEYS', '*')) do found[number] = key .. ' ' .. redis.call('PTTL', key) end
            return found""", "0").splitlines()
        keys = [line.rpartition(" ")[0] for line in lines]
        assert any(key.startswith("drawbridge:t:") for key in keys)
        assert any(key.startswith("drawbridge:l:issue.subject:") for key in keys)
        assert not any("alice" in key or "127.0.0" in key for key in keys)
        assert all(int(line.rpartition(" ")[2]) > 0 for line in lines)


@again_if_redis_was_late
def test_all_that_a_service_keeps_begins_with_its_prefix(serve):
    with Redis() as redis:
        server = serve(f"cross_device: {{enabled: true}}\nredis: {{url: '{redis.url}', prefix: 'shop:'}}\n")
        with unless_redis_is_late([server]):
            assert server.redeem(server.issue()["token"]).status == 303
            assert server.send("GET", "/signin/phone", wire.NAVIGATION).status == 200
            keys = redis.cli("KEYS", "*").splitlines()
            assert {"shop:l", "shop:t", "shop:x"} <= {key[:6] for key in keys}, keys
            assert [key for key in keys if not key.startswith("shop:")] == []
            assert redis.cli("PUBSUB", "CHANNELS") == "shop:ended"


@again_if_redis_was_late
def test_limits_are_one_over_two_servers(start_demo):
    with demos_of_a_redis_of_their_own(start_demo, 2) as (_, servers):
        began = time.monotonic()
        statuses = [servers[number % 2].post_issue(sub="alice").status for number in range(8)]
        # One more comes back every 65 seconds.
        assert 5 <= statuses.count(200) <= 5 + int((time.monotonic() - began) // 65), statuses
        assert statuses.count(200) + statuses.count(429) == 8, statuses


def test_while_redis_is_away_the_database_refuses_replays(start_demo, redis):
    demo = start_demo("--redis", redis.url)
    used = demo.issue()["token"]
    assert demo.redeem(used).status == 303
    # Late once, on a machine that is busy, it is asked again.
    instance.wait_until(lambda: not degraded(demo), what="Redis to answer")

    redis.kill()
    assert demo.redeem(used, {**wire.NAVIGATION, "User-Agent": "other"}).status == 400
    instance.wait_until(lambda: degraded(demo), what="degraded")
    token = demo.issue("bob")["token"]
    assert demo.redeem(token).status == 303
    assert demo.redeem(token, {**wire.NAVIGATION, "User-Agent": "other"}).status == 400
    assert demo.metrics()['drawbridge_degraded{part="replay_guard"}'] == 1

    redis.start()

    def is_back() -> bool:
        # Whatever is answered, both parts have asked Redis.
        demo.post_issue(sub="carol")
        demo.redeem(used)
        return not degraded(demo)

    instance.wait_until(is_back, what="recovery")
    # It came back empty and lets a used token pass; the database does not.
    assert demo.redeem(token, {**wire.NAVIGATION, "User-Agent": "third"}).status in (400, 429)
    assert len(demo.audit("web_session.opened")) == 2


@pytest.mark.parametrize("outage", ["killed", "hung"])
def test_metrics_say_that_redis_is_away_and_back_without_another_request(start_demo, redis, outage):
    demo = start_demo("--redis", redis.url)
    slowest = 0.0

    def is_away() -> bool:
        nonlocal slowest
        began = time.monotonic()
        metrics = demo.metrics()
        slowest = max(slowest, time.monotonic() - began)
        return metrics['drawbridge_degraded{part="redis"}'] == 1

    instance.wait_until(lambda: not is_away(), what="Redis to answer")
    if outage == "killed":
        redis.kill()
    else:
        redis.process.send_signal(signal.SIGSTOP)
    instance.wait_until(is_away, what="word of the outage")
    # Longer than the hung connection is kept.
    ends = time.monotonic() + 4
    while time.monotonic() < ends:
        assert is_away()
        time.sleep(0.2)
    if outage == "killed":
        redis.start()
    else:
        redis.process.send_signal(signal.SIGCONT)
    instance.wait_until(lambda: not is_away(), 30, "word that Redis is back")
    assert slowest < 3, "a page waits a second at most"


@pytest.mark.parametrize("setting", ["maxmemory", "min-replicas-to-write"])
def test_a_redis_that_refuses_writes_takes_no_limit_from_guesses(start_demo, redis, setting):
    demo = start_demo("--redis", redis.url)
    user = demo.user("alice")

    def sign_in(password: str) -> int:
        browser = oauth.Browser(demo)
        page = browser.request("GET", "/sign-in")
        return browser.submit(page, username=user["username"], password=password).status

    assert sign_in(user["password"]) == 303
    # Reads are answered as before: asked alone, Redis would say that nobody guessed.
    redis.cli("CONFIG", "SET", setting, "1")
    wrong = [sign_in(f"wrong {number}") for number in range(6)]
    assert 303 not in wrong
    assert sign_in(user["password"]) == 429
    assert degraded(demo)
    redis.cli("CONFIG", "SET", setting, "0")
    instance.wait_until(lambda: not degraded(demo), what="recovery")


def test_with_the_policy_to_refuse_an_outage_consumes_nothing(serve, redis):
    server = serve(f"redis: {{url: '{redis.url}', on_failure: refuse}}")
    token = server.issue()["token"]
    redis.kill()
    answer = server.redeem(token)
    assert answer.status == 503 and answer.header("Retry-After")
    redis.start()
    instance.wait_until(lambda: server.redeem(token).status == 303, what="recovery")


def test_the_end_of_a_session_is_told_at_once(start_demo, redis):
    first = start_demo("--redis", redis.url, "--no-limits")
    listener = subprocess.Popen(
        ["redis-cli", "-p", str(redis.port), "SUBSCRIBE", "drawbridge:ended"], stdout=subprocess.PIPE, text=True)
    try:
        for _ in range(3):
            assert instance.next_line(listener), "the answer to SUBSCRIBE"
        token = first.issue()["token"]
        assert first.redeem(token).status == 303
        assert first.redeem(token, {**wire.NAVIGATION, "User-Agent": "other"}).status == 400
        news = [instance.next_line(listener) for _ in range(3)]
        assert news[:2] == ["message", "drawbridge:ended"] and news[2]
    finally:
        listener.kill()


def test_what_one_request_asks_goes_in_one_round_trip(start_demo, redis):
    demo = start_demo("--redis", redis.url)

    def seen(field: str) -> int:
        [line] = [line for line in redis.cli("INFO", "stats").splitlines() if line.startswith(f"{field}:")]
        return int(line.partition(":")[2])

    demo.post_issue(sub="warm-up")
    began, reads, commands = time.monotonic(), seen("total_reads_processed"), seen("total_commands_processed")
    for number in range(20):
        assert demo.post_issue(sub=f"user-{number}").status == 200
    reads, commands = seen("total_reads_processed") - reads, seen("total_commands_processed") - commands
    # The user's limit and the network's; the script calls Redis in turn. And what redis-cli itself read, and a PING
    # each second by whoever waits for news.
    assert commands >= 40
    assert 20 <= reads <= 26 + (time.monotonic() - began), reads


def test_a_full_redis_is_told_with_its_reason_and_no_stranger_makes_the_log_grow(serve, redis):
    server = serve(f"cross_device: {{enabled: true}}\nredis: {{url: '{redis.url}'}}\n")

    def told(part: str) -> list[dict]:
        return [line for line in server.json_lines()
                if line.get("message") in ("degraded", "no longer degraded") and line["part"] == part]

    # What was counted before the disturbance is refused, and answered, by Redis; what is new has to be written.
    for _ in range(12):
        server.send("GET", "/signin/phone", wire.NAVIGATION)
    known = len(told("rate_limits"))
    redis.cli("CONFIG", "SET", "maxmemory", "1")
    began = time.monotonic()
    for number in range(60):
        server.send("GET", "/signin/phone", wire.NAVIGATION, source=f"127.0.{number % 4}.1")

    def reasons() -> list[str]:
        server.send("GET", "/signin/phone", wire.NAVIGATION, source="127.0.1.1")
        return [line["error"] for line in told("rate_limits")[known:] if line["message"] == "degraded"]

    # Where it was late as well, a moment ago, the log has that first, and this ten seconds later.
    instance.wait_until(lambda: "Redis refused a command: OOM (its memory is full)" in reasons(), what="the reason")
    pauses = int((time.monotonic() - began) // 10)
    lines = told("rate_limits")[known:]
    assert len(lines) <= 2 * (1 + pauses), lines
    redis.cli("CONFIG", "SET", "maxmemory", "0")
    # Asked until it has tried: an answer of a moment ago is given once more.
    instance.wait_until(lambda: not degraded(server) and told("rate_limits")[-1]["message"] == "no longer degraded",
                        what="recovery, and a line that says so")


def test_check_config_online_says_why_redis_is_of_no_use(tmp_path, redis):
    password = tmp_path / "password"
    password.touch(mode=0o600)
    password.write_text("right\n")
    settings = tmp_path / "drawbridge.yaml"
    settings.write_text(f"""public_origin: http://127.0.0.1:1
data_directory: {tmp_path}/data
redis: {{url: '{redis.url}', user: web, password_file: {password}}}
""")
    redis.cli("ACL", "SETUSER", "web", "on", ">right", "~drawbridge:*", "&drawbridge:*", "+@all")

    def said() -> str:
        lines = instance.run("check-config", "--online", "--config", str(settings), check=False).stdout.decode().splitlines()
        [line] = [line for line in lines if line[6:].startswith("redis: ")]
        return line

    refused = f"FAIL  redis: 127.0.0.1:{redis.port}: Redis refused a command: "
    assert said() == "ok    redis: answers, and takes what is written"
    for words, undone, word in [
            (("ACL", "SETUSER", "web", "-eval"), ("ACL", "SETUSER", "web", "+eval"), "NOPERM"),
            (("ACL", "SETUSER", "web", "-evalsha"), ("ACL", "SETUSER", "web", "+evalsha"), "NOPERM"),
            (("ACL", "SETUSER", "web", "-set"), ("ACL", "SETUSER", "web", "+set"), "NOPERM"),
            (("CONFIG", "SET", "maxmemory", "1"), ("CONFIG", "SET", "maxmemory", "0"), "OOM"),
            (("REPLICAOF", "127.0.0.1", "1"), ("REPLICAOF", "NO", "ONE"), "READONLY")]:
        assert redis.cli(*words) == "OK"
        assert said().startswith(f"{refused}{word} ("), words
        assert redis.cli(*undone) == "OK"
    password.write_text("wrong\n")
    assert said() == f"{refused}WRONGPASS (the user or the password is wrong)"
    assert redis.cli("KEYS", "*") == ""
