"""`drawbridge serve` as an OpenID Provider: over TLS, with accounts and with clients of the test's own."""

import base64
import json
import secrets
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

import instance
import signing
import tls
import wire


class Provider(instance.Served):
    """Looks like a demo to those who sign in there: `user`, `client` and `facts` say what one needs to know."""

    def __init__(self, folder: Path, clients: dict[str, dict], users: Sequence[str] = ("buffy",),
                 claims: dict | None = None):
        """`clients` are documents by id; all but native ones get a secret. `claims` are what is known of every user."""
        self.certificate = tls.certificate(folder)
        self.cafile = str(self.certificate[0])
        self.passwords = {name: secrets.token_urlsafe(12) for name in users}
        self.secrets: dict[str, str] = {}
        documents = [self._document(name, document) for name, document in clients.items()]
        # One person signs in as often here as many do in a day.
        more = ("password: {passes: 1}\nlimits: {authorize: {user_burst: 10000, user_per_hour: 100000},"
                " sign_in: {right_passwords_per_minute: 10000}}\n")
        super().__init__(more, tls=self.certificate, users=self.passwords, clients=documents,
                         reach=["web", *(document["client_id"] for document in documents if "return_paths" in document)])
        if claims:
            for name in users:
                instance.run("users", "claims", "--config", str(self.settings), name, "-",
                             stdin=json.dumps(claims).encode())
        self.issuer = self.base
        self.facts = {"issuer": self.issuer}
        self.metadata = self.send("GET", "/.well-known/openid-configuration").json()

    def _document(self, name: str, document: dict) -> dict:
        if document.get("client_type") == "native":
            return {"client_id": name, **document}
        self.secrets[name], digest = signing.client_secret()
        return {"client_id": name, "client_type": "web", **document, "client_secret_digest": digest}

    def send(self, method, target, headers=None, body=None, **more) -> wire.Answer:
        return super().send(method, target.removeprefix(self.base), headers, body, cafile=self.cafile, **more)

    def client(self, name: str) -> dict:
        return {"client_id": name, "client_secret": self.secrets[name]}

    def basic(self, client: str) -> dict:
        text = f"{quote(client)}:{quote(self.secrets[client])}"
        return {"Authorization": "Basic " + base64.b64encode(text.encode()).decode()}

    def keys(self) -> list[dict]:
        return self.send("GET", self.metadata["jwks_uri"]).json()["keys"]
