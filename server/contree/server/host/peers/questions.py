"""What one server asks the others, and what it answers them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Final

from contree.engine import SEATS
from contree.peers.v1 import peers_pb2
from contree.peers.v1.peers_pb2 import Answer, Ask, Item
from contree.server.host.errors import MatchElsewhere, MatchEnded, MatchLost
from contree.server.host.peers.calls import Calls
from contree.server.host.peers.edge import Edge
from contree.server.host.peers.guest import Say
from contree.server.host.peers.kept import Kept
from contree.server.host.peers.naming import bot_to_pb, instance_from_pb, instance_to_pb
from contree.server.host.peers.servers import Servers
from contree.server.host.reading import SLICE_S
from contree.server.host.seating import Seating
from contree.server.host.session import Session
from contree.server.host.tables import Tables
from contree.server.match import Abandon, EndReason, Rejected

_COMMIT_S: Final = 3.0
"""How long somebody waits for what has to be committed."""
There = tuple[bool, bool, bool, bool]


class Questions:
    """Both sides of all questions."""

    def __init__(
        self,
        servers: Servers,
        tables: Tables,
        seating: Seating,
        edge: Edge,
        say: Say,
        *,
        spawn: Callable[[Coroutine[Any, Any, None]], None],
    ) -> None:
        """``spawn`` runs something besides."""
        self._servers = servers
        self._tables = tables
        self._seating = seating
        self._edge = edge
        self._say = say
        self._spawn = spawn
        self._calls = Calls(say)
        self._time = asyncio.get_running_loop().time
        self._here = Kept(self._bots_here, spawn=spawn)
        self._elsewhere = Kept(self._bots_elsewhere, spawn=spawn)
        self.answered = self._calls.answered

    # -- asking ---------------------------------------------------------------------------------

    async def owed(self, session: Session) -> int:
        """How many seats at others' tables the instance of a session holds that arrives."""
        question = Ask(owed=instance_to_pb(session.identity.key))
        answers = await self._calls.ask(self._peers, question)
        if any(answer.leaving for answer in answers):
            session.holding.leaving = True
        return sum(answer.seats for answer in answers)

    async def connected(self, match_ids: Sequence[str]) -> Mapping[str, There]:
        """Which seats' bots are there, of those matches that others say they host."""
        if not match_ids or not self._peers:
            return {}
        question = Ask(connected=peers_pb2.MatchIds(ids=match_ids))
        answers = await self._calls.ask(self._peers, question)
        return {one.match_id: _there(one.seats) for answer in answers for one in answer.connected}

    async def bots(self) -> Sequence[peers_pb2.ConnectedBot]:
        """The bots that are connected to others, or were a moment ago: they are asked once a
        second, and make their answer once a second, so it may be two seconds old.
        """
        return await self._elsewhere.get() if self._peers else ()

    async def _bots_elsewhere(self) -> Sequence[peers_pb2.ConnectedBot]:
        answers = await self._calls.ask(self._peers, Ask(bots=peers_pb2.ListBots()))
        return [bot for answer in answers for bot in answer.bots]

    async def cancel(self, match_id: str, reason: str) -> None:
        """Let whoever hosts a match end it without a result. Raises MatchEnded, MatchElsewhere."""
        question = Ask(cancel=peers_pb2.Cancel(match_id=match_id, reason=reason))
        answers = await self._calls.ask(
            self._peers, question, within_s=_COMMIT_S, enough=lambda one: bool(one.cancelled)
        )
        outcomes = [answer.cancelled for answer in answers if answer.cancelled]
        if not outcomes:
            raise MatchElsewhere(match_id)
        if outcomes[0] == peers_pb2.CANCELLED_TOO_LATE:
            raise MatchEnded(match_id)

    @property
    def _peers(self) -> tuple[str, ...]:
        return tuple(self._servers.there)

    # -- answering ------------------------------------------------------------------------------

    def asked(self, peer: str, ask: Ask) -> None:
        """A peer asks something."""
        answer = Answer(id=ask.id)
        which = ask.WhichOneof("question")
        if which == "owed":
            answer.seats, answer.leaving = self._seating.held(instance_from_pb(ask.owed))
        elif which == "connected":
            for match_id in ask.connected.ids:
                if self._tables.get(match_id) is not None:
                    there = self._tables.connected(match_id)
                    bits = sum(1 << seat for seat in SEATS if there[seat])
                    answer.connected.add(match_id=match_id, seats=bits)
        elif which == "bots":
            self._spawn(self._tell_bots(peer, ask.id))
            return
        elif which == "cancel":
            self._spawn(self._cancel(peer, answer, ask.cancel))
            return
        self._say(peer, Item(answer=answer))

    def seats(self, session: Session) -> int:
        """How many seats a session has, wherever their tables are."""
        return len(self._tables.seats.of(session)) + len(self._edge.of(session))

    async def _tell_bots(self, peer: str, number: int) -> None:
        item = Item(answer=await self._here.get())  # a copy: others are told under other numbers
        item.answer.id = number
        self._say(peer, item)

    async def _bots_here(self) -> Answer:
        answer = Answer()
        began = now = self._time()
        for session in self._seating.lobby.sessions():
            answer.bots.add(
                bot=bot_to_pb(session),
                seats=self.seats(session),
                connected_s=int(now - session.connected_at),
            )
            if self._time() - began >= SLICE_S:
                await asyncio.sleep(0)  # others have their turn
                began = self._time()
        return answer

    async def _cancel(self, peer: str, answer: Answer, cancel: peers_pb2.Cancel) -> None:
        table = self._tables.get(cancel.match_id)
        if table is not None:
            try:
                await self._tables.ask(table, Abandon(EndReason.CANCELLED, cancel.reason))
                answer.cancelled = peers_pb2.CANCELLED_DONE
            except Rejected:
                answer.cancelled = peers_pb2.CANCELLED_TOO_LATE
            except MatchLost:
                pass  # as if it had not been here
        self._say(peer, Item(answer=answer))


def _there(bits: int) -> There:
    return bool(bits & 1), bool(bits & 2), bool(bits & 4), bool(bits & 8)
