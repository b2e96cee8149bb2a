"""Whom a trusted issuer may name, who opens the console, and what ends it (contract §1.3, §16.2, §16.9)."""

import concurrent.futures
import json
import re
import secrets
import time
from urllib.parse import quote, urlencode, urlsplit

import pytest

import instance
import oauth
import signing
import totp
import wire
from admin import Admin, form_token, signed_in
from fleet import Fleet
from instance import run, wait_until, write
from native import App
from servers import Postgres, Redis
from skips import NEEDS_STORES, skip_by
from wire import cookies

PASSWORD = "correct horse battery"
ADMIN_COOKIE = "__Host-drawbridge_admin"
CHALLENGE = 'Bearer error="insufficient_scope", scope="admin"'


def reasons(server, event: str) -> list[str]:
    return [row["reason"] for row in instance.audit_rows(server.data) if row["type"] == event]


def issue(server, bearer: str) -> wire.Answer:
    return server.send("POST", instance.ISSUE, {"Authorization": f"Bearer {bearer}"})


def paste(demo, token: str) -> dict[str, str]:
    """The console's own session, which this token opened: the cookies of its browser."""
    page = demo.send("GET", "/admin/sign-in")
    fields = {**wire.PageForm(page.text).forms[0]["fields"], "token": token}
    opened = demo.send("POST", "/admin/sign-in", {"Cookie": wire.cookie_header(page)}, wire.encode(fields))
    assert opened.status == 303, opened.text
    jar = {ADMIN_COOKIE: opened.cookies[ADMIN_COOKIE].value}
    assert demo.send("GET", "/api/admin/users", cookies(jar)).status == 200
    return jar


def ended(demo, jar: dict[str, str], seconds: float = 15):
    """Within these seconds the console's session opens nothing any more."""
    wait_until(lambda: demo.send("GET", "/api/admin/users", cookies(jar)).status == 401, seconds, "the console's end")


def person(demo, admin: Admin, name: str = "deputy") -> tuple[dict, str]:
    """Another administrator, and an access token of that account with the scope admin."""
    made = admin.send("POST", "users", {"username": name, "password": PASSWORD, "role": "admin"})
    assert made.status == 201, made.body
    client = {"client_id": f"tool-{name}", "client_type": "web", "scope": "openid admin", "first_party": True,
              "redirect_uris": [oauth.RP_REDIRECT], "grant_types": ["authorization_code"],
              "token_endpoint_auth_method": "client_secret_basic"}
    registered = admin.send("POST", "clients", client)
    assert registered.status == 201, registered.body
    demo.facts["users"].append({"sub": made.json()["sub"], "username": name, "password": PASSWORD})
    demo.facts["clients"].append(registered.json())
    verifier = secrets.token_urlsafe(48)
    code = oauth.Browser(demo).authorize(name, client["client_id"], oauth.RP_REDIRECT, "openid admin", verifier)["code"]
    tokens = oauth.redeem(demo, code, verifier, redirect=oauth.RP_REDIRECT,
                          headers=oauth.basic(demo, client["client_id"]))
    assert tokens.status == 200, tokens.body
    return made.json(), tokens.json()["access_token"]


def milliseconds(ago: float = 0) -> int:
    return int((time.time() - ago) * 1000)


# Issuers (§1.3)

def test_beside_accounts_an_issuer_without_a_prefix_is_refused_unless_it_shares_its_subjects(serve):
    server = serve(issuer="subject_prefix: 'backend:'")
    assert server.stop() == 0
    text = server.settings.read_text()
    for field, problem in [
        ("", "subject_prefix"), ("subject_prefix: backend", "colon"), ("subject_prefix: 'client:x:'", "client:"),
        ("shares_subjects_with_accounts: maybe", "true or false"),
    ]:
        server.settings.write_text(text.replace("subject_prefix: 'backend:'", field))
        checked = run("check-config", "--config", str(server.settings), check=False)
        assert checked.returncode == 1 and problem in checked.stderr.decode(), (field, checked.stderr)
        started = run("serve", "--config", str(server.settings), check=False)
        assert started.returncode == 78 and problem in started.stderr.decode(), (field, started.stderr)
    server.settings.write_text(text.replace("subject_prefix: 'backend:'", "shares_subjects_with_accounts: true"))
    assert run("check-config", "--config", str(server.settings)).returncode == 0


def test_accounts_in_the_database_take_a_prefix_whatever_the_settings_say(serve):
    server = serve(issuer="subject_prefix: 'backend:'", users={"alice": PASSWORD})
    assert server.stop() == 0
    text = server.settings.read_text()
    server.settings.write_text(text.replace("subject_prefix: 'backend:'", "") + "provider: {enabled: false}\n")
    checked = run("check-config", "--config", str(server.settings), check=False)
    assert checked.returncode == 1 and b"subject_prefix" in checked.stderr, checked.stderr
    started = run("serve", "--config", str(server.settings), check=False)
    assert started.returncode == 78 and b"subject_prefix" in started.stderr, started.stderr


def test_no_account_is_added_with_which_the_next_start_would_be_refused(serve):
    server = serve("provider: {enabled: false}\n", issuer="")
    command = ("users", "add", "--config", str(server.settings), "dora")
    added = run(*command, stdin=PASSWORD.encode(), check=False)
    assert added.returncode == 1 and b"subject_prefix" in added.stderr, added.stderr
    assert run("check-config", "--config", str(server.settings)).returncode == 0
    assert server.stop() == 0
    server.start()
    assert issue(server, server.bearer("alice")).status == 200


def test_a_token_that_names_the_user_of_another_issuer_is_refused(serve):
    server = serve(issuer="subject_prefix: 'backend:'")
    assert issue(server, server.bearer("alice")).status == 200
    assert server.stop() == 0
    server.settings.write_text(server.settings.read_text().replace(server.ISSUER, "https://other.example"))
    server.start()
    other = "https://other.example"
    refused = issue(server, server.bearer("alice", iss=other))
    assert refused.status == 401 and refused.json()["error"] == "invalid_token"
    assert reasons(server, "bearer.refused") == ["subject_of_another_issuer"]
    assert issue(server, server.bearer("bob", iss=other)).status == 200


def test_in_the_demo_a_user_comes_by_token_and_by_password_in_any_order(start_demo):
    demo = start_demo("--no-limits")
    for first, second in [("alice", "bob"), ("bob", "alice")]:
        assert signed_in(demo, first).request("GET", "/session").json()["sub"] == first
        assert demo.session(demo.sign_in(second))["sub"] == second
        tokens = oauth.sign_in(demo, second)
        assert issue(demo, tokens["access_token"]).status == 200


def test_an_issuer_speaks_for_the_clients_that_are_listed(serve):
    server = serve(issuer="{subject_prefix: 'backend:', clients: [another]}".strip("{}").replace(", ", "\n    "))
    refused = issue(server, server.bearer("alice"))
    assert refused.status == 401
    assert reasons(server, "bearer.refused") == ["client_of_another_issuer"]


def test_a_sign_in_of_tomorrow_is_refused_and_one_of_just_now_is_no_newer_than_its_token(demo):
    now = int(time.time())
    assert issue(demo, demo.bearer("alice", auth_time=now + 86_400)).status == 401
    token = issue(demo, demo.bearer("alice", iat=now - 20, auth_time=now)).json()["token"]
    cookie = demo.redeem(token).session_cookie
    told = demo.session(cookie)["auth_time"]
    assert told.startswith(time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now - 20))), told


def test_a_token_lives_for_a_day_at_most(demo):
    now = int(time.time())
    assert issue(demo, demo.bearer("alice", iat=now, exp=now + 86_400)).status == 200
    assert issue(demo, demo.bearer("alice", iat=now, exp=now + 86_500)).status == 401
    assert "lives_too_long" in reasons(demo, "bearer.refused")


def test_a_client_that_acts_for_itself_is_never_named_as_a_user(demo):
    tokens = oauth.token(demo, {"grant_type": "client_credentials"}, oauth.basic(demo, "demo-admin")).json()
    assert signing.parts(tokens["access_token"])[1]["sub"] == "client:demo-admin"
    assert oauth.introspect(demo, tokens["access_token"])["sub"] == "client:demo-admin"
    assert issue(demo, demo.bearer("client:demo-admin")).status == 401


def test_a_bearer_of_another_issuer_hangs_nothing_under_a_session_of_ours(demo):
    tokens = oauth.sign_in(demo, "alice")
    sid = signing.parts(tokens["access_token"])[1]["sid"]
    assert issue(demo, tokens["access_token"]).status == 200
    refused = issue(demo, demo.bearer("alice", sid=sid))
    assert refused.status == 401 and refused.json()["error"] == "invalid_token"
    assert "session_of_another_issuer" in reasons(demo, "bearer.refused")
    assert issue(demo, demo.bearer("alice", sid="a-session-of-its-own")).status == 200


# Who opens the console (§16.2)

def test_what_an_administrators_app_opens_is_no_console(demo):
    tokens = oauth.sign_in(demo, "admin", scope="openid")
    token = issue(demo, tokens["access_token"]).json()["token"]
    headers = {"Cookie": demo.redeem(token).session_cookie}
    answer = demo.send("GET", "/api/admin/users", headers)
    assert (answer.status, answer.header("WWW-Authenticate")) == (403, CHALLENGE), answer.body
    page = demo.send("GET", "/admin/", headers)
    assert page.status == 303 and page.header("Location").endswith("/admin/sign-in?why=not_signed_in_here")
    assert "login link" in demo.send("GET", "/admin/sign-in?why=not_signed_in_here", headers).text


def test_16_2_a_web_view_of_an_administrator_is_no_console(demo):
    app = App(demo, user="admin")
    app.sign_in()
    view = app.cookies()
    headers = {"Cookie": wire.cookie_header(view)}
    assert demo.send("GET", "/session", headers).json()["sub"] == "admin"
    refused = demo.send("GET", "/api/admin/users", headers)
    assert (refused.status, refused.header("WWW-Authenticate")) == (403, CHALLENGE), refused.body
    own = {**headers, "Origin": demo.base, "Sec-Fetch-Site": "same-origin"}
    assert demo.send("PATCH", "/api/admin/users/bob", own, {"disabled": False}).status == 403
    page = demo.send("GET", "/admin/", headers)
    assert page.status == 303 and page.header("Location").endswith("/admin/sign-in?why=not_signed_in_here")
    # Beside a sign-in here they take nothing away.
    browser = signed_in(demo)
    both = cookies({**{name: cookie.value for name, cookie in view.cookies.items()}, **browser.cookies})
    assert demo.send("GET", "/api/admin/users", both).status == 200
    # Once their session is over they are nothing.
    app.post("/oauth/revoke", token=app.tokens["refresh_token"])
    wait_until(lambda: demo.send("GET", "/api/admin/users", headers).status == 401, 15, "the web view's end")


def test_what_another_issuer_says_of_a_sign_in_opens_no_console(serve):
    server = serve()
    run("users", "add", "--config", str(server.settings), "root", "--admin", stdin=PASSWORD.encode())
    run("users", "second-factor", "enrol", "--config", str(server.settings), "root")
    subject = instance.query(server.data, "SELECT subject FROM account")[0][0]
    bearer = server.bearer(subject, acr="aal2", amr=["mfa", "otp"], auth_time=int(time.time()))
    cookie = server.redeem(issue(server, bearer).json()["token"]).session_cookie
    answer = server.send("GET", "/api/admin/users", {"Cookie": cookie})
    assert answer.status == 403, answer.body
    assert reasons(server, "admin.refused") == ["not_signed_in_here"]


def test_a_sign_in_here_opens_the_console_and_its_api(demo):
    browser = signed_in(demo)
    assert browser.request("GET", "/admin/").status == 200
    assert demo.send("GET", "/api/admin/users", cookies(browser.cookies)).status == 200


# Which page sends it (§8)

@pytest.fixture(scope="module")
def fresh(demo) -> dict:
    """The cookies of a browser whose administrator has just signed in."""
    return cookies(signed_in(demo).cookies)


def change(demo, headers, kind: str = "application/json", method: str = "PATCH") -> wire.Answer:
    pairs = [*headers.items(), ("Content-Type", kind)]
    return demo.send(method, "/api/admin/users/bob", pairs, b'{"disabled":false}')


@pytest.mark.parametrize("site", [{}, {"Sec-Fetch-Site": "same-origin"}], ids=["silent", "same-origin"])
def test_16_2_a_script_of_the_consoles_own_origin_takes_no_form_token(demo, fresh, site):
    own = {**fresh, "Origin": demo.base, **site}
    for kind in ["application/json", "Application/JSON; charset=utf-8", "application/merge-patch+json"]:
        answer = change(demo, own, kind)
        assert answer.status == 200, (kind, answer.body)
    assert demo.send("DELETE", "/api/admin/users/bob/sessions", own).status == 204
    question = {"kind": "redirect", "client_id": "demo-web", "redirect": "/contacts"}
    assert demo.send("POST", "/api/admin/explain", own, question).status == 200


@pytest.mark.parametrize("origin", [
    None, "null", "", "https://evil.example", "{scheme}://console.{host}:{port}", "{scheme}://{host}.:{port}",
    "{scheme}://{host}", "{scheme}://{host}:1{port}", "https://{host}:{port}", "{SCHEME}://{host}:{port}",
    "{scheme}://{host}:{port}/", "{scheme}://{host}:{port}, {scheme}://{host}:{port}"])
@pytest.mark.parametrize("site", [None, "same-origin"])
def test_attack_nothing_but_our_own_origin_is_in_the_form_tokens_place(demo, fresh, origin, site):
    url = urlsplit(demo.base)
    named = {"scheme": url.scheme, "SCHEME": url.scheme.upper(), "host": url.hostname, "port": url.port}
    headers = dict(fresh)
    if origin is not None:
        headers["Origin"] = origin.format(**named)
    if site:
        headers["Sec-Fetch-Site"] = site
    answer = change(demo, headers)
    assert answer.status == 403 and "X-CSRF-Token" in answer.json()["error_description"], answer.body
    assert demo.send("DELETE", "/api/admin/users/bob/sessions", headers).status == 403


@pytest.mark.parametrize("site", ["same-site", "cross-site", "none", "Same-Origin", "x"])
def test_attack_what_the_browser_says_is_of_another_site_counts_for_more_than_an_origin(demo, fresh, site):
    assert change(demo, {**fresh, "Origin": demo.base, "Sec-Fetch-Site": site}).status == 403


@pytest.mark.parametrize("kind", [
    "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain",
    "text/plain; application/json", "application/json, text/plain", "text/json", ""])
def test_attack_a_form_in_a_page_of_our_own_takes_its_token(demo, fresh, kind):
    own = {**fresh, "Origin": demo.base, "Sec-Fetch-Site": "same-origin"}
    for method in ["POST", "PATCH"]:
        path = "keys/rotate" if method == "POST" else "users/bob"
        answer = demo.send(method, f"/api/admin/{path}", [*own.items(), ("Content-Type", kind)], b'{"disabled":false}')
        assert answer.status == 403, (method, kind, answer.body)
    assert demo.send("POST", "/api/admin/keys/rotate", own).status == 403


@pytest.mark.parametrize("path", ["users/bob", "users", "keys/rotate", "clients/demo-web", "settings/native-sso"])
def test_attack_no_other_origin_may_ask_the_administration_anything(demo, fresh, path):
    """What no form can send, a browser asks about first."""
    for origin in ["https://evil.example", "null", demo.base.replace("://", "://console.")]:
        headers = {**fresh, "Origin": origin, "Access-Control-Request-Method": "PATCH",
                   "Access-Control-Request-Headers": "content-type"}
        for answer in [demo.send("OPTIONS", f"/api/admin/{path}", headers),
                       demo.send("GET", f"/api/admin/{path}", headers)]:
            allowed = [name for name, _ in answer.headers if name.lower().startswith("access-control-")]
            assert not allowed, (origin, answer.headers)


@pytest.fixture
def stale(start_demo):
    """A browser whose administrator signed in 16 minutes ago, and is still at work."""
    demo = start_demo("--no-limits")
    browser = signed_in(demo)
    assert demo.stop() == 0
    write(demo, "UPDATE web_session SET auth_time = ?", milliseconds(ago=16 * 60))
    browser.demo = start_demo("--no-limits", data=demo.data)
    return browser


def test_a_change_takes_a_sign_in_of_the_last_quarter_of_an_hour(stale):
    headers = {**cookies(stale.cookies), "X-CSRF-Token": form_token(stale)}
    answer = stale.demo.send("POST", "/api/admin/keys/rotate", headers)
    assert answer.status == 401 and answer.json()["error"] == "insufficient_user_authentication"
    assert answer.header("WWW-Authenticate") == 'Bearer error="insufficient_user_authentication", max_age="900"'
    assert stale.demo.send("GET", "/api/admin/keys", headers).status == 200
    question = {"kind": "redirect", "client_id": "demo-web", "redirect": "/contacts"}
    assert stale.demo.send("POST", "/api/admin/explain", headers, question).status == 200
    own = {**cookies(stale.cookies), "Origin": stale.demo.base, "Sec-Fetch-Site": "same-origin"}
    assert change(stale.demo, own).json()["error"] == "insufficient_user_authentication"


@pytest.mark.parametrize(("name", "is_kept"), [
    ("reason", True), ("password", False), ("new_password", False), ("admin_token", False)])
def test_a_form_with_a_password_or_token_that_came_too_late_is_not_kept(stale, name, is_kept):
    """The page after the sign-in shows what was kept, and a password is shown by no page."""
    token = form_token(stale, "/admin/users/bob")
    fields = {"form_token": token, "reason": "forgotten", name: "something of theirs"}
    asked = stale.request("POST", "/admin/users/bob/password", fields, "same-origin")
    assert asked.status == 401 and "readonly" in asked.text
    form, = (form for form in oauth.Forms(asked.text).forms if "password" in form["fields"])
    assert ("held" in form["fields"]) == is_kept
    assert "something of theirs" not in asked.text
    if not is_kept:
        assert "then the page opens again" in asked.text
        again = stale.submit(asked, password=stale.demo.user("admin")["password"])
        assert (again.status, again.header("Location")) == (303, f"{stale.demo.base}/admin/users/bob")


def test_a_form_that_came_too_late_is_kept_over_the_sign_in_and_done_when_its_sender_says_so(stale):
    demo = stale.demo
    page = stale.request("GET", "/admin/users/bob")
    form = next(form for form in oauth.Forms(page.text).forms if form["action"].endswith("/standing"))
    asked = stale.request("POST", form["action"], {**form["fields"], "reason": "left, & for good"}, "same-origin")
    assert asked.status == 401 and "kept" in asked.text and "readonly" in asked.text
    assert "user.disabled" not in [row["type"] for row in demo.audit()]
    known = stale.cookies["__Host-drawbridge_known"]
    again = stale.submit(asked, password=demo.user("admin")["password"])
    assert again.status == 200 and "left, &amp; for good" in again.text, again.text
    assert stale.cookies["__Host-drawbridge_known"] != known, "a new mark with every sign-in"
    assert "user.disabled" not in [row["type"] for row in demo.audit()]
    done = stale.submit(again)
    assert done.status == 303 and done.header("Location").endswith("/admin/users/bob?done")
    event = demo.audit("user.disabled")[0]
    assert event["reason"] == "left, & for good"
    assert set(json.loads(event["detail"])) == {"actor", "signed_in_at"}


def test_setting_anothers_password_takes_a_fresh_sign_in_and_the_event_names_it(stale):
    demo = stale.demo
    headers = {**cookies(stale.cookies), "X-CSRF-Token": form_token(stale)}
    change = {"password": "another good one"}
    assert demo.send("PATCH", "/api/admin/users/bob", headers, change).status == 401
    fresh = signed_in(demo)
    headers = {**cookies(fresh.cookies), "X-CSRF-Token": form_token(fresh)}
    assert demo.send("PATCH", "/api/admin/users/bob", headers, change).status == 200
    detail = json.loads(demo.audit("user.password_changed")[0]["detail"])
    assert detail["actor"] == "account:admin" and re.match(r"\d{4}-\d\d-\d\dT", detail["signed_in_at"])


def test_attack_a_console_that_a_token_opened_and_somebody_left_open_makes_no_administrator(start_demo):
    demo = start_demo("--no-limits")
    _, token = person(demo, Admin(demo))
    jar = paste(demo, token)
    write(demo, "UPDATE admin_session SET signed_in_at = ?", milliseconds(ago=16 * 60))
    page = demo.send("GET", "/admin/new-user", {**cookies(jar), **wire.NAVIGATION}).text
    csrf = next(form["fields"]["form_token"] for form in oauth.Forms(page).forms if form["action"] == "/admin/new-user")
    headers = {**cookies(jar), "Origin": demo.base, "Sec-Fetch-Site": "same-origin"}
    form = {"form_token": csrf, "username": "thief", "role": "admin", "reason": "because"}
    answer = demo.send("POST", "/admin/new-user", {**headers, "Content-Type": wire.FORM}, wire.encode(form))
    assert answer.status == 401, (answer.status, answer.text)
    program = {**headers, "X-CSRF-Token": csrf}
    keys = demo.audit("key.rotated")
    for method, path, body in [
            ("POST", "users", {"username": "thief", "password": "another good one"}),
            ("PATCH", "users/bob", {"role": "admin"}),
            ("POST", "clients", {"client_id": "thief", "client_type": "service", "scope": "admin"}),
            ("POST", "clients/tool-deputy/secret", None), ("POST", "keys/rotate", None)]:
        refused = demo.send(method, f"/api/admin/{path}", {**program, "If-Match": "*"}, body)
        assert (refused.status, refused.json().get("error")) == (401, "insufficient_user_authentication"), path
    for path, fields in [
            ("clients", {"document": '{"client_id": "thief", "client_type": "service", "scope": "admin"}'}),
            ("keys/rotate", {})]:
        answer = demo.send("POST", f"/admin/{path}", {**headers, "Content-Type": wire.FORM},
                           wire.encode({"form_token": csrf, **fields}))
        assert answer.status == 401, (path, answer.status, answer.text)
    assert not [user for user in Admin(demo).get("users?q=thief").json()["items"]]
    assert Admin(demo).get("clients/thief").status == 404
    assert demo.audit("key.rotated") == keys


def test_a_console_that_a_token_opened_keeps_a_late_form_over_the_sign_in_which_it_goes_on_by(start_demo):
    demo = start_demo("--no-limits")
    _, token = person(demo, Admin(demo))
    browser = oauth.Browser(demo)
    browser.cookies.update(paste(demo, token))
    write(demo, "UPDATE admin_session SET signed_in_at = ?", milliseconds(ago=16 * 60))
    page = browser.request("GET", "/admin/users/bob")
    form = next(form for form in oauth.Forms(page.text).forms if form["action"].endswith("/standing"))
    asked = browser.request("POST", form["action"], {**form["fields"], "reason": "left"}, "same-origin")
    assert asked.status == 401 and "kept" in asked.text
    again = browser.submit(asked, username="deputy", password=PASSWORD)
    assert again.status == 200 and "left" in again.text and "user.disabled" not in [row["type"] for row in demo.audit()]
    done = browser.submit(again)
    assert done.status == 303 and done.header("Location").endswith("/admin/users/bob?done"), done.text
    # Later changes go by the same sign-in, though the token's session is there as well.
    assert ADMIN_COOKIE in browser.cookies
    rotated = browser.request("POST", "/admin/keys/rotate", {"form_token": form_token(browser)}, "same-origin")
    assert rotated.status == 303, rotated.text


def test_attack_another_administrators_sign_in_freshens_no_console_that_a_token_opened(start_demo):
    """What is done there would be done, and written down, as that one's."""
    demo = start_demo("--no-limits")
    _, token = person(demo, Admin(demo))
    person(demo, Admin(demo), "other")
    browser = oauth.Browser(demo)
    browser.cookies.update(paste(demo, token))
    write(demo, "UPDATE admin_session SET signed_in_at = ?", milliseconds(ago=16 * 60))
    browser.authorize("other", "tool-other", oauth.RP_REDIRECT, "openid admin", secrets.token_urlsafe(48))
    assert ADMIN_COOKIE in browser.cookies and wire.SESSION_COOKIE in browser.cookies
    before = demo.audit("key.rotated")
    refused = browser.request("POST", "/admin/keys/rotate", {"form_token": form_token(browser)}, "same-origin")
    assert refused.status == 401, refused.text
    assert demo.audit("key.rotated") == before


def old_bearer(stale) -> dict:
    """The header of an app's token with the scope `admin`, of a sign-in that is older than 15 minutes."""
    demo = stale.demo
    tool = Admin(demo).send("POST", "clients", {
        "client_id": "tool", "client_type": "web", "scope": "openid admin", "first_party": True,
        "redirect_uris": [oauth.RP_REDIRECT], "grant_types": ["authorization_code"],
        "token_endpoint_auth_method": "client_secret_basic"})
    assert tool.status == 201, tool.body
    demo.facts["clients"].append(tool.json())
    verifier = secrets.token_urlsafe(48)
    code = stale.authorize("admin", "tool", oauth.RP_REDIRECT, "openid admin", verifier)["code"]
    token = oauth.redeem(demo, code, verifier, redirect=oauth.RP_REDIRECT, headers=oauth.basic(demo, "tool")).json()
    assert signing.parts(token["access_token"])[1]["auth_time"] < time.time() - 15 * 60
    return {"Authorization": f"Bearer {token['access_token']}", "If-Match": "*"}


def test_attack_an_administrators_token_of_an_old_sign_in_makes_no_client_that_administers(stale):
    demo, admin = stale.demo, Admin(stale.demo)
    assert admin.send("POST", "clients", {"client_id": "desk", "client_type": "service", "scope": "read"}).status == 201
    bearer = old_bearer(stale)
    assert demo.send("GET", "/api/admin/clients/desk", bearer).status == 200
    wider = {"client_type": "service", "scope": "admin"}
    for method, path, body in [
            ("POST", "clients", {"client_id": "thief", **wider}), ("PUT", "clients/desk", wider),
            ("PATCH", "clients/desk", {"scope": "admin"}), ("POST", "clients/desk/secret", None),
            ("POST", "keys/rotate", None)]:
        refused = demo.send(method, f"/api/admin/{path}", bearer, body)
        assert (refused.status, refused.json().get("error")) == (401, "insufficient_user_authentication"), path
    # By the console's own forms, which take a bearer too.
    form = wire.encode({"document": json.dumps({"client_id": "thief", **wider})})
    assert demo.send("POST", "/admin/clients", {**bearer, "Content-Type": wire.FORM}, form).status == 401
    assert admin.get("clients/desk").json()["scope"] == "read" and admin.get("clients/thief").status == 404
    # What takes something away, and gives nothing, takes the token alone.
    assert demo.send("DELETE", "/api/admin/clients/desk", bearer).status == 204


def test_attack_an_administrators_token_of_an_old_sign_in_widens_no_client_by_the_consoles_form(stale):
    demo, admin = stale.demo, Admin(stale.demo)
    desk = {"client_id": "desk", "client_type": "service", "scope": "read"}
    assert admin.send("POST", "clients", desk).status == 201
    bearer = old_bearer(stale)
    page = demo.send("GET", "/admin/clients/desk", bearer)
    assert page.status == 200, "what the token sees is what the form needs"
    tag = next(form["fields"]["tag"] for form in oauth.Forms(page.text).forms if "tag" in form["fields"])
    form = {"tag": tag, "document": json.dumps({**desk, "scope": "admin"}), "reason": "wider"}
    refused = demo.send("POST", "/admin/clients/desk", {**bearer, "Content-Type": wire.FORM}, wire.encode(form))
    assert refused.status == 401, refused.text
    assert 'max_age="900"' in refused.header("WWW-Authenticate")
    assert admin.get("clients/desk").json()["scope"] == "read"
    # The same form, tag and all, in a session of just now.
    fresh = signed_in(demo)
    saved = fresh.request("POST", "/admin/clients/desk", {**form, "form_token": form_token(fresh)}, "same-origin")
    assert saved.status in (200, 303), saved.text
    assert admin.get("clients/desk").json()["scope"] == "admin"


def test_attack_an_administrators_token_of_an_old_sign_in_enables_nobody_and_opens_no_setting(stale):
    demo, admin, bearer = stale.demo, Admin(stale.demo), old_bearer(stale)
    form = {**bearer, "Content-Type": wire.FORM}
    assert demo.send("PATCH", "/api/admin/users/bob", bearer, {"role": "admin"}).status == 401
    assert demo.send("PATCH", "/api/admin/users/bob", bearer, {"disabled": True}).status == 200
    settings = admin.get("settings/native-sso").json()
    name = "allowCrossClientNativeSSO"
    for method, path, body in [
            ("PATCH", "users/bob", {"disabled": False}),
            ("PUT", "settings/native-sso", {name: not settings["settings"][name]["value"]}),
            ("DELETE", "settings/native-sso", None)]:
        refused = demo.send(method, f"/api/admin/{path}", bearer, body)
        assert (refused.status, refused.json().get("error")) == (401, "insufficient_user_authentication"), path
    for path, fields in [
            ("users/bob/standing", {"disabled": "false"}), ("settings/native-sso", {"deviceSecretTTLDays": "31"}),
            ("settings/native-sso/reset", {})]:
        assert demo.send("POST", f"/admin/{path}", form, wire.encode(fields)).status == 401, path
    assert admin.get("users/bob").json()["disabled"] is True
    assert admin.get("settings/native-sso").json() == settings
    fresh = signed_in(demo)
    headers = {**cookies(fresh.cookies), "X-CSRF-Token": form_token(fresh)}
    assert demo.send("PATCH", "/api/admin/users/bob", headers, {"disabled": False}).status == 200
    # What takes something away, and gives nothing, takes the token alone.
    assert demo.send("POST", "/admin/users/bob/standing", form, wire.encode({"disabled": "true"})).status == 303


# What ends it (§16.9)

def test_the_console_ends_with_the_token_that_opened_it(start_demo):
    demo = start_demo("--no-limits")
    tokens = oauth.token(demo, {"grant_type": "client_credentials"}, oauth.basic(demo, "demo-admin")).json()
    jar = paste(demo, tokens["access_token"])
    revoked = oauth.post(demo, "/oauth/revoke", {"token": tokens["access_token"]}, oauth.basic(demo, "demo-admin"))
    assert revoked.status == 200
    ended(demo, jar)
    assert instance.query(demo.data, "SELECT count(*) FROM admin_session") == [(0,)]
    assert reasons(demo, "admin.signed_out") == ["access_token.revoked"]


def test_the_console_ends_with_the_key_that_signed_the_token_which_opened_it(start_demo):
    demo = start_demo("--no-limits")
    jar = paste(demo, demo.facts["admin_token"])
    keys = Admin(demo).get("keys").json()["items"]
    signing = next(key["kid"] for key in keys if key["alg"] == "ES256" and key["state"] == "signing")
    assert Admin(demo).send("POST", f"keys/{signing}/retire", {"reason": "leaked"}).status == 200
    assert demo.send("GET", "/api/admin/users", cookies(jar)).status == 401
    assert reasons(demo, "admin.signed_out") == ["leaked"]


@pytest.mark.parametrize("change", ["deleted", "without the scope"])
def test_the_console_ends_with_the_client_whose_token_opened_it(start_demo, change):
    demo = start_demo("--no-limits")
    admin = Admin(demo)
    made = admin.send("POST", "clients", {"client_id": "ops", "client_type": "service", "scope": "admin"}).json()
    secret = {"grant_type": "client_credentials", "client_id": "ops", "client_secret": made["client_secret"]}
    jar = paste(demo, oauth.token(demo, secret).json()["access_token"])
    tag = {"If-Match": admin.get("clients/ops").header("ETag")}
    if change == "deleted":
        assert admin.send("DELETE", "clients/ops", headers=tag).status == 204
    else:
        assert admin.send("PATCH", "clients/ops", {"scope": "read"}, tag).status == 200
    ended(demo, jar)
    assert demo.send("GET", "/admin/", cookies(jar)).status == 303


@pytest.mark.parametrize("change", [{"role": None}, {"disabled": True}, {"password": "another good one"}])
def test_the_console_ends_with_what_the_account_behind_it_may(start_demo, change):
    demo = start_demo("--no-limits")
    admin = Admin(demo)
    user, token = person(demo, admin)
    jar = paste(demo, token)
    assert admin.send("PATCH", f"users/{user['id']}", {**change, "reason": "test"}).status == 200
    ended(demo, jar)
    bearer = {"Authorization": f"Bearer {token}"}
    wait_until(lambda: demo.send("GET", "/api/admin/users", bearer).status in (401, 403), 15, "the token's end")
    assert reasons(demo, "admin.signed_out") == ["test"]


def test_an_open_live_page_is_no_use_of_the_session_and_ends_with_it(start_demo):
    demo = start_demo("--no-limits")
    tokens = oauth.token(demo, {"grant_type": "client_credentials"}, oauth.basic(demo, "demo-admin")).json()
    jar = paste(demo, tokens["access_token"])
    seen = milliseconds(ago=120)
    write(demo, "UPDATE admin_session SET last_seen_at = ?", seen)
    stream = Admin(demo)
    stream.headers = cookies(jar)
    live = stream.follow()
    wait_until(lambda: live.last_id, what="the stream's first line")
    assert instance.query(demo.data, "SELECT last_seen_at FROM admin_session") == [(seen,)]
    oauth.post(demo, "/oauth/revoke", {"token": tokens["access_token"]}, oauth.basic(demo, "demo-admin"))
    wait_until(lambda: live.response.isclosed(), 30, "the stream's end")
    assert stream.follow().response.status == 401


# The last administrator

def test_the_last_administrator_is_neither_disabled_nor_demoted(start_demo):
    demo = start_demo("--no-limits")

    def is_spared(user: str, headers: dict):
        for change in [{"disabled": True}, {"role": None}, {"password": "another good one", "disabled": True}]:
            answer = demo.send("PATCH", f"/api/admin/users/{user}", headers, change)
            assert answer.status == 409 and "last administrator" in answer.json()["error_description"], answer.body

    browser = signed_in(demo)
    is_spared("admin", {**cookies(browser.cookies), "X-CSRF-Token": form_token(browser)})
    for path, field in [("standing", {"disabled": "true"}), ("role", {"role": "none"})]:
        fields = {"form_token": form_token(browser), "reason": "left us", **field}
        page = browser.request("POST", f"/admin/users/admin/{path}", fields, "same-origin")
        assert page.status == 409 and "last administrator" in page.text
    # By an access token of theirs, too, and in the console that it opens.
    deputy, token = person(demo, Admin(demo))
    bearer = {"Authorization": f"Bearer {token}"}
    assert demo.send("PATCH", "/api/admin/users/admin", bearer, {"role": None}).status == 200
    is_spared(deputy["id"], bearer)
    opened = oauth.Browser(demo)
    opened.cookies.update(paste(demo, token))
    is_spared(deputy["id"], {**cookies(opened.cookies), "X-CSRF-Token": form_token(opened)})


def test_an_administrator_who_has_no_password_yet_leaves_the_last_one_who_can_sign_in(start_demo):
    demo = start_demo("--no-limits")
    browser = signed_in(demo)

    def send(path: str, **fields):
        return browser.request(
            "POST", f"/admin/{path}", {"form_token": form_token(browser), "reason": "handed over", **fields}, "same-origin")
    assert send("new-user", username="ghost", role="admin").status == 200
    for path, field in [("standing", {"disabled": "true"}), ("role", {"role": "none"})]:
        refused = send(f"users/admin/{path}", **field)
        assert refused.status == 409 and "last administrator who can sign in" in refused.text, refused.text
    ghost = Admin(demo).get("users", q="ghost").json()["items"][0]["id"]
    assert Admin(demo).send("PATCH", f"users/{ghost}", {"password": "a good one, at last"}).status == 200
    assert send("users/admin/role", role="none").status == 303


@pytest.mark.parametrize(("change", "back"), [
    ({"disabled": True}, {"disabled": False}), ({"role": None}, {"role": "admin"})], ids=["disabled", "demoted"])
def test_16_9_a_service_takes_the_last_administrator_away_and_the_console_ends(start_demo, change, back):
    """It goes on without any account, and gives the role again."""
    demo = start_demo("--no-limits")
    service = Admin(demo)
    deputy, token = person(demo, service)
    assert service.send("PATCH", "users/admin", {"role": None}).status == 200
    browser, jar = signed_in(demo, "deputy"), paste(demo, token)
    assert browser.request("GET", "/admin/").status == 200
    assert service.send("PATCH", f"users/{deputy['id']}", change).status == 200
    ended(demo, jar, 30)
    own = cookies(browser.cookies)
    wait_until(lambda: demo.send("GET", "/api/admin/users", own).status in (401, 403), 30, "the browser's end")
    assert browser.request("GET", "/admin/").status == 303
    assert service.get("users").status == 200
    assert service.send("PATCH", f"users/{deputy['id']}", back).status == 200
    assert signed_in(demo, "deputy").request("GET", "/admin/").status == 200


def demote_each_other(pool, people: list[tuple], service: Admin):
    """Two administrators take the role from each other at once, ten times over.

    Each is a server, the token of the one and the id of the other.
    """
    def take(pair: tuple) -> int:
        server, token, other = pair
        bearer = {"Authorization": f"Bearer {token}"}
        return server.send("PATCH", f"/api/admin/users/{other}", bearer, {"role": None}).status

    for _ in range(10):
        answers = sorted(pool.map(take, people))
        # Whoever has lost the role by then is no administrator any more.
        assert answers in ([200, 403], [200, 409])
        roles = [service.get(f"users/{other}").json().get("role") for _, _, other in people]
        assert sorted(map(str, roles)) == ["None", "admin"]
        for _, _, other in people:
            assert service.send("PATCH", f"users/{other}", {"role": "admin"}).status == 200


def two_people(demo) -> list[tuple[dict, str]]:
    """All the administrators there are, each with an access token."""
    service = Admin(demo)
    people = [person(demo, service, f"{name}-{secrets.token_hex(3)}") for name in ["left", "right"]]
    assert service.send("PATCH", "users/admin", {"role": None}).status == 200
    return people


def test_of_two_administrators_who_demote_each_other_at_once_one_stays(start_demo):
    demo = start_demo("--no-limits")
    (left, left_token), (right, right_token) = two_people(demo)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        demote_each_other(pool, [(demo, left_token, right["id"]), (demo, right_token, left["id"])], Admin(demo))


def test_the_command_line_keeps_the_last_administrator_too(serve):
    server = serve()

    def users(*words, **more):
        return run("users", words[0], "--config", str(server.settings), *words[1:], **more)
    for name in ["root", "deputy"]:
        users("add", name, "--admin", stdin=PASSWORD.encode())
    assert "role none" in users("role", "deputy", "none").stdout.decode()
    for words in [("disable", "root"), ("role", "root", "none")]:
        refused = users(*words, check=False)
        assert refused.returncode == 1 and "last administrator" in refused.stderr.decode(), refused
    assert "role admin" in users("role", "deputy", "admin").stdout.decode()
    users("disable", "root")
    assert users("role", "root", "owner", check=False).returncode == 1
    assert users("role", "nobody", "admin", check=False).returncode == 1


# Several nodes

@pytest.fixture(scope="module")
def nodes():
    """Two nodes on one PostgreSQL and one Redis."""
    skip_by(NEEDS_STORES)
    with Postgres() as postgres, Redis() as redis:
        with Fleet(postgres.create("console"), redis.url, "--no-limits", size=2, nginx=False) as fleet:
            yield fleet.nodes


def test_the_console_ends_on_every_node(nodes):
    here, there = nodes
    tokens = oauth.token(here, {"grant_type": "client_credentials"}, oauth.basic(here, "demo-admin")).json()
    jar = paste(here, tokens["access_token"])
    assert there.send("GET", "/api/admin/users", cookies(jar)).status == 200
    oauth.post(there, "/oauth/revoke", {"token": tokens["access_token"]}, oauth.basic(there, "demo-admin"))
    for node in nodes:
        ended(node, jar)
    made = Admin(here).send("POST", "clients", {"client_id": "ops", "client_type": "service", "scope": "admin"}).json()
    secret = {"grant_type": "client_credentials", "client_id": "ops", "client_secret": made["client_secret"]}
    jar = paste(here, oauth.token(here, secret).json()["access_token"])
    tag = {"If-Match": Admin(there).get("clients/ops").header("ETag")}
    assert Admin(there).send("DELETE", "clients/ops", headers=tag).status == 204
    for node in nodes:
        ended(node, jar)


class AtIssuer:
    """A node for browsers that come by the issuer's address, which nothing listens at here."""

    user, client = instance.Demo.user, instance.Demo.client

    def __init__(self, node):
        self.node = node
        self.facts = node.facts
        self.base = node.facts["issuer"]

    def send(self, method: str, target: str, headers=None, body=None) -> wire.Answer:
        return self.node.send(method, target, {**(headers or {}), "Host": urlsplit(self.base).netloc}, body)


def test_of_two_administrators_who_demote_each_other_on_two_nodes_one_stays(nodes):
    here, there = nodes
    (left, left_token), (right, right_token) = two_people(AtIssuer(here))
    people = [(here, left_token, right["id"]), (there, right_token, left["id"])]
    wait_until(lambda: there.send("GET", "/api/admin/users", {"Authorization": f"Bearer {right_token}"}).status == 200,
               what="the new client at the other node")
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        demote_each_other(pool, people, Admin(here))
    # What comes after finds it again.
    assert Admin(here).send("PATCH", "users/admin", {"role": "admin"}).status == 200


# Pages and forms

def test_a_form_does_what_its_page_said_and_nothing_else(demo):
    browser = oauth.Browser(demo)
    oauth.sign_in(demo, "bob", browser)
    other = oauth.Browser(demo)
    oauth.sign_in(demo, "bob", other)
    token = oauth.Forms(browser.request("GET", "/session/logout").text).forms[0]["fields"]["form_token"]
    answer = browser.request("POST", "/account/devices/end", {"form_token": token, "what": "others"}, "same-origin")
    assert answer.status == 400 and "nothing was ended" in answer.text and "<title>Error: " in answer.text
    assert other.request("GET", "/session").json()["authenticated"] is True
    right = oauth.Forms(browser.request("GET", "/account/devices").text).forms[0]["fields"]["form_token"]
    # The same page, in a session that came after it.
    oauth.sign_in(demo, "bob", browser, prompt="login")
    answer = browser.request("POST", "/account/devices/end", {"form_token": right, "what": "others"}, "same-origin")
    assert answer.status == 400 and "nothing was ended" in answer.text
    assert other.request("GET", "/session").json()["authenticated"] is True


@pytest.mark.parametrize("path", ["/admin/../x", "/admin/%2e%2e/x", "/admin/..%2fx", "/admin//x", "/admin/%5cx"])
def test_a_sign_in_leads_to_the_console_by_its_own_addresses_only(demo, path):
    browser = oauth.Browser(demo)
    person = demo.user("admin")
    page = browser.request("GET", f"/sign-in?redirect={quote(path, safe='')}")
    answer = browser.submit(page, username=person["username"], password=person["password"])
    assert answer.status == 303 and answer.header("Location") == demo.base + "/contacts"


def test_a_form_with_a_fault_is_answered_by_what_was_wrong_with_it(demo):
    browser = signed_in(demo)
    path = f"/admin/users/{demo.user('bob')['sub']}" if "sub" in demo.user("bob") else "/admin/users/bob"
    token = form_token(browser, path)
    long = browser.request("POST", f"{path}/password", {
        "form_token": token, "password": "short", "reason": "x" * 501}, "same-origin")
    assert long.status == 400 and "reason" in long.text, "not well-formed"
    taken = browser.request("POST", f"{path}/password", {
        "form_token": token, "password": "short", "reason": "forgotten"}, "same-origin")
    assert taken.status == 409 and "8" in taken.text, "well-formed, and not to be done"
    assert browser.request("GET", "/admin/clients?sort=name").status == 200
    assert browser.request("GET", "/admin/clients?sort=nonsense").status == 400


def test_of_a_change_with_a_fault_nothing_is_done(start_demo):
    demo = start_demo("--no-limits")
    admin = Admin(demo)
    for change in [{"disabled": "yes"}, {"claims": 7}, {"role": "owner"}, {"reason": "x" * 501}]:
        assert admin.send("PATCH", "users/bob", {"password": "another good one", **change}).status == 400
    assert "user.password_changed" not in [row["type"] for row in demo.audit()]
    signed_in(demo, "bob")


def test_a_sign_in_that_waits_for_its_code_ends_with_the_password(serve):
    server = serve()
    config = ("--config", str(server.settings))
    run("users", "add", *config, "alice", stdin=PASSWORD.encode())
    key = re.search(r"^Key: (\S+)$", run("users", "second-factor", "enrol", *config, "alice").stdout.decode(), re.M)[1]
    browser = oauth.Browser(server)
    page = browser.submit(browser.request("GET", "/sign-in"), username="alice", password=PASSWORD)
    assert "one-time-code" in page.text
    run("users", "password", *config, "alice", stdin=b"another good one")
    assert browser.submit(page, code=totp.code(key)).status == 400
    assert wire.SESSION_COOKIE not in browser.cookies
    page = browser.submit(browser.request("GET", "/sign-in"), username="alice", password="another good one")
    assert browser.submit(page, code=totp.code(key)).status == 303


def test_the_confirm_page_names_no_website_in_its_policy(start_demo):
    demo = start_demo("--no-limits")
    admin = Admin(demo)
    for name in ["one", "two"]:
        site = {"client_id": name, "client_type": "web", "public_origin": f"https://{name}.example",
                "return_paths": ["/home"], "default_return_path": "/home",
                "token_endpoint_auth_method": "client_secret_basic"}
        assert admin.send("POST", "clients", site).status == 201
    tag = {"If-Match": admin.get("clients/demo-app").header("ETag")}
    assert admin.send("PATCH", "clients/demo-app", {"may_reach": ["demo-web", "one", "two"]}, tag).status == 200
    plain = demo.send("GET", instance.REDEEM).header("Content-Security-Policy")
    assert ".example" not in plain
    for website in ["one", "demo-web"]:
        token = demo.issue("alice", client_id=website)["token"]
        assert demo.send("GET", f"{instance.REDEEM}?token={token}").header("Content-Security-Policy") == plain


# Upstream providers

@pytest.fixture
def federated(serve, upstream, tmp_path):
    return serve(upstream.settings(tmp_path), clients=[{
               "client_id": "rp", "client_type": "web", "client_secret_digest": "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU",
               "first_party": True,
               "redirect_uris": [oauth.RP_REDIRECT], "require_pkce": False}])


def trip(browser: oauth.Browser, upstream, errand: str = "") -> wire.Answer:
    """To the provider and back."""
    there = browser.request("GET", "/sign-in/with/other" + errand).header("Location")
    back = wire.send(upstream.issuer, "GET", there.removeprefix(upstream.issuer)).header("Location")
    return browser.request("GET", back.removeprefix(browser.demo.base))


def test_a_second_sign_in_elsewhere_is_asked_to_be_a_new_one_and_must_say_that_it_was(federated, upstream):
    browser = oauth.Browser(federated)
    assert trip(browser, upstream).status == 303
    assert "prompt" not in upstream.requests[0]
    for told in [None, int(time.time()) - 3600]:
        upstream.token_claims = {"auth_time": told}
        assert trip(browser, upstream).status == 400
    assert {"prompt": "login", "max_age": "0"}.items() <= upstream.requests[1].items()
    upstream.token_claims = {}
    assert trip(browser, upstream).status == 303
    assert set(reasons(federated, "user.sign_in_failed")) == {"upstream_not_fresh"}


def test_a_provider_that_says_nothing_of_when_fulfils_no_wish_for_a_fresh_sign_in(federated, upstream):
    upstream.token_claims = {"auth_time": None}
    browser = oauth.Browser(federated)
    query = urlencode({"response_type": "code", "client_id": "rp", "redirect_uri": oauth.RP_REDIRECT,
                       "scope": "openid", "state": secrets.token_urlsafe(8), "max_age": 60})
    page = browser.request("GET", "/oauth/authorize?" + query)
    journey = page.header("Location").split("?", 1)[1]
    assert trip(browser, upstream, "?" + journey).status == 400
    assert upstream.requests[-1]["max_age"] == "0"
    upstream.token_claims = {}
    there = trip(browser, upstream, "?" + journey)
    assert there.status == 303 and "/oauth/authorize" in there.header("Location")
    assert browser.request("GET", there.header("Location").removeprefix(federated.base)).header(
        "Location").startswith(oauth.RP_REDIRECT + "?code=")


def test_of_when_somebody_signed_in_elsewhere_nothing_is_made_up(federated, upstream):
    upstream.token_claims = {"auth_time": None}
    browser = oauth.Browser(federated)
    assert trip(browser, upstream).status == 303
    assert "auth_time" not in browser.request("GET", "/session").json()
