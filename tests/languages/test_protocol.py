"""What the bots in other languages say to a server, message by message."""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from tests.bots.processes import BotProcess, started
from tests.certificates import Authority
from tests.languages.folders import LANGUAGES, built
from tests.languages.scripted import Line, ScriptedServer, scripted_server

from contree.engine import Deal, DecisionKind, SeededDeals, preset, project
from contree.v1 import play_service_pb2 as pb
from contree.v1.play_service_pb2 import ClientMessage, ServerMessage
from contree.v1.table_pb2 import SEAT_NORTH
from contree.wire import Clock, action_from_pb, decision_to_pb, seat_view_to_pb

pytestmark = [pytest.mark.languages, pytest.mark.timeout(2400)]

NAME, INSTANCE = "stranger", "instance-of-the-test"
OTHERS = [name for name in LANGUAGES if name != "python"]  # the SDK has tests of its own
RULES = preset("coinche-classique")
BOARD = SeededDeals(bytes(32)).board(1, RULES)
DEAL = Deal.start(RULES, BOARD.dealer, BOARD.hands)
LEGAL = DEAL.legal_actions(DEAL.owed[0])
CLOCK = Clock(remaining=10_000, bank=0, allowance=250, charged=0, round_trip=None)


@pytest.fixture
async def script() -> AsyncIterator[tuple[ScriptedServer, str]]:
    async with scripted_server() as serving:
        yield serving


@pytest.fixture(params=OTHERS)
def command(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """What runs a bot, which is built."""
    return built(request.param)


@pytest.fixture
async def bot(
    script: tuple[ScriptedServer, str], command: tuple[str, ...]
) -> AsyncIterator[BotProcess]:
    environment = {"CONTREE_INSTANCE": INSTANCE, "CONTREE_TOKEN": "secret", "CONTREE_CAPACITY": "3"}
    async with started(command, script[1], NAME, **environment) as process:
        yield process


def assigned(seat_ref: int, match_id: str, *, ready_owed: bool) -> ServerMessage:
    seat = pb.SeatAssigned(
        seat_ref=seat_ref, match_id=match_id, seat=SEAT_NORTH, ready_owed=ready_owed
    )
    return ServerMessage(seat_assigned=seat)


def asked(seat_ref: int, decision_id: bytes, *, again: bool = False) -> ServerMessage:
    """A turn to speak first, with all the bids that there are."""
    view = project(DEAL, DEAL.owed[0])
    decision = decision_to_pb(DecisionKind.CALL, view.legal, decision_id, CLOCK)
    turn = pb.Turn(seat_ref=seat_ref, view=seat_view_to_pb(view), decision=decision, again=again)
    return ServerMessage(turn=turn)


async def test_says_who_it_is(script: tuple[ScriptedServer, str], bot: BotProcess) -> None:
    line, hello = await script[0].welcomes()
    assert line.metadata["authorization"] == "Bearer secret"
    assert hello == pb.Hello(
        protocol_version=1,
        bot=NAME,
        bot_version="1",
        instance_id=INSTANCE,
        capacity=3,
        delivery=pb.DELIVERY_STATE,
    )


async def said_of(line: Line, count: int) -> dict[str, ClientMessage]:
    """The next messages of the bot by their kinds, in one batch or more."""
    said: dict[str, ClientMessage] = {}
    while len(said) < count:
        for message in await line.hears():
            said[message.WhichOneof("message") or ""] = message
    return said


async def test_answers_what_it_is_told(script: tuple[ScriptedServer, str], bot: BotProcess) -> None:
    line, _ = await script[0].welcomes()
    line.says(
        assigned(1, "m1", ready_owed=True),
        assigned(2, "m2", ready_owed=False),
        asked(2, b"two"),
        ServerMessage(heartbeat=pb.Heartbeat(nonce=77)),
    )
    said = await said_of(line, 3)
    assert said.keys() == {"ready", "act", "heartbeat_ack"}
    assert said["ready"].ready.seat_ref == 1
    act = said["act"].act
    assert (act.seat_ref, act.decision_id) == (2, b"two")
    assert action_from_pb(act.action) in LEGAL
    assert said["heartbeat_ack"].heartbeat_ack.nonce == 77


async def test_answers_a_batch_with_a_batch(
    script: tuple[ScriptedServer, str], bot: BotProcess
) -> None:
    line, _ = await script[0].welcomes()
    line.says(*(assigned(ref, f"m{ref}", ready_owed=True) for ref in range(1, 17)))
    assert [message.ready.seat_ref for message in await line.hears()] == list(range(1, 17))
    line.says(*(asked(ref, b"decision %d" % ref) for ref in range(1, 17)))
    assert [message.act.seat_ref for message in await line.hears()] == list(range(1, 17))


async def test_passes_over_what_it_does_not_know(
    script: tuple[ScriptedServer, str], bot: BotProcess
) -> None:
    """Messages, fields and reasons of a newer server."""
    line, _ = await script[0].welcomes()
    unknown_message = ServerMessage.FromString(b"\xfa\x3e\x03new")  # field 1007
    unknown_reason = pb.SeatMatchEnded(seat_ref=2, match_id="m2")
    unknown_reason.match_ended.MergeFromString(b"\x08\x63")  # reason 99
    unknown_status = pb.ActResult(seat_ref=1, decision_id=b"none")
    unknown_status.MergeFromString(b"\x18\x63")  # status 99
    unknown_field = asked(1, b"one")
    unknown_field.turn.MergeFromString(b"\xfa\x3e\x03new")
    line.says(
        assigned(1, "m1", ready_owed=False),
        assigned(2, "m2", ready_owed=False),
        unknown_message,
        ServerMessage(),
        ServerMessage(match_ended=unknown_reason),
        ServerMessage(act_result=unknown_status),
        ServerMessage(fault=pb.SeatFault(seat_ref=1, detail="for the test")),
        ServerMessage(refused=pb.Refused(reason="for the test")),
        unknown_field,
    )
    said = await said_of(line, 1)
    assert said["act"].act.decision_id == b"one"


async def test_answers_a_turn_that_is_sent_again(
    script: tuple[ScriptedServer, str], bot: BotProcess
) -> None:
    line, _ = await script[0].welcomes()
    line.says(assigned(1, "m1", ready_owed=False), asked(1, b"one"), asked(1, b"one", again=True))
    acts = list(await line.hears())
    while len(acts) < 2:
        acts += await line.hears()
    assert acts[0] == acts[1]


async def test_a_heartbeat_does_not_wait_for_a_bot_that_thinks(
    script: tuple[ScriptedServer, str],
) -> None:
    node, path = built("node")
    thinker = Path(path).with_name("thinker.test.js")
    thinker.write_text(
        "import { run } from './connection.js';\n"
        "run({ name: 'thinker', version: '1', decide: () => new Promise(() => {}) });\n"
    )
    try:
        async with started((node, str(thinker)), script[1], NAME, CONTREE_INSTANCE=INSTANCE):
            line, _ = await script[0].welcomes()
            beat = ServerMessage(heartbeat=pb.Heartbeat(nonce=78))
            line.says(assigned(1, "m1", ready_owed=False), asked(1, b"one"), beat)
            (ack,) = await line.hears()
            assert ack.heartbeat_ack.nonce == 78
    finally:
        thinker.unlink()


async def test_dials_the_next_server_when_one_does_not_answer(
    script: tuple[ScriptedServer, str], command: tuple[str, ...]
) -> None:
    async with started(command, f"127.0.0.1:1,{script[1]}", NAME):
        line, _ = await script[0].welcomes()
        line.hangs_up()
        await script[0].welcomes()


async def test_gives_the_same_answer_after_a_loss(
    script: tuple[ScriptedServer, str], bot: BotProcess
) -> None:
    line, hello = await script[0].welcomes()
    line.says(*(assigned(ref, f"m{ref}", ready_owed=False) for ref in range(8)))
    line.says(*(asked(ref, b"decision %d" % ref) for ref in range(8)))
    before = {act.act.decision_id: act.act.action for act in await line.hears()}
    line.hangs_up()

    line, again = await script[0].welcomes()
    assert again == hello
    # The seats have other references on the new stream.
    line.says(*(assigned(ref + 8, f"m{ref}", ready_owed=False) for ref in range(8)))
    line.says(*(asked(ref + 8, b"decision %d" % ref, again=True) for ref in range(8)))
    assert {act.act.decision_id: act.act.action for act in await line.hears()} == before


async def test_dials_again_when_the_server_is_about_to_stop(
    script: tuple[ScriptedServer, str], bot: BotProcess
) -> None:
    line, hello = await script[0].welcomes()
    line.says(
        assigned(1, "m1", ready_owed=False),
        asked(1, b"last"),
        ServerMessage(go_away=pb.GoAway(drain=Duration(seconds=5))),
    )
    (act,) = await line.hears()
    assert act.act.decision_id == b"last"
    await line.is_left()
    line.hangs_up()
    _, again = await script[0].welcomes()
    assert again == hello


async def test_dials_again_when_the_server_goes_silent(
    script: tuple[ScriptedServer, str], bot: BotProcess
) -> None:
    _, hello = await script[0].welcomes(heartbeat_s=1)
    _, again = await script[0].welcomes()
    assert again == hello


async def test_plays_on_after_an_illegal_action(
    script: tuple[ScriptedServer, str], bot: BotProcess
) -> None:
    line, _ = await script[0].welcomes()
    line.says(assigned(1, "m1", ready_owed=False), asked(1, b"d"))
    await line.hears()
    decision = decision_to_pb(DecisionKind.CALL, LEGAL[:1], b"d", CLOCK)
    result = pb.ActResult(
        seat_ref=1,
        decision_id=b"d",
        status=pb.ACT_STATUS_ILLEGAL,
        reason="the test says so",
        decision=decision,
    )
    line.says(ServerMessage(act_result=result))
    (act,) = await line.hears()
    assert act.act.decision_id == b"d"
    assert action_from_pb(act.act.action) == LEGAL[0]
    await bot.says("the test says so")


async def test_ends_when_another_process_takes_over(
    script: tuple[ScriptedServer, str], bot: BotProcess
) -> None:
    line, _ = await script[0].welcomes()
    line.says(ServerMessage(superseded=pb.Superseded()))
    assert await bot.ended(within=60) == 1
    assert bot.output.endswith(f"{NAME}: another process plays as instance {INSTANCE} now")


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT], ids=lambda how: how.name)
async def test_ends_well_when_told_to(
    script: tuple[ScriptedServer, str], bot: BotProcess, how: signal.Signals
) -> None:
    await script[0].welcomes()
    assert await bot.told_to_stop(how) == 0


async def test_ends_when_the_server_refuses_it(
    script: tuple[ScriptedServer, str], bot: BotProcess
) -> None:
    line = await script[0].next_line()
    line.refuses(grpc.StatusCode.UNAUTHENTICATED, "this key is revoked")
    assert await bot.ended(within=60) == 1
    assert bot.output.endswith(f"{NAME}: {script[1]} refuses: this key is revoked")


async def test_dials_with_tls_and_a_certificate_of_its_own(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    authority = Authority(tmp_path)
    server, own = authority.issue("server"), authority.issue("client")
    (tmp_path / "token").write_text("secret\n")
    credentials = grpc.ssl_server_credentials(
        [(server.key.read_bytes(), server.certificate.read_bytes())],
        authority.certificate.read_bytes(),
        require_client_auth=True,
    )
    environment = {
        "CONTREE_CA": str(authority.certificate),
        "CONTREE_CERT": str(own.certificate),
        "CONTREE_CERT_KEY": str(own.key),
        "CONTREE_TOKEN_FILE": str(tmp_path / "token"),
    }
    async with (
        scripted_server(credentials) as (script, address),
        started(command, f"tls://{address}", NAME, **environment),
    ):
        line, hello = await script.welcomes()
        assert line.metadata["authorization"] == "Bearer secret"
        assert hello.bot == NAME
