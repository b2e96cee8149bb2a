"""The provider's description of itself, and its keys (OpenID Connect Discovery, RFC 8414)."""

from .checks import is_text
from .configuration import Configuration
from .encoding import json_object
from .errors import DrawbridgeError
from .transport import Transport

_OPTIONAL = ["userinfo_endpoint", "revocation_endpoint", "device_authorization_endpoint"]


class Provider:
    def __init__(self, configuration: Configuration, transport: Transport):
        self._configuration, self._transport = configuration, transport
        self._metadata: dict | None = None
        self._key_set: list | None = None

    def metadata(self) -> dict:
        if self._metadata:
            return self._metadata
        answer = self._transport.send("GET", f"{self._configuration.issuer}/.well-known/openid-configuration")
        if answer.status != 200:
            raise self._transport.failure(answer, "discovery")
        said = json_object(answer.text)
        if not said or not is_text(said.get("issuer")):
            raise DrawbridgeError("provider.malformed", "description", request_id=answer.request_id)
        # Byte for byte: a document of another issuer would carry the whole sign-in elsewhere (RFC 8414 §6.2).
        if said["issuer"] != self._configuration.issuer:
            raise DrawbridgeError("provider.other_issuer")
        methods = said.get("code_challenge_methods_supported")
        if not isinstance(methods, list) or "S256" not in methods:
            raise DrawbridgeError("provider.no_pkce")
        for name in ["authorization_endpoint", "token_endpoint", "jwks_uri", *_OPTIONAL]:
            if name not in said and name in _OPTIONAL:
                continue
            if not self._configuration.trusted(said.get(name)):
                raise DrawbridgeError("provider.endpoint", name)
        self._metadata = said
        return said

    def endpoint(self, name: str) -> str:
        """One that not every provider has."""
        address = self.metadata().get(name)
        if not address:
            raise DrawbridgeError("provider.endpoint", name)
        return address

    def key(self, kid: str) -> dict | None:
        """An unknown id makes us look again, once: the provider may have changed its keys."""
        def find():
            return next((key for key in self._key_set or [] if isinstance(key, dict) and key.get("kid") == kid), None)

        if key := find():
            return key
        self._read_keys()
        return find()

    def need_keys(self):
        """Before a code, a secret or a person's sign-in is used up for an ID token: that there are no keys to verify it with
        is found out while nothing is lost."""
        if self._key_set is None:
            self._read_keys()

    def _read_keys(self):
        answer = self._transport.send("GET", self.metadata()["jwks_uri"])
        if answer.status != 200:
            raise self._transport.failure(answer, "the key set")
        found = (json_object(answer.text) or {}).get("keys")
        if not isinstance(found, list):
            raise DrawbridgeError("provider.malformed", "key set", request_id=answer.request_id)
        self._key_set = found
