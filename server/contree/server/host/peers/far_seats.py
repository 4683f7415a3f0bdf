"""All seats of bots here at tables elsewhere, found by whatever their bots and homes call them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from contree.engine import Seat
from contree.server.host.peers.far_seat import FarSeat
from contree.server.host.session import Session

_NONE: Final[Mapping[int, FarSeat]] = MappingProxyType({})


class FarSeats:
    """Iterating gives all; ``len`` is how many."""

    def __init__(self) -> None:
        self._sessions: dict[str, Session] = {}
        """By nonce, those that have any."""
        self._refs: dict[Session, dict[int, FarSeat]] = {}
        """By what they are called on the stream."""
        self._places: dict[tuple[Session, str, Seat], FarSeat] = {}
        """By match and seat."""
        self._homes: dict[str, dict[int, FarSeat]] = {}
        """Those that have a home, by line."""

    def __iter__(self) -> Iterator[FarSeat]:
        return iter(self._places.values())

    def __len__(self) -> int:
        return len(self._places)

    def session(self, nonce: str) -> Session | None:
        """The session of a nonce, if it has any."""
        return self._sessions.get(nonce)

    def of(self, session: Session) -> Mapping[int, FarSeat]:
        """Those of a session, by what they are called on its stream."""
        return self._refs.get(session, _NONE)

    def find(self, session: Session, match_id: str, seat: Seat) -> FarSeat | None:
        """A session's seat of a match."""
        return self._places.get((session, match_id, seat))

    def at(self, home: str, line: int) -> FarSeat | None:
        """The one that is called so between this server and a home."""
        return self._homes.get(home, _NONE).get(line)

    def at_home(self, home: str) -> list[FarSeat]:
        """Those that have this home."""
        return list(self._homes.get(home, _NONE).values())

    @property
    def homes(self) -> list[str]:
        """The homes that any have."""
        return list(self._homes)

    def add(self, far: FarSeat) -> None:
        """It is its session's from here on, and has no home yet."""
        session = far.session
        self._sessions[session.nonce] = session
        self._refs.setdefault(session, {})[far.ref] = far
        self._places[session, far.match_id, far.seat] = far

    def house(self, far: FarSeat, home: str, line: int) -> None:
        """It has this home from here on, and no other."""
        self.unhouse(far)
        far.home, far.line = home, line
        self._homes.setdefault(home, {})[line] = far

    def unhouse(self, far: FarSeat) -> None:
        """It has no home any more."""
        if far.home is None:
            return
        lines = self._homes[far.home]
        del lines[far.line]
        if not lines:
            del self._homes[far.home]
        far.home = None

    def remove(self, far: FarSeat) -> None:
        """It is nobody's any more."""
        self.unhouse(far)
        session = far.session
        del self._places[session, far.match_id, far.seat]
        refs = self._refs[session]
        del refs[far.ref]
        if not refs:
            del self._refs[session]
            del self._sessions[session.nonce]
