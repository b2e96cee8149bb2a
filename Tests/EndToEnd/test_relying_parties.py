"""An app opens relying parties that nobody here wrote, and its user is signed in there without a question."""

from urllib.parse import urlencode

import pytest

import wire

from relying_parties import Django, Flask, JupyterHub, LemonLDAP, Traveller
from test_landing import reach
from test_native_sso_admin import admin



@pytest.fixture(scope="module", params=[Django, Flask, JupyterHub, LemonLDAP], ids=lambda kind: kind.kind)
def party(demo, request):
    with request.param() as party:
        document = party.document()
        made = admin(demo, "POST", "/api/admin/clients", document)
        assert made.status == 201, made.text
        party.client_id = document["client_id"]
        party.start(demo, party.client_id, made.json()["client_secret"])
        reach(demo, party.client_id)
        yield party


def target(party) -> str | None:
    """The page to open, as this website wants to be told."""
    if isinstance(party, Flask | LemonLDAP):
        return party.page
    return f"{party.fields()['default_return_path']}?{urlencode({'next': party.page})}"


def test_a_stranger_sees_the_sign_in_page_of_drawbridge(demo, party):
    answer = Traveller(party).go(party.origin + party.page)
    assert answer.status == 200 and ('action="/sign-in"' in answer.text or "oauth_login" in answer.text), answer.text[:500]


def test_a_link_of_the_app_opens_the_members_page_without_a_question(demo, party):
    link = demo.issue("alice", client_id=party.client_id, redirect=target(party))["login_url"]
    traveller = Traveller(party)
    answer = traveller.go(link)
    assert answer.status == 200 and traveller.seen[-1] == party.origin + party.page, (traveller.seen, answer.text[:500], party.log[:9000])
    assert "sign-in" not in " ".join(traveller.seen)
    who = demo.user("alice")["sub"] if isinstance(party, Flask | JupyterHub | LemonLDAP) else "alice@example.com"
    assert who in answer.text
    # And he stays signed in there.
    assert traveller.go(party.origin + party.page).status == 200


@pytest.mark.parametrize("target", [
    "{origin}//evil.example/x", "{origin}/\\evil.example/x", "{origin}.evil.example/x", "{origin}@evil.example/x", "//evil.example/x",
    "https://evil.example/members", "{origin}/\t/evil.example/x", "{origin}", "http://[", ""])
def test_flask_leads_to_no_other_website_after_the_sign_in(demo, party, target):
    if not isinstance(party, Flask):
        return
    traveller = Traveller(party)
    traveller.go(demo.issue("alice", client_id=party.client_id, redirect="/members")["login_url"])
    evil = urlencode({"target_link_uri": target.format(origin=party.origin)})
    assert traveller.go(f"{party.origin}/login?{evil}").status == 200
    assert traveller.seen[-1] == f"{party.origin}/members"


def test_flask_leads_to_the_page_with_its_query(demo, party):
    if not isinstance(party, Flask):
        return
    traveller = Traveller(party)
    traveller.go(demo.issue("alice", client_id=party.client_id, redirect="/members")["login_url"])
    page = f"{party.origin}/members/list?a=1&to=%2F%2Fx"
    answer = traveller.go(f"{party.origin}/login?{urlencode({'target_link_uri': page})}")
    assert answer.status == 200 and answer.text.startswith("list member") and traveller.whole[-1] == page


def test_the_same_link_in_another_browser_opens_nothing(demo, party):
    link = demo.issue("bob", client_id=party.client_id, redirect=target(party))["login_url"]
    first = Traveller(party)
    assert first.go(link).status == 200

    answer = demo.send("GET", link.removeprefix(demo.base), wire.OTHER_BROWSER)
    assert answer.status == 400 and not answer.session_cookie


def test_a_link_for_one_website_signs_nobody_in_at_another_path_of_it(demo, party):
    """What the website does not list is no place to land."""
    refused = demo.post_issue({"client_id": party.client_id, "redirect": "/admin/"}, "alice")
    assert (refused.status, refused.json()["error"]) == (400, "invalid_redirect")
