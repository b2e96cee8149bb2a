"""An app, a website within its reach and one out of it, and browsers that came by a login link (contract §16)."""

import base64
import secrets
from urllib.parse import parse_qs, urlencode, urlsplit

import instance
import native
import oauth
import signing
import wire
from native import App, Browser

RP_CALLBACK = "https://reached.example.com/callback"


class World:
    """Clients of the test's own, on one node of `nodes` and known to all of them."""

    def __init__(self, *nodes, **website):
        self.nodes = nodes
        self.demo = nodes[0]
        document = {
            "client_type": "web", "redirect_uris": [RP_CALLBACK], "require_pkce": False, "first_party": True,
            "grant_types": ["authorization_code", "refresh_token"], "scope": "openid profile email offline_access"}
        self.website = self.client({**document, "client_name": "Reached", **website})
        self.stranger = self.client({**document, "client_name": "Out of reach"})
        self.app_client = self.client({
            "client_name": "App", "client_type": "native", "can_issue_login_tokens": True, "first_party": True,
            "may_reach": ["demo-web", self.website["client_id"]], "redirect_uris": [native.CALLBACK],
            "grant_types": ["authorization_code", "refresh_token", native.EXCHANGE],
            "scope": "openid profile email offline_access device_sso", "native_sso_enabled": True,
            "share_with": ["demo-webview"]})
        for node in nodes:
            # The clients of before come with this one.
            instance.wait_until(lambda: self.is_known_at(node), 30, "the clients to be known")

    def is_known_at(self, node) -> bool:
        return asks_to_sign_in(wire.send(node.base, "GET", authorize_target(self.app_client)))

    def client(self, document: dict) -> dict:
        answer = self.demo.send(
            "POST", "/api/admin/clients", {"Authorization": f"Bearer {self.demo.facts['admin_token']}"}, document)
        assert answer.status == 201, answer.body
        return answer.json()

    def app(self, user: str = "alice", **more) -> App:
        app = App(self.demo, self.app_client["client_id"], user)
        app.sign_in(**more)
        return app

    def login_token(self, app: App, node=None, **fields) -> dict:
        answer = issue(app, node or self.demo, **fields)
        assert answer.status == 200, answer.body
        return answer.json()

    def handed_off(self, app: App, node=None) -> Browser:
        """A browser that redeemed the app's login link."""
        node = node or self.demo
        browser = Browser(node.base)
        opened = browser.send("GET", f"/login-with-token?token={self.login_token(app)['token']}")
        assert opened.status == 303 and opened.session_cookie, opened
        return browser

    def authorize(self, browser: Browser, client: dict, scope: str = "openid", **more) -> wire.Answer:
        """The first answer, before anybody typed anything."""
        return browser.send("GET", authorize_target(client, scope, **more))

    def code(self, browser: Browser, client: dict, scope: str = "openid", **more) -> str:
        """The code that a browser gets without being asked."""
        location = self.authorize(browser, client, scope, **more).header("Location")
        assert location.startswith(redirect_uri(client)), location
        found = parse_qs(urlsplit(location).query)
        assert "code" in found, found
        return found["code"][0]

    def redeem_code(self, client: dict, code: str, node=None) -> wire.Answer:
        form = {"grant_type": "authorization_code", "code": code, "redirect_uri": redirect_uri(client)}
        headers = {"Content-Type": wire.FORM}
        if secret := client.get("client_secret"):
            headers["Authorization"] = "Basic " + base64.b64encode(f"{client['client_id']}:{secret}".encode()).decode()
        else:
            form |= {"client_id": client["client_id"], "code_verifier": VERIFIER}
        return (node or self.demo).send("POST", "/oauth/token", headers, urlencode(form).encode())

    def tokens(self, browser: Browser, client: dict, scope: str = "openid", **more) -> dict:
        answer = self.redeem_code(client, self.code(browser, client, scope, **more))
        assert answer.status == 200, answer.body
        return answer.json()


VERIFIER = secrets.token_urlsafe(48)


def redirect_uri(client: dict) -> str:
    return native.CALLBACK if client["client_type"] == "native" else RP_CALLBACK


def authorize_target(client: dict, scope: str = "openid", **more) -> str:
    query = {"response_type": "code", "client_id": client["client_id"], "redirect_uri": redirect_uri(client),
             "scope": scope, "state": secrets.token_urlsafe(8), **more}
    if client["client_type"] == "native":
        query |= {"code_challenge": signing.challenge(VERIFIER), "code_challenge_method": "S256"}
    return "/oauth/authorize?" + urlencode(query)


def issue(app: App, node=None, access_token: str | None = None, **fields) -> wire.Answer:
    bearer = {"Authorization": f"Bearer {access_token or app.tokens['access_token']}"}
    return (node or app.demo).send("POST", "/api/auth/create-sso-token", bearer, fields)


def session(browser: Browser, node=None) -> dict:
    cookie = "; ".join(f"{name}={value}" for name, value in browser.jar.items())
    return wire.send(node.base if node else browser.base, "GET", "/session", {"Cookie": cookie}).json()


def is_signed_in(browser: Browser, node=None) -> bool:
    return session(browser, node)["authenticated"]


def is_alive(node, access_token: str) -> bool:
    return oauth.userinfo(node, access_token).status == 200


def asks_to_sign_in(answer: wire.Answer) -> bool:
    """Whether the person is sent to the sign-in page, and nobody gets anything."""
    return answer.status == 303 and "/sign-in?" in answer.header("Location")


def error(answer: wire.Answer) -> str | None:
    """What an authorization was refused with."""
    return parse_qs(urlsplit(answer.header("Location") or "").query).get("error", [None])[0]


def revoke_device_secret(app: App) -> wire.Answer:
    return app.post("/oauth/revoke", token=app.tokens["device_secret"])


def sign_out(browser: Browser) -> wire.Answer:
    return browser.send("POST", "/session/logout", {"Origin": browser.base, "Sec-Fetch-Site": "same-origin"})
