"""Handing on: by links, from domain to domain, to a computer by a phone, and to a device without a browser."""

import asyncio
import re
import secrets
from html import unescape
from urllib.parse import parse_qs, urlencode, urlsplit

import signing
import wire
from lineage import FOREIGN, USER, Made
from nodes import cookies, fingerprint, hidden, location
from signing_in import SignsIn
from teller import APP, SECOND

OTHER = "www.other.example"
CROSS_SITE = {**wire.NAVIGATION, "Sec-Fetch-Site": "cross-site"}
PREFETCH = {**wire.NAVIGATION, "Sec-Purpose": "prefetch;prerender"}


class HandsOn(SignsIn):
    """What came of a sign-in goes further, or may not."""

    async def issue(self, of_another: bool = False):
        """A link by one of our tokens, or by another issuer's for the same user."""
        node = self.node()
        if (picked := self.pick({name: app for name, app in self.apps.items() if not app.get("chained")})) \
                and not of_another and self.random.random() < 0.8:
            name, app = picked
            shown, bearer = self.bearer(name)
        else:
            name, shown = USER, FOREIGN
            bearer = self.nodes.nodes[node].bearer(self.person.sub)

        def read(answer):
            if answer.status != 200:
                assert answer.status in (401, 403), (answer.status, answer.body)
                return "refused", [], {}
            body = answer.json()
            link = f"link-{body['id']}"
            self.links[link] = {"token": body["token"], "id": body["id"]}
            return "done", [Made(link, "link", (name,))], {}

        await self.act("issue", node, (shown,), self.nodes.send(
            node, "POST", "/api/auth/create-sso-token", {"Authorization": f"Bearer {bearer}"}), read)

    async def redeem(self, wrong: str = "", link: str = ""):
        if not (picked := (link, self.links[link]) if link else self.pick(self.links)):
            return
        name, link = picked
        node = self.node()
        headers = {**(PREFETCH if wrong else wire.NAVIGATION), "User-Agent": f"Browser/{self.random.randrange(3)}"}

        def read(answer):
            if answer.status == 303 and answer.session_cookie:
                return "done", [Made(self.keep_web(cookies(answer)), "web", (name,))], {"jti": link["id"]}
            if answer.status == 303:
                return "passed", [], {}
            return ("passed" if answer.status == 200 else "refused"), [], {}

        await self.act("trespass" if wrong else "redeem link", node, (name,), self.nodes.send(
            node, "GET", f"/login-with-token?{urlencode({'token': link['token']})}", headers), read,
            "§4.2" if wrong else "")

    async def hand_off(self):
        """From the browser to another domain (contract §4.6); a second one so soon is a loop."""
        if self.handed_off:
            return
        self.handed_off = True
        node, state = self.node(), secrets.token_urlsafe(16)

        def read(answer):
            if answer.status != 303:
                return ("passed" if answer.status == 200 else "refused"), [], {}
            token = parse_qs(urlsplit(location(answer)).query)["token"][0]
            name = f"link-{signing.claims_of(token)['jti']}"
            self.landings[name] = (token, state)
            return "done", [Made(name, "link", (self.home,))], {}

        await self.act("hand off", node, (self.home,), self.nodes.send(
            node, "GET", "/session/hand-off?" + urlencode({"client_id": "other", "state": state}),
            {**CROSS_SITE, **self.jar(self.browser)}), read)
        if self.random.random() < 0.3:
            await self.land("nonce")

    async def land(self, wrong: str = ""):
        if not (picked := self.pick(self.landings)):
            return
        name, (token, state) = picked
        node = self.node()
        jar = {} if wrong else {"__Host-drawbridge_handoff": state}

        def read(answer):
            if answer.status == 303 and answer.session_cookie:
                made = Made(self.keep_web({k: v for k, v in cookies(answer).items()}, OTHER), "web", (name,))
                return "done", [made], {"jti": name.removeprefix("link-")}
            if answer.status == 303:
                return "passed", [], {}
            return ("passed" if answer.status == 200 else "refused"), [], {}

        await self.act("trespass" if wrong else "land", node, (name,), self.nodes.send(
            node, "GET", "/login-with-token?" + urlencode({"token": token}),
            {**CROSS_SITE, "Host": OTHER, **self.jar(jar)}), read, "§4.6" if wrong else "")

    async def hand_on(self):
        """What was handed on is handed on nowhere (contract §16.4)."""
        handed = {name: web for name, web in self.webs.items()
                  if name != self.home and web["profile"] == "session" and not web.get("is_first")}
        if not (picked := self.pick(handed)):
            return
        name, web = picked
        node = self.node()

        def read(answer):
            return ("done" if answer.status == 303 and "token=" in location(answer) else "refused"), [], {}

        await self.act("trespass", node, (name,), self.nodes.send(
            node, "GET", "/session/hand-off?" + urlencode({"client_id": "other", "state": secrets.token_urlsafe(16)}),
            {**CROSS_SITE, **self.jar(web["jar"]), **({"Host": web["host"]} if web["host"] else {}),
             "Accept": "application/json"}), read, "§16.4")

    async def issue_chained(self):
        if not (picked := self.pick({name: app for name, app in self.apps.items() if app.get("chained")})):
            return
        name, app = picked
        token, bearer = self.bearer(name)
        node = self.node()
        await self.act("trespass", node, (token,), self.nodes.send(
            node, "POST", "/api/auth/create-sso-token", {"Authorization": f"Bearer {bearer}"}),
            lambda answer: ("done" if answer.status == 200 else "refused", [], {}), "§16.4")

    async def open_page(self):
        """A computer's page, and the phone that scans and approves it (contract §9)."""
        if not (picked := self.pick(self.first_apps())):
            return
        name, app = picked
        page = await self.nodes.send(self.node(), "GET", "/signin/phone", wire.NAVIGATION)
        if page is None or page.status != 200:
            return
        text = page.body.decode()
        id = unescape(re.search(r'data-link="([^"]+)"', text).group(1)).rsplit("/", 1)[1]
        token, bearer = self.bearer(name)
        headers = {"Authorization": f"Bearer {bearer}"}
        scanned = await self.nodes.send(self.node(), "POST", f"/api/xd/{id}/scan", headers, body={})
        if scanned is None or scanned.status != 200:
            return
        if other := self.pick({key: value for key, value in self.first_apps().items() if key != name}):
            _, second = self.bearer(other[0])
            node = self.node()
            await self.act("trespass", node, (f"page-{id}",), self.nodes.send(
                node, "POST", f"/api/xd/{id}/scan", {"Authorization": f"Bearer {second}"}, body={}),
                lambda answer: ("done" if answer.status == 200 else "refused", [], {}), "§9")
        approved = await self.nodes.send(
            self.node(), "POST", f"/api/xd/{id}/approve", headers, body={"txn": scanned.json()["txn"]})
        if approved is None or approved.status != 200:
            return
        self.pages[f"page-{id}"] = {"jar": cookies(page), "text": text, "digits": approved.json()["confirm_code"],
                                    "app": name}
        # At two nodes at once, mostly: who waits at a page types quickly.
        if self.random.random() < 0.8:
            await asyncio.gather(self.confirm(self.random.choice(["", "digits"])), self.confirm())

    async def confirm(self, wrong: str = ""):
        if not (picked := self.pick(self.pages)):
            return
        name, page = picked
        node = self.node()
        digits = page["digits"] if not wrong else f"{(int(page['digits']) + 1) % 1_000_000:06}"

        def read(answer):
            if answer.status == 303 and answer.session_cookie:
                return "done", [Made(self.keep_web(cookies(answer)), "web", (page["app"],))], {}
            return "refused", [], {}

        await self.act("trespass" if wrong else "confirm", node, (name,), self.nodes.send(
            node, "POST", "/signin/phone/confirm", self.own(page["jar"]),
            {**hidden(page["text"], "/signin/phone/confirm"), "code": digits}), read, "§9" if wrong else "")

    async def show_digits(self):
        """Digits on the phone, for a computer that shows nothing to scan (contract §9)."""
        if not (picked := self.pick(self.first_apps())):
            return
        name, _ = picked
        token, bearer = self.bearer(name)
        node = self.node()

        def read(answer):
            if answer.status != 200:
                assert answer.status in (401, 403), (answer.status, answer.body)
                return "refused", [], {}
            digits = f"digits-{next(self.numbers)}"
            self.digits[digits] = answer.json()["code"]
            return "done", [Made(digits, "digits", (name,))], {}

        if await self.act("show digits", node, (token,), self.nodes.send(
                node, "POST", "/api/xd/code", {"Authorization": f"Bearer {bearer}"}, body={}), read) is None:
            return
        # At two nodes at once, mostly.
        if self.random.random() < 0.8:
            newest = list(self.digits)[-1]
            await asyncio.gather(self.type_digits(self.random.choice(["", "digits"]), newest), self.type_digits("", newest))

    async def type_digits(self, wrong: str = "", digits: str = ""):
        if not (picked := (digits, self.digits[digits]) if digits else self.pick(self.digits)):
            return
        name, code = picked
        node = self.node()
        page = await self.nodes.send(node, "GET", "/signin/code", wire.NAVIGATION)
        if page is None or page.status != 200:
            return
        # No other phone's either, which could be right by chance.
        guess = next(other for other in (f"{(int(code) + more) % 1_000_000:06}" for more in range(1, 100))
                     if other not in self.digits.values())

        def read(answer):
            if answer.status == 303 and answer.session_cookie:
                under = self.made_by(name)
                return "done", [Made(self.keep_web(cookies(answer)), "web", under)], {}
            assert answer.status == 400, (answer.status, answer.body[-2000:])
            return "refused", [], {}

        await self.act("trespass" if wrong else "type digits", node, (name,), self.nodes.send(
            node, "POST", "/signin/code", self.own(cookies(page)),
            {**hidden(page.body.decode(), "/signin/code"), "username": self.person.name,
             "code": guess if wrong else code}), read, "§9" if wrong else "")

    async def let_a_device_in(self):
        """A device without a browser (contract §9, RFC 8628), let in from the user's browser."""
        begun = await self.nodes.send(
            self.node(), "POST", "/oauth/device_authorization", {}, {"client_id": APP, "scope": "openid profile"})
        if begun is None:
            return
        node, jar = self.node(), dict(self.browser)
        page = await self.nodes.send(node, "GET", "/device", {**wire.NAVIGATION, **self.jar(jar)})
        if page is None or page.status != 200:
            return
        jar |= cookies(page)
        asked = await self.nodes.send(node, "POST", "/device", self.own(jar), {
            **hidden(page.body.decode(), "/device"), "user_code": begun.json()["user_code"]})
        if asked is None or asked.status != 200 or b'value="allow"' not in asked.body:
            return
        jar |= cookies(asked)
        fields = {**hidden(asked.body.decode(), "/device/decision"), "decision": "allow"}
        allowed = await self.nodes.send(node, "POST", "/device/decision", self.own(jar), fields)
        if allowed is not None and allowed.status == 200:
            code = begun.json()["device_code"]
            self.waiting[fingerprint("device-code", code)] = {"code": code}
            if self.random.random() < 0.2:
                await self.poll("client")
            if self.random.random() < 0.8:
                await self.poll()

    async def poll(self, wrong: str = ""):
        if not (picked := self.pick(self.waiting)):
            return
        name, waiting = picked
        node = self.node()

        def read(answer):
            if answer.status != 200:
                return "refused", [], {}
            made = self.keep_app(answer.json(), APP, (self.home,))
            self.apps[next(one.name for one in made if one.kind == "app")]["chained"] = True
            return "done", made, {}

        await self.act("trespass" if wrong else "poll", node, (name,), self.token(
            node, SECOND if wrong else APP, grant_type="urn:ietf:params:oauth:grant-type:device_code",
            device_code=waiting["code"]), read, "§5.5" if wrong else "")
