"""From the app onto the web (contract §3)."""

import re

from .checks import is_number, is_visible
from .configuration import Configuration
from .encoding import json_object
from .errors import hosted, wrong
from .failures import unexpected
from .http1 import Answer
from .renewal import Renewal
from .transport import Transport


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


class LoginLinks:
    def __init__(self, configuration: Configuration, transport: Transport, renewal: Renewal):
        self._configuration, self._transport, self._renewal = configuration, transport, renewal

    def link(self, path: str | None, bearer, website: str | None, carrier: str) -> LoginLink:
        # Another word would put the token into the address, against the app's will.
        if carrier not in ("query", "header"):
            raise wrong('the carrier must be "query" or "header"')
        wish = {name: value for name, value in {"redirect": path, "client_id": website}.items() if value is not None}
        given = hosted("the bearer", bearer) if callable(bearer) else bearer
        # What has none to give does not mean the app's own sign-in.
        if (given is not None or callable(bearer)) and not is_visible(given):
            raise wrong("the bearer is empty or not a token")

        def ask(token: str, proves: bool) -> Answer:
            address = f"{self._configuration.issuer}/api/auth/create-sso-token"
            answer = self._transport.send("POST", address, data=wish, token=token, proves=proves)
            if answer.status != 200:
                raise self._transport.failure(answer, "the login token endpoint")
            return answer

        if given is not None:
            return self._read(ask(given, False), carrier)
        return self._read(self._renewal.with_token(lambda own: ask(own["access_token"], own["bound"])), carrier)

    def _read(self, given: Answer, carrier: str) -> LoginLink:
        answer = json_object(given.text) or {}
        target, life = self._configuration.trusted(answer.get("login_url")), answer.get("expires_in")
        if not target or not is_number(life) or life <= 0:
            raise unexpected(given, "it holds no login address to be trusted")
        end, code = self._configuration.now() + life, answer.get("login_code")
        if code is not None and not _is_login_code(code):
            raise unexpected(given, "its login code is not six digits")
        if carrier != "header":
            return LoginLink(target.text, {}, end, code)
        token = answer.get("token")
        if not is_visible(token):
            raise unexpected(given, "it holds no token for the header")
        address, _, query = target.text.partition("?")
        rest = "&".join(pair for pair in query.split("&") if pair and not pair.startswith("token="))
        url = f"{address}?{rest}" if rest else address
        if token in url:
            raise unexpected(given, "the token is in the path")
        return LoginLink(url, {"Drawbridge-Login-Token": token}, end, code)


def _is_login_code(value) -> bool:
    return isinstance(value, str) and re.fullmatch(r"[0-9]{6}", value) is not None
