"""The signing keys of several nodes: rotated and retired while links are on their way, over restarts and backups."""

import base64
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

import instance
import signing
import wire
from fleet import Fleet, within_a_second
from instance import run, wait_until
from servers import Redis
from skips import NEEDS_STORES

#: Within this long a change is known on every node (contract §7).
SECOND = 1.0


@pytest.fixture(scope="module")
def fleet(stores):
    postgres, redis = stores
    with Fleet(postgres.create("keys"), redis.url, "--no-limits", nginx=False) as fleet:
        yield fleet


def kid(token: str) -> str:
    return signing.header_of(token)["kid"]


class Keys:
    """The administrator at one node, with a token that is fresh: an old one may be of a retired key."""

    def __init__(self, node):
        self.node = node

    def send(self, method: str, path: str, body=None):
        for _ in range(20):
            token = access_token(self.node)
            answer = self.node.send(method, f"/api/admin/keys{path}", {"Authorization": f"Bearer {token}"}, body)
            # Signed in the very moment in which its key was retired.
            if answer.status != 401:
                return answer
        return answer

    def all(self) -> list[dict]:
        answer = self.send("GET", "?limit=500")
        assert answer.status == 200, answer.body
        return answer.json()["items"]

    def signing(self, algorithm: str) -> str:
        return next(key["kid"] for key in self.all() if key["alg"] == algorithm and key["state"] == "signing")

    def rotate(self):
        answer = self.send("POST", "/rotate", {"reason": "drill"})
        assert answer.status == 200, answer.body

    def retire(self, kid: str) -> dict:
        answer = self.send("POST", f"/{kid}/retire", {"reason": "leaked"})
        assert answer.status == 200, answer.body
        return {key["kid"]: key for key in answer.json()["keys"]}


def access_token(node) -> str:
    secret = node.client("demo-admin")["client_secret"]
    basic = base64.b64encode(f"demo-admin:{secret}".encode()).decode()
    answer = node.send("POST", "/oauth/token", {"Authorization": f"Basic {basic}"},
                       "grant_type=client_credentials&scope=admin")
    assert answer.status == 200, (answer.status, answer.body)
    return answer.json()["access_token"]


def is_believed(node, token: str) -> bool:
    return node.send("GET", "/api/admin/keys", {"Authorization": f"Bearer {token}"}).status == 200


class Links:
    """Clients that issue at one node and redeem at another, at once or a while later, and write down how it went."""

    def __init__(self, nodes: list, clients: int = 4):
        self.nodes = nodes
        self.away: set[int] = set()
        #: key, status, when the redemption began and ended
        self.redeemed: list[tuple[str, int, float, float]] = []
        self.odd: list[str] = []
        #: how often each client has begun anew
        self._turns = [0] * clients
        self._ending = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(number,)) for number in range(clients)]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._ending.set()
        for thread in self._threads:
            thread.join(60)

    def wait_for_turns(self):
        """Until every question that was begun before has its answer."""
        before = list(self._turns)
        wait_until(lambda: all(now > then for now, then in zip(self._turns, before)), 30, "a turn of each client")

    def _node(self, dice: random.Random):
        return self.nodes[dice.choice([n for n in range(len(self.nodes)) if n not in self.away])]

    def _run(self, number: int):
        dice = random.Random(number)
        waiting: list[tuple[float, str]] = []
        count = 0
        while not self._ending.is_set():
            count += 1
            self._turns[number] = count
            try:
                answer = self._node(dice).post_issue(None, f"user-{number}-{count}")
            except OSError:
                continue
            if answer.status != 200:
                self.odd.append(f"issue: {answer.status} {answer.body!r}")
                continue
            # Half at once, half within the next seconds.
            waiting.append((time.monotonic() + dice.choice([0, 0, dice.random(), 4 * dice.random()]),
                            answer.json()["token"]))
            for due, token in [item for item in waiting if item[0] <= time.monotonic()]:
                waiting.remove((due, token))
                self._redeem(self._node(dice), token)

    def _redeem(self, node, token: str):
        began = time.monotonic()
        try:
            status = node.redeem(token).status
        except OSError:
            return
        self.redeemed.append((kid(token), status, began, time.monotonic()))


@NEEDS_STORES
def test_a_hundred_rotations_and_twenty_retirements_refuse_no_link_but_those_of_retired_keys(stores, fleet):
    dice = random.Random(1)
    nodes = fleet.nodes
    retired: dict[str, tuple[float, float]] = {}
    #: links that were on their way when their key was retired, and when they must be dead everywhere
    victims: list[tuple[float, str]] = []
    refused_access: list[str] = []
    done = {"rotations": 0, "retirements": 0, "restarts": 0}

    def node():
        return nodes[dice.choice([n for n in range(3) if n not in links.away])]

    def retire(target: str):
        began = time.monotonic()
        after = Keys(node()).retire(target)
        retired[target] = (began, time.monotonic())
        assert after[target]["state"] == "retired" and after[target]["retired_at"]

    def retire_something():
        done["retirements"] += 1
        if done["retirements"] % 4 == 0:
            return retire(Keys(node()).signing("ES256"))
        # The one that signs: nobody has its successor yet.
        links_on_their_way = [node().issue(f"victim-{dice.random()}")["token"] for _ in range(3)]
        target = kid(links_on_their_way[0])
        retire(target)
        victims.extend((retired[target][1] + SECOND, token) for token in links_on_their_way if kid(token) == target)

    def restart(number: int, how):
        links.away.add(number)
        links.wait_for_turns()
        old = nodes[number]
        how(old)
        nodes[number] = fleet.restart(number)
        links.away.discard(number)
        done["restarts"] += 1

    def try_victims():
        for due, token in [item for item in victims if item[0] <= time.monotonic()]:
            victims.remove((due, token))
            for number in range(3):
                assert nodes[number].redeem(token).status == 400, "a link of a retired key was believed"

    with Links(nodes) as links:
        for turn in range(120):
            if turn % 6 == 5:
                retire_something()
            else:
                Keys(node()).rotate()
                done["rotations"] += 1
            if turn == 40:
                restart(1, lambda node: node.kill())
            if turn == 80:
                restart(2, lambda node: node.stop())
            # What one node signs with, the next believes at once.
            token = access_token(node())
            if not is_believed(node(), token):
                refused_access.append(kid(token))
            try_victims()
        while victims:
            try_victims()
            time.sleep(0.05)

    assert done == {"rotations": 100, "retirements": 20, "restarts": 2}
    assert set(refused_access) <= set(retired), "an access token of a living key was refused"
    said = [line for node in nodes for line in node.json_lines() if line.get("level") in ("warning", "error")]
    assert not links.odd, (links.odd[:5], said[-20:])
    believed_late = [entry for entry in links.redeemed if entry[1] == 303 and entry[0] in retired
                     and entry[2] > retired[entry[0]][1] + SECOND]
    refused_alive = [entry for entry in links.redeemed if entry[1] != 303
                     and not (entry[1] == 400 and entry[0] in retired and entry[3] >= retired[entry[0]][0])]
    assert believed_late == [] and refused_alive == [], (believed_late[:3], refused_alive[:3])
    # It was a real load, over many keys.
    assert len(links.redeemed) > 300 and len({entry[0] for entry in links.redeemed}) > 50
    kinds = [row[0] for row in stores[0].query("SELECT type FROM audit_event WHERE type LIKE 'key.%' AND reason IS NOT NULL",
                                               fleet.name)]
    assert kinds.count("key.retired") == 20 and kinds.count("key.rotated") >= 400
    assert fleet.verify()["valid"]


@NEEDS_STORES
def test_a_retired_key_ends_on_every_node_within_a_second_and_nobody_is_signed_out(fleet):
    first, second, third = fleet.nodes
    cookie = first.sign_in("stays")
    bearer = access_token(first)
    link = second.issue("links")["token"]
    old = {"HS256": kid(link), "ES256": kid(bearer)}
    assert is_believed(third, bearer)
    published = third.send("GET", "/.well-known/jwks.json")
    assert old["ES256"] in published.text and published.header("Cache-Control") == "public, max-age=300"

    for target in old.values():
        Keys(first).retire(target)
    retired = time.monotonic()
    for node in fleet.nodes:
        within_a_second(lambda: not is_believed(node, bearer), "refusal of the access token", retired)
        within_a_second(lambda: old["ES256"] not in node.send("GET", "/.well-known/jwks.json").text,
                        "a key set without the key", retired)
        within_a_second(lambda: kid(node.issue("on")["token"]) != old["HS256"], "another key", retired)
    for node in fleet.nodes:
        assert node.redeem(link).status == 400
        assert node.session(cookie)["sub"] == "stays"
    # And everything goes on.
    for node in fleet.nodes:
        assert kid(node.issue("on")["token"]) != old["HS256"]
        assert is_believed(first, access_token(node))
    for node in fleet.nodes[1:]:
        assert node.redeem(first.issue("on")["token"], wire.OTHER_BROWSER).status == 303


@NEEDS_STORES
def test_the_news_of_a_retirement_needs_no_redis(stores):
    postgres, _ = stores
    with Redis() as redis, Fleet(postgres.create("keys_alone"), redis.url, "--no-limits", nginx=False, size=2) as fleet:
        first, second = fleet.nodes
        redis.kill()
        token = access_token(first)
        assert is_believed(second, token)
        Keys(first).retire(kid(token))
        within_a_second(lambda: not is_believed(second, token), "refusal")


@NEEDS_STORES
def test_the_command_retires_beside_running_nodes_and_says_what_that_costs(stores, fleet):
    node, other = fleet.nodes[:2]
    where = ["--data", str(node.data), "--database", fleet.database]
    token = node.issue("cli")["token"]
    target = kid(token)

    preview = run("keys", "retire", *where, target, check=False)
    assert preview.returncode == 1 and b"Nothing was changed. Add --now" in preview.stderr
    assert "Login links that it signed are refused" in preview.stdout.decode()
    assert kid(other.issue("cli")["token"]) == target

    said = run("keys", "retire", *where, target, "--now", "--reason", "laptop stolen").stdout.decode()
    assert f"Retired {target}." in said and "Nobody is signed out" in said
    successor = re.search(r"(\S+) signs now \(HS256\)", said).group(1)
    within_a_second(lambda: kid(other.issue("cli")["token"]) == successor, "the new key")
    assert other.redeem(token).status == 400
    listed = run("keys", "list", *where).stdout.decode()
    assert re.search(rf"^{target} +login tokens +HS256 +retired +.*retired at once", listed, re.M)
    again = run("keys", "retire", *where, target, "--now").stdout.decode()
    assert "it was retired before" in again
    for name in ["nobody", "-nobody"]:
        unknown = run("keys", "retire", *where, name, "--now", check=False)
        assert unknown.returncode == 1 and f"There is no key {name};".encode() in unknown.stderr, unknown.stderr
    assert run("keys", "retire", *where, check=False).returncode != 0
    rows = stores[0].query("SELECT detail FROM audit_event WHERE type = 'key.retired' AND reason = 'laptop stolen'",
                           fleet.name)
    assert len(rows) == 1 and json.loads(rows[0][0])["kid"] == target and '"actor":"login:' in rows[0][0]


@NEEDS_STORES
def test_a_demo_on_a_shared_database_remembers_its_rotation_over_a_restart(stores):
    postgres, redis = stores
    with Fleet(postgres.create("keys_restart"), redis.url, nginx=False, size=1) as fleet:
        node = fleet.nodes[0]
        before = kid(node.issue("a")["token"])
        Keys(node).rotate()
        after = kid(node.issue("b")["token"])
        assert after != before
        node.stop()
        assert kid(fleet.restart(0).issue("c")["token"]) == after
        assert stores[0].query("SELECT name FROM demo_material WHERE name LIKE 'login%'", fleet.name) == []


@NEEDS_STORES
def test_pages_of_one_node_are_taken_by_the_others_over_a_rotation(fleet):
    first, second, third = fleet.nodes
    page = first.send("GET", "/sign-in")
    Keys(second).rotate()
    wait_until(lambda: kid(third.issue("pages")["token"]) == kid(second.issue("pages")["token"]), 30, "one key")
    fields = wire.PageForm(page.text).forms[0]["fields"]
    user = first.user("alice")
    answer = third.send("POST", "/sign-in", {"Cookie": wire.cookie_header(page), "Origin": first.facts["issuer"]},
                        wire.encode({**fields, "username": user["username"], "password": user["password"]}))
    assert answer.status == 303 and answer.session_cookie, (answer.status, answer.text)


# One server

def test_a_rotation_takes_effect_without_a_signal_and_breaks_no_link(serve):
    server = serve()
    before = server.issue()
    said = run("keys", "rotate", "--config", str(server.settings)).stdout.decode()
    assert "in 10 s at most" in said and said.count("published now") == 3
    old = kid(before["token"])
    after = wait_until(
        lambda: next((t for t in [server.issue(f"u-{time.monotonic_ns()}")] if kid(t["token"]) != old), None), 30,
        "the other key")
    assert server.redeem(before["token"]).status == 303
    assert server.redeem(after["token"], {"User-Agent": wire.SAFARI}).status == 303


def test_the_console_shows_what_a_retirement_costs_and_does_it(start_demo):
    demo = start_demo("--no-limits")
    page = demo.send("GET", "/admin/sign-in")
    form = wire.PageForm(page.text).forms[0]
    opened = demo.send("POST", "/admin/sign-in", {"Cookie": wire.cookie_header(page)},
                       wire.encode({**form["fields"], "token": demo.facts["admin_token"]}))
    headers = {"Cookie": f"__Host-drawbridge_admin={opened.cookies['__Host-drawbridge_admin'].value}"}
    token = demo.issue("alice")["token"]
    keys = demo.send("GET", "/admin/keys", headers)
    assert "Login links that it signed are refused" in keys.text and "This cannot be undone" in keys.text
    action = f"/admin/keys/{kid(token)}/retire"
    fields = next(f["fields"] for f in wire.PageForm(keys.text).forms if f["action"] == action)
    assert demo.send("POST", action, headers, "reason=x").status == 403
    assert demo.send("POST", action, headers, wire.encode({**fields, "reason": "seen on a paste site"})).status == 303
    assert demo.redeem(token).status == 400
    # Its form token was sealed with the retired key.
    keys = demo.send("GET", "/admin/keys", headers)
    assert "at once" in keys.text and action not in keys.text
    fields = [f["fields"] for f in wire.PageForm(keys.text).forms if f["action"].startswith("/admin/keys")][-1]
    assert demo.send("POST", "/admin/keys/nobody/retire", headers, wire.encode(fields)).status == 404
    event = demo.audit("key.retired")[0]
    assert event["reason"] == "seen on a paste site" and kid(token) in event["detail"]


def served(folder: Path, settings: str = "") -> tuple[Path, list[str]]:
    """A settings file for a data folder, and the command that serves it."""
    port, management = instance.free_port(), instance.free_port()
    secret = folder / "issuer-secret"
    secret.write_bytes(b"k" * 32)
    secret.chmod(0o600)
    path = folder / "drawbridge.yaml"
    path.write_text(f"""
public_origin: http://127.0.0.1:{port}
listen: 127.0.0.1:{port}
management_listen: 127.0.0.1:{management}
data_directory: {folder / "data"}
default_web_client: web
trusted_issuers:
  - issuer: https://backend.example
    audience: drawbridge
    hmac: {{key_id: demo, secret_file: {secret}}}
    shares_subjects_with_accounts: true
clients:
  - {{client_id: app, client_type: native, can_issue_login_tokens: true, may_reach: [web]}}
  - {{client_id: web, client_type: web, return_paths: [/contacts], default_return_path: /contacts}}
{settings}
""")
    (folder / "data").mkdir(exist_ok=True)
    return path, [instance.binary(), "serve", "--config", str(path)]


class Serving(instance.Served):
    """`serve` on settings that are there."""

    def __init__(self, folder: Path, settings: Path):
        self.settings, self.data, self.hmac_key = settings, folder / "data", b"k" * 32
        text = settings.read_text()
        self.base = re.search(r"^public_origin: (\S+)", text, re.M).group(1)
        self.management = "http://" + re.search(r"^management_listen: (\S+)", text, re.M).group(1)
        instance.Process.__init__(self, [instance.binary(), "serve", "--config", str(settings)], folder)
        self.wait_until_ready()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


FIRST_VERSION = Path(__file__).parent / "first_version"


def first_version(folder: Path) -> Path:
    """The data folder of the first version, as it would be had it run until now."""
    settings, _ = served(folder)
    data = folder / "data"
    data.chmod(0o700)
    for name in ["master-key", "audit-signing-key", "login-token-keys.json"]:
        shutil.copy(FIRST_VERSION / name, data / name)
        (data / name).chmod(0o600)
    stamp = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() - 30))
    keys = json.loads((data / "login-token-keys.json").read_text())
    for key in keys["keys"]:
        key["created_at"] = key["signs_from"] = stamp
    del keys["keys"][0]["retires_at"]
    keys["keys"][0]["retires_at"] = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(time.time() + 300))
    (data / "login-token-keys.json").write_text(json.dumps(keys))
    now = int(time.time() * 1000)
    with closing(sqlite3.connect(data / "drawbridge.sqlite")) as database:
        database.executescript((FIRST_VERSION / "drawbridge.sql").read_text())
        database.execute("UPDATE signing_key SET created_at = ?, signs_from = ? WHERE retires_at IS NULL",
                         (now - 7_200_000, now - 3_600_000))
        database.commit()
    for path in data.glob("drawbridge.sqlite*"):
        path.chmod(0o600)
    return settings


def minted(data: Path, base: str, number: int = 1) -> str:
    """A link of the first version that is on its way: in its database, signed with a key of its file."""
    key = json.loads((data / "login-token-keys.json").read_text())["keys"][number]
    now = int(time.time())
    identity = signing.b64url(os.urandom(16))
    with closing(sqlite3.connect(data / "drawbridge.sqlite")) as database:
        database.execute(
            "INSERT INTO login_token_use (token_id, subject, client_id, issued_at, expires_at, state, misses) "
            "VALUES (?, 'bob', 'app', ?, ?, 'pending', 0)", (identity, now * 1000, (now + 60) * 1000))
        database.commit()
    claims = {"iss": base, "aud": "web", "sub": "bob", "iat": now, "exp": now + 60, "jti": identity, "client_id": "app"}
    return signing.jwt(claims, signing.unb64url(key["secret"]),
                       {"alg": "HS256", "typ": "login+jwt", "kid": key["kid"]})


def test_the_first_versions_folder_is_taken_over_with_its_links(tmp_path):
    settings = first_version(tmp_path)
    base = re.search(r"^public_origin: (\S+)", settings.read_text(), re.M).group(1)
    data = tmp_path / "data"
    links = [minted(data, base, 0), minted(data, base, 1)]
    with Serving(tmp_path, settings) as server:
        assert re.search(r"login token keys were taken into the database; their file can be removed", server.output)
        for link in links:
            assert server.redeem(link).status == 303
        own = server.issue()["token"]
        assert kid(own) == kid(links[1])
        published = {key["kid"] for key in server.send("GET", "/.well-known/jwks.json").json()["keys"]}
        with closing(sqlite3.connect(f"file:{data}/drawbridge.sqlite?mode=ro", uri=True)) as database:
            assert database.execute("SELECT count(*) FROM signing_key WHERE sealed_key LIKE '%AdxBLPm%'").fetchone() == (0,)
    (data / "login-token-keys.json").unlink()
    with Serving(tmp_path, settings) as server:
        assert server.redeem(own).status == 303
        assert kid(server.issue()["token"]) == kid(own)
        assert {key["kid"] for key in server.send("GET", "/.well-known/jwks.json").json()["keys"]} == published
        assert "can be removed" not in server.output
    assert json.loads(run("audit", "verify", "--config", str(settings), check=False).stdout)["events"] > 20


def test_a_restored_backup_brings_no_retired_key_back(tmp_path):
    settings, _ = served(tmp_path)
    run("keys", "init", "--config", str(settings))
    data = tmp_path / "data"
    with Serving(tmp_path, settings) as server:
        leaked = kid(server.issue()["token"])
    backup = tmp_path / "backup.sqlite"
    shutil.copy(data / "drawbridge.sqlite", backup)
    with Serving(tmp_path, settings) as server:
        run("keys", "retire", "--config", str(settings), leaked, "--now")
        noted = data / "retired-keys"
        wait_until(lambda: noted.exists() and leaked in noted.read_text(), 30, "the note beside the database")
    for path in data.glob("drawbridge.sqlite*"):
        if not path.name.endswith(".lock"):
            path.unlink()
    shutil.copy(backup, data / "drawbridge.sqlite")
    with Serving(tmp_path, settings) as server:
        assert "an older backup was restored" in server.output
        assert kid(server.issue()["token"]) != leaked
        assert re.search(rf"^{leaked} .*retired at once", run("keys", "list", "--config", str(settings)).stdout.decode(), re.M)
        assert [event["reason"] for event in instance.audit_rows(data)
                if event["type"] == "key.retired"] == ["backup_restored"]


@pytest.mark.parametrize("noted", [True, False], ids=["noted", "not noted"])
def test_a_key_that_was_retired_while_no_server_ran_comes_back_with_no_backup(tmp_path, noted):
    settings, _ = served(tmp_path)
    run("keys", "init", "--config", str(settings))
    data, backup = tmp_path / "data", tmp_path / "backup"
    with Serving(tmp_path, settings) as server:
        leaked = kid(server.issue()["token"])
    run("backup", str(backup), "--config", str(settings))
    run("keys", "retire", "--config", str(settings), leaked, "--now")
    assert leaked in (data / "retired-keys").read_text()
    if not noted:
        (data / "retired-keys").unlink()
    run("restore", str(backup), "--config", str(settings))
    with Serving(tmp_path, settings) as server:
        assert kid(server.issue()["token"]) != leaked
        assert re.search(rf"^{leaked} .*retired at once", run("keys", "list", "--config", str(settings)).stdout.decode(), re.M)


def test_a_missing_or_foreign_master_key_stops_the_start_and_a_lost_one_can_be_replaced(tmp_path):
    settings, command = served(tmp_path)

    def refusal() -> str:
        done = run(*command[1:], check=False)
        assert done.returncode == 1, done
        return done.stderr.decode()

    assert "There is no master key" in refusal() and "drawbridge keys init" in refusal()
    made = run("keys", "init", "--config", str(settings)).stdout.decode()
    assert "master-key" in made and "audit-signing-key" in made and "login-token" not in made
    assert b"are there already" in run("keys", "init", "--config", str(settings), check=False).stderr
    with Serving(tmp_path, settings) as server:
        old = server.issue()["token"]
    master = tmp_path / "data/master-key"
    kept = master.read_text()
    master.unlink()
    run("keys", "init", "--config", str(settings))
    assert master.read_text() != kept
    told = refusal()
    assert "does not open the key" in told and "keys retire --all --now" in told
    said = run("keys", "retire", "--config", str(settings), "--all", "--now").stdout.decode()
    assert said.count("Retired ") == 4 and said.count("signs now") == 4
    with Serving(tmp_path, settings) as server:
        assert server.redeem(old).status == 400
        assert server.redeem(server.issue()["token"]).status == 303


def test_a_retirement_names_every_key_that_the_master_key_does_not_open(tmp_path):
    settings, _ = served(tmp_path)
    where, master = ["--config", str(settings)], tmp_path / "data/master-key"
    run("keys", "init", *where)
    with Serving(tmp_path, settings) as server:
        target = kid(server.issue()["token"])
    # Waits to sign, and is next in line.
    run("keys", "rotate", *where, "--activate-in", "3h")
    listed = json.loads(run("keys", "list", *where, "--format", "json").stdout)
    others = {row["kid"] for row in listed} - {target}
    assert len(others) == 7
    whole = run("keys", "retire", *where, target, check=False).stderr.decode()
    assert "does not open" not in whole, "the master key is there"
    master.unlink()
    run("keys", "init", *where)
    preview = run("keys", "retire", *where, target, check=False)
    assert preview.returncode == 1 and "Nothing was changed" in preview.stderr.decode()
    done = run("keys", "retire", *where, target, "--now")
    for told in (preview.stderr.decode(), done.stderr.decode()):
        [line] = [line for line in told.splitlines() if line.startswith("warning: The master key ")]
        assert str(master) in line and "does not open" in line and "keys retire --all --now" in line
        assert {name for name in others | {target} if name in line} == others
    said = done.stdout.decode()
    assert f"Retired {target}." in said and "signs now" not in said
    [successor] = re.findall(r"^(\S+) is next to sign \(HS256\), but .* does not open it\.$", said, re.M)
    assert successor in others
    again = run("keys", "retire", *where, "--all", "--now")
    assert b"does not open" not in again.stdout + again.stderr and again.stdout.count(b"signs now") == 4


def test_a_leaked_audit_key_is_replaced_and_the_log_proves_itself_with_both(tmp_path):
    settings, _ = served(tmp_path)
    run("keys", "init", "--config", str(settings))
    public, key = tmp_path / "audit.pub", tmp_path / "data/audit-signing-key"

    def verify(*more: str) -> dict:
        return json.loads(run("audit", "verify", "--config", str(settings), *more, check=False).stdout)

    for _ in range(2):
        with Serving(tmp_path, settings) as server:
            server.redeem(server.issue()["token"])
        with public.open("ab") as file:
            file.write(run("audit", "public-key", "--config", str(settings)).stdout)
        assert verify("--public-key", str(public))["valid"]
        key.rename(tmp_path / f"leaked-{time.monotonic_ns()}")
        run("keys", "init", "--config", str(settings))
    assert len(set(public.read_text().splitlines())) == 2
    assert {problem["kind"] for problem in verify()["problems"]} == {"checkpoint_unknown_key"}


def test_a_lost_audit_key_is_missed_and_replaced_only_on_purpose(tmp_path):
    settings, _ = served(tmp_path)
    key = tmp_path / "data/audit-signing-key"

    def refusals() -> list[str]:
        """What the server, a command that writes and the check say."""
        commands = [("serve",), ("users", "list"), ("migrate",), ("clients", "remove", "nobody"), ("check-config", "--online")]
        done = [run(*words, "--config", str(settings), check=False, timeout=20) for words in commands]
        assert [ended.returncode for ended in done] == [1, 0, 1, 1, 1], done
        assert not key.exists()
        return [(done[index].stderr + done[index].stdout).decode() for index in (0, 2, 3, 4)]

    run("keys", "init", "--config", str(settings))
    with Serving(tmp_path, settings) as server:
        server.redeem(server.issue()["token"])
    kept = tmp_path / "kept"
    key.rename(kept)
    for told in refusals():
        assert str(key) in told and "the audit log is signed" in told and "drawbridge keys init" in told
    kept.rename(key)
    with Serving(tmp_path, settings):
        pass
    key.unlink()
    run("keys", "init", "--config", str(settings))
    assert f"ok    audit signing key: {key}" in run(
        "check-config", "--online", "--config", str(settings), check=False).stdout.decode()
    with Serving(tmp_path, settings) as server:
        assert server.redeem(server.issue()["token"]).status == 303


def test_beside_another_provider_there_is_no_provider_when_settings_say_so(tmp_path):
    settings, _ = served(tmp_path, "provider: {enabled: false}")
    run("keys", "init", "--config", str(settings))
    with Serving(tmp_path, settings) as server:
        assert "provider.enabled is false" in server.output
        assert server.send("GET", "/.well-known/jwks.json").status == 404
        assert server.send("POST", "/oauth/token", None, "grant_type=client_credentials").status == 404
        assert server.redeem(server.issue()["token"]).status == 303
    run("keys", "rotate", "--config", str(settings))
    keys = json.loads(run("keys", "list", "--format", "json", "--config", str(settings)).stdout)
    assert {key["algorithm"] for key in keys} == {"HS256"}


def test_a_node_that_was_stopped_for_a_while_believes_no_key_that_was_retired_meanwhile(serve):
    server = serve()
    token = server.issue()["token"]
    try:
        # Between two of its writes: standing still in the middle of one, it would keep the command from the database.
        with closing(sqlite3.connect(server.data / "drawbridge.sqlite", isolation_level=None, timeout=30)) as database:
            database.execute("BEGIN IMMEDIATE")
            server.freeze()
            database.execute("ROLLBACK")
        run("keys", "retire", "--config", str(server.settings), kid(token), "--now")
        time.sleep(SECOND)
    finally:
        server.signal(signal.SIGCONT)
    assert server.redeem(token).status == 400
