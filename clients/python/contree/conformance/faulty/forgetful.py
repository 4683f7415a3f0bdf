"""Is somebody else after each lost connection."""

from __future__ import annotations

import secrets
from typing import Final

from contree.conformance.faulty.plain import Plain
from contree.v1.play_service_pb2 import Hello

CAUGHT_BY: Final = "dropped-stream"


class Forgetful(Plain):
    """Is somebody else after each lost connection."""

    dialled = False

    def hello(self) -> Hello:
        hello = super().hello()
        if self.dialled:
            hello.instance_id = secrets.token_hex(4)
        self.dialled = True
        return hello


if __name__ == "__main__":
    Forgetful().run()
