"""The shared cases of the return-path rules, and what the service makes of them."""

import base64
import json
from urllib.parse import unquote_to_bytes

import case_tables
import instance

CASES = case_tables.read("return_path_cases.json", copy="BridgeTests")


def explain(allow: list[str], inputs: list[bytes]) -> list[dict]:
    """The verdicts of the rules, one for each input, with the page where each lands as `location`."""
    arguments = [argument for entry in allow for argument in ("--allow", entry)]
    arguments += ["--allow-any-path"] if "/*" in allow else []
    stdin = b"".join(base64.b64encode(text) + b"\n" for text in inputs)
    done = instance.run("explain", "redirect", *arguments, "--stdin-base64", stdin=stdin)
    verdicts = [json.loads(line) for line in done.stdout.splitlines()]
    for verdict in verdicts:
        [verdict["location"]] = [step["outcome"] for step in verdict["steps"] if step["check"] == "lands on"]
    assert len(verdicts) == len(inputs)
    return verdicts


def case_bytes(case: dict) -> bytes:
    """The value that a form has: it ends where the next parameter begins."""
    return unquote_to_bytes(case["wire"].partition("&")[0].replace("+", " "))


def is_repeated(case: dict) -> bool:
    return any(part.startswith("redirect=") for part in case["wire"].split("&")[1:])


def wrongly_decided(allow: tuple[str, ...]) -> list:
    """The cases of one list that are not decided as the table says."""
    cases = [case for case in CASES if tuple(case["allow"]) == allow]
    # No list, and a parameter that comes twice, are not `explain`'s to decide.
    verdicts = explain(list(allow), [case_bytes(case) for case in cases]) if allow else [{"passes": False}] * len(cases)
    return [(case.get("why"), case["wire"], verdict) for case, verdict in zip(cases, verdicts, strict=True)
            if (verdict["passes"] and not is_repeated(case)) is not case["accept"]]
