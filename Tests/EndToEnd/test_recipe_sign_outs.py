"""The recipes' pages that hear of a sign-out: what they cannot handle now comes again, because only a 4xx settles it."""

import json
import time
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

import signing
import wire
from relying_parties import PHP, DjangoBySubject, JupyterHubBySubject
from stub import Asked, Stub

EVENT = "http://schemas.openid.net/event/backchannel-logout"
#: What each recipe's code counts as a moment in which it asks for keys once.
PAUSE = 5


class KeySet(Stub):
    """The provider's keys, while its server can be reached."""

    def __init__(self):
        self.rsa, self.ec = rsa.generate_private_key(65537, 2048), ec.generate_private_key(ec.SECP256R1())
        self.is_away, self.fetches = False, 0
        super().__init__(self._answer_to)

    def _answer_to(self, _: Asked) -> tuple:
        self.fetches += 1
        return (503, {"keys": []}) if self.is_away else (200, {"keys": self.keys()})

    def keys(self) -> list[dict]:
        of_rsa, of_ec = self.rsa.public_key().public_numbers(), self.ec.public_key().public_numbers()
        return [{"kty": "RSA", "kid": "r", "use": "sig", "alg": "RS256", "e": "AQAB",
                 "n": signing.b64url(of_rsa.n.to_bytes(256, "big"))},
                {"kty": "EC", "kid": "e", "use": "sig", "alg": "ES256", "crv": "P-256",
                 "x": signing.b64url(of_ec.x.to_bytes(32, "big")),
                 "y": signing.b64url(of_ec.y.to_bytes(32, "big"))}]

    def token(self, algorithm: str, kid: str | None = None, **more) -> str:
        now = int(time.time())
        claims = {"iss": self.base, "aud": "the-site", "iat": now, "exp": now + 120, "jti": "j", "sub": "alice", "sid": "s",
                  "events": {EVENT: {}}, **more}
        header = {"alg": algorithm, "kid": kid or {"RS256": "r", "ES256": "e"}[algorithm], "typ": "logout+jwt"}
        signed = ".".join(signing.b64url(json.dumps(part).encode()) for part in (header, claims))
        if algorithm == "RS256":
            signature = self.rsa.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256())
        else:
            r, s = decode_dss_signature(self.ec.sign(signed.encode(), ec.ECDSA(hashes.SHA256())))
            signature = r.to_bytes(32, "big") + s.to_bytes(32, "big")
        return f"{signed}.{signing.b64url(signature)}"


@pytest.fixture(params=[DjangoBySubject, JupyterHubBySubject, PHP], ids=lambda kind: kind.kind)
def site(request):
    with KeySet() as keys, request.param() as party:
        party.start(SimpleNamespace(base=keys.base), "the-site", "a secret")
        yield SimpleNamespace(party=party, keys=keys, algorithm="ES256" if request.param is JupyterHubBySubject else "RS256")


def tell(site, token: str) -> int:
    return wire.send(f"http://127.0.0.1:{site.party.port}", "POST", site.party.fields()["backchannel_logout_uri"].partition(
        f":{site.party.port}")[2], {"Content-Type": wire.FORM}, urlencode({"logout_token": token})).status


def test_a_logout_token_that_cannot_be_checked_now_comes_again_and_counts_then(site):
    good = site.keys.token(site.algorithm)
    site.keys.is_away = True
    assert tell(site, good) == 503, site.party.log[-3000:]
    site.keys.is_away = False
    time.sleep(PAUSE + 1)
    assert tell(site, good) in (200, 204), site.party.log[-3000:]
    # The keys are kept: what comes while they cannot be had is checked all the same.
    site.keys.is_away = True
    assert tell(site, site.keys.token(site.algorithm, sid="another")) in (200, 204)
    assert tell(site, site.keys.token(site.algorithm, nonce="n")) == 400
    assert tell(site, good[:-8] + "AAAAAAAA") == 400


def test_a_logout_token_of_a_clock_that_is_ahead_counts(site):
    """A 4xx would settle it: the sign-out were lost over a second between two clocks."""
    now = int(time.time())
    assert tell(site, site.keys.token(site.algorithm, iat=now + 20, exp=now + 140)) in (200, 204), site.party.log[-3000:]
    assert tell(site, site.keys.token(site.algorithm, iat=now + 3600, exp=now + 3720)) == 400


def test_made_up_keys_make_nobody_ask_for_keys_again_and_again(site):
    assert tell(site, site.keys.token(site.algorithm)) in (200, 204), site.party.log[-3000:]
    before, began = site.keys.fetches, time.monotonic()
    assert {tell(site, site.keys.token(site.algorithm, kid=f"made-up-{number}")) for number in range(12)} == {503}
    assert site.keys.fetches - before <= 1 + (time.monotonic() - began) // PAUSE
    # And the site's own key is found meanwhile.
    assert tell(site, site.keys.token(site.algorithm, sid="another")) in (200, 204)


@pytest.mark.parametrize("token", ["", "a", "a.b.c", "e30.e30.", "MQ.MQ.MQ", "eyJraWQiOjF9.e30.e30"])
def test_what_is_no_token_is_refused_and_breaks_nothing(site, token):
    assert tell(site, token) in (400, 503), site.party.log[-3000:]
