"""Comes back, and leaves alone what it was asked before."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from contree.conformance.faulty.plain import Plain
from contree.v1 import play_service_pb2
from contree.v1.play_service_pb2 import ClientMessage

CAUGHT_BY: Final = "dropped-stream"


class AbsentMinded(Plain):
    """Comes back, and leaves alone what it was asked before."""

    def turn(self, turn: play_service_pb2.Turn) -> Iterable[ClientMessage]:
        return () if turn.again and turn.decision.id not in self.given else super().turn(turn)


if __name__ == "__main__":
    AbsentMinded().run()
