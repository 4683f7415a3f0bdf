"""Which matches are this server's: leases are renewed, matches that nobody holds are taken over.

A lease is renewed four times in its life, so that three quarters of it may be lost to a busy loop
or a store that hangs. Leases that have ended are looked for sixteen times in a life, all in one
question to an index, so that a match is without a server for little longer than a lease.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Collection, Sequence

import structlog

from contree.server.host.folding import folded
from contree.server.host.service_clock import PATIENCE_S
from contree.server.host.tables import Tables
from contree.server.match import Match, Stage
from contree.server.store import MatchNotFound, MatchStore, StoreError, StoreUnavailable
from contree.server.telemetry import Metrics

_AT_ONCE = 500
"""Matches looked at in one go."""
_TAKEN_AT_ONCE = 25
_REINDEX_S = 60.0
_log = structlog.get_logger(__name__)


class Leases:
    """Renews the leases of the tables held here and adopts matches without an owner."""

    def __init__(
        self,
        store: MatchStore,
        metrics: Metrics,
        tables: Tables,
        *,
        server_id: str,
        lease_ms: int,
        in_hand: Callable[[str], bool],
        adopt: Callable[[Match, int], None],
        lost: Callable[[str], None],
    ) -> None:
        """``in_hand`` tells which matches this server is creating or finishing.

        ``adopt`` is given a match taken over and its fencing number, ``lost`` the id of one that
        another server has taken.
        """
        self._store = store
        self._metrics = metrics
        self._tables = tables
        self._server_id = server_id
        self._lease_ms = lease_ms
        self._in_hand = in_hand
        self._adopt = adopt
        self._lost = lost
        self._turn = asyncio.Lock()
        """Held while matches are taken over, some at a time."""
        self._taking: dict[str, int] = {}
        """Leases of matches that are still being read."""
        self._aside: set[str] = set()
        """Matches that cannot be taken over here; left alone until they are put away."""
        self._given: list[str] = []
        """Matches whose leases others say that they gave up."""
        self._woken = asyncio.Event()
        self._renewing = asyncio.Lock()
        """Held while leases are renewed, or given up for good."""
        self._given_up = False
        self.adopting = True
        """Switched off when the server drains."""

    @property
    def held(self) -> int:
        """How many leases are held here."""
        return self._tables.count + len(self._taking)

    @property
    def set_aside(self) -> int:
        """How many matches could not be taken over here."""
        return len(self._aside)

    async def keep(self) -> None:
        """Renew the leases until cancelled."""
        pause = self._lease_ms / 4000
        while True:
            try:
                await self.renew()
            except StoreUnavailable:
                _log.warning("leases_not_renewed")
                await asyncio.sleep(pause / 4)
                continue
            except StoreError:
                _log.exception("leases_refused")
            await asyncio.sleep(pause)

    async def renew(self) -> None:
        """Prolong the leases of all tables here."""
        leases = {table.match.id: table.fence for table in self._tables.all()} | self._taking
        if not leases:
            return
        async with self._renewing:
            if self._given_up:
                return
            lost = await self._tables.watch.ask(
                self._store.renew(self._server_id, leases, self._lease_ms), write=True
            )
        for match_id in lost:
            # A lease can end by itself: the match is over, or was taken over again by this server.
            if self._taking.get(match_id) == leases[match_id]:
                del self._taking[match_id]
            table = self._tables.get(match_id)
            if table is not None and table.fence == leases[match_id]:
                self._lost(match_id)

    async def adopt(self) -> None:
        """Take matches over until cancelled.

        After the store was away leases have ended whose owners live: they are given the time to
        renew them first. What was given up nobody renews.
        """
        loop = asyncio.get_running_loop()
        lease_s = self._lease_ms / 1000
        reindexed = float("-inf")
        while True:
            try:
                if loop.time() - reindexed > _REINDEX_S:
                    await self._store.reindex()
                    await self._forget_aside()
                    reindexed = loop.time()
                began = loop.time()
                given, self._given = self._given, []
                found = self._free(given) + await self._orphans()
                orphans = list(dict.fromkeys(found))
                if slow := loop.time() - began > min(PATIENCE_S, lease_s / 4):
                    orphans = self._free(given)
                if self.adopting:
                    await self._take_over(orphans, frozenset(given))
                if slow:
                    await asyncio.sleep(lease_s / 2)
            except StoreUnavailable:
                await asyncio.sleep(lease_s / 2)
            except StoreError:
                _log.exception("adoption_refused")
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(lease_s / 16):
                    await self._woken.wait()
            self._woken.clear()

    def given(self, match_ids: Sequence[str]) -> None:
        """The leases of these matches were given up elsewhere: they may be taken over at once."""
        self._given += match_ids
        self._woken.set()

    async def _orphans(self) -> list[str]:
        # Those set aside stay expired, and must not take the places of others.
        at_most = _AT_ONCE + len(self._aside)
        expired = await self._tables.watch.ask(self._store.expired(at_most), everywhere=True)
        return self._free(expired)

    def _free(self, match_ids: Sequence[str]) -> list[str]:
        return [
            match_id
            for match_id in match_ids
            if self._tables.get(match_id) is None
            and match_id not in self._aside
            and not self._in_hand(match_id)
        ]

    async def _take_over(self, orphans: list[str], given: Collection[str]) -> None:
        for first in range(0, len(orphans), _TAKEN_AT_ONCE):
            async with self._turn:
                if not self.adopting:
                    return
                some = self._free(orphans[first : first + _TAKEN_AT_ONCE])
                if some:
                    await self._take(some, given)

    async def _take(self, some: list[str], given: Collection[str]) -> None:
        self._taking |= await self._store.take(some, self._server_id, self._lease_ms)
        try:
            for match_id in some:
                if match_id in self._taking and self.adopting:
                    why = "handed_over" if match_id in given else "lease_ended"
                    await self._read(match_id, why)
        finally:
            if self.adopting:
                self._taking.clear()

    async def settled(self) -> None:
        """Wait until those that are being taken over are; the next ones that are in hand then are
        left alone.
        """
        async with self._turn:
            pass

    async def _read(self, match_id: str, why: str) -> None:
        """Go on with a match whose lease was taken."""
        try:
            match = await folded(self._store, match_id)
        except MatchNotFound:
            return
        except StoreUnavailable:
            raise
        except Exception:
            # One match that cannot be read must not take the others down with it.
            self._set_aside(match_id)
            return
        if not self.adopting or self._tables.get(match_id) is not None:
            return
        fence = self._taking.pop(match_id, None)
        if fence is None:
            return  # taken by another meanwhile
        try:
            self._adopt(match, fence)
        except Exception:
            self._set_aside(match_id)
            return
        self._metrics.matches_adopted[why].inc()
        _log.info(
            "match_adopted",
            match_id=match_id,
            why=why,
            version=match.version,
            stage=match.stage.value,
        )

    async def _forget_aside(self) -> None:
        """Those set aside that were put away meanwhile, here or elsewhere, concern nobody."""
        aside = list(self._aside)
        if not aside:
            return
        for match_id, look in zip(aside, await self._store.look(aside, limit=1), strict=True):
            if look.summary is not None or not look.version:
                self._aside.discard(match_id)

    def _set_aside(self, match_id: str) -> None:
        _log.exception("match_set_aside", match_id=match_id)
        self._aside.add(match_id)

    async def release_all(self) -> list[str]:
        """Give the leases up, so that another server need not wait for them to run out: of which
        matches.
        """
        # Nothing is on its way that would lease them again, or take more.
        async with self._turn, self._renewing:
            held = {
                table.match.id: table.fence
                for table in self._tables.all()
                if table.match.stage is not Stage.ENDED
            }
            given_up = held | self._taking
            self._given_up = True
            await self._store.release(given_up)
        _log.info("leases_released", matches=len(given_up))
        return list(given_up)
