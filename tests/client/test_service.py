"""The SDK and the real server, through ``contree.testing``."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.client.bots import First, InPlace
from tests.client.scripted import WAIT_S, soon

import contree.client
import contree.engine
import contree.testing
from contree.client import (
    BatchBot,
    Board,
    Bot,
    BotSeat,
    CardPlayed,
    DealEnded,
    Delivery,
    Disclosure,
    EndReason,
    Event,
    HostClient,
    HouseSeat,
    MatchEnded,
    MatchSpec,
    MatchStarted,
    NotDisclosed,
    Practice,
    SeatInfo,
    play_bot,
)
from contree.engine import (
    DEFAULT_PRESET,
    PRESET_NAMES,
    SEATS,
    Action,
    Bid,
    Deal,
    Seat,
    SeededDeals,
    View,
    parse_record,
    preset,
)
from contree.testing import drive, policy, service


class Everywhere(Bot):
    """Bids for as long as it may, and keeps what happens."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def call(self, view: View) -> Action:  # type: ignore[override]
        assert not view.auction_over
        bids = [action for action in view.legal if isinstance(action, Bid)]
        return bids[0] if bids else view.legal[0]

    def play(self, view: View) -> Action:  # type: ignore[override]
        assert view.auction_over
        return view.legal[-1]

    def event(self, table: SeatInfo, event: Event) -> None:
        if table.seat is Seat.NORTH:
            self.events.append(event)


@pytest.mark.parametrize("name", [DEFAULT_PRESET, "coinche-classique", "contree-generale"])
async def test_practice_on_a_real_server(name: str) -> None:
    bot = First()
    async with service() as server:
        summary = await soon(
            play_bot(bot, server=server.address, practice=Practice(name, deals=3), matches=1)
        )
    assert (summary.matches, summary.illegal, summary.late, summary.faults) == (1, 0, 0, 0)
    assert summary.decisions >= len(bot.seen) > 0
    assert [told[0] for told in bot.told].count("deal_ended") == 6


async def test_events_are_contiguous_over_a_whole_match() -> None:
    bot = Everywhere()
    async with service(heartbeat=0.5) as server:
        summary = await soon(
            play_bot(
                bot,
                server=server.address,
                practice=Practice(deals=8),
                matches=1,
                delivery=Delivery.EVENTS,
            )
        )
    assert summary.connections == 1
    seqs = [event.seq for event in bot.events]
    assert seqs == sorted(seqs)
    assert set(seqs) == set(range(1, seqs[-1] + 1))
    happened = [type(event.what) for event in bot.events]
    assert happened[0] is MatchStarted
    assert happened[-1] is MatchEnded
    assert happened.count(DealEnded) == 8
    assert happened.count(CardPlayed) % 32 == 0
    assert happened.count(CardPlayed) > 0


async def test_four_bots_at_a_board_and_its_record() -> None:
    class Many(BatchBot):
        def act(self, views: Sequence[View]) -> Sequence[Action]:
            return [view.legal[-1] for view in views]

    async with service() as server, HostClient(server.address) as host:
        bots = [
            asyncio.create_task(play_bot(bot, server=server.address, name=name, matches=5))
            for name, bot in (("ns", InPlace()), ("ew", Many()))
        ]
        seats: dict[Seat, BotSeat | HouseSeat] = {
            seat: BotSeat("ew" if seat.team else "ns") for seat in SEATS
        }
        ids = [
            (
                await host.create_match(
                    MatchSpec(
                        request_id=f"r{number}", seats=seats, mode=Board(number), labels=("event",)
                    )
                )
            ).id
            for number in range(1, 6)
        ]
        open_matches = set(ids)
        async with asyncio.timeout(WAIT_S):
            async for update in host.watch_matches("event"):
                if update.match.ended:
                    assert update.match.end_reason in {EndReason.BOARD_DONE, EndReason.PASSED_OUT}
                    open_matches.discard(update.match.id)
                if not open_matches:
                    break
        summaries = await soon(asyncio.gather(*bots))
        assert [summary.matches for summary in summaries] == [5, 5]
        assert [summary.faults for summary in summaries] == [0, 0]
        for match_id in ids:
            parse_record(await host.get_record(match_id)).replay()
        events = [event async for update in host.watch_match(ids[0]) for event in update.events]
        assert events


async def test_hidden_until_released() -> None:
    async with service() as server, HostClient(server.address) as host:
        match = await host.create_match(
            MatchSpec(
                request_id="r",
                seats={seat: HouseSeat("random") for seat in SEATS},
                mode=Board(1),
                labels=("event",),
                disclosure_group="g",
                disclosure=Disclosure.WHEN_GROUP_RELEASED,
            )
        )
        async with asyncio.timeout(WAIT_S):
            async for update in host.watch_matches("event"):
                if update.match.ended:
                    break
        with pytest.raises(NotDisclosed):
            await host.get_record(match.id)
        await host.release_group("g")
        assert await host.get_record(match.id)


async def test_a_service_goes_on_with_what_the_one_before_left(tmp_path: Path) -> None:
    async with service(data=tmp_path) as server, HostClient(server.address) as host:
        match = await host.create_match(
            MatchSpec(
                request_id="r", seats={seat: BotSeat("late") for seat in SEATS}, mode=Board(1)
            )
        )
    async with service(data=tmp_path) as server:
        summary = await soon(play_bot(InPlace(), server=server.address, name="late", matches=1))
        assert summary.matches == 1
        async with HostClient(server.address) as host:
            assert (await host.get_match(match.id)).ended


def test_bots_without_a_server() -> None:
    class Async(Bot):
        async def call(self, view: View) -> Action:  # type: ignore[override]
            return view.legal[-1]

        async def play(self, view: View) -> Action:  # type: ignore[override]
            return view.legal[0]

    class Many(BatchBot):
        def act(self, views: Sequence[View]) -> Sequence[Action]:
            return [view.legal[-1] for view in views]

    rules = preset(DEFAULT_PRESET)
    deal = Deal.start(rules, *SeededDeals(b"x" * 32).board(1, rules))
    players = [policy(First()), policy(Async()), policy(Many()), policy(First())]
    assert drive(players, deal).result is not None


async def test_the_presets_of_a_server() -> None:
    async with service() as server, HostClient(server.address) as host:
        assert await host.list_presets() == tuple(preset(name) for name in PRESET_NAMES)


async def test_the_lines_of_the_page_of_the_package_run() -> None:
    lines = re.findall(r"^ {4}(.*)$", contree.testing.__doc__ or "", re.MULTILINE)
    assert len(lines) == 3
    rules = preset("contree-simple")
    dealer, hands = SeededDeals(b"d" * 32).board(1, rules)
    names = {**vars(contree.testing), **vars(contree.client), **vars(contree.engine)}
    names |= {"MyBot": First, "rules": rules, "dealer": dealer, "hands": hands}
    body = "\n    ".join(lines)
    exec(f"async def main():\n    {body}\n    return finished", names)
    finished = await asyncio.to_thread(asyncio.run, names["main"]())
    assert finished.result is not None
