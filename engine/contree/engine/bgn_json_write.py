"""Writes the JSON form of BGN records. See ``bgn_json_read`` for the form."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from contree.engine.bgn_words import VERSION, digest_in, format_call, format_card
from contree.engine.bgn_write import base_and_options, format_record
from contree.engine.cards import cards_in
from contree.engine.game import Mode
from contree.engine.record import Record, RecordedDeal
from contree.engine.table import SEATS


def format_record_json(record: Record) -> str:
    """The JSON form of a record, with one thing a line; errors as ``format_record``."""
    return "\n".join(_layout(record_to_dict(record))) + "\n"


def record_to_dict(record: Record) -> dict[str, Any]:
    """The JSON form of a record as plain values; errors as ``format_record``."""
    text = format_record(record)
    base, options = base_and_options(record.rules)
    board = {"board": record.number} if record.mode is Mode.BOARD else {}
    return {
        "bgn": VERSION,
        "rules": base,
        "options": options,
        "target": record.rules.target,
        "mode": record.mode.value,
        **board,
        "seats": {str(seat): record.names[seat] for seat in SEATS},
        "direction": record.rules.turn_direction.value,
        "notes": list(record.notes),
        "deals": list(_deals(record)),
        "sha256": digest_in(text),
    }


def _deals(record: Record) -> Iterator[dict[str, Any]]:
    results = record.replay().results
    totals = [0, 0]
    for index, deal in enumerate(record.deals):
        score = {}
        if index < len(results):
            marks = results[index].marks
            totals = [total + mark for total, mark in zip(totals, marks, strict=True)]
            score = {"score": {"marks": list(marks), "totals": totals}}
        yield {**_deal(deal), **score}


def _deal(deal: RecordedDeal) -> dict[str, Any]:
    tricks = [deal.cards[first : first + 4] for first in range(0, len(deal.cards), 4)]
    return {
        "dealer": str(deal.dealer),
        "hands": {str(seat): _texts(cards_in(deal.hands[seat])) for seat in SEATS},
        "calls": [[str(placed.seat), format_call(placed.call)] for placed in deal.calls],
        "tricks": [
            {
                "leader": str(trick[0].seat),
                "cards": [format_card(placed.action) for placed in trick],
            }
            for trick in tricks
        ],
    }


def _texts(values: Sequence[object]) -> list[str]:
    return [str(value) for value in values]


_OPENED: Final = ("options", "notes", "deals", "hands", "calls", "tricks")
"""What is written with an entry a line."""


def _layout(value: Any, key: str = "", *, opened: bool = True) -> Iterator[str]:
    """The lines of a value; what is ``_OPENED``, and every deal, has a line for each entry."""
    start = f"{json.dumps(key)}: " if key else ""
    if not value or not opened or not isinstance(value, dict | list):
        yield start + json.dumps(value)
        return
    if isinstance(value, dict):
        brackets, entries = "{}", list(value.items())
    else:
        brackets, entries = "[]", [("", entry) for entry in value]
    yield start + brackets[0]
    for number, (name, entry) in enumerate(entries, 1):
        *lines, last = _layout(entry, name, opened=name in _OPENED or key == "deals")
        for line in lines:
            yield f"  {line}"
        yield f"  {last}" + ("," if number < len(entries) else "")
    yield brackets[1]
