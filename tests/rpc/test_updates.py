"""WatchMatches: many watchers cost one connection, slow ones no memory; tokens hold."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

import grpc
import pytest
from redis.asyncio import Redis
from tests.rpc.conftest import WAIT_S
from tests.rpc.servers import Start, hosting, raw, start, url

from contree.server.host import updates
from contree.server.host.updates import Updates
from contree.server.store import RedisStore, connect, keys
from contree.v1 import error_reason_pb2, match_pb2, match_service_pb2

__all__ = ["raw", "start", "url"]


def house_board(*labels: str) -> match_service_pb2.CreateMatchRequest:
    seats = [match_pb2.SeatSpec(seat=seat, house="random") for seat in (1, 2, 3, 4)]  # type: ignore[arg-type]
    return match_service_pb2.CreateMatchRequest(
        board=match_pb2.BoardMode(number=1), seats=seats, labels=labels
    )


async def create(channel: grpc.aio.Channel, *labels: str) -> str:
    return str((await hosting(channel).CreateMatch(house_board(*labels))).match.id)


async def ends(
    channel: grpc.aio.Channel,
    label: str,
    token: str,
    count: int,
    told: Callable[[], object] = lambda: None,
) -> list[Any]:
    """So many updates of matches that ended, after a token; ``told`` is called at each update."""
    found: list[Any] = []
    request = match_service_pb2.WatchMatchesRequest(label=label, resume_token=token)
    async with asyncio.timeout(WAIT_S):
        async for update in hosting(channel).WatchMatches(request):
            told()
            if update.match.state == match_pb2.MATCH_STATE_ENDED:
                found.append(update)
                if len(found) == count:
                    break
    return found


async def test_many_watchers_of_many_labels_wait_on_one_connection(
    start: Start, raw: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(updates, "_KEEPALIVE_S", 0.5)
    channel = await start("one")
    labels = [f"label-{n}" for n in range(20)]
    come: set[tuple[str, int]] = set()
    watching = [
        asyncio.create_task(ends(channel, label, "", 1, partial(come.add, (label, number))))
        for label in labels
        for number in range(5)
    ]
    async with asyncio.timeout(WAIT_S):
        # Each is told something, if only that nothing happens, once it waits.
        while len(come) < len(watching) or not await _blocked(raw):
            assert await _blocked(raw) <= 1
            await asyncio.sleep(0.01)
    for _ in range(50):
        assert await _blocked(raw) <= 1
    made = {label: await create(channel, label) for label in labels}
    seen = await asyncio.gather(*watching)
    assert [update.match.id for (update,) in seen] == [
        made[one] for one in labels for _ in range(5)
    ]


async def _blocked(raw: Redis) -> int:
    """Connections that wait, but for the one that reads the server's inbox."""
    return max(0, int((await raw.info("clients"))["blocked_clients"]) - 1)


async def test_a_token_is_good_at_another_server_and_after_a_restart(start: Start) -> None:
    one = await start("one")
    first = [await create(one, "event") for _ in range(3)]
    seen = await ends(one, "event", "", 3)
    other = await start("other")
    more = [await create(other, "event") for _ in range(2)]
    for channel in (one, other, await start("third")):
        rest = await ends(channel, "event", seen[0].resume_token, 4)
        assert {update.match.id for update in rest} == {*first, *more} - {seen[0].match.id}


async def test_a_token_older_than_the_feed_is_refused_and_says_what_to_do(
    start: Start, raw: Redis
) -> None:
    channel = await start("one")
    for _ in range(3):
        await create(channel, "event")
    seen = await ends(channel, "event", "", 3)
    await raw.xtrim(keys.feed("event"), maxlen=1, approximate=False)
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await ends(channel, "event", seen[0].resume_token, 1)
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "ListMatches" in str(refused.value.details())
    details = dict(refused.value.trailing_metadata() or ())["grpc-status-details-bin"]
    reason = error_reason_pb2.ErrorReason.Name(error_reason_pb2.ERROR_REASON_INVALID_TOKEN)
    assert reason.encode() in details
    assert b"resume_token" in details
    # The newest is still there, and what came after it is complete.
    await create(channel, "event")
    assert await ends(channel, "event", seen[-1].resume_token, 1)


async def test_8_an_idle_watch_is_kept_alive_and_told_what_comes(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """faults-others-met #8: keepalives go on, and what comes after them comes at once."""
    monkeypatch.setattr(updates, "_KEEPALIVE_S", 0.05)
    channel = await start("one")
    request = match_service_pb2.WatchMatchesRequest(label="event")
    call = hosting(channel).WatchMatches(request)
    async with asyncio.timeout(WAIT_S):
        for _ in range(5):
            kept = await call.read()
            assert not kept.HasField("match")
            assert kept.resume_token == "0"
        match_id = await create(channel, "event")
        while not (update := await call.read()).HasField("match"):
            pass
    assert update.match.id == match_id
    call.cancel()


@pytest.fixture
async def store(url: str) -> Any:
    store = await connect(url)
    yield store
    await store.close()


async def test_a_watcher_that_does_not_read_keeps_no_memory_and_loses_nothing(
    store: RedisStore,
) -> None:
    """channels_redis #256: what is dropped goes unnoticed; Spexcode #68: one stalled viewer."""
    feed = Updates(store.feeds)
    running = asyncio.create_task(feed.run())
    slow, quick = feed.watch("event", "0"), feed.watch("event", "0")
    await store.feeds.announce([("event", b"0")])
    assert (await anext(slow))[1] == (await anext(quick))[1] == b"0"
    total = 10 * updates._QUEUE
    seen: list[int] = []
    async with asyncio.timeout(60):
        for start_ in range(1, total, 50):
            await store.feeds.announce([("event", b"%d" % n) for n in range(start_, start_ + 50)])
            while len(seen) < start_ + 49:
                _, payload = await anext(quick)
                seen.append(int(payload))
            waiting = [len(one._items) for one in feed._watchers["event"]]
            assert max(waiting) <= updates._QUEUE
        assert seen == list(range(1, len(seen) + 1))
        late = [int((await anext(slow))[1]) for _ in seen]
    assert late == seen
    await slow.aclose()
    await quick.aclose()
    assert feed._watchers == {}
    assert feed._places == {}
    running.cancel()


async def test_nothing_is_lost_between_what_was_and_what_comes(store: RedisStore) -> None:
    """Watchers that come at any moment, from any place, see each later item once and in order."""
    feed = Updates(store.feeds)
    running = asyncio.create_task(feed.run())
    ids = await store.feeds.announce([("event", b"0")])
    total = 600

    async def announce() -> None:
        for number in range(1, total):
            ids.extend(await store.feeds.announce([("event", b"%d" % number)]))

    async def watch(delay: int) -> None:
        await asyncio.sleep(delay / 200)
        place = len(ids) // 2
        expected = place + 1
        async for _, payload in feed.watch("event", ids[place]):
            if payload:
                assert int(payload) == expected
                expected += 1
            if expected == total:
                return

    async with asyncio.timeout(60):
        await asyncio.gather(announce(), *(watch(delay) for delay in range(25)))
    running.cancel()


class Lingering:
    """A store from which reading is not given up at once."""

    def __init__(self) -> None:
        self.reads, self.leaves = asyncio.Event(), asyncio.Event()

    async def newest(self, label: str) -> str:
        return "0"

    async def updates(self, label: str, after: str, count: int) -> list[Any]:
        return []

    async def follow(self, places: dict[str, str], wait_ms: int) -> dict[str, Any]:
        self.reads.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.leaves.set()
            await asyncio.sleep(0.05)
        return {}


async def test_it_ends_also_while_it_takes_up_another_label() -> None:
    """A server that was stopped then went on for ever."""
    lingering: Any = Lingering()
    feed = Updates(lingering)
    running = asyncio.create_task(feed.run())
    one = asyncio.ensure_future(anext(feed.watch("a", "0")))
    async with asyncio.timeout(WAIT_S):
        await lingering.reads.wait()
    other = asyncio.ensure_future(anext(feed.watch("b", "0")))
    async with asyncio.timeout(WAIT_S):
        await lingering.leaves.wait()
        running.cancel()
        await asyncio.wait((running,))
    assert running.cancelled()
    one.cancel()
    other.cancel()
    await asyncio.wait((one, other))
