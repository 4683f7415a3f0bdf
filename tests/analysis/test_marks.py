"""Where perfect play for outcomes is perfect in marks: where a better outcome never marks less."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest

from contree.engine import PRESET_NAMES, Bid, Contract, Doubling, Seat, Strain, preset
from contree.search import Marks
from contree.search.stakes import stakes_of

EXACT = (
    "coinche-classique",
    "coinche-annonce",
    "ffb-points-faits",
    "ffb-mixte",
    "ffb-mixte-tournoi",
)
"""As docs/analyse.md has it."""


def falls(name: str) -> Iterator[tuple[str, Doubling, int, int]]:
    """Contracts of North whose marks fall, and from which outcome to which."""
    rules = preset(name)
    for strain in set(rules.strains) - {Strain.HEARTS, Strain.DIAMONDS, Strain.CLUBS}:
        stakes = stakes_of(rules, strain)
        all_of_theirs = {stakes.total - stakes.generale, stakes.total - stakes.capot}
        outcomes = sorted({*all_of_theirs, *range(stakes.total + 1), stakes.capot, stakes.generale})
        pairs = len(rules.settings[strain].pairs)
        held = [(own, other) for own in range(pairs + 1) for other in range(pairs + 1 - own)]
        for level in rules.ladder:
            for doubling in Doubling:
                marks = Marks(rules, Contract(Bid(level, strain), Seat.NORTH, doubling))
                for own, other in held:
                    found = [marks.mark(outcome, own, other) for outcome in outcomes]
                    for n, (less, more) in enumerate(pairwise(found)):
                        if more < less:
                            yield str(level), doubling, outcomes[n], outcomes[n + 1]


@pytest.mark.parametrize("name", PRESET_NAMES)
def test_marks_fall_only_where_the_page_says(name: str) -> None:
    found = set(falls(name))
    if name in EXACT:
        assert not found
    elif name == "ffb-points-annonces":
        assert {doubling for _, doubling, _, _ in found} == {Doubling.NONE}
        assert {(low, high) for _, _, low, high in found} == {(-88, 0)}, "all eight tricks lost"
        assert {level for level, _, _, _ in found} == {str(bid) for bid in range(80, 170, 10)}
    else:
        assert {level for level, _, _, _ in found} == {"80", "90"}
        ties = {81, 91, 71} if name == "contree-simple" else {91, 71}
        assert {high for _, _, _, high in found} == ties
