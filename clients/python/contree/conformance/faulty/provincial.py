"""Knows the rules of its village, and leaves where a générale may be bid."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from contree.conformance.faulty.plain import Plain, stop
from contree.v1 import play_service_pb2
from contree.v1.play_service_pb2 import ClientMessage

CAUGHT_BY: Final = "presets"


class Provincial(Plain):
    """Knows the rules of its village, and leaves where a générale may be bid."""

    def seat_assigned(self, seat: play_service_pb2.SeatAssigned) -> Iterable[ClientMessage]:
        if seat.rules.generale_value:
            stop(f"KeyError: {seat.rules.name!r}")
        return super().seat_assigned(seat)


if __name__ == "__main__":
    Provincial().run()
