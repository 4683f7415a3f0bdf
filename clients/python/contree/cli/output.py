"""Where output goes: results to standard output, everything else to standard error."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, Final, TextIO, cast

if TYPE_CHECKING:
    from rich.console import Console


# Letters for the symbols of the screens, where the terminal has none.
_LETTERS: Final = str.maketrans({"♠": "S", "♥": "H", "♦": "D", "♣": "C", "·": ".", "é": "e"})


class _Letters:
    """A text stream that writes letters for symbols."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(text.translate(_LETTERS))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def stdout() -> Console:
    """The console for results. Made anew each time: tests and shells replace the stream."""
    from rich.console import Console

    stream: TextIO = sys.stdout
    if not (stream.encoding or "").lower().startswith("utf"):
        stream = cast("TextIO", _Letters(stream))
    return Console(file=stream, highlight=False, soft_wrap=False)


def stderr() -> Console:
    """The console for everything that is no result."""
    from rich.console import Console

    return Console(stderr=True, highlight=False, soft_wrap=True, markup=False)


def print_json(value: Any) -> None:
    """One JSON value on one line, for scripts."""
    print(json.dumps(value, ensure_ascii=False), flush=True)


def say(text: str) -> None:
    """A line for people on standard error."""
    print(text, file=sys.stderr, flush=True)
