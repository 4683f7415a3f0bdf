"""Journal entries as bytes and back: JSON arrays ``[schema, kind, ...]``.

The schema number stands in every entry, so that a journal begun by an older server and gone on by
a newer one can be read. What may change, and how:

- A field more, at the end of an entry's list or under a new name in ``new``: the schema stays. The
  decoder gives a default where the field is missing, for old journals do not have it, and
  ``tests/data/journals`` holds some.
- Anything else (a field that goes, moves or means another thing): ``SCHEMA`` goes up by one,
  ``_UPGRADES`` gets the function that turns an entry of the old schema into one of the next, and
  ``tests/data/journals`` gets a folder of journals of the old schema, as the server before wrote
  them. Upgrades are applied one after the other, so that each knows only its two schemas.

Journals of ended matches are kept in these bytes too (compressed), so an old entry is never
rewritten, and nothing is lost that a later server may want to know.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import astuple
from typing import Any, Final

from contree.engine import (
    Deals,
    FixedDeal,
    Mode,
    Seat,
    SeededDeals,
    parse_action,
    rules_from_dict,
)
from contree.server.match.clock import TimeControl
from contree.server.match.entries import (
    Acted,
    Created,
    Ended,
    Entry,
    Faulted,
    Readied,
    Seated,
)
from contree.server.match.spec import (
    Disclosure,
    EndReason,
    FaultKind,
    FaultPolicy,
    MatchSpec,
    SeatPlan,
    WatchPolicy,
)

SCHEMA: Final = 1
"""The schema that is written."""

_UPGRADES: Final[dict[int, Callable[[list[Any]], list[Any]]]] = {}
"""For each older schema: ``[kind, ...]`` of an entry to that of the schema after it."""


class JournalError(Exception):
    """Bytes that are no journal entry, or of a schema this server does not know.

    ``schema`` is the number of a schema that is not known here, else None.
    """

    def __init__(self, problem: str, schema: object = None) -> None:
        super().__init__(problem)
        self.schema = schema


def encode_entry(entry: Entry) -> bytes:
    """The bytes of an entry."""
    if isinstance(entry, Acted):
        # Nearly all entries are of this kind, and no action has a character that JSON escapes.
        return b'[%d,"act",%d,"%b",%d,%d,%d]' % (
            SCHEMA,
            entry.seat,
            str(entry.action).encode(),
            entry.charged,
            entry.bank,
            entry.by_house,
        )
    return json.dumps([SCHEMA, *_fields(entry)], separators=(",", ":")).encode()


def decode_entry(data: bytes) -> Entry:
    """The entry of these bytes; JournalError when they are none."""
    try:
        schema, kind, *rest = json.loads(data)
    except (ValueError, TypeError) as error:
        raise JournalError(f"not a journal entry: {data[:80]!r}") from error
    if schema != SCHEMA:
        kind, *rest = _upgraded(schema, [kind, *rest])
    decode = _DECODERS.get(kind)
    if decode is None:
        raise JournalError(f"journal entries of kind {kind!r} are not known here")
    try:
        return decode(rest)
    except (ValueError, TypeError, KeyError, IndexError) as error:
        raise JournalError(f"a broken {kind!r} entry: {error}") from error


def _upgraded(schema: Any, fields: list[Any]) -> list[Any]:
    """The fields of an entry of another schema as this one has them."""
    if type(schema) is not int or schema < 1:
        raise JournalError(f"journal schema {schema!r} is none", schema)
    if schema > SCHEMA:
        problem = f"journal schema {schema} is newer than this server's ({SCHEMA}): upgrade it"
        raise JournalError(problem, schema)
    for number in range(schema, SCHEMA):
        upgrade = _UPGRADES.get(number)
        if upgrade is None:
            raise JournalError(f"journal schema {number} is not known here any more", number)
        try:
            fields = upgrade(fields)
        except (ValueError, TypeError, KeyError, IndexError) as error:
            raise JournalError(f"a broken entry of schema {number}: {error}") from error
    return fields


def _fields(entry: Created | Seated | Readied | Faulted | Ended) -> list[Any]:
    match entry:
        case Seated():
            return ["seat", int(entry.seat), entry.version, entry.instance_id, entry.key_id]
        case Readied():
            return ["ready", int(entry.seat)]
        case Faulted():
            replaced = int(entry.replaced)
            return ["fault", int(entry.seat), entry.kind.value, replaced, entry.detail]
        case Ended():
            return ["end", entry.reason.value, entry.ended_ms, entry.detail]
        case Created():
            return ["new", _spec_to_json(entry.spec)]


_DECODERS: Final[Mapping[str, Callable[[list[Any]], Entry]]] = {
    "act": lambda f: Acted(Seat(f[0]), parse_action(f[1]), f[2], f[3], bool(f[4])),
    "seat": lambda f: Seated(Seat(f[0]), *f[1:4]),  # without a key id from older servers
    "ready": lambda f: Readied(Seat(f[0])),
    "fault": lambda f: Faulted(Seat(f[0]), FaultKind(f[1]), bool(f[2]), f[3]),
    "end": lambda f: Ended(EndReason(f[0]), f[1], f[2]),
    "new": lambda f: Created(_spec_from_json(f[0])),
}


def _spec_to_json(spec: MatchSpec) -> dict[str, Any]:
    return {
        "id": spec.match_id,
        "rules": spec.rules.to_dict(),
        "mode": spec.mode.value,
        "board": spec.board,
        "deals": _deals_to_json(spec.deals),
        "drawn": spec.drawn,
        "seats": [[s.bot, s.house, s.instance_id, s.key_id] for s in spec.seats],
        "secret": spec.secret.hex(),
        "created_ms": spec.created_ms,
        "time": list(spec.time),
        "faults": list(astuple(spec.faults)),
        "request_id": spec.request_id,
        "labels": list(spec.labels),
        "group": spec.group,
        "disclosure": spec.disclosure.value,
        "owner": spec.owner,
        "watch": spec.watch.value,
    }


def _spec_from_json(data: Mapping[str, Any]) -> MatchSpec:
    north, east, south, west = (SeatPlan(*fields) for fields in data["seats"])
    return MatchSpec(
        match_id=data["id"],
        rules=rules_from_dict(data["rules"]),
        mode=Mode(data["mode"]),
        board=data["board"],
        deals=_deals_from_json(data["deals"]),
        drawn=data["drawn"],
        seats=(north, east, south, west),
        secret=bytes.fromhex(data["secret"]),
        created_ms=data["created_ms"],
        time=TimeControl(*data["time"]),
        faults=FaultPolicy(*data["faults"]),
        request_id=data["request_id"],
        labels=tuple(data["labels"]),
        group=data["group"],
        disclosure=Disclosure(data["disclosure"]),
        owner=data.get("owner", ""),
        watch=WatchPolicy(data.get("watch", "as_disclosed")),
    )


def _deals_to_json(deals: Deals) -> dict[str, Any]:
    if isinstance(deals, SeededDeals):
        return {"seed": deals.seed.hex(), "label": deals.label}
    if isinstance(deals, FixedDeal):
        return {"dealer": int(deals.dealer), "hands": list(deals.hands)}
    raise TypeError(f"{type(deals).__name__} cannot be kept in a journal")


def _deals_from_json(data: Mapping[str, Any]) -> Deals:
    if "seed" in data:
        return SeededDeals(bytes.fromhex(data["seed"]), data["label"])
    north, east, south, west = data["hands"]
    return FixedDeal(Seat(data["dealer"]), (north, east, south, west))
