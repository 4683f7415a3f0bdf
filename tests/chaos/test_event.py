"""An event whose runner, service, store and bots are killed comes to the bytes of a quiet one."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from pathlib import Path
from typing import Final

import pytest
from tests.chaos.event import SAME, WAIT_S, Event
from tests.chaos.scale import choices, pick
from tests.chaos.waiting import until

from contree.tournament.audit import audit
from contree.tournament.export import export_event

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(pick(900, 1800))]

KILLS: Final = pick(5, 30)
BOARDS: Final = pick(15, 60)


async def test_thirty_kills_change_no_byte_of_the_standings(tmp_path: Path) -> None:
    (tmp_path / "quiet").mkdir()
    (tmp_path / "killed").mkdir()
    quiet, killed = (Event(tmp_path / name, boards=BOARDS) for name in ("quiet", "killed"))
    await quiet.start()
    await quiet.finish()
    when = choices("event")
    killed.slow.touch()
    await killed.start()
    tally: Counter[str] = Counter()
    try:
        for kind in _kinds(when):
            before = killed.played()
            if when.random() < 0.6:
                await until(lambda b=before: killed.played() > b or killed.over, WAIT_S, "a table")  # type: ignore[misc]
            await asyncio.sleep(when.uniform(0.0, 3.0))  # the moment is what is drawn
            await killed.kill(kind, when)
            tally[kind] += 1
        at_last_kill = killed.played()
        killed.slow.unlink()
        await killed.finish()
    finally:
        if killed.process is not None and not killed.over:
            killed.process.kill()
            await killed.process.wait()
    conduct = json.loads((killed.results / "conduct.json").read_text())
    reasons = Counter(one["reason"] for one in conduct["replayed"])
    print(
        f"{dict(tally)} killed, the last after {at_last_kill} of {killed.played()} tables; "
        f"attempts without a result: {dict(reasons)}"
    )
    assert killed.faults() == []
    for name in SAME:
        assert (killed.results / name).read_bytes() == (quiet.results / name).read_bytes(), name
    for event in (quiet, killed):
        found = audit(export_event(event.results).files)
        assert found.right, found.findings[:5]
        assert found.tables == 6 * BOARDS


def _kinds(when: random.Random) -> list[str]:
    """What is killed, one after the other: each kind once before any comes again, so that nothing
    falls as often within a minute as a program that is broken for good.
    """
    kinds: list[str] = []
    while len(kinds) < KILLS:
        some = ["runner", "server", "store", "bot"]
        when.shuffle(some)
        kinds += some
    return kinds[:KILLS]
