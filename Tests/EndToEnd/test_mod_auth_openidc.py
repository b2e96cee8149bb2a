"""A certified relying party in front of a real Apache: mod_auth_openidc signs its members in at Drawbridge."""

from urllib.parse import parse_qs, urlencode, urljoin, urlsplit

import pytest

import instance
import oauth
import wire
from apache import MODULES, Apache, Member
from instance import wait_until
from provider import Provider

PAGE = "/members/page.html"


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """Apache and the provider, which know each other."""
    assert (MODULES / "mod_auth_openidc.so").exists(), "please install libapache2-mod-auth-openidc"
    with Apache() as apache:
        op = Provider(tmp_path_factory.mktemp("certificate"), {"shop": {
            "client_name": "Shop", "redirect_uris": [apache.callback], "post_logout_redirect_uris": [apache.signed_out],
            "backchannel_logout_uri": apache.backchannel_logout_uri, "scope": "openid profile email",
            "grant_types": ["authorization_code"], "first_party": True, "public_origin": apache.origin,
            "landing": "initiate_login", "initiate_login_uri": apache.callback,
            "return_paths": ["/members/*"], "default_return_path": PAGE}})
        apache.start(f"{op.base}/.well-known/openid-configuration", op.client("shop"), op.certificate)
        apache.op = op
        yield apache
        assert op.stop() == 0, op.output[-4000:]


def sign_in(apache: Apache) -> tuple[Member, oauth.Browser, dict]:
    """One browser at the website and at the provider, and what the website asked for."""
    member, browser = Member(apache), oauth.Browser(apache.op)
    asked = member.get(PAGE)
    assert asked.status == 302, (asked.status, apache.log)
    target = asked.header("Location")
    assert target.startswith(apache.op.metadata["authorization_endpoint"])
    back = browser.go(target.removeprefix(apache.op.base), "buffy")
    assert back.startswith(apache.callback), back
    landed = member.get(back)
    assert landed.status == 302 and landed.header("Location") == apache.origin + PAGE, (landed.status, landed.body, apache.log)
    return member, browser, {name: values[0] for name, values in parse_qs(urlsplit(target).query).items()}


def is_member(member: Member) -> bool:
    answer = member.get(PAGE)
    assert answer.status in (200, 302), (answer.status, member.apache.log)
    return answer.status == 200


def test_a_member_signs_in_with_pkce_state_and_nonce(shop):
    member, _, request = sign_in(shop)
    assert request["code_challenge_method"] == "S256" and request["state"] and request["nonce"]
    assert member.get(PAGE).body == b"members only\n"


def test_the_website_knows_from_userinfo_who_it_is(shop):
    """The name is in no ID token of ours: it can only come from userinfo."""
    member, _, _ = sign_in(shop)
    page = member.get(PAGE)
    assert page.header("X-Member-Name") == "Buffy" and page.header("X-Member-Email") == "buffy@example.com"
    assert page.header("X-Member") == subject(shop, "buffy")


def subject(shop, name: str) -> str:
    return instance.query(shop.op.data, "SELECT subject FROM account WHERE username = ?", name)[0][0]


def test_signing_out_at_the_website_signs_out_at_the_provider_and_leads_back(shop):
    member, browser, _ = sign_in(shop)
    out = member.get(f"{shop.callback}?{urlencode({'logout': shop.signed_out})}")
    assert out.status == 302 and out.header("Location").startswith(shop.op.metadata["end_session_endpoint"])
    target = out.header("Location").removeprefix(shop.op.base)
    assert "id_token_hint" in target
    answer = browser.request("GET", target)
    while answer.status == 303 and answer.header("Location").startswith(shop.op.base):
        answer = browser.request("GET", answer.header("Location").removeprefix(shop.op.base))
    assert answer.status == 303 and answer.header("Location").partition("?")[0] == shop.signed_out
    assert member.get(shop.signed_out).body == b"signed out\n"
    assert not is_member(member)
    assert wire.SESSION_COOKIE not in browser.cookies


def test_signing_out_at_the_provider_ends_the_websites_session_by_the_back_channel(shop):
    member, browser, _ = sign_in(shop)
    other, _, _ = sign_in(shop)
    assert is_member(member)
    answer = browser.request("POST", "/session/logout", {}, site="same-origin")
    assert answer.status in (204, 303)
    wait_until(lambda: not is_member(member), 30, f"the end of the website's session: {shop.log}")
    assert is_member(other), "a sign-in in another browser stays"


def open_from_app(shop) -> tuple[Member, oauth.Browser, dict]:
    """A browser that the app opens: from Drawbridge's link to the website and back, touching nothing."""
    issued = shop.op.issue(subject(shop, "buffy"), {"client_id": "shop", "redirect": PAGE})
    member, browser = Member(shop), oauth.Browser(shop.op)
    url = issued["login_url"]
    for _ in range(10):
        if url.startswith(shop.op.base):
            answer = browser.request("GET", url.removeprefix(shop.op.base))
        else:
            answer = member.get(url)
        if answer.status not in (302, 303):
            return member, browser, {"status": answer.status, "url": url, "body": answer.text}
        url = urljoin(url, answer.header("Location"))
    raise AssertionError(f"in circles, at {url}: {shop.log}")


def test_a_link_of_the_app_opens_the_members_page_without_a_question(shop):
    member, _, end = open_from_app(shop)
    assert end == {"status": 200, "url": shop.origin + PAGE, "body": "members only\n"}, (end, shop.log)
    assert is_member(member)


def test_the_website_hears_when_the_session_of_such_a_link_ends(shop):
    member, browser, _ = open_from_app(shop)
    other, _, _ = open_from_app(shop)
    assert browser.request("POST", "/session/logout", {}, site="same-origin").status in (204, 303)
    wait_until(lambda: not is_member(member), 30, f"the end of the website's session: {shop.log}")
    assert is_member(other)
