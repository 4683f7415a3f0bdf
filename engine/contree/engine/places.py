"""Where in a record something stands, in both of its forms."""

from __future__ import annotations

from typing import Final, NamedTuple

from contree.engine.errors import EngineError

__all__ = [
    "DEALER",
    "MODE",
    "RULES",
    "SEATS_TAG",
    "Place",
    "WrongRecord",
    "cards_of",
    "is_json",
    "line_of",
    "score_of",
    "where",
]


class Place(NamedTuple):
    """Where something stands in a record, in both forms."""

    start: str
    """How its line begins in the text form."""
    path: str
    """Its path in the JSON form."""
    nth: int = 0
    """Which of the lines that begin so, counted from 0."""


RULES: Final = Place("[Rules ", "rules")
MODE: Final = Place("[Mode ", "board")
SEATS_TAG: Final = Place("[Seats ", "seats")
DEALER: Final = Place("[Dealer ", "deals[0].dealer")


class WrongRecord(EngineError):
    """A record in good order that is not the one it should be: ``place`` says what is wrong."""

    def __init__(self, place: Place, problem: str) -> None:
        super().__init__(problem)
        self.place = place
        self.problem = problem


def cards_of(index: int) -> Place:
    """Where the cards of a deal stand."""
    return Place("Deal ", f"deals[{index}].hands", index)


def score_of(index: int) -> Place:
    """Where the score of a deal stands."""
    return Place("Score ", f"deals[{index}].score", index)


def is_json(text: str) -> bool:
    """Whether this is the JSON form."""
    return text.lstrip()[:1] == "{"


def line_of(text: str, place: Place) -> int:
    """The number of the line of the text form, from 1; 0 when there is none."""
    lines = [n for n, line in enumerate(text.split("\n"), 1) if line.startswith(place.start)]
    return lines[place.nth] if place.nth < len(lines) else 0


def where(text: str, place: Place) -> str:
    """Where this stands, for people: a line number, or a path in JSON."""
    if is_json(text):
        return place.path
    line = line_of(text, place)
    return f"line {line}" if line else "the record"
