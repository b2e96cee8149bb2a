"""Second factors: set up on the command line and on the user's own page, asked for by the console."""

import html
import json
import re

import instance
import oauth
import totp
from qr import drawn, encoded
from second_factor import add, enrolled, factor, password

PAGE = "/account/second-factor"


def follow(browser, answer):
    while answer.status == 303:
        answer = browser.request("GET", answer.header("Location").removeprefix(browser.demo.base))
    return answer


def changes(server) -> list[dict]:
    return [{**json.loads(row["detail"]), "reason": row["reason"]} for row in instance.audit_rows(server.data)
            if row["type"] == "user.second_factor_changed" and row["outcome"] == "success"]


def test_who_came_by_a_link_is_told_why_to_sign_in_and_no_name(demo):
    cookie = {"Cookie": demo.sign_in(demo.user("bob")["sub"])}
    asked = demo.send("GET", PAGE, cookie)
    page = demo.send("GET", asked.header("Location").removeprefix(demo.base), cookie).text
    assert "A sign-in that came from an app or a link cannot change how you sign in." in page
    # As a word: what the form holds is random, and has these letters in a row at times.
    assert not re.search(r"\bbob\b", page, re.I)
    assert "came from an app" not in demo.send("GET", "/sign-in").text


def test_an_administrator_enrolled_on_the_command_line_opens_the_console_with_a_code(serve):
    server = serve()
    add(server, "root", "--admin")
    key, codes = enrolled(server, "root", "--reason", "first administrator")
    browser = oauth.Browser(server)
    page = password(browser, "root")
    assert page.status == 200 and "one-time-code" in page.text
    code = totp.code(key)
    answer = browser.submit(page, code=code)
    assert answer.status == 303 and answer.header("Location") == server.base + "/admin/"
    console = follow(browser, answer)
    assert console.status == 200 and "Overview" in console.text
    # The same step again, in another browser: refused. A recovery code: once.
    other = oauth.Browser(server)
    page = password(other, "root")
    assert other.submit(page, code=code).status == 400
    assert other.submit(page, code=codes[0]).status == 303
    third = oauth.Browser(server)
    assert third.submit(password(third, "root"), code=codes[0]).status == 400
    used, change = changes(server)
    assert used["change"] == "recovery_code_used" and int(used["recovery_codes_left"]) == len(codes) - 1
    assert change["change"] == "enrolled" and change["reason"] == "first administrator"
    assert change["actor"].startswith("login:")
    # Neither the key nor a recovery code is in what was written down.
    written = json.dumps(instance.audit_rows(server.data), default=str) + server.output
    assert key not in written and not any(code in written for code in codes)


def test_an_administrator_without_a_second_factor_sets_one_up_on_the_way_to_the_console(serve):
    server = serve()
    add(server, "root", "--admin")
    browser = oauth.Browser(server)
    page = follow(browser, password(browser, "root"))
    assert page.status == 200 and 'value="console"' in page.text
    key = re.search(r'<pre id="secret"[^>]*>([A-Z2-7 ]+)<', page.text)[1]
    done = browser.submit(page, code=totp.code(key))
    assert done.status == 200 and len(re.findall(r"[a-z2-7]{4}(?:-[a-z2-7]{4}){3}", done.text)) == 10
    answer = browser.submit(password(browser, "root"), code=totp.code(key, later=1))
    assert follow(browser, answer).status == 200 and answer.header("Location") == server.base + "/admin/"
    assert [change["change"] for change in changes(server)] == ["enrolled"]


def test_the_page_shows_the_key_as_the_code_that_another_encoder_makes(serve):
    server = serve()
    add(server, "root", "--admin")
    browser = oauth.Browser(server)
    page = follow(browser, password(browser, "root")).text
    uri = html.unescape(re.search(r'href="(otpauth:[^"]+)"', page)[1])
    assert drawn(page) in [encoded(uri, mask) for mask in range(8)]


def test_the_command_replaces_renews_and_removes(serve):
    server = serve()
    add(server, "alice")
    assert factor(server, "recovery-codes", "alice", check=False).returncode == 1
    first, codes = enrolled(server, "alice")
    assert factor(server, "enrol", "alice", check=False).returncode == 1
    second, _ = enrolled(server, "alice", "--replace")
    assert first != second
    renewed = factor(server, "recovery-codes", "alice").stdout.decode().split()
    assert not set(renewed) & set(codes)
    assert factor(server, "remove", "--reason", "phone lost", "alice").returncode == 0
    assert factor(server, "remove", "alice", check=False).returncode == 1
    browser = oauth.Browser(server)
    assert password(browser, "alice", "/sign-in").status == 303
    assert [change["change"] for change in changes(server)] == [
        "enrolled", "enrolled", "recovery_codes_renewed", "removed"]
    assert changes(server)[-1]["reason"] == "phone lost"


def test_the_page_is_german_for_who_wants_it_so(serve):
    server = serve()
    add(server, "alice")
    browser = oauth.Browser(server)
    password(browser, "alice", "/sign-in")
    cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
    page = server.send("GET", PAGE, {"Cookie": cookies, "Accept-Language": "de"})
    assert page.status == 200 and "<h1>Zweiter Faktor</h1>" in page.text
