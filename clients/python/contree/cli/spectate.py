"""Public events folded into what a spectator sees: a screen, lines, or JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rich.text import Text

from contree.cli.render import (
    TableScreen,
    calls_text,
    deal_line,
    reason_text,
    trick_text,
)
from contree.cli.sessions import deal_row
from contree.client import (
    CardPlayed,
    DealEnded,
    Dealt,
    FaultCharged,
    MatchEnded,
    MatchStarted,
    TrickTaken,
)
from contree.engine import Card, Contract, PlacedCall, Seat, Trick

if TYPE_CHECKING:
    from contree.client import Match

What = (
    MatchStarted
    | Dealt
    | PlacedCall
    | Contract
    | CardPlayed
    | TrickTaken
    | DealEnded
    | FaultCharged
    | MatchEnded
)
"""What an event holds."""


def with_match(screen: TableScreen | None, match: Match) -> TableScreen:
    """The screen of a match, or what it says anew about itself."""
    if screen is None:
        screen = TableScreen(match.id, match.rules.name, match.rules.turn_direction, {})
    names = {seat.seat: seat.bot or "nobody yet" for seat in match.seats}
    return screen._replace(names=names, state=match.state.value)


def after(screen: TableScreen, what: What) -> TableScreen:
    """The screen after an event."""
    match what:
        case MatchStarted():
            return screen._replace(state="playing")
        case Dealt():
            return screen._replace(
                number=what.number,
                dealer=what.dealer,
                hands=dict(what.hands),
                calls=(),
                contract=None,
                trick=None,
                last=None,
                belotes=(),
                tricks=(0, 0),
                note="",
            )
        case PlacedCall():
            return screen._replace(calls=(*screen.calls, what))
        case Contract():
            return screen._replace(contract=what)
        case CardPlayed():
            trick, last = screen.trick, screen.last
            if trick is None or trick.complete:
                trick, last = Trick(what.seat), trick
            said = what.belote and what.seat not in screen.belotes
            return screen._replace(
                trick=trick.with_card(what.card),
                last=last,
                belotes=(*screen.belotes, what.seat) if said else screen.belotes,
                hands=_without(screen.hands, what),
            )
        case TrickTaken():
            north_south, east_west = screen.tricks
            by_pair = (north_south + 1, east_west)
            if what.winner.team:
                by_pair = (north_south, east_west + 1)
            return screen._replace(trick=what.trick, tricks=by_pair)
        case DealEnded():
            return screen._replace(scores=what.scores, note=deal_line(deal_row(what)).plain)
        case FaultCharged():
            return screen._replace(note=_fault(what))
        case MatchEnded():
            return screen._replace(
                state="ended", scores=what.scores, note=f"{reason_text(what.reason)}."
            )


def lines(before: TableScreen, what: What) -> Iterator[Text]:
    """What a log of the table says about an event that follows `before`."""
    match what:
        case MatchStarted():
            yield Text("all four are ready")
        case Dealt():
            yield Text(f"deal {what.number}, {what.dealer} deals", "bold")
        case Contract():
            yield Text("  ").append(calls_text(before.calls))
        case TrickTaken():
            yield Text("  ").append(trick_text(what.trick, before.direction, what.winner))
        case DealEnded():
            if what.result.contract is None:
                yield Text("  ").append(calls_text(before.calls))
            yield deal_line(deal_row(what))
        case FaultCharged():
            yield Text(_fault(what), "red")
        case MatchEnded():
            north_south, east_west = what.scores
            yield Text(f"{reason_text(what.reason)}: NS {north_south}, EW {east_west}", "bold")
        case PlacedCall() | CardPlayed():
            pass


def as_json(what: What) -> dict[str, Any]:
    """An event as JSON values, `event` telling which."""
    match what:
        case MatchStarted():
            return {"event": "match_started"}
        case Dealt():
            hands = {str(seat): _texts(cards) for seat, cards in what.hands}
            return {
                "event": "dealt",
                "number": what.number,
                "dealer": str(what.dealer),
                "hands": hands,
            }
        case PlacedCall():
            return {"event": "called", "seat": str(what.seat), "call": str(what.call)}
        case Contract():
            return {"event": "contracted", "contract": _contract(what)}
        case CardPlayed():
            return {
                "event": "card_played",
                "seat": str(what.seat),
                "card": str(what.card),
                "belote": what.belote,
            }
        case TrickTaken():
            return {
                "event": "trick_taken",
                "leader": str(what.trick.leader),
                "cards": _texts(what.trick.cards),
                "winner": str(what.winner),
            }
        case DealEnded():
            return {
                "event": "deal_ended",
                "number": what.number,
                "contract": what.result.contract and _contract(what.result.contract),
                "made": what.result.made,
                "points": list(what.result.points),
                "tricks": list(what.result.tricks),
                "belotes": list(what.result.belotes),
                "marks": list(what.result.marks),
                "scores": list(what.scores),
            }
        case FaultCharged():
            return {
                "event": "fault",
                "seat": str(what.seat),
                "kind": what.kind.value,
                "strikes": what.strikes,
                "replaced": what.replaced,
            }
        case MatchEnded():
            return {
                "event": "match_ended",
                "reason": what.reason.value,
                "scores": list(what.scores),
                "winner": None if what.winner is None else str(what.winner),
            }


def match_json(match: Match) -> dict[str, Any]:
    """What a match says about itself as JSON values."""
    return {
        "event": "match",
        "match_id": match.id,
        "state": match.state.value,
        "rules": match.rules.name,
        "seats": {str(seat.seat): seat.bot for seat in match.seats},
        "scores": list(match.scores),
        "allowance": match.time_control.allowance,
        "overruns": {str(seat.seat): seat.overruns for seat in match.seats if seat.overruns},
        "replaced": [str(seat.seat) for seat in match.seats if seat.replaced],
        "end_detail": match.end_detail,
    }


def _without(
    hands: Mapping[Seat, tuple[Card, ...]], played: CardPlayed
) -> Mapping[Seat, tuple[Card, ...]]:
    hand = hands.get(played.seat)
    if hand is None:
        return hands
    return {**hands, played.seat: tuple(card for card in hand if card != played.card)}


def _texts(cards: tuple[Card, ...]) -> list[str]:
    return [str(card) for card in cards]


def _contract(contract: Contract) -> dict[str, Any]:
    return {
        "bid": str(contract.bid),
        "taker": str(contract.taker),
        "level": int(contract.doubling),
    }


def _fault(fault: FaultCharged) -> str:
    end = ", the house plays on" if fault.replaced else ""
    return f"fault of {fault.seat}: {fault.kind.value.replace('_', ' ')}{end}"
