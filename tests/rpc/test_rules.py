"""RulesService against a real server: it says what the engine says."""

from __future__ import annotations

import random
from typing import Any

import grpc
import pytest

from contree.engine import PRESET_NAMES, Deal, SeededDeals, preset, project
from contree.v1 import auction_pb2, card_pb2, rules_service_pb2, rules_service_pb2_grpc, table_pb2
from contree.wire import action_from_pb, seat_view_to_pb


@pytest.fixture
def rules(channel: grpc.aio.Channel) -> Any:
    return rules_service_pb2_grpc.RulesServiceStub(channel)


async def test_the_presets_are_listed(rules: Any) -> None:
    listed = await rules.ListPresets(rules_service_pb2.ListPresetsRequest())
    assert [one.name for one in listed.presets] == list(PRESET_NAMES)


async def test_legal_actions_of_a_view_are_those_of_its_deal(rules: Any) -> None:
    chooser = random.Random(4)
    for name in ("ffb-mixte", "coinche-classique"):
        variant = preset(name)
        dealer, hands = SeededDeals(bytes(32)).board(1, variant)
        deal = Deal.start(variant, dealer, hands)
        while deal.owed:
            seat = deal.owed[0]
            view = project(deal, seat)
            answer = await rules.GetLegalActions(
                rules_service_pb2.GetLegalActionsRequest(
                    rules=rules_service_pb2.RulesRef(preset=name), view=seat_view_to_pb(view)
                )
            )
            assert tuple(action_from_pb(action) for action in answer.actions) == view.legal
            deal = deal.apply(seat, chooser.choice(view.legal[:6]))


def _deal(**fields: Any) -> rules_service_pb2.ScoreDealRequest:
    request = rules_service_pb2.ScoreDealRequest(
        rules=rules_service_pb2.RulesRef(preset="ffb-mixte"),
        bid=auction_pb2.Bid(level=table_pb2.Level(points=110), strain=card_pb2.STRAIN_HEARTS),
        doubling=auction_pb2.DOUBLING_CONTRE,
        taker_points=117,
        defence_points=45,
    )
    request.MergeFrom(rules_service_pb2.ScoreDealRequest(**fields))
    return request


async def test_a_deal_is_scored(rules: Any) -> None:
    marks = await rules.ScoreDeal(_deal())  # 003, example 3
    assert (marks.made, marks.taker, marks.defence) == (True, 540, 0)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"rules": rules_service_pb2.RulesRef(preset="nope")}, "preset"),
        ({"bid": auction_pb2.Bid(level=table_pb2.Level(points=115))}, "bid.level"),
        ({"bid": auction_pb2.Bid(strain=card_pb2.STRAIN_ALL_TRUMP)}, "bid.strain"),
        ({"taker_points": 5000}, "taker_points"),
        ({"taker_tricks": 9}, "taker_tricks"),
        ({"defence_belotes": 5}, "defence_belotes"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_a_deal_that_cannot_be_names_its_field(
    rules: Any, fields: dict[str, Any], field: str
) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await rules.ScoreDeal(_deal(**fields))
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert field.encode() in dict(refused.value.trailing_metadata())["grpc-status-details-bin"]
