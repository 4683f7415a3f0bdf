"""The bots that the runner starts: their posts filled, seen connected, started again when they end.

Posts that are there for the whole event are filled when it begins; those that are there for one
match are filled when it is created (``man``) and left when it is over (``dismiss``).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sequence
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from contree.client import ConnectedBot, HostClient
from contree.tournament.bot_endings import Ending, note_ending
from contree.tournament.bots import BotConfig
from contree.tournament.errors import ProcessError, TournamentError
from contree.tournament.folder import EventFolder
from contree.tournament.isolation import Post
from contree.tournament.sandbox import Sandbox
from contree.tournament.starting import Address, Starter
from contree.tournament.usage import usages
from contree.tournament.worker import Worker

_POLL_S: Final = 0.1
_LOOK_S: Final = 0.5
"""How often it is looked at what bots use that have limits."""

Broken = Callable[[str, TournamentError], None]
"""Told which bot has failed for good, and how; raises when the event cannot go on without it."""


def _stop(bot: str, error: TournamentError) -> None:
    raise error


class _Here(NamedTuple):
    """The processes of a bot that are connected."""

    capacities: list[int]
    """The seats that each takes."""
    posts: frozenset[Post] | None
    """Which they are; None when that is not told."""


class _Missing(NamedTuple):
    """Processes of a bot that are waited for."""

    suspects: list[Worker]
    """Those among which they are; empty for a bot that dials in."""
    number: int


class Fleet:
    """The processes of the bots of an event. Made by ``running``."""

    def __init__(
        self,
        bots: Sequence[BotConfig],
        address: Address,
        folder: EventFolder,
        note: Callable[[str], None],
        *,
        broken: Broken,
        starter: Starter,
    ) -> None:
        self._broken = broken
        self._bots = {bot.name: bot for bot in bots}
        self._address = address
        self._folder = folder
        self._note = note
        self._starter = starter
        self._standing: dict[str, list[Worker]] = {bot.name: [] for bot in bots}
        self._crews: dict[str, list[Worker]] = {}
        """By match."""
        self._leaving: list[Worker] = []
        self._failed: set[str] = set()
        self._restarts: dict[str, int] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._trouble: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @classmethod
    @asynccontextmanager
    async def running(
        cls,
        bots: Sequence[BotConfig],
        address: Address,
        folder: EventFolder,
        note: Callable[[str], None],
        *,
        broken: Broken = _stop,
        hidden: Iterable[Path] = (),
    ) -> AsyncIterator[Fleet]:
        """Run the bots that have a command for the time of an ``async with``.

        ``hidden`` is shown in no sandbox, nor are the folder of results and those of other bots.
        One that cannot be started has failed for good. Whatever happens, all are ended.
        """
        with ExitStack() as stack:
            sandbox = None
            if any(bot.sandboxed for bot in bots):
                folders = [bot.cwd for bot in bots if bot.own_folder]
                sandbox = stack.enter_context(
                    Sandbox.opened(
                        address.server, [folder.path, folder.path.parent, *folders, *hidden]
                    )
                )
            starter = Starter(address, folder, sandbox)
            stack.callback(starter.close)
            fleet = cls(bots, address, folder, note, broken=broken, starter=starter)
            try:
                if any(bot.limits.watched for bot in bots):
                    fleet._spawn(fleet._look())
                for bot in bots:
                    if not bot.dials_in:
                        for post in address.isolation.standing(bot.name):
                            worker = fleet._worker(post)
                            fleet._standing[bot.name].append(worker)
                            if not await fleet._started(worker):
                                break
                yield fleet
            finally:
                await fleet._end()

    # -- who is there ----------------------------------------------------------------------------

    async def connected(self, host: HostClient, patience: float) -> dict[str, int]:
        """Wait until every bot is connected; how many tables each takes at once. One that is
        started for each match is not in it: it takes all.

        One that ends before, does not connect within ``patience`` seconds, or takes too few seats
        for a table, has failed for good: in one sentence about the bot.
        """
        told = False
        # However short the patience is, it is known in the end who was missing.
        missing = await self._missing(connected := await host.list_bots())
        try:
            async with asyncio.timeout(patience):
                while missing:
                    dialling = [name for name in missing if self._bots[name].dials_in]
                    if dialling and not told:
                        told = True
                        self._note(self._waiting_for(dialling))
                    await asyncio.sleep(_POLL_S)
                    missing = await self._missing(connected := await host.list_bots())
        except TimeoutError:
            for name in missing:
                self._fails(name, self._absent(name, missing[name], patience))
        # From the same list: who is asked next may be another server, which has not heard of them.
        room = {}
        for name, bot in self._bots.items():
            if name in self._failed or not (bot.dials_in or self._standing[name]):
                continue
            room[name] = self._room(bot, connected)
            if not room.get(name):
                self._fails(
                    name,
                    ProcessError(
                        f"{name} takes one seat at a time, but a table needs it in two: "
                        "start it with a capacity of 2 or more."
                    ),
                )
            self._announce_namesakes(bot, connected)
        return {name: tables for name, tables in room.items() if name not in self._failed}

    def _waiting_for(self, dialling: Sequence[str]) -> str:
        said = f"Waiting for {', '.join(dialling)} to dial in at {self._address.server}"
        if (keys := self._address.keys) is not None:
            files = ", ".join(str(keys.bot_file(name)) for name in dialling)
            said += f", each with a token of its own (CONTREE_TOKEN_FILE): {files}"
        return f"{said}."

    async def _missing(self, connected: Sequence[ConnectedBot]) -> dict[str, _Missing]:
        """The bots that are still waited for, with the workers that are not there."""
        missing: dict[str, _Missing] = {}
        for name, bot in self._bots.items():
            if name in self._failed:
                continue
            if bot.dials_in:
                if all(one.bot != name for one in connected):
                    missing[name] = _Missing([], 1)
                continue
            here = self._here(bot, connected)
            standing = self._standing[name]
            number = len(standing) - len(here.capacities)
            if number <= 0:
                continue
            suspects = [one for one in standing if here.posts is None or one.post not in here.posts]
            for worker in suspects:
                try:
                    await worker.start_again_early()
                except ProcessError as error:
                    self._fails(name, error)
                    break
            else:
                missing[name] = _Missing(suspects, number)
        return missing

    def _here(self, bot: BotConfig, connected: Sequence[ConnectedBot]) -> _Here:
        """Which processes of a bot that is started here are connected.

        Instances are told only to who shares their key. Of a bot that dials with a key of its own
        they are counted: any may be the one.
        """
        posts = [worker.post for worker in self._standing[bot.name]]
        own = [one for one in connected if one.bot == bot.name]
        if unnamed := [one.capacity for one in own if not one.instance_id]:
            return _Here(unnamed, None)
        named = {one.instance_id: one.capacity for one in own}
        instances = {post: self._address.instance(post) for post in posts}
        here = {post: named[own] for post, own in instances.items() if own in named}
        return _Here(list(here.values()), frozenset(here))

    def _room(self, bot: BotConfig, connected: Sequence[ConnectedBot]) -> int:
        """The tables that a bot plays at once, at most."""
        if bot.dials_in:
            return sum(one.capacity for one in connected if one.bot == bot.name) // 2
        seats = min(self._here(bot, connected).capacities, default=0)
        return seats // self._address.isolation.seats(1)

    def _announce_namesakes(self, bot: BotConfig, connected: Sequence[ConnectedBot]) -> None:
        """Say so when more processes go by the name of a bot than should."""
        instances = [one.instance_id for one in connected if one.bot == bot.name]
        if bot.dials_in and len(instances) > 1:
            self._note(
                f"{len(instances)} processes have dialled in as {bot.name} (instances "
                f"{', '.join(instances)}): its seats are shared out among them. Stop those that "
                "are not meant to play."
            )
        own = {self._address.instance(worker.post) for worker in self._standing[bot.name]}
        strangers = [one for one in instances if one not in own and own & set(instances)]
        if strangers:
            self._note(
                f"Another process has dialled in as {bot.name} (instance "
                f"{', '.join(strangers)}): it is given no seat, those of {bot.name} are kept for "
                "the process that was started here."
            )

    def _absent(self, name: str, missing: _Missing, patience: float) -> ProcessError:
        within = f"did not connect to {self._address.server} within {patience:g} s"
        suspects, number = missing
        if not suspects:
            return ProcessError(f"{name} {within}; it is to dial in by that name.")
        if len(suspects) == number:
            return suspects[0].absent(within)
        ended = ", ".join(str(worker.post) for worker in suspects if worker.pid is None)
        return ProcessError(
            f"{number} of the {len(suspects)} processes of {name} {within}, "
            + (f"and {ended} ended" if ended else "though all of them run")
            + f"; which, their logs in {self._folder.logs} may tell."
        )

    # -- posts for one match ---------------------------------------------------------------------

    async def man(self, match_id: str, posts: Sequence[Post]) -> None:
        """Fill the posts that are there for a match. A bot one of whose posts cannot be filled has
        failed for good.
        """
        crew = self._crews.setdefault(match_id, [])
        for post in posts:
            worker = self._worker(post)
            crew.append(worker)
            if not await self._started(worker):
                return  # the match cannot be played
            self._spawn(self._keep(worker, lambda: match_id in self._crews))

    def dismiss(self, match_id: str) -> None:
        """A match is over: the posts that were there for it are left."""
        for worker in self._crews.pop(match_id, ()):
            self._leaving.append(worker)
            self._spawn(self._leave(worker))

    async def _leave(self, worker: Worker) -> None:
        await worker.stop()
        self._leaving.remove(worker)

    # -- what becomes of them --------------------------------------------------------------------

    @property
    def restarts(self) -> dict[str, int]:
        """How often processes of each bot were started again; of those of which any was."""
        return dict(self._restarts)

    async def watch(self) -> None:
        """Start again what ends. When one ends too often, its bot has failed for good."""
        # Those that are there for one match have been kept since they were started.
        for name, workers in self._standing.items():
            for worker in workers if name not in self._failed else ():
                self._spawn(self._keep(worker, lambda: True))
        await asyncio.shield(self._trouble)

    async def _started(self, worker: Worker) -> bool:
        """Start a process; whether that could be. If not, its bot has failed for good."""
        try:
            await worker.start()
        except ProcessError as error:
            self._fails(worker.post.bot, error)
            return False
        return True

    async def _keep(self, worker: Worker, wanted: Callable[[], bool]) -> None:
        name = worker.post.bot
        try:
            await worker.keep(lambda: name not in self._failed and wanted())
        except ProcessError as error:
            log = self._folder.bot_log(name, worker.post.place)
            sentence = f"{str(error).removesuffix('.')}; see {log}."
            self._fails(name, ProcessError(sentence, error.log_tail))

    async def _look(self) -> None:
        """Look at what bots use that have limits of which the kernel knows nothing."""
        while True:
            await asyncio.sleep(_LOOK_S)
            watched = [worker for worker in self._workers() if worker.bot.limits.watched]
            by_pid = {worker.pid: worker for worker in watched if worker.pid is not None}
            least = min((one.bot.limits.memory or 0 for one in by_pid.values()), default=0)
            heads = {pid: worker.head for pid, worker in by_pid.items()}
            for pid, usage in (await asyncio.to_thread(usages, heads, least)).items():
                by_pid[pid].check(pid, usage)

    def _ended(self, ending: Ending) -> None:
        note_ending(self._folder.endings, ending)
        if ending.restarted:
            self._restarts[ending.bot] = self._restarts.get(ending.bot, 0) + 1

    def _fails(self, name: str, error: ProcessError) -> None:
        if name not in self._failed:
            self._failed.add(name)
            self._broken(name, error)

    def _worker(self, post: Post) -> Worker:
        return Worker(self._bots[post.bot], post, self._starter, self._note, self._ended)

    def _workers(self) -> list[Worker]:
        groups = [*self._standing.values(), *self._crews.values()]
        return [worker for group in groups for worker in group]

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._over)

    def _over(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if task.cancelled() or self._trouble.done():
            return
        if (error := task.exception()) is not None:
            self._trouble.set_exception(error)

    async def _end(self) -> None:
        workers = [*self._workers(), *self._leaving]
        try:
            keepers = list(self._tasks)
            for task in keepers:
                task.cancel()
            await asyncio.gather(*keepers, return_exceptions=True)
            async with asyncio.TaskGroup() as group:
                for worker in workers:
                    group.create_task(worker.stop())
        finally:
            for worker in workers:
                worker.kill()
            if not self._trouble.cancel() and not self._trouble.cancelled():
                self._trouble.exception()  # whoever watched has it; asyncio would complain else
