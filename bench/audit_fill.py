"""Fills the audit tables of a database that the service has made, past the service: minutes instead of hours."""

import sqlite3
import subprocess
from itertools import islice

from audit_rows import COLUMNS, NODE, Chain, Signer

BATCH = 20_000
CHECKPOINT = 1000


def batches(chain: Chain, signer: Signer):
    """Rows with the checkpoints that fall among them."""
    rows = chain.rows()
    while batch := list(islice(rows, BATCH)):
        yield batch, [signer.checkpoint(row[1], row[2], row[16]) for row in batch
                      if row[1] % CHECKPOINT == 0 or row[1] == chain.events]


def tally_rows(chain: Chain):
    return [(at, NODE, name, outcome, reason, count) for (at, name, outcome, reason), count in chain.tallies.items()]


def fill_sqlite(path: str, chain: Chain):
    signer = Signer(open(path.rpartition("/")[0] + "/audit-signing-key").read())
    database = sqlite3.connect(path, isolation_level=None)
    for setting in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -400000", "threads = 2",
                    "locking_mode = EXCLUSIVE"):
        database.execute(f"PRAGMA {setting}")
    # The indexes are built behind the rows; row by row they would take an hour.
    indexes = database.execute("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = 'audit_event' "
                               "AND sql IS NOT NULL").fetchall()
    for name, _ in indexes:
        database.execute(f"DROP INDEX {name}")
    places = ", ".join("?" * len(COLUMNS))
    database.execute("BEGIN")
    for rows, checkpoints in batches(chain, signer):
        database.executemany(f"INSERT INTO audit_event ({', '.join(COLUMNS)}) VALUES ({places})", rows)
        database.executemany("INSERT INTO audit_checkpoint (node, size, at, hash, note) VALUES (?, ?, ?, ?, ?)", checkpoints)
    database.executemany("INSERT INTO audit_tally (at, node, type, outcome, reason, events) VALUES (?, ?, ?, ?, ?, ?)",
                         tally_rows(chain))
    database.execute("INSERT INTO audit_tally_progress (node, sequence) VALUES (?, ?)", (NODE, chain.events))
    for _, text in indexes:
        database.execute(text)
    database.execute("COMMIT")
    database.execute("PRAGMA journal_mode = WAL")
    database.close()


def _copied(value) -> str:
    if value is None:
        return r"\N"
    return str(value).replace("\\", r"\\").replace("\n", r"\n").replace("\t", r"\t")


def fill_postgres(database: str, chain: Chain):
    def psql(*commands: str) -> str:
        words = [word for command in commands for word in ("-c", command)]
        return subprocess.run(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", database, *words], check=True, text=True,
                              stdout=subprocess.PIPE).stdout

    def copy(table: str, columns):
        return subprocess.Popen(["psql", "-Xq", "-v", "ON_ERROR_STOP=1", database, "-c",
                                 f"COPY {table} ({', '.join(columns)}) FROM STDIN"], stdin=subprocess.PIPE, text=True)

    def write(process, rows):
        process.stdin.write("".join("\t".join(map(_copied, row)) + "\n" for row in rows))

    def finish(process):
        process.stdin.close()
        if process.wait():
            raise RuntimeError("COPY failed")

    signer = Signer(psql("SELECT content FROM demo_material WHERE name = 'audit-signing-key'"))
    indexes = [line.split("|", 1) for line in psql(
        "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'audit_event' AND indexname <> 'audit_event_pkey'"
    ).splitlines()]
    psql(*[f"DROP INDEX {name}" for name, _ in indexes])
    notes = []
    process = copy("audit_event", COLUMNS)
    for rows, checkpoints in batches(chain, signer):
        write(process, rows)
        notes += checkpoints
    finish(process)
    for table, columns, rows in (
            ("audit_checkpoint", ("node", "size", "at", "hash", "note"), notes),
            ("audit_tally", ("at", "node", "type", "outcome", "reason", "events"), tally_rows(chain)),
            ("audit_tally_progress", ("node", "sequence"), [(NODE, chain.events)])):
        process = copy(table, columns)
        write(process, rows)
        finish(process)
    for _, text in indexes:
        psql(text)
    psql("VACUUM ANALYZE", "CHECKPOINT")
