"""Device secrets, Native SSO between apps, and cookies for web views (contract §5.1, §5.2, §5.4, §6, §7)."""

import json
import re
import secrets
from urllib.parse import urlencode

import pytest

import native
import oauth
import signing
import wire
from admin import admin
from apps import outsider, registered
from native import SETTINGS, App, Browser, cookie_header, session


@pytest.fixture(scope="module")
def app(demo) -> App:
    app = App(demo)
    app.sign_in()
    return app


# Issuing


def test_sign_in_with_device_sso_gives_a_secret_and_an_id_token_that_is_tied_to_it(app):
    assert re.fullmatch(r"ds_[A-Za-z0-9_-]{49}", app.tokens["device_secret"])
    said = signing.claims_of(app.tokens["id_token"])
    assert said["ds_hash"] == signing.half_hash(app.tokens["device_secret"])
    assert said["sid"]


def test_without_the_scope_there_is_neither(demo):
    tokens = App(demo).sign_in("openid profile offline_access")
    assert "device_secret" not in tokens
    assert "ds_hash" not in signing.claims_of(tokens["id_token"])


def test_an_app_that_knows_no_scope_for_it_gets_its_device_secret(demo):
    """SDKs of another form of Native SSO ask for nothing special; a field of the client says that they mean it."""
    client = f"old-sdk-{secrets.token_hex(3)}"
    made = admin(demo, "POST", "/api/admin/clients", {
        "client_id": client, "client_type": "native", "redirect_uris": [native.CALLBACK], "first_party": True,
        "native_sso_enabled": True, "device_secret_without_scope": True})
    assert made.status == 201, made.text
    app = App(demo, client)
    tokens = app.sign_in("openid profile email")
    assert signing.claims_of(tokens["id_token"])["ds_hash"] == signing.half_hash(tokens["device_secret"])
    assert "device_sso" in tokens["scope"].split(), "the answer says what was granted"
    assert app.native_sso(client).status == 200, "and it is good for an exchange"
    assert "device_secret" not in App(demo, client).sign_in("profile"), "who asks for no sign-in gets none"
    # What came over a link is no sign-in here: such a session gets the app no code, with this field or without.
    browser = Browser(demo.base)
    browser.send("GET", f"/login-with-token?token={demo.issue('alice')['token']}")
    app.verifier = "v" * 43
    query = urlencode({"response_type": "code", "client_id": client, "redirect_uri": native.CALLBACK, "scope": "openid",
                       "code_challenge": signing.challenge(app.verifier), "code_challenge_method": "S256"})
    assert "/sign-in?journey=" in browser.send("GET", f"/oauth/authorize?{query}").header("Location")


def test_a_valid_secret_is_kept_and_an_invalid_one_counts_as_absent(demo, app):
    again = App(demo).sign_in(device_secret=app.tokens["device_secret"])
    assert again["device_secret"] == app.tokens["device_secret"]
    other = App(demo).sign_in(device_secret="ds_nonsense")
    assert other["device_secret"] not in ("ds_nonsense", app.tokens["device_secret"])


def test_another_users_secret_is_not_kept(demo, app):
    bob = App(demo, user="bob").sign_in(device_secret=app.tokens["device_secret"])
    assert bob["device_secret"] != app.tokens["device_secret"]


@pytest.mark.parametrize("way", ["code", "refresh"])
def test_attack_an_app_that_a_device_is_not_shared_with_neither_keeps_nor_ends_it(demo, way):
    app, other = outsider(demo)
    secret, later = app.tokens["device_secret"], app.refresh().json()["device_secret"]
    browser = Browser(demo.base)
    if way == "code":
        told = other.sign_in(browser=browser, device_secret=secret)
    else:
        other.sign_in(browser=browser)
        told = other.refresh(device_secret=secret).json()
    assert told["device_secret"] not in (secret, later)
    assert signing.claims_of(told["id_token"])["ds_hash"] == signing.half_hash(told["device_secret"])
    other.tokens |= told
    # Secrets of the same device would push each other out.
    for _ in range(5):
        other.tokens |= other.refresh().json()
    assert oauth.introspect(demo, later)["active"] and oauth.introspect(demo, secret)["active"]
    assert oauth.introspect(demo, other.tokens["device_secret"])["client_id"] == other.client_id
    # Its own sign-out ends its own device.
    page = browser.send("GET", f"/oauth/logout?{urlencode({'id_token_hint': other.tokens['id_token']})}")
    if page.status == 200:
        page = browser.submit(page, "/oauth/logout")
    assert page.status == 303, page.text
    assert other.refresh().json()["error"] == "invalid_grant"
    assert oauth.introspect(demo, secret)["active"]
    assert app.native_sso().status == 200


def test_a_refresh_without_a_secret_brings_a_new_one_and_the_old_one_survives(demo):
    app = App(demo)
    first = app.sign_in()
    fresh = app.refresh().json()
    assert fresh["device_secret"] != first["device_secret"]
    assert signing.claims_of(fresh["id_token"])["ds_hash"] == signing.half_hash(fresh["device_secret"])
    # The VA lost the secret here: the app that did not store the new one must not be shut out.
    app.tokens = {**fresh, "device_secret": first["device_secret"]}
    assert app.cookies().status == 200
    app.tokens = fresh
    assert app.native_sso().status == 200


def test_a_refresh_with_the_secret_keeps_it(demo):
    app = App(demo)
    first = app.sign_in()
    fresh = app.refresh(device_secret=first["device_secret"]).json()
    assert fresh.get("device_secret", first["device_secret"]) == first["device_secret"]
    assert signing.claims_of(fresh["id_token"])["ds_hash"] == signing.half_hash(first["device_secret"])


def used_twice(app: App, **more: str) -> dict:
    """What a code opened that came a second time."""
    code = app.code()
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": app.callback,
            "code_verifier": app.verifier, **more}
    tokens = app.token(**form).json()
    assert app.token(**form).json()["error"] == "invalid_grant"
    return tokens


def listed(demo, user: dict) -> set:
    return {row["id"] for row in admin(demo, "GET", f"/api/admin/users/{user['sub']}/device-secrets").json()["items"]}


def test_a_code_used_twice_ends_the_device_secret_that_it_gave(demo):
    app = App(demo, user="bob")
    before = listed(demo, app.user)
    tokens = used_twice(app)
    assert oauth.introspect(demo, tokens["device_secret"]) == {"active": False}
    assert listed(demo, app.user) <= before
    assert app.sign_in(device_secret=tokens["device_secret"])["device_secret"] != tokens["device_secret"]


def test_a_code_used_twice_spares_the_device_secret_of_others(demo):
    app = App(demo)
    secret = app.sign_in()["device_secret"]
    brought = used_twice(App(demo), device_secret=secret)
    assert brought["device_secret"] == secret and oauth.introspect(demo, secret)["active"]
    assert app.native_sso().status == 200, "the app that it was given to goes on"


def test_a_reused_refresh_token_ends_the_device_secrets_that_came_with_it(demo):
    app = App(demo)
    first = app.sign_in()
    app.tokens = second = app.refresh().json()
    app.tokens = app.refresh().json()
    given = {tokens["device_secret"] for tokens in (first, second, app.tokens)}
    assert len(given) == 3 and all(oauth.introspect(demo, secret)["active"] for secret in given)
    assert app.token(grant_type="refresh_token", refresh_token=first["refresh_token"]).status == 400
    assert [oauth.introspect(demo, secret) for secret in given] == [{"active": False}] * 3


# Native SSO


@pytest.mark.parametrize("urn", [native.DEVICE_SECRET, native.OLD_DEVICE_SECRET])
def test_an_app_signs_in_another_under_both_names_of_the_secret(demo, app, urn):
    answer = app.native_sso(actor_token_type=urn)
    assert answer.status == 200, answer.text
    tokens = answer.json()
    assert tokens["issued_token_type"] == native.ACCESS_TOKEN
    assert tokens["token_type"] == "Bearer"
    assert tokens["refresh_token"]
    said = signing.claims_of(tokens["id_token"])
    assert said["aud"] == "demo-app-b"
    assert said["sub"] == app.user["sub"]
    assert said["ds_hash"] == signing.half_hash(app.tokens["device_secret"])
    assert answer.header("Cache-Control") == "no-store"
    # The next app goes on from what this one got.
    onward = App(demo, "demo-app-b")
    onward.tokens = {**tokens, "device_secret": app.tokens["device_secret"]}
    assert onward.native_sso("demo-app").status == 200


@pytest.mark.parametrize("name, change, error", [
    ("an unknown secret", {"actor_token": "ds_nothing"}, "invalid_grant"),
    ("another audience", {"audience": "https://elsewhere.example"}, "invalid_target"),
    ("another resource", {"resource": "https://elsewhere.example"}, "invalid_target"),
    ("another resource and audience", {"resource": "https://elsewhere.example",
                                       "audience": "https://elsewhere.example"}, "invalid_target"),
    ("a scope without openid", {"scope": "profile"}, "invalid_scope"),
    ("a scope that was not granted", {"scope": "openid email"}, "invalid_scope"),
    ("an id_token that is none", {"subject_token": "a.b.c"}, "invalid_token"),
    ("an unknown actor type", {"actor_token_type": "urn:x"}, "invalid_request"),
    ("no actor type", {"actor_token_type": ""}, "invalid_request"),
    ("no actor", {"actor_token": ""}, "invalid_request"),
    ("no subject", {"subject_token": ""}, "invalid_request"),
    ("an unknown subject type", {"subject_token_type": "urn:x"}, "invalid_request"),
    ("another requested type", {"requested_token_type": native.LOGIN_TOKEN}, "invalid_request"),
])
def test_an_exchange_that_is_not_as_asked_for_is_refused_by_its_own_error(app, name, change, error):
    answer = app.native_sso(**change)
    assert (answer.status, answer.json()["error"]) == (400, error), name
    assert answer.json()["error_uri"]


def test_audience_may_name_the_issuer(demo, app):
    assert app.native_sso(audience=demo.facts["issuer"]).status == 200


def test_resource_may_name_what_audience_may(demo, app):
    issuer = demo.facts["issuer"]
    assert app.native_sso(resource=issuer).status == 200
    assert app.cookies(resource=issuer).status == 200
    assert app.cookies(resource="https://elsewhere.example").json()["error"] == "invalid_target"
    order = {"grant_type": native.EXCHANGE, "subject_token": app.tokens["access_token"],
             "subject_token_type": native.ACCESS_TOKEN, "requested_token_type": native.LOGIN_TOKEN}
    for fields in [{"resource": issuer}, {"audience": "demo-web", "resource": "demo-web"}]:
        issued = app.token(**order, **fields)
        assert issued.status == 200, issued.text
    for fields in [{"resource": "demo-web"}, {"audience": "demo-web", "resource": "https://elsewhere.example"}]:
        assert app.token(**order, **fields).json()["error"] == "invalid_target", fields
    website = demo.client("demo-web")
    redemption = {"grant_type": native.EXCHANGE, "subject_token": issued.json()["access_token"],
                  "subject_token_type": native.LOGIN_TOKEN, "client_id": "demo-web",
                  "client_secret": website["client_secret"]}
    for fields in [{"audience": "demo-rp"}, {"resource": "https://elsewhere.example"}]:
        refused = app.token(**redemption, **fields)
        assert (refused.status, refused.json()["error"]) == (400, "invalid_target"), refused.text
    assert app.token(**redemption, audience="demo-web", resource=issuer).status == 200, "nothing was used up"


def test_a_tampered_id_token_is_not_ours(app):
    head, body, signature = app.tokens["id_token"].split(".")
    flipped = ("A" if signature[0] != "A" else "B") + signature[1:]
    answer = app.native_sso(subject_token=f"{head}.{body}.{flipped}")
    assert (answer.status, answer.json()["error"]) == (400, "invalid_token")


def test_the_id_token_of_another_secret_does_not_fit(demo, app):
    other = App(demo).sign_in()
    answer = app.native_sso(actor_token=other["device_secret"])
    assert (answer.status, answer.json()["error"]) == (400, "invalid_grant")


def test_every_opening_of_a_web_session_says_how_it_came_to_be(demo):
    browser = Browser(demo.base)
    app = App(demo)
    app.sign_in(browser=browser)
    app.cookies()
    demo.sign_in("alice")
    reasons = {event["reason"] for event in demo.audit("web_session.opened")}
    assert {"authorize", "token_exchange", "login_token"} <= reasons, reasons
    assert None not in reasons


@pytest.mark.parametrize("fields", [{"native_sso_enabled": True}, {"can_issue_login_tokens": True}, {}], ids=str)
def test_a_client_that_nobody_shares_with_is_denied(demo, app, fields):
    answer = app.native_sso(registered(demo, **fields))
    assert (answer.status, answer.json()["error"]) == (400, "access_denied"), answer.text


@pytest.mark.parametrize("fields", [{"can_issue_login_tokens": True}, {}], ids=str)
def test_a_client_that_is_shared_with_and_may_not_use_native_sso_is_told_that(demo, fields):
    other = registered(demo, **fields)
    app = App(demo, registered(demo, native_sso_enabled=True, device_secret_without_scope=True, share_with=[other]))
    app.sign_in("openid profile email")
    answer = app.native_sso(other)
    assert (answer.status, answer.json()["error"]) == (400, "unauthorized_client"), answer.text


# Cookies for web views


VA_COOKIES = {
    "vagov_access_token": ("/", True),
    "vagov_refresh_token": ("/session/refresh", True),
    "vagov_anti_csrf_token": ("/", True),
    "vagov_info_token": ("/", False),
}


def test_the_four_cookies_of_the_va_come_out(demo, app):
    answer = app.cookies()
    assert (answer.status, answer.json()) == (200, {})
    assert set(answer.cookies) == set(VA_COOKIES)
    for name, (path, is_http_only) in VA_COOKIES.items():
        attributes = answer.cookies[name].attributes
        assert attributes["path"] == path, name
        assert attributes.get("httponly", False) is is_http_only, name
        assert attributes["secure"] is True and attributes["samesite"] == "Lax", name
        assert attributes["expires"].endswith(" GMT") and "domain" not in attributes
    assert signing.claims_of(answer.cookies["vagov_access_token"].value)["sub"] == app.user["sub"]


def test_the_cookies_open_a_protected_page_and_say_so(demo, app):
    answer = app.cookies()
    found = session(demo, answer)
    assert (found["authenticated"], found["sub"], found["origin"]) == (True, app.user["sub"], "token_exchange")
    page = wire.send(demo.base, "GET", "/contacts", {**wire.NAVIGATION, **cookie_header(answer)})
    assert f'id="subject">{app.user["sub"]}<' in page.text
    check = wire.send(demo.base, "GET", "/auth/check", cookie_header(answer))
    assert (check.status, check.header("X-Auth-Subject")) == (200, app.user["sub"])


def test_the_same_cookies_described_as_json(app):
    answer = app.cookies({"Accept": "application/vnd.drawbridge.cookies+json"})
    assert answer.header("Content-Type") == "application/vnd.drawbridge.cookies+json"
    described = {cookie["name"]: cookie for cookie in json.loads(answer.body)["cookies"]}
    assert {name: cookie.value for name, cookie in answer.cookies.items()} == {
        name: cookie["value"] for name, cookie in described.items()}
    assert described["vagov_info_token"]["http_only"] is False


def test_a_refresh_needs_the_anti_csrf_value_and_nothing_else_will_do(demo, app):
    answer = app.cookies()
    cookies = cookie_header(answer)
    proof = answer.cookies["vagov_anti_csrf_token"].value
    for wrong in [{}, {"X-CSRF-Token": "x"}, {"X-CSRF-Token": app.cookies().cookies["vagov_anti_csrf_token"].value}]:
        refused = wire.send(demo.base, "POST", "/session/refresh", {**cookies, **wrong})
        assert refused.status == 403 and not refused.cookies
    # The page learns it from an answer that only its own origin reads.
    assert session(demo, answer)["anti_csrf_token"] == proof
    renewed = wire.send(demo.base, "POST", "/session/refresh", {**cookies, "X-CSRF-Token": proof})
    assert renewed.status == 200 and set(renewed.cookies) == set(VA_COOKIES)
    assert session(demo, renewed)["authenticated"]


def test_the_parent_of_a_refresh_cookie_is_good_until_its_successor_was_used(demo, app):
    first = app.cookies()

    def renew(answer):
        proof = answer.cookies["vagov_anti_csrf_token"].value
        return wire.send(
            demo.base, "POST", "/session/refresh", {**cookie_header(answer), "X-CSRF-Token": proof})

    lost = renew(first)
    second = renew(first)
    assert lost.status == second.status == 200
    third = renew(second)
    assert third.status == 200
    assert renew(first).status == 401
    assert not session(demo, third)["authenticated"], "the session has ended with the theft"


def test_a_refresh_of_a_session_that_is_over_takes_all_four_cookies_away(demo, app):
    view = app.cookies()
    cookies, proof = cookie_header(view), view.cookies["vagov_anti_csrf_token"].value
    wire.send(demo.base, "POST", "/session/logout", {**cookies, "Origin": demo.base, "Sec-Fetch-Site": "same-origin"})
    refused = wire.send(demo.base, "POST", "/session/refresh", {**cookies, "X-CSRF-Token": proof})
    assert refused.status == 401 and refused.header("WWW-Authenticate") == "Bearer"
    assert {name: cookie.value for name, cookie in refused.cookies.items()} == dict.fromkeys(VA_COOKIES, "")


def test_signing_out_of_the_web_view_ends_it_and_takes_the_cookies_away(demo, app):
    answer = app.cookies()
    out = wire.send(
        demo.base, "POST", "/session/logout",
        {**cookie_header(answer), "Origin": demo.base, "Sec-Fetch-Site": "same-origin"})
    assert out.status == 204
    assert out.cookies["vagov_access_token"].value == ""
    assert not session(demo, answer)["authenticated"]
    assert app.cookies().status == 200, "the app goes on"


def test_cookies_need_the_device_secret_of_the_same_session(demo, app):
    other = App(demo, user="bob").sign_in()
    for change in [{"actor_token": other["device_secret"]}, {"subject_token": other["access_token"]}]:
        answer = app.cookies(**change)
        assert (answer.status, answer.json()["error"]) == (400, "invalid_grant")
        assert not answer.cookies


# Login tokens by exchange


def test_an_access_token_becomes_a_login_token_and_a_website_redeems_it_by_its_back_channel(demo, app):
    issued = app.token(
        grant_type=native.EXCHANGE, subject_token=app.tokens["access_token"],
        subject_token_type=native.ACCESS_TOKEN, requested_token_type=native.LOGIN_TOKEN)
    assert issued.status == 200, issued.text
    answer = issued.json()
    assert (answer["token_type"], answer["issued_token_type"]) == ("N_A", native.LOGIN_TOKEN)
    website = demo.client("demo-web")

    def redeem(client):
        return wire.send(
            demo.base, "POST", "/oauth/token", {"Content-Type": wire.FORM},
            native.urlencode({
                "grant_type": native.EXCHANGE, "subject_token": answer["access_token"],
                "subject_token_type": native.LOGIN_TOKEN, "client_id": client["client_id"],
                "client_secret": client["client_secret"]}).encode())

    stranger = redeem(demo.client("demo-rp"))
    assert (stranger.status, stranger.json()["error"]) == (400, "invalid_grant")
    redeemed = redeem(website)
    assert redeemed.status == 200, redeemed.text
    assert signing.claims_of(redeemed.json()["id_token"])["sub"] == app.user["sub"]
    bearer = {"Authorization": f"Bearer {redeemed.json()['access_token']}"}
    assert wire.send(demo.base, "GET", "/oauth/userinfo", bearer).status == 200
    again = redeem(website)
    assert (again.status, again.json()["error"]) == (400, "invalid_grant")
    # Whoever was second, what the first one got is over.
    assert wire.send(demo.base, "GET", "/oauth/userinfo", bearer).status == 401


# The tree


def test_revoking_the_device_secret_ends_everything_below_it(demo):
    app = App(demo)
    app.sign_in()
    other = app.native_sso().json()
    view = app.cookies()
    assert session(demo, view)["authenticated"]
    assert app.post("/oauth/revoke", token=app.tokens["device_secret"]).status == 200
    assert not session(demo, view)["authenticated"]
    assert app.refresh().json()["error"] == "invalid_grant"
    second = App(demo, "demo-app-b")
    second.tokens = other
    assert second.refresh().json()["error"] == "invalid_grant"
    assert app.native_sso().json()["error"] == "invalid_grant"
    assert app.cookies().json()["error"] in ("invalid_grant", "invalid_token")


@pytest.mark.parametrize("beside", ["access_token", None])
def test_a_device_secret_is_revoked_beside_a_token_and_alone(demo, beside):
    app = App(demo)
    app.sign_in()
    second = App(demo, "demo-app-b")
    second.tokens = app.native_sso().json()
    told = {"token": app.tokens[beside]} if beside else {}
    assert app.post("/oauth/revoke", device_secret=app.tokens["device_secret"], **told).status == 200
    assert app.refresh().json()["error"] == "invalid_grant"
    assert second.refresh().json()["error"] == "invalid_grant", "what the secret spawned"


def test_a_device_secret_of_others_stays_whatever_comes_with_it(demo):
    app = App(demo)
    app.sign_in()
    for told in [{}, {"token": "unknown"}]:
        refused = oauth.post(demo, "/oauth/revoke", {**told, "device_secret": app.tokens["device_secret"]},
                             oauth.basic(demo, "demo-rp"))
        assert (refused.status, refused.json().get("error")) == (400, "invalid_grant"), refused.text
    assert app.refresh().status == 200
    assert app.post("/oauth/revoke").json()["error"] == "invalid_request", "neither came"


def test_what_cannot_be_revoked_leaves_nothing_beside_it_alive(demo):
    app = App(demo)
    app.sign_in()
    secret, id_token = app.tokens["device_secret"], app.tokens["id_token"]
    refused = app.post("/oauth/revoke", token=id_token, device_secret=secret)
    assert (refused.status, refused.json()["error"]) == (400, "unsupported_token_type"), refused.text
    assert app.refresh().status == 400, "the device is over"
    app = App(demo)
    app.sign_in()
    refused = app.post("/oauth/revoke", token=app.tokens["refresh_token"], device_secret=app.tokens["id_token"])
    assert (refused.status, refused.json()["error"]) == (400, "unsupported_token_type"), refused.text
    assert app.refresh().status == 400, "the session is over"


def test_signing_out_of_one_app_ends_its_web_views(demo):
    app = App(demo)
    app.sign_in()
    view = app.cookies()
    assert app.post("/oauth/revoke", token=app.tokens["refresh_token"]).status == 200
    assert not session(demo, view)["authenticated"]
    assert app.native_sso().json()["error"] == "invalid_grant", "sid is over"


def test_introspection_knows_device_secrets(demo, app):
    service = demo.client("demo-admin")
    fields = {"client_id": service["client_id"], "client_secret": service["client_secret"]}

    def introspect(token):
        return wire.send(
            demo.base, "POST", "/oauth/introspect", {"Content-Type": wire.FORM},
            native.urlencode({**fields, "token": token}).encode()).json()

    found = introspect(app.tokens["device_secret"])
    assert (found["active"], found["sub"]) == (True, app.user["sub"])
    assert introspect("ds_" + "A" * 49) == {"active": False}


# Limits


def test_ten_exchanges_a_minute_then_a_quarter_of_an_hour(start_demo):
    demo = start_demo()
    app = App(demo)
    app.sign_in()
    assert [app.cookies().status for _ in range(10)] == [200] * 10
    blocked = app.native_sso()
    assert (blocked.status, blocked.json()["error"]) == (429, "slow_down")
    assert 890 <= int(blocked.header("Retry-After")) <= 900


@pytest.mark.parametrize("change", [{"maxAttemptsPerMinute": 100}, {"blockDurationMinutes": 1}])
def test_a_changed_rate_limit_reaches_a_device_that_is_blocked(start_demo, change):
    demo = start_demo()
    app = App(demo)
    app.sign_in()
    assert [app.cookies().status for _ in range(11)] == [200] * 10 + [429]
    assert admin(demo, "PUT", SETTINGS, {"deviceSecretTTLDays": 31}).status == 200
    assert app.cookies().status == 429, "that is another setting"
    assert admin(demo, "PUT", SETTINGS, {"rateLimit": change}).status == 200
    assert app.cookies().status == 200


def test_no_secret_is_in_a_log(demo, app):
    output = demo.output
    for secret in [app.tokens[name] for name in ("device_secret", "access_token", "id_token", "refresh_token")]:
        assert secret not in output
