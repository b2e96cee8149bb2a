"""What refused, repeated and anonymous requests can write, what is remembered, and how often one may guess."""

import concurrent.futures
import contextlib
import http.client
import http.server
import json
import secrets
import socket
import time
from urllib.parse import urlencode, urlsplit

import pytest

import instance
import oauth
import signing
import wire
from accounts import NEW_PASSWORD
from admin import Admin
from boundaries import is_alive
from native import App, Browser, cookie_header, session
from second_factor import add, enrolled, password
from services import Machine
from stub import Stub

METHODS = ("get", "post", "put", "patch", "delete")
#: Tables that the service itself writes to, however quiet it is.
OWN = {"audit_event", "audit_checkpoint", "audit_tally", "audit_tally_progress", "state_sample", "heartbeat",
       "schema_migration"}
REPEATS = 120
#: 20 002 bytes that count as one character.
HUGE_AGENT = "e" + "\u0301" * 10_000


def operations(demo):
    """Every route that there is, with the worst request that its description lets one think of."""
    paths = {**demo.send("GET", "/openapi.json").json()["paths"],
             **demo.send("GET", "/openapi-console.json").json()["paths"]}
    for path, described in paths.items():
        for method in METHODS:
            if method in described:
                yield path, method.upper(), bad_request(path, described[method])


def bad_request(path: str, operation: dict) -> tuple[str, dict, bytes | None]:
    target = "/".join("nonsense" if part.startswith("{") else part for part in path.split("/"))
    query = {parameter["name"]: "nonsense" for parameter in operation.get("parameters", [])
             if parameter.get("in") == "query"}
    headers = {} if path.startswith("/oauth/") and path != "/oauth/userinfo" else {"Authorization": "Bearer nonsense"}
    body = None
    content = operation.get("requestBody", {}).get("content", {})
    if wire.FORM in content:
        fields = {name: "nonsense" for name in content[wire.FORM].get("schema", {}).get("properties", {})}
        headers["Content-Type"] = wire.FORM
        body = urlencode({**fields, "client_id": "demo-app", "grant_type": "authorization_code"}).encode()
    elif content:
        headers["Content-Type"] = "application/json"
        body = b'{"nonsense": true}'
    return target + ("?" + urlencode(query) if query else ""), headers, body


def counts(demo) -> dict[str, int]:
    tables = [name for name, in demo.query("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {table: demo.query(f"SELECT count(*) FROM {table}")[0][0] for table in tables}


def size(demo) -> int:
    return demo.query("PRAGMA page_count")[0][0] * demo.query("PRAGMA page_size")[0][0]


def repeat(demo, target: str, method: str, headers: dict, body: bytes | None, times: int):
    url = urlsplit(demo.base)
    connection = http.client.HTTPConnection(url.hostname, url.port, timeout=30)
    for _ in range(times):
        connection.request(method, target, body=body, headers=headers)
        connection.getresponse().read()
    connection.close()


def test_no_route_lets_a_bad_request_fill_the_database(start_demo):
    demo = start_demo()
    routes = list(operations(demo))
    assert len(routes) > 60, "the description lists every route"
    agent = {"User-Agent": HUGE_AGENT.encode().decode("latin-1")}
    before, began, size_before = counts(demo), time.monotonic(), size(demo)
    for path, method, (target, headers, body) in routes:
        rows, started = counts(demo)["audit_event"], time.monotonic()
        repeat(demo, target, method, {**agent, **headers}, body, REPEATS)
        written, seconds = counts(demo)["audit_event"] - rows, time.monotonic() - started
        # Sixty a minute of this network for each kind of refusal, and a few notes of limits and of what was left out.
        assert written <= 75 + 2 * seconds, (method, path, written, seconds)
    after, seconds = counts(demo), time.monotonic() - began
    # A page that waits for a phone is kept for three minutes, with its code beside it, and a network opens ten a minute.
    assert after["cross_device"] - before["cross_device"] <= 2 * (10 + seconds / 6)
    grown = {table for table in after if after[table] > before.get(table, 0)} - OWN - {"cross_device"}
    assert not grown, f"anonymous requests left rows in {grown}"
    written = after["audit_event"] - before["audit_event"]
    assert written < REPEATS * len(routes) / 20, "most were only counted"
    assert size(demo) - size_before < 2048 * written + 512 * 1024
    assert demo.query("SELECT max(length(CAST(user_agent AS BLOB))) FROM audit_event")[0][0] <= 512
    instance.wait_until(lambda: demo.audit("audit.suppressed"), what="the number of what was left out")
    assert demo.stop() == 0
    told = sum(json.loads(event["detail"])["events"] for event in demo.audit("audit.suppressed"))
    assert told > 0 and written + told < REPEATS * len(routes) * 2


def test_one_expired_login_token_leaves_three_events(start_demo):
    demo = start_demo()
    token = demo.issue(ttl=1)["token"]
    # This machine's clock is the service's.
    instance.wait_until(lambda: time.time() >= signing.claims_of(token)["exp"], 5, "the token's end")
    statuses, began = [], time.monotonic()
    # However slow the machine is: one more a second is allowed.
    while 429 not in statuses and len(statuses) < 1000:
        statuses.append(demo.redeem(token).status)
    statuses += [demo.redeem(token).status for _ in range(20)]
    assert 60 <= statuses.count(400) <= 61 + time.monotonic() - began and set(statuses) == {400, 429}
    assert len(demo.audit("login_token.refused")) == 3
    assert len(demo.audit("rate_limit.exceeded")) == 1


def test_one_replayed_login_token_ends_its_session_and_leaves_three_events(start_demo):
    demo = start_demo()
    token = demo.issue()["token"]
    cookie = demo.redeem(token).session_cookie
    for _ in range(90):
        demo.redeem(token, wire.OTHER_BROWSER)
    assert demo.session(cookie)["authenticated"] is False
    assert len(demo.audit("login_token.replayed")) == 3
    assert len(demo.audit("web_session.ended")) == 1


def test_one_bearer_with_a_bad_redirect_is_limited_like_any_issue(start_demo):
    demo = start_demo()
    statuses = [demo.post_issue({"redirect": "/not-listed"}).status for _ in range(90)]
    assert statuses == [400] * 5 + [429] * 85
    assert len(demo.audit("redirect.refused")) == 5
    assert len(demo.audit("rate_limit.exceeded")) == 1


def test_devices_of_one_user_have_limits_of_their_own_under_the_users(start_demo):
    demo = start_demo()

    def issue(device: str | None) -> int:
        more = {"device_id": device} if device else {}
        return demo.send("POST", instance.ISSUE, demo.authorization("alice", **more)).status

    for device in ("phone", "tablet"):
        assert [issue(device) for _ in range(6)] == [200] * 5 + [429]
    assert [issue(None) for _ in range(5)] == [200] * 5, "fifteen at once for the user; the refused cost nothing"
    assert issue("watch") == 429
    assert {event["reason"] for event in demo.audit("rate_limit.exceeded")} == {"issue.device", "issue.subject"}


def test_what_one_device_is_refused_takes_nothing_from_its_user_or_its_network(start_demo):
    demo = start_demo()

    def issue(user: str, device: str) -> int:
        return demo.send("POST", instance.ISSUE, demo.authorization(user, device_id=device)).status

    assert [issue("alice", "stuck") for _ in range(80)] == [200] * 5 + [429] * 75
    assert issue("alice", "another") == 200
    assert issue("bob", "his") == 200


# Refreshes (§12)

def refresh_cookies(demo, view) -> int:
    return wire.send(demo.base, "POST", "/session/refresh", {
        **cookie_header(view), "X-CSRF-Token": view.cookies["vagov_anti_csrf_token"].value}).status


def test_attack_an_app_that_goes_on_refreshing_takes_nothing_from_its_users_other_apps(start_demo):
    demo = start_demo()
    greedy, app = App(demo, "demo-app-b"), App(demo)
    greedy.sign_in("openid offline_access")
    app.sign_in()
    view = app.cookies()
    refused = 0
    while refused < 40:
        answer = greedy.refresh()
        if answer.status == 200:
            greedy.tokens |= answer.json()
            continue
        assert (answer.status, answer.json()["error"]) == (429, "slow_down"), answer.text
        refused += 1
    for _ in range(5):
        answer = app.refresh()
        assert answer.status == 200, answer.text
        app.tokens |= answer.json()
    assert refresh_cookies(demo, view) == 200
    assert {event["reason"] for event in demo.audit("rate_limit.exceeded")} == {"refresh.client"}


def test_the_cookies_of_a_session_that_is_over_take_nothing_from_their_users_other_sessions(start_demo):
    demo = start_demo()
    app = App(demo)
    app.sign_in()
    view = app.cookies()
    out = wire.send(demo.base, "POST", "/session/logout", {
        **cookie_header(view), "Origin": demo.base, "Sec-Fetch-Site": "same-origin"})
    assert out.status == 204
    assert {refresh_cookies(demo, view) for _ in range(80)} == {401}
    assert app.refresh().status == 200


def test_a_stolen_refresh_cookie_ends_its_session_however_often_it_was_renewed(start_demo):
    demo = start_demo()
    app = App(demo)
    app.sign_in()
    first = latest = app.cookies()
    while True:
        renewed = wire.send(demo.base, "POST", "/session/refresh", {
            **cookie_header(latest), "X-CSRF-Token": latest.cookies["vagov_anti_csrf_token"].value})
        if renewed.status == 429:
            break
        assert renewed.status == 200
        latest = renewed
    assert session(demo, latest)["authenticated"]
    assert refresh_cookies(demo, first) == 401
    assert not session(demo, latest)["authenticated"], "of the thief and the owner neither goes on"


def test_a_stolen_refresh_token_ends_its_session_however_often_it_was_renewed(start_demo):
    demo = start_demo()
    app = App(demo)
    app.sign_in()
    stolen = app.tokens["refresh_token"]
    statuses = []
    while not statuses or statuses[-1] == 200:
        answer = app.refresh()
        statuses.append(answer.status)
        if answer.status == 200:
            app.tokens |= answer.json()
    assert len(statuses) > 20 and statuses[-1] in (400, 429)
    assert app.post("/oauth/token", grant_type="refresh_token", refresh_token=stolen).json()["error"] == "invalid_grant"
    assert not is_alive(demo, app.tokens["access_token"])


def test_a_devices_secret_is_its_device(start_demo):
    demo = start_demo()
    app, other = App(demo), App(demo)
    app.sign_in()
    other.sign_in()

    def issue(app: App) -> int:
        return demo.send("POST", instance.ISSUE, {"Authorization": f"Bearer {app.tokens['access_token']}"}).status

    assert [issue(app) for _ in range(6)] == [200] * 5 + [429]
    assert issue(other) == 200, "another device of the same user"


def pushed(demo, source: str) -> int:
    return demo.send("POST", "/oauth/par", body=urlencode({
        "client_id": "demo-app", "response_type": "code", "redirect_uri": "https://app.example.com/callback",
        "scope": "openid", "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        "code_challenge_method": "S256"}), source=source).status


def test_nobody_shuts_out_an_app_by_pushing_requests_for_it(start_demo):
    demo = start_demo()
    statuses, began = [], time.monotonic()
    # However slow the machine is: sixty at once are allowed, and one more a second.
    while 429 not in statuses and len(statuses) < 1000:
        statuses.append(pushed(demo, "127.0.0.1"))
    assert 60 <= statuses.count(201) <= 61 + time.monotonic() - began and statuses[-1] == 429
    assert pushed(demo, "127.0.1.1") == 201, "another network's"


# Client assertions (contract §16.10)


def test_an_assertion_counts_once_whatever_happens_to_the_process(start_demo):
    demo = start_demo()
    machine = Machine(demo)
    assertion = machine.assertion()
    assert machine.token(assertion).status == 200
    assert machine.token(assertion).status == 401
    demo.kill()
    again = start_demo(data=demo.data, port=demo.port)
    machine.demo = again
    assert machine.token(assertion).status == 401
    assert machine.token(machine.assertion()).status == 200
    reasons = [event["reason"] for event in again.audit("client.authentication_failed")]
    assert reasons == ["assertion_replayed"] * 2


def test_attack_forged_assertions_of_a_client_whose_keys_cannot_be_fetched_fetch_once_and_are_counted(start_demo):
    demo = start_demo()
    fetches = []
    with Stub(lambda asked: fetches.append(asked) or 500) as broken:
        machine = Machine(demo, jwks=None, jwks_uri=f"{broken.base}/keys")
        answers, held_back, began = [], [], time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            # However slow the machine is: one more a second is not held back.
            while len(held_back) < 15 and len(answers) < 1000:
                answers += pool.map(machine.token, [machine.assertion() for _ in range(30)])
                held_back = [answer for answer in answers if answer.json()["error"] == "slow_down"]
    seconds = time.monotonic() - began
    # Once every five seconds.
    assert len(fetches) <= 2 + seconds // 5, fetches
    assert len(held_back) >= 15 and len(answers) - len(held_back) <= 61 + seconds
    assert {answer.status for answer in answers} - {held_back[0].status} == {503}
    failures = demo.audit("client.authentication_failed")
    assert failures and {event["reason"] for event in failures} == {"keys_unreachable"}
    assert {event["client_id"] for event in failures} == {machine.id}


def test_a_network_that_failed_too_often_as_a_client_is_told_so_by_each_endpoints_own_error(start_demo):
    demo = start_demo()
    wrong = {"Authorization": "Basic ZGVtby1ycDp3cm9uZw==", "Content-Type": wire.FORM}  # demo-rp:wrong

    def excess(path: str) -> str:
        """How often it may fail: 60 times a minute, and now and then once more."""
        for _ in range(200):
            answer = oauth.post(demo, path, {"token": "x"}, wrong)
            if answer.status == 429:
                assert int(answer.header("Retry-After")) > 0
                return answer.json()["error"]
            assert (answer.status, answer.json()["error"]) == (401, "invalid_client"), answer.text
        return "none"

    assert [excess(f"/oauth/{name}") for name in ["revoke", "introspect", "par", "device_authorization", "token"]] == [
        "rate_limited"] * 4 + ["slow_down"]


@pytest.mark.parametrize("audience", [
    lambda issuer: f"{issuer}/oauth/token", lambda issuer: [issuer],
    lambda issuer: [issuer, "https://other.example"]])
def test_an_assertion_names_our_issuer_alone_unless_its_client_is_old(demo, audience):
    audience = audience(demo.facts["issuer"])
    strict, old = Machine(demo), Machine(demo, accepts_endpoint_audience=True)
    assert strict.token(strict.assertion(audience)).status == 401
    assert strict.token(strict.assertion()).status == 200
    for _ in range(2):
        assert old.token(old.assertion(audience)).status == 200
    refused = [event for event in demo.audit("client.authentication_failed") if event["client_id"] == strict.id]
    assert [event["reason"] for event in refused] == ["assertion_endpoint_audience"]
    assert len([event for event in demo.audit("client.audience_tolerated") if event["client_id"] == old.id]) == 1


@pytest.mark.parametrize("changes, reason", [
    ({"jti": None}, "assertion_without_id"), ({"exp": 4_000_000_000}, "assertion_too_lasting"),
    ({"exp": None}, "assertion_without_expiry"), ({"exp": 1}, "assertion_expired"),
    ({"sub": "somebody"}, "assertion_issuer")])
def test_what_is_wrong_with_an_assertion_is_in_the_audit_log(demo, changes, reason):
    machine = Machine(demo)
    answer = machine.token(machine.assertion(**changes))
    assert (answer.status, answer.json()["error"]) == (401, "invalid_client")
    if "sub" not in changes:
        assert [event["reason"] for event in demo.audit("client.authentication_failed")
                if event["client_id"] == machine.id] == [reason]


# Guessing

KNOWN = "__Host-drawbridge_known"


def attempt(demo, browser: Browser, password: str, source: str | None = None) -> wire.Answer:
    browser.jar.pop("__Host-drawbridge_session", None)
    page = browser.send("GET", "/sign-in")
    return browser.submit(page, "/sign-in", username="alice", password=password)


def guess_until_refused(demo, stranger: Browser):
    """Until the next guess is far off, however slow the machine is: five at once, and one more in twelve seconds."""
    for _ in range(100):
        answer = attempt(demo, stranger, "wrong")
        assert answer.status in (400, 429)
        if answer.status == 429 and int(answer.header("Retry-After")) >= 8:
            return
    raise AssertionError("nobody was held back")


def test_strangers_who_guess_do_not_keep_the_owner_out_of_a_known_browser(start_demo):
    demo = start_demo()
    right = demo.user("alice")["password"]
    own, stranger = Browser(demo.base), Browser(demo.base)
    assert attempt(demo, own, right).status == 303
    known = own.jar[KNOWN]
    assert "alice" not in known and demo.user("alice")["sub"] not in known
    guess_until_refused(demo, stranger)
    assert attempt(demo, stranger, right).status == 429
    assert attempt(demo, own, right).status == 303
    assert own.jar[KNOWN] != known, "a new mark with every sign-in"


def test_whoever_changes_the_password_in_a_known_browser_stays_known_there(start_demo):
    demo = start_demo()
    right = demo.user("alice")["password"]
    own, stranger = Browser(demo.base), Browser(demo.base)
    assert attempt(demo, own, right).status == 303
    guess_until_refused(demo, stranger)
    answer = own.submit(own.send("GET", "/account/password"), "/account/password",
                        password=right, new_password=NEW_PASSWORD, again=NEW_PASSWORD)
    assert answer.status == 303 and answer.header("Location").endswith("?changed")
    assert attempt(demo, own, NEW_PASSWORD).status == 303


def end_everything_else(browser: oauth.Browser) -> wire.Answer:
    """The page shows this form only beside other places; whoever holds the session may send it at any time."""
    form = oauth.Forms(browser.request("GET", "/account/devices").text).forms[0]
    fields = {"form_token": form["fields"]["form_token"], "what": "others"}
    return browser.request("POST", form["action"], fields, site="same-origin")


def test_attack_a_session_that_ends_everything_else_in_a_loop_has_to_wait(start_demo):
    demo = start_demo()
    thief = oauth.Browser(demo)
    assert thief.submit(thief.request("GET", "/sign-in"), username="alice",
                        password=demo.user("alice")["password"]).status == 303
    for _ in range(3):
        assert end_everything_else(thief).header("Location").endswith("?ended_others")
    refused = end_everything_else(thief)
    assert refused.status == 429 and 1 <= int(refused.header("Retry-After")) <= 600
    assert refused.header("Content-Type").startswith("text/html"), "a page, and no JSON"
    [event] = [row for row in demo.audit("rate_limit.exceeded") if row["reason"] == "end_others.session"]
    assert event["subject"] == demo.user("alice")["sub"]


def test_attack_a_session_that_ends_everything_else_makes_no_stranger_of_the_owners_browser(start_demo):
    demo = start_demo()
    right = demo.user("alice")["password"]
    own, thief, stranger = oauth.Browser(demo), oauth.Browser(demo), Browser(demo.base)
    for browser in (own, thief):
        signed_in = browser.submit(browser.request("GET", "/sign-in"), username="alice", password=right)
        assert signed_in.status == 303
    assert end_everything_else(thief).header("Location").endswith("?ended_others")
    guess_until_refused(demo, stranger)
    own.cookies.pop(wire.SESSION_COOKIE)
    assert own.submit(own.request("GET", "/sign-in"), username="alice", password=right).status == 303


def test_a_stranger_with_the_password_and_no_code_does_not_keep_the_owner_out_of_a_known_browser(serve):
    server = serve("limits: {sign_in: {right_passwords_per_minute: 3}}\n")
    add(server, "olga")
    codes = enrolled(server, "olga")[1]
    own, stranger = oauth.Browser(server), oauth.Browser(server)
    assert own.submit(password(own, "olga", "/sign-in"), code=codes[0]).status == 303
    # Until the next right one is far off, however slow the machine is: one in twenty seconds.
    for _ in range(100):
        answer = password(stranger, "olga", "/sign-in")
        assert answer.status == 429 or answer.status == 200 and "one-time-code" in answer.text
        if answer.status == 429 and int(answer.header("Retry-After")) >= 10:
            break
    assert answer.status == 429
    assert password(oauth.Browser(server), "olga", "/sign-in").status == 429, "another browser is a stranger as well"
    own.cookies.pop(wire.SESSION_COOKIE)
    assert own.submit(password(own, "olga", "/sign-in"), code=codes[1]).status == 303
    # It says whose limit it was.
    rows = instance.audit_rows(server.data)
    [olga] = {row["subject"] for row in rows if row["type"] == "user.signed_in"}
    assert {row["subject"] for row in rows if row["reason"] == "sign_in.right_password"} == {olga}


#: A day's guesses that are used up within a test: two at once, and the next one hours later.
FEW_GUESSES = "limits: {sign_in: {password_failures_per_day: 4, code_failures_per_day: 4}}\n"


def hoarded(server, name: str, count: int) -> list[str]:
    """By what browsers are known after as many sign-ins with the password."""
    marks = []
    for _ in range(count):
        thief = oauth.Browser(server)
        assert password(thief, name, "/sign-in").status == 303
        marks.append(thief.cookies[KNOWN])
    assert len(set(marks)) == count
    return marks


def looked_at(marks: list[str], guess) -> int:
    """How many wrong guesses are looked at, of three with each mark."""
    answers = [guess(mark) for mark in marks for _ in range(3)]
    assert {answer.status for answer in answers} <= {400, 429}, [answer.status for answer in answers]
    return sum(answer.status == 400 for answer in answers)


def guessed_password(server, name: str, mark: str) -> wire.Answer:
    thief = oauth.Browser(server)
    thief.cookies[KNOWN] = mark
    return thief.submit(thief.request("GET", "/sign-in"), username=name, password="wrong")


def test_attack_hoarded_marks_of_known_browsers(serve):
    server = serve(FEW_GUESSES)
    add(server, "olga")
    marks = hoarded(server, "olga", 5)
    together = looked_at(marks, lambda mark: guessed_password(server, "olga", mark))
    assert together == 6, "three browsers' guesses, however many marks there are"
    assert password(oauth.Browser(server), "olga", "/sign-in").status == 303, "other browsers have their own number"


@pytest.mark.parametrize("change", ["password", "second factor"])
def test_attack_marks_from_before_a_new_password_or_a_second_factor_are_strangers(serve, change):
    server = serve(FEW_GUESSES)
    add(server, "olga")
    marks = hoarded(server, "olga", 4)
    if change == "password":
        instance.run("users", "password", "--config", str(server.settings), "olga", stdin=b"another battery horse\n")
        found = looked_at(marks, lambda mark: guessed_password(server, "olga", mark))
    else:
        enrolled(server, "olga")
        thief = oauth.Browser(server)
        page = password(thief, "olga", "/sign-in")
        assert "one-time-code" in page.text

        def guess(mark: str) -> wire.Answer:
            nonlocal page
            thief.cookies[KNOWN] = mark
            answer = thief.submit(page, code="000000")
            page = answer if "one-time-code" in answer.text else page
            return answer

        found = looked_at(marks, guess)
    assert found == 2, "what any stranger has"


# The HTTP layer, and what errors say

@pytest.mark.parametrize("bytes", [
    b"NONSENSE\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nbad header\x00: x\r\n\r\n",
    # RFC 9112 §3.2
    b"GET /session HTTP/1.1\r\n\r\n", b"GET /session HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
    b"GET /session HTTP/1.0\r\nHost: a\r\nhost: b\r\n\r\n", b"GET /session HTTP/1.1\r\nHost: a/b\r\n\r\n",
    b"GET /session HTTP/1.1\r\nHost: a, b\r\n\r\n",
    b"POST /session/logout HTTP/1.1\r\nContent-Length: 34\r\n\r\nGET /session HTTP/1.1\r\nHost: a\r\n\r\n"])
def test_what_is_no_request_gets_a_request_id_and_the_apis_error(demo, bytes):
    assert_refused(demo, bytes, 400, "invalid_request")


def test_rfc_9110_9_1_a_method_that_nobody_knows_is_told_as_that(demo):
    assert_refused(demo, b"BREW /session HTTP/1.1\r\nHost: a\r\n\r\n", 501, "invalid_request")


TOO_MUCH = "a" * 40_000


@pytest.mark.parametrize("text, status, code", [
    (f"GET /session?{TOO_MUCH} HTTP/1.1\r\nHost: a\r\n\r\n", 414, "uri_too_long"),
    (f"GET /session?{TOO_MUCH}", 414, "uri_too_long"),
    (f"GET /session HTTP/1.1\r\nHost: a\r\nCookie: {TOO_MUCH}\r\n\r\n", 431, "header_fields_too_large"),
    ("GET /session HTTP/1.1\r\nHost: a\r\n" + "X-A: b\r\n" * 100 + "\r\n", 431, "header_fields_too_large")],
    ids=["a target", "a target that does not end", "a field", "the fields together"])
def test_rfc_9112_3_rfc_6585_5_what_is_too_long_is_told_as_that(demo, text, status, code):
    assert_refused(demo, text.encode(), status, code)


def assert_refused(demo, bytes, status: int, code: str):
    with socket.create_connection(("127.0.0.1", demo.port), timeout=10) as connection:
        connection.sendall(bytes)
        response = http.client.HTTPResponse(connection)
        response.begin()
        body = json.loads(response.read())
    assert response.status == status and response.getheader("Connection") == "close"
    assert response.getheader("Content-Type") == "application/json"
    assert body["error"] == code and body["request_id"] == response.getheader("X-Request-Id")
    assert body["error_uri"].endswith(f"/errors/{code}")
    line = instance.wait_until(
        lambda: next((line for line in demo.json_lines() if line.get("request_id") == body["request_id"]), None),
        what="the access log's line")
    assert (line["route"], line["status"]) == ("malformed", status)


@pytest.mark.parametrize("text, status", [
    ("HEAD /session HTTP/1.1\r\n\r\n", 400), (f"HEAD /session?{TOO_MUCH} HTTP/1.1\r\nHost: a\r\n\r\n", 414),
    (f"HEAD /session HTTP/1.1\r\nHost: a\r\nCookie: {TOO_MUCH}\r\n\r\n", 431)],
    ids=["no host", "a target that is too long", "a field that is too long"])
def test_contract_11_a_head_request_is_refused_without_a_body(demo, text, status):
    with socket.create_connection(("127.0.0.1", demo.port), timeout=10) as connection:
        connection.sendall(text.encode())
        answer = b""
        with contextlib.suppress(ConnectionResetError):  # not all of the request may have been read
            while more := connection.recv(4096):
                answer += more
    assert answer.startswith(f"HTTP/1.1 {status} ".encode())
    assert answer.endswith(b"\r\n\r\n") and answer.count(b"\r\n\r\n") == 1


def test_a_bad_request_after_a_good_one_takes_nothing_from_its_answer(demo):
    with socket.create_connection(("127.0.0.1", demo.port), timeout=10) as connection:
        connection.sendall(b"GET /session HTTP/1.1\r\nHost: a\r\n\r\nNONSENSE\r\n\r\n")
        first = http.client.HTTPResponse(connection)
        first.begin()
        assert first.status == 200 and json.loads(first.read()) == {"authenticated": False}


def test_a_request_of_http_1_0_needs_no_host_and_one_of_1_1_may_leave_it_empty(demo):
    for bytes in [b"GET /session HTTP/1.0\r\n\r\n", b"GET /session HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n",
                  b"GET /session HTTP/1.1\r\nHOST: [::1]:80\r\nConnection: close\r\n\r\n"]:
        with socket.create_connection(("127.0.0.1", demo.port), timeout=10) as connection:
            connection.sendall(bytes)
            response = http.client.HTTPResponse(connection)
            response.begin()
            assert response.status == 200, bytes


@pytest.mark.parametrize("target, named", [
    ("audit-events?frm=2026-01-01", '"frm"'), ("users?lmit=3", '"lmit"'), ("clients?curser=x", '"curser"')])
def test_a_parameter_that_nobody_reads_is_named(demo, target, named):
    answer = Admin(demo).send("GET", target)
    assert answer.status == 400 and named in answer.json()["error_description"]


def test_a_setting_that_nobody_reads_is_named_and_a_secret_in_its_place_is_not(demo):
    secret = "dbs_" + secrets.token_urlsafe(40)
    for member, shown in (("deviceSecretTTL", True), (secret, False)):
        answer = Admin(demo).send("PUT", "settings/native-sso", {member: 1})
        assert answer.status == 400
        assert (member in answer.json()["error_description"]) is shown


def test_explain_names_the_entry_that_decides(demo):
    answer = Admin(demo).send("POST", "explain", {
        "kind": "redirect", "client_id": "demo-web", "redirect": "/account/orders/7"}).json()
    assert (answer["passes"], answer["rule"]) == (True, "/account/*")
