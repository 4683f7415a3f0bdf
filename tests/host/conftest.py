"""A host on the embedded store, without gRPC: sessions are read by the test itself."""

from __future__ import annotations

import random
import secrets
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.match.matches import spec

from contree.engine import SEATS, Mode, Seat
from contree.server.host import Host, Session
from contree.server.host.session import Identity
from contree.server.match import Act, MatchSpec, SayReady, SeatPlan, TimeControl
from contree.server.settings import Settings
from contree.server.store import connect, embedded_store
from contree.server.telemetry import Metrics
from contree.v1 import play_service_pb2
from contree.v1.play_service_pb2 import ServerMessage
from contree.wire import frame_to_bytes

WAIT_S = 60.0
RAW = SeatPlan(bot="raw")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(
        data_dir=tmp_path / "data", fsync="everysec", heartbeat_s=60, lease_ms=6000, drain_s=1.0
    )


@pytest.fixture
async def host(settings: Settings) -> AsyncIterator[Host]:
    async with embedded_store(settings.data_dir, settings.fsync) as embedded:
        store = await connect(embedded.url)
        metrics = Metrics(version="0", server_id=settings.server_id)
        host = Host(settings, store, metrics)
        async with host.running():
            yield host
        await store.close()


def a_match(seats: tuple[SeatPlan, ...] = (RAW,) * 4, **fields: Any) -> MatchSpec:
    """A match that nobody has asked for before."""
    patient = TimeControl(per_move=600_000, ready=600_000, seat_timeout=600_000)
    return replace(spec(seats=seats, time=patient), match_id=f"m{secrets.token_hex(8)}", **fields)


def a_race(deals: int, seats: tuple[SeatPlan, ...] = (RAW,) * 4) -> MatchSpec:
    """A match of many deals."""
    made = a_match(seats, mode=Mode.RACE)
    return replace(made, rules=replace(made.rules, target=1_000_000, deals_limit=deals))


def arrive(host: Host, instance: str = "one", *, bot: str = "raw", **fields: Any) -> Session:
    """A bot that says Hello."""
    seen = fields.pop("seen", {})
    fields = {"capacity": 64, **fields}
    session = host.new_session(Identity(bot, "1", instance, **fields))
    session.seen = seen
    host.seating.arrive(session)
    return session


async def ready(host: Host, match_id: str) -> None:
    """Let a match begin."""
    table = host.tables.get(match_id)
    assert table is not None
    await host.tables.committer.settled()
    for seat in SEATS:
        if not table.match.seats[seat].ready:
            await host.tables.ask(table, SayReady(seat))


async def play(host: Host, match_id: str, moves: int = 1_000_000) -> int:
    """Answer for all bots with any legal action; how many were answered."""
    rng = random.Random(moves)
    for number in range(moves):
        table = host.tables.get(match_id)
        if table is None:
            return number
        match = table.match
        seat = next(one for one in SEATS if match.owed_since[one])
        action = rng.choice(match.game.legal_actions(seat))
        await host.tables.ask(table, Act(seat, match.decision_id(seat), action, 1))
    return moves


def read(messages: list[ServerMessage | bytes]) -> list[ServerMessage]:
    """What a client reads of them."""
    return list(play_service_pb2.PlayResponse.FromString(frame_to_bytes(messages)).messages)


def kinds(messages: list[ServerMessage]) -> list[str]:
    return [str(message.WhichOneof("message")) for message in messages]


__all__ = ["RAW", "Seat", "WAIT_S", "a_match", "a_race", "arrive", "kinds", "play", "read", "ready"]
