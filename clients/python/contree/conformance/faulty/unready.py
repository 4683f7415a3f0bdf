"""Never says Ready."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from contree.conformance.faulty.plain import Plain
from contree.v1 import play_service_pb2
from contree.v1.play_service_pb2 import ClientMessage

CAUGHT_BY: Final = "ready"


class Unready(Plain):
    """Never says Ready."""

    def seat_assigned(self, _: play_service_pb2.SeatAssigned) -> Iterable[ClientMessage]:
        return ()


if __name__ == "__main__":
    Unready().run()
