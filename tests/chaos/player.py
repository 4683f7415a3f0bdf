"""A bot on bare messages that keeps books: it plays on whatever happens to its streams."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from grpc import aio
from tests.chaos.ledger import Ledger, Place

from contree.client import Connection
from contree.client.channel import open_channel
from contree.client.outbox import Outbox
from contree.engine import DECLINE, PASS, Action, DecisionKind, Seat, View
from contree.v1 import play_service_pb2
from contree.v1.play_service_pb2 import ClientMessage, ServerMessage
from contree.wire import (
    ViewReader,
    act_to_bytes,
    decision_from_pb,
    duration_from_pb,
    rules_from_pb,
    seat_from_pb,
)

PLAY: Final = "/contree.v1.PlayService/Play"
_SILENT_BEATS: Final = 3
_DIAL_S: Final = 5.0
_BACKOFF_S: Final = (0.05, 0.5)


class _Held:
    """A seat, over all streams."""

    def __init__(self, match_id: str, seat: Seat, views: ViewReader) -> None:
        self.match_id = match_id
        self.seat = seat
        self.views = views
        self.answers: dict[bytes, Action] = {}


class Player:
    """One bot instance. It answers each decision with one action, however often it is asked."""

    def __init__(
        self,
        name: str,
        address: str,
        ledger: Ledger,
        choices: random.Random,
        *,
        think: float = 0.0,
        capacity: int = 1000,
    ) -> None:
        """``think`` is the longest that it thinks, in seconds."""
        self.name = name
        self.streams = 0
        self.turns = 0
        self._address = address
        self._ledger = ledger
        self._choices = choices
        self._think = think
        self._capacity = capacity
        self._held: dict[tuple[str, Seat], _Held] = {}
        self._refs: dict[int, _Held] = {}
        self._call: Any = None
        self._outbox = Outbox()
        self._superseded = False

    async def run(self) -> None:
        """Play until cancelled, dialling again whenever the stream ends."""
        pause = _BACKOFF_S[0]
        while True:
            before = self.streams
            with contextlib.suppress(aio.AioRpcError, TimeoutError):
                await self._stream()
            assert not self._superseded, f"{self.name} was superseded"
            pause = _BACKOFF_S[0] if self.streams > before else min(_BACKOFF_S[1], 2 * pause)
            await asyncio.sleep(self._choices.uniform(0.5, 1) * pause)

    def hang_up(self) -> None:
        """Break the stream off, as a network does."""
        if self._call is not None:
            self._call.cancel()

    async def _stream(self) -> None:
        self._outbox = outbox = Outbox()
        self._refs = {}
        channel = open_channel(self._address, Connection())
        play: Any = channel.stream_stream(
            PLAY, response_deserializer=play_service_pb2.PlayResponse.FromString
        )
        self._call = call = play(outbox.requests())
        hello = play_service_pb2.Hello(
            protocol_version=1, bot=self.name, instance_id=self.name, capacity=self._capacity
        )
        outbox.put(ClientMessage(hello=hello))
        silence = _DIAL_S
        try:
            while True:
                async with asyncio.timeout(silence):
                    frame = await call.read()
                if frame is aio.EOF:
                    return
                for message in frame.messages:
                    if message.HasField("welcome"):
                        silence = _SILENT_BEATS * duration_from_pb(message.welcome.heartbeat) / 1000
                        self.streams += 1
                    self._take(message)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
        finally:
            outbox.close()
            call.cancel()
            await channel.close()

    def _take(self, message: ServerMessage) -> None:
        which = message.WhichOneof("message")
        if which == "turn":
            self._turn(message.turn)
        elif which == "act_result":
            self._ledger.heard(message.act_result.decision_id, message.act_result.status)
        elif which == "seat_assigned":
            self._seated(message.seat_assigned)
        elif which == "match_ended":
            held = self._refs.pop(message.match_ended.seat_ref, None)
            if held is not None:
                self._held.pop((held.match_id, held.seat), None)
        elif which == "heartbeat":
            ack = play_service_pb2.HeartbeatAck(nonce=message.heartbeat.nonce)
            self._outbox.put(ClientMessage(heartbeat_ack=ack))
        elif which == "go_away":
            self._outbox.close()
        elif which == "superseded":
            self._superseded = True
        elif which == "refused":
            self._ledger.wrong.append(f"{self.name} was refused: {message.refused.reason}")

    def _seated(self, assigned: play_service_pb2.SeatAssigned) -> None:
        seat = seat_from_pb(assigned.seat, "seat")
        key = (assigned.match_id, seat)
        if key not in self._held:
            self._held[key] = _Held(*key, ViewReader(rules_from_pb(assigned.rules)))
        self._refs[assigned.seat_ref] = self._held[key]
        if assigned.ready_owed:
            ready = play_service_pb2.Ready(seat_ref=assigned.seat_ref)
            self._outbox.put(ClientMessage(ready=ready))

    def _turn(self, turn: play_service_pb2.Turn) -> None:
        self.turns += 1
        held = self._refs[turn.seat_ref]
        decision = decision_from_pb(turn.decision, "decision")
        clock = decision.clock
        if min(clock.remaining, clock.bank, clock.allowance, clock.charged) < 0:
            self._ledger.wrong.append(f"a negative clock in {held.match_id}: {clock}")
        if decision.id not in held.answers:
            view = held.views.read(turn.view, decision)
            action = choose(view, self._choices)
            held.answers[decision.id] = action
            self._ledger.answer(Place.of(held.match_id, view), decision.id, action)
        answer = act_to_bytes(turn.seat_ref, decision.id, held.answers[decision.id])
        self._later(partial(self._answer, self._outbox, turn.seat_ref, answer))

    def _answer(self, outbox: Outbox, seat_ref: int, answer: bytes) -> None:
        """Answer on the stream that asked, unless it or the match has ended meanwhile."""
        if outbox is self._outbox and seat_ref in self._refs:
            outbox.put(answer)

    def _later(self, say: Callable[[], None]) -> None:
        """After a thought."""
        if self._think:
            asyncio.get_running_loop().call_later(self._choices.uniform(0, self._think), say)
        else:
            say()


def choose(view: View, choices: random.Random) -> Action:
    """Any card; now and then a bid or a contre."""
    if view.kind is DecisionKind.CARD or choices.random() < 0.3:
        return choices.choice(view.legal)
    return PASS if PASS in view.legal else DECLINE if DECLINE in view.legal else view.legal[0]
