"""What a client may ask of the provider beyond the defaults: signed userinfo, pushed requests only, no web views."""

import re
import secrets
import sqlite3
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

import oauth
import signing
import wire
from websites import basic, register, sign_in

WEB_VIEW = "Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) AppleWebKit/537.36 Version/4.0 Chrome/130.0 Mobile Safari/537.36"


def challenge() -> str:
    return signing.challenge(secrets.token_urlsafe(48))


@pytest.mark.parametrize("algorithm", ["ES256", "RS256", "EdDSA"])
def test_userinfo_is_signed_for_who_wants_it_so(demo, algorithm):
    client = register(demo, userinfo_signed_response_alg=algorithm)
    answer = oauth.userinfo(demo, sign_in(demo, client)["access_token"])
    assert answer.status == 200 and answer.header("Content-Type") == "application/jwt"
    header, claims = signing.parts(answer.text)
    assert header["alg"] == algorithm and header["kid"]
    assert claims["iss"] == demo.facts["issuer"] and claims["aud"] == client["client_id"]
    assert claims["sub"] == demo.user("alice")["sub"] and claims["preferred_username"] == "alice"
    keys = demo.send("GET", "/.well-known/jwks.json").json()["keys"]
    assert header["kid"] in [key["kid"] for key in keys]
    metadata = demo.send("GET", "/.well-known/openid-configuration").json()
    assert algorithm in metadata["userinfo_signing_alg_values_supported"]


def test_a_signed_userinfo_answer_signs_nobody_out(demo):
    client = register(demo, userinfo_signed_response_alg="ES256")
    browser = oauth.Browser(demo)
    token = oauth.userinfo(demo, sign_in(demo, client, browser)["access_token"]).text
    answer = browser.request("GET", "/oauth/logout?" + urlencode({"id_token_hint": token}))
    assert answer.status == 200 and "form_token" in answer.text


def test_a_client_that_must_push_is_refused_without(demo):
    client = register(demo, require_pushed_authorization_requests=True)
    form = {"response_type": "code", "client_id": client["client_id"], "redirect_uri": oauth.RP_REDIRECT,
            "scope": "openid", "state": "s"}
    browser = oauth.Browser(demo)
    answer = browser.request("GET", "/oauth/authorize?" + urlencode(form))
    query = parse_qs(urlsplit(answer.header("Location")).query)
    assert answer.status == 303 and query["error"] == ["invalid_request"] and query["state"] == ["s"]
    pushed = oauth.post(demo, "/oauth/par", form, basic(client))
    assert pushed.status == 201, pushed.body
    target = "/oauth/authorize?" + urlencode(
        {"client_id": client["client_id"], "request_uri": pushed.json()["request_uri"]})
    location = browser.go(target, "alice")
    assert location.startswith(oauth.RP_REDIRECT + "?code="), location


def test_who_signs_in_slower_than_a_pushed_request_lives_is_answered_once(start_demo):
    # Of its own: after other tests' refusals of the same minute this one would only be counted.
    demo = start_demo("--no-limits")
    client = register(demo, require_pushed_authorization_requests=True)
    form = {"response_type": "code", "redirect_uri": oauth.RP_REDIRECT, "scope": "openid"}
    pushed = oauth.post(demo, "/oauth/par", form, basic(client)).json()["request_uri"]
    browser = oauth.Browser(demo)

    def end(answer):
        while answer.status == 303 and answer.header("Location").startswith((demo.base, "/")):
            answer = browser.request("GET", answer.header("Location").removeprefix(demo.base))
        return answer

    page = end(browser.request(
        "GET", "/oauth/authorize?" + urlencode({"client_id": client["client_id"], "request_uri": pushed})))
    # What the purge does with what has expired, a minute or two after the push.
    with sqlite3.connect(demo.data / "drawbridge.sqlite", timeout=10) as connection:
        assert connection.execute("DELETE FROM pushed_request").rowcount >= 1
    alice = demo.user("alice")
    fields = {"username": alice["username"], "password": alice["password"]}
    first = end(browser.submit(page, **fields))
    assert first.header("Location").startswith(oauth.RP_REDIRECT + "?code="), first.text
    assert end(browser.submit(page, **fields)).status == 400
    refused = [row for row in demo.audit("authorization_request.refused") if row["client_id"] == client["client_id"]]
    assert [row["reason"] for row in refused] == ["unusable_request_uri"]


def test_a_web_view_is_refused_where_the_client_wants_it(demo):
    client = register(demo, block_webviews=True)
    query = urlencode({"response_type": "code", "client_id": client["client_id"], "redirect_uri": oauth.RP_REDIRECT,
                       "scope": "openid"})
    assert demo.send("GET", "/oauth/authorize?" + query, {"User-Agent": WEB_VIEW}).status == 400
    assert demo.send("GET", "/oauth/authorize?" + query, {"User-Agent": "Mozilla/5.0 Chrome/130"}).status == 303
    for device in ["iPhone; CPU iPhone OS 18_5 like Mac OS X", "iPad; CPU OS 18_5 like Mac OS X",
                   "Macintosh; Intel Mac OS X 10_15_7"]:
        wk_web_view = f"Mozilla/5.0 ({device}) AppleWebKit/605.1.15 (KHTML, like Gecko)"
        for rest, status in [("", 400), (" Mobile/15E148", 400), (" Version/18.5 Mobile/15E148 Safari/604.1", 303),
                             (" CriOS/138.0.7204.119 Mobile/15E148 Safari/604.1", 303)]:
            answer = demo.send("GET", "/oauth/authorize?" + query, {"User-Agent": wk_web_view + rest})
            assert answer.status == status, wk_web_view + rest
    german = demo.send("GET", "/oauth/authorize?" + query, {"User-Agent": WEB_VIEW, "Accept-Language": "de"})
    assert "Ihren Browser" in german.text
    assert "/sign-in\"" not in german.text, "nobody is led to a password's page inside an app"


@pytest.mark.parametrize("method,path", [
    ("GET", "/signin/phone"), ("POST", "/signin/phone/confirm"), ("GET", "/signin/code"), ("POST", "/signin/code")])
def test_attack_a_web_view_that_took_another_browsers_journey_gets_to_no_page_for_a_phone(demo, method, path):
    """As an app does that has the cookies of the browser in which the journey began."""
    client = register(demo, block_webviews=True)
    query = urlencode({"response_type": "code", "client_id": client["client_id"], "redirect_uri": oauth.RP_REDIRECT,
                       "scope": "openid"})
    browser = oauth.Browser(demo)
    onward = browser.request("GET", "/oauth/authorize?" + query).header("Location").removeprefix(demo.base)
    [journey] = parse_qs(urlsplit(onward).query)["journey"]
    page = browser.request("GET", onward)
    fields = {**oauth.Forms(page.text).forms[0]["fields"], "username": "alice", "code": "1234"}

    def answer(agent: str) -> wire.Answer:
        headers = {**wire.NAVIGATION, "User-Agent": agent, "Sec-Fetch-Site": "same-origin", "Origin": demo.base,
                   "Cookie": "; ".join(f"{name}={value}" for name, value in browser.cookies.items())}
        if method == "GET":
            return demo.send("GET", f"{path}?{urlencode({'journey': journey})}", headers)
        return demo.send("POST", path, headers, urlencode(fields))

    blocked = answer(WEB_VIEW)
    assert blocked.status == 400 and "could read your password" in blocked.text, blocked.text
    assert not any(wire.SESSION_COOKIE in cookie for cookie in blocked.all("Set-Cookie"))
    # The same from a browser of its own.
    passed = answer(wire.FIREFOX)
    assert "could read your password" not in passed.text


def test_a_reused_challenge_is_recorded_and_refused_where_the_client_wants_it(demo):
    value = {"code_challenge": challenge(), "code_challenge_method": "S256"}
    lenient, strict = register(demo), register(demo, reject_reused_challenge=True)
    for client in (lenient, strict):
        browser = oauth.Browser(demo)
        arguments = {"client": client["client_id"], "redirect": oauth.RP_REDIRECT, "scope": "openid", **value}
        assert "code" in browser.authorize(**arguments)
        again = browser.authorize(**arguments)
        assert ("code" in again) if client is lenient else (again["error"] == "invalid_request")
    events = [row for row in demo.audit("authorization_request.reused")
              if row["client_id"] in (lenient["client_id"], strict["client_id"])]
    assert [row["outcome"] for row in events] == ["success", "failure"]


def test_a_client_may_be_kept_to_its_own_tokens(demo):
    client = register(demo, may_introspect="own")
    own = sign_in(demo, client)["access_token"]
    other = oauth.sign_in(demo)["access_token"]
    answers = [oauth.post(demo, "/oauth/introspect", {"token": token}, basic(client)).json() for token in (own, other)]
    assert answers[0]["active"] is True and answers[1] == {"active": False}


# Answers that the browser posts (OAuth 2.0 Form Post Response Mode)

def asked(client: dict, **more) -> str:
    query = {"response_type": "code", "client_id": client["client_id"], "redirect_uri": oauth.RP_REDIRECT,
             "scope": "openid profile", "state": "s-1", "response_mode": "form_post", **more}
    return f"/oauth/authorize?{urlencode(query)}"


@pytest.fixture(scope="module")
def poster(demo) -> tuple:
    """A website, and a browser that is signed in."""
    client, browser = register(demo), oauth.Browser(demo)
    sign_in(demo, client, browser)
    return client, browser


def posted(answer) -> dict:
    assert answer.status == 200 and answer.header("Location") is None, (answer.status, answer.text[:500])
    form = oauth.Forms(answer.text).forms[0]
    assert (form["action"], form["method"]) == (oauth.RP_REDIRECT, "post"), form
    return form["fields"]


def test_a_code_that_is_posted_stands_in_no_address(demo, poster):
    client, browser = poster
    answer = browser.request("GET", asked(client))
    fields = posted(answer)
    assert set(fields) == {"code", "state", "iss"} and fields["iss"] == demo.facts["issuer"] and fields["state"] == "s-1"
    policy = answer.header("Content-Security-Policy")
    assert "form-action" not in policy and "unsafe-inline" not in policy, policy
    assert answer.header("Cache-Control") == "no-store" and answer.header("Referrer-Policy") == "no-referrer"
    assert "/assets/form-post.js" in answer.text and "<button" in answer.text
    assert demo.send("GET", "/assets/form-post.js").status == 200
    assert oauth.redeem(demo, fields["code"], None, redirect=oauth.RP_REDIRECT, headers=basic(client)).status == 200


def test_errors_are_posted_too(demo, poster):
    client, browser = poster
    stranger = oauth.Browser(demo)
    for who, more, error in [(stranger, {"prompt": "none"}, "login_required"), (browser, {"scope": "fly"}, "invalid_scope"),
                             (browser, {"response_type": "token"}, "unsupported_response_type"),
                             (browser, {"max_age": "x"}, "invalid_request")]:
        fields = posted(who.request("GET", asked(client, **more)))
        assert set(fields) == {"error", "error_description", "state", "iss"} and fields["error"] == error, fields


def test_what_a_website_sends_along_is_text_in_the_form(demo, poster):
    client, browser = poster
    state = "\"><script>alert(1)</script>&<form action='https://evil.example/'>"
    answer = browser.request("GET", asked(client, state=state))
    assert posted(answer)["state"] == state and len(oauth.Forms(answer.text).forms) == 1
    assert "<script>alert" not in answer.text


def assert_leads_to_the_sign_in(demo, answer):
    """What a browser gets of every fault (contract §11): a page with the request's id and a link to the normal sign-in."""
    assert answer.status == 400 and answer.header("Location") is None
    assert answer.header("Content-Type").startswith("text/html"), answer.text
    assert answer.header("X-Request-Id") in answer.text
    assert re.search(r'<a [^>]*href="[^"]*/sign-in"', answer.text), answer.text


@pytest.mark.parametrize("spoil", [
    {"client_id": "nobody"}, {"client_id": ""}, {"redirect_uri": "https://evil.example/"}, {"redirect_uri": ""},
    {"request_uri": "urn:ietf:params:oauth:request_uri:none"}])
def test_a_page_of_a_fault_in_an_apps_request_leads_to_the_sign_in(demo, spoil):
    good = {"client_id": "demo-app", "redirect_uri": "com.example.demo:/callback"}
    assert_leads_to_the_sign_in(demo, demo.send("GET", "/oauth/authorize?" + urlencode({**good, **spoil})))


def test_a_consent_that_belongs_to_no_request_leads_to_the_sign_in(demo):
    assert_leads_to_the_sign_in(demo, demo.send("POST", "/oauth/consent", {"Content-Type": wire.FORM}, "decision=allow"))


@pytest.mark.parametrize("mode", ["form_post", "fragment", "form_post.jwt", "FORM_POST"])
def test_no_form_goes_to_an_apps_own_scheme_and_no_mode_is_guessed(demo, mode):
    app = {"client_id": "demo-app"}
    pkce = {"code_challenge": challenge(), "code_challenge_method": "S256", "redirect_uri": "com.example.demo:/callback"}
    answer = demo.send("GET", asked(app, response_mode=mode, **pkce))
    assert answer.status == 400 and answer.header("Location") is None
    assert_leads_to_the_sign_in(demo, answer)
    pushed = oauth.post(demo, "/oauth/par", {**app, **pkce, "response_type": "code", "scope": "openid", "response_mode": mode})
    assert (pushed.status, pushed.json()["error"]) == (400, "invalid_request")


def test_a_pushed_request_is_answered_in_the_form_that_it_asks_for(demo, poster):
    client, browser = poster
    query = parse_qs(urlsplit(asked(client)).query)
    pushed = oauth.post(demo, "/oauth/par", {name: values[0] for name, values in query.items()}, basic(client))
    assert pushed.status == 201, pushed.text
    url = "/oauth/authorize?" + urlencode({"client_id": client["client_id"], "request_uri": pushed.json()["request_uri"]})
    assert "code" in posted(browser.request("GET", url))


@pytest.mark.parametrize("path", [
    "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server", "/.well-known/jwks.json"])
def test_metadata_and_keys_that_a_client_has_already_are_not_sent_again(demo, path):
    first = demo.send("GET", path)
    again = demo.send("GET", path, {"If-None-Match": first.header("ETag")})
    assert again.status == 304 and again.body == b""
    for name in ("ETag", "Cache-Control"):
        assert again.header(name) == first.header(name)
    assert demo.send("GET", path, {"If-None-Match": '"another"'}).status == 200
