"""The user whom a proxy names that has asked /auth/check."""

import ipaddress

from . import fields
from .comparing import same
from .jws import Refused
from .request import Request
from .settings import Settings
from .user import User

PROXY_FIELD = "x-drawbridge-proxy"


def user_of(request: Request, settings: Settings) -> User:
    for name, _ in request.headers:
        # CGI, WSGI and PHP read X_Auth_Subject as X-Auth-Subject: nobody honest sends it.
        if "_" in name and name.lower().replace("_", "-").startswith(("x-auth-", PROXY_FIELD)):
            raise Refused("underscore")
    if settings.proxy_addresses and request.peer_is_claimed:
        raise Refused("claimed_address")
    if not _is_from_proxy(request, settings):
        raise Refused("not_from_proxy")
    subject, session, acr = (fields.text(request, name) for name in ("x-auth-subject", "x-auth-session", "x-auth-acr"))
    if subject is None:
        raise Refused("missing")
    # The proxy asked about the website that this names, and visitors choose it.
    said = {settings.plain_host(value) for value in request.values("host")}
    if len(said) != 1 or not said <= settings.own_hosts:
        raise Refused("host")
    if session is None:
        raise Refused("malformed")
    return User(subject, session, acr)


def _is_from_proxy(request: Request, settings: Settings) -> bool:
    holds = True
    if settings.proxy_secret:
        said = request.values(PROXY_FIELD)
        holds = len(said) == 1 and same(said[0], settings.proxy_secret)
    if settings.proxy_addresses:
        try:
            peer = ipaddress.ip_address(request.peer)
        except ValueError:
            return False
        peer = getattr(peer, "ipv4_mapped", None) or peer
        holds = holds and any(peer in network for network in settings.networks)
    return holds
