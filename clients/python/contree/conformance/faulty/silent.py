"""Sits at the table and says nothing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from contree.conformance.faulty.plain import Plain
from contree.v1 import play_service_pb2
from contree.v1.play_service_pb2 import ClientMessage

CAUGHT_BY: Final = "answers"


class Silent(Plain):
    """Sits at the table and says nothing."""

    def turn(self, _: play_service_pb2.Turn) -> Iterable[ClientMessage]:
        return ()


if __name__ == "__main__":
    Silent().run()
