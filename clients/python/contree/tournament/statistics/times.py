"""Quantiles of single decision times, from the counts that the service keeps: pure.

The service counts decisions by half octaves (``SeatStatus.times``), so a quantile is known to lie
within a factor of 1.5; within its place it is interpolated.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest


def added(counts: Iterable[Sequence[int]]) -> tuple[int, ...]:
    """Counts of several put together, place by place."""
    total: tuple[int, ...] = ()
    for one in counts:
        total = tuple(a + b for a, b in zip_longest(total, one, fillvalue=0))
    return total


def begins_at(place: int) -> float:
    """From how many seconds on decisions are counted in a place."""
    if place == 0:
        return 0.0
    octave, half = divmod(place + 1, 2)
    return float(1 << (octave - 1)) * (1.5 if half else 1.0) / 1000


def quantile(times: Sequence[int], part: float, slowest: float) -> float | None:
    """The time in seconds that this part (0 to 1) of the decisions took at most, about; None of
    none. ``slowest`` is that of the longest one, which is known exactly.
    """
    rank = part * sum(times)
    if not rank > 0:
        return None
    below = 0
    for place, count in enumerate(times):
        if count and below + count >= rank:
            # Between 1 and 2 ms there is no half.
            low, high = begins_at(place), begins_at(place + (2 if place == 1 else 1))
            return min(low + (high - low) * (rank - below) / count, slowest)
        below += count
    return slowest
