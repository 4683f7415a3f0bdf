"""A scripted server for each test, and no setting from outside."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from tests.client.scripted import ScriptedServer


@pytest.fixture
async def server() -> AsyncIterator[ScriptedServer]:
    scripted = ScriptedServer()
    await scripted.start()
    yield scripted
    await scripted.stop()


@pytest.fixture(autouse=True)
def no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SERVER", "BOT", "TOKEN", "TOKEN_FILE", "INSTANCE", "CAPACITY", "CA"):
        monkeypatch.delenv(f"CONTREE_{name}", raising=False)
