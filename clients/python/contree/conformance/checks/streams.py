"""Streams that end, one way or another, and turns that are sent again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from contree.conformance.checks.base import (
    STREAM_ENDS,
    Check,
    count,
    first_turn,
    not_answered,
    play_out,
)
from contree.conformance.gateway import Line
from contree.conformance.harness import ALLOWANCE_S, Harness
from contree.conformance.observer import Asked
from contree.conformance.script import LOST, Refusal, Script
from contree.conformance.verdicts import Failed, Skipped
from contree.engine import Seat
from contree.v1.play_service_pb2 import ClientMessage, GoAway, ServerMessage
from contree.wire import duration_to_pb

_DRAIN_S: Final = 5.0
_PACE_S: Final = 3.0
_MOST_DIALS: Final = 15
"""In the first seconds without a server; pauses that double from 0.1 s come to six."""
_RESUME: Final = (
    "After its stream ended a bot dials again, says Hello with the same instance id, and answers "
    "what it still owes."
)


class _Twice(Script):
    """Sends every turn twice: at once, or after the answer."""

    def __init__(self) -> None:
        self.again: dict[bytes, ServerMessage] = {}
        self.count = 0

    def down(self, line: Line, message: ServerMessage) -> Iterable[ServerMessage | bytes]:
        if not message.HasField("turn") or message.turn.again:
            return (message,)
        self.count += 1
        repeated = ServerMessage()
        repeated.CopyFrom(message)
        repeated.turn.again = True
        if self.count % 2:
            line.say(message)
            line.say(repeated)
            return ()
        self.again[message.turn.decision.id] = repeated
        return (message,)

    def up(self, line: Line, message: ClientMessage) -> Iterable[ClientMessage]:
        if message.HasField("act"):
            repeated = self.again.pop(message.act.decision_id, None)
            if repeated is not None:
                line.say(repeated)
        return (message,)


async def resent_turn(h: Harness) -> str:
    """Every turn of a deal is sent twice, with the same decision id."""
    with h.script(_Twice()):
        match = await h.seat(Seat.NORTH, Seat.SOUTH)
        await play_out(h, [match], STREAM_ENDS)
    asked = h.observer.of_match(match)
    for one in asked:
        if len(set(one.answers)) > 1:
            raise Failed(
                "A turn that is sent again keeps its decision id; if it was answered, the same is "
                "answered again, or nothing.",
                STREAM_ENDS,
                f"{one} was answered {' and '.join(one.answers)}",
            )
    twice = sum(len(one.acts) > 1 for one in asked)
    return f"{count(len(asked), 'turn')} sent twice, {twice} answered twice alike"


class _Held(Script):
    """Lets no answer to the decisions of one moment through, and tells when one came."""

    def __init__(self) -> None:
        self.holding = False

    def up(self, line: Line, message: ClientMessage) -> Iterable[ClientMessage]:
        return () if self.holding and message.HasField("act") else (message,)


class _Dropping(_Held):
    """Drops the stream right after the first turn, and once more after a later answer."""

    def __init__(self, h: Harness) -> None:
        super().__init__()
        self._h = h
        self.turns = 0
        self.first: bytes = b""
        """The decision that was open when the stream was dropped for the first time."""
        self.second: bytes = b""
        """The one whose answer was lost."""

    def down(self, line: Line, message: ServerMessage) -> Iterable[ServerMessage | bytes]:
        if message.HasField("turn") and not message.turn.again:
            self.turns += 1
            if self.turns == 1:
                self.first = message.turn.decision.id
                line.say(message)
                self._drop(line)
                return ()
        return (message,)

    def up(self, line: Line, message: ClientMessage) -> Iterable[ClientMessage]:
        if self.holding:
            return () if message.HasField("act") else (message,)
        if message.HasField("act") and self.turns == 3 and not self.second:
            self.second = message.act.decision_id
            self._drop(line)
            return ()
        return (message,)

    def greet(self, line: Line) -> Refusal | None:
        self.holding = False
        return None

    def _drop(self, line: Line) -> None:
        self.holding = True
        line.leave_server()
        self._h.door.reset()


async def dropped_stream(h: Harness) -> str:
    """The connection is reset in mid-turn: once before the answer, once when it was on its way."""
    script = _Dropping(h)
    with h.script(script):
        match = await h.seat(Seat.NORTH, per_move=_patient(h))
        await _turn_in(h, match)
        away = await _comes_back(h, script.first, "the connection was reset in mid-turn")
        await h.until(
            lambda: script.second or h.observer.is_over(match) or not h.subject.running,
            h.limits.answer * 4,
        )
        if script.second:
            away = max(
                away, await _comes_back(h, script.second, "its answer was lost with the connection")
            )
        await play_out(h, [match], STREAM_ENDS, patience=_patient(h))
    lost = h.observer.asked.get(script.second)
    if lost is not None and len(set(lost.answers)) > 1:
        raise Failed(
            "A bot that had answered answers the same again.",
            STREAM_ENDS,
            f"{lost} was answered {' and '.join(lost.answers)}",
        )
    return f"back within {away:.1f} s, what was owed is answered"


async def server_restart(h: Harness) -> str:
    """The server ends in mid-turn and comes back."""
    script = _Held()
    with h.script(script):
        script.holding = True
        match = await h.seat(Seat.NORTH, per_move=_patient(h))
        asked = await _turn_in(h, match)
        await h.door.shut()
        await h.stop_service()
        await h.until(lambda: not h.gateway.current(), 2.0)
        await h.start_service()
        script.holding = False
        await h.door.open()
        away = await _comes_back(h, asked.decision.id, "the server was restarted in mid-turn")
        await play_out(h, [match], STREAM_ENDS, patience=_patient(h))
    return f"back {away:.1f} s after the server was, the match was played to its end"


def _patient(h: Harness) -> float:
    """A clock that outlasts an absence."""
    return h.limits.answer + 2 * h.limits.back + 10.0


async def _comes_back(h: Harness, decision: bytes, when: str) -> float:
    """Wait for a new stream of the same instance that answers this decision; how long it took."""
    start = h.now()
    asked = h.observer.asked[decision]
    instance = next(
        one.hello.instance_id for one in reversed(h.gateway.lines) if one.hello is not None
    )

    def new() -> Line | None:
        later = h.gateway.lines[asked.stream :]
        fresh = [one for one in later if one.hello is not None]
        return fresh[-1] if fresh else None

    await h.until(lambda: new() or not h.subject.running, h.limits.back)
    line = new()
    if line is None:
        how = (
            f"its process ended {h.subject.ending}"
            if not h.subject.running
            else (f"no new stream came within {h.limits.back:g} s")
        )
        raise Failed(_RESUME, STREAM_ENDS, f"{when}, and {how}")
    took = h.now() - start
    assert line.hello is not None
    if line.hello.instance_id != instance:
        raise Failed(
            _RESUME,
            STREAM_ENDS,
            f"{when}, and it came back as instance {line.hello.instance_id!r}, not {instance!r}",
        )
    patience = h.limits.answer + ALLOWANCE_S

    def answered() -> bool:
        return any(stream >= line.number for _, stream, _ in asked.acts) or bool(asked.statuses)

    await h.until(lambda: answered() or not h.subject.running, patience)
    h.alive(STREAM_ENDS)
    if not answered():
        raise Failed(
            _RESUME,
            STREAM_ENDS,
            f"{when}; it came back, but {asked} was not answered within {patience:g} s",
        )
    return took


class _Leaving(Script):
    """Says GoAway together with a turn; when the bot is back its old stream ends."""

    def __init__(self) -> None:
        self.line: Line | None = None

    def down(self, line: Line, message: ServerMessage) -> Iterable[ServerMessage | bytes]:
        if not message.HasField("turn") or self.line is not None:
            return (message,)
        self.line = line
        away = GoAway(drain=duration_to_pb(int(_DRAIN_S * 1000)))
        return (message, ServerMessage(go_away=away))

    def greet(self, line: Line) -> Refusal | None:
        if self.line is not None:
            self.line.end()
        return None


async def go_away(h: Harness) -> str:
    """GoAway in mid-turn: what is owed is answered, then it dials again."""
    script = _Leaving()
    with h.script(script):
        match = await h.seat(Seat.NORTH, per_move=_patient(h))
        asked = await _turn_in(h, match)
        start, streams = h.now(), len(h.gateway.lines)
        await h.until(lambda: len(h.gateway.lines) > streams or not h.subject.running, _DRAIN_S)
        away = h.now() - start
        h.alive(STREAM_ENDS)
        if len(h.gateway.lines) == streams:
            raise Failed(
                "After GoAway a bot answers what it owes and dials again, within the drain.",
                STREAM_ENDS,
                f"no new stream came within {_DRAIN_S:g} s",
            )
        await h.until(lambda: asked.acts or not h.subject.running, h.limits.answer + ALLOWANCE_S)
        if not asked.acts:
            raise not_answered(asked, h.now() - start, STREAM_ENDS)
        await play_out(h, [match], STREAM_ENDS, patience=_patient(h))
    return f"dialled again after {away:.1f} s, and played on"


async def _turn_in(h: Harness, match: str) -> Asked:
    """The first turn of the bot."""
    asked = await first_turn(h, match)
    h.alive(STREAM_ENDS)
    if asked is None:
        raise Skipped("the match ended before a turn of the bot")
    return asked


class _Away(Script):
    """A server that is not there."""

    def greet(self, line: Line) -> Refusal | None:
        return LOST


async def redial_pace(h: Harness) -> str:
    """A server that is away is dialled with growing pauses, and found again."""
    line = await h.connected()
    with h.script(_Away()):
        before = len(h.gateway.lines)
        line.end(LOST)
        await h.until(
            lambda: not h.subject.running or len(h.gateway.lines) - before > 10 * _MOST_DIALS,
            _PACE_S,
        )
        dials = len(h.gateway.lines) - before
    h.alive(STREAM_ENDS)
    if dials > _MOST_DIALS:
        raise Failed(
            "A bot dials again with pauses that grow, from 0.1 s to 5 s.",
            STREAM_ENDS,
            f"it dialled {dials} times in {_PACE_S:g} s",
        )
    start = h.now()
    found = await h.until(lambda: h.line or not h.subject.running, h.limits.back)
    h.alive(STREAM_ENDS)
    if not isinstance(found, Line):
        raise Failed(
            "A bot that has lost its server dials until it is back.",
            STREAM_ENDS,
            f"it did not come back within {h.limits.back:g} s",
        )
    return f"{count(dials, 'dial')} in {_PACE_S:g} s, back {h.now() - start:.1f} s later"


_DEAL: Final = ("stays-up", "legal")
_RESUMED: Final = (*_DEAL, "dropped-stream")
CHECKS: Final = (
    Check("resent-turn", "A turn sent twice", resent_turn, _DEAL),
    Check("dropped-stream", "Stream dropped in mid-turn", dropped_stream, _DEAL),
    Check("server-restart", "Server restarted in mid-turn", server_restart, _RESUMED),
    Check("go-away", "GoAway: answers, dials again", go_away, _RESUMED),
    Check("redial-pace", "Redials with growing pauses", redial_pace, _RESUMED, fresh=True),
)
