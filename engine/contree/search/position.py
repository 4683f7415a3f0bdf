"""A position of the card play with all hands known, as rollouts and the solver take it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from contree.engine import (
    SEATS,
    Card,
    Deal,
    DeckError,
    IllegalAction,
    RuleSet,
    Seat,
    Strain,
    Trick,
    View,
    cards_in,
    mask_of,
)
from contree.engine.trick import legal_mask

__all__ = ["Position"]


class Position(NamedTuple):
    """A position of the card play. Make one with the class methods, which check it."""

    rules: RuleSet
    strain: Strain
    hands: tuple[int, int, int, int]
    """The cards that each seat still holds, as masks by ``Seat``."""
    leader: Seat
    """Who leads, or has led, to the current trick."""
    trick: tuple[Card, ...] = ()
    """The cards of the current trick, none to three."""
    taken: tuple[int, int] = (0, 0)
    """The cards that North-South and East-West have won, as masks."""
    won: tuple[int, int, int, int] = (0, 0, 0, 0)
    """The tricks that each seat has won."""

    @classmethod
    def start(cls, rules: RuleSet, strain: Strain, hands: Sequence[int], leader: Seat) -> Position:
        """The play before the first card; hands of eight cards as masks by ``Seat``."""
        north, east, south, west = hands
        return cls(rules, strain, (north, east, south, west), leader).checked()

    @classmethod
    def of_deal(cls, deal: Deal) -> Position:
        """Where the card play of a deal stands. ValueError when it has none, or is over."""
        trick, contract = deal.trick, deal.contract
        if trick is None or contract is None:
            raise ValueError("this deal is not in its card play")
        winners = deal.past.winners
        north, east, south, west = (winners.count(seat) for seat in SEATS)
        return cls(
            deal.rules,
            contract.strain,
            deal.hands,
            trick.leader,
            trick.cards,
            deal.past.taken,
            (north, east, south, west),
        )

    @classmethod
    def of_view(cls, view: View, hands: Sequence[int]) -> Position:
        """What a view would stand for if these were the hands, such as a sampled world.

        ValueError when the view is of no card play; DeckError when the hands do not go with it.
        """
        trick, contract = view.trick, view.contract
        if trick is None or contract is None:
            raise ValueError("this view is of no card play")
        taken = [0, 0]
        won = [0, 0, 0, 0]
        for seat, finished in zip(view.winners, view.tricks, strict=True):
            taken[seat & 1] |= mask_of(finished.cards)
            won[seat] += 1
        north, east, south, west = (int(hand) for hand in hands)
        position = cls(
            view.rules,
            contract.strain,
            (north, east, south, west),
            trick.leader,
            trick.cards,
            (taken[0], taken[1]),
            (won[0], won[1], won[2], won[3]),
        )
        return position.checked()

    def checked(self) -> Position:
        """The same, or DeckError when it is no position of a whole pack: a card missing or in two
        places, hands of the wrong size.
        """
        left = 8 - sum(self.won)
        seen = 0
        for cards in (*self.hands, mask_of(self.trick), *self.taken):
            if cards & seen:
                raise DeckError("a card in two places", cards_in(cards & seen))
            seen |= cards
        if seen != 0xFFFF_FFFF:
            raise DeckError("cards are missing", cards_in(0xFFFF_FFFF & ~seen))
        if len(self.trick) > 3:
            raise DeckError("a trick of four is no current trick", self.trick)
        played = self._order()[: len(self.trick)]
        for seat in SEATS:
            held = left - (seat in played)
            if self.hands[seat].bit_count() != held:
                raise DeckError(f"{seat.name.capitalize()} should hold {held} cards")
        return self

    def _order(self) -> tuple[Seat, Seat, Seat, Seat]:
        return self.rules.turn_direction.order(self.leader)

    @property
    def over(self) -> bool:
        """Whether all cards are played."""
        return not any(self.hands)

    @property
    def turn(self) -> Seat:
        """Whose turn it is; once ``over``, the winner of the last trick."""
        return self._order()[len(self.trick)]

    @property
    def legal(self) -> tuple[Card, ...]:
        """What the seat to play may play, lowest first."""
        hand = self.hands[self.turn]
        return cards_in(legal_mask(self.rules, self.strain, self.trick, hand))

    def play(self, card: Card) -> Position:
        """The position after this card; IllegalAction when the rules forbid it."""
        seat = self.turn
        if card not in self.legal:
            raise IllegalAction(card, f"{seat.name.capitalize()} may not play {card}", self.legal)
        hands = list(self.hands)
        hands[seat] ^= 1 << card
        north, east, south, west = hands
        after = self._replace(hands=(north, east, south, west), trick=(*self.trick, card))
        return after if len(after.trick) < 4 else after._next_trick()

    def _next_trick(self) -> Position:
        winner = Trick(self.leader, self.trick).winner(self.strain, self.rules.turn_direction)
        taken, won = list(self.taken), list(self.won)
        taken[winner & 1] |= mask_of(self.trick)
        won[winner] += 1
        return self._replace(
            leader=winner,
            trick=(),
            taken=(taken[0], taken[1]),
            won=(won[0], won[1], won[2], won[3]),
        )
