"""Three nodes behind nginx over one PostgreSQL and one Redis, all real and all on loopback.

Tests use the classes; `python3 Tests/EndToEnd/fleet.py` starts the same for looking around, until Ctrl-C.
"""

import argparse
import functools
import json
import signal
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager

import clock
import instance
from servers import Nginx, Postgres, Redis

NGINX = """
    upstream drawbridge {{
        # In turn, so that neighbouring requests meet different nodes: no sticky sessions. A node that was away for a moment
        # is asked again at once: left out for ten seconds each, as nginx would have it, three in turn are all left out.
{servers}
        keepalive 64;
    }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            access_log off;
            proxy_pass http://drawbridge;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_set_header Host $host;
            proxy_set_header X-Forwarded-For $remote_addr;
        }}
    }}
"""


class Fleet:
    """Nodes of `drawbridge demo`, started at the same time on an empty database."""

    #: What starts one.
    node = instance.Demo

    def __init__(self, database: str, redis: str, *flags: str, size: int = 3, nginx: bool = True,
                 first: tuple[str, str] | None = None, clocks: Sequence[int] = (), program: str | None = None):
        """`first` is where the first node finds database and Redis, when that is another way; `clocks` says by how many
        seconds each node's is ahead; `program` is what they run instead of the one of today."""
        self.running = ExitStack()
        self.database = database
        port = instance.free_port()
        self.base = f"http://127.0.0.1:{port}"
        ways = [first or (database, redis), *[(database, redis)] * (size - 1)]
        self.flags = [("--database", way[0], "--redis", way[1], "--issuer", self.base, *flags) for way in ways]
        self.prefixes = [clock.shifted_by(seconds) if seconds else [] for seconds in [*clocks, *[0] * size][:size]]
        try:
            with ThreadPoolExecutor(size) as pool:
                started = [pool.submit(self.node, *self.flags[number], prefix=self.prefixes[number], program=program)
                           for number in range(size)]
            self.nodes = []
            for future in started:
                node = future.result()
                self.running.callback(node.stop)
                self.nodes.append(node)
            if nginx:
                servers = "\n".join(f"        server 127.0.0.1:{node.port} max_fails=0;" for node in self.nodes)
                self.nginx = self.running.enter_context(Nginx(NGINX.format(servers=servers, port=port), port))
        except BaseException:
            self.running.close()
            raise
        self.port = port

    def restart(self, number: int) -> instance.Demo:
        """Starts a node that has ended again, in its folder and at its address, with the program of today."""
        old = self.nodes[number]
        node = self.node(*self.flags[number], data=old.data, port=old.port, prefix=self.prefixes[number])
        self.running.callback(node.stop)
        self.nodes[number] = node
        return node

    @property
    def name(self) -> str:
        """The database's name on its server."""
        return self.database.rsplit("/", 1)[1]

    def verify(self, expected_status: int = 0, timeout: float = 60) -> dict:
        """The report on every node's audit chain; millions of events take minutes."""
        done = instance.run("audit", "verify", "--database", self.database, check=False, timeout=timeout)
        assert done.returncode == expected_status, done
        return json.loads(done.stdout)

    def close(self):
        self.running.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def within_a_second(condition, what: str, since: float | None = None):
    """Every node knows within a second (contract §7): of what is asked later than that, nothing may say otherwise. How
    long the answers take on a machine that is busy is another matter."""
    since = time.monotonic() if since is None else since
    while True:
        asked = time.monotonic() - since
        if condition():
            return
        assert asked < 1, f"{what}: not even {asked:.3f} s later"
        time.sleep(0.02)


#: What a node says of a Redis that does not answer within the quarter of a second that it waits. One that answers, and
#: refuses, is not late.
LATE = {f"Redis: {why}" for why in [
    "no answer in time", "answers whose time has passed are still owed", "the connection was closed",
    "there is no connection; nobody answers there"]}


def redis_was_late(nodes: Sequence[instance.Process]) -> bool:
    return any(line.get("message") == "degraded" and line.get("error") in LATE for node in nodes for line in node.json_lines())


class RedisWasLate(Exception):
    """A test failed on nodes that said so: they counted each for themselves, or had no answer, as they have to."""


@contextmanager
def unless_redis_is_late(nodes: Sequence[instance.Process]):
    """What fails here failed for a known reason where one of the nodes said that Redis was late. Only for what does not
    disturb Redis itself."""
    try:
        yield
    except Exception as failure:
        if redis_was_late(nodes):
            raise RedisWasLate from failure
        raise


def again_if_redis_was_late(test):
    """Runs a test once more, three times at most, where Redis was late on a machine that is busy. The test makes its
    nodes and its Redis itself, so that they are new each time."""
    @functools.wraps(test)
    def repeated(*arguments, **fixtures):
        for _ in range(2):
            try:
                return test(*arguments, **fixtures)
            except RedisWasLate:
                print("Redis was late: once more")
        return test(*arguments, **fixtures)

    return repeated


@contextmanager
def fleet_of_its_own(postgres: Postgres, *flags: str, **more):
    """With the limits of the contract, on a Redis that knows of nobody yet."""
    with (Redis() as redis, Fleet(postgres.create(f"own_{time.monotonic_ns()}"), redis.url, *flags, **more) as fleet,
          unless_redis_is_late(fleet.nodes)):
        yield fleet


class ServedNode(instance.Served):
    """One more node on the settings file of a first."""

    def __init__(self, first: instance.Served, name: str, prefix: Sequence[str] = ()):
        self.settings, self.data, self.hmac_key = first.settings, first.data, first.hmac_key
        self.port, management_port = instance.free_port(), instance.free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.management = f"http://127.0.0.1:{management_port}"
        command = [*prefix, instance.binary(), "serve", "--config", str(self.settings), "--node", name,
                   "--listen", f"127.0.0.1:{self.port}", "--management-listen", f"127.0.0.1:{management_port}"]
        instance.Process.__init__(self, command, first.directory)
        self.wait_until_ready()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=3)
    parser.add_argument("--no-limits", action="store_true")
    arguments = parser.parse_args()
    ended = threading.Event()
    for number in [signal.SIGINT, signal.SIGTERM]:
        signal.signal(number, lambda *_: ended.set())
    with Postgres() as postgres, Redis() as redis:
        flags = ["--no-limits"] if arguments.no_limits else []
        with Fleet(postgres.create("fleet"), redis.url, *flags, size=arguments.size) as fleet:
            print(json.dumps({"base_url": fleet.base, "database": fleet.database, "redis": redis.url,
                              "nodes": [node.facts for node in fleet.nodes]}), flush=True)
            ended.wait()


if __name__ == "__main__":
    main()


class OfFleet:
    """What `App` wants of an instance, through nginx: neighbouring requests meet different nodes."""

    def __init__(self, fleet: Fleet):
        self.base = fleet.base
        self.facts = fleet.nodes[0].facts
        self.user = fleet.nodes[0].user
        self.client = fleet.nodes[0].client
