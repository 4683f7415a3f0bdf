"""Where perfect play for outcomes is perfect in marks: where a better outcome never marks less."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise

import pytest
from tests.search.deals import FULL, KINDS, RULES, bid_and_played, uniform_hands

from contree.analysis.play import CardJudge
from contree.engine import PRESET_NAMES, Bid, Contract, Deal, Doubling, Seat, Strain, preset
from contree.search import Marks, Solver
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


@pytest.mark.parametrize(
    ("name", "strain"),
    # In coinche-annonce tricks without points count otherwise than none, which no outcome tells.
    [kind for kind in KINDS if kind[0] in EXACT and kind[0] != "coinche-annonce"],
)
def test_the_marks_of_cards_are_those_of_a_plain_minimax_in_marks(
    name: str, strain: Strain
) -> None:
    """Of every choice in the last three tricks, each line of which is played to its end."""
    rng = random.Random(f"marks {name} {strain}")
    differing = 0
    for _ in range(400 if FULL else 40):
        deal, _ = bid_and_played(
            RULES[name], strain, uniform_hands(rng), rng, rng.randrange(20, 24)
        )
        contract = deal.contract
        assert contract is not None
        found = CardJudge(deal.rules, contract, Solver(), Solver()).in_deal(deal)
        side = deal.owed[0] & 1
        sign = -1 if side else 1
        expected = [sign * marks_of(deal.apply(deal.owed[0], card)) for card in deal.choices]
        assert found.marks[0].tolist() == expected
        differing += len(set(expected)) > 1
    assert differing, "a choice that matters"


def marks_of(deal: Deal) -> int:
    """What North-South mark less East-West when all play for marks with open cards."""
    if deal.result is not None:
        return deal.result.marks[0] - deal.result.marks[1]
    seat = deal.owed[0]
    best = min if seat & 1 else max
    return best(marks_of(deal.apply(seat, card)) for card in deal.choices)
