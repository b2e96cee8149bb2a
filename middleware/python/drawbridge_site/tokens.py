"""Tokens of Drawbridge, verified here."""

from . import jws
from .claims import check_claims, is_text, is_time
from .jws import Refused
from .keys import Keys
from .settings import Settings
from .user import User


class Tokens:
    def __init__(self, settings: Settings, keys: Keys):
        self._settings, self._keys = settings, keys

    def verified(self, text: str, type_: str, algorithms: tuple, audiences: tuple, now: float) -> dict:
        token = jws.Token(text)
        token.check_kind(type_, algorithms)
        jws.verify(token, self._keys.key(token.header["kid"], now))
        check_claims(token.claims, self._settings.issuer, audiences, now, self._settings.leeway)
        return token.claims

    def user(self, access_token: str, now: float) -> tuple[User, float]:
        """The user of an access token of this website, and when it was issued."""
        audience = self._settings.audience or self._settings.issuer
        claims = self.verified(access_token, "at+jwt", jws.ALGORITHMS, (audience,), now)
        if claims.get("client_id") not in self._settings.ours:
            raise Refused("client")
        # One that is bound to a key is no cookie's (RFC 9449 §7).
        if "cnf" in claims:
            raise Refused("bound")
        subject, session = claims.get("sub"), claims.get("sid")
        # A machine's token has no session, and is nobody's.
        if not is_text(subject) or not is_text(session):
            raise Refused("claims")
        acr, amr, auth_time = claims.get("acr"), claims.get("amr", []), claims.get("auth_time")
        if not (acr is None or is_text(acr)) or not (auth_time is None or is_time(auth_time)) or not (
                isinstance(amr, list) and all(isinstance(item, str) for item in amr)):
            raise Refused("claims")
        return User(subject, session, acr, tuple(amr), auth_time), claims["iat"]
