"""ID tokens (OpenID Connect Core §3.1.3.7, Native SSO §3.4)."""

from . import _p256
from .checks import is_number, is_text
from .configuration import Configuration
from .digests import half_hash, same
from .encoding import from_b64, json_object
from .errors import DrawbridgeError
from .provider import Provider

#: How far two clocks may be apart, in seconds.
LEEWAY = 120


class IDTokens:
    """Believes those that are the provider's, for this app, and belong to what came with them."""

    def __init__(self, configuration: Configuration, provider: Provider):
        self._configuration, self._provider = configuration, provider

    def verified(self, token: str | None, tokens: dict, *, nonce: str | None = None, max_age: int | None = None,
                 subject: str | None = None, device_secret: str | None = None) -> dict:
        if token is None:
            raise _flaw("missing")
        taken = parts(token)
        if not taken:
            raise _flaw("malformed")
        header, claims = taken["header"], taken["claims"]
        # Settled here, not by the token: `none` and HS256 with a public key are the classic ways around a signature.
        if header.get("alg") != "ES256" or "crit" in header:
            raise _flaw("algorithm")
        point = _point(self._provider.key(header["kid"])) if is_text(header.get("kid")) else None
        if not point:
            raise _flaw("unknown_key")
        if not _p256.verifies(point, taken["signed"], taken["signature"]):
            raise _flaw("signature")
        self._expect(claims, tokens, nonce=nonce, max_age=max_age, subject=subject, device_secret=device_secret)
        return claims

    def fits(self, tokens: dict, **expected) -> bool:
        """Whether all of the ID token is right but the signature, and the times, which this device's clock may be wrong
        about."""
        taken = parts(tokens["id_token"])
        if not taken or not is_text(taken["header"].get("kid")):
            return False
        try:
            self._expect(taken["claims"], tokens, any_time=True, **expected)
        except DrawbridgeError:
            return False
        return True

    def _expect(self, claims: dict, tokens: dict, *, nonce: str | None = None, max_age: int | None = None,
                subject: str | None = None, device_secret: str | None = None, any_time: bool = False):
        now, client_id = self._configuration.now(), self._configuration.client_id
        names, party = audiences(claims), claims.get("azp")
        if claims["iss"] != self._configuration.issuer:
            raise _flaw("issuer")
        if client_id not in names or (len(names) > 1 and party != client_id) or ("azp" in claims and party != client_id):
            raise _flaw("audience")
        if not any_time and claims["exp"] <= now - LEEWAY:
            raise _flaw("expired")
        if not any_time and claims["iat"] > now + LEEWAY:
            raise _flaw("issued_in_future")
        if nonce is not None and not same(str(claims.get("nonce", "")), nonce):
            raise _flaw("nonce")
        # The provider's word that it has done what max_age asked for.
        proved = claims.get("auth_time")
        if max_age is not None and not (is_number(proved) and proved >= now - max_age - LEEWAY):
            raise _flaw("auth_time")
        if subject is not None and claims["sub"] != subject:
            raise _flaw("subject")
        if "at_hash" in claims and not same(str(claims["at_hash"]), half_hash(tokens["access_token"])):
            raise _flaw("access_token_hash")
        # Without `ds_hash` the secret is tied to nothing, and somebody may have put in their own.
        if device_secret is not None and not same(str(claims.get("ds_hash", "")), half_hash(device_secret)):
            raise _flaw("device_secret_hash")


def _flaw(name: str) -> DrawbridgeError:
    return DrawbridgeError(f"id_token.{name}")


def is_inconclusive(error: DrawbridgeError) -> bool:
    """Whether nothing is known against an ID token: its key is missing, or this device's clock does not fit."""
    return not error.code.startswith("id_token.") or error.code in (
        "id_token.unknown_key", "id_token.expired", "id_token.issued_in_future")


def parts(token: str) -> dict | None:
    """An ID token taken apart, not believed yet; None when it is not one."""
    pieces = token.split(".")
    data = [from_b64(piece) for piece in pieces]
    if len(pieces) != 3 or None in data:
        return None
    try:
        header, claims = (json_object(part.decode("utf-8")) for part in data[:2])
    except UnicodeDecodeError:
        return None
    if not (header and claims and is_text(claims.get("iss")) and is_text(claims.get("sub")) and audiences(claims)
            and is_number(claims.get("exp")) and is_number(claims.get("iat"))):
        return None
    return {"header": header, "claims": claims, "signature": data[2], "signed": f"{pieces[0]}.{pieces[1]}".encode()}


def audiences(claims: dict) -> list:
    found = claims.get("aud")
    found = found if isinstance(found, list) else [found]
    return found if all(map(is_text, found)) else []


def _point(jwk: dict | None) -> tuple | None:
    if not jwk or jwk.get("kty") != "EC" or jwk.get("crv") != "P-256" or jwk.get("use", "sig") != "sig" or (
            jwk.get("alg", "ES256") != "ES256") or not is_text(jwk.get("x")) or not is_text(jwk.get("y")):
        return None
    x, y = from_b64(jwk["x"]), from_b64(jwk["y"])
    if x is None or y is None or len(x) != 32 or len(y) != 32:
        return None
    point = int.from_bytes(x, "big"), int.from_bytes(y, "big")
    return point if _p256.is_on_curve(*point) else None
