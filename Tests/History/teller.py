"""Who lives a story and writes it down: what the teller holds, and how an act becomes a line of its history."""

import itertools
import random
import time

import signing
import wire
from lineage import USER, Act, Made
from nodes import Nodes, Person, fingerprint

APP, SECOND, VIEW = "demo-app", "demo-app-b", "demo-webview"


class Teller:
    """Holds what was handed out to one user, under the names that the history has for it."""

    def __init__(self, nodes: Nodes, person: Person, seed: int, history: list[Act]):
        self.nodes, self.person = nodes, person
        self.random = random.Random(seed)
        self.name = f"story-{seed}"
        self.history = history
        self.count = len(nodes.nodes)
        #: Web sessions by name: their cookies, and the host at which they count.
        self.webs: dict[str, dict] = {}
        #: App sessions by name: client, and the tokens of the last answer.
        self.apps: dict[str, dict] = {}
        self.codes: dict[str, tuple] = {}
        self.links: dict[str, dict] = {}
        self.landings: dict[str, tuple] = {}
        self.pages: dict[str, dict] = {}
        #: Digits that a phone shows. Those of two phones may be the same, so their names are numbers.
        self.digits: dict[str, str] = {}
        self.numbers = itertools.count()
        self.waiting: dict[str, dict] = {}
        #: What a phone with a key of its own was asked, with the cookies of the browser that did.
        self.asked: dict[str, tuple] = {}
        #: Refresh tokens with whose they are, and device secrets with their device's name.
        self.refreshes: dict[str, tuple] = {}
        self.secrets: dict[str, tuple] = {}
        #: Refresh cookies of web views, each with all cookies that came with it and its session's name.
        self.renewals: dict[str, tuple] = {}
        #: What came of setting out for a provider of others: the browser's cookies, and what it has to bring back.
        self.trips: dict[str, dict] = {}
        #: Those that have come back.
        self.come: set[str] = set()
        self.browser: dict[str, str] = {}
        self.home = ""
        self.handed_off = False
        #: Codes that somebody has tried to redeem.
        self.tried: set[str] = set()

    def node(self) -> int:
        return self.random.randrange(self.count)

    def pick(self, things: dict):
        return self.random.choice(list(things.items())) if things else None

    def made_by(self, name: str) -> tuple:
        """What something hangs under that was handed out in this story."""
        return next(made.under for act in self.history for made in act.made if made.name == name)

    def likely(self, things: list, chance: float):
        """The last, mostly; who shows an older one may be taken for a thief, and that ends much."""
        return things[-1] if self.random.random() < chance else self.random.choice(things)

    async def act(self, kind: str, node: int, shows: tuple, asking, read, clause: str = "",
                  replaces: tuple = ()):
        """`read` says from an answer: done, refused or passed; what was made; and what the answer says."""
        began = time.monotonic()
        answer = await asking
        ended = time.monotonic()
        said, made, says = (None, (), {}) if answer is None else read(answer)
        self.history.append(
            Act(self.name, kind, node, began, ended, said, shows, tuple(made), says, clause, replaces))
        return answer if said == "done" else None

    def own(self, jar: dict, **more) -> dict:
        """What a browser sends with a form of ours."""
        return {**wire.NAVIGATION, "Sec-Fetch-Site": "same-origin", "Origin": self.nodes.issuer, **self.jar(jar), **more}

    @staticmethod
    def jar(cookies: dict) -> dict:
        return {"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())} if cookies else {}

    def keep_web(self, jar: dict, host: str = "", profile: str = "session") -> str:
        secret = jar.get(wire.SESSION_COOKIE) or jar["vagov_access_token"]
        name = fingerprint("web", secret)
        self.webs[name] = {"jar": jar, "host": host, "profile": profile}
        return name

    def keep_renewal(self, jar: dict, web: str) -> Made:
        name = fingerprint("cookie", jar["vagov_refresh_token"])
        self.renewals[name] = (jar, web)
        return Made(name, "renewal", (web,))

    async def token(self, node: int, client: str, **parameters):
        return await self.nodes.send(node, "POST", "/oauth/token", {"User-Agent": "ExampleApp/3.1"},
                                     {"client_id": client, **parameters})

    def keep_app(self, answer: dict, client: str, under: tuple, outlives: tuple = (), device: str | None = None) -> list:
        """An app's session with all that was handed out in it."""
        told, access = signing.claims_of(answer["id_token"]), signing.claims_of(answer["access_token"])
        name = f"app-{told['sid']}"
        scope = set(answer["scope"].split())
        says = {"sub": told["sub"], "sid": told["sid"], "scope": scope,
                **{key: told[key] for key in ("acr", "auth_time") if key in told}, "amr": tuple(told.get("amr", ()))}
        made = []
        if secret := answer.get("device_secret"):
            device = device or f"device-{told['sid']}"
            made += [Made(device, "device", (USER,)), self.keep_secret(secret, device)]
        under = (*under, device) if device else under
        made.append(Made(name, "app", under, outlives, says))
        self.apps[name] = {"client": client, "sid": told["sid"], "id_tokens": [answer["id_token"]], "device": device,
                           "scope": scope}
        return made + self.keep_tokens(answer, name, access)

    def keep_secret(self, secret: str, device: str) -> Made:
        name = fingerprint("secret", secret)
        self.secrets[name] = (secret, device)
        return Made(name, "secret", (device,))

    def keep_tokens(self, answer: dict, app: str, access: dict) -> list:
        made = []
        name = f"access-{access['jti']}"
        self.apps[app].setdefault("access", {})[name] = answer["access_token"]
        made.append(Made(name, "access", (app,), says={"sub": access["sub"], "scope": set(access["scope"].split())}))
        if refresh := answer.get("refresh_token"):
            name = fingerprint("refresh", refresh)
            self.refreshes[name] = (refresh, app)
            made.append(Made(name, "refresh", (app,)))
        return made

    def bearer(self, app: str) -> tuple[str, str]:
        return list(self.apps[app]["access"].items())[-1]

    def first_apps(self) -> dict:
        return {name: app for name, app in self.apps.items() if app["client"] == APP and app["device"]}
