"""Falls over its eighth decision."""

from __future__ import annotations

from typing import Final

from contree.conformance.faulty.plain import Plain, stop
from contree.v1.observation_pb2 import Action, Decision, SeatView

CAUGHT_BY: Final = "stays-up"


class Crashing(Plain):
    """Falls over its eighth decision."""

    def choose(self, view: SeatView, decision: Decision) -> Action:
        if len(self.given) == 7:
            stop("IndexError: list index out of range")
        return super().choose(view, decision)


if __name__ == "__main__":
    Crashing().run()
