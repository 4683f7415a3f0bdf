"""Places in a JSON document."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TypeVar

from contree.engine.bgn_words import RecordError
from contree.engine.errors import EngineError

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class Place:
    """A value of a JSON document and the way to it, for sentences about what is wrong there."""

    path: str
    value: object

    def error(self, problem: str) -> RecordError:
        """The error that something is wrong here."""
        try:
            shown = json.dumps(self.value)
        except (TypeError, ValueError, RecursionError):
            shown = "?"
        return RecordError(0, shown, problem, self.path or "the record")

    def keys(self, needed: Collection[str], optional: Collection[str] = ()) -> None:
        """Refuse anything but an object with these keys."""
        if not isinstance(self.value, dict):
            raise self.error("expected an object with " + " ".join(needed))
        for key in needed:
            if key not in self.value:
                raise self.error(f"{key} is missing")
        for key in self.value:
            if key not in needed and key not in optional:
                known = " ".join([*needed, *optional])
                raise self[key].error(f"unknown key, expected one of {known}")

    def has(self, key: str) -> bool:
        """Whether this is an object with the key."""
        return isinstance(self.value, dict) and key in self.value

    def __getitem__(self, key: str) -> Place:
        """What stands under a key that is there."""
        assert isinstance(self.value, dict)
        return Place(f"{self.path}.{key}" if self.path else key, self.value[key])

    def entries(self, count: int | None = None) -> list[Place]:
        """The entries of a list."""
        if not isinstance(self.value, list) or count not in {None, len(self.value)}:
            raise self.error("expected a list" + ("" if count is None else f" of {count}"))
        return [Place(f"{self.path}[{n}]", entry) for n, entry in enumerate(self.value)]

    def text(self) -> str:
        """The text that must stand here."""
        if not isinstance(self.value, str):
            raise self.error("expected a text")
        return self.value

    def read(self, parse: Callable[[str], _Value]) -> _Value:
        """A text, read; its errors are errors of this place."""
        try:
            return parse(self.text())
        except RecordError:
            raise
        except EngineError as error:
            raise self.error(str(error)) from None
