"""What a seat sees."""

from __future__ import annotations

from contree.engine.cards import mask_of
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
    SEAT_TO_PB,
    cards_from_pb,
    cards_to_pb,
    seat_from_pb,
    team_score_from_pb,
    team_score_to_pb,
)
from contree.wire.deal import trick_from_pb, trick_to_pb
from contree.wire.decision import Decision
from contree.wire.errors import WireError


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
    try:
        return _view(message, rules, decision)
    except WireError as error:
        raise error.within(field) from None


def _view(message: observation_pb2.SeatView, rules: RuleSet, decision: Decision | None) -> View:
    table = message.table
    if table.deal_number < 1:
        raise WireError("table.deal_number", "below 1")
    hand = cards_from_pb(message.hand, "hand")
    tricks, winners, seen = _tricks(table, mask_of(hand))
    contract = belotes = None
    if table.HasField("contract"):
        contract = contract_from_pb(table.contract, "table.contract")
    if table.belotes:
        belotes = tuple(seat_from_pb(number, "table.belotes") for number in table.belotes)
    return View(
        rules,
        seat_from_pb(message.seat),
        seat_from_pb(table.dealer, "table.dealer"),
        table.deal_number,
        hand,
        placed_calls_from_pb(table.calls, "table.calls"),
        contract,
        table.playing,
        _current_trick(table, seen) if table.HasField("trick") else None,
        tricks,
        winners,
        team_score_from_pb(table.scores),
        belotes or (),
        None if decision is None else decision.kind,
        () if decision is None else decision.legal,
    )


def _tricks(
    table: observation_pb2.TableView, seen: int
) -> tuple[tuple[Trick, ...], tuple[Seat, ...], int]:
    """The complete tricks, their winners, and the cards seen with them."""
    tricks: list[Trick] = []
    winners = []
    try:
        for message in table.tricks:
            trick, winner, mask = trick_from_pb(message)
            if winner is None:
                raise WireError("winner", "not given")
            if seen & mask:
                raise WireError("cards", "a card that is elsewhere, too")
            seen |= mask
            tricks.append(trick)
            winners.append(winner)
    except WireError as error:
        raise error.within(f"table.tricks[{len(tricks)}]") from None
    return tuple(tricks), tuple(winners), seen


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
