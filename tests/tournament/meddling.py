"""A bot that tries to be host of its event, says how each attempt ended, and then plays on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

PROGRAM: Final = """
import asyncio, json, os

from contree.client import Bot, ContreeError, HostClient, run_bot


async def outcome(call):
    try:
        await call
    except ContreeError as error:
        return type(error).__name__
    return "done"


async def listed(host):
    return [match async for match in host.list_matches("event")]


async def meddle():
    # As itself, then as nobody.
    for token in (None, ""):
        async with HostClient(token=token) as host:
            yield "release", await outcome(host.release_group("event/b0001"))
            yield "cancel", await outcome(host.cancel_match("some-match"))
            yield "record", await outcome(host.get_record("some-match"))
            yield "list", await outcome(listed(host))
            yield "bots", await outcome(host.list_bots())


async def report():
    print("MEDDLED", json.dumps([attempt async for attempt in meddle()]), flush=True)


class Meddler(Bot):
    def decide(self, turn):
        return turn.view.legal[0]


asyncio.run(report())
run_bot(Meddler())
"""
ATTEMPTS: Final = ("release", "cancel", "record", "list", "bots")
REFUSED: Final = [
    *([attempt, "PermissionDenied"] for attempt in ATTEMPTS),
    *([attempt, "Unauthenticated"] for attempt in ATTEMPTS),
]


def outcomes(log: Path) -> list[list[str]]:
    """How the attempts ended that the log of a bot tells of."""
    (line,) = (one for one in log.read_text().splitlines() if "MEDDLED" in one)
    found: list[list[str]] = json.loads(line.partition("MEDDLED ")[2])
    return found
