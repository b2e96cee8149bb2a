"""Why `serve` does not start: what it says last is in the table of docs/operations.md, in a row that helps."""

import fcntl
import os
import pwd
import re
import shutil
import socket
import sqlite3
import subprocess
from pathlib import Path

import pytest

import instance
from damage import overwrite_page
from skips import can_mount

DATABASE = "data/drawbridge.sqlite"
NOBODY = 65534


def rows() -> list[list[str]]:
    """The phrases of each row, from the top: whoever reads takes the first one that fits."""
    [section] = re.findall(r"^### It does not start\n(.*?)^### ", (instance.ROOT / "docs/operations.md").read_text(),
                           re.M | re.S)
    cells = [line.split(" | ")[0] for line in section.splitlines() if line.startswith("| `")]
    return [re.findall(r"`([^`]+)`", cell) for cell in cells]


def first_row(told: str) -> list[str]:
    def fits(phrase: str) -> bool:
        return bool(re.search(re.escape(phrase).replace("…", ".*"), told, re.I))
    return next((row for row in rows() if any(fits(phrase) for phrase in row)), [])


def settings(folder: Path) -> Path:
    return folder / "drawbridge.yaml"


def run(folder: Path, *words: str, stdin: str = "") -> None:
    instance.run(*words, "--config", str(settings(folder)), stdin=stdin.encode())


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """Keys, a database with a signed log, and settings for them."""
    folder = tmp_path_factory.mktemp("prepared")
    settings(folder).write_text(f"""
public_origin: http://127.0.0.1:{instance.free_port()}
listen: 127.0.0.1:{instance.free_port()}
management_listen: 127.0.0.1:{instance.free_port()}
data_directory: data
""")
    run(folder, "keys", "init")
    run(folder, "users", "add", "zoe", stdin="plum duff at noon\n")
    run(folder, "keys", "rotate")
    return folder


@pytest.fixture
def place(prepared, tmp_path):
    """A copy of it, to be spoilt."""
    return shutil.copytree(prepared, tmp_path / "place")


def last_words(folder: Path, *prefix: str) -> str:
    command = [*prefix, instance.binary(), "serve", "--config", str(settings(folder))]
    done = subprocess.run(command, capture_output=True, timeout=60, env=instance.environment())
    assert done.returncode != 0, done
    return done.stderr.decode().splitlines()[-1]


def change_database(folder: Path, sql: str) -> None:
    database = sqlite3.connect(folder / DATABASE)
    database.execute(sql)
    database.commit()
    database.close()


def damage(folder: Path, table: str) -> None:
    overwrite_page(folder / DATABASE, table)


def overwrite(folder: Path) -> None:
    for ending in ["-wal", "-shm"]:
        Path(f"{folder / DATABASE}{ending}").unlink(missing_ok=True)
    (folder / DATABASE).write_bytes(b"nonsense" * 1024)


def another_master_key(folder: Path) -> None:
    (folder / "data/master-key").unlink()
    run(folder, "keys", "init")


def open_to_others(folder: Path) -> None:
    (folder / "data").chmod(0o775)
    if os.geteuid() == 0:
        # Of a folder that is root's it is only a warning.
        os.chown(folder / "data", 12345, -1)


def add_setting(folder: Path, text: str) -> None:
    with open(settings(folder), "a") as file:
        file.write(text + "\n")


SPOILT = {
    "There is no master key": lambda folder: (folder / "data/master-key").unlink(),
    "is not a master key": lambda folder: (folder / "data/master-key").write_text("nonsense\n"),
    "does not open the key": another_master_key,
    "can be read by others": lambda folder: (folder / "data/master-key").chmod(0o644),
    "and the audit log is signed": lambda folder: (folder / "data/audit-signing-key").unlink(),
    "may write to the folder": open_to_others,
    "jwks_file: … cannot be read": lambda folder: add_setting(
        folder, 'trusted_issuers: [{issuer: "https://id.example.com", audience: [here], jwks_file: missing.json, '
                'subject_prefix: "x:"}]'),
    "The database has no table": lambda folder: change_database(folder, "DROP TABLE signing_key"),
    "is not an SQLite database, or is damaged": overwrite,
    "is damaged: something in it cannot be read": lambda folder: damage(folder, "signing_key"),
    "was written by a newer version": lambda folder: change_database(
        folder, "INSERT INTO schema_migration VALUES (9999, 'from the future', 0)"),
    "cannot be opened": lambda folder: add_setting(folder, "database: postgres://x@127.0.0.1:1/x"),
}


@pytest.mark.parametrize("phrase", SPOILT)
def test_a_start_that_is_refused_is_in_the_table_of_what_to_do(place, phrase):
    SPOILT[phrase](place)
    told = last_words(place)
    assert phrase in first_row(told), told


def test_a_port_that_is_taken_is_in_the_table(place):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        text = settings(place).read_text()
        settings(place).write_text(re.sub(r"^listen: .*$", f"listen: 127.0.0.1:{taken.getsockname()[1]}", text, flags=re.M))
        told = last_words(place)
    assert "Cannot listen on" in first_row(told), told


def test_a_second_process_of_one_name_is_in_the_table(place):
    with open(f"{place / DATABASE}.main.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        told = last_words(place)
    assert "another process writes this database as the node" in first_row(told), told


@pytest.mark.parametrize("name", [
    "master-key", "drawbridge.sqlite", "drawbridge.sqlite-wal", "drawbridge.sqlite.main.lock"])
def test_a_file_that_root_left_is_named_with_whose_it_is_and_what_to_do(place, name):
    data = place / "data"
    file = data / name
    file.touch()
    file.chmod(0o600)
    if os.geteuid() == 0:
        for path in {data, *data.iterdir()} - {file}:
            os.chown(path, NOBODY, NOBODY)
        for folder in data.parents:
            if folder != Path("/") and folder.stat().st_uid == 0:
                folder.chmod(folder.stat().st_mode | 0o055)
        nobody = pwd.getpwuid(NOBODY).pw_name
        remedy = (f"{file} belongs to root, and this runs as {nobody}, whose folder it is in: give it to {nobody} "
                  f"(chown {nobody} {file}).")
        more = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    else:  # Who cannot make a file of another's.
        file.chmod(0)
        own = pwd.getpwuid(os.geteuid()).pw_name
        remedy = f"{file} belongs to {own}, which runs this, and its mode is 00 (chmod u+rw {file})."
        more = {}

    def said(*words: str) -> subprocess.CompletedProcess:
        command = [instance.binary(), *words, "--config", str(settings(place))]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, env=instance.environment(), **more)

    told = said("serve").stderr.splitlines()[-1]
    assert told.startswith("Error: Cannot ") and told.endswith(f"{file}: permission denied. {remedy}"), told
    assert "permission denied" in first_row(told), told
    # A look takes no lock.
    if not name.endswith(".lock"):
        lines = said("check-config", "--online").stdout.splitlines()
        assert [line for line in lines if line.startswith("FAIL  ") and line.endswith(remedy)], lines


@pytest.mark.parametrize("name, mode, told", [
    ("data", 0o500, "FAIL  data folder: Cannot write to the folder {path}: permission denied."),
    (DATABASE, 0o400, "FAIL  database: {path} is not writable"),
])
def test_check_config_online_tells_what_the_account_of_a_start_cannot_write(place, name, mode, told):
    (place / name).chmod(mode)
    more = {}
    if os.geteuid() == 0:
        for path in {place / "data", *(place / "data").iterdir()}:
            os.chown(path, NOBODY, NOBODY)
        for folder in (place / "data").parents:
            if folder != Path("/") and folder.stat().st_uid == 0:
                folder.chmod(folder.stat().st_mode | 0o055)
        more = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    done = subprocess.run([instance.binary(), "check-config", "--online", "--config", str(settings(place))],
                          capture_output=True, text=True, timeout=60, env=instance.environment(), **more)
    (place / "data").chmod(0o700)
    lines = [line for line in done.stdout.splitlines() if line.startswith(told.format(path=place / name))]
    assert done.returncode == 1 and lines, done


@pytest.mark.parametrize("setting, name, text, phrase", [
    ("default_web_client: wwww", None, "", "wwww"),
    ("public_directory: public", "texts/en.json", "{bad", "texts/en.json"),
    ("public_directory: public", "templates/account.mustache", "{{#open}}", "templates/account.mustache"),
])
def test_settings_that_no_server_starts_with_are_refused_by_serve_and_by_check_config(place, setting, name, text, phrase):
    add_setting(place, setting)
    if name:
        file = place / "public" / name
        file.parent.mkdir(parents=True)
        file.write_text(text)

    def status(*words: str) -> tuple[int, bool]:
        done = subprocess.run([instance.binary(), *words, "--config", str(settings(place))], capture_output=True, text=True,
                              timeout=60, env=instance.environment())
        lines = (done.stdout + done.stderr).splitlines()
        return done.returncode, any(phrase in line for line in lines if re.match("  - |FAIL  ", line))

    assert status("serve") == (78, True)
    assert status("check-config", "--online") == (1, True)


@pytest.mark.parametrize("then, phrase", [
    ("cat /dev/zero >'{data}/ballast' 2>/dev/null", "disk is full"),
    ("mount -o remount,ro '{data}'", "read-only file system"),
])
def test_a_data_folder_that_takes_nothing_is_in_the_table(place, then, phrase):
    if not can_mount():
        pytest.skip("needs root and leave to mount a tmpfs")
    data = place / "data"
    kept = shutil.copytree(data, place / "kept")
    script = (f"mount -t tmpfs -o size=4m tmpfs '{data}' && cp -a '{kept}/.' '{data}' && "
              f"{{ {then.format(data=data)}; exec \"$@\"; }}")
    told = last_words(place, "unshare", "-m", "sh", "-c", script, "sh")
    assert phrase in first_row(told), told


@pytest.mark.parametrize("table, command", [
    ("audit_event", ["audit", "verify"]), ("audit_event", ["audit", "tail"]), ("account", ["users", "list"]),
    ("account", ["users", "passkeys", "list", "zoe"])])
def test_a_command_that_meets_a_damaged_page_says_in_which_database_and_what_to_do(place, table, command):
    damage(place, table)
    done = instance.run(*command, "--config", str(settings(place)), check=False)
    assert done.returncode == 1
    assert done.stderr.decode() == (
        f"Error: The database {place / DATABASE} is damaged: something in it cannot be read. drawbridge restore puts a backup "
        "in its place; see Restore in docs/operations.md.\n")


def test_check_config_online_finds_a_page_that_no_start_reads(place):
    damage(place, "login_token_use")
    done = instance.run("check-config", "--online", "--config", str(settings(place)), check=False)
    assert done.returncode == 1
    [told] = [line for line in done.stdout.decode().splitlines() if line[6:].startswith("database: ")]
    assert told == (
        f"FAIL  database: The database {place / DATABASE} is damaged: something in it cannot be read. drawbridge restore puts "
        "a backup in its place; see Restore in docs/operations.md.")
    assert "is damaged: something in it cannot be read" in first_row(told)


def test_a_role_that_this_version_does_not_know_is_no_damage(place):
    change_database(place, "UPDATE account SET role = 'auditor'")
    done = instance.run("users", "passkeys", "list", "zoe", "--config", str(settings(place)), check=False)
    told = done.stderr.decode()
    assert (done.returncode, told) == (1, (
        f"Error: The database {place / DATABASE} holds something that this program cannot use: column 5 of the result is no "
        "Role that it knows.\n"))
    assert "holds something that this program cannot use" in first_row(told), "and not in the row of damage"


def test_a_clients_document_that_this_version_cannot_use_is_named_and_the_client_can_be_removed(place):
    document = '{"client_id":"shop","client_type":"native","colour":"red"}'
    change_database(place, f"INSERT INTO client (client_id, document, updated_at) VALUES ('shop', '{document}', 0)")
    told = (
        f"Error: The database {place / DATABASE} holds something that this program cannot use: the document of client shop: "
        "colour is not a field of a client.")
    done = instance.run("clients", "list", "--config", str(settings(place)), check=False)
    assert (done.returncode, done.stderr.decode()) == (1, told + "\n")
    assert "holds something that this program cannot use" in first_row(told), "and not in the row of damage"
    run(place, "clients", "remove", "shop")
    run(place, "clients", "list")
