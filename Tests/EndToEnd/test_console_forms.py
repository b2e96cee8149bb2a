"""Forms of the console without a browser (contract §8): what they begin with, what an error marks, where a reload leads."""

import html
import json
import re

import pytest

import wire
from admin import Admin, Console

PAGE = {**wire.NAVIGATION, "Accept": "text/html,application/xhtml+xml"}


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
    assert "Example website" not in page
    before = Admin(demo).get("clients", limit=500).json()["items"]
    fields = form_of(console, f"/admin/register-client?type={kind}", "/admin/clients", has="tag")
    unnamed = post(console, "/admin/clients", {
        "form_token": fields["form_token"], "tag": "", "document": json.dumps(begun)})
    assert unnamed.status == 400 and "A name is needed." in unnamed.text and "<title>Error: " in unnamed.text
    assert marked(unnamed.text) == focused(unnamed.text) == ["document"]
    assert Admin(demo).get("clients", limit=500).json()["items"] == before


def test_a_fault_in_a_new_clients_form_marks_its_field_alone_and_the_json_is_what_was_typed(demo):
    console = Console(demo)
    fields = form_of(console, "/admin/register-client?type=web", "/admin/clients", has="client_type")
    wrong = post(console, "/admin/clients", {
        "form_token": fields["form_token"], "tag": "", "client_type": "web", "client_name": "By hand",
        "return_paths": "no path", "session_idle": "soon"})
    assert wrong.status == 400 and "<title>Error: " in wrong.text
    assert marked(wrong.text) == focused(wrong.text) == ["f-session_idle"]
    typed = document(wrong.text)
    assert typed["client_name"] == "By hand" and typed["return_paths"] == ["no path"]
    taken = post(console, "/admin/clients", {
        "form_token": fields["form_token"], "tag": "", "client_type": "web", "client_name": "By hand",
        "client_id": "demo-web", "token_endpoint_auth_method": "client_secret_basic", "landing": "return_path",
        "redeem": "direct", "on_replay": "end_session", "cookie_profile": "session",
        "access_token_signed_response_alg": "ES256", "id_token_signed_response_alg": "ES256"})
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
    assert (given.status, given.header("Location"), role()) == (303, demo.base + path, "admin")
    event = Admin(demo).events(type="user.role_changed", sub=bob)[0]
    assert event["reason"] == "promoted" and "admin" in event["detail"]
    assert change("none", reason="left").status == 303 and role() is None
    assert Admin(demo).events(type="user.role_changed", sub=bob)[0]["reason"] == "left"


@pytest.mark.parametrize("query", ["type=foo", "ip=192.0.2.9"])
def test_a_search_that_finds_nothing_says_so_and_shows_no_empty_table(demo, query):
    answer = demo.send("GET", f"/admin/events?{query}", Console(demo).cookie)
    assert answer.status in (200, 400) and '<table class="events">' not in answer.text
    assert re.search(r'<p class="quiet">[^<]+</p>', answer.text)


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
