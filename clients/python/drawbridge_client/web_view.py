"""Into the app's web view, and out of it (contract §5.4, §6)."""

import json
import re
from datetime import datetime

from .addresses import origin, secure_address
from .checks import is_text
from .configuration import Configuration
from .encoding import json_object
from .errors import DrawbridgeError, hosted, tried, wrong
from .failures import unexpected
from .http1 import Answer
from .provider import Provider
from .renewal import Renewal
from .shared_sign_in import SharedSignIn, person
from .token_endpoint import ACCESS_TOKEN, DEVICE_SECRET, EXCHANGE
from .transport import Transport
from .vault import Vault, guarded

COOKIES = "application/vnd.drawbridge.cookies+json"


class WebViewCookie:
    """One cookie for a web view of `url`; prints without its value. `domain` None: the host of `url` alone."""

    __slots__ = ("name", "value", "domain", "path", "expires", "http_only", "same_site", "url")

    def __init__(self, given: dict, url: str):
        self.name, self.value, self.path = given["name"], given["value"], given["path"]
        self.domain, self.expires, self.url = given.get("domain"), given["expires"], url
        self.http_only, self.same_site = given["http_only"], given["same_site"]

    def __repr__(self):
        return f"<cookie {self.name}>"


class WebView:
    def __init__(self, configuration: Configuration, web_view, vault: Vault, shared: SharedSignIn, transport: Transport,
                 provider: Provider, renewal: Renewal):
        self._configuration, self._web_view, self._vault, self._shared = configuration, web_view, vault, shared
        self._transport, self._provider, self._renewal = transport, provider, renewal

    def cookies(self, url: str, client: str) -> list:
        self._configuration.need_client()
        page = self._configuration.trusted(url)
        if not page:
            raise wrong("cookies go to https pages alone")
        endpoint = self._provider.metadata()["token_endpoint"]

        def ask(own: dict) -> Answer:
            shared = self._shared.current()
            if not shared or person(shared) != own["subject"]:
                raise DrawbridgeError("not_signed_in", "there is no device secret of this person")
            answer = self._transport.send("POST", endpoint, members={
                "grant_type": EXCHANGE, "client_id": client, "subject_token": own["access_token"],
                "subject_token_type": ACCESS_TOKEN, "actor_token": shared["device_secret"], "actor_token_type": DEVICE_SECRET,
            }, accept=COOKIES, proves=own["bound"])
            if answer.status != 200:
                raise self._transport.failure(answer, "the token endpoint")
            return answer

        given = self._renewal.with_token(ask)
        found = (json_object(given.text) or {}).get("cookies") if given.type == COOKIES else None
        if not isinstance(found, list) or not all(map(_is_cookie, found)):
            raise unexpected(given, f"{client} gets no cookies; its client needs delivery: cookies")
        fitting = [cookie for cookie in found if _reaches(cookie, page.host, secure_address(endpoint).host)]
        if not fitting:
            raise wrong(f"the provider's cookies do not reach {page.host}")
        return [WebViewCookie(cookie, url) for cookie in fitting]

    def need(self):
        if self._web_view is None:
            raise wrong("open_web_view needs a web_view")

    def open(self, url: str, cookies: list):
        places = [{"name": cookie.name, "domain": cookie.domain, "path": cookie.path, "url": url} for cookie in cookies]
        # Remembered first: what was set can be taken out again, by another process too.
        others = [old for old in self._placed() if not any(_is_same_place(old, place) for place in places)]
        self._vault.write(self._vault.cookie_item, [*others, *places])
        for cookie in cookies:
            guarded(self._web_view.set_cookie, cookie)
        hosted("the web view", self._web_view.load, url)

    def clear(self):
        placed, unreadable = tried(self._placed)
        if unreadable:
            # A list that stayed so would fail every sign-out to come.
            tried(self._vault.remove, self._vault.cookie_item)
            raise unreadable
        # Without the web view nothing is taken out of it, and the list waits for a sign-out that has it.
        if self._web_view is None or not placed:
            return
        stays = None
        for place in placed:
            _, error = tried(lambda place=place: guarded(self._web_view.remove_cookie, place))
            stays = stays or error
        if stays:
            raise stays
        self._vault.remove(self._vault.cookie_item)

    def _placed(self) -> list:
        try:
            found = json.loads(self._vault.read(self._vault.cookie_item) or "[]")
        except ValueError:
            return []
        return found if isinstance(found, list) else []


def _is_cookie(cookie) -> bool:
    if not isinstance(cookie, dict) or not all(is_text(cookie.get(name)) for name in ("name", "path", "same_site", "expires")):
        return False
    try:
        datetime.fromisoformat(cookie["expires"])
    except ValueError:
        return False
    return isinstance(cookie.get("value"), str) and isinstance(cookie.get("http_only"), bool) and (
        cookie.get("domain") is None or is_text(cookie["domain"]))


def _reaches(cookie: dict, host: str, provider: str) -> bool:
    """Whether a browser would send the cookie to this host (RFC 6265 §5.1.3)."""
    if not cookie.get("domain"):
        return host == (cookie.get("host") or provider)
    name = cookie["domain"].removeprefix(".").lower()
    # The provider may set cookies for its own domain, and for no other; an address has no domain above it.
    return all(one == name or (one.endswith(f".{name}") and not re.match(r"[0-9.]+\Z|\[", one)) for one in (host, provider))


def _is_same_place(one: dict, other: dict) -> bool:
    return all(one.get(name) == other[name] for name in ("name", "domain", "path")) and (
        origin(str(one.get("url"))) == origin(other["url"]))
