"""The return-path rules against the shared cases, and against a browser's own URL parser as a second opinion."""

import os
from collections import Counter

import ada_url
import pytest

import instance
import return_path_inputs
import wire
from return_paths import CASES, UNREADABLE, case_bytes, explain, is_repeated, on_the_wire, problem, wrongly_decided

ORIGIN = "https://web.example"
ALLOW = ["/user/contacts/index.php", "/user/*", "/app/help", "/caf%C3%A9"]
# A longer request line is refused before anybody looks at its parameters.
LONGEST_WIRE = 16_384
FUZZ_COUNT = int(os.environ.get("FUZZ_COUNT", "20000"))
FUZZ_SEED = int(os.environ.get("FUZZ_SEED", "8252"))


def listed(path: str, allow: list[str]) -> bool:
    return any(path.startswith(entry[:-1]) if entry.endswith("/*") else path == entry for entry in allow)


def assert_a_browser_agrees(text: bytes, verdict: dict, allow: list[str]):
    """Accepted means: a WHATWG parser stays on our origin, on the very path that was accepted, from either form."""
    source = text.decode("ascii")
    resolved = ada_url.URL(source, base=f"{ORIGIN}/user/login-with-token.php")
    assert resolved.origin == ORIGIN, (text, resolved.href)
    assert resolved.pathname == source.partition("?")[0], (text, resolved.href)
    assert listed(resolved.pathname, allow), (text, resolved.href)
    assert verdict["location"].startswith("/")
    emitted = ada_url.URL(ORIGIN + verdict["location"])
    # A question mark with nothing behind it is dropped (contract §4.3).
    bare = source.endswith("?") and source.count("?") == 1
    assert emitted.href == (resolved.href[:-1] if bare else resolved.href), (text, verdict, resolved.href)


def test_every_row_of_the_table_can_be_read():
    assert UNREADABLE == []


@pytest.mark.parametrize("row, text", [
    ({"wire": "%2Fa+b&redirect=c", "input": "x"}, b"/a b"), ({"input_hex": "2Fff", "input": "x"}, b"/\xff"),
    ({"wire": None, "input": "/\u00e9?&"}, "/\u00e9?&".encode()), ({}, b""), ({"input_hex": "2"}, None), ({"wire": 1}, None),
    ({"allow": None, "wire": ""}, None), ({"accept": "yes", "wire": ""}, None), ({"note": "absent"}, b""),
    ({"wire": None, "heading": "absent"}, b""), ({"input_base64": "L2E="}, None),
    ({"input": None, "input_base64": "L2E="}, None), ({"wire": "%2Fa", "heading": "any"}, b"/a")], ids=str)
def test_a_row_is_read_by_its_wire_form_its_bytes_or_its_text(row, text):
    case = {"allow": ["/a"], "accept": False, **row}
    assert (problem(case) is not None) is (text is None)
    if text is not None:
        assert case_bytes(case) == text


@pytest.mark.parametrize("allow", sorted({tuple(case["allow"]) for case in CASES}), ids=len)
def test_every_shared_case(allow):
    assert not wrongly_decided(allow)
    accepted = [case for case in CASES if tuple(case["allow"]) == allow and case["accept"]]
    verdicts = explain(list(allow), [case_bytes(case) for case in accepted]) if accepted else []
    for case, verdict in zip(accepted, verdicts, strict=True):
        assert_a_browser_agrees(case_bytes(case), verdict, list(allow))
        if case.get("whatwg"):
            emitted, told = ada_url.URL(ORIGIN + verdict["location"]), ada_url.URL(case["whatwg"])
            assert (emitted.pathname, emitted.search) == (told.pathname, told.search)


def test_a_browsers_parser_agrees_with_everything_that_is_accepted():
    corpus = [case_bytes(case) for case in CASES]
    inputs = return_path_inputs.generate(FUZZ_COUNT, FUZZ_SEED, corpus)
    verdicts = explain(ALLOW, inputs)
    accepted = [(text, verdict) for text, verdict in zip(inputs, verdicts) if verdict["passes"]]
    for text, verdict in accepted:
        assert_a_browser_agrees(text, verdict, ALLOW)
    refused = Counter(verdict["reason"] for verdict in verdicts if not verdict["passes"])
    left_origin = sum(leaves(text) for text, verdict in zip(inputs, verdicts) if not verdict["passes"])
    print(f"\n{len(inputs)} inputs, seed {FUZZ_SEED}: {len(accepted)} accepted, refused {dict(refused)}, "
          f"of which {left_origin} would have left the origin in a browser")
    assert len(accepted) > len(inputs) // 20, "too few accepted to mean anything"
    assert left_origin > len(inputs) // 50, "too few attacks to mean anything"
    assert set(refused) <= {"malformed", "too_long", "not_listed"}


def leaves(text: bytes) -> bool:
    try:
        return ada_url.URL(text.decode("utf-8", "replace"), base=f"{ORIGIN}/user/x").origin != ORIGIN
    except ValueError:
        return False


def test_over_the_wire_no_case_leaves_the_allow_list(demo):
    """Every case as the `redirect` of a real redemption; the list is demo-web's, so most land on the default page."""
    allow = demo.client("demo-web")["return_paths"]
    verdicts = explain(allow, [case_bytes(case) for case in CASES])
    for case, verdict in zip(CASES, verdicts):
        wanted = on_the_wire(case)
        if wanted is not None and len(wanted) > LONGEST_WIRE:
            continue
        token = demo.issue("redirected")
        target = f"{instance.REDEEM}?token={token['token']}" + ("" if wanted is None else f"&redirect={wanted}")
        answer = demo.send("GET", target, wire.NAVIGATION)
        assert answer.status == 303 and answer.session_cookie, (case, answer.status)
        expected = verdict["location"] if verdict["passes"] and not is_repeated(case) else "/contacts"
        assert answer.header("Location") == demo.base + expected, case
        refused = demo.audit("redirect.refused", token_id=token["id"])
        assert [event["reason"] for event in refused] == (
            ["repeated"] if is_repeated(case) else
            [] if verdict["passes"] or not case_bytes(case) else [verdict["reason"]]), case


def test_over_the_wire_inputs_from_the_generator_stay_on_the_website(demo):
    corpus = [case_bytes(case) for case in CASES]
    for text in return_path_inputs.generate(150, FUZZ_SEED + 1, corpus):
        token = demo.issue("redirected")
        encoded = "".join(f"%{byte:02X}" for byte in text)
        answer = demo.send("GET", f"{instance.REDEEM}?token={token['token']}&redirect={encoded}", wire.NAVIGATION)
        assert answer.status == 303, (text, answer.status)
        landed = ada_url.URL(answer.header("Location"))
        assert landed.origin == demo.base and listed(landed.pathname, demo.client("demo-web")["return_paths"]), text
