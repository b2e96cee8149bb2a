"""What the documents say about tests is true: every test that a table names exists."""

import re

import pytest

import instance

DOCUMENTS = ["native-sso.md"]


def named(text: str) -> set[str]:
    """The names in the last column of every table whose heading says `test`."""
    names, is_test_table = set(), False
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if not cells:
            is_test_table = False
        elif cells[-1] == "test":
            is_test_table = True
        elif is_test_table:
            names.update(re.findall(r"`([^`]+)`", cells[-1]))
    return names


def existing() -> set[str]:
    folder = instance.ROOT / "Tests"
    names = set()
    for path in folder.glob("EndToEnd/test_*.py"):
        names.update(re.findall(r"^def (test_\w+)", path.read_text(), re.M))
    for path in folder.rglob("*.swift"):
        text = path.read_text()
        names.update(re.findall(r"func `([^`]+)`", text))
        names.update(re.findall(r'ConformanceCase\(\s*"([^"]+)"', text))
    return names


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_test_that_a_table_names_exists(document):
    names = named((instance.ROOT / "docs" / document).read_text())
    assert len(names) > 60
    assert names - existing() == set()


def test_a_name_that_does_not_exist_is_found():
    table = "| what | test |\n|---|---|\n| a | `test_of_nothing` |\n"
    assert named(table) - existing() == {"test_of_nothing"}
