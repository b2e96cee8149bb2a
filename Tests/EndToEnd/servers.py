"""Real servers that tests start for themselves on free ports of loopback: PostgreSQL, Redis, Sentinel, nginx."""

import contextlib
import glob
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import instance


class Server:
    """A foreground process with a folder of its own."""

    def __init__(self, kind: str, inside: Path | None = None):
        self.folder = Path(tempfile.mkdtemp(prefix=f"drawbridge-{kind}-", dir=inside))
        self.process: subprocess.Popen | None = None

    def run(self, command: list[str], **more):
        with open(self.folder / "server.log", "ab") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, **more)

    @property
    def log(self) -> str:
        return "".join(path.read_text() for path in self.folder.glob("*.log"))

    def stop(self, number: int = signal.SIGKILL):
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)
            self.process.wait(30)

    def close(self):
        self.stop()
        if self.process:
            # Workers that outlive the process which began them are in its session.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Postgres(Server):
    """A PostgreSQL server that flushes to disk as shipped; run by the user `postgres` when the tests are root's."""

    def __init__(self, inside: Path | None = None):
        """`inside` is where its folder is made."""
        super().__init__("postgres", inside)
        self.programs = max(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[-2]))
        self.owner = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}
        if self.owner:
            shutil.chown(self.folder, "postgres", "postgres")
        subprocess.run(
            [f"{self.programs}/initdb", "-D", self.folder / "data", "-U", "drawbridge", "-A", "trust", "-N", "-E", "UTF8",
             "--locale=C.UTF-8"],
            check=True, stdout=subprocess.DEVNULL, cwd=self.folder, **self.owner)
        # Not before: within the seconds that the other takes, somebody's connection may get this port.
        self.port = instance.free_port()
        self.start()

    def start(self):
        settings = {"port": self.port, "listen_addresses": "127.0.0.1", "unix_socket_directories": "",
                    "max_connections": 200, "shared_buffers": "64MB"}
        self.run([f"{self.programs}/postgres", "-D", self.folder / "data",
                  *(f"--{name}={value}" for name, value in settings.items())], cwd=self.folder, **self.owner)
        instance.wait_until(self.answers, 60, "PostgreSQL")

    def answers(self) -> bool:
        return self._psql("SELECT 1", "postgres").returncode == 0

    def _psql(self, text: str, database: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [f"{self.programs}/psql", "-XqAt", "-F", "\x1f", "-v", "ON_ERROR_STOP=1", "-h", "127.0.0.1", "-p", str(self.port),
             "-U", "drawbridge", "-d", database, "-c", text], capture_output=True, text=True)

    def query(self, text: str, database: str = "postgres") -> list[list[str]]:
        done = self._psql(text, database)
        assert done.returncode == 0, done.stderr
        return [line.split("\x1f") for line in done.stdout.splitlines()]

    def create(self, database: str) -> str:
        """An empty database; its URL."""
        self.query(f"CREATE DATABASE {database}")
        return f"postgres://drawbridge@127.0.0.1:{self.port}/{database}"

    def restart(self):
        """As an operator does it: open transactions are undone, connections closed."""
        self.stop(signal.SIGINT)
        self.start()

    def crash(self):
        """No last checkpoint: the next start recovers from the write-ahead log."""
        self.stop(signal.SIGQUIT)
        self.start()

    def freeze(self):
        """Connections stay open and nothing answers."""
        self._tell_all("STOP")

    def thaw(self):
        self._tell_all("CONT")

    def _tell_all(self, number: str):
        # The parent first, or a backend that is started between the two goes on. Every backend is in a session of its own.
        subprocess.run(["kill", f"-{number}", str(self.process.pid)], check=True)
        children = ["pkill", f"-{number}", "-P", str(self.process.pid)]
        assert subprocess.run(children).returncode == 0

    def close(self):
        self.stop(signal.SIGQUIT)
        super().close()


class Standby(Server):
    """Follows a server, until it is told to stop or to take over."""

    def __init__(self, primary: Postgres):
        super().__init__("standby")
        self.primary, self.programs, self.owner = primary, primary.programs, primary.owner
        if self.owner:
            shutil.chown(self.folder, "postgres", "postgres")
        self.port = instance.free_port()
        subprocess.run(
            [f"{self.programs}/pg_basebackup", "-h", "127.0.0.1", "-p", str(primary.port), "-U", "drawbridge", "-D",
             self.folder / "data", "-R", "-X", "stream", "--checkpoint=fast"],
            check=True, stdout=subprocess.DEVNULL, cwd=self.folder, **self.owner)
        self.start()

    def start(self):
        settings = {"port": self.port, "listen_addresses": "127.0.0.1", "unix_socket_directories": "",
                    "max_connections": 200, "shared_buffers": "64MB"}
        self.run([f"{self.programs}/postgres", "-D", self.folder / "data",
                  *(f"--{name}={value}" for name, value in settings.items())], cwd=self.folder, **self.owner)
        instance.wait_until(lambda: self.query("SELECT 1") == [["1"]], 60, "the standby")

    def query(self, text: str, database: str = "postgres") -> list[list[str]]:
        done = Postgres._psql(self, text, database)
        return [line.split("\x1f") for line in done.stdout.splitlines()] if done.returncode == 0 else []

    def catch_up(self):
        """Until it has everything that the server has now."""
        end = self.primary.query("SELECT pg_current_wal_lsn()")[0][0]
        instance.wait_until(
            lambda: self.query(f"SELECT pg_last_wal_replay_lsn() >= '{end}'::pg_lsn") == [["t"]], 20, "replication")

    def fall_behind(self):
        """From here on nothing reaches it any more."""
        self.query("ALTER SYSTEM SET primary_conninfo = ''")
        self.query("SELECT pg_reload_conf()")
        instance.wait_until(lambda: self.query("SELECT count(*) FROM pg_stat_wal_receiver") == [["0"]], 20, "silence")

    def promote(self):
        assert self.query("SELECT pg_promote()") == [["t"]]

    def close(self):
        self.stop(signal.SIGQUIT)
        super().close()


class PgBouncer(Server):
    """A pooler that gives every transaction another connection, in turn."""

    def __init__(self, postgres: Postgres, size: int = 4):
        super().__init__("pgbouncer")
        self.postgres, self.programs = postgres, postgres.programs
        self.port = instance.free_port()
        self.settings = self.folder / "pgbouncer.ini"
        users, settings = self.folder / "users", self.settings
        users.write_text('"drawbridge" ""\n')
        settings.write_text(f"""[databases]
* = host=127.0.0.1 port={postgres.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {self.port}
unix_socket_dir =
auth_type = trust
auth_file = {users}
admin_users = drawbridge
pool_mode = transaction
default_pool_size = {size}
server_round_robin = 1
server_login_retry = 1
""")
        if postgres.owner:
            for path in [self.folder, users, settings]:
                shutil.chown(path, "postgres", "postgres")
        program = shutil.which("pgbouncer") or "/usr/sbin/pgbouncer"
        self.run([program, str(settings)], cwd=self.folder, **postgres.owner)
        instance.wait_until(lambda: instance.listens(self.port), 30, "the pooler")

    def url(self, database: str) -> str:
        return f"postgres://drawbridge@127.0.0.1:{self.port}/{database}"

    def lead_to(self, postgres: "Postgres | Standby"):
        """From here on to another server: clients' connections stay, those to the server before are let go of."""
        at_first = self.settings.read_text()
        self.settings.write_text(at_first.replace(f"port={self.postgres.port}\n", f"port={postgres.port}\n"))
        self.postgres = postgres
        done = Postgres._psql(self, "RELOAD", "pgbouncer")
        assert done.returncode == 0, done.stderr

    def close(self):
        self.stop(signal.SIGINT)
        super().close()


class Redis(Server):
    def __init__(self, *settings: str, port: int | None = None):
        super().__init__("redis")
        self.port = port or instance.free_port()
        self.settings = settings
        self.start()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    def start(self):
        """Empty: nothing is kept on disk."""
        self.run(["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--dir", str(self.folder),
                  *self.settings])
        instance.wait_until(lambda: self.cli("PING") == "PONG", 30, "redis-server")

    def cli(self, *words: str) -> str:
        return subprocess.run(
            ["redis-cli", "-p", str(self.port), *words], capture_output=True, text=True, timeout=10).stdout.strip()

    def kill(self):
        self.stop(signal.SIGKILL)


class Sentinel(Server):
    """One sentinel that watches a primary with one replica, and asks for a password of its own."""

    def __init__(self, primary: Redis, replica: Redis, name: str = "bridge", password: str = "sesame"):
        super().__init__("sentinel")
        self.name, self.password = name, password
        self.port = instance.free_port()
        settings = self.folder / "sentinel.conf"
        settings.write_text(f"""port {self.port}
bind 127.0.0.1
dir {self.folder}
requirepass {password}
sentinel monitor {name} 127.0.0.1 {primary.port} 1
sentinel down-after-milliseconds {name} 2000
sentinel failover-timeout {name} 5000
""")
        self.run(["redis-server", str(settings), "--sentinel"])
        instance.wait_until(lambda: str(replica.port) in self.cli("SENTINEL", "REPLICAS", name), 30, "the sentinel's view")

    def cli(self, *words: str) -> str:
        return subprocess.run(
            ["redis-cli", "-p", str(self.port), "--no-auth-warning", "-a", self.password, *words],
            capture_output=True, text=True, timeout=10).stdout.strip()

    def primary_port(self) -> int:
        return int(self.cli("SENTINEL", "GET-MASTER-ADDR-BY-NAME", self.name).split()[1])


class Nginx(Server):
    """nginx with a configuration for its `http` block."""

    def __init__(self, http: str, port: int, modules: Sequence[Path] = ()):
        super().__init__("nginx")
        self.port = port
        # Started by root, its workers are nobody: they must get at the folder.
        self.folder.chmod(0o755)
        (self.folder / "nginx.conf").write_text("".join(f"load_module {module};\n" for module in modules) + f"""daemon off;
worker_processes 1;
pid {self.folder}/nginx.pid;
error_log {self.folder}/error.log;
events {{ worker_connections 4096; }}
http {{
    access_log {self.folder}/access.log;
    client_body_temp_path {self.folder}/body;
    proxy_temp_path {self.folder}/proxy;
    fastcgi_temp_path {self.folder}/fastcgi;
    uwsgi_temp_path {self.folder}/uwsgi;
    scgi_temp_path {self.folder}/scgi;
{http}
}}
""")
        program = shutil.which("nginx") or "/usr/sbin/nginx"
        self.run([program, "-p", str(self.folder), "-c", str(self.folder / "nginx.conf"), "-e",
                  str(self.folder / "error.log")])
        instance.wait_until(lambda: instance.listens(port), 30, "nginx")

    def close(self):
        self.stop(signal.SIGTERM)
        super().close()
