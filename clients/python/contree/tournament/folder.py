"""The folder of an event, ``results/<event id>``: its lock, its seed, its header, its files."""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from contree.engine import commitment
from contree.tournament.bot_endings import ENDINGS_NAME
from contree.tournament.errors import ResultsError
from contree.tournament.results import LOG_NAME, write_json, write_whole

_LOOKS: Final = 5
_LOOK_S: Final = 0.02
"""Whoever looks whether somebody runs an event holds its lock for a moment."""


class EventFolder:
    """Where an event keeps what it must not forget. One runner at a time has it open."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.log = path / LOG_NAME
        self.boards = path / "boards.csv"
        self.logs = path / "logs"
        self.records = path / "records"
        self.store = path / "store"
        """The data of a local service."""
        self.keys = path / "keys"
        """The tokens for a local service."""
        self.ready_file = path / "service.json"
        """Where a local service says its address."""
        self.endings = path / ENDINGS_NAME
        """How processes of bots ended that the runner did not end."""
        self._seed_file = path / "seed"
        self._cancelled = path / "cancelled.json"

    @classmethod
    @contextmanager
    def opened(cls, path: Path) -> Iterator[EventFolder]:
        """The folder, made if need be, and locked. Raises ResultsError when another run has it."""
        folder = cls(path)
        try:
            for part in (path, folder.logs, folder.records):
                part.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path / "lock", os.O_RDWR | os.O_CREAT, 0o644)
        except OSError as error:
            raise ResultsError(
                f"The results cannot be kept in {path}: {error.strerror}; name another folder."
            ) from None
        try:
            try:
                _lock(descriptor)
            except BlockingIOError:
                holder = os.read(descriptor, 20).decode(errors="replace").strip()
                raise ResultsError(
                    f"The event in {path} is being run by process {holder}: wait for it or stop it."
                ) from None
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
            yield folder
        finally:
            os.close(descriptor)

    @staticmethod
    def runner_of(path: Path) -> int | None:
        """The process that runs the event in this folder; None when there is none."""
        try:
            descriptor = os.open(path / "lock", os.O_RDONLY)
        except OSError:
            return None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            with suppress(ValueError):
                return int(os.read(descriptor, 20))
        finally:
            os.close(descriptor)
        return None

    def cancel(self, reason: str) -> None:
        """Note that the event is over before its end."""
        at = datetime.now(UTC).isoformat(timespec="seconds")
        write_json(self._cancelled, {"at": at, "reason": reason})

    def cancelled(self) -> dict[str, Any]:
        """When the event was cancelled, and why; empty when it was not."""
        try:
            found = json.loads(self._cancelled.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except (OSError, ValueError):
            return {"at": "", "reason": ""}
        return dict(found)

    def reopen(self) -> None:
        """It goes on after all."""
        self._cancelled.unlink(missing_ok=True)

    def seed(self, given: bytes | None) -> bytes:
        """The seed of the event: the one given, else the one drawn at its first run.

        A drawn seed is on the disk, for its owner's eyes only, before it is used.
        """
        if given is not None:
            return given
        if not self._seed_file.exists():
            write_whole(self._seed_file, secrets.token_hex(32) + "\n", 0o600)
        try:
            seed = bytes.fromhex(self._seed_file.read_text(encoding="utf-8").strip())
            commitment(seed)
        except (ValueError, OSError) as error:
            raise ResultsError(f"{self._seed_file} is no seed ({error}).") from None
        return seed

    def write_header(self, header: dict[str, Any]) -> None:
        """What the event is: all that was fixed before its first card."""
        write_json(self.path / "event.json", header)

    def record(self, table_id: str) -> Path:
        """The file with the record of a table."""
        return self.records / f"{table_id}.bgn"

    def bot_log(self, bot: str, place: str = "") -> Path:
        """The file with what a bot writes: all of it, or that of its processes in one place."""
        # No bot's name has a tilde in it.
        return self.logs / (f"{bot}~{place}.log" if place else f"{bot}.log")

    @property
    def service_log(self) -> Path:
        """The file with all that a local service writes."""
        return self.logs / "contree-serve.log"


def _lock(descriptor: int) -> None:
    """Lock a file for this runner alone. Raises BlockingIOError when another has it."""
    for _ in range(_LOOKS):
        with suppress(BlockingIOError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        time.sleep(_LOOK_S)
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
