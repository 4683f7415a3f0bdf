"""RulesService: the rules for bots that do not want to write them."""

from __future__ import annotations

from typing import Any

from grpc import aio

from contree.engine import (
    PRESET_NAMES,
    IllegalAction,
    RuleSet,
    Tally,
    legal_of,
    preset,
    score,
)
from contree.server.rpc.errors import InvalidArgument
from contree.v1 import rules_service_pb2, rules_service_pb2_grpc
from contree.wire import (
    action_to_pb,
    bid_from_pb,
    doubling_from_pb,
    rules_from_toml,
    rules_to_pb,
    seat_view_from_pb,
)

Context = aio.ServicerContext[Any, Any]
_MAX_POINTS = 1000


class RulesServicer(rules_service_pb2_grpc.RulesServiceServicer):
    """The rules; it knows nothing of matches."""

    async def ListPresets(
        self, request: rules_service_pb2.ListPresetsRequest, context: Context
    ) -> rules_service_pb2.ListPresetsResponse:
        """The presets."""
        return rules_service_pb2.ListPresetsResponse(
            presets=[rules_to_pb(preset(name)) for name in PRESET_NAMES]
        )

    async def GetLegalActions(
        self, request: rules_service_pb2.GetLegalActionsRequest, context: Context
    ) -> rules_service_pb2.GetLegalActionsResponse:
        """What a view allows."""
        view = seat_view_from_pb(request.view, _rules(request.rules))
        try:
            actions = legal_of(view)
        except IllegalAction as error:
            raise InvalidArgument("view.table.calls", str(error)) from None
        return rules_service_pb2.GetLegalActionsResponse(
            actions=[action_to_pb(action) for action in actions]
        )

    async def ScoreDeal(
        self, request: rules_service_pb2.ScoreDealRequest, context: Context
    ) -> rules_service_pb2.ScoreDealResponse:
        """The marks of a deal."""
        rules = _rules(request.rules)
        bid = bid_from_pb(request.bid, "bid")
        if bid.level not in rules.ladder:
            raise InvalidArgument("bid.level", f"{bid.level} is not bid under {rules.name}")
        if bid.strain not in rules.strains:
            raise InvalidArgument("bid.strain", f"{bid.strain} is not bid under {rules.name}")
        tally = Tally(
            taker_points=_points("taker_points", request.taker_points),
            defence_points=_points("defence_points", request.defence_points),
            taker_tricks=_tricks("taker_tricks", request),
            bidder_tricks=_tricks("bidder_tricks", request),
            taker_belotes=_belotes("taker_belotes", request.taker_belotes),
            defence_belotes=_belotes("defence_belotes", request.defence_belotes),
        )
        doubling = doubling_from_pb(request.doubling, "doubling")
        marks = score(rules, bid.level, bid.strain, doubling, tally)
        return rules_service_pb2.ScoreDealResponse(
            made=marks.made, taker=marks.taker, defence=marks.defence
        )


def _rules(ref: rules_service_pb2.RulesRef) -> RuleSet:
    which = ref.WhichOneof("rules")
    if which == "preset":
        return preset(ref.preset)
    if which == "toml":
        return rules_from_toml(ref.toml, "rules.toml")
    raise InvalidArgument("rules", "give preset or toml")


def _points(field: str, points: int) -> int:
    if not 0 <= points <= _MAX_POINTS:
        raise InvalidArgument(field, f"{points} is not between 0 and {_MAX_POINTS}")
    return points


def _tricks(field: str, request: rules_service_pb2.ScoreDealRequest) -> int | None:
    if not request.HasField(field):  # type: ignore[arg-type]
        return None
    tricks = int(getattr(request, field))
    if not 0 <= tricks <= 8:
        raise InvalidArgument(field, f"{tricks} is not between 0 and 8")
    return tricks


def _belotes(field: str, belotes: int) -> int:
    if not 0 <= belotes <= 4:
        raise InvalidArgument(field, f"{belotes} is not between 0 and 4")
    return belotes
