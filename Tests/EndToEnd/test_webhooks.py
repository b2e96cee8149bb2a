"""A website hears of ended sessions by a signed webhook that survives wrong answers and a restart (contract §7)."""

import json
import pathlib
import secrets
import shutil
import subprocess
import time

import pytest

import instance
import wire
from stub import Asked, Stub

DOCS = instance.ROOT / "docs/webhooks.md"
#: What anybody can send in the signature's place: to be refused, not to break the receiver.
STRANGERS_HEADERS = [
    "", ",", "=", "t", "t=,v1=", "t=²,v1=00", "t=١٢,v1=00", f"t={'9' * 5000},v1=00", "t=-1,v1=00", "t=NOW", "t=NOW,v1=é",
    "t=NOW,v1=\udce9", "t=NOW,t=NOW,v1=00"]


class Receiver(Stub):
    """A website's server that keeps what it is told and answers as the test says."""

    def __init__(self, port: int = 0):
        self.posts: list[dict] = []
        self.answers: list[int] = []
        self.text = b""
        super().__init__(self._take, port)

    def _take(self, asked: Asked) -> tuple:
        self.posts.append({"path": asked.target, "body": asked.body, "headers": dict(asked.headers.items()), "at": time.time(),
                           "client": asked.client})
        status = self.answers.pop(0) if self.answers else 204
        return status, self.text if status != 204 else b"", {"Location": "/elsewhere"} if status in (302, 307) else {}

    def wait(self, count: int, seconds: float = 60) -> list[dict]:
        instance.wait_until(lambda: len(self.posts) >= count, seconds, f"{count} posts, {len(self.posts)} came")
        return self.posts


@pytest.fixture
def receiver():
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def start(serve, tmp_path):
    """A server whose website has a webhook; its secret stands in a file."""

    def start(port: int, *keys: str):
        folder = tmp_path / "secrets"
        folder.mkdir(exist_ok=True)
        write(folder / "web-hook", *keys)
        served = serve(
            f"webhooks:\n  secrets_directory: {folder}\n",
            website=f"webhook_uri: 'http://127.0.0.1:{port}/hook', webhook_secret_file: web-hook")
        served.secret_file = folder / "web-hook"
        return served

    return start


def write(path: pathlib.Path, *keys: str):
    path.touch(mode=0o600)
    path.write_text("\n".join(keys) + "\n")


def key() -> str:
    return secrets.token_hex(32)


def sign_in(served, sub: str = "alice") -> str:
    """The cookie of a new session."""
    answer = served.redeem(served.issue(sub)["token"])
    assert answer.status == 303, answer.body
    return f"{wire.SESSION_COOKIE}={answer.cookies[wire.SESSION_COOKIE].value}"


def sign_out(served, cookie: str):
    answer = served.send("POST", "/session/logout", {"Cookie": cookie, "Origin": served.base})
    assert answer.status in (204, 303), answer.body


def verifier():
    """The example of the documentation, which is what websites copy."""
    text = DOCS.read_text()
    code = text.split("```python", 1)[1].split("```", 1)[0]
    scope: dict = {}
    exec(compile(code, str(DOCS), "exec"), scope)
    return scope["verified"]


def events(served, *types: str) -> list[dict]:
    return [row for row in instance.audit_rows(served.data) if row["type"] in types]


def test_the_end_of_a_session_is_posted_signed_and_holds_no_secret(start, receiver):
    secret = key()
    served = start(receiver.port, secret)
    cookie = sign_in(served)
    sign_out(served, cookie)
    post = receiver.wait(1)[0]
    assert post["path"] == "/hook"
    assert post["headers"]["Content-Type"] == "application/json"
    body = json.loads(post["body"])
    session = events(served, "web_session.opened")[0]["session_id"]
    assert body == {
        "id": f"web_session.ended:{session}", "type": "web_session.ended", "at": body["at"], "client_id": "web",
        "sub": "alice", "sid": session, "reason": "signed_out"}
    assert post["headers"]["Drawbridge-Webhook-Id"] == body["id"]
    header = post["headers"]["Drawbridge-Webhook-Signature"]
    verified = verifier()
    assert verified(post["body"], header, secret)
    assert not verified(post["body"] + b" ", header, secret)
    assert not verified(post["body"], header, key())
    assert not verified(post["body"], header.replace("t=", "t=1"), secret)
    for stranger in STRANGERS_HEADERS:
        assert not verified(post["body"], stranger.replace("NOW", str(int(time.time()))), secret), stranger
    for part in (secret, cookie.split("=", 1)[1]):
        assert part not in post["body"].decode() + str(post["headers"])
        assert part not in served.output
    instance.wait_until(lambda: events(served, "webhook.sent"), what="the audit event")
    assert instance.query(served.data, "SELECT count(*) FROM webhook_notice") == [(0,)]


def test_posts_to_one_receiver_share_a_connection(start, receiver):
    receiver.protocol = "HTTP/1.1"
    served = start(receiver.port, key())
    # Such an answer has a body, as those of most websites do.
    receiver.text, receiver.answers = b"taken", [200] * 4
    for number in range(1, 5):
        sign_out(served, sign_in(served))
        receiver.wait(number)
        instance.wait_until(lambda: len(events(served, "webhook.sent")) >= number, what="the audit event")
    assert len({post["client"] for post in receiver.posts}) == 1


def test_an_old_post_does_not_verify(start, receiver):
    secret = key()
    served = start(receiver.port, secret)
    sign_out(served, sign_in(served))
    post = receiver.wait(1)[0]
    header = post["headers"]["Drawbridge-Webhook-Signature"]
    assert verifier()(post["body"], header, secret, now=time.time() + 200)
    assert not verifier()(post["body"], header, secret, now=time.time() + 400)


@pytest.mark.skipif(not shutil.which("php"), reason="PHP is not installed")
def test_the_php_example_of_the_documentation_verifies_the_same(start, receiver, tmp_path):
    secret = key()
    served = start(receiver.port, secret)
    sign_out(served, sign_in(served))
    post = receiver.wait(1)[0]
    header = post["headers"]["Drawbridge-Webhook-Signature"]
    code = DOCS.read_text().split("```php", 1)[1].split("```", 1)[0].lstrip()
    script = tmp_path / "verify.php"
    script.write_text(code + "\necho verified($argv[1], $argv[2], $argv[3]) ? 'yes' : 'no';\n")

    def verify(body: str, key: str, header: str = header) -> str:
        return subprocess.run(["php", script, body, header, key], capture_output=True, text=True).stdout

    body = post["body"].decode()
    assert verify(body, secret) == "yes"
    assert verify(body + " ", secret) == "no"
    assert verify(body, key()) == "no"
    for stranger in STRANGERS_HEADERS:
        assert verify(body, secret, stranger.replace("NOW", str(int(time.time())))) == "no", stranger


@pytest.mark.parametrize("status", [302, 307, 400, 404, 410, 500])
def test_a_wrong_answer_is_tried_again_with_the_same_id_and_no_redirect_is_followed(start, receiver, status):
    served = start(receiver.port, key())
    receiver.answers = [status]
    sign_out(served, sign_in(served))
    first, second = receiver.wait(2)[:2]
    assert [first["path"], second["path"]] == ["/hook", "/hook"]
    assert first["body"] == second["body"]
    assert first["headers"]["Drawbridge-Webhook-Signature"] != second["headers"]["Drawbridge-Webhook-Signature"]
    instance.wait_until(lambda: events(served, "webhook.sent"), what="the audit event")


def test_what_could_not_be_told_is_told_after_a_restart(start):
    port = instance.free_port()
    secret = key()
    served = start(port, secret)
    sessions = [sign_in(served, sub) for sub in ("alice", "bob")]
    for cookie in sessions:
        sign_out(served, cookie)

    def tried_all():
        """And noted it: killed within a try, the whole lease of a try would be waited for."""
        attempts, due = instance.query(served.data, "SELECT min(attempts), max(next_attempt_at) FROM webhook_notice")[0]
        return attempts and due < (time.time() + 10) * 1000

    instance.wait_until(tried_all, what="a first try")
    served.kill()
    receiver = Receiver(port)
    again = instance.Process([instance.binary(), "serve", "--config", str(served.settings)], served.directory)
    try:
        posts = receiver.wait(2, 90)
        assert {json.loads(post["body"])["sub"] for post in posts} == {"alice", "bob"}
        assert all(
            verifier()(post["body"], post["headers"]["Drawbridge-Webhook-Signature"], secret) for post in posts)
        instance.wait_until(
            lambda: instance.query(served.data, "SELECT count(*) FROM webhook_notice") == [(0,)], what="an empty queue")
    finally:
        again.stop()
        receiver.close()


def test_a_secret_is_replaced_without_a_gap(start, receiver):
    old, new = key(), key()
    served = start(receiver.port, old)
    write(served.secret_file, new, old)
    sign_out(served, sign_in(served))
    post = receiver.wait(1)[0]
    header = post["headers"]["Drawbridge-Webhook-Signature"]
    assert verifier()(post["body"], header, old) and verifier()(post["body"], header, new)
    write(served.secret_file, new)
    sign_out(served, sign_in(served))
    post = receiver.wait(2)[1]
    header = post["headers"]["Drawbridge-Webhook-Signature"]
    assert verifier()(post["body"], header, new) and not verifier()(post["body"], header, old)


def test_the_database_knows_who_has_a_webhook_before_the_server_listens(start, receiver):
    served = start(receiver.port, key())
    assert instance.query(served.data, "SELECT client_id FROM webhook_subscriber") == [("web",)]


def test_without_a_secret_that_only_its_owner_can_read_nothing_is_posted_and_the_log_says_what_to_do(start, receiver):
    served = start(receiver.port, key())
    online = ["check-config", "--online", "--config", str(served.settings)]
    assert f"ok    webhook secret of web: {served.secret_file}" in instance.run(*online, check=False).stdout.decode()
    served.secret_file.chmod(0o644)
    advice = f"{served.secret_file} can be read by others (mode 644); run: chmod 600 {served.secret_file}"
    done = instance.run(*online, check=False)
    assert done.returncode == 1 and f"FAIL  webhook secret of web: {advice}" in done.stdout.decode()
    sign_out(served, sign_in(served))
    instance.wait_until(
        lambda: instance.query(served.data, "SELECT max(attempts) FROM webhook_notice")[0][0],
        what="a first try")
    assert receiver.posts == []
    instance.wait_until(lambda: "a webhook has no secret" in served.output, what="the line in the log")
    assert f"chmod 600 {served.secret_file}" in served.output.replace("\\/", "/")
    served.secret_file.chmod(0o600)
    receiver.wait(1)


def test_a_command_beside_the_server_that_disables_a_user_is_told_too(start, receiver):
    served = start(receiver.port, key())
    sign_in(served)
    instance.run("users", "disable", "--config", str(served.settings), "alice")
    assert json.loads(receiver.wait(1)[0]["body"])["sub"] == "alice"


@pytest.mark.parametrize("fields", [
    {"webhook_uri": "https://shop.example/hook"}, {"webhook_secret_file": "shop"},
    {"webhook_uri": "http://shop.example/hook", "webhook_secret_file": "shop"},
    {"webhook_uri": "https://shop.example/hook", "webhook_secret_file": "../shop"},
    {"webhook_uri": "https://user@shop.example/hook", "webhook_secret_file": "shop"},
    {"webhook_uri": "file:///etc/passwd", "webhook_secret_file": "shop"},
])
def test_a_webhook_that_is_half_or_goes_nowhere_safe_is_refused(demo, fields):
    answer = demo.send(
        "POST", "/api/admin/clients",
        {"Authorization": f"Bearer {demo.facts['admin_token']}", "Content-Type": "application/json"},
        json.dumps({"client_name": "Shop", "client_type": "web", **fields}))
    assert answer.status == 400, answer.body
    assert "webhook" in answer.json()["error_description"]
