"""Analyses of the records of an event, made up: what each card cost is known beforehand."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from contree.analysis import (
    Analysis,
    CallCost,
    CardCost,
    DealAnalysis,
    Open,
    Par,
    Seen,
    analysis_to_dict,
    digest_of,
)
from contree.engine import PASS, Contract, Mode, Record, RecordedDeal, Seat, parse_bid, read_record

WORST = 10
"""The place of the worst card."""
PAR = Contract(parse_bid("110H"), Seat.EAST)

# By place: marks seen and their error, marks open.
COSTS = {3: (20.0, 15.0, 160), WORST: (75.0, 12.5, 250), 17: (0.0, 0.0, 40), 30: (0.0, 0.0, 0)}


def made_up(record: Record, name: str) -> Analysis:
    """An analysis in which ``COSTS`` are what cards cost; the better one is always that before."""
    return Analysis(
        "cup-1",
        name,
        digest_of(record),
        record.rules.name,
        20,
        "",
        record.mode is Mode.BOARD,
        record.names,
        ((),) * 4,
        tuple(_deal(deal, record.number + n) for n, deal in enumerate(record.deals)),
    )


def _deal(deal: RecordedDeal, number: int) -> DealAnalysis:
    cards = []
    for place, (marks, error, open_marks) in COSTS.items():
        if place < len(deal.cards):
            seat, action = deal.cards[place]
            better = deal.cards[place - 1].action
            seen = Seen(marks / 10, error / 10, marks, error, better)
            cards.append(
                CardCost(place, seat, action, 3, Open(open_marks / 10, open_marks, better), seen)
            )
    calls = (CallCost(0, deal.calls[0].seat, deal.calls[0].call, 30, PASS),)
    return DealAnalysis(number, deal.dealer, None, None, Par(PAR, -110), 60, calls, tuple(cards))


def write_analysis(
    folder: Path, path: Path, wanted: Callable[[str], bool] = lambda name: True
) -> Path:
    """A file of analyses of an event's records."""
    lines = []
    for file in sorted((folder / "records").iterdir()):
        if wanted(file.stem):
            record = read_record(file.read_text("ascii"))
            lines.append(json.dumps(analysis_to_dict(made_up(record, file.stem))) + "\n")
    path.write_text("".join(lines), encoding="utf-8")
    return path
