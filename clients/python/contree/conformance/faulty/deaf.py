"""Does not answer heartbeats."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from contree.conformance.faulty.plain import Plain
from contree.v1 import play_service_pb2
from contree.v1.play_service_pb2 import ClientMessage

CAUGHT_BY: Final = "heartbeats"


class Deaf(Plain):
    """Does not answer heartbeats."""

    def heartbeat(self, _: play_service_pb2.Heartbeat) -> Iterable[ClientMessage]:
        return ()


if __name__ == "__main__":
    Deaf().run()
