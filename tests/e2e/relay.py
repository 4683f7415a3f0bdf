"""Stands between bots and a server, and takes away of what is said to them."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any, Self

import grpc
from grpc import aio

from contree.v1.play_service_pb2 import PlayResponse

_PLAY = "/contree.v1.PlayService/Play"


class Relay(grpc.GenericRpcHandler):
    """Passes Play streams on to ``target``. What the server says goes through ``spoil``, with the
    number of the stream from 1, which returns what is left of the frame, and whether the stream
    goes on after it; else it ends in good order.
    """

    def __init__(
        self, target: str, spoil: Callable[[int, PlayResponse], tuple[PlayResponse, bool]]
    ) -> None:
        self.address = ""
        self.streams = 0
        self._target = target
        self._spoil = spoil

    @contextlib.asynccontextmanager
    async def listening(self) -> AsyncIterator[Self]:
        server = aio.server()
        server.add_generic_rpc_handlers((self,))
        self.address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
        await server.start()
        try:
            yield self
        finally:
            await server.stop(None)

    def service(self, details: Any) -> Any:
        """What answers a call; None for other methods than Play."""
        return (
            grpc.stream_stream_rpc_method_handler(self._play) if details.method == _PLAY else None
        )

    async def _play(self, requests: Any, context: Any) -> AsyncIterator[bytes]:
        self.streams += 1
        number = self.streams
        async with aio.insecure_channel(self._target) as channel:
            call: Any = channel.stream_stream(_PLAY)(
                requests, metadata=context.invocation_metadata()
            )
            try:
                async for data in call:
                    left, goes_on = self._spoil(number, PlayResponse.FromString(data))
                    if left.messages:
                        yield left.SerializeToString()
                    if not goes_on:
                        return
            except aio.AioRpcError as error:
                await context.abort(error.code(), error.details() or "")
            finally:
                call.cancel()
