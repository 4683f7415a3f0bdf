"""The supervisor: one store, one address, so many workers, and an orderly end of all of them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace

import structlog

from contree.server.app import write_ready
from contree.server.setting_kinds import parse_address
from contree.server.settings import Settings
from contree.server.store import embedded_store
from contree.server.telemetry import metrics_server
from contree.server.workers.metrics import WorkerMetrics
from contree.server.workers.place import shared_address
from contree.server.workers.process import Place
from contree.server.workers.readiness import any_ready
from contree.server.workers.slot import WorkerSlot

_log = structlog.get_logger(__name__)


async def supervise(settings: Settings, command: Sequence[str]) -> None:
    """Let ``settings.workers`` processes serve until SIGTERM or SIGINT, then let them drain.

    SIGHUP replaces them, one after the other: the next one is asked to end when the one before has
    a successor that serves. ``command`` starts a program that calls ``read_orders`` and serves.
    Raises AddressUnavailable, EmbeddedStoreError, and WorkerEnded when a first worker does not
    come to serve.
    """
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()
    restart = asyncio.Event()
    terminal = _has_terminal()
    nohup = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)

    def hang_up() -> None:
        nonlocal terminal
        if not terminal or _has_terminal():
            restart.set()
            return
        # A terminal that is closed says SIGHUP, too, and means the end but to `nohup`.
        terminal = False
        if not nohup:
            stop.set()

    loop.add_signal_handler(signal.SIGHUP, hang_up)
    stopping = asyncio.create_task(stop.wait())
    try:
        async with _workers(settings, command) as crew:
            started = asyncio.create_task(crew.start())
            await asyncio.wait({stopping, started}, return_when=asyncio.FIRST_COMPLETED)
            if not started.done():
                started.cancel()
                return
            await started
            rolling = asyncio.create_task(crew.roll(restart))
            await stopping
            rolling.cancel()
            _log.info("stopping", workers=settings.workers)
    finally:
        stopping.cancel()
        if settings.ready_file is not None:
            settings.ready_file.unlink(missing_ok=True)


class _Crew:
    """All workers."""

    def __init__(self, settings: Settings, command: Sequence[str], metrics: WorkerMetrics) -> None:
        self.address = settings.listen
        self.metrics_address: str | None = None
        self.stopping = False
        self._ready_file = settings.ready_file
        self._metrics = metrics
        metrics.wanted.set(settings.workers)
        self._complete = False
        self.slots = [
            WorkerSlot(number, settings, command, metrics, self._changed)
            for number in range(1, settings.workers + 1)
        ]
        self._keeping: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Start them; returns when all serve. What is wrong with all of them is said once: the
        first one is started alone. Raises WorkerEnded.
        """
        for some in (self.slots[:1], self.slots[1:]):
            self._keeping += [asyncio.create_task(slot.keep()) for slot in some]
            await asyncio.gather(*(slot.first for slot in some))
        self._complete = True
        self._tell()
        _log.info(
            "serving", address=self.address, workers=len(self.slots), metrics=self.metrics_address
        )

    async def stop(self) -> None:
        """Let all of them drain and end, at the same time."""
        self.stopping = True
        for task in self._keeping:
            task.cancel()
        await asyncio.gather(*self._keeping, return_exceptions=True)

    async def roll(self, asked: asyncio.Event) -> None:
        """Whenever it is asked for, replace one after the other, until cancelled."""
        while True:
            await asked.wait()
            asked.clear()
            _log.info("rolling_restart", workers=len(self.slots))
            for slot in self.slots:
                await slot.replace()
            _log.info("rolling_restart_done")

    async def ready(self) -> bool:
        """Whether a worker says that it takes new matches."""
        if self.stopping:
            return False
        places = [place.metrics_address for _, place in self._places()]
        return await any_ready([place for place in places if place is not None])

    def targets(self, host: str) -> list[Mapping[str, object]]:
        """Where the metrics of the workers are, as Prometheus' HTTP service discovery has it."""
        ports = [
            (number, parse_address(place.metrics_address)[1])
            for number, place in self._places()
            if place.metrics_address is not None
        ]
        return [
            {"targets": [f"{host}:{port}"], "labels": {"worker": str(number)}}
            for number, port in ports
        ]

    def _changed(self) -> None:
        self._metrics.serving.set(len(self._places()))
        if self._complete and not self.stopping:
            try:
                self._tell()
            except OSError as error:
                _log.warning("ready_file_not_written", error=str(error))

    def _places(self) -> list[tuple[int, Place]]:
        return [(slot.number, slot.place) for slot in self.slots if slot.place is not None]

    def _tell(self) -> None:
        """Write the ready file."""
        if self._ready_file is None:
            return
        workers = [
            {"worker": number, "pid": place.pid, "metrics": place.metrics_address}
            for number, place in self._places()
        ]
        facts = {"address": self.address, "metrics": self.metrics_address, "pid": os.getpid()}
        write_ready(self._ready_file, {**facts, "workers": workers})


@contextlib.asynccontextmanager
async def _workers(settings: Settings, command: Sequence[str]) -> AsyncIterator[_Crew]:
    """The crew and what it stands on; all of it is over when the block is."""
    async with contextlib.AsyncExitStack() as stack:
        listen = stack.enter_context(shared_address(settings.listen))
        url = settings.redis_url
        if url is None:
            store = await stack.enter_async_context(
                embedded_store(settings.data_dir, settings.fsync)
            )
            url = store.url
        metrics = WorkerMetrics()
        crew = _Crew(replace(settings, listen=listen, redis_url=url), command, metrics)
        if settings.metrics is not None:
            host, _ = parse_address(settings.metrics)

            def targets(headers: Mapping[str, str]) -> bytes:
                # Whoever reached us by a name or an address reaches the workers by the same.
                name = headers.get("host") or settings.metrics or ""
                asked, colon, port = name.rpartition(":")
                if not colon or not port.isdigit():
                    asked = name
                return json.dumps(crew.targets(asked or host)).encode()

            crew.metrics_address = await stack.enter_async_context(
                metrics_server(
                    metrics.registry,
                    settings.metrics,
                    crew.ready,
                    documents={"/targets": targets},
                )
            )
        try:
            yield crew
        finally:
            await crew.stop()
            _log.info("stopped")


def _has_terminal() -> bool:
    """Whether this process belongs to a terminal that is there."""
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True
