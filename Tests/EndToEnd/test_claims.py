"""What apps may learn of a user: kept by an administrator, opened by scope (OpenID Connect Core §5.4)."""

import pytest

import instance
import oauth
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
    assert not set(CLAIMS) & set(oauth.parts(tokens["id_token"])[1]), "scope claims come from userinfo"
    return oauth.userinfo(demo, tokens["access_token"]).json()


def test_a_scope_opens_its_claims_and_no_others(demo, bob):
    assert told(demo, "openid") == {"sub": bob["sub"]}
    assert told(demo, "openid address") == {"sub": bob["sub"], "address": CLAIMS["address"]}
    phone = told(demo, "openid phone")
    assert phone == {"sub": bob["sub"], "phone_number": "+49 30 1234", "phone_number_verified": False}
    profile = told(demo, "openid profile")
    assert profile["given_name"] == "Bobby" and profile["updated_at"] > 1_700_000_000 and "address" not in profile


def test_claims_are_replaced_together_and_each_change_is_recorded(demo):
    subject = demo.user("alice")["sub"]
    admin = Admin(demo)
    for claims in [{"nickname": "Al", "locale": "en"}, {"nickname": "Ally"}, {}]:
        assert admin.send("PATCH", f"users/{subject}", {"claims": claims}).json().get("claims", {}) == claims
    events = admin.events(type="user.claims_changed", sub=subject)
    assert len(events) == 3 and not any("Ally" in str(event) for event in events)


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
    assert oauth.userinfo(demo, oauth.sign_in(demo, "admin", scope="openid profile")["access_token"]).json()["nickname"] == "Root"
    for text in [b"{", b"[]", b'{"birthdate":"x"}']:
        assert instance.run(*arguments, "admin", "-", stdin=text, check=False).returncode != 0
    assert instance.run(*arguments, "nobody", "-", stdin=b"{}", check=False).returncode != 0
