"""The table as somebody who sits at it sees it: names around, and before each what was last said or
played.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from rich.text import Text

from contree.cli.render.cards import call_text, card_text
from contree.cli.render.table import TableScreen
from contree.engine import SEATS, Card, Seat

_CARD_WIDTH: Final = 6
HEIGHT: Final = 11
"""Lines of the board."""


def board_text(screen: TableScreen, width: int, *, gap: int = 0) -> Text:
    """The board in lines of this width; ``gap`` lines between its rows."""
    bottom, left, top, right = (SEATS[(screen.bottom + turns) & 3] for turns in range(4))
    before = {seat: _before(screen, seat) for seat in SEATS}
    center, space = width // 2, [Text()] * gap
    lines = [_line((center, _name(screen, top))), *space]
    lines += [_line((center, row)) for row in before[top]]
    lines += space
    reach = _CARD_WIDTH + 1 + (3 * gap if width > 70 else 0)
    edge = max(0, center - reach - _CARD_WIDTH // 2)
    for at in range(3):
        parts = [(center - reach, before[left][at]), (center + reach, before[right][at])]
        if at == 1:
            parts.insert(0, (edge // 2, _fitted(_name(screen, left), edge)))
            parts.append((width - edge // 2, _fitted(_name(screen, right), edge)))
        lines.append(_line(*parts))
    lines += space
    lines += [_line((center, row)) for row in before[bottom]]
    lines += [*space, _line((center, _name(screen, bottom)))]
    return Text("\n").join(lines)


def _name(screen: TableScreen, seat: Seat) -> Text:
    turn = screen.turn is seat
    text = Text("▶ " if turn else "").append(f"{seat} ", "bold")
    text.append(screen.names.get(seat, ""), "bold" if turn else "")
    if seat is screen.dealer:
        text.append(" (D)", "dim")
    return text


def _before(screen: TableScreen, seat: Seat) -> Sequence[Text]:
    """The three lines before a seat: its card, or in the auction what it said last."""
    if screen.contract is None:
        calls: Mapping[Seat, Text] = {
            placed.seat: call_text(placed.call, screen.face) for placed in screen.calls
        }
        return Text(), calls.get(seat, Text()), Text()
    trick = screen.trick
    card = None if trick is None else trick.card_of(seat, screen.direction)
    return (Text(), Text("·", "dim"), Text()) if card is None else _boxed(screen, card)


def _boxed(screen: TableScreen, card: Card) -> Sequence[Text]:
    drawn = card_text(card, "bold", screen.face)
    drawn.pad_left(max(0, 3 - drawn.cell_len))
    return Text("╭────╮"), Text("│").append(drawn).append(" │"), Text("╰────╯")


def _fitted(text: Text, width: int) -> Text:
    text.truncate(max(3, width - 1), overflow="ellipsis")
    return text


def _line(*parts: tuple[int, Text]) -> Text:
    """A line of texts, each around its middle, from left to right."""
    line = Text()
    for middle, text in parts:
        start = middle - text.cell_len // 2
        line.append(" " * max(0, start - line.cell_len))
        line.append(text)
    return line
