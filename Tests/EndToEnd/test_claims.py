"""What apps may learn of a user: kept by an administrator, opened by scope (OpenID Connect Core §5.4)."""

import json

import pytest

import instance
import oauth
import signing
import wire
from admin import Admin

CLAIMS = {"given_name": "Bobby", "phone_number": "+49 30 1234", "address": {"locality": "Berlin", "country": "DE"}}


@pytest.fixture(scope="module")
def bob(demo) -> dict:
    """Bob, of whom more is known than of others."""
    user = Admin(demo).send("PATCH", f"users/{demo.user('bob')['sub']}", {"claims": CLAIMS, "reason": "directory"})
    assert user.status == 200 and user.json()["claims"] == CLAIMS
    return demo.user("bob")


def told(demo, scope: str) -> dict:
    tokens = oauth.sign_in(demo, "bob", scope=scope)
    assert not set(CLAIMS) & set(signing.parts(tokens["id_token"])[1]), "scope claims come from userinfo"
    return oauth.userinfo(demo, tokens["access_token"]).json()


def test_a_scope_opens_its_claims_and_no_others(demo, bob):
    assert told(demo, "openid") == {"sub": bob["sub"]}
    assert told(demo, "openid address") == {"sub": bob["sub"], "address": CLAIMS["address"]}
    phone = told(demo, "openid phone")
    assert phone == {"sub": bob["sub"], "phone_number": "+49 30 1234", "phone_number_verified": False}
    profile = told(demo, "openid profile")
    assert profile["given_name"] == "Bobby" and profile["updated_at"] > 1_700_000_000 and "address" not in profile


def test_claims_are_replaced_together_and_each_change_is_recorded(demo):
    admin = Admin(demo)
    subject = admin.send("POST", "users", {"username": "al", "password": "a password of this test"}).json()["sub"]
    for claims in [{"nickname": "Al", "locale": "en"}, {"nickname": "Ally"}, {}]:
        assert admin.send("PATCH", f"users/{subject}", {"claims": claims}).json().get("claims", {}) == claims
    events = admin.events(type="user.claims_changed", sub=subject)
    assert len(events) == 3 and not any("Ally" in str(event) for event in events)
    changed = [json.loads(event["detail"])["fields"] for event in events]
    assert changed == [["nickname"], ["locale", "nickname"], ["locale", "nickname"]], "the newest first"


def test_claims_that_are_there_already_are_no_change(demo):
    admin = Admin(demo)
    subject = admin.send("POST", "users", {"username": "sync", "password": "a password of this test"}).json()["sub"]
    for claims in [{"locale": "en", "nickname": "S"}, {"nickname": "S", "locale": "en"}]:
        assert admin.send("PATCH", f"users/{subject}", {"claims": claims}).json()["claims"] == claims
    again = instance.run("users", "claims", "--data", str(demo.data), "sync", "-", stdin=b'{"nickname":"S","locale":"en"}')
    assert again.stdout == b"sync has 2 claims already.\n"
    assert len(admin.events(type="user.claims_changed", sub=subject)) == 1


def test_the_next_answer_knows_a_change(demo, bob):
    token = oauth.sign_in(demo, "bob", scope="openid profile")["access_token"]
    try:
        for name in ["Bob", "Bobbie"]:
            changed = Admin(demo).send("PATCH", f"users/{bob['sub']}", {"claims": {"nickname": name}})
            assert changed.status == 200
            assert oauth.userinfo(demo, token).json()["nickname"] == name
    finally:
        Admin(demo).send("PATCH", f"users/{bob['sub']}", {"claims": CLAIMS})


@pytest.mark.parametrize("claims", [
    {"sub": "admin"}, {"email": "a@example.com"}, {"role": "admin"}, {"birthdate": "yesterday"}, {"given_name": ""},
    {"picture": "javascript:alert(1)"}, {"address": "Berlin"}, {"email_verified": "yes"}, "text", ["list"]])
def test_what_is_no_standard_claim_is_refused(demo, claims):
    answer = Admin(demo).send("PATCH", f"users/{demo.user('alice')['sub']}", {"claims": claims})
    assert (answer.status, answer.json()["error"]) == (400, "invalid_request")
    assert "claims" in answer.json()["error_description"]


def test_a_user_of_a_trusted_issuer_has_no_claims_here(demo):
    demo.issue("somebody-of-the-backend")
    assert Admin(demo).send("PATCH", "users/somebody-of-the-backend", {"claims": {"nickname": "S"}}).status == 409


def test_the_command_line_sets_them_too(demo):
    arguments = ["users", "claims", "--data", str(demo.data)]
    assert b"2 claims" in instance.run(*arguments, "admin", "-", stdin=b'{"nickname":"Root","locale":"en"}').stdout
    tokens = oauth.sign_in(demo, "admin", scope="openid profile")
    assert oauth.userinfo(demo, tokens["access_token"]).json()["nickname"] == "Root"
    for text in [b"{", b"[]", b'{"birthdate":"x"}']:
        assert instance.run(*arguments, "admin", "-", stdin=text, check=False).returncode != 0
    assert instance.run(*arguments, "nobody", "-", stdin=b"{}", check=False).returncode != 0


# Groups

def test_groups_go_to_who_has_their_scope_alone(demo, bob):
    admin = Admin(demo)
    made = admin.send("POST", "clients", {
        "client_type": "web", "redirect_uris": [oauth.RP_REDIRECT], "first_party": True, "require_pkce": False,
        "scope": "openid profile groups"}).json()
    groups = ["staff", "Zoë, & co"]
    assert admin.send("PATCH", f"users/{bob['sub']}", {"claims": {"groups": groups}}).status == 200

    def tokens(**more) -> dict:
        code = oauth.Browser(demo).authorize("bob", made["client_id"], oauth.RP_REDIRECT, **more)["code"]
        return oauth.token(demo, {"grant_type": "authorization_code", "code": code, "redirect_uri": oauth.RP_REDIRECT,
                                  "client_id": made["client_id"], "client_secret": made["client_secret"]}).json()

    try:
        found = tokens(scope="openid groups")
        assert signing.parts(found["id_token"])[1]["groups"] == groups
        assert oauth.userinfo(demo, found["access_token"]).json()["groups"] == groups
        wish = '{"id_token":{"groups":null},"userinfo":{"groups":{"essential":true}}}'
        for found in [tokens(scope="openid", claims=wish), oauth.sign_in(demo, "bob", scope="openid groups", claims=wish)]:
            assert "groups" not in signing.parts(found["id_token"])[1] and "groups" not in found["scope"]
            assert "groups" not in oauth.userinfo(demo, found["access_token"]).json()
    finally:
        admin.send("PATCH", f"users/{bob['sub']}", {"claims": CLAIMS})


def test_no_group_opens_the_console(demo, bob):
    given = Admin(demo).send("PATCH", f"users/{bob['sub']}", {"claims": {"groups": ["admin", "role:admin"]}})
    assert given.status == 200, given.text
    try:
        browser = oauth.Browser(demo)
        oauth.sign_in(demo, "bob", browser)
        assert browser.request("GET", "/api/admin/users", site="same-origin").status in (401, 403)
    finally:
        Admin(demo).send("PATCH", f"users/{bob['sub']}", {"claims": CLAIMS})


@pytest.mark.parametrize("groups",
                         ["staff", ["a", "a"], [""], [1], ["a\n"], [str(number) for number in range(65)], ["x" * 129]])
def test_what_is_no_list_of_names_is_refused_as_groups(demo, groups):
    answer = Admin(demo).send("PATCH", f"users/{demo.user('alice')['sub']}", {"claims": {"groups": groups}})
    assert answer.status == 400 and "claims.groups must be" in answer.json()["error_description"]


def test_the_groups_that_a_trusted_issuer_tells_reach_the_website(serve):
    node = serve(website='scope: "openid groups"',
                 issuer="shares_subjects_with_accounts: true\n    groups_claim: 'custom:groups'")

    def opened(*groups: str) -> dict:
        token = node.send("POST", instance.ISSUE,
                          {"Authorization": f"Bearer {node.bearer('eve', **{'custom:groups': groups})}"})
        landed = node.send("GET", token.json()["login_url"].removeprefix(node.base), wire.NAVIGATION)
        assert landed.status == 303, landed.text
        return {"Cookie": landed.session_cookie}

    def told(cookie: dict) -> str | None:
        return node.send("GET", "/auth/check?identity=groups", cookie).header("X-Auth-Groups")

    first = opened("staff", "Zoë, & co")
    assert told(first) == "staff,Zo%C3%AB%2C%20&%20co"
    # An answer of before may be a second old (contract §7); the user's, so that older sessions say the same.
    second = opened("staff")
    instance.wait_until(lambda: told(second) == told(first) == "staff", 15, "news of the groups")
    opened()
    instance.wait_until(lambda: told(first) is None, 15, "no group any more")
