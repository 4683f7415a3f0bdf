"""The record of a table compared with its event: rules, seats, cards and result. Pure."""

from __future__ import annotations

import re

from contree.engine import SEATS
from contree.engine.game import Game, Mode
from contree.engine.places import MODE, RULES, SEATS_TAG, WrongRecord, score_of
from contree.engine.recompute import check_seeded
from contree.engine.record import Record
from contree.tournament.proof import EventProof
from contree.tournament.schedule import Table
from contree.tournament.tables import TableResult


def check_table(
    record: Record, game: Game, event: EventProof, table: Table, *, seed: bytes | None, label: str
) -> str:
    """Compare a record with the table of the event that it is of, in the order of its lines.

    What the cards are, for people; empty when there is no seed to compute them from. Raises
    WrongRecord.
    """
    said = check_setting(record, event, table, seed=seed, label=label)
    result = event.results.get(table.id)
    if result is not None and game.outcome is not None:
        marks = marks_of(game, result)
        if marks != result.marks:
            counted = f"{result.marks[0]} to {table.pairing.first}, {result.marks[1]} to the other"
            raise WrongRecord(score_of(0), f"in the results of the event it counts {counted}")
    return said


def check_setting(
    record: Record, event: EventProof, table: Table, *, seed: bytes | None, label: str
) -> str:
    """The same for what was fixed before the first call: rules, seats and cards."""
    if record.rules != event.rules:
        raise WrongRecord(
            RULES, f"the event is played under {event.rules.name}, not under these rules"
        )
    expected = (Mode.RACE, 1) if event.races else (Mode.BOARD, table.board)
    if (record.mode, record.number) != expected:
        raise WrongRecord(MODE, f"the table {table.id} is of board {table.board}")
    if seed is None:
        return ""
    seats = event.seats(table, seed, label)
    names = tuple(seats[seat] for seat in SEATS)
    if record.names != names:
        raise WrongRecord(SEATS_TAG, f"by the seed {' '.join(names)} sit at N E S W of this table")
    if event.races:
        check_seeded(record, event.race_seed(table, seed), label)
        return f"those of race {table.board}"
    check_seeded(record, seed, label, table.number)
    disguised = "" if table.number == 1 else ", disguised"
    return f"those of board {table.board}, table {table.number}{disguised}"


def marks_of(game: Game, result: TableResult) -> tuple[int, int]:
    """What the first and the second bot of the pairing marked, by where they sat."""
    side = next(s.team for s in SEATS if result.seats[str(s)] == result.table.pairing.first)
    return game.scores[side], game.scores[side.other]


def wrong_result(result: TableResult, record: Record, game: Game) -> str:
    """What a result says otherwise than the record of its table; empty when nothing."""
    if game.outcome is None:
        return "by its record the table was not played to its end"
    seats = dict(zip(map(str, SEATS), record.names, strict=True))
    if dict(result.seats) != seats:
        return f"by its record {' '.join(record.names)} sat at N E S W"
    marks = marks_of(game, result)
    if marks != result.marks:
        return f"by its record {result.table.pairing.first} marks {marks[0]}, the other {marks[1]}"
    notes = set(record.notes)
    if f"match {result.match_id}" not in notes:
        return f"its record is not of the match {result.match_id}"
    if f"end: {result.reason}" not in notes:
        return f"by its record it did not end as {result.reason}"
    deal = game.finished[0].result if game.finished and not result.race else None
    played = deal is not None and deal.contract is not None
    contract = str(deal.contract) if deal is not None and played else ""
    if contract != result.contract:
        return f"by its record {contract or 'no contract'} was played"
    made = deal.winner is deal.contract.team if deal is not None and deal.contract else None
    if made != result.made:
        return f"by its record the contract was {'made' if made else 'not made'}"
    return _wrong_faults(result, record)


def _wrong_faults(result: TableResult, record: Record) -> str:
    for fault in result.faults:
        if result.seats.get(fault.seat) != fault.bot:
            return f"{fault.bot} did not sit at {fault.seat}, where the fault was"
    noted = sorted(note for note in record.notes if note.startswith("fault: "))
    told = sorted(
        f"fault: {fault.seat} {fault.kind}" + (", replaced by the house" if fault.replaced else "")
        for fault in result.faults
    )
    if told != sorted(re.sub(r" in deal \d+", "", note) for note in noted):
        return f"its record has other faults: {'; '.join(noted) or 'none'}"
    return ""
