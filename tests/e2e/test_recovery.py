"""kill -9 of the server in the middle of matches: they go on from their last committed move."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from tests.e2e.server_process import ServerProcess
from tests.rpc.conftest import RawBot, board

from contree.engine import parse_record
from contree.v1 import match_pb2, match_service_pb2, match_service_pb2_grpc, play_service_pb2
from contree.v1.play_service_pb2 import ClientMessage

MATCHES = 6
ACTS_BEFORE_THE_KILL = 40


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    server = ServerProcess(tmp_path)
    server.start()
    yield server
    if server.alive:
        assert server.stop() == 0


class Player:
    """Plays the first legal action everywhere and remembers what was accepted."""

    def __init__(self) -> None:
        self.accepted: list[tuple[int, bytes]] = []
        self.cards: dict[str, list[int]] = {}
        self.ended: set[tuple[str, int]] = set()
        self._pending: dict[bytes, tuple[str, int | None]] = {}
        self._match_of: dict[int, str] = {}
        self._seat_of: dict[int, int] = {}

    async def play(self, bot: RawBot, *, until_acts: int = 0, until_ended: int = 0) -> None:
        """Answer turns until so many acts were accepted, or so many seats' matches ended."""
        while True:
            message = await bot.anything()
            kind = message.WhichOneof("message")
            if kind == "seat_assigned":
                assigned = message.seat_assigned
                self._match_of[assigned.seat_ref] = assigned.match_id
                self._seat_of[assigned.seat_ref] = assigned.seat
                ready = play_service_pb2.Ready(seat_ref=assigned.seat_ref)
                await bot.say(ClientMessage(ready=ready))
            elif kind == "turn":
                turn = message.turn
                card = turn.decision.cards[0] if turn.decision.cards else None
                self._pending[turn.decision.id] = (self._match_of[turn.seat_ref], card)
                await bot.act(turn)
            elif kind == "act_result":
                self._result(message.act_result)
                if until_acts and len(self.accepted) >= until_acts:
                    return
            elif kind == "match_ended":
                ended = message.match_ended
                self.ended.add((ended.match_id, self._seat_of[ended.seat_ref]))
                if until_ended and len(self.ended) >= until_ended:
                    return

    def _result(self, result: play_service_pb2.ActResult) -> None:
        # DUPLICATE: committed before the kill, but its result was lost with the server.
        assert result.status in (
            play_service_pb2.ACT_STATUS_ACCEPTED,
            play_service_pb2.ACT_STATUS_DUPLICATE,
        )
        match_id, card = self._pending.pop(result.decision_id)
        self.accepted.append((result.seat_ref, result.decision_id))
        if card is not None:
            self.cards.setdefault(match_id, []).append(card)


async def _matches(channel: grpc.aio.Channel) -> list[match_pb2.Match]:
    stub = match_service_pb2_grpc.MatchServiceStub(channel)
    request = match_service_pb2.ListMatchesRequest(label="recovery")
    response: Any = await stub.ListMatches(request)
    return list(response.matches)


async def test_killed_matches_go_on_from_their_last_committed_move(server: ServerProcess) -> None:
    player = Player()
    async with grpc.aio.insecure_channel(server.address) as channel:
        matches: Any = match_service_pb2_grpc.MatchServiceStub(channel)
        bot = RawBot(channel)
        await bot.hello(instance="one")
        for number in range(1, MATCHES + 1):
            await matches.CreateMatch(board(number, labels=["recovery"]))
        await player.play(bot, until_acts=ACTS_BEFORE_THE_KILL)
        before = {match.id: match.version for match in await _matches(channel)}
        await asyncio.to_thread(server.kill)
        await bot.close()

    await asyncio.to_thread(server.start)
    async with grpc.aio.insecure_channel(server.address) as channel:
        bot = RawBot(channel)
        await bot.hello(instance="one")
        await player.play(bot, until_ended=2 * MATCHES)
        after = await _matches(channel)
        assert len(after) == MATCHES
        for match in after:
            assert match.end_reason in (
                match_pb2.END_REASON_BOARD_DONE,
                match_pb2.END_REASON_PASSED_OUT,
            )
            assert match.version >= before[match.id]
            assert not match.faults
        await _check_records(channel, player)
        await bot.close()


async def _check_records(channel: grpc.aio.Channel, player: Player) -> None:
    """Every accepted card is in the record exactly once."""
    stub: Any = match_service_pb2_grpc.MatchServiceStub(channel)
    for match_id, cards in player.cards.items():
        request = match_service_pb2.GetRecordRequest(match_id=match_id)
        record = parse_record((await stub.GetRecord(request)).record)
        deal = record.replay().finished[0]
        assert deal.play is not None
        played = [int(card) + 1 for trick in deal.play.tricks for card in trick.cards]
        for card in cards:
            assert played.count(card) == cards.count(card) == 1


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
            await matches.CreateMatch(board(number, labels=["recovery"]))
        await player.play(bot, until_acts=ACTS_BEFORE_THE_KILL)
        os.kill(server.store_pid(), signal.SIGKILL)
        await player.play(bot, until_ended=2 * MATCHES)
        for match in await _matches(channel):
            assert match.end_reason in (
                match_pb2.END_REASON_BOARD_DONE,
                match_pb2.END_REASON_PASSED_OUT,
            )
            assert not match.faults
        await _check_records(channel, player)
        await bot.close()
