"""What may be seen: one seat's view of a deal, and the public view of spectators.

Nothing else builds an observation. A view holds the seat's own cards and what is public; never a
hidden card, never another seat's answer to an open contre window.
"""

from __future__ import annotations

from typing import NamedTuple

from contree.engine.actions import Action
from contree.engine.auction import DecisionKind, PlacedCall
from contree.engine.cards import Card, Strain, Suit, cards_in, mask_of
from contree.engine.contract import Contract
from contree.engine.deal import Deal, DealResult, Phase
from contree.engine.game import Game
from contree.engine.points import Points, card_points_of, taken_points
from contree.engine.rules import RuleSet
from contree.engine.table import SEATS, Seat, Team
from contree.engine.trick import Trick

__all__ = ["PublicView", "View", "project", "spectate"]


class View(NamedTuple):
    """What one seat knows. Pairs are (North-South, East-West)."""

    rules: RuleSet
    seat: Seat
    dealer: Seat
    number: int
    """The number of the deal in its match, from 1."""
    hand: tuple[Card, ...]
    """The cards the seat still holds, lowest index first."""
    calls: tuple[PlacedCall, ...]
    """The public calls in order."""
    contract: Contract | None
    """The standing contract; final when ``auction_over``."""
    auction_over: bool
    trick: Trick | None
    """The current trick with the cards played so far, maybe none; None outside the card play."""
    tricks: tuple[Trick, ...]
    """The finished tricks."""
    winners: tuple[Seat, ...]
    """Who won each finished trick."""
    scores: tuple[int, int]
    """The match scores before this deal."""
    belotes: tuple[Seat, ...]
    """Who has said belote so far, in order; once for each suit at tout-atout."""
    kind: DecisionKind | None
    """What the seat is asked for now; None when it is not asked."""
    legal: tuple[Action, ...]
    """What the seat may do now; empty when it is not asked."""

    @property
    def strain(self) -> Strain | None:
        """The strain of the standing contract, None without a bid."""
        return None if self.contract is None else self.contract.strain

    @property
    def trump(self) -> Suit | None:
        """The trump suit of the standing contract; None without a bid, at sans-atout and at
        tout-atout.
        """
        return None if self.contract is None else self.contract.strain.suit

    @property
    def partner(self) -> Seat:
        """The seat across the table."""
        return self.seat.partner

    @property
    def team(self) -> Team:
        """The seat's pair."""
        return self.seat.team

    @property
    def holder(self) -> Seat | None:
        """The seat that holds the current trick so far; None before its first card."""
        contract, trick = self.contract, self.trick
        if contract is None or trick is None or not trick.cards:
            return None
        return trick.winner(contract.strain, self.rules.turn_direction)

    def takes(self, card: Card) -> bool:
        """Whether the current trick would be the seat's with this card, as far as it goes."""
        contract, trick = self.contract, self.trick
        if contract is None or trick is None:
            return False
        with_it = trick.with_card(card)
        return with_it.winner(contract.strain, self.rules.turn_direction) is self.seat

    @property
    def cards_played(self) -> int:
        """All cards played so far by anyone, as a mask."""
        current = 0 if self.trick is None else mask_of(self.trick.cards)
        return current | sum(mask_of(trick.cards) for trick in self.tricks)

    @property
    def points_taken(self) -> tuple[Points, Points]:
        """Card points in the finished tricks, with those of the last trick once it is played,
        without belote: (North-South, East-West).
        """
        if self.contract is None or not self.tricks:
            return (0, 0)
        won = [0, 0]
        for seat, trick in zip(self.winners, self.tricks, strict=True):
            won[seat & 1] |= mask_of(trick.cards)
        rules, strain = self.rules, self.contract.strain
        if len(self.tricks) == 8:
            by_seat = [self.winners.count(seat) for seat in SEATS]
            return taken_points(rules, strain, (won[0], won[1]), by_seat, self.winners[-1])
        return card_points_of(rules, strain, won[0]), card_points_of(rules, strain, won[1])


class PublicView(NamedTuple):
    """What everybody may see of a match. Pairs are (North-South, East-West)."""

    rules: RuleSet
    dealer: Seat
    number: int
    """The number of the deal in its match, from 1."""
    phase: Phase
    calls: tuple[PlacedCall, ...]
    contract: Contract | None
    """The standing contract; final when ``auction_over``."""
    auction_over: bool
    asked: tuple[Seat, ...]
    """The seats of the current step: in a contre window all it asks, answered or not."""
    trick: Trick | None
    tricks: tuple[Trick, ...]
    winners: tuple[Seat, ...]
    scores: tuple[int, int]
    """The match scores: before this deal, or with it once the match is over."""
    belotes: tuple[Seat, ...]
    result: DealResult | None
    """The result of this deal once it is done."""


def project(state: Deal | Game, seat: Seat) -> View:
    """The view of this seat. A bare deal counts as number 1 of a match at 0-0; a match that is over
    shows its last deal and the final scores.
    """
    deal, number, scores = _current(state)
    auction, past = deal.auction, deal.past
    return View(
        auction.rules,
        seat,
        auction.dealer,
        number,
        cards_in(deal.dealt[seat] & deal.unplayed),
        auction.calls,
        auction.contract,
        not auction.owed,
        deal.trick,
        past.tricks,
        past.winners,
        scores,
        past.belotes,
        deal.decision_kind(seat),
        deal.legal_actions(seat),
    )


def spectate(state: Deal | Game) -> PublicView:
    """The public view; of a match that is over, of its last deal."""
    deal, number, scores = _current(state)
    auction, past = deal.auction, deal.past
    return PublicView(
        auction.rules,
        auction.dealer,
        number,
        deal.phase,
        auction.calls,
        auction.contract,
        not auction.owed,
        auction.asked if deal.setting is None else deal.owed,
        deal.trick,
        past.tricks,
        past.winners,
        scores,
        past.belotes,
        deal.result,
    )


def _current(state: Deal | Game) -> tuple[Deal, int, tuple[int, int]]:
    if isinstance(state, Deal):
        return state, 1, (0, 0)
    # Deals are counted within the match: a board's own number would tell the players of its second
    # table that they have seen these cards before.
    if state.deal is None:
        return state.finished[-1], len(state.finished), state.scores
    return state.deal, len(state.finished) + 1, state.scores
