"""Servers that go: one that stops takes nobody in, and one that is gone leaves nothing attached."""

from __future__ import annotations

import grpc
import pytest
from tests.peers.conftest import Servers, until
from tests.rpc.conftest import board

from contree.server.host import Session


async def test_a_hello_that_waits_while_the_drain_begins_is_refused(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waits for its turn, or for what the other servers know of it."""
    home = await servers.start("home")

    async def owed(session: Session) -> int:
        home.host.draining = True
        return 0

    monkeypatch.setattr(home.host.peers.questions, "owed", owed)
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await home.bot()
    assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
    assert not home.host.sessions()


class Broken(Exception):
    """A fault of the service."""


async def test_a_fault_in_what_a_lost_server_means_leaves_none_of_the_rest_undone(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, edge = [await servers.start(name) for name in ("home", "edge")]
    await edge.bot(capacity=4)
    await home.matches.CreateMatch(board())
    (table,) = home.host.tables.all()
    await until(lambda: any(table.attached))

    def fails(peer: str) -> None:
        raise Broken

    monkeypatch.setattr(home.host.peers.edge, "home_gone", fails)
    with pytest.raises(Broken):
        home.host.peers._went(edge.host.peers.address)
    assert not any(table.attached)
