"""Run as a program: starts another program, within limits, that ends when its parent does.

    python launch.py PARENT guard|SIGNAL [NAME=VALUE ...] -- COMMAND...

With a SIGNAL it becomes the command, and on Linux the kernel sends it SIGNAL when the process
PARENT ends, however it ends; elsewhere, and with PARENT 0, nothing does.

With ``guard`` (Linux only) it stays beside the command, which has a session of its own. Processes
that lose their parent become the guard's, so all that the command starts stays below it, and ends
with it: when the command ends, when PARENT ends, or when the guard is sent ``END_ALL``. SIGTERM it
passes on to the command's group. It ends as the command did, once nothing is left. A guard that is
itself killed takes the command with it, but not what that has started.

NAME is a limit of ``setrlimit`` in small letters (``data``, ``cpu``, ``nofile``, ``nproc``,
``core``), or ``cpus``: the processors that it may run on, with commas. A program of its own,
because code between fork and exec is unsafe in a process that has threads, as gRPC's has. Imports
nothing but the standard library.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import sys
import time
from contextlib import suppress

GUARD = "guard"
END_ALL = signal.SIGUSR1
"""Sent to a guard, it ends the command and all below it at once."""
_HEARD = {signal.SIGCHLD, signal.SIGTERM, END_ALL}
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_NOT_STARTED = 127
_PATIENCE_S = 5.0
"""For what was killed to be gone: the kernel may hold a process back."""
_LOOK_S = 0.02


def main(arguments: list[str]) -> None:
    """Become the command, or guard it."""
    end = arguments.index("--")
    (parent, how, *limits), command = arguments[:end], arguments[end + 1 :]
    if how == GUARD:
        _guard(int(parent), limits, command)
    if int(parent):
        _end_with(int(parent), int(how))
    _become(limits, command)


def _guard(parent: int, limits: list[str], command: list[str]) -> None:
    """Run the command, and end as it did."""
    own = os.getpid()
    # Before anything is started: whatever comes from here on is heard below.
    signal.pthread_sigmask(signal.SIG_BLOCK, _HEARD)
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    _end_with(parent, END_ALL)
    child = os.fork()
    if not child:
        os.setsid()
        _end_with(own, signal.SIGKILL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _HEARD)
        _become(limits, command)
    while (number := signal.sigwait(_HEARD)) != END_ALL:
        if number == signal.SIGTERM:
            _send(child, signal.SIGTERM)
        elif _has_ended(child):
            break
    # It is not reaped yet, so that its group is its own still. What is in it cannot fork faster.
    _send(child, signal.SIGKILL)
    _end_as(_end_all(own, child))


def _has_ended(child: int) -> bool:
    """Whether the command has; others that ended are taken away."""
    while True:
        ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if ended is None:
            return False
        if ended.si_pid == child:
            return True
        os.waitpid(ended.si_pid, 0)


def _end_all(own: int, child: int) -> int:
    """Kill all that is below until nothing is; how the command ended."""
    status = signal.SIGKILL.value
    until = time.monotonic() + _PATIENCE_S
    while time.monotonic() < until:
        for pid in _below(own):
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        try:
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if ended[0] == child:
                    status = ended[1]
        except ChildProcessError:
            break
        signal.sigtimedwait({signal.SIGCHLD}, _LOOK_S)
    return status


def _below(root: int) -> list[int]:
    """All descendants of a process, those that have ended and are not reaped too."""
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):  # noqa: PTH208 - a path for each would cost the most
        if entry.isdigit():
            with suppress(OSError), open(f"/proc/{entry}/stat", "rb") as file:  # noqa: PTH123
                parent = int(file.read().rpartition(b")")[2].split()[1])
                children.setdefault(parent, []).append(int(entry))
    found = [root]
    for pid in found:
        found += children.get(pid, [])
    return found[1:]


def _send(leader: int, number: signal.Signals) -> None:
    with suppress(OSError):
        try:
            os.killpg(leader, number)
        except ProcessLookupError:
            os.kill(leader, number)  # it has not made its session yet


def _end_as(status: int) -> None:
    """End as a process did that ended with this status."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        with suppress(OSError):  # of SIGKILL
            signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
        os.kill(os.getpid(), number)
    os._exit(os.waitstatus_to_exitcode(status) & 0xFF)


def _become(limits: list[str], command: list[str]) -> None:
    try:
        for limit in limits:
            _limit(*limit.split("=", 1))
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)  # Python ignores them, other programs do not
        os.execvp(command[0], command)
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr, flush=True)
        os._exit(_NOT_STARTED)


def _end_with(parent: int, number: int) -> None:
    _prctl(_PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:
        os._exit(_NOT_STARTED)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _limit(name: str, value: str) -> None:
    if name == "cpus":
        if sys.platform == "linux":
            os.sched_setaffinity(0, map(int, value.split(",")))
        return
    kind = getattr(resource, f"RLIMIT_{name.upper()}")
    _, most = resource.getrlimit(kind)
    unlimited = most == resource.RLIM_INFINITY
    soft = int(value) if unlimited else min(int(value), most)
    hard = soft
    if name == "cpu":
        # Linux looks at the hard limit first: with one second between, SIGXCPU comes, then SIGKILL.
        hard = soft + 1 if unlimited else min(soft + 1, most)
    resource.setrlimit(kind, (soft, hard))


if __name__ == "__main__":
    main(sys.argv[1:])
