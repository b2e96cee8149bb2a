"""Tables of rules, self-issued sign-in, sign-in by a phone and device codes: no plan of the suite has them."""

import secrets
from urllib.parse import urlencode

import pytest

import case_tables
import computer
import return_paths
import selfissued
import signing
from devices import Device
from op import admin

module = pytest.mark.module
REDIRECT_URIS = case_tables.read("redirect_uri_cases.json", copy="OAuth2Tests")


@module("redirect-uri-table")
def test_redirect_uri_table(op, report):
    """Each case as a registration, and as the request of whoever could register."""
    cases = [case for case in REDIRECT_URIS if "localhost" not in (case.get("options") or [])]
    clients, headers = {}, admin(op)
    for case in cases:
        key = case["client"], case["registered"]
        if key not in clients:
            clients[key] = registered(op, headers, *key)
        if case["phase"] == "registration":
            report.must((clients[key] is not None) is case["accept"], f"{case.get('why')}: {case['registered']}")
        elif clients[key] is not None:
            answer = op.send("GET", "/oauth/authorize?" + urlencode({
                "client_id": clients[key], "redirect_uri": case["requested"], "response_type": "code", "scope": "openid",
                "state": "s", "code_challenge": signing.challenge("v" * 43), "code_challenge_method": "S256"}))
            went_on = answer.status == 303 and answer.header("Location").startswith(("/", op.base + "/"))
            report.must(went_on if case["accept"] else answer.status == 400 and not answer.header("Location"),
                        f"{case.get('why')}: {case['requested']}: {answer.status}")
        else:
            report.must(not case["accept"], f"{case.get('why')}: what cannot be registered matches nothing")


def registered(op, headers: dict, kind: str, uri: str) -> str | None:
    """The id of a new client with this redirect URI; `None` where it is refused."""
    answer = op.send("POST", "/api/admin/clients", headers, {
        "client_id": f"table-{secrets.token_hex(6)}", "client_name": "Table", "client_type": kind, "redirect_uris": [uri]})
    assert answer.status in (201, 400), (uri, answer.status, answer.body)
    return answer.json()["client_id"] if answer.status == 201 else None


@module("return-path-table")
def test_return_path_table(report):
    for allow in sorted({tuple(case["allow"]) for case in return_paths.CASES}):
        wrong = return_paths.wrongly_decided(allow)
        report.must(not wrong, f"those of {allow}: {wrong}")


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
