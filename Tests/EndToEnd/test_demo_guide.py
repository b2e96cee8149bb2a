"""What the demo tells a newcomer to type: its page's lines and its guide's, as they stand there."""

import html
import json
import os
import pty
import re
import signal
import subprocess
import threading

import pytest

import instance
import wire
from admin import Admin


def shell(lines: str, folder) -> str:
    done = subprocess.run(["bash", "-eu", "-c", lines], cwd=folder, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def test_the_lines_of_the_page_carry_a_sign_in_over_as_they_stand(demo, tmp_path):
    page = demo.send("GET", "/").text
    blocks = [html.unescape(block) for block in re.findall(r'<pre class="wire"[^>]*><code>(.*?)</code>', page, re.S)]
    assert len(blocks) == 2
    said = shell("\n".join(blocks), tmp_path)
    assert said.startswith(demo.base + "/login-with-token?token="), said[:200]
    assert '"authenticated":true' in said
    # The second use, which only looks, is asked for a click.
    assert said.rindex("HTTP/1.1 200") > said.index('"authenticated":true')


@pytest.fixture
def terminal(tmp_path):
    """A demo that somebody started on a terminal, and what stands on it."""
    ours, theirs = pty.openpty()
    listen, management = (f"127.0.0.1:{instance.free_port()}" for _ in range(2))
    started = subprocess.Popen(
        [instance.binary(), "demo", "--listen", listen, "--management-listen", management, "--data", tmp_path / "data"],
        stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=instance.environment(), start_new_session=True)
    os.close(theirs)
    seen = bytearray()

    def read():
        try:
            while part := os.read(ours, 65536):
                seen.extend(part)
        except OSError:
            pass  # The other end is closed.

    reader = threading.Thread(target=read)
    reader.start()
    try:
        # Of a character that has come in part nothing is seen yet.
        yield lambda: seen.decode(errors="ignore").replace("\r\n", "\n")
    finally:
        started.send_signal(signal.SIGTERM)
        status = started.wait(30)
        reader.join()
        os.close(ours)
    assert status == 0


def test_a_demo_starts_at_an_ipv6_address(tmp_path):
    origin = f"http://[::1]:{instance.free_port()}"
    said = tmp_path / "said"
    with said.open("wb") as output:
        started = subprocess.Popen(
            [instance.binary(), "demo", "--listen", origin.removeprefix("http://"), "--management-listen", "127.0.0.1:0",
             "--data", tmp_path / "data"],
            stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=instance.environment())
    try:
        def issuer() -> str | None:
            assert started.poll() is None, said.read_text()
            try:
                return wire.send(origin, "GET", "/.well-known/openid-configuration").json()["issuer"]
            except ConnectionError:
                return None

        assert instance.wait_until(issuer, 60, "the demo") == origin
    finally:
        started.send_signal(signal.SIGTERM)
        status = started.wait(60)
    assert status == 0


def test_a_terminal_gets_words_and_its_guide_works_as_it_stands(terminal, tmp_path):
    guide = instance.wait_until(lambda: "Ctrl-C" in terminal() and terminal(), 60, "the guide")
    curl = guide.split("Curl    ")[1].split("(the first curl once more")[0]
    # What is said between the commands is for people.
    lines = [line for line in curl.splitlines() if not re.match(r"\s*(\(|Then, )", line)]
    assert '"authenticated":true' in shell("\n".join(lines), tmp_path)

    def written_line() -> str | None:
        it = terminal().split("Ctrl-C")[1]
        return it if re.search("/login-with-token.*\n", it) else None

    written = instance.wait_until(written_line, 30, "a line of the log")
    for line in filter(None, terminal().splitlines()):
        assert not line.startswith("{"), "a terminal gets words"
    assert "token=" not in written and "303" in written


def test_a_kept_folder_tells_no_password_and_no_secret_that_was_changed(tmp_path):
    first = instance.Demo("--no-limits", data=tmp_path / "data")
    admin = Admin(first)
    told = [first.user("bob")["password"], first.client("demo-rp")["client_secret"]]
    assert admin.send("PATCH", "users/bob", {"password": "another one of bob's"}).status == 200
    tag = admin.get("clients/demo-rp").header("ETag")
    assert admin.send("POST", "clients/demo-rp/secret", headers={"If-Match": tag}).status == 200
    assert first.stop() == 0
    again = instance.Demo("--no-limits", data=tmp_path / "data")
    assert "password" not in again.user("bob") and "client_secret" not in again.client("demo-rp")
    assert not [secret for secret in told if secret in again.output]
    for name in ["alice", "admin"]:
        assert again.user(name) == first.user(name)
    for name in ["demo-web", "demo-admin"]:
        assert again.client(name)["client_secret"] == first.client(name)["client_secret"]
    assert again.stop() == 0


def test_a_file_gets_json(demo):
    demo.send("GET", "/session")

    def lines() -> list[str]:
        # A line without its end is still being written.
        read = [path.read_text(errors="replace") for path in (demo.stdout_path, demo.stderr_path)]
        whole = [line for text in read for line in text.splitlines(keepends=True) if line.endswith("\n")]
        return [line for line in whole if line.strip()]

    instance.wait_until(lambda: any('"/session"' in line for line in lines()), 30, "the request's line")
    assert all(isinstance(json.loads(line), dict) for line in lines())
