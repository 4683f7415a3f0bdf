"""Which bot is offered which seat, and how much is looked at for it."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from tests.match.matches import NOW, spec

from contree.engine import Seat
from contree.server.host.lobby import Lobby, Room
from contree.server.host.session import Identity, Session
from contree.server.host.table import Table
from contree.server.match import Created, SeatPlan, create

MADE = create(Created(spec()), NOW).after


def session(bot: str, instance: str, *, capacity: int = 4, key: str = "") -> Session:
    identity = Identity(bot, "1", instance, capacity, key_id=key)
    return Session(identity, max_outbox=16, now=0.0)


def table(match_id: str, *plans: SeatPlan) -> Table:
    north, east, south, west = plans * (4 // len(plans))
    wanted = replace(MADE.spec, match_id=match_id, seats=(north, east, south, west))
    return Table(replace(MADE, spec=wanted), 1, 0.0, 0.0)


def lobby_of(*sessions: Session) -> Lobby:
    lobby = Lobby()
    for one in sessions:
        lobby.enter(one)
    return lobby


def wait(lobby: Lobby, *tables: Table) -> None:
    for one in tables:
        for seat in Seat:
            lobby.await_bot(one, seat)


def seated(lobby: Lobby) -> Iterator[tuple[str, str, Seat]]:
    """Seat what is offered: who, at which match, and where."""
    for one, at, seat in lobby.offers():
        one.holding.reserved += 1
        yield one.identity.instance_id, at.match.id, seat


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often sessions are looked at, be it for who they are or for their room; by bot."""
    counts: Counter[str] = Counter()
    slot: Any = vars(Session)["identity"]

    def read(one: Session) -> Identity:
        identity: Identity = slot.__get__(one)
        counts[identity.bot] += 1
        return identity

    def write(one: Session, identity: Identity) -> None:
        slot.__set__(one, identity)

    monkeypatch.setattr(Session, "identity", property(read, write))
    return counts


def test_bots_of_another_name_are_not_looked_at(looked: Counter[str]) -> None:
    lobby = lobby_of(*(session("idle", f"{n}") for n in range(1_000)), session("b", "1"))
    looked.clear()
    wait(lobby, *(table(f"m{n:03}", SeatPlan(bot="away")) for n in range(250)))
    assert list(seated(lobby)) == []
    assert not looked
    wait(lobby, table("mine", SeatPlan(bot="b")))
    assert len(list(seated(lobby))) == 4
    assert looked["idle"] == 0


@pytest.mark.parametrize(
    "plan",
    [
        SeatPlan(bot="a", instance_id="away"),
        SeatPlan(bot="a", key_id="away"),
        SeatPlan(bot="a", instance_id="1", key_id="away"),
    ],
    ids=["instance", "key", "both"],
)
def test_seats_that_nobody_fits_cost_a_few_looks_at_each_bot(
    plan: SeatPlan, looked: Counter[str]
) -> None:
    lobby = lobby_of(*(session("a", f"b{n}") for n in range(1_000)))
    looked.clear()
    wait(lobby, *(table(f"m{n:03}", plan) for n in range(250)))
    assert list(seated(lobby)) == []
    assert looked["a"] <= 3_000


def test_seats_that_nobody_fits_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each bot that arrives, and each match that ends, has waiting seats looked at again."""
    asked: list[SeatPlan] = []
    roomiest = Room.roomiest

    def counted(room: Room, plan: SeatPlan) -> Session | None:
        asked.append(plan)
        return roomiest(room, plan)

    monkeypatch.setattr(Room, "roomiest", counted)
    lobby = lobby_of(session("a", "here", capacity=2), session("a", "there"))
    for number in range(250):
        wait(lobby, table(f"m{number:03}", SeatPlan(bot="a", instance_id=f"away{number % 9}")))
    assert list(seated(lobby)) == []
    assert not asked
    wait(lobby, *(table(f"n{n:03}", SeatPlan(bot="a", instance_id="here")) for n in range(250)))
    assert len(list(seated(lobby))) == 2
    assert len(asked) == 3
    assert lobby.waiting == 500 * 4 - 2


def test_a_thousand_seats_for_a_thousand_bots_cost_a_few_looks_each(looked: Counter[str]) -> None:
    lobby = lobby_of(*(session("a", f"{n:03}", capacity=1) for n in range(1_000)))
    looked.clear()
    wait(lobby, *(table(f"m{n:03}", SeatPlan(bot="a")) for n in range(250)))
    given = list(seated(lobby))
    assert [one for one, _, _ in given] == [f"{n:03}" for n in range(1_000)]
    assert looked["a"] <= 8_000


def test_nothing_is_looked_at_where_nobody_has_room(looked: Counter[str]) -> None:
    full = [session("a", f"{n}", capacity=1) for n in range(10)]
    for one in full:
        one.holding.reserved = 1
    lobby = lobby_of(*full)
    looked.clear()
    wait(lobby, *(table(f"m{n:03}", SeatPlan(bot="a")) for n in range(250)))
    assert list(seated(lobby)) == []
    assert looked["a"] <= 20


def test_the_oldest_seat_is_first_and_the_roomiest_bot() -> None:
    lobby = lobby_of(session("a", "small", capacity=2), session("a", "big", capacity=4))
    wait(lobby, table("m2", SeatPlan(bot="a")), table("m1", SeatPlan(bot="a")))
    north, east, south, west = Seat
    assert list(seated(lobby)) == [
        ("big", "m2", north),
        ("big", "m2", east),
        ("small", "m2", south),  # of as much room, and here for longer
        ("big", "m2", west),
        ("small", "m1", north),
        ("big", "m1", east),
    ]
    lobby.enter(session("a", "later", capacity=1))
    assert list(seated(lobby)) == [("later", "m1", south)]


def test_a_table_that_is_gone_waits_no_more() -> None:
    lobby = lobby_of(session("a", "1", capacity=8))
    gone, here = table("m1", SeatPlan(bot="a")), table("m2", SeatPlan(bot="a"))
    wait(lobby, gone, here)
    lobby.forget(gone)
    assert {at for _, at, _ in seated(lobby)} == {"m2"}
    assert not lobby._waiting


def test_the_newer_session_of_an_instance_counts() -> None:
    old, new = session("a", "1"), session("a", "1", capacity=1)
    lobby = lobby_of(old)
    assert lobby.enter(new) is old
    lobby.leave(old)
    assert lobby.sessions() == (new,)
    wait(lobby, table("m1", SeatPlan(bot="a")))
    assert len(list(seated(lobby))) == 1
    lobby.leave(new)
    assert not lobby._by_bot
    assert list(seated(lobby)) == []


@pytest.mark.parametrize("seed", range(30))
def test_as_if_each_seat_looked_at_all_bots(seed: int) -> None:
    """The rule itself, written plainly; seats of one name in order."""
    rng = random.Random(seed)
    sessions = [
        session(
            rng.choice("ab"), rng.choice("123"), capacity=rng.randint(1, 6), key=rng.choice("kl")
        )
        for _ in range(8)
    ]
    lobby = lobby_of(*sessions)
    here = lobby.sessions()
    plans = [
        SeatPlan(
            bot=rng.choice("abc"),
            instance_id=rng.choice(["", "", "1", "2"]),
            key_id=rng.choice(["", "", "k", "l"]),
        )
        for _ in range(24)
    ]
    tables = [table(f"m{n}", *plans[4 * n : 4 * n + 4]) for n in range(6)]
    wait(lobby, *tables)
    free = {one.identity.key: one.free for one in here}
    expected = set()
    for one in tables:
        for seat, plan in zip(Seat, one.match.spec.seats, strict=True):
            fitting = [
                s.identity.key
                for s in here
                if free[s.identity.key]
                and s.identity.bot == plan.bot
                and plan.instance_id in ("", s.identity.instance_id)
                and plan.key_id in ("", s.identity.key_id)
            ]
            if fitting:
                best = max(fitting, key=free.__getitem__)
                free[best] -= 1
                expected.add((best, one.match.id, seat))
    found = set()
    for who, at, seat in lobby.offers():
        who.holding.reserved += 1
        found.add((who.identity.key, at.match.id, seat))
    assert found == expected
