"""The smallest bot: any legal action. ``python -m contree.bots.random`` runs it.

With ``BOT_SEED`` in its environment it does the same in the same position, so that an event with it
can be played again card by card.
"""

import os
import secrets

from contree.client import Bot, Turn, run_bot
from contree.engine import Action
from contree.policy import random_player


class Random(Bot):
    """Says and plays anything that is allowed."""

    name = "random"
    version = "2"
    threaded = False  # it answers at once

    def __init__(self, seed: str = "") -> None:
        """Without a seed it plays otherwise each time."""
        self._play = random_player(seed or secrets.token_hex(16))

    def decide(self, turn: Turn) -> Action:
        """Any of the legal actions."""
        return self._play(turn.view)


if __name__ == "__main__":
    run_bot(Random(os.environ.get("BOT_SEED", "")))
