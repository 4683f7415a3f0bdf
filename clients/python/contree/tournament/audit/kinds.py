"""Whether the values of a header are of the kinds that they should be, before they are used. Pure.

Events come from strangers. What passes here no later stage stumbles over: neither a list where a
number should be, nor a number of boards whose schedule takes for ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from contree.tournament.errors import ConfigError
from contree.tournament.formats.shape import Kind, Shape
from contree.tournament.reading import Section, all_different
from contree.tournament.shaping import read_shape

MOST_TABLES: Final = 1_000_000
"""With their records more do not fit into an event that is read (``bundle.MOST_BYTES``)."""
_DIGEST: Final = (r"[0-9a-f]{64}", "64 hex digits")
_LINE: Final = (r"[^\x00-\x1f\x7f]{1,200}", "a line of text")


def check_header(header: Mapping[str, Any]) -> None:
    """Raises ConfigError for the first value of a header that cannot be."""
    top = Section("", header)
    for key in ("id", "name", "label"):
        top.text(key, *_LINE)
    for key in ("policy_sha256", "seed_commitment"):
        top.text(key, *_DIGEST)
    if header.get("seed") is not None:
        top.text("seed", *_DIGEST)
    boards = top.whole("boards", 1, 1_000_000)
    top.whole("tables", 1, MOST_TABLES)
    for key in ("time", "faults", "broken", "policy", "rules"):
        if key not in header:
            raise ConfigError(key, "missing", "an object")
        top.section(key)
    broken = top.section("broken")
    if not {"stops", "marks"} <= broken.given:
        raise ConfigError("broken", "a part is missing", '"stops" and "marks"')
    broken.flag("stops")
    broken.whole("marks", 0, 100_000)
    bots = top.sections("bots")
    names = [bot.text("name", *_LINE) for bot in bots]
    all_different("bots", names)
    _check_size(_shape(header), len(names), boards)


def _shape(header: Mapping[str, Any]) -> Shape:
    """The format of a header, held to the bounds that the file of an event has."""
    Section("", header).section("format")
    own = dict(header.get("format") or {"kind": "round-robin"})
    kind, races = own.pop("kind", None), own.pop("races", False)
    if not isinstance(kind, str) or not isinstance(races, bool):
        raise ConfigError("format", "it has no kind", "the name of a format")
    own = {name: value for name, value in own.items() if value is not None}
    values: dict[str, Any] = {"format": kind}
    if own and kind != Kind.ROUND_ROBIN.value:
        values[kind] = own.get("design", own)
    if header.get("race") is not None:
        Section("", header).section("race")
        values["race"] = {n: value for n, value in header["race"].items() if value is not None}
    try:
        return read_shape(Section("", values))[0]
    except ConfigError as error:
        raise ConfigError("format", f"{error.key}: {error.problem}", error.expected) from None
    except ArithmeticError as error:  # a number beyond all floats
        raise ConfigError("format", f"{kind}: {error}", "numbers within bounds") from None


def _check_size(shape: Shape, bots: int, boards: int) -> None:
    """Refuse more tables than there can be, before they are counted out one by one."""
    meetings = {
        Kind.ROUND_ROBIN: bots * (bots - 1) // 2,
        Kind.GAUNTLET: bots - 1,
        Kind.SWISS: (bots + 1) // 2 * (shape.rounds or bots.bit_length()),
        Kind.KNOCKOUT: bots - 1,
        Kind.SPRT: 1,
    }[shape.kind]
    if 2 * meetings * boards > MOST_TABLES:
        raise ConfigError(
            "boards", f"{2 * meetings * boards} tables", f"up to {MOST_TABLES} to prove"
        )
