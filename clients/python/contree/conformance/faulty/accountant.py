"""Adds up scores, also those of a match that was cancelled and has none."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from contree.conformance.faulty.plain import Plain, stop
from contree.v1 import match_pb2, play_service_pb2
from contree.v1.play_service_pb2 import ClientMessage

CAUGHT_BY: Final = "match-ended"


class Accountant(Plain):
    """Adds up scores, also those of a match that was cancelled and has none."""

    def match_ended(self, over: play_service_pb2.SeatMatchEnded) -> Iterable[ClientMessage]:
        if over.match_ended.reason == match_pb2.END_REASON_CANCELLED:
            stop("AttributeError: 'NoneType' object has no attribute 'north_south'")
        return ()


if __name__ == "__main__":
    Accountant().run()
