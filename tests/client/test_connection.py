"""What becomes of a bot when its connection does not last."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import grpc
import pytest
from tests.certificates import HOST, Authority
from tests.client.bots import First, InPlace, playing
from tests.client.scripted import (
    QUICK,
    WAIT_S,
    Line,
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

from contree.client import (
    Backoff,
    Bot,
    Connection,
    Delivery,
    EndReason,
    InternalError,
    MatchEnded,
    ProtocolMismatch,
    Superseded,
    Tls,
    Unauthenticated,
    Unreachable,
    play_bot,
    stream,
)
from contree.client.stream import Stream, Watchdog
from contree.engine import PASS, Call, PlacedCall, Seat, View
from contree.v1 import event_pb2, match_pb2, match_service_pb2, play_service_pb2
from contree.v1.play_service_pb2 import ServerMessage
from contree.wire import action_from_pb, duration_to_pb, placed_call_to_pb

LOST = ServerError(grpc.StatusCode.UNAVAILABLE, "connection reset")


class Thinker(First):
    """Thinks until the test lets it go on."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.go_on = threading.Event(), threading.Event()

    def call(self, view: View) -> Call:
        self.begun.set()
        assert self.go_on.wait(WAIT_S)
        return super().call(view)


def go_away(drain: int) -> ServerMessage:
    return ServerMessage(go_away=play_service_pb2.GoAway(drain=duration_to_pb(drain)))


async def break_off(how: str, line: Line, server: ScriptedServer) -> Line:
    """End a stream in some way; the next one."""
    if how == "ended":
        line.end()
    elif how == "failed":
        line.fail(LOST)
    elif how == "internal":
        line.fail(ServerError(grpc.StatusCode.INTERNAL, "RST_STREAM"))
    elif how == "cancelled":  # by gRPC or a proxy, which give no reason
        line.fail(ServerError(grpc.StatusCode.CANCELLED, ""))
    else:
        await server.stop()
        await server.start()
    return await server.dialled()


HOW = ["ended", "failed", "internal", "cancelled", "server restarted"]


@pytest.mark.parametrize("how", HOW)
async def test_9_and_12_a_stream_that_breaks_while_the_bot_thinks(
    how: str, server: ScriptedServer
) -> None:
    """The same decision is owed on the next stream: the bot is asked once, answered there."""
    bot = Thinker()
    async with playing(bot, server) as played:
        line = await server.dialled()
        first = await line.welcome()
        line.say(assigned(1), turn(1, opening(), b"d1"))
        assert await asyncio.to_thread(bot.begun.wait, WAIT_S)
        line = await break_off(how, line, server)
        again = await line.welcome(seats_owed=1)
        assert again.instance_id == first.instance_id
        line.say(assigned(7, resumed=True), turn(7, opening(), b"d1", again=True))
        line.say(heartbeat(1))
        await line.hear("heartbeat_ack")
        bot.go_on.set()
        act = await line.hear("act")
        assert (act.seat_ref, act.decision_id) == (7, b"d1")
        line.say(accepted(act))
        assert not played.done()
    assert len(bot.seen) == 1


@pytest.mark.parametrize("how", HOW)
async def test_12_an_answer_that_got_lost_is_said_again(how: str, server: ScriptedServer) -> None:
    bot = First()
    async with playing(bot, server):
        line = await server.welcomed()
        line.say(assigned(1), turn(1, opening(), b"d1"))
        lost = await line.hear("act")
        line = await break_off(how, line, server)
        await line.welcome(seats_owed=1)
        line.say(assigned(2, resumed=True), turn(2, opening(), b"d1", again=True))
        act = await line.hear("act")
    assert act.action == lost.action
    assert (act.seat_ref, act.decision_id) == (2, b"d1")
    assert len(bot.seen) == 1


class Listener(First):
    """Hears of its connection."""

    def connected(self) -> None:
        self.told.append(("connected",))

    def disconnected(self, reason: str) -> None:
        self.told.append(("disconnected", reason))


async def test_a_bot_is_told_of_its_connection(server: ScriptedServer) -> None:
    bot = Listener()
    async with playing(bot, server):
        line = await server.welcomed()
        line.end()
        line = await server.welcomed()
        line.say(assigned(1), turn(1, opening()))
        await line.hear("act")
    told = [what for what in bot.told if what[0] in ("connected", "disconnected")]
    assert told == [("connected",), ("disconnected", "the server ended the stream"), ("connected",)]


async def test_an_answer_given_while_no_stream_is_up(server: ScriptedServer) -> None:
    bot = Thinker()
    async with playing(bot, server):
        line = await server.welcomed()
        line.say(assigned(1), turn(1, opening(), b"d1"))
        assert await asyncio.to_thread(bot.begun.wait, WAIT_S)
        line.end()
        line = await server.dialled()  # not welcomed: the answer cannot be said here
        bot.go_on.set()
        await line.welcome(seats_owed=1)
        line.say(assigned(2, resumed=True), turn(2, opening(), b"d1", again=True))
        assert (await line.hear("act")).decision_id == b"d1"
    assert len(bot.seen) == 1


async def test_a_settled_decision_that_is_owed_again(server: ScriptedServer) -> None:
    """The server lost what it had taken: the same answer again, without asking the bot."""
    bot = InPlace()
    async with playing(bot, server):
        line = await server.welcomed()
        line.say(assigned(1), turn(1, opening(), b"d1"))
        act = await line.hear("act")
        line.say(accepted(act), turn(1, opening(), b"d1", again=True))
        assert await line.hear("act") == act
    assert len(bot.seen) == 1


async def test_ready_is_said_again_when_it_is_owed_again(server: ScriptedServer) -> None:
    bot = InPlace()
    async with playing(bot, server):
        line = await server.welcomed()
        line.say(assigned(1, ready_owed=True))
        await line.hear("ready")
        line.end()
        line = await server.welcomed(seats_owed=1)
        line.say(assigned(4, ready_owed=True, resumed=True))
        assert (await line.hear("ready")).seat_ref == 4
    assert [told[0] for told in bot.told] == ["seated"]


async def test_7_silence_of_three_heartbeats_means_dead(server: ScriptedServer) -> None:
    async with playing(First(), server) as played:
        line = await server.welcomed(heartbeat=20)
        # Nothing more is said, and the connection is up: only the silence tells.
        line = await server.welcomed()
        line.say(heartbeat(1))
        await line.hear("heartbeat_ack")
        assert not played.done()
        assert server.dials == 2


async def test_a_server_that_does_not_answer_hello(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is dialled again when the time for an answer is over, and once."""
    watchdogs: list[Watchdog] = []

    class Known(Watchdog):
        def __init__(self, limit: float, bite: Callable[[], object]) -> None:
            super().__init__(limit, bite)
            watchdogs.append(self)

    monkeypatch.setattr(stream, "Watchdog", Known)
    connection = Connection(patience=WAIT_S, timeout=3600.0, backoff=Backoff(0.001, 0.01))
    async with playing(First(), server, connection=connection) as played:
        line = await server.dialled()
        await line.hear("hello")
        (watchdog,) = watchdogs
        assert watchdog.limit == connection.timeout
        watchdog.relax(0.05)  # but for this, its hour has passed
        assert await line.hear_end() == []
        line = await server.welcomed()
        line.say(heartbeat(1))
        await line.hear("heartbeat_ack")
        assert not played.done()
        assert server.dials == 2
    assert "the server fell silent" in caplog.text


async def test_heartbeats_keep_a_stream_alive() -> None:
    """The watchdog bites only when it is not fed, and not for time that the loop was held up."""
    bitten = asyncio.Event()
    watchdog = Watchdog(0.06, bitten.set)
    loop = asyncio.get_running_loop()
    watchdog._due = loop.time() - 1.0  # as if the timer came much too late
    watchdog._fed = loop.time() - 1.0
    watchdog._look()
    assert not bitten.is_set()
    await soon(bitten.wait())
    watchdog.stop()


async def test_go_away_is_followed_by_another_dial(server: ScriptedServer) -> None:
    """What is owed is finished first."""
    bot = Thinker()
    async with playing(bot, server):
        line = await server.welcomed()
        line.say(assigned(1), turn(1, opening(), b"d1"), go_away(60_000))
        assert await asyncio.to_thread(bot.begun.wait, WAIT_S)
        assert not server.dialled_again
        bot.go_on.set()
        act = await line.hear("act")
        line.say(accepted(act))
        assert await line.hear_end() == []
        line = await server.welcomed(seats_owed=1)
        line.say(assigned(1, resumed=True), turn(1, opening(2), b"d2"))
        assert (await line.hear("act")).decision_id == b"d2"


async def test_go_away_waits_no_longer_than_told(server: ScriptedServer) -> None:
    bot = Thinker()
    async with playing(bot, server):
        line = await server.welcomed()
        line.say(assigned(1), turn(1, opening(), b"d1"), go_away(1))
        line = await server.welcomed(seats_owed=1)
        line.say(assigned(1, resumed=True), turn(1, opening(), b"d1", again=True))
        bot.go_on.set()
        assert (await line.hear("act")).decision_id == b"d1"


async def test_a_server_that_goes_and_comes_back(server: ScriptedServer) -> None:
    async with playing(InPlace(), server, matches=1) as played:
        line = await server.welcomed()
        line.say(assigned(1), go_away(0))
        await line.hear_end()
        await server.stop()
        await server.start()
        line = await server.welcomed(seats_owed=1)
        line.say(assigned(1, resumed=True), match_ended(1))
        summary = await soon(played)
    assert (summary.matches, summary.connections) == (1, 2)


async def test_superseded_stops_with_a_clear_error(server: ScriptedServer) -> None:
    async with playing(First(), server, instance_id="i7") as played:
        line = await server.welcomed()
        line.say(assigned(1), ServerMessage(superseded=play_service_pb2.Superseded()))
        with pytest.raises(Superseded, match="instance 'i7': give each process its own"):
            await soon(played)
        assert "resign" not in await line.hear_end()
    assert not server.dialled_again


async def test_superseded_by_status(server: ScriptedServer) -> None:
    async with playing(First(), server, instance_id="i7") as played:
        line = await server.welcomed()
        line.fail(ServerError(grpc.StatusCode.ABORTED, "superseded", "ERROR_REASON_SUPERSEDED"))
        with pytest.raises(Superseded):
            await soon(played)


REFUSALS = [
    (
        ServerError(
            grpc.StatusCode.UNAUTHENTICATED, "Who are you?", "ERROR_REASON_UNAUTHENTICATED"
        ),
        Unauthenticated,
    ),
    (
        ServerError(
            grpc.StatusCode.FAILED_PRECONDITION,
            "The client speaks protocol version 1, this server 2: upgrade the client.",
            "ERROR_REASON_PROTOCOL_VERSION",
        ),
        ProtocolMismatch,
    ),
]


@pytest.mark.parametrize(("refusal", "error"), REFUSALS, ids=["token", "protocol"])
async def test_a_refused_hello_is_not_repeated(
    refusal: ServerError, error: type[Exception], server: ScriptedServer
) -> None:
    async with playing(First(), server) as played:
        line = await server.dialled()
        line.fail(refusal)
        with pytest.raises(error) as refused:
            await soon(played)
    assert str(refused.value) == refusal.text
    assert not server.dialled_again


async def test_nobody_at_the_address(server: ScriptedServer) -> None:
    await server.stop()
    with pytest.raises(Unreachable) as lost:
        await soon(
            play_bot(
                First(),
                server=server.address,
                connection=Connection(patience=0.05, backoff=Backoff(0.01, 0.01)),
            )
        )
    assert lost.value.address == server.address
    assert f"No contree server answers at {server.address} within 0.05 s" in str(lost.value)
    assert "Connection refused" in str(lost.value)
    assert "contree serve" in str(lost.value)


async def test_a_server_that_starts_late_is_found(server: ScriptedServer) -> None:
    await server.stop()
    refused = asyncio.Event()

    class Noticed(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            if "no connection to" in record.getMessage():
                refused.set()

    logger = logging.getLogger("contree.client")
    level = logger.level
    logger.addHandler(handler := Noticed())
    logger.setLevel(logging.WARNING)
    try:
        async with playing(First(), server):
            await soon(refused.wait())
            await server.start()
            await server.welcomed()
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


async def test_a_service_that_fails_for_good(server: ScriptedServer) -> None:
    connection = Connection(patience=0.05, backoff=Backoff(0.02, 0.02))
    failure = ServerError(
        grpc.StatusCode.INTERNAL, "The service failed.", "ERROR_REASON_INTERNAL", request_id="r1"
    )
    async with playing(First(), server, connection=connection) as played:
        while not played.done():
            waiting = asyncio.create_task(server.dialled())
            await asyncio.wait({waiting, played}, return_when=asyncio.FIRST_COMPLETED)
            if waiting.done():
                waiting.result().fail(failure)
            else:
                waiting.cancel()
        with pytest.raises(InternalError, match="The service failed") as failed:
            await played
    assert failed.value.request_id == "r1"


async def test_a_match_that_ended_meanwhile_is_ended_here(server: ScriptedServer) -> None:
    """The seat does not come back: the match is asked for."""
    ended = a_match(state=match_pb2.MATCH_STATE_ENDED, end_reason=match_pb2.END_REASON_CANCELLED)
    server.answers["GetMatch"] = lambda request: match_service_pb2.GetMatchResponse(match=ended)
    bot = First()
    async with playing(bot, server, matches=1) as played:
        line = await server.welcomed()
        line.say(assigned(1, ready_owed=True))
        await line.hear("ready")
        line.end()
        line = await server.welcomed()
        line.say(heartbeat(1))
        assert (await soon(played)).matches == 1
    assert bot.told[-1][2] == MatchEnded(EndReason.CANCELLED, (0, 0), None)


async def test_a_match_that_is_unknown_by_now_is_let_go(server: ScriptedServer) -> None:
    server.answers["GetMatch"] = lambda request: ServerError(
        grpc.StatusCode.NOT_FOUND, "There is no match.", "ERROR_REASON_MATCH_NOT_FOUND"
    )
    bot = First()
    async with playing(bot, server, matches=1) as played:
        line = await server.welcomed()
        line.say(assigned(1, ready_owed=True))
        await line.hear("ready")
        line.end()
        line = await server.welcomed()
        line.say(heartbeat(1))
        assert (await soon(played)).matches == 1
    assert [told[0] for told in bot.told] == ["seated"]


async def test_a_stream_ends_after_what_it_asked_beside(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = asyncio.Event()
    over: list[bool] = []

    async def look_up(*_: object) -> None:
        try:
            asked.set()
            await asyncio.sleep(3600)
        finally:
            await asyncio.sleep(0.05)
            over.append(True)

    monkeypatch.setattr(Stream, "_look_up", look_up)
    async with playing(First(), server, matches=1):
        line = await server.welcomed()
        line.say(assigned(1, ready_owed=True))
        await line.hear("ready")
        line.end()
        line = await server.welcomed()
        line.say(heartbeat(1))
        await soon(asked.wait())
    assert over


async def test_a_match_that_goes_on_is_waited_for(server: ScriptedServer) -> None:
    asked = asyncio.Event()

    def still_playing(request: Any) -> match_service_pb2.GetMatchResponse:
        asked.set()
        return match_service_pb2.GetMatchResponse(match=a_match())

    server.answers["GetMatch"] = still_playing
    async with playing(InPlace(), server, matches=1) as played:
        line = await server.welcomed()
        line.say(assigned(1, ready_owed=True))
        await line.hear("ready")
        line.end()
        line = await server.welcomed()
        line.say(heartbeat(1))
        await soon(asked.wait())
        line.say(assigned(6, resumed=True), turn(6, opening()))
        await line.hear("act")
        line.say(match_ended(6))
        assert (await soon(played)).matches == 1


def passed(seq: int) -> ServerMessage:
    said = event_pb2.Event(seq=seq, called=placed_call_to_pb(PlacedCall(Seat.EAST, PASS)))
    return ServerMessage(event=play_service_pb2.SeatEvent(seat_ref=1, event=said))


async def test_events_seen_are_told_in_the_next_hello(server: ScriptedServer) -> None:
    bot = InPlace()
    async with playing(bot, server, delivery=Delivery.EVENTS):
        line = await server.dialled()
        assert not (await line.welcome()).seen
        line.say(assigned(1), passed(4), heartbeat(1, (1, 4)))
        await line.hear("heartbeat_ack")
        line.end()
        line = await server.dialled()
        (seen,) = (await line.welcome(seats_owed=1)).seen
        assert (seen.match_id, seen.seat, seen.seq) == ("m1", 1, 4)
        # What comes again is told once.
        line.say(assigned(1, resumed=True), passed(3), passed(5), heartbeat(1))
        await line.hear("heartbeat_ack")
    assert [told[2].seq for told in bot.told if told[0] == "event"] == [4, 5]  # type: ignore[attr-defined]


async def test_8_a_stream_that_lost_events_is_dialled_again(server: ScriptedServer) -> None:
    """Twice in a row a heartbeat tells of an event that never came."""
    async with playing(InPlace(), server, delivery=Delivery.EVENTS):
        line = await server.welcomed()
        line.say(assigned(1), passed(4), heartbeat(1, (1, 5)), passed(5), heartbeat(2, (1, 6)))
        await line.hear("heartbeat_ack")
        assert not server.dialled_again
        line.say(heartbeat(3, (1, 6)))
        line = await server.dialled()
        (seen,) = (await line.welcome(seats_owed=1)).seen
        assert seen.seq == 5


async def test_12_async_thinking_goes_on_over_a_new_stream(server: ScriptedServer) -> None:
    asked, go_on = asyncio.Event(), asyncio.Event()

    class Async(Bot):
        count = 0

        async def call(self, view: View) -> Call:
            self.count += 1
            asked.set()
            await go_on.wait()
            return PASS

    bot = Async()
    async with playing(bot, server):
        line = await server.welcomed()
        line.say(assigned(1), turn(1, opening(), b"d1"))
        await soon(asked.wait())
        line.fail(LOST)
        line = await server.welcomed(seats_owed=1)
        line.say(assigned(2, resumed=True), turn(2, opening(), b"d1", again=True))
        go_on.set()
        act = await line.hear("act")
        assert action_from_pb(act.action) is PASS
    assert bot.count == 1


def test_backoff_grows_to_its_limit() -> None:
    backoff = Backoff(first=0.1, longest=1.0)
    for attempt, whole in ((1, 0.1), (2, 0.2), (3, 0.4), (5, 1.0), (5000, 1.0)):
        delays = [backoff.delay(attempt) for _ in range(100)]
        assert whole / 2 <= min(delays) < max(delays) <= whole


def test_defaults_are_patient() -> None:
    connection = Connection()
    assert connection.patience == 30.0
    assert connection.resume_patience >= 300.0
    assert QUICK.patience == WAIT_S


async def test_tls_with_an_authority_of_ones_own(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    chain, key = authority.issue("server")
    server = ScriptedServer()
    server.credentials = grpc.ssl_server_credentials([(key.read_bytes(), chain.read_bytes())])
    await server.start()
    try:
        tls = Tls(authorities=authority.certificate, server_name=HOST)
        connection = Connection(patience=10, tls=tls)
        async with playing(First(), server, connection=connection, token="secret"):
            line = await server.welcomed()
            assert line.metadata["authorization"] == "Bearer secret"
    finally:
        await server.stop()
