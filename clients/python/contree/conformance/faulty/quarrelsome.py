"""Does not give way to another process with its instance id."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from contree.conformance.faulty.plain import Plain
from contree.v1 import play_service_pb2
from contree.v1.play_service_pb2 import ClientMessage

CAUGHT_BY: Final = "superseded"


class Quarrelsome(Plain):
    """Does not give way to another process with its instance id."""

    def superseded(self, _: play_service_pb2.Superseded) -> Iterable[ClientMessage]:
        return ()


if __name__ == "__main__":
    Quarrelsome().run()
