"""One post of a bot for as long as it is to be filled: its process, started again when it ends.

A post keeps its instance id over restarts, so the service gives it back the seats it held.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from contree.tournament.bot_endings import Ending
from contree.tournament.bots import BotConfig
from contree.tournament.errors import ProcessError
from contree.tournament.isolation import Post
from contree.tournament.limits import size
from contree.tournament.output import Tap
from contree.tournament.processes import Child, Restarts
from contree.tournament.sandbox import LINKS
from contree.tournament.starting import Starter
from contree.tournament.usage import Usage

EARLY_RESTARTS: Final = 2
"""How often a process is started again that ended before it connected."""
END_GRACE_S: Final = 1.0
"""A process that is there for one match and ends with exit code 0 has most likely seen its end: so
long it is waited for the runner to hear of it too."""
_CPU_TIME_UP: Final = (f"by {signal.SIGXCPU.name}", f"({signal.SIGXCPU.name})")


class Worker:
    """The process of a post."""

    def __init__(
        self,
        bot: BotConfig,
        post: Post,
        starter: Starter,
        note: Callable[[str], None],
        ended: Callable[[Ending], None],
    ) -> None:
        """``ended`` is told of each end that was not ``stop``."""
        self.bot = bot
        self.post = post
        self._starter = starter
        self._note = note
        self._ended = ended
        self._restarts = Restarts()
        self._overrun = ""
        self._child: Child | None = None
        self._tap: Tap | None = None
        self._starting: asyncio.Task[None] | None = None
        self._stopped = asyncio.Event()

    @property
    def head(self) -> int:
        """How many processes, from ``pid`` on down, are not the bot's: its guard, its sandbox."""
        return 1 + (LINKS if self.bot.sandboxed else 0)

    @property
    def pid(self) -> int | None:
        """Its process while it runs."""
        child = self._child
        return None if child is None or child.returncode is not None else child.pid

    async def start(self) -> None:
        """Start its process, unless it has been stopped. Raises ProcessError when that cannot be.

        Whoever waits for it may be cancelled: it goes on, and ``stop`` ends what comes of it.
        """
        if not self._stopped.is_set():
            self._starting = asyncio.create_task(self._start())
            await asyncio.shield(self._starting)

    async def _start(self) -> None:
        self._overrun = ""
        self._child, self._tap = await self._starter.start(self.bot, self.post)

    async def start_again_early(self) -> None:
        """Start it again if it has ended before it connected: at first it may have fallen with
        something else. Raises ProcessError when that does not help.
        """
        child = self._child
        if child is None or child.returncode is None:
            return
        now = asyncio.get_running_loop().time()
        again = self._restarts.count < EARLY_RESTARTS and self._restarts.may_restart(now)
        sentence, last = self._leave(again, " before it connected")
        if not again:
            raise ProcessError(f"{sentence}.", last)
        self._note(f"{sentence}: starting it again.")
        await self.start()

    def absent(self, within: str) -> ProcessError:
        """Its process runs, but has not connected."""
        return ProcessError(
            f"{self.post} {within}, though its process runs; does it read CONTREE_SERVER and "
            "CONTREE_BOT?",
            "" if self._tap is None else self._tap.tail(),
        )

    async def keep(self, wanted: Callable[[], bool]) -> None:
        """Start it again whenever it ends, as long as it is ``wanted``.

        Raises ProcessError when that does not help.
        """
        assert self._child is not None
        while wanted():
            code = await self._child.wait()
            if code == 0 and self.post.attempt:
                with suppress(TimeoutError):
                    async with asyncio.timeout(END_GRACE_S):
                        await self._stopped.wait()
            if self._stopped.is_set() or not wanted():
                return
            again = self._restarts.may_restart(asyncio.get_running_loop().time())
            sentence, last = self._leave(again)
            if not again:
                raise ProcessError(f"{sentence} again and again.", last)
            self._note(f"{sentence}: starting it again.")
            await self.start()

    def check(self, pid: int, usage: Usage) -> None:
        """End it if it uses more than it may; unless it is another process by now."""
        if pid != self.pid:
            return
        limits, over = self.bot.limits, ""
        if limits.memory is not None and usage.memory > limits.memory:
            over = f"it used {size(usage.memory)} of memory and may use {size(limits.memory)}"
        elif limits.processes is not None and usage.processes > limits.processes:
            over = (
                f"it ran {usage.processes} processes and threads at once and may run "
                f"{limits.processes}"
            )
        if over:
            self._overrun = over
            self.kill()

    async def stop(self) -> None:
        """End it, and all that it started, for good."""
        self._stopped.set()
        if self._starting is not None:
            await asyncio.gather(self._starting, return_exceptions=True)
        if self._child is not None:
            await self._child.stop()

    def kill(self) -> None:
        """End it at once, if it runs."""
        if self._child is not None and self._child.returncode is None:
            self._child.kill()

    def _how(self) -> str:
        """How it ended, with the limit that ended it or may have."""
        assert self._child is not None
        how, limits = self._child.ending, self.bot.limits
        if self._overrun:
            return f"{how}, for {self._overrun}"
        if limits.cpu_time is not None and how.endswith(_CPU_TIME_UP):
            return f"{how}, for it has used up its cpu time of {limits.cpu_time:g} s"
        return f"{how} (its limits: {limits})" if str(limits) else how

    def _leave(self, again: bool, when: str = "") -> tuple[str, str]:
        """Take leave of a process that has ended: how, and its last words."""
        assert self._child is not None
        assert self._tap is not None
        self._child.kill()  # what it started and left behind, where it had no guard
        how, last = self._how() + when, self._tap.tail()
        self._tap.say(f"the process ended {how}")
        self._tap.close()
        self._ended(Ending(self.post.bot, str(self.post), how, again, last))
        return f"{self.post} ended {how}", last
