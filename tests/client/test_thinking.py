"""A mind that was stopped: it takes nothing more and reports nothing more."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any, cast

import pytest

from contree.client import Bot
from contree.client.bot import Turn
from contree.client.thinking import LoopMind, Question, Report, Told
from contree.engine import PASS, Call, View


class Stubborn(Bot):
    """Does not let itself be cancelled."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.go_on = asyncio.Event()

    async def call(self, view: View) -> Call:
        self.asked.set()
        while not self.go_on.is_set():
            with contextlib.suppress(asyncio.CancelledError):
                await self.go_on.wait()
        return PASS


def question(bot: Bot) -> Question:
    return Question(None, cast(Turn, object()), b"d1", 0.0)


@pytest.mark.parametrize("hook", [True, False])
async def test_a_stopped_mind_is_silent(hook: bool) -> None:
    said: list[Any] = []
    bot = Stubborn()
    bot.decide = lambda turn: bot.call(cast(View, None))  # type: ignore[method-assign]
    mind = LoopMind(bot, Report(said.append, lambda *what: said.append(what)))
    if hook:
        mind.take(Told(lambda: bot.call(cast(View, None)), lambda: said.append("then")))
    else:
        mind.take([question(bot)])
    await asyncio.wait_for(bot.asked.wait(), 60)
    mind.stop()
    bot.go_on.set()
    mind.take(Told(lambda: said.append("hook")))
    mind.take([question(bot)])
    await asyncio.sleep(0.05)
    assert said == []
