"""What happens at a table, told to the person in one seat: one line for each event. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from contree.cli.playing.counting import counting, times
from contree.cli.render import TableScreen, reason_text
from contree.cli.render.words import (
    action_words,
    call_words,
    card_words,
    contract_words,
    hand_words,
)
from contree.client import (
    CardPlayed,
    DealEnded,
    Dealt,
    FaultCharged,
    MatchEnded,
    MatchStarted,
    TrickTaken,
)
from contree.engine import Contract, PlacedCall, RuleSet, Seat, Team

if TYPE_CHECKING:
    from contree.cli.spectate import What


def told(before: TableScreen, what: What, me: Seat, rules: RuleSet) -> Iterator[str]:
    """The lines for an event that follows ``before``."""
    match what:
        case MatchStarted():
            yield "All four are ready."
        case Dealt():
            yield f"Deal {what.number}. {_does(what.dealer, me, 'deal')}."
            hand = dict(what.hands).get(me)
            if hand is not None:
                yield f"Your cards: {hand_words(hand)}."
        case PlacedCall():
            yield f"{_does(what.seat, me, 'say')} {call_words(what.call)}."
        case Contract():
            yield f"The contract is {contract_words(what, who(what.taker, me))}."
        case CardPlayed():
            said = ", and says belote" if what.belote else ""
            if what.belote and what.seat is me:
                said = ", and say belote"
            yield f"{_does(what.seat, me, 'play')} {action_words(what.card)}{said}."
        case TrickTaken():
            yield f"{_does(what.winner, me, 'take')} the trick."
        case DealEnded():
            yield from deal_lines(what, me, rules)
        case FaultCharged():
            yield fault_line(what, me)
        case MatchEnded():
            yield ending(what, me)


def who(seat: Seat, me: Seat) -> str:
    """A seat as one says it: "you" for one's own."""
    return "you" if seat is me else name_of(seat)


def name_of(seat: Seat) -> str:
    """A seat's name in full, such as North."""
    return seat.name.capitalize()


def _does(seat: Seat, me: Seat, verb: str) -> str:
    return f"You {verb}" if seat is me else f"{name_of(seat)} {verb}s"


def deal_lines(ended: DealEnded, me: Seat, rules: RuleSet) -> Iterator[str]:
    """How a deal went, and how it is counted."""
    result, us = ended.result, me.team
    if result.contract is None:
        yield f"Deal {ended.number}: all four passed."
        return
    outcome = "made" if result.made else "failed"
    taker = who(result.contract.taker, me)
    yield f"Deal {ended.number}: {contract_words(result.contract, taker)}, {outcome}."
    yield (
        f"Card points: you {result.points[us]}, they {result.points[us.other]}. "
        f"Tricks: you {result.tricks[us]}, they {result.tricks[us.other]}."
    )
    for team, name in ((us, "you"), (us.other, "they")):
        if result.belotes[team]:
            yield f"Belote: {name}, {20 * result.belotes[team]} points."
    counted = counting(result, rules)
    if counted is not None:
        yield f"The contract counts {counted.contract}{times(counted)}."
    yield (
        f"Marked: you {result.marks[us]}, they {result.marks[us.other]}. "
        f"In the match: you {ended.scores[us]}, they {ended.scores[us.other]}."
    )


def fault_line(fault: FaultCharged, me: Seat) -> str:
    """A fault, and what it means for the game."""
    what = {
        "timeout": "out of time: the house has acted once",
        "illegal_action": "an action that the rules do not allow",
        "disconnected": "away for too long",
        "protocol_error": "messages that make no sense",
        "resigned": "left the table",
    }.get(fault.kind.value, fault.kind.value.replace("_", " "))
    seat = "You" if fault.seat is me else name_of(fault.seat)
    return f"{seat}: {what}{'; the house plays on' if fault.replaced else ''}."


def ending(ended: MatchEnded, me: Seat) -> str:
    """How a match ended, for the person in this seat."""
    us = me.team
    scores = f"you {ended.scores[us]}, they {ended.scores[us.other]}"
    winner = ended.winner
    if winner is None and ended.reason.is_result and ended.scores[0] != ended.scores[1]:
        winner = Team(ended.scores[1] > ended.scores[0])
    won = "" if winner is None else " You win." if winner is us else " They win."
    return f"{reason_text(ended.reason)}: {scores}.{won}"


def last_trick_words(table: TableScreen) -> str:
    """The trick on the table, or the one before it, in words."""
    trick = table.trick
    if trick is None or not trick.cards:
        return "No card has been played."
    parts = [
        f"{name_of(trick.seat_of(place, table.direction))} {card_words(card)}"
        for place, card in enumerate(trick.cards)
    ]
    return f"On the table: {', '.join(parts)}."
