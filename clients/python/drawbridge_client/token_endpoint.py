"""What the token endpoint gives (RFC 6749 §5)."""

from .checks import is_number, is_text, is_visible
from .configuration import Configuration
from .encoding import json_object
from .errors import DrawbridgeError
from .failures import unexpected
from .http1 import Answer
from .provider import Provider
from .transport import Transport

#: Seconds for the answer of a renewal, at most: a refresh token whose answer was lost gives the same successor for 10 s and
#: is a theft after that (contract §5.2), so the app has to hear of the loss while it can still ask again.
LONGEST_RENEWAL = 6
ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"
ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token"
DEVICE_SECRET = "urn:openid:params:token-type:device-secret"
EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"


class TokenEndpoint:
    def __init__(self, configuration: Configuration, transport: Transport, provider: Provider):
        self._configuration, self._transport, self._provider = configuration, transport, provider

    def ask(self, members: dict) -> dict:
        address = self._provider.metadata()["token_endpoint"]
        is_renewal = members["grant_type"] == "refresh_token"
        answer = self._transport.send(
            "POST", address, members={**members, "client_id": self._configuration.client_id},
            proves=bool(self._configuration.dpop), longest=LONGEST_RENEWAL if is_renewal else None)
        if is_renewal and _is_lost(answer):
            raise DrawbridgeError("unreachable", f"a proxy answered {answer.status} in its place")
        if answer.status != 200:
            raise self._transport.failure(answer, "the token endpoint")
        tokens = json_object(answer.text) or {}
        # A token of a type that we do not know must not be used (RFC 6749 §7.1).
        types = ("bearer", "dpop") if self._configuration.dpop else ("bearer",)
        optional = [name for name in ("refresh_token", "id_token", "device_secret") if name in tokens]
        if (not is_visible(tokens.get("access_token")) or str(tokens.get("token_type")).lower() not in types
                or not all(is_text(tokens[name]) for name in optional)
                or ("expires_in" in tokens and not (is_number(tokens["expires_in"]) and tokens["expires_in"] > 0))):
            raise unexpected(answer, "the token endpoint's answer cannot be read")
        return tokens


def is_bound(tokens: dict) -> bool:
    return tokens["token_type"].lower() == "dpop"


def _is_lost(answer: Answer) -> bool:
    """Whether a proxy answered a renewal that may have happened: whoever waits then comes too late to repeat it
    (contract §5.2). Only the provider's own 503 promises that nothing was used up (contract §11)."""
    return answer.status in (502, 504) or (
        answer.status == 503 and (json_object(answer.text) or {}).get("error") != "temporarily_unavailable")
