#!/usr/bin/env python3
"""Counts what a request asks of PostgreSQL: how often the program waits for its answers, statements, and bytes of its log.

    bench/postgres_waits.py --after .build/release/drawbridge [--before OLD/drawbridge] [--road redeem check]

One request after another, through a relay that reads along: a wait is an answer that comes after a question.
"""

import argparse
import asyncio
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

from roads import FIRST, ROADS, Load, left_browsers, spent

# isort: split
from server import Drawbridge
from servers import Postgres

#: Of the startup message (PostgreSQL's protocol, "Message Formats"); what comes before it has another number.
PROTOCOL = 3 << 16


class Relay:
    """Between the program and its database, on a port of its own."""

    def __init__(self, port: int):
        self.waits = self.statements = 0
        self._to, self._ready = port, threading.Event()
        threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True).start()
        self._ready.wait()

    async def _serve(self):
        server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await server.serve_forever()

    async def _connect(self, reader, writer):
        its_reader, its_writer = await asyncio.open_connection("127.0.0.1", self._to)
        asked = False

        async def questions():
            nonlocal asked
            text, has_begun = b"", False
            while piece := await reader.read(65536):
                asked, text = True, text + piece
                text, has_begun = self._read(text, has_begun)
                its_writer.write(piece)
            its_writer.close()

        async def answers():
            nonlocal asked
            while piece := await its_reader.read(65536):
                self.waits += asked
                asked = False
                writer.write(piece)
            writer.close()

        await asyncio.gather(questions(), answers(), return_exceptions=True)

    def _read(self, text: bytes, has_begun: bool) -> tuple[bytes, bool]:
        """Counts the whole messages; what is left of the text, and whether the startup message was among them."""
        while len(text) >= 5 + 3 * (not has_begun):
            start = 1 if has_begun else 0
            end = start + int.from_bytes(text[start:start + 4], "big")
            if len(text) < end:
                break
            if has_begun:
                self.statements += text[:1] in (b"E", b"Q")
            else:
                has_begun = int.from_bytes(text[4:8], "big") == PROTOCOL
            text = text[end:]
        return text, has_begun


def counted(server: Postgres, binary: Path, road: str, requests: int) -> dict[str, float]:
    name = f"count_{time.monotonic_ns()}"
    url = server.create(name)
    relay = Relay(urlsplit(url).port)
    through = url.replace(f":{urlsplit(url).port}/", f":{relay.port}/")

    def counts() -> dict[str, int]:
        [[log]] = server.query("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn")
        return {"waits": relay.waits, "statements": relay.statements, "bytes": int(log)}

    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        left = left_browsers(binary, data, road, FIRST + requests, url)
        with Drawbridge(binary, data, through) as service:
            return spent(Load(service, left).walks(road, FIRST + requests), counts)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", type=Path, help="left out, the other build is counted alone")
    parser.add_argument("--after", type=Path, required=True)
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--road", nargs="+", choices=ROADS, default=list(ROADS))
    arguments = parser.parse_args()
    with Postgres() as server:
        for road in arguments.road:
            for binary in filter(None, [arguments.before, arguments.after]):
                found = counted(server, binary, road, arguments.requests)
                print(f"{ROADS[road].name}: {found['waits']:.1f} waits, {found['statements']:.1f} statements, "
                      f"{found['bytes']:,.0f} bytes of log", flush=True)


if __name__ == "__main__":
    main()
