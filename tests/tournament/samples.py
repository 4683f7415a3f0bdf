"""Results made by hand."""

from __future__ import annotations

from contree.tournament.formats import RoundRobin
from contree.tournament.schedule import Side, Table
from contree.tournament.tables import TableFault, TableResult


def table_of(schedule: RoundRobin, board: int, first: str, second: str, side: str) -> Table:
    return next(
        table
        for table in schedule.tables_of(board)
        if table.pairing == (first, second) and table.side is Side(side)
    )


def result(
    table: Table,
    marks: tuple[int, int],
    faults: tuple[TableFault, ...] = (),
    decisions: int = 16,
    seconds: float = 1.6,
) -> TableResult:
    """A result in which each bot made some decisions."""
    return TableResult(
        table=table,
        match_id=f"m-{table.id}",
        reason="board_done",
        seats=dict(zip("NESW", [*table.pairing, *table.pairing], strict=True)),
        marks=marks,
        contract="80SN",
        made=True,
        faults=faults,
        decisions=dict.fromkeys(table.pairing, decisions),
        seconds=dict.fromkeys(table.pairing, seconds),
    )


def board(
    schedule: RoundRobin,
    number: int,
    pairing: tuple[str, str],
    a: tuple[int, int],
    b: tuple[int, int],
) -> list[TableResult]:
    """Both tables of a board of a pairing."""
    return [
        result(table_of(schedule, number, *pairing, side), marks)
        for side, marks in (("A", a), ("B", b))
    ]
