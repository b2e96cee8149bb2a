"""An app that signs its users in elsewhere opens three websites that nobody here wrote, and they end together."""

import hashlib
import json
import re
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import quote, urlencode, urlsplit

import pytest
import yaml
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

import instance
import oauth
import signing
import wire
from provider_of_others import Provider
from relying_parties import PHP, DjangoBySubject, JupyterHubBySubject, Traveller, listing
from stub import Asked, Stub


def jwks(key: rsa.RSAPrivateKey) -> dict:
    numbers = key.public_key().public_numbers()
    return {"keys": [{"kty": "RSA", "kid": "k", "use": "sig", "alg": "RS256", "e": "AQAB",
                      "n": signing.b64url(numbers.n.to_bytes(256, "big"))}]}


def signed(key: rsa.RSAPrivateKey, claims: dict) -> str:
    body = ".".join(signing.b64url(json.dumps(part).encode()) for part in ({"alg": "RS256", "kid": "k"}, claims))
    return f"{body}.{signing.b64url(key.sign(body.encode(), padding.PKCS1v15(), hashes.SHA256()))}"


class Keys(Provider):
    """The addresses of all six providers' documents, with one RSA key."""

    def __init__(self):
        self.rsa = rsa.generate_private_key(65537, 2048)
        super().__init__()

    def documents(self) -> dict:
        # Of those that are found by discovery; Auth0's issuer ends with a slash.
        issuers = [f"{self.issuer}/realms/shop", f"{self.issuer}/", f"{self.issuer}/eu-central-1_Example"]
        return {"/keys": jwks(self.rsa)} | {
            f"{urlsplit(issuer).path.rstrip('/')}/.well-known/openid-configuration": {
                "issuer": issuer, "authorization_endpoint": f"{self.issuer}/authorize", "jwks_uri": f"{self.issuer}/keys"}
            for issuer in issuers}

    def sign(self, claims: dict) -> str:
        return signed(self.rsa, claims)


def cognito(now: int) -> dict:
    """An ID token of Amazon Cognito."""
    return {"sub": "b4b8c4a8-1031-70aa-9c2e-5d5cb3bd1a11", "email_verified": True, "token_use": "id",
            "iss": "https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Example", "cognito:username": "alice",
            "origin_jti": "0c7a1d8e", "aud": "4ptb1s0example", "event_id": "e1", "auth_time": now - 60, "iat": now,
            "exp": now + 3600, "jti": "2f1c", "email": "alice@example.com"}


def firebase(now: int) -> dict:
    """An ID token of Firebase Authentication; its audience is the project."""
    return {"iss": "https://securetoken.google.com/story-project", "aud": "story-project", "auth_time": now - 60,
            "user_id": "xY7Zq0bPWkTt", "sub": "xY7Zq0bPWkTt", "iat": now, "exp": now + 3600, "email": "alice@example.com",
            "firebase": {"identities": {"email": ["alice@example.com"]}, "sign_in_provider": "password"}}


def supabase(now: int) -> dict:
    """An access token of Supabase, signed with the project's shared secret; all apps have one audience."""
    return {"iss": "https://storyproject.supabase.co/auth/v1", "sub": "7e9d5c1b-6d0c-4b6f-9a4e-0a2a7f3c5d10",
            "aud": "authenticated", "iat": now, "exp": now + 3600, "email": "alice@example.com", "phone": "",
            "role": "authenticated",
            "aal": "aal1", "amr": [{"method": "password", "timestamp": now - 60}], "session_id": "a0c3", "is_anonymous": False,
            "app_metadata": {"provider": "email"}, "user_metadata": {}}


#: Those whose tokens name the app by their audience.
SHAPES = {"cognito": cognito, "firebase": firebase, "supabase": supabase}


def keycloak(now: int) -> dict:
    """An access token of Keycloak, with an audience mapper; `azp` is the app."""
    return {"exp": now + 300, "iat": now, "auth_time": now - 60, "jti": "onrtac:5f", "typ": "Bearer", "azp": "phone-app",
            "iss": "https://id.example.com/realms/shop", "aud": ["drawbridge", "account"], "sid": "kc-session",
            "sub": "1b9d6bcd-bbfd-4b2d-9b5d-ab8dfbbd4bed", "acr": "1", "scope": "openid email", "email_verified": True,
            "realm_access": {"roles": ["offline_access"]}, "preferred_username": "alice", "email": "alice@example.com"}


def auth0(now: int) -> dict:
    """An access token of Auth0 for an API; its issuer ends with a slash, its subject has a bar."""
    return {"iss": "https://shop.eu.auth0.com/", "sub": "auth0|65f0c0ffee", "azp": "kPq3ExampleApp", "iat": now,
            "exp": now + 7200,
            "aud": ["https://www.example.com/api", "https://shop.eu.auth0.com/userinfo"], "scope": "openid profile"}


def clerk(now: int) -> dict:
    """A token of Clerk by a template that adds `aud` and `client_id`; `azp` is a website's origin, or missing."""
    return {"iss": "https://clerk.example.com", "sub": "user_2aBcDeFgHiJkLmN", "iat": now, "nbf": now - 5, "exp": now + 60,
            "jti": "3f7e", "azp": "http://localhost:3000", "aud": "drawbridge", "client_id": "clerk-app"}


OTHER_SHAPES = {"keycloak": keycloak, "auth0": auth0, "clerk": clerk}
ALL_SHAPES = SHAPES | OTHER_SHAPES
#: What the recipes say that is somebody else's or another machine's, and stands at `Keys`, or in a file of the test, here.
ELSEWHERE = {
    "keycloak": "https://id.example.com", "auth0": "https://shop.eu.auth0.com",
    "cognito": "https://cognito-idp.eu-central-1.amazonaws.com", "supabase": "/etc/drawbridge/supabase-jwt-secret",
    "firebase": "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
    "clerk": "https://clerk.example.com/.well-known/jwks.json"}


class World:
    """The service, which believes six issuers by the recipes, and three websites of their users."""

    def __init__(self, running: ExitStack):
        self.keys = Keys()
        running.callback(self.keys.close)
        self.secret = b"the secret of a whole project, in letters"
        self.sites = [running.enter_context(kind()) for kind in [DjangoBySubject, JupyterHubBySubject, PHP]]
        clients, secrets = [], {}
        for site in self.sites:
            secrets[site], digest = signing.client_secret()
            clients.append({**site.document(), "client_id": site.kind, "client_secret_digest": digest})
        self.backend_secret, digest = signing.client_secret()
        clients.append({"client_id": "backend", "client_type": "service", "scope": "admin", "client_secret_digest": digest})
        (folder := self.sites[0].folder / "issuer").mkdir()
        (folder / "supabase").write_bytes(self.secret)
        (folder / "supabase").chmod(0o600)
        here = {**dict.fromkeys(["keycloak", "auth0", "cognito"], self.keys.issuer), "supabase": str(folder / "supabase"),
                **dict.fromkeys(["firebase", "clerk"], f"{self.keys.issuer}/keys")}
        #: As the page has them, but for what is elsewhere.
        recipes = {name: listing("identity-providers.md", f"{name}.yaml", {ELSEWHERE[name]: here[name]})
                   for name in ALL_SHAPES}
        self.entries = {name: yaml.safe_load(text)["trusted_issuers"][0] for name, text in recipes.items()}
        for text in recipes.values():
            [app] = yaml.safe_load(text)["clients"]
            clients.append({**app, "may_reach": [site.kind for site in self.sites]})
        others = "".join(re.search(r"^trusted_issuers:\n(.*?)^clients:", text, re.M | re.S)[1] for text in recipes.values())
        limits = ("limits: {issue: {device_burst: 50, device_per_hour: 500, user_burst: 50, user_per_hour: 500,"
                  " network_burst: 200}}\ntrusted_proxies: [127.0.0.1]\n")
        self.node = instance.Served(
            limits, clients=clients, issuer=f"subject_prefix: 'backend:'\n    clients: [app]\n{others}")
        running.callback(self.node.stop)
        for site in self.sites:
            site.start(self.node, site.kind, secrets[site])

    def bearer(self, name: str, **more) -> str:
        """A token of this shape; `more` are claims that are different in it."""
        claims = ALL_SHAPES[name](int(time.time()))
        # The shapes are for the recipes' names, and what is at another address here is at another there.
        if claims["iss"].startswith(ELSEWHERE[name]):
            claims["iss"] = claims["iss"].replace(ELSEWHERE[name], self.keys.issuer)
        assert claims["iss"] == self.entries[name]["issuer"]
        claims |= more
        return signing.jwt(claims, self.secret,
                           {"alg": "HS256", "typ": "JWT"}) if name == "supabase" else self.keys.sign(claims)

    def link(self, bearer: str, site, redirect: str | None = None) -> wire.Answer:
        """`redirect` is the page that is sealed in the token; with an empty one there is none."""
        return self.node.send("POST", instance.ISSUE, {"Authorization": f"Bearer {bearer}"},
                              {"client_id": site.kind, "redirect": target(site) if redirect is None else redirect})

    def open(self, bearer: str, site, redirect: str | None = None) -> str:
        """The address that the app opens."""
        issued = self.link(bearer, site, redirect)
        assert issued.status == 200, issued.text
        return issued.json()["login_url"]

    def sign_out(self, bearer: str, app: str) -> wire.Answer:
        """What the app does when its user signs out in it: the bearer that opened the websites ends them."""
        return oauth.post(self.node, "/oauth/revoke", {"token": bearer, "client_id": app})

    def end_sessions(self, subject: str):
        """What the app's own backend does, for whom no app is at hand."""
        token = oauth.token(self.node, {"grant_type": "client_credentials", "client_id": "backend",
                                        "client_secret": self.backend_secret, "scope": "admin"}).json()["access_token"]
        ended = self.node.send("DELETE", f"/api/admin/users/{quote(subject, safe='')}/sessions",
                               {"Authorization": f"Bearer {token}"}, {"reason": "signed out in the app"})
        assert ended.status in (200, 204), ended.text


def target(site) -> str:
    return site.page if isinstance(site, PHP) else f"{site.fields()['default_return_path']}?{urlencode({'next': site.page})}"


@pytest.fixture(scope="module")
def world():
    with ExitStack() as running:
        yield World(running)


@pytest.fixture
def php(world) -> PHP:
    return world.sites[2]


def is_member(traveller: Traveller) -> bool:
    return traveller.get(traveller.party.origin + traveller.party.page).status == 200


@pytest.mark.parametrize("name", SHAPES)
def test_an_app_opens_three_websites_and_signing_out_in_it_ends_all_three(world, name):
    bearer, subject = world.bearer(name), f"{name}:{SHAPES[name](0)['sub']}"
    visits = [Traveller(site) for site in world.sites]
    for visit in visits:
        assert not is_member(visit)
        landed = visit.go(world.open(bearer, visit.party))
        assert landed.status == 200 and visit.seen[-1] == visit.party.origin + visit.party.page, (
            visit.seen, landed.text[:500], visit.party.log[-3000:])
        assert "sign-in" not in " ".join(visit.seen), "nobody is asked anything"
        assert is_member(visit)
        if not isinstance(visit.party, JupyterHubBySubject):
            shown = visit.party.account(world.node, subject) if isinstance(visit.party, DjangoBySubject) else subject
            assert shown in landed.text
    bystander = Traveller(world.sites[2])
    other = next(shape for shape in SHAPES if shape != name)
    bystander.go(world.open(world.bearer(other), world.sites[2]))

    assert world.sign_out(bearer, SHAPES[name](0)["aud"]).status == 200

    for visit in visits:
        said = f"the end at {visit.party.kind}: {visit.party.log[-2000:]}"
        instance.wait_until(lambda: not is_member(visit), 60, said)
    assert is_member(bystander), "another user stays"


def test_a_sign_out_takes_what_notebook_servers_hold_for_the_browser(world):
    hub = world.sites[1]
    bearer, visit, bystander = world.bearer("firebase"), Traveller(hub), Traveller(hub)
    visit.go(world.open(bearer, hub))
    bystander.go(world.open(world.bearer("cognito"), hub))
    tokens = [hub.redeem(hub.code(each)).json()["access_token"] for each in [visit, bystander]]
    code = hub.code(visit)
    assert [hub.knows(token) for token in tokens] == [True, True]

    assert world.sign_out(bearer, "story-project").status == 200
    instance.wait_until(lambda: not is_member(visit), 60, f"the end at the hub: {hub.log[-2000:]}")
    assert [hub.knows(token) for token in tokens] == [False, True]
    # A browser that kept it back until now.
    assert hub.redeem(code).status == 400


def test_django_asks_again_twelve_hours_after_the_sign_in(world):
    django = world.sites[0]
    visit = Traveller(django)
    visit.go(world.open(world.bearer("firebase"), django))
    django.age(visit, 43200 - 60)
    assert is_member(visit)
    django.age(visit, 120)
    assert not is_member(visit)


def test_jupyterhub_and_its_servers_ask_again_within_twelve_hours(world):
    hub = world.sites[1]
    visit = Traveller(hub)
    visit.go(world.open(world.bearer("firebase"), hub))
    hub.age(visit, 21600 - 60)
    assert is_member(visit) and hub.redeem(hub.code(visit)).json()["expires_in"] <= 21600
    hub.age(visit, 120)
    assert not is_member(visit)


# Signing out in the app, and who cannot


def test_a_bearer_of_another_user_app_or_time_signs_nobody_out(world, php):
    visit = open_php(world, php)
    now = int(time.time())
    another = world.bearer("firebase", sub="somebody-else")
    old = world.bearer("firebase", iat=now - 7200, exp=now - 3600, auth_time=now - 7200)
    forged = world.bearer("firebase")[:-8] + "AAAAAAAA"
    for bearer in [another, old, forged]:
        assert world.sign_out(bearer, "story-project").status == 200, "silence, as RFC 7009 has it"
        assert is_member(visit)
    answer = world.sign_out(world.bearer("firebase"), "authenticated")
    assert (answer.status, answer.json()["error"]) == (400, "invalid_grant")
    assert is_member(visit)


def test_a_link_that_nobody_used_opens_nothing_after_the_sign_out(world, php):
    bearer = world.bearer("firebase")
    link = world.open(bearer, php)
    assert world.sign_out(bearer, "story-project").status == 200
    late = Traveller(php)
    assert late.go(link).status == 400 and not is_member(late)
    again = Traveller(php)
    assert again.go(world.open(bearer, php)).status == 200, "the bearer is its issuer's to revoke"


def test_the_apps_backend_signs_a_user_out_without_the_app(world, php):
    visit = open_php(world, php)
    world.end_sessions(f"firebase:{firebase(0)['sub']}")
    instance.wait_until(lambda: not is_member(visit), 60, "the end at the PHP site")


# Further providers

@pytest.mark.parametrize("name", OTHER_SHAPES)
def test_a_token_of_three_further_shapes_opens_a_website_as_its_own_user(world, php, name):
    visit = Traveller(php)
    landed = visit.go(world.open(world.bearer(name), php))
    assert landed.status == 200 and f"{name}:{OTHER_SHAPES[name](0)['sub']}" in landed.text, landed.text[:500]


@pytest.mark.parametrize("name", ALL_SHAPES)
def test_a_recipe_lets_in_no_token_for_another_audience_of_another_app_or_issuer(world, php, name):
    claim = world.entries[name]["client_claim"]
    for more in [{"aud": "another-backend"}, {claim: "another-app"}, {"iss": "https://another.example.com"}]:
        refused = world.link(world.bearer(name, **more), php)
        assert refused.status == 401 and refused.json()["error"] == "invalid_token", (more, refused.text)
    assert world.link(world.bearer(name), php).status == 200


# The PHP site by itself


def open_php(world, php, **more) -> Traveller:
    visit = Traveller(php)
    visit.link = world.open(world.bearer("firebase"), php, **more)
    assert visit.go(visit.link).status == 200
    return visit


def test_a_link_of_the_app_opens_the_php_site_with_a_session_of_its_own(world, php):
    visit = open_php(world, php)
    assert set(visit.jars) == {php.origin} and "__Host-session" in visit.jars[php.origin]
    assert visit.seen == [f"{php.origin}/login-with-token.php", f"{php.origin}/members/"]
    assert visit.go(visit.link).status == 200, "a reload"
    assert is_member(visit)


def test_a_token_in_the_header_opens_the_php_site_as_one_in_the_address_does(world, php):
    url, token = world.open(world.bearer("firebase"), php).split("?token=")
    token, _, rest = token.partition("&")
    visit = Traveller(php)
    assert visit.get(f"{url}?{rest}", {"Drawbridge-Login-Token": token}).header("Location") == "/members/"
    assert is_member(visit)


def test_the_same_link_in_another_browser_ends_the_php_session_and_opens_none(world, php):
    visit = open_php(world, php)
    thief = Traveller(php)
    assert thief.go(visit.link).status == 400 and not is_member(thief)
    instance.wait_until(lambda: not is_member(visit), 60, "the end of what the first use opened")


def kept_session(visit: Traveller) -> Path:
    """Where PHP keeps this visitor's."""
    return visit.party.folder / "sessions" / f"sess_{visit.jars[visit.party.origin]['__Host-session']}"


def test_a_php_session_that_was_ended_does_not_come_back_when_its_mark_is_removed(world, php):
    visit = open_php(world, php)
    session = re.search(r'sid\|s:\d+:"([^"]+)"', kept_session(visit).read_text())[1]
    mark = php.folder / "ended" / hashlib.sha256(session.encode()).hexdigest()
    mark.touch()
    assert not is_member(visit)
    mark.unlink()
    assert not is_member(visit)


def test_a_php_session_ends_twelve_hours_after_the_sign_in_however_often_it_is_used(world, php):
    visit = open_php(world, php)
    kept, now = kept_session(visit), int(time.time())
    until = int(re.search(r"until\|i:(\d+)", kept.read_text())[1])
    assert now + 43200 - 60 < until <= now + 43200
    for rest, stays in [(60, True), (-1, False)]:
        kept.write_text(re.sub(r"until\|i:\d+", f"until|i:{now + rest}", kept.read_text()))
        assert is_member(visit) == stays
    # A new link signs in by the same request that ends the old session.
    visit = open_php(world, php)
    kept = kept_session(visit)
    kept.write_text(re.sub(r"until\|i:\d+", f"until|i:{now - 1}", kept.read_text()))
    assert visit.go(world.open(world.bearer("firebase"), php)).status == 200 and is_member(visit)


@contextmanager
def php_site_at(statuses: list[int | None], *options: str):
    """A PHP site of its own, whose provider answers redemptions with these in turn: None is no answer. And what it was
    sent."""
    redeemed = []

    def answer(asked: Asked) -> tuple | None:
        redeemed.append(asked.form["subject_token"])
        status = statuses.pop(0)
        if status is None:
            return None
        # The site checks no signature: the answer comes over its own connection.
        parts = [{"alg": "RS256"}, {"sub": "alice", "sid": "s"}]
        said = ".".join(signing.b64url(json.dumps(part).encode()) for part in parts) + ".x"
        return status, {"id_token": said} if status == 200 else {"error": "of this test"}

    with Stub(answer) as provider, PHP() as party:
        party.options = options
        party.start(SimpleNamespace(base=provider.base), "the-site", "a secret")
        yield party, redeemed


#: 401: the site's own secret is wrong, and whoever runs it has to hear of that.
@pytest.mark.parametrize("first", [503, 429, 500, 401, None])
def test_a_link_that_the_php_site_could_not_redeem_just_now_is_tried_again_by_a_click(first):
    with php_site_at([first, 200]) as (party, redeemed):
        base = f"http://127.0.0.1:{party.port}"
        answer = wire.send(base, "GET", "/login-with-token.php?token=a.b.c&redirect=%2Fmembers%2Flist", wire.NAVIGATION)
        assert (answer.status, answer.header("Retry-After")) == (503, "2"), (answer.text, party.log[-2000:])
        assert "cannot be used" not in answer.text and re.search(r"did not redeem a login token: status \d+$", party.log, re.M)
        [form] = wire.PageForm(answer.text).forms
        again = wire.send(base, "POST", form["action"], {**wire.NAVIGATION, "Cookie": wire.cookie_header(answer)},
                          urlencode(form["fields"]))
        assert (again.status, again.header("Location")) == (303, "/members/list"), (again.text, party.log[-2000:])
        assert redeemed == ["a.b.c"] * 2


def test_a_link_that_drawbridge_refuses_is_not_tried_again_at_the_php_site():
    with php_site_at([400]) as (party, _):
        answer = wire.send(f"http://127.0.0.1:{party.port}", "GET", "/login-with-token.php?token=a.b.c", wire.NAVIGATION)
        assert answer.status == 400 and "cannot be used any more" in answer.text and "<form" not in answer.text


@pytest.mark.parametrize("options", [("-n",), ()], ids=["without a php.ini", "as it is installed"])
def test_a_cookie_takes_the_place_of_nothing_that_the_php_site_is_sent(options):
    """Another site of the domain can set one: its own token there would sign the visitor in as somebody else."""
    with php_site_at([200, 200], *options) as (party, redeemed):
        base = f"http://127.0.0.1:{party.port}"
        planted = {**wire.NAVIGATION, "Cookie": "token=x.y.z; redirect=%2Fmembers%2Fplanted"}
        answer = wire.send(base, "GET", "/login-with-token.php?token=a.b.c&redirect=%2Fmembers%2Flist", planted)
        assert (answer.status, answer.header("Location")) == (303, "/members/list"), (answer.text, party.log[-2000:])
        header = {**planted, "Drawbridge-Login-Token": "d.e.f"}
        answer = wire.send(base, "GET", "/login-with-token.php?redirect=%2Fmembers%2Flist", header)
        assert (answer.status, answer.header("Location")) == (303, "/members/list"), (answer.text, party.log[-2000:])
        assert redeemed == ["a.b.c", "d.e.f"]


@pytest.mark.parametrize("headers", [
    {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Dest": "iframe"}, {"Sec-Purpose": "prefetch"},
    {"Sec-Fetch-Mode": "no-cors"}])
def test_a_scanner_or_another_site_opens_no_php_session(world, php, headers):
    link = world.open(world.bearer("firebase"), php)
    scanner = Traveller(php)
    page = scanner.get(link, headers)
    assert page.status == 200 and "<form" in page.text and not is_member(scanner)
    assert Traveller(php).go(link).status == 200, "the link is still good"


def test_a_form_of_another_site_opens_no_php_session(world, php):
    token = world.link(world.bearer("firebase"), php).json()["token"]
    answer = wire.send(f"http://127.0.0.1:{php.port}", "POST", "/login-with-token.php",
                       {"Content-Type": wire.FORM, "Origin": "https://evil.example"}, urlencode({"token": token, "form": ""}))
    assert answer.status == 200 and "<form" in answer.text and "Location" not in answer.text


def test_who_is_signed_in_at_the_php_site_is_asked_before_a_link_of_somebody_else_counts(world, php):
    visit = open_php(world, php)
    other = world.open(world.bearer("cognito"), php)
    page = visit.get(other)
    assert page.status == 200 and "<form" in page.text
    assert "firebase:" in visit.get(php.origin + php.page).text


@pytest.mark.parametrize("redirect", [
    "https://evil.example/", "//evil.example/", "/admin/", "/members", "/members/../admin/", "/members/%2e%2e/admin/",
    "/members/a/../../admin/", "/members/..\\admin/", "/members//evil.example/", "/members/.well-known/x", "/members/a\n"])
def test_the_php_site_leads_nowhere_else(world, php, redirect):
    link = world.open(world.bearer("auth0"), php, "").partition("&redirect=")[0]
    visit = Traveller(php)
    for _ in ["the redemption", "a reload"]:
        assert visit.get(f"{link}&{urlencode({'redirect': redirect})}").header("Location") == "/members/"


def test_the_php_site_leads_to_the_page_that_was_sealed_else_to_the_one_of_the_address(world, php):
    wanted = "/members/list/a.b-c_d?page=2&to=%2F.."
    for sealed, page in [("", wanted), ("/members/sealed?page=1", "/members/sealed?page=1")]:
        link = world.open(world.bearer("auth0"), php, sealed).partition("&redirect=")[0]
        visit = Traveller(php)
        for _ in ["the redemption", "a reload"]:
            assert visit.get(f"{link}&{urlencode({'redirect': wanted})}").header("Location") == page


def test_the_log_has_the_visitors_address_and_browser_though_the_php_sites_server_redeems(world, php):
    issued = world.node.send("POST", instance.ISSUE, {"Authorization": f"Bearer {world.bearer('clerk')}"},
                             {"client_id": php.kind, "bind": "exact"}, source="127.0.0.2")
    assert issued.status == 200, issued.text

    def visit(source: str) -> int:
        """Past the front server, whose address would be every visitor's."""
        return wire.send(f"http://127.0.0.1:{php.port}", "GET", f"/login-with-token.php?token={issued.json()['token']}",
                         wire.OTHER_BROWSER, source=source).status

    assert visit("127.0.0.3") == 400, "bound to another address"
    assert visit("127.0.0.2") == 303
    seen = {row["type"]: (row["address"], row["user_agent"]) for row in instance.audit_rows(world.node.data)
            if row["token_id"] == issued.json()["id"]}
    assert seen["login_token.refused"] == ("127.0.0.3", wire.SAFARI)
    assert seen["login_token.redeemed"] == ("127.0.0.2", wire.SAFARI)


def test_a_logout_token_that_somebody_made_ends_no_session(world, php):
    visit = open_php(world, php)
    now = int(time.time())
    forged = world.keys.sign({"iss": world.node.base, "aud": php.kind, "iat": now, "exp": now + 120, "sid": "s", "jti": "j",
                              "events": {"http://schemas.openid.net/event/backchannel-logout": {}}})
    for site, path in [(php, ""), (world.sites[0], ""), (world.sites[1], "/hub")]:
        path = path + "/backchannel-logout" + (".php" if site is php else "")
        for token in [forged, "", "a.b.c", "x"]:
            answer = wire.send(f"http://127.0.0.1:{site.port}", "POST", path, {"Content-Type": wire.FORM},
                               urlencode({"logout_token": token}))
            # A key that is not there yet may be there later.
            expected = 503 if token == forged else 400
            assert answer.status == expected, (site.kind, token, answer.text[:300], site.log[-1500:])
    assert is_member(visit)


@pytest.mark.parametrize(("gone", "status"), [(None, 200), ("ended", 503), ("keys", 503), ("client-secret", 500)])
def test_an_end_that_the_php_site_cannot_note_is_told_again(gone, status):
    """As after a redeploy that left something out. Without a php.ini: what PHP prints there must not be sent as a 200."""
    key, now = rsa.generate_private_key(65537, 2048), int(time.time())
    with Stub(lambda asked: (200, jwks(key))) as provider, PHP() as party:
        party.options = ("-n",)
        party.start(SimpleNamespace(base=provider.base), "the-site", "a secret")
        if gone:
            (party.folder / gone).rename(party.folder / "elsewhere")
        token = signed(key, {"iss": provider.base, "aud": "the-site", "iat": now, "exp": now + 120, "sid": "s", "jti": "j",
                             "events": {"http://schemas.openid.net/event/backchannel-logout": {}}})
        answer = wire.send(f"http://127.0.0.1:{party.port}", "POST", "/backchannel-logout.php", {"Content-Type": wire.FORM},
                           urlencode({"logout_token": token}))
        assert (answer.status, answer.text) == (status, ""), (answer.text, party.log[-2000:])
        marks = [path.name for path in party.folder.glob("ended/*")]
        assert marks == ([hashlib.sha256(b"s").hexdigest()] if status == 200 else [])
        assert status == 200 or str(party.folder / gone) in party.log, "whoever runs the site has to hear of it"
