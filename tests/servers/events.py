"""Events at a site, held against one that was undisturbed."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.chaos.event import SAME, Event

from contree.tournament.audit import audit
from contree.tournament.export import export_event


@asynccontextmanager
async def running(event: Event) -> AsyncIterator[None]:
    """The event begins with the block, and is played to its end after it."""
    await event.start()
    try:
        yield
        await event.finish()
    finally:
        if event.process is not None and not event.over:
            event.process.kill()
            await event.process.wait()


def same(event: Event, quiet: Event) -> None:
    """Nothing was lost, nobody was charged, and the standings are those of the quiet event."""
    conduct = json.loads((event.results / "conduct.json").read_text())
    assert conduct["replayed"] == [], "tables were played again"
    assert event.faults() == []
    for name in SAME:
        assert (event.results / name).read_bytes() == (quiet.results / name).read_bytes(), name
    found = audit(export_event(event.results).files)
    assert found.right, found.findings[:5]
