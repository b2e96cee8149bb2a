"""Sign-in without a browser (RFC 8628)."""

import threading
from dataclasses import dataclass

from .addresses import secure_address
from .checks import is_number, is_text
from .configuration import Configuration
from .encoding import json_object
from .errors import DrawbridgeError, hosted
from .failures import unexpected
from .giving_up import unless_set
from .id_token import IDTokens
from .own_sign_in import OwnSignIn
from .provider import Provider
from .revocation import Revocation
from .token_endpoint import TokenEndpoint
from .transport import Transport

#: Seconds for which a code of another device is asked for at most.
LONGEST_CODE = 86400
DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"


@dataclass(frozen=True)
class DeviceCode:
    """What the person is shown; `expires_at` in Unix seconds."""

    user_code: str
    verification_uri: str
    complete_uri: str | None
    expires_at: float


class DeviceSignIn:
    def __init__(self, configuration: Configuration, sleep, transport: Transport, provider: Provider, tokens: TokenEndpoint,
                 id_tokens: IDTokens, revocation: Revocation, own: OwnSignIn):
        self._configuration, self._sleep, self._transport, self._provider = configuration, sleep, transport, provider
        self._tokens, self._id_tokens, self._revocation, self._own = tokens, id_tokens, revocation, own

    def sign_in(self, show, cancelled: threading.Event) -> dict:
        self._configuration.need_client()
        address = self._provider.endpoint("device_authorization_endpoint")
        self._provider.need_keys()
        said = self._begin(address)
        complete = secure_address(said.get("verification_uri_complete"))
        end = self._configuration.now() + min(said["expires_in"], LONGEST_CODE)
        unless_set(cancelled)
        hosted("what shows the code", show, DeviceCode(
            said["user_code"], said["verification_uri"], complete.text if complete else None, end))
        tokens = self._answered(said, end, cancelled)
        # Beside the asking: a code that was used is not asked with again, which would end what it opened.
        try:
            claims = self._id_tokens.verified(tokens.get("id_token"), tokens)
            self._own.begin(tokens, claims)
        except Exception:
            self._revocation.abandon(tokens, None)
            raise
        return claims

    def _begin(self, address: str) -> dict:
        # What a device cannot have is not asked for.
        scope = " ".join(word for word in self._configuration.scope if word not in ("offline_access", "device_sso"))
        answer = self._transport.send("POST", address, members={"client_id": self._configuration.client_id, "scope": scope})
        if answer.status != 200:
            raise self._transport.failure(answer, "the device authorization endpoint")
        said = json_object(answer.text) or {}
        if (not is_text(said.get("device_code")) or not is_text(said.get("user_code")) or not is_number(said.get("expires_in"))
                or said["expires_in"] <= 0 or not secure_address(said.get("verification_uri"))):
            raise unexpected(answer, "no code to be shown came")
        return said

    def _answered(self, said: dict, end: float, cancelled: threading.Event) -> dict:
        """Asks until the person has answered."""
        now = self._configuration.now
        interval = max(1, said["interval"] if is_number(said.get("interval")) else 5)
        while True:
            # No longer than the code lives, whatever the provider wants.
            (self._sleep or cancelled.wait)(max(0, min(interval, end - now())))
            unless_set(cancelled)
            try:
                return self._tokens.ask({"grant_type": DEVICE_GRANT, "device_code": said["device_code"]})
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
            if now() >= end:
                raise DrawbridgeError("timed_out")
