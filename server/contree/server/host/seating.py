"""Bots and seats: who arrives and leaves, who is given which seat, who comes back to which."""

from __future__ import annotations

from collections.abc import Callable

from contree.engine import SEATS, Seat
from contree.server.host import frames
from contree.server.host.elsewhere import Elsewhere, Nowhere
from contree.server.host.errors import MatchLost
from contree.server.host.follow import EventFeeds
from contree.server.host.lobby import Lobby
from contree.server.host.partings import Partings, holder
from contree.server.host.seated import Seated
from contree.server.host.session import (
    MOST_OFFENCES,
    Holding,
    Identity,
    InstanceKey,
    Session,
)
from contree.server.host.table import Attached, Table
from contree.server.host.tables import Tables
from contree.server.match import FaultKind, GiveUp, Match, Rejected, Stage, Step, TakeSeat


class Seating:
    """Seats bots at tables and keeps for each instance the seats that it holds."""

    def __init__(self, tables: Tables, feeds: EventFeeds, partings: Partings) -> None:
        self._tables = tables
        self._deadlines = tables.deadlines
        self._seats = tables.seats
        self._feeds = feeds
        self._partings = partings
        self._holdings: dict[InstanceKey, Holding] = {}
        self.lobby = Lobby()
        self.elsewhere: Elsewhere = Nowhere()
        """The other servers, once there is somebody who knows of them."""

    def owed(self, session: Session) -> int:
        """How many seats at tables here an instance holds from before."""
        return self.held(session.identity.key)[0]

    def held(self, key: InstanceKey) -> tuple[int, bool]:
        """How many seats at tables here an instance holds, and whether it wants no more."""
        holding = self._holdings.get(key)
        if holding is None:
            return 0, False
        here = sum(self._tables.get(match_id) is not None for match_id, _ in holding.seats)
        return here, holding.leaving

    def arrive(self, session: Session) -> None:
        """Take a session in: it supersedes an older one and gets back the seats it holds."""
        key = session.identity.key
        mine = session.holding
        session.holding = holding = self._holdings.setdefault(key, mine)
        if holding is not mine:
            holding.reserved += mine.reserved
            holding.leaving |= mine.leaving
        old = self.lobby.enter(session)
        if old is not None:
            holding.leaving |= old.leaving and bool(holding.seats)
            self.supersede(old)
        self._resume(session, holding)
        self._partings.tell(session, lambda match_id: self._tables.get(match_id) is not None)
        self.fill()

    def receive(self, guest: Seated, *, fresh: bool) -> None:
        """A bot is at another server: it gets back the seats here that it holds. One that is not
        ``fresh`` may be older than who has them: it gets those that nobody has.
        """
        key = guest.identity.key
        holding = self._holdings.get(key)
        if holding is not None and self.lobby.find(key) is None:
            self._resume(guest, holding, takes=fresh)

    def part_from(self, guest: Seated, *, at_fault: bool) -> None:
        """A bot is at that other server no more, ``at_fault`` where it left it by itself."""
        self._unseat(guest, at_fault=at_fault)

    def leaving(self, key: InstanceKey) -> None:
        """An instance that holds seats here wants no new ones until they are played."""
        holding = self._holdings.get(key)
        if holding is not None and holding.seats:
            holding.leaving = True

    def away(self) -> list[InstanceKey]:
        """Instances that hold seats here and are not known to be anywhere."""
        return [
            key
            for key, holding in self._holdings.items()
            if holding.seats and self.lobby.find(key) is None and self.elsewhere.guest(key) is None
        ]

    def take_parted(self, key: InstanceKey) -> list[tuple[str, Seat]]:
        """Seats whose match ended while an instance was away, to be told by another server."""
        return self._partings.take(key)

    def tell_parted(self, session: Session, match_id: str, seat: Seat) -> None:
        """Tell a session of a seat whose match ended, wherever it was held."""
        self._partings.tell_one(session, match_id, seat)

    def keep_room(self, session: Session, seats: int) -> None:
        """Keep so many more seats for a session that are not in its hands yet; fewer below 0."""
        session.holding.reserved += seats
        if seats < 0:
            self._let_go(session.identity.key)

    def hold(self, session: Session, match_id: str, seat: Seat) -> None:
        """A session has a seat at a table elsewhere."""
        session.holding.seats[match_id, seat] = None

    def release(self, session: Session, match_id: str, seat: Seat) -> None:
        """It has that seat no more."""
        session.holding.seats.pop((match_id, seat), None)
        self._let_go(session.identity.key)

    def supersede(self, session: Session) -> None:
        """Another session of the same instance has come, here or at another server."""
        session.send(frames.superseded())
        session.outbox.close()
        self.lobby.leave(session)
        self.elsewhere.unseat(session)
        self._unseat(session)

    def depart(self, session: Session, *, in_good_order: bool = False) -> None:
        """Let a session go. Its seats stay its instance's, for as long as the grace allows.

        One that said Leave takes no new seats when it comes back to those it holds, unless it ended
        its stream ``in_good_order``: then another process may follow under the same name.
        """
        session.outbox.close()
        self.lobby.leave(session)
        newer = self.lobby.find(session.identity.key)
        leaving = session.leaving and newer is None and not in_good_order
        self.elsewhere.unseat(session, leaving=leaving)
        self._unseat(session, at_fault=not session.sent_away)
        if leaving:
            session.holding.leaving = True
        elif in_good_order and newer is None:
            session.holding.leaving = False
        self._let_go(session.identity.key)

    def send_away(self) -> None:
        """This server is cut off from the others: bots that have seats are to dial another, by no
        fault of theirs.
        """
        for session in self.lobby.sessions():
            if session.holding.seats:
                session.sent_away = True
                session.send(frames.go_away(0))
                session.outbox.close()

    def open(self, table: Table) -> None:
        """Look for bots for the seats of a table, whether new or taken over."""
        match = table.match
        wanted: dict[InstanceKey, None] = {}
        for seat in SEATS:
            state = match.seats[seat]
            if match.spec.seats[seat].house or state.house:
                continue
            if not state.taken:
                self.lobby.await_bot(table, seat)
                self.elsewhere.wait(table, seat)
                continue
            key = holder(match, seat)
            self._holdings.setdefault(key, Holding()).seats[match.id, seat] = None
            there = self.lobby.find(key) or self.elsewhere.guest(key)
            if there is not None:
                self._attach(table, seat, there, resumed=True)
            else:
                self._deadlines.expect(table, seat)
                wanted[key] = None
        self._deadlines.arm(table)
        self.elsewhere.want(wanted)
        self.fill()

    def close(self, table: Table) -> None:
        """Forget the seats of a table that is over or lost."""
        self.lobby.forget(table)
        match = table.match
        for seat in SEATS:
            key = holder(match, seat)
            holding = self._holdings.get(key)
            if holding is not None:
                holding.seats.pop((match.id, seat), None)
                self._let_go(key)
        if match.stage is Stage.ENDED:
            self._part(match, here=False)

    def part(self, match: Match) -> None:
        """Tell the bots of a match that ended at another server, now or when they come back."""
        self._part(match, here=True)

    def _part(self, match: Match, *, here: bool) -> None:
        for seat in SEATS:
            if not match.seats[seat].taken or match.spec.seats[seat].house:
                continue
            key = holder(match, seat)
            session = self.lobby.find(key)
            if session is None:
                self._partings.remember(match, seat)
                if here:
                    self.elsewhere.want((key,))
            elif here:
                self._partings.tell_of(session, match)

    def tell_of(self, session: Session, match: Match) -> None:
        """Tell a session of a match that is over."""
        self._partings.tell_of(session, match)

    def offend(self, session: Session, what: str) -> bool:
        """Count a message against the protocol; False when the stream should be ended for them.

        Where a match forgives no more of them, the house plays on for the seats of this stream.
        """
        session.offences += 1
        in_play = self.elsewhere.offended(session, what)
        for table, seat in tuple(self._seats.of(session).values()):
            match, attached = table.match, table.attached[seat]
            if attached is None or match.stage is not Stage.PLAYING or match.seats[seat].house:
                continue
            if session.offences - attached.offences > match.spec.faults.protocol_strikes:
                self._tables.submit(table, GiveUp(seat, FaultKind.PROTOCOL_ERROR, what))
            else:
                in_play = True
        return in_play or session.offences < MOST_OFFENCES

    def fill(self) -> None:
        """Offer waiting seats to bots that have room."""
        for session, table, seat in self.lobby.offers():
            self._offer(session, table, seat)
        self.elsewhere.room()

    def _offer(self, session: Session, table: Table, seat: Seat) -> None:
        holding = session.holding
        holding.reserved += 1

        def answered(taken: bool) -> None:
            holding.reserved -= 1
            if not taken:
                self._let_go(session.identity.key)

        self._take(table, seat, session.identity, answered)

    def accept(self, table: Table, seat: Seat, guest: Seated, declined: Callable[[], None]) -> None:
        """Give a waiting seat to a bot at another server, or say that it is not free for it."""
        if not self.lobby.gives(table, seat, guest.identity):
            declined()
            return
        self._take(table, seat, guest.identity, lambda taken: None if taken else declined())

    def _take(
        self, table: Table, seat: Seat, identity: Identity, answered: Callable[[bool], None]
    ) -> None:
        """Let a bot take a seat; attaches it, wherever it is by then."""

        def seated(outcome: Step | Rejected | MatchLost) -> None:
            if not isinstance(outcome, Step):
                answered(False)
                return
            key = identity.key
            self._holdings.setdefault(key, Holding()).seats[table.match.id, seat] = None
            answered(True)
            there = self.lobby.find(key) or self.elsewhere.guest(key)
            if there is not None:
                self._attach(table, seat, there, resumed=False)
            else:
                table.detach(seat, self._deadlines.now())
                self.elsewhere.want((key,))

        self._tables.submit(
            table,
            TakeSeat(seat, identity.bot_version, identity.instance_id, identity.key_id),
            seated,
        )

    def _resume(self, there: Seated, holding: Holding, *, takes: bool = True) -> None:
        """Give the seats that an instance holds to who speaks for it now."""
        for match_id, seat in sorted(holding.seats):
            table = self._tables.get(match_id)
            if table is not None and (takes or table.attached[seat] is None):
                self._attach(table, seat, there, resumed=True)

    def _attach(self, table: Table, seat: Seat, session: Seated, *, resumed: bool) -> None:
        match = table.match
        self._displace(table, seat)
        before = None
        if isinstance(session, Session):
            before = self.elsewhere.reclaim(session, match.id, seat)
        ref = self._seats.give(session, table, seat, None if before is None else before.ref)
        table.attach(seat, Attached(session, ref, session.offences), self._deadlines.now())
        if before is None:
            session.send_assigned(ref, frames.seat_assigned(match, seat, ref, resumed=resumed))
        if session.identity.events:
            if isinstance(session, Session):
                self._feeds.follow(table, seat, session, ref)
            else:
                self.elsewhere.follow(table, seat, session, ref)
        asked = match.stage is Stage.PLAYING and match.owed_since[seat]
        # Who was told already has answered, or is thinking.
        known = before is not None and asked and before.decision == match.decision_id(seat)
        if asked and not known and not match.seats[seat].house:
            session.send_turn(ref, self._tables.telling.turn(table, seat, again=resumed))
        self._deadlines.arm(table)
        if before is not None:
            before.go_on(table, seat)

    def _displace(self, table: Table, seat: Seat) -> None:
        """Whoever sat in a seat does so no more: somebody else speaks for its instance."""
        old = table.attached[seat]
        if old is not None:
            self._seats.take(old.session, old.ref)
            table.readers = [
                one for one in table.readers if one.owner is not old.session or one.seat != seat
            ]
            if not old.session.here:
                old.session.lose(old.ref)
                self.elsewhere.displaced(table, seat, old.session)

    def _let_go(self, key: InstanceKey) -> None:
        """Forget what an instance has once it has nothing and is not here."""
        holding = self._holdings.get(key)
        if holding is None or holding.seats or holding.reserved:
            return
        holding.leaving = False
        if self.lobby.find(key) is None:
            del self._holdings[key]

    def _unseat(self, session: Seated, *, at_fault: bool = True) -> None:
        now = self._deadlines.now()
        for table, seat in self._seats.take_all(session).values():
            if at_fault:
                table.detach(seat, now)
            else:
                table.attached[seat] = None
                self._deadlines.expect(table, seat)
            table.readers = [one for one in table.readers if one.owner is not session]
            self._deadlines.arm(table)
        if isinstance(session, Session):
            session.readers.clear()
