"""A server that stops tells its bots to go."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.host.conftest import arrive, kinds, read

from contree.server.host import Host
from contree.server.settings import Settings


@pytest.fixture
def settings(settings: Settings) -> Settings:
    return replace(settings, drain_s=0.05)


async def test_bots_are_told_to_go_before_their_stream_ends(host: Host) -> None:
    session = arrive(host)
    await host.drain()
    (said,) = read(await session.outbox.batch())
    assert kinds([said]) == ["go_away"]
    assert said.go_away.drain.ToMilliseconds() == 50
    assert await session.outbox.batch() == []
