"""Forms of the console without a browser (contract §8): what they begin with, what an error marks, where a reload leads."""

import html
import json
import re
import uuid
from urllib.parse import parse_qsl, urlsplit

import pytest

import wire
from admin import Admin, Console
from native import App

PAGE = {**wire.NAVIGATION, "Accept": "text/html,application/xhtml+xml"}
DONE = '<p class="notice whole" role="status">Done. It is in the log.</p>'


def form_of(console: Console, path: str, action: str, has: str = "form_token") -> dict:
    """The fields of a page's form."""
    forms = wire.PageForm(console.get(path).text).forms
    return next(form["fields"] for form in forms if form["action"] == action and has in form["fields"])


def post(console: Console, path: str, fields: dict) -> wire.Answer:
    return console.demo.send("POST", path, {**PAGE, **console.cookie}, wire.encode(fields))


def document(page: str) -> dict:
    """What the box for JSON holds."""
    box = re.search(r'<textarea id="document"[^>]*>(.*?)</textarea>', page, re.S).group(1)
    return json.loads(html.unescape(box))


def marked(page: str) -> list[str]:
    """The ids of the fields that a page says are wrong."""
    return re.findall(r'<(?:input|textarea|select)[^>]* id="([^"]+)"[^>]* aria-invalid="true"', page)


def focused(page: str) -> list[str]:
    return re.findall(r'<(?:input|textarea|select)[^>]* id="([^"]+)"[^>]* autofocus', page)


@pytest.mark.parametrize("kind", ["native", "web", "service"])
def test_the_json_of_a_new_client_begins_as_its_form_does_and_is_not_saved_without_a_name(demo, kind):
    console = Console(demo)
    page = console.get(f"/admin/register-client?type={kind}").text
    begun = document(page)
    assert begun["client_type"] == kind and not {"client_name", "public_origin", "return_paths"} & set(begun)
    assert "Example website" not in page and "Needed, unless you give a client id." in page
    before = Admin(demo).get("clients", limit=500).json()["items"]
    fields = form_of(console, f"/admin/register-client?type={kind}", "/admin/clients", has="tag")
    unnamed = post(console, "/admin/clients", {
        "form_token": fields["form_token"], "tag": "", "document": json.dumps(begun)})
    assert unnamed.status == 400 and "A name is needed." in unnamed.text and "<title>Error: " in unnamed.text
    assert marked(unnamed.text) == focused(unnamed.text) == ["document"]
    assert Admin(demo).get("clients", limit=500).json()["items"] == before


def test_every_fault_in_a_new_clients_form_is_named_and_marked_at_once_and_the_json_is_what_was_typed(demo):
    console = Console(demo)
    fields = form_of(console, "/admin/register-client?type=web", "/admin/clients", has="client_type")
    filled = {
        "form_token": fields["form_token"], "tag": "", "client_type": "web", "client_name": "By hand",
        "token_endpoint_auth_method": "client_secret_basic", "landing": "return_path", "redeem": "direct",
        "on_replay": "end_session", "cookie_profile": "session", "access_token_signed_response_alg": "ES256",
        "id_token_signed_response_alg": "ES256"}
    wrong = post(console, "/admin/clients", {
        **filled, "redirect_uris": "http://rp.example/callback", "session_lifetime": "5m"})
    assert wrong.status == 400 and "<title>Error: " in wrong.text
    there = 'lang="en" dir="ltr">'
    assert f'id="problem-session_lifetime" {there}session_lifetime must be a whole number of seconds.</p>' in wrong.text
    assert f'id="problem-redirect_uris" {there}redirect_uris holds' in wrong.text
    assert re.search(r'id="problem">(.*?)</p>', wrong.text).group(1) == "Not saved. ", "the rest is said at the fields"
    assert marked(wrong.text) == ["f-redirect_uris", "f-session_lifetime"]
    assert focused(wrong.text) == ["f-redirect_uris"], "the first of them"
    typed = document(wrong.text)
    assert typed["client_name"] == "By hand" and typed["session_lifetime"] == "5m"
    assert typed["redirect_uris"] == ["http://rp.example/callback"]
    alone = post(console, "/admin/clients", {**filled, "session_idle": "soon"})
    assert alone.status == 400 and marked(alone.text) == focused(alone.text) == ["f-session_idle"]
    nameless = post(console, "/admin/clients", {**filled, "client_name": "", "session_idle": "soon"})
    assert nameless.status == 400 and marked(nameless.text) == ["f-client_name", "f-session_idle"]
    assert f'id="problem-client_name" {there}client_name must be given, or client_id.</p>' in nameless.text
    taken = post(console, "/admin/clients", {**filled, "client_id": "demo-web"})
    assert taken.status == 409 and marked(taken.text) == focused(taken.text) == ["client_id"]


def test_a_new_users_first_wrong_field_is_marked_and_has_the_cursor(demo):
    console = Console(demo)
    token = {"form_token": form_of(console, "/admin/new-user", "/admin/new-user")["form_token"]}
    for fields, field in [({"username": "alice", "reason": "new"}, "username"), ({"username": "x"}, "reason"),
                          ({"username": "x", "reason": "new", "email": "e" * 300}, "email")]:
        answer = post(console, "/admin/new-user", {**token, **fields})
        assert answer.status == 400 and "<title>Error: Add a user" in answer.text
        assert marked(answer.text) == focused(answer.text) == [field]


def test_the_role_of_an_administrator_is_given_and_taken_with_a_reason(demo):
    console, bob = Console(demo), demo.user("bob")["sub"]
    path = f"/admin/users/{bob}"
    fields = form_of(console, path, f"{path}/role")

    def change(role: str, **more) -> wire.Answer:
        return post(console, f"{path}/role", {"form_token": fields["form_token"], "role": role, **more})

    def role() -> str | None:
        return Admin(demo).get(f"users/{bob}").json().get("role")

    assert change("admin").status == 400 and role() is None, "without a reason"
    for wrong in ["", "owner"]:
        refused = change(wrong, reason="promoted")
        assert refused.status == 400 and "role must be admin or none" in refused.text
    given = change("admin", reason="promoted")
    assert (given.status, given.header("Location"), role()) == (303, f"{demo.base}{path}?done", "admin")
    event = Admin(demo).events(type="user.role_changed", sub=bob)[0]
    assert event["reason"] == "promoted" and "admin" in event["detail"]
    assert change("none", reason="left").status == 303 and role() is None
    assert Admin(demo).events(type="user.role_changed", sub=bob)[0]["reason"] == "left"


@pytest.fixture
def pat(demo) -> str:
    """The page of a user with every name."""
    name = f"pat-{uuid.uuid4().hex}"
    added = Admin(demo).send("POST", "users", {
        "username": name, "password": "a password of this test", "display_name": "Pat", "email": "pat@example.com"})
    assert added.status == 201, added.body
    return f"/admin/users/{added.json()['id']}"


def known(demo, page: str) -> dict:
    """The user of a page as programs see it."""
    return Admin(demo).get(page.removeprefix("/admin/")).json()


def test_a_rename_keeps_every_name_that_nobody_has_changed(demo, pat):
    console = Console(demo)
    before, fields = known(demo, pat), form_of(console, pat, f"{pat}/names")
    renamed = post(console, f"{pat}/names", {**fields, "email": "pat@example.org", "reason": "married"})
    assert renamed.status == 303, renamed.text
    assert known(demo, pat) == {**before, "email": "pat@example.org"}


def test_a_form_of_names_that_is_saved_as_it_was_changes_nothing_and_is_no_event(demo, pat):
    console, before = Console(demo), known(demo, pat)
    answer = post(console, f"{pat}/names", {**form_of(console, pat, f"{pat}/names"), "reason": "nothing"})
    assert answer.status == 303 and answer.header("Location") == demo.base + pat
    assert known(demo, pat) == before
    assert Admin(demo).events(type="user.renamed", sub=before["sub"]) == []


def form_in(page: str, action: str) -> dict:
    return next(form["fields"] for form in wire.PageForm(page).forms if form["action"] == action)


def test_a_page_of_a_user_that_is_old_puts_no_name_back_which_somebody_else_has_replaced(demo, pat):
    here, there, names = Console(demo), Console(demo), f"{pat}/names"
    old = form_of(here, pat, names)
    replaced = {**form_of(there, pat, names), "email": "new@example.com", "reason": "was hijacked"}
    assert post(there, names, replaced).status == 303
    assert post(here, names, {**old, "display_name": "Patricia", "reason": "married"}).status == 303
    assert (known(demo, pat)["email"], known(demo, pat)["display_name"]) == ("new@example.com", "Patricia")
    conflict = post(here, names, {**old, "email": "pat@example.org", "reason": "moved"})
    assert conflict.status == 412 and "Somebody else changed this user meanwhile." in conflict.text
    assert marked(conflict.text) == focused(conflict.text) == ["email"]
    assert known(demo, pat)["email"] == "new@example.com"
    back = form_in(conflict.text, names)
    assert (back["email"], back["shown.email"]) == ("pat@example.org", "new@example.com")
    assert back["display_name"] == back["shown.display_name"] == "Patricia", "what was left alone is as it is now"
    assert post(here, names, back).status == 303 and known(demo, pat)["email"] == "pat@example.org"


def test_a_page_of_settings_that_is_old_takes_back_nothing_that_somebody_else_has_set(start_demo):
    demo, path = start_demo("--no-limits"), "/admin/settings/native-sso"
    console, begun = Console(demo), "shown."
    old = form_of(console, path, path)
    # Lists are among what a browser sends, and left alone they send what they showed.
    sent = {name.removeprefix(begun): value for name, value in old.items() if name.startswith(begun)}

    def save(**typed) -> wire.Answer:
        return post(console, path, {**old, **sent, **typed})

    def values() -> dict:
        found = Admin(demo).get("settings/native-sso").json()["settings"]
        return {name: (found[name]["value"], found[name]["source"]) for name in ("enabled", "deviceSecretTTLDays")}

    assert Admin(demo).send("PUT", "settings/native-sso", {"enabled": False}).status == 200
    assert save(deviceSecretTTLDays="31").status == 303
    assert values() == {"enabled": (False, "admin"), "deviceSecretTTLDays": (31, "admin")}
    told = "Somebody else has set this to: 31."
    wrong = save(deviceSecretTTLDays="99")
    assert wrong.status == 400 and told in wrong.text and marked(wrong.text) == ["deviceSecretTTLDays"]
    conflict = save(deviceSecretTTLDays="45")
    assert conflict.status == 412 and told in conflict.text and "<title>Error: " in conflict.text
    assert marked(conflict.text) == [] and focused(conflict.text) == ["deviceSecretTTLDays"]
    assert values()["deviceSecretTTLDays"] == (31, "admin")
    back = form_in(conflict.text, path)
    assert (back["deviceSecretTTLDays"], back["shown.deviceSecretTTLDays"]) == ("45", "31")
    assert back["shown.enabled"] == "false"
    assert post(console, path, back).status == 303
    assert values() == {"enabled": (False, "admin"), "deviceSecretTTLDays": (45, "admin")}


@pytest.mark.parametrize("form, typed, status, wrong", [
    ("names", {"username": "alice", "display_name": "Pat & Co", "email": "p@example.org", "reason": "married"},
     409, "username"),
    ("names", {"username": "p", "display_name": "P", "email": "e" * 300, "reason": "moved"}, 400, "email"),
    ("names", {"username": "", "display_name": "P", "email": "", "reason": "left"}, 409, "username"),
    ("role", {"role": "admin", "reason": " "}, 400, "role-reason"),
    ("set-up-link", {"reason": " "}, 400, "link-reason"),
    ("password", {"password": "abc", "reason": "forgotten"}, 409, "password")])
def test_a_refused_form_of_a_user_comes_back_open_with_what_was_typed_and_its_wrong_field_marked(
        demo, pat, form, typed, status, wrong):
    before, answer = known(demo, pat), sent(demo, pat, form, typed)
    assert answer.status == status and known(demo, pat) == before
    assert "<title>Error: Pat" in answer.text and "Done. It is in the log." not in answer.text
    assert marked(answer.text) == focused(answer.text) == [wrong]
    opened = re.findall(r"<details[^>]* open>.*?</details>", answer.text, re.S)
    assert len(opened) == 1 and f'action="{pat}/{form}"' in opened[0] and f' id="{wrong}"' in opened[0]
    shown = wire.PageForm(opened[0]).forms[0]["fields"]
    if form == "password":
        assert shown["password"] == "" and "abc" not in re.findall(r'value="([^"]*)"', answer.text)
        typed = {"reason": typed["reason"]}
    if "role" in typed:
        assert '<option value="admin" selected>' in opened[0]
        typed = {"reason": typed["reason"]}
    assert {name: shown[name] for name in typed} == typed
    # What stands above the form is what the user is, not what was typed.
    facts = answer.text[:answer.text.index("<details id=")]
    assert "pat@example.com" in facts and "Pat &amp; Co" not in facts


def sent(demo, pat, form: str, typed: dict) -> wire.Answer:
    """A form of a user's page with what was typed."""
    console = Console(demo)
    return post(console, f"{pat}/{form}", {"form_token": form_of(console, pat, f"{pat}/names")["form_token"], **typed})


def test_of_a_phones_key_that_is_not_there_nothing_is_said_to_be_done(demo, pat):
    before, answer = known(demo, pat), sent(demo, pat, "phone-keys/some-key", {"reason": "stolen"})
    assert (answer.status, answer.header("Location")) == (303, demo.base + pat)
    assert known(demo, pat) == before


@pytest.mark.parametrize("form, typed", [
    ("names", {"display_name": "Patricia"}), ("role", {"role": "admin"}),
    ("password", {"password": "quite another password"})])
def test_a_change_of_a_user_is_said_to_be_done_on_the_page_that_it_leads_to(demo, pat, form, typed):
    console = Console(demo)
    assert DONE not in console.get(pat).text
    changed = post(console, f"{pat}/{form}", {**form_of(console, pat, f"{pat}/{form}"), **typed, "reason": "asked to"})
    assert (changed.status, changed.header("Location")) == (303, f"{demo.base}{pat}?done")
    assert DONE in console.get(f"{pat}?done").text


def test_every_grave_act_is_said_to_be_done_on_the_page_that_it_leads_to(start_demo):
    demo = start_demo("--no-limits")
    console, bob, keys = Console(demo), f"/admin/users/{demo.user('bob')['sub']}", "/admin/keys"

    def act(page: str, action: str, to: str | None = None):
        to = to or page
        assert DONE not in console.get(to).text
        answer = post(console, action, form_of(console, page, action))
        assert (answer.status, answer.header("Location")) == (303, f"{demo.base}{to}?done"), action
        assert DONE in console.get(f"{to}?done").text, action

    def first(page: str, pattern: str) -> str:
        return re.search(pattern, console.get(page).text).group(1)

    App(demo, user="bob").sign_in()
    act(bob, first(bob, r'action="(/admin/device-secrets/[^"]+)"'))
    demo.sign_in("bob")
    act(bob, first(bob, r'action="(/admin/sessions/[^"]+)"'))
    demo.sign_in("bob")
    act(bob, f"{bob}/end-sessions")
    nothing = post(console, f"{bob}/end-sessions", form_of(console, bob, f"{bob}/standing"))
    assert (nothing.status, nothing.header("Location")) == (303, demo.base + bob), "there was nothing to end"
    act(bob, f"{bob}/standing")
    act(bob, f"{bob}/standing")
    made = Admin(demo).send("POST", "clients", {"client_type": "service", "grant_types": ["client_credentials"]})
    client = f"/admin/clients/{made.json()['client_id']}"
    act(client, f"{client}/delete", to="/admin/clients")
    act(keys, f"{keys}/rotate")
    kid = first(keys, r"<code>([^<]+)</code></td><td><bdi>login_token<")
    act(keys, f"{keys}/{kid}/retire")


def made(demo, **document) -> tuple[str, dict]:
    """A client of this test: the path of its page, and what the API says of it."""
    answer = Admin(demo).send("POST", "clients", document)
    assert answer.status == 201, answer.text
    return f"/admin/clients/{answer.json()['client_id']}", answer.json()


def test_a_clients_secret_is_replaced_with_a_reason_and_shown_once(demo):
    page, client = made(demo, client_type="service", grant_types=["client_credentials"], scope="read",
                        token_endpoint_auth_method="client_secret_post")
    console = Console(demo)

    def status(secret: str) -> int:
        return wire.send(demo.base, "POST", "/oauth/token", {"Content-Type": "application/x-www-form-urlencoded"},
                         wire.encode({"grant_type": "client_credentials", "client_id": client["client_id"],
                                      "client_secret": secret})).status

    assert status(client["client_secret"]) == 200
    fields = form_of(console, page, f"{page}/secret")
    renewed = post(console, f"{page}/secret", {**fields, "reason": "it leaked"})
    assert renewed.status == 200, renewed.text
    secret = re.search(r'<code id="secret-value">(dbc_[^<]+)</code>', renewed.text).group(1)
    assert status(client["client_secret"]) == 401 and status(secret) == 200
    assert secret not in console.get(page).text
    event = Admin(demo).events(client_id=client["client_id"], type="client.changed")[0]
    assert event["reason"] == "it leaked" and json.loads(event["detail"])["fields"] == ["client_secret"]
    # As a reload of the page sends it once more.
    again = post(console, f"{page}/secret", {**fields, "reason": "it leaked"})
    assert again.status == 412 and "dbc_" not in again.text and status(secret) == 200
    assert "which is in force" in again.text


def test_a_client_without_a_secret_is_offered_none(demo):
    page, _ = made(demo, client_type="native", grant_types=["authorization_code"], token_endpoint_auth_method="none")
    console = Console(demo)
    shown = console.get(page).text
    assert f'action="{page}/delete"' in shown and f'action="{page}/secret"' not in shown
    refused = post(console, f"{page}/secret", form_of(console, page, f"{page}/delete"))
    assert refused.status == 409 and "this client has no secret" in refused.text


@pytest.mark.parametrize("as_json", [False, True])
def test_what_was_typed_over_somebody_elses_change_of_a_client_is_saved_by_a_second_click(demo, as_json):
    page, client = made(demo, client_type="web", client_name="Shop", token_endpoint_auth_method="client_secret_basic")
    console, path = Console(demo), f"clients/{client['client_id']}"

    def tag_of(text: str) -> str:
        return next(form["fields"]["tag"] for form in wire.PageForm(text).forms if form["action"] == page)

    shown = console.get(page).text
    typed = {"document": json.dumps(document(shown) | {"client_name": "Their shop"})} if as_json else {
        "client_type": "web", "client_name": "Their shop", "token_endpoint_auth_method": "client_secret_basic",
        "landing": "return_path", "redeem": "direct", "on_replay": "end_session", "cookie_profile": "session",
        "access_token_signed_response_alg": "ES256", "id_token_signed_response_alg": "ES256"}
    typed["form_token"] = form_of(console, page, page)["form_token"]
    assert Admin(demo).send("PATCH", path, {"session_lifetime": 600}, {"If-Match": "*"}).status == 200
    conflict = post(console, page, {**typed, "tag": tag_of(shown)})
    assert conflict.status == 412 and "Somebody else changed this client meanwhile." in conflict.text
    assert f'<a href="{page}" id="as-it-is-now">' in conflict.text and conflict.text.count(">Save over it<") == 1
    told = re.search(r'aria-labelledby="conflict">(.*?)</section>', conflict.text, re.S).group(1)
    assert "<code>client_name</code>" in told and "<code>client_id</code>" not in told
    assert "Their shop" in conflict.text and Admin(demo).get(path).json()["client_name"] == "Shop"
    saved = post(console, page, {**typed, "tag": tag_of(conflict.text)})
    assert saved.status == 200 and Admin(demo).get(path).json()["client_name"] == "Their shop"


def test_the_sessions_of_a_user_that_ended_are_shown_when_asked_for(demo):
    name = f"ended-{uuid.uuid4().hex[:12]}"
    session = demo.session(demo.sign_in(name))
    assert session["authenticated"] is True
    assert Admin(demo).send("DELETE", f"users/{name}/sessions").status == 204
    page = Console(demo).get(f"/admin/users/{name}").text
    shows, hides = "Show those that ended: 1", "Hide those that ended"
    assert shows in page and f'href="/admin/users/{name}?ended"' in page and hides not in page
    page = Console(demo).get(f"/admin/users/{name}?ended").text
    assert hides in page and shows not in page and f'href="/admin/users/{name}"' in page


def test_a_search_that_finds_nothing_says_so_and_shows_no_empty_table(demo):
    page = Console(demo).get("/admin/events?ip=192.0.2.9").text
    assert '<table class="events">' not in page
    assert re.search(r'<p class="quiet">[^<]+</p>', page)


@pytest.mark.parametrize("page, fields", [
    ("events", ["q", "type", "outcome", "reason", "sub", "client_id", "sid", "token_id", "request_id", "from", "to"]),
    ("live", ["type", "outcome", "sub", "client_id"])])
def test_the_empty_fields_of_a_form_of_filters_ask_for_nothing(demo, page, fields):
    empty = "".join(f"&{field}=" for field in fields)
    shown = html.unescape(Console(demo).get(f"/admin/{page}?ip=192.0.2.9{empty}").text)
    assert '"/api/admin/audit-events.csv?ip=192.0.2.9"' in shown or "/audit-events/stream?ip=192.0.2.9\"" in shown


@pytest.mark.parametrize("query, field, label, says", [
    ("type=foo", "type", "Type", "must be noun.verb"),
    ("type=nonsense.word", "type", "Type", "must be one that the log has, such as login_token.replayed"),
    ("ip=foo", "ip", "Address or network", "must be an address or a network such as 203.0.113.0/24"),
    ("outcome=odd", "outcome", "Outcome", "must be success or failure"),
    ("from=soon", "from", "From (UTC)", "must be an instant such as 2026-11-21T07:00:00Z"),
    ("from=2026-01-02T00:00&to=2026-01-01T00:00", "to", "To (UTC)", "is before from")])
def test_a_wrong_filter_of_events_is_marked_and_named_as_its_field_is(demo, query, field, label, says):
    answer = demo.send("GET", f"/admin/events?{query}", Console(demo).cookie)
    assert answer.status == 400 and "<title>Error: Events" in answer.text
    assert marked(answer.text) == focused(answer.text) == [f"f-{field}"]
    assert f'<label for="f-{field}">{label}</label>' in answer.text
    named = f'<p class="notice" role="alert" id="problem"><strong>{label}</strong> <span lang="en" dir="ltr">{says}'
    assert named in answer.text, "not by its name in the API as well"
    # Nothing was searched, so nothing is said to be missing.
    assert '<table class="events">' not in answer.text
    assert not re.search(r'<p class="quiet">[^<]*</p>', answer.text)


@pytest.mark.parametrize("path, said, back", [
    ("/admin/users?sort=foo", "sort must be one of ", "/admin/users"),
    ("/admin/users?cursor=abc", "cursor is ", "/admin/users"),
    ("/admin/sessions?kind=foo", "kind must be web or app", "/admin/sessions"),
    ("/admin/?hours=5", "hours must be one of ", "/admin/"),
    ("/admin/events?foo=1", " is not a ", "/admin/events")])
def test_an_address_of_the_console_that_asks_for_what_there_is_not_is_answered_inside_it(demo, path, said, back):
    answer = demo.send("GET", path, {**PAGE, **Console(demo).cookie})
    assert answer.status == 400 and "<title>Error: " in answer.text
    assert said in re.search(r'id="problem">(.*?)</p>', answer.text).group(1)
    assert f'<a href="{back}" id="back">' in answer.text and 'href="/admin/keys"' in answer.text
    # Whoever may not administer is told nothing of it.
    assert demo.send("GET", path, PAGE).status == 303


def test_every_wrong_field_of_a_client_is_marked_and_none_that_its_text_only_mentions(demo):
    console = Console(demo)
    fields = form_of(console, "/admin/register-client?type=web", "/admin/clients", has="client_type")

    def save(**typed) -> list[str]:
        return marked(post(console, "/admin/clients", {
            "form_token": fields["form_token"], "tag": "", "client_type": "web", "client_name": "By hand",
            "token_endpoint_auth_method": "client_secret_basic", "landing": "return_path", "redeem": "direct",
            "on_replay": "end_session", "cookie_profile": "session", "access_token_signed_response_alg": "ES256",
            "id_token_signed_response_alg": "ES256", **typed}).text)
    assert save(session_lifetime="3600", session_idle="7200") == ["f-session_idle"]
    assert save(redirect_uris="http://public_origin/redeem") == ["f-redirect_uris"]
    # More than the text has room for.
    many = "\n".join(f"http://{letter * 60}.example/callback" for letter in "abcdef")
    # The colour of dark pages derives from the other one.
    assert set(save(redirect_uris=many, post_logout_redirect_uris="no address", theme_accent="red")) == {
        "f-redirect_uris", "f-post_logout_redirect_uris", "f-theme_accent", "f-theme_accent_dark"}


@pytest.mark.parametrize("field, value", [("ip", "foo"), ("type", "nonsense.word")])
def test_a_wrong_filter_of_the_live_view_is_marked_too(demo, field, value):
    answer = demo.send("GET", f"/admin/live?{field}={value}", Console(demo).cookie)
    assert answer.status == 400 and "<title>Error: Live" in answer.text
    assert marked(answer.text) == focused(answer.text) == [f"f-{field}"]


def test_a_type_that_is_written_and_has_no_events_yet_is_no_mistake(demo):
    page = Console(demo).get("/admin/events?type=login_token.replayed&ip=192.0.2.9").text
    assert "No event matches." in page and marked(page) == []


@pytest.mark.parametrize("field", ["q", "from", "to"])
def test_a_filter_that_holds_more_than_a_word_has_two_columns(demo, field):
    assert f'<div class="wide"><label for="f-{field}">' in Console(demo).get("/admin/events").text


def test_the_last_page_of_a_list_counts_what_it_shows_and_leads_back_to_the_first(start_demo):
    demo = start_demo("--no-limits")
    console = Console(demo)
    for number in range(52):
        demo.sign_in(f"paged-{number}")
    for path, found in [("/admin/users?q=paged-", 2), ("/admin/users?q=paged-&sort=user", 2),
                        ("/admin/sessions?kind=web", None)]:
        first = console.get(path).text
        assert "On this page: 50, and there are more" in first and "Back to the first page" not in first
        page = first
        while onward := re.search(r'rel="next" href="([^"]+)"', page):
            page = console.get(html.unescape(onward.group(1))).text
        rows = len(re.findall(r"<tr><td>", page))
        assert found in (None, rows)
        assert f">On this page: {rows}</span>" in page
        back = re.search(r'<a href="([^"]+)">Back to the first page</a>', page)
        assert html.unescape(back.group(1)) == (path if "sort=" in path or "users" not in path else f"{path}&sort=user")


def test_users_are_listed_by_name_where_no_column_is_asked_for(start_demo):
    demo = start_demo("--no-limits")
    console = Console(demo)
    for number in [3, 1, 2]:
        demo.sign_in(f"named-{number}")
    page = console.get("/admin/users?q=named-").text
    assert re.findall(r"<bdi>(named-\d)</bdi></a>", page) == ["named-1", "named-2", "named-3"]
    assert '<th scope="col" aria-sort="ascending"><a href="' in page


def test_a_client_without_sessions_is_told_from_a_service_without_any(demo):
    console = Console(demo)
    page = console.get("/admin/sessions?kind=app&client_id=demo-web").text
    assert "No session matches." in page and "Nothing is signed in." not in page


def test_the_live_view_has_its_table_before_anything_happens(demo):
    page = Console(demo).get("/admin/live?ip=192.0.2.9").text
    assert '<table class="events">' in page


@pytest.mark.parametrize("path, page", [
    ("users/alice/set-up-link", "users/alice"), ("users/alice/phone-keys/some-key", "users/alice"),
    ("clients/demo-web/delete", "clients/demo-web"), ("sessions/some-id/end", "sessions"),
    ("alerts/acknowledge", "")])
def test_the_address_of_a_form_leads_to_the_page_above_it(demo, path, page):
    console = Console(demo)
    answer = demo.send("GET", f"/admin/{path}", {**PAGE, **console.cookie})
    assert (answer.status, answer.header("Location")) == (303, f"{demo.base}/admin/{page}")
    # Programs are told that it takes no GET; who is no administrator finds nothing on the page it leads to either.
    assert demo.send("GET", f"/admin/{path}", console.cookie).status == 405
    assert demo.send("GET", f"/admin/{page}", PAGE).status == 303


@pytest.mark.parametrize("path, back", [
    ("users/alice/end-sessions", {"next": "/admin/users/alice", "lost": ""}),
    ("clients/demo-web/delete", {"next": "/admin/clients/demo-web", "lost": ""}),
    ("explain", {"next": "/admin/explain", "lost": ""}), ("alerts/acknowledge", {"lost": ""}),
    ("sign-out", {})])
def test_a_form_whose_session_has_ended_leads_to_the_sign_in_and_back_to_its_page(demo, path, back):
    console = Console(demo)
    token = {"form_token": form_of(console, "/admin/", "/admin/sign-out")["form_token"]}
    assert post(console, "/admin/sign-out", token).status == 303
    answer = post(console, f"/admin/{path}", {**token, "reason": "too late"})
    where = urlsplit(answer.header("Location"))
    assert (answer.status, f"{where.scheme}://{where.netloc}{where.path}") == (303, f"{demo.base}/admin/sign-in")
    assert dict(parse_qsl(where.query, keep_blank_values=True)) == back
    page = demo.send("GET", f"{where.path}?{where.query}", PAGE).text
    assert ("What you sent was not done." in page) == (path != "sign-out")
    # Without any cookie it was not done either.
    answer = demo.send("POST", f"/admin/{path}", PAGE, wire.encode(token))
    assert answer.status == 303 and answer.header("Location").endswith("lost") == (path != "sign-out")


def test_of_a_user_with_many_sessions_their_page_says_at_least_how_many_and_a_link_shows_an_older_one(demo):
    name = f"many-{uuid.uuid4().hex[:12]}"
    for _ in range(202):
        demo.sign_in(name)
    sessions = Admin(demo).sessions(name)
    newest, oldest, console = sessions[0]["id"], sessions[-1]["id"], Console(demo)
    page = console.get(f"/admin/users/{name}").text
    assert "Live: at least 200" in page and "Older ones are listed by the API." in page
    assert f'id="session-{newest}"' in page and f'id="session-{oldest}"' not in page
    # As the list of all sessions leads to it.
    link = "/admin/users/{}?session={}#session-{}"
    assert f'href="{link.format(name, newest, newest)}"' in html.unescape(console.get("/admin/sessions").text)
    page = console.get(link.format(name, oldest, oldest).partition("#")[0]).text
    assert page.count(f'id="session-{oldest}"') == 1 and "Live: at least 200" in page
    assert f'id="session-{oldest}"' not in console.get(f"/admin/users/alice?session={oldest}").text
