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
from typing import Final, NamedTuple

from contree.engine.actions import (
    CONTRE,
    DECLINE,
    PASS,
    SURCONTRE,
    Action,
    Bid,
    Call,
    Say,
)
from contree.engine.bidding import Offer, PlacedCall
from contree.engine.cards import Strain
from contree.engine.contract import Contract, Doubling
from contree.engine.named import new
from contree.engine.options import ContreTiming
from contree.engine.refusals import refused_call
from contree.engine.rules import RuleSet
from contree.engine.table import SEATS, Seat

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


class Auction(NamedTuple):
    """An auction under way or ended; ``after`` gives the next one.

    ``asked`` are the seats of the current step, ``owed`` those of them that have not answered yet;
    both are empty when the auction is over. ``answers`` are the private answers to an open window.
    """

    rules: RuleSet
    dealer: Seat
    calls: tuple[PlacedCall, ...]
    """The public calls in order; a decline is never public."""
    kind: DecisionKind
    """What the owed seats are asked for."""
    asked: tuple[Seat, ...]
    owed: tuple[Seat, ...]
    choices: tuple[Call, ...]
    """What each of the owed seats may say."""
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
        first = rules.following[dealer]
        owed = _ALONE[first]
        return new(
            Auction,
            (
                rules,
                dealer,
                (),  # calls
                _CALL,
                owed,  # asked
                owed,
                rules.bidding.to_takers[-1],  # choices
                first,  # turn
                0,  # passes
                None,  # contract
                -1,  # rung
                (),  # answers
            ),
        )

    @property
    def over(self) -> bool:
        """True when nobody is asked any more."""
        return not self.owed

    @property
    def passed_out(self) -> bool:
        """True when the auction ended without a bid."""
        return not self.owed and self.contract is None

    @property
    def at_a_turn(self) -> bool:
        """True where a seat speaks at its turn, False in a window."""
        return self.kind is _CALL

    def decision_kind(self, seat: Seat) -> DecisionKind | None:
        """What this seat is asked for now, None when it owes nothing."""
        return self.kind if seat in self.owed else None

    def legal_calls(self, seat: Seat) -> tuple[Call, ...]:
        """What this seat may say now: pass, contre or surcontre, bids from low to high; or, in a
        window, yes and decline. Empty when the seat owes nothing.
        """
        return self.choices if seat in self.owed else ()

    def after(self, seat: Seat, call: Action) -> Auction:
        """The auction after this call; IllegalAction when the seat does not owe it or the rules
        forbid it.
        """
        (
            rules,
            dealer,
            calls,
            kind,
            _,
            owed,
            choices,
            turn,
            passes,
            contract,
            rung,
            answers,
        ) = self
        if seat not in owed:
            raise refused_call(self, seat, call)
        if kind is not _CALL:
            return self._after_answer(seat, call)
        following = rules.following
        turn = following[seat]
        if call is PASS:
            calls += (_PASSES[seat],)
            passes += 1
            if passes == (4 if contract is None else 3):
                return self._after_last_pass(calls)
        elif type(call) is Bid:
            offer = self._offer(seat, call)
            rung = offer.rung
            calls += (offer.calls[seat],)
            contract = offer.contracts[seat]
            passes = 0
            if rules.contre_timing is _ANY_MOMENT:
                other = _ALONE[following[following[turn]]]
                return self._asking(_CONTRE, other, calls, turn, contract)
        elif (call is CONTRE or call is SURCONTRE) and call in choices:
            return self._after_contre(seat, call)
        else:
            raise refused_call(self, seat, call)
        owed = _ALONE[turn]
        choices = rules.bidding.choices(turn, contract, rung)
        return new(
            Auction,
            (
                rules,
                dealer,
                calls,
                kind,
                owed,  # asked
                owed,
                choices,
                turn,
                passes,
                contract,
                rung,
                answers,
            ),
        )

    # -- steps other than a pass or a bid -------------------------------------------------------

    def _offer(self, seat: Seat, bid: Bid) -> Offer:
        """What this bid is at this table; IllegalAction when it cannot be made now."""
        offer = self.rules.bidding.offers.get(bid)
        contract = self.contract
        if (
            offer is None
            or offer.rung <= self.rung
            or (contract is not None and contract.contre_by is not None)
            or type(bid.strain) is not Strain
        ):
            raise refused_call(self, seat, bid)
        return offer

    def _after_last_pass(self, calls: tuple[PlacedCall, ...]) -> Auction:
        """Three passes after a bid or a contre, or four in all."""
        asked: tuple[Seat, ...] = ()
        if self.contract is not None and self.rules.contre_timing is _AFTER_AUCTION:
            asked = self._opponents(self.contract.taker)
        return self._asking(_CONTRE, asked, calls, self.turn, self.contract)

    def _after_contre(self, seat: Seat, say: Say) -> Auction:
        """A contre or a surcontre is recorded, said at one's turn or in a window."""
        turn = self.rules.following[seat]
        assert self.contract is not None
        bid, taker, _, contre_by, _ = self.contract
        if say is SURCONTRE:
            calls = (*self.calls, _SURCONTRES[seat])
            contract = new(Contract, (bid, taker, _DOUBLED_TWICE, contre_by, seat))
            return self._asking(_CALL, (), calls, turn, contract)
        calls = (*self.calls, _CONTRES[seat])
        contract = new(Contract, (bid, taker, _DOUBLED, seat, None))
        if self.rules.contre_timing is _OWN_TURN:
            return self._asking(_CALL, _ALONE[turn], calls, turn, contract)
        return self._asking(_SURCONTRE, self._opponents(seat), calls, turn, contract)

    def _after_answer(self, seat: Seat, call: Action) -> Auction:
        """An answer in a window; the last one resolves it."""
        say = CONTRE if self.kind is _CONTRE else SURCONTRE
        if call is not say and call is not DECLINE:
            raise refused_call(self, seat, call)
        answers = (*self.answers, PlacedCall(seat, say if call is say else DECLINE))
        owed = tuple(other for other in self.owed if other is not seat)
        if owed:
            return self._replace(owed=owed, answers=answers)
        # `asked` is in turn order, so the first one who said yes is the one to record.
        willing = {placed.seat for placed in answers if placed.call is say}
        for other in self.asked:
            if other in willing:
                return self._after_contre(other, say)
        goes_on = say is CONTRE and self.rules.contre_timing is _ANY_MOMENT
        asked: tuple[Seat, ...] = _ALONE[self.turn] if goes_on else ()
        return self._asking(_CALL, asked, self.calls, self.turn, self.contract)

    def _asking(
        self,
        kind: DecisionKind,
        asked: tuple[Seat, ...],
        calls: tuple[PlacedCall, ...],
        turn: Seat,
        contract: Contract | None,
    ) -> Auction:
        """The same auction at another kind of question; over when it asks nobody."""
        rules = self.rules
        rung = -1 if contract is None else rules.bidding.offers[contract.bid].rung
        if not asked:
            choices: tuple[Call, ...] = ()
        elif kind is _CALL:
            choices = rules.bidding.choices(turn, contract, rung)
        else:
            choices = _CONTRE_OR_DECLINE if kind is _CONTRE else _SURCONTRE_OR_DECLINE
        return new(
            Auction,
            (
                rules,
                self.dealer,
                calls,
                kind,
                asked,
                asked,  # owed: nobody has answered yet
                choices,
                turn,
                0,  # passes
                contract,
                rung,
                (),  # answers
            ),
        )

    def _opponents(self, seat: Seat) -> tuple[Seat, Seat]:
        """Both opponents of a seat, the first in turn order after it first."""
        following = self.rules.following
        first = following[seat]
        return first, following[following[first]]


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
_CONTRE_OR_DECLINE: Final[tuple[Call, ...]] = (CONTRE, DECLINE)
_SURCONTRE_OR_DECLINE: Final[tuple[Call, ...]] = (SURCONTRE, DECLINE)

_PASSES: Final = tuple(PlacedCall(seat, PASS) for seat in SEATS)
_CONTRES: Final = tuple(PlacedCall(seat, CONTRE) for seat in SEATS)
_SURCONTRES: Final = tuple(PlacedCall(seat, SURCONTRE) for seat in SEATS)
