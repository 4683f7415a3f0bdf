"""A table as spectators see it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rich import box
from rich.align import Align
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from contree.cli.render.cards import call_text, card_text, cards_text, contract_text, hand_text
from contree.cli.render.faces import ENGLISH, Face
from contree.engine.auction import PlacedCall
from contree.engine.cards import Card
from contree.engine.contract import Contract
from contree.engine.table import SEATS, Direction, Seat
from contree.engine.trick import Trick


class TableScreen(NamedTuple):
    """What is on the screen. Pairs are (North-South, East-West)."""

    match_id: str
    rules: str
    direction: Direction
    names: Mapping[Seat, str]
    state: str = "waiting"
    number: int = 0
    """The number of the deal, from 1; 0 before the first."""
    dealer: Seat | None = None
    hands: Mapping[Seat, tuple[Card, ...]] = {}
    """The cards still held, where they may be seen."""
    calls: Sequence[PlacedCall] = ()
    contract: Contract | None = None
    trick: Trick | None = None
    """The cards on the table; the last trick until the next one is led."""
    tricks: tuple[int, int] = (0, 0)
    """Tricks won in this deal."""
    scores: tuple[int, int] = (0, 0)
    note: str = ""
    """The last thing worth a sentence: a fault, an end."""
    last: Trick | None = None
    """The trick before the one on the table."""
    belotes: Sequence[Seat] = ()
    """Who has shown a belote in this deal."""
    bottom: Seat = Seat.SOUTH
    """Whose side of the table it is seen from."""
    face: Face = ENGLISH
    """How cards are written."""
    turn: Seat | None = None
    """Who is to go, where that is to be shown."""


def table_screen(screen: TableScreen) -> RenderableType:
    """The four seats around the trick, the auction or contract below, the scores on top."""
    return Panel(
        Group(seats_grid(screen), Text(""), _below(screen)),
        title=_title(screen),
        title_align="left",
        box=box.ROUNDED,
        width=76,
        padding=(1, 2),
    )


def _title(screen: TableScreen) -> Text:
    deal = f"deal {screen.number}" if screen.number else "no deal yet"
    north_south, east_west = screen.scores
    return Text(f"{screen.rules}, {deal}, {screen.state}: NS {north_south} EW {east_west}", "bold")


def seats_grid(screen: TableScreen) -> RenderableType:
    """The four seats around the cards on the table."""
    grid = Table.grid(expand=True)
    for ratio in (5, 3, 5):  # a hand of eight is wider than the trick
        grid.add_column(ratio=ratio, justify="center", vertical="middle")
    bottom, left, top, right = (SEATS[(screen.bottom + turns) & 3] for turns in range(4))
    seats = {seat: _seat(screen, seat) for seat in SEATS}
    cards = {seat: _card(screen, seat) for seat in SEATS}
    center = Table.grid(padding=(0, 2))
    for _ in range(3):
        center.add_column(justify="center", min_width=3)
    center.add_row("", cards[top], "")
    center.add_row(cards[left], "", cards[right])
    center.add_row("", cards[bottom], "")
    grid.add_row(seats[left], Align.center(center), seats[right])
    return Group(Align.center(seats[top]), grid, Align.center(seats[bottom]))


def _seat(screen: TableScreen, seat: Seat) -> Text:
    text = Text(f"{seat} ", "bold").append(screen.names.get(seat, "?"), "")
    if seat == screen.dealer:
        text.append(" (deals)", "dim")
    if screen.hands.get(seat):
        text.append("\n").append(hand_text(screen.hands[seat], screen.face))
    text.justify = "center"
    return text


def _card(screen: TableScreen, seat: Seat) -> Text:
    card = None if screen.trick is None else screen.trick.card_of(seat, screen.direction)
    return Text("·", "dim") if card is None else card_text(card, "bold", screen.face)


def _below(screen: TableScreen) -> RenderableType:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column()
    contract = Text("none yet", "dim")
    if screen.contract is not None:
        contract = contract_text(screen.contract, screen.face)
    grid.add_row("auction", calls_text(screen.calls, screen.face))
    grid.add_row("contract", contract)
    grid.add_row("tricks", f"NS {screen.tricks[0]}, EW {screen.tricks[1]}")
    grid.add_row("match", Text(screen.match_id))
    if screen.note:
        grid.add_row("note", Text(screen.note))
    return grid


def calls_text(calls: Sequence[PlacedCall], face: Face = ENGLISH) -> Text:
    """An auction in one line."""
    if not calls:
        return Text("nobody has spoken", "dim")
    return Text("  ").join(
        Text(f"{seat} ", "dim").append(call_text(call, face)) for seat, call in calls
    )


def trick_text(trick: Trick, direction: Direction, winner: Seat | None) -> Text:
    """A trick in one line: who led, the cards, who won."""
    text = Text(f"{trick.leader} ", "dim").append(cards_text(trick.cards))
    return text if winner is None else text.append(f"  to {winner}", "dim")
