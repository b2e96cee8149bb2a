#!/usr/bin/env python3
"""What pages cost that wait for a phone (docs/cross-device.md): processor and memory of one node.

    bench/waiting_pages.py [--pages 1000] [--seconds 30] [--binary PATH] [--redis redis://127.0.0.1:6379]

Starts `drawbridge demo --no-limits`, opens so many pages, each a browser of its own, and has them ask for news as the
page's script does: again when told to, on a new connection where the old one was closed. Some are kept waiting (`held`),
the others ask again when they are told to (`turned_away`). Goals: 1000 pages in at most 5 % of a core and 20 MB. With
--plain the connections alone: each asks for a page that waits for nothing, and stays open.
"""

import argparse
import asyncio
import json
import os
import re
import subprocess
import tempfile
import urllib.request

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


def held(management: str) -> int:
    """Pages that the server keeps waiting, as it says itself."""
    with urllib.request.urlopen(f"{management}/metrics") as answer:
        return int(float(re.search(r"^drawbridge_phone_sign_in_waiting (\S+)$", answer.read().decode(), re.M).group(1)))


class Connection:
    """A browser that looks at another page."""

    def __init__(self, port: int):
        self.port, self.answers, self.turned_away = port, 0, 0

    async def open(self):
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.writer.write(f"GET /session/signed-out HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n\r\n".encode())
        assert (await answer(self.reader))[0] == 200

    async def wait(self):
        await asyncio.Event().wait()


class Page:
    """A browser that waits for a phone."""

    def __init__(self, port: int):
        self.port, self.answers, self.turned_away = port, 0, 0
        self.writer = None

    async def ask(self, target: str, *headers: str) -> tuple[dict, bytes]:
        if self.writer is None:
            self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)
        lines = [f"GET {target} HTTP/1.1", f"Host: 127.0.0.1:{self.port}", *headers, "", ""]
        self.writer.write("\r\n".join(lines).encode())
        status, headers, body = await answer(self.reader)
        assert status == 200, (status, body)
        if headers.get("connection") == ["close"]:
            self.writer.close()
            self.writer = None
        return headers, body

    async def open(self):
        headers, _ = await self.ask("/signin/phone")
        self.cookie = next(value.split(";")[0] for value in headers["set-cookie"] if value.startswith("__Host-xd="))

    async def wait(self):
        while True:
            headers, body = await self.ask("/signin/phone/status?seen=created", f"Cookie: {self.cookie}")
            if json.loads(body)["state"] != "created":
                return
            self.answers += 1
            pause = headers.get("retry-after")
            self.turned_away += pause is not None
            await asyncio.sleep(int(pause[0]) if pause else 1)


async def measure(port: int, management: str, pid: int, count: int, seconds: int, visitor: type) -> dict:
    # Some pages first: what is made once is none of the waiting pages'.
    first = [Page(port) for _ in range(20)]
    for page in first:
        await page.open()
    await asyncio.sleep(3)
    idle_memory, idle_from = resident(pid), processor(pid)
    await asyncio.sleep(10)
    idle = (processor(pid) - idle_from) / 10
    pages = [visitor(port) for _ in range(count)]
    waiting = []
    for start in range(0, count, 50):
        opening = pages[start:start + 50]
        await asyncio.gather(*(page.open() for page in opening))
        # The page's script asks as soon as the page is there.
        waiting += [asyncio.create_task(page.wait()) for page in opening]
    await asyncio.sleep(5)
    before = processor(pid)
    answers, turned_away = sum(page.answers for page in pages), sum(page.turned_away for page in pages)
    most = 0.0
    for _ in range(seconds):
        await asyncio.sleep(1)
        most = max(most, resident(pid))
    used = (processor(pid) - before) / seconds
    turned_away = sum(page.turned_away for page in pages) - turned_away
    report = {
        "pages": count, "cpu_percent": round(used * 100, 1), "cpu_percent_idle": round(idle * 100, 1),
        "cpu_percent_of_pages": round((used - idle) * 100, 1), "memory_mb": round(resident(pid) - idle_memory, 1),
        "memory_mb_at_most": round(most - idle_memory, 1), "held": await asyncio.to_thread(held, management),
        "answers": sum(page.answers for page in pages) - answers, "turned_away": turned_away,
        "still_waiting": sum(not task.done() for task in waiting)}
    for task in waiting:
        task.cancel()
    for ended in await asyncio.gather(*waiting, return_exceptions=True):
        if not isinstance(ended, asyncio.CancelledError):
            raise ended or AssertionError("a page no longer waited")
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
            report = asyncio.run(
                measure(port, facts["management_url"], facts["pid"], options.pages, options.seconds, visitor))
            print(json.dumps(report))
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
