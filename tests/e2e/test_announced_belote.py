"""Belote left to the player (R6.1), over the real service: who says it marks 20, who forgets does
not.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

import grpc
import pytest
from tests.client.scripted import soon
from tests.engine.numbered import ANNONCE, BY_SUIT, after, contracted, dealt, said_of, under

from contree.client import (
    BatchBot,
    Board,
    Bot,
    BotSeat,
    CardPlayed,
    EndReason,
    FaultPolicy,
    Fixed,
    HostClient,
    HouseSeat,
    Match,
    MatchSpec,
    Summary,
    play_bot,
)
from contree.engine import (
    PASS,
    SEATS,
    Action,
    Announced,
    Bid,
    Call,
    Card,
    Seat,
    Strain,
    View,
    parse_record,
    project,
)
from contree.testing import service
from contree.v1 import rules_service_pb2, rules_service_pb2_grpc
from contree.wire import action_from_pb, seat_view_to_pb

RULES = under(ANNONCE, name="said", belote_mode="announced", turn_direction="cw")
HANDS = dealt(RULES, BY_SUIT).dealt
"""Each seat holds a whole suit. North deals, so East speaks first, bids hearts and makes them."""


class Player(Bot):
    """East bids its hearts, the others pass; subclasses say how cards are played."""

    def __init__(self) -> None:
        self.offered: set[str] = set()
        """What could have been announced."""
        self.heard: list[tuple[Seat, ...]] = []

    def call(self, view: View) -> Call:
        bid = Bid(80, Strain.HEARTS)
        return bid if bid in view.legal and view.seat is Seat.EAST else PASS

    def choose(self, announced: Sequence[Announced], cards: Sequence[Card]) -> Action:
        raise NotImplementedError

    def play(self, view: View) -> Card | Announced:
        announced = [action for action in view.legal if isinstance(action, Announced)]
        self.offered |= {str(action) for action in announced}
        self.heard.append(view.belotes)
        cards = [action for action in view.legal if isinstance(action, Card)]
        chosen = self.choose(announced, cards)
        assert isinstance(chosen, Card | Announced)
        return chosen


class Sayer(Player):
    """Returns ``Announced`` whenever it may."""

    def choose(self, announced: Sequence[Announced], cards: Sequence[Card]) -> Action:
        return announced[0] if announced else cards[0]


class Forgetter(Player):
    """Plays its cards and says nothing."""

    def choose(self, announced: Sequence[Announced], cards: Sequence[Card]) -> Action:
        return cards[0]


class HalfSayer(Player):
    """Says belote with the first card, and forgets rebelote."""

    def choose(self, announced: Sequence[Announced], cards: Sequence[Card]) -> Action:
        return announced[0] if len(announced) == 2 else cards[0]


class Liar(Player):
    """Says belote with its first card, whatever it is; corrected once, it goes on."""

    lied = False

    def choose(self, announced: Sequence[Announced], cards: Sequence[Card]) -> Action:
        if not self.lied:
            self.lied = True
            return Announced(cards[0])
        return cards[0]


class Batch(BatchBot):
    """All four seats at once, saying what can be said."""

    def act(self, views: Sequence[View]) -> Sequence[Action]:
        return [self._one(view) for view in views]

    def _one(self, view: View) -> Action:
        bid = Bid(80, Strain.HEARTS)
        announced = [action for action in view.legal if isinstance(action, Announced)]
        if announced:
            return announced[-1]
        return bid if bid in view.legal and view.seat is Seat.EAST else view.legal[0]


@pytest.fixture
async def host() -> AsyncIterator[HostClient]:
    async with service() as server, HostClient(server.address) as client:
        yield client


async def play(host: HostClient, bot: Bot | BatchBot, name: str) -> tuple[Match, Summary]:
    """One board with this bot in all four seats."""
    playing = asyncio.create_task(play_bot(bot, server=host.server, name=name, matches=1))
    match = await host.create_match(
        MatchSpec(
            request_id=name,
            seats={seat: BotSeat(name) for seat in SEATS},
            mode=Board(1),
            rules=RULES,
            deals=Fixed(Seat.NORTH, HANDS),
            fault_policy=FaultPolicy(illegal_strikes=2, timeout_strikes=2),
        )
    )
    summary = await soon(playing)
    return await host.get_match(match.id), summary


async def test_who_forgets_loses_20(host: HostClient) -> None:
    said, _ = await play(host, sayer := Sayer(), "sayer")
    forgot, _ = await play(host, forgetter := Forgetter(), "forgetter")
    half, _ = await play(host, half_sayer := HalfSayer(), "half")
    for match in (said, forgot, half):
        assert match.rules == RULES
        assert (match.end_reason, match.faults) == (EndReason.BOARD_DONE, ())
    assert said.results[0].belotes == (0, 1)
    assert forgot.results[0].belotes == half.results[0].belotes == (0, 0)
    assert said.scores == (0, forgot.scores[1] + 20) == (0, half.scores[1] + 20)
    # All were offered the same; only what is said is heard, at the table and in the views.
    assert sayer.offered == forgetter.offered == {"QH+", "KH+"}
    assert half_sayer.offered == {"QH+", "KH+"}
    assert (Seat.EAST,) in sayer.heard
    assert (Seat.EAST,) in half_sayer.heard
    assert set(forgetter.heard) == {()}


async def test_events_and_records_say_what_was_said(host: HostClient) -> None:
    for bot, name, words in (
        (Sayer(), "sayer", ["KH+b", "QH+b"]),
        (HalfSayer(), "half", ["QH+b"]),
        (Forgetter(), "forgetter", []),
        (Batch(), "batch", ["KH+b", "QH+b"]),
    ):
        match, summary = await play(host, bot, name)
        assert (summary.illegal, summary.faults) == (0, 0)
        text = await host.get_record(match.id)
        assert sorted(word for word in text.split() if word.endswith("+b")) == words
        assert parse_record(text).replay().scores == match.scores
        async with asyncio.timeout(60):
            heard = [
                str(event.what.card)
                async for update in host.watch_match(match.id)
                for event in update.events
                if isinstance(event.what, CardPlayed) and event.what.belote
            ]
        assert sorted(heard) == [word[:2] for word in words]


async def test_belote_that_nobody_holds_is_an_illegal_action(host: HostClient) -> None:
    match, summary = await play(host, Liar(), "liar")
    assert summary.illegal == 1
    assert match.end_reason is EndReason.BOARD_DONE
    assert match.results[0].belotes == (0, 0)


async def test_players_of_the_house_say_belote(host: HostClient) -> None:
    match = await host.create_match(
        MatchSpec(
            request_id="house",
            seats={seat: HouseSeat("rules") for seat in SEATS},
            mode=Board(1),
            rules=RULES,
            deals=Fixed(Seat.NORTH, HANDS),
            labels=("house",),
        )
    )
    async with asyncio.timeout(60):
        async for update in host.watch_matches("house"):
            if update.match.ended:
                break
    said, offered = said_of(parse_record(await host.get_record(match.id)))
    assert said == offered > 0


async def test_rules_service_offers_what_can_be_announced(host: HostClient) -> None:
    deal = contracted(RULES, "80H")
    for state, legal in (
        (deal, {"QH+", "KH+"}),
        (after(deal, "QH+", "7D", "7C", "7S"), {"KH+"}),
        (after(deal, "7H", "7D", "7C", "7S"), {"QH+", "KH+"}),
        (after(deal, "QH+", "7D", "7C", "7S", "KH+", "8D", "8C", "8S"), set()),
    ):
        view = project(state, Seat.EAST)
        request = rules_service_pb2.GetLegalActionsRequest(
            rules=rules_service_pb2.RulesRef(toml=RULES.to_toml()), view=seat_view_to_pb(view)
        )
        async with grpc.aio.insecure_channel(host.server) as channel:
            stub = rules_service_pb2_grpc.RulesServiceStub(channel)
            response = await soon(stub.GetLegalActions(request))
        actions = [action_from_pb(action) for action in response.actions]
        assert tuple(actions) == view.legal
        assert {str(action) for action in actions if isinstance(action, Announced)} == legal
