"""Matches given to other servers: new ones where there are fewer tables, all of them at a stop.

What is said here only makes it quick. A match whose lease runs out, or was given up, is found by
whoever looks first, as ever.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final, Protocol

import structlog

from contree.peers.v1 import peers_pb2
from contree.peers.v1.peers_pb2 import Item
from contree.server.host.folding import after_entry
from contree.server.host.peers.post import Post
from contree.server.host.peers.servers import Servers
from contree.server.host.seating import Seating
from contree.server.host.tables import Tables
from contree.server.match import Match, MatchSpec, decode_entry
from contree.server.store import MatchStore, StoreError

_MORE: Final = 8
"""A match goes elsewhere where there are so many tables fewer."""
_SHARE: Final = 1.25
"""And the tables here are so many times those there."""
_AT_ONCE: Final = 100
"""Matches that a peer is told to take in one go."""
_log = structlog.get_logger(__name__)


class Opens(Protocol):
    """Hosts a match under a lease with this fencing number."""

    def __call__(self, match: Match, fence: int, *, journal: list[bytes]) -> object: ...


class Handing:
    """Gives matches to peers, and takes those that they give."""

    def __init__(
        self,
        store: MatchStore,
        servers: Servers,
        tables: Tables,
        seating: Seating,
        post: Post,
        *,
        spawn: Callable[[Coroutine[Any, Any, None]], None],
        draining: Callable[[], bool],
        opens: Opens,
        adopts: Callable[[Sequence[str]], None],
    ) -> None:
        """``spawn`` runs something besides. ``opens`` hosts a match that was placed here;
        ``adopts`` takes matches over whose leases were given up.
        """
        self._store = store
        self._servers = servers
        self._tables = tables
        self._seating = seating
        self._post = post
        self._spawn = spawn
        self._draining = draining
        self._opens = opens
        self._adopts = adopts
        self._placed: dict[str, int] = {}
        """Matches placed at each peer since it last said how many tables it has."""
        self._load: dict[str, int] = {}

    def home_for(self, spec: MatchSpec, making: int) -> str | None:
        """The peer where a new match is better off; None for here, where ``making`` others are
        being made.
        """
        if not self._servers.there or spec.practice:
            return None
        peer, load = min(
            (
                (at, one.tables + self._placed_at(at, one.tables))
                for at, one in self._servers.there.items()
                if not one.draining
            ),
            key=lambda one: one[1],
            default=("", 0),
        )
        mine = len(self._tables) + making
        if not peer or mine <= load + _MORE or mine <= load * _SHARE or self._pinned_here(spec):
            return None
        self._placed[peer] += 1
        return peer

    def _placed_at(self, peer: str, tables: int) -> int:
        if self._load.get(peer) != tables:
            self._load[peer], self._placed[peer] = tables, 0
        return self._placed[peer]

    def _pinned_here(self, spec: MatchSpec) -> bool:
        """A bot that is here must play in it."""
        return any(
            plan.instance_id and self._seating.lobby.has(plan.bot, plan.instance_id)
            for plan in spec.seats
        )

    def place(self, peer: str, match_id: str, fence: int) -> None:
        """Tell a peer of a match that was created under a lease of its."""
        placed = peers_pb2.Placed(match_id=match_id, fence=fence)
        self._post.say(peer, Item(placed=placed))

    def placed(self, peer: str, said: peers_pb2.Placed) -> None:
        """A peer has created a match for this server."""
        del peer
        self._spawn(self._open(said.match_id, said.fence))

    async def _open(self, match_id: str, fence: int) -> None:
        if self._tables.get(match_id) is not None:
            return
        try:
            if self._draining():
                await self._store.release({match_id: fence})
                return
            journal = await self._store.read(match_id)
            if self._draining():  # since then: the leases of all tables may be given up already
                await self._store.release({match_id: fence})
                return
        except StoreError as error:  # it is found when its lease has run out
            _log.warning("match_not_opened", match_id=match_id, error=str(error))
            return
        match: Match | None = None
        for data in journal:
            match = after_entry(match, decode_entry(data))
        if match is not None and self._tables.get(match_id) is None:
            self._opens(match, fence, journal=journal)

    def gone(self, peer: str) -> None:
        """A peer is gone; its address never comes again."""
        self._placed.pop(peer, None)
        self._load.pop(peer, None)

    def hand_over(self, match_ids: Sequence[str]) -> None:
        """The leases of these matches were given up: each is taken by the peer that has room."""
        loads = {at: one.tables for at, one in self._servers.there.items() if not one.draining}
        if not loads:
            return
        given: dict[str, list[str]] = {}
        for match_id in match_ids:
            peer = min(loads, key=loads.__getitem__)
            loads[peer] += 1
            given.setdefault(peer, []).append(match_id)
        for peer, ids in given.items():
            for first in range(0, len(ids), _AT_ONCE):
                adopt = peers_pb2.Adopt(match_ids=ids[first : first + _AT_ONCE])
                self._post.say(peer, Item(adopt=adopt))

    def adopt(self, peer: str, said: peers_pb2.Adopt) -> None:
        """A peer has given up the leases of matches."""
        del peer
        self._adopts(said.match_ids)
