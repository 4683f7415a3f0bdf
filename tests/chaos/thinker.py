"""A bot on the SDK that keeps the same books, as far as the SDK tells."""

from __future__ import annotations

import asyncio
import random

from tests.chaos.ledger import Ledger, Place
from tests.chaos.player import choose

from contree.client import Backoff, Bot, Connection, Turn, play_bot
from contree.engine import Action

PATIENT = Connection(patience=120.0, backoff=Backoff(0.05, 0.5))
"""Servers are killed all the time: try again soon."""


class Thinker(Bot):
    """Plays like ``Player``. That each decision is asked of it once is the SDK's promise."""

    def __init__(self, ledger: Ledger, choices: random.Random, think: float) -> None:
        self._ledger = ledger
        self._choices = choices
        self._think = think

    async def decide(self, turn: Turn) -> Action:
        place = Place.of(turn.table.match_id, turn.view)
        action = choose(turn.view, self._choices)
        self._ledger.answer(place, str(place).encode(), action)
        if min(turn.time_left(), turn.bank, turn.charged) < 0:
            self._ledger.wrong.append(f"a negative clock: {turn}")
        if self._think:
            await asyncio.sleep(self._choices.uniform(0, self._think))
        return action


async def think(name: str, address: str, bot: Thinker) -> None:
    """Play until cancelled."""
    await play_bot(
        bot, server=address, name=name, instance_id=name, capacity=1000, connection=PATIENT
    )
