"""What is counted of each bot: how long it decides, how far away it is, what it does wrong.

A bot has a label of its own only where it came with an API key, and only so many do: all others
are counted together as "other". A bot that has been gone for an hour gives its place up.

A move is counted here by adding to plain numbers, without a lock, for only the event loop writes;
they become samples when they are read.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from typing import Final

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
    SummaryMetricFamily,
)
from prometheus_client.registry import Collector

from contree.server.telemetry.labels import FAULTS

OTHER: Final = "other"
"""The label of all bots without one of their own; a bot of that name is counted there, too."""
MOST_BOTS: Final = 64
_GONE_S: Final = 3600.0
_BUCKETS: Final = (0.01, 0.05, 0.25, 1.0, 2.5, 5.0, 10.0, 30.0)
_BOUNDS: Final = (*(str(bound) for bound in _BUCKETS), "+Inf")


class BotCounts:
    """What was counted of one bot, all its instances and seats together."""

    __slots__ = ("_decided", "_seconds", "_travelled", "_trips", "connected", "faults")

    def __init__(self) -> None:
        self._decided = [0] * len(_BOUNDS)
        self._seconds = 0.0
        self._trips = 0
        self._travelled = 0.0
        self.connected = 0
        """Its instances that are connected here."""
        self.faults = dict.fromkeys(FAULTS, 0)

    def decided(self, seconds: float) -> None:
        """It made a decision, and was charged so long for it."""
        self._seconds += seconds
        self._decided[bisect_left(_BUCKETS, seconds)] += 1

    def travelled(self, seconds: float) -> None:
        """A heartbeat came back from it."""
        self._trips += 1
        self._travelled += seconds

    @property
    def total(self) -> int:
        """How often something was counted."""
        return sum(self._decided) + self._trips + sum(self.faults.values())

    def add_to(
        self, decisions: HistogramMetricFamily, trips: SummaryMetricFamily, bot: str
    ) -> None:
        """Show it as samples; in another thread than the one that counts."""
        buckets = list(zip(_BOUNDS, accumulate(self._decided), strict=True))
        decisions.add_metric([bot], buckets, self._seconds)
        trips.add_metric([bot], self._trips, self._travelled)


class _Place:
    """A label that a bot has, and when something was last counted under it."""

    __slots__ = ("counts", "seen_at", "total")

    def __init__(self, now: float) -> None:
        self.counts = BotCounts()
        self.total = 0
        self.seen_at = now

    def gone(self, now: float) -> bool:
        """Whether nothing has been counted for long, as far as anybody has looked."""
        total = self.counts.total
        if total != self.total or self.counts.connected:
            self.total, self.seen_at = total, now
        return now - self.seen_at > _GONE_S


class BotMetrics(Collector):
    """The counts of all bots, for one registry. ``now`` is a clock in seconds."""

    def __init__(self, now: Callable[[], float] = time.monotonic, *, most: int = MOST_BOTS) -> None:
        self._now = now
        self._most = most
        self._other = BotCounts()
        self._places: dict[str, _Place] = {}

    def of(self, bot: str, key_id: str) -> BotCounts:
        """Where a bot is counted; to be asked for once for each seat or stream, not each move."""
        if not key_id or bot == OTHER:
            return self._other
        place = self._places.get(bot)
        if place is None:
            now = self._now()
            if len(self._places) >= self._most and not self._make_room(now):
                return self._other
            place = self._places[bot] = _Place(now)
        return place.counts

    def _make_room(self, now: float) -> bool:
        gone = [bot for bot, place in self._places.items() if place.gone(now)]
        for bot in gone:
            del self._places[bot]
        return bool(gone)

    def _all(self) -> Iterator[tuple[str, BotCounts]]:
        yield OTHER, self._other
        for bot, place in self._places.copy().items():
            yield bot, place.counts

    def collect(self) -> Iterable[Metric]:
        """The samples as they are now."""
        decisions = HistogramMetricFamily(
            "contree_bot_decision_seconds",
            "What a bot was charged for a decision, network included.",
            labels=["bot"],
        )
        trips = SummaryMetricFamily(
            "contree_bot_round_trip_seconds",
            "From a heartbeat being sent to a bot to its answer.",
            labels=["bot"],
        )
        faults = CounterMetricFamily(
            "contree_bot_faults", "Faults charged to a bot, by kind.", labels=["bot", "kind"]
        )
        instances = GaugeMetricFamily(
            "contree_bot_instances", "Instances of a bot that are connected.", labels=["bot"]
        )
        for bot, counts in self._all():
            counts.add_to(decisions, trips, bot)
            instances.add_metric([bot], counts.connected)
            for kind, count in counts.faults.items():
                faults.add_metric([bot, kind], count)
        return decisions, trips, faults, instances
