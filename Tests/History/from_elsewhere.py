"""Signing in at a provider of others (contract §1, §16.1): set out at one node, come back at another, and go on."""

import asyncio
from collections.abc import Mapping
from urllib.parse import parse_qsl, urlencode, urlsplit

import simultaneous
import wire
from lineage import USER, Made
from nodes import cookies, fingerprint, location
from providing import METHODS, PROVIDER, WRONGS
from signing_in import NARROW
from stories import Story


class FromElsewhere(Story):
    """A user who has no password here, and is known by what the provider calls them."""

    MOVES = [("refresh", 4), ("exchange", 3), ("view", 2), ("issue", 3), ("redeem", 4), ("hand_off", 2), ("land", 2),
             ("let_a_device_in", 1), ("poll", 1), ("check", 6), ("redeem_code", 2), ("come_once", 4), ("come_twice", 4),
             ("come_anew", 3)]
    #: What nobody may bring back, beside what the provider does wrong.
    FORGED = ["browser", "other browser", "state", "error", "issuer", "code"]
    MISTAKES = [*[("come_wrong", wrong) for wrong in [*FORGED, *WRONGS]], ("refresh", "client"), ("redeem", "prefetch")]
    ENDINGS = [("sign_out", 5), ("revoke", 3), ("end_by_administrator", 2), ("end_all", 2), ("disable", 3)]

    #: How often the user was enabled again.
    times = 0

    @property
    def word(self) -> str:
        """The provider's, which counts for nothing while the user is disabled, and counts again after that."""
        return f"word {self.times} for the user"

    # The trip

    async def set_out(self, jar: Mapping = {}, wrong: str = ""):
        """To the provider, where the user signs in, and up to its answer, which the browser has still to bring back."""
        made = {}

        def read(answer):
            assert answer.status == 303, (answer.status, answer.body[-2000:])
            made["trip"] = fingerprint("trip", location(answer))
            return "done", [Made(made["trip"], "trip", ())], {}

        answer = await self.act("set out", node := self.node(), (), self.nodes.send(
            node, "GET", f"/sign-in/with/{PROVIDER}", {**wire.NAVIGATION, **self.jar(jar)}), read)
        if answer is None or not (back := await self._at_the_provider(location(answer), wrong)):
            return None
        self.trips[made["trip"]] = {"jar": jar | cookies(answer), "back": dict(parse_qsl(urlsplit(back).query))}
        return made["trip"]

    async def _at_the_provider(self, target: str, wrong: str) -> str:
        """Where it sends the browser back to."""
        place = urlsplit(target)
        person = urlencode({"user": self.person.name, **({"wrong": wrong} if wrong else {})})
        try:
            async with simultaneous.Connection(place.port) as connection:
                return location(await connection.request("GET", f"{place.path}?{place.query}&{person}", {}))
        except simultaneous.Lost:
            return ""

    def _ask(self, node: int, answer: dict, jar: dict):
        return self.nodes.send(node, "GET", f"/sign-in/callback/{PROVIDER}?{urlencode(answer)}",
                               {**wire.NAVIGATION, "Sec-Fetch-Site": "cross-site", **self.jar(jar)})

    async def come_back(self, name: str) -> str | None:
        """The browser brings the provider's answer; what it has signed in."""
        trip, node, opened = self.trips[name], self.node(), {}
        self.come.add(name)

        def read(answer):
            if answer.status == 303 and wire.SESSION_COOKIE in cookies(answer):
                opened["web"] = self.keep_web(trip["jar"] | cookies(answer))
                self.webs[opened["web"]]["is_first"] = True
                trip["jar"] = self.webs[opened["web"]]["jar"]
                says = {"origin": "authorize", "amr": tuple(METHODS)}
                return "done", [Made(opened["web"], "web", (USER,), says=says)], {}
            assert answer.status == 400, (answer.status, answer.body[-2000:])
            return "refused", [], {}

        session = trip["jar"].get(wire.SESSION_COOKIE)
        await self.act(
            "come back", node, (name, self.word), self._ask(node, trip["back"], trip["jar"]), read,
            replaces=(fingerprint("web", session),) if session else ())
        return opened.get("web")

    async def come_once(self):
        if name := await self.set_out():
            # Not each trip ends at once, and some end never.
            if self.random.random() < 0.8:
                await self.come_back(name)

    async def come_twice(self):
        """By two of the browser's windows at once, or once more after a while: an answer is good once."""
        late = [name for name in self.trips if name in self.come]
        if late and self.random.random() < 0.4:
            await self.come_back(self.random.choice(late))
        elif name := await self.set_out():
            await asyncio.gather(self.come_back(name), self.come_back(name))

    async def come_late(self):
        """What was set out for before, whatever has ended since."""
        await asyncio.gather(*(self.come_back(name) for name in self.trips if name not in self.come))

    async def come_anew(self):
        """In a browser that is signed in: its session ends, and another begins. One in which nothing was granted."""
        free = {name: web for name, web in self.webs.items() if web.get("is_first") and name != self.home}
        if (picked := self.pick(free)) and (name := await self.set_out(picked[1]["jar"])):
            await self.come_back(name)

    async def come_wrong(self, wrong: str):
        """An answer to another browser, changed on its way, of somebody else, or one that no honest provider gives."""
        name = await self.set_out(wrong=wrong if wrong in WRONGS else "")
        other = await self.set_out() if wrong in ("other browser", "code") else None
        if not name or (wrong in ("other browser", "code") and not other):
            return
        trip = self.trips[name]
        answer, jar, node = dict(trip["back"]), trip["jar"], self.node()
        if wrong == "browser":
            jar = {}
        elif wrong == "other browser":
            jar = self.trips[other]["jar"]
        elif wrong == "state":
            at = self.random.randrange(len(answer["state"]) - 2)
            flipped = "A" if answer["state"][at] != "A" else "B"
            answer["state"] = answer["state"][:at] + flipped + answer["state"][at + 1:]
        elif wrong == "error":
            answer["error"] = "access_denied"
        elif wrong == "issuer":
            answer["iss"] = self.nodes.issuer
        elif wrong == "code":
            answer["code"] = self.trips[other]["back"]["code"]
        if wrong in WRONGS:
            # Its code is used up, and what came of it is good for nothing.
            del self.trips[name]

        def read(answer):
            opened = answer.status == 303 and wire.SESSION_COOKIE in cookies(answer)
            assert opened or answer.status == 400, (answer.status, answer.body[-2000:])
            return "done" if opened else "refused", [], {}

        await self.act("trespass", node, (name, wrong), self._ask(node, answer, jar), read, "§16.1")
        if wrong not in WRONGS and self.random.random() < 0.5:
            # Nothing of that used the right answer up.
            await self.come_back(name)

    async def disable(self):
        node = self.node()
        self.is_disabled = True
        await self.end((USER, self.word), node, self.nodes.administer(
            node, "PATCH", f"users/{self.person.sub}", {"disabled": True}), {200})

    # The order of it all

    async def sign_in(self) -> bool:
        """In two browsers at once: whoever comes for the first time is one user all the same."""
        trips = await asyncio.gather(self.set_out(), self.set_out())
        opened = [web for web in await asyncio.gather(*(self.come_back(name) for name in trips if name)) if web]
        if not opened:
            return False
        self.home = self.random.choice(opened)
        self.browser = self.webs[self.home]["jar"]
        for node in range(self.count):
            await asyncio.gather(*(self.check(web, node) for web in opened))
            for act in self.history:
                self.person.sub = self.person.sub or act.says.get("sub", "")
        return bool(self.person.sub)

    async def tell_of_it(self):
        await self.authorize()
        await self.redeem_code()
        if self.random.random() < 0.5:
            await self.authorize(NARROW)
            await self.redeem_code()
        for _ in range(self.random.randrange(2, 5)):
            await self.some(5, lambda: self.move(self.MOVES))
            await self.some(2, self.mistake)
        await self.look()
        for _ in range(self.random.randrange(1, 4)):
            await self.some(1, lambda: self.move(self.ENDINGS), self.come_once, self.come_twice,
                            *[lambda: self.move(self.MOVES)] * 2)
            await self.look()
        # Beyond the second within which nodes hear of ends.
        await asyncio.sleep(1.1)
        await self.some(1, self.look, self.come_late, self.come_twice, self.refresh, *self.redemptions())
        self.times += 1
        if await self.clear():
            # Whoever is enabled again may come again, and nothing else comes back.
            await self.some(1, self.come_once, self.come_late, self.come_anew, self.look, self.refresh, self.mistake)
            await self.look()
            await self.clear()
