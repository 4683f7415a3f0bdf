"""Says everything twice, to be sure."""

from __future__ import annotations

from typing import Final

from contree.conformance.faulty.plain import Plain
from contree.v1.play_service_pb2 import ClientMessage

CAUGHT_BY: Final = "unsolicited"


class Chatty(Plain):
    """Says everything twice, to be sure."""

    def say(self, *messages: ClientMessage) -> None:
        super().say(*messages)
        if messages and not messages[0].HasField("hello"):
            super().say(*messages)


if __name__ == "__main__":
    Chatty().run()
