"""What ends at the provider (RFC 7009)."""

from .configuration import Configuration
from .errors import tried
from .provider import Provider
from .shared_sign_in import SharedSignIn
from .token_endpoint import is_bound
from .transport import Transport
from .vault import Vault


class Revocation:
    def __init__(self, configuration: Configuration, transport: Transport, provider: Provider, vault: Vault,
                 shared: SharedSignIn):
        self._configuration, self._transport, self._provider = configuration, transport, provider
        self._vault, self._shared = vault, shared

    def revoke(self, token: str, hint: str, bound: bool):
        address = self._provider.endpoint("revocation_endpoint")
        members = {"token": token, "token_type_hint": hint, "client_id": self._configuration.client_id}
        answer = self._transport.send("POST", address, members=members, proves=bound)
        if answer.status != 200:
            raise self._transport.failure(answer, "revocation")

    def revoke_if_possible(self, tokens: list, bound: bool, hint: str = "refresh_token"):
        """For ends that nobody has asked for: when the provider cannot be told, there is nothing to be done about it."""
        for token in tokens:
            tried(self.revoke, token, hint, bound)

    def drop(self, tokens: dict):
        """Ends what came for nobody."""
        kind = "refresh_token" if tokens.get("refresh_token") else "access_token"
        self.revoke_if_possible([tokens[kind]], is_bound(tokens), kind)

    def abandon(self, tokens: dict, before: dict | None):
        """Ends a sign-in that could not be kept, of which the app would not know. What was shared before it is so again."""
        secret = tokens.get("device_secret")
        if secret:
            tried(self._unshare, tokens, before)
        self.drop(tokens)
        # Where one was shown, the one that came may be of the same device, and would end the other apps there as well.
        if secret and not before:
            self.revoke_if_possible([secret], is_bound(tokens), "device_secret")

    def _unshare(self, tokens: dict, before: dict | None):
        with self._vault.sharing():
            self._shared.forget(tokens, before)
