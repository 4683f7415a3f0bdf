"""A live table: a match, who is attached to its seats, and the clocks that run.

A table is a plain object that the host moves on; it has no task. Times are the event loop's, in
seconds.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

from contree.engine import SEATS, Seat
from contree.server.host.errors import MatchLost
from contree.server.host.readers import Reader
from contree.server.host.session import Session
from contree.server.match import Command, Match, Rejected, Stage, Step
from contree.server.match import clock as clocks

Reply = Callable[[Step | Rejected | MatchLost], None]
"""Told what became of a command, after its entries are in the journal."""


class Attached(NamedTuple):
    """A seat's bot: its session and what the seat is called there."""

    session: Session
    ref: int


class Table:
    """A match that this server holds the lease of."""

    def __init__(self, match: Match, fence: int, now: float) -> None:
        self.match = match
        self.fence = fence
        self.busy = False
        """Entries are on their way to the journal; commands wait."""
        self.commands: deque[tuple[Command, Reply | None]] = deque()
        self.attached: list[Attached | None] = [None, None, None, None]
        self.readers: list[Reader] = []
        self.turn_started: list[float | None] = [None, None, None, None]
        """When the clock of the owed decision began; None while it stands still."""
        self.stage_started = now
        self.moved_at = now
        self._away_since: list[float | None] = [None, None, None, None]
        self._away: list[float] = [0.0, 0.0, 0.0, 0.0]
        """Seconds away in all, not counting the absence that lasts."""

    def attach(self, seat: Seat, attached: Attached, now: float) -> None:
        """A bot is there for the seat; a clock that stood still begins."""
        self.attached[seat] = attached
        since = self._away_since[seat]
        if since is not None:
            self._away[seat] += now - since
            self._away_since[seat] = None
        if self.match.owed_since[seat] and self.turn_started[seat] is None:
            self.turn_started[seat] = now

    def detach(self, seat: Seat, now: float) -> None:
        """The seat's bot is gone for now; a clock that runs goes on running."""
        self.attached[seat] = None
        if self.match.stage is not Stage.ENDED and self._away_since[seat] is None:
            self._away_since[seat] = now

    def begin_play(self, now: float) -> None:
        """All seats are ready: from here on absence counts."""
        self._away = [0.0, 0.0, 0.0, 0.0]
        self._away_since = [None if since is None else now for since in self._away_since]

    def start_clock(self, seat: Seat, now: float) -> None:
        """A new decision is owed."""
        self.turn_started[seat] = now

    def stop_clock(self, seat: Seat) -> None:
        """Nothing is owed any more."""
        self.turn_started[seat] = None

    def elapsed_ms(self, seat: Seat, now: float) -> int:
        """Milliseconds on the clock of the owed decision."""
        started = self.turn_started[seat]
        return 0 if started is None else max(0, int((now - started) * 1000))

    def shift_clocks(self, seconds: float) -> None:
        """Take a time in which the service could not have taken an answer off all clocks."""
        for seat in SEATS:
            started, since = self.turn_started[seat], self._away_since[seat]
            if started is not None:
                self.turn_started[seat] = started + seconds
            if since is not None:
                self._away_since[seat] = since + seconds
        self.stage_started += seconds

    def grace_left(self, seat: Seat, now: float) -> float | None:
        """Seconds of absence left to a seat that is away, None when its bot is there.

        Before play begins absence is no fault: the match does not start then.
        """
        since = self._away_since[seat]
        if since is None or self.match.seats[seat].house or self.match.stage is not Stage.PLAYING:
            return None
        return self.match.spec.time.disconnect_grace / 1000 - self._away[seat] - (now - since)

    def turn_deadline(self, seat: Seat) -> float | None:
        """When the owed decision of this seat is late; None when no clock runs."""
        started = self.turn_started[seat]
        if started is None or not self.match.owed_since[seat] or self.match.seats[seat].house:
            return None
        bank = self.match.seats[seat].bank
        return started + clocks.limit(self.match.spec.time, bank) / 1000

    def deadline(self, now: float) -> float | None:
        """The next moment at which something has to happen by itself, None when there is none."""
        match = self.match
        times: list[float] = []
        if match.stage is Stage.ENDED:
            return None
        if match.stage is Stage.WAITING:
            times.append(self.stage_started + match.spec.time.seat_timeout / 1000)
        elif match.stage is Stage.READYING:
            times.append(self.stage_started + match.spec.time.ready / 1000)
        for seat in SEATS:
            late = self.turn_deadline(seat)
            if late is not None:
                times.append(late)
            grace = self.grace_left(seat, now)
            if grace is not None:
                times.append(now + grace)
        return min(times, default=None)
