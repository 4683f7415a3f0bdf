"""Showing the cards of a board once all its tables have a result, and keeping their records.

All pairings play the same cards, so a board is disclosed when the last of them has played it, not
before: a bot that still has it to play could read them. Tables beyond the end of a sequential test
are shown when it is over.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable

from contree.client import HostClient, ServiceError
from contree.tournament.folder import EventFolder
from contree.tournament.plan import Plan
from contree.tournament.results import ResultLog, write_whole
from contree.tournament.schedule import Table
from contree.tournament.tables import FORFEITED


class Disclosing:
    """Releases boards and fetches records."""

    def __init__(
        self,
        plan: Plan,
        host: HostClient,
        folder: EventFolder,
        log: ResultLog,
        note: Callable[[str], None],
    ) -> None:
        self._plan = plan
        self._host = host
        self._folder = folder
        self._log = log
        self._note = note
        self._tables: dict[int, list[Table]] = {}
        self._finished: Counter[int] = Counter()

    def expect(self, tables: Iterable[Table]) -> None:
        """These are the tables of the event, as far as they are known."""
        boards: dict[int, list[Table]] = defaultdict(list)
        for table in tables:
            boards[table.board].append(table)
        self._tables = boards
        self._finished = Counter(
            board
            for board, expected in boards.items()
            for table in expected
            if table.id in self._log.done
        )

    async def catch_up(self) -> None:
        """Do what an earlier run did not come to."""
        for board in sorted(self._finished):
            if self._closed(board):
                await self._disclose(board)

    async def finished(self, board: int) -> None:
        """One more table of this board has a result."""
        self._finished[board] += 1
        if self._closed(board):
            await self._disclose(board)

    def _closed(self, board: int) -> bool:
        return 0 < len(self._tables.get(board, ())) <= self._finished[board]

    async def _disclose(self, board: int) -> None:
        missing = [
            table
            for table in self._tables[board]
            if self._log.done[table.id].reason != FORFEITED
            and not self._folder.record(table.id).exists()
        ]
        if missing:
            await self._host.release_group(self._plan.group(board))
        for table in missing:
            try:
                text = await self._host.get_record(self._log.done[table.id].match_id)
            except ServiceError as error:
                self._note(f"The record of table {table.id} cannot be had: {error}")
            else:
                write_whole(self._folder.record(table.id), text)
