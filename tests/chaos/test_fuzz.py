"""Any message at all: the service answers or refuses, and never fails."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Final

import grpc
import pytest
from google.protobuf.message import Message
from grpc import aio
from hypothesis import HealthCheck, given
from hypothesis import settings as tries
from hypothesis import strategies as st
from tests.chaos.hostile import OUR_OWN, RawStream, act, channel, hello, told
from tests.chaos.mutants import damaged, messages
from tests.chaos.scale import FULL, pick
from tests.chaos.server import Server

from contree.v1 import match_service_pb2, play_service_pb2, rules_service_pb2
from contree.v1.play_service_pb2 import ClientMessage, PlayRequest

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(pick(400, 1800))]

EXAMPLES: Final = pick(150, 3_000)
fuzzed: Final = tries(
    max_examples=EXAMPLES,
    derandomize=not FULL,
    database=None,
    suppress_health_check=list(HealthCheck),
)
NOBODY: Final = 4_242
"""A seat that no client has."""
REFUSALS: Final = {
    grpc.StatusCode.ALREADY_EXISTS,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
}
HELLO: Final = PlayRequest(messages=[hello("fuzz", capacity=4)]).SerializeToString()
_UNARY: Final = [
    (service.full_name, method.name, method.input_type.name)
    for service in (
        match_service_pb2.DESCRIPTOR.services_by_name["MatchService"],
        rules_service_pb2.DESCRIPTOR.services_by_name["RulesService"],
    )
    for method in service.methods
    if not method.server_streaming
]


@pytest.fixture(scope="module")
def settings() -> dict[str, str]:
    """Without the limits of one caller: what they refuse is not looked at by what is tried here."""
    return {
        "CONTREE_FSYNC": "everysec",
        "CONTREE_HELLOS_PER_MINUTE": str(1_000_000),
        "CONTREE_QUERIES_PER_MINUTE": str(10_000_000),
        "CONTREE_MAX_MATCHES": str(1_000_000),
    }


@pytest.fixture
async def door(server: Server) -> AsyncIterator[aio.Channel]:
    async with channel(server.address) as opened:
        yield opened


@fuzzed
@given(said=st.lists(messages(ClientMessage), max_size=6))
async def test_anything_after_hello(door: aio.Channel, said: list[ClientMessage]) -> None:
    """Every message is taken, passed over or refused, and the next one heard."""
    async with RawStream(door) as stream:
        await stream.hello("fuzz")
        try:
            await stream.say(*said)
            await _heard(stream)
        except aio.AioRpcError as error:
            _check_refused(error)


@fuzzed
@given(first=messages(play_service_pb2.Hello))
async def test_any_hello(door: aio.Channel, first: play_service_pb2.Hello) -> None:
    async with RawStream(door) as stream:
        try:
            await stream.say(ClientMessage(hello=first))
            await stream.next("welcome")
            await _heard(stream)
        except aio.AioRpcError as error:
            _check_refused(error)


@fuzzed
@given(frames=st.lists(damaged(HELLO), min_size=1, max_size=3))
async def test_damaged_frames(door: aio.Channel, frames: list[bytes]) -> None:
    async with RawStream(door) as stream:
        try:
            for frame in frames:
                await stream.send(frame)
            await _heard(stream)
        except aio.AioRpcError as error:
            _check_refused(error)


@pytest.mark.parametrize(("service", "method", "kind"), _UNARY, ids=[one[1] for one in _UNARY])
@fuzzed
@given(data=st.data())
async def test_any_request(
    door: aio.Channel, service: str, method: str, kind: str, data: st.DataObject
) -> None:
    module: Any = match_service_pb2 if service.endswith("MatchService") else rules_service_pb2
    message: Message = data.draw(messages(getattr(module, kind)))
    call: Any = door.unary_unary(f"/{service}/{method}")
    try:
        await call(message.SerializeToString(), timeout=60)
    except aio.AioRpcError as error:
        _check_refused(error)


async def _heard(stream: RawStream) -> None:
    """The service is listening still."""
    await stream.say(act(NOBODY, b"last"))
    while (await stream.next("act_result")).act_result.decision_id != b"last":
        pass


def _check_refused(error: aio.AioRpcError) -> None:
    how = told(error)
    if how.text == OUR_OWN:
        return
    assert how.status in REFUSALS, how
    assert how.reason not in ("", "ERROR_REASON_RATE_LIMITED"), how
