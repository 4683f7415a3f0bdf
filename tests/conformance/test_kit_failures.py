"""Where the kit itself fails, a check fails, the report says so, and the others are made."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import grpc
import pytest
from grpc import aio

from contree.conformance import Report, Verdict, check_bot
from contree.conformance.checks.base import Check
from contree.conformance.gateway import _UNREAD, Line
from contree.conformance.harness import Harness
from contree.conformance.script import Script
from contree.engine import Seat
from contree.v1.play_service_pb2 import (
    ClientMessage,
    Hello,
    PlayRequest,
    PlayResponse,
    Refused,
    ServerMessage,
)

PLAY = "/contree.v1.PlayService/Play"
WAIT_S = 60.0
Run = Callable[[Harness], Awaitable[str]]


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Awaitable[Report]]:
    """Makes these checks of a bot that dials in."""

    async def judge(*runs: Run) -> Report:
        checks = tuple(Check(run.__name__, "a check", run) for run in runs)
        monkeypatch.setattr("contree.conformance.judge.CHECKS", checks)
        return await check_bot("raw", None)

    return judge


async def fine(_: Harness) -> str:
    return "fine"


async def asserts(h: Harness) -> str:
    await h.stop_service()
    h.gateway.play()
    return "not reached"


async def asks_for_what_cannot_be(h: Harness) -> str:
    async with _Dialled(h):
        await h.seat(Seat.NORTH, rules="no-such-rules")
    return "not reached"


async def has_a_broken_script(h: Harness) -> str:
    async with _Dialled(h) as call:
        with h.script(_Broken()):
            await call.write(PlayRequest(messages=[ClientMessage()]))
            with pytest.raises(aio.AioRpcError) as ended:
                await _read_on(call)
            assert ended.value.code() is grpc.StatusCode.INTERNAL
    return "passed, as far as it saw"


async def says_too_much(h: Harness) -> str:
    async with _Dialled(h) as call:
        line = h.line
        assert line is not None
        for _ in range(2 * _UNREAD):
            line.say(ServerMessage(refused=Refused(reason="x" * 100)))
        assert line._outbox.qsize() == _UNREAD + 1
        with pytest.raises(aio.AioRpcError) as ended:
            await _read_on(call)
        assert ended.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    return "bounded"


async def dials_while_the_server_is_away(h: Harness) -> str:
    await h.stop_service()
    with pytest.raises(aio.AioRpcError) as ended:
        async with _Dialled(h):
            pass
    await h.start_service()
    assert ended.value.code() is grpc.StatusCode.UNAVAILABLE
    return "told"


@pytest.mark.parametrize(
    ("fails", "why"),
    [
        (asserts, "AssertionError"),
        (asks_for_what_cannot_be, "InvalidRules"),
        (has_a_broken_script, "KeyError: 'a fault of the kit'"),
    ],
)
async def test_a_failure_of_the_kit_fails_its_check(
    judged: Callable[..., Awaitable[Report]], fails: Run, why: str
) -> None:
    report = await judged(fine, fails, fine)
    assert [one.verdict for one in report.results] == [Verdict.PASS, Verdict.FAIL, Verdict.PASS]
    (failure,) = report.failed
    assert "could not be judged" in failure.note
    assert why in failure.note
    assert failure.section == ""


@pytest.mark.parametrize("check", [says_too_much, dials_while_the_server_is_away])
async def test_what_the_gateway_does(judged: Callable[..., Awaitable[Report]], check: Run) -> None:
    (result,) = (await judged(check)).results
    assert result.verdict is Verdict.PASS, result.note


class _Broken(Script):
    def up(self, line: Line, message: ClientMessage) -> Iterable[ClientMessage]:
        raise KeyError("a fault of the kit")


class _Dialled:
    """A bot of bare messages, welcomed; it reads no more by itself."""

    def __init__(self, h: Harness) -> None:
        self._channel = aio.insecure_channel(
            h.gateway.address, options=(("grpc.use_local_subchannel_pool", 1),)
        )

    async def __aenter__(self) -> Any:
        open_stream: Any = self._channel.stream_stream(
            PLAY,
            request_serializer=PlayRequest.SerializeToString,
            response_deserializer=PlayResponse.FromString,
        )
        call = open_stream(timeout=WAIT_S)
        hello = Hello(protocol_version=1, bot="raw", instance_id="one")
        try:
            await call.write(PlayRequest(messages=[ClientMessage(hello=hello)]))
            while not any(one.HasField("welcome") for one in (await call.read()).messages):
                pass
        except BaseException:
            await self._channel.close()
            raise
        return call

    async def __aexit__(self, *_: object) -> None:
        await self._channel.close()


async def _read_on(call: Any) -> None:
    while await call.read() is not aio.EOF:
        pass
