"""The time base of all tables: it stands still while the service could not take an answer.

That is so while this process did not run (stopped, overloaded), and while the store was away: from
its last proof of life to the next, whenever something that it was asked in between failed or took
too long. An absence is found out late, and then taken off from where it began. So there are two
readings. ``now`` is the time as far as is known: what a decision has cost so far. ``proved`` is the
last moment at which the store is known to have lived. It never goes back, and only what was due by
then may have consequences: somebody is late, away for too long, not ready in time.

A store that reads but does not write (its memory or disk is full) could take no answer either:
after a write that failed only a write proves that it lives.

Arithmetic only: all methods are told the time of the event loop, ``at``, in seconds.
"""

from __future__ import annotations

from typing import Final

PULSE_S: Final = 0.1
"""How often somebody must look at the clock, so that it sees this process run."""
STALL_S: Final = 0.25
"""A longer time without a look: this process did not run."""
PATIENCE_S: Final = 0.5
"""A store that takes longer for an answer counts as away."""


class ServiceClock:
    """Service time in seconds; it begins as the event loop's and only falls behind it."""

    __slots__ = (
        "_away",
        "_off",
        "_open",
        "_proved",
        "_seen",
        "_stopped",
        "_waiting",
        "refusing",
        "stalled",
    )

    def __init__(self, at: float) -> None:
        self._off = 0.0
        """Loop time minus service time."""
        self._seen = at
        """When this process is last known to have run."""
        self._proved = at
        self._away = False
        """What the store was asked last failed."""
        self.refusing = False
        """A write failed, and none has succeeded since."""
        self._open = 0
        """Exchanges with the store under way."""
        self._waiting = at
        """Since when at least one has been under way without a proof of life, in service time."""
        self._stopped: float | None = None
        self.stalled = 0.0
        """Seconds in all in which this process did not run."""

    @property
    def proved(self) -> float:
        """The last moment at which the store is known to have lived; never goes back."""
        return self._proved

    @property
    def stopped(self) -> bool:
        """Whether it was stopped for good."""
        return self._stopped is not None

    def now(self, at: float) -> float:
        """The time as far as is known; never before ``proved``, unless it was stopped. Goes back
        only where time that was thought to pass turns out to be an absence of the store.
        """
        moment = self._look(at)
        if self._stopped is not None:
            return self._stopped
        return self._proved if self._overdue(moment) else max(moment, self._proved)

    def stands(self, at: float) -> bool:
        """Whether it stands still now."""
        return self.stopped or self.overdue(at)

    def overdue(self, at: float) -> bool:
        """Whether the store counts as away, since its last proof of life."""
        return self._overdue(self._look(at))

    def comes(self, moment: float, at: float) -> float:
        """When, in loop time, a moment of service time comes if the clock goes on from now."""
        return at + moment - self.now(at)

    def asked(self, at: float) -> None:
        """The store is asked something; ``answered`` or ``failed`` must follow."""
        moment = self._look(at)
        if not self._open:
            self._waiting = moment
        self._open += 1

    def answered(self, at: float, asked: float, *, write: bool = False) -> None:
        """The store answered what it was asked at ``asked``; ``write``: it has written it."""
        moment = self._look(at)
        if self.refusing and not write:
            self._open -= 1
            return
        if self._overdue(moment):
            # Away since its last proof of life: none of that time has passed.
            self._off = self._seen - self._proved
        else:
            self._proved = max(self._proved, asked - self._off)
        self._open -= 1
        self._away = self.refusing = False
        self._waiting = self._seen - self._off

    def failed(self, at: float, *, write: bool = False) -> None:
        """The store did not answer, or did not ``write`` what it was to write."""
        self._look(at)
        self._open -= 1
        self._away = True
        self.refusing = self.refusing or write

    def dropped(self) -> None:
        """Nobody waits any more for what the store was asked."""
        self._open -= 1

    def stop(self, at: float) -> None:
        """Stand still for good: this server stops."""
        self._stopped = self.now(at)

    def _look(self, at: float) -> float:
        """The time if the store lives; notices that this process did not run."""
        gap = at - self._seen
        if gap > STALL_S:
            self._off += gap
            self.stalled += gap
        if gap > 0:
            self._seen = at
        return self._seen - self._off

    def _overdue(self, moment: float) -> bool:
        return self._away or (self._open > 0 and moment - self._waiting > PATIENCE_S)
