"""Live tables in virtual time: an event loop whose clock jumps, and a store that does as told."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar, cast

from tests.match.matches import seated, spec

from contree.engine import SEATS, Action, Seat
from contree.server.host.errors import MatchLost
from contree.server.host.notices import Notices
from contree.server.host.session import Identity, Session
from contree.server.host.table import Attached, Table
from contree.server.host.tables import Tables
from contree.server.match import Act, Match, MatchSpec, Rejected, Step
from contree.server.store import (
    Append,
    Appended,
    AppendResult,
    Fenced,
    StoreError,
    StoreUnavailable,
)
from contree.server.telemetry import Metrics

T = TypeVar("T")
REPLY_S = 5.0
"""After so long the store is given up."""


class VirtualLoop(asyncio.SelectorEventLoop):
    """Where nothing is to be done, time jumps to the next timer."""

    def __init__(self) -> None:
        self.at = 1000.0
        super().__init__(_Jumping(self))

    def time(self) -> float:
        return self.at


class _Jumping(selectors.SelectSelector):
    def __init__(self, loop: VirtualLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> Any:
        ready = super().select(0)
        if not ready and timeout is None:
            raise AssertionError("nothing will ever happen here")
        if not ready and timeout:
            self._loop.at += timeout
        return ready


def virtually(test: Callable[[], Coroutine[Any, Any, None]]) -> Callable[[], None]:
    """Run a test in virtual time; it is an ordinary function then."""

    def run() -> None:
        with asyncio.Runner(loop_factory=VirtualLoop) as runner:
            runner.run(test())

    run.__name__ = test.__name__
    run.__doc__ = test.__doc__
    return run


def at() -> float:
    """The time of the loop."""
    return asyncio.get_running_loop().time()


def stop_process(seconds: float) -> None:
    """Nothing runs for so long: SIGSTOP, SIGCONT."""
    cast(VirtualLoop, asyncio.get_running_loop()).at += seconds


class ScriptedStore:
    """Answers at once while it is up; else its callers wait until they give it up.

    It keeps nothing: it says that everything was appended.
    """

    parts = False

    def __init__(self) -> None:
        self._up = asyncio.Event()
        self._up.set()
        self.refuses = False
        """While it is down: fails at once, as if nobody listened."""
        self.writes = True
        """While it is up: off, and it answers what it is asked, but takes nothing more."""
        self.taken: set[str] = set()
        """Matches that another server holds."""
        self.appended: list[Append] = []
        self.pings = 0

    def down(self, *, refuses: bool = False) -> None:
        self._up.clear()
        self.refuses = refuses

    def up(self) -> None:
        self._up.set()

    async def _answer(self) -> None:
        if not self._up.is_set():
            try:
                if self.refuses:
                    raise TimeoutError
                async with asyncio.timeout(REPLY_S):
                    await self._up.wait()
            except TimeoutError:
                raise StoreUnavailable("scripted", "down") from None

    async def ping(self) -> None:
        self.pings += 1
        await self._answer()

    async def probe(self) -> None:
        await self._answer()
        self._write()

    def _write(self) -> None:
        if not self.writes:
            raise StoreUnavailable("scripted", "OOM")

    async def append(self, group: Sequence[Append]) -> list[AppendResult | StoreError]:
        try:
            await self._answer()
            self._write()
        except StoreUnavailable as error:
            return [error] * len(group)
        self.appended += group
        return [
            Fenced(part.fence + 1)
            if part.match_id in self.taken
            else Appended(part.expected_version + len(part.entries))
            for part in group
        ]


class Place:
    """Tables and the tasks that move them."""

    def __init__(self, *, return_s: float = 15.0) -> None:
        self.store = ScriptedStore()
        self.lost: list[str] = []
        self.ended: list[Match] = []
        self.losing_fails = False
        self.metrics = Metrics()
        store = cast(Any, self.store)
        self.tables = Tables(
            store,
            self.metrics,
            Notices(store),
            return_s=return_s,
            on_ended=lambda table: self.ended.append(table.match),
            on_lost=self._lost,
        )

    def _lost(self, table: Table, why: str) -> None:
        if self.losing_fails:
            raise RuntimeError("losing fails")
        self.lost.append(why)

    def sit(self, made: MatchSpec | None = None, match: Match | None = None) -> Table:
        """A table in play, all bots there."""
        table = self.tables.add(match or seated(made or spec())[0], 1)
        for seat in SEATS:
            self.attach(table, seat)
        self.tables.deadlines.arm(table)
        return table

    def adopt(self, match: Match) -> Table:
        """A table that was taken over; its bots are on their way back."""
        table = self.tables.add(match, 2, adopted=True)
        for seat in SEATS:
            self.tables.deadlines.expect(table, seat)
        self.tables.deadlines.arm(table)
        return table

    def attach(self, table: Table, seat: Seat) -> Session:
        identity = Identity(f"bot-{seat}", "1", f"instance-{seat}", 1)
        session = Session(identity, max_outbox=10_000, now=at())
        attached = Attached(session, self.tables.seats.give(session, table, seat))
        table.attach(seat, attached, self.tables.deadlines.now())
        self.tables.deadlines.arm(table)
        return session

    def detach(self, table: Table, seat: Seat) -> None:
        table.detach(seat, self.tables.deadlines.now())
        self.tables.deadlines.arm(table)

    def act(self, table: Table, seat: Seat, action: Action | None = None) -> Answer:
        """Answer what the seat owes, with the first legal action or this one."""
        match = table.match
        chosen = action or match.game.legal_actions(seat)[0]
        elapsed = self.tables.deadlines.elapsed_ms(table, seat)
        answer = Answer()
        command = Act(seat, match.decision_id(seat), chosen, elapsed)
        self.tables.submit(table, command, answer.outcomes.append)
        return answer


class Answer:
    """What became of an action, once it is known."""

    def __init__(self) -> None:
        self.outcomes: list[Step | Rejected | MatchLost] = []

    @property
    def step(self) -> Step:
        (outcome,) = self.outcomes
        assert isinstance(outcome, Step), outcome
        return outcome


@asynccontextmanager
async def place(*, return_s: float = 15.0) -> Any:
    """A place whose tasks run."""
    made = Place(return_s=return_s)
    tables = made.tables
    tasks = [
        asyncio.create_task(work())
        for work in (tables.committer.run, tables.deadlines.pulse, tables.deadlines.prove)
    ]
    await asyncio.sleep(0.01)
    yield made
    for task in tasks:
        task.cancel()
    for outcome in await asyncio.gather(*tasks, return_exceptions=True):
        assert isinstance(outcome, asyncio.CancelledError), outcome


def owing(table: Table) -> Iterator[Seat]:
    """The seats that owe a decision."""
    return (seat for seat in SEATS if table.match.owed_since[seat])
