"""What seating asks of the other servers: see `peers`. Without any, nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, Protocol

from contree.engine import Seat
from contree.server.host.seated import Seated
from contree.server.host.session import InstanceKey, Session
from contree.server.host.table import Table


class Reclaimed(NamedTuple):
    """A seat that was at another server's table."""

    ref: int
    """What its bot calls it, from here on too."""
    decision: bytes
    """The last one that the bot was told to be owed."""
    go_on: Callable[[Table, Seat], None]
    """Takes to its table what the bot has said and nobody has answered."""


class Elsewhere(Protocol):
    """The other servers, for bots and seats that are here."""

    def guest(self, key: InstanceKey) -> Seated | None:
        """The stand-in of an instance that is connected to another server, as far as is known."""
        ...

    def wait(self, table: Table, seat: Seat) -> None:
        """A seat waits for a bot: others may have one, unless it is taken in this pass."""
        ...

    def want(self, keys: Iterable[InstanceKey]) -> None:
        """Bots of seats here are not here: others may have them."""
        ...

    def room(self) -> None:
        """Bots here may have room that no seat here needs."""
        ...

    def reclaim(self, session: Session, match_id: str, seat: Seat) -> Reclaimed | None:
        """A seat that a session had at another server's table is at a table here from now on; None
        where it had none.
        """
        ...

    def unseat(self, session: Session, *, leaving: bool = False) -> None:
        """A session is gone, and with it all seats that it had at others' tables; ``leaving``: its
        instance wants no more of them when it comes back.
        """
        ...

    def offended(self, session: Session, what: str) -> bool:
        """A session sinned against the protocol: whether a seat at another's table forgives it."""
        ...

    def displaced(self, table: Table, seat: Seat, guest: Seated) -> None:
        """A guest has a seat no more, for another connection of its instance has it."""
        ...

    def follow(self, table: Table, seat: Seat, guest: Seated, ref: int) -> None:
        """Send a guest all events of its seat from here on."""
        ...

    def positions(self, session: Session) -> Sequence[tuple[int, int]]:
        """Where its seats at others' tables stand, as (seat_ref, seq)."""
        ...


class Nowhere:
    """There is no other server."""

    def guest(self, key: InstanceKey) -> Seated | None:
        """See `Elsewhere.guest`."""
        return None

    def wait(self, table: Table, seat: Seat) -> None:
        """See `Elsewhere.wait`."""

    def want(self, keys: Iterable[InstanceKey]) -> None:
        """See `Elsewhere.want`."""

    def room(self) -> None:
        """See `Elsewhere.room`."""

    def reclaim(self, session: Session, match_id: str, seat: Seat) -> Reclaimed | None:
        """See `Elsewhere.reclaim`."""
        return None

    def unseat(self, session: Session, *, leaving: bool = False) -> None:
        """See `Elsewhere.unseat`."""

    def offended(self, session: Session, what: str) -> bool:
        """See `Elsewhere.offended`."""
        return False

    def displaced(self, table: Table, seat: Seat, guest: Seated) -> None:
        """See `Elsewhere.displaced`."""

    def follow(self, table: Table, seat: Seat, guest: Seated, ref: int) -> None:
        """See `Elsewhere.follow`."""

    def positions(self, session: Session) -> Sequence[tuple[int, int]]:
        """See `Elsewhere.positions`."""
        return ()
