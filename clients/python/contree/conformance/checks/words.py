"""What is said on a stream: new words, batches, heartbeats, results, and nothing unasked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from contree.client import Fixed
from contree.conformance.checks.base import (
    DECISIONS,
    ILLEGAL,
    ONE_STREAM,
    STREAM_ENDS,
    Check,
    count,
    first_turn,
    play_out,
    ready,
)
from contree.conformance.companions import dealer_before, dealt
from contree.conformance.gateway import Line
from contree.conformance.harness import ALLOWANCE_S, Harness
from contree.conformance.script import Script
from contree.conformance.verdicts import Failed, Skipped
from contree.engine import Seat, preset
from contree.v1 import auction_pb2, observation_pb2, play_service_pb2
from contree.v1.play_service_pb2 import ActResult, ClientMessage, ServerMessage

_NEWER: Final = b"\xc0\x3e\x2a" + b"\xca\x3e\x05newer"
"""Field 1000, the number 42, and field 1001, the text "newer": not in this version."""
_NEWER_MESSAGE: Final = b"\xca\x3e\x07\x0a\x05hello"
"""A ServerMessage of a kind that this version does not know: its field is 1001."""
_NEWER_NUMBER: Final = 99
_ACK_S: Final = 2.0
_IDLE_S: Final = 1.5
_BEATS: Final = 2
_PLAY_ON_S: Final = 5.0
"""After many turns at once their matches go on for so long, if they do not end before."""


class _Newer(Script):
    """Speaks as a newer server would: more fields, more kinds of messages, more values."""

    def down(self, line: Line, message: ServerMessage) -> Iterable[ServerMessage | bytes]:
        kind = message.WhichOneof("message")
        content: Any = getattr(message, str(kind))
        content.MergeFromString(_NEWER)
        out: list[ServerMessage | bytes] = [_NEWER_MESSAGE]
        if kind == "turn":
            for part in (content.view, content.view.table, content.decision):
                part.MergeFromString(_NEWER)
            fault = play_service_pb2.SeatFault(seat_ref=content.seat_ref, detail="of a new kind")
            fault.fault.kind = _NEWER_NUMBER  # type: ignore[assignment]
            out.append(ServerMessage(fault=fault))
        elif kind == "act_result":
            strange = ActResult(
                seat_ref=content.seat_ref,
                decision_id=b"of another time",
                status=_NEWER_NUMBER,  # type: ignore[arg-type]
                reason="a status of a newer server",
            )
            out.append(ServerMessage(act_result=strange))
        elif kind == "match_ended":
            content.match_ended.reason = _NEWER_NUMBER
        return [*out, message.SerializeToString() + _NEWER]


async def unknown_fields(h: Harness) -> str:
    """Fields, messages and enum values that it does not know."""
    with h.script(_Newer()):
        match = await h.seat(Seat.NORTH, Seat.SOUTH)
        await play_out(h, [match], ONE_STREAM)
    h.alive(ONE_STREAM)
    _on_one_stream(h, match, "Fields and messages that it does not know, a bot passes over.")
    return "a deal with unknown fields, messages, statuses and reasons"


def _on_one_stream(h: Harness, match: str, expected: str) -> None:
    streams = {stream for one in h.observer.of_match(match) for _, stream, _ in one.acts}
    if len(streams) > 1:
        raise Failed(expected, ONE_STREAM, "it ended its stream and dialled again")


class _Gathered(Script):
    """Keeps turns back until there are enough, and sends them as one frame."""

    def __init__(self, wanted: int) -> None:
        self.wanted = wanted
        self.turns: list[ServerMessage] = []
        self.sent = False

    def down(self, line: Line, message: ServerMessage) -> Iterable[ServerMessage | bytes]:
        if self.sent or not message.HasField("turn"):
            return (message,)
        self.turns.append(message)
        if len(self.turns) < self.wanted:
            return ()
        self.sent = True
        line.say(*self.turns)
        return ()


async def batch(h: Harness) -> str:
    """Turns of many seats in one frame."""
    await h.connected()
    wanted = h.room
    rules = preset("contree-simple")
    dealer = dealer_before(Seat.NORTH, rules)
    gathered = _Gathered(wanted)
    patience = h.limits.answer + ALLOWANCE_S
    with h.script(gathered):
        matches = [
            await h.seat(
                Seat.NORTH, rules=rules, deals=Fixed(dealer, dealt(Seat.NORTH)), per_move=60.0
            )
            for _ in range(wanted)
        ]
        await ready(h, *matches)
        await h.until(lambda: gathered.sent or not h.subject.running, h.limits.start)
        h.alive(ONE_STREAM)
        if not gathered.sent:
            raise Skipped(f"its {wanted} turns did not come together")
        requests = h.observer.requests
        batched = [h.observer.asked[one.turn.decision.id] for one in gathered.turns]
        await h.until(lambda: all(one.acts for one in batched) or not h.subject.running, patience)
        requests = h.observer.requests - requests
    h.alive(ONE_STREAM)
    answered = sum(bool(one.acts) for one in batched)
    if answered < wanted:
        raise Failed(
            "A bot answers every turn of a frame; if it cannot play so many seats in time, its "
            "Hello names a smaller capacity.",
            ONE_STREAM,
            f"{answered} of {count(wanted, 'turn')} in one frame were answered within "
            f"{patience:g} s",
        )
    await play_out(h, matches, ONE_STREAM, patience=_PLAY_ON_S, within=_PLAY_ON_S)
    slowest = max(one.answered_in or 0.0 for one in batched)
    return (
        f"{count(wanted, 'turn')} in one frame answered in {count(requests, 'request')} "
        f"within {slowest * 1000:.0f} ms"
    )


async def heartbeats(h: Harness) -> str:
    """Acknowledged at once."""
    line = await h.connected()
    observer = h.observer
    start = h.now()

    def beats() -> list[list[float]]:
        # The last one may be on its way.
        every = [one for (stream, _), one in observer.beats.items() if stream == line.number]
        return [one for one in every if one[0] >= start]

    def enough() -> bool:
        return sum(len(one) > 1 or h.now() - one[0] > _ACK_S for one in beats()) >= _BEATS

    await h.until(lambda: enough() or not h.subject.running, 10.0)
    h.alive(STREAM_ENDS)
    seen = beats()
    if not seen:
        raise Skipped("no heartbeat was sent")
    delays = [one[1] - one[0] for one in seen if len(one) > 1]
    missing = sum(len(one) == 1 and h.now() - one[0] > _ACK_S for one in seen)
    if missing or not delays or max(delays) > _ACK_S:
        seen_instead = (
            f"{missing} of {len(seen)} were not answered within {_ACK_S:g} s"
            if missing or not delays
            else f"it took {max(delays):.2f} s"
        )
        raise Failed(
            "The nonce of a heartbeat is sent back at once, whatever the bot is thinking about.",
            STREAM_ENDS,
            seen_instead,
        )
    return f"{len(delays)} answered, at most {max(delays) * 1000:.0f} ms"


class _Contrary(Script):
    """Has every kind of result come: what the bot says is changed on its way to the server."""

    def __init__(self) -> None:
        self.turn = 0
        self.spoilt = b""
        """The decision whose first answer was made illegal."""
        self.answered = False
        """It was answered again."""

    def up(self, line: Line, message: ClientMessage) -> Iterable[ClientMessage]:
        if not message.HasField("act"):
            return (message,)
        act = message.act
        if act.decision_id == self.spoilt:
            self.answered = True
            return (message,)
        self.turn += 1
        if self.turn == 1:
            self.spoilt = act.decision_id
            return (_other(act, _ILLEGAL_ACTION),)
        if self.turn == 2:
            return (message, message)  # DUPLICATE
        if self.turn == 3:
            return (message, _other(act, _ILLEGAL_ACTION))  # CONFLICT
        if self.turn == 4:
            stale = _other(act, act.action)
            stale.act.decision_id = b"a decision that never was"
            return (stale, message)
        return (message,)

    def down(self, line: Line, message: ServerMessage) -> Iterable[ServerMessage | bytes]:
        if not message.HasField("turn") or self.turn not in {4, 5}:
            return (message,)
        late = self.turn == 4
        result = ActResult(
            seat_ref=message.turn.seat_ref,
            decision_id=self.spoilt,
            status=(
                play_service_pb2.ACT_STATUS_LATE
                if late
                else play_service_pb2.ACT_STATUS_UNKNOWN_SEAT
            ),
            reason="of a decision long past",
        )
        return (ServerMessage(act_result=result), message)


_ILLEGAL_ACTION: Final = observation_pb2.Action(
    call=auction_pb2.Call(decline=auction_pb2.Decline())
)
"""Never legal at one's turn to call or to play."""


def _other(act: play_service_pb2.Act, action: observation_pb2.Action) -> ClientMessage:
    changed = ClientMessage(act=act)
    changed.act.action.CopyFrom(action)
    return changed


async def results(h: Harness) -> str:
    """Answers that were not taken: ILLEGAL, DUPLICATE, CONFLICT, STALE, LATE, UNKNOWN_SEAT."""
    script = _Contrary()
    with h.script(script):
        match = await h.seat(Seat.NORTH, Seat.SOUTH, per_move=h.limits.answer * 2)
        await first_turn(h, match)
        patience = h.limits.answer + ALLOWANCE_S
        await h.until(lambda: script.spoilt or not h.subject.running, patience)
        await h.until(lambda: script.answered or not h.subject.running, patience)
        h.alive(DECISIONS)
        if not script.answered:
            raise Failed(
                "After ILLEGAL with a decision, the seat owes it still: a bot answers again.",
                DECISIONS,
                f"no other answer came within {patience:g} s",
            )
        await play_out(h, [match], DECISIONS)
    illegal = sum(one.statuses.count(ILLEGAL) for one in h.observer.of_match(match))
    if illegal > 1:
        raise Failed(
            "After ILLEGAL, a bot answers with one of the legal actions of the decision.",
            DECISIONS,
            f"{illegal} answers were illegal, one of them by the kit",
        )
    return "answered again after ILLEGAL, and went on after the others"


async def match_ended(h: Harness) -> str:
    """One match after the other, one of them cancelled in mid-turn."""
    first = await h.seat(Seat.NORTH)
    await play_out(h, [first], STREAM_ENDS)
    refused = len(h.observer.refused)
    with h.script(_Mute()):
        second = await h.seat(Seat.NORTH)
        await first_turn(h, second)
        await h.host.cancel_match(second, "the check wants it so")
        await h.until(lambda: h.observer.is_over(second) or not h.subject.running, 5.0)
    h.alive(STREAM_ENDS)
    third = await h.seat(Seat.NORTH, Seat.SOUTH)
    await play_out(h, [third], STREAM_ENDS)
    more = len(h.observer.refused) - refused
    if more > 1:
        raise Failed(
            "After MatchEnded the seat_ref is free again: nothing more is said for it.",
            STREAM_ENDS,
            f"the server did not understand {count(more, 'message')}",
        )
    return "three matches, one of them cancelled in mid-turn"


class _Mute(Script):
    """No answer of the bot reaches the server."""

    def up(self, line: Line, message: ClientMessage) -> Iterable[ClientMessage]:
        return () if message.HasField("act") else (message,)


async def unsolicited(h: Harness) -> str:
    """Says what is asked, and nothing more."""
    await h.connected()
    offences, requests = len(h.observer.offences), h.observer.requests
    match = await h.seat(Seat.NORTH, Seat.SOUTH)
    await play_out(h, [match], ONE_STREAM)
    await h.until(lambda: not h.subject.running, _IDLE_S)
    said = h.observer.offences[offences:]
    if said:
        raise Failed(
            "A bot says Hello once, Ready where it is owed, one Act for each turn, and the nonce "
            "of each heartbeat; nothing else.",
            ONE_STREAM,
            f"{count(len(said), 'message')} too many, the first of them {said[0].what}",
        )
    return f"nothing unasked in {count(h.observer.requests - requests, 'request')}"


_DEAL: Final = ("stays-up", "legal")
BATCH: Final = (Check("batch", "Many turns in one frame", batch, _DEAL),)
CHECKS: Final = (
    Check("heartbeats", "Acknowledges heartbeats", heartbeats, ("hello",)),
    Check("unsolicited", "Says nothing unasked", unsolicited, _DEAL),
    Check("unknown-fields", "Unknown fields, messages, values", unknown_fields, _DEAL),
    Check("results", "ILLEGAL, STALE, LATE and others", results, _DEAL),
    Check("match-ended", "MatchEnded frees the seat", match_ended, _DEAL),
)
