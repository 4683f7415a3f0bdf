"""A correct bot on the bare stubs, small enough to see what the faulty ones make of it.

    python -m contree.conformance.faulty.plain

It plays any legal action. What it reads from the environment is in bots/README.md.
"""

from __future__ import annotations

import os
import queue
import random
import sys
import time
from collections.abc import Iterable
from typing import Any, Final, NoReturn

import grpc

from contree.v1 import observation_pb2, play_service_pb2, play_service_pb2_grpc
from contree.v1.play_service_pb2 import ClientMessage, Hello, PlayRequest, ServerMessage

_HOPELESS: Final = (
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.ALREADY_EXISTS,
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.PERMISSION_DENIED,
)
_OPTIONS: Final = (
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.enable_retries", 0),
)
_FIRST_PAUSE_S: Final = 0.1
_LONGEST_PAUSE_S: Final = 5.0


class Plain:
    """The bot. The faulty ones override what they do wrong."""

    def __init__(self) -> None:
        self.server = os.environ.get("CONTREE_SERVER", "127.0.0.1:50051")
        self.name = os.environ.get("CONTREE_BOT", "plain")
        self.instance = os.environ.get("CONTREE_INSTANCE") or f"plain-{os.getpid()}"
        self.given: dict[bytes, observation_pb2.Action] = {}
        self.pause = _FIRST_PAUSE_S
        self.leaving = False
        self.outbox: queue.SimpleQueue[PlayRequest | None] = queue.SimpleQueue()

    def run(self) -> NoReturn:
        """Play until there is no way to go on."""
        while True:
            try:
                self.play()
            except grpc.RpcError as error:
                self.lost(error)
            self.wait()

    def play(self) -> None:
        """One stream."""
        self.leaving = False
        outbox: queue.SimpleQueue[PlayRequest | None] = queue.SimpleQueue()
        self.outbox = outbox
        with grpc.insecure_channel(self.server, options=_OPTIONS) as channel:
            self.say(ClientMessage(hello=self.hello()))
            stream: Any = play_service_pb2_grpc.PlayServiceStub(channel).Play(
                iter(outbox.get, None)
            )
            try:
                for frame in stream:
                    self.take(frame)
                    if self.leaving:
                        return
            finally:
                outbox.put(None)

    def hello(self) -> Hello:
        """The first message of a stream."""
        capacity = int(os.environ.get("CONTREE_CAPACITY") or 0)
        return Hello(
            protocol_version=1, bot=self.name, instance_id=self.instance, capacity=capacity
        )

    def say(self, *messages: ClientMessage) -> None:
        """Say these in one request."""
        if messages:
            self.outbox.put(PlayRequest(messages=messages))

    def take(self, frame: play_service_pb2.PlayResponse) -> None:
        """Answer a batch with a batch."""
        self.say(*(answer for message in frame.messages for answer in self.hear(message)))

    def hear(self, message: ServerMessage) -> Iterable[ClientMessage]:
        """The answers to one message. What it does not know, and what wants none, has none."""
        kind = message.WhichOneof("message")
        answer = None if kind is None else getattr(self, kind, None)
        return () if answer is None else answer(getattr(message, str(kind)))

    def welcome(self, _: play_service_pb2.Welcome) -> Iterable[ClientMessage]:
        """The stream is open."""
        self.pause = _FIRST_PAUSE_S
        return ()

    def heartbeat(self, beat: play_service_pb2.Heartbeat) -> Iterable[ClientMessage]:
        """Sent back at once."""
        yield ClientMessage(heartbeat_ack=play_service_pb2.HeartbeatAck(nonce=beat.nonce))

    def seat_assigned(self, seat: play_service_pb2.SeatAssigned) -> Iterable[ClientMessage]:
        """Ready, where it is owed."""
        if seat.ready_owed:
            yield ClientMessage(ready=play_service_pb2.Ready(seat_ref=seat.seat_ref))

    def turn(self, turn: play_service_pb2.Turn) -> Iterable[ClientMessage]:
        """The answer to a decision: the same, if it was answered before."""
        decision = turn.decision
        if decision.id not in self.given:
            self.given[decision.id] = self.choose(turn.view, decision)
        yield self.act(turn.seat_ref, decision.id)

    def act(self, seat_ref: int, decision_id: bytes) -> ClientMessage:
        """What was chosen, as a message."""
        act = play_service_pb2.Act(
            seat_ref=seat_ref, decision_id=decision_id, action=self.given[decision_id]
        )
        return ClientMessage(act=act)

    def act_result(self, result: play_service_pb2.ActResult) -> Iterable[ClientMessage]:
        """After an illegal answer, another."""
        if result.status == play_service_pb2.ACT_STATUS_ILLEGAL and result.HasField("decision"):
            self.given[result.decision_id] = any_of(result.decision)
            yield self.act(result.seat_ref, result.decision_id)

    def choose(
        self, view: observation_pb2.SeatView, decision: observation_pb2.Decision
    ) -> observation_pb2.Action:
        """The bot."""
        del view
        return any_of(decision)

    def go_away(self, _: play_service_pb2.GoAway) -> Iterable[ClientMessage]:
        """Answers are given at once here, so nothing is owed: dial again."""
        self.leaving = True
        return ()

    def superseded(self, _: play_service_pb2.Superseded) -> Iterable[ClientMessage]:
        """Another process plays on."""
        stop("another process has this instance id")

    def lost(self, error: grpc.RpcError) -> None:
        """The stream ended with an error."""
        status = error.code()
        if status in _HOPELESS:
            stop(f"the server says {status.name}")

    def wait(self) -> None:
        """Before the next dial; longer each time."""
        time.sleep(self.pause * random.uniform(0.5, 1.0))
        self.pause = min(2 * self.pause, _LONGEST_PAUSE_S)


def any_of(decision: observation_pb2.Decision) -> observation_pb2.Action:
    """Any legal action."""
    if decision.cards:
        play = observation_pb2.PlayCard(card=random.choice(decision.cards))
        return observation_pb2.Action(play=play)
    return observation_pb2.Action(call=random.choice(decision.calls))


def stop(why: str) -> NoReturn:
    """End the program, with a sentence and exit code 1."""
    print(why, file=sys.stderr, flush=True)
    os._exit(1)  # gRPC's threads are not waited for


if __name__ == "__main__":
    Plain().run()
