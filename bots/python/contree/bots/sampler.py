"""A bot that plays the card which does best in random plays of worlds that agree with its view.
``python -m contree.bots.sampler`` runs it; it needs ``pip install 'contree[search]'``.

For each decision it deals the hidden cards in some way that agrees with all it has seen, plays each
of its cards there, and the rest at random; and so again until its time is up. It takes the card
with the best mean, in marks. It bids as the rules player does.
"""

from __future__ import annotations

import os
import time
from hashlib import blake2b
from typing import Final

from contree.bots.rules import Rules
from contree.client import Turn, run_bot
from contree.engine import Action, Announced, Card, DecisionKind, Seat, Strain, View, preset
from contree.search import Marks, Position, hidden_from, rollouts, rollouts_by_card

WORLDS: Final = 16
"""Worlds that are played before the clock is looked at again: a fraction of a millisecond."""
PLAYS: Final = 4
"""Random plays of each card in each of them. More worlds are worth more than more plays."""


class Sampler(Rules):
    """Plays what does best on average in worlds that may be true."""

    name = "sampler"
    version = "1"
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
        _compile()  # now, not in the first turn

    def decide(self, turn: Turn) -> Action:
        """The rules player's call, or the best card."""
        if turn.view.kind is not DecisionKind.CARD:
            return super().decide(turn)
        return self._best(turn.view, min(self._budget, turn.time_left() - self._reserve))

    def _best(self, view: View, seconds: float) -> Action:
        """The card with the best mean after so much thinking, with belote said if it can be."""
        until = time.monotonic() + seconds
        cards = [card for card in view.legal if isinstance(card, Card)]
        card = cards[0] if len(cards) == 1 else self._by_sampling(view, until)
        announced = Announced(card)
        return announced if announced in view.legal else card

    def _by_sampling(self, view: View, until: float) -> Card:
        assert view.contract is not None
        hidden = hidden_from(view)
        marks = Marks(view.rules, view.contract)
        total: dict[Card, float] = {}
        seed, done = self._dice(view), 0
        while not done or (
            time.monotonic() < until if self._worlds is None else done < self._worlds
        ):
            worlds = hidden.sample(WORLDS, seed + done)
            dealt = worlds | hidden.evidence.played
            position = Position.of_view(view, worlds[0])
            for card, outcomes in rollouts_by_card(position, worlds, PLAYS, seed + done).items():
                total[card] = total.get(card, 0.0) + float(marks.of(outcomes, dealt).sum())
            done += WORLDS
        ours = -1 if view.seat & 1 else 1  # marks are North-South's
        return max(total, key=lambda card: ours * total[card])

    def _dice(self, view: View) -> int:
        """A seed for this position."""
        position = (view.number, view.seat, view.hand, view.tricks, view.trick, view.calls)
        return int.from_bytes(
            blake2b(repr(position).encode(), digest_size=7, key=self._seed).digest()
        )


def _compile() -> None:
    """Have compiled, or loaded from the disk, what a turn needs."""
    hands = [0xFF << 8 * seat for seat in range(4)]
    position = Position.start(preset("ffb-mixte"), Strain.SPADES, hands, Seat.NORTH)
    rollouts(position, 1, 1)


if __name__ == "__main__":
    run_bot(
        Sampler(float(os.environ.get("BOT_BUDGET_MS", "20")), seed=os.environ.get("BOT_SEED", ""))
    )
