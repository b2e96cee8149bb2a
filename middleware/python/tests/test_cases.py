"""The shared table, and what is Python's own. `python -m unittest discover -s tests` in the package's folder."""

import asyncio
import contextlib
import io
import json
import pathlib
import socket
import sys
import threading
import time
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))

from drawbridge_site import (
    ConfigurationError,
    Identity,
    Memory,
    Refused,
    Request,
    Settings,
    Site,
    Unavailable,
    User,
    asgi,
    jws,
    wsgi,
)
from drawbridge_site.fetcher import Fetcher

TABLE = json.loads((pathlib.Path(__file__).parents[2] / "cases/cases.json").read_text())
PAGE = [("Accept", "text/html")]
#: What each question to Drawbridge carries.
MARK = {"Drawbridge-Question": "1"}
#: Paths that a server of files finds below /files/private/.
DETOURS = ["/files/private/x", "/files/./private/x", "/files//private/x", "//files/private/x", "/files/private/.",
           "/files/private//", "/files/y/../private/x", "/static/../files/private/x", "/files/.\\private/x",
           "/files/y\\../../private/x", "/files/y\\..\\private/x"]
#: And those that it does not.
BESIDE = ["/", "/files", "/files/", "/files/private", "/files/private.txt", "/files/..x/private/x", "/files/.../private/x",
          "/public/files/private/x"]


class Provider:
    """Answers for Drawbridge; what it is asked is counted."""

    def __init__(self, serves=None):
        self.serves = TABLE["serves"] if serves is None else serves
        self.asked = []

    def __call__(self, path, headers):
        self.asked.append((path, headers))
        if self.serves == "down":
            raise Unavailable("down")
        if self.serves == "garbage":
            return 200, [], b"<html>"
        return 200, [], json.dumps({"keys": [TABLE["keys"][name] for name in self.serves]}).encode()


def site(now=TABLE["now"], fetch=None, source="cookie", **changes) -> Site:
    settings = {**TABLE["settings"], **changes, "source": source}
    settings = {name: tuple(value) if isinstance(value, list) else value for name, value in settings.items()}
    made = Site(Settings(**settings), fetch=fetch or Provider())
    made.now = now if callable(now) else lambda: now
    return made


def outcome(call) -> str:
    try:
        return call().subject
    except Refused as refusal:
        return refusal.reason
    except Unavailable:
        return "unavailable"


def request(headers=(), method="GET", target="/", peer="", claimed=False) -> Request:
    return Request(method, target, [tuple(pair) for pair in headers], peer, claimed)


def cookie(token) -> list:
    return [("Cookie", f"vagov_access_token={token}")]


def each(test):
    """Runs the test for each case of the table of its name."""

    def run(self):
        for case in TABLE[test.__name__.removeprefix("test_")]:
            with self.subTest(case["id"]):
                test(self, case)

    return run


class Shared(unittest.TestCase):
    maxDiff = None

    @each
    def test_tokens(self, case):
        try:
            user = site(case["now"]).user_of(case["token"])
            got = {name: getattr(user, name) for name in ("subject", "session", "acr", "auth_time")} | {"amr": list(user.amr)}
        except Refused as refusal:
            got = {"refused": refusal.reason}
        self.assertEqual(got, case["expect"])

    @each
    def test_proxies(self, case):
        asked = request(case["headers"], peer=case["peer"], claimed=case["claimed"])
        identity = site(source="proxy", **case["settings"]).identify(asked)
        user = identity.user
        got = {"refused": identity.reason} if user is None else {
            "subject": user.subject, "session": user.session, "acr": user.acr}
        self.assertEqual(got, case["expect"])

    @each
    def test_cookies(self, case):
        keys = Provider()

        def fetch(path, headers):
            if path != "/session":
                return keys(path, headers)
            if headers != {"Cookie": "__Host-drawbridge_session=opaque", **MARK} or "session" not in case:
                raise Unavailable("not to be asked")
            return 200, [], json.dumps(case["session"]).encode()

        headers = [("Cookie", line) for line in case["cookie"]] + case.get("headers", [])
        try:
            identity = site(fetch=fetch).identify(request(headers))
        except Unavailable:
            identity = Identity(None, "unavailable")
        self.assertEqual(identity.user.subject if identity.user else None, case.get("expect"))
        self.assertEqual(identity.reason, case.get("refused"))

    @each
    def test_identities(self, case):
        who, wanted = [("X-Auth-Subject", "alice"), ("X-Auth-Session", "s-1")], ",".join(case["identity"])
        headers = [*who, *map(tuple, case["headers"])]

        def fetch(path, fields):
            self.assertEqual(fields, {"Cookie": "__Host-drawbridge_session=opaque", **MARK})
            if wanted and path == f"/auth/check?identity={wanted}":
                return 200, headers, b""
            self.assertEqual(path, "/session")
            return 200, [], b'{"authenticated":true,"sub":"alice"}'

        def identity(one, headers):
            try:
                found = one.identify(request(headers))
            except Unavailable:
                return "unavailable"
            user = found.user
            return {"refused": found.reason} if user is None else {
                "name": user.name, "email": user.email, "groups": list(user.groups)}

        secret = "proxy-secret-of-the-tests-32-chars"
        one = site(source="proxy", proxy_secret=secret, identity=case["identity"])
        word = [("Host", "www.example.com"), ("X-Drawbridge-Proxy", secret), *headers]
        self.assertEqual(identity(one, word), case["expect"])
        one = site(source="session", identity=case["identity"], fetch=fetch)
        self.assertEqual(identity(one, [("Cookie", "__Host-drawbridge_session=opaque")]),
                         "unavailable" if "refused" in case["expect"] else case["expect"])

    @each
    def test_identity_answers(self, case):
        one = site(source="session", identity=("name",), fetch=lambda path, headers: (
            (200, [], b'{"authenticated":true,"sub":"alice"}') if path == "/session"
            else (case["status"], [tuple(pair) for pair in case["headers"]], b"")))
        try:
            found = one.identify(request([("Cookie", "__Host-drawbridge_session=opaque")]))
        except Unavailable:
            found = Identity(None, "unavailable")
        self.assertEqual(found.reason or found.user.subject, case["expect"])

    @each
    def test_outages(self, case):
        asked = []

        def fetch(path, headers):
            asked.append(path)
            status = step["session"] if path == "/session" else step["check"]
            if status == 0:
                raise Unavailable("down")
            return status, [("X-Auth-Subject", "alice")], b'{"authenticated":true,"sub":"alice"}'

        one = site(source="session", fetch=fetch)
        for step in case["steps"]:
            one.now = lambda: step["now"]
            found = one.guard(request([("Cookie", "__Host-drawbridge_session=opaque")]), tuple(step.get("acr", ())))
            got = found.subject if isinstance(found, User) else {503: "unavailable"}.get(found.status)
            self.assertEqual((got, len(asked)), (step["expect"], step["asked"]), step["now"])

    @each
    def test_rotation(self, case):
        provider = Provider()
        one = site(fetch=provider)
        for step in case["steps"]:
            one.now = lambda: step["now"]
            provider.serves = step["serves"]
            self.assertEqual(outcome(lambda: one.user_of(step["token"])), step["expect"], step["now"])
            self.assertEqual(len(provider.asked), step["fetches"], step["now"])

    @each
    def test_returns(self, case):
        changes = {name: case[name] for name in ["sign_in"] if name in case}
        answer = site(**changes).guard(request(case["headers"], case["method"], case["target"]))
        headers, expect = dict(answer.headers), case["expect"]
        self.assertEqual(answer.status, expect["status"])
        for name, word in [("Location", "location"), ("WWW-Authenticate", "challenge"), ("Content-Type", "type")]:
            self.assertEqual(headers.get(name), expect.get(word))
        self.assertEqual([value for name, value in answer.headers if name == "Set-Cookie"], expect.get("cookies", []))
        if "body" in expect:
            self.assertEqual(answer.body.decode(), expect["body"])

    @each
    def test_demands(self, case):
        provider = Provider()
        one = site(case["now"], lambda path, headers: (401, [], b"") if "check" in path else provider(path, headers))
        found = one.guard(request(cookie(case["token"])), tuple(case["acr"]), case["max_age"])
        if isinstance(found, User):
            self.assertEqual(found.subject, case["expect"])
        else:
            self.assertEqual((found.status, dict(found.headers)["WWW-Authenticate"]), (401, case["expect"]))

    @each
    def test_proxy_demands(self, case):
        found = site(fetch=Provider("down"), source="proxy", proxy_secret=TABLE["ended"]["proxy_secret"]).guard(
            request(case["headers"]), tuple(case["acr"]))
        got = found.subject if isinstance(found, User) else dict(found.headers).get("WWW-Authenticate", found.status)
        self.assertEqual(got, case["expect"])

    @each
    def test_step_ups(self, case):
        keys, asked = Provider(), []

        def fetch(path, headers):
            if path == "/.well-known/jwks.json":
                return keys(path, headers)
            asked.append([path, headers["Cookie"]])
            said = case["check"]
            if path == "/session":
                return 200, [], json.dumps(case["session"]).encode()
            return said["status"], said["headers"], b""

        headers = [*case["headers"], *(("Cookie", line) for line in case["cookie"])]
        found = site(fetch=fetch, source=case["source"]).guard(request(headers, target=case["target"]), tuple(case["acr"]))
        pairs = [] if isinstance(found, User) else found.headers
        got = {"user": found.subject} if isinstance(found, User) else {
            "status": found.status, "location": dict(pairs).get("Location"),
            "cookies": [value for name, value in pairs if name == "Set-Cookie"]}
        self.assertEqual((got, asked), (case["expect"], case["asked"]))

    @each
    def test_webhooks(self, case):
        one, events = site(), []
        for step in case["steps"]:
            one.now = lambda: step["now"]
            answer = one.webhook(step["body"].encode(), step["header"], events.append)
            self.assertEqual((answer.status, json.loads(answer.body)["result"]), (step["status"], step["expect"]))
        self.assertEqual(len(events), sum(step["expect"] == "handled" for step in case["steps"]))

    @each
    def test_logouts(self, case):
        one, heard = site(), []
        for step in case["steps"]:
            one.now = lambda: step["now"]
            answer = one.backchannel_logout(step["form"].encode(), heard.append)
            self.assertEqual((answer.status, json.loads(answer.body)["result"]), (step["status"], step["expect"]))
        self.assertEqual(len(heard), sum(step["expect"] == "handled" for step in case["steps"]))

    def test_an_ended_session_is_nobodys(self):
        ended, one = TABLE["ended"], site()
        self.assertEqual(outcome(lambda: one.user_of(ended["token"])), "alice")
        one.webhook(ended["webhook"]["body"].encode(), ended["webhook"]["header"])
        self.assertEqual(outcome(lambda: one.user_of(ended["token"])), "ended")
        one.backchannel_logout(ended["logout"]["form"].encode())
        self.assertEqual(outcome(lambda: one.user_of(ended["logged_out_token"])), "ended")
        self.assertEqual(outcome(lambda: one.user_of(ended["other_token"])), "alice")

    def test_a_session_that_ended_stays_nobodys_for_as_long_as_its_tokens_may_live(self):
        ended, one = TABLE["ended"], site()
        one.webhook(ended["webhook"]["body"].encode(), ended["webhook"]["header"])
        one.now = lambda: ended["late"]
        self.assertEqual(outcome(lambda: one.user_of(ended["lasting_token"])), "ended")

    def test_what_a_proxy_says_of_a_session_that_ended_is_nobodys(self):
        ended = TABLE["ended"]
        one, asked = site(source="proxy", proxy_secret=ended["proxy_secret"]), request(ended["proxy_headers"])
        self.assertEqual(one.identify(asked).user.subject, "alice")
        one.webhook(ended["webhook"]["body"].encode(), ended["webhook"]["header"])
        self.assertEqual(one.identify(asked).reason, "ended")


def wsgi_is_guarded(prefixes, path, root="") -> bool:
    statuses = []
    application = wsgi.Guard(lambda environ, start_response: statuses.append("reached") or [], site(), prefixes)
    application({"REQUEST_METHOD": "GET", "SCRIPT_NAME": root, "PATH_INFO": path, "wsgi.input": io.BytesIO()},
                lambda status, headers: statuses.append(status[:3]))
    return statuses == ["401"]


def asgi_is_guarded(prefixes, path, root="") -> bool:
    return asgi_scope_is_guarded(prefixes, "http", root, root + path)


def asgi_scope_is_guarded(prefixes, kind, root, path) -> bool:
    sent = []

    async def application(scope, receive, send):
        sent.append("reached")

    async def send(message):
        sent.append(message.get("status") or message.get("code"))

    scope = {"type": kind, "root_path": root, "path": path, "headers": []}
    asyncio.run(asgi.Guard(application, site(), prefixes)(scope, None, send))
    return sent[0] == {"http": 401, "websocket": 1008}[kind]


class SharedWithoutCryptography(Shared):
    """The same on the standard library's arithmetic."""

    def setUp(self):
        self.ec, jws.ec = jws.ec, None

    def tearDown(self):
        jws.ec = self.ec


class Own(unittest.TestCase):
    def test_settings_that_would_believe_anybody_are_refused(self):
        for changes in [{"source": "proxy"}, {"source": "proxy", "proxy_secret": "short"},
                        {"source": "cookie", "issuer": None}, {"source": "cookie", "client_id": None}, {"source": "else"},
                        {"origin": "http://www.example.com"}, {"issuer": "http://id.example.com"},
                        {"webhook_secrets": ["short"]}, {"leeway": 600},
                        {"source": "proxy", "proxy_addresses": ["proxy"]}, {"logout_algorithms": ["HS256"]},
                        {"source": "proxy", "proxy_addresses": ["10.0.0.1/"]},
                        {"source": "proxy", "proxy_addresses": ["10.0.0.0/0x0"]},
                        {"source": "proxy", "proxy_addresses": ["10.0.0.0/8/x"]},
                        {"source": "proxy", "proxy_secret": "x" * 32, "hosts": ["https://www.example.com"]},
                        {"source": "proxy", "proxy_secret": "x" * 32, "hosts": "www.example.com"},
                        {"source": "session", "identity": ["phone"]}, {"source": "cookie", "identity": ["name"]},
                        {"source": "session", "identity": ["name"], "drawbridge": None},
                        {"origin": "https://www.example.com/"}, {"drawbridge": "http://drawbridge.internal:8080"}]:
            with self.subTest(changes), self.assertRaises(ConfigurationError):
                site(**changes)

    def test_a_receiver_without_the_settings_that_it_needs_is_an_error_and_refuses_nothing(self):
        webhook, logout = TABLE["ended"]["webhook"], TABLE["ended"]["logout"]
        with self.assertRaises(ConfigurationError):
            site(webhook_secrets=()).webhook(webhook["body"].encode(), webhook["header"])
        for changes in [{"issuer": None}, {"client_id": None}, {"client_id": ""}]:
            with self.subTest(changes), self.assertRaises(ConfigurationError):
                site(source="session", **changes).backchannel_logout(logout["form"].encode())

    def test_a_logout_token_comes_again_when_keys_cannot_be_had(self):
        form = TABLE["ended"]["logout"]["form"].encode()
        for serves in ["down", "garbage"]:
            self.assertEqual(site(fetch=Provider(serves)).backchannel_logout(form).status, 503, serves)

    def test_a_webhook_needs_no_client(self):
        webhook = TABLE["ended"]["webhook"]
        for client in [None, ""]:
            answer = site(source="session", client_id=client).webhook(webhook["body"].encode(), webhook["header"])
            self.assertEqual((answer.status, answer.body), (200, b'{"result": "handled"}'), client)

    def test_in_a_full_memory_the_oldest_makes_room_and_whose_time_is_over_is_not_forgotten_early(self):
        memory = Memory(2)
        self.assertEqual([memory.add(name, until, 0) for name, until in [("a", 10), ("b", 11), ("c", 12), ("b", 20)]],
                         ["new", "new", "new", "known"])
        self.assertEqual((memory.has("a", 0), memory.has("b", 0), memory.forgotten), (False, True, 10))
        self.assertEqual((memory.add("d", 30, 15), memory.add("c", 30, 15), memory.forgotten), ("new", "new", 10))
        self.assertEqual(Memory(0).add("a", 10, 0), "full")

    def test_more_ends_than_there_is_room_for_are_handled_and_tokens_that_are_older_than_a_forgotten_one_are_nobodys(self):
        ended, one, found = TABLE["ended"], site(), []
        one.ended = Memory(2)

        def tell(step):
            return json.loads(one.webhook(step["body"].encode(), step["header"]).body)["result"]

        self.assertEqual(tell(ended["webhook"]), "handled")
        for step in ended["more"][:2]:
            one.now = lambda: step["now"]
            found.append(tell(step))
            found += [outcome(lambda: one.user_of(ended[name]))
                      for name in ("lasting_token", "other_lasting_token", "later_token")]
        self.assertEqual(found, ["handled", "ended", "alice", "alice", "handled", "ended", "ended", "alice"])

    def test_a_store_that_is_empty_and_has_a_length_is_used(self):
        class Counted(Memory):
            def __len__(self):
                return 0

        ended, notices = Counted(), Counted()
        one = Site(Settings(source="session", origin="https://www.example.com"), ended=ended, notices=notices)
        self.assertEqual((one.ended, one.notices), (ended, notices))

    def test_while_the_ended_sessions_are_full_a_notice_comes_again_unhandled(self):
        one, handled = site(), []
        one.ended = Memory(0)
        webhook, logout = TABLE["ended"]["webhook"], TABLE["ended"]["logout"]
        for answer in (one.webhook(webhook["body"].encode(), webhook["header"], handled.append),
                       one.backchannel_logout(logout["form"].encode(), handled.append)):
            self.assertEqual((answer.status, answer.body), (503, b'{"result": "full"}'))
        one.ended = Memory()
        self.assertIn(b"handled", one.webhook(webhook["body"].encode(), webhook["header"], handled.append).body)
        self.assertEqual(len(handled), 1)

    def test_while_the_notices_are_full_an_end_counts_and_is_handled_and_those_of_others_keep_none_away(self):
        one, heard, ended = site(), [], TABLE["ended"]

        def tell():
            answer = one.webhook(ended["webhook"]["body"].encode(), ended["webhook"]["header"], heard.append)
            return answer.status, json.loads(answer.body)["result"], len(heard)

        one.notices = Memory(0)
        self.assertEqual(tell(), (200, "handled", 1))
        self.assertEqual(outcome(lambda: one.user_of(ended["token"])), "ended")
        # It cannot tell a repeat, which handlers have to bear.
        self.assertEqual(tell(), (200, "handled", 2))
        one.notices = Memory(2)
        for name in "ab":
            one.notices.add(name, TABLE["now"] + 100, TABLE["now"])
        self.assertEqual([tell(), tell()], [(200, "handled", 3), (200, "known", 3)])

    def test_a_session_is_ended_before_its_notice_is_handled_also_where_that_fails(self):
        class Fails(Memory):
            def add(self, *_):
                raise RuntimeError

        one, ended = site(), TABLE["ended"]
        one.notices = Fails()
        with self.assertRaises(RuntimeError):
            one.webhook(ended["webhook"]["body"].encode(), ended["webhook"]["header"])
        self.assertEqual(outcome(lambda: one.user_of(ended["token"])), "ended")

    def test_while_there_are_no_keys_they_are_asked_for_two_seconds_after_a_failure_and_else_after_half_a_minute(self):
        provider = Provider("down")
        one, token = site(fetch=provider), TABLE["ended"]["lasting_token"]
        for seconds, serves, expected, asked in [
                (0, "down", "unavailable", 1), (1, "down", "unavailable", 1), (2, "down", "unavailable", 2),
                (3, TABLE["serves"], "unavailable", 2), (4, TABLE["serves"], "alice", 3), (304, "down", "alice", 4),
                (333, "down", "alice", 4), (3604, "down", "alice", 5), (3606, "down", "unavailable", 6),
                (3608, TABLE["serves"], "alice", 7)]:
            one.now, provider.serves = lambda: TABLE["now"] + seconds, serves
            self.assertEqual((outcome(lambda: one.user_of(token)), len(provider.asked)), (expected, asked), seconds)

    def test_what_was_handled_is_remembered_in_the_last_place_that_there_is(self):
        step, one = TABLE["webhooks"][0]["steps"][0], site()
        one.notices = Memory(1)
        said = [one.webhook(step["body"].encode(), step["header"]).body for _ in range(2)]
        self.assertEqual(said, [b'{"result": "handled"}', b'{"result": "known"}'])

    def test_a_notice_whose_handling_failed_comes_again(self):
        step, one = TABLE["webhooks"][0]["steps"][0], site()

        def fails(event):
            raise RuntimeError

        with self.assertRaises(RuntimeError):
            one.webhook(step["body"].encode(), step["header"], fails)
        self.assertIn(b"handled", one.webhook(step["body"].encode(), step["header"]).body)

    def test_a_repeat_of_a_notice_in_hand_is_sent_again_for_the_handler_may_fail(self):
        step, one, meanwhile = TABLE["webhooks"][0]["steps"][0], site(), []

        def fails(event):
            meanwhile.append(one.webhook(step["body"].encode(), step["header"]))
            raise RuntimeError

        with self.assertRaises(RuntimeError):
            one.webhook(step["body"].encode(), step["header"], fails)
        self.assertEqual([(answer.status, answer.body) for answer in meanwhile], [(503, b'{"result": "in_hand"}')])
        self.assertIn(b"handled", one.webhook(step["body"].encode(), step["header"]).body)
        self.assertIn(b"known", one.webhook(step["body"].encode(), step["header"]).body)

    def test_an_answer_that_trickles_is_given_up_in_time(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            def trickle():
                with contextlib.suppress(OSError):
                    other, _ = server.accept()
                    with other:
                        other.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
                        while True:
                            other.sendall(b"x")
                            time.sleep(0.02)

            thread = threading.Thread(target=trickle, daemon=True)
            thread.start()
            settings = Settings(source="session", origin=f"http://127.0.0.1:{server.getsockname()[1]}")
            with self.assertRaises(Unavailable):
                Fetcher(settings, seconds=0.3)("/session", {})
            thread.join()

    def test_an_address_of_drawbridges_host_that_is_out_of_reach_leaves_time_for_the_next(self):
        find, found = socket.getaddrinfo, []

        def serve():
            connection, _ = server.accept()
            connection.recv(4096)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
            connection.close()

        with contextlib.ExitStack() as stack:
            server = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            port = server.getsockname()[1]
            # Nobody accepts there, and once its queue is full it does not answer at all.
            full = stack.enter_context(socket.create_server(("127.0.0.2", port), backlog=0))
            for _ in range(4):
                waiting = stack.enter_context(socket.socket())
                waiting.setblocking(False)
                waiting.connect_ex(full.getsockname())
            thread = threading.Thread(target=serve, daemon=True)
            thread.start()
            socket.getaddrinfo = lambda host, *more, **options: [
                *find("127.0.0.2", *more, **options), *find("127.0.0.1", *more, **options)]
            stack.callback(setattr, socket, "getaddrinfo", find)
            with contextlib.suppress(Unavailable):
                found = Fetcher(Settings(source="session", origin=f"http://localhost:{port}"), seconds=1)("/session", {})
        self.assertEqual(found and (found[0], found[2]), (200, b"{}"))

    def test_an_answer_that_leads_elsewhere_is_too_long_or_is_cut_off_is_no_answer(self):
        alice, asked_elsewhere = b'{"authenticated":true,"sub":"alice"}', []

        def serve(server, answer, heard):
            with contextlib.suppress(OSError):
                connection, _ = server.accept()
                heard.append(connection.recv(4096))
                connection.sendall(answer)
                connection.close()

        def answered(length: int, body: bytes) -> bytes:
            return f"HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n".encode() + body

        def long(length: int) -> bytes:
            return answered(length, alice.ljust(length))

        with socket.create_server(("127.0.0.1", 0)) as elsewhere:
            port = elsewhere.getsockname()[1]
            threading.Thread(target=serve, args=(elsewhere, answered(len(alice), alice), asked_elsewhere), daemon=True).start()
            redirect = f"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:{port}/session\r\nContent-Length: 0\r\n\r\n"
            for name, answer, expected in [
                ("redirect", redirect.encode(), 503), ("longest", long(262_144), "alice"), ("too long", long(262_145), 503),
                ("cut off", answered(len(alice) + 1, alice), 503),
                ("cut off in chunks", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n24\r\n" + alice + b"\r\n", 503),
            ]:
                with self.subTest(name), socket.create_server(("127.0.0.1", 0)) as server:
                    threading.Thread(target=serve, args=(server, answer, []), daemon=True).start()
                    one = Site(Settings(source="session", origin=f"http://127.0.0.1:{server.getsockname()[1]}"))
                    found = one.guard(request([("Cookie", "__Host-drawbridge_session=abc")]))
                    self.assertEqual(getattr(found, "subject", None) or found.status, expected)
            self.assertEqual(asked_elsewhere, [])

    def test_many_threads_with_unknown_keys_ask_once(self):
        provider = Provider([])
        one = site(fetch=provider)
        threads = [threading.Thread(target=lambda: outcome(lambda: one.user_of(TABLE["ended"]["token"]))) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(provider.asked), 1)

    def test_after_a_drawbridge_that_hung_nobody_who_waited_for_keys_asks_again_and_nobody_else_for_two_seconds(self):
        begun, goes_on, asked, looked, late = threading.Event(), threading.Event(), [], [], [0]

        def fetch(path, headers):
            asked.append(path)
            begun.set()
            goes_on.wait(10)
            raise Unavailable("down")

        def clock():
            looked.append(threading.get_ident())
            return TABLE["now"] + late[0]

        one = site(now=clock, fetch=fetch)

        def visits(count):
            def visit():
                outcome(lambda: one.user_of(TABLE["ended"]["token"]))

            threads = [threading.Thread(target=visit) for _ in range(count)]
            for thread in threads:
                thread.start()
            return threads

        threads = visits(1)
        self.assertTrue(begun.wait(10))
        # Their time is past the pause, were that counted from the beginning of the question.
        late[0] = 2
        threads += visits(10)
        while any(looked.count(thread.ident) < 2 for thread in threads):
            time.sleep(0)
        late[0] = 3
        goes_on.set()
        for thread in threads:
            thread.join()
        for later, expected in [(4, 1), (5, 2)]:
            late[0] = later
            visits(1)[0].join()
            self.assertEqual(len(asked), expected)

    def test_while_one_asks_for_keys_the_others_use_those_they_have(self):
        begun, goes_on, provider, found = threading.Event(), threading.Event(), Provider(), []

        def fetch(path, headers):
            if one.now() > TABLE["now"]:
                begun.set()
                goes_on.wait(10)
            return provider(path, headers)

        one = site(fetch=fetch)
        good, [new] = TABLE["ended"]["token"], [
            case["steps"][1]["token"] for case in TABLE["rotation"] if case["id"].startswith("a new key is learnt")]

        def ask(token):
            thread = threading.Thread(target=lambda: found.append(outcome(lambda: one.user_of(token))))
            thread.start()
            return thread

        ask(good).join()
        one.now = lambda: TABLE["now"] + 299.5
        provider.serves = [*TABLE["serves"], "next"]
        threads = [ask(new)]
        self.assertTrue(begun.wait(10))
        one.now = lambda: TABLE["now"] + 300
        second = ask(good)
        second.join(5)
        self.assertEqual(found, ["alice", "alice"])
        # Who cannot do without the answer waits for it, and does not ask for itself.
        threads.append(ask(new))
        threads[-1].join(0.2)
        self.assertEqual((threads[-1].is_alive(), found), (True, ["alice", "alice"]))
        goes_on.set()
        for thread in threads:
            thread.join()
        self.assertEqual((found, len(provider.asked)), (["alice"] * 4, 2))

    def test_session_is_asked_with_drawbridges_cookies_alone(self):
        asked = []

        def fetch(path, headers):
            asked.append((path, headers))
            return 200, [], b'{"authenticated":true,"sub":"alice","acr":"aal1","auth_time":"2027-01-15T08:00:00.000Z"}'

        one = site(fetch=fetch, source="session")
        user = one.identify(request([("Cookie", "shop=1; __Host-drawbridge_session=abc"), ("X-Auth-Subject", "bob")])).user
        self.assertEqual((user.subject, user.auth_time), ("alice", 1_800_000_000))
        self.assertEqual(asked, [("/session", {"Cookie": "__Host-drawbridge_session=abc", **MARK})])

    def test_session_that_cannot_be_asked_is_neither_in_nor_out(self):
        for answer in [(500, [], b""), (200, [], b"<html>"), (200, [], b'{"authenticated":true}'), (303, [], b"")]:
            one = site(fetch=lambda path, headers: answer, source="session")
            self.assertEqual(one.guard(request([("Cookie", "__Host-drawbridge_session=abc")])).status, 503)
        for body in [b'{"authenticated":"true","sub":"alice"}', b'{"authenticated":1,"sub":"alice"}', b"{}"]:
            one = site(fetch=lambda path, headers: (200, [], body), source="session")
            self.assertEqual(one.identify(request([("Cookie", "__Host-drawbridge_session=abc")])).reason, "missing")

    def test_a_web_socket_is_told_the_status_where_the_server_can_say_it(self):
        def sent(extensions, fetch):
            messages = []

            async def send(message):
                messages.append(message)

            scope = {"type": "websocket", "path": "/", "headers": [(b"cookie", b"__Host-drawbridge_session=abc")],
                     "extensions": extensions}
            asyncio.run(asgi.Guard(None, site(fetch=fetch, source="session"))(scope, None, send))
            return messages

        def away(path, headers):
            raise Unavailable("down")

        can = {"websocket.http.response": {}}
        for fetch, status in ((away, 503), (lambda path, headers: (200, [], b"{}"), 401)):
            start, body = sent(can, fetch)
            self.assertEqual((start["type"], start["status"]), ("websocket.http.response.start", status))
            self.assertEqual(body["type"], "websocket.http.response.body")
            self.assertIn((b"content-length", str(len(body["body"])).encode()), start["headers"])
            for cannot in (None, {}):
                self.assertEqual(sent(cannot, fetch), [{"type": "websocket.close", "code": 1008}])

    def test_step_up_takes_drawbridges_way_there_and_never_another_user(self):
        answers = {"302": (302, [("Location", "/sign-in?redirect=%2Fx"), ("Set-Cookie", "a=b"), ("Server", "x")], b""),
                   "same": (200, [("X-Auth-Subject", "alice")], b""), "other": (200, [("X-Auth-Subject", "bob")], b"")}
        got = {}
        for name, answer in answers.items():
            provider = Provider()
            one = site(fetch=lambda path, headers: answer if "/auth/check?acr=aal9&max_age=5&redirect=%2Fx" == path
                       else provider(path, headers))
            got[name] = one.guard(request([*cookie(TABLE["ended"]["token"]), *PAGE], target="/x"), ("aal9",), 5)
        self.assertEqual((got["302"].status, got["302"].headers[:2]),
                         (303, [("Location", "/sign-in?redirect=%2Fx"), ("Set-Cookie", "a=b")]))
        self.assertEqual(got["same"].subject, "alice")
        self.assertEqual((got["other"].status, got["other"].headers[0]), (303, ("Location", "/session/logout")))

    def test_a_session_cookie_that_came_twice_steps_nobody_up(self):
        keys, asked = Provider(), []

        def fetch(path, fields):
            if path == "/.well-known/jwks.json":
                return keys(path, fields)
            asked.append(fields["Cookie"])
            return 401, [], b""

        headers = [*cookie(TABLE["ended"]["token"]), ("Cookie", "__Host-drawbridge_session=a; __Host-drawbridge_session=b")]
        self.assertEqual(site(fetch=fetch).guard(request(headers), ("aal9",)).status, 401)
        self.assertEqual(asked, [f"vagov_access_token={TABLE['ended']['token']}"])

    def test_an_acr_that_is_one_text_and_no_list_is_refused(self):
        # `in` would look for the user's acr within it: `aal` is there in `aal2`.
        for guard in [lambda: site().guard(request(cookie(TABLE["ended"]["token"])), acr="x-aal2"),
                      lambda: wsgi.Guard(None, site(), acr="aal2"), lambda: asgi.Guard(None, site(), acr="aal2")]:
            with self.assertRaises(ConfigurationError):
                guard()
        self.assertEqual(site().guard(request(cookie(TABLE["ended"]["token"])), acr=["aal2"]).subject, "alice")

    def test_what_is_printed_of_settings_and_requests_has_no_secret(self):
        one = site(source="proxy", proxy_secret="a proxy's secret of 32 characters",
                   webhook_secrets=["a webhook's secret of 32 characters"])
        asked = request([("X-Drawbridge-Proxy", "a proxy's secret of 32 characters"), ("Cookie", "token=secret")], target="/a")
        for printed in [repr(one.settings), repr(asked)]:
            self.assertNotIn("secret of", printed)
            self.assertNotIn("token=", printed)
        self.assertIn("https://www.example.com", repr(one.settings))
        self.assertIn("/a", repr(asked))

    def test_an_address_that_the_server_took_from_the_request_is_known_for_that(self):
        # uvicorn, hypercorn and daphne write the port 0 beside it.
        scope = {"type": "http", "method": "GET", "path": "/", "headers": [(b"x-forwarded-for", b"10.1.0.5")]}
        for client, claimed in [(("10.1.0.5", 0), True), (("10.1.0.5", 4711), False), (None, False)]:
            with self.subTest(client):
                self.assertEqual(asgi.request_of({**scope, "client": client}).peer_is_claimed, claimed)
        environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/", "REMOTE_ADDR": "10.1.0.5", "HTTP_X_FORWARDED_FOR": "10.1.0.5"}
        for own, claimed in [({"REMOTE_ADDR": "203.0.113.9"}, True), ({"REMOTE_ADDR": "10.1.0.5"}, False), ({}, False)]:
            with self.subTest(own):
                self.assertEqual(wsgi.request_of({**environ, "werkzeug.proxy_fix.orig": own}).peer_is_claimed, claimed)
        self.assertFalse(wsgi.request_of(environ).peer_is_claimed)

    def test_the_host_that_came_counts_where_the_server_put_another_in_its_place(self):
        environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/", "HTTP_HOST": "www.example.com",
                   "werkzeug.proxy_fix.orig": {"REMOTE_ADDR": "10.1.0.5", "HTTP_HOST": "www.other.example"}}
        self.assertEqual(wsgi.request_of(environ).values("host"), ["www.other.example"])

    def test_a_proxys_word_cannot_say_how_fresh(self):
        with self.assertRaises(ConfigurationError):
            site(source="proxy", proxy_secret="x" * 32).guard(request(), max_age=5)

    def test_wsgi_guards_its_prefixes_and_takes_remote_user_away(self):
        seen = []

        def application(environ, start_response):
            seen.append((wsgi.user(environ), environ.get("REMOTE_USER"), environ.get("HTTP_REMOTE_USER")))
            start_response("200 OK", [])
            return [b"page"]

        def get(path, **more):
            environ = {
                "REQUEST_METHOD": "GET", "PATH_INFO": path, "wsgi.input": io.BytesIO(), "HTTP_ACCEPT": "text/html", **more}
            statuses = []
            guard(environ, lambda status, headers: statuses.append((status[:3], dict(headers))))
            return statuses[0]

        guard = wsgi.Guard(application, site(), ("/account",))
        status, headers = get("/account/1", QUERY_STRING="a=b", HTTP_REMOTE_USER="bob")
        self.assertEqual((status, headers["Location"]), ("303", "/session/sign-in?redirect=%2Faccount%2F1%3Fa%3Db"))
        self.assertEqual(get("/", HTTP_REMOTE_USER="bob", REMOTE_USER="bob")[0], "200")
        self.assertEqual(get("/account/", HTTP_COOKIE=cookie(TABLE["ended"]["token"])[0][1])[0], "200")
        self.assertEqual([(user and user.subject, *rest) for user, *rest in seen],
                         [(None, None, None), ("alice", "alice", None)])

    def test_a_guard_within_another_leaves_the_user_that_the_outer_one_found(self):
        def fetch(path, headers):
            self.assertIn(path, ["/session", "/auth/check?acr=aal9"])
            return 200, [("X-Auth-Subject", "alice")], b'{"authenticated":true,"sub":"alice"}'

        one, seen, cookies = site(source="session", fetch=fetch), [], "__Host-drawbridge_session=opaque"

        def page(environ, start_response):
            seen.append((environ[wsgi.USER].subject, environ["REMOTE_USER"], environ.get("HTTP_REMOTE_USER")))
            return []

        async def app(scope, receive, send):
            seen.append(scope[asgi.USER].subject)

        for path in ["/strong/x", "/contacts"]:
            wsgi.Guard(wsgi.Guard(page, one, ("/contacts",)), one, ("/strong/",), acr=("aal9",))({
                "REQUEST_METHOD": "GET", "PATH_INFO": path, "HTTP_COOKIE": cookies, "HTTP_REMOTE_USER": "bob",
                "REMOTE_USER": "bob", "wsgi.input": io.BytesIO()}, None)
            guard = asgi.Guard(asgi.Guard(app, one, ("/contacts",)), one, ("/strong/",), acr=("aal9",))
            asyncio.run(guard({"type": "http", "path": path, "headers": [(b"cookie", cookies.encode())]}, None, None))
        self.assertEqual(seen, [("alice", "alice", None), "alice"] * 2)

    def test_outside_the_prefixes_nobody_is_asked_before_the_page_wants_to_know_and_then_once(self):
        asked, seen = [], []
        one = site(source="session", fetch=lambda path, headers: (
            asked.append(path) or (200, [], b'{"authenticated":true,"sub":"alice"}')))

        def page(environ, start_response):
            seen.append((len(asked), environ.get(wsgi.USER)))
            if environ["PATH_INFO"] == "/greeting":
                seen.append([wsgi.user(environ).subject, wsgi.user(environ).subject, len(asked)])
            return []

        async def app(scope, receive, send):
            seen.append((len(asked), scope.get(asgi.USER)))
            if scope["path"] == "/greeting":
                seen.append([(await asgi.user(scope)).subject, (await asgi.user(scope)).subject, len(asked)])

        cookies = "__Host-drawbridge_session=opaque"
        for path in ["/", "/greeting"]:
            wsgi.Guard(page, one, ("/account",))({
                "REQUEST_METHOD": "GET", "PATH_INFO": path, "HTTP_COOKIE": cookies, "wsgi.input": io.BytesIO()}, None)
        for path in ["/", "/greeting"]:
            scope = {"type": "http", "path": path, "headers": [(b"cookie", cookies.encode())]}
            asyncio.run(asgi.Guard(app, one, ("/account",))(scope, None, None))
        self.assertEqual(seen, [(0, None), (0, None), ["alice", "alice", 1], (1, None), (1, None), ["alice", "alice", 2]])

    def test_outside_the_prefixes_an_outage_makes_nobody(self):
        one, seen = site(source="session", fetch=Provider("down")), []
        environ = {"REQUEST_METHOD": "GET", "PATH_INFO": "/", "HTTP_COOKIE": "__Host-drawbridge_session=opaque"}
        wsgi.Guard(lambda environ, start_response: seen.append(wsgi.user(environ)) or [], one, ("/account",))(environ, None)
        self.assertEqual(seen, [None])

    def test_after_an_outage_one_at_a_time_asks(self):
        begun, goes_on = threading.Event(), threading.Event()

        def fetch(path, headers):
            asked.append(path)
            if len(asked) == 1:
                raise Unavailable("down")
            begun.set()
            goes_on.wait(10)
            return 200, [], b'{"authenticated":true,"sub":"alice"}'

        asked, found = [], []
        one = site(source="session", fetch=fetch)
        page = request([("Cookie", "__Host-drawbridge_session=opaque")])
        self.assertEqual(one.guard(page).status, 503)
        one.now = lambda: TABLE["now"] + 2
        probe = threading.Thread(target=lambda: found.append(one.guard(page)))
        probe.start()
        self.assertTrue(begun.wait(10))
        self.assertEqual([one.guard(page).status, len(asked)], [503, 2])
        goes_on.set()
        probe.join()
        self.assertEqual([found[0].subject, one.guard(page).subject, len(asked)], ["alice", "alice", 3])

    def test_an_answer_to_head_has_no_body_and_the_length_of_the_one_to_get(self):
        # Bytes after the head of such an answer are read as the next one's, which a proxy passes to another visitor.
        def by_wsgi(method):
            lengths = []
            parts = wsgi.Guard(None, site())(
                {"REQUEST_METHOD": method, "PATH_INFO": "/", "wsgi.input": io.BytesIO()},
                lambda status, headers: lengths.append(dict(headers)["Content-Length"]))
            return b"".join(parts), lengths

        def by_asgi(method):
            sent = []

            async def send(message):
                sent.append(message)

            asyncio.run(asgi.Guard(None, site())({"type": "http", "method": method, "path": "/", "headers": []}, None, send))
            return sent[1]["body"], [dict(sent[0]["headers"])[b"content-length"].decode()]

        for answered in [by_wsgi, by_asgi]:
            with self.subTest(answered.__name__):
                body, length = answered("GET")
                self.assertEqual((body, length), (b'{"error": "invalid_token"}', ["26"]))
                self.assertEqual(answered("HEAD"), (b"", length))

    def test_wsgi_guards_its_prefixes_below_a_mount_too(self):
        def application(environ, start_response):
            raise AssertionError("reached")

        def status(prefixes, **environ):
            statuses = []
            wsgi.Guard(application, site(), prefixes)(
                {"REQUEST_METHOD": "GET", "wsgi.input": io.BytesIO(), "HTTP_ACCEPT": "text/html", **environ},
                lambda status, headers: statuses.append(status[:3]))
            return statuses[0]

        for prefixes in [("/account",), ("/shop/account",)]:
            self.assertEqual(status(prefixes, SCRIPT_NAME="/shop", PATH_INFO="/account/1"), "303", prefixes)
        # As PEP 3333 has them: the bytes of UTF-8, each as one character.
        self.assertEqual(status(("/größe",), PATH_INFO="/größe".encode().decode("latin-1")), "303")

    def test_guards_read_paths_as_servers_of_files_do(self):
        for guarded in [wsgi_is_guarded, asgi_is_guarded]:
            for path in DETOURS:
                with self.subTest(guarded.__name__, path=path):
                    self.assertTrue(guarded(("/files/private/",), path))
                    self.assertTrue(guarded(("/files/private/",), path, "/app"))
                    self.assertTrue(guarded(("/app/files/private/",), path, "/app"))
            for path in BESIDE:
                with self.subTest(guarded.__name__, path=path):
                    self.assertFalse(guarded(("/files/private/",), path))
                    self.assertFalse(guarded(("/files/private/",), path, "/app"))

    def test_prefixes_are_compared_as_text(self):
        for guarded in [wsgi_is_guarded, asgi_is_guarded]:
            with self.subTest(guarded.__name__):
                self.assertEqual([guarded(("/account",), path) for path in ["/account", "/account/1", "/accounts", "/acc"]],
                                 [True, True, True, False])
                self.assertEqual([guarded(("/account/",), path) for path in ["/account", "/account/1", "/accounts"]],
                                 [False, True, False])
                self.assertTrue(all(guarded(("/",), path) for path in ["/", "", "*", "/a", "//"]))
                self.assertTrue(guarded(("/a", "/b"), "/b"))

    def test_a_prefix_that_would_guard_nothing_is_refused(self):
        for guard in [wsgi.Guard, asgi.Guard]:
            for prefix in [
                    "account", "", " /account", "/%61ccount", "//account", "/a//b", "/a/./b", "/a/../b", None, b"/account"]:
                with self.subTest(guard.__module__, prefix=prefix), self.assertRaises(ConfigurationError):
                    guard(None, site(), ("/shop", prefix))
            with self.subTest(guard.__module__), self.assertRaises(ConfigurationError):
                guard(None, site(), "account")
        for guarded in [wsgi_is_guarded, asgi_is_guarded]:
            for prefixes in ["/account", ["/shop", "/account"], ("/.well-known", "/account/"), iter(["/account"])]:
                self.assertTrue(guarded(prefixes, "/account/1"), prefixes)

    def test_asgi_guards_its_prefixes_below_a_mount_too(self):
        # As servers have it today, as older ones had it, and as the application wrote the mount with a slash.
        for root, path in [("/app", "/app/account/1"), ("/app", "/account/1"), ("/app/", "/app//account/1"),
                           ("/app/", "/app/account/1")]:
            for prefix in ["/account", "/account/", "/app/account"]:
                for kind in ["http", "websocket"]:
                    with self.subTest(root=root, path=path, prefix=prefix, kind=kind):
                        self.assertTrue(asgi_scope_is_guarded((prefix,), kind, root, path))
            self.assertFalse(asgi_scope_is_guarded(("/other",), "http", root, path))

    def test_asgi_takes_the_field_remote_user_away(self):
        seen = []

        async def application(scope, receive, send):
            seen.append([name for name, _ in scope["headers"]])

        signed_in = b"cookie", cookie(TABLE["ended"]["token"])[0][1].encode()
        given = [(b"remote-user", b"admin"), (b"remote_user", b"admin"), (b"Remote-User", b"admin"), (b"remote-users", b"3"),
                 signed_in]
        for kind in ["http", "websocket"]:
            for path in ["/account/1", "/"]:
                with self.subTest(kind, path=path):
                    scope = {"type": kind, "path": path, "headers": given}
                    asyncio.run(asgi.Guard(application, site(), ("/account/",))(scope, None, None))
                    self.assertEqual(seen.pop(), [b"remote-users", b"cookie"])
                    self.assertEqual(len(scope["headers"]), 5)

    def test_asgi_closes_web_sockets_of_strangers(self):
        async def application(scope, receive, send):
            raise AssertionError("reached")

        async def run():
            sent = []

            async def send(message):
                sent.append(message)

            scope = {"type": "websocket", "path": "/live", "raw_path": b"/live", "headers": [(b"x-auth-subject", b"bob")]}
            await asgi.Guard(application, site())(scope, None, send)
            return sent

        self.assertEqual(asyncio.run(run()), [{"type": "websocket.close", "code": 1008}])


if __name__ == "__main__":
    unittest.main()
