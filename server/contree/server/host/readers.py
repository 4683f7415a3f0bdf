"""Who follows a table event by event: seats with delivery EVENTS, and spectators."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from contree.engine import Seat
from contree.server.host import frames
from contree.server.match import Entry, Match
from contree.server.match.feed import numbered
from contree.v1.event_pb2 import Event
from contree.v1.play_service_pb2 import ServerMessage


class Reader:
    """One reader of a match's events, from the journal's first entry on.

    It is given every entry in order, by the live table or, while it is ``behind``, by whoever reads
    the journal for it. A live reader without room falls behind: so it is as slow as it likes, and
    nobody waits for it.
    """

    def __init__(
        self,
        owner: object,
        seat: Seat | None,
        seen: int,
        deliver: Callable[[Sequence[Event], Match], None],
        *,
        has_room: Callable[[], bool],
        fall_behind: Callable[[], None] = lambda: None,
        close: Callable[[], None] = lambda: None,
    ) -> None:
        """``seat`` is None for a spectator; ``seen`` the highest seq not to be delivered again.

        ``fall_behind`` is called when the journal has to be read again; ``close`` when the table
        will not tell anything more: the match is over, or held elsewhere.
        """
        self.close = close
        self.owner = owner
        self.seat = seat
        self._seen = seen
        self._deliver = deliver
        self._has_room = has_room
        self._fall_behind = fall_behind
        self.behind = True
        """What the live table tells is passed over: it is read in the journal."""
        self.version = 0
        """Entries of the journal looked at."""
        self.match: Match | None = None
        """The match after them."""
        self.last_word: ServerMessage | None = None
        """To be said when it has caught up for good."""

    def skip_to(self, match: Match) -> None:
        """Follow the live table from here on; nothing before it is wanted."""
        self.version, self.match, self.behind = match.version, match, False

    def saw(self, seq: int) -> None:
        """Events up to this one were delivered by somebody else: they are not wanted again."""
        self._seen = max(self._seen, seq)

    def read(self, before: Match, entry: Entry, after: Match) -> None:
        """The live table has another entry."""
        if self.behind:
            return
        if not self._has_room():
            self.behind = True
            self._fall_behind()
            return
        self.look(before, entry, after)

    def look(self, before: Match, entry: Entry, after: Match, *, disclosed: bool = False) -> None:
        """Deliver what came of the next entry; an entry already looked at is passed over."""
        if after.version <= self.version:
            return
        self.version, self.match = after.version, after
        if after.seq <= self._seen:
            return
        events = [
            frames.event(happened, seq, self.seat, disclosed)
            for seq, happened in numbered(before, entry, after)
            if seq > self._seen
        ]
        staged = before.stage is not after.stage
        if events or staged:
            self._deliver(events, after)
