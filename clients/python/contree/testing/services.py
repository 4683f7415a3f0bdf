"""A server in process, with a store of its own."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

_MODULES = ("redis", "structlog", "prometheus_client", "grpc_health", "grpc_reflection")


class Service(NamedTuple):
    """A server that serves."""

    address: str
    """HOST:PORT for bots and hosts."""


@asynccontextmanager
async def service(
    *, data: Path | None = None, per_move: float = 10.0, heartbeat: float = 1.0, drain: float = 1.0
) -> AsyncIterator[Service]:
    """A server for the time of an ``async with``, on a free port of this machine.

    It is the real one, with its journal in an embedded store. ``data`` is the store's folder, by
    default one that is deleted afterwards; a service on the same folder goes on with the matches
    of the one before. ``per_move`` is the clock of matches that name none; ``heartbeat`` the
    seconds between signs of life; ``drain`` how long bots have to finish at the end.
    """
    try:
        from contree.server.app import running  # noqa: PLC0415 the server is an extra
        from contree.server.settings import Settings, TimeControlSettings  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if error.name not in _MODULES:
            raise
        raise ModuleNotFoundError(
            f"contree.testing.service needs {error.name}: pip install 'contree[server]'",
            name=error.name,
        ) from None
    with tempfile.TemporaryDirectory(prefix="contree-") as folder:
        settings = Settings(
            listen="127.0.0.1:0",
            metrics=None,
            data_dir=data or Path(folder),
            fsync="everysec",
            heartbeat_s=heartbeat,
            drain_s=drain,
            time_control=TimeControlSettings(per_move_s=per_move),
        )
        async with running(settings) as serving:
            yield Service(serving.address)
