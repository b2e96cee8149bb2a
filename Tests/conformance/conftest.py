import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "EndToEnd"))
# Its tests are those of two plans.
pytest.register_assert_rewrite("basic_plan")

import instance
from op import OP, ReuseLater, Website
from plans import PLANS
from receiver import Receiver
from report import Report
from skips import (
    pytest_make_collect_report as pytest_make_collect_report,
    pytest_runtest_makereport as pytest_runtest_makereport,
)

REPORTS = pytest.StashKey[dict]()


def pytest_addoption(parser):
    parser.addoption("--write-table", action="store_true", help="write what was found into the README")


def pytest_configure(config):
    config.stash[REPORTS] = {}


def pytest_collection_modifyitems(items):
    if not pathlib.Path(instance.binary()).exists():
        pytest.exit(f"no binary at {instance.binary()}: run `swift build`, or set DRAWBRIDGE_BINARY", returncode=2)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    report = item.funcargs.get("report")
    try:
        return (yield)
    except BaseException:
        if report:
            report.failed = True
        raise


def pytest_terminal_summary(terminalreporter, config):
    for (_, module), (_, report) in config.stash[REPORTS].items():
        terminalreporter.write_line(f"{report.result:15} {module}{'  (' + report.note + ')' if report.note else ''}")


@pytest.fixture(scope="session")
def receiver():
    """The website's back-channel logout endpoint."""
    made = Receiver()
    yield made
    made.close()


@pytest.fixture(scope="session")
def op(tmp_path_factory, receiver):
    server = OP(tmp_path_factory.mktemp("certificate"), receiver.uri)
    yield server
    assert server.stop() == 0, server.output[-4000:]


@pytest.fixture(scope="session")
def demo():
    """What the suite has no plan for: phones, devices and apps that are registered already."""
    server = instance.Demo("--no-limits")
    yield server
    assert server.stop() == 0, server.output[-4000:]


@pytest.fixture(scope="session")
def reused(op):
    """Codes that are used again half a minute later, by response mode."""
    made = {mode: ReuseLater(op, mode) for mode in [None, "form_post"]}
    yield made
    for one in made.values():
        one.thread.cancel()


@pytest.fixture
def report(request):
    """The findings of one module."""
    module = request.node.get_closest_marker("module").args[0]
    made = Report(module, getattr(request.module, "MODE", None))
    plan = getattr(request.module, "PLAN", None) or next(plan for plan, modules in PLANS.items() if module in modules)
    request.config.stash[REPORTS][plan, module] = (f"{request.path.name}::{request.function.__name__}", made)
    return made


@pytest.fixture
def website(op, report) -> Website:
    return Website(op, report)


@pytest.fixture
def reports(request) -> dict:
    """The findings of all modules so far, with their scripts."""
    return request.config.stash[REPORTS]
