"""The tables of cases that are kept outside of the project, or the project's copies where there are none."""

import json

import instance


def read(name: str, copy: str):
    """A table that is there and cannot be read is an error: the copy never stands in for it."""
    shared = instance.ROOT.parent / "shared/cases" / name
    return json.loads((shared if shared.exists() else instance.ROOT / "Tests" / copy / "Cases" / name).read_text())
