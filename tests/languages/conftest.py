"""Fixtures of the bots in all languages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.languages.folders import LANGUAGES, built

from contree.server.app import running
from contree.server.settings import Settings


@pytest.fixture(scope="session", params=LANGUAGES)
def language(request: pytest.FixtureRequest) -> str:
    """Each of the languages, its bot built."""
    name: str = request.param
    built(name)
    return name


@pytest.fixture(scope="session")
def all_built() -> tuple[str, ...]:
    """All languages, their bots built."""
    for name in LANGUAGES:
        built(name)
    return LANGUAGES


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[str]:
    """The address of a real server on a store of its own."""
    settings = Settings(listen="127.0.0.1:0", metrics=None, data_dir=tmp_path, heartbeat_s=0.5)
    async with running(settings) as serving:
        yield serving.address
