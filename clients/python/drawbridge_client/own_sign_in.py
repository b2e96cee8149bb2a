"""This app's own sign-in, as it is kept."""

from .checks import is_number, is_text
from .configuration import Configuration
from .errors import tried
from .revocation import Revocation
from .token_endpoint import is_bound
from .vault import Vault

#: How many earlier sign-ins of the person an app keeps, to end them at its sign-out. The oldest of more end at once.
MOST_EARLIER = 8


class OwnSignIn:
    def __init__(self, configuration: Configuration, vault: Vault, revocation: Revocation):
        self._configuration, self._vault, self._revocation = configuration, vault, revocation

    def stored(self) -> dict | None:
        kept = self._vault.read_object(self._vault.item)
        is_whole = kept and is_text(kept.get("access_token")) and is_text(kept.get("subject")) and (
            is_number(kept.get("expires_at")))
        return kept if is_whole else None

    def remove(self):
        self._vault.remove(self._vault.item)

    def begin(self, tokens: dict, claims: dict):
        """Keeps a new sign-in, not beside a renewal or a sign-out of the one before.

        The one before goes on until the sign-out, since pages on the web may have come of it: people sign in once more to
        prove who they are. Another person's ends now."""
        with self._vault.renewing():
            # What cannot be read is replaced.
            own, _ = tried(self.stored)
            before = [token for token in refresh_tokens(own) if token != tokens.get("refresh_token")]
            kept = before[-MOST_EARLIER:] if own and own["subject"] == claims["sub"] else []
            self.keep(tokens, claims["sub"], {"claims": claims, "earlier": kept})
        self._revocation.revoke_if_possible(before[:len(before) - len(kept)], bool(own and own.get("bound")))

    def keep(self, tokens: dict, subject: str, before: dict | None = None) -> dict:
        before = before or {}
        own = {
            "access_token": tokens["access_token"],
            "refresh_token": tokens.get("refresh_token") or before.get("refresh_token"),
            # Without a word about its life it is good for this use alone (RFC 6749 §5.1 leaves it open).
            "expires_at": self._configuration.now() + tokens.get("expires_in", 0), "subject": subject,
            "bound": is_bound(tokens),
            # What was granted; an answer that says nothing of it leaves it as it was (RFC 6749 §5.1).
            "scope": tokens["scope"] if is_text(tokens.get("scope")) else before.get("scope"),
            # Those of a renewal are about the same sign-in (OpenID Connect Core §12.2).
            "claims": before.get("claims"),
            # Refresh tokens of the person's sign-ins before this one, the oldest first: they end with it.
            "earlier": earlier(before)}
        self._vault.write(self._vault.item, own)
        return own


def kept_claims(own: dict) -> dict | None:
    """Of the ID token that a kept sign-in came with."""
    said = own.get("claims")
    return said if isinstance(said, dict) and said.get("sub") == own["subject"] else None


def earlier(own: dict) -> list:
    """The refresh tokens of sign-ins before a kept one, the oldest first."""
    found = own.get("earlier")
    return [token for token in found if is_text(token)] if isinstance(found, list) else []


def refresh_tokens(own: dict | None) -> list:
    """The same and its own."""
    return [token for token in (*earlier(own), own.get("refresh_token")) if token] if own else []
