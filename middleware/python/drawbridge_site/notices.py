"""What Drawbridge tells this server: webhooks and logout tokens, before they are handled."""

import hashlib
import hmac
import re
from urllib.parse import parse_qs

from . import jws
from .claims import is_text
from .comparing import same
from .jws import Refused
from .settings import Settings
from .tokens import Tokens

LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout"


def webhook_event(body: bytes, signature: str, settings: Settings, now: float) -> dict:
    """What a signed notice says, docs/webhooks.md."""
    if len(body) > 65536:
        raise Refused("too_large")
    parts = [part.split("=", 1) for part in signature.split(",") if "=" in part]
    times = [value for name, value in parts if name == "t"]
    if len(times) != 1 or not re.fullmatch(r"[0-9]{1,12}", times[0]):
        raise Refused("signature")
    holds = False
    for secret in settings.webhook_secrets:
        expected = hmac.new(secret.encode(), times[0].encode() + b"." + body, hashlib.sha256).hexdigest()
        for name, value in parts:
            # All are compared, so that the time does not tell which one fits.
            holds = (name == "v1" and same(value, expected)) or holds
    if not holds:
        raise Refused("signature")
    if abs(now - int(times[0])) > 300:
        raise Refused("stale")
    event = jws.json_object(body)
    if not is_text(event.get("id")) or not is_text(event.get("type")):
        raise Refused("malformed")
    if settings.client_id and event.get("client_id") not in settings.ours:
        raise Refused("client")
    return event


def logout_claims(form: bytes, settings: Settings, tokens: Tokens, now: float) -> dict:
    """What a logout token says (OpenID Connect Back-Channel Logout 1.0, §2.6)."""
    try:
        found = parse_qs(form.decode("ascii"), max_num_fields=20).get("logout_token", [])
    except ValueError:
        found = []
    if len(found) != 1:
        # Another part of the website has read an empty body before, which can be mended; a 4xx would be final.
        raise Refused("malformed", is_final=bool(form))
    claims = tokens.verified(found[0], "logout+jwt", settings.logout_algorithms, settings.ours, now)
    events = claims.get("events")
    if not isinstance(events, dict) or not isinstance(events.get(LOGOUT_EVENT), dict) or "nonce" in claims:
        raise Refused("claims")
    if not is_text(claims.get("sid")) or not is_text(claims.get("jti")):
        raise Refused("claims")
    return claims
