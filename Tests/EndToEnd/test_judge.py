"""The website that judges phones in these tests is strict itself, and of one mind with the service."""

import json
import math
import time

import pytest
from joserfc import jws

import case_tables
import selfissued
from judge import CORE, URN, Refused, check
from signing import b64url, unb64url

TABLE = case_tables.read("siop_token_cases.json", copy="SelfIssuedIdPTests")
NONCE, RETURN_URI = "4f8921ce98f89", "https://rp.example/callback"
PHONES = {kind: selfissued.Phone(kind) for kind in ("EC", "RSA", "OKP")}
EC, OTHER = PHONES["EC"], selfissued.Phone()


@pytest.mark.parametrize("case", TABLE["cases"], ids=lambda case: case.get("why"))
def test_the_judge_agrees_with_the_cases(case):
    # What a row says of its own counts instead of the table's.
    expected, context = case["expect"], {**TABLE["context"], **case, **case.get("context", {})}
    answer = case["params"]
    try:
        found = check(answer, context["clientIDs"], context["nonce"], context["now"])
    except Refused as refused:
        assert not expected["accept"] and expected.get("error", str(refused)) in refused.names
    else:
        assert expected["accept"]
        assert {name: found[name] for name in ("form", "thumbprint", "alg") if name in expected} == {
            name: expected[name] for name in ("form", "thumbprint", "alg") if name in expected}


# Rows of our own, about what the table passes over

def respelled(token: str) -> str:
    """Another spelling of the same bytes: the last character has low bits that mean nothing."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    return token[:-1] + alphabet[alphabet.index(token[-1]) | 1]


def signed(claims: dict | str, phone=EC, signature: bytes | None = None, **header) -> str:
    text = claims if isinstance(claims, str) else json.dumps(claims)
    message = b64url(json.dumps({"alg": phone.alg, **header}).encode()) + "." + b64url(text.encode())
    if signature is None:
        signature = jws.JWSRegistry.algorithms[phone.alg].sign(message.encode(), phone.key)
    return message + "." + b64url(signature)


class Writer:
    """Writes answers to a website of this return URI."""

    def __init__(self, return_uri: str):
        self.now, self.return_uri = int(time.time()), return_uri

    def common(self, **changes) -> dict:
        claims = {"aud": self.return_uri, "nonce": NONCE, "iat": self.now - 5, "exp": self.now + 300, **changes}
        return {name: value for name, value in claims.items() if value is not ...}

    def core(self, phone=EC, **changes) -> dict:
        return self.common(**{"iss": CORE, "sub": phone.thumbprint, "sub_jwk": phone.jwk, **changes})

    def seed(self, **changes) -> dict:
        return self.common(**{"iss": EC.canonical, "user_id": EC.canonical, **changes})

    def of(self, phone=EC, header=None, **changes) -> dict:
        return {"id_token": signed(self.core(phone, **changes), phone, **(header or {}))}

    def text(self, change) -> dict:
        """Claims that are changed as text."""
        return {"id_token": signed(change(json.dumps(self.core())))}

    def userinfo(self, token: str | None = None, header=None, signature=None, beside=None, **changes) -> dict:
        told = self.common(email="a@b.example", **changes)
        return {"id_token": signed(beside or self.seed()),
                "userinfo_token": token or signed(told, signature=signature, **(header or {}))}

    def rows(self) -> dict[str, tuple[str | None, dict]]:
        """By name: how the answer is refused, or `None` where it is taken, and the answer."""
        jwk, good = EC.jwk, self.of()
        did = "did:key:z6Mk"
        rsa = PHONES["RSA"]
        zero = b64url(b"\0" + unb64url(jwk["x"]))
        urn = URN + EC.thumbprint
        v2 = self.core(iss=urn, sub=urn)
        return {
            "an answer in order": (None, good),
            "values that are no texts": ("malformed", {"id_token": 7, "access_token": None}),
            "a line break at the end": ("malformed", {"id_token": good["id_token"] + "\n"}),
            "a NUL at the end": ("malformed", {"id_token": good["id_token"] + "\0"}),
            "another spelling of the signature": ("malformed", {"id_token": respelled(good["id_token"])}),
            "a member twice": ("malformed", self.text(lambda text: text[:-1] + ', "n\\u006fnce": "x"}')),
            "a byte order mark": ("malformed", self.text(lambda text: "\ufeff" + text)),
            "half a pair of surrogates": ("malformed", self.text(lambda text: text[:-1] + ', "x": "\\ud800"}')),
            "nested 16 deep": (None, self.text(lambda text: text[:-1] + ', "x": ' + "[" * 15 + "]" * 15 + "}")),
            "nested 17 deep": ("malformed", self.text(lambda text: text[:-1] + ', "x": ' + "[" * 16 + "]" * 16 + "}")),
            "NaN": ("malformed", self.of(exp=math.nan)),
            "true as a time": ("malformed", self.of(exp=True)),
            "a number of thousands of digits": (None, self.text(lambda text: text[:-1] + ', "x": ' + "9" * 5000 + "}")),
            "a DID": ("subject_type_not_supported", self.of(iss=did, sub=did, sub_jwk=...)),
            "a DID with a key": ("subject_mismatch", self.of(iss=did, sub=did)),
            "a set of one key": (None, self.of(sub_jwk={"keys": [jwk]})),
            "a set of one private key": ("key_private", self.of(sub_jwk={"keys": [{**jwk, "d": "x"}]})),
            "a set of nothing": ("key_invalid", self.of(sub_jwk={"keys": None})),
            "a key with a certificate": ("key_invalid", self.of(sub_jwk={**jwk, "x5c": ["x"]})),
            "a key with a certificate's address": ("key_invalid", self.of(sub_jwk={**jwk, "x5u": "https://x.example"})),
            "a key for encryption": ("key_invalid", self.of(sub_jwk={**jwk, "use": "enc"})),
            "a key for signatures": (None, self.of(sub_jwk={**jwk, "use": "sig"})),
            "a coordinate with a zero in front": ("key_invalid", self.of(sub_jwk={**jwk, "x": zero})),
            "a coordinate that is a number": ("key_invalid", self.of(sub_jwk={**jwk, "x": 5})),
            "a point off the curve": ("key_invalid", self.of(sub_jwk={**jwk, "y": jwk["x"]})),
            "a point of small order": ("key_invalid", self.of(
                PHONES["OKP"], sub_jwk={**PHONES["OKP"].jwk, "x": b64url(bytes(32))})),
            "RSA with a zero in front": ("key_invalid", self.of(
                rsa, sub_jwk={**rsa.jwk, "n": b64url(b"\0" + unb64url(rsa.jwk["n"]))})),
            "RSA with exponent 3": ("key_invalid", self.of(rsa, sub_jwk={**rsa.jwk, "e": "Aw"})),
            "RSA of 2040 bits": ("key_invalid", self.of(
                rsa, sub_jwk={**rsa.jwk, "n": b64url(unb64url(rsa.jwk["n"])[1:])})),
            "the key once more in the header": (None, self.of(header={"jwk": {**jwk, "kid": "1"}})),
            "another key in the header": ("subject_mismatch", self.of(header={"jwk": OTHER.jwk})),
            "the key's URN beside the key": (None, {"id_token": signed(self.seed(sub=URN + EC.thumbprint))}),
            "a key as issuer that is none": ("key_invalid", {"id_token": signed(self.seed(iss="{", user_id="{"))}),
            "a list with us and a number": ("aud_mismatch", self.of(aud=[1, self.return_uri])),
            "a list with us": (None, self.of(aud=["https://other.example/", self.return_uri])),
            "userinfo in order": (None, self.userinfo()),
            "userinfo of the thumbprint": (None, self.userinfo(sub=EC.thumbprint)),
            "userinfo of the thumbprint's URN": (None, self.userinfo(sub=urn)),
            "userinfo of the key": (None, self.userinfo(sub=EC.canonical)),
            "userinfo of the same name": (None, self.userinfo(beside=v2, sub=urn)),
            "userinfo of the thumbprint beside its URN": (
                "userinfo_subject_mismatch", self.userinfo(beside=v2, sub=EC.thumbprint)),
            "userinfo of the URN beside the thumbprint": (
                "userinfo_subject_mismatch", self.userinfo(beside=self.core(), sub=urn)),
            "userinfo of the issuer": ("userinfo_subject_mismatch", self.userinfo(beside=self.core(), sub=CORE)),
            "userinfo of another name for the key": (
                "userinfo_subject_mismatch", self.userinfo(beside=self.seed(sub=urn), sub=EC.thumbprint)),
            "userinfo of somebody else": ("userinfo_subject_mismatch", self.userinfo(sub=OTHER.thumbprint)),
            "userinfo with a name that the other lacks": ("userinfo_subject_mismatch", {
                **good, "userinfo_token": signed(self.common(user_id=EC.thumbprint))}),
            "userinfo that nobody signed": ("userinfo_signature_invalid", self.userinfo(
                header={"alg": "none"}, signature=b"")),
            "userinfo that is no token": ("userinfo_signature_invalid", self.userinfo("a.b")),
            "userinfo that is over": ("expired", self.userinfo(exp=self.now - 100)),
        }


ROWS = list(Writer(RETURN_URI).rows())


@pytest.fixture(scope="module")
def rows():
    """Made when the tests run: collecting them may be long ago by then."""
    return Writer(RETURN_URI).rows()


@pytest.mark.parametrize("name", ROWS)
def test_the_judge_is_strict(rows, name):
    expected, answer = rows[name]
    if expected is None:
        assert check(answer, [RETURN_URI], NONCE)["thumbprint"] == EC.thumbprint
    else:
        with pytest.raises(Refused) as refused:
            check(answer, [RETURN_URI], NONCE)
        assert str(refused.value) == expected


def test_the_service_decides_about_them_as_the_judge_does(demo):
    headers = {"Authorization": f"Bearer {demo.facts['admin_token']}"}
    for name, (expected, answer) in Writer(f"{demo.base}/self-issued/callback").rows().items():
        texts = {name: value for name, value in answer.items() if isinstance(value, str)}
        told = demo.send("POST", "/api/admin/explain", headers, {"kind": "self_issued", "nonce": NONCE, **texts}).json()
        assert (told["passes"], told.get("reason")) == (expected is None, expected), name
