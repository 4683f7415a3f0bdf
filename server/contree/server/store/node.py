"""One node of the store: connections, and pipelined exchanges with a reply for each command.

redis-py opens the connections (TLS, passwords, databases) and parses. Its own pipeline is not used,
because it repeats a whole pipeline after a lost reply and costs three times as much per command.
"""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from redis import exceptions as redis_errors
from redis.asyncio.connection import Connection

from contree.server.store.errors import StoreError, StoreRefused, StoreUnavailable
from contree.server.store.settings import StoreSettings

# What a reply can say that is about the state of the server and not about the command.
_PASSING = frozenset(
    ("BUSY", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "MISCONF", "NOREPLICAS", "OOM", "READONLY")
)
_PASSING_ERRORS = (
    redis_errors.BusyLoadingError,
    redis_errors.ClusterDownError,
    redis_errors.MasterDownError,
    redis_errors.NoScriptError,  # flushed again between loading and use
    redis_errors.OutOfMemoryError,
    redis_errors.ReadOnlyError,
    redis_errors.TryAgainError,
)
_DENIED = (redis_errors.AuthenticationError, redis_errors.NoPermissionError)


class Command(NamedTuple):
    """A command as it goes over the wire, and the key that says for which node of a cluster."""

    key: bytes
    packed: bytes

    @classmethod
    def of(cls, key: bytes, *parts: bytes) -> Command:
        """Pack a command from its parts."""
        packed = [b"*%d\r\n" % len(parts)]
        packed += [b"$%d\r\n%b\r\n" % (len(part), part) for part in parts]
        return cls(key, b"".join(packed))


def command(name: bytes, key: bytes, *arguments: bytes) -> Command:
    """A command on one key that comes right after its name."""
    return Command.of(key, name, key, *arguments)


class Script:
    """A Lua script, called by its hash so that its text is sent only when the store lacks it."""

    __slots__ = ("_sha", "load")

    def __init__(self, name: str) -> None:
        text = (Path(__file__).parent / "scripts" / f"{name}.lua").read_bytes()
        self._sha = hashlib.sha1(text, usedforsecurity=False).hexdigest().encode()
        self.load = Command.of(b"", b"SCRIPT", b"LOAD", text)

    def call(self, keys: Sequence[bytes], *arguments: bytes) -> Command:
        """The command that runs the script on keys of one hash slot."""
        count = b"%d" % len(keys)
        return Command.of(keys[0], b"EVALSHA", self._sha, count, *keys, *arguments)


APPEND: Final = Script("append")
CREATE: Final = Script("create")
ACQUIRE: Final = Script("acquire")
RENEW: Final = Script("renew")
RELEASE: Final = Script("release")
FINISH: Final = Script("finish")
LEASED: Final = Script("leased")
EXPIRED: Final = Script("expired")
HOLD: Final = Script("hold")
PRESENT: Final = Script("present")
_SCRIPTS: Final = (APPEND, CREATE, ACQUIRE, RENEW, RELEASE, FINISH, LEASED, EXPIRED, HOLD, PRESENT)
_LOAD_ALL: Final = [script.load for script in _SCRIPTS]
PING: Final = Command.of(b"", b"PING")


class Node:
    """Connections to one server. Commands must be such that running them twice does no harm."""

    def __init__(self, settings: StoreSettings) -> None:
        self._settings = settings
        self._idle: list[Connection] = []
        self._slots = asyncio.Semaphore(settings.connections)
        self._waiting_slots = asyncio.Semaphore(settings.connections)
        self._closed = False

    async def run(self, command: Command, *, wait_s: float = 0.0) -> Any:
        """Run one command, which may itself wait `wait_s` seconds, and return its reply.

        Raises `StoreUnavailable` and `StoreRefused`.
        """
        (reply,) = await self.run_all([command], wait_s=wait_s)
        if isinstance(reply, StoreError):
            raise reply
        return reply

    async def run_all(self, commands: Sequence[Command], *, wait_s: float = 0.0) -> list[Any]:
        """Run commands in one round trip; each reply, or the `StoreError` in its place.

        This is where a cluster will differ: it groups by the node of each key, and has this method.
        """
        replies = await self._exchange(commands, wait_s)
        unknown = [i for i, r in enumerate(replies) if isinstance(r, redis_errors.NoScriptError)]
        if unknown:
            again = await self._exchange([*_LOAD_ALL, *(commands[i] for i in unknown)], wait_s)
            for i, reply in zip(unknown, again[len(_LOAD_ALL) :], strict=True):
                replies[i] = reply
        return [self._typed(r) if isinstance(r, Exception) else r for r in replies]

    async def run_each(self, commands: Sequence[Command]) -> list[Any]:
        """Run commands in one round trip; raises the first error."""
        replies = await self.run_all(commands) if commands else []
        for reply in replies:
            if isinstance(reply, StoreError):
                raise reply
        return replies

    async def close(self) -> None:
        """Close every connection; those in use close when their exchange ends."""
        self._closed = True
        await self._drop_idle()

    async def _exchange(self, commands: Sequence[Command], wait_s: float) -> list[Any]:
        """The replies, errors among them as values, none of them raised.

        A connection can turn out to be closed, most often because the store was restarted while it
        was idle. Then what has no reply yet is sent once more on a new one.
        """
        replies: list[Any] = []
        failure: Exception | None = None
        slots = self._waiting_slots if wait_s else self._slots
        try:
            async with asyncio.timeout(self._settings.reply_s + wait_s), slots:
                for _ in range(2):
                    try:
                        await self._send_and_read(commands, replies)
                        return replies
                    except redis_errors.ConnectionError as error:
                        failure = _unwrapped(error)
                        await self._drop_idle()
                        if isinstance(failure, _PASSING_ERRORS + _DENIED):
                            break
        except TimeoutError:
            failure = redis_errors.TimeoutError(f"no answer in {self._settings.reply_s:g} s")
        except redis_errors.RedisError as error:
            failure = error
        assert failure is not None
        return replies + [failure] * (len(commands) - len(replies))

    async def _send_and_read(self, commands: Sequence[Command], replies: list[Any]) -> None:
        if self._closed:
            raise redis_errors.ConnectionError("this store is closed")
        connection = self._idle.pop() if self._idle else self._settings.connection()
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

    async def _put_back(self, connection: Connection) -> None:
        if self._closed:
            await connection.disconnect(nowait=True)
        else:
            self._idle.append(connection)

    async def _drop_idle(self) -> None:
        idle, self._idle = self._idle, []
        for connection in idle:
            await connection.disconnect(nowait=True)

    def _typed(self, error: Exception) -> StoreError:
        endpoint = self._settings.endpoint
        reason = _reason(error)
        if isinstance(error, _DENIED):
            return StoreUnavailable(endpoint, reason, "check the user and password in its URL")
        passing = isinstance(error, _PASSING_ERRORS) or reason.split(" ", 1)[0] in _PASSING
        if isinstance(error, redis_errors.ResponseError) and not passing:
            return StoreRefused(endpoint, reason)
        return StoreUnavailable(endpoint, reason)


def _unwrapped(error: Exception) -> Exception:
    """The error itself, which redis-py hides in another when it comes while connecting."""
    while isinstance(error.__cause__, redis_errors.RedisError):
        error = error.__cause__
    return error


def _reason(error: Exception) -> str:
    """What went wrong, in as few words as the system has for it."""
    source = error.__context__
    if isinstance(source, OSError) and source.errno:
        return os.strerror(source.errno).lower()
    return str(error).rstrip(".") or type(error).__name__
