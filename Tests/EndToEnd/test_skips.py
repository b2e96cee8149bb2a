"""The rule of skips.py itself, in runs of its own; and what would be green by absence without a skip."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

MARKED = "@pytest.mark.skipif(True, reason='{}')\ndef test_it(): pass"
CALLED = "def test_it(): pytest.skip('{}')"
WHOLE_FILE = "pytest.skip('{}', allow_module_level=True)"


def run(folder: Path, body: str, ci: str) -> subprocess.CompletedProcess:
    (folder / "conftest.py").write_text("from skips import pytest_make_collect_report, pytest_runtest_makereport\n")
    (folder / "test_it.py").write_text(f"import pytest\n\n{body}\n")
    environment = {**os.environ, "CI": ci, "PYTHONPATH": str(Path(__file__).parent), "PYTEST_ADDOPTS": ""}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", folder, folder],
        env=environment, capture_output=True, text=True, cwd=folder)


@pytest.mark.parametrize("body", [MARKED, CALLED, WHOLE_FILE])
def test_where_everything_must_hold_a_skip_for_want_of_a_program_is_a_failure(tmp_path, body):
    done = run(tmp_path, body.format("no such program"), ci="true")
    assert done.returncode in (1, 2), done.stdout
    assert "not on the list in skips.py: no such program" in done.stdout


@pytest.mark.parametrize("body", [MARKED, CALLED])
def test_a_reason_on_the_list_stays_a_skip(tmp_path, body):
    done = run(tmp_path, body.format("not the whole run"), ci="true")
    assert done.returncode == 0 and "1 skipped" in done.stdout, done.stdout


def test_at_a_desk_a_program_may_be_missing(tmp_path):
    done = run(tmp_path, MARKED.format("no such program"), ci="")
    assert done.returncode == 0 and "1 skipped" in done.stdout, done.stdout


def returns(node: ast.AST) -> list[int]:
    """The lines at which a function itself ends early."""
    found = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Return):
            found.append(child.lineno)
        elif not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            found += returns(child)
    return found


def test_no_test_ends_before_it_has_looked():
    """Of what a test is not about, it is no parameter: a return would be counted as a test that holds."""
    tests = Path(__file__).parents[1]
    found, count = [], 0
    for path in [*tests.glob("EndToEnd/test_*.py"), *tests.glob("conformance/test_*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                found += [f"{path.name}:{line}" for line in returns(node)]
                count += 1
    assert found == [] and count > 1000
