"""More seats wait than fit into one message to the other servers."""

from __future__ import annotations

import asyncio

import pytest
from tests.host.conftest import a_match
from tests.peers.conftest import Server, Servers, until
from tests.rpc.conftest import WAIT_S

from contree.peers.v1 import peers_pb2
from contree.server.host.peers import matching
from contree.server.host.peers.matching import FarWait, Matching
from contree.server.match import SeatPlan

HOUSE = SeatPlan(house="rules")
LEASE_MS = 60_000
"""Neither takes the other for gone."""


class Beats:
    """Two servers that tell each other of waiting seats by a clock that is set here."""

    def __init__(self, home: Server, edge: Server, monkeypatch: pytest.MonkeyPatch) -> None:
        loop = asyncio.get_running_loop()
        self._now = loop.time()
        self.call_soon = loop.call_soon
        self._matchings = [server.host.peers.matching for server in (home, edge)]
        self._beat = Matching.beat
        self._said = self._heard = 0
        monkeypatch.setattr(Matching, "beat", lambda _: None)  # the servers' own clock
        for one in self._matchings:
            monkeypatch.setattr(one, "_loop", self)
        say_all, hear = home.host.peers.post.say_all, self._matchings[1].waiting

        def said(item: peers_pb2.Item) -> None:
            self._said += item.HasField("waiting")
            say_all(item)

        def heard(peer: str, seats: peers_pb2.Waiting) -> None:
            self._heard += 1
            hear(peer, seats)

        monkeypatch.setattr(home.host.peers.post, "say_all", said)
        monkeypatch.setitem(edge.host.peers._handlers, "waiting", heard)

    def time(self) -> float:
        """For those whose clock it is."""
        return self._now

    async def next(self) -> None:
        """A second later; all that was said has been heard."""
        self._now += 1.0
        for one in self._matchings:
            self._beat(one)
        await until(lambda: self._heard == self._said)


@pytest.mark.parametrize("absent", [1, 3, 6])
async def test_a_seat_behind_many_for_an_absent_bot_is_not_forgotten(
    servers: Servers, monkeypatch: pytest.MonkeyPatch, absent: int
) -> None:
    """Its bot comes to another server after all that was said first is forgotten there."""
    monkeypatch.setattr(matching, "_AT_ONCE", 1)
    monkeypatch.setattr(matching, "_ROUND", 3)
    monkeypatch.setattr(matching, "_AGAIN_S", 1.0)
    monkeypatch.setattr(matching, "_FORGOTTEN_S", 4.0)
    home, edge = [await servers.start(name, lease_ms=LEASE_MS) for name in ("home", "edge")]
    beats = Beats(home, edge, monkeypatch)
    for _ in range(absent):
        await home.host.matches.create(a_match((SeatPlan(bot="absent"), HOUSE, HOUSE, HOUSE)))
    made = await home.host.matches.create(a_match((SeatPlan(bot="raw"), HOUSE, HOUSE, HOUSE)))

    def known() -> list[FarWait]:
        waits = edge.host.peers.matching._waits.values()
        return [wait for named in waits for wait in named.values()]

    await until(lambda: len(known()) == absent + 1)
    first = known()
    for _ in range(20):
        await beats.next()
        assert known() == first, "none is forgotten, nor is it heard of anew"
    bot = await edge.bot()
    async with asyncio.timeout(WAIT_S):
        assert (await bot.next("seat_assigned")).seat_assigned.match_id == made.id
