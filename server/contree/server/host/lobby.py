"""Which bots are here and have room, and which seats wait for one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import heapify, heappop, heapreplace
from itertools import count
from typing import NamedTuple

from contree.engine import Seat
from contree.server.host.session import Identity, InstanceKey, Session
from contree.server.host.table import Table
from contree.server.match import SeatPlan

Pins = tuple[str, str]
"""The instance and the key that a seat asks of its bot; empty for any."""


class _Waiting(NamedTuple):
    number: int
    """Of all seats that ever waited."""
    table: Table
    seat: Seat


class Lobby:
    """Sessions by instance, and the seats that wait for a bot, oldest first; both by bot name too,
    for whoever waits for a name has nothing to do with bots of another. Of one name those that ask
    for the same are together: who is not here must not be looked for seat by seat.
    """

    def __init__(self) -> None:
        self._sessions: dict[InstanceKey, Session] = {}
        self._by_nonce: dict[str, Session] = {}
        self._by_bot: dict[str, dict[InstanceKey, Session]] = {}
        self._waiting: dict[str, dict[Pins, dict[tuple[str, Seat], _Waiting]]] = {}
        self._numbers = count()

    def __len__(self) -> int:
        """How many sessions there are."""
        return len(self._sessions)

    def enter(self, session: Session) -> Session | None:
        """Add a session; the one it supersedes, if any."""
        key = session.identity.key
        old = self._sessions.get(key)
        if old is not None:
            self.leave(old)
        self._sessions[key] = session
        self._by_nonce[session.nonce] = session
        self._by_bot.setdefault(key.bot, {})[key] = session
        return old

    def leave(self, session: Session) -> None:
        """Remove a session, unless a newer one of the same instance has taken its place."""
        key = session.identity.key
        if self._sessions.get(key) is session:
            del self._sessions[key]
            del self._by_nonce[session.nonce]
            named = self._by_bot[key.bot]
            del named[key]
            if not named:
                del self._by_bot[key.bot]

    def find(self, key: InstanceKey) -> Session | None:
        """The session of an instance."""
        return self._sessions.get(key)

    def has(self, bot: str, instance_id: str) -> bool:
        """Whether an instance of a bot is here, whatever its key."""
        return any(key.instance_id == instance_id for key in self._by_bot.get(bot, ()))

    def by_nonce(self, nonce: str) -> Session | None:
        """A session by what tells it from all others."""
        return self._by_nonce.get(nonce)

    def sessions(self) -> tuple[Session, ...]:
        """All sessions, oldest first."""
        return tuple(self._sessions.values())

    def await_bot(self, table: Table, seat: Seat) -> None:
        """Let a seat wait for a bot."""
        plan = table.match.spec.seats[seat]
        alike = self._waiting.setdefault(plan.bot, {}).setdefault(_pins(plan), {})
        alike[table.match.id, seat] = _Waiting(next(self._numbers), table, seat)

    def waits(self, table: Table, seat: Seat) -> bool:
        """Whether a seat waits for a bot."""
        plan = table.match.spec.seats[seat]
        alike = self._waiting.get(plan.bot, {}).get(_pins(plan), {})
        waiting = alike.get((table.match.id, seat))
        return waiting is not None and waiting.table is table

    def waiting_seats(self) -> Iterator[tuple[Table, Seat]]:
        """All seats that wait for a bot, of each name the oldest first."""
        for named in self._waiting.values():
            for waiting in sorted(one for alike in named.values() for one in alike.values()):
                yield waiting.table, waiting.seat

    def gives(self, table: Table, seat: Seat, who: Identity) -> bool:
        """Whether a seat waits for this bot; if so, it does no more."""
        plan = table.match.spec.seats[seat]
        if (
            not self.waits(table, seat)
            or plan.bot != who.bot
            or (plan.instance_id and plan.instance_id != who.instance_id)
            or (plan.key_id and plan.key_id != who.key_id)
        ):
            return False
        self._forget(table, seat)
        return True

    def room(self, bot: str) -> Room | None:
        """The sessions of a name that have room now; None without any."""
        room = Room(self._by_bot.get(bot, {}).values())
        return room if room.sessions else None

    def forget(self, table: Table) -> None:
        """No seat of this table waits any more."""
        for seat in Seat:
            self._forget(table, seat)

    def _forget(self, table: Table, seat: Seat) -> None:
        plan = table.match.spec.seats[seat]
        named = self._waiting.get(plan.bot, {})
        alike = named.get(_pins(plan), {})
        if alike.pop((table.match.id, seat), None) is None or alike:
            return
        del named[_pins(plan)]
        if not named:
            del self._waiting[plan.bot]

    @property
    def waiting(self) -> int:
        """How many seats wait."""
        return sum(len(alike) for named in self._waiting.values() for alike in named.values())

    def offers(self) -> Iterator[tuple[Session, Table, Seat]]:
        """Pair waiting seats with bots that have room, of each name the oldest seat first; each
        pair once.

        The caller seats the bot before it asks for the next pair.
        """
        for bot in [bot for bot in self._waiting if bot in self._by_bot]:
            room = self.room(bot)
            if room is not None:
                yield from self._pairs(self._waiting[bot], room)

    def _pairs(
        self, named: dict[Pins, dict[tuple[str, Seat], _Waiting]], room: Room
    ) -> Iterator[tuple[Session, Table, Seat]]:
        # Lines of seats that ask for the same, the one with the oldest at its head first.
        lines = [iter(tuple(named[pins].values())) for pins in room.pins() if pins in named]
        heads = [(next(line), line) for line in lines]
        heapify(heads)
        while heads:
            (_, table, seat), line = heads[0]
            session = room.roomiest(table.match.spec.seats[seat])
            following = None if session is None else next(line, None)
            if following is None:  # the others of its line fit nobody either, or there are none
                heappop(heads)
            else:
                heapreplace(heads, (following, line))
            if session is None:
                continue
            self._forget(table, seat)
            yield session, table, seat
            if not session.free:
                room.sessions -= 1
                if not room.sessions:
                    return


class Room:
    """The sessions of one name that have room, each kind of pin with an index of its own."""

    def __init__(self, sessions: Iterable[Session]) -> None:
        free = [(session.free, session) for session in sessions]
        # The most room first, then the one connected longest.
        self._all = [(-room, at, one) for at, (room, one) in enumerate(free) if room]
        self._indexes: dict[tuple[bool, bool], dict[tuple[str, str], list[_Free]]] = {}
        self.sessions = len(self._all)
        """How many there are."""

    def pins(self) -> set[Pins]:
        """All that a seat may ask for and somebody here with room fits."""
        found = {("", "")}
        for _, _, session in self._all:
            instance, key = session.identity.instance_id, session.identity.key_id
            found |= {(instance, ""), ("", key), (instance, key)}
        return found

    def roomiest(self, plan: SeatPlan) -> Session | None:
        """The fitting session with the most room; the one connected longest among equals."""
        pins = bool(plan.instance_id), bool(plan.key_id)
        index = self._indexes.get(pins)
        if index is None:
            index = self._indexes[pins] = self._index(*pins)
        heap = index.get((plan.instance_id, plan.key_id), [])
        while heap:
            room, at, session = heap[0]
            free = session.free
            if free == -room:
                return session
            # It was given seats since it was put there.
            if free:
                heapreplace(heap, (-free, at, session))
            else:
                heappop(heap)
        return None

    def _index(self, instance: bool, key: bool) -> dict[tuple[str, str], list[_Free]]:
        index: dict[tuple[str, str], list[_Free]] = {}
        for one in self._all:
            identity = one[2].identity
            pins = identity.instance_id if instance else "", identity.key_id if key else ""
            index.setdefault(pins, []).append(one)
        for heap in index.values():
            heapify(heap)
        return index


def _pins(plan: SeatPlan) -> Pins:
    return plan.instance_id, plan.key_id


_Free = tuple[int, int, Session]
"""A session as it was: its free seats below zero, its place among the others, and itself."""
