"""A device without a browser, and the browser of whoever lets it in (RFC 8628)."""

from urllib.parse import urlsplit

import oauth
import wire

GRANT = "urn:ietf:params:oauth:grant-type:device_code"


class Device:
    """Waits with its code."""

    def __init__(self, demo, client: str = "demo-app", scope: str = "openid profile", at=None):
        self.demo, self.client = demo, client
        answer = oauth.post(at or demo, "/oauth/device_authorization", {"client_id": client, "scope": scope})
        assert answer.status == 200, answer.body
        assert answer.header("Cache-Control") == "no-store"
        self.facts = answer.json()
        self.user_code = self.facts["user_code"]

    def poll(self, client: str | None = None, at=None) -> wire.Answer:
        return oauth.token(at or self.demo, {
            "grant_type": GRANT, "device_code": self.facts["device_code"], "client_id": client or self.client})

    def error(self, **more) -> tuple[int, str]:
        answer = self.poll(**more)
        return answer.status, answer.json()["error"]

    def tokens(self) -> dict:
        answer = self.poll()
        assert answer.status == 200, answer.body
        return answer.json()


class Visitor(oauth.Browser):
    """A user's browser at `/device`."""

    def visit(self, target: str, user: str = "alice") -> wire.Answer:
        """Goes there, signing in where that is asked."""
        answer = self.request("GET", target)
        for _ in range(6):
            if answer.status == 303:
                location = urlsplit(answer.header("Location"))
                answer = self.request("GET", f"{location.path}?{location.query}" if location.query else location.path)
            elif any("password" in form["fields"] for form in oauth.Forms(answer.text).forms):
                person = self.demo.user(user)
                answer = self.submit(answer, username=person["username"], password=person["password"])
            else:
                return answer
        raise AssertionError("too many pages")

    def ask(self, code: str, user: str = "alice") -> wire.Answer:
        """The page that asks, by way of typing the code."""
        return self.submit(self.visit("/device", user), user_code=code)

    def decide(self, page: wire.Answer, decision: str = "allow") -> wire.Answer:
        form = next(form for form in oauth.Forms(page.text).forms if form["fields"].get("decision") == decision)
        return self.request("POST", form["action"], form["fields"], site="same-origin")

    def let_in(self, device: Device, user: str = "alice") -> wire.Answer:
        page = self.ask(device.user_code, user)
        assert page.status == 200, page.text
        answer = self.decide(page)
        assert answer.status == 200, answer.text
        return answer
