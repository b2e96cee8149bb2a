import pathlib

import pytest

import instance
from browsers import Browsers
from servers import Postgres, Redis
from skips import pytest_make_collect_report, pytest_runtest_makereport  # noqa: F401


def pytest_collection_modifyitems(items):
    if not pathlib.Path(instance.binary()).exists():
        pytest.exit(f"no binary at {instance.binary()}: run `swift build`, or set DRAWBRIDGE_BINARY", returncode=2)
    # The longest test begins first, or one of two workers would wait for it at the end.
    items.sort(key=lambda item: item.path.name != "test_schemathesis.py")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish():
    # Here and not at the interpreter's end, which a worker may not live to see; after the fixtures' end, which stops servers.
    instance.remove_scratch()


@pytest.fixture(scope="session")
def demo():
    """One instance without limits that most tests share; each test brings its own tokens and subjects."""
    server = instance.Demo("--no-limits")
    yield server
    assert server.stop() == 0, server.output[-4000:]


@pytest.fixture(scope="session")
def browsers(tmp_path_factory):
    """What tests' browsers come from and go back to."""
    all_of_them = Browsers(lambda: tmp_path_factory.mktemp("profile"))
    yield all_of_them
    all_of_them.quit()


@pytest.fixture(scope="module")
def stores():
    """A PostgreSQL and a Redis of one module's own."""
    with Postgres() as postgres, Redis() as redis:
        yield postgres, redis


@pytest.fixture
def start_demo():
    """Starts instances of one test's own; those still running at its end must stop with status 0."""
    started: list[instance.Demo] = []

    def start(*flags: str, **more) -> instance.Demo:
        server = instance.Demo(*flags, **more)
        started.append(server)
        return server

    yield start
    statuses = [server.stop() for server in started if server.popen.poll() is None]
    assert all(status == 0 for status in statuses), statuses


@pytest.fixture
def serve():
    """Starts `drawbridge serve` with settings of the test's own."""
    started: list[instance.Served] = []

    def start(*arguments, **more) -> instance.Served:
        server = instance.Served(*arguments, **more)
        started.append(server)
        return server

    yield start
    statuses = [server.stop() for server in started if server.popen.poll() is None]
    assert all(status == 0 for status in statuses), statuses
