"""What `backup` and `restore` cannot do: they name the file and the reason, and nothing stays behind."""

import hashlib
import json
import os
import resource
import signal
import sqlite3
import subprocess
from pathlib import Path

import pytest

import instance

NOBODY = 65534


class Place:
    """Settings, keys, and a database that is larger than what ``limited`` allows for a file."""

    LIMIT = 262_144

    def __init__(self, folder: Path):
        self.data = folder / "data"
        self.database = self.data / "drawbridge.sqlite"
        self.config = folder / "drawbridge.yaml"
        self.config.write_text(f"public_origin: http://127.0.0.1:{instance.free_port()}\ndata_directory: {self.data}\n")
        assert self.run("keys", "init").returncode == 0
        assert self.run("users", "add", "zoe", stdin=b"plum duff at noon\n").returncode == 0
        assert self.database.stat().st_size > self.LIMIT

    def run(self, *words: str, stdin: bytes = b"", **more) -> subprocess.CompletedProcess:
        return subprocess.run(
            [instance.binary(), *words, "--config", str(self.config)], input=stdin, capture_output=True, timeout=60,
            env=instance.environment(), **more)

    def backup(self, folder: Path) -> Path:
        done = self.run("backup", str(folder))
        assert done.returncode == 0, done.stderr
        return folder

    def left(self) -> list[str]:
        return sorted(path.name for path in self.data.glob("drawbridge.sqlite.restoring*"))


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


def limited():
    """No file grows beyond the limit, as on a disk that is full; that is an error, and not the end by a signal."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (Place.LIMIT, Place.LIMIT))


def as_somebody_else(folder: Path) -> dict:
    """What runs a command as a user who has no right to a folder, to which the way is open. Whoever is no superuser
    locks themselves out instead."""
    for parent in folder.parents:
        if parent.stat().st_uid == os.geteuid() and parent != Path("/"):
            parent.chmod(parent.stat().st_mode | 0o055)
    if os.geteuid() == 0:
        return {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    folder.chmod(0)
    return {}


def test_a_backup_that_finds_no_room_names_the_copy_and_leaves_nothing_of_it(place, tmp_path):
    folder = tmp_path / "backup"
    done = place.run("backup", str(folder), preexec_fn=limited)
    assert done.returncode == 1
    assert done.stderr.decode().startswith(
        f"Error: {folder}/drawbridge.sqlite.partial cannot be written: SQLite "), done.stderr
    assert list(folder.iterdir()) == []
    place.backup(folder)


def test_a_backup_that_is_ended_by_a_signal_leaves_nothing_and_one_that_was_killed_is_told(place, tmp_path):
    # It waits for the database, with its file made already.
    held = sqlite3.connect(place.database, isolation_level=None)
    held.execute("PRAGMA locking_mode = EXCLUSIVE")
    held.execute("BEGIN IMMEDIATE")
    folder = tmp_path / "backup"
    command = [instance.binary(), "backup", str(folder), "--config", str(place.config)]

    def ended_by(number: int) -> int:
        backup = subprocess.Popen(command, stderr=subprocess.DEVNULL, env=instance.environment())
        instance.wait_until(lambda: list(folder.glob("drawbridge.sqlite.partial*")), 30, "the copy")
        backup.send_signal(number)
        return backup.wait(30)

    assert ended_by(signal.SIGTERM) == 128 + signal.SIGTERM and list(folder.iterdir()) == []
    assert ended_by(signal.SIGKILL) == -signal.SIGKILL and list(folder.iterdir())
    held.close()
    told = place.run("backup", str(folder))
    assert told.returncode == 1 and told.stderr.decode().startswith(f"Error: {folder} holds a part of a backup."), told


def test_a_restore_that_finds_no_room_names_the_data_folder_and_leaves_nothing_there(place, tmp_path):
    folder = place.backup(tmp_path / "backup")
    before = place.database.read_bytes()
    done = place.run("restore", str(folder), preexec_fn=limited)
    assert done.returncode == 1
    assert done.stderr.decode().startswith(f"Error: Cannot write {place.database}.restoring: "), done.stderr
    assert place.left() == [] and place.database.read_bytes() == before


def test_a_restore_that_is_refused_after_the_copy_leaves_nothing_there(place, tmp_path):
    folder = place.backup(tmp_path / "backup")
    database = sqlite3.connect(folder / "drawbridge.sqlite")
    database.execute("INSERT INTO schema_migration VALUES (9999, 'from the future', 0)")
    database.commit()
    database.close()
    said = json.loads((folder / "backup.json").read_text())
    said["database_sha256"] = hashlib.sha256((folder / "drawbridge.sqlite").read_bytes()).hexdigest()
    (folder / "backup.json").write_text(json.dumps(said))
    done = place.run("restore", str(folder))
    assert done.returncode == 1 and b"was written by a newer version" in done.stderr, done.stderr
    assert place.left() == [] and place.run("users", "list").returncode == 0


def test_a_backup_whose_files_others_can_read_is_refused_before_anything_is_replaced(place, tmp_path):
    for words in [["rotate"], ["retire", "--all", "--now"]]:
        assert place.run("keys", *words).returncode == 0
    folder = place.backup(tmp_path / "backup")
    assert place.run("users", "add", "carol", stdin=b"plum duff at noon\n").returncode == 0
    # As a copy leaves them.
    for path in folder.iterdir():
        path.chmod(0o644)
    refused = place.run("restore", str(folder))
    assert refused.returncode == 1
    assert refused.stderr.decode().startswith(f"Error: {folder}/retired-keys can be read by others"), refused.stderr
    assert b"carol" in place.run("users", "list").stdout and place.left() == []
    assert not list(place.data.glob("*.before-*"))
    verified = place.run("audit", "verify")
    assert verified.returncode == 0, verified.stdout
    for path in folder.iterdir():
        path.chmod(0o600)
    restored = place.run("restore", str(folder))
    assert restored.returncode == 0 and b"Restored the backup of " in restored.stdout, restored
    assert b"carol" not in place.run("users", "list").stdout
    assert place.run("audit", "verify").returncode == 0


def test_a_backup_that_may_not_be_read_is_told_as_that_and_not_as_none(place, tmp_path):
    folder = place.backup(tmp_path / "backup")
    done = place.run("restore", str(folder), **as_somebody_else(folder))
    folder.chmod(0o700)
    told = done.stderr.decode()
    assert done.returncode == 1
    assert told.startswith(
        f"Error: Cannot read {folder}/backup.json: permission denied. {folder} belongs to "), told
    assert "--in-place" not in told


def test_a_restore_in_place_is_offered_only_where_there_is_no_folder_of_that_name(place, tmp_path):
    missing = place.run("restore", str(tmp_path / "missing"))
    assert missing.returncode == 1 and b"is not a backup" in missing.stderr and b"--in-place" in missing.stderr, missing
    (tmp_path / "empty").mkdir()
    empty = place.run("restore", str(tmp_path / "empty"))
    assert empty.returncode == 1 and b"is not a backup" in empty.stderr and b"--in-place" not in empty.stderr, empty


def test_a_folder_that_cannot_be_made_for_a_backup_is_told_with_the_reason(place, tmp_path):
    done = place.run("backup", str(tmp_path / "missing/backup"))
    assert done.returncode == 1
    assert done.stderr.decode() == f"Error: Cannot make the folder {tmp_path}/missing/backup: no such file or directory.\n"
