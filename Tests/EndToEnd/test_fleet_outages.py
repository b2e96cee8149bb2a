"""Three nodes while Redis and PostgreSQL are taken away and given back: nothing twice, nothing lost, clear answers."""

import signal
import time
from contextlib import ExitStack

import pytest

import instance
import traffic
import wire
from fleet import Fleet, ServedNode, within_a_second
from servers import Redis, Sentinel
from skips import NEEDS_STORES
from traffic import Traffic

pytestmark = NEEDS_STORES


@pytest.fixture(scope="module")
def redis():
    with Redis() as server:
        yield server


@pytest.fixture(scope="module")
def fleet(postgres, redis):
    with Fleet(postgres.create("fleet"), redis.url, "--no-limits", nginx=False) as fleet:
        yield fleet
        report = fleet.verify()
        assert report["valid"], report["problems"]


def readiness(node) -> tuple[int, list[str]]:
    """The status, and what the node does without."""
    said = node.readiness()
    return said.status, said.degraded


def settle(fleet):
    """Until every node answers from all its stores again."""
    def is_settled() -> bool:
        for node in fleet.nodes:
            # A node asks for a lost database again after a second at most, and refuses until then.
            issued = node.post_issue(sub="settler")
            if issued.status == 503:
                return False
            redeemed = node.redeem(issued.json()["token"])
            if redeemed.status == 503:
                return False
            assert redeemed.status == 303, redeemed.body
        return all(readiness(node) == (200, []) for node in fleet.nodes)

    instance.wait_until(is_settled, 60, "recovery by itself")


def go_on(told, count: int = 30, within: float = 60):
    """Until so many more redemptions were acknowledged."""
    def acknowledged() -> int:
        return sum(1 for cookies in list(told.redeemed.values()) if cookies)

    wanted = acknowledged() + count
    instance.wait_until(lambda: acknowledged() >= wanted, within, "more redemptions")


# Redis: a hint and a counter, never the judge


def test_redis_is_killed_and_comes_back_empty(fleet, postgres, redis):
    with Traffic(fleet.nodes) as told:
        go_on(told)
        redis.kill()
        go_on(told)
        assert [readiness(node) for node in fleet.nodes] == [(200, ["redis"])] * 3
        redis.start()
        go_on(told)
    traffic.check(told, postgres, fleet.name)
    assert 503 not in told.statuses
    settle(fleet)


def test_redis_forgets_everything_between_two_uses(fleet, postgres, redis):
    with Traffic(fleet.nodes) as told:
        for _ in range(20):
            redis.cli("FLUSHALL")
            go_on(told, 2)
    traffic.check(told, postgres, fleet.name)
    assert set(told.statuses) <= {200, 303, 400}


def test_while_redis_pauses_nobody_is_refused_and_nothing_is_lost(fleet, postgres, redis):
    with Traffic(fleet.nodes) as told:
        go_on(told)
        redis.cli("CLIENT", "PAUSE", "3000", "ALL")
        go_on(told)
        # Nobody is answered before the pause is over.
        assert redis.cli("PING") == "PONG"
        go_on(told)
    traffic.check(told, postgres, fleet.name)
    assert 503 not in told.statuses
    settle(fleet)


def test_redis_takes_no_writes(fleet, postgres, redis):
    with Traffic(fleet.nodes) as told:
        go_on(told)
        redis.cli("CONFIG", "SET", "maxmemory", "1")
        go_on(told)
        redis.cli("CONFIG", "SET", "maxmemory", "0")
        go_on(told)
    traffic.check(told, postgres, fleet.name)
    assert 503 not in told.statuses
    settle(fleet)


@pytest.mark.parametrize("outage", ["killed", "full"])
def test_nodes_that_nobody_needs_notice_that_redis_is_back(fleet, redis, outage):
    settle(fleet)
    if outage == "killed":
        redis.kill()
    else:
        redis.cli("CONFIG", "SET", "maxmemory", "1")
    for node in fleet.nodes:
        assert node.redeem(node.issue()["token"]).status == 303
    # A Redis that is full answers a ping, but not what it is needed for.
    instance.wait_until(lambda: all(readiness(node) == (200, ["redis"]) for node in fleet.nodes), 30, "word of the outage")
    if outage == "killed":
        redis.start()
    else:
        redis.cli("CONFIG", "SET", "maxmemory", "0")
    instance.wait_until(lambda: all(readiness(node) == (200, []) for node in fleet.nodes), 30, "word that Redis is back")
    for node in fleet.nodes:
        assert node.metrics()['drawbridge_degraded{part="replay_guard"}'] == 0


# PostgreSQL: the judge; without it nothing is decided


@pytest.mark.parametrize("how", ["restart", "crash"])
def test_a_restart_of_postgresql_is_noticed_and_loses_nothing_that_was_acknowledged(fleet, postgres, how):
    with Traffic(fleet.nodes) as told:
        go_on(told)
        getattr(postgres, how)()
        traffic.wait_for_rest(told)
        go_on(told)
    assert told.statuses[503], "the outage was not noticed"
    traffic.check(told, postgres, fleet.name)
    settle(fleet)


def test_while_postgresql_is_away_nodes_refuse_at_once_and_go_on_when_it_is_back(fleet, postgres):
    first, second, third = fleet.nodes
    used = first.issue("patient")["token"]
    cookie = first.redeem(used).session_cookie
    fresh = first.issue("patient")["token"]
    postgres.stop(signal.SIGQUIT)
    try:
        began = time.monotonic()
        for node in fleet.nodes:
            for answer in [node.redeem(fresh), node.post_issue(sub="patient"), node.redeem(used, wire.OTHER_BROWSER)]:
                assert answer.status == 503 and int(answer.header("Retry-After")) > 0, (answer.status, answer.body)
                assert not answer.session_cookie
            for name in ("openid-configuration", "oauth-authorization-server"):
                assert node.send("GET", f"/.well-known/{name}").status == 200, "where everything is"
        assert time.monotonic() - began < 15, "refused at once, not waited for"
        for node in fleet.nodes:
            node.wait_until_unready()
    finally:
        postgres.start()
    settle(fleet)
    # What was refused was not used up, and what was used stays used.
    assert second.send("GET", "/session", {"Cookie": cookie}).json()["authenticated"]
    assert second.redeem(fresh).status == 303
    assert third.redeem(used, wire.OTHER_BROWSER).status == 400


def test_a_node_that_gets_no_connection_to_read_by_is_not_ready_until_it_gets_one(postgres):
    """The one that writes goes on, as where no slot is left, or where new connections lead to a standby."""
    name = "no_readers"
    node = instance.Demo("--database", postgres.create(name), "--no-limits")
    try:
        cookie = node.sign_in("alice")
        assert node.readiness().status == 200
        postgres.query(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        postgres.query(f"SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity "
                       f"WHERE datname = '{name}' AND application_name = 'drawbridge reader'")
        node.wait_until_unready(15)
        assert node.readiness().checks["storage"] == "failed"
        assert node.metrics()['drawbridge_ready{check="storage"}'] == 0
        within_a_second(lambda: node.send("GET", "/auth/check", {"Cookie": cookie}).status == 503, "no answer from memory")
        postgres.query(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
        node.wait_until_ready(15)
        assert node.send("GET", "/auth/check", {"Cookie": cookie}).status == 200
    finally:
        node.stop()


def test_connections_are_cut_in_the_middle_of_transactions(fleet, postgres):
    cut = """
        SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE datname = 'fleet' AND pid <> pg_backend_pid() AND application_name LIKE 'drawbridge%' AND backend_xid IS NOT NULL
        """
    hits = 0
    with Traffic(fleet.nodes) as told:
        go_on(told)
        deadline = time.monotonic() + 60
        while hits < 20 and time.monotonic() < deadline:
            hits += int(postgres.query(cut)[0][0])
        traffic.wait_for_rest(told)
        go_on(told)
    assert hits >= 5, f"only {hits} transactions were cut"
    traffic.check(told, postgres, fleet.name)
    settle(fleet)


def test_a_node_is_killed_and_replaced(postgres, redis):
    """Its port, and so its name and its chain, are taken over by the next process."""
    with Fleet(postgres.create("killed"), redis.url, "--no-limits", nginx=False) as fleet:
        cookies = [node.sign_in("alice") for node in fleet.nodes]
        victim = fleet.nodes[1]
        used = victim.issue()["token"]
        assert victim.redeem(used).status == 303
        victim.kill()
        successor = instance.Demo("--database", fleet.database, "--redis", redis.url, "--issuer", fleet.base,
                                  "--no-limits", port=victim.port)
        try:
            assert all(successor.session(cookie)["authenticated"] for cookie in cookies)
            assert successor.redeem(used, wire.OTHER_BROWSER).status == 400
        finally:
            successor.stop()
        assert fleet.verify()["valid"]


# A failover that loses the last writes; and the policy to have two guards or none


@pytest.fixture(scope="module")
def sentinel_setup():
    with ExitStack() as running:
        primary = running.enter_context(Redis())
        replica = running.enter_context(Redis("--replicaof", "127.0.0.1", str(primary.port)))
        instance.wait_until(lambda: "master_link_status:up" in replica.cli("INFO", "replication"), 15, "replication")
        yield primary, replica, running.enter_context(Sentinel(primary, replica))


def test_sentinel_fails_over_with_the_last_writes_lost(sentinel_setup, postgres, tmp_path):
    primary, replica, sentinel = sentinel_setup
    password = tmp_path / "sentinel-password"
    password.touch(mode=0o600)
    password.write_text(sentinel.password + "\n")
    redis = (f"redis: {{url: 'redis://127.0.0.1:{sentinel.port}', topology: sentinel, sentinel_master: {sentinel.name}, "
             f"sentinel_password_file: {password}}}")
    database = postgres.create("failover")
    with ExitStack() as running:
        first = instance.Served(f"database: {database}\nnode: a\nlimits: {{enabled: false}}\n{redis}\n")
        running.callback(first.stop)
        nodes = [first]
        for name in "bc":
            nodes.append(ServedNode(first, name))
            running.callback(nodes[-1].stop)
        before = first.issue()["token"]
        assert first.redeem(before).status == 303
        with Traffic(nodes) as told:
            go_on(told)
            # From here on the replica hears nothing: what is written is lost with the primary.
            primary.cli("ACL", "SETUSER", "default", "-psync", "-sync")
            primary.cli("CLIENT", "KILL", "TYPE", "replica")
            lost = first.issue()["token"]
            assert first.redeem(lost).status == 303
            go_on(told)
            kept = set(replica.cli("KEYS", "drawbridge:t:*").split())
            assert set(primary.cli("KEYS", "drawbridge:t:*").split()) - kept, "nothing would be lost"
            primary.kill()
            assert nodes[1].redeem(lost, wire.OTHER_BROWSER).status == 400
            # A sentinel that was itself held up for two seconds waits for thirty before it trusts its clock again.
            instance.wait_until(lambda: sentinel.primary_port() == replica.port, 60, "the failover")
            go_on(told)
            assert nodes[2].redeem(lost, {**wire.NAVIGATION, "User-Agent": "third"}).status == 400
        traffic.check(told, postgres, "failover")
        assert 503 not in told.statuses
        # By name, since those of before run out meanwhile.
        known = set(replica.cli("KEYS", "*").split())

        def is_found() -> bool:
            nodes[0].redeem(nodes[1].issue()["token"])
            return bool(set(replica.cli("KEYS", "*").split()) - known) and readiness(nodes[0]) == (200, [])

        instance.wait_until(is_found, 30, "the new primary")
        instance.run("audit", "verify", "--config", str(first.settings))


def test_with_the_policy_to_refuse_no_node_decides_alone(redis, postgres):
    database = postgres.create("refuse")
    settings = f"database: {database}\nnode: a\nlimits: {{enabled: false}}\n"
    with ExitStack() as running:
        first = instance.Served(settings + f"redis: {{url: '{redis.url}', on_failure: refuse}}\n")
        running.callback(first.stop)
        nodes = [first]
        for name in "bc":
            nodes.append(ServedNode(first, name))
            running.callback(nodes[-1].stop)
        token = first.issue()["token"]
        with Traffic(nodes) as told:
            go_on(told)
            redis.kill()
            for node in nodes:
                answer = node.redeem(token)
                assert answer.status == 503 and answer.header("Retry-After")
            redis.start()
            traffic.wait_for_rest(told)
            # Before its minute is over.
            instance.wait_until(lambda: nodes[2].redeem(token).status == 303, 30, "the token that was never used up")
            go_on(told)
        traffic.check(told, postgres, "refuse")
        assert told.statuses[503]
        instance.run("audit", "verify", "--config", str(first.settings))
