"""The audit log as docs/audit-format.md describes it, written anew in Python: for those who verify, and for thieves."""

import base64
import datetime
import hashlib
import json
import sqlite3
import time
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric import ed25519

import instance
from signing import b64url, unb64url

GENESIS = "A" * 43
FIELDS = ["type", "outcome", "reason", "subject", "client_id", "target_client_id", "session_id", "token_id", "address",
          "user_agent", "request_id", "detail"]
COLUMNS = ["node", "sequence", "at", *FIELDS, "previous_hash", "hash"]


def event_hash(row: dict) -> str:
    text = b"drawbridge-audit-v1\n"
    for field in [row["previous_hash"], row["node"], str(row["sequence"]), str(row["at"])] + [row[name] for name in FIELDS]:
        if field is None:
            text += b"-\n"
        else:
            raw = field.encode()
            text += str(len(raw)).encode() + b":" + raw + b"\n"
    return b64url(hashlib.sha256(text).digest())


def rfc3339(milliseconds: int) -> str:
    instant = datetime.datetime.fromtimestamp(milliseconds // 1000, datetime.timezone.utc)
    return f"{instant:%Y-%m-%dT%H:%M:%S}.{milliseconds % 1000:03}Z"


class Key:
    """The signing key's file, as the server wrote it."""

    def __init__(self, path: Path):
        _, _, self.name, key_id, field = path.read_text().strip().split("+", 4)
        self.id = bytes.fromhex(key_id)
        self.private = ed25519.Ed25519PrivateKey.from_private_bytes(base64.b64decode(field)[1:])

    @classmethod
    def stranger(cls, name: str = "localhost/drawbridge") -> "Key":
        """Another key that calls itself the same."""
        key = cls.__new__(cls)
        key.name, key.private = name, ed25519.Ed25519PrivateKey.generate()
        public = key.private.public_key().public_bytes_raw()
        key.id = hashlib.sha256(name.encode() + b"\n\x01" + public).digest()[:4]
        return key

    def note(self, text: str) -> str:
        signature = base64.b64encode(self.id + self.private.sign(text.encode())).decode()
        return f"{text}\n\u2014 {self.name} {signature}\n"

    def checkpoint(self, node: str, size: int, digest: str, at: int) -> str:
        encoded = base64.b64encode(unb64url(digest)).decode()
        return self.note(f"{self.name}/{node}\n{size}\n{encoded}\ntime {rfc3339(at)}\n")

    def cut(self, node: str, through: int, digest: str, retention: int, at: int, adopted: bool = False) -> str:
        return self.note(cut_text(f"{self.name}/{node}", through, digest, retention, at, adopted))


def cut_text(origin: str, through: int, digest: str, retention: int, at: int, adopted: bool = False) -> str:
    encoded = base64.b64encode(unb64url(digest)).decode()
    return (f"drawbridge audit cut\n{origin}\n{through}\n{encoded}\nretention {retention}\ntime {rfc3339(at)}\n"
            + ("adopted\n" if adopted else ""))


def cut_stands(cut: dict, checkpoint: dict | None, least: int = 0) -> bool:
    """Whether a cut whose signature is good is accepted; `checkpoint` is the good one of its size, `least` what
    `--retention` asks, in seconds as in the cut."""
    if checkpoint is None:
        return cut["adopted"] and cut["retention"] == 0 and least == 0
    age = (cut["at"] - checkpoint["at"]) / 1000
    return (checkpoint["hash"] == cut["hash"] and age >= cut["retention"]
            and (age if cut["adopted"] else cut["retention"]) >= least)


class Log:
    """The tables of an embedded database that no server has open."""

    def __init__(self, data: Path):
        self.data = data
        self.connection = sqlite3.connect(data / "drawbridge.sqlite", isolation_level=None)
        self.connection.row_factory = sqlite3.Row

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def run(self, sql: str, *values) -> int:
        return self.connection.execute(sql, values).rowcount

    def rows(self, node: str) -> list[dict]:
        return [dict(row) for row in self.connection.execute(
            "SELECT * FROM audit_event WHERE node = ? ORDER BY sequence", [node])]

    def checkpoints(self, node: str) -> list[dict]:
        return [dict(row) for row in self.connection.execute(
            "SELECT * FROM audit_checkpoint WHERE node = ? ORDER BY size", [node])]

    def insert(self, row: dict):
        values = [row.get(name) for name in COLUMNS]
        self.run(f"INSERT INTO audit_event ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})", *values)

    def chain_anew(self, node: str, change=lambda row: row):
        """Writes the node's chain anew with right hashes; `change` may change a row or take it away."""
        previous, sequence, rows = GENESIS, 0, [change(row) for row in self.rows(node)]
        self.run("DELETE FROM audit_event WHERE node = ?", node)
        for row in filter(None, rows):
            sequence += 1
            row = {**row, "sequence": sequence, "previous_hash": previous}
            row["hash"] = previous = event_hash(row)
            self.insert(row)

    def sign_anew(self, node: str, key: Key, at: int | None = None):
        """Replaces the node's checkpoints by ones that fit its chain."""
        rows = {row["sequence"]: row for row in self.rows(node)}
        for old in self.checkpoints(node):
            self.run("DELETE FROM audit_checkpoint WHERE node = ? AND size = ?", node, old["size"])
            if old["size"] in rows:
                self.put_checkpoint(node, old["size"], rows[old["size"]]["hash"], at or old["at"], key)

    def put_checkpoint(self, node: str, size: int, digest: str, at: int, key: Key):
        self.run("INSERT OR REPLACE INTO audit_checkpoint (node, size, at, hash, note) VALUES (?, ?, ?, ?, ?)",
                 node, size, at, digest, key.checkpoint(node, size, digest, at))

    def put_cut(self, node: str, through: int, note: str):
        self.run("INSERT OR REPLACE INTO audit_cut (node, through, note) VALUES (?, ?, ?)", node, through, note)


def verify(data: Path, *options: str) -> dict:
    """The report of `audit verify`; its exit status is the one that fits."""
    done = instance.run("audit", "verify", "--data", str(data), *options, check=False)
    report = json.loads(done.stdout)
    assert done.returncode == (0 if report["valid"] else 1), done
    assert report["valid"] is (report["problems"] == [])
    return report


def kinds(report: dict) -> set[str]:
    return {problem["kind"] for problem in report["problems"]}


def now() -> int:
    return int(time.time() * 1000)
