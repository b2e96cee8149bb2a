"""Each client library on its way through the real server: it opens every middleware's example site signed in, writes
nothing secret down, and keeps nothing secret in its memory once it has signed out."""

import os
import re
import signal
import socket
import socketserver
import subprocess
import sys
import threading
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

import instance
import native
from libraries import HANGS, JAVA, LIBRARIES
from servers import Nginx
from sites import SITES, Site

CLIENTS = instance.ROOT / "clients"
#: glibc writes over what is freed, so that what is found in a process's memory is still in use.
WIPING = {"GLIBC_TUNABLES": "glibc.malloc.perturb=165:glibc.malloc.tcache_count=0"}
#: More than any pipe or buffered stream holds.
SOAP = "x" * 200_000


class Wire:
    """Passes on what the edge asks of the server, and remembers it."""

    def __init__(self, port: int, behind: int):
        self.heard = bytearray()
        heard = self.heard

        class Passing(socketserver.BaseRequestHandler):
            def handle(self):
                with socket.create_connection(("127.0.0.1", behind)) as other:
                    back = threading.Thread(target=copy, args=(other, self.request))
                    back.start()
                    copy(self.request, other)
                    back.join()

        def copy(source: socket.socket, target: socket.socket):
            own = bytearray()
            try:
                while data := source.recv(65536):
                    own += data
                    target.sendall(data)
                target.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            heard.extend(own + b"\n")

        class Server(socketserver.ThreadingTCPServer):
            daemon_threads, allow_reuse_address, request_queue_size = True, True, 64

        self._server = Server(("127.0.0.1", port), Passing)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def secrets(self) -> dict[str, str]:
        """What went over the wire that nobody else may know, by kind and number."""
        text = self.heard.decode("latin-1")
        found = {}
        for kind, pattern in {
            "access token": r'"access_token" ?: ?"([^"]+)"', "refresh token": r'"refresh_token" ?: ?"([^"]+)"',
            "ID token": r'"id_token" ?: ?"([^"]+)"', "device secret": r'"device_secret" ?: ?"([^"]+)"',
            "login token": r'"token" ?: ?"([^"]+)"', "code": r"[&\n]code=([^&\s]+)",
            "verifier": r"code_verifier=([^&\s]+)", "bearer": r"(?i)authorization: bearer (\S+)",
        }.items():
            for number, value in enumerate(dict.fromkeys(re.findall(pattern, text)), 1):
                found[f"{kind} {number}"] = value
        return found

    def close(self):
        self._server.shutdown()
        self._server.server_close()


class Edge:
    """One origin, as browsers see it: the server, and every middleware's site at one page."""

    def __init__(self, stack: ExitStack, built_sites):
        port, wire_port, listen = instance.free_port(), instance.free_port(), instance.free_port()
        self.base = f"http://127.0.0.1:{port}"
        self.demo = instance.Demo("--no-limits", "--issuer", self.base, port=listen)
        stack.callback(self.demo.stop)
        self.wire = stack.enter_context(closing(Wire(wire_port, listen)))
        settings = {"source": "session", "origin": self.base, "drawbridge": f"http://127.0.0.1:{listen}"}
        sites = {name: stack.enter_context(closing(Site(name, built_sites, settings))) for name in SITES}
        places = "\n".join(f"    {name} 127.0.0.1:{site.port};" for name, site in sites.items())
        stack.enter_context(closing(Nginx(f"""
map $arg_site $site {{
{places}
}}
server {{
    listen 127.0.0.1:{port};
    proxy_set_header Host $http_host;
    location = /contacts {{ proxy_pass http://$site; }}
    location / {{ proxy_pass http://127.0.0.1:{wire_port}; }}
}}
""", port)))

    def lands(self, link: str) -> tuple[str, str]:
        """A person opens the link in a browser that knows nobody: where it ends, and what the page says."""
        browser = native.Browser(self.base)
        answer = browser.send("GET", link)
        # A page to confirm or a sign-in would be 200, or another address.
        assert answer.status == 303, (answer.status, answer.text)
        place = answer.header("Location").removeprefix(self.base)
        return place, browser.send("GET", place).text


class App:
    """A program of a library, which does what it is told (`journey` in the library's tests)."""

    def __init__(self, library: str, edge: Edge, jvm_classes: str, folder: Path):
        self.library, self.edge, self.folder = library, edge, folder
        command = {
            "js": ["node", "--heapsnapshot-signal=SIGUSR2", "--heap-snapshot-string-limit=100000000",
                   CLIENTS / "js/test/journey.mjs"],
            "jvm": [*JAVA, jvm_classes, "drawbridge.client.Journey"],
            "python": [sys.executable, CLIENTS / "python/tests/journey.py"],
            "swift": [Path(instance.binary()).with_name("client-journey")],
        }[library]
        # Python's own pools keep what is freed in them.
        extra = {"swift": WIPING, "python": {**WIPING, "PYTHONMALLOC": "malloc"}}.get(library, {})
        self.log = folder / "stderr.log"
        self.popen = subprocess.Popen(
            [str(part) for part in [*command, edge.base]], cwd=folder, env={**os.environ, **extra},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=open(self.log, "wb"), text=True)

    def tell(self, *words: str) -> list[str]:
        """What it answers, up to `done`."""
        self.write(" ".join(words))
        said = []
        while (line := instance.next_line(self.popen, HANGS)) != "done":
            assert line, (words, self.log.read_text()[-4000:])
            said.append(line)
            if "/oauth/authorize?" in line and words == ("sign-in",):
                self.write(native.Browser(self.edge.base).sign_in(line, self.edge.demo.user("alice")))
        return said

    def write(self, line: str):
        self.popen.stdin.write(line + "\n")
        self.popen.stdin.flush()

    def memory(self) -> bytes:
        """What the program holds on to, in one text: without what only waits to be collected."""
        if self.library == "js":
            before = set(self.folder.glob("*.heapsnapshot"))
            self.popen.send_signal(signal.SIGUSR2)
            made = instance.wait_until(
                lambda: set(self.folder.glob("*.heapsnapshot")) - before, 30, "the snapshot").pop()
            # It does nothing else while it writes one: what it answers now comes after the last byte.
            self.tell("wash", "once")
            return made.read_bytes()
        if self.library == "jvm":
            dump = self.folder / "heap.hprof"
            dump.unlink(missing_ok=True)
            subprocess.run(
                ["jcmd", str(self.popen.pid), "GC.heap_dump", str(dump)], check=True, capture_output=True, timeout=60)
            return dump.read_bytes()
        found = bytearray()
        with open(f"/proc/{self.popen.pid}/maps") as maps, open(f"/proc/{self.popen.pid}/mem", "rb", 0) as memory:
            for line in maps:
                span, mode = line.split()[:2]
                if not mode.startswith("rw"):
                    continue
                start, end = (int(part, 16) for part in span.split("-"))
                memory.seek(start)
                try:
                    found += memory.read(end - start)
                except OSError:
                    continue
        return bytes(found)

    def close(self):
        self.popen.kill()
        self.popen.communicate()


def found_in(memory: bytes, secrets: dict[str, str]) -> set[str]:
    """Names of the secrets whose end is there, in the ways in which languages keep text."""
    # The end: what is in front of a token is the same in all of its kind.
    ways = ["latin-1", "utf-16-le", "utf-16-be"]
    return {name for name, value in secrets.items() if any(value[-20:].encode(way) in memory for way in ways)}


@pytest.fixture(scope="module")
def edge(built_sites):
    with ExitStack() as stack:
        yield Edge(stack, built_sites)


@pytest.fixture(scope="module", params=LIBRARIES)
def app(request, edge, jvm_classes, tmp_path_factory):
    """Signed in, by the browser, as alice."""
    app = App(request.param, edge, jvm_classes, tmp_path_factory.mktemp(request.param))
    edge.wire.heard.clear()
    app.tell("sign-in")
    yield app
    app.close()


@pytest.mark.parametrize("site", SITES)
def test_each_library_opens_each_middlewares_site_signed_in_and_nobody_is_asked(app, edge, site):
    path = f"/contacts?site={site}"
    alice, bob = (edge.demo.user(name)["sub"] for name in ["alice", "bob"])
    [own] = app.tell("own", path)
    assert edge.lands(own) == (path, f"signed in as {alice}")
    # By a token of the app's own backend, for somebody who never signed in here.
    [link] = app.tell("bearer", path, edge.demo.bearer("bob"))
    assert edge.lands(link) == (path, f"signed in as {bob}")


def test_after_the_sign_out_neither_memory_nor_log_holds_a_token_or_a_link(app, edge):
    [link] = app.tell("own", "/contacts")
    app.tell("refused", "/nowhere")
    app.tell("wash", SOAP)
    secrets = edge.wire.secrets()
    kinds = {name.rpartition(" ")[0] for name in secrets}
    assert kinds == {
        "access token", "refresh token", "ID token", "device secret", "login token", "code", "verifier", "bearer"}
    # What is looked for can be found: a program that is signed in holds its tokens.
    assert {"refresh token 1", "device secret 1"} <= found_in(app.memory(), secrets)

    edge.lands(link)
    app.tell("sign-out")
    app.tell("wash", SOAP)
    assert found_in(app.memory(), secrets) == set()
    log = app.log.read_bytes()
    assert len(log) > 200
    assert found_in(log, secrets) == set()
