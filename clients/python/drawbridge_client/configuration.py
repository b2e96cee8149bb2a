"""What an app says of itself and of its provider."""

import re
import threading
from collections.abc import Callable, Iterable

from .addresses import Address, is_private_use, secure_address
from .checks import is_number, is_text
from .errors import wrong


class Configuration:
    """Checked once, and the same for as long as the app runs."""

    def __init__(self, issuer: str, client_id: str | None, redirect_uri: str | None, scope: tuple, sharing: str | None,
                 dpop, timeout: float, now: Callable):
        address = secure_address(issuer)
        if not address:
            raise wrong("the issuer must be https://…, or http:// on this machine alone")
        if re.search(r"[?#]|/$", issuer):
            raise wrong("an issuer has neither a query nor a slash at its end")
        if client_id is not None and not is_text(client_id):
            raise wrong("the client_id is empty")
        if redirect_uri is not None and not secure_address(redirect_uri) and not is_private_use(redirect_uri):
            raise wrong("the redirect_uri could be received by another app or host")
        scope = words("the scope", scope)
        if not is_number(timeout) or not 0 < timeout <= threading.TIMEOUT_MAX:
            raise wrong("the timeout must be a positive number of seconds")
        self.issuer, self._host, self._is_loopback = issuer, address.host, address.is_loopback
        self.client_id, self.redirect_uri, self.group = client_id, redirect_uri, sharing
        rest = [word for word in scope if word not in ("openid", "device_sso")]
        self.scope = ["openid", *rest, *(["device_sso"] if sharing is not None else [])]
        self.dpop, self.timeout, self.now = dpop, timeout, now

    def need_client(self):
        if self.client_id is None:
            raise wrong("this needs the app's client_id")

    def trusted(self, text) -> Address | None:
        """A secure address; one of this machine in plain http only for a provider that is there as well."""
        address = secure_address(text)
        return address if address and (self._is_loopback or not address.is_loopback) else None

    def page(self, text) -> str | None:
        """A page of the provider itself, for people to open; None for any other address."""
        address = self.trusted(text)
        return address.text if address and address.host == self._host else None


def words(what: str, given) -> tuple:
    # An iterator gives its words once, and a text would give its letters.
    found = tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else None
    if found is None or not all(map(is_text, found)):
        raise wrong(f"{what} must be a list of words")
    return found
