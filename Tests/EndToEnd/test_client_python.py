"""The library for Python: the vectors, its packages, and its calls at the real server with a browser on loopback."""

import asyncio
import concurrent.futures
import errno
import http.client
import http.server
import json
import os
import queue
import re
import shutil
import socket
import socketserver
import ssl
import stat
import subprocess
import sys
import tarfile
import threading
import time
import zipfile
from urllib.parse import urlencode, urlsplit

import keyring
import keyring.backend
import keyring.errors
import pytest

import instance
import native
import signing
import wire
from answer_once import answer_once
from devices import Visitor
from drawbridge_client import (
    AsyncDrawbridge,
    Drawbridge,
    DrawbridgeError,
    FileStore,
    KeyringStore,
    LoopbackBrowser,
    MemoryStore,
    http1,
)
from libraries import HANGS, loopback_browser
from tls import certificate

CLIENT = instance.ROOT / "clients/python"


def test_every_vector_holds_or_has_a_reason():
    done = subprocess.run(
        [sys.executable, "tests/test_vectors.py"], cwd=CLIENT, capture_output=True, text=True, timeout=HANGS,
        env={**os.environ, "DRAWBRIDGE_BINARY": instance.binary()})
    assert done.returncode == 0, done.stderr[-6000:]


def redeemed_as(demo, link) -> str:
    answer = demo.send("GET", link.url.removeprefix(demo.base), {**wire.NAVIGATION, **link.headers})
    assert answer.status == 303, answer.text
    return demo.session(answer.session_cookie)["sub"]


def test_a_sign_in_by_loopback_opens_pages_and_ends_with_nothing_left(demo, tmp_path):
    folder = tmp_path / "secrets"

    def strangers(redirect: str):
        # Any program of this machine can come to the port: what does not know the state is passed over.
        url = urlsplit(redirect)
        for query in ["code=x&state=wrong", "code=x", "error=access_denied"]:
            assert wire.send(f"http://{url.netloc}", "GET", f"{url.path}?{query}").status == 404

    app = Drawbridge(demo.base, "demo-app", sharing="example", store=FileStore(folder),
                     browser=loopback_browser(demo, before=strangers))
    alice = demo.user("alice")["sub"]
    assert app.sign_in()["sub"] == alice
    assert app.person()["sub"] == alice
    assert redeemed_as(demo, app.open_url("/contacts")) == alice
    assert redeemed_as(demo, app.open_url("/contacts", carrier="header")) == alice
    # Another app of the same maker, and the same app in another process.
    assert Drawbridge(demo.base, "demo-app-b", sharing="example",
                      store=FileStore(folder)).sign_in_silently().claims["sub"] == alice
    assert Drawbridge(demo.base, "demo-app", sharing="example", store=FileStore(folder)).access_token() == app.access_token()

    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()} == {0o600}
    token = app.access_token()
    app.sign_out()
    with pytest.raises(DrawbridgeError) as signed_out:
        app.access_token()
    assert signed_out.value.code == "not_signed_in"
    assert not any(token in path.read_text() for path in folder.iterdir())
    assert demo.send("GET", "/oauth/userinfo", {"Authorization": f"Bearer {token}"}).status == 401


def test_any_backends_bearer_opens_a_page_without_a_sign_in_of_ours(demo):
    link = Drawbridge(demo.base).open_url("/contacts", bearer=demo.bearer("bob"), website="demo-web")
    assert "token" not in repr(link) + str(link)
    assert redeemed_as(demo, link) == demo.user("bob")["sub"]
    with pytest.raises(DrawbridgeError) as refused:
        Drawbridge(demo.base).open_url("/nowhere", bearer=demo.bearer("bob"))
    assert (refused.value.code, refused.value.oauth) == ("refused", "invalid_redirect")
    assert "return_paths" in str(refused.value)


def test_tokens_that_are_bound_to_a_key_open_pages_too(demo, tmp_path):
    app = Drawbridge(demo.base, "demo-app", dpop=True, store=FileStore(tmp_path / "secrets"), browser=loopback_browser(demo))
    app.sign_in()
    assert signing.claims_of(app.access_token())["cnf"]["jkt"]
    assert redeemed_as(demo, app.open_url("/contacts")) == demo.user("alice")["sub"]
    # What a thief of the token alone gets.
    assert demo.send("GET", "/oauth/userinfo", {"Authorization": f"Bearer {app.access_token()}"}).status == 401


def test_a_machine_without_a_browser_shows_a_code(demo):
    shown, slept = [], []

    class Shown:
        pass

    def sleep(seconds: float):
        # The person answers while the app waits; nobody really waits for the interval.
        slept.append(seconds)
        Shown.user_code = shown[0].user_code
        Visitor(demo).let_in(Shown)

    app = Drawbridge(demo.base, "demo-app", sleep=sleep)
    assert app.sign_in_by_device(shown.append)["sub"] == demo.user("alice")["sub"]
    assert slept == [5] and shown[0].verification_uri == demo.base + "/device"


def test_it_can_be_awaited_and_others_go_on_meanwhile(demo):
    async def run():
        app = AsyncDrawbridge(demo.base)
        links = await asyncio.gather(*(app.open_url("/contacts", bearer=demo.bearer("alice")) for _ in range(4)))
        return len({link.url for link in links})

    assert asyncio.run(run()) == 4


def test_a_folder_that_others_can_look_into_is_refused(tmp_path):
    (tmp_path / "open").mkdir(mode=0o755)
    (tmp_path / "link").symlink_to(tmp_path / "open")
    for name in ["open", "link"]:
        with pytest.raises(DrawbridgeError) as refused:
            FileStore(tmp_path / name)
        assert refused.value.code == "secret_store"


def test_a_store_of_the_app_that_is_empty_is_used_all_the_same():
    """Python takes an object of length 0 for false."""
    class Counting(MemoryStore):
        def __len__(self):
            return len(self._kept)

    store = Counting()
    Drawbridge("http://127.0.0.1:1", "app-a", dpop=True, store=store)._proofs.key()
    assert list(store._kept) == ["drawbridge:app-a:http://127.0.0.1:1:key"]


def test_a_carrier_or_an_extent_that_there_is_not_is_refused_before_anything_is_sent(monkeypatch):
    monkeypatch.setattr(http1, "send", lambda *_: pytest.fail("nothing is to be sent"))
    app = Drawbridge("http://127.0.0.1:1", "app-a")
    for unknown in ["Header", "headers", "", None, True]:
        with pytest.raises(DrawbridgeError, match="carrier") as told:
            app.open_url("/", bearer="t", carrier=unknown)
        assert told.value.code == "configuration"
    for unknown in ["everything", "thisApp", "", None]:
        with pytest.raises(DrawbridgeError, match="extent") as told:
            app.sign_out(unknown)
        assert told.value.code == "configuration"


def test_an_issuer_that_is_no_address_is_an_error_of_the_library():
    with pytest.raises(DrawbridgeError) as told:
        Drawbridge("https://[1.2.3]").open_url("/", bearer="t")
    assert told.value.code == "unreachable"


def test_a_certificate_that_nobody_trusts_and_a_port_without_tls_are_told_apart_from_a_broken_network(tmp_path):
    """Asking again mends neither."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate(tmp_path))
    plain = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
    secured = http.server.ThreadingHTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
    secured.socket = context.wrap_socket(secured.socket, server_side=True)
    for server, words in [(plain, "it speaks no TLS"), (secured, "its certificate is not trusted")]:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with pytest.raises(DrawbridgeError, match=words) as told:
            http1.send("GET", f"https://127.0.0.1:{server.server_port}/", {}, None, 10)
        assert told.value.code == "unreachable"
        server.shutdown()
        server.server_close()
    with pytest.raises(DrawbridgeError, match="no connection, or it broke"):
        http1.send("GET", f"https://127.0.0.1:{server.server_port}/", {}, None, 10)


@pytest.mark.parametrize("bound", [False, True])
def test_a_kept_token_with_half_of_a_character_is_one_that_the_provider_does_not_know(monkeypatch, bound):
    base, store, half = "http://127.0.0.1:1", MemoryStore(), "t\ud800"
    description = {**{name: f"{base}/{name}" for name in ["authorization_endpoint", "token_endpoint", "jwks_uri",
                                                          "userinfo_endpoint"]},
                   "issuer": base, "code_challenge_methods_supported": ["S256"]}

    def send(method, address, headers, *_):
        if address.endswith("configuration"):
            return http1.Answer(200, {}, json.dumps(description))
        headers.get("DPoP", "").encode("ascii")
        said = {"error": "invalid_grant" if address.endswith("token_endpoint") else "invalid_token"}
        return http1.Answer(400, {}, json.dumps(said))

    monkeypatch.setattr(http1, "send", send)
    store.set(f"drawbridge:app-a:{base}", json.dumps(
        {"access_token": half, "refresh_token": half, "expires_at": time.time() + 60, "subject": "alice", "bound": bound}))
    with pytest.raises(DrawbridgeError) as told:
        Drawbridge(base, "app-a", dpop=True, store=store).person()
    assert told.value.code == "not_signed_in"


def test_two_processes_with_one_store_wait_for_each_other(tmp_path):
    one, other = FileStore(tmp_path / "s"), FileStore(tmp_path / "s")
    order = []

    def second():
        with other.lock("renew"):
            order.append("second")

    with one.lock("renew"):
        waiting = threading.Thread(target=second)
        waiting.start()
        order.append("first")
    waiting.join(30)
    assert order == ["first", "second"]


def connects_late(monkeypatch, seconds: float):
    connect = http.client.HTTPConnection.connect

    def connect_late(connection):
        time.sleep(seconds)
        connect(connection)

    monkeypatch.setattr(http.client.HTTPConnection, "connect", connect_late)


def test_nothing_is_sent_when_the_time_for_its_answer_is_over(monkeypatch):
    """The first of a host's addresses may be silent for so long: a refresh token would be used up, and its answer dropped."""
    connects_late(monkeypatch, 0.4)
    with socket.create_server(("127.0.0.1", 0)) as server:
        with pytest.raises(DrawbridgeError) as late:
            http1.send("POST", f"http://127.0.0.1:{server.getsockname()[1]}/oauth/token", {}, b"refresh_token=rt_1", 0.1)
        assert late.value.code == "unreachable" and "too long" in str(late.value)
        server.settimeout(10)
        with server.accept()[0] as connection:
            assert connection.recv(1000) == b""


def test_a_slow_way_there_leaves_the_answer_of_a_renewal_its_time(monkeypatch):
    connects_late(monkeypatch, 3)
    with socket.create_server(("127.0.0.1", 0)) as server:
        answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        answering = threading.Thread(target=answer_once, args=(server, answer))
        answering.start()
        address = f"http://127.0.0.1:{server.getsockname()[1]}/oauth/token"
        assert http1.send("POST", address, {}, b"refresh_token=rt_1", 2.5, 30).text == "ok"
        answering.join()


@pytest.mark.skipif(not all(map(shutil.which, ["secret-tool", "gnome-keyring-daemon", "dbus-run-session"])),
                    reason="needs libsecret-tools, gnome-keyring and dbus")
def test_the_desktops_keyring_keeps_a_sign_in_for_every_process_until_the_sign_out(demo, tmp_path):
    """A real Secret Service (gnome-keyring), by the package `keyring`; `secret-tool` looks into it from outside."""
    runtime, folder, script = tmp_path / "runtime", tmp_path / "locks", tmp_path / "session"
    runtime.mkdir(mode=0o700)
    # One session bus for everything: the keyring lives as long as it does.
    script.write_text("""#!/bin/sh
        kept() { secret-tool search --all service com.example.keyring-app 2>/dev/null | grep -c '^secret = .*access_token'; }
        printf unlocked | gnome-keyring-daemon --unlock --components=secrets > /dev/null 2>&1
        $APP whoami && exit 10
        [ $? = 3 ] || exit 11
        $APP sign-in || exit 12
        [ "$(kept)" = 1 ] || exit 13
        $APP whoami || exit 14
        $APP age || exit 15
        $APP meet & one=$!; $APP meet & two=$!
        wait $one && wait $two || exit 16
        $APP sign-out || exit 17
        [ "$(kept)" = 0 ] || exit 18
        $APP whoami && exit 19
        [ $? = 3 ]
        """)
    script.chmod(0o755)
    alice = demo.user("alice")["sub"]
    app = f"{sys.executable} {CLIENT / 'tests/keyring_app.py'} {demo.base} {folder}"
    session = subprocess.Popen(
        ["dbus-run-session", "--", script], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env={**os.environ, "APP": app, "HOME": str(tmp_path), "XDG_RUNTIME_DIR": str(runtime),
                        "XDG_DATA_HOME": str(tmp_path / "data")})
    try:
        location = urlsplit(native.Browser(demo.base).sign_in(instance.next_line(session, HANGS), demo.user("alice")))
        wire.send(f"http://{location.netloc}", "GET", f"{location.path}?{location.query}")
        out, err = session.communicate(timeout=HANGS)
    finally:
        session.kill()
        session.communicate()
    assert session.returncode == 0, (session.returncode, out, err)
    assert out.split() == [alice] * 4
    sent = [line for line in err.splitlines() if line.startswith(f"POST {demo.base}/oauth/token")]
    assert len(sent) == 2, "the sign-in, and one renewal of two processes that came at once"
    # Of all this the folder has the locks alone, which are empty.
    assert [path.read_text() for path in folder.iterdir()] == [""]


def test_a_keyring_that_does_not_let_go_of_a_secret_is_no_success(tmp_path):
    """Some keyrings report that with the error that others have for what is not there."""
    class Stubborn(keyring.backend.KeyringBackend):
        priority, kept = 1, {}

        def get_password(self, service, name):
            return self.kept.get(name)

        def set_password(self, service, name, value):
            self.kept[name] = value

        def delete_password(self, service, name):
            raise keyring.errors.PasswordDeleteError("no")

    before = keyring.get_keyring()
    keyring.set_keyring(Stubborn())
    try:
        store = KeyringStore("com.example.app", tmp_path / "locks")
        store.remove("nothing of this name")
        store.set("name", "secret")
        with pytest.raises(keyring.errors.PasswordDeleteError):
            store.remove("name")
    finally:
        keyring.set_keyring(before)


def test_nobody_who_answers_in_time_is_an_error_with_a_sentence():
    silent = LoopbackBrowser(seconds=0.05, open_address=lambda address: True)
    silent.prepare()
    with pytest.raises(DrawbridgeError) as late:
        silent.open("https://id.example.com/oauth/authorize?state=x")
    assert late.value.code == "timed_out" and "person" in str(late.value)


def test_a_second_sign_in_ends_the_first_whose_end_leaves_the_second_alone():
    def address(redirect: str, state: str) -> str:
        return f"https://id.example.com/authorize?{urlencode({'redirect_uri': redirect, 'state': state})}"

    shown = queue.Queue()
    waiting = LoopbackBrowser(seconds=60, open_address=lambda address: shown.put(address) or True)
    with concurrent.futures.ThreadPoolExecutor() as threads:
        first = threads.submit(waiting.open, address(waiting.prepare(), "s1"))
        shown.get(timeout=30)
        taken = address(waiting.prepare(), "s2")
        redirect = waiting.prepare()
        with pytest.raises(DrawbridgeError) as over:
            first.result(30)
        assert over.value.code == "cancelled"
        with pytest.raises(DrawbridgeError) as over:
            waiting.open(taken)
        assert over.value.code == "cancelled" and shown.empty()
        last = threads.submit(waiting.open, address(redirect, "s3"))
        shown.get(timeout=30)
        url = urlsplit(redirect)
        assert wire.send(f"http://{url.netloc}", "GET", f"{url.path}?state=s3&code=c").status == 200
        assert last.result(30) == f"{redirect}?state=s3&code=c"


def test_nobody_else_can_listen_at_the_port_while_the_app_waits():
    """RFC 8252 appendix B.5: the option that would let others in is not set."""
    waiting = LoopbackBrowser()
    url = urlsplit(waiting.prepare())
    try:
        assert waiting._server.socket.getsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR) == 0
        with socket.socket() as other, pytest.raises(OSError) as taken:
            for option in [socket.SO_REUSEADDR, socket.SO_REUSEPORT]:
                other.setsockopt(socket.SOL_SOCKET, option, 1)
            other.bind((url.hostname, url.port))
        assert taken.value.errno == errno.EADDRINUSE
    finally:
        waiting.close()


def test_a_machine_without_ipv4_gets_its_answer_over_ipv6(demo, monkeypatch):
    bind = socketserver.TCPServer.server_bind

    def bind_without_ipv4(server):
        if server.address_family == socket.AF_INET:
            raise OSError(errno.EADDRNOTAVAIL, "no such address")
        bind(server)

    monkeypatch.setattr(socketserver.TCPServer, "server_bind", bind_without_ipv4)
    redirects = []
    app = Drawbridge(demo.base, "demo-app", browser=loopback_browser(demo, before=redirects.append))
    assert app.sign_in()["sub"] == demo.user("alice")["sub"]
    assert [urlsplit(redirect).hostname for redirect in redirects] == ["::1"]


def test_a_machine_that_lets_nobody_listen_is_an_error_with_a_sentence(monkeypatch):
    def refuse(server):
        raise OSError(errno.EACCES, "no")

    monkeypatch.setattr(socketserver.TCPServer, "server_bind", refuse)
    with pytest.raises(DrawbridgeError) as refused:
        LoopbackBrowser().prepare()
    assert refused.value.code == "configuration" and "listened on" in str(refused.value)


def test_what_a_provider_says_can_be_printed_whatever_it_is():
    """Half of a character, as JSON may hold it, is of no encoding: a log of UTF-8 could not be written."""
    assert b": half ? of one?[2J: " in str(DrawbridgeError("refused", "half \ud800 of one\x1b[2J")).encode()


class Unreadable(MemoryStore):
    def __init__(self):
        super().__init__()
        self.removed = []

    def get(self, name):
        raise OSError("damaged")

    def remove(self, name):
        self.removed.append(name)


@pytest.mark.parametrize("extent,expected", [
    ("this_app", ["drawbridge:app-a:http://127.0.0.1:1", "drawbridge:app-a:http://127.0.0.1:1:cookies"]),
    ("device", ["drawbridge:app-a:http://127.0.0.1:1", "drawbridge-shared:maker",
                "drawbridge:app-a:http://127.0.0.1:1:cookies"])])
def test_what_cannot_be_read_leaves_the_device_at_the_sign_out_all_the_same(extent, expected):
    store = Unreadable()
    with pytest.raises(DrawbridgeError) as told:
        Drawbridge("http://127.0.0.1:1", "app-a", sharing="maker", store=store).sign_out(extent)
    # Which cookies the web view has cannot be known, and that is told; the list leaves as well.
    assert told.value.code == "secret_store" and store.removed == expected


class WebView:
    """While it fails it leaves the first cookie in."""

    def __init__(self):
        self.fails, self.removed = True, []

    def remove_cookie(self, place):
        if self.fails and place["name"] == "a":
            raise RuntimeError("the window is gone")
        self.removed.append(place["name"])


def test_an_https_providers_link_endpoint_or_page_on_this_machine_in_plain_http_is_not_trusted(monkeypatch):
    issuer, plain = "https://127.0.0.1", "http://127.0.0.1"
    names = ["authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint", "revocation_endpoint",
             "device_authorization_endpoint"]
    description = {**{name: f"{issuer}/{name}" for name in names}, "issuer": issuer,
                   "code_challenge_methods_supported": ["S256"]}

    def told(call, status: int, said: dict) -> tuple:
        monkeypatch.setattr(http1, "send", lambda *_: http1.Answer(status, {}, json.dumps(said)))
        try:
            return "opened", call(Drawbridge(issuer, "app-a", store=MemoryStore())).url
        except DrawbridgeError as error:
            return error.code, error.page

    def open_url(app):
        return app.open_url("/", bearer="t")

    for origin, link, page, cookies in [
        (issuer, ("opened", f"{issuer}/in"), ("refused", f"{issuer}/help"), "not_signed_in"),
        (plain, ("unexpected_answer", None), ("refused", None), "configuration"),
    ]:
        assert told(open_url, 200, {"login_url": f"{origin}/in", "expires_in": 60}) == link
        assert told(open_url, 400, {"error": "invalid_redirect", "error_uri": f"{origin}/help"}) == page
        assert told(lambda app: app.cookies(f"{origin}/", "web-view"), 200, description) == (cookies, None)
    for name in names:
        said = {**description, name: f"{plain}/{name}"}
        assert told(lambda app: app.cookies(f"{issuer}/", "web-view"), 200, said) == ("provider.endpoint", None), name


def signed_in_beside_a_web_view() -> tuple:
    """A store with a sign-in, what it shares and two cookies of a web view, and the names of the three."""
    store, item = MemoryStore(), "drawbridge:app-a:http://127.0.0.1:1"
    part = signing.b64url(json.dumps({"iss": "i", "sub": "alice", "aud": "app-a", "exp": 1, "iat": 1}).encode())
    store.set(item, json.dumps({"access_token": "at", "expires_at": 0, "subject": "alice", "bound": False}))
    store.set("drawbridge-shared:maker", json.dumps({"device_secret": "ds", "id_token": f"{part}.{part}.AA"}))
    store.set(f"{item}:cookies", json.dumps([{"name": name, "path": "/", "url": "https://www.example.com/"} for name in "ab"]))
    return store, item, "drawbridge-shared:maker", f"{item}:cookies"


def test_a_web_view_that_fails_at_the_sign_out_keeps_no_secret_on_the_device():
    store, item, shared, cookies = signed_in_beside_a_web_view()
    web_view = WebView()
    with pytest.raises(DrawbridgeError) as told:
        Drawbridge("http://127.0.0.1:1", "app-a", sharing="maker", store=store, web_view=web_view).sign_out()
    assert (told.value.code, web_view.removed) == ("secret_store", ["b"])
    assert [store.get(name) for name in (item, shared)] == [None, None] and store.get(cookies)


def test_a_sign_out_without_the_web_view_keeps_the_list_of_its_cookies_for_one_that_has_it():
    store, item, shared, cookies = signed_in_beside_a_web_view()
    own = store.get(item)
    Drawbridge("http://127.0.0.1:1", "app-a", store=store).sign_out()
    assert store.get(item) is None and store.get(cookies)
    store.set(item, own)
    web_view = WebView()
    web_view.fails = False
    Drawbridge("http://127.0.0.1:1", "app-a", store=store, web_view=web_view).sign_out()
    assert web_view.removed == ["a", "b"] and store.get(cookies) is None


@pytest.mark.parametrize("damaged", [
    "", "{", "[]", "{}", '{"d":"AA","x":"AA","y":"AA"}', json.dumps(dict.fromkeys("dxy", "A" * 43)),
    json.dumps({"d": "A" * 42 + "E", "x": "A" * 43, "y": "A" * 43})])
def test_a_kept_proof_key_that_is_damaged_counts_as_absent(damaged):
    store, item, *_ = signed_in_beside_a_web_view()
    store.set(f"{item}:key", damaged)
    key = Drawbridge("http://127.0.0.1:1", "app-a", dpop=True, store=store)._proofs.key()
    assert json.loads(store.get(f"{item}:key"))["x"] == key.public["x"]
    again = Drawbridge("http://127.0.0.1:1", "app-a", dpop=True, store=store)._proofs.key()
    assert again.public == key.public


def test_a_new_device_secret_is_shared_before_the_network_is_asked_for_the_key_of_its_id_token(monkeypatch):
    base, shared, store, at_keys = "http://127.0.0.1:1", "drawbridge-shared:maker", MemoryStore(), []
    description = {**{name: f"{base}/{name}" for name in ["authorization_endpoint", "token_endpoint", "jwks_uri"]},
                   "issuer": base, "code_challenge_methods_supported": ["S256"]}

    def id_token(secret: str, kid: str) -> str:
        claims = {"iss": base, "aud": "app-a", "sub": "alice", "exp": 1e10, "iat": 1,
                  "ds_hash": signing.half_hash(secret)}
        # Signed by nobody: only what can be looked at without the network fits.
        return ".".join([*(signing.b64url(json.dumps(one).encode()) for one in [{"alg": "ES256", "kid": kid}, claims]), "AA"])

    def send(method, address, *_):
        said = {"access_token": "at_2", "token_type": "Bearer", "expires_in": 300, "refresh_token": "rt_2",
                "device_secret": "ds_2", "id_token": id_token("ds_2", "k2")}
        if address.endswith("jwks_uri"):
            at_keys.append(json.loads(store.get(shared))["device_secret"])
            if len(at_keys) > 1:
                raise DrawbridgeError("unreachable")
            said = {"keys": []}
        return http1.Answer(200, {}, json.dumps(description if address.endswith("configuration") else said))

    monkeypatch.setattr(http1, "send", send)
    store.set(f"drawbridge:app-a:{base}", json.dumps(
        {"access_token": "at_1", "refresh_token": "rt_1", "expires_at": 0, "subject": "alice", "bound": False}))
    store.set(shared, json.dumps({"device_secret": "ds_1", "id_token": id_token("ds_1", "k1")}))
    with pytest.raises(DrawbridgeError) as told:
        Drawbridge(base, "app-a", sharing="maker", store=store).access_token()
    assert told.value.code == "unreachable" and at_keys == ["ds_1", "ds_2"]
    assert json.loads(store.get(shared))["device_secret"] == "ds_2"


def test_what_is_kept_is_on_the_disk_with_its_name(tmp_path, monkeypatch):
    store, synchronized = FileStore(tmp_path / "secrets"), []
    sync = os.fsync

    def noted(descriptor):
        synchronized.append(("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file", store.get("a")))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    store.set("a", "1")
    store.remove("a")
    assert synchronized == [("file", None), ("folder", "1"), ("folder", None)]


def test_a_file_system_that_does_not_flush_folders_keeps_secrets_all_the_same(tmp_path, monkeypatch):
    store, sync = FileStore(tmp_path / "kept"), os.fsync

    def flush(descriptor):
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(number, os.strerror(number))
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", flush)
    for number in [errno.EINVAL, errno.ENOTSUP]:
        store.set("a", str(number))
        assert store.get("a") == str(number)
        store.remove("a")
        assert store.get("a") is None
    number = errno.EIO
    store.remove("not there")
    with pytest.raises(OSError):
        store.set("a", "lost")


def test_a_sign_out_without_its_lock_ends_and_takes_out_everything_and_tells_of_the_lock(demo, tmp_path):
    folder = tmp_path / "secrets"
    app = Drawbridge(demo.base, "demo-app", sharing="example", store=FileStore(folder), browser=loopback_browser(demo))
    app.sign_in()
    token = app.access_token()
    store = FileStore(folder)
    store.lock = lambda name: os.open(folder / "missing" / "lock", os.O_CREAT)
    alone = Drawbridge(demo.base, "demo-app", sharing="example", store=store)
    with pytest.raises(DrawbridgeError) as told:
        alone.sign_out()
    assert told.value.code == "secret_store"
    assert demo.send("GET", "/oauth/userinfo", {"Authorization": f"Bearer {token}"}).status == 401
    assert not any(path.stat().st_size for path in folder.iterdir())
    with pytest.raises(DrawbridgeError) as nobody:
        alone.sign_out()
    assert nobody.value.code == "not_signed_in"


def test_wheel_and_source_package_hold_the_library(tmp_path):
    build = "import sys; to = sys.argv[1]; from setuptools import build_meta as b; b.build_sdist(to); b.build_wheel(to)"
    copy = tmp_path / "copy"
    # Without what other tests have Python write there meanwhile.
    shutil.copytree(CLIENT, copy, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
    done = subprocess.run([sys.executable, "-c", build, tmp_path], cwd=copy, capture_output=True, text=True, timeout=HANGS)
    assert done.returncode == 0, done.stderr[-3000:]
    wheel = zipfile.ZipFile(next(tmp_path.glob("*.whl"))).namelist()
    source = tarfile.open(next(tmp_path.glob("*.tar.gz"))).getnames()
    modules = [path.stem for path in (CLIENT / "drawbridge_client").glob("*.py")]
    assert {"__init__", "client", "_p256"} <= set(modules)
    # The mark of PEP 561, without which checkers ignore the annotations.
    for name in [*(f"{module}.py" for module in modules), "py.typed"]:
        assert f"drawbridge_client/{name}" in wheel
        assert any(path.endswith(f"drawbridge_client/{name}") for path in source)
    assert not [name for name in wheel if re.search(r"test|skips", name)]
