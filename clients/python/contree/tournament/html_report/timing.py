"""What time bots took, from what was charged at their tables: pure.

Of single decisions the service counts how many took about how long (``statistics.times``); the
interval of the mean, and the figure, take tables as units.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from contree.tournament.html_report.words import NONE, Grid
from contree.tournament.statistics import Estimate, estimate
from contree.tournament.statistics.times import added, quantile
from contree.tournament.tables import TableResult

SINGLE: Final = (0.5, 0.9, 0.99)
QUANTILES: Final = (0.05, 0.25, 0.5, 0.75, 0.95, 1.0)


class TimeUse(NamedTuple):
    """The time that a bot took."""

    bot: str
    decisions: int
    mean: Estimate | None
    """Milliseconds of a decision, over all of them; the interval takes tables as units."""
    spread: tuple[float, ...]
    """The ``QUANTILES`` over tables of the mean milliseconds of a decision; empty without any."""
    share: float | None
    """Time charged, as part of the limits of these moves; None without a limit."""
    near: int
    """Decisions that took all of the clock and were saved by the allowance."""
    timeouts: int
    single: tuple[float, ...] = ()
    """The ``SINGLE`` quantiles of single decisions and the slowest one, in milliseconds; empty
    where results do not tell them.
    """


def time_use(
    bots: Sequence[str], results: Iterable[TableResult], per_move: float
) -> tuple[TimeUse, ...]:
    """The time that each bot took; ``per_move`` is the limit of a move in seconds, 0 for none."""
    seconds: Mapping[str, list[float]] = defaultdict(list)
    decisions: Mapping[str, list[int]] = defaultdict(list)
    near: dict[str, int] = defaultdict(int)
    timeouts: dict[str, int] = defaultdict(int)
    times: dict[str, list[tuple[int, ...]]] = defaultdict(list)
    slowest: dict[str, float] = defaultdict(float)
    for result in results:
        for bot in result.table.pairing:
            if result.decisions.get(bot):
                decisions[bot].append(result.decisions[bot])
                seconds[bot].append(result.seconds.get(bot, 0.0))
            near[bot] += result.overruns.get(bot, 0)
            times[bot].append(result.times.get(bot, ()))
            slowest[bot] = max(slowest[bot], result.slowest.get(bot, 0.0))
        for fault in result.faults:
            timeouts[fault.bot] += fault.kind == "timeout"
    return tuple(
        _used(
            bot, seconds[bot], decisions[bot], per_move, near=near[bot], timeouts=timeouts[bot]
        )._replace(single=_single(added(times[bot]), slowest[bot]))
        for bot in bots
    )


def _single(times: Sequence[int], slowest: float) -> tuple[float, ...]:
    found = [quantile(times, part, slowest) for part in SINGLE]
    return tuple(1000 * one for one in (*found, slowest) if one is not None) if times else ()


def _used(
    bot: str,
    seconds: Sequence[float],
    decisions: Sequence[int],
    per_move: float,
    *,
    near: int,
    timeouts: int,
) -> TimeUse:
    if not decisions:
        return TimeUse(bot, 0, None, (), None, near, timeouts)
    took = np.asarray(seconds, dtype=np.float64) * 1000
    mean = estimate(took.tolist(), decisions, quick=True)
    spread = np.quantile(took / np.asarray(decisions), QUANTILES)
    share = sum(seconds) / (sum(decisions) * per_move) if per_move else None
    return TimeUse(bot, sum(decisions), mean, tuple(spread.tolist()), share, near, timeouts)


def times_grid(times: Sequence[TimeUse], limit: float) -> Grid:
    """The time of each bot as a table of a page."""
    return Grid(
        "Time",
        "Time as it was charged. The interval of the mean takes tables as units. Quantiles are of "
        "single decisions, which are counted by half octaves; the slowest one is exact.",
        (
            "Bot",
            "Decisions",
            "ms/decision [95%]",
            "Median",
            "90%",
            "99%",
            "Slowest",
            "Of the limit" if limit else "Of the limit (none)",
            "Saved by the allowance",
            "Timeouts",
        ),
        tuple(_row(time) for time in times),
    )


def _row(time: TimeUse) -> tuple[str, ...]:
    mean = NONE
    if time.mean is not None:
        mean = f"{time.mean.mean:.2f} [{max(0.0, time.mean.low):.2f}, {time.mean.high:.2f}]"
    single = [f"{one:.3g}" if one < 100 else f"{one:.0f}" for one in time.single] or [NONE] * 4
    share = NONE if time.share is None else f"{time.share:.2%}"
    near, timeouts = str(time.near), str(time.timeouts)
    return (
        time.bot, f"{time.decisions:,}", mean, *single, share, near, timeouts,
    )  # fmt: skip
