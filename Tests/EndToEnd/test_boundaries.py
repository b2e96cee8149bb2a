"""Nothing grows along a hand-off: one test for each rule of contract §16, and for what a review once got through."""

import sqlite3
import time
from datetime import datetime
from urllib.parse import urlencode

import pytest

import boundaries
import instance
import signing
import wire
from admin import admin
from boundaries import World, asks_to_sign_in, error, is_alive, is_signed_in, issue
from native import App, Browser
from receiver import Receiver, Silent


@pytest.fixture(scope="module")
def world(demo) -> World:
    return World(demo)


def cookie_header(answer: wire.Answer) -> dict:
    return {"Cookie": wire.cookie_header(answer)}


def end(session: dict) -> float:
    return datetime.fromisoformat(session["expires_at"]).timestamp()


# 16.1, 16.3: what a handed-off session lends, it lends from itself


def test_16_1_what_a_website_got_from_a_handed_off_session_ends_with_that(demo, world):
    browser = world.handed_off(world.app())
    tokens = world.tokens(browser, world.website)
    assert is_alive(demo, tokens["access_token"])
    assert boundaries.sign_out(browser).status == 204
    assert not is_alive(demo, tokens["access_token"])


def test_16_1_a_sign_in_of_the_person_lends_further_than_a_hand_off(demo, world):
    browser = Browser(demo.base)
    world.app(browser=browser)
    assert "code" in boundaries.parse_qs(
        boundaries.urlsplit(world.authorize(browser, world.app_client, "openid offline_access").header("Location")).query)
    assert not asks_to_sign_in(world.authorize(browser, world.stranger))


def test_16_3_a_website_in_reach_is_answered_silently_and_one_out_of_reach_is_not(world):
    browser = world.handed_off(world.app())
    assert world.code(browser, world.website)
    assert asks_to_sign_in(world.authorize(browser, world.stranger))
    assert error(world.authorize(browser, world.stranger, prompt="none")) == "login_required"


def test_16_3_a_website_gets_no_refresh_token_and_no_more_life_than_the_session_has(world):
    app = world.app()
    browser = world.handed_off(app)
    tokens = world.tokens(browser, world.website, "openid profile")
    assert "refresh_token" not in tokens
    assert time.time() + tokens["expires_in"] <= end(boundaries.session(browser)) + 2
    said, before = signing.claims_of(tokens["id_token"]), signing.claims_of(app.tokens["id_token"])
    assert said["auth_time"] <= before["auth_time"]
    assert (said["acr"], said.get("amr")) == (before["acr"], before.get("amr"))


def test_16_3_asking_for_offline_access_takes_a_sign_in(world):
    browser = world.handed_off(world.app())
    assert asks_to_sign_in(world.authorize(browser, world.website, "openid offline_access"))
    assert error(world.authorize(browser, world.website, "openid offline_access", prompt="none")) == "login_required"


# contract §16.2: what takes a sign-in of the person


@pytest.mark.parametrize("scope", [
    "openid", "openid profile", "openid offline_access", "openid device_sso", "openid offline_access device_sso"])
def test_16_2_a_native_app_is_granted_nothing_in_a_handed_off_session(world, scope):
    browser = world.handed_off(world.app())
    assert asks_to_sign_in(world.authorize(browser, world.app_client, scope))
    assert error(world.authorize(browser, world.app_client, scope, prompt="none")) == "login_required"


def test_16_2_nor_over_a_pushed_request(demo, world):
    browser = world.handed_off(world.app())
    query = boundaries.authorize_target(world.app_client, "openid offline_access").partition("?")[2]
    pushed = demo.send("POST", "/oauth/par", None, query)
    assert pushed.status == 201, pushed.body
    target = "/oauth/authorize?" + urlencode(
        {"client_id": world.app_client["client_id"], "request_uri": pushed.json()["request_uri"]})
    assert asks_to_sign_in(browser.send("GET", target))


def test_16_2_a_second_factor_is_set_up_only_where_the_person_signed_in(demo, world):
    own = Browser(demo.base)
    world.app(browser=own)
    assert 'autocomplete="one-time-code"' in own.send("GET", "/account/second-factor").text
    handed_off = world.handed_off(world.app())
    answer = handed_off.send("GET", "/account/second-factor")
    assert asks_to_sign_in(answer), answer.text
    posted = handed_off.send(
        "POST", "/account/second-factor",
        {"Content-Type": wire.FORM, "Origin": demo.base, "Sec-Fetch-Site": "same-origin"}, b"code=123456")
    assert posted.status != 200 and "one-time-code" not in posted.text


# 16.4: no chains


def test_16_4_what_hangs_under_a_login_link_issues_none(demo, world):
    tokens = world.tokens(world.handed_off(world.app()), world.website)
    answer = issue(App(demo), access_token=tokens["access_token"])
    assert (answer.status, answer.json()["error"]) == (403, "unauthorized_client")


def test_16_4_a_web_views_session_issues_none(demo, world):
    app = world.app()
    view = app.cookies()
    assert view.status == 200, view.text
    answer = issue(app, access_token=view.cookies["vagov_access_token"].value)
    assert (answer.status, answer.json()["error"]) == (403, "unauthorized_client")
    assert "token" not in answer.json()


def test_16_4_the_second_app_of_a_sign_in_opens_websites(demo):
    app = App(demo)
    app.sign_in()
    second = app.native_sso()
    assert second.status == 200, second.text
    answer = issue(app, access_token=second.json()["access_token"])
    assert answer.status == 200, answer.body
    assert demo.redeem(answer.json()["token"]).status == 303


# contract §16.5: a replay ends all that came of the first use


def test_16_5_a_replay_ends_sessions_grants_codes_and_tokens(demo, world):
    app = world.app()
    link = world.login_token(app)["token"]
    thief = Browser(demo.base)
    assert thief.send("GET", f"/login-with-token?token={link}").status == 303
    granted = world.tokens(thief, world.website)
    pending = world.code(thief, world.website)
    assert is_signed_in(thief) and is_alive(demo, granted["access_token"])

    owner = wire.send(demo.base, "GET", f"/login-with-token?token={link}", wire.OTHER_BROWSER)

    assert owner.status == 400 and not owner.session_cookie
    assert not is_signed_in(thief)
    assert not is_alive(demo, granted["access_token"])
    assert world.redeem_code(world.website, pending).json()["error"] == "invalid_grant"
    assert app.refresh().status == 200, "the app itself is not to blame"


def test_f3_a_stolen_link_becomes_no_grant_that_survives_its_replay(demo, world):
    """The review's way, with every client and scope there is."""
    app = world.app()
    link = world.login_token(app)["token"]
    thief = Browser(demo.base)
    assert thief.send("GET", f"/login-with-token?token={link}").status == 303
    clients = [world.app_client, world.website, world.stranger,
               *({**client, "client_type": "native"} for client in demo.facts["clients"]
                 if client["client_id"] in ("demo-app", "demo-app-b"))]
    loot = []
    for client in clients:
        for scope in ["openid", "openid profile", "openid offline_access", "openid device_sso",
                      "openid offline_access device_sso"]:
            location = world.authorize(thief, client, scope).header("Location") or ""
            if "code=" in location:
                code = boundaries.parse_qs(boundaries.urlsplit(location).query)["code"][0]
                loot.append(world.redeem_code(client, code).json())
    assert loot, "the website in reach is the one that answers"
    for tokens in loot:
        assert "refresh_token" not in tokens and "device_secret" not in tokens
        assert issue(app, access_token=tokens["access_token"]).status == 403

    assert wire.send(demo.base, "GET", f"/login-with-token?token={link}", wire.OTHER_BROWSER).status == 400

    assert not is_signed_in(thief)
    assert not any(is_alive(demo, tokens["access_token"]) for tokens in loot)


def in_place_of_the_sign_in(demo, world, app: App, browser: Browser) -> str:
    """The app's link, which the browser of its own sign-in has opened."""
    link = world.login_token(app)["token"]
    before = browser.jar["__Host-drawbridge_session"]
    assert browser.send("GET", f"/login-with-token?token={link}").status == 303
    assert browser.jar["__Host-drawbridge_session"] != before
    return link


def test_16_5_a_replayed_link_ends_no_app_of_the_sign_in_whose_place_it_took(demo, world):
    browser = Browser(demo.base)
    app, other = world.app(browser=browser), world.app(browser=browser)
    link = in_place_of_the_sign_in(demo, world, app, browser)
    granted = world.tokens(browser, world.website)

    assert wire.send(demo.base, "GET", f"/login-with-token?token={link}", wire.OTHER_BROWSER).status == 400

    assert not is_signed_in(browser) and not is_alive(demo, granted["access_token"])
    assert app.refresh().status == other.refresh().status == 200, "neither came of the link"


def test_16_6_an_app_ends_no_other_by_a_link_in_the_browser_of_both(demo, world):
    browser = Browser(demo.base)
    app, other = world.app(browser=browser), world.app(browser=browser)
    in_place_of_the_sign_in(demo, world, app, browser)

    assert boundaries.revoke_device_secret(app).status == 200

    assert not is_signed_in(browser), "what the app opened ends with it"
    assert app.refresh().json()["error"] == "invalid_grant"
    assert other.refresh().status == 200


def test_16_6_who_ends_a_browser_ends_what_it_had_before_its_link_too(demo, world):
    browser = Browser(demo.base)
    app = world.app(browser=browser)
    granted = world.tokens(browser, world.website)
    in_place_of_the_sign_in(demo, world, app, browser)
    assert is_alive(demo, granted["access_token"])

    assert boundaries.sign_out(browser).status == 204

    assert not is_alive(demo, granted["access_token"])


# contract §16.6: an end reaches all that hangs below


def test_16_6_a_revoked_device_secret_ends_what_was_granted_two_edges_below(demo, world):
    app = world.app("bob")
    browser = world.handed_off(app)
    granted = world.tokens(browser, world.website)
    pending = world.code(browser, world.website)
    beside = world.app("bob")

    assert boundaries.revoke_device_secret(app).status == 200

    assert app.refresh().json()["error"] == "invalid_grant"
    assert not is_signed_in(browser)
    assert not is_alive(demo, granted["access_token"])
    assert world.redeem_code(world.website, pending).json()["error"] == "invalid_grant"
    assert beside.refresh().status == 200, "what is beside it is not touched"


def test_16_6_a_revoked_device_secret_is_told_to_the_websites_below_once(demo):
    receiver = Receiver()
    world = World(demo, backchannel_logout_uri=receiver.uri)
    app = world.app("bob")
    granted = world.tokens(world.handed_off(app), world.website)
    assert boundaries.revoke_device_secret(app).status == 200
    instance.wait_until(lambda: receiver.tokens, what="the logout token")
    told = signing.claims_of(receiver.tokens[0])
    said = signing.claims_of(granted["id_token"])
    assert (told["sub"], told["sid"]) == (said["sub"], said["sid"])
    instance.wait_until(lambda: demo.audit("logout_notice.sent"), what="the record")
    receiver.close()
    assert len(receiver.tokens) == 1


def test_16_6_a_website_that_answers_nobody_delays_no_other(start_demo):
    """Its connections are taken and never answered."""
    demo = start_demo("--no-limits")
    with Silent() as silent:
        dead = World(demo, backchannel_logout_uri=silent.uri)
        receiver = Receiver()
        alive = World(demo, backchannel_logout_uri=receiver.uri)
        for _ in range(40):
            browser = Browser(demo.base)
            dead.app(browser=browser)
            dead.tokens(browser, dead.website)
            boundaries.sign_out(browser)
        instance.wait_until(lambda: silent.connections, what="the notices to the dead one")
        app = alive.app()
        alive.tokens(alive.handed_off(app), alive.website)
        boundaries.revoke_device_secret(app)
        instance.wait_until(lambda: receiver.tokens, 15, "the notice to the living one")
        receiver.close()


# contract §16.7: the compatibility paths


def test_16_7_authorize_sso_makes_no_session_of_an_app_from_a_web_view(demo, world):
    app = world.app()
    view = app.cookies()
    assert view.status == 200, view.text
    for scope in ["openid", "device_sso", "offline_access device_sso"]:
        query = {"client_id": "demo-app", "code_challenge": signing.challenge(boundaries.VERIFIER),
                 "code_challenge_method": "S256", "scope": scope, "state": "s" * 22}
        answer = demo.send("GET", "/v0/sign_in/authorize_sso?" + urlencode(query), cookie_header(view))
        assert answer.status == 303 and answer.header("Location").startswith(f"{demo.base}/oauth/authorize?")
        browser = Browser(demo.base)
        browser.jar = {name: cookie.value for name, cookie in view.cookies.items()}
        assert asks_to_sign_in(browser.send("GET", answer.header("Location")))


def test_16_7_what_an_openid_bearer_hands_off_knows_no_more_than_its_scope(demo, world):
    app = world.app(scope="openid")
    browser = world.handed_off(app)
    assert world.tokens(browser, world.website, "openid profile email")["scope"] == "openid"


# contract §16: no session outlives the one that it came from


def test_f22_a_session_from_a_login_link_ends_with_the_apps_at_the_latest(start_demo):
    demo = start_demo("--no-limits")
    app = App(demo)
    app.sign_in()
    port = demo.port
    assert demo.stop() == 0
    with sqlite3.connect(demo.data / "drawbridge.sqlite") as database:
        last = int(time.time() * 1000) + 300_000
        database.execute("UPDATE app_session SET expires_at = ?", (last,))
    demo = start_demo("--no-limits", data=demo.data, port=port)
    app.demo = demo
    answer = demo.redeem(issue(app, demo).json()["token"])
    assert answer.status == 303, answer
    assert end(demo.session(answer.session_cookie)) * 1000 <= last


# §7: ends that used to leave something behind


def test_7_signing_out_with_the_apps_id_token_ends_its_device_secret_too(demo):
    app = App(demo)
    app.sign_in()
    browser = Browser(demo.base)
    second = App(demo)
    second.sign_in(browser=browser)
    page = browser.send("GET", "/oauth/logout?" + urlencode({"id_token_hint": second.tokens["id_token"]}))
    if page.status == 200:
        browser.submit(page, "/oauth/logout")
    assert second.refresh().json()["error"] == "invalid_grant"
    assert second.native_sso().json()["error"] == "invalid_grant"
    assert app.native_sso().status == 200, "another device is not touched"


def test_7_a_disabled_users_unused_login_tokens_are_void_for_good(start_demo):
    demo = start_demo("--no-limits")
    token = demo.issue("bob")["token"]
    user = f"/api/admin/users/{demo.user('bob')['sub']}"
    assert admin(demo, "PATCH", user, {"disabled": True}).status == 200
    assert demo.redeem(token).status == 400
    assert admin(demo, "PATCH", user, {"disabled": False}).status == 200
    assert demo.redeem(token).status == 400, "what was ended stays ended"
    assert demo.redeem(demo.issue("bob")["token"]).status == 303, "the user is welcome again, at once on this node"
    assert demo.redeem(token).status == 400


def test_3_a_trusted_issuers_bearer_gets_nothing_from_the_moment_that_its_user_is_disabled(start_demo):
    demo = start_demo("--no-limits")
    token = demo.issue("bob")
    assert admin(demo, "PATCH", f"/api/admin/users/{demo.user('bob')['sub']}", {"disabled": True}).status == 200
    refused = demo.post_issue(sub="bob")
    assert (refused.status, refused.json()["error"]) == (401, "invalid_token")
    assert demo.audit("login_token.refused")[0]["reason"] == "subject_disabled"
    for method, name in [("GET", token["id"]), ("DELETE", token["id"]), ("GET", "unknown"), ("DELETE", "unknown")]:
        refused = demo.send(method, f"/api/auth/sso-tokens/{name}", demo.authorization("bob"))
        assert (refused.status, refused.json()["error"]) == (401, "invalid_token"), (method, name)
        assert 'error="invalid_token"' in (refused.header("WWW-Authenticate") or "")
    told = [(event["reason"], event["subject"], event["client_id"]) for event in demo.audit("bearer.refused")]
    assert told == [("subject_disabled", demo.user("bob")["sub"], "demo-app")] * 3, "of four; the rest is a number"


# §4.3: a double tap


def test_4_3_a_tap_that_comes_again_over_the_other_address_family_is_no_replay(serve):
    server = serve("trusted_proxies: [127.0.0.0/8]")
    token = server.issue()["token"]
    first = server.redeem(token, {"X-Forwarded-For": "203.0.113.7"})
    again = server.redeem(token, {"X-Forwarded-For": "2001:db8::7"})
    assert (first.status, again.status) == (303, 303)
    assert first.session_cookie and not again.session_cookie
    session = server.send("GET", "/session", {"Cookie": first.session_cookie}).json()
    assert session["authenticated"]
    repeated = [row for row in instance.audit_rows(server.data) if row["type"] == "login_token.repeated"]
    assert len(repeated) == 1 and repeated[0]["outcome"] == "success"


def test_4_3_nor_is_one_from_the_same_network_but_one_from_another_network_is(serve):
    server = serve("trusted_proxies: [127.0.0.0/8]")
    token = server.issue()["token"]
    assert server.redeem(token, {"X-Forwarded-For": "203.0.113.7"}).status == 303
    assert server.redeem(token, {"X-Forwarded-For": "203.0.113.99"}).status == 303
    assert server.redeem(token, {"X-Forwarded-For": "198.51.100.9"}).status == 400


# §16.3: a website's own host


def test_16_3_the_session_of_a_link_for_one_website_is_none_at_the_host_of_another(demo):
    elsewhere = {"public_origin": "https://elsewhere.example", "return_paths": ["/"], "default_return_path": "/"}
    reached = World(demo, public_origin="https://reached.example", return_paths=["/"],
                    default_return_path="/")
    other = reached.client({
        "client_name": "Elsewhere", "client_type": "web", "redirect_uris": [boundaries.RP_CALLBACK], **elsewhere})
    app = reached.app()
    assert issue(app, client_id=other["client_id"]).status == 403
    browser = reached.handed_off(app)
    cookie = "; ".join(f"{name}={value}" for name, value in browser.jar.items())

    def seen(host: str | None) -> tuple[int, bool]:
        headers = {"Cookie": cookie, **({"Host": host} if host else {})}
        check = wire.send(demo.base, "GET", "/auth/check", headers)
        return check.status, wire.send(demo.base, "GET", "/session", headers).json()["authenticated"]

    assert seen(None) == (200, True)
    assert seen("reached.example") == (200, True), "a website that the app may open"
    assert seen("elsewhere.example") == (401, False), "one that it may not"

    def checked(website: str, host: str | None = None) -> int:
        headers = {"Cookie": cookie, **({"Host": host} if host else {})}
        return wire.send(demo.base, "GET", "/auth/check?website=" + website, headers).status

    ours, its = reached.website["client_id"], other["client_id"]
    assert checked(ours, "drawbridge.internal") == checked(ours, "reached.example") == 200, "as by its own host"
    assert checked(its, "drawbridge.internal") == checked(its, "elsewhere.example") == 401, "and never more than by that"
    for host in [None, "reached.example", "elsewhere.example", "drawbridge.internal"]:
        assert checked("nobody", host) == 400
    # A proxy that passes Host and its visitor's query on: nobody says by that query which website it is.
    for host in [None, "elsewhere.example"]:
        assert checked(ours, host) == 400
    for host in [None, "reached.example"]:
        assert checked(its, host) == 400
