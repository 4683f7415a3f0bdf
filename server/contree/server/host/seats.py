"""The seats that each session has at live tables, by their short names on its stream."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from contree.engine import Seat
from contree.server.host.seated import Seated
from contree.server.host.session import Session
from contree.server.host.table import Table

_NONE: Final[Mapping[int, tuple[Table, Seat]]] = MappingProxyType({})


class Seats:
    """Which session sits where. Tables know it of their seats; this is the way back."""

    def __init__(self) -> None:
        self._of: dict[Seated, dict[int, tuple[Table, Seat]]] = {}

    def of(self, session: Seated) -> Mapping[int, tuple[Table, Seat]]:
        """All seats of a session, in the order given."""
        return self._of.get(session, _NONE)

    def at(self, session: Seated, ref: int) -> tuple[Table, Seat] | None:
        """The seat that a session knows by this name; None when it has none (any more)."""
        return self.of(session).get(ref)

    def give(self, session: Seated, table: Table, seat: Seat, ref: int | None = None) -> int:
        """A session has a seat from here on: by what name, a new one where none is given."""
        ref = session.new_ref() if ref is None else ref
        self._of.setdefault(session, {})[ref] = table, seat
        return ref

    def take(self, session: Seated, ref: int) -> None:
        """It has this seat no more."""
        seats = self._of.get(session)
        if seats is not None:
            seats.pop(ref, None)
            if not seats:
                del self._of[session]

    def take_all(self, session: Seated) -> Mapping[int, tuple[Table, Seat]]:
        """It has no seat any more: those that it had."""
        return self._of.pop(session, _NONE)

    def positions(self, session: Session) -> list[tuple[int, int]]:
        """Where each seat stands, as (seat_ref, seq); not those that are given their past."""
        seats = self.of(session)
        readers = session.readers if seats else {}
        return [
            (ref, table.match.seq)
            for ref, (table, _) in seats.items()
            if ref not in readers or not readers[ref].behind
        ]
