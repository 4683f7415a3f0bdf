"""Shuffles, cuts and packets: the published derivation, and that it is fair."""

import dataclasses
import hashlib
import hmac
import random
from collections import Counter

import pytest

from contree.engine import (
    CARDS,
    SEATS,
    Card,
    DeckError,
    Game,
    RuleSet,
    Say,
    Seat,
    SeededDeals,
    cards_in,
    commitment,
    mix,
    preset,
)
from contree.engine.cards import ALL_CARDS
from contree.engine.options import Packets
from contree.engine.shuffle import (
    cut,
    cut_size,
    deal_packets,
    drawing,
    gather,
    shuffled,
)
from contree.engine.table import Direction

N, E, S, W = SEATS
SEED = bytes(range(32))


def by_the_book(seed: bytes, label: str, number: int) -> list[int]:
    """The deck as the docstring of ``shuffle`` tells it, written a second time."""

    def text(value: str) -> bytes:
        return len(value.encode()).to_bytes(2, "big") + value.encode()

    message = text("deck") + text(label) + number.to_bytes(8, "big")
    stream = b"".join(
        hmac.new(seed, message + block.to_bytes(8, "big"), hashlib.sha256).digest()
        for block in range(8)
    )
    position = 0
    deck = list(range(32))
    for k in range(31, 0, -1):
        while stream[position] >= 256 - 256 % (k + 1):
            position += 1
        j = stream[position] % (k + 1)
        position += 1
        deck[k], deck[j] = deck[j], deck[k]
    return deck


@pytest.mark.parametrize("label", ["", "event", "éé"])
@pytest.mark.parametrize("number", [1, 2, 255, 70_000])
def test_deck_is_the_published_one(label: str, number: int) -> None:
    assert list(shuffled(SEED, label, number)) == by_the_book(SEED, label, number)


def test_deck_does_not_change_between_versions() -> None:
    deck = " ".join(map(str, shuffled(bytes(32), "", 1)))
    assert deck == GOLDEN_DECK
    assert cut_size(bytes(32), "", 1, 2) == GOLDEN_CUT
    assert mix(bytes(32), b"entropy").hex() == GOLDEN_MIX


GOLDEN_DECK = (
    "8S AC KC 8H 8C KD 7C TS AH 7S TC JC JS AD QS 9H "
    "AS TD QH 9D 9C 8D 7D QD 9S QC TH JD 7H KS JH KH"
)
GOLDEN_CUT = 14
GOLDEN_MIX = "f6cab5f14881a78c0acc1c62871c946aa22b997c52eca03625975000776c9f87"


def test_29_every_card_is_equally_likely_at_every_place() -> None:
    decks = 3200  # 102,400 cards
    counts = [[0] * 32 for _ in range(32)]
    for number in range(decks):
        for place, card in enumerate(shuffled(SEED, "uniform", number)):
            counts[place][card] += 1
    expected = decks / 32
    chi_square = sum((count - expected) ** 2 / expected for row in counts for count in row)
    # 31 x 31 degrees of freedom: mean 961, standard deviation 44.
    assert 961 - 5 * 44 < chi_square < 961 + 5 * 44


@pytest.mark.parametrize("bound", [1, 3, 24, 29, 32, 255, 256])
def test_numbers_below_a_bound_are_uniform(bound: int) -> None:
    below = drawing(SEED, "test", "", bound)
    counts = Counter(below(bound) for _ in range(200 * bound))
    assert set(counts) == set(range(bound))
    chi_square = sum((count - 200) ** 2 / 200 for count in counts.values())
    assert chi_square < bound + 6 * (2 * bound) ** 0.5


def test_cut_leaves_at_least_the_minimum_on_both_sides() -> None:
    assert {cut_size(SEED, "", number, 2) for number in range(800)} == set(range(2, 31))
    assert {cut_size(SEED, "", number, 16) for number in range(20)} == {16}
    assert cut(CARDS, 3)[:2] == (CARDS[3], CARDS[4])
    assert cut(CARDS, 3)[-1] is CARDS[2]


@pytest.mark.parametrize(
    ("packets", "first_hand"),
    [
        (Packets.THREE_TWO_THREE, [0, 1, 2, 12, 13, 20, 21, 22]),
        (Packets.ANY, [0, 1, 2, 12, 13, 20, 21, 22]),
        (Packets.THREE_THREE_TWO, [0, 1, 2, 12, 13, 14, 24, 25]),
        (Packets.TWO_THREE_THREE, [0, 1, 8, 9, 10, 20, 21, 22]),
    ],
)
@pytest.mark.parametrize(
    ("direction", "first"), [(Direction.CLOCKWISE, S), (Direction.COUNTER_CLOCKWISE, N)]
)
def test_packets_go_round_from_the_seat_after_the_dealer(
    packets: Packets, first_hand: list[int], direction: Direction, first: Seat
) -> None:
    hands = deal_packets(CARDS, E, direction, packets)
    assert list(cards_in(hands[first])) == first_hand
    assert sum(hands) == ALL_CARDS
    last = cards_in(hands[E])
    assert last[-1] == 31  # the dealer takes the bottom card


def test_commitment_is_the_hash_of_the_seed() -> None:
    assert commitment(SEED) == hashlib.sha256(SEED).hexdigest()


def test_mixing_entropy_changes_everything() -> None:
    assert mix(SEED, b"a") != mix(SEED, b"b") != SEED
    assert len(mix(SEED, b"")) == 32


@pytest.mark.parametrize("seed", [b"", bytes(31), bytes(33)])
def test_seed_has_32_bytes(seed: bytes) -> None:
    for use in (commitment, lambda s: mix(s, b""), lambda s: shuffled(s, "", 1)):
        with pytest.raises(DeckError, match="32 bytes"):
            use(seed)


def test_seed_is_not_shown() -> None:
    assert SEED.hex() not in repr(SeededDeals(SEED))
    assert str(SEED) not in repr(SeededDeals(SEED))
    assert commitment(SEED)[:8] in repr(SeededDeals(SEED))


def test_labels_and_numbers_give_other_deals() -> None:
    rules = preset("ffb-mixte")
    deals = {
        SeededDeals(SEED, label).board(number, rules).hands
        for label in ("", "a", "b")
        for number in range(1, 100)
    }
    assert len(deals) == 297


@pytest.mark.parametrize("limit", [None, 5])
def test_pack_that_is_only_cut_is_gathered_from_the_tricks(limit: int | None) -> None:
    rules = dataclasses.replace(preset("coinche-classique"), deals_limit=limit)
    rng = random.Random(7)
    game = Game.start(rules, SeededDeals(SEED, "cut"))
    assert game.deal is not None
    first = cut(shuffled(SEED, "cut", 1), cut_size(SEED, "cut", 1, 2))
    assert game.deal.dealt == dealt_again(first, game.deal.dealer, rules)
    while game.deal is not None:
        number = game.number
        game = game.apply(game.owed[0], rng.choice(game.legal_actions(game.owed[0])))
        if game.deal is None or game.number == number:
            continue
        last = game.finished[-1]
        assert last.play is not None
        tricks = [
            (seat.team, t.cards)
            for seat, t in zip(last.play.winners, last.play.tricks, strict=True)
        ]
        takers = last.play.contract.team
        pack = [card for team, cards in tricks if team is takers for card in cards]
        pack += [card for team, cards in tricks if team is not takers for card in cards]
        assert list(gather(last)) == pack
        size = cut_size(SEED, "cut", game.number, rules.cut_minimum or 0)
        assert game.deal.dealt == dealt_again(cut(pack, size), game.deal.dealer, rules)


def dealt_again(deck: tuple[Card, ...], dealer: Seat, rules: RuleSet) -> tuple[int, ...]:
    return deal_packets(deck, dealer, rules.turn_direction, rules.packets)


def test_passed_out_pack_is_gathered_hand_by_hand() -> None:
    game = Game.start(preset("coinche-classique"), SeededDeals(SEED))
    for _ in SEATS:
        game = game.apply(game.owed[0], Say.PASS)
    last = game.finished[0]
    order = last.rules.turn_direction.order(last.rules.turn_direction.next(last.dealer))
    assert gather(last) == sum((cards_in(last.dealt[seat]) for seat in order), ())
    assert game.deal is not None
    assert game.deal.dealt != last.dealt
