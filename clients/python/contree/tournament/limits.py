"""What a process of a bot may use of the machine: values, pure.

Two guards hold them. The kernel's own limits of a process (``setrlimit``) are set by the launcher
before the bot's program begins; a process cannot raise them again. What the kernel limits for one
process only, the runner looks after for all that the bot's process has started (``watching``).
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, fields, replace
from typing import Final

from contree.tournament.errors import ConfigError
from contree.tournament.reading import Section

_UNITS: Final = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
_LEAST_MEMORY: Final = 16 << 20
_MOST_MEMORY: Final = 1 << 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What one process of a bot, with all that it starts, may use; None for no limit."""

    memory: int | None = None
    """Bytes."""
    cpu_time: float | None = None
    """Seconds of computing, in the life of a process."""
    cpus: int | None = None
    """Processors that it is given."""
    processes: int | None = None
    """Processes and threads at once."""
    files: int | None = None
    """Open files of a process, at once."""

    @classmethod
    def read(cls, section: Section, default: Limits | None = None) -> Limits:
        """The limits of a table of an event's file; what it does not say is as in ``default``."""
        given = cls(
            memory=_size(section, "memory"),
            cpu_time=section.duration("cpu_time", 0.0) if "cpu_time" in section.given else None,
            cpus=section.optional_whole("cpus", 1, 4096),
            processes=section.optional_whole("processes", 1, 1_000_000),
            files=section.optional_whole("files", 16, 1_000_000),
        )
        if "cpu_time" not in section.given:
            section.duration("cpu_time", 0.0)  # so that it is offered where a key is unknown
        elif not given.cpu_time or given.cpu_time < 1.0:
            raise ConfigError(section.key("cpu_time"), "is too short", "1s or more")
        section.finish()
        said = {name: value for name, value in asdict(given).items() if value is not None}
        return replace(default or cls(), **said)

    def to_dict(self) -> dict[str, float]:
        """Those that there are, by name."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    @property
    def watched(self) -> bool:
        """Whether the runner has to look after some of them."""
        return self.memory is not None or self.processes is not None

    def __str__(self) -> str:
        """For a sentence: ``memory 512 MiB, cpus 1``; empty for none."""
        shown = {
            "memory": None if self.memory is None else size(self.memory),
            "cpu_time": None if self.cpu_time is None else f"{self.cpu_time:g} s",
        }
        named = ((field.name, getattr(self, field.name)) for field in fields(self))
        return ", ".join(
            f"{name.replace('_', ' ')} {shown.get(name) or value}"
            for name, value in named
            if value is not None
        )


NO_LIMITS: Final = Limits()


def size(count: int) -> str:
    """A number of bytes for people."""
    for name, unit in reversed(_UNITS.items()):
        if count >= unit:
            return f"{count / unit:.4g} {name}"
    return f"{count} bytes"


def _size(section: Section, name: str) -> int | None:
    text = section.optional_text(name)
    if text is None:
        return None
    expected = 'a size of 16MiB or more, such as "512MiB" or "2GiB"'
    parts = re.fullmatch(r"(\d{1,6}(?:\.\d{1,3})?)\s*(KiB|MiB|GiB)", text, re.ASCII)
    count = round(float(parts[1]) * _UNITS[parts[2]]) if parts else 0
    if not _LEAST_MEMORY <= count <= _MOST_MEMORY:
        raise ConfigError(section.key(name), f"{text!r} will not do", expected)
    return count
