"""The disguise of a board's second table: other suits, other seats, the same deal.

``disguise(seed, board, table)`` draws from stream("disguise", "", [board, table]), see ``shuffle``:
the images of the suits S H D C by a Fisher-Yates shuffle of 0..3 (k = 3, 2, 1: draw j below k + 1,
exchange k and j), then the rotation, a number below 4; the pair "nothing changes" is drawn again.
Points and legality do not depend on the suits' names, so a deal and its disguise score the same.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from contree.engine.actions import Action, Announced, Bid
from contree.engine.cards import CARDS, SUIT_MASKS, Card, Strain, Suit
from contree.engine.shuffle import FixedDeal, drawing
from contree.engine.table import SEATS, Seat

__all__ = ["NO_DISGUISE", "Disguise", "disguise"]


class Disguise(NamedTuple):
    """A change of suits and seats; ``inverse`` undoes it."""

    suits: tuple[Suit, Suit, Suit, Suit]
    """What each suit becomes, by ``Suit``."""
    rotation: int
    """How many seats clockwise everybody moves (0..3)."""

    @property
    def inverse(self) -> Disguise:
        """The disguise that undoes this one."""
        spades, hearts, diamonds, clubs = (Suit(self.suits.index(suit)) for suit in Suit)
        return Disguise((spades, hearts, diamonds, clubs), -self.rotation % 4)

    def seat(self, seat: Seat) -> Seat:
        """Where this seat's player sits."""
        return SEATS[(seat + self.rotation) & 3]

    def card(self, card: Card) -> Card:
        """What this card becomes."""
        return CARDS[self.suits[card >> 3] * 8 + (card & 7)]

    def strain(self, strain: Strain) -> Strain:
        """What this strain becomes; sans-atout and tout-atout stay."""
        return Strain(self.suits[strain]) if strain < 4 else strain

    def mask(self, mask: int) -> int:
        """What this set of cards becomes."""
        return sum(
            ((mask & SUIT_MASKS[suit]) >> 8 * suit) << 8 * image
            for suit, image in zip(Suit, self.suits, strict=True)
        )

    def action(self, action: Action) -> Action:
        """What this action becomes."""
        if isinstance(action, Bid):
            return Bid(action.level, self.strain(action.strain))
        if isinstance(action, Announced):
            return Announced(self.card(action.card))
        if isinstance(action, Card):
            return self.card(action)
        return action

    def deal(self, deal: FixedDeal) -> FixedDeal:
        """What this deal becomes: dealer and hands move along."""
        back = self.inverse
        north, east, south, west = (self.mask(deal.hands[back.seat(seat)]) for seat in SEATS)
        return FixedDeal(self.seat(deal.dealer), (north, east, south, west))


NO_DISGUISE: Final = Disguise((Suit.SPADES, Suit.HEARTS, Suit.DIAMONDS, Suit.CLUBS), 0)
"""Changes nothing."""


def disguise(seed: bytes, board: int, table: int) -> Disguise:
    """The disguise of a table of a board; never ``NO_DISGUISE``."""
    below = drawing(seed, "disguise", "", board, table)
    while True:
        suits = list(Suit)
        for place in (3, 2, 1):
            other = below(place + 1)
            suits[place], suits[other] = suits[other], suits[place]
        spades, hearts, diamonds, clubs = suits
        drawn = Disguise((spades, hearts, diamonds, clubs), below(4))
        if drawn != NO_DISGUISE:
            return drawn
