"""The bot in JavaScript under rules that leave belote to the player: it says what it can."""

from __future__ import annotations

import asyncio

import pytest
from tests.bots.processes import started
from tests.engine.numbered import ANNONCE, said_of, under

from contree.client import BotSeat, EndReason, HostClient, MatchSpec, Race
from contree.engine import SEATS, parse_record

pytestmark = [pytest.mark.languages, pytest.mark.timeout(240)]

RULES = under(ANNONCE, name="said", belote_mode="announced")
DEALS = 30


async def test_every_belote_is_said(server: str, node_bot: tuple[str, str]) -> None:
    async with HostClient(server) as host, started(node_bot, server, "javascript"):
        match = await host.create_match(
            MatchSpec(
                request_id="belote",
                seats={seat: BotSeat("javascript") for seat in SEATS},
                mode=Race(target=0, deals=DEALS),
                rules=RULES,
                labels=("belote",),
            )
        )
        async with asyncio.timeout(120):
            async for update in host.watch_matches("belote"):
                if update.match.ended:
                    break
        ended = await host.get_match(match.id)
        assert (ended.end_reason, ended.faults) == (EndReason.DEALS_PLAYED, ())
        record = parse_record(await host.get_record(match.id))
    assert record.replay().scores == ended.scores
    said, offered = said_of(record)
    assert said == offered > 0
    assert said == 2 * sum(sum(result.belotes) for result in record.replay().results)
