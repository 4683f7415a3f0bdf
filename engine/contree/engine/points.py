"""What the tricks are worth: card points, the last trick, capot and générale, tout-atout's scale.

Points are whole numbers except at tout-atout with ``TaScale.TWO_THIRDS``, where they are exact
fractions; belote is never among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from contree.engine import masks
from contree.engine.cards import ALL_CARDS, Strain
from contree.engine.options import TaScale
from contree.engine.rules import RuleSet
from contree.engine.table import Seat

Points = int | Fraction
"""Points of a pair, in card points after calibration."""


def card_points_of(rules: RuleSet, strain: Strain, cards: int) -> Points:
    """The points of a set of cards (a mask), calibrated, without any last trick."""
    return _scaled(rules, strain, masks.points(cards, rules.points_table(strain)))


def taken_points(
    rules: RuleSet,
    strain: Strain,
    won: tuple[int, int],
    tricks: Sequence[int],
    last_trick: Seat,
) -> tuple[Points, Points]:
    """The points of (north-south, east-west) after eight tricks, the last one included.

    ``won`` holds the cards each pair has won (masks), ``tricks`` the number of tricks each seat has
    won, ``last_trick`` its winner. A pair with all eight tricks has the points of a capot, or of a
    générale when one of its players won them all, whether it was bid or not and whoever bid
    (000, 001, 002).
    """
    team = last_trick & 1
    if tricks[team] + tricks[team + 2] == 8:
        alone = 8 in (tricks[team], tricks[team + 2])
        slam = generale_points(rules, strain) if alone else capot_points(rules, strain)
        return (0, slam) if team else (slam, 0)
    table = rules.points_table(strain)
    north_south = masks.points(won[0], table)
    east_west = masks.points(won[1], table)
    if team:
        east_west += rules.last_trick
    else:
        north_south += rules.last_trick
    return _scaled(rules, strain, north_south), _scaled(rules, strain, east_west)


def deal_points(rules: RuleSet, strain: Strain) -> Points:
    """All the points of a deal in which both pairs win tricks: 162, where calibrated so."""
    return _all_cards_and(rules, strain, rules.last_trick)


def capot_points(rules: RuleSet, strain: Strain) -> Points:
    """The points of a pair that has won all eight tricks (252, 250 or 162 by document)."""
    if rules.capot_total is not None:
        return rules.capot_total
    return _all_cards_and(rules, strain, rules.capot_last_trick)


def generale_points(rules: RuleSet, strain: Strain) -> Points:
    """The points of a pair one of whose players has won all eight tricks (502 in 001)."""
    if rules.generale_last_trick is None:
        return capot_points(rules, strain)
    return _all_cards_and(rules, strain, rules.generale_last_trick)


def _all_cards_and(rules: RuleSet, strain: Strain, last_trick: int) -> Points:
    return _scaled(rules, strain, masks.points(ALL_CARDS, rules.points_table(strain)) + last_trick)


def _scaled(rules: RuleSet, strain: Strain, points: int) -> Points:
    if strain is not _ALL_TRUMP or rules.ta_scale is not TaScale.TWO_THIRDS:
        return points
    scaled = Fraction(points * 2, 3)
    return scaled.numerator if scaled.denominator == 1 else scaled


_ALL_TRUMP: Final = Strain.ALL_TRUMP
