"""Streams that say much of no use are heard, slowly, and leave the time to the rest."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final

from tests.host.virtual import at, stop_process, virtually
from tests.rpc.conftest import WAIT_S, RawBot, board

from contree.server.rpc.penalty_box import PenaltyBox
from contree.v1 import play_service_pb2
from contree.v1.play_service_pb2 import ClientMessage

Bots = Callable[[], RawBot]
SLICE_S: Final = 0.01


async def speak(box: PenaltyBox, slices: int) -> None:
    for _ in range(slices):
        async with box.turn():
            stop_process(SLICE_S)


@virtually
async def test_however_many_they_are_they_have_a_fifth_of_the_time() -> None:
    box, began = PenaltyBox(lambda: True), at()
    await asyncio.gather(*(speak(box, 10) for _ in range(20)))
    assert at() - began >= 5 * 200 * SLICE_S * 0.999


@virtually
async def test_where_nothing_is_in_play_they_need_not_wait() -> None:
    box, began = PenaltyBox(lambda: False), at()
    await asyncio.gather(*(speak(box, 10) for _ in range(20)))
    assert at() - began <= 200 * SLICE_S * 1.001


async def test_what_is_owed_is_taken_among_a_thousand_replays(matches: Any, bots: Bots) -> None:
    """Row 25 of the faults met by others: a move is never limited, whatever its stream has said."""
    status = play_service_pb2.ActStatus
    bot = bots()
    await bot.hello()
    await matches.CreateMatch(board())
    await bot.ready()
    await bot.ready()
    turn = (await bot.next("turn")).turn
    made_up = ClientMessage(
        act=play_service_pb2.Act(seat_ref=turn.seat_ref, decision_id=b"made up")
    )
    made_up.act.action.play.card = 1  # type: ignore[assignment]
    await bot.say(*[made_up] * 1_000)
    await bot.act(turn)
    heard: dict[int, int] = {}
    async with asyncio.timeout(WAIT_S):
        while status.ACT_STATUS_ACCEPTED not in heard:
            result = (await bot.next("act_result")).act_result
            heard[result.status] = heard.get(result.status, 0) + 1
    assert heard[status.ACT_STATUS_STALE] == 1_000
