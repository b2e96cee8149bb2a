"""Contract §4: what consumes a login token, what never does, and what each case answers."""

import itertools
import json
import re
import time
from urllib.parse import unquote, urlencode, urljoin, urlsplit

import pytest

import instance
import native
import oauth
import signing
import wire
from instance import REDEEM, shown_form, type_code
from wire import FIREFOX, NAVIGATION, OTHER_BROWSER, SAFARI

VERIFIER = "verifier-" + "v" * 40


def assert_page(answer: wire.Answer, status: int = 200):
    assert answer.status == status, (answer.status, answer.text[:400])
    assert answer.header("Content-Type").replace(" ", "").lower() == "text/html;charset=utf-8"
    assert answer.header("Cache-Control") == "no-store"
    assert answer.header("Referrer-Policy") == "no-referrer"
    assert answer.header("X-Content-Type-Options") == "nosniff"
    assert answer.header("X-Request-Id")
    policy = answer.header("Content-Security-Policy")
    assert "frame-ancestors 'none'" in policy and "unsafe-inline" not in policy, policy
    assert not answer.header("Strict-Transport-Security"), "HSTS is for TLS only"
    page = wire.PageForm(answer.text)
    assert page.inline_scripts == 0 and not page.inline_handlers, "nothing inline under this policy"
    assert "<html" in answer.text and 'lang="' in answer.text
    return page


def assert_signed_in(demo, answer: wire.Answer, location: str = "/contacts"):
    assert answer.status == 303, (answer.status, answer.text[:400])
    assert answer.header("Location") == demo.base + location
    assert answer.session_cookie, answer.headers
    assert demo.session(answer.session_cookie)["authenticated"] is True


def assert_refused(answer: wire.Answer):
    assert_page(answer, 400)
    assert not answer.all("Set-Cookie") and not answer.header("Location")


def untouched(demo, token: dict) -> bool:
    return demo.status(token["id"]) == "pending"


# First use

def test_redeem_lands_on_the_default_page_with_the_session_cookies(demo):
    before = int(time.time())
    answer = demo.redeem(demo.issue()["token"])
    assert_signed_in(demo, answer)
    assert answer.header("Cache-Control") == "no-store"
    assert answer.header("Referrer-Policy") == "no-referrer"
    assert set(answer.cookies) == {wire.SESSION_COOKIE, "drawbridge_info"}
    session = answer.cookies[wire.SESSION_COOKIE]
    assert {name: session.attributes.get(name) for name in ("path", "secure", "httponly", "samesite")} == {
        "path": "/", "secure": True, "httponly": True, "samesite": "Lax"}
    assert "domain" not in session.attributes
    assert len(session.value) >= 43
    info = answer.cookies["drawbridge_info"]
    assert info.attributes.get("secure") is True and info.attributes.get("path") == "/"
    assert "httponly" not in info.attributes
    decoded = json_of_percent(info.value)
    assert set(decoded) == {"expires_at", "idle_expires_at"}, "no identity"
    assert before < decoded["idle_expires_at"] <= decoded["expires_at"]


def json_of_percent(text: str) -> dict:
    assert re.fullmatch(r"[A-Za-z0-9._~%-]+", text), "percent-encoded"
    return json.loads(unquote(text))


def test_the_session_id_is_never_taken_from_the_request(demo):
    planted = f"{wire.SESSION_COOKIE}={'A' * 43}"
    answer = demo.redeem(demo.issue()["token"], {**NAVIGATION, "Cookie": planted})
    assert_signed_in(demo, answer)
    assert answer.session_cookie != planted
    assert demo.session(planted)["authenticated"] is False


def test_the_compatibility_path_redeems_too(demo):
    token = demo.issue()["token"]
    answer = demo.send("GET", f"/user/login-with-token.php?token={token}", NAVIGATION)
    assert_signed_in(demo, answer)


# What consumes: GET

NAVIGATE_SITES = ["none", "same-origin", "same-site"]


@pytest.mark.parametrize("site", NAVIGATE_SITES)
def test_a_persons_own_navigation_consumes(demo, site):
    assert_signed_in(demo, demo.redeem(demo.issue()["token"], {**NAVIGATION, "Sec-Fetch-Site": site}))


UNSURE = [
    {},
    {"User-Agent": FIREFOX},
    {**NAVIGATION, "Sec-Fetch-Site": "cross-site"},
    {**NAVIGATION, "Sec-Fetch-Site": "galaxy"},
    {**NAVIGATION, "Sec-Fetch-Mode": "no-cors"},
    {**NAVIGATION, "Sec-Fetch-Mode": "cors"},
    {**NAVIGATION, "Sec-Fetch-Dest": "iframe"},
    {**NAVIGATION, "Sec-Fetch-Dest": "image"},
    {**NAVIGATION, "Sec-Fetch-Dest": "empty"},
    {name: value for name, value in NAVIGATION.items() if name != "Sec-Fetch-Site"},
    {name: value for name, value in NAVIGATION.items() if name != "Sec-Fetch-Dest"},
]
PREFETCH = [
    {**NAVIGATION, "Sec-Purpose": "prefetch"},
    {**NAVIGATION, "Sec-Purpose": "prefetch;prerender"},
    {**NAVIGATION, "Sec-Purpose": "prefetch;anonymous-client-ip"},
    {**NAVIGATION, "Purpose": "prefetch"},
    {**NAVIGATION, "Purpose": "preview"},
    {**NAVIGATION, "X-Purpose": "preview"},
    {**NAVIGATION, "X-Moz": "prefetch"},
    {**NAVIGATION, "Sec-Purpose": "PREFETCH"},
]
PREVIEWERS = [
    "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
    "WhatsApp/2.23.20.0",
    "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
    "TelegramBot (like TwitterBot)",
    "Twitterbot/1.0",
    "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
    "LinkedInBot/1.0 (compatible; Mozilla/5.0)",
    "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5",
    "Mozilla/5.0 (compatible; Yahoo Link Preview; https://help.yahoo.com/kb/mail/yahoo-link-preview-SLN23615.html)",
    "bitlybot/3.0 (+http://bit.ly/)",
    "Mozilla/5.0 (compatible; Microsoft-URL-Preview/1.0)",
    "Mozilla/5.0 (compatible; snapchat URL Preview)",
    "Mozilla/5.0 (Windows NT 6.1; rv:6.0) Gecko/20110814 Firefox/6.0 Google (+https://developers.google.com/+/web/snippet/)",
    "WhatsApp",
    "Slack-LinkExpanding 1.0 (+https://api.slack.com/robots)",
    "Nextcloud Server Crawler",
]


PREVIEWS = [{**NAVIGATION, "User-Agent": agent} for agent in PREVIEWERS]


@pytest.mark.parametrize("headers", UNSURE + PREFETCH + PREVIEWS, ids=str)
def test_everything_else_gets_the_confirm_page_and_touches_nothing(demo, headers):
    token = demo.issue()
    events = len(demo.audit(token_id=token["id"]))
    answer = demo.redeem(token["token"], headers)
    page = assert_page(answer)
    assert not answer.session_cookie and not answer.header("Location")
    assert any(form["method"] == "post" for form in page.forms)
    assert untouched(demo, token)
    assert len(demo.audit(token_id=token["id"])) == events
    assert_signed_in(demo, demo.redeem(token["token"]))


@pytest.mark.parametrize("headers", PREFETCH, ids=str)
def test_a_prefetch_signal_beats_the_header_carrier(demo, headers):
    token = demo.issue()
    answer = demo.send("GET", REDEEM, {**headers, "Drawbridge-Login-Token": token["token"]})
    assert answer.status == 200 and not answer.session_cookie
    assert untouched(demo, token)


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS"])
def test_head_and_options_never_consume(demo, method):
    token = demo.issue()
    answer = demo.send(method, f"{REDEEM}?token={token['token']}", NAVIGATION)
    assert answer.status < 500 and answer.status not in (302, 303) and not answer.all("Set-Cookie")
    assert answer.body == b"" or method == "OPTIONS"
    assert demo.send(method, REDEEM, {**NAVIGATION, "Drawbridge-Login-Token": token["token"]}).status < 500
    assert untouched(demo, token)


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "TRACE"])
def test_other_methods_never_consume(demo, method):
    token = demo.issue()
    answer = demo.send(method, f"{REDEEM}?token={token['token']}", NAVIGATION)
    assert answer.status in (404, 405, 501)
    assert untouched(demo, token)


# What consumes: the header carrier

@pytest.mark.parametrize("headers", [
    {}, {"User-Agent": SAFARI}, {**NAVIGATION, "Sec-Fetch-Site": "cross-site"},
], ids=str)
def test_the_header_carrier_consumes_at_once(demo, headers):
    token = demo.issue()["token"]
    answer = demo.send("GET", f"{REDEEM}?redirect=%2Faccount%2Fplan", {**headers, "Drawbridge-Login-Token": token})
    assert_signed_in(demo, answer, "/account/plan")


# What consumes: POST

def form(token: str, **more) -> str:
    return wire.encode({"token": token, **more})


WEB_VIEW_POSTS = [
    {"User-Agent": SAFARI},
    {"User-Agent": SAFARI, "Sec-Fetch-Site": "none"},
    {"User-Agent": SAFARI, "Sec-Fetch-Site": "same-origin"},
    {"User-Agent": SAFARI, "Origin": "OURS"},
]
FOREIGN_POSTS = [
    {**NAVIGATION, "Origin": "https://evil.example"},
    {**NAVIGATION, "Origin": "null"},
    {**NAVIGATION, "Sec-Fetch-Site": "cross-site"},
    {**NAVIGATION, "Sec-Fetch-Site": "same-site"},
    {"User-Agent": SAFARI, "Origin": "null"},
]


@pytest.mark.parametrize("headers", WEB_VIEW_POSTS, ids=str)
def test_a_web_views_own_post_consumes(demo, headers):
    headers = {name: demo.base if value == "OURS" else value for name, value in headers.items()}
    answer = demo.send("POST", REDEEM, headers, form(demo.issue()["token"], redirect="/account/a"))
    assert_signed_in(demo, answer, "/account/a")


@pytest.mark.parametrize("headers", FOREIGN_POSTS, ids=str)
def test_a_foreign_post_gets_the_confirm_page(demo, headers):
    token = demo.issue()
    answer = demo.send("POST", REDEEM, headers, form(token["token"]))
    assert_page(answer)
    assert not answer.session_cookie and untouched(demo, token)


def confirm_form(demo, token: str, **parameters) -> tuple[dict, wire.Answer]:
    page = demo.redeem(token, {"User-Agent": FIREFOX}, **parameters)
    forms = [form for form in assert_page(page).forms if form["method"] == "post"]
    assert len(forms) == 1
    return forms[0], page


def submit(demo, form: dict, cookie: str, headers: dict, **override) -> wire.Answer:
    target = urlsplit(urljoin(f"{demo.base}{REDEEM}", form["action"]))
    assert f"{target.scheme}://{target.netloc}" == demo.base
    fields = {**form["fields"], **override}
    return demo.send("POST", target.path, {**headers, **({"Cookie": cookie} if cookie else {})}, wire.encode(fields))


@pytest.mark.parametrize("headers", [
    {**NAVIGATION, "Origin": "null", "Sec-Fetch-Site": "same-origin"},
    {**NAVIGATION, "Origin": "null", "Sec-Fetch-Site": "cross-site"},
], ids=str)
def test_our_own_form_consumes(demo, headers):
    form, page = confirm_form(demo, demo.issue()["token"], redirect="/account/b")
    cookies = page.cookies
    name = next(name for name in cookies)
    assert name.startswith("__Host-") and cookies[name].attributes.get("secure") is True
    assert cookies[name].attributes.get("httponly") is True
    # The token in the form says how long that is good.
    assert cookies[name].attributes.get("max-age") == "1800"
    answer = submit(demo, form, wire.cookie_header(page), headers)
    assert_signed_in(demo, answer, "/account/b")


def test_a_form_token_counts_only_with_its_own_cookie(demo):
    headers = {**NAVIGATION, "Origin": "null", "Sec-Fetch-Site": "cross-site"}
    token = demo.issue()
    form, page = confirm_form(demo, token["token"])
    _, other_page = confirm_form(demo, token["token"])
    for cookie in ["", wire.cookie_header(other_page)]:
        answer = submit(demo, form, cookie, headers)
        assert answer.status == 200 and not answer.session_cookie, "the confirm page again"
        assert untouched(demo, token)
    assert_signed_in(demo, submit(demo, form, wire.cookie_header(page), headers))


@pytest.mark.parametrize("content_type", ["application/json", "text/plain", "multipart/form-data; boundary=x"])
def test_a_post_that_is_no_form_opens_nothing(demo, content_type):
    token = demo.issue()
    answer = demo.send("POST", REDEEM, {"User-Agent": SAFARI, "Content-Type": content_type}, form(token["token"]))
    assert answer.status in (400, 415) and not answer.session_cookie
    assert untouched(demo, token)


# Carriers in conflict

@pytest.mark.parametrize("twice", ["query", "query-header", "header", "query-body", "body", "body-header"])
def test_a_token_given_twice_is_refused_and_not_consumed(demo, twice):
    token = demo.issue()
    text = token["token"]
    headers = list(NAVIGATION.items()) if "body" not in twice else [("User-Agent", SAFARI)]
    target, body, method = REDEEM, None, "POST" if "body" in twice else "GET"
    if "query" in twice:
        target += f"?token={text}" + (f"&token={text}" if twice == "query" else "")
    if "header" in twice:
        headers += [("Drawbridge-Login-Token", text)] * (2 if twice == "header" else 1)
    if "body" in twice:
        body = f"token={text}" + (f"&token={text}" if twice == "body" else "")
    assert_refused(demo.send(method, target, headers, body))
    assert untouched(demo, token)


# Used before

def test_the_same_browser_again_gets_the_target_and_no_second_session(demo):
    token = demo.issue()
    cookie = demo.redeem(token["token"]).session_cookie
    for _ in range(3):
        again = demo.redeem(token["token"], {**NAVIGATION, "Cookie": cookie})
        assert again.status == 303 and again.header("Location") == f"{demo.base}/contacts"
        assert not again.session_cookie
    assert demo.session(cookie)["authenticated"] is True
    assert not demo.audit("login_token.replayed", token_id=token["id"])


def test_a_double_tap_gets_the_target_without_cookies(demo):
    token = demo.issue()
    cookie = demo.redeem(token["token"]).session_cookie
    again = demo.redeem(token["token"])
    assert again.status == 303 and not again.all("Set-Cookie")
    assert demo.session(cookie)["authenticated"] is True
    assert not demo.audit("login_token.replayed", token_id=token["id"])


def past_the_end_of(token: dict, seconds: float = 0.1):
    """Waits until so long after a token's end; before it, where that is less than nothing."""
    time.sleep(max(0.0, signing.claims_of(token["token"])["exp"] + seconds - time.time()))


def taps_across_the_end(demo, *taps: dict, **fields) -> tuple[dict, list[wire.Answer]]:
    """A token and what these taps on its link got, one before the token's end and the others after it, within the three
    seconds of a double tap. On a machine that is busy one may come too late: then all begins anew."""
    for _ in range(5):
        token = demo.issue(ttl=3, **fields)
        past_the_end_of(token, -1.5)
        began = time.time()
        answers = [demo.redeem(token["token"], **taps[0])]
        is_before = time.time() < signing.claims_of(token["token"])["exp"]
        past_the_end_of(token)
        answers += [demo.redeem(token["token"], **tap) for tap in taps[1:]]
        if is_before and time.time() - began < 3:
            return token, answers
    raise AssertionError("a tap takes longer than a second, five times in turn")


def test_a_double_tap_across_the_tokens_end_gets_the_target_without_cookies(demo):
    token, [first, again] = taps_across_the_end(demo, {}, {})
    cookie = first.session_cookie
    assert again.status == 303 and not again.all("Set-Cookie")
    assert again.header("Location") == f"{demo.base}/contacts"
    assert demo.session(cookie)["authenticated"] is True
    assert demo.audit("login_token.repeated", token_id=token["id"])
    assert not demo.audit("login_token.refused", "login_token.replayed", token_id=token["id"])


@pytest.mark.parametrize("headers, wait", [(OTHER_BROWSER, 0.1), (NAVIGATION, 3.2)], ids=["other browser", "later"])
def test_a_used_token_past_its_end_is_refused_and_ends_nothing(demo, headers, wait):
    token = demo.issue(ttl=4)
    cookie = demo.redeem(token["token"]).session_cookie
    past_the_end_of(token, wait)
    assert_refused(demo.redeem(token["token"], headers))
    assert demo.session(cookie)["authenticated"] is True
    assert [event["reason"] for event in demo.audit("login_token.refused", token_id=token["id"])] == ["expired"]
    assert not demo.audit("login_token.repeated", "login_token.replayed", token_id=token["id"])


def test_a_double_tap_past_the_end_of_a_bound_token_needs_what_it_is_bound_to(demo):
    bound = {"code_verifier": VERIFIER}
    _, [first, without, again] = taps_across_the_end(
        demo, bound, {}, bound, code_challenge=signing.challenge(VERIFIER), code_challenge_method="S256")
    assert first.status == 303
    assert_refused(without)
    assert again.status == 303


def test_another_browser_ends_the_session_that_the_first_use_opened(demo):
    token = demo.issue()
    cookie = demo.redeem(token["token"]).session_cookie
    assert_refused(demo.redeem(token["token"], OTHER_BROWSER))
    assert demo.session(cookie) == {"authenticated": False}
    assert demo.send("GET", "/auth/check", {"Cookie": cookie}).status == 401
    assert len(demo.audit("login_token.replayed", token_id=token["id"])) == 1
    assert demo.audit("web_session.ended")


@pytest.mark.parametrize("headers", [{"User-Agent": SAFARI}, {**OTHER_BROWSER, "Sec-Purpose": "prefetch"}], ids=str)
def test_a_look_at_a_used_link_that_would_not_consume_ends_nothing(demo, headers):
    token = demo.issue()
    cookie = demo.redeem(token["token"]).session_cookie
    assert not demo.redeem(token["token"], headers).session_cookie
    assert demo.session(cookie)["authenticated"] is True


# By a website's server (§4.4)

@pytest.mark.parametrize("client", ["demo-admin", "demo-rp"], ids=["without the grant", "another website"])
def test_a_token_is_an_invalid_grant_to_every_other_client_and_stays_good(demo, client):
    token = demo.issue()
    answer = oauth.token(demo, {"grant_type": native.EXCHANGE, "subject_token": token["token"],
                                "subject_token_type": native.LOGIN_TOKEN}, oauth.basic(demo, client))
    assert (answer.status, answer.json()["error"]) == (400, "invalid_grant")
    assert untouched(demo, token)
    event = demo.audit("login_token.refused", token_id=token["id"])[0]
    assert (event["reason"], event["target_client_id"]) == ("wrong_website", "demo-web")
    assert json.loads(event["detail"]) == {"by_client": client}
    assert_signed_in(demo, demo.redeem(token["token"]))


# One refusal page

def refusals(demo) -> dict[str, wire.Answer]:
    good = demo.issue()["token"]
    head, payload, signature = good.split(".")
    other_payload = signing.b64url(signing.unb64url(payload).replace(b"demo-web", b"demo-rp"))
    claims = signing.claims_of(good)
    header = signing.header_of(good)
    revoked = demo.issue()
    demo.send("DELETE", f"/api/auth/sso-tokens/{revoked['id']}", demo.authorization())
    expired = demo.issue(ttl=1)
    used = demo.issue()
    demo.redeem(used["token"])
    challenged = demo.issue(code_challenge=signing.challenge(VERIFIER), code_challenge_method="S256")
    instance.wait_until(lambda: demo.status(expired["id"]) == "expired")
    tokens = {
        "no token at all": "abc",
        "three dots": "..",
        "tampered signature": f"{head}.{payload}.{'A' * len(signature)}",
        "tampered claims": f"{head}.{other_payload}.{signature}",
        "other key": signing.jwt(claims, b"k" * 32, header),
        "unknown kid": signing.jwt(claims, b"k" * 32, {**header, "kid": "nobody"}),
        "alg none": f"{signing.b64url(b'{{}}')}.{payload}.",
        "other typ": signing.jwt(claims, b"k" * 32, {**header, "typ": "JWT"}),
        "a bearer": demo.bearer(),
        "expired": expired["token"],
        "revoked": revoked["token"],
        "needs a verifier": challenged["token"],
    }
    found = {name: demo.redeem(token) for name, token in tokens.items()}
    found["wrong verifier"] = demo.redeem(challenged["token"], code_verifier="w" * 43)
    found["verifier not asked for"] = demo.redeem("abc", code_verifier="w" * 43)
    found["replayed"] = demo.redeem(used["token"], OTHER_BROWSER)
    found["posted"] = demo.send("POST", REDEEM, {"User-Agent": SAFARI}, "token=abc")
    found["posted without a token"] = demo.send("POST", REDEEM, {"User-Agent": SAFARI}, "redirect=%2Fcontacts")
    found["by header"] = demo.send("GET", REDEEM, {**NAVIGATION, "Drawbridge-Login-Token": "abc"})
    found["not UTF-8"] = demo.send("GET", f"{REDEEM}?token=%ff%fe", NAVIGATION)
    found["very long"] = demo.redeem("a" * 6000)
    return found


def test_every_refusal_is_the_same_page(demo):
    shapes = {}
    answers = refusals(demo)
    assert {name: answer.status for name, answer in answers.items() if answer.status != 400} == {}
    for name, answer in answers.items():
        assert_refused(answer)
        request_id = answer.header("X-Request-Id")
        assert request_id in answer.text, f"{name}: the page shows its request id"
        headers = sorted(key.lower() for key, _ in answer.headers)
        shapes.setdefault((answer.text.replace(request_id, "REQUEST"), tuple(headers)), []).append(name)
    assert len(shapes) == 1, list(shapes.values())


@pytest.mark.parametrize("language, tag", [("de-AT,de;q=0.9,en;q=0.5", "de"), ("en", "en"), ("tlh", "en"), ("", "en")])
def test_pages_speak_the_readers_language(demo, language, tag):
    answer = demo.redeem("abc", {**NAVIGATION, "Accept-Language": language})
    assert f'<html lang="{tag}"' in answer.text
    assert answer.header("Content-Language") == tag


# Verifier and binding

def challenged(demo, **more) -> dict:
    return demo.issue(code_challenge=signing.challenge(VERIFIER), code_challenge_method="S256", **more)


@pytest.mark.parametrize("carrier", ["query", "post"])
def test_the_right_verifier_opens(demo, carrier):
    token = challenged(demo)["token"]
    if carrier == "query":
        answer = demo.redeem(token, code_verifier=VERIFIER)
    else:
        answer = demo.send("POST", REDEEM, {"User-Agent": SAFARI}, form(token, code_verifier=VERIFIER))
    assert_signed_in(demo, answer)


@pytest.mark.parametrize("failures, opens", [(4, True), (5, False)])
def test_the_fifth_wrong_verifier_burns_the_token(demo, failures, opens):
    token = challenged(demo)["token"]
    for number in range(failures):
        assert_refused(demo.redeem(token, code_verifier=f"{number}" * 43))
    answer = demo.redeem(token, code_verifier=VERIFIER)
    assert (answer.status == 303) is opens


@pytest.mark.parametrize("bind, source, opens", [
    ("network", "127.0.0.77", True),
    ("network", "127.0.1.1", False),
    ("exact", "127.0.0.1", True),
    ("exact", "127.0.0.77", False),
    ("none", "127.9.9.9", True),
])
def test_binding_to_the_network(demo, bind, source, opens):
    token = demo.issue(bind=bind)["token"]
    answer = demo.send("GET", f"{REDEEM}?token={token}", NAVIGATION, source=source)
    if opens:
        assert_signed_in(demo, answer)
    else:
        assert_refused(answer)
        assert_signed_in(demo, demo.redeem(token))


# The account switch

def test_a_session_of_another_subject_is_asked_about(demo):
    alice = demo.sign_in("alice")
    token = demo.issue("bob")
    headers = {**NAVIGATION, "Cookie": alice}
    page = demo.redeem(token["token"], headers)
    forms = [form for form in assert_page(page).forms if form["method"] == "post"]
    assert forms and not page.session_cookie
    assert demo.status(token["id"], "bob") == "pending"
    assert demo.session(alice)["authenticated"] is True


def test_the_same_subject_is_not_asked(demo):
    first = demo.sign_in("alice")
    answer = demo.redeem(demo.issue("alice")["token"], {**NAVIGATION, "Cookie": first})
    assert_signed_in(demo, answer)


# What a website's own settings change

def test_a_website_that_wants_a_click_gets_one_from_every_carrier(serve):
    server = serve(website="redeem: confirm")
    token = server.issue("one")["token"]
    header = {**NAVIGATION, "Drawbridge-Login-Token": token}
    answers = [
        server.redeem(token),
        server.send("GET", REDEEM, header),
        server.send("POST", REDEEM, {"User-Agent": SAFARI}, form(token)),
    ]
    for answer in answers:
        assert answer.status == 200 and not answer.session_cookie
    [shown] = [form for form in wire.PageForm(answers[0].text).forms if form["method"] == "post"]
    cookie = wire.cookie_header(answers[0])
    by_script = {**shown["fields"], "auto": "1"}
    headers = {**NAVIGATION, "Cookie": cookie, "Sec-Fetch-Site": "same-origin"}
    assert server.send("POST", REDEEM, headers, wire.encode(by_script)).status == 200, "a script's click is none"
    answer = server.send("POST", REDEEM, headers, wire.encode(shown["fields"]))
    assert answer.status == 303 and answer.session_cookie


def test_a_link_that_asks_for_a_code_opens_by_the_code_that_the_app_shows(serve):
    server = serve(website="redeem: code")
    issued = server.issue("one")
    page = server.redeem(issued["token"])
    assert page.status == 200 and not page.session_cookie and "login_code" in shown_form(page)
    assert "<title>Continue to the website" in page.text
    assert issued["login_code"] not in page.text and issued["login_code"] not in issued["login_url"]
    answer = type_code(server, page, issued["login_code"])
    assert answer.status == 303 and answer.session_cookie


def test_a_scanner_that_submits_forms_burns_no_link_that_asks_for_a_code(serve):
    server = serve(website="redeem: code")
    issued = server.issue("one")
    for typed in [None, "", "test", "scanner@example.com", "12345"] * 3:
        page = server.redeem(issued["token"])
        answer = type_code(server, page, typed)
        assert answer.status == 200 and not answer.session_cookie and "login_code" in shown_form(answer)
        assert ("Type all six digits that your app shows" in answer.text) == bool(typed), typed
    assert type_code(server, server.redeem(issued["token"]), issued["login_code"]).session_cookie


def test_the_fifth_wrong_code_burns_the_link(serve):
    server = serve(website="redeem: code")
    issued = server.issue("one")
    wrong = f"{(int(issued['login_code']) + 1) % 1_000_000:06}"
    page = server.redeem(issued["token"])
    for _ in range(4):
        again = type_code(server, page, wrong)
        assert again.status == 200 and "not the code" in again.text and "<title>Error: " in again.text
    assert_refused(type_code(server, page, wrong))
    assert_refused(type_code(server, page, issued["login_code"]))
    reasons = [reason for (reason,) in instance.query(
        server.data, "SELECT reason FROM audit_event WHERE token_id = $1 AND type = 'login_token.refused'",
        issued["id"])]
    assert "wrong_code" in reasons and issued["login_code"] not in json.dumps(reasons)


def test_the_code_goes_along_where_the_page_asks_which_account(serve):
    server = serve(website="redeem: code")
    first = server.issue("one")
    cookie = type_code(server, server.redeem(first["token"]), first["login_code"]).session_cookie
    issued = server.issue("two")
    page = server.redeem(issued["token"])
    headers = {**NAVIGATION, "Sec-Fetch-Site": "same-origin", "Cookie": f"{cookie}; {wire.cookie_header(page)}"}
    question = server.send(
        "POST", REDEEM, headers, wire.encode({**shown_form(page), "login_code": issued["login_code"]}))
    assert question.status == 200 and not question.session_cookie
    [yes] = [form for form in wire.PageForm(question.text).forms if "confirm_switch" in form["fields"]]
    headers["Cookie"] = f"{cookie}; {wire.cookie_header(question) or wire.cookie_header(page)}"
    answer = server.send("POST", REDEEM, headers, wire.encode(yes["fields"]))
    assert answer.status == 303 and answer.session_cookie


def test_on_replay_alert_keeps_the_session_and_tells_the_record(serve):
    server = serve(website="on_replay: alert")
    token = server.issue("two")
    cookie = server.redeem(token["token"]).session_cookie
    assert_refused(server.redeem(token["token"], OTHER_BROWSER))
    assert server.send("GET", "/session", {"Cookie": cookie}).json()["authenticated"] is True
    kinds = [kind for (kind,) in instance.query(
        server.data, "SELECT type FROM audit_event WHERE token_id = $1 ORDER BY sequence", token["id"])]
    assert "login_token.replayed" in kinds and "web_session.ended" not in kinds


def test_a_website_of_its_own_origin_is_where_a_visit_lands(serve):
    server = serve(website="public_origin: 'https://www.example.com'")
    answer = server.redeem(server.issue("three", {"redirect": "/account/x?y=1"})["token"])
    assert answer.header("Location") == "https://www.example.com/account/x?y=1"


# Websites of another domain, whose proxy leads Drawbridge's paths here

ELSEWHERE = "www.other.example"


@pytest.fixture
def elsewhere(serve):
    return serve(clients=[{"client_id": "other", "client_type": "web", "public_origin": f"https://{ELSEWHERE}",
                           "return_paths": ["/cart", "/p/*"], "default_return_path": "/cart"}], reach=["web", "other"])


def test_4_3_an_apps_link_to_a_website_of_another_domain_signs_in_at_that_domain(elsewhere):
    url = urlsplit(elsewhere.issue("alice", {"client_id": "other", "redirect": "/p/1"})["login_url"])
    assert (url.scheme, url.netloc, url.path) == ("https", ELSEWHERE, "/login-with-token")
    landed = elsewhere.send("GET", f"{url.path}?{url.query}", {**NAVIGATION, "Host": url.netloc})
    assert (landed.status, landed.header("Location")) == (303, f"https://{ELSEWHERE}/p/1")
    seen = elsewhere.send("GET", "/auth/check", {"Host": url.netloc, "Cookie": landed.session_cookie})
    assert (seen.status, seen.header("X-Auth-Subject")) == (200, "alice")


# Targets

@pytest.mark.parametrize("redirect, location", [
    ("/account/plan?x=1&y=2", "/account/plan?x=1&y=2"),
    ("/contacts?", "/contacts"),
    ("/user/contacts/index.php", "/user/contacts/index.php"),
    ("https://evil.example/", "/contacts"),
    ("//evil.example/contacts", "/contacts"),
    ("/\\evil.example", "/contacts"),
    ("/account/../admin", "/contacts"),
    ("/admin", "/contacts"),
    ("", "/contacts"),
    ("/account/%0d%0aSet-Cookie:x=y", "/contacts"),
])
def test_redirect_of_the_url(demo, redirect, location):
    token = demo.issue()
    assert_signed_in(demo, demo.redeem(token["token"], redirect=redirect), location)
    refused = demo.audit("redirect.refused", token_id=token["id"])
    assert bool(refused) is (bool(redirect) and location == "/contacts" and not redirect.startswith("/contacts"))


@pytest.mark.parametrize("redirect", ["/contacts", "/account/", "/account/plan", "/user/contacts/index.php"])
def test_contract_15_every_page_that_may_be_landed_on_is_there(demo, redirect):
    landed = demo.redeem(demo.issue()["token"], redirect=redirect)
    assert_signed_in(demo, landed, redirect)
    page = demo.send("GET", redirect, {**NAVIGATION, "Cookie": landed.session_cookie})
    assert page.status == 200 and 'id="subject"' in page.text


def test_a_sealed_target_wins_and_a_differing_redirect_is_audited(demo):
    token = demo.issue(redirect="/account/sealed")
    assert_signed_in(demo, demo.redeem(token["token"], redirect="/contacts"), "/account/sealed")
    [event] = demo.audit("redirect.refused", token_id=token["id"])
    assert event["reason"] == "differs_from_sealed"


def test_a_repeated_redirect_lands_on_the_default_page(demo):
    token = demo.issue()
    target = f"{REDEEM}?token={token['token']}&redirect=%2Faccount%2Fa&redirect=%2Faccount%2Fb"
    assert_signed_in(demo, demo.send("GET", target, NAVIGATION))
    [event] = demo.audit("redirect.refused", token_id=token["id"])
    assert event["reason"] == "repeated"
    assert json.loads(event["detail"]) == {"length": 10, "path": "/account/a"}, "contract §4.3: of the first"


def test_host_header_does_not_reach_the_location(demo):
    token = demo.issue()["token"]
    headers = {**NAVIGATION, "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "https", "Forwarded": "host=evil"}
    assert_signed_in(demo, demo.redeem(token, headers))


def test_a_request_id_is_made_by_the_service(demo):
    answers = [demo.redeem("abc", {**NAVIGATION, "X-Request-Id": "<script>"}) for _ in range(3)]
    ids = {answer.header("X-Request-Id") for answer in answers}
    assert len(ids) == 3 and "<script>" not in ids
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{8,64}", request_id) for request_id in ids)


def test_statuses_307_and_308_never_happen(demo):
    targets = ["/", REDEEM, f"{REDEEM}/", "/login-with-token?token=abc", "/session", "/session/logout", "/contacts",
               "/contacts/", "/account/", "/assets", "/api/auth/create-sso-token/", "/nowhere"]
    for method, target in itertools.product(["GET", "POST", "HEAD"], targets):
        answer = demo.send(method, target, NAVIGATION)
        assert answer.status not in (301, 302, 307, 308), (method, target, answer.status)
        assert answer.header("X-Request-Id"), (method, target)


def test_4_a_further_path_redeems_beside_the_one_that_every_client_knows(serve):
    server = serve("redemption_paths: [/mobile/open]\napp_links: {apple: [ABCDE12345.com.example.app], "
                   f"android: ['com.example.app={':'.join(['AB'] * 32)}']}}\n")
    assert urlsplit(server.issue()["login_url"]).path == "/mobile/open"
    for path in ["/mobile/open", REDEEM]:
        answer = server.send("GET", f"{path}?{urlencode({'token': server.issue()['token']})}", NAVIGATION)
        assert answer.status == 303 and answer.session_cookie, path
        assert server.send("GET", f"{path}?token=abc", NAVIGATION).status == 400
    apple = server.send("GET", "/.well-known/apple-app-site-association").json()["applinks"]["details"][0]["components"]
    [android] = server.send("GET", "/.well-known/assetlinks.json").json()
    dynamic = android["relation_extensions"]["delegate_permission/common.handle_all_urls"]["dynamic_app_link_components"]
    for components in [apple, dynamic]:
        assert [entry["/"] for entry in components if entry.get("exclude")][:2] == ["/mobile/open", REDEEM]


def test_13_no_app_is_to_open_a_websites_own_page_for_login_links(serve):
    pages = {"www.example": "/login.php", "shop.example": "/there.php"}
    server = serve("app_links: {apple: [ABCDE12345.com.example.app], "
                   f"android: ['com.example.app={':'.join(['AB'] * 32)}']}}\n", origin="https://www.example", clients=[
                       {"client_id": host, "client_type": "web", "public_origin": f"https://{host}", "return_paths": ["/a"],
                        "default_return_path": "/a", "redemption_page": page} for host, page in pages.items()])
    for host, page in pages.items():
        at = {"Host": host}
        [apple] = server.send("GET", "/.well-known/apple-app-site-association", at).json()["applinks"]["details"]
        [android] = server.send("GET", "/.well-known/assetlinks.json", at).json()
        rules = android["relation_extensions"]["delegate_permission/common.handle_all_urls"]
        for components in [apple["components"], rules["dynamic_app_link_components"]]:
            assert [entry["/"] for entry in components if entry.get("exclude")][:2] == [REDEEM, page], host
