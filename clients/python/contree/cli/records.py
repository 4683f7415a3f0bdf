"""Record files: read in either form, and where in them something stands."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

from contree.cli.errors import FAILED, BadInput, Failure
from contree.engine.errors import EngineError
from contree.engine.notation import RecordError, read_record
from contree.engine.record import Record


class Place(NamedTuple):
    """Where something stands in a record, in both forms."""

    start: str
    """How its line begins in the text form."""
    path: str
    """Its path in the JSON form."""
    nth: int = 0
    """Which of the lines that begin so, counted from 0."""


RULES = Place("[Rules ", "rules")
MODE = Place("[Mode ", "board")
SEATS = Place("[Seats ", "seats")
DEALER = Place("[Dealer ", "deals[0].dealer")


def cards_of(index: int) -> Place:
    """Where the cards of a deal stand."""
    return Place("Deal ", f"deals[{index}].hands", index)


def score_of(index: int) -> Place:
    """Where the score of a deal stands."""
    return Place("Score ", f"deals[{index}].score", index)


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


def is_json(text: str) -> bool:
    """Whether this is the JSON form."""
    return text.lstrip()[:1] == "{"


def read(path: Path) -> Record:
    """The record in a file; Failure, naming the place, when it is none."""
    text = text_of(path)
    try:
        return read_record(text)
    except RecordError as error:
        raise Failure(f"{path}, {error}", FAILED) from None
    except EngineError as error:  # pragma: no cover - the reader gives every error a place
        raise Failure(f"{path}: {error}", FAILED) from None


def where(text: str, place: Place) -> str:
    """Where this stands, for people: a line number, or a path in JSON."""
    if is_json(text):
        return place.path
    lines = [n for n, line in enumerate(text.split("\n"), 1) if line.startswith(place.start)]
    return f"line {lines[place.nth]}" if place.nth < len(lines) else "the record"
