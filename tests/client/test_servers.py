"""Several servers of one service: the next is dialled when one fails."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from tests.client.bots import InPlace, playing
from tests.client.scripted import (
    QUICK,
    WAIT_S,
    ScriptedServer,
    ServerError,
    a_match,
    accepted,
    assigned,
    heartbeat,
    match_ended,
    opening,
    soon,
    turn,
)

from contree.client import HostClient, MatchState, Unreachable
from contree.client.channel import Target
from contree.v1 import match_pb2, match_service_pb2, play_service_pb2
from contree.v1.play_service_pb2 import ServerMessage
from contree.wire import duration_to_pb


@pytest.fixture
async def other() -> AsyncIterator[ScriptedServer]:
    scripted = ScriptedServer()
    await scripted.start()
    yield scripted
    await scripted.stop()


@pytest.mark.parametrize(
    ("given", "addresses"),
    [
        (None, ("127.0.0.1:50051",)),
        ("a:1", ("a:1",)),
        ("a:1, b:2,", ("a:1", "b:2")),
        (["a:1", "b:2"], ("a:1", "b:2")),
    ],
)
def test_addresses_are_a_list_or_one_text(given: Any, addresses: tuple[str, ...]) -> None:
    assert Target.of(given, None).addresses == addresses


def test_the_environment_may_name_several(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CONTREE_SERVER", "a:1,b:2")
    target = Target.of(None, None)
    assert target.addresses == ("a:1", "b:2")
    assert target.address == "a:1,b:2"


async def test_a_bot_goes_on_at_the_other_server_when_its_own_dies(
    server: ScriptedServer, other: ScriptedServer
) -> None:
    both = [server.address, other.address]
    async with playing(InPlace(), both, matches=1, instance_id="i7") as played:
        line = await server.welcomed()
        line.say(assigned(1), turn(1, opening(), b"d1"))
        await line.hear("act")
        await server.stop()
        line = await other.dialled()
        hello = await line.welcome(seats_owed=1)
        assert hello.instance_id == "i7"
        assert [(one.match_id, one.seat) for one in hello.seen] == [("m1", 1)]
        line.say(assigned(4, resumed=True), turn(4, opening(), b"d1", again=True))
        act = await line.hear("act")
        assert act.decision_id == b"d1"
        line.say(accepted(act), match_ended(4))
        assert (await soon(played)).connections == 2


async def test_a_stream_that_breaks_is_dialled_again_where_it_was(
    server: ScriptedServer, other: ScriptedServer
) -> None:
    async with playing(InPlace(), f"{server.address},{other.address}") as played:
        line = await server.welcomed()
        line.fail(ServerError(grpc.StatusCode.UNAVAILABLE, "connection reset"))
        line = await server.welcomed()
        line.say(heartbeat(1))
        await line.hear("heartbeat_ack")
        assert not played.done()
        assert (server.dials, other.dials) == (2, 0)


async def test_a_server_that_stops_sends_its_bots_to_the_other(
    server: ScriptedServer, other: ScriptedServer
) -> None:
    away = play_service_pb2.GoAway(drain=duration_to_pb(1))
    async with playing(InPlace(), [server.address, other.address]):
        line = await server.welcomed()
        line.say(ServerMessage(go_away=away))
        await (await other.dialled()).welcome()


async def test_matches_that_a_server_does_not_have_are_looked_for_at_the_other(
    server: ScriptedServer, other: ScriptedServer
) -> None:
    """They are being played, says the server, but it gives no seat of them back."""
    for one in (server, other):
        one.answers["GetMatch"] = lambda request: match_service_pb2.GetMatchResponse(
            match=a_match(request.match_id)
        )
    async with playing(InPlace(), [server.address, other.address]):
        line = await server.welcomed()
        line.say(assigned(1))
        line.fail(ServerError(grpc.StatusCode.UNAVAILABLE, "connection reset"))
        line = await server.welcomed()
        nonce = 0
        async with asyncio.timeout(WAIT_S):
            while not other.dialled_again:
                line.say(heartbeat(nonce := nonce + 1))
                await asyncio.sleep(0.01)
        assert len(server.calls) == 3
        line = await other.dialled()
        await line.welcome(seats_owed=1)


async def test_where_no_server_answers_all_are_named() -> None:
    quick = type(QUICK)(patience=0.05, backoff=QUICK.backoff)
    with pytest.raises(Unreachable, match=r"127\.0\.0\.1:1,127\.0\.0\.1:2"):
        async with playing(InPlace(), "127.0.0.1:1,127.0.0.1:2", connection=quick) as played:
            await soon(played)


async def test_a_host_asks_the_other_server(server: ScriptedServer, other: ScriptedServer) -> None:
    for one in (server, other):
        one.answers["GetMatch"] = lambda request: match_service_pb2.GetMatchResponse(
            match=a_match(request.match_id)
        )
    async with HostClient([server.address, other.address], connection=QUICK) as host:
        await host.get_match("m1")
        assert (len(server.calls), len(other.calls)) == (1, 0)
        await server.stop()
        assert (await host.get_match("m2")).state is MatchState.PLAYING
        await host.get_match("m3")
        assert len(other.calls) == 2


async def test_a_host_goes_on_watching_at_the_other_server(
    server: ScriptedServer, other: ScriptedServer
) -> None:
    def update(token: str) -> match_service_pb2.WatchMatchesResponse:
        return match_service_pb2.WatchMatchesResponse(
            resume_token=token, match=a_match(state=match_pb2.MATCH_STATE_PLAYING)
        )

    lost = ServerError(grpc.StatusCode.UNAVAILABLE, "connection reset")
    server.answers["WatchMatches"] = lambda _: [update("1"), lost]
    other.answers["WatchMatches"] = lambda _: [update("2")]
    async with HostClient([server.address, other.address], connection=QUICK) as host:
        updates = host.watch_matches("cup")
        assert [(await anext(updates)).resume_token for _ in range(2)] == ["1", "2"]
        await updates.aclose()  # type: ignore[attr-defined]
    assert other.calls[0][1].resume_token == "1"
