"""Cards of the 32-card pack: suits, ranks, strains, cards, and sets of cards as 32-bit masks.

A ``Card`` *is* its index 0..31 (``suit * 8 + rank``), so a set of cards is an ``int`` in which bit
``card`` is set. Ranks are numbered in the plain order 7 8 9 J Q K T A: within a suit the stronger
plain card has the higher bit. The trump order is J 9 A T K Q 8 7 (``TRUMP_ORDER``).
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Final

from contree.engine.errors import NotationError


class Suit(IntEnum):
    """A suit; the numbers are those of the notation's order S H D C."""

    SPADES = 0
    HEARTS = 1
    DIAMONDS = 2
    CLUBS = 3

    def __str__(self) -> str:
        return "SHDC"[self]


class Rank(IntEnum):
    """A rank, numbered in plain (not trump) order from weakest to strongest."""

    SEVEN = 0
    EIGHT = 1
    NINE = 2
    JACK = 3
    QUEEN = 4
    KING = 5
    TEN = 6
    ACE = 7

    def __str__(self) -> str:
        return "789JQKTA"[self]


class Strain(IntEnum):
    """What a contract is played in: a trump suit (numbered as ``Suit``), sans-atout, tout-atout.

    Texts: ``S H D C``, ``SA`` (sans-atout: no trump) and ``TA`` (tout-atout: every suit is
    ordered and valued as trump, none cuts another).
    """

    SPADES = 0
    HEARTS = 1
    DIAMONDS = 2
    CLUBS = 3
    NO_TRUMP = 4
    ALL_TRUMP = 5

    @property
    def suit(self) -> Suit | None:
        """The trump suit, None at sans-atout and tout-atout."""
        return Suit(self) if self < 4 else None

    def __str__(self) -> str:
        return ("S", "H", "D", "C", "SA", "TA")[self]

    @classmethod
    def parse(cls, text: str) -> Strain:
        """Read ``S H D C SA TA``; NotationError otherwise."""
        try:
            return cls(("S", "H", "D", "C", "SA", "TA").index(text))
        except ValueError:
            raise NotationError("strain", text, "one of S H D C SA TA") from None


class Card(int):
    """One card, equal to its index 0..31; written rank first: ``AS``, ``TH``, ``9D``.

    Use the members of ``CARDS`` or ``Card.of``/``Card.parse``: they return the same 32 objects.
    """

    __slots__ = ()

    @classmethod
    def of(cls, suit: Suit, rank: Rank) -> Card:
        """The card of this suit and rank."""
        return CARDS[suit * 8 + rank]

    @classmethod
    def parse(cls, text: str) -> Card:
        """Read a card such as ``TH``; NotationError when it is none."""
        try:
            return _BY_TEXT[text]
        except KeyError:
            raise NotationError(
                "card", text, "rank then suit, e.g. AS TH 9D (ranks A K Q J T 9 8 7, suits S H D C)"
            ) from None

    @property
    def suit(self) -> Suit:
        """The suit of the card."""
        return _SUITS[self >> 3]

    @property
    def rank(self) -> Rank:
        """The rank of the card."""
        return _RANKS[self & 7]

    @property
    def bit(self) -> int:
        """The mask that holds only this card."""
        return 1 << self

    def __str__(self) -> str:
        return _TEXTS[self]

    def __repr__(self) -> str:
        return f"Card({str(self)!r})"


_SUITS: Final = tuple(Suit)
_RANKS: Final = tuple(Rank)
CARDS: Final[tuple[Card, ...]] = tuple(Card(index) for index in range(32))
_TEXTS: Final = tuple(f"{card.rank}{card.suit}" for card in CARDS)
_BY_TEXT: Final = dict(zip(_TEXTS, CARDS, strict=True))

ALL_CARDS: Final = (1 << 32) - 1
"""The mask of the whole pack."""

SUIT_MASKS: Final[tuple[int, int, int, int]] = (0xFF, 0xFF00, 0xFF0000, 0xFF000000)
"""The mask of each suit, by ``Suit``."""

TRUMP_ORDER: Final[tuple[Rank, ...]] = (
    Rank.SEVEN,
    Rank.EIGHT,
    Rank.QUEEN,
    Rank.KING,
    Rank.TEN,
    Rank.ACE,
    Rank.NINE,
    Rank.JACK,
)
"""Ranks at trump, weakest first."""


HELD: Final = tuple(
    tuple(
        tuple(card for card in CARDS[first : first + 8] if held >> (card & 7) & 1)
        for held in range(256)
    )
    for first in (0, 8, 16, 24)
)
"""By suit, the cards of each of its 256 sets; ``cards_in`` is asked for every move."""


def mask_of(cards: Iterable[int]) -> int:
    """The mask that holds these cards (a card given twice counts once)."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def cards_in(mask: int) -> tuple[Card, ...]:
    """The cards of a mask, lowest index first: spades before hearts, 7 before A."""
    return (
        HELD[0][mask & 255]
        + HELD[1][mask >> 8 & 255]
        + HELD[2][mask >> 16 & 255]
        + HELD[3][mask >> 24 & 255]
    )


def parse_cards(text: str) -> tuple[Card, ...]:
    """Read cards separated by blanks, ``"AS 7S"``; NotationError names the first bad one."""
    return tuple(Card.parse(word) for word in text.split())
