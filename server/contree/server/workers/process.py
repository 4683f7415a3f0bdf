"""One worker process, from its start to its end."""

from __future__ import annotations

import asyncio
import contextlib
import json
import pickle
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import Sequence
from typing import Final, NamedTuple

from contree.server.workers.orders import Orders

_START_S: Final = 120.0


class WorkerEnded(Exception):
    """A worker ended before it served. ``code`` is its exit code, below 0 for a signal; it has said
    itself what was wrong.
    """

    def __init__(self, number: int, code: int) -> None:
        super().__init__(f"Worker {number} ended at its start, with {code}; see what it logged.")
        self.number = number
        self.code = code


class Place(NamedTuple):
    """Where a worker serves."""

    address: str
    metrics_address: str | None
    pid: int


class WorkerProcess:
    """A worker that was started. Made by ``start``."""

    def __init__(self, orders: Orders, process: Process) -> None:
        self._orders = orders
        self._process = process

    @classmethod
    async def start(cls, orders: Orders, command: Sequence[str]) -> WorkerProcess:
        """Start a program that reads ``orders`` and follows them."""
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=PIPE,
            stdout=PIPE,
            # Ctrl-C in a terminal is for the supervisor, which ends its workers in good order.
            start_new_session=True,
        )
        assert process.stdin is not None
        process.stdin.write(pickle.dumps(orders))
        return cls(orders, process)

    async def serving(self) -> Place:
        """Wait until it serves. Raises WorkerEnded."""
        assert self._process.stdout is not None
        # What is no such line was not said by a worker of this version.
        with contextlib.suppress(TimeoutError, ValueError, TypeError):
            async with asyncio.timeout(_START_S):
                if line := await self._process.stdout.readline():
                    return Place(**json.loads(line))
                # It has nothing more to tell, and is about to end with a code of its own.
                await self._process.wait()
        raise WorkerEnded(self._orders.number, await self.stop())

    async def ended(self) -> int:
        """Wait for its end; its exit code, below 0 for a signal."""
        return await self._process.wait()

    def terminate(self) -> None:
        """Ask it to drain and end."""
        self._signal(signal.SIGTERM)

    async def stop(self) -> int:
        """Let it drain and end, or else kill it; its exit code."""
        if self._process.returncode is not None:
            return self._process.returncode
        self.terminate()
        try:
            async with asyncio.timeout(self._orders.stop_s):
                return await self._process.wait()
        except TimeoutError:
            self._signal(signal.SIGKILL)
            return await self._process.wait()

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            self._process.send_signal(number)
