"""What the claims of a token have to be."""

from .jws import Refused


def check_claims(claims: dict, issuer: str, accepted: tuple, now: float, leeway: int):
    if claims.get("iss") != issuer:
        raise Refused("issuer")
    audiences = claims.get("aud") if isinstance(claims.get("aud"), list) else [claims.get("aud")]
    if not any(audience in audiences for audience in accepted):
        raise Refused("audience")
    if not is_time(claims.get("exp")) or not is_time(claims.get("iat")) or not is_time(claims.get("nbf", 0)):
        raise Refused("claims")
    if now >= claims["exp"] + leeway:
        raise Refused("expired")
    if max(claims["iat"], claims.get("nbf", 0)) > now + leeway:
        raise Refused("not_yet_valid")


def is_text(value) -> bool:
    return isinstance(value, str) and 0 < len(value) <= 1024


def is_time(value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53
