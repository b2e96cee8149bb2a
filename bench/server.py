"""The two servers under measurement, and what the kernel says they cost."""

import base64
import hashlib
import hmac
import json
import os
import sqlite3
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


class Server:
    """A process with its CPU time and memory."""

    def __init__(self, command: list[str], **more):
        self.log = tempfile.NamedTemporaryFile(prefix="bench-", suffix=".log", delete=False)
        self.process = subprocess.Popen(command, stderr=self.log, stdin=subprocess.DEVNULL, **more)

    def cpu_seconds(self) -> float:
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def counts(self) -> dict[str, int]:
        """What the kernel counted so far: bytes and calls of write (the answers' among them), and waits."""
        process = Path(f"/proc/{self.process.pid}")
        io = dict(line.split(": ") for line in (process / "io").read_text().splitlines())
        waits = 0
        for thread in (process / "task").iterdir():
            try:
                lines = (thread / "status").read_text().splitlines()
            except OSError:
                continue  # A thread that ended meanwhile takes its count along.
            waits += sum(int(line.split()[1]) for line in lines if line.startswith("voluntary_ctxt_switches:"))
        return {"bytes": int(io["wchar"]), "writes": int(io["syscw"]), "reads": int(io["syscr"]), "switches": waits}

    def memory_mib(self, name: str = "VmHWM") -> float:
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1]) / 1024
        raise KeyError(name)

    def stop(self):
        self.process.terminate()
        self.process.wait(30)
        Path(self.log.name).unlink()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class Hello(Server):
    def __init__(self, binary: Path, port: int = 18090):
        super().__init__([str(binary), str(port)], stdout=subprocess.DEVNULL)
        self.base = f"http://127.0.0.1:{port}"
        for _ in range(200):
            try:
                urllib.request.urlopen(f"{self.base}/hello").read()
                return
            except OSError:
                time.sleep(0.05)
        self.process.kill()
        raise RuntimeError("bench-hello does not answer")


class Drawbridge(Server):
    """`drawbridge demo` with its data on disk and every durability setting as shipped; only the limits are lifted."""

    def __init__(self, binary: Path, data: Path, database: str | None = None, redis: str | None = None,
                 options: tuple[str, ...] = ()):
        stores = [*(["--database", database] if database else []), *(["--redis", redis] if redis else [])]
        super().__init__(
            [str(binary), "demo", "--listen", "127.0.0.1:0", "--no-limits", "--print-json", "--data", str(data), *stores,
             *options],
            stdout=subprocess.PIPE)
        self.data = data
        self.database = database
        for line in self.process.stdout:
            if b'"base_url"' in line:
                self.facts = json.loads(line)
                break
        else:
            self.process.kill()
            raise RuntimeError(f"the demo did not start: see {self.log.name}")
        self.base = self.facts["base_url"]
        # Whatever else it prints must not fill the pipe.
        self.drain = subprocess.Popen(["cat"], stdin=self.process.stdout, stdout=self.log)

    def sessions(self) -> int:
        """How many are in the database."""
        text = "SELECT count(*) FROM web_session"
        if self.database:
            return int(subprocess.run(["psql", "-XqAt", self.database, "-c", text], check=True, capture_output=True).stdout)
        with sqlite3.connect(f"file:{self.data}/drawbridge.sqlite?mode=ro", uri=True) as connection:
            return connection.execute(text).fetchone()[0]

    def bearer(self, subject: str, session: str | None = None) -> str:
        issuer = self.facts["trusted_issuer"]
        now = int(time.time())
        claims = {"iss": issuer["issuer"], "aud": issuer["audience"], issuer["subject_claim"]: subject,
                  issuer["client_claim"]: "demo-app", "iat": now, "exp": now + 3600}
        if session:
            claims["sid"] = session
        head = _b64({"alg": "HS256", "typ": "JWT", "kid": issuer["kid"]}) + "." + _b64(claims)
        key = base64.urlsafe_b64decode(issuer["hmac_secret"] + "==")
        mac = hmac.new(key, head.encode(), hashlib.sha256).digest()
        return head + "." + base64.urlsafe_b64encode(mac).rstrip(b"=").decode()


def _b64(value: dict) -> str:
    return base64.urlsafe_b64encode(json.dumps(value, separators=(",", ":")).encode()).rstrip(b"=").decode()


def wrk(server: Server, script: str, path: str, seconds: float, connections: int = 64, **environment) -> dict:
    """One wrk run: what it counted, and what a request cost the server: CPU microseconds, and ``Server.counts``."""
    folder = Path(__file__).parent / "wrk"
    counts, before = server.counts(), server.cpu_seconds()
    done = subprocess.run(
        ["wrk", "-t1", f"-c{connections}", f"-d{round(seconds)}s", "--timeout", "10s", "-s", str(folder / f"{script}.lua"),
         server.base + path],
        capture_output=True, text=True, env={**os.environ, "BENCH_WRK": str(folder), **environment})
    used = server.cpu_seconds() - before
    lines = [line for line in done.stderr.splitlines() if line.startswith("{")]
    if not lines:
        raise RuntimeError(f"wrk said nothing: {done.stdout}{done.stderr}")
    result = json.loads(lines[-1])
    result["per_second"] = result["requests"] / result["seconds"]
    for name, count in server.counts().items():
        result[name] = max(0, count - counts[name]) / max(result["requests"], 1)
    result["cpu_us"] = used * 1e6 / max(result["requests"], 1)
    return result


def counts(result: dict) -> str:
    """The counts of one wrk run, a request each, in one line."""
    return (f"written {result['bytes']:,.0f} B in {result['writes']:.1f} calls, {result['reads']:.1f} reads, "
            f"{result['switches']:.1f} switches")


def machine() -> str:
    model = next(line.partition(":")[2].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                 if line.startswith("model name"))
    kernel = os.uname().release
    return f"{model}, {os.cpu_count()} CPUs, Linux {kernel}"


def first_line(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True)
    return (done.stdout or done.stderr).splitlines()[0].strip()
