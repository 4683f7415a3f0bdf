"""Matches as lines of a table and as JSON: what an operator looks for first. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from contree.client import Fault, Match, SeatStatus

HEAD: Final = ("MATCH", "STATE", "UNMOVED", "AWAITED", "SEATS", "SERVER", "LABELS")


def table(
    matches: Sequence[Match], unreadable: Sequence[str] = (), *, faults: bool = False
) -> list[str]:
    """One line for each match below a line of headings, and for each that is ``unreadable``;
    ``faults``: with what each seat was charged.
    """
    rows = [HEAD, *map(_row, matches)]
    rows += [(match_id, "unreadable", *[""] * (len(HEAD) - 2)) for match_id in unreadable]
    if faults:
        charged = ["FAULTS", *map(_charged, matches), *[""] * len(unreadable)]
        rows = [(*row, cell) for row, cell in zip(rows, charged, strict=True)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]


def details(match: Match) -> list[str]:
    """All that is told of one match."""
    told = as_json(match)
    lines = [f"Match {match.id}: {_state(match)}"]
    if match.standing is not None:
        lines.append(f"Server: {match.standing.server_id or 'none'}")
        lines.append(f"Unmoved: {_unmoved(match) or 'for less than some seconds'}")
        lines.append(f"Awaited: {_awaited(match) or 'nobody'}")
    if match.time_control.per_move is not None:
        lines.append(f"Clock: {_clock(match)}")
    if match.labels:
        lines.append(f"Labels: {', '.join(match.labels)}")
    if match.disclosure_group:
        lines.append(f"Disclosure group: {match.disclosure_group}")
    if match.create_time is not None:
        lines.append(f"Created: {told['created']}")
    if match.end_time is not None:
        lines.append(f"Ended: {told['ended']}")
    lines.append(f"Marks: {match.scores[0]} to {match.scores[1]}, {len(match.results)} deals")
    lines += [
        f"{seat.seat.name.capitalize()}: {seat.bot} ({_presence(seat)}), {seat.decisions} "
        f"decisions in {seat.time_used:.1f} s"
        for seat in match.seats
    ]
    for fault in match.faults:
        end = ", the house plays on" if fault.replaced else ""
        kind = fault.kind.value.replace("_", " ")
        lines.append(f"Fault of {fault.seat.name.capitalize()}: {kind}{end}. {fault.detail}")
    return lines


def as_json(match: Match) -> dict[str, Any]:
    """The same as plain values."""
    standing = match.standing
    return {
        "id": match.id,
        "state": match.state.value,
        "end_reason": None if match.end_reason is None else match.end_reason.value,
        "end_detail": match.end_detail,
        "labels": list(match.labels),
        "group": match.disclosure_group,
        "server": None if standing is None else standing.server_id,
        "unmoved_s": None if standing is None else standing.unmoved,
        "awaited": [] if standing is None else [str(seat) for seat in standing.awaited],
        "clock": asdict(match.time_control),
        "seats": [
            {
                "seat": str(seat.seat),
                "bot": seat.bot,
                "house": seat.house,
                "taken": seat.taken,
                "connected": seat.connected,
                "replaced": seat.replaced,
                "decisions": seat.decisions,
                "seconds": seat.time_used,
            }
            for seat in match.seats
        ],
        "marks": list(match.scores),
        "deals": len(match.results),
        "faults": [
            {"seat": str(f.seat), "kind": f.kind.value, "replaced": f.replaced, "detail": f.detail}
            for f in match.faults
        ],
        "created": None if match.create_time is None else f"{match.create_time:%FT%TZ}",
        "ended": None if match.end_time is None else f"{match.end_time:%FT%TZ}",
    }


def faults_of(match: Match, bot: str = "") -> list[Fault]:
    """What was charged in a match, to whomever or to this bot."""
    seats = {seat.seat for seat in match.seats if not bot or seat.bot == bot}
    return [fault for fault in match.faults if fault.seat in seats]


def _charged(match: Match) -> str:
    """`E:timeout*3 S:resigned`: how often each seat was charged with what."""
    counts = Counter((fault.seat, fault.kind.value) for fault in match.faults)
    return " ".join(
        f"{seat}:{kind}" + (f"*{count}" if count > 1 else "")
        for (seat, kind), count in sorted(counts.items())
    )


def _row(match: Match) -> tuple[str, ...]:
    standing = match.standing
    return (
        match.id,
        match.state.value,
        "" if standing is None else _unmoved(match) or "no",
        _awaited(match),
        " ".join(f"{seat.seat}:{seat.bot}{_mark(seat)}" for seat in match.seats),
        "" if standing is None else standing.server_id or "none",
        ",".join(match.labels),
    )


def _state(match: Match) -> str:
    if match.end_reason is None:
        return match.state.value
    detail = f" ({match.end_detail.rstrip('.')})" if match.end_detail else ""
    return f"{match.state.value}, {match.end_reason.value.replace('_', ' ')}{detail}"


def _unmoved(match: Match) -> str:
    """How long it has stood still; empty where that is not known to be so."""
    if match.standing is None or match.standing.unmoved is None:
        return ""
    seconds = int(match.standing.unmoved)
    if seconds < 60:
        return f"{seconds}s"
    if seconds < 3600:
        return f"{seconds // 60}m{seconds % 60:02}s"
    return f"{seconds // 3600}h{seconds % 3600 // 60:02}m"


def _clock(match: Match) -> str:
    control = match.time_control
    told = [f"{control.per_move:g} s a move"]
    if control.bank:
        told.append(f"a bank of {control.bank:g} s")
    if control.increment:
        told.append(f"{control.increment:g} s more in it a move")
    return ", ".join(told)


def _awaited(match: Match) -> str:
    if match.standing is None:
        return ""
    by_seat = {seat.seat: seat for seat in match.seats}
    return " ".join(f"{seat}:{by_seat[seat].bot}" for seat in match.standing.awaited)


def _mark(seat: SeatStatus) -> str:
    if seat.house:
        return "(house)"
    if seat.replaced:
        return "(replaced)"
    return "" if seat.connected else "(away)"


def _presence(seat: SeatStatus) -> str:
    if seat.house:
        return "of the house"
    if not seat.taken:
        return "not there yet"
    there = "connected" if seat.connected else "away"
    return f"{there}, the house plays on" if seat.replaced else there
