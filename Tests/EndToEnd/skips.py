"""With CI=true a test that is skipped has failed, unless its reason is on this list: nothing is green by absence.

Both suites' conftest.py take the hooks from here.
"""

import os
import shutil
import subprocess
import tempfile

import pytest

#: What may be skipped where everything must hold, by its reason, and why that is no gap.
ALLOWED = {
    "needs root and leave to mount a tmpfs": "a container without that privilege cannot fill a disk of its own",
    "needs root and leave to mount": "the same for a /proc of its own",
    "not the whole run": "the table is about every plan, and only some were asked for",
}

_AT_A_DESK = os.environ.get("CI") != "true"
_HAS_POSTGRES, _HAS_REDIS = os.path.exists("/usr/lib/postgresql"), shutil.which("redis-server") is not None

NEEDS_POSTGRES = pytest.mark.skipif(_AT_A_DESK and not _HAS_POSTGRES, reason="there is no PostgreSQL")
NEEDS_REDIS = pytest.mark.skipif(_AT_A_DESK and not _HAS_REDIS, reason="there is no redis-server in PATH")
NEEDS_STORES = pytest.mark.skipif(
    _AT_A_DESK and not (_HAS_POSTGRES and _HAS_REDIS), reason="there is no redis-server, or no PostgreSQL")


def skip_by(mark: pytest.MarkDecorator):
    """For a fixture whose module has tests that do without."""
    if mark.args[0]:
        pytest.skip(mark.kwargs["reason"])


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


def can_mount() -> bool:
    if os.geteuid() != 0 or not shutil.which("unshare"):
        return False
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(
            ["unshare", "-m", "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder], capture_output=True
        ).returncode == 0
