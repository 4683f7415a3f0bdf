"""Numbers as they stand on a page: never without their error. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple

from contree.tournament.report import about, interval
from contree.tournament.statistics import Estimate
from contree.tournament.statistics.needed import Needed
from contree.tournament.statistics.paired import Gain
from contree.tournament.statistics.ratings import Rating
from contree.tournament.statistics.simultaneous import Simultaneous

NONE = "-"
"""What stands where there is no number, because there is no error of it."""


class Cell(NamedTuple):
    """A number and its reach, told apart so that a page can set them differently."""

    text: str
    """Both together; ``NONE`` for neither."""
    mean: str = ""
    reach: str = ""
    sign: str = ""
    """ahead, behind, or empty while the interval holds 0; set for a cross table only."""


class Grid(NamedTuple):
    """A plain table; the first cell of a row is its head."""

    name: str
    """In a word or two."""
    caption: str
    """What is in it, in a sentence."""
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: bool = False
    """Its cells are words, not numbers."""


def minus(text: str) -> str:
    """A number with a minus sign for its hyphen."""
    return text.replace("-", "\N{MINUS SIGN}")


def signed_words(text: str) -> str:
    """A sentence with minus signs before its numbers; dashes within names stay."""
    return re.sub(r"(?<![\w.-])-(?=\d)", "\N{MINUS SIGN}", text)


def estimated(points: Estimate | None) -> Cell:
    """A mean with its own interval."""
    return _cell(interval(points))


def crossed(points: Estimate | None, together: Simultaneous | None) -> Cell:
    """A mean with the interval that holds together with all others, and what that says."""
    if points is None or together is None:
        return Cell(NONE)
    sign = "ahead" if together.low > 0 else "behind" if together.high < 0 else ""
    return _cell(interval(together, points.mean))._replace(sign=sign)


def reach(together: Simultaneous | None, mean: float) -> str:
    """The interval alone."""
    return NONE if together is None else _cell(interval(together, mean)).reach


def rated(rating: Rating | None) -> Cell:
    """A rating and two sigma."""
    if rating is None:
        return Cell(NONE)
    mu, sigma = minus(f"{rating.mu:.1f}"), f"±{2 * rating.sigma:.1f}"
    return Cell(f"{mu} {sigma}", mu, sigma)


def gained(gain: Gain | None) -> Cell:
    """The ratio of variances with its interval."""
    if gain is None:
        return Cell(NONE)
    mean, span = f"{gain.ratio:.2f}", f"[{gain.low:.2f}, {gain.high:.2f}]"
    return Cell(f"{mean} {span}", mean, span)


def needed(need: Needed | None, points: Estimate | None) -> str:
    """Boards that a meeting still takes, in all."""
    if need is not None:
        return f"{about(need.boards)} ({about(need.low)})"
    if points is not None and (points.low > 0 or points.high < 0):
        return "clear"
    return NONE


def chance(value: float | None) -> str:
    """A probability."""
    if value is None:
        return NONE
    return "<0.0001" if value < 0.0001 else f"{value:.2g}"


def _cell(text: str) -> Cell:
    mean, _, span = minus(text).partition(" ")
    return Cell(text, mean, span)
