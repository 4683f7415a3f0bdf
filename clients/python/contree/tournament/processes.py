"""Programs that the runner starts: found, started in a session of their own, ended for certain."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
from asyncio.subprocess import DEVNULL, Process
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from contree.tournament.errors import ProcessError
from contree.tournament.launch import END_ALL, GUARD
from contree.tournament.output import FileOutput, Output

TERM_GRACE_S: Final = 5.0
"""How long a program may take to end by itself after SIGTERM."""
MOST_RESTARTS: Final = 5
RESTARTS_WITHIN_S: Final = 60.0
_SIGNALLED: Final = 128
_KILL_GRACE_S: Final = 10.0
"""How long a guard may take to end all that it guards."""
_LAUNCHER: Final = Path(__file__).with_name("launch.py")


class Child:
    """A program that runs, with everything it starts, ended as a whole.

    On Linux it has a guard (see ``launch.py``): what it started ends when it ends, or when the
    runner does, in whatever session it is. Elsewhere, and for a program that is to end in its own
    way when the runner does, it is its session that is ended. It does not hear Ctrl-C.
    """

    def __init__(self, name: str, process: Process, output: Output, *, guarded: bool) -> None:
        self.name = name
        self._process = process
        self._output = output
        self._guarded = guarded
        self._swept = False

    @classmethod
    async def start(
        cls,
        name: str,
        command: Sequence[str],
        *,
        log: Path | Output,
        cwd: Path,
        environment: Mapping[str, str],
        limits: Sequence[str] = (),
        at_parents_end: signal.Signals = signal.SIGKILL,
    ) -> Child:
        """Start a command. Raises ProcessError when there is no such program.

        What it writes is appended to the log; ``limits`` are as ``launch.py`` takes them. A program
        that is sent another signal than SIGKILL when the runner ends has no guard.
        """
        guarded = sys.platform == "linux" and at_parents_end == signal.SIGKILL
        found = resolve(name, command, cwd, environment)
        output = FileOutput(log) if isinstance(log, Path) else log
        try:
            process = await asyncio.create_subprocess_exec(
                *launched(found, os.getpid(), None if guarded else at_parents_end, limits),
                stdin=DEVNULL,
                stdout=output.descriptor,
                stderr=output.descriptor,
                cwd=cwd,
                env=dict(environment),
                start_new_session=True,
            )
        finally:
            output.started()
        return cls(name, process, output, guarded=guarded)

    @property
    def pid(self) -> int:
        """Its process id: its guard's, where it has one, and the program is below that."""
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """Its exit code, negative for a signal; None while it runs."""
        return self._process.returncode

    @property
    def ending(self) -> str:
        """How it ended, for a sentence."""
        code = self._process.returncode
        if code is not None and code < 0:
            with suppress(ValueError):
                return f"killed by {signal.Signals(-code).name}"
        if code is not None and code > _SIGNALLED:  # as shells, and a sandbox, tell of a signal
            with suppress(ValueError):
                return f"with exit code {code} ({signal.Signals(code - _SIGNALLED).name})"
        return f"with exit code {code}"

    async def wait(self) -> int:
        """Wait until it ends by itself."""
        return await self._process.wait()

    async def stop(self, grace: float = TERM_GRACE_S) -> None:
        """End it and all that it started: SIGTERM, and SIGKILL for what is left after ``grace``."""
        try:
            if self.returncode is None:
                self._signal(signal.SIGTERM)
                with suppress(TimeoutError):
                    async with asyncio.timeout(grace):
                        await self._process.wait()
        finally:
            self.kill()
        try:
            async with asyncio.timeout(_KILL_GRACE_S):
                await self._process.wait()
        except TimeoutError:  # somebody has stopped the guard; the program ends with it
            self._signal(signal.SIGKILL)
            await self._process.wait()
        self._output.close()

    def kill(self) -> None:
        """End it at once, and what is left of it when it has ended."""
        if self.returncode is None:
            self._signal(END_ALL if self._guarded else signal.SIGKILL)
        elif not (self._guarded or self._swept):
            # Once, for by and by its number becomes another's. A guard leaves nothing behind.
            self._swept = True
            self._signal(signal.SIGKILL)

    def tail(self) -> str:
        """The last lines that it wrote since it was started, fit for a terminal."""
        return self._output.tail()

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)


class Restarts:
    """How often a program was started again, and whether once more makes sense.

    A program that falls now and then is picked up each time; one that falls ``MOST_RESTARTS`` times
    within ``RESTARTS_WITHIN_S`` seconds would only go on falling.
    """

    def __init__(self) -> None:
        self.count = 0
        self._recent: deque[float] = deque(maxlen=MOST_RESTARTS)

    def may_restart(self, now: float) -> bool:
        """Count one more restart at this moment, if there may be one."""
        full = len(self._recent) == MOST_RESTARTS
        if full and now - self._recent[0] < RESTARTS_WITHIN_S:
            return False
        self._recent.append(now)
        self.count += 1
        return True


def launched(
    command: Sequence[str],
    parent: int,
    at_parents_end: signal.Signals | None = signal.SIGKILL,
    limits: Sequence[str] = (),
) -> list[str]:
    """The command, started within limits and sent a signal when its parent ends (0: whoever that
    is, and never); with None it is given a guard.
    """
    how = GUARD if at_parents_end is None else str(int(at_parents_end))
    launcher = [sys.executable, "-I", "-S", str(_LAUNCHER), str(parent), how]
    return [*launcher, *limits, "--", *command]


def resolve(
    name: str, command: Sequence[str], cwd: Path, environment: Mapping[str, str]
) -> tuple[str, ...]:
    """The command with its program found.

    ``contree`` and ``python`` as first words are those of the running interpreter, whether or not
    its environment is active. Raises ProcessError when there is no such program.
    """
    program, *arguments = command
    if program == "contree":
        # -P: files next to a bot must not stand in for the standard library.
        return (sys.executable, "-P", "-m", "contree.cli", *arguments)
    if program in {"python", "python3"}:
        return (sys.executable, *arguments)
    if "/" in program:
        path = cwd / program
        if path.is_file() and os.access(path, os.X_OK):
            return (str(path.absolute()), *arguments)
        problem = "is not executable" if path.exists() else "does not exist"
        raise ProcessError(f"{name} cannot be started: {path} {problem}.")
    found = shutil.which(program, path=environment.get("PATH", os.defpath))
    if found is None:
        raise ProcessError(f"{name} cannot be started: the command {program!r} was not found.")
    return (found, *arguments)


def environment_for(additions: Mapping[str, str]) -> dict[str, str]:
    """The runner's environment without its own CONTREE_ variables, and with these. Only the
    authority of the service's certificate (CONTREE_CA) is the bots' affair, too; a token is not.

    The folder of the running interpreter comes first on PATH, so that scripts find ``contree``.
    """
    kept = {key: text for key, text in os.environ.items() if not key.startswith("CONTREE_")}
    if os.environ.get("CONTREE_CA"):
        kept["CONTREE_CA"] = str(Path(os.environ["CONTREE_CA"]).absolute())
    kept["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), kept.get("PATH", os.defpath)])
    return kept | {"PYTHONUNBUFFERED": "1"} | dict(additions)
