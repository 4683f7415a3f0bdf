"""Run as a program: becomes another program, within limits, that ends when its parent does.

    python launch.py PARENT SIGNAL [NAME=VALUE ...] -- COMMAND...

On Linux the kernel sends SIGNAL when the process PARENT ends, however it ends; elsewhere only the
runner's own clean-up ends the command. PARENT 0 leaves that out. NAME is a limit of ``setrlimit``
in small letters (``data``, ``cpu``, ``nofile``, ``nproc``, ``core``), or ``cpus``: the processors
that it may run on, with commas. A program of its own, because code between fork and exec is unsafe
in a process that has threads, as gRPC's has. Imports nothing but the standard library.
"""

from __future__ import annotations

import os
import resource
import sys

_PR_SET_PDEATHSIG = 1
_NOT_STARTED = 127


def main(arguments: list[str]) -> None:
    """Become the command."""
    end = arguments.index("--")
    (parent, number, *limits), command = arguments[:end], arguments[end + 1 :]
    if sys.platform == "linux" and int(parent):
        import ctypes  # noqa: PLC0415

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(number), 0, 0, 0)
        if os.getppid() != int(parent):
            sys.exit(_NOT_STARTED)
    try:
        for limit in limits:
            _limit(*limit.split("=", 1))
        os.execvp(command[0], command)
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr)
        sys.exit(_NOT_STARTED)


def _limit(name: str, value: str) -> None:
    if name == "cpus":
        if sys.platform == "linux":
            os.sched_setaffinity(0, map(int, value.split(",")))
        return
    kind = getattr(resource, f"RLIMIT_{name.upper()}")
    _, most = resource.getrlimit(kind)
    wanted = int(value) if most == resource.RLIM_INFINITY else min(int(value), most)
    resource.setrlimit(kind, (wanted, wanted))


if __name__ == "__main__":
    main(sys.argv[1:])
