"""The models of model/: their small slices to the end, and every planted fault found. `make model` checks all of it."""

import pathlib
import re
import runpy
import shutil
import subprocess
import sys

import pytest

CHECK = pathlib.Path(__file__).parents[2] / "model/check"
#: What it says of itself when it does not run.
CHECKED = runpy.run_path(str(CHECK))


def test_the_courses_that_are_replayed_are_the_models():
    if not shutil.which("spin"):
        pytest.skip("needs spin and gcc")
    compared = subprocess.run([sys.executable, str(CHECK), "traces", "--compare"], capture_output=True, text=True, timeout=300)
    assert compared.returncode == 0, compared.stderr


def test_every_property_of_a_model_names_the_clauses_that_it_is_of():
    for model in CHECK.parent.glob("*.pml"):
        lines = model.read_text().splitlines()
        properties = [number for number, line in enumerate(lines) if re.match(r"\s*(assert\(|ltl |.*-> assert\()", line)]
        assert len(properties) >= 10, model
        for number in properties:
            # Beside it, or above, where one comment is about several.
            assert "§" in "".join(lines[max(0, number - 9):number + 1]), f"{model.name}:{number + 1}: {lines[number]}"


@pytest.mark.parametrize("model", sorted(CHECKED["FAULTS"]))
def test_every_fault_that_can_be_planted_is_looked_for(model):
    planted = set(re.findall(r"\bF_\w+", (CHECK.parent / f"{model}.pml").read_text()))
    by_formula = {fault for _, _, fault, _ in CHECKED["FORMULAS"][model]}
    assert len(planted) > 10 and planted == CHECKED["FAULTS"][model].keys() | by_formula


def test_the_models_hold_and_every_planted_fault_is_found():
    if not shutil.which("spin") or not shutil.which("gcc"):
        pytest.skip("needs spin and gcc")
    found = subprocess.run([sys.executable, str(CHECK), "--quick"], capture_output=True, text=True, timeout=600)
    assert found.returncode == 0, found.stdout + found.stderr
    faults = sum(len(faults) for faults in CHECKED["FAULTS"].values()) + sum(map(len, CHECKED["FORMULAS"].values()))
    assert len(re.findall(r"\bF_", found.stdout)) == faults, found.stdout
