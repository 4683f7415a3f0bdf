"""Thinks for too long: the seconds that SLOW_S says, else three."""

from __future__ import annotations

import os
import time
from typing import Final

from contree.conformance.faulty.plain import Plain
from contree.v1.observation_pb2 import Action, Decision, SeatView

CAUGHT_BY: Final = "in-time"


class Slow(Plain):
    """Thinks for too long: the seconds that SLOW_S says, else three."""

    def choose(self, view: SeatView, decision: Decision) -> Action:
        time.sleep(float(os.environ.get("SLOW_S", "3")))
        return super().choose(view, decision)


if __name__ == "__main__":
    Slow().run()
