"""Does not listen to GoAway."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from contree.conformance.faulty.plain import Plain
from contree.v1 import play_service_pb2
from contree.v1.play_service_pb2 import ClientMessage

CAUGHT_BY: Final = "go-away"


class Lingering(Plain):
    """Does not listen to GoAway."""

    def go_away(self, _: play_service_pb2.GoAway) -> Iterable[ClientMessage]:
        return ()


if __name__ == "__main__":
    Lingering().run()
