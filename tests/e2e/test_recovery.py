"""kill -9 of the server in the middle of matches: they go on from their last committed move."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import grpc
import pytest
from tests.e2e.playing import LABEL, Player, all_matches, check_records, dial
from tests.e2e.server_process import ServerProcess
from tests.rpc.conftest import RawBot, board
from tests.rpc.keyed import Given, KeyRing, refused, unauthenticated

from contree.server.access import Role, new_token
from contree.server.store import connect, embedded_store
from contree.v1 import match_pb2, match_service_pb2_grpc, play_service_pb2

MATCHES = 6
ACTS_BEFORE_THE_KILL = 40


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    server = ServerProcess(tmp_path, environment={"CONTREE_DRAIN_S": "1"})
    server.start()
    yield server
    if server.alive:
        assert server.stop() == 0


async def test_13_killed_matches_go_on_from_their_last_committed_move(
    server: ServerProcess,
) -> None:
    player = Player()
    async with grpc.aio.insecure_channel(server.address) as channel:
        matches: Any = match_service_pb2_grpc.MatchServiceStub(channel)
        bot = RawBot(channel)
        await bot.hello(instance="one")
        for number in range(1, MATCHES + 1):
            await matches.CreateMatch(board(number, labels=[LABEL]))
        await player.play(bot, until_acts=ACTS_BEFORE_THE_KILL)
        before = {match.id: match.version for match in await all_matches(channel)}
        await asyncio.to_thread(server.kill)
        await bot.close()

    await asyncio.to_thread(server.start)
    async with grpc.aio.insecure_channel(server.address) as channel:
        bot = RawBot(channel)
        await bot.hello(instance="one")
        await player.play(bot, until_ended=2 * MATCHES)
        after = await all_matches(channel)
        assert len(after) == MATCHES
        for match in after:
            assert match.end_reason in (
                match_pb2.END_REASON_BOARD_DONE,
                match_pb2.END_REASON_PASSED_OUT,
            )
            assert match.version >= before[match.id]
            assert not match.faults
        await check_records(channel, player)
        await bot.close()


async def test_a_server_stops_on_sigterm_and_leaves_nothing_behind(server: ServerProcess) -> None:
    async with grpc.aio.insecure_channel(server.address) as channel:
        bot = RawBot(channel)
        await bot.hello()
        stopping = asyncio.create_task(asyncio.to_thread(server.stop))
        await bot.next("go_away")
        assert await stopping == 0
        await bot.close()


async def test_a_killed_store_comes_back_and_nobody_is_charged_for_it(
    server: ServerProcess,
) -> None:
    player = Player()
    async with grpc.aio.insecure_channel(server.address) as channel:
        matches: Any = match_service_pb2_grpc.MatchServiceStub(channel)
        bot = RawBot(channel)
        await bot.hello(instance="one")
        for number in range(1, MATCHES + 1):
            await matches.CreateMatch(board(number, labels=[LABEL]))
        await player.play(bot, until_acts=ACTS_BEFORE_THE_KILL)
        os.kill(server.store_pid(), signal.SIGKILL)
        await player.play(bot, until_ended=2 * MATCHES)
        for match in await all_matches(channel):
            assert match.end_reason in (
                match_pb2.END_REASON_BOARD_DONE,
                match_pb2.END_REASON_PASSED_OUT,
            )
            assert not match.faults
        await check_records(channel, player)
        await bot.close()


async def test_10_after_a_restart_all_seats_are_given_back_and_counted(
    server: ServerProcess,
) -> None:
    """Row 10: Welcome says how many seats are owed, each comes again with what it owes, and they
    count against the capacity that Hello named: the server counts, not the client.
    """

    async def given_back(bot: RawBot) -> tuple[dict[tuple[str, int], bool], set[bytes]]:
        """Which seats come, and whether they are resumed; which decisions they owe."""
        assigned: dict[tuple[str, int], bool] = {}
        owed: set[bytes] = set()
        while len(assigned) < 4 or len(owed) < 2:
            message = await bot.anything()
            if message.HasField("seat_assigned"):
                one = message.seat_assigned
                assigned[one.match_id, one.seat] = one.resumed
            elif message.HasField("turn"):
                assert message.turn.again
                owed.add(message.turn.decision.id)
        return assigned, owed

    player = Player()
    async with grpc.aio.insecure_channel(server.address) as channel:
        stub: Any = match_service_pb2_grpc.MatchServiceStub(channel)
        bot = await dial(channel, capacity=4)
        for number in range(1, 4):
            await stub.CreateMatch(board(number, labels=[LABEL]))
        await player.play(bot, until_acts=6)
        live = [match for match in await all_matches(channel) if not match.end_reason]
        taken = [match for match in live if match.state != match_pb2.MATCH_STATE_WAITING]
        await asyncio.to_thread(server.kill)
        await bot.close()
        await asyncio.to_thread(server.start)
        assert len(taken) == 2
        seats = {(match.id, seat): True for match in taken for seat in (1, 3)}
        bot = await dial(channel, capacity=4)
        found = await given_back(bot)
        assert found[0] == seats
        await bot.close()
        again = RawBot(channel)
        welcome = (await again.hello(instance="one", capacity=4)).welcome
        assert welcome.seats_owed == 4
        assert await given_back(again) == found
        # The third board waits until there is room.
        states = {match.id: match.state for match in await all_matches(channel)}
        assert list(states.values()).count(match_pb2.MATCH_STATE_WAITING) == 1
        await again.close()


async def test_12_an_answer_to_a_turn_from_before_a_restart_counts(server: ServerProcess) -> None:
    """Row 12: the bot was thinking when the server died; its decision has kept its name."""
    async with grpc.aio.insecure_channel(server.address) as channel:
        stub: Any = match_service_pb2_grpc.MatchServiceStub(channel)
        bot = await dial(channel)
        made = board(1, labels=[LABEL])
        made.time_control.per_move.seconds = 100
        await stub.CreateMatch(made)
        await bot.ready()
        await bot.ready()
        turn = (await bot.next("turn")).turn
        await asyncio.to_thread(server.kill)
        await bot.close()
        await asyncio.to_thread(server.start)
        bot = await dial(channel)
        again = (await bot.next("turn")).turn
        assert again.decision.id == turn.decision.id
        assert again.again
        # All of its time, for what had passed is in no journal.
        full = again.decision.clock.remaining.ToMilliseconds()
        assert full > 90_000
        turn.seat_ref = again.seat_ref
        await bot.act(turn)
        await bot.act(again)
        first = (await bot.next("act_result")).act_result
        second = (await bot.next("act_result")).act_result
        assert first.status == play_service_pb2.ACT_STATUS_ACCEPTED
        assert second.status == play_service_pb2.ACT_STATUS_DUPLICATE
        await bot.close()


@pytest.mark.slow
async def test_13_a_key_is_good_for_its_seats_after_a_restart_and_at_another_server(
    tmp_path: Path,
) -> None:
    """rshogi #591: the way back was refused where keys are wanted, and nobody had tried."""
    async with embedded_store(tmp_path / "store", "everysec") as embedded:
        store = await connect(embedded.url)
        ring = KeyRing(store.api_keys)
        host, player, other = [await ring.make(role) for role in (Role.HOST, Role.BOT, Role.BOT)]
        first, second = (
            ServerProcess(
                tmp_path / name, redis=embedded.url, environment={"CONTREE_ANONYMOUS": "off"}
            )
            for name in ("first", "second")
        )
        async with AsyncExitStack() as stack:
            for server in (first, second):
                stack.callback(_put_down, server)

            async def dialled(place: ServerProcess, key: Given | None) -> RawBot:
                dialling = grpc.aio.insecure_channel(place.address)
                bot = RawBot(await stack.enter_async_context(dialling), key.metadata if key else ())
                await bot.hello(instance="one")
                return bot

            await asyncio.to_thread(first.start)
            bot = await dialled(first, player)
            async with grpc.aio.insecure_channel(first.address) as channel:
                stub: Any = match_service_pb2_grpc.MatchServiceStub(channel)
                await stub.CreateMatch(board(), metadata=host.metadata)
            await bot.ready()
            await bot.ready()
            for place in (first, second):
                turn = (await bot.next("turn")).turn
                await asyncio.to_thread(first.kill)
                await bot.close()
                await asyncio.to_thread(place.start)
                for wrong in (None, Given(player.id, new_token(player.id))):
                    with refused(*unauthenticated):
                        await dialled(place, wrong)
                stranger = await dialled(place, other)
                bot = await dialled(place, player)
                again = (await bot.next("turn")).turn
                assert again.again
                assert again.decision.id == turn.decision.id
                await bot.act(again)
                result = (await bot.next("act_result")).act_result
                assert result.status == play_service_pb2.ACT_STATUS_ACCEPTED
                assert not stranger.taken()
                await stranger.close()
            await bot.close()
            assert await asyncio.to_thread(second.stop) == 0
        await store.close()


def _put_down(server: ServerProcess) -> None:
    """Leave nothing behind, whatever went wrong."""
    if server.alive:
        server.kill()
