"""The databases that earlier versions left, in both engines (upgrades/make.py)."""

import sqlite3
from contextlib import closing
from pathlib import Path

from servers import Postgres

FIXTURES = Path(__file__).parent / "upgrades"


class SQLite:
    flags: tuple = ()

    def __init__(self, data: Path, dump: str):
        self.path = data / "drawbridge.sqlite"
        with closing(sqlite3.connect(self.path)) as database:
            database.executescript(dump)
        self.path.chmod(0o600)

    def query(self, sql: str) -> list:
        with closing(sqlite3.connect(self.path)) as database, database:
            return [[str(value) for value in row] for row in database.execute(sql)]

    def change(self, statements: list[str]):
        with closing(sqlite3.connect(self.path)) as database:
            database.executescript(";\n".join(["BEGIN", *statements, "COMMIT"]))

    def columns(self) -> list:
        return self.query("SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c WHERE m.type = 'table'")


class PostgreSQL:
    def __init__(self, server: Postgres, name: str, dump: str):
        self.server, self.name = server, f"upgrade_{name.partition('-')[0]}"
        self.flags = ("--database", server.create(self.name))
        self.query(dump)

    def query(self, sql: str) -> list:
        return self.server.query(sql, self.name)

    def change(self, statements: list[str]):
        self.query(";\n".join(statements))

    def columns(self) -> list:
        return self.query("SELECT table_name, column_name FROM information_schema.columns WHERE data_type = 'bigint' "
                          "AND table_schema = (SELECT schemaname FROM pg_tables WHERE tablename = 'web_session')")
