"""What a stream leaves behind when it is cut: nothing that outlives it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, cast

import grpc

from contree.server.host.watch import TooSlow
from contree.server.rpc.interceptors import Slowly, _wrapped
from contree.server.rpc.stalls import Context, Farewells


async def test_a_cut_stream_is_cleaned_up_before_its_call_is_over() -> None:
    cleaned: list[bool] = []

    async def answers(request: Any, context: Context) -> AsyncIterator[int]:
        try:
            while True:
                yield 1
        finally:
            await asyncio.sleep(0.01)
            cleaned.append(True)

    handler: Any = grpc.unary_stream_rpc_method_handler(answers)
    wrapped = _wrapped(handler, "/x", (), Slowly(), Farewells())
    stream = wrapped.unary_stream(None, cast(Context, object()))
    assert await anext(stream) == 1
    await stream.aclose()
    assert cleaned


async def test_last_words_are_waited_for_and_not_for_ever() -> None:
    heard: list[str] = []

    class Client:
        def __init__(self, reads: bool) -> None:
            self.reads = reads

        async def abort(self, *_: object) -> None:
            try:
                await asyncio.sleep(0.02 if self.reads else 3600)
                heard.append("told")
            except asyncio.CancelledError:
                heard.append("cancelled")
                raise

    farewells = Farewells()
    for reads in (True, False):
        farewells.say(cast(Context, Client(reads)), TooSlow())
    await asyncio.sleep(0)
    await asyncio.wait_for(farewells.over(0.2), 5)
    assert heard == ["told", "cancelled"]
