"""The smallest bot: any legal action. ``python -m contree.bots.random`` runs it."""

import random

from contree.client import Bot, Turn, run_bot
from contree.engine import Action


class Random(Bot):
    """Says and plays anything that is allowed."""

    name = "random"
    version = "1"
    threaded = False  # it answers at once

    def decide(self, turn: Turn) -> Action:
        """Any of the legal actions."""
        return random.choice(turn.view.legal)


if __name__ == "__main__":
    run_bot(Random())
