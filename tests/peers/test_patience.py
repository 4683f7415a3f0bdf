"""A peer that does not answer is not waited for: what others have to say is good to have, no more.

Other modules give it a minute (`answered`), to see what is answered; here it has what it has.
"""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.e2e.playing import LABEL
from tests.host.virtual import at, virtually
from tests.peers.conftest import Servers
from tests.rpc.conftest import WAIT_S, board

from contree.peers.v1.peers_pb2 import Answer, Ask, Item
from contree.server.host.peers.calls import Calls
from contree.v1 import match_service_pb2


@virtually
async def test_who_asks_waits_a_quarter_of_a_second_for_who_says_nothing() -> None:
    def say(peer: str, item: Item) -> None:
        answer = Answer(id=item.ask.id)
        if peer == "quick":
            calls.answered(peer, answer)
        elif peer == "slow":
            asyncio.get_running_loop().call_later(0.2, calls.answered, peer, answer)

    calls = Calls(say)
    began = at()
    assert len(await calls.ask(["quick", "slow", "dead"], Ask())) == 2
    assert at() - began == pytest.approx(0.25)
    began = at()
    assert len(await calls.ask(["quick", "slow"], Ask())) == 2
    assert at() - began == pytest.approx(0.2), "no longer than until all have answered"


async def test_calls_are_answered_beside_a_peer_that_says_nothing(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, edge = [await servers.start(name, lease_ms=60_000) for name in ("home", "edge")]
    asked: list[Any] = []
    monkeypatch.setitem(edge.host.peers._handlers, "ask", lambda _, ask: asked.append(ask))
    made = (await home.matches.CreateMatch(board(labels=[LABEL]), timeout=WAIT_S)).match
    get = match_service_pb2.GetMatchRequest(match_id=made.id)
    assert (await home.matches.GetMatch(get, timeout=WAIT_S)).match.id == made.id
    bots = match_service_pb2.ListBotsRequest()
    assert not (await home.matches.ListBots(bots, timeout=WAIT_S)).bots
    assert asked
