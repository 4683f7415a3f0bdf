"""What the log says of a match: fields that name no card, no seed and no decision."""

from __future__ import annotations

from contree.server.match import Faulted, Match


def fault(entry: Faulted, after: Match) -> dict[str, object]:
    """The fields of the line "fault"."""
    return {
        "match_id": after.id,
        "seat": str(entry.seat),
        "bot": after.spec.seats[entry.seat].name,
        "kind": entry.kind.value,
        "replaced": entry.replaced,
    }


def match_ended(match: Match) -> dict[str, object]:
    """The fields of the line "match_ended"."""
    return {"match_id": match.id, "reason": None if match.end is None else match.end.value}
