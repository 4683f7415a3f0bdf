"""What bots have in common that think until their time is up: the clock, the dice, the cards.

``Thinker`` says when to stop, draws by seed, plays what is forced at once, and says belote where it
is to be said. Its bids are the rules player's. ``sampler`` and ``solver`` are what is left to do.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Final, NamedTuple, Self

from contree.bots.rules import Rules
from contree.client import SeatInfo, Turn
from contree.engine import (
    DEFAULT_PRESET,
    SEATS,
    Action,
    Announced,
    Card,
    Deal,
    DecisionKind,
    RuleSet,
    SeededDeals,
    View,
    drive,
    preset,
)
from contree.policy import rules_player

__all__ = ["Thinker", "Until"]

_GUARD: Final = 0.1
"""The part of the time left that is not used: a bot sees that its time is up a little too late."""


class Until(NamedTuple):
    """How long to think: to a moment, or over so many worlds whatever the time."""

    moment: float = math.inf
    """On ``time.monotonic()``."""
    worlds: float = math.inf

    def goes_on(self, done: int) -> bool:
        """Whether there is more to do after so many worlds; after 0, whether time is left."""
        return done < self.worlds and (self.worlds < math.inf or time.monotonic() < self.moment)


class Thinker(Rules):
    """Bids as the rules player does. A subclass writes ``best_card``, and ``best_call`` to bid by
    itself.
    """

    threaded = True  # it takes its time

    def __init__(
        self,
        budget_ms: float = 20.0,
        *,
        reserve_ms: float = 50.0,
        worlds: int | None = None,
        seed: str = "",
    ) -> None:
        """It thinks for ``budget_ms``, or as long as leaves ``reserve_ms`` of its time for
        the way to the server and for a machine that is busy. With ``worlds`` it looks at that many
        instead, whatever the time, and always plays the same in the same position.
        """
        self._budget = budget_ms / 1000
        self._reserve = reserve_ms / 1000
        self._worlds = worlds
        self._seed = seed.encode()
        if worlds is None:
            self.warm_up(preset(DEFAULT_PRESET))  # now, not in the first turn

    def decide(self, turn: Turn) -> Action:
        """The best that it has found when its time is up."""
        return self.answer(turn.view, self._until(turn))

    @classmethod
    def from_environment(cls) -> Self:
        """Set up by ``BOT_BUDGET_MS`` or ``BOT_WORLDS``, and by ``BOT_SEED``."""
        worlds = os.environ.get("BOT_WORLDS")
        return cls(
            float(os.environ.get("BOT_BUDGET_MS", "20")),
            worlds=int(worlds) if worlds else None,
            seed=os.environ.get("BOT_SEED", ""),
        )

    def best_call(self, view: View, until: Until) -> Action:
        """What to say in the auction, or in a contre window."""
        del until
        return rules_player(view)

    def best_card(self, view: View, cards: Sequence[Card], until: Until) -> Card:
        """Which of several cards to play. At least one world is looked at."""
        raise NotImplementedError

    def seated(self, table: SeatInfo) -> None:
        """Be quick from the first turn on, whatever the rules."""
        self.warm_up(table.rules)

    def warm_up(self, rules: RuleSet) -> None:
        """Have compiled, or loaded from the disk, what a turn needs: once in a process."""
        _warmed(type(self), rules)  # type: ignore[arg-type]  # a class can be hashed

    def dice(self, view: View) -> int:
        """A seed for this position, the same each time; without a seed of the bot's own too."""
        position = (view.number, view.seat, view.hand, view.tricks, view.trick, view.calls)
        return int.from_bytes(
            blake2b(repr(position).encode(), digest_size=7, key=self._seed).digest()
        )

    def answer(self, view: View, until: Until) -> Action:
        """The same with another limit. What is forced is done at once."""
        if len(view.legal) == 1:
            return view.legal[0]
        if view.kind is not DecisionKind.CARD:
            return self.best_call(view, until)
        cards = [card for card in view.legal if isinstance(card, Card)]
        card = cards[0] if len(cards) == 1 else self.best_card(view, cards, until)
        announced = Announced(card)
        return announced if announced in view.legal else card

    def _until(self, turn: Turn) -> Until:
        if self._worlds is not None:
            return Until(worlds=self._worlds)
        left = (turn.time_left() - self._reserve) * (1.0 - _GUARD)
        return Until(time.monotonic() + min(self._budget, left))


@lru_cache(maxsize=64)
def _warmed(kind: type[Thinker], rules: RuleSet) -> None:
    """Play a deal, thinking as little as can be."""
    bot, little = kind(worlds=1), Until(worlds=1)

    def play(view: View) -> Action:
        return bot.answer(view, little)

    board = SeededDeals(bytes(32), "warm up").board(1, rules)
    drive([play] * len(SEATS), Deal.start(rules, board.dealer, board.hands))
