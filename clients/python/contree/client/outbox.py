"""What waits to be said on a stream."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from contree.v1.play_service_pb2 import ClientMessage
from contree.wire import frame_to_bytes


class Outbox:
    """What is put in during one pass of the event loop goes out as one request."""

    def __init__(self) -> None:
        self._messages: list[ClientMessage | bytes] = []
        self._wake: asyncio.Future[None] | None = None
        self._closed = False

    def put(self, message: ClientMessage | bytes) -> None:
        """Say something, serialized already or not; dropped when the outbox is closed."""
        if not self._closed:
            self._messages.append(message)
            self._notify()

    def close(self) -> None:
        """Say what is there, then no more."""
        self._closed = True
        self._notify()

    async def requests(self) -> AsyncIterator[bytes]:
        """The requests of the stream, serialized, as they come."""
        while True:
            if self._messages:
                messages, self._messages = self._messages, []
                yield frame_to_bytes(messages)
            elif self._closed:
                return
            else:
                self._wake = asyncio.get_running_loop().create_future()
                await self._wake

    def _notify(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)
