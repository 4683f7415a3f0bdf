"""Analyses as plain values for JSON, written and read back; docs/analyse.md lists the fields."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from contree.analysis.values import Analysis, CallCost, CardCost, DealAnalysis, Open, Par, Seen
from contree.engine import (
    Bid,
    Call,
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

__all__ = ["SCHEMA", "analysis_from_dict", "analysis_to_dict", "digest_of"]

SCHEMA: Final = 1
"""The version of the document; a reader refuses another one."""
_SHA256: Final = re.compile(r"\[Sha256 ([0-9a-f]{64})\]\n\Z")
_DOUBLINGS: Final = (Doubling.NONE, Doubling.CONTRE, Doubling.SURCONTRE)


def analysis_to_dict(analysis: Analysis) -> dict[str, Any]:
    """The document of one record."""
    house = {str(Seat(seat)): deal for seat, deal in enumerate(analysis.house) if deal is not None}
    return {
        "schema": SCHEMA,
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
    """Its analysis. ValueError, with a sentence, when it is none, or of another version."""
    try:
        if document["schema"] != SCHEMA:
            raise ValueError(f"its schema is {document['schema']!r}, not {SCHEMA}")
        return _analysis(document)
    except KeyError as error:
        raise ValueError(f"it has no {error.args[0]!r}") from None
    except (AttributeError, IndexError, TypeError, NotationError) as error:
        raise ValueError(f"it is no analysis ({error})") from None


def digest_of(record: Record) -> str:
    """The digest in the last line of a record's text."""
    found = _SHA256.search(format_record(record))
    assert found is not None
    return found[1]


def _analysis(document: Mapping[str, Any]) -> Analysis:
    north, east, south, west = (str(document["seats"][letter]) for letter in "NESW")
    house = document["house"]
    return Analysis(
        str(document["record"]),
        str(document["sha256"]),
        str(document["rules"]),
        int(document["worlds"]),
        str(document["seed"]),
        bool(document["board"]),
        (north, east, south, west),
        tuple(int(house[letter]) if letter in house else None for letter in "NESW"),
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
        int(deal["number"]),
        Seat.parse(deal["dealer"]),
        _contract(deal["contract"]),
        None if marks is None else (int(marks[0]), int(marks[1])),
        Par(_contract(par["contract"]), int(par["marks"])),
        None if reached is None else int(reached),
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
        int(call["place"]),
        Seat.parse(call["seat"]),
        _said(call["call"]),
        int(call["marks"]),
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
        int(card["place"]),
        Seat.parse(card["seat"]),
        parse_action(card["card"]),
        int(card["choices"]),
        Open(float(opened["points"]), int(opened["marks"]), parse_action(opened["best"])),
        None
        if seen is None
        else Seen(
            float(seen["points"]),
            _number(seen["points_error"]),
            float(seen["marks"]),
            _number(seen["marks_error"]),
            parse_action(seen["best"]),
        ),
    )


def _number(value: Any) -> float | None:
    return None if value is None else float(value)


def _text(contract: Contract | None) -> str | None:
    return None if contract is None else str(contract)


def _contract(text: str | None) -> Contract | None:
    """A contract as ``str`` writes it. Who doubled it is not in there."""
    if text is None:
        return None
    plain = text.rstrip("x")
    doubling = _DOUBLINGS[len(text) - len(plain)]
    return Contract(parse_bid(plain[:-1]), Seat.parse(plain[-1:]), doubling)
