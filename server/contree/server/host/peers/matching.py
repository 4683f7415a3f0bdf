"""Waiting seats and bots with room that are at different servers.

Who hosts a seat that waits, after its own bots had their turn, tells the peers. One that has a bot
with room keeps the room and offers it; the first offer is taken, the others are declined. What is
lost on the way is said again from time to time, and room that was kept in vain is free again.
"""

from __future__ import annotations

import asyncio
from itertools import islice
from typing import Final

from contree.engine import Seat
from contree.peers.v1 import peers_pb2
from contree.peers.v1.peers_pb2 import Item
from contree.server.host.peers.guest import Say
from contree.server.host.peers.naming import bot_to_pb
from contree.server.host.peers.post import Post
from contree.server.host.seating import Seating
from contree.server.host.session import Session
from contree.server.host.table import Table
from contree.server.match import SeatPlan

_AT_ONCE: Final = 1000
"""Waiting seats that peers are told of at one time, unless there are very many."""
_AGAIN_S: Final = 5.0
_FORGOTTEN_S: Final = 4 * _AGAIN_S
"""What a peer does not say again does not wait there any more."""
_ROUND: Final = 8
"""Beats, of a second at most, in which they are told again of all that waits: well before they
forget any of it.
"""
_OFFERED_S: Final = 4.0
"""Room is kept for so long."""
Place = tuple[str, Seat]


class FarWait:
    """A seat that waits at another server."""

    __slots__ = ("home", "offered", "place", "plan", "told_at")

    def __init__(self, home: str, place: Place, plan: SeatPlan, told_at: float) -> None:
        self.home = home
        self.place = place
        self.plan = plan
        self.told_at = told_at
        self.offered: tuple[Session, float] | None = None
        """Who was offered, and until when room is kept."""


class Matching:
    """Brings seats and bots of different servers together."""

    def __init__(self, seating: Seating, post: Post, say: Say) -> None:
        self._seating = seating
        self._post = post
        self._say = say
        self._loop = asyncio.get_running_loop()
        self._fresh: list[tuple[Table, Seat]] = []
        """Seats that wait here of which nobody has been told."""
        self._waits: dict[str, dict[tuple[str, Place], FarWait]] = {}
        """By name of the bot."""
        self._told_again = 0.0
        self._again: list[tuple[Table, Seat]] = []
        """Waiting seats to tell the peers of in this round, the last one first."""
        self._share = _AT_ONCE
        self.closed = False
        """Nothing more is offered: the server drains."""

    # -- seats here -----------------------------------------------------------------------------

    def wait(self, table: Table, seat: Seat) -> None:
        """A seat here waits: the peers are told, unless it is taken in this pass of the loop."""
        if not self._post.peers:
            return
        self._fresh.append((table, seat))
        if len(self._fresh) == 1:
            self._loop.call_soon(self._tell)

    def _tell(self) -> None:
        fresh, self._fresh = self._fresh, []
        still = [(table, seat) for table, seat in fresh if self._seating.lobby.waits(table, seat)]
        if still:
            self._post.say_all(_waiting(still))

    def tell(self, peer: str) -> None:
        """Tell a peer of the first seats that wait here; of the others it is told in the next
        round.
        """
        waiting = list(islice(self._seating.lobby.waiting_seats(), _AT_ONCE))
        if waiting:
            self._say(peer, _waiting(waiting))

    # -- seats elsewhere ------------------------------------------------------------------------

    def waiting(self, home: str, seats: peers_pb2.Waiting) -> None:
        """A peer says which seats wait there."""
        now = self._loop.time()
        names: dict[str, None] = {}
        for one in seats.seats:
            place = one.match_id, Seat(one.seat)
            named = self._waits.setdefault(one.bot, {})
            known = named.get((home, place))
            if known is not None:
                known.told_at = now
            else:
                plan = SeatPlan(bot=one.bot, instance_id=one.instance_id, key_id=one.key_id)
                named[home, place] = FarWait(home, place, plan, now)
            names[one.bot] = None
        for bot in names:
            self._offer(bot)

    def room(self) -> None:
        """Bots here may have room."""
        for bot in list(self._waits):
            self._offer(bot)

    def _offer(self, bot: str) -> None:
        room = None if self.closed else self._seating.lobby.room(bot)
        if room is None:
            return
        until = self._loop.time() + _OFFERED_S
        for wait in self._waits[bot].values():
            if wait.offered is not None:
                continue
            session = room.roomiest(wait.plan)
            if session is None:
                continue
            self._seating.keep_room(session, 1)
            wait.offered = session, until
            match_id, seat = wait.place
            offer = peers_pb2.Offer(match_id=match_id, seat=seat, bot=bot_to_pb(session))
            self._say(wait.home, Item(offer=offer))
            if not session.free:
                room.sessions -= 1
                if not room.sessions:
                    break

    def declined(self, home: str, said: peers_pb2.Declined) -> None:
        """A bot is not needed."""
        for bot, waits in self._waits.items():
            wait = waits.get((home, (said.match_id, Seat(said.seat))))
            if wait is not None:
                self._settle(bot, wait)
                self._offer_elsewhere(bot)
                return

    def taken(self, match_id: str, seat: Seat, session: Session) -> None:
        """A bot here was given a seat elsewhere."""
        bot = session.identity.bot
        for home in self._post.peers:
            wait = self._waits.get(bot, {}).get((home, (match_id, seat)))
            if wait is not None:
                self._settle(bot, wait)

    def home_gone(self, home: str) -> None:
        """A server is gone, and with it what waited there."""
        for bot, waits in list(self._waits.items()):
            for wait in [one for one in waits.values() if one.home == home]:
                self._settle(bot, wait)

    def _settle(self, bot: str, wait: FarWait) -> None:
        """A seat waits no more, as far as this server is concerned."""
        if wait.offered is not None:
            self._seating.keep_room(wait.offered[0], -1)
        waits = self._waits[bot]
        waits.pop((wait.home, wait.place), None)
        if not waits:
            del self._waits[bot]

    def _offer_elsewhere(self, bot: str) -> None:
        self._seating.fill()
        if bot in self._waits:
            self._offer(bot)

    def beat(self) -> None:
        """To be called from time to time."""
        now = self._loop.time()
        for bot, waits in list(self._waits.items()):
            for wait in list(waits.values()):
                if wait.offered is not None and now > wait.offered[1]:
                    self._seating.keep_room(wait.offered[0], -1)
                    wait.offered = None
                if now - wait.told_at > _FORGOTTEN_S:
                    self._settle(bot, wait)
        if not self._again and now - self._told_again > _AGAIN_S:
            self._told_again = now
            self.room()
            if self._post.peers:
                self._again = list(self._seating.lobby.waiting_seats())[::-1]
                self._share = max(_AT_ONCE, -(-len(self._again) // _ROUND))
        self._tell_again()

    def _tell_again(self) -> None:
        """Tell the peers of the next waiting seats of this round."""
        some, self._again = self._again[-self._share :], self._again[: -self._share]
        still = [
            (table, seat) for table, seat in some[::-1] if self._seating.lobby.waits(table, seat)
        ]
        if still:
            self._post.say_all(_waiting(still))


def _waiting(seats: list[tuple[Table, Seat]]) -> Item:
    message = peers_pb2.Waiting()
    for table, seat in seats:
        plan = table.match.spec.seats[seat]
        message.seats.add(
            match_id=table.match.id,
            seat=seat,
            bot=plan.bot,
            instance_id=plan.instance_id,
            key_id=plan.key_id,
        )
    return Item(waiting=message)
