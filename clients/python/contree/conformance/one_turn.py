"""A recorded turn, asked of a bot again: the same view, the same legal actions, one answer."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from grpc import aio

from contree.conformance.subject import Subject
from contree.engine import Action
from contree.testing.turns import RecordedTurn
from contree.v1 import event_pb2, match_pb2, play_service_pb2, play_service_pb2_grpc
from contree.v1.play_service_pb2 import PlayResponse, ServerMessage
from contree.wire import (
    Clock,
    WireError,
    action_from_pb,
    duration_to_pb,
    rules_to_pb,
    seat_to_pb,
    turn_to_pb,
)

_REF: Final = 1
_MATCH: Final = "a-recorded-match"
_DECISION: Final = b"the recorded turn"
_HEARTBEAT_MS: Final = 1_000
_ALLOWANCE_MS: Final = 500


class Reply(NamedTuple):
    """What a bot answers to a recorded turn."""

    action: Action | None
    """None when no answer came in time, or none that could be read."""
    legal: bool
    seconds: float
    problem: str = ""
    """Why there is no action."""
    output: str = ""
    """The last lines that the bot wrote."""


def turn_message(turn: RecordedTurn, clock: float) -> play_service_pb2.Turn:
    """The turn as the service sends it, with so many seconds on the clock."""
    told = Clock(int(clock * 1000), 0, _ALLOWANCE_MS, 0, None)
    return turn_to_pb(_REF, turn.step, turn.view, _DECISION, told)


async def ask_again(
    turn: RecordedTurn,
    command: Sequence[str],
    *,
    name: str = "replayed",
    clock: float = 10.0,
    start: float = 20.0,
) -> Reply:
    """Start a bot, let it take the seat, ask it this turn, end it. Raises ProcessError when the
    command cannot be started.
    """
    table = _Table(turn, clock)
    with TemporaryDirectory(prefix="contree-") as folder:
        async with table.serving() as address:
            subject = Subject(name, tuple(command), folder=Path(folder), capacity=1)
            subject.changed = table.changed.set
            try:
                await subject.start(address)
                reply = await table.reply(subject, start)
            finally:
                await subject.stop()
            return reply._replace(output=subject.output)


class _Table(play_service_pb2_grpc.PlayServiceServicer):
    """Serves one seat and one turn."""

    def __init__(self, turn: RecordedTurn, clock: float) -> None:
        self._turn = turn
        self._clock = clock
        self._now = asyncio.get_running_loop().time
        self._asked = 0.0
        self._answered = 0.0
        self._act: play_service_pb2.Act | None = None
        self.changed = asyncio.Event()

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        """Serve on a free port of this machine; the address."""
        server = aio.server(options=(("grpc.so_reuseport", 0),))
        play_service_pb2_grpc.add_PlayServiceServicer_to_server(self, server)
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        try:
            yield f"127.0.0.1:{port}"
        finally:
            await server.stop(None)

    async def reply(self, subject: Subject, start: float) -> Reply:
        """Wait until the bot has answered, has ended, or its time is over."""
        begin = self._now()
        while self._act is None and subject.running:
            asked = self._asked
            due = asked + self._clock + _ALLOWANCE_MS / 1000 if asked else begin + start
            left = due - self._now()
            if left <= 0:
                if asked:
                    return Reply(None, False, self._clock, f"no answer within {self._clock:g} s")
                return Reply(None, False, start, f"it did not take the seat within {start:g} s")
            self.changed.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self.changed.wait()
        if self._act is None:
            return Reply(None, False, self._now() - begin, f"it ended {subject.ending}")
        took = self._answered - self._asked
        try:
            action = action_from_pb(self._act.action, "act.action")
        except WireError as error:
            return Reply(None, False, took, f"its answer cannot be read: {error}")
        return Reply(action, action in self._turn.view.legal, took)

    async def Play(self, requests: AsyncIterator[Any], context: Any) -> AsyncIterator[PlayResponse]:
        """One stream."""
        del context
        async for request in requests:
            out: list[ServerMessage] = []
            for message in request.messages:
                kind = message.WhichOneof("message")
                if kind == "hello":
                    out += [self._welcome(message.hello), self._assigned()]
                elif kind == "ready":
                    self._asked = self._asked or self._now()
                    self.changed.set()
                    out.append(ServerMessage(turn=turn_message(self._turn, self._clock)))
                elif kind == "act" and self._act is None:
                    self._act, self._answered = message.act, self._now()
                    self.changed.set()
                    out += self._over(message.act)
            if out:
                yield PlayResponse(messages=out)

    def _welcome(self, hello: play_service_pb2.Hello) -> ServerMessage:
        welcome = play_service_pb2.Welcome(
            protocol_version=1,
            server_version="replay",
            server_id="replay",
            instance_id=hello.instance_id,
            # None is sent: nobody waits for so long.
            heartbeat=duration_to_pb(int(self._clock * 1000) + 60 * _HEARTBEAT_MS),
            capacity=1,
        )
        return ServerMessage(welcome=welcome)

    def _assigned(self) -> ServerMessage:
        assigned = play_service_pb2.SeatAssigned(
            seat_ref=_REF,
            match_id=_MATCH,
            seat=seat_to_pb(self._turn.seat),
            rules=rules_to_pb(self._turn.view.rules),
            single_deal=play_service_pb2.SingleDeal(),
            time_control=match_pb2.TimeControl(
                per_move=duration_to_pb(int(self._clock * 1000)),
                allowance=duration_to_pb(_ALLOWANCE_MS),
            ),
            fault_policy=match_pb2.FaultPolicy(),
            ready_owed=True,
        )
        return ServerMessage(seat_assigned=assigned)

    def _over(self, act: play_service_pb2.Act) -> list[ServerMessage]:
        result = play_service_pb2.ActResult(
            seat_ref=act.seat_ref,
            decision_id=act.decision_id,
            status=play_service_pb2.ACT_STATUS_ACCEPTED,
        )
        ended = play_service_pb2.SeatMatchEnded(
            seat_ref=_REF,
            match_ended=event_pb2.MatchEnded(reason=match_pb2.END_REASON_CANCELLED),
            match_id=_MATCH,
        )
        return [ServerMessage(act_result=result), ServerMessage(match_ended=ended)]
