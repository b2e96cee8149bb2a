"""Connections to nodes that are used again: histories of millions of operations open no millions of connections."""

import asyncio
from collections import defaultdict

import simultaneous


class Connections:
    """Those that are idle, by the port of their node. One that ended while it was idle is not used."""

    def __init__(self):
        self.idle: defaultdict[int, list[simultaneous.Connection]] = defaultdict(list)

    async def ask(self, port: int, send) -> simultaneous.Raw | None:
        """What `send(connection)` gives; None where no answer came, or the node could not decide: it may have happened
        all the same."""
        connection = None
        try:
            connection = await self._take(port)
            answer = await send(connection)
        except simultaneous.Lost:
            self._drop(connection)
            return None
        except asyncio.CancelledError:
            # The answer is still to come, and is nobody's.
            self._drop(connection)
            raise
        if b"\r\nconnection: close" in answer.head.lower():
            self._drop(connection)
        else:
            self.idle[port].append(connection)
        return None if answer.status >= 500 else answer

    async def _take(self, port: int) -> simultaneous.Connection:
        idle = self.idle[port]
        while idle:
            connection = idle.pop()
            if not connection.has_ended:
                return connection
            self._drop(connection)
        connection = simultaneous.Connection(port)
        await connection.open()
        return connection

    @staticmethod
    def _drop(connection: simultaneous.Connection | None):
        if connection and connection.writer:
            connection.writer.close()
