"""The loop: create tables as far as there is room, hear how they end, write it down, disclose.

The runner is a client of the service like any other. It knows a table by its request id, so it can
be stopped at any moment: run again, it asks for the same tables and is given those that exist.

A match that ended as not started, cancelled or for a failure of the service is no result. The table
is played again as a new attempt, a bounded number of times.

Tables that an earlier run left behind were without the bots that it had started. Those that are not
over are cancelled and played again; of those that are over, one with a fault is played again, for
whose fault that was cannot be known. Who was ahead plays no part in it.

What is to be played the format says: everything at once, or a round when the one before is over, or
boards until a test has decided. It is asked again as often as it wants, with all results so far.

A bot that has failed for good is *out*: tables that it has not begun are forfeited, as the policy
of the event says, and the event goes on.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Protocol

from contree.client import EndReason, HostClient, Match
from contree.tournament.cancelling import LeftOver, cancel_own
from contree.tournament.disclosing import Disclosing
from contree.tournament.errors import TournamentError, Unplayable
from contree.tournament.folder import EventFolder
from contree.tournament.isolation import Post
from contree.tournament.outcome import result_of
from contree.tournament.plan import Plan
from contree.tournament.progress import Progress
from contree.tournament.results import ResultLog
from contree.tournament.schedule import Seating, Side, Table
from contree.tournament.tables import FORFEITED, Attempt, TableResult, forfeited

MOST_ATTEMPTS: Final = 3
"""Attempts at one table in one run that may fail."""
QUIET_S: Final = 20.0
"""After so long without news the tables in play are looked at."""


def stop(bot: str, error: TournamentError) -> None:
    """What becomes of an event whose bot has failed for good, where nothing else is said."""
    raise error


class Crews(Protocol):
    """Who fills the posts that are there for one match."""

    async def man(self, match_id: str, posts: Sequence[Post]) -> None:
        """Fill them."""

    def dismiss(self, match_id: str) -> None:
        """The match is over."""


class Runner:
    """Plays the tables of a schedule that have no result yet."""

    def __init__(
        self,
        plan: Plan,
        host: HostClient,
        folder: EventFolder,
        log: ResultLog,
        *,
        note: Callable[[str], None],
        on_result: Callable[[Progress], None],
        broken: Callable[[str, TournamentError], None] = stop,
    ) -> None:
        """``broken`` is told which bot has failed for good; it calls ``give_up``, or raises."""
        self._crews: Crews | None = None
        self._plan = plan
        self._host = host
        self._log = log
        self._note = note
        self._on_result = on_result
        self._broken = broken
        self._disclosing = Disclosing(plan, host, folder, log, note)
        self._left_over = LeftOver()
        self._seating = Seating(plan.schedule.bots)
        self._opened = plan.schedule.opened(log.done)
        self._known: set[str] = set()
        """The tables that the seating has been told of."""
        self._counting: set[str] = set()
        """The tables that there are; a sequential test takes some away again."""
        self._playing: dict[str, Table] = {}
        """By match id."""
        self._attempts: dict[str, list[Attempt]] = {}
        self._failures: Counter[str] = Counter()
        self._out: set[str] = set()
        self._before = len(log.done)
        self._replayed = sum(len(result.attempts) for result in log.done.values())
        self._forfeits = sum(result.reason == FORFEITED for result in log.done.values())
        self._sides = Counter((r.table.board, r.table.pairing) for r in log.done.values())
        self._closed = sum(count == len(Side) for count in self._sides.values())
        self._asked = self._closed

    async def clear_left_over(self) -> None:
        """Cancel what an earlier run left unfinished, before any bot can go on with it."""
        self._left_over = await LeftOver.clear(self._host, self._plan.id)
        if self._left_over.unfinished:
            self._note(f"{self._left_over.unfinished} unfinished tables are played again.")

    async def play(self, room: Mapping[str, int], crews: Crews | None = None) -> None:
        """Play until every table has a result; ``room`` says how many tables a bot plays at once,
        for those for whom there is a bound; ``crews`` fills the posts of single matches.

        Raises Unplayable, and what the client raises when the service stays away.
        """
        self._crews = crews
        self._seating = Seating(self._plan.schedule.bots, room)
        self._known.clear()
        self._follow()
        await self._disclosing.catch_up()
        await self._fill()
        news: asyncio.Queue[Match] = asyncio.Queue()
        listener = asyncio.create_task(self._listen(news))
        try:
            while self._playing:
                for match in await self._heard(news, listener):
                    table = self._playing.get(match.id)
                    if table is not None and match.ended:
                        await self._ended(table, match)
                await self._fill()
        finally:
            listener.cancel()
            await asyncio.wait([listener])
        self._opened = self._plan.schedule.opened(self._log.done)
        self._disclosing.expect((*self._opened.tables, *self._opened.surplus))
        await self._disclosing.catch_up()

    def give_up(self, bot: str) -> None:
        """The bot has failed for good: what it has not begun is forfeited."""
        self._out.add(bot)

    async def cancel_playing(self) -> None:
        """Leave nothing behind that would be played without its bots."""
        await cancel_own(self._host, list(self._playing))

    def playing(self) -> list[str]:
        """The ids of the tables in play."""
        return [table.id for table in self._playing.values()]

    def progress(self) -> Progress:
        """How far it is."""
        done = len(self._log.done)
        return Progress(
            tables=done,
            of_tables=self._opened.of_tables,
            boards=self._closed,
            of_boards=self._opened.of_tables // len(Side),
            playing=len(self._playing),
            played=done - self._before,
            forfeited=self._forfeits,
            replayed=self._replayed,
        )

    async def _listen(self, news: asyncio.Queue[Match]) -> None:
        async for update in self._host.watch_matches(self._plan.id):
            if update.match.ended:
                news.put_nowait(update.match)

    async def _heard(self, news: asyncio.Queue[Match], listener: asyncio.Task[None]) -> list[Match]:
        """The next match that ended. When nothing is heard for long, all in play are looked at."""
        getter = asyncio.create_task(news.get())
        try:
            await asyncio.wait(
                {getter, listener}, timeout=QUIET_S, return_when=asyncio.FIRST_COMPLETED
            )
            if getter.done():
                return [getter.result()]
        finally:
            getter.cancel()
        if listener.done():
            listener.result()
            raise AssertionError("watching does not end by itself")
        return [await self._host.get_match(match_id) for match_id in self._playing]

    async def _fill(self) -> None:
        """Create tables until as many are played as there may be."""
        while len(self._playing) < self._plan.config.tables:
            await self._ask()
            table = self._seating.next()
            if table is None:
                return
            if not self._out.isdisjoint(table.pairing):
                await self._forfeited(table)
                continue
            attempt = len(self._attempts.get(table.id, ())) + 1
            match = await self._host.create_match(self._plan.match(table, attempt))
            self._playing[match.id] = table
            if match.ended:
                await self._ended(table, match)
            elif self._crews is not None and (posts := self._plan.crew(table, attempt)):
                await self._crews.man(match.id, posts)

    async def _ask(self) -> None:
        """Ask the format what there is to be played now, if it is time to."""
        every = self._plan.schedule.asks_every
        if every is not None and self._closed - self._asked >= every:
            self._asked = self._closed
        elif self._opened.complete or not all(t.id in self._log.done for t in self._opened.tables):
            return
        self._opened = self._plan.schedule.opened(self._log.done)
        self._follow()
        unwanted = {
            match_id: table
            for match_id, table in self._playing.items()
            if table.id not in self._counting
        }
        for match_id in unwanted:
            self._seating.left(self._playing.pop(match_id))
            self._dismiss(match_id)
        if unwanted:
            await cancel_own(self._host, list(unwanted), "the event is decided without it")

    def _follow(self) -> None:
        """Let the seating know which tables there are."""
        tables = self._opened.tables
        self._counting = {table.id for table in tables}
        self._seating.close(lambda table: table.id not in self._counting)
        self._seating.open(
            table
            for table in tables
            if table.id not in self._known and table.id not in self._log.done
        )
        self._known |= self._counting
        self._disclosing.expect(tables)

    async def _ended(self, table: Table, match: Match) -> None:
        del self._playing[match.id]
        self._dismiss(match.id)
        attempts = self._attempts.setdefault(table.id, [])
        reason = self._no_result(match)
        self._seating.left(table, again=reason is not None)
        if reason is not None:
            attempts.append(Attempt(match.id, reason, match.end_detail))
            self._replayed += 1
            self._failed(table, match, reason)
            return
        await self._finished(result_of(table, match, tuple(attempts)))

    def _dismiss(self, match_id: str) -> None:
        if self._crews is not None:
            self._crews.dismiss(match_id)

    async def _forfeited(self, table: Table) -> None:
        self._seating.left(table)
        config = self._plan.config
        attempts = tuple(self._attempts.get(table.id, ()))
        await self._finished(
            forfeited(
                table,
                self._out,
                config.broken.marks,
                race=config.race is not None,
                attempts=attempts,
            )
        )

    async def _finished(self, result: TableResult) -> None:
        table = result.table
        self._log.append(result)
        self._forfeits += result.reason == FORFEITED
        self._sides[table.board, table.pairing] += 1
        self._closed += self._sides[table.board, table.pairing] == len(Side)
        await self._disclosing.finished(table.board)
        self._on_result(self.progress())

    def _no_result(self, match: Match) -> str | None:
        """Why the match is no result; None when it is one."""
        if not match.counts:
            return match.end_reason.value if match.end_reason else "unknown"
        if match.id in self._left_over.ids and match.faults:
            return "unattended"
        return None

    def _failed(self, table: Table, match: Match, reason: str) -> None:
        if match.id in self._left_over.ids:
            return
        self._failures[table.id] += 1
        why = reason.replace("_", " ")
        if match.end_detail:
            why += f" ({match.end_detail.rstrip('.')})"
        blamed = sorted(_kept_waiting(match) - self._out)
        if self._failures[table.id] == MOST_ATTEMPTS:
            error = Unplayable(
                f"Table {table.id} came to no result in {MOST_ATTEMPTS} attempts: {why}. "
                "Run the event again to go on from here."
            )
            for bot in blamed:
                self._broken(bot, error)
            if self._out.isdisjoint(table.pairing):
                raise error
            return
        if not self._out.isdisjoint(table.pairing):
            return
        self._note(f"Table {table.id} came to no result: {why}. It is played again.")


def _kept_waiting(match: Match) -> set[str]:
    """The bots for which a match was waited in vain: not there, or there and not ready."""
    absent = {seat.bot for seat in match.seats if not seat.taken}
    if match.end_reason is not EndReason.NOT_STARTED or absent:
        return absent
    # The service names seats and bots: "Not ready in time: North (alice), South (alice)."
    named = re.findall(r"\(([A-Za-z0-9._-]+)\)", match.end_detail)
    return {seat.bot for seat in match.seats} & set(named)
