"""BGN records as JSON, for programs: the same content as the text, key by key.

::

    {
      "bgn": 1,
      "rules": "ffb-mixte",
      "options": {},
      "target": 1000,
      "mode": "board",
      "board": 4,
      "seats": {"N": "Nora", "E": "Eve", "S": "Sue", "W": "Walt"},
      "direction": "ccw",
      "notes": [],
      "deals": [
        {
          "dealer": "W",
          "hands": {"N": ["AS", ...], "E": [...], "S": [...], "W": [...]},
          "calls": [["S", "P"], ["E", "80S"], ...],
          "tricks": [{"leader": "S", "cards": ["JS", "9S", "7S", "AS"]}, ...],
          "score": {"marks": [210, 60], "totals": [210, 60]}
        }
      ],
      "sha256": "..."
    }

``board`` is there in mode ``board`` only, ``score`` in finished deals only. Calls and cards are the
words of the text (``KH+b`` with belote said), pairs of numbers are (North-South, East-West), and
``sha256`` is the digest of the text form, so that both forms vouch for the same match.

Reading makes the text of it and reads that, so both forms are held to the same rules.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

from contree.engine.bgn_place import Place
from contree.engine.bgn_read import parse_record
from contree.engine.bgn_words import (
    VERSION,
    RecordError,
    digest,
    digest_in,
    format_call,
    format_card,
    format_hand,
    parse_call,
    parse_card,
)
from contree.engine.bgn_write import format_record
from contree.engine.cards import Card, mask_of
from contree.engine.game import Mode
from contree.engine.record import Record
from contree.engine.table import SEATS, Seat


def parse_record_json(text: str) -> Record:
    """Read the JSON form of a record and play it again to check it; RecordError, naming the place,
    when it is none.
    """
    try:
        document = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
        return record_from_dict(document)
    except json.JSONDecodeError as error:
        line = text.split("\n")[error.lineno - 1]
        raise RecordError(error.lineno, line, f"no JSON: {error.msg}") from None
    except RecordError:
        raise
    except (ValueError, RecursionError):  # a number of thousands of digits, or of brackets
        raise RecordError(1, text[:40], "no JSON that can be read") from None


def record_from_dict(document: object) -> Record:
    """Read the plain values of the JSON form, as ``parse_record_json``."""
    top = Place("", document)
    top.keys(_KEYS, optional=("board",))
    lines = [*_header(top)]
    deals = top["deals"].entries()
    for deal in deals:
        lines += _deal_lines(deal)
    body = "".join(f"{line}\n" for line, _ in lines)
    try:
        record = parse_record(f"{body}[Sha256 {digest(body)}]\n")
    except RecordError as error:
        where = lines[min(error.line, len(lines)) - 1][1]
        raise where.error(error.problem) from None
    for recorded, deal in zip(record.deals, deals, strict=True):
        if str(recorded.dealer) != deal["dealer"].value:
            raise deal["dealer"].error(f"by the rules {recorded.dealer} deals")
    if top["sha256"].value != digest_in(format_record(record)):
        raise top["sha256"].error("the record has been changed: the digest of its text is another")
    return record


_KEYS: Final = (
    "bgn",
    "rules",
    "options",
    "target",
    "mode",
    "seats",
    "direction",
    "notes",
    "deals",
    "sha256",
)

_Line = tuple[str, Place]
"""A line of the text form, and what it was made of."""


def _header(top: Place) -> Iterator[_Line]:
    if type(top["bgn"].value) is not int or top["bgn"].value != VERSION:
        raise top["bgn"].error(f"expected {VERSION}, the only version known")
    yield f"[BGN {VERSION}]", top["bgn"]
    yield f"[Rules {json.dumps(top['rules'].text())}]", top["rules"]
    options = top["options"]
    if not isinstance(options.value, dict):
        raise options.error("expected an object with an option's value under its name")
    for name in options.value:
        if not name.isidentifier() or not name.isascii():
            raise options.error(f"{name!r} is no name of an option")
        yield f"[Option {name} {json.dumps(options[name].value)}]", options[name]
    yield f"[Target {json.dumps(top['target'].value)}]", top["target"]
    yield _mode_line(top)
    seats = top["seats"]
    seats.keys([str(seat) for seat in SEATS])
    names = " ".join(json.dumps(seats[str(seat)].text()) for seat in SEATS)
    direction = top["direction"]
    if direction.value not in {"cw", "ccw"}:
        raise direction.error("expected cw or ccw")
    yield f"[Seats {names} {direction.value}]", direction
    deals = top["deals"].entries()
    if not deals:
        raise top["deals"].error("expected a deal at least")
    for deal in deals:
        deal.keys(("dealer", "hands", "calls", "tricks"), optional=("score",))
    dealer = deals[0]["dealer"]
    yield f"[Dealer {dealer.read(Seat.parse)}]", dealer
    for note in top["notes"].entries():
        yield f"[Note {json.dumps(note.text())}]", note


def _mode_line(top: Place) -> _Line:
    mode = top["mode"]
    if mode.value == Mode.RACE.value:
        if top.has("board"):
            raise top["board"].error("a race has no board")
        return "[Mode race]", mode
    if mode.value != Mode.BOARD.value:
        raise mode.error("expected race or board")
    if not top.has("board"):
        raise mode.error("the number of the board is missing")
    return f"[Mode board {json.dumps(top['board'].value)}]", top["board"]


def _deal_lines(deal: Place) -> Iterator[_Line]:
    deal["dealer"].read(Seat.parse)
    hands = deal["hands"]
    hands.keys([str(seat) for seat in SEATS])
    words = [f"{seat}:{format_hand(_hand(hands[str(seat)]))}" for seat in SEATS]
    yield " ".join(["Deal", *words]), hands
    calls = deal["calls"]
    said = [_call(place) for place in calls.entries()]
    if said:
        yield " ".join(["Bid", *said]), calls
    tricks = deal["tricks"]
    played = [_trick(place) for place in tricks.entries()]
    if played:
        yield "Play " + " / ".join(played), tricks
    if deal.has("score"):
        yield _score_line(deal["score"]), deal["score"]


def _hand(place: Place) -> int:
    cards = [card.read(Card.parse) for card in place.entries()]
    if len(set(cards)) < len(cards):
        raise place.error("a card is given twice")
    return mask_of(cards)


def _call(place: Place) -> str:
    seat, call = place.entries(2)
    return f"{seat.read(Seat.parse)}:{format_call(call.read(parse_call))}"


def _trick(place: Place) -> str:
    place.keys(("leader", "cards"))
    cards = [format_card(card.read(parse_card)) for card in place["cards"].entries()]
    return " ".join([str(place["leader"].read(Seat.parse)), *cards])


def _score_line(score: Place) -> str:
    score.keys(("marks", "totals"))
    marks, totals = (
        [number.value for number in score[key].entries(2)] for key in ("marks", "totals")
    )
    if not all(type(number) is int for number in (*marks, *totals)):
        raise score.error("expected pairs of whole numbers")
    return f"Score N-S {marks[0]} E-W {marks[1]} | {totals[0]}-{totals[1]}"


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object, no key of which comes twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise RecordError(0, json.dumps(twice), "this key is given twice", "the record")
    return found


def _no_constant(text: str) -> object:
    raise RecordError(0, text, "this is no JSON number", "the record")
