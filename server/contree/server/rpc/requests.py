"""Requests of hosts and bots, read: messages become specs, with the field named that cannot be."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from contree.engine import (
    SEATS,
    Deals,
    Mode,
    RuleSet,
    Seat,
    SeededDeals,
    parse_rules,
    preset,
)
from contree.engine.errors import brief
from contree.engine.shuffle import SEED_BYTES
from contree.server.host.matches import new_match_id
from contree.server.host.session import Identity
from contree.server.match import (
    HOUSE_PLAYERS,
    PRACTICE,
    Disclosure,
    FaultPolicy,
    MatchSpec,
    SeatPlan,
    TimeControl,
    WatchPolicy,
)
from contree.server.rpc.errors import InvalidArgument
from contree.server.settings import TimeControlSettings
from contree.server.wall_clock import wall_ms
from contree.v1 import match_pb2, match_service_pb2, play_service_pb2
from contree.wire import at_most, duration_from_pb, fixed_deal_from_pb, seat_from_pb

PROTOCOL_VERSION: Final = 1
DEFAULT_CAPACITY: Final = 64
MAX_CAPACITY: Final = 4096
NO_TARGET: Final = 1_000_000
"""The target of a race that ends by its number of deals only."""
_MAX_TEXT: Final = 128
_MAX_LABELS: Final = 8
_DISCLOSURES: Final = {
    match_pb2.DISCLOSURE_POLICY_UNSPECIFIED: Disclosure.AT_MATCH_END,
    match_pb2.DISCLOSURE_POLICY_AT_MATCH_END: Disclosure.AT_MATCH_END,
    match_pb2.DISCLOSURE_POLICY_WHEN_GROUP_RELEASED: Disclosure.WHEN_GROUP_RELEASED,
}
_WATCHING: Final = {
    match_pb2.WATCH_POLICY_UNSPECIFIED: WatchPolicy.AS_DISCLOSED,
    match_pb2.WATCH_POLICY_AS_DISCLOSED: WatchPolicy.AS_DISCLOSED,
    match_pb2.WATCH_POLICY_LIVE: WatchPolicy.LIVE,
}
_EVENTS: Final = {
    play_service_pb2.DELIVERY_UNSPECIFIED: False,
    play_service_pb2.DELIVERY_STATE: False,
    play_service_pb2.DELIVERY_EVENTS: True,
}


def match_spec(
    request: match_service_pb2.CreateMatchRequest, defaults: TimeControlSettings, owner: str
) -> MatchSpec:
    """What a host asks for; ``owner`` is its key."""
    rules = _rules(request)
    mode, board = Mode.RACE, 1
    which = request.WhichOneof("mode")
    if which == "board":
        mode, board = Mode.BOARD, request.board.number
        if not 1 <= board <= 1_000_000_000:
            raise InvalidArgument("board.number", f"{board} is not a board number (from 1)")
    elif which == "race":
        rules = race_rules(
            rules,
            request.race.target if request.race.HasField("target") else None,
            request.race.deals if request.race.HasField("deals") else None,
        )
    else:
        raise InvalidArgument("mode", "give board or race")
    at_most("labels", request.labels, _MAX_LABELS)
    labels = tuple(text_of(f"labels[{i}]", label, 1) for i, label in enumerate(request.labels))
    disclosure = _DISCLOSURES.get(request.disclosure_policy)
    if disclosure is None:
        raise InvalidArgument("disclosure_policy", f"there is no {request.disclosure_policy}")
    watch = _WATCHING.get(request.watch_policy)
    if watch is None:
        raise InvalidArgument("watch_policy", f"there is no {request.watch_policy}")
    group = text_of("disclosure_group", request.disclosure_group)
    if disclosure is Disclosure.WHEN_GROUP_RELEASED and not group:
        raise InvalidArgument("disclosure_group", "is needed for WHEN_GROUP_RELEASED")
    return MatchSpec(
        match_id=new_match_id(),
        rules=rules,
        mode=mode,
        board=board,
        deals=_deals(request, mode),
        drawn=request.deals.WhichOneof("source") is None,
        seats=_seats(request.seats),
        secret=secrets.token_bytes(16),
        created_ms=wall_ms(),
        time=_time_control(request.time_control, defaults),
        faults=_fault_policy(request),
        request_id=text_of("request_id", request.request_id),
        labels=labels,
        group=group,
        disclosure=disclosure,
        owner=owner,
        watch=watch,
    )


def practice_spec(
    practice: play_service_pb2.Practice, identity: Identity, defaults: TimeControlSettings
) -> MatchSpec:
    """A match of this instance, north and south (or north with a partner of the house), against
    the house.
    """
    opponents = SeatPlan(house=_house("practice.opponents", practice.opponents or "rules"))
    bot = SeatPlan(bot=identity.bot, instance_id=identity.instance_id, key_id=identity.key_id)
    partner = bot
    if practice.partner:
        partner = SeatPlan(house=_house("practice.partner", practice.partner))
    elif identity.capacity < 2:  # the match would wait for its second seat until it is cancelled
        raise InvalidArgument(
            "hello.capacity",
            f"{identity.capacity} is not enough for the 2 seats of a practice match: "
            "give 2 or more, or a player of the house as practice.partner",
        )
    if practice.deals > 10_000:
        raise InvalidArgument("practice.deals", f"{practice.deals} is above 10000")
    rules = preset(practice.preset or "ffb-mixte")
    if practice.deals:
        rules = race_rules(rules, 0, practice.deals)
    return MatchSpec(
        match_id=new_match_id(),
        rules=rules,
        mode=Mode.RACE,
        deals=SeededDeals(secrets.token_bytes(SEED_BYTES)),
        drawn=True,
        seats=(bot, opponents, partner, opponents),
        secret=secrets.token_bytes(16),
        created_ms=wall_ms(),
        time=_time_control(match_pb2.TimeControl(), defaults),
        owner=identity.key_id,
        labels=(PRACTICE,),
        request_id=_practice_id(practice, identity),
    )


def _practice_id(practice: play_service_pb2.Practice, identity: Identity) -> str:
    """The request id of a practice match: one client's is never another's, nor a host's."""
    chosen = text_of("practice.request_id", practice.request_id)
    return f"practice\n{identity.key_id}\n{identity.bot}\n{chosen}" if chosen else ""


def race_rules(rules: RuleSet, target: int | None, deals: int | None) -> RuleSet:
    """The rules with the limits of a race: None for the rules' own, 0 for none."""
    if target is not None:
        if not 0 <= target <= NO_TARGET:
            raise InvalidArgument("race.target", f"{target} is not between 0 and {NO_TARGET}")
        rules = replace(rules, target=target or NO_TARGET)
    if deals is not None:
        if not 0 <= deals <= 10_000:
            raise InvalidArgument("race.deals", f"{deals} is not between 0 and 10000")
        rules = replace(rules, deals_limit=deals or None)
    return rules


def identity(hello: play_service_pb2.Hello, key_id: str) -> Identity:
    """Who says Hello, on a stream that was opened with this key."""
    if hello.capacity > MAX_CAPACITY:
        raise InvalidArgument("hello.capacity", f"{hello.capacity} is above {MAX_CAPACITY}")
    events = _EVENTS.get(hello.delivery)
    if events is None:
        raise InvalidArgument("hello.delivery", f"there is no {hello.delivery}")
    return Identity(
        bot=text_of("hello.bot", hello.bot, 1),
        bot_version=text_of("hello.bot_version", hello.bot_version),
        instance_id=text_of("hello.instance_id", hello.instance_id) or secrets.token_hex(8),
        capacity=hello.capacity or DEFAULT_CAPACITY,
        events=events,
        key_id=key_id,
    )


def _rules(request: match_service_pb2.CreateMatchRequest) -> RuleSet:
    if request.WhichOneof("rules") == "rules_toml":
        return parse_rules(request.rules_toml)
    return preset(request.preset or "ffb-mixte")


def _deals(request: match_service_pb2.CreateMatchRequest, mode: Mode) -> Deals:
    which = request.deals.WhichOneof("source")
    if which == "fixed":
        if mode is not Mode.BOARD:
            raise InvalidArgument("deals.fixed", "one deal is not enough for a race")
        return fixed_deal_from_pb(request.deals.fixed, "deals.fixed")
    if which is None:
        return SeededDeals(secrets.token_bytes(SEED_BYTES))
    seeded = request.deals.seeded
    if len(seeded.seed) != SEED_BYTES:
        raise InvalidArgument(
            "deals.seeded.seed", f"has {len(seeded.seed)} bytes, not {SEED_BYTES}"
        )
    if seeded.disguise:
        raise InvalidArgument("deals.seeded.disguise", "disguises are not offered yet")
    return SeededDeals(seeded.seed, text_of("deals.seeded.label", seeded.label))


def _seats(seats: Sequence[match_pb2.SeatSpec]) -> tuple[SeatPlan, SeatPlan, SeatPlan, SeatPlan]:
    at_most("seats", seats, len(SEATS))
    plans: dict[Seat, SeatPlan] = {}
    for index, spec in enumerate(seats):
        field = f"seats[{index}]"
        seat = seat_from_pb(spec.seat, f"{field}.seat")
        if seat in plans:
            raise InvalidArgument(f"{field}.seat", f"{seat} is given twice")
        which = spec.WhichOneof("player")
        if which == "bot":
            plans[seat] = SeatPlan(
                bot=text_of(f"{field}.bot", spec.bot, 1),
                instance_id=text_of(f"{field}.instance_id", spec.instance_id),
                key_id=text_of(f"{field}.key_id", spec.key_id),
            )
        elif which == "house":
            plans[seat] = SeatPlan(house=_house(f"{field}.house", spec.house))
        else:
            raise InvalidArgument(field, "give bot or house")
    missing = [str(seat) for seat in SEATS if seat not in plans]
    if missing:
        raise InvalidArgument("seats", f"nobody is given for {' '.join(missing)}")
    north, east, south, west = (plans[seat] for seat in SEATS)
    return north, east, south, west


def _house(field: str, name: str) -> str:
    if name not in HOUSE_PLAYERS:
        raise InvalidArgument(
            field, f"{brief(name)!r} is no player of the house: {' or '.join(HOUSE_PLAYERS)}"
        )
    return name


def _time_control(message: match_pb2.TimeControl, defaults: TimeControlSettings) -> TimeControl:
    """Absent durations take the server's defaults; 0 is a value where it makes sense."""

    def read(name: str, default_s: float, least: int = 0) -> int:
        if not message.HasField(name):  # type: ignore[arg-type]
            return int(default_s * 1000)
        field = f"time_control.{name}"
        value = duration_from_pb(getattr(message, name), field)
        if value < least:
            raise InvalidArgument(field, f"{value} ms is below {least} ms")
        return value

    return TimeControl(
        per_move=read("per_move", defaults.per_move_s, 1),
        bank=read("bank", defaults.bank_s),
        increment=read("increment", defaults.increment_s),
        allowance=read("allowance", defaults.allowance_s),
        ready=read("ready", defaults.ready_s, 1),
        seat_timeout=read("seat_timeout", defaults.seat_timeout_s, 1),
        disconnect_grace=read("disconnect_grace", defaults.disconnect_grace_s),
    )


def _fault_policy(request: match_service_pb2.CreateMatchRequest) -> FaultPolicy:
    if not request.HasField("fault_policy"):
        return FaultPolicy()
    policy = request.fault_policy
    for name in ("illegal_strikes", "timeout_strikes", "protocol_strikes"):
        if getattr(policy, name) > 1000:
            raise InvalidArgument(f"fault_policy.{name}", "is above 1000")
    made = FaultPolicy(policy.illegal_strikes, policy.timeout_strikes)
    if policy.HasField("protocol_strikes"):
        made = replace(made, protocol_strikes=policy.protocol_strikes)
    return made


def text_of(field: str, text: str, least: int = 0) -> str:
    """A short text of a request, such as a name or a label."""
    if not least <= len(text) <= _MAX_TEXT:
        raise InvalidArgument(field, f"has {len(text)} characters, not {least} to {_MAX_TEXT}")
    if not text.isprintable():
        raise InvalidArgument(field, "has characters that cannot be printed")
    return text


def id_of(match_id: str) -> str:
    """The match id that a request names."""
    return text_of("match_id", match_id, 1)
