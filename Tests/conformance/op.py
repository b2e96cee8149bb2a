"""The provider under test, a website that signs its users in there, and the person with the browser."""

import secrets
import threading
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

import conditions
import oauth
import provider
import wire
from report import Report

#: The suite's own addresses, as its texts prescribe them for static clients.
HOST = "https://suite.example.com/test/a/drawbridge"
CALLBACK, QUERY_CALLBACK = f"{HOST}/callback", f"{HOST}/callback?foo=bar"
SIGNED_OUT, INITIATE_LOGIN = f"{HOST}/post_logout_redirect", f"{HOST}/initiate_login"
ADMIN, BASIC, SECOND, POST, QUERY, APP, INITIATED = (
    "conf-admin", "conf-basic-1", "conf-basic-2", "conf-post", "conf-query", "conf-app", "conf-initiated")
APP_REDIRECTS = ["com.example.conformance:/callback", "http://127.0.0.1/callback", "http://[::1]/callback",
                 "https://app.example.com/conformance/callback"]


#: All that a scope opens and an account does not have of itself.
CLAIMS = {
    "given_name": "Buffy", "family_name": "Summers", "middle_name": "Anne", "nickname": "Buff", "gender": "female",
    "profile": "https://people.example.com/buffy", "picture": "https://people.example.com/buffy.png",
    "website": "https://buffy.example.com", "birthdate": "1981-01-19", "zoneinfo": "America/Los_Angeles", "locale": "en-US",
    "phone_number": "+1 555 0100",
    "address": {"street_address": "1630 Revello Drive", "locality": "Sunnydale", "region": "CA", "country": "US"}}


class OP(provider.Provider):
    """The provider with the suite's static clients."""

    def __init__(self, folder: Path, backchannel_logout_uri: str):
        website = {
            "client_name": "Conformance", "redirect_uris": [CALLBACK], "post_logout_redirect_uris": [SIGNED_OUT],
            # The Basic plan sends no PKCE; a client for which it is required is the default.
            "require_pkce": False, "id_token_signed_response_alg": "RS256",
            "scope": "openid profile email address phone offline_access",
            "grant_types": ["authorization_code", "refresh_token"]}
        super().__init__(folder, {
            BASIC: {**website, "backchannel_logout_uri": backchannel_logout_uri},
            SECOND: website,
            POST: {**website, "token_endpoint_auth_method": "client_secret_post"},
            QUERY: {**website, "redirect_uris": [QUERY_CALLBACK, CALLBACK + "/other"]},
            INITIATED: {**website, "first_party": True, "initiate_login_uri": INITIATE_LOGIN, "landing": "initiate_login",
                        "public_origin": "https://suite.example.com", "return_paths": ["/test/*"],
                        "default_return_path": "/test/a/drawbridge"},
            ADMIN: {"client_type": "service", "grant_types": ["client_credentials"], "scope": "admin"},
            APP: {"client_type": "native", "client_name": "Conformance app", "redirect_uris": APP_REDIRECTS,
                  "grant_types": ["authorization_code", "refresh_token"], "scope": "openid profile"}}, claims=CLAIMS)


@dataclass
class Landing:
    """Where a browser ended: at an address that is not the provider's, or on one of its pages."""

    location: str | None
    page: wire.Answer | None
    #: What the person was shown on the way: "sign-in", "consent", "sign-out".
    shown: list[str] = field(default_factory=list)
    #: The fields of the form that the page posts there.
    posted: dict | None = None

    @property
    def answer(self) -> dict:
        """The parameters of the form or the query; nothing may be in the fragment."""
        if self.posted is not None:
            return self.posted
        assert self.location, (self.page.status, self.page.text[:1000])
        parts = urlsplit(self.location)
        assert not parts.fragment, self.location
        answer = parse_qs(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
        assert all(len(values) == 1 for values in answer.values()), self.location
        return {name: values[0] for name, values in answer.items()}


class Person(oauth.Browser):
    """A browser whose owner signs in, agrees and confirms wherever a page asks for it."""

    def __init__(self, op: OP, name: str = "buffy"):
        super().__init__(op)
        self.name = name

    def visit(self, target: str, form: dict | None = None) -> Landing:
        base, shown = self.demo.base, []
        answer = self.request("POST" if form is not None else "GET", target.removeprefix(base), form, "cross-site")
        for _ in range(10):
            if answer.status == 303:
                location = answer.header("Location")
                if not location.startswith((base + "/", "/")):
                    return Landing(location, None, shown)
                answer = self.request("GET", location.removeprefix(base))
                continue
            # The form of the sign-in has the page's own address, with what it is for.
            forms = {(form["action"] or "").partition("?")[0]: number
                     for number, form in enumerate(oauth.Forms(answer.text).forms)}
            outside = next((form for form in oauth.Forms(answer.text).forms
                            if not (form["action"] or "/").startswith((base + "/", "/"))), None)
            if answer.status == 200 and outside:
                assert outside["method"] == "post", outside
                return Landing(outside["action"], answer, shown, outside["fields"])
            if answer.status == 200 and "/sign-in" in forms:
                shown.append("sign-in")
                answer = self.submit(answer, forms["/sign-in"], **self.demo.user(self.name))
            elif answer.status == 200 and "/oauth/consent" in forms:
                shown.append("consent")
                answer = self.submit(answer, forms["/oauth/consent"], decision="allow")
            elif answer.status == 200 and "/oauth/logout" in forms:
                shown.append("sign-out")
                answer = self.submit(answer, forms["/oauth/logout"])
            else:
                return Landing(None, answer, shown)
        raise AssertionError(f"too many pages: {shown}")


@dataclass
class Login:
    """One flow through both endpoints, checked as the suite checks every flow."""

    request: dict
    shown: list[str]
    code: str
    answer: wire.Answer
    tokens: dict
    claims: dict


class Website:
    """The relying party that the suite plays, with one browser in front of it."""

    def __init__(self, op: OP, report: Report, client: str = BASIC, person: Person | None = None):
        self.op, self.report, self.client = op, report, client
        self.person = person or Person(op)

    def request(self, **changes) -> dict:
        """An authorization request; `None` leaves a parameter out."""
        request = {
            "client_id": self.client, "redirect_uri": CALLBACK, "scope": "openid", "state": secrets.token_urlsafe(8),
            "nonce": secrets.token_urlsafe(8), "response_type": "code",
            **({"response_mode": self.report.mode} if self.report.mode else {}), **changes}
        return {name: value for name, value in request.items() if value is not None}

    def authorize(self, request: dict, method: str = "GET") -> Landing:
        endpoint = self.op.metadata["authorization_endpoint"]
        landing = (self.person.visit(endpoint, request) if method == "POST"
                   else self.person.visit(f"{endpoint}?{urlencode(request)}"))
        if landing.location:
            posts = request.get("response_mode") == "form_post"
            self.report.must((landing.posted is not None) == posts,
                             f"the answer is posted where that was asked for: {landing}")
            if posts:
                self.check_form(landing, request)
        return landing

    def check_form(self, landing: Landing, request: dict):
        """What the suite's browser sees of Form Post Response Mode §2."""
        self.report.must(landing.location == request["redirect_uri"], "the form goes to the redirect URI, as it is")
        self.report.must("no-store" in landing.page.header("Cache-Control"), "no cache keeps the page")
        policy = landing.page.header("Content-Security-Policy")
        self.report.must("form-action" not in policy and "unsafe-inline" not in policy, f"the form may leave: {policy}")
        self.report.must('<button' in landing.page.text and "onload" not in landing.page.text, "it works without scripts")

    def code(self, landing: Landing, request: dict) -> str:
        """The code of a good answer."""
        assert landing.location and landing.location.startswith(request["redirect_uri"]), (landing, request)
        answer = landing.answer
        self.report.must("error" not in answer, f"no error: {answer}")
        self.report.must(answer.get("iss", self.op.issuer) == self.op.issuer, "iss is the issuer")
        self.report.must(answer.get("state") == request.get("state"), "state is the one sent")
        return answer["code"]

    def token(self, form: dict, authentication: str = "basic") -> wire.Answer:
        headers = self.op.basic(self.client) if authentication == "basic" else {}
        if authentication == "post":
            form = {**form, "client_id": self.client, "client_secret": self.op.secrets[self.client]}
        elif authentication == "none":
            form = {**form, "client_id": self.client}
        return self.op.send("POST", self.op.metadata["token_endpoint"], headers, urlencode(form))

    def redeem(self, code: str, request: dict, authentication: str = "basic", **more) -> wire.Answer:
        return self.token({"grant_type": "authorization_code", "code": code, "redirect_uri": request["redirect_uri"], **more},
                          authentication)

    def check_tokens(self, answer: wire.Answer, nonce: str | None) -> tuple[dict, dict]:
        """A good answer of the token endpoint; its ID token's claims."""
        self.report.must(answer.status == 200, f"the token endpoint answers 200, not {answer.status}: {answer.body}")
        tokens = answer.json()
        self.report.must(bool(tokens.get("access_token")), "there is an access token")
        if "expires_in" in tokens:
            self.report.must(type(tokens["expires_in"]) is int and 0 < tokens["expires_in"] <= 31_536_000,
                             "expires_in is sane")
        claims = conditions.check_id_token(
            self.report, tokens["id_token"], self.op.keys(), self.op.issuer, self.client, nonce)
        return tokens, claims

    def userinfo(self, access_token: str, how: str = "get") -> wire.Answer:
        endpoint, bearer = self.op.metadata["userinfo_endpoint"], {"Authorization": f"Bearer {access_token}"}
        if how == "body":
            return self.op.send("POST", endpoint, None, urlencode({"access_token": access_token}))
        return self.op.send("GET" if how == "get" else "POST", endpoint, bearer)

    def log_in(self, method: str = "GET", authentication: str = "basic", verifier: str | None = None, **changes) -> Login:
        """The whole flow."""
        request = self.request(**changes)
        landing = self.authorize(request, method)
        code = self.code(landing, request)
        answer = self.redeem(code, request, authentication, **({"code_verifier": verifier} if verifier else {}))
        tokens, claims = self.check_tokens(answer, request.get("nonce"))
        userinfo = self.userinfo(tokens["access_token"])
        self.report.must(userinfo.status == 200, f"userinfo answers 200, not {userinfo.status}")
        return Login(request, landing.shown, code, answer, tokens, claims)

    def expect_error(self, allowed: set[str], **changes):
        """A request that must come back with one of these errors."""
        request = self.request(**changes)
        landing = self.authorize(request)
        self.report.must(bool(landing.location) and landing.location.startswith(CALLBACK), f"the error comes back: {landing}")
        conditions.check_authorization_error(self.report, landing.answer, allowed, self.op.issuer, request.get("state"))

    def expect_page(self, **changes):
        """A request that must be answered with a page, and no redirect."""
        landing = self.authorize(self.request(**changes))
        self.report.must(landing.location is None and landing.page.status == 400, f"an error page, no redirect: {landing}")
        self.report.must("text/html" in landing.page.header("Content-Type"), "the page is a page")

    def expect_signed_out(self):
        """What the suite asks after a logout."""
        self.expect_error(conditions.NEEDS_A_PERSON, prompt="none", state=secrets.token_urlsafe(96))


class ReuseLater:
    """`oidcc-codereuse-30seconds` waits half a minute; the other modules run meanwhile."""

    def __init__(self, op: OP, mode: str | None):
        self.website = Website(op, Report("oidcc-codereuse-30seconds", mode))
        self.login = self.website.log_in()
        self.second = self.userinfo = None
        self.thread = threading.Timer(30, self.reuse)
        self.thread.start()

    def reuse(self):
        self.second = self.website.redeem(self.login.code, self.login.request)
        self.userinfo = self.website.userinfo(self.login.tokens["access_token"])


def leave(website, **changes):
    """A sign-in, then the way to the end session endpoint with what the suite sends, changed."""
    login = website.log_in(state=secrets.token_urlsafe(96))
    state = secrets.token_urlsafe(96)
    request = {"id_token_hint": login.tokens["id_token"], "post_logout_redirect_uri": SIGNED_OUT, "state": state, **changes}
    request = {name: value(login.tokens["id_token"]) if callable(value) else value
               for name, value in request.items() if value is not None}
    return website.person.visit(f"{website.op.metadata['end_session_endpoint']}?{urlencode(request)}"), state


def admin(op) -> dict:
    """What a request to the administration API carries."""
    answer = op.send("POST", op.metadata["token_endpoint"], op.basic(ADMIN), urlencode({"grant_type": "client_credentials"}))
    return {"Authorization": f"Bearer {answer.json()['access_token']}"}
