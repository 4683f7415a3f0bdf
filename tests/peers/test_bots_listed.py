"""Lists of bots cost tables little, however often they are asked for and wherever the bots are."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import grpc
import pytest
from tests.host.virtual import virtually
from tests.peers.conftest import Server, Servers, until

from contree.peers.v1 import peers_pb2
from contree.peers.v1.peers_pb2 import Answer, Ask, Item
from contree.server.host import reading
from contree.server.host.peers import kept, questions
from contree.server.host.peers.kept import KEPT_S, Kept
from contree.server.host.peers.naming import bot_to_pb
from contree.v1 import match_service_pb2

LIST = match_service_pb2.ListBotsRequest()
LONG_S = 3600.0


@pytest.fixture
def long(monkeypatch: pytest.MonkeyPatch) -> None:
    """An answer is kept for the whole of a test, however slow the machine."""
    monkeypatch.setattr(kept, "KEPT_S", LONG_S)


async def names(server: Server) -> list[str]:
    return sorted(one.bot for one in (await server.matches.ListBots(LIST)).bots)


async def test_bots_are_listed_in_slices(
    servers: Servers, answered: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those here and those at others, with time for everything else in between."""
    home, edge = [await servers.start(name) for name in ("home", "edge")]
    for number in range(4):
        await home.bot(f"{number}", bot=f"h{number}")
        await edge.bot(f"{number}", bot=f"e{number}")
    monkeypatch.setattr(reading, "SLICE_S", 0.0)
    before = home.host.reading.slices
    assert await names(home) == ["e0", "e1", "e2", "e3", "h0", "h1", "h2", "h3"]
    assert home.host.reading.slices - before >= 7


async def test_a_list_of_bots_is_one_of_the_reads(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of which there may be so many at once."""
    home = await servers.start("home")
    monkeypatch.setattr(home.host.reading, "_limit", 0)
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await home.matches.ListBots(LIST)
    assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


async def test_others_are_asked_once_for_many_lists(
    servers: Servers, answered: None, long: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, edge = [await servers.start(name) for name in ("home", "edge")]
    await edge.bot()
    asked: list[Ask] = []
    answer = edge.host.peers._handlers["ask"]

    def heard(peer: str, ask: Ask) -> None:
        asked.append(ask)
        answer(peer, ask)

    monkeypatch.setitem(edge.host.peers._handlers, "ask", heard)
    assert await asyncio.gather(*(names(home) for _ in range(20))) == [["raw"]] * 20
    assert await names(home) == ["raw"]
    assert len([ask for ask in asked if ask.HasField("bots")]) == 1


async def test_a_bot_that_came_here_from_another_server_is_listed_once(
    servers: Servers, answered: None, long: None
) -> None:
    home, edge = [await servers.start(name) for name in ("home", "edge")]
    old = await edge.bot()
    assert await names(home) == ["raw"]
    await old.close()
    await home.bot()
    assert await names(home) == ["raw"]
    await home.bot("two")
    assert await names(home) == ["raw", "raw"]


async def test_an_answer_about_bots_is_made_once_for_all_who_ask(
    servers: Servers, long: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is told it as the answer to its own question."""
    edge = await servers.start("edge")
    for name in ("one", "two"):
        await edge.bot(name)
    said: list[tuple[str, Answer]] = []
    made: list[Any] = []

    def counted(session: Any) -> peers_pb2.Bot:
        made.append(session)
        return bot_to_pb(session)

    def say(peer: str, item: Item) -> None:
        said.append((peer, item.answer))

    monkeypatch.setattr(questions, "bot_to_pb", counted)
    monkeypatch.setattr(edge.host.peers.questions, "_say", say)
    for number in range(1, 6):
        question = Ask(id=number, bots=peers_pb2.ListBots())
        edge.host.peers.questions.asked(f"peer{number}", question)
    await until(lambda: len(said) == 5)
    edge.host.peers.questions.asked("peer6", Ask(id=6, bots=peers_pb2.ListBots()))
    await until(lambda: len(said) == 6)
    assert [(peer, answer.id) for peer, answer in said] == [(f"peer{n}", n) for n in range(1, 7)]
    for _, answer in said:
        assert [one.bot.instance.instance_id for one in answer.bots] == ["one", "two"]
    assert len(made) == 2


async def test_an_answer_about_bots_is_made_with_pauses(
    servers: Servers, long: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    edge = await servers.start("edge")
    for number in range(5):
        await edge.bot(f"{number}")
    monkeypatch.setattr(questions, "SLICE_S", 0.0)
    said: list[Item] = []
    monkeypatch.setattr(edge.host.peers.questions, "_say", lambda _, item: said.append(item))
    edge.host.peers.questions.asked("peer", Ask(id=1, bots=peers_pb2.ListBots()))
    turns = 0
    while not said:
        await asyncio.sleep(0)
        turns += 1
    assert len(said[0].answer.bots) == 5
    assert turns > 5


class Making:
    """Something to make, and how often it was made."""

    def __init__(self) -> None:
        self.times = 0
        self.fails = False
        self.tasks: list[asyncio.Task[None]] = []

    async def make(self) -> int:
        self.times += 1
        await asyncio.sleep(0.1)
        if self.fails:
            raise ValueError(self.times)
        return self.times

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        self.tasks.append(asyncio.create_task(work))


@virtually
async def test_what_is_kept_is_made_once_a_second() -> None:
    making = Making()
    one = Kept(making.make, spawn=making.spawn)
    assert await asyncio.gather(*(one.get() for _ in range(5))) == [1] * 5
    await asyncio.sleep(KEPT_S / 2)
    assert await one.get() == 1
    await asyncio.sleep(KEPT_S / 2)
    assert await asyncio.gather(*(one.get() for _ in range(5))) == [2] * 5
    assert making.times == 2


@virtually
async def test_who_breaks_off_takes_what_is_being_made_from_nobody() -> None:
    making = Making()
    one = Kept(making.make, spawn=making.spawn)
    first, second = (asyncio.create_task(one.get()) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    assert await second == 1


@virtually
async def test_what_cannot_be_made_is_told_and_tried_again() -> None:
    making = Making()
    making.fails = True
    one = Kept(making.make, spawn=making.spawn)
    told = await asyncio.gather(one.get(), one.get(), return_exceptions=True)
    assert [str(error) for error in told] == ["1", "1"]
    making.fails = False
    assert await one.get() == 2
    failed, good = making.tasks
    assert isinstance(failed.exception(), ValueError)
    assert good.exception() is None
