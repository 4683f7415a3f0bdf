"""What a supervisor and its worker say to each other, over the worker's standard streams.

The supervisor writes the worker's orders to its standard input and leaves that open: it ends with
the supervisor, however that ends. The worker writes one line to its standard output when it serves.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable
from typing import Final, NamedTuple

from contree.server.app import Serving
from contree.server.settings import Settings

_MARGIN_S: Final = 10.0


class Orders(NamedTuple):
    """What a worker is told at its start."""

    settings: Settings
    number: int
    """From 1; a worker that takes the place of another has its number."""

    @property
    def stop_s(self) -> float:
        """How long a stop takes at most: bots leave, what is left is written, and a margin."""
        return 2 * self.settings.drain_s + _MARGIN_S


def read_orders() -> Orders:
    """A worker's own orders. From here on it drains when its supervisor is gone, and ends."""
    orders: Orders = pickle.load(sys.stdin.buffer)
    threading.Thread(target=_outlive, args=(orders,), name="supervisor", daemon=True).start()
    return orders


def tell_serving() -> Callable[[Serving], None]:
    """Tells the supervisor where this worker serves. Whatever else is written to standard output
    goes to standard error.
    """
    told = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def tell(serving: Serving) -> None:
        with told:
            told.write(json.dumps({**serving._asdict(), "pid": os.getpid()}) + "\n")

    return tell


def _outlive(orders: Orders) -> None:
    """Wait for the end of the supervisor; then stop, and do not hang in it."""
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    threading.Event().wait(orders.stop_s)
    os._exit(1)
