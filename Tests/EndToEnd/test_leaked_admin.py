"""What is left to whoever has a leaked secret of a client that administers, once that is replaced (ADR-0074)."""

import json
import re
import secrets
from html import unescape
from urllib.parse import urlsplit

import pytest

import instance
import oauth
import wire
from accounts import somebody
from admin import Admin, change
from websites import basic
from wire import cookies

ADMIN_COOKIE = "__Host-drawbridge_admin"


def operating(demo) -> dict:
    """A client that administers, of the test's own."""
    made = Admin(demo).send("POST", "clients", {
        "client_id": f"ops-{secrets.token_hex(4)}", "client_type": "service", "scope": "admin read"})
    assert made.status == 201, made.body
    return made.json()


def token(demo, client: dict) -> str:
    answer = oauth.token(demo, {"grant_type": "client_credentials", "scope": "admin"}, basic(client))
    assert answer.status == 200, answer.body
    return answer.json()["access_token"]


def paste(demo, presented: str) -> dict:
    """A console that this token opens: the header with its cookie."""
    page = demo.send("GET", "/admin/sign-in")
    fields = {**wire.PageForm(page.text).forms[0]["fields"], "token": presented}
    opened = demo.send("POST", "/admin/sign-in", {"Cookie": wire.cookie_header(page)}, wire.encode(fields))
    assert opened.status == 303, opened.text
    return cookies({ADMIN_COOKIE: opened.cookies[ADMIN_COOKIE].value})


def as_bearer(demo, presented: str, method: str = "GET", path: str = "users", **headers):
    return demo.send(method, f"/api/admin/{path}", {"Authorization": f"Bearer {presented}", **headers})


def console(demo, cookie: dict) -> int:
    return demo.send("GET", "/admin/users", {**wire.NAVIGATION, **cookie}).status


def renewed(demo, client: dict) -> dict:
    """The client with another secret, because its own leaked."""
    admin, path = Admin(demo), f"clients/{client['client_id']}"
    answer = admin.send("POST", f"{path}/secret", {"reason": "leaked"}, {"If-Match": admin.get(path).header("ETag")})
    assert answer.status == 200, answer.body
    return answer.json()


def test_attack_a_token_that_was_got_with_a_leaked_secret_takes_no_new_one(start_demo):
    # Its own: refusals are written down ten times a minute for a network, without limits too.
    demo = start_demo("--no-limits")
    client = operating(demo)
    old, path = token(demo, client), f"clients/{client['client_id']}"
    opened = paste(demo, old)
    assert as_bearer(demo, old).status == 200 and console(demo, opened) == 200
    new = renewed(demo, client)
    # At once: the honest client need not wait.
    again = token(demo, new)
    assert as_bearer(demo, again).status == 200 and console(demo, paste(demo, again)) == 200
    assert as_bearer(demo, old).status == 401 and console(demo, opened) == 303
    assert demo.send("GET", "/api/admin/users", opened).status == 401
    tag = as_bearer(demo, again, path=path).header("ETag")
    thief = as_bearer(demo, old, "POST", f"{path}/secret", **{"If-Match": tag})
    assert thief.status == 401 and "client_secret" not in thief.text
    assert as_bearer(demo, again, path=path).header("ETag") == tag
    ends = [row for row in demo.audit("admin.signed_out") if row["client_id"] == client["client_id"]]
    assert [row["reason"] for row in ends] == ["leaked"]
    refused = [row for row in demo.audit("admin.refused") if row["client_id"] == client["client_id"]]
    assert refused and {row["reason"] for row in refused} == {"invalid"}


def test_attack_a_right_that_was_taken_and_given_again_revives_no_token(demo):
    client = operating(demo)
    old = token(demo, client)
    opened = paste(demo, old)
    change(demo, client["client_id"], scope="read")
    assert as_bearer(demo, old).status == 403 and console(demo, opened) == 303
    change(demo, client["client_id"], scope="admin read")
    assert as_bearer(demo, old).status == 401 and console(demo, opened) == 303
    assert as_bearer(demo, token(demo, client)).status == 200


def test_attack_a_client_of_a_deleted_ones_id_does_not_inherit_its_administration(demo):
    client = operating(demo)
    old, admin = token(demo, client), Admin(demo)
    deleted(demo, client)
    assert as_bearer(demo, old).status == 401
    again = admin.send("POST", "clients", {
        "client_id": client["client_id"], "client_type": "service", "scope": "admin"})
    assert again.status == 201, again.body
    assert as_bearer(demo, old).status == 401
    assert as_bearer(demo, token(demo, again.json())).status == 200


def test_what_does_not_change_how_a_client_proves_itself_ends_no_token_of_it(demo):
    client = operating(demo)
    old = token(demo, client)
    opened = paste(demo, old)
    change(demo, client["client_id"], client_name="Renamed", access_token_lifetime=60)
    assert as_bearer(demo, old).status == 200 and console(demo, opened) == 200


def console_page(demo, cookie: dict, path: str):
    page = demo.send("GET", path, {**wire.NAVIGATION, **cookie})
    assert page.status == 200, page.text
    return page


def click(demo, cookie: dict, page, ending: str, reason: str):
    """Sends the form of a console's page whose action ends so."""
    form = next(form for form in wire.PageForm(page.text).forms if form["action"].endswith(ending))
    return demo.send(
        "POST", form["action"],
        {**cookie, "Origin": demo.base, "Sec-Fetch-Site": "same-origin", "Content-Type": wire.FORM},
        wire.encode({**form["fields"], "reason": reason}))


def shown_secret(page) -> str | None:
    found = re.search(r'<code id="secret-value">([^<]+)</code>', page.text)
    return found and unescape(found.group(1))


def test_a_console_says_before_that_it_closes_with_the_secret_of_the_client_that_opened_it(demo):
    client, other = operating(demo), operating(demo)
    opened, path = paste(demo, token(demo, client)), f"/admin/clients/{client['client_id']}"
    before = console_page(demo, opened, path)
    assert 'id="closes-console"' in before.text
    assert 'id="closes-console"' not in console_page(demo, opened, f"/admin/clients/{other['client_id']}").text
    first = click(demo, opened, before, "/secret", "lost")
    assert first.status == 200 and shown_secret(first), first.text
    # No way to ask again, as a double click would.
    second = click(demo, opened, before, "/secret", "lost")
    assert second.status == 303 and "/admin/sign-in?" in second.header("Location"), second.text
    new = token(demo, {**client, "client_secret": shown_secret(first)})
    assert as_bearer(demo, new).status == 200


def test_the_command_line_makes_a_new_secret_where_the_digest_is_left_out_of_what_it_shows(demo):
    client, at = operating(demo), ["--data", str(demo.data)]
    old = token(demo, client)
    document = instance.run("clients", "show", *at, client["client_id"]).stdout
    kept = instance.run("clients", "add", *at, "--replace", "-", stdin=document).stdout
    assert b"client_secret" not in kept
    lines = document.splitlines(keepends=True)
    without = b"".join(line for line in lines if b'"client_secret_digest"' not in line)
    assert len(without.splitlines()) == len(lines) - 1
    made = instance.run("clients", "add", *at, "--replace", "-", stdin=without).stdout.decode()
    secret = re.search(r"^client_secret, shown this once: (dbc_\S+)$", made, re.MULTILINE).group(1)
    instance.wait_until(lambda: as_bearer(demo, old).status == 401, what="the old token to administer no more")
    assert as_bearer(demo, token(demo, {**client, "client_secret": secret})).status == 200


def set_up_link(demo, cookie: dict, user: dict) -> str:
    """The path of a link that sets the user's password, made in this console."""
    page = console_page(demo, cookie, f"/admin/users/{user['sub']}")
    made = click(demo, cookie, page, "/set-up-link", "forgotten")
    assert made.status == 200, made.text
    link = unescape(re.search(r'<code id="set-up-link">([^<]+)</code>', made.text).group(1))
    return link.removeprefix(f"{urlsplit(link).scheme}://{urlsplit(link).netloc}")


def deleted(demo, client: dict):
    admin, path = Admin(demo), f"clients/{client['client_id']}"
    assert admin.send("DELETE", path, None, {"If-Match": admin.get(path).header("ETag")}).status == 204


@pytest.mark.parametrize("fate", [renewed, deleted])
def test_attack_a_set_up_link_does_not_outlive_who_made_it(demo, fate):
    client, user = operating(demo), somebody(demo)
    link = set_up_link(demo, paste(demo, token(demo, client)), user)
    page = demo.send("GET", link)
    assert page.status == 200, page.text
    [form] = [form for form in wire.PageForm(page.text).forms if "link" in form["fields"]]
    fate(demo, client)
    answer = demo.send(
        "POST", form["action"],
        {"Cookie": wire.cookie_header(page), "Origin": demo.base, "Sec-Fetch-Site": "same-origin",
         "Content-Type": wire.FORM},
        wire.encode({**form["fields"], "new_password": "a thief's own words", "again": "a thief's own words"}))
    assert answer.status == 400, (answer.status, answer.text)
    assert demo.send("GET", link).status == 400
    told = [row for row in demo.audit("user.password_changed") if row["subject"] == user["sub"]]
    assert told and {(row["outcome"], row["reason"]) for row in told} == {("failure", "link_of_former_administrator")}
    assert json.loads(told[0]["detail"]) == {"link_by": f"client:{client['client_id']}"}


def test_who_made_a_set_up_link_is_in_the_event_of_its_use_and_the_link_in_none(demo):
    client, user = operating(demo), somebody(demo)
    link = set_up_link(demo, paste(demo, token(demo, client)), user)
    reason = f"wrong recipient got {demo.base}{link}"
    noted = Admin(demo).send("PATCH", f"users/{user['sub']}", {"claims": {"nickname": "Al"}, "reason": reason})
    assert noted.status == 200, noted.body
    changed = next(row for row in demo.audit("user.claims_changed") if row["subject"] == user["sub"])
    assert changed["reason"] == "<redacted>"
    page = demo.send("GET", link)
    [form] = [form for form in wire.PageForm(page.text).forms if "link" in form["fields"]]
    answer = demo.send(
        "POST", form["action"],
        {"Cookie": wire.cookie_header(page), "Origin": demo.base, "Sec-Fetch-Site": "same-origin",
         "Content-Type": wire.FORM},
        wire.encode({**form["fields"], "new_password": "their own good words", "again": "their own good words"}))
    assert answer.status == 303, answer.text
    told = next(row for row in demo.audit("user.password_changed") if row["subject"] == user["sub"])
    assert json.loads(told["detail"]) == {
        "actor": f"account:{user['sub']}", "link_by": f"client:{client['client_id']}"}
    assert link.split("link=")[1] not in json.dumps(demo.audit())
