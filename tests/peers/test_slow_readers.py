"""A bot that wants every event and reads slowly, at another server than its table."""

from __future__ import annotations

import asyncio

import pytest
from tests.host.conftest import WAIT_S, a_race, arrive, play, read, ready
from tests.peers.conftest import Servers, until

from contree.server.match import SeatPlan

HOUSE = SeatPlan(house="rules")


@pytest.mark.parametrize("reads", [False, True], ids=["when-it-is-over", "all-the-time"])
async def test_nothing_is_missed_and_little_waits(servers: Servers, reads: bool) -> None:
    """What does not fit into its outbox is read in the journal, when it takes it."""
    home = await servers.start("home")
    edge = await servers.start("edge", max_outbox=16)
    session = arrive(edge.host, events=True, capacity=1)
    match = await home.host.matches.create(a_race(6, (SeatPlan(bot="raw"), HOUSE, HOUSE, HOUSE)))
    await until(lambda: edge.host.peers.edge.count == 1)
    await ready(home.host, match.id)
    playing = asyncio.create_task(play(home.host, match.id))
    seqs: list[int] = []
    kinds: list[str] = []
    if not reads:
        await playing
        await until(lambda: edge.host.peers.edge.count == 0)
        # Results, and the ends of deals, count as ever; events do not heap up.
        assert len(session.outbox) < 64
    async with asyncio.timeout(WAIT_S):
        while "match_ended" not in kinds:
            for message in read(await session.outbox.batch()):
                kinds.append(str(message.WhichOneof("message")))
                if message.HasField("event"):
                    seqs.append(message.event.event.seq)
    await playing
    assert kinds[-1] == "match_ended"
    assert seqs == sorted(seqs)
    assert set(seqs) == set(range(1, seqs[-1] + 1))
    ended = await edge.host.queries.match(match.id)
    assert seqs[-1] == ended.seq
    assert len(ended.game.finished) == 6
    assert not session.outbox.overflowed
