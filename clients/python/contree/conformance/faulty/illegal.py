"""Plays its lowest card, whatever was led."""

from __future__ import annotations

from typing import Final

from contree.conformance.faulty.plain import Plain
from contree.v1.observation_pb2 import Action, Decision, PlayCard, SeatView

CAUGHT_BY: Final = "legal"


class Illegal(Plain):
    """Plays its lowest card, whatever was led."""

    def choose(self, view: SeatView, decision: Decision) -> Action:
        if decision.cards:
            return Action(play=PlayCard(card=min(view.hand)))
        return super().choose(view, decision)


if __name__ == "__main__":
    Illegal().run()
