"""Matches that were played leave no series behind: some hundred of them, ten thousand with FULL=1.

Counted by a real Prometheus, which remembers each series that it has ever seen. Needs `prometheus`
(Debian package) on the PATH: `make test-deploy`.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Final

import grpc
import pytest
from tests.chaos.server import Server
from tests.deploy import hurried
from tests.deploy.prometheus import Prometheus, eventually, prometheus
from tests.deploy.site import board_with, hosting
from tests.rpc.conftest import RawBot
from tests.rpc.keyed import Given, key_ring

from contree.server.access import Role
from contree.server.telemetry.bots import MOST_BOTS
from contree.v1 import match_pb2, match_service_pb2

FULL: Final = os.environ.get("FULL") == "1"
MATCHES: Final = 10_000 if FULL else 300
AT_ONCE: Final = 20
BOTS: Final = MATCHES // 10
"""Bots that come, each under a name of its own and with a key."""

pytestmark = [pytest.mark.deploy, pytest.mark.timeout(3600 if FULL else 600)]


async def test_the_number_of_series_does_not_grow(tmp_path: Path) -> None:
    (tmp_path / "prometheus").mkdir()
    with Server(tmp_path, "server", settings={"CONTREE_FSYNC": "everysec"}) as server:
        await server.start()
        config = hurried.write(tmp_path / "prometheus", {"contree": [server.metrics_address]})
        with prometheus(config) as one:
            async with key_ring(tmp_path / "data") as ring:
                key = await ring.make(Role.BOT)
            # All places that bots have are taken, and one match of each kind was played.
            await _come(server, key, "early", MOST_BOTS + 1)
            await _play(server, AT_ONCE)
            await _counted(one, AT_ONCE)
            before = one.series("contree")
            await _come(server, key, "late", BOTS)
            await _play(server, MATCHES)
            await _counted(one, AT_ONCE + MATCHES)
            after = one.series("contree")
        await server.stop()
    print(f"{MATCHES} matches and {BOTS} bots: {len(before)} series before, {len(after)} after")
    assert after - before == set()


async def _play(server: Server, matches: int) -> None:
    """Matches with labels of their own: played by the house, and some that do not start."""
    async with hosting(server) as host:
        for first in range(0, matches, AT_ONCE):
            made = await asyncio.gather(
                *(
                    host.CreateMatch(_match(number))
                    for number in range(first, min(first + AT_ONCE, matches))
                )
            )
            assert all(one.match.id for one in made)


def _match(number: int) -> match_service_pb2.CreateMatchRequest:
    request = board_with(seat_timeout=0.05)
    request.labels.append(f"label-{number}")
    if number % AT_ONCE:
        del request.seats[:]
        for seat in range(1, 5):
            request.seats.append(match_pb2.SeatSpec(seat=seat, house="rules"))  # type: ignore[arg-type]
    return request


async def _come(server: Server, key: Given, name: str, bots: int) -> None:
    """Bots that connect, one after the other, and go."""
    async with grpc.aio.insecure_channel(server.address) as channel:
        for number in range(bots):
            bot = RawBot(channel, key.metadata)
            await bot.hello(f"{name}-{number}")
            await bot.close()


async def _counted(one: Prometheus, ended: int) -> None:
    """Wait until Prometheus has seen that so many matches have ended."""
    query = f"sum(contree_matches_ended_total) >= {ended}"
    await asyncio.to_thread(eventually, lambda: one.ask(query), 150, query)
