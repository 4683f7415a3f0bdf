"""Levels, bids, calls, contracts."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Final, cast

from contree.engine.actions import CONTRE, DECLINE, PASS, SURCONTRE, Bid, Call, Level, Say, Slam
from contree.engine.auction import PlacedCall
from contree.engine.contract import Contract, Doubling
from contree.v1 import auction_pb2, table_pb2
from contree.wire.cards import SEAT_TO_PB, STRAIN_TO_PB, seat_from_pb, strain_from_pb
from contree.wire.errors import WireError, at_most

KEPT_BYTES: Final = 64
"""Values are kept by the bytes of their message, which is faster than asking it field by field; not
by longer ones, for nothing honest is longer."""

_LEAST_POINTS: Final = 10
_MOST_POINTS: Final = 999
_MOST_LEVELS: Final = _MOST_POINTS - _LEAST_POINTS + 1 + len(Slam)

_SLAM_TO_PB: Final = {
    Slam.CAPOT: table_pb2.SLAM_CAPOT,
    Slam.GENERALE: table_pb2.SLAM_GENERALE,
}
_SLAMS: Final = {number: slam for slam, number in _SLAM_TO_PB.items()}

DOUBLING_TO_PB: Final = {
    Doubling.NONE: auction_pb2.DOUBLING_NONE,
    Doubling.CONTRE: auction_pb2.DOUBLING_CONTRE,
    Doubling.SURCONTRE: auction_pb2.DOUBLING_SURCONTRE,
}
_DOUBLINGS: Final = {number: doubling for doubling, number in DOUBLING_TO_PB.items()}

_SAYS: Final[dict[str, Say]] = {
    "pass": PASS,
    "contre": CONTRE,
    "surcontre": SURCONTRE,
    "decline": DECLINE,
}
_PASS_TO_PB: Final = auction_pb2.Call()
getattr(_PASS_TO_PB, "pass").SetInParent()  # "pass" is a keyword, so the constructor cannot take it
_SAY_TO_PB: Final = {
    PASS: _PASS_TO_PB,
    CONTRE: auction_pb2.Call(contre=auction_pb2.Contre()),
    SURCONTRE: auction_pb2.Call(surcontre=auction_pb2.Surcontre()),
    DECLINE: auction_pb2.Call(decline=auction_pb2.Decline()),
}


def level_to_pb(level: Level) -> table_pb2.Level:
    """What a bid promises."""
    if isinstance(level, Slam):
        return table_pb2.Level(slam=_SLAM_TO_PB[level])
    return table_pb2.Level(points=level)


def level_from_pb(message: table_pb2.Level, field: str = "level") -> Level:
    """What a bid promises; whether the rules know it is not asked here."""
    case = message.WhichOneof("level")
    if case == "points":
        points = message.points
        if not _LEAST_POINTS <= points <= _MOST_POINTS:
            raise WireError(
                f"{field}.points", f"{points} is not between {_LEAST_POINTS} and {_MOST_POINTS}"
            )
        return points
    if case is None:
        raise WireError(field, "neither points nor slam is given")
    slam = _SLAMS.get(message.slam)
    if slam is None:
        raise WireError(f"{field}.slam", f"there is no slam {message.slam}")
    return slam


def bid_to_pb(bid: Bid) -> auction_pb2.Bid:
    """A bid."""
    return auction_pb2.Bid(level=level_to_pb(bid.level), strain=STRAIN_TO_PB[bid.strain])


def bid_from_pb(message: auction_pb2.Bid, field: str = "bid") -> Bid:
    """A bid."""
    level = level_from_pb(message.level, f"{field}.level")
    return Bid(level, strain_from_pb(message.strain, f"{field}.strain"))


_CALLS: Final[dict[Call, auction_pb2.Call]] = dict(_SAY_TO_PB.items())


def call_to_pb(call: Call) -> auction_pb2.Call:
    """A call. The message is shared: do not change it."""
    try:
        return _CALLS[call]
    except KeyError:
        message = auction_pb2.Call(bid=bid_to_pb(cast("Bid", call)))
        if len(_CALLS) < 1000:
            _CALLS[call] = message
        return message


def call_from_pb(message: auction_pb2.Call, field: str = "call") -> Call:
    """A call; WireError when the oneof is empty."""
    try:
        data = message.SerializeToString()
        return _call_of(data) if len(data) <= KEPT_BYTES else _call(message)
    except WireError as error:
        raise WireError(f"{field}{error.field}", error.problem) from None


@lru_cache(maxsize=1024)
def _call_of(data: bytes) -> Call:
    return _call(auction_pb2.Call.FromString(data))


def _call(message: auction_pb2.Call) -> Call:
    case = message.WhichOneof("call")
    if case == "bid":
        return bid_from_pb(message.bid, ".bid")
    if case is None:
        raise WireError("", "no call is given")
    return _SAYS[case]


def placed_call_to_pb(placed: PlacedCall) -> auction_pb2.PlacedCall:
    """A call and who made it."""
    return auction_pb2.PlacedCall(seat=SEAT_TO_PB[placed.seat], call=call_to_pb(placed.call))


def placed_call_from_pb(message: auction_pb2.PlacedCall) -> PlacedCall:
    """A call and who made it. Nobody but its owner ever sees a decline, so it is refused here."""
    data = message.SerializeToString()
    return _placed_call_of(data) if len(data) <= KEPT_BYTES else _placed_call(message)


@lru_cache(maxsize=4096)
def _placed_call_of(data: bytes) -> PlacedCall:
    return _placed_call(auction_pb2.PlacedCall.FromString(data))


def _placed_call(message: auction_pb2.PlacedCall) -> PlacedCall:
    seat = seat_from_pb(message.seat)
    call = call_from_pb(message.call)
    if call is DECLINE:
        raise WireError("call", "a decline is never public")
    return PlacedCall(seat, call)


def most_calls(levels: int) -> int:
    """The public calls of the longest auction with so many levels on the ladder.

    Three passes come before the first bid and two between bids; each level is bid once. Two passes
    come before the contre of the last bid, and three calls after it: passes, or the surcontre.
    """
    return 3 + levels + 2 * (levels - 1) + 2 + 1 + 3


def placed_calls_from_pb(
    messages: Collection[auction_pb2.PlacedCall], field: str = "calls", levels: int = _MOST_LEVELS
) -> tuple[PlacedCall, ...]:
    """The calls of an auction in order, under rules with so many levels on their ladder."""
    at_most(field, messages, most_calls(levels))
    calls: list[PlacedCall] = []
    try:
        for message in messages:
            calls.append(placed_call_from_pb(message))  # noqa: PERF401 its length names the fault
    except WireError as error:
        raise error.within(f"{field}[{len(calls)}]") from None
    return tuple(calls)


def calls_from_pb(messages: Iterable[auction_pb2.Call], field: str = "calls") -> tuple[Call, ...]:
    """Calls that may be made."""
    calls: list[Call] = []
    try:
        for message in messages:
            calls.append(call_from_pb(message, ""))  # noqa: PERF401 its length names the fault
    except WireError as error:
        raise WireError(f"{field}[{len(calls)}]{error.field}", error.problem) from None
    return tuple(calls)


def contract_to_pb(contract: Contract) -> auction_pb2.Contract:
    """The contract that stands or is played."""
    message = auction_pb2.Contract(
        bid=bid_to_pb(contract.bid),
        taker=SEAT_TO_PB[contract.taker],
        doubling=DOUBLING_TO_PB[contract.doubling],
    )
    if contract.contre_by is not None:
        message.contre_by = SEAT_TO_PB[contract.contre_by]
    if contract.surcontre_by is not None:
        message.surcontre_by = SEAT_TO_PB[contract.surcontre_by]
    return message


def contract_from_pb(message: auction_pb2.Contract, field: str = "contract") -> Contract:
    """The contract that stands or is played."""
    try:
        data = message.SerializeToString()
        return _contract_of(data) if len(data) <= KEPT_BYTES else _contract(message)
    except WireError as error:
        raise error.within(field) from None


@lru_cache(maxsize=4096)
def _contract_of(data: bytes) -> Contract:
    return _contract(auction_pb2.Contract.FromString(data))


def _contract(message: auction_pb2.Contract) -> Contract:
    doubling = doubling_from_pb(message.doubling)
    contre_by = surcontre_by = None
    if message.HasField("contre_by"):
        contre_by = seat_from_pb(message.contre_by, "contre_by")
    if message.HasField("surcontre_by"):
        surcontre_by = seat_from_pb(message.surcontre_by, "surcontre_by")
    return Contract(
        bid_from_pb(message.bid),
        seat_from_pb(message.taker, "taker"),
        doubling,
        contre_by,
        surcontre_by,
    )


def doubling_to_pb(doubling: Doubling) -> auction_pb2.Doubling.ValueType:
    """How far a contract is doubled."""
    return DOUBLING_TO_PB[doubling]


def doubling_from_pb(number: int, field: str = "doubling") -> Doubling:
    """How far a contract is doubled; WireError for an unknown number."""
    doubling = _DOUBLINGS.get(cast("auction_pb2.Doubling.ValueType", number))
    if doubling is None:
        raise WireError(field, f"there is no doubling {number}")
    return doubling
