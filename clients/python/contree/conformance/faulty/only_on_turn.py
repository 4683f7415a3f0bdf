"""Speaks at its turn alone: to be asked for contre meanwhile is news to it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from contree.conformance.faulty.plain import Plain
from contree.v1 import observation_pb2, play_service_pb2
from contree.v1.play_service_pb2 import ClientMessage

CAUGHT_BY: Final = "contre"


class OnlyOnTurn(Plain):
    """Speaks at its turn alone: to be asked for contre meanwhile is news to it."""

    def turn(self, turn: play_service_pb2.Turn) -> Iterable[ClientMessage]:
        if turn.decision.kind == observation_pb2.DECISION_KIND_CONTRE:
            return ()
        return super().turn(turn)


if __name__ == "__main__":
    OnlyOnTurn().run()
