"""Signing in with a key that the user's phone holds (contract §10): linked, used at several nodes at once, and unlinked."""

import asyncio
import html
import re
from urllib.parse import parse_qs, urlsplit

import wire
from handing_on import HandsOn
from lineage import USER, Made
from nodes import cookies, fingerprint
from selfissued import Phone

#: What whatever was signed in with a key hangs under: unlinking one ends what any of them has opened.
KEYS = "keys"
#: The one of the four forms whose link has everything in it that the phone has to know.
FORM = "siopv2"


class OwnsKey(HandsOn):
    """A phone that needs no other proof than its key, and the browsers that it signs in."""

    @property
    def key(self) -> str:
        return f"key-{self.person.phone.thumbprint}"

    async def _begin(self, query: str, jar: dict):
        """A page of ours that asks for an answer: what the phone reads there, and the browser's cookies."""
        page = await self.nodes.send(
            self.node(), "GET", f"/self-issued/start?form=v2{query}", {**wire.NAVIGATION, **self.jar(jar)})
        if page is None or page.status != 200:
            return None
        link = html.unescape(re.search(r'id="open-scheme" href="([^"]+)"', page.body.decode())[1])
        return {name: values[0] for name, values in parse_qs(urlsplit(link).query).items()}, jar | cookies(page)

    def _respond(self, node: int, jar: dict, answer: dict):
        return self.nodes.send(node, "POST", "/self-issued/response", {
            "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors", "Origin": self.nodes.issuer, **self.jar(jar)}, answer)

    async def link_key(self):
        """Once for each person; one whose answer got lost may be linked, and is not used."""
        if self.person.phone or (begun := await self._begin("&link=1", self.browser)) is None:
            return
        request, jar = begun
        phone = Phone()
        answer = await self._respond(self.node(), jar, phone.answer(request, FORM))
        if answer is not None and answer.status == 200:
            self.person.phone = phone

    async def begin_with_key(self):
        if not self.person.phone or (begun := await self._begin("", {})) is None:
            return
        name = fingerprint("asked", begun[0]["state"])
        self.asked[name] = begun
        # By two of the browser's windows, mostly.
        if self.random.random() < 0.8:
            await asyncio.gather(self.answer_with_key(self.random.choice(["", "", "browser", "key"]), name),
                                 self.answer_with_key("", name))

    async def answer_with_key(self, wrong: str = "", asked: str = ""):
        """A wrong answer is the only one as well, so a right one may be refused after it."""
        if not self.person.phone or not (picked := (asked, self.asked[asked]) if asked else self.pick(self.asked)):
            return
        name, (request, jar) = picked
        phone, node, key = self.person.phone, self.node(), self.key
        # Who is disabled signs in no other way either.
        shows = (USER,) if self.is_surely_disabled else ()
        answer = phone.answer(request, FORM)
        if wrong == "key":
            # Somebody else's signature over this key's name.
            thief = Phone()
            thief.jwk, thief.thumbprint = phone.jwk, phone.thumbprint
            answer = thief.answer(request, FORM)

        def read(answer):
            if answer.status == 200 and answer.session_cookie:
                web = self.keep_web(cookies(answer))
                self.webs[web]["is_first"] = True
                return "done", [Made(web, "web", (USER, KEYS))], {}
            # A key that was unlinked meanwhile is nobody's, and refused; this one was linked.
            assert answer.status == 400, (answer.status, answer.body)
            return "refused", [], {}

        await self.act("trespass" if wrong else "answer", node, (name, key, *shows), self._respond(
            node, {} if wrong == "browser" else jar, answer), read, "§10" if wrong else "")

    async def unlink_key(self):
        """An operator unlinks it: what it opened ends, and it opens nothing more."""
        if not self.person.phone:
            return
        node, key, thumbprint = self.node(), self.key, self.person.phone.thumbprint
        self.person.phone = None
        await self.end((key, KEYS), node, self.nodes.administer(
            node, "DELETE", f"users/{self.person.sub}/phone-keys/{thumbprint}"), {204})
