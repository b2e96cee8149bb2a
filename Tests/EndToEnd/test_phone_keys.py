"""An app that its user is signed in to links a phone's key to the account (contract §10; ADR-0044)."""

import subprocess
import time
from pathlib import Path

import pytest
from joserfc import jwk, jwt

import phone
import wire
from desktop import Desktop, sign_in_by_hand
from native import App
from phone import LINK_NONCE, LINKS, code_of
from selfissued import Browser, Phone


@pytest.fixture
def app(demo) -> App:
    app = App(demo)
    app.sign_in("openid profile")
    return app


def bearer(app: App) -> dict:
    return {"Authorization": f"Bearer {app.tokens['access_token']}"}


def invite(app: App) -> dict:
    answer = app.demo.send("GET", LINK_NONCE, bearer(app))
    assert answer.status == 200, answer.text
    return answer.json()


def link(app: App, proof: str) -> wire.Answer:
    return app.demo.send("POST", LINKS, bearer(app), {"proof": proof})


def prove(holder: Phone, invitation: dict, **changes) -> str:
    return holder.sign({"aud": invitation["aud"], "nonce": invitation["nonce"], "iat": int(time.time()),
                        "sub_jwk": holder.jwk, **changes})


@pytest.mark.parametrize("kind", ["EC", "RSA", "OKP"])
def test_a_linked_key_signs_its_user_in(demo, app, kind):
    holder = Phone(kind)
    invitation = invite(app)
    assert invitation["aud"] == demo.base + LINKS and invitation["expires_in"] == 300
    linked = link(app, prove(holder, invitation))
    assert linked.status == 201 and linked.json() == {"thumbprint": holder.thumbprint, "alg": holder.alg}
    browser = Browser(demo)
    request = browser.start()
    assert browser.respond(holder.answer(request)).status == 200
    session = browser.session()
    assert session["sub"] == demo.user("alice")["sub"] and session["origin"] == "self_issued"
    event = demo.audit("self_issued.linked")[-1]
    assert (event["reason"], event["client_id"]) == ("app", "demo-app")


def test_no_app_but_the_one_that_was_named_gets_a_nonce(demo):
    other = App(demo, "demo-app-b", callback="com.example.demob:/callback")
    other.sign_in("openid profile")
    answer = demo.send("GET", LINK_NONCE, bearer(other))
    assert answer.status == 403 and answer.json()["error"] == "unauthorized_client"
    assert link(other, "x.y.z").status == 403


def test_nobody_without_a_bearer_and_no_backends_bearer_links(demo):
    assert demo.send("GET", LINK_NONCE).status == 401
    assert demo.send("POST", LINKS, None, {"proof": "x"}).status == 401
    for method, path, body in [("GET", LINK_NONCE, None), ("POST", LINKS, {"proof": "x"})]:
        answer = demo.send(method, path, {"Authorization": f"Bearer {demo.bearer()}"}, body)
        assert answer.status == 403, answer.text
        assert answer.json()["error_description"] == "only an app that its user signed in to here may link a phone's key"


def test_attack_a_website_brings_what_a_phone_signed_for_it(demo, app):
    """The thief's nonce, relayed as that of a sign-in: what the phone signs has iss, and another audience."""
    holder = Phone()
    invitation = invite(app)
    request = {**Browser(demo).start(), "nonce": invitation["nonce"]}
    for form in ["seed2012", "core7", "siopv2", "siopv2-legacy"]:
        answer = link(app, holder.id_token(request, form))
        assert answer.status == 400 and answer.json()["error"] == "not_key_proof", answer.text
    assert link(app, prove(holder, invitation, aud=request["client_id"])).json()["error"] == "aud_mismatch"


def test_attack_another_users_nonce(demo, app):
    other = App(demo, user="bob")
    other.sign_in("openid profile")
    answer = link(app, prove(Phone(), invite(other)))
    assert answer.status == 400 and answer.json()["error"] == "nonce_mismatch"


def test_a_malformed_proof_is_told_as_a_proof(app):
    answer = link(app, "x")
    assert (answer.status, answer.json()["error"]) == (400, "malformed")
    assert "proof" in answer.json()["error_description"] and "ID token" not in answer.json()["error_description"]


@pytest.mark.parametrize("body", [{}, {"proof": 1}, {"proof": {}}, {"proof": "x", "sub": "bob"}, [], "x"])
def test_a_malformed_body_is_a_clear_error(app, body):
    answer = app.demo.send("POST", LINKS, bearer(app), body)
    assert answer.status == 400, answer.text
    assert answer.json()["error"] in ("invalid_request", "malformed")


def test_the_desktop_app_links_the_key_of_any_program(demo, tmp_path):
    """`--with` gives the code to a program, here one of another maker, and brings what that prints."""
    desktop = Desktop(demo, tmp_path)
    sign_in_by_hand(demo, desktop)
    holder = tmp_path / "holder"
    holder.write_text(f"""#!{subprocess.sys.executable}
import sys, time
from urllib.parse import parse_qs, urlsplit
sys.path.insert(0, {str(Path(__file__).parent)!r})
from selfissued import Phone
code = urlsplit(sys.argv[-1])
holder = Phone()
print(holder.sign({{"aud": code._replace(query="").geturl(), "nonce": parse_qs(code.query)["nonce"][0],
                   "iat": int(time.time()), "sub_jwk": holder.jwk}}))
print(holder.thumbprint, file=open({str(tmp_path / "thumbprint")!r}, "w"))
""")
    holder.chmod(0o755)
    said = desktop.run("link-phone", "--with", str(holder))
    assert (tmp_path / "thumbprint").read_text().strip() in said


@pytest.mark.parametrize("command, status", [
    ("sh -c 'exit 10'", 10), ("sh -c 'kill -9 $$'", 137), ("no-such-program-of-a-phone", 127), ("true", 1), (None, 4)])
def test_the_desktop_app_ends_as_the_phones_program_did_that_gave_no_proof(demo, tmp_path, command, status):
    desktop = Desktop(demo, tmp_path)
    sign_in_by_hand(demo, desktop)
    more = ["--with", command] if command else []
    assert "nothing was linked" in desktop.run("link-phone", *more, status=status)


def test_our_phone_proves_its_key_and_another_implementation_believes_it(tmp_path):
    owner = phone.Phone(tmp_path, None)
    for _ in range(2):
        proof = owner.run("register", "--code", code_of(), "--yes").stdout.strip()
        shown = owner.run("keys", "show", "https://rp.example/").stdout
        key = jwk.import_key(__import__("json").loads(shown)["jwk"])
        claims = jwt.decode(proof, key, algorithms=["ES256"]).claims
        assert set(claims) == {"aud", "nonce", "iat", "sub_jwk"}
        assert (claims["aud"], claims["nonce"]) == (f"https://rp.example{LINKS}", "n" * 22)
        assert abs(claims["iat"] - time.time()) < 60
    assert len(owner.keys()) == 1


def test_our_phone_asks_and_a_no_makes_no_key(tmp_path):
    owner = phone.Phone(tmp_path, None)
    said = owner.run("register", "--code", code_of(), status=10, typed="n\n")
    assert "rp.example" in said.stderr and said.stdout == "" and owner.keys() == []
    assert owner.run("register", "--code", code_of(), typed="y\n").stdout.count(".") == 2


@pytest.mark.parametrize("code", [
    "x", "http://rp.example/api?nonce=nnnnnnnn&client_id=https%3A%2F%2Frp.example%2F",
    code_of(client="https://other.example/"), code_of(client="https://rp.example:444/"), code_of(nonce="short"),
    code_of(nonce="n" * 257), code_of() + "&nonce=twice", code_of() + "%zz",
], ids=range(8))
def test_a_code_that_is_none_is_refused_by_name(tmp_path, code):
    owner = phone.Phone(tmp_path, None)
    refused = owner.run("register", f"--code={code}", "--yes", status=4 if "short" in code or "n" * 257 in code else 2)
    assert refused.stdout == "" and owner.keys() == []
