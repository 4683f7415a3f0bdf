"""What can go wrong in the match store, as one tree of errors.

    StoreError
    ├── StoreUnavailable      no answer, or an answer that says "not now": try again later
    ├── StoreRefused          an answer that trying again does not change: a bug or a wrong set-up
    ├── MatchNotFound         the match has neither journal nor archive
    ├── FeedTrimmed           what came after an item of a feed is not all there any more
    ├── BadStoreUrl           the address of the store cannot be read
    └── EmbeddedStoreError    the store that a server starts by itself cannot start

Every error is one sentence and the next step, and keeps its parts as fields.
"""

from __future__ import annotations


class StoreError(Exception):
    """Base of every error the store raises or returns."""


class StoreUnavailable(StoreError):
    """The store gave no usable answer; what was asked may or may not have happened.

    Asking the same thing again is always safe: `append` recognises entries it has written.
    """

    def __init__(self, endpoint: str, reason: str, next_step: str = "") -> None:
        self.endpoint = endpoint
        self.reason = reason
        self.next_step = next_step or "check that it runs and can be reached, then try again"
        super().__init__(endpoint, reason, self.next_step)

    def __str__(self) -> str:
        return (
            f"The match store at {self.endpoint} is unavailable ({self.reason}): {self.next_step}."
        )


class StoreRefused(StoreError):
    """The store answered with an error that trying again does not cure; nothing was written."""

    def __init__(self, endpoint: str, reason: str) -> None:
        self.endpoint = endpoint
        self.reason = reason
        super().__init__(endpoint, reason)

    def __str__(self) -> str:
        return (
            f"The match store at {self.endpoint} refused a command ({self.reason}): "
            "check that it is Redis or Valkey 7 or newer, with the rights to run scripts."
        )


class MatchNotFound(StoreError):
    """The match is not in the store: never created, or past its retention."""

    def __init__(self, match_id: str) -> None:
        self.match_id = match_id
        super().__init__(match_id)

    def __str__(self) -> str:
        return (
            f"There is no match {self.match_id!r} in the store: check the id, or create it first."
        )


class FeedTrimmed(StoreError):
    """An item of a feed is not there (any more), so that what came after it may be missing too."""

    field = "resume_token"

    def __init__(self, label: str, after: str) -> None:
        self.label = label
        self.after = after
        super().__init__(label, after)

    def __str__(self) -> str:
        return (
            f"The updates of label {self.label!r} after {self.after} are not kept any more: read "
            "its matches with ListMatches, and watch again with an empty resume_token."
        )


class BadStoreUrl(StoreError, ValueError):
    """The address of the store cannot be read. `url` has its password hidden."""

    def __init__(self, url: str, reason: str) -> None:
        self.url = url
        self.reason = reason
        super().__init__(url, reason)

    def __str__(self) -> str:
        return (
            f"The store address {self.url!r} cannot be read ({self.reason}): write "
            "redis://HOST:PORT/0, rediss://HOST:PORT/0, unix:///PATH/TO/SOCKET, "
            "redis+cluster://HOST:PORT,HOST:PORT or redis+sentinel://HOST:PORT,HOST:PORT/NAME/0."
        )


class EmbeddedStoreError(StoreError):
    """The embedded store cannot start. `data_dir` is its folder, empty when not yet chosen."""

    def __init__(self, reason: str, next_step: str, data_dir: str = "") -> None:
        self.reason = reason
        self.next_step = next_step
        self.data_dir = data_dir
        super().__init__(reason, next_step, data_dir)

    def __str__(self) -> str:
        return f"The embedded store cannot start: {self.reason}; {self.next_step}."
