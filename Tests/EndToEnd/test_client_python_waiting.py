"""The library for Python while it waits: for a browser, for a person, for a host; and whatever a part of the app's does."""

import asyncio
import concurrent.futures
import contextlib
import json
import os
import socket
import threading
import time
import webbrowser
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

import instance
import wire
from answer_once import answer_once
from drawbridge_client import (
    AsyncDrawbridge,
    Drawbridge,
    DrawbridgeError,
    FileStore,
    LoginLink,
    LoopbackBrowser,
    MemoryStore,
    http1,
    open_in_browser,
)

#: Longer than any of this takes where nothing is in its way, and shorter than what was in it.
SOON = 20


def authorize(redirect: str, state: str = "s1") -> str:
    return f"https://id.example.com/authorize?{urlencode({'redirect_uri': redirect, 'state': state})}"


def come_back(redirect: str, query: str = "state=s1&code=c"):
    url = urlsplit(redirect)
    return wire.send(f"http://{url.netloc}", "GET", f"{url.path}?{query}")


@contextlib.contextmanager
def elapsed_at_most(seconds: float):
    begun = time.monotonic()
    yield
    assert time.monotonic() - begun < seconds


def test_a_program_that_connects_and_is_slow_or_silent_holds_no_sign_in_up():
    waiting = LoopbackBrowser(seconds=30, open_address=lambda address: True)
    redirect = waiting.prepare()
    place = urlsplit(redirect)
    silent = [socket.create_connection((place.hostname, place.port)) for _ in range(3)]
    with concurrent.futures.ThreadPoolExecutor() as threads, elapsed_at_most(SOON):
        answer = threads.submit(waiting.open, authorize(redirect))
        assert come_back(redirect).status == 200
        assert answer.result(SOON) == f"{redirect}?state=s1&code=c"
    for one in silent:
        one.close()


def test_the_time_of_a_sign_in_ends_also_while_somebody_sends_byte_after_byte():
    waiting = LoopbackBrowser(seconds=1, open_address=lambda address: True)
    redirect = waiting.prepare()
    place, over = urlsplit(redirect), threading.Event()

    def trickle():
        with socket.create_connection((place.hostname, place.port)) as one, contextlib.suppress(OSError):
            while not over.wait(0.3):
                one.sendall(b"G")

    trickling = threading.Thread(target=trickle, daemon=True)
    trickling.start()
    with elapsed_at_most(SOON), pytest.raises(DrawbridgeError) as late:
        waiting.open(authorize(redirect))
    over.set()
    assert late.value.code == "timed_out"


def test_a_browser_that_runs_in_the_foreground_gets_its_page():
    def open_address(address: str) -> bool:
        # The command of the browser ends when it has its page.
        return come_back(redirect).status == 200

    waiting = LoopbackBrowser(seconds=SOON, open_address=open_address)
    redirect = waiting.prepare()
    assert waiting.open(authorize(redirect)) == f"{redirect}?state=s1&code=c"


@pytest.mark.parametrize("opens", [lambda address: False, lambda address: {}["a secret"]])
def test_a_browser_that_cannot_be_opened_ends_the_sign_in_at_once(opens):
    waiting = LoopbackBrowser(seconds=30, open_address=opens)
    with elapsed_at_most(SOON), pytest.raises(DrawbridgeError) as told:
        waiting.open(authorize(waiting.prepare()))
    assert told.value.code == "configuration" and "secret" not in str(told.value)


def test_a_link_is_opened_by_a_browser_that_stays_in_the_foreground(monkeypatch):
    opened, over = [], threading.Event()

    def stay(address: str) -> bool:
        opened.append(address)
        return over.wait(30)

    monkeypatch.setattr(webbrowser, "open", stay)
    with elapsed_at_most(SOON):
        assert open_in_browser(LoginLink("https://www.example.com/x", {}, 0)) is True
    over.set()
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    assert open_in_browser(LoginLink("https://www.example.com/x", {}, 0)) is False
    assert opened == ["https://www.example.com/x"]


def test_a_link_with_its_token_in_a_header_is_none_for_a_browser(monkeypatch):
    monkeypatch.setattr(webbrowser, "open", lambda address: pytest.fail("it is opened without its token"))
    with pytest.raises(DrawbridgeError) as told:
        open_in_browser(LoginLink("https://www.example.com/x", {"Drawbridge-Login-Token": "t"}, 0))
    assert told.value.code == "configuration" and "carrier" in str(told.value)


def test_a_refusal_gets_another_page_than_a_sign_in():
    waiting = LoopbackBrowser(seconds=SOON, open_address=lambda address: True)
    pages = []
    for query in ["state=s1&error=access_denied", "state=s1&code=c"]:
        redirect = waiting.prepare()
        with concurrent.futures.ThreadPoolExecutor() as threads:
            answer = threads.submit(waiting.open, authorize(redirect))
            pages.append(come_back(redirect, query).text)
            assert answer.result() == f"{redirect}?{query}"
    assert "not signed in" in pages[0] and "Done" not in pages[0] and "Done" in pages[1]


def test_nobody_asks_the_network_for_the_name_of_this_machine(monkeypatch):
    monkeypatch.setattr(socket, "getfqdn", lambda *_: pytest.fail("a reverse look-up, which may take its time"))
    waiting = LoopbackBrowser()
    assert urlsplit(waiting.prepare()).hostname == "127.0.0.1"
    waiting.close()


@contextlib.contextmanager
def silent_address():
    """One of this machine that lets nobody in: those who wait to be accepted have taken every place. Its port is free
    at 127.0.0.1."""
    with contextlib.ExitStack() as held:
        server = held.enter_context(socket.create_server(("127.0.0.2", instance.free_port()), backlog=0))
        for _ in range(16):
            one = held.enter_context(socket.socket())
            one.settimeout(0.3)
            try:
                one.connect(server.getsockname())
            except TimeoutError:
                break
        else:
            pytest.fail("it is never full")
        yield server.getsockname()


def resolve_to(monkeypatch, *addresses):
    def found(host, port, *_, **__):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", found)


def test_an_address_that_drops_what_comes_leaves_the_hosts_other_one_its_time(monkeypatch):
    """As IPv6 that leads nowhere, beside IPv4 that works."""
    with silent_address() as (_, port), socket.create_server(("127.0.0.1", port)) as server:
        answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        threading.Thread(target=answer_once, args=(server, answer), daemon=True).start()
        resolve_to(monkeypatch, "127.0.0.2", "127.0.0.1")
        assert http1.send("GET", f"http://www.example.com:{port}/", {}, None, 12).text == "ok"


def test_all_addresses_of_a_host_have_no_more_time_than_one(monkeypatch):
    with silent_address() as (_, port), elapsed_at_most(SOON):
        resolve_to(monkeypatch, "127.0.0.2", "127.0.0.2")
        with pytest.raises(DrawbridgeError) as none:
            http1.send("GET", f"http://www.example.com:{port}/", {}, None, 1)
        assert none.value.code == "unreachable"


class Provider:
    """Stands in for the requests: one code for a device, whose person never answers, and cookies for web views."""

    def __call__(self, method, address, headers, body, seconds, connecting=None):
        base = "http://127.0.0.1:1"
        said = {
            "/.well-known/openid-configuration": {
                "issuer": base, "code_challenge_methods_supported": ["S256"], "authorization_endpoint": f"{base}/authorize",
                "token_endpoint": f"{base}/token", "jwks_uri": f"{base}/keys",
                "device_authorization_endpoint": f"{base}/device"},
            "/keys": {"keys": []},
            "/device": {"device_code": "dc", "user_code": "ABCD", "verification_uri": f"{base}/go", "expires_in": 600,
                        "interval": 60},
        }[urlsplit(address).path]
        return http1.Answer(200, {"content-type": "application/json"}, json.dumps(said))


@pytest.fixture
def provider(monkeypatch):
    monkeypatch.setattr(http1, "send", Provider())


def cancelled_within(seconds: float, call, **settings):
    """Runs it, cancels it after a moment, and ends the loop with all of its threads."""
    async def run():
        app = AsyncDrawbridge("http://127.0.0.1:1", "app-a", **settings)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(call(app), 0.5)

    with elapsed_at_most(seconds):
        asyncio.run(run())


def test_a_cancelled_sign_in_holds_the_program_no_longer(provider):
    browser = LoopbackBrowser(seconds=60, open_address=lambda address: True)
    cancelled_within(SOON, lambda app: app.sign_in(), browser=browser)


def test_a_cancelled_sign_in_on_another_device_holds_the_program_no_longer(provider):
    cancelled_within(SOON, lambda app: app.sign_in_by_device(lambda code: None))


@pytest.mark.parametrize("cancelled_at", ["/.well-known/openid-configuration", "/token"])
def test_a_cancelled_sign_in_ends_no_other_one_of_its_browser(provider, monkeypatch, cancelled_at):
    """Before its own browser was opened, and after its answer came."""
    shown, reached, over = [], threading.Event(), threading.Event()
    browser = LoopbackBrowser(seconds=SOON, open_address=lambda address: not shown.append(address))
    send = http1.send

    def slow(method, address, *more, **others):
        if urlsplit(address).path == cancelled_at:
            reached.set()
            assert over.wait(SOON)
        return send(method, address, *more, **others)

    def answer(address: str):
        asked = {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}
        come_back(asked["redirect_uri"], f"state={asked['state']}&code=c&iss=http://127.0.0.1:1")
        return asked

    async def until(is_so):
        with elapsed_at_most(SOON):
            while not is_so():
                await asyncio.sleep(0.02)

    async def run():
        monkeypatch.setattr(http1, "send", slow)
        one = asyncio.create_task(AsyncDrawbridge("http://127.0.0.1:1", "app-a", browser=browser).sign_in())
        if cancelled_at == "/token":
            await until(lambda: shown)
            answer(shown.pop())
        await until(reached.is_set)
        monkeypatch.setattr(http1, "send", send)
        other = threading.Thread(target=lambda: ended.append(browser.open(authorize(browser.prepare()))), daemon=True)
        ended: list = []
        other.start()
        await until(lambda: shown)
        one.cancel()
        with pytest.raises(asyncio.CancelledError):
            await one
        over.set()
        answer(shown[0])
        await until(lambda: ended)

    asyncio.run(run())


def test_a_browser_ends_the_sign_in_that_it_is_told_of_and_no_other():
    waiting = LoopbackBrowser(seconds=SOON, open_address=lambda address: True)
    before, redirect = waiting.prepare(), waiting.prepare()
    with concurrent.futures.ThreadPoolExecutor() as threads:
        for ended in [before, redirect]:
            waiting.close(ended)
            if ended == before:
                answer = threads.submit(waiting.open, authorize(redirect))
                with pytest.raises(concurrent.futures.TimeoutError):
                    answer.result(0.3)
        with pytest.raises(DrawbridgeError) as over:
            answer.result(SOON)
    assert over.value.code == "cancelled"


def test_a_sign_in_that_was_given_up_before_its_browser_opens_opens_none(provider):
    given_up, shown = threading.Event(), []

    class Slow(LoopbackBrowser):
        def prepare(self):
            given_up.set()
            return super().prepare()

    browser = Slow(seconds=SOON, open_address=shown.append)
    app = Drawbridge("http://127.0.0.1:1", "app-a", browser=browser)
    for _ in range(2):
        with pytest.raises(DrawbridgeError) as over:
            app.sign_in(cancelled=given_up)
        assert over.value.code == "cancelled" and not shown and browser._server is None


class Failing:
    def fail(self, *_):
        raise RuntimeError("a secret")

    prepare = open = set_cookie = load = fail


def test_what_a_part_that_the_app_has_brought_raises_comes_as_an_error_of_the_library(provider, monkeypatch):
    def code_of(work, *arguments) -> str:
        with pytest.raises(DrawbridgeError) as told:
            work(*arguments)
        assert "RuntimeError" in str(told.value) and "secret" not in str(told.value).split("RuntimeError")[1]
        return told.value.code

    view = Failing()
    app = Drawbridge("http://127.0.0.1:1", "app-a", browser=Failing(), web_view=view)
    assert code_of(app.sign_in) == "configuration"
    assert code_of(app.sign_in_by_device, Failing().fail) == "configuration"
    assert code_of(lambda: app.open_url("/", bearer=Failing().fail)) == "configuration"
    key = Failing()
    key.public_key, key.sign = {"x": "x", "y": "y"}, key.fail
    assert code_of(Drawbridge("http://127.0.0.1:1", "app-a", dpop=key)._proofs.proof, "GET",
                   "http://127.0.0.1:1/", None) == "configuration"
    cookie = {"name": "a", "value": "v", "path": "/", "expires": "2030-01-01T00:00:00Z", "http_only": True, "same_site": "Lax"}
    from drawbridge_client import WebViewCookie
    monkeypatch.setattr(app, "cookies", lambda *_: [WebViewCookie(cookie, "http://127.0.0.1:1/")])
    assert code_of(app.open_web_view, "http://127.0.0.1:1/", "web") == "secret_store"
    view.set_cookie = lambda cookie: None
    assert code_of(app.open_web_view, "http://127.0.0.1:1/", "web") == "configuration"


@pytest.mark.parametrize("settings", [
    {"scope": "profile offline_access"}, {"scope": ["profile", ""]}, {"scope": None}, {"scope": 7}, {"timeout": 0},
    {"timeout": -1}, {"timeout": None},
    {"timeout": float("nan")}])
def test_settings_that_cannot_work_are_refused_at_once(settings):
    with pytest.raises(DrawbridgeError) as told:
        Drawbridge("https://www.example.com", "app-a", store=MemoryStore(), **settings)
    assert told.value.code == "configuration"


def test_a_logger_that_fails_changes_nothing(provider):
    class Full:
        def debug(self, line):
            raise OSError("no space")

    app = Drawbridge("http://127.0.0.1:1", "app-a", logger=Full())
    assert app._provider.metadata()["issuer"] == "http://127.0.0.1:1"


def test_a_sign_in_that_fails_before_its_browser_opens_leaves_no_port_open(provider):
    class Full(MemoryStore):
        def set(self, name, value):
            raise OSError("no space")

    browser = LoopbackBrowser(seconds=SOON, open_address=lambda address: pytest.fail("it opens"))
    with pytest.raises(DrawbridgeError) as told:
        Drawbridge("http://127.0.0.1:1", "app-a", dpop=True, store=Full(), browser=browser).sign_in()
    assert told.value.code == "secret_store" and browser._server is None


def test_a_scope_may_come_from_whatever_gives_its_words_once():
    app = Drawbridge("https://www.example.com", "app-a", scope=(word for word in ["profile", "offline_access"]))
    assert app._configuration.scope == ["openid", "profile", "offline_access"]


def test_a_folder_for_secrets_that_cannot_be_made_is_an_error_of_the_library(tmp_path):
    (tmp_path / "file").write_text("")
    for folder in [tmp_path / "file" / "secrets", tmp_path / ("x" * 300)]:
        with pytest.raises(DrawbridgeError) as told:
            FileStore(os.fspath(folder))
        assert told.value.code == "secret_store"
