"""Does not end on SIGTERM."""

from __future__ import annotations

import signal
from typing import Final, NoReturn

from contree.conformance.faulty.plain import Plain

CAUGHT_BY: Final = "sigterm"


class Undying(Plain):
    """Does not end on SIGTERM."""

    def run(self) -> NoReturn:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        super().run()


if __name__ == "__main__":
    Undying().run()
