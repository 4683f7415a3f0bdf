"""How much memory an event takes: runner, service, store and bots, looked at now and then.

On Linux the processes below the runner are found and measured (resident memory; what they share
counts for each). Elsewhere there is only what the system keeps of the runner itself.
"""

from __future__ import annotations

import os
import resource
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

_PAGE: Final = resource.getpagesize()
_MB: Final = 1 << 20
_STORES: Final = ("valkey-server", "redis-server")
_KILO: Final = 1 if sys.platform == "darwin" else 1024
"""In what ``ru_maxrss`` counts."""


class PeakMemory:
    """The most that was seen so far, in bytes."""

    def __init__(self) -> None:
        self.peaks: Counter[str] = Counter()
        """Of ``runner``, ``service``, ``store`` and ``bots`` each, and ``together`` at one time;
        ``bot`` is the largest single process of a bot.
        """

    def look(self, service: int | None = None) -> None:
        """Measure once; ``service`` is the process of the event's own service."""
        used: Counter[str] = Counter()
        largest = 0
        for pid, role in _below(os.getpid(), service):
            size = _resident(pid)
            used[role] += size
            if role == "bots":
                largest = max(largest, size)
        used["runner"] = _resident(os.getpid())
        used["together"] = sum(used.values())
        used["bot"] = largest
        self.peaks |= used
        own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _KILO
        self.peaks["runner"] = max(self.peaks["runner"], own)

    def megabytes(self) -> dict[str, int]:
        """The peaks in MiB, those that are not nothing."""
        return {role: round(size / _MB) for role, size in self.peaks.items() if size}

    def sentence(self) -> str:
        """The peaks for people."""
        peaks = self.megabytes()
        parts = [
            f"{role} {peaks[role]}" for role in ("runner", "service", "store") if role in peaks
        ]
        if "bots" in peaks:
            parts.append(f"bots {peaks['bots']} (the largest process {peaks['bot']})")
        if len(parts) > 1:
            parts.append(f"all at one time {peaks['together']}")
        return f"Peak memory in MiB: {', '.join(parts)}."


def _below(root: int, service: int | None) -> Iterator[tuple[int, str]]:
    """The processes below one, and what each is."""
    waiting = [(child, "bots") for child in _children(root)]
    while waiting:
        pid, role = waiting.pop()
        if pid == service:
            role = "service"
        elif role == "service" and _name(pid) in _STORES:
            role = "store"
        yield pid, role
        waiting += [(child, role) for child in _children(pid)]


def _children(pid: int) -> list[int]:
    found: list[int] = []
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                found += map(int, (task / "children").read_text().split())
    return found


def _name(pid: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text().strip()
    return ""


def _resident(pid: int) -> int:
    with suppress(OSError, IndexError, ValueError):
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
    return 0
