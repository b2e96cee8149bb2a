"""A trusted issuer that is asked about each token (RFC 7662): what a stranger can have it asked."""

import asyncio
import time
from urllib.parse import urlencode

import pytest

import instance
import wire
from simultaneous import Raw, at_once
from stub import Asked, Stub

#: Settings: failed inquiries of one network.
LIMIT = 10
ANOTHER_NETWORK = "127.0.1.1"
EXCHANGE = {"grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "client_id": "app",
            "subject_token_type": "urn:ietf:params:oauth:token-type:access_token",
            "requested_token_type": "urn:drawbridge:params:oauth:token-type:login-token"}


class AskedIssuer(Stub):
    """Knows the tokens that begin with `good`, and takes its time to say so."""

    ISSUER = "https://asked.example"

    def __init__(self):
        self.asked: list[str] = []
        super().__init__(self._answer_to)
        self.endpoint = f"{self.base}/introspect"

    def _answer_to(self, asked: Asked) -> tuple:
        token = asked.form["token"]
        self.asked.append(token)
        time.sleep(0.3)
        return 200, {"active": True, "iss": self.ISSUER, "aud": "drawbridge", "sub": token, "client_id": "app",
                     "exp": int(time.time()) + 600} if token.startswith("good") else {"active": False}

    def settings(self, folder) -> str:
        """What is said of it after the other trusted issuer."""
        secret = folder / "introspection-secret"
        secret.touch(mode=0o600)
        secret.write_text("s3cret\n")
        return f"""subject_prefix: 'backend:'
    clients: [app]
  - issuer: {self.ISSUER}
    audience: drawbridge
    subject_prefix: 'asked:'
    clients: [app]
    introspection: {{endpoint: {self.endpoint}, client_id: bridge, client_secret_file: {secret}}}"""


@pytest.fixture
def asked():
    with AskedIssuer() as issuer:
        yield issuer


@pytest.fixture
def served(serve, asked, tmp_path):
    return serve(f"limits: {{bearer: {{failures_per_minute: {LIMIT}}}}}\n", issuer=asked.settings(tmp_path))


def with_bearer(method: str, target: str):
    return lambda token: (method, target, {"Authorization": f"Bearer {token}"}, b"")


def with_form(target: str, name: str, **more):
    return lambda token: ("POST", target, {"Content-Type": wire.FORM}, urlencode({**more, name: token}).encode())


#: Every way to have an issuer asked, with the error of whoever is over the limit.
WAYS = {
    "an issue": (with_bearer("POST", instance.ISSUE), "rate_limited"),
    "a status": (with_bearer("GET", "/api/auth/sso-tokens/x"), "rate_limited"),
    "a sign-out": (with_form("/oauth/revoke", "token", client_id="app"), "rate_limited"),
    "an exchange": (with_form("/oauth/token", "subject_token", **EXCHANGE), "slow_down"),
}


def burst(served, way, tokens: list[str]) -> list[Raw]:
    def sends(request: tuple):
        return lambda connection: connection.request(*request)

    return asyncio.run(at_once(int(served.base.rpartition(":")[2]), [sends(way(token)) for token in tokens]))


@pytest.mark.parametrize("name", WAYS)
def test_attack_invented_tokens_use_up_no_introspection_endpoint(served, asked, name):
    way, code = WAYS[name]
    began = time.monotonic()
    answers = burst(served, way, [f"junk{number}" for number in range(80)])
    # One more comes back every six seconds.
    more = 1 + int((time.monotonic() - began) // 6)
    held = [answer for answer in answers if answer.status == 429]
    assert LIMIT <= len(asked.asked) <= LIMIT + more and len(held) == 80 - len(asked.asked), len(asked.asked)
    assert {answer.json()["error"] for answer in held} == {code}
    assert all(b"\r\nretry-after: " in answer.head.lower() for answer in held)
    assert not any(answer.status >= 500 for answer in answers)
    began = time.monotonic()
    good = served.send("POST", instance.ISSUE, {"Authorization": "Bearer good-1"}, source=ANOTHER_NETWORK)
    assert good.status == 200 and time.monotonic() - began < 10, good.body
    written = [row["reason"] for row in instance.audit_rows(served.data) if row["type"] == "rate_limit.exceeded"]
    assert written.count("bearer.inquiry") == 1, written


def test_a_token_that_is_known_to_be_good_is_not_held_back_by_a_burst_of_its_network(served, asked):
    way, _ = WAYS["an issue"]
    assert burst(served, way, ["good-1"])[0].status == 200
    burst(served, way, [f"junk{number}" for number in range(2 * LIMIT)])
    assert burst(served, way, ["good-1"])[0].status == 200
    assert asked.asked.count("good-1") == 1


def test_attack_one_bad_token_again_and_again_is_asked_about_once(served, asked):
    way, _ = WAYS["an issue"]
    assert {answer.status for answer in burst(served, way, ["junk"] * LIMIT)} == {401}
    assert {answer.status for answer in burst(served, way, ["junk"] * LIMIT)} == {401}
    assert asked.asked == ["junk"]


@pytest.mark.parametrize("prefix", ["dbr_", "dbc_", "dbs_", "ds_"])
def test_attack_a_secret_of_ours_that_comes_as_a_bearer_is_shown_to_nobody(served, asked, prefix):
    token = prefix + "A" * 49
    ways = [*(way for way, _ in WAYS.values()), with_bearer("GET", "/api/admin/users")]
    for way in ways:
        method, target, headers, body = way(token)
        assert served.send(method, target, headers, body or None).status in (200, 400, 401), target
    assert asked.asked == []


@pytest.mark.parametrize("damaged", ["{}.", "{}..", "{}=", "{}/", "={}", "{:.60}"])
def test_attack_a_login_token_with_bytes_off_is_shown_to_nobody(served, asked, damaged):
    token = served.send("POST", instance.ISSUE, {"Authorization": "Bearer good-1"}).json()["token"]
    asked.asked.clear()
    refused = served.send("POST", instance.ISSUE, {"Authorization": f"Bearer {damaged.format(token)}"})
    assert refused.status == 401, refused.text
    assert asked.asked == []


def test_attack_an_administrators_address_has_no_issuer_asked(served, asked):
    answer = served.send("GET", "/api/admin/users", {"Authorization": "Bearer good-1"})
    assert answer.status == 401 and asked.asked == []


def test_an_issuer_that_has_no_time_is_asked_again_on_the_same_connection(serve, asked, tmp_path):
    connections = []

    def busy(request: Asked) -> tuple:
        connections.append(request.client)
        return 503, b"busy" * 1000

    asked.respond, asked.protocol = busy, "HTTP/1.1"
    server = serve(issuer=asked.settings(tmp_path))
    for number in range(4):
        assert server.send("POST", instance.ISSUE, {"Authorization": f"Bearer token-{number}"}).status == 503
    assert len(connections) == 4 and len(set(connections)) == 1, connections
