"""A live table: a match, who is attached to its seats, and the clocks that run.

A table is a plain object that the host moves on; it has no task. Times are those of the service
clock, in seconds.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from contree.engine import SEATS, Seat
from contree.server.host.errors import MatchLost
from contree.server.host.readers import Reader
from contree.server.host.seated import Seated
from contree.server.match import Command, Entry, Match, Rejected, Stage, Step
from contree.server.match import clock as clocks
from contree.server.telemetry import BotCounts

_JOURNAL: Final = 4096
"""Entries of a match that are held in memory, some 200 KB; the end of a longer one reads them."""

Reply = Callable[[Step | Rejected | MatchLost], None]
"""Told what became of a command, after its entries are in the journal."""


class Attached(NamedTuple):
    """A seat's bot: its session, or its stand-in, and what the seat is called there."""

    session: Seated
    ref: int
    offences: int = 0
    """Messages against the protocol on that stream before it got the seat."""


class Table:
    """A match that this server holds the lease of."""

    def __init__(self, match: Match, fence: int, begins: float, shown_at: float) -> None:
        """``begins`` is when the time of its stage begins to run."""
        self.match = match
        self.fence = fence
        self.busy = False
        """Entries are on their way to the journal; commands wait."""
        self.commands: deque[tuple[Command, Reply | None]] = deque()
        self.attached: list[Attached | None] = [None, None, None, None]
        self.counts: list[BotCounts | None] = [None, None, None, None]
        """Where the bot in a seat is counted; None before it has done anything."""
        self.readers: list[Reader] = []
        self.journal: list[bytes] | None = None
        """All entries in the journal, to be archived at the end; None where they are not known."""
        self.turn_started: list[float | None] = [None, None, None, None]
        """When the clock of the owed decision began; None while it stands still."""
        self.asked: list[float | None] = [None, None, None, None]
        """Since when another server is asked whether the time of its bot is over."""
        self.doubted: list[int] = [0, 0, 0, 0]
        """``Match.owed_since`` of a decision of which only this table knows how long it takes."""
        self.uncounted: list[tuple[Match, Entry]] = []
        """Entries of an open contre window, each with the match before it."""
        self.stage_started = begins
        self.moved_at = begins
        """When its last entry was committed."""
        self.shown_at = shown_at
        """When the last was that is not one of an open contre window, by the event loop's time."""
        self._back_by: list[float | None] = [None, None, None, None]
        """Until when the clocks of a seat stand still, so that its bot can find its way here."""
        self._away_since: list[float | None] = [None, None, None, None]
        self._away: list[float] = [0.0, 0.0, 0.0, 0.0]
        """Seconds away in all, not counting the absence that lasts."""

    def keep(self, entries: Sequence[bytes]) -> None:
        """Remember entries that were committed, unless they are too many to be held in memory."""
        if self.journal is not None:
            self.journal += entries
            if len(self.journal) > _JOURNAL:
                self.journal = None

    def attach(self, seat: Seat, attached: Attached, now: float) -> None:
        """A bot is there for the seat; a clock that stood still begins."""
        self.attached[seat] = attached
        self._back_by[seat] = self.asked[seat] = None
        since = self._away_since[seat]
        if since is not None:
            self._away[seat] += max(0.0, now - since)
            self._away_since[seat] = None
        if self.match.owed_since[seat] and self.turn_started[seat] is None:
            self.turn_started[seat] = now

    def detach(self, seat: Seat, now: float) -> None:
        """The seat's bot is gone for now; a clock that runs goes on running."""
        self.attached[seat] = self.asked[seat] = None
        if self.match.stage is not Stage.ENDED and self._away_since[seat] is None:
            self._away_since[seat] = now

    def begin_anew(self, seat: Seat) -> float | None:
        """Let the clock of the owed decision begin when a bot is attached; when it had begun."""
        began, self.turn_started[seat] = self.turn_started[seat], None
        return began

    def began_at(self, seat: Seat, began: float) -> None:
        """The clock of the owed decision had begun earlier than its bot's server knows."""
        self.turn_started[seat] = began
        self.doubted[seat] = self.match.owed_since[seat]

    def expect(self, seat: Seat, until: float) -> None:
        """The seat's bot was at a server that is gone: nothing counts until it is there again, or
        then; and what had passed does not.
        """
        self.attached[seat] = self.asked[seat] = self.turn_started[seat] = None
        self._back_by[seat] = until

    def expect_no_longer(self, at: float) -> None:
        """Where the time to come back is over, let the clocks run from its end on."""
        for seat in SEATS:
            until = self._back_by[seat]
            if until is None or until > at:
                continue
            self._back_by[seat] = None
            self.detach(seat, until)
            if self.match.owed_since[seat]:
                self.turn_started[seat] = until

    def begin_play(self, now: float) -> None:
        """All seats are ready: from here on absence counts."""
        self._away = [0.0, 0.0, 0.0, 0.0]
        self._away_since = [None if since is None else now for since in self._away_since]

    def start_clock(self, seat: Seat, now: float) -> None:
        """A new decision is owed; its clock waits for a bot that is still to come back."""
        self.asked[seat] = None
        self.turn_started[seat] = None if self._back_by[seat] is not None else now

    def stop_clock(self, seat: Seat) -> None:
        """Nothing is owed any more."""
        self.turn_started[seat] = self.asked[seat] = None

    def elapsed_ms(self, seat: Seat, now: float) -> int:
        """Milliseconds on the clock of the owed decision."""
        started = self.turn_started[seat]
        return 0 if started is None else max(0, int((now - started) * 1000))

    def grace_end(self, seat: Seat) -> float | None:
        """When a seat has been away for too long, None when its bot is there.

        Before play begins absence is no fault: the match does not start then.
        """
        since = self._away_since[seat]
        if since is None or self.match.seats[seat].house or self.match.stage is not Stage.PLAYING:
            return None
        return since + self.match.spec.time.disconnect_grace / 1000 - self._away[seat]

    def turn_deadline(self, seat: Seat) -> float | None:
        """When the owed decision of this seat is late; None when no clock runs, or what it says is
        not known here.
        """
        started = self.turn_started[seat]
        if (
            started is None
            or self.asked[seat] is not None
            or not self.match.owed_since[seat]
            or self.match.seats[seat].house
        ):
            return None
        bank = self.match.seats[seat].bank
        return started + clocks.limit(self.match.spec.time, bank) / 1000

    def stage_deadline(self) -> float | None:
        """When play must have come nearer; None once it has begun."""
        control = self.match.spec.time
        if self.match.stage is Stage.WAITING:
            return self.stage_started + control.seat_timeout / 1000
        if self.match.stage is Stage.READYING:
            return self.stage_started + control.ready / 1000
        return None

    def deadline(self) -> float | None:
        """The next moment at which something has to happen by itself, None when there is none."""
        if self.match.stage is Stage.ENDED:
            return None
        moments = [self.stage_deadline()]
        for seat in SEATS:
            moments += self.turn_deadline(seat), self.grace_end(seat), self._back_by[seat]
        return min((moment for moment in moments if moment is not None), default=None)

    def overdue(self, now: float) -> float:
        """Seconds since the moment at which a table in play had to come on, 0 before: when the time
        of a bot was over, or at once where the house decides. Who thinks makes no table overdue.
        """
        if self.match.stage is not Stage.PLAYING:
            return 0.0
        moments: list[float] = []
        if self.match.house_owes is None:
            moments = [asked for asked in self.asked if asked is not None]
            deadline = self.deadline()
            if deadline is not None:
                moments.append(deadline)
        return max(0.0, now - max(self.moved_at, min(moments, default=self.moved_at)))
