"""What a seat infers is true, and is what a good player would infer."""

from __future__ import annotations

import pytest
from tests.policy.positions import FFB, after, dealt, random_states, view_of

from contree.engine import PRESET_NAMES, Seat, mask_of, parse_cards, preset, project
from contree.policy.knowledge import infer


@pytest.mark.parametrize("name", PRESET_NAMES)
def test_nobody_is_thought_without_a_card_that_he_holds(name: str) -> None:
    for deal in random_states(preset(name), 150):
        if deal.play is None:
            continue
        view = view_of(deal)
        known = infer(view)
        hands = deal.hands
        others = [seat for seat in Seat if seat is not view.seat]
        assert known.hand == hands[view.seat]
        assert known.unseen == sum(hands[seat] for seat in others)
        for seat in others:
            assert not hands[seat] & ~known.may[seat]
            assert known.left[seat] == hands[seat].bit_count()
            assert (known.chance(seat, hands[seat]) > 0) == bool(hands[seat])


SPADES = mask_of(parse_cards("7S 8S 9S JS QS KS TS AS"))
HEARTS = SPADES << 8
HANDS = {
    "north": "AS KS QS 9H 7D 8D 9D JD",
    "west": "TS 9S QH 8H 7H QD KD TD",
    "south": "7C 8C 9C JH KH JS 8S 7S",
    "east": "JC QC KC TC AC AD AH TH",
}


def test_who_does_not_follow_has_none_of_the_suit() -> None:
    deal = after(dealt(**HANDS), "80H", "P", "P", "P", "AS", "TS", "8S", "TH")
    known = infer(project(deal, Seat.SOUTH))
    assert not known.may[Seat.EAST] & SPADES
    assert known.may[Seat.NORTH] & SPADES


def test_who_does_not_trump_has_no_trump() -> None:
    hands = HANDS | {"east": "JC QC KC TC AC AD TD KD", "west": "TS 9S QH 8H 7H QD AH TH"}
    deal = after(dealt(**hands), "80H", "P", "P", "P", "AS", "TS", "8S", "JC")
    known = infer(project(deal, Seat.SOUTH))
    assert not known.may[Seat.EAST] & (SPADES | HEARTS)


def test_who_does_not_rise_has_no_higher_trump() -> None:
    # North leads the nine of trump; West, bound to rise, plays below it.
    deal = after(dealt(**HANDS), "80H", "P", "P", "P", "9H", "7H")
    known = infer(project(deal, Seat.SOUTH))
    assert known.may[Seat.WEST] & HEARTS
    higher = after(dealt(**HANDS), "80H", "P", "P", "P", "9H", "7H", "JH")
    assert not infer(project(higher, Seat.EAST)).may[Seat.WEST] & mask_of(parse_cards("JH"))


def test_who_says_belote_holds_the_other_card() -> None:
    hands = HANDS | {"south": "7C 8C 9C QH KH JS 8S 7S", "west": "TS 9S JH 8H 7H QD KD TD"}
    deal = after(dealt(**hands), "80H", "P", "P", "P", "7D", "QD", "KH")
    known = infer(project(deal, Seat.WEST))
    queen = mask_of(parse_cards("QH"))
    assert known.may[Seat.SOUTH] & queen
    assert not (known.may[Seat.NORTH] | known.may[Seat.EAST]) & queen
    assert known.chance(Seat.SOUTH, queen) == 1.0


def test_a_card_that_only_one_can_hold_is_certain() -> None:
    deal = after(dealt(**HANDS), "80H", "P", "P", "P")
    known = infer(project(deal, Seat.NORTH))
    king = mask_of(parse_cards("KH"))
    assert known.chance(Seat.SOUTH, king) == pytest.approx(1 / 3)
    assert known.chance(Seat.SOUTH, known.hand) == 0.0


def test_a_view_without_card_play_tells_nothing() -> None:
    with pytest.raises(ValueError, match="no card play"):
        infer(view_of(dealt(FFB)))
