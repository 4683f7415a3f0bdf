"""Speaks a version of the protocol that there is not."""

from __future__ import annotations

from typing import Final

from contree.conformance.faulty.plain import Plain
from contree.v1.play_service_pb2 import Hello

CAUGHT_BY: Final = "hello"


class Newer(Plain):
    """Speaks a version of the protocol that there is not."""

    def hello(self) -> Hello:
        hello = super().hello()
        hello.protocol_version = 2
        return hello


if __name__ == "__main__":
    Newer().run()
