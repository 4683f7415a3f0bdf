"""Knows four trumps and falls over sans-atout and tout-atout."""

from __future__ import annotations

from typing import Final

from contree.conformance.faulty.plain import Plain
from contree.v1.observation_pb2 import Action, Decision, SeatView

CAUGHT_BY: Final = "strains"

_NAMES: Final = {1: "spades", 2: "hearts", 3: "diamonds", 4: "clubs"}


class FourSuits(Plain):
    """Knows four trumps and falls over sans-atout and tout-atout."""

    def choose(self, view: SeatView, decision: Decision) -> Action:
        strain = view.table.contract.bid.strain
        if strain:
            _ = _NAMES[strain]
        return super().choose(view, decision)


if __name__ == "__main__":
    FourSuits().run()
