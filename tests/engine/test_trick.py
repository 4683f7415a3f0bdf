"""Tricks, and the questions people ask about them."""

import pytest

from contree.engine.cards import Card, Strain, Suit, parse_cards
from contree.engine.errors import DeckError, EngineError
from contree.engine.presets import preset
from contree.engine.table import Direction, Seat
from contree.engine.trick import Trick, legal_plays

CW, CCW = Direction.CLOCKWISE, Direction.COUNTER_CLOCKWISE


def test_seats_of_a_trick_follow_the_turn() -> None:
    trick = Trick(Seat.EAST, parse_cards("AS 7S"))
    assert [trick.seat_of(index, CW) for index in range(4)] == [
        Seat.EAST,
        Seat.SOUTH,
        Seat.WEST,
        Seat.NORTH,
    ]
    assert trick.seat_of(1, CCW) is Seat.NORTH
    assert trick.to_play(CW) is Seat.WEST
    assert trick.to_play(CCW) is Seat.WEST
    assert trick.card_of(Seat.NORTH, CCW) == Card.parse("7S")
    assert trick.card_of(Seat.NORTH, CW) is None


def test_trick_grows_card_by_card() -> None:
    trick = Trick(Seat.NORTH)
    assert trick.led is None
    for text in ("8S", "AS", "7H", "TS"):
        assert not trick.complete
        trick = trick.with_card(Card.parse(text))
    assert trick.complete
    assert trick.to_play(CW) is None
    assert trick.led is Suit.SPADES


@pytest.mark.parametrize(
    ("strain", "winner"),
    [("S", "N"), ("H", "S"), ("D", "E"), ("SA", "E"), ("TA", "N")],
)
def test_winner(strain: str, winner: str) -> None:
    trick = Trick(Seat.NORTH, parse_cards("JS AS 7H TS"))
    assert trick.winner(Strain.parse(strain), CW) is Seat.parse(winner)


def test_empty_trick_has_no_winner() -> None:
    with pytest.raises(ValueError, match="without cards"):
        Trick(Seat.NORTH).winner(Strain.SPADES, CW)


def test_legal_plays_come_in_the_order_of_the_pack() -> None:
    legal = legal_plays(preset("ffb-mixte"), Strain.HEARTS, (), parse_cards("KD AS 7H 7S"))
    assert list(map(str, legal)) == ["7S", "AS", "7H", "KD"]


@pytest.mark.parametrize(
    ("trick", "hand", "message"),
    [
        ("AS", "7S KD 7S", "card given twice: 7S"),
        ("AS 8S", "7S 8S", "card given twice: 8S"),
        ("AS AS", "7S", "card given twice: AS"),
        ("AS KS QS JS", "7H", "the trick is complete, nobody plays to it: AS KS QS JS"),
        ("", "7S 8S 9S TS JS QS KS AS 7H", "a hand has at most 8 cards, not 9"),
        ("AS", "", "the hand is empty"),
    ],
)
def test_impossible_position(trick: str, hand: str, message: str) -> None:
    with pytest.raises(DeckError) as raised:
        legal_plays(preset("ffb-mixte"), Strain.HEARTS, parse_cards(trick), parse_cards(hand))
    assert str(raised.value) == message
    assert isinstance(raised.value, EngineError)
