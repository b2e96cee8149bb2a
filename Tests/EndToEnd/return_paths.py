"""The shared cases of the return-path rules, and what the service makes of them."""

import base64
import json
from urllib.parse import quote_from_bytes, unquote_to_bytes

import case_tables
import instance


def on_the_wire(case: dict) -> str | None:
    """The parameter as it stands in the address; `None` where it does not."""
    if case.get("wire") is not None:
        return case["wire"]
    if case.get("input_hex") is not None:
        return quote_from_bytes(bytes.fromhex(case["input_hex"]), safe="")
    return None if case.get("input") is None else quote_from_bytes(case["input"].encode(), safe="")


#: Where the input stands, and what else a row may have beside remarks for its readers.
INPUTS, KNOWN = {"wire", "input", "input_hex"}, {"allow", "accept", "whatwg", "why", "note", "ref"}


def astray(case: dict) -> set[str]:
    """The fields that may have the input of a row which has it in none that is read: refused, it would pass untried."""
    if on_the_wire(case) is not None:
        return set()
    unknown = case.keys() - INPUTS - KNOWN
    # `null` says that there is none; not where the bytes stand beside it.
    return {name for name in unknown if name.startswith(("wire_", "input_"))} if case.keys() & INPUTS else unknown


def problem(case: dict) -> str | None:
    """Why nobody can play a case."""
    try:
        assert isinstance(case["accept"], bool) and all(isinstance(entry, str) for entry in case["allow"])
        assert isinstance(on_the_wire(case), str | None) and not astray(case)
    except Exception as error:
        return f"{case}: {error!r}"
    return None


ROWS = case_tables.read("return_path_cases.json", copy="BridgeTests")
#: A row that cannot be read fails alone, by a test of its own.
UNREADABLE = [found for row in ROWS if (found := problem(row))]
CASES = [row for row in ROWS if not problem(row)]


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
    """The value that a form has: it ends where the next parameter begins. Empty without one."""
    return unquote_to_bytes((on_the_wire(case) or "").partition("&")[0].replace("+", " "))


def is_repeated(case: dict) -> bool:
    return any(part.startswith("redirect=") for part in (on_the_wire(case) or "").split("&")[1:])


def wrongly_decided(allow: tuple[str, ...]) -> list:
    """The cases of one list that are not decided as the table says."""
    cases = [case for case in CASES if tuple(case["allow"]) == allow]
    # No list, and a parameter that comes twice, are not `explain`'s to decide.
    verdicts = explain(list(allow), [case_bytes(case) for case in cases]) if allow else [{"passes": False}] * len(cases)
    return [(case.get("why"), on_the_wire(case), verdict) for case, verdict in zip(cases, verdicts, strict=True)
            if (verdict["passes"] and not is_repeated(case)) is not case["accept"]]
