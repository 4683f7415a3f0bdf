"""A match as plain JSON, all of it, in one order: two matches are the same when their texts are."""

from __future__ import annotations

import hashlib
import json
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

from contree.engine import Card, RuleSet
from contree.server.match import Match


def plain(value: Any) -> Any:
    """A value of the match or the engine as JSON, by the names of its fields."""
    if isinstance(value, Card):
        return str(value)
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, RuleSet):
        return value.to_dict()
    if is_dataclass(value):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value)}
    if hasattr(value, "_fields"):
        return {name: plain(getattr(value, name)) for name in value._fields}
    if isinstance(value, tuple | list):
        return [plain(one) for one in value]
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    return value


def digest(match: Match) -> str:
    """SHA-256 of everything a match holds."""
    text = json.dumps(plain(match), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def outline(match: Match) -> dict[str, Any]:
    """What must not change in how an old journal is read: the state, without the engine's caches.

    A later server may know more about a match; what is in here it must still know.
    """
    game = match.game
    deals = [*game.finished, *([game.deal] if game.deal else [])]
    return {
        "version": match.version,
        "stage": match.stage.name,
        "seq": match.seq,
        "end": match.end.name if match.end else None,
        "ended_ms": match.ended_ms,
        "owed_since": list(match.owed_since),
        "spec": plain(match.spec),
        "seats": plain(match.seats),
        "faults": plain(match.faults),
        "last_answer": [
            plain(one) if one is None else str(one.action) for one in match.last_answer
        ],
        "number": game.number,
        "scores": list(game.scores),
        "owed": plain(game.owed),
        "deals": [
            {
                "dealer": deal.dealer.name,
                "dealt": list(deal.dealt),
                "calls": [f"{one.seat} {one.call}" for one in deal.auction.calls],
                "tricks": [plain(one) for one in (deal.play.tricks if deal.play else ())],
                "winners": [str(one) for one in (deal.play.winners if deal.play else ())],
                "result": plain(deal.result),
            }
            for deal in deals
        ],
    }


def holds(now: Any, then: Any) -> bool:
    """Whether a value holds everything that it held then; fields may have come."""
    if isinstance(then, dict) and isinstance(now, dict):
        return all(key in now and holds(now[key], value) for key, value in then.items())
    if isinstance(then, list) and isinstance(now, list):
        return len(now) == len(then) and all(map(holds, now, then))
    return bool(now == then)
