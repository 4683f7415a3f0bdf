"""The bots in all languages pass every check of ``contree check-bot``."""

from __future__ import annotations

import pytest
from tests.languages.folders import built

from contree.conformance import CHECKS, Limits, Verdict, check_bot

pytestmark = [pytest.mark.languages, pytest.mark.timeout(2400)]

PATIENT = Limits(answer=15.0, start=120.0, back=60.0)
"""For a busy machine."""


async def test_a_bot_passes_every_check(language: str) -> None:
    report = await check_bot("sample", built(language), limits=PATIENT)
    assert [(one.id, one.note) for one in report.results if one.verdict is not Verdict.PASS] == []
    assert [one.id for one in report.results] == [one.id for one in CHECKS]
