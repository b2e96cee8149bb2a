"""Sessions of the profile `tokens` beside others of their user in one browser: which one answers, which one is renewed,
and what a sign-out ends (contract §5.8, §6, §7, §16)."""

import secrets
import time
from urllib.parse import urlencode

import pytest

import instance
import signing
import wire
from landing import RP, code, view_of
from native import App, Browser, OrderedBrowser

OUT = "https://out.example.com/bye"
PAGE = {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"}


def somebody() -> str:
    return f"visitor-{secrets.token_hex(6)}"


def view(demo, letter: str = "", **fields) -> tuple[RP, str]:
    """A website of the profile `tokens`, and its prefix; prefixes are looked at in the order of the alphabet."""
    prefix = f"{letter}{secrets.token_hex(4)}_"
    return view_of(demo, "view", prefix, **{"redirect_uris": [], **fields}), prefix


def plain(demo, **fields) -> RP:
    """A website of the profile `session` whose pages are here."""
    return RP(demo, "plain", **{"redirect_uris": [], "public_origin": None, **fields})


def link(site: RP, sub: str, **said) -> str:
    """A login link's path; the app's bearer says when and how well its user signed in."""
    demo = site.demo
    issued = demo.post_issue({"client_id": site.id}, sub, demo.authorization(sub, **said))
    assert issued.status == 200, issued.text
    return f"{instance.REDEEM}?{urlencode({'token': issued.json()['token']})}"


def old(site: RP, sub: str) -> str:
    return link(site, sub, auth_time=int(time.time()) - 3600, acr="aal1")


def fresh(site: RP, sub: str) -> str:
    return link(site, sub, auth_time=int(time.time()), acr="aal2")


def opens(browser: Browser, target: str):
    assert browser.send("GET", target).status == 303


def said(browser: Browser) -> dict:
    return browser.send("GET", "/session", PAGE).json()


def renew(browser: Browser, proof: str) -> wire.Answer:
    return browser.send("POST", "/session/refresh", {"X-CSRF-Token": proof, "Origin": browser.base, **PAGE})


def session_id(browser: OrderedBrowser, prefix: str) -> str:
    return signing.claims_of(browser.kept[prefix + "access_token", "/"])["sid"]


def proof(browser: OrderedBrowser, prefix: str) -> str:
    return browser.kept[prefix + "anti_csrf_token", "/"]


# Which session answers


@pytest.mark.parametrize("demand", ["max_age=60", "acr=aal2", "max_age=60&acr=aal2"])
def test_a_step_up_by_link_is_found_beside_an_older_session_of_its_user(demo, demand):
    site, prefix = view(demo)
    sub, browser = somebody(), OrderedBrowser(demo.base)
    opens(browser, old(plain(demo), sub))
    opens(browser, fresh(site, sub))
    met = browser.send("GET", f"/auth/check?{demand}")
    assert met.status == 200, met.headers
    assert (met.header("X-Auth-Session"), met.header("X-Auth-Acr")) == (session_id(browser, prefix), "aal2")
    assert browser.send("GET", "/auth/check?acr=aal3").status == 401


def test_attack_another_users_stronger_sign_in_meets_no_demand_and_its_cookies_are_not_told_of(demo):
    site, prefix = view(demo)
    weak, strong = OrderedBrowser(demo.base), OrderedBrowser(demo.base)
    opens(weak, old(plain(demo), somebody()))
    opens(strong, fresh(site, somebody()))
    weak.kept.update(strong.kept | weak.kept)
    assert proof(weak, prefix)
    assert weak.send("GET", "/auth/check").header("X-Auth-Acr") == "aal1"
    for demand in ["max_age=60", "acr=aal2"]:
        assert weak.send("GET", f"/auth/check?{demand}").status == 401
    assert "anti_csrf_token" not in said(weak)


class Traveller:
    """A browser that goes to several hosts, and keeps a cookie for the host or the domain that it was set for."""

    def __init__(self, demo):
        self.demo = demo
        self.kept: dict[tuple[str, str], str] = {}

    def at(self, host: str, target: str, headers: dict | None = None) -> wire.Answer:
        cookies = [f"{name}={value}" for (name, place), value in self.kept.items()
                   if host == place or (place.startswith(".") and host.endswith(place))]
        headers = {**wire.NAVIGATION, "Host": host, **({"Cookie": "; ".join(cookies)} if cookies else {}),
                   **(headers or {})}
        answer = self.demo.send("GET", target, headers)
        for name, cookie in answer.cookies.items():
            place = cookie.attributes.get("domain", host)
            self.kept.pop((name, place), None)
            if cookie.attributes.get("max-age") != "0":
                self.kept[name, place] = cookie.value
        return answer


def shared(demo, name: str, domain: str, **fields) -> tuple[RP, str]:
    """A website at a host of its own, which has its access tokens in common with its neighbours."""
    prefix = f"{name}{secrets.token_hex(4)}_"
    site = RP(demo, "shared", cookie_profile="tokens", cookie_prefix=prefix, cookie_domain=f".{domain}",
              public_origin=f"https://{name}.{domain}", redirect_uris=[], **fields)
    return site, prefix


def test_at_a_website_of_a_shared_domain_its_own_session_answers(demo):
    domain, sub, traveller = f"{secrets.token_hex(4)}.test", somebody(), Traveller(demo)
    (first, first_prefix), (second, second_prefix) = [shared(demo, name, domain) for name in "ab"]
    a, b = f"a.{domain}", f"b.{domain}"
    assert traveller.at(a, old(first, sub)).status == 303
    # Only the first one's: that it answers at the neighbour, which its app may open too, stays.
    assert traveller.at(b, "/auth/check").status == 200
    assert traveller.at(b, fresh(second, sub)).status == 303
    for host, prefix, acr in [(a, first_prefix, "aal1"), (b, second_prefix, "aal2")]:
        own = signing.claims_of(traveller.kept[f"{prefix}access_token", f".{domain}"])["sid"]
        checked = traveller.at(host, "/auth/check")
        assert (checked.header("X-Auth-Session"), checked.header("X-Auth-Acr")) == (own, acr), host
        shown = traveller.at(host, "/session", PAGE).json()
        assert (shown["acr"], shown["anti_csrf_token"]) == (acr, traveller.kept[f"{prefix}anti_csrf_token", host])
    assert traveller.at(b, "/auth/check?acr=aal2&max_age=60").status == 200


def test_attack_a_neighbours_stronger_session_meets_no_demand_at_a_website_that_has_its_own(demo):
    """It would say who the user is by the neighbour's scope."""
    domain, sub, traveller = f"{secrets.token_hex(4)}.test", somebody(), Traveller(demo)
    (first, _), (second, _) = [shared(demo, name, domain) for name in "ab"]
    assert traveller.at(f"a.{domain}", fresh(first, sub)).status == 303
    assert traveller.at(f"b.{domain}", old(second, sub)).status == 303
    assert traveller.at(f"b.{domain}", "/auth/check").header("X-Auth-Acr") == "aal1"
    assert traveller.at(f"b.{domain}", "/auth/check?acr=aal2").status == 401


@pytest.mark.parametrize(("scope", "told"), [
    ("openid profile email", ("Alice", "alice@example.com")), ("openid email", (None, "alice@example.com")),
    ("openid", (None, None))])
def test_attack_by_a_neighbours_session_a_website_hears_no_more_than_its_own_scope_opens(demo, scope, told):
    """Contract §16: the neighbour's scope is wider, and its session the only one that is there."""
    domain, traveller = f"{secrets.token_hex(4)}.test", Traveller(demo)
    neighbour, _ = shared(demo, "a", domain, scope="openid profile email")
    shared(demo, "b", domain, scope=scope)
    assert traveller.at(f"a.{domain}", fresh(neighbour, "alice")).status == 303
    for host, heard in [("a", ("Alice", "alice@example.com")), ("b", told)]:
        checked = traveller.at(f"{host}.{domain}", "/auth/check?identity=name,email")
        assert checked.status == 200
        assert (checked.header("X-Auth-Name"), checked.header("X-Auth-Email")) == heard, host


def test_attack_by_a_neighbours_session_a_website_hears_no_more_than_the_neighbours_scope_opens(demo):
    domain, traveller = f"{secrets.token_hex(4)}.test", Traveller(demo)
    neighbour, _ = shared(demo, "a", domain, scope="openid email")
    shared(demo, "b", domain, scope="openid profile email")
    assert traveller.at(f"a.{domain}", fresh(neighbour, "alice")).status == 303
    checked = traveller.at(f"b.{domain}", "/auth/check?identity=name,email")
    assert (checked.header("X-Auth-Name"), checked.header("X-Auth-Email")) == (None, "alice@example.com")


# Which cookies a page renews


def test_a_page_may_renew_cookies_beside_a_session_of_the_other_profile(demo):
    site, prefix = view(demo)
    sub, browser = somebody(), OrderedBrowser(demo.base)
    opens(browser, fresh(site, sub))
    opens(browser, fresh(plain(demo), sub))
    assert browser.kept[wire.SESSION_COOKIE, "/"]
    own, session = proof(browser, prefix), session_id(browser, prefix)
    assert said(browser)["anti_csrf_token"] == own
    assert renew(browser, own).status == 200
    assert proof(browser, prefix) != own and session_id(browser, prefix) == session
    foreign = browser.send("GET", "/session", {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"})
    assert foreign.header("Access-Control-Allow-Origin") is None
    assert foreign.header("Cross-Origin-Resource-Policy") == "same-origin"


def test_of_several_cookies_a_page_renews_those_that_are_spent_then_those_that_end_first(demo):
    long, long_prefix = view(demo, "a", access_token_lifetime=900)
    short, short_prefix = view(demo, "z", access_token_lifetime=300)
    sub, browser = somebody(), OrderedBrowser(demo.base)
    for site in [long, short]:
        opens(browser, fresh(site, sub))
    own = proof(browser, short_prefix)
    assert said(browser)["anti_csrf_token"] == own, "its access token ends first"
    spent = browser.kept[long_prefix + "access_token", "/"]
    assert demo.send("POST", "/oauth/revoke", {"Content-Type": wire.FORM, **long.basic()},
                     urlencode({"token": spent})).status == 200
    assert said(browser)["anti_csrf_token"] == proof(browser, long_prefix), "its access token was revoked"
    assert renew(browser, proof(browser, long_prefix)).status == 200
    assert browser.kept[long_prefix + "access_token", "/"] != spent
    assert said(browser)["anti_csrf_token"] == proof(browser, short_prefix) == own


# What a sign-out ends


@pytest.mark.parametrize("profile", ["session", "tokens"])
def test_signing_out_of_an_app_ends_its_device_where_a_link_signed_its_user_in(demo, profile):
    site = view(demo)[0] if profile == "tokens" else plain(demo)
    app, browser = App(demo), OrderedBrowser(demo.base)
    app.sign_in()
    opens(browser, link(site, "alice"))
    page = browser.send("GET", "/oauth/logout?" + urlencode({"id_token_hint": app.tokens["id_token"]}))
    assert page.status == 200 and app.refresh().status == 200, "the user is asked first"
    assert browser.submit(page, "/oauth/logout").status == 303
    assert said(browser) == {"authenticated": False}
    assert app.native_sso().json()["error"] == "invalid_grant"


def test_attack_another_users_cookies_end_no_app_by_its_id_token(demo):
    site, _ = view(demo)
    app, browser = App(demo), OrderedBrowser(demo.base)
    app.sign_in()
    opens(browser, link(site, "bob"))
    page = browser.send("GET", "/oauth/logout?" + urlencode({"id_token_hint": app.tokens["id_token"]}))
    assert browser.submit(page, "/oauth/logout").status == 303
    assert said(browser) == {"authenticated": False}
    assert app.refresh().status == 200


def landed(site: RP, sub: str) -> tuple[OrderedBrowser, str]:
    """A browser that a link signed in at the authorization endpoint, and the website's ID token of it."""
    browser = OrderedBrowser(site.demo.base)
    answer = browser.send("GET", f"/oauth/authorize?{urlencode(site.query(login_token=site.token(sub)['token']))}")
    tokens = site.redeem(code(answer))
    assert tokens.status == 200, tokens.text
    return browser, tokens.json()["id_token"]


@pytest.mark.parametrize("profile", ["session", "tokens"])
def test_a_relying_party_signs_its_own_session_out_without_a_question_in_either_profile(demo, profile):
    fields = {"redirect_uris": ["https://rp.example.com/callback"], "post_logout_redirect_uris": [OUT]}
    site = view(demo, **fields)[0] if profile == "tokens" else plain(demo, **fields)
    sub = somebody()
    (browser, hint), (elsewhere, _) = landed(site, sub), landed(site, sub)
    target = "/oauth/logout?" + urlencode({"id_token_hint": hint, "post_logout_redirect_uri": OUT, "state": "s1"})
    asked = elsewhere.send("GET", target)
    assert asked.status == 200 and said(elsewhere)["authenticated"], "the hint is of another browser's session"
    left = browser.send("GET", target)
    assert (left.status, left.header("Location")) == (303, f"{OUT}?state=s1")
    assert said(browser) == {"authenticated": False}
    assert said(elsewhere)["authenticated"]


@pytest.mark.parametrize("profile", ["session", "tokens"])
def test_the_vas_sign_out_page_may_lead_to_where_its_answer_leads(demo, profile):
    fields = {"post_logout_redirect_uris": [OUT]}
    site = view(demo, **fields)[0] if profile == "tokens" else plain(demo, **fields)
    browser = OrderedBrowser(demo.base)
    opens(browser, link(site, somebody()))
    page = browser.send("GET", "/v0/sign_in/logout")
    assert "form-action" not in page.header("Content-Security-Policy")
    left = browser.submit(page, "/v0/sign_in/logout")
    assert (left.status, left.header("Location")) == (303, OUT)
    assert said(browser) == {"authenticated": False}


# What another user's sign-in leaves


@pytest.mark.parametrize("is_double", [True, False], ids=["an access token that came twice", "no access token"])
def test_attack_another_users_cookies_without_a_readable_access_token_are_taken_at_a_sign_in(demo, is_double):
    """They would be renewed as soon as nobody else is signed in."""
    site, prefix = view(demo)
    browser, bob = OrderedBrowser(demo.base), demo.user("bob")
    opens(browser, link(site, somebody()))
    own = proof(browser, prefix)
    if is_double:
        # As after a change of `cookie_domain`: two cookies of one name, which a browser sends together.
        browser.kept[prefix + "access_token", "/"] += f"; {prefix}access_token=another"
    else:
        del browser.kept[prefix + "access_token", "/"]
    page = browser.send("GET", "/sign-in")
    done = browser.submit(page, "/sign-in", username=bob["username"], password=bob["password"])
    assert done.status == 303 and done.session_cookie
    assert browser.names(prefix) == set()
    del browser.kept[wire.SESSION_COOKIE, "/"]
    assert said(browser) == {"authenticated": False}
    assert renew(browser, own).status != 200


def test_another_programs_cookie_of_the_same_name_survives_a_sign_in(demo):
    """The anti-CSRF cookie is ours alone; `access_token` may be anybody's of a domain around the host."""
    _, prefix = view(demo)
    browser, bob = OrderedBrowser(demo.base), demo.user("bob")
    browser.kept[prefix + "access_token", "/"] = "another-programs"
    page = browser.send("GET", "/sign-in")
    done = browser.submit(page, "/sign-in", username=bob["username"], password=bob["password"])
    assert done.status == 303 and done.session_cookie
    assert browser.kept[prefix + "access_token", "/"] == "another-programs"
    assert not [line for line in done.all("Set-Cookie") if line.startswith(prefix)]


# Whether there is anything to sign out


def test_nobody_is_not_said_to_be_signed_in_while_a_page_may_renew_the_session(demo):
    site, prefix = view(demo)
    browser = OrderedBrowser(demo.base)
    assert "You are not signed in" in browser.send("GET", "/session/logout").text
    opens(browser, link(site, somebody()))
    browser.kept[prefix + "access_token", "/"] += f"; {prefix}access_token=another"
    assert said(browser)["anti_csrf_token"] == proof(browser, prefix)
    page = browser.send("GET", "/session/logout")
    assert page.status == 200 and "You are not signed in" not in page.text


def test_who_came_by_a_link_is_told_that_it_cannot_change_how_they_sign_in_in_either_profile(demo):
    words = "A sign-in that came from an app or a link cannot change how you sign in."
    for site in [plain(demo), view(demo)[0]]:
        browser = OrderedBrowser(demo.base)
        opens(browser, link(site, "alice"))
        asked = browser.send("GET", "/account/password")
        assert asked.status == 303 and "/sign-in?redirect=" in asked.header("Location")
        page = browser.send("GET", asked.header("Location"))
        assert words in page.text, site.id
        again = browser.submit(page, "/sign-in", username="alice", password="wrong")
        assert again.status == 400 and words in again.text, site.id
    stranger = OrderedBrowser(demo.base).send("GET", "/sign-in?redirect=%2Faccount%2Fpassword")
    assert stranger.status == 200 and words not in stranger.text
