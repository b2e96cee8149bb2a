"""PostgreSQL's standby has taken over, and the old primary runs again: nobody may be let in by what that one still says."""

import signal
from contextlib import ExitStack

import pytest

import instance
from fleet import within_a_second
from servers import PgBouncer, Postgres, Standby
from skips import NEEDS_POSTGRES

pytestmark = NEEDS_POSTGRES


#: The status of `/readyz`, and what it says of the database.
READY, UNREADY = (200, "ok"), (503, "failed")


def wait_for_all(nodes, wanted: tuple[int, str], what: str):
    def is_as_wanted(node) -> bool:
        said = node.readiness()
        return (said.status, said.checks["storage"]) == wanted

    instance.wait_until(lambda: all(is_as_wanted(node) for node in nodes), 30, what)


def asked(node, cookie: str) -> int:
    return node.send("GET", "/auth/check", {"Cookie": cookie}).status


def sign_out(node, cookie: str) -> int:
    headers = {"Cookie": cookie, "Origin": node.base, "Sec-Fetch-Site": "same-origin"}
    return node.send("POST", "/session/logout", headers).status


READERS = "SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE application_name = 'drawbridge reader'"


class Fallen:
    """Two nodes on a server and its standby, which has taken over; alice is signed in."""

    def __init__(self, running: ExitStack):
        self.old = running.enter_context(Postgres())
        database = self.old.create("two_primaries")
        self.new = running.enter_context(Standby(self.old))
        both = database.replace(f":{self.old.port}/", f":{self.old.port},127.0.0.1:{self.new.port}/")
        one = instance.Demo("--database", both, "--no-limits")
        running.callback(one.stop)
        two = instance.Demo("--database", both, "--no-limits", "--issuer", one.base)
        running.callback(two.stop)
        self.nodes = [one, two]
        self.cookie = one.sign_in("alice")
        self.new.catch_up()
        self.old.stop(signal.SIGQUIT)
        self.new.promote()
        wait_for_all(self.nodes, READY, "the failover")
        assert [asked(node, self.cookie) for node in self.nodes] == [200, 200]


@pytest.fixture
def fallen():
    with ExitStack() as running:
        yield Fallen(running)


def test_no_node_reads_an_old_primary_that_runs_again(fallen):
    fallen.old.start()
    # It takes writes, and comes first in the address.
    assert int(fallen.new.query(READERS)[0][0]) > 0
    wait_for_all(fallen.nodes, UNREADY, "the readiness to say no")
    within_a_second(lambda: [asked(node, fallen.cookie) for node in fallen.nodes] == [503, 503], "no answer from memory")
    # What the proxy sends all the same is not answered by what is known there.
    assert sign_out(fallen.nodes[0], fallen.cookie) == 503
    for node in fallen.nodes:
        instance.wait_until(lambda: "does an old primary run?" in node.output, 30, "the log's word of it")
    fallen.old.stop(signal.SIGQUIT)
    wait_for_all(fallen.nodes, READY, "one server for all connections")
    assert sign_out(fallen.nodes[0], fallen.cookie) == 204
    within_a_second(lambda: [asked(node, fallen.cookie) for node in fallen.nodes] == [401, 401], "the sign-out")


def test_no_node_goes_back_to_write_to_an_old_primary(fallen):
    fallen.old.start()
    count = "SELECT count(*) FROM audit_event"
    before = fallen.old.query(count, "two_primaries")
    cut = READERS.replace("= 'drawbridge reader'", "LIKE 'drawbridge %'")
    assert int(fallen.new.query(cut)[0][0]) > 0
    wait_for_all(fallen.nodes, UNREADY, "the readiness to say no")
    assert [node.post_issue().status for node in fallen.nodes] == [503, 503]
    assert fallen.old.query(count, "two_primaries") == before
    fallen.old.stop(signal.SIGQUIT)
    wait_for_all(fallen.nodes, READY, "the new primary")
    assert [node.post_issue().status for node in fallen.nodes] == [200, 200]


def test_a_second_standby_that_took_over_as_well_is_told_from_the_one_that_is_written_to():
    """By what servers say of themselves the two are one."""
    with ExitStack() as running:
        old = running.enter_context(Postgres())
        database = old.create("two_successors")
        second, first = running.enter_context(Standby(old)), running.enter_context(Standby(old))
        hosts = ",".join(f"127.0.0.1:{server.port}" for server in [old, second, first])
        node = instance.Demo("--database", database.replace(f"127.0.0.1:{old.port}", hosts), "--no-limits")
        running.callback(node.stop)
        cookie = node.sign_in("alice")
        for standby in [second, first]:
            standby.catch_up()
        second.promote()
        second.stop(signal.SIGINT)
        old.stop(signal.SIGQUIT)
        first.promote()
        wait_for_all([node], READY, "the failover")
        assert asked(node, cookie) == 200
        second.start()
        assert int(first.query(READERS)[0][0]) > 0
        wait_for_all([node], UNREADY, "the readiness to say no")
        within_a_second(lambda: asked(node, cookie) == 503, "no answer from memory")
        assert sign_out(node, cookie) == 503
        second.stop(signal.SIGQUIT)
        wait_for_all([node], READY, "one server for all connections")
        assert sign_out(node, cookie) == 204
        within_a_second(lambda: asked(node, cookie) == 401, "the sign-out")


def test_a_pooler_that_leads_back_to_the_old_primary_is_noticed():
    with ExitStack() as running:
        old = running.enter_context(Postgres())
        old.create("pooled_back")
        new = running.enter_context(Standby(old))
        pooler = running.enter_context(PgBouncer(old))
        node = instance.Demo("--database", pooler.url("pooled_back"), "--no-limits")
        running.callback(node.stop)
        cookie = node.sign_in("alice")
        new.catch_up()
        new.promote()
        pooler.lead_to(new)
        # A pooler lets go of its connections one after the other.
        others = "SELECT count(*) FROM pg_stat_activity WHERE datname = 'pooled_back' AND pid <> pg_backend_pid()"
        instance.wait_until(lambda: old.query(others) == [["0"]], 20, "the way to the new one")
        wait_for_all([node], READY, "the failover")
        assert asked(node, cookie) == 200
        pooler.lead_to(old)
        instance.wait_until(lambda: new.query(others) == [["0"]], 20, "the way back")
        wait_for_all([node], UNREADY, "the readiness to say no")
        instance.wait_until(lambda: asked(node, cookie) == 503, 30, "each of the connections that read")
        pooler.lead_to(new)
        wait_for_all([node], READY, "the new primary")
        assert asked(node, cookie) == 200
