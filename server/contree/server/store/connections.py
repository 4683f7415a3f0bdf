"""Connections to one server, and pipelined exchanges on them.

redis-py opens the connections (TLS, passwords, databases) and parses. Its own pipeline is not used,
because it repeats a whole pipeline after a lost reply and costs three times as much per command.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from redis import exceptions as redis_errors
from redis.asyncio.connection import Connection

from contree.server.store.commands import Command, wait_for
from contree.server.store.replies import TooFewReplicas, last_word, unwrapped
from contree.server.store.settings import StoreSettings

Dial = Callable[[], Awaitable[Connection]]
"""Makes a connection that need not be open yet, to the server that is meant at the moment."""


class Connections:
    """Connections to one server, or to whichever is the master now."""

    def __init__(self, settings: StoreSettings, dial: Dial) -> None:
        self._settings = settings
        self._dial = dial
        self._wait = wait_for(settings.replicas, round(settings.acknowledge_s * 1000))
        self._idle: list[Connection] = []
        self._slots = asyncio.Semaphore(settings.connections)
        self._waiting_slots = asyncio.Semaphore(settings.connections)
        self._closed = False

    async def exchange(
        self,
        commands: Sequence[Command],
        within_s: float,
        *,
        waiting: bool = False,
        mark: Command | None = None,
    ) -> list[Any]:
        """Run commands in one round trip; the replies, errors among them as values, none raised.

        A connection can turn out to be closed, most often because the store was restarted while it
        was idle. Then what has no reply yet is sent once more on a new one. `waiting` is for
        commands that may themselves wait. With a `mark`, a command that writes, replies count only
        once as many replicas have acknowledged as the settings ask for, of this very connection:
        the mark sees to it that there is something to acknowledge, also where commands are sent
        again and write nothing any more.
        """
        sent = [*commands, mark, self._wait] if mark else commands
        replies: list[Any] = []
        failure: Exception | None = None
        slots = self._waiting_slots if waiting else self._slots
        try:
            async with asyncio.timeout(within_s), slots:
                for _ in range(2):
                    try:
                        await self._send_and_read(sent, replies)
                        return self._confirmed(replies) if mark else replies
                    except redis_errors.ConnectionError as error:
                        failure = unwrapped(error)
                        await self.drop_idle()
                        if last_word(failure):
                            break
                        if mark:
                            replies.clear()
        except TimeoutError:
            failure = redis_errors.TimeoutError(f"no answer in {within_s:.3g} s")
            # Those that are idle may lead to the same silence, and another master be there by now.
            await self.drop_idle()
        except redis_errors.RedisError as error:
            failure = error
        assert failure is not None
        if mark:
            replies.clear()
        return replies + [failure] * (len(commands) - len(replies))

    async def drop_idle(self) -> None:
        """Close the connections that are not in use: the next exchange dials."""
        idle, self._idle = self._idle, []
        for connection in idle:
            await connection.disconnect(nowait=True)

    async def close(self) -> None:
        """Close every connection; those in use close when their exchange ends."""
        self._closed = True
        await self.drop_idle()

    async def _send_and_read(self, commands: Sequence[Command], replies: list[Any]) -> None:
        if self._closed:
            raise redis_errors.ConnectionError("this store is closed")
        connection = self._idle.pop() if self._idle else await self._dial()
        try:
            pending = commands[len(replies) :] if replies else commands
            await connection.send_packed_command(
                b"".join([c.packed for c in pending]), check_health=False
            )
            for _ in pending:
                try:
                    replies.append(await connection.read_response())
                except redis_errors.ResponseError as error:
                    replies.append(error)
        except BaseException:
            # A connection with replies still to come must never be used again.
            await connection.disconnect(nowait=True)
            raise
        await self._put_back(connection)

    def _confirmed(self, replies: list[Any]) -> list[Any]:
        """The replies to the commands, if the replicas have what was written."""
        *results, marked, acknowledged = replies
        if type(acknowledged) is int and not isinstance(marked, Exception):
            if acknowledged >= self._settings.replicas:
                return results
            failure = TooFewReplicas(
                f"{acknowledged} of {self._settings.replicas} replicas acknowledged in time"
            )
        else:
            failure = TooFewReplicas(marked if isinstance(marked, Exception) else acknowledged)
        return [one if isinstance(one, Exception) else failure for one in results]

    async def _put_back(self, connection: Connection) -> None:
        if self._closed:
            await connection.disconnect(nowait=True)
        else:
            self._idle.append(connection)
