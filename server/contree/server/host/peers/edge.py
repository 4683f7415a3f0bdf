"""The edge's side of seats whose tables other servers host: what their bots say goes there, what
they are told comes from there.

What a bot said is said on again until its home has answered, or something newer is owed. Decision
ids and the journal's compare-and-append make it harmless that it comes twice; for actions against
the rules, which leave their decision owed, see `Act.illegal`.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

import structlog

from contree.engine import Seat
from contree.peers.v1 import peers_pb2
from contree.peers.v1.peers_pb2 import Commanded, Item
from contree.server.host.answers import Answers
from contree.server.host.elsewhere import Reclaimed
from contree.server.host.peers.far_feed import FarFeed
from contree.server.host.peers.far_seat import FarSeat, Pending
from contree.server.host.peers.far_seats import FarSeats
from contree.server.host.peers.guest import Say
from contree.server.host.peers.refs import renamed
from contree.server.host.reading import Reading
from contree.server.host.seating import Seating
from contree.server.host.session import Session
from contree.server.host.table import Table
from contree.server.host.tables import Tables
from contree.server.store import MatchStore
from contree.v1 import play_service_pb2
from contree.v1.play_service_pb2 import ServerMessage

_AGAIN_S: Final = 1.0
"""What has no answer for so long is said on again."""
_LATE_MS: Final = 100
"""A turn whose clock has run for so long when its home says it was said before, and lost."""
_REMEMBERED: Final = 4_096
_log = structlog.get_logger(__name__)


class Edge:
    """All seats of bots here at tables elsewhere."""

    def __init__(
        self,
        store: MatchStore,
        seating: Seating,
        tables: Tables,
        answers: Answers,
        say: Say,
        *,
        reading: Reading,
        taken: Callable[[str, Seat, Session], None],
        why_gone: Callable[[], peers_pb2.Why.ValueType],
    ) -> None:
        """``taken`` is told of a seat that a session was given; ``why_gone`` says why sessions go
        now.
        """
        self._store = store
        self._seating = seating
        self._tables = tables
        self._deadlines = tables.deadlines
        self._answers = answers
        self._reading = reading
        self._say = say
        self._taken = taken
        self._why_gone = why_gone
        self._seats = FarSeats()
        self._over: OrderedDict[str, None] = OrderedDict()
        """Matches that bots here were told to be over, the newest."""
        self._number = 0
        self._time = asyncio.get_running_loop().time

    def of(self, session: Session) -> Mapping[int, FarSeat]:
        """The seats of a session, by what they are called on its stream."""
        return self._seats.of(session)

    def all(self) -> Iterator[FarSeat]:
        """All of them."""
        return iter(self._seats)

    @property
    def count(self) -> int:
        """How many there are."""
        return len(self._seats)

    # -- what bots say --------------------------------------------------------------------------

    def command(self, session: Session, ref: int, message: play_service_pb2.ClientMessage) -> bool:
        """Say on what a bot said of a seat; False when it has no such seat elsewhere."""
        far = self.of(session).get(ref)
        if far is None:
            return False
        decision, elapsed, illegal = b"", None, None
        if message.HasField("act"):
            decision = message.act.decision_id
            illegal = far.next_illegal(decision)
            asked, began = far.asked
            if asked and asked == decision:
                elapsed = max(0, int((self._deadlines.now() - began) * 1000))
        self._command(
            far,
            Pending(message.SerializeToString(), decision, elapsed, self._time(), illegal=illegal),
        )
        return True

    def offended(self, session: Session) -> bool:
        """A bot sinned against the protocol: whether a match elsewhere forgives it."""
        forgiven = False
        for far in self.of(session).values():
            if session.offences - far.offences > far.forgiven:
                if not any(one.offends for one in far.pending.values()):
                    self._command(far, Pending(b"", b"", None, self._time(), offends=True))
            elif far.playing:
                forgiven = True
        return forgiven

    def _command(self, far: FarSeat, pending: Pending) -> None:
        self._number += 1
        far.session.commanded()
        far.pending[self._number] = pending
        self._say_on(far, self._number, pending)

    def _say_on(self, far: FarSeat, number: int, pending: Pending) -> None:
        if far.home is None:
            return
        self._say(
            far.home,
            Item(
                commanded=Commanded(
                    line=far.line,
                    number=number,
                    message=pending.message,
                    elapsed=pending.elapsed,
                    round_trip=far.session.round_trip_ms,
                    offends=pending.offends,
                    illegal=pending.illegal,
                )
            ),
        )

    def _say_again(self, far: FarSeat, older_than: float) -> None:
        for number, one in far.pending.items():
            if one.since <= older_than:
                far.pending[number] = one._replace(since=self._time())
                self._say_on(far, number, one)

    # -- what homes say -------------------------------------------------------------------------

    def assigned(self, home: str, said: peers_pb2.Assigned) -> None:
        """A seat is a bot's, or is still, at this home."""
        session = self._session(said.nonce)
        if session is None:
            gone = peers_pb2.Gone(nonce=said.nonce, why=self._why_gone())
            self._say(home, Item(gone=gone))
            return
        seat = Seat(said.seat)
        far = self._seats.find(session, said.match_id, seat)
        new = far is None
        if far is None:
            if said.match_id in self._over or self._hosted_here(said):
                return  # from one that does not host it any more, and does not know yet
            far = FarSeat(session, said.match_id, seat, session.new_ref())
            self._seats.add(far)
            self._seating.hold(session, said.match_id, seat)
        elif said.fence < far.fence:
            return  # from one that does not host it any more
        self._seats.house(far, home, said.line)
        far.fence, far.forgiven = said.fence, said.forgiven
        far.seq, far.illegal = max(far.seq, said.seq), max(far.illegal, said.illegal)
        far.comes_back = new and said.resumed
        self._taken(said.match_id, seat, session)
        if new:
            message = ServerMessage.FromString(said.message)
            message.seat_assigned.seat_ref = far.ref
            session.send_assigned(far.ref, message)
            if session.identity.events:
                far.feed = FarFeed(
                    self._store, session, said.match_id, seat, far.ref, reading=self._reading
                )
                session.readers[far.ref] = far.feed.reader
        # For the bot, a seat that it has already goes on as if nothing had happened.
        if far.feed is not None:
            far.feed.begin(said.seq)
        self._say_again(far, self._time())

    def _hosted_here(self, said: peers_pb2.Assigned) -> bool:
        table = self._tables.get(said.match_id)
        return table is not None and table.fence > said.fence

    def told(self, home: str, said: peers_pb2.Told) -> None:
        """Something is to be said to the bot of a line."""
        far = self._seats.at(home, said.line)
        if far is None:
            return
        far.illegal = max(far.illegal, said.illegal)
        if said.answers and not far.done(said.answers):
            return  # said before
        session, way = far.session, said.way
        far.seq = max(far.seq, said.seq)
        if way == peers_pb2.WAY_TURN:
            self._turn(home, far, said)
        elif way == peers_pb2.WAY_IN_PASSING:
            session.send_in_passing(renamed(said.messages[0], far.ref))
        elif way == peers_pb2.WAY_SAY:
            for message in said.messages:
                session.send(renamed(message, far.ref))
            if said.useless:
                session.waste(self._time())
            if said.offence and session.on_offence is not None:
                session.on_offence(session)
        elif way == peers_pb2.WAY_WITHDRAW:
            far.asked = b"", 0.0
            session.withdraw_turn(far.ref)
        elif way == peers_pb2.WAY_EVENTS:
            if far.feed is not None:
                far.feed.told(said.messages, said.seq)
        elif way == peers_pb2.WAY_LAST:
            self._last(far, said)

    def _turn(self, home: str, far: FarSeat, said: peers_pb2.Told) -> None:
        far.playing = True
        known = bool(said.decision) and far.asked[0] == said.decision
        comes_back, far.comes_back = far.comes_back, False
        now = self._deadlines.now()
        began = now - said.elapsed / 1000  # as its home knows, for which the way counts, too
        if known:
            began = max(began, far.asked[1])
        elif not comes_back:
            if said.elapsed >= _LATE_MS and far.untold != said.decision:
                # It was lost on its way, which is not charged: its home says it once more, with a
                # clock that begins then.
                far.untold = said.decision
                untold = peers_pb2.Elapsed(line=said.line, decision=said.decision)
                self._say(home, Item(elapsed=untold))
                return
            began = now
        far.asked = said.decision, began
        far.drop(lambda one: bool(one.decision) and one.decision != said.decision)
        if not known:
            # Who is asked again by another home has answered already, or is thinking.
            far.session.send_turn(far.ref, renamed(said.messages[0], far.ref))

    def _last(self, far: FarSeat, said: peers_pb2.Told) -> None:
        if far.feed is not None:
            far.feed.end()
        self._end(far)
        self._remember(far.match_id)
        message = ServerMessage.FromString(renamed(said.messages[0], far.ref))
        far.session.send_last(far.ref, message)
        self._seating.fill()

    def answered(self, home: str, said: peers_pb2.Answered) -> None:
        """What the bot of a line said is done."""
        far = self._seats.at(home, said.line)
        if far is not None and far.done(said.number) and said.useless:
            far.session.waste(self._time())

    def due(self, home: str, said: peers_pb2.Due) -> None:
        """A home asks how much time has passed for a bot: until now, or until it answered."""
        far = self._seats.at(home, said.line)
        if far is None:
            return
        asked, began = far.asked
        elapsed = None
        if asked == said.decision:
            elapsed = max(0, int((self._deadlines.now() - began) * 1000))
            for one in far.pending.values():
                if one.decision == asked and one.elapsed is not None:
                    elapsed = min(elapsed, one.elapsed)
        answer = peers_pb2.Elapsed(line=said.line, decision=said.decision, elapsed=elapsed)
        self._say_again(far, self._time())
        self._say(home, Item(elapsed=answer))

    def unseated(self, home: str, said: peers_pb2.Unseated) -> None:
        """A home has a seat no more."""
        far = self._seats.at(home, said.line)
        if far is not None:
            self._without_home(far)

    def over(self, said: peers_pb2.Over) -> None:
        """A bot is to be told of matches that are over."""
        session = self._session(said.nonce)
        if session is None:
            return
        for place in said.places:
            seat = Seat(place.seat)
            far = self._seats.find(session, place.match_id, seat)
            if far is not None:
                self._end(far)
            self._remember(place.match_id)
            self._seating.tell_parted(session, place.match_id, seat)

    # -- coming and going -----------------------------------------------------------------------

    def unseat(self, session: Session, *, leaving: bool = False) -> None:
        """A session is gone: those who host its seats are told, and remember them."""
        homes: dict[str, None] = {}
        for far in list(self.of(session).values()):
            # The last one may have given the seat to who came after.
            home = far.home or far.last_home
            if home is not None:
                homes[home] = None
            self._seats.remove(far)
            far.drop()
            self._seating.release(session, far.match_id, far.seat)
        why = peers_pb2.WHY_DRAINED if session.sent_away else self._why_gone()
        gone = Item(gone=peers_pb2.Gone(nonce=session.nonce, why=why, leaving=leaving))
        for home in homes:
            self._say(home, gone)

    def reclaim(self, session: Session, match_id: str, seat: Seat) -> Reclaimed | None:
        """A seat is at a table here from now on, if the session had it."""
        far = self._seats.find(session, match_id, seat)
        if far is None:
            return None
        if far.feed is not None:
            session.seen = {**session.seen, (match_id, seat): far.feed.seen}
        self._end(far, hosted_here=True)
        return Reclaimed(far.ref, far.asked[0], partial(self._go_on, far))

    def _go_on(self, far: FarSeat, table: Table, seat: Seat) -> None:
        """Take to a table here what has no answer yet."""
        for one in far.pending.values():
            place, heard = (table, seat), far.session.heard
            if one.offends:
                self._answers.give_up(place, heard)
            else:
                message = play_service_pb2.ClientMessage.FromString(one.message)
                self._answers.take(
                    place, far.ref, message, heard, who=far.session, illegal=one.illegal
                )

    def home_gone(self, home: str) -> None:
        """A server is gone: whoever takes its matches over says so."""
        for far in self._seats.at_home(home):
            self._without_home(far)

    def keep_only(self, home: str, lines: Sequence[int]) -> None:
        """These are all seats that a home has for bots here, as it says."""
        known = set(lines)
        for far in self._seats.at_home(home):
            if far.line not in known:
                self._without_home(far)

    def nonces(self, home: str) -> list[str]:
        """Bots here that have seats at a server's tables."""
        return list({far.session.nonce: None for far in self._seats.at_home(home)})

    def say_again(self, home: str | None = None) -> None:
        """Say on again what has no answer yet: to one home all of it, to all what is old."""
        older_than = self._time() if home is not None else self._time() - _AGAIN_S
        for at in self._seats.homes if home is None else (home,):
            for far in self._seats.at_home(at):
                self._say_again(far, older_than)

    def homeless(self, before: float) -> list[FarSeat]:
        """Seats that lost their home before a time of the event loop and have no other yet."""
        return [far for far in self.all() if far.home is None and far.homeless_since < before]

    def positions(self, session: Session) -> list[tuple[int, int]]:
        """Where its seats stand; not those that are given their past."""
        return [
            (ref, far.seq)
            for ref, far in self.of(session).items()
            if far.feed is None or not far.feed.reader.behind
        ]

    def _session(self, nonce: str) -> Session | None:
        return self._seats.session(nonce) or self._seating.lobby.by_nonce(nonce)

    def _remember(self, match_id: str) -> None:
        """A match is over."""
        self._over[match_id] = None
        if len(self._over) > _REMEMBERED:
            self._over.popitem(last=False)

    def _without_home(self, far: FarSeat) -> None:
        if far.home is not None:
            far.last_home, far.homeless_since = far.home, self._time()
            self._seats.unhouse(far)

    def _end(self, far: FarSeat, *, hosted_here: bool = False) -> None:
        session = far.session
        self._seats.remove(far)
        if hosted_here:
            session.readers.pop(far.ref, None)
        else:
            far.drop()
            self._seating.release(session, far.match_id, far.seat)
