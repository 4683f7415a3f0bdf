"""The live tables of this server: takes commands, decides and commits them.

A command is decided at once when its table is free, and waits while the table's last entries are on
their way to the journal. Nothing of a step is told to anybody (`telling`) before its entries are
committed. What time itself has happen comes as commands, too (`deadlines`). There is no task per
table or per move: timers are the event loop's, the commit loop is one task.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from typing import Final

import structlog

from contree.engine import SEATS
from contree.server.host import lines
from contree.server.host.committer import Commit, Committer
from contree.server.host.deadlines import Deadlines
from contree.server.host.errors import MatchLost
from contree.server.host.notices import Notices
from contree.server.host.seats import Seats
from contree.server.host.spare import Spare
from contree.server.host.table import Reply, Table
from contree.server.host.tally import Tally
from contree.server.host.telling import Telling
from contree.server.match import (
    Abandon,
    Command,
    EndReason,
    GoOn,
    Match,
    Rejected,
    Stage,
    Step,
    decide,
    encode_entry,
)
from contree.server.store import Append, Appended, AppendResult, MatchStore, StoreError
from contree.server.telemetry import Metrics
from contree.server.wall_clock import wall_ms

_NOT_OVERDUE_S: Final = 1.0
"""A table that has come on within so many seconds is not looked at further."""
_log = structlog.get_logger(__name__)


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
        self._metrics = metrics
        self._on_ended = on_ended
        self._on_lost = on_lost
        self._loop = asyncio.get_running_loop()
        self._context = copy_context()
        """Of no call: what the house does is not logged as of the call before it."""
        self._tables: dict[str, Table] = {}
        self.owned: Counter[str] = Counter()
        """How many of them each owner has."""
        self.seats = Seats()
        self._house: deque[Table] = deque()
        """Tables at which the house goes on, one at each pass of the loop."""
        self._deserted = Spare(self._play_house)
        """Those at which it is alone."""
        self.deadlines = Deadlines(
            store, metrics, return_s=return_s, holds=self._holds, submit=self.submit
        )
        self.watch = self.deadlines.watch
        self._clock = self.deadlines.clock
        self._tally = Tally(metrics)
        self.telling = Telling(self.deadlines, self._tally, notices)
        self.committer = Committer(store, metrics, self.watch)

    # -- tables ---------------------------------------------------------------------------------

    def get(self, match_id: str) -> Table | None:
        """The live table of a match, None when it is not here."""
        return self._tables.get(match_id)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._tables)

    def all(self) -> tuple[Table, ...]:
        """All live tables."""
        return tuple(self._tables.values())

    @property
    def count(self) -> int:
        """How many live tables there are."""
        return len(self._tables)

    def connected(self, match_id: str) -> tuple[bool, bool, bool, bool]:
        """Which seats' bots are here."""
        table = self._tables.get(match_id)
        if table is None:
            return False, False, False, False
        north, east, south, west = (attached is not None for attached in table.attached)
        return north, east, south, west

    @property
    def in_play(self) -> int:
        """How many of them are in play."""
        return self._tally.in_play

    def longest_overdue(self) -> float:
        """Seconds that the table in play which is overdue for longest had to come on before now; 0
        when none is, and while the store is away: no time passes then.
        """
        now = self.deadlines.now()
        longest = 0.0
        for table in self._tables.values():
            # Most have come on a moment ago, and there are thousands of them.
            if now - table.moved_at > max(longest, _NOT_OVERDUE_S):
                longest = max(longest, table.overdue(now))
        return longest

    def add(self, match: Match, fence: int, *, adopted: bool = False) -> Table:
        """Host a match from here on; its bots are to come back when it is ``adopted``."""
        begins = self.deadlines.now() + (self.deadlines.return_s if adopted else 0.0)
        table = Table(match, fence, begins, self._loop.time())
        if match.id not in self._tables:
            self.owned[match.spec.owner] += 1
        self._tables[match.id] = table
        self._tally.restaged(None, match.stage)
        self.deadlines.arm(table)
        return table

    def drop(self, table: Table) -> None:
        """Host a match no longer. Its commands are answered as lost, its seats set free.

        Whatever goes wrong with one of them, the table is gone and the others are done.
        """
        if self._tables.pop(table.match.id, None) is None:
            return
        owner = table.match.spec.owner
        self.owned[owner] -= 1
        if not self.owned[owner]:
            del self.owned[owner]
        self._safely(table, partial(self.deadlines.disarm, table))
        self._safely(table, partial(self._tally.restaged, table.match.stage, None))
        for seat in SEATS:
            attached, table.attached[seat] = table.attached[seat], None
            if attached is not None:
                self._safely(table, partial(self.seats.take, attached.session, attached.ref))
        for reader in table.readers:
            self._safely(table, reader.close)
        table.readers.clear()
        lost = MatchLost(table.match.id, "not held here any more")
        while table.commands:
            _, reply = table.commands.popleft()
            if reply is not None:
                self._safely(table, partial(reply, lost))

    def lose(self, table: Table, why: str) -> None:
        """Give a table up: whoever finds its lease ended, this server too, takes it over. Nothing
        is raised.
        """
        self._safely(table, partial(self._on_lost, table, why))
        self.drop(table)

    def _safely(self, table: Table, tell: Callable[[], object]) -> None:
        """Tell somebody of a table that is given up: nobody keeps it from the others."""
        try:
            tell()
        except Exception:
            self._failed(table)

    def _failed(self, table: Table) -> None:
        """What came of a command could not be told: this is a fault of the service."""
        self._metrics.telling_failures.inc()
        _log.exception("telling_failed", match_id=table.match.id)

    def _holds(self, table: Table) -> bool:
        return self._tables.get(table.match.id) is table

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
        append = Append(
            table.match.id,
            table.match.version,
            table.fence,
            tuple(encode_entry(entry) for entry in step.entries),
        )
        table.busy = True

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
        if table.match.house_owes is None or table.busy or self._clock.stopped:
            return
        if table.match.deserted:
            self._deserted.add(table)
            return
        self._house.append(table)
        if len(self._house) == 1:
            self._loop.call_soon(self._next_house, context=self._context)

    def _next_house(self) -> None:
        try:
            self._play_house(self._house[0])
        finally:
            self._house.popleft()
            if self._house:
                self._loop.call_soon(self._next_house, context=self._context)

    def _play_house(self, table: Table) -> None:
        live = self._holds(table) and not self._clock.stopped
        if live and table.match.house_owes is not None and not table.busy:
            match = table.match
            if match.deserted and match.spec.practice and not any(table.attached):
                # Nobody waits for its result, and it may have thousands of deals.
                self._run(table, Abandon(EndReason.CANCELLED, "its bot has left"), None)
            else:
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
        """The store has answered. Nothing is raised: other tables' answers follow."""
        held = self._holds(table)
        if not held or not isinstance(result, Appended):
            why = type(result).__name__
            if reply is not None:
                self._safely(table, partial(reply, MatchLost(table.match.id, why)))
            if held:
                _log.warning("append_refused", match_id=table.match.id, result=repr(result))
                self.lose(table, why)
            return
        try:
            self._committed(table, step, reply)
        except Exception:
            # The journal has it; whoever takes the match over next tells the rest.
            self._failed(table)
            self.lose(table, "telling failed")

    def _committed(self, table: Table, step: Step, reply: Reply | None) -> None:
        before, after = table.match, step.after
        table.match = after
        at = self._loop.time()
        table.moved_at = now = self._clock.now(at)
        if after.sealed is None:
            table.shown_at = at
        if reply is not None:
            reply(step)
        self.telling.tell(table, before, step, now)
        table.busy = False
        if after.stage is not before.stage or not self.deadlines.wakes(table, at):
            self.deadlines.arm(table)
        while table.commands and not table.busy:
            command, waiting = table.commands.popleft()
            self._run(table, command, waiting)
        self.go_on(table)
        if after.stage is Stage.ENDED:
            self.end(table)

    def end(self, table: Table) -> None:
        """Host a match that is over no longer."""
        match = table.match
        assert match.end is not None
        _log.info("match_ended", **lines.match_ended(match))
        self._metrics.matches_ended[match.end.value].inc()
        self.drop(table)
        self._on_ended(table)
