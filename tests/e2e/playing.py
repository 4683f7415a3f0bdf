"""A bot of bare messages that remembers what was acknowledged, and checks it with the records."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import grpc
from tests.rpc.conftest import WAIT_S, RawBot

from contree.engine import parse_record
from contree.v1 import match_pb2, match_service_pb2, match_service_pb2_grpc, play_service_pb2
from contree.v1.play_service_pb2 import ClientMessage, ServerMessage

LABEL = "recovery"


class Player:
    """Plays the first legal action everywhere and remembers what was accepted."""

    def __init__(self) -> None:
        self.accepted: list[tuple[int, bytes]] = []
        self.cards: dict[str, list[int]] = {}
        self.sent_away = False
        """GoAway was said on the stream that was played last."""
        self.ended: set[tuple[str, int]] = set()
        self._pending: dict[bytes, tuple[str, int | None]] = {}
        self._match_of: dict[int, str] = {}
        self._seat_of: dict[int, int] = {}

    @property
    def acknowledged(self) -> set[bytes]:
        """The decisions that were answered and taken."""
        return {decision for _, decision in self.accepted}

    async def play(self, bot: RawBot, *, until_acts: int = 0, until_ended: int = 0) -> None:
        """Answer turns until so many acts were accepted, or so many seats' matches ended; after
        GoAway until what was answered is acknowledged.
        """
        self.sent_away = False
        while not (self.sent_away and not self._pending):
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
                if turn.decision.id in self.acknowledged:
                    raise AssertionError("asked again for what was acknowledged")
                self._pending[turn.decision.id] = (self._match_of[turn.seat_ref], card)
                await bot.act(turn)
            elif kind == "act_result":
                self._result(message.act_result)
                if until_acts and len(self.accepted) >= until_acts:
                    return
            elif kind == "go_away":
                self.sent_away = True
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


async def dial(
    channel: grpc.aio.Channel, instance: str = "one", within: float = WAIT_S, **hello: Any
) -> RawBot:
    """A bot that dials until it is let in."""
    async with asyncio.timeout(within):
        while True:
            bot = RawBot(channel)
            try:
                await bot.hello(instance=instance, **hello)
            except (grpc.aio.AioRpcError, EOFError, asyncio.InvalidStateError):
                await bot.close()
                await asyncio.sleep(0.02)
                continue
            return bot


async def rest(bot: RawBot) -> list[ServerMessage]:
    """What is still said on a stream until it ends in good order."""
    messages = bot.taken()
    async with asyncio.timeout(WAIT_S):
        while (frame := await bot.call.read()) is not grpc.aio.EOF:
            messages += frame.messages
        assert await bot.call.code() is grpc.StatusCode.OK
    return messages


async def until(condition: Callable[[], bool], within: float = WAIT_S) -> None:
    """Wait for something that happens in another process."""
    async with asyncio.timeout(within):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def all_matches(channel: grpc.aio.Channel) -> list[match_pb2.Match]:
    stub = match_service_pb2_grpc.MatchServiceStub(channel)
    request = match_service_pb2.ListMatchesRequest(label=LABEL)
    response: Any = await stub.ListMatches(request)
    return list(response.matches)


def check_ended(matches: list[match_pb2.Match]) -> None:
    """Each match has its result, and nobody was charged with anything."""
    for match in matches:
        assert match.end_reason in (
            match_pb2.END_REASON_BOARD_DONE,
            match_pb2.END_REASON_PASSED_OUT,
        )
        assert not match.faults


async def check_records(channel: grpc.aio.Channel, player: Player) -> None:
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
