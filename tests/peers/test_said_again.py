"""What a bot said comes to its table more than once, and counts once."""

from __future__ import annotations

from typing import Any

import pytest
from tests.host.conftest import a_match
from tests.peers.conftest import Server, Servers, until
from tests.rpc.conftest import RawBot

from contree.engine import SEATS, Seat
from contree.peers.v1.peers_pb2 import Item
from contree.server.host import Table
from contree.server.match import FaultKind, FaultPolicy, SeatPlan, TimeControl
from contree.v1 import card_pb2, play_service_pb2
from contree.v1.play_service_pb2 import ClientMessage

HOUSE = SeatPlan(house="rules")
FORGIVING = FaultPolicy(illegal_strikes=9)


async def asked(servers: Servers) -> tuple[Server, Server, RawBot, Table, play_service_pb2.Turn]:
    """A bot at one server owes its first decision, a call, to a table at another."""
    home, edge = [await servers.start(name, heartbeat_s=60) for name in ("home", "edge")]
    bot = await edge.bot()
    time = TimeControl(per_move=60_000, allowance=0)
    seats = (SeatPlan(bot="raw"), HOUSE, HOUSE, HOUSE)
    made = await home.host.matches.create(a_match(seats, time=time, faults=FORGIVING))
    table = home.host.tables.get(made.id)
    assert table is not None
    await bot.ready()
    return home, edge, bot, table, (await bot.next("turn")).turn


class Answers:
    """What a home answers to the bots of an edge is held back, until it is let go or dropped."""

    def __init__(self, home: Server, edge: Server) -> None:
        self._held: list[tuple[str, Item]] = []
        (guest,) = home.host.peers.guests._by_nonce.values()
        self._guest = guest
        self._say = guest._say
        guest._say = self._hold
        self.came = 0
        """Times that the command came to its home."""
        handlers = home.host.peers._handlers
        commanded = handlers["commanded"]

        def counted(peer: str, said: Any) -> None:
            self.came += 1
            commanded(peer, said)

        handlers["commanded"] = counted

    def _hold(self, peer: str, item: Item) -> None:
        if item.told.answers or item.HasField("answered"):
            self._held.append((peer, item))
        else:
            self._say(peer, item)

    @property
    def some(self) -> bool:
        """There is one."""
        return bool(self._held)

    def drop(self) -> None:
        """What was held is lost; nothing more is held."""
        self._held = []
        self._guest._say = self._say

    def let_go(self) -> None:
        """Say what was held."""
        held, self._held = self._held, []
        for peer, item in held:
            self._say(peer, item)


def act(turn: play_service_pb2.Turn) -> play_service_pb2.Act:
    """One that no rule allows: to play a card while there are calls."""
    made = play_service_pb2.Act(seat_ref=turn.seat_ref, decision_id=turn.decision.id)
    assert turn.decision.calls
    made.action.play.card = card_pb2.CARD_7S
    return made


def seat_of(table: Table) -> Seat:
    return next(seat for seat in SEATS if not table.match.spec.seats[seat].house)


async def again_and_again(home: Server, edge: Server, table: Table, answers: Answers) -> None:
    """All that has a command said again: no answer, a question about its time, a loss."""
    came = answers.came
    await until(lambda: answers.came > came)
    came = answers.came
    home.host.peers.guests._ask_edge(table, seat_of(table))
    await until(lambda: answers.came > came)
    came = answers.came
    edge.host.peers._missed(home.host.peers.address)
    home.host.peers._missed(edge.host.peers.address)
    await until(lambda: answers.came > came)


async def test_an_illegal_act_is_one_fault(servers: Servers) -> None:
    home, edge, bot, table, turn = await asked(servers)
    answers = Answers(home, edge)
    await bot.say(ClientMessage(act=act(turn)))
    await until(lambda: answers.some)
    await again_and_again(home, edge, table, answers)
    answers.let_go()
    result = (await bot.next("act_result")).act_result
    assert result.status == play_service_pb2.ACT_STATUS_ILLEGAL
    assert result.decision.id == turn.decision.id
    assert [one.kind for one in table.match.faults] == [FaultKind.ILLEGAL_ACTION]
    # Another one is another fault.
    await bot.say(ClientMessage(act=act(turn)))
    await until(lambda: answers.some)
    await again_and_again(home, edge, table, answers)
    assert [one.kind for one in table.match.faults] == [FaultKind.ILLEGAL_ACTION] * 2


async def test_two_illegal_acts_are_two_faults(servers: Servers) -> None:
    """Said one after the other, without waiting for what becomes of the first."""
    home, edge, bot, table, turn = await asked(servers)
    answers = Answers(home, edge)
    await bot.say(ClientMessage(act=act(turn)))
    await bot.say(ClientMessage(act=act(turn)))
    await until(lambda: len(table.match.faults) == 2)
    await again_and_again(home, edge, table, answers)
    assert len(table.match.faults) == 2


async def test_while_it_waits_for_its_table_no_other_copy_does(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, edge, bot, table, turn = await asked(servers)
    answers = Answers(home, edge)
    table.busy = True  # as while a commit hangs
    await bot.act(turn)
    await until(lambda: answers.came)
    await again_and_again(home, edge, table, answers)
    assert len(table.commands) == 1
    assert len(home.host.peers.guests._under_way) == 1


@pytest.mark.parametrize("message", ["unreadable", "resign"])
async def test_other_things_said_again_count_once(servers: Servers, message: str) -> None:
    home, edge, bot, table, turn = await asked(servers)
    answers = Answers(home, edge)
    (session,) = edge.host.sessions()
    ref, decision = turn.seat_ref, turn.decision.id
    if message == "resign":
        said = ClientMessage(resign=play_service_pb2.Resign(seat_ref=ref))
    else:
        said = ClientMessage(act=play_service_pb2.Act(seat_ref=ref, decision_id=decision))
    await bot.say(said)
    await until(lambda: answers.some)
    if message == "unreadable":  # after the other the house plays on, to the end
        await again_and_again(home, edge, table, answers)
    answers.let_go()
    await until(lambda: not any(far.pending for far in edge.host.peers.edge.all()))
    assert len(table.match.faults) == (1 if message == "resign" else 0)
    assert session.offences == (0 if message == "resign" else 1)


@pytest.mark.parametrize("adopter", [0, 1, 2], ids=["home", "edge", "third"])
async def test_an_illegal_act_is_one_fault_though_another_server_takes_the_match_over(
    servers: Servers, adopter: int
) -> None:
    """Its home committed the fault, and was gone before it had answered."""
    home, edge, bot, table, turn = await asked(servers)
    await servers.start("third")
    answers = Answers(home, edge)
    await bot.say(ClientMessage(act=act(turn)))
    await until(lambda: answers.some)
    answers.drop()
    for at, server in enumerate(servers.all):
        server.host.leases.adopting = at == adopter
    home.host.tables.lose(table, "a test")
    await home.host.store.release({table.match.id: table.fence})
    result = (await bot.next("act_result")).act_result
    assert result.status == play_service_pb2.ACT_STATUS_ILLEGAL
    now = servers.all[adopter].host.tables.get(table.match.id)
    assert now is not None
    assert [one.kind for one in now.match.faults] == [FaultKind.ILLEGAL_ACTION]
    await bot.say(ClientMessage(act=act(turn)))
    assert (await bot.next("act_result")).act_result.status == play_service_pb2.ACT_STATUS_ILLEGAL
    assert [one.kind for one in now.match.faults] == [FaultKind.ILLEGAL_ACTION] * 2
