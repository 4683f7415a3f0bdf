"""Where two tables of a board parted: the first decision that was made differently. Pure.

Both tables hold the same cards once the disguise is undone, so up to their first difference they
are one game, and the same seat has the same choice at both.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from itertools import zip_longest
from typing import Final, NamedTuple, cast

from contree.engine import (
    CONTRE,
    DECLINE,
    SURCONTRE,
    Action,
    Call,
    Mode,
    PlacedCall,
    Record,
    RuleSet,
    Seat,
)
from contree.engine.disguise import Disguise
from contree.engine.record import PlacedCard, RecordedDeal, actions
from contree.engine.shuffle import FixedDeal


class Part(Enum):
    """The part of a deal in which tables can part."""

    AUCTION = "auction"
    PLAY = "play"


class Parting(NamedTuple):
    """The first decision that was made differently."""

    part: Part
    place: int
    """Among the public calls of the deal, or among its cards, from 0."""
    seat: Seat
    """Whose decision it was."""
    actions: tuple[Action, Action]
    """What was done at either table; a contre that was not said is ``DECLINE``."""


_Decision = tuple[Seat, Action]
_NOBODY: Final = ("", "", "", "")


def undone(deal: RecordedDeal, worn: Disguise) -> RecordedDeal:
    """A deal as it would have been without its disguise."""
    back = worn.inverse
    dealer, hands = back.deal(FixedDeal(deal.dealer, deal.hands))
    return RecordedDeal(
        dealer,
        hands,
        tuple(
            PlacedCall(back.seat(seat), cast(Call, back.action(call))) for seat, call in deal.calls
        ),
        tuple(PlacedCard(back.seat(seat), back.action(card)) for seat, card in deal.cards),
    )


def parted(rules: RuleSet, one: RecordedDeal, other: RecordedDeal) -> Parting | None:
    """Where two deals of the same cards parted, the disguise undone.

    None when they never did, when their cards are not the same, and when one of them was broken off
    before the other took another way.
    """
    if (one.dealer, one.hands) != (other.dealer, other.hands):
        return None
    for index, (mine, yours) in enumerate(zip_longest(one.calls, other.calls)):
        if mine == yours:
            continue
        if mine is not None and yours is not None and mine.seat is yours.seat:
            return Parting(Part.AUCTION, index, mine.seat, (mine.call, yours.call))
        return _out_of_turn(rules, one, other, index)
    for index, (here, there) in enumerate(zip(one.cards, other.cards, strict=False)):
        if here != there:
            return Parting(Part.PLAY, index, here.seat, (here.action, there.action))
    return None


def _out_of_turn(
    rules: RuleSet, one: RecordedDeal, other: RecordedDeal, index: int
) -> Parting | None:
    """The parting in a contre window: who said it at one table has declined at the other."""
    spoken = one.calls[index - 1].seat if index else one.dealer
    answers = [dict(_answers(_decisions(rules, deal), index)) for deal in (one, other)]
    different = [
        (rules.turn_direction.distance(spoken, seat) or 4, seat)
        for seat in answers[0].keys() & answers[1].keys()
        if answers[0][seat] != answers[1][seat]
    ]
    if not different:
        return None
    _, seat = min(different)
    return Parting(Part.AUCTION, index, seat, (answers[0][seat], answers[1][seat]))


def _decisions(rules: RuleSet, deal: RecordedDeal) -> list[_Decision]:
    """All that was decided in a deal, declined contres included."""
    record = Record(rules=rules, mode=Mode.BOARD, names=_NOBODY, deals=(deal,))
    return list(actions(record))


def _answers(decisions: Sequence[_Decision], index: int) -> list[_Decision]:
    """What was answered, by whom, after so many public calls and up to the next of them."""
    found: list[_Decision] = []
    calls = 0
    for decision in decisions:
        if calls == index:
            found.append(decision)
        if decision[1] is not DECLINE:
            calls += 1
        if calls > index:
            break
    said = found[-1][1] if found else DECLINE
    # A call in turn is no answer to a window, unless it says what the window asked for.
    return found if said in (DECLINE, CONTRE, SURCONTRE) else found[:-1]
