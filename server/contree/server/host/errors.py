"""What a caller of the host may have asked for in vain.

HostError
├── MatchEnded           the match is over
├── MatchNotEnded        the match is not over
├── NotDisclosed         hidden cards may not be shown yet
├── WatchClosed          it may not be watched yet
├── RequestIdReused      the request id belongs to another match
├── Draining             this server is stopping
├── MatchElsewhere       another server holds the match
├── MatchUnreadable      this server cannot read the match
├── MatchLost            the match cannot go on here
└── TooManyReads         too much is being read already
"""

from __future__ import annotations


class HostError(Exception):
    """Base of what the host raises; the text is one sentence for people."""


class MatchEnded(HostError):
    """The match is over."""

    def __init__(self, match_id: str) -> None:
        super().__init__(f"Match {match_id} is over.")
        self.match_id = match_id


class MatchNotEnded(HostError):
    """The match is not over."""

    def __init__(self, match_id: str) -> None:
        super().__init__(f"Match {match_id} is not over: ask again once it has ended.")
        self.match_id = match_id


class NotDisclosed(HostError):
    """Hidden cards of the match may not be shown yet."""

    def __init__(self, match_id: str) -> None:
        # The name of the group stays out of it: it may tell players which board they have.
        super().__init__(
            f"The cards of match {match_id} may not be shown before its host releases the "
            "disclosure group that it belongs to."
        )
        self.match_id = match_id


class WatchClosed(HostError):
    """Spectators may not watch the match yet."""

    def __init__(self, match_id: str) -> None:
        super().__init__(
            f"Match {match_id} may not be watched before its host releases the disclosure group "
            "that it belongs to, for the same cards may be in play at other tables: watch it then. "
            "A host opens its matches from the first card with the watch policy LIVE "
            '(watch = "live" in the file of an event).'
        )
        self.match_id = match_id


class RequestIdReused(HostError):
    """The request id belongs to a match that was asked for differently."""

    def __init__(self, request_id: str, match_id: str) -> None:
        chosen = request_id.rpartition("\n")[2]  # that of a practice match has a scope before it
        super().__init__(
            f"Request id {chosen!r} was used for match {match_id}, which differs: "
            "use a new request id."
        )
        self.request_id = request_id
        self.match_id = match_id


class Draining(HostError):
    """This server is stopping."""

    def __init__(self) -> None:
        super().__init__("This server is stopping: dial again.")


class MatchElsewhere(HostError):
    """Another server holds the match."""

    def __init__(self, match_id: str) -> None:
        super().__init__(f"Match {match_id} is held by another server: ask again in a moment.")
        self.match_id = match_id


class MatchUnreadable(HostError):
    """What the store has of a match is damaged, or was written by a newer server."""

    def __init__(self, match_id: str) -> None:
        super().__init__(
            f"Match {match_id} cannot be read by this server: its journal is damaged or of a newer "
            "version. The log of the server says which."
        )
        self.match_id = match_id


class TooManyReads(HostError):
    """So much is being read that no more may wait for its turn."""

    retry_after = 1.0

    def __init__(self, count: int) -> None:
        super().__init__(f"{count} calls that read matches are under way: try again in a moment.")


class MatchLost(HostError):
    """The entries of a match could not be written here."""

    def __init__(self, match_id: str, why: str) -> None:
        super().__init__(f"Match {match_id} went on elsewhere ({why}): ask again.")
        self.match_id = match_id
        self.why = why
