"""A second `serve` beside one that runs on the embedded database: a mistake, which must cost the one that runs nothing."""

import pytest

import instance
from fleet import ServedNode


def refusal(server, *more: str) -> str:
    """What a second one says, which does not start."""
    done = instance.run("serve", "--config", str(server.settings), *more, check=False)
    assert done.returncode == 1, done
    return done.stderr.decode()


def assert_as_before(server, link: dict):
    """A link that was on its way is good, and nobody says that the database was restored."""
    assert server.redeem(link["token"]).status == 303
    assert not [event for event in instance.audit_rows(server.data) if event["type"] == "database.restored"]


@pytest.mark.parametrize("more", [[], ["--node", "second"]], ids=["one name", "another name"])
def test_a_second_server_on_the_same_ports_is_told_so_before_it_opens_the_database(serve, more):
    server = serve()
    link = server.issue()
    assert "Cannot listen on " in refusal(server, *more)
    assert instance.query(server.data, "SELECT node FROM node_lease WHERE node = 'second'") == []
    assert_as_before(server, link)


def test_a_second_server_of_the_same_name_is_offered_no_other_name(serve):
    server = serve()
    link = server.issue()
    told = refusal(server, "--listen", f"127.0.0.1:{instance.free_port()}",
                   "--management-listen", f"127.0.0.1:{instance.free_port()}")
    assert told.endswith('nother process writes this database as the node "main"; stop it first.\n'), told
    assert_as_before(server, link)


def test_a_second_server_of_another_name_ends_no_link_of_the_first(serve):
    server = serve()
    link = server.issue()
    second = ServedNode(server, "second")
    try:
        assert_as_before(server, link)
    finally:
        assert second.stop() == 0
