"""Whether the values of a line of ``tables.jsonl`` are of the kinds that they should be: pure.

Lines come from the disk, and from strangers: what passes here no statistics stumble over.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final

_MOST: Final = 1_000_000_000


def check_result(values: object) -> None:
    """Raises ValueError for the first value that cannot be; missing ones are not looked for."""
    if not isinstance(values, dict):
        raise ValueError("it is no object")
    for key, is_right in _OF_A_RESULT.items():
        if key in values and not is_right(values[key]):
            raise ValueError(f"{key} cannot be {_shown(values[key])}")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}..."


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value <= _MOST


def _is_amount(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return 0 <= value <= _MOST and math.isfinite(value)


def _are_counts(value: object) -> bool:
    return isinstance(value, list) and len(value) <= 64 and all(map(_is_count, value))


def _are_marks(value: object) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(type(mark) is int and abs(mark) <= _MOST for mark in value)
    )


def _each(is_right: Callable[[object], bool]) -> Callable[[object], bool]:
    """Of an object whose values are all of one kind."""

    def check(value: object) -> bool:
        return isinstance(value, dict) and all(map(is_right, value.values()))

    return check


def _all(is_right: Callable[[object], bool]) -> Callable[[object], bool]:
    """Of a list."""

    def check(value: object) -> bool:
        return isinstance(value, list) and all(map(is_right, value))

    return check


def _is_fault(value: object) -> bool:
    return isinstance(value, dict) and all(
        isinstance(part, bool) if key == "replaced" else isinstance(part, str)
        for key, part in value.items()
    )


_OF_A_RESULT: Final[Mapping[str, Callable[[object], bool]]] = {
    **dict.fromkeys(("table", "first", "second", "side", "match_id", "reason"), _is_text),
    **dict.fromkeys(("board", "number"), _is_count),
    "seats": _each(_is_text),
    "marks": _are_marks,
    "contract": _is_text,
    "made": lambda value: value is None or isinstance(value, bool),
    "faults": _all(_is_fault),
    "attempts": _all(_each(_is_text)),
    "decisions": _each(_is_count),
    "seconds": _each(_is_amount),
    "overruns": _each(_is_count),
    "times": _each(_are_counts),
    "slowest": _each(_is_amount),
    "race": lambda value: isinstance(value, bool),
    "forfeited_by": _all(_is_text),
}
