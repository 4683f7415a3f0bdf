"""Lists are counted before they are read: a message has room for a million of anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from contree.engine import (
    CONTRE,
    DECLINE,
    PASS,
    PRESET_NAMES,
    SURCONTRE,
    Bid,
    Call,
    Seat,
    preset,
)
from contree.engine.auction import Auction, PlacedCall
from contree.v1 import auction_pb2, deal_pb2, match_pb2, observation_pb2
from contree.wire import (
    WireError,
    cards_from_pb,
    fixed_deal_from_pb,
    hands_from_pb,
    placed_call_to_pb,
    placed_calls_from_pb,
    seat_view_from_pb,
)
from contree.wire.auction import most_calls

RULES = preset("ffb-mixte")
NOBODY: Any = 0
"""No seat, no card: an element that is refused by its own name as soon as it is read."""


def _view(change: Callable[[observation_pb2.SeatView], object]) -> Any:
    view = observation_pb2.SeatView(seat=1)  # type: ignore[arg-type]
    view.table.deal_number = 1
    view.table.dealer = 1  # type: ignore[assignment]
    change(view)
    return seat_view_from_pb(view, RULES)


def _fixed(hands: list[deal_pb2.Hand]) -> Any:
    return fixed_deal_from_pb(match_pb2.FixedDeal(dealer=1, hands=hands))  # type: ignore[arg-type]


CALLS = most_calls(len(RULES.ladder))
TOO_MANY: dict[str, tuple[Callable[[], Any], str, int]] = {
    "calls of a view": (
        lambda: _view(lambda view: view.table.calls.extend([auction_pb2.PlacedCall()] * 400)),
        "view.table.calls: 400 are given",
        CALLS,
    ),
    "calls, one too many": (
        lambda: _view(
            lambda view: view.table.calls.extend([auction_pb2.PlacedCall()] * (CALLS + 1))
        ),
        f"view.table.calls: {CALLS + 1} are given",
        CALLS,
    ),
    "calls of any rules": (
        lambda: placed_calls_from_pb([auction_pb2.PlacedCall()] * 5000),
        "calls: 5000 are given",
        most_calls(992),
    ),
    "tricks": (
        lambda: _view(lambda view: view.table.tricks.extend([deal_pb2.Trick()] * 9)),
        "view.table.tricks: 9 are given",
        8,
    ),
    "belotes": (
        lambda: _view(lambda view: view.table.belotes.extend([NOBODY] * 5)),
        "view.table.belotes: 5 are given",
        4,
    ),
    "hand of a view": (
        lambda: _view(lambda view: view.hand.extend([NOBODY] * 9)),
        "view.hand: 9 are given",
        8,
    ),
    "cards of a trick that is over": (
        lambda: _view(lambda view: view.table.tricks.add().cards.extend([NOBODY] * 5)),
        "view.table.tricks[0].cards: 5 are given",
        4,
    ),
    "cards of a trick": (
        lambda: _view(lambda view: view.table.trick.cards.extend([NOBODY] * 5)),
        "view.table.trick.cards: 5 are given",
        4,
    ),
    "cards of anything": (lambda: cards_from_pb([NOBODY] * 33), "cards: 33 are given", 32),
    "hands": (lambda: hands_from_pb([deal_pb2.Hand()] * 5), "hands: 5 are given", 4),
    "hands of a deal": (lambda: _fixed([deal_pb2.Hand()] * 5), "fixed.hands: 5 are given", 4),
    "cards of a hand": (
        lambda: _fixed([deal_pb2.Hand(seat=1, cards=[NOBODY] * 9)]),  # type: ignore[arg-type]
        "fixed.hands[0].cards: 9 are given",
        8,
    ),
}


@pytest.mark.parametrize("case", TOO_MANY)
def test_a_list_that_is_too_long_is_refused_before_it_is_read(case: str) -> None:
    """Each of its elements is faulty, too, and would be named if it were looked at."""
    decode, counted, most = TOO_MANY[case]
    with pytest.raises(WireError) as refused:
        decode()
    assert str(refused.value) == f"{counted}, at most {most} are taken"


def _longest(name: str) -> tuple[PlacedCall, ...]:
    """An auction in which everybody waits as long as the auction lives, then says the least."""
    auction = Auction.start(preset(name), Seat.NORTH)
    while not auction.over:
        seat = auction.owed[0]
        legal = auction.legal_calls(seat)
        bids = [call for call in auction.choices if isinstance(call, Bid)]
        highest = auction.rung == len(auction.rules.ladder) - 1
        call: Call
        if not auction.at_a_turn:
            yes = CONTRE if CONTRE in legal else SURCONTRE
            call = yes if highest else DECLINE
        elif auction.passes < (3 if auction.contract is None else 2):
            call = PASS
        elif bids:
            call = bids[0]
        else:
            call = next((say for say in (CONTRE, SURCONTRE) if say in legal), PASS)
        auction = auction.after(seat, call)
    return auction.calls


@pytest.mark.parametrize("name", PRESET_NAMES)
def test_the_longest_auction_there_is_can_be_read(name: str) -> None:
    calls = _longest(name)
    levels = len(preset(name).ladder)
    assert len(calls) > 3 * levels
    messages = [placed_call_to_pb(placed) for placed in calls]
    assert placed_calls_from_pb(messages, levels=levels) == calls


def test_the_bound_is_the_longest_auction() -> None:
    assert len(_longest("ffb-mixte")) == CALLS
