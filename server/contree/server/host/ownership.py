"""Which matches are this server's: leases are renewed, matches that nobody holds are taken over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import structlog

from contree.server.host.tables import Tables
from contree.server.match import Match, Stage, decode_entry, fold
from contree.server.store import MatchNotFound, MatchStore, StoreError, StoreUnavailable

_PAGE = 500
_log = structlog.get_logger(__name__)


class Ownership:
    """Renews the leases of the tables held here and adopts matches without an owner."""

    def __init__(
        self,
        store: MatchStore,
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
        self._tables = tables
        self._server_id = server_id
        self._lease_ms = lease_ms
        self._in_hand = in_hand
        self._adopt = adopt
        self._lost = lost
        self._aside: set[str] = set()
        """Matches that cannot be taken over here; left alone until a restart."""
        self.adopting = True
        """Switched off when the server drains."""

    async def run(self) -> None:
        """Renew and adopt until cancelled, three times in the life of a lease."""
        while True:
            try:
                await self.renew()
                if self.adopting:
                    await self.adopt_orphans()
            except StoreUnavailable:
                _log.warning("leases_not_renewed")
            except StoreError:
                _log.exception("leases_refused")
            await asyncio.sleep(self._lease_ms / 3000)

    async def renew(self) -> None:
        """Prolong the leases of all tables here."""
        leases = {table.match.id: table.fence for table in self._tables.all()}
        if not leases:
            return
        for match_id in await self._tables.watch.ask(
            self._store.renew(self._server_id, leases, self._lease_ms)
        ):
            table = self._tables.get(match_id)
            # A lease can end by itself: the match is over, or was taken over again by this server.
            if table is not None and table.fence == leases[match_id]:
                self._lost(match_id)

    async def adopt_orphans(self) -> None:
        """Take over every live match whose lease has run out."""
        after = ""
        while page := await self._store.live(after=after, limit=_PAGE):
            after = page[-1]
            for match_id in page:
                if not self.adopting:
                    return
                free = self._tables.get(match_id) is None and not self._in_hand(match_id)
                if free and match_id not in self._aside:
                    await self._take_over(match_id)

    async def _take_over(self, match_id: str) -> None:
        try:
            fence = await self._store.acquire(match_id, self._server_id, self._lease_ms)
            if fence is None:
                return
            match = fold(decode_entry(data) for data in await self._store.read(match_id))
        except MatchNotFound:
            return
        except StoreError:
            raise
        except Exception:
            # One match that cannot be read must not take the others down with it.
            self._set_aside(match_id)
            return
        if self._tables.get(match_id) is not None:
            return
        try:
            self._adopt(match, fence)
        except Exception:
            self._set_aside(match_id)
            return
        _log.info(
            "match_adopted", match_id=match_id, version=match.version, stage=match.stage.value
        )

    def _set_aside(self, match_id: str) -> None:
        _log.exception("match_set_aside", match_id=match_id)
        self._aside.add(match_id)

    async def release_all(self) -> None:
        """Give the leases up, so that another server need not wait for them to run out."""
        for table in self._tables.all():
            if table.match.stage is not Stage.ENDED:
                await self._store.release(table.match.id, table.fence)
