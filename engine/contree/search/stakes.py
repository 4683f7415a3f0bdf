"""What is played for: the outcome of a play as one number, and the points that it stands for.

An outcome is larger the better it is for North-South, so that two pairs who want opposite things
can be told by one number:

- North-South's card points, last trick (dix de der) included, when both pairs won a trick;
- more than all the points when North-South won all eight tricks: what the rules give for a capot,
  or for a générale when one player won them all (``taken_points`` in the engine, whoever bid);
- less than nothing, by as much, when East-West did.

Belote is never in it: it belongs to whoever was dealt king and queen, however the cards are played.
Nor is the contract.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from contree.engine import masks
from contree.engine.cards import Strain
from contree.engine.options import TaScale
from contree.engine.points import Points, capot_points, deal_points, generale_points
from contree.engine.rules import RuleSet

__all__ = ["Stakes", "stakes_of"]


class Stakes(NamedTuple):
    """The points of one strain as whole numbers, ``unit`` of them to a point."""

    values: tuple[int, ...]
    """By card."""
    last: int
    """The last trick."""
    total: int
    """All cards and the last trick."""
    capot: int
    """Instead of ``total``, for all eight tricks. The same number where they count nothing more."""
    generale: int
    """Instead of ``total``, for one player's eight tricks."""
    unit: int
    """3 at tout-atout with thirds of a point, else 1."""
    table: bytes
    """``RuleSet.points_table``; where ``unit`` is 3 its points count twice."""

    def worth(self, cards: int) -> int:
        """What a set of cards (a mask) counts."""
        return masks.points(cards, self.table) * (2 if self.unit == 3 else 1)

    def points(self, outcome: int) -> tuple[Points, Points]:
        """The points of North-South and East-West."""
        if outcome > self.total:
            return self._points(outcome), 0
        if outcome < 0:
            return 0, self._points(self.total - outcome)
        return self._points(outcome), self._points(self.total - outcome)

    def _points(self, number: int) -> Points:
        exact = Fraction(int(number), self.unit)
        return exact.numerator if exact.denominator == 1 else exact


def stakes_of(rules: RuleSet, strain: Strain, *, slams: bool = True) -> Stakes:
    """What these rules count in this strain.

    Without ``slams``, eight tricks are worth their card points and nothing more. ValueError when,
    with it, the rules count them for less than that, or a générale for less than a capot: winning a
    trick more would be a loss.
    """
    thirds = strain is Strain.ALL_TRUMP and rules.ta_scale is TaScale.TWO_THIRDS
    unit, factor = (3, 2) if thirds else (1, 1)
    total = int(deal_points(rules, strain) * unit)
    capot = generale = total
    if slams:
        capot = int(capot_points(rules, strain) * unit)
        generale = int(generale_points(rules, strain) * unit)
        if not total <= capot <= generale:
            raise ValueError("these rules make eight tricks worth less than seven: use slams=False")
    values = tuple(points * factor for points in rules.card_points(strain))
    table = rules.points_table(strain)
    return Stakes(values, rules.last_trick * factor, total, capot, generale, unit, table)
