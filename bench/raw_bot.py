"""A bot for the service bench on nothing but the generated stubs: ``python bench/raw_bot.py ADDRESS
NAME [SECONDS]``. With seconds it takes so long for each answer.

So the bench measures the service and not the SDK: like the client of the echo it is compared with,
this bot does as little as one can. Opens the lowest bid, then passes; plays its first legal card. A
batch is answered with a batch.
"""

from __future__ import annotations

import asyncio
import gc
import sys
from typing import Any

import grpc
from grpc import aio

from contree.v1.observation_pb2 import Action, PlayCard
from contree.v1.play_service_pb2 import (
    Act,
    ClientMessage,
    HeartbeatAck,
    Hello,
    PlayRequest,
    Ready,
    ServerMessage,
    Turn,
)
from contree.v1.play_service_pb2_grpc import PlayServiceStub


def _answer(message: ServerMessage) -> ClientMessage | None:
    kind = message.WhichOneof("message")
    if kind == "turn":
        turn = message.turn
        decision = turn.decision
        return ClientMessage(
            act=Act(seat_ref=turn.seat_ref, decision_id=decision.id, action=_action(turn))
        )
    if kind == "seat_assigned" and message.seat_assigned.ready_owed:
        return ClientMessage(ready=Ready(seat_ref=message.seat_assigned.seat_ref))
    if kind == "heartbeat":
        return ClientMessage(heartbeat_ack=HeartbeatAck(nonce=message.heartbeat.nonce))
    return None


def _action(turn: Turn) -> Action:
    decision = turn.decision
    if decision.cards:
        return Action(play=PlayCard(card=decision.cards[0]))
    # Pass comes first, then the bids from low to high; a window has yes, then decline.
    opens = not turn.view.table.HasField("contract") and len(decision.calls) > 1
    first = decision.calls[1 if opens else 0]
    return Action(call=first if first.HasField("pass") or opens else decision.calls[-1])


async def play(address: str, name: str, think_s: float = 0.0) -> None:
    """Play until killed."""
    async with aio.insecure_channel(address) as channel:
        stub: Any = PlayServiceStub(channel)  # its types are those of a blocking channel
        call = stub.Play()
        hello = Hello(protocol_version=1, bot=name, capacity=4096)
        await call.write(PlayRequest(messages=[ClientMessage(hello=hello)]))
        due: asyncio.Queue[list[ClientMessage]] = asyncio.Queue()
        answering = asyncio.create_task(_answer_when_due(call, due)) if think_s else None
        while (response := await call.read()) is not grpc.aio.EOF:
            answers = [answer for one in response.messages if (answer := _answer(one)) is not None]
            if answers and think_s:
                asyncio.get_running_loop().call_later(think_s, due.put_nowait, answers)
            elif answers:
                await call.write(PlayRequest(messages=answers))
        if answering is not None:
            answering.cancel()


async def _answer_when_due(call: Any, due: asyncio.Queue[list[ClientMessage]]) -> None:
    """A stream takes one write at a time."""
    while True:
        await call.write(PlayRequest(messages=await due.get()))


if __name__ == "__main__":
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    asyncio.run(play(sys.argv[1], sys.argv[2], *map(float, sys.argv[3:4])))
