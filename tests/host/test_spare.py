"""Matches that the house plays alone take a small share of the time, all of them together."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from tests.host.virtual import Place, at, place, stop_process, virtually
from tests.match.matches import spec

from contree.engine import SEATS, Mode
from contree.server.host import tables
from contree.server.match import FaultKind, GiveUp, GoOn, Match, Step, decide

STEP_S = 0.01


@pytest.fixture(autouse=True)
def steps(monkeypatch: pytest.MonkeyPatch) -> list[Match]:
    """The matches in which the house went on by itself; each time takes a while."""
    went_on: list[Match] = []

    def slow(match: Match, command: Any, now_ms: int) -> Step:
        if isinstance(command, GoOn):
            went_on.append(match)
            stop_process(STEP_S)
        return decide(match, command, now_ms)

    monkeypatch.setattr(tables, "decide", slow)
    return went_on


def deserted(here: Place, match_id: str) -> None:
    made = spec(mode=Mode.RACE)
    rules = replace(made.rules, target=1_000_000, deals_limit=1_000)
    table = here.sit(replace(made, match_id=match_id, rules=rules))
    for seat in SEATS:
        here.tables.submit(table, GiveUp(seat, FaultKind.RESIGNED, "a test"))


@pytest.mark.parametrize("matches", [1, 20])
def test_the_house_alone_takes_a_small_share(steps: list[Match], matches: int) -> None:
    @virtually
    async def play() -> None:
        async with place() as here:
            for number in range(matches):
                deserted(here, f"m{number}")
            began = at()
            await asyncio.sleep(5.0)
            share = len(steps) * STEP_S / (at() - began)
            assert 0.05 < share < 0.15
            assert len({match.id for match in steps}) == matches

    play()
