"""The time of day. Nothing is measured with it: it can jump."""

from __future__ import annotations

import time


def wall_ms() -> int:
    """Milliseconds since the epoch."""
    return time.time_ns() // 1_000_000
