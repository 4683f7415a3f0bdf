"""The auction: who speaks, what may be said, and which contract comes out.

Three timings of the contre (``RuleSet.contre_timing``):

- *own turn* (FFB): contre is a call at one's own turn. It freezes the bidding: the three players
  after it say pass, the takers pass or surcontre; a surcontre ends the auction at once.
- *any moment*: besides, the opponent who is not next to speak is asked for contre or decline right
  after each bid. A contre, whenever it comes, opens a window in which both takers are asked.
- *after the auction*: contre is no call of the bidding. When three have passed, both opponents are
  asked, then, after a contre, both takers.

A window asks its seats at the same time and is resolved when all have answered; until then its
answers are private to those who gave them. When both say yes, the first in turn order counts:
counted from the taker for a contre, from the player who said contre for a surcontre.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple

from contree.engine.actions import (
    CONTRE,
    DECLINE,
    PASS,
    SURCONTRE,
    Action,
    Bid,
    Call,
    Level,
    Say,
)
from contree.engine.cards import Strain
from contree.engine.contract import Contract, Doubling
from contree.engine.errors import IllegalAction
from contree.engine.options import ContreTiming
from contree.engine.rules import RuleSet
from contree.engine.table import FOLLOWING, SEATS, Seat

__all__ = ["Auction", "DecisionKind", "PlacedCall"]


class DecisionKind(Enum):
    """What a seat is asked for."""

    CALL = "call"
    """To speak at its turn in the auction."""
    CONTRE = "contre"
    """Contre or decline, in a window."""
    SURCONTRE = "surcontre"
    """Surcontre or decline, in a window."""
    CARD = "card"
    """To play a card."""


class PlacedCall(NamedTuple):
    """A call and who said it."""

    seat: Seat
    call: Call

    def __str__(self) -> str:
        return f"{self.seat}:{self.call}"


class BiddingTable(NamedTuple):
    """What can be said above each rung of a ladder; indexed by rung, the last entry (-1) being that
    before any bid.
    """

    plain: tuple[tuple[Call, ...], ...]
    with_contre: tuple[tuple[Call, ...], ...]

    def __repr__(self) -> str:
        return f"<BiddingTable of {len(self.plain) - 1} levels>"


class Auction(NamedTuple):
    """An auction under way or ended; ``after`` gives the next one.

    ``asked`` are the seats of the current step, ``owed`` those of them that have not answered yet;
    both are empty when the auction is over. ``answers`` are the private answers to an open window.
    """

    rules: RuleSet
    dealer: Seat
    following: tuple[Seat, Seat, Seat, Seat]
    """The next seat in turn, by ``Seat``."""
    bidding: BiddingTable
    calls: tuple[PlacedCall, ...]
    """The public calls in order; a decline is never public."""
    kind: DecisionKind
    """What the owed seats are asked for."""
    asked: tuple[Seat, ...]
    owed: tuple[Seat, ...]
    turn: Seat
    """Whose turn to speak it is, or will be when an open window is closed."""
    passes: int
    """Passes since the last bid or contre."""
    contract: Contract | None
    """The standing contract, final when ``over``; None before any bid."""
    rung: int
    """Place of the standing bid on the ladder from 0; -1 without a bid."""
    answers: tuple[PlacedCall, ...]
    """What the seats that are asked have answered; private until all have."""

    @classmethod
    def start(cls, rules: RuleSet, dealer: Seat) -> Auction:
        """The auction before the first call; the seat after the dealer speaks first."""
        following = FOLLOWING[rules.turn_direction]
        first = following[dealer]
        return cls(
            rules,
            dealer,
            following,
            _bidding_table(rules.ladder, rules.strains),
            (),  # calls
            _CALL,
            _ALONE[first],  # asked
            _ALONE[first],  # owed
            first,  # turn
            0,  # passes
            None,  # contract
            -1,  # rung
            (),  # answers
        )

    @property
    def over(self) -> bool:
        """True when nobody is asked any more."""
        return not self.owed

    @property
    def passed_out(self) -> bool:
        """True when the auction ended without a bid."""
        return not self.owed and self.contract is None

    def decision_kind(self, seat: Seat) -> DecisionKind | None:
        """What this seat is asked for now, None when it owes nothing."""
        return self.kind if seat in self.owed else None

    def legal_calls(self, seat: Seat) -> tuple[Call, ...]:
        """What this seat may say now: pass, contre or surcontre, bids from low to high; or, in a
        window, yes and decline. Empty when the seat owes nothing.
        """
        if seat not in self.owed:
            return ()
        kind = self.kind
        if kind is not _CALL:
            return _CONTRE_OR_DECLINE if kind is _CONTRE else _SURCONTRE_OR_DECLINE
        contract = self.contract
        if contract is None:
            return self.bidding.plain[-1]
        takers = not (seat ^ contract.taker) & 1
        if contract.contre_by is not None:
            return _PASS_OR_SURCONTRE if takers else _PASS_ONLY
        if takers or self.rules.contre_timing is _AFTER_AUCTION:
            return self.bidding.plain[self.rung]
        return self.bidding.with_contre[self.rung]

    def after(self, seat: Seat, call: Action) -> Auction:
        """The auction after this call; IllegalAction when the seat does not owe it or the rules
        forbid it.
        """
        if seat not in self.owed:
            raise IllegalAction(call, self._nothing_owed(seat))
        if self.kind is not _CALL:
            return self._after_answer(seat, call)
        if call is PASS:
            return self._after_pass(seat)
        if type(call) is Bid:
            return self._after_bid(seat, call)
        if (call is CONTRE or call is SURCONTRE) and call in self.legal_calls(seat):
            return self._after_contre(seat, call)
        raise self._illegal(seat, call)

    # -- one step each -------------------------------------------------------------------------

    def _after_pass(self, seat: Seat) -> Auction:
        calls = (*self.calls, _PASSES[seat])
        passes = self.passes + 1
        contract = self.contract
        if passes < (4 if contract is None else 3):
            turn = self.following[seat]
            return self._asking(
                _ALONE[turn],
                _CALL,
                calls,
                turn=turn,
                passes=passes,
                contract=contract,
                rung=self.rung,
            )
        asked: tuple[Seat, ...] = ()
        if contract is not None and self.rules.contre_timing is _AFTER_AUCTION:
            asked = self._opponents(contract.taker)
        return self._asking(
            asked, _CONTRE, calls, turn=seat, passes=passes, contract=contract, rung=self.rung
        )

    def _after_bid(self, seat: Seat, bid: Bid) -> Auction:
        rules = self.rules
        level, strain = bid
        if level not in rules.ladder or strain not in rules.strains or type(strain) is not Strain:
            raise self._illegal(seat, bid)
        rung = rules.ladder.index(level)
        standing = self.contract
        if rung <= self.rung or (standing is not None and standing.contre_by is not None):
            raise self._illegal(seat, bid)
        contract = Contract(bid, seat)
        calls = (*self.calls, PlacedCall(seat, bid))
        turn = self.following[seat]
        if rules.contre_timing is _ANY_MOMENT:
            other = self.following[self.following[turn]]
            return self._asking(
                _ALONE[other], _CONTRE, calls, turn=turn, passes=0, contract=contract, rung=rung
            )
        return self._asking(
            _ALONE[turn], _CALL, calls, turn=turn, passes=0, contract=contract, rung=rung
        )

    def _after_contre(self, seat: Seat, say: Say) -> Auction:
        """A contre or a surcontre is recorded, said at one's turn or in a window."""
        calls = (*self.calls, PlacedCall(seat, say))
        turn = self.following[seat]
        assert self.contract is not None
        bid, taker, _, contre_by, _ = self.contract
        if say is SURCONTRE:
            contract = Contract(bid, taker, _DOUBLED_TWICE, contre_by, seat)
            return self._asking(
                (), _CALL, calls, turn=turn, passes=0, contract=contract, rung=self.rung
            )
        contract = Contract(bid, taker, _DOUBLED, seat, None)
        if self.rules.contre_timing is _OWN_TURN:
            return self._asking(
                _ALONE[turn], _CALL, calls, turn=turn, passes=0, contract=contract, rung=self.rung
            )
        takers = self._opponents(seat)
        return self._asking(
            takers, _SURCONTRE, calls, turn=turn, passes=0, contract=contract, rung=self.rung
        )

    def _after_answer(self, seat: Seat, call: Action) -> Auction:
        """An answer in a window; the last one resolves it."""
        say = CONTRE if self.kind is _CONTRE else SURCONTRE
        if call is not say and call is not DECLINE:
            raise self._illegal(seat, call)
        answers = (*self.answers, PlacedCall(seat, say if call is say else DECLINE))
        owed = tuple(other for other in self.owed if other is not seat)
        if owed:
            return self._replace(owed=owed, answers=answers)
        # `asked` is in turn order, so the first one who said yes is the one to record.
        willing = {placed.seat for placed in answers if placed.call is say}
        for asked in self.asked:
            if asked in willing:
                return self._after_contre(asked, say)
        goes_on = say is CONTRE and self.rules.contre_timing is _ANY_MOMENT
        return self._asking(
            _ALONE[self.turn] if goes_on else (),
            _CALL,
            self.calls,
            turn=self.turn,
            passes=self.passes,
            contract=self.contract,
            rung=self.rung,
        )

    def _asking(
        self,
        asked: tuple[Seat, ...],
        kind: DecisionKind,
        calls: tuple[PlacedCall, ...],
        *,
        turn: Seat,
        passes: int,
        contract: Contract | None,
        rung: int,
    ) -> Auction:
        """The same auction at its next question; over when it asks nobody."""
        rules, dealer, following, bidding, *_ = self
        # Building the tuple directly takes half the time of calling Auction.
        return tuple.__new__(
            Auction,
            (
                rules,
                dealer,
                following,
                bidding,
                calls,
                kind,
                asked,
                asked,  # owed: nobody has answered yet
                turn,
                passes,
                contract,
                rung,
                (),  # answers
            ),
        )

    def _opponents(self, seat: Seat) -> tuple[Seat, Seat]:
        """Both opponents of a seat, the first in turn order after it first."""
        following = self.following
        first = following[seat]
        return first, following[following[first]]

    # -- reasons for people --------------------------------------------------------------------

    def _nothing_owed(self, seat: Seat) -> str:
        if not self.owed:
            return "the auction is over"
        if seat in self.asked:
            return f"{_NAMES[seat]} has already answered"
        if self.kind is _CALL:
            return f"it is {_NAMES[self.owed[0]]}'s turn to speak"
        return f"{_NAMES[seat]} is not asked for a {self.kind.value} now"

    def _illegal(self, seat: Seat, call: object) -> IllegalAction:
        return IllegalAction(call, self._reason(seat, call), self.legal_calls(seat))

    def _reason(self, seat: Seat, call: object) -> str:
        if self.kind is not _CALL:
            return f"the question is {self.kind.value} or decline"
        if isinstance(call, Bid):
            return self._bid_reason(call)
        if call is DECLINE:
            return "nothing was asked that could be declined; say pass"
        if call is CONTRE:
            return self._contre_reason(seat)
        if call is SURCONTRE:
            if self.contract is None or self.contract.contre_by is None:
                return "only a contre can be answered with surcontre"
            return "only the takers may say surcontre"
        return "it is time to bid, not to play"

    def _bid_reason(self, bid: Bid) -> str:
        if self.contract is not None and self.contract.contre_by is not None:
            return "the contre has ended the bidding"
        if bid.level not in self.rules.ladder:
            return f"{bid.level} is no bid of these rules"
        if bid.strain not in self.rules.strains:
            return f"{bid.strain} is no strain of these rules"
        standing = None if self.contract is None else self.contract.level
        return f"{bid.level} does not outbid {standing}"

    def _contre_reason(self, seat: Seat) -> str:
        if self.contract is None:
            return "there is no bid to contre"
        if self.contract.contre_by is not None:
            return "the contract is contred already"
        if self.contract.team is seat.team:
            return "one cannot contre one's own side"
        return "these rules ask for a contre after the auction only"


# Members of enums by a short way: in Python 3.11 reading one from its class is slow.
_CALL: Final = DecisionKind.CALL
_CONTRE: Final = DecisionKind.CONTRE
_SURCONTRE: Final = DecisionKind.SURCONTRE
_OWN_TURN: Final = ContreTiming.OWN_TURN
_ANY_MOMENT: Final = ContreTiming.ANY_MOMENT
_AFTER_AUCTION: Final = ContreTiming.AFTER_AUCTION
_DOUBLED: Final = Doubling.CONTRE
_DOUBLED_TWICE: Final = Doubling.SURCONTRE
_ALONE: Final = tuple((seat,) for seat in SEATS)
_NAMES: Final = tuple(seat.name.capitalize() for seat in SEATS)
_PASS_ONLY: Final[tuple[Call, ...]] = (PASS,)
_PASS_OR_SURCONTRE: Final[tuple[Call, ...]] = (PASS, SURCONTRE)
_CONTRE_OR_DECLINE: Final[tuple[Call, ...]] = (CONTRE, DECLINE)
_SURCONTRE_OR_DECLINE: Final[tuple[Call, ...]] = (SURCONTRE, DECLINE)

_PASSES: Final = tuple(PlacedCall(seat, PASS) for seat in SEATS)


@lru_cache(maxsize=256)
def _bidding_table(ladder: tuple[Level, ...], strains: tuple[Strain, ...]) -> BiddingTable:
    bids = [tuple(Bid(level, strain) for strain in strains) for level in ladder]
    above = [sum(bids[rung + 1 :], ()) for rung in (*range(len(ladder)), -1)]
    return BiddingTable(
        tuple((PASS, *higher) for higher in above),
        tuple((PASS, CONTRE, *higher) for higher in above),
    )
