"""Actions, decisions and their clock."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple, cast

from google.protobuf import duration_pb2

from contree.engine.actions import Action, Announced, Call
from contree.engine.auction import DecisionKind
from contree.engine.cards import Card
from contree.v1 import observation_pb2
from contree.wire.auction import KEPT_BYTES, call_from_pb, call_to_pb, calls_from_pb
from contree.wire.cards import CARD_TO_PB, card_from_pb, cards_from_pb
from contree.wire.errors import WireError

KIND_TO_PB: Final = {
    DecisionKind.CALL: observation_pb2.DECISION_KIND_CALL,
    DecisionKind.CONTRE: observation_pb2.DECISION_KIND_CONTRE,
    DecisionKind.SURCONTRE: observation_pb2.DECISION_KIND_SURCONTRE,
    DecisionKind.CARD: observation_pb2.DECISION_KIND_CARD,
}
_KINDS: Final = {number: kind for kind, number in KIND_TO_PB.items()}


class Clock(NamedTuple):
    """The clock of an owed decision, in whole milliseconds."""

    remaining: int
    """Time left when the turn was sent, the bank included, the allowance excluded."""
    bank: int = 0
    allowance: int = 0
    charged: int = 0
    """What was charged for the seat's previous decision."""
    round_trip: int | None = None


class Decision(NamedTuple):
    """A decision that a seat owes."""

    id: bytes
    kind: DecisionKind
    legal: tuple[Action, ...]
    clock: Clock


def duration_to_pb(milliseconds: int) -> duration_pb2.Duration:
    """A duration; below zero counts as zero, for a clock is never negative on the wire."""
    seconds, rest = divmod(max(0, milliseconds), 1000)
    return duration_pb2.Duration(seconds=seconds, nanos=rest * 1_000_000)


def duration_from_pb(message: duration_pb2.Duration, field: str = "duration") -> int:
    """Whole milliseconds, rounded down; WireError when negative or above 100 days."""
    seconds = message.seconds
    nanos = message.nanos
    if not 0 <= seconds <= 8_640_000 or not 0 <= nanos < 1_000_000_000:
        raise WireError(field, "not between 0 and 8640000 seconds")
    return seconds * 1000 + nanos // 1_000_000


def clock_to_pb(clock: Clock) -> observation_pb2.Clock:
    """The clock of a decision."""
    trip = clock.round_trip
    return observation_pb2.Clock(
        remaining=duration_to_pb(clock.remaining),
        bank=duration_to_pb(clock.bank),
        allowance=duration_to_pb(clock.allowance),
        charged=duration_to_pb(clock.charged),
        round_trip=None if trip is None else duration_to_pb(trip),
    )


def clock_from_pb(message: observation_pb2.Clock, field: str = "clock") -> Clock:
    """The clock of a decision."""
    try:
        data = message.SerializeToString()
        return _clock_of(data) if len(data) <= KEPT_BYTES else _clock(message)
    except WireError as error:
        raise error.within(field) from None


@lru_cache(maxsize=4096)
def _clock_of(data: bytes) -> Clock:
    return _clock(observation_pb2.Clock.FromString(data))


def _clock(message: observation_pb2.Clock) -> Clock:
    trip = None
    if message.HasField("round_trip"):
        trip = duration_from_pb(message.round_trip, "round_trip")
    return Clock(
        duration_from_pb(message.remaining, "remaining"),
        duration_from_pb(message.bank, "bank"),
        duration_from_pb(message.allowance, "allowance"),
        duration_from_pb(message.charged, "charged"),
        trip,
    )


def action_to_pb(action: Action) -> observation_pb2.Action:
    """What a seat does."""
    if isinstance(action, Card):
        return observation_pb2.Action(play=observation_pb2.PlayCard(card=CARD_TO_PB[action]))
    if isinstance(action, Announced):
        return observation_pb2.Action(
            play=observation_pb2.PlayCard(card=CARD_TO_PB[action.card], announce=True)
        )
    return observation_pb2.Action(call=call_to_pb(action))


def action_from_pb(message: observation_pb2.Action, field: str = "action") -> Action:
    """What a seat does; WireError when the oneof is empty."""
    try:
        data = message.SerializeToString()
        return _action_of(data) if len(data) <= KEPT_BYTES else _action(message)
    except WireError as error:
        raise WireError(f"{field}{error.field}", error.problem) from None


@lru_cache(maxsize=1024)
def _action_of(data: bytes) -> Action:
    return _action(observation_pb2.Action.FromString(data))


def _action(message: observation_pb2.Action) -> Action:
    case = message.WhichOneof("action")
    if case == "play":
        play = message.play
        card = card_from_pb(play.card, ".play.card")
        return Announced(card) if play.announce else card
    if case is None:
        raise WireError("", "no action is given")
    return call_from_pb(message.call, ".call")


def decision_to_pb(
    kind: DecisionKind, legal: Sequence[Action], decision_id: bytes, clock: Clock
) -> observation_pb2.Decision:
    """A decision that a seat owes; ``legal`` in the engine's order."""
    message = observation_pb2.Decision(
        id=decision_id, kind=KIND_TO_PB[kind], clock=clock_to_pb(clock)
    )
    if kind is DecisionKind.CARD:
        for action in legal:
            if isinstance(action, Announced):
                message.announceable.append(CARD_TO_PB[action.card])
            else:
                message.cards.append(CARD_TO_PB[cast("Card", action)])
    else:
        message.calls.extend([call_to_pb(cast("Call", action)) for action in legal])
    return message


def decision_from_pb(message: observation_pb2.Decision, field: str = "decision") -> Decision:
    """A decision that a seat owes."""
    kind = _KINDS.get(message.kind)
    if kind is None:
        raise WireError(f"{field}.kind", f"there is no decision kind {message.kind}")
    try:
        legal = _legal_cards(message) if kind is DecisionKind.CARD else _legal_calls(message)
        if not legal:
            raise WireError("cards" if kind is DecisionKind.CARD else "calls", "nothing is legal")
        return Decision(message.id, kind, legal, clock_from_pb(message.clock))
    except WireError as error:
        raise error.within(field) from None


def _legal_cards(message: observation_pb2.Decision) -> tuple[Action, ...]:
    cards = cards_from_pb(message.cards)
    if not message.announceable:
        return cards
    announced = cards_from_pb(message.announceable, "announceable")
    if not set(announced) <= set(cards):
        raise WireError("announceable", "a card that is not among cards")
    return (*cards, *map(Announced, announced))


def _legal_calls(message: observation_pb2.Decision) -> tuple[Action, ...]:
    # At the first call of a deal some forty bids are legal, always the same ones.
    rest = observation_pb2.Decision()
    rest.CopyFrom(message)
    rest.ClearField("id")
    rest.ClearField("clock")
    data = rest.SerializeToString()
    return _legal_calls_of(data) if len(data) <= 2048 else calls_from_pb(message.calls)


@lru_cache(maxsize=512)
def _legal_calls_of(data: bytes) -> tuple[Action, ...]:
    return calls_from_pb(observation_pb2.Decision.FromString(data).calls)
