"""Answers the first turn of a frame and forgets the others."""

from __future__ import annotations

from typing import Final

from contree.conformance.faulty.plain import Plain
from contree.v1 import play_service_pb2

CAUGHT_BY: Final = "batch"


class OneAtATime(Plain):
    """Answers the first turn of a frame and forgets the others."""

    def take(self, frame: play_service_pb2.PlayResponse) -> None:
        turned = False
        for message in frame.messages:
            if not (turned and message.HasField("turn")):
                self.say(*self.hear(message))
            turned = turned or message.HasField("turn")


if __name__ == "__main__":
    OneAtATime().run()
