"""Decides anew when a turn is sent again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from contree.conformance.faulty.plain import Plain
from contree.v1 import play_service_pb2
from contree.v1.play_service_pb2 import ClientMessage

CAUGHT_BY: Final = "resent-turn"


class Fickle(Plain):
    """Decides anew when a turn is sent again."""

    def turn(self, turn: play_service_pb2.Turn) -> Iterable[ClientMessage]:
        self.given.pop(turn.decision.id, None)
        return super().turn(turn)


if __name__ == "__main__":
    Fickle().run()
