"""Matches that ended while a bot was away: it is told when it comes back.

For a bounded time the server remembers whom it could not tell. Besides, a bot may name seats in its
Hello (``seen``) that it believes to hold: those of matches that have ended it is told of whatever
became of the server meanwhile. It gets the seat once more, the events that it has not seen
(delivery EVENTS), and the end of the match.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import structlog

from contree.engine import SEATS, Seat
from contree.server.host import frames
from contree.server.host.follow import read_page
from contree.server.host.readers import Reader
from contree.server.host.reading import Reading
from contree.server.host.session import InstanceKey, Session
from contree.server.host.summary import unpack
from contree.server.match import Match, Stage
from contree.server.store import MatchStore
from contree.v1.event_pb2 import Event
from contree.v1.play_service_pb2 import ServerMessage

REMEMBERED: Final = 4_096
"""Seats that are remembered, at most: the newest."""
REMEMBERED_S: Final = 900.0
LOOKED_UP: Final = 256
"""Seats of one Hello that are looked up in the store, at most."""
_NEVER: Final = 1 << 62
"""A seq that no event comes after."""
_log = structlog.get_logger(__name__)


def holder(match: Match, seat: Seat) -> InstanceKey:
    """The instance that a taken seat belongs to."""
    state = match.seats[seat]
    return InstanceKey(state.key_id, match.spec.seats[seat].bot, state.instance_id)


class Parting(NamedTuple):
    """What a bot is still to be told of a seat."""

    key: InstanceKey
    since: float
    assigned: ServerMessage
    ended: ServerMessage


class Partings:
    """Whom the end of which match is still to be told."""

    def __init__(self, store: MatchStore, reading: Reading, now: Callable[[], float]) -> None:
        self._store = store
        self._reading = reading
        self._now = now
        self._partings: OrderedDict[tuple[str, Seat], Parting] = OrderedDict()

    def remember(self, match: Match, seat: Seat) -> None:
        """The bot of this seat is away, and its match is over."""
        key = holder(match, seat)
        assigned = frames.seat_assigned(match, seat, 0, resumed=True)
        ended = frames.match_ended(match, 0)
        self._partings[match.id, seat] = Parting(key, self._now(), assigned, ended)
        self._forget_old()

    def tell(self, session: Session, live: Callable[[str], bool]) -> None:
        """Tell a session that comes of the matches that ended; the ``live`` ones did not."""
        self._forget_old()
        key = session.identity.key
        for name in [name for name, parting in self._partings.items() if parting.key == key]:
            self._tell(session, *name)
        claimed = [name for name in session.seen if not live(name[0])]
        for name in claimed[:LOOKED_UP]:
            self._tell(session, *name)

    def take(self, key: InstanceKey) -> list[tuple[str, Seat]]:
        """The seats whose end an instance is still to be told of: somebody else tells it."""
        self._forget_old()
        names = [name for name, parting in self._partings.items() if parting.key == key]
        for name in names:
            del self._partings[name]
        return names

    def tell_one(self, session: Session, match_id: str, seat: Seat) -> None:
        """Tell a session of one seat whose match is over, wherever it was held."""
        self._tell(session, match_id, seat)

    def tell_of(self, session: Session, match: Match) -> None:
        """Tell a session of one match that is over, for each seat that it had there."""
        for seat in SEATS:
            if match.seats[seat].taken and holder(match, seat) == session.identity.key:
                self.remember(match, seat)
                self._tell(session, match.id, seat)

    def _tell(self, session: Session, match_id: str, seat: Seat) -> None:
        """Tell a session once, from memory where that has all that it wants."""
        name = match_id, seat
        parting = self._partings.get(name)
        if parting is not None and parting.key != session.identity.key:
            return
        self._partings.pop(name, None)
        if not session.parts(match_id, seat):
            return
        if parting is None or session.identity.events:
            look_up = _LookUp(self._store, self._reading, session, match_id, seat)
            session.outbox.pull(look_up.page)
            return
        ref = session.new_ref()
        parting.assigned.seat_assigned.seat_ref = parting.ended.match_ended.seat_ref = ref
        session.send_assigned(ref, parting.assigned)
        session.send_parting(ref, parting.ended)

    def _forget_old(self) -> None:
        oldest = self._now() - REMEMBERED_S
        while self._partings:
            name, parting = next(iter(self._partings.items()))
            if len(self._partings) <= REMEMBERED and parting.since >= oldest:
                return
            del self._partings[name]


class _LookUp:
    """Reads an ended match page by page for one seat, as the session takes it."""

    def __init__(
        self, store: MatchStore, reading: Reading, session: Session, match_id: str, seat: Seat
    ) -> None:
        self._store = store
        self._reading = reading
        self._session = session
        self._match_id = match_id
        self._seat = seat
        self._ref = 0
        seen = session.seen.get((match_id, seat), 0) if session.identity.events else _NEVER
        self._reader = Reader(session, seat, seen, self._deliver, has_room=lambda: True)

    async def page(self) -> bool:
        """Say the next page; False when there is no more, or it is not this session's to hear."""
        try:
            return await self._page()
        except Exception as error:  # the bot asks for the match, if it must know
            _log.info("parting_unavailable", match_id=self._match_id, error=str(error))
            return False

    async def _page(self) -> bool:
        if not self._reader.version:
            kept = await self._store.kept(self._match_id)
            if kept is None or not self._may_hold(kept.summary):
                return False
        more = await read_page(self._store, self._match_id, self._reader, self._reading)
        match = self._reader.match
        if match is None or not self._is_holder(match):
            return False
        if not more and match.stage is Stage.ENDED:
            self._begin(match)
            self._session.send(frames.match_ended(match, self._ref), past=True)
        return more

    def _deliver(self, events: Sequence[Event], match: Match) -> None:
        # Nothing visible happens before all seats are taken: it is known whose this one is.
        if self._is_holder(match):
            self._begin(match)
            for one in events:
                self._session.send(frames.seat_event(one, self._ref), past=True)

    def _begin(self, match: Match) -> None:
        if not self._ref:
            self._ref = self._session.new_ref()
            assigned = frames.seat_assigned(match, self._seat, self._ref, resumed=True)
            self._session.send(assigned, past=True)

    def _may_hold(self, summary: bytes) -> bool:
        """Whether a seat may have been the session's, before its match is played again to know;
        anybody can name seats in a Hello.
        """
        if not summary:
            return True
        there, who = unpack(summary).message.seats[self._seat], self._session.identity
        return not there.house and (there.bot, there.key_id) == (who.bot, who.key_id)

    def _is_holder(self, match: Match) -> bool:
        return holder(match, self._seat) == self._session.identity.key
