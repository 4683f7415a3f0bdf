"""What the log says of a match: fields that name no card, no seed and no decision."""

from __future__ import annotations

from contree.server.match import EndReason, Faulted, Match, Seated


def fault(entry: Faulted, after: Match) -> dict[str, object]:
    """The fields of the line "fault"."""
    return {
        "match_id": after.id,
        "seat": str(entry.seat),
        "bot": after.spec.seats[entry.seat].name,
        "kind": entry.kind.value,
        "replaced": entry.replaced,
    }


def match_created(match: Match) -> dict[str, object]:
    """The fields of the line "match_created"."""
    spec = match.spec
    return {
        "match_id": match.id,
        "labels": list(spec.labels),
        "board": spec.board,
        "bots": [seat.name for seat in spec.seats],
    }


def seat_taken(entry: Seated, after: Match) -> dict[str, object]:
    """The fields of the line "seat_taken". The instance is none of them: whoever knows it, where
    no keys are wanted, could take its seats.
    """
    return {
        "match_id": after.id,
        "seat": str(entry.seat),
        "bot": after.spec.seats[entry.seat].name,
        "version": entry.version,
        "key_id": entry.key_id,
    }


def match_ended(match: Match) -> dict[str, object]:
    """The fields of the line "match_ended"."""
    fields: dict[str, object] = {
        "match_id": match.id,
        "reason": None if match.end is None else match.end.value,
    }
    if match.end is EndReason.NOT_STARTED:
        fields["why"] = match.end_detail  # which bots were missing
    return fields
