"""Dials on where it was refused for good."""

from __future__ import annotations

from typing import Final

import grpc

from contree.conformance.faulty.plain import Plain

CAUGHT_BY: Final = "refused"


class Stubborn(Plain):
    """Dials on where it was refused for good."""

    def lost(self, error: grpc.RpcError) -> None:
        """Dial again, whatever the server says."""


if __name__ == "__main__":
    Stubborn().run()
