"""Sign-in without a person: by what this app has kept, else by what another left on the device (Native SSO §4)."""

from dataclasses import dataclass

from .checks import is_text
from .configuration import Configuration
from .digests import half_hash, same
from .errors import DrawbridgeError
from .id_token import IDTokens, parts
from .own_sign_in import OwnSignIn, kept_claims
from .provider import Provider
from .renewal import Renewal
from .revocation import Revocation
from .shared_sign_in import SharedSignIn
from .token_endpoint import DEVICE_SECRET, EXCHANGE, ID_TOKEN, TokenEndpoint


@dataclass(frozen=True)
class Silent:
    """`claims` when it worked; else `reason`: nothing_shared, parts_do_not_fit, refused, not_believed, failed."""

    claims: dict | None
    reason: str | None = None
    error: DrawbridgeError | None = None


class SilentSignIn:
    def __init__(self, configuration: Configuration, shared: SharedSignIn, provider: Provider, tokens: TokenEndpoint,
                 id_tokens: IDTokens, revocation: Revocation, own: OwnSignIn, renewal: Renewal):
        self._configuration, self._shared, self._provider, self._tokens = configuration, shared, provider, tokens
        self._id_tokens, self._revocation, self._own, self._renewal = id_tokens, revocation, own, renewal

    def sign_in(self) -> Silent:
        try:
            self._configuration.need_client()
            if claims := self._own_claims():
                return Silent(claims)
            if not self._shared.current():
                return Silent(None, "nothing_shared")
            self._provider.need_keys()
            # Once more: while keys are fetched another app's renewal may replace the secret, and the old one would be a
            # replay (contract §5.4).
            shared = self._shared.current()
            return self._exchange(shared) if shared else Silent(None, "nothing_shared")
        except DrawbridgeError as error:
            if error.code.startswith("id_token."):
                return Silent(None, "not_believed", error)
            return Silent(None, "refused" if error.code == "refused" else "failed", error)

    def _own_claims(self) -> dict | None:
        """Of this app's own sign-in, renewed when it is due; None when there is none, or the provider has ended it."""
        own = self._own.stored()
        # One that an earlier version kept has no claims, and is made anew this once.
        if not own or not kept_claims(own):
            return None
        try:
            return kept_claims(self._renewal.current())
        except DrawbridgeError as error:
            if error.code == "not_signed_in":
                return None
            # No network, a busy or broken provider: nothing has ended it, and no browser would get further.
            if error.code in ("unreachable", "come_back_later", "unexpected_answer"):
                return kept_claims(own)
            raise

    def _exchange(self, shared: dict) -> Silent:
        before = parts(shared["id_token"])["claims"]
        hash_ = before.get("ds_hash")
        if not is_text(hash_) or not same(hash_, half_hash(shared["device_secret"])):
            return Silent(None, "parts_do_not_fit")
        try:
            tokens = self._tokens.ask({
                "grant_type": EXCHANGE, "audience": self._configuration.issuer, "subject_token": shared["id_token"],
                "subject_token_type": ID_TOKEN, "actor_token": shared["device_secret"], "actor_token_type": DEVICE_SECRET,
                "scope": " ".join(self._configuration.scope)})
        except DrawbridgeError as error:
            if error.oauth == "invalid_grant":
                self._shared.forget(shared)
            raise
        try:
            secret = tokens.get("device_secret")
            claims = self._id_tokens.verified(tokens.get("id_token"), tokens, subject=before["sub"],
                                              device_secret=secret or shared["device_secret"])
            if secret and secret != shared["device_secret"]:
                self._shared.share(secret, tokens["id_token"])
            self._own.begin(tokens, claims)
        except Exception:
            # The device is not this app's alone: its secret stays.
            self._revocation.drop(tokens)
            raise
        return Silent(claims)
