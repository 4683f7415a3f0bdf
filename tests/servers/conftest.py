"""What the tests of several servers share."""

from __future__ import annotations

import asyncio

import pytest
from tests.chaos.event import Event
from tests.chaos.scale import FULL, SEED, pick


@pytest.fixture(autouse=True)
def shown_seed() -> None:
    """What repeats the choices of a run: see `tests/chaos/scale.py`."""
    print(f"\nCHAOS_SEED={SEED}{' FULL=1' if FULL else ''}")


@pytest.fixture(scope="session")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Event:
    """The event on a single server, undisturbed."""
    event = Event(tmp_path_factory.mktemp("quiet"), boards=pick(6, 60))

    async def play() -> None:
        await event.start()
        await event.finish()

    asyncio.run(play())
    return event
