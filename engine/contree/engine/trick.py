"""One trick, and which cards may be played to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from contree.engine import masks
from contree.engine.cards import Card, Strain, Suit, cards_in, mask_of
from contree.engine.errors import DeckError
from contree.engine.rules import RuleSet
from contree.engine.table import SEATS, Direction, Seat


class Trick(NamedTuple):
    """Up to four cards in the order in which they were played, the leader's first."""

    leader: Seat
    cards: tuple[Card, ...] = ()

    @property
    def led(self) -> Suit | None:
        """The suit led, None before the first card."""
        return self.cards[0].suit if self.cards else None

    @property
    def complete(self) -> bool:
        """Whether all four have played."""
        return len(self.cards) == 4

    def seat_of(self, index: int, direction: Direction) -> Seat:
        """The seat that plays the card ``index`` (0 the leader's)."""
        return SEATS[(self.leader + direction.step * index) & 3]

    def to_play(self, direction: Direction) -> Seat | None:
        """The seat whose card comes next, None when the trick is complete."""
        return None if self.complete else self.seat_of(len(self.cards), direction)

    def card_of(self, seat: Seat, direction: Direction) -> Card | None:
        """The card that a seat has played, None when it has not played yet."""
        index = direction.distance(self.leader, seat)
        return self.cards[index] if index < len(self.cards) else None

    def with_card(self, card: Card) -> Trick:
        """The trick with one card more."""
        return Trick(self.leader, (*self.cards, card))

    def winner(self, strain: Strain, direction: Direction) -> Seat:
        """The seat that holds the trick, or has won it; ValueError before the first card."""
        if not self.cards:
            raise ValueError("nobody holds a trick without cards")
        return self.seat_of(masks.trick_winner(self.cards, strain), direction)


def legal_mask(rules: RuleSet, strain: int, cards: Sequence[int], hand: int) -> int:
    """The cards of a hand (a mask) that may be played next to ``cards``; nothing is checked."""
    count = len(cards)
    if not count:
        return hand
    best = masks.trick_winner(cards, strain)
    return masks.legal_cards(
        hand, strain, cards[0] >> 3, cards[best], best == count - 2, rules.play_duties
    )


def legal_plays(
    rules: RuleSet, strain: Strain, trick: Sequence[Card], hand: Sequence[Card]
) -> tuple[Card, ...]:
    """The cards of ``hand`` that the next player may play, in the order of the pack.

    ``trick`` holds the cards played so far, the leader's first. DeckError when that is no position:
    a card twice, a trick of four, an empty hand or one of more than eight cards.
    """
    if len(trick) > 3:
        raise DeckError("the trick is complete, nobody plays to it", trick)
    if not hand:
        raise DeckError("the hand is empty")
    if len(hand) > 8:
        raise DeckError(f"a hand has at most 8 cards, not {len(hand)}")
    seen: set[Card] = set()
    for card in (*trick, *hand):
        if card in seen:
            raise DeckError("card given twice", (card,))
        seen.add(card)
    return cards_in(legal_mask(rules, strain, trick, mask_of(hand)))
