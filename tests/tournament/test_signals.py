"""Signals that ask a run to end."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator

import pytest

from contree.tournament.signals import Signals


@pytest.fixture
def hang_up() -> Iterator[None]:
    """What SIGHUP does to this process is put back."""
    before = signal.getsignal(signal.SIGHUP)
    yield
    signal.signal(signal.SIGHUP, before)


async def test_a_terminal_that_is_closed_asks_for_the_end(hang_up: None) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    told: list[int] = []
    with Signals.heard(lambda: told.append(1)) as signals:
        os.kill(os.getpid(), signal.SIGHUP)
        await signals.wait(60)
        assert signals.first == signal.SIGHUP
    assert told == [1]


async def test_what_runs_under_nohup_goes_on(hang_up: None) -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with Signals.heard(lambda: None) as signals:
        os.kill(os.getpid(), signal.SIGHUP)
        os.kill(os.getpid(), signal.SIGTERM)
        await signals.wait(60)
        assert signals.first == signal.SIGTERM
    assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN


async def test_a_further_signal_is_waited_for() -> None:
    told: list[int] = []
    with Signals.heard(lambda: told.append(1)) as signals:
        os.kill(os.getpid(), signal.SIGTERM)
        await signals.wait(60)
        await signals.wait(0.01, beyond=1)  # there is none yet
        asyncio.get_running_loop().call_soon(os.kill, os.getpid(), signal.SIGINT)
        async with asyncio.timeout(60):
            await signals.wait(3600, beyond=1)
        assert signals.first == signal.SIGTERM
    assert told == [1]
