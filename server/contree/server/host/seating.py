"""Bots and seats: who arrives and leaves, who is given which seat, who comes back to which."""

from __future__ import annotations

from contree.engine import SEATS, Seat
from contree.server.host import frames
from contree.server.host.errors import MatchLost
from contree.server.host.follow import EventFeeds
from contree.server.host.lobby import Lobby
from contree.server.host.partings import Partings, holder
from contree.server.host.session import MOST_OFFENCES, Holding, InstanceKey, Session
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

    def owed(self, session: Session) -> int:
        """How many seats an instance holds from before."""
        holding = self._holdings.get(session.identity.key)
        return 0 if holding is None else len(holding.seats)

    def arrive(self, session: Session) -> None:
        """Take a session in: it supersedes an older one and gets back the seats it holds."""
        key = session.identity.key
        session.holding = holding = self._holdings.setdefault(key, session.holding)
        old = self.lobby.enter(session)
        if old is not None:
            holding.leaving |= old.leaving and bool(holding.seats)
            self.supersede(old)
        for match_id, seat in sorted(holding.seats):
            table = self._tables.get(match_id)
            if table is not None:
                self._attach(table, seat, session, resumed=True)
        self._partings.tell(session, lambda match_id: self._tables.get(match_id) is not None)
        self.fill()

    def supersede(self, session: Session) -> None:
        """Another session of the same instance has come, here or at another server."""
        session.send(frames.superseded())
        session.outbox.close()
        self.lobby.leave(session)
        self._unseat(session)

    def depart(self, session: Session, *, in_good_order: bool = False) -> None:
        """Let a session go. Its seats stay its instance's, for as long as the grace allows.

        One that said Leave takes no new seats when it comes back to those it holds, unless it ended
        its stream ``in_good_order``: then another process may follow under the same name.
        """
        session.outbox.close()
        self.lobby.leave(session)
        self._unseat(session)
        newer = self.lobby.find(session.identity.key)
        if session.leaving and newer is None and not in_good_order:
            session.holding.leaving = True
        elif in_good_order and newer is None:
            session.holding.leaving = False
        self._let_go(session.identity.key)

    def open(self, table: Table) -> None:
        """Look for bots for the seats of a table, whether new or taken over."""
        match = table.match
        for seat in SEATS:
            state = match.seats[seat]
            if match.spec.seats[seat].house or state.house:
                continue
            if not state.taken:
                self.lobby.await_bot(table, seat)
                continue
            key = holder(match, seat)
            self._holdings.setdefault(key, Holding()).seats[match.id, seat] = None
            session = self.lobby.find(key)
            if session is not None:
                self._attach(table, seat, session, resumed=True)
            else:
                self._deadlines.expect(table, seat)
        self._deadlines.arm(table)
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
            session = self.lobby.find(holder(match, seat))
            if session is None:
                self._partings.remember(match, seat)
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
        in_play = False
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

    def _offer(self, session: Session, table: Table, seat: Seat) -> None:
        identity, holding = session.identity, session.holding
        holding.reserved += 1

        def seated(outcome: Step | Rejected | MatchLost) -> None:
            holding.reserved -= 1
            if not isinstance(outcome, Step):
                self._let_go(identity.key)
                return
            holding.seats[table.match.id, seat] = None
            present = self.lobby.find(identity.key)
            if present is not None:
                self._attach(table, seat, present, resumed=False)
            else:
                table.detach(seat, self._deadlines.now())

        self._tables.submit(
            table,
            TakeSeat(seat, identity.bot_version, identity.instance_id, identity.key_id),
            seated,
        )

    def _attach(self, table: Table, seat: Seat, session: Session, *, resumed: bool) -> None:
        match = table.match
        ref = self._seats.give(session, table, seat)
        table.attach(seat, Attached(session, ref, session.offences), self._deadlines.now())
        session.send_assigned(ref, frames.seat_assigned(match, seat, ref, resumed=resumed))
        if session.identity.events:
            self._feeds.follow(table, seat, session, ref)
        if match.stage is Stage.PLAYING and match.owed_since[seat] and not match.seats[seat].house:
            session.send_turn(ref, self._tables.telling.turn(table, seat, again=resumed))
        self._deadlines.arm(table)

    def _let_go(self, key: InstanceKey) -> None:
        """Forget what an instance has once it has nothing and is not here."""
        holding = self._holdings.get(key)
        if holding is None or holding.seats or holding.reserved:
            return
        holding.leaving = False
        if self.lobby.find(key) is None:
            del self._holdings[key]

    def _unseat(self, session: Session) -> None:
        now = self._deadlines.now()
        for table, seat in self._seats.take_all(session).values():
            table.detach(seat, now)
            table.readers = [one for one in table.readers if one.owner is not session]
            self._deadlines.arm(table)
        session.readers.clear()
