"""Reading journals: page by page, and folded in slices, so that a long one does not hold up all
tables.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Final

from contree.server.match import Entry, Match, decode_entry, evolve, fold
from contree.server.store import MatchNotFound, MatchStore

PAGE: Final = 1024
"""Entries of a journal read in one round trip."""
_SLICE_S: Final = 0.005
"""Everything else has its turn after so long."""


async def pages(store: MatchStore, match_id: str, after: int = 0) -> AsyncIterator[list[bytes]]:
    """The entries of a journal after a number, page by page, up to all that it has by then.

    Raises MatchNotFound.
    """
    while page := await store.read(match_id, after, limit=PAGE):
        yield page
        if len(page) < PAGE:
            return
        after += len(page)


def after_entry(match: Match | None, entry: Entry) -> Match:
    """A match after its next entry; None is the match before the first."""
    return fold([entry]) if match is None else evolve(match, entry)


async def folded_on(
    match: Match | None, page: Sequence[bytes], breathe: Callable[[], Awaitable[None]]
) -> Match | None:
    """A match after a page of entries; ``breathe`` is called after each."""
    for data in page:
        match = after_entry(match, decode_entry(data))
        await breathe()
    return match


async def folded(store: MatchStore, match_id: str) -> Match:
    """The match that a journal tells of. Raises MatchNotFound."""
    time = asyncio.get_running_loop().time
    began = time()

    async def breathe() -> None:
        nonlocal began
        if time() - began > _SLICE_S:
            await asyncio.sleep(0)
            began = time()

    match: Match | None = None
    async for page in pages(store, match_id):
        began = time()
        match = await folded_on(match, page, breathe)
    if match is None:
        raise MatchNotFound(match_id)
    return match
