"""One `drawbridge` process: started for real, spoken to over the wire, stopped by signal."""

import atexit
import itertools
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

import signing
import wire
from management import Managed
from wire import NAVIGATION

ROOT = Path(__file__).resolve().parents[2]
ISSUE = "/api/auth/create-sso-token"
REDEEM = "/login-with-token"


def binary() -> str:
    return os.environ.get("DRAWBRIDGE_BINARY") or str(ROOT / ".build/debug/drawbridge")


def older_binary() -> str | None:
    """The program of an earlier version, where somebody has built one (docs/proof.md)."""
    return os.environ.get("DRAWBRIDGE_OLDER_BINARY")


def environment() -> dict:
    """Without our own variables: the service refuses to start with a DRAWBRIDGE_ variable it does not know."""
    own = ("DRAWBRIDGE_BINARY", "DRAWBRIDGE_OLDER_BINARY", "DRAWBRIDGE_KEEP")
    return {name: value for name, value in os.environ.items() if name not in own}


_scratch: list[Path] = []


def scratch_folder() -> Path:
    """A folder of its own for a server's data and output; it goes when the tests end, unless DRAWBRIDGE_KEEP is set."""
    folder = Path(tempfile.mkdtemp(prefix="drawbridge-e2e-"))
    _scratch.append(folder)
    return folder


@atexit.register
def remove_scratch():
    """A whole run makes a thousand of them, of some gigabytes."""
    while _scratch and not os.environ.get("DRAWBRIDGE_KEEP"):
        shutil.rmtree(_scratch.pop(), ignore_errors=True)


def wait_until(condition, seconds: float = 30, what: str = "condition"):
    """Polls until the condition gives something true, and returns that."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if value := condition():
            return value
        time.sleep(0.02)
    raise AssertionError(f"{what}: not within {seconds} s")


def next_line(process: subprocess.Popen, seconds: float = 30) -> str:
    """The next line that a process prints, without its end. One that prints none in that time is killed: "" then."""
    patience = threading.Timer(seconds, process.kill)
    patience.start()
    try:
        return process.stdout.readline().strip()
    finally:
        patience.cancel()


def run(*arguments: str, stdin: bytes = b"", check: bool = True, timeout: float = 60) -> subprocess.CompletedProcess:
    """Runs one command of the binary to its end."""
    done = subprocess.run(
        [binary(), *arguments], input=stdin, capture_output=True, timeout=timeout, env=environment())
    if check:
        assert done.returncode == 0, f"{arguments}: status {done.returncode}\n{done.stdout!r}\n{done.stderr!r}"
    return done


class Process(Managed):
    """A server process whose output goes to files."""

    def __init__(self, command: list[str], directory: Path):
        self.directory = directory
        self.stdout_path = directory / f"stdout-{time.monotonic_ns()}.log"
        self.stderr_path = self.stdout_path.with_name(self.stdout_path.name.replace("stdout", "stderr"))
        with open(self.stdout_path, "wb") as out, open(self.stderr_path, "wb") as err:
            self.popen = subprocess.Popen(
                command, stdout=out, stderr=err, stdin=subprocess.DEVNULL, env=environment())

    @property
    def output(self) -> str:
        return self.stdout_path.read_text(errors="replace") + self.stderr_path.read_text(errors="replace")

    def json_lines(self) -> list[dict]:
        # A line without its end is still being written.
        texts = [path.read_text(errors="replace") for path in [self.stdout_path, self.stderr_path]]
        return [json.loads(line) for text in texts for line in text.splitlines(keepends=True)
                if line.startswith("{") and line.endswith("}\n")]

    @contextmanager
    def killed_unless_started(self):
        """Whoever asks for one that hangs as it starts gets an error, and nothing to end it by."""
        try:
            yield
        except BaseException:
            self.kill()
            raise

    def alive_or_fail(self):
        assert self.popen.poll() is None, f"ended with {self.popen.returncode}:\n{self.output[-4000:]}"

    def wait_until_ready(self, seconds: float = 30):
        """Fails at once when the process has ended."""
        def is_ready() -> bool:
            self.alive_or_fail()
            return self.is_ready()

        wait_until(is_ready, seconds, "readiness")

    def wait_until_unready(self, seconds: float = 30):
        wait_until(lambda: self.readiness().status == 503, seconds, "the readiness to say no")

    def wait_for_metric(self, series: str, value: float, seconds: float = 30):
        wait_until(lambda: self.metrics().get(series) == value, seconds, f"{series} to be {value}")

    def signal(self, number: int):
        self.popen.send_signal(number)

    def freeze(self):
        """Stands still, each of its threads, when this returns: a signal takes a moment to reach the last of them."""
        self.signal(signal.SIGSTOP)
        tasks = Path(f"/proc/{self.popen.pid}/task")

        def is_still() -> bool:
            try:
                return all(task.joinpath("stat").read_text().rpartition(")")[2].split()[0] == "T" for task in tasks.iterdir())
            except OSError:  # One has ended since it was listed.
                return False

        wait_until(is_still, what="every thread to stand still")

    def stop(self, seconds: float = 30) -> int:
        """SIGTERM; the exit status."""
        if self.popen.poll() is None:
            self.popen.terminate()
            try:
                self.popen.wait(seconds)
            except subprocess.TimeoutExpired:
                self.kill()
                raise AssertionError(f"still running {seconds} s after SIGTERM:\n{self.output[-4000:]}") from None
        return self.popen.returncode

    def kill(self):
        if self.popen.poll() is None:
            self.popen.send_signal(signal.SIGKILL)
        self.popen.wait()


class Demo(Process):
    """`drawbridge demo --print-json` on free ports."""

    def __init__(self, *flags: str, data: Path | None = None, port: int = 0, prefix: Sequence[str] = (),
                 program: str | None = None):
        scratch = scratch_folder()
        self.data = Path(data) if data else scratch / "data"
        self.data.mkdir(mode=0o700, exist_ok=True)
        # Not port 0: the program binds the two that it picks only later. Until then they may be another's, or the same.
        command = [*prefix, program or binary(), "demo", "--listen", f"127.0.0.1:{port or free_port()}",
                   "--management-listen", f"127.0.0.1:{free_port()}", "--print-json", "--data", str(self.data), *flags]
        super().__init__(command, scratch)
        with self.killed_unless_started():
            self.facts = wait_until(self._ready_line, 60, "the ready line")
        self.base = self.facts["base_url"]
        self.management = self.facts["management_url"]

    def _ready_line(self) -> dict | None:
        self.alive_or_fail()
        for line in self.stdout_path.read_text(errors="replace").splitlines(keepends=True):
            # A line without its end is still being written.
            if line.startswith("{") and '"base_url"' in line and line.endswith("\n"):
                return json.loads(line)
        return None

    # Facts of the ready line

    def user(self, name: str) -> dict:
        return next(user for user in self.facts["users"] if user["username"] == name)

    def client(self, name: str) -> dict:
        return next(client for client in self.facts["clients"] if client["client_id"] == name)

    @property
    def port(self) -> int:
        return int(self.base.rsplit(":", 1)[1])

    # The trusted issuer's side

    @property
    def hmac_key(self) -> bytes:
        return signing.unb64url(self.facts["trusted_issuer"]["hmac_secret"])

    def claims(self, sub: str = "alice", client: str = "demo-app", **more) -> dict:
        issuer = self.facts["trusted_issuer"]
        subject = next((user["sub"] for user in self.facts["users"] if user["username"] == sub), sub)
        now = int(time.time())
        claims = {"iss": issuer["issuer"], "aud": issuer["audience"], issuer["subject_claim"]: subject,
                  issuer["client_claim"]: client, "iat": now, "exp": now + 600, **more}
        return {name: value for name, value in claims.items() if value is not None}

    def bearer(self, sub: str = "alice", client: str = "demo-app", **more) -> str:
        header = {"alg": "HS256", "typ": "JWT", "kid": self.facts["trusted_issuer"]["kid"]}
        return signing.jwt(self.claims(sub, client, **more), self.hmac_key, header)

    def authorization(self, sub: str = "alice", **more) -> dict:
        return {"Authorization": f"Bearer {self.bearer(sub, **more)}"}

    # The road

    def send(self, method: str, target: str, headers=None, body=None, **more) -> wire.Answer:
        return wire.send(self.base, method, target, headers, body, **more)

    def post_issue(self, fields: dict | None = None, sub: str = "alice", headers: dict | None = None, **more):
        return self.send("POST", ISSUE, {**self.authorization(sub), **(headers or {})}, fields, **more)

    def issue(self, sub: str = "alice", **fields) -> dict:
        answer = self.post_issue(fields or None, sub)
        assert answer.status == 200, (answer.status, answer.body)
        return answer.json()

    def redeem(self, token: str, headers: dict | None = None, **parameters) -> wire.Answer:
        """A person's own navigation to the login URL."""
        query = urlencode({"token": token, **parameters})
        return self.send("GET", f"{REDEEM}?{query}", wire.NAVIGATION if headers is None else headers)

    def sign_in(self, sub: str = "alice", **fields) -> str:
        """A fresh session; the cookie that a browser would send."""
        answer = self.redeem(self.issue(sub, **fields)["token"])
        assert answer.status == 303 and answer.session_cookie, (answer.status, answer.headers, answer.body)
        return answer.session_cookie

    def session(self, cookie: str | None = None) -> dict:
        answer = self.send("GET", "/session", {"Cookie": cookie} if cookie else None)
        assert answer.status == 200, (answer.status, answer.body)
        return answer.json()

    def status(self, token_id: str, sub: str = "alice") -> str:
        answer = self.send("GET", f"/api/auth/sso-tokens/{token_id}", self.authorization(sub))
        assert answer.status == 200, (answer.status, answer.body)
        return answer.json()["status"]

    # What it wrote down

    def query(self, sql: str, *values) -> list[tuple]:
        return query(self.data, sql, *values)

    def audit(self, *types: str, token_id: str | None = None) -> list[dict]:
        """Audit events in the order of this node's chain."""
        rows = audit_rows(self.data)
        return [row for row in rows if (not types or row["type"] in types)
                and (token_id is None or row["token_id"] == token_id)]


class Served(Process):
    """`drawbridge serve` on a settings file of the test's own, with one app, one website and one trusted issuer."""

    ISSUER = "https://backend.example"

    def __init__(self, settings: str = "", tls: tuple[Path, Path] | None = None, website: str = "",
                 origin: str | None = None, clients: Sequence[dict] = (), users: Mapping[str, str] = {},
                 issuer: str = "shares_subjects_with_accounts: true", reach: Sequence[str] = ("web",),
                 host: str = "127.0.0.1"):
        """`settings` are further lines of the file, `website` further fields of the website's document, `clients`
        further documents, `users` names and passwords of accounts, `origin` is where browsers come to when that is
        not here, `issuer` is what else is said of the trusted issuer: its users are those of the accounts; `reach` is what the
        app may open, `host` is another name of this machine."""
        scratch = scratch_folder()
        self.data = scratch / "data"
        self.settings = scratch / "drawbridge.yaml"
        self.hmac_key = os.urandom(32)
        secret = scratch / "issuer-secret"
        secret.touch(mode=0o600)
        # A key that ends in a newline would lose it: the file's last newline belongs to the editor, not the key.
        self.hmac_key = self.hmac_key[:-1] + b"k"
        secret.write_bytes(self.hmac_key)
        self.port, management_port = free_port(), free_port()
        self.base = f"{'https' if tls else 'http'}://{host}:{self.port}"
        self.management = f"http://127.0.0.1:{management_port}"
        fields = f", {website}" if website else ""
        documents = "".join(f"  - {json.dumps(client)}\n" for client in clients)
        files = f"tls:\n  certificate: {tls[0]}\n  private_key: {tls[1]}\n" if tls else ""
        self.settings.write_text(f"""
public_origin: {origin or self.base}
listen: 127.0.0.1:{self.port}
management_listen: 127.0.0.1:{management_port}
data_directory: {self.data}
default_web_client: web
trusted_issuers:
  - issuer: {self.ISSUER}
    audience: drawbridge
    hmac: {{key_id: demo, secret_file: {secret}}}
    {issuer}
clients:
  - {{client_id: app, client_type: native, can_issue_login_tokens: true, may_reach: {json.dumps(reach)}}}
  - {{client_id: web, client_type: web, return_paths: [/contacts, "/account/*"], default_return_path: /contacts{fields}}}
{documents}{files}{settings}
""")
        run("keys", "init", "--config", str(self.settings))
        for name, password in users.items():
            run("users", "add", "--config", str(self.settings), name, "--name", name.capitalize(),
                "--email", f"{name}@example.com", stdin=password.encode() + b"\n")
        self.users = users
        self.scratch = scratch
        self.start()

    def start(self):
        """Runs it; once more, after it was stopped and its settings were changed."""
        super().__init__([binary(), "serve", "--config", str(self.settings)], self.scratch)
        with self.killed_unless_started():
            self.wait_until_ready()

    def user(self, name: str) -> dict:
        return {"username": name, "password": self.users[name]}

    def bearer(self, sub: str = "alice", **more) -> str:
        now = int(time.time())
        claims = {"iss": self.ISSUER, "aud": "drawbridge", "sub": sub, "client_id": "app", "iat": now, "exp": now + 600,
                  **more}
        return signing.jwt(claims, self.hmac_key, {"alg": "HS256", "kid": "demo"})

    def send(self, method: str, target: str, headers=None, body=None, **more) -> wire.Answer:
        return wire.send(self.base, method, target, headers, body, **more)

    def issue(self, sub: str = "alice", fields: dict | None = None, headers: dict | None = None, **more) -> dict:
        headers = {"Authorization": f"Bearer {self.bearer(sub)}", **(headers or {})}
        answer = self.send("POST", ISSUE, headers, fields, **more)
        assert answer.status == 200, (answer.status, answer.body)
        return answer.json()

    def redeem(self, token: str, headers: dict | None = None, **more) -> wire.Answer:
        return self.send("GET", f"{REDEEM}?token={token}", {**wire.NAVIGATION, **(headers or {})}, **more)


#: Below the ports that the kernel gives to outgoing connections, so that nobody takes one between its choice and its
#: use; tests that run side by side have ranges of their own.
PORTS = 3000
FIRST_PORT = 20000 + PORTS * int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:])
#: Whole runs side by side have the same ones: they begin at different places.
_numbers = itertools.count(os.getpid())


def free_port() -> int:
    while True:
        port = FIRST_PORT + next(_numbers) % PORTS
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def query(data: Path, sql: str, *values) -> list[tuple]:
    """Reads the embedded database while the server runs."""
    with sqlite3.connect(f"file:{data}/drawbridge.sqlite?mode=ro", uri=True, timeout=10) as connection:
        return connection.execute(sql, values).fetchall()


def audit_rows(data: Path) -> list[dict]:
    with sqlite3.connect(f"file:{data}/drawbridge.sqlite?mode=ro", uri=True, timeout=10) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute("SELECT * FROM audit_event ORDER BY node, sequence")]


def shown_form(answer) -> dict:
    [shown] = [form for form in wire.PageForm(answer.text).forms if form["method"] == "post"]
    return shown["fields"]


def type_code(server, page, code: str | None):
    """Submits the page's form as its browser would, with what was typed."""
    headers = {**NAVIGATION, "Cookie": wire.cookie_header(page), "Sec-Fetch-Site": "same-origin"}
    typed = {**shown_form(page), "login_code": code or ""}
    return server.send("POST", REDEEM, headers, wire.encode(typed))


def write(server, sql: str, *values):
    """Changes the embedded database behind a running server's back, as time would."""
    with sqlite3.connect(f"{server.data}/drawbridge.sqlite", timeout=10) as connection:
        connection.execute(sql, values)
