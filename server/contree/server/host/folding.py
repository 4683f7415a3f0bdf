"""Folding a journal in slices, so that a long one does not hold up all tables."""

from __future__ import annotations

import asyncio
from typing import Final

from contree.server.match import Match, decode_entry, evolve, fold
from contree.server.store import MatchStore

_PAGE: Final = 500
_SLICE_S: Final = 0.005
"""Everything else has its turn after so long."""


async def folded(store: MatchStore, match_id: str) -> Match:
    """The match that a journal tells of, read page by page. Raises MatchNotFound."""
    time = asyncio.get_running_loop().time
    data = await store.read(match_id, limit=_PAGE)
    match = fold([decode_entry(data[0])])
    began = time()
    rest = data[1:]
    while True:
        for item in rest:
            match = evolve(match, decode_entry(item))
            if time() - began > _SLICE_S:
                await asyncio.sleep(0)
                began = time()
        if len(data) < _PAGE:
            return match
        rest = data = await store.read(match_id, match.version, limit=_PAGE)
        began = time()
