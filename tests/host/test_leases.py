"""Leases that are given up, refused, or lost; matches that cannot be read."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from tests.host.conftest import WAIT_S, a_match

from contree.server.host import Host, leases, notices
from contree.server.host.summary import Summary, pack
from contree.server.match import Created, create, encode_entry
from contree.server.settings import Settings
from contree.server.store import StoreRefused


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return replace(settings, lease_ms=1000, drain_s=0.05)


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(WAIT_S):
        while not condition():  # noqa: ASYNC110 what is waited for has no event
            await asyncio.sleep(0.01)


async def orphaned(host: Host, match_id: str, *besides: bytes) -> None:
    """A match whose server is gone; ``besides`` are further entries of its journal."""
    step = create(Created(replace(a_match(), match_id=match_id)), 0)
    entries = [*map(encode_entry, step.entries), *besides]
    await host.store.create(match_id, labels=(), entries=entries, owner="gone", lease_ms=1)


async def test_leases_that_were_given_up_are_not_renewed(host: Host) -> None:
    """A watch keeps a server that stops for a moment after it has given all up."""
    made = await host.matches.create(a_match())
    await host.drain()
    await host.leases.renew()
    assert await host.store.expired() == [made.id]
    assert not host.metrics.matches_lost["lease"]._value.get()


async def test_what_is_being_taken_when_leases_are_given_up_is_given_up_too(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    take, asked, go_on = host.store.take, asyncio.Event(), asyncio.Event()

    async def late(*arguments: Any) -> dict[str, int]:
        asked.set()
        await go_on.wait()
        return await take(*arguments)

    monkeypatch.setattr(host.store, "take", late)
    await orphaned(host, "m1")
    await asked.wait()
    host.leases.adopting = False
    giving_up = asyncio.create_task(host.leases.release_all())
    go_on.set()
    async with asyncio.timeout(WAIT_S):
        assert await giving_up == ["m1"]
    assert await host.store.expired() == ["m1"]
    assert host.tables.get("m1") is None


async def test_a_renewal_of_an_older_lease_that_is_lost_leaves_a_newer_one(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def lost(server_id: str, held: dict[str, int], lease_ms: int) -> list[str]:
        host.leases._taking["m1"] = held["m1"] + 1  # taken again meanwhile
        return ["m1"]

    host.leases.adopting = False
    host.leases._taking["m1"] = 7
    monkeypatch.setattr(host.store, "renew", lost)
    await host.leases.renew()
    assert host.leases._taking == {"m1": 8}


async def test_a_journal_that_the_store_refuses_keeps_no_other_match_waiting(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = host.store.read

    async def refused(match_id: str, *arguments: Any, **fields: Any) -> list[bytes]:
        if match_id == "m1":
            raise StoreRefused("here", "WRONGTYPE")
        return await read(match_id, *arguments, **fields)

    monkeypatch.setattr(host.store, "read", refused)
    host.leases.adopting = False
    await orphaned(host, "m1")
    await orphaned(host, "m2")
    host.leases.adopting = True
    await until(lambda: host.tables.get("m2") is not None)
    assert host.leases.set_aside == 1


async def test_what_was_set_aside_and_then_put_away_is_forgotten(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The alert of matches that cannot be read goes out again."""
    monkeypatch.setattr(leases, "_REINDEX_S", 0.1)
    await orphaned(host, "m1", b"no entry")
    await until(lambda: host.leases.set_aside)
    await host.matches.cancel("m1", "for a test")
    await until(lambda: not host.leases.set_aside)


async def test_a_match_without_a_summary_is_archived_beside_the_others(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    def packed(summary: Summary) -> bytes:
        if summary.message.id == "m1":
            raise ValueError("no summary")
        return pack(summary)

    monkeypatch.setattr(notices, "pack", packed)
    for match_id in ("m1", "m2"):
        await host.matches.create(replace(a_match(), match_id=match_id))
    await asyncio.gather(*(host.matches.cancel(one, "for a test") for one in ("m1", "m2")))
    async with asyncio.timeout(WAIT_S):
        await host.notices.idle()
    assert await host.store.kept("m1") is not None
    assert await host.store.kept("m2") is not None
