"""Signing in, the apps that are granted something in that, and what their tokens and device secrets open."""

import asyncio
import secrets
from urllib.parse import parse_qs, urlencode, urlsplit

import native
import signing
import wire
from lineage import USER, Made
from nodes import cookies, fingerprint, hidden, location
from teller import APP, SECOND, VIEW, Teller

#: An app that stays, one that ends with the browser's sign-in, and one without a device.
WIDE, NARROW, PLAIN = "openid profile offline_access device_sso", "openid device_sso", "openid profile offline_access"


class SignsIn(Teller):
    """A browser and its apps."""

    async def sign_in(self) -> bool:
        node = self.node()
        page = await self.nodes.send(node, "GET", "/sign-in", wire.NAVIGATION)
        if page is None:
            return False
        jar = cookies(page)
        fields = {**hidden(page.body.decode(), "/sign-in"), "username": self.person.name, "password": self.person.password}

        def read(answer):
            assert answer.status == 303 and wire.SESSION_COOKIE in cookies(answer), (answer.status, answer.body[-3000:])
            self.browser = cookies(answer)
            self.home = self.keep_web(self.browser)
            return "done", [Made(self.home, "web", (USER,))], {}

        return await self.act("sign in", node, (USER,), self.nodes.send(
            node, "POST", "/sign-in", self.own(jar), fields), read) is not None

    async def authorize(self, scope: str = WIDE):
        """A code for the app, granted in the browser."""
        node, verifier = self.node(), secrets.token_urlsafe(32)
        challenge = signing.challenge(verifier)
        query = urlencode({
            "response_type": "code", "client_id": APP, "redirect_uri": native.CALLBACK, "scope": scope,
            "state": secrets.token_urlsafe(8), "code_challenge": challenge, "code_challenge_method": "S256"})

        async def ask():
            jar = dict(self.browser)
            answer = await self.nodes.send(
                node, "GET", f"/oauth/authorize?{query}", {**wire.NAVIGATION, **self.jar(jar)})
            for _ in range(3):
                if answer is None or answer.status != 200 or b'action="/oauth/consent"' not in answer.body:
                    break
                jar |= cookies(answer)
                answer = await self.nodes.send(
                    node, "POST", "/oauth/consent", self.own(jar), hidden(answer.body.decode(), "/oauth/consent"))
            return answer

        def read(answer):
            place = location(answer)
            if answer.status != 303 or not place.startswith(native.CALLBACK):
                # The sign-in page: the browser's session is over.
                return "refused", [], {}
            code = parse_qs(urlsplit(place).query)["code"][0]
            name = fingerprint("code", code)
            self.codes[name] = (code, verifier, scope)
            # What signing out leaves alone is what was granted for longer than the sign-in.
            outlives = (self.home,) if "offline_access" in scope else ()
            return "done", [Made(name, "code", (self.home,), says={"scope": set(scope.split())})], {"outlives": outlives}

        await self.act("authorize", node, (self.home,), ask(), read)

    async def redeem_code(self, wrong: str = "", again: bool = False):
        unused = {name: code for name, code in self.codes.items() if name not in self.tried}
        if not (picked := self.pick(self.codes if self.random.random() < 0.05 or wrong or again else unused)):
            return
        name, (code, verifier, scope) = picked
        if not wrong:
            self.tried.add(name)
        node = self.node()
        client = SECOND if wrong == "client" else APP
        verifier = secrets.token_urlsafe(32) if wrong == "verifier" else verifier

        def read(answer):
            if answer.status != 200:
                assert answer.json()["error"] == "invalid_grant", answer.body
                return "refused", [], {}
            outlives = (name,) if "offline_access" in scope else ()
            return "done", self.keep_app(answer.json(), APP, (name,), outlives), {}

        await self.act(
            "trespass" if wrong else "redeem code", node, (name,), self.token(
                node, client, grant_type="authorization_code", code=code, redirect_uri=native.CALLBACK,
                code_verifier=verifier), read, clause="§5.1" if wrong else "")

    async def refresh(self, wrong: str = "", token: str = ""):
        if not (picked := self.pick(self.refreshes)):
            return
        if token:
            picked = token, self.refreshes[token]
        # The newest, mostly: an app has no other.
        elif not wrong:
            picked = self.likely(list(self.refreshes.items()), 0.9)
        name, (refresh, app) = picked
        session, node, more, shows = self.apps[app], self.node(), {}, (name,)
        known = [(key, secret) for key, (secret, device) in self.secrets.items() if device == session["device"]]
        if not wrong and "device_sso" in session["scope"] and known:
            key, secret = self.likely(known, 0.92)
            more, shows = {"device_secret": secret}, (name, key)
        client = session["client"]
        if wrong == "client":
            client = SECOND if client == APP else APP
        if wrong == "scope":
            more = {"scope": "openid profile offline_access device_sso email"}

        def read(answer):
            if answer.status != 200:
                assert answer.json()["error"] in ("invalid_grant", "invalid_scope"), answer.body
                return "refused", [], {}
            body = answer.json()
            made = self.keep_tokens(body, app, signing.claims_of(body["access_token"]))
            if (secret := body.get("device_secret")) and secret != more.get("device_secret"):
                made.append(self.keep_secret(secret, session["device"]))
            if "id_token" in body:
                session["id_tokens"].append(body["id_token"])
            return "done", made, {}

        await self.act("trespass" if wrong else "refresh", node, shows, self.token(
            node, client, grant_type="refresh_token", refresh_token=refresh, **more), read, "§5.2" if wrong else "")

    async def refresh_twice(self):
        """An app that did not wait for the answer."""
        if self.refreshes:
            newest = list(self.refreshes)[-1]
            await asyncio.gather(self.refresh(token=newest), self.refresh(token=newest))

    async def reuse(self):
        """Somebody has a refresh token whose successor was used since."""
        if not self.refreshes:
            return
        stolen, (_, app) = list(self.refreshes.items())[-1]
        for _ in range(2):
            newest = [name for name, (_, holder) in self.refreshes.items() if holder == app][-1]
            await self.refresh(token=newest)
        await self.refresh(token=stolen)

    async def exchange(self, wrong: str = ""):
        """Another app by the device secret (contract §5.4)."""
        if not (picked := self.pick(self.first_apps())):
            return
        name, app = picked
        # The newest, mostly: an app that did not get an answer has an older one, and so has a thief.
        token = self.likely(app["id_tokens"], 0.85)
        fits = [(key, secret) for key, (secret, device) in self.secrets.items()
                if signing.half_hash(secret) == signing.claims_of(token).get("ds_hash")]
        if wrong == "device":
            fits = [(key, secret) for key, (secret, device) in self.secrets.items() if device != app["device"]]
        if not fits:
            return
        key, secret = self.random.choice(fits)
        node = self.node()
        more = {"scope": "openid profile offline_access device_sso"} if wrong == "scope" else {}
        if wrong == "scope" and app["scope"] >= set(WIDE.split()):
            return

        def read(answer):
            if answer.status != 200:
                return "refused", [], {}
            return "done", self.keep_app(answer.json(), SECOND, (name,), (), app["device"]), {}

        await self.act(
            "trespass" if wrong else "exchange", node, (name, key), self.token(
                node, SECOND, grant_type=native.EXCHANGE, subject_token=token,
                subject_token_type=native.ID_TOKEN, actor_token=secret, actor_token_type=native.DEVICE_SECRET, **more),
            read, "§5.4" if wrong else "")

    async def steal(self):
        """Somebody has a device's first secret, which was replaced since, and tries it again and again."""
        if (picked := self.pick(self.first_apps())) and sum(
                device == picked[1]["device"] for _, device in self.secrets.values()) > 1:
            for _ in range(3):
                await self.view(picked[0], oldest=True)

    async def view(self, app: str = "", oldest: bool = False):
        """Cookies for a web view (contract §5.4, §6)."""
        if not (picked := (app, self.apps[app]) if app else self.pick(self.first_apps())):
            return
        name, app = picked
        known = [(key, secret) for key, (secret, device) in self.secrets.items() if device == app["device"]]
        if not known:
            return
        key, secret = known[0] if oldest else self.likely(known, 0.85)
        token, access = self.bearer(name)
        node = self.node()

        def read(answer):
            if answer.status != 200:
                return "refused", [], {}
            web = self.keep_web(cookies(answer), profile="tokens")
            return "done", [Made(web, "web", (name,)), self.keep_renewal(cookies(answer), web)], {}

        await self.act("view", node, (token, key), self.token(
            node, VIEW, grant_type=native.EXCHANGE, subject_token=access, subject_token_type=native.ACCESS_TOKEN,
            actor_token=secret, actor_token_type=native.DEVICE_SECRET), read)

    async def renew(self, wrong: str = "", cookie: str = ""):
        """A web view's cookies, by its refresh cookie (contract §6)."""
        if not (picked := (cookie, self.renewals[cookie]) if cookie else self.pick(self.renewals)):
            return
        if not wrong and not cookie:
            picked = self.likely(list(self.renewals.items()), 0.85)
        name, (jar, web) = picked
        proof = secrets.token_urlsafe(32) if wrong else jar["vagov_anti_csrf_token"]
        node = self.node()

        def read(answer):
            if answer.status != 200:
                assert answer.status in ((401, 403) if wrong else (401,)), (answer.status, answer.body)
                return "refused", [], {}
            self.webs[web]["jar"] = cookies(answer)
            return "done", [self.keep_renewal(cookies(answer), web)], {}

        await self.act("trespass" if wrong else "renew", node, (name,), self.nodes.send(
            node, "POST", "/session/refresh", {**self.jar(jar), "X-CSRF-Token": proof}), read, "§6" if wrong else "")

    async def renew_twice(self):
        """A page that did not wait for the answer."""
        if self.renewals:
            newest = list(self.renewals)[-1]
            await asyncio.gather(self.renew(cookie=newest), self.renew(cookie=newest))

    async def reuse_cookie(self):
        """Somebody has a web view's refresh cookie whose successor was used since."""
        if not self.renewals:
            return
        stolen, (_, web) = list(self.renewals.items())[-1]
        for _ in range(2):
            await self.renew(cookie=[name for name, (_, holder) in self.renewals.items() if holder == web][-1])
        await self.renew(cookie=stolen)
