"""What running programs use, with all that they have started; from Linux's ``/proc``."""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

_PROC: Final = Path("/proc")
_PARENT, _SESSION, _THREADS, _STARTED, _RESIDENT = 1, 3, 17, 19, 21
"""Where they stand in ``/proc/PID/stat``, after the name."""
_OWN: Final = ("Pss_Anon:", "Pss_Shmem:", "SwapPss:")


class Usage(NamedTuple):
    """What one program and all below it use at a moment."""

    processes: int = 0
    """Processes and threads."""
    memory: int = 0
    """Bytes: memory that is theirs, shared memory by share, swapped memory too, files mapped not.
    0 where what they have resident is no more than is asked about.
    """


class _Process(NamedTuple):
    parent: int
    session: int
    threads: int
    started: int
    resident: int


def usages(roots: Mapping[int, int], ask_above: int = 0) -> dict[int, Usage]:
    """What the programs with these process ids use, below each its descendants and its session.

    With each id comes how many processes at its head do not count: the process itself, the first
    that it started, the first that this started, and so on. They are whoever's who measures.
    Their memory is only looked at closely where there is more than ``ask_above`` bytes of it. Where
    there is no ``/proc``, nothing is known. May take some milliseconds: call it in a thread.
    """
    if sys.platform != "linux":
        return {}
    table = _processes()
    members: dict[int, list[int]] = defaultdict(list)
    belongs: dict[int, int] = {root: root for root in roots if root in table}
    for pid in table:
        if (root := _root(pid, table, belongs)) is not None:
            members[root].append(pid)
    own = _own(roots, table)
    return {
        root: _usage([pid for pid in pids if pid not in own], table, ask_above)
        for root, pids in members.items()
    }


def _own(roots: Mapping[int, int], table: dict[int, _Process]) -> set[int]:
    """The processes at the heads that do not count."""
    children: dict[int, list[int]] = defaultdict(list)
    for pid, process in table.items():
        children[process.parent].append(pid)
    own = set()
    for root, links in roots.items():
        at: int | None = root
        for _ in range(links):
            if at is None:
                break
            own.add(at)
            # Later ones may have lost their parents and been handed to it.
            at = min(children[at], key=lambda pid: (table[pid].started, pid), default=None)
    return own


def _processes() -> dict[int, _Process]:
    page = os.sysconf("SC_PAGE_SIZE")
    found = {}
    for entry in os.listdir(_PROC):  # noqa: PTH208 - a path for each would cost the most
        if not entry.isdigit():
            continue
        with suppress(OSError):
            stat = (_PROC / entry / "stat").read_bytes().rpartition(b")")[2].split()
            found[int(entry)] = _Process(
                int(stat[_PARENT]),
                int(stat[_SESSION]),
                int(stat[_THREADS]),
                int(stat[_STARTED]),
                int(stat[_RESIDENT]) * page,
            )
    return found


def _root(pid: int, table: dict[int, _Process], belongs: dict[int, int]) -> int | None:
    """The program that a process belongs to: by descent, or as one of its session."""
    passed: list[int] = []
    at = pid
    while at in table and at not in belongs and at not in passed:
        passed.append(at)
        if table[at].session in belongs:
            at = table[at].session
            break
        at = table[at].parent
    root = belongs.get(at)
    if root is not None:
        belongs.update(dict.fromkeys(passed, root))
    return root


def _usage(pids: list[int], table: dict[int, _Process], ask_above: int) -> Usage:
    processes = sum(table[pid].threads for pid in pids)
    if sum(table[pid].resident for pid in pids) <= ask_above:
        return Usage(processes)
    return Usage(processes, sum(map(_own_memory, pids)))


def _own_memory(pid: int) -> int:
    with suppress(OSError):
        lines = (_PROC / str(pid) / "smaps_rollup").read_text().splitlines()
        return sum(int(line.split()[1]) << 10 for line in lines if line.startswith(_OWN))
    return 0
