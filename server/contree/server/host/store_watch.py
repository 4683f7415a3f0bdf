"""Watching the store: whether it answers, as the clock, the metrics and the log are to know.

One that answers but does not write is away, too, until it has written something.

A store of several masters counts as away as a whole while any of them is: then no table's clock
runs, and tables with other masters play on all the same. So a failure counts wherever it happens,
and an answer only where all masters gave theirs: what one of them says tells nothing of the others.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

import structlog

from contree.server.host.service_clock import ServiceClock
from contree.server.store import StoreUnavailable
from contree.server.telemetry import Metrics

T = TypeVar("T")
_log = structlog.get_logger(__name__)


class StoreWatch:
    """Every exchange with the store that says whether it lives is reported here."""

    def __init__(
        self,
        clock: ServiceClock,
        metrics: Metrics,
        time: Callable[[], float],
        on_proof: Callable[[], None],
        on_refusal: Callable[[], None],
        *,
        parts: bool = False,
    ) -> None:
        """``on_proof`` is called after each proof of life, ``on_refusal`` after a write that
        failed: somebody must go on writing, so that it is known when that works again.

        ``parts``: the store has several masters.
        """
        self._clock = clock
        self._metrics = metrics
        self._time = time
        self._on_proof = on_proof
        self._on_refusal = on_refusal
        self._parts = parts
        self.away_since: float | None = None
        """Since when the store does not answer, in loop time; None while it does."""

    @property
    def away(self) -> bool:
        """Whether the store counts as away now."""
        return self.away_since is not None or self._clock.overdue(self._time())

    async def ask(
        self, exchange: Awaitable[T], *, write: bool = False, everywhere: bool = False
    ) -> T:
        """What the store answers; reports that it did, or that it did not.

        ``everywhere``: it is an answer of all masters.
        """
        asked = self.asked(everywhere=everywhere)
        try:
            answer = await exchange
        except StoreUnavailable as error:
            self.failed(asked, str(error), write=write, everywhere=everywhere)
            raise
        except BaseException:
            if everywhere or not self._parts:
                self._clock.dropped()
            raise
        self.answered(asked, write=write, everywhere=everywhere)
        return answer

    def asked(self, *, everywhere: bool = False) -> float:
        """The store is asked something: when. ``answered`` or ``failed`` must follow."""
        now = self._time()
        if everywhere or not self._parts:
            self._clock.asked(now)
        return now

    def answered(self, asked: float, *, write: bool = False, everywhere: bool = False) -> None:
        """It answered; ``write``: it wrote."""
        if self._parts and not everywhere:
            return
        now = self._time()
        self._clock.answered(now, asked, write=write)
        if self._clock.refusing:
            return
        if self.away_since is not None:
            _log.warning("store_back", away_s=round(now - self.away_since, 3))
            self.away_since = None
            self._metrics.store_up.set(1)
            self._metrics.store_reconnects.inc()
        self._on_proof()

    def failed(
        self, asked: float, why: str = "", *, write: bool = False, everywhere: bool = False
    ) -> None:
        """It did not answer, or did not ``write``."""
        now = self._time()
        if self._parts and not everywhere:
            self._clock.asked(now)
        self._clock.failed(now, write=write)
        if write:
            self._on_refusal()
        if self.away_since is None:
            _log.error("store_away", error=why)
            self.away_since = asked
            self._metrics.store_up.set(0)
            self._metrics.store_outages.inc()
