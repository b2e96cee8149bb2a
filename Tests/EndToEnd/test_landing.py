"""Landing signed in at a relying party that nobody has changed (contract §4.5), and what a thief makes of it."""

import html
import json
import re
import secrets
import time
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

import oauth
import signing
import wire
from admin import admin, change, changed
from instance import wait_until
from landing import CALLBACK, RP, VERIFIER, code
from native import App, Browser
from receiver import Receiver, Silent

LOGIN = "https://rp.example.com/login?next=1"


@pytest.fixture(scope="module")
def rp(demo) -> RP:
    return RP(demo, "rp")


def asks_to_sign_in(answer: wire.Answer) -> bool:
    return answer.status == 303 and "/sign-in?journey=" in answer.header("Location") and not answer.session_cookie


def subject(demo, name: str) -> str:
    return demo.user(name)["sub"]


# A website that begins its own sign-in


def test_a_link_lands_where_the_relying_party_begins_and_its_request_is_answered_without_a_question(demo):
    rp = RP(demo, "begins", initiate_login_uri=LOGIN, landing="initiate_login")
    issued = rp.token(redirect="/account/1?a=b")
    landed = demo.redeem(issued["token"])
    assert landed.status == 303
    location = landed.header("Location")
    assert location.startswith(LOGIN + "&"), location
    query = parse_qs(urlsplit(location).query)
    assert query == {"next": ["1"], "iss": [demo.facts["issuer"]],
                     "target_link_uri": ["https://rp.example.com/account/1?a=b"]}
    answer = rp.visit(landed.session_cookie)
    tokens = rp.redeem(code(answer))
    assert tokens.status == 200, tokens.text
    assert signing.claims_of(tokens.json()["id_token"])["sub"] == subject(demo, "alice")
    assert "refresh_token" not in tokens.json()


def test_another_target_is_never_told_to_the_relying_party(demo):
    rp = RP(demo, "elsewhere", initiate_login_uri=LOGIN, landing="initiate_login")
    landed = demo.redeem(rp.token()["token"], redirect="https://evil.example/contacts")
    assert parse_qs(urlsplit(landed.header("Location")).query)["target_link_uri"] == ["https://rp.example.com/contacts"]


def test_landing_does_not_lift_consent(demo):
    rp = RP(demo, "third", initiate_login_uri=LOGIN, landing="initiate_login", first_party=False)
    landed = demo.redeem(rp.token()["token"])
    answer = rp.visit(landed.session_cookie)
    assert answer.status == 200 and 'action="/oauth/consent"' in answer.text
    answer = rp.visit(login_token=rp.token()["token"])
    assert answer.status == 200 and 'action="/oauth/consent"' in answer.text and answer.session_cookie


@pytest.mark.parametrize("profile", ["session", "tokens"])
def test_a_website_whose_links_lead_to_its_own_page_is_answered_again_in_what_its_request_opened(demo, rp, profile):
    own = {"cookie_profile": "tokens", "cookie_prefix": f"{secrets.token_hex(4)}_"} if profile == "tokens" else {}
    site = RP(demo, "own-page", redemption_page="/in", **own)
    issued = site.token()
    opened = site.visit(login_token=issued["token"])
    assert code(opened)
    cookie = wire.cookie_header(opened)
    # The other profile's cookies are looked at where a token comes along: it opens no second session.
    again = site.visit(cookie, **({"login_token": issued["token"]} if own else {"prompt": "none"}))
    tokens = site.redeem(code(again))
    assert signing.claims_of(tokens.json()["id_token"])["sub"] == subject(demo, "alice")
    assert "login_required" in rp.visit(cookie, prompt="none").header("Location"), "another that the app may open"
    assert demo.send("GET", "/account", {**wire.NAVIGATION, "Cookie": cookie}).status == 303


def test_a_yes_on_the_consent_page_counts_where_links_lead_to_the_websites_own_page(demo):
    site, browser = RP(demo, "own-page", redemption_page="/in", first_party=False), Browser(demo.base)
    page = browser.send("GET", f"/oauth/authorize?{urlencode(site.query(login_token=site.token()['token']))}")
    assert page.status == 200, page.text
    page = browser.submit(page, "/oauth/consent")
    # The first page was shown before the browser had the session that its form is bound to.
    if page.status == 200:
        page = browser.submit(page, "/oauth/consent")
    assert site.redeem(code(page)).status == 200


def test_the_session_answers_for_no_website_that_the_app_may_not_open(demo, rp):
    other = RP(demo, "other")
    with changed(demo, "demo-app", may_reach=["demo-web", rp.id]):
        landed = demo.redeem(rp.token()["token"])
        assert asks_to_sign_in(other.visit(landed.session_cookie))
        assert "login_required" in other.visit(landed.session_cookie, prompt="none").header("Location")


@pytest.mark.parametrize("fields, named", [
    ({"landing": "initiate_login"}, "initiate_login_uri"),
    ({"landing": "elsewhere"}, "landing"),
    ({"initiate_login_uri": "http://rp.example.com/login"}, "initiate_login_uri"),
    ({"landing": "initiate_login", "initiate_login_uri": LOGIN, "cookie_profile": "tokens"}, "landing"),
    ({"client_type": "native", "portal": True}, "portal"),
])
def test_a_malformed_document_names_its_field(demo, fields, named):
    answer = admin(demo, "POST", "/api/admin/clients", {"client_id": "bad", "client_type": "web", **fields})
    assert answer.status == 400 and named in answer.json()["error_description"], answer.text


# A token in the request itself


def test_a_token_in_the_request_gives_the_code_at_once_and_the_sessions_cookies(demo, rp):
    issued = rp.token()
    answer = rp.visit(login_token=issued["token"])
    tokens = rp.redeem(code(answer)).json()
    assert signing.claims_of(tokens["id_token"])["sub"] == subject(demo, "alice")
    session = demo.session(answer.session_cookie)
    assert session["authenticated"] and session["origin"] == "login_token"
    assert demo.status(issued["id"]) == "redeemed"
    events = [event["type"] for event in demo.audit(token_id=issued["id"])]
    assert events == ["login_token.issued", "login_token.redeemed", "web_session.opened"]


def test_a_token_in_a_form_does_the_same(demo, rp):
    answer = demo.send("POST", "/oauth/authorize", {"User-Agent": wire.FIREFOX},
                       urlencode(rp.query(login_token=rp.token()["token"])))
    assert code(answer) and answer.session_cookie


def test_a_token_in_the_address_of_a_form_does_the_same(demo, rp):
    answer = demo.send("POST", f"/oauth/authorize?login_token={rp.token()['token']}", {"User-Agent": wire.FIREFOX},
                       urlencode(rp.query()))
    assert code(answer) and answer.session_cookie


def test_the_token_is_nowhere_in_the_log_or_the_next_address(demo, rp):
    issued = rp.token()
    answer = rp.visit(login_token=issued["token"])
    sealed = rp.token()["token"]
    pushed = push(rp, login_token=sealed).json()["request_uri"]
    signature = issued["token"].split(".")[2]
    assert signature not in demo.output and signature not in answer.header("Location")
    digest_row = demo.query("SELECT parameters FROM pushed_request ORDER BY expires_at DESC LIMIT 1")[0][0]
    assert "login_token=" in digest_row, digest_row
    assert not any(part in digest_row for part in sealed.split(".")), "a token is kept sealed"
    assert pushed


def test_a_reload_by_the_same_browser_is_answered_and_opens_nothing(demo, rp):
    issued = rp.token()
    query = urlencode(rp.query(login_token=issued["token"]))
    first = rp.visit_query(query)
    again = rp.visit_query(query, first.session_cookie)
    assert code(again) != code(first) and not again.session_cookie
    assert demo.session(first.session_cookie)["authenticated"]


def test_a_replay_gets_the_sign_in_page_and_ends_what_the_first_use_opened(demo, rp):
    issued = rp.token()
    query = urlencode(rp.query(login_token=issued["token"]))
    first = rp.visit_query(query)
    granted = rp.redeem(code(first)).json()
    assert asks_to_sign_in(rp.visit_query(query, headers=wire.OTHER_BROWSER))
    assert demo.session(first.session_cookie) == {"authenticated": False}
    wait_until(lambda: oauth.userinfo(demo, granted["access_token"]).status == 401, 15, "the end of the grant")
    assert [event["reason"] for event in demo.audit("login_token.replayed", token_id=issued["id"])] == ["replayed"]


def test_a_link_that_was_opened_is_a_replay_here_and_the_other_way_round(demo, rp):
    issued = rp.token()
    first = demo.redeem(issued["token"])
    assert asks_to_sign_in(rp.visit(headers=wire.OTHER_BROWSER, login_token=issued["token"]))
    assert demo.session(first.session_cookie) == {"authenticated": False}
    issued = rp.token()
    first = rp.visit(login_token=issued["token"])
    assert demo.redeem(issued["token"], wire.OTHER_BROWSER).status == 400
    assert demo.session(first.session_cookie) == {"authenticated": False}


def test_a_double_tap_gets_no_code_and_ends_nothing(demo, rp):
    issued = rp.token()
    query = urlencode(rp.query(login_token=issued["token"]))
    first = rp.visit_query(query)
    assert asks_to_sign_in(rp.visit_query(query))
    assert demo.session(first.session_cookie)["authenticated"]
    assert demo.audit("login_token.repeated", token_id=issued["id"])


def test_5_6_a_session_whose_access_token_was_revoked_answers_no_request(demo):
    """Whoever finds that cookie and the link that it came by gets nothing; its owner keeps what they have."""
    rp = RP(demo, "tokens", cookie_profile="tokens", cookie_prefix="rp_", public_origin=None)
    query = urlencode(rp.query(login_token=rp.token()["token"]))
    first = rp.visit_query(query)
    assert code(first)
    cookies = wire.cookie_header(first)
    assert code(rp.visit_query(query, cookies)), "the way back"
    token = first.cookies["rp_access_token"].value
    assert demo.send("POST", "/oauth/revoke", rp.basic(), urlencode({"token": token})).status == 200
    assert asks_to_sign_in(rp.visit_query(query, cookies))
    renewed = demo.send("POST", "/session/refresh", {
        "Cookie": cookies, "X-CSRF-Token": first.cookies["rp_anti_csrf_token"].value})
    assert renewed.status == 200, renewed.text
    assert code(rp.visit_query(query, wire.cookie_header(renewed)))


@pytest.mark.parametrize("headers, is_visit", [
    ({**wire.NAVIGATION, "Sec-Fetch-Site": "cross-site"}, True),
    ({**wire.NAVIGATION, "Sec-Purpose": "prefetch"}, False),
    ({**wire.NAVIGATION, "User-Agent": "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)"}, True),
    ({**wire.NAVIGATION, "Origin": "https://evil.example"}, True),
], ids=["cross-site", "prefetch", "preview", "foreign origin"])
def test_nobody_is_signed_in_by_another_website_or_ahead_of_the_visitor(demo, rp, headers, is_visit):
    issued = rp.token()
    answer = rp.visit(headers=headers, login_token=issued["token"])
    assert asks_to_sign_in(answer) if is_visit else (answer.status, answer.session_cookie) == (403, None)
    assert demo.status(issued["id"]) == "pending"


def test_a_foreign_form_signs_nobody_in(demo, rp):
    issued = rp.token()
    answer = demo.send("POST", "/oauth/authorize", {"User-Agent": wire.FIREFOX, "Origin": "https://evil.example"},
                       urlencode(rp.query(login_token=issued["token"])))
    location = answer.header("Location")
    assert answer.status == 303 and "login_token" not in location and not answer.all("Set-Cookie")
    # Its own cookies, which are Lax, come with this.
    answer = demo.send("GET", location.removeprefix(demo.facts["issuer"]), {"User-Agent": wire.FIREFOX})
    assert asks_to_sign_in(answer) and demo.status(issued["id"]) == "pending"


def test_a_token_for_another_client_is_not_used_up(demo, rp):
    other = RP(demo, "thief")
    issued = rp.token()
    assert asks_to_sign_in(other.visit(login_token=issued["token"]))
    assert demo.status(issued["id"]) == "pending"
    event = demo.audit("login_token.refused", token_id=issued["id"])[0]
    assert (event["reason"], json.loads(event["detail"])) == ("wrong_website", {"by_client": other.id})
    assert code(rp.visit(login_token=issued["token"]))


@pytest.mark.parametrize("more", [
    {"prompt": "login"}, {"prompt": "select_account"}, {"max_age": "1"}, {"max_age": "0"},
    {"claims": '{"id_token":{"acr":{"essential":true,"value":"2"}}}'}, {"acr_values": "aal2"},
])
def test_what_wants_another_sign_in_gets_the_page_and_uses_nothing_up(demo, rp, more):
    auth_time = int(time.time()) - 100
    bearer = demo.bearer("alice", auth_time=auth_time)
    issued = demo.send("POST", "/api/auth/create-sso-token", {"Authorization": f"Bearer {bearer}"},
                       {"client_id": rp.id}).json()
    assert asks_to_sign_in(rp.visit(login_token=issued["token"], **more))
    assert demo.status(issued["id"]) == "pending"
    assert code(rp.visit(login_token=issued["token"]))


def test_what_outlives_the_browser_takes_a_sign_in(demo):
    rp = RP(demo, "offline", grant_types=["authorization_code", "refresh_token"])
    issued = rp.token()
    assert asks_to_sign_in(rp.visit(login_token=issued["token"], scope="openid offline_access"))
    assert demo.status(issued["id"]) == "pending"


def test_a_hint_at_somebody_else_gets_the_page_and_uses_nothing_up(demo, rp):
    hint = rp.redeem(code(rp.visit(login_token=rp.token("bob")["token"]))).json()["id_token"]
    issued = rp.token("alice")
    assert asks_to_sign_in(rp.visit(login_token=issued["token"], id_token_hint=hint))
    assert demo.status(issued["id"]) == "pending"


def test_without_a_question_allowed_an_unfit_token_is_login_required(demo, rp):
    issued = rp.token()
    location = rp.visit(login_token=issued["token"], prompt="none", max_age="0").header("Location")
    assert "error=login_required" in location and demo.status(issued["id"]) == "pending"
    assert code(rp.visit(login_token=issued["token"], prompt="none"))


def test_without_a_question_allowed_a_consent_that_is_needed_is_consent_required_and_uses_nothing_up(demo):
    rp = RP(demo, "asks", first_party=False)
    issued = rp.token()
    silent = parse_qs(urlsplit(rp.visit(login_token=issued["token"], prompt="none").header("Location")).query)
    assert (silent["error"], silent["error_description"]) == (["consent_required"], ["the user has to be asked"])
    assert demo.status(issued["id"]) == "pending"
    assert demo.audit("login_token.refused", token_id=issued["id"])[0]["reason"] == "consent_demanded"
    old = rp.visit(login_token=issued["token"], prompt="none", max_age="0").header("Location")
    assert "error=login_required" in old, "what wants another sign-in says so first"
    asked = rp.visit(login_token=issued["token"])
    assert asked.session_cookie and demo.status(issued["id"]) == "redeemed", "with a question allowed it signs in"


def test_a_wished_level_makes_a_token_unfit_that_lacks_it_and_no_session(demo, rp):
    issued = rp.token()
    location = rp.visit(login_token=issued["token"], prompt="none", acr_values="aal2").header("Location")
    assert "error=login_required" in location and demo.status(issued["id"]) == "pending"
    opened = rp.visit(login_token=issued["token"])
    assert code(opened)
    assert code(rp.visit(opened.session_cookie, acr_values="aal2"))
    bearer = demo.authorization("alice", acr="aal2")
    strong = demo.send("POST", "/api/auth/create-sso-token", bearer, {"client_id": rp.id}).json()
    assert code(rp.visit(login_token=strong["token"], acr_values="aal3 aal2"))


@pytest.mark.parametrize("fields", [
    {"code_challenge": signing.challenge(VERIFIER), "code_challenge_method": "S256"}, {"bind": "network"}])
def test_a_bound_token_is_refused_and_stays_good(demo, rp, fields):
    issued = rp.token(**fields)
    assert asks_to_sign_in(rp.visit(login_token=issued["token"]))
    assert demo.status(issued["id"]) == "pending"
    assert demo.audit("login_token.refused", token_id=issued["id"])[0]["reason"] == "bound_token"


@pytest.mark.parametrize("mode, reason", [("confirm", "confirmation_needed"), ("code", "bound_token")])
def test_a_website_that_wants_a_click_is_not_signed_in_without_one(demo, mode, reason):
    rp = RP(demo, "click", redeem=mode)
    issued = rp.token()
    assert asks_to_sign_in(rp.visit(login_token=issued["token"]))
    assert demo.status(issued["id"]) == "pending"
    assert [event["reason"] for event in demo.audit("login_token.refused", token_id=issued["id"])] == [reason]


@pytest.mark.parametrize("change_query", [
    lambda query, token: query.replace("response_type=code", "response_type=token") + f"&login_token={token}",
    lambda query, token: query.replace("code_challenge_method=S256", "code_challenge_method=plain") + f"&login_token={token}",
    lambda query, token: query + f"&login_token={token}&login_token={token}",
    lambda query, token: query + f"&login_token={token}&login_token=",
    lambda query, token: query.replace("callback", "elsewhere") + f"&login_token={token}",
], ids=["response type", "challenge", "twice", "twice, once empty", "redirect"])
def test_a_bad_request_uses_nothing_up(demo, rp, change_query):
    issued = rp.token()
    answer = rp.visit_query(change_query(urlencode(rp.query()), issued["token"]))
    assert not answer.session_cookie and "code=" not in (answer.header("Location") or "")
    assert demo.status(issued["id"]) == "pending"


def test_a_token_in_query_and_form_is_two(demo, rp):
    issued = rp.token()
    answer = demo.send("POST", f"/oauth/authorize?login_token={issued['token']}", {"User-Agent": wire.FIREFOX},
                       urlencode(rp.query(login_token=issued["token"])))
    assert "error=invalid_request" in answer.header("Location") and demo.status(issued["id"]) == "pending"


@pytest.mark.parametrize("token", ["", "nonsense", "a.b.c"])
def test_nonsense_for_a_token_is_the_ordinary_sign_in_page(rp, token):
    assert asks_to_sign_in(rp.visit(login_token=token))


def test_whoever_else_is_signed_in_is_asked_and_nothing_is_used_up_until_the_answer(demo, rp):
    bob = oauth.Browser(demo)
    landed = bob.request("GET", f"/login-with-token?token={rp.token('bob')['token']}")
    assert landed.status == 303
    issued = rp.token("alice")
    page = bob.request("GET", "/oauth/authorize?" + urlencode(rp.query(login_token=issued["token"])))
    assert page.status == 200 and subject(demo, "bob") in page.text and subject(demo, "alice") in page.text
    # A request that must show nothing is answered, not asked (OpenID Connect Core §3.1.2.1).
    silent = bob.request("GET", "/oauth/authorize?" + urlencode(rp.query(login_token=issued["token"], prompt="none")))
    assert silent.status == 303 and "error=login_required" in silent.header("Location"), silent.text
    assert demo.status(issued["id"]) == "pending"
    assert demo.status(issued["id"]) == "pending"
    # "No" keeps Bob signed in, and the relying party gets Bob.
    keep = html.unescape(re.search(r'class="button" href="([^"]+)"', page.text).group(1))
    kept = rp.redeem(code(bob.request("GET", keep, site="same-origin"))).json()
    assert signing.claims_of(kept["id_token"])["sub"] == subject(demo, "bob") and demo.status(issued["id"]) == "pending"
    # "Yes" is Alice's; Bob's session is over.
    before = f"{wire.SESSION_COOKIE}={bob.cookies[wire.SESSION_COOKIE]}"
    answer = bob.submit(page)
    assert code(answer) and demo.session(before) == {"authenticated": False}
    assert signing.claims_of(rp.redeem(code(answer)).json()["id_token"])["sub"] == subject(demo, "alice")


def test_the_answer_to_that_question_counts_in_its_own_browser_alone(demo, rp):
    bob = oauth.Browser(demo)
    bob.request("GET", f"/login-with-token?token={rp.token('bob')['token']}")
    issued = rp.token("alice")
    page = bob.request("GET", "/oauth/authorize?" + urlencode(rp.query(login_token=issued["token"])))
    form = oauth.Forms(page.text).forms[-1]
    other = oauth.Browser(demo)
    other.request("GET", f"/login-with-token?token={rp.token('bob')['token']}")
    answer = other.request("POST", form["action"], form["fields"], site="same-origin")
    assert "code=" not in (answer.header("Location") or "") or signing.claims_of(
        rp.redeem(code(answer)).json()["id_token"])["sub"] == subject(demo, "bob")
    assert demo.status(issued["id"]) == "pending"


# Hostile relying parties and thieves, by what they try


@pytest.mark.parametrize("more", [{"login_hint": "bob"}, {"login_hint": "bob", "prompt": "none"}])
def test_attack_a_relying_party_starts_a_flow_of_its_own_for_another_user_by_a_hint(demo, rp, more):
    """It gets whoever the link has signed in, and a code for nobody else."""
    landed = demo.redeem(rp.token("alice")["token"])
    told = signing.claims_of(rp.redeem(code(rp.visit(landed.session_cookie, **more))).json()["id_token"])
    assert told["sub"] == subject(demo, "alice")


def test_attack_a_relying_party_starts_a_flow_of_its_own_for_another_user_by_his_id_token(demo, rp):
    of_bob = rp.redeem(code(rp.visit(demo.redeem(rp.token("bob")["token"]).session_cookie))).json()["id_token"]
    alice = demo.redeem(rp.token("alice")["token"]).session_cookie
    assert asks_to_sign_in(rp.visit(alice, id_token_hint=of_bob))
    assert "error=login_required" in rp.visit(alice, id_token_hint=of_bob, prompt="none").header("Location")
    assert demo.session(alice)["sub"] == subject(demo, "alice"), "nobody was changed over"


def test_attack_a_relying_party_starts_a_flow_of_its_own_with_a_token_of_another_user(demo, rp):
    """It leads Alice's browser to its own request with Bob's token, by a redirect: she stays who she is."""
    alice, of_bob = demo.redeem(rp.token("alice")["token"]).session_cookie, rp.token("bob")
    answer = rp.visit(alice, headers={**wire.NAVIGATION, "Sec-Fetch-Site": "cross-site"}, login_token=of_bob["token"])
    assert signing.claims_of(rp.redeem(code(answer)).json()["id_token"])["sub"] == subject(demo, "alice")
    assert demo.status(of_bob["id"], "bob") == "pending"


@pytest.mark.parametrize("elsewhere", [
    "https://evil.example/", "//evil.example/", "https://rp.example.com.evil.example/contacts", "/\\evil.example",
    "https://rp.example.com@evil.example/contacts", "javascript:alert(1)", "/contacts%0d%0aLocation:%20https://evil.example"])
def test_attack_a_target_elsewhere_never_reaches_the_relying_party(demo, elsewhere):
    rp = RP(demo, "aim", initiate_login_uri=LOGIN, landing="initiate_login")
    assert rp.demo.post_issue({"client_id": rp.id, "redirect": elsewhere}).status == 400
    landed = demo.redeem(rp.token()["token"], redirect=elsewhere)
    assert parse_qs(urlsplit(landed.header("Location")).query)["target_link_uri"] == ["https://rp.example.com/contacts"]
    landed = demo.redeem(rp.token()["token"], target_link_uri=elsewhere)
    assert "evil" not in landed.header("Location")


def test_rfc_9110_15_5_2_a_website_that_keeps_no_secret_gets_a_challenge_for_its_own_login_token(demo):
    """Contract §4.4 and §11: every `invalid_client` has one, wherever it is found out."""
    rp = RP(demo, "bare")
    change(demo, rp.id, token_endpoint_auth_method="none", delivery="cookies")
    refused = oauth.token(demo, {
        "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "subject_token": rp.token()["token"],
        "subject_token_type": "urn:drawbridge:params:oauth:token-type:login-token", "client_id": rp.id})
    assert (refused.status, refused.json()["error"]) == (401, "invalid_client"), refused.text
    assert refused.header("WWW-Authenticate") == 'Basic realm="token"'


def test_attack_an_expired_token_gives_no_code_at_authorize_and_at_par(demo, rp):
    issued = rp.token(ttl=1)
    wait_until(lambda: demo.status(issued["id"]) == "expired", 30, "its end")
    answer = rp.visit(login_token=issued["token"])
    assert asks_to_sign_in(answer) and not answer.session_cookie
    assert push(rp, login_token=issued["token"]).json()["error"] == "invalid_request"


def test_attack_a_token_that_expires_between_par_and_visit_gives_no_code(demo, rp):
    # Counted from the second in which it was issued: of a life of one, nothing might be left for the push.
    issued = rp.token(ttl=5)
    uri = push(rp, login_token=issued["token"]).json()["request_uri"]
    wait_until(lambda: demo.status(issued["id"]) == "expired", 30, "its end")
    assert asks_to_sign_in(rp.visit_query(urlencode({"client_id": rp.id, "request_uri": uri})))


@pytest.mark.parametrize("channel", ["link", "authorize", "back channel"])
def test_attack_a_token_that_is_replayed_after_the_landing_ends_what_the_landing_gave(demo, channel):
    """By whichever way it comes again: browser's session, relying party's grant and its access token are over."""
    rp = RP(demo, "after", initiate_login_uri=LOGIN, landing="initiate_login")
    issued = rp.token()
    landed = demo.redeem(issued["token"])
    granted = rp.redeem(code(rp.visit(landed.session_cookie))).json()
    assert oauth.userinfo(demo, granted["access_token"]).status == 200
    if channel == "link":
        assert demo.redeem(issued["token"], wire.OTHER_BROWSER).status == 400
    elif channel == "authorize":
        assert asks_to_sign_in(rp.visit(headers=wire.OTHER_BROWSER, login_token=issued["token"]))
    else:
        again = oauth.token(demo, {
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "subject_token": issued["token"],
            "subject_token_type": "urn:drawbridge:params:oauth:token-type:login-token"}, rp.basic())
        assert (again.status, again.json()["error"]) == (400, "invalid_grant")
    assert demo.session(landed.session_cookie) == {"authenticated": False}
    wait_until(lambda: oauth.userinfo(demo, granted["access_token"]).status == 401, 15, "the end of the grant")
    assert not rp.visit(landed.session_cookie).header("Location").startswith(CALLBACK)


@pytest.mark.parametrize("gone", ["the landing", "the right"])
@pytest.mark.parametrize("how", ["link", "form", "back channel", "authorize"])
def test_16_5_a_replay_is_one_where_nothing_would_be_opened_any_more(demo, gone, how):
    """A website without return paths, or an app without its right by now: what the thief opened ends all the same."""
    rp = RP(demo, "bare", return_paths=None, default_return_path=None) if gone == "the landing" else RP(demo, "bare")
    issued = rp.token()
    landed = rp.visit(login_token=issued["token"])
    granted = rp.redeem(code(landed)).json()
    assert oauth.userinfo(demo, granted["access_token"]).status == 200
    if gone == "the right":
        change(demo, "demo-app", can_issue_login_tokens=False)
    try:
        replay(demo, rp, issued["token"], how)
    finally:
        change(demo, "demo-app", can_issue_login_tokens=True)
    assert [event["outcome"] for event in demo.audit("login_token.replayed", token_id=issued["id"])] == ["failure"]
    assert demo.session(landed.session_cookie) == {"authenticated": False}
    wait_until(lambda: oauth.userinfo(demo, granted["access_token"]).status == 401, 15, "the end of the grant")


def replay(demo, rp: RP, token: str, how: str):
    if how == "link":
        assert demo.redeem(token, wire.OTHER_BROWSER).status == 400
    elif how == "form":
        answer = demo.send("POST", "/login-with-token", {"User-Agent": wire.SAFARI, "Content-Type": wire.FORM},
                           urlencode({"token": token}).encode())
        assert answer.status == 400
    elif how == "authorize":
        assert asks_to_sign_in(rp.visit(headers=wire.OTHER_BROWSER, login_token=token))
    else:
        again = oauth.token(demo, {
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "subject_token": token,
            "subject_token_type": "urn:drawbridge:params:oauth:token-type:login-token"}, rp.basic())
        assert (again.status, again.json()["error"]) == (400, "invalid_grant")


def test_16_5_what_is_no_replay_ends_nothing_where_nothing_would_be_opened(demo):
    """The browser that holds what the link opened, a prefetch, a double tap, and a token that nobody has used."""
    rp = RP(demo, "bare", return_paths=None, default_return_path=None)
    unused, used = rp.token(), rp.token()
    assert demo.redeem(unused["token"]).status == 400
    assert demo.status(unused["id"]) == "pending"
    assert demo.audit("login_token.refused", token_id=unused["id"])[0]["reason"] == "no_return_paths"
    landed = rp.visit(login_token=used["token"])
    assert demo.redeem(used["token"]).status == 400, "the same browser, at once"
    assert demo.redeem(used["token"], {**wire.OTHER_BROWSER, "Cookie": landed.session_cookie}).status == 400
    assert demo.redeem(used["token"], {**wire.OTHER_BROWSER, "Sec-Purpose": "prefetch"}).status == 200
    other = RP(demo, "other")
    assert asks_to_sign_in(other.visit(headers=wire.OTHER_BROWSER, login_token=used["token"])), "another website's"
    assert demo.session(landed.session_cookie)["authenticated"] is True
    assert not demo.audit("login_token.replayed", token_id=used["id"])


# Pushed ahead


def push(rp: RP, **more) -> wire.Answer:
    return oauth.post(rp.demo, "/oauth/par", urlencode(rp.query(**more)), rp.basic())


def test_a_pushed_token_is_kept_until_the_first_visit(demo, rp):
    issued = rp.token()
    pushed = push(rp, login_token=issued["token"])
    assert pushed.status == 201, pushed.text
    assert demo.status(issued["id"]) == "pending"
    query = urlencode({"client_id": rp.id, "request_uri": pushed.json()["request_uri"]})
    assert rp.visit_query(query, headers={**wire.NAVIGATION, "Sec-Purpose": "prefetch"}).status == 403, "uses nothing up"
    answer = rp.visit_query(query)
    assert signing.claims_of(rp.redeem(code(answer)).json()["id_token"])["sub"] == subject(demo, "alice")
    assert answer.session_cookie and demo.status(issued["id"]) == "redeemed"
    assert rp.visit_query(query, answer.session_cookie).status == 400, "a pushed request is used once"


def test_a_token_in_the_address_is_pushed_too_and_beside_one_in_the_form_it_is_two(demo, rp):
    issued, other = rp.token(), rp.token()
    path = f"/oauth/par?login_token={issued['token']}"
    twice = oauth.post(demo, path, urlencode(rp.query(login_token=other["token"])), rp.basic())
    assert (twice.status, twice.json()["error"]) == (400, "invalid_request"), twice.text
    pushed = oauth.post(demo, path, urlencode(rp.query()), rp.basic())
    assert code(rp.visit_query(urlencode({"client_id": rp.id, "request_uri": pushed.json()["request_uri"]})))
    assert (demo.status(issued["id"]), demo.status(other["id"])) == ("redeemed", "pending")


def test_a_pushed_token_is_ignored_when_another_website_sends_the_browser(demo, rp):
    issued = rp.token()
    uri = push(rp, login_token=issued["token"]).json()["request_uri"]
    query = urlencode({"client_id": rp.id, "request_uri": uri})
    assert asks_to_sign_in(rp.visit_query(query, headers={**wire.NAVIGATION, "Sec-Fetch-Site": "cross-site"}))
    assert demo.status(issued["id"]) == "pending"
    assert code(rp.visit_query(query))


def test_a_pushed_token_is_checked(demo, rp):
    other = RP(demo, "pusher")
    used = rp.token()
    assert code(rp.visit(login_token=used["token"]))
    bound = rp.token(bind="network")
    for token in ["nonsense", used["token"], bound["token"], other.token()["token"]]:
        refused = push(rp, login_token=token)
        assert (refused.status, refused.json()["error"]) == (400, "invalid_request"), token
        if token != "nonsense":
            reason = demo.audit("login_token.refused", token_id=signing.claims_of(token)["jti"])[-1]["reason"]
            assert reason == {used["token"]: "replayed", bound["token"]: "bound_token"}.get(token, "wrong_website")
    assert "malformed" in [event["reason"] for event in demo.audit("login_token.refused")]
    query = urlencode(rp.query()) + f"&login_token={rp.token()['token']}" * 2
    assert oauth.post(demo, "/oauth/par", query, rp.basic()).status == 400


# The end


def test_a_revoked_device_secret_reaches_every_website_that_was_opened_and_a_dead_one_delays_none(demo):
    receiver = Receiver()
    with Silent() as silent:
        app = App(demo)
        app.sign_in()
        dead = RP(demo, "dead", initiate_login_uri=LOGIN, landing="initiate_login", backchannel_logout_uri=silent.uri)
        alive = RP(demo, "alive", initiate_login_uri=LOGIN, landing="initiate_login",
                   backchannel_logout_uri=receiver.uri)
        server = RP(demo, "server", backchannel_logout_uri=receiver.uri)
        expected = set()
        for rp in [dead, alive]:
            landed = demo.redeem(issue(app, rp)["token"])
            tokens = rp.redeem(code(rp.visit(landed.session_cookie))).json()
            expected.add((rp.id, signing.claims_of(tokens["id_token"])["sid"]))
        tokens = rp_redeems(server, issue(app, server)["token"])
        expected.add((server.id, signing.claims_of(tokens["id_token"])["sid"]))
        expected = {pair for pair in expected if pair[0] != dead.id}
        revoked = oauth.post(demo, "/oauth/revoke", {"token": app.tokens["device_secret"], "client_id": "demo-app"})
        assert revoked.status == 200
        wait_until(lambda: expected <= {(signing.claims_of(token)["aud"], signing.claims_of(token)["sid"])
                                        for token in receiver.tokens}, 30,
                   f"notices: {[signing.claims_of(token) for token in receiver.tokens]}, wanted {expected}")
        assert silent.given_up == 0, "nobody waited for the dead one to be given up"
    receiver.close()


def issue(app: App, rp: RP) -> dict:
    answer = rp.demo.send("POST", "/api/auth/create-sso-token",
                          {"Authorization": f"Bearer {app.tokens['access_token']}"}, {"client_id": rp.id})
    assert answer.status == 200, answer.text
    return answer.json()


def rp_redeems(rp: RP, token: str) -> dict:
    """A website's server takes the token itself (contract §4.4)."""
    answer = oauth.token(rp.demo, {
        "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "subject_token": token,
        "subject_token_type": "urn:drawbridge:params:oauth:token-type:login-token"}, rp.basic())
    assert answer.status == 200, answer.text
    return answer.json()


# The profile `tokens`


def test_a_link_sets_the_cookies_of_its_websites_profile(demo):
    site = RP(demo, "profile", cookie_profile="tokens", cookie_prefix="shop_", public_origin=None, redirect_uris=[])
    landed = demo.redeem(site.token()["token"])
    assert landed.status == 303 and landed.session_cookie is None
    assert set(landed.cookies) == {"shop_access_token", "shop_refresh_token", "shop_anti_csrf_token", "shop_info_token"}
    assert landed.cookies["shop_refresh_token"].attributes["path"] == "/session/refresh"
    told = signing.claims_of(landed.cookies["shop_access_token"].value)
    assert told["sub"] == subject(demo, "alice") and told["client_id"] == site.id
    cookie = "; ".join(f"{name}={made.value}" for name, made in landed.cookies.items())
    session = demo.session(cookie)
    assert session["authenticated"] and session["origin"] == "login_token"
    assert demo.send("GET", "/auth/check", {"Cookie": cookie}).status == 200
    # Nobody refreshes without the anti-CSRF value; with it the cookies are new.
    assert demo.send("POST", "/session/refresh", {"Cookie": cookie}).status == 403
    fresh = demo.send("POST", "/session/refresh", {
        "Cookie": cookie, "X-CSRF-Token": landed.cookies["shop_anti_csrf_token"].value})
    assert fresh.status == 200 and fresh.cookies["shop_refresh_token"].value != landed.cookies["shop_refresh_token"].value
    cookie = "; ".join(f"{name}={made.value}" for name, made in fresh.cookies.items())
    out = demo.send("POST", "/session/logout", {"Cookie": cookie, "Origin": demo.base, "Sec-Fetch-Site": "same-origin"})
    assert out.status == 204 and demo.session(cookie) == {"authenticated": False}


def test_the_access_token_of_such_a_cookie_is_verified_with_nothing_but_the_keys(demo):
    from joserfc import jwt
    from joserfc.jwk import KeySet
    site = RP(demo, "offline", cookie_profile="tokens", cookie_prefix="off_", public_origin=None, redirect_uris=[])
    landed = demo.redeem(site.token()["token"])
    keys = KeySet.import_key_set(demo.send("GET", "/.well-known/jwks.json").json())
    token = jwt.decode(landed.cookies["off_access_token"].value, keys, algorithms=["ES256"])
    assert token.header["typ"] == "at+jwt" and token.claims["iss"] == demo.facts["issuer"]


def test_with_such_cookies_a_reload_lands_again_and_a_replay_ends_the_session(demo):
    site = RP(demo, "again", cookie_profile="tokens", cookie_prefix="again_", public_origin=None, redirect_uris=[])
    issued = site.token()
    landed = demo.redeem(issued["token"])
    cookie = "; ".join(f"{name}={made.value}" for name, made in landed.cookies.items())
    again = demo.redeem(issued["token"], {**wire.OTHER_BROWSER, "Cookie": cookie})
    assert again.status == 303 and not again.cookies
    assert demo.redeem(issued["token"], wire.OTHER_BROWSER).status == 400
    assert demo.session(cookie) == {"authenticated": False}
    refreshed = demo.send("POST", "/session/refresh", {
        "Cookie": cookie, "X-CSRF-Token": landed.cookies["again_anti_csrf_token"].value})
    assert refreshed.status == 401


@pytest.mark.parametrize("redirect", ["/account/a%", "/account/%zz"])
def test_a_redirect_that_cannot_be_decoded_does_not_fail_the_sign_in(demo, redirect):
    browser, user = Browser(demo.base), demo.user("alice")
    page = browser.send("GET", f"/sign-in?redirect={redirect}")
    assert page.status == 200, page.text[:400]
    done = browser.submit(page, "/sign-in", username=user["username"], password=user["password"])
    assert (done.status, done.header("Location")) == (303, f"{demo.base}/contacts")
    event = demo.audit("redirect.refused")[-1]
    assert (event["reason"], json.loads(event["detail"])["path"]) == ("malformed", redirect)


def test_who_signs_in_on_our_own_page_has_the_opaque_cookie_whatever_the_websites_profile(serve):
    """Everything that is granted hangs under a sign-in, so it is asked after, and verified by nobody offline."""
    password = "correct horse battery"
    server = serve(website="cookie_profile: tokens, cookie_prefix: web_", users={"alice": password})
    browser = Browser(server.base)
    done = browser.submit(browser.send("GET", "/sign-in?redirect=/contacts"), "/sign-in", username="alice", password=password)
    assert done.status == 303 and done.session_cookie
    assert not [name for name in done.cookies if name.startswith("web_")]
    # A link brings the website's own, beside it.
    same = browser.send("GET", "/session").json()["sub"]
    landed = server.redeem(server.issue(same)["token"], {"Cookie": done.session_cookie})
    assert landed.status == 303 and "web_access_token" in landed.cookies
