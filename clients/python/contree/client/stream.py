"""One Play stream, from dialling to its end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final, NoReturn

from grpc import aio

from contree.client.channel import Connection, Target, open_channel
from contree.client.errors import Draining, MatchNotFound, TryLater, error_from_rpc
from contree.client.events import MatchEnded
from contree.client.messages import match_from_pb
from contree.client.outbox import Outbox
from contree.client.session import Session, log
from contree.v1 import match_service_pb2, match_service_pb2_grpc, play_service_pb2
from contree.v1.play_service_pb2 import ClientMessage
from contree.wire import WireError

_PLAY: Final = f"/{play_service_pb2.DESCRIPTOR.services_by_name['PlayService'].full_name}/Play"
_SILENT_BEATS: Final = 3
"""Heartbeats that may be missed before a stream counts as dead."""
_FAREWELL_S: Final = 1.0
_SEARCHES: Final = 3
"""So often a match is looked for that a server knows, but does not give a seat back of."""


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


class Renewal(TryLater):
    """The stream was ended here, to say Hello again at once."""


class Stream:
    """One connection of a session."""

    def __init__(
        self, session: Session, address: str, target: Target, connection: Connection
    ) -> None:
        self._session = session
        self.address = address
        """Which of the servers is dialled."""
        self._target = target
        self._connection = connection
        self._outbox = Outbox()
        self._loop = asyncio.get_running_loop()
        self._channel: aio.Channel | None = None
        self._call: Any = None
        self._watchdog: Watchdog | None = None
        self._ending = ""
        """Why this side ended the stream."""
        self._timers: list[asyncio.TimerHandle] = []
        self._searching: asyncio.Task[None] | None = None
        self._searches = 0
        self._renewing = False
        self.welcomed_at: float | None = None
        self.going_away = False
        self.misplaced = False
        """The server does not have matches of this session that are being played."""

    async def run(self) -> NoReturn:
        """Play until the stream ends; raises why it did."""
        session = self._session
        self._channel = open_channel(self.address, self._connection)
        play: Any = self._channel.stream_stream(
            _PLAY, response_deserializer=play_service_pb2.PlayResponse.FromString
        )
        self._call = play(self._outbox.requests(), metadata=self._target.metadata)
        self._watchdog = Watchdog(self._connection.timeout, self._fell_silent)
        session.attach(self)
        try:
            async for frame in self._call:
                self._watchdog.feed()
                session.take(frame.messages)
                if self.going_away and not session.owes:
                    self.finish()
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not self._ending or (task is not None and task.cancelling()):
                raise
        except aio.AioRpcError as error:
            if not self._ending:
                raise error_from_rpc(error, session.identity.instance_id) from None
        finally:
            self._watchdog.stop()
            for timer in self._timers:
                timer.cancel()
            session.detach()
            self._outbox.close()
            self._call.cancel()
            if self._searching is not None:
                self._searching.cancel()
                await asyncio.wait({self._searching})
            await self._channel.close()
        if self.going_away:
            raise Draining("the server is stopping")
        if self._renewing:
            raise Renewal("the stream was ended here")
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

    def _fell_silent(self) -> None:
        self.end("the server fell silent")

    # -- what the session wants -----------------------------------------------------------------

    def say(self, message: ClientMessage | bytes) -> None:
        """Say something, in one request with what else is said now."""
        self._outbox.put(message)

    def welcomed(self, heartbeat: float) -> None:
        """The stream is open: from here on silence is measured in heartbeats."""
        self.welcomed_at = self._loop.time()
        if heartbeat > 0 and self._watchdog is not None:
            self._watchdog.relax(heartbeat * _SILENT_BEATS)

    def sent_away(self, drain: float) -> None:
        """Finish what is owed, within this time."""
        self.going_away = True
        self._timers.append(self._loop.call_later(drain, self.finish))

    def fell_behind(self) -> None:
        """Something was lost: only a new stream brings it."""
        self.end("something was lost on the way")

    def renew(self) -> None:
        """End the stream in good order and open another, to say Hello again."""
        self._renewing = True
        self.finish()

    def search(self, match_ids: list[str]) -> None:
        """Find out about matches of which the server did not give a seat back."""
        if self._channel is not None and (self._searching is None or self._searching.done()):
            self._searching = asyncio.create_task(self._look_up(self._channel, match_ids))

    async def _look_up(self, channel: aio.Channel, match_ids: list[str]) -> None:
        """Ask for the matches: they may have ended while no stream was up."""
        self._searches += 1
        stub: Any = match_service_pb2_grpc.MatchServiceStub(channel)
        for match_id in match_ids:
            request = match_service_pb2.GetMatchRequest(match_id=match_id)
            try:
                response = await stub.GetMatch(
                    request, timeout=self._connection.timeout, metadata=self._target.metadata
                )
                match = match_from_pb(response.match)
            except aio.AioRpcError as failure:
                if isinstance(error_from_rpc(failure), MatchNotFound):
                    self._session.lost(match_id, None)
                else:
                    log.debug("match %s cannot be read: %s", match_id, failure.details())
            except WireError as error:
                log.debug("match %s cannot be read: %s", match_id, error)
            else:
                if match.end_reason is not None:
                    ended = MatchEnded(match.end_reason, match.scores, match.winner)
                    self._session.lost(match_id, ended)
                elif self._searches >= _SEARCHES and len(self._target.addresses) > 1:
                    self.misplaced = True
                    self.end("its matches are at another server")
