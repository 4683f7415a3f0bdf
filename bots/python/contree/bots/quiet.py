"""A rules player that bids only what it can make. ``python -m contree.bots.quiet`` runs it.

It shows how to make another player from other numbers (``contree.policy.styled_player``), and it is
nearly as strong as ``rules``: two bots that an event needs many boards to tell apart.
"""

from contree.bots.rules import Rules
from contree.client import Turn, run_bot
from contree.engine import Action
from contree.policy import BidStyle, styled_player

_PLAYER = styled_player(BidStyle(claim=0.0))


class Quiet(Rules):
    """Bids what it thinks it will make, never to tell its partner or to be in the way."""

    name = "quiet"

    def decide(self, turn: Turn) -> Action:
        """What the quieter rules player does."""
        return _PLAYER(turn.view)


if __name__ == "__main__":
    run_bot(Quiet())
