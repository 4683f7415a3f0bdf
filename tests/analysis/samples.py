"""Analyses made by hand."""

from __future__ import annotations

from contree.analysis import Analysis, CallCost, CardCost, DealAnalysis, Open, Par, Seen
from contree.engine import PASS, Card, Contract, Seat, parse_bid
from contree.engine.contract import Doubling

BID = parse_bid("90H")


def card(
    place: int,
    seat: Seat = Seat.NORTH,
    *,
    marks: float = 0.0,
    error: float | None = 1.0,
    open_marks: int = 0,
    worlds: bool = True,
    played: str = "AS",
    best: str = "7S",
) -> CardCost:
    """A card that cost so much."""
    other = Card.parse(best)
    seen = Seen(round(marks / 10, 3), None if error is None else error / 10, marks, error, other)
    return CardCost(
        place, seat, Card.parse(played), 3, Open(open_marks / 10, open_marks, other),
        seen if worlds else None,
    )  # fmt: skip


def deal(
    *cards: CardCost, number: int = 1, calls: tuple[CallCost, ...] = (), broken: bool = False
) -> DealAnalysis:
    """A deal with these costs."""
    contract = Contract(BID, Seat.EAST, Doubling.CONTRE)
    return DealAnalysis(
        number,
        Seat.SOUTH,
        None if broken else contract,
        None if broken else (0, 180),
        Par(Contract(parse_bid("110S"), Seat.WEST), -110),
        None if broken else -180,
        calls,
        cards,
    )


def call(seat: Seat, marks: int) -> CallCost:
    """A pass that cost so much."""
    return CallCost(0, seat, PASS, marks, BID if marks else PASS)


def analysis(
    *deals: DealAnalysis,
    event: str = "e",
    record: str = "r",
    names: tuple[str, str, str, str] = ("a", "b", "a", "b"),
    house: tuple[tuple[int, ...], ...] = ((),) * 4,
    board: bool = True,
    worlds: int = 20,
    sha256: str = "0" * 64,
) -> Analysis:
    """A record with these deals."""
    return Analysis(event, record, sha256, "ffb-mixte", worlds, "", board, names, house, deals)
