"""What is done to a fleet and its servers while clients watch, one after another."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import tempfile
import threading
import traceback
from collections import Counter
from contextlib import ExitStack, contextmanager
from pathlib import Path

import instance
from served import ServedFleet
from servers import Postgres, Redis, Standby


class Cable(threading.Thread):
    """The way of one node to one server, which can be cut: what was open stays open, and nothing comes through."""

    def __init__(self, port: int):
        super().__init__(daemon=True)
        self.target = port
        self.listener = socket.create_server(("127.0.0.1", instance.free_port()))
        self.port = self.listener.getsockname()[1]
        self.whole = threading.Event()
        self.whole.set()
        self.start()

    def cut(self):
        self.whole.clear()

    def mend(self):
        self.whole.set()

    def run(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._join, args=(near,), daemon=True).start()

    def _join(self, near: socket.socket):
        self.whole.wait()
        try:
            far = socket.create_connection(("127.0.0.1", self.target))
        except OSError:
            near.close()
            return
        for one, other in [(near, far), (far, near)]:
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._carry, args=(one, other), daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket):
        try:
            while data := one.recv(65536):
                self.whole.wait()
                other.sendall(data)
        except OSError:
            pass
        for end in (one, other):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self.whole.set()
        self.listener.close()


class SmallDisk:
    """A folder on a file system of its own, in memory."""

    def __init__(self, folder: Path, megabytes: int):
        self.folder, self.megabytes = folder, megabytes

    @classmethod
    @contextmanager
    def mounted(cls, megabytes: int):
        """None where that may not be made."""
        disk = cls(Path(tempfile.mkdtemp(prefix="drawbridge-small-")), megabytes)
        if os.geteuid() != 0 or not disk._mount(f"size={megabytes}m,mode=755"):
            yield None
            return
        try:
            yield disk
        finally:
            subprocess.run(["umount", "-l", str(disk.folder)], check=False)
            disk.folder.rmdir()

    def _mount(self, options: str) -> bool:
        command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(self.folder)]
        return subprocess.run(command, capture_output=True).returncode == 0

    def fill(self):
        """Made no larger than what is on it: to write as much beside it would take all of the machine's memory."""
        def is_full() -> bool:
            has = os.statvfs(self.folder)
            # Refused where more has been written meanwhile.
            return self._mount(f"remount,size={(has.f_blocks - has.f_bfree) * has.f_frsize}")

        instance.wait_until(is_full, 15, "a disk without room")

    def make_room(self):
        assert self._mount(f"remount,size={self.megabytes}m")


class Ground:
    """Three nodes over PostgreSQL and Redis, on which everything in `KINDS` can go wrong.

    The first node's ways to its servers can be cut; all others come to Redis by one address, which a failover moves. With
    `skew` the second node's clock is so many seconds ahead and the third's as many behind.
    """

    #: What follows one another at random; the failover of PostgreSQL comes once, at the end.
    KINDS = ["kill_a_node", "stop_a_node", "empty_redis", "kill_redis", "fail_over_redis", "crash_postgres",
             "freeze_postgres", "cut_a_node", "fill_the_disk"]

    def __init__(self, name: str, skew: int = 0, size: int = 3, follows: bool = False, disk: int = 600):
        """`disk` is how many megabytes the database has, where it may have one of its own."""
        self.running = ExitStack()
        try:
            self.disk = self.running.enter_context(SmallDisk.mounted(disk))
            self.postgres = self.running.enter_context(Postgres(self.disk and self.disk.folder))
            self.redis = self.running.enter_context(Redis())
            database = self.postgres.create(name)
            self.standby = self.running.enter_context(Standby(self.postgres)) if follows else None
            self.cables = [Cable(self.postgres.port), Cable(self.redis.port)]
            self.address = Cable(self.redis.port)
            for cable in [*self.cables, self.address]:
                self.running.callback(cable.close)
            self.fleet = self.running.enter_context(ServedFleet(
                self._both(database), f"redis://127.0.0.1:{self.address.port}", "--no-limits", size=size, nginx=False,
                first=self._by_cable(database), clocks=[0, skew, -skew][:size] if skew else []))
        except BaseException:
            self.running.close()
            raise

    def _both(self, database: str) -> str:
        if not self.standby:
            return database
        return database.replace(f":{self.postgres.port}/", f":{self.postgres.port},127.0.0.1:{self.standby.port}/")

    def _by_cable(self, database: str) -> tuple[str, str]:
        """The first node's addresses; a failover leaves cables behind, so there it has those of the others."""
        if self.standby:
            return self._both(database), f"redis://127.0.0.1:{self.address.port}"
        return (database.replace(f":{self.postgres.port}/", f":{self.cables[0].port}/"),
                f"redis://127.0.0.1:{self.cables[1].port}")

    @property
    def nodes(self) -> list:
        return self.fleet.nodes

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for cable in self.cables:
            cable.mend()
        self.running.close()


class Faults(threading.Thread):
    """One after another, with a pause between them, until told to stop."""

    def __init__(self, ground: Ground, seed: int, kinds: list[str] | None = None, pause: float = 2):
        """`pause` is how many seconds lie between two of them, on average."""
        super().__init__(daemon=True)
        self.pause = pause
        self.ground = ground
        self.random = random.Random(seed)
        self.over = threading.Event()
        self.done: Counter = Counter()
        self.failure: BaseException | None = None
        self.kinds = [kind for kind in kinds or Ground.KINDS
                      if (kind != "fill_the_disk" or ground.disk) and (kind != "cut_a_node" or not ground.standby)]

    def kill_a_node(self):
        number = self.random.randrange(len(self.ground.nodes))
        self.ground.nodes[number].kill()
        self.ground.fleet.restart(number)

    def stop_a_node(self):
        node = self.random.choice(self.ground.nodes)
        node.freeze()
        self.over.wait(0.3)
        node.signal(signal.SIGCONT)

    def empty_redis(self):
        self.ground.redis.cli("FLUSHALL")

    def kill_redis(self):
        self.ground.redis.kill()
        self.over.wait(1)
        self.ground.redis.start()

    def fail_over_redis(self):
        """A replica takes over without what was written last, and the address that nodes know moves to it."""
        primary = self.ground.redis
        replica = self.ground.running.enter_context(Redis("--replicaof", "127.0.0.1", str(primary.port)))
        instance.wait_until(lambda: "master_link_status:up" in replica.cli("INFO", "replication"), 15, "replication")
        primary.cli("ACL", "SETUSER", "default", "-psync", "-sync")
        primary.cli("CLIENT", "KILL", "TYPE", "replica")
        self.over.wait(0.7)
        primary.kill()
        replica.cli("REPLICAOF", "NO", "ONE")
        replica.settings = ()
        for cable in [self.ground.cables[1], self.ground.address]:
            cable.target = replica.port
        self.ground.redis = replica

    def crash_postgres(self):
        self.ground.postgres.crash()

    def freeze_postgres(self):
        self.ground.postgres.freeze()
        self.over.wait(0.5)
        self.ground.postgres.thaw()

    def cut_a_node(self):
        """One node is away from its database, from Redis, or from both, for longer than news may take."""
        cables = self.random.choice([self.ground.cables, self.ground.cables[:1], self.ground.cables[1:]])
        for cable in cables:
            cable.cut()
        self.over.wait(2 + self.random.random())
        for cable in cables:
            cable.mend()

    def fill_the_disk(self):
        """Nothing more can be written for a moment; a server that gave up over it is started again."""
        self.ground.disk.fill()
        try:
            self.over.wait(1.5)
        finally:
            self.ground.disk.make_room()
        instance.wait_until(self._comes_back, 60, "PostgreSQL after the full disk")

    def _comes_back(self) -> bool:
        server = self.ground.postgres
        if server.process.poll() is not None:
            server.start()
        return server.answers()

    def fail_over(self):
        """The standby takes over without what was written last."""
        standby = self.ground.standby
        standby.catch_up()
        standby.fall_behind()
        self.over.wait(1)
        self.ground.postgres.stop(signal.SIGQUIT)
        standby.promote()

    def run(self):
        try:
            while not self.over.wait(self.pause * (0.5 + self.random.random())):
                fault = self.random.choice(self.kinds)
                getattr(self, fault)()
                self.done[fault] += 1
        except BaseException as failure:
            traceback.print_exc()
            self.failure = failure

    def stop(self):
        self.over.set()
        self.join(90)
        if self.failure:
            raise self.failure
