"""Who may have cookies, what the compatibility paths give, what signing out takes away, and which origin answers what
(contract §6, §7, §14, §16)."""

import base64
import re
import secrets
import subprocess
import time
from urllib.parse import quote, urlencode, urlsplit

import pytest

import instance
import native
import selfissued
import signing
import wire
from admin import admin, register
from landing import view_of
from native import App, Browser, OrderedBrowser
from va import BASE, end_all
from wire import jar

FOREIGN = {
    "another origin": {"Origin": "https://evil.example"},
    "no origin at all": {"Origin": "null"},
    "another site": {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
    "a neighbour of the same site": {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "cors"},
    "a form": {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate"},
    "a form by hand": {"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate"},
}
REASONS = {"cookies_foreign_origin", "cookies_cross_site", "cookies_navigation"}
DELIVERY = ["/oauth/token", "/v0/sign_in/token"]

foreign_pages = pytest.mark.parametrize("headers", FOREIGN.values(), ids=FOREIGN)


def signed_in_app(demo, **more) -> App:
    app = App(demo, **more)
    app.sign_in()
    return app


@pytest.fixture(scope="module")
def app(demo) -> App:
    return signed_in_app(demo)


def form(demo, path: str, headers: dict | None = None, **fields: str) -> wire.Answer:
    return demo.send("POST", path, {"Content-Type": wire.FORM, **(headers or {})}, urlencode(fields))


# Cookies are for apps and for pages of the same origin


@pytest.mark.parametrize("path", DELIVERY)
@foreign_pages
def test_a_page_of_somebody_elses_sets_no_cookies_with_tokens_of_its_own(demo, app, path, headers):
    known = len(demo.audit("token_request.refused"))
    answer = app.cookies(headers, path=path)
    assert (answer.status, answer.all("Set-Cookie")) == (400, [])
    if path == "/oauth/token":
        assert answer.json()["error"] == "invalid_request"
    [event] = demo.audit("token_request.refused")[known:]
    assert event["reason"] in REASONS and event["client_id"] == "demo-webview"


@pytest.mark.parametrize("path", DELIVERY)
def test_an_app_and_a_script_of_the_same_origin_get_their_cookies(demo, app, path):
    page = {"Origin": demo.base, "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"}
    for headers in [{}, page]:
        answer = app.cookies(headers, path=path)
        assert answer.status == 200 and "vagov_access_token" in answer.cookies, answer.text


@pytest.mark.parametrize("cookies, path", [("/oauth/token", "/session/refresh"), (f"{BASE}/token", f"{BASE}/refresh")])
@foreign_pages
def test_a_page_of_somebody_elses_renews_no_cookies_and_uses_none_up(demo, app, cookies, path, headers):
    view = app.cookies(path=cookies)
    own = {**jar(view), "X-CSRF-Token": view.cookies["vagov_anti_csrf_token"].value}
    refused = demo.send("POST", path, {**own, **headers})
    assert (refused.status, refused.all("Set-Cookie")) == (400, [])
    assert demo.audit("refresh_token.refused")[-1]["reason"] in REASONS
    renewed = demo.send("POST", path, {**own, "Origin": demo.base, "Sec-Fetch-Site": "same-origin"})
    assert renewed.status == 200, renewed.text


# The compatibility paths


@pytest.mark.parametrize("name", ["refresh_token", "device_secret", "code", "code_verifier", "subject_token",
                                  "actor_token", "client_assertion", "anti_csrf_token"])
@pytest.mark.parametrize("path", ["token", "refresh", "revoke"])
def test_a_secret_in_the_address_is_refused(demo, path, name):
    known = len(demo.audit("token_request.refused"))
    secret = secrets.token_urlsafe(16)
    answer = form(demo, f"{BASE}/{path}?{name}={secret}", grant_type="authorization_code")
    assert answer.status == 400
    assert name in answer.text and "body" in answer.text and secret not in answer.text
    [event] = demo.audit("token_request.refused")[known:]
    assert event["reason"] == "secret_in_query"


@pytest.mark.parametrize("name", ["code", "client_secret", "refresh_token", "device_secret", "client_assertion"])
@pytest.mark.parametrize("path", ["token", "revoke", "introspect", "par", "device_authorization"])
def test_16_8_where_a_client_authenticates_a_secret_in_the_address_is_refused_too(demo, path, name):
    known = len(demo.audit("token_request.refused"))
    secret = secrets.token_urlsafe(16)
    answer = form(demo, f"/oauth/{path}?{name}={secret}", client_id="demo-app", grant_type="refresh_token")
    assert (answer.status, answer.json()["error"]) == (400, "invalid_request"), answer.text
    assert name in answer.text and "body" in answer.text and secret not in answer.text
    [event] = demo.audit("token_request.refused")[known:]
    assert event["reason"] == "secret_in_query"


@pytest.mark.parametrize("query", ["scope=openid&resource=elsewhere", "%zz&a=%ff&b", "&".join(f"p{n}" for n in range(99))])
def test_whatever_else_is_in_the_address_of_a_token_request_means_nothing(demo, query):
    app = signed_in_app(demo)
    answer = form(demo, f"/oauth/token?{query}", client_id="demo-app", grant_type="refresh_token",
                  refresh_token=app.tokens["refresh_token"])
    assert answer.status == 200, answer.text


def test_a_secret_in_the_address_is_not_used_either(demo):
    app = signed_in_app(demo)
    address = f"{BASE}/revoke?" + urlencode({"refresh_token": app.tokens["refresh_token"]})
    assert demo.send("POST", address).status == 400
    assert app.refresh().status == 200


@pytest.mark.parametrize("scope, known", [
    ("openid", set()),
    ("openid email", {"email", "email_verified"}),
    ("openid profile email", {"email", "email_verified", "name", "first_name", "preferred_username", "given_name",
                              "family_name", "last_name", "updated_at"}),
])
def test_user_info_says_what_the_bearers_scope_opens(demo, scope, known):
    answer = admin(demo, "PATCH", f"/api/admin/users/{demo.user('bob')['sub']}",
                   {"claims": {"given_name": "Bob", "family_name": "Builder", "email_verified": True}})
    assert answer.status == 200, answer.text
    app = App(demo, user="bob")
    app.sign_in(scope)
    bearer = {"Authorization": f"Bearer {app.tokens['access_token']}"}
    said = demo.send("GET", f"{BASE}/user_info", bearer).json()
    assert said.pop("sub") == app.user["sub"]
    assert set(said) <= known and bool(said) == bool(known), said
    elsewhere = demo.send("GET", "/oauth/userinfo", bearer).json()
    assert set(said) - {"first_name", "last_name"} == set(elsewhere) - {"sub"}


def test_user_info_tells_a_web_view_no_more_than_its_app_was_granted(demo):
    app = App(demo)
    app.sign_in("openid device_sso")
    view = app.cookies()
    assert demo.send("GET", f"{BASE}/user_info", jar(view)).json() == {"sub": app.user["sub"]}


def is_alive(app: App) -> bool:
    return app.refresh().status == 200


def test_an_app_of_somebody_elses_does_not_end_every_session_of_its_user(demo, app):
    other = App(demo)
    other.sign_in("openid profile offline_access")
    refused = end_all(demo, other)
    assert refused.status == 403
    assert 'error="insufficient_scope"' in refused.header("WWW-Authenticate")
    assert 'scope="revoke_all_sessions"' in refused.header("WWW-Authenticate")
    claims = signing.claims_of(other.tokens["access_token"])
    [event] = [row for row in demo.audit("bearer.refused") if row["token_id"] == claims["jti"]]
    assert (event["reason"], event["client_id"]) == ("client_without_right", "demo-app")
    assert (event["subject"], event["session_id"]) == (claims["sub"], claims["sid"])
    assert is_alive(signed_in_app(demo)) and is_alive(other)


def test_the_operators_own_app_ends_every_session_of_its_user(start_demo):
    demo = start_demo("--no-limits")
    other, own = signed_in_app(demo), signed_in_app(demo, client_id="demo-app-b")
    assert end_all(demo, own).status == 200
    assert not is_alive(other) and not is_alive(own)


def test_an_app_that_was_granted_just_that_ends_every_session_of_its_user(start_demo):
    demo = start_demo("--no-limits")
    register(demo, "ender", client_type="native", redirect_uris=[native.CALLBACK],
             grant_types=["authorization_code", "refresh_token"], scope="openid offline_access revoke_all_sessions")
    other = signed_in_app(demo)
    ender = App(demo, "ender")
    ender.sign_in("openid offline_access revoke_all_sessions")
    assert end_all(demo, ender).status == 200
    assert not is_alive(other)


@pytest.mark.parametrize("kind, sees", [("web", False), ("service", True)])
def test_a_website_learns_nothing_of_others_tokens_and_a_resource_server_does(demo, kind, sees):
    app = signed_in_app(demo)
    client = f"asker-{secrets.token_hex(4)}"
    answer = admin(demo, "POST", "/api/admin/clients", {"client_id": client, "client_type": kind})
    assert answer.status == 201, answer.text
    basic = base64.b64encode(f"{client}:{quote(answer.json()['client_secret'])}".encode()).decode()
    answer = form(demo, "/oauth/introspect", {"Authorization": f"Basic {basic}"}, token=app.tokens["access_token"])
    assert answer.json()["active"] is sees


# The question of another account


def test_another_user_who_is_signed_in_by_cookies_of_the_profile_tokens_is_asked_about(demo):
    view = signed_in_app(demo, user="bob").cookies()
    page = demo.redeem(demo.issue("alice")["token"], {**wire.NAVIGATION, **jar(view)})
    assert page.status == 200 and not page.session_cookie
    assert demo.user("bob")["sub"] in page.text, "it names who is signed in"
    assert demo.send("GET", "/session", jar(view)).json()["sub"] == demo.user("bob")["sub"]


def test_who_goes_on_as_the_other_user_ends_what_the_cookies_opened_and_loses_them(demo):
    view = signed_in_app(demo, user="bob").cookies()
    browser = Browser(demo.base)
    browser.jar = {name: cookie.value for name, cookie in view.cookies.items()}
    page = browser.send("GET", f"{instance.REDEEM}?token={demo.issue('alice')['token']}")
    landed = browser.submit(page, instance.REDEEM, **dict(confirming(page)))
    assert landed.status == 303, landed.text
    assert demo.send("GET", "/session", jar(view)).json()["authenticated"] is False
    assert not [name for name in browser.jar if name.startswith("vagov_")]


def confirming(page: wire.Answer) -> list[tuple[str, str]]:
    [shown] = [found for found in wire.PageForm(page.text).forms if found["method"] == "post"]
    return [(name, value) for name, value in shown["buttons"] if name and value]


def assert_is_signed_in_with_all_four(browser: OrderedBrowser, prefix: str, sub: str):
    assert browser.send("GET", "/session").json()["sub"] == sub
    assert browser.names(prefix) == {
        prefix + name for name in ("access_token", "refresh_token", "anti_csrf_token", "info_token")}
    proof = browser.kept[prefix + "anti_csrf_token", "/"]
    renewed = browser.send("POST", "/session/refresh", {
        "X-CSRF-Token": proof, "Origin": browser.base, "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"})
    assert renewed.status == 200, renewed.text


def assert_was_switched(demo, session: str):
    event = demo.audit("web_session.switched")[-1]
    assert (event["session_id"], event["reason"]) == (session, "account_switch")


@pytest.mark.parametrize("is_same", [True, False], ids=["the same website", "another of the same prefix"])
def test_a_yes_to_another_account_signs_that_one_in_where_both_have_the_same_cookies(demo, is_same):
    alice, bob = (demo.user(name)["sub"] for name in ("alice", "bob"))
    prefix = f"{secrets.token_hex(4)}_"
    first = view_of(demo, "first", prefix, redirect_uris=[])
    second = first if is_same else view_of(demo, "second", prefix, redirect_uris=[])
    browser = OrderedBrowser(demo.base)
    assert browser.send("GET", f"{instance.REDEEM}?token={first.token('alice')['token']}").status == 303
    assert_is_signed_in_with_all_four(browser, prefix, alice)
    session = signing.claims_of(browser.kept[prefix + "access_token", "/"])["sid"]
    page = browser.send("GET", f"{instance.REDEEM}?token={second.token('bob')['token']}")
    assert browser.submit(page, instance.REDEEM, **dict(confirming(page))).status == 303
    assert_is_signed_in_with_all_four(browser, prefix, bob)
    assert_was_switched(demo, session)


def test_a_yes_at_the_authorization_endpoint_leaves_the_new_users_cookies_too(demo):
    prefix = f"{secrets.token_hex(4)}_"
    site = view_of(demo, "authorizing", prefix)
    browser = OrderedBrowser(demo.base)
    assert browser.send("GET", f"{instance.REDEEM}?token={site.token('alice')['token']}").status == 303
    session = signing.claims_of(browser.kept[prefix + "access_token", "/"])["sid"]
    query = urlencode(site.query(login_token=site.token("bob")["token"]))
    page = browser.send("GET", f"/oauth/authorize?{query}")
    answer = browser.submit(page, "/oauth/authorize", **dict(confirming(page)))
    assert answer.status == 303 and "code=" in answer.header("Location"), answer.text
    assert_is_signed_in_with_all_four(browser, prefix, demo.user("bob")["sub"])
    assert_was_switched(demo, session)


def test_who_signs_in_on_our_own_page_ends_what_another_users_cookies_opened_and_takes_them(demo):
    prefix, bob = f"{secrets.token_hex(4)}_", demo.user("bob")
    site = view_of(demo, "signing", prefix, redirect_uris=[])
    browser = OrderedBrowser(demo.base)
    assert browser.send("GET", f"{instance.REDEEM}?token={site.token('alice')['token']}").status == 303
    session = signing.claims_of(browser.kept[prefix + "access_token", "/"])["sid"]
    before = "; ".join(f"{name}={value}" for (name, _), value in browser.kept.items() if name.startswith(prefix))
    page = browser.send("GET", "/sign-in")
    wrong = browser.submit(page, "/sign-in", username=bob["username"], password="wrong")
    assert wrong.status == 400 and len(browser.names(prefix)) == 4
    done = browser.submit(page, "/sign-in", username=bob["username"], password=bob["password"])
    assert done.status == 303 and done.session_cookie
    assert browser.names(prefix) == set()
    assert browser.send("GET", "/session").json()["sub"] == bob["sub"]
    assert demo.session(before) == {"authenticated": False}
    assert_was_switched(demo, session)


def test_who_signs_in_with_a_phones_key_ends_them_too(demo):
    prefix, phone, owner = f"{secrets.token_hex(4)}_", selfissued.Phone(), selfissued.Browser(demo)
    owner.sign_in("bob")
    owner.link(phone)
    site = view_of(demo, "phoning", prefix, redirect_uris=[])
    browser = selfissued.Browser(demo)
    landed = browser.request("GET", f"{instance.REDEEM}?token={site.token('alice')['token']}")
    session = signing.claims_of(landed.cookies[prefix + "access_token"].value)["sid"]
    assert browser.respond(phone.answer(browser.start())).json() == {"location": "/contacts"}
    assert not [name for name in browser.cookies if name.startswith(prefix)]
    assert browser.session()["sub"] == demo.user("bob")["sub"]
    assert_was_switched(demo, session)


def test_who_signs_in_on_our_own_page_keeps_their_own_cookies_of_the_profile_tokens(demo):
    prefix, alice = f"{secrets.token_hex(4)}_", demo.user("alice")
    site = view_of(demo, "keeping", prefix, redirect_uris=[])
    browser = OrderedBrowser(demo.base)
    assert browser.send("GET", f"{instance.REDEEM}?token={site.token('alice')['token']}").status == 303
    page = browser.send("GET", "/sign-in")
    done = browser.submit(page, "/sign-in", username=alice["username"], password=alice["password"])
    assert done.status == 303 and done.session_cookie
    assert_is_signed_in_with_all_four(browser, prefix, alice["sub"])


# Signed out means signed out


@pytest.fixture(scope="module")
def neighbours():
    """Two clients whose cookies have the same prefix, on domains of their own."""
    demo = instance.Demo("--no-limits")
    for name, domain in [("a-view", "a.example"), ("z-view", ".z.example")]:
        register(demo, name, client_type="web", token_endpoint_auth_method="none",
                 grant_types=["urn:ietf:params:oauth:grant-type:token-exchange"],
                 native_sso_enabled=True, delivery="cookies", cookie_profile="tokens", cookie_prefix="site_",
                 cookie_domain=domain)
    tag = admin(demo, "GET", "/api/admin/clients/demo-app").header("ETag")
    # The operator's own: what ends everything takes that (§16.7).
    changed = admin(demo, "PATCH", "/api/admin/clients/demo-app", {
        "first_party": True, "share_with": ["demo-app-b", "demo-webview", "a-view", "z-view"]}, **{"If-Match": tag})
    assert changed.status == 200, changed.text
    yield demo
    assert demo.stop() == 0


def places(answer: wire.Answer, taken: bool) -> set[tuple]:
    """Name, path and domain of the cookies of the profile `tokens` that an answer sets, or takes away."""
    found = set()
    for line in answer.all("Set-Cookie"):
        pair, *rest = [part.strip() for part in line.split(";")]
        attributes = dict((part.partition("=")[0].lower(), part.partition("=")[2]) for part in rest)
        if pair.startswith("site_") and (attributes.get("max-age") == "0") is taken:
            found.add((pair.partition("=")[0], attributes.get("path"), attributes.get("domain")))
    return found


@pytest.mark.parametrize("cookies", DELIVERY)
@pytest.mark.parametrize("path", ["/session/logout", "/oauth/logout", f"{BASE}/logout", f"{BASE}/revoke_all_sessions"])
@pytest.mark.parametrize("client", ["a-view", "z-view"])
def test_signing_out_takes_away_what_was_set_for_this_client(neighbours, client, path, cookies):
    demo = neighbours
    view = signed_in_app(demo).cookies(path=cookies, client_id=client)
    was_set = places(view, taken=False)
    assert len(was_set) == 4, view.text
    browser = Browser(demo.base)
    browser.jar = {name: cookie.value for name, cookie in view.cookies.items()}
    page = browser.send("GET", path)
    out = browser.submit(page, path)
    assert out.status == 303, out.text
    assert was_set <= places(out, taken=True)
    assert {domain for _, _, domain in places(out, taken=True)} == {domain for _, _, domain in was_set}
    assert demo.send("GET", "/session", jar(view)).json()["authenticated"] is False


# Origins

WEBSITE, ISSUER, CONSOLE = "www.example.test", "auth.example.test", "admin.example.test"
APART = f"issuer: https://{ISSUER}\nadmin: {{origin: \"https://{CONSOLE}\"}}\n"


class Apart(instance.Served):
    """An instance whose website, provider and console have hosts of their own."""

    def __init__(self):
        secret, digest = signing.client_secret()
        self.basic = {"Authorization": "Basic " + base64.b64encode(f"ops:{secret}".encode()).decode()}
        super().__init__(
            "limits: {enabled: false}\npassword: {passes: 1}\n" + APART, origin=f"https://{WEBSITE}",
            clients=[{"client_id": "ops", "client_type": "service", "scope": "admin", "client_secret_digest": digest},
                     {"client_id": "phone", "client_type": "native", "redirect_uris": [native.CALLBACK]},
                     # Says that the console's host is its own, which brings no path of websites there.
                     {"client_id": "bold", "client_type": "web", "public_origin": f"https://{CONSOLE}",
                      "return_paths": ["/"], "default_return_path": "/"},
                     {"client_id": "unchanged", "client_type": "web", "public_origin": "https://rp.example.com",
                      "landing": "initiate_login", "initiate_login_uri": "https://rp.example.com/login",
                      "redirect_uris": ["https://rp.example.com/callback"], "return_paths": ["/x"],
                      "default_return_path": "/x"},
                     # Its own path begins the sign-in, and the link lands there.
                     {"client_id": "beginning", "client_type": "web", "public_origin": "https://rp.example.net",
                      "first_party": True, "require_pkce": False, "redirect_uris": ["https://rp.example.net/callback"],
                      "return_paths": ["/login"], "default_return_path": "/login"}],
            reach=["web", "unchanged", "beginning"])

    def at(self, host: str, method: str, target: str, headers: dict | None = None, body=None) -> wire.Answer:
        return self.send(method, target, {**(headers or {}), "Host": host}, body)

    def admin_token(self) -> str:
        answer = self.at(ISSUER, "POST", "/oauth/token", {**self.basic, "Content-Type": wire.FORM},
                         "grant_type=client_credentials&scope=admin")
        assert answer.status == 200, answer.text
        return answer.json()["access_token"]


@pytest.fixture(scope="module")
def apart():
    served = Apart()
    yield served
    assert served.stop() == 0


#: What answers where; everywhere else it does not exist. Links of a website that is an unchanged relying party are at the
#: issuer's origin, where the session has to be (contract §4.5).
PLACES = {
    "/admin/": {CONSOLE}, "/admin/sign-in": {CONSOLE}, "/api/admin/users": {CONSOLE},
    "/api/admin/settings/native-sso": {CONSOLE}, "/oauth/authorize": {ISSUER}, "/oauth/logout": {ISSUER},
    "/sign-in": {ISSUER, CONSOLE}, "/account/devices": {ISSUER, CONSOLE}, "/account/consents": {ISSUER, CONSOLE},
    "/login-with-token": {WEBSITE, ISSUER},
    "/session": {WEBSITE, ISSUER, CONSOLE}, "/": {ISSUER, CONSOLE},
}


@pytest.mark.parametrize("path", PLACES)
def test_each_origin_answers_for_itself_alone(apart, path):
    hosts = [WEBSITE, ISSUER, CONSOLE, "evil.example", f"{CONSOLE}.evil.example", f"{CONSOLE}:8443"]
    answering = {host for host in hosts if apart.at(host, "GET", path, wire.NAVIGATION).status != 404}
    assert answering == PLACES[path]


@pytest.mark.parametrize("host, path", [
    (ISSUER, "/auth//check"), (ISSUER, "/auth/check/"), (ISSUER, "//auth/check"), (CONSOLE, "//admin/"),
    (CONSOLE, "/admin//"), (CONSOLE, "/admin/sign-in/"), (CONSOLE, "/api//admin/users"), (CONSOLE, "/api/admin/users/"),
    (CONSOLE, "/api/admin/users//sessions"), (ISSUER, "//.well-known/openid-configuration"), (ISSUER, "/oauth/token/"),
    (WEBSITE, "/login-with-token/"), (ISSUER, "//")])
@pytest.mark.parametrize("method", ["GET", "POST", "OPTIONS"])
def test_a_path_has_one_spelling_so_that_proxies_may_compare_it(apart, host, path, method):
    """Every sample in `deploy/` keeps `/auth/check` from outside, by its bytes."""
    assert apart.at(host, method, path, wire.NAVIGATION).status == 404


def test_the_console_may_be_asked_for_with_its_slash_or_without(apart):
    for path in ["/admin", "/admin/"]:
        assert apart.at(CONSOLE, "GET", path, wire.NAVIGATION).status == 303


def test_the_list_of_errors_may_be_asked_for_with_its_slash_or_without(apart):
    """Proxies are told to lead `/errors` and everything below it here."""
    for path in ["/errors", "/errors/"]:
        assert apart.at(ISSUER, "GET", path, wire.NAVIGATION).status == 200


def test_the_front_page_leads_to_what_its_origin_is_for(apart):
    for host, path in [(ISSUER, "/account"), (CONSOLE, "/admin/")]:
        assert apart.at(host, "GET", "/").header("Location") == f"https://{host}{path}"


@pytest.mark.parametrize("host", [CONSOLE.upper(), f"{CONSOLE}:443"])
def test_a_host_may_be_written_in_capitals_and_with_its_schemes_port(apart, host):
    assert apart.at(host, "GET", "/admin/sign-in", wire.NAVIGATION).status == 200


def test_what_a_proxy_or_visitor_says_besides_the_host_opens_nothing(apart):
    for headers in [{"X-Forwarded-Host": CONSOLE}, {"Forwarded": f"host={CONSOLE}"}, {"X-Original-Host": CONSOLE}]:
        assert apart.at(WEBSITE, "GET", "/admin/sign-in", {**wire.NAVIGATION, **headers}).status == 404
    twice = [("Host", WEBSITE), ("Host", CONSOLE)]
    assert apart.send("GET", "/admin/sign-in", twice).status in (400, 404)
    assert apart.send("GET", f"https://{CONSOLE}/admin/sign-in", {"Host": WEBSITE}).status in (400, 404)


def test_tokens_and_documents_name_the_issuer_and_login_links_the_website(apart):
    said = apart.at(ISSUER, "GET", "/.well-known/openid-configuration").json()
    assert said["issuer"] == f"https://{ISSUER}"
    assert {urlsplit(value).netloc for name, value in said.items() if name.endswith(("_endpoint", "_uri"))} == {ISSUER}
    assert signing.claims_of(apart.admin_token())["iss"] == f"https://{ISSUER}"
    issued = apart.issue("alice", headers={"Host": ISSUER})
    assert issued["login_url"].startswith(f"https://{WEBSITE}/login-with-token?")
    assert signing.claims_of(issued["token"])["iss"] == f"https://{ISSUER}"


def test_a_login_link_opens_a_session_at_the_website(apart):
    landed = apart.redeem(apart.issue("alice")["token"], {"Host": WEBSITE})
    assert (landed.status, landed.header("Location")) == (303, f"https://{WEBSITE}/contacts")
    assert apart.at(WEBSITE, "GET", "/session", {"Cookie": landed.session_cookie}).json()["sub"] == "alice"


def test_a_link_of_a_relying_party_elsewhere_answers_the_sign_in_that_it_begins(apart):
    issued = apart.issue("alice", {"client_id": "beginning"}, headers={"Host": ISSUER})
    assert issued["login_url"].startswith(f"https://{ISSUER}/login-with-token?"), issued
    landed = apart.redeem(issued["token"], {"Host": ISSUER})
    assert (landed.status, landed.header("Location")) == (303, "https://rp.example.net/login")
    query = urlencode({"response_type": "code", "client_id": "beginning", "scope": "openid", "state": "s" * 22,
                       "nonce": "n" * 22, "redirect_uri": "https://rp.example.net/callback"})
    answer = apart.at(ISSUER, "GET", f"/oauth/authorize?{query}", {**wire.NAVIGATION, "Cookie": landed.session_cookie})
    location = urlsplit(answer.header("Location"))
    assert (location.netloc, location.path) == ("rp.example.net", "/callback") and "code=" in location.query, answer.text


def test_a_link_at_the_issuer_that_expired_or_was_altered_gets_the_page_that_refuses_it(apart):
    """Links of relying parties are there; only that they are good shows that they belong there."""
    issued = apart.issue("alice", {"client_id": "unchanged", "ttl": 1}, headers={"Host": ISSUER})
    assert issued["login_url"].startswith(f"https://{ISSUER}/"), issued
    instance.wait_until(lambda: time.time() > signing.claims_of(issued["token"])["exp"], 5, "its end")
    for token in [issued["token"], issued["token"] + "AAAA"]:
        refused = apart.redeem(token, {"Host": ISSUER})
        assert refused.status == 400 and "text/html" in refused.header("Content-Type"), refused.text
    reasons = [row["reason"] for row in instance.audit_rows(apart.data) if row["type"] == "login_token.refused"]
    assert reasons[-2] == "expired" and reasons[-1] != "expired"


def test_the_console_stays_at_its_own_origin(apart):
    away = apart.at(CONSOLE, "GET", "/admin/", wire.NAVIGATION)
    assert (away.status, away.header("Location")) == (303, f"https://{CONSOLE}/admin/sign-in")
    assert away.header("Content-Security-Policy") is None or WEBSITE not in away.header("Content-Security-Policy")


def test_a_page_of_the_website_signs_nobody_in_to_the_console(apart):
    page = apart.at(CONSOLE, "GET", "/admin/sign-in", wire.NAVIGATION)
    [shown] = [found for found in wire.PageForm(page.text).forms if found["action"] == "/admin/sign-in"]
    token = apart.admin_token()

    def submit(origin: str, site: str, **fields: str) -> wire.Answer:
        return apart.at(CONSOLE, "POST", "/admin/sign-in", {
            **wire.NAVIGATION, **jar(page), "Content-Type": wire.FORM, "Origin": f"https://{origin}",
            "Sec-Fetch-Site": site}, urlencode({**fields, "token": token}))

    for origin in [WEBSITE, ISSUER]:
        refused = submit(origin, "same-site")
        assert not [name for name in refused.cookies if "admin" in name], refused.headers
    opened = submit(CONSOLE, "same-origin", **shown["fields"])
    assert (opened.status, opened.header("Location")) == (303, f"https://{CONSOLE}/admin/")
    inside = apart.at(CONSOLE, "GET", "/admin/clients", {**wire.NAVIGATION, **jar(opened)})
    assert inside.status == 200
    assert apart.at(WEBSITE, "GET", "/admin/clients", {**wire.NAVIGATION, **jar(opened)}).status == 404


def test_the_administration_api_takes_its_bearer_at_its_own_origin_alone(apart):
    bearer = {"Authorization": f"Bearer {apart.admin_token()}"}
    assert apart.at(CONSOLE, "GET", "/api/admin/users", bearer).status == 200
    for host in [WEBSITE, ISSUER]:
        assert apart.at(host, "GET", "/api/admin/users", bearer).status == 404


def test_an_authorization_request_leads_to_the_sign_in_page_of_the_issuer(apart):
    query = urlencode({"response_type": "code", "client_id": "phone", "redirect_uri": native.CALLBACK,
                       "scope": "openid", "state": "s" * 22, "code_challenge": "c" * 43, "code_challenge_method": "S256"})
    away = apart.at(ISSUER, "GET", f"/oauth/authorize?{query}", wire.NAVIGATION)
    assert away.status == 303
    assert away.header("Location").startswith(f"https://{ISSUER}/sign-in?journey=")


def test_a_script_of_the_website_does_not_sign_out_at_the_issuer(apart):
    own = {"Origin": f"https://{WEBSITE}", "Sec-Fetch-Site": "same-origin"}
    assert apart.at(WEBSITE, "POST", "/session/logout", own).status == 204
    assert apart.at(ISSUER, "POST", "/session/logout",
                    {"Origin": f"https://{WEBSITE}", "Sec-Fetch-Site": "same-site"}).status == 403


def test_without_the_settings_one_origin_answers_everything_under_any_host(serve):
    served = serve("limits: {enabled: false}\n")
    for host in [f"127.0.0.1:{served.port}", "anything.example"]:
        for path in ["/admin/sign-in", "/session", "/sign-in"]:
            assert served.send("GET", path, {**wire.NAVIGATION, "Host": host}).status == 200, (host, path)


# What check-config says


def checked(settings, text: str) -> tuple[int, str]:
    settings.write_text(text)
    done = subprocess.run([instance.binary(), "check-config", "--config", str(settings)], capture_output=True, text=True,
                          env=instance.environment())
    return done.returncode, done.stdout + done.stderr


SHARED = f"""
public_origin: https://{WEBSITE}
clients:
  - {{client_id: www, client_type: web, return_paths: [/contacts], default_return_path: /contacts}}
  - {{client_id: phone, client_type: native, redirect_uris: [{native.CALLBACK}]}}
"""


@pytest.mark.parametrize("prefix, status", [("__Host-", 1), ("__http-", 1), ("__Secure-", 0)])
def test_check_config_refuses_a_prefix_whose_cookies_browsers_refuse(tmp_path, prefix, status):
    text = SHARED.replace("client_type: web,", f"client_type: web, cookie_profile: tokens, cookie_prefix: {prefix},")
    done, said = checked(tmp_path / "drawbridge.yaml", f"{text}provider: {{enabled: true}}\n")
    assert done == status and ("must not begin with __Host- or __Http-" in said) == (status == 1), said


def test_check_config_warns_of_a_console_and_sign_in_pages_beside_a_website(tmp_path):
    status, said = checked(tmp_path / "drawbridge.yaml", SHARED)
    assert status == 0
    assert re.search(rf"warning: admin\.origin: .*{WEBSITE}.*www", said)
    assert re.search(rf"warning: issuer: .*{WEBSITE}.*www", said)


def test_check_config_has_nothing_against_hosts_of_their_own(tmp_path):
    portal = SHARED.replace("client_type: web,", "client_type: web, portal: true, may_reach: [www],")
    status, said = checked(tmp_path / "drawbridge.yaml", f"default_web_client: www{portal}{APART}")
    assert status == 0 and "warning" not in said, said
    assert f"https://{ISSUER}" in said and f"https://{CONSOLE}" in said


@pytest.mark.parametrize("name, is_own", [(ISSUER, True), (WEBSITE, False)])
def test_no_trusted_issuer_has_the_name_of_the_provider(tmp_path, name, is_own):
    trusted = (f"trusted_issuers: [{{issuer: 'https://{name}', audience: api, subject_prefix: 'backend:', "
               "jwks_uri: 'https://backend.example/jwks'}]\n")
    status, said = checked(tmp_path / "drawbridge.yaml", SHARED + APART + trusted)
    assert (status == 1 and "own name" in said) if is_own else status == 0, said


@pytest.mark.parametrize("text", ["issuer: https://auth.example.test/path", "issuer: http://auth.example.test",
                                  "admin: {origin: admin.example.test}"])
def test_an_origin_that_is_none_is_refused(tmp_path, text):
    status, said = checked(tmp_path / "drawbridge.yaml", SHARED + text + "\n")
    assert status == 1
    assert text.split(":")[0] in said
