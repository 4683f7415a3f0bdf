"""Each faulty bot fails the check that is about its fault, and no other."""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
from pathlib import Path

import pytest

from contree.conformance import CHECKS, Limits, Verdict, check_bot, faulty

PROTOCOL = Path(__file__).resolve().parents[2] / "docs" / "protocol.md"
HEADINGS = re.findall(r"^## (.*)$", PROTOCOL.read_text(encoding="utf-8"), re.MULTILINE)
LIMITS = Limits(answer=4.0, start=60.0)
CAUGHT_BY = {
    module.name: importlib.import_module(f"contree.conformance.faulty.{module.name}").CAUGHT_BY
    for module in pkgutil.iter_modules(faulty.__path__)
    if module.name != "plain"
}
BY_ID = {check.id: check for check in CHECKS}
FULL = os.environ.get("FULL") == "1"


def what_it_builds_on(check: str) -> set[str]:
    needs = set(BY_ID[check].needs)
    return needs.union(*(what_it_builds_on(need) for need in needs)) if needs else needs


def test_every_check_has_a_bot_that_fails_it() -> None:
    assert set(CAUGHT_BY.values()) == set(BY_ID)


@pytest.mark.conformance
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", CAUGHT_BY)
async def test_exactly_the_right_check_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = CAUGHT_BY[name]
    monkeypatch.setenv("SLOW_S", str(LIMITS.answer + 0.5))
    only = () if FULL else [*what_it_builds_on(wanted), wanted]
    command = ["python", "-m", f"contree.conformance.faulty.{name}"]
    report = await check_bot(name, command, only=only, limits=LIMITS)
    assert [(one.id, one.note) for one in report.failed if one.id != wanted] == []
    (failure,) = report.failed
    assert failure.expected.endswith(".")
    assert failure.section in HEADINGS
    assert failure.frames
    others = {one.id: one for one in report.results if one.id != wanted}
    for one in others.values():
        assert one.verdict is Verdict.PASS or one.note.startswith("because "), one


@pytest.mark.conformance
@pytest.mark.timeout(600)
async def test_the_bot_that_they_are_made_of_passes() -> None:
    report = await check_bot(
        "plain", ["python", "-m", "contree.conformance.faulty.plain"], limits=LIMITS
    )
    assert [(one.id, one.note) for one in report.results if one.verdict is not Verdict.PASS] == []
