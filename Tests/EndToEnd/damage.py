"""What a failing disk leaves of an embedded database."""

import sqlite3
from pathlib import Path


def overwrite_page(database: Path, part: str) -> None:
    """Overwrites the first page of a table or an index; nothing may have the database open."""
    connection = sqlite3.connect(database)
    [(size,)] = connection.execute("PRAGMA page_size")
    [(page,)] = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (part,))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    with open(database, "r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xff" * size)
