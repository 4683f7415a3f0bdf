"""Options as plain values: how each kind of option is read from a rule file and written to one."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, Final, NamedTuple

from contree.engine.actions import Level, Slam
from contree.engine.cards import Strain

Plain = str | int | bool | list[str | int]
"""What a rule file holds for one option."""

OFF: Final = "off"
"""How an option that may be absent (``None``) is written."""


class Option(NamedTuple):
    """How the value of one option is read and written; ``expected`` tells people what it takes."""

    expected: str
    read: Callable[[object], object]
    """Plain value to option value; ValueError when it is none."""
    write: Callable[[Any], Plain]
    """Option value to plain value."""

    def accepts(self, value: object) -> bool:
        """Whether this is a value (not a plain one) that the option can have."""
        try:
            return self.read(self.write(value)) == value
        except (AttributeError, TypeError, ValueError):
            return False


def choice(kind: type[Enum]) -> Option:
    """An option with the members of an enum as its values."""
    return Option(
        "one of " + " ".join(str(member.value) for member in kind),
        kind,
        lambda value: kind(value).value,
    )


def flag() -> Option:
    """An option that is true or false."""

    def read(plain: object) -> bool:
        if not isinstance(plain, bool):
            raise ValueError
        return plain

    return Option("true or false", read, lambda value: value)


def whole(low: int, high: int, *, off: bool = False) -> Option:
    """An option that is a whole number in a range, or None when it may be ``off``."""
    expected = f"a whole number from {low} to {high}"

    def read(plain: object) -> int | None:
        if off and plain == OFF:
            return None
        if isinstance(plain, bool) or not isinstance(plain, int) or not low <= plain <= high:
            raise ValueError
        return plain

    return Option(
        f'{expected}, or "{OFF}"' if off else expected,
        read,
        lambda value: OFF if off and value is None else value,
    )


def one_of(*numbers: int) -> Option:
    """An option that is one of a few numbers."""

    def read(plain: object) -> int:
        if isinstance(plain, bool) or not isinstance(plain, int) or plain not in numbers:
            raise ValueError
        return plain

    return Option("one of " + " ".join(map(str, numbers)), read, lambda value: value)


def text(longest: int) -> Option:
    """An option that is one printable line without quotes or backslashes."""

    def read(plain: object) -> str:
        if not isinstance(plain, str) or not 0 < len(plain) <= longest:
            raise ValueError
        if not plain.isprintable() or plain != plain.strip() or '"' in plain or "\\" in plain:
            raise ValueError
        return plain

    return Option(
        f"a line of 1 to {longest} printable characters without double quotes and backslashes",
        read,
        lambda value: value,
    )


def levels() -> Option:
    """The ladder: levels in the order in which they outbid each other."""

    def read_level(plain: object) -> Level:
        if isinstance(plain, int) and not isinstance(plain, bool) and 10 <= plain <= 999:
            return plain
        return Slam(plain)

    def read(plain: object) -> tuple[Level, ...]:
        if not isinstance(plain, list):
            raise ValueError
        return tuple(read_level(level) for level in plain)

    return Option(
        "a list of points (10 to 999), capot and generale, each higher than the one before",
        read,
        lambda value: [level.value if isinstance(level, Slam) else level for level in value],
    )


def strains() -> Option:
    """The strains that can be bid."""

    def read(plain: object) -> tuple[Strain, ...]:
        if not isinstance(plain, list) or not all(isinstance(word, str) for word in plain):
            raise ValueError
        return tuple(Strain.parse(word) for word in plain)

    return Option(
        'a list of "S" "H" "D" "C" "SA" "TA", in that order',
        read,
        lambda value: [str(Strain(strain)) for strain in value],
    )
