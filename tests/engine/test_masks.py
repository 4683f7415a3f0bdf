"""The hot rules against a slow, independent reading of the documents, card by card."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contree.engine import masks
from contree.engine.cards import ALL_CARDS, CARDS, Card, Strain, Suit, cards_in, mask_of
from contree.engine.options import PartnerMaster, Rise, Undertrump
from contree.engine.presets import PRESET_NAMES, preset
from contree.engine.rules import RuleSet
from contree.engine.trick import legal_mask, legal_plays

PLAIN_ORDER = "789JQKTA"
TRUMP_ORDER = "78QKTA9J"
ALL_RULES = [
    pytest.param(name, strain, id=f"{name}-{strain}")
    for name in PRESET_NAMES
    for strain in preset(name).strains
]


# --- the documents, card by card


def is_trump(card: Card, strain: Strain) -> bool:
    return strain.suit is not None and card.suit is strain.suit


def strength(card: Card, strain: Strain) -> int:
    """Strength among cards of one suit."""
    order = TRUMP_ORDER if is_trump(card, strain) or strain is Strain.ALL_TRUMP else PLAIN_ORDER
    return order.index(str(card)[0])


def naive_winner(cards: Sequence[Card], strain: Strain) -> int:
    """000: « Le pli revient au plus fort atout, sinon à la plus forte carte de la couleur »."""
    cuts = [card for card in cards if is_trump(card, strain)]
    candidates = cuts or [card for card in cards if card.suit is cards[0].suit]
    return cards.index(max(candidates, key=lambda card: strength(card, strain)))


def naive_may_play(
    card: Card, hand: Sequence[Card], trick: Sequence[Card], strain: Strain, undertrump: bool
) -> bool:
    """Whether a card may be played; ``undertrump``: who cannot overtrump must trump all the same
    (000, 001 and 004, not 002 and 003).
    """
    if not trick:
        return True
    led = trick[0].suit
    best = naive_winner(trick, strain)
    ordered = strain is Strain.ALL_TRUMP or led is strain.suit
    if any(held.suit is led for held in hand):
        if card.suit is not led:
            return False  # « Il faut fournir »
        if not ordered:
            return True

        # « il faut monter à l'atout si l'on peut, même sur son partenaire »
        def rises(held: Card) -> bool:
            return held.suit is led and strength(held, strain) > strength(trick[best], strain)

        return rises(card) or not any(map(rises, hand))
    trumps = [held for held in hand if is_trump(held, strain)]
    partner_is_master = best == len(trick) - 2
    if not trumps or partner_is_master:
        return True  # « quand son partenaire est maître, on joue ce que l'on veut »
    if not is_trump(trick[best], strain):
        return is_trump(card, strain)  # « sinon il faut couper »
    bar = strength(trick[best], strain)
    if any(strength(held, strain) > bar for held in trumps):
        return is_trump(card, strain) and strength(card, strain) > bar  # « surcouper »
    return is_trump(card, strain) or not undertrump


MUST_UNDERTRUMP = {"contree-simple", "contree-generale", "coinche-annonce"}


@st.composite
def positions(draw: st.DrawFn) -> tuple[list[Card], list[Card]]:
    """A trick of up to three cards and a hand of up to eight, often of few suits."""
    pack = draw(
        st.one_of(
            st.permutations(CARDS),
            st.permutations(CARDS[:16]),
            st.permutations(CARDS[8:24]),
        )
    )
    played = draw(st.integers(0, 3))
    held = draw(st.integers(1, 8))
    return list(pack[:played]), list(pack[played : played + held])


@pytest.mark.parametrize(("name", "strain"), ALL_RULES)
@given(position=positions())
def test_legal_cards_are_those_of_the_documents(
    name: str, strain: Strain, position: tuple[list[Card], list[Card]]
) -> None:
    trick, hand = position
    undertrump = name in MUST_UNDERTRUMP
    expected = [c for c in hand if naive_may_play(c, hand, trick, strain, undertrump)]
    assert legal_plays(preset(name), strain, trick, hand) == tuple(sorted(expected))


# --- every option of play, one at a time


def legal(rules: RuleSet, strain: str, trick: str, hand: str) -> set[str]:
    found = legal_mask(
        rules,
        Strain.parse(strain),
        [Card.parse(card) for card in trick.split()],
        mask_of(Card.parse(card) for card in hand.split()),
    )
    return set(map(str, cards_in(found)))


FFB = preset("ffb-mixte")
ANNONCE = preset("coinche-annonce")


@pytest.mark.parametrize(
    ("rules", "strain", "trick", "hand", "expected"),
    [
        # An opponent has cut and can be beaten.
        (FFB, "H", "AS 8H", "JH 7H KD", "JH"),
        (replace(FFB, overtrump=False), "H", "AS 8H", "JH 7H KD", "JH 7H"),
        # ... and cannot be beaten.
        (replace(FFB, undertrump=Undertrump.MUST), "H", "AS JH", "AH 7H KD", "AH 7H"),
        (replace(FFB, overtrump=False), "H", "AS JH", "AH 7H KD", "AH 7H KD"),
        # The partner has cut.
        (FFB, "H", "AS 9H 7S", "JH 8H KD", "JH 8H KD"),
        (
            replace(FFB, partner_master=PartnerMaster.VOLUNTARY_RISE),
            "H",
            "AS 9H 7S",
            "JH 8H KD",
            "JH KD",
        ),
        (replace(FFB, partner_master=PartnerMaster.MUST_RISE), "H", "AS 9H 7S", "JH 8H KD", "JH"),
        (
            replace(FFB, partner_master=PartnerMaster.MUST_RISE),
            "H",
            "AS JH 7S",
            "9H 8H KD",
            "9H 8H KD",
        ),
        # The partner is master without a cut.
        (
            replace(FFB, partner_master=PartnerMaster.MUST_RISE),
            "H",
            "8S AS 7S",
            "JH 8H KD",
            "JH 8H KD",
        ),
        # Trump led, by an opponent and by the partner.
        (replace(FFB, trump_rise=Rise.NEVER), "H", "9H", "JH 7H", "JH 7H"),
        (replace(FFB, trump_rise=Rise.OPPONENTS), "H", "9H", "JH 7H", "JH"),
        (replace(FFB, trump_rise=Rise.OPPONENTS), "H", "9H 8H", "JH 7H", "JH 7H"),
        # Tout-atout and sans-atout.
        (replace(ANNONCE, ta_rise=Rise.NEVER), "TA", "9H", "JH 7H", "JH 7H"),
        (replace(ANNONCE, ta_rise=Rise.OPPONENTS), "TA", "9H 8H", "JH 7H", "JH 7H"),
        (replace(ANNONCE, ta_rise=Rise.OPPONENTS), "TA", "9H", "JH 7H", "JH"),
        (replace(ANNONCE, sa_rise=Rise.ALWAYS), "SA", "9H", "JH 7H", "JH"),
        (replace(ANNONCE, sa_rise=Rise.ALWAYS), "SA", "9H 8H", "JH 7H", "JH"),
        (replace(ANNONCE, sa_rise=Rise.OPPONENTS), "SA", "9H 8H", "JH 7H", "JH 7H"),
        (replace(ANNONCE, sa_rise=Rise.OPPONENTS), "SA", "9H", "7H AS", "7H"),
    ],
)
def test_option_of_play(rules: RuleSet, strain: str, trick: str, hand: str, expected: str) -> None:
    assert legal(rules, strain, trick, hand) == set(expected.split())


@given(hand=st.integers(1, ALL_CARDS), strain=st.sampled_from(Strain))
def test_leader_may_play_anything(hand: int, strain: Strain) -> None:
    assert masks.legal_cards(hand, strain, -1, -1, False, FFB.play_duties) == hand


# --- tables


@given(
    cards=st.permutations(CARDS).map(lambda pack: pack[:4]),
    count=st.integers(1, 4),
    strain=st.sampled_from(Strain),
)
def test_trick_winner(cards: list[Card], count: int, strain: Strain) -> None:
    assert masks.trick_winner(cards[:count], strain) == naive_winner(cards[:count], strain)


@pytest.mark.parametrize("strain", Strain)
def test_beats_table(strain: Strain) -> None:
    for best in CARDS:
        for card in CARDS:
            takes = bool(masks.BEATS[strain * 32 + best] >> card & 1)
            assert takes == (card != best and naive_winner([best, card], strain) == 1)


def test_power_at_trump() -> None:
    ranks = sorted(range(8), key=lambda rank: masks.TRUMP_POWER[rank])
    assert "".join(PLAIN_ORDER[rank] for rank in ranks) == TRUMP_ORDER


def naive_points(cards: Iterable[Card], strain: Strain) -> int:
    """The table of 003, « Valeur des cartes »."""
    trump = {"J": 20, "9": 14, "A": 11, "T": 10, "K": 4, "Q": 3}
    plain = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2}
    return sum(
        (trump if is_trump(card, strain) or strain is Strain.ALL_TRUMP else plain).get(
            str(card)[0], 0
        )
        for card in cards
    )


@given(mask=st.integers(0, ALL_CARDS), strain=st.sampled_from(Strain))
def test_points(mask: int, strain: Strain) -> None:
    assert masks.points(mask, masks.POINTS[strain]) == naive_points(cards_in(mask), strain)


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (masks.POINTS_NO_TRUMP_ACE_19, {"A": 19, "T": 10, "K": 4, "Q": 3, "J": 2}),
        (masks.POINTS_ALL_TRUMP_152, {"J": 14, "9": 9, "A": 6, "T": 5, "K": 3, "Q": 1}),
    ],
    ids=["sans-atout", "tout-atout"],
)
def test_calibrated_points(table: bytes, expected: dict[str, int]) -> None:
    assert masks.points(ALL_CARDS, table) == 152
    for card, points in zip(CARDS, masks.card_points(table), strict=True):
        assert points == expected.get(str(card)[0], 0)


@pytest.mark.parametrize(
    ("strain", "total"), [*((suit, 152) for suit in range(4)), (4, 120), (5, 248)]
)
def test_points_of_the_pack(strain: int, total: int) -> None:
    assert masks.points(ALL_CARDS, masks.POINTS[strain]) == total


@pytest.mark.parametrize(
    "relabel", [lambda suit: (suit + 1) % 4, lambda suit: suit ^ 1], ids=["turned", "swapped"]
)
@given(position=positions(), strain=st.sampled_from(Strain))
def test_suits_are_alike(
    relabel: Callable[[int], int], position: tuple[list[Card], list[Card]], strain: Strain
) -> None:
    """Renaming the suits renames the legal cards and changes nothing else."""

    def renamed(card: Card) -> Card:
        return Card.of(Suit(relabel(card.suit)), card.rank)

    rules = preset("coinche-annonce")
    trick, hand = position
    other = Strain(relabel(strain)) if strain.suit is not None else strain
    found = legal_plays(rules, strain, trick, hand)
    assert sorted(map(renamed, found)) == sorted(
        legal_plays(rules, other, list(map(renamed, trick)), list(map(renamed, hand)))
    )
