"""The other servers of a store, as one server knows them: what they say is handed on from here."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any, Final

import structlog

from contree.engine import Seat
from contree.peers.v1 import peers_pb2
from contree.peers.v1.peers_pb2 import Item
from contree.server.host.answers import Answers
from contree.server.host.elsewhere import Reclaimed
from contree.server.host.peers.edge import Edge
from contree.server.host.peers.far_seat import FarSeat
from contree.server.host.peers.guest import Guest
from contree.server.host.peers.guests import Guests
from contree.server.host.peers.handing import Handing, Opens
from contree.server.host.peers.matching import Matching
from contree.server.host.peers.naming import bot_to_pb, instance_from_pb, instance_to_pb
from contree.server.host.peers.post import Post
from contree.server.host.peers.questions import Questions
from contree.server.host.peers.servers import Servers
from contree.server.host.reading import Reading
from contree.server.host.seated import Seated
from contree.server.host.seating import Seating
from contree.server.host.session import InstanceKey, Session
from contree.server.host.table import Table
from contree.server.host.tables import Tables
from contree.server.store import MatchStore, StoreError
from contree.server.telemetry import Metrics

_HOMELESS_S: Final = 2.0
"""After so long without a home a seat's match is looked for in the store: it may be over."""
_LOOKED_UP: Final = 50
"""Seats looked for at one beat."""
_OWED_S: Final = 2.0
"""How long room is kept for seats that a peer said it would give back."""
_log = structlog.get_logger(__name__)


class Peers:
    """This server among the others. It is an `Elsewhere`."""

    def __init__(
        self,
        store: MatchStore,
        tables: Tables,
        seating: Seating,
        answers: Answers,
        *,
        reading: Reading,
        metrics: Metrics,
        server_id: str,
        lease_ms: int,
        check: Callable[[Session], Coroutine[Any, Any, None]],
        draining: Callable[[], bool],
        opens: Opens,
        adopts: Callable[[Sequence[str]], None],
    ) -> None:
        """``check`` lets a session go if a newer one of its instance is anywhere; for ``opens`` and
        ``adopts`` see `Handing`.
        """
        self._store = store
        self._tables = tables
        self._seating = seating
        self._draining = draining
        self._metrics = metrics
        self._loop = asyncio.get_running_loop()
        self._tasks: set[asyncio.Task[None]] = set()
        self._looking_up = False
        self._owed: dict[Session, int] = {}
        """Room kept for seats that peers said they would give back."""
        self.address = f"{server_id}/{secrets.token_hex(4)}"
        self.post = Post(
            store.inboxes, self.address, deliver=self._deliver, missed=self._missed, metrics=metrics
        )
        say = self.post.say
        self.servers = Servers(
            store.inboxes,
            self.post,
            ttl_ms=lease_ms,
            about=self._about,
            came=self._came,
            went=self._went,
            beat=self._beat,
            return_s=tables.deadlines.return_s,
            cut_off=seating.send_away,
        )
        self.guests = Guests(tables, seating, answers, say, check=check, spawn=self._spawn)
        self.edge = Edge(
            store,
            seating,
            tables,
            answers,
            say,
            reading=reading,
            taken=self._taken,
            why_gone=lambda: peers_pb2.WHY_DRAINED if draining() else peers_pb2.WHY_LEFT,
        )
        self.matching = Matching(seating, self.post, say)
        self.questions = Questions(self.servers, tables, seating, self.edge, say, spawn=self._spawn)
        self.handing = Handing(
            store,
            self.servers,
            tables,
            seating,
            self.post,
            spawn=self._spawn,
            draining=draining,
            opens=opens,
            adopts=adopts,
        )
        seating.elsewhere = self
        self._handlers: dict[str, Callable[[str, Any], None]] = {
            "resync": lambda peer, _: self._resync(peer),
            "shared": self._shared,
            "present": self.guests.present,
            "gone": lambda _, said: self.guests.left(said),
            "wanted": self._wanted,
            "waiting": self.matching.waiting,
            "offer": self.guests.offered,
            "declined": self.matching.declined,
            "assigned": self.edge.assigned,
            "unseated": self.edge.unseated,
            "told": self.edge.told,
            "commanded": self.guests.commanded,
            "answered": self.edge.answered,
            "due": self.edge.due,
            "elapsed": lambda _, said: self.guests.elapsed(said),
            "over": lambda _, said: self.edge.over(said),
            "ask": self.questions.asked,
            "answer": self.questions.answered,
            "placed": self.handing.placed,
            "adopt": self.handing.adopt,
        }

    async def run(self) -> None:
        """Be one of the servers until cancelled."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self.servers.run())
            group.create_task(self.post.write())
            group.create_task(self.post.read())

    async def leave(self, match_ids: Sequence[str]) -> None:
        """This server stops, and has given up the leases of these matches."""
        self.handing.hand_over(match_ids)
        await self.post.settled()
        await self.servers.leave()

    # -- Elsewhere ------------------------------------------------------------------------------

    def guest(self, key: InstanceKey) -> Seated | None:
        """See `Elsewhere.guest`."""
        return self.guests.get(key)

    def wait(self, table: Table, seat: Seat) -> None:
        """See `Elsewhere.wait`."""
        self.matching.wait(table, seat)

    def want(self, keys: Iterable[InstanceKey]) -> None:
        """See `Elsewhere.want`."""
        instances = [instance_to_pb(key) for key in keys]
        if instances and self.post.peers:
            self.post.say_all(Item(wanted=peers_pb2.Wanted(instances=instances)))

    def room(self) -> None:
        """See `Elsewhere.room`."""
        self.matching.room()

    def reclaim(self, session: Session, match_id: str, seat: Seat) -> Reclaimed | None:
        """See `Elsewhere.reclaim`."""
        return self.edge.reclaim(session, match_id, seat)

    def unseat(self, session: Session, *, leaving: bool = False) -> None:
        """See `Elsewhere.unseat`."""
        self._expect_less(session, self._owed.get(session, 0))
        self.edge.unseat(session, leaving=leaving)

    def offended(self, session: Session, what: str) -> bool:
        """See `Elsewhere.offended`."""
        del what
        return self.edge.offended(session)

    def displaced(self, table: Table, seat: Seat, guest: Seated) -> None:
        """See `Elsewhere.displaced`."""
        assert isinstance(guest, Guest)
        self.guests.displaced(table, seat, guest)

    def follow(self, table: Table, seat: Seat, guest: Seated, ref: int) -> None:
        """See `Elsewhere.follow`."""
        assert isinstance(guest, Guest)
        guest.follow(table, seat, ref)

    def positions(self, session: Session) -> Sequence[tuple[int, int]]:
        """See `Elsewhere.positions`."""
        return self.edge.positions(session)

    # -- sessions here --------------------------------------------------------------------------

    def arrived(self, session: Session, owed: int) -> None:
        """A session has arrived that others owe so many seats; they will be told of it."""
        if owed and not session.outbox.closed:
            self._owed[session] = owed
            self._seating.keep_room(session, owed)
            self._loop.call_later(_OWED_S, lambda: self._expect_less(session, owed))

    def entered(self, sessions: Sequence[Session]) -> None:
        """The store knows that these are the newest sessions of their instances."""
        if self.post.peers:
            for session in sessions:
                if not session.outbox.closed:
                    present = peers_pb2.Present(bot=bot_to_pb(session), fresh=True)
                    self.post.say_all(Item(present=present))

    def _taken(self, match_id: str, seat: Seat, session: Session) -> None:
        self._expect_less(session, 1)
        self.matching.taken(match_id, seat, session)

    def _expect_less(self, session: Session, seats: int) -> None:
        kept = self._owed.get(session, 0)
        seats = min(seats, kept)
        if not seats:
            return
        if kept == seats:
            del self._owed[session]
        else:
            self._owed[session] = kept - seats
        self._seating.keep_room(session, -seats)

    # -- peers ----------------------------------------------------------------------------------

    def _about(self) -> peers_pb2.Presence:
        return peers_pb2.Presence(
            tables=len(self._tables),
            sessions=len(self._seating.lobby),
            draining=self._draining(),
        )

    def _came(self, peer: str) -> None:
        self.matching.tell(peer)
        away = self._seating.away()
        if away:
            wanted = peers_pb2.Wanted(instances=[instance_to_pb(key) for key in away])
            self.post.say(peer, Item(wanted=wanted))

    def _went(self, peer: str) -> None:
        with contextlib.ExitStack() as steps:
            # All of them are taken, whatever goes wrong in one: nobody comes back to it.
            steps.callback(self.handing.gone, peer)
            steps.callback(self.guests.edge_gone, peer)
            steps.callback(self.matching.home_gone, peer)
            steps.callback(self.edge.home_gone, peer)

    def _missed(self, peer: str) -> None:
        """Something that a peer said is lost."""
        _log.warning("peer_missed", peer=peer)
        self._metrics.peer_gaps.inc()
        self.post.say(peer, Item(resync=peers_pb2.Resync()))

    def _resync(self, peer: str) -> None:
        shared = peers_pb2.Shared(nonces=self.edge.nonces(peer), lines=self.guests.resync(peer))
        self.post.say(peer, Item(shared=shared))
        self.edge.say_again(peer)
        self._came(peer)

    def _shared(self, peer: str, shared: peers_pb2.Shared) -> None:
        self.edge.keep_only(peer, shared.lines)
        self.guests.keep_only(peer, shared.nonces)

    def _wanted(self, peer: str, wanted: peers_pb2.Wanted) -> None:
        for instance in wanted.instances:
            session = self._seating.lobby.find(instance_from_pb(instance))
            if session is not None:
                self.post.say(peer, Item(present=peers_pb2.Present(bot=bot_to_pb(session))))

    def _deliver(self, peer: str, item: Item) -> None:
        which = item.WhichOneof("item")
        handler = self._handlers.get(which) if which is not None else None
        if handler is not None and which is not None:
            handler(peer, getattr(item, which))

    # -- from time to time ----------------------------------------------------------------------

    def _beat(self) -> None:
        self._metrics.peers.set(len(self.servers.there))
        self._metrics.seats_abroad.set(self.edge.count)
        self.guests.sweep()
        self.matching.beat()
        self.edge.say_again()
        if not self._looking_up:
            homeless = self.edge.homeless(self._loop.time() - _HOMELESS_S)[:_LOOKED_UP]
            if homeless:
                self._looking_up = True
                self._spawn(self._look_up(homeless))

    async def _look_up(self, seats: Sequence[FarSeat]) -> None:
        """Seats without a home may be of matches that are over."""
        try:
            for far in seats:
                if await self._store.kept(far.match_id) is not None:
                    place = peers_pb2.Place(match_id=far.match_id, seat=far.seat)
                    self.edge.over(peers_pb2.Over(nonce=far.session.nonce, places=[place]))
                elif far.home is None:
                    # It is looked for again after the others.
                    far.homeless_since = self._loop.time()
        except StoreError:
            return
        finally:
            self._looking_up = False

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            _log.error("peer_task_failed", exc_info=task.exception())
