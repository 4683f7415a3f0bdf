"""One deal: dealt hands, auction, card play, result; an immutable value that ``apply`` moves on."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Final, NamedTuple

from contree.engine.actions import Action
from contree.engine.auction import Auction, DecisionKind
from contree.engine.cards import ALL_CARDS, cards_in
from contree.engine.contract import Contract
from contree.engine.errors import DeckError
from contree.engine.play import Play
from contree.engine.points import Points, taken_points
from contree.engine.rules import RuleSet
from contree.engine.scoring import Score, score, tally
from contree.engine.table import SEATS, Seat, Team

__all__ = ["PASSED_OUT", "Deal", "DealResult", "DecisionKind", "Phase", "Points", "check_hands"]


class Phase(Enum):
    """Where a deal stands."""

    AUCTION = "auction"
    PLAY = "play"
    DONE = "done"


class DealResult(NamedTuple):
    """How a deal ended. Pairs are (North-South, East-West)."""

    contract: Contract | None
    """None: the deal was passed out."""
    points: tuple[Points, Points]
    """Card points taken, with those of the last trick, without belote."""
    tricks: tuple[int, int]
    belotes: tuple[int, int]
    """Belotes that count, 20 points each."""
    score: Score | None
    """The marks from the takers' side, with their parts; None when passed out."""
    marks: tuple[int, int]
    """What each pair adds to its match score."""

    @property
    def winner(self) -> Team | None:
        """The pair that won the contract: the takers if they made it, else the defence; None when
        the deal was passed out.
        """
        if self.contract is None or self.score is None:
            return None
        return self.contract.team if self.score.made else self.contract.defence


class Deal(NamedTuple):
    """A deal under way or done."""

    rules: RuleSet
    dealer: Seat
    dealt: tuple[int, int, int, int]
    """The hand each seat was dealt, as masks by ``Seat``."""
    auction: Auction
    play: Play | None
    """None before and without card play."""
    result: DealResult | None
    """Set when the deal is done."""
    owed: tuple[Seat, ...]
    """The seats that must act now: one, or several in a contre window; empty when done."""

    @classmethod
    def start(cls, rules: RuleSet, dealer: Seat, hands: Sequence[int]) -> Deal:
        """The deal before the first call.

        ``hands`` are four masks of eight cards by ``Seat``. DeckError when they are no deal.
        """
        auction = Auction.start(rules, dealer)
        return cls(rules, dealer, check_hands(hands), auction, None, None, auction.owed)

    @property
    def phase(self) -> Phase:
        """Where the deal stands."""
        if self.result is not None:
            return Phase.DONE
        return Phase.AUCTION if self.play is None else Phase.PLAY

    @property
    def hands(self) -> tuple[int, int, int, int]:
        """The cards each seat still holds, as masks by ``Seat``."""
        return self.dealt if self.play is None else self.play.hands

    @property
    def contract(self) -> Contract | None:
        """The standing contract, final once the auction is over."""
        return self.auction.contract if self.play is None else self.play.contract

    def decision_kind(self, seat: Seat) -> DecisionKind | None:
        """What this seat is asked for now, None when it owes nothing."""
        if self.play is None:
            return self.auction.decision_kind(seat)
        return DecisionKind.CARD if seat in self.owed else None

    def legal_actions(self, seat: Seat) -> tuple[Action, ...]:
        """What this seat may do now; empty when it owes nothing."""
        if self.play is None:
            return self.auction.legal_calls(seat)
        return self.play.legal_actions(seat)

    def apply(self, seat: Seat, action: Action) -> Deal:
        """The deal after this action; IllegalAction when the seat does not owe it or the rules
        forbid it.
        """
        rules, dealer, dealt, auction, play, result, owed = self
        if play is not None:
            play = play.after(seat, action)
            if play.unplayed:
                owed = _ALONE[play.turn]
            else:
                result, owed = _played_out(play), ()
        else:
            auction = auction.after(seat, action)
            owed = auction.owed
            if not owed:
                contract = auction.contract
                if contract is None:
                    result = PASSED_OUT
                else:
                    leader = rules.turn_direction.next(dealer)
                    play = Play.start(rules, contract, leader, dealt)
                    owed = _ALONE[leader]
        return tuple.__new__(Deal, (rules, dealer, dealt, auction, play, result, owed))


PASSED_OUT: Final = DealResult(None, (0, 0), (0, 0), (0, 0), None, (0, 0))
"""The result of a deal that all four passed."""

_ALONE: Final = tuple((seat,) for seat in SEATS)


def _played_out(play: Play) -> DealResult:
    """The result after the eighth trick."""
    contract, winners = play.contract, play.winners
    by_seat = [winners.count(seat) for seat in SEATS]
    points = taken_points(play.rules, play.strain, play.taken, by_seat, winners[-1])
    belotes = play.belotes_counted()
    summary = tally(contract, points, by_seat, belotes)
    scored = score(play.rules, contract.level, play.strain, contract.doubling, summary)
    if contract.team is Team.NORTH_SOUTH:
        marks = (scored.taker, scored.defence)
    else:
        marks = (scored.defence, scored.taker)
    tricks = (by_seat[0] + by_seat[2], by_seat[1] + by_seat[3])
    return DealResult(contract, points, tricks, belotes, scored, marks)


def check_hands(hands: Sequence[int]) -> tuple[int, int, int, int]:
    """The hands, if they deal the pack to four seats by eight cards; DeckError otherwise."""
    if len(hands) != 4:
        raise DeckError(f"a deal has four hands, not {len(hands)}")
    north, east, south, west = hands
    seen = 0
    for seat, hand in zip(SEATS, hands, strict=True):
        if not 0 <= hand <= ALL_CARDS:
            raise DeckError(f"{seat.name.capitalize()}'s hand is no set of cards")
        if hand & seen:
            raise DeckError("dealt twice", cards_in(hand & seen))
        if hand.bit_count() != 8:
            raise DeckError(
                f"{seat.name.capitalize()} holds {hand.bit_count()} cards, not 8", cards_in(hand)
            )
        seen |= hand
    return north, east, south, west
