"""What the VA's sign-in service is known to get wrong, one named test each that this service does not
(docs/native-sso.md, "The VA's known defects")."""

import json
import re
import secrets
import sqlite3
import time
from datetime import datetime
from urllib.parse import urlencode

import pytest

import native
import oauth
import signing
import wire
from admin import admin
from apps import registered
from native import App, Browser, cookie_header, session
from va import BASE, VAApp, is_signed_in, post


@pytest.fixture
def app(demo) -> VAApp:
    app = VAApp(demo)
    app.sign_in()
    return app


#: Where times of a sign-in stand.
AGEING = {"app_session": ["created_at", "expires_at"], "device_secret": ["created_at", "expires_at"],
          "device_secret_digest": ["issued_at"], "refresh_token": ["issued_at", "expires_at"]}


@pytest.fixture
def aged(start_demo):
    """Signs in and lets so many minutes pass: the rows become older while the service is down."""

    def wait(minutes: int, tables: tuple = tuple(AGEING)) -> VAApp:
        demo = start_demo("--no-limits")
        app = VAApp(demo)
        app.sign_in()
        secret, port = app.tokens["device_secret"], demo.port
        assert demo.stop() == 0
        with sqlite3.connect(demo.data / "drawbridge.sqlite") as database:
            for table in tables:
                changes = ", ".join(f"{column} = {column} - {minutes * 60_000}" for column in AGEING[table])
                database.execute(f"UPDATE {table} SET {changes}")
        app.demo = start_demo("--no-limits", data=demo.data, port=port)
        # The access token of then has run out; the app refreshes it as it always does.
        fresh = post(app.demo, "refresh", refresh_token=app.tokens["refresh_token"], device_secret=secret)
        assert fresh.status == 200, fresh.text
        app.tokens = {**fresh.json()["data"], "device_secret": secret}
        return app

    return wait


def seconds_until(moment: str) -> float:
    return datetime.fromisoformat(moment).timestamp() - time.time()


def exchange(app: VAApp, **changes) -> wire.Answer:
    return app.web_cookies(**changes)


def test_raw_tokens_are_never_logged_by_the_exchange(demo, app):
    """Its exchanger logged subject_token and actor_token, of refused requests too."""
    view = exchange(app)
    forged = "ds_" + secrets.token_urlsafe(36)
    assert exchange(app, actor_token=forged).status == 400
    assert exchange(app, subject_token=app.tokens["access_token"] + "x").status == 400
    post(demo, "refresh", refresh_token=app.tokens["refresh_token"])
    post(demo, "revoke", refresh_token=app.tokens["refresh_token"], device_secret=app.tokens["device_secret"])
    written = demo.output + "".join(str(event) for event in demo.audit())
    for value in [forged, *app.tokens.values(), *(cookie.value for cookie in view.cookies.values())]:
        if isinstance(value, str) and len(value) >= 24:
            assert value not in written


def test_the_audience_and_the_scope_of_an_exchange_are_checked(app):
    """Neither was."""
    assert exchange(app, audience="https://elsewhere.example").status == 400
    assert exchange(app, scope="openid profile admin").status == 400
    assert exchange(app, scope="profile").status == 400
    assert exchange(app, audience=app.demo.facts["issuer"]).status == 200


def test_the_secret_of_another_session_of_the_same_user_opens_nothing(demo, app):
    """The hash was compared with that of the token's row alone; here session, token and device must belong together."""
    other = VAApp(demo)
    other.sign_in()
    for change in [{"actor_token": other.tokens["device_secret"]}, {"subject_token": other.tokens["access_token"]}]:
        answer = exchange(app, **change)
        assert (answer.status, answer.json()["errors"]) == (400, "actor token is invalid")


def test_exchanges_are_limited_on_its_path_too(start_demo):
    """It had no throttle."""
    app = VAApp(start_demo())
    app.sign_in()
    assert [exchange(app).status for _ in range(10)] == [200] * 10
    blocked = exchange(app)
    assert blocked.status == 429 and 890 <= int(blocked.header("Retry-After")) <= 900
    assert blocked.json()["error"] == "slow_down"
    # One limit for both paths.
    assert app.cookies().status == 429


def test_a_device_secret_has_no_more_than_ten_living_sessions_at_a_website(start_demo):
    """It had no limit of rows per secret: whoever had one could keep as many sessions in store as they liked."""
    demo = start_demo()
    raised = admin(demo, "PUT", "/api/admin/settings/native-sso", {"rateLimit": {"maxAttemptsPerMinute": 100}})
    assert raised.status == 200, raised.text
    app, bystander = VAApp(demo), VAApp(demo)
    app.sign_in()
    bystander.sign_in()
    other = exchange(bystander)
    views = [exchange(app) for _ in range(12)]
    assert [view.status for view in views] == [200] * 12
    assert [is_signed_in(demo, view) for view in views] == [False] * 2 + [True] * 10
    assert is_signed_in(demo, other), "another device of the same user has room of its own"
    assert [event["reason"] for event in demo.audit("web_session.ended")] == ["too_many_of_device"] * 2


def test_a_device_secret_has_256_bits(demo, app):
    """It had 128."""
    assert re.fullmatch(r"ds_[A-Za-z0-9_-]{49}", app.tokens["device_secret"]), "32 random bytes and a checksum"


def test_a_disabled_user_gets_no_further_web_session(start_demo):
    """Every spawn asks again whether the account may be used."""
    demo = start_demo("--no-limits")
    app = VAApp(demo, user="bob")
    app.sign_in()
    view = exchange(app)
    assert admin(demo, "PATCH", f"/api/admin/users/{app.user['sub']}", {"disabled": True}).status == 200
    answer = exchange(app)
    assert answer.status in (400, 401) and "errors" in answer.json()
    assert not is_signed_in(demo, view)


def test_signing_out_in_the_app_ends_the_web_views(demo, app):
    """Issue 9286: they went on."""
    views = [exchange(app), exchange(app)]
    answer = post(demo, "revoke", refresh_token=app.tokens["refresh_token"], device_secret=app.tokens["device_secret"])
    assert answer.status == 200
    assert not any(is_signed_in(demo, view) for view in views)


def test_after_a_sign_out_the_next_sign_in_has_a_new_secret(demo, app):
    old = app.tokens["device_secret"]
    post(demo, "revoke", refresh_token=app.tokens["refresh_token"], device_secret=old)
    again = VAApp(demo)
    assert again.sign_in()["device_secret"] != old
    assert exchange(again).status == 200
    assert exchange(again, actor_token=old).json()["errors"] == "actor token is invalid"


def test_a_stolen_refresh_token_does_not_end_somebody_elses_device(demo, app):
    bob = VAApp(demo, user="bob")
    bob.sign_in()
    assert post(demo, "revoke", refresh_token=bob.tokens["refresh_token"],
                device_secret=app.tokens["device_secret"]).status == 401
    assert exchange(app).status == 200 and exchange(bob).status == 200
    assert post(demo, "revoke", refresh_token="nothing of ours").status == 401
    reasons = [event["reason"] for event in demo.audit("token_request.refused")]
    assert reasons[-2:] == ["wrong_device_secret", "unknown_refresh_token"]


@pytest.mark.parametrize("fields", [{"native_sso_enabled": True}, {}], ids=str)
def test_attack_an_app_that_a_device_is_not_shared_with_ends_nothing_by_the_old_path(demo, app, fields):
    """Contract §16.7: of the same user, and it got hold of the device's secret."""
    other = App(demo, registered(demo, **fields))
    other.sign_in("openid offline_access")
    refused = post(demo, "revoke", refresh_token=other.tokens["refresh_token"],
                   device_secret=app.tokens["device_secret"])
    assert (refused.status, refused.json()["errors"]) == (401, "the device secret is not valid"), refused.text
    claims = signing.claims_of(other.tokens["access_token"])
    event = demo.audit("token_request.refused")[-1]
    assert (event["reason"], event["client_id"]) == ("wrong_device_secret", other.client_id)
    assert (event["subject"], event["session_id"]) == (claims["sub"], claims["sid"])
    assert json.loads(event["detail"]) == {"device_secret_id": oauth.introspect(
        demo, app.tokens["device_secret"])["device_secret_id"]}, "which device it was to end"
    assert exchange(app).status == 200, "the device goes on"
    assert other.refresh().status == 200, "and so does the app's own session"


def test_an_app_that_a_device_is_shared_with_ends_it(demo, app):
    other = VAApp(demo, "demo-app-b")
    other.sign_in()
    assert post(demo, "revoke", refresh_token=other.tokens["refresh_token"],
                device_secret=app.tokens["device_secret"]).status == 200
    assert exchange(app).status != 200


def test_a_sign_out_by_another_site_does_nothing(demo, app):
    """GET with a Lax cookie signed the user out from any page; neither GET nor a foreign POST does."""
    view = exchange(app)
    foreign = {**cookie_header(view), "Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site",
               "Content-Type": wire.FORM}
    for path in ["logout", "revoke_all_sessions"]:
        for site in ["cross-site", "same-site", "none"]:
            page = wire.send(demo.base, "GET", f"{BASE}/{path}", {
                **wire.NAVIGATION, **cookie_header(view), "Sec-Fetch-Site": site})
            assert page.status == 200
        assert wire.send(demo.base, "HEAD", f"{BASE}/{path}", cookie_header(view)).status in (200, 405)
        assert wire.send(demo.base, "POST", f"{BASE}/{path}", foreign, b"").status == 403
    assert wire.send(demo.base, "POST", "/session/refresh", foreign, b"").status == 400
    assert is_signed_in(demo, view)


def test_the_anti_csrf_value_is_not_taken_from_the_cookie(demo, app):
    """`params || cookies`: the browser supplied the proof itself, at refresh, revoke and logout."""
    view = exchange(app)
    cookies = cookie_header(view)
    for headers in [cookies, {**cookies, "X-CSRF-Token": ""}, {**cookies, "X-CSRF-Token": "0" * 43}]:
        for path in [f"{BASE}/refresh", "/session/refresh"]:
            answer = wire.send(demo.base, "POST", path, headers, b"")
            assert answer.status == 403 and not answer.cookies
    assert is_signed_in(demo, view)


def test_a_refreshed_access_token_is_still_good_for_an_exchange_again_and_again(demo, app):
    """An old refresher dropped the device secret's hash: single sign-on ended with the first refresh."""
    for _ in range(4):
        fresh = post(demo, "refresh", refresh_token=app.tokens["refresh_token"])
        assert fresh.status == 200, fresh.text
        app.tokens = {**app.tokens, **fresh.json()["data"], "device_secret": app.tokens["device_secret"]}
        view = exchange(app)
        assert view.status == 200 and is_signed_in(demo, view)


@pytest.mark.parametrize("minutes", [40, 29 * 24 * 60])
def test_the_end_of_a_web_session_counts_from_now_and_not_from_the_sign_in(aged, minutes):
    """Issue 9833: a web view opened half an hour after the sign-in was over before it began."""
    app = aged(minutes)
    view = exchange(app)
    assert view.status == 200, view.text
    found = session(app.demo, view)
    assert found["authenticated"]
    assert 29 * 60 < seconds_until(found["idle_expires_at"]) <= 30 * 60


def test_a_web_session_ends_with_the_sign_in_that_it_hangs_below(aged):
    """The cap was inherited by copying the sign-in's beginning; here the end is the earlier of the two."""
    app = aged(90 * 24 * 60 - 10, tables=("app_session",))
    view = exchange(app)
    assert view.status == 200, view.text
    found = session(app.demo, view)
    assert 0 < seconds_until(found["expires_at"]) <= 10 * 60
    assert found["idle_expires_at"] == found["expires_at"]


def test_a_device_secret_that_is_older_than_its_lifetime_opens_nothing(aged):
    # The app was in use all the time: its refresh token is young.
    app = aged(31 * 24 * 60, tables=("app_session", "device_secret", "device_secret_digest"))
    assert exchange(app).json()["errors"] == "actor token is invalid"


@pytest.mark.parametrize("body, media", [
    (b"grant_type=%zz", wire.FORM), (b"grant_type=" + b"a" * 100, wire.FORM), (b"\xff\xfe", wire.FORM),
    (b"{", "application/json"), (b"[]", "application/json"), (b'{"grant_type":{}}', "application/json"),
    (b"grant_type=a&grant_type=b", wire.FORM), (b"", wire.FORM),
], ids=["bad escape", "unknown grant", "not UTF-8", "half JSON", "JSON list", "JSON object as value", "repeated", "empty"])
@pytest.mark.parametrize("path", ["token", "refresh", "revoke"])
def test_whatever_is_sent_is_a_clean_error(demo, path, body, media):
    """A nil where a row was expected was a 500."""
    answer = wire.send(demo.base, "POST", f"{BASE}/{path}", {"Content-Type": media}, body)
    assert answer.status in (400, 401), answer.text
    assert set(answer.json()) == {"errors", "error"} and answer.json()["errors"]


def test_a_code_without_its_verifier_or_with_plain_is_refused(demo):
    app = VAApp(demo)
    challenge = secrets.token_urlsafe(32)
    for change in [{"code_challenge_method": "plain"}, {"code_challenge": ""}]:
        query = {"client_id": "demo-app", "application": "vamobile", "oauth": "true", "scope": "device_sso",
                 "code_challenge": challenge, "code_challenge_method": "S256", "state": "s" * 22, **change}
        location = Browser(demo.base).sign_in(f"{BASE}/authorize?{urlencode(query)}", app.user)
        assert location.startswith(native.CALLBACK) and "error=invalid_request" in location
    code = App.code(app, path=f"{BASE}/authorize")
    answer = post(demo, "token", grant_type="authorization_code", code=code)
    assert answer.status == 400


def test_a_web_view_s_session_never_becomes_an_app_s(demo, app):
    """web → app takes a sign-in in this browser: what an app lent a web view leads to the sign-in page."""
    view = exchange(app)
    query = {"client_id": "demo-app", "code_challenge": signing.challenge(secrets.token_urlsafe(48)),
             "code_challenge_method": "S256", "state": "s" * 22}
    for scope in ["openid", "device_sso", "offline_access device_sso"]:
        answer = wire.send(
            demo.base, "GET", f"{BASE}/authorize_sso?{urlencode({**query, 'scope': scope})}", cookie_header(view))
        location = answer.header("Location")
        assert answer.status == 303 and location.startswith(f"{demo.base}/oauth/authorize?"), location
        asked = wire.send(demo.base, "GET", location.removeprefix(demo.base), cookie_header(view))
        assert asked.status == 303 and "/sign-in?" in asked.header("Location")
