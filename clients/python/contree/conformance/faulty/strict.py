"""Ends at the first message that it does not know."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from contree.conformance.faulty.plain import Plain, stop
from contree.v1.play_service_pb2 import ClientMessage, ServerMessage

CAUGHT_BY: Final = "unknown-fields"


class Strict(Plain):
    """Ends at the first message that it does not know."""

    def hear(self, message: ServerMessage) -> Iterable[ClientMessage]:
        if message.WhichOneof("message") is None:
            stop("a message of unknown kind")
        return super().hear(message)


if __name__ == "__main__":
    Strict().run()
