"""What the rules player says with hands that leave no doubt."""

from __future__ import annotations

from itertools import pairwise

import pytest
from tests.policy.positions import FFB, after, dealt, view_of

from contree.engine import (
    CONTRE,
    DECLINE,
    PASS,
    SURCONTRE,
    Bid,
    Doubling,
    Slam,
    Strain,
    mask_of,
    parse_cards,
    preset,
    project,
)
from contree.policy import BID_STYLE, advised_call, rules_player
from contree.policy.hand import DEFENDING, HELPING, TAKING, belotes, is_solid
from contree.policy.outlook import outlook

CLASSIQUE = preset("coinche-classique")


def worth(cards: str, strain: Strain) -> float:
    return TAKING.worth(mask_of(parse_cards(cards)), strain)


def test_better_hands_are_worth_more() -> None:
    best = worth("JS 9S AS TS AH AD TC AC", Strain.SPADES)
    good = worth("JS 9S AS 7S AH 7D 7C 8C", Strain.SPADES)
    poor = worth("QS 8S 7S AH KD 7D 7C 8C", Strain.SPADES)
    bad = worth("7S QH KH 8H 8D 7D 7C 8C", Strain.SPADES)
    assert best > 162 > good > 110 > poor > bad
    aces = "AS TS AH TH AD TD AC TC"
    assert worth(aces, Strain.NO_TRUMP) > worth(aces, Strain.SPADES)
    tops = "JS 9S JH 9H JD 9D JC 9C"
    assert worth(tops, Strain.ALL_TRUMP) > worth(tops, Strain.SPADES)


def test_what_helps_a_partner_hurts_as_a_defender() -> None:
    hand = mask_of(parse_cards("JS 9S 7S AH AD 7D 7C 8C"))
    assert HELPING.worth(hand, Strain.SPADES) > 20
    assert DEFENDING.worth(hand, Strain.SPADES) < -20


@pytest.mark.parametrize(
    ("strain", "at_all_trump", "count"),
    [
        pytest.param(Strain.SPADES, 4, 1, id="trump"),
        pytest.param(Strain.CLUBS, 4, 0, id="no king"),
        pytest.param(Strain.NO_TRUMP, 4, 0, id="sans-atout"),
        pytest.param(Strain.ALL_TRUMP, 4, 2, id="tout-atout"),
        pytest.param(Strain.ALL_TRUMP, 0, 0, id="tout-atout without"),
    ],
)
def test_belotes_are_counted(strain: Strain, at_all_trump: int, count: int) -> None:
    hand = mask_of(parse_cards("KS QS KH QH QC 7C 8C 9C"))
    assert belotes(hand, strain, at_all_trump) == count


def test_marks_grow_with_points_and_promises_with_bids() -> None:
    for name in ("ffb-mixte", "coinche-classique", "coinche-annonce", "contree-generale"):
        rules = preset(name)
        ahead = outlook(rules, BID_STYLE)
        for rank in range(len(rules.ladder)):
            marks = [ahead.marks(rank, 0, Doubling.NONE, mean) for mean in range(0, 221, 10)]
            assert all(later > earlier - 2.0 for earlier, later in pairwise(marks))
            assert marks[0] < 0
        promises = [ahead.promise(0, rank) for rank in range(len(rules.ladder))]
        assert promises == sorted(promises)


@pytest.mark.parametrize(
    ("cards", "strain", "solid"),
    [
        pytest.param("JS 9S AS TS KS QS AH AD", Strain.SPADES, True, id="six trumps"),
        pytest.param("JS 9S AS TS AH TH KH AD", Strain.SPADES, True, id="four of the top"),
        pytest.param("JS 9S AS KS AH TH KH AD", Strain.SPADES, False, id="ten of trump missing"),
        pytest.param("JS 9S AS TS AH KH AD AC", Strain.SPADES, False, id="ten of a suit missing"),
        pytest.param("AS TS KS QS AH TH AD AC", Strain.NO_TRUMP, True, id="sans-atout"),
        pytest.param("JS 9S AS TS JH 9H JD AC", Strain.ALL_TRUMP, False, id="tout-atout"),
        pytest.param("JS 9S AS TS JH 9H JD JC", Strain.ALL_TRUMP, True, id="tout-atout solid"),
    ],
)
def test_knows_a_hand_that_cannot_lose_a_trick(cards: str, strain: Strain, solid: bool) -> None:
    assert is_solid(mask_of(parse_cards(cards)), strain) is solid


def test_passes_without_anything() -> None:
    deal = dealt(north="7S 8S QS 7H 8H 7D 8D 7C", west="JS 9S AS KS TS AH TH AD")
    assert rules_player(view_of(deal)) is PASS


def test_opens_with_a_good_hand_in_its_suit() -> None:
    said = rules_player(view_of(dealt(north="JH 9H AH 7H AS 7S 8D 7C")))
    assert isinstance(said, Bid)
    assert said.strain is Strain.HEARTS


def test_bids_capot_with_all_the_tricks() -> None:
    said = rules_player(view_of(dealt(north="JS 9S AS TS KS QS AH AD")))
    assert said == Bid(Slam.CAPOT, Strain.SPADES)


@pytest.mark.parametrize(
    ("hand", "strain"),
    [
        pytest.param("AS TS KS AH TH AD TD AC", Strain.NO_TRUMP, id="aces and tens"),
        pytest.param("JS 9S JH 9H JD 9D JC AC", Strain.ALL_TRUMP, id="jacks and nines"),
    ],
)
def test_bids_without_and_with_all_trumps_where_the_rules_have_them(
    hand: str, strain: Strain
) -> None:
    said = rules_player(view_of(dealt(CLASSIQUE, north=hand)))
    assert isinstance(said, Bid)
    assert said.strain is strain
    elsewhere = rules_player(view_of(dealt(FFB, north=hand)))
    assert isinstance(elsewhere, Bid)
    assert elsewhere.strain < 4


# Calls go counter-clockwise: North, West, South, East.
def test_raises_its_partner_with_aces_and_trump_honours() -> None:
    hands = {"south": "9H TH 7H AS TS AD 7C 8C", "west": "7S 8S 7D 8D QD 9C JC QC"}
    deal = after(dealt(FFB, **hands, north="JH AH KH 8H 9S KS 9D AC"), "90H", "P")
    said = rules_player(view_of(deal))
    assert isinstance(said, Bid)
    assert said.strain is Strain.HEARTS
    assert FFB.ladder_rank(said.level) > FFB.ladder_rank(90)


def test_leaves_its_partner_alone_without_help() -> None:
    deal = after(dealt(FFB, south="QH 7S 8S QS 7D 8D 7C 8C"), "110H", "P")
    assert rules_player(view_of(deal)) is PASS


def test_bids_over_opponents_with_a_good_hand() -> None:
    deal = after(dealt(FFB, west="JS 9S AS TS 7S AH 7D 8C"), "80H")
    said = rules_player(view_of(deal))
    assert isinstance(said, Bid)
    assert said.strain is Strain.SPADES


STRONG_DEFENCE = {"west": "JH 9H 7H AS TS AD AC 7C"}
WEAK_DEFENCE = {"west": "7S 8S QS 7D 8D QD 7C 8C"}


def test_says_contre_with_a_strong_defence() -> None:
    deal = after(dealt(FFB, **STRONG_DEFENCE), "130H")
    assert rules_player(view_of(deal)) is CONTRE
    assert rules_player(view_of(after(dealt(FFB, **WEAK_DEFENCE), "90H"))) is not CONTRE


@pytest.mark.parametrize("name", ["coinche-classique", "coinche-annonce", "contree-generale"])
def test_answers_a_contre_window(name: str) -> None:
    rules = preset(name)
    answers = {}
    for strength, cards in (("strong", STRONG_DEFENCE["west"]), ("weak", WEAK_DEFENCE["west"])):
        # East and West defend; who is asked out of turn depends on the direction and the timing.
        for seat in ("east", "west"):
            deal = after(dealt(rules, **{seat: cards}), "130H")
            passes = 0
            while len(project(deal, deal.owed[0]).legal) != 2 and passes < 3:
                deal, passes = after(deal, "P"), passes + 1
            for asked in deal.owed:
                if asked.name.lower() == seat:
                    answers[strength] = rules_player(project(deal, asked))
    assert answers == {"strong": CONTRE, "weak": DECLINE}


def test_says_surcontre_when_it_cannot_lose_and_not_with_less() -> None:
    solid = "JH 9H AH TH KH QH AS AD"
    deal = after(dealt(FFB, north=solid), "110H", "X", "P", "P")
    assert rules_player(view_of(deal)) is SURCONTRE
    thin = after(dealt(FFB, north="JH AH 7H TS KS 7D 8D 9C"), "110H", "X", "P", "P")
    assert rules_player(view_of(thin)) is PASS
    window = after(dealt(CLASSIQUE, north=solid), "110H", "X")
    answers = {seat: rules_player(project(window, seat)) for seat in window.owed}
    assert {str(seat): say for seat, say in answers.items()} == {"N": SURCONTRE, "S": DECLINE}


def test_a_second_opinion_counts_half() -> None:
    view = view_of(dealt(north="JH 9H AH 7H AS 7S 8D 7C"))
    usual = rules_player(view)
    assert isinstance(usual, Bid)
    ladder_rank = view.rules.ladder_rank
    high = advised_call(view, lambda strain, ours: 162.0 if ours else 0.0)
    assert isinstance(high, Bid)
    assert ladder_rank(high.level) > ladder_rank(usual.level)
    assert advised_call(view, lambda strain, ours: 0.0 if ours else 162.0) is PASS


def test_a_second_opinion_is_asked_about_opponents_too() -> None:
    view = view_of(after(dealt(FFB, **WEAK_DEFENCE), "100H"))
    assert rules_player(view) is PASS
    assert advised_call(view, lambda strain, ours: 0.0) is CONTRE


def test_a_second_opinion_is_no_call_for_a_card() -> None:
    view = view_of(after(dealt(FFB, **STRONG_DEFENCE), "90H", "P", "P", "P"))
    with pytest.raises(ValueError, match="no call"):
        advised_call(view, lambda strain, ours: 0.0)
