"""Bots as processes, the way their authors start them."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class BotProcess:
    """A running bot: its output so far, its end."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._lines: list[str] = []
        self._more = asyncio.Event()
        self._reading = asyncio.create_task(self._read())

    @property
    def output(self) -> str:
        return "\n".join(self._lines)

    async def says(self, text: str, within: float = 60.0) -> None:
        """Wait for this in its output, which is read a moment after it is written."""
        try:
            async with asyncio.timeout(within):
                while text not in self.output:
                    self._more.clear()
                    await self._more.wait()
        except TimeoutError:
            raise TimeoutError(f"the bot does not say {text!r}:\n{self.output}") from None

    async def ended(self, within: float) -> int:
        """The exit code; TimeoutError, with the output, when it does not end."""
        try:
            async with asyncio.timeout(within):
                await self._reading
                return await self._process.wait()
        except TimeoutError:
            raise TimeoutError(f"the bot does not end:\n{self.output}") from None

    async def told_to_stop(self, how: signal.Signals, within: float = 60.0) -> int:
        """The exit code after this signal."""
        self._process.send_signal(how)
        return await self.ended(within)

    async def killed(self) -> None:
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
        await self._reading

    async def _read(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            self._lines.append(line.decode(errors="replace").rstrip())
            self._more.set()


@contextlib.asynccontextmanager
async def started(
    command: Sequence[str | Path], server: str, name: str, **environment: str
) -> AsyncIterator[BotProcess]:
    """A bot for the time of an ``async with``; nothing of it is left behind."""
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("CONTREE_")}
    process = await asyncio.create_subprocess_exec(
        *command,
        cwd=ROOT,
        env={**inherited, "CONTREE_SERVER": server, "CONTREE_BOT": name, **environment},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    bot = BotProcess(process)
    try:
        yield bot
    finally:
        await bot.killed()


PYTHON_BOT = (sys.executable, "-m", "contree.bots.random")
