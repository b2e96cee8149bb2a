"""Everything that may come of a sign-in, at random and at several nodes at once, written down as clients see it.

A story is one user's: a browser that signs in; two apps' grants in it, with refresh tokens and device secrets that
rotate; another app and a web view by Native SSO; links, a hand-off to another domain, a computer that a phone signs in,
a device without a browser; and the ways in which all of that ends. Whoever lives in it makes mistakes as well: sends
things twice, and tries what nobody may.
"""

import asyncio
import secrets
import time
from urllib.parse import urlencode

from lineage import USER
from nodes import moment
from own_keys import OwnsKey
from signing_in import NARROW, PLAIN
from teller import APP

#: How far a node's clock may be off, in seconds, with something to spare.
CLOCKS = 30


class Story(OwnsKey):
    """What lives, how it ends, and the order of it all."""

    #: What may be done, with how often it is.
    MOVES = [("refresh", 6), ("refresh_twice", 2), ("reuse", 1), ("exchange", 4), ("view", 3), ("steal", 1), ("issue", 4),
             ("redeem", 6), ("hand_off", 2), ("land", 3), ("open_page", 2), ("confirm", 4), ("show_digits", 2),
             ("type_digits", 2), ("begin_with_key", 2), ("answer_with_key", 2),
             ("let_a_device_in", 2), ("poll", 3), ("check", 6), ("authorize", 1), ("redeem_code", 3), ("hand_on", 2),
             ("issue_chained", 2), ("renew", 3), ("renew_twice", 1), ("reuse_cookie", 1)]
    #: What nobody may do.
    MISTAKES = [("refresh", "client"), ("refresh", "scope"), ("exchange", "device"), ("exchange", "scope"),
                ("redeem", "prefetch"), ("land", "nonce"), ("confirm", "digits"), ("type_digits", "digits"),
                ("answer_with_key", "browser"), ("answer_with_key", "key"), ("poll", "client"),
                ("redeem_code", "verifier"), ("redeem_code", "client"), ("renew", "proof")]
    #: What ends something.
    ENDINGS = [("sign_out", 5), ("revoke", 6), ("revoke_access", 2), ("end_by_administrator", 3), ("end_all", 1),
               ("change_password", 1), ("disable", 2), ("unlink_key", 2)]

    #: Whether nobody heard which password the user has.
    is_unsure = False
    is_disabled = is_surely_disabled = False

    async def check(self, name: str | None = None, node: int | None = None):
        node = self.node() if node is None else node
        if name is None:
            name = self.random.choice([*self.webs, *self.apps] or [""])
        if name in self.webs:
            await self.check_web(name, self.webs[name], node)
        elif name in self.apps:
            token, bearer = self.bearer(name)
            await self.act("check", node, (token,), self.nodes.send(
                node, "GET", "/oauth/userinfo", {"Authorization": f"Bearer {bearer}"}),
                lambda answer: ({200: "done", 401: "refused"}[answer.status], [], {}))

    async def check_web(self, name: str, web: dict, node: int):
        headers = {**self.jar(web["jar"]), **({"Host": web["host"]} if web["host"] else {})}

        def read(answer):
            body = answer.json()
            if not body["authenticated"]:
                return "refused", [], {}
            says = {"sub": body["sub"], "amr": tuple(body.get("amr") or ()), "until": moment(body["expires_at"])}
            says |= {name: body[name] for name in ("acr", "origin") if name in body}
            if "auth_time" in body:
                says["auth_time"] = int(moment(body["auth_time"]))
            return "done", [], says

        await self.act("check", node, (name,), self.nodes.send(node, "GET", "/session", headers), read)

    async def end(self, shows: tuple, node: int, asking, good: set, kind: str = "end") -> bool:
        def read(answer):
            # One that had ended before may be unknown by now; whatever else is said was not asked for rightly.
            assert answer.status in good | {404}, (answer.status, answer.body)
            return ("done" if answer.status in good else "refused"), [], {}

        return await self.act(kind, node, shows, asking, read) is not None

    async def sign_out(self):
        if not (picked := self.pick({name: web for name, web in self.webs.items() if web["profile"] == "session"})):
            return
        name, web = picked
        node = self.node()
        headers = {**self.jar(web["jar"]), "Sec-Fetch-Site": "same-origin",
                   "Origin": f"https://{web['host']}" if web["host"] else self.nodes.issuer,
                   **({"Host": web["host"]} if web["host"] else {})}
        await self.end((name,), node, self.nodes.send(node, "POST", "/session/logout", headers), {204}, "sign out")

    async def revoke(self):
        """An app signs out: by its refresh token or its device secret (contract §5.6)."""
        node = self.node()
        if self.random.random() < 0.5 and (picked := self.pick(self.refreshes)):
            name, (token, app) = picked
            shows, client = (app,), self.apps[app]["client"]
        elif picked := self.pick(self.secrets):
            name, (token, device) = picked
            shows, client = (device,), APP
        else:
            return
        await self.end(shows, node, self.nodes.send(
            node, "POST", "/oauth/revoke", {}, {"token": token, "client_id": client}), {200})

    async def revoke_access(self):
        if not (picked := self.pick(self.apps)):
            return
        name, app = picked
        token, bearer = self.bearer(name)
        node = self.node()
        await self.end((token,), node, self.nodes.send(
            node, "POST", "/oauth/revoke", {}, {"token": bearer, "client_id": app["client"]}), {200})

    async def end_by_administrator(self):
        if not (picked := self.pick(self.apps)):
            return
        name, app = picked
        node = self.node()
        await self.end((name,), node, self.nodes.administer(node, "DELETE", f"sessions/{app['sid']}"), {204})

    async def end_all(self) -> bool:
        node = self.node()
        return await self.end(
            (USER,), node, self.nodes.administer(node, "DELETE", f"users/{self.person.sub}/sessions"), {200, 204})

    async def change_password(self):
        node, password = self.node(), f"another {secrets.token_hex(8)}"
        if await self.end((USER,), node, self.nodes.administer(
                node, "PATCH", f"users/{self.person.sub}", {"password": password}), {200}):
            self.person.password = password
        else:
            self.is_unsure = True

    async def disable(self):
        node = self.node()
        self.is_disabled = True
        self.is_surely_disabled |= await self.end((USER,), node, self.nodes.administer(
            node, "PATCH", f"users/{self.person.sub}", {"disabled": True}), {200})

    async def move(self, moves: list):
        names, weights = zip(*moves)
        await getattr(self, self.random.choices(names, weights)[0])()

    async def some(self, count: int, *kinds):
        """Several at once, each after a moment of its own."""
        async def one(make):
            await asyncio.sleep(self.random.random() * 0.1)
            await make()

        await asyncio.gather(*(one(kind) for kind in kinds for _ in range(count)))

    async def mistake(self, of: str = ""):
        name, wrong = self.random.choice([mistake for mistake in self.MISTAKES if of in mistake[0]])
        await getattr(self, name)(wrong)

    async def look(self):
        """Everything at every node: what is settled by now stays so."""
        things = [*self.webs, *self.apps]
        await asyncio.gather(*(self.check(name, node) for name in things for node in range(self.count)))

    async def tell(self):
        self.began = time.time()
        if await self.sign_in():
            await self.tell_of_it()

    async def tell_of_it(self):
        """What comes of the sign-in, from its beginning to where nothing of it is left."""
        await self.link_key()
        await self.authorize()
        if self.random.random() < 0.3:
            await self.mistake("redeem_code")
        await self.redeem_code()
        if self.random.random() < 0.7:
            await self.authorize(self.random.choice([NARROW, PLAIN]))
            if self.random.random() < 0.2:
                await self.some(2, lambda: self.redeem_code(again=True))
            await self.redeem_code()
        for _ in range(self.random.randrange(2, 6)):
            await self.some(5, lambda: self.move(self.MOVES))
            await self.some(2, self.mistake)
        await self.look()
        for _ in range(self.random.randrange(1, 4)):
            await self.some(1, lambda: self.move(self.ENDINGS), *[lambda: self.move(self.MOVES)] * 3)
            await self.look()
        # Beyond the second within which nodes hear of ends.
        await asyncio.sleep(1.1)
        await self.look()
        await self.some(2, self.refresh, self.renew, self.exchange, self.view, self.issue, self.land, self.mistake)
        await self.some(1, *self.redemptions())
        await self.issue(of_another=True)
        await self.clear()
        # Nothing opens any more, whatever was not used before.
        await self.some(1, self.look, self.refresh, self.refresh, self.renew, self.exchange, *self.redemptions())

    def redemptions(self) -> list:
        return [lambda link=link: self.redeem(link=link) for link in self.links]

    async def clear(self) -> bool:
        """Leaves nothing to the user's next story; whether that was done."""
        for _ in range(60):
            node = self.node()
            enabled = await self.nodes.administer(node, "PATCH", f"users/{self.person.sub}", {"disabled": False})
            if self.is_disabled:
                # Enabling brings nothing back.
                await self.look()
            ended = await self.end_all()
            known = not self.is_unsure or await self.set_password(node)
            if enabled is not None and ended and known:
                # What nodes hear of within a second they have heard of when the next story begins.
                await asyncio.sleep(1.1 if self.is_disabled else 0)
                return True
            await asyncio.sleep(0.5)
        return False

    async def set_password(self, node: int) -> bool:
        answer = await self.nodes.administer(
            node, "PATCH", f"users/{self.person.sub}", {"password": self.person.password})
        return answer is not None

    async def events(self) -> list[dict] | None:
        """What the audit log has of the user since the story began; None where nobody could say."""
        since = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.began - CLOCKS))
        found, cursor = [], None
        for _ in range(100):
            more = {"cursor": cursor} if cursor else {}
            page = await self.nodes.administer(self.node(), "GET", "audit-events?" + urlencode(
                {"sub": self.person.sub, "from": since, "limit": 500, **more}))
            if page is None:
                return None
            found += page.json()["items"]
            # A page may be short, or empty, and more come after it.
            if (cursor := page.json()["next_cursor"]) is None:
                return found
        return None
