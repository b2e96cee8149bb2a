"""What a website says of itself."""

import ipaddress
import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from . import jws

#: What /auth/check says beyond the subject, where it is asked.
IDENTITY = ("name", "email", "groups")


class ConfigurationError(ValueError):
    """Settings that cannot work, or that would believe anybody."""


@dataclass(frozen=True)
class Settings:
    """What a website says of itself.

    `source` is where the user comes from: `proxy` (X-Auth-* of a proxy that asked /auth/check), `cookie` (the access
    token's cookie, verified here), `session` (Drawbridge is asked, at every request).
    """

    source: str
    #: The website as browsers see it, such as https://www.example.com.
    origin: str
    #: Where this server reaches Drawbridge; the origin when absent. Not needed for the source `proxy`. With `identity`, `acr`
    #: or `max_age` Drawbridge's own address: /auth/check is not at the website's origin.
    drawbridge: str | None = None
    #: `issuer` of Drawbridge's metadata; needed for tokens (source `cookie`, back-channel logout).
    issuer: str | None = None
    #: The client that this website is; tokens for others are refused.
    client_id: str | None = None
    #: Further clients whose tokens and notices are taken, such as the web views of this website's app.
    clients: tuple = ()
    cookie: str = "access_token"
    audience: str | None = None
    #: What the proxy sends in X-Drawbridge-Proxy, 32 characters or more, and the addresses it comes from. At least one
    #: is needed for the source `proxy`; where both are given both must hold.
    proxy_secret: str | None = field(default=None, repr=False)
    proxy_addresses: tuple = ()
    #: Secrets of the webhook: the new one, and the old one while it is being replaced.
    webhook_secrets: tuple = field(default=(), repr=False)
    logout_algorithms: tuple = jws.ALGORITHMS
    sign_in: str = "/session/sign-in"
    #: Which of `name`, `email` and `groups` a user has. The proxy has to ask for them and to take away what visitors send;
    #: with the source `session` each request costs a second question.
    identity: tuple = ()
    #: Seconds by which clocks may differ.
    leeway: int = 30
    #: Seconds: how long keys are used without asking, how soon they may be asked for again (without any, two seconds after
    #: a failure), and how long they are used while Drawbridge cannot be reached.
    keys_fresh: int = 300
    keys_pause: int = 30
    keys_stale: int = 3600
    #: What the proxy may have in Host beside the origin's: further names of this website, or the one by which it asks.
    hosts: tuple = ()

    def __post_init__(self):
        if self.source not in ("proxy", "cookie", "session"):
            raise ConfigurationError("source must be proxy, cookie or session")
        for name in ("origin", "drawbridge", "issuer"):
            value = getattr(self, name)
            if value is not None:
                _check_origin(name, value)
        if self.source == "proxy" and not (self.proxy_secret or self.proxy_addresses):
            raise ConfigurationError("X-Auth-* of anybody would be believed: set proxy_secret or proxy_addresses")
        if self.proxy_secret is not None and len(self.proxy_secret) < 32:
            raise ConfigurationError("proxy_secret must have 32 characters or more")
        if self.source == "cookie" and not (self.issuer and self.client_id):
            raise ConfigurationError("the source cookie needs issuer and client_id")
        if any(len(secret) < 32 for secret in self.webhook_secrets):
            raise ConfigurationError("a webhook secret must have 32 characters or more")
        if not set(self.logout_algorithms) <= set(jws.ALGORITHMS):
            raise ConfigurationError("logout_algorithms must be ES256, RS256 or both")
        if not set(self.identity) <= set(IDENTITY):
            raise ConfigurationError("identity must hold nothing but name, email and groups")
        if self.identity and self.source == "cookie":
            raise ConfigurationError("an access token does not say identity: the source must be proxy or session")
        if self.identity and self.source == "session" and self.drawbridge is None:
            raise ConfigurationError(
                "identity with the source session needs drawbridge: /auth/check is not at the website's origin")
        if not 0 <= self.leeway <= 60:
            raise ConfigurationError("leeway must be 0 to 60 seconds")
        try:
            object.__setattr__(self, "networks", tuple(ipaddress.ip_network(text) for text in self.proxy_addresses))
        except ValueError as error:
            raise ConfigurationError(f"proxy_addresses: {error}") from None
        if isinstance(self.hosts, str) or not all(re.fullmatch(r"[A-Za-z0-9_.:\[\]-]+", host) for host in self.hosts):
            raise ConfigurationError("hosts must be a list of names as in Host, such as www.example.com or localhost:8443")
        object.__setattr__(self, "own_hosts", frozenset(map(self.plain_host, (urlsplit(self.origin).netloc, *self.hosts))))

    def plain_host(self, text: str) -> str:
        """In small letters, and without the port that the origin's scheme has anyway."""
        return text.lower().removesuffix(":443" if urlsplit(self.origin).scheme == "https" else ":80")

    @property
    def ours(self) -> tuple:
        """Every client that is this website's."""
        return tuple(filter(None, (self.client_id, *self.clients)))


def _check_origin(name: str, value: str):
    url = urlsplit(value)
    is_loopback = url.hostname in ("127.0.0.1", "::1", "localhost")
    if url.scheme not in (("https", "http") if is_loopback else ("https",)) or not url.hostname:
        raise ConfigurationError(f"{name} must be an https address (http on loopback), not {value!r}")
    if url.query or url.fragment or url.username or value.endswith("/"):
        raise ConfigurationError(f"{name} must have no query, fragment, user or slash at its end")
