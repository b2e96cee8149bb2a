"""`drawbridge-phone` against websites of the test's own, over TLS; its answers judged by another implementation."""

import concurrent.futures
import json
import os
import pty
import select
import shutil
import socket
import stat
import subprocess
import threading
import time
import urllib.parse
from pathlib import Path

import pytest
from joserfc import jwk, jws

import instance
import phone as phones
from answer_once import answer_once
from judge import Refused, check, check_answer
from phone import Authority, Phone

RUBY = shutil.which("ruby") and subprocess.run(
    ["ruby", "-e", "require 'openid_connect'"], capture_output=True).returncode == 0


@pytest.fixture
def profile(phone):
    return write_profile(phone, {"claims": {"email": "alice@example.com", "name": "Alice", "picture": "https://a/p"}})


def test_the_program_is_of_the_services_version():
    done = subprocess.run([phones.binary(), "--version"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, instance.run("--version").stdout.decode()), done.stderr


def write_profile(phone, value) -> tuple[str, str]:
    path = phone.home / "profile.json"
    path.write_text(json.dumps(value))
    return "--profile", str(path)


def expect_refusal(phone, website, link, status, name, *more):
    """Refused by name; nobody got anything."""
    done = phone.run("handle", link, *phone.flags, "--yes", *more, status=status)
    assert f"drawbridge-phone: {name}: " in done.stderr, done.stderr
    assert done.stdout == "" and not website.posts and not phone.keys()
    assert len(done.stderr.strip().splitlines()) == 1, "nothing was asked"


# Answers

@pytest.mark.parametrize("algorithm", ["ES256", "RS256"])
@pytest.mark.parametrize("form, expected", [("auto", "seed2012"), ("seed", "seed2012"), ("core", "core7"), ("v2", "siopv2")])
def test_every_form_is_taken_by_another_implementation(website, phone, profile, form, expected, algorithm):
    answer = phone.answer(website.link(), "--form", form, "--alg", algorithm, *profile)
    found = check_answer(website, answer)
    assert found["form"] == expected
    assert found["alg"] == algorithm
    assert (found["told"]["email"], found["told"]["name"]) == ("alice@example.com", "Alice")
    assert "picture" not in found["told"], "optional is not ticked"
    if expected == "seed2012":
        assert answer.parameters["token_type"] == "Bearer" and len(answer.parameters["access_token"]) == 43
    else:
        assert set(answer.parameters) == {"id_token", "state"}


@pytest.mark.parametrize("head", [
    "openid://authz", "openid://", "siopv2://", "openid:", "https://rp.example/self-issued/open"])
def test_every_spelling_of_the_link_is_answered(website, phone, head):
    assert check_answer(website, phone.answer(website.link(head)))["form"] == "seed2012"


def test_a_link_as_of_2012_with_the_address_not_escaped(website, phone):
    link = f"openid://authz?request_uri={website.file_address}&state=a_f2fkEx&nonce=4f8921ce98f89"
    assert check_answer(website, phone.answer(link))["form"] == "seed2012"
    path, headers = website.requests[0]
    assert path == "/rp/rpf.json" and "application/json" in headers["Accept"] and "Cookie" not in headers


def by_value(website, scheme, **more) -> str:
    return f"{scheme}://?" + urllib.parse.urlencode({
        "response_type": "id_token", "client_id": website.return_uri, "scope": "openid profile", "state": "a_f2fkEx",
        "nonce": "4f8921ce98f89", **more})


@pytest.mark.skipif(not RUBY, reason="needs Ruby with openid_connect")
@pytest.mark.parametrize("algorithm", ["ES256", "RS256"])
def test_a_website_made_with_ruby_takes_the_form_of_core(website, phone, profile, algorithm):
    token = phone.answer(website.link(), "--form", "core", "--alg", algorithm, *profile).parameters["id_token"]
    asked = {"id_token": token, "client_id": website.return_uri, "nonce": "4f8921ce98f89"}
    taken = json.loads(in_ruby(asked).stdout)
    assert taken["subject"] == taken["thumbprint"] and taken["claims"]["name"] == "Alice"
    for change in ({"client_id": "https://victim.example/"}, {"nonce": "another"}, {"id_token": token[:-4] + "AAAA"}):
        assert in_ruby({**asked, **change}).returncode != 0, change


def in_ruby(asked: dict) -> subprocess.CompletedProcess:
    return subprocess.run(
        ["ruby", str(Path(__file__).with_name("website.rb"))], input=json.dumps(asked), capture_output=True, text=True)


def test_links_that_hold_the_request_follow_core_and_siopv2(website, phone):
    core = check_answer(website, phone.answer(by_value(website, "openid", registration=json.dumps({"client_name": "RP"}))))
    metadata = {"subject_syntax_types_supported": ["urn:ietf:params:oauth:jwk-thumbprint"]}
    v2 = check_answer(website, phone.answer(by_value(
        website, "siopv2", redirect_uri=website.return_uri, id_token_type="subject_signed_id_token",
        client_metadata=json.dumps(metadata))))
    assert (core["form"], v2["form"]) == ("core7", "siopv2")
    assert core["thumbprint"] == v2["thumbprint"] and core["claims"]["aud"] == website.return_uri
    assert not website.requests, "nothing was fetched"


def test_a_second_visit_is_the_same_person_and_another_website_another(serve_website, website, phone):
    first = phone.handle(website.link())
    assert "never there" in first.stderr
    second = phone.handle(website.link(nonce="another-nonce"))
    assert "were there before" in second.stderr
    known = [check_answer(website, phones.Answer(done.stdout.strip()), nonce)["thumbprint"]
             for done, nonce in ((first, "4f8921ce98f89"), (second, "another-nonce"))]
    assert known[0] == known[1]
    other = serve_website("other.example")
    assert check_answer(other, phone.answer(other.link()))["thumbprint"] != known[0]
    listed = phone.run("keys", "list").stdout
    assert len(listed.splitlines()) == 2 and known[0] in listed
    shown = json.loads(phone.run("keys", "show", website.client_id).stdout)
    assert jwk.import_key(shown["jwk"]).thumbprint() == known[0] == shown["thumbprint"]
    phone.run("keys", "forget", website.client_id)
    assert check_answer(website, phone.answer(website.link()))["thumbprint"] != known[0]


def test_the_answer_is_not_taken_by_another_website(website, phone):
    """A website relays another's nonce: the audience gives it away."""
    answer = phone.answer(website.link())
    with pytest.raises(Refused, match="aud_mismatch"):
        check(answer.parameters, ["https://victim.example/", "https://victim.example/callback"], "4f8921ce98f89")


def test_from_another_device_the_answer_is_posted(website, phone):
    website.publish(website.file_of_2012(response_uri=f"{website.origin}/self-issued/post"))
    website.publish({"redirect_uri": f"{website.origin}/done"}, path="/self-issued/post")
    done = phone.handle(website.link(), "--across-devices")
    assert "another screen" in done.stderr and done.stdout.strip() == f"{website.origin}/done"
    (path, headers, body), = website.posts
    assert path == "/self-issued/post" and headers["Content-Type"] == "application/x-www-form-urlencoded"
    parameters = dict(urllib.parse.parse_qsl(body))
    assert parameters["state"] == "a_f2fkEx"
    assert check(parameters, [website.client_id], "4f8921ce98f89")["form"] == "seed2012"


@pytest.mark.parametrize("status, name", [(302, "redirected"), (400, "status_unexpected")])
def test_a_post_that_is_not_taken_is_said(website, phone, status, name):
    website.publish(website.file_of_2012(response_mode="direct_post"))
    website.publish({"error": "state_unknown"}, status, "/rp/authz/callback.php", Location=f"{website.origin}/else")
    done = phone.handle(website.link(), status=3)
    assert f"{name}: " in done.stderr and done.stdout == "" and len(website.posts) == 1
    assert "another screen" in done.stderr, "the answer goes to a browser that may be anybody's"


def test_the_browser_of_ones_choice_gets_the_answer(website, phone, tmp_path):
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\nprintf "%s" "$1" > {tmp_path}/opened\n')
    browser.chmod(0o755)
    assert phone.handle(website.link(), "--open", str(browser)).stdout == ""
    check_answer(website, phones.Answer((tmp_path / "opened").read_text()))


# Consent

def test_who_declines_tells_that_alone(website, phone):
    done = phone.handle(website.link(), consent="--deny", status=10)
    answer = phones.Answer(done.stdout.strip())
    assert answer.address == website.return_uri
    assert answer.parameters == {"error": "access_denied", "state": "a_f2fkEx"}
    assert not phone.keys(), "no key is made"
    answer = phones.Answer(phone.handle(website.link(), "--form", "v2", consent="--deny", status=10).stdout.strip())
    assert answer.parameters["error"] == "user_cancelled"


@pytest.mark.parametrize("typed", ["", "\n", "n\n", "maybe\n", "99\n"])
def test_whatever_is_not_yes_declines(website, phone, typed):
    answer = phones.Answer(phone.handle(website.link(), consent=None, typed=typed, status=10).stdout.strip())
    assert answer.parameters["error"] == "access_denied"


def test_the_person_takes_a_tick_off_and_puts_one_on(website, phone, profile):
    done = phone.handle(website.link(), *profile, consent=None, typed="1\n3\ny\n")
    told = check_answer(website, phones.Answer(done.stdout.strip()))["told"]
    assert "email" not in told and told["name"] == "Alice" and told["picture"] == "https://a/p"
    assert done.stderr.index("rp.example") < done.stderr.index("Sample RP"), "the host comes first"
    assert f"Its logo: {website.origin}/rp/logo.png\n" in done.stderr
    assert "Whom to ask: contact@rp.example\n" in done.stderr
    assert "[x] 1. email: alice@example.com" in done.stderr and "[ ] 3. picture" in done.stderr


def test_a_link_that_anybody_may_have_written_is_told_nothing_by_a_yes_alone(website, phone, profile):
    claims = json.dumps({"id_token": {"email": {"essential": True}}})
    done = phone.handle(by_value(website, "openid", claims=claims), *profile)
    assert "[ ] 1. email: alice@example.com" in done.stderr and "email" not in check_answer(
        website, phones.Answer(done.stdout.strip()))["claims"]
    asked = phone.answer(by_value(website, "openid", claims=claims), *profile, "--grant", "email")
    assert check_answer(website, asked)["claims"]["email"] == "alice@example.com"


def test_more_is_told_when_the_command_line_says_so(website, phone, profile):
    told = check_answer(website, phone.answer(website.link(), *profile, "--grant", "picture"))["told"]
    assert told["picture"] == "https://a/p"


def test_a_name_does_not_repaint_the_terminal(website, phone):
    file = website.file_of_2012()
    file["registration"]["claims"]["application_name"] = "\x1b[2J\x1b[1;1Hbank.example asks\u202e\n\rwho you are"
    website.publish(file)
    shown = phone.handle(website.link(), consent="--deny", status=10).stderr
    assert not any(character in shown for character in "\x1b\u202e\r")


def test_a_statement_of_somebody_else_is_handed_on_and_can_be_checked(website, phone):
    registry = jwk.ECKey.generate_key("P-256")
    signed = jws.serialize_compact(
        {"alg": "ES256"}, json.dumps({"iss": "https://registry.example", "email": "alice@registry.example"}), registry,
        algorithms=["ES256"])
    profile = write_profile(phone, {"claims": {"name": "Alice"}, "statements": [signed]})
    done = phone.handle(website.link(), *profile)
    assert "said by https://registry.example: email: alice@registry.example" in done.stderr
    told = check_answer(website, phones.Answer(done.stdout.strip()))["told"]
    assert told["name"] == "Alice" and "email" not in told
    source = told["_claim_sources"][told["_claim_names"]["email"]]["JWT"]
    stated = json.loads(jws.deserialize_compact(source, registry, algorithms=["ES256"]).payload)
    assert stated["email"] == "alice@registry.example"


# Hostile requests, each refused by its name with nothing sent

def test_a_return_address_of_another_host_is_refused(website, phone):
    website.publish(website.file_of_2012(redirect_uri="https://evil.example/cb", registration={}))
    expect_refusal(phone, website, website.link(), 4, "return_uri_foreign")


LURE = "/oauth/authorize?" + urllib.parse.urlencode({
    "client_id": "demo-rp", "redirect_uri": "https://evil.example/callback", "response_type": "token"})
THUMBPRINTS = {"subject_syntax_types_supported": ["urn:ietf:params:oauth:jwk-thumbprint"]}


@pytest.mark.parametrize("head", ["openid://?", "https://rp.example/self-issued/open?"])
@pytest.mark.parametrize("asked", [
    lambda lure: {"redirect_uri": lure, "client_metadata": json.dumps(THUMBPRINTS)},
    lambda lure: {"client_metadata": json.dumps({**THUMBPRINTS, "redirect_uris": [lure]})},
    lambda lure: {"redirect_uri": lure, "response_type": "token id_token userinfo"},
    lambda lure: {"redirect_uri": lure},
    lambda lure: {"response_uri": lure, "response_mode": "direct_post"}], ids=["v2", "list", "2012", "core", "post"])
def test_attack_a_link_leads_the_answer_to_a_page_of_the_website_that_hands_it_on(website, phone, tmp_path, asked, head):
    """A token that is good at the website, in the fragment of an address that its redirector leads away from."""
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\n: > {tmp_path}/opened\n')
    browser.chmod(0o755)
    link = by_value(website, "openid", **asked(website.origin + LURE)).replace("openid://?", head)
    expect_refusal(phone, website, link, 4, "return_uri_foreign", "--open", str(browser))
    assert not (tmp_path / "opened").exists()


def test_of_a_link_that_anybody_may_have_written_the_address_of_the_answer_is_shown(website, phone):
    done = phone.handle(by_value(website, "openid"), consent="--deny", status=10)
    assert f"counts for no other address:\n  {website.return_uri}\n" in done.stderr


def test_a_request_in_another_websites_name_is_refused(serve_website, website, phone):
    """Its own host, its own certificate, and somebody else's client_id."""
    evil = serve_website("other.example")
    evil.publish(website.file)
    expect_refusal(phone, evil, evil.link(), 4, "certificate_name_mismatch")


def test_one_certificate_for_both_names_is_the_website_itself(serve_website, phone):
    website = serve_website("rp.example", names=["static.example", "rp.example"])
    link = website.link(request_uri=website.file_address.replace("rp.example", "static.example"))
    assert check_answer(website, phone.answer(link))["form"] == "seed2012"


def test_a_certificate_of_another_name_is_refused(serve_website, phone):
    website = serve_website("rp.example", names=["other.example"])
    expect_refusal(phone, website, website.link(), 3, "certificate_untrusted")


def test_a_common_name_is_no_name(serve_website, phone):
    website = serve_website("rp.example", names=[])
    done = phone.run("handle", website.link(), *phone.flags, "--yes", status=4)
    assert "certificate_name_mismatch: " in done.stderr and not phone.keys()


def test_an_authority_that_nobody_knows_is_refused(website, tmp_path):
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    phone = Phone(tmp_path, Authority(stranger, "stranger"))
    expect_refusal(phone, website, website.link(), 3, "certificate_untrusted")


def test_http_is_refused(website, phone):
    link = website.link(request_uri=website.file_address.replace("https:", "http:"))
    expect_refusal(phone, website, link, 2, "request_uri_invalid")
    assert not website.requests


def test_a_server_without_tls_is_refused(phone):
    with socket.create_server(("127.0.0.1", 0)) as plain:
        answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"
        threading.Thread(target=answer_once, args=(plain, answer), daemon=True).start()
        address = f"https://rp.example:{plain.getsockname()[1]}/f"
        done = phone.run(
            "handle", f"openid://authz?request_uri={address}&nonce=12345678", *phone.flags, "--yes", status=3)
    assert "certificate_untrusted: " in done.stderr


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(website, phone, status):
    website.publish(website.file, path="/elsewhere.json")
    website.publish(b"", status, Location=f"{website.origin}/elsewhere.json")
    expect_refusal(phone, website, website.link(), 3, "redirected")
    assert [path for path, _ in website.requests] == ["/rp/rpf.json"]


@pytest.mark.parametrize("size", [65_537, 50_000_000])
def test_a_huge_file_is_refused(website, phone, size):
    website.publish(b" " * size)
    expect_refusal(phone, website, website.link(), 3, "too_large")


def test_a_file_that_does_not_come_is_not_waited_for(website, phone):
    website.answers["/rp/rpf.json"] = (200, {}, lambda: time.sleep(60) or b"{}")
    started = time.monotonic()
    expect_refusal(phone, website, website.link(), 3, "timed_out")
    assert time.monotonic() - started < 40


@pytest.mark.parametrize("changes, name", [
    ({"nonce": None}, "nonce_missing"), ({"nonce": "short"}, "nonce_length"), ({"nonce": "n" * 300}, "nonce_length"),
    ({"state": "s" * 1025}, "state_too_long"), ({"client_id": "https://other.example/"}, "parameter_conflict"),
    ({"response_mode": "query"}, "response_mode_unsupported"),
    ({"response_mode": "direct_post"}, "response_mode_unsupported")])
def test_a_link_that_is_not_in_order_is_refused(website, phone, changes, name):
    expect_refusal(phone, website, website.link(**changes), 4, name)


def test_a_link_that_says_something_twice_is_refused(website, phone):
    expect_refusal(phone, website, website.link() + "&nonce=12345678", 2, "parameter_repeated")


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.1", "192.168.1.1", "169.254.169.254", "::1", "fd00::1"])
def test_a_private_address_is_not_knocked_at(website, phone, authority, address):
    link = "openid://authz?request_uri=https://home.example/rpf.json&nonce=12345678"
    phone.flags = ["--ca", str(authority.path), f"--resolve=home.example={address}"]
    expect_refusal(phone, website, link, 3, "address_not_public")


def test_another_port_is_not_knocked_at(website, phone, authority):
    phone.flags = ["--ca", str(authority.path)]
    expect_refusal(phone, website, website.link(), 3, "address_not_public")
    assert not website.requests


def test_a_host_that_does_not_exist_is_said(website, phone):
    link = "openid://authz?request_uri=https://nowhere.invalid/f&nonce=12345678"
    expect_refusal(phone, website, link, 3, "host_unknown")


@pytest.mark.parametrize("link, name", [
    ("https://evil.example/?request_uri=https://rp.example/f", "link_unknown"), ("openid://authz", "link_unknown"),
    ("openid://authz?state=x", "parameter_missing")])
def test_what_is_no_link_is_refused(website, phone, link, name):
    expect_refusal(phone, website, link, 2, name)


# Keys

def test_keys_are_for_the_owner_alone(website, phone):
    phone.handle(website.link())
    assert stat.S_IMODE(phone.store.stat().st_mode) == 0o700
    assert [stat.S_IMODE(path.stat().st_mode) for path in phone.keys()] == [0o600]


def test_of_first_visits_at_once_one_key_stays(website, phone):
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: phone.answer(website.link()), range(4)))
    assert len({check_answer(website, answer)["thumbprint"] for answer in answers}) == 1 and len(phone.keys()) == 1


@pytest.mark.parametrize("mode", [0o644, 0o660])
def test_a_key_that_others_could_take_is_not_used(website, phone, mode):
    phone.handle(website.link())
    phone.keys()[0].chmod(mode)
    done = phone.handle(website.link(), status=5)
    assert "store_open_to_others: " in done.stderr and done.stdout == ""


def test_a_pin_is_asked_for_and_a_wrong_one_sends_nothing(website, phone):
    known = check_answer(website, phone.answer(website.link()))["thumbprint"]
    right, wrong = phone.secret("right", "correct horse"), phone.secret("wrong", "battery staple")
    secret = json.loads(phone.keys()[0].read_text())["secret"]
    phone.run("pin", "set", "--new-pin-file", right)
    assert secret not in "".join(path.read_text() for path in phone.store.iterdir())
    for more, name in (([], "pin_needed"), (["--pin-file", wrong], "pin_wrong")):
        done = phone.handle(website.link(), *more, status=5)
        assert f"{name}: " in done.stderr and done.stdout == ""
    assert check_answer(website, phone.answer(website.link(), "--pin-file", right))["thumbprint"] == known
    assert "pin_wrong: " in phone.run("pin", "remove", "--pin-file", wrong, status=5).stderr
    phone.run("pin", "remove", "--pin-file", right)
    assert check_answer(website, phone.answer(website.link()))["thumbprint"] == known


def test_a_pin_that_is_typed_is_not_shown(website, phone):
    pin = phone.secret("right", "correct horse")
    phone.run("pin", "set", "--new-pin-file", pin)
    child, terminal = pty.fork()
    if child == 0:
        os.execve(phones.binary(), [
            "drawbridge-phone", "handle", website.link(), *phone.flags, "--store", str(phone.store), "--yes"],
            phone.environment)
    shown = read_until(terminal, "PIN: ")
    os.write(terminal, b"correct horse\n")
    shown += read_until(terminal, "It knows you as")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    os.close(terminal)
    assert "correct horse" not in shown
    assert "id_token=" in shown


def read_until(terminal: int, words: str) -> str:
    shown = ""
    while words not in shown:
        assert select.select([terminal], [], [], 60)[0], shown
        shown += os.read(terminal, 65536).decode(errors="replace")
    return shown


def test_a_store_that_cannot_be_written_sends_nothing(website, phone):
    phone.store.write_text("no folder")
    done = phone.handle(website.link(), status=5)
    assert "store_unusable: " in done.stderr and done.stdout == ""


def test_a_profile_that_cannot_be_read_is_said(website, phone):
    done = phone.handle(website.link(), "--profile", str(phone.home / "none.json"), status=5)
    assert "profile_unusable: " in done.stderr and done.stdout == ""


def test_the_help_lists_the_exit_statuses(phone):
    words = subprocess.run(
        [phones.binary(), "--help"], capture_output=True, text=True, check=True).stdout
    assert all(f"{status} " in words for status in (0, 10, 2, 3, 4, 5))
