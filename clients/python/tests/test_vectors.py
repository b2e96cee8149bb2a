"""Plays every case of clients/vectors that concerns this library; the scripted server says what is wrong."""

import concurrent.futures
import http.client
import json
import os
import pathlib
import subprocess
import sys
import traceback
import unittest
from urllib.parse import urlsplit

FOLDER = pathlib.Path(__file__).parents[1]
ROOT = FOLDER.parents[1]
sys.path.insert(0, str(FOLDER))

from drawbridge_client import Drawbridge, DrawbridgeError, MemoryStore  # noqa: E402

SKIPS = json.loads((FOLDER / "skips.json").read_text())


def ask(address: str, method: str = "GET", body: dict | None = None):
    url = urlsplit(address)
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=30)
    try:
        target = url.path + (f"?{url.query}" if url.query else "")
        data = None if body is None else json.dumps(body)
        connection.request(method, target, data, {"Content-Type": "application/json"} if body is not None else {})
        response = connection.getresponse()
        return response.status, response.headers, response.read()
    finally:
        connection.close()


class Kept(MemoryStore):
    @property
    def values(self) -> list:
        return list(self._kept.values())


class Log:
    def __init__(self):
        self.lines = []

    def debug(self, line):
        self.lines.append(line)


class Device:
    """What is kept, logged and shown on the device of one run."""

    def __init__(self, run: dict):
        self.run, self.elapsed, self.log, self.store = run, 0, Log(), Kept()
        self.waits, self.view, self.cleared, self.apps = [], [], [], {}

    def app(self, name: str) -> Drawbridge:
        if name not in self.apps:
            own = self.run["apps"][name]
            self.apps[name] = Drawbridge(
                own["issuer"], own["client_id"], redirect_uri=own["redirect_uri"], sharing=own["shares"], dpop=own["dpop"],
                store=self.store, timeout=self.run["timeout_ms"] / 1000, now=lambda: self.now(name), sleep=self.sleep,
                logger=self.log, browser=self, web_view=self)
        return self.apps[name]

    def now(self, name: str) -> float:
        return self.run["now"] + (self.run["apps"][name].get("clock_off") or 0) + self.elapsed

    def sleep(self, seconds: float):
        self.waits.append(seconds)
        self.elapsed += seconds

    # Browser and web view

    def open(self, address: str) -> str:
        status, headers, _ = ask(address)
        if status in (204, 408):
            raise DrawbridgeError("cancelled" if status == 204 else "timed_out")
        return headers.get("Location", "")

    def set_cookie(self, cookie):
        self.view.append(f"set {cookie.name}")

    def load(self, url: str):
        self.view.append(f"load {url}")

    def remove_cookie(self, place: dict):
        self.cleared.append(place["name"])

    def do(self, step: dict):
        self.elapsed += step["after"]
        if "together" not in step:
            return self.report(step)
        for one in step["together"]:
            self.app(one["app"])
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            return list(pool.map(self.report, step["together"]))

    def report(self, step: dict) -> dict:
        try:
            outcome, printed = self.act(self.app(step["app"]), step)
            self.log.debug(f"{printed!r} {printed}")
            return outcome
        except DrawbridgeError as error:
            self.log.debug("".join(traceback.format_exception(error)) + repr(error) + repr(vars(error)))
            return {**failure(error), "cleared": sorted(self.cleared)}

    def act(self, app: Drawbridge, step: dict) -> tuple:
        match step["do"]:
            case "sign_in":
                wishes = {name: step.get(name) for name in ("login_hint", "acr_values", "max_age", "prompt")}
                claims = app.sign_in(**wishes)
                return {"outcome": "signed_in", "subject": claims["sub"]}, claims
            case "sign_in_silently":
                result = app.sign_in_silently()
                if result.claims:
                    return {"outcome": "signed_in", "subject": result.claims["sub"]}, result
                problem = failure(result.error) if result.error else {}
                return {"outcome": "needs_sign_in", "reason": result.reason, **problem}, result
            case "open_url" | "open_url_with_header":
                carrier = "query" if step["do"] == "open_url" else "header"
                link = app.open_url(step.get("path"), website=step.get("website"), bearer=step.get("bearer"), carrier=carrier)
                life = link.expires_at - self.now(step["app"])
                said = {"outcome": "link", "url": link.url, "headers": link.headers, "code": link.code, "expires_in": life}
                return said, link
            case "access_token":
                return {"outcome": "token", "token": app.access_token()}, app
            case "person":
                person = app.person()
                return {"outcome": "person", "subject": person["sub"], "name": person.get("name")}, person
            case "cookies":
                cookies = app.cookies(step["url"], step["web_view"])
                said = [{name: getattr(cookie, name) for name in ("name", "value", "path", "http_only", "same_site", "domain")}
                        for cookie in cookies]
                return {"outcome": "cookies", "cookies": sorted(said, key=lambda cookie: cookie["name"])}, cookies
            case "open_web_view":
                self.view.clear()
                app.open_web_view(step["url"], step["web_view"])
                first = next(at for at, line in enumerate(self.view) if not line.startswith("set "))
                return {"outcome": "opened", "order": sorted(self.view[:first]) + self.view[first:]}, app
            case "device_sign_in":
                shown = []
                self.waits.clear()
                claims = app.sign_in_by_device(shown.append)
                said = {"outcome": "signed_in", "subject": claims["sub"], "user_code": shown[0].user_code, "waits": self.waits}
                return said, claims
            case "sign_out":
                app.sign_out(step.get("extent") or "device")
                return {"outcome": "signed_out", "cleared": sorted(self.cleared)}, app
        raise AssertionError(step["do"])


def failure(error: DrawbridgeError) -> dict:
    return {"error": error.code, "oauth": error.oauth, "seconds": error.seconds, "request_id": error.request_id,
            "page": error.page, "acr_values": error.acr_values, "max_age": error.max_age, "sentence": str(error)}


class Vectors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        binary = os.environ.get("DRAWBRIDGE_BINARY") or str(ROOT / ".build/debug/drawbridge")
        own = {name: value for name, value in os.environ.items() if not name.startswith("DRAWBRIDGE_")}
        cls.server = subprocess.Popen(
            [binary, "vectors", "serve", "--vectors", str(ROOT / "clients/vectors"), "--until-input-closes"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=own, text=True)
        cls.url = cls.server.stdout.readline().strip()
        assert cls.url, "the scripted server does not start"

    @classmethod
    def tearDownClass(cls):
        cls.server.terminate()
        cls.server.communicate()

    def test_every_case(self):
        cases = json.loads(ask(f"{self.url}/cases")[2])["cases"]
        wanted = [case for case in cases if case["id"] not in SKIPS["cases"] and not set(case["needs"]) & set(SKIPS["needs"])]
        files = [*(ROOT / "clients/vectors/cases").glob("*.json")]
        self.assertEqual(len(cases), sum(len(json.loads(file.read_text())["cases"]) for file in files))
        self.assertGreater(len(wanted), 400)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for case, problems in zip(wanted, pool.map(self.play, wanted)):
                with self.subTest(f"{case['id']}: {case['proves']}"):
                    self.assertEqual(problems, [])

    def play(self, case: dict) -> list:
        try:
            run = json.loads(ask(f"{self.url}/case/{case['id']}?library=python", "POST")[2])
            device = Device(run)
            outcomes = [device.do(step) for step in run["steps"]]
            report = {"outcomes": outcomes, "log": "\n".join(device.log.lines), "store": device.store.values}
            return json.loads(ask(f"{self.url}/run/{run['run']}/result", "POST", report)[2])["problems"]
        except Exception:
            return [traceback.format_exc()]


if __name__ == "__main__":
    unittest.main()
