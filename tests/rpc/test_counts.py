"""Requests whose lists are longer than any honest one are refused by the count."""

from __future__ import annotations

from typing import Any

import grpc
import pytest

from contree.server.rpc.interceptors import MAX_REQUEST
from contree.v1 import (
    auction_pb2,
    deal_pb2,
    match_pb2,
    match_service_pb2,
    rules_service_pb2,
    rules_service_pb2_grpc,
)

NOBODY: Any = 0
HOUSE = [match_pb2.SeatSpec(seat=seat, house="random") for seat in (1, 2, 3, 4)]  # type: ignore[arg-type]


def _board(**fields: Any) -> match_service_pb2.CreateMatchRequest:
    fields = {"seats": HOUSE, **fields}
    return match_service_pb2.CreateMatchRequest(board=match_pb2.BoardMode(number=1), **fields)


def _fixed(*hands: deal_pb2.Hand) -> match_pb2.DealSource:
    return match_pb2.DealSource(fixed=match_pb2.FixedDeal(dealer=1, hands=hands))  # type: ignore[arg-type]


TOO_MANY = {
    "labels: 9 are given, at most 8": _board(labels=[""] * 9),
    "seats: 5 are given, at most 4": _board(seats=[match_pb2.SeatSpec()] * 5),
    "deals.fixed.hands: 5 are given, at most 4": _board(deals=_fixed(*[deal_pb2.Hand()] * 5)),
    "deals.fixed.hands[0].cards: 9 are given, at most 8": _board(
        deals=_fixed(deal_pb2.Hand(seat=1, cards=[NOBODY] * 9))  # type: ignore[arg-type]
    ),
}


@pytest.mark.parametrize("counted", TOO_MANY)
async def test_a_match_with_too_many_of_anything_is_refused(matches: Any, counted: str) -> None:
    """Each element is faulty, too, and would be named if it were looked at."""
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await matches.CreateMatch(TOO_MANY[counted])
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert (refused.value.details() or "").startswith(counted)


async def test_a_view_with_too_many_calls_is_refused(channel: grpc.aio.Channel) -> None:
    rules: Any = rules_service_pb2_grpc.RulesServiceStub(channel)
    request = rules_service_pb2.GetLegalActionsRequest(
        rules=rules_service_pb2.RulesRef(preset="ffb-mixte")
    )
    request.view.table.deal_number = 1
    request.view.table.dealer = NOBODY + 1
    request.view.table.calls.extend([auction_pb2.PlacedCall()] * 400)
    with pytest.raises(grpc.aio.AioRpcError, match=r"view\.table\.calls: 400 are given") as refused:
        await rules.GetLegalActions(request)
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_a_request_that_is_too_long_is_not_even_parsed(channel: grpc.aio.Channel) -> None:
    """It would be told that it cannot be parsed."""
    call: Any = channel.unary_unary("/contree.v1.MatchService/CreateMatch")
    for size, told in ((MAX_REQUEST, "pars"), (MAX_REQUEST + 1, "request: 65537 bytes are given")):
        with pytest.raises(grpc.aio.AioRpcError, match=told) as refused:
            await call(bytes([255]) * size)
        assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
