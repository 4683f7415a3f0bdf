"""Which bots are here and have room, and which seats wait for one."""

from __future__ import annotations

from collections.abc import Iterator

from contree.engine import Seat
from contree.server.host.session import InstanceKey, Session
from contree.server.host.table import Table
from contree.server.match import SeatPlan


class Lobby:
    """Sessions by instance, and the seats that wait for a bot, oldest first."""

    def __init__(self) -> None:
        self._sessions: dict[InstanceKey, Session] = {}
        self._waiting: dict[tuple[str, Seat], Table] = {}

    def enter(self, session: Session) -> Session | None:
        """Add a session; the one it supersedes, if any."""
        key = session.identity.key
        old = self._sessions.pop(key, None)
        self._sessions[key] = session
        return old

    def leave(self, session: Session) -> None:
        """Remove a session, unless a newer one of the same instance has taken its place."""
        key = session.identity.key
        if self._sessions.get(key) is session:
            del self._sessions[key]

    def find(self, key: InstanceKey) -> Session | None:
        """The session of an instance."""
        return self._sessions.get(key)

    def sessions(self) -> tuple[Session, ...]:
        """All sessions, oldest first."""
        return tuple(self._sessions.values())

    def await_bot(self, table: Table, seat: Seat) -> None:
        """Let a seat wait for a bot."""
        self._waiting[table.match.id, seat] = table

    def forget(self, table: Table) -> None:
        """No seat of this table waits any more."""
        for seat in Seat:
            self._waiting.pop((table.match.id, seat), None)

    def offers(self) -> Iterator[tuple[Session, Table, Seat]]:
        """Pair waiting seats with bots that have room, oldest seat first; each pair once.

        The caller seats the bot before it asks for the next pair.
        """
        room = [session for session in self._sessions.values() if session.free]
        for (match_id, seat), table in tuple(self._waiting.items()):
            if not room:
                return
            session = _roomiest(room, table.match.spec.seats[seat])
            if session is None:
                continue
            del self._waiting[match_id, seat]
            yield session, table, seat
            if not session.free:
                room.remove(session)


def _roomiest(sessions: list[Session], plan: SeatPlan) -> Session | None:
    """The fitting session with the most room; the one connected longest among equals."""
    fitting = (session for session in sessions if fits(session, plan))
    return max(fitting, key=lambda session: session.free, default=None)


def fits(session: Session, plan: SeatPlan) -> bool:
    """Whether a bot may take a seat so planned."""
    identity = session.identity
    return (
        identity.bot == plan.bot
        and (not plan.instance_id or plan.instance_id == identity.instance_id)
        and (not plan.key_id or plan.key_id == identity.key_id)
    )
