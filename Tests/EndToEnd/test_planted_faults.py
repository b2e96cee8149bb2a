"""Bugs on purpose: their list fits the sources, which hold none of them, and neither does the program."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "History"))

import instance
import planted_faults


def test_what_is_to_be_planted_fits_the_sources():
    assert not planted_faults.problems(instance.ROOT)
    assert len(planted_faults.FAULTS) >= 30


def test_the_sources_and_what_is_built_of_them_hold_no_planted_fault():
    """All of it is put into a copy; in the sources nobody could say so of every build."""
    assert not (instance.ROOT / planted_faults.SWITCH).exists()
    for path in [instance.ROOT / "Package.swift", *(instance.ROOT / "Sources").rglob("*.swift")]:
        assert "planted(" not in path.read_text(), path
    for name in ["Makefile", ".ci/run", "deploy/release.sh"]:
        assert "PLANTED_FAULT" not in (instance.ROOT / name).read_text(), name
    binary = Path(instance.binary()).read_bytes()
    assert b"PLANTED_FAULT" not in binary
    assert not [name for name in planted_faults.FAULTS if name.encode() in binary]
