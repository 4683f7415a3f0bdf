"""The disguise of a second table: undone exactly, and the same game behind it."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contree.engine import (
    CARDS,
    NO_DISGUISE,
    SEATS,
    Action,
    Announced,
    Bid,
    Deal,
    Disguise,
    FixedDeal,
    Say,
    SeededDeals,
    Slam,
    Strain,
    Suit,
    disguise,
    preset,
)

SEED = bytes(range(32))


@st.composite
def disguises(draw: st.DrawFn) -> Disguise:
    spades, hearts, diamonds, clubs = draw(st.permutations(list(Suit)))
    return Disguise((spades, hearts, diamonds, clubs), draw(st.integers(0, 3)))


ACTIONS: list[Action] = [
    *CARDS,
    *Say,
    *(Announced(card) for card in CARDS),
    *(Bid(level, strain) for level in (80, 160, *Slam) for strain in Strain),
]


@given(disguises())
def test_inverse_undoes(worn: Disguise) -> None:
    back = worn.inverse
    assert [back.action(worn.action(action)) for action in ACTIONS] == ACTIONS
    assert [back.seat(worn.seat(seat)) for seat in SEATS] == list(SEATS)
    assert back.inverse == worn
    deal = FixedDeal(SEATS[1], (0xF0F0, 0x0F0F, 0xF0F0_0000, 0x0F0F_0000))
    assert back.deal(worn.deal(deal)) == deal
    for card in CARDS:
        assert worn.mask(1 << card) == 1 << worn.card(card)
        assert worn.card(card).rank is card.rank


def test_no_disguise_changes_nothing() -> None:
    assert [NO_DISGUISE.action(action) for action in ACTIONS] == ACTIONS
    assert [NO_DISGUISE.seat(seat) for seat in SEATS] == list(SEATS)


def test_sans_atout_and_tout_atout_stay() -> None:
    worn = disguise(SEED, 1, 1)
    assert worn.strain(Strain.NO_TRUMP) is Strain.NO_TRUMP
    assert worn.strain(Strain.ALL_TRUMP) is Strain.ALL_TRUMP


def test_every_table_is_disguised_its_own_way() -> None:
    drawn = {disguise(SEED, board, table) for board in range(1, 300) for table in (1, 2)}
    assert NO_DISGUISE not in drawn
    assert len(drawn) == 24 * 4 - 1
    assert disguise(SEED, 5, 1) == disguise(SEED, 5, 1)


@pytest.mark.parametrize("name", ["ffb-mixte", "coinche-classique", "contree-generale"])
def test_disguised_deal_is_the_same_game(name: str) -> None:
    rules = preset(name)
    rng = random.Random(name)
    for board in range(1, 40):
        worn = disguise(SEED, board, 1)
        dealt = SeededDeals(SEED).board(board, rules)
        plain = Deal.start(rules, *dealt)
        masked = Deal.start(rules, *worn.deal(dealt))
        while plain.owed:
            assert masked.owed == tuple(worn.seat(seat) for seat in plain.owed)
            seat = plain.owed[0]
            legal = plain.legal_actions(seat)
            assert {worn.action(action) for action in legal} == set(
                masked.legal_actions(worn.seat(seat))
            )
            action = rng.choice(legal)
            plain = plain.apply(seat, action)
            masked = masked.apply(worn.seat(seat), worn.action(action))
        assert plain.result is not None
        assert masked.result is not None
        turned = 1 if worn.rotation & 1 else -1
        marks = plain.result.marks[::-1] if turned == 1 else plain.result.marks
        assert masked.result.marks == marks
