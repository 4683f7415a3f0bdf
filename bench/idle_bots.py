"""Connected bots that wait for a seat: each a connection and a stream of its own.

``python bench/idle_bots.py ADDRESS COUNT`` connects them, prints a line, answers heartbeats, and
ends when its standard input does.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from typing import Any

import grpc
from grpc import aio

from contree.v1.play_service_pb2 import ClientMessage, HeartbeatAck, Hello, PlayRequest
from contree.v1.play_service_pb2_grpc import PlayServiceStub

_AT_ONCE = 50
# Channels to one address share a connection unless told otherwise.
_OPTIONS = (("grpc.use_local_subchannel_pool", 1),)


class IdleBot:
    """A bot that says Hello and answers heartbeats."""

    def __init__(self, address: str, number: int) -> None:
        self._channel = aio.insecure_channel(address, options=_OPTIONS)
        self._said: asyncio.Queue[ClientMessage] = asyncio.Queue()
        self._said.put_nowait(
            ClientMessage(hello=Hello(protocol_version=1, bot=f"idle-{number}", capacity=4))
        )
        stub: Any = PlayServiceStub(self._channel)  # its types are those of a blocking channel
        self._call = stub.Play(self._requests())

    async def _requests(self) -> AsyncIterator[PlayRequest]:
        while True:
            yield PlayRequest(messages=[await self._said.get()])

    async def welcome(self) -> None:
        """Wait until the server has answered Hello."""
        await self._call.read()

    async def leave(self) -> None:
        """Hang up."""
        self._call.cancel()
        await self._channel.close()

    async def stay(self) -> None:
        """Answer heartbeats until the stream ends."""
        while (response := await self._call.read()) is not grpc.aio.EOF:
            for message in response.messages:
                if message.HasField("heartbeat"):
                    ack = HeartbeatAck(nonce=message.heartbeat.nonce)
                    self._said.put_nowait(ClientMessage(heartbeat_ack=ack))


async def main(address: str, count: int) -> None:
    """Connect so many, say so, stay."""
    everybody: list[IdleBot] = []
    staying = []
    for start in range(0, count, _AT_ONCE):
        bots = [IdleBot(address, number) for number in range(start, min(start + _AT_ONCE, count))]
        await asyncio.gather(*(bot.welcome() for bot in bots))
        everybody += bots
        staying += [asyncio.create_task(bot.stay()) for bot in bots]
    print(count, flush=True)
    await asyncio.to_thread(sys.stdin.read)
    for task in staying:
        task.cancel()
    await asyncio.gather(*staying, return_exceptions=True)
    await asyncio.gather(*(bot.leave() for bot in everybody))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
