"""Matches made and ended for their hosts: each is made once, whatever is sent again."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Protocol

import structlog

from contree.server.host import lines
from contree.server.host.errors import (
    Draining,
    MatchEnded,
    MatchUnreadable,
    RequestIdReused,
)
from contree.server.host.owners import of_owner
from contree.server.host.queries import Queries
from contree.server.host.salvage import Salvage
from contree.server.host.summary import Summary, summary_of
from contree.server.host.table import Table
from contree.server.host.tables import Tables
from contree.server.match import (
    Abandon,
    Created,
    EndReason,
    JournalError,
    Match,
    MatchSpec,
    Rejected,
    Stage,
    create,
    decode_entry,
    encode_entry,
)
from contree.server.store import MatchNotFound, MatchStore
from contree.server.telemetry import Metrics
from contree.server.wall_clock import wall_ms

_log = structlog.get_logger(__name__)


class Opens(Protocol):
    """Hosts a match that was created under a lease with this fencing number."""

    def __call__(self, match: Match, fence: int, *, journal: list[bytes]) -> Table: ...


class Placing(Protocol):
    """Spreads new matches over the servers."""

    def home_for(self, spec: MatchSpec, making: int) -> str | None:
        """The address of the server where a match is better off; None for this one."""
        ...

    def place(self, peer: str, match_id: str, fence: int) -> None:
        """Tell that server of a match that was created under a lease of its."""
        ...


class Matches:
    """Creates and cancels matches; writes nothing itself of those that another server holds."""

    def __init__(
        self,
        store: MatchStore,
        metrics: Metrics,
        tables: Tables,
        queries: Queries,
        salvage: Salvage,
        *,
        server_id: str,
        lease_ms: int,
        remember_s: int | None,
        opens: Opens,
        placing: Placing,
        cancel_elsewhere: Callable[[str, str], Awaitable[None]],
    ) -> None:
        """``remember_s`` is how long a request id is remembered, None for ever.

        ``placing`` says where new matches are better off than here. ``cancel_elsewhere`` lets
        whoever hosts a match cancel it; it raises MatchEnded, MatchElsewhere.
        """
        self._store = store
        self._metrics = metrics
        self._tables = tables
        self._queries = queries
        self._salvage = salvage
        self._server_id = server_id
        self._lease_ms = lease_ms
        self._remember_s = remember_s
        self._opens = opens
        self._placing = placing
        self._cancel_elsewhere = cancel_elsewhere
        self.closed = False
        """No new ones: the server drains."""
        self._creating: set[str] = set()
        self._making: Counter[str] = Counter()
        """Matches on their way to the store, by owner."""

    async def create(
        self, spec: MatchSpec, admit: Callable[[int], None] = lambda live: None
    ) -> Summary:
        """Create a match, or find the one that the request id made. Raises RequestIdReused.

        Before one is made, ``admit`` is told how many live matches of its owner are here, and what
        it raises goes to the caller.
        """
        if self.closed:
            raise Draining
        if spec.request_id:
            request = of_owner(spec.owner, spec.request_id)
            bound = await self._store.registry.remember(request, spec.match_id, self._remember_s)
            if bound != spec.match_id:
                try:
                    return await self._made_before(bound, spec)
                except MatchNotFound:
                    # The first attempt died between the request id and the journal: go on with
                    # its id.
                    spec = replace(spec, match_id=bound)
        admit(self._tables.owned[spec.owner] + self._making[spec.owner])
        self._creating.add(spec.match_id)
        self._making[spec.owner] += 1
        try:
            return await self._make(spec)
        finally:
            self._creating.discard(spec.match_id)
            self._making[spec.owner] -= 1
            if not self._making[spec.owner]:
                del self._making[spec.owner]

    def creating(self, match_id: str) -> bool:
        """Whether a match is on its way to the store."""
        return match_id in self._creating

    async def cancel(self, match_id: str, reason: str) -> Match | None:
        """End a match without a result; None where nothing of it can be read. Raises MatchNotFound,
        MatchEnded, MatchElsewhere.
        """
        table = self._tables.get(match_id)
        if table is None:
            try:
                ended = (await self._queries.one(match_id)).ended
            except MatchUnreadable:
                return await self._salvage.put_away(match_id, reason, wall_ms())
            if ended:
                raise MatchEnded(match_id)
            await self._cancel_elsewhere(match_id, reason)
            return await self._queries.match(match_id)
        try:
            return await self._tables.ask(table, Abandon(EndReason.CANCELLED, reason))
        except Rejected:  # MatchLost goes on up
            raise MatchEnded(match_id) from None

    async def _make(self, spec: MatchSpec) -> Summary:
        step = create(Created(spec), wall_ms())
        journal = [encode_entry(entry) for entry in step.entries]
        peer = None
        if step.after.stage is not Stage.ENDED:
            peer = self._placing.home_for(spec, len(self._creating) - 1)
        made = await self._store.create(
            spec.match_id,
            labels=spec.labels,
            entries=journal,
            owner=self._server_id if peer is None else peer.rpartition("/")[0],
            lease_ms=self._lease_ms,
        )
        if not made.created:
            return await self._made_before(spec.match_id, spec)
        self._metrics.matches_created.inc()
        _log.info("match_created", **lines.match_created(step.after))
        if peer is not None:
            self._placing.place(peer, spec.match_id, made.fence)
            return summary_of(step.after)
        match = self._opens(step.after, made.fence, journal=journal).match
        return summary_of(match, self._tables.connected(match.id))

    async def _made_before(self, match_id: str, asked: MatchSpec) -> Summary:
        """A match that exists. Raises MatchNotFound, and RequestIdReused when it is another."""
        table = self._tables.get(match_id)
        if table is not None:
            existing = table.match.spec
        else:
            # A match that is over need not be played again to know what was asked for.
            data = (await self._store.read(match_id, limit=1))[0]
            try:
                first = decode_entry(data)
            except JournalError:
                raise MatchUnreadable(match_id) from None
            assert isinstance(first, Created)
            existing = first.spec
        _check_same(existing, asked)
        return await self._queries.one(match_id)


def new_match_id() -> str:
    """A match id: ids made later sort after, whichever server made them (to the millisecond)."""
    return f"m{wall_ms():011x}{secrets.token_hex(5)}"


def _check_same(existing: MatchSpec, asked: MatchSpec) -> None:
    same = (
        existing.rules == asked.rules
        and existing.mode is asked.mode
        and existing.board == asked.board
        and existing.seats == asked.seats
        and existing.labels == asked.labels
        and existing.time == asked.time
        and existing.faults == asked.faults
        and existing.group == asked.group
        and existing.owner == asked.owner
        and existing.disclosure is asked.disclosure
        and existing.watch is asked.watch
        and (existing.drawn if asked.drawn else existing.deals == asked.deals)
    )
    if not same:
        raise RequestIdReused(asked.request_id, existing.match_id)
