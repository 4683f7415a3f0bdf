"""The programs in clients/README.md run as they stand."""

from __future__ import annotations

import asyncio
import re
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.client.scripted import soon

from contree.testing import service

README = Path(__file__).resolve().parents[2] / "clients" / "README.md"
PROGRAMS = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


@pytest.fixture
async def address() -> AsyncIterator[str]:
    async with service() as server:
        yield server.address


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
async def test_a_program_of_the_readme(number: int, address: str, tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        PROGRAMS[number],
        stdout=PIPE,
        stderr=PIPE,
        cwd=tmp_path,
        env={"CONTREE_SERVER": address, "PYTHONWARNINGS": "error", "PATH": "/usr/bin:/bin"},
    )
    _, error = await soon(process.communicate())
    assert process.returncode == 0, error.decode()
    assert b"Traceback" not in error


def test_links_of_the_readme_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#]+)\)", README.read_text(encoding="utf-8"))
    assert links
    for link in links:
        assert (README.parent / link).exists(), link
