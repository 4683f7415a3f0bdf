"""Who follows a table event by event: seats with delivery EVENTS, and spectators."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from contree.engine import Seat
from contree.server.host import frames
from contree.server.match import Entry, Match, events_of
from contree.v1.event_pb2 import Event


class Reader:
    """One reader of a table's events, from the journal's first entry on.

    It is given every entry in order; what it has seen before is passed over.
    """

    def __init__(
        self,
        owner: object,
        seat: Seat | None,
        seen: int,
        deliver: Callable[[Sequence[Event], Match], None],
        close: Callable[[], None] = lambda: None,
    ) -> None:
        """``seat`` is None for a spectator; ``seen`` the highest seq not to be delivered again.

        ``close`` is called when nothing more will come: the match is over, or held elsewhere.
        """
        self.close = close
        self.owner = owner
        self._seat = seat
        self._seen = seen
        self._deliver = deliver
        self.catching_up = False
        """What is delivered now happened before the reader came."""
        self.version = 0
        """Entries of the journal looked at."""

    def read(self, before: Match, entry: Entry, after: Match, *, disclosed: bool = False) -> None:
        """Deliver what came of the next entry; an entry already looked at is passed over."""
        if after.version <= self.version:
            return
        self.version = after.version
        if after.seq <= self._seen:
            return
        events = [
            frames.event(happened, after.seq, self._seat, disclosed)
            for happened in events_of(before, entry, after)
        ]
        staged = before.stage is not after.stage
        if events or staged:
            self._deliver(events, after)
