"""Access tokens and their renewal (RFC 6749 §6, RFC 9700 §4.14)."""

from .checks import is_text
from .configuration import Configuration
from .errors import DrawbridgeError
from .id_token import IDTokens, is_inconclusive
from .own_sign_in import OwnSignIn, earlier
from .provider import Provider
from .revocation import Revocation
from .shared_sign_in import SharedSignIn, person
from .token_endpoint import TokenEndpoint
from .vault import Vault


class Renewal:
    def __init__(self, configuration: Configuration, vault: Vault, shared: SharedSignIn, provider: Provider,
                 tokens: TokenEndpoint, id_tokens: IDTokens, revocation: Revocation, own: OwnSignIn):
        self._configuration, self._vault, self._shared, self._provider = configuration, vault, shared, provider
        self._tokens, self._id_tokens, self._revocation, self._own = tokens, id_tokens, revocation, own

    def current(self) -> dict:
        """The sign-in, with an access token that is good for half a minute at least."""
        self._configuration.need_client()
        own = self._own.stored()
        if not own:
            raise DrawbridgeError("not_signed_in")
        return own if self._is_fresh(own) else self._renewed(own)

    def with_token(self, call):
        """Calls with the sign-in, and once more with a renewed one when the provider does not take the first token."""
        own = self.current()
        try:
            return call(own)
        except DrawbridgeError as error:
            if error.code != "refused" or error.oauth != "invalid_token":
                raise
        return call(self._renewed(own))

    def _is_fresh(self, own: dict) -> bool:
        return own["expires_at"] > self._configuration.now() + 30

    def _renewed(self, stale: dict) -> dict:
        """One renewal at a time on this device, by the store's lock."""
        with self._vault.renewing():
            return self._renew(stale)

    def _renew(self, stale: dict) -> dict:
        own = self._own.stored()
        if not own:
            raise DrawbridgeError("not_signed_in")
        # Another was quicker: its token is as good as ours would be.
        if own["access_token"] != stale["access_token"] and self._is_fresh(own):
            return own
        if not own.get("refresh_token"):
            raise DrawbridgeError("not_signed_in")
        shared = self._shared.stored()
        is_ours = not shared or person(shared) == own["subject"]
        # A secret that is shown may be replaced (contract §5.4), and its successor comes with an ID token to verify.
        if is_ours and shared:
            self._provider.need_keys()
        try:
            tokens = self._tokens.ask(self._wish(own, shared, is_ours))
        except DrawbridgeError as error:
            # Nothing else ends a sign-in (contract §5.2): a bare 401 may be of anything in front of the provider.
            if error.code != "refused" or error.oauth != "invalid_grant":
                raise
            now = self._own.stored()
            if now and now.get("refresh_token") != own["refresh_token"]:
                return now
            self._own.remove()
            self._revocation.revoke_if_possible(earlier(own), bool(own.get("bound")))
            raise DrawbridgeError("not_signed_in", f"the provider has ended the sign-in ({error.oauth})",
                                  request_id=error.request_id, page=error.page) from None
        # Where the store has no lock across processes, another may have signed out or in meanwhile: that stands.
        now = self._own.stored()
        if not now:
            self._revocation.drop(tokens)
            raise DrawbridgeError("not_signed_in", "this app was signed out meanwhile")
        if now.get("refresh_token") != own["refresh_token"]:
            return now
        # Kept before its ID token is looked at: the one before is used up.
        fresh = self._own.keep(tokens, own["subject"], own)
        if "id_token" in tokens:
            self._heed(tokens, own["subject"], is_ours)
        return fresh

    def _wish(self, own: dict, shared: dict | None, is_ours: bool) -> dict:
        # No wider than what was granted, which may be less than the app asks for (contract §5.2); an earlier version did not
        # keep it.
        granted = own["scope"].split(" ") if is_text(own.get("scope")) else self._configuration.scope
        return {
            "grant_type": "refresh_token", "refresh_token": own["refresh_token"],
            # Without it the provider would make a second device of this one (contract §5.2). Of somebody else's
            # shared sign-in nothing is told, and no secret is asked for that would take its place.
            "device_secret": shared["device_secret"] if is_ours and shared else None,
            "scope": None if is_ours else " ".join(word for word in granted if word != "device_sso")}

    def _heed(self, tokens: dict, subject: str, is_ours: bool):
        """Verifies the ID token of a renewal, and shares a device secret that came with it."""
        secret = tokens.get("device_secret")
        # The one shown is used up (contract §5.4). Its successor came by TLS from the token endpoint (OpenID Connect
        # Core §3.1.3.7 item 6): it is kept before a key is fetched, which this process may not outlive, and stays if
        # only the key is missing, or this device's clock is wrong.
        is_new = secret and is_ours and self._id_tokens.fits(tokens, subject=subject, device_secret=secret)
        before = self._shared.stored() if is_new else None
        if is_new:
            self._shared.share(secret, tokens["id_token"])
        try:
            self._id_tokens.verified(tokens["id_token"], tokens, subject=subject, device_secret=secret)
        except DrawbridgeError as error:
            if is_new and not is_inconclusive(error):
                self._shared.forget(tokens, before)
            raise
