"""Signing in with somebody else's OpenID Provider, over the wire."""

import hmac
import json
import time
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

import provider_of_others
import signing
from collector import Collector
from instance import run
from provider_of_others import Follower


def test_the_page_offers_it_and_the_user_lands_where_he_wanted(with_upstream):
    browser = Follower(with_upstream)
    page = browser.get("/sign-in?redirect=%2Faccount%2Fprofile")
    assert "Sign in with Other &amp; Co" in page.text
    answer = browser.follow("/sign-in/with/other?redirect=%2Faccount%2Fprofile")
    assert answer.status == 303 and answer.header("Location") == f"{with_upstream.base}/account/profile"
    assert browser.session["authenticated"] is True


def test_a_trace_goes_on_through_the_browser_and_the_provider(serve, upstream, upstream_settings):
    with Collector() as collector:
        server = serve(upstream_settings + f"telemetry: {{endpoint: {collector.url}, sample: 1}}\n")
        answer = Follower(server).follow("/sign-in/with/other")
        assert answer.status == 303
        assert server.stop() == 0
        (began,) = collector.named("GET /sign-in/with/{provider}")
        (ended,) = collector.named("GET /sign-in/callback/{provider}")
        (step,) = collector.named("finish upstream sign-in")
        assert (step["traceId"], step["parentSpanId"]) == (began["traceId"], began["spanId"])
        assert step["facts"] == {"drawbridge.outcome": "opened"}
        # The browser's own request may be part of a proxy's trace: it keeps its own, and the two name each other.
        assert ended["traceId"] != began["traceId"]
        assert [link["spanId"] for link in ended["links"]] == [step["spanId"]]
        # What the provider is asked for, and the session that is opened, belong to the sign-in.
        assert {span["traceId"] for span in collector.named("issuer fetch")} == {began["traceId"]}
        assert step["spanId"] in {span["parentSpanId"] for span in collector.named("store commit")}
        state = upstream.requests[0]["state"]
        assert began["traceId"] not in state and state not in collector.text


def test_the_request_has_state_nonce_and_pkce(with_upstream, upstream):
    Follower(with_upstream).follow("/sign-in/with/other")
    request = upstream.requests[0]
    assert request["code_challenge_method"] == "S256" and len(request["nonce"]) >= 22 and request["state"]
    assert request["redirect_uri"] == f"{with_upstream.base}/sign-in/callback/other"


def test_one_user_of_the_provider_is_one_user_here_and_mail_links_nobody(with_upstream, upstream):
    subjects = []
    for subject in ["77", "77", "78"]:
        upstream.subject = subject
        browser = Follower(with_upstream)
        browser.follow("/sign-in/with/other")
        subjects.append(browser.session["sub"])
    assert subjects[0] == subjects[1] != subjects[2]
    assert "alice" not in subjects


@pytest.mark.parametrize("claims", [
    {"nonce": "another"}, {"aud": "somebody"}, {"iss": "https://evil.example"}, {"exp": 1}, {"sub": ""},
    {"aud": ["drawbridge", "somebody"]},
])
def test_an_id_token_for_something_else_signs_nobody_in(with_upstream, upstream, claims):
    upstream.token_claims = claims
    browser = Follower(with_upstream)
    assert browser.follow("/sign-in/with/other").status == 400
    assert browser.session["authenticated"] is False


def by_another_key(upstream, claims: dict) -> str:
    good, upstream.key = upstream.key, provider_of_others.ec.generate_private_key(provider_of_others.ec.SECP256R1())
    token = provider_of_others.Provider.sign(upstream, claims)
    upstream.key = good
    return token


def by_nobody(upstream, claims: dict) -> str:
    parts = ({"alg": "none", "kid": "k"}, claims)
    return ".".join(signing.b64url(json.dumps(part).encode()) for part in parts) + "."


def by_what_is_public(upstream, claims: dict) -> str:
    header = {"alg": "HS256", "kid": "k"}
    text = ".".join(signing.b64url(json.dumps(part).encode()) for part in (header, claims))
    secret = json.dumps(upstream.documents()["/keys"]["keys"][0]).encode()
    return f"{text}.{signing.b64url(hmac.digest(secret, text.encode(), 'sha256'))}"


@pytest.mark.parametrize("signed", [by_another_key, by_nobody, by_what_is_public])
def test_an_id_token_that_the_provider_did_not_sign_signs_nobody_in(with_upstream, upstream, signed):
    upstream.sign = lambda claims: signed(upstream, claims)
    browser = Follower(with_upstream)
    assert browser.follow("/sign-in/with/other").status == 400
    assert browser.session["authenticated"] is False
    del upstream.sign
    assert browser.follow("/sign-in/with/other").status == 303
    assert browser.session["authenticated"] is True


def test_metadata_that_names_another_issuer_leads_nowhere(with_upstream, upstream):
    documents = upstream.documents()
    documents["/.well-known/openid-configuration"]["issuer"] = "https://evil.example"
    upstream.documents = lambda: documents
    browser = Follower(with_upstream)
    answer = browser.get("/sign-in/with/other")
    assert answer.status == 503 and not answer.header("Location"), answer.text
    assert upstream.requests == [] and browser.session["authenticated"] is False


@pytest.mark.parametrize("answer", [
    {"iss": "https://evil.example"}, {"iss": None}, {"state": "made-up"}, {"code": None, "error": "access_denied"},
    {"code": "made-up"},
])
def test_a_mixed_up_or_forged_answer_signs_nobody_in(with_upstream, upstream, answer):
    upstream.answer = answer
    browser = Follower(with_upstream)
    assert browser.follow("/sign-in/with/other").status == 400
    assert browser.session["authenticated"] is False


def test_one_state_with_made_up_codes_asks_the_provider_sixty_times_a_minute(with_upstream, upstream):
    asked, exchange = [], upstream.exchange

    def count(form, authorization):
        asked.append(form["code"][0])
        return exchange(form, authorization)

    upstream.exchange = count
    browser = Follower(with_upstream)
    to_provider = browser.get("/sign-in/with/other").header("Location")
    state = parse_qs(urlsplit(to_provider).query)["state"][0]
    answers, began = [], time.monotonic()

    def ask():
        answers.append(browser.get("/sign-in/callback/other?" + urlencode({
            "state": state, "code": f"made-up-{len(answers)}", "iss": upstream.issuer})))

    # However slow the machine is: one more a second is allowed.
    while len(answers) < 1000 and not (answers and answers[-1].status == 429):
        ask()
    for _ in range(20):
        ask()
    assert 60 <= len(asked) <= 61 + time.monotonic() - began
    limited = [answer for answer in answers if answer.status == 429]
    assert len(limited) == len(answers) - len(asked) and {answer.status for answer in answers} == {400, 429}
    assert int(limited[0].header("Retry-After")) > 0 and "Sign in with Other" in limited[0].text


def test_an_answer_to_another_browser_signs_nobody_in(with_upstream):
    attacker, victim = Follower(with_upstream), Follower(with_upstream)
    to_provider = attacker.get("/sign-in/with/other").header("Location")
    answer = attacker.get(to_provider).header("Location")
    victim.get("/sign-in")
    assert victim.get(answer).status == 400
    assert victim.session["authenticated"] is False
    assert attacker.get(answer).status == 303


def test_an_unknown_provider_is_not_found(with_upstream):
    assert Follower(with_upstream).get("/sign-in/with/nobody").status == 404


@pytest.mark.parametrize(("more", "status", "level"), [("", 401, "aal1"), ("    second_factor_counts: true\n", 200, "aal2")],
                         ids=["as shipped", "trusted"])
def test_a_providers_word_on_a_second_factor_opens_the_console_only_where_its_entry_says_so(
        serve, upstream, upstream_settings, more, status, level):
    server = serve(upstream_settings + more)
    upstream.token_claims = {"amr": ["pwd", "mfa"]}
    browser = Follower(server)
    browser.follow("/sign-in/with/other")
    run("users", "role", "--config", str(server.settings), browser.session["sub"], "admin")
    browser.follow("/sign-in/with/other")
    assert browser.session["acr"] == level and ("mfa" in browser.session.get("amr", [])) == (status == 200)
    assert browser.get("/api/admin/users").status == status
