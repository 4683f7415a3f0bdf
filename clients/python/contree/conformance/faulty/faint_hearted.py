"""Gives up when its server is not there at once."""

from __future__ import annotations

from typing import Final

import grpc

from contree.conformance.faulty.plain import Plain, stop

CAUGHT_BY: Final = "server-restart"


class FaintHearted(Plain):
    """Gives up when its server is not there at once."""

    def lost(self, error: grpc.RpcError) -> None:
        if "refused" in str(error.details()).lower():
            stop("there is no server")
        super().lost(error)


if __name__ == "__main__":
    FaintHearted().run()
