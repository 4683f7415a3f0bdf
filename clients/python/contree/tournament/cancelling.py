"""Leaving no match behind that would be played without its bots."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from typing import Final

from contree.client import ContreeError, HostClient, MatchOver, ServiceError

_OWN_S: Final = 5.0
_LEFT_OVER_S: Final = 20.0
"""For a match whose server died a moment ago is nobody's for some seconds."""
_RETRY_S: Final = 0.25


class LeftOver:
    """The matches of an event that an earlier run made, and how many of them were not over."""

    def __init__(self) -> None:
        self.ids: set[str] = set()
        self.unfinished = 0

    @classmethod
    async def clear(cls, host: HostClient, event: str) -> LeftOver:
        """Find them, and cancel those that are not over."""
        found = cls()
        unfinished = []
        async for match in host.list_matches(event):
            found.ids.add(match.id)
            if not match.ended:
                unfinished.append(match.id)
        found.unfinished = len(unfinished)
        await _cancel(host, unfinished, _LEFT_OVER_S, "an earlier run left it unfinished")
        return found


async def cancel_own(
    host: HostClient, match_ids: Iterable[str], reason: str = "the runner stopped"
) -> None:
    """Cancel what is in play, because the runner stops; gives up after a few seconds."""
    await _cancel(host, match_ids, _OWN_S, reason)


async def _cancel(host: HostClient, ids: Iterable[str], patience: float, reason: str) -> None:
    with suppress(TimeoutError, ContreeError):
        async with asyncio.timeout(patience):
            for match_id in ids:
                await _cancel_one(host, match_id, reason)


async def _cancel_one(host: HostClient, match_id: str, reason: str) -> None:
    while True:
        try:
            await host.cancel_match(match_id, reason)
        except MatchOver:
            return
        except ServiceError:
            await asyncio.sleep(_RETRY_S)
        else:
            return
