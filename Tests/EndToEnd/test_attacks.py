"""Known attacks on authorization servers, tried on a running one (RFC 9700 §4, RFC 8252 §8, OpenID Connect Core §16)."""

import json
import secrets
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

import native
import oauth
import signing
import wire
from oauth import error
from services import assertion_claims, es256, present

ERROR_PAGE = "/oauth/authorize?client_id=nobody"


def authorize_url(**changes) -> str:
    parameters = {
        "response_type": "code", "client_id": "demo-app", "redirect_uri": oauth.APP_REDIRECT, "scope": "openid",
        "state": "s", "code_challenge": signing.challenge("v" * 43), "code_challenge_method": "S256", **changes}
    return "/oauth/authorize?" + urlencode({name: value for name, value in parameters.items() if value is not None})


def back(location: str) -> dict:
    return {name: values[0] for name, values in parse_qs(urlsplit(location).query).items()}


def is_signed_in(demo, browser) -> bool:
    cookie = browser.cookies.get(wire.SESSION_COOKIE)
    return demo.session(f"{wire.SESSION_COOKIE}={cookie}" if cookie else None)["authenticated"]


# Codes

def test_code_injection_a_stolen_code_is_worth_nothing_in_another_sign_in(demo):
    """RFC 9700 §4.5: the attacker puts the victim's code into their own sign-in, with their own verifier."""
    victims, attackers = secrets.token_urlsafe(48), secrets.token_urlsafe(48)
    stolen = oauth.Browser(demo).authorize("alice", verifier=victims)["code"]
    oauth.Browser(demo).authorize("bob", verifier=attackers)
    assert error(oauth.redeem(demo, stolen, attackers)) == (400, "invalid_grant")
    mine = oauth.redeem(demo, stolen, victims)
    assert mine.status == 200 and signing.parts(mine.json()["id_token"])[1]["sub"] == demo.user("alice")["sub"]


def test_code_injection_a_website_sees_by_the_nonce_that_a_code_is_not_its_own(demo):
    """The same for a confidential client without PKCE: the ID token has the nonce of the sign-in it came from."""
    code = oauth.Browser(demo).authorize(
        "alice", client="demo-rp", redirect=oauth.RP_REDIRECT, scope="openid", nonce="of-the-victim")["code"]
    answer = oauth.redeem(demo, code, None, redirect=oauth.RP_REDIRECT, headers=oauth.basic(demo, "demo-rp"))
    assert signing.parts(answer.json()["id_token"])[1]["nonce"] == "of-the-victim"


def test_code_injection_a_code_is_not_taken_from_another_client(demo):
    verifier = secrets.token_urlsafe(48)
    code = oauth.Browser(demo).authorize(verifier=verifier)["code"]
    as_website = oauth.redeem(demo, code, verifier, headers=oauth.basic(demo, "demo-rp"))
    assert error(as_website) == (400, "invalid_grant")
    assert error(oauth.redeem(demo, code, verifier, client="demo-app-b")) == (400, "invalid_grant")


# Mix-up

@pytest.mark.parametrize("changes", [{}, {"prompt": "none"}, {"response_type": "token"}, {"scope": "a\"b"}],
                         ids=["code", "login_required", "unsupported_response_type", "invalid_scope"])
def test_mix_up_every_answer_names_its_issuer(demo, changes):
    """RFC 9207: a client that talks to two providers tells by `iss` whose answer it has."""
    metadata = demo.send("GET", "/.well-known/openid-configuration").json()
    assert metadata["authorization_response_iss_parameter_supported"] is True
    browser = oauth.Browser(demo)
    answer = back(browser.go(authorize_url(**changes), "alice"))
    assert answer["iss"] == metadata["issuer"] and answer["state"] == "s"
    assert ("error" in answer) == bool(changes)


def test_mix_up_a_refusal_by_the_user_names_its_issuer_too(demo):
    browser = oauth.Browser(demo)
    page = sign_in_up_to_consent(demo, browser)
    answer = back(browser.submit(page, decision="deny").header("Location"))
    assert answer["error"] == "access_denied" and answer["iss"] == demo.facts["issuer"]


# PKCE downgrade

@pytest.mark.parametrize("changes", [
    {"code_challenge": None, "code_challenge_method": None}, {"code_challenge_method": None},
    {"code_challenge_method": "plain"}, {"code_challenge_method": "s256"}, {"code_challenge": ""},
    {"code_challenge": "short"},
], ids=["none at all", "method left out", "plain", "another case", "empty", "malformed"])
def test_pkce_downgrade_an_app_gets_no_code_without_a_full_challenge(demo, changes):
    browser = oauth.Browser(demo)
    answer = back(browser.go(authorize_url(**changes), "alice"))
    assert answer["error"] == "invalid_request" and "code" not in answer
    parameters = back("https://x/" + authorize_url(**changes))
    assert error(oauth.post(demo, "/oauth/par", parameters)) == (400, "invalid_request")


def test_pkce_downgrade_a_challenge_that_was_stripped_on_the_way_is_noticed(demo):
    """RFC 9700 §4.8.2: the website sends its verifier, but no challenge came with the request."""
    code = oauth.Browser(demo).authorize(client="demo-rp", redirect=oauth.RP_REDIRECT, scope="openid")["code"]
    answer = oauth.redeem(demo, code, "v" * 43, redirect=oauth.RP_REDIRECT, headers=oauth.basic(demo, "demo-rp"))
    assert error(answer) == (400, "invalid_request")


def test_pkce_downgrade_the_verifier_cannot_be_left_out(demo):
    code = oauth.Browser(demo).authorize(verifier="v" * 43)["code"]
    assert error(oauth.redeem(demo, code, None)) == (400, "invalid_grant")


# Forged tokens: `alg` none, and a public key used as a secret

def pem(jwk: dict) -> bytes:
    x, y = (int.from_bytes(signing.unb64url(jwk[name]), "big") for name in "xy")
    key = ec.EllipticCurvePublicNumbers(x, y, ec.SECP256R1()).public_key()
    return key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def unsigned(claims: dict, header: dict, name: str = "none") -> str:
    parts = [signing.b64url(json.dumps(part).encode()) for part in ({**header, "alg": name}, claims)]
    return ".".join(parts) + "."


def forgeries(claims: dict, header: dict, jwk: dict) -> dict[str, str]:
    """The same claims as nobody with a key would have signed them."""
    symmetric = {**header, "alg": "HS256"}
    return {
        "none": unsigned(claims, header), "None": unsigned(claims, header, "None"),
        "no kid": unsigned(claims, {"typ": header.get("typ")}),
        "HS256 over the PEM": signing.jwt(claims, pem(jwk), symmetric),
        "HS256 over the JWK": signing.jwt(claims, json.dumps(jwk).encode(), symmetric),
        "HS256 over the point": signing.jwt(claims, signing.unb64url(jwk["x"]) + signing.unb64url(jwk["y"]), symmetric),
    }


@pytest.fixture(scope="module")
def signed_in(demo):
    """Alice in a browser of her own, with her app's tokens, and the same tokens forged."""
    browser = oauth.Browser(demo)
    verifier = secrets.token_urlsafe(48)
    answer = browser.authorize("alice", verifier=verifier, redirect=native.CALLBACK, scope="openid device_sso")
    tokens = oauth.redeem(demo, answer["code"], verifier, redirect=native.CALLBACK).json()
    key = next(key for key in demo.send("GET", "/.well-known/jwks.json").json()["keys"] if key["alg"] == "ES256")
    forged = {}
    for kind in ["access_token", "id_token"]:
        header, claims = signing.parts(tokens[kind])
        forged[kind] = forgeries(claims, header, key)
    return browser, tokens, forged


FORGERIES = ["none", "None", "no kid", "HS256 over the PEM", "HS256 over the JWK", "HS256 over the point"]


@pytest.mark.parametrize("how", FORGERIES)
def test_alg_none_and_key_confusion_make_no_access_token(demo, signed_in, how):
    _, tokens, forged = signed_in
    assert oauth.userinfo(demo, tokens["access_token"]).status == 200
    token = forged["access_token"][how]
    assert oauth.userinfo(demo, token).status == 401
    assert oauth.introspect(demo, token) == {"active": False}
    assert demo.send("POST", "/api/auth/create-sso-token", {"Authorization": f"Bearer {token}"}).status == 401
    assert demo.send("GET", "/api/admin/clients", {"Authorization": f"Bearer {token}"}).status == 401


@pytest.mark.parametrize("how", FORGERIES)
def test_alg_none_and_key_confusion_make_no_id_token_hint(demo, signed_in, how):
    browser, tokens, forged = signed_in
    silent = {"redirect_uri": native.CALLBACK, "prompt": "none"}
    good = browser.request("GET", authorize_url(**silent, id_token_hint=tokens["id_token"]))
    assert "code" in back(good.header("Location")), good.header("Location")
    refused = browser.request("GET", authorize_url(**silent, id_token_hint=forged["id_token"][how]))
    assert back(refused.header("Location"))["error"] == "invalid_request"
    # At the end of a session such a hint is none: the user is asked.
    asked = browser.request("GET", "/oauth/logout?" + urlencode({"id_token_hint": forged["id_token"][how]}))
    assert asked.status == 200 and "<form" in asked.text and is_signed_in(demo, browser)


@pytest.mark.parametrize("how", FORGERIES)
def test_alg_none_and_key_confusion_exchange_no_id_token(demo, signed_in, how):
    _, tokens, forged = signed_in
    form = {"grant_type": native.EXCHANGE, "client_id": "demo-app-b", "subject_token_type": native.ID_TOKEN,
            "actor_token": tokens["device_secret"], "actor_token_type": native.DEVICE_SECRET, "scope": "openid"}
    assert error(oauth.token(demo, {**form, "subject_token": forged["id_token"][how]})) == (400, "invalid_token")
    assert oauth.token(demo, {**form, "subject_token": tokens["id_token"]}).status == 200


@pytest.mark.parametrize("how", FORGERIES)
def test_alg_none_and_key_confusion_authenticate_no_client(demo, keyed_client, how):
    client, _, jwk = keyed_client
    forged = forgeries(assertion_claims(demo, client), {"typ": "JWT", "kid": "k"}, jwk)[how]
    assert error(present(demo, client, forged)) == (401, "invalid_client")


def test_a_client_assertion_is_good_once(demo, keyed_client):
    client, key, _ = keyed_client
    token = es256(assertion_claims(demo, client), key, typ="JWT", kid="k")
    assert present(demo, client, token).status == 200
    assert error(present(demo, client, token)) == (401, "invalid_client")


# Forged requests of a browser

def sign_in_up_to_consent(demo, browser, user: str = "alice"):
    """The consent page, before the click."""
    page = browser.request("GET", authorize_url())
    if page.status == 303:
        page = browser.request("GET", page.header("Location").removeprefix(demo.base))
    person = demo.user(user)
    landed = browser.submit(page, username=person["username"], password=person["password"])
    assert landed.status == 303
    page = browser.request("GET", landed.header("Location").removeprefix(demo.base))
    assert page.status == 200 and "/oauth/consent" in page.text
    return page


def test_csrf_on_sign_in_a_foreign_page_cannot_sign_a_visitor_in_as_somebody_else(demo):
    """Login CSRF: the attacker has an account, and the victim's browser posts the attacker's name and password."""
    attacker, victim = oauth.Browser(demo), oauth.Browser(demo)
    person = demo.user("bob")
    login = {"username": person["username"], "password": person["password"]}
    token = oauth.Forms(attacker.request("GET", "/sign-in").text).forms[0]["fields"]
    victim.request("GET", "/sign-in")
    for fields in [login, {**login, **token}, {**login, "form_token": "made-up"}]:
        answer = victim.request("POST", "/sign-in", fields, site="cross-site")
        assert answer.status == 400 and answer.session_cookie is None
        assert not is_signed_in(demo, victim)
    # The very form, in the browser that it was made for, does sign in.
    assert attacker.request("POST", "/sign-in", {**token, **login}, site="same-origin").session_cookie


def test_csrf_on_consent_a_foreign_page_cannot_say_yes_for_the_user(demo):
    victim, attacker = oauth.Browser(demo), oauth.Browser(demo)
    page = sign_in_up_to_consent(demo, victim)
    own = oauth.Forms(page.text).forms[0]["fields"]
    foreign = oauth.Forms(sign_in_up_to_consent(demo, attacker, "bob").text).forms[0]["fields"]
    without = {name: value for name, value in own.items() if name != "form_token"}
    for fields in [without, foreign, {**own, "form_token": foreign["form_token"]}]:
        answer = victim.request("POST", "/oauth/consent", {**fields, "decision": "allow"}, site="cross-site")
        assert "code=" not in (answer.header("Location") or ""), answer.header("Location")
    assert "code=" in victim.submit(page, decision="allow").header("Location")


def test_csrf_on_sign_out_a_foreign_page_ends_nothing(demo):
    victim = oauth.Browser(demo)
    sign_in_up_to_consent(demo, victim)
    assert victim.request("POST", "/session/logout", {}, site="cross-site").status == 403
    victim.request("POST", "/oauth/logout", {"form_token": "made-up"}, site="cross-site")
    victim.request("GET", "/oauth/logout", site="cross-site")
    victim.request("GET", "/session/logout", site="cross-site")
    assert is_signed_in(demo, victim)


# Frames

@pytest.fixture(scope="module")
def at_consent(demo):
    browser = oauth.Browser(demo)
    return browser, sign_in_up_to_consent(demo, browser)


@pytest.mark.parametrize("path", ["/sign-in", "sign-in of an app", "consent", "/oauth/logout", "/session/logout",
                                  "/session/signed-out", "/account/devices", "/admin/", "/login-with-token?token=x",
                                  "/errors/invalid_token", ERROR_PAGE])
def test_clickjacking_no_page_may_be_framed(demo, at_consent, path):
    browser, consent = at_consent
    if path == "consent":
        page = consent
    elif path == "sign-in of an app":
        fresh = oauth.Browser(demo)
        page = fresh.request("GET", fresh.request("GET", authorize_url()).header("Location").removeprefix(demo.base))
    else:
        page = browser.request("GET", path)
        for _ in range(3):
            if page.status == 303:
                page = browser.request("GET", page.header("Location").removeprefix(demo.base))
    assert "text/html" in page.header("Content-Type"), (page.status, page.headers)
    assert page.header("X-Frame-Options") == "DENY"
    assert "frame-ancestors 'none'" in page.header("Content-Security-Policy")


# Fixation

def test_login_fixation_a_session_that_was_planted_is_not_the_one_that_is_signed_in(demo):
    """An attacker who can plant a cookie knows its value; the session after the sign-in has another one."""
    attacker, victim = oauth.Browser(demo), oauth.Browser(demo)
    sign_in_up_to_consent(demo, attacker, "bob")
    for planted in [attacker.cookies[wire.SESSION_COOKIE], "dbs_" + secrets.token_urlsafe(36)]:
        victim.cookies = {wire.SESSION_COOKIE: planted}
        page = victim.request("GET", "/sign-in")
        person = demo.user("alice")
        victim.submit(page, username=person["username"], password=person["password"])
        assert victim.cookies[wire.SESSION_COOKIE] != planted
        assert demo.session(f"{wire.SESSION_COOKIE}={victim.cookies[wire.SESSION_COOKIE]}")["sub"] == person["sub"]
        assert demo.session(f"{wire.SESSION_COOKIE}={planted}").get("sub") != person["sub"]


def test_login_fixation_signing_in_again_ends_the_session_before(demo):
    browser = oauth.Browser(demo)
    sign_in_up_to_consent(demo, browser)
    before = f"{wire.SESSION_COOKIE}={browser.cookies[wire.SESSION_COOKIE]}"
    page = browser.request("GET", authorize_url(prompt="login"))
    page = browser.request("GET", page.header("Location").removeprefix(demo.base))
    person = demo.user("alice")
    browser.submit(page, username=person["username"], password=person["password"])
    assert f"{wire.SESSION_COOKIE}={browser.cookies[wire.SESSION_COOKIE]}" != before
    assert not demo.session(before)["authenticated"]


def test_login_fixation_a_journey_of_another_browser_has_not_signed_in_here(demo):
    """The attacker signs in, stops at the consent page, and sends the victim its address and its form."""
    attacker, victim = oauth.Browser(demo), oauth.Browser(demo)
    fields = oauth.Forms(sign_in_up_to_consent(demo, attacker, "bob").text).forms[0]["fields"]
    page = victim.request("GET", "/oauth/authorize?" + urlencode({"journey": fields["journey"]}))
    assert page.status == 303 and page.header("Location").startswith(f"{demo.base}/sign-in")
    answer = victim.request("POST", "/oauth/consent", {**fields, "decision": "allow"}, site="same-origin")
    assert "code=" not in (answer.header("Location") or "") and not is_signed_in(demo, victim)
