"""Tables of rules, self-issued sign-in, sign-in by a phone and device codes: no plan of the suite has them."""

import re
import secrets
from collections.abc import Callable
from urllib.parse import urlencode

import pytest

import case_tables
import computer
import return_paths
import selfissued
import signing
import wire
from devices import Device
from op import OP, admin

module = pytest.mark.module
REDIRECT_URIS = case_tables.read("redirect_uri_cases.json", copy="OAuth2Tests")


#: The words that a row may have, and what an option is called in a client's document. A row with another cannot be played.
PHASES, CLIENTS, OPTIONS = ("registration", "request"), ("native", "web"), {"localhost": "allow_localhost"}


@module("redirect-uri-table")
def test_redirect_uri_table(op, report):
    """Each case as a registration, and as the request of whoever could register."""
    register = registrar(op)
    wrong = [f"{case}: {found}" for case in REDIRECT_URIS if (found := fault(op, register, case))]
    report.must(not wrong, "\n".join(wrong))


def registrar(op: OP) -> Callable[[dict], wire.Answer]:
    """Registers a new client by a row of the table: one for all rows that want the same."""
    answers, headers = {}, admin(op)

    def register(case: dict) -> wire.Answer:
        options = {OPTIONS[name]: True for name in case.get("options") or []}
        key = case["client"], case["registered"], *options
        if key not in answers:
            answers[key] = op.send("POST", "/api/admin/clients", headers, {
                "client_id": f"table-{secrets.token_hex(6)}", "client_name": "Table", "client_type": case["client"],
                "redirect_uris": [case["registered"]], **options})
        return answers[key]

    return register


def fault(op: OP, register: Callable[[dict], wire.Answer], case: dict) -> str | None:
    """What is not as the row says, or why it cannot be played; `None` where all is."""
    try:
        assert case["phase"] in PHASES and case["client"] in CLIENTS and set(case.get("options") or []) <= OPTIONS.keys()
        assert isinstance(case["accept"], bool)
        # In another field than the one that is read it would be refused untried.
        assert case.get("requested") is not None or not any(name.startswith("requested_") for name in case)
        made = register(case)
        assert made.status in (201, 400), (made.status, made.text)
        if made.status == 400:
            assert made.json()["error"] == "invalid_redirect_uri", made.text
        if case["phase"] == "registration":
            assert (made.status == 201) is case["accept"], made.text
            check(case, made, 201)
        elif made.status == 201:
            answer = ask(op, made.json()["client_id"], case.get("requested"))
            check(case, answer, 303)
            if case["accept"]:
                assert answer.header("Location").startswith(("/", op.base + "/")), answer.headers
        else:
            assert not case["accept"], "what cannot be registered matches nothing"
    except Exception as error:
        return repr(error)
    return None


def check(case: dict, answer: wire.Answer, accepted: int):
    """Whether an answer is the row's; `accepted` is the status of one that accepts."""
    status = accepted if case["accept"] else 400
    assert answer.status == case.get("http_status", status), answer.status
    redirected = case.get("redirected", accepted == 303 and case["accept"])
    assert (accepted == 303 and answer.header("Location") is not None) is redirected, answer.headers
    if "error" in case:
        is_page = answer.header("Content-Type").startswith("text/html")
        told = re.search("<code>([a-z_]+)</code>", answer.text)[1] if is_page else answer.json()["error"]
        assert told == case["error"], answer.text


def ask(op: OP, client: str, redirect_uri: str | None) -> wire.Answer:
    """A request for a code; `None` leaves the redirect URI out."""
    parameters = {
        "client_id": client, "redirect_uri": redirect_uri, "response_type": "code", "scope": "openid", "state": "s",
        "code_challenge": signing.challenge("v" * 43), "code_challenge_method": "S256"}
    return op.send("GET", "/oauth/authorize?" + urlencode(
        {name: value for name, value in parameters.items() if value is not None}))


REGISTERED = {"registered": "com.example.row:/cb", "phase": "registration", "client": "native", "accept": True}
REFUSED = {**REGISTERED, "phase": "request", "requested": "com.example.row:/other", "accept": False, "http_status": 400,
           "redirected": False, "error": "invalid_request"}


@pytest.mark.parametrize("row, change", [
    *((REGISTERED, change) for change in [
        {"phase": "answer"}, {"client": "service"}, {"options": ["port"]}, {"accept": False}, {"accept": None},
        {"error": "invalid_request"}, {"http_status": 400}, {"redirected": True}]),
    *((REFUSED, change) for change in [
        {"accept": True}, {"requested": "com.example.row:/cb"}, {"http_status": 303}, {"redirected": True},
        {"error": "invalid_redirect_uri"}])], ids=str)
def test_a_row_that_nobody_can_play_or_that_says_otherwise_is_a_fault(op, row, change):
    register = registrar(op)
    assert fault(op, register, row) is None
    assert fault(op, register, {**row, **change})


def test_a_request_without_a_redirect_uri_is_refused_whatever_is_registered(op):
    assert fault(op, registrar(op), {**REFUSED, "requested": None}) is None


@module("return-path-table")
def test_return_path_table(report):
    wrong = list(return_paths.UNREADABLE)
    for allow in sorted({tuple(case["allow"]) for case in return_paths.CASES}):
        try:
            wrong += return_paths.wrongly_decided(allow)
        except AssertionError as error:
            # A list that the service does not take: the others are still tried.
            wrong.append((allow, error))
    report.must(not wrong, f"{wrong}")


@pytest.fixture(scope="module")
def linked(demo) -> selfissued.Phone:
    """A phone whose key is linked to an account."""
    phone, owner = selfissued.Phone(), selfissued.Browser(demo)
    owner.sign_in("alice")
    owner.link(phone)
    return phone


@module("siop-same-device")
def test_siop_same_device(demo, report, linked):
    browser = selfissued.Browser(demo)
    answer = browser.respond(linked.answer(browser.start("?return=%2Faccount%2Fprofile")))
    report.must(answer.status == 200 and answer.json() == {"location": "/account/profile"}, f"it leads on: {answer.body}")
    report.must(browser.session()["sub"] == demo.user("alice")["sub"], "whoever linked the key is signed in")


@module("siop-browser-mismatch")
def test_siop_browser_mismatch(demo, report, linked):
    attacker, victim, stranger = (selfissued.Browser(demo) for _ in range(3))
    victim.start()
    for browser in [victim, stranger]:
        expect_refusal(report, browser, linked.answer(attacker.start()), "browser_mismatch")


@module("siop-relay-aud")
def test_siop_relay_aud(demo, report, linked):
    """Another website shows our nonce to the phone, which answers it by its own name."""
    browser = selfissued.Browser(demo)
    request = browser.start()
    relayed = {**request, "client_id": "https://evil.example/", "redirect_uri": "https://evil.example/callback"}
    expect_refusal(report, browser, linked.answer(relayed), "aud_mismatch")


def expect_refusal(report, browser: selfissued.Browser, answer: dict, name: str):
    refused = browser.respond(answer)
    report.must((refused.status, refused.json()["error"]) == (400, name), f"refused as {name}: {refused.body}")
    report.must(not browser.session()["authenticated"], "nobody is signed in")


@pytest.fixture(scope="module")
def phone(demo) -> computer.Phone:
    return computer.Phone(demo)


@pytest.fixture
def page(demo) -> computer.Computer:
    return computer.Computer(demo.base).open()


@module("xd-happy")
def test_xd_happy(demo, report, phone, page):
    digits = phone.digits(page)
    report.must(page.confirm(digits).status == 303, "the digits of the phone lead on")
    report.must(page.session["sub"] == demo.user("alice")["sub"], "the phone's user is signed in at the computer")


@module("xd-two-scanners")
def test_xd_two_scanners(demo, report, phone, page):
    scanned, other = phone.scan(page), computer.Phone(demo, "bob")
    late = other.post(f"{page.id}/scan")
    report.must((late.status, late.json()["error"]) == (409, "already_scanned"), f"the second comes too late: {late.body}")
    report.must(other.post(f"{page.id}/approve", txn=scanned["txn"]).status == 403, "and approves nothing")
    report.must(page.confirm(phone.approve(page, scanned)).status == 303, "the first goes on")


@module("xd-three-wrong-codes")
def test_xd_three_wrong_codes(report, phone, page):
    digits = phone.digits(page)
    answers = [page.confirm(computer.wrong(digits)) for _ in range(3)]
    report.must([answer.status for answer in answers] == [400] * 3, "each is refused")
    report.must('data-state="locked"' in page.confirm(digits).text, "after the third the right ones come too late")
    report.must(not page.session["authenticated"], "nobody is signed in")


@module("device-grant-slow-down")
def test_device_grant_slow_down(demo, report):
    device = Device(demo)
    report.must(device.error() == (400, "authorization_pending"), "the first time is not too early")
    for seconds in [10, 15]:
        answer = device.poll()
        report.must((answer.status, answer.json()["error"]) == (400, "slow_down"), f"RFC 8628 §3.5: {answer.body}")
        report.must(f"{seconds} seconds" in answer.json()["error_description"], "each time it has to wait 5 seconds longer")
