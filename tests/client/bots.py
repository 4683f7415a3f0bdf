"""Bots to be tried out, and a way to let them play."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from tests.client.scripted import QUICK, ScriptedServer

from contree.client import (
    Bot,
    DealEnded,
    Event,
    FaultCharged,
    MatchEnded,
    SeatInfo,
    Summary,
    play_bot,
)
from contree.engine import PASS, Call, Card, View


class First(Bot):
    """Passes, and plays the first legal card."""

    def __init__(self) -> None:
        self.seen: list[View] = []
        self.told: list[tuple[object, ...]] = []

    def call(self, view: View) -> Call:
        self.seen.append(view)
        return PASS

    def play(self, view: View) -> Card:
        self.seen.append(view)
        card = view.legal[0]
        assert isinstance(card, Card)
        return card

    def seated(self, table: SeatInfo) -> None:
        self.told.append(("seated", table))

    def event(self, table: SeatInfo, event: Event) -> None:
        self.told.append(("event", table, event))

    def deal_ended(self, table: SeatInfo, ended: DealEnded) -> None:
        self.told.append(("deal_ended", table, ended))

    def match_ended(self, table: SeatInfo, ended: MatchEnded) -> None:
        self.told.append(("match_ended", table, ended))

    def fault(self, table: SeatInfo, fault: FaultCharged, detail: str) -> None:
        self.told.append(("fault", table, fault, detail))


class InPlace(First):
    """Answers at once, on the event loop."""

    threaded = False


@asynccontextmanager
async def playing(
    bot: Any, server: ScriptedServer | str | Sequence[str] | None, **options: Any
) -> AsyncIterator[asyncio.Task[Summary]]:
    """A bot that dials the server, until the test is over."""
    address = server.address if isinstance(server, ScriptedServer) else server
    options = {"server": address, "name": "bot", "connection": QUICK, **options}
    task = asyncio.create_task(play_bot(bot, **options))
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.wait({task}, timeout=60)
