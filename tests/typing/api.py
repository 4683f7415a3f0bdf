"""Uses of the public API that only have to type-check; nothing here is run.

A line that must not type-check carries an ignore with its code: mypy reports it when it does.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import assert_type

from contree.client import (
    BatchBot,
    Board,
    Bot,
    BotFailed,
    BotSeat,
    Connection,
    DealEnded,
    Delivery,
    EndReason,
    Event,
    FaultCharged,
    Fixed,
    HostClient,
    HouseSeat,
    InvalidArgument,
    Match,
    MatchEnded,
    MatchSpec,
    Practice,
    Race,
    SeatInfo,
    Seeded,
    Summary,
    TimeControl,
    Tls,
    Turn,
    Unreachable,
    play_bot,
    run_bot,
)
from contree.engine import (
    DECLINE,
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
)
from contree.testing import policy, service


class Sync(Bot):
    name = "sync"
    version = "1"

    def call(self, view: View) -> Call:
        return Bid(80, Strain.HEARTS) if view.contract is None else PASS

    def play(self, view: View) -> Card | Announced:
        return Card.parse("AS")

    def contre(self, view: View) -> Call:
        return DECLINE

    def seated(self, table: SeatInfo) -> None:
        assert_type(table.match_id, str)
        assert_type(table.mode, Board | Race)

    def deal_ended(self, table: SeatInfo, ended: DealEnded) -> None:
        assert_type(ended.scores, tuple[int, int])

    def match_ended(self, table: SeatInfo, ended: MatchEnded) -> None:
        assert_type(ended.reason, EndReason)

    def fault(self, table: SeatInfo, fault: FaultCharged, detail: str) -> None:
        assert_type(fault.seat, Seat)


class Async(Bot):
    threaded = False

    async def call(self, view: View) -> Call:
        await asyncio.sleep(0)
        return PASS

    async def play(self, view: View) -> Card:
        raise NotImplementedError

    async def event(self, table: SeatInfo, event: Event) -> None:
        match event.what:
            case MatchEnded(reason, scores):
                assert_type(reason, EndReason)
                assert_type(scores, tuple[int, int])
            case _:
                pass


class Timed(Bot):
    def decide(self, turn: Turn) -> Action:
        assert_type(turn.time_left(), float)
        return turn.view.legal[0]


class Batch(BatchBot):
    def act(self, views: Sequence[View]) -> Sequence[Action]:
        return [view.legal[0] for view in views]


class AsyncBatch(BatchBot):
    async def act(self, views: Sequence[View]) -> Sequence[Action]:
        return [view.legal[0] for view in views]


class Wrong(Bot):
    def call(self, view: View) -> str:  # type: ignore[override]
        return "P"


def programs() -> None:
    assert_type(run_bot(Sync()), Summary)
    run_bot(
        Batch(),
        server="127.0.0.1:50051",
        name="batch",
        token="secret",
        instance_id="one",
        capacity=8,
        practice=Practice(preset="ffb-mixte", deals=4),
        matches=1,
        delivery=Delivery.EVENTS,
        connection=Connection(patience=5.0, tls=Tls(authorities=Path("ca.pem"))),
    )
    run_bot(Wrong())
    run_bot("bot")  # type: ignore[arg-type]
    policy(Async())


async def bots() -> None:
    summaries = await asyncio.gather(play_bot(Async()), play_bot(Timed()), play_bot(AsyncBatch()))
    assert_type(summaries, tuple[Summary, Summary, Summary])


async def hosts() -> None:
    spec = MatchSpec(
        request_id="r1",
        seats={seat: BotSeat("a") if seat.team else HouseSeat("rules") for seat in SEATS},
        mode=Board(1),
        deals=Seeded(b"s" * 32),
        time_control=TimeControl(per_move=5.0),
    )
    MatchSpec("r1", {}, Board(1))  # type: ignore[call-arg]
    Fixed(Seat.NORTH, (0, 0, 0, 0))
    async with service() as server, HostClient(server.address) as host:
        try:
            match = await host.create_match(spec)
        except InvalidArgument as error:
            assert_type(error.field, str)
            return
        except Unreachable as error:
            assert_type(error.address, str)
            return
        assert_type(match, Match)
        async for update in host.watch_matches("event"):
            assert_type(update.match.end_reason, EndReason | None)
        async for seen in host.watch_match(match.id):
            for event in seen.events:
                assert_type(event.seq, int)
        assert_type(await host.get_record(match.id), str)


def failures(error: BotFailed) -> None:
    assert_type(error.seat, Seat | None)
