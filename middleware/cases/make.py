"""Makes cases.json: the one table that every language's tests load. Run it after a change, with `cryptography` there.

Keys are made anew at each run and thrown away: the table holds public keys and tokens only.
"""

import base64
import hashlib
import hmac
import json
import math
import pathlib

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa, utils

NOW = 1_800_000_000
ISSUER = "https://id.example.com"
SECRET = "proxy-secret-of-the-tests-32-chars"
HOOK = "webhook-secret-of-the-tests-0123456789"
OLD_HOOK = "webhook-secret-that-was-replaced-0123456789"
EVENT = "http://schemas.openid.net/event/backchannel-logout"
#: The field that a library's own questions carry.
QUESTION = ["Drawbridge-Question", "1"]


def b64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def number(value: int, length: int | None = None) -> str:
    return b64(value.to_bytes(length or (value.bit_length() + 7) // 8, "big"))


class EC:
    alg = "ES256"

    def __init__(self, kid: str):
        self.kid, self.private = kid, ec.generate_private_key(ec.SECP256R1())
        point = self.private.public_key().public_numbers()
        self.jwk = {"kty": "EC", "crv": "P-256", "kid": kid, "alg": "ES256", "use": "sig",
                    "x": number(point.x, 32), "y": number(point.y, 32)}

    def sign(self, message: bytes) -> bytes:
        r, s = utils.decode_dss_signature(self.private.sign(message, ec.ECDSA(hashes.SHA256())))
        return r.to_bytes(32, "big") + s.to_bytes(32, "big")


class RSA:
    alg = "RS256"

    def __init__(self, kid: str, bits: int = 2048):
        self.kid, self.private = kid, rsa.generate_private_key(65537, bits)
        public = self.private.public_key().public_numbers()
        self.jwk = {"kty": "RSA", "kid": kid, "alg": "RS256", "use": "sig", "n": number(public.n), "e": number(public.e)}

    def sign(self, message: bytes) -> bytes:
        return self.private.sign(message, padding.PKCS1v15(), hashes.SHA256())


class Huge:
    """Of nine primes: two of half the size each would take minutes to find, and who verifies does not see how many."""

    alg = "RS256"

    def __init__(self, kid: str):
        pairs = (rsa.generate_private_key(65537, 2048).private_numbers() for _ in range(5))
        primes = [prime for pair in pairs for prime in (pair.p, pair.q)][:9]
        self.kid, self.n = kid, math.prod(primes)
        self.d = pow(65537, -1, math.lcm(*(prime - 1 for prime in primes)))
        self.jwk = {"kty": "RSA", "kid": kid, "alg": "RS256", "use": "sig", "n": number(self.n), "e": number(65537)}

    def sign(self, message: bytes) -> bytes:
        # RFC 8017 §8.2.1, with the DigestInfo of SHA-256 (§9.2, note 1).
        info = bytes.fromhex("3031300d060960864801650304020105000420") + hashlib.sha256(message).digest()
        length = (self.n.bit_length() + 7) // 8
        block = b"\x00\x01" + b"\xff" * (length - len(info) - 3) + b"\x00" + info
        return pow(int.from_bytes(block, "big"), self.d, self.n).to_bytes(length, "big")


OLD, CURRENT, NEXT, STRANGER = EC("old"), EC("current"), EC("next"), EC("current")
SIGNER, SMALL = RSA("rsa"), RSA("small", 1024)


def described(key, **words):
    """A key that could sign, described as one that does not sign access tokens."""
    key.jwk = {**key.jwk, **words}
    return key


#: What each is, by which no token may be verified although its signature fits.
UNUSABLE = {
    "for encryption": described(EC("encrypts"), use="enc"),
    "of RSA for encryption": described(RSA("encrypts-rsa"), use="enc"),
    "of another algorithm": described(EC("es384"), alg="ES384"),
    "of RSA's other algorithm": described(RSA("ps256"), alg="PS256"),
    "of another curve": described(EC("p384"), crv="P-384"),
    "of another kind": described(EC("okp"), kty="OKP"),
    "of more than 8192 bits": Huge("huge"),
}


def token(claims: dict, key=CURRENT, header: dict | None = None, signature: bytes | None = None) -> str:
    head = {"alg": key.alg, "typ": "at+jwt", "kid": key.kid, **(header or {})}
    head = {name: value for name, value in head.items() if value is not None}
    claims = {name: value for name, value in claims.items() if value is not None}
    signed = ".".join(b64(json.dumps(part, separators=(",", ":")).encode()) for part in (head, claims))
    return f"{signed}.{b64(key.sign(signed.encode()) if signature is None else signature)}"


def access(key=CURRENT, header: dict | None = None, **changes) -> str:
    return token({"iss": ISSUER, "aud": ISSUER, "sub": "alice", "client_id": "web", "sid": "s-1", "iat": NOW,
                  "exp": NOW + 300, "jti": "t-1", "acr": "aal2", "amr": ["pwd", "otp"], "auth_time": NOW - 60,
                  **changes}, key, header)


def logout(key=CURRENT, header: dict | None = None, **changes) -> str:
    return token({"iss": ISSUER, "aud": "web", "sub": "alice", "sid": "s-9", "iat": NOW, "exp": NOW + 120,
                  "jti": "l-1", "events": {EVENT: {}}, **changes}, key, {"typ": "logout+jwt", **(header or {})})


def altered(text: str) -> str:
    head, claims, signature = text.split(".")
    body = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
    return f"{head}.{b64(json.dumps({**body, 'sub': 'bob'}).encode())}.{signature}"


def hs256_with_public_key() -> str:
    """What a library falls for that takes the algorithm from the token."""
    head = b64(json.dumps({"alg": "HS256", "typ": "at+jwt", "kid": "current"}).encode())
    body = access().split(".")[1]
    key = json.dumps(CURRENT.jwk, separators=(",", ":")).encode()
    return f"{head}.{body}.{b64(hmac.new(key, f'{head}.{body}'.encode(), hashlib.sha256).digest())}"


ALICE = {"subject": "alice", "session": "s-1", "acr": "aal2", "amr": ["pwd", "otp"], "auth_time": NOW - 60}


def tokens() -> list:
    def refused(name: str, text: str, reason: str, now: int = NOW):
        return {"id": name, "token": text, "now": now, "expect": {"refused": reason}}

    good = access()
    zeros = ".".join(good.split(".")[:2]) + "." + b64(bytes(64))
    return [
        {"id": "a good token is its user", "token": good, "now": NOW, "expect": ALICE},
        {"id": "a token for several audiences", "token": access(aud=["x", ISSUER]), "now": NOW, "expect": ALICE},
        {"id": "a token of a listed client", "token": access(client_id="web-view"), "now": NOW, "expect": ALICE},
        {"id": "a type with its prefix", "token": access(header={"typ": "application/AT+JWT"}), "now": NOW, "expect": ALICE},
        {"id": "a token without acr, amr and auth_time", "token": access(acr=None, amr=None, auth_time=None), "now": NOW,
         "expect": {"subject": "alice", "session": "s-1", "acr": None, "amr": [], "auth_time": None}},
        {"id": "a clock that is 29 s late takes an expired token", "token": good, "now": NOW + 329, "expect": ALICE},
        refused("a clock that is 30 s late does not", good, "expired", NOW + 330),
        {"id": "a clock that is 30 s early takes a new token", "token": good, "now": NOW - 30, "expect": ALICE},
        refused("a clock that is 31 s early does not", good, "not_yet_valid", NOW - 31),
        refused("a token that is not valid yet", access(nbf=NOW + 31), "not_yet_valid"),
        refused("no algorithm", access(header={"alg": "none"}), "algorithm"),
        refused("no algorithm and no signature", access(header={"alg": "none"}).rsplit(".", 1)[0] + ".", "algorithm"),
        refused("the public key as a shared secret", hs256_with_public_key(), "algorithm"),
        {"id": "a token that an RSA key signed", "token": access(SIGNER), "now": NOW, "expect": ALICE},
        refused("altered claims under an RSA key", altered(access(SIGNER)), "signature"),
        refused("an RSA token with the kid of another kind of key", access(SIGNER, {"kid": "current"}), "algorithm"),
        refused("an RSA key's other algorithm", access(SIGNER, {"alg": "PS256"}), "algorithm"),
        refused("an algorithm that is not known here", access(header={"alg": "EdDSA"}), "algorithm"),
        refused("an algorithm in lower case", access(header={"alg": "es256"}), "algorithm"),
        refused("an ID token", access(header={"typ": "JWT"}), "type"),
        refused("a logout token", access(header={"typ": "logout+jwt"}), "type"),
        refused("no type", access(header={"typ": None}), "type"),
        refused("no kid", access(header={"kid": None}), "unknown_key"),
        refused("a kid that is a number", access(header={"kid": 7}), "unknown_key"),
        refused("a kid that nobody has", access(header={"kid": "else"}), "unknown_key"),
        refused("a key that the token brings along", access(STRANGER, {"jwk": STRANGER.jwk}), "signature"),
        refused("a key of the token's own address", access(STRANGER, {"jku": "https://evil.example/keys"}), "signature"),
        refused("a kid of an RSA key", access(header={"kid": "rsa"}), "algorithm"),
        refused("somebody else's key", access(STRANGER), "signature"),
        refused("altered claims", altered(good), "signature"),
        refused("a signature of zeros", zeros, "signature"),
        refused("an empty signature", ".".join(good.split(".")[:2]) + ".", "signature"),
        refused("a signature in DER", token(json.loads(base64.urlsafe_b64decode(good.split(".")[1] + "==")),
                                            signature=CURRENT.private.sign(b"x", ec.ECDSA(hashes.SHA256()))), "signature"),
        refused("what must be understood and is not", access(header={"crit": ["x"], "x": 1}), "malformed"),
        refused("another issuer", access(iss="https://id.example.com/"), "issuer"),
        refused("no issuer", access(iss=None), "issuer"),
        refused("another audience", access(aud="https://other.example"), "audience"),
        refused("an empty list of audiences", access(aud=[]), "audience"),
        refused("no audience", access(aud=None), "audience"),
        refused("another client's token", access(client_id="demo-app"), "client"),
        refused("no client", access(client_id=None), "client"),
        refused("a token bound to a key", access(cnf={"jkt": "x"}), "bound"),
        refused("no end", access(exp=None), "claims"),
        refused("an end that is text", access(exp=str(NOW + 300)), "claims"),
        refused("an end that is true", access(exp=True), "claims"),
        refused("no beginning", access(iat=None), "claims"),
        refused("no subject", access(sub=None), "claims"),
        refused("an empty subject", access(sub=""), "claims"),
        refused("a subject that is a number", access(sub=7), "claims"),
        refused("a machine's token, without a session", access(sid=None), "claims"),
        refused("amr that is no list", access(amr="pwd"), "claims"),
        # A claim of another kind is nobody's.
        refused("a number within amr", access(amr=["pwd", 7]), "claims"),
        refused("nothing within amr", access(amr=["pwd", None]), "claims"),
        refused("an acr that is a number", access(acr=7), "claims"),
        refused("an empty acr", access(acr=""), "claims"),
        refused("an auth_time that is text", access(auth_time=str(NOW - 60)), "claims"),
        refused("an auth_time within a second", access(auth_time=NOW - 59.5), "claims"),
        refused("an nbf that is text", access(nbf=str(NOW)), "claims"),
        refused("an end within a second", access(exp=NOW + 299.5), "claims"),
        refused("a beginning within a second", access(iat=NOW - 0.5), "claims"),
        refused("an end before 1970", access(exp=-1), "claims"),
        refused("a beginning before 1970", access(iat=-1), "claims"),
        refused("two parts", "a.b", "malformed"),
        refused("four parts", good + ".x", "malformed"),
        refused("padding", good + "=", "malformed"),
        refused("a line break at the end", good + "\n", "malformed"),
        refused("the other base64", good.replace(".", ".+", 1), "malformed"),
        refused("bits that belong to no byte", good[:-1] + chr(ord(good[-1]) + 1 if good[-1] not in "Zz9_-" else ord("x")), "malformed"),
        refused("claims that are a list", good.split(".")[0] + "." + b64(b"[]") + "." + good.split(".")[2], "malformed"),
        refused("claims that are no JSON", good.split(".")[0] + "." + b64(b"{") + "." + good.split(".")[2], "malformed"),
        refused("deep nesting", good.split(".")[0] + "." + b64(b"[" * 4000) + "." + good.split(".")[2], "malformed"),
        refused("too long", good + "A" * 9000, "malformed"),
        refused("nothing", "", "malformed"),
    ]


def proxies() -> list:
    secret = ["X-Drawbridge-Proxy", SECRET]
    auth = [["X-Auth-Subject", "alice"], ["X-Auth-Session", "s-1"], ["X-Auth-Acr", "aal2"]]
    alice = {"subject": "alice", "session": "s-1", "acr": "aal2"}

    def case(name: str, headers: list, expect, settings: dict | None = None, peer: str = "203.0.113.9", raw: bool = False,
             hosts: tuple = ("www.example.com",), claimed: bool = False):
        expect = expect if isinstance(expect, dict) else {"refused": expect}
        # `raw`: only where the server shows names as they came; CGI, WSGI and PHP may not. `claimed`: where the server took
        # the peer's address from the request, and says so; Node's and Go's do not take it, and PHP does not hear of it.
        return {"id": name, "headers": [*(["Host", host] for host in hosts), *headers], "peer": peer, "claimed": claimed,
                "settings": settings or {"proxy_secret": SECRET}, "raw": raw, "expect": expect}

    def host(name: str, expect, *hosts: str, more: tuple = ()):
        return case(name, [secret, *auth], expect, {"proxy_secret": SECRET, "hosts": list(more)}, hosts=hosts)

    address = {"proxy_addresses": ["127.0.0.1/32", "10.1.0.0/16", "2001:db8::/64"]}
    both = {"proxy_secret": SECRET, "proxy_addresses": ["10.1.0.0/16"]}
    return [
        case("the proxy's word", [secret, *auth], alice),
        case("names in another case", [["x-drawbridge-proxy", SECRET], ["x-auth-subject", "alice"],
                                      ["X-AUTH-SESSION", "s-1"], ["X-Auth-acr", "aal2"]], alice),
        case("no acr", [secret, *auth[:2]], {**alice, "acr": None}),
        case("a subject beyond ASCII", [secret, ["X-Auth-Subject", "zo%C3%AB%20100%25"], auth[1]],
             {"subject": "zoë 100%", "session": "s-1", "acr": None}),
        case("nobody is signed in", [secret], "missing"),
        case("an empty subject", [secret, ["X-Auth-Subject", ""], auth[1]], "missing"),
        case("a visitor's forged header", auth, "not_from_proxy"),
        case("a visitor's guess of the secret", [["X-Drawbridge-Proxy", SECRET[:-1]], *auth], "not_from_proxy"),
        case("a longer guess", [["X-Drawbridge-Proxy", SECRET + "x"], *auth], "not_from_proxy"),
        case("an empty secret", [["X-Drawbridge-Proxy", ""], *auth], "not_from_proxy"),
        case("the secret twice", [secret, secret, *auth], "not_from_proxy"),
        case("a subject twice", [secret, *auth, ["X-Auth-Subject", "bob"]], "repeated"),
        case("two subjects joined by a server", [secret, ["X-Auth-Subject", "alice,bob"], auth[1]], "repeated"),
        case("a session twice", [secret, *auth, ["X-Auth-Session", "s-2"]], "repeated"),
        case("an acr twice", [secret, *auth, ["X-Auth-Acr", "aal9"]], "repeated"),
        case("a subject without a session", [secret, auth[0]], "malformed"),
        case("a broken escape", [secret, ["X-Auth-Subject", "a%2"], auth[1]], "malformed"),
        case("bytes that are no text", [secret, ["X-Auth-Subject", "%FF"], auth[1]], "malformed"),
        case("a bare space", [secret, ["X-Auth-Subject", "a b"], auth[1]], "malformed"),
        case("underscores alone", [secret, ["X_Auth_Subject", "bob"], auth[1]], "underscore", raw=True),
        case("underscores beside the proxy's", [secret, *auth, ["X_Auth_Subject", "bob"]], "underscore", raw=True),
        case("one underscore", [secret, *auth, ["X-Auth_Subject", "bob"]], "underscore", raw=True),
        case("an underscore in the session's name", [secret, *auth, ["x_auth-session", "s-2"]], "underscore", raw=True),
        case("an underscore in the secret's name", [["X_Drawbridge_Proxy", SECRET], *auth], "underscore", raw=True),
        case("underscores in the groups' name", [secret, *auth, ["X_Auth_Groups", "staff"]], "underscore", raw=True),
        case("underscores in a name of others", [secret, *auth, ["X_Other", "1"]], alice),
        case("a trusted address", auth, alice, address, "127.0.0.1"),
        case("a trusted network", auth, alice, address, "10.1.255.255"),
        case("a trusted address of IPv6", auth, alice, address, "2001:db8::7"),
        case("a trusted address as IPv6 writes it", auth, alice, address, "::ffff:10.1.2.3"),
        case("another address", auth, "not_from_proxy", address, "10.2.0.1"),
        case("another network of IPv6", auth, "not_from_proxy", address, "2001:db8:0:1::7"),
        case("no address", auth, "not_from_proxy", address, ""),
        case("an address that a visitor says", [["X-Forwarded-For", "127.0.0.1"], *auth], "not_from_proxy", address),
        case("address and secret", [secret, *auth], alice, both, "10.1.0.1"),
        case("the address alone, where both are asked", auth, "not_from_proxy", both, "10.1.0.1"),
        case("the secret alone, where both are asked", [secret, *auth], "not_from_proxy", both, "10.2.0.1"),
        # The proxy asked about the website that Host names, and visitors choose it.
        host("the proxy's word for another host", "host", "www.other.example"),
        host("the origin's host with its port", alice, "www.example.com:443"),
        host("the origin's host in capitals", alice, "WWW.EXAMPLE.COM"),
        host("another port", "host", "www.example.com:444"),
        host("the port of the other scheme", "host", "www.example.com:80"),
        host("a host that begins alike", "host", "www.example.com.other.example"),
        host("a host that ends alike", "host", "x.www.example.com"),
        host("the root's dot", "host", "www.example.com."),
        host("no host", "host"),
        host("an empty host", "host", ""),
        host("two hosts", "host", "www.example.com", "www.other.example"),
        host("two hosts joined by a server", "host", "www.example.com,www.other.example"),
        host("a further host of the settings", alice, "localhost:8443", more=("example.com", "LOCALHOST:8443")),
        host("another port than the settings have", "host", "localhost", more=("localhost:8443",)),
        host("the origin's host beside a further one", alice, "www.example.com", more=("localhost:8443",)),
        case("nobody is signed in, and there is no host", [secret], "missing", hosts=()),
        case("a visitor's forged header at another host", auth, "not_from_proxy", hosts=("www.other.example",)),
        # It is what X-Forwarded-For says, which anybody may have written.
        case("a trusted address that the server took from the request", [["X-Forwarded-For", "10.1.0.5"], *auth],
             "claimed_address", address, "10.1.0.5", claimed=True),
        case("a claimed address and the secret, where both are asked", [secret, *auth], "claimed_address", both, "10.1.0.5",
             claimed=True),
        case("a claimed address where the secret alone is asked", [secret, *auth], alice, None, "10.1.0.5", claimed=True),
        case("a visitor at the proxy's own machine", [["X-Forwarded-For", "10.1.0.5"], *auth], alice, address, "10.1.0.5"),
    ]


def cookies() -> list:
    """`session`: what /session answers to the cookie `opaque` alone; without it, whoever asks gets no answer."""
    good, over, bob = access(), access(exp=NOW - 30), {"authenticated": True, "sub": "bob"}
    own = "__Host-drawbridge_session=opaque"

    def beside(name: str, cookie: str, session: dict | None, expect: str | None = None, refused: str | None = None):
        case = {"id": name, "cookie": [cookie], "session": session, "expect": expect, "refused": refused}
        return {name: value for name, value in case.items() if value is not None}

    return [
        {"id": "the cookie", "cookie": [f"a=b; vagov_access_token={good}; c=d"], "expect": "alice"},
        {"id": "the cookie in a second field", "cookie": ["a=b", f"vagov_access_token={good}"], "expect": "alice"},
        {"id": "no cookie", "cookie": [], "refused": "missing"},
        {"id": "an empty cookie", "cookie": ["vagov_access_token="], "refused": "missing"},
        {"id": "a name that ends alike", "cookie": [f"x_vagov_access_token={good}"], "refused": "missing"},
        {"id": "a name in another case", "cookie": [f"VAGOV_access_token={good}"], "refused": "missing"},
        {"id": "two, one of them of a website beside", "cookie": [f"vagov_access_token={good}; vagov_access_token={good}"],
         "refused": "repeated"},
        # A website beside ours can set one without a name, which comes as its value alone.
        {"id": "a bare name is no cookie", "cookie": [f"vagov_access_token; vagov_access_token={good}"], "expect": "alice"},
        {"id": "an X-Auth-Subject beside no cookie", "cookie": [], "headers": [["X-Auth-Subject", "bob"], ["X-Auth-Session", "s"]],
         "refused": "missing"},
        # A sign-in on Drawbridge's own page (contract §6).
        beside("the session's cookie alone", own, bob, "bob"),
        beside("the session's cookie and its bare name", f"__Host-drawbridge_session; {own}", bob, "bob"),
        beside("the session's cookie and an empty one", f"vagov_access_token=; {own}", bob, "bob"),
        beside("the session's cookie and a token that ran out", f"vagov_access_token={over}; {own}", bob, "bob"),
        beside("the session's cookie and another client's token", f"vagov_access_token={access(client_id='shop')}; {own}", bob, "bob"),
        beside("the session's cookie and two of the name", f"vagov_access_token={good}; vagov_access_token={good}; {own}", bob, "bob"),
        beside("a token that is good asks nobody", f"vagov_access_token={good}; {own}", None, "alice"),
        beside("a session that is over", own, {"authenticated": False}, None, "missing"),
        beside("a session that is over and a token that ran out", f"vagov_access_token={over}; {own}", {"authenticated": False},
               None, "expired"),
        beside("a session while Drawbridge is away", own, None, None, "unavailable"),
        beside("a token that ran out asks nobody", f"vagov_access_token={over}", None, None, "expired"),
        beside("two of the session's cookies are none", f"{own}; {own}", None, None, "missing"),
        beside("an empty session's cookie is none", "__Host-drawbridge_session=", None, None, "missing"),
        # A question that fails by what one visitor sends would count as an outage for all.
        beside("what no cookie can be is not sent on", '__Host-drawbridge_session="opaque"', None, None, "missing"),
        beside("nor what is too long", "__Host-drawbridge_session=" + "x" * 8193, None, None, "missing"),
    ]


def identities() -> list:
    """`headers`: what a proxy passes on beside the subject and the session, and what /auth/check says beside them."""
    def case(name: str, headers: list, expect, wanted: tuple = ("name", "email", "groups")):
        if isinstance(expect, dict):
            expect = {"name": None, "email": None, "groups": [], **expect}
        return {"id": name, "identity": list(wanted), "headers": headers,
                "expect": expect if isinstance(expect, dict) else {"refused": expect}}

    name, email, groups = ["X-Auth-Name", "Alice"], ["X-Auth-Email", "alice@example.com"], ["X-Auth-Groups", "staff,a%2Cb,zo%C3%AB"]
    return [
        case("name, address and groups", [name, email, groups],
             {"name": "Alice", "email": "alice@example.com", "groups": ["staff", "a,b", "zoë"]}),
        case("a name beyond ASCII", [["X-Auth-Name", "%D0%91%D0%BE%D0%B1%20100%25%2C"]], {"name": "Боб 100%,"}),
        case("one group", [["X-Auth-Groups", "staff"]], {"groups": ["staff"]}),
        case("nothing is said", [], {}),
        case("what is empty says nothing", [["X-Auth-Name", ""], ["X-Auth-Email", ""], ["X-Auth-Groups", ""]], {}),
        case("what nobody wants is not believed", [name, email, groups], {}, ()),
        case("nor is it read", [["X-Auth-Name", "%"], ["X-Auth-Groups", ",,"], email], {"email": "alice@example.com"}, ("email",)),
        case("a name twice", [name, ["X-Auth-Name", "Bob"]], "repeated"),
        case("two addresses joined by a server", [["X-Auth-Email", "alice@example.com,bob@example.com"]], "repeated"),
        case("groups twice", [groups, ["X-Auth-Groups", "admins"]], "repeated"),
        case("groups joined by a server with a space", [["X-Auth-Groups", "staff, admins"]], "malformed"),
        case("a group without a name", [["X-Auth-Groups", "staff,"]], "malformed"),
        case("a group with a broken escape", [["X-Auth-Groups", "staff,%2"]], "malformed"),
        case("a group that is no text", [["X-Auth-Groups", "%FF"]], "malformed"),
        case("a group that is too long", [["X-Auth-Groups", "staff," + "x" * 1025]], "malformed"),
        case("a bare space in a name", [["X-Auth-Name", "Alice B"]], "malformed"),
    ]


def identity_answers() -> list:
    """What /auth/check answers after /session named alice: to the source `session`, which wants her name."""
    alice = ["X-Auth-Subject", "alice"]
    return [
        {"id": "her name", "status": 200, "headers": [alice, ["X-Auth-Name", "Alice"]], "expect": "alice"},
        {"id": "the session ended meanwhile", "status": 401, "headers": [], "expect": "missing"},
        {"id": "somebody else", "status": 200, "headers": [["X-Auth-Subject", "bob"], ["X-Auth-Name", "Bob"]],
         "expect": "unavailable"},
        {"id": "nobody", "status": 200, "headers": [["X-Auth-Name", "Alice"]], "expect": "unavailable"},
        {"id": "a redirect", "status": 302, "headers": [alice], "expect": "unavailable"},
        {"id": "an error", "status": 500, "headers": [alice], "expect": "unavailable"},
    ]


def outages() -> list:
    """`session`, `check`: the status of /session and /auth/check, 0 where no answer comes; `asked`: how often they were
    asked until after this step. With `acr` the page demands one that only /auth/check knows of."""
    def step(at: int, session: int, expect: str, asked: int, check: int | None = None):
        found = {"now": NOW + at, "session": session, "expect": expect, "asked": asked}
        return found if check is None else {**found, "check": check, "acr": ["aal9"]}

    return [
        {"id": "after a failure nobody asks for two seconds", "steps": [
            step(0, 0, "unavailable", 1), step(1, 200, "unavailable", 1), step(2, 200, "alice", 2), step(2, 200, "alice", 3)]},
        {"id": "a failure of the next question begins it anew", "steps": [
            step(0, 0, "unavailable", 1), step(2, 0, "unavailable", 2), step(3, 200, "unavailable", 2), step(4, 200, "alice", 3)]},
        {"id": "three answers of 500 and above in a row are a failure", "steps": [
            step(0, 503, "unavailable", 1), step(0, 500, "unavailable", 2), step(1, 599, "unavailable", 3),
            step(2, 200, "unavailable", 3), step(3, 200, "alice", 4)]},
        {"id": "two of them are none", "steps": [
            step(0, 503, "unavailable", 1), step(0, 503, "unavailable", 2), step(0, 200, "alice", 3),
            step(0, 503, "unavailable", 4), step(0, 503, "unavailable", 5), step(0, 200, "alice", 6)]},
        {"id": "one of them does not end a failure", "steps": [
            step(0, 0, "unavailable", 1), step(2, 500, "unavailable", 2), step(3, 200, "unavailable", 2), step(4, 200, "alice", 3)]},
        {"id": "no answer after one of them is a failure", "steps": [
            step(0, 500, "unavailable", 1), step(0, 0, "unavailable", 2), step(1, 200, "unavailable", 2)]},
        {"id": "an answer below 500 is none", "steps": [
            step(0, 503, "unavailable", 1), step(0, 503, "unavailable", 2), step(0, 429, "unavailable", 3),
            step(0, 503, "unavailable", 4), step(0, 200, "alice", 5)]},
        {"id": "a step-up that nobody answers is one", "steps": [
            step(0, 200, "unavailable", 2, 0), step(1, 200, "unavailable", 2), step(2, 200, "alice", 4, 200)]},
        {"id": "a step-up that fails while /session answers is none", "steps": [
            step(0, 200, "unavailable", 2, 500), step(0, 200, "unavailable", 4, 500), step(0, 200, "unavailable", 6, 500),
            step(0, 200, "alice", 7)]},
        {"id": "a step-up does not ask during one", "steps": [
            step(0, 0, "unavailable", 1), step(1, 200, "unavailable", 1, 200)]},
        {"id": "a clock that is set back keeps nobody away", "steps": [step(0, 0, "unavailable", 1), step(-9, 200, "alice", 2)]},
    ]


def rotation() -> list:
    """`serves`: what /.well-known/jwks.json answers; `fetches`: how often it was asked until after this step."""
    both, after = ["current", "rsa"], ["next", "rsa"]
    current, new = access(exp=NOW + 80000), access(NEXT, exp=NOW + 80000)

    def step(at: int, serves, text: str, expect: str, fetches: int):
        return {"now": NOW + at, "serves": serves, "token": text, "expect": expect, "fetches": fetches}

    return [
        {"id": "keys are fetched once and used for five minutes", "steps": [
            step(0, both, current, "alice", 1), step(299, both, current, "alice", 1), step(300, both, current, "alice", 2)]},
        {"id": "a new key is learnt when its first token comes", "steps": [
            step(0, both, current, "alice", 1), step(31, [*both, "next"], new, "alice", 2)]},
        {"id": "unknown keys make one question in half a minute, however many come", "steps": [
            step(0, both, current, "alice", 1), step(1, both, new, "unknown_key", 1), step(29, [*both, "next"], new, "unknown_key", 1),
            step(30, [*both, "next"], new, "alice", 2), step(31, both, access(OLD), "unknown_key", 2)]},
        {"id": "a key that is withdrawn is used for five minutes at most", "steps": [
            step(0, both, current, "alice", 1), step(299, after, current, "alice", 1), step(300, after, current, "unknown_key", 2)]},
        {"id": "an unknown kid takes a withdrawn key away at once", "steps": [
            step(0, both, current, "alice", 1), step(40, after, new, "alice", 2), step(41, after, current, "unknown_key", 2)]},
        {"id": "while Drawbridge is away, old keys hold for an hour and no longer", "steps": [
            step(0, both, current, "alice", 1), step(600, "down", current, "alice", 2), step(610, "down", current, "alice", 2),
            step(3600, "down", current, "alice", 3), step(3631, "down", current, "unavailable", 4),
            step(3632, both, current, "unavailable", 4), step(3633, both, current, "alice", 5)]},
        {"id": "without any keys nobody is believed and nobody is signed out", "steps": [
            step(0, "down", current, "unavailable", 1), step(1, both, current, "unavailable", 1), step(2, both, current, "alice", 2)]},
        {"id": "an answer that is no key set changes nothing", "steps": [
            step(0, both, current, "alice", 1), step(300, "garbage", current, "alice", 2)]},
        {"id": "a key set without the key", "steps": [step(0, [], current, "unknown_key", 1)]},
        *({"id": f"a key {what} verifies nothing", "steps": [
            step(0, [*both, key.kid], current, "alice", 1), step(0, [*both, key.kid], access(key), "unknown_key", 1)]}
          for what, key in UNUSABLE.items()),
        {"id": "of two keys with one kid the first holds", "steps": [
            step(0, ["current", "stranger"], current, "alice", 1), step(0, both, access(STRANGER), "signature", 1)]},
        {"id": "a hundred keys are a set", "steps": [step(0, ["current"] * 100, current, "alice", 1)]},
        {"id": "and more are none", "steps": [step(0, ["current"] * 101, current, "unavailable", 1)]},
        {"id": "a malformed token asks nobody", "steps": [step(0, both, "a.b.c", "malformed", 0)]},
        {"id": "once a clock that was fast is set right, keys are fetched, and a withdrawn one is refused", "steps": [
            step(7200, both, current, "alice", 1), step(60, after, current, "unknown_key", 2), step(61, after, new, "alice", 2),
            step(359, after, new, "alice", 2), step(360, both, current, "alice", 3)]},
        {"id": "once such a clock is set right, a new key is learnt", "steps": [step(7200, both, current, "alice", 1), step(60, after, new, "alice", 2)]},
        {"id": "a question that failed by a clock that was fast keeps nobody waiting", "steps": [
            step(7200, "down", current, "unavailable", 1), step(60, both, current, "alice", 2)]},
        {"id": "while Drawbridge is away, a clock that is set back gives old keys no more than their hour", "steps": [
            step(7200, both, current, "alice", 1), step(60, "down", current, "alice", 2), step(70, "down", current, "alice", 2),
            step(3300, "down", current, "alice", 3), step(3361, "down", current, "unavailable", 4)]},
    ]


def taken(paths: list, *names: str) -> list:
    """The lines that take cookies away. Each without and with `Partitioned`, which are two cookies to a browser; no more
    than 2048 bytes."""
    places = [f"Path={path}{domain}" for path in paths
              for domain in ("", "; Domain=www.example.com", "; Domain=example.com")]
    lines = [f"{name}=; Max-Age=0; {place}; Secure; HttpOnly{partitioned}" for name in names
             for place in (["Path=/"] if name.startswith("__Host-") else places)
             for partitioned in ("", "; Partitioned")]
    while sum(map(len, lines)) > 2048:
        lines = lines[:-2]
    return lines


def unsent(sign_in: str) -> dict:
    """What a person reads whose form came without a sign-in; a script reads JSON."""
    return {"status": 401, "challenge": "Bearer", "type": "text/html; charset=utf-8", "body": f"""<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Not signed in</title>
<h1>You are not signed in</h1>
<p>What you sent was not accepted. <a href="{sign_in}" target="_blank" rel="noopener">Sign in</a> (this opens a new tab), \
then come back to this tab, go back to the form and send it again.</p>
"""}


def returns() -> list:
    """What whoever is not signed in gets. `sign_in` is the setting, where it is not the usual one."""
    page = [["Accept", "text/html,*/*"]]
    navigation = [["Sec-Fetch-Mode", "navigate"], ["Sec-Fetch-Dest", "document"]]
    to = "/session/sign-in?redirect="
    to_script = {"status": 401, "challenge": "Bearer", "type": "application/json"}
    name = "vagov_access_token"

    def case(name: str, target: str, location, headers=page, method: str = "GET"):
        return {"id": name, "method": method, "target": target, "headers": headers,
                "expect": {"status": 303, "location": location} if location else to_script}

    def form(name: str, headers: list, sign_in: str | None = None, written: str = "/session/sign-in", **more):
        found = {**case(name, "/a", None, headers, "POST"), "expect": {**unsent(written), **more}}
        return {**found, "sign_in": sign_in} if sign_in else found

    return [
        case("a page", "/account/1", to + "%2Faccount%2F1"),
        case("a page with a query", "/a?b=c&d=%20e", to + "%2Fa%3Fb%3Dc%26d%3D%2520e"),
        case("a browser's navigation", "/a", to + "%2Fa", navigation),
        case("HEAD", "/a", to + "%2Fa", page, "HEAD"),
        case("a line break cannot get into the answer", "/a%0d%0aSet-Cookie:x=y", to + "%2Fa%250d%250aSet-Cookie%3Ax%3Dy"),
        case("unreserved characters stay", "/a-b_c.d~e", to + "%2Fa-b_c.d~e"),
        case("the marks of a path", "/a(b)!*'", to + "%2Fa%28b%29%21%2A%27"),
        case("another host", "//evil.example/", "/session/sign-in"),
        case("another host with a backslash", "/\\evil.example/", "/session/sign-in"),
        case("a backslash within", "/a\\..\\b", "/session/sign-in"),
        case("a whole address", "https://evil.example/", "/session/sign-in"),
        case("an address of a proxy", "http://evil.example/", "/session/sign-in"),
        case("an asterisk", "*", "/session/sign-in"),
        case("a space", "/a b", "/session/sign-in"),
        case("too long", "/" + "a" * 2048, "/session/sign-in"),
        case("a script", "/a", None, [["Accept", "application/json"]]),
        case("no Accept", "/a", None, []),
        case("a script that takes anything", "/a", None, [["Sec-Fetch-Mode", "cors"], ["Sec-Fetch-Dest", "empty"], *page]),
        case("a frame", "/a", None, [["Sec-Fetch-Mode", "navigate"], ["Sec-Fetch-Dest", "iframe"], *page]),
        case("HEAD of a script", "/a", None, [["Accept", "application/json"]], "HEAD"),
        # A redirect would lose what a person has typed, so the way to the sign-in is beside it.
        form("a form", navigation),
        form("a form of an old browser", page),
        form("a form, and a sign-in whose address is no plain one", navigation, "/sign-in?a=1&b=\"'<c>",
             "/sign-in?a=1&#38;b=&#34;&#39;&#60;c&#62;"),
        form("a form with two tokens", [*navigation, ["Cookie", f"{name}=a; {name}=b"]], cookies=taken(["/", "/a"], name)),
        case("a form in a frame", "/a", None, [["Sec-Fetch-Mode", "navigate"], ["Sec-Fetch-Dest", "iframe"], *page], "POST"),
        case("a form that a script sends", "/a", None, [["Accept", "application/json"]], "POST"),
        case("a form that a script sends which takes anything", "/a", None,
             [["Sec-Fetch-Mode", "cors"], ["Sec-Fetch-Dest", "empty"], *page], "POST"),
        case("a form without Accept", "/a", None, [], "POST"),
        case("what no form does", "/a", None, [*navigation, *page], "PUT"),
        # A guard that is asked in place of Drawbridge would ask itself without end.
        *({"id": f"a question that a website asked itself{what}", "method": "GET", "target": "/auth/check", "headers": headers,
           "expect": {"status": 503}}
          for what, headers in {
              "": [QUESTION], "; the field's name in another case": [["drawbridge-question", "1"]], " for a page": [QUESTION, *page],
              ", with a good token": [QUESTION, ["Cookie", f"vagov_access_token={access()}"]]}.items()),
    ]


def demands() -> list:
    def case(name: str, expect, wanted: list | None = None, age: int | None = None, **claims):
        return {"id": name, "token": access(**claims), "acr": wanted or [], "max_age": age, "now": NOW, "expect": expect}

    challenge = 'Bearer error="insufficient_user_authentication"'
    return [
        case("nothing is demanded", "alice"),
        case("the acr is there", "alice", ["aal2"]),
        case("one of two will do", "alice", ["x", "aal2"]),
        case("the acr is missing", challenge + ', acr_values="aal2"', ["aal2"], acr=None),
        case("another acr", challenge + ', acr_values="aal3 aal4"', ["aal3", "aal4"]),
        case("an acr that begins alike", challenge + ', acr_values="aal22"', ["aal22"]),
        case("fresh enough", "alice", None, 60),
        case("not fresh enough", challenge + ', max_age="59"', None, 59),
        case("nobody says when", challenge + ', max_age="300"', None, 300, auth_time=None),
        case("both", "alice", ["aal2"], 60),
        case("one of both", challenge + ', acr_values="aal2", max_age="10"', ["aal2"], 10),
    ]


def proxy_demands() -> list:
    """A page that demands `acr`, behind a proxy. Nobody is asked; `expect` is the user, or the challenge of the 401."""
    own, token = "__Host-drawbridge_session=opaque", "vagov_access_token=x"
    challenge = 'Bearer error="insufficient_user_authentication", acr_values="aal9"'

    def case(name: str, expect: str, cookie: str | None = None, acr: str = "aal2", accept: str = "application/json",
             wanted: str = "aal9"):
        word = [["Host", "www.example.com"], ["X-Drawbridge-Proxy", SECRET], ["X-Auth-Subject", "alice"],
                ["X-Auth-Session", "s-1"], ["X-Auth-Acr", acr]]
        return {"id": name, "headers": [*word, ["Accept", accept], *([["Cookie", cookie]] if cookie else [])],
                "acr": [wanted], "expect": expect}

    return [
        case("the acr is there", "alice", acr="aal9"),
        case("two factors are one as well", "alice", wanted="aal1"),
        case("one factor is not two", challenge.replace("aal9", "aal2"), acr="aal1", wanted="aal2"),
        case("what begins alike is no level of ours", challenge.replace("aal9", "aal1"), acr="aal22", wanted="aal1"),
        case("another acr", challenge),
        case("another acr, and a page", challenge, accept="text/html"),
        case("another acr beside the session's cookie", challenge, own, accept="text/html"),
        # Cookies are not the proxy's word, so what is wrong with them changes nothing.
        case("another acr beside two of the session's cookies", challenge, f"{own}; {own}"),
        case("another acr beside two tokens", challenge, f"{token}; {token}"),
    ]


def step_ups() -> list:
    """A page that demands `aal9`. `session`: what /session answers; `check`: status and fields of /auth/check; `asked`: path
    and cookies of all questions but those for keys; `expect`: the user, or status, `Location` and cookies of the answer."""
    good, over, shop = access(), access(exp=NOW - 30), access(client_id="shop")
    name, own, bob = "vagov_access_token", "__Host-drawbridge_session=opaque", {"authenticated": True, "sub": "bob"}
    token, two = f"{name}={good}", f"{name}={good}; {name}={over}"
    page, script = [["Accept", "text/html"]], [["Accept", "application/json"]]
    is_alice, is_bob = (200, [["X-Auth-Subject", "alice"]]), (200, [["X-Auth-Subject", "bob"]])
    way = (302, [["Location", f"{ISSUER}/sign-in"], ["Set-Cookie", "a=b"], ["Server", "x"]])
    onward = {"status": 303, "location": f"{ISSUER}/sign-in", "cookies": ["a=b"]}
    sign_out = {"status": 303, "location": "/session/logout", "cookies": []}
    no, away = ({"status": status, "location": None, "cookies": []} for status in (401, 503))
    long = "a" * 46

    def to_sign_in(wanted: str, cookies: list) -> dict:
        return {"status": 303, "location": f"/session/sign-in{wanted}", "cookies": cookies}

    def case(id_: str, cookie: str, expect, asked: list, check: tuple | None = None, session: dict | None = None,
             source: str = "cookie", target: str = "/x", headers: list = page):
        check = check and {"status": check[0], "headers": check[1]}
        return {"id": id_, "source": source, "cookie": [cookie], "headers": headers, "target": target, "acr": ["aal9"],
                "session": session, "check": check, "asked": asked,
                "expect": {"user": expect} if isinstance(expect, str) else expect}

    def asks(cookie: str, wanted: str | None = "%2Fx") -> list:
        return ["/auth/check?acr=aal9" + ("" if wanted is None else f"&redirect={wanted}"), cookie]

    first = ["/session", own]
    return [
        case("the session of the token is stronger by now", token, "alice", [asks(token)], is_alice),
        case("the way to a stronger sign-in", token, onward, [asks(token)], way),
        # Two users of one browser. Neither is shown the other's page; signing out ends both.
        case("the token and the session are two users'", f"{own}; {token}", sign_out, [asks(f"{own}; {token}")], is_bob),
        case("two users, and a script asks", f"{own}; {token}", no, [asks(f"{own}; {token}", None)], is_bob, headers=script),
        case("two users, and the session is not strong yet", f"{own}; {token}", onward, [asks(f"{own}; {token}")], way),
        # It is not Drawbridge that answers like this, but a website or a proxy in its place.
        case("an answer that names nobody", token, away, [asks(token)], (200, [])),
        case("an answer that names nobody, and a script asks", token, away, [asks(token, None)], (200, []), headers=script),
        case("an answer whose user is empty", token, away, [asks(token)], (200, [["X-Auth-Subject", ""]])),
        case("an answer whose user is no text", token, away, [asks(token)], (200, [["X-Auth-Subject", "%FF"]])),
        case("an answer that names two", token, away, [asks(token)], (200, [["X-Auth-Subject", "alice"], ["X-Auth-Subject", "bob"]])),
        # A website beside ours can plant a token. Who is here by the session's cookie is asked about by it alone.
        case("a planted token beside the session's cookie", f"{two}; {own}", "bob", [first, asks(own)], is_bob, bob),
        case("a planted token, and the session is not strong yet", f"{two}; {own}", onward, [first, asks(own)], way, bob),
        case("another client's token beside the session's cookie", f"{name}={shop}; {own}", "bob", [first, asks(own)], is_bob, bob),
        case("a token that ran out beside the session's cookie", f"{name}={over}; {own}", "bob", [first, asks(own)], is_bob, bob),
        case("two of the session's cookies are none", f"{own}; {own}; {token}", "alice", [asks(token)], is_alice),
        case("a planted token, and Drawbridge is asked each time", f"{two}; {own}", "bob", [first, asks(own)], is_bob, bob, "session"),
        case("a planted token, and the session is over", f"{two}; {own}", to_sign_in("?redirect=%2Fx", taken(["/", "/x"], name)),
             [first], session={"authenticated": False}),
        # All that came with this request are taken away, wherever they were set: else the sign-in would lead back here.
        case("two tokens", two, to_sign_in("?redirect=%2Fx", taken(["/", "/x"], name)), []),
        case("two tokens, and Drawbridge is asked each time", two, to_sign_in("?redirect=%2Fx", taken(["/", "/x"], name)), [],
             source="session"),
        case("two tokens, and a script asks", two, no, [], headers=script),
        case("two tokens on the way to a deep page", two, to_sign_in(
            "?redirect=%2Fa%2Fb%2Fc%2Fd%3Fe%2Ff", taken(["/", "/a", "/a/", "/a/b", "/a/b/"], name)), [],
            target="/a/b/c/d?e/f"),
        case("a path that would be another attribute", two, to_sign_in(
            "?redirect=%2Fa%2Fb%3BDomain%3Dx%2Fc", taken(["/", "/a", "/a/"], name)), [], target="/a/b;Domain=x/c"),
        case("a path that is too long", two, to_sign_in(
            "?redirect=%2Fa%2F" + "b" * 98, taken(["/", "/a", "/a/"], name)), [], target="/a/" + "b" * 98),
        case("two tokens, and another host", two, to_sign_in("", taken(["/"], name)), [], target="//evil.example/a"),
        case("two of the session's cookies", f"{own}; {own}", to_sign_in(
            "?redirect=%2Fx", taken(["/", "/x"], "__Host-drawbridge_session")), [], source="session"),
        case("two of both, and more lines than fit", f"{own}; {own}; {two}", to_sign_in(
            f"?redirect=%2F{long}%2F{long}", taken(["/", f"/{long}", f"/{long}/"], "__Host-drawbridge_session", name)), [],
            target=f"/{long}/{long}"),
        # To the sign-in, if not back.
        case("a page that nobody can be led back to", token, onward, [asks(token, "")], way, target="//evil.example/"),
        case("a script's address is not passed on", token, no, [asks(token, None)], (401, []), headers=script),
    ]


def webhooks() -> list:
    def body(**changes) -> str:
        event = {"id": "web_session.ended:s-1", "type": "web_session.ended", "at": "2027-01-15T08:00:00.000Z",
                 "client_id": "web", "sub": "alice", "sid": "s-1", "reason": "signed_out", **changes}
        return json.dumps({name: value for name, value in event.items() if value is not None}, separators=(",", ":"))

    def code(text: str, at: int | str = NOW, secret: str = HOOK) -> str:
        return hmac.new(secret.encode(), f"{at}.{text}".encode(), hashlib.sha256).hexdigest()

    def step(text: str, expect: str, header: str | None = None, now: int = NOW):
        status = {"handled": 200, "known": 200}.get(expect, 400)
        return {"now": now, "body": text, "header": f"t={NOW},v1={code(text)}" if header is None else header,
                "status": status, "expect": expect}

    one = body()
    other = body(id="web_session.ended:s-2", sid="s-2")
    return [
        {"id": "a notice is handled", "steps": [step(one, "handled")]},
        {"id": "a repeat is known, and answered well", "steps": [step(one, "handled"), step(one, "known")]},
        {"id": "a repeat that is signed afresh is known", "steps": [
            step(one, "handled"), step(one, "known", f"t={NOW + 90000},v1={code(one, NOW + 90000)}", NOW + 90000)]},
        {"id": "two notices are two", "steps": [step(one, "handled"), step(other, "handled")]},
        {"id": "the old secret, while it is being replaced", "steps": [
            step(one, "handled", f"t={NOW},v1={code(one, secret=OLD_HOOK)}")]},
        {"id": "two signatures, one that fits", "steps": [step(one, "handled", f"t={NOW},v1={'0' * 64},v1={code(one)}")]},
        {"id": "a signature of another scheme is passed over", "steps": [
            step(one, "handled", f"t={NOW},v0=x,v1={code(one)}")]},
        {"id": "another secret", "steps": [step(one, "signature", f"t={NOW},v1={code(one, secret='x' * 32)}")]},
        {"id": "an altered body", "steps": [step(one + " ", "signature", f"t={NOW},v1={code(one)}")]},
        {"id": "another time than was signed", "steps": [step(one, "signature", f"t={NOW + 1},v1={code(one)}")]},
        {"id": "the signature under another scheme's name", "steps": [step(one, "signature", f"t={NOW},v2={code(one)}")]},
        {"id": "no signature", "steps": [step(one, "signature", f"t={NOW}")]},
        {"id": "no header", "steps": [step(one, "signature", "")]},
        {"id": "no time", "steps": [step(one, "signature", f"v1={code(one)}")]},
        {"id": "two times", "steps": [step(one, "signature", f"t={NOW},t={NOW},v1={code(one)}")]},
        {"id": "a time with a sign", "steps": [step(one, "signature", f"t=+{NOW},v1={code(one, f'+{NOW}')}")]},
        {"id": "a time in other digits", "steps": [step(one, "signature", f"t=١,v1={code(one, '١')}")]},
        {"id": "a signature in capitals", "steps": [step(one, "signature", f"t={NOW},v1={code(one).upper()}")]},
        {"id": "five minutes late", "steps": [step(one, "handled", None, NOW + 300)]},
        {"id": "later than five minutes", "steps": [step(one, "stale", None, NOW + 301)]},
        {"id": "five minutes early", "steps": [step(one, "handled", None, NOW - 300)]},
        {"id": "earlier than five minutes", "steps": [step(one, "stale", None, NOW - 301)]},
        {"id": "no JSON", "steps": [step("x", "malformed")]},
        {"id": "a list", "steps": [step("[]", "malformed")]},
        {"id": "no id", "steps": [step(body(id=None), "malformed")]},
        {"id": "a listed client's notice", "steps": [step(body(client_id="web-view"), "handled")]},
        {"id": "another website's notice", "steps": [step(body(client_id="shop"), "client")]},
        {"id": "nobody's notice", "steps": [step(body(client_id=None), "client")]},
        {"id": "a notice that was refused is no repeat later", "steps": [step(one, "stale", None, NOW + 301), step(one, "handled")]},
        {"id": "ends of three sessions", "steps": [
            step(one, "handled"), *(step(body(id=f"web_session.ended:{sid}", sid=sid), "handled", None, NOW + at)
                                    for sid, at in [("s-4", 100), ("s-5", 200)])]},
    ]


def logouts() -> list:
    def step(text: str, expect: str, now: int = NOW, form: str | None = None, status: int | None = None):
        status = status or {"handled": 200, "known": 200}.get(expect, 400)
        return {"now": now, "form": f"logout_token={text}" if form is None else form, "status": status, "expect": expect}

    good = logout()
    return [
        {"id": "a logout token is handled", "steps": [step(good, "handled")]},
        {"id": "a repeat is known", "steps": [step(good, "handled"), step(good, "known")]},
        {"id": "signed by RS256", "steps": [step(logout(SIGNER), "handled")]},
        {"id": "an access token", "steps": [step(access(), "type")]},
        {"id": "an ID token", "steps": [step(logout(header={"typ": "JWT"}), "type")]},
        {"id": "no algorithm", "steps": [step(logout(header={"alg": "none"}), "algorithm")]},
        {"id": "the other algorithm for a key", "steps": [step(logout(header={"kid": "rsa"}), "algorithm")]},
        {"id": "somebody else's key", "steps": [step(logout(STRANGER), "signature")]},
        {"id": "a small RSA key", "steps": [step(logout(SMALL), "unknown_key")]},
        # A 4xx settles it, and the key may be there by now.
        {"id": "a key that was not there when keys were fetched a moment ago", "steps": [
            step(good, "handled"), step(logout(NEXT), "unknown_key", NOW + 1, status=503),
            step(logout(NEXT), "unknown_key", NOW + 30)]},
        {"id": "no kid, whenever keys were fetched", "steps": [
            step(good, "handled"), step(logout(header={"kid": None}), "unknown_key", NOW + 1)]},
        {"id": "another issuer", "steps": [step(logout(iss="https://evil.example"), "issuer")]},
        {"id": "a listed client's", "steps": [step(logout(aud="web-view"), "handled")]},
        {"id": "a listed client's among others", "steps": [step(logout(aud=["shop", "web-view"]), "handled")]},
        {"id": "another website's", "steps": [step(logout(aud="shop"), "audience")]},
        {"id": "nobody's", "steps": [step(logout(aud=None), "audience")]},
        {"id": "a nonce: an ID token in disguise", "steps": [step(logout(nonce="n"), "claims")]},
        {"id": "no event", "steps": [step(logout(events=None), "claims")]},
        {"id": "another event", "steps": [step(logout(events={"x": {}}), "claims")]},
        {"id": "an event that is no object", "steps": [step(logout(events={EVENT: True}), "claims")]},
        {"id": "no session", "steps": [step(logout(sid=None), "claims")]},
        {"id": "no jti", "steps": [step(logout(jti=None), "claims")]},
        {"id": "expired", "steps": [step(good, "expired", NOW + 150)]},
        {"id": "not yet", "steps": [step(good, "not_yet_valid", NOW - 31)]},
        {"id": "no end", "steps": [step(logout(exp=None), "claims")]},
        {"id": "two tokens", "steps": [step("", "malformed", form=f"logout_token={good}&logout_token={good}")]},
        {"id": "no token", "steps": [step("", "malformed", form="x=y")]},
        # Another part of the website has read it before; after a 4xx that token would never come again.
        {"id": "an empty form", "steps": [step("", "malformed", form="", status=503)]},
    ]


def table() -> dict:
    keys = {key.kid: key.jwk for key in (OLD, CURRENT, NEXT, SIGNER, SMALL, *UNUSABLE.values())}
    keys["stranger"] = STRANGER.jwk
    return {
        "about": "Made by make.py. Times are Unix seconds; `refused` and `expect` are the words of docs/middleware.md.",
        "settings": {"origin": "https://www.example.com", "drawbridge": ISSUER, "issuer": ISSUER, "client_id": "web",
                     "clients": ["web-view"], "cookie": "vagov_access_token", "webhook_secrets": [HOOK, OLD_HOOK]},
        "now": NOW, "keys": keys, "serves": ["current", "rsa", "small"],
        "tokens": tokens(), "proxies": proxies(), "cookies": cookies(), "identities": identities(),
        "identity_answers": identity_answers(), "outages": outages(), "rotation": rotation(), "returns": returns(),
        "demands": demands(), "proxy_demands": proxy_demands(), "step_ups": step_ups(), "webhooks": webhooks(), "logouts": logouts(),
        # A session that a notice ended is nobody's from then on, though its token would still verify, for as long as one
        # may live; nor is it whose a proxy says that it is.
        # `more` ends: where there is room for two, the last one has the first forgotten. Then no token counts that was issued
        # before that first end; `later_token` was issued after it, by more than clocks may differ.
        "ended": {"webhook": webhooks()[0]["steps"][0], "token": access(), "logout": logouts()[0]["steps"][0],
                  "logged_out_token": access(sid="s-9"), "other_token": access(sid="s-3"),
                  "lasting_token": access(exp=NOW + 86000), "late": NOW + 85000, "more": webhooks()[-1]["steps"][1:],
                  "other_lasting_token": access(sid="s-3", exp=NOW + 86000),
                  "later_token": access(sid="s-3", iat=NOW + 31, exp=NOW + 86000), "proxy_secret": SECRET,
                  "proxy_headers": [["Host", "www.example.com"], ["X-Drawbridge-Proxy", SECRET], ["X-Auth-Subject", "alice"],
                                    ["X-Auth-Session", "s-1"]]},
    }


if __name__ == "__main__":
    path = pathlib.Path(__file__).with_name("cases.json")
    path.write_text(json.dumps(table(), indent=1, ensure_ascii=False) + "\n")
