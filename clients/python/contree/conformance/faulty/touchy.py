"""Is at a loss when an answer was not legal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from contree.conformance.faulty.plain import Plain
from contree.v1 import play_service_pb2
from contree.v1.play_service_pb2 import ClientMessage

CAUGHT_BY: Final = "results"


class Touchy(Plain):
    """Is at a loss when an answer was not legal."""

    def act_result(self, _: play_service_pb2.ActResult) -> Iterable[ClientMessage]:
        return ()


if __name__ == "__main__":
    Touchy().run()
