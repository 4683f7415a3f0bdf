"""Bad clients are refused with status and reason, and a healthy table beside them plays on."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Final

import grpc
import pytest
from grpc import aio
from tests.chaos.arena import LEAST, Arena
from tests.chaos.hostile import ANSWER_S, OUR_OWN, RawStream, Told, act, channel, hello, told
from tests.chaos.scale import choices, pick
from tests.chaos.waiting import until

from contree.v1 import play_service_pb2
from contree.v1.play_service_pb2 import ClientMessage

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(pick(400, 900))]

INVALID: Final = (grpc.StatusCode.INVALID_ARGUMENT, "ERROR_REASON_INVALID_ARGUMENT")
HELLO_EXPECTED: Final = (grpc.StatusCode.INVALID_ARGUMENT, "ERROR_REASON_HELLO_EXPECTED")
TOO_SLOW: Final = (grpc.StatusCode.RESOURCE_EXHAUSTED, "ERROR_REASON_TOO_SLOW")
LIMITED: Final = (
    (grpc.StatusCode.RESOURCE_EXHAUSTED, "ERROR_REASON_RATE_LIMITED"),
    (grpc.StatusCode.RESOURCE_EXHAUSTED, "ERROR_REASON_CAPACITY"),
)
IDLE: Final = pick(1_000, 10_000)
A_CONNECTION: Final = 500
"""Streams."""
DEAF: Final = 5
TRIES: Final = 4
"""Late readers, of which one has to be told."""


@pytest.fixture
async def door(arena: Arena) -> AsyncIterator[aio.Channel]:
    async with channel(arena.address) as opened:
        yield opened


# -- frames ----------------------------------------------------------------------------------------


async def test_random_bytes_in_place_of_hello(arena: Arena, door: aio.Channel) -> None:
    noise = choices("noise")

    async def attack() -> None:
        async with RawStream(door) as stream:
            await stream.send(b"\xff" + noise.randbytes(noise.randrange(2000)))
            assert (await stream.end())[:2] == INVALID

    await attack()
    assert await arena.withstands("random bytes first", attack) >= LEAST


async def test_random_bytes_after_hello(arena: Arena, door: aio.Channel) -> None:
    noise = choices("noise")

    async def attack() -> None:
        async with RawStream(door) as stream:
            await stream.say(hello("noisy"))
            end = await _welcome(stream)
            if end is None:
                await stream.send(b"\xff" + noise.randbytes(noise.randrange(2000)))
                assert (await stream.end())[:2] == INVALID
            else:
                assert end[:2] in LIMITED

    await attack()
    assert await arena.withstands("random bytes later", attack) >= LEAST


async def test_frames_of_64_megabytes(arena: Arena) -> None:
    frame = bytes(64 << 20)
    before = arena.server.memory_mb()

    async def attack() -> None:
        async with channel(arena.address) as door, RawStream(door) as stream:
            await stream.send(frame)
            assert (await stream.end()).status is grpc.StatusCode.RESOURCE_EXHAUSTED

    await attack()
    ratio = await arena.withstands("frames of 64 MB", attack)
    grown = arena.server.memory_mb() - before
    print(f"the server grew by {grown:.0f} MB")
    assert grown < 200
    assert ratio >= LEAST


async def test_unknown_fields_are_passed_over(arena: Arena, door: aio.Channel) -> None:
    unknown = b"\xfa\x7f\x05later"  # field 2047

    async with RawStream(door) as stream:
        body = hello("later").hello.SerializeToString() + unknown
        await stream.say(ClientMessage(hello=play_service_pb2.Hello.FromString(body)))
        await stream.next("welcome")
        await stream.send(unknown)
        await stream.say(ClientMessage.FromString(unknown), act(7, b"x"))
        result = (await stream.next("act_result")).act_result
        assert result.status == play_service_pb2.ACT_STATUS_UNKNOWN_SEAT
    assert arena.server.alive


# -- order -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "first",
    [
        ClientMessage(),
        ClientMessage(ready=play_service_pb2.Ready(seat_ref=1)),
        act(1, b"x"),
        ClientMessage(heartbeat_ack=play_service_pb2.HeartbeatAck(nonce=1)),
        ClientMessage(resign=play_service_pb2.Resign(seat_ref=1)),
        ClientMessage(leave=play_service_pb2.Leave()),
    ],
    ids=["nothing", "ready", "act", "ack", "resign", "leave"],
)
async def test_anything_before_hello(door: aio.Channel, first: ClientMessage) -> None:
    async with RawStream(door) as stream:
        await stream.say(first)
        assert (await stream.end())[:2] == HELLO_EXPECTED


async def test_a_stream_without_a_message(door: aio.Channel) -> None:
    async with RawStream(door) as stream:
        await stream.call.done_writing()
        assert (await stream.end())[:2] == HELLO_EXPECTED


async def test_hello_twice_is_refused_and_the_stream_goes_on(door: aio.Channel) -> None:
    async with RawStream(door) as stream:
        await stream.hello("twice")
        await stream.say(hello("twice"))
        assert "Hello" in (await stream.next("refused")).refused.reason
        await stream.say(act(7, b"x"))
        await stream.next("act_result")


# -- floods ----------------------------------------------------------------------------------------


async def test_streams_that_say_nothing(arena: Arena) -> None:
    """So many at all times: each that is ended is opened again."""
    how: set[tuple[object, str]] = set()
    over = asyncio.Event()

    async def keep(door: aio.Channel) -> None:
        while not over.is_set():
            async with RawStream(door) as stream:
                how.add((await stream.end())[:2])

    async with AsyncExitStack() as stack:
        doors = [
            await stack.enter_async_context(channel(arena.address))
            for _ in range(-(-IDLE // A_CONNECTION))
        ]
        kept = [asyncio.create_task(keep(doors[number % len(doors)])) for number in range(IDLE)]
        opening = await arena.attacked()
        during = [window for _ in range(6) for window in await arena.attacked()]
        opened = await arena.server.metric("contree_streams")
        over.set()
        for task in kept:
            task.cancel()
        await asyncio.wait(kept, timeout=ANSWER_S)
    alone = await arena.alone(during)
    arena.compared(f"{IDLE} silent streams, all opened in one moment", opening, alone)
    share = arena.compared(f"{IDLE} silent streams", during, alone)
    assert how <= {HELLO_EXPECTED, *LIMITED}
    assert how, "none was told"
    assert opened <= 2, "a stream counts from its Hello on"
    assert share >= LEAST


async def test_a_flood_of_hellos(arena: Arena, door: aio.Channel) -> None:
    hellos = 64

    async def once(number: int) -> Told | None:
        async with RawStream(door) as stream:
            await stream.say(hello("flood", instance_id=f"i{number}"))
            return await _welcome(stream)

    async def attack() -> None:
        for end in await asyncio.gather(*(once(number) for number in range(hellos))):
            assert end is None or end[:2] in LIMITED

    await attack()
    assert await arena.withstands("a flood of hellos", attack) >= LEAST


async def test_a_flood_of_hellos_on_one_stream(arena: Arena, door: aio.Channel) -> None:
    flood = [hello("again")] * 5_000

    async def attack() -> None:
        try:
            async with RawStream(door) as stream:
                await stream.hello("again")
                await stream.say(*flood)
                await stream.end()
        except aio.AioRpcError as error:
            # So many streams a minute are what one address may open.
            if told(error)[:2] not in LIMITED:
                raise

    assert await arena.withstands("a flood of hellos on one stream", attack) >= LEAST


async def test_an_instance_that_supersedes_itself(arena: Arena, door: aio.Channel) -> None:
    async def supersede() -> None:
        async with RawStream(door) as old, RawStream(door) as new:
            await old.hello("fickle", instance_id="one")
            await new.hello("fickle", instance_id="one")
            await old.next("superseded")
            assert (await old.end()).status is grpc.StatusCode.OK

    async def attack() -> None:
        try:
            await supersede()
        except aio.AioRpcError as error:
            # So many streams a minute are what one address may open.
            if told(error)[:2] not in LIMITED:
                raise

    await supersede()
    assert await arena.withstands("supersedes itself", attack) >= LEAST


# -- actions ---------------------------------------------------------------------------------------


async def test_actions_of_others_and_of_the_past(arena: Arena, door: aio.Channel) -> None:
    """A bot of two seats: the decision of one sent for the other, and old ones sent again."""
    status = play_service_pb2.ActStatus
    async with RawStream(door) as stream:
        await stream.hello("cheat", practice=play_service_pb2.Practice(deals=1))
        for _ in range(2):
            ref = (await stream.next("seat_assigned")).seat_assigned.seat_ref
            await stream.say(ClientMessage(ready=play_service_pb2.Ready(seat_ref=ref)))
        turn = (await stream.next("turn")).turn
        mine, other = turn.seat_ref, 3 - turn.seat_ref
        answer = ClientMessage(
            act=play_service_pb2.Act(seat_ref=mine, decision_id=turn.decision.id)
        )
        answer.act.action.call.CopyFrom(turn.decision.calls[0])
        stolen = ClientMessage()
        stolen.CopyFrom(answer)
        stolen.act.seat_ref = other

        async def result(message: ClientMessage) -> int:
            await stream.say(message)
            return int((await stream.next("act_result")).act_result.status)

        assert await result(stolen) == status.ACT_STATUS_STALE
        assert await result(act(mine, random.Random(1).randbytes(12))) == status.ACT_STATUS_STALE
        assert await result(act(99, turn.decision.id)) == status.ACT_STATUS_UNKNOWN_SEAT
        assert await result(answer) == status.ACT_STATUS_ACCEPTED
        assert await result(answer) == status.ACT_STATUS_DUPLICATE

        async def attack() -> None:
            await stream.say(*[answer, stolen] * 500)
            for _ in range(1_000):
                replayed = (await stream.next("act_result")).act_result.status
                assert replayed in (
                    status.ACT_STATUS_DUPLICATE,
                    status.ACT_STATUS_STALE,
                    status.ACT_STATUS_LATE,  # its clock runs out meanwhile, the house plays on,
                    status.ACT_STATUS_UNKNOWN_SEAT,  # to the end
                )

        assert await arena.withstands("replayed actions", attack) >= LEAST


async def test_actions_of_bots_that_break_off(arena: Arena) -> None:
    """Each says the same action many times, and is gone before it can be told of any."""
    moment = choices("break off")
    broken = 0

    async def break_off() -> None:
        nonlocal broken
        async with channel(arena.address) as door, RawStream(door) as stream:
            await stream.hello("hasty", practice=play_service_pb2.Practice(deals=1))
            for _ in range(2):
                ref = (await stream.next("seat_assigned")).seat_assigned.seat_ref
                await stream.say(ClientMessage(ready=play_service_pb2.Ready(seat_ref=ref)))
            turn = (await stream.next("turn")).turn
            answer = act(turn.seat_ref, turn.decision.id)
            answer.act.action.call.CopyFrom(turn.decision.calls[0])
            await stream.say(*[answer] * 120)
            # Before they are read, while they wait for the store, or when they are answered.
            await asyncio.sleep(moment.uniform(0, 0.03))
        broken += 1

    async def attack() -> None:
        try:
            await break_off()
        except aio.AioRpcError as error:
            # So many streams a minute, and matches, are what one address may have.
            if told(error)[:2] not in LIMITED:
                raise

    share = await arena.withstands("breaks off with actions under way", attack)
    print(f"{broken} bots broke off")
    assert arena.server.alive, arena.server.last_words()
    assert broken > 20
    assert await arena.server.metric("contree_telling_failures_total") == 0
    assert share >= LEAST


# -- readers ---------------------------------------------------------------------------------------


async def test_a_reader_that_reads_too_late_is_told(arena: Arena) -> None:
    async def late() -> Told:
        async with channel(arena.address, narrow=True) as door, RawStream(door) as stream:
            await _deaf(stream)
            return await stream.end()

    ends = [await late()]
    # It was ended in the middle of what it said, and its own gRPC has lost why.
    while ends[-1].text == OUR_OWN and len(ends) < TRIES:
        ends.append(await late())
    print(f"{len(ends) - 1} of {len(ends)} readers were not told")
    assert ends[-1][:2] == TOO_SLOW


async def test_readers_that_never_read_hold_nothing(arena: Arena) -> None:
    """Their streams end at the server, though they never learn of it."""
    empty = arena.server.memory_mb()
    streams = await arena.server.metric("contree_streams")
    async with AsyncExitStack() as stack:
        for _ in range(DEAF):
            door = await stack.enter_async_context(channel(arena.address, narrow=True))
            await _deaf(await stack.enter_async_context(RawStream(door)))
        during = await arena.attacked()
        grown = arena.server.memory_mb() - empty
        left = arena.server.metric_of("contree_streams")
        share = arena.compared(f"{DEAF} deaf readers", during, await arena.alone(during))
        print(f"the server grew by {grown:.0f} MB")
        assert share >= LEAST
        assert grown < 100
        await until(lambda: left() <= streams, 90, "the streams of deaf readers end")


# -- the house -------------------------------------------------------------------------------------


async def test_a_deserted_match_leaves_the_others_their_time(arena: Arena) -> None:
    """The house plays it to its end, which is far away."""
    async with channel(arena.address) as door, RawStream(door) as stream:
        await stream.hello("deserter", practice=play_service_pb2.Practice(deals=1_000))
        for _ in range(2):
            ref = (await stream.next("seat_assigned")).seat_assigned.seat_ref
            await stream.say(ClientMessage(resign=play_service_pb2.Resign(seat_ref=ref)))
        during = await arena.attacked()
    share = arena.compared("a deserted match", during, await arena.alone(during))
    assert share >= LEAST


# -- keys ------------------------------------------------------------------------------------------
# Expired, revoked and unknown keys, and keys of another role, belong here.


# -- helpers ---------------------------------------------------------------------------------------


async def _welcome(stream: RawStream) -> Told | None:
    """Wait for Welcome; what was told in its place, if anything."""
    try:
        await stream.next("welcome")
    except aio.AioRpcError as error:
        return told(error)
    return None


async def _deaf(stream: RawStream) -> None:
    """Ask for more answers than wait for a slow reader, and read none."""
    await stream.hello("deaf")
    for _ in range(150):
        if not await stream.say(*[act(7, b"x" * 12)] * 500):
            return
