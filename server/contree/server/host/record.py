"""The text record of a match, as it is kept and handed out once its cards may be shown.

Where the server drew the seed, for this match alone, the record holds it: a seed of 32 bytes with
the empty label is all that it takes to deal again (`contree record verify`), and its commitment was
in the match resource from the creation on. The seed that a host gave is the host's to reveal: other
matches may still be played from it.
"""

from __future__ import annotations

from contree.engine import SEATS, SeededDeals
from contree.engine.notation import format_record
from contree.engine.record import SEED_NOTE, Record
from contree.server.match import Match, MatchSpec


def drawn_seed(spec: MatchSpec) -> bytes | None:
    """The seed of a match, where the server drew it."""
    return spec.deals.seed if spec.drawn and isinstance(spec.deals, SeededDeals) else None


def record_of(match: Match) -> str:
    """The BGN/1 record of a match, its end and its faults among the notes. It shows all hands."""
    names = [match.spec.seats[seat].name for seat in SEATS]
    notes = [f"match {match.id}"]
    notes += [
        f"fault: {fault.seat} {fault.kind.value} in deal {fault.deal_number}"
        + (", replaced by the house" if fault.replaced else "")
        for fault in match.faults
    ]
    seed = drawn_seed(match.spec)
    if seed is not None:
        notes.append(f"{SEED_NOTE}{seed.hex()}")
    if match.end is not None:
        notes.append(f"end: {match.end.value}")
    return format_record(Record.of(match.game, names, notes))
