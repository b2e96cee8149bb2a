"""A native app and a website as OAuth clients, and a browser of the smallest kind: cookies, forms, redirects."""

import base64
import secrets
from html.parser import HTMLParser
from urllib.parse import parse_qs, quote, urlencode, urlsplit

import instance
import signing
import wire

APP_REDIRECT = "http://127.0.0.1/callback"
RP_REDIRECT = "https://rp.example.com/callback"


class Forms(HTMLParser):
    """The forms of a page: action and fields."""

    def __init__(self, html: str):
        super().__init__()
        self.forms: list[dict] = []
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if tag == "form":
            self.forms.append({"action": values.get("action"), "method": values.get("method", "get"), "fields": {}})
        elif tag == "input" and self.forms and values.get("name") and (
                values.get("type") not in ("checkbox", "radio") or "checked" in values):
            self.forms[-1]["fields"][values["name"]] = values.get("value", "")


class Browser:
    """Keeps cookies and goes where it is sent, as long as that is here."""

    def __init__(self, demo: instance.Demo):
        self.demo = demo
        self.cookies: dict[str, str] = {}

    def request(self, method: str, target: str, form: dict | None = None, site: str = "none") -> wire.Answer:
        headers = {**wire.NAVIGATION, "Sec-Fetch-Site": site}
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        if method == "POST":
            headers["Origin"] = self.demo.base if site == "same-origin" else "https://rp.example.com"
        answer = self.demo.send(method, target, headers, urlencode(form) if form is not None else None)
        for name, cookie in answer.cookies.items():
            if cookie.value:
                self.cookies[name] = cookie.value
            else:
                self.cookies.pop(name, None)
        return answer

    def submit(self, answer: wire.Answer, number: int = 0, **values) -> wire.Answer:
        form = Forms(answer.text).forms[number]
        return self.request("POST", form["action"], {**form["fields"], **values}, site="same-origin")

    def go(self, target: str, user: str) -> str:
        """Signs in and agrees wherever that is asked; the first address that is not here."""
        answer = self.request("GET", target)
        for _ in range(10):
            if answer.status == 303:
                location = answer.header("Location")
                if not location.startswith((self.demo.base, "/")):
                    return location
                answer = self.request("GET", location.removeprefix(self.demo.base))
                continue
            assert answer.status == 200, (answer.status, answer.text[:2000])
            fields = Forms(answer.text).forms[0]["fields"]
            if "password" in fields:
                person = self.demo.user(user)
                answer = self.submit(answer, username=person["username"], password=person["password"])
            else:
                answer = self.submit(answer)
        raise AssertionError("too many pages")

    def authorize(self, user: str = "alice", client: str = "demo-app", redirect: str = APP_REDIRECT,
                  scope: str = "openid profile offline_access", verifier: str | None = None, **more) -> dict:
        """A code, with everything else that the answer says."""
        parameters = {"response_type": "code", "client_id": client, "redirect_uri": redirect, "scope": scope,
                      "state": secrets.token_urlsafe(8), **more}
        if verifier:
            parameters |= {"code_challenge": signing.challenge(verifier), "code_challenge_method": "S256"}
        location = self.go("/oauth/authorize?" + urlencode(parameters), user)
        assert location.startswith(redirect), location
        answer = {name: values[0] for name, values in parse_qs(urlsplit(location).query).items()}
        assert answer["state"] == parameters["state"] and answer["iss"] == self.demo.facts["issuer"], answer
        return answer


def basic(demo: instance.Demo, client: str) -> dict:
    secret = demo.client(client)["client_secret"]
    return {"Authorization": "Basic " + base64.b64encode(f"{quote(client)}:{quote(secret)}".encode()).decode()}


def post(demo: instance.Demo, path: str, form: dict | str, headers: dict | None = None) -> wire.Answer:
    return demo.send("POST", path, headers, form if isinstance(form, str) else urlencode(form))


def token(demo: instance.Demo, form: dict | str, headers: dict | None = None) -> wire.Answer:
    return post(demo, "/oauth/token", form, headers)


def redeem(demo: instance.Demo, code: str, verifier: str | None, client: str = "demo-app",
           redirect: str | None = APP_REDIRECT, headers: dict | None = None) -> wire.Answer:
    form = {"grant_type": "authorization_code", "code": code}
    if headers is None:
        form["client_id"] = client
    if redirect:
        form["redirect_uri"] = redirect
    if verifier:
        form["code_verifier"] = verifier
    return token(demo, form, headers)


def sign_in(demo: instance.Demo, user: str = "alice", browser: Browser | None = None, **more) -> dict:
    """The app's tokens after a sign-in in a browser."""
    verifier = secrets.token_urlsafe(48)
    answer = (browser or Browser(demo)).authorize(user, verifier=verifier, **more)
    tokens = redeem(demo, answer["code"], verifier)
    assert tokens.status == 200, tokens.body
    return tokens.json()


def refresh(demo: instance.Demo, refresh_token: str, client: str = "demo-app", **more) -> wire.Answer:
    return token(demo, {"grant_type": "refresh_token", "refresh_token": refresh_token, "client_id": client, **more})


def userinfo(demo: instance.Demo, access_token: str) -> wire.Answer:
    return demo.send("GET", "/oauth/userinfo", {"Authorization": f"Bearer {access_token}"})


def introspect(demo: instance.Demo, presented: str, client: str = "demo-admin") -> dict:
    answer = post(demo, "/oauth/introspect", {"token": presented}, basic(demo, client))
    assert answer.status == 200, answer.body
    return answer.json()


def error(answer) -> tuple[int, str]:
    return answer.status, answer.json()["error"]
