"""The bot under test: a process that the kit starts, or one that dials in by itself."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from contree.tournament.processes import Child, environment_for

_GRACE_S: Final = 1.0


class Subject:
    """A bot with a command, or with ``command`` None one that is started by others."""

    def __init__(
        self,
        name: str,
        command: Sequence[str] | None,
        *,
        folder: Path,
        capacity: int,
    ) -> None:
        self.name = name
        self._lives = 1
        self.capacity = capacity
        self.changed: Callable[[], None] = lambda: None
        """Called when its process has ended."""
        self._command = command
        self._log = folder / "bot.log"
        self._cwd = Path.cwd()
        self._child: Child | None = None
        self._watch: asyncio.Task[None] | None = None

    @property
    def dials_in(self) -> bool:
        """Whether others start and stop it."""
        return self._command is None

    @property
    def instance(self) -> str:
        """The instance id that it is given."""
        return f"{self.name}-under-test-{self._lives}"

    @property
    def running(self) -> bool:
        """Whether its process runs, as far as one knows."""
        return self.dials_in or (self._child is not None and self._child.returncode is None)

    @property
    def exit_code(self) -> int | None:
        """The exit code of the process that was started last, negative for a signal."""
        return None if self._child is None else self._child.returncode

    @property
    def ending(self) -> str:
        """How the process ended, for a sentence."""
        return "" if self._child is None else self._child.ending

    @property
    def output(self) -> str:
        """The last lines that it wrote."""
        return "" if self._child is None else self._child.tail()

    def environment(self, server: str) -> dict[str, str]:
        """What it is told, as the runner of tournaments tells its bots."""
        return {
            "CONTREE_SERVER": server,
            "CONTREE_BOT": self.name,
            "CONTREE_INSTANCE": self.instance,
            "CONTREE_CAPACITY": str(self.capacity),
        }

    async def start(self, server: str, **more: str) -> None:
        """Start its process. Raises ProcessError when there is no such program."""
        if self._command is None:
            return
        await self.stop()
        environment: Mapping[str, str] = environment_for(self.environment(server) | more)
        self._child = child = await Child.start(
            self.name, self._command, log=self._log, cwd=self._cwd, environment=environment
        )
        self._watch = asyncio.create_task(self._tell(child))

    async def _tell(self, child: Child) -> None:
        await child.wait()
        self.changed()

    async def forget(self) -> None:
        """End its process; the next one has another instance id, so nothing of this one is its."""
        await self.stop()
        self._lives += 1

    async def stop(self, grace: float = _GRACE_S) -> None:
        """End its process and all that it started."""
        if self._child is not None:
            await self._child.stop(grace)
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.wait({self._watch})
            self._watch = None

    def terminate(self) -> None:
        """Ask its process to end, with SIGTERM."""
        if self._child is not None and self._child.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._child.pid, signal.SIGTERM)
