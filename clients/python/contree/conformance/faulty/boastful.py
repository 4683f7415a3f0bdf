"""Says belote with every card, where belote is to be said at all."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from contree.conformance.faulty.plain import Plain
from contree.v1 import play_service_pb2
from contree.v1.observation_pb2 import Action, Decision, SeatView
from contree.v1.play_service_pb2 import ClientMessage

CAUGHT_BY: Final = "belote"


class Boastful(Plain):
    """Says belote with every card, where belote is to be said at all."""

    announces = False

    def seat_assigned(self, seat: play_service_pb2.SeatAssigned) -> Iterable[ClientMessage]:
        self.announces = seat.rules.belote_announced
        return super().seat_assigned(seat)

    def choose(self, view: SeatView, decision: Decision) -> Action:
        action = super().choose(view, decision)
        if action.HasField("play"):
            action.play.announce = self.announces
        return action


if __name__ == "__main__":
    Boastful().run()
