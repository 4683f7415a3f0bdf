"""Bots that ship with the project pass every check."""

from __future__ import annotations

import pytest

from contree.conformance import CHECKS, Limits, Verdict, check_bot

PATIENT = Limits(answer=15.0, start=120.0, back=60.0)
"""For a busy machine."""


@pytest.mark.conformance
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    "module", ["contree.bots.random", "contree.bots.rules", "contree.bots.starter"]
)
async def test_a_python_bot_passes_every_check(module: str) -> None:
    report = await check_bot("good", ["python", "-m", module], limits=PATIENT)
    assert [(one.id, one.note) for one in report.results if one.verdict is not Verdict.PASS] == []
    assert [one.id for one in report.results] == [one.id for one in CHECKS]
