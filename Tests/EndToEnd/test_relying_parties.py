"""An app opens relying parties that nobody here wrote, and its user is signed in there without a question."""

import json
import subprocess
import sys
import time
from unittest.mock import patch
from urllib.parse import parse_qs, urlencode, urlsplit

import flask
import pytest

import wire
from accounts import OLD_PASSWORD
from admin import admin, reach
from relying_parties import Django, Flask, JupyterHub, LemonLDAP, Traveller, listing


@pytest.fixture(scope="module", params=[Django, Flask, JupyterHub, LemonLDAP], ids=lambda kind: kind.kind)
def party(demo, request):
    with request.param() as party:
        document = party.document()
        made = admin(demo, "POST", "/api/admin/clients", document)
        assert made.status == 201, made.text
        party.client_id = document["client_id"]
        party.start(demo, party.client_id, made.json()["client_secret"])
        reach(demo, party.client_id)
        # Other tests of the same demo may have left them claims of their own.
        for name in ["alice", "bob"]:
            claims = {"claims": {"email_verified": True}}
            assert admin(demo, "PATCH", f"/api/admin/users/{demo.user(name)['sub']}", claims).status == 200
        yield party


def only(kind: type) -> pytest.MarkDecorator:
    """For what one of them alone does."""
    return pytest.mark.parametrize("party", [kind], indirect=True, ids=[kind.kind])


def target(party) -> str | None:
    """The page to open, as this website wants to be told."""
    if isinstance(party, Flask | LemonLDAP):
        return party.page
    return f"{party.fields()['default_return_path']}?{urlencode({'next': party.page})}"


def test_a_stranger_sees_the_sign_in_page_of_drawbridge(demo, party):
    answer = Traveller(party).go(party.origin + party.page)
    assert answer.status == 200 and ('action="/sign-in' in answer.text or "oauth_login" in answer.text), answer.text[:500]


def test_a_link_of_the_app_opens_the_members_page_without_a_question(demo, party):
    link = demo.issue("alice", client_id=party.client_id, redirect=target(party))["login_url"]
    traveller = Traveller(party)
    answer = traveller.go(link)
    assert answer.status == 200 and traveller.seen[-1] == party.origin + party.page, (
        traveller.seen, answer.text[:500], party.log[:9000])
    assert "sign-in" not in " ".join(traveller.seen)
    who = demo.user("alice")["sub"] if isinstance(party, Flask | JupyterHub | LemonLDAP) else "alice@example.com"
    assert who in answer.text
    # And they stay signed in there.
    assert traveller.go(party.origin + party.page).status == 200


@only(Flask)
@pytest.mark.parametrize("target", [
    "{origin}//evil.example/x", "{origin}/\\evil.example/x", "{origin}.evil.example/x", "{origin}@evil.example/x",
    "//evil.example/x",
    "https://evil.example/members", "{origin}/\t/evil.example/x", "{origin}", "http://[", ""])
def test_flask_leads_to_no_other_website_after_the_sign_in(demo, party, target):
    traveller = Traveller(party)
    traveller.go(demo.issue("alice", client_id=party.client_id, redirect="/members")["login_url"])
    evil = urlencode({"target_link_uri": target.format(origin=party.origin)})
    assert traveller.go(f"{party.origin}/login?{evil}").status == 200
    assert traveller.seen[-1] == f"{party.origin}/members"


@only(Flask)
def test_flask_leads_to_the_page_with_its_query(demo, party):
    traveller = Traveller(party)
    traveller.go(demo.issue("alice", client_id=party.client_id, redirect="/members")["login_url"])
    page = f"{party.origin}/members/list?a=1&to=%2F%2Fx"
    answer = traveller.go(f"{party.origin}/login?{urlencode({'target_link_uri': page})}")
    assert answer.status == 200 and answer.text.startswith("list member") and traveller.whole[-1] == page


@only(Flask)
def test_flask_asks_again_after_a_quarter_of_an_hour(demo, party):
    """It hears no sign-out, so that a sign-in must not last, whatever the visitor does meanwhile."""
    app = flask.Flask("site")
    app.secret_key = (party.folder / "session-key").read_bytes()

    def shown(age: int, path: str = "/members") -> wire.Answer:
        with patch("itsdangerous.timed.time.time", return_value=time.time() - age):
            value = app.session_interface.get_signing_serializer(app).dumps({"user": "alice"})
        return wire.send(f"http://127.0.0.1:{party.port}", "GET", path, {**wire.NAVIGATION, "Cookie": f"session={value}"})

    young = shown(880)
    assert (young.status, young.text) == (200, "member alice") and not young.all("Set-Cookie")
    old = shown(920)
    assert (old.status, old.header("Location")) == (302, "/login")
    # A sign-in that was begun and not finished leaves nobody signed in for longer.
    begun = shown(880, "/login").all("Set-Cookie")[0].partition(";")[0]
    answer = wire.send(f"http://127.0.0.1:{party.port}", "GET", "/members", {**wire.NAVIGATION, "Cookie": begun})
    assert (answer.status, answer.header("Location")) == (302, "/login")


@only(Flask)
@pytest.mark.parametrize("answer", [
    "?error=access_denied&state={state}", "?code=made-up&state={state}", "?state={state}", "?code=c&state=wrong", "?code=c",
    ""])
def test_flask_says_how_to_go_on_when_a_sign_in_does_not_work(party, answer):
    visit = Traveller(party)
    begun = visit.get(f"{party.origin}/login").header("Location")
    [state] = parse_qs(urlsplit(begun).query)["state"]
    told = visit.get(f"{party.origin}/callback{answer.format(state=state)}")
    assert (told.status, '<a href="/login">' in told.text) == (400, True), told.text[:500]
    assert "access_denied" not in told.text and "Traceback" not in party.log, party.log[-3000:]
    assert visit.get(party.origin + party.page).status == 302


@only(Flask)
def test_flasks_sign_in_that_is_loaded_again_signs_nobody_out(demo, party):
    visit = Traveller(party)
    visit.go(demo.issue("alice", client_id=party.client_id, redirect="/members")["login_url"])
    [callback] = [url for url in visit.whole if url.startswith(f"{party.origin}/callback")]
    assert visit.get(callback).status == 400 and "Traceback" not in party.log, party.log[-3000:]
    assert visit.get(party.origin + party.page).status == 200


def visitor(demo, party, subject: str = "alice") -> Traveller:
    """Who came by a link."""
    visit = Traveller(party)
    visit.go(demo.issue(subject, client_id=party.client_id, redirect=target(party))["login_url"])
    return visit


def is_member(visit: Traveller) -> bool:
    return visit.get(visit.party.origin + visit.party.page).status == 200


@only(Django)
def test_django_asks_again_a_quarter_of_an_hour_after_the_sign_in(demo, party):
    visit = visitor(demo, party)
    party.age(visit, 840)
    assert is_member(visit)
    # A sign-in that is begun changes the session, from which Django would count anew.
    assert visit.get(f"{party.origin}/oidc/authenticate/?next=/members/").status == 302 and is_member(visit)
    party.age(visit, 120)
    assert not is_member(visit)


@only(Django)
def test_djangos_sign_in_that_was_begun_before_the_quarter_of_an_hour_was_over_is_finished(demo, party):
    visit = visitor(demo, party)
    begun = visit.get(f"{party.origin}/oidc/authenticate/?next=/members/").header("Location")
    party.age(visit, 1000)
    answer = visit.go(begun)
    assert answer.status == 200 and visit.seen[-1] == party.origin + party.page, (visit.seen, answer.text[:500])
    assert is_member(visit)


@only(Django)
def test_djangos_callback_lets_nobody_stay_beyond_the_quarter_of_an_hour(demo, party):
    for query in ["", "?error=access_denied&state=s", "?code=made-up&state=s"]:
        visit = visitor(demo, party)
        party.age(visit, 1000)
        visit.get(f"{party.origin}/oidc/callback/{query}")
        assert not is_member(visit), query


@only(JupyterHub)
def test_jupyterhub_and_its_servers_ask_again_within_a_quarter_of_an_hour(demo, party):
    visit = visitor(demo, party)
    party.age(visit, 240)
    assert is_member(visit)
    token = party.redeem(party.code(visit)).json()
    party.age(visit, 120)
    assert not is_member(visit)
    # The hub's cookie, the token, and what a server remembers of the hub's answer.
    assert 300 + token["expires_in"] + 300 <= 900


@only(Django)
def test_djangos_local_superuser_is_opened_by_no_address_that_nobody_has_verified(demo, party):
    made = admin(demo, "POST", "/api/admin/users", {
        "username": "the-boss", "password": OLD_PASSWORD, "email": "boss@example.com"})
    assert made.status == 201, made.text
    person = made.json()["sub"]
    party.shell("from django.contrib.auth import get_user_model\n"
                "get_user_model().objects.create_superuser('root', 'Boss@example.com', 'local')")
    visit = visitor(demo, party, person)
    assert visit.seen[-1] == f"{party.origin}/" and not is_member(visit)

    assert admin(demo, "PATCH", f"/api/admin/users/{person}", {"claims": {"email_verified": True}}).status == 200
    assert "member Boss@example.com" in visitor(demo, party, person).get(party.origin + party.page).text


@only(Django)
def test_django_takes_a_verified_address_of_ascii_and_no_other(party):
    said = party.shell("""
from drawbridge_sign_in import ByVerifiedAddress
for more in [{"email_verified": True}, {}, {"email_verified": None}, {"email_verified": False}, {"email_verified": "true"},
             {"email_verified": True, "email": "bo\N{LATIN SMALL LETTER LONG S}s@example.com"},
             {"email_verified": True, "email": None}, {"email_verified": True, "email": ""}]:
    print(bool(ByVerifiedAddress().verify_claims({"sub": "s", "email": "boss@example.com", **more})))
print(bool(ByVerifiedAddress().verify_claims({"sub": "s", "email_verified": True})))
""")
    assert said.split() == ["True", *["False"] * 8]


def test_djangos_accounts_are_of_one_subject_each_and_never_a_local_one(tmp_path):
    (tmp_path / "drawbridge_users.py").write_text(listing("django.md", "drawbridge_users.py"))
    (tmp_path / "accounts.py").write_text("""
import json
import django
from django.conf import settings
settings.configure(
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", "django.contrib.sessions", "mozilla_django_oidc"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}}, SECRET_KEY="of-this-test-alone",
    OIDC_OP_ISSUER="https://auth.example.com", OIDC_OP_JWKS_ENDPOINT="https://auth.example.com/jwks",
    OIDC_OP_TOKEN_ENDPOINT="x", OIDC_OP_USER_ENDPOINT="x", OIDC_RP_CLIENT_ID="django", OIDC_RP_CLIENT_SECRET="x",
    OIDC_RP_SIGN_ALGO="RS256")
django.setup()
from django.contrib.auth import get_user_model
from django.core.management import call_command
call_command("migrate", verbosity=0)
get_user_model().objects.create_superuser("admin", password="local")
from drawbridge_users import BySubject


class Said(BySubject):
    def get_userinfo(self, access_token, id_token, payload):
        return {"sub": payload["sub"]}


def account(subject):
    user = Said().get_or_create_user("at", "it", {"sub": subject})
    return [user.pk, user.is_superuser, user.has_usable_password()]


print(json.dumps([account(subject) for subject in [
    "bob", "\N{FULLWIDTH LATIN SMALL LETTER B}ob", "Bob", "admin", "bob", "x" * 255, "x" * 254 + "y"]]))
""")
    done = subprocess.run([sys.executable, "accounts.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [more for _, *more in found] == [[False, False]] * 7
    accounts = [account for account, *_ in found]
    assert accounts[4] == accounts[0] and len(set(accounts)) == 6


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
