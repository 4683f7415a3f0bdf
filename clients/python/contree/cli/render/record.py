"""A recorded match to read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from contree.cli.render.cards import contract_text, hand_text, played_text
from contree.cli.render.match import DealRow, deal_line, match_screen, reason_text
from contree.cli.render.table import calls_text
from contree.engine.actions import Announced
from contree.engine.cards import Card, cards_in
from contree.engine.deal import Deal, DealResult
from contree.engine.game import Game, Mode
from contree.engine.record import Record, RecordedDeal
from contree.engine.rules import RuleSet
from contree.engine.table import SEATS, Direction, Team

NO_TARGET: Final = 1_000_000
"""The highest target there is, which no race reaches: it ends by its number of deals."""


def record_screen(record: Record) -> RenderableType:
    """The whole match: who played under which rules, each deal, and how it ended."""
    game = record.replay()
    parts: list[RenderableType] = [_head(record)]
    rows = deal_rows(record, game)
    deals = game.finished if game.deal is None else (*game.finished, game.deal)
    for index, (recorded, deal) in enumerate(zip(record.deals, deals, strict=False)):
        parts += [Text(), *_deal(record.number + index, recorded, deal)]
        if index < len(rows):
            parts.append(deal_line(rows[index]))
    if game.outcome is None:
        parts += [Text(), Text("The record ends before the match does.", "dim")]
    elif len(rows) > 1:
        ending = reason_text(game.outcome.reason)
        parts += [Text(), match_screen(rows, game.scores, ending, game.outcome.winner)]
    return Group(*parts)


def deal_rows(record: Record, game: Game) -> list[DealRow]:
    """The finished deals of a match, each with the totals after it."""
    rows: list[DealRow] = []
    totals = (0, 0)
    for index, result in enumerate(game.results):
        totals = (totals[0] + result.marks[0], totals[1] + result.marks[1])
        made = result.score is not None and result.score.made
        points = (int(result.points[0]), int(result.points[1]))
        number = record.number + index
        rows.append(
            DealRow(number, result.contract, made, points, result.tricks, result.marks, totals)
        )
    return rows


def verdict_line(file: str, game: Game | None, actions: int, cards: str, hidden: str) -> str:
    """A record that is right, in one line."""
    assert game is not None
    deals = f"{len(game.finished)} deal{'' if len(game.finished) == 1 else 's'}"
    under_way = "" if game.outcome is not None else ", not to its end"
    told = f"the cards are {cards}" if cards else _untold(hidden)
    return (
        f"{file}: right: {deals}, {actions} actions{under_way}, "
        f"NS {game.scores[0]} EW {game.scores[1]}; {told}."
    )


def printable(text: str) -> str:
    """A text that a terminal can show: nothing in it commands the terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def _untold(hidden: str) -> str:
    return f"the cards were not computed again: {hidden or 'no seed was given'}"


def _head(record: Record) -> RenderableType:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column()
    grid.add_row("rules", Text(_rules(record.rules)))
    grid.add_row("match", _mode(record))
    for seat in SEATS:
        grid.add_row(str(seat), Text(printable(record.names[seat]) or "nobody"))
    for note in record.notes:
        grid.add_row("note", Text(printable(note)))
    return grid


def _rules(rules: RuleSet) -> str:
    left = rules.turn_direction is Direction.CLOCKWISE
    return f"{rules.name}, turns go to the {'left' if left else 'right'}"


def _mode(record: Record) -> str:
    if record.mode is Mode.BOARD:
        return f"board {record.number}"
    target, limit = record.rules.target, record.rules.deals_limit
    if limit is None:
        return f"a race to {target}"
    return f"{limit} deals" if target >= NO_TARGET else f"a race to {target}, {limit} deals at most"


def _deal(number: int, recorded: RecordedDeal, deal: Deal) -> Iterator[RenderableType]:
    yield Text(f"deal {number}, {deal.dealer} deals", "bold")
    hands = Table.grid(padding=(0, 2))
    hands.add_column(style="dim", no_wrap=True)
    hands.add_column()
    for seat in SEATS:
        hands.add_row(f"  {seat}", hand_text(cards_in(deal.dealt[seat])))
    yield hands
    yield Text("  ").append(calls_text(recorded.calls))
    if deal.contract is not None and recorded.cards:
        yield Text("  ").append(contract_text(deal.contract))
    if deal.play is not None:
        yield _tricks(recorded, deal)
    if deal.result is not None and deal.result.contract is not None:
        yield _counted(deal.result)


def _tricks(recorded: RecordedDeal, deal: Deal) -> RenderableType:
    """The tricks, each card under the seat that played it."""
    assert deal.play is not None
    table = Table.grid(padding=(0, 2))
    for _ in range(7):
        table.add_column(no_wrap=True)
    table.add_row("", "", *(Text(str(seat), "dim") for seat in SEATS), "")
    for number, first in enumerate(range(0, len(recorded.cards), 4), 1):
        trick = recorded.cards[first : first + 4]
        cells = {placed.seat: _card(placed.action) for placed in trick}
        cells[trick[0].seat].stylize("underline")
        winner = deal.play.winners[number - 1] if len(trick) == 4 else None
        table.add_row(
            Text(f"  {number}", "dim"),
            Text(f"{trick[0].seat}:", "dim"),
            *(cells.get(seat, Text()) for seat in SEATS),
            Text() if winner is None else Text(f"to {winner}", "dim"),
        )
    return table


def _counted(result: DealResult) -> Text:
    """What each pair made, before it is marked."""
    parts = []
    for team in Team:
        points, belotes = int(result.points[team]), result.belotes[team]
        tricks = result.tricks[team]
        part = f"{team} {points} in {tricks} trick{'' if tricks == 1 else 's'}"
        if belotes:
            part += " and belote" if belotes == 1 else f" and {belotes} belotes"
        parts.append(part)
    return Text(f"  {', '.join(parts)}", "dim")


def _card(action: object) -> Text:
    assert isinstance(action, Card | Announced)
    return played_text(action)
