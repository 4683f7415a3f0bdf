"""What a seat sees."""

from __future__ import annotations

from typing import Final

from contree.engine.auction import PlacedCall
from contree.engine.cards import mask_of
from contree.engine.contract import Contract
from contree.engine.rules import RuleSet
from contree.engine.table import Seat
from contree.engine.trick import Trick
from contree.engine.view import View
from contree.v1 import observation_pb2
from contree.wire.auction import (
    contract_from_pb,
    contract_to_pb,
    placed_call_to_pb,
    placed_calls_from_pb,
)
from contree.wire.cards import (
    HAND_CARDS,
    SEAT_TO_PB,
    cards_from_pb,
    cards_to_pb,
    seat_from_pb,
    team_score_from_pb,
    team_score_to_pb,
)
from contree.wire.deal import trick_from_pb, trick_to_pb
from contree.wire.decision import Decision
from contree.wire.errors import WireError, at_most

_BELOTES: Final = 4
"""Where all suits are trumps there is one in each."""


def table_view_to_pb(view: View) -> observation_pb2.TableView:
    """The part of a view that everybody may see."""
    return observation_pb2.TableView(
        deal_number=view.number,
        dealer=SEAT_TO_PB[view.dealer],
        calls=[placed_call_to_pb(placed) for placed in view.calls],
        contract=None if view.contract is None else contract_to_pb(view.contract),
        playing=view.auction_over,
        tricks=[
            trick_to_pb(trick, winner)
            for trick, winner in zip(view.tricks, view.winners, strict=True)
        ],
        trick=None if view.trick is None else trick_to_pb(view.trick),
        scores=team_score_to_pb(view.scores),
        belotes=[SEAT_TO_PB[seat] for seat in view.belotes],
    )


def seat_view_to_pb(view: View) -> observation_pb2.SeatView:
    """All that a seat knows."""
    return observation_pb2.SeatView(
        seat=SEAT_TO_PB[view.seat], table=table_view_to_pb(view), hand=cards_to_pb(view.hand)
    )


def seat_view_from_pb(
    message: observation_pb2.SeatView,
    rules: RuleSet,
    decision: Decision | None = None,
    field: str = "view",
) -> View:
    """The view of a seat, with what it owes.

    WireError when it cannot be: a field out of range, a card in two places, tricks that are not
    complete. Whether the rules would have led there is not asked.
    """
    return ViewReader(rules).read(message, decision, field)


class ViewReader:
    """Reads the views of one seat of one match, one after the other.

    Faster than ``seat_view_from_pb``, for it reads once what does not change within a deal: the
    tricks that are complete and, once cards are played, the auction.
    """

    __slots__ = ("_auction", "_deal", "_played", "_rules", "_tricks", "_winners")

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules
        self._forget()

    def _forget(self) -> None:
        self._deal = 0
        """The number of the deal whose play was read; 0 for none."""
        self._auction: tuple[Seat, tuple[PlacedCall, ...], Contract | None] | None = None
        self._tricks: tuple[Trick, ...] = ()
        self._winners: tuple[Seat, ...] = ()
        self._played = 0
        """The cards of the complete tricks."""

    def read(
        self,
        message: observation_pb2.SeatView,
        decision: Decision | None = None,
        field: str = "view",
    ) -> View:
        """The next view; raises as ``seat_view_from_pb`` does."""
        try:
            return self._view(message, decision)
        except WireError as error:
            self._forget()
            raise error.within(field) from None

    def _view(self, message: observation_pb2.SeatView, decision: Decision | None) -> View:
        table = message.table
        number = table.deal_number
        if number < 1:
            raise WireError("table.deal_number", "below 1")
        if number != self._deal or len(table.tricks) < len(self._tricks):
            self._forget()
        dealer, calls, contract = self._auction or _auction(table, len(self._rules.ladder))
        if table.playing:
            self._deal = number
            self._auction = dealer, calls, contract
        if len(table.tricks) > len(self._tricks):
            self._read_tricks(table)
        hand = cards_from_pb(message.hand, "hand", HAND_CARDS)
        seen = mask_of(hand)
        if seen & self._played:
            raise WireError("hand", "a card that was played")
        at_most("table.belotes", table.belotes, _BELOTES)
        trick = None
        if table.HasField("trick"):
            trick = _current_trick(table, seen | self._played)
        return View(
            self._rules,
            seat_from_pb(message.seat),
            dealer,
            number,
            hand,
            calls,
            contract,
            table.playing,
            trick,
            self._tricks,
            self._winners,
            team_score_from_pb(table.scores),
            tuple([seat_from_pb(seat, "table.belotes") for seat in table.belotes]),
            None if decision is None else decision.kind,
            () if decision is None else decision.legal,
        )

    def _read_tricks(self, table: observation_pb2.TableView) -> None:
        at_most("table.tricks", table.tricks, HAND_CARDS)
        tricks, winners, played = list(self._tricks), list(self._winners), self._played
        try:
            for message in table.tricks[len(tricks) :]:
                trick, winner, mask = trick_from_pb(message)
                if winner is None:
                    raise WireError("winner", "not given")
                if played & mask:
                    raise WireError("cards", "a card that is elsewhere, too")
                played |= mask
                tricks.append(trick)
                winners.append(winner)
        except WireError as error:
            raise error.within(f"table.tricks[{len(tricks)}]") from None
        self._tricks, self._winners, self._played = tuple(tricks), tuple(winners), played


def _auction(
    table: observation_pb2.TableView, levels: int
) -> tuple[Seat, tuple[PlacedCall, ...], Contract | None]:
    """The dealer, the calls and the contract that stands."""
    contract = None
    if table.HasField("contract"):
        contract = contract_from_pb(table.contract, "table.contract")
    return (
        seat_from_pb(table.dealer, "table.dealer"),
        placed_calls_from_pb(table.calls, "table.calls", levels),
        contract,
    )


def _current_trick(table: observation_pb2.TableView, seen: int) -> Trick:
    try:
        trick, winner, mask = trick_from_pb(table.trick)
        if winner is not None:
            raise WireError("winner", "given, though it is the trick in progress")
        if seen & mask:
            raise WireError("cards", "a card that is elsewhere, too")
    except WireError as error:
        raise error.within("table.trick") from None
    return trick
