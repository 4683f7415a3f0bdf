"""A bot of the public SDK for the service bench: as little thinking as possible."""

from __future__ import annotations

import gc
import logging
import sys
from collections.abc import Sequence

from contree.client import BatchBot, run_bot
from contree.engine import PASS, Action, Bid, View


class Quick(BatchBot):
    """Opens the lowest bid, then passes; plays its lowest legal card."""

    threaded = False

    def act(self, views: Sequence[View]) -> Sequence[Action]:
        return [_act(view) for view in views]


def _act(view: View) -> Action:
    legal = view.legal
    if view.contract is None and len(legal) > 1 and isinstance(legal[1], Bid):
        return legal[1]
    return PASS if PASS in legal[:1] else legal[-1] if not view.auction_over else legal[0]


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING)
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)  # views are values without cycles
    run_bot(Quick(), server=sys.argv[1], name=sys.argv[2], capacity=4096)
