"""What a person who plays sees: pure functions from values to text.

Spans of cards and calls carry a ``pick`` in their meta, by which a click is understood.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from rich.style import Style
from rich.table import Table
from rich.text import Text

from contree.cli.render.cards import call_text, card_text, cards_text, contract_text, suit_style
from contree.cli.render.faces import Face
from contree.cli.render.table import TableScreen
from contree.cli.render.words import in_order
from contree.engine import (
    CONTRE,
    DECLINE,
    PASS,
    SURCONTRE,
    Action,
    Announced,
    Bid,
    Card,
    PlacedCall,
    RuleSet,
    Say,
    Seat,
    Strain,
    View,
)

PICK: Final = "pick"
_HOUR_S: Final = 3600.0
_SAYS: Final = {
    PASS: "pass (p)",
    CONTRE: "contre (x)",
    SURCONTRE: "surcontre (x)",
    DECLINE: "decline (d)",
}


class Clock(NamedTuple):
    """The time of a turn, in seconds."""

    left: float
    """Until it is too late, the bank included."""
    bank: float


def clock_text(clock: Clock | None) -> Text:
    """The time left; nothing where there is no hurry."""
    if clock is None:
        return Text()
    if clock.left > _HOUR_S:
        return Text("no hurry", "dim")
    before_bank = clock.left - clock.bank
    style = "bold red" if clock.left < 10 else "bold"
    if clock.bank and before_bank > 0:
        return Text(_minutes(before_bank), style).append(f" and {_minutes(clock.bank)} bank")
    return Text(_minutes(clock.left), style).append(" of the bank" if clock.bank else "")


def _minutes(seconds: float) -> str:
    whole = max(0, int(seconds + 0.999))
    return f"{whole // 60}:{whole % 60:02d}"


def head_text(table: TableScreen, me: Seat, rules: RuleSet, width: int) -> Text:
    """One line: the rules, the deal, the scores."""
    us, them = table.scores[me.team], table.scores[me.team.other]
    left = Text(f" {table.rules}", "bold")
    left.append(f"  deal {table.number}" if table.number else "  no deal yet")
    target = f" of {rules.target}" if rules.target < 1_000_000 else ""
    right = Text(f"you {us}  they {them}", "bold").append(f"{target} ")
    gap = max(1, width - left.cell_len - right.cell_len)
    return left.append(" " * gap).append(right)


def side_text(table: TableScreen, me: Seat) -> Text:
    """What is known of the deal: contract, tricks, last trick, belotes, auction."""
    face = table.face
    text = Text()

    def row(name: str, value: Text | str) -> None:
        text.append(f"{name:<9}", "dim").append(value).append("\n")

    contract = Text("none yet", "dim")
    if table.contract is not None:
        contract = contract_text(table.contract, face)
    row("contract", contract)
    row("tricks", f"you {table.tricks[me.team]}, they {table.tricks[me.team.other]}")
    done = table.trick if table.trick is not None and table.trick.complete else table.last
    if done is not None and table.contract is not None:
        winner = done.winner(table.contract.strain, table.direction)
        shown = Text().append(f"{done.leader} ", "dim").append(cards_text(done.cards, face))
        row("last", shown)
        row("", Text(f"to {winner}", "dim"))
    if table.belotes:
        row("belote", ", ".join("you" if seat is me else str(seat) for seat in table.belotes))
    return text


def auction_grid(table: TableScreen, limit: int) -> Table:
    """The auction in a column for each seat, the dealer's neighbour first; the newest rounds."""
    grid = Table.grid(padding=(0, 1))
    dealer = table.dealer
    if dealer is None:
        return grid
    order = table.direction.order(table.direction.next(dealer))
    for _ in order:
        grid.add_column(min_width=5, no_wrap=True)
    grid.add_row(*(Text(f"{seat}", "dim bold") for seat in order))
    rows = _rounds(table.calls, order)
    for row in rows[-limit:]:
        grid.add_row(*(_cell(row.get(seat), table.face) for seat in order))
    return grid


def _cell(call: object, face: Face) -> Text:
    if call is PASS:
        return Text("-", "dim")
    if call is CONTRE or call is SURCONTRE:
        return Text("X" if call is CONTRE else "XX", "bold")
    return call_text(call, face) if isinstance(call, Bid | Say) else Text()


def _rounds(calls: Sequence[PlacedCall], order: Sequence[Seat]) -> list[dict[Seat, object]]:
    """A row ends where the next call is not further right: contres come out of turn."""
    rows: list[dict[Seat, object]] = []
    last = 4
    for placed in calls:
        place = order.index(placed.seat)
        if place <= last:
            rows.append({})
        rows[-1][placed.seat] = placed.call
        last = place
    return rows


def hand_text_big(
    hand: Sequence[Card], view: View | None, pick: Action | None, face: Face, strain: Strain | None
) -> Text:
    """One's cards: those that may be played stand higher and have whole edges, the chosen one has
    double edges. When it is not one's turn all are alike.
    """
    allowed = _allowed(view)
    rows = [Text(), Text(), Text(), Text()]
    for card in in_order(hand, strain):
        legal, chosen = card in allowed, pick == card
        edges = "╔═╗║╚╝" if chosen else "╭─╮│╰╯" if legal or view is None else "┌┄┐┆└┘"
        dim = view is not None and not legal
        style = Style(meta={PICK: f"card {int(card)}"}, dim=dim, bold=legal)
        box = _box(card, edges, style, face)
        up = legal and view is not None and view.auction_over
        for at, line in enumerate([*box, None] if up else [None, *box]):
            rows[at].append(line if line is not None else Text("      ")).append(" ")
    return Text("\n").join(rows)


def _allowed(view: View | None) -> set[Card]:
    if view is None:
        return set()
    if not view.auction_over:
        return set(view.hand)
    return {action for action in view.legal if isinstance(action, Card)}


def _box(card: Card, edges: str, style: Style, face: Face) -> list[Text]:
    top = Text(f"{edges[0]}{edges[1] * 4}{edges[2]}", style)
    bottom = Text(f"{edges[4]}{edges[1] * 4}{edges[5]}", style)
    drawn = card_text(card, "", face)
    drawn.pad_left(max(0, 3 - drawn.cell_len))
    middle = Text(edges[3]).append(drawn).append(f" {edges[3]}")
    middle.stylize(style)
    return [top, middle, bottom]


def pad_text(view: View, pick: Action | None, face: Face) -> Text:
    """What can be said: levels, strains and words, the chosen ones in brackets."""
    text = Text()
    bids = {call for call in view.legal if isinstance(call, Bid)}
    chosen = pick if isinstance(pick, Bid) else None
    if bids:
        levels = {bid.level for bid in bids}
        text.append("bid  ", "dim")
        for level in view.rules.ladder:
            on = chosen is not None and chosen.level == level
            text.append(_choice(str(level), on, level in levels, f"level {level}"))
        text.append("\n").append("in   ", "dim")
        for strain in view.rules.strains:
            on = chosen is not None and chosen.strain is strain
            suit = strain.suit
            style = "" if suit is None else suit_style(suit)
            drawn = _choice(face.strain(strain), on, True, f"strain {int(strain)}", style)
            text.append(drawn)
        text.append("\n")
    text.append("say  ", "dim")
    for call, word in _SAYS.items():
        if call in view.legal:
            text.append(_choice(word, pick is call, True, f"say {call.value}"))
    return text


def _choice(word: str, on: bool, possible: bool, pick: str, colour: str = "") -> Text:
    if not possible:
        return Text(f" {'·' * len(word)} ", Style(dim=True))
    style = Style.parse(f"{colour} {'bold reverse' if on else ''}".strip() or "none")
    return Text(f"[{word}]" if on else f" {word} ", style + Style(meta={PICK: pick}))


def does_text(action: Action | None, announceable: bool, face: Face) -> Text:
    """What Enter does."""
    if action is None:
        return Text()
    card = action.card if isinstance(action, Announced) else action
    if isinstance(card, Card):
        text = Text().append("Enter plays ", "dim").append(card_text(card, "bold", face))
        if isinstance(action, Announced):
            return text.append(" and says belote", "bold").append("; b: without", "dim")
        return text.append("; b: say belote", "dim") if announceable else text
    assert isinstance(action, Bid | Say)
    if action is Say.DECLINE:
        return Text("Enter declines", "dim")
    return Text().append("Enter says ", "dim").append(call_text(action, face))
