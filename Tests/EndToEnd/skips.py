"""With CI=true a test that is skipped has failed, unless its reason is on this list: nothing is green by absence.

Both suites' conftest.py take the hooks from here.
"""

import os

import pytest

#: What may be skipped where everything must hold, by its reason, and why that is no gap.
ALLOWED = {
    "needs root and leave to mount a tmpfs": "a container without that privilege cannot fill a disk of its own",
    "needs root and leave to mount": "the same for a /proc of its own",
    "not the whole run": "the table is about every plan, and only some were asked for",
}


def refuse(report):
    """Turns the report of a skip that is not on the list into a failure."""
    if os.environ.get("CI") != "true" or not report.skipped or hasattr(report, "wasxfail"):
        return
    reason = report.longrepr[2].removeprefix("Skipped: ")
    if reason not in ALLOWED:
        report.outcome = "failed"
        report.longrepr = f"skipped, for a reason that is not on the list in skips.py: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    report = yield
    refuse(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report():
    report = yield
    refuse(report)
    return report
