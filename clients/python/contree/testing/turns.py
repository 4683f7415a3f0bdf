"""The turns of a recorded match: what each seat saw when it decided, and what it did."""

from __future__ import annotations

from typing import NamedTuple

from contree.engine import DECLINE, Action, Game, Record, Seat, View, project
from contree.engine.record import actions


class NoSuchTurn(ValueError):
    """A record has no such turn; the text is a sentence that says what it has."""


class RecordedTurn(NamedTuple):
    """A decision of a recorded match."""

    step: int
    """The step of the record that answers it, from 1, as ``contree replay`` counts; of a decline,
    which is no step, the next one.
    """
    view: View
    """All that the seat knew, and in ``view.legal`` what it might do."""
    action: Action
    """What it did."""

    @property
    def seat(self) -> Seat:
        """Whose it was."""
        return self.view.seat


def recorded_turns(record: Record) -> list[RecordedTurn]:
    """Every decision of a record in order, declines included. IllegalAction or DeckError when the
    record breaks the rules.
    """
    turns, step = [], 0
    game: Game = record.start()
    dealt = -1
    for seat, action in actions(record):
        if len(game.finished) != dealt:
            dealt = len(game.finished)
            step += 1  # the cards are dealt
        turns.append(RecordedTurn(step + 1, project(game, seat), action))
        step += action is not DECLINE
        game = game.apply(seat, action)
    return turns


def recorded_turn(
    record: Record, at: int, seat: Seat | None = None, deal: int | None = None
) -> RecordedTurn:
    """The turn that step ``at`` answers; with ``seat``, the one that this seat had then, such as
    contre or decline before the next player spoke. With ``deal`` (from 1) steps are counted within
    that deal, as bots count them. Raises NoSuchTurn.
    """
    if deal is not None:
        if not 1 <= deal <= len(record.deals):
            raise NoSuchTurn(f"There is no deal {deal}: the record has {len(record.deals)}.")
        lengths = [1 + len(one.calls) + len(one.cards) for one in record.deals]
        if not 1 <= at <= lengths[deal - 1] + 1:
            raise NoSuchTurn(f"Deal {deal} has no step {at}, but 1 to {lengths[deal - 1]}.")
        at += sum(lengths[: deal - 1])
    turns = recorded_turns(record)
    if not turns:
        raise NoSuchTurn("Nobody decides anything in this record.")
    last = turns[-1].step
    if not 1 <= at <= last:
        raise NoSuchTurn(f"There is no step {at}: the record has steps 1 to {last}.")
    here = [turn for turn in turns if turn.step == at]
    if not here:
        raise NoSuchTurn(
            f"Step {at} is no decision: the cards are dealt there. "
            f"The first decision after it is at step {at + 1}."
        )
    if seat is None:
        # A record may end in a window that nobody used.
        return next((turn for turn in here if turn.action is not DECLINE), here[-1])
    found = next((turn for turn in here if turn.seat == seat), None)
    if found is None:
        seats = " and ".join(str(turn.seat) for turn in here)
        raise NoSuchTurn(f"At step {at} {seat} is not asked for anything, but {seats}.")
    return found
