"""Signing in with a key that the user's phone holds: the phone is joserfc's, the attacks have their names."""

import hashlib
import hmac
import html
import json
import re
import time
from urllib.parse import parse_qs, quote, unquote, urlencode, urlsplit

import pytest

import instance
import oauth
import servers
import signing
import tls
import totp
import wire
from accounts import somebody
from admin import Admin, Console
from boundaries import World
from qr import drawn, encoded
from selfissued import Browser, Phone, Trusted, link_of

FORMS = ["seed2012", "core7", "siopv2", "siopv2-legacy"]


def events(demo, kind: str, reason: str | None = None) -> list[dict]:
    return [row for row in instance.audit_rows(demo.data)
            if row["type"] == kind and (reason is None or row["reason"] == reason)]


def refused(demo, answer: wire.Answer, name: str, told: str | None = None):
    """With this error, and in the log for this reason, if that is another."""
    assert answer.status == 400 and answer.json()["error"] == name, answer.body
    assert {"error_description", "error_uri", "request_id"} <= set(answer.json())
    page = demo.send("GET", urlsplit(answer.json()["error_uri"]).path)
    assert answer.json()["error_uri"] == f"{demo.base}/errors/{name}" and page.status == 200, "contract §11"
    assert f"<h1><code>{name}</code></h1>" in page.text
    row = events(demo, "self_issued.refused", told or name)[-1]
    assert row["request_id"] == answer.json()["request_id"] and row["outcome"] == "failure"


def new_account(demo, phone: Phone) -> tuple[Browser, str]:
    browser = Browser(demo)
    assert browser.respond(phone.answer(browser.start())).json()["location"] == "/self-issued/choice"
    answer = browser.submit(browser.request("GET", "/self-issued/choice"), 0)
    assert answer.status == 303, answer.text
    return browser, browser.session()["sub"]


@pytest.fixture(scope="module")
def secure(tmp_path_factory):
    """A demo over TLS."""
    certificate, key = tls.certificate(tmp_path_factory.mktemp("tls"))
    demo = instance.Demo("--no-limits", "--tls-certificate", str(certificate), "--tls-key", str(key))
    yield Trusted(demo, certificate)
    assert demo.stop() == 0, demo.output[-4000:]


# The main road


def test_the_request_file_is_there_for_every_phone(demo):
    answer = demo.send("GET", "/self-issued/request.json")
    file = answer.json()
    assert file["response_type"] == "token id_token userinfo" and file["client_id"] == demo.base + "/"
    assert file["redirect_uri"] == demo.base + "/self-issued/callback"
    assert file["userinfo"]["claims"] == {"email": None, "name": None, "picture": None}
    assert file["registration"]["claims"]["redirect_uris"] == file["redirect_uri"]
    assert file["registration"]["redirect_uris"] == [file["redirect_uri"]]
    associated = file["registration"]["claims"]
    assert set(associated) == {
        "type", "contacts", "application_name", "logo_url", "policy_url", "redirect_uris"}, "the members of 2012"
    assert file["registration"]["logo_uri"] == associated["logo_url"]
    assert file["registration"]["policy_uri"] == associated["policy_url"]
    for name, kind in [("logo_url", "image/svg+xml"), ("policy_url", "text/html")]:
        assert associated[name].startswith(demo.base + "/")
        there = demo.send("GET", associated[name].removeprefix(demo.base))
        assert there.status == 200 and there.header("Content-Type").startswith(kind)
    assert not answer.all("Set-Cookie") and answer.header("Cache-Control") == "public, max-age=300"
    assert demo.send("HEAD", "/self-issued/request.json").status == 200
    again = demo.send("GET", "/self-issued/request.json", {"If-None-Match": answer.header("ETag")})
    assert again.status == 304


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", ["EC", "RSA", "OKP"])
def test_a_linked_phone_signs_in_in_every_form(demo, form, kind):
    phone, owner = Phone(kind), Browser(demo)
    owner.sign_in("alice")
    owner.link(phone)
    browser = Browser(demo)
    request = browser.start("?return=%2Faccount%2Fprofile")
    answer = browser.respond(phone.answer(request, form))
    assert answer.status == 200 and answer.json() == {"location": "/account/profile"}, answer.body
    session = browser.session()
    assert session["sub"] == demo.user("alice")["sub"] and session["origin"] == "self_issued"
    assert session["amr"] == ["self_issued", "pop"] and session["acr"] == "aal1"
    signed_in = events(demo, "user.signed_in", "self_issued")[-1]
    assert signed_in["subject"] == session["sub"]


@pytest.mark.parametrize("form,start", [("seed", "seed2012"), ("core", "core7"), ("v2", "siopv2"), ("auto", "seed2012")])
def test_the_link_is_written_in_the_form_that_is_asked_for(demo, form, start):
    phone, browser = Phone(), Browser(demo)
    request = browser.start(f"?form={form}")
    if form in ("core", "v2"):
        assert request["client_id"] == demo.base + "/self-issued/callback" and request["response_type"] == "id_token"
    assert browser.respond(phone.answer(request, start)).json()["location"] == "/self-issued/choice"


def test_who_is_new_gets_an_account_that_knows_nothing_and_is_found_again(demo):
    phone = Phone()
    browser, subject = new_account(demo, phone)
    assert subject not in [user["sub"] for user in demo.facts["users"]]
    again = Browser(demo)
    assert again.respond(phone.answer(again.start(), "core7")).json() == {"location": "/contacts"}
    assert again.session()["sub"] == subject
    admin = {"Authorization": f"Bearer {demo.facts['admin_token']}"}
    user = demo.send("GET", f"/api/admin/users/{subject}", admin).json()
    assert "email" not in user and "username" not in user and "display_name" not in user


def test_an_e_mail_address_finds_nobody(demo):
    phone, browser = Phone(), Browser(demo)
    answer = browser.respond(phone.answer(browser.start(), told={"email": "alice@example.com", "name": "Alice"}))
    assert answer.json() == {"location": "/self-issued/choice"}
    page = browser.request("GET", "/self-issued/choice")
    assert "alice@example.com" in page.text
    browser.submit(page, 0, told="yes")
    session = browser.session()
    assert session["sub"] != demo.user("alice")["sub"]
    admin = {"Authorization": f"Bearer {demo.facts['admin_token']}"}
    user = demo.send("GET", f"/api/admin/users/{session['sub']}", admin).json()
    assert "email" not in user and "display_name" not in user, "a note of the key, not the account's"
    told = browser.request("GET", "/auth/check?identity=name,email")
    assert told.status == 200 and told.header("X-Auth-Email") is None and told.header("X-Auth-Name") is None
    assert "Alice, alice@example.com" in browser.request("GET", "/account/phone-keys").text


def test_who_has_an_account_signs_in_and_links_the_phone(demo):
    phone, browser = Phone(), Browser(demo)
    browser.respond(phone.answer(browser.start()))
    answer = browser.submit(browser.request("GET", "/self-issued/choice"), 1)
    assert answer.header("Location") == demo.base + "/sign-in?redirect=%2Faccount%2Fphone-keys"
    page = browser.sign_in("bob")
    assert 'id="offered"' in page.text and phone.thumbprint[:4] in page.text
    assert browser.submit(page, 0, what="link").status == 303
    other = Browser(demo)
    assert other.respond(phone.answer(other.start())).json() == {"location": "/contacts"}
    assert other.session()["sub"] == demo.user("bob")["sub"]


@pytest.mark.parametrize("fields", [{}, {"told": "yes"}])
def test_what_the_phone_told_is_kept_with_a_key_that_is_linked_where_its_user_says_so(demo, fields):
    phone, browser = Phone(), Browser(demo)
    browser.respond(phone.answer(browser.start(), told={"email": "bobby@example.com", "name": "Bobby", "picture": "x"}))
    browser.submit(browser.request("GET", "/self-issued/choice"), 1)
    page = browser.sign_in("bob")
    assert "<strong>Bobby</strong>" in page.text and "<strong>bobby@example.com</strong>" in page.text
    assert re.search(r'<input type="checkbox" name="told" value="yes">', page.text), "and it is not ticked"
    assert browser.submit(page, 0, what="link", **fields).status == 303
    entry = browser.request("GET", "/account/phone-keys").text.partition(f'id="about-{phone.thumbprint}"')[2]
    assert ("Bobby, bobby@example.com" in entry.partition("</p>")[0]) == bool(fields)
    told = browser.request("GET", "/auth/check?identity=name,email")
    assert told.status == 200 and "Bobby" not in str(told.headers), "nothing of it is the account's"


def test_attack_a_page_that_showed_one_key_links_another(demo):
    """A second tab's sign-in puts another proof into the cookie that both have."""
    def parked(phone: Phone, **told) -> str:
        browser = Browser(demo)
        browser.respond(phone.answer(browser.start(), told=told))
        return browser.cookies["__Host-siop_proof"]

    shown, other, browser = Phone(), Phone(), Browser(demo)
    browser.cookies["__Host-siop_proof"] = parked(shown, name="Bobby")
    page = browser.sign_in("bob")
    for proof in [parked(other, name="Mallory"), parked(shown, name="Mallory")]:
        browser.cookies["__Host-siop_proof"] = proof
        again = browser.submit(page, 0, what="link", told="yes")
        assert again.status == 400 and "<strong>Mallory</strong>" in again.text and 'id="link"' in again.text
        kept = Browser(demo)
        kept.sign_in("bob")
        keys = kept.request("GET", "/account/phone-keys").text
        assert all(phone.thumbprint not in keys for phone in [shown, other])
    assert browser.submit(again, 0, what="link", told="yes").status == 303
    entry = browser.request("GET", "/account/phone-keys").text.partition(f'id="about-{shown.thumbprint}"')[2]
    assert "Mallory" in entry.partition("</p>")[0], "what the last page showed"


def test_a_phone_that_was_asked_to_link_has_nothing_kept_that_nobody_ticked(demo):
    phone, browser = Phone(), Browser(demo)
    browser.sign_in("bob")
    assert browser.respond(
        phone.answer(browser.start("?link=1"), told={"name": "Bobbie"})).json()["location"].endswith("?linked")
    page = browser.request("GET", "/account/phone-keys").text
    assert phone.thumbprint in page and "Bobbie" not in page


def test_an_app_gets_its_code_after_a_sign_in_by_phone(secure):
    phone, owner = Phone(), Browser(secure)
    owner.sign_in("alice")
    owner.link(phone)
    browser = Browser(secure)
    page = browser.request("GET", "/oauth/authorize?response_type=code&client_id=demo-rp&scope=openid&state=s"
                                  "&redirect_uri=https%3A%2F%2Frp.example.com%2Fcallback")
    assert page.status == 303
    page = browser.request("GET", page.header("Location").removeprefix(secure.base))
    link = html.unescape(re.search(r'id="self-issued" href="(/self-issued/start[^"]*)"', page.text)[1])
    request = browser.start(link.removeprefix("/self-issued/start"))
    location = browser.respond(phone.answer(request)).json()["location"]
    assert location.startswith("/oauth/authorize?journey=")
    answer = browser.request("GET", location)
    # Consent is asked for once: alice may have been asked before.
    assert ("Demo relying party" in answer.text if answer.status == 200 else
            answer.header("Location").startswith("https://rp.example.com/callback?code=")), answer


def test_a_request_as_long_as_its_rules_allow_is_answered_after_the_sign_in_of_a_new_phone(secure):
    """docs/rules/authorization-request.md A9. Such a journey is longer than the cookies that browsers keep."""
    phone, browser, state = Phone(), Browser(secure), "/" * 4096
    page = browser.request("GET", "/oauth/authorize?" + urlencode({
        "response_type": "code", "client_id": "demo-rp", "redirect_uri": "https://rp.example.com/callback",
        "scope": "openid", "state": state}))
    page = browser.request("GET", page.header("Location").removeprefix(secure.base))
    link = html.unescape(re.search(r'id="self-issued" href="(/self-issued/start[^"]*)"', page.text)[1])
    request = browser.start(link.removeprefix("/self-issued/start"))
    location = browser.respond(phone.answer(request)).json()["location"]
    assert location.startswith("/self-issued/choice?journey=") and len(browser.cookies["__Host-siop_proof"]) < 4000
    answer = browser.submit(browser.request("GET", location), 0)
    assert answer.status == 303, answer.text
    page = browser.request("GET", answer.header("Location").removeprefix(secure.base))
    number = next(number for number, form in enumerate(oauth.Forms(page.text).forms)
                  if (form["action"] or "").startswith("/oauth/consent"))
    assert parse_qs(urlsplit(browser.submit(page, number).header("Location")).query)["state"] == [state]


def test_declining_signs_nobody_in(demo):
    browser = Browser(demo)
    request = browser.start()
    answer = browser.respond({"error": "access_denied", "state": request["state"]})
    refused(demo, answer, "op_error", told="declined_on_phone")
    assert not browser.session()["authenticated"]


# Linking


def test_linking_takes_a_sign_in_of_the_last_minutes(demo):
    browser = Browser(demo)
    answer = browser.request("GET", "/self-issued/start?link=1")
    assert answer.status == 303 and "/sign-in?redirect=%2Faccount%2Fphone-keys" in answer.header("Location")


def test_a_key_of_another_user_is_not_linked(demo):
    phone = Phone()
    for name, outcome in [("alice", 200), ("bob", 400)]:
        browser = Browser(demo)
        browser.sign_in(name)
        answer = browser.respond(phone.answer(browser.start("?link=1")))
        assert answer.status == outcome
    refused(demo, answer, "linked_elsewhere")


def test_an_unlinked_key_is_refused_for_ever_and_what_it_opened_has_ended(demo):
    phone, thief, owner = Phone(), Browser(demo), Browser(demo)
    owner.sign_in("alice")
    owner.link(phone)
    assert thief.respond(phone.answer(thief.start())).status == 200 and thief.session()["authenticated"]
    page = owner.request("GET", "/account/phone-keys")
    number = next(number for number, form in enumerate(oauth.Forms(page.text).forms)
                  if form["fields"].get("key") == phone.thumbprint)
    assert "unlinked" in owner.submit(page, number).text
    instance.wait_until(lambda: not thief.session()["authenticated"], 15, "the thief's session to end")
    refused(demo, thief.respond(phone.answer(thief.start())), "subject_revoked")
    refused(demo, owner.respond(phone.answer(owner.start("?link=1"))), "subject_revoked")


def test_whoever_changes_his_password_is_told_of_the_keys_that_stay(demo):
    person = {"username": "keys-stay", "password": "an old pudding of plums"}
    made = Admin(demo).send("POST", "users", json.dumps(person), {"Content-Type": "application/json"})
    assert made.status == 201, made.body
    browser = Browser(demo)
    page = browser.request("GET", "/sign-in?redirect=%2Faccount%2Fphone-keys")
    assert browser.submit(page, **person).status == 303
    browser.link(Phone())
    page = browser.request("GET", "/account/password")
    assert 'id="keys-stay"' not in page.text
    new = "another pudding of plums"
    changed = browser.submit(page, password=person["password"], new_password=new, again=new)
    assert changed.status == 303 and changed.header("Location").endswith("/account/password?changed"), changed.text
    assert 'id="keys-stay"' in browser.request("GET", "/account/password?changed").text


def test_the_desk_unlinks_a_thiefs_key_and_what_it_opened_has_ended(demo):
    phone, thief, owner = Phone(), Browser(demo), Browser(demo)
    sub = demo.user("alice")["sub"]
    owner.sign_in("alice")
    owner.link(phone)
    assert thief.respond(phone.answer(thief.start())).status == 200 and thief.session()["authenticated"]
    path = f"users/{sub}/phone-keys/{phone.thumbprint}"
    assert Admin(demo).send("DELETE", path, {"reason": "stolen"}).status == 204
    assert Admin(demo).send("DELETE", path).status == 404
    instance.wait_until(lambda: not thief.session()["authenticated"], 15, "the thief's session to end")
    refused(demo, thief.respond(phone.answer(thief.start())), "subject_revoked")
    detail = json.loads(demo.audit("self_issued.unlinked")[-1]["detail"])
    assert detail["thumbprint"] == phone.thumbprint and detail["actor"].startswith("client:"), detail
    _, alone = new_account(demo, only := Phone())
    assert Admin(demo).send("DELETE", f"users/{alone}/phone-keys/{only.thumbprint}").status == 409


def test_the_console_unlinks_a_key(demo):
    phone, owner = Phone(), Browser(demo)
    owner.sign_in("bob")
    owner.link(phone)
    desk = Browser(demo)
    desk.sign_in("admin")
    page = desk.request("GET", f"/admin/users/{demo.user('bob')['sub']}")
    number = next(number for number, form in enumerate(oauth.Forms(page.text).forms)
                  if form["action"].endswith(f"/phone-keys/{phone.thumbprint}"))
    assert desk.submit(page, number).status == 400, "a reason is needed"
    assert desk.submit(page, number, reason="stolen").status == 303
    assert phone.thumbprint not in desk.request("GET", f"/admin/users/{demo.user('bob')['sub']}").text


def test_the_only_way_in_stays(demo):
    phone = Phone()
    browser, _ = new_account(demo, phone)
    page = browser.request("GET", "/account/phone-keys")
    answer = browser.submit(page, 0)
    assert answer.status == 409 and "only way" in answer.text
    again = Browser(demo)
    assert again.respond(phone.answer(again.start())).status == 200


# Attacks


@pytest.fixture
def linked(demo):
    phone, owner = Phone(), Browser(demo)
    owner.sign_in("alice")
    owner.link(phone)
    return phone


def test_relayed_nonce(demo, linked):
    """Another website shows our nonce to the phone: the phone names that website."""
    browser = Browser(demo)
    request = browser.start()
    evil = {**request, "client_id": "https://evil.example/", "redirect_uri": "https://evil.example/callback"}
    refused(demo, browser.respond({**linked.answer(evil), "state": request["state"]}), "aud_mismatch")
    # And a nonce of another sign-in of ours.
    first, second = browser.start(), browser.start()
    refused(demo, browser.respond(linked.answer({**second, "nonce": first["nonce"]})), "nonce_mismatch")
    assert not browser.session()["authenticated"]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("audience", [None, [], "https://evil.example/", "", 7])
def test_foreign_aud(demo, linked, form, audience):
    browser = Browser(demo)
    request = browser.start()
    token = linked.id_token(request, form, aud=audience)
    refused(demo, browser.respond({"state": request["state"], "id_token": token}), "aud_mismatch")


@pytest.mark.parametrize("token", ["id_token", "userinfo_token"])
def test_an_answer_with_the_members_of_2012_alone_is_refused_for_want_of_an_audience(demo, linked, token):
    """Its description names no `aud`. Without one another website could show our nonce to the phone, and hand on the
    answer."""
    browser = Browser(demo)
    request = browser.start()
    now, key = int(time.time()), {"iss": linked.canonical, "user_id": linked.canonical}
    bare = {"id_token": {**key, "nonce": request["nonce"], "iat": now, "exp": now + 300}, "userinfo_token": key}
    refused(demo, browser.respond({**linked.answer(request), token: linked.sign(bare[token])}), "aud_mismatch")
    assert not browser.session()["authenticated"]


def test_other_browser_answers(demo, linked):
    """Login CSRF: the attacker's answer, put into the victim's browser; and one without any cookie."""
    attacker, victim = Browser(demo), Browser(demo)
    victim.start()
    refused(demo, victim.respond(linked.answer(attacker.start())), "browser_mismatch")
    stranger = Browser(demo)
    refused(demo, stranger.respond(linked.answer(attacker.start())), "browser_mismatch")
    assert not victim.session()["authenticated"] and not stranger.session()["authenticated"]


def test_replayed_response(demo, linked):
    browser = Browser(demo)
    request = browser.start()
    answer = linked.answer(request)
    kept = dict(browser.cookies)
    assert browser.respond(answer).status == 200
    browser.cookies = kept
    refused(demo, browser.respond(answer), "state_unknown")
    refused(demo, browser.respond({**answer, "state": browser.start()["state"]}), "nonce_mismatch")


def test_a_wrong_answer_uses_the_transaction_up(demo, linked):
    browser = Browser(demo)
    request = browser.start()
    refused(demo, browser.respond({**linked.answer(request), "id_token": "a.b"}), "malformed")
    refused(demo, browser.respond(linked.answer(request)), "state_unknown")


def test_alg_confusion(demo, linked):
    def b64(value) -> str:
        raw = value if isinstance(value, bytes) else json.dumps(value).encode()
        return signing.b64url(raw)

    browser = Browser(demo)
    for alg in ["none", "HS256", "RS256", "es256", "ES384", "Ed25519", None, 7]:
        request = browser.start()
        claims = linked.id_token(request, "core7").split(".")[1]
        message = b64({"alg": alg} if alg is not None else {}) + "." + claims
        signature = hmac.digest(linked.canonical.encode(), message.encode(), hashlib.sha256) if alg == "HS256" else b""
        refused(demo, browser.respond({"state": request["state"], "id_token": f"{message}.{b64(signature)}"}),
                "alg_not_allowed")


def test_private_key_in_sub_jwk(demo, linked):
    browser = Browser(demo)
    request = browser.start()
    token = linked.id_token(request, "core7", sub_jwk=linked.key.as_dict(private=True))
    refused(demo, browser.respond({"state": request["state"], "id_token": token}), "key_private")
    # It is nowhere in the log.
    assert linked.key.as_dict(private=True)["d"] not in json.dumps(instance.audit_rows(demo.data), default=str)


def test_another_key_under_the_victims_subject(demo, linked):
    thief, browser = Phone(), Browser(demo)
    for claims in [{"sub": linked.thumbprint}, {"sub_jwk": linked.jwk}, {"sub": linked.thumbprint, "sub_jwk": linked.jwk}]:
        request = browser.start()
        token = thief.id_token(request, "core7", **claims)
        answer = browser.respond({"state": request["state"], "id_token": token})
        assert answer.status == 400 and answer.json()["error"] in ("subject_mismatch", "signature_invalid")
    request = browser.start()
    claims = json.loads(signing.unb64url(linked.id_token(request, "core7").split(".")[1]))
    token = thief.sign(claims, jwk=thief.jwk)
    answer = browser.respond({"state": request["state"], "id_token": token})
    assert answer.json()["error"] == "subject_mismatch"


def test_a_refusal_is_recorded_with_the_key_once_it_is_sure_who_signed(demo, linked):
    browser = Browser(demo)
    for name, claims in [("aud_mismatch", {"aud": "https://elsewhere.example/"}), ("nonce_mismatch", {"nonce": "another"}),
                         ("expired", {"exp": 1_700_000_000})]:
        request = browser.start()
        token = linked.id_token(request, "core7", **claims)
        refused(demo, browser.respond({"state": request["state"], "id_token": token}), name)
        assert json.loads(events(demo, "self_issued.refused", name)[-1]["detail"]) == {"thumbprint": linked.thumbprint}
    request = browser.start()
    token = linked.id_token(request, "core7")
    other = Phone().id_token(request, "core7").split(".")[2]
    forged = ".".join([*token.split(".")[:2], other])
    refused(demo, browser.respond({"state": request["state"], "id_token": forged}), "signature_invalid")
    assert events(demo, "self_issued.refused", "signature_invalid")[-1]["detail"] is None


def test_an_answer_with_a_parameter_that_comes_twice_is_refused_and_uses_nothing_up(demo, linked):
    browser = Browser(demo)
    answer = urlencode(linked.answer(browser.start()))
    for more in ["&state=x", "&id_token=x", "&unheard_of=1&unheard_of=2"]:
        got = browser.respond(answer + more)
        assert got.status == 400 and got.json()["error"] == "invalid_request"
    # Refused before anything was looked at: the sign-in itself is still good.
    assert browser.respond(answer).status == 200


@pytest.mark.parametrize("more", ["access_token=%ff", "userinfo_token=%ff", "error=%ff", "%ff=1"])
def test_rfc_6749_appendix_b_an_answer_that_is_no_text_is_refused_before_anything_is_looked_at(demo, linked, more):
    browser = Browser(demo)
    answer = urlencode(linked.answer(browser.start(), "core7", at_hash="A" * 22))
    for send in [browser.respond, lambda form: demo.send("POST", "/self-issued/post", {"Content-Type": wire.FORM}, form)]:
        got = send(f"{answer}&{more}")
        assert (got.status, got.json().get("error")) == (400, "invalid_request")
    assert browser.respond(answer).status == 200


@pytest.mark.parametrize("site,origin", [
    ("cross-site", None), ("same-site", None), ("none", None), ("same-origin", "https://evil.example"),
    ("same-origin", "null")])
def test_sec_fetch_site_cross_site(demo, linked, site, origin):
    browser = Browser(demo)
    answer = linked.answer(browser.start())
    got = browser.respond(answer, site=site, **({"Origin": origin} if origin else {}))
    assert got.status == 403 and not browser.session()["authenticated"]
    assert browser.respond(answer).status == 200


def test_the_transaction_cookie_is_strict_and_the_answer_is_not_read_from_a_query(demo, linked):
    browser = Browser(demo)
    browser.start()
    cookie = browser.page.cookies["__Host-siop_tx"]
    assert cookie.attributes["samesite"] == "Strict" and {"secure", "httponly"} <= set(cookie.attributes)
    assert cookie.attributes["path"] == "/" and cookie.attributes["max-age"] == "300" and "domain" not in cookie.attributes
    assert demo.send("GET", "/self-issued/response?id_token=x").status == 405
    assert demo.send("HEAD", "/self-issued/start").status == 405


def test_an_answer_that_is_too_long_or_no_form_is_refused(demo):
    browser = Browser(demo)
    assert browser.respond("state=x&id_token=" + "a" * 65_536).status == 413
    assert browser.respond("{}", **{"Content-Type": "application/json"}).status == 415
    request = browser.start()
    refused(demo, browser.respond({"state": request["state"], "id_token": "a" * 16_385}), "malformed")


@pytest.mark.parametrize("path", ["response", "post"])
def test_what_is_longer_than_any_answer_is_not_read(demo, path):
    longest = "state=x&id_token=" + "a" * (65_536 - len("state=x&id_token="))
    headers = {"Content-Type": wire.FORM}
    assert demo.send("POST", f"/self-issued/{path}", headers, longest).status == 400
    too_long = demo.send("POST", f"/self-issued/{path}", headers, longest + "a")
    assert (too_long.status, too_long.json()["error"]) == (413, "content_too_large"), too_long.body


def test_what_is_no_journey_of_ours_begins_nothing(demo):
    def begun() -> float:
        """Counted once a transaction is stored."""
        return demo.metrics().get('drawbridge_self_issued_total{outcome="started"}', 0)

    before, longest = begun(), "j" * (8192 - len("journey="))
    for query in [f"journey={longest}j", f"journey={longest[:-2]}%C3%BC", f"journey={longest}", "journey=x"]:
        refused = demo.send("GET", f"/self-issued/start?{query}")
        assert refused.status == 400, query[-8:]
        assert "siop_tx" not in "".join(refused.all("Set-Cookie")) and begun() == before


def test_the_open_page_takes_no_foreign_request(demo):
    browser = Browser(demo)
    browser.start()
    link = link_of(browser.page.text, "open-app").removeprefix(demo.base)
    page = demo.send("GET", link)
    assert page.status == 200 and link_of(page.text, "open-scheme").startswith("openid://authz?request_uri=")
    foreign = link.replace(quote(demo.base, safe=""), quote("https://evil.example", safe=""))
    assert foreign != link and demo.send("GET", foreign).status == 400
    for bad in [link + "&state=x", link.replace("state=", "stat="), re.sub("nonce=[^&]*", "nonce=", link)]:
        assert demo.send("GET", bad).status == 400


def test_the_open_page_rebuilds_the_link_from_whatever_a_phone_takes_for_state_and_nonce(demo):
    ours = f"/self-issued/open?request_uri={quote(demo.base + '/self-issued/request.json', safe='')}"
    for state, nonce in [("abc", "def"), ("s" * 1024, "n" * 256), ('"><script>', "'\n&#;ä=%")]:
        page = demo.send("GET", f"{ours}&{urlencode({'state': state, 'nonce': nonce})}")
        assert page.status == 200 and "<script>" not in page.text
        query = parse_qs(urlsplit(link_of(page.text, "open-scheme")).query, strict_parsing=True)
        assert (query["state"], query["nonce"]) == ([state], [nonce])
    for state, nonce in [("s" * 1025, "n"), ("s", "n" * 257), ("", "n")]:
        assert demo.send("GET", f"{ours}&{urlencode({'state': state, 'nonce': nonce})}").status == 400


def test_the_qr_code_holds_the_claimed_link_for_another_device(demo):
    browser = Browser(demo)
    browser.start()
    link = link_of(browser.page.text, "open-app") + "&response_mode=direct_post"
    assert drawn(browser.page.text) in [encoded(link, mask) for mask in range(8)]


def test_the_open_page_has_the_same_code_and_waits_where_the_sign_in_began(demo, linked):
    """B.1: whose app is on no device with this browser still gets on from here."""
    browser = Browser(demo)
    request = browser.start()
    link = link_of(browser.page.text, "open-app").removeprefix(demo.base)
    stranger = demo.send("GET", link)
    page = browser.request("GET", link)
    assert drawn(page.text) == drawn(stranger.text) == drawn(browser.page.text)
    assert "Scan this code only if you opened this page yourself" in page.text
    assert 'id="wait"' in page.text and 'id="wait"' not in stranger.text, "only who began it waits for it"
    warning = "You are about to sign in another screen"
    assert warning in stranger.text and warning not in page.text
    assert post(demo, linked.answer(request)).status == 200
    page = browser.submit(page)
    assert page.status == 200 and "Alice" in page.text
    assert browser.submit(page, 0).header("Location") == demo.base + "/contacts"
    assert browser.session()["sub"] == demo.user("alice")["sub"]


def test_the_open_page_shows_no_code_where_one_was_scanned_and_none_for_a_key_to_be_linked(demo):
    browser = Browser(demo)
    browser.start()
    link = link_of(browser.page.text, "open-app").removeprefix(demo.base)
    assert "<svg" not in browser.request("GET", link + "&response_mode=direct_post").text
    browser.sign_in("alice")
    page = browser.request("GET", "/self-issued/start?link=1")
    link = link_of(page.text, "open-app").removeprefix(demo.base)
    assert "<svg" not in page.text and "<svg" not in browser.request("GET", link).text


def test_the_return_page_has_no_inline_script_and_a_strict_policy(demo):
    page = demo.send("GET", "/self-issued/callback")
    policy = page.header("Content-Security-Policy")
    assert policy == ("default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; "
                      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
    assert page.header("Referrer-Policy") == "no-referrer" and page.header("Cache-Control") == "no-store"
    assert page.header("X-Frame-Options") == "DENY" and page.header("Cross-Origin-Opener-Policy") == "same-origin"
    assert page.header("X-Content-Type-Options") == "nosniff" and not page.all("Set-Cookie")
    assert page.text.count("<script") == 1 and 'src="/assets/self-issued.js"' in page.text
    assert "http://" not in page.text.replace(demo.base, "") and "https://" not in page.text
    assert page.text.count("drawbridge.svg") == 2 and page.header("X-Request-Id") in page.text


def test_the_refused_return_path_becomes_the_default_page(demo, linked):
    browser = Browser(demo)
    request = browser.start("?return=%2F%2Fevil.example")
    assert browser.respond(linked.answer(request)).json() == {"location": "/contacts"}


@pytest.mark.parametrize("query,path", [
    ({"return": "/contacts?q=" + 700 * "="}, "/contacts?q=" + 700 * "="),
    ({"return": "/contacts?" + (1024 - 10) * "&"}, "/contacts?" + (1024 - 10) * "&"),
    ({"return": "/" + 3000 * "a"}, "/contacts"), ({"return": ["/account/a", "/account/b"]}, "/contacts"),
    ("return=/account/a%", "/contacts"), ("return=/account/%zz", "/contacts"), ("return=/account/a&%=1", "/account/a"),
], ids=["much to encode", "as long as can be", "too long", "repeated", "half an escape", "no escape", "beside another"])
def test_contract_10_every_return_path_shows_the_page_and_a_refused_one_becomes_the_default(demo, linked, query, path):
    browser = Browser(demo)
    request = browser.start("?" + (query if isinstance(query, str) else urlencode(query, doseq=True)))
    assert browser.respond(linked.answer(request)).json() == {"location": path}


@pytest.mark.parametrize("query,reason,length", [
    ("return=/" + 3000 * "a", "too_long", 3001), ("return=/" + 1000 * "%ff", "too_long", 1025),
    ("return=/account/a&return=/account/b", "repeated", 10), ("return=&return=/account/b", "repeated", 0),
    ("return=/account/%ff", "malformed", 12),
], ids=["too long", "too long to be kept", "repeated", "empty first", "no text"])
def test_a_return_path_that_is_not_followed_is_in_the_audit_log_when_the_sign_in_lands(
        demo, linked, query, reason, length):
    before = len(events(demo, "redirect.refused"))
    browser = Browser(demo)
    request = browser.start("?" + query)
    assert len(events(demo, "redirect.refused")) == before, "whoever opens the page alone writes nothing"
    assert browser.respond(linked.answer(request)).json() == {"location": "/contacts"}
    [event] = events(demo, "redirect.refused")[before:]
    assert (event["reason"], json.loads(event["detail"])["length"]) == (reason, length)


# From another device


def post(demo, answer: dict, headers: dict | None = None) -> wire.Answer:
    return demo.send("POST", "/self-issued/post", {"Content-Type": wire.FORM, **(headers or {})}, urlencode(answer))


def waiting(browser: Browser, request: dict) -> str:
    cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    return browser.demo.send("GET", f"/self-issued/status?state={request['state']}", {"Cookie": cookie}).json()["state"]


def test_direct_post_of_a_linked_phone_signs_the_waiting_browser_in_and_goes_no_further(demo, linked):
    browser = Browser(demo)
    request = browser.start()
    page = browser.page
    assert waiting(browser, request) == "waiting"
    assert post(demo, linked.answer(request, "siopv2")).json() == {}
    assert waiting(browser, request) == "answered" and waiting(Browser(demo), request) == "over"
    page = browser.submit(page)
    assert page.status == 200 and "Alice" in page.text and not browser.session()["authenticated"]
    answer = browser.submit(page, 0)
    assert answer.status == 303 and answer.header("Location") == demo.base + "/contacts"
    session = browser.session()
    assert session["sub"] == demo.user("alice")["sub"] and session["origin"] == "device_code"
    # It opens no console, links no phone and grants no app (contract §16.2, §16.4).
    assert browser.request("GET", "/self-issued/start?link=1").status == 303
    assert browser.request("GET", "/admin/").status == 303
    asked = browser.request("GET", "/oauth/authorize?response_type=code&client_id=demo-app&scope=openid&state=s"
                                   "&code_challenge_method=S256&code_challenge=" + signing.challenge("v" * 43) +
                                   "&redirect_uri=com.example.demo%3A%2Fcallback")
    assert "com.example.demo" not in (asked.header("Location") or "")


def test_direct_post_of_unknown_subject(demo):
    browser = Browser(demo)
    request = browser.start()
    refused(demo, post(demo, Phone().answer(request)), "subject_unknown")
    assert waiting(browser, request) == "over"


@pytest.mark.parametrize("error", ["access_denied", "user_cancelled"])
def test_contract_10_a_phone_on_another_device_that_declines_is_told_that_it_was_heard(demo, error):
    browser = Browser(demo)
    request = browser.start()
    before = len(events(demo, "self_issued.refused", "declined_on_phone"))
    answer = post(demo, {"error": error, "state": request["state"]})
    assert (answer.status, answer.json()) == (200, {})
    assert waiting(browser, request) == "over"
    [declined] = events(demo, "self_issued.refused", "declined_on_phone")[before:]
    assert json.loads(declined["detail"]) == {"error": error}
    refused(demo, post(demo, {"error": "server_error", "state": browser.start()["state"]}), "op_error")
    assert json.loads(events(demo, "self_issued.refused", "op_error")[-1]["detail"]) == {"error": "server_error"}


@pytest.mark.parametrize("headers", [
    {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Sec-Fetch-Site": "none"},
    {"Origin": "https://evil.example"}, {"Origin": "null"}], ids=str)
def test_contract_10_a_page_of_another_origin_brings_no_answer_for_another_device(demo, linked, headers):
    browser = Browser(demo)
    request = browser.start()
    answer = post(demo, linked.answer(request), headers)
    assert (answer.status, answer.json()["error"]) == (403, "forbidden")
    # Refused before anything was looked at: the sign-in itself is still good.
    assert waiting(browser, request) == "waiting"
    assert post(demo, linked.answer(request)).status == 200


@pytest.mark.parametrize("again", ["the same", "another", "no token", "through a browser"])
def test_direct_post_is_taken_once_and_what_comes_after_it_takes_nothing_away(demo, linked, again):
    browser = Browser(demo)
    request = browser.start()
    page, answer = browser.page, linked.answer(request)
    assert post(demo, answer).status == 200
    match again:
        case "the same":
            second = post(demo, answer)
        case "another":
            second = post(demo, Phone().answer(request))
        case "no token":
            second = post(demo, {"state": request["state"], "id_token": "x"})
        case _:
            second = Browser(demo).respond(answer)
    refused(demo, second, "state_unknown")
    assert waiting(browser, request) == "answered"
    assert browser.submit(browser.submit(page), 0).status == 303 and browser.session()["authenticated"]


def test_an_answer_by_direct_post_is_picked_up_by_the_browser_that_asked_and_once(demo, linked):
    browser, thief = Browser(demo), Browser(demo)
    request, _ = browser.start(), thief.start()
    page = browser.page
    assert post(demo, linked.answer(request)).status == 200
    stolen = thief.submit(thief.page, state=request["state"], what="confirm")
    assert stolen.status == 400 and not thief.session()["authenticated"]
    page = browser.submit(page)
    assert browser.submit(page, 0).status == 303 and browser.session()["authenticated"]
    assert browser.submit(page, 0).status == 400


def test_an_answer_after_another_tab_finished_names_that_as_a_cause(demo):
    """The cookie that both tabs' sign-ins hang on goes with the first that is finished."""
    phone = Phone()
    browser, _ = new_account(demo, phone)
    first, second = browser.start(), browser.start()
    assert browser.respond(phone.answer(first)).status == 200
    answer = browser.respond(phone.answer(second))
    refused(demo, answer, "browser_mismatch")
    assert "another tab" in answer.json()["error_description"]
    assert "another tab of this browser finished first" in demo.send("GET", "/self-issued/callback").text


def test_who_says_that_was_not_me_is_not_signed_in(demo, linked):
    browser = Browser(demo)
    request = browser.start("?return=%2Faccount%2Fprofile")
    page = browser.page
    assert post(demo, linked.answer(request)).status == 200
    page = browser.submit(page)
    assert "<title>Was that you?" in page.text
    declined = browser.submit(page, 1)
    assert declined.status == 303
    assert declined.header("Location") == demo.base + "/sign-in?redirect=%2Faccount%2Fprofile"
    assert waiting(browser, request) == "over" and not browser.session()["authenticated"]
    event = events(demo, "self_issued.refused", "declined_in_browser")[-1]
    assert event["subject"] == demo.user("alice")["sub"]
    assert json.loads(event["detail"]) == {"thumbprint": linked.thumbprint}


def test_a_wrong_code_is_marked_in_its_field(demo):
    """Of an account with a second factor, in a browser in which its user has never signed in."""
    password = "plum duff at noon"
    assert Admin(demo).send("POST", "users", {"username": "coded", "password": password}).status == 201
    phone, owner, browser = Phone(), Browser(demo), Browser(demo)
    owner.submit(owner.request("GET", "/sign-in"), username="coded", password=password)
    owner.link(phone)
    page = owner.request("GET", "/account/second-factor")
    key = re.search(r'<pre id="secret"[^>]*>([A-Z2-7 ]+)<', page.text)[1]
    assert owner.submit(page, code=totp.code(key)).status == 200
    request = browser.start()
    page = browser.page
    assert post(demo, phone.answer(request)).status == 200
    page = browser.submit(page)
    assert 'id="code"' in page.text and "aria-invalid" not in page.text
    wrong = browser.submit(page, 0, code="000000")
    assert wrong.status == 400 and "<title>Error: Was that you?" in wrong.text
    assert 'aria-invalid="true" aria-describedby="notice"' in wrong.text
    assert browser.submit(wrong, 0, code=totp.code(key, 1)).status == 303 and browser.session()["authenticated"]


def asks_for_code(demo, phone: Phone, known: str | None = None) -> bool:
    """Whether a browser, known as it may be, is asked for the second factor when the phone answers on another device."""
    browser = Browser(demo)
    if known:
        browser.cookies["__Host-drawbridge_known"] = known
    request = browser.start()
    page = browser.page
    assert post(demo, phone.answer(request)).status == 200
    page = browser.submit(page)
    assert "<title>Was that you?" in page.text
    asks = 'id="code"' in page.text
    answer = browser.submit(page, 0)
    assert (answer.status, browser.session()["authenticated"]) == ((400, False) if asks else (303, True))
    return asks


@pytest.mark.parametrize("change", ["a new password", "the end of everything"])
def test_attack_a_browser_known_from_before_the_second_factor_is_asked_for_the_code(demo, change):
    user, admin = somebody(demo), Admin(demo)
    fields = {"username": user["username"], "password": user["password"]}
    phone, thief, owner = Phone(), Browser(demo), Browser(demo)
    for browser in (thief, owner):
        assert browser.submit(browser.request("GET", "/sign-in"), **fields).status == 303
    owner.link(phone)
    page = owner.request("GET", "/account/second-factor")
    key = re.search(r'<pre id="secret"[^>]*>([A-Z2-7 ]+)<', page.text)[1]
    assert owner.submit(page, code=totp.code(key)).status == 200
    known = owner.cookies["__Host-drawbridge_known"]
    assert asks_for_code(demo, phone)
    assert asks_for_code(demo, phone, thief.cookies["__Host-drawbridge_known"])
    assert not asks_for_code(demo, phone, known), "the factor was shown in it"
    if change == "a new password":
        assert admin.send("PATCH", f"users/{user['sub']}", {"password": "a better pudding"}).status == 200
    else:
        assert admin.send("DELETE", f"users/{user['sub']}/sessions").status == 204
    assert asks_for_code(demo, phone, known)


@pytest.mark.parametrize("end", ["the desk ends everything", "the desk sets a password", "its user ends everything else"])
def test_attack_an_answer_from_before_the_end_of_everything_signs_nobody_in(demo, end):
    """Whoever answered a code that they were sent sees that it was wrong, and has everything ended."""
    user, admin = somebody(demo), Admin(demo)
    fields = {"username": user["username"], "password": user["password"]}
    phone, thief, owner = Phone(), Browser(demo), Browser(demo)
    for browser in (owner, Browser(demo)):
        assert browser.submit(browser.request("GET", "/sign-in"), **fields).status == 303
    owner.link(phone)

    def answered() -> tuple[dict, wire.Answer]:
        request = thief.start()
        page = thief.page
        assert post(demo, phone.answer(request)).status == 200
        page = thief.submit(page)
        assert "<title>Was that you?" in page.text
        return request, page

    request, page = answered()
    match end:
        case "the desk ends everything":
            assert admin.send("DELETE", f"users/{user['sub']}/sessions").status == 204
        case "the desk sets a password":
            assert admin.send("PATCH", f"users/{user['sub']}", {"password": "a better pudding"}).status == 200
        case _:
            places = owner.request("GET", "/account/devices")
            number = next(number for number, form in enumerate(oauth.Forms(places.text).forms)
                          if form["fields"].get("what") == "others")
            assert owner.submit(places, number).header("Location").endswith("?ended_others")
    assert waiting(thief, request) == "over"
    assert thief.submit(page, 0).status == 400 and not thief.session()["authenticated"]
    assert events(demo, "self_issued.refused", "state_unknown")[-1]["subject"] == user["sub"]
    _, page = answered()
    assert thief.submit(page, 0).status == 303 and thief.session()["authenticated"], "an answer of after it"


def test_linking_is_never_answered_from_another_device(demo):
    owner = Browser(demo)
    owner.sign_in("alice")
    request = owner.start("?link=1")
    assert "<svg" not in owner.page.text
    refused(demo, post(demo, Phone().answer(request)), "cross_device_off")


# What administrators see


def test_explain_says_which_check_decides(demo, linked):
    admin = {"Authorization": f"Bearer {demo.facts['admin_token']}"}
    request = Browser(demo).start()

    def explain(**more) -> dict:
        answer = demo.send("POST", "/api/admin/explain", admin, {"kind": "self_issued", **more})
        assert answer.status == 200, answer.body
        return answer.json()

    good = explain(id_token=linked.id_token(request, "core7"), nonce=request["nonce"])
    assert good["passes"] and good["reason"] is None
    steps = {step["check"]: step["outcome"] for step in good["steps"]}
    assert steps["thumbprint"] == linked.thumbprint and steps["form"] == "core7"
    assert steps["user"] == demo.user("alice")["sub"]
    bad = explain(id_token=linked.id_token(request, "core7", aud="https://evil.example/"))
    assert not bad["passes"] and bad["reason"] == "aud_mismatch"
    assert explain(id_token="x")["reason"] == "malformed"
    # A whole answer as the phone has it.
    whole = {"id_token": linked.id_token(request, "core7"), "token_type": "Bearer", "state": request["state"]}
    for lifetime in ["300", 300]:
        assert explain(**whole, expires_in=lifetime)["passes"]
    declined = explain(error="access_denied", error_description="the user declined", state=request["state"],
                       error_uri="https://phone.example/errors")
    assert declined["reason"] == "op_error"
    assert explain(**whole, error="access_denied")["reason"] == "op_error"
    # Nothing was used up, nothing was written.
    assert explain(id_token=linked.id_token(request, "core7"), nonce=request["nonce"])["passes"]


def test_the_console_explains_a_phones_answer(demo, linked):
    request = Browser(demo).start()
    console = Console(demo)
    token = linked.id_token(request, "core7")
    assert console.explained("self_issued", id_token=token, nonce=request["nonce"]) == (True, None)
    assert console.explained("self_issued", id_token=token, nonce="another") == (False, "nonce_mismatch")
    assert console.explained("self_issued", id_token="nonsense") == (False, "malformed")


def test_the_console_shows_a_users_keys_and_the_counts_are_there(demo, linked):
    assert 'drawbridge_self_issued_total{outcome="signed_in"}' in demo.metrics()
    browser = Browser(demo)
    browser.sign_in("admin")
    page = browser.request("GET", f"/admin/users/{demo.user('alice')['sub']}")
    assert linked.thumbprint in page.text


# Limits and settings


def test_starts_are_limited_by_network(start_demo):
    demo = start_demo()
    answers, began = [], time.monotonic()
    # One comes back every two seconds: a slow machine needs a few more until it is one too many.
    while len(answers) < 300 and 429 not in [answer.status for answer in answers]:
        answers.append(demo.send("GET", "/self-issued/start"))
    statuses = [answer.status for answer in answers]
    assert statuses[:30] == [200] * 30 and statuses[-1] == 429
    assert statuses.count(200) <= 31 + (time.monotonic() - began) / 2
    limited = next(answer for answer in answers if answer.status == 429)
    assert re.search(r"Please wait \d+ (s|min), then try again\.", limited.text) and "from your app" not in limited.text


def test_attack_pictures_on_a_foreign_page_use_up_no_starts(start_demo):
    demo = start_demo()
    picture = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}
    for _ in range(35):
        answer = demo.send("GET", "/self-issued/start", picture)
        assert (answer.status, answer.header("Location")) == (303, f"{demo.base}/sign-in")
    assert demo.send("GET", "/self-issued/start", wire.NAVIGATION).status == 200


def test_it_is_off_until_it_is_switched_on(serve):
    server = serve()
    for path in ["/self-issued/start", "/self-issued/request.json", "/self-issued/callback", "/account/phone-keys"]:
        assert server.send("GET", path).status == 404, path
    assert server.send("POST", "/self-issued/post", {"Content-Type": wire.FORM}, "state=x").status == 404
    assert "/self-issued/" not in server.send("GET", "/sign-in").text


def test_paths_policies_and_forms_are_settings(serve):
    server = serve(settings="""
self_issued:
  enabled: true
  request_path: /rp/rpf.json
  return_path: /rp/authz/callback.php
  forms: [core7]
  unknown_subject: create
  cross_device: off
""")
    phone, browser = Phone(), Browser(server)
    request = browser.start("?form=seed")
    assert request["request_uri"] == server.base + "/rp/rpf.json"
    assert request["redirect_uri"] == server.base + "/rp/authz/callback.php"
    assert server.send("GET", "/rp/authz/callback.php").status == 200 and "<svg" not in browser.page.text
    assert browser.respond(phone.answer(request)).json()["error"] == "not_self_issued"
    answer = browser.respond(phone.answer(browser.start(), "core7"))
    assert answer.json() == {"location": "/contacts"} and browser.session()["authenticated"]
    assert post(server, phone.answer(browser.start(), "core7")).json()["error"] == "cross_device_off"


def test_where_an_app_claims_our_links_linking_keeps_to_the_claimed_link(serve):
    server = serve(settings="""
self_issued:
  enabled: true
  unknown_subject: create
app_links:
  apple: [ABCDE12345.com.example.app]
""")
    browser = Browser(server)
    assert browser.respond(Phone().answer(browser.start())).status == 200 and browser.session()["authenticated"]
    page = browser.request("GET", "/self-issued/start?link=1")
    link = link_of(page.text, "open-app")
    assert "openid:" not in page.text and "/self-issued/open?" in link
    opened = server.send("GET", link.removeprefix(server.base))
    assert opened.status == 200 and "openid:" not in opened.text
    request = browser.read("openid://authz?" + urlsplit(link).query)
    assert browser.respond(Phone().answer(request)).json() == {"location": "/account/phone-keys?linked"}


def test_attack_another_app_that_took_the_schemes_link_gets_its_key_linked_to_nobody(serve):
    """It answers in the user's own browser; the user has an account, signs in to it, and would link the thief's key."""
    password = "a long enough passphrase"
    server = serve(users={"carol": password}, settings="""
self_issued:
  enabled: true
app_links:
  apple: [ABCDE12345.com.example.app]
""")
    browser, thief, own = Browser(server), Phone(), Phone()
    assert browser.respond(thief.answer(browser.start())).json() == {"location": "/self-issued/choice"}
    onward = browser.submit(browser.request("GET", "/self-issued/choice"), 1)
    assert onward.header("Location").endswith("/sign-in?redirect=%2Faccount%2Fphone-keys")
    answer = browser.submit(browser.request("GET", "/sign-in?redirect=%2Faccount%2Fphone-keys"),
                            username="carol", password=password)
    page = browser.request("GET", answer.header("Location").removeprefix(server.base))
    assert 'id="link"' not in page.text and 'id="notice"' in page.text
    # The owner's app gets the claimed link.
    thiefs = browser.cookies["__Host-siop_proof"]
    request = browser.read("openid://authz?" + urlsplit(link_of(
        browser.request("GET", "/self-issued/start?link=1").text, "open-app")).query)
    assert browser.respond(own.answer(request)).json() == {"location": "/account/phone-keys?linked"}
    assert "__Host-siop_proof" not in browser.cookies
    # What the button of a page that offers a key would send.
    browser.cookies["__Host-siop_proof"] = thiefs
    page = browser.request("GET", "/account/phone-keys")
    assert browser.submit(page, 0, what="link").status == 400
    [row] = events(server, "self_issued.refused", "link_not_claimed")
    assert thief.thumbprint in row["detail"]
    page = browser.request("GET", "/account/phone-keys").text
    assert own.thumbprint in page and thief.thumbprint not in page
    other = Browser(server)
    assert other.respond(thief.answer(other.start())).json() == {"location": "/self-issued/choice"}


def test_browsers_on_android_open_our_page_where_no_app_takes_the_scheme(demo):
    android = {"User-Agent": "Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36"}
    page = demo.send("GET", "/self-issued/start", android)
    link, _, rest = link_of(page.text, "open-scheme").partition("#")
    assert link.startswith("intent://authz?request_uri=")
    intent = dict(part.split("=", 1) for part in rest.removeprefix("Intent;").removesuffix(";end").split(";"))
    assert intent == {"scheme": "openid", "S.browser_fallback_url": quote(link_of(page.text, "open-app"), safe="")}
    opened = demo.send("GET", link_of(page.text, "open-app").removeprefix(demo.base) + "&response_mode=direct_post", android)
    link, _, rest = link_of(opened.text, "open-scheme").partition("#")
    assert link.endswith("&response_mode=direct_post") and "response_mode%3Ddirect_post;end" in rest


def test_who_waits_for_a_phone_gets_a_new_code_or_signs_in_another_way(demo):
    browser = Browser(demo)
    browser.start("?return=%2Faccount%2Fprofile")
    page = browser.submit(browser.page)
    assert "Waiting for your phone" in page.text
    again = link_of(page.text, "begin-again")
    assert again == "/self-issued/start?return=%2Faccount%2Fprofile"
    assert link_of(page.text, "other") == "/sign-in?redirect=%2Faccount%2Fprofile"
    assert 'id="qr"' in browser.request("GET", again).text


def test_who_links_a_phone_on_another_device_is_told_where_it_is_done(demo):
    browser = Browser(demo)
    browser.sign_in("alice")
    page = browser.request("GET", "/self-issued/start?link=1").text
    told = "choose “Your account”, then “Phones that sign you in”"
    assert told in html.unescape(page) and "From then on" not in page
    opened = browser.request("GET", link_of(page, "open-app").removeprefix(demo.base)).text
    assert told in html.unescape(opened) and link_of(opened, "other") == "/account/phone-keys"
    signing_in = browser.request("GET", "/self-issued/start").text
    opened = browser.request("GET", link_of(signing_in, "open-app").removeprefix(demo.base)).text
    for other in [signing_in, opened]:
        assert "Phones that sign you in" not in other and "/sign-in" in link_of(other, "other")


def test_a_phone_is_linked_from_the_account_only_where_it_can_follow(demo, secure):
    """As it signs in: it fetches the request file over https alone."""
    over_tls = Browser(secure)
    assert 'id="link-another"' in over_tls.sign_in("bob").text
    assert 'id="phone-keys"' in over_tls.request("GET", "/account").text
    person = {"username": "without-keys", "password": "an old pudding of plums"}
    made = Admin(demo).send("POST", "users", json.dumps(person), {"Content-Type": "application/json"})
    assert made.status == 201, made.body
    browser = Browser(demo)
    assert browser.submit(browser.request("GET", "/sign-in?redirect=%2Faccount%2Fphone-keys"), **person).status == 303
    keys = browser.request("GET", "/account/phone-keys").text
    assert 'id="keys"' in keys and 'id="link-another"' not in keys
    assert 'id="phone-keys"' not in browser.request("GET", "/account").text
    browser.link(Phone())
    assert 'id="phone-keys"' in browser.request("GET", "/account").text, "what is there can be unlinked"


def test_attack_an_app_that_takes_the_scheme_of_an_intent_is_not_handed_the_claimed_links_nonce(serve, monkeypatch):
    """The address that the browser falls back to is in the intent, so the app reads it too."""
    password = "a long enough passphrase"
    server = serve(users={"erin": password}, settings="""
self_issued:
  enabled: true
app_links:
  apple: [ABCDE12345.com.example.app]
""")
    monkeypatch.setitem(wire.NAVIGATION, "User-Agent",
                        "Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36")
    browser, thief = Browser(server), Phone()
    page = browser.request("GET", "/self-issued/start").text
    claimed = parse_qs(urlsplit(link_of(page, "open-app")).query)["nonce"][0]
    intent = link_of(page, "open-scheme")
    assert intent.startswith("intent:") and claimed not in intent and claimed not in unquote(unquote(intent))
    fallback = unquote(re.search(r"S\.browser_fallback_url=([^;]+);", intent)[1])
    # Without an app it leads to our page, and the page on by the scheme again, with no other nonce.
    opened = browser.request("GET", fallback.removeprefix(server.base))
    assert opened.status == 200 and claimed not in opened.text and link_of(opened.text, "open-scheme") == intent
    request = browser.read("openid://authz?" + urlsplit(fallback).query)
    assert browser.respond(thief.answer(request)).json() == {"location": "/self-issued/choice"}
    answer = browser.submit(browser.request("GET", "/sign-in?redirect=%2Faccount%2Fphone-keys"),
                            username="erin", password=password)
    page = browser.request("GET", answer.header("Location").removeprefix(server.base)).text
    assert 'id="link"' not in page and 'id="notice"' in page


def test_whoever_signed_in_with_a_key_is_offered_that_way_first(secure):
    phone, browser = Phone(), Browser(secure)

    def place() -> int:
        page = browser.request("GET", "/sign-in").text
        return page.index('id="self-issued"') - page.index('name="password"')

    assert place() > 0
    browser.respond(phone.answer(browser.start()))
    assert browser.submit(browser.request("GET", "/self-issued/choice"), 0).status == 303
    assert browser.cookies["__Host-siop_ok"] == "1"
    del browser.cookies[wire.SESSION_COOKIE]
    assert place() < 0


@pytest.mark.parametrize("path", ["/sign-in", "/sign-in?redirect=%2Fcontacts", "/"])
def test_a_phone_is_offered_only_where_it_can_follow(demo, secure, path):
    """It fetches the request file over https alone."""
    button = re.compile(r'id="self-issued" href="/self-issued/start[?"]')
    assert button.search(secure.send("GET", path).text)
    plain = demo.send("GET", path)
    assert plain.status == 200 and "/self-issued/" not in plain.text
    assert ("--tls-certificate" in plain.text) == (path == "/")
    assert demo.send("GET", "/self-issued/start").status == 200


def test_a_link_for_another_screen_is_opened_with_a_warning(demo):
    browser = Browser(demo)
    browser.start()
    link = link_of(browser.page.text, "open-app").removeprefix(demo.base)
    warning = "sign in another screen"
    assert warning in demo.send("GET", link + "&response_mode=direct_post").text
    assert warning not in browser.request("GET", link).text


def test_attack_a_session_that_came_of_a_link_does_not_read_when_a_key_was_used(demo):
    phone, owner, other = Phone(), Browser(demo), Browser(demo)
    owner.sign_in("alice")
    owner.link(phone)
    assert other.respond(phone.answer(other.start())).status == 200
    world = World(demo)
    handed = world.handed_off(world.app("alice"))

    def instants(page: wire.Answer) -> int:
        assert page.status == 200, page.text
        return re.search(rf'id="about-{phone.thumbprint}">(.*?)</p>', page.text)[1].count("<time")

    assert instants(owner.request("GET", "/account/phone-keys")) == 2
    assert instants(handed.send("GET", "/account/phone-keys")) == 1


def test_attack_a_session_that_came_of_a_link_links_and_unlinks_nothing_and_the_log_says_so(demo):
    phone, owner = Phone(), Browser(demo)
    owner.sign_in("alice")
    owner.link(phone)
    world = World(demo)
    handed = world.handed_off(world.app("alice"))
    before = len(demo.audit("self_issued.refused"))
    assert handed.send("GET", "/self-issued/start?link=1").status == 303
    event = demo.audit("self_issued.refused")[before]
    assert event["reason"] == "not_signed_in" and event["subject"] == demo.user("alice")["sub"] and event["session_id"]


def test_malformed_settings_are_refused_together(serve):
    server = serve()
    text = server.settings.read_text()
    server.settings.write_text(text + """
self_issued:
  enabled: true
  client_id: https://elsewhere.example/
  request_path: /session/x
  return_path: /a b
  forms: [did]
  policy_url: http://example.com/
""")
    done = instance.run("check-config", "--config", str(server.settings), check=False)
    said = (done.stdout + done.stderr).decode()
    assert done.returncode != 0
    for name in ["client_id", "request_path", "return_path", "forms", "policy_url"]:
        assert f"self_issued.{name}" in said, said


@pytest.mark.parametrize("fields,setting", [
    ("return_path: /login-with-token", "return_path"), ("request_path: /open/", "request_path"),
    ("request_path: /q, return_path: /q/", "return_path"),
])
def test_a_path_that_two_settings_name_is_refused_before_anything_starts(serve, fields, setting):
    server = serve(settings="redemption_paths: [/open]\n")
    assert server.stop() == 0
    server.settings.write_text(f"{server.settings.read_text()}\nself_issued: {{enabled: true, {fields}}}\n")
    for command, status in [("check-config", 1), ("serve", 78)]:
        done = instance.run(command, "--config", str(server.settings), check=False)
        said = done.stderr.decode()
        assert done.returncode == status and f"self_issued.{setting} = " in said and "is used twice: " in said, said


def test_a_logo_at_another_host_which_phones_drop_is_warned_about(serve):
    server = serve()
    server.settings.write_text(server.settings.read_text() + """
self_issued: {enabled: true, logo_url: "https://elsewhere.example/logo.svg", policy_url: "https://127.0.0.1/policy"}
""")
    said = instance.run("check-config", "--config", str(server.settings)).stderr.decode()
    assert "warning: self_issued.logo_url leads to another host than 127.0.0.1, " in said and "policy_url" not in said


def test_claims_that_nothing_becomes_of_are_warned_about(serve):
    server = serve()
    server.settings.write_text(server.settings.read_text() + """
self_issued:
  enabled: true
  claims: [email, phone_number, birthdate]
""")
    done = instance.run("check-config", "--config", str(server.settings))
    assert "warning: self_issued.claims has phone_number, birthdate: " in done.stderr.decode()


def test_two_nodes_and_redis_share_what_waits(start_demo):
    with servers.Postgres() as postgres, servers.Redis() as redis:
        database = postgres.create("self_issued")
        first = start_demo("--no-limits", "--database", database, "--redis", f"redis://127.0.0.1:{redis.port}")
        second = start_demo("--no-limits", "--database", database, "--redis", f"redis://127.0.0.1:{redis.port}",
                            "--issuer", first.base)
        phone, browser = Phone(), Browser(first)
        request = browser.start()
        first.kill()
        # The node that showed the page is gone; the other one takes the answer.
        browser.demo = second
        here = {"Origin": first.base, "Host": first.base.removeprefix("http://")}
        answer = browser.respond(phone.answer(request, "core7"), **here)
        assert answer.json() == {"location": "/self-issued/choice"}, answer.body
        redis.stop()
        lost = second.send("GET", "/self-issued/start", {"Host": here["Host"]})
        assert lost.status == 503 and lost.header("Retry-After")
        assert browser.respond(phone.answer(request, "core7"), **here).status == 503
