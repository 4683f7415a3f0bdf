"""How a process of a bot is started: told where to dial and as what, within its limits, in its
sandbox, with its log.
"""

from __future__ import annotations

import asyncio
import errno
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, NamedTuple, TypeVar

from contree.tournament.bots import BotConfig
from contree.tournament.errors import ProcessError
from contree.tournament.folder import EventFolder
from contree.tournament.isolation import Isolation, Post
from contree.tournament.limits import Limits
from contree.tournament.output import BotLog, Tap
from contree.tournament.processes import Child, environment_for, resolve
from contree.tournament.sandbox import Sandbox
from contree.tournament.service_keys import ServiceKeys

_NO_ROOM: Final = frozenset({errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE})
_PAUSES: Final = (0.2, 1.0, 3.0)
"""Seconds before each further attempt."""
_Started = TypeVar("_Started")

MOST_SEATS: Final = 4096
"""The largest capacity that a service grants."""


class Address(NamedTuple):
    """Where started bots dial, and as what."""

    server: str
    instance: Callable[[Post], str]
    """The instance id of a post: see ``Plan.instance``."""
    tables: int
    """Tables that each bot is to play at once."""
    isolation: Isolation = Isolation.NONE
    keys: ServiceKeys | None = None
    """Those of the event's own service; at another bots have what their ``env`` gives them."""


class Starter:
    """Starts the processes of an event's bots; keeps their logs open meanwhile."""

    def __init__(
        self, address: Address, folder: EventFolder, sandbox: Sandbox | None = None
    ) -> None:
        """``sandbox`` is needed for bots that are to run in one."""
        self._address = address
        self._folder = folder
        self._sandbox = sandbox
        self._logs: dict[str, BotLog] = {}
        self._started = 0

    async def start(self, bot: BotConfig, post: Post) -> tuple[Child, Tap]:
        """Start the process of a post. Raises ProcessError."""
        environment = environment_for(self._variables(bot, post))
        cwd = bot.cwd.resolve()
        command = resolve(str(post), bot.command, cwd, environment)
        limits = self._limits(bot)
        if bot.sandboxed:
            assert self._sandbox is not None
            environment = self._sandbox.environment(bot, environment)
            command = tuple(self._sandbox.around(bot, command, limits, environment))
            limits = []
        self._started += 1

        async def start() -> tuple[Child, Tap]:
            tap = Tap(self._log(post), f"[{post.attempt}] " if post.attempt else "")
            try:
                child = await Child.start(
                    str(post), command, log=tap, cwd=cwd, environment=environment, limits=limits
                )
            except BaseException:
                tap.close()
                raise
            return child, tap

        return await patiently(str(post), start)

    def close(self) -> None:
        """All processes have ended."""
        for log in self._logs.values():
            log.close()

    def _variables(self, bot: BotConfig, post: Post) -> dict[str, str]:
        seats = self._address.isolation.seats(self._address.tables)
        told = {
            "CONTREE_SERVER": self._address.server,
            "CONTREE_BOT": post.bot,
            "CONTREE_INSTANCE": self._address.instance(post),
            "CONTREE_CAPACITY": str(min(seats, MOST_SEATS)),
        } | dict(bot.env)
        if self._address.keys is not None:
            # A token of its own is for another service.
            told.pop("CONTREE_TOKEN_FILE", None)
            told["CONTREE_TOKEN"] = self._address.keys.bots[post.bot]
        return told

    def _log(self, post: Post) -> BotLog:
        path = self._folder.bot_log(post.bot, post.place)
        log = self._logs.get(path.name)
        if log is None:
            log = self._logs[path.name] = BotLog(path)
        return log

    def _limits(self, bot: BotConfig) -> list[str]:
        return kernel_limits(bot.limits, self._started, sandboxed=bot.sandboxed)


async def patiently(
    name: str, start: Callable[[], Awaitable[_Started]], pauses: Sequence[float] = _PAUSES
) -> _Started:
    """Start something, again after a pause where the machine had no room for it: it may have some
    in a moment. Raises ProcessError.
    """
    for pause in (*pauses, None):
        try:
            return await start()
        except OSError as error:
            if pause is None or error.errno not in _NO_ROOM:
                raise ProcessError(f"{name} cannot be started: {error}.") from None
            await asyncio.sleep(pause)
    raise AssertionError("the last attempt returns or raises")


def kernel_limits(limits: Limits, turn: int, *, sandboxed: bool) -> list[str]:
    """What of the limits the kernel holds a process to, as ``launch.py`` takes it.

    ``turn`` counts processes: those that are given some processors are spread over all.
    """
    set_ = ["core=0"]  # nobody's disk is to fill up with dumps
    if limits.memory is not None:
        # What it may write to of its own, and not its address space: runtimes such as those of
        # Java, Go and JavaScript reserve a multiple of what they use.
        set_.append(f"data={limits.memory}")
    if limits.cpu_time is not None:
        set_.append(f"cpu={max(1, round(limits.cpu_time))}")
    if limits.files is not None:
        set_.append(f"nofile={limits.files}")
    if limits.processes is not None and sandboxed:
        # Outside a sandbox it would count all that the user runs. Root it does not hold.
        set_.append(f"nproc={limits.processes}")
    if limits.cpus is not None and sys.platform == "linux":
        all_ = sorted(os.sched_getaffinity(0))
        given = {all_[(turn * limits.cpus + at) % len(all_)] for at in range(limits.cpus)}
        set_.append("cpus=" + ",".join(map(str, sorted(given))))
    return set_
