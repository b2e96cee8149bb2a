"""docs/proof.md claims nothing that cannot be run: every command and every test that it names is there."""

import re

import instance

PAGE = (instance.ROOT / "docs/proof.md").read_text()
CLAIMS = PAGE.partition("## Claims")[2].partition("\n## ")[0]


def missing(reference: str) -> str | None:
    """What of a reference is not there."""
    if reference.startswith("make "):
        goals = set(re.findall(r"^([a-z][\w-]*):", (instance.ROOT / "Makefile").read_text(), re.M))
        return None if reference.removeprefix("make ") in goals else f"no goal {reference}"
    path, _, name = reference.partition("::")
    if not (instance.ROOT / path).is_file():
        return f"no file {path}"
    if name and f"def {name}(" not in (instance.ROOT / path).read_text():
        return f"no test {name} in {path}"
    return None


def test_every_claim_names_what_can_be_run_again():
    rows = [row for row in CLAIMS.splitlines() if row.startswith("| ")][1:]
    assert len(rows) >= 15
    for row in rows:
        claim, how, again = (cell.strip() for cell in row.strip("| ").split(" | "))
        references = re.findall(r"`([^`]+)`", again)
        assert claim and how and references, row
        assert [missing(reference) for reference in references if missing(reference)] == [], row


def test_every_path_and_goal_that_the_page_names_is_there():
    for reference in re.findall(r"`((?:make |Tests/|fuzz/|bench/|deploy/)[^` ]*)`", PAGE):
        if not (instance.ROOT / reference).is_dir():
            assert missing(reference) is None, reference


def test_a_name_that_is_not_there_is_found():
    assert missing("make believe") and missing("Tests/EndToEnd/test_nothing.py")
    assert missing("Tests/EndToEnd/test_proof.py::test_nothing")
    assert not missing("Tests/EndToEnd/test_proof.py::test_a_name_that_is_not_there_is_found")
