"""Marks beyond the worked examples: silent cases, other readings, invariants."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contree.engine.actions import Bid, Level, Slam
from contree.engine.cards import ALL_CARDS, CARDS, Strain, mask_of
from contree.engine.contract import Contract, Doubling
from contree.engine.errors import RulesError
from contree.engine.options import (
    BeloteOnContre,
    BeloteOnFailure,
    ContreLoser,
    DefenceCapot,
    MultScope,
    Rounding,
    TaScale,
    TiePoints,
    UnannouncedCapot,
)
from contree.engine.points import capot_points, card_points_of, deal_points, generale_points
from contree.engine.presets import PRESET_NAMES, preset
from contree.engine.rules import RuleSet
from contree.engine.scoring import Points, Tally, score, taken_points, tally
from contree.engine.table import Seat, Team

H, SA, TA = Strain.HEARTS, Strain.NO_TRUMP, Strain.ALL_TRUMP
PLAIN, CONTRE, SURCONTRE = Doubling
SIMPLE, GENERALE, CLASSIQUE = map(preset, PRESET_NAMES[:3])
FAITS, ANNONCES, MIXTE, TOURNOI = map(preset, PRESET_NAMES[3:7])
ANNONCE = preset("coinche-annonce")


def marks(
    rules: RuleSet, level: Level, doubling: Doubling, *counts: Any, **named: Any
) -> tuple[int, int]:
    marked = score(rules, level, H, doubling, Tally(*counts, **named))
    return marked.taker, marked.defence


# --- cases in which a document is silent: the reading taken, and the other one as an option

DEFENCE_SWEEP = [
    (SIMPLE, (0, 252), 252),
    (GENERALE, (0, 252), 252),
    (CLASSIQUE, (0, 250), 250),
    (FAITS, (0, 250), 250),
    (ANNONCES, (0, 160), 250),
    (MIXTE, (0, 340), 250),
    (TOURNOI, (0, 340), 250),
    (ANNONCE, (0, 250), 162),
]


@pytest.mark.parametrize(
    ("rules", "expected", "points"), DEFENCE_SWEEP, ids=lambda value: getattr(value, "name", None)
)
def test_defence_with_all_tricks(rules: RuleSet, expected: tuple[int, int], points: int) -> None:
    assert marks(rules, 90, PLAIN, 0, points, 0) == expected
    assert marks(rules, 90, PLAIN, 0, points) == expected


@pytest.mark.parametrize(
    ("rules", "defence_capot", "expected"),
    [
        (SIMPLE, DefenceCapot.POINTS, (0, 342)),
        (CLASSIQUE, DefenceCapot.POINTS, (0, 340)),
        (ANNONCE, DefenceCapot.CAPOT_VALUE, (0, 250)),
    ],
    ids=["000", "002", "004"],
)
def test_defence_with_all_tricks_read_otherwise(
    rules: RuleSet, defence_capot: DefenceCapot, expected: tuple[int, int]
) -> None:
    other = replace(rules, defence_capot=defence_capot)
    assert marks(other, 90, PLAIN, 0, capot_points(rules, H), 0) == expected


@pytest.mark.parametrize(
    ("level", "doubling", "tricks", "expected"),
    [
        (90, PLAIN, 0, (20, 340)),  # « Au capot sans contre, reste au camp qui l'a »
        (Slam.CAPOT, PLAIN, 0, (0, 520)),  # « sauf capot demandé chuté »
        (90, CONTRE, 0, (0, 520)),  # « en contre, revient au vainqueur »
        (90, PLAIN, 1, (0, 270)),
    ],
)
def test_belote_of_takers_who_lose_every_trick_ffb(
    level: Level, doubling: Doubling, tricks: int, expected: tuple[int, int]
) -> None:
    points = (0, 250) if tricks == 0 else (0, 162)
    assert marks(MIXTE, level, doubling, *points, tricks, taker_belotes=1) == expected


def test_failed_capot_in_points_annonces() -> None:
    assert marks(ANNONCES, Slam.CAPOT, PLAIN, 142, 20, 7) == (0, 250)
    assert marks(ANNONCES, Slam.CAPOT, CONTRE, 142, 20, 7) == (0, 500)
    fixed = replace(ANNONCES, capot_failed_mark=None)
    assert marks(fixed, Slam.CAPOT, PLAIN, 142, 20, 7) == (0, 160)


def test_belote_in_points_annonces() -> None:
    assert marks(ANNONCES, 90, PLAIN, 75, 87, taker_belotes=1) == (110, 0)
    assert marks(ANNONCES, 90, PLAIN, 60, 102, taker_belotes=1) == (0, 180)
    assert marks(ANNONCES, 90, PLAIN, 95, 67, defence_belotes=1) == (90, 20)


def test_capot_in_the_tournament_convention() -> None:
    assert marks(TOURNOI, Slam.CAPOT, PLAIN, 250, 0, 8) == (500, 0)
    assert marks(TOURNOI, Slam.CAPOT, CONTRE, 250, 0, 8) == (1000, 0)
    other = replace(TOURNOI, capot_made_mark=None, capot_failed_mark=None)
    assert marks(other, Slam.CAPOT, CONTRE, 250, 0, 8) == (660, 0)


def test_unannounced_capot_under_contre() -> None:
    assert marks(SIMPLE, 120, CONTRE, 252, 0, 8) == (492, 0)
    assert marks(CLASSIQUE, 120, CONTRE, 250, 0, 8) == (490, 0)
    assert marks(FAITS, 120, CONTRE, 250, 0, 8) == (320, 0)
    assert marks(MIXTE, 120, CONTRE, 250, 0, 8) == (560, 0)
    assert marks(ANNONCE, 120, CONTRE, 162, 0, 8) == (500, 0)


def test_unannounced_capot_of_004_read_otherwise() -> None:
    other = replace(ANNONCE, unannounced_capot=UnannouncedCapot.ORDINARY)
    assert marks(other, 120, PLAIN, 162, 0, 8) == (120, 0)


def test_made_contre_of_000_and_001() -> None:
    assert marks(SIMPLE, 90, CONTRE, 100, 62) == (280, 62)
    assert marks(GENERALE, 90, CONTRE, 100, 62) == (280, 0)
    other = replace(GENERALE, contre_loser=ContreLoser.KEEPS_POINTS)
    assert marks(other, 90, CONTRE, 100, 62) == (280, 62)


def test_belote_under_contre_of_001() -> None:
    assert marks(GENERALE, 90, CONTRE, 80, 82, taker_belotes=1) == (280, 0)
    assert marks(GENERALE, 90, CONTRE, 60, 102, taker_belotes=1) == (20, 342)
    other = replace(GENERALE, belote_on_contre=BeloteOnContre.WINNER)
    assert marks(other, 90, CONTRE, 60, 102, taker_belotes=1) == (0, 362)


def test_flat_capot_of_000_read_otherwise() -> None:
    other = replace(SIMPLE, capot_made_mark=260)
    assert marks(other, Slam.CAPOT, PLAIN, 252, 0, 8) == (260, 0)
    assert marks(other, Slam.CAPOT, PLAIN, 142, 20, 7) == (0, 422)


def test_must_exceed_the_defence_reading_of_000() -> None:
    other = replace(SIMPLE, tie_points=TiePoints.MUST_EXCEED)
    assert marks(SIMPLE, 80, PLAIN, 80, 82) == (160, 82)
    assert marks(other, 80, PLAIN, 80, 82) == (0, 242)
    assert marks(other, 80, PLAIN, 81, 81) == (0, 242)
    assert marks(other, 80, PLAIN, 82, 80) == (162, 80)


def test_floor_of_82_in_001() -> None:
    assert marks(GENERALE, 80, PLAIN, 61, 101, taker_belotes=1) == (20, 242)
    assert marks(GENERALE, 80, PLAIN, 62, 100, taker_belotes=1) == (162, 100)


def test_surcontre_ffb_belote() -> None:
    assert marks(MIXTE, 90, SURCONTRE, 80, 82, taker_belotes=1) == (1020, 0)


def test_belote_that_does_not_count_for_the_contract() -> None:
    other = replace(MIXTE, belote_counts_for_contract=False)
    assert marks(other, 90, PLAIN, 80, 82, taker_belotes=1) == (0, 270)


def test_belote_multiplied() -> None:
    other = replace(CLASSIQUE, belote_multiplied=True)
    assert marks(other, 90, SURCONTRE, 100, 62, taker_belotes=1) == (430, 0)


def test_belote_to_defence_whatever_happens() -> None:
    other = replace(MIXTE, belote_on_failure=BeloteOnFailure.TO_DEFENCE)
    assert marks(other, 90, PLAIN, 0, 250, 0, taker_belotes=1) == (0, 360)


# --- capot and générale


def test_trick_without_points_evades_the_capot() -> None:
    assert marks(SIMPLE, Slam.CAPOT, PLAIN, 162, 0, 7) == (0, 422)
    assert marks(SIMPLE, Slam.CAPOT, PLAIN, 162, 0) == (0, 422)
    assert marks(SIMPLE, 120, PLAIN, 162, 0) == (282, 0)
    assert marks(ANNONCE, Slam.CAPOT, PLAIN, 162, 0, 7) == (0, 410)


def test_generale() -> None:
    assert marks(GENERALE, Slam.GENERALE, PLAIN, 502, 0, 8, 8) == (1002, 0)
    assert marks(GENERALE, Slam.GENERALE, PLAIN, 502, 0, 8, 0) == (0, 662)  # the partner did it
    assert marks(GENERALE, Slam.GENERALE, PLAIN, 502, 0) == (1002, 0)  # inferred
    assert marks(GENERALE, Slam.GENERALE, PLAIN, 252, 0, 8) == (0, 662)
    assert marks(GENERALE, Slam.GENERALE, CONTRE, 502, 0, 8, 8) == (1502, 0)
    assert marks(GENERALE, Slam.CAPOT, PLAIN, 502, 0, 8, 3) == (762, 0)
    assert marks(GENERALE, 100, PLAIN, 502, 0, 8, 8) == (602, 0)  # not bid: 502 + C


def test_270_of_002_needs_a_belote() -> None:
    assert marks(CLASSIQUE, 270, PLAIN, 250, 0, 8, taker_belotes=1) == (540, 0)
    assert marks(CLASSIQUE, 270, PLAIN, 250, 0, 8) == (0, 430)
    assert marks(CLASSIQUE, 270, PLAIN, 250, 0, 8, defence_belotes=1) == (0, 450)


def test_level_must_be_on_the_ladder() -> None:
    with pytest.raises(RulesError, match="generale is not on it"):
        marks(MIXTE, Slam.GENERALE, PLAIN, 250, 0, 8)


# --- exact fractions at tout-atout


def test_success_is_decided_before_rounding() -> None:
    points = Fraction(2 * 134, 3)  # 89 1/3
    marked = score(CLASSIQUE, 90, TA, PLAIN, Tally(points, 172 - points))
    assert (marked.made, marked.taker, marked.defence) == (False, 0, 250)
    points = Fraction(2 * 136, 3)  # 90 2/3
    marked = score(CLASSIQUE, 90, TA, PLAIN, Tally(points, 172 - points))
    assert (marked.made, marked.taker, marked.defence) == (True, 180, 80)


def test_four_belotes_at_tout_atout() -> None:
    marked = score(CLASSIQUE, 150, TA, PLAIN, Tally(86, 86, None, None, 3, 1))
    assert (marked.made, marked.taker, marked.defence) == (False, 60, 330)
    marked = score(CLASSIQUE, 140, TA, PLAIN, Tally(86, 86, None, None, 3, 1))
    assert (marked.made, marked.taker, marked.defence) == (True, 290, 110)


def test_marks_are_whole_even_without_rounding() -> None:
    rules = replace(CLASSIQUE, rounding=Rounding.NONE)
    points = Fraction(2 * 136, 3)
    marked = score(rules, 90, TA, PLAIN, Tally(points, 172 - points))
    assert (marked.taker, marked.defence) == (181, 81)
    assert type(marked.taker) is int
    assert marked.taker_base == 90 + points


# --- the parts of a mark


def test_breakdown() -> None:
    marked = score(MIXTE, 110, H, CONTRE, Tally(117, 45, 5, 3, 0, 1))
    assert marked.made
    assert (marked.contract, marked.factor) == (110, 2)
    assert (marked.taker_base, marked.taker_belote, marked.taker) == (540, 20, 560)
    assert (marked.defence_base, marked.defence_belote, marked.defence) == (0, 0, 0)
    assert not marked.taker_capot
    assert not marked.defence_capot


def test_contract() -> None:
    contract = Contract(Bid(90, H), Seat.WEST, Doubling.CONTRE, contre_by=Seat.NORTH)
    assert contract.team is Team.EAST_WEST
    assert contract.defence is Team.NORTH_SOUTH
    assert (contract.level, contract.strain) == (90, H)
    assert str(contract) == "90HWx"
    assert str(Contract(Bid(Slam.CAPOT, SA), Seat.SOUTH)) == "capotSAS"


# --- points taken


TRUMPS_FIRST = mask_of([*CARDS[8:16], *CARDS[:8]])  # hearts and spades: 92 points at hearts


@pytest.mark.parametrize("last", Seat)
def test_taken_points(last: Seat) -> None:
    won = (TRUMPS_FIRST, ALL_CARDS ^ TRUMPS_FIRST)
    points = taken_points(MIXTE, H, won, (2, 2, 2, 2), last)
    assert points == ((102, 60) if last.team is Team.NORTH_SOUTH else (92, 70))


@pytest.mark.parametrize(
    ("rules", "strain", "capot", "alone", "ordinary"),
    [
        (SIMPLE, H, 252, 252, 162),
        (GENERALE, H, 252, 502, 162),
        (CLASSIQUE, H, 250, 250, 162),
        (CLASSIQUE, SA, 250, 250, 162),
        (CLASSIQUE, TA, 250, 250, 172),
        (MIXTE, H, 250, 250, 162),
        (ANNONCE, H, 162, 162, 162),
        (ANNONCE, SA, 162, 162, 162),
        (ANNONCE, TA, 162, 162, 162),
        (replace(CLASSIQUE, ta_scale=TaScale.NONE), TA, 250, 250, 258),
        (replace(CLASSIQUE, sa_ace=11), SA, 250, 250, 130),
        (replace(CLASSIQUE, capot_total=None), TA, 172, 172, 172),
    ],
)
def test_totals(rules: RuleSet, strain: Strain, capot: int, alone: int, ordinary: int) -> None:
    assert deal_points(rules, strain) == ordinary
    assert capot_points(rules, strain) == capot
    assert generale_points(rules, strain) == alone
    swept = (0, ALL_CARDS)
    assert taken_points(rules, strain, swept, (0, 5, 0, 3), Seat.WEST) == (0, capot)
    assert taken_points(rules, strain, swept, (0, 8, 0, 0), Seat.EAST) == (0, alone)
    assert taken_points(rules, strain, swept[::-1], (3, 0, 5, 0), Seat.SOUTH) == (capot, 0)


@pytest.mark.parametrize("name", PRESET_NAMES)
@given(
    north_south=st.sets(st.sampled_from(CARDS), min_size=4, max_size=28).map(mask_of),
    last=st.sampled_from(Seat),
)
def test_points_of_a_deal_add_up(name: str, north_south: int, last: Seat) -> None:
    rules = preset(name)
    for strain in rules.strains:
        won = (north_south, ALL_CARDS ^ north_south)
        taken = taken_points(rules, strain, won, (1, 1, 3, 3), last)
        assert sum(taken) == deal_points(rules, strain)
        cards = [card_points_of(rules, strain, cards) for cards in won]
        assert taken[last.team.other] == cards[last.team.other]
        assert taken[last.team] > cards[last.team]


def test_two_thirds_are_exact() -> None:
    won = (1 << CARDS[0], ALL_CARDS ^ 1 << CARDS[0])
    taken = taken_points(CLASSIQUE, TA, won, (1, 1, 3, 3), Seat.NORTH)
    assert taken == (Fraction(20, 3), Fraction(496, 3))
    whole = taken_points(CLASSIQUE, TA, (3 << 6, ALL_CARDS ^ 3 << 6), (1, 1, 3, 3), Seat.EAST)
    assert whole == (14, 158)
    assert [type(points) for points in whole] == [int, int]


def test_tally_of_a_contract() -> None:
    contract = Contract(Bid(90, H), Seat.EAST)
    assert tally(contract, (62, 100), (1, 2, 2, 3), (0, 1)) == Tally(100, 62, 5, 2, 1, 0)


# --- invariants of every mark


@st.composite
def played(draw: st.DrawFn) -> tuple[Level, Doubling, Tally, RuleSet]:
    rules = preset(draw(st.sampled_from(PRESET_NAMES)))
    level = draw(st.sampled_from(rules.ladder))
    tricks = draw(st.integers(0, 8))
    if tricks in (0, 8):
        slam = capot_points(rules, H)
        points: tuple[Points, Points] = (slam, 0) if tricks else (0, slam)
    else:
        taker = draw(st.integers(0, 162))
        points = (taker, 162 - taker)
    belotes = draw(st.sampled_from([(0, 0), (1, 0), (0, 1)]))
    bidder = draw(st.integers(0, tricks))
    counted = Tally(points[0], points[1], tricks, bidder, *belotes)
    return level, draw(st.sampled_from(Doubling)), counted, rules


@given(played())
def test_invariants(case: tuple[Level, Doubling, Tally, RuleSet]) -> None:
    level, doubling, counted, rules = case
    marked = score(rules, level, H, doubling, counted)
    assert marked.taker >= 0
    assert marked.defence >= 0
    assert (marked.taker if marked.made else marked.defence) > 0
    assert not marked.taker_base or marked.made  # takers who fail mark belote at most
    belotes = counted.taker_belotes + counted.defence_belotes
    assert marked.taker_belote + marked.defence_belote == 20 * belotes
    if rules.rounding is Rounding.NEAREST_10:
        assert marked.taker % 10 == marked.defence % 10 == 0
        exact = Fraction(marked.taker_base + marked.taker_belote)
        assert abs(marked.taker - exact) <= 5
    else:
        assert marked.taker == marked.taker_base + marked.taker_belote
        assert marked.defence == marked.defence_base + marked.defence_belote
    if doubling is PLAIN:
        assert marked.factor == 1
    elif rules.contre_loser is ContreLoser.NOTHING:
        assert (marked.defence_base if marked.made else marked.taker_base) == 0


@given(played())
def test_contre_multiplies_as_the_rules_say(
    case: tuple[Level, Doubling, Tally, RuleSet],
) -> None:
    level, _, counted, rules = case
    plain = score(rules, level, H, CONTRE, counted)
    other = score(rules, level, H, SURCONTRE, counted)
    assert plain.made == other.made
    base, more = (
        (marked.taker_base if marked.made else marked.defence_base) for marked in (plain, other)
    )
    if rules.mult_scope is MultScope.WHOLE:
        assert more * plain.factor == base * other.factor
    else:
        assert more > base
