"""Record files, read in either form."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from contree.cli.errors import FAILED, BadInput, Failure
from contree.engine.errors import EngineError
from contree.engine.notation import RecordError, read_record
from contree.engine.record import Record


def the_one(files: Sequence[str] | Sequence[Path]) -> Path:
    """The only one of these; BadInput when a pattern such as *.bgn came to several."""
    if len(files) > 1:
        more = f" and {len(files) - 3} more" if len(files) > 3 else ""
        named = ", ".join(map(str, files[:3]))
        raise BadInput(f"There are {len(files)} records, {named}{more}: name one of them.")
    return Path(files[0])


def text_of(path: Path) -> str:
    """What a record file holds; - is standard input. BadInput when there is no such file."""
    if str(path) == "-":
        data = sys.stdin.buffer.read()
    else:
        try:
            data = path.read_bytes()
        except FileNotFoundError:
            raise BadInput(f"There is no record {path}: check the path.") from None
        except OSError as error:
            error.filename = error.filename or str(path)  # it is known only where opening fails
            raise
    # What is no text shows as such, and the reader names its line.
    return data.decode("utf-8", errors="replace")


def read(path: Path) -> Record:
    """The record in a file; Failure, naming the place, when it is none."""
    text = text_of(path)
    try:
        return read_record(text)
    except RecordError as error:
        raise Failure(f"{path}, {error}", FAILED) from None
    except EngineError as error:  # pragma: no cover - the reader gives every error a place
        raise Failure(f"{path}: {error}", FAILED) from None
