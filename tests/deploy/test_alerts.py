"""Every alert fires when its fault is there: each is caused, at real servers and a real event.

Prometheus runs the committed configuration and rules, on a faster clock (`hurried`). Needs
`prometheus` (Debian package) on the PATH: `make test-deploy`.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable, Iterator, Mapping, Set
from contextlib import suppress
from typing import Any, Final

import grpc
import pytest
import redis.asyncio as aioredis
from tests.cli.running import start
from tests.deploy.prometheus import eventually
from tests.deploy.rules import ALERTS
from tests.deploy.site import WAIT_S, Site, board_with, hosting, long_race, sitting
from tests.rpc.conftest import RawBot
from tests.workers.crew import Crew

from contree.server.access import Role
from contree.server.access.keys import KeyLimits
from contree.server.store import connect, keys
from contree.v1 import match_pb2, match_service_pb2

pytestmark = [pytest.mark.deploy, pytest.mark.timeout(600)]

EVENT_CLOCK: Final = '[time]\nper_move = "{0}"\nready = "60s"\nseat_timeout = "600s"\n'
NOT_BY_REST: Final = 7.0
"""Seconds: longer than an alert of servers at rest waits, on the faster clock."""

NO_TIME: Final = (
    "ContreeServerDown",
    "ContreeServerNotReady",
    "ContreeEventLoopLate",
    "ContreeStoreAway",
    "ContreeStoreUnsteady",
    "ContreeCommitsSlow",
)
"""Alerts that may be true of servers at rest: their machine is too slow for what they wait for."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    (folder / "prometheus").mkdir()
    one = Site(folder)
    with one.running(folder / "prometheus"):
        yield one


# -- servers -----------------------------------------------------------------------------------


async def server_down(site: Site) -> None:
    await site.other.kill()
    await site.fires("ContreeServerDown")
    await site.other.start()


async def server_not_ready(site: Site) -> None:
    async with sitting(site.other):  # which does not leave when it is asked to
        os.kill(site.other.pid, signal.SIGTERM)
        await site.fires("ContreeServerNotReady")
    await site.restarted(site.other)


async def workers_missing(site: Site) -> None:
    """One dies whenever it has come to serve."""
    dying = asyncio.create_task(_kill_again_and_again(site.crew, 2))
    try:
        await site.fires("ContreeWorkersMissing")
    finally:
        dying.cancel()
    await site.quiet("ContreeWorkersMissing")


async def event_loop_late(site: Site) -> None:
    stopping = asyncio.create_task(
        _stop_and_go(lambda number: os.kill(site.other.pid, number), 0.45, 0.15)
    )
    try:
        await site.fires("ContreeEventLoopLate")
    finally:
        stopping.cancel()
        os.kill(site.other.pid, signal.SIGCONT)


async def peer_gaps(site: Site) -> None:
    """Inboxes are taken away while the bots of a match are at the other server."""
    async with hosting(site.one) as matches:
        made = await matches.CreateMatch(long_race(per_move=0.5))
        async with sitting(site.other, seats=2):
            losing = asyncio.create_task(_lose_what_servers_say(site))
            try:
                await site.fires("ContreePeerGaps")
            finally:
                losing.cancel()
        await _cancelled(matches, made.match.id)
    await site.quiet("ContreePeerGaps")


async def service_failed(site: Site) -> None:
    async with hosting(site.one) as matches:
        store = aioredis.Redis.from_url(site.store.url)
        await store.set(keys.journal("m-odd"), "not a stream")
        with pytest.raises(grpc.RpcError) as refused:
            await matches.GetMatch(match_service_pb2.GetMatchRequest(match_id="m-odd"))
        assert refused.value.code() is grpc.StatusCode.INTERNAL
        await store.delete(keys.journal("m-odd"))
        await store.aclose()
    await site.fires("ContreeServiceFailed")


async def tokens_refused(site: Site) -> None:
    await _asked_often(site, 30, (("authorization", "Bearer contree_nobody_knows"),))
    await site.fires("ContreeTokensRefused")


async def callers_limited(site: Site) -> None:
    async with site.keys() as ring:
        key = await ring.make(Role.HOST, limits=KeyLimits(queries=1))
    await _asked_often(site, 40, key.metadata)
    await site.fires("ContreeCallersLimited")


# -- matches -----------------------------------------------------------------------------------


async def table_stuck(site: Site) -> None:
    """Its bots are at the other server, and neither hears what the other says."""
    async with hosting(site.one) as matches:
        made = await matches.CreateMatch(board_with(per_move=10))
        async with sitting(site.other, seats=2):
            # What was said until then is heard; what is said when the time is over is not.
            await _playing(matches, made.match.id)
            losing = asyncio.create_task(_lose_what_servers_say(site))
            try:
                await site.fires("ContreeTableStuck")
            finally:
                losing.cancel()
        await _cancelled(matches, made.match.id)


async def seats_waiting(site: Site) -> None:
    async with hosting(site.one) as matches:
        made = await matches.CreateMatch(board_with(seat_timeout=600))
        await site.fires("ContreeSeatsWaiting")
        await _cancelled(matches, made.match.id)


async def matches_adopted(site: Site) -> None:
    async with hosting(site.other) as matches:
        made = await matches.CreateMatch(board_with(seat_timeout=600))
    await site.other.kill()
    await site.fires("ContreeMatchesAdopted")
    await site.other.start()
    async with hosting(site.one) as matches:
        await _cancelled(matches, made.match.id)


async def matches_unreadable(site: Site) -> None:
    store = await connect(site.store.url)
    await store.create("m-damaged", labels=["event"], entries=[b"\xff"], owner="x", lease_ms=1)
    await store.close()
    await site.fires("ContreeMatchesUnreadable")


async def matches_not_started(site: Site) -> None:
    async with hosting(site.one) as matches:
        for _ in range(5):
            await matches.CreateMatch(board_with(seat_timeout=0.1))
        await site.fires("ContreeMatchesNotStarted")


# -- bots --------------------------------------------------------------------------------------


async def bot_faults(site: Site) -> None:
    async with site.keys() as ring, hosting(site.one) as matches:
        key = await ring.make(Role.BOT)
        made = await matches.CreateMatch(long_race(per_move=0.1))
        async with sitting(site.one, key.metadata, seats=2):
            await site.fires("ContreeBotFaults")
        await _cancelled(matches, made.match.id)


async def streams_cut(site: Site) -> None:
    async with grpc.aio.insecure_channel(site.one.address) as channel:
        bots = [RawBot(channel) for _ in range(5)]
        for bot in bots:
            await bot.hello()
        await site.fires("ContreeStreamsCut")  # for none of them says anything more
        for bot in bots:
            await bot.close()


# -- store -------------------------------------------------------------------------------------


async def store_away(site: Site) -> None:
    site.store.kill()
    await site.fires("ContreeStoreAway")
    site.store.start()
    await _up(site, 1)


async def store_unsteady(site: Site) -> None:
    for _ in range(3):
        site.store.kill()
        await _up(site, 0)
        site.store.start()
        await _up(site, 1)
    await site.fires("ContreeStoreUnsteady")


async def commits_slow(site: Site) -> None:
    practice = ["bot", "run", "contree.bots:Random", "--practice", "--deals", "10000"]
    playing = start(*practice, "--server", site.one.address)
    stopping = asyncio.create_task(_stop_and_go(site.store.signal, 0.2, 0.01))
    try:
        await site.fires("ContreeCommitsSlow")
    finally:
        stopping.cancel()
        site.store.signal(signal.SIGCONT)
        playing.kill()
        playing.communicate()


# -- events ------------------------------------------------------------------------------------


async def event_stalled(site: Site) -> None:
    """Nobody comes to it."""
    head = f"boards = 20\ntables = 8\n{EVENT_CLOCK.format('5s')}"
    with site.events["waits"] as event:
        event.start(site.one.address, head, ("ann", "ben"), dial_in=True)
        await site.fires("ContreeEventStalled")


async def event_stopped(site: Site) -> None:
    """Its bots do not come in time, so it cannot go on."""
    head = "boards = 20\ntables = 8\n[time]\nseat_timeout = '2s'\n"
    with site.events["ends"] as event:
        event.start(site.one.address, head, ("ann", "ben"), dial_in=True)
        await site.fires("ContreeEventStopped")


async def event_replays(site: Site) -> None:
    """Matches of four tables are cancelled; it plays them again, each as another match."""
    head = f"boards = 200\ntables = 8\n{EVENT_CLOCK.format('60s')}"
    with site.events["replays"] as event:
        event.start(site.one.address, head, ("random", "slow"))
        known = 'contree_event_attempts_total{event=~"replays-.*", outcome="replayed"}'
        label = (await _eventually(site, known))[0]["metric"]["event"]
        async with hosting(site.one) as matches, asyncio.timeout(WAIT_S):
            tables: set[tuple[int, ...]] = set()
            while len(tables) < 4:
                tables |= await _tables_cancelled(matches, label, tables)
        await site.fires("ContreeEventReplays")


async def event_bot_faults(site: Site) -> None:
    head = f"boards = 200\ntables = 4\n{EVENT_CLOCK.format('300ms')}"
    with site.events["faults"] as event:
        event.start(site.one.address, head, ("random", "slow"))
        await site.fires("ContreeEventBotFaults")


async def event_bot_restarts(site: Site) -> None:
    head = f"boards = 200\ntables = 4\n{EVENT_CLOCK.format('300ms')}"
    with site.events["restarts"] as event:
        event.start(site.one.address, head, ("random", "crashes"))
        await site.fires("ContreeEventBotRestarts")


CAUSES: Final[Mapping[str, Callable[[Site], Awaitable[None]]]] = {
    "ContreeServerDown": server_down,
    "ContreeServerNotReady": server_not_ready,
    "ContreeWorkersMissing": workers_missing,
    "ContreeEventLoopLate": event_loop_late,
    "ContreePeerGaps": peer_gaps,
    "ContreeServiceFailed": service_failed,
    "ContreeTokensRefused": tokens_refused,
    "ContreeCallersLimited": callers_limited,
    "ContreeTableStuck": table_stuck,
    "ContreeSeatsWaiting": seats_waiting,
    "ContreeMatchesAdopted": matches_adopted,
    "ContreeMatchesUnreadable": matches_unreadable,
    "ContreeMatchesNotStarted": matches_not_started,
    "ContreeBotFaults": bot_faults,
    "ContreeStreamsCut": streams_cut,
    "ContreeStoreAway": store_away,
    "ContreeStoreUnsteady": store_unsteady,
    "ContreeCommitsSlow": commits_slow,
    "ContreeEventStalled": event_stalled,
    "ContreeEventStopped": event_stopped,
    "ContreeEventReplays": event_replays,
    "ContreeEventBotFaults": event_bot_faults,
    "ContreeEventBotRestarts": event_bot_restarts,
}


def test_every_alert_is_caused() -> None:
    assert set(CAUSES) == {alert.name for alert in ALERTS}


async def test_where_nothing_is_wrong_nothing_fires(site: Site) -> None:
    """But for what tells of a machine that has no time for the servers, where it has none."""
    await _up(site, 1)
    await site.rests(NOT_BY_REST, dict.fromkeys(NO_TIME, 60.0))


@pytest.mark.parametrize("alert", CAUSES)
async def test_it_fires(site: Site, alert: str) -> None:
    """For its own cause, not for what an alert before it needed."""
    await site.quiet(alert)
    await CAUSES[alert](site)


# -- what the causes share ---------------------------------------------------------------------


async def _stop_and_go(send: Callable[[signal.Signals], None], stop: float, go: float) -> None:
    """Stop a process for so long, let it go on for so long, and again and again."""
    while True:
        send(signal.SIGSTOP)
        await asyncio.sleep(stop)
        send(signal.SIGCONT)
        await asyncio.sleep(go)


async def _kill_again_and_again(crew: Crew, worker: int) -> None:
    """Kill -9 of a worker of a supervisor, and of each that takes its place."""
    killed: set[int] = set()
    while True:
        pid = crew.pids.get(worker)
        if pid is not None and pid not in killed:
            killed.add(pid)
            os.kill(pid, signal.SIGKILL)
        await asyncio.sleep(0.01)


async def _lose_what_servers_say(site: Site) -> None:
    """Take the inboxes of all servers away, again and again."""
    async with aioredis.Redis.from_url(site.store.url) as store:
        while True:
            inboxes = [key async for key in store.scan_iter(match="inbox:*")]
            if inboxes:
                await store.delete(*inboxes)
            await asyncio.sleep(0.01)


async def _asked_often(site: Site, times: int, metadata: tuple[tuple[str, str], ...]) -> None:
    get = match_service_pb2.GetMatchRequest(match_id="m-none")
    async with hosting(site.one) as matches:
        calls = [matches.GetMatch(get, metadata=metadata) for _ in range(times)]
        await asyncio.gather(*calls, return_exceptions=True)


async def _cancelled(matches: Any, match_id: str) -> None:
    cancel = match_service_pb2.CancelMatchRequest(match_id=match_id, reason="a test")
    with suppress(grpc.RpcError):  # it is over, or another server's
        await matches.CancelMatch(cancel)


async def _playing(matches: Any, match_id: str) -> None:
    get = match_service_pb2.GetMatchRequest(match_id=match_id)
    async with asyncio.timeout(WAIT_S):
        while True:
            if (await matches.GetMatch(get)).match.state == match_pb2.MATCH_STATE_PLAYING:
                return
            await asyncio.sleep(0.02)


async def _tables_cancelled(
    matches: Any, label: str, but: Set[tuple[int, ...]]
) -> set[tuple[int, ...]]:
    """Cancel what is in play of an event, but for tables of which a match was cancelled before: a
    table is played again only so often. Those of which one was.
    """
    listing = match_service_pb2.ListMatchesRequest(label=label, page_size=1000)
    done: set[tuple[int, ...]] = set()
    for match in (await matches.ListMatches(listing)).matches:
        table = (match.board.number, *(seat.seat for seat in match.seats if seat.bot == "slow"))
        if match.state == match_pb2.MATCH_STATE_ENDED or table in but | done:
            continue
        with suppress(grpc.RpcError):  # it has ended meanwhile
            cancel = match_service_pb2.CancelMatchRequest(match_id=match.id, reason="a test")
            await matches.CancelMatch(cancel)
            done.add(table)
    return done


async def _up(site: Site, wanted: int) -> None:
    await _eventually(site, f"count(contree_store_up == {wanted}) == 2")


async def _eventually(site: Site, query: str) -> Any:
    """The first answer that a query has."""
    return await asyncio.to_thread(eventually, lambda: site.prometheus.ask(query), WAIT_S, query)
