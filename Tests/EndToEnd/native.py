"""A native app and its browser: signs in through the real pages and speaks to the token endpoint."""

import re
import secrets
from html import unescape
from urllib.parse import parse_qs, urlencode, urljoin, urlsplit

import signing
import wire

#: Where an administrator reads and changes how Native SSO works.
SETTINGS = "/api/admin/settings/native-sso"
CALLBACK = "https://app.example.com/callback"
EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"
ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token"
DEVICE_SECRET = "urn:openid:params:token-type:device-secret"
OLD_DEVICE_SECRET = "urn:x-oath:params:oauth:token-type:device-secret"
LOGIN_TOKEN = "urn:drawbridge:params:oauth:token-type:login-token"
SCOPE = "openid profile offline_access device_sso"


class Browser:
    """A cookie jar for one origin, and forms."""

    def __init__(self, base: str):
        self.base = base
        self.jar: dict[str, str] = {}

    def send(self, method: str, target: str, headers: dict | None = None, body: bytes | None = None) -> wire.Answer:
        url = urlsplit(urljoin(self.base, target))
        target = url.path + ("?" + url.query if url.query else "")
        headers = {**wire.NAVIGATION, **(headers or {})}
        if self.jar:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.jar.items())
        answer = self.carry(method, target, headers, body)
        for name, cookie in answer.cookies.items():
            if cookie.attributes.get("max-age") == "0":
                self.jar.pop(name, None)
            else:
                self.jar[name] = cookie.value
        return answer

    def carry(self, method: str, target: str, headers: dict, body: bytes | None) -> wire.Answer:
        """To where the origin's pages come from."""
        return wire.send(self.base, method, target, headers, body)

    def submit(self, answer: wire.Answer, action: str, **fields: str) -> wire.Answer:
        """Posts a page's form with what it holds already."""
        form = re.search(rf'<form[^>]*action="{re.escape(action)}(?:\?[^"]*)?".*?</form>', answer.text, re.S).group(0)
        values = {
            unescape(name): unescape(value)
            for name, value in re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', form)
        }
        return self.send(
            "POST", action,
            {"Content-Type": wire.FORM, "Origin": self.base, "Sec-Fetch-Site": "same-origin"},
            urlencode({**values, **fields}).encode())

    def sign_in(self, target: str, user: dict) -> str:
        """Follows an authorization request through sign-in and consent; where it ends."""
        answer = self.send("GET", target)
        for _ in range(8):
            if answer.status == 303:
                location = answer.header("Location")
                if not location.startswith(self.base):
                    return location
                answer = self.send("GET", location)
            elif 'action="/sign-in' in answer.text:
                answer = self.submit(answer, "/sign-in", username=user["username"], password=user["password"])
            elif 'action="/oauth/consent"' in answer.text:
                answer = self.submit(answer, "/oauth/consent")
            else:
                raise AssertionError(f"{answer.status}: {answer.text[:2000]}")
        raise AssertionError("the sign-in goes in circles")


class App:
    """A native app on a device; `device` is what its apps share."""

    def __init__(self, demo, client_id: str = "demo-app", user: str = "alice", callback: str = CALLBACK):
        self.demo = demo
        self.client_id = client_id
        self.user = demo.user(user)
        self.callback = callback
        self.tokens: dict = {}

    def post(self, path: str, headers: dict | None = None, **parameters: str) -> wire.Answer:
        parameters.setdefault("client_id", self.client_id)
        return wire.send(
            self.demo.base, "POST", path, {"Content-Type": wire.FORM, "User-Agent": "ExampleApp/3.1", **(headers or {})},
            urlencode(parameters).encode())

    def token(self, headers: dict | None = None, **parameters: str) -> wire.Answer:
        return self.post("/oauth/token", headers, **parameters)

    def code(self, scope: str = SCOPE, browser: Browser | None = None, path: str = "/oauth/authorize") -> str:
        self.verifier = secrets.token_urlsafe(32)
        challenge = signing.challenge(self.verifier)
        query = urlencode({
            "response_type": "code", "client_id": self.client_id, "redirect_uri": self.callback, "scope": scope,
            "state": secrets.token_urlsafe(16), "code_challenge": challenge, "code_challenge_method": "S256"})
        location = (browser or Browser(self.demo.base)).sign_in(f"{path}?{query}", self.user)
        assert location.startswith(self.callback), location
        return parse_qs(urlsplit(location).query)["code"][0]

    def sign_in(self, scope: str = SCOPE, browser: Browser | None = None, **more: str) -> dict:
        answer = self.token(
            grant_type="authorization_code", code=self.code(scope, browser), redirect_uri=self.callback,
            code_verifier=self.verifier, **more)
        assert answer.status == 200, answer.text
        self.tokens = answer.json()
        return self.tokens

    def refresh(self, **more: str) -> wire.Answer:
        return self.token(grant_type="refresh_token", refresh_token=self.tokens["refresh_token"], **more)

    def native_sso(self, asking: str = "demo-app-b", **more: str) -> wire.Answer:
        return self.token(**{
            "grant_type": EXCHANGE, "client_id": asking, "subject_token": self.tokens["id_token"],
            "subject_token_type": ID_TOKEN, "actor_token": self.tokens["device_secret"],
            "actor_token_type": DEVICE_SECRET, **more})

    def cookies(self, headers: dict | None = None, path: str = "/oauth/token", **more: str) -> wire.Answer:
        return self.post(path, headers, **{
            "grant_type": EXCHANGE, "client_id": "demo-webview", "subject_token": self.tokens["access_token"],
            "subject_token_type": ACCESS_TOKEN, "actor_token": self.tokens["device_secret"],
            "actor_token_type": OLD_DEVICE_SECRET, **more})


def cookie_header(answer: wire.Answer) -> dict:
    """Every cookie that the answer sets, as a request would carry them."""
    return {"Cookie": "; ".join(f"{name}={cookie.value}" for name, cookie in answer.cookies.items())}


def session(demo, answer: wire.Answer) -> dict:
    return wire.send(demo.base, "GET", "/session", cookie_header(answer)).json()


class OrderedBrowser(Browser):
    """Keeps cookies by name and path, and takes an answer's lines in their order (RFC 6265 §5.3)."""

    def __init__(self, base: str):
        super().__init__(base)
        self.kept: dict[tuple[str, str], str] = {}

    def send(self, method: str, target: str, headers: dict | None = None, body: bytes | None = None) -> wire.Answer:
        path = urlsplit(target).path
        self.jar = {name: value for (name, place), value in self.kept.items() if path.startswith(place)}
        answer = super().send(method, target, headers, body)
        for line in answer.all("Set-Cookie"):
            pair, *rest = [part.strip() for part in line.split(";")]
            name, _, value = pair.partition("=")
            attributes = dict((part.partition("=")[0].lower(), part.partition("=")[2]) for part in rest)
            self.kept.pop((name, attributes["path"]), None)
            if attributes.get("max-age") != "0":
                self.kept[name, attributes["path"]] = value
        return answer

    def names(self, prefix: str) -> set[str]:
        return {name for name, _ in self.kept if name.startswith(prefix)}
