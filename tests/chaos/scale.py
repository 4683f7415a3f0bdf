"""How much is tried: a short form for every day, and with ``FULL=1`` the figures to be shown.

``CHAOS_SEED`` repeats the choices of a run that failed: when what is killed, torn or stalled.
"""

from __future__ import annotations

import os
import random
import secrets
from typing import Final, TypeVar

FULL: Final = bool(os.environ.get("FULL"))
SEED: Final = int(os.environ.get("CHAOS_SEED") or secrets.randbelow(1 << 32))

_Value = TypeVar("_Value")


def pick(short: _Value, full: _Value) -> _Value:
    """The value of the form that is run."""
    return full if FULL else short


def choices(name: str) -> random.Random:
    """The random choices of one part of a test, whatever the other parts draw."""
    return random.Random(f"{SEED} {name}")
