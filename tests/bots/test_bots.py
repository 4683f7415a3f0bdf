"""The bots that come with contree, as their authors would run them."""

from __future__ import annotations

import random
import secrets
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.bots.processes import started

import contree.bots
from contree.bots import BOTS, Random, Rules
from contree.client import Board, Bot, BotSeat, HostClient, MatchSpec, Practice, play_bot
from contree.engine import SEATS
from contree.server.app import running
from contree.server.rpc import requests
from contree.server.settings import Settings


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[str]:
    settings = Settings(listen="127.0.0.1:0", metrics=None, data_dir=tmp_path)
    async with running(settings) as serving:
        yield serving.address


NEED_NUMBA = {"sampler", "solver"}
"""They are tried in tests/search."""
PLAIN = sorted(set(BOTS) - NEED_NUMBA)


def test_the_registry_makes_a_new_bot_each_time() -> None:
    assert set(BOTS) == {"quiet", "random", "rules", "starter"} | NEED_NUMBA
    for name in PLAIN:
        make = BOTS[name]
        bot = make()
        assert isinstance(bot, Bot)
        assert bot.name == name
        assert make() is not bot
    assert isinstance(BOTS["random"](), Random)
    assert isinstance(BOTS["rules"](), Rules)


def test_every_bot_can_be_named_as_an_attribute() -> None:
    assert {name.lower() for name in contree.bots.__all__} == {"bots", *BOTS}
    with pytest.raises(AttributeError, match="Nobody"):
        _ = contree.bots.Nobody


class _Seeded:
    """The server's secrets, the same each time."""

    def __init__(self) -> None:
        self.token_bytes = random.Random(2).randbytes
        self.token_hex = secrets.token_hex


@pytest.mark.parametrize("name", PLAIN)
async def test_plays_a_practice_match(
    server: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of three deals that are not passed out, each played to its end."""
    monkeypatch.setattr(requests, "secrets", _Seeded())
    bot = Random("practice") if name == "random" else BOTS[name]()
    done = await play_bot(bot, server=server, practice=Practice(deals=3), matches=1)
    assert done.decisions >= 3 * 2 * (8 + 1)
    assert (done.illegal, done.late, done.faults) == (0, 0, 0)


@pytest.mark.parametrize("name", PLAIN)
async def test_is_a_program(server: str, name: str) -> None:
    spec = MatchSpec(
        request_id="program",
        seats=dict.fromkeys(SEATS, BotSeat("somebody")),
        mode=Board(1),
        labels=("program",),
    )
    command = (sys.executable, "-W", "error", "-m", f"contree.bots.{name}")
    async with HostClient(server) as host, started(command, server, "somebody") as bot:
        await host.create_match(spec)
        async for update in host.watch_matches("program"):
            if update.match.ended:
                assert update.match.counts
                assert update.match.faults == ()
                break
        # Without a handler of its own, SIGTERM's 143 is how a program says that it was told to.
        assert await bot.told_to_stop(signal.SIGTERM) == 143, bot.output
