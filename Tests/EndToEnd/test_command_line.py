"""Every command where the machine will not have it: no right, no file, no disk, no reader, no port. Each says so in
sentences."""

import contextlib
import json
import os
import re
import socket
import stat
import subprocess
from pathlib import Path

import pytest

import instance
from instance import wait_until
from skips import can_mount

NOBODY = 65534
MISSING = "/nowhere/at/all"

# What follows a command, with {config}, {missing} and {out} filled in: its arguments, and what it is told on standard input.
COMMANDS = {
    "serve": (["--config", "{config}"], ""),
    "demo": (["--data", "{data}", "--listen", "127.0.0.1:{port}"], ""),
    "check-config": (["--config", "{config}"], ""),
    "migrate": (["--config", "{config}"], ""),
    "clients list": (["--config", "{config}"], ""),
    "clients show": (["--config", "{config}", "shop"], ""),
    "clients add": (["--config", "{config}", "{missing}.json"], ""),
    "clients remove": (["--config", "{config}", "shop"], ""),
    "clients secret": ([], ""),
    "users list": (["--config", "{config}"], ""),
    "users add": (["--config", "{config}", "zoe"], "plum duff at noon\n"),
    "users password": (["--config", "{config}", "zoe"], "plum duff at noon\n"),
    "users claims": (["--config", "{config}", "zoe", "{missing}.json"], ""),
    "users role": (["--config", "{config}", "zoe", "admin"], ""),
    "users disable": (["--config", "{config}", "zoe"], ""),
    "users enable": (["--config", "{config}", "zoe"], ""),
    "users second-factor enrol": (["--config", "{config}", "zoe"], ""),
    "users second-factor remove": (["--config", "{config}", "zoe"], ""),
    "users second-factor recovery-codes": (["--config", "{config}", "zoe"], ""),
    "users passkeys list": (["--config", "{config}", "zoe"], ""),
    "users passkeys remove": (["--config", "{config}", "zoe"], ""),
    "keys init": (["--config", "{config}"], ""),
    "keys list": (["--config", "{config}"], ""),
    "keys rotate": (["--config", "{config}"], ""),
    "keys retire": (["--config", "{config}", "KID", "--now"], ""),
    "audit tail": (["--config", "{config}"], ""),
    "audit search": (["--config", "{config}"], ""),
    "audit export": (["--config", "{config}"], ""),
    "audit verify": (["--config", "{config}"], ""),
    "audit accept": (["--config", "{config}", "--reason", "tried"], ""),
    "audit public-key": (["--config", "{config}"], ""),
    "copy": (["--from", "sqlite:{data}/drawbridge.sqlite", "--to", "postgres://x@127.0.0.1:1/x"], ""),
    "explain redirect": (["--config", "{config}", "--client", "www", "/home"], ""),
    "explain token": (["--config", "{config}"], "no.such.token\n"),
    "explain bearer": (["--config", "{config}"], "no.such.token\n"),
    "explain exchange": (["--config", "{config}", "--client", "www"], "a\nb\n"),
    "explain self-issued": (["--config", "{config}"], "a.b.c\n"),
    "backup": (["--config", "{config}", "{out}"], ""),
    "restore": (["--config", "{config}", "{missing}"], ""),
    "vectors serve": (["--vectors", "{vectors}", "--until-input-closes"], ""),
}
# They print nothing that anybody asked for, or nothing before they were stopped.
SILENT = {"serve", "demo", "migrate"}

# What Foundation, the compiler and the network library call things among themselves.
INNER = re.compile(
    r"NS\w+Domain|Error Domain|UserInfo|Code=\d|\(null\)|Fatal error|CancellationError|Waiting on child|NIO\w+Error"
    r"|drawbridge\.\w+Error|Swift\.|Optional\(|\w+Error\(|Stack dump|errno")


def commands() -> set[str]:
    """All there are, as the program says."""
    def leaves(command: dict, path: list[str]):
        inner = [it for it in command.get("subcommands", []) if it["commandName"] != "help"]
        if not inner:
            yield " ".join(path)
        for it in inner:
            yield from leaves(it, [*path, it["commandName"]])
    return set(leaves(json.loads(instance.run("--experimental-dump-help").stdout)["command"], []))


def test_the_walk_leaves_no_command_out():
    assert set(COMMANDS) == commands()


class Place:
    """A settings file of a website, and what its words stand for."""

    def __init__(self, folder: Path):
        self.data = folder / "data"
        self.config = folder / "drawbridge.yaml"
        self.port = instance.free_port()
        self.config.write_text(f"""
public_origin: http://127.0.0.1:{self.port}
listen: 127.0.0.1:{self.port}
management_listen: 127.0.0.1:{instance.free_port()}
data_directory: {self.data}
self_issued: {{enabled: true}}
clients:
  - {{client_id: www, client_type: web, return_paths: [/home], default_return_path: /home}}
""")
        self.words = {"config": self.config, "data": self.data, "missing": MISSING, "out": folder / "out",
                      "port": self.port, "vectors": instance.ROOT / "clients/vectors"}

    def line(self, command: str, **other) -> list[str]:
        words = {**self.words, **other}
        return [instance.binary(), *command.split(), *(word.format(**words) for word in COMMANDS[command][0])]


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def run(line: list[str], stdin: str, **more) -> subprocess.CompletedProcess:
    more.setdefault("stdout", subprocess.PIPE)
    return subprocess.run(
        line, input=stdin.encode(), stderr=subprocess.PIPE, timeout=60, env=instance.environment(), **more)


def faults(done: subprocess.CompletedProcess, fails: bool = True) -> list[str]:
    """What is wrong with how a command ended."""
    said = done.stderr.decode() + (done.stdout or b"").decode()
    found = [f"inner words: {match.group()}" for match in INNER.finditer(said)]
    if not 0 <= done.returncode < 128:
        found.append(f"ended by signal or crash: {done.returncode}")
    if fails and done.returncode == 0:
        found.append("said that all went well")
    if fails:
        told = [line for line in done.stderr.decode().splitlines() if line.startswith("Error: ")]
        # What is wrong with the settings is a list under a heading of its own.
        if not told and "The settings are not accepted" not in done.stderr.decode():
            found.append("no line that begins with Error:")
        elif told and not done.stderr.decode().rstrip().endswith("."):
            found.append("no sentence")
    return [f"{fault}: {said.strip()[-400:]}" for fault in found]


def walk(place: Place, names, **more) -> dict[str, list[str]]:
    """The faults of each command, for those that have some."""
    found = {}
    for name in names:
        if wrong := faults(run(place.line(name), COMMANDS[name][1], **more)):
            found[name] = wrong
    return found


def test_without_the_right_to_the_data_folder_every_command_says_which_and_why(place):
    place.data.mkdir(mode=0o700)
    (place.data / "drawbridge.sqlite").touch(mode=0o600)
    # The way there is open, the folder is another's. Whoever is no superuser locks themselves out instead.
    for folder in [place.data.parent, *place.data.parent.parents]:
        if folder.stat().st_uid == os.geteuid() and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o055)
    other = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.geteuid() == 0 else {}
    if not other:
        place.data.chmod(0)
    # Those that need no data: what they say is the same for anybody.
    apart = {"check-config", "clients secret", "vectors serve", "explain redirect", "clients add", "users claims",
             "restore", "backup", "explain self-issued", "serve", "demo"}
    found = walk(place, set(COMMANDS) - apart, **other)
    for name in ["serve", "demo"]:
        if wrong := faults(run(place.line(name), "", **other)):
            found[name] = wrong
    assert found == {}
    place.data.chmod(0o700)


def test_files_that_are_not_there_are_named_by_every_command(place):
    found = {}
    for name, (words, stdin) in COMMANDS.items():
        if "{config}" not in words:
            continue
        done = run(place.line(name, config=f"{MISSING}.yaml"), stdin)
        wrong = faults(done)
        if MISSING not in done.stderr.decode():
            wrong.append(f"does not name the file: {done.stderr.decode()}")
        if wrong:
            found[name] = wrong
    for name in ["clients add", "users claims", "restore"]:
        run(place.line("keys init"), "")
        run(place.line("migrate"), "")
        done = run(place.line(name), "")
        if wrong := faults(done) + ([] if MISSING in done.stderr.decode() else [done.stderr.decode()]):
            found[name] = wrong
    assert found == {}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A place with keys, a database and a user."""
    place = Place(tmp_path_factory.mktemp("whole"))
    for name in ["keys init", "migrate", "keys rotate", "users add"]:
        done = run(place.line(name), COMMANDS[name][1])
        assert done.returncode == 0, done.stderr
    return place


@pytest.mark.parametrize("words, told", [
    ("users disable nobody --config {config}",
     "Error: nobody is unknown here: drawbridge users list has those that are known."),
    ("audit verify --export missing.jsonl --public-key {key}",
     "Error: Cannot read missing.jsonl: no such file or directory."),
    ("audit verify --export {config} --public-key missing.pub",
     "Error: Cannot read missing.pub: no such file or directory."),
    ("audit verify --export {config} --public-key wrong.pub", "Error: wrong.pub holds no key, or a line that is not one."),
    ("explain self-issued --config {plain}", "Error: self_issued.enabled is false: no such token is taken."),
])
def test_names_are_told_as_they_are_written(whole, tmp_path, monkeypatch, words, told):
    monkeypatch.chdir(tmp_path)
    Path("wrong.pub").write_text("no key\n")
    Path("key.pub").write_bytes(run([instance.binary(), "audit", "public-key", "--config", str(whole.config)], "").stdout)
    Path("plain.yaml").write_text(whole.config.read_text().replace("self_issued: {enabled: true}", ""))
    line = words.format(config=whole.config, key="key.pub", plain="plain.yaml").split()
    done = run([instance.binary(), *line], "a.b.c\n")
    assert done.returncode == 1 and done.stderr.decode().strip() == told


@pytest.mark.parametrize("answer, reason", [
    ("id_token=%zz", "malformed"), ("#error=access_denied&state=s", "op_error"), ("#id_token=a.b.c", "malformed")])
def test_explain_self_issued_judges_whatever_a_phone_puts_into_the_fragment(whole, answer, reason):
    done = run([instance.binary(), "explain", "self-issued", "--config", str(whole.config)], answer + "\n")
    assert done.returncode == 1 and json.loads(done.stdout)["reason"] == reason, done.stderr


def test_a_user_whose_name_begins_with_a_dash_is_named_after_two_of_them(whole):
    """Subjects of earlier versions may, and those of other issuers."""
    line = [instance.binary(), "users", "role", "--config", str(whole.config)]
    told = run([*line, "-_09oX3", "admin"], "")
    assert told.returncode == 64
    assert told.stderr.decode().endswith(
        "\nA name that begins with a dash goes after the options and two dashes: -- -_09oX3\n")
    assert run([*line, "--", "-_09oX3", "admin"], "").stderr.decode() == (
        "Error: There is no account -_09oX3: drawbridge users list has the users that are known.\n")
    assert run([*line[:1], "audit", "search", *line[3:], "--sub", "-_09oX3"], "").returncode == 0


@pytest.mark.parametrize("words, told", [
    (["users", "add", "latin"], b"Pa\xdfw\xf6rter-lang\n"), (["users", "password", "zoe"], b"Pa\xdfw\xf6rter-lang\n"),
    (["clients", "add", "-"], b'{"client_id": "s9", "client_type": "native", "client_name": "Caf\xe9"}')])
def test_what_is_not_utf_8_is_refused_rather_than_repaired(whole, words, told):
    done = instance.run(*words, "--config", str(whole.config), stdin=told, check=False)
    assert done.returncode == 1
    assert done.stderr == b"Error: Cannot read the standard input: it is not text in UTF-8.\n"


def test_a_file_to_write_is_not_told_as_one_to_read(whole):
    done = run([*whole.line("vectors serve"), "--port-file", f"{MISSING}/port"], "")
    assert done.returncode == 1
    assert done.stderr.decode() == f"Error: Cannot write {MISSING}/port: no such file or directory.\n"


def test_explain_redirect_needs_no_entry_that_is_exact():
    done = run([instance.binary(), "explain", "redirect", "--allow", "/user/*", "/user/a"], "")
    assert done.returncode == 0 and json.loads(done.stdout)["passes"] is True, done.stderr


def test_a_settings_file_with_a_key_twice_is_told_of_that_and_of_what_else_is_wrong(place):
    """Contract §13: the report lists every problem."""
    place.config.write_text(place.config.read_text() + "listen: 127.0.0.1:1\nnope: 1\n")
    done = run([instance.binary(), "check-config", "--config", str(place.config)], "")
    told = done.stderr.decode()
    assert done.returncode and "key given twice: listen; first in line 3" in told and "nope" in told
    assert "(2 problems)" in told and "is required" not in told


def test_names_that_are_taken_and_rules_between_fields_are_told_beside_other_faults(place):
    """Contract §13: whoever mends one fault must not meet the next at the next try."""
    place.config.write_text(f"""{place.config.read_text()}\
  - {{client_id: twice, client_type: native, jwks: 7, token_endpoint_auth_method: client_secret_basic}}
  - {{client_id: twice, client_type: web, foo: 1, theme_logo: none.svg}}
upstream_providers:
  - {{id: one, issuer: https://id.example, client_id: a, client_secret_file: missing}}
  - {{id: one, client_id: a, client_secret_file: missing}}
""")
    done = run([instance.binary(), "check-config", "--config", str(place.config)], "")
    told = done.stderr.decode()
    assert done.returncode and "client_secret_file" in told and ".foo" in told and ".jwks" in told
    for field in (r"token_endpoint_auth_method \(.*\): of a native client", r'client_id = "twice" \(.*\): is taken',
                  r'theme_logo = "none.svg" \(.*\): is not a file', r'upstream_providers\[1\].id = "one" \(.*\): is taken'):
        assert re.search(field, told), (field, told)


def test_a_default_website_that_no_app_can_open_is_warned_of(place):
    place.config.write_text(
        place.config.read_text() + "  - {client_id: app, client_type: native}\ndefault_web_client: app\n")
    done = run([instance.binary(), "check-config", "--config", str(place.config)], "")
    assert done.returncode == 0 and "warning: default_web_client names app, which is not a website" in done.stderr.decode()


@pytest.mark.parametrize("output", ["full", "closed"])
def test_an_output_that_takes_nothing_ends_every_command_with_a_sentence(whole, output):
    answers = set(COMMANDS) - SILENT - {
        # They do something else first, which fails here for its own reason: the other walks have them.
        "clients show", "clients add", "clients remove", "users claims", "keys init", "keys retire", "copy", "restore",
        "users add", "users password", "users role", "users disable", "users enable", "users second-factor remove",
        "users second-factor recovery-codes", "users passkeys remove", "keys rotate", "audit accept", "backup"}
    found = {}
    for name in sorted(answers):
        line = whole.line(name)
        if output == "full":
            with open("/dev/full", "wb") as full:
                done = run(line, COMMANDS[name][1], stdout=full)
        else:
            done = run(["/bin/sh", "-c", 'exec "$@" >&-', "sh", *line], COMMANDS[name][1])
        if wrong := faults(done):
            found[name] = wrong
    assert found == {}


def test_a_full_disk_stops_every_command_that_writes_with_a_sentence(place):
    if not can_mount():
        pytest.skip("needs root and leave to mount a tmpfs")
    place.data.mkdir()
    writes = ["serve", "demo", "migrate", "keys init", "keys rotate", "users add"]
    found = {}
    for name in writes:
        script = (f"mount -t tmpfs -o size=4k tmpfs '{place.data}' && cat /dev/zero >'{place.data}/ballast' 2>/dev/null; "
                  'exec "$@"')
        done = run(["unshare", "-m", "sh", "-c", script, "sh", *place.line(name)], COMMANDS[name][1])
        if wrong := faults(done):
            found[name] = wrong
    assert found == {}


def test_a_database_that_is_away_is_told_once_in_one_line(place):
    done = run([instance.binary(), "users", "list", "--config", str(place.config),
                "--database", "postgres://x@127.0.0.1:1/x"], "")
    told = done.stderr.decode()
    assert done.returncode == 1 and told.startswith("Error: The database 127.0.0.1/x cannot be opened: "), told
    assert told.count("refused") == 1 and told.count("\n") == 1 and "\t" not in told and "?." not in told


def test_a_redis_that_is_away_is_told_in_words(place):
    place.config.write_text(place.config.read_text() + "redis: {url: 'redis://127.0.0.1:1'}\n")
    told = run([instance.binary(), "check-config", "--online", "--config", str(place.config)], "").stdout.decode()
    assert "FAIL  redis: 127.0.0.1:1: Redis: there is no connection; nobody answers there\n" in told, told


def test_a_port_that_is_taken_is_named_with_what_to_do(whole, tmp_path):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        found = {}
        for name, line in {
            "serve": [*whole.line("serve"), "--listen", f"127.0.0.1:{port}"],
            "serve, management": [*whole.line("serve"), "--management-listen", f"127.0.0.1:{port}"],
            "demo": whole.line("demo", data=tmp_path / "demo", port=port),
            "vectors serve": [*whole.line("vectors serve"), "--listen", f"127.0.0.1:{port}"],
        }.items():
            done = run(line, "")
            wrong = faults(done)
            if f"127.0.0.1:{port}" not in done.stderr.decode():
                wrong.append(f"does not name the address: {done.stderr.decode()}")
            if wrong:
                found[name] = wrong
    assert found == {}


def waits_for_input(process: int) -> bool:
    """Whether one of its threads reads from a pipe, by what Linux tells of each."""
    with contextlib.suppress(OSError):
        return any("pipe_" in thread.read_text() for thread in Path(f"/proc/{process}/task").glob("*/wchan"))


def test_other_commands_are_not_refused_while_somebody_types_a_new_password(whole):
    with subprocess.Popen(
            whole.line("users password"), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=instance.environment()) as typing:
        wait_until(lambda: waits_for_input(typing.pid), 30, "a command that waits for the password")
        for name in ["users disable", "users enable"]:
            done = run(whole.line(name), "")
            assert done.returncode == 0, done.stderr
        said, told = typing.communicate(b"another good one\n", timeout=60)
    assert typing.returncode == 0 and b"Changed the password of zoe" in said, told


def test_a_new_password_for_nobody_is_not_asked_for(whole):
    line = [*whole.line("users password")[:-1], "nobody"]
    with subprocess.Popen(
            line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=instance.environment()) as asking:
        try:
            # The input stays open, as a terminal does.
            assert asking.wait(timeout=60) == 1
        finally:
            asking.kill()
        assert asking.stderr.read().startswith(b"Error: There is no account nobody: drawbridge users list")


@pytest.mark.parametrize("command", [
    "clients list", "clients show", "users list", "users claims", "users password", "audit tail", "keys list", "backup"])
def test_without_a_database_commands_that_need_one_say_the_same(place, command):
    claims = place.config.with_name("claims.json")
    claims.write_text("{}")
    run(place.line("keys init"), "")
    done = run(place.line(command, missing=claims.with_suffix("")), COMMANDS[command][1])
    assert done.returncode == 1
    assert done.stderr.decode().startswith(f"Error: There is no database at {place.data}/drawbridge.sqlite."), done.stderr


MAKE_THE_DATABASE = ["users add", "clients add", "keys rotate"]


def run_openly(place: Place, command: str) -> subprocess.CompletedProcess:
    """As from a shell whose new files are for everybody to read."""
    document = place.config.with_name("client.json")
    document.write_text('{"client_id": "till", "client_type": "native", "client_name": "Till"}')
    done = run(place.line(command, missing=document.with_suffix("")), COMMANDS[command][1], umask=0o022)
    assert done.returncode == 0, done.stderr
    return done


def readable_by_others(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("drawbridge.sqlite*") if stat.S_IMODE(path.stat().st_mode) & 0o077)


@pytest.mark.parametrize("command", MAKE_THE_DATABASE)
def test_a_database_that_a_command_makes_is_for_its_owner_alone(place, command):
    place.data.mkdir(mode=0o755)
    if command == "keys rotate":
        run_openly(place, "keys init")
    run_openly(place, command)
    assert (place.data / "drawbridge.sqlite").exists() and readable_by_others(place.data) == []


@pytest.mark.parametrize("command", MAKE_THE_DATABASE)
def test_a_command_that_makes_the_database_makes_its_folder_and_says_so_afterwards(place, command):
    if command == "keys rotate":
        # Its keys may be elsewhere; without a master key nothing is made, and nothing is announced.
        done = run(place.line(command), "")
        assert done.returncode == 1 and done.stderr.startswith(b"Error: There is no master key"), done.stderr
        assert not place.data.exists()
        keys = place.data.with_name("keys")
        instance.run("keys", "init", "--config", str(place.config), "--into", str(keys))
        place.config.write_text(f"{place.config.read_text()}master_key_file: {keys}/master-key\n")
    done = run_openly(place, command)
    assert f"Made a new database at {place.data}/drawbridge.sqlite.\n" in done.stderr.decode()
    assert stat.S_IMODE(place.data.stat().st_mode) == 0o700
    assert "Made a new database" not in run(place.line("keys list"), "").stderr.decode()


def test_a_server_takes_a_database_away_from_others(whole, tmp_path):
    database = whole.data / "drawbridge.sqlite"
    database.chmod(0o644)
    with open(tmp_path / "log", "wb") as log:
        server = subprocess.Popen(whole.line("serve"), stdout=log, stderr=log, env=instance.environment())
    try:
        wait_until(lambda: '"message":"ready"' in (tmp_path / "log").read_text(), what="the server to be ready")
        assert readable_by_others(whole.data) == [] and stat.S_IMODE(database.stat().st_mode) == 0o600
        assert "others could read the database" in (tmp_path / "log").read_text()
    finally:
        server.terminate()
        server.wait(30)


SECRET = "SEKRET"


@pytest.mark.parametrize("setting", [
    f"alerts: {{webhook: 'https://u:{SECRET}@x.example/'}}",
    *(f"audit_forwarders: [{{name: a, url: '{url}'}}]" for url in [
        f"https://u:{SECRET}@x.example/", f"tls://u:{SECRET}@x.example:1", f"tcp://u:{SECRET}@x.example:1",
        f"htps://u:{SECRET}@x.example/"]),
])
def test_an_address_that_is_refused_is_not_repeated_with_its_password(place, setting):
    place.config.write_text(f"{place.config.read_text()}{setting}\n")
    for command in ["check-config", "serve"]:
        done = run(place.line(command), "")
        assert done.returncode != 0 and re.search(rb"(webhook|url) \(.*\): must be ", done.stderr), done.stderr
        assert SECRET not in (done.stdout + done.stderr).decode()


def test_the_address_of_alerts_is_listed_without_what_opens_it(place):
    place.config.write_text(
        f"{place.config.read_text()}alerts: {{webhook: 'https://hooks.example/services/{SECRET}?k={SECRET}'}}\n")
    told = run(place.line("check-config"), "").stdout.decode()
    assert re.search(r"alerts\.webhook\W+https://hooks\.example/…", told) and SECRET not in told, told


def test_a_search_by_user_name_says_which_subject_that_is(whole):
    line = [*whole.line("audit search"), "--sub"]
    listed = json.loads(run([*whole.line("users list"), "--format", "json"], "").stdout)
    [subject] = [user["sub"] for user in listed if user["username"] == "zoe"]
    done = run([*line, "zoe"], "")
    assert done.returncode == 0 and done.stdout == b""
    assert done.stderr.decode() == (
        f"No event matches. The account zoe has another subject, which --sub takes: {subject}\n")
    found = run([*line, subject], "")
    assert found.stdout and found.stderr == b""
    assert run([*line, "nobody"], "").stderr == b""


@pytest.mark.parametrize("command", [name for name in COMMANDS if name.startswith("explain ")])
def test_explain_offers_no_folder_that_it_could_not_do_with(whole, command):
    assert "--data " not in run([instance.binary(), *command.split(), "--help"], "").stdout.decode()
    done = run([*whole.line(command), "--data", str(whole.data)], COMMANDS[command][1])
    assert done.returncode == 64 and b"Unknown option '--data'" in done.stderr, done.stderr


def test_a_database_that_may_not_be_written_is_told_once_with_what_to_do(place):
    run_openly(place, "keys init")
    run_openly(place, "users add")
    database = place.data / "drawbridge.sqlite"
    database.chmod(0o400)
    more = {}
    if os.geteuid() == 0:  # Whom no mode keeps from writing.
        for path in [place.data, *place.data.iterdir()]:
            os.chown(path, NOBODY, NOBODY)
        for folder in [place.data.parent, *place.data.parent.parents]:
            if folder != Path("/") and folder.stat().st_uid == 0:
                folder.chmod(folder.stat().st_mode | 0o055)
        more = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    for command in ["users disable", "serve"]:
        done = run(place.line(command), "", **more)
        assert done.returncode == 1
        said = done.stderr.decode()
        assert f"{database} is not writable: it has to belong to" in said and "readonly" not in said, said


@pytest.mark.parametrize("words", [
    ["--help"], ["-h"], ["help"], ["help", "users"], ["help", "users", "role"],
    *([*command.split(), "--help"] for command in COMMANDS)],
    ids=" ".join)
def test_help_is_an_answer_and_no_failure(words):
    done = subprocess.run([instance.binary(), *words], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and done.stderr == ""
    named = [word for word in words if word not in ("--help", "-h", "help")]
    assert re.search(rf"^USAGE: {' '.join(['drawbridge', *named])}( |$)", done.stdout, re.M)
