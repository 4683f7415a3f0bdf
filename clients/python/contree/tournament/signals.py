"""Signals that ask a run to end, heard on its event loop."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

_ENDING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Signals:
    """The signals that came. Made by ``heard``."""

    def __init__(self, on_first: Callable[[], None]) -> None:
        self._on_first = on_first
        self._came = asyncio.Event()
        self._count = 0
        self.first: int | None = None
        """The number of the first that came."""

    @classmethod
    @contextmanager
    def heard(cls, on_first: Callable[[], None]) -> Iterator[Signals]:
        """Hear them for the time of a ``with``; ``on_first`` is called once, at the first."""
        loop = asyncio.get_running_loop()
        signals = cls(on_first)
        # `nohup` has a run go on when its terminal is closed.
        nohup = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        ending = [number for number in _ENDING if number != signal.SIGHUP or not nohup]
        # Outside of the main thread nobody can signal it.
        with suppress(RuntimeError, ValueError):
            for number in ending:
                loop.add_signal_handler(number, signals._hear, number)
        try:
            yield signals
        finally:
            for number in ending:
                loop.remove_signal_handler(number)

    async def wait(self, seconds: float, *, beyond: int = 0) -> None:
        """Return when more than so many have come, or after so many seconds."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._count <= beyond:
                    self._came.clear()
                    await self._came.wait()

    def _hear(self, number: int) -> None:
        self._count += 1
        self._came.set()
        if self.first is None:
            self.first = number
            self._on_first()
