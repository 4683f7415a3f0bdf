"""Bots in all languages at the tables of a real server."""

from __future__ import annotations

import asyncio
import random
import signal
import socket
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import combinations
from pathlib import Path

import pytest
from tests.bots.processes import BotProcess, started
from tests.chaos.proxy import Proxy
from tests.engine.numbered import ANNONCE, said_of, under
from tests.languages.folders import built
from tests.ports import Port

from contree.bots.starter import decide
from contree.client import (
    BotSeat,
    EndReason,
    FaultCharged,
    FaultKind,
    HostClient,
    HouseSeat,
    Match,
    MatchSpec,
    MatchStarted,
    Race,
    Seeded,
)
from contree.engine import PRESET_NAMES, SEATS, Record, Seat, drive_game, parse_record
from contree.server.app import running
from contree.server.settings import Settings

pytestmark = [pytest.mark.languages, pytest.mark.timeout(2400)]

WITHIN_S = 600.0
LABEL = "languages"


def table(north: str, east: str, south: str, west: str) -> dict[Seat, BotSeat]:
    return {
        seat: BotSeat(name) for seat, name in zip(SEATS, (north, east, south, west), strict=True)
    }


def against_house(name: str) -> dict[Seat, BotSeat | HouseSeat]:
    mine, house = BotSeat(name), HouseSeat("rules")
    return {Seat.NORTH: mine, Seat.EAST: house, Seat.SOUTH: mine, Seat.WEST: house}


def race(
    name: str, seats: Mapping[Seat, BotSeat | HouseSeat], rules: str = "ffb-mixte", deals: int = 2
) -> MatchSpec:
    return MatchSpec(
        request_id=name,
        seats=dict(seats),
        mode=Race(target=0, deals=deals),
        rules=rules,
        labels=(LABEL,),
    )


@asynccontextmanager
async def bots_of(
    languages: Iterable[str], server: str, **environment: str
) -> AsyncIterator[dict[str, BotProcess]]:
    """A bot of each language, called like its language."""
    async with AsyncExitStack() as stack:
        yield {
            name: await stack.enter_async_context(started(built(name), server, name, **environment))
            for name in languages
        }


async def played(host: HostClient, specs: Iterable[MatchSpec]) -> list[Match]:
    """Create matches and wait until all have ended."""
    wanted = {(await host.create_match(spec)).id for spec in specs}
    ended: dict[str, Match] = {}
    async with asyncio.timeout(WITHIN_S):
        async for update in host.watch_matches(LABEL):
            if update.match.ended:
                ended[update.match.id] = update.match
            if wanted <= ended.keys():
                break
    return [ended[match_id] for match_id in wanted]


async def assert_well_played(host: HostClient, matches: Iterable[Match]) -> list[Record]:
    """Nobody was at fault, and the records lead to the scores."""
    records = []
    for match in matches:
        assert (match.end_reason, match.faults) == (EndReason.DEALS_PLAYED, ())
        assert all(status.decisions > 0 for status in match.seats)
        record = parse_record(await host.get_record(match.id))
        game = record.replay()
        assert game.scores == match.scores
        records.append(record)
    return records


async def test_everybody_plays_everybody_under_all_rules(
    server: str, all_built: tuple[str, ...]
) -> None:
    specs = [
        race(f"{one} {two}", table(one, two, one, two), PRESET_NAMES[at % len(PRESET_NAMES)])
        for at, (one, two) in enumerate(combinations(all_built, 2))
    ]
    specs += [
        race(
            f"mixed {rules}",
            table(*(all_built[(at + step) % len(all_built)] for step in range(4))),
            rules,
        )
        for at, rules in enumerate(PRESET_NAMES)
    ]
    async with HostClient(server) as host, bots_of(all_built, server):
        matches = await played(host, specs)
        assert {match.rules.name for match in matches} == set(PRESET_NAMES)
        await assert_well_played(host, matches)


async def test_plays_as_defined_over_the_wire(server: str, language: str) -> None:
    """Four of a language play the very game that the definition plays."""
    async with HostClient(server) as host, bots_of([language], server):
        matches = await played(host, [race("alone", table(*[language] * 4), deals=3)])
        (record,) = await assert_well_played(host, matches)
    game = record.replay()
    assert drive_game([decide] * 4, record.start()).finished == game.finished


async def test_says_every_belote(server: str, language: str) -> None:
    rules = under(ANNONCE, name="said", belote_mode="announced")
    spec = MatchSpec(
        request_id="belote",
        seats={**table(*[language] * 4)},
        mode=Race(target=0, deals=12),
        rules=rules,
        deals=Seeded(bytes(32), "belote"),  # of other twelve deals none might have one
        labels=(LABEL,),
    )
    async with HostClient(server) as host, bots_of([language], server):
        (record,) = await assert_well_played(host, await played(host, [spec]))
    said, offered = said_of(record)
    assert said == offered > 0


async def test_sixteen_seats_live_through_cut_connections(server: str, language: str) -> None:
    proxy = Proxy(server, random.Random(1))
    async with (
        HostClient(server) as host,
        proxy.listening(),
        bots_of([language], proxy.address),
    ):
        specs = [race(f"cut {number}", against_house(language), deals=12) for number in range(8)]
        first = (await host.create_match(specs[0])).id
        playing = asyncio.create_task(played(host, specs))
        cuts = calls = 0
        async for update in host.watch_match(first):
            calls += len(update.events)
            if cuts < 3 and calls > 60 * (cuts + 1):
                proxy.tear_all()
                cuts += 1
        assert cuts == 3
        await assert_well_played(host, await playing)


async def test_all_live_through_a_restart_of_the_server(
    tmp_path: Path, all_built: tuple[str, ...]
) -> None:
    port = Port()
    settings = Settings(listen=port.address, metrics=None, data_dir=tmp_path, heartbeat_s=0.5)
    specs = [race(f"{name}", table(*[name] * 4), deals=20) for name in all_built]
    async with AsyncExitStack() as stack:
        async with running(settings) as serving, HostClient(serving.address) as host:
            await stack.enter_async_context(bots_of(all_built, port.address))
            made = [(await host.create_match(spec)).id for spec in specs]
            async for update in host.watch_match(made[-1]):
                if any(isinstance(event.what, MatchStarted) for event in update.events):
                    break
        async with running(settings) as serving, HostClient(serving.address) as host:
            assert not (await host.get_match(made[-1])).ended
            await assert_well_played(host, await played(host, specs))


async def test_gives_its_seats_up_when_it_is_told_to_stop(server: str, language: str) -> None:
    if language == "python":
        pytest.skip("the tests of the SDK do this")
    async with HostClient(server) as host, started(built(language), server, language) as bot:
        created = await host.create_match(race("stop", against_house(language), deals=10_000))
        resigned = set()
        async for update in host.watch_match(created.id):
            for event in update.events:
                match event.what:
                    case MatchStarted():
                        assert await bot.told_to_stop(signal.SIGTERM) == 0, bot.output
                    case FaultCharged(seat=seat, kind=FaultKind.RESIGNED):
                        resigned.add(seat)
            if resigned == {Seat.NORTH, Seat.SOUTH}:
                break
        await host.cancel_match(created.id)


async def test_all_say_in_one_sentence_that_there_is_no_server(all_built: tuple[str, ...]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, but nobody listens
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        others = [name for name in all_built if name != "python"]
        async with bots_of(others, address) as bots:
            codes = await asyncio.gather(*(bot.ended(within=150) for bot in bots.values()))
    assert codes == [1] * len(others)
    for name, bot in bots.items():
        assert bot.output.startswith(f"{name}: cannot reach {address} for 30 seconds (")
        assert len(bot.output.splitlines()) == 1
