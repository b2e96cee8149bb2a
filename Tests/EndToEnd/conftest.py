"""What every test may ask for."""

import json
import pathlib

import pytest
from cryptography.hazmat.primitives.asymmetric import ec

# What an assertion of the helpers compared is shown as for the tests' own.
pytest.register_assert_rewrite(*(
    path.stem for path in pathlib.Path(__file__).parent.glob("*.py") if not path.stem.startswith(("test_", "conftest"))))

import instance
import libraries
import provider_of_others
import signing
import sites
import wire
from accounts import OLD_PASSWORD
from admin import Admin
from browsers import Browsers
from console import LONG_NAME
from hand_off import Portal
from loopback import LoopbackApp
from native import App
from phone import Authority, Phone, Website
from servers import Postgres, Redis
from skips import (
    NEEDS_POSTGRES,
    pytest_make_collect_report as pytest_make_collect_report,
    pytest_runtest_makereport as pytest_runtest_makereport,
    skip_by,
)


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
def postgres():
    """A PostgreSQL of one module's own."""
    skip_by(NEEDS_POSTGRES)
    with Postgres() as server:
        yield server


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


@pytest.fixture
def open_browser(browsers):
    """Opens browsers that share nothing, and hold nothing at first."""
    opened = []

    def open_one(user_agent: str | None = None, scripts: bool = True, size: tuple = (1280, 800), dark: bool = False,
                 trusting: str | None = None, cookies: bool = True):
        kind = (user_agent, scripts, cookies, trusting)
        driver = browsers.take(*kind)
        opened.append((driver, *kind))
        driver.set_page_load_timeout(60)
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": size[0] < 500})
        if dark:
            driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
                "features": [{"name": "prefers-color-scheme", "value": "dark"}]})
        return driver

    yield open_one
    for each in opened:
        browsers.give_back(*each)


@pytest.fixture
def browser(open_browser):
    """An empty one, with scripts."""
    return open_browser()


@pytest.fixture
def person(demo, request):
    """A user of this test's own, who signs in with `accounts.OLD_PASSWORD`."""
    name = f"person-{request.node.name[:60]}"
    made = Admin(demo).send("POST", "users", json.dumps({
        "username": name, "password": OLD_PASSWORD, "display_name": "Pat Person", "email": f"{len(name)}@example.com"}),
        {"Content-Type": "application/json"})
    assert made.status == 201, made.body
    return {"username": name, "sub": made.json()["sub"]}


@pytest.fixture(scope="module")
def busy(demo):
    """Logins, refusals by some reasons, more than nine by one, and one replay from another browser."""
    for number in range(6):
        demo.sign_in(f"user{number}")
    demo.sign_in(LONG_NAME)
    for _ in range(12):
        demo.redeem("no.such.token")
    issued = demo.issue("alice")
    cookie = demo.redeem(issued["token"]).session_cookie
    demo.redeem(issued["token"], wire.OTHER_BROWSER)
    other = demo.sign_in("alice")
    App(demo).sign_in()
    return {"token": issued, "ended": cookie, "live": other}


@pytest.fixture(scope="module")
def keyed_client(demo):
    """A service that authenticates with a key of its own."""
    key = ec.generate_private_key(ec.SECP256R1())
    numbers = key.public_key().public_numbers()
    jwk = {"kty": "EC", "crv": "P-256", "kid": "k", "alg": "ES256", "use": "sig",
           "x": signing.b64url(numbers.x.to_bytes(32, "big")), "y": signing.b64url(numbers.y.to_bytes(32, "big"))}
    made = Admin(demo).send("POST", "clients", {
        "client_name": "Keyed", "client_type": "service", "grant_types": ["client_credentials"], "scope": "admin",
        "token_endpoint_auth_method": "private_key_jwt", "jwks": {"keys": [jwk]}})
    assert made.status == 201, made.body
    return made.json()["client_id"], key, jwk


@pytest.fixture(scope="module")
def jvm_classes(tmp_path_factory):
    """The library for Java, with its tests."""
    return libraries.compile_java(tmp_path_factory.mktemp("jvm"))


@pytest.fixture(scope="session")
def built_sites(tmp_path_factory):
    return sites.build(tmp_path_factory.mktemp("middleware"))


@pytest.fixture(scope="session")
def built_for_jakarta(tmp_path_factory):
    return sites.build_for_jakarta(tmp_path_factory.mktemp("jakarta"))


@pytest.fixture(scope="module")
def portal():
    """A portal of one module's own, with two websites."""
    portal = Portal("--no-limits")
    yield portal
    assert portal.demo.stop() == 0, portal.demo.output[-4000:]


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    """Signs the certificates of websites that ask phones."""
    return Authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def serve_website(authority):
    """Starts websites that ask phones who they are."""
    started = []

    def start(*arguments, **more) -> Website:
        started.append(Website(authority, *arguments, **more))
        return started[-1]

    yield start
    for website in started:
        website.close()


@pytest.fixture
def website(serve_website):
    """A website that asks phones who they are."""
    return serve_website()


@pytest.fixture
def phone(tmp_path, authority):
    """Somebody's `drawbridge-phone`."""
    return Phone(tmp_path, authority, ("rp.example", "other.example", "static.example"))


@pytest.fixture
def loopback_app(demo):
    """The demo's app, waiting for its browser."""
    with LoopbackApp(demo) as app:
        yield app


@pytest.fixture
def upstream():
    """An OpenID Provider of somebody else."""
    with provider_of_others.Provider() as provider:
        yield provider


@pytest.fixture
def upstream_settings(upstream, tmp_path) -> str:
    return upstream.settings(tmp_path, title="Other & Co")


@pytest.fixture
def with_upstream(serve, upstream_settings):
    """`drawbridge serve` with that provider."""
    return serve(upstream_settings)
