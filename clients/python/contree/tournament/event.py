"""``contree tournament run``: an event from its file to its standings, and every way it can end."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path
from shlex import quote
from typing import Final

from rich.console import Console

from contree.client import Connection, ContreeError, HostClient, WatchPolicy
from contree.engine import commitment
from contree.tournament.bot_endings import read_endings, restarts
from contree.tournament.config import EventConfig, load_event
from contree.tournament.documents import Derived
from contree.tournament.errors import ConfigError, ProcessError, ResultsError, TournamentError
from contree.tournament.fleet import Fleet
from contree.tournament.folder import EventFolder
from contree.tournament.participants import participants
from contree.tournament.plan import Plan
from contree.tournament.policy import event_digest
from contree.tournament.progress import Progress, Reporter, duration
from contree.tournament.racing import race
from contree.tournament.results import ResultLog, write_whole
from contree.tournament.runner import Runner
from contree.tournament.running import Running
from contree.tournament.schedule import event_id
from contree.tournament.scraping import LOOPBACK, EventMetrics
from contree.tournament.service import LocalService
from contree.tournament.service_keys import ServiceKeys
from contree.tournament.signals import Signals
from contree.tournament.starting import Address
from contree.tournament.tables import FORFEITED

DONE: Final = 0
FAILED: Final = 1
BAD_INPUT: Final = 2
_SIGNALLED: Final = 128
"""Added to the number of the signal that ended the event: 130 for Ctrl-C."""
FIRST_PATIENCE_S: Final = 10.0
"""How long the service may take to answer at first; later answers may take much longer."""
PATIENCE_S: Final = 120.0
"""How long the service may stay away before the event stops."""


def run_event(
    path: str | Path,
    *,
    server: str | None = None,
    results: str | Path = "results",
    metrics: str = "off",
    console: Console | None = None,
    reopen: bool = False,
    metrics_at: tuple[str, int] | None = None,
    linger: float = 0.0,
) -> int:
    """Play the event of a file to its end, or go on where an earlier run stopped.

    Plays at the service ``server`` (HOST:PORT), else at one of its own, whose metrics are served at
    ``metrics``. Everything that lasts is in ``results/<event id>``. ``reopen`` goes on with an
    event that was cancelled. How the event goes is served as metrics at ``metrics_at``, host and
    port, else where its file says, if it does; and for ``linger`` seconds after its end or a stop
    by signal, unless a further signal comes. The exit code: 0 when all tables have a result, 1 when
    the event cannot go on, 2 for a file that is no event, 130 after Ctrl-C. What is wrong is said
    on standard error.
    """
    shown = Console() if console is None else console
    try:
        config = load_event(Path(path))
        if metrics_at is None and config.metrics_port is not None:
            metrics_at = LOOPBACK, config.metrics_port
        if linger and metrics_at is None:
            raise ConfigError("--linger", "no metrics are served", "--metrics-port, too")
        event = _Event(
            config,
            shown,
            server=server,
            results=Path(results),
            metrics=metrics,
            reopen=reopen,
            file=Path(path),
            metrics_at=metrics_at,
            linger=linger,
        )
    except ConfigError as error:
        return _told(error, path)
    return asyncio.run(_until_signal(event, path))


def _told(error: TournamentError | ContreeError | OSError, path: str | Path) -> int:
    """Say what ended the event of a file; the exit code."""
    if isinstance(error, ConfigError):
        where = "" if error.key == str(path) or error.key.startswith("--") else f"{path}: "
        print(f"{where}{error}", file=sys.stderr)
        return BAD_INPUT
    if isinstance(error, OSError):  # the disk is full, no more processes may be started ...
        print(f"The event cannot go on: {error}. Run it again when it can.", file=sys.stderr)
    else:
        print(_sentence(error), file=sys.stderr)
    return FAILED


def _sentence(error: TournamentError | ContreeError) -> str:
    text = str(error)
    if isinstance(error, ProcessError) and error.log_tail:
        quoted = "\n".join(f"  | {line}" for line in error.log_tail.splitlines())
        text = f"{text} Its last words:\n{quoted}"
    return text


async def _until_signal(event: _Event, path: str | Path) -> int:
    """Run the event; a signal cancels it once, so that it is cleared up in peace."""
    main = asyncio.ensure_future(event.run())

    def stop() -> None:
        if not main.done():
            event.note("Stopping: what is in play is cancelled, results are kept.")
            main.cancel()

    with Signals.heard(stop) as signals, closing(event):
        code, asked_to_stop = DONE, 0
        try:
            await main
        except asyncio.CancelledError:
            if signals.first is None:
                raise
            code, asked_to_stop = _SIGNALLED + signals.first, 1
        except (TournamentError, ContreeError, OSError) as error:
            code = _told(error, path)
        await event.linger(signals, asked_to_stop)
        return code


class _Event:
    """One run of an event."""

    def __init__(
        self,
        config: EventConfig,
        console: Console,
        *,
        server: str | None,
        results: Path,
        metrics: str,
        reopen: bool = False,
        file: Path | None = None,
        metrics_at: tuple[str, int] | None = None,
        linger: float = 0.0,
    ) -> None:
        self._config = config
        self._file = file
        self._server = server
        self._results = results
        self._metrics = metrics
        self._reopen = reopen
        self._metrics_at = metrics_at
        self._linger = linger
        self._served: EventMetrics | None = None
        self._cancelled = False
        self._reporter = Reporter(console)
        self.note = self._reporter.note

    async def run(self) -> None:
        """From the bots' needs to the standings; these are written however it ends."""
        config = self._config
        bots = await participants(config.bots, self.note)
        event = event_id(config.name, config.settings(bots))
        with (
            EventFolder.opened(self._results / event) as folder,
            ResultLog(folder.log) as log,
        ):
            self._not_cancelled(folder)
            plan = Plan(
                id=event,
                config=config,
                bots=bots,
                schedule=config.shape.build([bot.name for bot in bots], config.boards),
                seed=folder.seed(config.seed),
            )
            complete = _complete(plan, folder, log)
            folder.write_header(plan.header(revealed=complete))
            self._announce(plan, log)
            self._serve_metrics(plan, folder, log)
            try:
                if not complete:
                    with self._reporter:
                        await self._play(plan, folder, log)
                folder.write_header(plan.header(revealed=True))
            finally:
                self._conclude(plan, folder, log)

    async def linger(self, signals: Signals, heard: int) -> None:
        """Serve the metrics on, for as long as that was asked for, or until a signal comes after
        those that were ``heard``. Of an event that was cancelled nobody waits for the result.
        """
        if self._served is None or not self._linger or self._cancelled:
            return
        self.note(
            f"Metrics are served at {self._served.address} for {duration(self._linger)} more; "
            "Ctrl-C ends that."
        )
        await signals.wait(self._linger, beyond=heard)

    def close(self) -> None:
        """Serve no metrics any more."""
        if self._served is not None:
            self._served.close()

    def _serve_metrics(self, plan: Plan, folder: EventFolder, log: ResultLog) -> None:
        if self._metrics_at is None:
            return
        earlier = restarts(read_endings(folder.endings))
        self._served = EventMetrics(plan, log, earlier, self._metrics_at)
        self.note(f"Metrics: http://{self._served.address}/metrics")
        if self._served.left_out:
            self.note("Not all bots and pairings of so large a field have metrics of their own.")

    def _not_cancelled(self, folder: EventFolder) -> None:
        cancelled = folder.cancelled()
        if cancelled and not self._reopen:
            reason = f" ({cancelled['reason']})" if cancelled["reason"] else ""
            raise ResultsError(
                f"The event in {folder.path} was cancelled {cancelled['at']}{reason}. Its results "
                "are kept; --reopen goes on with it."
            )
        folder.reopen()

    async def _play(self, plan: Plan, folder: EventFolder, log: ResultLog) -> None:
        async with self._service(plan, folder) as (address, service, keys):
            playing = self._play_at(address, service, keys, plan=plan, folder=folder, log=log)
            # From the first moment on: it may die before there is a table.
            watching = () if service is None else (service.watch(),)
            await race(playing, *watching)

    async def _play_at(
        self,
        address: str,
        service: LocalService | None,
        keys: ServiceKeys | None,
        *,
        plan: Plan,
        folder: EventFolder,
        log: ResultLog,
    ) -> None:
        def show(progress: Progress) -> None:
            self._reporter.update(
                progress, lambda: Derived.of(plan.schedule, log.done, quick=True).standings
            )

        # None is that of the environment: it is for another service than one of our own.
        token = None if keys is None else keys.host
        async with HostClient(address, token, connection=Connection(patience=PATIENCE_S)) as host:
            if service is None:
                await _answers(address, token)
            live = plan.config.watch is WatchPolicy.LIVE
            when = "" if live else " (a table is shown when all pairings have played its board)"
            watch = f"contree watch --label {plan.id} --server {address}"
            if keys is not None:
                watch = f"CONTREE_TOKEN_FILE={quote(str(keys.watch_file.absolute()))} {watch}"
            self.note(
                f"To watch from elsewhere: {watch}{when}; results as they come in: {folder.log}"
            )
            out: set[str] = set()

            def broken(bot: str, error: TournamentError) -> None:
                """Go on without a bot that has failed for good, or raise why that cannot be."""
                left = len(plan.bots) - len(out | {bot})
                if plan.config.broken.stops or left < 2:
                    raise error
                out.add(bot)
                runner.give_up(bot)
                self.note(
                    f"{_sentence(error)}\n{bot} forfeits its tables that are not finished, "
                    f"{plan.config.broken.marks} marks each, and the event goes on."
                )

            runner = Runner(plan, host, folder, log, note=self.note, on_result=show, broken=broken)
            running = Running(folder.path)
            await runner.clear_left_over()
            tables = min(plan.config.tables, plan.schedule.opened({}).of_tables)
            dial = Address(address, plan.instance, tables, plan.config.isolation, keys)
            hidden = () if self._file is None else (self._file,)
            async with Fleet.running(
                plan.bots, dial, folder, self.note, broken=broken, hidden=hidden
            ) as fleet:

                async def rounds() -> None:
                    room = await fleet.connected(host, plan.config.time.seat_timeout or 0.0)
                    self._reporter.begin()
                    running.begin()
                    await race(runner.play(room, fleet), fleet.watch())

                def serving() -> int | None:
                    return None if service is None else service.pid

                beside = [running.keep(runner.progress, runner.playing, serving)]
                if self._served is not None:
                    beside.append(self._served.keep(runner, running, lambda: fleet.restarts))
                try:
                    await race(rounds(), *beside)
                except (asyncio.CancelledError, TournamentError):
                    await runner.cancel_playing()
                    raise
                finally:
                    running.memory.look(serving())
                    running.write(runner.progress(), ())
                    if self._served is not None:
                        self._served.refresh(runner, running, fleet.restarts)
                    self.note(running.memory.sentence())
                    for bot, count in fleet.restarts.items():
                        self.note(f"{bot} was started again {count} times in this run.")

    @asynccontextmanager
    async def _service(
        self, plan: Plan, folder: EventFolder
    ) -> AsyncIterator[tuple[str, LocalService | None, ServiceKeys | None]]:
        """Where to play; of a service of the event's own also its process and its keys."""
        if self._server is not None:
            yield self._server, None, None
            return
        keys = await ServiceKeys.of(folder, [bot.name for bot in plan.bots], self.note)
        async with LocalService.running(folder, self._metrics, self.note) as service:
            yield service.address, service, keys

    def _announce(self, plan: Plan, log: ResultLog) -> None:
        config, opened = plan.config, plan.schedule.opened(log.done)
        tables = opened.of_tables
        what = "races" if config.race is not None else "boards"
        self.note(
            f"Event {plan.id}: {config.shape.kind.value}, {', '.join(plan.schedule.bots)}; "
            f"{config.boards} {what}, {tables} tables, rules {config.rules.name}."
        )
        clock = (f"{name} {value:g} s" for name, value in plan.header()["time"].items() if value)
        self.note(f"Clock: {', '.join(clock)}.")
        for sentence in plan.policy().values():
            self.note(sentence)
        self.note(f"Policy for what goes wrong (its SHA-256): {plan.header()['policy_sha256']}")
        self.note(f"Commitment to the seed (its SHA-256): {commitment(plan.seed)}")
        self.note(f"The event as a whole (its SHA-256): {event_digest(plan.header())}")
        if log.mended:
            self.note("The last run was cut off while writing a result; that table is asked again.")
        if opened.over(log.done):
            self.note("It has been played: these are its results. Delete them to play it anew.")
        elif log.done:
            self.note(f"Going on: {len(log.done)} of {tables} tables have a result.")

    def _conclude(self, plan: Plan, folder: EventFolder, log: ResultLog) -> None:
        event = Derived.of(plan.schedule, log.done)
        opened, results, complete = event.opened, event.results, event.complete
        self._cancelled = bool(folder.cancelled())
        if self._served is not None:
            self._served.conclude(event)
        if results:
            self._reporter.final(event.standings, event.report.lines)
        if opened.surplus:
            self.note(f"{len(opened.surplus)} tables beyond the end do not count.")
        if complete:
            self.note(f"All {len(results)} tables have a result. Seed: {plan.seed.hex()}")
        else:
            then = "run the same command again to go on"
            if self._cancelled:
                then = "the event is cancelled"
            self.note(f"{len(results)} of {opened.of_tables} tables have a result; {then}.")
        self.note(f"Results: {folder.path}")
        # All that follows can be made again from the results, so a failure ends nothing.
        try:
            for name, text in event.documents(plan.id, plan.config.shape.kind.value).items():
                write_whole(folder.path / name, text)
        except OSError as error:
            self.note(
                f"Boards and standings cannot be written there ({error.strerror}): run the same "
                "command again once they can."
            )
        if complete:
            self._report(folder)

    def _report(self, folder: EventFolder) -> None:
        """Make the page of the event, or say why there is none."""
        try:
            # Drawing takes a library that nothing else needs, and a while to load.
            from contree.tournament.html_report import write_report  # noqa: PLC0415

            self.note(f"Report: {write_report(folder.path)}")
        except ModuleNotFoundError as error:
            self._no_report(
                folder,
                f"it needs {error.name}, which is not installed: pip install 'contree[tournament]'",
            )
        except TournamentError as error:
            self._no_report(folder, str(error).removesuffix("."))
        except Exception as error:  # whatever drawing runs into: the event is over
            self._no_report(folder, repr(error))

    def _no_report(self, folder: EventFolder, why: str) -> None:
        self.note(
            f"There is no report yet ({why}). contree tournament report {folder.path} makes it."
        )


async def _answers(address: str, token: str | None) -> None:
    """See that there is a service of others, and say so soon when there is none."""
    patience = Connection(patience=FIRST_PATIENCE_S)
    async with HostClient(address, token, connection=patience) as host:
        await host.list_bots()


def _complete(plan: Plan, folder: EventFolder, log: ResultLog) -> bool:
    opened = plan.schedule.opened(log.done)
    return opened.over(log.done) and all(
        folder.record(table.id).exists()
        for table in (*opened.tables, *opened.surplus)
        if log.done[table.id].reason != FORFEITED
    )
