"""A portal and the websites that it hands its visitors to."""

import json
import secrets
from urllib.parse import parse_qs, urlencode, urlsplit

import instance
import signing
import wire
from admin import admin, change
from native import Browser

OTHER, THIRD = "www.other.example", "www.third.example"
HAND_OFF = "/session/hand-off"
CROSS_SITE = {**wire.NAVIGATION, "Sec-Fetch-Site": "cross-site"}


class Portal:
    """An instance whose website is a portal to two others, which have domains of their own."""

    def __init__(self, *flags: str):
        self.demo = demo = instance.Demo(*flags)
        for name, host in [("other", OTHER), ("third", THIRD)]:
            made = admin(demo, "POST", "/api/admin/clients", {
                "client_id": name, "client_type": "web", "public_origin": f"https://{host}",
                "return_paths": ["/contacts", "/account/*"], "default_return_path": "/contacts"})
            assert made.status == 201, made.text
        change(demo, "demo-web", portal=True, may_reach=["other"])
        change(demo, "third", portal=True, may_reach=["other", "third"])

    def person(self, name: str = "alice") -> Browser:
        """Signed in at the portal, by the sign-in page."""
        browser, user = Browser(self.demo.base), self.demo.user(name)
        answer = browser.submit(browser.send("GET", "/sign-in"), "/sign-in", username=user["username"],
                                password=user["password"])
        assert answer.status == 303 and wire.SESSION_COOKIE in browser.jar, answer.text
        return browser

    def at(self, host: str, target: str, headers: dict | None = None, cookie: str | None = None, **more) -> wire.Answer:
        """At a website's own domain, whose proxy leads Drawbridge's paths there."""
        headers = {**(wire.NAVIGATION if headers is None else headers), "Host": host}
        return self.demo.send("GET", target, {**headers, **({"Cookie": cookie} if cookie else {})}, **more)

    def follow(self, browser: Browser, state: str, website: str = "other", headers: dict | None = None, **more):
        query = urlencode({"client_id": website, "state": state, **more})
        return browser.send("GET", f"{HAND_OFF}?{query}", headers or CROSS_SITE)

    def land(self, location: str, state: str | None, headers: dict | None = None) -> wire.Answer:
        url = urlsplit(location)
        assert f"{url.scheme}://{url.netloc}" == f"https://{OTHER}" and url.path == "/login-with-token", location
        cookie = f"__Host-drawbridge_handoff={state}" if state else None
        return self.at(OTHER, f"{url.path}?{url.query}", headers or CROSS_SITE, cookie)

    def make(self, browser: Browser, headers: dict | None = None, **fields) -> wire.Answer:

        headers = {"Content-Type": "application/json", "Origin": self.demo.base, "Sec-Fetch-Site": "same-origin",
                   "Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty", "Accept": "application/json", **(headers or {})}
        return browser.send("POST", HAND_OFF, headers, json.dumps(fields).encode())

    def status(self, location: str) -> str:
        """What became of a link's token."""

        token_id = signing.claims_of(parse_qs(urlsplit(location).query)["token"][0])["jti"]
        return self.demo.query("SELECT state FROM login_token_use WHERE token_id = ?", token_id)[0][0]


def new_state() -> str:
    return secrets.token_urlsafe(16)
