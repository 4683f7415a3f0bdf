"""What can go wrong with an event, each said in one sentence for the person who runs it.

TournamentError
├── ConfigError         the event's file cannot be used
├── ResultsError        the files of an earlier run cannot be used, or another run holds them
├── ProcessError        a bot or the local service could not be started or kept running
└── Unplayable          a table could not be played, however often it was tried
"""

from __future__ import annotations


class TournamentError(Exception):
    """The root of what stops an event."""


class ConfigError(TournamentError):
    """A file that is no event: ``key`` is the faulty one, ``expected`` what it takes."""

    def __init__(self, key: str, problem: str, expected: str) -> None:
        super().__init__(f"{key}: {problem}; expected {expected}.")
        self.key = key
        self.problem = problem
        self.expected = expected


class ResultsError(TournamentError):
    """Result files that cannot be used."""


class ProcessError(TournamentError):
    """A program that could not be started or kept running; ``log_tail`` is the end of what it
    wrote, for the report.
    """

    def __init__(self, sentence: str, log_tail: str = "") -> None:
        super().__init__(sentence)
        self.log_tail = log_tail


class Unplayable(TournamentError):
    """A table that did not come to a result in as many attempts as are made."""
