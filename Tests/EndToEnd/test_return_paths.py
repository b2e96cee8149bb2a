"""The return-path rules against the shared cases, and against a browser's own URL parser as a second opinion."""

import base64
import json
import os
from collections import Counter
from pathlib import Path
from urllib.parse import unquote_to_bytes

import ada_url
import pytest

import instance
import return_path_inputs
import wire

SHARED = instance.ROOT.parent / "shared/cases/return_path_cases.json"
COPY = instance.ROOT / "Tests/BridgeTests/Cases/return_path_cases.json"
CASES = json.loads((SHARED if SHARED.exists() else COPY).read_text())
ORIGIN = "https://web.example"
ALLOW = ["/user/contacts/index.php", "/user/*", "/app/help", "/caf%C3%A9"]
FUZZ_COUNT = int(os.environ.get("FUZZ_COUNT", "20000"))
FUZZ_SEED = int(os.environ.get("FUZZ_SEED", "8252"))


def explain(allow: list[str], inputs: list[bytes]) -> list[dict]:
    """The verdicts of the rules, one for each input, with the page where each lands as `location`."""
    arguments = [argument for entry in allow for argument in ("--allow", entry)]
    stdin = b"".join(base64.b64encode(text) + b"\n" for text in inputs)
    done = instance.run("explain", "redirect", *arguments, "--stdin-base64", stdin=stdin)
    verdicts = [json.loads(line) for line in done.stdout.splitlines()]
    for verdict in verdicts:
        [verdict["location"]] = [step["outcome"] for step in verdict["steps"] if step["check"] == "lands on"]
    assert len(verdicts) == len(inputs)
    return verdicts


def case_bytes(case: dict) -> bytes:
    return unquote_to_bytes(case["wire"].replace("+", " "))


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


@pytest.mark.parametrize("allow", sorted({tuple(case["allow"]) for case in CASES}), ids=len)
def test_every_shared_case(allow):
    cases = [case for case in CASES if tuple(case["allow"]) == allow]
    verdicts = explain(list(allow), [case_bytes(case) for case in cases])
    wrong = [(case["why"], case["wire"], verdict) for case, verdict in zip(cases, verdicts)
             if verdict["passes"] is not case["accept"]]
    assert not wrong
    for case, verdict in zip(cases, verdicts):
        if case["accept"]:
            assert_a_browser_agrees(case_bytes(case), verdict, list(allow))
            assert ada_url.URL(ORIGIN + verdict["location"]).href == case["whatwg"].removesuffix("?")


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
        token = demo.issue("redirected")
        target = f"{instance.REDEEM}?token={token['token']}&redirect={case['wire']}"
        answer = demo.send("GET", target, wire.NAVIGATION)
        assert answer.status == 303 and answer.session_cookie, (case, answer.status)
        expected = verdict["location"] if verdict["passes"] else "/contacts"
        assert answer.header("Location") == demo.base + expected, case
        refused = demo.audit("redirect.refused", token_id=token["id"])
        assert [event["reason"] for event in refused] == (
            [] if verdict["passes"] or not case["wire"] else [verdict["reason"]]), case


def test_over_the_wire_inputs_from_the_generator_stay_on_the_website(demo):
    corpus = [case_bytes(case) for case in CASES]
    for text in return_path_inputs.generate(150, FUZZ_SEED + 1, corpus):
        token = demo.issue("redirected")
        encoded = "".join(f"%{byte:02X}" for byte in text)
        answer = demo.send("GET", f"{instance.REDEEM}?token={token['token']}&redirect={encoded}", wire.NAVIGATION)
        assert answer.status == 303, (text, answer.status)
        landed = ada_url.URL(answer.header("Location"))
        assert landed.origin == demo.base and listed(landed.pathname, demo.client("demo-web")["return_paths"]), text
