"""Fixtures of the bots in other languages."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.bots.processes import ROOT

from contree.server.app import running
from contree.server.settings import Settings

NODE_BOT = ROOT / "bots" / "node"
NPM_CI_S = 180


@pytest.fixture(scope="session")
def node_bot() -> tuple[str, str]:
    """The command of the bot in JavaScript, with what it needs installed."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        pytest.fail("node and npm are not installed; the bot in bots/node needs Node 20 or newer")
    if not (NODE_BOT / "node_modules").is_dir():
        subprocess.run([npm, "ci"], cwd=NODE_BOT, check=True, timeout=NPM_CI_S)
    return node, str(NODE_BOT / "random.js")


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[str]:
    """The address of a real server on a store of its own."""
    settings = Settings(listen="127.0.0.1:0", metrics=None, data_dir=tmp_path, heartbeat_s=0.5)
    async with running(settings) as serving:
        yield serving.address
