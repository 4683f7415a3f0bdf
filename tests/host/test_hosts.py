"""Whole hosts on a real store: leases lost and given up, outages, long journals."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from tests.host.conftest import WAIT_S
from tests.match.matches import random_steps, seated, spec
from tests.server.test_probes import ask

from contree.engine import Mode
from contree.server.host import Host, folding, leases
from contree.server.host.folding import folded
from contree.server.host.service_clock import PATIENCE_S
from contree.server.match import Created, Match, Stage, create, encode_entry
from contree.server.settings import Settings
from contree.server.store import RedisStore, StoreUnavailable, connect, embedded_store
from contree.server.telemetry import Metrics, metrics_server

LEASE_MS = 6000
"""So long that a machine that stalls does not end one. What asks for leases does so each 375 ms."""


class Hosts:
    """Hosts on one store, started when asked for."""

    def __init__(self, url: str, folder: Path, stack: AsyncExitStack) -> None:
        self.url = url
        self._folder = folder
        self._stack = stack

    async def start(self, name: str, lease_ms: int = LEASE_MS) -> Host:
        settings = Settings(
            listen="127.0.0.1:0",
            data_dir=self._folder,
            server_id=name,
            lease_ms=lease_ms,
            drain_s=0.5,
        )
        store = await connect(self.url)
        self._stack.push_async_callback(store.close)
        return await self._stack.enter_async_context(Host(settings, store, Metrics()).running())


@pytest.fixture
async def hosts(tmp_path: Path) -> AsyncIterator[Hosts]:
    async with embedded_store() as store, AsyncExitStack() as stack:
        yield Hosts(store.url, tmp_path, stack)


async def until(condition: Any, within: float = WAIT_S) -> float:
    """Wait until so it is; how long it took."""
    began = time.monotonic()
    async with asyncio.timeout(within):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.005)
    return time.monotonic() - began


async def test_a_lost_lease_is_noticed_without_a_move(hosts: Hosts) -> None:
    """At a table where nothing happens: by the next renewal."""
    host = await hosts.start("ann")
    match = await host.matches.create(spec())
    table = host.tables.get(match.id)
    assert table is not None

    async def nothing(limit: int = 0) -> list[str]:
        return []

    # It does not take the match back between the two steps of the thief.
    cast(RedisStore, host.store).expired = nothing  # type: ignore[method-assign]
    thief = await connect(hosts.url)
    await thief.release({match.id: table.fence})
    assert await thief.take([match.id], "bob", 60_000)
    await until(lambda: host.tables.get(match.id) is None)
    await thief.close()


async def test_a_drain_gives_all_leases_up_in_one_go(hosts: Hosts) -> None:
    """Another server has them at once, though they would have lasted a minute."""
    ann = await hosts.start("ann", lease_ms=60_000)
    made = [await ann.matches.create(_named(f"m{number}")) for number in range(40)]
    calls: list[int] = []
    store = cast(RedisStore, ann.store)
    release = store.release

    async def counted(leases: Any) -> None:
        calls.append(len(leases))
        await release(leases)

    store.release = counted  # type: ignore[method-assign]
    bob = await hosts.start("bob")
    await ann.drain()
    assert calls == [40]
    await until(lambda: all(bob.tables.get(match.id) is not None for match in made))


async def test_matches_that_are_taken_over_count_for_their_owner(hosts: Hosts) -> None:
    ann = await hosts.start("ann")
    for number in range(3):
        await ann.matches.create(_named(f"m{number}", owner="host-key"))
    assert ann.tables.owned == {"host-key": 3}
    await ann.drain()
    bob = await hosts.start("bob")
    await until(lambda: bob.tables.owned["host-key"] == 3)
    told: list[int] = []
    await bob.matches.create(_named("m3", owner="host-key"), told.append)
    assert told == [3]
    for number in range(4):
        await bob.matches.cancel(f"m{number}", "for a test")
    assert not bob.tables.owned


async def test_others_matches_are_not_asked_for_one_by_one(hosts: Hosts) -> None:
    ann = await hosts.start("ann", lease_ms=600_000)
    for number in range(20):
        await ann.matches.create(_named(f"m{number}"))
    bob = await hosts.start("bob", lease_ms=800)
    store = cast(RedisStore, bob.store)
    taken: list[Any] = []
    take, expired = store.take, store.expired
    asked = 0

    async def seen(match_ids: Any, *arguments: Any) -> dict[str, int]:
        taken.append(match_ids)
        return await take(match_ids, *arguments)

    async def counted(limit: int = 0) -> list[str]:
        nonlocal asked
        found = await expired(limit)
        asked += 1
        return found

    store.take = seen  # type: ignore[method-assign, assignment]
    store.expired = counted  # type: ignore[method-assign]
    await until(lambda: asked >= 3 * 16)  # in three lives of a lease
    assert taken == []
    assert len(ann.tables.all()) == 20


async def test_what_is_given_up_is_taken_over_at_once_also_where_the_store_is_slow(
    hosts: Hosts,
) -> None:
    """Whoever holds a lease has time to renew it first; nobody holds these."""
    ann = await hosts.start("ann", lease_ms=120_000)
    match = await ann.matches.create(_named("m1"))
    bob = await hosts.start("bob", lease_ms=120_000)
    store = cast(RedisStore, bob.store)
    expired = store.expired

    async def slowly(limit: int = 0) -> list[str]:
        await asyncio.sleep(2 * PATIENCE_S)
        return await expired(limit)

    store.expired = slowly  # type: ignore[method-assign]
    await ann.drain()
    bob.leases.given([match.id])
    await until(lambda: bob.tables.get(match.id) is not None, within=30)


async def test_not_ready_while_draining_or_while_the_store_is_away(hosts: Hosts) -> None:
    host = await hosts.start("ann")
    store = cast(RedisStore, host.store)
    async with metrics_server(host.metrics.registry, "127.0.0.1:0", lambda: host.ready) as address:

        async def status() -> int:
            return (await ask(address, "GET /readyz HTTP/1.1"))[0]

        assert await status() == 200
        expired = store.expired

        async def away(limit: int = 0) -> list[str]:
            raise StoreUnavailable("here", "connection refused")

        store.expired = away  # type: ignore[method-assign]
        await until(lambda: not host.ready)
        assert await status() == 503
        store.expired = expired  # type: ignore[method-assign]
        await until(lambda: host.ready)
        assert await status() == 200
        await host.drain()
        assert await status() == 503


async def test_not_ready_while_the_store_reads_but_does_not_write(hosts: Hosts) -> None:
    """Out of memory, disk full, read-only: what is read does not say that it is back."""
    host = await hosts.start("ann")
    store = cast(RedisStore, host.store)
    await host.matches.create(_named("m1"))
    renew, probe, expired = store.renew, store.probe, store.expired
    read = 0

    async def full(*arguments: Any) -> Any:
        raise StoreUnavailable("here", "OOM command not allowed")

    async def seen(limit: int = 0) -> list[str]:
        nonlocal read
        found = await expired(limit)
        read += 1
        return found

    store.renew = store.probe = full  # type: ignore[method-assign, assignment]
    store.expired = seen  # type: ignore[method-assign]
    await until(lambda: not host.ready)
    began = read
    while read < began + 5:
        assert not host.ready
        assert host.metrics.registry.get_sample_value("contree_store_up") == 0
        await asyncio.sleep(0)
    store.probe = probe  # type: ignore[method-assign]
    # The probe alone will do, where no lease is to be renewed.
    await until(lambda: host.tables.watch.away_since is None)
    store.renew = renew  # type: ignore[method-assign]
    await until(lambda: host.ready)


async def test_what_is_to_be_told_in_an_outage_is_told_after_it(hosts: Hosts) -> None:
    """Records and feeds: an ended match has both, though the store was away when it ended."""
    host = await hosts.start("ann")
    store = cast(RedisStore, host.store)
    announce, finish = store.feeds.announce, store.finish
    refused = 0

    async def away(*arguments: Any, **named: Any) -> Any:
        nonlocal refused
        refused += 1
        raise StoreUnavailable("here", "connection refused")

    store.feeds.announce = store.finish = away  # type: ignore[method-assign]
    made = _named("m1", labels=("event",))
    match = await host.matches.create(made)
    await host.matches.cancel(match.id, "for a test")
    await until(lambda: refused >= 2)
    assert await store.kept(match.id) is None
    store.feeds.announce, store.finish = announce, finish  # type: ignore[method-assign]
    async with asyncio.timeout(WAIT_S):
        await host.notices.idle()
    assert await store.kept(match.id) is not None
    items = await store.feeds.updates("event", "0")
    assert items
    assert (await host.queries.match(match.id)).end_detail == "for a test"


async def test_matches_set_aside_leave_room_for_others(
    hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They stay expired, first of all, and one question brings only so many."""
    monkeypatch.setattr(leases, "_AT_ONCE", 3)
    seeing = await connect(hosts.url)
    for number in range(4):
        await seeing.create(
            f"a{number}", labels=(), entries=[b"no entry"], owner="dead", lease_ms=1
        )
    ann = await hosts.start("ann")
    await until(lambda: len(ann.leases._aside) == 4)
    while len(await seeing.expired(10)) < 4:  # noqa: ASYNC110
        await asyncio.sleep(0.05)
    step = create(Created(_named("m1")), 0)
    await seeing.create(
        "m1", labels=(), entries=list(map(encode_entry, step.entries)), owner="dead", lease_ms=1
    )
    await until(lambda: ann.tables.get("m1") is not None)
    await seeing.close()


async def test_only_so_many_released_groups_are_remembered(
    hosts: Hosts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("contree.server.host.releases._RELEASED", 3)
    ann = await hosts.start("ann")
    for number in range(10):
        await ann.releases.release(f"g{number}", "key")
        assert await ann.releases.released("key", f"g{number}")
    assert len(ann.releases._released) <= 3
    assert await ann.releases.released("key", "g0")


def _named(match_id: str, **fields: Any) -> Any:
    return replace(spec(), match_id=match_id, **fields)


def long_match(entries: int) -> tuple[Match, list[bytes]]:
    """A race and its journal."""
    made = spec(mode=Mode.RACE)
    rules = replace(made.rules, target=1_000_000, deals_limit=10_000)
    match, journal = seated(replace(made, rules=rules))
    data = [encode_entry(entry) for entry in journal]
    seed = 0
    while len(data) < entries:
        seed += 1
        for step in random_steps(match, seed):
            match = step.after
            data += [encode_entry(entry) for entry in step.entries]
            if match.stage is Stage.ENDED or len(data) >= entries:
                break
        if match.stage is Stage.ENDED:
            break
    return match, data


async def test_a_long_journal_is_folded_in_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Others have their turn while a match of many deals is read, though reading takes no time."""
    monkeypatch.setattr(folding, "_SLICE_S", 0.0)  # however quick the machine
    match, data = long_match(1500)
    reads: list[int] = []

    class Journal:
        async def read(self, match_id: str, after: int = 0, *, limit: int = 0) -> list[bytes]:
            reads.append(after)
            return data[after : after + limit]

    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    watching = asyncio.create_task(others())
    again = await folded(cast(RedisStore, Journal()), match.id)
    watching.cancel()
    assert again == match
    assert reads == list(range(0, len(data) + 1, folding.PAGE))
    assert turns >= 1000
