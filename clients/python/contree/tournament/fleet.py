"""The bots that the runner starts: one process each, seen connected, started again when they end.

A bot keeps its instance id over restarts, so the service gives it back the seats it held.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Final, NamedTuple

from contree.client import ConnectedBot, HostClient
from contree.tournament.config import BotConfig
from contree.tournament.errors import ProcessError, TournamentError
from contree.tournament.folder import EventFolder
from contree.tournament.processes import Child, Restarts, environment_for
from contree.tournament.racing import race

MOST_SEATS: Final = 4096
"""The largest capacity that a service grants."""
_POLL_S: Final = 0.1
_EARLY_RESTARTS: Final = 2
"""How often a bot is started again that ended before it connected."""


class Address(NamedTuple):
    """Where started bots dial, and as what."""

    server: str
    instance: Callable[[str], str]
    """The instance id of a bot: see ``Plan.instance``."""
    seats: int
    """Seats that each is to play at once."""


Broken = Callable[[str, TournamentError], None]
"""Told which bot has failed for good, and how; raises when the event cannot go on without it."""


def _stop(bot: str, error: TournamentError) -> None:
    raise error


class Fleet:
    """The processes of the bots of an event. Made by ``running``."""

    def __init__(
        self,
        bots: Sequence[BotConfig],
        address: Address,
        folder: EventFolder,
        note: Callable[[str], None],
        broken: Broken = _stop,
    ) -> None:
        self._broken = broken
        self._bots = tuple(bots)
        self._address = address
        self._folder = folder
        self._note = note
        self._children: dict[str, Child] = {}
        self._failed: set[str] = set()
        self._restarts = {bot.name: Restarts() for bot in bots}

    @classmethod
    @asynccontextmanager
    async def running(
        cls,
        bots: Sequence[BotConfig],
        address: Address,
        folder: EventFolder,
        note: Callable[[str], None],
        broken: Broken = _stop,
    ) -> AsyncIterator[Fleet]:
        """Run the bots that have a command for the time of an ``async with``.

        Raises ProcessError when one cannot be started. Whatever happens, all are ended.
        """
        fleet = cls(bots, address, folder, note, broken)
        try:
            for bot in bots:
                if not bot.dials_in:
                    await fleet._start(bot)
            yield fleet
        finally:
            await fleet._stop()

    async def connected(self, host: HostClient, patience: float) -> dict[str, int]:
        """Wait until every bot is connected; how many seats each takes at once.

        One that ends before, does not connect within ``patience`` seconds, or takes fewer than the
        two seats that a table needs, has failed for good: in one sentence about the bot.
        """
        missing = self._bots
        seats: Counter[str] = Counter()
        told = False
        try:
            async with asyncio.timeout(patience):
                while missing:
                    seats = _seats(await host.list_bots())
                    missing = tuple(bot for bot in missing if bot.name not in seats)
                    missing = tuple([bot for bot in missing if await self._may_come(bot)])
                    dialling = ", ".join(bot.name for bot in missing if bot.dials_in)
                    if dialling and not told:
                        told = True
                        self._note(f"Waiting for {dialling} to dial in at {self._address.server}.")
                    await asyncio.sleep(_POLL_S)
        except TimeoutError:
            for bot in missing:
                self._fails(bot, self._absent(bot, patience))
        connected = await host.list_bots()
        seats = _seats(connected)
        for bot in self._bots:
            if bot.name in self._failed:
                continue
            if seats[bot.name] < 2:
                self._fails(
                    bot,
                    ProcessError(
                        f"{bot.name} takes one seat at a time, but a table needs it in two: "
                        "start it with a capacity of 2 or more."
                    ),
                )
            self._announce_namesakes(bot, connected)
        return {bot.name: seats[bot.name] for bot in self._bots if bot.name not in self._failed}

    def _announce_namesakes(self, bot: BotConfig, connected: Sequence[ConnectedBot]) -> None:
        """Say so when more than one process goes by the name of a bot."""
        instances = [one.instance_id for one in connected if one.bot == bot.name]
        if bot.dials_in and len(instances) > 1:
            self._note(
                f"{len(instances)} processes have dialled in as {bot.name} (instances "
                f"{', '.join(instances)}): its seats are shared out among them. Stop those that "
                "are not meant to play."
            )
        own = self._address.instance(bot.name)
        strangers = [one for one in instances if one != own and own in instances]
        if strangers:
            self._note(
                f"Another process has dialled in as {bot.name} (instance "
                f"{', '.join(strangers)}): it is given no seat, those of {bot.name} are kept for "
                "the process that was started here."
            )

    def _fails(self, bot: BotConfig, error: ProcessError) -> None:
        self._failed.add(bot.name)
        self._broken(bot.name, error)

    @property
    def restarts(self) -> dict[str, int]:
        """How often each bot that was started again was so."""
        return {name: one.count for name, one in self._restarts.items() if one.count}

    async def watch(self) -> None:
        """Start bots again that end. One that ends too often has failed for good."""
        await race(*(self._keep(bot) for bot in self._bots if not bot.dials_in))

    async def _keep(self, bot: BotConfig) -> None:
        await self._restarting(bot)
        await asyncio.Event().wait()  # it is out; the others are still watched

    async def _restarting(self, bot: BotConfig) -> None:
        while bot.name not in self._failed:
            child = self._children[bot.name]
            await child.wait()
            child.kill()  # what it started and left behind
            if not self._restarts[bot.name].may_restart(asyncio.get_running_loop().time()):
                error = ProcessError(
                    f"{bot.name} ended {child.ending} again and again; see "
                    f"{self._folder.bot_log(bot.name)}.",
                    child.tail(),
                )
                self._fails(bot, error)
                return
            self._note(f"{bot.name} ended {child.ending}: starting it again.")
            await self._start(bot)

    async def _start(self, bot: BotConfig) -> None:
        additions = {
            "CONTREE_SERVER": self._address.server,
            "CONTREE_BOT": bot.name,
            "CONTREE_INSTANCE": self._address.instance(bot.name),
            "CONTREE_CAPACITY": str(min(self._address.seats, MOST_SEATS)),
        }
        self._children[bot.name] = await Child.start(
            bot.name,
            bot.command,
            log=self._folder.bot_log(bot.name),
            cwd=bot.cwd,
            environment=environment_for(additions | dict(bot.env)),
        )

    async def _stop(self) -> None:
        try:
            async with asyncio.TaskGroup() as group:
                for child in self._children.values():
                    group.create_task(child.stop())
        finally:
            for child in self._children.values():
                if child.returncode is None:
                    child.kill()

    async def _may_come(self, bot: BotConfig) -> bool:
        """Whether a bot that is not connected is still to be waited for. One that ended is started
        again at first: it may have fallen with something else.
        """
        child = self._children.get(bot.name)
        if child is None or child.returncode is None:
            return True
        restarts = self._restarts[bot.name]
        if restarts.count < _EARLY_RESTARTS and restarts.may_restart(
            asyncio.get_running_loop().time()
        ):
            self._note(f"{bot.name} ended {child.ending} before it connected: starting it again.")
            child.kill()
            await self._start(bot)
            return True
        how = f"{bot.name} ended {child.ending} before it connected."
        self._fails(bot, ProcessError(how, child.tail()))
        return False

    def _absent(self, bot: BotConfig, patience: float) -> ProcessError:
        within = f"did not connect to {self._address.server} within {patience:g} s"
        child = self._children.get(bot.name)
        if child is None:
            return ProcessError(f"{bot.name} {within}; it is to dial in by that name.")
        return ProcessError(
            f"{bot.name} {within}, though its process runs; does it read CONTREE_SERVER and "
            "CONTREE_BOT?",
            child.tail(),
        )


def _seats(connected: Sequence[ConnectedBot]) -> Counter[str]:
    seats: Counter[str] = Counter()
    for instance in connected:
        seats[instance.bot] += instance.capacity
    return seats
