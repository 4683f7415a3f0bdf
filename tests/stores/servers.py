"""Servers of a store in several processes: started from the program of the embedded store, each in
a folder and on a port of its own, and gone with the test, however that ends.
"""

from __future__ import annotations

import asyncio
import signal
import subprocess
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Final

from redis import exceptions as redis_errors
from redis.asyncio import Redis
from tests.ports import Port

from contree.server.store import RedisStore, StoreSettings, StoreUnavailable, connect
from contree.server.store.binary import find_binary
from contree.server.store.process import tied

START_S: Final = 90.0
_LOOK_S: Final = 0.02


class StoreServer:
    """One process. It can be killed, stopped in its tracks, and started again where it was."""

    def __init__(
        self, folder: Path, name: str, options: Mapping[str, str], *, password: str = ""
    ) -> None:
        self.name = name
        self.folder = folder / name
        self.folder.mkdir(mode=0o700)
        self._port = Port()
        self.port = self._port.number
        self.address = self._port.address
        self._options = dict(options)
        if password:
            self._options |= {"requirepass": password, "primaryauth": password}
        self._process: subprocess.Popen[bytes] | None = None
        self.raw: Any = Redis(host="127.0.0.1", port=self.port, password=password or None)
        """A plain client, of whose methods not all have types."""

    def start(self) -> None:
        """Start it; see `answers`."""
        assert not self.alive
        options = {
            "bind": "127.0.0.1",
            "port": str(self.port),
            "dir": str(self.folder),
            "save": "",
            "appendonly": "yes",
            "appendfsync": "everysec",
            "maxmemory-policy": "noeviction",
            "shutdown-on-sigterm": "nosave now force",
            "repl-diskless-sync-delay": "0",
            **self._options,
        }
        self._launch([part for k, v in options.items() for part in (f"--{k}", v)])

    def _launch(self, arguments: list[str]) -> None:
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                tied([str(find_binary()), *arguments]),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    @property
    def pid(self) -> int:
        """Its process."""
        assert self._process is not None
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    async def answers(self) -> None:
        """Wait until it answers."""

        async def pong() -> bool:
            assert self.alive, f"{self.name} ended: {self.last_words()}"
            return bool(await self.raw.ping())

        await eventually(pong, f"{self.name} answers")

    def kill(self) -> None:
        """kill -9."""
        self._signal(signal.SIGKILL)
        if self._process is not None:
            self._process.wait(START_S)

    def freeze(self) -> None:
        """It hangs: connections stay, answers do not come."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """It goes on where it was."""
        self._signal(signal.SIGCONT)

    async def close(self) -> None:
        """The end of it."""
        if self.alive:
            self.kill()
        await self.raw.aclose()

    def last_words(self) -> str:
        """The end of its log, for a failure."""
        return "\n".join((self.folder / "log").read_text(errors="replace").splitlines()[-20:])

    def _signal(self, number: int) -> None:
        assert self._process is not None
        self._process.send_signal(number)


async def reached(where: str | StoreSettings, *, replicas: int = 0) -> RedisStore:
    """Connect to a store that is there. A busy machine may leave a ping no time."""
    deadline = time.monotonic() + START_S
    while True:
        try:
            return await connect(where, replicas=replicas)
        except StoreUnavailable:
            if time.monotonic() > deadline:
                raise
        await asyncio.sleep(_LOOK_S)


async def probed(store: RedisStore) -> None:
    """Wait until every part of a store is there."""

    async def whole() -> bool:
        try:
            await store.probe()
        except StoreUnavailable:
            return False
        return True

    await eventually(whole, "the store is there", look_s=10)


async def eventually(
    true: Callable[[], Awaitable[Any]],
    what: str,
    within_s: float = START_S,
    *,
    look_s: float = 1,
) -> None:
    """Wait until something is true of servers; what they refuse meanwhile is not true yet, nor what
    takes longer than ``look_s`` to be looked at.
    """
    deadline = time.monotonic() + within_s
    last: object = None
    while True:
        try:
            async with asyncio.timeout(look_s):
                last = await true()
            if last:
                return
        except (redis_errors.RedisError, OSError, TimeoutError) as error:
            last = error
        assert time.monotonic() < deadline, f"not within {within_s:g} s: {what} ({last!r})"
        await asyncio.sleep(_LOOK_S)
