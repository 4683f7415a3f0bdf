"""What a seat or a spectator is sent at a moment of a match, by the server's own functions."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from google.protobuf.message import Message
from google.rpc import status_pb2

from contree.engine import CARDS, CONTRE, DECLINE, PASS, SURCONTRE, Action, Announced, Bid, Seat
from contree.engine.cards import Strain
from contree.server.host import errors, frames, lines
from contree.server.host.readers import Reader
from contree.server.host.resources import match_to_pb
from contree.server.host.showing import Audience, shown_to
from contree.server.match import (
    Act,
    Acted,
    Faulted,
    FaultKind,
    GiveUp,
    Match,
    Stage,
    decide,
    fault_shown,
)
from contree.server.match.feed import in_window
from contree.server.match.state import decision_id
from contree.server.rpc.errors import tell
from contree.testing.leaks.worlds import Happened, Moment
from contree.v1 import match_pb2, play_service_pb2, spectate_service_pb2
from contree.v1.event_pb2 import Event

_REF: Final = 3
_ELAPSED: Final = 800
_ROUND_TRIP: Final = 7
_NOW: Final = 1_800_000_000_000
_LATE: Final = 10**9
_CALLS: Final[tuple[Action, ...]] = (
    PASS,
    CONTRE,
    SURCONTRE,
    DECLINE,
    *(Bid(level, strain) for level in (80, 100, 160) for strain in Strain),
)


class Sight(NamedTuple):
    """Something that is sent: what it is, as which message, and its bytes."""

    name: str
    kind: type[Message] | None
    """None: text."""
    data: bytes


class Probe(NamedTuple):
    """Something that a seat might send now."""

    name: str
    command: Act | GiveUp


def probes(match: Match, seat: Seat, count: int, rng: random.Random) -> tuple[Probe, ...]:
    """What a seat might send: right, wrong, late, of no effect, with a decision not its own."""
    secret = match.spec.secret
    found = [
        Probe("act with an unknown id", Act(seat, rng.randbytes(12), CARDS[0], _ELAPSED)),
        Probe("resign", GiveUp(seat, FaultKind.RESIGNED, "the bot resigned")),
    ]
    for other in Seat:
        since = match.owed_since[other]
        if other != seat and since:
            decision = decision_id(secret, other, since)
            found.append(Probe("act for another", Act(seat, decision, PASS, _ELAPSED)))
    last = match.last_answer[seat]
    if last is not None:
        decision = decision_id(secret, seat, last.since)
        found.append(Probe("act again", Act(seat, decision, rng.choice(CARDS), _ELAPSED)))
    if match.owed_since[seat]:
        decision = match.decision_id(seat)
        every: list[Action] = [*CARDS, *map(Announced, CARDS), *_CALLS]
        tried = rng.sample(every, count)
        tried += rng.sample(match.game.legal_actions(seat), 1)
        found += [Probe("act", Act(seat, decision, action, _ELAPSED)) for action in tried]
        found.append(Probe("act too late", Act(seat, decision, tried[-1], _LATE)))
    return tuple(found)


def seat_sights(moment: Moment, seat: Seat, tried: Sequence[Probe]) -> Iterator[Sight]:
    """All that a seat's bot is sent at this moment, and what it would be answered."""
    match = moment.match
    yield _sent("seat_assigned", frames.seat_assigned(match, seat, _REF, resumed=True))
    yield _sent("heartbeat", frames.heartbeat(1, [(_REF, match.seq)]))
    if match.owed_since[seat]:
        for again in (False, True):
            yield _turn(match, seat, again=again)
    for one in moment.happened:
        yield from _told(one, seat)
    for probe in tried:
        yield from _answers(match, seat, probe)


def spectator_sights(moment: Moment) -> Iterator[Sight]:
    """All that is shown to who holds no seat, and what the log says."""
    match = moment.match
    whole = match_to_pb(match, (True, True, True, True), disclosed=False)
    for audience in Audience:
        shown = shown_to(audience, whole, released=False)
        yield Sight(f"match, for the {audience.value}", match_pb2.Match, _bytes(shown))
    public = shown_to(Audience.PUBLIC, whole, released=False)
    events = [event for one in moment.happened for event in _events(one, None)]
    watched = spectate_service_pb2.WatchResponse(match=public, events=events)
    yield Sight("watch", spectate_service_pb2.WatchResponse, _bytes(watched))
    for error in (
        errors.WatchClosed(match.id),
        errors.NotDisclosed(match.id),
        errors.MatchNotEnded(match.id),
    ):
        yield Sight(f"refusal {type(error).__name__}", status_pb2.Status, tell(error).details)


def log_sights(moment: Moment) -> Iterator[Sight]:
    """What the log says of the last entry."""
    last = moment.happened[-1]
    if isinstance(last.entry, Faulted):
        yield Sight("log", None, repr(lines.fault(last.entry, last.after)).encode())
    if last.after.stage is Stage.ENDED:
        yield Sight("log", None, repr(lines.match_ended(last.after)).encode())


def _told(happened: Happened, seat: Seat) -> Iterator[Sight]:
    """What a seat is told of an entry."""
    before, entry, after = happened
    for event in _events(happened, seat):
        yield _sent("event", frames.seat_event(event, _REF))
    if len(after.game.finished) > len(before.game.finished):
        ended = frames.deal_ended(after, len(after.game.finished), _REF)
        yield _sent("deal_ended", ended)
    if isinstance(entry, Faulted) and entry.seat == seat:
        yield _sent("fault", frames.fault(fault_shown(after), _REF))
    if after.stage is Stage.ENDED and before.stage is not Stage.ENDED:
        yield _sent("match_ended", frames.match_ended(after, _REF))


def _events(happened: Happened, seat: Seat | None) -> list[Event]:
    found: list[Event] = []

    def deliver(events: Sequence[Event], match: Match) -> None:
        del match
        found.extend(events)

    reader = Reader(object(), seat, 0, deliver, has_room=lambda: True)
    reader.skip_to(happened.before)
    reader.read(happened.before, happened.entry, happened.after)
    return found


def _answers(match: Match, seat: Seat, probe: Probe) -> Iterator[Sight]:
    """What a seat is sent when it does this now."""
    step = decide(match, probe.command, _NOW)
    if isinstance(probe.command, Act):
        answer = frames.answered(
            step.after, probe.command, _REF, step, elapsed=_ELAPSED, round_trip=_ROUND_TRIP
        )
        yield _sent(f"{probe.name}: act_result", answer)
    if in_window(match.game):
        return  # whether that was the last answer to the window, the seat may see
    before = match
    for entry, after in zip(step.entries, step.states, strict=True):
        if isinstance(entry, Acted) and entry.seat != seat:
            return  # another seat, with cards of its own
        for sight in _told(Happened(before, entry, after), seat):
            yield sight._replace(name=f"{probe.name}: {sight.name}")
        before = after
    if before.owed_since[seat] and not before.seats[seat].house:
        yield _turn(before, seat, again=False)


def _turn(match: Match, seat: Seat, *, again: bool) -> Sight:
    turn = frames.turn(match, seat, _REF, elapsed=_ELAPSED, round_trip=_ROUND_TRIP, again=again)
    return _sent("turn", turn)


def _sent(name: str, message: frames.Outgoing) -> Sight:
    data = message if isinstance(message, bytes) else _bytes(message)
    return Sight(name, play_service_pb2.ServerMessage, data)


def _bytes(message: Message) -> bytes:
    return message.SerializeToString(deterministic=True)
