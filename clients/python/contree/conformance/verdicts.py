"""What the kit finds out about a bot, as values."""

from __future__ import annotations

from enum import Enum
from typing import Any, NamedTuple


class Verdict(Enum):
    """How a check went."""

    PASS = "pass"
    FAIL = "fail"
    SKIPPED = "skipped"


class Failed(Exception):
    """A check failed.

    ``expected`` is one sentence on what a bot does here, ``section`` the heading in
    docs/protocol.md under which it stands, ``seen`` what this one did instead.
    """

    def __init__(self, expected: str, section: str, seen: str) -> None:
        super().__init__(expected)
        self.expected = expected
        self.section = section
        self.seen = seen


class Skipped(Exception):
    """A check cannot be made; its text says why."""


class Result(NamedTuple):
    """The outcome of one check."""

    id: str
    title: str
    verdict: Verdict
    note: str
    """What was measured, what was seen instead, or why the check was skipped."""
    expected: str = ""
    """Of a failed check: what a bot does here, in one sentence."""
    section: str = ""
    """The heading in docs/protocol.md that says so; empty where the check could not be judged."""
    frames: tuple[dict[str, Any], ...] = ()
    """What was sent and seen, in order: ``at`` seconds into the check (below 0: before it),
    ``stream`` the number of the stream, ``to`` "bot" or "server", and the message in short.
    """
    output: str = ""
    """Of a failed check: the last lines that the bot wrote."""
    seconds: float = 0.0

    def values(self) -> dict[str, Any]:
        """The result for JSON."""
        return {**self._asdict(), "verdict": self.verdict.value, "seconds": round(self.seconds, 2)}


class Report(NamedTuple):
    """What came of all checks that were asked for."""

    bot: str
    results: tuple[Result, ...]

    @property
    def failed(self) -> tuple[Result, ...]:
        """The results of checks that failed."""
        return tuple(one for one in self.results if one.verdict is Verdict.FAIL)

    def values(self) -> dict[str, Any]:
        """The report for JSON."""
        return {
            "bot": self.bot,
            "passed": not self.failed,
            "checks": [one.values() for one in self.results],
        }
