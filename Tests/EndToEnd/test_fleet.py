"""Several nodes, one truth: single use, the end of sessions and limits hold across nodes behind nginx."""

import asyncio
import base64
import math
import time
from collections import Counter

import pytest

import instance
import simultaneous
import wire
from fleet import Fleet, RedisWasLate, again_if_redis_was_late, unless_redis_is_late, within_a_second
from servers import Redis
from skips import NEEDS_STORES

pytestmark = NEEDS_STORES


@pytest.fixture(scope="module")
def fleet(stores):
    postgres, redis = stores
    with Fleet(postgres.create("fleet"), redis.url, "--no-limits") as fleet:
        yield fleet


@pytest.fixture
def limited(stores):
    """With the limits of the contract, on a Redis that knows of nobody yet."""
    postgres, _ = stores
    with Redis() as redis, Fleet(postgres.create(f"limited_{time.monotonic_ns()}"), redis.url, nginx=False) as fleet:
        yield fleet


def counting_alone(fleet) -> int:
    """How many nodes have counted for themselves, since Redis was slower than they wait: on a very slow machine alone."""
    return sum(any(line.get("part") == "rate_limits" for line in node.json_lines()) for node in fleet.nodes)


def refused_everywhere(fleet, cookie: str) -> bool:
    return not any(node.session(cookie)["authenticated"] for node in fleet.nodes)


def test_nodes_that_start_together_are_one_demo(fleet):
    secrets = {node.facts["trusted_issuer"]["hmac_secret"] for node in fleet.nodes}
    assert len(secrets) == 1
    assert {node.facts["issuer"] for node in fleet.nodes} == {fleet.base}
    own = {"base_url", "management_url", "pid", "admin_token"}
    # Users' passwords and clients' secrets among them.
    facts = [{key: value for key, value in node.facts.items() if key not in own} for node in fleet.nodes]
    assert facts[0] == facts[1] == facts[2]


def test_nodes_that_start_together_sign_with_the_same_keys(fleet):
    sets = [node.send("GET", "/.well-known/jwks.json").json()["keys"] for node in fleet.nodes]
    assert sets[0] and sets[0] == sets[1] == sets[2]
    first, second, _ = fleet.nodes
    credentials = base64.b64encode(f"demo-admin:{first.client('demo-admin')['client_secret']}".encode()).decode()
    answer = second.send("POST", "/oauth/introspect", {"Authorization": f"Basic {credentials}"},
                         f"token={first.facts['admin_token']}")
    assert answer.json()["active"] is True, answer.body


def test_no_request_needs_the_node_of_the_one_before(fleet):
    first, second, third = fleet.nodes
    token = first.issue("walker")
    answer = second.redeem(token["token"])
    assert answer.status == 303 and answer.header("Location") == f"{fleet.base}/contacts"
    assert third.session(answer.session_cookie)["sub"] == "walker"
    assert first.status(token["id"], "walker") == "redeemed"
    # And through nginx, where every request meets the next node.
    cookie = wire.send(fleet.base, "GET", f"/login-with-token?token={first.issue('walker')['token']}", wire.NAVIGATION)
    for _ in range(6):
        answer = wire.send(fleet.base, "GET", "/auth/check", {"Cookie": cookie.session_cookie})
        assert answer.status == 200 and answer.header("X-Auth-Subject") == "walker"


@pytest.mark.parametrize("through", ["nginx", "nodes"])
def test_1000_redemptions_at_once_over_three_nodes_open_one_session(fleet, stores, through):
    postgres, _ = stores
    token = fleet.nodes[0].issue("racer")
    ports = fleet.port if through == "nginx" else [node.port for node in fleet.nodes]
    requests = [lambda connection, number=number: connection.redeem(token["token"], f"Browser/{number}")
                for number in range(1000)]
    answers = asyncio.run(simultaneous.at_once(ports, requests))
    assert Counter(answer.status for answer in answers) == {303: 1, 400: 999}
    [cookie] = [answer.session_cookie for answer in answers if answer.session_cookie]
    [[sessions]] = postgres.query(f"SELECT count(*) FROM web_session WHERE login_token_id = '{token['id']}'", fleet.name)
    assert sessions == "1"
    kinds = Counter(row[0] for row in postgres.query(
        f"SELECT type FROM audit_event WHERE token_id = '{token['id']}'", fleet.name))
    assert kinds["login_token.redeemed"] == 1 and kinds["login_token.replayed"] >= 1
    within_a_second(lambda: refused_everywhere(fleet, cookie), "the end of the session on every node")


def test_a_replay_on_one_node_ends_the_session_on_all_within_a_second(fleet):
    first, _, third = fleet.nodes
    for _ in range(5):
        token = first.issue("replayed")["token"]
        cookie = first.redeem(token).session_cookie
        # Known to all, and in the cache of all.
        assert all(node.session(cookie)["authenticated"] for node in fleet.nodes)
        assert third.redeem(token, wire.OTHER_BROWSER).status == 400
        within_a_second(lambda: refused_everywhere(fleet, cookie), "the refusal on every node")


def test_signing_out_on_one_node_counts_on_all_within_a_second(fleet):
    first, second, _ = fleet.nodes
    cookie = first.sign_in("leaver")
    assert all(node.session(cookie)["authenticated"] for node in fleet.nodes)
    headers = {"Cookie": cookie, "Origin": fleet.base, "Sec-Fetch-Site": "same-origin"}
    assert second.send("POST", "/session/logout", headers).status == 204
    within_a_second(lambda: refused_everywhere(fleet, cookie), "the end of the session on every node")


def test_news_of_ended_sessions_need_no_redis(stores):
    postgres, redis = stores
    database = postgres.create("without_redis")
    issuer = "http://127.0.0.1:1"
    nodes = []
    try:
        for _ in range(2):
            nodes.append(instance.Demo("--database", database, "--issuer", issuer, "--no-limits"))
        token = nodes[0].issue()["token"]
        cookie = nodes[0].redeem(token).session_cookie
        assert all(node.session(cookie)["authenticated"] for node in nodes)
        assert nodes[1].redeem(token, wire.OTHER_BROWSER).status == 400
        within_a_second(lambda: not nodes[0].session(cookie)["authenticated"], "the refusal")
    finally:
        for node in nodes:
            node.stop()


def test_of_many_requests_at_once_over_three_nodes_the_burst_of_one_user_passes(limited):
    ports = [node.port for node in limited.nodes]
    bearer = limited.nodes[0].bearer("eager")
    began = time.monotonic()
    answers = asyncio.run(simultaneous.at_once(ports, [lambda connection: connection.post_issue(bearer)] * 60))
    count = Counter(answer.status for answer in answers)
    # One more comes back every 65 seconds.
    most = (5 + int((time.monotonic() - began) // 65)) * (1 + counting_alone(limited))
    assert 5 <= count[200] <= most and count[200] + count[429] == 60, count


def test_of_many_users_at_once_over_three_nodes_the_burst_of_their_network_passes(limited):
    ports = [node.port for node in limited.nodes]
    bearers = [limited.nodes[0].bearer(f"user-{number}") for number in range(150)]
    requests = [lambda connection, bearer=bearer: connection.post_issue(bearer) for bearer in bearers]
    began = time.monotonic()
    answers = asyncio.run(simultaneous.at_once(ports, requests, source="127.0.9.1"))
    count = Counter(answer.status for answer in answers)
    # One more comes back every three seconds; a slow machine takes more than that.
    most = (60 + math.ceil((time.monotonic() - began) / 3)) * (1 + counting_alone(limited))
    assert 60 <= count[200] <= most and count[200] + count[429] == 150, count
    # Another network is not concerned.
    other = asyncio.run(simultaneous.at_once(ports, requests[:1], source="127.0.10.1"))
    assert [answer.status for answer in other] == [200]


def test_every_nodes_audit_chain_verifies(fleet, stores):
    postgres, _ = stores

    def count() -> int:
        return int(postgres.query("SELECT count(*) FROM audit_event", fleet.name)[0][0])

    before = count()
    report = fleet.verify()
    assert report["valid"] and report["problems"] == []
    # How many refusals were left out is written every few seconds, so perhaps meanwhile.
    assert before <= report["events"] <= count()
    nodes = {row[0] for row in postgres.query("SELECT DISTINCT node FROM audit_event", fleet.name)}
    assert nodes == {f"demo-{node.port}" for node in fleet.nodes}


def test_a_changed_row_does_not_verify(stores):
    postgres, redis = stores
    with Fleet(postgres.create("tampered"), redis.url, size=2, nginx=False) as fleet:
        fleet.nodes[0].sign_in("alice")
        fleet.nodes[1].sign_in("bob")
        postgres.query("UPDATE audit_event SET subject = 'mallory' WHERE type = 'login_token.redeemed' AND subject = 'bob'",
                       fleet.name)
        report = fleet.verify(expected_status=1)
        assert {problem["node"] for problem in report["problems"]} == {f"demo-{fleet.nodes[1].port}"}


def test_a_name_in_use_is_refused(fleet):
    node = fleet.nodes[0]
    done = instance.run("demo", "--listen", f"127.0.0.1:{node.port}", "--management-listen", "127.0.0.1:0",
                        "--database", fleet.database, check=False)
    assert done.returncode != 0
    assert b"Another process writes this database as the node" in done.stderr, done.stderr


def test_check_config_online_notes_a_database_that_the_first_start_sets_up(stores, tmp_path):
    postgres, _ = stores
    database = postgres.create("not_set_up")
    settings = tmp_path / "drawbridge.yaml"
    settings.write_text(f"public_origin: http://127.0.0.1:1\ndata_directory: {tmp_path}/data\ndatabase: {database}\n")
    instance.run("keys", "init", "--config", str(settings))

    def said() -> str:
        done = instance.run("check-config", "--online", "--config", str(settings))
        [line] = [line for line in done.stdout.decode().splitlines() if line[6:].startswith("database: ")]
        return line

    before = said()
    assert before.startswith("note  database: ") and " is not set up by this version yet; " in before
    instance.run("migrate", "--config", str(settings))
    assert said() == "ok    database: answers"


def test_a_demo_leaves_the_database_of_a_service_alone_and_finds_its_own_again(stores):
    postgres, _ = stores
    database = postgres.create("service")
    arguments = ["demo", "--listen", "127.0.0.1:0", "--management-listen", "127.0.0.1:0", "--database", database]
    server = instance.Served(f"database: {database}\n")
    try:
        done = instance.run(*arguments, check=False)
        assert done.returncode == 1 and b"is not a demo's" in done.stderr, done.stderr
        for table in ["account", "demo_material"]:
            assert postgres.query(f"SELECT count(*) FROM {table}", "service") == [["0"]]
    finally:
        assert server.stop() == 0
    own = postgres.create("own")
    first = instance.Demo("--database", own, "--no-limits")
    assert first.stop() == 0
    second = instance.Demo("--database", own, "--no-limits")
    assert second.stop() == 0
    assert second.facts["users"] == first.facts["users"]


def test_13_an_auditor_with_the_database_alone_is_told_what_is_missing_and_verifies_with_the_public_key(stores, tmp_path):
    postgres, _ = stores
    database = postgres.create("audited")
    server = instance.Served(f"database: {database}\n")
    try:
        server.redeem(server.issue()["token"])
        public = tmp_path / "audit.pub"
        public.write_bytes(instance.run("audit", "public-key", "--config", str(server.settings)).stdout)
        for command in ["verify", "public-key"]:
            done = instance.run("audit", command, "--database", database, check=False)
            assert (done.returncode, done.stdout) == (1, b"") and b"--public-key" in done.stderr, done
            assert b"public_origin" not in done.stderr
        verify = ["audit", "verify", "--database", database, "--public-key", str(public)]
        assert instance.run(*verify, check=False).returncode == 0
        postgres.query("UPDATE audit_event SET type = 'login_token.revoked' WHERE type = 'login_token.redeemed'", "audited")
        assert instance.run(*verify, check=False).returncode == 1
    finally:
        assert server.stop() == 0


class Said:
    """A node with nothing but a log."""

    def __init__(self, *lines: dict):
        self.lines = lines

    def json_lines(self) -> list[dict]:
        return list(self.lines)


def no_answer(message: str = "degraded", error: str = "Redis: no answer in time") -> Said:
    return Said({"message": message, "part": "rate_limits", "error": error})


@pytest.mark.parametrize("node, failure, tries", [
    (no_answer(), RedisWasLate, 3), (Said(), AssertionError, 1), (no_answer("no longer degraded"), AssertionError, 1),
    (no_answer(error="Redis refused a command: OOM (its memory is full)"), AssertionError, 1)],
    ids=["late", "nothing", "back", "full"])
def test_a_failure_is_tried_again_only_where_a_node_says_that_redis_was_late(node, failure, tries):
    made = []

    @again_if_redis_was_late
    def fails():
        made.append(node)
        with unless_redis_is_late([Said(), node]):
            raise AssertionError

    with pytest.raises(failure):
        fails()
    assert len(made) == tries


def test_what_is_tried_again_may_succeed():
    nodes = [Said(), no_answer()]

    @again_if_redis_was_late
    def succeeds_on_a_node_that_says_nothing(found: str) -> str:
        node = nodes.pop()
        with unless_redis_is_late([node]):
            assert not node.json_lines()
        return found

    assert succeeds_on_a_node_that_says_nothing("found") == "found"
