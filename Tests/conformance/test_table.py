"""The README's table says what a run found, and no module is forgotten."""

from pathlib import Path

import pytest

import table
from plans import ELSEWHERE, PLANS

MODULES = [(plan, module) for plan, modules in PLANS.items() for module in modules]


def test_every_module_of_the_plans_was_replayed_and_passed_as_the_readme_says(request, reports):
    if request.config.getoption("keyword") or any("::" in argument or argument.endswith(".py")
                                                  for argument in request.config.args):
        pytest.skip("not the whole run")
    assert set(reports) == set(MODULES)
    assert not [module for module, (_, report) in reports.items() if report.failed]
    found = table.text(reports).strip()
    if request.config.getoption("--write-table"):
        table.write(found)
    assert table.written() == found, "the README's table is not what was found: run again with --write-table"


@pytest.mark.parametrize("module", ELSEWHERE)
def test_the_test_that_stands_for_a_module_is_there(module):
    path, name = ELSEWHERE[module]
    assert f"func `{name}`" in (Path(__file__).parents[1] / path).read_text()
