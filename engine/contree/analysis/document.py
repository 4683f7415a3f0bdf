"""Analyses as plain values for JSON, written and read back; docs/analyse.md lists the fields."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from contree.analysis.values import Analysis, CallCost, CardCost, DealAnalysis, Open, Par, Seen
from contree.engine import (
    Action,
    Announced,
    Bid,
    Call,
    Card,
    Contract,
    NotationError,
    Record,
    Say,
    Seat,
    format_record,
    parse_action,
    parse_bid,
)
from contree.engine.contract import Doubling

__all__ = ["SCHEMA", "analysis_from_dict", "analysis_to_dict", "check", "digest_of"]

SCHEMA: Final = 1
"""The version of the document; a reader refuses another one."""
_LARGEST: Final = 1_000_000_000
"""No number of an analysis is larger."""
_SHA256: Final = re.compile(r"\[Sha256 ([0-9a-f]{64})\]\n\Z")
_DOUBLINGS: Final = (Doubling.NONE, Doubling.CONTRE, Doubling.SURCONTRE)


def analysis_to_dict(analysis: Analysis) -> dict[str, Any]:
    """The document of one record."""
    house = {str(Seat(seat)): list(deals) for seat, deals in enumerate(analysis.house) if deals}
    return {
        "schema": SCHEMA,
        "event": analysis.event,
        "record": analysis.record,
        "sha256": analysis.sha256,
        "rules": analysis.rules,
        "worlds": analysis.worlds,
        "seed": analysis.seed,
        "board": analysis.board,
        "seats": {str(Seat(seat)): name for seat, name in enumerate(analysis.names)},
        "house": house,
        "deals": [_deal(deal) for deal in analysis.deals],
    }


def analysis_from_dict(document: Mapping[str, Any]) -> Analysis:
    """Its analysis. ValueError, with a sentence, when it is none, or of another version.

    Numbers are such as an analysis can have, so that they can be shown and summed up; ``check``
    tells whether it fits a record.
    """
    try:
        if document["schema"] != SCHEMA:
            raise ValueError(f"its schema is {document['schema']!r}, not {SCHEMA}")
        return _analysis(document)
    except KeyError as error:
        raise ValueError(f"it has no {error.args[0]!r}") from None
    except (AttributeError, IndexError, TypeError, NotationError) as error:
        raise ValueError(f"it is no analysis ({error})") from None


def check(analysis: Analysis, record: Record) -> None:
    """ValueError, with a sentence, unless it has the deals of this record, and nothing is said of
    calls and cards that are not in them.
    """
    if len(analysis.deals) != len(record.deals):
        raise ValueError(f"it has {len(analysis.deals)} deals, its record {len(record.deals)}")
    for number, (deal, recorded) in enumerate(
        zip(analysis.deals, record.deals, strict=True), start=1
    ):
        # A contre declined is no public call: it may come after the last one.
        if any(not 0 <= call.place <= len(recorded.calls) for call in deal.calls):
            raise ValueError(f"in its deal {number} is a call that its record has not")
        if any(not 0 <= card.place < len(recorded.cards) for card in deal.cards):
            raise ValueError(f"in its deal {number} is a card that its record has not")


def digest_of(record: Record) -> str:
    """The digest in the last line of a record's text."""
    found = _SHA256.search(format_record(record))
    assert found is not None
    return found[1]


def _analysis(document: Mapping[str, Any]) -> Analysis:
    north, east, south, west = (str(document["seats"][letter]) for letter in "NESW")
    house = document["house"]
    return Analysis(
        str(document["event"]),
        str(document["record"]),
        str(document["sha256"]),
        str(document["rules"]),
        _whole(document["worlds"]),
        str(document["seed"]),
        bool(document["board"]),
        (north, east, south, west),
        tuple(tuple(_whole(deal) for deal in house.get(letter, ())) for letter in "NESW"),
        tuple(_deal_from(deal) for deal in document["deals"]),
    )


def _deal(deal: DealAnalysis) -> dict[str, Any]:
    return {
        "number": deal.number,
        "dealer": str(deal.dealer),
        "contract": _text(deal.contract),
        "marks": None if deal.marks is None else list(deal.marks),
        "par": {"contract": _text(deal.par.contract), "marks": deal.par.marks},
        "reached": deal.reached,
        "calls": [_call(call) for call in deal.calls],
        "cards": [_card(card) for card in deal.cards],
    }


def _deal_from(deal: Mapping[str, Any]) -> DealAnalysis:
    marks, par, reached = deal["marks"], deal["par"], deal["reached"]
    return DealAnalysis(
        _whole(deal["number"]),
        Seat.parse(deal["dealer"]),
        _contract(deal["contract"]),
        None if marks is None else (_whole(marks[0]), _whole(marks[1])),
        Par(_contract(par["contract"]), _whole(par["marks"])),
        None if reached is None else _whole(reached),
        tuple(_call_from(call) for call in deal["calls"]),
        tuple(_card_from(card) for card in deal["cards"]),
    )


def _call(call: CallCost) -> dict[str, Any]:
    return {
        "place": call.place,
        "seat": str(call.seat),
        "call": str(call.call),
        "marks": call.marks,
        "best": str(call.best),
    }


def _call_from(call: Mapping[str, Any]) -> CallCost:
    return CallCost(
        _whole(call["place"]),
        Seat.parse(call["seat"]),
        _said(call["call"]),
        _whole(call["marks"]),
        _said(call["best"]),
    )


def _said(text: str) -> Call:
    action = parse_action(text)
    if not isinstance(action, Bid | Say):
        raise ValueError(f"{text} is no call")
    return action


def _card(card: CardCost) -> dict[str, Any]:
    seen = card.seen
    return {
        "place": card.place,
        "trick": card.trick,
        "seat": str(card.seat),
        "card": str(card.action),
        "choices": card.choices,
        "costly": card.costly,
        "open": {**card.open._asdict(), "best": str(card.open.best)},
        "seen": None if seen is None else {**seen._asdict(), "best": str(seen.best)},
    }


def _card_from(card: Mapping[str, Any]) -> CardCost:
    opened, seen = card["open"], card["seen"]
    return CardCost(
        _whole(card["place"]),
        Seat.parse(card["seat"]),
        _played(card["card"]),
        _whole(card["choices"]),
        Open(_real(opened["points"]), _whole(opened["marks"]), _played(opened["best"])),
        None
        if seen is None
        else Seen(
            _real(seen["points"]),
            _error(seen["points_error"]),
            _real(seen["marks"]),
            _error(seen["marks_error"]),
            _played(seen["best"]),
        ),
    )


def _played(text: str) -> Action:
    action = parse_action(text)
    if not isinstance(action, Card | Announced):
        raise ValueError(f"{text} is no card")
    return action


def _error(value: Any) -> float | None:
    return None if value is None else _real(value)


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise ValueError("it has something else where a whole number should be")
    _real(value)
    return value


def _real(value: Any) -> float:
    """A number within ``_LARGEST``: not a boolean, not infinite, not NaN."""
    if type(value) not in {int, float}:
        raise ValueError("it has something else where a number should be")
    if not -_LARGEST <= value <= _LARGEST:
        raise ValueError("it has a number that no analysis has")
    return float(value)


def _text(contract: Contract | None) -> str | None:
    return None if contract is None else str(contract)


def _contract(text: str | None) -> Contract | None:
    """A contract as ``str`` writes it. Who doubled it is not in there."""
    if text is None:
        return None
    plain = text.rstrip("x")
    doubling = _DOUBLINGS[len(text) - len(plain)]
    return Contract(parse_bid(plain[:-1]), Seat.parse(plain[-1:]), doubling)
