"""The live tables of this server: takes commands, keeps deadlines, commits, tells those concerned.

A command is decided at once when its table is free, and waits while the table's last entries are on
their way to the journal. Nothing of a step is told to anybody before its entries are committed.
There is no task per table or per move: timers are the event loop's, the commit loop is one task.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, deque
from collections.abc import Callable
from functools import partial

import structlog

from contree.engine import SEATS, Seat
from contree.server.host import frames, lines
from contree.server.host.committer import Commit, Committer
from contree.server.host.errors import MatchLost
from contree.server.host.notices import Notices
from contree.server.host.service_clock import PULSE_S, ServiceClock
from contree.server.host.spare import Spare
from contree.server.host.store_watch import StoreWatch
from contree.server.host.table import Reply, Table
from contree.server.match import (
    Abandon,
    Acted,
    Command,
    EndReason,
    Entry,
    Faulted,
    FaultKind,
    GiveUp,
    GoOn,
    Match,
    Rejected,
    RunOut,
    Stage,
    Step,
    decide,
    encode_entry,
    fault_shown,
    not_started,
)
from contree.server.match import clock as clocks
from contree.server.store import (
    Append,
    Appended,
    AppendResult,
    MatchStore,
    StoreError,
)
from contree.server.telemetry import Metrics

_log = structlog.get_logger(__name__)
_RETRY_S = 0.1
_AFTER_S = 0.001
"""Timers go off so much after their deadline, so that it is over however times are rounded."""


class Tables:
    """All tables whose lease this server holds."""

    def __init__(
        self,
        store: MatchStore,
        metrics: Metrics,
        notices: Notices,
        *,
        return_s: float,
        on_ended: Callable[[Table], None],
        on_lost: Callable[[Table, str], None],
    ) -> None:
        """``return_s`` is how long the bots of a match that was taken over have to come back.

        ``on_ended`` is called when a match is over, ``on_lost`` when one cannot go on here.
        """
        self._store = store
        self._return_s = return_s
        self._metrics = metrics
        self._notices = notices
        self._on_ended = on_ended
        self._on_lost = on_lost
        self._loop = asyncio.get_running_loop()
        self._tables: dict[str, Table] = {}
        self.owned: Counter[str] = Counter()
        """How many of them each owner has."""
        self.in_play = 0
        """How many of them are in play."""
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._house: deque[Table] = deque()
        """Tables at which the house goes on, one at each pass of the loop."""
        self._deserted = Spare(self._play_house)
        """Those at which it is alone."""
        self._due: dict[str, Table] = {}
        """Tables where time has something happen, if the store still lives."""
        self._due_some = asyncio.Event()
        self.clock = ServiceClock(self._loop.time())
        self.watch = StoreWatch(
            self.clock, metrics, self._loop.time, self._proved, self._due_some.set
        )
        self.committer = Committer(store, metrics, self.watch)

    # -- tables ---------------------------------------------------------------------------------

    def get(self, match_id: str) -> Table | None:
        """The live table of a match, None when it is not here."""
        return self._tables.get(match_id)

    def all(self) -> tuple[Table, ...]:
        """All live tables."""
        return tuple(self._tables.values())

    def add(self, match: Match, fence: int, *, adopted: bool = False) -> Table:
        """Host a match from here on; its bots are to come back when it is ``adopted``."""
        begins = self.now() + (self._return_s if adopted else 0.0)
        table = Table(match, fence, begins, self._loop.time())
        if match.id not in self._tables:
            self.owned[match.spec.owner] += 1
        self._tables[match.id] = table
        self._restaged(None, match.stage)
        self._arm(table)
        return table

    def drop(self, table: Table) -> None:
        """Host a match no longer. Its commands are answered as lost, its seats set free."""
        if self._tables.pop(table.match.id, None) is None:
            return
        owner = table.match.spec.owner
        self.owned[owner] -= 1
        if not self.owned[owner]:
            del self.owned[owner]
        timer = self._timers.pop(table.match.id, None)
        if timer is not None:
            timer.cancel()
        self._restaged(table.match.stage, None)
        for seat in SEATS:
            attached = table.attached[seat]
            if attached is not None:
                attached.session.seats.pop(attached.ref, None)
                table.attached[seat] = None
        for reader in table.readers:
            reader.close()
        table.readers.clear()
        lost = MatchLost(table.match.id, "not held here any more")
        while table.commands:
            _, reply = table.commands.popleft()
            if reply is not None:
                reply(lost)

    # -- commands -------------------------------------------------------------------------------

    def submit(self, table: Table, command: Command, reply: Reply | None = None) -> None:
        """Decide a command as soon as the table is free; ``reply`` hears what became of it."""
        if table.busy:
            table.commands.append((command, reply))
        else:
            self._run(table, command, reply)

    def ask(self, table: Table, command: Command) -> asyncio.Future[Match]:
        """Submit a command for a caller that waits: the match afterwards, or Rejected."""
        answer: asyncio.Future[Match] = self._loop.create_future()

        def reply(outcome: Step | Rejected | MatchLost) -> None:
            if answer.done():
                return
            if isinstance(outcome, Rejected | MatchLost):
                answer.set_exception(outcome)
            else:
                answer.set_result(outcome.after)

        self.submit(table, command, reply)
        return answer

    def _run(self, table: Table, command: Command, reply: Reply | None) -> None:
        try:
            step = self._decide(table, command)
        except Rejected as rejected:
            if reply is not None:
                reply(rejected)
            return
        if not step.entries:
            if reply is not None:
                reply(step)
            return
        table.busy = True
        append = Append(
            table.match.id,
            table.match.version,
            table.fence,
            tuple(encode_entry(entry) for entry in step.entries),
        )

        def done(result: AppendResult | StoreError) -> None:
            if isinstance(result, Appended):
                table.keep(append.entries)
            self._answered(table, step, reply, result)

        self.committer.add(Commit(append, done))

    def go_on(self, table: Table) -> None:
        """Let the house go on where it owes a decision, in turn with all that the loop has to do.

        Where many bots are gone at once, the house would else play all their tables in one go; and
        where it plays alone, a match of many deals would take the time of those that are played.
        """
        if table.match.house_owes is None or table.busy or self.clock.stopped:
            return
        if table.match.deserted:
            self._deserted.add(table)
            return
        self._house.append(table)
        if len(self._house) == 1:
            self._loop.call_soon(self._next_house)

    def _next_house(self) -> None:
        try:
            self._play_house(self._house[0])
        finally:
            self._house.popleft()
            if self._house:
                self._loop.call_soon(self._next_house)

    def _play_house(self, table: Table) -> None:
        live = self._tables.get(table.match.id) is table and not self.clock.stopped
        if live and table.match.house_owes is not None and not table.busy:
            self._run(table, GoOn(), None)

    def _decide(self, table: Table, command: Command) -> Step:
        """The step of a command. Where deciding itself fails, the match ends without a result:
        a fault of the service is no bot's, and must not stop the other tables.
        """
        try:
            return decide(table.match, command, wall_ms())
        except Rejected:
            raise
        except Exception:
            _log.exception("decide_failed", match_id=table.match.id, command=type(command).__name__)
            abandon = Abandon(EndReason.INFRASTRUCTURE, "the service failed")
            return decide(table.match, abandon, wall_ms())

    def _answered(
        self, table: Table, step: Step, reply: Reply | None, result: AppendResult | StoreError
    ) -> None:
        held = self._tables.get(table.match.id) is table
        if not held or not isinstance(result, Appended):
            why = type(result).__name__
            if reply is not None:
                reply(MatchLost(table.match.id, why))
            if held:
                _log.warning("append_refused", match_id=table.match.id, result=repr(result))
                self._on_lost(table, why)
            return
        try:
            self._committed(table, step, reply)
        except Exception:
            # The journal has it; whoever takes the match over next tells the rest.
            _log.exception("telling_failed", match_id=table.match.id)
            self._on_lost(table, "telling failed")

    def _committed(self, table: Table, step: Step, reply: Reply | None) -> None:
        before, after = table.match, step.after
        table.match = after
        table.moved_at = at = self._loop.time()
        if reply is not None:
            reply(step)
        self._tell(table, before, step, self.clock.now(at))
        table.busy = False
        if after.stage is not before.stage or not self._wakes(table, at):
            self._arm(table)
        while table.commands and not table.busy:
            command, waiting = table.commands.popleft()
            self._run(table, command, waiting)
        self.go_on(table)
        if after.stage is Stage.ENDED:
            self.end(table)

    # -- telling --------------------------------------------------------------------------------

    def _tell(self, table: Table, before: Match, step: Step, now: float) -> None:
        """Tell seats and readers what came of a committed step, and start the clocks."""
        previous = before
        for entry, after in zip(step.entries, step.states, strict=True):
            self._count(table, previous, entry, after)
            for reader in table.readers:
                reader.read(previous, entry, after)
            if len(after.game.finished) > len(previous.game.finished):
                self._to_seats(table, partial(_deal_ended, after))
            if isinstance(entry, Faulted):
                self._tell_fault(table, entry, after)
            previous = after
        self._ask(table, before, step.after, now)
        if step.after.stage is not before.stage:
            table.stage_started = now
            if step.after.stage is Stage.PLAYING:
                table.begin_play(now)
            self._restaged(before.stage, step.after.stage)
            if step.after.stage is Stage.ENDED:
                self._tell_end(table, step.after)
            else:
                self._notices.changed(table)

    def _ask(self, table: Table, before: Match, after: Match, now: float) -> None:
        """Start the clocks of the decisions that are owed now, and send them to their seats."""
        for seat in SEATS:
            since = after.owed_since[seat]
            if since == before.owed_since[seat]:
                continue
            attached = table.attached[seat]
            if not since:
                table.stop_clock(seat)
                if attached is not None:
                    attached.session.withdraw_turn(attached.ref)
                continue
            table.start_clock(seat, now)
            if attached is None:
                continue
            if after.seats[seat].house or self.clock.stopped:
                # In a server that stops: whoever holds the match next asks.
                attached.session.withdraw_turn(attached.ref)
            else:
                trip = attached.session.round_trip_ms
                turn = frames.turn(
                    after, seat, attached.ref, elapsed=0, round_trip=trip, again=False
                )
                attached.session.send_turn(attached.ref, turn)

    def elapsed_ms(self, table: Table, seat: Seat) -> int:
        """Milliseconds on a seat's clock; more than there are only where the store has proved alive
        after they were over.
        """
        elapsed = table.elapsed_ms(seat, self.now())
        limit = clocks.limit(table.match.spec.time, table.match.seats[seat].bank)
        if elapsed <= limit:
            return elapsed
        return max(limit, table.elapsed_ms(seat, self.clock.proved))

    def turn(self, table: Table, seat: Seat, *, again: bool) -> frames.Outgoing:
        """The turn of a seat that owes a decision and has its bot here."""
        attached = table.attached[seat]
        if attached is None:
            raise ValueError(f"nobody is attached to {seat}")
        elapsed = self.elapsed_ms(table, seat)
        return frames.turn(
            table.match,
            seat,
            attached.ref,
            elapsed=elapsed,
            round_trip=attached.session.round_trip_ms,
            again=again,
        )

    def _tell_fault(self, table: Table, entry: Faulted, after: Match) -> None:
        _log.warning("fault", **lines.fault(entry, after))
        attached = table.attached[entry.seat]
        if attached is not None:
            attached.session.send(frames.fault(fault_shown(after), attached.ref))

    def _tell_end(self, table: Table, match: Match) -> None:
        for attached in table.attached:
            if attached is not None:
                attached.session.send_last(attached.ref, frames.match_ended(match, attached.ref))

    def _to_seats(self, table: Table, message: Callable[[int], frames.ServerMessage]) -> None:
        for attached in table.attached:
            if attached is not None:
                attached.session.send(message(attached.ref))

    def end(self, table: Table) -> None:
        """Host a match that is over no longer."""
        match = table.match
        assert match.end is not None
        _log.info("match_ended", **lines.match_ended(match))
        self._metrics.matches_ended[match.end.value].inc()
        self.drop(table)
        self._on_ended(table)

    # -- time -----------------------------------------------------------------------------------

    def now(self) -> float:
        """The time of the service clock, in seconds."""
        return self.clock.now(self._loop.time())

    def wind_up(self) -> None:
        """Ask nobody anything more, and let no more time pass; answers are still taken."""
        self.clock.stop(self._loop.time())

    async def pulse(self) -> None:
        """Let the clock see that this process runs, until cancelled."""
        before = 0.0
        while True:
            self.now()
            if self.clock.stalled > before:
                _log.warning("stalled", seconds=round(self.clock.stalled - before, 3))
                before = self.clock.stalled
            await asyncio.sleep(PULSE_S)

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
                        await self.watch.ask(self._store.probe(), write=True)
                    else:
                        await self.watch.ask(self._store.ping())
                except StoreError:
                    await asyncio.sleep(_RETRY_S)

    def expect(self, table: Table, seat: Seat) -> None:
        """The bot of a seat is still to come back from where the match was held before."""
        table.expect(seat, self.now() + self._return_s)

    def _arm(self, table: Table) -> None:
        """See that something wakes the table at its deadline.

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
        self._timers[match_id] = self._loop.call_at(comes, self._on_timer, table)

    def _wakes(self, table: Table, at: float) -> bool:
        """Whether the table has a timer that goes off before a decision asked at ``at`` is late.

        Most moves come long before any deadline, so this spares them all looking for the next one.
        """
        timer = self._timers.get(table.match.id)
        return timer is not None and timer.when() <= at + table.match.spec.time.per_move / 1000

    def rearm(self, table: Table) -> None:
        """Look at the deadlines again, after seats were attached or detached."""
        self._arm(table)

    def _on_timer(self, table: Table) -> None:
        match_id = table.match.id
        if self._tables.get(match_id) is table:
            del self._timers[match_id]
            self._look(table)

    def _proved(self) -> None:
        """The store lives: look again at what was due."""
        if self._due:
            due, self._due = self._due, {}
            for table in due.values():
                if self._tables.get(table.match.id) is table:
                    self._look(table)

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
                self.submit(table, command)
            if not table.busy:
                self._arm(table)
        elif self.clock.stands(self._loop.time()) or deadline <= self.now():
            self._due[table.match.id] = table
            self._due_some.set()
        else:
            self._arm(table)

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
                return RunOut(seat, match.owed_since[seat])
            away = table.grace_end(seat)
            if away is not None and away <= at:
                return GiveUp(seat, FaultKind.DISCONNECTED, "away for longer than the grace")
        return None

    # -- counting -------------------------------------------------------------------------------

    def _count(self, table: Table, before: Match, entry: Entry, after: Match) -> None:
        """Count what was done; what is done in a contre window, when the window has closed."""
        if after.sealed is not None:
            table.uncounted.append((before, entry))
            return
        for match, done in table.uncounted:
            self._count_one(match, done)
        table.uncounted.clear()
        self._count_one(before, entry)

    def _count_one(self, match: Match, entry: Entry) -> None:
        if isinstance(entry, Acted):
            kind = match.game.decision_kind(entry.seat)
            if kind is not None:
                self._metrics.moved(kind.value, None if entry.by_house else entry.charged / 1000)
        elif isinstance(entry, Faulted):
            self._metrics.faults[entry.kind.value].inc()

    def _restaged(self, before: Stage | None, after: Stage | None) -> None:
        """A table went from one stage to another; None where it was, or is, not here."""
        if before in _COUNTED:
            self._metrics.tables[before.value].dec()
        if after in _COUNTED:
            self._metrics.tables[after.value].inc()
        self.in_play += (after is Stage.PLAYING) - (before is Stage.PLAYING)

    def oldest_unmoved(self) -> float:
        """Seconds since the last entry of the table in play that waits longest; 0 without one."""
        now = self._loop.time()
        playing = (t for t in self._tables.values() if t.match.stage is Stage.PLAYING)
        return max((now - table.moved_at for table in playing), default=0.0)


def _deal_ended(match: Match, ref: int) -> frames.ServerMessage:
    return frames.deal_ended(match, len(match.game.finished), ref)


_COUNTED = (Stage.WAITING, Stage.READYING, Stage.PLAYING)


def wall_ms() -> int:
    """Milliseconds since the epoch, for display only."""
    return time.time_ns() // 1_000_000
