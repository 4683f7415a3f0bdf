"""The end of a match that cannot be read: one that a disk has damaged, or a newer server wrote.

Nobody can go on with it, and as long as it is live every server tries in vain. Its host, or an
operator, has it put away: all its entries are archived as they are, and it is no result.
"""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

import structlog

from contree.server.host.errors import MatchElsewhere, MatchEnded
from contree.server.host.notices import Notices
from contree.server.match import (
    Abandon,
    Created,
    EndReason,
    Match,
    Rejected,
    decide,
    decode_entry,
    evolve,
    fold,
)
from contree.server.store import Archived, Finish, MatchNotFound, MatchStore

_PAGE: Final = 1024
_log = structlog.get_logger(__name__)


class Remains(NamedTuple):
    """What is left of a match."""

    entries: list[bytes]
    match: Match | None
    """After the entries that can be read; None where the first cannot."""


class Salvage:
    """Puts matches away that cannot be read."""

    def __init__(
        self,
        store: MatchStore,
        notices: Notices,
        *,
        server_id: str,
        lease_ms: int,
        retain_s: int | None,
        settled: Callable[[], Awaitable[None]],
    ) -> None:
        """``retain_s`` is how long archives are kept, None for ever. ``settled`` waits until this
        server takes no match over that is not ``under_way`` here.
        """
        self._store = store
        self._notices = notices
        self._server_id = server_id
        self._lease_ms = lease_ms
        self._retain_s = retain_s
        self._settled = settled
        self.under_way: set[str] = set()
        """Matches that are being put away: their leases are taken."""

    async def owner(self, match_id: str) -> str | None:
        """Whose match it is (``MatchSpec.owner``); None where even that cannot be read.

        Raises MatchNotFound.
        """
        first = await self._store.read(match_id, limit=1)
        try:
            entry = decode_entry(first[0])
        except Exception:
            return None
        return entry.spec.owner if isinstance(entry, Created) else None

    async def put_away(self, match_id: str, reason: str, now_ms: int) -> Match | None:
        """End a match and archive what there is of it, as it is.

        Returned is what could be read of it, ended for a fault of the service; None when that is
        nothing. Raises MatchNotFound, MatchElsewhere while another server holds it, MatchEnded.
        """
        self.under_way.add(match_id)
        try:
            return await self._put_away(match_id, reason, now_ms)
        finally:
            self.under_way.discard(match_id)

    async def _put_away(self, match_id: str, reason: str, now_ms: int) -> Match | None:
        # The lease has run out, so this server may be about to take it, too.
        await self._settled()
        fence = (await self._store.take([match_id], self._server_id, self._lease_ms)).get(match_id)
        if fence is None:
            look = (await self._store.look([match_id], limit=1))[0]
            if look.summary is not None:
                raise MatchEnded(match_id)
            if not look.version:
                raise MatchNotFound(match_id)
            raise MatchElsewhere(match_id)
        entries, match = await self._remains(match_id)
        _log.warning("match_put_away", match_id=match_id, entries=len(entries), reason=reason)
        if match is None:
            finish = Finish(match_id, fence, entries, b"", b"")
            (result,) = await self._store.finish([finish], retain_s=self._retain_s)
            if not isinstance(result, Archived):
                raise MatchElsewhere(match_id)
            return None
        abandon = Abandon(EndReason.INFRASTRUCTURE, reason or "its journal cannot be read")
        with contextlib.suppress(Rejected):  # what cannot be read comes after its end
            match = decide(match, abandon, now_ms).after
        self._notices.ended(match, fence, None, disclosed=False)
        await self._notices.finished(match_id)
        return match

    async def _remains(self, match_id: str) -> Remains:
        entries: list[bytes] = []
        while page := await self._store.read(match_id, len(entries), limit=_PAGE):
            entries += page
        match: Match | None = None
        try:
            for data in entries:
                entry = decode_entry(data)
                match = fold([entry]) if match is None else evolve(match, entry)
        except Exception as error:
            # Not the text: it quotes what may be of hidden cards.
            _log.info("journal_ends_here", match_id=match_id, error=type(error).__name__)
        return Remains(entries, match)
