"""One Play stream, from dialling to its end."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any, Final

from grpc import aio

from contree.client.channel import Connection, Target, open_channel
from contree.client.errors import ContreeError, TryLater, error_from_rpc
from contree.client.messages import match_from_pb
from contree.client.outbox import Outbox
from contree.client.session import Session, log
from contree.client.events import MatchEnded
from contree.client.matches import MatchState
from contree.v1 import (
    match_service_pb2,
    match_service_pb2_grpc,
    play_service_pb2_grpc,
)
from contree.v1.error_reason_pb2 import ErrorReason
from contree.wire import WireError

_SILENT_BEATS: Final = 3
"""Heartbeats that may be missed before a stream counts as dead."""
_FAREWELL_S: Final = 1.0


class Watchdog:
    """Calls ``bite`` when it has not been fed for ``limit`` seconds."""

    def __init__(self, limit: float, bite: Callable[[], object]) -> None:
        self._loop = asyncio.get_running_loop()
        self._bite = bite
        self.limit = limit
        self._fed = self._loop.time()
        self._due = self._fed + limit
        self._timer = self._loop.call_later(limit, self._look)

    def feed(self) -> None:
        """Something was heard."""
        self._fed = self._loop.time()

    def relax(self, limit: float) -> None:
        """Bite only after another time from here on."""
        self.limit = limit
        self.feed()
        self._timer.cancel()
        self._arm(limit)

    def stop(self) -> None:
        """Never bite."""
        self._timer.cancel()

    def _arm(self, delay: float) -> None:
        self._due = self._loop.time() + delay
        self._timer = self._loop.call_later(delay, self._look)

    def _look(self) -> None:
        now = self._loop.time()
        left = self._fed + self.limit - now
        late = now - self._due
        if left > 0:
            self._arm(left)
        elif late > self.limit / _SILENT_BEATS:
            # The loop itself was held up, by a bot that thinks in place, say: what has arrived
            # meanwhile is still to be read.
            self.feed()
            self._arm(self.limit)
        else:
            self._bite()


class Stream:
    """One connection of a session."""

    def __init__(self, session: Session, target: Target, connection: Connection) -> None:
        self._session = session
        self._target = target
        self._connection = connection
        self._outbox = Outbox()
        self._loop = asyncio.get_running_loop()
        self._call: Any = None
        self._ending = ""
        """Why this side ended the stream."""
        self._timers: list[asyncio.TimerHandle] = []
        self.welcomed = False
        self.going_away = False

    async def run(self) -> None:
        """Play until the stream ends; raises why it did, if that matters."""
        channel = open_channel(self._target, self._connection)
        stub: Any = play_service_pb2_grpc.PlayServiceStub(channel)
        self._call = stub.Play(self._outbox.requests(), metadata=self._target.metadata)
        watchdog = Watchdog(self._connection.timeout, lambda: self.end("the server fell silent"))
        searching: asyncio.Task[None] | None = None

        def on_welcome(heartbeat: float) -> None:
            self.welcomed = True
            if heartbeat > 0:
                watchdog.relax(heartbeat * _SILENT_BEATS)

        session = self._session
        session.on_welcome = on_welcome
        session.on_go_away = self._go_away
        session.on_behind = lambda: self.end("something was lost on the way")
        session.attach(self._outbox)
        try:
            async for frame in self._call:
                watchdog.feed()
                session.take(frame.messages)
                if self.going_away and not session.owes:
                    self.finish()
                if session.orphans and (searching is None or searching.done()):
                    searching = asyncio.create_task(self._search(channel, session.orphans))
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not self._ending or (task is not None and task.cancelling()):
                raise
        except aio.AioRpcError as error:
            if not self._ending:
                raise error_from_rpc(error, session.identity.instance_id) from None
        finally:
            watchdog.stop()
            for timer in self._timers:
                timer.cancel()
            session.detach()
            self._outbox.close()
            self._call.cancel()
            if searching is not None:
                searching.cancel()
            await channel.close()
        if not self.going_away:
            raise TryLater(self._ending or "the server ended the stream")

    def end(self, why: str) -> None:
        """Break the stream off."""
        self._ending = self._ending or why
        if self._call is not None:
            self._call.cancel()

    def finish(self) -> None:
        """End the stream in good order: say what is left to say, then no more."""
        if not self._ending:
            self._ending = "the stream was ended here"
            self._outbox.close()
            self._timers.append(self._loop.call_later(_FAREWELL_S, self._call.cancel))
