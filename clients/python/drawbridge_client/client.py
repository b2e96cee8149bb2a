"""The client: sign-in, tokens, links and cookies. Nothing here prints a secret or keeps one outside of the store."""

import base64
import contextlib
import email.utils
import hashlib
import hmac
import json
import math
import re
import secrets
import sys
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote, unquote_to_bytes

from . import _p256, http1
from .errors import DrawbridgeError, refused
from .stores import MemoryStore

#: How far two clocks may be apart, in seconds.
LEEWAY = 120
#: Seconds for the answer of a renewal, at most: a refresh token whose answer was lost gives the same successor for 10 s and
#: is a theft after that (contract §5.2), so the app has to hear of the loss while it can still ask again.
LONGEST_RENEWAL = 6
#: How many earlier sign-ins of the person an app keeps, to end them at its sign-out. The oldest of more end at once.
MOST_EARLIER = 8
#: Seconds for which a code of another device is asked for at most.
LONGEST_CODE = 86400
COOKIES = "application/vnd.drawbridge.cookies+json"
ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"
ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token"
DEVICE_SECRET = "urn:openid:params:token-type:device-secret"
EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"


class LoginLink:
    """An address that signs a browser in, once, for at most a minute. Prints as `<login link>`; never log `url`."""

    __slots__ = ("url", "headers", "expires_at", "code")

    def __init__(self, url: str, headers: dict, expires_at: float, code: str | None = None):
        self.url, self.headers, self.expires_at = url, headers, expires_at
        #: Six digits to show to the person, who types them into the page; None where the website asks for none. Never send
        #: them along with the link.
        self.code = code

    def __repr__(self):
        return "<login link>"


class WebViewCookie:
    """One cookie for a web view of `url`; prints without its value. `domain` None: the host of `url` alone."""

    __slots__ = ("name", "value", "domain", "path", "expires", "http_only", "same_site", "url")

    def __init__(self, given: dict, url: str):
        self.name, self.value, self.path = given["name"], given["value"], given["path"]
        self.domain, self.expires, self.url = given.get("domain"), given["expires"], url
        self.http_only, self.same_site = given["http_only"], given["same_site"]

    def __repr__(self):
        return f"<cookie {self.name}>"


@dataclass(frozen=True)
class Silent:
    """`claims` when it worked; else `reason`: nothing_shared, parts_do_not_fit, refused, not_believed, failed."""

    claims: dict | None
    reason: str | None = None
    error: DrawbridgeError | None = None


@dataclass(frozen=True)
class DeviceCode:
    """What the person is shown; `expires_at` in Unix seconds."""

    user_code: str
    verification_uri: str
    complete_uri: str | None
    expires_at: float


class Drawbridge:
    """One app at one provider. Safe for many threads."""

    def __init__(self, issuer: str, client_id: str | None = None, *, redirect_uri: str | None = None,
                 scope: tuple = ("profile", "offline_access"), sharing: str | None = None, store=None, browser=None,
                 web_view=None, dpop=False, timeout: float = 30, now=time.time, sleep=None, logger=None):
        """`browser` has `open(address)` and may have `prepare()`, which gives the redirect URI, and `close(redirect)`, which
        ends the sign-in whose answer comes there. `dpop` is True, or a key with `public_key` (x, y as in a JWK) and
        `sign(bytes)`. `timeout` is in seconds, for a whole answer; a renewal has six at most."""
        address = secure_address(issuer)
        if not address:
            raise _wrong("the issuer must be https://…, or http:// on this machine alone")
        if re.search(r"[?#]|/$", issuer):
            raise _wrong("an issuer has neither a query nor a slash at its end")
        if client_id is not None and not is_text(client_id):
            raise _wrong("the client_id is empty")
        if redirect_uri is not None and not secure_address(redirect_uri) and not is_private_use(redirect_uri):
            raise _wrong("the redirect_uri could be received by another app or host")
        scope = _words("the scope", scope)
        if not is_number(timeout) or not 0 < timeout <= threading.TIMEOUT_MAX:
            raise _wrong("the timeout must be a positive number of seconds")
        self._issuer, self._is_loopback = issuer, address.is_loopback
        self._client_id, self._redirect_uri, self._group = client_id, redirect_uri, sharing
        words = [word for word in scope if word not in ("openid", "device_sso")]
        self._scope = ["openid", *words, *(["device_sso"] if sharing is not None else [])]
        # Not by its truth: a store that has a length is false while it is empty.
        self._store = MemoryStore() if store is None else store
        self._browser, self._web_view, self._dpop = browser, web_view, dpop
        self._timeout, self._now, self._sleep, self._logger = timeout, now, sleep, logger
        self._metadata: dict | None = None
        self._key_set: list | None = None
        self._nonces: dict = {}
        self._key = None
        self._key_lock = threading.Lock()
        if dpop is True:
            _Key.check()

    # From the app onto the web (contract §3)

    def open_url(self, path: str | None = None, *, bearer=None, website: str | None = None, carrier: str = "query") -> LoginLink:
        """A link that opens a page of the website, signed in.

        `bearer` is any backend's token that the provider trusts, or what gives one; without it, this app's own sign-in
        counts. With `carrier="header"` the token is in `headers` and not in the address."""
        # Another word would put the token into the address, against the app's will.
        if carrier not in ("query", "header"):
            raise _wrong('the carrier must be "query" or "header"')
        wish = {name: value for name, value in {"redirect": path, "client_id": website}.items() if value is not None}
        given = _hosted("the bearer", bearer) if callable(bearer) else bearer
        # What has none to give does not mean the app's own sign-in.
        if (given is not None or callable(bearer)) and not is_visible(given):
            raise _wrong("the bearer is empty or not a token")

        def ask(token: str, proves: bool) -> http1.Answer:
            answer = self._send("POST", f"{self._issuer}/api/auth/create-sso-token", data=wish, token=token, proves=proves)
            if answer.status != 200:
                raise self._failure(answer, "the login token endpoint")
            return answer

        if given is not None:
            return self._link(ask(given, False), carrier)
        return self._link(self._with_token(lambda own: ask(own["access_token"], own["bound"])), carrier)

    def _link(self, given: http1.Answer, carrier: str) -> LoginLink:
        answer = _json(given.text) or {}
        target, life = secure_address(answer.get("login_url")), answer.get("expires_in")
        if not target or (target.is_loopback and not self._is_loopback) or not is_number(life) or life <= 0:
            raise _unexpected(given, "it holds no login address to be trusted")
        end, code = self._now() + life, answer.get("login_code")
        if code is not None and not is_login_code(code):
            raise _unexpected(given, "its login code is not six digits")
        if carrier != "header":
            return LoginLink(target.text, {}, end, code)
        token = answer.get("token")
        if not is_visible(token):
            raise _unexpected(given, "it holds no token for the header")
        address, _, query = target.text.partition("?")
        rest = "&".join(pair for pair in query.split("&") if pair and not pair.startswith("token="))
        url = f"{address}?{rest}" if rest else address
        if token in url:
            raise _unexpected(given, "the token is in the path")
        return LoginLink(url, {"Drawbridge-Login-Token": token}, end, code)

    # Sign-in through the browser (RFC 8252, OpenID Connect Core §3.1)

    def sign_in(self, *, login_hint: str | None = None, acr_values: list | None = None, max_age: int | None = None,
                prompt: str | None = None, languages: list | None = None,
                cancelled: threading.Event | None = None) -> dict:
        """Opens the browser, checks what comes back, keeps the tokens. Gives the claims of the ID token.

        To give up from another thread: set `cancelled` and call the browser's `close()`; for a `GivenUp`, setting it is
        enough."""
        if self._browser is None:
            raise _wrong("sign_in needs a browser, such as LoopbackBrowser()")
        self._need_client()
        levels = _words("acr_values", () if acr_values is None else acr_values)
        languages = _words("the languages", () if languages is None else languages)
        metadata = self._provider()
        self._need_keys()
        state, nonce, verifier = secrets.token_urlsafe(16), secrets.token_urlsafe(16), secrets.token_urlsafe(32)
        # Whatever can fail comes before the browser is prepared, whose port would stay open.
        members = {
            "response_type": "code", "client_id": self._client_id, "scope": " ".join(self._scope),
            "state": state, "nonce": nonce, "code_challenge": sha256(verifier), "code_challenge_method": "S256",
            "login_hint": login_hint, "prompt": prompt, "acr_values": " ".join(levels) or None,
            "max_age": max_age, "ui_locales": " ".join(languages) or None,
            "dpop_jkt": self._proof_key().thumbprint if self._dpop else None}
        _unless_set(cancelled)
        redirect = _hosted("the browser", self._browser.prepare) if hasattr(self._browser, "prepare") else self._redirect_uri
        if not redirect or not (secure_address(redirect) or is_private_use(redirect)):
            raise _wrong("there is no redirect_uri to come back to")
        endpoint = metadata["authorization_endpoint"]
        query = form({**members, "redirect_uri": redirect})
        with _closed_by(cancelled, self._browser, redirect):
            answer = _hosted("the browser", self._browser.open, f"{endpoint}{'&' if '?' in endpoint else '?'}{query}")
        code = self._code(str(answer), redirect, state, metadata)
        shared = tokens = None
        try:
            with self._sharing():
                shared = self._shared()
                tokens = self._token({
                    "grant_type": "authorization_code", "code": code, "redirect_uri": redirect, "code_verifier": verifier,
                    # A device that is known stays one device; a secret that is no longer good counts as absent (§5.1).
                    "device_secret": shared["device_secret"] if shared else None})
                claims = self._verified(
                    tokens.get("id_token"), tokens, nonce=nonce, max_age=max_age, device_secret=tokens.get("device_secret"))
                if tokens.get("device_secret"):
                    self._share(tokens["device_secret"], tokens["id_token"])
            self._begin(tokens, claims)
        except Exception:
            if tokens:
                self._abandon(tokens, shared)
            raise
        return claims

    def _code(self, address: str, redirect: str, state: str, metadata: dict) -> str:
        """The code in what the browser brought back, once every check of RFC 8252 and RFC 9207 has passed."""
        place, mark, query = address.partition("?")
        expected, _, own = redirect.partition("?")
        # The answer is appended to the redirect address's own query (RFC 6749 §3.1.2), which has to be there (RFC 8252 §8.10).
        keeps_own = not own or f"{query}&".startswith(own if own.endswith("&") else f"{own}&")
        if place != expected or not keeps_own:
            raise DrawbridgeError("answer.other_address")
        found = None if not mark or "#" in query else _parameters(query)
        if found is None:
            raise DrawbridgeError("answer.malformed")

        def single(name: str) -> str | None:
            values = [value for other, value in found if other == name]
            if len(values) > 1:
                raise DrawbridgeError("answer.malformed")
            return values[0] if values else None

        said = single("state")
        if said is None or not same(said, state):
            raise DrawbridgeError("answer.foreign_state")
        # Before anything else is read: an answer of another provider must not even make us show its error.
        issuer = single("iss")
        needed = metadata.get("authorization_response_iss_parameter_supported") is True
        if (issuer != self._issuer) if issuer is not None else needed:
            raise DrawbridgeError("answer.other_issuer")
        code, error = single("code"), single("error")
        if error is not None:
            if code is not None or error == "":
                raise DrawbridgeError("answer.no_code")
            description = single("error_description")
            # Whoever gives another reason than the person's own no is heard: there may be something to do about it.
            if error == "access_denied" and description in (None, "the user declined"):
                raise DrawbridgeError("cancelled")
            raise refused({"error": error, "error_description": description})
        if not code:
            raise DrawbridgeError("answer.no_code")
        return code

    # Without a person: by what this app has kept, else by what another left on the device (Native SSO §4)

    def sign_in_silently(self) -> Silent:
        """Tries to sign in without a person; what it cannot do is a value that says why. Whoever is signed in already stays
        so, with the claims of that sign-in; no second one is made."""
        try:
            self._need_client()
            if claims := self._own_claims():
                return Silent(claims)
            if not self._current_shared():
                return Silent(None, "nothing_shared")
            self._need_keys()
            # Once more: while keys are fetched another app's renewal may replace the secret, and the old one would be a
            # replay (contract §5.4).
            shared = self._current_shared()
            return self._exchange(shared) if shared else Silent(None, "nothing_shared")
        except DrawbridgeError as error:
            if error.code.startswith("id_token."):
                return Silent(None, "not_believed", error)
            return Silent(None, "refused" if error.code == "refused" else "failed", error)

    def _own_claims(self) -> dict | None:
        """Of this app's own sign-in, renewed when it is due; None when there is none, or the provider has ended it."""
        own = self._stored()
        # One that an earlier version kept has no claims, and is made anew this once.
        if not own or not _claims(own):
            return None
        try:
            return _claims(self._current())
        except DrawbridgeError as error:
            if error.code == "not_signed_in":
                return None
            # No network, a busy or broken provider: nothing has ended it, and no browser would get further.
            if error.code in ("unreachable", "come_back_later", "unexpected_answer"):
                return _claims(own)
            raise

    def _exchange(self, shared: dict) -> Silent:
        before = parts(shared["id_token"])["claims"]
        hash_ = before.get("ds_hash")
        if not is_text(hash_) or not same(hash_, half_hash(shared["device_secret"])):
            return Silent(None, "parts_do_not_fit")
        try:
            tokens = self._token({
                "grant_type": EXCHANGE, "audience": self._issuer, "subject_token": shared["id_token"],
                "subject_token_type": ID_TOKEN, "actor_token": shared["device_secret"], "actor_token_type": DEVICE_SECRET,
                "scope": " ".join(self._scope)})
        except DrawbridgeError as error:
            if error.oauth == "invalid_grant":
                self._forget_shared(shared)
            raise
        try:
            secret = tokens.get("device_secret")
            claims = self._verified(tokens.get("id_token"), tokens, subject=before["sub"],
                                    device_secret=secret or shared["device_secret"])
            if secret and secret != shared["device_secret"]:
                self._share(secret, tokens["id_token"])
            self._begin(tokens, claims)
        except Exception:
            # The device is not this app's alone: its secret stays.
            self._drop(tokens)
            raise
        return Silent(claims)

    # Sign-in without a browser (RFC 8628)

    def sign_in_by_device(self, show, *, cancelled: threading.Event | None = None) -> dict:
        """Shows a code by `show(DeviceCode)` and asks until the person has answered on another device, or another thread has
        set `cancelled`."""
        cancelled = cancelled or threading.Event()
        self._need_client()
        address = self._provider().get("device_authorization_endpoint")
        if not address:
            raise DrawbridgeError("provider.endpoint", "device_authorization_endpoint")
        self._need_keys()
        # What a device cannot have is not asked for.
        scope = " ".join(word for word in self._scope if word not in ("offline_access", "device_sso"))
        answer = self._send("POST", address, members={"client_id": self._client_id, "scope": scope})
        if answer.status != 200:
            raise self._failure(answer, "the device authorization endpoint")
        said = _json(answer.text) or {}
        if (not is_text(said.get("device_code")) or not is_text(said.get("user_code")) or not is_number(said.get("expires_in"))
                or said["expires_in"] <= 0 or not secure_address(said.get("verification_uri"))):
            raise _unexpected(answer, "no code to be shown came")
        complete = secure_address(said.get("verification_uri_complete"))
        end = self._now() + min(said["expires_in"], LONGEST_CODE)
        _unless_set(cancelled)
        _hosted("what shows the code", show, DeviceCode(
            said["user_code"], said["verification_uri"], complete.text if complete else None, end))
        interval = max(1, said["interval"] if is_number(said.get("interval")) else 5)
        while True:
            # No longer than the code lives, whatever the provider wants.
            (self._sleep or cancelled.wait)(max(0, min(interval, end - self._now())))
            _unless_set(cancelled)
            try:
                tokens = self._token({"grant_type": DEVICE_GRANT, "device_code": said["device_code"]})
                break
            except DrawbridgeError as error:
                if error.oauth == "slow_down":
                    interval += 5
                elif error.oauth == "expired_token":
                    raise DrawbridgeError("timed_out") from None
                elif error.code == "unreachable":
                    # A lost connection is no answer (RFC 8628 §3.5).
                    interval = min(2 * interval, 60)
                elif error.code == "come_back_later":
                    interval = max(interval, error.seconds or 0)
                elif error.oauth != "authorization_pending":
                    raise
            if self._now() >= end:
                raise DrawbridgeError("timed_out")
        # Beside the asking: a code that was used is not asked with again, which would end what it opened.
        try:
            claims = self._verified(tokens.get("id_token"), tokens)
            self._begin(tokens, claims)
        except Exception:
            self._abandon(tokens, None)
            raise
        return claims

    # Access tokens and their renewal (RFC 6749 §6, RFC 9700 §4.14)

    def access_token(self) -> str:
        """An access token that is good for half a minute at least; renewed first when it is not."""
        return self._current()["access_token"]

    def person(self) -> dict:
        """Who is signed in, as the provider knows them (OpenID Connect Core §5.3)."""
        self._need_client()
        address = self._provider().get("userinfo_endpoint")
        if not address:
            raise DrawbridgeError("provider.endpoint", "userinfo_endpoint")

        def ask(own: dict) -> dict:
            answer = self._send("GET", address, token=own["access_token"], proves=own["bound"])
            if answer.status != 200:
                raise self._failure(answer, "userinfo")
            said = _json(answer.text)
            if not said or not is_text(said.get("sub")):
                raise _unexpected(answer, "userinfo cannot be read")
            return said

        person = self._with_token(ask)
        # An answer about somebody else must not be used (OpenID Connect Core §5.3.2).
        own = self._stored()
        if not own or own["subject"] != person["sub"]:
            raise DrawbridgeError("id_token.subject")
        return person

    def _current(self) -> dict:
        self._need_client()
        own = self._stored()
        if not own:
            raise DrawbridgeError("not_signed_in")
        return own if own["expires_at"] > self._now() + 30 else self._renewed(own)

    def _with_token(self, call):
        """Calls with the sign-in, and once more with a renewed one when the provider does not take the first token."""
        own = self._current()
        try:
            return call(own)
        except DrawbridgeError as error:
            if error.code != "refused" or error.oauth != "invalid_token":
                raise
        return call(self._renewed(own))

    def _renewed(self, stale: dict) -> dict:
        """One renewal at a time on this device, by the store's lock."""
        with self._locked(self._renewal):
            return self._renew(stale)

    def _renew(self, stale: dict) -> dict:
        own = self._stored()
        if not own:
            raise DrawbridgeError("not_signed_in")
        # Another was quicker: its token is as good as ours would be.
        if own["access_token"] != stale["access_token"] and own["expires_at"] > self._now() + 30:
            return own
        if not own.get("refresh_token"):
            raise DrawbridgeError("not_signed_in")
        shared = self._shared()
        is_ours = not shared or parts(shared["id_token"])["claims"]["sub"] == own["subject"]
        # A secret that is shown may be replaced (contract §5.4), and its successor comes with an ID token to verify.
        if is_ours and shared:
            self._need_keys()
        # No wider than what was granted, which may be less than the app asks for (contract §5.2); an earlier version did not
        # keep it.
        granted = own["scope"].split(" ") if is_text(own.get("scope")) else self._scope
        try:
            tokens = self._token({
                "grant_type": "refresh_token", "refresh_token": own["refresh_token"],
                # Without it the provider would make a second device of this one (contract §5.2). Of somebody else's
                # shared sign-in nothing is told, and no secret is asked for that would take its place.
                "device_secret": shared["device_secret"] if is_ours and shared else None,
                "scope": None if is_ours else " ".join(word for word in granted if word != "device_sso")})
        except DrawbridgeError as error:
            # Nothing else ends a sign-in (contract §5.2): a bare 401 may be of anything in front of the provider.
            if error.code != "refused" or error.oauth != "invalid_grant":
                raise
            now = self._stored()
            if now and now.get("refresh_token") != own["refresh_token"]:
                return now
            self._guarded(self._store.remove, self._item)
            self._revoke_if_possible(_earlier(own), bool(own.get("bound")))
            raise DrawbridgeError("not_signed_in", f"the provider has ended the sign-in ({error.oauth})",
                                  request_id=error.request_id, page=error.page) from None
        # Where the store has no lock across processes, another may have signed out or in meanwhile: that stands.
        now = self._stored()
        if not now:
            self._drop(tokens)
            raise DrawbridgeError("not_signed_in", "this app was signed out meanwhile")
        if now.get("refresh_token") != own["refresh_token"]:
            return now
        # Kept before its ID token is looked at: the one before is used up.
        fresh = self._keep(tokens, own["subject"], own)
        if "id_token" in tokens:
            self._heed(tokens, own["subject"], is_ours)
        return fresh

    def _heed(self, tokens: dict, subject: str, is_ours: bool):
        """Verifies the ID token of a renewal, and shares a device secret that came with it."""
        secret = tokens.get("device_secret")
        # The one shown is used up (contract §5.4). Its successor came by TLS from the token endpoint (OpenID Connect
        # Core §3.1.3.7 item 6): it is kept before a key is fetched, which this process may not outlive, and stays if
        # only the key is missing, or this device's clock is wrong.
        is_new = secret and is_ours and self._fits(tokens, subject=subject, device_secret=secret)
        before = self._shared() if is_new else None
        if is_new:
            self._share(secret, tokens["id_token"])
        try:
            self._verified(tokens["id_token"], tokens, subject=subject, device_secret=secret)
        except DrawbridgeError as error:
            if is_new and not _is_inconclusive(error):
                self._forget_shared(tokens, before)
            raise

    # Into the app's web view (contract §5.4, §6)

    def cookies(self, url: str, web_view_client: str) -> list:
        """The cookies that sign a web view in at an address; only those that its host gets."""
        self._need_client()
        page = secure_address(url)
        if not page or (page.is_loopback and not self._is_loopback):
            raise _wrong("cookies go to https pages alone")
        endpoint = self._provider()["token_endpoint"]
        origin = secure_address(endpoint).host

        def ask(own: dict):
            shared = self._current_shared()
            if not shared or parts(shared["id_token"])["claims"]["sub"] != own["subject"]:
                raise DrawbridgeError("not_signed_in", "there is no device secret of this person")
            answer = self._send("POST", endpoint, members={
                "grant_type": EXCHANGE, "client_id": web_view_client, "subject_token": own["access_token"],
                "subject_token_type": ACCESS_TOKEN, "actor_token": shared["device_secret"], "actor_token_type": DEVICE_SECRET,
            }, accept=COOKIES, proves=own["bound"])
            if answer.status != 200:
                raise self._failure(answer, "the token endpoint")
            return answer

        given = self._with_token(ask)
        found = (_json(given.text) or {}).get("cookies") if given.type == COOKIES else None
        if not isinstance(found, list) or not all(map(_is_cookie, found)):
            raise _unexpected(given, f"{web_view_client} gets no cookies; its client needs delivery: cookies")
        fitting = [cookie for cookie in found if _reaches(cookie, page.host, origin)]
        if not fitting:
            raise _wrong(f"the provider's cookies do not reach {page.host}")
        return [WebViewCookie(cookie, url) for cookie in fitting]

    def open_web_view(self, url: str, web_view_client: str):
        """Fills the web view's cookies, then loads the page: the first request is signed in already."""
        if self._web_view is None:
            raise _wrong("open_web_view needs a web_view")
        cookies = self.cookies(url, web_view_client)
        places = [{"name": cookie.name, "domain": cookie.domain, "path": cookie.path, "url": url} for cookie in cookies]
        # Remembered first: what was set can be taken out again, by another process too.
        others = [old for old in self._placed() if not any(_is_same_place(old, place) for place in places)]
        self._guarded(self._store.set, self._cookie_item, json.dumps([*others, *places]))
        for cookie in cookies:
            self._guarded(self._web_view.set_cookie, cookie)
        _hosted("the web view", self._web_view.load, url)

    def _placed(self) -> list:
        try:
            found = json.loads(self._guarded(self._store.get, self._cookie_item) or "[]")
        except ValueError:
            return []
        return found if isinstance(found, list) else []

    # The end of a sign-in (contract §7, RFC 7009)

    def sign_out(self, extent: str = "device"):
        """`device` ends what the maker's apps share as well, `this_app` this app alone. The secrets and the web view's
        cookies leave this device in every case, also when the provider cannot be told."""
        # Another word would end less than the app means.
        if extent not in ("device", "this_app"):
            raise _wrong('the extent must be "device" or "this_app"')
        self._need_client()
        # Not beside a renewal: that one would put fresh tokens where these have just been taken out.
        with contextlib.ExitStack() as held:
            _, unlocked = _tried(lambda: held.enter_context(self._locked(self._renewal)))
            self._end(extent, unlocked)

    def _end(self, extent: str, unlocked: DrawbridgeError | None):
        """`unlocked`: why the lock could not be had. What is kept ends without it, and that is told."""
        # What cannot be read cannot be ended at the provider, and leaves the device all the same.
        own, problem = _tried(self._stored)
        shared, unreadable = _tried(self._shared)
        said = parts(shared["id_token"])["claims"] if shared else {}
        is_ours = not own or said.get("sub") == own["subject"]
        if unreadable:
            ends_shared = extent == "device"
        else:
            ends_shared = bool(shared) and is_ours and (extent == "device" or self._client_id in _audiences(said))
        if not own and not problem and not ends_shared:
            raise DrawbridgeError("not_signed_in")
        problem = problem or unreadable
        ending = [(token, "refresh_token") for token in reversed(_refresh_tokens(own))]
        if shared and ends_shared:
            ending.append((shared["device_secret"], "device_secret"))
        is_silent = False
        for token, hint in ending:
            # Earlier sign-ins would be waited for as long, one after another. The device's end is worth a second try.
            if is_silent and hint == "refresh_token":
                continue
            try:
                self._revoke(token, hint, bool(own and own.get("bound")))
            except DrawbridgeError as error:
                problem = problem or error
                is_silent = error.code == "unreachable"
        # All of it, also when the store refuses a part; what stays on the device is told before anything else.
        stays = unlocked
        removals = [lambda: self._guarded(self._store.remove, self._item)]
        if ends_shared:
            removals.append(lambda: self._forget_shared(shared) if shared else self._guarded(self._store.remove, self._shared_item))
        for removal in [*removals, self._clear_web_view]:
            _, error = _tried(removal)
            stays = stays or error
        if stays:
            raise stays
        if problem:
            raise DrawbridgeError("signed_out_here_only", problem, problem.oauth, problem.seconds, problem.request_id,
                                  problem.page) from None

    def _clear_web_view(self):
        placed, unreadable = _tried(self._placed)
        if unreadable:
            # A list that stayed so would fail every sign-out to come.
            _tried(lambda: self._guarded(self._store.remove, self._cookie_item))
            raise unreadable
        # Without the web view nothing is taken out of it, and the list waits for a sign-out that has it.
        if self._web_view is None or not placed:
            return
        stays = None
        for place in placed:
            _, error = _tried(lambda place=place: self._guarded(self._web_view.remove_cookie, place))
            stays = stays or error
        if stays:
            raise stays
        self._guarded(self._store.remove, self._cookie_item)

    def _abandon(self, tokens: dict, before: dict | None):
        """Ends a sign-in that could not be kept, of which the app would not know. What was shared before it is so again."""
        secret = tokens.get("device_secret")
        if secret:
            def unshare():
                with self._sharing():
                    self._forget_shared(tokens, before)

            _tried(unshare)
        self._drop(tokens)
        # Where one was shown, the one that came may be of the same device, and would end the other apps there as well.
        if secret and not before:
            self._revoke_if_possible([secret], _is_bound(tokens), "device_secret")

    def _drop(self, tokens: dict):
        """Ends what came for nobody."""
        kind = "refresh_token" if tokens.get("refresh_token") else "access_token"
        self._revoke_if_possible([tokens[kind]], _is_bound(tokens), kind)

    def _revoke_if_possible(self, tokens: list, bound: bool, hint: str = "refresh_token"):
        """For ends that nobody has asked for: when the provider cannot be told, there is nothing to be done about it."""
        for token in tokens:
            _tried(lambda: self._revoke(token, hint, bound))

    def _revoke(self, token: str, hint: str, bound: bool):
        address = self._provider().get("revocation_endpoint")
        if not address:
            raise DrawbridgeError("provider.endpoint", "revocation_endpoint")
        members = {"token": token, "token_type_hint": hint, "client_id": self._client_id}
        answer = self._send("POST", address, members=members, proves=bound)
        if answer.status != 200:
            raise self._failure(answer, "revocation")

    # What is kept

    @property
    def _item(self) -> str:
        return f"drawbridge:{self._client_id}:{self._issuer}"

    @property
    def _cookie_item(self) -> str:
        return f"{self._item}:cookies"

    @property
    def _shared_item(self) -> str:
        return f"drawbridge-shared:{self._group}"

    @property
    def _renewal(self) -> str:
        """The lock of renewals: they may replace the device secret, which is that of all apps of the group (contract §5.4)."""
        return f"renew {self._item if self._group is None else self._shared_item}"

    def _sharing(self):
        """Keeps renewals of the maker's apps away from work with what they share; such a lock is not to be taken in it."""
        return contextlib.nullcontext() if self._group is None else self._locked(self._renewal)

    def _guarded(self, work, *arguments):
        try:
            return work(*arguments)
        except DrawbridgeError:
            raise
        except Exception as error:
            # Its name alone: the text may hold what was to be kept.
            raise DrawbridgeError("secret_store", type(error).__name__) from None

    @contextlib.contextmanager
    def _locked(self, name: str):
        """Throws `secret_store` when the store's lock does not work, and lets everything else through."""
        lock = self._guarded(self._store.lock, name)
        self._guarded(lock.__enter__)
        try:
            yield
        finally:
            self._guarded(lock.__exit__, None, None, None)

    def _read(self, name: str) -> dict | None:
        return _json(self._guarded(self._store.get, name) or "")

    def _stored(self) -> dict | None:
        kept = self._read(self._item)
        whole = kept and is_text(kept.get("access_token")) and is_text(kept.get("subject")) and is_number(kept.get("expires_at"))
        return kept if whole else None

    def _begin(self, tokens: dict, claims: dict):
        """Keeps a new sign-in, not beside a renewal or a sign-out of the one before.

        The one before goes on until the sign-out, since pages on the web may have come of it: people sign in once more to prove
        who they are. Another person's ends now."""
        with self._locked(self._renewal):
            # What cannot be read is replaced.
            own, _ = _tried(self._stored)
            before = [token for token in _refresh_tokens(own) if token != tokens.get("refresh_token")]
            kept = before[-MOST_EARLIER:] if own and own["subject"] == claims["sub"] else []
            self._keep(tokens, claims["sub"], {"claims": claims, "earlier": kept})
        self._revoke_if_possible(before[:len(before) - len(kept)], bool(own and own.get("bound")))

    def _keep(self, tokens: dict, subject: str, before: dict | None = None) -> dict:
        before = before or {}
        own = {
            "access_token": tokens["access_token"], "refresh_token": tokens.get("refresh_token") or before.get("refresh_token"),
            # Without a word about its life it is good for this use alone (RFC 6749 §5.1 leaves it open).
            "expires_at": self._now() + tokens.get("expires_in", 0), "subject": subject,
            "bound": _is_bound(tokens),
            # What was granted; an answer that says nothing of it leaves it as it was (RFC 6749 §5.1).
            "scope": tokens["scope"] if is_text(tokens.get("scope")) else before.get("scope"),
            # Those of a renewal are about the same sign-in (OpenID Connect Core §12.2).
            "claims": before.get("claims"),
            # Refresh tokens of the person's sign-ins before this one, the oldest first: they end with it.
            "earlier": _earlier(before)}
        self._guarded(self._store.set, self._item, json.dumps(own))
        return own

    def _shared(self) -> dict | None:
        """What the apps of one maker share on one device: in one item, so that its two parts always belong together."""
        if self._group is None:
            return None
        kept = self._read(self._shared_item)
        whole = kept and is_text(kept.get("device_secret")) and is_text(kept.get("id_token")) and parts(kept["id_token"])
        return kept if whole else None

    def _current_shared(self) -> dict | None:
        """The same for whoever holds no lock: not what a renewal under way is about to replace."""
        with self._sharing():
            return self._shared()

    def _share(self, device_secret: str, id_token: str):
        if self._group is not None:
            self._guarded(self._store.set, self._shared_item, json.dumps({"device_secret": device_secret, "id_token": id_token}))

    def _forget_shared(self, dead: dict, before: dict | None = None):
        """Forgets a shared sign-in, or goes back to the one before it, unless another app has put in a fresh one."""
        now = self._shared()
        if not now or now["device_secret"] != dead["device_secret"]:
            return
        if before:
            self._share(before["device_secret"], before["id_token"])
        else:
            self._guarded(self._store.remove, self._shared_item)

    def _need_client(self):
        if self._client_id is None:
            raise _wrong("this needs the app's client_id")

    # The provider (OpenID Connect Discovery, RFC 8414)

    def _provider(self) -> dict:
        if self._metadata:
            return self._metadata
        answer = self._send("GET", f"{self._issuer}/.well-known/openid-configuration")
        if answer.status != 200:
            raise self._failure(answer, "discovery")
        said = _json(answer.text)
        if not said or not is_text(said.get("issuer")):
            raise DrawbridgeError("provider.malformed", "description", request_id=answer.request_id)
        # Byte for byte: a document of another issuer would carry the whole sign-in elsewhere (RFC 8414 §6.2).
        if said["issuer"] != self._issuer:
            raise DrawbridgeError("provider.other_issuer")
        methods = said.get("code_challenge_methods_supported")
        if not isinstance(methods, list) or "S256" not in methods:
            raise DrawbridgeError("provider.no_pkce")
        possible = ["userinfo_endpoint", "revocation_endpoint", "device_authorization_endpoint"]
        for name in ["authorization_endpoint", "token_endpoint", "jwks_uri", *possible]:
            if name not in said and name in possible:
                continue
            address = secure_address(said.get(name))
            if not address or (address.is_loopback and not self._is_loopback):
                raise DrawbridgeError("provider.endpoint", name)
        self._metadata = said
        return said

    def _provider_key(self, kid: str) -> dict | None:
        """An unknown id makes us look again, once: the provider may have changed its keys."""
        def find():
            return next((key for key in self._key_set or [] if isinstance(key, dict) and key.get("kid") == kid), None)

        if key := find():
            return key
        self._read_keys()
        return find()

    def _need_keys(self):
        """Before a code, a secret or a person's sign-in is used up for an ID token: that there are no keys to verify it with
        is found out while nothing is lost."""
        if self._key_set is None:
            self._read_keys()

    def _read_keys(self):
        answer = self._send("GET", self._provider()["jwks_uri"])
        if answer.status != 200:
            raise self._failure(answer, "the key set")
        found = (_json(answer.text) or {}).get("keys")
        if not isinstance(found, list):
            raise DrawbridgeError("provider.malformed", "key set", request_id=answer.request_id)
        self._key_set = found

    def _token(self, members: dict) -> dict:
        address = self._provider()["token_endpoint"]
        is_renewal = members["grant_type"] == "refresh_token"
        answer = self._send("POST", address, members={**members, "client_id": self._client_id}, proves=bool(self._dpop),
                            longest=LONGEST_RENEWAL if is_renewal else None)
        if is_renewal and _is_lost(answer):
            raise DrawbridgeError("unreachable", f"a proxy answered {answer.status} in its place")
        if answer.status != 200:
            raise self._failure(answer, "the token endpoint")
        tokens = _json(answer.text) or {}
        # A token of a type that we do not know must not be used (RFC 6749 §7.1).
        types = ("bearer", "dpop") if self._dpop else ("bearer",)
        optional = [name for name in ("refresh_token", "id_token", "device_secret") if name in tokens]
        if (not is_visible(tokens.get("access_token")) or str(tokens.get("token_type")).lower() not in types
                or not all(is_text(tokens[name]) for name in optional)
                or ("expires_in" in tokens and not (is_number(tokens["expires_in"]) and tokens["expires_in"] > 0))):
            raise _unexpected(answer, "the token endpoint's answer cannot be read")
        return tokens

    # ID tokens (OpenID Connect Core §3.1.3.7, Native SSO §3.4)

    def _verified(self, token: str | None, tokens: dict, *, nonce: str | None = None, max_age: int | None = None,
                  subject: str | None = None, device_secret: str | None = None) -> dict:
        if token is None:
            raise _flaw("missing")
        taken = parts(token)
        if not taken:
            raise _flaw("malformed")
        header, claims = taken["header"], taken["claims"]
        # Settled here, not by the token: `none` and HS256 with a public key are the classic ways around a signature.
        if header.get("alg") != "ES256" or "crit" in header:
            raise _flaw("algorithm")
        point = _point(self._provider_key(header["kid"])) if is_text(header.get("kid")) else None
        if not point:
            raise _flaw("unknown_key")
        if not _p256.verifies(point, taken["signed"], taken["signature"]):
            raise _flaw("signature")
        self._expect(claims, tokens, nonce=nonce, max_age=max_age, subject=subject, device_secret=device_secret)
        return claims

    def _fits(self, tokens: dict, **expected) -> bool:
        """Whether all of the ID token is right but the signature, and the times, which this device's clock may be wrong
        about."""
        taken = parts(tokens["id_token"])
        if not taken or not is_text(taken["header"].get("kid")):
            return False
        try:
            self._expect(taken["claims"], tokens, any_time=True, **expected)
        except DrawbridgeError:
            return False
        return True

    def _expect(self, claims: dict, tokens: dict, *, nonce: str | None = None, max_age: int | None = None,
                subject: str | None = None, device_secret: str | None = None, any_time: bool = False):
        now, names, party = self._now(), _audiences(claims), claims.get("azp")
        if claims["iss"] != self._issuer:
            raise _flaw("issuer")
        if self._client_id not in names or (len(names) > 1 and party != self._client_id) or (
                "azp" in claims and party != self._client_id):
            raise _flaw("audience")
        if not any_time and claims["exp"] <= now - LEEWAY:
            raise _flaw("expired")
        if not any_time and claims["iat"] > now + LEEWAY:
            raise _flaw("issued_in_future")
        if nonce is not None and not same(str(claims.get("nonce", "")), nonce):
            raise _flaw("nonce")
        # The provider's word that it has done what max_age asked for.
        proved = claims.get("auth_time")
        if max_age is not None and not (is_number(proved) and proved >= now - max_age - LEEWAY):
            raise _flaw("auth_time")
        if subject is not None and claims["sub"] != subject:
            raise _flaw("subject")
        if "at_hash" in claims and not same(str(claims["at_hash"]), half_hash(tokens["access_token"])):
            raise _flaw("access_token_hash")
        # Without `ds_hash` the secret is tied to nothing, and somebody may have put in their own.
        if device_secret is not None and not same(str(claims.get("ds_hash", "")), half_hash(device_secret)):
            raise _flaw("device_secret_hash")

    # Proof of possession (RFC 9449)

    def _proof_key(self) -> "_Key":
        with self._key_lock:
            if self._key is None:
                if self._dpop is not True:
                    self._key = _hosted("the proof key", lambda: _Key(self._dpop.public_key, self._dpop.sign))
                else:
                    name = f"{self._item if self._group is None else self._shared_item}:key"
                    with self._locked(f"key {name}"):
                        key = _Key.of(self._read(name))
                        if not key:
                            kept = _Key.make()
                            self._guarded(self._store.set, name, json.dumps(kept))
                            key = _Key.of(kept)
                    self._key = key
            return self._key

    def _proof(self, method: str, address: str, token: str | None) -> str:
        key = self._proof_key()
        claims = {"jti": secrets.token_urlsafe(16), "htm": method, "htu": address.split("?")[0], "iat": int(self._now())}
        if nonce := self._nonces.get(_origin(address)):
            claims["nonce"] = nonce
        if token:
            claims["ath"] = sha256(token)
        header = {"typ": "dpop+jwt", "alg": "ES256", "jwk": key.public}
        text = ".".join(b64(json.dumps(part).encode()) for part in (header, claims))
        return f"{text}.{_hosted('the proof key', lambda: b64(key.sign(text.encode())))}"

    # HTTP

    def _send(self, method: str, address: str, *, members: dict | None = None, data: dict | None = None,
              accept: str = "application/json", token: str | None = None, proves: bool = False,
              longest: float | None = None) -> http1.Answer:
        proves = bool(self._dpop and proves)
        for attempt in (1, 2):
            headers = {"Accept": accept}
            if token is not None:
                headers["Authorization"] = f"{'DPoP' if proves else 'Bearer'} {token}"
            if proves:
                headers["DPoP"] = self._proof(method, address, token)
            body = None
            if members is not None:
                body, headers["Content-Type"] = form(members).encode(), "application/x-www-form-urlencoded"
            elif data is not None:
                body, headers["Content-Type"] = json.dumps(data).encode(), "application/json"
            answer = self._send_once(method, address, headers, body, longest)
            # A nonce that we did not have, or that is stale: once more with the one that came along (RFC 9449 §8).
            if not (proves and attempt == 1 and answer.wants_nonce):
                return answer
        return answer

    def _send_once(self, method: str, address: str, headers: dict, body: bytes | None,
                   longest: float | None) -> http1.Answer:
        place = f"{method} {address.split('?')[0]}"
        try:
            if longest is None or longest >= self._timeout:
                answer = http1.send(method, address, headers, body, self._timeout)
            else:
                answer = http1.send(method, address, headers, body, longest, self._timeout)
            self._log(f"{place}: {answer.status}")
            if 300 <= answer.status < 400:
                raise _unexpected(answer, "a redirect, which is never followed")
        except DrawbridgeError as error:
            self._log(f"{place}: {error.code}")
            raise
        nonce = answer.headers.get("dpop-nonce", "")
        if re.fullmatch(r"[!-~]{1,1024}", nonce):
            self._nonces[_origin(address)] = nonce
        answer.challenge = _challenge(answer, "error")
        error = (_json(answer.text) or {}).get("error") or answer.challenge
        answer.wants_nonce = bool(nonce) and answer.status >= 400 and error == "use_dpop_nonce"
        return answer

    def _log(self, line: str):
        # One that fails changes nothing: where would it be told?
        with contextlib.suppress(Exception):
            if self._logger is not None:
                self._logger.debug(line)

    def _failure(self, answer: http1.Answer, what: str) -> DrawbridgeError:
        body = _json(answer.text) or {}
        # Every answer has it in its header, a refusal's body besides (contract §11).
        said = body.get("request_id")
        request_id, page = said if http1.is_request_id(said) else answer.request_id, self._page(body.get("error_uri"))
        if answer.status in (429, 502, 503, 504):
            seconds = self._wait(answer.headers.get("retry-after"))
            return DrawbridgeError("come_back_later", seconds=seconds, request_id=request_id, page=page)
        if 400 <= answer.status < 500:
            if not is_text(body.get("error")) and (answer.challenge or answer.status == 401):
                body = {"error": answer.challenge or "invalid_token"}
            if is_text(body.get("error")):
                # How strong and how fresh a sign-in would do (RFC 9470 §3).
                levels, age = _challenge(answer, "acr_values", 1024), _challenge(answer, "max_age")
                return refused(body, request_id, page, (levels or "").split() or None,
                               int(age) if age and re.fullmatch("[0-9]{1,9}", age) else None)
        return DrawbridgeError("unexpected_answer", f"{what} answered {answer.status}", request_id=request_id, page=page)

    def _page(self, text) -> str | None:
        """A page of the provider itself, for people to open; None for any other address."""
        page = secure_address(text)
        is_ours = page and page.host == secure_address(self._issuer).host and (self._is_loopback or not page.is_loopback)
        return page.text if is_ours else None

    def _wait(self, text: str | None) -> int | None:
        """Seconds of `Retry-After`, which is a number or a date (RFC 9110 §10.2.3)."""
        if text is None:
            return None
        if re.fullmatch(r"[0-9]{1,9}", text.strip()):
            return int(text)
        if not re.match(r"[A-Z][a-z]{2,8}, ", text):
            return None
        try:
            date = email.utils.parsedate_to_datetime(text).timestamp()
        except (ValueError, TypeError, OverflowError):
            return None
        return max(0, math.ceil(date - self._now()))


class _Key:
    """A P-256 key, which `cryptography` makes and signs with, or that is the app's own."""

    def __init__(self, public: dict, sign):
        self.public = {"crv": "P-256", "kty": "EC", "x": public["x"], "y": public["y"]}
        self.sign = sign

    @property
    def thumbprint(self) -> str:
        """RFC 7638."""
        return sha256(json.dumps(self.public, sort_keys=True, separators=(",", ":")))

    @staticmethod
    def check():
        try:
            import cryptography.hazmat.primitives.asymmetric.ec  # noqa: F401
        except ImportError:
            raise _wrong("dpop=True needs the package cryptography; or give a key of your own") from None

    @staticmethod
    def make() -> dict:
        from cryptography.hazmat.primitives.asymmetric import ec
        private = ec.generate_private_key(ec.SECP256R1()).private_numbers()
        point = private.public_numbers
        return {name: b64(value.to_bytes(32, "big")) for name, value in
                {"d": private.private_value, "x": point.x, "y": point.y}.items()}

    @classmethod
    def of(cls, kept: dict | None) -> "_Key | None":
        """None of what is not there or damaged: no token can be proved by it, so a new key takes its place."""
        from cryptography.hazmat.primitives import hashes
        from cryptography.hazmat.primitives.asymmetric import ec, utils
        numbers = [from_b64(kept[name]) if kept and is_text(kept.get(name)) else None for name in ("d", "x", "y")]
        if not all(number and len(number) == 32 for number in numbers):
            return None
        d, x, y = (int.from_bytes(number, "big") for number in numbers)
        try:
            private = ec.derive_private_key(d, ec.SECP256R1())
        except ValueError:
            return None
        if private.public_key().public_numbers() != ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()):
            return None

        def sign(message: bytes) -> bytes:
            r, s = utils.decode_dss_signature(private.sign(message, ec.ECDSA(hashes.SHA256())))
            return r.to_bytes(32, "big") + s.to_bytes(32, "big")

        return cls(kept, sign)


# What needs nothing of the client


@dataclass(frozen=True)
class Address:
    text: str
    host: str
    is_loopback: bool


def _wrong(text: str) -> DrawbridgeError:
    return DrawbridgeError("configuration", text)


def _flaw(name: str) -> DrawbridgeError:
    return DrawbridgeError(f"id_token.{name}")


def _is_lost(answer: http1.Answer) -> bool:
    """Whether a proxy answered a renewal that may have happened: whoever waits then comes too late to repeat it
    (contract §5.2). Only the provider's own 503 promises that nothing was used up (contract §11)."""
    return answer.status in (502, 504) or (
        answer.status == 503 and (_json(answer.text) or {}).get("error") != "temporarily_unavailable")


def _unexpected(answer: http1.Answer, what: str) -> DrawbridgeError:
    return DrawbridgeError("unexpected_answer", what, request_id=answer.request_id)


def _hosted(what: str, work, *arguments):
    """Work of a part that the app has brought; what it raises is named, and its text, which may hold secrets, is not."""
    try:
        return work(*arguments)
    except DrawbridgeError:
        raise
    except Exception as error:
        raise _wrong(f"{what} failed: {type(error).__name__}") from None


def _words(what: str, given) -> tuple:
    # An iterator gives its words once, and a text would give its letters.
    words = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else None
    if words is None or not all(map(is_text, words)):
        raise _wrong(f"{what} must be a list of words")
    return words


def _challenge(answer: http1.Answer, name: str, longest: int = 64) -> str | None:
    """What `WWW-Authenticate` says under this name."""
    found = re.search(rf'\b{name}="([^"]{{1,{longest}}})"', answer.headers.get("www-authenticate", ""))
    return found[1] if found else None


def _unless_set(cancelled: threading.Event | None):
    if cancelled and cancelled.is_set():
        raise DrawbridgeError("cancelled")


class GivenUp(threading.Event):
    """Set for a sign-in that nobody waits for any longer: its browser is closed then, as long as it is open for it."""

    def __init__(self):
        super().__init__()
        self._guard, self._close = threading.Lock(), None

    def set(self):
        with self._guard:
            super().set()
            if self._close:
                self._close()

    def closes(self, close):
        """What to do from here on; None for nothing."""
        with self._guard:
            self._close = close


@contextlib.contextmanager
def _closed_by(cancelled: threading.Event | None, browser, redirect: str):
    """While this sign-in's browser is open: the same one may be another sign-in's before and afterwards."""
    def close():
        # What it raises helps nobody who has given up.
        with contextlib.suppress(Exception):
            browser.close(redirect)

    closing = close if hasattr(browser, "close") else None
    if isinstance(cancelled, GivenUp):
        cancelled.closes(closing)
    try:
        try:
            _unless_set(cancelled)
        except DrawbridgeError:
            if closing:
                closing()
            raise
        yield
    finally:
        if isinstance(cancelled, GivenUp):
            cancelled.closes(None)


def _tried(work) -> tuple:
    """What it gives, and None; or None, and what went wrong."""
    try:
        return work(), None
    except DrawbridgeError as error:
        return None, error


def _claims(own: dict) -> dict | None:
    """Of the ID token that a kept sign-in came with."""
    said = own.get("claims")
    return said if isinstance(said, dict) and said.get("sub") == own["subject"] else None


def _earlier(own: dict) -> list:
    """The refresh tokens of sign-ins before a kept one, the oldest first."""
    found = own.get("earlier")
    return [token for token in found if is_text(token)] if isinstance(found, list) else []


def _refresh_tokens(own: dict | None) -> list:
    """The same and its own."""
    return [token for token in (*_earlier(own), own.get("refresh_token")) if token] if own else []


def _is_bound(tokens: dict) -> bool:
    return tokens["token_type"].lower() == "dpop"


def _is_inconclusive(error: DrawbridgeError) -> bool:
    """Whether nothing is known against an ID token: its key is missing, or this device's clock does not fit."""
    return not error.code.startswith("id_token.") or error.code in (
        "id_token.unknown_key", "id_token.expired", "id_token.issued_in_future")


_ADDRESS = re.compile(
    r"(https?)://(\[[0-9a-f:.]+\]|[A-Za-z0-9][A-Za-z0-9.-]*)(?::([1-9][0-9]{0,4}))?(?=[/?]|\Z)[!$-./0-;=?A-Z\[\]_a-z~]*\Z")


def secure_address(text) -> Address | None:
    """An address that secrets may be sent to. The odd ones are refused before any parser sees them."""
    found = _ADDRESS.match(text) if isinstance(text, str) and len(text) <= 2048 else None
    if not found or int(found[3] or 1) > 65535:
        return None
    host, is_loopback = found[2].lower(), found[1] == "http"
    if is_loopback and host not in ("127.0.0.1", "[::1]", "localhost"):
        return None
    return Address(text, host, is_loopback)


def is_private_use(text: str) -> bool:
    """`com.example.app:/callback`: a domain turned round, then one slash (RFC 8252 §7.1)."""
    return re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+:/(?!/)[!-~]*", text) is not None and "#" not in text


def is_text(value) -> bool:
    return isinstance(value, str) and value != ""


def is_visible(value) -> bool:
    """What may stand in a header: one with a line break would write headers of its own (RFC 6749 appendix A.12)."""
    return isinstance(value, str) and re.fullmatch(r"[!-~]+", value) is not None


def is_login_code(value) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[0-9]{6}", value) is not None


def is_number(value) -> bool:
    """One that a float can hold: Python reads whole numbers of any length."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def from_b64(text: str) -> bytes | None:
    """None for anything that `b64` would not have written: a token has one spelling."""
    if not re.fullmatch(r"[A-Za-z0-9_-]*", text) or len(text) % 4 == 1:
        return None
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return data if b64(data) == text else None


def _digest(text: str) -> bytes:
    # JSON may hold halves of characters: a token with one is not the provider's, and is nothing to fail at here.
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()


def sha256(text: str) -> str:
    return b64(_digest(text))


def half_hash(text: str) -> str:
    """`at_hash` and `ds_hash`: the left half of the SHA-256."""
    return b64(_digest(text)[:16])


def same(one: str, other: str) -> bool:
    # JSON may hold halves of characters, which are of no encoding.
    return hmac.compare_digest(one.encode("utf-8", "surrogatepass"), other.encode("utf-8", "surrogatepass"))


def form(members: dict) -> str:
    return "&".join(f"{quote(name, safe='')}={quote(str(value), safe='', errors='replace')}"
                    for name, value in members.items() if value is not None)


def _no_constant(name: str):
    raise ValueError(name)


def _json(text: str) -> dict | None:
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _parameters(query: str) -> list | None:
    """The parameters of a query in order, or None when an escape is broken."""
    if re.search(r"%(?![0-9A-Fa-f]{2})", query):
        return None
    try:
        return [tuple(unquote_to_bytes(part.replace("+", " ")).decode("utf-8") for part in pair.partition("=")[::2])
                for pair in query.split("&") if pair]
    except UnicodeDecodeError:
        return None


def parts(token: str) -> dict | None:
    """An ID token taken apart, not believed yet; None when it is not one."""
    pieces = token.split(".")
    data = [from_b64(piece) for piece in pieces]
    if len(pieces) != 3 or None in data:
        return None
    try:
        header, claims = (_json(part.decode("utf-8")) for part in data[:2])
    except UnicodeDecodeError:
        return None
    if not (header and claims and is_text(claims.get("iss")) and is_text(claims.get("sub")) and _audiences(claims)
            and is_number(claims.get("exp")) and is_number(claims.get("iat"))):
        return None
    return {"header": header, "claims": claims, "signature": data[2], "signed": f"{pieces[0]}.{pieces[1]}".encode()}


def _audiences(claims: dict) -> list:
    found = claims.get("aud")
    found = found if isinstance(found, list) else [found]
    return found if all(map(is_text, found)) else []


def _point(jwk: dict | None) -> tuple | None:
    if not jwk or jwk.get("kty") != "EC" or jwk.get("crv") != "P-256" or jwk.get("use", "sig") != "sig" or (
            jwk.get("alg", "ES256") != "ES256") or not is_text(jwk.get("x")) or not is_text(jwk.get("y")):
        return None
    x, y = from_b64(jwk["x"]), from_b64(jwk["y"])
    if x is None or y is None or len(x) != 32 or len(y) != 32:
        return None
    point = int.from_bytes(x, "big"), int.from_bytes(y, "big")
    return point if _p256.is_on_curve(*point) else None


def _is_cookie(cookie) -> bool:
    if not isinstance(cookie, dict) or not all(is_text(cookie.get(name)) for name in ("name", "path", "same_site", "expires")):
        return False
    try:
        datetime.fromisoformat(cookie["expires"])
    except ValueError:
        return False
    return isinstance(cookie.get("value"), str) and isinstance(cookie.get("http_only"), bool) and (
        cookie.get("domain") is None or is_text(cookie["domain"]))


def _reaches(cookie: dict, host: str, origin: str) -> bool:
    """Whether a browser would send the cookie to this host (RFC 6265 §5.1.3)."""
    if not cookie.get("domain"):
        return host == (cookie.get("host") or origin)
    name = cookie["domain"].removeprefix(".").lower()
    # The provider may set cookies for its own domain, and for no other; an address has no domain above it.
    return all(one == name or (one.endswith(f".{name}") and not re.match(r"[0-9.]+\Z|\[", one)) for one in (host, origin))


def _is_same_place(one: dict, other: dict) -> bool:
    return all(one.get(name) == other[name] for name in ("name", "domain", "path")) and _origin(str(one.get("url"))) == _origin(other["url"])


def _origin(address: str) -> str:
    return "/".join(address.split("/")[:3])
