"""A server process that lives exactly as long as it is wanted.

On Linux the kernel ends the child when its parent ends, however that happens. Two traps are dealt
with here. The signal comes when the *thread* that started the child ends, so a thread of its own
starts the child and stays until it is over. And code run between fork and exec can hang a process
with threads, so a small program asks for the signal after exec and then becomes the server.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import structlog

_log = structlog.get_logger(__name__)

DIES_WITH_PARENT: Final = sys.platform == "linux" and bool(sys.executable)

# prctl(PR_SET_PDEATHSIG, SIGTERM); a parent that ended before it took effect is seen by its number.
_TIE: Final = """
import ctypes, os, sys
if ctypes.CDLL(None).prctl(1, 15) == 0 and os.getppid() == int(sys.argv[1]):
    os.execv(sys.argv[2], sys.argv[2:])
sys.exit("the parent process is gone, or cannot be watched")
"""


def tied(command: Sequence[str]) -> list[str]:
    """The command of a process that ends with the thread that starts it (see above)."""
    # -I and -S: the helper starts fast and reads nothing of the user's set-up.
    return [sys.executable, "-I", "-S", "-c", _TIE, str(os.getpid()), *command]


_FIRST_PAUSE_S: Final = 0.1
_LONGEST_PAUSE_S: Final = 5.0
_STEADY_S: Final = 60.0  # having run this long, an end is not blamed on the start
_STOP_S: Final = 10.0


class Keeper(threading.Thread):
    """Runs a server and starts it again when it ends unasked, until `stop`.

    `log` gets the server's output. `lock_fd` is inherited by every server process, so a lock on it
    is held as long as one of them runs and this keeper is not stopped.
    """

    def __init__(
        self, command: Sequence[str], *, log: Path, lock_fd: int, tied: bool = DIES_WITH_PARENT
    ) -> None:
        super().__init__(name="embedded-store", daemon=True)
        self._command = list(command)
        self._log_path = log
        self._lock_fd = lock_fd
        self._tied = tied
        self._stopping = threading.Event()
        self._guard = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self.exits = 0  # how often the server ended unasked
        self.failure: OSError | None = None  # why it could not be started at all

    @property
    def pid(self) -> int | None:
        """The process id of the server last started."""
        child = self._child
        return child.pid if child else None

    def run(self) -> None:
        """The thread: start, wait for the end, pause, start again."""
        pause = _FIRST_PAUSE_S
        while not self._stopping.is_set():
            started = time.monotonic()
            try:
                end: object = self._run_child()
            except OSError as error:
                self.failure = error
                end = str(error)
            if self._stopping.is_set():
                return
            self.exits += 1
            if time.monotonic() - started > _STEADY_S:
                pause = _FIRST_PAUSE_S
            _log.warning("embedded_store_ended", end=end, restart_in_s=pause)
            self._stopping.wait(pause)
            pause = min(2 * pause, _LONGEST_PAUSE_S)

    def stop(self) -> None:
        """End the server, orderly if it can, and the thread. Blocks for up to 20 seconds."""
        self._stopping.set()
        with self._guard:
            child = self._child
        if child:
            child.terminate()
            try:
                child.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                child.kill()
        if self.is_alive():
            self.join(_STOP_S)

    def _run_child(self) -> int | None:
        """Start the server and wait for its end; its exit status."""
        command = tied(self._command) if self._tied else self._command
        with self._guard, self._log_path.open("ab") as log:
            if self._stopping.is_set():
                return None
            child = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(self._lock_fd,),
                umask=0o077,  # journals hold hidden hands
                # Ctrl-C in a terminal is for the server, which still needs its store to drain.
                start_new_session=True,
            )
            self._child = child
        return child.wait()
