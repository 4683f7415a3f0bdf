"""A place for a worker, which is never empty for long."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

import structlog

from contree.server.setting_kinds import parse_address
from contree.server.settings import Settings
from contree.server.workers.metrics import WorkerMetrics
from contree.server.workers.orders import Orders
from contree.server.workers.process import Place, WorkerEnded, WorkerProcess

_FIRST_PAUSE_S: Final = 0.1
_LONGEST_PAUSE_S: Final = 5.0
_STEADY_S: Final = 60.0
"""After so long an end is not blamed on the start."""
_log = structlog.get_logger(__name__)


class WorkerSlot:
    """Runs one worker after another, until ``keep`` is cancelled."""

    def __init__(
        self,
        number: int,
        settings: Settings,
        command: Sequence[str],
        metrics: WorkerMetrics,
        changed: Callable[[], None],
    ) -> None:
        """``settings`` are the supervisor's, with the address and the store that all share;
        ``changed`` is called when the worker serves and when it has ended.
        """
        self.number = number
        self.place: Place | None = None
        """Where it serves; None while it does not."""
        self.first: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when a worker has served here; fails with WorkerEnded when the first one did not."""
        self._settings = settings
        self._command = tuple(command)
        self._metrics = metrics
        self._changed = changed
        self._starts = 0
        self._worker: WorkerProcess | None = None
        self._replacing = False
        self._serves = asyncio.Event()

    async def keep(self) -> None:
        """Start workers until cancelled; the last one is then stopped in good order."""
        now = asyncio.get_running_loop().time
        pause = _FIRST_PAUSE_S
        while True:
            began = now()
            code = await self._run_one()
            if self._replacing:
                self._replacing = False
                self._metrics.starts["asked"].inc()
                _log.info("worker_replaced", worker=self.number, code=code)
                continue
            if now() - began > _STEADY_S:
                pause = _FIRST_PAUSE_S
            self._metrics.starts["died"].inc()
            _log.warning("worker_ended", worker=self.number, code=code, restart_in_s=pause)
            await asyncio.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_S)

    async def replace(self) -> None:
        """Let the worker drain and end, or kill it when that takes too long; returns when another
        one serves in its place.
        """
        self._serves.clear()
        self._replacing = self._worker is not None
        if self._worker is not None:
            await self._worker.stop()
        await self._serves.wait()

    async def _run_one(self) -> int:
        """Start a worker and wait for its end; its exit code."""
        self._starts += 1
        try:
            worker = await WorkerProcess.start(self._orders(), self._command)
        except OSError as error:  # no memory, no process, no descriptor left
            _log.warning("worker_not_started", worker=self.number, error=str(error))
            if not self.first.done():
                self.first.set_exception(error)
            return 1
        try:
            self._worker = worker
            try:
                self.place = await worker.serving()
            except WorkerEnded as error:
                if not self.first.done():
                    self.first.set_exception(error)
                return error.code
            self._serves.set()
            if not self.first.done():
                self.first.set_result(None)
            _log.info("worker_serves", worker=self.number, pid=self.place.pid)
            self._changed()
            return await worker.ended()
        except asyncio.CancelledError:
            await worker.stop()
            raise
        finally:
            self._worker = self.place = None
            self._changed()

    def _orders(self) -> Orders:
        """What the next worker is told. Its name is new each time: what another had was its own."""
        given = self._settings
        metrics = given.metrics
        if metrics is not None:
            host, port = parse_address(metrics)
            own = port and port + self.number
            metrics = f"[{host}]:{own}" if ":" in host else f"{host}:{own}"
        name = f"{given.server_id[:48]}-{self.number}.{self._starts}"
        return Orders(
            replace(given, workers=1, metrics=metrics, server_id=name, ready_file=None),
            self.number,
        )
