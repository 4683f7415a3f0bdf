"""Answers a contre of its bid with pass, where surcontre or decline is asked for."""

from __future__ import annotations

from typing import Final

from contree.conformance.faulty.plain import Plain
from contree.v1 import observation_pb2
from contree.v1.observation_pb2 import Action, Decision, SeatView

CAUGHT_BY: Final = "surcontre"


class NeverDoubled(Plain):
    """Answers a contre of its bid with pass, where surcontre or decline is asked for."""

    def choose(self, view: SeatView, decision: Decision) -> Action:
        if decision.kind == observation_pb2.DECISION_KIND_SURCONTRE:
            action = Action()
            getattr(action.call, "pass").SetInParent()
            return action
        return super().choose(view, decision)


if __name__ == "__main__":
    NeverDoubled().run()
