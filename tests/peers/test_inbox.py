"""Inboxes: what is said comes once, in order, and what is lost is said again."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator
from typing import Any

import pytest
from redis.asyncio import Redis
from tests.chaos.conftest import beside
from tests.e2e.playing import LABEL, Player, check_records
from tests.host.conftest import a_match
from tests.peers.conftest import Server, Servers, until
from tests.rpc.conftest import WAIT_S, board

from contree.engine import Seat
from contree.peers.v1 import peers_pb2
from contree.peers.v1.peers_pb2 import Entry, Item
from contree.server.host.peers.post import SCHEMA, Post
from contree.server.host.peers.refs import renamed
from contree.server.match import SeatPlan
from contree.server.store import RedisStore, StoreUnavailable, connect
from contree.server.telemetry import Metrics
from contree.v1 import play_service_pb2
from contree.v1.play_service_pb2 import ServerMessage


class End:
    """One of two servers, of which there is nothing but the post."""

    def __init__(self, store: RedisStore, name: str) -> None:
        self.heard: list[str] = []
        self.missed: list[str] = []
        self.metrics = Metrics()
        self.post = Post(
            store.inboxes,
            name,
            deliver=lambda _, item: self.heard.append(item.gone.nonce),
            missed=self.missed.append,
            metrics=self.metrics,
        )

    def say(self, *names: str, to: str = "b") -> None:
        for name in names:
            self.post.say(to, said(name))


def said(name: str) -> Item:
    return Item(gone=peers_pb2.Gone(nonce=name))


@pytest.fixture
async def ends(servers: Servers) -> AsyncIterator[tuple[End, End, RedisStore]]:
    store = await connect(servers.url)
    other = await connect(servers.url)
    ann, bob = End(store, "a"), End(other, "b")
    await store.inboxes.announce("a", b"", 5000, "0")
    await store.inboxes.announce("b", b"", 5000, "0")
    ann.post.open("b")
    works = [work for end in (ann, bob) for work in (end.post.write, end.post.read)]
    tasks = [asyncio.create_task(work()) for work in works]
    yield ann, bob, store
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await store.close()
    await other.close()


Ends = tuple[End, End, RedisStore]


@pytest.fixture
async def third(ends: Ends) -> AsyncIterator[End]:
    """One more that the first one writes to."""
    ann, _, store = ends
    cid = End(store, "c")
    await store.inboxes.announce("c", b"", 5000, "0")
    ann.post.open("c")
    async with beside(cid.post.read()):
        yield cid


class Away:
    """A part of the store that one inbox is in, and that does not answer."""

    def __init__(self, store: RedisStore, inbox: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self._put, self._inbox = store.inboxes.put, inbox
        self.tries = 0
        self.back = False
        monkeypatch.setattr(store.inboxes, "put", self.put)

    async def put(self, entries: Any) -> Any:
        if self.back:
            return await self._put(entries)
        results = iter(await self._put([one for one in entries if one[0] != self._inbox]))
        self.tries += any(peer == self._inbox for peer, _ in entries)
        return [
            StoreUnavailable("here", "away") if peer == self._inbox else next(results)
            for peer, _ in entries
        ]


async def test_what_one_pass_has_to_say_goes_as_one_entry(ends: Ends, raw: Redis) -> None:
    ann, bob, _ = ends
    names = [f"n{number}" for number in range(300)]
    ann.say(*names)
    await until(lambda: bob.heard == names)
    assert ann.metrics.registry.get_sample_value("contree_peer_entries_total") == 1
    assert ann.metrics.registry.get_sample_value("contree_peer_items_total") == 300
    assert not bob.missed
    assert await raw.xlen("inbox:b") == 2  # the first one made the inbox


async def test_an_entry_that_is_put_twice_is_heard_once(
    ends: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store took it, and its answer was lost."""
    ann, bob, store = ends
    put, failures = store.inboxes.put, 2

    async def unsure(entries: Any) -> Any:
        nonlocal failures
        results = await put(entries)
        if failures:
            failures -= 1
            return [StoreUnavailable("here", "no answer")] * len(results)
        return results

    monkeypatch.setattr(store.inboxes, "put", unsure)
    ann.say("one")
    await until(lambda: not failures)
    ann.say("two")
    await until(lambda: bob.heard == ["one", "two"])
    assert not bob.missed


async def test_a_gap_is_noticed_with_the_next_entry(ends: Ends, raw: Redis) -> None:
    ann, bob, store = ends
    ann.say("one")
    await until(lambda: bob.heard == ["one"])
    await raw.delete("inbox:b")
    ann.say("lost")
    await ann.post.settled()
    await store.inboxes.announce("b", b"", 5000, "0")
    ann.say("two")
    await until(lambda: bob.heard == ["one", "two"])
    assert bob.missed == ["a"]


async def test_a_last_entry_that_is_lost_is_noticed_by_what_its_sender_lets_know(
    ends: Ends, raw: Redis
) -> None:
    """At the second look: what was written a moment before the first may still come."""
    ann, bob, _ = ends
    ann.say("one")
    await until(lambda: bob.heard == ["one"])
    bob.post.told("a", ann.post.sent())
    assert not bob.missed
    await raw.delete("inbox:b")
    ann.say("lost")
    await ann.post.settled()
    bob.post.told("a", ann.post.sent())
    assert not bob.missed
    bob.post.told("a", ann.post.sent())
    assert bob.missed == ["a"]
    bob.post.told("a", ann.post.sent())
    assert bob.missed == ["a"]


async def test_a_first_entry_that_is_lost_is_noticed_too(ends: Ends, raw: Redis) -> None:
    ann, bob, _ = ends
    bob.post.open("a")
    await raw.delete("inbox:b")
    ann.say("lost")
    await ann.post.settled()
    for _ in range(3):
        bob.post.told("a", ann.post.sent())
    assert bob.missed == ["a"]


async def test_a_sender_that_begins_anew_is_heard(ends: Ends) -> None:
    ann, bob, _ = ends
    ann.say("one")
    await until(lambda: bob.heard == ["one"])
    ann.post.close("b")
    ann.post.open("b")
    ann.say("two")
    await until(lambda: bob.heard == ["one", "two"])
    assert bob.missed == ["a"]


async def test_who_says_too_much_loses_it_and_it_is_noticed(
    ends: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While the store is away nothing grows without end."""
    monkeypatch.setattr("contree.server.host.peers.post._MOST", 10)
    ann, bob, _ = ends
    ann.say(*(f"n{number}" for number in range(25)))
    await until(lambda: bob.heard == [f"n{number}" for number in range(20, 25)])
    assert bob.missed == ["a"]


async def test_a_part_of_the_store_that_is_away_holds_up_no_other_peer(
    ends: Ends, third: End, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, bob, store = ends
    away = Away(store, "b", monkeypatch)
    ann.say("one")
    await until(lambda: away.tries)
    for number in range(3):
        ann.say(f"n{number}")
        ann.say(f"n{number}", to="c")
        await until(lambda: third.heard[-1:] == [f"n{number}"])  # noqa: B023
    assert third.heard == ["n0", "n1", "n2"]
    assert bob.heard == []
    away.back = True
    await until(lambda: bob.heard == ["one", "n0", "n1", "n2"])
    async with asyncio.timeout(WAIT_S):
        await ann.post.settled()
    assert not bob.missed
    assert not third.missed


async def test_what_waits_for_a_part_that_is_away_has_bounds(
    ends: Ends, third: End, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who is told too much meanwhile loses it; the others lose nothing."""
    monkeypatch.setattr("contree.server.host.peers.post._MOST", 10)
    ann, bob, store = ends
    away = Away(store, "b", monkeypatch)
    names = [f"n{number}" for number in range(25)]
    for first in range(0, 25, 5):
        some = names[first : first + 5]
        ann.say(*some)
        ann.say(*some, to="c")
        await until(lambda: third.heard[-5:] == some)  # noqa: B023
    away.back = True
    await until(lambda: bob.heard == [*names[:5], *names[15:]])
    assert bob.missed == ["a"]
    assert third.heard == names
    assert not third.missed


async def test_what_the_store_has_not_answered_for_is_not_said_to_be_written(
    ends: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, bob, store = ends
    ann.say("one")
    await until(lambda: bob.heard == ["one"])
    away = Away(store, "b", monkeypatch)
    ann.say("two")
    await until(lambda: away.tries)
    for _ in range(3):
        bob.post.told("a", ann.post.sent())
    assert not bob.missed
    away.back = True
    await until(lambda: bob.heard == ["one", "two"])
    assert not bob.missed


async def test_a_peer_that_is_gone_waits_for_no_store(
    ends: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, _, store = ends
    away = Away(store, "b", monkeypatch)
    ann.say("one")
    await until(lambda: away.tries)
    ann.post.close("b")
    async with asyncio.timeout(WAIT_S):
        await ann.post.settled()


async def test_an_entry_of_another_form_and_garbage_are_passed_over(ends: Ends, raw: Redis) -> None:
    ann, bob, _ = ends
    newer = Entry(schema=SCHEMA + 1, sender="a", link=1, number=1, items=[said("newer")])
    await raw.xadd("inbox:b", {"e": newer.SerializeToString()})
    await raw.xadd("inbox:b", {"e": b"\xff\xff"})
    ann.say("one")
    await until(lambda: bob.heard == ["one"])


def test_a_seat_is_called_otherwise_and_nothing_else_changes() -> None:
    rng = random.Random(1)
    for _ in range(500):
        before = rng.choice([0, 1, 127, 128, 300, 1 << 20])
        after = rng.choice([1, 127, 128, 70_000])
        reason = "x" * rng.choice([0, 1, 100, 126, 127, 128, 5000])
        message = ServerMessage(
            act_result=play_service_pb2.ActResult(
                seat_ref=before,
                decision_id=b"d" * 12,
                status=play_service_pb2.ACT_STATUS_STALE,
                reason=reason,
            )
        )
        changed = renamed(message.SerializeToString(), after)
        message.act_result.seat_ref = after
        assert changed == message.SerializeToString()


@pytest.mark.parametrize("delivery", [1, 2], ids=["state", "events"])
async def test_play_goes_on_when_inboxes_are_lost(
    servers: Servers, raw: Redis, delivery: int
) -> None:
    """Deleted again and again in the middle of matches, whatever is in them."""
    home = await servers.start("home", lease_ms=1000)
    edge = await servers.start("edge", lease_ms=1000)
    bot = await edge.bot(delivery=delivery)
    made = [await home.matches.CreateMatch(board(number, labels=[LABEL])) for number in range(1, 7)]
    player = Player()
    for acts in (20, 60, 90):
        async with asyncio.timeout(2 * WAIT_S):
            await player.play(bot, until_acts=acts)
        for server in servers.all:
            await raw.delete(f"inbox:{server.host.peers.address}")
    async with asyncio.timeout(2 * WAIT_S):
        await player.play(bot, until_ended=2 * len(made))
    await check_records(home.channel, player)
    for one in made:
        match = await edge.host.queries.match(one.match.id)
        assert not match.faults


async def test_what_was_lost_in_an_inbox_is_said_again(
    servers: Servers, raw: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without any further word that would show it: the first turn of a match, and its answer."""
    home = await servers.start("home", lease_ms=1000)
    edge = await servers.start("edge", lease_ms=1000)
    bot = await edge.bot()
    house = SeatPlan(house="rules")
    made = await home.host.matches.create(a_match((SeatPlan(bot="raw"), house, house, house)))
    table = home.host.tables.get(made.id)
    assert table is not None
    assigned = (await bot.next("seat_assigned")).seat_assigned

    async with unread(edge, raw, monkeypatch):
        ready = play_service_pb2.Ready(seat_ref=assigned.seat_ref)
        await bot.say(play_service_pb2.ClientMessage(ready=ready))
        await until(lambda: any(table.match.owed_since))
        await until(lambda: table.elapsed_ms(Seat.NORTH, home.host.tables.deadlines.now()) > 4_000)
    turn = (await bot.next("turn")).turn
    control = table.match.spec.time
    shown = turn.decision.clock.remaining.ToMilliseconds()
    assert shown > control.per_move + control.bank - 3_500

    before = table.match.version
    (far,) = edge.host.peers.edge.all()
    _, began = far.asked
    async with unread(home, raw, monkeypatch):
        await bot.act(turn)
        await until(lambda: any(far.pending for far in edge.host.peers.edge.all()))
        thought = edge.host.tables.deadlines.now() - began
    result = (await bot.next("act_result")).act_result
    assert result.status == play_service_pb2.ACT_STATUS_ACCEPTED
    assert table.match.version > before
    again = (await bot.next("turn")).turn
    assert again.decision.clock.charged.ToMilliseconds() <= 1000 * thought


@contextlib.asynccontextmanager
async def unread(
    server: Server, raw: Redis, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[None]:
    """What is put into an inbox meanwhile is lost before it is read."""
    inboxes = server.host.store.inboxes
    inbox, read, closed = f"inbox:{server.host.peers.address}", inboxes.read, asyncio.Event()

    async def later(*arguments: Any) -> Any:
        await closed.wait()
        return await read(*arguments)

    monkeypatch.setattr(inboxes, "read", later)
    # The read that is under way ends with the next entry, which is nobody's.
    await raw.xadd(inbox, {"e": b""})
    length = await raw.xlen(inbox)
    yield
    async with asyncio.timeout(WAIT_S):
        while await raw.xlen(inbox) <= length:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    await raw.delete(inbox)
    monkeypatch.setattr(inboxes, "read", read)
    closed.set()
