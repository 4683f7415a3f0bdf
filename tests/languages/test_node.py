"""The bot in JavaScript, against a real server and against a scripted one."""

from __future__ import annotations

import signal
import socket
from collections.abc import Iterable

import pytest
from tests.bots.processes import PYTHON_BOT, started

from contree.client import (
    BotSeat,
    EndReason,
    FaultCharged,
    FaultKind,
    HostClient,
    Match,
    MatchSpec,
    MatchStarted,
    MatchState,
    Race,
)
from contree.engine import PRESET_NAMES, Seat, parse_record

pytestmark = [pytest.mark.languages, pytest.mark.timeout(240)]

NODE, PYTHON = "javascript", "python"
TABLE = {
    Seat.NORTH: BotSeat(NODE),
    Seat.SOUTH: BotSeat(NODE),
    Seat.EAST: BotSeat(PYTHON),
    Seat.WEST: BotSeat(PYTHON),
}
WITHIN_S = 60.0


async def played(host: HostClient, specs: Iterable[MatchSpec], label: str) -> list[Match]:
    """Create matches and wait until all have ended."""
    wanted = {(await host.create_match(spec)).id for spec in specs}
    ended: dict[str, Match] = {}
    async for update in host.watch_matches(label):
        if update.match.state is MatchState.ENDED:
            ended[update.match.id] = update.match
        if wanted <= ended.keys():
            break
    return [ended[match_id] for match_id in wanted]


async def test_plays_a_match_of_every_preset_against_python(
    server: str, node_bot: tuple[str, str]
) -> None:
    specs = [
        MatchSpec(
            request_id=f"languages-{preset}",
            seats=TABLE,
            mode=Race(target=0, deals=2),
            rules=preset,
            labels=("languages",),
        )
        for preset in PRESET_NAMES
    ]
    async with (
        HostClient(server) as host,
        started(node_bot, server, NODE),
        started(PYTHON_BOT, server, PYTHON),
    ):
        matches = await played(host, specs, "languages")
        assert sorted(match.rules.name for match in matches) == sorted(PRESET_NAMES)
        for match in matches:
            assert match.end_reason is EndReason.DEALS_PLAYED
            assert match.faults == ()
            assert {status.bot for status in match.seats} == {NODE, PYTHON}
            assert all(status.decisions > 0 for status in match.seats)
            record = parse_record(await host.get_record(match.id))
            assert record.replay().scores == match.scores


async def test_gives_its_seats_up_when_it_is_told_to_stop(
    server: str, node_bot: tuple[str, str]
) -> None:
    spec = MatchSpec(request_id="languages-stop", seats=TABLE, mode=Race(target=0, deals=10_000))
    async with (
        HostClient(server) as host,
        started(node_bot, server, NODE) as node,
        started(PYTHON_BOT, server, PYTHON),
    ):
        created = await host.create_match(spec)
        resigned = set()
        async for update in host.watch_match(created.id):
            for event in update.events:
                match event.what:
                    case MatchStarted():
                        assert await node.told_to_stop(signal.SIGTERM) == 0, node.output
                    case FaultCharged(seat=seat, kind=FaultKind.RESIGNED):
                        resigned.add(seat)
            if resigned == {Seat.NORTH, Seat.SOUTH}:
                break
        await host.cancel_match(created.id)


async def test_says_in_one_sentence_that_there_is_no_server(node_bot: tuple[str, str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, but nobody listens
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        async with started(node_bot, address, NODE) as node:
            assert await node.ended(within=60) == 1
    assert node.output == f"{NODE}: cannot reach {address} for 30 seconds (no connection)"
