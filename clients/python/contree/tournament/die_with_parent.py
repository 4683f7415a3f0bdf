"""Run as a program: becomes another program that ends when its parent does.

    python die_with_parent.py PARENT SIGNAL COMMAND...

On Linux the kernel sends SIGNAL when the process PARENT ends, however it ends; elsewhere only the
runner's own clean-up ends the command. A program of its own, because code between fork and exec is
unsafe in a process that has threads, as gRPC's has. Imports nothing but the standard library.
"""

from __future__ import annotations

import os
import sys

_PR_SET_PDEATHSIG = 1
_NOT_STARTED = 127


def main(arguments: list[str]) -> None:
    """Become the command."""
    parent, number, command = int(arguments[0]), int(arguments[1]), arguments[2:]
    if sys.platform == "linux":
        import ctypes  # noqa: PLC0415

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, number, 0, 0, 0)
        if os.getppid() != parent:
            sys.exit(_NOT_STARTED)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        print(f"{command[0]}: {error.strerror}", file=sys.stderr)
        sys.exit(_NOT_STARTED)


if __name__ == "__main__":
    main(sys.argv[1:])
