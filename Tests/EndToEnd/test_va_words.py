"""What the VA's paths say, to people and to programs (contract §5.10, docs/va-sign-in.md)."""

import html
import json
import re
import secrets
from urllib.parse import quote

import pytest

import instance
import wire
from native import App, Browser, cookie_header
from va import BASE, VAApp, is_signed_in, post, query

PAGE = {**wire.NAVIGATION, "Accept": "text/html,application/xhtml+xml"}
LANGUAGES = ["en", "ar", "de", "es", "fr", "ja"]


def texts(language: str) -> dict:
    return json.loads((instance.ROOT / f"public/texts/{language}.json").read_text())


@pytest.mark.parametrize("language", LANGUAGES)
def test_who_ends_everything_reads_that_before_and_after(demo, language):
    app = VAApp(demo, "demo-app-b", user="bob")
    app.sign_in()
    view = app.web_cookies()
    browser = Browser(demo.base)
    browser.jar = {name: cookie.value for name, cookie in view.cookies.items()}
    said, path = texts(language), f"{BASE}/revoke_all_sessions"
    words = {"Accept": "text/html", "Accept-Language": language}
    question = browser.send("GET", path, words)
    assert all(said["sign_out_everywhere"][part] in question.text for part in ("explanation", "title"))
    assert said["sign_out"]["explanation"] not in question.text, "that is what the plain sign-out does"
    done = browser.submit(question, path)
    assert done.status == 303 and not is_signed_in(demo, view)
    result = browser.send("GET", done.header("Location"), words)
    assert all(said["signed_out_everywhere"][part] in result.text for part in ("explanation", "title"))
    assert said["signed_out"]["explanation"] not in result.text
    again = done.header("Location").removeprefix(demo.base)
    assert f'name="again" value="{again}"' in result.text, "and so it stays in another language"


@pytest.mark.parametrize("path", ["authorize", "authorize_sso"])
@pytest.mark.parametrize("fields, words", [
    ({"type": "nobody"}, "Invalid params: type"), ({"acr": "loa9"}, "Invalid params: acr"),
    ({"operation": "sign_up"}, "Invalid params: operation"),
    ({"client_id": "nobody"}, "Invalid params: client_id, code_challenge, code_challenge_method or redirect_uri")])
def test_a_refused_way_in_names_the_parameter_to_people_and_programs(demo, path, fields, words):
    target = f"{BASE}/{path}?" + query(**{"client_id": "demo-app", **fields})
    page = wire.send(demo.base, "GET", target, PAGE)
    assert page.status == 400 and words in page.text
    assert not any(value in page.text for value in ("sign_up", "loa9", "nobody")), "names, and no values"
    answer = wire.send(demo.base, "GET", target)
    # That service has the words in another member at the way from the web into the app.
    error = words if path == "authorize_sso" else "invalid_request"
    assert (answer.status, answer.json()) == (400, {"errors": words, "error": error})


def test_what_the_way_in_does_not_understand_is_told_in_the_same_shape(demo):
    for target in ["authorize?client_id=%zz", "authorize?client_id=demo-app&state=1&state=2"]:
        answer = wire.send(demo.base, "GET", f"{BASE}/{target}")
        assert answer.status == 400 and set(answer.json()) == {"errors", "error"}, target
    ahead = wire.send(demo.base, "GET", f"{BASE}/authorize_sso?client_id=demo-app", {"Sec-Purpose": "prefetch"})
    assert (ahead.status, set(ahead.json())) == (403, {"errors", "error"})


def test_refusals_to_end_sessions_have_its_words_too(demo):
    app = VAApp(demo)
    app.sign_in()
    view = app.web_cookies()
    path = "revoke_all_sessions"
    nobody = post(demo, path)
    assert (nobody.status, nobody.json()) == (401, {
        "errors": "Access token has expired or is not valid", "error": "invalid_token"})
    assert nobody.header("WWW-Authenticate") == 'Bearer error="invalid_token"'
    page = post(demo, path, PAGE)
    assert page.status == 401 and "Access token has expired or is not valid" in page.text
    assert page.header("WWW-Authenticate") == 'Bearer error="invalid_token"'
    foreign = {**cookie_header(view), "Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    for path in ["revoke_all_sessions", "logout"]:
        refused = post(demo, path, foreign)
        assert (refused.status, refused.json()) == (403, {
            "errors": "this takes a page of the same origin", "error": "forbidden"})
    assert is_signed_in(demo, view)


def test_who_stays_signed_in_everywhere_after_all_has_a_way_out(demo):
    question = wire.send(demo.base, "GET", f"{BASE}/revoke_all_sessions", PAGE)
    assert re.search(r'<a [^>]*href="/account" id="stay">Stay signed in</a>', question.text)


def test_who_cannot_end_everything_is_led_to_the_sign_in_and_back_to_the_question(demo):
    path = f"{BASE}/revoke_all_sessions"
    nobody = post(demo, "revoke_all_sessions", PAGE)
    linked = demo.redeem(demo.issue("bob")["token"]).session_cookie
    by_link = wire.send(demo.base, "POST", path, {
        **PAGE, "Cookie": linked, "Origin": demo.base, "Sec-Fetch-Site": "same-origin"})
    for refused, status in [(nobody, 401), (by_link, 403)]:
        assert refused.status == status and "Please sign in first" in refused.text
        assert texts("en")["sign_out_everywhere"]["sign_in"] in refused.text
        way = html.unescape(re.search(r'<a class="button" href="([^"]+)"', refused.text).group(1))
        assert way == f"{demo.base}/sign-in?redirect={quote(path, safe='')}"
    browser = Browser(demo.base)
    browser.jar = dict([linked.split("=", 1)])
    bob = demo.user("bob")
    done = browser.submit(
        browser.send("GET", way), "/sign-in", username=bob["username"], password=bob["password"])
    assert (done.status, done.header("Location")) == (303, demo.base + path)
    assert browser.submit(browser.send("GET", path, PAGE), path).status == 303


def test_an_app_without_the_right_to_end_everything_is_told_in_its_words(serve):
    password = "correct horse battery"
    server = serve("compatibility: {va_sign_in: true}\n", clients=[
        {"client_id": "notes", "client_type": "native", "redirect_uris": ["https://app.example.com/callback"]}],
        users={"alice": password})
    verifier = secrets.token_urlsafe(32)
    location = Browser(server.base).sign_in(
        f"{BASE}/authorize?" + query(verifier, client_id="notes"), {"username": "alice", "password": password})
    code = location.partition("code=")[2].partition("&")[0]
    tokens = post(server, "token", grant_type="authorization_code", code=code, code_verifier=verifier).json()["data"]
    refused = post(server, "revoke_all_sessions", {"Authorization": f"Bearer {tokens['access_token']}"})
    assert (refused.status, set(refused.json())) == (403, {"errors", "error"})
    assert refused.json()["error"] == "insufficient_scope"
    assert 'scope="revoke_all_sessions"' in refused.header("WWW-Authenticate")


def test_a_code_survives_requests_that_lack_its_verifier(demo):
    app = VAApp(demo)
    code = App.code(app, path=f"{BASE}/authorize")
    for fields in [{}, {"client_id": "demo-app"}] * 3:
        answer = post(demo, "token", grant_type="authorization_code", code=code, **fields)
        assert (answer.status, answer.json()["errors"]) == (400, "Code verifier can't be blank")
    good = post(demo, "token", grant_type="authorization_code", code=code, code_verifier=app.verifier)
    assert good.status == 200, "none of them was a try of the code"


@pytest.mark.parametrize("named", [{}, {"client_id": "demo-app"}], ids=["without a client", "with its client"])
def test_a_code_that_is_none_has_one_sentence_whatever_is_wrong_with_it(start_demo, named):
    # Of its own: refusals are told up to a bound that others use up.
    demo = start_demo("--no-limits")
    app = VAApp(demo)
    code = App.code(app, path=f"{BASE}/authorize")
    words, other = [
        (400, {"errors": f"{what} is not valid", "error": "invalid_grant"}) for what in ("Code", "Code Verifier")]

    def token(code: str, verifier: str) -> wire.Answer:
        return post(demo, "token", grant_type="authorization_code", code=code, code_verifier=verifier, **named)

    refused, misfit = token("garbage", "v" * 43), token(code, "w" * 43)
    assert (refused.status, refused.json()) == words
    assert (misfit.status, misfit.json()) == other
    assert token(code, app.verifier).status == 200
    used = token(code, app.verifier)
    assert (used.status, used.json()) == words
    assert {"code_verifier", "code_reused"} <= {
        event["reason"] for event in demo.audit("authorization_code.refused", "authorization_code.reused")}


@pytest.mark.parametrize("fields, error, words", [
    ({}, "invalid_request", "Grant type can't be blank"),
    ({"code": "c", "code_verifier": "v" * 43}, "invalid_request", "Grant type can't be blank"),
    ({"grant_type": "foo", "code": "c", "code_verifier": "v" * 43}, "unsupported_grant_type",
     "grant_type is not offered here"),
    ({"grant_type": "authorization_code"}, "invalid_request", "Code can't be blank"),
    ({"grant_type": "authorization_code", "code": "c"}, "invalid_request", "Code verifier can't be blank"),
    ({"grant_type": "authorization_code", "code": "c", "code_verifier": "v" * 43}, "invalid_grant", "Code is not valid"),
])
def test_what_a_token_request_lacks_is_told_in_the_order_in_which_it_is_read(demo, fields, error, words):
    answer = post(demo, "token", **fields)
    assert (answer.status, answer.json()) == (400, {"errors": words, "error": error})
    body = json.dumps(fields).encode()
    assert wire.send(demo.base, "POST", f"{BASE}/token", {"Content-Type": "application/json"}, body).json() == answer.json()
