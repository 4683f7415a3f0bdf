"""What each player gave away over many records, with errors. Pure.

Decisions of one deal hang together, and so do those of all tables of a board, which hold the same
cards. So boards (in races, deals) are what is independent: an error is that of a ratio of two sums
over boards. Boards of one number in two events are two.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from math import sqrt
from typing import Final, NamedTuple

from contree.analysis.values import Analysis, CardCost

__all__ = ["LEAST_BOARDS", "Share", "Total", "totals"]

LEAST_BOARDS: Final = 10
"""Fewer boards tell no error."""
_Z: Final = 1.96


class Share(NamedTuple):
    """A sum, and what it is for each of what it was summed over."""

    total: float
    each: float
    reach: float | None
    """Half of its 95% interval; None with fewer than ``LEAST_BOARDS`` boards."""


class Total(NamedTuple):
    """What one player gave away. ``None`` where there was nothing to go by."""

    player: str
    boards: int
    cards: int
    """Cards played where there was a choice."""
    open: Share | None
    """Marks a card, in the deals as they lay."""
    seen: Share | None
    """Marks a card, in the worlds the seat could see."""
    costly: Share | None
    """How many of the cards were ``costly``."""
    auction: Share | None
    """Marks a deal that the auction lost its pair against par, with open cards; below 0: won."""
    house: int
    """Cards of deals in which the house acted for it: these are in none of the above."""


class _Board(NamedTuple):
    cards: list[CardCost]
    deals: list[int]
    """What the auction lost against par, for each of the player's pairs at each deal."""


def totals(analyses: Iterable[Analysis]) -> list[Total]:
    """A row for each player, who gave away least first: in the worlds, where they were drawn."""
    boards: dict[str, dict[object, _Board]] = defaultdict(
        lambda: defaultdict(lambda: _Board([], []))
    )
    house: dict[str, int] = defaultdict(int)
    for number, analysis in enumerate(analyses):
        for index, deal in enumerate(analysis.deals):
            key = (analysis.event, deal.number) if analysis.board else (number, index)
            for seat, name in enumerate(analysis.names):
                lost = boards[name][key].deals  # a board that the player was at, whatever it did
                first = seat < 2 or analysis.names[seat - 2] != name
                helped = any(_by_house(analysis, one, index) for one in (seat, seat ^ 2))
                if deal.reached is not None and first and not helped:
                    won = deal.reached - deal.par.marks
                    lost.append(won if seat & 1 else -won)
            for card in deal.cards:
                name = analysis.names[card.seat]
                if _by_house(analysis, card.seat, index):
                    house[name] += 1
                else:
                    boards[name][key].cards.append(card)
    rows = [_total(name, list(found.values()), house[name]) for name, found in boards.items()]
    return sorted(rows, key=_order)


def _by_house(analysis: Analysis, seat: int, index: int) -> bool:
    return index + 1 in analysis.house[seat]


def _order(row: Total) -> tuple[float, str]:
    share = row.seen or row.open
    return (float("inf") if share is None else share.each), row.player


def _total(name: str, boards: Sequence[_Board], house: int) -> Total:
    counts = [len(board.cards) for board in boards]

    def share(of: Sequence[float]) -> Share | None:
        return _share(of, counts)

    with_worlds = any(card.seen is not None for board in boards for card in board.cards)
    return Total(
        name,
        len(boards),
        sum(counts),
        share([sum(card.open.marks for card in board.cards) for board in boards]),
        share([sum(card.seen.marks for card in board.cards if card.seen) for board in boards])
        if with_worlds
        else None,
        share([sum(card.costly for card in board.cards) for board in boards]),
        _share([sum(board.deals) for board in boards], [len(board.deals) for board in boards]),
        house,
    )


def _share(sums: Sequence[float], counts: Sequence[int]) -> Share | None:
    """The ratio of two sums over boards, and how sure it is (the usual linear approximation)."""
    count = sum(counts)
    if not count:
        return None
    each = sum(sums) / count
    boards = len(sums)
    reach = None
    if boards >= LEAST_BOARDS:
        spread = sum((part - each * of) ** 2 for part, of in zip(sums, counts, strict=True))
        reach = _Z * sqrt(spread * boards / (boards - 1)) / count
    return Share(round(sum(sums), 3), round(each, 4), None if reach is None else round(reach, 4))
