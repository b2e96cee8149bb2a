"""From the website to an app: `/v0/sign_in/authorize_sso` (docs/va-sign-in.md)."""

import secrets
from urllib.parse import SplitResult, parse_qs, urlencode, urlsplit

import pytest

import native
import signing
import wire
from admin import change
from native import Browser, cookie_header
from va import BASE, VAApp, post


@pytest.fixture(scope="module")
def app(demo) -> VAApp:
    app = VAApp(demo)
    app.sign_in()
    return app


class FromWebsite:
    """A browser that is signed in at the website with a password, on its way to an app that shares with the website."""

    def __init__(self, demo, user: dict, **setting):
        self.demo = demo
        made = demo.send("POST", "/api/admin/clients", {"Authorization": f"Bearer {demo.facts['admin_token']}"}, {
            "client_type": "native", "redirect_uris": [native.CALLBACK], "native_sso_enabled": True,
            "share_with": ["demo-web"], "first_party": True, **setting})
        assert made.status == 201, made.text
        self.client_id = made.json()["client_id"]
        self.verifier = secrets.token_urlsafe(32)
        self.query = {
            "code_challenge": signing.challenge(self.verifier), "code_challenge_method": "S256", "state": "s" * 22}
        browser = Browser(demo.base)
        browser.sign_in(f"{BASE}/authorize?" + urlencode({**self.query, "client_id": "demo-app"}), user)
        self.cookies = {"Cookie": "; ".join(f"{name}={value}" for name, value in browser.jar.items())}

    def answer(self, headers: dict | None = None, **asked: str) -> wire.Answer:
        target = f"{BASE}/authorize_sso?" + urlencode({**self.query, "client_id": self.client_id, **asked})
        return wire.send(self.demo.base, "GET", target, {**self.cookies, **(headers or {})})

    def place(self, headers: dict | None = None, **asked: str) -> SplitResult:
        """Where it is sent to: to the app with a code, or to our own endpoint."""
        answer = self.answer(headers, **asked)
        assert answer.status == 303, answer.text
        return urlsplit(answer.header("Location"))

    def gets_a_code(self, headers: dict | None = None, **asked: str) -> bool:
        """Or is sent to our own endpoint, which looks at everything, and answers, asks or refuses."""
        location = self.place(headers, **asked)
        has_code = "code" in parse_qs(location.query)
        place = native.CALLBACK if has_code else f"{self.demo.base}/oauth/authorize"
        assert f"{location.scheme}://{location.netloc}{location.path}" == place
        return has_code


@pytest.mark.parametrize("setting", [
    {}, {"reject_reused_challenge": True}, {"require_pushed_authorization_requests": True}, {"first_party": False},
    {"min_acr": "aal2"}, {"max_auth_age": 0}, {"share_with": []}])
def test_what_an_app_is_registered_with_counts_on_the_way_from_the_website_too(demo, app, setting):
    """Among it that a password does not do, or not for long, and that it shares nothing with the website."""
    assert FromWebsite(demo, app.user, **setting).gets_a_code() == (not setting)


def test_an_app_that_the_website_shares_with_gets_a_code_on_the_way_from_it_as_well(start_demo):
    demo = start_demo("--no-limits")
    visit = FromWebsite(demo, demo.user("alice"), share_with=[])
    assert not visit.gets_a_code()
    change(demo, "demo-web", share_with=[visit.client_id])
    assert visit.gets_a_code()


def test_an_app_that_may_not_use_native_sso_has_no_way_from_the_website(demo, app):
    """Also where it is left among those that share with the website."""
    visit = FromWebsite(demo, app.user, native_sso_enabled=False)
    answer = visit.answer()
    assert answer.status == 400 and answer.header("Location") is None, answer.text
    assert demo.audit("authorization_request.refused")[-1]["reason"] == "native_app_or_challenge"
    change(demo, visit.client_id, native_sso_enabled=True)
    assert visit.gets_a_code()


@pytest.mark.parametrize("redirect", ["com.example.demo:/callback", "http://127.0.0.1:4711/callback"])
def test_16_7_an_address_that_any_app_can_take_gets_no_code_without_a_question(demo, app, redirect):
    """RFC 8252 §8.6: the app behind it may be another."""
    visit = FromWebsite(demo, app.user, redirect_uris=[
        native.CALLBACK, "com.example.demo:/callback", "http://127.0.0.1/callback"])
    assert visit.gets_a_code(redirect_uri=native.CALLBACK) and visit.gets_a_code()
    assert not visit.gets_a_code(redirect_uri=redirect)


@pytest.mark.parametrize(("acr", "does"), [
    ("min", True), ("loa1", True), ("ial1", True), ("aal1", True), ("loa3", False), ("ial2", False), ("aal2", False)])
def test_a_strong_sign_in_that_is_asked_for_is_not_answered_from_a_weak_session(demo, app, acr, does):
    assert FromWebsite(demo, app.user).gets_a_code(acr=acr) == does


def test_a_web_view_gets_no_code_for_an_app_that_blocks_them(demo, app):
    view = {"User-Agent": "Mozilla/5.0 (Linux; Android 15; Pixel 9; wv) AppleWebKit/537.36 Chrome/140.0 Safari/537.36"}
    blocking = FromWebsite(demo, app.user, block_webviews=True)
    assert blocking.gets_a_code({"User-Agent": wire.SAFARI}) and not blocking.gets_a_code(view)
    assert FromWebsite(demo, app.user).gets_a_code(view), "another app does not mind"


def test_the_way_from_the_website_to_the_app(demo, app):
    visit = FromWebsite(demo, app.user, share_with=["demo-web", "demo-webview"])
    # Somebody who signed in in this browser gets a code for the app without being asked again.
    found = parse_qs(visit.place().query)
    assert found["state"] == ["s" * 22]
    tokens = post(
        demo, "token", grant_type="authorization_code", code=found["code"][0], code_verifier=visit.verifier)
    assert tokens.status == 200, tokens.text
    # What a web view got from an app never becomes an app's session again: over the sign-in page.
    assert not visit.gets_a_code(cookie_header(app.web_cookies()))
    # Nobody is signed in: over the sign-in page.
    assert not visit.gets_a_code({"Cookie": ""})
    assert visit.answer(code_challenge_method="plain").status == 400
    assert visit.answer(client_id="nobody").status == 400


def test_a_nonce_comes_back_in_the_id_token_on_the_way_from_the_website_too(demo, app):
    visit = FromWebsite(demo, app.user)
    code = parse_qs(visit.place(nonce="n" * 512).query)["code"][0]
    tokens = post(demo, "token", grant_type="authorization_code", code=code, code_verifier=visit.verifier)
    assert signing.claims_of(tokens.json()["data"]["id_token"])["nonce"] == "n" * 512
    # Too long for it, or for any store: our own endpoint says so.
    for more in ({"nonce": "n" * 513}, {"nonce": "\0"}, {"state": "s" * 4097}):
        assert not visit.gets_a_code(**more)


def test_an_app_that_may_have_nothing_of_what_is_asked_for_gets_no_code(demo, app):
    """Our own endpoint tells it so; the code would be of no use."""
    assert not FromWebsite(demo, app.user, scope="address").gets_a_code()


@pytest.mark.parametrize("registered", [f"{native.CALLBACK}?", f"{native.CALLBACK}?a=b&"])
def test_the_code_is_appended_as_at_our_own_endpoint(demo, app, registered):
    location = FromWebsite(demo, app.user, redirect_uris=[registered]).answer().header("Location")
    assert location.startswith(f"{registered}code="), location
