"""A log that nobody reads, and a terminal that is closed."""

import concurrent.futures
import contextlib
import fcntl
import os
import signal
import subprocess
import time

import pytest

import instance
import wire

#: The events after which a commit signs a checkpoint, and logs it (docs/contract.md §8).
CHECKPOINT = 1000


class Unread:
    """The smallest pipe there is, with nobody to read it."""

    def __init__(self):
        self.reading, self.writing = os.pipe()
        fcntl.fcntl(self.writing, fcntl.F_SETPIPE_SZ, 4096)

    def fill(self):
        """Until it takes not one byte more."""
        # A description of its own: whoever shares the pipe's other one goes on waiting for room.
        filling = os.open(f"/proc/self/fd/{self.writing}", os.O_WRONLY | os.O_NONBLOCK)
        with contextlib.suppress(BlockingIOError):
            while os.write(filling, b"\n"):
                pass
        os.close(filling)

    def close(self):
        os.close(self.reading)
        os.close(self.writing)


@pytest.fixture
def unread():
    pipe = Unread()
    yield pipe
    pipe.close()


def start(server: instance.Served, log: int) -> subprocess.Popen:
    """A server on the same settings, with its service log there."""
    process = subprocess.Popen(
        [instance.binary(), "serve", "--config", str(server.settings)], stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=log, env=instance.environment())

    def is_ready() -> bool:
        assert process.poll() is None
        return server.is_ready()

    instance.wait_until(is_ready, 30, "readiness")
    return process


def test_a_service_log_that_nobody_reads_holds_up_no_request_and_no_stop(serve, unread):
    server = serve("limits: {enabled: false}\n")
    assert server.stop() == 0
    process = start(server, unread.writing)
    try:
        unread.fill()
        # More than what signs a checkpoint: those after it would wait for its line.
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda _: server.issue(timeout=20), range(CHECKPOINT + 50)))
        # Each writes a line, and blocked one of the few threads that answer.
        for _ in range(4):
            process.send_signal(signal.SIGHUP)
            time.sleep(0.2)
        for path in ("/livez", "/readyz"):
            assert wire.send(server.management, "GET", path, timeout=10).status == 200
        server.issue(timeout=10)
        process.terminate()
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.wait()


def test_a_start_that_is_refused_says_why_also_after_what_it_has_logged(serve):
    server = serve()
    server.stop()
    server.settings.write_text(server.settings.read_text().replace("default_web_client: web", "default_web_client: nosuch"))
    done = subprocess.run(
        [instance.binary(), "serve", "--config", str(server.settings)], capture_output=True, text=True, timeout=60,
        env=instance.environment())
    assert done.returncode == 78
    assert "default_web_client" in done.stderr.splitlines()[-1] and '"level"' not in done.stderr.splitlines()[-1]


def test_a_demo_ends_with_its_terminal(start_demo):
    demo = start_demo()
    demo.signal(signal.SIGHUP)
    assert demo.popen.wait(30) == 0
    assert demo.audit()[-1]["type"] == "node.stopped"


def test_a_demo_without_a_folder_leaves_nothing_behind_when_its_terminal_is_closed(tmp_path):
    command = [instance.binary(), "demo", "--listen", f"127.0.0.1:{instance.free_port()}", "--management-listen",
               f"127.0.0.1:{instance.free_port()}", "--print-json"]
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env={**instance.environment(), "TMPDIR": str(tmp_path)})
    try:
        assert instance.next_line(process, 60).startswith("{")
        assert list(tmp_path.iterdir())
        process.send_signal(signal.SIGHUP)
        assert process.wait(30) == 0
        assert list(tmp_path.iterdir()) == []
    finally:
        process.kill()
        process.communicate()


def test_a_demo_that_nohup_keeps_running_outlives_its_terminal(start_demo):
    demo = start_demo(prefix=["nohup"])
    demo.signal(signal.SIGHUP)
    time.sleep(1)
    assert demo.popen.poll() is None and demo.session() is not None
    assert demo.stop() == 0
