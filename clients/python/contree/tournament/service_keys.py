"""The API keys of an event's own service: one for the runner, one for each bot, one to look on.

A service that serves whoever calls cannot tell the host from a bot, and a bot that is a host reads
every hand. So the event's own service wants keys, and each bot is handed its own: with it, it plays
under its name and nothing else. The keys are in the service's store, their tokens in the event's
folder, for its owner's eyes only; both stay there from run to run, for a match belongs to the key
that created it.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
from asyncio.subprocess import PIPE
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from contree.tournament.errors import ProcessError
from contree.tournament.folder import EventFolder
from contree.tournament.processes import environment_for, launched, resolve
from contree.tournament.results import sync_folder, write_whole

_HOST: Final = "host"
_WATCH: Final = "watch"
_BOT: Final = "bot-"
_WITHIN_S: Final = 60.0
_TRIES: Final = 5
_WHO: Final = "The service's keys"


@dataclass(frozen=True, slots=True)
class ServiceKeys:
    """The tokens of an event's own service. Made by ``of``."""

    folder: Path
    """Where each has a file of its own."""
    host: str = field(repr=False)
    """The runner's: it creates the matches, and they are its own."""
    bots: Mapping[str, str] = field(repr=False)
    """By the name that goes with it."""

    @classmethod
    async def of(
        cls, folder: EventFolder, bots: Iterable[str], note: Callable[[str], None]
    ) -> ServiceKeys:
        """Those of an event's service, made where there are none yet; the service need not run.

        Raises ProcessError when they cannot be made.
        """
        if not folder.store.exists():
            # Keys of a store that was deleted are good for nothing.
            shutil.rmtree(folder.keys, ignore_errors=True)
        folder.keys.mkdir(mode=0o700, exist_ok=True)
        names = list(bots)
        wanted = [_HOST, _WATCH, *(f"{_BOT}{name}" for name in names)]
        tokens = {one: _read(_file(folder.keys, one)) for one in wanted}
        if missing := [one for one in wanted if not tokens[one]]:
            made = await _made(folder, missing, note)
            for one in missing:
                tokens[one] = made[one]
                write_whole(_file(folder.keys, one), f"{made[one]}\n", 0o600)
            sync_folder(folder.keys)
        return cls(folder.keys, tokens[_HOST], {name: tokens[f"{_BOT}{name}"] for name in names})

    @property
    def watch_file(self) -> Path:
        """The file with the token of whoever only looks on: it may go to others."""
        return _file(self.folder, _WATCH)

    def bot_file(self, bot: str) -> Path:
        """The file with the token of a bot."""
        return _file(self.folder, f"{_BOT}{bot}")


def _file(folder: Path, one: str) -> Path:
    return folder / f"{one}.token"


def _read(path: Path) -> str:
    with suppress(FileNotFoundError):
        return path.read_text(encoding="ascii", errors="replace").strip()
    return ""


def _request(one: str) -> dict[str, Any]:
    """A key as ``contree keys create-all`` takes it."""
    if one == _HOST:
        # The operator: an event that was begun when its service wanted no keys goes on.
        return {"name": "runner", "roles": ["operator"]}
    if one == _WATCH:
        return {"name": "watch", "roles": ["spectator"]}
    name = one.removeprefix(_BOT)
    return {"name": name, "roles": ["bot"], "bots": [name]}


async def _made(
    folder: EventFolder, wanted: list[str], note: Callable[[str], None]
) -> dict[str, str]:
    """New tokens. What the store met with meanwhile may pass: it is tried again."""
    for _ in range(1, _TRIES):
        try:
            return await _make_once(folder, wanted)
        except ProcessError as error:
            note(f"{error} It is tried again.")
    return await _make_once(folder, wanted)


async def _make_once(folder: EventFolder, wanted: list[str]) -> dict[str, str]:
    environment = environment_for({})
    asked = ["contree", "keys", "create-all", "-", "--data", str(folder.store.absolute())]
    command = resolve(_WHO, asked, folder.path, environment)
    process = await asyncio.create_subprocess_exec(
        *launched(command, os.getpid(), signal.SIGTERM),
        stdin=PIPE,
        stdout=PIPE,  # nowhere else: it has the tokens
        stderr=PIPE,
        cwd=folder.path,
        env=environment,
        start_new_session=True,
    )
    lines = "".join(json.dumps(_request(one)) + "\n" for one in wanted)
    try:
        async with asyncio.timeout(_WITHIN_S):
            out, err = await process.communicate(lines.encode())
    except TimeoutError:
        raise ProcessError(f"{_WHO} cannot be made within {_WITHIN_S:g} s.") from None
    finally:
        with suppress(ProcessLookupError, PermissionError):
            if process.returncode is None:
                os.killpg(process.pid, signal.SIGKILL)
        await process.wait()
    if process.returncode:
        said = err.decode(errors="replace").strip()
        raise ProcessError(f"{_WHO} cannot be made (exit code {process.returncode}).", said)
    tokens = [json.loads(line)["token"] for line in out.splitlines()]
    return dict(zip(wanted, tokens, strict=True))
