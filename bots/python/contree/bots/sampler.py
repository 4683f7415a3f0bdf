"""A bot that plays the card which does best in random plays of worlds that agree with its view.
``python -m contree.bots.sampler`` runs it; it needs ``pip install 'contree[search]'``.

For each decision it deals the hidden cards in some way that agrees with all it has seen, plays each
of its cards there, and the rest at random; and so again until its time is up. It takes the card
with the best mean, in marks. It bids as the rules player does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from contree.bots.thinking import Thinker, Until
from contree.client import run_bot
from contree.engine import Card, View
from contree.search import Marks, Position, hidden_from, rollouts_by_card

WORLDS: Final = 16
"""Worlds that are played before the clock is looked at again: a fraction of a millisecond."""
PLAYS: Final = 4
"""Random plays of each card in each of them. More worlds are worth more than more plays."""


class Sampler(Thinker):
    """Plays what does best on average in worlds that may be true."""

    name = "sampler"
    version = "2"

    def best_card(self, view: View, cards: Sequence[Card], until: Until) -> Card:
        """The card with the best mean."""
        assert view.contract is not None
        hidden = hidden_from(view)
        marks = Marks(view.rules, view.contract)
        total = dict.fromkeys(cards, 0.0)
        seed, done = self.dice(view), 0
        while not done or until.goes_on(done):
            worlds = hidden.sample(WORLDS, seed + done)
            dealt = worlds | hidden.evidence.played
            position = Position.of_view(view, worlds[0])
            for card, outcomes in rollouts_by_card(position, worlds, PLAYS, seed + done).items():
                total[card] += float(marks.of(outcomes, dealt).sum())
            done += WORLDS
        ours = -1 if view.seat & 1 else 1  # marks are North-South's
        return max(total, key=lambda card: ours * total[card])


if __name__ == "__main__":
    run_bot(Sampler.from_environment())
