"""``contree tournament run``: an event from its file to its standings, and every way it can end."""

from __future__ import annotations

import asyncio
import datetime
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from contree.client import Connection, ContreeError, HostClient
from contree.engine import commitment
from contree.tournament.config import BotConfig, EventConfig, load_event
from contree.tournament.errors import ConfigError, ProcessError, TournamentError
from contree.tournament.fleet import Address, Fleet
from contree.tournament.folder import EventFolder
from contree.tournament.participants import participants
from contree.tournament.progress import Progress, Reporter
from contree.tournament.racing import race
from contree.tournament.results import ResultLog, write_boards, write_standings
from contree.tournament.runner import Runner
from contree.tournament.schedule import RoundRobin, event_id
from contree.tournament.service import LocalService
from contree.tournament.standings import Standings, close_boards, standings

DONE: Final = 0
FAILED: Final = 1
BAD_INPUT: Final = 2
_SIGNALLED: Final = 128
"""Added to the number of the signal that ended the event: 130 for Ctrl-C."""
_PATIENCE_S: Final = 120.0
"""How long the service may stay away before the event stops."""


def run_event(
    path: str | Path,
    *,
    server: str | None = None,
    results: str | Path = "results",
    metrics: str = "off",
    console: Console | None = None,
) -> int:
    """Play the event of a file to its end, or go on where an earlier run stopped.

    Plays at the service ``server`` (HOST:PORT), else at one of its own, whose metrics are served at
    ``metrics``. Everything that lasts is in ``results/<event id>``. The exit code: 0 when all tables
    have a result, 1 when the event cannot go on, 2 for a file that is no event, 130 after Ctrl-C.
    What is wrong is said on standard error.
    """
    shown = Console() if console is None else console
    try:
        config = load_event(Path(path))
        return asyncio.run(_until_signal(_Event(config, server, Path(results), metrics, shown)))
    except ConfigError as error:
        print(f"{path}: {error}", file=sys.stderr)
        return BAD_INPUT
    except (TournamentError, ContreeError) as error:
        print(_sentence(error), file=sys.stderr)
        return FAILED


def _sentence(error: TournamentError | ContreeError) -> str:
    text = str(error)
    if isinstance(error, ProcessError) and error.log_tail:
        quoted = "\n".join(f"  | {line}" for line in error.log_tail.splitlines())
        text = f"{text} Its last words:\n{quoted}"
    return text


async def _until_signal(event: _Event) -> int:
    """Run the event; a signal cancels it once, so that it is cleared up in peace."""
    loop = asyncio.get_running_loop()
    main = asyncio.ensure_future(event.run())
    received: list[int] = []

    def stop(number: int) -> None:
        if not received:
            event.note("Stopping: what is in play is cancelled, results are kept.")
            main.cancel()
        received.append(number)

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    with suppress(RuntimeError, ValueError):  # not in the main thread: then nobody signals it
        for number in numbers:
            loop.add_signal_handler(number, stop, number)
    try:
        await main
    except asyncio.CancelledError:
        if not received:
            raise
        return _SIGNALLED + received[0]
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)
    return DONE


class _Event:
    """One run of an event."""

    def __init__(
        self, config: EventConfig, server: str | None, results: Path, metrics: str, console: Console
    ) -> None:
        self._config = config
        self._server = server
        self._results = results
        self._metrics = metrics
        self._reporter = Reporter(console)
        self.note = self._reporter.note

    async def run(self) -> None:
        """From the bots' needs to the standings; these are written however it ends."""
        config = self._config
        bots = await participants(config.bots, self.note)
        names = tuple(bot.name for bot in bots)
        event = event_id(config.name, config.settings(bots))
        schedule = RoundRobin(names, config.boards)
        with (
            EventFolder.opened(self._results / event) as folder,
            ResultLog(folder.log) as log,
        ):
            seed = folder.seed(config.seed)
            header = _header(event, config, bots, seed)
            folder.write_header(header)
            self._announce(header, len(schedule), log)
            try:
                if not _complete(schedule, folder, log):
                    with self._reporter:
                        await self._play(event, bots, seed, schedule, folder, log)
                folder.write_header({**header, "seed": seed.hex()})
                self.note(f"Seed {seed.hex()}")
            finally:
                self._conclude(event, names, schedule, folder, log)

    async def _play(
        self,
        event: str,
        bots: tuple[BotConfig, ...],
        seed: bytes,
        schedule: RoundRobin,
        folder: EventFolder,
        log: ResultLog,
    ) -> None:
        names = schedule.bots

        def shown(progress: Progress) -> None:
            self._reporter.update(
                progress, lambda: standings(names, tuple(log.done.values()), quick=True)
            )

        async with (
            self._service(folder) as (address, service),
            HostClient(address, connection=Connection(patience=_PATIENCE_S)) as host,
        ):
            runner = Runner(
                event,
                self._config,
                seed,
                schedule,
                host,
                folder,
                log,
                note=self.note,
                on_result=shown,
            )
            await runner.clear_left_over()
            seats = 2 * min(self._config.tables, len(schedule))
            dial = Address(address, event, seats)
            async with Fleet.running(bots, dial, folder, self.note) as fleet:
                patience = self._config.time.seat_timeout or 0.0

                async def rounds() -> None:
                    room = await fleet.connected(host, patience)
                    self._reporter.begin()
                    tables = {bot: seats // 2 for bot, seats in room.items()}
                    await race(runner.play(tables), fleet.watch())

                try:
                    await race(rounds(), *([] if service is None else [service.watch()]))
                except (asyncio.CancelledError, TournamentError):
                    await runner.cancel_playing()
                    raise

    @asynccontextmanager
    async def _service(self, folder: EventFolder) -> AsyncIterator[tuple[str, LocalService | None]]:
        if self._server is not None:
            yield self._server, None
            return
        async with LocalService.running(folder, self._metrics, self.note) as service:
            yield service.address, service

    def _announce(self, header: dict[str, Any], tables: int, log: ResultLog) -> None:
        time, faults = header["time"], header["faults"]
        self.note(
            f"Event {header['id']}: {', '.join(bot['name'] for bot in header['bots'])}; "
            f"{header['boards']} boards, {tables} tables, rules {header['rules']['name']}"
        )
        clock = ", ".join(f"{name} {value:g} s" for name, value in time.items() if value)
        self.note(
            f"Clock: {clock}. Faults: {faults['illegal_strikes']} illegal actions and "
            f"{faults['timeout_strikes']} timeouts of a seat are forgiven, then the house plays it."
        )
        self.note(f"Commitment to the seed (SHA-256): {header['seed_commitment']}")
        if log.mended:
            self.note(
                "The last run was cut off while it wrote a result: that table is asked again."
            )
        if log.done:
            self.note(f"Going on: {len(log.done)} of {tables} tables have a result.")

    def _conclude(
        self,
        event: str,
        names: tuple[str, ...],
        schedule: RoundRobin,
        folder: EventFolder,
        log: ResultLog,
    ) -> None:
        results = tuple(log.done.values())
        table: Standings = standings(names, results)
        about = {
            "event": event,
            "complete": len(results) == len(schedule),
            "tables": len(results),
            "of_tables": len(schedule),
            "replayed": [
                {"table": result.table.id, **attempt._asdict()}
                for result in results
                for attempt in result.attempts
            ],
        }
        write_boards(folder.boards, close_boards(results))
        write_standings(folder.path, table, about)
        self._reporter.final(table)
        self.note(f"{len(results)} of {len(schedule)} tables. Results: {folder.path}")


def _complete(schedule: RoundRobin, folder: EventFolder, log: ResultLog) -> bool:
    return len(log.done) == len(schedule) and all(
        folder.record(table.id).exists() for table in schedule
    )


def _header(
    event: str, config: EventConfig, bots: tuple[BotConfig, ...], seed: bytes
) -> dict[str, Any]:
    """All that was fixed before the first card; the seed itself is added after the last."""
    times = asdict(config.time)
    return {
        "schema": 1,
        "id": event,
        "name": config.name,
        "contree": version("contree"),
        "written": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "boards": config.boards,
        "bots": [
            {"name": bot.name, "command": list(bot.command), "dials_in": bot.dials_in}
            for bot in bots
        ],
        "time": {name: value for name, value in times.items() if value is not None},
        "faults": asdict(config.faults),
        "seed_commitment": commitment(seed),
        "label": config.name,
        "rules": config.rules.to_dict(),
        "seed": None,
    }
