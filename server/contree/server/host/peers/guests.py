"""All guests of this server: who they are, and what their edges say of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from typing import Any, Final

import structlog

from contree.engine import Seat
from contree.peers.v1 import peers_pb2
from contree.peers.v1.peers_pb2 import Item
from contree.server.host import frames
from contree.server.host.answers import Answers
from contree.server.host.errors import MatchLost
from contree.server.host.peers.guest import Guest, Say
from contree.server.host.peers.naming import identity_from_pb, instance_from_pb
from contree.server.host.seating import Seating
from contree.server.host.session import InstanceKey, Said, Session
from contree.server.host.table import Table
from contree.server.host.tables import Tables
from contree.server.match import Stage
from contree.v1 import play_service_pb2

_AGAIN_S: Final = 2.0
"""A question about the time of a bot is asked again after so long."""
_IDLE_S: Final = 10.0
"""A guest without a seat is remembered for so long: its first one may be on its way."""
_log = structlog.get_logger(__name__)


class Guests:
    """The home's side of seats whose bots are connected to other servers."""

    def __init__(
        self,
        tables: Tables,
        seating: Seating,
        answers: Answers,
        say: Say,
        *,
        check: Callable[[Session], Coroutine[Any, Any, None]],
        spawn: Callable[[Coroutine[Any, Any, None]], None],
    ) -> None:
        """``check`` lets a session here go if a newer one of its instance is anywhere; ``spawn``
        runs something besides.
        """
        self._tables = tables
        self._seating = seating
        self._answers = answers
        self._say = say
        self._check = check
        self._spawn = spawn
        self._by_nonce: dict[str, Guest] = {}
        self._by_key: dict[InstanceKey, Guest] = {}
        self._doubts: dict[str, list[tuple[Table, Seat, int, float]]] = {}
        """By nonce: decisions whose time began anew, their number, and when it had begun."""
        self._by_line: dict[int, Guest] = {}
        self._under_way: set[tuple[int, int]] = set()
        """Commands that wait for their tables, by line and number."""
        self._next_line = 1
        self._time = asyncio.get_running_loop().time
        tables.deadlines.ask_edge = self._ask_edge

    def get(self, key: InstanceKey) -> Guest | None:
        """The guest who speaks for an instance, as far as is known."""
        return self._by_key.get(key)

    @property
    def count(self) -> int:
        """How many seats here they have."""
        return len(self._by_line)

    # -- coming and going -----------------------------------------------------------------------

    def present(self, edge: str, message: peers_pb2.Present) -> None:
        """A bot is at another server: it gets back what it holds here."""
        bot, fresh = message.bot, message.fresh
        older = self._seating.lobby.find(instance_from_pb(bot.instance))
        if older is None:
            self._receive(edge, bot, fresh=fresh)
        elif fresh:
            self._spawn(self._receive_checked(edge, bot, older))

    async def _receive_checked(self, edge: str, bot: peers_pb2.Bot, older: Session) -> None:
        """The same where one of its instance is here: which is the newer one, the store knows."""
        await self._check(older)
        if self._seating.lobby.find(older.identity.key) is None:
            self._receive(edge, bot, fresh=True)

    def _receive(self, edge: str, bot: peers_pb2.Bot, *, fresh: bool) -> None:
        key = instance_from_pb(bot.instance)
        parted = self._seating.take_parted(key)
        if parted:
            over = peers_pb2.Over(
                nonce=bot.nonce,
                places=[peers_pb2.Place(match_id=match_id, seat=seat) for match_id, seat in parted],
            )
            self._say(edge, Item(over=over))
        if self._seating.held(key)[0]:
            guest = self._guest(edge, bot)
            if fresh:
                self._by_key[key] = guest
            else:
                self._by_key.setdefault(key, guest)
            self._seating.receive(guest, fresh=fresh)

    def offered(self, edge: str, offer: peers_pb2.Offer) -> None:
        """A bot with room for a seat that waits here."""
        bot, place = offer.bot, (offer.match_id, offer.seat)

        def declined() -> None:
            self._say(
                edge,
                Item(
                    declined=peers_pb2.Declined(match_id=place[0], seat=place[1], nonce=bot.nonce)
                ),
            )

        table = self._tables.get(offer.match_id)
        if table is None:
            declined()
            return
        guest = self._guest(edge, bot)
        self._by_key[guest.identity.key] = guest
        self._seating.accept(table, Seat(offer.seat), guest, declined)

    def displaced(self, table: Table, seat: Seat, guest: Guest) -> None:
        """Another connection of its instance has the seat of a guest of which its edge has not said
        that it is gone. That may be dead: until it says so, the bot has all of its time again.
        """
        since = table.match.owed_since[seat]
        began = table.begin_anew(seat)
        if since and began is not None:
            self._doubts.setdefault(guest.nonce, []).append((table, seat, since, began))

    def left(self, said: peers_pb2.Gone) -> None:
        """An edge says that a bot has gone from it. If that was the bot's doing, the time of its
        decisions has run on, wherever it came back before this was known.
        """
        at_fault = said.why != peers_pb2.WHY_DRAINED
        for table, seat, since, began in self._doubts.pop(said.nonce, ()):
            if at_fault and table.match.owed_since[seat] == since and table.attached[seat]:
                table.began_at(seat, began)
                self._tables.deadlines.arm(table)
        self.gone(said.nonce, at_fault=at_fault, leaving=said.leaving)

    def gone(self, nonce: str, *, at_fault: bool, leaving: bool = False) -> None:
        """A guest has left its edge, ``at_fault`` where it did so by itself; ``leaving``: it wants
        no new seats when it comes back.
        """
        guest = self._by_nonce.get(nonce)
        if guest is None:
            return
        seated = guest.seated
        if leaving:
            self._seating.leaving(guest.identity.key)
        self._forget(guest)
        self._seating.part_from(guest, at_fault=at_fault)
        if seated:
            # A connection that was thought older may be there still.
            self._seating.elsewhere.want((guest.identity.key,))

    def edge_gone(self, edge: str) -> None:
        """A server is gone, and all its bots are away by no fault of theirs."""
        for guest in [one for one in self._by_nonce.values() if one.edge == edge]:
            self.gone(guest.nonce, at_fault=False)

    def _guest(self, edge: str, bot: peers_pb2.Bot) -> Guest:
        guest = self._by_nonce.get(bot.nonce)
        if guest is None:
            identity = identity_from_pb(bot)
            guest = Guest(
                edge,
                bot.nonce,
                identity,
                since=self._time(),
                tables=self._tables,
                say=self._say,
                line=self._new_line,
            )
            self._by_nonce[bot.nonce] = guest
        return guest

    def _new_line(self, guest: Guest) -> int:
        line = self._next_line
        self._next_line += 1
        self._by_line[line] = guest
        return line

    def _forget(self, guest: Guest) -> None:
        self._doubts.pop(guest.nonce, None)
        self._by_nonce.pop(guest.nonce, None)
        if self._by_key.get(guest.identity.key) is guest:
            del self._by_key[guest.identity.key]

    # -- what they say --------------------------------------------------------------------------

    def commanded(self, edge: str, said: peers_pb2.Commanded) -> None:
        """What the bot of a line said is taken to its table."""
        held = self._held(said.line)
        if held is None:
            # Its match is over, of which it has been told; or it is not here any more.
            self._say(edge, Item(unseated=peers_pb2.Unseated(line=said.line)))
            return
        guest, table, seat = held
        command = said.line, said.number
        if command in self._under_way:
            return  # its answer follows
        if said.HasField("round_trip"):
            guest.round_trip_ms = said.round_trip
        place = table, seat

        def done(outcome: Said | Exception) -> None:
            self._under_way.discard(command)
            if isinstance(outcome, Said):
                guest.answer(said.line, said.number, outcome)
            elif not isinstance(outcome, MatchLost):
                _log.error("answer_failed", match_id=table.match.id, exc_info=outcome)
                guest.answer(said.line, said.number, Said(None))

        if said.offends:
            self._under_way.add(command)
            self._answers.give_up(place, done)
            return
        message = play_service_pb2.ClientMessage.FromString(said.message)
        illegal = said.illegal if said.HasField("illegal") else None
        elapsed = said.elapsed if said.HasField("elapsed") else None
        if table.doubted[seat] and table.doubted[seat] == table.match.owed_since[seat]:
            elapsed = None
        self._under_way.add(command)
        self._answers.take(
            place, said.line, message, done, who=guest, elapsed=elapsed, illegal=illegal
        )

    # -- their time -----------------------------------------------------------------------------

    def _ask_edge(self, table: Table, seat: Seat) -> None:
        attached = table.attached[seat]
        if attached is not None and isinstance(attached.session, Guest):
            due = peers_pb2.Due(line=attached.ref, decision=table.match.decision_id(seat))
            self._say(attached.session.edge, Item(due=due))

    def elapsed(self, said: peers_pb2.Elapsed) -> None:
        """An edge says how much time has passed for a bot."""
        held = self._held(said.line)
        if held is None:
            return
        guest, table, seat = held
        match = table.match
        if not match.owed_since[seat] or match.decision_id(seat) != said.decision:
            return
        if not said.HasField("elapsed"):
            # It has not been asked yet.
            if table.asked[seat] is None:
                table.asked[seat] = self._tables.deadlines.now()
            self._tables.deadlines.edge_says(table, seat, 0)
            guest.send_turn(said.line, self._tables.telling.turn(table, seat, again=True))
            return
        elapsed = said.elapsed
        if table.doubted[seat] == match.owed_since[seat]:
            elapsed = max(elapsed, table.elapsed_ms(seat, self._tables.deadlines.now()))
        self._tables.deadlines.edge_says(table, seat, elapsed)

    # -- from time to time ----------------------------------------------------------------------

    def sweep(self) -> None:
        """Forget lines that are history, and those without any; ask again what was not answered."""
        now = self._tables.deadlines.now()
        for line, guest in list(self._by_line.items()):
            place = self._tables.seats.at(guest, line)
            if place is None:
                del self._by_line[line]
                continue
            table, seat = place
            asked = table.asked[seat]
            if asked is not None and now - asked > _AGAIN_S:
                self._ask_edge(table, seat)
        seated = set(self._by_line.values())
        for guest in list(self._by_nonce.values()):
            if guest not in seated and self._time() - guest.since > _IDLE_S:
                self._forget(guest)

    def resync(self, edge: str) -> list[int]:
        """Say everything again of the seats whose bots are at an edge; their lines."""
        lines = []
        for line, guest in list(self._by_line.items()):
            place = self._tables.seats.at(guest, line)
            if place is None or guest.edge != edge:
                continue
            lines.append(line)
            table, seat = place
            match = table.match
            guest.send_assigned(line, frames.seat_assigned(match, seat, line, resumed=True))
            if (
                match.stage is Stage.PLAYING
                and match.owed_since[seat]
                and not match.seats[seat].house
            ):
                guest.send_turn(line, self._tables.telling.turn(table, seat, again=True))
        return lines

    def keep_only(self, edge: str, nonces: Iterable[str]) -> None:
        """These are all bots of an edge that have seats here, as it says."""
        there = set(nonces)
        for guest in [one for one in self._by_nonce.values() if one.edge == edge]:
            if guest.nonce not in there and guest.seated:
                self.gone(guest.nonce, at_fault=False)

    def _held(self, line: int) -> tuple[Guest, Table, Seat] | None:
        guest = self._by_line.get(line)
        place = None if guest is None else self._tables.seats.at(guest, line)
        return None if guest is None or place is None else (guest, *place)
