"""Signing in a computer's browser with a phone over the wire (contract §9), and what is tried against it."""

import re
import socket
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest

import instance
import wire
from admin import Admin, Console
from boundaries import asks_to_sign_in
from computer import NO_DIGITS, PAGE, Computer, Phone, Question, waiting_pages, wrong
from native import CALLBACK, App, Browser

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


@pytest.fixture
def computer(demo) -> Computer:
    return Computer(demo.base, **{"User-Agent": FIREFOX})


@pytest.fixture(scope="module")
def phone(demo) -> Phone:
    return Phone(demo)


def test_a_phone_that_scans_and_approves_signs_the_computer_in_where_it_wanted(demo, computer, phone):
    computer.open("?redirect=%2Faccount%2Fprofile")
    cookie = computer.page.cookies["__Host-xd"]
    assert cookie.attributes["samesite"] == "Strict" and "httponly" in cookie.attributes and "secure" in cookie.attributes
    assert cookie.attributes["max-age"] == "180"
    assert computer.link == f"{demo.facts['issuer']}/x/{computer.id}" and len(computer.id) == 22
    assert re.fullmatch(r"[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}", computer.letters)
    scanned = phone.scan(computer)
    assert scanned["origin"] == demo.facts["issuer"] and scanned["browser"] == "Firefox" and scanned["system"] == "Linux"
    assert scanned["same_network"] is True and scanned["known_browser"] is False and scanned["age"] >= 0
    assert computer.state() == "scanned"
    digits = phone.approve(computer, scanned)
    assert re.fullmatch(r"[0-9]{6}", digits)
    landed = computer.confirm(digits)
    assert landed.status == 303 and landed.header("Location").endswith("/account/profile"), landed.text
    assert "__Host-xd" not in computer.jar
    session = computer.session
    assert session["authenticated"] and session["origin"] == "device_code" and session["sub"] == demo.user("alice")["sub"]
    assert {event["type"] for event in demo.audit("cross_device.scanned", "cross_device.approved")} == {
        "cross_device.scanned", "cross_device.approved"}


def test_the_page_hears_of_the_scan_while_it_waits(demo, computer, phone):
    question = Question(computer.open(), demo)
    phone.scan(computer)
    answer = question.answer().json()
    assert answer["state"] == "scanned" and 0 < answer["left"] <= 120


def test_a_second_tab_takes_the_place_of_the_first_which_hears_of_it(computer, phone):
    first, tab = computer.open().id, computer.tab
    computer.open()
    assert phone.post(f"{first}/scan").status == 404
    assert computer.status("created", on=tab).json() == {"state": "expired", "left": 0}
    phone.scan(computer)
    assert computer.status("created", on=computer.tab).json()["state"] == "scanned"
    assert computer.tab != computer.id, "proxies write the question down: it must not name the link"


def test_a_page_with_an_older_script_is_not_told_that_it_is_over(computer):
    computer.open()
    answer = computer.send("GET", f"{PAGE}/status?seen=&id=undefined")
    assert answer.json()["state"] == "created"


def test_a_node_that_keeps_as_many_waiting_as_it_may_answers_the_others_at_once(serve):
    node = serve("cross_device: {enabled: true, held_pages: 1}")
    with waiting_visitor(Computer(node.base).open(), node):
        answer = Computer(node.base).open().status("created")
        assert set(answer.json()) == {"state", "left"} and answer.json()["state"] == "created"
        assert answer.header("Retry-After") == "10" and answer.header("Connection") == "close"
    assert node.metrics()["drawbridge_phone_sign_in_turned_away_total"] == 1
    # The visitor is gone, and the next one has the place.
    instance.wait_until(lambda: waiting_pages(node) == 0, what="a free place")
    question = Question(Computer(node.base).open(), node)
    assert node.stop() == 0
    answer = question.answer()
    assert answer.json()["state"] == "created" and answer.header("Retry-After") is None


def test_a_question_with_a_body_is_held_like_another(demo, computer):
    with waiting_visitor(computer.open(), demo, b"Content-Length: 5\r\n\r\nhello"):
        pass
    instance.wait_until(lambda: waiting_pages(demo) == 0, what="a free place")
    with waiting_visitor(Computer(demo.base).open(), demo, b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"):
        pass
    instance.wait_until(lambda: waiting_pages(demo) == 0, what="a free place")


@contextmanager
def waiting_visitor(computer: Computer, node, rest: bytes = b"\r\n"):
    """A page that waits for news, and goes away without an answer."""
    url = urlsplit(node.base)
    with socket.create_connection((url.hostname, url.port)) as connection:
        head = (f"GET {PAGE}/status?seen=created HTTP/1.1\r\nHost: {url.netloc}\r\n"
                f"Cookie: __Host-xd={computer.jar['__Host-xd']}\r\n")
        connection.sendall(head.encode() + rest)
        instance.wait_until(lambda: waiting_pages(node) == 1, 20, "a page that waits")
        yield


@pytest.mark.parametrize("headers", [
    {**wire.NAVIGATION, "Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"},
    {**wire.NAVIGATION, "Sec-Purpose": "prefetch"},
], ids=["navigation", "picture", "prefetch"])
def test_attack_a_foreign_page_ends_no_page_that_is_open(demo, computer, phone, headers):
    computer.open("?redirect=%2Faccount%2Fprofile")
    answer = wire.send(demo.base, "GET", f"{PAGE}?redirect=%2Faccount%2Fprofile", headers)
    assert (answer.status, answer.header("Location")) == (303, f"{demo.base}/sign-in?redirect=%2Faccount%2Fprofile")
    assert "__Host-xd" not in answer.cookies
    phone.scan(computer)
    assert computer.state() == "scanned"


def test_without_its_cookie_the_status_is_nothing(demo, computer):
    computer.open()
    assert wire.send(demo.base, "GET", f"{PAGE}/status?seen=created").status == 404


def test_letters_lead_to_the_same_sign_in(computer, phone):
    computer.open()
    found = phone.post("by-code", user_code=computer.letters.lower().replace("-", "–"))
    assert found.status == 200 and found.json()["id"] == computer.id and found.json()["link"] == computer.link


def test_the_phone_that_scanned_may_repeat_letters_and_scan_and_gets_the_same(computer, phone):
    computer.open()
    found = phone.post("by-code", user_code=computer.letters).json()["id"]
    first = phone.scan(computer)
    again = phone.post("by-code", user_code=computer.letters)
    assert again.status == 200 and again.json()["id"] == found, again.text
    assert phone.scan(computer)["txn"] == first["txn"]
    assert computer.confirm(phone.approve(computer, first)).status == 303
    assert phone.post("by-code", user_code=computer.letters).status == 404


def test_a_member_that_nobody_reads_is_named(phone):
    answer = phone.post("by-code", usercode="BCDF-BCDF")
    assert (answer.status, answer.json()["error"]) == (400, "invalid_request")
    assert answer.json()["error_description"] == '"usercode" is not a member of this body; known: user_code'


def test_digits_that_the_phone_shows_sign_in_beside_the_user_name(demo, phone):
    shown = phone.post("code").json()
    assert re.fullmatch(r"[0-9]{6}", shown["code"]) and shown["expires_in"] == 60
    browser = Computer(demo.base)
    page = browser.send("GET", "/signin/code")
    refused = [browser.submit(page, "/signin/code", username=name, code=code)
               for name, code in (("alice", wrong(shown["code"])), ("nobody", shown["code"]), ("bob", shown["code"]))]
    assert {answer.status for answer in refused} == {400}
    assert len({re.search(r'id="notice">([^<]+)', answer.text).group(1) for answer in refused}) == 1
    assert all("<title>Error: " in answer.text and 'aria-invalid="true"' in answer.text for answer in refused)
    assert re.search(r'id="username"[^>]* autofocus', page.text) and not re.search(r'id="code"[^>]* autofocus', page.text)
    for answer in refused:
        assert re.search(r'id="code"[^>]* autofocus', answer.text), "the name is kept, the digits are not"
        assert not re.search(r'id="username"[^>]* autofocus', answer.text)
    assert browser.submit(page, "/signin/code", username="alice", code=shown["code"]).status == 303
    assert browser.session["origin"] == "device_code"


ARABIC = str.maketrans("0123456789", "٠١٢٣٤٥٦٧٨٩")


def asks_for_digits(answer: wire.Answer) -> bool:
    return answer.status == 400 and "<title>Error: " in answer.text and "Type all six digits" in answer.text


def test_9_what_cannot_be_the_digits_is_none_of_the_three_tries_at_the_page_of_the_code(demo, computer, phone):
    computer.open()
    scanned = phone.scan(computer)
    assert "shows no digits yet" in computer.confirm("").text
    digits = phone.approve(computer, scanned)
    before = len(demo.audit("cross_device.refused"))
    for code in NO_DIGITS:
        answer = computer.confirm(code)
        assert asks_for_digits(answer) and 'aria-invalid="true"' in answer.text, code
    assert asks_for_digits(computer.submit(computer.page, f"{PAGE}/confirm")), "without the field"
    assert len(demo.audit("cross_device.refused")) == before
    assert "digits are not right" in computer.confirm(wrong(digits)).text
    assert computer.confirm(f"{digits[:3]}-{digits[3:]}".translate(ARABIC)).status == 303
    assert computer.session["authenticated"]


def test_9_what_cannot_be_the_digits_is_none_of_the_three_tries_beside_the_user_name(demo, phone):
    digits = phone.post("code").json()["code"]
    browser = Computer(demo.base)
    page = browser.send("GET", "/signin/code")
    before = len(demo.audit("cross_device.refused"))
    answers = [browser.submit(page, "/signin/code", username=name, code=code)
               for code in NO_DIGITS for name in ["alice", "nobody"]]
    assert all(asks_for_digits(answer) and 'aria-invalid="true"' in answer.text for answer in answers)
    assert len(demo.audit("cross_device.refused")) == before
    assert browser.submit(page, "/signin/code", username="alice", code=wrong(digits)).status == 400
    spaced = f" {digits[:3]} {digits[3:]} ".translate(ARABIC)
    assert browser.submit(page, "/signin/code", username="alice", code=spaced).status == 303


def test_another_way_to_sign_in_leads_to_the_same_place(computer):
    pages = [computer.send("GET", f"{path}?redirect=%2Faccount%2Fprofile") for path in (PAGE, "/signin/code")]
    assert all('href="/sign-in?redirect=%2Faccount%2Fprofile"' in page.text for page in pages)
    assert f'href="{PAGE}?redirect=%2Faccount%2Fprofile"' in pages[1].text


def test_declining_ends_it(computer, phone):
    computer.open()
    digits = phone.digits(computer)
    assert phone.post(f"{computer.id}/deny").status == 204
    over = computer.confirm(digits)
    assert over.status == 200 and 'data-state="denied"' in over.text
    assert not computer.session["authenticated"]


def test_a_page_without_script_asks_again_until_there_is_something_to_type(computer, phone):
    computer.open()
    refresh = re.search(r'<noscript><meta http-equiv="refresh" content="3; url=([^"]+)">', computer.page.text)
    looked = computer.send("GET", refresh.group(1).replace("&amp;", "&"))
    assert computer.link in looked.text, "the same sign-in, not a new one"
    phone.scan(computer)
    looked = computer.send("GET", refresh.group(1).replace("&amp;", "&"))
    assert "http-equiv" not in looked.text and 'data-state="scanned"' in looked.text
    assert not re.search(r'<div data-when="scanned approved" hidden', looked.text)


def test_the_link_says_nothing_of_the_sign_in(demo, computer, phone):
    computer.open()
    elsewhere = Browser(demo.base)
    before = elsewhere.send("GET", f"/x/{computer.id}")
    phone.scan(computer)
    pages = [before, elsewhere.send("GET", f"/x/{computer.id}"), elsewhere.send("GET", "/x/AAAAAAAAAAAAAAAAAAAAAA")]
    assert {page.status for page in pages} == {200}
    assert len({re.sub(r"<footer.*", "", page.text, flags=re.S) for page in pages}) == 1
    assert 'id="same-device"' in computer.send("GET", f"/x/{computer.id}").text


# Attacks.

def test_attack_a_second_scanner(demo, computer, phone):
    computer.open()
    scanned = phone.scan(computer)
    bob = Phone(demo, "bob")
    late = bob.post(f"{computer.id}/scan")
    assert late.status == 409 and late.json()["error"] == "already_scanned"
    assert bob.post(f"{computer.id}/approve", txn=scanned["txn"]).status == 403
    assert bob.post(f"{computer.id}/deny").status == 403


def test_attack_the_code_in_an_email_has_no_page_to_type_into(demo, computer, phone):
    """The victim scans and approves; whoever reads the digits out still needs the browser that began it."""
    computer.open()
    digits = phone.digits(computer)
    victim = Computer(demo.base).open()
    assert re.search(r'<div data-when="scanned approved" hidden', victim.page.text)
    assert 'data-state="created"' in victim.confirm(digits).text
    assert not victim.session["authenticated"]


def test_attack_a_confirmation_without_the_cookie_or_from_another_site(demo, computer, phone):
    computer.open()
    digits = phone.digits(computer)
    bare = wire.send(
        demo.base, "POST", f"{PAGE}/confirm", {"Content-Type": wire.FORM}, f"code={digits}".encode())
    assert bare.status == 303 and bare.header("Location").endswith(PAGE) and not bare.session_cookie
    # The cookie alone, as another page in this browser would have it sent: without our form's token.
    forged = computer.send(
        "POST", f"{PAGE}/confirm", {"Content-Type": wire.FORM, "Origin": "https://evil.example"},
        f"code={digits}&csrf=x".encode())
    assert forged.status == 400 and "__Host-drawbridge_session" not in computer.jar
    assert computer.confirm(digits).status == 303


def test_attack_session_fixation(demo, computer, phone):
    computer.open()
    planted = "dbs_" + "A" * 49
    computer.jar["__Host-drawbridge_session"] = planted
    assert computer.confirm(phone.digits(computer)).status == 303
    assert computer.jar["__Host-drawbridge_session"] != planted


def test_attack_three_wrong_digits(computer, phone):
    computer.open()
    digits = phone.digits(computer)
    answers = [computer.confirm(wrong(digits)) for _ in range(3)]
    assert [answer.status for answer in answers] == [400, 400, 400]
    assert "<title>Error: " in answers[0].text
    assert 'aria-invalid="true" aria-describedby="notice"' in answers[0].text
    assert 'data-state="locked"' in answers[2].text
    assert 'data-state="locked"' in computer.confirm(digits).text
    assert not computer.session["authenticated"]


def test_attack_a_transaction_used_again(computer, phone):
    computer.open()
    scanned = phone.scan(computer)
    digits = phone.approve(computer, scanned)
    assert phone.post(f"{computer.id}/approve", txn=scanned["txn"]).status == 409
    assert computer.confirm(digits).status == 303
    assert phone.post(f"{computer.id}/approve", txn=scanned["txn"]).status == 409


def test_attack_a_handed_over_session_approves(demo, computer, phone):
    """Neither the second app of a device, nor what hangs under an approved browser, nor another issuer's bearer."""
    computer.open()
    first = App(demo, user="alice")
    first.sign_in()
    second = first.native_sso().json()["access_token"]
    for token in (second, demo.bearer("alice")):
        refused = Phone(demo, token=token).post(f"{computer.id}/scan")
        assert refused.status == 403 and refused.json()["error"] == "unauthorized_client", refused.text


def test_attack_the_opened_session_hands_nothing_on(demo, computer, phone):
    computer.open()
    assert computer.confirm(phone.digits(computer)).status == 303
    # A native client's authorization request: the sign-in page, and silently nothing.
    app = App(demo)
    query = ("/oauth/authorize?response_type=code&client_id=demo-app&redirect_uri=https%3A%2F%2Fapp.example.com%2Fcallback"
             "&scope=openid&state=abcdefghabcdefgh&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
             "&code_challenge_method=S256")
    asked = computer.send("GET", query)
    assert asks_to_sign_in(asked), asked.text
    silent = computer.send("GET", query + "&prompt=none")
    assert "error=login_required" in silent.header("Location")
    # Its cookie is no bearer.
    secret = computer.jar["__Host-drawbridge_session"]
    issue = wire.send(demo.base, "POST", instance.ISSUE, {"Authorization": f"Bearer {secret}"})
    assert issue.status == 401
    assert app.tokens == {}


def test_an_approval_takes_what_the_api_says(computer, phone):
    computer.open()
    assert phone.post(f"{computer.id}/approve").json()["error"] == "invalid_request"
    assert phone.post(f"{computer.id}/scan", more=1).json()["error"] == "invalid_request"
    assert phone.post("AAAAAAAAAAAAAAAAAAAAAA/scan").status == 404
    bare = wire.send(phone.demo.base, "POST", f"/api/xd/{computer.id}/scan")
    assert bare.status == 401 and bare.header("WWW-Authenticate") == "Bearer"


def test_the_sign_in_page_offers_it_and_metrics_count_it(demo, computer, phone):
    page = Browser(demo.base).send("GET", "/sign-in?redirect=%2Fcontacts")
    assert 'href="/signin/phone?redirect=%2Fcontacts"' in page.text
    assert "drawbridge_phone_sign_in_waiting" in demo.metrics()


# With limits.

def first_refused(send):
    """The first answer that is not taken, of a good many."""
    answer = send()
    for _ in range(40):
        if answer.status != 200:
            break
        answer = send()
    return answer


def test_who_asks_too_often_is_told_when_to_ask_again_and_codes_are_not_guessed(start_demo):
    demo = start_demo()
    phone = Phone(demo)
    computer = Computer(demo.base).open()
    # However slow the machine is: one a second and ten a minute are allowed, and more are asked for.
    again = first_refused(computer.status)
    assert again.status == 429 and again.header("Retry-After") == "1"
    refused = first_refused(lambda: Computer(demo.base).send("GET", PAGE))
    assert refused.status == 429 and int(refused.header("Retry-After")) > 0
    assert re.search(r"Please wait \d+ (s|min), then try again\.", refused.text) and "from your app" not in refused.text
    for _ in range(5):
        assert phone.post("by-code", user_code="BCDF-BCDF").status == 404
    assert phone.post("by-code", user_code=computer.letters).status == 429


def first_limited(send, *statuses: int) -> wire.Answer:
    """The first answer past a limit; those before it have these."""
    for _ in range(100):
        answer = send()
        if answer.status == 429:
            break
        assert answer.status in statuses, answer.text
    assert answer.status == 429
    return answer


def test_attack_an_app_that_may_not_approve_uses_up_nobodys_approvals(start_demo):
    demo = start_demo()
    phone = Phone(demo)
    computer = Computer(demo.base).open()
    other = {"Authorization": f"Bearer {demo.bearer('alice', 'demo-app-b')}"}
    first_limited(lambda: demo.send("POST", f"/api/xd/{computer.id}/scan", other), 403)
    assert re.fullmatch(r"[0-9]{6}", phone.digits(computer))
    # Nor do approvals use up what declining and reporting have.
    first_limited(lambda: phone.post(f"{computer.id}/scan"), 200, 404, 409)
    assert phone.post(f"{computer.id}/deny", report=1).status == 204
    assert {row["reason"] for row in demo.audit("rate_limit.exceeded")} == {"cross_device.client", "cross_device.subject"}


# A program that keeps its numbers as doubles sends 1.0 (RFC 7493 §2.2).
@pytest.mark.parametrize("where, flag", [("body", 1), ("body", 1.0), ("query", 1)])
def test_a_report_raises_an_alarm_and_blocks_the_computer(start_demo, where, flag):
    demo = start_demo()
    phone = Phone(demo)
    computer = Computer(demo.base).open()
    phone.scan(computer)
    denied = phone.post(f"{computer.id}/deny", report=flag) if where == "body" else phone.post(f"{computer.id}/deny?report=1")
    assert denied.status == 204
    blocked = Computer(demo.base).send("GET", PAGE)
    assert blocked.status == 429 and int(blocked.header("Retry-After")) > 840
    assert "Please wait 15 min, then try again." in blocked.text
    events = wire.send(
        demo.base, "GET", "/api/admin/audit-events?type=cross_device.reported",
        {"Authorization": f"Bearer {demo.facts['admin_token']}"}).json()["items"]
    assert len(events) == 1
    instance.wait_until(lambda: "\"alert\"" in demo.output and "reported_sign_ins" in demo.output, 30, "the alarm")


@pytest.mark.parametrize("report", ["yes", "TRUE", 2, 1.5])
def test_a_report_that_is_not_understood_is_refused_and_decides_nothing(demo, computer, phone, report):
    """A plain no would end the sign-in, and the alarm would never be raised."""
    computer.open()
    phone.scan(computer)
    answer = phone.post(f"{computer.id}/deny", report=report)
    assert answer.status == 400 and answer.json()["error"] == "invalid_request", answer.body
    assert "report" in answer.json()["error_description"]
    assert computer.state() == "scanned"
    assert phone.post(f"{computer.id}/deny", report=0).status == 204


def test_a_report_in_the_query_counts_as_one_in_the_body_and_both_are_one_too_many(demo, computer, phone):
    computer.open()
    phone.scan(computer)
    for query, members in [("report=yes", {}), ("report", {}), ("report=1&report=1", {}), ("report=1", {"report": 1}),
                           ("report=0", {"report": 1})]:
        answer = phone.post(f"{computer.id}/deny?{query}", **members)
        assert (answer.status, answer.json()["error"]) == (400, "invalid_request"), (query, answer.body)
    assert computer.state() == "scanned"
    assert phone.post(f"{computer.id}/deny?report=0").status == 204


def test_a_number_or_a_boolean_is_no_text_and_decides_nothing(demo, computer, phone):
    """A client that sends the wrong type has to hear of it, and not that a code is unknown."""
    computer.open()
    phone.scan(computer)
    for path, members in [
            (f"{computer.id}/approve", {"txn": 5}), (f"{computer.id}/approve", {"txn": True}),
            (f"{computer.id}/deny", {"txn": 5}), (f"{computer.id}/deny", {"report": ["1"]}),
            ("by-code", {"user_code": 12345678}), ("by-code", {"user_code": False})]:
        answer = phone.post(path, **members)
        said = answer.json()
        assert (answer.status, said["error"]) == (400, "invalid_request"), answer.body
        assert said["error_description"] == f"{next(iter(members))} has the wrong type", said
    assert computer.state() == "scanned"


def test_an_administrator_asks_what_a_sign_in_waits_for_and_whether_an_app_may_approve(demo, computer, phone):
    computer.open()
    other = Phone(demo, "bob")

    def explained(**more) -> tuple:
        answer = Admin(demo).send("POST", "explain", {"kind": "cross_device", **more})
        assert answer.status == 200, answer.body
        assert not any(value in answer.text for name, value in more.items() if name == "token")
        return answer.json()["passes"], answer.json()["reason"]

    assert explained(link=computer.link) == explained(user_code=computer.letters) == (True, None)
    assert explained(token=phone.token) == (True, None)
    phone.scan(computer)
    assert explained(link=computer.link, token=phone.token) == (True, None)
    assert explained(link=computer.link, token=other.token) == (False, "already_scanned")
    assert explained(token="nonsense") == (False, "malformed")
    assert Admin(demo).send("POST", "explain", {"kind": "cross_device"}).status == 400


def test_the_console_explains_a_sign_in_by_the_link_or_the_letters_and_whether_an_app_may_approve(
        demo, computer, phone):
    computer.open()
    console = Console(demo)
    assert console.explained("cross_device", shown=computer.link) == (True, None)
    assert console.explained("cross_device", shown=computer.letters) == (True, None)
    assert console.explained("cross_device", shown="BBBB-BBBB") == (False, "unknown_code")
    assert console.explained("cross_device", token=phone.token) == (True, None)
    phone.scan(computer)
    assert console.explained("cross_device", shown=computer.link, token=Phone(demo, "bob").token) == (
        False, "already_scanned")


def test_where_the_phone_must_be_in_the_computers_network_one_of_another_network_gets_nowhere(serve):
    server = serve("cross_device: {enabled: true, require_same_network: true}\n", users={"alice": "a long enough passphrase"},
                   clients=[{"client_id": "notes", "client_type": "native", "redirect_uris": [CALLBACK], "first_party": True,
                             "can_issue_login_tokens": True, "may_reach": ["web"]}])
    phone, computer = Phone(server, app="notes"), Computer(server.base).open()

    def scan(source: str) -> wire.Answer:
        bearer = {"Authorization": f"Bearer {phone.token}"}
        return server.send("POST", f"/api/xd/{computer.id}/scan", bearer, {}, source=source)

    assert scan("127.0.1.1").status == 403
    assert computer.state() == "created"
    assert scan("127.0.0.2").status == 200


def test_off_it_is_not_there(serve):
    server = serve()
    assert wire.send(server.base, "GET", PAGE).status == 404
    assert wire.send(server.base, "POST", "/api/xd/code").status == 404
