"""The text record of a match, as it is kept and handed out once its cards may be shown."""

from __future__ import annotations

from contree.engine import SEATS
from contree.engine.notation import format_record
from contree.engine.record import Record
from contree.server.match import Match


def record_of(match: Match) -> str:
    """The BGN/1 record of a match, its end and its faults among the notes. It shows all hands."""
    names = [match.spec.seats[seat].name for seat in SEATS]
    notes = [f"match {match.id}"]
    notes += [
        f"fault: {fault.seat} {fault.kind.value} in deal {fault.deal_number}"
        + (", replaced by the house" if fault.replaced else "")
        for fault in match.faults
    ]
    if match.end is not None:
        notes.append(f"end: {match.end.value}")
    return format_record(Record.of(match.game, names, notes))
