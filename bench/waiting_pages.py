#!/usr/bin/env python3
"""What pages cost that wait for a phone (docs/cross-device.md): processor and memory of one node.

    bench/waiting_pages.py [--pages 1000] [--seconds 30] [--binary PATH] [--redis redis://127.0.0.1:6379]

Starts `drawbridge demo --no-limits`, opens so many pages, each a browser of its own, and holds their questions for news.
Goals: 1000 pages in at most 5 % of a core and 20 MB. With --plain the connections alone: each asks for a page that waits
for nothing, and stays open.
"""

import argparse
import asyncio
import json
import os
import re
import subprocess
import tempfile

TICKS = os.sysconf("SC_CLK_TCK")


def resident(pid: int) -> float:
    """MB that the process holds."""
    with open(f"/proc/{pid}/smaps_rollup") as file:
        return int(re.search(r"^Rss:\s+(\d+)", file.read(), re.M).group(1)) / 1024


def processor(pid: int) -> float:
    """Seconds that the process has used."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


async def answer(reader) -> tuple[int, dict, bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers: dict[str, list[str]] = {}
    for line in head[1:]:
        if line:
            name, value = line.split(":", 1)
            headers.setdefault(name.lower(), []).append(value.strip())
    if "content-length" in headers:
        body = await reader.readexactly(int(headers["content-length"][0]))
    else:
        body = b""
        while size := int(await reader.readline(), 16):
            body += await reader.readexactly(size)
            await reader.readexactly(2)
        await reader.readexactly(2)
    return int(head[0].split()[1]), headers, body


class Connection:
    """A browser that looks at another page."""

    def __init__(self, port: int):
        self.port, self.polls = port, 0

    async def open(self):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.writer.write(f"GET /session/signed-out HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n".encode())
        assert (await answer(self.reader))[0] == 200

    async def wait(self):
        await asyncio.Event().wait()


class Page:
    def __init__(self, port: int):
        self.port, self.polls = port, 0

    async def open(self):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.writer.write(f"GET /signin/phone HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n".encode())
        status, headers, _ = await answer(self.reader)
        assert status == 200, status
        self.cookie = next(value.split(";")[0] for value in headers["set-cookie"] if value.startswith("__Host-xd="))

    async def wait(self):
        while True:
            self.writer.write(
                f"GET /signin/phone/status?seen=created HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
                f"Cookie: {self.cookie}\r\n\r\n".encode())
            status, _, body = await answer(self.reader)
            assert status == 200, (status, body)
            self.polls += 1
            if json.loads(body)["state"] != "created":
                return
            await asyncio.sleep(1)


async def measure(port: int, pid: int, count: int, seconds: int, visitor: type) -> dict:
    # One page first: what is made once is none of the waiting pages'.
    first = [Page(port) for _ in range(20)]
    for page in first:
        await page.open()
    await asyncio.sleep(3)
    idle_memory, idle_from = resident(pid), processor(pid)
    await asyncio.sleep(10)
    idle = (processor(pid) - idle_from) / 10
    pages = [visitor(port) for _ in range(count)]
    for start in range(0, count, 50):
        await asyncio.gather(*(page.open() for page in pages[start:start + 50]))
    waiting = [asyncio.create_task(page.wait()) for page in pages]
    await asyncio.sleep(5)
    before, polls = processor(pid), sum(page.polls for page in pages)
    await asyncio.sleep(seconds)
    used = (processor(pid) - before) / seconds
    report = {
        "pages": count, "cpu_percent": round(used * 100, 1), "cpu_percent_idle": round(idle * 100, 1),
        "cpu_percent_of_pages": round((used - idle) * 100, 1), "memory_mb": round(resident(pid) - idle_memory, 1),
        "polls_answered": sum(page.polls for page in pages) - polls,
        "still_waiting": sum(not task.done() for task in waiting)}
    for task in waiting:
        task.cancel()
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--binary", default=".build/release/drawbridge")
    parser.add_argument("--plain", action="store_true", help="connections that wait for nothing")
    parser.add_argument("--redis")
    parser.add_argument("--database")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        command = [options.binary, "demo", "--no-limits", "--print-json", "--listen", "127.0.0.1:0", "--data", folder]
        if options.redis:
            command += ["--redis", options.redis]
        if options.database:
            command += ["--database", options.database]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            facts = json.loads(server.stdout.readline())
            port = int(facts["base_url"].rsplit(":", 1)[1])
            visitor = Connection if options.plain else Page
            report = asyncio.run(measure(port, facts["pid"], options.pages, options.seconds, visitor))
            print(json.dumps(report))
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
