"""Reading typed values out of TOML, with one sentence for each way in which one can be wrong."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from contree.tournament.errors import ConfigError

_MISSING: Final = object()
_UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_LONGEST_S: Final = 7 * 86_400.0


def _is_argument(value: object) -> bool:
    """A text that a program can be given: the system ends it at its first zero byte."""
    return isinstance(value, str) and "\0" not in value


class Section:
    """A table of the file. Every key is read once; ``finish`` refuses what nobody read."""

    def __init__(self, path: str, values: Mapping[str, Any]) -> None:
        self._path = path
        self._values = values
        self._known: list[str] = []

    @property
    def given(self) -> frozenset[str]:
        """The keys that the file has here."""
        return frozenset(self._values)

    def key(self, name: str) -> str:
        """How a key of this section is named to people."""
        return f"{self._path}.{name}" if self._path else name

    def finish(self) -> None:
        """Refuse unknown keys."""
        for name, value in self._values.items():
            if name not in self._known:
                raise ConfigError(
                    self.key(name),
                    f"unknown (its value is {value!r})",
                    "one of " + " ".join(self._known),
                )

    def text(self, name: str, pattern: str, expected: str) -> str:
        """A text that must be there and match."""
        value = self._read(name, str, expected)
        if value is None:
            raise ConfigError(self.key(name), "missing", expected)
        if not re.fullmatch(pattern, value):
            raise ConfigError(self.key(name), f"{value!r} will not do", expected)
        return str(value)

    def optional_text(self, name: str) -> str | None:
        """A text, None when absent."""
        value = self._read(name, str, "a text in quotes")
        return None if value is None else str(value)

    def whole(self, name: str, low: int, high: int, default: int | None = None) -> int:
        """A whole number within bounds; it must be there when there is no default."""
        expected = f"a whole number from {low} to {high}"
        value = self._read(name, int, expected)
        if value is None:
            if default is None:
                raise ConfigError(self.key(name), "missing", expected)
            return default
        if not low <= value <= high:
            raise ConfigError(self.key(name), f"{value} is out of bounds", expected)
        return int(value)

    def optional_whole(self, name: str, low: int, high: int) -> int | None:
        """A whole number within bounds, None when absent."""
        given = name in self.given
        value = self.whole(name, low, high, low)
        return value if given else None

    def real(self, name: str, low: float, high: float, default: float) -> float:
        """A number within bounds."""
        expected = f"a number from {low:g} to {high:g}"
        value = self._values.get(name, _MISSING)
        if isinstance(value, int) and not isinstance(value, bool):
            value = float(value)
        self._known.append(name)
        if value is _MISSING:
            return default
        if not isinstance(value, float):
            raise ConfigError(self.key(name), f"{value!r} will not do", expected)
        if not low <= value <= high:
            raise ConfigError(self.key(name), f"{value:g} is out of bounds", expected)
        return value

    def choice(self, name: str, choices: Sequence[str], default: str) -> str:
        """One of some words."""
        expected = "one of " + " ".join(f'"{choice}"' for choice in choices)
        value = self._read(name, str, expected)
        if value is None:
            return default
        if value not in choices:
            raise ConfigError(self.key(name), f"{value!r} is not known", expected)
        return str(value)

    def flag(self, name: str) -> bool:
        """True or false; false when absent."""
        return bool(self._read(name, bool, "true or false"))

    def duration(self, name: str, default: float, *, positive: bool = False) -> float:
        """Seconds of a text such as "2s", "250ms", "1.5m"."""
        expected = 'a duration such as "250ms", "2s", "5m" or "1h"'
        value = self._read(name, str, expected)
        if value is None:
            return default
        parts = re.fullmatch(r"(\d{1,9}(?:\.\d{1,6})?)\s*(ms|s|m|h)", value, re.ASCII)
        if parts is None:
            raise ConfigError(self.key(name), f"{value!r} will not do", expected)
        seconds = round(float(parts[1]) * _UNITS[parts[2]], 6)
        if seconds > _LONGEST_S or (positive and seconds < 0.001):
            raise ConfigError(
                self.key(name),
                f"{value!r} is too {'long' if seconds else 'short'}",
                "1ms to 168h" if positive else "0s to 168h",
            )
        return seconds

    def words(self, name: str) -> tuple[str, ...]:
        """A list of words, as a command is written; empty when absent."""
        expected = 'a list of words such as ["python", "bot.py"]'
        value = self._read(name, list, expected)
        if value is None:
            return ()
        if not value or not all(map(_is_argument, value)) or not value[0]:
            raise ConfigError(self.key(name), f"{value!r} will not do", expected)
        return tuple(value)

    def variables(self, name: str) -> tuple[tuple[str, str], ...]:
        """A table of texts; empty when absent."""
        expected = 'a table of texts such as { LEVEL = "3" }'
        value = self._read(name, dict, expected) or {}
        for key, text in value.items():
            if not (_is_argument(key) and _is_argument(text)):
                raise ConfigError(self.key(f"{name}.{key}"), f"{text!r} is no text", expected)
        return tuple(value.items())

    def section(self, name: str) -> Section:
        """A table below this one; an empty one when absent."""
        return Section(self.key(name), self._read(name, dict, f"a table [{name}]") or {})

    def sections(self, name: str) -> list[Section]:
        """The entries of a list of tables; none when absent."""
        expected = f"entries [[{name}]]"
        value = self._read(name, list, expected) or []
        if not all(isinstance(entry, dict) for entry in value):
            raise ConfigError(self.key(name), f"{value!r} will not do", expected)
        return [
            Section(f"{self.key(name)}[{number}]", entry)
            for number, entry in enumerate(value, start=1)
        ]

    def _read(self, name: str, kind: type, expected: str) -> Any:
        self._known.append(name)
        value = self._values.get(name, _MISSING)
        if value is _MISSING:
            return None
        # To Python, true is a whole number; to a reader of the file it is not.
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise ConfigError(self.key(name), f"{value!r} will not do", expected)
        return value


def all_different(key: str, names: Sequence[str]) -> None:
    """Refuse a name that comes twice, also when only capitals differ (they are file names)."""
    seen: set[str] = set()
    for name in names:
        if name.lower() in seen:
            raise ConfigError(key, f"{name!r} is there twice", "a different name for each bot")
        seen.add(name.lower())
