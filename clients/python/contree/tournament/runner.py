"""The loop: create tables as far as there is room, hear how they end, write it down, disclose.

The runner is a client of the service like any other. It knows a table by its request id, so it can
be stopped at any moment: run again, it asks for the same tables and is given those that exist.

A match that ended as not started, cancelled or for a failure of the service is no result. The table
is played again as a new attempt, a bounded number of times.

Tables that an earlier run left behind were without the bots that it had started. Those that are not
over are cancelled and played again; of those that are over, one with a fault is played again, for
whose fault that was cannot be known. Who was ahead plays no part in it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Final

from contree.client import (
    Board,
    BotSeat,
    ContreeError,
    Disclosure,
    Fixed,
    HostClient,
    Match,
    MatchOver,
    MatchSpec,
    ServiceError,
)
from contree.tournament.config import EventConfig
from contree.tournament.errors import Unplayable
from contree.tournament.folder import EventFolder
from contree.tournament.layout import lay_out
from contree.tournament.outcome import result_of
from contree.tournament.progress import Progress
from contree.tournament.results import ResultLog, write_whole
from contree.tournament.schedule import (
    RoundRobin,
    Seating,
    Side,
    Table,
    board_group,
    request_id,
)
from contree.tournament.tables import Attempt

MOST_ATTEMPTS: Final = 3
"""Attempts at one table in one run that may fail."""
_QUIET_S: Final = 20.0
"""After so long without news the tables in play are looked at."""
_CANCEL_OLD_S: Final = 20.0
_CANCEL_OWN_S: Final = 5.0
_RETRY_S: Final = 0.25


class Runner:
    """Plays the tables of a schedule that have no result yet."""

    def __init__(
        self,
        event_id: str,
        config: EventConfig,
        seed: bytes,
        schedule: RoundRobin,
        host: HostClient,
        folder: EventFolder,
        log: ResultLog,
        *,
        note: Callable[[str], None],
        on_result: Callable[[Progress], None],
    ) -> None:
        self._event = event_id
        self._config = config
        self._seed = seed
        self._schedule = schedule
        self._host = host
        self._folder = folder
        self._log = log
        self._note = note
        self._on_result = on_result
        self._seating = Seating(schedule)
        self._playing: dict[str, Table] = {}
        """By match id."""
        self._attempts: dict[str, list[Attempt]] = {}
        self._failures: Counter[str] = Counter()
        self._left_over: set[str] = set()
        self._before = len(log.done)
        self._open = self._count_open()
        self._sides = Counter((r.table.board, r.table.pairing) for r in log.done.values())
        self._closed = sum(count == len(Side) for count in self._sides.values())

    # -- before and after -----------------------------------------------------------------------

    async def clear_left_over(self) -> None:
        """Cancel what an earlier run left unfinished, before any bot can go on with it."""
        unfinished = []
        async for match in self._host.list_matches(self._event):
            self._left_over.add(match.id)
            if not match.ended:
                unfinished.append(match.id)
        if unfinished:
            self._note(f"{len(unfinished)} tables were left unfinished: they are played again.")
            await self._cancel(unfinished, _CANCEL_OLD_S)

    async def cancel_playing(self) -> None:
        """Leave nothing behind that would be played without its bots."""
        await self._cancel(list(self._playing), _CANCEL_OWN_S)

    # -- the loop -------------------------------------------------------------------------------

    async def play(self, room: Mapping[str, int]) -> None:
        """Play until every table has a result; ``room`` says how many tables a bot plays at once.

        Raises Unplayable, and what the client raises when the service stays away.
        """
        self._seating = Seating(self._schedule, self._log.done, room)
        await self._disclose_closed()
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

    async def _listen(self, news: asyncio.Queue[Match]) -> None:
        async for update in self._host.watch_matches(self._event):
            if update.match.ended:
                news.put_nowait(update.match)

    async def _heard(self, news: asyncio.Queue[Match], listener: asyncio.Task[None]) -> list[Match]:
        """The next matches that ended. When nothing is heard for long, it is looked for."""
        getter = asyncio.create_task(news.get())
        try:
            await asyncio.wait(
                {getter, listener}, timeout=_QUIET_S, return_when=asyncio.FIRST_COMPLETED
            )
            if getter.done():
                return [getter.result()]
        finally:
            getter.cancel()
        if listener.done():
            listener.result()
            raise AssertionError("watching never ends by itself")
        return [await self._host.get_match(match_id) for match_id in list(self._playing)]

    async def _fill(self) -> None:
        """Create tables until as many are played as there may be."""
        while len(self._playing) < self._config.tables:
            table = self._seating.next()
            if table is None:
                return
            match = await self._create(table)
            self._playing[match.id] = table
            if match.ended:
                await self._ended(table, match)

    async def _create(self, table: Table) -> Match:
        layout = lay_out(table, self._seed, self._config.name, self._config.rules)
        attempt = len(self._attempts.get(table.id, ())) + 1
        name = request_id(self._event, table, attempt)
        return await self._host.create_match(
            MatchSpec(
                request_id=name,
                seats={seat: BotSeat(bot) for seat, bot in layout.seats.items()},
                mode=Board(table.board),
                rules=self._config.preset or self._config.rules,
                deals=Fixed(layout.deal.dealer, layout.deal.hands),
                time_control=self._config.time,
                fault_policy=self._config.faults,
                labels=(self._event, name),
                disclosure_group=board_group(self._event, table.board),
                disclosure=Disclosure.WHEN_GROUP_RELEASED,
            )
        )

    async def _ended(self, table: Table, match: Match) -> None:
        del self._playing[match.id]
        attempts = self._attempts.setdefault(table.id, [])
        reason = self._no_result(match)
        if reason is not None:
            attempts.append(Attempt(match.id, reason))
            self._seating.left(table, again=True)
            self._failed(table, match, reason)
            return
        result = result_of(table, match, tuple(attempts))
        self._log.append(result)
        self._seating.left(table)
        self._sides[table.board, table.pairing] += 1
        self._closed += self._sides[table.board, table.pairing] == len(Side)
        self._open[table.board] -= 1
        if not self._open[table.board]:
            await self._disclose(table.board)
        self._on_result(self.progress())

    def _no_result(self, match: Match) -> str | None:
        """Why the match is no result; None when it is one."""
        if not match.counts:
            return match.end_reason.value if match.end_reason else "unknown"
        if match.id in self._left_over and match.faults:
            return "unattended"
        return None

    def _failed(self, table: Table, match: Match, reason: str) -> None:
        if match.id in self._left_over:
            return
        self._failures[table.id] += 1
        absent = sorted({seat.bot for seat in match.seats if not seat.taken})
        why = f" (nobody came for {', '.join(absent)})" if absent else ""
        if self._failures[table.id] == MOST_ATTEMPTS:
            raise Unplayable(
                f"Table {table.id} came to no result in {MOST_ATTEMPTS} attempts: "
                f"{reason.replace('_', ' ')}{why}. Run the event again to go on from here."
            )
        self._note(f"Table {table.id}: {reason.replace('_', ' ')}{why}; it is played again.")

    # -- disclosure -----------------------------------------------------------------------------

    async def _disclose_closed(self) -> None:
        """Fetch the records that an earlier run did not come to."""
        for board, left in self._open.items():
            tables = self._schedule.tables_of(board)
            if not left and not all(self._folder.record(t.id).exists() for t in tables):
                await self._disclose(board)

    async def _disclose(self, board: int) -> None:
        """All tables of a board have their result: its cards may be shown now, to everybody.

        All pairings play the same cards, so a board is closed when the last of them has done so.
        """
        await self._host.release_group(board_group(self._event, board))
        for table in self._schedule.tables_of(board):
            path = self._folder.record(table.id)
            if path.exists():
                continue
            try:
                text = await self._host.get_record(self._log.done[table.id].match_id)
            except ServiceError as error:
                self._note(f"The record of table {table.id} is not to be had: {error}")
            else:
                write_whole(path, text)

    # -- small things ---------------------------------------------------------------------------

    def progress(self) -> Progress:
        """How far it is."""
        done = len(self._log.done)
        return Progress(
            tables=done,
            of_tables=len(self._schedule),
            boards=self._closed,
            of_boards=len(self._schedule) // len(Side),
            playing=len(self._playing),
            played=done - self._before,
        )

    def _count_open(self) -> dict[int, int]:
        each = len(self._schedule.tables_of(1))
        tables_done = Counter(result.table.board for result in self._log.done.values())
        return {n: each - tables_done[n] for n in range(1, self._schedule.boards + 1)}

    async def _cancel(self, match_ids: list[str], patience: float) -> None:
        """Cancel matches. One whose server died a moment ago is nobody's for some seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(patience):
                for match_id in match_ids:
                    await self._cancel_one(match_id)

    async def _cancel_one(self, match_id: str) -> None:
        while True:
            try:
                await self._host.cancel_match(match_id, "the runner stopped")
            except MatchOver:
                return
            except ServiceError:
                await asyncio.sleep(_RETRY_S)
            except ContreeError:
                return
            else:
                return
