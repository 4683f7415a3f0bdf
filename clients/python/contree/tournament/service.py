"""A service of the event's own, for when there is none to play at: started, watched, restarted.

It serves nobody without a key, so that no bot can do what is the host's (``ServiceKeys``).

Its journal is in the event's folder, so when it dies (or its machine does) a new process with the
same address and folder goes on where it stopped, and bots and runner dial in again.
"""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final

from contree.tournament.errors import ProcessError
from contree.tournament.folder import EventFolder
from contree.tournament.processes import Child, Restarts, environment_for

_START_S: Final = 30.0
_STARTS: Final = 5
"""Attempts at a start before it counts as failed."""
_BAD_INPUT: Final = 2
"""The exit code for settings that cannot be: they will be no better."""
_STOP_S: Final = 15.0
_POLL_S: Final = 0.05


class LocalService:
    """``contree serve`` in a process of its own. Made by ``running``."""

    def __init__(self, folder: EventFolder, metrics: str, note: Callable[[str], None]) -> None:
        self._folder = folder
        self._metrics = metrics
        self._note = note
        self.address = "127.0.0.1:0"
        self._restarts = Restarts()
        self._child: Child | None = None

    @classmethod
    @asynccontextmanager
    async def running(
        cls, folder: EventFolder, metrics: str, note: Callable[[str], None]
    ) -> AsyncIterator[LocalService]:
        """Serve for the time of an ``async with``. Raises ProcessError when it does not start."""
        service = cls(folder, metrics, note)
        try:
            await service._start()
            yield service
        finally:
            if service._child is not None:
                await service._child.stop(_STOP_S)

    @property
    def pid(self) -> int:
        """The process that serves now."""
        assert self._child is not None
        return self._child.pid

    async def watch(self) -> None:
        """Start it again whenever it ends. Raises ProcessError when that does not help."""
        while True:
            assert self._child is not None
            await self._child.wait()
            how, tail = self._child.ending, self._child.tail()
            if not self._restarts.may_restart(asyncio.get_running_loop().time()):
                raise ProcessError(
                    f"The service ended {how} again and again; see {self._folder.service_log}.",
                    tail,
                )
            self._note(f"The service ended {how}: starting it again at {self.address}.")
            await self._start()

    async def _start(self) -> None:
        """Start it. What it or its store met with at its start may pass: it is tried again."""
        for tries in range(1, _STARTS + 1):
            try:
                await self._start_once()
                return
            except ProcessError as error:
                assert self._child is not None
                if tries == _STARTS or self._child.returncode == _BAD_INPUT:
                    raise
                self._note(f"{error} It is tried again.")

    async def _start_once(self) -> None:
        ready = self._folder.ready_file
        ready.unlink(missing_ok=True)
        options = {
            "--listen": self.address,
            "--metrics": self._metrics,
            "--data": str(self._folder.store.absolute()),
            "--log": "json",
            "--ready-file": str(ready.absolute()),
        }
        self._child = child = await Child.start(
            "The service",
            ["contree", "serve", *(part for pair in options.items() for part in pair)],
            log=self._folder.service_log,
            cwd=self._folder.path,
            environment=environment_for({"CONTREE_ANONYMOUS": "off"}),
            at_parents_end=signal.SIGTERM,
        )
        try:
            async with asyncio.timeout(_START_S):
                while not ready.exists():
                    if child.returncode is not None:
                        raise ProcessError(
                            f"The service ended at once, {child.ending}.", child.tail()
                        )
                    with suppress(TimeoutError):
                        async with asyncio.timeout(_POLL_S):
                            await asyncio.shield(child.wait())
        except TimeoutError:
            await child.stop()
            raise ProcessError(
                f"The service does not start within {_START_S:g} s.", child.tail()
            ) from None
        self.address = json.loads(ready.read_text(encoding="utf-8"))["address"]
