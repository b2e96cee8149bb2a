"""The client: sign-in, tokens, links and cookies. Nothing here prints a secret or keeps one outside of the store."""

import threading
import time

from .checks import is_text
from .configuration import Configuration
from .device_sign_in import DeviceSignIn
from .encoding import json_object
from .errors import DrawbridgeError
from .failures import unexpected
from .id_token import IDTokens
from .login_links import LoginLink, LoginLinks
from .own_sign_in import OwnSignIn
from .proof import Proofs
from .provider import Provider
from .renewal import Renewal
from .revocation import Revocation
from .shared_sign_in import SharedSignIn
from .sign_in import BrowserSignIn
from .sign_out import SignOut
from .silent_sign_in import Silent, SilentSignIn
from .stores import MemoryStore
from .token_endpoint import TokenEndpoint
from .transport import Transport
from .vault import Vault
from .web_view import WebView


class Drawbridge:
    """One app at one provider. Safe for many threads."""

    def __init__(self, issuer: str, client_id: str | None = None, *, redirect_uri: str | None = None,
                 scope: tuple = ("profile", "offline_access"), sharing: str | None = None, store=None, browser=None,
                 web_view=None, dpop=False, timeout: float = 30, now=time.time, sleep=None, logger=None):
        """`browser` has `open(address)` and may have `prepare()`, which gives the redirect URI, and `close(redirect)`, which
        ends the sign-in whose answer comes there. `dpop` is True, or a key with `public_key` (x, y as in a JWK) and
        `sign(bytes)`. `timeout` is in seconds, for a whole answer; a renewal has six at most."""
        own = Configuration(issuer, client_id, redirect_uri, scope, sharing, dpop, timeout, now)
        # Not by its truth: a store that has a length is false while it is empty.
        vault = Vault(own, MemoryStore() if store is None else store)
        shared, proofs = SharedSignIn(own, vault), Proofs(own, vault)
        transport = Transport(own, proofs, logger)
        provider = Provider(own, transport)
        tokens, id_tokens = TokenEndpoint(own, transport, provider), IDTokens(own, provider)
        revocation = Revocation(own, transport, provider, vault, shared)
        sign_in = OwnSignIn(own, vault, revocation)
        renewal = Renewal(own, vault, shared, provider, tokens, id_tokens, revocation, sign_in)
        self._configuration, self._proofs, self._transport = own, proofs, transport
        self._provider, self._own, self._renewal = provider, sign_in, renewal
        self._links = LoginLinks(own, transport, renewal)
        self._by_browser = BrowserSignIn(
            own, browser, vault, shared, proofs, provider, tokens, id_tokens, revocation, sign_in)
        self._by_device = DeviceSignIn(own, sleep, transport, provider, tokens, id_tokens, revocation, sign_in)
        self._silently = SilentSignIn(own, shared, provider, tokens, id_tokens, revocation, sign_in, renewal)
        self._web_view = WebView(own, web_view, vault, shared, transport, provider, renewal)
        self._end = SignOut(own, vault, shared, revocation, sign_in, self._web_view)

    def open_url(self, path: str | None = None, *, bearer=None, website: str | None = None,
                 carrier: str = "query") -> LoginLink:
        """A link that opens a page of the website, signed in.

        `bearer` is any backend's token that the provider trusts, or what gives one; without it, this app's own sign-in
        counts. With `carrier="header"` the token is in `headers` and not in the address."""
        return self._links.link(path, bearer, website, carrier)

    def sign_in(self, *, login_hint: str | None = None, acr_values: list | None = None, max_age: int | None = None,
                prompt: str | None = None, languages: list | None = None,
                cancelled: threading.Event | None = None) -> dict:
        """Opens the browser, checks what comes back, keeps the tokens. Gives the claims of the ID token.

        To give up from another thread: set `cancelled` and call the browser's `close()`; for a `GivenUp`, setting it is
        enough."""
        return self._by_browser.sign_in(login_hint, acr_values, max_age, prompt, languages, cancelled)

    def sign_in_silently(self) -> Silent:
        """Tries to sign in without a person; what it cannot do is a value that says why. Whoever is signed in already stays
        so, with the claims of that sign-in; no second one is made."""
        return self._silently.sign_in()

    def sign_in_by_device(self, show, *, cancelled: threading.Event | None = None) -> dict:
        """Shows a code by `show(DeviceCode)` and asks until the person has answered on another device, or another thread has
        set `cancelled`."""
        return self._by_device.sign_in(show, cancelled or threading.Event())

    def access_token(self) -> str:
        """An access token that is good for half a minute at least; renewed first when it is not."""
        return self._renewal.current()["access_token"]

    def person(self) -> dict:
        """Who is signed in, as the provider knows them (OpenID Connect Core §5.3)."""
        self._configuration.need_client()
        address = self._provider.endpoint("userinfo_endpoint")

        def ask(own: dict) -> dict:
            answer = self._transport.send("GET", address, token=own["access_token"], proves=own["bound"])
            if answer.status != 200:
                raise self._transport.failure(answer, "userinfo")
            said = json_object(answer.text)
            if not said or not is_text(said.get("sub")):
                raise unexpected(answer, "userinfo cannot be read")
            return said

        person = self._renewal.with_token(ask)
        # An answer about somebody else must not be used (OpenID Connect Core §5.3.2).
        own = self._own.stored()
        if not own or own["subject"] != person["sub"]:
            raise DrawbridgeError("id_token.subject")
        return person

    def cookies(self, url: str, web_view_client: str) -> list:
        """The cookies that sign a web view in at an address; only those that its host gets."""
        return self._web_view.cookies(url, web_view_client)

    def open_web_view(self, url: str, web_view_client: str):
        """Fills the web view's cookies, then loads the page: the first request is signed in already."""
        self._web_view.need()
        self._web_view.open(url, self.cookies(url, web_view_client))

    def sign_out(self, extent: str = "device"):
        """`device` ends what the maker's apps share as well, `this_app` this app alone. The secrets and the web view's
        cookies leave this device in every case, also when the provider cannot be told."""
        self._end.sign_out(extent)
