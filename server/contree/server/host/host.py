"""The host: all that a server does, behind the servicers. Composed of parts that do one thing each.

seating    bots and seats            tables     live tables, commands, deadlines, commits
ownership  leases, adoption          notices    archives and feeds, after the journal
watching   spectators                feeds      seats that want every event
updates    hosts that watch labels   queries    matches read, wherever they are
sweeper    what is left of matches that are gone
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace

import structlog

from contree.server.host import frames
from contree.server.host.errors import (
    Draining,
    MatchElsewhere,
    MatchEnded,
    MatchNotEnded,
    MatchUnreadable,
    NotDisclosed,
    RequestIdReused,
)
from contree.server.host.follow import EventFeeds
from contree.server.host.notices import Notices
from contree.server.host.owners import EVERY_OWNER, of_owner
from contree.server.host.ownership import Ownership
from contree.server.host.partings import Partings
from contree.server.host.queries import Queries
from contree.server.host.reading import Reading
from contree.server.host.registry import Registry
from contree.server.host.seating import Seating
from contree.server.host.session import Identity, Session
from contree.server.host.summary import Seen, seen
from contree.server.host.sweeper import Sweeper
from contree.server.host.table import Table
from contree.server.host.tables import Tables, wall_ms
from contree.server.host.updates import Updates
from contree.server.host.watch import Watching
from contree.server.match import (
    Abandon,
    Created,
    Disclosure,
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
from contree.server.settings import Settings
from contree.server.store import MatchNotFound, MatchStore
from contree.server.telemetry import Metrics

_BEATS_AT_ONCE = 64
"""Sessions that are given a heartbeat before others have their turn."""
_LEFT_S = 0.02
"""How often a server that drains looks whether all bots have left."""
_WRITTEN_S = 1.0
"""For what is left to be written, at least."""
_RELEASED = 10_000
"""Disclosure groups that are remembered as released; any other is asked for again."""
_WEEK_S = 7 * 86_400
_log = structlog.get_logger(__name__)


class Host:
    """One server's part of the service. Its tasks live as long as ``running``."""

    def __init__(self, settings: Settings, store: MatchStore, metrics: Metrics) -> None:
        self.settings = settings
        self.store = store
        self.metrics = metrics
        self._loop = asyncio.get_running_loop()
        retain_s = settings.retain_s or None
        # Request ids and releases of groups: from the start of a match, or from an earlier end on.
        self._beyond_s = None if retain_s is None else retain_s + _WEEK_S
        self.notices = Notices(store, retain_s=retain_s, release_s=self._beyond_s)
        self.tables = Tables(
            store,
            metrics,
            self.notices,
            return_s=settings.return_s,
            on_ended=self._ended,
            on_lost=self._lost,
        )
        self.feeds = EventFeeds(store, self.tables)
        self.seating = Seating(self.tables, self.feeds, Partings(store, self._loop.time))
        self.registry = Registry(
            store.registry, self.sessions, self.seating.supersede, beat_s=settings.heartbeat_s
        )
        self.ownership = Ownership(
            store,
            self.tables,
            server_id=settings.server_id,
            lease_ms=settings.lease_ms,
            in_hand=lambda match_id: match_id in self._creating or self.notices.finishing(match_id),
            adopt=self._adopt,
            lost=lambda match_id: self._lost_id(match_id, "lease"),
        )
        self.reading = Reading(lambda: self.tables.in_play > 0)
        self.watching = Watching(store, self.tables, self.reading)
        self.updates = Updates(store.feeds)
        self.queries = Queries(store, self.tables, self.notices, self.reading, self.connected)
        self.sweeper = Sweeper(store, settings.server_id, feed_s=retain_s)
        self.draining = False
        self._released: dict[str, None] = {}
        """Disclosure groups known to be released, the oldest first."""
        self._creating: set[str] = set()
        self._making: Counter[str] = Counter()
        """Matches on their way to the store, by owner."""

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[Host]:
        """Run the host's tasks for the time of an ``async with``; drains nothing by itself."""
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(work())
                for work in (
                    self.tables.committer.run,
                    self.tables.deadlines.pulse,
                    self.tables.deadlines.prove,
                    self.notices.run,
                    self.ownership.keep,
                    self.ownership.adopt,
                    self.updates.run,
                    self.sweeper.run,
                    self.registry.run,
                    self._beat,
                    self._gauge,
                )
            ]
            try:
                yield self
            finally:
                for task in tasks:
                    task.cancel()

    async def drain(self) -> None:
        """Stop: no new matches, seats and turns; bots are sent away, in the end leases given up.

        Answers to what was asked are still taken, until all bots have left or ``drain_s`` is over.
        What is being played goes on at another server, or here after a restart.
        """
        self.draining = True
        self.ownership.adopting = False
        self.tables.deadlines.wind_up()
        for session in self.seating.lobby.sessions():
            session.leaving = True
            session.send(frames.go_away(int(self.settings.drain_s * 1000)))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.settings.drain_s):
                while self.seating.lobby.sessions():  # noqa: ASYNC110 it happens once
                    await asyncio.sleep(_LEFT_S)
        for session in self.seating.lobby.sessions():
            session.outbox.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(_WRITTEN_S, self.settings.drain_s)):
                await self.tables.committer.settled()
                await self.notices.idle()
        try:
            await asyncio.wait_for(self.ownership.release_all(), _WRITTEN_S)
        except Exception as error:  # a lease that is not given up runs out by itself
            _log.warning("leases_not_released", error=repr(error))

    @property
    def ready(self) -> bool:
        """Whether new work is welcome: not while draining, nor while the store is away."""
        return not self.draining and not self.tables.watch.away

    # -- matches --------------------------------------------------------------------------------

    async def create_match(
        self, spec: MatchSpec, admit: Callable[[int], None] = lambda live: None
    ) -> Seen:
        """Create a match, or find the one that the request id made. Raises RequestIdReused.

        Before one is made, ``admit`` is told how many live matches of its owner are here, and what
        it raises goes to the caller.
        """
        if self.draining:
            raise Draining
        if spec.request_id:
            request = of_owner(spec.owner, spec.request_id)
            bound = await self.store.registry.remember(request, spec.match_id, self._beyond_s)
            if bound != spec.match_id:
                try:
                    return await self._made_before(bound, spec)
                except MatchNotFound:
                    # The first attempt died between the request id and the journal: go on with
                    # its id.
                    spec = _with_id(spec, bound)
        admit(self.tables.owned[spec.owner] + self._making[spec.owner])
        self._creating.add(spec.match_id)
        self._making[spec.owner] += 1
        try:
            return await self._make(spec)
        finally:
            self._creating.discard(spec.match_id)
            self._making[spec.owner] -= 1
            if not self._making[spec.owner]:
                del self._making[spec.owner]

    async def _make(self, spec: MatchSpec) -> Seen:
        step = create(Created(spec), wall_ms())
        journal = [encode_entry(entry) for entry in step.entries]
        made = await self.store.create(
            spec.match_id,
            labels=spec.labels,
            entries=journal,
            owner=self.settings.server_id,
            lease_ms=self.settings.lease_ms,
        )
        if not made.created:
            return await self._made_before(spec.match_id, spec)
        self.metrics.matches_created.inc()
        match = self._open(step.after, made.fence, journal=journal).match
        return seen(match, self.connected(match.id))

    async def _made_before(self, match_id: str, asked: MatchSpec) -> Seen:
        """A match that exists. Raises MatchNotFound, and RequestIdReused when it is another."""
        table = self.tables.get(match_id)
        if table is not None:
            existing = table.match.spec
        else:
            # A match that is over need not be played again to know what was asked for.
            data = (await self.store.read(match_id, limit=1))[0]
            try:
                first = decode_entry(data)
            except JournalError:
                raise MatchUnreadable(match_id) from None
            assert isinstance(first, Created)
            existing = first.spec
        _check_same(existing, asked)
        return await self.queries.one(match_id)

    async def match(self, match_id: str) -> Match:
        """A match as committed. Raises MatchNotFound. Where the resource will do, see queries."""
        return await self.queries.match(match_id)

    def connected(self, match_id: str) -> tuple[bool, bool, bool, bool]:
        """Which seats' bots are here."""
        table = self.tables.get(match_id)
        if table is None:
            return False, False, False, False
        north, east, south, west = (attached is not None for attached in table.attached)
        return north, east, south, west

    async def matches(
        self,
        label: str,
        after: str,
        limit: int,
        admit: Callable[[int], None] = lambda count: None,
    ) -> tuple[list[str], list[Seen]]:
        """The next ids of a label after an id, in the order created, and those that are matches.

        Before they are read, ``admit`` is told how many there are, and what it raises goes to the
        caller.
        """
        ids = await self.store.matches(label, after=after, limit=limit)
        admit(len(ids))
        return ids, [one for one in await self.queries.many(ids) if one is not None]

    async def cancel(self, match_id: str, reason: str) -> Match:
        """End a match without a result. Raises MatchNotFound, MatchEnded, MatchElsewhere."""
        table = self.tables.get(match_id)
        if table is None:
            if (await self.queries.one(match_id)).ended:
                raise MatchEnded(match_id)
            raise MatchElsewhere(match_id)
        try:
            return await self.tables.ask(table, Abandon(EndReason.CANCELLED, reason))
        except Rejected:  # MatchLost goes on up
            raise MatchEnded(match_id) from None

    async def disclosed(self, match: Seen) -> bool:
        """Whether the hidden cards of a match may be shown."""
        if not match.ended:
            return False
        return not match.held_back or await self.released(match.owner, match.group)

    async def released(self, owner: str, name: str) -> bool:
        """Whether a disclosure group of this owner's is released."""
        if not name:
            return False
        group = of_owner(owner, name)
        if group not in self._released:
            everybodys = of_owner(EVERY_OWNER, name)
            known = self.store.registry
            if not (await known.disclosed(group) or await known.disclosed(everybodys)):
                return False
            self._released[group] = None
            if len(self._released) > _RELEASED:
                del self._released[next(iter(self._released))]
        return True

    async def release_group(self, group: str, owner: str | None) -> None:
        """Let the cards of the ended matches of a disclosure group be shown: of one owner's, for
        two hosts may use the same name; of every owner's when None.
        """
        name = of_owner(EVERY_OWNER if owner is None else owner, group)
        await self.store.registry.disclose(name, self._beyond_s)

    async def record(self, match_id: str) -> str:
        """The record of an ended match. Raises MatchNotFound, MatchNotEnded, NotDisclosed,
        TooManyReads.
        """
        match = await self.queries.one(match_id)
        if not match.ended:
            raise MatchNotEnded(match_id)
        if not await self.disclosed(match):
            raise NotDisclosed(match_id)
        with self.reading.read():
            # It is being written already: a second time would only take others' time.
            await self.notices.finished(match_id)
            kept = await self.store.kept(match_id)
            if kept is not None and kept.record:
                return kept.record.decode()
            return await self.notices.record(await self.match(match_id))

    # -- sessions -------------------------------------------------------------------------------

    def new_session(self, identity: Identity) -> Session:
        """A session that has not arrived yet. Raises Draining."""
        if self.draining:
            raise Draining
        return Session(identity, max_outbox=self.settings.max_outbox, now=self._loop.time())

    def sessions(self) -> Sequence[Session]:
        """All connected bots."""
        return self.seating.lobby.sessions()

    def now(self) -> float:
        """The clock of sessions, in seconds."""
        return self._loop.time()

    # -- tables coming and going ----------------------------------------------------------------

    def _open(
        self,
        match: Match,
        fence: int,
        *,
        journal: list[bytes] | None = None,
        adopted: bool = False,
    ) -> Table:
        table = self.tables.add(match, fence, adopted=adopted)
        table.journal = journal
        if match.stage is Stage.ENDED:
            # Four players of the house have played it to its end already.
            self.tables.end(table)
            return table
        self.notices.changed(table)
        self.seating.open(table)
        self.tables.go_on(table)
        return table

    def _adopt(self, match: Match, fence: int) -> None:
        if match.stage is Stage.ENDED:
            # Its server died between the last entry and the archive.
            self._conclude(match, fence, None)
            self.seating.part(match)
            return
        self._open(match, fence, adopted=True)

    def _ended(self, table: Table) -> None:
        self.seating.close(table)
        self._conclude(table.match, table.fence, table.journal)
        self.seating.fill()

    def _conclude(self, match: Match, fence: int, journal: list[bytes] | None) -> None:
        at_once = match.spec.disclosure is Disclosure.AT_MATCH_END
        self.notices.ended(match, fence, journal, disclosed=at_once)

    def _lost(self, table: Table, why: str) -> None:
        _log.warning("match_lost", match_id=table.match.id, why=why)
        for attached in table.attached:
            if attached is not None:
                # The end of a stream is never the end of a match: the bot dials again and is given
                # its seats by whoever holds them then.
                attached.session.outbox.close()
        self.seating.close(table)
        self.tables.drop(table)

    def _lost_id(self, match_id: str, why: str) -> None:
        table = self.tables.get(match_id)
        if table is not None:
            self._lost(table, why)

    # -- heartbeats and gauges ------------------------------------------------------------------

    async def _beat(self) -> None:
        while True:
            await asyncio.sleep(self.settings.heartbeat_s)
            for number, session in enumerate(self.seating.lobby.sessions()):
                self._beat_one(session)
                if number % _BEATS_AT_ONCE == 0:
                    await asyncio.sleep(0)

    def _beat_one(self, session: Session) -> None:
        if session.outbox.closed:
            return
        nonce = session.beat(self._loop.time())
        if nonce is None:
            _log.info("bot_stalled", bot=session.identity.bot)
            session.cut()
        else:
            session.send_heartbeat(frames.heartbeat(nonce, session.positions()))

    async def _gauge(self) -> None:
        while True:
            self.metrics.bots_connected.set(len(self.seating.lobby.sessions()))
            self.metrics.oldest_unmoved_table_seconds.set(self.tables.oldest_unmoved())
            self.metrics.tasks.set(len(asyncio.all_tasks()))
            await asyncio.sleep(1)


def new_match_id() -> str:
    """A match id: ids made later sort after, whichever server made them (to the millisecond)."""
    return f"m{time.time_ns() // 1_000_000:011x}{secrets.token_hex(5)}"


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
        and (asked.drawn or existing.deals == asked.deals)
    )
    if not same:
        raise RequestIdReused(asked.request_id, existing.match_id)


def _with_id(spec: MatchSpec, match_id: str) -> MatchSpec:
    return replace(spec, match_id=match_id)
