"""Devices without a browser, as they, their users and their thieves see it (contract §9, §5.5, §16; RFC 8628)."""

import base64
import html
import json
import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from urllib.parse import urlencode

import pytest

import instance
import oauth
import signing
from admin import Admin, Console
from desktop import Desktop
from devices import GRANT, Device, Visitor
from instance import write
from servers import Postgres, Redis
from skips import NEEDS_STORES, skip_by


def test_a_device_waits_is_let_in_and_gets_its_tokens(demo):
    device = Device(demo)
    assert re.fullmatch(r"[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}", device.user_code)
    assert device.facts["verification_uri"] == demo.base + "/device"
    assert device.facts["verification_uri_complete"] == f"{demo.base}/device?user_code={device.user_code}"
    assert (device.facts["expires_in"], device.facts["interval"]) == (600, 5)
    assert device.error() == (400, "authorization_pending")
    assert "Demo app" in Visitor(demo).let_in(device).text
    tokens = device.tokens()
    assert tokens["scope"] == "openid profile" and tokens["token_type"] == "Bearer"
    assert oauth.userinfo(demo, tokens["access_token"]).json()["sub"] == demo.user("alice")["sub"]
    assert signing.parts(tokens["id_token"])[1]["aud"] == "demo-app"
    assert device.error() == (400, "invalid_grant")


def test_both_metadata_documents_name_the_device_endpoint_and_its_grant(demo):
    for path in ("openid-configuration", "oauth-authorization-server"):
        document = demo.send("GET", f"/.well-known/{path}").json()
        assert document["device_authorization_endpoint"] == demo.base + "/oauth/device_authorization"
        assert GRANT in document["grant_types_supported"]


def test_polling_too_fast_is_slow_down_with_400(demo):
    device = Device(demo)
    assert device.error() == (400, "authorization_pending")
    answer = device.poll()
    assert (answer.status, answer.json()["error"]) == (400, "slow_down")
    assert "10 seconds" in answer.json()["error_description"]
    assert "15 seconds" in device.poll().json()["error_description"]


def test_a_link_with_the_code_asks_with_the_code_to_compare_and_lets_nobody_in_by_itself(demo):
    device = Device(demo)
    browser = Visitor(demo)
    page = browser.visit(f"/device?user_code={device.user_code}")
    assert page.status == 200
    for said in (device.user_code, "Demo app", "Is this device in your hands?", "see your name", "same network"):
        assert said in page.text, said
    assert 'role="group" aria-labelledby="compare"' in page.text
    assert page.header("X-Frame-Options") == "DENY" and page.header("Cache-Control") == "no-store"
    assert device.error() == (400, "authorization_pending")
    browser.decide(page)
    assert "access_token" in device.tokens()


def test_the_sign_in_says_that_it_is_for_another_device_and_the_page_says_who_is_signed_in(demo):
    for path in ("/device", "/device?user_code=BCDF-GHJK"):
        leads = demo.send("GET", path)
        assert leads.status == 303
        page = demo.send("GET", leads.header("Location").removeprefix(demo.base))
        assert page.status == 200 and "to sign in another device" in page.text, path
    page = Visitor(demo).visit("/device")
    assert re.search(r'signed in as <strong id="known">[^<]*Alice', page.text)


def test_what_was_typed_is_there_to_be_mended_and_has_the_cursor(start_demo):
    # Of its own: wrong codes count against everybody in the network.
    demo = start_demo()
    browser = Visitor(demo)
    page = browser.visit("/device")
    assert re.search(r'<input [^>]*id="user_code"[^>]* autofocus', page.text)

    def field(answer) -> str:
        """The value of the field for the code, as it stands in the page."""
        assert answer.status == 400 and "<title>Error: " in answer.text
        assert re.search(r'<input [^>]*id="user_code"[^>]* autofocus', answer.text)
        return re.search(r'id="user_code" name="user_code" value="([^"]*)"', answer.text).group(1)

    assert field(browser.ask("bcdfghj")) == "bcdfghj", "a letter is missing"
    assert field(browser.ask("bbbb bbbb")) == "BBBB-BBBB", "a whole code as it is shown"
    script = field(browser.ask('"><script>' + "x" * 40))
    assert "<" not in script and html.unescape(script) == '"><script>' + "x" * 22
    # Nothing of a link gets onto the page but a code. What ties the form to its browser holds digits of its own.
    page = Visitor(demo).visit("/device?user_code=call+555-1234")
    assert "555" not in re.sub('name="form_token" value="[^"]*"', "", page.text.replace(demo.base, ""))


def test_a_user_who_declines_is_access_denied(demo):
    device = Device(demo)
    browser = Visitor(demo)
    answer = browser.decide(browser.ask(device.user_code.lower().replace("-", " ")), "deny")
    assert answer.status == 200 and "was not signed in" in answer.text
    assert device.error() == (400, "access_denied")


def test_an_answer_that_is_sent_again_has_the_same_page(demo):
    for decision, said in [("allow", "The device is being signed in"), ("deny", "The device was not signed in")]:
        device, browser = Device(demo), Visitor(demo)
        page = browser.ask(device.user_code)
        first, again = browser.decide(page, decision), browser.decide(page, decision)
        assert (first.status, again.status) == (200, 200) and said in first.text and said in again.text
        other = {"allow": "deny", "deny": "allow"}[decision]
        assert "does not wait any more" in browser.decide(page, other).text


def test_a_link_that_is_scanned_again_says_that_its_user_has_let_the_device_in(demo):
    device, browser = Device(demo), Visitor(demo)
    browser.let_in(device)
    again = browser.visit(f"/device?user_code={device.user_code}")
    assert again.status == 200 and "The device is being signed in" in again.text, again.text
    assert device.poll().status == 200, "it asked for nothing again"


def test_somebody_else_may_let_the_device_in_and_the_code_stays(demo):
    device, browser = Device(demo), Visitor(demo)
    for page in (browser.visit(f"/device?user_code={device.user_code}"), browser.ask(device.user_code)):
        link = html.unescape(re.search(r'<a [^>]*href="([^"]+)" id="other">Use another account</a>', page.text).group(1))
        assert link.startswith("/sign-in?") and "account=another" in link
    asked = browser.visit(link, "bob")
    assert device.user_code in asked.text and re.search(r'signed in as <strong id="known">[^<]*Bob', asked.text)
    # Without a code nothing is carried along.
    plain = browser.visit("/device")
    assert 'href="/sign-in?redirect=%2Fdevice&amp;account=another" id="other"' in plain.text


def test_a_client_without_the_grant_gets_none(demo):
    answer = oauth.post(demo, "/oauth/device_authorization", {"client_id": "demo-webview"})
    assert (answer.status, answer.json()["error"]) == (400, "unauthorized_client")
    answer = oauth.token(demo, {"grant_type": GRANT, "device_code": "x", "client_id": "demo-webview"})
    assert (answer.status, answer.json()["error"]) == (400, "unauthorized_client")
    answer = oauth.post(demo, "/oauth/device_authorization", {"client_id": "nobody"})
    assert (answer.status, answer.json()["error"]) == (401, "invalid_client")
    answer = oauth.post(demo, "/oauth/device_authorization", "client_id=demo-app&client_id=demo-app")
    assert (answer.status, answer.json()["error"]) == (400, "invalid_request")


def test_a_device_asks_for_nothing_but_this_issuer(demo):
    form = {"client_id": "demo-app", "scope": "openid profile", "resource": "https://x.example/"}
    answer = oauth.post(demo, "/oauth/device_authorization", form)
    assert (answer.status, answer.json()["error"]) == (400, "invalid_target"), answer.text
    event = Admin(demo).events(type="token_request.refused")[0]
    assert (event["client_id"], event["reason"]) == ("demo-app", "wrong_resource")
    assert oauth.post(demo, "/oauth/device_authorization", {**form, "resource": demo.base}).status == 200


def test_an_administrator_registers_a_television_with_a_secret_or_without(demo):
    admin = Admin(demo)
    made = admin.send("POST", "clients", {
        "client_name": "Television", "client_type": "web", "grant_types": [GRANT], "scope": "openid"}).json()
    basic = {"Authorization": "Basic " + base64.b64encode(
        f"{made['client_id']}:{made['client_secret']}".encode()).decode()}
    instance.wait_until(
        lambda: oauth.post(demo, "/oauth/device_authorization", {}, basic).status == 200, 30, "the new client")
    without = oauth.post(demo, "/oauth/device_authorization", {"client_id": made["client_id"]})
    assert (without.status, without.json()["error"]) == (401, "invalid_client")


def test_what_happened_is_in_the_log_with_where_the_device_had_asked_from(demo):
    device = Device(demo)
    Visitor(demo).let_in(device, "bob")
    device.tokens()
    types = [event["type"] for event in Admin(demo).events(sub=demo.user("bob")["sub"], limit=20)]
    assert {"device_code.approved", "device_code.redeemed", "app_session.opened"} <= set(types)
    approved = Admin(demo).events(type="device_code.approved", sub=demo.user("bob")["sub"])[0]
    assert '"network":"127.0.0.0/24"' in approved["detail"]
    log = demo.stderr_path.read_text()
    for secret in (device.facts["device_code"], device.user_code, device.user_code.replace("-", "")):
        assert secret not in log


def test_the_log_says_who_let_a_television_in_and_what_came_of_that_sign_in(demo):
    """By two questions each way (docs/operations.md), while another device of the same user is let in elsewhere."""
    admin = Admin(demo)
    device, other = Device(demo), Device(demo)
    Visitor(demo).let_in(device, "bob")
    Visitor(demo).let_in(other, "bob")
    other.tokens()
    television = signing.parts(device.tokens()["access_token"])[1]["sid"]
    [opened] = admin.events(sid=television, type="app_session.opened")
    below = json.loads(opened["detail"])
    told = {event["type"]: event for event in admin.events(sid=below["parent"])}
    assert {"user.signed_in", "device_code.approved", "device_code.redeemed"} <= set(told)
    assert json.loads(told["device_code.redeemed"]["detail"])["opened"] == television
    of_code = [event for page in admin.pages(limit=500, q=below["code_id"]) for event in page]
    assert sorted(event["type"] for event in of_code) == [
        "app_session.opened", "device_code.approved", "device_code.issued", "device_code.redeemed"]


def test_what_a_code_would_come_to_is_explained_and_no_guess(demo):
    device = Device(demo)

    def explained(code: str) -> tuple:
        answer = Admin(demo).send("POST", "explain", {"kind": "device_code", "user_code": code})
        assert answer.status == 200, answer.body
        return answer.json()["passes"], answer.json()["reason"]

    assert explained(device.user_code.lower()) == (True, None)
    assert explained("BBBB-BBBB") == (False, "unknown_user_code")
    assert explained("AAAA") == (False, "malformed_user_code")
    Visitor(demo).let_in(device)
    assert explained(device.user_code) == (False, "approved")


def test_the_console_explains_a_devices_code(demo):
    console = Console(demo)
    assert console.explained("device_code", user_code=Device(demo).user_code.lower()) == (True, None)
    assert console.explained("device_code", user_code="BBBB-BBBB") == (False, "unknown_user_code")


def test_the_desktop_app_signs_in_by_a_code(demo, tmp_path):
    desktop = Desktop(demo, tmp_path)
    running = desktop.start("sign-in", "--device")
    line = instance.next_line(running.popen, 30)
    code = re.search(r"enter the code ([A-Z]{4}-[A-Z]{4})", line).group(1)
    browser = Visitor(demo)
    browser.decide(browser.ask(code))
    assert "Signed in as Alice.\n" in running.end()
    assert "alice" in desktop.run("whoami").lower()


# Attacks


def session_of(demo, tokens: dict, user: str = "alice") -> dict:
    sid = signing.parts(tokens["access_token"])[1]["sid"]
    return next(one for one in Admin(demo).sessions(demo.user(user)["sub"]) if one["id"] == sid)


def test_attack_device_code_phishing_the_attackers_device_gets_nothing_worth_having(demo):
    device = Device(demo, scope="openid profile offline_access device_sso admin revoke_all_sessions")
    victim = Visitor(demo)
    victim.let_in(device)
    tokens = device.tokens()
    assert "refresh_token" not in tokens and "device_secret" not in tokens
    assert tokens["scope"] == "openid profile"
    assert tokens["expires_in"] <= 900
    session = session_of(demo, tokens)
    assert session["origin"] == "device_code" and session["parent"]
    # No chain: neither a login link nor a website's session comes of it (contract §16.4).
    bearer = {"Authorization": f"Bearer {tokens['access_token']}"}
    answer = demo.send("POST", "/api/auth/create-sso-token", bearer)
    assert (answer.status, answer.json()["error"]) == (403, "unauthorized_client")
    answer = oauth.token(demo, {
        "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "client_id": "demo-app",
        "subject_token": tokens["access_token"],
        "subject_token_type": "urn:ietf:params:oauth:token-type:access_token",
        "requested_token_type": "urn:drawbridge:params:oauth:token-type:login-token"})
    assert answer.status == 400
    assert demo.send("GET", "/api/admin/clients", bearer).status == 403
    # The user sees it, and signing out takes it away.
    page = victim.request("GET", "/account/devices").text
    assert "Demo app" in page and "Let in by a code" in page
    assert victim.request("POST", "/session/logout", {}, site="same-origin").status in (204, 303)
    assert oauth.userinfo(demo, tokens["access_token"]).status == 401


def test_attack_another_client_polls(demo):
    device = Device(demo)
    assert device.error(client="demo-app-b") == (400, "invalid_grant")
    Visitor(demo).let_in(device)
    assert device.error(client="demo-app-b") == (400, "invalid_grant")
    assert "access_token" in device.tokens()


def test_attack_second_redemption_race_one_of_many_wins(demo):
    device = Device(demo)
    Visitor(demo).let_in(device)
    with ThreadPoolExecutor(8) as pool:
        answers = [future.result() for future in [pool.submit(device.poll) for _ in range(8)]]
    winners = [answer for answer in answers if answer.status == 200]
    assert len(winners) == 1
    assert {answer.json()["error"] for answer in answers if answer.status != 200} == {"invalid_grant"}
    assert oauth.userinfo(demo, winners[0].json()["access_token"]).status == 200


def test_attack_a_stolen_code_redeemed_later_ends_what_the_first_opened(demo):
    device = Device(demo)
    Visitor(demo).let_in(device)
    tokens = device.tokens()
    # Longer ago than two polls of the device itself can cross.
    write(demo, "UPDATE authorization_code SET redeemed_at = redeemed_at - 2000 WHERE redeemed_at IS NOT NULL")
    assert device.error() == (400, "invalid_grant")
    assert oauth.userinfo(demo, tokens["access_token"]).status == 401


def test_attack_a_handed_off_session_lets_nobody_in(demo):
    device = Device(demo)
    browser = Visitor(demo)
    token = demo.issue()["token"]
    assert browser.request("GET", "/login-with-token?" + urlencode({"token": token})).status == 303
    for target in ("/device", f"/device?user_code={device.user_code}"):
        answer = browser.request("GET", target)
        assert answer.status == 303 and "/sign-in?redirect=%2Fdevice" in answer.header("Location")
    answer = browser.request("POST", "/device", {"user_code": device.user_code}, site="same-origin")
    assert answer.status == 303
    answer = browser.request("POST", "/device/decision", {"decision": "allow", "device": "x"}, site="same-origin")
    assert answer.status == 303
    assert device.error() == (400, "authorization_pending")


def test_attack_csrf_on_the_answer_does_nothing(demo):
    device = Device(demo)
    victim, thief = Visitor(demo), Visitor(demo)
    page = victim.ask(device.user_code)
    form = next(one for one in oauth.Forms(page.text).forms if one["fields"].get("decision") == "allow")["fields"]
    foreign = next(one for one in oauth.Forms(thief.ask(device.user_code, "bob").text).forms
                   if one["fields"].get("decision") == "allow")["fields"]
    without = {**form, "form_token": ""}
    for fields in (without, {**form, "form_token": foreign["form_token"]}, foreign, {**form, "device": foreign["device"]}):
        answer = victim.request("POST", "/device/decision", fields, site="cross-site")
        assert answer.status == 400, fields
        assert device.error()[1] in ("authorization_pending", "slow_down")
    # Nor does a picture on a foreign page look a code up, nor one that leads here, nor a browser that looks ahead.
    cookie = {"Cookie": "; ".join(f"{k}={v}" for k, v in victim.cookies.items())}
    visit = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    for headers in ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"},
                    {"Sec-Fetch-Site": "cross-site", **visit}, {"Sec-Fetch-Site": "none", "Sec-Purpose": "prefetch", **visit}):
        answer = demo.send("GET", f"/device?user_code={device.user_code}", {**cookie, **headers})
        assert "Demo app" not in answer.text and device.user_code in answer.text, headers


def test_attack_brute_force_on_one_node(start_demo):
    demo = start_demo()
    device = Device(demo)
    browser = Visitor(demo)
    for _ in range(5):
        wrong = browser.ask("BBBB-BBBB")
        assert wrong.status == 400 and "<title>Error: " in wrong.text
        assert 'aria-invalid="true" aria-describedby="notice"' in wrong.text
    answer = browser.ask(device.user_code)
    assert answer.status == 429 and int(answer.header("Retry-After")) > 800
    # Another user from the same network as well.
    assert Visitor(demo).ask(device.user_code, "bob").status == 429
    assert device.error() == (400, "authorization_pending")


@pytest.fixture
def nodes():
    skip_by(NEEDS_STORES)
    with ExitStack() as running:
        postgres, redis = running.enter_context(Postgres()), running.enter_context(Redis())
        database = postgres.create("devices")
        port = instance.free_port()
        flags = ("--database", database, "--redis", redis.url, "--issuer", f"http://127.0.0.1:{port}")
        made = []
        for number in range(2):
            node = instance.Demo(*flags, port=port if number == 0 else 0)
            running.callback(node.stop)
            made.append(node)
        yield made, redis


def test_attack_brute_force_of_user_codes_and_polling_too_fast_over_two_nodes(nodes):
    (first, second), redis = nodes
    device = Device(first)
    assert device.error(at=second) == (400, "authorization_pending")
    assert device.error(at=first) == (400, "slow_down")
    # A browser knows one node; its session is good at both.
    browser, other = Visitor(first), Visitor(second)
    browser.visit("/device")
    other.cookies = browser.cookies
    for number in range(5):
        answer = (browser, other)[number % 2].ask("BBBB-BBBB")
        assert answer.status == 400, answer.text
    for one in (browser, other):
        assert one.ask(device.user_code).status == 429


def test_two_nodes_one_shows_the_page_the_other_is_polled_and_redis_may_be_away(nodes):
    (first, second), redis = nodes
    device = Device(second)
    assert device.error(at=first) == (400, "authorization_pending")
    redis.kill()
    # The database goes on counting; nothing is opened by the outage, and nothing is refused by it.
    assert device.error(at=first)[1] in ("authorization_pending", "slow_down")
    Visitor(first).let_in(device)
    assert "access_token" in device.poll(at=second).json()
