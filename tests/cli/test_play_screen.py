"""`contree play` on a screen: whole deals by Textual's pilot against a real service."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import pytest
from tests.chaos.proxy import Proxy
from tests.cli.tables import Table, table, wish
from textual import events
from textual.geometry import Region

from contree.cli.playing.desk import Desk
from contree.cli.playing.game import ended_by, how_it_ended
from contree.cli.playing.hearing import CUT, LATE, heard
from contree.cli.playing.sitting import NoTable
from contree.cli.tui import play_app
from contree.client import EndReason, HostClient, MatchState, Unreachable
from contree.engine import Bid, Card, DecisionKind, Seat
from contree.testing import Service, service

MANY = 40
"""Deals for what a single one need not bring."""

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("screen")]


@pytest.fixture
async def server() -> AsyncIterator[Service]:
    async with service(heartbeat=0.5) as running:
        yield running


@pytest.mark.parametrize("size", [(80, 24), (160, 48)], ids=["80x24", "160x48"])
@pytest.mark.parametrize("rules", ["ffb-mixte", "coinche-annonce"])
async def test_a_whole_deal(server: Service, rules: str, size: tuple[int, int]) -> None:
    async with table(server.address, wish(rules), size=size) as at:
        turns = await at.to_the_end()
        desk = at.desk
        assert desk.ended is not None
        assert desk.ended.reason is EndReason.DEALS_PLAYED
        assert desk.result is not None
        assert turns > 8
        assert any(line.startswith("Marked: you ") for line in desk.log)
        assert all(region.bottom <= size[1] for region in regions(at))
        await at.until(lambda: len(at.app.screen_stack) > 1)
        await at.pilot.press("a")
        await at.until(lambda: not at.app.is_running)
        left = list(how_it_ended(desk))
        assert left[0].startswith("Deal 1: ")
        assert left[-1] == desk.log[-1]
    assert at.app.again
    assert at.app.failure is None


def regions(at: Table) -> list[Region]:
    parts = ("head", "board", "side", "prompt", "hand", "said", "keys")
    return [at.app.screen_stack[0].query_one(f"#{part}").region for part in parts]


async def test_a_wrong_key_explains_what_may_be_played(server: Service) -> None:
    async with table(server.address, wish(deals=MANY)) as at:
        refused: set[str] = set()
        while len(refused) < 2:
            await at.turn()
            desk = at.desk
            assert desk.owed is not None
            view = desk.owed
            await at.pilot.press("z")
            await at.until(partial(said, at, "'z' is not a"))
            assert "ou may " in at.shown("said") or "Only one card" in at.shown("said")
            wrong = [card for card in view.hand if card not in view.legal]
            if view.kind is DecisionKind.CARD and wrong:
                await at.pilot.press(*desk.face.typed(wrong[0]), "enter")
                await at.until(lambda: at.desk.said and not said(at, "'z'"))
                assert at.desk.owed == view
                refused.add("card")
            elif view.kind is DecisionKind.CALL and desk.table.calls:
                bids = [call.call for call in desk.table.calls if isinstance(call.call, Bid)]
                # A contre may have ended the bidding.
                if bids and any(isinstance(call, Bid) for call in view.legal):
                    await at.pilot.press(*str(bids[-1]).lower())
                    await at.until(lambda: "does not outbid" in at.desk.said)
                    refused.add("bid")
            await at.as_hinted()
        assert at.app.failure is None


def said(at: Table, beginning: str) -> bool:
    return at.desk.said.startswith(beginning)


async def test_the_mouse_chooses_and_plays(server: Service) -> None:
    async with table(server.address, wish()) as at:
        await at.turn()
        while at.desk.owed is not None:
            if at.desk.owed.auction_over:
                break
            await at.click("pad", (8, 0))  # the first level, or contre
            await at.as_hinted()
            await at.turn()
        view = at.desk.owed
        assert view is not None
        await at.rest()
        hand = at.shown("hand").splitlines()
        column = next(
            place for place in range(0, 56, 7) if hand[0][place + 1 : place + 2] in ("╭", "╔")
        )
        if len(view.legal) > 1:  # an only card is chosen already
            assert at.desk.pick is None
            await at.click("hand", (column + 2, 1))
        picked = at.desk.pick
        assert isinstance(picked, Card)
        assert picked in view.legal
        await at.click("hand", (column + 2, 1))
        await at.until(lambda: any(line.startswith("You play the ") for line in at.desk.log))


async def test_the_connection_is_cut_in_mid_deal_and_play_goes_on(server: Service) -> None:
    async with Proxy(server.address, random.Random(1)).listening() as proxy:
        async with table(proxy.address, wish()) as at:
            for _ in range(3):
                await at.turn()
                await at.as_hinted()
            await at.turn()
            owed = at.desk.owed
            proxy.target = "127.0.0.1:1"
            proxy.tear_all()
            await at.until(lambda: at.desk.link and at.shown("link").strip() == CUT)
            # What is owed is still there, and may be answered while the line is down.
            assert at.desk.owed == owed
            await at.as_hinted()
            proxy.target = server.address
            await at.until(lambda: not at.desk.link)
            await at.to_the_end()
            assert at.desk.ended is not None
            assert at.desk.ended.reason is EndReason.DEALS_PLAYED
        assert at.app.failure is None


async def test_a_server_that_is_gone_for_good_ends_it(server: Service) -> None:
    async with (
        Proxy(server.address, random.Random(1)).listening() as proxy,
        table(proxy.address, wish(), resume_patience=2.0) as at,
    ):
        await at.turn()
        proxy.target = "127.0.0.1:1"
        proxy.tear_all()
        await at.until(lambda: at.app.failure is not None)
    assert isinstance(at.app.failure, Unreachable)
    assert str(ended_by(at.app.failure)) == (
        "The server does not answer any more: the game ends here, without a result."
    )


async def test_leaving_asks_and_a_queen_is_no_leaving(server: Service) -> None:
    async with table(server.address, wish()) as at, HostClient(server.address) as host:
        await at.turn()
        match_id = at.desk.table.match_id
        for key, screens in (("q", 2), ("escape", 1), ("question_mark", 2)):
            await at.pilot.press(key)
            await at.until(lambda: len(at.app.screen_stack) == screens)  # noqa: B023
        await at.put_away()
        await at.leave()
    async with HostClient(server.address) as host:
        match = await host.get_match(match_id)
    assert match.end_reason is EndReason.CANCELLED


async def test_who_types_on_while_a_dialog_closes_is_heard_at_the_table(server: Service) -> None:
    async with table(server.address, wish()) as at:
        await at.turn()
        await at.pilot.press("question_mark")
        await at.until(lambda: len(at.app.screen_stack) == 2)
        dialog = at.app.screen
        for key, character in (("space", " "), ("h", "h")):
            dialog.post_message(events.Key(key, character))
        await at.until(lambda: "The rules player would " in at.desk.said)
        assert len(at.app.screen_stack) == 1


async def test_late_is_told_and_play_goes_on(
    server: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    def listening(*of: Any) -> Desk | None:
        desk = heard(*of)
        told.append("" if desk is None else desk.said)
        return desk

    # Told until the next turn comes, which may be at once.
    monkeypatch.setattr(play_app, "heard", listening)
    async with table(server.address, wish(per_move=1.0)) as at:
        await at.turn()
        await at.until(lambda: LATE in told)
        await at.to_the_end()


def dealt(at: Table) -> bool:
    return at.app.desk is not None and at.desk.table.number == 1


async def test_people_meet_at_a_table_by_its_code(server: Service) -> None:
    async with table(server.address, wish(), code="7KQ4") as ann:
        await ann.until(lambda: "South Ann" in ann.shown("board"))
        async with table(server.address, None, code="7KQ4", name="Bob", size=(100, 30)) as bob:
            await ann.until(lambda: "North Bob" in ann.shown("board"))
            await ann.pilot.press("enter")
            for at in (ann, bob):
                await at.until(partial(dealt, at))
                assert bob.desk.me is Seat.NORTH
            names = {Seat.NORTH: "Bob", Seat.SOUTH: "Ann", Seat.EAST: "random", Seat.WEST: "rules"}
            await bob.until(lambda: bob.desk.table.names == names)
            # Bob leaves; the house plays on for him, and Ann to the end.
            await bob.leave()
        await ann.to_the_end()
        assert any("North: left the table; the house plays on" in one for one in ann.desk.log)


async def test_a_code_of_no_table(server: Service) -> None:
    async with table(server.address, None, code="ABCD") as at:
        await at.until(lambda: at.app.failure is not None)
    assert isinstance(at.app.failure, NoTable)
    assert "there is no table ABCD" in str(at.app.failure)


async def test_a_table_that_nobody_begins_is_cancelled(server: Service) -> None:
    async with table(server.address, wish(), code="7KQ4") as ann:
        await ann.until(lambda: "South Ann" in ann.shown("board"))
        await ann.leave()
    async with HostClient(server.address) as host:
        found = [match async for match in host.list_matches("table-7kq4")]
    assert [match.state for match in found] == [MatchState.ENDED]


async def test_it_is_drawn_anew_for_another_size(server: Service) -> None:
    async with table(server.address, wish()) as at:
        await at.turn()
        for size in ((160, 48), (80, 24), (100, 30)):
            await at.pilot.resize_terminal(*size)
            keys = at.app.screen_stack[0].query_one("#keys")
            await at.until(lambda: keys.region.right == size[0] and keys.region.bottom == size[1])  # noqa: B023
            await at.until(lambda: "Ann" in at.shown("board") and at.shown("hand").strip())
