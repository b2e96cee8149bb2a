"""A relying party of somebody else, whose server redeems its users' login tokens itself: at other websites it is nobody."""

from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

import signing
import wire
from admin import admin, change, reach
from landing import RP, code
from native import Browser

NEIGHBOUR = "neighbour.example"
ORIGIN = "https://theirs.example"


@pytest.fixture(scope="module", autouse=True)
def neighbour(demo):
    """Another website that the app may open."""
    made = admin(demo, "POST", "/api/admin/clients", {
        "client_type": "web", "public_origin": f"https://{NEIGHBOUR}", "return_paths": ["/"], "default_return_path": "/"})
    assert made.status == 201, made.text
    reach(demo, made.json()["client_id"])


ELSEWHERE = pytest.param({"public_origin": ORIGIN}, id="with an origin")
NOWHERE = pytest.param({}, id="that does not say where it is")
AT_ITS_OWN_PAGE = pytest.param({"public_origin": ORIGIN, "redemption_page": "/login-with-token"}, id="with a page for links")


@pytest.fixture(params=[NOWHERE, ELSEWHERE, AT_ITS_OWN_PAGE])
def party(demo, request) -> RP:
    return RP(demo, "theirs", **{"first_party": False, "public_origin": None, **request.param})


@pytest.fixture
def seen(demo, party) -> str:
    """The cookie that its server gets for the token that the app gave it."""
    return redeemed(demo, party).session_cookie


def redeemed(demo, party: RP) -> wire.Answer:
    form = urlencode(party.query(login_token=party.token()["token"]))
    pushed = demo.send("POST", "/oauth/par", {**party.basic(), "Content-Type": wire.FORM}, form)
    assert pushed.status == 201, pushed.text
    opened = party.visit_query(urlencode({"client_id": party.id, "request_uri": pushed.json()["request_uri"]}))
    assert opened.session_cookie, opened.text
    return opened


def answer_at(demo, path: str, cookie: str, host: str | None = None, headers: dict | None = None) -> wire.Answer:
    return demo.send("GET", path, {"Cookie": cookie, **(headers or {}), **({"Host": host} if host else {})})


def test_attack_its_server_is_let_in_at_no_other_website_as_its_user(demo, party, seen):
    for host in [None, "drawbridge.internal", NEIGHBOUR]:
        check = answer_at(demo, "/auth/check", seen, host)
        assert (check.status, check.header("X-Auth-Subject")) == (401, None), host
        # What the middleware's source `session` asks.
        assert answer_at(demo, "/session", seen, host).json()["authenticated"] is False, host
    assert demo.user("alice")["sub"] not in answer_at(demo, "/contacts", seen, headers=wire.NAVIGATION).text


def test_attack_its_server_sees_nothing_of_its_users_account(demo, seen):
    for path in ["/account", "/account/password"]:
        answer = answer_at(demo, path, seen, headers=wire.NAVIGATION)
        assert answer.status == 303 and "/sign-in?" in answer.header("Location"), path
    assert "/account/devices/end" not in answer_at(demo, "/account/devices", seen, headers=wire.NAVIGATION).text
    assert answer_at(demo, "/v0/sign_in/user_info", seen).status == 401


def test_attack_its_server_is_granted_nothing_in_the_name_of_another_client(demo, seen):
    own = RP(demo, "ours")
    refused = own.visit(seen, prompt="none")
    assert parse_qs(urlsplit(refused.header("Location")).query)["error"] == ["login_required"]
    asked = own.visit(seen)
    assert asked.status == 303 and "/sign-in?journey=" in asked.header("Location"), asked.text


def test_its_own_requests_are_answered_in_it(demo, party):
    browser = Browser(demo.base)
    page = browser.send("GET", f"/oauth/authorize?{urlencode(party.query(login_token=party.token()['token']))}")
    for _ in range(2):
        # The first page was shown before the browser had the session that its form is bound to.
        if page.status == 200:
            page = browser.submit(page, "/oauth/consent")
    tokens = party.redeem(code(page))
    assert tokens.status == 200, tokens.text
    assert signing.claims_of(tokens.json()["id_token"])["sub"] == demo.user("alice")["sub"]
    # Whether the user has to be asked once more or not, somebody is signed in for it.
    again = browser.send("GET", f"/oauth/authorize?{urlencode(party.query(prompt='none'))}")
    assert again.status == 303 and "login_required" not in again.header("Location"), again.text


def test_a_page_of_our_origin_is_told_of_nobody_and_one_of_its_own_of_its_user(demo, party, seen):
    assert answer_at(demo, "/session", seen).json()["authenticated"] is False
    if "public_origin" in admin(demo, "GET", f"/api/admin/clients/{party.id}").json():
        assert answer_at(demo, "/session", seen, urlsplit(ORIGIN).netloc).json()["origin"] == "login_token"
        assert answer_at(demo, "/auth/check", seen, urlsplit(ORIGIN).netloc).status == 200


@pytest.mark.parametrize("party", [NOWHERE, ELSEWHERE], indirect=True)
def test_the_operators_word_that_it_is_its_own_lets_its_visitors_go_on_to_what_the_app_may_open(demo, party):
    change(demo, party.id, first_party=True)
    seen = redeemed(demo, party).session_cookie
    for host in [None, NEIGHBOUR]:
        assert answer_at(demo, "/auth/check", seen, host).status == 200, host
    assert code(RP(demo, "ours").visit(seen, prompt="none"))
    assert answer_at(demo, "/account", seen, headers=wire.NAVIGATION).status == 200
    change(demo, party.id, first_party=False)
    assert answer_at(demo, "/auth/check", seen).status == 401, "what it is now counts"
