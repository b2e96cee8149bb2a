"""`drawbridge-app`: started for real, with a browser of the test's choice and a home of its own."""

import os
import subprocess
import urllib.request
from collections.abc import Sequence
from pathlib import Path

import instance
import native


def binary() -> str:
    return str(Path(instance.binary()).with_name("drawbridge-app"))


class Desktop:
    """One user's desktop: where secrets lie, and what opens when an app opens the browser."""

    def __init__(self, demo, home: Path, store: str = "file", prefix: Sequence[str] = ()):
        self.home, self.prefix = home, prefix
        self.opened = home / "opened"
        browser = home / "browser"
        # What a desktop's default browser would be given; the test opens it in Chromium.
        browser.write_text(f'#!/bin/sh\nprintf "%s" "$1" > "{self.opened}.part" && mv "{self.opened}.part" "{self.opened}"\n')
        browser.chmod(0o755)
        self.environment = {
            **os.environ, "HOME": str(home), "XDG_DATA_HOME": str(home / "data"), "BROWSER": str(browser),
            "DRAWBRIDGEAPP_ISSUER": demo.facts["issuer"], "DRAWBRIDGEAPP_STORE": store}

    @property
    def secrets(self) -> Path:
        return self.home / "data" / "drawbridge-app"

    def run(self, *arguments: str, status: int = 0) -> str:
        """Runs one command to its end; what it said."""
        done = subprocess.run(
            [*self.prefix, binary(), *arguments], env=self.environment, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=60)
        assert done.returncode == status, (arguments, done.returncode, done.stdout, done.stderr)
        return done.stdout + done.stderr

    def start(self, *arguments: str) -> "Running":
        self.opened.unlink(missing_ok=True)
        return Running(self, arguments)

    def address(self) -> str:
        """What the app opened in the browser."""
        return instance.wait_until(
            lambda: self.opened.read_text() if self.opened.exists() else None, 30, "an address in the browser")


class Running:
    """A command that waits for its browser."""

    def __init__(self, desktop: Desktop, arguments: tuple):
        self.popen = subprocess.Popen(
            [*desktop.prefix, binary(), *arguments], env=desktop.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def end(self, status: int = 0) -> str:
        out, err = self.popen.communicate(timeout=60)
        assert self.popen.returncode == status, (self.popen.returncode, out, err)
        return out + err


def sign_in_by_hand(demo, user, *arguments: str) -> str:
    """Signs in without Chromium, for tests that are about what comes after."""
    running = user.start("sign-in", *arguments)
    answer = native.Browser(demo.base).sign_in(user.address(), demo.user("alice"))
    assert_answered(answer)
    return running.end()


def assert_answered(address: str):
    with urllib.request.urlopen(address, timeout=10) as page:
        assert page.status == 200
