"""Which other servers are there: each says so to the store a few times in the life of a lease.

The answer says who else did. Nobody is thought gone for an outage of the store: only what is said
twice, a beat apart, counts.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

import structlog
from google.protobuf.message import DecodeError

from contree.peers.v1.peers_pb2 import Presence
from contree.server.host.peers.post import Post
from contree.server.store import InboxStore, Listed, StoreError

_A_LIFE: Final = 4
"""Beats in the time for which a server counts as there."""
_SLOWEST_S: Final = 1.0
_LOST: Final = 2
"""Times that a server must be missing in the list to be gone."""
_OF_RETURN: Final = 0.6
"""The part of the time for coming back after which a server that is cut off sends its bots away: an
outage of the store is mostly over by then, and there is time to dial another.
"""
_log = structlog.get_logger(__name__)


class Servers:
    """Keeps this server in the list, and knows who else is."""

    def __init__(
        self,
        inboxes: InboxStore,
        post: Post,
        *,
        ttl_ms: int,
        about: Callable[[], Presence],
        came: Callable[[str], None],
        went: Callable[[str], None],
        beat: Callable[[], None],
        return_s: float,
        cut_off: Callable[[], None],
    ) -> None:
        """``ttl_ms`` is how long a server that says nothing counts as there; ``about`` what this
        one lets the others know. ``came`` and ``went`` are told of each, ``beat`` is called after
        each look. ``cut_off`` is called, once, where the others must have thought this one gone for
        a good part of the ``return_s`` in which its bots are to come back to them.
        """
        self._inboxes = inboxes
        self._post = post
        self._ttl_ms = ttl_ms
        self._pause = min(ttl_ms / 1000 / _A_LIFE, _SLOWEST_S)
        self._about = about
        self._came = came
        self._went = went
        self._beat = beat
        self._cut_off = cut_off
        self._patience_s = ttl_ms / 1000 + _OF_RETURN * return_s
        self._seen = asyncio.get_running_loop().time()
        """When it was put into the list, last."""
        self._alone = False
        self._missing: dict[str, int] = {}
        self.there: dict[str, Presence] = {}
        """What each of the others lets this one know, by address."""
        self._leaving = False
        self._looking = asyncio.Lock()

    async def run(self) -> None:
        """Say that this server is there, and look who else is, until cancelled."""
        while not self._leaving:
            try:
                await self.look()
            except StoreError as error:
                _log.info("servers_not_seen", error=str(error))
                self._not_seen()
            except Exception:  # what one of the others is concerned with, must not end this one
                _log.exception("look_failed")
            await asyncio.sleep(self._pause)

    async def look(self) -> None:
        """The same once."""
        async with self._looking:
            if self._leaving:
                return
            began = asyncio.get_running_loop().time()
            about = self._about()
            about.sent.extend(self._post.sent())
            listed = await self._inboxes.announce(
                self._post.address, about.SerializeToString(), self._ttl_ms, self._post.read_to
            )
            self._seen, self._alone = began, False
        self._listed(listed)
        self._beat()

    def _not_seen(self) -> None:
        """The store does not answer: for all, or for this server alone. Then the others have taken
        its matches over, and wait for its bots.
        """
        away = asyncio.get_running_loop().time() - self._seen
        if self.there and not self._alone and away > self._patience_s:
            self._alone = True
            _log.warning("cut_off", seconds=round(away, 1))
            self._cut_off()

    async def leave(self) -> None:
        """This server is there no more."""
        self._leaving = True
        async with self._looking:
            await self._inboxes.leave(self._post.address)

    def _listed(self, listed: dict[str, Listed]) -> None:
        me = self._post.address
        alive = {at for at, one in listed.items() if one.left_ms > 0 and at != me}
        for address in alive:
            self._missing.pop(address, None)
            try:
                presence = Presence.FromString(listed[address].about)
            except DecodeError:
                _log.error("presence_unreadable", peer=address)
                continue
            new = address not in self.there
            self.there[address] = presence
            if new:
                _log.info("peer_came", peer=address)
                self._post.open(address)
                self._came(address)
            self._post.told(address, presence.sent)
        for address in {*self.there, *self._post.peers} - alive:
            self._missing[address] = self._missing.get(address, 0) + 1
            if self._missing[address] >= _LOST:
                del self._missing[address]
                self.there.pop(address, None)
                self._post.close(address)
                _log.info("peer_gone", peer=address)
                self._went(address)
