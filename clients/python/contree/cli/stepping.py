"""A record as a row of screens, and the ways to go through it: pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Final, NamedTuple

from rich.text import Text

from contree.cli.render import (
    DealRow,
    TableScreen,
    action_text,
    deal_line,
    deal_rows,
    hand_text,
    printable,
    reason_text,
)
from contree.engine.auction import PlacedCall
from contree.engine.cards import cards_in
from contree.engine.record import Record
from contree.engine.steps import Step, steps
from contree.engine.table import SEATS
from contree.engine.trick import Trick


class Frame(NamedTuple):
    """What is shown of one step."""

    screen: TableScreen
    line: Text
    """The step in one line."""
    deal: int
    """Which deal, counted from 0."""
    trick: int
    """Complete tricks of the deal so far."""


class Move(Enum):
    """A way to go on."""

    NEXT = "next"
    PREVIOUS = "previous"
    NEXT_TRICK = "next trick"
    PREVIOUS_TRICK = "previous trick"
    NEXT_DEAL = "next deal"
    PREVIOUS_DEAL = "previous deal"
    FIRST = "first"
    LAST = "last"
    QUIT = "quit"


def frames(record: Record) -> list[Frame]:
    """Every step of a record as it is shown."""
    game = record.replay()
    rows = deal_rows(record, game)
    match = next((note[6:] for note in record.notes if note.startswith("match ")), "a record")
    names = {seat: printable(record.names[seat]) or "nobody" for seat in SEATS}
    start = TableScreen(printable(match), record.rules.name, record.rules.turn_direction, names)
    found = [_frame(start, record, step, rows) for step in steps(record)]
    if game.outcome is not None:
        last, winner = found[-1], game.outcome.winner
        ending = reason_text(game.outcome.reason) + ("" if winner is None else f"; {winner} wins")
        screen = last.screen._replace(state="ended", note=f"{last.screen.note}. {ending}.")
        found[-1] = last._replace(screen=screen, line=last.line.append(f"\n{ending}.", "bold"))
    return found


def _frame(start: TableScreen, record: Record, step: Step, rows: Sequence[DealRow]) -> Frame:
    deal, play = step.deal, step.deal.play
    number = record.number + step.deal_index
    tricks, on_table, won = 0, None, (0, 0)
    if play is not None:
        tricks = len(play.tricks)
        # The last trick lies there until the next one is led.
        on_table = play.tricks[-1] if play.tricks and not play.trick.cards else play.trick
        east_west = sum(seat.team for seat in play.winners)
        won = (tricks - east_west, east_west)
    screen = start._replace(
        state="playing",
        number=number,
        dealer=deal.dealer,
        hands={seat: cards_in(deal.hands[seat]) for seat in SEATS},
        calls=deal.auction.calls,
        contract=deal.contract,
        trick=on_table,
        tricks=won,
        scores=step.scores,
        note=_note(step, on_table, rows),
    )
    return Frame(screen, _line(step, number, rows), step.deal_index, tricks)


def _note(step: Step, trick: Trick | None, rows: Sequence[DealRow]) -> str:
    """What has just happened."""
    deal = step.deal
    if deal.result is not None:
        return deal_line(rows[step.deal_index]).plain
    if step.what is None:
        return f"{deal.dealer} has dealt"
    if deal.play is not None and trick is not None and trick.complete:
        return f"{deal.play.winners[-1]} takes the trick"
    verb = "says" if isinstance(step.what, PlacedCall) else "plays"
    return f"{step.what.seat} {verb} {action_text(_action(step)).plain}"


def _line(step: Step, number: int, rows: Sequence[DealRow]) -> Text:
    """A step in one line, for where there is no terminal."""
    deal, play = step.deal, step.deal.play
    if step.what is None:
        text = Text(f"deal {number}, {deal.dealer} deals", "bold")
        for seat in SEATS:
            text.append(f"\n  {seat}  ", "dim").append(hand_text(cards_in(deal.dealt[seat])))
        return text
    text = Text(f"  {step.what.seat} ", "dim").append(action_text(_action(step)))
    if (
        play is not None
        and play.tricks
        and not play.trick.cards
        and not isinstance(step.what, PlacedCall)
    ):
        text.append(f"  to {play.winners[-1]}", "dim")
    if deal.result is not None:
        text.append("\n").append(deal_line(rows[step.deal_index]))
    return text


def _action(step: Step) -> object:
    assert step.what is not None
    return step.what.call if isinstance(step.what, PlacedCall) else step.what.action


def moved(shown: Sequence[Frame], at: int, move: Move) -> int:
    """Which frame is shown after a move; at either end it stays there."""
    last = len(shown) - 1
    match move:
        case Move.NEXT:
            return min(at + 1, last)
        case Move.PREVIOUS:
            return max(at - 1, 0)
        case Move.FIRST:
            return 0
        case Move.LAST:
            return last
        case Move.NEXT_TRICK:
            return next((n for n in range(at + 1, last) if _ends_trick(shown, n)), last)
        case Move.PREVIOUS_TRICK:
            return next((n for n in range(at - 1, 0, -1) if _ends_trick(shown, n)), 0)
        case Move.NEXT_DEAL:
            return next((n for n in range(at + 1, last) if _starts_deal(shown, n)), last)
        case Move.PREVIOUS_DEAL:
            return next((n for n in range(at - 1, 0, -1) if _starts_deal(shown, n)), 0)
        case Move.QUIT:
            return at


def _starts_deal(shown: Sequence[Frame], at: int) -> bool:
    return at == 0 or shown[at].deal != shown[at - 1].deal


def _ends_trick(shown: Sequence[Frame], at: int) -> bool:
    """A trick is complete there; cards newly dealt are a place to stop too."""
    return _starts_deal(shown, at) or shown[at].trick > shown[at - 1].trick


KEYS: Final[Mapping[str, Move]] = {
    "n": Move.NEXT,
    "space": Move.NEXT,
    "enter": Move.NEXT,
    "right": Move.NEXT,
    "p": Move.PREVIOUS,
    "backspace": Move.PREVIOUS,
    "left": Move.PREVIOUS,
    "t": Move.NEXT_TRICK,
    "down": Move.NEXT_TRICK,
    "T": Move.PREVIOUS_TRICK,
    "up": Move.PREVIOUS_TRICK,
    "d": Move.NEXT_DEAL,
    "pagedown": Move.NEXT_DEAL,
    "D": Move.PREVIOUS_DEAL,
    "pageup": Move.PREVIOUS_DEAL,
    "g": Move.FIRST,
    "home": Move.FIRST,
    "G": Move.LAST,
    "end": Move.LAST,
    "q": Move.QUIT,
    "escape": Move.QUIT,
    "ctrl+d": Move.QUIT,
}
"""What each key does, by its name or by what it types."""


def move_of(key: str, character: str | None) -> Move | None:
    """What a key does, given its name and what it types; None for nothing."""
    return KEYS.get(key) or KEYS.get(character or "")
