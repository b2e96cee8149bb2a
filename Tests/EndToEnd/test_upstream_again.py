"""Users of somebody else's OpenID Provider who are signed in here already, not well enough, or not at all in the end."""

import html
import json
import re
import time
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

import instance
import native
import oauth
import provider_of_others
import selfissued
import signing
import wire
from native import OrderedBrowser

STALE = "This page was open for too long. Please sign in once more."
DECLINED = "This sign-in was not accepted. Please try again, or choose another way."
NOT_ENOUGH = "You are signed in, but this takes another sign-in: a newer or stronger one, or somebody else"
PASSWORD = "plum duff at noon"
WITH = "/sign-in/with/other"
VIEW = {"client_id": "view", "client_type": "web", "cookie_profile": "tokens", "cookie_prefix": "view_",
        "return_paths": ["/contacts", "/account/*"], "default_return_path": "/contacts"}
PLAIN = {"client_id": "plain", "client_type": "web", "return_paths": ["/contacts"], "default_return_path": "/contacts"}


class Provider(provider_of_others.Provider):
    """Knows its users from a sign-in of two hours ago, and asks them anew where it has to."""

    def exchange(self, form: dict, authorization: str) -> dict | None:
        request, told = self.codes.get(form["code"][0], {}), self.token_claims
        if request.get("prompt") != "login":
            self.token_claims = {"auth_time": int(time.time()) - 7200, **told}
        try:
            return super().exchange(form, authorization)
        finally:
            self.token_claims = told

    def was_asked_anew(self) -> bool:
        request = self.requests[-1]
        assert (request.get("prompt") == "login") == (request.get("max_age") == "0")
        return request.get("prompt") == "login"


@pytest.fixture
def upstream():
    provider = Provider()
    yield provider
    provider.close()


def relying_party(name: str, **fields) -> dict:
    return {"client_id": name, "client_type": "web", "first_party": True, "redirect_uris": [oauth.RP_REDIRECT],
            "client_secret_digest": signing.client_secret()[1], "require_pkce": False, **fields}


@pytest.fixture
def served(serve, upstream, tmp_path):
    more = "self_issued: {enabled: true, linking_apps: [phone]}\n"
    phone = {"client_id": "phone", "client_type": "native", "first_party": True, "redirect_uris": [native.CALLBACK],
             "can_issue_login_tokens": True, "may_reach": ["web"]}
    return serve(
        upstream.settings(tmp_path) + more, users={"ada": PASSWORD}, reach=["web", "view", "plain"],
        clients=[VIEW, PLAIN, phone, relying_party("any"), relying_party("strict", min_acr="aal2")])


class Browser(OrderedBrowser):
    """Goes to the provider and back."""

    def __init__(self, server, upstream: Provider):
        super().__init__(server.base)
        self.demo, self.upstream = server, upstream

    def follow(self, url: str) -> wire.Answer:
        """The first page, or the answer that leads to a page which is not Drawbridge's."""
        for _ in range(8):
            if url.startswith(self.upstream.issuer):
                answer = wire.send(self.upstream.issuer, "GET", url.removeprefix(self.upstream.issuer))
            else:
                answer = self.send("GET", url)
            if answer.status != 303:
                return answer
            url = answer.header("Location")
            if not url.startswith((self.base, self.upstream.issuer, "/")) or urlsplit(url).path == "/contacts":
                return answer
        raise AssertionError("goes in circles")

    @property
    def session(self) -> dict:
        return self.send("GET", "/session").json()

    def link(self, sub: str, website: str, **said):
        """A login link's sign-in, of two hours ago."""
        bearer = self.demo.bearer(sub, auth_time=int(time.time()) - 7200, acr="aal1", **said)
        issued = self.demo.issue(fields={"client_id": website}, headers={"Authorization": f"Bearer {bearer}"})
        query = urlencode({"token": issued["token"]})
        assert self.send("GET", f"{instance.REDEEM}?{query}").status == 303


@pytest.fixture
def visitor(served, upstream) -> Browser:
    return Browser(served, upstream)


def by_provider(page: wire.Answer) -> str:
    """The sign-in page's way to the provider."""
    return html.unescape(re.search(rf'href="({WITH}[^"]*)"', page.text)[1])


def user_of(served, upstream) -> str:
    browser = Browser(served, upstream)
    assert browser.follow(WITH).status == 303
    return browser.session["sub"]


# A step-up


@pytest.mark.parametrize("website", ["plain", "view"])
def test_a_step_up_at_the_provider_asks_for_a_new_sign_in_whichever_cookies_sign_the_user_in(
        served, upstream, visitor, website):
    visitor.link(user_of(served, upstream), website)
    assert visitor.send("GET", "/auth/check?max_age=60").status == 401
    landed = visitor.follow(f"{WITH}?redirect=%2Fcontacts")
    assert landed.status == 303 and landed.header("Location").endswith("/contacts")
    assert upstream.was_asked_anew()
    assert visitor.send("GET", "/auth/check?max_age=60").status == 200


def test_who_is_not_signed_in_here_is_let_in_by_the_providers_sign_in_of_before(upstream, visitor):
    assert visitor.follow(f"{WITH}?redirect=%2Fcontacts").status == 303
    assert not upstream.was_asked_anew() and visitor.session["authenticated"]


def test_a_step_up_at_an_issuer_of_another_host_asks_for_a_new_sign_in(serve, upstream, tmp_path):
    www, issuer = "www.example.test", "id.example.test"
    server = serve(
        upstream.settings(tmp_path) + f"issuer: https://{issuer}\n", origin=f"https://{www}",
        website="portal: true, may_reach: [web]")
    kept: dict[tuple[str, str], str] = {}

    def get(url: str) -> wire.Answer:
        if url.startswith(upstream.issuer):
            return wire.send(upstream.issuer, "GET", url.removeprefix(upstream.issuer))
        at = urlsplit(url)
        cookies = "; ".join(f"{name}={value}" for (name, host), value in kept.items() if host == at.netloc)
        answer = server.send("GET", at._replace(scheme="", netloc="").geturl(), {
            **wire.NAVIGATION, "Host": at.netloc, **({"Cookie": cookies} if cookies else {})})
        for name, cookie in answer.cookies.items():
            kept.pop((name, at.netloc), None)
            if cookie.value:
                kept[name, at.netloc] = cookie.value
        return answer

    def follow(url: str) -> wire.Answer:
        for _ in range(9):
            answer = get(url)
            if answer.status not in (302, 303):
                return answer
            url = answer.header("Location")
            if urlsplit(url).path == "/contacts":
                return answer
        raise AssertionError("goes in circles")

    follow(f"https://{issuer}{WITH}?redirect=%2Faccount")
    sub = get(f"https://{issuer}/session").json()["sub"]
    kept.clear()
    bearer = server.bearer(sub, auth_time=int(time.time()) - 7200)
    token = server.issue(fields={"client_id": "web"}, headers={"Authorization": f"Bearer {bearer}"})["token"]
    assert get(f"https://{www}{instance.REDEEM}?{urlencode({'token': token})}").status == 303
    check = f"https://{www}/auth/check?max_age=60"
    asked = get(f"{check}&redirect=%2Fcontacts")
    assert asked.status == 302 and asked.header("Location").startswith(f"https://{issuer}/sign-in?")
    page = get(asked.header("Location"))
    landed = follow(f"https://{issuer}{by_provider(page)}")
    assert landed.status == 303 and landed.header("Location") == f"https://{www}/contacts"
    assert upstream.was_asked_anew()
    assert get(check).status == 200


# What a relying party asks for


def authorize(client: str, **more) -> str:
    return "/oauth/authorize?" + urlencode({
        "response_type": "code", "client_id": client, "redirect_uri": oauth.RP_REDIRECT, "scope": "openid", "state": "s",
        **more})


def test_a_sign_in_of_before_that_is_too_weak_for_a_relying_party_is_told_so_and_the_next_one_is_answered(
        upstream, visitor):
    page = visitor.follow(authorize("strict"))
    assert page.status == 200 and NOT_ENOUGH not in page.text
    again = visitor.follow(by_provider(page))
    assert again.status == 200 and NOT_ENOUGH in again.text, "signed in, and the relying party has no answer"
    assert not upstream.was_asked_anew() and visitor.session["authenticated"]
    answer = visitor.follow(by_provider(again))
    assert upstream.was_asked_anew()
    assert parse_qs(urlsplit(answer.header("Location")).query)["error"] == ["access_denied"]


def test_a_sign_in_of_before_of_another_user_than_a_relying_party_means_is_told_so(upstream, visitor):
    upstream.subject = "78"
    answer = visitor.follow(by_provider(visitor.follow(authorize("any"))))
    assert parse_qs(urlsplit(answer.header("Location")).query)["code"]
    meant = visitor.session["sub"]
    upstream.subject = "77"
    other = Browser(visitor.demo, upstream)
    request = authorize("any", claims='{"id_token":{"sub":{"value":"%s"}}}' % meant)
    again = other.follow(by_provider(other.follow(request)))
    assert again.status == 200 and NOT_ENOUGH in again.text
    answer = other.follow(by_provider(again))
    assert upstream.was_asked_anew()
    assert parse_qs(urlsplit(answer.header("Location")).query)["error"] == ["login_required"]


def test_who_is_signed_in_well_enough_is_not_told_otherwise_by_the_way_back_or_by_a_page_of_before(upstream, visitor):
    page = visitor.follow(authorize("any"))
    way = by_provider(page)
    assert visitor.follow(way).status == 303 and visitor.session["authenticated"]
    asked_before = visitor.send("GET", way.replace(WITH, "/sign-in"))
    assert asked_before.status == 200 and NOT_ENOUGH not in asked_before.text
    too_old = visitor.send("GET", "/sign-in?journey=not-any-more")
    assert too_old.status == 200 and NOT_ENOUGH not in too_old.text


def test_who_is_to_choose_an_account_is_not_told_that_the_sign_in_is_not_enough(upstream, visitor):
    assert visitor.follow(WITH).status == 303 and visitor.session["authenticated"]
    page = visitor.follow(authorize("any", prompt="select_account"))
    assert page.status == 200 and NOT_ENOUGH not in page.text


# No sign-in came of it


@pytest.mark.parametrize("errand", ["", "?redirect=%2Fcontacts"], ids=["the bare page", "a page to land on"])
@pytest.mark.parametrize("why", ["cancelled", "wrong nonce", "disabled"])
def test_who_is_not_signed_in_by_the_provider_is_told_so_and_not_that_the_page_is_old(
        served, upstream, visitor, errand, why):
    if why == "cancelled":
        upstream.answer = {"code": None, "error": "access_denied"}
    elif why == "wrong nonce":
        upstream.token_claims = {"nonce": "another"}
    else:
        instance.run("users", "disable", "--config", str(served.settings), user_of(served, upstream))
    page = visitor.follow(WITH + errand)
    assert page.status == 400 and DECLINED in page.text and STALE not in page.text


def test_an_answer_to_no_request_of_this_browser_says_that_the_page_is_old(visitor):
    page = visitor.send("GET", "/sign-in/callback/other?state=made-up&code=c")
    assert page.status == 400 and STALE in page.text


# Somebody else is signed in here


def asked(upstream, visitor) -> wire.Answer:
    """What a browser in which ada is signed in is shown when the provider names somebody else."""
    done = visitor.submit(visitor.send("GET", "/sign-in"), "/sign-in", username="ada", password=PASSWORD)
    assert done.status == 303
    return visitor.follow(WITH)


def test_an_upstream_user_is_asked_about_before_another_users_session_ends(served, upstream, visitor):
    page = asked(upstream, visitor)
    assert page.status == 200 and "has signed you in as <strong>Up Stream</strong>" in page.text, page.text
    ada, kept = visitor.session, dict(visitor.kept)
    assert ada["authenticated"]
    assert [row for row in instance.audit_rows(served.data) if row["reason"] == "upstream"] == [], "no account is made"
    done = visitor.submit(page, "/sign-in/callback/other")
    assert done.status == 303 and visitor.session["sub"] != ada["sub"]
    assert [row["reason"] for row in instance.audit_rows(served.data) if row["type"] == "web_session.switched"] == [
        "account_switch"]
    theirs, visitor.kept = visitor.kept, kept
    assert not visitor.session["authenticated"], "ada's session has ended"
    visitor.kept = theirs
    again = visitor.submit(page, "/sign-in/callback/other")
    assert (again.status, again.header("Location")) == (303, done.header("Location")), "who presses twice is led on"
    left = visitor.send("POST", "/session/logout", {"Origin": visitor.base, "Sec-Fetch-Site": "same-origin"})
    assert left.status == 204
    again = visitor.submit(page, "/sign-in/callback/other")
    assert again.status == 400 and STALE in again.text


def test_a_request_of_6000_characters_goes_on_after_the_question(upstream, visitor):
    done = visitor.submit(visitor.send("GET", "/sign-in"), "/sign-in", username="ada", password=PASSWORD)
    assert done.status == 303
    state, claims = "s" * 4096, json.dumps({"userinfo": {"c" * 1904: None}})
    begun = visitor.follow(authorize("any", state=state, claims=claims, prompt="select_account"))
    page = visitor.follow(by_provider(begun))
    assert page.status == 200 and "has signed you in as <strong>Up Stream</strong>" in page.text, page.text
    [address] = re.findall(r'action="(/sign-in/callback/other\?journey=[^"&]*)"', page.text)
    unsaid = visitor.submit(page, address, confirm_switch="no")
    assert unsaid.status == 400 and urlsplit(by_provider(unsaid)).query == urlsplit(address).query
    done = visitor.submit(page, address)
    assert done.status == 303, done.text
    answer = parse_qs(urlsplit(visitor.follow(done.header("Location")).header("Location")).query)
    assert answer["state"] == [state] and answer["code"]


def test_who_keeps_the_account_is_asked_at_no_other_time(upstream, visitor):
    page = asked(upstream, visitor)
    ada = visitor.session["sub"]
    [stay] = re.findall(r'<a class="button" href="([^"]*)">Stay signed in as Ada</a>', page.text)
    assert visitor.send("GET", stay).status == 200 and visitor.session["sub"] == ada
    unsaid = visitor.submit(page, "/sign-in/callback/other", confirm_switch="no")
    assert unsaid.status == 400 and visitor.session["sub"] == ada


def test_attack_another_browser_answers_for_nobody(served, upstream, visitor):
    page = asked(upstream, visitor)
    other = Browser(served, upstream)
    other.send("GET", "/sign-in")
    assert other.submit(page, "/sign-in/callback/other").status == 400 and not other.session["authenticated"]


FOREIGN = {"Sec-Fetch-Site": "cross-site"}


def test_attack_a_foreign_page_sends_nobody_to_the_provider(upstream, visitor):
    for headers in [FOREIGN, {"Sec-Purpose": "prefetch"}]:
        answer = visitor.send("GET", f"{WITH}?redirect=%2Fcontacts", headers)
        assert answer.status == 303 and answer.header("Location") == f"{visitor.base}/sign-in?redirect=%2Fcontacts"
    assert upstream.requests == []
    page = visitor.send("GET", answer.header("Location"), FOREIGN)
    assert visitor.follow(by_provider(page)).status == 303 and visitor.session["authenticated"]


def test_an_apps_request_goes_on_to_the_provider_in_its_own_browser_alone(served, upstream, visitor):
    page = visitor.send("GET", authorize("any"), FOREIGN).header("Location")
    assert "/sign-in?journey=" in page
    way = page.replace("/sign-in?", f"{WITH}?")
    assert visitor.send("GET", way, FOREIGN).header("Location").startswith(upstream.issuer)
    elsewhere = Browser(served, upstream).send("GET", way, FOREIGN)
    assert elsewhere.status == 303 and elsewhere.header("Location") == page


# What such a user may have here


class PhoneBrowser(selfissued.Browser):
    def follow(self, upstream: Provider, url: str):
        for _ in range(8):
            if url.startswith(upstream.issuer):
                answer = wire.send(upstream.issuer, "GET", url.removeprefix(upstream.issuer))
            else:
                answer = self.request("GET", url.removeprefix(self.demo.base))
            if answer.status != 303 or urlsplit(answer.header("Location")).path == "/contacts":
                return
            url = answer.header("Location")


def refusals(served) -> list[tuple]:
    return [(row["reason"], row["subject"]) for row in instance.audit_rows(served.data)
            if row["type"] == "self_issued.refused"]


def test_attack_users_of_a_provider_link_no_phones_key_that_would_outlive_their_account_there(served, upstream):
    upstream.token_claims = {"auth_time": int(time.time())}
    browser, phone = PhoneBrowser(served), selfissued.Phone()
    browser.follow(upstream, WITH)
    sub = browser.session()["sub"]
    assert 'id="phone-keys"' not in browser.request("GET", "/account").text
    page = browser.request("GET", "/account/phone-keys")
    assert 'id="unavailable"' in page.text and 'id="link-another"' not in page.text
    asked = browser.request("GET", "/self-issued/start?link=1")
    assert asked.status == 303 and asked.header("Location") == f"{served.base}/account/phone-keys"
    assert refusals(served) == [("upstream_user", sub)]
    # "I have an account", after a sign-in with a key that is nobody's.
    browser.respond(phone.answer(browser.start()))
    browser.submit(browser.request("GET", "/self-issued/choice"), 1)
    page = browser.request("GET", "/account/phone-keys")
    assert 'id="offered"' not in page.text and 'id="unavailable"' in page.text
    assert served.send("GET", "/errors/upstream_user").status == 200


def test_attack_nor_do_they_by_an_app(served, upstream):
    upstream.token_claims = {"auth_time": int(time.time())}
    visitor, verifier = Browser(served, upstream), "v" * 43
    request = "/oauth/authorize?" + urlencode({
        "response_type": "code", "client_id": "phone", "redirect_uri": native.CALLBACK, "scope": "openid", "state": "s",
        "code_challenge": signing.challenge(verifier), "code_challenge_method": "S256"})
    answer = visitor.follow(by_provider(visitor.follow(request)))
    code = parse_qs(urlsplit(answer.header("Location")).query)["code"][0]
    tokens = oauth.token(served, {
        "grant_type": "authorization_code", "client_id": "phone", "code": code, "redirect_uri": native.CALLBACK,
        "code_verifier": verifier}).json()
    refused = served.send("GET", "/api/self-issued/link-nonce", {"Authorization": f"Bearer {tokens['access_token']}"})
    assert refused.status == 403 and refused.json()["error"] == "access_denied", refused.text
    assert refusals(served) == [("upstream_user", visitor.session["sub"])]


def test_who_has_no_password_here_is_not_told_to_change_it(upstream, visitor):
    visitor.follow(WITH)
    assert "Change your password" not in (page := visitor.send("GET", "/account")).text
    assert "Secure what you sign in with, then end everything else." in page.text
    local = Browser(visitor.demo, upstream)
    done = local.submit(local.send("GET", "/sign-in"), "/sign-in", username="ada", password=PASSWORD)
    assert done.status == 303
    assert "Change your password, then end everything else." in local.send("GET", "/account").text
