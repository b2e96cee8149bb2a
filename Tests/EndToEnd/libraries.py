"""The client libraries' programs."""

import json
import os
import re
import subprocess
import threading
from urllib.parse import parse_qs, urlsplit

import instance
import native
import wire
from drawbridge_client import LoopbackBrowser

#: After so many seconds a program has stopped, however busy the machine is: it is no measure of how fast it is.
HANGS = 600
CLIENTS = instance.ROOT / "clients"
JVM = CLIENTS / "jvm"
JAVA = ["java", "-XX:TieredStopAtLevel=1", "-cp"]
LIBRARIES = ["js", "jvm", "python", "swift"]


def cases() -> list[dict]:
    """Those of clients/vectors, each with its topic."""
    found = []
    for file in sorted((CLIENTS / "vectors" / "cases").glob("*.json")):
        document = json.loads(file.read_text())
        found += [{**case, "topic": document["topic"]} for case in document["cases"]]
    return found


def skips(library: str) -> dict:
    return json.loads((CLIENTS / library / "skips.json").read_text())


def is_skipped(case: dict, skipped: dict) -> bool:
    return case["id"] in skipped["cases"] or any(need in skipped["needs"] for need in case["needs"])


def played(library: str) -> list[dict]:
    return [case for case in cases() if not is_skipped(case, skips(library))]


def run(command: list[str]) -> str:
    """Runs a program to its end in the package's folder; what it said, which a failure shows."""
    done = subprocess.run(command, cwd=instance.ROOT, env={**os.environ, "DRAWBRIDGE_BINARY": instance.binary()},
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=HANGS)
    said = done.stdout + done.stderr
    failures = re.findall(r"^ *not ok .*(?:\n .*){0,30}", said, re.M)
    assert done.returncode == 0, "\n".join(failures[:5]) or said[-4000:]
    return said


def compile_java(folder) -> str:
    sources = [str(path) for part in ["src", "test"] for path in sorted((JVM / part).rglob("*.java"))]
    done = subprocess.run(
        ["javac", "--release", "8", "-Xlint:all,-options,-try", "-Werror", "-d", folder, *sources],
        capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return str(folder)


def redeemed_as(demo, url: str) -> str:
    answer = demo.send("GET", url.removeprefix(demo.base), wire.NAVIGATION)
    assert answer.status == 303, answer.text
    return demo.session(answer.session_cookie)["sub"]


def loopback_browser(demo, user: str = "alice", before=lambda redirect: None) -> LoopbackBrowser:
    """A person's browser, which follows the last redirect to the app as browsers do."""

    def open_address(address: str) -> bool:
        def go():
            redirect = parse_qs(urlsplit(address).query)["redirect_uri"][0]
            before(redirect)
            location = native.Browser(demo.base).sign_in(address, demo.user(user))
            url = urlsplit(location)
            wire.send(f"http://{url.netloc}", "GET", f"{url.path}?{url.query}")

        threading.Thread(target=go, daemon=True).start()
        return True

    return LoopbackBrowser(seconds=30, open_address=open_address)
