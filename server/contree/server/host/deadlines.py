"""The deadlines of the live tables: what time itself has happen, and only when it may.

Time has its consequences once the store has proved alive after a deadline: nobody's time runs out
while the service could not take the answer (see `service_clock`). Timers are the event loop's;
there is no task per table.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextvars import copy_context

import structlog

from contree.engine import SEATS, Seat
from contree.server.host.service_clock import PULSE_S, ServiceClock
from contree.server.host.store_watch import StoreWatch
from contree.server.host.table import Table
from contree.server.match import (
    Abandon,
    Command,
    EndReason,
    FaultKind,
    GiveUp,
    RunOut,
    not_started,
)
from contree.server.match import clock as clocks
from contree.server.store import MatchStore, StoreError
from contree.server.telemetry import Metrics

_log = structlog.get_logger(__name__)
_RETRY_S = 0.1
_AFTER_S = 0.001
"""Timers go off so much after their deadline, so that it is over however times are rounded."""


class Deadlines:
    """Keeps the time of all tables, and the watch on the store that it depends on."""

    def __init__(
        self,
        store: MatchStore,
        metrics: Metrics,
        *,
        return_s: float,
        holds: Callable[[Table], bool],
        submit: Callable[[Table, Command], None],
    ) -> None:
        """``return_s`` is how long the bots of a match that was taken over have to come back.

        ``holds`` tells whether a table is still here, ``submit`` is given what time commands.
        """
        self.ask_edge: Callable[[Table, Seat], None] = _nobody
        """Asks the server that the bot of a seat is connected to how much of its time has passed;
        ``edge_says`` is called with the answer.
        """
        self._store = store
        self.return_s = return_s
        self._holds = holds
        self._submit = submit
        self._loop = asyncio.get_running_loop()
        self._context = copy_context()
        """Of no call: what a timer has happen is not logged as of the call that set it."""
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._due: dict[str, Table] = {}
        """Tables where time has something happen, if the store still lives."""
        self._due_some = asyncio.Event()
        self._metrics = metrics
        self.clock = ServiceClock(self._loop.time())
        self.watch = StoreWatch(
            self.clock,
            metrics,
            self._loop.time,
            self._proved,
            self._due_some.set,
            parts=store.parts,
        )

    def now(self) -> float:
        """The time of the service clock, in seconds."""
        return self.clock.now(self._loop.time())

    def elapsed_ms(self, table: Table, seat: Seat) -> int:
        """Milliseconds on a seat's clock; more than there are only where the store has proved alive
        after they were over.
        """
        elapsed = table.elapsed_ms(seat, self.now())
        limit = clocks.limit(table.match.spec.time, table.match.seats[seat].bank)
        if elapsed <= limit:
            return elapsed
        return max(limit, table.elapsed_ms(seat, self.clock.proved))

    def wind_up(self) -> None:
        """Ask nobody anything more, and let no more time pass; answers are still taken."""
        self.clock.stop(self._loop.time())

    async def pulse(self) -> None:
        """Let the clock see that this process runs, until cancelled."""
        before = 0.0
        while True:
            self.now()
            stalled = self.clock.stalled - before
            if stalled > 0:
                _log.warning("stalled", seconds=round(stalled, 3))
                self._metrics.stalled_seconds.inc(stalled)
                before = self.clock.stalled
            due = self._loop.time() + PULSE_S
            await asyncio.sleep(PULSE_S)
            self._metrics.event_loop_lag_seconds.observe(max(0.0, self._loop.time() - due))

    async def prove(self) -> None:
        """Ask the store whether it lives while something is due, and whether it writes while it
        does not, until cancelled.
        """
        while True:
            await self._due_some.wait()
            self._due_some.clear()
            while self._due or self.clock.refusing:
                try:
                    if self.clock.refusing:
                        await self.watch.ask(self._store.probe(), write=True, everywhere=True)
                    else:
                        await self.watch.ask(self._store.ping(), everywhere=True)
                except StoreError:
                    await asyncio.sleep(_RETRY_S)

    def expect(self, table: Table, seat: Seat) -> None:
        """The bot of a seat is still to come back from where the match was held before."""
        table.expect(seat, self.now() + self.return_s)

    def arm(self, table: Table) -> None:
        """See that something wakes the table at its deadline, whenever that may come earlier now.

        A timer that is set for an earlier moment is left alone: most deadlines only move on, and it
        looks again when it goes off. So a move costs no timer.
        """
        match_id = table.match.id
        deadline = table.deadline()
        if deadline is None:
            return
        comes = self.clock.comes(deadline + _AFTER_S, self._loop.time())
        timer = self._timers.get(match_id)
        if timer is not None:
            if timer.when() <= comes:
                return
            timer.cancel()
        self._timers[match_id] = self._loop.call_at(
            comes, self._on_timer, table, context=self._context
        )

    def wakes(self, table: Table, at: float) -> bool:
        """Whether the table has a timer that goes off before a decision asked at ``at`` is late.

        Most moves come long before any deadline, so this spares them all looking for the next one.
        """
        timer = self._timers.get(table.match.id)
        return timer is not None and timer.when() <= at + table.match.spec.time.per_move / 1000

    def disarm(self, table: Table) -> None:
        """Wake the table no more."""
        timer = self._timers.pop(table.match.id, None)
        if timer is not None:
            timer.cancel()

    def edge_says(self, table: Table, seat: Seat, elapsed: int) -> None:
        """So many milliseconds have passed on the clock of the decision that a seat owes, and its
        bot has said nothing.
        """
        if table.asked[seat] is None or not self._holds(table):
            return
        table.asked[seat] = None
        bank = table.match.seats[seat].bank
        if elapsed > clocks.limit(table.match.spec.time, bank):
            self._submit(table, RunOut(seat, table.match.owed_since[seat]))
        else:
            table.turn_started[seat] = self.now() - elapsed / 1000
        self.arm(table)

    def _on_timer(self, table: Table) -> None:
        if self._holds(table):
            del self._timers[table.match.id]
            self._look(table)

    def _proved(self) -> None:
        """The store lives: look again at what was due."""
        if self._due:
            due, self._due = self._due, {}
            for table in due.values():
                try:
                    if self._holds(table):
                        self._look(table)
                except Exception:  # others are due, too
                    _log.exception("deadline_failed", match_id=table.match.id)

    def _look(self, table: Table) -> None:
        """Let time have its consequences, once the store has proved alive after their deadline:
        nobody's time runs out while the service could not take the answer.
        """
        deadline = table.deadline()
        if table.busy or deadline is None or self.clock.stopped:
            return  # a table that is busy is armed again with its next commit
        if deadline <= self.clock.proved:
            command = self._what_is_due(table, self.clock.proved)
            if command is not None:
                self._submit(table, command)
            if not table.busy:
                self.arm(table)
        elif self.clock.stands(self._loop.time()) or deadline <= self.now():
            self._due[table.match.id] = table
            self._due_some.set()
        else:
            self.arm(table)

    def _what_is_due(self, table: Table, at: float) -> Command | None:
        """The command that time itself gives, if any."""
        match = table.match
        table.expect_no_longer(at)
        over = table.stage_deadline()
        if over is not None and over <= at:
            return Abandon(EndReason.NOT_STARTED, not_started(match))
        for seat in SEATS:
            late = table.turn_deadline(seat)
            if late is not None and late <= at:
                attached = table.attached[seat]
                if attached is not None and not attached.session.here:
                    # What it said in time may be on its way.
                    table.asked[seat] = at
                    self.ask_edge(table, seat)
                    continue
                return RunOut(seat, match.owed_since[seat])
            away = table.grace_end(seat)
            if away is not None and away <= at:
                return GiveUp(seat, FaultKind.DISCONNECTED, "away for longer than the grace")
        return None


def _nobody(table: Table, seat: Seat) -> None:
    raise ValueError(f"no server is known that has the bot of {seat} in {table.match.id}")
