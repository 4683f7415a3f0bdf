"""What is left of a match after its end: archived, and read without its journal."""

from __future__ import annotations

import asyncio
import zlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf import duration_pb2
from redis.asyncio import Redis
from tests.rpc.conftest import WAIT_S, RawBot, board
from tests.rpc.keyed import KeyRing, refused
from tests.rpc.servers import Start, hosting, raw, start, url

from contree.cli.verifying import verify
from contree.engine import SeededDeals, format_record, parse_record
from contree.engine.recompute import check_cards
from contree.engine.shuffle import commitment
from contree.server.access import Role
from contree.server.app import running
from contree.server.host import queries
from contree.server.host.sweeper import Sweeper
from contree.server.match import Acted, Entry, Faulted, FaultKind, Seated, decode_entry
from contree.server.settings import Settings
from contree.server.store import RedisStore, StoreUnavailable, connect, keys
from contree.v1 import (
    match_pb2,
    match_service_pb2,
    spectate_service_pb2,
    spectate_service_pb2_grpc,
)
from contree.v1.match_service_pb2 import GetMatchRequest, GetRecordRequest

__all__ = ["raw", "start", "url"]


async def play(channel: grpc.aio.Channel, *, late: int = 0, **fields: Any) -> match_pb2.Match:
    """A whole board against the house; so many turns are not answered in time."""
    bot = RawBot(channel)
    await bot.hello(instance="i-1", bot_version="0.7")
    created = (await hosting(channel).CreateMatch(board(**fields))).match
    await bot.ready()
    await bot.ready()
    while True:
        message = await bot.anything()
        if message.HasField("turn"):
            if late:
                late -= 1
            else:
                await bot.act(message.turn)
        if message.HasField("match_ended"):
            break
    await bot.close()
    return created  # type: ignore[no-any-return]


async def gone(raw: Redis, key: bytes) -> None:
    async with asyncio.timeout(WAIT_S):
        while await raw.exists(key):  # noqa: ASYNC110 (it is gone by time, nobody says so)
            await asyncio.sleep(0.02)


async def archived(raw: Redis, match_id: str) -> None:
    """Wait until a match is archived."""
    await gone(raw, keys.journal(match_id))
    assert await raw.exists(keys.archive(match_id))
    assert not await raw.exists(keys.lease(match_id))


async def watched(channel: grpc.aio.Channel, match_id: str, after: int = 0) -> list[Any]:
    stub = spectate_service_pb2_grpc.SpectateServiceStub(channel)
    call = stub.Watch(spectate_service_pb2.WatchRequest(match_id=match_id, after_seq=after))
    async with asyncio.timeout(WAIT_S):
        return [event async for response in call for event in response.events]


async def entries_of(url: str, match_id: str) -> list[Entry]:
    store = await connect(url)
    try:
        return [decode_entry(data) for data in await store.read(match_id)]
    finally:
        await store.close()


async def test_a_match_that_cannot_be_read_takes_no_other_with_it(
    start: Start, raw: Redis, url: str
) -> None:
    """Made in a store: what a newer server, or a disk, may leave behind."""
    channel = await start("one")
    whole = [(await play(channel, labels=["event"])).id]
    store = await connect(url)
    try:
        entry = (await store.read(whole[0], limit=1))[0]
        newer = entry.replace(b"[1,", b"[99,", 1)
        bad = {"m-garbage": [entry, b"\xff\xfe"], "m-newer": [newer], "m-kind": [b'[1,"wonder",1]']}
        for match_id, entries in bad.items():
            await store.create(
                match_id, labels=["event"], entries=entries, owner="another", lease_ms=60_000
            )
    finally:
        await store.close()
    matches = hosting(channel)
    listed = await matches.ListMatches(match_service_pb2.ListMatchesRequest(label="event"))
    assert [match.id for match in listed.matches] == whole
    assert set(listed.unreadable) == bad.keys()
    for label, told in (("", bad.keys()), ("event", set[str]())):
        live = match_service_pb2.ListMatchesRequest(label=label, unfinished=True)
        listed = await matches.ListMatches(live)
        assert set(listed.unreadable) == told, "their labels are not known"
    unreadable = (grpc.StatusCode.FAILED_PRECONDITION, "MATCH_UNREADABLE")
    for match_id in bad:
        with refused(*unreadable):
            await matches.GetMatch(GetMatchRequest(match_id=match_id))
        # Whose it is can be read of one of them, but another server holds it.
        elsewhere = (grpc.StatusCode.UNAVAILABLE, "MATCH_ELSEWHERE")
        with refused(*(elsewhere if match_id == "m-garbage" else unreadable)):
            await matches.CancelMatch(match_service_pb2.CancelMatchRequest(match_id=match_id))
        with refused(*unreadable):
            spectating = spectate_service_pb2_grpc.SpectateServiceStub(channel)
            request = spectate_service_pb2.WatchRequest(match_id=match_id)
            await spectating.Watch(request).read()


async def test_its_host_puts_a_match_away_that_cannot_be_read(
    start: Start, raw: Redis, url: str
) -> None:
    """All its entries are kept as they are; it is no result, and nobody tries to play it on."""
    channel = await start("one")
    store = await connect(url)
    try:
        made = (await hosting(channel).CreateMatch(board(labels=["event"]))).match
        created = (await store.read(made.id, limit=1))[0].replace(made.id.encode(), b"m-damaged")
        entries = [created, b"\xff\xfe"]
        await store.create("m-damaged", labels=["event"], entries=entries, owner="x", lease_ms=1)
        matches = hosting(channel)
        cancel = match_service_pb2.CancelMatchRequest(match_id="m-damaged", reason="a bad disk")
        got = (await matches.CancelMatch(cancel)).match
        assert got.end_reason == match_pb2.END_REASON_INFRASTRUCTURE
        assert got.state == match_pb2.MATCH_STATE_ENDED
        await archived(raw, "m-damaged")
        assert await store.read("m-damaged") == entries
        got = (await matches.GetMatch(GetMatchRequest(match_id="m-damaged"))).match
        assert got.end_reason == match_pb2.END_REASON_INFRASTRUCTURE
        record = (await matches.GetRecord(GetRecordRequest(match_id="m-damaged"))).record
        assert "end: infrastructure" in parse_record(record).notes
        with refused(grpc.StatusCode.FAILED_PRECONDITION, "MATCH_UNREADABLE"):
            await watched(channel, "m-damaged")
        with refused(grpc.StatusCode.FAILED_PRECONDITION, "MATCH_ENDED"):
            await matches.CancelMatch(cancel)
    finally:
        await store.close()


async def test_a_match_of_which_nothing_can_be_read_is_an_operators(
    start: Start, raw: Redis, url: str
) -> None:
    channel = await start("one")
    store = await connect(url)
    try:
        await store.create("m-noise", labels=["event"], entries=[b"\xff"], owner="x", lease_ms=1)
        ring = KeyRing(store.api_keys)
        operator = await ring.make(Role.OPERATOR)
        matches = hosting(channel)
        cancel = match_service_pb2.CancelMatchRequest(match_id="m-noise")
        with refused(grpc.StatusCode.FAILED_PRECONDITION, "MATCH_UNREADABLE"):
            await matches.CancelMatch(cancel)
        got = (await matches.CancelMatch(cancel, metadata=operator.metadata)).match
        assert got.end_reason == match_pb2.END_REASON_INFRASTRUCTURE
        await archived(raw, "m-noise")
        assert await store.read("m-noise") == [b"\xff"]
        with refused(grpc.StatusCode.FAILED_PRECONDITION, "MATCH_UNREADABLE"):
            await matches.GetMatch(GetMatchRequest(match_id="m-noise"))
    finally:
        await store.close()


async def test_the_record_of_an_archive_that_cannot_be_read_is_refused(
    start: Start, raw: Redis
) -> None:
    """Its record was not kept, and is to be made of entries that make no sense."""
    channel = await start("one")
    match_id = (await play(channel)).id
    await archived(raw, match_id)
    empty, noise = zlib.compress(b""), zlib.compress(b"\0\0\0\1?")
    await raw.hset(keys.archive(match_id), mapping={b"record": empty, b"j0": noise})
    with refused(grpc.StatusCode.FAILED_PRECONDITION, "MATCH_UNREADABLE"):
        await hosting(channel).GetRecord(GetRecordRequest(match_id=match_id))
    with refused(grpc.StatusCode.FAILED_PRECONDITION, "MATCH_UNREADABLE"):
        await watched(channel, match_id)


async def test_an_archived_match_reads_as_it_did_before(
    start: Start, url: str, raw: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """faults-others-met #6: the replay is kept; #4: whatever happened, one terminal record."""
    held = asyncio.Event()
    finish = RedisStore.finish

    async def late(*arguments: Any, **fields: Any) -> Any:
        await held.wait()
        return await finish(*arguments, **fields)

    monkeypatch.setattr(RedisStore, "finish", late)
    one, other = await start("one"), await start("other")
    quick = match_pb2.TimeControl(
        per_move=duration_pb2.Duration(nanos=300_000_000), allowance=duration_pb2.Duration()
    )
    match_id = (await play(one, late=1, labels=["event"], time_control=quick)).id
    before = (await hosting(other).GetMatch(GetMatchRequest(match_id=match_id))).match
    record = (await hosting(other).GetRecord(GetRecordRequest(match_id=match_id))).record
    events = await watched(other, match_id)
    journal = await entries_of(url, match_id)
    held.set()
    await archived(raw, match_id)

    def no_fold(*_: Any) -> Any:
        raise AssertionError("an ended match was played again")

    monkeypatch.setattr(queries, "folded_on", no_fold)
    for channel in (one, other):
        got = (await hosting(channel).GetMatch(GetMatchRequest(match_id=match_id))).match
        assert got == before
        listing = match_service_pb2.ListMatchesRequest(label="event")
        assert list((await hosting(channel).ListMatches(listing)).matches) == [before]
        asked = GetRecordRequest(match_id=match_id)
        assert (await hosting(channel).GetRecord(asked)).record == record
        assert await watched(channel, match_id) == events
        assert await watched(channel, match_id, after=5) == [e for e in events if e.seq > 5]
    # Nothing is lost: times charged, instance ids, what the house did.
    assert await entries_of(url, match_id) == journal
    seats = [entry for entry in journal if isinstance(entry, Seated)]
    assert {(seat.instance_id, seat.version) for seat in seats} == {("i-1", "0.7")}
    faults = [entry.kind for entry in journal if isinstance(entry, Faulted)]
    assert FaultKind.TIMEOUT in faults
    assert len(before.faults) == len(faults)
    assert {entry.by_house for entry in journal if isinstance(entry, Acted)} == {True, False}
    assert parse_record(record).replay().outcome is not None


async def test_5_and_6_a_match_that_was_no_result_is_archived_too(start: Start, raw: Redis) -> None:
    """faults-others-met #5, #6: why it ended is said, and is no result."""
    channel = await start("one")
    created = (await hosting(channel).CreateMatch(board())).match
    request = match_service_pb2.CancelMatchRequest(match_id=created.id, reason="enough")
    await hosting(channel).CancelMatch(request)
    await archived(raw, created.id)
    got = (await hosting(channel).GetMatch(GetMatchRequest(match_id=created.id))).match
    assert got.end_reason == match_pb2.END_REASON_CANCELLED
    record = (await hosting(channel).GetRecord(GetRecordRequest(match_id=created.id))).record
    assert "end: cancelled" in parse_record(record).notes


async def test_a_server_that_dies_before_the_archive_leaves_it_to_the_next(
    start: Start, url: str, raw: Redis, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """faults-others-met #2, #4: a crash between the last move and the result loses neither."""

    async def away(_: Any, group: Any, **__: Any) -> Any:
        return [StoreUnavailable("here", "down for the test") for _ in group]

    with monkeypatch.context() as broken:
        broken.setattr(RedisStore, "finish", away)
        mine = replace(settings, redis_url=url, server_id="first", drain_s=0.2, lease_ms=1000)
        async with running(mine) as serving, grpc.aio.insecure_channel(serving.address) as channel:
            match_id = (await play(channel, labels=["event"])).id
    assert await raw.exists(keys.journal(match_id))
    assert not await raw.exists(keys.archive(match_id))

    second = await start("second")
    await archived(raw, match_id)
    got = (await hosting(second).GetMatch(GetMatchRequest(match_id=match_id))).match
    assert got.state == match_pb2.MATCH_STATE_ENDED
    ends = []
    async with asyncio.timeout(WAIT_S):
        request = match_service_pb2.WatchMatchesRequest(label="event")
        async for update in hosting(second).WatchMatches(request):
            if update.match.state == match_pb2.MATCH_STATE_ENDED:
                ends.append(update.match.id)
                if len(ends) == 2:
                    break
    # Told before the crash, and told again by whoever finished it.
    assert ends == [match_id, match_id]
    assert not await raw.zcard(keys.LIVE)


async def test_an_id_without_a_journal_is_listed_as_nothing(start: Start, raw: Redis) -> None:
    """A server died while it created a match."""
    channel = await start("one")
    made = (await hosting(channel).CreateMatch(board(labels=["event"]))).match
    for name in ("m0", "n0"):
        await raw.zadd(keys.label("event"), {name: 0})
        await raw.zadd(keys.LIVE, {name: 0})
    request = match_service_pb2.ListMatchesRequest(label="event", page_size=2)
    listed, token = [], ""
    while True:
        request.page_token = token
        page = await hosting(channel).ListMatches(request)
        listed += [match.id for match in page.matches]
        token = page.next_page_token
        if not token:
            break
    assert listed == [made.id]
    with pytest.raises(grpc.aio.AioRpcError) as missing:
        await hosting(channel).GetMatch(GetMatchRequest(match_id="m0"))
    assert missing.value.code() is grpc.StatusCode.NOT_FOUND


async def test_retention_ends_a_match_for_good(start: Start, raw: Redis) -> None:
    channel = await start("one", retain_s=600)
    made = board(labels=["event"], request_id="r", disclosure_group="g", disclosure_policy=2)
    del made.seats[:]
    for seat in (1, 2, 3, 4):
        made.seats.add(seat=seat, house="random")
    match_id = (await hosting(channel).CreateMatch(made)).match.id
    await archived(raw, match_id)
    assert 0 < await raw.ttl(keys.archive(match_id)) <= 600
    assert 600 < await raw.ttl(keys.request("r")) <= 600 + 7 * 86_400
    release = match_service_pb2.ReleaseGroupRequest(disclosure_group="g")
    await hosting(channel).ReleaseGroup(release)
    assert 600 < await raw.ttl(keys.disclosed("g")) <= 600 + 7 * 86_400
    await raw.pexpire(keys.archive(match_id), 1)  # ten minutes later
    await gone(raw, keys.archive(match_id))
    with pytest.raises(grpc.aio.AioRpcError) as missing:
        await hosting(channel).GetMatch(GetMatchRequest(match_id=match_id))
    assert missing.value.code() is grpc.StatusCode.NOT_FOUND
    # The same request makes the match again, under the same id: running again creates what is
    # missing.
    assert (await hosting(channel).CreateMatch(made)).match.id == match_id


async def test_a_repeated_request_finds_the_ended_match(start: Start, raw: Redis) -> None:
    channel = await start("one")
    match_id = (await play(channel, request_id="r")).id
    await archived(raw, match_id)
    again = (await hosting(channel).CreateMatch(board(request_id="r"))).match
    assert again.id == match_id
    assert again.state == match_pb2.MATCH_STATE_ENDED
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await hosting(channel).CreateMatch(board(7, request_id="r"))
    assert refused.value.code() is grpc.StatusCode.ALREADY_EXISTS


async def test_a_summary_of_another_form_is_made_again_of_the_journal(
    start: Start, raw: Redis
) -> None:
    """A newer server shows more of a match than the one did that archived it."""
    channel = await start("one")
    match_id = (await play(channel)).id
    await archived(raw, match_id)
    asked = GetMatchRequest(match_id=match_id)
    whole = (await hosting(channel).GetMatch(asked)).match
    old = b'[0,{"owner":""}]\n' + match_pb2.Match(id=match_id).SerializeToString()
    await raw.hset(keys.archive(match_id), "summary", zlib.compress(old))
    assert (await hosting(channel).GetMatch(asked)).match == whole


async def test_a_watch_beyond_the_end_reads_no_journal(
    start: Start, raw: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To fold a long one, only to send nothing, would take the time of those who play."""
    channel = await start("one")
    match_id = (await play(channel)).id
    await archived(raw, match_id)
    last = (await watched(channel, match_id))[-1].seq
    read: list[Any] = []
    reading = RedisStore.read

    async def seen(*arguments: Any, **fields: Any) -> Any:
        read.append(arguments)
        return await reading(*arguments, **fields)

    monkeypatch.setattr(RedisStore, "read", seen)
    assert await watched(channel, match_id, last) == []
    assert await watched(channel, match_id, 1 << 62) == []
    assert read == []
    assert [one.seq for one in await watched(channel, match_id, last - 1)] == [last]
    assert read


async def test_a_match_held_elsewhere_is_read_from_its_journal(start: Start) -> None:
    one, other = await start("one"), await start("other")
    bot = RawBot(one)
    await bot.hello(instance="i")
    made = (await hosting(one).CreateMatch(board(labels=["event"]))).match
    await bot.ready()
    await bot.ready()
    versions = []
    for _ in range(6):
        turn = (await bot.next("turn")).turn
        there = (await hosting(other).GetMatch(GetMatchRequest(match_id=made.id))).match
        here = (await hosting(one).GetMatch(GetMatchRequest(match_id=made.id))).match
        listing = match_service_pb2.ListMatchesRequest(label="event")
        (listed,) = (await hosting(other).ListMatches(listing)).matches
        # How long it has stood still the other is told after a while.
        assert here.standing.HasField("unmoved")
        for told in (here, there, listed):
            told.standing.ClearField("unmoved")
        assert there == listed == here
        versions.append(there.version)
        await bot.act(turn)
    assert versions == sorted(set(versions))
    await bot.close()


async def test_one_server_sweeps_what_is_left_over(url: str, raw: Redis) -> None:
    store = await connect(url)
    await raw.zadd(keys.LIVE, {f"m{n:04}": 0 for n in range(1200)})
    sweepers = [Sweeper(store, name, feed_s=None, pause_s=0.01, rest_s=0.02) for name in "ab"]
    tasks = [asyncio.create_task(sweeper.run()) for sweeper in sweepers]
    await gone(raw, keys.LIVE)
    holder: Any = await raw.get(keys.SWEEPER)
    assert holder is not None
    # The other goes on once the holder's lease is over, and not before.
    tasks["ab".index(holder.decode())].cancel()
    await raw.zadd(keys.LIVE, {"m": 0})
    await raw.pexpire(keys.SWEEPER, 50)
    await gone(raw, keys.LIVE)
    assert await raw.get(keys.SWEEPER) != holder
    for task in tasks:
        task.cancel()
    await store.close()


@pytest.mark.parametrize("mode", ["board", "race"])
async def test_a_record_of_cards_that_the_server_drew_can_be_dealt_again(
    start: Start, raw: Redis, tmp_path: Path, mode: str
) -> None:
    """The seed is in the record, its commitment was told when the match was created."""
    channel = await start("one")
    made = board(5)
    made.ClearField("deals")
    if mode == "race":
        made.race.CopyFrom(match_pb2.RaceMode(target=0, deals=4))
    del made.seats[:]
    for seat in (1, 2, 3, 4):
        made.seats.add(seat=seat, house="random")
    created = (await hosting(channel).CreateMatch(made)).match
    assert len(created.seed_commitment) == 64
    await archived(raw, created.id)
    text = (await hosting(channel).GetRecord(GetRecordRequest(match_id=created.id))).record
    seed = parse_record(text).seed
    assert seed is not None
    assert commitment(seed) == created.seed_commitment
    check_cards(parse_record(text), SeededDeals(seed))

    path = tmp_path / "record.bgn"
    path.write_text(text)
    verdict = await asyncio.to_thread(verify, path)
    assert verdict.right
    assert created.seed_commitment in verdict.cards
    # Another seed in its place is found out.
    other = parse_record(text)
    notes = tuple(note.replace(seed.hex(), "ab" * 32) for note in other.notes)
    path.write_text(format_record(replace(other, notes=notes)))
    verdict = await asyncio.to_thread(verify, path)
    assert not verdict.right
    assert "by the seed" in verdict.problem


async def test_a_seed_that_the_host_gave_is_the_hosts_to_reveal(start: Start, raw: Redis) -> None:
    channel = await start("one")
    source = match_pb2.DealSource(seeded=match_pb2.SeededDeals(seed=b"s" * 32, label="cup"))
    made = board(5, deals=source)
    del made.seats[:]
    for seat in (1, 2, 3, 4):
        made.seats.add(seat=seat, house="random")
    created = (await hosting(channel).CreateMatch(made)).match
    assert created.seed_commitment == ""
    await archived(raw, created.id)
    text = (await hosting(channel).GetRecord(GetRecordRequest(match_id=created.id))).record
    assert parse_record(text).seed is None
    assert (b"s" * 32).hex() not in text
