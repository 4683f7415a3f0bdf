"""Ports that stay a test's own, whether a server listens there or not."""

from __future__ import annotations

import socket
import weakref


class Port:
    """A port of 127.0.0.1. Servers may listen there, one after the other; meanwhile, who dials it
    is refused, and nobody else is given it.
    """

    def __init__(self) -> None:
        # Bound, and never listening: whoever says SO_REUSEADDR as well may still listen there.
        holder = socket.socket()
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", 0))
        self.number = int(holder.getsockname()[1])
        weakref.finalize(self, holder.close)

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.number}"
