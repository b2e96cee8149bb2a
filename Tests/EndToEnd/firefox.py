"""Firefox, spoken to over WebDriver BiDi, which it has by itself: no driver beside it is needed."""

import itertools
import json
import os
import shutil
import subprocess
import tempfile

import websocket

import instance

FIREFOX = os.environ.get("FIREFOX_BINARY") or shutil.which("firefox-esr") or shutil.which("firefox")


class Firefox:
    """One process without a window; each `Person` in it has cookies of their own."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="drawbridge-firefox-")
        log = os.path.join(self.folder, "stderr.log")
        with open(log, "wb") as errors:
            self.process = subprocess.Popen(
                [FIREFOX, "--headless", "--no-remote", "--profile", self.folder, "--remote-debugging-port", "0"],
                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors,
                env={**os.environ, "HOME": self.folder, "MOZ_CRASHREPORTER_DISABLE": "1"})

        def address() -> str | None:
            lines = [line for line in open(log, errors="replace") if "BiDi listening on" in line and line.endswith("\n")]
            return lines[0].split()[-1] if lines else None

        try:
            url = instance.wait_until(address, 60, "Firefox")
            self.socket = websocket.create_connection(f"{url}/session", timeout=30, suppress_origin=True)
        except BaseException:
            self.close()
            raise
        self.ids = itertools.count(1)
        self.call("session.new", capabilities={"alwaysMatch": {"acceptInsecureCerts": True}})

    def call(self, method: str, **parameters) -> dict:
        number = next(self.ids)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while (answer := json.loads(self.socket.recv())).get("id") != number:
            pass
        if answer["type"] != "success":
            raise RuntimeError(f"{method}: {answer.get('error')}: {answer.get('message')}")
        return answer["result"]

    def person(self) -> "Person":
        return Person(self)

    def close(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Person:
    """A tab in a container of its own."""

    def __init__(self, firefox: Firefox):
        self.firefox = firefox
        self.container = firefox.call("browser.createUserContext")["userContext"]
        self.tab = firefox.call("browsingContext.create", type="tab", userContext=self.container)["context"]

    def open(self, url: str, wait: str = "complete"):
        """`none` for a page that goes on by itself, which would break the wait off."""
        self.firefox.call("browsingContext.navigate", context=self.tab, url=url, wait=wait)

    def reload(self):
        self.firefox.call("browsingContext.reload", context=self.tab, wait="complete")

    def back(self):
        self.firefox.call("browsingContext.traverseHistory", context=self.tab, delta=-1)

    def script(self, expression: str):
        result = self.firefox.call("script.evaluate", expression=expression, target={"context": self.tab}, awaitPromise=True)
        assert result["type"] == "success", result
        return result["result"].get("value")

    def says(self, expression: str):
        """The same of a page that may be on its way out: nothing then."""
        try:
            return self.script(expression)
        except RuntimeError:
            return None

    @property
    def url(self) -> str:
        return self.firefox.call("browsingContext.getTree", root=self.tab)["contexts"][0]["url"]

    @property
    def text(self) -> str:
        return self.script("document.body ? document.body.innerText : ''")

    def cookies(self) -> dict[str, dict]:
        partition = {"type": "storageKey", "userContext": self.container}
        return {cookie["name"]: cookie for cookie in self.firefox.call("storage.getCookies", partition=partition)["cookies"]}
