"""The host: all that a server does, behind the servicers. Composed of parts that do one thing each.

seating    bots and seats            tables     live tables, commands, deadlines, commits
matches    created, cancelled        queries    matches read, wherever they are
releases   cards that may be shown   notices    archives and feeds, after the journal
watching   spectators                feeds      seats that want every event
updates    hosts that watch labels   leases     renewals, adoption
registry   newest sessions           sweeper    what is left of matches that are gone
answers    what bots answer          peers      the other servers
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from typing import Final

import structlog

from contree.server.host import frames
from contree.server.host.answers import Answers
from contree.server.host.errors import Draining
from contree.server.host.follow import EventFeeds
from contree.server.host.gauges import GAUGE_REST, GAUGED_S, gauge
from contree.server.host.leases import Leases
from contree.server.host.matches import Matches
from contree.server.host.notices import Notices
from contree.server.host.partings import Partings
from contree.server.host.peers import Peers
from contree.server.host.queries import Queries
from contree.server.host.reading import Reading
from contree.server.host.registry import Registry
from contree.server.host.releases import Releases
from contree.server.host.salvage import Salvage
from contree.server.host.seating import Seating
from contree.server.host.session import Identity, Session
from contree.server.host.standing import Standings
from contree.server.host.sweeper import Sweeper
from contree.server.host.table import Table
from contree.server.host.tables import Tables
from contree.server.host.updates import Updates
from contree.server.host.watch import Watching
from contree.server.match import Disclosure, Match, Stage
from contree.server.settings import Settings
from contree.server.store import MatchStore
from contree.server.telemetry import Metrics

_BEATS_AT_ONCE = 64
"""Sessions that are given a heartbeat before others have their turn."""
_LEFT_S = 0.02
"""How often a server that drains looks whether all bots have left."""
_WRITTEN_S = 1.0
"""For what is left to be written, at least."""
_WEEK_S = 7 * 86_400
_LOSSES: Final = {"lease": "lease", "telling failed": "telling_failed"}
"""Why a match was lost, as it is counted; any other answer of the store is "refused"."""
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
        beyond_s = None if retain_s is None else retain_s + _WEEK_S
        self.notices = Notices(store, retain_s=retain_s, release_s=beyond_s)
        self.tables = Tables(
            store,
            metrics,
            self.notices,
            return_s=settings.return_s,
            on_ended=self._ended,
            on_lost=self._lost,
        )
        self.salvage = Salvage(
            store,
            self.notices,
            server_id=settings.server_id,
            lease_ms=settings.lease_ms,
            retain_s=retain_s,
            settled=self._settled,
        )
        self.reading = Reading(lambda: self.tables.in_play > 0)
        self.feeds = EventFeeds(store, self.tables, self.reading)
        partings = Partings(store, self.reading, self._loop.time)
        self.seating = Seating(self.tables, self.feeds, partings)
        self.leases = Leases(
            store,
            metrics,
            self.tables,
            server_id=settings.server_id,
            lease_ms=settings.lease_ms,
            in_hand=lambda match_id: (
                self.matches.creating(match_id)
                or self.notices.finishing(match_id)
                or match_id in self.salvage.under_way
            ),
            adopt=self._adopt,
            lost=lambda match_id: self._lost_id(match_id, "lease"),
        )
        self.answers = Answers(self.tables)
        self.draining = False
        self.peers = Peers(
            store,
            self.tables,
            self.seating,
            self.answers,
            reading=self.reading,
            metrics=metrics,
            server_id=settings.server_id,
            lease_ms=settings.lease_ms,
            check=self._check_newest,
            draining=lambda: self.draining,
            opens=self._open,
            adopts=self.leases.given,
        )
        self.registry = Registry(
            store.registry,
            self.sessions,
            self.seating.supersede,
            beat_s=settings.heartbeat_s,
            entered=self.peers.entered,
        )
        self.watching = Watching(store, self.tables, self.reading)
        self.updates = Updates(store.feeds)
        self.releases = Releases(store.registry, beyond_s)
        self.queries = Queries(
            store,
            self.tables,
            self.notices,
            self.reading,
            self.releases,
            connected=self.peers.questions.connected,
        )
        self.matches = Matches(
            store,
            metrics,
            self.tables,
            self.queries,
            self.salvage,
            server_id=settings.server_id,
            lease_ms=settings.lease_ms,
            remember_s=beyond_s,
            opens=self._open,
            placing=self.peers.handing,
            cancel_elsewhere=self.peers.questions.cancel,
        )
        self.standings = Standings(store, self.tables, settings.server_id)
        self.sweeper = Sweeper(store, settings.server_id, feed_s=retain_s)

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
                    self.leases.keep,
                    self.leases.adopt,
                    self.updates.run,
                    self.standings.run,
                    self.sweeper.run,
                    self.registry.run,
                    self.peers.run,
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
        self.draining = self.matches.closed = self.peers.matching.closed = True
        self.leases.adopting = False
        _log.info("draining", matches=self.tables.count, bots=len(self.seating.lobby.sessions()))
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
            async with asyncio.timeout(_WRITTEN_S):
                await self.peers.leave(await self.leases.release_all())
        except Exception as error:  # a lease that is not given up runs out by itself
            _log.warning("leases_not_released", error=repr(error))

    @property
    def ready(self) -> bool:
        """Whether new work is welcome: not while draining, nor while the store is away."""
        return not self.draining and not self.tables.watch.away

    # -- sessions -------------------------------------------------------------------------------

    def new_session(self, identity: Identity) -> Session:
        """A session that has not arrived yet. Raises Draining."""
        if self.draining:
            raise Draining
        return Session(
            identity,
            max_outbox=self.settings.max_outbox,
            now=self._loop.time(),
            counts=self.metrics.bots.of(identity.bot, identity.key_id),
        )

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
        self.metrics.matches_lost[_LOSSES.get(why, "refused")].inc()
        with contextlib.ExitStack() as steps:
            # All of them are taken, whatever goes wrong in one.
            for attached in table.attached:
                if attached is not None:
                    steps.callback(attached.session.lose, attached.ref)
            steps.callback(self.tables.drop, table)
            self.seating.close(table)

    def _lost_id(self, match_id: str, why: str) -> None:
        table = self.tables.get(match_id)
        if table is not None:
            self.tables.lose(table, why)

    async def _check_newest(self, session: Session) -> None:
        await self.registry.check(session)

    async def _settled(self) -> None:
        await self.leases.settled()

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
            seats = self.tables.seats.positions(session)
            seats += self.peers.edge.positions(session)
            session.send_heartbeat(frames.heartbeat(nonce, seats))

    async def _gauge(self) -> None:
        while True:
            began = self._loop.time()
            gauge(self)
            # Of ten thousand streams it takes its time: then it is done less often.
            await asyncio.sleep(max(GAUGED_S, GAUGE_REST * (self._loop.time() - began)))
