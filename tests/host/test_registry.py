"""The newest session of an instance, over several servers and a store that may be away."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest
from tests.host.conftest import WAIT_S

from contree.server.host.registry import Registry
from contree.server.host.session import Identity, Session
from contree.server.store import RegistryStore, StoreUnavailable

BEAT_S = 0.02


class Registrations:
    """What of a store the registries use."""

    def __init__(self) -> None:
        self.newest: dict[str, str] = {}
        self.away = False
        self.round_trips = 0

    async def enter_sessions(self, nonces: Mapping[str, str], ttl_s: int) -> None:
        self._answer()
        self.newest.update(nonces)

    async def keep_sessions(self, nonces: Mapping[str, str], ttl_s: int) -> list[str]:
        self._answer()
        for name, nonce in nonces.items():
            self.newest.setdefault(name, nonce)
        return [name for name, nonce in nonces.items() if self.newest[name] != nonce]

    def _answer(self) -> None:
        self.round_trips += 1
        if self.away:
            raise StoreUnavailable("redis://nowhere", "away")


class Server:
    """Sessions and their registry."""

    def __init__(self, store: Registrations) -> None:
        self.sessions: list[Session] = []
        self.superseded: list[Session] = []
        self.registry = Registry(
            cast("RegistryStore", store), lambda: self.sessions, self._supersede, beat_s=BEAT_S
        )

    def hello(self, instance: str = "one") -> Session:
        session = Session(Identity("bot", "1", instance, 1), max_outbox=16, now=0.0)
        self.sessions.append(session)
        self.registry.enter(session)
        return session

    def _supersede(self, session: Session) -> None:
        session.outbox.close()
        self.sessions.remove(session)
        self.superseded.append(session)


@asynccontextmanager
async def running(*servers: Server) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(server.registry.run()) for server in servers]
    yield
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


async def until(condition: Any) -> None:
    async with asyncio.timeout(WAIT_S):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.005)


async def beats(store: Registrations, count: int = 3) -> None:
    """Wait until the registries have asked so often."""
    seen = store.round_trips
    await until(lambda: store.round_trips >= seen + count)


async def test_a_session_is_superseded_by_one_at_another_server() -> None:
    store = Registrations()
    here, there = Server(store), Server(store)
    async with running(here, there):
        old, other = here.hello(), here.hello("other")
        await beats(store)
        new = there.hello()
        await until(lambda: here.superseded)
        await beats(store, 6)
    assert here.superseded == [old]
    assert here.sessions == [other]
    assert there.sessions == [new]


async def test_back_and_forth_the_newest_stays() -> None:
    store = Registrations()
    here, there = Server(store), Server(store)
    async with running(here, there):
        for first, second in ((here, there), (there, here), (here, there)):
            first.hello()
            await beats(store, 4)
            second.hello()
            await until(lambda first=first: not first.sessions)
            await beats(store, 4)
            assert len(second.sessions) == 1
            second.sessions.clear()


async def test_all_sessions_of_a_server_are_asked_for_at_once() -> None:
    store = Registrations()
    server = Server(store)
    for number in range(400):
        server.hello(str(number))
    async with running(server):
        await beats(store, 3)
        await asyncio.sleep(0)
        assert store.round_trips <= 4
    assert len(server.sessions) == 400


async def test_streams_live_on_while_the_store_is_away() -> None:
    store = Registrations()
    here, there = Server(store), Server(store)
    async with running(here, there):
        held = here.hello()
        await beats(store)
        store.away = True
        late = there.hello("late")
        await beats(store, 3)
        assert here.sessions == [held]
        assert there.sessions == [late]
        store.newest.clear()  # it was emptied, too
        store.away = False
        await until(lambda: len(store.newest) == 2)
    assert not here.superseded
    assert not there.superseded


@pytest.mark.parametrize("moments", range(8))
async def test_it_ends_also_when_a_bot_arrives_just_then(moments: int) -> None:
    # asyncio.wait_for of Python 3.11 loses a cancellation that comes as the wait ends: the server
    # never stopped.
    server = Server(Registrations())
    running = asyncio.create_task(server.registry.run())
    await asyncio.sleep(0)
    server.hello()
    for _ in range(moments):
        await asyncio.sleep(0)
    running.cancel()
    done, _ = await asyncio.wait({running}, timeout=WAIT_S)
    assert done
    assert running.cancelled()
