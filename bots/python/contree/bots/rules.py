"""A bot that bids and plays by rule of thumb. ``python -m contree.bots.rules`` runs it.

It is the player of the house (``contree.policy.rules_player``) behind the client SDK.
"""

from contree.client import Bot, Turn, run_bot
from contree.engine import Action
from contree.policy import rules_player


class Rules(Bot):
    """Bids what its cards are worth, draws trumps, cashes masters, remembers what was played."""

    name = "rules"
    version = "1"
    threaded = False  # it answers in a few microseconds

    def decide(self, turn: Turn) -> Action:
        """What the rules player does."""
        return rules_player(turn.view)


if __name__ == "__main__":
    run_bot(Rules())
