"""Many requests at once over raw sockets: asyncio, HTTP/1.1 keep-alive, one request in flight per connection."""

import asyncio
import json
from dataclasses import dataclass
from urllib.parse import urlencode

import instance
import native
import wire
from native import App


class Lost(Exception):
    """The connection ended before a whole answer came: nothing was acknowledged."""


@dataclass(frozen=True)
class Raw:
    status: int
    head: bytes
    body: bytes

    def json(self) -> dict:
        return json.loads(self.body)

    @property
    def session_cookie(self) -> str | None:
        for line in self.head.split(b"\r\n"):
            name, _, value = line.partition(b":")
            if name.lower() == b"set-cookie" and value.strip().startswith(wire.SESSION_COOKIE.encode() + b"="):
                return value.strip().split(b";")[0].decode()
        return None


class Connection:
    def __init__(self, port: int, source: str | None = None):
        """`source` is the address of loopback that the connection comes from."""
        self.port = port
        self.local = (source, 0) if source else None
        self.reader: asyncio.StreamReader | None = None
        self.writer: asyncio.StreamWriter | None = None

    async def open(self):
        try:
            self.reader, self.writer = await asyncio.open_connection(
                "127.0.0.1", self.port, local_addr=self.local)
        except OSError as error:
            raise Lost from error

    @property
    def has_ended(self) -> bool:
        return self.writer.is_closing() or self.reader.at_eof()

    async def __aenter__(self):
        await self.open()
        return self

    async def __aexit__(self, *_):
        self.writer.close()

    async def request(self, method: str, target: str, headers: dict, body: bytes = b"") -> Raw:
        headers = {"Host": f"127.0.0.1:{self.port}", **headers}
        lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
        if method == "POST" or body:
            lines.append(f"Content-Length: {len(body)}")
        try:
            self.writer.write(("\r\n".join(lines) + "\r\n\r\n").encode() + body)
            await self.writer.drain()
            async with asyncio.timeout(30):
                return await self._answer(method)
        except (OSError, asyncio.IncompleteReadError, TimeoutError, ValueError) as error:
            raise Lost(repr(error)) from error

    async def _answer(self, method: str) -> Raw:
        head = await self.reader.readuntil(b"\r\n\r\n")
        status = int(head.split(b" ", 2)[1])
        if method == "HEAD":
            return Raw(status, head, b"")
        length = next((int(line.split(b":")[1]) for line in head.lower().split(b"\r\n")
                       if line.startswith(b"content-length:")), None)
        if length is not None:
            return Raw(status, head, await self.reader.readexactly(length))
        body = b""
        if b"transfer-encoding: chunked" in head.lower():
            while size := int(await self.reader.readuntil(b"\r\n"), 16):
                body += await self.reader.readexactly(size)
                await self.reader.readexactly(2)
            await self.reader.readexactly(2)
        return Raw(status, head, body)

    async def post_issue(self, bearer: str, fields: dict | None = None) -> Raw:
        body = json.dumps(fields).encode() if fields else b""
        headers = {"Authorization": f"Bearer {bearer}", **({"Content-Type": "application/json"} if fields else {})}
        return await self.request("POST", instance.ISSUE, headers, body)

    async def issue(self, bearer: str, fields: dict | None = None) -> dict | None:
        answer = await self.post_issue(bearer, fields)
        return answer.json() if answer.status == 200 else None

    async def redeem(self, token: str, user_agent: str = wire.FIREFOX) -> Raw:
        headers = {**wire.NAVIGATION, "User-Agent": user_agent}
        return await self.request("GET", f"{instance.REDEEM}?{urlencode({'token': token})}", headers)


async def at_once(ports: int | list[int], requests: list, source: str | None = None) -> list[Raw]:
    """Opens one connection per request first, to the ports in turn, then sends all requests together."""
    ports = ports if isinstance(ports, list) else [ports]
    connections = [Connection(ports[number % len(ports)], source) for number in range(len(requests))]
    for start in range(0, len(connections), 100):
        await asyncio.gather(*(connection.open() for connection in connections[start:start + 100]))
    try:
        return await asyncio.gather(*(send(connection) for send, connection in zip(requests, connections)))
    finally:
        for connection in connections:
            connection.writer.close()


def form(**parameters) -> bytes:
    return urlencode(parameters).encode()


def token_request(**parameters):
    headers = {"Content-Type": wire.FORM}
    return lambda connection: connection.request("POST", "/oauth/token", headers, form(**parameters))


def revocation_request(app: App):
    """Of its device's secret."""
    return lambda connection: connection.request(
        "POST", "/oauth/revoke", {"Content-Type": wire.FORM}, form(token=app.tokens["device_secret"], client_id="demo-app"))


def exchange_request(app: App, asking: str = "demo-webview"):
    return token_request(
        grant_type=native.EXCHANGE, client_id=asking, subject_token=app.tokens["access_token"],
        subject_token_type=native.ACCESS_TOKEN, actor_token=app.tokens["device_secret"],
        actor_token_type=native.DEVICE_SECRET)
