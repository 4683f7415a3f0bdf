"""What the bot in JavaScript says to a server, message by message."""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from google.protobuf.duration_pb2 import Duration
from tests.bots.processes import BotProcess, started
from tests.languages.scripted import ScriptedServer, scripted_server

from contree.engine import Deal, DecisionKind, SeededDeals, preset, project
from contree.v1 import play_service_pb2 as pb
from contree.v1.play_service_pb2 import ServerMessage
from contree.v1.table_pb2 import SEAT_NORTH
from contree.wire import Clock, action_from_pb, decision_to_pb, seat_view_to_pb

pytestmark = [pytest.mark.languages, pytest.mark.timeout(120)]

NAME, INSTANCE = "javascript", "instance-of-the-test"
RULES = preset("coinche-classique")
BOARD = SeededDeals(bytes(32)).board(1, RULES)
DEAL = Deal.start(RULES, BOARD.dealer, BOARD.hands)
LEGAL = DEAL.legal_actions(DEAL.owed[0])
CLOCK = Clock(remaining=10_000, bank=0, allowance=250, charged=0, round_trip=None)


@pytest.fixture
async def script() -> AsyncIterator[tuple[ScriptedServer, str]]:
    async with scripted_server() as serving:
        yield serving


@pytest.fixture
async def bot(
    script: tuple[ScriptedServer, str], node_bot: tuple[str, str]
) -> AsyncIterator[BotProcess]:
    environment = {"CONTREE_INSTANCE": INSTANCE, "CONTREE_TOKEN": "secret", "CONTREE_CAPACITY": "3"}
    async with started(node_bot, script[1], NAME, **environment) as process:
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
        bot_version="1.0.0",
        instance_id=INSTANCE,
        capacity=3,
        delivery=pb.DELIVERY_STATE,
    )


async def test_answers_a_batch_with_a_batch(
    script: tuple[ScriptedServer, str], bot: BotProcess
) -> None:
    line, _ = await script[0].welcomes()
    line.says(
        assigned(1, "m1", ready_owed=True),
        assigned(2, "m2", ready_owed=False),
        asked(2, b"two"),
        ServerMessage(heartbeat=pb.Heartbeat(nonce=77)),
    )
    said = {message.WhichOneof("message"): message for message in await line.hears()}
    assert said.keys() == {"ready", "act", "heartbeat_ack"}
    assert said["ready"].ready.seat_ref == 1
    act = said["act"].act
    assert (act.seat_ref, act.decision_id) == (2, b"two")
    assert action_from_pb(act.action) in LEGAL
    assert said["heartbeat_ack"].heartbeat_ack.nonce == 77


async def test_a_heartbeat_does_not_wait_for_a_bot_that_thinks(
    script: tuple[ScriptedServer, str], node_bot: tuple[str, str]
) -> None:
    node, path = node_bot
    thinker = Path(path).with_name("thinker.test.js")
    thinker.write_text(
        "import { run } from './connection.js';\n"
        "run({ name: 'thinker', choose: () => new Promise(() => {}) });\n"
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
    script: tuple[ScriptedServer, str], node_bot: tuple[str, str]
) -> None:
    async with started(node_bot, f"127.0.0.1:1,{script[1]}", NAME):
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
    assert len({action.SerializeToString() for action in before.values()}) > 1
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
    assert "the test says so" in bot.output


async def test_ends_when_another_process_takes_over(
    script: tuple[ScriptedServer, str], bot: BotProcess
) -> None:
    line, _ = await script[0].welcomes()
    line.says(ServerMessage(superseded=pb.Superseded()))
    assert await bot.ended(within=10) == 1
    assert bot.output.endswith(f"{NAME}: another process plays as instance {INSTANCE} now")


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT], ids=lambda how: how.name)
async def test_ends_well_when_told_to(
    script: tuple[ScriptedServer, str], bot: BotProcess, how: signal.Signals
) -> None:
    await script[0].welcomes()
    assert await bot.told_to_stop(how) == 0
