"""What a caller may have open and ask for; and that its seats are never out of reach."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import pytest

from contree.server.access import (
    ANONYMOUS,
    Caller,
    Quota,
    Quotas,
    RateLimited,
    Role,
    Unauthenticated,
    counted_as,
)
from contree.server.access import quotas as module
from contree.server.access.keys import KeyLimits
from contree.server.access.quotas import RESUMES
from contree.server.store import StoreUnavailable

ANN = Caller("ann", roles=frozenset({Role.BOT}))
BOB = Caller("bob", roles=frozenset({Role.BOT}))


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def quotas(clock: Clock, **limits: int) -> Quotas:
    few = {"streams": 3, "hellos": 6, "queries": 2, "watches": 2, "matches": 2}
    return Quotas(Quota(**{**few, **limits}), clock)


def test_queries_are_counted_by_key(clock: Clock) -> None:
    counts = quotas(clock)
    for caller in (ANN, BOB, ANONYMOUS):
        counts.ask(caller)
        counts.ask(caller)
        with pytest.raises(RateLimited, match="More than 2 calls a minute") as refused:
            counts.ask(caller)
        assert refused.value.retry_after == pytest.approx(30.0)
    clock.now += 30.0
    counts.ask(ANN)


def test_a_key_has_limits_of_its_own(clock: Clock) -> None:
    counts = quotas(clock)
    much = Caller("much", limits=KeyLimits(queries=1000))
    for _ in range(1000):
        counts.ask(much)
    with pytest.raises(RateLimited):
        counts.ask(much)


def test_live_matches_are_limited(clock: Clock) -> None:
    counts = quotas(clock)
    counts.create(ANN, 1)
    with pytest.raises(RateLimited, match=r"2 live matches of key ann .* \(CONTREE_MAX_MATCHES\)"):
        counts.create(ANN, 2)
    counts.create(Caller("much", limits=KeyLimits(matches=3)), 2)
    with pytest.raises(RateLimited, match="of callers without a key"):
        counts.create(Caller(), 5)


def test_watches_are_free_again(clock: Clock) -> None:
    counts = quotas(clock, queries=100)
    for _ in range(10):
        with counts.watch(ANN), counts.watch(ANN):
            with pytest.raises(RateLimited, match="2 watches open for key ann"), counts.watch(ANN):
                pass
            with counts.watch(BOB):
                pass
    assert not counts._watches


def test_bots_are_counted_once_however_often_they_dial(clock: Clock) -> None:
    counts = quotas(clock, hellos=1000)
    with ExitStack() as here:
        for instance in "abc":
            here.enter_context(counts.playing(ANN, instance, owed=False))
        # The stream before it is dead, and the server does not know it yet.
        again = counts.playing(ANN, "a", owed=False)
        with again, pytest.raises(RateLimited, match="3 bots connected for key ann"):
            here.enter_context(counts.playing(ANN, "d", owed=False))
        with counts.playing(BOB, "d", owed=False):
            pass
    with counts.playing(ANN, "d", owed=False):
        pass
    assert not counts._instances


def test_a_bot_that_holds_seats_is_let_in_whatever_others_used_up(clock: Clock) -> None:
    """lichess-bot #309: a limit that hits a move loses a game (row 25 of the faults others met)."""
    counts = quotas(clock)
    with ExitStack() as here:
        for number in range(3):
            here.enter_context(counts.playing(ANONYMOUS, number, owed=False))
        for _ in range(3):
            with counts.playing(ANONYMOUS, 0, owed=False):
                pass
        with pytest.raises(RateLimited, match="streams a minute"):
            here.enter_context(counts.playing(ANONYMOUS, "new", owed=False))
        for instance in ("x", "y"):
            here.enter_context(counts.playing(ANONYMOUS, instance, owed=True))
    # One that does nothing but come back is slowed down itself, and keeps nobody else out.
    for _ in range(RESUMES - 1):
        with counts.playing(ANONYMOUS, "x", owed=True):
            pass
    with (
        pytest.raises(RateLimited, match="for one bot") as refused,
        counts.playing(ANONYMOUS, "x", owed=True),
    ):
        pass
    assert refused.value.retry_after <= 10.0
    with counts.playing(ANONYMOUS, "z", owed=True):
        pass


def test_a_key_that_may_open_few_streams_comes_back_for_its_seats_all_the_same(
    clock: Clock,
) -> None:
    """A broken line must not cost the moves that are owed, whatever `--limit hellos` says."""
    counts = quotas(clock)
    few = Caller("few", roles=frozenset({Role.BOT}), limits=KeyLimits(hellos=2))
    for _ in range(2):
        with counts.playing(few, "a", owed=False):
            pass
    with pytest.raises(RateLimited), counts.playing(few, "a", owed=False):
        pass
    for _ in range(30):
        with counts.playing(few, "a", owed=True):
            pass
    much = Caller("much", limits=KeyLimits(hellos=100))
    for _ in range(100):
        with counts.playing(much, "b", owed=True):
            pass


def test_a_list_counts_by_its_length(clock: Clock) -> None:
    counts = quotas(clock, queries=40)
    for _ in range(2):  # 1,000 matches weigh as much as 20 calls
        counts.ask(ANN)
        counts.weigh(ANN, 1000)
    with pytest.raises(RateLimited, match="40 calls a minute for key ann"):
        counts.ask(ANN)
    for _ in range(40):
        counts.ask(BOB)
        counts.weigh(BOB, 50)
    with pytest.raises(RateLimited):
        counts.ask(BOB)


def test_a_list_longer_than_a_quota_takes_all_of_it(clock: Clock) -> None:
    counts = quotas(clock, queries=2)
    counts.weigh(ANN, 1000)
    with pytest.raises(RateLimited, match="by its length") as refused:
        counts.weigh(ANN, 1000)
    assert refused.value.retry_after == pytest.approx(60.0)


def test_of_too_many_silent_streams_the_oldest_is_ended(clock: Clock) -> None:
    counts = quotas(clock)
    ended: list[tuple[str, Exception]] = []

    def opening(name: str) -> Any:
        return counts.opening(ANN, lambda why: ended.append((name, why)))

    with ExitStack() as silent:
        for name in "abc":
            silent.enter_context(opening(name))
        assert ended == []
        with opening("d"), counts.playing(ANN, "d", owed=False), opening("e"):
            pass
        # "d" said Hello, and so does not count where "e" comes.
        assert [name for name, _ in ended] == ["a"]
        assert isinstance(ended[0][1], RateLimited)
        with counts.opening(BOB, lambda why: ended.append(("bob", why))):
            pass
    assert len(ended) == 1
    assert not counts._openings


def test_only_tokens_that_are_not_good_count_against_an_address(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a fail-over all bots behind a proxy are new to the server, and owe moves."""
    monkeypatch.setattr(module, "STRANGERS", 3)
    counts = quotas(clock)

    def fails(with_: Exception) -> None:
        with pytest.raises(type(with_)), counts.introduction("proxy"):
            raise with_

    for _ in range(100):
        with counts.introduction("proxy"):
            pass
    for _ in range(100):
        fails(StoreUnavailable("store", "down"))
    for _ in range(3):
        fails(Unauthenticated("none that is good"))
    with pytest.raises(RateLimited, match="without a good token"), counts.introduction("proxy"):
        raise AssertionError("it is not looked up")
    with counts.introduction("elsewhere"):
        pass
    clock.now += 20.0
    with counts.introduction("proxy"):
        pass


def test_a_flood_of_addresses_takes_a_bounded_memory(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_BUCKETS", 100)
    counts = quotas(clock)
    for number in range(1000):
        counts.ask(Caller(peer=f"10.0.0.{number}"))
    assert len(counts._buckets) == 100


@pytest.mark.parametrize(
    ("peer", "counted"),
    [
        ("ipv4:10.1.2.3:5555", "10.1.2.3"),
        ("ipv6:%5B::1%5D:5555", "::1"),
        ("ipv6:[2001:db8:1:2:3:4:5:6]:5555", "2001:db8:1:2::/64"),
        ("ipv6:%5B2001:db8:1:2:ffff::1%5D:1", "2001:db8:1:2::/64"),
        ("ipv6:%5Bfe80::1%25eth0%5D:1", "fe80::/64"),
        ("ipv6:[::ffff:10.1.2.3]:5555", "10.1.2.3"),
        ("unix:", "unix"),
        ("unix:/tmp/s", "unix"),
        ("", "unknown"),
        ("ipv4:", "unknown"),
        ("ipv6:[not an address]:1", "unknown"),
    ],
)
def test_what_a_peer_is_counted_as(peer: str, counted: str) -> None:
    assert counted_as(peer) == counted
