"""Bots as policies, for the engine to drive."""

from __future__ import annotations

import asyncio
import inspect
import time
from typing import Any

from contree.client import BatchBot, Board, Bot, FaultPolicy, SeatInfo, TimeControl, Turn
from contree.engine import Action, Policy, View

_ENDLESS_S = 3600.0


def policy(bot: Bot | BatchBot) -> Policy:
    """What a bot would do, as a function of the view. It has all the time in the world.

    An ``async`` method is run to its end on an event loop of its own, so this is not for use
    inside one.
    """

    def answer(view: View) -> Action:
        result: Any = bot.act([view]) if isinstance(bot, BatchBot) else bot.decide(_turn(view))
        if inspect.isawaitable(result):
            result = asyncio.run(_awaited(result))
        if isinstance(bot, BatchBot):
            (result,) = result
        return result  # type: ignore[no-any-return]

    return answer


def _turn(view: View) -> Turn:
    table = SeatInfo(
        "", view.seat, view.rules, Board(0), TimeControl(), FaultPolicy(), resumed=False
    )
    deadline = time.monotonic() + _ENDLESS_S
    return Turn(view, table, deadline, bank=0.0, allowance=0.0, charged=0.0, round_trip=None)


async def _awaited(result: Any) -> Any:
    return await result
