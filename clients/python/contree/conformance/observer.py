"""What went over the streams of a bot, and what follows from it: decisions, answers, offences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from contree.conformance.brief import action_text, brief, short
from contree.v1 import play_service_pb2
from contree.v1.play_service_pb2 import ClientMessage, ServerMessage
from contree.wire import duration_from_pb

_MOST_FRAMES: Final = 20_000
"""Older ones are forgotten, lest a bot that floods fills the memory."""


class Frame(NamedTuple):
    """One message that was sent or seen."""

    at: float
    stream: int
    to: str
    """``bot`` or ``server``."""
    message: ClientMessage | ServerMessage

    def values(self, start: float) -> dict[str, Any]:
        """The frame for JSON."""
        return {
            "at": round(self.at - start, 3),
            "stream": self.stream,
            "to": self.to,
            **brief(self.message),
        }


class SeatRef(NamedTuple):
    """A seat as a stream calls it."""

    stream: int
    ref: int


class Held(NamedTuple):
    """A seat that the bot was given."""

    match_id: str
    seat: int


class Asked:
    """A decision that the bot was asked for."""

    def __init__(self, held: Held, turn: play_service_pb2.Turn, at: float, stream: int) -> None:
        self.held = held
        self.stream = stream
        """On which stream it was asked first."""
        self.decision = turn.decision
        self.at = at
        """When it was asked first."""
        self.limit = duration_from_pb(turn.decision.clock.remaining) / 1000
        self.times = 0
        """How often it was asked, an answer that was not legal included."""
        self.acts: list[tuple[float, int, play_service_pb2.Act]] = []
        """When, on which stream, and what was answered."""
        self.statuses: list[int] = []

    @property
    def answered_in(self) -> float | None:
        """Seconds to the first answer; None without one."""
        return self.acts[0][0] - self.at if self.acts else None

    @property
    def answers(self) -> list[str]:
        """The answers, in order, in short."""
        return [action_text(act.action) for _, _, act in self.acts]

    def __str__(self) -> str:
        return f"decision {short(self.decision.id)}"


class Offence(NamedTuple):
    """Something that the bot said without being asked."""

    at: float
    stream: int
    what: str


class Observer:
    """Sees all that passes, in order."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self.frames: list[Frame] = []
        self.forgotten = 0
        self.asked: dict[bytes, Asked] = {}
        self.offences: list[Offence] = []
        self.requests = 0
        """Requests of the bot, each of any number of messages."""
        self.ended: dict[Held, float] = {}
        """Seats whose match has ended, as the bot was told."""
        self.ready: dict[Held, float] = {}
        """When Ready was said."""
        self.assigned: dict[Held, float] = {}
        self.faults: list[tuple[Held | None, play_service_pb2.SeatFault]] = []
        self.beats: dict[tuple[int, int], list[float]] = {}
        """For each heartbeat of a stream when it was sent and when answered."""
        self.refused: list[tuple[float, str]] = []
        self._seats: dict[SeatRef, Held] = {}
        self._ready_owed: set[SeatRef] = set()

    # -- seeing ---------------------------------------------------------------------------------

    def to_bot(self, stream: int, messages: Sequence[ServerMessage]) -> None:
        """The bot is sent this."""
        for message in messages:
            self._keep(Frame(self._now(), stream, "bot", message))
            kind = message.WhichOneof("message")
            see = getattr(self, f"_see_{kind}", None)
            if see is not None:
                see(stream, getattr(message, str(kind)))

    def to_server(self, stream: int, messages: Sequence[ClientMessage], *, first: bool) -> None:
        """The bot has said this, in one request; ``first`` on its stream."""
        self.requests += 1
        if not messages:
            self._offends(stream, "a request without any message")
        for place, message in enumerate(messages):
            self._keep(Frame(self._now(), stream, "server", message))
            kind = message.WhichOneof("message")
            if kind is None:
                self._offends(stream, "a message that is none of the known")
            elif kind == "hello":
                if not first or place:
                    self._offends(stream, "a second Hello on a stream")
            elif kind == "resign":
                self._offends(stream, f"Resign of seat {message.resign.seat_ref}, unasked")
            elif kind != "leave":
                getattr(self, f"_hear_{kind}")(stream, getattr(message, kind))

    def _keep(self, frame: Frame) -> None:
        self.frames.append(frame)
        if len(self.frames) > _MOST_FRAMES:
            drop = len(self.frames) // 2
            self.forgotten += drop
            del self.frames[:drop]

    def _offends(self, stream: int, what: str) -> None:
        self.offences.append(Offence(self._now(), stream, what))

    def _see_seat_assigned(self, stream: int, one: play_service_pb2.SeatAssigned) -> None:
        ref, held = SeatRef(stream, one.seat_ref), Held(one.match_id, one.seat)
        self._seats[ref] = held
        self.assigned.setdefault(held, self._now())
        if one.ready_owed:
            self._ready_owed.add(ref)

    def _see_turn(self, stream: int, turn: play_service_pb2.Turn) -> None:
        held = self._seats.get(SeatRef(stream, turn.seat_ref))
        if held is not None:
            new = Asked(held, turn, self._now(), stream)
            self.asked.setdefault(turn.decision.id, new).times += 1

    def _see_act_result(self, _: int, result: play_service_pb2.ActResult) -> None:
        asked = self.asked.get(result.decision_id)
        if asked is not None:
            asked.statuses.append(result.status)
            if result.status == play_service_pb2.ACT_STATUS_ILLEGAL:
                asked.times += 1

    def _see_match_ended(self, stream: int, ended: play_service_pb2.SeatMatchEnded) -> None:
        held = self._seats.get(SeatRef(stream, ended.seat_ref))
        if held is not None:
            self.ended[held] = self._now()

    def _see_fault(self, stream: int, fault: play_service_pb2.SeatFault) -> None:
        self.faults.append((self._seats.get(SeatRef(stream, fault.seat_ref)), fault))

    def _see_refused(self, _: int, refused: play_service_pb2.Refused) -> None:
        self.refused.append((self._now(), refused.reason))

    def _see_heartbeat(self, stream: int, beat: play_service_pb2.Heartbeat) -> None:
        self.beats.setdefault((stream, beat.nonce), []).append(self._now())

    def _hear_ready(self, stream: int, ready: play_service_pb2.Ready) -> None:
        ref = SeatRef(stream, ready.seat_ref)
        held = self._seats.get(ref)
        if held is None or ref not in self._ready_owed:
            self._offends(stream, f"Ready for seat {ready.seat_ref}, where none was owed")
        if held is not None:
            self.ready.setdefault(held, self._now())
        self._ready_owed.discard(ref)

    def _hear_act(self, stream: int, act: play_service_pb2.Act) -> None:
        asked = self.asked.get(act.decision_id)
        if asked is None:
            named = short(act.decision_id) or "none"
            self._offends(stream, f"an Act for decision {named}, which was never asked")
            return
        asked.acts.append((self._now(), stream, act))
        if self._seats.get(SeatRef(stream, act.seat_ref)) != asked.held:
            self._offends(stream, f"an Act for {asked} under seat_ref {act.seat_ref}, not its own")
        elif len(asked.acts) > asked.times:
            times = f"asked {asked.times}, answered {len(asked.acts)} times"
            self._offends(stream, f"one Act more for {asked}: {times}")

    def _hear_heartbeat_ack(self, stream: int, ack: play_service_pb2.HeartbeatAck) -> None:
        beat = self.beats.get((stream, ack.nonce))
        if beat is None or len(beat) > 1:
            self._offends(stream, f"a HeartbeatAck with nonce {ack.nonce}, which was not owed")
        else:
            beat.append(self._now())

    # -- asking ---------------------------------------------------------------------------------

    def of_match(self, match_id: str) -> list[Asked]:
        """The decisions asked in a match, in the order asked."""
        return [asked for asked in self.asked.values() if asked.held.match_id == match_id]

    def is_late(self, decision_id: bytes) -> bool:
        """Whether the match of a decision is over, as the bot was told."""
        asked = self.asked.get(decision_id)
        return asked is not None and asked.held in self.ended

    def is_over(self, match_id: str) -> bool:
        """Whether the bot was told that the match of all of its seats there is over."""
        seats = [held for held in self.assigned if held.match_id == match_id]
        return bool(seats) and all(held in self.ended for held in seats)

    def faults_of(self, match_id: str) -> Iterator[play_service_pb2.SeatFault]:
        """The faults charged in a match."""
        for held, fault in self.faults:
            if held is not None and held.match_id == match_id:
                yield fault
