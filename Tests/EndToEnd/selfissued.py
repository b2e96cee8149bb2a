"""A phone that is an OpenID Provider of its own, made with joserfc: it reads the request as a phone does, and answers in
each of the forms. And the browser that it answers through."""

import hashlib
import html
import json
import re
import time
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import ECKey, OKPKey, RSAKey
from selenium.webdriver.common.by import By

import oauth
import signing
import wire

SETTINGS = "self_issued:\n  enabled: true\n"
URN = "urn:ietf:params:oauth:jwk-thumbprint:sha-256:"
ALGORITHMS = {"EC": "ES256", "RSA": "RS256", "OKP": "EdDSA"}


class Phone:
    def __init__(self, kind: str = "EC"):
        self.key = {"EC": lambda: ECKey.generate_key("P-256"), "RSA": lambda: RSAKey.generate_key(2048),
                    "OKP": lambda: OKPKey.generate_key("Ed25519")}[kind]()
        self.alg = ALGORITHMS[kind]
        public = self.key.as_dict(private=False)
        names = {"EC": ("crv", "kty", "x", "y"), "RSA": ("e", "kty", "n"), "OKP": ("crv", "kty", "x")}[kind]
        self.jwk = {name: public[name] for name in names}
        self.canonical = json.dumps(self.jwk, separators=(",", ":"), sort_keys=True)
        self.thumbprint = signing.b64url(hashlib.sha256(self.canonical.encode()).digest())

    def sign(self, claims: dict, **header) -> str:
        return jwt.encode({"alg": self.alg, **header}, claims, self.key, algorithms=[self.alg])

    def id_token(self, request: dict, form: str = "seed2012", **more) -> str:
        now = int(time.time())
        claims = {"nonce": request["nonce"], "iat": now, "exp": now + 300}
        claims |= {
            "seed2012": {"iss": self.canonical, "user_id": self.canonical, "aud": request["client_id"]},
            "core7": {"iss": "https://self-issued.me", "sub": self.thumbprint, "sub_jwk": self.jwk,
                      "aud": request["redirect_uri"]},
            "siopv2": {"iss": URN + self.thumbprint, "sub": URN + self.thumbprint, "sub_jwk": self.jwk,
                       "aud": request["client_id"]},
            "siopv2-legacy": {"iss": "https://self-issued.me/v2", "sub": self.thumbprint, "sub_jwk": self.jwk,
                              "aud": request["client_id"]},
        }[form]
        return self.sign({**claims, **more})

    def answer(self, request: dict, form: str = "seed2012", told: dict | None = None, **more) -> dict:
        """The parameters of the fragment."""
        answer = {"state": request["state"], "id_token": self.id_token(request, form, **more)}
        if form == "seed2012":
            access = "SlAV32hkKG"
            answer["id_token"] = self.id_token(request, form, at_hash=signing.half_hash(access), **more)
            answer |= {"access_token": access, "token_type": "Bearer", "userinfo_token": self.sign(
                {"iss": self.canonical, "user_id": self.canonical, "aud": request["client_id"], **(told or {})})}
        return answer


def link_of(page: str, element: str) -> str:
    return html.unescape(re.search(rf'id="{element}" href="([^"]+)"', page)[1])


class Trusted:
    """A server whose certificate is the test's own: `authority` is a PEM file."""

    def __init__(self, server, authority):
        self.server, self.base, self.authority = server, server.base, authority

    def send(self, *arguments, **more) -> wire.Answer:
        return self.server.send(*arguments, cafile=str(self.authority), **more)

    def user(self, name: str) -> dict:
        return self.server.user(name)


class Browser(oauth.Browser):
    """A browser that signs in with a phone."""

    def start(self, query: str = "") -> dict:
        """Begins, and reads the request as the phone does: the link, then the file that it names."""
        page = self.request("GET", "/self-issued/start" + query)
        assert page.status == 200, page.text
        self.page = page
        return self.read(link_of(page.text, "open-scheme"))

    def read(self, link: str) -> dict:
        assert link.startswith(("openid://authz?", "openid://?", "siopv2://?")), link
        query = {name: values[0] for name, values in parse_qs(urlsplit(link).query, strict_parsing=True).items()}
        if "request_uri" in query:
            path = query["request_uri"].removeprefix(self.demo.base)
            file = self.demo.send("GET", path).json()
            query |= {"client_id": file["client_id"], "redirect_uri": file["redirect_uri"]}
        return {"redirect_uri": query["client_id"], **query}

    def respond(self, answer: dict | str, site: str | None = "same-origin", **headers) -> wire.Answer:
        """What the return page's script posts."""
        sent = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "cors", "Origin": self.demo.base} if site else {}
        sent |= {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())} if self.cookies else {}
        body = answer if isinstance(answer, str) else urlencode(answer)
        got = self.demo.send("POST", "/self-issued/response", {**sent, "Content-Type": wire.FORM, **headers}, body)
        for name, cookie in got.cookies.items():
            if cookie.value:
                self.cookies[name] = cookie.value
            else:
                self.cookies.pop(name, None)
        return got

    def session(self) -> dict:
        cookie = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        return self.demo.send("GET", "/session", {"Cookie": cookie}).json()

    def sign_in(self, name: str):
        page = self.request("GET", "/sign-in?redirect=%2Faccount%2Fphone-keys")
        person = self.demo.user(name)
        answer = self.submit(page, username=person["username"], password=person["password"])
        assert answer.status == 303, answer.text
        return self.request("GET", answer.header("Location").removeprefix(self.demo.base))

    def link(self, phone: Phone, form: str = "seed2012"):
        """Links a phone to whoever is signed in."""
        request = self.start("?link=1")
        answer = self.respond(phone.answer(request, form))
        assert answer.status == 200 and answer.json()["location"] == "/account/phone-keys?linked", answer.body


def asked(browser, demo) -> dict:
    """What the page asks a phone."""
    return Browser(demo).read(browser.find_element(By.ID, "open-scheme").get_attribute("href"))


def comes_back(browser, demo, answer: dict):
    """The phone opens the return page."""
    browser.get(f"{demo.base}/self-issued/callback#{urlencode(answer)}")
