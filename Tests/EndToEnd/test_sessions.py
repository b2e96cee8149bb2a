"""Contract §6: session cookie, `/session`, `/auth/check`, sign-out, the browser's script."""

import re
import sqlite3
import time

import pytest

import oauth
import wire

SAME_ORIGIN = {**wire.NAVIGATION, "Sec-Fetch-Site": "same-origin"}


def test_session_when_signed_out_is_200(demo):
    for cookie in [None, f"{wire.SESSION_COOKIE}=nonsense", f"{wire.SESSION_COOKIE}=", "other=1"]:
        answer = demo.send("GET", "/session", {"Cookie": cookie} if cookie else None)
        assert answer.status == 200 and answer.json() == {"authenticated": False}
        assert answer.header("Cache-Control") == "no-store"


def test_session_when_signed_in(demo):
    cookie = demo.sign_in("alice")
    session = demo.session(cookie)
    assert {"authenticated", "sub", "expires_at", "idle_expires_at", "origin"} <= set(session)
    assert set(session) <= {
        "authenticated", "sub", "expires_at", "idle_expires_at", "acr", "amr", "auth_time", "origin"}
    assert session["sub"] == demo.user("alice")["sub"]
    assert session["origin"] == "login_token"


def test_session_repeats_how_the_app_signed_in(demo):
    bearer = demo.bearer(sid="p1", auth_time=int(time.time()) - 30, acr="aal2", amr=["pwd", "otp"])
    token = demo.send("POST", "/api/auth/create-sso-token", {"Authorization": f"Bearer {bearer}"}).json()["token"]
    session = demo.session(demo.redeem(token).session_cookie)
    assert (session["acr"], session["amr"]) == ("aal2", ["pwd", "otp"])


def test_a_session_cookie_given_twice_is_not_guessed_about(demo):
    cookie = demo.sign_in()
    doubled = f"{cookie}; {wire.SESSION_COOKIE}=x"
    answer = demo.send("GET", "/session", {"Cookie": doubled})
    assert (answer.status, answer.json()) == (200, {"authenticated": False})


# /auth/check

def check(demo, cookie=None, query=""):
    return demo.send("GET", f"/auth/check{query}", {"Cookie": cookie} if cookie else None)


def test_check_tells_the_proxy_who(demo):
    bearer = demo.bearer(acr="aal1", auth_time=int(time.time()))
    token = demo.send("POST", "/api/auth/create-sso-token", {"Authorization": f"Bearer {bearer}"}).json()["token"]
    cookie = demo.redeem(token).session_cookie
    answer = check(demo, cookie)
    assert (answer.status, answer.body) == (200, b"")
    assert answer.header("X-Auth-Subject") == demo.user("alice")["sub"]
    assert answer.header("X-Auth-Acr") == "aal1"
    assert answer.header("X-Auth-Session") and answer.header("X-Auth-Session") not in cookie
    assert not answer.all("Set-Cookie")


def test_check_without_a_session_is_401_and_says_nothing(demo):
    answer = check(demo)
    assert (answer.status, answer.body) == (401, b"")
    assert not answer.header("Location") and not answer.header("X-Auth-Subject")


@pytest.mark.parametrize("method",
                         ["PUT", "TRACE", "PROPFIND", "PROPPATCH", "REPORT", "MKCOL", "SEARCH", "LOCK", "ACL", "M-SEARCH",
                                    "QUERY", "PURGE"])
def test_check_answers_by_the_visitors_own_method(demo, method):
    """Envoy's ext_authz asks by it."""
    for cookie, status in [(None, 401), (demo.sign_in(), 200)]:
        answer = demo.send(method, "/auth/check", {"Cookie": cookie} if cookie else None)
        assert (answer.status, answer.body) == (status, b""), answer.text
    refused = demo.send(method, "/login-with-token")
    assert refused.status == 405 and "POST" in refused.header("Allow")


@pytest.mark.parametrize("query", ["?acr=a&acr=b", "?max_age=5&max_age=6", "?identity=name&identity=email",
                                   "?identity=password", "?website=a&website=b", "?redirect=/x&redirect=/y",
                                   "?zz=1&zz=2", "?acr_values=aal2", "?max-age=60", "?ACR=aal2", "?Max_Age=60",
                                   "?Identity=name", "?Redirect=%2Fx", "?max_auth_age=60"])
def test_check_refuses_a_question_of_two_meanings_whoever_asks(demo, query):
    answer = check(demo, query=query)
    assert (answer.status, answer.body) == (400, b"")


@pytest.mark.parametrize("query, status", [
    ("?acr=aal1", 200), ("?acr=aal2", 401), ("?acr=aal9%20aal1", 200), ("?max_age=3600", 200), ("?max_age=5", 401),
    ("?max_age=-1", 400), ("?max_age=soon", 400), ("?max_age=1.5", 400), ("?max_age=60&max_age=60", 400),
    ("?acr=aal1&max_age=3600", 200), ("?identity=name,email", 200), ("?identity=name&identity=email", 400),
    ("?identity=name&identity=", 400),
])
def test_check_with_demands_passes_refuses_or_asks_for_another_sign_in(demo, query, status):
    bearer = demo.bearer(acr="aal1", auth_time=int(time.time()) - 60)
    token = demo.send("POST", "/api/auth/create-sso-token", {"Authorization": f"Bearer {bearer}"}).json()["token"]
    answer = check(demo, demo.redeem(token).session_cookie, query)
    assert answer.status == status, (answer.status, answer.headers)
    if status == 401:
        assert 'error="insufficient_user_authentication"' in answer.header("WWW-Authenticate")
    if status == 200:
        assert answer.body == b""


# Sign-out

def test_logout_by_script_is_204_and_ends_the_session(demo):
    cookie = demo.sign_in()
    answer = demo.send("POST", "/session/logout", {
        "Cookie": cookie, "Origin": demo.base, "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors",
        "Sec-Fetch-Dest": "empty"})
    assert answer.status == 204
    assert answer.cookies[wire.SESSION_COOKIE].value == ""
    cleared = answer.cookies[wire.SESSION_COOKIE].attributes
    assert cleared.get("max-age") == "0" and cleared.get("path") == "/" and cleared.get("secure") is True
    assert demo.session(cookie) == {"authenticated": False}
    assert check(demo, cookie).status == 401


def test_logout_by_form_goes_to_the_signed_out_page(demo):
    cookie = demo.sign_in()
    page = demo.send("GET", "/session/logout", {**SAME_ORIGIN, "Cookie": cookie})
    assert page.status == 200 and demo.session(cookie)["authenticated"] is True, "GET changes nothing"
    [form] = [form for form in wire.PageForm(page.text).forms if form["method"] == "post"]
    answer = demo.send("POST", form["action"] or "/session/logout", {
        **SAME_ORIGIN, "Origin": demo.base, "Cookie": cookie}, wire.encode(form["fields"]))
    assert answer.status == 303
    assert answer.header("Location").startswith(demo.base + "/")
    signed_out = demo.send("GET", answer.header("Location").removeprefix(demo.base))
    assert signed_out.status == 200 and signed_out.header("Content-Type").startswith("text/html")
    assert demo.session(cookie) == {"authenticated": False}


def test_whoever_is_not_signed_in_is_told_so_instead_of_being_asked_to_stay(demo):
    ended = demo.sign_in()
    demo.send("POST", "/session/logout", {"Cookie": ended, "Origin": demo.base, "Sec-Fetch-Site": "same-origin"})
    for cookie in ({}, {"Cookie": ended}):
        page = demo.send("GET", "/session/logout", {**SAME_ORIGIN, **cookie})
        assert page.status == 200 and "You are not signed in" in page.text
        assert "Do you want" not in page.text and "Stay signed in" not in page.text
        # Its button works all the same: a session may have been opened meanwhile.
        [form] = [form for form in wire.PageForm(page.text).forms if form["method"] == "post"]
        answer = demo.send("POST", "/session/logout", {
            **SAME_ORIGIN, "Origin": "null", "Cookie": wire.cookie_header(page)}, wire.encode(form["fields"]))
        assert (answer.status, answer.header("Location")) == (303, f"{demo.base}/session/signed-out")


def test_the_pages_of_a_sign_out_say_what_else_it_ends(demo):
    """docs/sessions.md, "How they end": the session with what was granted in it, but for `offline_access`."""
    browser = oauth.Browser(demo)
    app = oauth.sign_in(demo, browser=browser, scope="openid profile")
    kept = oauth.sign_in(demo, browser=browser, scope="openid profile offline_access")
    question = browser.request("GET", "/session/logout")
    devices = browser.request("GET", "/account/devices")
    answer = browser.submit(question)
    goodbye = browser.request("GET", answer.header("Location").removeprefix(demo.base))
    assert [oauth.userinfo(demo, tokens["access_token"]).status for tokens in (app, kept)] == [401, 200]
    for page in (question, goodbye):
        assert "Apps that you allowed to stay signed in remain so; everything else that you signed in to from this" \
            " browser is signed out too." in page.text
    assert "out of everything that you signed in to from it" in devices.text


def test_sessions_that_have_ended_hide_none_of_those_that_live(start_demo):
    """The pages of a user and of an administrator hold few sessions, and those that live come before any that ended."""
    demo = start_demo()
    browser, alice = oauth.Browser(demo), demo.user("alice")
    browser.submit(browser.request("GET", "/sign-in"), username=alice["username"], password=alice["password"])
    there = demo.sign_in("alice")
    with sqlite3.connect(demo.data / "drawbridge.sqlite", timeout=10) as connection:
        connection.row_factory = sqlite3.Row
        row = dict(connection.execute("SELECT * FROM web_session ORDER BY created_at DESC LIMIT 1").fetchone())
        for number in range(1, 206):
            opened = row["created_at"] + number
            ended = {**row, "id": f"ended-{number}", "secret_digest": f"digest-{number}", "created_at": opened,
                     "last_seen_at": opened, "ended_at": opened, "login_token_id": None, "login_token_issued_at": None}
            places = ", ".join("?" * len(ended))
            connection.execute(f"INSERT INTO web_session ({', '.join(ended)}) VALUES ({places})", [*ended.values()])
    devices = browser.request("GET", "/account/devices")
    assert devices.text.count('name="kind" value="browser"') == 2
    console = demo.send("GET", f"/admin/users/{demo.user('alice')['sub']}", {
        "Authorization": f"Bearer {demo.facts['admin_token']}"})
    assert "Live: 2" in console.text and 'id="end-all"' in console.text
    assert demo.session(there)["authenticated"] is True


@pytest.mark.parametrize("headers", [
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Origin": "OURS", "Sec-Fetch-Site": "cross-site"},
], ids=str)
def test_logout_from_elsewhere_is_403(demo, headers):
    cookie = demo.sign_in()
    headers = {name: demo.base if value == "OURS" else value for name, value in headers.items()}
    answer = demo.send("POST", "/session/logout", {**headers, "Cookie": cookie})
    assert answer.status == 403
    assert demo.session(cookie)["authenticated"] is True


def test_every_end_of_a_session_is_in_the_record(demo):
    cookie = demo.sign_in("alice")
    session_id = check(demo, cookie).header("X-Auth-Session")
    demo.send("POST", "/session/logout", {"Cookie": cookie, "Origin": demo.base, "Sec-Fetch-Site": "same-origin"})
    events = [event for event in demo.audit("web_session.opened", "web_session.ended", "login_token.redeemed")
              if event["session_id"] == session_id]
    assert [event["type"] for event in events][-1] == "web_session.ended"
    assert "web_session.opened" in [event["type"] for event in events]


def test_the_browser_script_is_served(demo):
    answer = demo.send("GET", "/assets/drawbridge.js")
    assert answer.status == 200
    assert re.match(r"(text|application)/javascript", answer.header("Content-Type"))
    assert answer.header("X-Content-Type-Options") == "nosniff"
    assert b"/session" in answer.body


def test_protected_pages_show_who_is_signed_in_or_a_sign_in_link(demo):
    cookie = demo.sign_in("alice")
    for path in ["/contacts", "/account/plan", "/user/contacts/index.php"]:
        signed_in = demo.send("GET", path, {"Cookie": cookie})
        assert signed_in.status == 200 and "alice" in signed_in.text.lower(), path
        signed_out = demo.send("GET", path)
        assert signed_out.status == 200 and "sign in" in signed_out.text.lower(), path
        assert "alice" not in signed_out.text.lower()
