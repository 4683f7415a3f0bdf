"""What a dashboard is made of. Each panel's title is the question it answers, its description what
to do about the answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Query(NamedTuple):
    """One line of a panel, or several told apart by labels."""

    expression: str
    legend: str


class Graph(NamedTuple):
    """A panel with lines over time."""

    question: str
    advice: str
    unit: str
    queries: Sequence[Query]
    stacked: bool = False
    below_zero: bool = False
    """Values may be negative."""


class Number(NamedTuple):
    """A panel with one number and what its size means: (from, colour), ascending."""

    question: str
    advice: str
    unit: str
    query: str
    steps: Sequence[tuple[float | None, str]]
    words: Sequence[tuple[str, str, str]] = ()
    """(value, word, colour) for numbers that stand for words."""


class Word(NamedTuple):
    """A panel with the name of what there is: the legend of each series that the query gives."""

    question: str
    advice: str
    query: Query
    unit: str = "none"


class Bars(NamedTuple):
    """A panel with a bar for each series, as it is now."""

    question: str
    advice: str
    unit: str
    query: Query


Panel = Graph | Number | Word | Bars


class Row(NamedTuple):
    """Panels side by side below a heading."""

    heading: str
    height: int
    panels: Sequence[Panel]


class Board(NamedTuple):
    """A dashboard. ``variables`` are of `made.VARIABLES`; the source is always one."""

    name: str
    about: str
    variables: Sequence[str]
    rows: Sequence[Row]
