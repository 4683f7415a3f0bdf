"""Dials again at once, and again."""

from __future__ import annotations

import time
from typing import Final

from contree.conformance.faulty.plain import Plain

CAUGHT_BY: Final = "redial-pace"


class Hammering(Plain):
    """Dials again at once, and again."""

    def wait(self) -> None:
        time.sleep(0.01)


if __name__ == "__main__":
    Hammering().run()
